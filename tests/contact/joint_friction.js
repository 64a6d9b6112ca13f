// Friction in joints, from the force that acts: random trammels, slider-cranks and pendulums with friction in
// rails and pins, by the command, against the equations of each written by hand (one angle, the forces
// of joints from Newton and Euler's equations, solved together with the friction that they make):
//
//   node joint_friction.js ZWANG COUNT [SEED]
//
// All numbers must agree to 1e-9. The same equations with friction from the ideal forces are off by 1 % and more.
'use strict';
const {run_contacts, in_folder} = require('./contact_command.js');
const {chance, seed_of} = require('../oracle/chance.js');
const {eliminate} = require('../oracle/small_matrix.js');
const {extrapolate} = require('../oracle/held.js');

const GRAVITY = 9.81, WITHIN = 1e-9;

// ---------------------------------------------------------------------------- by hand

// Unknowns x of A x + sum f_k p_k(x) = b: frictions are columns f times pressures p, norms of parts of x. The pressures
// are put in again and again, from 0 on.
function with_friction(A, b, columns, pressures) {
    let p = columns.map(() => 0);
    for (let k = 0; k < 300; k++) {
        const x = eliminate(A, b.map((c, i) => c - columns.reduce((s, f, j) => s + f[i] * p[j], 0)));
        if (!x || !x.every(Number.isFinite)) break;
        const next = pressures(x), off = Math.max(...next.map((y, j) => Math.abs(y - p[j]) / (1 + y)));
        p = next;
        if (off < 1e-15) return x;
    }
    return b.map(() => NaN); // they grow: not for this test
}

// y' = f(t, y) to the times, until `ends` turns negative; in steps of high order. Rows, and the time of the end.
function go(f, y, at, ends) {
    const out = [];
    let t = 0, h = 0.01;
    for (const time of at) {
        while (t < time) {
            const used = Math.min(h, time - t), step = extrapolate(f, t, y, used), e = Math.max(...step.error.map((x, i) => Math.abs(x) / (1 + Math.abs(y[i]))));
            if (!Number.isFinite(e) && used < 1e-6) return {out, t: null, y: null};
            if (!(e <= 1e-13) && used > 1e-9) { h = used / 2; continue; }
            if (ends && ends(step.y) < 0) return {out, t: t + root(f, t, y, used, ends), y: null};
            [t, y, h] = [used === time - t ? time : t + used, step.y, e < 1e-15 ? used * 1.5 : used];
        }
        out.push({t: time, y});
    }
    return {out, t: null, y};
}
function root(f, t, y, h, ends) {
    let a = 0, b = h;
    for (let k = 0; k < 60; k++) {
        const c = (a + b) / 2;
        if (ends(extrapolate(f, t, y, c).y) < 0) b = c; else a = c;
    }
    return b;
}

const cross = (a, b) => a[0] * b[1] - a[1] * b[0];

// ---------------------------------------------------------------------------- a trammel

// A rod whose end A runs along x and B along y, with sliders on both and friction in both rails. Of the unknowns
// (th'', N_A, N_B) the equations are momentum along x and y, and angular momentum about the centre.
function trammel(r) {
    const p = {h: r.in(0.3, 0.8), m: r.in(0.5, 3), J: r.in(0.03, 0.2), ma: r.in(0.1, 1), mb: r.in(0.1, 1), mua: r.in(0.05, 0.5), mub: r.in(0.05, 0.5)};
    const start = [r.in(0.5, 1.1), r.either(2, 5)], {h, m, J, ma, mb, mua, mub} = p;
    const forces = ([th, w]) => {
        const c = Math.cos(th), s = Math.sin(th), sa = Math.sign(s * w), sb = Math.sign(c * w), w2 = w * w;
        // A = (-2h c, 0), B = (0, 2h s), centre (-h c, h s); x = (th'', N_A, N_B); friction (f_A, 0) at A, (0, f_B) at B
        const A = [[(m + 2 * ma) * h * s, 0, -1], [(m + 2 * mb) * h * c, -1, 0],
            [J + 2 * h * h * (ma * s * s + mb * c * c), h * c, h * s]];
        const b = [-(m + 2 * ma) * h * c * w2, (m + 2 * mb) * h * s * w2 - (m + ma + mb) * GRAVITY,
            -2 * h * h * (ma - mb) * s * c * w2 + h * c * (ma - mb) * GRAVITY];
        const columns = [[sa * mua, 0, h * s * sa * mua], [0, sb * mub, h * c * sb * mub]];
        return with_friction(A, b, columns, (x) => [Math.abs(x[1]), Math.abs(x[2])]);
    };
    const text = `param h = ${h}, m = ${m}, J = ${J}, ma = ${ma}, mb = ${mb}
coord c[2], th
let A = c - h*[cos(th), sin(th)]
let B = c + h*[cos(th), sin(th)]
kinetic   m/2*dot(c', c') + J/2*th'^2 + ma/2*dot(A', A') + mb/2*dot(B', B')
potential ${GRAVITY}*(m*c[2] + ma*A[2] + mb*B[2])
constraint along: A[2] = 0
constraint upright: B[1] = 0
friction along:   ${mua} along A[1]
friction upright: ${mub} along B[2]
start th = ${start[0]}, c = h*[-cos(${start[0]}), sin(${start[0]})], th' = ${start[1]}
start c' = ${start[1]}*h*[sin(${start[0]}), cos(${start[0]})]
`;
    return {text, start, forces, angle: 'th', columns: ["th''", 'multiplier(along)', 'multiplier(upright)'], last: 0.25,
        rates: ([th, w]) => [Math.sin(th) * w, Math.cos(th) * w]};
}

