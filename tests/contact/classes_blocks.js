// Classes of random blocks that do not turn: on tables and belts, on each other, on wedges, against
// walls, on ropes and rails, thrown, pushed by forces that grow, dropped. Their motion is a polynomial
// from event to event and known exactly (exact_motion.js), so all of them must be right.
'use strict';
const {Blocks, Paradox} = require('./exact_motion.js');
const {Beyond} = require('./exact_modes.js');
const {events_differ} = require('./compare_events.js');
const {round} = require('../oracle/chance.js');

const GRAVITY = 9.81, TOLERANCE = 1e-10;

// ---------------------------------------------------------------------------- worlds

function empty(r, blocks) {
    const names = [], mass = [], force = [], start = {q: [], v: []};
    for (let k = 1; k <= blocks; k++) {
        const m = decimal(r.in(0.3, 4), 2);
        names.push(`x${k}`, `y${k}`);
        mass.push(m, m);
        force.push([0, 0], [decimal(-m * GRAVITY, 4), 0]); // all fall alike, exactly
        start.q.push(0, 0);
        start.v.push(0, 0);
    }
    return {names, mass, force, start, contacts: [], until: r.in(1, 3), law: 'poisson', rule: 'rounds'};
}
const decimal = (x, places) => Number(x.toFixed(places));
const x_of = (k) => 2 * k, y_of = (k) => 2 * k + 1;

function some_friction(r, row, belt = 0) {
    const mu = r.in(0.05, 0.9);
    return {row, belt, mu, still: r.yes(0.4) ? round(mu * r.in(1.05, 1.6)) : null};
}

// Blocks on a table or belt, and on each other; `under[k]` is the block below, -1 the table.
function stack(r, world, blocks) {
    world.under = [];
    for (let k = 0; k < blocks; k++) {
        const below = k === 0 || r.yes(0.3) ? -1 : r.whole(0, k - 1), belt = below < 0 && r.yes(0.25) ? r.either(0.2, 2) : 0;
        world.under.push(below);
        const gap = below < 0 ? {[y_of(k)]: 1} : {[y_of(k)]: 1, [y_of(below)]: -1};
        const slip = below < 0 ? {[x_of(k)]: 1} : {[x_of(k)]: 1, [x_of(below)]: -1};
        world.contacts.push({name: `below${k + 1}`, row: gap, friction: r.yes(0.85) ? some_friction(r, slip, belt) : null});
    }
}

function throw_some(r, world, blocks) {
    for (let k = 0; k < blocks; k++) {
        if (r.yes(0.6)) world.start.v[x_of(k)] = r.either(0.2, 4);
        if (r.yes(0.5)) world.force[x_of(k)] = [r.either(0, 8), r.yes(0.5) ? r.either(0, 12) : 0];
        if (r.yes(0.15)) world.force[y_of(k)][1] = r.either(2, 15); // lifts it, or presses it down
    }
}

// Gravity that is not upright: all stands on a slope.
function tilt(r, world) {
    const a = r.either(0.1, 0.6), more = [decimal(-GRAVITY * Math.sin(a), 2), decimal(GRAVITY * (1 - Math.cos(a)), 2)];
    world.mass.forEach((m, i) => { world.force[i][0] = decimal(world.force[i][0] + m * more[i % 2], 6); });
}

function walls(r, world, blocks, e) {
    for (let k = 0; k < blocks; k++) {
        if (!r.yes(0.4)) continue;
        const side = r.of([1, -1]), far = r.in(0.1, 1), rough = r.yes(0.4);
        world.contacts.push({name: `wall${k + 1}`, row: {[x_of(k)]: side}, c: far, w: r.yes(0.15) ? r.either(0.05, 0.3) : 0, e: e(),
            friction: rough ? some_friction(r, {[y_of(k)]: 1}) : null});
    }
}

// Ropes along the table between two blocks, or over a pulley; slack at first.
function ropes(r, world, blocks, e) {
    if (blocks < 2 || !r.yes(0.5)) return;
    const i = r.whole(0, blocks - 2), j = r.whole(i + 1, blocks - 1), long = r.in(0.05, 0.6), scale = r.of([1, 1, 2, 0.5]);
    const row = r.yes(0.7) ? {[x_of(i)]: scale, [x_of(j)]: -scale} : {[x_of(i)]: -scale, [y_of(j)]: -scale};
    world.contacts.push({name: 'rope', row, c: round(scale * long), e: e()});
}

const plastic = () => 0;

function blocks(r) {
    const count = r.whole(1, 4), world = empty(r, count);
    stack(r, world, count);
    throw_some(r, world, count);
    if (r.yes(0.3)) tilt(r, world);
    walls(r, world, count, plastic);
    ropes(r, world, count, plastic);
    return world;
}

