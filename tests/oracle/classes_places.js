// Change points and other places where constraints lose their rank: parallelograms, sliders with a
// crank and a rod of equal length, chains of parallelograms, lines that cross. The motion goes through
// them, with rows exactly there, too. A remark that such a place was passed is true.
'use strict';
const {model_of} = require('./build_model.js');
const {round} = require('./chance.js');
const {reduce} = require('./reduced.js');

const REMARK = /singular|branch|rank|depend/;

// A mass at the point with coordinates i, i + 1.
function point(T, m, i, mass, g) {
    m.kinetic.push(T.mul(0.5 * mass, T.add(T.square(T.v(i)), T.square(T.v(i + 1)))));
    if (g) m.potential.push(T.mul(round(mass * g), T.q(i + 1)));
}
const apart = (T, i, j) => T.add(T.square(T.sub(T.q(i), T.q(j))), T.square(T.sub(T.q(i + 1), T.q(j + 1))));
const from = (T, i, x) => T.add(T.square(T.sub(T.q(i), x)), T.square(T.q(i + 1)));

// Start and times: at random, or quarter turns with rows exactly at the places.
function going(m, r, first) {
    m.remark = REMARK;
    m.tol = r.of([1e-6, 1e-8, 1e-9, 1e-10]);
    m.full = false;
    const exact = m.potential.length === 0 && r.yes(0.7);
    if (exact) {
        m.until = 4;
        m.at = [0, 0.5, 1, 1.5, 2, 3, 4];
        return [first, (r.of([1, -1]) * Math.PI) / 2];
    }
    m.until = r.in(2, 5);
    m.at = [0, 0.3, 0.5, 0.8, 1].map((x) => round(x * m.until));
    return [r.in(0.3, 2.8), r.either(1.5, 5)];
}

function accelerations(m) {
    m.columns = [...m.names.map((c, i) => ({name: c, kind: 'q', of: (row) => row.q[i]})),
        ...m.names.map((c, i) => ({name: `${c}'`, kind: 'v', of: (row) => row.v[i]})),
        ...(m.with_accelerations ? m.names.map((c, i) => ({name: `${c}''`, kind: 'a', of: (row) => row.a[i]})) : [])];
    return m;
}

// Points on equal cranks about (0, 0), (d, 0), ..., joined by rods as long as the ground between them.
function parallelogram(r) {
    const count = r.of([2, 2, 2, 3]), names = [];
    for (let k = 0; k < count; k++) names.push(`x${k}`, `y${k}`);
    const R = r.in(0.4, 1.5), feet = [0];
    for (let k = 1; k < count; k++) feet.push(round(feet[k - 1] + r.in(0.5, 2)));
    const g = r.yes(0.5) ? 0 : r.in(1, 5);
    let start;
    const model = model_of(names, (T, m) => {
        feet.forEach((x, k) => {
            point(T, m, 2 * k, r.in(0.5, 2), g);
            m.rows.push({name: `crank${k}`, kind: 0, phi: T.sub(from(T, 2 * k, x), round(R) ** 2)});
            if (k) m.rows.push({name: `rod${k}`, kind: 0, phi: T.sub(apart(T, 2 * k, 2 * k - 2), (x - feet[k - 1]) ** 2)});
        });
        if (count > 2 && r.yes())
            m.rows.push({name: 'long', kind: 0, phi: T.sub(apart(T, 0, 2 * count - 2), feet[count - 1] ** 2)});
        start = going(m, r, Math.PI / 2);
        m.with_accelerations = r.yes(0.4);
    });
    const maps = (T, s) => feet.flatMap((x) => [T.add(x, T.mul(R, T.cos(s))), T.mul(R, T.sin(s))]);
    return accelerations(reduce(model, maps, ...start));
}

// Crank and rod of equal length: the slider goes through the crank's centre.
function slider_crank(r) {
    const L = r.in(0.4, 1.5), g = r.yes() ? 0 : r.in(1, 5);
    let start;
    const model = model_of(['x', 'y', 's'], (T, m) => {
        point(T, m, 0, r.in(0.5, 2), g);
        m.kinetic.push(T.mul(r.in(0.2, 1), T.square(T.v(2))));
        m.rows.push({name: 'crank', kind: 0, phi: T.sub(from(T, 0, 0), L * L)});
        m.rows.push({name: 'rod', kind: 0, phi: T.sub(T.add(T.square(T.sub(T.q(0), T.q(2))), T.square(T.q(1))), L * L)});
        start = going(m, r, 0);
        m.with_accelerations = r.yes(0.4);
    });
    return accelerations(reduce(model, (T, s) => [T.mul(L, T.cos(s)), T.mul(L, T.sin(s)), T.mul(2 * L, T.cos(s))], ...start));
}

