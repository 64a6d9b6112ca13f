// The states in which the models of the gallery end, as hashes, against the table states.txt.
//
//     node states.js PROGRAM [--ways few|all|here] [--through "qemu-aarch64"] [--keep] [NAME...]
//
// PROGRAM is end_states of any build, for any processor; `--through` runs it. Ways are byte code and machine code, 4 and 8
// lanes, 1 and 2 threads: `few` are two that differ in all three, `all` are all eight, `here` is what the program does unasked.
// NAMEs are models, all of them at first. --keep writes the table anew, to be looked at before it is kept.
// The last line says how many hashes were compared, and how many are others.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs'), path = require('path');

const models = path.join(__dirname, '..', '..', 'models'), kept = path.join(__dirname, 'states.txt');
const few = [['bytecode', 4, 1], ['native', 8, 2]];
const all = ['bytecode', 'native'].flatMap((k) => [4, 8].flatMap((l) => [1, 2].map((t) => [k, l, t])));

function take(words, option, otherwise) {
    const at = words.indexOf(option);
    return at < 0 ? otherwise : words.splice(at, 2)[1];
}

const words = process.argv.slice(2), keep = words.includes('--keep');
if (keep) words.splice(words.indexOf('--keep'), 1);
const said = take(words, '--ways', process.env.ZW_SLOW ? 'here' : 'few');
const through = take(words, '--through', '').split(' ').filter(Boolean);
const [program, ...names] = words;
const ways = { few, all, here: [null] }[said];
if (!program || !ways) {
    console.error('usage: node states.js PROGRAM [--ways few|all|here] [--through COMMAND] [--keep] [NAME...]');
    process.exit(2);
}

function describe(way) {
    return way ? `${way[0]}, ${way[1]} lanes, ${way[2]} threads` : 'as it runs unasked';
}

// The lines of the program, as a map from "MODEL WAY" to the hash.
function endStates(way) {
    const options = way ? ['--kernel', way[0], '--lanes', way[1], '--threads', way[2]] : [];
    const [command, ...rest] = [...through, path.resolve(program), ...options.map(String), models, ...names];
    return new Promise((resolve, reject) => {
        let text = '';
        const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
        child.stdout.on('data', (chunk) => { text += chunk; });
        child.on('error', reject);
        child.on('close', (status, signal) => {
            if (status !== 0) return reject(new Error(`${describe(way)}: ended with ${signal || status}`));
            resolve(new Map(text.trim().split('\n').map((l) => [l.slice(0, l.lastIndexOf(' ')), l.slice(l.lastIndexOf(' ') + 1)])));
        });
    });
}

// Two programs at a time.
async function inPairs(list, work) {
    const queue = [...list.entries()], found = [];
    const turn = async () => { for (let job; (job = queue.shift());) found[job[0]] = await work(job[1]); };
    await Promise.all([turn(), turn()]);
    return found;
}

async function main() {
    const lines = fs.existsSync(kept) ? fs.readFileSync(kept, 'utf8').split('\n').filter((l) => l && !l.startsWith('#')) : [];
    const ends = await inPairs(ways, endStates);
    const table = keep ? ends[0] : new Map(lines.map((l) => [l.slice(0, l.lastIndexOf(' ')), l.slice(l.lastIndexOf(' ') + 1)]));
    let bad = 0, looked = 0;
    ends.forEach((found, k) => {
        for (const [what, hash] of found) {
            looked++;
            if (table.get(what) === hash) continue;
            bad++;
            console.error(`${what}, ${describe(ways[k])}: ${hash}, but the table has ${table.get(what)}`);
        }
        for (const what of table.keys())
            if (!found.has(what) && (names.length === 0 || names.includes(what.split(' ')[0]))) {
                bad++;
                console.error(`${what} is in the table, but was not computed`);
            }
    });
    if (keep && bad === 0)
        fs.writeFileSync(kept, `# Hashes of where models end, by end_states. A commit that changes one says "bits:".\n${[...table].map((l) => l.join(' ')).join('\n')}\n`);
    console.log(`${looked} ends, ${ways.length} ways, ${bad} wrong`);
    process.exit(bad ? 1 : 0);
}

main().catch((error) => { console.error(error.message); process.exit(1); });
