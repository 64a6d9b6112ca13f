// Models whose positions cannot satisfy all rows, or no longer from some time on, with `inconsistent
// = accept`: the positions of least squares found here by damped Newton steps on numbers of our own,
// their velocities by differences in time.
'use strict';
const { dot, principle, move } = require('./least_squares.js');
const { draw } = require('./generate.js');

// The x near `from` at which misfit(x) is least. Derivatives by central differences of the rows.
function least(rows, weights, from) {
    const n = from.length, value = (x) => rows(x).reduce((s, r, i) => s + weights[i] * r * r, 0) / 2;
    const gradient = (x) => {
        const J = jacobian(x), r = rows(x);
        return x.map((_, j) => r.reduce((s, ri, i) => s + weights[i] * ri * J[i][j], 0));
    };
    const jacobian = (x) => {
        const columns = x.map((_, j) => {
            const h = 1e-4, at = (k) => rows(x.map((y, i) => (i === j ? y + k * h : y)));
            const [a, b, c, d] = [at(-2), at(-1), at(1), at(2)];
            return a.map((_, i) => (a[i] - 8 * b[i] + 8 * c[i] - d[i]) / (12 * h));
        });
        return columns[0].map((_, i) => columns.map((c) => c[i]));
    };
    let x = from.slice(), mu = 1e-3;
    for (let round = 0; round < 400; round++) {
        const g = gradient(x), H = x.map((_, j) => {
            const h = 1e-4, up = gradient(x.map((y, i) => (i === j ? y + h : y))), down = gradient(x.map((y, i) => (i === j ? y - h : y)));
            return up.map((u, i) => (u - down[i]) / (2 * h));
        });
        const K = H.map((row, i) => row.map((y, j) => 0.5 * (y + H[j][i]) + (i === j ? mu : 0)));
        const d = solve(K, g.map((y) => -y)), to = x.map((y, i) => y + d[i]);
        const size = Math.max(...d.map(Math.abs));
        if (size < 1e-13) return to;
        if (value(to) <= value(x) + 1e-15 * value(x)) { x = to; mu *= 0.2; } else mu = Math.max(mu, 1e-9) * 5;
        if (mu < 1e-14) mu = 0;
    }
    return x;
}

// Gauss with partial pivots.
function solve(A, b) {
    const n = b.length, M = A.map((row, i) => row.concat(b[i]));
    for (let k = 0; k < n; k++) {
        let p = k;
        for (let i = k; i < n; i++) if (Math.abs(M[i][k]) > Math.abs(M[p][k])) p = i;
        [M[k], M[p]] = [M[p], M[k]];
        for (let i = k + 1; i < n; i++) {
            const f = M[i][k] / M[k][k];
            for (let j = k; j <= n; j++) M[i][j] -= f * M[k][j];
        }
    }
    const x = new Array(n).fill(0);
    for (let i = n - 1; i >= 0; i--) {
        x[i] = M[i][n];
        for (let j = i + 1; j < n; j++) x[i] -= M[i][j] * x[j];
        x[i] /= M[i][i];
    }
    return x;
}

