// Starts: where the given values do not satisfy the constraints, the nearest that do, in the masses;
// values that are given stay as they are where the others can do it alone.
//
// The nearest is found by brute force: Newton's method on the equations of the least distance from
// very many points. A start is judged by its distance, not by its place, so two that are equally near
// are both right. That the start was moved is no excuse for one that is not the nearest: only a remark
// on branches or other starts is.
'use strict';
const {model_of} = require('./build_model.js');
const {chance, round} = require('./chance.js');
const {eliminate, pseudo} = require('./small_matrix.js');
const {run_command} = require('./subject.js');
const {outcome} = require('./judge.js');

const SAID = /branch|nearest|nearer|as near|farther|far from|local/;

// Values and slopes of rows phi(x) at x, x the coordinates or the velocities ('q' or 'v'). What is said
// again is left out.
function functions(model, kind) {
    const T = model.terms, n = model.names.length,
          rows = model.rows.filter((row) => row.kind === (kind === 'q' ? 0 : 1) && row.name !== 'again');
    const trees = rows.flatMap((row) => {
        const first = model.names.map((_, j) => T.diff(T.smooth(row.phi), kind, j));
        return [T.smooth(row.phi), ...first, ...first.flatMap((d) => model.names.map((_, j) => T.diff(d, kind, j)))];
    });
    const run = T.compile(trees), width = 1 + n + n * n, zero = new Array(n).fill(0), out = [];
    return (x) => {
        run(kind === 'q' ? x : model.written.q, kind === 'v' ? x : zero, 0, [], zero, out);
        return rows.map((_, k) => ({
            phi: out[k * width], A: out.slice(k * width + 1, k * width + 1 + n),
            H: [...Array(n).keys()].map((i) => out.slice(k * width + 1 + n + i * n, k * width + 1 + n + (i + 1) * n)),
        }));
    };
}

// The least distance from y, in the masses, of a point with all phi = 0 whose fixed entries are y's.
function least_distance(f, y, mass, fixed, r) {
    const n = y.length, free = y.map((_, i) => i).filter((i) => !fixed[i]);
    let best = Infinity;
    for (let k = 0; k < 400; k++) {
        const wide = [0, 0.3, 1, 3][k % 4];
        let x = y.map((c, i) => (fixed[i] ? c : c + wide * (2 * r.next() - 1)));
        x = onto(f, x, free);
        if (x) x = shorten(f, x, y, mass, free) ?? x;
        if (x) best = Math.min(best, distance(x, y, mass));
    }
    return best;
}
function distance(x, y, mass) { return Math.sqrt(x.reduce((s, c, i) => s + mass[i] * (c - y[i]) ** 2, 0)); }

// Gauss-Newton onto the rows; null where it does not arrive.
function onto(f, x, free) {
    for (let k = 0; k < 60; k++) {
        const rows = f(x), off = Math.max(...rows.map((c) => Math.abs(c.phi)));
        if (off < 1e-13) return x;
        const d = pseudo(rows.map((c) => free.map((i) => c.A[i]))).times(rows.map((c) => c.phi)), long = Math.hypot(...d);
        if (!Number.isFinite(long)) return null;
        const share = Math.min(1, 1 / long);
        x = x.slice();
        free.forEach((i, j) => { x[i] -= share * d[j]; });
    }
    return Math.max(...f(x).map((c) => Math.abs(c.phi))) < 1e-9 ? x : null;
}

// Lagrange-Newton to a point of least distance from there; null where it leaves.
function shorten(f, x, y, mass, free) {
    let l = null;
    for (let k = 0; k < 40; k++) {
        const rows = f(x), m = rows.length, n = free.length;
        const g = free.map((i) => mass[i] * (x[i] - y[i]));
        l ??= pseudo(rows.map((c) => free.map((i) => c.A[i])))
                  .least(rows.map((c) => -free.reduce((s, i, j) => s + c.A[i] * g[j], 0)));
        const K = [...Array(n + m)].map(() => new Array(n + m).fill(0)), b = new Array(n + m).fill(0);
        free.forEach((i, a) => {
            free.forEach((j, c) => {
                K[a][c] = (i === j ? mass[i] : 0) + rows.reduce((s, row, h) => s + l[h] * row.H[i][j], 0);
            });
            rows.forEach((row, h) => { K[a][n + h] = row.A[i]; K[n + h][a] = row.A[i]; });
            b[a] = -g[a];
        });
        rows.forEach((row, h) => { b[n + h] = -row.phi; });
        const d = eliminate(K, b);
        if (!d || d.some((c) => !Number.isFinite(c))) return null;
        x = x.slice();
        free.forEach((i, a) => { x[i] += d[a]; });
        l = d.slice(n);
        if (Math.hypot(...d.slice(0, n)) < 1e-12) return Math.max(...f(x).map((c) => Math.abs(c.phi))) < 1e-9 ? x : null;
    }
    return null;
}

