// Starts of random models against the oracle: which are the nearest, and whether it is said where
// they are not; and whether the dense and the sparse solver find the same.
//
//   node starts.js ZWANG FROM TO [FAMILY]
//
// Problems FROM to TO - 1 of each family. Fails where a start is not the nearest and nothing says so
// (`unsaid`), where it is not on the constraints (`off`), or where the solvers differ.
//
//   nearest    as near as the oracle's, and nothing is said
//   named      the same, and R0616 names another branch or doubts
//   said       R0616, and the oracle found a nearer one
//   right      the given values satisfy everything
//   refused    the oracle found a start; impossible: it did not either
//   beyond     nearer than the oracle's
"use strict";
const { spawnSync } = require("child_process");
const { families, problem } = require("./problems.js");
const { nearest, distance2 } = require("./brute_force.js");
const { norm } = require("./dense.js");

// What `zwang check` makes of a text: the corrected values, codes of its messages, or a refusal.
function check(zwang, solver, p) {
  const run = spawnSync(zwang, ["check", "--json", `--solver=${solver}`, "-"], { input: p.text, encoding: "utf8" });
  if (run.status !== 0) return { refused: true, said: run.stderr };
  const report = JSON.parse(run.stdout), values = new Map(report.start.values.map((v) => [v.name, v.corrected]));
  return { x: p.names.map((name) => values.get(name)), codes: report.remarks.map((r) => r.code), said: run.stderr };
}

// The oracle's answer: with the given values held where that can be done, else with all free; each
// part by itself.
function answer(p) {
  const x = p.given.slice(), held = p.given.map(() => false);
  for (const part of p.parts) {
    const rest = part.unknowns.filter((j) => !p.stated[j]);
    const some = rest.length > 0 && rest.length < part.unknowns.length ? solve(p, part.rows, rest) : null;
    const found = some ?? solve(p, part.rows, part.unknowns);
    if (!found) return null;
    (some ? rest : part.unknowns).forEach((j, i) => { x[j] = found.x[i]; });
    if (some) for (const j of part.unknowns) held[j] = p.stated[j];
  }
  return { x, held, far: distance2(p.M, p.given, x) };
}

// The nearest solution of some rows in the unknowns `free`, the others as given.
function solve(p, rows, free) {
  const put = (y) => { const x = p.given.slice(); free.forEach((j, i) => { x[j] = y[i]; }); return x; };
  const r = (y) => { const all = p.r(put(y)); return rows.map((i) => all[i]); };
  const g = free.map((j) => p.given[j]);
  if (norm(r(g)) < 1e-12) return { x: g };
  return nearest(r, free.map((i) => free.map((j) => p.M[i][j])), g, p.random, 120);
}

const mayDoubt = new Set(["R0616"]);

function judge(zwang, p) {
  if (norm(p.r(p.given)) < 1e-12) return "right";
  const got = check(zwang, "dense", p), other = check(zwang, "sparse", p);
  if (got.refused !== other.refused) return "differ: one solver refuses";
  const best = answer(p);
  if (got.refused) return best ? "refused" : "impossible";
  const size = 1 + norm(got.x);
  if (got.x.some((x, j) => Math.abs(x - other.x[j]) > 1e-6 * size)) return `differ: ${got.x} and ${other.x}`;
  const off = norm(p.r(got.x));
  if (!(off < 1e-8)) return `off: ${off}`;
  const said = got.codes.some((code) => mayDoubt.has(code));
  if (!best) return "beyond";
  const far = Math.sqrt(distance2(p.M, p.given, got.x)), least = Math.sqrt(best.far);
  if (got.x.some((x, j) => best.held[j] && x !== p.given[j])) return "unsaid: given values moved";
  if (far > least * (1 + 1e-5) + 1e-9) return `${said ? "said" : "unsaid"}: ${far} for ${least}`;
  if (far < least * (1 - 1e-5) - 1e-9) return "beyond";
  return said ? "named" : "nearest";
}

function main([zwang, from, to, family]) {
  const table = {}, bad = [];
  for (const name of family ? [family] : families) {
    table[name] = {};
    for (let k = Number(from); k < Number(to); k++) {
      const said = judge(zwang, problem(name, k)), kind = said.split(":")[0];
      table[name][kind] = (table[name][kind] ?? 0) + 1;
      if (["unsaid", "off", "differ", "refused"].includes(kind)) bad.push(`${name} ${k} ${said}`);
    }
  }
  console.table(table);
  for (const line of bad) console.log(line);
  process.exitCode = bad.length > 0 ? 1 : 0;
}

main(process.argv.slice(2));
