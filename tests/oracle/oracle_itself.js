// Checks the oracle by other means than its own:
//   - M, Q, A, b of random models against second-order dual numbers on the trees as they stand
//   - accelerations and multipliers against elimination on [M A^T; A 0]
//   - motions against closed forms: windows, kinks, friction that stops and sticks, walls, sliding
//   - the judge: rows that are spoiled a little beyond what is allowed are seen, others are not
'use strict';
const {chance, seed_of} = require('./chance.js');
const {Principle} = require('./principle.js');
const {Motion} = require('./held.js');
const {eliminate} = require('./small_matrix.js');
const {model_of} = require('./build_model.js');
const {first_wrong, outcome} = require('./judge.js');
const smooth = require('./classes_smooth.js').classes[0];
const conditions = require('./classes_conditions.js').classes;

let checks = 0, failures = 0;
function near(what, seen, value, size, within) {
    checks++;
    if (Math.abs(seen - value) <= within * Math.max(size, 1e-300)) return;
    failures++;
    console.log(`${what}: ${seen}, expected ${value}`);
}

// ---------------------------------------------------------------------------- dual numbers

// f + f1 e1 + f2 e2 + f12 e1 e2 with e1^2 = e2^2 = 0.
const dual = (a, b = 0, c = 0, d = 0) => [a, b, c, d];
const times = (x, y) => dual(x[0] * y[0], x[0] * y[1] + x[1] * y[0], x[0] * y[2] + x[2] * y[0],
    x[0] * y[3] + x[1] * y[2] + x[2] * y[1] + x[3] * y[0]);
const plus = (x, y) => x.map((c, i) => c + y[i]);
const chain = (x, f, g, h) => dual(f, g * x[1], g * x[2], g * x[3] + h * x[1] * x[2]);

// The value of a tree, switches by their guards where it is.
function evaluate(node, at) {
    const w = node.args.map((a) => (a.op === 'S' ? null : evaluate(a, at))), [x, y] = w;
    const side = (g) => g[0] > 0;
    switch (node.op) {
    case 'num': return dual(node.extra);
    case 'q': case 'v': case 'a': return at[node.op][node.extra];
    case 't': return at.t;
    case '+': return plus(x, y);
    case '*': return times(x, y);
    case '/': return times(x, chain(y, 1 / y[0], -1 / y[0] ** 2, 2 / y[0] ** 3));
    case '^': { const n = node.extra; return chain(x, x[0] ** n, n * x[0] ** (n - 1), n * (n - 1) * x[0] ** (n - 2)); }
    case 'sin': return chain(x, Math.sin(x[0]), Math.cos(x[0]), -Math.sin(x[0]));
    case 'cos': return chain(x, Math.cos(x[0]), -Math.sin(x[0]), -Math.cos(x[0]));
    case 'exp': return chain(x, Math.exp(x[0]), Math.exp(x[0]), Math.exp(x[0]));
    case 'sqrt': { const s = Math.sqrt(x[0]); return chain(x, s, 0.5 / s, -0.25 / s / x[0]); }
    case 'abs': return side(x) ? x : x.map((c) => -c);
    case 'sign': return dual(Math.sign(x[0]));
    case 'floor': return dual(Math.floor(x[0]));
    case 'max': return side(w[3]) ? x : y;
    case 'min': return side(w[3]) ? x : y;
    case 'if': return side(w[3]) ? x : y;
    case 'both': return side(w[4]) && side(w[5]) ? x : y;
    default: throw new Error(node.op);
    }
}

// The second derivative of a tree along two directions {q, v, a, t}.
function second(model, tree, state, d, e) {
    const n = model.names.length,
          lift = (kind) => [...Array(n).keys()].map((i) => dual(state[kind]?.[i] ?? 0, d[kind]?.[i] ?? 0, e[kind]?.[i] ?? 0));
    return evaluate(tree, {q: lift('q'), v: lift('v'), a: lift('a'), t: dual(state.t, d.t ?? 0, e.t ?? 0)});
}

