// What the generators of the classes share: a model from its parts, values of trees at a state, a
// start that satisfies the constraints.
'use strict';
const {Terms} = require('./term.js');
const {pseudo} = require('./small_matrix.js');
const {round} = require('./chance.js');

// A model with these coordinates; `fill(T, model)` writes kinetic, potential, forces, rows.
function model_of(names, fill) {
    const terms = new Terms(names);
    const model = {names, terms, kinetic: [], potential: [], forces: [], rows: [], whens: [], from: 0, until: 1, tol: 1e-9,
        start: {q: names.map(() => 0), v: names.map(() => 0)}};
    fill(terms, model);
    model.lagrangian = terms.sub(terms.add(0, ...model.kinetic), terms.add(0, ...model.potential));
    model.at ??= times(model.from, model.until, 5);
    return model;
}

// count + 1 equal times, the start and the end with them.
function times(from, until, count) {
    return [...Array(count + 1).keys()].map((k) => (k === count ? until : round(from + ((until - from) * k) / count)));
}

// The value of a tree at a state, switches as they are there.
function value_of(T, tree, q, v, t) {
    const S = T.switches.map(() => 1), out = [0], zero = q.map(() => 0);
    for (let pass = 0; pass < 3; pass++)
        T.switches.forEach((s, k) => {
            T.compile([T.smooth(s.guard)])(q, v, t, S, zero, out);
            S[k] = s.whole ? Math.floor(out[0]) : Math.sign(out[0]) || 1;
        });
    T.compile([T.smooth(tree)])(q, v, t, S, zero, out);
    return out[0];
}

// A holonomic row f(q, t) = f at the start, so that the start satisfies it.
function hold(T, model, name, f, more = {}) {
    const c = value_of(T, f, model.start.q, model.start.v, model.from);
    model.rows.push({name, kind: 0, phi: T.sub(f, c), ...more});
}

// Brings the velocities of the start onto the rates of the rows, by the least change; false where
// Newton's method does not arrive.
function fit_velocities(T, model) {
    const n = model.names.length, rows = model.rows.filter((row) => row.kind < 2);
    if (!rows.length) return true;
    const trees = rows.flatMap((row) => {
        const phi = T.smooth(row.phi);
        if (row.kind === 1) return [phi, ...model.names.map((_, j) => T.diff(phi, 'v', j))];
        let rate = T.diff(phi, 't', 0);
        for (let j = 0; j < n; j++) rate = T.plus(rate, T.times(T.diff(phi, 'q', j), T.v(j)));
        return [rate, ...model.names.map((_, j) => T.diff(phi, 'q', j))];
    });
    const run = T.compile(trees), S = T.switches.map(() => 1), zero = new Array(n).fill(0), out = [];
    for (let k = 0; k < 50; k++) {
        run(model.start.q, model.start.v, model.from, S, zero, out);
        const A = rows.map((_, i) => out.slice(i * (n + 1) + 1, (i + 1) * (n + 1))), r = rows.map((_, i) => out[i * (n + 1)]);
        const off = Math.max(...r.map(Math.abs));
        if (off < 1e-15 || (k > 20 && off < 1e-12)) return true;
        const d = pseudo(A).times(r);
        model.start.v = model.start.v.map((x, j) => x - d[j]);
    }
    return false;
}

module.exports = {model_of, times, value_of, hold, fit_velocities};
