// Independent checks of answers, for the bats tests. Shares nothing with the solver.
//
//   node numbers.js holds EXPRESSION...     standard input: an answer `a`
//   node numbers.js certify PROBLEM ANSWER [TOLERANCE]
//                                           recomputes everything from the raw matrices
//   node numbers.js random SEED N M RANK KIND...
//                                           prints a problem; KINDs: diagonal, inconsistent, C, W,
//                                           weights, singular; or `list COUNT` before SEED
'use strict';
const fs = require('fs');

const dot = (x, y) => x.reduce((s, v, k) => s + v * y[k], 0);
const times = (A, x) => A.map((row) => dot(row, x));
const transposed_times = (A, y, n) =>
    Array.from({length: n}, (_, j) => A.reduce((s, row, i) => s + row[j] * y[i], 0));
const minus = (x, y) => x.map((v, k) => v - y[k]);
const plus = (x, y) => x.map((v, k) => v + y[k]);
const largest = (x) => x.flat(2).reduce((s, v) => Math.max(s, Math.abs(v)), 0);
const full = (M) => (Array.isArray(M[0]) ? M : M.map((d, i) => M.map((_, j) => (i === j ? d : 0))));

// x near y, entry by entry, relative to the largest entry of y (absolute where y is 0)
function near(x, y, tolerance = 1e-12) {
    const xs = [x].flat(2), ys = [y].flat(2);
    return xs.length === ys.length && xs.every((v) => typeof v === 'number') &&
        largest(minus(xs, ys)) <= tolerance * (largest(ys) || 1);
}

const same = (x, y) => JSON.stringify(x) === JSON.stringify(y);

// Solves M x = f by elimination with row exchanges.
function solve(M, f) {
    const n = f.length, T = M.map((row, i) => [...row, f[i]]);
    for (let k = 0; k < n; k++) {
        let p = k;
        for (let i = k + 1; i < n; i++) if (Math.abs(T[i][k]) > Math.abs(T[p][k])) p = i;
        [T[k], T[p]] = [T[p], T[k]];
        for (let i = k + 1; i < n; i++) {
            const q = T[i][k] / T[k][k];
            for (let j = k; j <= n; j++) T[i][j] -= q * T[k][j];
        }
    }
    for (let k = n - 1; k >= 0; k--) {
        for (let j = k + 1; j < n; j++) T[k][n] -= T[k][j] * T[j][n];
        T[k][n] /= T[k][k];
    }
    return T.map((row) => row[n]);
}

// Every statement of the contract about one answer that can be recomputed. Needs `basis`.
// The acceleration is right exactly when A^T W (A z - b) = 0 and u^T (M z - Q - C) = 0 for
// all virtual displacements u, of which there are n - rank independent ones.
function* mistakes(p, a, tolerance) {
    const M = full(p.M), n = p.Q.length, A = p.A || [], b = p.b || [], m = b.length;
    const C = p.C || p.Q.map(() => 0), z = a.acceleration, U = a.virtual_displacements;
    const W = p.W ? full(p.W) : A.map((_, i) => A.map((__, j) => (i === j ? 1 : 0)));
    const Mz = times(M, z), r = minus(times(A, z), b), f = minus(minus(Mz, p.Q), C);
    const force_scale = largest(Mz) + largest(p.Q) + largest(C) + largest(a.force_ideal);
    const row_scale = largest(A) * largest(z) * n + largest(b);
    const check = function* (name, x, scale) {
        const size = largest([x]);
        if (!(size <= tolerance * scale)) yield `${name}: ${size} of ${scale}`;
    };
    yield* check('residual', minus(a.residual, r), row_scale);
    yield* check('normal equations', transposed_times(A, times(W, r), n),
        row_scale * largest(W) * largest(A) * m || 1);
    yield* check('force', minus(a.force, minus(Mz, p.Q)), force_scale);
    yield* check('parts', minus(a.force, plus(a.force_ideal, a.force_nonideal)), force_scale);
    yield* check('ideal force', minus(a.force_ideal, transposed_times(A, a.multipliers, n)),
        force_scale + largest(A) * largest(a.multipliers) * m);
    if (U.length !== n - a.rank) yield `${U.length} virtual displacements, rank ${a.rank}`;
    if (U.length) {
        yield* check('stationary', times(U, f), n * force_scale * largest(U));
        const MU = U.map((u) => times(M, u));
        yield* check('orthonormal', U.map((u, i) => MU.map((v, j) => dot(u, v) - (i === j ? 1 : 0))), n);
        yield* check('A u', U.map((u) => times(A, u)), n * largest(A) * largest(U) || 1);
        yield* check('ideal does no work', times(U, a.force_ideal),
            n * force_scale * largest(U));
    }
    yield* check('inconsistency', [a.inconsistency - Math.sqrt(dot(r, times(W, r)))],
        row_scale * Math.sqrt(largest(W)) * (m || 1) || 1);
    if (a.free_acceleration === null) return;
    const free = solve(M, p.Q), wanted = solve(M, plus(p.Q, C)), d = minus(z, wanted);
    yield* check('free acceleration', minus(a.free_acceleration, free), largest(free) || 1);
    yield* check('gaussian', [a.gaussian - dot(d, times(M, d))],
        n * largest(M) * (largest(z) + largest(wanted)) ** 2 || 1);
}

