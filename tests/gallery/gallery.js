// Checks a model of the gallery against the expectations in its own comments:
//
//   node gallery.js ZWANG MODEL           runs the command as they say and compares
//   node gallery.js ZWANG MODEL --method=NAME   the same by another method
//   node gallery.js ZWANG MODEL --short   reads them, checks the model and takes a few steps
//
// Expectations that can share a run of the command do. Nothing is passed over: a line that cannot be
// read, a column that is not there and a value that is not a number are failures.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const {spawnSync} = require('child_process');
const {evaluate} = require('./expression.js');
const {read_model, read_expectation, expand, list} = require('./expectation.js');

const STEPS = 20; // of a short run
const BY = (process.argv.find((word) => word.startsWith('--method=')) || '').slice(9) || undefined; // every run

// What a verdict may say.
const TRUST = {ok: ['ok'], remarks: ['ok', 'ok with remarks'], any: ['ok', 'ok with remarks', 'do not trust']};

// ---------------------------------------------------------------------------- comparing

// The columns that a name stands for: its own, or those of its elements.
function columns_of(columns, name) {
    const wanted = name.replace(/\s/g, '');
    if (columns.includes(wanted)) return [columns.indexOf(wanted)];
    const pattern = wanted.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\\\]/g, '(,\\d+)*\\]')
        .replace(/([\p{L}\p{N}_])(?=$|['.]|\\[.)])/gu, '$1(\\[[\\d,]+\\])?');
    const all = new RegExp(`^${pattern}(\\[\\d+\\])?$`, 'u');
    return columns.map((column, k) => (all.test(column) ? k : -1)).filter((k) => k >= 0);
}

// The expected values of a claim at the time t, one for each of its columns.
function expected(claim, t, first) {
    if (claim.right === 'constant') return first;
    if (typeof claim.right === 'number') return first.map(() => claim.right);
    const items = claim.right.startsWith('[') ? list(claim.right.slice(1, -1)) : first.map(() => claim.right);
    if (items.length !== first.length) throw new Error(`${claim.left} has ${first.length} values, not ${items.length}`);
    return items.map((item) => evaluate(item, t));
}

class Report {
    constructor(file) { Object.assign(this, {file, compared: 0, runs: 0, varied: 0, failures: [], worst: 0, where: ''}); }

    fail(line, text) { this.failures.push(`${this.file}:${line}: ${text}`); }

    // One number of a claim.
    compare(e, claim, name, t, seen, value) {
        this.compared++;
        const size = e.within * (e.relative ? Math.abs(value) : 1), place = `${name} at t = ${t}`;
        let error = Math.abs(seen - value);
        if (claim.sign === '~') error = Math.abs(error - 2 * Math.PI * Math.round(error / 2 / Math.PI));
        if (/[<>]/.test(claim.sign)) {
            if (claim.sign === '<' ? seen < value : seen > value) return;
            this.fail(e.line, `${place}: expected ${claim.sign} ${value}, seen ${seen}`);
        } else if (!(error <= size)) {
            this.fail(e.line, `${place}: expected ${value}, seen ${seen}, ` +
                `off by ${error.toExponential(1)}, allowed ${size.toExponential(1)}`);
        } else if (error / size > this.worst) Object.assign(this, {worst: error / size, where: place});
    }
}

// The claims of an expectation in the rows of a run.
function compare_rows(report, e, table) {
    const columns = table.columns.map((name) => name.replace(/\s/g, ''));
    const number = (value) => (value === null ? NaN : value);
    const near = (row) => e.times.some((time) => Math.abs(row[0] - time) <= 1e-12 * Math.max(1, Math.abs(time)));
    const rows = e.kind === 'at' ? table.rows.filter(near) : e.kind === 'end' ? table.rows.slice(-1) : table.rows;
    const least = {at: () => e.times.length, end: () => 1, throughout: () => 2}[e.kind]();
    if (rows.length < least) throw new Error(`${rows.length} rows, where ${least} are expected`);
    if (e.kind === 'end') report.compare(e, {sign: '='}, 'the end', e.end, rows[0][0], e.end);
    for (const claim of e.claims) {
        const at = columns_of(columns, claim.left), factor = claim.factor || 1;
        if (!at.length) throw new Error(`there is no column \`${claim.left}\``);
        for (const row of rows) {
            const values = expected(claim, row[0], at.map((k) => number(table.rows[0][k])));
            at.forEach((k, i) => report.compare(e, claim, table.columns[k], row[0], factor * number(row[k]), values[i]));
        }
    }
}

// ------------------------------------------------------------------------------ running

// What the command does with these arguments: status, text, seconds by the clock.
function command(zwang, words) {
    const begin = process.hrtime.bigint();
    const {status, stdout, stderr, error} = spawnSync(zwang, words, {encoding: 'utf8', maxBuffer: 1 << 28});
    if (error) throw error;
    return {status, stdout, stderr, seconds: Number(process.hrtime.bigint() - begin) / 1e9};
}

const settings_of = (e) => e.settings.flatMap((setting) => ['--set', setting.replace(' = ', '=')]);

function demand_status(done, wanted) {
    if (done.status !== wanted) throw new Error(`status ${done.status} instead of ${wanted}\n${done.stderr}`);
}

// `zwang check`: fields of its report, the length of those that are lists; or words in its text.
function check(report, zwang, model, e) {
    const done = command(zwang, ['check', model, ...settings_of(e), ...(e.kind === 'words' ? [] : ['--json'])]);
    const plain = (text) => text.replace(/\s+/g, ' ');
    demand_status(done, e.status);
    for (const word of e.words) {
        report.compared++;
        if (!plain(done.stdout).includes(plain(word))) report.fail(e.line, `check does not say "${word}"\n${done.stdout}`);
    }
    const fields = e.kind === 'words' ? {} : JSON.parse(done.stdout);
    for (const claim of e.claims) {
        const value = fields[claim.left], seen = Array.isArray(value) ? value.length : value;
        report.compared++;
        if (seen !== evaluate(claim.right) || claim.sign !== '=')
            report.fail(e.line, `check: expected ${claim.left} ${claim.sign} ${claim.right}, seen ${JSON.stringify(value)}`);
    }
}

// Expectations [{..}] of one run of the command.
function run(report, zwang, model, group, scratch) {
    const [e] = group, rows = path.join(scratch, 'rows.json'), stats = path.join(scratch, 'stats.json');
    const option = (name, value) => (value === undefined ? [] : [name, String(value)]);
    const columns = [...new Set(group.flatMap((one) => one.claims.map((claim) => claim.left)))];
    const at = [...new Set(group.flatMap((one) => (one.kind === 'at' ? one.times : [])))];
    const done = command(zwang, ['run', model, ...settings_of(e), ...option('--columns', columns.join(',') || 't'),
        ...option('--method', BY || e.method), ...option('--tol', e.tol), ...option('--until', e.until),
        ...option('--at', at.join(',') || undefined), '-o', rows, '--stats', stats]);
    report.runs++;
    demand_status(done, e.status);
    const table = JSON.parse(fs.readFileSync(rows, 'utf8')), verdict = JSON.parse(fs.readFileSync(stats, 'utf8'));
    if (!TRUST[e.trust].includes(verdict.trust))
        report.fail(e.line, `trust is ${verdict.trust}, not ${e.trust}: ${verdict.reason}`);
    for (const one of group) {
        if (done.seconds > one.seconds) report.fail(one.line, `it took ${done.seconds.toFixed(2)} s`);
        if (one.kind === 'end' && verdict.status !== 'stopped') report.fail(one.line, `the run has not stopped: ${verdict.status}`);
        attempt(report, one.line, () => compare_rows(report, one, table));
    }
}

function attempt(report, line, action, where = '') {
    try { return action(); } catch (error) { report.fail(line, where + error.message); return undefined; }
}

// Those that differ only in what they compare share a run.
function groups_of(expectations) {
    const groups = new Map();
    for (const e of expectations) {
        const key = JSON.stringify([e.kind === 'at', e.settings, e.method, e.tol, e.until, e.trust, e.status]);
        groups.set(key, [...(groups.get(key) || []), e]);
    }
    return [...groups.values()];
}

// The model starts and takes a few steps, with other parameters if so.
function few_steps(zwang, model, settings = []) {
    demand_status(command(zwang, ['check', model, '-q', ...settings]), 0);
    const done = command(zwang, ['run', model, '--max-steps', String(STEPS), '--columns', 'all', '-q', '-o', '/dev/null', ...settings]);
    if (!done.stderr.includes('error[E0704]')) demand_status(done, 0); // the limit of steps is meant
}

// [[name, other value]] of the parameters that are given as a number, but for 0: a tenth more, and one more
// for those that count something.
function other_parameters(text) {
    const number = /(\p{L}[\p{L}\p{N}_]*) = (-?\d[\d.]*(?:e[-+]?\d+)?)\s*(?=,|$)/gu;
    const lines = text.split('\n').filter((line) => /^param /.test(line));
    const scalars = lines.map((line) => line.replace(/#.*/, '').replace(/\[.*?\]+(?=,|\s*$)/g, ''));
    const all = scalars.flatMap((line) => [...line.matchAll(number)]).filter(([, , value]) => Number(value) !== 0);
    const counts = (name) => new RegExp(`([\\p{L}\\p{N}_]\\[|\\.\\.)${name}\\b`, 'u').test(text);
    return all.map(([, name, value]) => [name, counts(name) ? Number(value) + 1 : Number((value * 1.1).toPrecision(6))]);
}

// Who copies the model and changes a number must get a sensible run.
function vary(report, zwang, model, text) {
    for (const [name, value] of other_parameters(text)) {
        report.varied++;
        attempt(report, 1, () => few_steps(zwang, model, ['--set', `${name}=${value}`]), `with ${name} = ${value}: `);
    }
}

// All that is to be said about a model.
function examine(zwang, model, short) {
    const report = new Report(model), scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'gallery-'));
    const text = fs.readFileSync(model, 'utf8'), {expectations, missing} = read_model(text);
    missing.forEach((what) => report.fail(1, `it lacks ${what}`));
    const all = expectations.flatMap((one) => attempt(report, one.line, () => expand(read_expectation(one))) || []);
    const of_check = all.filter((e) => /check|words/.test(e.kind)), of_runs = all.filter((e) => !of_check.includes(e));
    if (expectations.length && !of_runs.length) report.fail(1, 'no expectation is about a run');
    if (short) attempt(report, 1, () => few_steps(zwang, model));
    else {
        for (const e of of_check) attempt(report, e.line, () => check(report, zwang, model, e));
        for (const group of groups_of(of_runs)) attempt(report, group[0].line, () => run(report, zwang, model, group, scratch));
        vary(report, zwang, model, text);
    }
    fs.rmSync(scratch, {recursive: true});
    return report;
}

function main(words) {
    const {file, failures, runs, varied, compared, worst, where} = examine(...words.filter((word) => !word.startsWith('--method=')));
    failures.slice(0, 20).forEach((failure) => console.log(failure));
    if (failures.length > 20) console.log(`and ${failures.length - 20} more`);
    console.log(`${file}: ${failures.length} failures in ${compared} values of ${runs} runs and ${varied} variations; ` +
        `the worst that passed came to ${worst.toPrecision(2)} of its tolerance${where && `, ${where}`}`);
    process.exitCode = failures.length ? 1 : 0;
}

if (require.main === module) main(process.argv.slice(2));
module.exports = {examine};
