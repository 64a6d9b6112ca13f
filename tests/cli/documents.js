// Compares what a command has printed (standard input) with what a document shows (argument).
//
// Words are the same, numbers agree to 1e-9 of the larger one or 1e-12. In a verdict, which begins
// with a line `FILE: t = ...`, numbers and the names of the worst rows are free: they belong to one
// machine and one moment. A line `...` stands for any number of lines.
'use strict';
const fs = require('fs');

const lines = (text) => text.replace(/\n$/, '').split('\n');
const shown = lines(fs.readFileSync(process.argv[2], 'utf8'));
const printed = lines(fs.readFileSync(0, 'utf8'));
const number = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g;

function words(line, verdict) {
    const text = line.replace(number, '#');
    return verdict ? text.replace(/# (µs|ms|s)$/, 'time').replace(/\(`[^`]*`/g, '(`#`') : text;
}

function alike(x, y, verdict) {
    if (words(x, verdict) !== words(y, verdict)) return false;
    if (verdict) return true;
    const a = (x.match(number) || []).map(Number), b = (y.match(number) || []).map(Number);
    return a.every((v, k) => Math.abs(v - b[k]) <= Math.max(1e-12, 1e-9 * Math.abs(v)));
}

let verdict = false, at = 0;
for (let k = 0; k < shown.length; k++) {
    verdict = verdict || /^[^ ]+: t = /.test(shown[k]);
    if (shown[k].trim() === '...') {
        while (at < printed.length && !alike(shown[k + 1], printed[at], verdict)) at++;
        continue;
    }
    if (at < printed.length && alike(shown[k], printed[at], verdict)) {
        at++;
        continue;
    }
    console.log(`shown:   ${shown[k]}\nprinted: ${printed[at]}`);
    process.exit(1);
}
if (at < printed.length) {
    console.log(`not shown: ${printed[at]}`);
    process.exit(1);
}
