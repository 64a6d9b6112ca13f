// Drives that ask for what a mechanism cannot do, and rows that agree only in part: accepted conflicts of
// positions and velocities that bend with the state. Those with `accept` must run.
'use strict';
const {model_of, times} = require('./build_model.js');
const {round} = require('./chance.js');
const {pseudo} = require('./small_matrix.js');

const REMARK = /contradict|conflict|least squares|off|accept/;

// A cart with two or three wheels on one axle line or parallel ones that steer alike or differently:
// rows x' sin - y' cos + arm th' = 0. With unequal arms and equal steering the cart cannot turn; with
// different steering of wheels on one line nothing can roll. Least squares of the rates.
function wheels(r) {
    const count = r.whole(2, 4), steer = r.in(-0.6, 0.6), equal = r.yes(0.5);
    return model_of(['x', 'y', 'th'], (T, m) => {
        const [th, w] = [T.q(2), T.v(2)], arms = [...Array(count)].map(() => [r.either(0.2, 1), r.in(-0.5, 0.5)]);
        Object.assign(m, {until: r.in(0.5, 2), tol: r.of([1e-7, 1e-9]), remark: REMARK, accept: true});
        m.kinetic.push(T.mul(r.in(0.5, 2), T.add(T.square(T.v(0)), T.square(T.v(1)))), T.mul(r.in(0.2, 1), T.square(w)));
        const A = [];
        arms.forEach(([p, s], k) => {
            const d = equal ? steer : round(steer + r.in(-0.3, 0.3)), face = T.add(th, d);
            // velocity of the wheel's place across its direction
            const place = [
                T.sub(T.v(0), T.mul(w, T.add(T.mul(p, T.sin(th)), T.mul(s, T.cos(th))))),
                T.add(T.v(1), T.mul(w, T.sub(T.mul(p, T.cos(th)), T.mul(s, T.sin(th)))))
            ];
            m.rows.push({name: `wheel${k}`, kind: 1, phi: T.sub(T.mul(place[1], T.cos(face)), T.mul(place[0], T.sin(face)))});
            A.push([-Math.sin(d), Math.cos(d), p * Math.cos(d) + s * Math.sin(d)]); // at th = 0
        });
        const mass = [2 * m.kinetic[0].args[0].extra, 2 * m.kinetic[0].args[0].extra, 2 * m.kinetic[1].args[0].extra];
        m.written = {q: [0, 0, 0], v: [r.in(0.5, 2), r.in(-0.3, 0.3), r.in(-0.5, 0.5)]};
        // homogeneous rows: A v = 0 can always be met, by rest if by nothing else
        const root = mass.map(Math.sqrt),
              move = pseudo(A.map((row) => row.map((x, j) => x / root[j])))
                         .times(A.map((row) => -row.reduce((s, x, j) => s + x * m.written.v[j], 0)));
        m.start = {q: [0, 0, 0], v: m.written.v.map((x, j) => x + move[j] / root[j])};
        m.forces.push([0, T.num(r.either(0.2, 1))], [1, T.num(r.either(0.2, 1))]);
        m.reach = pseudo(A).rank;
    });
}

