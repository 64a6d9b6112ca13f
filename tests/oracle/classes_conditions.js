// Conditions inside expressions: forces that act for a while, kinks and jumps in the state, switches
// that chatter, many firings of `when`.
'use strict';
const {model_of, hold, fit_velocities, times} = require('./build_model.js');
const {round} = require('./chance.js');
const {Motion} = require('./held.js');
const {run_command} = require('./subject.js');
const {fields, outcome} = require('./judge.js');

// ---------------------------------------------------------------------------- of time alone

// A force of time with its breaks: a window, several, a square wave, stairs.
function timed_force(T, r, until) {
    const F = r.either(0.5, 5), a = r.in(0.05 * until, 0.9 * until), long = r.in(0.001, 0.03) * until, b = round(a + long);
    const lo = T.sub(T.t, a), hi = T.sub(b, T.t), wave = r.in(2, 20), shift = r.in(0, 3), level = r.in(-0.8, 0.8);
    const turns = [];
    for (let k = -2; k < (wave * until) / Math.PI + 2; k++) turns.push((k * Math.PI - shift) / wave);
    const tops = []; // where sin(wave t + shift) = level
    for (let k = -1; k < (wave * until) / (2 * Math.PI) + 2; k++)
        tops.push(
            (2 * Math.PI * k + Math.asin(level) - shift) / wave, (2 * Math.PI * k + Math.PI - Math.asin(level) - shift) / wave);
    const turn = T.add(T.mul(wave, T.t), shift), high = r.in(0.2, 1);
    const stair = [];
    for (let k = 0; k * high < until; k++) stair.push(k * high);
    return r.of([
        () => ({force: T.between(lo, hi, F, 0), breaks: [a, b]}),
        () => ({force: T.between(lo, hi, T.mul(F, T.sin(T.mul(3, T.t))), 0), breaks: [a, b]}),
        () => ({force: T.sub(T.choose(lo, F, 0), T.choose(T.neg(hi), F, 0)), breaks: [a, b]}),
        () => ({
            force: T.mul(F, T.max(0, T.sub(1, T.mul(2 / long, T.abs(T.sub(T.t, (a + b) / 2)))))),
            breaks: [(a + b) / 2, (a + b) / 2 - long / 2, (a + b) / 2 + long / 2]
        }),
        () => ({force: T.mul(0.2 * F, T.sign(T.sin(turn))), breaks: turns}),
        () => ({force: T.choose(T.sub(T.sin(turn), level), 0.3 * F, 0), breaks: tops}),
        () => ({force: T.mul(0.05 * F, T.floor(T.div(T.t, high))), breaks: stair}),
        () => ({force: T.mul(0.3 * F, T.sub(T.div(T.t, high), T.floor(T.div(T.t, high)))), breaks: stair}),
        () => ({force: T.mul(0.3 * F, T.abs(T.sin(turn))), breaks: turns}),
        () => ({force: T.mul(0.4 * F, T.max(T.sin(turn), level)), breaks: tops}),
    ])();
}

// A blow: a window of 1e-7 to 1e-3 of the run whose impulse is about 1.
function blow(T, r, until) {
    const long = Number((until * 10 ** r.in(-7, -3)).toPrecision(3)), a = r.in(0.05 * until, 0.9 * until), b = a + long;
    return {force: T.between(T.sub(T.t, a), T.sub(b, T.t), round(r.either(0.3, 2) / long), 0), breaks: [a, b]};
}