// A wedge on the table with a block on its slope, which may carry another.
function wedges(r) {
    const count = r.whole(2, 3), world = empty(r, count), [c, s] = r.of([[0.8, 0.6], [0.96, 0.28], [0.6, 0.8], [0.8, -0.6]]);
    world.contacts.push({name: 'table', row: {1: 1}, friction: r.yes(0.8) ? some_friction(r, {0: 1}) : null});
    world.contacts.push({name: 'slope', row: {2: -s, 3: c, 0: s, 1: -c}, friction: r.yes(0.8) ? some_friction(r, {2: c, 3: s, 0: -c, 1: -s}) : null});
    if (count > 2) world.contacts.push({name: 'top', row: {4: -s, 5: c, 2: s, 3: -c}, friction: some_friction(r, {4: c, 5: s, 2: -c, 3: -s})});
    throw_some(r, {...world, start: {v: []}}, count);
    const along = decimal(r.either(0, 2), 2); // all together, and the block along its slope
    for (let k = 0; k < count; k++) world.start.v[x_of(k)] = along;
    if (r.yes(0.7)) {
        const speed = decimal(r.either(0.2, 3), 2);
        for (let k = 1; k < count; k++) {
            world.start.v[x_of(k)] = decimal(along + speed * c, 4);
            world.start.v[y_of(k)] = decimal(speed * s, 4);
        }
    }
    walls(r, world, 1, plastic);
    return world;
}

// Equations that rub: blocks on rails, which rods join obliquely, so that friction feeds back.
function rails(r) {
    const count = r.whole(1, 3), world = empty(r, count);
    for (let k = 0; k < count; k++)
        world.contacts.push({name: `rail${k + 1}`, joint: true, row: {[y_of(k)]: r.of([1, 1, -1, 2])},
            friction: some_friction(r, {[x_of(k)]: 1}, r.yes(0.2) ? r.either(0.2, 1) : 0)});
    if (count > 1 && r.yes(0.6)) {
        const [a, b, speed] = [decimal(r.either(0.3, 1), 1), decimal(r.either(0.3, 1), 1), r.yes(0.7) ? decimal(r.either(0.2, 3), 1) : 0];
        world.contacts.push({name: 'rod', joint: true, row: {[x_of(0)]: a, [x_of(1)]: b}, friction: null});
        world.start.v[x_of(0)] = decimal(speed * b, 2);
        world.start.v[x_of(1)] = decimal(-speed * a, 2);
        world.tied = true;
    }
    if (r.yes(0.5)) { // a block carried by the first
        const k = world.names.length / 2, m = decimal(r.in(0.3, 3), 2);
        world.names.push(`x${k + 1}`, `y${k + 1}`);
        world.mass.push(m, m);
        world.force.push([0, 0], [decimal(-m * GRAVITY, 4), 0]); // all fall alike, exactly
        world.start.q.push(0, 0);
        world.start.v.push(world.start.v[0], 0);
        world.contacts.push({name: 'carried', row: {[y_of(k)]: 1, 1: -1}, friction: some_friction(r, {[x_of(k)]: 1, 0: -1})});
    }
    for (let k = 0; k < count; k++) {
        if (!world.tied && r.yes(0.7)) world.start.v[x_of(k)] = r.either(0.2, 3);
        world.force[x_of(k)] = [r.either(0, 6), r.yes() ? r.either(0, 10) : 0];
        if (r.yes(0.4)) world.force[y_of(k)][1] = r.either(2, 20);
    }
    return world;
}

// Balls above each other and above a rough table, which bounce.
function drops(r) {
    const count = r.whole(1, 3), world = empty(r, count), e = () => (r.yes(0.3) ? 0 : r.in(0.1, r.yes(0.2) ? 1 : 0.7));
    stack(r, world, count);
    for (const c of world.contacts) c.e = e();
    let height = 0;
    for (let k = 0; k < count; k++) {
        height = round((world.under[k] < 0 ? 0 : world.start.q[y_of(world.under[k])]) + (r.yes(0.8) ? r.in(0.05, 1) : 0));
        world.start.q[y_of(k)] = height;
        world.start.v[x_of(k)] = r.yes(0.8) ? r.either(0.2, 4) : 0;
        if (height > 0) world.start.v[y_of(k)] = r.yes() ? r.either(0, 2) : 0;
    }
    walls(r, world, count, e);
    ropes(r, world, count, e);
    world.law = r.yes(0.3) ? 'newton' : 'poisson';
    world.rule = r.yes(0.2) ? 'together' : 'rounds';
    return world;
}

// ---------------------------------------------------------------------------- text

// A sum of multiples of names, as a person would write it.
function sum_text(row, names, tail = '') {
    const terms = Object.entries(row).map(([j, c]) => [c, `${Math.abs(c) === 1 ? '' : `${Math.abs(c)}*`}${names[j]}${tail}`]);
    return terms.map(([c, text], k) => (k === 0 ? (c < 0 ? '-' : '') : c < 0 ? ' - ' : ' + ') + text).join('');
}
const plus = (c, what = '') => (c ? ` ${c < 0 ? '-' : '+'} ${Math.abs(c)}${what}` : '');