function compare_equations(model, r) {
    const n = model.names.length, unit = (i) => model.names.map((_, j) => (i === j ? 1 : 0));
    const state = {q: model.names.map(() => r.in(-1, 1)), v: model.names.map(() => r.in(-1, 1)), t: r.in(0, 2)};
    const S = model.terms.switches.map(() => 1), p = new Principle(model);
    for (let pass = 0; pass < 3; pass++)
        model.terms.switches.forEach((s, k) => {
            const g = second(model, s.guard, state, {}, {})[0];
            S[k] = s.whole ? Math.floor(g) : Math.sign(g);
        });
    const e = p.matrices(state.t, state.q, state.v, S), flow = {q: state.v, t: 1};
    for (let i = 0; i < n; i++) {
        let Q = second(model, model.lagrangian, state, {q: unit(i)}, {})[1] -
            second(model, model.lagrangian, state, {v: unit(i)}, flow)[3];
        for (const [j, tree] of model.forces) if (j === i) Q += second(model, tree, state, {}, {})[0];
        near(`Q[${i}]`, e.Q[i], Q, 1 + Math.abs(Q), 1e-12);
        for (let j = 0; j < n; j++) {
            const M = second(model, model.lagrangian, state, {v: unit(i)}, {v: unit(j)})[3];
            near(`M[${i}, ${j}]`, e.M[i][j], M, 1 + Math.abs(M), 1e-12);
        }
    }
    model.rows.forEach((row, k) => {
        const kind = ['q', 'v', 'a'][row.kind];
        for (let i = 0; i < n; i++)
            near(`A[${row.name}, ${i}]`, e.A[k][i], second(model, row.phi, state, {[kind]: unit(i)}, {})[1], 1, 1e-11);
        const b = [() => -second(model, row.phi, state, flow, flow)[3], () => -second(model, row.phi, state, flow, {})[1],
            () => -second(model, row.phi, state, {}, {})[0]][row.kind]();
        near(`b[${row.name}]`, e.b[k], b, 1 + Math.abs(b), 1e-11);
    });
    compare_solution(p, e);
}

// Independent rows: [M -A^T; A 0] [z; lambda] = [Q; b].
function compare_solution(p, e) {
    const {n, m} = p, out = p.answer(e);
    if (!out || out.rank < m || (m && out.smallest < 1e-3)) return;
    const K = [...Array(n + m)].map((_, i) => [...Array(n + m)].map((__, j) => (i < n ? (j < n ? e.M[i][j] : -e.A[j - n][i])
                                                                            : j < n   ? e.A[i - n][j]
                                                                                      : 0)));
    const x = eliminate(K, [...e.Q, ...e.b]);
    if (!x) return;
    const size = Math.max(1, ...x.map(Math.abs));
    out.a.forEach((z, i) => near('acceleration', z, x[i], size, 1e-9));
    out.lambda.forEach((l, k) => near('multiplier', l, x[n + k], size, 1e-9));
}

// ---------------------------------------------------------------------------- closed forms

// One mass on which a force acts; `value(t)` is its way.
function motion(what, fill, value, within = 1e-11) {
    const model = model_of(['x'], (T, m) => { m.kinetic.push(T.mul(0.5, T.square(T.v(0)))); fill(T, m); });
    for (const row of new Motion(model, {tol: 1e-12}).rows()) near(`${what} at ${row.t}`, row.q[0], value(row.t), 1, within);
}

