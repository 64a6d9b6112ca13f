// Inertias of random bodies, in random axes, free or in joints: of clouds of points, which are
// possible, among them plates; and with one moment larger than the sum of the others, which are not.
// W0617 must stand where it is true, and nowhere else.
//
//   node inertias.js ZWANG [MODELS [SEED]]
"use strict";
const { spawnSync } = require("child_process");
const { generator } = require("./problems.js");
const { times, transposed, dot } = require("./dense.js");

const [zwang, models = "40", seed = "1"] = process.argv.slice(2);
const identity = (x) => [[x, 0, 0], [0, x, 0], [0, 0, x]];
const written = (A) => `[${A.map((row) => `[${row.join(", ")}]`).join(", ")}]`;

// J = sum m (|x|^2 - x x^T); all points in a plane: a plate.
function cloud(random, flat) {
  const J = identity(0), axes = [0, 1, 2].map(() => [0, 1, 2].map(() => 2 * random() - 1));
  for (let k = 0; k < 6; k++) {
    const at = [0, 1, flat ? null : 2].filter((a) => a !== null), part = at.map(() => 2 * random() - 1);
    const x = [0, 1, 2].map((i) => at.reduce((sum, a, j) => sum + part[j] * axes[a][i], 0)), m = 0.1 + random();
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) J[i][j] += m * ((i === j ? dot(x, x) : 0) - x[i] * x[j]);
  }
  return J;
}

// Moments a, b and more than their sum, in random axes.
function impossible(random) {
  const a = 10 ** (4 * random() - 3), b = a * (0.01 + random()), c = (a + b) * (1 + 10 ** (-4 * random() + 0.5));
  let [s, ...u] = [0, 1, 2, 3].map(() => 2 * random() - 1);
  const size = Math.hypot(s, ...u);
  s /= size;
  u = u.map((x) => x / size);
  const R = identity(s * s - dot(u, u)).map((row, i) => row.map((x, j) => x + 2 * u[i] * u[j]));
  [[0, 1, 2], [1, 2, 0], [2, 0, 1]].forEach(([i, j, k]) => { R[i][j] -= 2 * s * u[k]; R[j][i] += 2 * s * u[k]; });
  const D = [[a, 0, 0], [0, b, 0], [0, 0, c]], T = transposed(R, 3);
  return R.map((row) => T.map((_, j) => dot(row, times(D, R[j]))));
}

let bad = 0;
for (let number = Number(seed); number < Number(seed) + Number(models); number++) {
  const random = generator(7919 * number), wrong = random() < 0.5, count = 1 + Math.floor(3 * random()), lines = ["use rigid", "part ground = Ground()"];
  const which = Math.floor(count * random());
  for (let k = 0; k < count; k++) {
    const J = wrong && k === which ? impossible(random) : cloud(random, random() < 0.3);
    const q = [0, 1, 2, 3].map(() => 2 * random() - 1);
    lines.push(`param J${k} = ${written(J)}`, `part b${k} = Body(${0.1 + random()}, J${k}, turned = [${q}], w0 = [1, ${random()}, 0])`);
    if (random() < 0.4) lines.push(`part j${k} = Ball(ground, b${k})`);
  }
  const run = spawnSync(zwang, ["check", "-"], { input: `${lines.join("\n")}\n`, encoding: "utf8" });
  const said = run.stderr.includes(`W0617]: no body has the inertia of \`b${which}\``), any = run.stderr.includes("W0617");
  if (run.status === 0 && (wrong ? said : !any)) continue;
  bad++;
  console.log(`number ${number}: ${wrong ? "not said" : "said"}, status ${run.status}\n${run.stderr}${lines.join("\n")}`);
}
console.log(`${bad} of ${models} wrong`);
process.exitCode = bad > 0 ? 1 : 0;
