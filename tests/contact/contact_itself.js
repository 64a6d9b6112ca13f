// Checks the oracles of this folder by other means than their own:
//   - exact impacts against the cradle, exact modes against Painleve's rod, exact motions against stacked
//     blocks and the bouncing ball of tests/reference/contact
//   - modes of random instants against the laws written down once more, in doubles
//   - the comparison of events: one that is missing, late or too much is seen
'use strict';
const fs = require('fs'), path = require('path');
const {ONE, fixed, number, over} = require('./fixed_point.js');
const {find_modes, force_of} = require('./exact_modes.js');
const {impact} = require('./exact_impacts.js');
const {Blocks} = require('./exact_motion.js');
const {events_differ} = require('./compare_events.js');
const {worlds} = require('./classes_blocks.js');
const {chance, seed_of} = require('../oracle/chance.js');

let checks = 0, failures = 0;
function expect(what, holds) {
    checks++;
    if (holds) return;
    failures++;
    console.log(what);
}
const near = (what, seen, value, within = 1e-14) => expect(`${what}: ${seen}, expected ${value}`, Math.abs(seen - value) <= within * (1 + Math.abs(value)));

const load = (name) => JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'reference', 'contact', `contact_${name}.json`), 'utf8')).reference;
const fraction = (text) => { const [a, b] = String(text).split('/'); return b ? over(fixed(a), fixed(b)) : fixed(a); };

function check_cradle() {
    for (const {case: name, values} of load('cradle'))
        for (const law of ['poisson', 'newton'])
            for (const rule of ['rounds', 'together']) {
                const v = values.before.map(fraction), M = values.masses.map((m, i) => v.map((_, j) => (i === j ? fraction(m) : 0n)));
                const all = v.slice(1).map((x, i) => ({n: v.map((_, j) => (j === i ? -ONE : j === i + 1 ? ONE : 0n)), rate: x - v[i], e: fraction(values.restitution), T: null}));
                const out = impact({M, v, equal: [], all}, {law, rule});
                out.v.forEach((x, i) => near(`cradle ${name} ${law} ${rule}`, number(x), number(fraction(values[rule][i]))));
                if (rule === 'rounds') expect(`cradle ${name}: ${out.rounds} rounds`, out.rounds === values.number_of_rounds);
            }
}

// The rod with tan th = 2: sin and cos are not rational, their squares are; scaled by 1/sqrt(5).
function check_painleve() {
    const cases = {regular_forward: [2, 0, 1], regular_small_mu: [1, 0, -1], no_solution: [2, 0, -1], two_solutions: [2, 5, -1], lifts_off: [1, 5, -1]};
    for (const {case: name, values} of load('painleve_rod')) {
        const [mu, omega, slip] = cases[name], s = fixed(0.8944271909999159), c = fixed(0.4472135954999579), third = over(ONE, 3n * ONE);
        const M = [[ONE, 0n, 0n], [0n, ONE, 0n], [0n, 0n, third]], w2 = fixed(omega * omega), bias = (x) => -((w2 * x) >> 320n);
        const live = [{n: [0n, ONE, -c], T: [ONE, 0n, s], bn: [bias(s), 0n], bt: [bias(c), 0n], mu: fixed(mu), still: fixed(mu), slip}];
        const system = {M, Q: [[0n, fixed(-9.81), 0n], [0n, 0n, 0n]], equal: [], live}, found = find_modes(system);
        expect(`painleve ${name}: ${found.length} motions`, found.length === values.number_of_solutions);
        const N = found.map((one) => number(force_of(system, one, 0).N[0])).sort((a, b) => a - b);
        values.N.forEach((x, i) => near(`painleve ${name} N`, N[i], Number(x), 1e-13));
    }
}

function check_blocks() {
    const cases = {top_thrown: [2, 1, 0.2, 0.5, 0, 3, 0], top_thrown_bottom_moves: [2, 3, 0.1, 0.5, 0, 3, 0], pushed: [2, 1, 0.2, 0.3, 0, 0, 20],
        pushed_gently: [2, 1, 0.2, 0.3, 0, 0, 10], bottom_pulled_away: [2, 1, 0.2, 0.1, 3, 0, 0]};
    for (const [name, [m1, m2, mu1, mu2, v1, v2, F]] of Object.entries(cases)) {
        const contacts = [{name: 'table', row: {1: 1}, friction: {row: {0: 1}, mu: mu1}}, {name: 'top', row: {3: 1, 1: -1}, friction: {row: {2: 1, 0: -1}, mu: mu2}}];
        const weight = (m) => [(-9.81 * m).toFixed(6), 0];
        const motion = new Blocks({names: ['x1', 'y1', 'x2', 'y2'], mass: [m1, m1, m2, m2], force: [[F, 0], weight(m1), [0, 0], weight(m2)], contacts,
            start: {q: [0, 0, 0, 0], v: [v1, 0, v2, 0]}, until: 4.5}).run();
        for (const {t, values} of load('stacked_blocks').filter((e) => e.case === name)) {
            if (t === 'moments') { Object.values(values).forEach((x, i) => near(`${name} event`, motion.events[i].t, Number(x))); continue; }
            const {q, v, contacts: c} = motion.row(Number(t)), seen = {x1: q[0], x2: q[2], d_x1: v[0], d_x2: v[2], friction_table: c[0].tau, friction_top: c[1].tau};
            for (const key in values) near(`${name} ${key} at ${t}`, seen[key], Number(values[key]));
        }
    }
}

