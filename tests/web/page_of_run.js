// Pages for the tests: the JSON of DATA.md from a real run of the command, or from numbers made here, and
// the HTML around it as the command writes it.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');

const root = path.join(__dirname, '..', '..');
const dist = (name) => fs.readFileSync(path.join(root, 'web', 'dist', name), 'utf8');

// ------------------------------------------------------------------------------ HTML

const CSP = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:";

function html(page) {
    const json = JSON.stringify(page).replace(/</g, '\\u003c');
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${CSP}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Zwang</title>
<style>
${dist('page.css')}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript, which is inside it: nothing is loaded from anywhere.</noscript>
<script type="application/json" id="zwang-page">${json}</script>
<script>
${dist('page.js')}</script>
</body>
</html>
`;
}

// ------------------------------------------------------------------------------ data

// columns: [{name, kind, values}], the first is the time.
function pack(columns, type = 'f8') {
    const rows = columns[0].values.length,
        size = type === 'f8' ? 8 : 4;
    const bytes = Buffer.alloc(columns.length * rows * size);
    columns.forEach(({ values }, k) => {
        for (let i = 0; i < rows; i++)
            if (size === 8) bytes.writeDoubleLE(values[i], 8 * (k * rows + i));
            else bytes.writeFloatLE(values[i], 4 * (k * rows + i));
    });
    return { type, rows, columns: columns.map(({ values, ...info }) => info), base64: bytes.toString('base64') };
}

function kindOf(name, outputs) {
    if (name === 't') return 'time';
    if (outputs.has(name)) return 'output';
    if (['energy', 'kinetic', 'potential'].includes(name)) return 'energy';
    const call = /^(multiplier|residual|rate|force|force_ideal|force_nonideal|control|impressed)\(/.exec(name);
    if (call) return { multiplier: 'multiplier', residual: 'residual', rate: 'residual' }[call[1]] ?? 'force';
    if (['inconsistency', 'gaussian'].includes(name)) return name;
    if (name === 'rank') return 'step';
    return name.endsWith("''") ? 'acceleration' : name.endsWith("'") ? 'velocity' : 'coordinate';
}

// ------------------------------------------------------------------------------- runs

// Runs a model of models/ with all columns. options: {extra: lines put behind the model, scene(c), forces(c)},
// where c('x') is the number that the column x gives a shape.
function pageOfRun(zwang, name, options = {}) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-page-'));
    const text = fs.readFileSync(path.join(root, 'models', `${name}.zw`), 'utf8') + (options.extra ?? '');
    const model = path.join(folder, `${name}.zw`),
        result = path.join(folder, 'r.json'),
        stats = path.join(folder, 's.json');
    fs.writeFileSync(model, text);
    const run = spawnSync(zwang, ['run', `${name}.zw`, '--columns', 'all', '-o', result, '--stats', stats], {
        cwd: folder,
        encoding: 'utf8',
    });
    const check = spawnSync(zwang, ['check', `${name}.zw`, '--json', '-q'], {
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 1 << 26,
    });
    if (run.status !== 0) throw new Error(`${name}: ${run.stderr}`);
    const table = JSON.parse(fs.readFileSync(result, 'utf8')),
        said = JSON.parse(fs.readFileSync(stats, 'utf8'));
    fs.rmSync(folder, { recursive: true });
    const outputs = new Set([...text.matchAll(/^\s*output (\w+)/gm)].map(([, word]) => word));
    const isOutput = (column) => outputs.has(column.replace(/\[.*/, ''));
    const columns = table.columns.map((column, k) => ({
        name: column,
        kind: kindOf(column, { has: isOutput }),
        values: table.rows.map((row) => row[k] ?? NaN),
    }));
    const at = (column) => {
        const c = table.columns.indexOf(column);
        if (c < 0) throw new Error(`${name} has no column ${column}`);
        return { c };
    };
    return {
        version: '0.1.0',
        title: said.title,
        command: `zwang run ${name}.zw --report ${name}.html`,
        file: `${name}.zw`,
        text,
        parameters: [...text.matchAll(/(\w+) = ([\d.]+)/g)]
            .slice(0, 6)
            .map(([, word, value]) => ({ name: word, value: Number(value) })),
        data: pack(columns),
        scene: options.scene?.(at),
        forces: options.forces?.(at) ?? [],
        events: said.events.map(({ event, t }) => ({ t, name: said.event_counts[event]?.when ?? `event ${event}` })),
        verdict: { trust: said.trust, lines: run.stderr.trimEnd().split('\n') },
        constraints: constraintsOf(JSON.parse(check.stdout)),
        equations: EQUATIONS,
        energy: { columns: ['energy', 'kinetic', 'potential'] },
    };
}

function constraintsOf(report) {
    return report.constraints.map(({ name, kind, rows }) => {
        const found = report.redundant.find((one) => one.name === name);
        const from = found?.rows
            .filter((row) => row.name !== name)
            .map((row) => row.name)
            .join(', ');
        return {
            name,
            kind,
            rows: rows[1],
            redundant: found !== undefined,
            conflict: false,
            text: found ? `follows from ${from}` : '',
        };
    });
}

const EQUATIONS = [
    {
        title: 'Gauss’s principle',
        mathml:
            '<math display="block"><mrow><mi>M</mi><mover><mi>q</mi><mo>¨</mo></mover><mo>=</mo><mi>Q</mi><mo>+</mo><msup><mi>A</mi><mi>T</mi></msup><mi>λ</mi></mrow></math>' +
            '<math display="block"><mrow><mi>λ</mi><mo>=</mo><mfrac><mrow><mi>b</mi><mo>−</mo><mi>A</mi><msup><mi>M</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup><mi>Q</mi></mrow><msqrt><mi>S</mi></msqrt></mfrac></mrow></math>',
    },
];

module.exports = { html, pack, pageOfRun, EQUATIONS, root };