// ---------------------------------------------------------------------------- models

// Surfaces to be met: ellipsoids, cones, two circles, a torus, a pair of spheres, a saddle.
function surface(T, r, x) {
    const sq = (i) => T.square(x[i]), c = () => r.in(0.3, 2);
    return r.of([
        () => [T.sub(T.add(T.mul(c(), sq(0)), T.mul(c(), sq(1)), T.mul(c(), sq(2))), 1)],
        () => [T.sub(T.add(T.mul(c(), sq(0)), T.mul(c(), sq(1))), T.mul(c(), sq(2)))],
        () => [T.mul(T.sub(T.add(sq(0), sq(1)), c()), T.sub(T.add(T.square(T.sub(x[0], 3)), sq(1)), c()))],
        () => [T.sub(T.add(T.square(T.sub(T.sqrt(T.add(sq(0), sq(1), 1e-9)), 2)), sq(2)), 0.5)],
        () => [T.sub(T.add(sq(0), sq(1), sq(2)), 2), T.sub(T.add(T.square(T.sub(x[0], c())), sq(1), sq(2)), 1.5)],
        () => [T.sub(x[2], T.mul(x[0], x[1])), T.sub(T.add(sq(0), sq(1)), c())],
        () => [T.sub(T.sin(T.mul(2, x[0])), x[1])],
    ])();
}

// All values given, of positions or of velocities.
function nearest(r) {
    const kind = r.of(['q', 'q', 'v']);
    const model = model_of(['x', 'y', 'z'], (T, m) => {
        m.mass = m.names.map(() => r.in(0.5, 3));
        m.mass.forEach((c, i) => m.kinetic.push(T.mul(0.5 * c, T.square(T.v(i)))));
        const x = m.names.map((_, i) => T[kind](i));
        surface(T, r, x).forEach((phi, k) => m.rows.push({name: `c${k}`, kind: kind === 'q' ? 0 : 1, phi}));
        m.written = {
            q: m.names.map(() => (kind === 'q' ? r.in(-2, 2) : 0)),
            v: m.names.map(() => (kind === 'v' ? r.in(-2, 2) : 0))
        };
        if (r.yes(0.6)) for (let k = 0; k < r.whole(1, 2); k++) m.written[kind][r.whole(0, 2)] = 0;
        if (kind === 'q') m.given = {v: [false, false, false]};
        else m.given = {q: [false, false, false]};
        Object.assign(m, {until: 1e-6, at: [0], tol: 1e-9});
    });
    model.examine = (zwang, folder, text) => examine(model, kind, [false, false, false], zwang, folder, text);
    return model;
}

// Linkages drawn loosely: points in the plane joined by rods to each other and to the ground, some rows
// said twice, all values given.
function linkage(r) {
    const count = r.whole(1, 3), names = [];
    for (let k = 0; k < count; k++) names.push(`x${k}`, `y${k}`);
    const true_place = names.map(() => r.in(-2, 2)), far = r.of([0.1, 0.5, 1.5]);
    const model = model_of(names, (T, m) => {
        m.mass = names.map((_, i) => (i % 2 ? null : r.in(0.5, 3)));
        m.mass = m.mass.map((c, i) => c ?? m.mass[i - 1]);
        m.mass.forEach((c, i) => m.kinetic.push(T.mul(0.5 * c, T.square(T.v(i)))));
        const rod = (name, i, j) => { // between points, or to a place on the ground
            const [x, y] = j === null ? [r.in(-2, 2), r.in(-2, 2)] : [T.q(2 * j), T.q(2 * j + 1)];
            const [u, v] = j === null ? [x, y] : [true_place[2 * j], true_place[2 * j + 1]];
            const phi = T.sub(T.add(T.square(T.sub(T.q(2 * i), x)), T.square(T.sub(T.q(2 * i + 1), y))),
                (true_place[2 * i] - u) ** 2 + (true_place[2 * i + 1] - v) ** 2);
            m.rows.push({name, kind: 0, phi});
        };
        for (let k = 0; k < count; k++) rod(`rod${k}`, k, k ? k - 1 : null);
        if (count > 1 && r.yes()) rod('end', count - 1, null);
        if (r.yes(0.3)) m.rows.push({name: 'again', kind: 0, phi: T.mul(r.either(0.5, 2), r.of(m.rows).phi)});
        m.written = {q: true_place.map((x) => round(x + far * r.in(-1, 1))), v: names.map(() => 0)};
        m.given = {v: names.map(() => false)};
        Object.assign(m, {until: 1e-6, at: [0], tol: 1e-9});
    });
    model.examine = (zwang, folder, text) => examine(model, 'q', names.map(() => false), zwang, folder, text);
    return model;
}