// ---------------------------------------------------------------------------- a slider-crank

// Crank, rod and slider as three bodies; friction in three pins (mu times radius) and in the slide. Unknowns: the crank's
// angular acceleration, forces F_O on the crank, F_A on the rod, F_B on the slider, N on the slider.
function crank(r) {
    const l1 = r.in(0.15, 0.3), l2 = r.in(0.5, 0.9), m = [r.in(0.5, 2), r.in(0.5, 2), r.in(0.3, 2)], J = [r.in(0.005, 0.03), r.in(0.02, 0.08)];
    const mu = [r.in(0.1, 0.4), r.in(0.1, 0.4), r.in(0.1, 0.4), r.in(0.05, 0.4)], radius = r.in(0.01, 0.04), torque = r.either(0, 3);
    const start = [r.in(-3, 3), r.either(4, 9)];
    const motion = ([a, w]) => {
        const b = Math.asin(-(l1 * Math.sin(a)) / l2), cb = Math.cos(b), wb = -(l1 * Math.cos(a) * w) / (l2 * cb); // angles of crank and rod
        return {b, wb, rate: -(l1 * Math.cos(a)) / (l2 * cb), bias: (l1 * Math.sin(a) * w * w + l2 * Math.sin(b) * wb * wb) / (l2 * cb)}; // b'' = rate a'' + bias
    };
    const forces = ([a, w]) => {
        const {b, wb, rate, bias} = motion([a, w]), e1 = [Math.cos(a), Math.sin(a)], e2 = [Math.cos(b), Math.sin(b)], u1 = [-e1[1], e1[0]], u2 = [-e2[1], e2[0]];
        const c1 = [0, 1].map((d) => ({by: l1 / 2 * u1[d], rest: -l1 / 2 * e1[d] * w * w}));
        const c2 = [0, 1].map((d) => ({by: l1 * u1[d] + l2 / 2 * u2[d] * rate, rest: -l1 * e1[d] * w * w + l2 / 2 * (u2[d] * bias - e2[d] * wb * wb)}));
        const s = {by: l1 * u1[0] + l2 * u2[0] * rate, rest: -l1 * e1[0] * w * w + l2 * (u2[0] * bias - e2[0] * wb * wb)};
        // x = (a'', F_O, F_A, F_B, N): momenta of crank, rod, slider, then both moments about the centres
        const A = [], right = [], row = (list, c) => { A.push(list); right.push(c); };
        for (const d of [0, 1]) {
            const g = d ? GRAVITY : 0, O = d ? [0, 1] : [1, 0];
            row([m[0] * c1[d].by, -O[0], -O[1], O[0], O[1], 0, 0, 0], -m[0] * (c1[d].rest + g));
            row([m[1] * c2[d].by, 0, 0, -O[0], -O[1], O[0], O[1], 0], -m[1] * (c2[d].rest + g));
        }
        row([m[2] * s.by, 0, 0, 0, 0, -1, 0, 0], -m[2] * s.rest);
        row([0, 0, 0, 0, 0, 0, -1, -1], -m[2] * GRAVITY);
        const h1 = e1.map((x) => x * l1 / 2), h2 = e2.map((x) => x * l2 / 2);
        // crank: F_O at -h1, -F_A at h1; rod: F_A at -h2, -F_B at h2
        row([J[0], -h1[1], h1[0], -h1[1], h1[0], 0, 0, 0], torque);
        row([J[1] * rate, 0, 0, -h2[1], h2[0], -h2[1], h2[0], 0], -J[1] * bias);
        const turn = [Math.sign(w), Math.sign(wb - w), Math.sign(-wb)].map((sg, k) => sg * mu[k] * radius), slide = Math.sign(s_rate(a, b, w, wb));
        const unit = (list) => { const f = new Array(8).fill(0); list.forEach(([i, c]) => { f[i] = c; }); return f; };
        // rows: 0 crank x, 1 rod x, 2 crank y, 3 rod y, 4 slider x, 5 slider y, 6 crank moment, 7 rod moment
        const columns = [unit([[6, turn[0]]]), unit([[6, -turn[1]], [7, turn[1]]]), unit([[7, -turn[2]]]), unit([[4, slide * mu[3]]])];
        return with_friction(A, right, columns, (x) => [Math.hypot(x[1], x[2]), Math.hypot(x[3], x[4]), Math.hypot(x[5], x[6]), Math.abs(x[7])]);
    };
    const s_rate = (a, b, w, wb) => -l1 * Math.sin(a) * w - l2 * Math.sin(b) * wb;
    const {b, wb} = motion(start);
    const text = `coord r1[2], th1, r2[2], th2, s[2]
let e(f) = [cos(f), sin(f)]
kinetic   ${m[0]}/2*dot(r1', r1') + ${J[0]}/2*th1'^2 + ${m[1]}/2*dot(r2', r2') + ${J[1]}/2*th2'^2 + ${m[2]}/2*dot(s', s')
potential ${GRAVITY}*(${m[0]}*r1[2] + ${m[1]}*r2[2] + ${m[2]}*s[2])
force th1: ${torque}
constraint pin_O: r1 - ${l1 / 2}*e(th1) = 0
constraint pin_A: r2 - ${l2 / 2}*e(th2) - r1 - ${l1 / 2}*e(th1) = 0
constraint pin_B: s - r2 - ${l2 / 2}*e(th2) = 0
constraint slide: s[2] = 0
friction pin_O: ${mu[0]}*${radius} along th1'
friction pin_A: ${mu[1]}*${radius} along th2' - th1'
friction pin_B: ${mu[2]}*${radius} along -th2'
friction slide: ${mu[3]} along s[1]'
start th1 = ${start[0]} fixed, th1' = ${start[1]} fixed, th2 = ${b}, th2' = ${wb}
start r1 = ${l1 / 2}*e(${start[0]}), r2 = ${l1}*e(${start[0]}) + ${l2 / 2}*e(${b}), s = ${l1}*e(${start[0]}) + ${l2}*e(${b})
`;
    return {text, start, forces, angle: 'th1', columns: ["th1''", 'multiplier(pin_O)[1]', 'multiplier(pin_O)[2]', 'multiplier(pin_A)[1]', 'multiplier(pin_A)[2]', 'multiplier(pin_B)[1]', 'multiplier(pin_B)[2]', 'multiplier(slide)'],
        last: 0.6, rates: (y) => { const {b: turned, wb: rate} = motion(y); return [y[1], rate - y[1], -rate, s_rate(y[0], turned, y[1], rate)]; }};
}