// A few masses, mostly at rest, on which such forces act.
function window(r) {
    const n = r.whole(1, 2), names = ['x', 'y'].slice(0, n);
    return model_of(names, (T, m) => {
        m.until = r.of([10, 30, 100]);
        Object.assign(m, {tol: r.of([1e-6, 1e-8, 1e-9]), breaks: [], method: r.of([null, null, null, 'dopri5', 'auto', 'bdf'])});
        if (m.method === 'bdf') m.tol = 1e-7;
        const spring = r.yes(0.6), rest = r.yes(0.7);
        names.forEach((_, i) => {
            m.kinetic.push(T.mul(r.in(0.3, 3), 0.5, T.square(T.v(i))));
            if (spring) m.potential.push(T.mul(r.in(0.3, 4), 0.5, T.square(T.q(i))));
            if (r.yes()) m.forces.push([i, T.mul(-r.in(0.1, 1), T.v(i))]);
            if (!rest) m.start.q[i] = r.either(0.1, 1);
        });
        if (n === 2 && r.yes()) m.potential.push(T.mul(0.3, T.square(T.sub(T.q(0), T.q(1)))));
        for (let k = 0; k < r.whole(1, 3); k++) {
            const {force, breaks} = r.yes(0.15) ? blow(T, r, m.until) : timed_force(T, r, m.until);
            m.forces.push([r.whole(0, n - 1), force]);
            m.breaks.push(...breaks);
        }
        m.longest = 1;
        m.at = times(0, m.until, 6);
    });
}

// The same acts through a drive, a mass or the equations of a constraint.
function timed_elsewhere(r) {
    return model_of(['x', 'y'], (T, m) => {
        m.until = r.of([10, 40]);
        m.tol = r.of([1e-7, 1e-9]);
        m.kinetic.push(T.mul(r.in(0.5, 2), T.square(T.v(0))), T.mul(r.in(0.5, 2), T.square(T.v(1))));
        const {force, breaks} = timed_force(T, r, m.until), way = r.whole(0, 2);
        m.breaks = breaks;
        if (way === 0) { // a row on accelerations
            m.rows.push({
                name: 'servo',
                kind: 2,
                phi: T.sub(T.add(T.a(0), T.mul(r.in(0.5, 2), T.v(0)), T.mul(r.in(0.5, 3), T.q(0))), force)
            });
            m.potential.push(T.mul(r.in(0.2, 1), T.square(T.sub(T.q(0), T.q(1)))));
        } else if (way === 1) { // a potential
            m.potential.push(T.mul(T.q(0), force), T.square(T.q(0)), T.mul(r.in(0.3, 1), T.square(T.sub(T.q(1), T.q(0)))));
        } else { // along a constraint
            hold(T, m, 'slope', T.sub(T.q(1), T.mul(r.either(0.3, 1), T.sin(T.q(0)))));
            m.potential.push(T.mul(r.in(0.5, 2), T.square(T.q(0))));
            m.forces.push([r.whole(0, 1), force], [0, T.mul(-0.3, T.v(0))]);
        }
        m.longest = 1;
        m.at = times(0, m.until, 5);
    });
}

// ---------------------------------------------------------------------------- of the state

// A force that bends or jumps where the state passes a value, but is not drawn back to it.
function state_force(T, r, i, n) {
    const x = T.q(i), y = T.q(n - 1), v = T.v(i), c = r.in(0.3, 4), d = r.either(0, 0.4);
    return r.of([
        () => T.mul(-c, T.abs(x), r.of([1, -1])),
        () => T.mul(c, T.max(0, T.sub(d, x))),
        () => T.mul(-c, T.min(T.sub(x, d), r.in(0.1, 0.5))),
        () => T.choose(T.sub(x, d), -c, r.in(-0.3, 0.6)),
        () => T.mul(-c, T.sign(T.sub(x, d))),
        () => T.choose(v, -0.2, 0.1 * c),
        () => T.mul(-0.3 * c, T.v(i), T.abs(T.v(i))),
        () => T.mul(-0.4 * c, T.floor(T.add(0.513, T.mul(2, x)))),
        () => T.mul(-c, T.max(T.sub(x, y), T.mul(0.5, y))),
    ])();
}

