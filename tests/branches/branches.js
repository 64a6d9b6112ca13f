// Random mechanisms through singular places (mechanisms.js), run by the command with rows exactly at
// these places, beside them and elsewhere, against the motion by the one variable th, which is
// integrated by extrapolation to rounding. A run is right where every position, velocity and
// acceleration is within 300, 300 and 3000 tolerances of its own largest size; accelerations may be
// missing. What is wrong must be told: a run that is wrong with a plain ok fails the test, and so do too few
// right ones.
//
//     node branches.js COMMAND [MODELS [SEED]]
'use strict';

const fs = require('fs'), os = require('os'), path = require('path'), {spawnSync} = require('child_process');
const jets = require('./jets.js'), {KINDS, written} = require('./mechanisms.js');

const [command, models = '40', seed = '1'] = process.argv.slice(2);

function begin_random(start) {
    let state = Math.imul(start, 2654435761) >>> 0;
    const next = () => {
        state = (state + 0x6D2B79F5) >>> 0;
        let x = Math.imul(state ^ (state >>> 15), state | 1);
        x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
        return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
    };
    next.in = (low, high) => low + (high - low) * next();
    next.of = (list) => list[Math.floor(next() * list.length)];
    return next;
}

// ------------------------------------------------------------------ the motion by th

// th'' of T = I(th) th'^2/2 and V(th).
function bend(x, th, speed) {
    let inertia = 0, slope = 0, force = x.torque || 0;
    x.pos(jets.variable(th)).forEach((q, i) => {
        inertia += x.mass[i] * q[1] ** 2;
        slope += x.mass[i] * q[1] * q[2];
        force -= x.weight[i] * q[1];
    });
    return (force - slope * speed ** 2) / inertia;
}

// One step of length h by the midpoint rule, extrapolated seven times.
function extrapolate(x, y, h) {
    const parts = [2, 4, 6, 8, 10, 12, 14], table = [];
    const rates = (s) => [s[1], bend(x, s[0], s[1])];
    parts.forEach((n, k) => {
        const s = h / n;
        let last = y, now = y.map((v, i) => v + s * rates(y)[i]);
        for (let i = 1; i < n; i++) {
            const f = rates(now);
            [last, now] = [now, last.map((v, j) => v + 2 * s * f[j])];
        }
        const f = rates(now);
        table[k] = [now.map((v, i) => 0.5 * (last[i] + v + s * f[i]))];
        for (let j = 1; j <= k; j++) {
            const by = (n / parts[k - j]) ** 2 - 1;
            table[k][j] = table[k][j - 1].map((v, i) => v + (v - table[k - 1][j - 1][i]) / by);
        }
    });
    return table[parts.length - 1].pop();
}

// (th, th') at any time up to `until`.
function integrate(x, start, until) {
    const steps = Math.ceil(until * Math.abs(start[1]) / 0.04), h = until / steps, states = [start];
    for (let i = 0; i < steps; i++) states.push(extrapolate(x, states[i], h));
    return (t) => {
        const i = Math.min(steps - 1, Math.floor(t / h));
        return extrapolate(x, states[i], t - i * h);
    };
}

// When th passes one of its singular values: between two samples, then by halving.
function find_moments(x, at, until) {
    const moments = [], samples = 600;
    for (let k = 1; k <= samples; k++) {
        const [from, to] = [until * (k - 1) / samples, until * k / samples], ends = [at(from)[0], at(to)[0]];
        for (const value of x.singular) {
            const turn = x.line ? 0 : 2 * Math.PI * Math.ceil((Math.min(...ends) - value) / (2 * Math.PI));
            const goal = value + turn, up = ends[1] > ends[0];
            if (!(goal > Math.min(...ends) && goal <= Math.max(...ends))) continue;
            let [low, high] = [from, to];
            for (let i = 0; i < 60; i++) {
                const middle = (low + high) / 2;
                if ((at(middle)[0] < goal) === up) low = middle;
                else high = middle;
            }
            moments.push((low + high) / 2);
        }
    }
    return moments;
}

// --------------------------------------------------------------------------- models

function write_model(x, start, until, tol) {
    const q = x.pos(jets.variable(start[0]));
    return [`coord ${x.coords.join(', ')}`,
        ...x.coords.map((c, i) => `kinetic ${x.mass[i] / 2}*${c}'^2`),
        ...x.coords.map((c, i) => (x.weight[i] ? `potential ${x.weight[i]}*${c}` : '')),
        x.torque ? `force p1: ${written(x.torque)}` : '',
        ...x.rows.map(([name, row]) => `constraint ${name}: ${row}`),
        ...x.coords.map((c, i) => `start ${c} = ${written(q[i][0])}, ${c}' = ${written(q[i][1] * start[1])}`),
        `simulate t = 0..${until}, tol = ${tol}`, ''].join('\n');
}

