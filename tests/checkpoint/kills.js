// Kills runs with checkpoints (SIGKILL) after random times and goes on with --resume until they are over.
//
//     node kills.js ZWANG SEED COUNT
//
// COUNT processes are killed, over the cases below in turn. After each kill FILE.part must be a beginning of
// what the whole run has written, and a file that was there before must still be there; at the end rows, events
// and statistics (but for seconds) must be those of a run that was left alone, and nothing else may be left.
'use strict';
const { spawn, spawnSync } = require('child_process');
const fs = require('fs'), os = require('os'), path = require('path');

const [zwang, seed, count] = [path.resolve(process.argv[2]), Number(process.argv[3]), Number(process.argv[4])];
const slow = process.env.ZW_SLOW ? 8 : 1;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-kills-'));

let state = seed;
function draw() { // xorshift of 32 bits
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
}

const rotor = `coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = 1
start x = 1`;
const balls = `param e = 0.7
coord y, z
kinetic (y'^2 + 2*z'^2)/2
potential 9.81*y + 19.62*z
constraint ground: y >= 0
constraint lid: 3 + 0.2*sin(5*t) - y >= 0
constraint shaker: z >= 0.1*sin(7*t)
restitution ground: e
restitution lid: 1
restitution shaker: 0.95
start y = 1, y' = 7, z = 1`;
const block = `coord x
param mu = 0.3
kinetic x'^2/2
force x: 4*sin(t) + 1.5*sin(1.7*t) - mu*9.81*sign(x')
start x' = 0.1`;
const counted = `coord x
kinetic x'^2/2
potential 2*x^2
start x = 1
when x < 0: x' = 1.01*x'
when x > 3: stop`;
const chain = `param N = 60
coord r[N, 2]
for i in 1..N { kinetic dot(r[i]', r[i]')/2 }
for i in 1..N { potential 9.81*r[i][2] }
constraint first: dot(r[1], r[1]) = 1
for i in 2..N { constraint rod[i]: dot(r[i] - r[i-1], r[i] - r[i-1]) = 1 }
for i in 1..N { start r[i] = [i, 0] }`;

const cases = [
    { name: 'rotor', text: rotor, ending: 'csv', options: ['--until', '6000', '--every', '0.5'] },
    { name: 'balls', text: balls, ending: 'csv', options: ['--until', '300', '--every', '0.01', '--columns', 'all'] },
    { name: 'block', text: block, ending: 'npz', options: ['--until', '4000', '--every', '0.1', '--method', 'dopri5'] },
    { name: 'counted', text: counted, ending: 'json', options: ['--until', '1000', '--every', '0.01', '--method', 'auto'] },
    { name: 'rotor4', text: rotor, ending: 'mat', options: ['--until', '1000', '--every', '7', '--method', 'rk4', '--step', '0.002'] },
    { name: 'chain', text: chain, ending: 'csv', options: ['--until', '4', '--every', '0.005', '--solver', 'parts'] },
];

function fail(...words) {
    console.error(...words, `\nseed ${seed}; files are in ${folder}`);
    process.exit(1);
}

function line(c, name) {
    return ['run', `${c.name}.zw`, ...c.options, '-q', '-o', `${name}.${c.ending}`, '--events', `${name}.events`, '--stats', `${name}.stats`];
}

// The numbers of a run that do not tell of the clock, nor of work that was done again.
function statistics(file) {
    return fs.readFileSync(file, 'utf8').split('\n').filter((s) => !/seconds|factorizations/.test(s)).join('\n');
}

function whole(c) {
    fs.writeFileSync(path.join(folder, `${c.name}.zw`), c.text + '\n');
    const done = spawnSync(zwang, line(c, `${c.name}-whole`), { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) fail(c.name, 'alone:', done.status, done.stderr);
    c.rows = fs.readFileSync(path.join(folder, `${c.name}-whole.${c.ending}`));
}

function once(c, delay) { // resolves with the exit status; null: killed
    return new Promise((resolve) => {
        const child = spawn(zwang, [...line(c, c.name), '--checkpoint', `${c.name}.check`, '--checkpoint-every', '0.005', '--resume'],
            { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
        let said = '';
        child.stderr.on('data', (text) => { said += text; });
        const timer = delay === Infinity ? undefined : setTimeout(() => child.kill('SIGKILL'), delay);
        child.on('close', (status) => { clearTimeout(timer); resolve({ status, said }); });
    });
}

function checkKilled(c) {
    const file = path.join(folder, `${c.name}.${c.ending}`), part = `${file}.part`;
    const old = fs.readFileSync(file);
    if (!old.equals(c.rows) && old.toString() !== 'before') fail(c.name, 'the old file is gone');
    if (c.ending !== 'csv' || !fs.existsSync(part)) return;
    const rows = fs.readFileSync(part);
    if (!rows.equals(c.rows.subarray(0, rows.length))) fail(c.name, 'FILE.part has other rows');
}

function checkDone(c) {
    for (const end of [c.ending, 'events']) {
        const a = fs.readFileSync(path.join(folder, `${c.name}-whole.${end}`)), b = fs.readFileSync(path.join(folder, `${c.name}.${end}`));
        if (!a.equals(b)) fail(c.name, `.${end} differs from that of the whole run`);
    }
    if (statistics(path.join(folder, `${c.name}-whole.stats`)) !== statistics(path.join(folder, `${c.name}.stats`)))
        fail(c.name, 'statistics differ');
    const left = fs.readdirSync(folder).filter((f) => f.startsWith(`${c.name}.`)).sort();
    const expected = ['zw', c.ending, 'events', 'stats'].map((e) => `${c.name}.${e}`).sort();
    if (left.join() !== expected.join()) fail(c.name, 'left behind:', left.join(' '));
}

async function main() {
    let kills = 0, ends = 0;
    const used = count < cases.length ? cases.slice(0, count) : cases;
    for (const c of used) whole(c);
    const share = Math.ceil(count / used.length);
    for (const c of used) {
        fs.writeFileSync(path.join(folder, `${c.name}.${c.ending}`), 'before');
        for (let k = 0; ; k++) {
            const { status, said } = await once(c, k < share ? slow * (4 + 90 * draw()) : Infinity);
            if (status === null) { kills++; checkKilled(c); continue; }
            if (status !== 0) fail(c.name, 'status', status, said);
            checkDone(c);
            ends++;
            if (k >= share) break;
        }
    }
    fs.rmSync(folder, { recursive: true });
    console.log(`${kills} killed, ${ends} runs to their end, all alike`);
    if (kills < count / 2) { console.error('too few were killed'); process.exit(1); }
}

main();