function kink(r) {
    const n = r.whole(1, 3), names = ['x', 'y', 'z'].slice(0, n);
    const model = model_of(names, (T, m) => {
        m.until = r.in(2, 12);
        m.tol = r.of([1e-6, 1e-8, 1e-10]);
        m.method = r.of([null, null, 'dopri5', 'auto']);
        names.forEach((_, i) => {
            m.kinetic.push(T.mul(r.in(0.4, 2), 0.5, T.square(T.v(i))));
            m.potential.push(T.mul(r.in(0.5, 4), 0.5, T.square(T.sub(T.q(i), i ? T.q(i - 1) : 0))));
            m.start.q[i] = r.either(0.5, 1.5);
            m.start.v[i] = r.either(0.2, 1);
        });
        for (let k = 0; k < r.whole(1, 2); k++) {
            const i = r.whole(0, n - 1);
            m.forces.push([i, state_force(T, r, i, n)]);
        }
        Object.assign(m, {remark: /stays|slid|switch/, strict: true});
        if (r.yes(0.4)) m.potential.push(T.mul(r.in(0.3, 2), T.abs(T.sub(T.q(0), 0.1))));
        if (n > 1 && r.yes(0.3)) hold(T, m, 'tie', T.add(T.q(0), T.mul(r.either(0.3, 1), T.sin(T.q(n - 1)))));
        m.longest = 0.05;
        if (!fit_velocities(T, m)) m.bad = true;
    });
    return model.bad ? null : model;
}

// ---------------------------------------------------------------------------- chatter

// Dry friction written by hand: each -k sign(speed); bodies stick, hold each other, break away.
function chatter(r) {
    const n = r.of([1, 2, 3, 3, 4]), names = ['x', 'y', 'z', 'u'].slice(0, n);
    return model_of(names, (T, m) => {
        m.until = r.in(3, 10);
        m.tol = r.of([1e-6, 1e-8, 1e-9]);
        names.forEach((_, i) => {
            m.kinetic.push(T.mul(r.in(0.4, 2), 0.5, T.square(T.v(i))));
            m.start.q[i] = r.either(0, 1);
            m.start.v[i] = r.yes(0.3) ? 0 : r.either(0.2, 2);
            const k = r.in(0.3, 2), between = i && r.yes(0.4), unit = r.of([1, 1, 1e-6, 1e3, 1e9]); // a speed in any unit
            const g = between ? T.sub(T.mul(unit, T.v(i)), T.mul(unit, T.v(i - 1))) : T.mul(unit, T.v(i));
            const rub = r.yes(0.7) ? T.mul(-k, T.sign(g)) : T.choose(g, -k, round(0.8 * k));
            m.forces.push([i, rub]);
            if (between) m.forces.push([i - 1, T.neg(rub)]);
        });
        for (let i = 0; i < n; i++) {
            if (r.yes(0.6)) m.potential.push(T.mul(r.in(0.5, 5), 0.5, T.square(i ? T.sub(T.q(i), T.q(i - 1)) : T.q(i))));
            if (r.yes(0.5)) m.forces.push([i, T.mul(r.either(0.3, 3), T.sin(T.add(0.3, T.mul(r.in(0.5, 4), T.t))))]);
            else if (r.yes(0.4)) m.potential.push(T.mul(r.in(1, 4), 0.5, T.square(T.sub(T.q(i), T.mul(r.in(0.2, 1), T.t)))));
        }
        m.longest = 0.03;
        m.remark = /slid|rest|stays|chatter|switch/;
        m.strict = true;
    });
}

