// Models with a drawing by hand: what the command will draw from their `draw` statements.
'use strict';
const { pack, pageOfRun, EQUATIONS } = require('./page_of_run.js');

const numbers = (count, f) => Array.from({ length: count }, (_, i) => f(i));

const MODELS = {
    double_pendulum: {
        scene: (c) => {
            const a = [c('a[1]'), c('a[2]')],
                b = [c('b[1]'), c('b[2]')];
            return {
                dimension: 2,
                up: [0, 1, 0],
                shapes: [
                    { kind: 'line', p: [[0, 0], a, b] },
                    { kind: 'point', p: [0, 0] },
                    { kind: 'ball', p: a, radius: 0.05, name: 'a' },
                    { kind: 'ball', p: b, radius: 0.05, name: 'b' },
                    { kind: 'trail', p: b, color: 'teal' },
                ],
            };
        },
        forces: (c) =>
            ['a', 'b'].map((name) => ({
                name: `force on ${name}`,
                kind: 'ideal',
                p: [c(`${name}[1]`), c(`${name}[2]`)],
                v: [c(`force_ideal(${name}[1])`), c(`force_ideal(${name}[2])`)],
            })),
    },
    four_bar: {
        scene: (c) => {
            const p = [1, 2, 3].map((i) => [c(`p[${i},1]`), c(`p[${i},2]`)]);
            return {
                dimension: 2,
                shapes: [
                    ...p.flatMap((pin, i) => [
                        { kind: 'line', p: [[1.5 * i, 0], pin] },
                        { kind: 'ball', p: pin, radius: 0.1, color: 'crimson', name: `pin ${i + 1}` },
                        { kind: 'point', p: [1.5 * i, 0] },
                    ]),
                    { kind: 'line', p, width: 4 },
                ],
            };
        },
        forces: (c) =>
            [1, 2, 3].map((i) => ({
                name: `p[${i}]`,
                kind: 'ideal',
                p: [c(`p[${i},1]`), c(`p[${i},2]`)],
                v: [c(`force_ideal(p[${i},1])`), c(`force_ideal(p[${i},2])`)],
            })),
    },
    bouncing_ball: {
        scene: (c) => ({
            dimension: 2,
            shapes: [
                ...numbers(10, (i) => ({
                    kind: 'line',
                    p: [
                        [0.3 * i, -0.18 * i],
                        [0.3 * (i + 1), -0.18 * i],
                        [0.3 * (i + 1), -0.18 * (i + 1)],
                    ],
                })),
                { kind: 'ball', p: [c('x'), c('y')], radius: 0.02 },
                { kind: 'trail', p: [c('x'), c('y')], color: 'teal' },
            ],
        }),
    },
    newton_cradle: {
        scene: (c) => ({
            dimension: 2,
            shapes: numbers(5, (i) => i + 1).flatMap((i) => {
                const p = [c(`p[${i},1]`), c(`p[${i},2]`)];
                return [
                    { kind: 'line', p: [[0.101 * i, 0], p], width: 1.5 },
                    { kind: 'ball', p, radius: 0.05 },
                ];
            }),
        }),
    },
    spherical_pendulum: {
        scene: (c) => {
            const r = [c('r[1]'), c('r[2]'), c('r[3]')];
            return {
                dimension: 3,
                up: [0, 0, 1],
                shapes: [
                    { kind: 'line', p: [[0, 0, 0], r] },
                    { kind: 'ball', p: r, radius: 0.07, name: 'r' },
                    { kind: 'point', p: [0, 0, 0] },
                    { kind: 'trail', p: r, color: 'teal' },
                ],
            };
        },
        forces: (c) => [
            {
                name: 'rod',
                kind: 'ideal',
                p: [c('r[1]'), c('r[2]'), c('r[3]')],
                v: [1, 2, 3].map((i) => c(`force_ideal(r[${i}])`)),
            },
        ],
    },
    bead_helix: {
        scene: (c) => {
            const r = [c('r[1]'), c('r[2]'), c('r[3]')];
            return {
                dimension: 3,
                shapes: [
                    { kind: 'ball', p: r, radius: 0.05, color: 'crimson' },
                    { kind: 'trail', p: r, color: 'gray' },
                ],
            };
        },
        forces: (c) =>
            ['ideal', 'nonideal'].map((kind) => ({
                name: kind === 'ideal' ? 'wire' : 'friction',
                kind,
                p: [1, 2, 3].map((i) => c(`r[${i}]`)),
                v: [1, 2, 3].map((i) => c(`force_${kind}(r[${i}])`)),
            })),
    },
    heavy_top: {
        extra: '\noutput p_tip = top.point([0, 0, h/2])\noutput p_low = top.point([0, 0, -0.004])\noutput p_high = top.point([0, 0, 0.004])\noutput p_load = foot.load\n',
        scene: (c) => {
            const v = (name) => [1, 2, 3].map((i) => c(`${name}[${i}]`));
            return {
                dimension: 3,
                up: [0, 0, 1],
                shapes: [
                    { kind: 'line', p: [[0, 0, 0], v('p_tip')], width: 4 },
                    { kind: 'cylinder', p: v('p_low'), q: v('p_high'), radius: 0.05, name: 'top' },
                    { kind: 'trail', p: v('p_tip') },
                ],
            };
        },
        forces: (c) => [{ name: 'foot', kind: 'ideal', p: [0, 0, 0], v: [1, 2, 3].map((i) => c(`p_load[${i}]`)) }],
    },
};

