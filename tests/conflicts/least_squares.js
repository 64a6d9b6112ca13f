// The General Gauss principle once more, from its definition alone: among all z that minimise
// |A z - b| in the norm of W the one nearest to M^-1 Q in the norm of M. By singular values
// (Jacobi), so that nothing is shared with what is tested; and a motion by it, with an explicit
// method of order 8 made from Gragg's extrapolation, from one change of a condition to the next.
'use strict';

const dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);
const zeros = (m, n) => Array.from({ length: m }, () => new Array(n).fill(0));

// M = L L^T, the lower half.
function cholesky(M) {
    const n = M.length, L = zeros(n, n);
    for (let i = 0; i < n; i++)
        for (let j = 0; j <= i; j++) {
            let s = M[i][j];
            for (let k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            L[i][j] = i === j ? Math.sqrt(s) : s / L[j][j];
        }
    return L;
}

function forward(L, b) { // L^-1 b
    const x = b.slice();
    for (let i = 0; i < x.length; i++) {
        for (let k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
        x[i] /= L[i][i];
    }
    return x;
}

function backward(L, b) { // L^-T b
    const x = b.slice();
    for (let i = x.length - 1; i >= 0; i--) {
        for (let k = i + 1; k < x.length; k++) x[i] -= L[k][i] * x[k];
        x[i] /= L[i][i];
    }
    return x;
}

// P^+ r for the rows of P [m x n], by one-sided Jacobi on the columns of P^T, that is on the rows
// of P; singular values under `small` of the largest count as 0.
function leastSquares(P, r, small = 1e-9) {
    const m = P.length, n = m > 0 ? P[0].length : 0;
    const R = P.map((row) => row.slice()), U = zeros(m, m);
    for (let i = 0; i < m; i++) U[i][i] = 1;
    for (let sweep = 0; sweep < 60; sweep++) {
        let turned = 0;
        const top = Math.max(...R.map((row) => dot(row, row)));
        for (let i = 0; i < m; i++)
            for (let j = i + 1; j < m; j++) {
                const a = dot(R[i], R[i]), b = dot(R[j], R[j]), c = dot(R[i], R[j]);
                if (Math.abs(c) <= 1e-16 * Math.sqrt(a * b) || !(Math.min(a, b) > 1e-26 * top)) continue;
                const z = (b - a) / (2 * c), t = (z < 0 ? -1 : 1) / (Math.abs(z) + Math.hypot(1, z));
                const cs = 1 / Math.hypot(1, t), sn = cs * t;
                turned++;
                for (const X of [R, U])
                    for (let k = 0; k < X[i].length; k++) {
                        const x = X[i][k], y = X[j][k];
                        X[i][k] = cs * x - sn * y;
                        X[j][k] = sn * x + cs * y;
                    }
            }
        if (turned === 0) break;
    }
    const size = R.map((row) => dot(row, row)), most = Math.max(0, ...size);
    const x = new Array(n).fill(0);
    for (let i = 0; i < m; i++) {
        if (!(size[i] > small * small * most)) continue;
        const along = dot(U[i], r) / size[i];
        for (let k = 0; k < n; k++) x[k] += along * R[i][k];
    }
    return x;
}

// z of the principle, weights w [m] of the rows; d: what of b is not reached, in the norm of W.
function principle(M, Q, A, b, w) {
    const L = cholesky(M), m = A.length, root = w.map(Math.sqrt);
    const f = forward(L, Q);
    const P = A.map((row, i) => forward(L, row).map((x) => x * root[i]));
    const r = P.map((row, i) => root[i] * b[i] - dot(row, f));
    const y = m > 0 ? leastSquares(P, r) : f.map(() => 0);
    const left = P.map((row, i) => dot(row, y) - r[i]);
    return { z: backward(L, f.map((x, i) => x + y[i])), lost: Math.sqrt(dot(left, left)) };
}

// One step by Gragg's method with 2, 4, ... substeps, extrapolated: order 2 columns.
function extrapolate(rates, t, y, h, columns) {
    const T = [], first = rates(t, y);
    for (let k = 0; k < columns; k++) {
        const steps = 2 * (k + 1), d = h / steps;
        let before = y, now = y.map((x, i) => x + d * first[i]);
        for (let s = 1; s < steps; s++) {
            const f = rates(t + s * d, now);
            const next = before.map((x, i) => x + 2 * d * f[i]);
            before = now;
            now = next;
        }
        const f = rates(t + h, now);
        T[k] = [now.map((x, i) => 0.5 * (x + before[i] + d * f[i]))];
        for (let j = 1; j <= k; j++) {
            const q = ((k + 1) / (k - j + 1)) ** 2;
            T[k][j] = T[k][j - 1].map((x, i) => x + (x - T[k - 1][j - 1][i]) / (q - 1));
        }
    }
    const e = Math.max(...T[columns - 1][columns - 1].map((x, i) => Math.abs(x - T[columns - 1][columns - 2][i])));
    return { y: T[columns - 1][columns - 1], error: e };
}

// model: rates(t, y, sides), conditions: functions of (t, y) whose sign is a side. The motion from
// `from` to `until`; changes of sides are located by bisection, and a step ends there. Returns the
// end and the times of the changes; null where the motion cannot be resolved.
function move(model, from, until, y) {
    const conditions = model.conditions, sidesAt = (t, x) => conditions.map((c) => c(t, x) > 0);
    let t = from, h = 0.05, sides = sidesAt(t, y).map((s, i) => model.sides ? model.sides[i] : s);
    const changes = [];
    for (let count = 0; t < until; count++) {
        if (count > 200000) throw new Error('no end');
        h = Math.min(h, until - t);
        const rates = (tt, x) => model.rates(tt, x, sides);
        const step = extrapolate(rates, t, y, h, 5);
        const size = 1e-12 * (1 + Math.max(...y.map(Math.abs)));
        if (!(step.error <= size)) {
            if (h < 1e-6) return null;
            h *= 0.5;
            continue;
        }
        const there = sidesAt(t + h, step.y);
        if (there.every((s, i) => s === sides[i])) {
            t += h;
            y = step.y;
            h *= 1.3;
            continue;
        }
        let low = 0, high = h; // the first change lies between
        for (let k = 0; k < 48; k++) {
            const middle = 0.5 * (low + high);
            const x = extrapolate(rates, t, y, middle, 5).y;
            if (sidesAt(t + middle, x).every((s, i) => s === sides[i])) low = middle;
            else high = middle;
        }
        const x = extrapolate(rates, t, y, high, 5).y;
        sides = sidesAt(t + high, x);
        t += high;
        y = x;
        changes.push(t);
    }
    return { y, changes };
}

module.exports = { dot, zeros, cholesky, leastSquares, principle, move };
