// Random numbers with a seed, and the small choices generators make of them.
'use strict';

// Numbers from 0 to 1 (a 32-bit mixer over a counter).
function chance(seed) {
    let s = seed >>> 0;
    const next = () => {
        s = (s + 0x9e3779b9) >>> 0;
        let z = s;
        z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
        z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
        return ((z ^ (z >>> 15)) >>> 0) / 4294967296;
    };
    const r = {
        next,
        in: (a, b) => round(a + (b - a) * next()),
        whole: (a, b) => a + Math.floor((b - a + 1) * next()),
        of: (list) => list[Math.floor(list.length * next())],
        yes: (p = 0.5) => next() < p,
        either: (a, b) => round((next() < 0.5 ? -1 : 1) * (a + (b - a) * next())),
        power: (a, b) => Number((10 ** (a + (b - a) * next())).toPrecision(4)), // 10^a to 10^b
    };
    return r;
}

// To six digits, so that models can be read.
function round(x) { return Number(x.toPrecision(6)); }

// A seed from words and numbers.
function seed_of(...parts) {
    let h = 2166136261;
    for (const c of parts.join('/')) h = Math.imul(h ^ c.charCodeAt(0), 16777619);
    return h >>> 0;
}

module.exports = {chance, seed_of, round};
