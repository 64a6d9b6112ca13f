// Small dense matrices for the oracle of starts: rows of numbers, nothing else.
"use strict";

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const norm = (a) => Math.sqrt(dot(a, a));
const times = (A, x) => A.map((row) => dot(row, x));
const transposed = (A, columns) => Array.from({ length: columns }, (_, j) => A.map((row) => row[j]));
const add = (a, s, b) => a.map((x, i) => x + s * b[i]);

// Eigenvalues and vectors (columns as rows of `vectors`) of a symmetric matrix, by Jacobi.
function eigen(S) {
  const n = S.length, A = S.map((row) => row.slice());
  const V = A.map((_, i) => A.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0, all = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        all += A[i][j] ** 2;
        if (i !== j) off += A[i][j] ** 2;
      }
    if (off <= 1e-30 * all) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) rotate(A, V, p, q);
  }
  return { values: A.map((row, i) => row[i]), vectors: V };
}

function rotate(A, V, p, q) {
  if (A[p][q] === 0) return;
  const n = A.length, theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1), s = t * c;
  for (let k = 0; k < n; k++) {
    const a = A[k][p], b = A[k][q];
    A[k][p] = c * a - s * b;
    A[k][q] = s * a + c * b;
  }
  for (let k = 0; k < n; k++) {
    const a = A[p][k], b = A[q][k];
    A[p][k] = c * a - s * b;
    A[q][k] = s * a + c * b;
    const v = V[p][k], w = V[q][k];
    V[p][k] = c * v - s * w;
    V[q][k] = s * v + c * w;
  }
}

// Least squares solution of least length, and an orthonormal basis of the null space. Singular
// values below `small` of the largest count as 0.
function pseudo(A, b, columns, small) {
  const T = transposed(A, columns);
  const { values, vectors } = eigen(T.map((row) => T.map((other) => dot(row, other))));
  const largest = Math.max(...values, 1e-300), x = new Array(columns).fill(0), basis = [];
  const h = T.map((row) => dot(row, b));
  values.forEach((value, k) => {
    if (value <= small * small * largest) basis.push(vectors[k]);
    else {
      const s = dot(vectors[k], h) / value;
      for (let j = 0; j < columns; j++) x[j] += s * vectors[k][j];
    }
  });
  return { x, basis };
}

module.exports = { dot, norm, times, transposed, add, eigen, pseudo };
