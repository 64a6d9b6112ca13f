// Every entry of every file in tests/reference is compared by some model of the gallery.
'use strict';
const fs = require('fs'), path = require('path');
const {read_model, read_expectation, expand} = require('./expectation.js');

const models = path.join(__dirname, '..', '..', 'models'), references = path.join(__dirname, '..', 'reference');
const files = (folder, ending) => fs.readdirSync(folder).filter((file) => file.endsWith(ending));
const read = (folder, file) => fs.readFileSync(path.join(folder, file), 'utf8');

const compared = files(models, '.zw').flatMap((file) => read_model(read(models, file)).expectations)
    .filter(({text}) => text.includes('from reference/')).flatMap((one) => expand(read_expectation(one)));

const covers = (e, name, entry) => e.file === name && (!e.case || String(entry[e.case[0]]) === e.case[1]) &&
    (!entry.t || e.times.includes(Number(entry.t)));

let count = 0;
for (const file of files(references, '.json')) {
    const name = path.basename(file, '.json');
    for (const entry of JSON.parse(read(references, file)).reference) {
        count++;
        if (compared.some((e) => covers(e, name, entry))) continue;
        console.log(`no model compares ${name} ${entry.case || entry.N || ''} at t = ${entry.t}`);
        process.exitCode = 1;
    }
}
console.log(`${count} entries`);
if (count === 0) process.exitCode = 1;
