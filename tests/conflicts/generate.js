// Models whose constraints begin or cease to contradict each other on the way, as a text for the
// command and, apart from it, as matrices for the principle.
'use strict';
const { dot, zeros, leastSquares } = require('./least_squares.js');

// The same numbers everywhere (mulberry32).
function draw(seed) {
    let a = seed >>> 0;
    return () => {
        a = (a + 0x6d2b79f5) >>> 0;
        let t = Math.imul(a ^ (a >>> 15), 1 | a);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

const names = ['x', 'y', 'z', 'u', 'w', 'p'];
const number = (x) => (x < 0 ? `(${x})` : `${x}`);
const sum = (c, of) => c.map((x, i) => (x === 0 ? null : `${number(x)}*${of(i)}`)).filter((x) => x).join(' + ') || '0';

// D(t) of a row that parts from the others: its value as a text, its derivatives of the row's order
// as a function, and the conditions in it. order: how often the row is differentiated.
function parting(random, order, mirror, n) {
    const d = mirror * (0.5 + 2 * random()) * (random() < 0.5 ? -1 : 1), a = 0.2 + 0.6 * random(), b = a + 0.2 + 0.5 * random();
    const at = (t) => t - a, to = (t) => t - b;
    const kind = Math.floor(random() * 4);
    const time = { conditions: [at, to] };
    if (order === 2)
        return { ...time, text: `if(t > ${a}, if(t < ${b}, ${d / 2}*(t - ${a})^2, ${d * (b - a)}*(t - ${b}) + ${(d * (b - a) ** 2) / 2}), 0)`,
                 value: (t, y, s) => (s[0] && !s[1] ? d : 0), kind: 'bends' };
    if (order === 1)
        return { ...time, text: `${d}*(max(0, t - ${a}) - max(0, t - ${b}))`, value: (t, y, s) => (s[0] && !s[1] ? d : 0), kind: 'kinks' };
    if (kind === 0)
        return { ...time, text: `if(t > ${a} and t < ${b}, ${d}, 0)`, value: (t, y, s) => (s[0] && !s[1] ? d : 0), kind: 'window' };
    if (kind === 1)
        return { ...time, text: `${d}*max(0, (t - ${a})*(${b} - t))^2*100`,
                 value: (t, y, s) => (s[0] && !s[1] ? 100 * d * ((t - a) * (b - t)) ** 2 : 0), kind: 'bump' };
    if (kind === 2)
        return { conditions: [], text: `${d}*sin(3*t)`, value: (t) => d * Math.sin(3 * t), kind: 'wave' };
    const i = Math.floor(random() * n), c = 0.4 * (random() - 0.5) * mirror;
    return { conditions: [(t, y) => mirror * (y[i] - c)], text: mirror > 0 ? `if(${names[i]} > ${c}, ${d}, 0)` : `if(${names[i]} < ${c}, ${d}, 0)`,
             value: (t, y, s) => (s[0] ? d : 0), kind: 'place' };
}

// mirror -1: every coordinate, velocity, force and right side with the other sign, from the same
// seed.
function generate(seed, mirror = 1) {
    const random = draw(seed), n = 2 + Math.floor(random() * 4), signed = () => 2 * random() - 1;
    const pick = (k) => Math.floor(random() * k);
    const B = Array.from({ length: n }, () => Array.from({ length: n }, signed));
    const M = zeros(n, n).map((row, i) => row.map((x, j) => dot(B[i], B[j]) + (i === j ? 1 : 0)));
    const K = Array.from({ length: n }, () => 1 + 3 * random()), F = Array.from({ length: n }, () => mirror * 2 * signed());
    const lines = [`coord ${names.slice(0, n).join(', ')}`], rows = [], conditions = [];
    const quadratic = M.flatMap((row, i) => row.map((x, j) => `${x}*${names[i]}'*${names[j]}'`)).join(' + ').replace(/\+ -/g, '- ');
    lines.push(`kinetic (${quadratic})/2`);
    for (let i = 0; i < n; i++) lines.push(`force ${names[i]}: ${F[i]} - ${K[i]}*${names[i]}`);
    const q0 = Array.from({ length: n }, () => mirror * signed());
    const free = 1 + pick(n - 1); // independent rows
    const rod = n >= 3 && random() < 0.4;
    for (let k = 0; k < free; k++) {
        const name = `r${k}`, weight = Math.exp(2 * signed());
        if (rod && k === 0) {
            const R = q0[0] ** 2 + q0[1] ** 2;
            rows.push({ name, weight, order: 2, phi: `x^2 + y^2 - ${R}`, A: (t, y) => [2 * y[0], 2 * y[1], ...new Array(n - 2).fill(0)],
                        b: (t, y) => -2 * (y[n] ** 2 + y[n + 1] ** 2), vt: 0, form: null,
                        accel: "2*x*x'' + 2*y*y''", right: "(-2*(x'^2 + y'^2))" });
            continue;
        }
        const c = Array.from({ length: n }, () => (random() < 0.3 ? 0 : signed()));
        if (c.every((x) => x === 0)) c[pick(n)] = 1;
        const al = mirror * signed(), om = 1 + 2 * random(), order = [2, 2, 1, 0][pick(4)];
        const value = order === 2 ? dot(c, q0) : 0;
        if (order === 2)
            rows.push({ name, weight, order, c, phi: `${sum(c, (i) => names[i])} - ${number(value)} - ${number(al)}*sin(${om}*t)`, A: () => c,
                        b: (t) => -al * om * om * Math.sin(om * t), vt: al * om, accel: sum(c, (i) => names[i] + "''"), right: `(${-al * om * om}*sin(${om}*t))` });
        else if (order === 1)
            rows.push({ name, weight, order, c, phi: `${sum(c, (i) => names[i] + "'")} - ${number(al)}*cos(${om}*t)`, A: () => c,
                        b: (t) => -al * om * Math.sin(om * t), vt: al, accel: sum(c, (i) => names[i] + "''"), right: `(${-al * om}*sin(${om}*t))` });
        else
            rows.push({ name, weight, order, c, phi: `${sum(c, (i) => names[i] + "''")} - ${number(al)}*cos(${om}*t)`, A: () => c,
                        b: (t) => al * Math.cos(om * t), vt: null, accel: sum(c, (i) => names[i] + "''"), right: `(${al}*cos(${om}*t))` });
    }
    const kinds = [];
    const more = 1 + pick(3);
    for (let k = 0; k < more; k++) { // rows that follow from the others, or part from them
        const name = `d${k}`, weight = Math.exp(2 * signed()), count = 1 + pick(Math.min(2, free));
        const of = Array.from({ length: count }, () => pick(free)), s = of.map(() => 0.5 + random());
        const least = Math.min(...of.map((i) => rows[i].order));
        const base = of.map((i) => rows[i]), parts = k === 0 || random() < 0.4;
        const linear = base.every((r) => r.c && r.order === base[0].order), order = linear && random() < 0.7 ? least : 0;
        const none = { text: '0', value: () => 0, conditions: [], kind: 'none' };
        const D = parts ? parting(random, order, mirror, n) : none, first = conditions.length;
        conditions.push(...D.conditions);
        if (parts) kinds.push(`${D.kind}${order}`);
        const phi = order > 0 ? `${base.map((r, i) => `${s[i]}*(${r.phi})`).join(' + ')} - (${D.text})`
            : `${base.map((r, i) => `${s[i]}*(${r.accel} - ${r.right})`).join(' + ')} - (${D.text})`;
        rows.push({ name, weight, order, phi, follows: true,
                    A: (t, y) => base.map((r) => r.A(t, y)).reduce((sum_, a, i) => sum_.map((x, j) => x + s[i] * a[j]), new Array(n).fill(0)),
                    b: (t, y, sides) => base.reduce((x, r, i) => x + s[i] * r.b(t, y), 0) + D.value(t, y, sides.slice(first, first + D.conditions.length)) });
    }
    for (const r of rows) lines.push(`constraint ${r.name}: ${r.phi} = 0`, `weight ${r.name}: ${r.weight}`);
    // velocities onto the rates of the independent rows
    const y0 = q0.concat(new Array(n).fill(0)), own = rows.filter((r) => !r.follows && r.order > 0);
    const wish = Array.from({ length: n }, () => mirror * signed());
    const P = own.map((r) => r.A(0, y0)), move = own.length > 0 ? leastSquares(P, own.map((r, i) => r.vt - dot(P[i], wish))) : wish.map(() => 0);
    const v0 = wish.map((x, i) => x + move[i]);
    lines.push(`start ${q0.map((x, i) => `${names[i]} = ${x}, ${names[i]}' = ${v0[i]}`).join(', ')}`, 'simulate t = 0..1.5');
    const model = {
        n, M, rows, conditions, kinds, rod,
        Q: (y) => F.map((f, i) => f - K[i] * y[i]),
        at: (t, y, sides) => ({ A: rows.map((r) => r.A(t, y)), b: rows.map((r) => r.b(t, y, sides)), w: rows.map((r) => r.weight) }),
    };
    return { text: lines.join('\n') + '\n', model, start: q0.concat(v0), until: 1.5 };
}

module.exports = { draw, generate };
