// Random linkages and bodies in the plane with one to four contacts that touch, at one instant: what
// accelerates, and the forces of contact, against all modes tried in exact arithmetic. Where there is
// no motion, or more than one, the command must say so.
//
// A linkage is a chain of bars on a base that is fixed, runs on a line or is free. Coordinates are
// those of the base and the angles between bars; the oracle uses the angles phi of bars against the
// world, phi = S a, with e = (cos phi, sin phi), u = (-sin phi, cos phi) at tan(phi/2) decimal, so
// that all is rational:
//     point  p = base + sum (along_j e_j + across_j u_j)
//     dp     = base' + sum (along_j u_j - across_j e_j) phi_j'
//     ddp    = ... + sum (-along_j e_j - across_j u_j) phi_j'^2
'use strict';
const {spawnSync} = require('child_process');
const {ONE, fixed, number, times, over, dot, solve, is_zero, sign} = require('./fixed_point.js');
const {find_modes, by_rule, force_of, Beyond} = require('./exact_modes.js');
const {run_contacts} = require('../oracle/subject.js');
const {first_wrong} = require('../oracle/judge.js');

const GRAVITY = 9.81, TOLERANCE = 1e-12;
// The part of contacts that are equations.
const FEW = 0.15, MANY = 0.7;

// ---------------------------------------------------------------------------- the system

// Axes e and u of a bar at tan(phi/2) = h.
function axes(h) {
    const t = fixed(h), s = ONE + times(t, t), e = [over(ONE - times(t, t), s), over(2n * t, s)];
    return {e, u: [-e[1], e[0]]};
}

class Linkage {
    constructor(r) {
        const base = r.of([0, 1, 2, 2]), bars = base === 2 ? r.whole(1, 2) : r.whole(1, 3);
        Object.assign(this, {base, bars, n: base + bars, mass0: base ? r.in(0.5, 3) : 0, half: [], bar: [], load: []});
        for (let k = 0; k < bars; k++) {
            this.half.push(r.either(0.1, 2.5));
            this.bar.push({long: r.in(0.4, 1.5), m: r.in(0.3, 3), J: r.in(0.02, 0.3), at: r.in(0.2, 0.6)});
        }
        for (let i = 0; i < this.n; i++) this.load.push(r.yes(0.6) ? r.either(0, 8) : 0);
        this.axes = this.half.map(axes);
        this.names = [...['x', 'y'].slice(0, base), ...this.bar.map((_, k) => `a${k + 1}`)];
    }

    // A point of bar k: so far along and across it.
    point(k, along, across) {
        return {along: this.bar.map((b, j) => (j < k ? b.long : j === k ? along : 0)), across: this.bar.map((_, j) => (j === k ? across : 0))};
    }

    // Rows dp/d(base, phi) of a point, two of them; and its acceleration for phi' alone.
    jacobian(p) {
        return [0, 1].map((d) => [...[...Array(this.base).keys()].map((i) => (i === d ? ONE : 0n)),
            ...this.axes.map(({e, u}, j) => times(fixed(p.along[j]), u[d]) - times(fixed(p.across[j]), e[d]))]);
    }
    turning(p, v) {
        return [0, 1].map((d) => this.axes.reduce((s, {e, u}, j) => s - times(times(v[this.base + j], v[this.base + j]),
            times(fixed(p.along[j]), e[d]) + times(fixed(p.across[j]), u[d])), 0n));
    }
    place(p) {
        return [0, 1].map((d) => this.axes.reduce((s, {e, u}, j) => s + times(fixed(p.along[j]), e[d]) + times(fixed(p.across[j]), u[d]), 0n));
    }

    // M and Q in the base and the angles phi, then in the coordinates: v = S q'.
    inertia(v) {
        const n = this.n, M = [...Array(n)].map(() => new Array(n).fill(0n)), Q = new Array(n).fill(0n);
        const add = (m, p, J, k) => {
            const rows = this.jacobian(p), turns = this.turning(p, v), mass = fixed(m);
            for (let i = 0; i < n; i++) {
                for (let j = 0; j < n; j++) M[i][j] += times(mass, times(rows[0][i], rows[0][j]) + times(rows[1][i], rows[1][j]));
                Q[i] -= times(mass, times(rows[0][i], turns[0]) + times(rows[1][i], turns[1] + fixed(GRAVITY)));
            }
            if (k >= 0) M[this.base + k][this.base + k] += fixed(J);
        };
        if (this.base) add(this.mass0, this.point(-1, 0, 0), 0, -1);
        this.bar.forEach((b, k) => add(b.m, this.point(k, b.at, 0), b.J, k));
        const into = (row) => this.relative(row), half = M.map(into);
        const both = half[0].map((_, j) => into(half.map((row) => row[j])));
        return {M: both, Q: into(Q).map((x, i) => x + fixed(this.load[i]))};
    }
    // A row in phi as a row in the angles between bars: each of those turns all bars behind it.
    relative(row) {
        const out = row.slice();
        for (let i = this.n - 2; i >= this.base; i--) out[i] += out[i + 1];
        return out;
    }
    // The velocities phi' of rates between bars.
    absolute(v) {
        const out = v.slice();
        for (let i = this.base + 1; i < this.n; i++) out[i] += out[i - 1];
        return out;
    }
}

