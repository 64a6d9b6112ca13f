// An outside oracle: random models of the classes in which a verdict can be unearned, each run by
// the command and judged by a computation that shares nothing with it.
//
//   node oracle.js --zwang PATH [--from FOLDER] [--models N] [--seed S] [--classes A,B] [--only K] [--found FOLDER] [--jobs N]
//
// Classes are those of the files classes_*.js beside this one, or in the folder that --from names.
// N models are shared out over the classes (classes_*.js; each has its portion). What counts as right
// and what the outcomes are stands at the head of judge.js. The table has a line a class. It fails
// (status 1), with seed, number and text of each model,
//   - where a number is wrong and the verdict does not say so (`unearned`), in any class
//   - where a run has to be killed (`endless`)
//   - where a class must be right (`smooth` and those like it) and a model is not
//   - where the oracle cannot tell (`unsure`) more than one in fifty
// --only K makes the one model number K of a class and prints all about it; --found keeps each model
// that failed as a file.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const {Worker, isMainThread, workerData, parentPort} = require('worker_threads');
const {chance, seed_of} = require('./chance.js');
const {Lost} = require('./held.js');
const {judge, oracle_rows} = require('./judge.js');
const {model_text} = require('./subject.js');

const OUTCOMES = ['right', 'alarm', 'unearned', 'flagged', 'refused', 'endless', 'unsure'];

function classes({from = __dirname}) {
    return fs.readdirSync(from).filter((file) => /^classes_.*\.js$/.test(file)).sort()
        .flatMap((file) => require(path.join(from, file)).classes);
}

// ---------------------------------------------------------------------------- one model

// A model with the oracle's rows, or null: it was none of the class, or the oracle cannot follow it (it
// runs away, and turns faster and faster); another is made then, before anything was compared.
function make_model(kind, r, number) {
    try {
        const model = kind.make(r, number);
        return model && !model.examine ? {...model, followed: oracle_rows(model, {tol: 1e-12})} : model;
    } catch (error) {
        if (!(error instanceof Lost)) throw error;
        return null;
    }
}

function try_model(options, kind, number, folder) {
    const r = chance(seed_of(options.seed, kind.name, number));
    let model = null;
    for (let k = 0; k < 50 && !model; k++) model = make_model(kind, r, number);
    if (!model) throw new Error(`${kind.name} ${number}: no model`);
    try {
        return judge(options.zwang, folder, model, r.next);
    } catch (error) {
        const text = model_text(model.units?.model ?? model);
        return {text, outcome: 'unsure', detail: `the oracle: ${options.only === undefined ? error.message : error.stack}`};
    }
}

function work() {
    const {options, tasks} = workerData, all = classes(options);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'zwang-oracle-'));
    try {
        for (const [name, number] of tasks) {
            const kind = all.find((c) => c.name === name), began = Date.now();
            const result = try_model(options, kind, number, folder);
            parentPort.postMessage({name, number, ...result, seconds: (Date.now() - began) / 1000});
        }
    } finally {
        fs.rmSync(folder, {recursive: true, force: true});
    }
}

// ---------------------------------------------------------------------------- all of them

// Whether an outcome fails the test.
function fails(kind, outcome) {
    return outcome === 'unearned' || outcome === 'endless' ||
        (kind.must === 'right' && outcome !== 'right') || (kind.must === 'run' && outcome === 'refused');
}

function share_out(options) {
    const chosen = classes(options).filter((c) => !options.classes || options.classes.includes(c.name));
    if (!chosen.length) throw new Error('no such class');
    if (options.only !== undefined) return chosen.map((c) => [c.name, options.only]);
    const whole = chosen.reduce((s, c) => s + (c.portion ?? 1), 0), tasks = [];
    for (const c of chosen) {
        const count = Math.max(1, Math.round((options.models * (c.portion ?? 1)) / whole));
        for (let k = 0; k < count; k++) tasks.push([c.name, k]);
    }
    return tasks;
}

