// A model of the oracle as text, and the command run on it.
'use strict';
const fs = require('fs'), path = require('path');
const {spawnSync} = require('child_process');
const {number_text} = require('./term.js');

// The text of a model; `model.text` where a class writes its own.
function model_text(model) {
    if (model.text) return model.text;
    const T = model.terms, lines = [`coord ${model.names.join(', ')}`];
    for (const tree of model.kinetic) lines.push(`kinetic ${T.text(tree)}`);
    for (const tree of model.potential ?? []) lines.push(`potential ${T.text(tree)}`);
    for (const [i, tree] of model.forces) lines.push(`force ${model.names[i]}: ${T.text(tree)}`);
    for (const row of model.rows)
        lines.push(`${row.control ? 'control' : 'constraint'} ${row.name}: ${row.said ?? `${T.text(row.phi)} = 0`}`);
    for (const row of model.rows) if (row.weight !== undefined) lines.push(`weight ${row.name}: ${number_text(row.weight)}`);
    for (const w of model.whens ?? []) lines.push(when_text(T, w));
    lines.push(...start_text(model), ...(model.lines ?? []));
    const more = [model.method ? `, method = ${model.method}` : '', model.accept ? ', inconsistent = accept' : ''].join('');
    lines.push(
        `simulate t = ${number_text(model.from ?? 0)}..${number_text(model.until)}, tol = ${number_text(model.tol)}${more}`);
    return `${lines.join('\n')}\n`;
}

function when_text(T, w) {
    const sets = w.sets.map((s) => `${T.text(s.kind === 'v' ? T.v(s.index) : T.q(s.index))} = ${T.text(s.to)}`);
    return `when ${T.text(w.guard)} > 0: ${w.stop ? 'stop' : sets.join(', ')}`;
}

// Starting values; those that `given` leaves out are not said.
function start_text(model) {
    const {q, v} = model.written ?? model.start, given = model.given ?? {};
    return model.names.flatMap((name, i) => [[name, q[i], given.q?.[i]], [`${name}'`, v[i], given.v?.[i]]])
        .filter(([, , said]) => said !== false).map(([name, x]) => `start ${name} = ${number_text(x)}`);
}

// Runs the command; what it wrote, said and judged. A run that takes longer than its time is `late`.
function run_command(zwang, folder, text, words, seconds) {
    const file = path.join(folder, 'm.zw'), table = path.join(folder, 'rows.csv');
    fs.writeFileSync(file, text);
    fs.rmSync(table, {force: true});
    const out = spawnSync(zwang, ['run', file, '-o', table, '--stats=-', ...words],
        {encoding: 'utf8', timeout: seconds * 1000, killSignal: 'SIGKILL', maxBuffer: 1 << 26});
    const said = (out.stderr ?? '').split(folder + path.sep).join('');
    if (out.error?.code === 'ETIMEDOUT' || out.signal === 'SIGKILL') return {late: true, said};
    if (out.error) throw out.error;
    if (out.signal) return {died: out.signal, said};
    const stats = out.stdout.startsWith('{') ? JSON.parse(out.stdout) : null;
    const rows = fs.existsSync(table) ? read_table(fs.readFileSync(table, 'utf8')) : null;
    return {status: out.status, said, stats, rows, trust: stats?.trust, reason: stats?.reason};
}

// The same with `events`, the table of --events as {t, name, kind, impulse, energy}; null: there is none.
function run_contacts(zwang, folder, text, words, seconds = 30) {
    const file = path.join(folder, 'events.csv');
    fs.rmSync(file, {force: true});
    const run = run_command(zwang, folder, text, [...words, '--events', file], seconds);
    return {...run, events: fs.existsSync(file) ? read_events(fs.readFileSync(file, 'utf8')) : null};
}

function read_events(text) {
    const [head, ...lines] = text.trimEnd().split('\n');
    if (head !== 't,name,kind,impulse,energy') throw new Error(`a table of events begins with ${head}`);
    return lines.map((line) => {
        const m = /^([^,]+),("(?:[^"]|"")*"|[^,]*),([^,]*),([^,]*),([^,]*)$/.exec(line);
        if (!m) throw new Error(`an event is written as ${line}`);
        return {t: Number(m[1]), name: m[2].replace(/^"|"$/g, ''), kind: m[3], impulse: Number(m[4]), energy: Number(m[5])};
    });
}

function read_table(text) {
    const [head, ...lines] = text.trimEnd().split('\n');
    const names = head.match(/"(?:[^"]|"")*"|[^,]+/g).map((name) => name.replace(/^"|"$/g, ''));
    return {columns: names, rows: lines.map((line) => line.split(',').map(Number))};
}

// `zwang check --json` as an object.
function run_check(zwang, folder, text, words, seconds) {
    const file = path.join(folder, 'm.zw');
    fs.writeFileSync(file, text);
    const out = spawnSync(zwang, ['check', file, '--json', ...words],
        {encoding: 'utf8', timeout: seconds * 1000, killSignal: 'SIGKILL', maxBuffer: 1 << 26});
    if (out.error?.code === 'ETIMEDOUT' || out.signal === 'SIGKILL') return {late: true, said: out.stderr ?? ''};
    const report = out.stdout.startsWith('{') ? JSON.parse(out.stdout) : null;
    return {status: out.status, said: out.stderr, report};
}

module.exports = {model_text, run_command, run_contacts, run_check};
