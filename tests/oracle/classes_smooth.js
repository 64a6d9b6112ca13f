// Smooth, well-scaled, consistent models: all of them must be right, and plainly so. Random kinetic
// energies with coupled, bent mass matrices, potentials, drives, damping; constraints on positions,
// velocities (linear or not) and accelerations, moving ones, repeated ones.
'use strict';
const {model_of, hold, fit_velocities} = require('./build_model.js');
const {Motion} = require('./held.js');

const NAMES = ['x', 'y', 'z', 'u', 'w', 's'];

// A smooth function of some coordinates and perhaps of time.
function shape(T, r, n, timed) {
    const parts = [];
    for (let k = 0; k < r.whole(1, 3); k++) {
        const i = r.whole(0, n - 1), j = r.whole(0, n - 1), c = r.either(0.3, 1.5);
        parts.push(r.of([
            () => T.mul(c, T.q(i)),
            () => T.mul(c, T.square(T.q(i))),
            () => T.mul(c, T.q(i), T.q(j)),
            () => T.mul(c, T.sin(T.q(i))),
            () => T.mul(c, T.cos(T.sub(T.q(i), T.q(j)))),
            () => T.mul(c, T.exp(T.mul(0.3, T.q(i)))),
            () => T.mul(c, T.sqrt(T.add(1, T.square(T.q(i))))),
        ])());
    }
    if (timed) parts.push(T.mul(r.either(0.1, 0.5), T.sin(T.mul(r.in(0.5, 3), T.t))));
    return T.add(...parts);
}

function energies(T, m, r, n) {
    for (let i = 0; i < n; i++) m.kinetic.push(T.mul(r.in(0.4, 3), 0.5, T.square(T.v(i))));
    for (let k = 0; k < r.whole(0, n); k++) { // coupling that bends: (1 + sin^2) (c . v)^2
        const i = r.whole(0, n - 1), j = r.whole(0, n - 1), h = r.whole(0, n - 1);
        const speed = T.add(T.v(i), T.mul(r.either(0.3, 1), T.v(j)));
        m.kinetic.push(T.mul(r.in(0.1, 0.8), T.add(1, T.square(T.sin(T.q(h)))), T.square(speed)));
    }
    for (let i = 0; i < n; i++) if (r.yes(0.8)) m.potential.push(T.mul(r.in(0.5, 6), 0.5, T.square(T.q(i))));
    if (r.yes()) m.potential.push(T.mul(r.in(0.3, 2), T.cos(T.q(r.whole(0, n - 1)))));
}

function loads(T, m, r, n) {
    for (let i = 0; i < n; i++) {
        if (r.yes(0.3)) m.forces.push([i, T.mul(-r.in(0.05, 0.8), T.v(i))]);
        if (r.yes(0.3)) m.forces.push([i, T.mul(r.either(0.2, 2), T.cos(T.mul(r.in(0.5, 6), T.t)))]);
    }
    if (n > 1 && r.yes(0.3)) { // gyroscopic
        const c = r.either(0.2, 1.5);
        m.forces.push([0, T.mul(c, T.v(1))], [1, T.mul(-c, T.v(0))]);
    }
}

function constraints(T, m, r, n) {
    const free = r.whole(1, n);
    for (let k = 0; m.rows.length < n - free; k++) {
        const name = `c${k}`;
        if (r.yes(0.6)) hold(T, m, name, shape(T, r, n, r.yes(0.4)));
        else if (r.yes(0.8)) { // a row on velocities, linear or not
            let f = T.mul(r.either(0.3, 1), T.v(r.whole(0, n - 1)));
            for (let i = 0; i < n; i++)
                f = T.plus(f, T.mul(r.either(0.2, 1), r.yes() ? T.cos(T.q(r.whole(0, n - 1))) : 1, T.v(i)));
            if (r.yes(0.3)) f = T.add(f, T.mul(r.either(0.1, 0.4), T.square(T.v(r.whole(0, n - 1)))));
            m.rows.push({name, kind: 1, phi: T.sub(f, r.yes(0.3) ? T.mul(0.3, T.sin(T.t)) : 0)});
        } else
            m.rows.push(
                {name, kind: 2, phi: T.add(T.a(r.whole(0, n - 1)), T.mul(r.in(0.5, 2), T.v(0)), T.mul(r.in(0.5, 3), T.q(0)))});
    }
    const row = r.of(m.rows);
    if (row && row.kind < 2 && r.yes(0.25)) m.rows.push({name: 'again', kind: row.kind, phi: T.mul(r.either(0.5, 2), row.phi)});
    if (m.rows.length && r.yes(0.2)) for (const c of m.rows) c.weight = r.in(0.2, 5);
}

// A state without mass that a row on velocities leads: s' = f(q).
function massless(T, m, r, n) {
    m.names.push('s_');
    m.start.q.push(r.in(-1, 1));
    m.start.v.push(0);
    m.rows.push({name: 'lead', kind: 1, phi: T.sub(T.v(n), T.add(shape(T, r, n, r.yes()), T.mul(-r.in(0.2, 1), T.q(n))))});
}

function smooth(r) {
    const n = r.whole(1, 5);
    let good = true;
    const model = model_of(NAMES.slice(0, n), (T, m) => {
        m.start = {q: NAMES.slice(0, n).map(() => r.either(0.1, 1.2)), v: NAMES.slice(0, n).map(() => r.either(0.1, 1.5))};
        Object.assign(
            m, {tol: r.of([1e-6, 1e-8, 1e-9, 1e-10]), until: r.in(0.5, 4), method: r.of([null, null, null, 'dopri5', 'auto'])});
        energies(T, m, r, n);
        loads(T, m, r, n);
        if (n > 1 && r.yes(0.75)) constraints(T, m, r, n);
        if (n > 1 && m.rows.length < n && r.yes(0.15)) massless(T, m, r, n);
        m.words = r.of([[], [], [], ['--solver=dense'], ['--solver=sparse'], ['--kernel=bytecode']]);
        m.full = r.yes(0.4) && !m.rows.some((row) => row.name === 'again');
        good = fit_velocities(T, m) && m.start.v.every((x) => Math.abs(x) < 10);
    });
    return good && well_placed(model) ? model : null;
}

// Whether the rows stay clear of singular places: then, and only then, this is a smooth model.
function well_placed(model, conflicts = false) {
    let rank = null;
    try {
        const fine = {...model, at: [...Array(41).keys()].map((k) => (k === 40 ? model.until : (model.until * k) / 40))};
        for (const row of new Motion(fine, {tol: 1e-8}).rows()) {
            rank ??= row.rank;
            const size = Math.max(...row.q.map(Math.abs), ...row.v.map(Math.abs), ...row.a.map(Math.abs));
            if (row.conflict > 1e-9 !== conflicts) return false;
            if (row.rank !== rank || !(size < 200) || (row.smallest < 1e-2 && row.rank === model.rows.length)) return false;
        }
    } catch { return false; }
    return true;
}

module.exports = {
    well_placed, energies, loads, shape, NAMES,
    classes: [{name: 'smooth', portion: 4, must: 'right', make: smooth}],
};