function table(all, results) {
    const lines = [], sum = {};
    const line = (name, count) => `${name.padEnd(22)}${OUTCOMES.map((o) => String(count[o] ?? 0).padStart(9)).join('')}`;
    lines.push(`${'class'.padEnd(22)}${OUTCOMES.map((o) => o.padStart(9)).join('')}`);
    for (const c of all) {
        const mine = results.filter((x) => x.name === c.name), count = {};
        if (!mine.length) continue;
        for (const x of mine) { count[x.outcome] = (count[x.outcome] ?? 0) + 1; sum[x.outcome] = (sum[x.outcome] ?? 0) + 1; }
        lines.push(line(c.name, count));
    }
    lines.push(line('all', sum));
    return lines.join('\n');
}

function report(options, results) {
    const all = classes(options);
    const order = new Map(all.map((c, i) => [c.name, i]));
    results.sort((a, b) => order.get(a.name) - order.get(b.name) || a.number - b.number);
    const bad = results.filter((x) => fails(all.find((c) => c.name === x.name), x.outcome));
    const unsure = results.filter((x) => x.outcome === 'unsure');
    for (const x of [...bad, ...unsure]) {
        console.log(`\n${x.outcome}: --classes ${x.name} --only ${x.number} --seed ${options.seed}\n${x.detail}\n${
            bad.length > 20 && options.only === undefined ? '' : x.text}`);
        if (options.found) keep(options, x);
    }
    console.log(`\n${table(all, results)}`);
    if (options.slow)
        for (const x of [...results].sort((a, b) => b.seconds - a.seconds).slice(0, 10))
            console.log(`${x.name} ${x.number}: ${x.seconds} s`);
    const many = unsure.length > results.length / 50 && options.only === undefined;
    console.log(`${results.length} models, ${bad.length} failed${many ? ', and the oracle is not sure too often' : ''}`);
    return bad.length || many ? 1 : 0;
}

function keep(options, x) {
    fs.mkdirSync(options.found, {recursive: true});
    const file = path.join(options.found, `${x.name}-${options.seed}-${x.number}.zw`);
    fs.writeFileSync(file, `# ${x.outcome}: ${x.detail.split('\n').join('\n# ')}\n${x.text}`);
}

function read_words(words) {
    const options = {models: 100, seed: 1, jobs: 2};
    for (let k = 0; k < words.length; k += 2) {
        const name = words[k].replace(/^--/, ''), value = words[k + 1];
        if (!words[k].startsWith('--') || value === undefined) throw new Error(`what is ${words[k]}?`);
        options[name] = ['models', 'seed', 'only', 'jobs', 'slow'].includes(name) ? Number(value)
            : name === 'classes'                                                  ? value.split(',')
                                                                                  : value;
    }
    if (!options.zwang) throw new Error('--zwang PATH is missing');
    options.zwang = path.resolve(options.zwang);
    if (options.from) options.from = path.resolve(options.from);
    return options;
}

async function main() {
    const options = read_words(process.argv.slice(2)), tasks = share_out(options), results = [];
    const jobs = Math.min(options.jobs, tasks.length);
    await Promise.all([...Array(jobs).keys()].map((k) => new Promise((done, fail) => {
        const mine = tasks.filter((_, i) => i % jobs === k);
        const worker = new Worker(__filename, {workerData: {options, tasks: mine}});
        worker.on('message', (x) => results.push(x));
        worker.on('error', fail);
        worker.on('exit', done);
    })));
    if (options.only !== undefined) for (const x of results) console.log(`${x.outcome}: ${x.detail}\n${x.text}`);
    if (results.length !== tasks.length) throw new Error('models are missing');
    process.exitCode = report(options, results);
}

if (!isMainThread) work();
else main().catch((error) => { console.error(`oracle: ${error.message}`); process.exitCode = 2; });