// A relay that drives a state to a line and holds it there: u = -k sign(x' + c (x - f)), on a spring,
// on a pendulum's angle, or on a bead that a constraint leads.
function relay(r) {
    const led = r.yes(0.4);
    const model = model_of(led ? ['x', 'y'] : ['x'], (T, m) => {
        Object.assign(m,
            {until: r.in(2, 6), tol: r.of([1e-6, 1e-8]), longest: 0.03, remark: /slid|rest|stays|chatter|switch/, strict: true});
        m.names.forEach((_, i) => m.kinetic.push(T.mul(r.in(0.5, 2), 0.5, T.square(T.v(i)))));
        m.start.q[0] = r.either(0.3, 1);
        m.start.v[0] = r.either(0, 1);
        const aim = r.yes() ? T.mul(r.in(0.1, 0.4), T.sin(T.t)) : 0, k = r.in(4, 9);
        const line = T.add(T.v(0), T.mul(r.in(0.5, 2), T.sub(T.q(0), aim)));
        m.forces.push([0, r.yes() ? T.mul(-k, T.sign(line)) : T.choose(line, -k, round(k * r.in(0.7, 1.3)))]);
        m.potential.push(r.yes() ? T.mul(r.in(0.5, 2), T.cos(T.q(0))) : T.mul(r.in(0.5, 2), T.square(T.q(0))));
        if (led) hold(T, m, 'wire', T.sub(T.q(1), T.mul(r.either(0.3, 1), T.sin(T.q(0)))));
        if (led && r.yes()) m.potential.push(T.mul(r.in(0.5, 2), T.q(1)));
        if (!fit_velocities(T, m)) m.bad = true;
    });
    return model.bad ? null : model;
}

// Braked by the root of its speed: it stops at t = 2 sqrt(v)/k for m = 1, and stays.
function root_speed(r) {
    return model_of(['x'], (T, m) => {
        const k = r.in(0.5, 3), v = r.either(0.3, 4), stop = (2 * Math.sqrt(Math.abs(v))) / k;
        Object.assign(m, {
            until: round(stop * r.in(0.6, 2)),
            tol: r.of([1e-6, 1e-8]),
            remark: /slid|rest|stays|chatter|switch|root|steps/,
            strict: true
        });
        m.kinetic.push(T.mul(0.5, T.square(T.v(0))));
        m.start.v[0] = v;
        m.at = times(0, m.until, 4);
        m.lines = [
            `force x: -${k}*${r.of(["sqrt(abs(x'))*sign(x')", "if(x' > 0, sqrt(abs(x')), -sqrt(abs(x')))", "x'/sqrt(abs(x'))"])}`
        ];
        const speed = (t) => Math.sign(v) * Math.max(0, Math.sqrt(Math.abs(v)) - (k * t) / 2) ** 2;
        const way = (t) =>
            Math.sign(v) * (2 / (3 * k)) * (Math.abs(v) ** 1.5 - Math.max(0, Math.sqrt(Math.abs(v)) - (k * t) / 2) ** 3);
        m.answer = () => m.at.map((t) => ({t, q: [way(t)], v: [speed(t)]}));
        m.exact = true;
    });
}

// ---------------------------------------------------------------------------- when

