// Runs the models of this folder and compares them with tests/reference/contact, at the tolerance that each
// file states:
//
//   node contact_references.js ZWANG [NAME...]      those whose names are given, or all
//   node contact_references.js ZWANG --spoiled      every value is moved by ten tolerances, which must be seen
//
// Every entry of every file must be compared: one for which the table has nothing to say is a failure.
'use strict';
const fs = require('fs'), path = require('path');
const {run_contacts, in_folder} = require('./contact_command.js');
const {FILES} = require('./reference_cases.js');
const {INSTANTS} = require('./reference_instants.js');

const REFERENCES = path.join(__dirname, '..', 'reference', 'contact');

class Report {
    constructor(spoiled) { Object.assign(this, {spoiled, compared: 0, failures: [], worst: 0, where: '', unseen: []}); }

    fail(text) { this.failures.push(text); }

    // One number against its reference.
    compare(what, seen, value, within) {
        this.compared++;
        const wanted = this.spoiled ? value + 10 * within : value, error = Math.abs(seen - wanted);
        if (error <= within) {
            if (this.spoiled) this.unseen.push(what);
            if (error / within > this.worst) Object.assign(this, {worst: error / within, where: what});
        } else if (!this.spoiled)
            this.fail(`${what}: ${seen}, not ${wanted}, off by ${error.toExponential(1)}, allowed ${within.toExponential(1)}`);
    }

    // Something that holds or not.
    demand(what, holds) {
        this.compared++;
        if (!holds && !this.spoiled) this.fail(what);
    }
}

// A fraction or decimal as a number.
function decimal(text) {
    const [a, b] = String(text).split('/').map(Number);
    return b === undefined ? a : a / b;
}

const option_of = (settings) => Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);

// All rows and moments of one case of a file.
function compare_case(report, zwang, folder, name, file, one, entries) {
    const {model, columns, extra = [], edit = (text) => text} = {...file, ...one};
    const times = entries.filter((e) => e.t !== 'moments').map((e) => Number(e.t));
    const text = edit(fs.readFileSync(path.join(__dirname, `${model}.zw`), 'utf8'));
    const words = ['--at', [...new Set([...times, ...extra])].sort((a, b) => a - b).join(','), '--columns', Object.values(columns).map((c) => c.replace(/^-/, '')).join(', '),
        ...option_of(one.set ?? {})];
    const run = run_contacts(zwang, folder, text, words);
    if (run.status !== 0) return report.fail(`${name}: status ${run.status}\n${run.said}`);
    report.demand(`${name}: do not trust: ${run.reason}`, run.trust !== 'do not trust');
    for (const e of entries)
        if (e.t === 'moments') compare_moments(report, name, file, one, e.values, run);
        else compare_row(report, name, file, columns, e, run);
    return undefined;
}

function compare_row(report, name, file, columns, entry, run) {
    const t = Number(entry.t), row = run.rows.rows.find((x) => Math.abs(x[0] - t) <= 1e-12);
    if (!row) return report.fail(`${name}: no row at t = ${t}`);
    for (const [key, value] of Object.entries(entry.values)) {
        if (!(key in columns)) { report.fail(`${name}: nothing is compared with ${key}`); continue; }
        const [, minus, column] = /^(-?)(.*)$/.exec(columns[key]), at = run.rows.columns.indexOf(column);
        if (at < 0) { report.fail(`${name}: no column ${column}`); continue; }
        report.compare(`${name}, ${key} at t = ${t}`, (minus ? -1 : 1) * row[at], decimal(value), file.within(key, t, entry.case));
    }
    return undefined;
}

// A moment is {of: function of the run and the expected time, within}; null: not a matter of a run.
function compare_moments(report, name, file, one, values, run) {
    if (!run.events) return report.fail(`${name}: no table of events`);
    for (const [key, value] of Object.entries(values)) {
        const table = one.moments ?? file.moments ?? {}, moment = key in table ? table[key] : file.moment?.(key);
        if (moment === undefined) { report.fail(`${name}: nothing is compared with the moment ${key}`); continue; }
        if (moment === null) continue;
        const {of, within = file.within(key, 'moments')} = moment;
        try {
            report.compare(`${name}, ${key}`, of(run, decimal(value)), decimal(value), within);
        } catch (error) {
            report.fail(`${name}, ${key}: ${error.message}`);
        }
    }
    return undefined;
}

function compare_file(report, zwang, folder, name) {
    const reference = JSON.parse(fs.readFileSync(path.join(REFERENCES, `contact_${name}.json`), 'utf8'));
    const told = JSON.stringify(reference.tolerance_to_pass), file = FILES[name];
    if (!file) return INSTANTS[name](report, zwang, folder, reference);
    for (const tolerance of file.tolerances)
        if (!told.includes(tolerance)) report.fail(`${name}: the tolerance ${tolerance} is none of the file's: ${told}`);
    for (const key of new Set(reference.reference.map((e) => e.case))) {
        const one = file.cases[key], entries = reference.reference.filter((e) => e.case === key);
        if (!one) { report.fail(`${name}: the case ${key} is not run`); continue; }
        for (const variant of [one].flat())
            compare_case(report, zwang, folder, `${name} ${key}${variant.called ? ` (${variant.called})` : ''}`, file, variant, entries);
    }
    return undefined;
}

function main([zwang, ...names]) {
    const spoiled = names[0] === '--spoiled', report = new Report(spoiled);
    const all = fs.readdirSync(REFERENCES).filter((f) => f.endsWith('.json')).map((f) => f.replace(/^contact_|\.json$/g, ''));
    const chosen = spoiled || !names.length ? all : names;
    in_folder((folder) => chosen.forEach((name) => {
        try { compare_file(report, zwang, folder, name); } catch (error) { report.fail(`${name}: ${error.stack}`); }
    }));
    if (spoiled) report.unseen.forEach((what) => report.failures.push(`not seen: ${what}`));
    report.failures.slice(0, 40).forEach((text) => console.log(text));
    if (report.failures.length > 40) console.log(`and ${report.failures.length - 40} more`);
    console.log(`${report.compared} values, ${report.failures.length} failures; the worst that passed came to ` +
        `${report.worst.toPrecision(2)} of its tolerance, ${report.where}`);
    process.exitCode = report.failures.length || !report.compared ? 1 : 0;
}

main(process.argv.slice(2));
