// conflicts.js ZWANG FIRST COUNT: random models whose constraints contradict each other, for a while
// or from some time on, against a principle and a search of our own. Prints a table and fails when
//
//     a run is wrong and says ok, or wrong in any way where conditions are met exactly
//     the mirror image of a model does not do the mirror image
//     the verdict does not say from when to when, a refusal not when and what the drive asks for
//     an end does not come closer to the right one as the tolerance falls
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { principle, move } = require('./least_squares.js');
const { generate } = require('./generate.js');
const { balls, locks, speeds } = require('./accepted.js');

const [zwang, first, count] = [process.argv[2], +process.argv[3], +process.argv[4]];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'conflicts-'));
const tolerances = [1e-6, 1e-8, 1e-10], table = {}, faults = [];

// Runs a text; rows by time, trust, what was said, spans of conflicts.
function run(text, times, tolerance) {
    const stats = path.join(folder, 'stats.json');
    const args = ['run', '-', '--at', times.join(','), '--tol', String(tolerance), '--abs-tol', String(tolerance), '--stats', stats];
    fs.rmSync(stats, { force: true });
    const r = spawnSync(zwang, args, { input: text, encoding: 'utf8', timeout: 120000 });
    const rows = new Map(r.stdout.trim().split('\n').slice(1).map((l) => l.split(',').map(Number)).map((l) => [l[0], l.slice(1)]));
    const json = fs.existsSync(stats) ? JSON.parse(fs.readFileSync(stats, 'utf8')) : {};
    return { rows, trust: json.trust || 'none', said: r.stderr, spans: (json.inconsistency || {}).spans || [], status: r.status };
}

function count_as(kind, what) {
    table[kind] = table[kind] || { right: 0, 'wrong with ok': 0, 'wrong, flagged': 0, refused: 0 };
    table[kind][what]++;
}

const distance = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i]) / (1 + Math.abs(b[i]))));

// What came of it, by the largest distance from the right places; NaN: not all of them were reached.
function judge(kind, name, r, error, bound) {
    const what = Number.isNaN(error) ? 'refused' : error <= bound ? 'right' : r.trust === 'ok' ? 'wrong with ok' : 'wrong, flagged';
    count_as(kind, what);
    if (what === 'wrong with ok') faults.push(`${name}: off by ${error.toExponential(1)}, and says ok`);
    if (what === 'refused' && !/error\[E07/.test(r.said)) faults.push(`${name}: refused without a word: ${r.said.slice(0, 200)}`);
    return what;
}

// The motion by the principle.
function find_truth(g, start = g.start) {
    const n = g.model.n, rates = (t, y, sides) => {
        const { A, b, w } = g.model.at(t, y, sides);
        return y.slice(n).concat(principle(g.model.M, g.model.Q(y), A, b, w).z);
    };
    return move({ rates, conditions: g.model.conditions }, 0, g.until, start);
}

// By how much the end moves when the start does, as `distance` has it: no method can do better than
// that times its tolerance. A rod that turns fast and meets a condition forty times has 1e5.
function find_condition(g) {
    const end = find_truth(g).y, by = 1e-9;
    const moved = g.start.map((x, k) => find_truth(g, g.start.map((y, i) => (i === k ? y + by * (1 + Math.abs(y)) : y))));
    return Math.max(...moved.filter((m) => m).map((m) => distance(m.y, end) / by));
}

// Accelerations in conflict: the end of the motion at three tolerances, and its mirror image; a rod
// has none.
function check_moving(seed) {
    const models = [generate(seed, 1), generate(seed, -1)], truths = [find_truth(models[0])];
    truths[1] = !truths[0] || models[0].model.rod ? find_truth(models[1]) : { y: truths[0].y.map((x) => -x), changes: truths[0].changes };
    if (!truths[0] || !truths[1]) return; // it leads into a lock, or to a rod of no length
    for (const [k, tolerance] of tolerances.entries())
        for (const image of [0, 1]) {
            const g = models[image], truth = truths[image], single = g.model.kinds.length === 1;
            const r = run(g.text, [g.until], tolerance), end = r.rows.get(g.until), error = end ? distance(end, truth.y) : NaN;
            const name = `seed ${seed} (${g.model.kinds}), tolerance ${tolerance}, image ${image}`;
            let bound = 300 * tolerance + 1e-11;
            if (error > bound) bound = Math.max(bound, 10 * tolerance * (g.condition ??= find_condition(g)));
            const what = judge('accelerations', name, r, error, bound);
            // kinks inside a conflict are for those who watch conditions; the others must be right
            if (what === 'wrong, flagged' && single) faults.push(`${name}: off by ${error.toExponential(1)}`);
            const plain = single && truth.changes.length === 2 && /window|bends|kinks/.test(g.model.kinds[0]);
            const spans = r.spans.length === 1 && r.spans[0].every((t, i) => Math.abs(t - truth.changes[i]) < 1e-7);
            if (plain && what === 'right' && k > 0 && !spans) faults.push(`${name}: spans ${JSON.stringify(r.spans)}, not ${truth.changes}`);
        }
}

// Positions in conflict, accepted.
function check_accepted(make, seed) {
    for (const mirror of [1, -1]) {
        const g = make(seed, mirror), right = new Map(g.times.map((t) => [t, g.at(t)]));
        for (const tolerance of [1e-6, 1e-9]) {
            const r = run(g.text, g.times, tolerance), name = `${g.kind}, seed ${seed}, mirror ${mirror}, tolerance ${tolerance}`;
            let error = 0;
            for (const [t, x] of right) {
                const row = r.rows.get(t);
                error = row ? Math.max(error, distance(row.slice(0, x.length), x)) : NaN;
                if (Number.isNaN(error)) break;
            }
            const what = judge(g.kind, name, r, error, 300 * tolerance + 1e-9);
            if (what !== 'right') faults.push(`${name}: ${what}, ${error}`);
            if (g.lock && !/W0728/.test(r.said)) faults.push(`${name}: the lock is not told`);
        }
    }
}

// The same drives where it is not accepted: refused, with the time and the name of the drive.
function check_refused(seed) {
    const g = locks(seed, 1), r = run(g.text.replace(', inconsistent = accept', ''), g.times, 1e-9);
    const said = /error\[E0706\]: at t = ([\d.]+) .*`drive` moves on/.exec(r.said);
    count_as('not accepted', said ? 'refused' : 'wrong, flagged');
    if (!said || Math.abs(said[1] - g.lock) > 1e-4 * g.lock) faults.push(`${g.kind}, seed ${seed}, not accepted: ${r.said.slice(0, 200)}`);
}

for (let seed = first; seed < first + count; seed++) {
    check_moving(seed);
    check_accepted(balls, seed);
    check_accepted(locks, seed);
    check_refused(seed);
    check_accepted(speeds, seed);
}
fs.rmSync(folder, { recursive: true });
console.table(table);
for (const fault of faults) console.log(fault);
process.exit(faults.length > 0 ? 1 : 0);
