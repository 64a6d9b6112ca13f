// compare_methods.js: how two methods run the gallery at one tolerance.
//
//   node bench/compare_methods.js ZWANG [--tol T] [--rounds N] [--methods A,B] [MODEL...]
//
// Every model is run with the rows that it asks for itself, N times by each method in turn; the
// smallest times count: what else the machine does makes a run longer, never shorter. A last row is
// off by the largest difference of a number to that of dop853 at 1e-14, over 1 or the size of the
// number. The ratio is A's time over B's: above 1 B is faster. Written as a table of Markdown.
'use strict';
const {spawnSync} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const folder = path.join(__dirname, '..', 'models');
const patience = 60e3; // milliseconds a run

function readArguments(words) {
  const args = {zwang: null, tol: '1e-10', rounds: 5, methods: ['dop853', 'gauss16'], models: []};
  for (let i = 0; i < words.length; i++) {
    if (words[i] === '--tol') args.tol = words[++i];
    else if (words[i] === '--rounds') args.rounds = Number(words[++i]);
    else if (words[i] === '--methods') args.methods = words[++i].split(',');
    else if (!args.zwang) args.zwang = path.resolve(words[i]);
    else args.models.push(words[i]);
  }
  if (!args.zwang || !(args.rounds >= 1) || args.methods.length !== 2) {
    console.error('usage: node bench/compare_methods.js ZWANG [--tol T] [--rounds N] [--methods A,B] [MODEL...]');
    process.exit(2);
  }
  if (args.models.length === 0)
    args.models = fs.readdirSync(folder).filter((f) => f.endsWith('.zw')).sort().map((f) => path.join(folder, f));
  return args;
}

const stats = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'methods-')), 'stats.json');

// What a run says of itself, and its last row; null: it has failed.
function runOnce(zwang, model, method, tol) {
  const words = ['run', model, '-q', '--method', method, '--tol', tol, '--stats', stats];
  const run = spawnSync(zwang, words, {timeout: patience, maxBuffer: 1 << 28, encoding: 'utf8'});
  if (run.status !== 0) return null;
  const said = JSON.parse(fs.readFileSync(stats, 'utf8'));
  const lines = run.stdout.trimEnd().split('\n');
  return {...said, row: lines[lines.length - 1].split(',').map(Number)};
}

function offBy(row, exact) {
  let most = 0;
  exact.forEach((x, k) => {
    const off = Math.abs(row[k] - x) / Math.max(1, Math.abs(x));
    if (off > most) most = off;
  });
  return most;
}

function describe(run) {
  if (!run) return 'failed';
  const trust = {ok: '', remarks: ', remarks', 'ok with remarks': ', remarks'}[run.trust] ?? ', not trusted';
  const bridged = run.bridged > 0 ? ` (${run.bridged})` : '';
  return `${run.steps}${bridged}, ${run.evaluations}, ${(1e3 * run.seconds).toPrecision(3)}, ${run.off.toExponential(0)}${trust}`;
}

function main() {
  const args = readArguments(process.argv.slice(2));
  const [a, b] = args.methods;
  const ratios = [];
  console.log(`| model, tol ${args.tol} | ${a}: steps, evaluations, ms, off | ${b}: the same (steps of bridges) | ratio |`);
  console.log('| --- | --- | --- | --- |');
  for (const model of args.models) {
    const exact = runOnce(args.zwang, model, 'dop853', '1e-14');
    const best = {};
    for (let round = 0; round < args.rounds; round++)
      for (const method of args.methods) {
        const run = runOnce(args.zwang, model, method, args.tol);
        if (run && (!best[method] || run.seconds < best[method].seconds)) best[method] = run;
      }
    for (const method of args.methods)
      if (best[method]) best[method].off = exact ? offBy(best[method].row, exact.row) : NaN;
    const ratio = best[a] && best[b] ? best[a].seconds / best[b].seconds : NaN;
    if (ratio > 0) ratios.push(ratio);
    console.log(`| ${path.basename(model, '.zw')} | ${describe(best[a])} | ${describe(best[b])} | ${ratio.toFixed(2)} |`);
  }
  ratios.sort((x, y) => x - y);
  const mean = Math.exp(ratios.reduce((sum, x) => sum + Math.log(x), 0) / ratios.length);
  console.log(`\n${b} is faster in ${ratios.filter((x) => x > 1).length} of ${ratios.length}; mean of ratios ${mean.toFixed(2)}, ` +
              `median ${ratios[ratios.length >> 1].toFixed(2)}, least ${ratios[0].toFixed(2)}, most ${ratios[ratios.length - 1].toFixed(2)}`);
}

main();