// A point between two balls that do not meet, at rest or moving, in 2 or 3 dimensions; and a mass on
// a spring beside it that has nothing to do with it. mirror: all positions with the other sign.
function balls(seed, mirror) {
    const random = draw(seed), dim = 2 + Math.floor(2 * random()), names = ['x', 'y', 'z'].slice(0, dim), signed = () => 2 * random() - 1;
    const c1 = names.map(() => mirror * signed()), way = names.map(() => mirror * signed()), R = [0.3 + random(), 0.3 + random()];
    const long = Math.hypot(...way), far = (R[0] + R[1]) * (1.2 + random()), c2 = c1.map((x, i) => x + (way[i] / long) * far);
    const moving = random() < 0.5, swing = names.map(() => (moving ? mirror * 0.2 * signed() : 0)), om = 1 + 2 * random();
    const root = random() < 0.5, w = [Math.exp(signed()), Math.exp(signed())], m = 0.5 + random(), k = 1 + 5 * random();
    const text = (c, s, r) => {
        const d = names.map((x, i) => `(${x} - (${c[i]}) - (${s ? s[i] : 0})*sin(${om}*t))^2`).join(' + ');
        return root ? `sqrt(${d}) = ${r}` : `${d} = ${r * r}`;
    };
    const start = c1.map((x, i) => 0.5 * (x + c2[i]) + 0.1 * mirror * signed());
    const lines = [`coord ${names.join(', ')}, s`, `kinetic ${m}*(${names.map((x) => `${x}'^2`).join(' + ')})/2 + s'^2/2`, `potential 3*${names[dim - 1]} + ${k}*s^2/2`,
        `constraint one: ${text(c1, null, R[0])}`, `constraint two: ${text(c2, swing, R[1])}`, `weight one: ${w[0]}`, `weight two: ${w[1]}`,
        `start ${names.map((x, i) => `${x} = ${start[i]}`).join(', ')}, s = 1`, 'simulate t = 0..2, inconsistent = accept'];
    const rows = (t) => (x) => [[c1, null], [c2, swing]].map(([c, s], k_) => {
        const d = x.reduce((sum, y, i) => sum + (y - c[i] - (s ? s[i] * Math.sin(om * t) : 0)) ** 2, 0);
        return root ? Math.sqrt(d) - R[k_] : d - R[k_] ** 2;
    });
    let guess = start;
    const place = (t) => least(rows(t), w, guess);
    return { kind: 'balls', text: lines.join('\n') + '\n', names: [...names, 's'], times: [0, 0.7, 1.3, 2],
             at: (t) => { guess = place(t); return [...guess, Math.cos(Math.sqrt(k) * t)]; } };
}

// A rod whose end is pulled beyond its length, or a crank longer than its rod turned into the lock.
function locks(seed, mirror) {
    const random = draw(seed), crank = random() < 0.5, w = [Math.exp(2 * random() - 1), Math.exp(2 * random() - 1)];
    const L = 0.5 + random(), rate = (0.4 + 0.5 * random()) * mirror, r = L * (1.3 + random()), heavy = 0.5 + random();
    const lock = crank ? Math.asin(L / r) / Math.abs(rate) : L / Math.abs(rate), until = 1.6 * lock;
    const times = [0, 0.3 * lock, 0.7 * lock, 1.1 * lock, 1.3 * lock, until];
    const weights = `weight rod: ${w[0]}\nweight drive: ${w[1]}\n`, end = `simulate t = 0..${until}, inconsistent = accept\n`;
    if (crank) {
        const rows = (t) => ([a, s]) => [(r * Math.cos(a) - s) ** 2 + (r * Math.sin(a)) ** 2 - L * L, a - rate * t];
        let guess = [Math.asin(L / r) * mirror, Math.sqrt(r * r - L * L)];
        return { kind: 'crank', lock, until, times, names: ['a', 's'],
                 text: `coord a, s\nkinetic ${heavy}*a'^2/2 + s'^2/2\nconstraint rod: (${r}*cos(a) - s)^2 + (${r}*sin(a))^2 = ${L * L}\nconstraint drive: a = ${rate}*t\n${weights}start s = ${r - L}\n${end}`,
                 at: (t) => (t < lock ? [rate * t, r * Math.cos(rate * t) - Math.sqrt(L * L - (r * Math.sin(rate * t)) ** 2)] : (guess = least(rows(t), w, guess))) };
    }
    const rows = (t) => ([x, y]) => [x * x + y * y - L * L, x - rate * t];
    let guess = [L * mirror * 1.01, 0];
    return { kind: 'pulled', lock, until, times, names: ['x', 'y'],
             text: `coord x, y\nkinetic ${heavy}*(x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = ${L * L}\nconstraint drive: x = ${rate}*t\n${weights}start y = ${L}, x' = ${rate}\n${end}`,
             at: (t) => (t < lock ? [rate * t, Math.sqrt(L * L - (rate * t) ** 2)] : (guess = least(rows(t), w, guess))) };
}

// Rows on velocities that contradict each other from the start on, at rest or with time: the start is
// the compromise nearest to what was given, the motion the principle's from there.
function speeds(seed, mirror) {
    const random = draw(seed), n = 2 + Math.floor(3 * random()), names = ['x', 'y', 'z', 'u'].slice(0, n), signed = () => 2 * random() - 1;
    const B = names.map(() => names.map(signed)), M = B.map((a, i) => B.map((b, j) => dot(a, b) + (i === j ? 1 : 0)));
    const free = 1 + Math.floor(random() * (n - 1)), basis = Array.from({ length: free }, () => names.map(signed)), k = names.map(() => 1 + random());
    const rows = Array.from({ length: free + 1 + Math.floor(2 * random()) }, (_, i) => {
        const c = i < free ? basis[i] : basis.reduce((s, r) => { const f = signed(); return s.map((x, j) => x + f * r[j]); }, names.map(() => 0));
        return { c, u: mirror * signed(), swing: random() < 0.5 ? 0 : mirror * signed(), om: 1 + random(), weight: Math.exp(signed()) };
    });
    const wish = names.map(() => mirror * signed()), q0 = names.map(() => mirror * signed()), A = rows.map((r) => r.c), w = rows.map((r) => r.weight);
    const v0 = principle(M, M.map((row) => dot(row, wish)), A, rows.map((r) => r.u), w).z;
    const rates = (t, y) => {
        const Q = names.map((_, i) => -k[i] * y[i]), b = rows.map((r) => r.swing * r.om * Math.cos(r.om * t));
        return y.slice(n).concat(principle(M, Q, A, b, w).z);
    };
    const kinetic = M.flatMap((row, i) => row.map((x, j) => `(${x})*${names[i]}'*${names[j]}'`)).join(' + ');
    const text = [`coord ${names.join(', ')}`, `kinetic (${kinetic})/2`, ...names.map((x, i) => `force ${x}: -${k[i]}*${x}`),
        ...rows.flatMap((r, i) => [`constraint r${i}: ${r.c.map((x, j) => `(${x})*${names[j]}'`).join(' + ')} = ${r.u} + (${r.swing})*sin(${r.om}*t)`, `weight r${i}: ${r.weight}`]),
        `start ${names.map((x, i) => `${x} = ${q0[i]}, ${x}' = ${wish[i]}`).join(', ')}`, 'simulate t = 0..1.5, inconsistent = accept'].join('\n') + '\n';
    return { kind: 'speeds', text, times: [0, 0.5, 1.5], at: (t) => move({ rates, conditions: [] }, 0, t, q0.concat(v0)).y };
}

module.exports = { balls, locks, speeds };