// Velocities of coordinates that have none along some rows, nearest to v; belts: what rows have instead of 0.
function along_rows(v, rows, wanted) {
    if (!rows.length) return v;
    const out = solve(rows.map((a) => rows.map((b) => dot(a, b))), [rows.map((a, i) => dot(a, v) - wanted[i])]);
    if (!out) return null;
    return v.map((x, j) => x - rows.reduce((s, row, i) => s + times(row[j], out.x[0][i]), 0n));
}

// Contacts of points with lines through them.
function make_contacts(r, link, rough, joints) {
    const count = r.whole(1, Math.min(4, link.n + 1)), normals = [[0.6, 0.8], [0, 1], [-0.6, 0.8], [0.96, 0.28], [1, 0], [-0.28, 0.96]];
    return [...Array(count).keys()].map((i) => {
        const k = r.whole(0, link.bars - 1), p = link.point(k, r.yes() ? link.bar[k].long : r.in(-0.5, 1.5), r.yes(0.3) ? r.either(0.05, 0.4) : 0);
        const normal = r.of(normals), scale = r.of([1, 1, 1, 2, 0.5]), rub = r.yes(0.85), mu = rough ? r.in(0.8, 3) : r.in(0.05, r.yes(0.2) ? 3 : 0.9);
        return {
            name: `c${i + 1}`, k, p, normal: normal.map((x) => Number((x * scale).toFixed(3))), along: [normal[1], -normal[0]], joint: r.yes(joints), stuck: r.yes(0.5),
            mu, still: rub && r.yes(0.25) ? Number((mu * r.in(1.1, 1.6)).toFixed(4)) : null, rub, belt: r.yes(0.15) ? r.either(0.1, 1) : 0,
        };
    });
}

const combine = (pair, rows) => rows[0].map((_, j) => times(fixed(pair[0]), rows[0][j]) + times(fixed(pair[1]), rows[1][j]));

// Equations that follow from each other share by their weights, of which the modes know nothing.
function depend(rows) {
    if (rows.length === 0) return false;
    const found = solve(rows.map((a) => rows.map((b) => dot(a, b))), [rows.map(() => 0n)]);
    return !found || found.free.length > 0;
}

// The system of this instant for exact_modes.js; null where the velocities cannot be such.
function make_system(r, link, contacts) {
    const parts = contacts.map((c) => {
        const rows = link.jacobian(c.p).map((row) => link.relative(row));
        return {n: combine(c.normal, rows), T: c.rub ? combine(c.along, rows) : null};
    });
    const held = contacts.flatMap((c, i) => (c.rub && c.stuck ? [parts[i].n, parts[i].T] : [parts[i].n]));
    const wanted = contacts.flatMap((c) => (c.rub && c.stuck ? [0n, fixed(c.belt)] : [0n]));
    const some = r.yes(0.8) ? [...Array(link.n)].map(() => fixed(r.either(0, 3))) : new Array(link.n).fill(0n);
    const v = along_rows(some, held, wanted);
    if (!v) return null;
    const phi = link.absolute(v), {M, Q} = link.inertia(phi), none = Q.map(() => 0n);
    const live = contacts.map((c, i) => {
        const turns = link.turning(c.p, phi), bias = (pair) => -dot(pair.map(fixed), turns), slip = c.rub ? dot(parts[i].T, v) - fixed(c.belt) : 0n;
        return {...parts[i], bn: [bias(c.normal), 0n], bt: c.rub ? [bias(c.along), 0n] : undefined, mu: fixed(c.mu), still: fixed(Math.max(c.still ?? 0, c.mu)),
            slip: sign(slip), speed: slip, joint: c.joint, small: !is_zero(slip) && Math.abs(number(slip)) < 1e-3};
    });
    if (live.some((c) => c.small) || depend(live.filter((c) => c.joint).map((c) => c.n))) return null;
    return {M, Q: [Q, none], equal: [], live, v};
}

// ---------------------------------------------------------------------------- text

const vector = (list) => `[${list.join(', ')}]`;