// A kite: the crank is as long as the ground, the other two bars are equal. Where the crank lies on the
// ground, both could turn freely about its end; the kite goes through.
function kite(r) {
    const G = r.in(0.5, 1.2), c = round(G * r.in(1.2, 2)), g = r.yes(0.6) ? 0 : r.in(0.5, 3);
    let start;
    const model = model_of(['x', 'y', 'u', 'w'], (T, m) => {
        point(T, m, 0, r.in(0.5, 2), g);
        point(T, m, 2, r.in(0.5, 2), g);
        m.rows.push({name: 'crank', kind: 0, phi: T.sub(from(T, 0, 0), G * G)},
            {name: 'rod', kind: 0, phi: T.sub(apart(T, 0, 2), c * c)});
        m.rows.push({name: 'rocker', kind: 0, phi: T.sub(from(T, 2, G), c * c)});
        Object.assign(m, {remark: REMARK, tol: r.of([1e-6, 1e-8, 1e-9]), with_accelerations: r.yes(0.4), until: r.in(1, 2)});
        m.at = [0, 0.3, 0.5, 0.8, 1].map((x) => round(x * m.until));
        start = [r.in(-1, -0.4), r.in(0.8, 2)];
    });
    const maps = (T, s) => {
        const h = T.mul(0.5, s), [C, S] = [T.cos(h), T.sin(h)], far = T.sqrt(T.sub(c * c, T.mul(G * G, T.square(S))));
        return [
            T.mul(G, T.cos(s)), T.mul(G, T.sin(s)), T.add(G, T.mul(-G, S, S), T.mul(far, C)), T.add(T.mul(G, S, C), T.mul(far, S))
        ];
    };
    return accelerations(reduce(model, maps, ...start));
}

// A parallelogram of bars, by the module for the plane: the coupler does not turn, the cranks turn alike.
function bar_parallelogram(r) {
    const R = r.in(0.4, 1), d = r.in(0.8, 2), mass = [r.in(0.3, 2), r.in(0.3, 2), r.in(0.3, 2)],
          g = r.yes(0.6) ? 0 : r.in(0.5, 4);
    const exact = !g && r.yes(0.7), first = exact ? Math.PI / 2 : r.in(0.5, 2.5),
          rate = exact ? (r.of([1, -1]) * Math.PI) / 2 : r.either(1, 3);
    const tip = [R * Math.cos(first), R * Math.sin(first)], list = (x) => `[${x.join(', ')}]`;
    const far = [tip[0] + d, tip[1]], across = [-tip[1] * rate, tip[0] * rate]; // of the tip
    const bar = (k, a, b) => `part b${k} = Bar(${mass[k]}, from = ${list(a)}, to = ${list(b)}, gravity = [0, ${-g}], ` +
        `w0 = ${k === 1 ? 0 : rate}, v0 = ${list(across.map((x) => (k === 1 ? x : x / 2)))})`;
    const text = (m) => `use planar\npart ground = Ground()\n${bar(0, [0, 0], tip)}\n${bar(1, tip, far)}\n${bar(2, [d, 0], far)}\n` +
        `part h0 = Hinge(ground, b0)\npart h1 = Hinge(b0, b1, at = ${list(tip)})\npart h2 = Hinge(b1, b2, at = ${list(far)})\n` +
        `part h3 = Hinge(ground, b2, at = [${d}, 0])\nsimulate t = 0..${m.until}, tol = ${m.tol}\n`;
    const model = model_of(['s'], (T, m) => {
        m.kinetic.push(T.mul(((mass[0] + mass[2]) * R * R) / 6 + (mass[1] * R * R) / 2, T.square(T.v(0))));
        if (g) m.potential.push(T.mul(((mass[0] + mass[2]) / 2 + mass[1]) * g * R, T.sin(T.q(0))));
        m.start = {q: [first], v: [rate]};
        Object.assign(m, {remark: REMARK, tol: r.of([1e-6, 1e-8, 1e-9]), until: exact ? 4 : r.in(1.5, 4), longest: 0.1});
        m.at = exact ? [0, 0.5, 1, 2, 3, 4] : [0, 0.3, 0.6, 1].map((x) => round(x * m.until));
        m.text = text(m);
    });
    model.columns = [
        {name: 'h0.angle', kind: 'q', of: (row) => row.q[0] - first},
        {name: 'h3.angle', kind: 'q', of: (row) => row.q[0] - first},
        {name: 'b1.r[2]', kind: 'q', of: (row) => R * Math.sin(row.q[0])}, {name: "b0.th'", kind: 'v', of: (row) => row.v[0]},
        {name: "b1.th'", kind: 'v', of: () => 0}
    ];
    return model;
}