function contact_text(world, c) {
    const f = c.friction, gap = `${sum_text(c.row, world.names)}${plus(c.c)}${plus(c.w, '*t')}`;
    return [`constraint ${c.name}: ${gap} ${c.joint ? '=' : '>='} 0`,
        ...(c.e ? [`restitution ${c.name}: ${c.e}`] : []),
        ...(f ? [`friction ${c.name}: ${f.mu} along ${sum_text(f.row, world.names, "'")}${plus(-f.belt)}${f.still ? `, static = ${f.still}` : ''}`] : [])];
}

function world_text(world) {
    const {names} = world, law = world.law === 'newton' ? ', impact = newton' : '', rule = world.rule === 'together' ? ', impacts = together' : '';
    const half = names.map((_, i) => i).filter((i) => i % 2 === 0);
    return [`coord ${names.join(', ')}`, ...half.map((i) => `kinetic ${world.mass[i]}/2*(${names[i]}'^2 + ${names[i + 1]}'^2)`),
        ...names.flatMap((name, i) => {
            const [a, b] = world.force[i];
            return a || b ? [`force ${name}: ${a}${plus(b, '*t')}`] : [];
        }),
        ...world.contacts.flatMap((c) => contact_text(world, c)),
        ...names.flatMap((name, i) => [[name, world.start.q[i]], [`${name}'`, world.start.v[i]]]).filter(([, x]) => x).map(([name, x]) => `start ${name} = ${x}`),
        `simulate t = 0..${world.until}, tol = ${TOLERANCE}${law}${rule}`, ''].join('\n');
}

// ---------------------------------------------------------------------------- models of the oracle

// Times for rows: none at an event.
function fit_times(motion, until) {
    const wish = [0.2, 0.4, 0.6, 0.8, 1].map((s) => s * until);
    return wish.map((t) => [0, 0.013, -0.017, 0.031, -0.041, 0.06].map((d) => round(Math.min(until, t + d * until))).find((x) => !motion.unfit(x, 1e-3)))
        .filter((t, k, all) => t !== undefined && all.indexOf(t) === k).sort((a, b) => a - b);
}

function columns_of(world) {
    const of = (name, kind, get) => ({name, kind, of: get}), {names, contacts} = world;
    return [...names.map((name, i) => of(name, 'q', (row) => row.q[i])), ...names.map((name, i) => of(`${name}'`, 'v', (row) => row.v[i])),
        ...contacts.flatMap((c, k) => [
            of(`${c.joint ? 'multiplier' : 'normal'}(${c.name})`, 'N', (row) => row.contacts[k].N),
            ...(c.friction ? [of(`friction(${c.name})`, 'N', (row) => row.contacts[k].tau)] : []),
            ...(c.joint ? [] : [of(`contact(${c.name})`, 'state', (row) => row.contacts[k].state)])])];
}

// A start or force that is moved a little: what touches goes on touching.
function shift_of(world, change) {
    if (!change) return {};
    const n = world.names.length, held = new Set(world.contacts.flatMap((c) => Object.keys(c.row).map(Number)));
    const gentle = (list, keep) => list.map((x, i) => (keep(i) ? x.toExponential(6) : 0));
    return {q: gentle(change.slice(0, n), (i) => !held.has(i)), force: gentle(change.slice(n).map((x, i) => x * world.mass[i]), () => true)};
}

// Whether blows of different contacts follow each other so fast that it depends on tolerances whether they are one: a light
// block between heavy ones.
function rattles(events) {
    const hard = events.filter((e) => e.kind === 'impact' && e.approach > 1e-3);
    return hard.some((e, k) => k > 0 && e.name !== hard[k - 1].name && e.t - hard[k - 1].t < 1e-6 && e.t > hard[k - 1].t);
}

// A model of the oracle from a world, or null where this oracle cannot tell what happens.
function model_from(world) {
    let motion;
    const gap = (c) => Object.entries(c.row).reduce((sum, [j, x]) => sum + x * world.start.q[j], c.c ?? 0);
    if (world.contacts.some((c) => gap(c) < -1e-12)) return null; // inside a wall at the start
    try {
        motion = new Blocks(world).run();
    } catch (error) {
        if (error instanceof Beyond || error instanceof Paradox) return null;
        throw error;
    }
    if (world.rule === 'together' && rattles(motion.events)) return null;
    const at = fit_times(motion, world.until), rows = (m) => at.map((t) => m.row(t));
    if (!at.length) return null;
    const answer = ({change}) => {
        if (!change) return rows(motion);
        try { return rows(new Blocks(world, shift_of(world, change)).run()); } catch (error) { return []; }
    };
    return {text: world_text(world), columns: columns_of(world), answer, at, until: world.until, tol: TOLERANCE, names: world.names, rows: [],
        start: world.start, beside: [/./], remark: /./, events: true, inspect: (run) => events_differ(motion.events, run.events)};
}

const class_of = (name, make, portion) => ({name, portion, must: 'right', make: (r) => model_from(make(r))});

module.exports = {
    classes: [class_of('blocks', blocks, 4), class_of('wedges', wedges, 2), class_of('rails', rails, 2), class_of('drops', drops, 3)],
    worlds: {blocks, wedges, rails, drops}, world_text, model_from,
};
