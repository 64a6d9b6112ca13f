// Judges what the command printed for a model against the oracle's rows.
//
// A number is right when it is within
//     steps tol (size + kappa) + 10 error
// of the oracle's: `size` is the largest the column gets (of all columns of its kind and 0.1, unless
// the parts of the model stand apart), kappa the condition of the motion: by how much the oracle's own
// value moves when its start is moved by one unit of size (found by moving it by the tolerance),
// `error` the oracle's own, as two of its resolutions differ. An honest method adds at most a tolerance
// a step: `steps` are those of the run, of bdf five times as many, but 100 at least and 10,000 at most
// (smooth motions of 10 to 100 s were found to be off by 0.1 to 6 with dop853, up to 0.2 steps with dopri5,
// up to 0.7 steps with bdf, which begins anew at a low order where something changes). A tolerance below
// 1e-12 counts as that.
//
// The outcome of a model is one of
//     right     all numbers right, and plain `ok`, or remarks that are expected or true of the model
//     alarm     all numbers right, but not trusted
//     unearned  a number is wrong and the verdict does not say so: `ok`, or remarks about other things
//     flagged   a number is wrong, and the verdict says that it may be: by `do not trust`, or by a
//               remark where the class has none that stands by right numbers, too (`strict`)
//     refused   no rows, or the run ended before its end, which is said
//     endless   it had to be killed, or took more steps than any of these models needs
//     unsure    the oracle's own error is too large to tell
'use strict';
const {Motion} = require('./held.js');
const {Principle} = require('./principle.js');
const {pseudo} = require('./small_matrix.js');
const {model_text, run_command, run_contacts} = require('./subject.js');

const STEPS = 200000, SECONDS = 20;
// Remarks that do not make a wrong number a known one.
const BESIDE = [/^the start was moved onto the constraints/, /^$/];

// Columns of a row of the oracle, by name.
function fields(model) {
    if (model.columns) return model.columns;
    const {names} = model, kinds = [];
    names.forEach((name, i) => kinds.push({name, kind: 'q', of: (r) => r.q[i]}));
    names.forEach((name, i) => kinds.push({name: `${name}'`, kind: 'v', of: (r) => r.v[i]}));
    if (model.full) {
        names.forEach((name, i) => kinds.push({name: `${name}''`, kind: 'a', of: (r) => r.a[i]}));
        model.rows.forEach((row, k) => kinds.push({name: `multiplier(${row.name})`, kind: `m${k}`, of: (r) => r.lambda[k]}));
    }
    return kinds;
}

function oracle_rows(model, options) {
    return model.answer ? model.answer(options) : new Motion(model, options).rows();
}

// The size of each column over the rows.
function sizes_of(model, columns, rows) {
    const own = columns.map((c) => Math.max(...rows.map((r) => Math.abs(c.of(r)) || 0), c.least ?? 0)); // NaN: not known
    if (model.apart) return own;
    const unit = model.unit ?? 0.1, span = model.unit ? model.until : 1, least = {q: unit, v: unit / span, a: unit / span ** 2};
    return columns.map((c, i) => Math.max(own[i], least[c.kind] ?? (model.unit ? 0 : 0.1),
                           ...columns.map((d, j) => (d.kind === c.kind ? own[j] : 0))));
}

// How far each number may be off by the condition of the motion and by the oracle's own error: the
// start is moved twice, and the state behind each row once.
function leeway(model, columns, rows, tol, random) {
    const n = model.names.length, size = (list) => Math.max(...list.map(Math.abs), 1e-300);
    const by = (kind, i) => (model.apart ? size(rows.map((r) => r[kind][i])) : size(rows.flatMap((r) => r[kind])));
    const some = () => ['q', 'v'].flatMap((kind) => [...Array(n).keys()].map((i) => tol * by(kind, i) * (2 * random() - 1)));
    const start = () => on_rows(model, model.from ?? 0, [...model.start.q, ...model.start.v], some());
    const moved = [0, 1].map(() => oracle_rows(model, {tol: 1e-12, change: start()}));
    if (!model.answer)
        for (let k = 0; k + 1 < rows.length; k++)
            moved.push(oracle_rows(model, {tol: 1e-12, nudge: {row: k, change: (t, y) => on_rows(model, t, y, some())}}));
    const coarse = oracle_rows(model, {tol: 1e-10}),
          off = (other, k, c) => (other[k] ? Math.abs(c.of(other[k]) - c.of(rows[k])) : Infinity);
    return {
        error: rows.map((_, k) => columns.map((c) => off(coarse, k, c))),
        kappa: rows.map((_, k) => columns.map((c) => Math.max(...moved.map((m) => off(m, k, c))) / tol)),
    };
}

// The part of a change of a state y that keeps the constraints, to first order.
function on_rows(model, t, y, change) {
    const n = model.names.length;
    if (!model.rows?.length) return change;
    const {A} = new Principle(model).matrices(t, y.slice(0, n), y.slice(n), model.terms.switches.map(() => 1));
    const clear = (list, x) => {
        if (!list.length) return x;
        const fix = pseudo(list).times(list.map((row) => row.reduce((s, c, j) => s + c * x[j], 0)));
        return x.map((c, j) => c - fix[j]);
    };
    return [...clear(A.filter((_, k) => model.rows[k].kind === 0), change.slice(0, n)),
        ...clear(A.filter((_, k) => model.rows[k].kind < 2), change.slice(n))];
}