const real = (zwang, name) => pageOfRun(zwang, name, MODELS[name]);

// ---------------------------------------------------------------------- made by hand

const frame = (title) => ({
    version: '0.1.0',
    title,
    command: 'zwang view',
    parameters: [],
    forces: [],
    events: [],
    verdict: { trust: 'ok', lines: ['trust        ok'] },
});

// Every kind of shape, in the plane or in space, turning.
function shapes(dimension) {
    const t = numbers(201, (i) => i / 50),
        columns = [{ name: 't', kind: 'time', values: t }];
    const add = (name, f, kind = 'drawing') => ({ c: columns.push({ name, kind, values: t.map(f) }) - 1 });
    const angle = add('angle', (s) => s, 'coordinate'),
        x = add('x', (s) => Math.cos(s)),
        y = add('y', (s) => Math.sin(s));
    const cos = add('cos', (s) => Math.cos(s)),
        sin = add('sin', (s) => Math.sin(s)),
        minus = add('-sin', (s) => -Math.sin(s));
    const at = (a, b, z = 0) => (dimension === 2 ? [a, b] : [a, b, z]);
    const turned = dimension === 2 ? { angle } : { R: [cos, minus, 0, sin, cos, 0, 0, 0, 1] };
    const ring = numbers(48, (k) => [0.5 * Math.cos((k * Math.PI) / 24), 0.3 * Math.sin((k * Math.PI) / 24), 0]);
    const egg = numbers(13 * 24, (k) => {
        const up = (Math.PI * Math.floor(k / 24)) / 12,
            round = (Math.PI * (k % 24)) / 12;
        return [0.5 * Math.sin(up) * Math.cos(round), 0.3 * Math.sin(up) * Math.sin(round), 0.4 * Math.cos(up)];
    });
    const disc = numbers(6 * 12, (k) => [
        0.4 * Math.cos((k * Math.PI) / 6),
        0.4 * Math.sin((k * Math.PI) / 6),
        k < 36 ? -0.08 : 0.08,
    ]);
    return {
        ...frame(`Every shape in ${dimension} dimensions`),
        scene: {
            dimension,
            shapes: [
                {
                    kind: 'box',
                    p: at(-2, 0),
                    ...turned,
                    sizes: dimension === 2 ? [1, 0.6] : [1, 0.6, 0.4],
                    name: 'box',
                },
                {
                    kind: 'cylinder',
                    p: at(-1, -1.5),
                    q: at(x, -1.5, 0.5),
                    radius: 0.15,
                    color: 'olive',
                    name: 'cylinder',
                },
                { kind: 'spring', p: at(-2, 1.5), q: at(x, 1.5), name: 'spring' },
                { kind: 'polygon', p: [at(0, 0), at(x, y), at(y, x, 0.3)], color: 'teal', name: 'polygon' },
                dimension === 2
                    ? { kind: 'surface', p: at(2, 0), angle, map: ring, name: 'egg' }
                    : {
                          kind: 'surface',
                          p: at(2, 0),
                          R: turned.R,
                          map: egg,
                          grid: [13, 24],
                          color: 'orchid',
                          name: 'egg',
                      },
                ...(dimension === 3
                    ? [{ kind: 'surface', p: at(0.3, -0.8), R: turned.R, map: disc, color: 'coral', name: 'disc' }]
                    : []),
                { kind: 'arrow', p: at(2, 1.4), v: at(x, y), color: 'navy', name: 'drawn' },
                { kind: 'text', p: at(0, 2), text: 'a text <b>&amp;' },
                { kind: 'point', p: at(x, y) },
                { kind: 'ball', p: at(2, -1.4), radius: 0.3 },
                { kind: 'of a later version', p: at(0, 0) },
            ],
        },
        data: pack(columns),
        equations: EQUATIONS,
    };
}

// Names that would like to be markup, and a drawing that is full of them.
const NASTY = [
    '<img src=x onerror="globalThis.broken=1">',
    '"quoted" & \'single\'',
    '</script><script>globalThis.broken=2</script>',
    'Ωmega_π ℝ 𝔸 日本 \u202Eabc',
    '<!--',
    '${1}`',
];