function linkage_text(link, contacts, v) {
    const base = link.base === 0 ? '[0, 0]' : link.base === 1 ? '[x, 0]' : '[x, y]', lines = [`coord ${link.names.join(', ')}`];
    const angle = (k) => [...Array(k + 1).keys()].map((j) => `a${j + 1}`).join(' + '), h = (k) => `2*atan(${link.half[k]})`;
    lines.push('let e(f) = [cos(f), sin(f)]', 'let u(f) = [-sin(f), cos(f)]', `let p0 = ${base}`);
    if (link.base) lines.push(`kinetic ${link.mass0}/2*dot(p0', p0')`, `potential ${link.mass0}*${GRAVITY}*p0[2]`);
    link.bar.forEach((b, k) => {
        lines.push(`let f${k + 1} = ${angle(k)}`, `let p${k + 1} = p${k} + ${b.long}*e(f${k + 1})`, `let m${k + 1} = p${k} + ${b.at}*e(f${k + 1})`,
            `kinetic ${b.m}/2*dot(m${k + 1}', m${k + 1}') + ${b.J}/2*f${k + 1}'^2`, `potential ${b.m}*${GRAVITY}*m${k + 1}[2]`);
        lines.push(`start a${k + 1} = ${h(k)}${k ? ` - ${h(k - 1)}` : ''}`);
    });
    link.names.forEach((name, i) => {
        if (link.load[i]) lines.push(`force ${name}: ${link.load[i]}`);
        if (!is_zero(v[i])) lines.push(`start ${name}' = ${number(v[i])}`);
    });
    for (const c of contacts) {
        const at = `p${c.k} + ${c.p.along[c.k]}*e(f${c.k + 1})${c.p.across[c.k] ? ` + ${c.p.across[c.k]}*u(f${c.k + 1})` : ''}`;
        lines.push(`let ${c.name}_at = ${at}`,
            `constraint ${c.name}: dot(${vector(c.normal)}, ${c.name}_at) ${c.joint ? '=' : '>='} ${number(dot(c.normal.map(fixed), link.place(c.p)))}`);
        if (c.rub) lines.push(`friction ${c.name}: ${c.mu} along dot(${vector(c.along)}, ${c.name}_at')${c.belt ? ` - ${c.belt}` : ''}${c.still ? `, static = ${c.still}` : ''}`);
    }
    return `${lines.join('\n')}\nsimulate t = 0..0.001, tol = ${TOLERANCE}\n`.replace(/\+ -/g, '- ');
}

// ---------------------------------------------------------------------------- models of the oracle

function columns_of(link, contacts) {
    const of = (name, kind, get) => ({name, kind, of: get});
    return [...link.names.map((name, i) => of(`${name}''`, 'a', (row) => row.a[i])), ...contacts.flatMap((c, k) => [
        of(`${c.joint ? 'multiplier' : 'normal'}(${c.name})`, 'N', (row) => row.contacts[k].N),
        ...(c.rub ? [of(`friction(${c.name})`, 'N', (row) => row.contacts[k].tau)] : [])])];
}

// What is known at the start; null where a rule would have to choose that is none of ours.
function judge_system(system) {
    const found = find_modes(system, 4096), hysteresis = system.live.some((c) => c.T && c.still > c.mu);
    if (!hysteresis) return {count: found.length, one: found[0], found};
    const plain = find_modes({...system, live: system.live.map((c) => ({...c, still: c.mu}))}, 4096), one = by_rule(found);
    return plain.length === 1 && one && found.every((other) => slips_instead(one, other)) ? {count: 1, one} : null;
}

// Whether two motions differ by the usual choice only: what sticks in one slips in the other, and is not open.
function slips_instead(one, other) {
    return one.mode.every((o, i) => o.state !== 'stick' || other.mode[i].state !== 'open');
}

function instant(r, want, joints = FEW) {
    const link = new Linkage(r), contacts = make_contacts(r, link, want === 'other', joints), system = make_system(r, link, contacts);
    if (!system) return null;
    try {
        const known = judge_system(system);
        if (!known || (want === 'one') !== (known.count === 1)) return null;
        const text = linkage_text(link, contacts, system.v);
        return want === 'one' ? as_model(link, contacts, system, known.one, text) : as_paradox(link, contacts, system, known, text);
    } catch (error) {
        if (error instanceof Beyond) return null;
        throw error;
    }
}

function row_of(contacts, system, one) {
    return {t: 0, a: one.z[0].map(number), q: [], v: [], contacts: contacts.map((_, i) => {
        const f = force_of(system, one, i);
        return {N: f.N_unique ? number(f.N[0]) : NaN, tau: f.unique ? number(f.tau[0]) : NaN};
    })};
}

function as_model(link, contacts, system, one, text) {
    const row = row_of(contacts, system, one);
    return {text, columns: columns_of(link, contacts), answer: () => [row], at: [0], until: 0.001, tol: TOLERANCE, names: link.names, rows: [], exact: true,
        start: {q: [], v: []}, beside: [/./], remark: /./};
}

