// The nearest point of r(x) = 0 to g in the metric M, by brute force: from many places Gauss-Newton
// leads onto the rows, then Newton's method with the curvature descends along them; the nearest of
// all that was found. It shares nothing with the engine: dense, by eigenvalues, derivatives by
// differences.
"use strict";
const { dot, norm, times, transposed, add, eigen, pseudo } = require("./dense.js");

function jacobian(r, x) {
  const columns = x.map((value, j) => {
    const h = 1e-5 * Math.max(1, Math.abs(value)), a = x.slice(), b = x.slice();
    a[j] += h;
    b[j] -= h;
    const p = r(a), m = r(b);
    return p.map((value, i) => (value - m[i]) / (2 * h));
  });
  return transposed(columns, r(x).length);
}

// Onto the rows; null where that fails.
function ontoRows(r, from, most) {
  let x = from.slice(), value = r(x), size = norm(value);
  for (let k = 0; k < most && size > 1e-14; k++) {
    const { x: d } = pseudo(jacobian(r, x), value.map((v) => -v), x.length, 1e-9);
    let length = 1, next = null, rest = Infinity;
    for (let j = 0; j < 30; j++, length /= 2) {
      next = add(x, length, d);
      rest = norm(r(next));
      if (rest < size * (1 - 1e-4 * length)) break;
    }
    if (!(rest < size)) break;
    x = next;
    value = r(x);
    size = rest;
  }
  return size < 1e-10 ? x : null;
}

// Second derivatives of lambda.r along the basis.
function bend(r, x, lambda, basis) {
  const h = 1e-4, f = (y) => dot(lambda, r(y)), here = f(x);
  const at = (a, s, b, t) => f(add(add(x, s * h, a), t * h, b));
  return basis.map((a) => basis.map((b) =>
    a === b ? (at(a, 1, a, 0) - 2 * here + at(a, -1, a, 0)) / (h * h)
      : (at(a, 1, b, 1) - at(a, 1, b, -1) - at(a, -1, b, 1) + at(a, -1, b, -1)) / (4 * h * h)));
}

// Down along the rows from a point on them.
function descend(r, M, g, start) {
  let x = start, far = distance2(M, g, x);
  for (let k = 0; k < 60; k++) {
    const J = jacobian(r, x), gradient = times(M, add(x, -1, g));
    const { basis } = pseudo(J, r(x), x.length, 1e-7);
    if (basis.length === 0) break;
    const lambda = pseudo(transposed(J, x.length), gradient.map((v) => -v), J.length, 1e-7).x;
    const K = bend(r, x, lambda, basis);
    const H = basis.map((a, i) => basis.map((b, j) => dot(a, times(M, b)) + (K[i][j] + K[j][i]) / 2));
    const slope = basis.map((a) => dot(a, gradient)), { values, vectors } = eigen(H);
    const d = x.map(() => 0);
    values.forEach((value, i) => {
      const s = -dot(vectors[i], slope) / Math.max(Math.abs(value), 1e-3);
      for (let j = 0; j < x.length; j++) d[j] += s * vectors[i].reduce((sum, v, b) => sum + v * basis[b][j], 0);
    });
    let length = Math.min(1, 0.5 * Math.sqrt(far + 1e-12) / (norm(d) + 1e-300)), better = null;
    if (length > 0.5) length = 1;
    for (let j = 0; j < 25 && !better; j++, length /= 2) {
      const next = ontoRows(r, add(x, length, d), 20);
      if (next && distance2(M, g, next) < far * (1 - 1e-12)) better = next;
    }
    if (!better) break;
    const before = far;
    x = better;
    far = distance2(M, g, x);
    if (before - far < 1e-13 * before) break;
  }
  return { x, far };
}

function distance2(M, g, x) {
  const d = add(x, -1, g);
  return dot(d, times(M, d));
}

// A random direction of about unit length in M: half of them along its own axes, which may be soft.
function direction(M, axes, random, k) {
  const xi = M.map(() => 2 * random() - 1);
  if (k % 2) return xi.map((v, j) => v / Math.sqrt(M[j][j]));
  return xi.map((_, j) => xi.reduce((sum, v, i) => sum + v * axes.vectors[i][j] / Math.sqrt(axes.values[i]), 0));
}

// The nearest of what is found from `starts` places around g, and all that are apart from it.
function nearest(r, M, g, random, starts) {
  const seen = [], axes = eigen(M);
  let best = null;
  for (let k = 0; k < starts; k++) {
    const size = k === 0 ? 0 : (best ? Math.sqrt(best.far) : 1 + norm(g)) * [0.3, 1, 0.7, 2, 4][k % 5];
    const x = ontoRows(r, add(g, size, direction(M, axes, random, k)), 60);
    if (!x) continue;
    const found = descend(r, M, g, x);
    if (!best || found.far < best.far) best = found;
    if (!seen.some((s) => norm(add(s.x, -1, found.x)) < 1e-4)) seen.push(found);
  }
  return best ? { ...best, seen } : null;
}

module.exports = { nearest, distance2, ontoRows };
