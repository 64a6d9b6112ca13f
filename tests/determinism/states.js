// The states in which the models of the gallery end, as hashes, against the table states.txt.
//
//     node states.js ZWANG [--keep]      --keep writes the table anew, to be looked at before it is kept
//
// A model runs for at most 150 steps of dop853, or of dopri5 where it says so; the hash is of the last row (time, coordinates,
// velocities, outputs, with 17 digits: the bits), by byte code and by machine code. bdf has no part in the promise.
'use strict';
const { execFile } = require('child_process');
const crypto = require('crypto'), fs = require('fs'), os = require('os'), path = require('path');

const zwang = path.resolve(process.argv[2]), keep = process.argv[3] === '--keep';
const models = path.join(__dirname, '..', '..', 'models'), kept = path.join(__dirname, 'states.txt');
const kernels = process.env.ZW_SLOW ? ['auto'] : ['bytecode', 'native'];

function lastRow(model, kernel) {
    const text = fs.readFileSync(path.join(models, model), 'utf8');
    const method = /method\s*=\s*(rk4|dopri5)/.exec(text);
    return new Promise((resolve, reject) => {
        execFile(zwang, ['run', path.join(models, model), '-q', '--max-steps', '150', '--kernel', kernel, '--method', method ? method[1] : 'dop853'],
            { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
                if (error && error.code !== 3) return reject(new Error(`${model}: status ${error.code}: ${stderr}`));
                const row = stdout.trimEnd().split('\n').at(-1);
                resolve({ row, hash: crypto.createHash('sha256').update(row).digest('hex').slice(0, 16) });
            });
    });
}

async function main() {
    const names = fs.readdirSync(models).filter((f) => f.endsWith('.zw')).sort();
    const table = new Map(keep ? [] : fs.readFileSync(kept, 'utf8').split('\n').filter((l) => l && !l.startsWith('#')).map((l) => l.split(' ')));
    let bad = 0, looked = 0;
    const queue = names.flatMap((name) => kernels.map((kernel) => ({ name, kernel })));
    async function work() {
        for (let job; (job = queue.shift());) {
            const { row, hash } = await lastRow(job.name, job.kernel);
            const model = job.name.replace(/\.zw$/, '');
            if (keep && !table.has(model)) table.set(model, hash);
            looked++;
            if (table.get(model) === hash) continue;
            bad++;
            console.error(`${model} by ${job.kernel}: ${hash}, but the table has ${table.get(model)}; the row begins ${row.slice(0, 90)}`);
        }
    }
    await Promise.all([work(), work()]);
    for (const model of table.keys()) if (!names.includes(`${model}.zw`)) { bad++; console.error(`${model} is in the table, but no model`); }
    if (keep) {
        const lines = [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([m, h]) => `${m} ${h}`);
        fs.writeFileSync(kept, `# Hashes of the last rows, by states.js. A commit that changes one says "bits:".\n${lines.join('\n')}\n`);
    }
    console.log(`${looked} ends of ${names.length} models, ${bad} wrong`);
    process.exit(bad ? 1 : 0);
}

main().catch((error) => { console.error(error.message); process.exit(1); });
