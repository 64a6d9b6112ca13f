// Random starts of models: constraints whose solutions have several branches, singular points or
// dependent rows, and given values beside them. A problem is written once, as expressions in x1,
// x2, ..., for the model and for the oracle.
"use strict";
const { ontoRows } = require("./brute_force.js");

// Numbers between 0 and 1, the same from the same seed (mulberry32).
function generator(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const number = (x) => `(${x.toPrecision(6)})`;
const within = (random, low, high) => Number((low + (high - low) * random()).toPrecision(6));
const names = (n) => Array.from({ length: n }, (_, i) => `x${i + 1}`);
const square = (random, x) => `${number(within(random, 0.3, 3))}*${x}^2`;

// Each: rows as expressions that are to be 0, in n unknowns; guesses lie within `guess` of 0. apart:
// M is diagonal, so that rows without common unknowns have nothing to do with each other.
const families = {
  ellipsoid(random) {
    const n = 2 + Math.floor(3 * random());
    return { n, rows: [`${names(n).map((x) => square(random, x)).join(" + ")} - 1`], guess: random() < 0.3 ? 0.5 : 2 };
  },
  cone(random) {
    const n = 2 + Math.floor(3 * random()), x = names(n).map((x) => square(random, x));
    return { n, rows: [`${x.slice(1).join(" + ")} - ${x[0]}`], guess: 2 };
  },
  cone_cut(random) {
    const x = names(4).map((x) => square(random, x));
    return { n: 4, rows: [`${x[0]} + ${x[1]} - ${x[2]}`, `x4 - ${number(within(random, -1, 1))}*x1*x2`], guess: 2 };
  },
  circles(random) {
    const k = 1 + Math.floor(3 * random()), rows = [];
    for (let i = 0; i < k; i++)
      rows.push(`(x${2 * i + 1} - ${number(within(random, -1, 1))})^2 + (x${2 * i + 2})^2 - ${number(within(random, 0.2, 2))}`);
    if (k === 1 || random() < 0.5) return { n: 2 * k, rows, apart: true, guess: 2 };
    rows.push(`(x1 - x3)^2 + (x2 - x4)^2 - ${number(within(random, 0.1, 1.5))}`);
    return { n: 2 * k, rows, guess: 2 };
  },
  angles(random) {
    const k = 3 + Math.floor(2 * random()), x = names(k);
    const l = x.map(() => number(within(random, 0.6, 1.2)));
    const sum = (f) => x.map((a, i) => `${l[i]}*${f}(${a})`).join(" + ");
    return { n: k, rows: [`${sum("cos")} - ${number(within(random, 0.2, 1.5))}`, `${sum("sin")} - ${number(within(random, -1, 1))}`],
      guess: random() < 0.5 ? 3 : 6 };
  },
  joints(random) {
    const l = [1, 2, 3].map(() => number(within(random, 0.6, 1.2))), a = ["x1", "(x1 + x2)", "(x1 + x2 + x3)"];
    const sum = (f) => a.map((x, i) => `${l[i]}*${f}${x.startsWith("(") ? x : `(${x})`}`).join(" + ");
    return { n: 3, rows: [`${sum("cos")} - ${number(within(random, 0.2, 1.5))}`, `${sum("sin")} - ${number(within(random, -1, 1))}`], guess: 4 };
  },
  rods(random) {
    const a = number(within(random, 0.6, 1.2)), b = number(within(random, 0.8, 1.6)), c = number(within(random, 0.6, 1.2));
    return { n: 4, rows: [`x1^2 + x2^2 - ${a}^2`, `(x3 - x1)^2 + (x4 - x2)^2 - ${b}^2`, `(x3 - 1)^2 + x4^2 - ${c}^2`], guess: 2 };
  },
  waves(random) {
    const k = number(within(random, 1, 5)), a = number(within(random, 0.3, 1.5));
    return { n: 2, rows: [`x2 - ${a}*sin(${k}*x1)`], guess: 2 };
  },
  crossing(random) {
    const a = number(within(random, 0.5, 2));
    const rows = [`(x1^2 + x2^2)^2 - ${a}*(x1^2 - x2^2)`, `x1*x2`, `x2^2 - ${a}*x1^3`, `x2^2 - x1^2*(x1 + ${a})`,
      `(x1^2 + x2^2 - 1)*(x1 - ${a}*x2)`];
    return { n: 2, rows: [rows[Math.floor(rows.length * random())]], guess: 2 };
  },
  dependent(random) {
    const f = `${names(3).map((x) => square(random, x)).join(" + ")} - 1`, g = `x3 - ${number(within(random, -0.5, 0.5))}*x1*x2`;
    const c = () => number(within(random, -2, 2));
    const rows = [f, g, `(${f})*(1 + ${c()}*x1) + ${c()}*(${g})`];
    if (random() < 0.5) rows.push(`(${f})*${c()} + (${g})*(2 + x2^2)`);
    return { n: 3, rows, guess: 1.5 };
  },
  chain(random) {
    const k = 3 + Math.floor(4 * random()), rows = [], l = () => number(within(random, 0.4, 1));
    const at = (i, j) => (i === 0 ? "0" : i === k ? ["1.2", "0.3"][j] : `x${2 * (i - 1) + j + 1}`);
    for (let i = 1; i <= k; i++)
      rows.push(`(${at(i, 0)} - ${at(i - 1, 0)})^2 + (${at(i, 1)} - ${at(i - 1, 1)})^2 - ${l()}^2`);
    return { n: 2 * (k - 1), rows, guess: 1.5 };
  },
  bodies(random) {
    const l = [0, 1, 2].map(() => within(random, 0.6, 1.4)), d = number(within(random, 0.8, 1.5));
    const end = (k, s, j) => `(x${3 * k + j + 1} + ${number(s * l[k] / 2)}*${j === 0 ? "cos" : "sin"}(x${3 * k + 3}))`;
    const rows = [0, 1].flatMap((j) => [end(0, -1, j), `${end(0, 1, j)} - ${end(1, -1, j)}`,
      `${end(1, 1, j)} - ${end(2, 1, j)}`, `${end(2, -1, j)} - ${j === 0 ? d : "0"}`]);
    return { n: 9, rows, guess: 2 };
  },
  directions(random) {
    const c = () => number(within(random, -0.8, 0.8));
    const rows = ["x1^2 + x2^2 + x3^2 - 1", "x4^2 + x5^2 + x6^2 - 1", `x1*x4 + x2*x5 + x3*x6 - ${c()}`];
    if (random() < 0.5) rows.push(`x3 - ${c()}`);
    if (random() < 0.3) rows.push(`x4*x2 - x5*x1 - ${number(within(random, -0.3, 0.3))}`);
    return { n: 6, rows, guess: 1.5 };
  },
  many(random) {
    const k = 2 + Math.floor(4 * random()), rows = [];
    for (let i = 0; i < k; i++) {
      const [a, b, c, d] = [1, 2, 3, 4].map((j) => `x${4 * i + j}`), l = () => number(within(random, 0.6, 1.4));
      rows.push(`${a}^2 + ${b}^2 - ${l()}`, `(${c} - ${a})^2 + (${d} - ${b})^2 - ${l()}`, `(${c} - 1)^2 + ${d}^2 - ${l()}`);
    }
    return { n: 4 * k, rows, apart: true, guess: 2 };
  },
  scaled(random) {
    const s = 10 ** Math.floor(7 * random() - 3), a = number(s * within(random, 0.5, 2));
    return { n: 3, rows: [`x1^2 + x2^2 + x3^2 - ${a}^2`, `x1*x2 - ${number(s * s * within(random, -0.2, 0.2))}`], guess: 2 * s };
  },
  slight(random) {
    return { ...families[random() < 0.6 ? "dependent" : "rods"](random), slight: true };
  },
  linear(random) {
    const n = 3 + Math.floor(3 * random()), m = 1 + Math.floor(2 * random()), rows = [];
    for (let i = 0; i < m; i++)
      rows.push(`${names(n).map((x) => `${number(within(random, -2, 2))}*${x}`).join(" + ")} - ${number(within(random, -1, 1))}`);
    return { n, rows, guess: 2 };
  },
};

// M = sum of squares of linear forms, and the kinetic energy that has it; masses may be very unequal.
function mass(random, n, diagonal) {
  const full = random() < 0.3 && !diagonal, wide = random() < 0.2, forms = [];
  for (let k = 0; k < n; k++) {
    const form = new Array(n).fill(0);
    if (full) for (let j = 0; j < n; j++) form[j] = within(random, -0.5, 0.5);
    form[k] += within(random, 0.5, 2) * (wide && !full ? 10 ** Math.floor(4 * random() - 2) : 1);
    forms.push(form);
  }
  const M = names(n).map((_, i) => names(n).map((_, j) => forms.reduce((sum, f) => sum + f[i] * f[j], 0)));
  const text = forms.map((f) => `kinetic 0.5*(${f.map((c, j) => (c ? `${number(c)}*x${j + 1}'` : "")).filter(Boolean).join(" + ")})^2`);
  return { M, text: text.join("\n") };
}

// Unknowns and rows that have nothing to do with each other, neither by a row nor by M.
function partsOf(rows, M) {
  const part = M.map((_, j) => j);
  const join = (list) => {
    const all = new Set(list.map((j) => part[j])), to = Math.min(...all);
    part.forEach((k, j) => { if (all.has(k)) part[j] = to; });
  };
  const inRow = rows.map((row) => [...new Set(Array.from(row.matchAll(/x(\d+)/g), (m) => Number(m[1]) - 1))]);
  inRow.forEach(join);
  M.forEach((line, i) => join([i, ...line.flatMap((value, j) => (value !== 0 ? [j] : []))]));
  return [...new Set(part)].map((k) => ({
    unknowns: part.flatMap((p, j) => (p === k ? [j] : [])),
    rows: inRow.flatMap((list, i) => (part[list[0]] === k ? [i] : [])),
  }));
}

// Problem `index` of a family: text of the model, residuals, metric, given values and which of them
// are said. Rows are constraints, and sometimes the last is a start equation; of velocities where
// the family is asked for so.
function problem(family, index) {
  const random = generator(7919 * index + family.length * 104729 + family.charCodeAt(0) * 31 + family.charCodeAt(1));
  const p = families[family](random), x = names(p.n), { M, text } = mass(random, p.n, p.apart);
  const order = random() < 0.35 ? "'" : "", equation = p.rows.length > 1 && random() < 0.2;
  const given = x.map(() => within(random, -p.guess, p.guess)), some = random() < 0.3;
  if (random() < 0.25) given.forEach((v, j) => { given[j] = Math.round(2 * v / p.guess) * p.guess / 2; }); // symmetric
  const stated = x.map(() => !some || random() < 0.5);
  given.forEach((_, j) => { if (!stated[j]) given[j] = 0; });
  const body = p.rows.map((e) => e.replace(/\^/g, "**").replace(/(sin|cos)/g, "Math.$1").replace(/x(\d+)/g, (_, i) => `x[${i - 1}]`));
  const r = new Function("x", `return [${body.join(", ")}]`);
  const on = p.slight && !stated.includes(false) ? ontoRows(r, given, 60) : null;
  if (on) on.forEach((v, j) => { given[j] = v + within(random, -1e-3, 1e-3); });
  const primed = (e) => (order ? e.replace(/x\d+/g, "$&'") : e);
  const lines = [`coord ${x.join(", ")}`, text];
  p.rows.forEach((row, i) => {
    const last = equation && i === p.rows.length - 1;
    lines.push(last ? `start (${primed(row)}) = 0` : `constraint c${i + 1}: ${primed(row)} = 0`);
  });
  x.forEach((name, j) => { if (stated[j]) lines.push(`start ${name}${order} = ${given[j]}`); });
  return { family, index, order, random, M, given, stated, parts: partsOf(p.rows, M), names: x.map((name) => name + order),
    text: `${lines.join("\n")}\n`, r };
}

module.exports = { families: Object.keys(families), problem, generator };