function check_ball() {
    for (const [name, mu, along] of [['frictionless', 0, 3], ['friction', 0.2, 9]]) {
        const motion = new Blocks({names: ['x', 'y'], mass: [1, 1], force: [[0, 0], [-9.81, 0]], start: {q: [0, 1], v: [along, 0]}, until: 5,
            contacts: [{name: 'ground', row: {1: 1}, e: 0.8, friction: {row: {0: 1}, mu}}]}).run();
        for (const {t, values} of load('bouncing_ball').filter((e) => e.case === name && e.t !== 'moments')) {
            const {q, v} = motion.row(Number(t)), seen = {x: q[0], y: q[1], d_x: v[0], d_y: v[1]};
            for (const key in values) near(`${name} ${key} at ${t}`, seen[key], Number(values[key]));
        }
    }
}

// Of random worlds: places never go through, energy is what forces and friction leave, Coulomb's law holds at
// any time, as doubles see it.
function check_laws() {
    for (const kind of ['blocks', 'wedges'])
        for (let k = 0; k < 12; k++) {
            const world = worlds[kind](chance(seed_of(3, kind, k)));
            let motion;
            try { motion = new Blocks(world).run(); } catch (error) { continue; }
            for (let i = 1; i <= 20; i++) {
                const t = (world.until * i) / 20.5, row = motion.row(t), what = `${kind} ${k} at ${t}`;
                if (motion.unfit(t, 1e-3)) continue;
                world.contacts.forEach((c, j) => {
                    const f = row.contacts[j], gap = Object.entries(c.row).reduce((s, [n, x]) => s + x * row.q[n], (c.c ?? 0) + (c.w ?? 0) * t);
                    expect(`${what}: gap ${gap}`, gap > -1e-12);
                    if (c.joint || Number.isNaN(f.N)) return;
                    expect(`${what}: N ${f.N} at gap ${gap}`, f.N >= -1e-12 && f.N * gap < 1e-10);
                    if (!c.friction || Number.isNaN(f.tau)) return;
                    const slip = Object.entries(c.friction.row).reduce((s, [n, x]) => s + x * row.v[n], -c.friction.belt), {mu, still} = c.friction;
                    const law = Math.abs(slip) > 1e-9 ? Math.abs(f.tau + mu * f.N * Math.sign(slip)) < 1e-9 : Math.abs(f.tau) <= Math.max(mu, still ?? 0) * f.N + 1e-9;
                    expect(`${what}: friction ${f.tau} for N ${f.N}, slip ${slip}`, law);
                });
            }
        }
}

function check_events() {
    const real = [{t: 1, name: 'a', kind: 'impact', approach: 1}, {t: 2, name: 'b', kind: 'slips'}, {t: 3, name: 'b', kind: 'turns'}];
    const seen = [{t: 1, name: 'a', kind: 'impact'}, {t: 2, name: 'b', kind: 'slips'}];
    expect('the same events', events_differ(real, seen) === null);
    expect('an event may tell a turn', events_differ(real, [...seen, {t: 3, name: 'b', kind: 'slips'}]) === null);
    expect('no impact', events_differ(real, seen.slice(1)) !== null);
    expect('no slip', events_differ(real, seen.slice(0, 1)) !== null);
    expect('late', events_differ(real, [seen[0], {...seen[1], t: 2.00001}]) !== null);
    expect('another name', events_differ(real, [seen[0], {...seen[1], name: 'a'}]) !== null);
    expect('one too many', events_differ(real, [...seen, {t: 2.5, name: 'a', kind: 'opens'}]) !== null);
    expect('no table', events_differ(real, null) !== null);
}

for (const check of [check_cradle, check_painleve, check_blocks, check_ball, check_laws, check_events]) check();
console.log(`${checks} checks, ${failures} failures`);
process.exitCode = failures || !checks ? 1 : 0;