// ---------------------------------------------------------------------------- a pendulum

// A bar on a rough pin swings, less and less, until it hangs askew and stays.
function pendulum(r) {
    const l = r.in(0.3, 0.8), m = r.in(0.5, 3), J = r.in(0.02, 0.2), mu = r.in(0.2, 0.6), radius = r.in(0.02, 0.08), start = [r.either(0.5, 1.4), 0];
    // about the pin: (J + m l^2) th'' = -m g l sin th - mu R |F| sign(th')
    const reaction = (th, w, a) => [m * l * (Math.cos(th) * a - Math.sin(th) * w * w), m * (l * (Math.sin(th) * a + Math.cos(th) * w * w) + GRAVITY)];
    const forces = ([th, w], way) => {
        let a = 0, F = null;
        for (let k = 0; k < 200; k++) {
            F = reaction(th, w, a);
            const next = (-m * GRAVITY * l * Math.sin(th) - mu * radius * Math.hypot(...F) * way) / (J + m * l * l);
            if (Math.abs(next - a) < 1e-15 * (1 + Math.abs(a))) break;
            a = next;
        }
        return [a, ...F];
    };
    const holds = (th) => Math.abs(m * GRAVITY * l * Math.sin(th)) <= mu * radius * m * GRAVITY;
    const text = `coord p[2], th
kinetic   ${m}/2*dot(p', p') + ${J}/2*th'^2
potential ${m}*${GRAVITY}*p[2]
constraint pin: p - ${l}*[sin(th), -cos(th)] = 0
friction pin: ${mu}*${radius} along th'
start th = ${start[0]}, p = ${l}*[sin(${start[0]}), -cos(${start[0]})]
`;
    return {text, start, swing: {forces, holds}, angle: 'th', columns: ["th''", 'multiplier(pin)[1]', 'multiplier(pin)[2]']};
}

