// Constraints that contradict each other: always, from a moment on, for a while; on accelerations,
// on velocities and positions. The motion is the principle's: least squares with the weights.
//
// Rows on accelerations that contradict a position: the principle gives accelerations, the position
// drifts off its constraint by just these, and what a conflict has left when it ends stays. A run
// that brings it back instead has to say so.
'use strict';
const {model_of, fit_velocities, times} = require('./build_model.js');
const {pseudo} = require('./small_matrix.js');
const {round} = require('./chance.js');
const {well_placed, energies, loads, shape, NAMES} = require('./classes_smooth.js');

const REMARK = /contradict|conflict|least squares|off/;

// Smooth motion under rows that never agree.
function compromise(r) {
    const n = r.whole(1, 4);
    let good = true;
    const model = model_of(NAMES.slice(0, n), (T, m) => {
        Object.assign(m, {until: r.in(0.5, 3), tol: r.of([1e-7, 1e-9]), remark: REMARK, strict: true, full: r.yes(0.3)});
        m.start = {q: m.names.map(() => r.either(0.1, 1)), v: m.names.map(() => r.either(0.1, 1))};
        energies(T, m, r, n);
        loads(T, m, r, n);
        const direction = m.names.map(() => r.either(0.3, 1)), along = T.dot(direction, m.names.map((_, i) => T.a(i)));
        for (let k = 0; k < r.whole(2, 3); k++)
            m.rows.push({
                name: `c${k}`,
                kind: 2,
                weight: r.in(0.3, 4),
                phi: T.sub(T.mul(r.in(0.5, 2), along), r.yes() ? shape(T, r, n, true) : r.either(0.5, 3))
            });
        good = fit_velocities(T, m);
    });
    return good && well_placed(model, true) ? model : null;
}

// A window, a ramp, a wall or a high power of time in what a second row asks for.
function demand(T, r, m, x) {
    const a = r.in(0.2, 0.6) * m.until, b = a + r.in(0.05, 0.3) * m.until, c = r.either(0.5, 3);
    const way = r.whole(0, 3);
    if (way === 3) return T.mul(c, T.pow(T.mul(1 / m.until, T.t), r.whole(8, 30))); // no moment is known
    if (way === 0) {
        m.breaks = [a, b];
        return T.between(T.sub(T.t, a), T.sub(b, T.t), c, 0);
    }
    if (way === 1) {
        m.breaks = [a];
        return T.mul(c, T.max(0, T.sub(T.t, a)));
    }
    return T.mul(c, T.max(0, T.sub(x, r.in(0.2, 0.8)))); // where x has come so far
}

// Two rows that agree until a moment: on positions, velocities or accelerations, and on accelerations.
function begins(r) {
    const model = model_of(['x', 'y'], (T, m) => {
        Object.assign(m, {until: r.in(1.5, 4), tol: r.of([1e-6, 1e-8, 1e-10]), remark: REMARK, strict: true, longest: 0.05});
        const speed = r.either(0.3, 1), mirror = r.of([1, -1]);
        m.kinetic.push(T.mul(r.in(0.3, 2), T.square(T.v(0))), T.mul(r.in(0.3, 2), T.square(T.v(1))));
        m.potential.push(T.mul(r.in(0.3, 2), T.square(T.sub(T.q(1), T.q(0)))));
        m.start.v[0] = mirror * speed;
        m.start.q[1] = r.either(0, 1);
        const x = T.mul(mirror, T.q(0)), kind = r.whole(0, 2);
        const first = [T.sub(T.q(0), T.mul(mirror * speed, T.t)), T.sub(T.v(0), mirror * speed), T.a(0)][kind];
        m.rows.push({name: 'drive', kind, phi: first, weight: r.yes() ? r.in(0.3, 3) : undefined});
        m.rows.push({name: 'servo', kind: 2, phi: T.sub(T.a(0), T.mul(mirror, demand(T, r, m, speed > 0 ? x : T.neg(x))))});
        if (r.yes(0.3)) m.rows.push({name: 'more', kind: 2, phi: T.mul(2, m.rows[1].phi)});
        m.at = times(0, m.until, 6);
    });
    return model;
}