function hostile() {
    const t = numbers(101, (i) => i / 25),
        columns = [{ name: 't', kind: 'time', values: t }];
    NASTY.forEach((name, i) =>
        columns.push({
            name,
            kind: ['output', 'coordinate', 'multiplier', 'force', 'energy', 'residual'][i],
            unit: name,
            values: t.map((s) => Math.sin(s + i)),
        }),
    );
    const p = [{ c: 1 }, { c: 2 }],
        [nasty] = NASTY;
    return {
        ...frame(NASTY.join(' ')),
        command: NASTY[2],
        file: NASTY[0],
        text: NASTY.join('\n') + '\n# ' + NASTY.join('\n# '),
        parameters: NASTY.map((name) => ({ name, value: name })),
        data: pack(columns, 'f4'),
        thinned: { from: 100001, to: 101 },
        scene: {
            dimension: 2,
            shapes: [
                ...NASTY.map((name, i) => ({ kind: 'ball', p: [{ c: 1 + i }, i], radius: 0.1, name, color: name })),
                { kind: 'text', p, text: nasty },
            ],
        },
        forces: [
            { name: nasty, kind: 'ideal', p, v: p },
            { name: NASTY[3], kind: 'nonideal', p, v: [{ c: 3 }, { c: 4 }] },
        ],
        events: NASTY.map((name, i) => ({ t: i / 2, name, message: name })),
        verdict: { trust: 'ok with remarks', lines: NASTY },
        constraints: NASTY.map((name) => ({ name, kind: name, rows: 1, redundant: true, conflict: true, text: name })),
        equations: [
            {
                title: nasty,
                mathml: '<math><mi onclick="globalThis.broken=3" href="javascript:1">x</mi><script>globalThis.broken=4</script><mtext><img xmlns="http://www.w3.org/1999/xhtml" src="x"/></mtext></math>',
            },
            { title: 'not well-formed', mathml: '<math><mi>' },
        ],
        energy: { columns: [NASTY[4]] },
    };
}

// A chain of so many links that swings as one wave, in the plane or in space.
function chain(links, dimension = 2, rows = 60) {
    const t = numbers(rows, (i) => i / 20),
        columns = [{ name: 't', kind: 'time', values: t }],
        places = [];
    for (let k = 0; k <= links; k++) {
        const s = (20 * k) / links;
        const add = (name, f) => ({
            c: columns.push({ name: `${name}[${k}]`, kind: 'drawing', values: t.map(f) }) - 1,
        });
        const p = [s, add('y', (u) => Math.sin(s - 2 * u))];
        if (dimension === 3) p.push(add('z', (u) => Math.cos(s - 2 * u)));
        places.push(p);
    }
    const shapes = places.slice(1).map((p, k) => ({ kind: 'line', p: [places[k], p] }));
    return { ...frame(`A chain of ${links} links`), data: pack(columns, 'f4'), scene: { dimension, shapes } };
}

// A cart of several pieces that goes far: to be followed. Its columns are those that a page may open with, or
// had better not.
function cart(dimension) {
    const t = numbers(201, (i) => i / 20);
    const columns = [{ name: 't', kind: 'time', values: t }];
    const add = (name, kind, f) => ({ c: columns.push({ name, kind, values: t.map(f) }) - 1 });
    const along = (d) => add(`x + ${d}`, 'drawing', (s) => 6 * s + d);
    const corners = [
        [0, 0],
        [1, 0],
        [1, 0.5],
        [0, 0.5],
        [0, 0],
    ].map(([x, y]) => [along(x), y, 0].slice(0, dimension));
    const wheels = [0.2, 0.8].map((x) => ({ kind: 'ball', p: [along(x), -0.2, 0].slice(0, dimension), radius: 0.15 }));
    add('axle.F[1]', 'output', (s) => 9 + s);
    add('still', 'output', () => 5);
    add('noise', 'output', (s) => 1e-33 * Math.sin(100 * s));
    add('speed', 'output', (s) => 6 + Math.sin(s));
    add('weight', 'output', (s) => 1e6 + 1e5 * s);
    add('rate[1]', 'output', (s) => Math.cos(s));
    return {
        ...frame('A cart'),
        data: pack(columns),
        scene: {
            dimension,
            shapes: [
                { kind: 'line', p: corners },
                {
                    kind: 'line',
                    p: [
                        [-1, -0.35],
                        [70, -0.35],
                    ],
                },
                ...wheels,
            ],
        },
    };
}

// Many rows and columns: sums of waves with peaks of a single row, which no thinning may lose.
const PEAKS = [11_003, 20_011, 43_097, 58_151, 77_777];
function large(rows, count) {
    const t = numbers(rows, (i) => i / 1000),
        columns = [{ name: 't', kind: 'time', values: t }];
    for (let k = 0; k < count; k++)
        columns.push({
            name: `x[${k + 1}]`,
            kind: 'coordinate',
            values: t.map((s, i) => (PEAKS.includes(i) ? 9 : Math.sin(s * (1 + k / 7)) + 0.3 * Math.sin(91 * s + k))),
        });
    return { ...frame('Many numbers'), data: pack(columns) };
}

module.exports = { MODELS, NASTY, PEAKS, real, shapes, hostile, chain, cart, large };
