// Mechanisms with one freedom of which the oracle knows the branch: every coordinate is a function of
// one angle (or way) s, and the motion of s alone is computed. Where the constraints lose their rank
// this goes on as if nothing were there, which is what the mechanism does.
'use strict';
const {Motion} = require('./held.js');
const {Terms} = require('./term.js');

// Gives a model the answer by s: `maps(T, s)` are its coordinates as trees of s; `begin` and `rate`
// are the start of s. Kinetic and potential energies and forces are taken over by substitution.
// With `driven`, s is this function of time: [s, s', s''].
function reduce(model, maps, begin, rate, driven) {
    const T = new Terms(['s']), s = T.q(0), trees = maps(T, s);
    const first = trees.map((x) => T.diff(x, 'q', 0)), second = first.map((x) => T.diff(x, 'q', 0));
    const by = {q: (i) => trees[i], v: (i) => T.times(first[i], T.v(0)), t: T.t};
    const small = {...model, terms: T, names: ['s'], rows: [], whens: [], answer: null, start: {q: [begin], v: [rate]},
        lagrangian: T.carry(model.lagrangian, by), forces: [], apart: false, unit: undefined};
    const forms = trees.flatMap((tree, i) => [tree, first[i], second[i]]);
    const run = T.compile(forms);
    for (const [i, tree] of model.forces) small.forces.push([0, T.times(first[i], T.carry(tree, by))]);
    const state = (t, q, v, a) => {
        const out = new Array(forms.length);
        run([q], [v], t, [], [0], out);
        const pick = (k) => trees.map((_, i) => out[3 * i + k]);
        const d = pick(1), e = pick(2);
        return {t, q: pick(0), v: d.map((x) => x * v), a: d.map((x, i) => x * a + e[i] * v * v)};
    };
    model.start = (({q, v}) => ({q, v}))(state(0, begin, rate, 0));
    model.answer = ({tol, change = null}) => {
        if (driven) return model.at.map((t) => state(t, ...driven(t)));
        const inner = {...small, at: model.at};
        return new Motion(inner, {tol, change: change ? [change[0], change[model.names.length]] : null}).rows()
            .map((row) => state(row.t, row.q[0], row.v[0], row.a[0]));
    };
    return model;
}

module.exports = {reduce};