function closed_forms() {
    motion('window', (T, m) => {
        Object.assign(m, {until: 10, breaks: [3, 3.5]});
        m.forces.push([0, T.between(T.sub(T.t, 3), T.sub(3.5, T.t), 2, 0)]);
    }, (t) => (t < 3 ? 0 : t < 3.5 ? (t - 3) ** 2 : 0.25 + (t - 3.5)));
    motion('triangle in abs', (T, m) => {
        Object.assign(m, {until: 4, breaks: [1, 2, 3]});
        m.forces.push([0, T.max(0, T.sub(1, T.abs(T.sub(T.t, 2))))]);
    }, (t) => (t < 1 ? 0 : t < 2 ? (t - 1) ** 3 / 6 : t < 3 ? 1 / 6 + (t - 2) / 2 + (t - 2) ** 2 / 2 - (t - 2) ** 3 / 6 : t - 2));
    const stairs = (t) => [...Array(Math.ceil(t)).keys()].reduce((s, k) => s + (k > 0 ? (t - k) ** 2 / 2 : 0), 0);
    motion('stairs', (T, m) => {
        Object.assign(m, {until: 6, breaks: [1, 2, 3, 4, 5]});
        m.forces.push([0, T.floor(T.t)]);
    }, stairs);
    // V = |x|: parabolas of the length 2 sqrt 2 from 1 to -1
    const abs = (t) => {
        const T = Math.sqrt(2), u = t % (4 * T);
        return u < T ? 1 - u * u / 2 : u < 3 * T ? -1 + (u - 2 * T) ** 2 / 2 : 1 - (4 * T - u) ** 2 / 2;
    };
    motion('potential abs(x)', (T, m) => {
        Object.assign(m, {until: 9, longest: 0.1});
        m.potential.push(T.abs(T.q(0)));
        m.start.q[0] = 1;
    }, abs);
    motion('friction stops', (T, m) => {
        Object.assign(m, {until: 3, longest: 0.1});
        m.forces.push([0, T.mul(-2, T.sign(T.v(0)))]);
        m.start.v[0] = 3;
    }, (t) => (t < 1.5 ? 3 * t - t * t : 2.25));
    // pulled by a force t, held by 2: rests until t = 2
    motion('friction breaks away', (T, m) => {
        Object.assign(m, {until: 4, longest: 0.1});
        m.forces.push([0, T.mul(-2, T.sign(T.v(0)))], [0, T.t]);
    }, (t) => (t < 2 ? 0 : (t - 2) ** 3 / 6));
    // a spring pulled at speed 1: x = 0 until k t = 1, then 1 - ... slips: x'' = k(t - x) - 1
    const k = 4, w = 2, slip = (t) => (t < 0.25 ? 0 : (t - 0.25) - Math.sin(w * (t - 0.25)) / w);
    motion('stick and slip', (T, m) => {
        Object.assign(m, {until: 3, longest: 0.1});
        m.potential.push(T.mul(k / 2, T.square(T.sub(T.q(0), T.t))));
        m.forces.push([0, T.mul(-1, T.sign(T.v(0)))]);
    }, slip);
    motion('walls', (T, m) => {
        Object.assign(m, {until: 7.3, longest: 0.3});
        m.start = {q: [0.2], v: [1]};
        m.whens.push({guard: T.sub(T.q(0), 1), sets: [{kind: 'v', index: 0, to: T.neg(T.v(0))}]},
            {guard: T.neg(T.q(0)), sets: [{kind: 'v', index: 0, to: T.neg(T.v(0))}]});
    }, (t) => 1 - Math.abs(((t + 0.2) % 2) - 1));
    // slides on x = 0 in the velocity: x'' = -3 sign(x' + x) gives x' = -x once there
    motion('sliding', (T, m) => {
        Object.assign(m, {until: 3, longest: 0.1});
        m.start = {q: [1], v: [-1]};
        m.forces.push([0, T.mul(-3, T.sign(T.add(T.v(0), T.q(0))))]);
    }, (t) => Math.exp(-t));
}

// ---------------------------------------------------------------------------- the judge

function judging() {
    const model = {until: 1, names: ['x']}, columns = [{name: 'x', kind: 'q', of: (r) => r.q[0]}];
    const rows = [0, 0.5, 1].map((t) => ({t, q: [2 * t]})),
          table = (off) => ({columns: ['t', 'x'], rows: rows.map((r) => [r.t, r.q[0] + (r.t === 0.5 ? off : 0)])});
    const seen = (off) => first_wrong(model, columns, rows, table(off), 1e-6, null) !== null;
    near('a number within', seen(1.9e-4) ? 1 : 0, 0, 1, 0);
    near('a number beyond', seen(2.1e-4) ? 1 : 0, 1, 1, 0);
    near('not a number', seen(NaN) ? 1 : 0, 1, 1, 0);
    const said = (trust, reason, wrong) => outcome({}, {status: 0, said: '', trust, reason}, wrong);
    const cases = [
        ['ok', null, {}, 'unearned'], ['ok', null, null, 'right'], ['do not trust', 'x', {}, 'flagged'],
        ['do not trust', 'x', null, 'alarm'], ['ok with remarks', 'the start was moved onto the constraints (x)', {}, 'unearned'],
        ['ok with remarks', 'the motion slides', {}, 'flagged']
    ];
    for (const [trust, reason, wrong, value] of cases)
        near(`${trust}: ${reason}`, said(trust, reason, wrong) === value ? 1 : 0, 1, 1, 0);
}

for (let k = 0; k < 60; k++) {
    const r = chance(seed_of('itself', k)), kind = k % 2 ? smooth : conditions[k % conditions.length];
    const model = kind.make(r, k);
    if (model) compare_equations(model, r);
}
closed_forms();
judging();
console.log(`${checks} checks, ${failures} failed`);
process.exitCode = failures ? 1 : 0;