// Some values given, which the others can follow: rolling, gears, linkages, surfaces.
function given(r) {
    const kind = r.of(['q', 'v', 'v']), kept = {};
    const model = model_of(['x', 'y', 'z'], (T, m) => {
        m.mass = m.names.map(() => r.in(0.5, 3));
        m.mass.forEach((c, i) => m.kinetic.push(T.mul(0.5 * c, T.square(T.v(i)))));
        const x = m.names.map((_, i) => T[kind](i)), c = () => r.either(0.3, 2);
        const rows = r.of([
            () => [T.sub(x[0], T.mul(c(), x[1]))],
            () => [T.sub(x[0], T.mul(c(), x[1])), T.sub(T.add(x[1], T.mul(c(), x[2])), 0)],
            () => [T.add(T.mul(c(), x[0]), T.mul(c(), x[1]), T.mul(c(), x[2]))],
            () => [T.sub(T.add(T.square(x[0]), T.square(x[1]), T.square(x[2])), 9)],
            () => [T.sub(T.mul(x[0], x[0]), T.mul(r.in(0.5, 2), x[1]))],
        ])();
        rows.forEach((phi, k) => m.rows.push({name: `c${k}`, kind: kind === 'q' ? 0 : 1, phi}));
        const said = [true, false, false];
        if (rows.length === 1 && r.yes(0.3)) said[2] = true;
        kept.said = said;
        const value = said.map((s) => (s ? r.either(0.4, 1.5) : 0));
        m.written = kind === 'q' ? {q: value, v: [0, 0, 0]} : {q: [0, 0, 0], v: value};
        m.given = kind === 'q' ? {q: said, v: [false, false, false]} : {q: [false, false, false], v: said};
        Object.assign(m, {until: 1e-6, at: [0], tol: 1e-9});
    });
    model.examine = (zwang, folder, text) => examine(model, kind, kept.said, zwang, folder, text);
    return model;
}

// The row at the start against the least distance.
function examine(model, kind, fixed, zwang, folder, text) {
    const run = run_command(zwang, folder, text, ['--at', '0'], 20);
    if (run.late || run.status !== 0) return {outcome: outcome(model, run, null), detail: run.said.split('\n')[0]};
    const y = model.written[kind], place = model.names.map((name) => run.rows.columns.indexOf(kind === 'q' ? name : `${name}'`));
    const x = place.map((k) => run.rows.rows[0][k]), f = functions(model, kind);
    const off = Math.max(...f(x).map((c) => Math.abs(c.phi))),
          moved = Math.max(...x.map((c, i) => (fixed[i] ? Math.abs(c - y[i]) : 0)));
    const least = least_distance(f, y, model.mass, fixed, chance(7)), there = distance(x, y, model.mass);
    const said = SAID.test(run.reason ?? '') || /warning\[W04(?!11)|remark\[R04/.test(run.said);
    const bad = [];
    if (!(off < 1e-7)) bad.push(`off its constraints by ${off}`);
    if (!(moved < 1e-9)) bad.push(`a given value was moved by ${moved}, which it need not`);
    if (moved < 1e-9 && there > least * (1 + 1e-5) + 1e-7) bad.push(`${there} away, the nearest is ${least}`);
    const detail = `at ${x.join(', ')}: ${bad.join(', ') || `right, ${there} away, the nearest found is ${least}`}; trust ${
        run.trust}: ${run.reason}`;
    if (least > there * 1.001 + 1e-7 && moved < 1e-9) return {outcome: 'unsure', detail};
    if (!bad.length) return {outcome: run.trust === 'do not trust' ? 'alarm' : 'right', detail};
    return {outcome: said || run.trust === 'do not trust' ? 'flagged' : 'unearned', detail};
}

module.exports = {
    classes: [
        {name: 'nearest_start', portion: 3, make: nearest},
        {name: 'loose_linkage', portion: 1.5, make: linkage},
        {name: 'given_start', portion: 2, make: given},
    ],
};