// Positions that cannot all be met: A q = c(t) with more rows than directions, accepted. Least squares
// of the rows first, then the nearest in M; free directions go on by themselves.
function accepted(r) {
    const n = r.whole(1, 3), names = NAMES.slice(0, n), rank = r.whole(1, n), count = rank + r.whole(1, 2);
    const basis = [...Array(rank)].map(() => names.map(() => r.either(0.3, 1)));
    const model = model_of(names, (T, m) => {
        Object.assign(m, {until: r.in(0.5, 3), tol: r.of([1e-7, 1e-9]), remark: REMARK, strict: true, accept: true});
        const mass = names.map(() => r.in(0.5, 3));
        names.forEach((_, i) => m.kinetic.push(T.mul(0.5 * mass[i], T.square(T.v(i)))));
        names.forEach((_, i) => { if (r.yes()) m.potential.push(T.mul(r.in(0.5, 3), 0.5, T.square(T.q(i)))); });
        const A = [], aim = [];
        for (let k = 0; k < count; k++) {
            const mix = basis.map(() => (k < rank ? 0 : r.either(0.3, 1)));
            if (k < rank) mix[k] = 1;
            A.push(names.map((_, j) => basis.reduce((s, b, i) => s + mix[i] * b[j], 0)));
            const [c, d, w] = [r.either(0.2, 1), r.yes() ? r.either(0.1, 1) : 0, r.in(0.5, 3)];
            aim.push({at: c, rate: d * w, tree: T.add(c, T.mul(d, T.sin(T.mul(w, T.t))))});
            m.rows.push({name: `c${k}`, kind: 0, weight: r.yes() ? r.in(0.3, 3) : undefined,
                phi: T.sub(T.dot(A[k], names.map((_, i) => T.q(i))), aim[k].tree)});
        }
        m.written = {q: names.map(() => r.either(0, 1)), v: names.map(() => r.either(0, 1))};
        m.start = {
            q: nearest(m, A, mass, aim.map((c) => c.at), m.written.q),
            v: nearest(m, A, mass, aim.map((c) => c.rate), m.written.v)
        };
    });
    return model;
}

// Of all x for which A x - c is least in W the nearest to y in the masses.
function nearest(m, A, mass, c, y) {
    const root = mass.map(Math.sqrt), w = m.rows.map((row) => Math.sqrt(row.weight ?? 1));
    const P = pseudo(A.map((row, k) => row.map((x, j) => (w[k] * x) / root[j])));
    const move = P.times(A.map((row, k) => w[k] * (c[k] - row.reduce((s, x, j) => s + x * y[j], 0))));
    return y.map((x, j) => x + move[j] / root[j]);
}

// Two spheres (circles) that do not meet, seen along the line of their centres: the point rests or
// moves on the compromise x = d/2 of equal spheres, where by symmetry y'' is that of the principle.
function spheres(r) {
    return model_of(['x', 'y', 'z'], (T, m) => {
        const R = r.in(0.5, 1.2), d = round(R * r.in(2.2, 4));
        Object.assign(m, {until: r.in(0.3, 1), tol: r.of([1e-7, 1e-9]), remark: REMARK, strict: true, accept: true});
        m.kinetic.push(T.mul(r.in(0.5, 2), T.add(T.square(T.v(0)), T.square(T.v(1)), T.square(T.v(2)))));
        const circle = (c) => T.sub(T.add(T.square(T.sub(T.q(0), c)), T.square(T.q(1)), T.square(T.q(2))), R * R);
        m.rows.push({name: 'left', kind: 0, phi: circle(0)}, {name: 'right', kind: 0, phi: circle(d)});
        m.written = {q: [round(d * r.in(0.3, 0.7)), 0, 0], v: [0, 0, 0]};
        m.start = {q: [d / 2, 0, 0], v: [0, 0, 0]};
        if (r.yes()) m.forces.push([0, T.num(r.either(0.3, 2))]);
    });
}

module.exports = {
    classes: [
        {name: 'compromise', portion: 2, make: compromise},
        {name: 'conflict_begins', portion: 3, make: begins},
        {name: 'accept', portion: 2, must: 'run', make: accepted},
        {name: 'accept_spheres', portion: 0.5, must: 'run', make: spheres},
    ],
};