// The first number that is wrong, or null; `rows` are the oracle's.
function first_wrong(model, columns, rows, seen, tol, slack, steps = 100) {
    const factor = Math.min(10000, Math.max(100, steps));
    const sizes = sizes_of(model, columns, rows), place = columns.map((c) => seen.columns.indexOf(c.name));
    if (place.includes(-1)) throw new Error(`no column ${columns[place.indexOf(-1)].name}`);
    let worst = null;
    for (let k = 0; k < rows.length; k++) {
        const row = seen.rows[k];
        if (!row || Math.abs(row[0] * (model.units?.time ?? 1) - rows[k].t) > 1e-9 * Math.max(1e-300, Math.abs(model.until)))
            return {text: `no row at t = ${rows[k].t}`, share: 0};
        columns.forEach((c, i) => {
            const value = c.of(rows[k]), number = row[place[i]] * (c.factor ?? 1), off = Math.abs(number - value);
            if (Number.isNaN(value)) return; // nothing is known here
            const kappa = slack ? slack.kappa[k][i] : 0, error = slack ? slack.error[k][i] : 0;
            const allowed = factor * Math.max(tol, 1e-12) * (sizes[i] + kappa) + 10 * error,
                  limit = Math.min(allowed, c.most ?? Infinity);
            if (off <= limit) return;
            const ratio = off / limit;
            const text = `${c.name} at t = ${rows[k].t}: ${number}, the oracle has ${value}, allowed ${limit.toExponential(1)}`;
            if (!worst || ratio > worst.ratio || Number.isNaN(ratio)) worst = {ratio, share: off / (sizes[i] || 1e-300), text};
        });
    }
    return worst;
}

function outcome(model, run, wrong) {
    if (run.late) return 'endless';
    if (run.died) return 'unearned';
    if (/error\[E0704\]/.test(run.said)) return 'endless';
    if (run.status !== 0) return 'refused';
    const beside = [...BESIDE, ...(model.beside ?? [])];
    const parts = (run.reason ?? '').split('; ');
    const about = parts.filter((s) => !beside.some((re) => re.test(s)));
    if (wrong && model.strict) return run.trust === 'do not trust' ? 'flagged' : 'unearned';
    if (wrong) return run.trust === 'ok' || (run.trust === 'ok with remarks' && about.length === 0) ? 'unearned' : 'flagged';
    if (run.trust === 'do not trust') return 'alarm';
    return run.trust === 'ok' || about.length === 0 || (model.remark ?? /$^/).test(run.reason) ? 'right' : 'alarm';
}

// Everything about one model: {outcome, detail, text}.
function judge(zwang, folder, model, random) {
    const text = model_text(model.units?.model ?? model);
    if (model.examine) return {text, ...model.examine(zwang, folder, text)};
    const columns = fields(model), rows = model.followed ?? oracle_rows(model, {tol: 1e-12}), clock = model.units?.time ?? 1;
    const words = ['--at', model.at.map((t) => t / clock).join(','), '--columns', columns.map((c) => c.name).join(', '),
        `--max-steps=${STEPS}`, ...(model.words ?? [])];
    const run = (model.inspect ? run_contacts : run_command)(zwang, folder, text, words, SECONDS);
    if (run.late || run.died || run.status !== 0)
        return {text, outcome: outcome(model, run, null), detail: run.died ?? last_line(run.said)};
    const {wrong, unsure} = compare_run(model, columns, rows, run, random);
    const detail = `${wrong ? wrong.text : 'right'}; trust ${run.trust}${run.reason ? `: ${run.reason}` : ''}`;
    return {text, outcome: unsure ? 'unsure' : outcome(model, run, wrong), detail};
}

// The numbers, and then what else a model looks at: `inspect` tells what is wrong with the events.
function compare_run(model, columns, rows, run, random) {
    const numbers = compare(model, columns, rows, run, random), text = numbers.wrong ? null : model.inspect?.(run);
    return text ? {wrong: {text, share: 1}, unsure: false} : numbers;
}

// What is wrong after everything is allowed for. A number that is off by more than 3 in 100 and right
// only because the motion is so ill conditioned says nothing.
function compare(model, columns, rows, run, random) {
    const steps = run.stats.steps * (run.stats.method === 'bdf' || run.stats.stiff?.switched ? 5 : 1);
    const first = first_wrong(model, columns, rows, run.rows, model.tol, null, steps);
    if (!first || model.exact) return {wrong: first, unsure: false};
    const slack = leeway(model, columns, rows, Math.max(model.tol, 1e-12), random);
    const wrong = first_wrong(model, columns, rows, run.rows, model.tol, slack, steps);
    return {wrong, unsure: !wrong && first.share > 0.03};
}

// The error of a refusal.
function last_line(said) {
    return said.split('\n').find((line) => /error\[/.test(line)) ?? said.split('\n')[0] ?? '';
}

module.exports = {judge, outcome, first_wrong, oracle_rows, fields};