// ---------------------------------------------------------------------------- comparing

// Rows of angle, rate, and columns, by hand, up to where a joint turns the other way; a pendulum swings half by half
// until it stays.
function by_hand(model) {
    if (model.swing) return swings(model);
    const sides = model.rates(model.start).map(Math.sign), least = (y) => Math.min(...model.rates(y).map((x, i) => x * sides[i])) - 0.05;
    const f = (t, y) => [y[1], model.forces(y)[0]], times = [0.2, 0.5, 1].map((part) => Number((part * model.last).toPrecision(4)));
    if (least(model.start) < 0) return null;
    const {out} = go(f, model.start, times, least), rows = [{t: 0, y: model.start}, ...out].map(({t, y}) => ({t, values: [y[0], y[1], ...model.forces(y)]}));
    return rows.length > 1 && rows.every((row) => row.values.every(Number.isFinite)) ? {rows, until: rows.at(-1).t} : null;
}

function swings({start, swing}) {
    const rows = [];
    let y = start, t = 0;
    for (let k = 0; k < 60; k++) {
        if (swing.holds(y[0])) return {rows, rest: {t, angle: y[0]}, until: Number((t + 1).toPrecision(4))};
        const way = -Math.sign(y[0]), f = (_, z) => [z[1], swing.forces(z, way)[0]];
        // half a swing: to where the rate is 0 again
        const middle = 0.05, begun = go(f, y, [middle], null).y, half = go(f, begun, [20], (z) => z[1] * way), sample = go(f, begun, [(half.t ?? 0) / 2], null).y;
        if (half.t === null) return null;
        const whole = go(f, begun, [half.t], null).y;
        rows.push({t: t + middle + half.t / 2, values: [sample[0], sample[1], ...swing.forces(sample, way)]});
        t += middle + half.t;
        y = [whole[0], 0];
    }
    return null;
}

function examine(zwang, folder, model) {
    const hand = by_hand(model);
    if (!hand) return null;
    const columns = [model.angle, `${model.angle}'`, ...model.columns], times = hand.rows.map((row) => row.t);
    const at = [...times, ...(hand.rest ? [hand.until] : [])], text = `${model.text}simulate t = 0..${hand.until}, tol = 1e-12\n`;
    const run = run_contacts(zwang, folder, text, ['--at', at.join(','), '--columns', columns.join(', ')]);
    if (run.status !== 0 || run.late) return {text, fault: `status ${run.status}: ${run.said}`};
    let worst = 0, where = '';
    const compare = (what, seen, value, size) => {
        const off = Math.abs(seen - value) / size;
        if (!(off <= worst)) [worst, where] = [off, `${what}: ${seen}, by hand ${value}`];
    };
    hand.rows.forEach((row, k) => row.values.forEach((value, i) => {
        const size = 1 + Math.max(...hand.rows.map((other) => Math.abs(other.values[i])));
        compare(`${columns[i]} at t = ${row.t}`, run.rows.rows[k]?.[i + 1] ?? NaN, value, size);
    }));
    if (hand.rest) {
        compare('the angle of rest', run.rows.rows.at(-1)[1], hand.rest.angle, 1);
        compare('the moment of rest', run.events?.filter((e) => e.kind === 'sticks').at(-1)?.t ?? NaN, hand.rest.t, 10);
    }
    return {text, fault: worst <= WITHIN ? null : `off by ${worst.toExponential(1)}, ${where}`, worst};
}

function main([zwang, count, seed = '1']) {
    const kinds = {trammel, crank, pendulum}, table = {};
    let faults = 0;
    in_folder((folder) => {
        for (const [name, make] of Object.entries(kinds)) {
            table[name] = {right: 0, wrong: 0, worst: 0};
            for (let k = 0; k < Number(count); k++) {
                const r = chance(seed_of(seed, name, k));
                let done = null;
                for (let tries = 0; tries < 20 && !done; tries++) done = examine(zwang, folder, make(r));
                if (!done) throw new Error(`${name} ${k}: no model`);
                if (done.fault) {
                    if (table[name].wrong++ < 2) console.log(`${name} ${k}, seed ${seed}: ${done.fault}\n${done.text}`);
                    faults++;
                } else {
                    table[name].right++;
                    table[name].worst = Math.max(table[name].worst, done.worst);
                }
            }
        }
    });
    console.table(table);
    process.exitCode = faults ? 1 : 0;
}

if (require.main === module) main(process.argv.slice(2));
module.exports = {trammel, crank, pendulum, by_hand};