// Very many firings: a point between walls, relays of time, counters.
function firings(r) {
    return model_of(['x', 'n'], (T, m) => {
        m.tol = r.of([1e-6, 1e-9]);
        m.kinetic.push(T.mul(r.in(0.5, 2), T.square(T.v(0))), T.square(T.v(1)));
        const count = {kind: 'q', index: 1, to: T.add(T.q(1), 1)}, way = r.whole(0, 2);
        if (way === 0) { // free between two walls
            const wide = r.power(-2.5, -1), speed = r.in(0.5, 3);
            m.until = round((r.whole(200, 900) + 0.37) * wide / speed);
            m.start = {q: [round(0.4 * wide), 0], v: [speed, 0]};
            const back = {kind: 'v', index: 0, to: T.neg(T.v(0))};
            m.whens.push({guard: T.sub(T.q(0), wide), sets: [back, count]}, {guard: T.neg(T.q(0)), sets: [back, count]});
            m.longest = wide / speed / 2.3;
            m.at = times(0, m.until, 3);
        } else if (way === 1) { // counts the turns of a wave of time
            const w = r.in(20, 200), level = r.in(0.1, 0.95);
            m.until = round((r.whole(100, 1500) + 0.7) * 2 * Math.PI / w);
            m.whens.push({guard: T.sub(T.sin(T.mul(w, T.t)), level), sets: [count]});
            m.start.v[0] = 1;
            m.at = times(0, m.until, 3);
            m.answer = () => m.at.map((t) => ({t, q: [t, turns(w, level, t)], v: [1, 0]}));
        } else { // counts the turns of an oscillator that is slow to see
            const k = r.in(100, 4000), amp = r.power(-6, 0);
            m.potential.push(T.mul(k, T.square(T.q(0))));
            m.start.q[0] = amp;
            const c = value_at(m.kinetic[0]), w = Math.sqrt(k / c), level = r.in(0.1, 0.9);
            m.until = round((r.whole(50, 300) + 0.5) * 2 * Math.PI / w);
            m.whens.push({guard: T.sub(T.q(0), level * amp), sets: [count]});
            m.at = times(0, m.until, 3);
            m.apart = true;
            m.answer = () => m.at.map((t) => ({
                t,
                q: [amp * Math.cos(w * t), Math.floor((w * t + Math.acos(level)) / (2 * Math.PI))],
                v: [-amp * w * Math.sin(w * t), 0]
            }));
        }
        if (m.answer) m.columns = [{name: 'n', kind: 'n', most: 0.5, of: (row) => row.q[1]}];
        m.exact = Boolean(m.answer);
    });
}

// A motion with a kink that ends where a coordinate passes a level: the moment and the state there.
function stops(r) {
    const model = kink(r);
    if (!model || model.names.length < 2) return null;
    const T = model.terms, i = r.whole(0, model.names.length - 1), level = r.either(0.05, 1);
    model.whens.push({guard: T.sub(T.mul(r.of([1, -1]), T.q(i)), level), sets: [], stop: true});
    const motion = new Motion(model, {tol: 1e-12});
    motion.rows();
    if (motion.ended === null || motion.ended < 0.05 || Math.abs(motion.y[motion.n + i]) < 0.2) return null;
    const end = motion.row();
    model.examine = (zwang, folder, text) => {
        const run = run_command(
            zwang, folder, text, ['--every', String(model.until), '--columns', fields(model).map((c) => c.name).join(', ')], 20);
        if (run.late || run.status !== 0) return {outcome: outcome(model, run, null), detail: run.said.split('\n')[0]};
        const last = run.rows.rows[run.rows.rows.length - 1], off = Math.abs(last[0] - end.t);
        const worst = Math.max(off, ...fields(model).map((c, k) => Math.abs(last[k + 1] - c.of(end))));
        const wrong =
            !(worst < 3000 * model.tol * (1 + Math.max(...end.q.map(Math.abs), ...end.v.map(Math.abs), ...end.a.map(Math.abs))));
        return {
            outcome: outcome(model, run, wrong ? {} : null),
            detail: `stops at ${last[0]}, the oracle at ${end.t}; state off by ${worst}; trust ${run.trust}: ${run.reason}`
        };
    };
    return model;
}

// How often sin(w t) has passed the level upwards until t.
function turns(w, level, t) { return Math.floor((w * t - Math.asin(level)) / (2 * Math.PI)) + 1; }
// The factor of a product, here of x'^2.
function value_at(tree) { return tree.args[0].extra; }

module.exports = {
    classes: [
        {name: 'window', portion: 4, make: window},
        {name: 'timed_elsewhere', portion: 1.5, make: timed_elsewhere},
        {name: 'kink', portion: 3, make: kink},
        {name: 'chatter', portion: 3, make: chatter},
        {name: 'relay', portion: 1.5, make: relay},
        {name: 'root_speed', portion: 0.7, make: root_speed},
        {name: 'firings', portion: 1.5, make: firings},
        {name: 'stops', portion: 1, make: stops},
    ],
};