// The same driven at a rate: the crank's angle is a coordinate.
function driven(r) {
    const L = r.in(0.4, 1.5), w = (Math.PI / 2) * r.of([1, -1, 2]), two = r.yes();
    const names = two ? ['th', 'x', 'y'] : ['th', 's'];
    let start;
    const model = model_of(names, (T, m) => {
        m.kinetic.push(T.mul(r.in(0.5, 2), T.square(T.v(0))), T.mul(r.in(0.5, 2), T.square(T.v(1))));
        if (two) m.kinetic.push(T.mul(r.in(0.5, 2), T.square(T.v(2))));
        const tip = [T.mul(L, T.cos(T.q(0))), T.mul(L, T.sin(T.q(0)))], d = 1.25;
        if (two) { // a parallelogram: the second pin on its own circle
            m.rows.push({name: 'crank', kind: 0, phi: T.sub(from(T, 1, d), L * L)});
            m.rows.push({
                name: 'rod',
                kind: 0,
                phi: T.sub(T.add(T.square(T.sub(T.q(1), tip[0])), T.square(T.sub(T.q(2), tip[1]))), d * d)
            });
        } else m.rows.push({name: 'rod', kind: 0, phi: T.sub(T.add(T.square(T.sub(T.q(1), tip[0])), T.square(tip[1])), L * L)});
        m.rows.push({name: 'drive', kind: 0, phi: T.sub(T.q(0), T.add(two ? Math.PI / 2 : 0, T.mul(w, T.t)))});
        start = two ? Math.PI / 2 : 0;
        Object.assign(m, {
            until: 4,
            at: [0, 0.5, 1, 1.5, 2, 2.7, 4],
            tol: r.of([1e-6, 1e-8, 1e-9]),
            remark: REMARK,
            with_accelerations: r.yes(0.4)
        });
    });
    const maps = (T, s) => (two ? [s, T.add(1.25, T.mul(L, T.cos(s))), T.mul(L, T.sin(s))] : [s, T.mul(2 * L, T.cos(s))]);
    return accelerations(reduce(model, maps, start, w, (t) => [start + w * t, w, 0]));
}

// A bead on two curves that cross: (y - f)(y - g) = 0, on y = f(x) through the crossing.
function crossing(r) {
    const a = r.either(0.3, 1), b = r.either(0.2, 1), c = r.in(-1, 1);
    let start;
    const model = model_of(['x', 'y'], (T, m) => {
        point(T, m, 0, r.in(0.5, 2), r.yes(0.3) ? 1 : 0);
        const one = T.sub(T.q(1), T.add(T.mul(a, T.q(0)), T.mul(c, T.square(T.q(0))))),
              two = T.add(T.q(1), T.mul(b * Math.sign(a), T.q(0)));
        m.rows.push({name: 'wire', kind: 0, phi: T.mul(one, two)});
        Object.assign(m,
            {until: 2, at: [0, 0.5, 1, 1.5, 2], tol: r.of([1e-6, 1e-8, 1e-9]), remark: REMARK, with_accelerations: r.yes(0.4)});
        start = c === 0 || r.yes(0.5) ? [-1, 1] : [r.in(-1.2, -0.5), r.in(0.7, 1.5)];
    });
    if (Math.abs(a + b * Math.sign(a)) < 0.2 || Math.abs(c) > Math.abs(a) * 0.45 + Math.abs(b) * 0.45)
        return null;  // other crossings stay away
    return accelerations(reduce(model, (T, s) => [s, T.add(T.mul(a, s), T.mul(c, T.square(s)))], ...start));
}

module.exports = {
    classes: [
        {name: 'parallelogram', portion: 2, make: parallelogram},
        {name: 'slider_crank', portion: 2, make: slider_crank},
        {name: 'kite', portion: 1, make: kite},
        {name: 'bar_parallelogram', portion: 1, make: bar_parallelogram},
        {name: 'driven_through', portion: 1.5, make: driven},
        {name: 'crossing', portion: 1.5, make: crossing},
    ],
};
