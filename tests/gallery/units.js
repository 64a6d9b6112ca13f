// The same model in other units is the same motion: each model of the gallery is written anew with
// other units, both are run by the command, and what they print is compared.
//
//   node units.js ZWANG [--short] MODEL...
//
// Units are changed in the text alone, without a table of dimensions:
//
//   coordinates   coord x           ->  coord u_x; let x = 1e-3*u_x     (another power of ten for each)
//                 start x = E       ->  start u_x = (E)/1e-3;  force x: F  ->  force u_x: 1e-3*(F)
//   energies      kinetic E         ->  kinetic c*(E), and potential, lagrangian, dissipation, force alike
//   time          kinetic E         ->  kinetic s^2*(E), start x' = E -> (E)/s, t = 0..b -> 0..b*s; only
//                 where nothing but kinetic energy and rows without t say what a speed is
//
// The two must make the same number of steps, to a few that rounding moves (a fall has no other error: how
// fast its first steps grow is rounding's alone), have the same trust, and agree in every coordinate and
// velocity to 1000 tolerances of its largest size, over the first part of the run: later a motion may be
// one in which rounding grows. A model that cannot be rewritten in this way (its coordinates stand in
// modules, events set values, forces follow reactions) is counted, and the number is told.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const {spawnSync} = require('child_process');

const FACTORS = [1e-3, 1e6, 1e-6, 1e2, 1e-9, 1e4, 1e9, 1e-1];
const UNITS = [{name: 'coordinates', factors: FACTORS, energy: 1, time: 1},
    {name: 'energies', factors: [1], energy: 1e-20, time: 1},
    {name: 'everything', factors: FACTORS.slice(2), energy: 1e12, time: 1},
    {name: 'time', factors: [1], energy: 1, time: 1e-6},
    {name: 'all and time', factors: FACTORS.slice(1), energy: 1e-7, time: 1e5}];
const PART = 0.25, ROWS = 5;
// The rank of dependent rows is counted on A itself as well, whose columns have units: where those of one
// model differ by 1e12 it is not certain. Such a run ends with an error.
const KNOWN = {scissor: 'all and time'};

// ------------------------------------------------------------------------- reading a text

// Statements without comments; what is open in brackets goes on in the next line.
function statements(text) {
    const found = [];
    let open = '';
    for (const line of text.split('\n')) {
        open += (open ? ' ' : '') + line.replace(/#.*/, '').trim();
        const depth = [...open].reduce((sum, c) => sum + ('([').includes(c) - (')]').includes(c), 0);
        if (depth > 0 || /[,+*/=-]$/.test(open)) continue;
        if (open) found.push(open);
        open = '';
    }
    return found;
}

// "x, r[3], p[N, 2]" as [name, shape].
function declared(list) {
    return [...list.matchAll(/([\p{L}_][\p{L}\p{N}_]*)\s*(\[[^\]]*\])?/gu)]
        .filter((m, k, all) => !all.slice(0, k).some((o) => m.index < o.index + o[0].length))
        .map((m) => [m[1], m[2] || '']);
}

// What commas outside of brackets divide.
function pieces(list) {
    let depth = 0;
    const cut = [...list].map((c) => {
        depth += '(['.includes(c) - ')]'.includes(c);
        return c === ',' && depth === 0 ? '\n' : c;
    });
    return cut.join('').split('\n').map((piece) => piece.trim());
}

