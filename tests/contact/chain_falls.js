// chain_falls.js ZWANG MODEL: the chain of 1,000 rods that falls on a floor (bench/chain_on_floor.zw) runs to its end, and what it tells holds
// together: the verdict trusts it, no bead is below the floor, what is lost in impacts is what is missing of the energy, every bead that
// struck is closed or was opened as often as it closed. Its motion is so sensitive that no two roads agree to the end (a difference grows by
// about 1e4 in the first 0.02 s of contact): until then a run with another tolerance is compared.
"use strict";
const { spawnSync } = require("child_process");
const { mkdtempSync, readFileSync, rmSync } = require("fs");
const { tmpdir } = require("os");
const { join } = require("path");

const [zwang, model] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), "chain-"));
let failures = 0;
function expect(right, sentence) {
  if (right) return;
  failures++;
  console.log("not so: " + sentence);
}

function run(options) {
  const done = spawnSync(zwang, ["run", model, "-q", ...options], { encoding: "utf8", timeout: 1500e3 });
  expect(done.status === 0, `${options.join(" ")} ends with status ${done.status}: ${done.stderr}`);
}

// rows of numbers, as objects
function table(file) {
  const [head, ...rows] = readFileSync(file, "utf8").trim().split("\n").map((line) => line.match(/("[^"]*"|[^,]+)/g).map((s) => s.replace(/"/g, "")));
  return rows.map((row) => Object.fromEntries(row.map((x, i) => [head[i], x])));
}

const out = join(dir, "out.csv"), stats = join(dir, "stats.json"), events = join(dir, "events.csv");
run(["--at", "0,0.1,0.2,0.3,0.4", "-o", out, "--stats", stats, "--events", events]);
if (failures === 0) {
  const verdict = JSON.parse(readFileSync(stats, "utf8"));
  const rows = table(out), happened = table(events);
  expect(rows.length === 5 && Number(rows[4].t) === 0.4, "it reaches 0.4");
  expect(verdict.trust === "ok", `trust is ${verdict.trust}`);
  expect(verdict.steps > 1500 && verdict.steps < 8000, `${verdict.steps} steps`);
  const heights = Object.keys(rows[0]).filter((name) => /^p\[\d+,2\]$/.test(name));
  expect(heights.length === 1000, `${heights.length} beads`);
  for (const row of rows)
    for (const name of heights) expect(Number(row[name]) >= -1e-12, `${name} = ${row[name]} at ${row.t}`);
  let lost = 0;
  const closed = new Map();
  for (const x of happened) {
    if (x.kind === "impact") lost += Number(x.energy), expect(Number(x.impulse) > 0, `an impulse of ${x.impulse}`);
    if (x.kind === "closes") expect(!closed.get(x.name), `${x.name} closes twice`), closed.set(x.name, true);
    if (x.kind === "opens") expect(closed.get(x.name), `${x.name} opens, and was open`), closed.set(x.name, false);
  }
  expect(happened.filter((x) => x.kind === "closes").length >= 500, "hundreds of beads close");
  const energy = verdict.energy;
  expect(Math.abs(energy.start - energy.end - lost) < 1e-7 * energy.start, `energy ${energy.start} to ${energy.end}, lost ${lost}`);
}
const near = [join(dir, "a.csv"), join(dir, "b.csv")];
run(["--until", "0.11", "--at", "0.11", "-o", near[0], "--tol", "1e-11"]);
run(["--until", "0.11", "--at", "0.11", "-o", near[1], "--tol", "1e-12"]);
if (failures === 0) {
  const [a, b] = near.map((file) => table(file)[0]);
  let worst = 0;
  for (const name of Object.keys(a).filter((s) => /^p\[\d+,\d\]$/.test(s))) worst = Math.max(worst, Math.abs(a[name] - b[name]));
  console.log(`at 0.11 tolerances of 1e-11 and 1e-12 differ by ${worst}`);
  expect(worst < 1e-8, "tolerances agree at 0.11");
}
rmSync(dir, { recursive: true });
process.exit(failures > 0 ? 1 : 0);
