// Bodies far out on their rail: rows that are nearly parallel all the time, by a lever that is long
// beside the radius of inertia, and no singular place. Forces are unique there and known, so they
// are printed, to the digits that rounding over the angle leaves; below that they may be missing,
// with a word.
//
//     node levers.js COMMAND [MODELS [SEED]]
'use strict';

const fs = require('fs'), os = require('os'), path = require('path'), {spawnSync} = require('child_process');
const [command, models = '40', seed = '1'] = process.argv.slice(2);

function begin_random(start) {
    let state = Math.imul(start, 2654435761) >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 4294967296;
    };
}

// Pulled along x, weighed across it; `line` has the lever x about the turn that `turn` forbids.
function make_case(number) {
    const random = begin_random(number), pick = (low, high) => low * (high / low) ** random();
    for (let k = 0; k < 8; k++) random();
    const m = pick(0.1, 10), far = pick(10, 300), J = m * pick(1e-3, 1e-1) ** 2, g = pick(1, 20);
    const until = pick(1, 20), pull = 2 * m * far / until ** 2, tol = [1e-8, 1e-9, 1e-10, 1e-11][Math.floor(4 * random())];
    const rows = [['line', 'y + x*th = 0'], ['turn', 'th = 0']];
    if (random() < 0.5) rows.reverse();
    return {m, g, pull, until, far, radius: Math.sqrt(J / m), text: [`coord x, y, th`, `kinetic ${m}/2*(x'^2 + y'^2) + ${J}/2*th'^2`,
        `force x: ${pull}`, `force y: -${m}*${g}`, ...rows.map(([name, row]) => `constraint ${name}: ${row}`),
        `simulate t = 0..${until}, tol = ${tol}`, ''].join('\n')};
}

// What is wrong with a run; '' where nothing is.
function judge(c, folder) {
    const model = path.join(folder, 'model.zw'), csv = path.join(folder, 'rows.csv');
    const times = [0.3, 0.7, 0.9, 1].map((part) => part * c.until);
    fs.writeFileSync(model, c.text);
    const run = spawnSync(command, ['run', model, '--at', times.join(','), '--columns',
        "x,x'',multiplier(line),multiplier(turn)", '-o', csv], {encoding: 'utf8'});
    if (run.status !== 0) return run.stderr;
    for (const line of fs.readFileSync(csv, 'utf8').trim().split('\n').slice(1)) {
        const [t, x, z, lift, twist] = line.split(',').map(Number), weight = c.m * c.g, bend = c.pull / c.m;
        const off = [x / (bend * t * t / 2) - 1, z / bend - 1, Math.abs(lift) / weight - 1, Math.abs(twist) / (weight * x) - 1];
        const sine2 = c.radius ** 2 / x ** 2, allowed = 1e-8 + 1e-14 / sine2, told = run.stderr.includes('W0819');
        if (c.radius ** 2 / c.far ** 2 < 2e-9 && told && Number.isNaN(lift)) continue;
        if (!off.every((e) => Math.abs(e) <= allowed)) return `off by ${off} at t = ${t}, ${allowed} allowed`;
    }
    return '';
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'levers-'));
let bad = 0;
for (let number = Number(seed); number < Number(seed) + Number(models); number++) {
    const c = make_case(number), said = judge(c, folder);
    if (said) console.log(`number ${number}, ${said}\n${c.text}`);
    if (said) bad++;
}
fs.rmSync(folder, {recursive: true});
console.log(`${bad} of ${models} wrong`);
process.exit(bad > 0 ? 1 : 0);
