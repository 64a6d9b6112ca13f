// Inertias of random bodies, in random axes, free or in joints: of clouds of points, which are
// possible, among them plates; and with one moment larger than the sum of the others, which are not.
// W0617 must stand where it is true, and nowhere else. A negative moment is refused, and the message
// names the body, whichever solver finds it.
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

// Moments a, b and more than their sum, or less than 0, in random axes.
function impossible(random, negative) {
  const a = 10 ** (4 * random() - 3), b = a * (0.01 + random());
  const c = negative ? -a * (0.01 + random()) : (a + b) * (1 + 10 ** (-4 * random() + 0.5));
  let [s, ...u] = [0, 1, 2, 3].map(() => 2 * random() - 1);
  const size = Math.hypot(s, ...u);
  s /= size;
  u = u.map((x) => x / size);
  const R = identity(s * s - dot(u, u)).map((row, i) => row.map((x, j) => x + 2 * u[i] * u[j]));
  [[0, 1, 2], [1, 2, 0], [2, 0, 1]].forEach(([i, j, k]) => { R[i][j] -= 2 * s * u[k]; R[j][i] += 2 * s * u[k]; });
  const D = [[a, 0, 0], [0, b, 0], [0, 0, c]], T = transposed(R, 3);
  return R.map((row) => T.map((_, j) => dot(row, times(D, R[j]))));
}

// Whether what is said of a model is true: of `which` body, if one is wrong.
function isTrue(text, kind, which) {
  const negative = kind === "negative";
  for (const solver of negative ? ["dense", "sparse"] : ["auto"]) {
    const { status, stderr } = spawnSync(zwang, ["check", `--solver=${solver}`, "-"], { input: text, encoding: "utf8" });
    const told = stderr.includes(`W0617]: no body has the inertia of \`b${which}\``), refused = stderr.match(/E0408.* (b\d)\.q/);
    const good = negative ? status === 1 && refused && refused[1] === `b${which}`
      : status === 0 && (kind === "large" ? told : !stderr.includes("W0617"));
    if (!good) console.log(`${kind}, ${solver}: status ${status}\n${stderr}${text}`);
    if (!good) return false;
  }
  return true;
}

let bad = 0;
for (let number = Number(seed); number < Number(seed) + Number(models); number++) {
  const random = generator(7919 * number), kind = ["possible", "large", "negative"][Math.floor(3 * random())];
  const count = 1 + Math.floor(3 * random()), which = Math.floor(count * random()), lines = ["use rigid", "part ground = Ground()"];
  for (let k = 0; k < count; k++) {
    const wrong = kind !== "possible" && k === which;
    const J = wrong ? impossible(random, kind === "negative") : cloud(random, random() < 0.3);
    const q = [0, 1, 2, 3].map(() => 2 * random() - 1);
    lines.push(`param J${k} = ${written(J)}`, `part b${k} = Body(${0.1 + random()}, J${k}, turned = [${q}], w0 = [1, ${random()}, 0])`);
    if (random() < 0.4) lines.push(`part j${k} = Ball(ground, b${k})`);
  }
  if (!isTrue(`${lines.join("\n")}\n`, kind, which)) bad++;
}
console.log(`${bad} of ${models} wrong`);
process.exitCode = bad > 0 ? 1 : 0;
