// Linear algebra of small full matrices, by rows as arrays of arrays: Cholesky factors, singular
// values by one-sided Jacobi rotations, elimination with pivots. Written for the oracle alone.
'use strict';

// M = L L^T, L lower; null where M is not definite.
function cholesky(M) {
    const n = M.length, L = M.map((row) => row.slice());
    for (let j = 0; j < n; j++) {
        let d = L[j][j];
        for (let k = 0; k < j; k++) d -= L[j][k] * L[j][k];
        if (!(d > 0)) return null;
        d = L[j][j] = Math.sqrt(d);
        for (let i = j + 1; i < n; i++) {
            let s = L[i][j];
            for (let k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            L[i][j] = s / d;
        }
        for (let i = 0; i < j; i++) L[i][j] = 0;
    }
    return L;
}

// x with L x = y, and with L^T x = y.
function forward(L, y) {
    const x = y.slice();
    for (let i = 0; i < x.length; i++) {
        for (let k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
        x[i] /= L[i][i];
    }
    return x;
}
function backward(L, y) {
    const x = y.slice();
    for (let i = x.length - 1; i >= 0; i--) {
        for (let k = i + 1; k < x.length; k++) x[i] -= L[k][i] * x[k];
        x[i] /= L[i][i];
    }
    return x;
}

// Singular values of the matrix whose columns are given: columns c[j] = U[j] s[j] V^T. The columns
// are turned by pairs until they are at right angles; V gathers the turns.
function jacobi_svd(columns) {
    const m = columns.length, U = columns.map((c) => c.slice());
    const V = U.map((_, i) => U.map((__, j) => (i === j ? 1 : 0)));
    for (let sweep = 0, turned = true; turned && sweep < 60; sweep++) {
        turned = false;
        for (let i = 0; i < m; i++)
            for (let j = i + 1; j < m; j++) turned = turn_pair(U, V, i, j) || turned;
    }
    return {U, V, s: U.map((c) => Math.hypot(...c))};
}
function turn_pair(U, V, i, j) {
    let a = 0, b = 0, c = 0;
    const x = U[i], y = U[j];
    for (let k = 0; k < x.length; k++) { a += x[k] * x[k]; b += y[k] * y[k]; c += x[k] * y[k]; }
    if (Math.abs(c) <= 1e-16 * Math.sqrt(a * b) || c === 0) return false;
    const z = (b - a) / (2 * c), w = Math.sign(z || 1) / (Math.abs(z) + Math.sqrt(1 + z * z));
    const cos = 1 / Math.sqrt(1 + w * w), sin = cos * w;
    for (const [p, r] of [[x, y], [V[i], V[j]]])
        for (let k = 0; k < p.length; k++) [p[k], r[k]] = [cos * p[k] - sin * r[k], sin * p[k] + cos * r[k]];
    return true;
}

const RANK = 1e-10; // singular values below this share of the largest count as 0

// P^+ y for the matrix P with the given rows; also the rank and its null space of rows.
// P^T = U s V^T in columns, so P = V s U^T and P^+ y = U s^-1 V^T y.
function pseudo(rows) {
    const {U, V, s} = jacobi_svd(rows), top = Math.max(0, ...s);
    const kept = s.map((x) => x > RANK * top && x > 0);
    const n = rows.length ? rows[0].length : 0;
    return {
        rank: kept.filter(Boolean).length,
        smallest: top > 0 ? Math.min(...s) / top : 0,
        times(y) { // x = P^+ y
            const x = new Array(n).fill(0);
            for (let j = 0; j < s.length; j++) {
                if (!kept[j]) continue;
                let f = 0;
                for (let k = 0; k < y.length; k++) f += V[j][k] * y[k];
                f /= s[j] * s[j];
                for (let k = 0; k < n; k++) x[k] += f * U[j][k];
            }
            return x;
        },
        least(y) { // (P P^T)^+ y
            const x = new Array(rows.length).fill(0);
            for (let j = 0; j < s.length; j++) {
                if (!kept[j]) continue;
                let f = 0;
                for (let k = 0; k < y.length; k++) f += V[j][k] * y[k];
                f /= s[j] * s[j];
                for (let k = 0; k < x.length; k++) x[k] += f * V[j][k];
            }
            return x;
        },
        null_rows: V.filter((_, j) => !kept[j]),
    };
}

// x with A x = y by elimination with pivots; null where A is singular.
function eliminate(A, y) {
    const n = y.length, R = A.map((row, i) => [...row, y[i]]);
    for (let k = 0; k < n; k++) {
        let p = k;
        for (let i = k + 1; i < n; i++) if (Math.abs(R[i][k]) > Math.abs(R[p][k])) p = i;
        if (!(Math.abs(R[p][k]) > 0)) return null;
        [R[k], R[p]] = [R[p], R[k]];
        for (let i = k + 1; i < n; i++) {
            const f = R[i][k] / R[k][k];
            if (f) for (let j = k; j <= n; j++) R[i][j] -= f * R[k][j];
        }
    }
    const x = new Array(n).fill(0);
    for (let i = n - 1; i >= 0; i--) {
        x[i] = R[i][n];
        for (let j = i + 1; j < n; j++) x[i] -= R[i][j] * x[j];
        x[i] /= R[i][i];
    }
    return x;
}

module.exports = {cholesky, forward, backward, jacobi_svd, pseudo, eliminate};
