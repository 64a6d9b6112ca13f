// The command on a model with contacts: rows by time, the events it wrote, what it said and judged.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const {run_contacts} = require('../oracle/subject.js');

// The value of a column at a time.
function value_of(run, time, name) {
    const at = run.rows?.columns.indexOf(name) ?? -1, row = run.rows?.rows.find((x) => Math.abs(x[0] - time) <= 1e-12 * Math.max(1, Math.abs(time)));
    if (at < 0) throw new Error(`there is no column ${name}: ${run.said}`);
    if (!row) throw new Error(`there is no row at t = ${time}: ${run.said}`);
    return row[at];
}

// A folder that goes when the work is done.
function in_folder(work) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-contact-'));
    try { return work(folder); } finally { fs.rmSync(folder, {recursive: true, force: true}); }
}

module.exports = {run_contacts, value_of, in_folder};
