// Numbers with 320 binary places (96 decimals) as BigInt, and small linear algebra and polynomials of
// them: so exact that what should be 0 is below TINY and what should not is far above it. Sums and
// differences are those of BigInt itself.
'use strict';

const PLACES = 320n, ONE = 1n << PLACES, TINY = 1n << 120n; // TINY is 1e-60

// A decimal number as it is written, 0.1 or '1.25e-3', exactly.
function fixed(x) {
    const m = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/.exec(String(x));
    if (!m) throw new Error(`${x} is not a decimal number`);
    const digits = m[3] ?? '', e = Number(m[4] ?? 0) - digits.length, whole = BigInt(m[2] + digits) << PLACES;
    const value = e >= 0 ? whole * 10n ** BigInt(e) : whole / 10n ** BigInt(-e);
    return m[1] ? -value : value;
}
const number = (x) => Number(x) / 2 ** Number(PLACES);
const times = (a, b) => (a * b) >> PLACES;
const over = (a, b) => (a << PLACES) / b;
const size = (a) => (a < 0n ? -a : a);
const is_zero = (a) => size(a) <= TINY;
const sign = (a) => (is_zero(a) ? 0 : a > 0n ? 1 : -1);
const dot = (a, b) => a.reduce((s, x, i) => (x === 0n || b[i] === 0n ? s : s + times(x, b[i])), 0n);

function root(a) {
    if (a <= 0n) return 0n;
    const x = a << PLACES;
    let r = 1n << BigInt((x.toString(2).length + 1) >> 1);
    for (let next = (r + x / r) >> 1n; next < r; next = (r + x / r) >> 1n) r = next;
    return r;
}

// ---------------------------------------------------------------------------- linear systems

// All solutions of A x = b for several right sides at once: {x: one solution a side, free: a basis of
// the null space}, or null where a side has none. Elimination with the largest pivot of all.
function solve(A, sides) {
    const m = A.length, n = m ? A[0].length : 0, R = A.map((row, i) => [...row, ...sides.map((b) => b[i])]);
    const column = [...Array(n).keys()];
    let rank = 0;
    for (; rank < Math.min(m, n); rank++) {
        let best = TINY, at = null;
        for (let i = rank; i < m; i++)
            for (let j = rank; j < n; j++) if (size(R[i][j]) > best) { best = size(R[i][j]); at = [i, j]; }
        if (!at) break;
        [R[rank], R[at[0]]] = [R[at[0]], R[rank]];
        for (const row of R) [row[rank], row[at[1]]] = [row[at[1]], row[rank]];
        [column[rank], column[at[1]]] = [column[at[1]], column[rank]];
        for (let i = 0; i < m; i++) {
            if (i === rank || R[i][rank] === 0n) continue;
            const f = over(R[i][rank], R[rank][rank]);
            for (let j = rank; j < R[i].length; j++) R[i][j] -= times(f, R[rank][j]);
        }
    }
    for (let i = rank; i < m; i++) if (!sides.every((_, s) => is_zero(R[i][n + s]))) return null;
    const place = (value) => {
        const x = new Array(n).fill(0n);
        for (let i = 0; i < rank; i++) x[column[i]] = over(value(R[i]), R[i][i]);
        return x;
    };
    const free = [];
    for (let k = rank; k < n; k++) {
        const u = place((row) => -row[k]);
        u[column[k]] = ONE;
        free.push(u);
    }
    return {x: sides.map((_, s) => place((row) => row[n + s])), free, rank};
}

// M^-1 times some columns; M is symmetric and definite.
function divide(M, columns) {
    const out = solve(M, columns);
    if (!out || out.free.length) throw new Error('the masses are singular');
    return out.x;
}

// ---------------------------------------------------------------------------- polynomials

// p[0] + p[1] h + ..., its value, its derivative, its sign for small h > 0.
const value_at = (p, h) => p.reduceRight((s, c) => times(s, h) + c, 0n);
const derivative = (p) => p.slice(1).map((c, i) => c * BigInt(i + 1));
const sign_after = (p) => p.map(sign).find((s) => s !== 0) ?? 0;

// Where p (of degree 3 at most) is 0 in (0, end], in ascending order; only those where it changes its sign.
function roots(p, end) {
    let c = p.slice();
    while (c.length && is_zero(c[0])) c = c.slice(1); // a root at 0 itself does not count
    while (c.length && is_zero(c[c.length - 1])) c.pop();
    if (c.length < 2) return [];
    const bends = c.length === 2 ? [] : c.length === 3 ? roots_or_zero(derivative(c), end) : bends_of(c, end);
    const ends = [0n, ...bends, end], out = [];
    for (let k = 0; k + 1 < ends.length; k++) {
        const [a, b] = [value_at(c, ends[k]), value_at(c, ends[k + 1])];
        if ((a > 0n) !== (b > 0n)) out.push(bisect(c, ends[k], ends[k + 1]));
    }
    return out;
}
function roots_or_zero(p, end) {
    const h = -over(p[0], p[1]);
    return h > 0n && h < end ? [h] : [];
}
function bends_of([, c1, c2, c3], end) {
    const inside = times(c2, c2) - 3n * times(c1, c3);
    if (inside < 0n) return [];
    const w = root(inside), both = [-c2 - w, -c2 + w].map((x) => over(x, 3n * c3));
    return both.filter((h) => h > 0n && h < end).sort((a, b) => (a < b ? -1 : 1));
}
function bisect(p, a, b) {
    const up = value_at(p, a) <= 0n && value_at(p, b) > 0n;
    while (b - a > 1n) {
        const c = (a + b) >> 1n;
        if ((value_at(p, c) > 0n) === up) b = c; else a = c;
    }
    return b;
}

// The first h > 0 at which p, which is not negative just after 0, turns negative; null: not until `end`.
function turns_negative(p, end) {
    for (const h of roots(p, end)) {
        const d = derivative(p);
        if (value_at(d, h) < 0n) return h;
    }
    return null;
}

module.exports = {
    ONE, TINY, fixed, number, times, over, size, is_zero, sign, dot, root, solve, divide, value_at, derivative, sign_after,
    turns_negative,
};
