// The same model in other units: lengths, energies and times of models of other classes are multiplied
// by powers of ten, by putting 1e-6*x for each x of the text. The motion is the same one; the command's
// numbers are brought back to the old units and judged there.
'use strict';
const {Terms} = require('./term.js');
const {fields} = require('./judge.js');
const CONDITIONS = require('./classes_conditions.js').classes, SMOOTH = require('./classes_smooth.js').classes;
const CONFLICTS = require('./classes_conflicts.js').classes;

// x = length X, t = time T; the Lagrangian by `energy`, which multiplies forces on X by energy length.
// keep: weights stay as they are, and the compromise is another one, perhaps of rows that hardly count.
function in_units(model, {length, energy, time, keep}) {
    const T = new Terms(model.names), by = {
        q: (i) => T.mul(length, T.q(i)),
        v: (i) => T.mul(length / time, T.v(i)),
        a: (i) => T.mul(length / time / time, T.a(i)),
        t: T.mul(time, T.t)
    };
    const take = (tree) => T.carry(tree, by), times = (tree, f) => T.mul(f, take(tree));
    const old = (s) => ({q: s.q.map((x) => x / length), v: s.v.map((x) => (x * time) / length)});
    const other = {
        ...model, terms: T, from: (model.from ?? 0) / time, until: model.until / time,
        kinetic: model.kinetic.map((x) => times(x, energy)), potential: (model.potential ?? []).map((x) => times(x, energy)),
        forces: model.forces.map(([i, x]) => [i, times(x, energy * length)]),
        rows: model.rows.map((row) => ({...row, phi: take(row.phi), weight: keep ? row.weight : weight_in(row, 1 / weight_factor(row, time))})),
        whens: (model.whens ?? []).map((w) => ({...w, guard: take(w.guard),
            sets: w.sets.map((s) => ({...s, to: T.mul(s.kind === 'v' ? time / length : 1 / length, take(s.to))}))})),
        start: old(model.start), written: model.written ? old(model.written) : undefined};
    const factor = {q: length, v: length / time, a: length / time / time};
    const columns = fields(model).filter((c) => factor[c.kind]).map((c) => ({...c, factor: factor[c.kind]}));
    const rows = model.rows.map((row) => ({...row, weight: keep ? weight_in(row, weight_factor(row, time)) : row.weight}));
    return {...model, rows, columns, units: {model: other, time}};
}

// A row is differentiated until accelerations stand in it, each time by another time: the same weight
// asks for another compromise of rows in conflict. By so much it has to be divided.
function weight_factor(row, time) { return time ** (2 * (2 - row.kind)); }

function weight_in(row, factor) {
    return factor === 1 ? row.weight : Number(((row.weight ?? 1) * factor).toPrecision(15));
}

function units(kinds) {
    return (r, number) => {
        const model = r.of(kinds).make(r, number);
        if (!model || model.answer || model.columns || model.examine) return null;
        const power = (n) => 10 ** r.whole(-n, n);
        return in_units(model, {length: power(9), energy: power(9), time: r.yes() ? 1 : power(6), keep: r.yes(0.3)});
    };
}

const pick = (list, names) => list.filter((c) => names.includes(c.name));

module.exports = {
    classes :
    [
        {name : 'smooth_units', portion : 3, make : units(SMOOTH)},
        {
            name : 'condition_units',
            portion : 2,
            make : units(pick(CONDITIONS, ['window', 'timed_elsewhere', 'kink', 'chatter', 'relay', 'firings']))
        },
        {name : 'conflict_units', portion : 1, make : units(pick(CONFLICTS, ['compromise', 'conflict_begins']))},
    ],
};
