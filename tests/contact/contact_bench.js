// A small bench for tests of the command on models with contacts: `run` runs a text and gives rows, events, verdict;
// `same`, `near` and `hold` note what is not as it should be. `run_all` does the checks of a file, one after the other.
'use strict';
const {run_contacts, value_of, in_folder} = require('./contact_command.js');

class Bench {
    constructor(zwang, folder) { Object.assign(this, {zwang, folder, faults: [], compared: 0}); }

    hold(what, holds) {
        this.compared++;
        if (!holds) this.faults.push(what);
        return holds;
    }
    near(what, seen, value, within) {
        return this.hold(`${what}: ${seen}, not ${value}, off by ${Math.abs(seen - value).toExponential(1)}, allowed ${within.toExponential(1)}`, Math.abs(seen - value) <= within);
    }

    // A run that must end well: {at: time => {column: value}}, and what run_contacts has.
    run(text, at, columns, words = []) {
        const out = run_contacts(this.zwang, this.folder, text, ['--at', at.join(','), '--columns', columns.join(', '), ...words], 60);
        if (out.late) throw new Error('it does not end');
        if (out.status !== 0) throw new Error(`status ${out.status}: ${out.said}`);
        this.hold(`do not trust: ${out.reason}`, out.trust !== 'do not trust');
        return {...out, at: (t) => Object.fromEntries(columns.map((c) => [c, value_of(out, t, c)]))};
    }
    // One that may fail.
    attempt(text, words) { return run_contacts(this.zwang, this.folder, text, words, 60); }

    // Two runs have the same numbers; `scale` turns those of b into those of a.
    same(what, a, b, times, columns, within, scale = () => 1) {
        for (const t of times)
            for (const c of columns) this.near(`${what}: ${c} at t = ${t}`, b.at(t)[c] * scale(c), a.at(t)[c], within);
    }
}

// The checks {name: function of a bench} whose names have a word in them.
function run_all(checks, [zwang, word = '']) {
    let faults = 0, count = 0;
    in_folder((folder) => {
        for (const [name, check] of Object.entries(checks)) {
            if (!name.includes(word)) continue;
            const bench = new Bench(zwang, folder), began = Date.now();
            try { check(bench); } catch (error) { bench.faults.push(error.message); }
            bench.faults.slice(0, 8).forEach((text) => console.log(`${name}: ${text}`));
            console.log(`${name}: ${bench.compared} compared, ${bench.faults.length} faults, ${(Date.now() - began) / 1000} s`);
            faults += bench.faults.length;
            count++;
        }
    });
    process.exitCode = faults || !count ? 1 : 0;
}

module.exports = {run_all, value_of};