// Numbers in (-1, 1), the same for every run (multiply with carry).
function generator(seed) {
    let x = seed * 2654435761 % 4294967296, c = 362436;
    const next = () => {
        const t = 698769069n * BigInt(x >>> 0) + BigInt(c);
        x = Number(t & 0xffffffffn);
        c = Number(t >> 32n);
        return x / 2147483648 - 1;
    };
    for (let k = 0; k < 10; k++) next();
    return next;
}

function random_problem(seed, n, m, rank, kinds) {
    const next = generator(seed), vector = (k) => Array.from({length: k}, next);
    const matrix = (k, l) => Array.from({length: k}, () => vector(l));
    const product = (X, Y) => X.map((row) => Y[0].map((_, j) => row.reduce((s, v, k) => s + v * Y[k][j], 0)));
    const square = (k) => {
        const X = matrix(k, k);
        return X.map((x, i) => X.map((y, j) => dot(x, y) / k + (i === j ? 1 : 0)));
    };
    const p = {M: kinds.includes('diagonal') ? vector(n).map((v) => 1.5 + v) : square(n), Q: vector(n)};
    p.A = rank < Math.min(m, n) ? product(matrix(m, rank), matrix(rank, n)) : matrix(m, n);
    p.b = kinds.includes('inconsistent') ? vector(m) : times(p.A, vector(n));
    if (kinds.includes('C')) p.C = vector(n);
    if (kinds.includes('W')) p.W = square(m);
    if (kinds.includes('weights')) p.W = vector(m).map((v) => 1.5 + v);
    p.basis = true;
    return p;
}

const [command, ...rest] = process.argv.slice(2);
const read = (name) => JSON.parse(fs.readFileSync(name, 'utf8'));

function holds(expressions) {
    const a = JSON.parse(fs.readFileSync(0, 'utf8'));
    for (const expression of expressions) {
        const names = {a, near, same, dot, times, largest, transposed_times};
        if (new Function(...Object.keys(names), `return ${expression}`)(...Object.values(names)) === true)
            continue;
        console.log(`not true: ${expression}\nof ${JSON.stringify(a)}`);
        process.exitCode = 1;
    }
}

function certify(problem, answer, tolerance = '1e-12') {
    const problems = [read(problem)].flat(), answers = [read(answer)].flat();
    const found = problems.length === answers.length ? [] : ['not as many answers as problems'];
    problems.forEach((p, k) => {
        for (const mistake of mistakes(p, answers[k], Number(tolerance))) found.push(`${k}: ${mistake}`);
    });
    if (found.length) console.log(found.slice(0, 20).join('\n'));
    process.exitCode = found.length ? 1 : 0;
}

function random(words) {
    const count = words[0] === 'list' ? Number(words[1]) : 0;
    const [seed, n, m, rank, ...kinds] = count ? words.slice(2) : words;
    const make = (k) => random_problem(Number(seed) + k, Number(n), Number(m), Number(rank), kinds);
    console.log(JSON.stringify(count ? Array.from({length: count}, (_, k) => make(k)) : make(0)));
}

if (command === 'holds') holds(rest);
else if (command === 'certify') certify(...rest);
else if (command === 'random') random(rest);
else throw new Error(`no command ${command}`);
