// The equations of a model and their solution, by the oracle's own way: derivatives of the trees
// (term.js), then the General Gauss solution through singular values
//     z = a + L^-T P^+ R (b - A a),  a = M^-1 Q,  M = L L^T,  W = R^2,  P = R A L^-T
//     lambda = R (P P^T)^+ R (b - A a), the one of least W^-1 norm.
// Where M is singular, M + A^T W A and Q + A^T W b stand for M and Q.
//
// A model here: `terms` (Terms), `names`, `lagrangian` (tree), `forces` [[i, tree]], `rows`
// [{name, kind, phi, weight}] with kind 0, 1, 2 for what stands in phi at most: coordinates,
// velocities, accelerations.
'use strict';
const {cholesky, forward, backward, pseudo} = require('./small_matrix.js');

// Trees of M, Q, A, b: a list in which `entries` says what each is.
function equations(model) {
    const T = model.terms, n = model.names.length;
    const L = T.smooth(model.lagrangian), outputs = [], entries = [];
    const put = (what, i, j, tree) => {
        if (!(tree.op === 'num' && tree.extra === 0)) {
            outputs.push(tree);
            entries.push([what, i, j]);
        }
    };
    const along = (tree) => { // d/dt without accelerations
        const parts = [T.diff(tree, 't', 0)];
        for (let j = 0; j < n; j++) parts.push(T.times(T.diff(tree, 'q', j), T.v(j)));
        return T.add(...parts);
    };
    for (let i = 0; i < n; i++) {
        const p = T.diff(L, 'v', i);
        for (let j = 0; j <= i; j++) put('M', i, j, T.diff(p, 'v', j));
        put('Q', i, 0, T.sub(T.diff(L, 'q', i), along(p)));
    }
    for (const [i, tree] of model.forces) put('Q', i, 0, T.smooth(tree));
    model.rows.forEach((row, k) => {
        let phi = T.smooth(row.phi);
        const by = ['q', 'v', 'a'][row.kind];
        for (let j = 0; j < n; j++) put('A', k, j, T.diff(phi, by, j));
        if (row.kind === 0) put('b', k, 0, T.neg(along(along(phi))));
        if (row.kind === 1) put('b', k, 0, T.neg(along(phi)));
        if (row.kind === 2) put('b', k, 0, T.neg(phi)); // at a = 0
    });
    return {outputs, entries};
}

class Principle {
    constructor(model) {
        this.model = model;
        this.n = model.names.length;
        this.m = model.rows.length;
        const {outputs, entries} = equations(model);
        this.entries = entries;
        this.values = new Array(outputs.length).fill(0);
        this.run = model.terms.compile(outputs);
        this.zero = new Array(this.n).fill(0);
        this.root = model.rows.map((row) => Math.sqrt(row.weight ?? 1));
    }

    // M, Q, A, b at a state.
    matrices(t, q, v, S) {
        const {n, m} = this, square = (rows, columns) => Array.from({length: rows}, () => new Array(columns).fill(0));
        const out = {M: square(n, n), Q: new Array(n).fill(0), A: square(m, n), b: new Array(m).fill(0)};
        this.run(q, v, t, S, this.zero, this.values);
        this.entries.forEach(([what, i, j], k) => {
            const x = this.values[k];
            if (what === 'Q') out.Q[i] += x;
            else if (what === 'b') out.b[i] += x;
            else if (what === 'A') out.A[i][j] = x;
            else { out.M[i][j] = x; out.M[j][i] = x; }
        });
        return out;
    }

    // Accelerations and multipliers at a state.
    solve(t, q, v, S) {
        const e = this.matrices(t, q, v, S);
        return this.answer(e);
    }

    answer(e) {
        let {M, Q} = e;
        const {A, b} = e, {n, m, root} = this;
        let L = cholesky(M);
        if (!L) {
            M = M.map((row) => row.slice());
            Q = Q.slice();
            for (let k = 0; k < m; k++)
                for (let i = 0; i < n; i++) {
                    const f = root[k] * root[k] * A[k][i];
                    Q[i] += f * b[k];
                    for (let j = 0; j < n; j++) M[i][j] += f * A[k][j];
                }
            L = cholesky(M);
            if (!L) return null;
        }
        const a = backward(L, forward(L, Q));
        if (m === 0) return {a, lambda: [], rank: 0, conflict: 0, e};
        const y = b.map((x, k) => root[k] * (x - A[k].reduce((s, c, j) => s + c * a[j], 0)));
        const P = pseudo(A.map((row, k) => forward(L, row.map((c) => c * root[k]))));
        const move = backward(L, P.times(y));
        const z = a.map((x, i) => x + move[i]);
        const off = A.map((row, k) => Math.abs(row.reduce((s, c, j) => s + c * z[j], -b[k])) / (1 + Math.abs(b[k])));
        return {
            a: z, conflict: Math.max(...off), lambda: P.least(y).map((x, k) => x * root[k]),
            rank: P.rank, smallest: P.smallest, null_rows: P.null_rows, e,
        };
    }
}

module.exports = {Principle};
