// Bodies and joints of the modules against second formulations: Newton and Euler's equations for a
// body in space, angles for bars in the plane. Smooth models with large turns: all must be right.
'use strict';
const {model_of, fit_velocities, times} = require('./build_model.js');
const {round} = require('./chance.js');
const {eliminate} = require('./small_matrix.js');
const {Motion, extrapolate} = require('./held.js');

// ---------------------------------------------------------------------------- in space

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const times_matrix = (A, x) => A.map((row) => row.reduce((s, c, j) => s + c * x[j], 0));
const turn = ([a, b, c, d]) => [
    [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
    [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
    [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d]];
const across = (A) => A[0].map((_, j) => A.map((row) => row[j]));
// q' for the angular velocity W in body axes.
const spin = ([a, b, c, d],
    [x, y, z]) => [-b * x - c * y - d * z, a * x + c * z - d * y, a * y + d * x - b * z, a * z + b * y - c * x].map((k) => k / 2);

// Inertia of a real body: the sum of any two principal moments exceeds the third.
function inertia(r) {
    const [a, b, c] = [r.in(0.05, 0.5), r.in(0.05, 0.5), r.in(0.05, 0.5)];
    return [round(b + c), round(a + c), round(a + b)];
}

// Steps of y' = f(t, y) to the times, to a tolerance of each step.
function go(f, y, at, tol) {
    const out = [];
    let t = 0, h = 0.02;
    for (const end of at) {
        while (t < end) {
            const used = Math.min(h, end - t), step = extrapolate(f, t, y, used),
                  e = Math.max(...step.error.map((x, i) => Math.abs(x) / (1 + Math.abs(y[i]))));
            h = used * Math.min(3, 0.8 * (tol / Math.max(e, 1e-300)) ** (1 / 13));
            if (e > tol) continue;
            [t, y] = [used === end - t ? end : t + used, step.y];
        }
        out.push({t: end, y});
    }
    return out;
}

// A body that flies, or turns about a point that is held; gravity, a torque fixed in it.
function body(r) {
    const held = r.yes(), J = inertia(r), mass = r.in(0.5, 3), g = r.yes(0.8) ? 9.81 : 0;
    const s = held ? [r.in(-0.3, 0.3), r.in(-0.3, 0.3), r.in(0.2, 0.6)] : [0, 0, 0]; // from the held point to the centre
    const axis = [r.in(-1, 1), r.in(-1, 1), r.in(0.2, 1)], angle = r.in(0, 3), long = Math.hypot(...axis);
    const q0 = [Math.cos(angle / 2), ...axis.map((x) => (x / long) * Math.sin(angle / 2))], R0 = turn(q0);
    const W0 = [0, 0, 0].map(() => r.either(0, 8)),
          v0 = held ? cross(times_matrix(R0, W0), times_matrix(R0, s)) : [r.in(-1, 1), r.in(-1, 1), r.in(-1, 1)];
    const centre = times_matrix(R0, s), torque = r.yes(0.3) ? [r.in(-1, 1), r.in(-1, 1), r.in(-1, 1)] : [0, 0, 0];
    const list = (x) => `[${x.join(', ')}]`, until = r.in(1, 4), tol = r.of([1e-7, 1e-9, 1e-10]);
    const text =
        `use rigid\npart ground = Ground()\npart b = Body(m = ${mass}, J = diagonal(${J.join(', ')}), at = ${list(centre)}, ` +
        `turned = axis_angle(${list(axis)}, ${angle}), v0 = ${list(v0)}, W0 = ${list(W0)}, gravity = [0, 0, ${- g}])\n` +
        `${held ? 'part pin = Ball(ground, b, at = [0, 0, 0])\n' : ''}${
            torque[0] ? `part push = Torque(b, T_a = ${list(torque)})\n` : ''}` +
        `simulate t = 0..${until}, tol = ${tol}\n`;
    // about the held point (or the centre): J' W' = s x R^T m g + torque - W x J' W
    const s2 = s.reduce((x, c) => x + c * c, 0);
    const about = J.map((j, i) => J.map((_, k) => (i === k ? j + mass * s2 : 0) - mass * s[i] * s[k]));
    const rate = (q, W) => {
        const weight = times_matrix(across(turn(q)), [0, 0, -mass * g]), load = cross(s, weight),
              gyro = cross(W, times_matrix(about, W));
        return eliminate(about, load.map((x, i) => x + torque[i] - gyro[i]));
    };
    const f = (t, y) => [...spin(y.slice(0, 4), y.slice(4, 7)), ...rate(y.slice(0, 4), y.slice(4, 7))];
    const at = times(0, until, 4);
    const state = (t, y) => {
        const q = y.slice(0, 4), W = y.slice(4, 7), R = turn(q), a = rate(q, W);
        const place = held ? times_matrix(R, s) : centre.map((x, i) => x + v0[i] * t - (i === 2 ? g * t * t / 2 : 0));
        const pull = cross(a, s).map((x, i) => x + cross(W, cross(W, s))[i]), acc = times_matrix(R, pull);
        return {t, q: [...place, ...q], v: W, lambda: acc.map((x, i) => mass * ((i === 2 ? -g : 0) - x))};
    };
    const names = ['b.r[1]', 'b.r[2]', 'b.r[3]', 'b.q[1]', 'b.q[2]', 'b.q[3]', 'b.q[4]'];
    const columns = names.map((name, i) => ({name, kind: 'q', of: (row) => row.q[i]}));
    if (held) [0, 1, 2].forEach((i) => columns.push({name: `pin.F[${i + 1}]`, kind: 'm', of: (row) => row.lambda[i]}));
    const start = [...q0, ...W0];
    const answer = ({tol: fine, change = null}) =>
        go(f, start.map((x, i) => x + (change ? change[i] : 0)), at, fine).map(({t, y}) => state(t, y));
    return {text, columns, answer, at, until, tol, names, rows: [], start: {q: start, v: []}};
}

// A disc that rolls on a plane, by the angles of Euler and two rows on velocities.
function disc(r) {
    const R = r.in(0.2, 0.8), mass = r.in(0.5, 3), g = 9.81, J3 = round(mass * R * R * r.in(0.4, 0.6)),
          J1 = round(J3 * r.in(0.55, 0.9));
    const model = model_of(['x', 'y', 'a', 'b', 'c'], (T, m) => { // a, b, c: about z, the new x, the new z
        const [A, B] = [T.q(2), T.q(3)], [da, db, dc] = [T.v(2), T.v(3), T.v(4)], spin = T.add(T.mul(da, T.cos(B)), dc);
        m.kinetic.push(T.mul(mass / 2, T.add(T.square(T.v(0)), T.square(T.v(1)), T.square(T.mul(R, db, T.cos(B))))));
        m.kinetic.push(T.mul(J1 / 2, T.add(T.square(T.mul(da, T.sin(B))), T.square(db))), T.mul(J3 / 2, T.square(spin)));
        m.potential.push(T.mul(mass * g * R, T.sin(B)));
        m.rows.push(
            {name: 'along', kind: 1, phi: T.sub(T.v(0), T.mul(R, T.sub(T.mul(db, T.sin(A), T.sin(B)), T.mul(spin, T.cos(A)))))});
        m.rows.push(
            {name: 'across', kind: 1, phi: T.add(T.v(1), T.mul(R, T.add(T.mul(db, T.cos(A), T.sin(B)), T.mul(spin, T.sin(A)))))});
        m.start = {
            q: [r.in(-1, 1), r.in(-1, 1), r.in(-3, 3), r.in(1, 2.1), r.in(-3, 3)],
            v: [0, 0, r.in(-2, 2), r.in(-1, 1), r.either(3, 12)]
        };
        const [, , a, b] = m.start.q, [, , wa, wb, wc] = m.start.v, s = wa * Math.cos(b) + wc;
        m.start.v[0] = R * (wb * Math.sin(a) * Math.sin(b) - s * Math.cos(a));
        m.start.v[1] = -R * (wb * Math.cos(a) * Math.sin(b) + s * Math.sin(a));
        Object.assign(m, {until: r.in(0.5, 2), tol: r.of([1e-7, 1e-9]), longest: 0.05});
        m.at = times(0, m.until, 4);
    });
    const [x, y, a, b, c] = model.start.q, [vx, vy, wa, wb, wc] = model.start.v, list = (v) => `[${v.join(', ')}]`;
    const w = [
        wb * Math.cos(a) + wc * Math.sin(a) * Math.sin(b), wb * Math.sin(a) - wc * Math.cos(a) * Math.sin(b),
        wa + wc * Math.cos(b)
    ];
    model.text = `use rigid\npart wheel = Disc(${R})\npart b = Body(m = ${mass}, J = diagonal(${J1}, ${J1}, ${J3}), at = ${
                     list([x, y, R * Math.sin(b)])}, ` +
        `turned = euler(${a}, ${b}, ${c}), v0 = ${list([vx, vy,
            R * wb * Math.cos(b)])}, w0 = ${list(w)}, gravity = [0, 0, ${- g}])\n` +
        `part table = Roll(b, wheel)\nsimulate t = 0..${model.until}, tol = ${model.tol}\n`;
    const up = (row) => R * (row.a[3] * Math.cos(row.q[3]) - row.v[3] ** 2 * Math.sin(row.q[3]));
    model.columns = [
        {name: 'b.r[1]', kind: 'q', of: (row) => row.q[0]}, {name: 'b.r[2]', kind: 'q', of: (row) => row.q[1]},
        {name: 'b.r[3]', kind: 'q', of: (row) => R * Math.sin(row.q[3])},
        {name: 'table.F[1]', kind: 'm', of: (row) => mass * row.a[0]},
        {name: 'table.F[3]', kind: 'm', of: (row) => mass * (up(row) + g)}
    ];
    const lying = new Motion({...model, at: [...Array(21).keys()].map((k) => (model.until * k) / 20)}, {
        tol: 1e-8
    }).rows().some((row) => Math.abs(Math.sin(row.q[3])) < 0.3);
    return lying ? null : model;
}

// ---------------------------------------------------------------------------- in the plane

// A chain of bars, perhaps closed to the ground: by its angles.
function bars(r) {
    const count = r.whole(1, 3), closed = count === 3 && r.yes(), g = 9.81, tol = r.of([1e-7, 1e-9]), until = r.in(0.5, 2);
    const long = [...Array(count)].map(() => r.in(0.5, 1.5)), mass = [...Array(count)].map(() => r.in(0.3, 2));
    const angle = [...Array(count)].map(() => r.in(-1.5, 1.5)), lines = ['use planar', 'part ground = Ground()'];
    const ends = [[0, 0]];
    angle.forEach((a, k) => ends.push([ends[k][0] + long[k] * Math.cos(a), ends[k][1] + long[k] * Math.sin(a)]));
    const list = (x) => `[${x.join(', ')}]`;
    for (let k = 0; k < count; k++)
        lines.push(`part b${k} = Bar(${mass[k]}, from = ${list(ends[k])}, to = ${list(ends[k + 1])}, gravity = [0, ${- g}])`);
    lines.push('part h0 = Hinge(ground, b0)');
    for (let k = 1; k < count; k++) lines.push(`part h${k} = Hinge(b${k - 1}, b${k}, at = ${list(ends[k])})`);
    if (closed) lines.push(`part last = Hinge(ground, b${count - 1}, at = ${list(ends[count])})`);
    const names = angle.map((_, k) => `th${k}`);
    const model = model_of(names, (T, m) => {
        let x = T.num(0), y = T.num(0);
        names.forEach((_, k) => { // the centre of each bar is half a bar on
            const [c, s] = [T.cos(T.q(k)), T.sin(T.q(k))], half = long[k] / 2;
            const rate = (f) => T.add(0, ...names.map((__, j) => T.times(T.diff(f, 'q', j), T.v(j))));
            const [u, w] = [T.add(x, T.mul(half, c)), T.add(y, T.mul(half, s))];
            m.kinetic.push(T.mul(mass[k] / 2, T.add(T.square(rate(u)), T.square(rate(w)))),
                T.mul((mass[k] * long[k] ** 2) / 24, T.square(T.v(k))));
            m.potential.push(T.mul(mass[k] * g, w));
            [x, y] = [T.add(x, T.mul(long[k], c)), T.add(y, T.mul(long[k], s))];
        });
        m.start.q = angle.slice();
        m.start.v = angle.map(() => r.in(-2, 2));
        if (closed)
            m.rows.push(
                {name: 'cx', kind: 0, phi: T.sub(x, ends[count][0])}, {name: 'cy', kind: 0, phi: T.sub(y, ends[count][1])});
        fit_velocities(T, m);
        Object.assign(m, {until, tol, at: times(0, until, 4), longest: 0.1});
        if (closed && !steady(m)) m.bad = true;
    });
    if (model.bad) return null;
    names.forEach((_, k) => lines.push(`start b${k}.th' = ${model.start.v[k]}`));
    // what the hinges ask of the centres, so that nothing has to be moved
    let [vx, vy] = [0, 0];
    angle.forEach((a, k) => {
        const w = model.start.v[k], half = long[k] / 2;
        lines.push(`start b${k}.r' = ${list([vx - half * Math.sin(a) * w, vy + half * Math.cos(a) * w])}`);
        [vx, vy] = [vx - long[k] * Math.sin(a) * w, vy + long[k] * Math.cos(a) * w];
    });
    lines.push(`simulate t = 0..${until}, tol = ${tol}`);
    model.text = `${lines.join('\n')}\n`;
    // the angle of a hinge is 0 as made
    const turned = (row, k) => row.q[k] - angle[k];
    model.columns =
        names.map((_, k) => ({name: `h${k}.angle`, kind: 'q', of: (row) => turned(row, k) - (k ? turned(row, k - 1) : 0)}));
    model.columns.push(...names.map((_, k) => ({name: `b${k}.th'`, kind: 'v', of: (row) => row.v[k]})));
    return model;
}

// Whether a closed chain stays clear of its dead points.
function steady(m) {
    m.lagrangian = m.terms.sub(m.terms.add(0, ...m.kinetic), m.terms.add(0, ...m.potential));
    try {
        return new Motion({...m, at: [...Array(41).keys()].map((k) => (m.until * k) / 40)}, {tol: 1e-8})
            .rows()
            .every((row) => row.smallest > 0.03);
    } catch { return false; }
}

module.exports = {
    classes: [
        {name: 'body', portion: 1.5, must: 'right', make: body},
        {name: 'rolling_disc', portion: 1, must: 'right', make: disc},
        {name: 'bars', portion: 1.5, must: 'right', make: bars},
    ],
};