// Two velocity rows that never agree: v = a and v = b + c sin t along one direction, weighted.
function rates(r) {
    return model_of(['x', 'y'], (T, m) => {
        Object.assign(m, {until: r.in(0.5, 3), tol: r.of([1e-7, 1e-9]), remark: REMARK, accept: true});
        m.kinetic.push(T.mul(r.in(0.5, 2), T.square(T.v(0))), T.mul(r.in(0.5, 2), T.square(T.v(1))));
        m.potential.push(T.mul(r.in(0.5, 2), T.square(T.sub(T.q(0), T.q(1)))));
        const c = [1, r.either(0.3, 1)], speed = T.add(T.v(0), T.mul(c[1], T.v(1)));
        const want = [r.either(0.2, 1), r.either(0.2, 1)], weight = [r.in(0.3, 3), r.in(0.3, 3)];
        m.rows.push({name: 'slow', kind: 1, phi: T.sub(speed, want[0]), weight: weight[0]});
        m.rows.push({
            name: 'quick',
            kind: 1,
            phi: T.sub(speed, T.add(want[1], T.mul(r.either(0.1, 0.6), T.sin(T.mul(r.in(0.5, 3), T.t))))),
            weight: weight[1]
        });
        const aim = (weight[0] * want[0] + weight[1] * want[1]) / (weight[0] + weight[1]),
              mass = m.kinetic.map((k) => 2 * k.args[0].extra);
        m.written = {q: [r.in(-1, 1), r.in(-1, 1)], v: [r.in(-1, 1), r.in(-1, 1)]};
        const off = aim - m.written.v[0] - c[1] * m.written.v[1], inverse = 1 / mass[0] + c[1] ** 2 / mass[1];
        m.start = {q: m.written.q, v: m.written.v.map((x, j) => x + (off * c[j]) / mass[j] / inverse)};
    });
}

// A rod from a driven point to a circle: the drive goes out of reach at a moment and perhaps comes
// back. Until then the motion is known; whatever comes after has to be said.
function out_of_reach(r) {
    const R = r.in(0.5, 1), rod = r.in(0.4, 0.9), w = r.in(0.5, 2), far = round((R + rod) * r.in(1.05, 1.5));
    return model_of(['u', 'x', 'y'], (T, m) => { // u: the driven point on the x axis; (x, y) on the circle
        const when = Math.asin((R + rod) / far) / w;
        Object.assign(
            m, {until: round(when * r.of([0.6, 0.8, 1.2, 1.6])), tol: r.of([1e-6, 1e-8]), remark: REMARK, accept: r.yes()});
        m.kinetic.push(T.mul(r.in(0.5, 2), T.square(T.v(0))), T.mul(r.in(0.5, 2), T.add(T.square(T.v(1)), T.square(T.v(2)))));
        const begin = round(when * 0.3), side = r.of([1, -1]), at = (t) => far * Math.sin(w * (t + begin));
        const state = (t) => { // where the circles about 0 and u meet
            const u = at(t), x = (u * u + R * R - rod * rod) / (2 * u), y = side * Math.sqrt(R * R - x * x);
            const du = far * w * Math.cos(w * (t + begin)), dx = du * (0.5 - (R * R - rod * rod) / (2 * u * u));
            return {t, q: [u, x, y], v: [du, dx, (-x * dx) / y]};
        };
        m.until = round(m.until - begin);
        m.rows.push({name: 'circle', kind: 0, phi: T.sub(T.add(T.square(T.q(1)), T.square(T.q(2))), R * R)});
        m.rows.push({name: 'rod', kind: 0, phi: T.sub(T.add(T.square(T.sub(T.q(1), T.q(0))), T.square(T.q(2))), rod * rod)});
        m.rows.push({name: 'drive', kind: 0, phi: T.sub(T.q(0), T.mul(far, T.sin(T.mul(w, T.add(T.t, begin)))))});
        m.start = (({q, v}) => ({q, v}))(state(0));
        m.ok = Number.isFinite(m.start.q[2]) && Math.abs(m.start.q[2]) > 0.05 && m.until > 0.05 * when;
        m.at = times(0, m.until, 5);
        // out of reach there is no motion that satisfies the rows: any number is wrong unless it is said
        m.answer = () =>
            m.at.map((t) => state(t))
                .map((row) => (row.q.every(Number.isFinite) ? row : {t: row.t, q: [1e9, 1e9, 1e9], v: [1e9, 1e9, 1e9]}));
        m.exact = true;
    });
}

module.exports = {
    classes: [
        {name: 'accept_wheels', portion: 1, must: 'run', make: wheels},
        {name: 'accept_rates', portion: 1, must: 'run', make: rates},
        {name: 'out_of_reach', portion: 1, make: (r) => { const m = out_of_reach(r); return m.ok ? m : null; }},
    ],
};
