// The files of tests/reference/contact that are about one instant: the principle and the legs of a table by
// `zwang solve`, the latter also as a model; Painleve's rod and the cradle as models.
'use strict';
const fs = require('fs'), path = require('path');
const {spawnSync} = require('child_process');
const {run_contacts, value_of} = require('./contact_command.js');

const decimal = (text) => { const [a, b] = String(text).split('/').map(Number); return b === undefined ? a : a / b; };
const numbers = (list) => list.map((x) => (Array.isArray(x) ? numbers(x) : decimal(x)));
const read_model = (name) => fs.readFileSync(path.join(__dirname, `${name}.zw`), 'utf8');
const sets = (settings) => Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);

function solve(zwang, problem) {
    const out = spawnSync(zwang, ['solve'], {input: JSON.stringify(problem), encoding: 'utf8'});
    if (out.status !== 0) throw new Error(`solve: status ${out.status}: ${out.stderr}`);
    return JSON.parse(out.stdout);
}

function compare_list(report, what, seen, values, relative) {
    report.demand(`${what}: ${seen?.length} numbers instead of ${values.length}`, seen?.length === values.length);
    const size = Math.max(1, ...values.map((x) => Math.abs(decimal(x))));
    values.forEach((x, i) => report.compare(`${what}[${i}]`, seen?.[i] ?? NaN, decimal(x), relative * size));
}

function gauss_inequality(report, zwang, folder, {reference}) {
    for (const e of reference) {
        const {values} = e, problem = {M: numbers(e.M), Q: numbers(e.Q), at_least: {A: numbers(e.A_atleast), b: numbers(e.b_atleast), W: numbers(e.W_atleast)}};
        if (e.A_equal.length) Object.assign(problem, {A: numbers(e.A_equal), b: numbers(e.b_equal), W: numbers(e.W_equal)});
        const seen = solve(zwang, problem), what = `gauss_inequality ${e.case}`;
        compare_list(report, `${what} acceleration`, seen.acceleration, values.acceleration, 1e-12);
        compare_list(report, `${what} force`, seen.force, values.force, 1e-12);
        report.compare(`${what} inconsistency`, seen.inconsistency ** 2, decimal(values.inconsistency_squared), 1e-12 * Math.max(1, decimal(values.inconsistency_squared)));
        const named = JSON.stringify(seen.conflicts ?? []);
        report.demand(`${what}: conflicts ${named}, violated ${values.violated}`, (values.violated.length > 0) <= (named !== '[]'));
    }
}

function table_legs(report, zwang, folder, {reference}) {
    const legs = [[1, 0.5], [-1, 0.5], [-1, -0.5], [1, -0.5]];
    for (const {case: name, values} of reference) {
        const load = decimal(values.load), [x, y] = numbers(values.at), what = `table_legs ${name}`;
        const seen = solve(zwang, {M: [10, 5, 2], Q: [-98.1 - load, -load * x, -load * y], at_least: {A: legs.map((p) => [1, ...p]), b: [0, 0, 0, 0]}});
        compare_list(report, `${what} acceleration`, seen.acceleration, values.acceleration, 1e-10);
        compare_list(report, `${what} force`, seen.force, values.force, 1e-10);
        const run = run_contacts(zwang, folder, read_model('table_legs'), ['--at', '0', '--columns', "z'', al'', be'', multiplier(foot[1]), multiplier(foot[2]), multiplier(foot[3]), multiplier(foot[4])",
            ...sets({load, at: `[${x}, ${y}]`})]);
        if (run.status !== 0) { report.fail(`${what}: status ${run.status}: ${run.said}`); continue; }
        compare_list(report, `${what}, model, acceleration`, ["z''", "al''", "be''"].map((c) => value_of(run, 0, c)), values.acceleration, 1e-10);
        compare_list(report, `${what}, model, shares`, [1, 2, 3, 4].map((i) => value_of(run, 0, `multiplier(foot[${i}])`)), values.shares, 1e-10);
    }
}

// What the cases of Painleve's rod are, and what must be said where there is no motion, or two.
const RODS = {
    regular_forward: {mu: 2, along: 1, turning: 0}, regular_small_mu: {mu: 1, along: -1, turning: 0}, no_solution: {mu: 2, along: -1, turning: 0},
    two_solutions: {mu: 2, along: -1, turning: 5}, lifts_off: {mu: 1, along: -1, turning: 5},
};

function painleve_rod(report, zwang, folder, {reference}) {
    for (const {case: name, values} of reference) {
        const run = run_contacts(zwang, folder, read_model('painleve_rod'), ['--at', '0', '--columns', 'normal(end)', ...sets(RODS[name])]), what = `painleve_rod ${name}`;
        const code = {0: 'E0510', 2: 'E0511'}[values.number_of_solutions];
        if (code) report.demand(`${what}: status ${run.status}, not refused by ${code}: ${run.said}`, run.status !== 0 && run.said.includes(`error[${code}]`));
        else if (run.status !== 0) report.fail(`${what}: status ${run.status}: ${run.said}`);
        else report.compare(`${what} N`, value_of(run, 0, 'normal(end)'), decimal(values.N[0]), 1e-12 * Math.max(1, decimal(values.N[0])));
    }
}

// Velocities just after the blow, and places a second later, which are the same numbers.
function cradle(report, zwang, folder, {reference}) {
    for (const {case: name, values} of reference)
        for (const rule of ['rounds', 'together']) {
            const list = (x) => `[${numbers(x).join(', ')}]`, what = `cradle ${name} ${rule}`;
            const told = `param N = ${values.masses.length}, m = ${list(values.masses)}, v = ${list(values.before)}, e = ${decimal(values.restitution)}`;
            const text = read_model('cradle').replace(/^param .*$/m, told).replace('tol = 1e-11', `tol = 1e-11, impacts = ${rule}`);
            const run = run_contacts(zwang, folder, text, ['--at', '0,1', '--columns', "x, x'"]);
            if (run.status !== 0) { report.fail(`${what}: status ${run.status}: ${run.said}`); continue; }
            const column = (t, tail) => values.masses.map((_, i) => value_of(run, t, `x[${i + 1}]${tail}`));
            compare_list(report, `${what} x'`, column(0, "'"), values[rule], 1e-12);
            compare_list(report, `${what} x`, column(1, ''), values[rule], 1e-12);
            const matters = values.rounds.some((x, i) => decimal(x) !== decimal(values.together[i]));
            if (matters) report.demand(`${what}: it is not said that the rule matters (R0532)`, /R0532/.test(run.said));
        }
}

module.exports = {INSTANTS: {gauss_inequality, table_legs, painleve_rod, cradle}};