function make_case(number) {
    const random = begin_random(number), kind = random.of(Object.keys(KINDS)), x = KINDS[kind](random);
    const heavy = x.weight.some((w) => w !== 0), tol = random.of([1e-4, 1e-6, 1e-8, 1e-9, 1e-10]);
    const speed = random.of([1, -1]) * random.of([1, 2, random.in(0.5, 4)]) * (heavy ? (x.line ? 2 : 5) : 1);
    const away = x.line ? -Math.sign(speed) * random.in(0.2, 2) : random.of([Math.PI / 2, random.in(0.3, 2.5), -random.in(0.3, 2.5)]);
    const start = [x.singular[0] + away, speed];
    const until = x.line ? Math.abs(2 * away / speed) : random.of([1.2, 2.3]) * 2 * Math.PI / Math.abs(speed);
    const at = integrate(x, start, until), moments = find_moments(x, at, until);
    const times = [...Array(10).keys()].map((k) => until * (k + 1) / 10);
    for (const t of moments) times.push(t, ...(random() < 0.5 ? [t * (1 + 1e-13), t + 1e-9, t + 1e-5] : []));
    const rows = [...new Set(times.filter((t) => t > 0 && t <= until))].sort((a, b) => a - b);
    return {kind, x, at, moments, tol, rows, text: write_model(x, start, until, tol),
        method: random.of(['dop853', 'dop853', 'dopri5']), solver: random.of(['auto', 'dense', 'sparse'])};
}

// --------------------------------------------------------------------------- judging

// Position, velocity and acceleration of every coordinate.
function exact_row(c, t) {
    const [th, speed] = c.at(t), q = c.x.pos(jets.variable(th)), more = bend(c.x, th, speed);
    return [q.map((v) => v[0]), q.map((v) => v[1] * speed), q.map((v) => v[2] * speed ** 2 + v[1] * more)];
}

// The largest error in units of what is allowed.
function worst_error(c, rows) {
    const exact = rows.map((row) => exact_row(c, row[0])), n = c.x.coords.length, allowed = [300, 300, 3000];
    const sizes = [0, 1, 2].map((k) => Math.max(...exact.flatMap((row) => row[k].map(Math.abs))));
    if (c.x.angles) sizes[0] = 1;
    sizes[2] = Math.max(sizes[2], 0.1 * sizes[1] ** 2);
    let worst = 0;
    rows.forEach((row, r) => row.slice(1).forEach((value, i) => {
        const k = Math.floor(i / n);
        let off = value - exact[r][k][i % n];
        if (k === 0 && c.x.angles) off -= 2 * Math.PI * Math.round(off / (2 * Math.PI));
        if (k < 2 || !Number.isNaN(value)) worst = Math.max(worst, Math.abs(off) / sizes[k] / Math.min(allowed[k] * (c.tol + 1e-12), 0.05));
    }));
    return worst;
}

function judge(c, folder) {
    const [model, stats, csv] = ['model.zw', 'stats.json', 'rows.csv'].map((name) => path.join(folder, name));
    const columns = ['', "'", "''"].flatMap((primes) => c.x.coords.map((name) => name + primes));
    fs.writeFileSync(model, c.text);
    const run = spawnSync(command, ['run', model, '--at', c.rows.join(','), '--columns', columns.join(','),
        '--method', c.method, '--solver', c.solver, '--stats', stats, '-o', csv], {encoding: 'utf8'});
    if (run.status !== 0) return {verdict: run.status === 3 ? 'refused' : 'broken', said: run.stderr};
    const rows = fs.readFileSync(csv, 'utf8').trim().split('\n').slice(1).map((line) => line.split(',').map(Number));
    const {trust, rank} = JSON.parse(fs.readFileSync(stats)), worst = worst_error(c, rows), right = worst <= 1;
    const untold = trust === 'ok' && c.moments.length > 0 && rank.passages === 0;
    return {verdict: right ? (untold ? 'right, untold' : 'right') : trust === 'ok' ? 'wrong with ok' : 'wrong, told', worst};
}

// ------------------------------------------------------------------------------ main

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'branches-')), table = {}, count = {};
for (let number = Number(seed); number < Number(seed) + Number(models); number++) {
    const c = make_case(number), {verdict, worst, said} = judge(c, folder);
    table[c.kind] = table[c.kind] || {};
    table[c.kind][verdict] = (table[c.kind][verdict] || 0) + 1;
    count[verdict] = (count[verdict] || 0) + 1;
    if (!['wrong with ok', 'broken', 'right, untold'].includes(verdict)) continue;
    console.log(`number ${number}, ${c.kind}: ${verdict}, ${worst} times what is allowed ${said || ''}`);
    console.log(`--at ${c.rows.join(',')} --method ${c.method} --solver ${c.solver}\n${c.text}`);
}
fs.rmSync(folder, {recursive: true});
console.log(table);
const bad = (count['wrong with ok'] || 0) + (count.broken || 0) + (count['right, untold'] || 0);
const enough = (count.right || 0) >= 0.75 * Number(models);
if (!enough) console.log(`only ${count.right || 0} of ${models} are right`);
process.exit(bad > 0 || !enough ? 1 : 0);
