// Motions of any size: random oscillators, alone and beside others that have nothing to do with them,
// and pendulums of any length, against their closed forms.
//
//   node scales.js ZWANG COUNT [SEED]
//
// Amplitudes from 1e-15 to 1e15, masses from 1e-20 to 1e20, frequencies from 1e-9 to 1e9, random
// methods and tolerances, bystanders of any mass. A run is right if the oscillator is where it should be
// to 1000 tolerances for each period. With an absolute tolerance for all, which may be much too large for
// it, it may be off by more, but where that is more than a hundredth of it the run must not be trusted.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const {spawnSync} = require('child_process');

// Numbers in [0, 1), the same for a seed everywhere.
function generator(seed) {
    let x = seed >>> 0;
    return () => {
        x = (x + 0x6D2B79F5) >>> 0;
        let y = Math.imul(x ^ (x >>> 15), 1 | x);
        y = (y + Math.imul(y ^ (y >>> 7), 61 | y)) ^ y;
        return ((y ^ (y >>> 14)) >>> 0) / 4294967296;
    };
}

const power = (random, low, high) => Math.pow(10, low + (high - low) * random());

// A model with the column x, where x must be at the end, and how far it may be off.
function oscillator(random) {
    const A = power(random, -15, 15), m = power(random, -20, 20), w = power(random, -9, 9);
    const periods = 1 + 9 * random(), T = 2 * Math.PI * periods / w, tol = power(random, -11, -6);
    const speed = random() < 0.5 ? A * w * (2 * random() - 1) : 0;
    let text = `coord x\nkinetic ${m}/2*x'^2\npotential ${m * w * w}/2*x^2\nstart x = ${A}\nstart x' = ${speed}\n`;
    const kind = random();
    if (kind < 0.3) { // another oscillator of any size
        const M = power(random, -20, 20), W = w * power(random, -2, 0.5), B = power(random, -15, 15);
        text += `coord y\nkinetic ${M}/2*y'^2\npotential ${M * W * W}/2*y^2\nstart y = ${B}\n`;
    } else if (kind < 0.5) // something that flies by
        text += `coord y\nkinetic ${power(random, -20, 20)}/2*y'^2\nstart y' = ${power(random, -15, 15)}\n`;
    else if (kind < 0.6) // something at rest
        text += `coord y[3]\nkinetic ${power(random, -20, 20)}/2*dot(y', y')\nstart y[1] = ${power(random, -15, 15)}\n`;
    const method = ['dop853', 'dopri5', 'dop853', 'auto'][Math.floor(4 * random())];
    text += `simulate t = 0..${T}, tol = ${tol}, method = ${method}\n`;
    const size = Math.hypot(A, speed / w), phase = w * T;
    return {text, T, size, x: A * Math.cos(phase) + speed / w * Math.sin(phase), within: size * periods * (1000 * tol + 1e-11)};
}

// A pendulum of length L, with the period of one of length 1 and another unit of mass.
function pendulum(random) {
    const L = power(random, -9, 12), m = power(random, -20, 20), angle = 0.1 + 2.5 * random();
    const text = (l, mass) => `coord x, y\nkinetic ${mass}/2*(x'^2 + y'^2)\npotential ${mass * 9.81 * l}*y\n` +
        `constraint rod: x^2 + y^2 = ${l}^2\nstart x = ${l}*sin(${angle})\nstart y = -${l}*cos(${angle})\n` +
        'simulate t = 0..3, tol = 1e-9\n';
    return {text: text(L, m), like: text(1, 1), T: 3, factor: L, size: L, within: 1e-6 * L};
}

// The column x at the end, and whether the run is trusted; null: it failed.
function run(zwang, file, text, T, options = []) {
    fs.writeFileSync(file, text);
    const done = spawnSync(zwang, ['run', file, '--quiet', '--stats', `${file}.json`, '--at', String(T), '--max-steps', '200000', ...options],
        {encoding: 'utf8', timeout: 60000});
    if (done.status !== 0) return {failed: done.stderr || String(done.error)};
    const [head, row] = done.stdout.trim().split('\n').map((line) => line.split(','));
    return {x: Number(row[head.indexOf('x')]), trust: JSON.parse(fs.readFileSync(`${file}.json`, 'utf8')).trust};
}

function main([zwang, count, seed = '1']) {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'scales-')), 'model.zw');
    const table = {right: 0, 'wrong with ok': 0, 'wrong, flagged': 0, refused: 0};
    const judge = (one, seen, number, options) => {
        const within = options.length === 0 ? one.within : Math.max(one.within, 0.01 * one.size);
        const off = seen.failed ? NaN : Math.abs(seen.x - one.x), good = off <= within;
        const word = seen.failed ? 'refused' : good ? 'right' : seen.trust === 'ok' ? 'wrong with ok' : 'wrong, flagged';
        table[word]++;
        const expected = options.length === 0 ? ['right'] : ['right', 'wrong, flagged', 'refused'];
        if (expected.includes(word)) return;
        console.log(`seed ${number} ${options.join(' ')}: ${word}, off by ${off} of ${within}\n${one.text}${seen.failed || ''}`);
        process.exitCode = 1;
    };
    for (let k = 0; k < Number(count); k++) {
        const number = Number(seed) * 100000 + k, random = generator(number), one = (k % 4 === 3 ? pendulum : oscillator)(random);
        if (one.like) one.x = one.factor * run(zwang, file, one.like, one.T).x;
        judge(one, run(zwang, file, one.text, one.T), number, []);
        if (k % 3 !== 0) continue;
        const options = ['--abs-tol', power(random, -12, 3).toExponential(2)];
        judge(one, run(zwang, file, one.text, one.T, options), number, options);
    }
    fs.rmSync(path.dirname(file), {recursive: true});
    console.log(Object.entries(table).map(([word, number]) => `${word}: ${number}`).join(', '));
}

main(process.argv.slice(2));