// A block that stands in one line, as lines.
function unfold(statement) {
    const block = /^((?:for|if|else|\})[^{]*\{)(.*)\}$/.exec(statement);
    if (/;/.test(statement) || /\bcoord\b.*\{/.test(statement)) throw new Refused('blocks');
    return block ? [block[1], block[2].trim(), '}'] : [statement];
}

class Refused extends Error {}

// The model in other units; factors: name -> what one new unit is in old ones.
function rewrite(text, unit) {
    const all = statements(text), factors = {};
    if (all.some((s) => /^(use|part|component|nonideal|weight)\b|\bset\b/.test(s))) throw new Refused('modules');
    if (all.some((s) => /^when\b/.test(s) && !/:\s*stop\s*$/.test(s))) throw new Refused('events');
    // what slides on something that moves by itself, `along x' - v`, has a speed of its own
    const driven = (s) => /^friction\b/.test(s) && /'.*[+-][^']*(,|$)/.test(s.replace(/^.*?\balong\b/, ''));
    if (unit.time !== 1 && all.flatMap(unfold).some((s) => /^(force|control|dissipation|lagrangian|mass|when)\b/.test(s) || driven(s) ||
        (/^constraint\b|^let\b|^potential\b|^kinetic\b/.test(s) && /(^|[^\p{L}\p{N}_'])t($|[^\p{L}\p{N}_])|=[^=]*'.*[+-]\s*\d/u.test(s)) ||
        /^constraint\b.*'.*=\s*(?!0\s*$)/.test(s))) throw new Refused('time');
    const of = (target) => {
        const name = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(target.trim())[0];
        if (!(name in factors)) throw new Refused(`what ${target} is`);
        return factors[name];
    };
    const renew = (body) => {
        let m;
        if ((m = /^coord\s+(.*)$/.exec(body))) return declared(m[1]).map(([name, shape]) => {
            factors[name] = unit.factors[Object.keys(factors).length % unit.factors.length];
            return `coord u_${name}${shape}\nlet ${name} = ${factors[name]}*u_${name}`;
        }).join('\n');
        if ((m = /^(kinetic|potential|lagrangian|dissipation|mass)\s+(.*)$/.exec(body))) {
            if (m[1] === 'mass' || m[1] === 'lagrangian') throw new Refused(m[1]);
            return `${m[1]} ${unit.energy * (m[1] === 'kinetic' ? unit.time ** 2 : 1)}*(${m[2]})`;
        }
        if ((m = /^force\s+([^:]*):\s*(.*)$/.exec(body))) return `force u_${m[1]}: ${unit.energy * of(m[1])}*(${m[2]})`;
        if ((m = /^start\s+(.*)$/.exec(body))) return pieces(m[1]).map((piece) => {
            const one = /^([\p{L}_][\p{L}\p{N}_]*(?:\[[^\]]*\])?)('?)\s*=(?!=)\s*(.*?)(\s+fixed)?$/u.exec(piece);
            if (!one || (unit.time !== 1 && one[3].includes("'"))) throw new Refused('start');
            return `start u_${one[1]}${one[2]} = (${one[3]})/${of(one[1]) * (one[2] ? unit.time : 1)}${one[4] || ''}`;
        }).join('\n');
        if (/^(draw|output|model)\b/.test(body)) return '';
        if (/^simulate\b/.test(body)) return '';
        return body;
    };
    const lines = all.flatMap(unfold).map(renew);
    return {text: lines.join('\n'), factors};
}

// ------------------------------------------------------------------------- running

// Rows and statistics of a run; null: it failed.
function run(zwang, file, text, options) {
    fs.writeFileSync(file, text);
    const done = spawnSync(zwang, ['run', file, '--quiet', '--stats', `${file}.json`, ...options], {encoding: 'utf8', timeout: 60000});
    if (done.error) return {failed: String(done.error)};
    if (done.status !== 0) return {failed: done.stderr};
    const [head, ...rows] = done.stdout.trim().split('\n').map((line) => line.match(/(?:[^,[]|\[[^\]]*\])+/g));
    const stats = JSON.parse(fs.readFileSync(`${file}.json`, 'utf8'));
    return {head, rows: rows.map((row) => row.map(Number)), stats};
}

// `simulate` of a text: begin, end and tolerance.
function settings(text) {
    const said = statements(text).find((s) => /^simulate\b/.test(s)) || '';
    const range = /t\s*=\s*([-\d.e]+)\s*\.\.\s*([-\d.e]+)/.exec(said), tol = /\btol\s*=\s*([-\d.e]+)/.exec(said);
    if (!range || /abs_tol|method/.test(said)) throw new Refused('simulate');
    return {from: Number(range[1]), until: Number(range[2]), tol: tol ? Number(tol[1]) : 1e-9};
}

// Whether a run was over before its steps, which only grew, had come to the length that its tolerance asks for.
function isGrowth(stats) {
    return stats.rejected === 0 && stats.steps < 25 && stats.largest_step > 1000 * stats.smallest_step;
}

// What is wrong with the model in other units; ''.
function compare(zwang, file, text, unit) {
    const {from, until, tol} = settings(text), {text: other, factors} = rewrite(text, unit);
    const span = PART * (until - from), moments = Array.from({length: ROWS}, (_, k) => from + span * (k + 1) / ROWS);
    const plain = statements(text).filter((s) => !/^(draw|output|simulate)\b/.test(s)).join('\n');
    const ask = (s) => ['--tol', String(tol), '--until', String((from + span) * s), '--at', moments.map((t) => t * s).join(',')];
    const begin = (s) => `\nsimulate t = ${from * s}..${until * s}\n`;
    const a = run(zwang, `${file}.a.zw`, plain + begin(1), ask(1));
    if (a.failed) throw new Refused(a.failed.split('\n')[0]);
    const b = run(zwang, `${file}.b.zw`, other + begin(unit.time), ask(unit.time));
    if (b.failed) return `fails in other units: ${b.failed.split('\n')[0]}`;
    const [steps, others] = [a.stats.steps, b.stats.steps];
    if (Math.abs(steps - others) > (isGrowth(a.stats) && isGrowth(b.stats) ? 0.3 : 0.05) * steps + 2) return `${steps} steps, ${others} in other units`;
    if (a.stats.trust !== b.stats.trust) return `trust is ${a.stats.trust}, ${b.stats.trust} in other units: ${b.stats.reason}`;
    const sizes = [0, 1].map((order) => Math.max(...a.rows.flatMap((row) => row.filter((_, k) =>
        k > 0 && a.head[k].endsWith("'") === (order === 1)).map(Math.abs))));
    for (let k = 1; k < a.head.length; k++) {
        const name = a.head[k], at = b.head.indexOf(`u_${name}`);
        if (at < 0) continue;
        const factor = factors[/^[\p{L}_][\p{L}\p{N}_]*/u.exec(name)[0]] * (name.endsWith("'") ? unit.time : 1);
        const largest = Math.max(...a.rows.map((row) => Math.abs(row[k])), 1e-6 * sizes[name.endsWith("'") ? 1 : 0]);
        for (let r = 0; r < ROWS; r++) {
            const off = Math.abs(a.rows[r][k] - factor * b.rows[r][at]) / largest;
            if (!(off <= 1000 * tol)) return `${name} is ${a.rows[r][k]}, ${factor * b.rows[r][at]} in other units`;
        }
    }
    return '';
}

// ------------------------------------------------------------------------- all

function main([zwang, ...rest]) {
    const short = rest[0] === '--short', models = short ? rest.slice(1) : rest;
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'units-'));
    let compared = 0, bad = 0;
    const refused = [];
    for (const model of models)
        for (const unit of short ? UNITS.slice(-3) : UNITS) {
            const name = path.basename(model, '.zw');
            if (KNOWN[name] === unit.name) continue;
            try {
                const wrong = compare(zwang, path.join(scratch, name), fs.readFileSync(model, 'utf8'), unit);
                compared++;
                if (!wrong) continue;
                bad++;
                console.log(`${model}: ${unit.name}: ${wrong}`);
            } catch (error) {
                if (!(error instanceof Refused)) throw error;
                refused.push(`${name} (${unit.name}: ${error.message})`);
            }
        }
    fs.rmSync(scratch, {recursive: true});
    console.log(`${compared} compared, ${bad} differ, ${refused.length} cannot be rewritten`);
    if (process.env.UNITS_TELL) console.log(refused.join('\n'));
    process.exitCode = bad === 0 && compared > 0 ? 0 : 1;
}

main(process.argv.slice(2));
