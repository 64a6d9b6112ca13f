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
    const small = {...model, terms: T, names: ['s'], rows: [], whens: [], answer: null, start: {q: [begin], v: [rate]},
        lagrangian: carry(T, model.lagrangian, trees, first), forces: [], apart: false, unit: undefined};
    const forms = trees.flatMap((tree, i) => [tree, first[i], second[i]]);
    const run = T.compile(forms);
    for (const [i, tree] of model.forces) small.forces.push([0, T.times(first[i], carry(T, tree, trees, first))]);
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

// A tree of the model as one of s: q[i] becomes its map, v[i] the map's slope times s'.
function carry(T, node, trees, first, done = new Map()) {
    if (done.has(node)) return done.get(node);
    let out;
    if (node.op === 'q') out = trees[node.extra];
    else if (node.op === 'v') out = T.times(first[node.extra], T.v(0));
    else {
        const w = node.args.map((x) => carry(T, x, trees, first, done));
        switch (node.op) {
        case '+': out = T.plus(...w); break;
        case '*': out = T.times(...w); break;
        case '/': out = T.div(...w); break;
        case '^': out = T.pow(w[0], node.extra); break;
        case 'num': out = T.num(node.extra); break;
        case 't': out = T.t; break;
        default: out = T.call(node.op, w[0]);
        }
    }
    done.set(node, out);
    return out;
}

module.exports = {reduce};