// No motion, or several: the message that must be there. Of several the one in which the most sticks may
// be taken, by the rule that what can stick does.
function as_paradox(link, contacts, system, known, text) {
    const code = known.count === 0 ? 'E0510' : 'E0511', stuck = known.count ? by_rule(known.found) : null;
    const model = stuck ? as_model(link, contacts, system, stuck, text) : null;
    const examine = (zwang, folder) => {
        const run = run_contacts(zwang, folder, text, ['--at', '0', '--columns', columns_of(link, contacts).map((c) => c.name).join(', ')]);
        const detail = `${known.count} motions, ${code}: status ${run.status}: ${run.said}`;
        if (run.late) return {outcome: 'endless', detail};
        if (run.died) return {outcome: 'unearned', detail: run.died};
        if (run.status !== 0) return {outcome: run.said.includes(`error[${code}]`) ? 'right' : 'refused', detail};
        const wrong = model ? first_wrong(model, model.columns, model.answer(), run.rows, TOLERANCE, null) : {text: 'not said'};
        return {outcome: wrong ? 'unearned' : 'right', detail: `${wrong?.text}; ${detail}`};
    };
    return {text, examine};
}

// ---------------------------------------------------------------------------- the same as numbers

// The instant as the input of `zwang solve`: joints are equations, the others inequalities.
function problem_of(system, contacts) {
    const list = (row) => row.map(number), of = (joint) => system.live.map((c, i) => ({c, name: contacts[i].name})).filter(({c}) => c.joint === joint);
    const rows = (some) => ({A: some.map(({c}) => list(c.n)), b: some.map(({c}) => number(c.bn[0])), names: some.map(({name}) => name)});
    const friction = system.live.flatMap((c, i) => (c.T ? [{row: contacts[i].name, T: list(c.T), b: number(c.bt[0]), slip: c.slip ? number(c.speed) : 0, mu: number(c.mu), static: number(c.still)}] : []));
    const some = {at_least: rows(of(false)), friction};
    return {M: system.M.map(list), Q: list(system.Q[0]), ...(of(true).length ? rows(of(true)) : {}), ...some};
}

// Random instants by `solve`: the number of motions, and accelerations and forces of those it tells. Where static
// friction chooses, it may tell the other motion as well.
function solved(r, joints = FEW) {
    const link = new Linkage(r), contacts = make_contacts(r, link, r.yes(0.4), joints), system = make_system(r, link, contacts);
    if (!system || !contacts.some((c) => c.rub)) return null;
    let found;
    try { found = find_modes(system, 4096); } catch (error) {
        if (error instanceof Beyond) return null;
        throw error;
    }
    const hysteresis = system.live.some((c) => c.T && c.still > c.mu);
    if (hysteresis && found.length !== 1) return null;
    const text = JSON.stringify(problem_of(system, contacts));
    return {text, examine: (zwang) => examine_solved(zwang, text, found)};
}

function examine_solved(zwang, text, found) {
    const run = spawnSync(zwang, ['solve'], {input: text, encoding: 'utf8', timeout: 20000, killSignal: 'SIGKILL'});
    if (run.error?.code === 'ETIMEDOUT') return {outcome: 'endless', detail: ''};
    if (run.signal) return {outcome: 'unearned', detail: run.signal};
    if (run.status !== 0) return {outcome: 'refused', detail: run.stderr};
    const seen = JSON.parse(run.stdout), told = seen.solutions ?? [], size = 1 + Math.max(0, ...found.flatMap((one) => one.z[0].map((x) => Math.abs(number(x)))));
    const is_one = (z) => found.some((one) => one.z[0].every((x, j) => Math.abs(number(x) - z[j]) <= 1e-9 * size));
    const count = `${told.length} motions of ${found.length}, certified ${seen.certified}`;
    if (told.some((one) => !is_one(one.acceleration))) return {outcome: 'unearned', detail: `${count}: ${JSON.stringify(told)} is none of them`};
    const right = told.length === Math.min(2, found.length) && (seen.acceleration !== null) === (found.length === 1);
    return {outcome: right ? 'right' : seen.certified ? 'unearned' : 'refused', detail: count};
}

function first_of(tries, make) {
    for (let k = 0; k < tries; k++) {
        const made = make();
        if (made) return made;
    }
    return null;
}

module.exports = {
    classes: [{name: 'instants', portion: 3, must: 'right', make: (r) => instant(r, 'one')}, {name: 'paradoxes', portion: 0.7, must: 'right', make: (r) => first_of(200, () => instant(r, 'other'))},
        {name: 'solved', portion: 2, must: 'right', make: (r) => first_of(50, () => solved(r))},
        {name: 'jointed', portion: 2, must: 'right', make: (r) => first_of(50, () => instant(r, 'one', MANY))},
        {name: 'jointed_solved', portion: 2, must: 'right', make: (r) => first_of(50, () => solved(r, MANY))}],
    instant,
};
