// compare_gallery.js: how fast the gallery runs in two builds.
//
//   node bench/compare_gallery.js BUILD OTHER [--rounds N] [MODEL...]
//
// BUILD and OTHER are build folders with libzwang.so; OTHER may be of another time, and of another
// tree. Each has one process (gallery_worker.c, compiled against its own zwang.h), which runs models
// warm when it is told to. Every model is run in turn by both, N times and at least until each
// has had some time, and the smallest times are compared: what else the machine does makes a run
// longer, never shorter. The ratio is that of speeds, BUILD over OTHER: above 1 BUILD is faster.
'use strict';
const {execFileSync, spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const readline = require('readline');

const leastSeconds = 0.05; // of each model in each build: short runs are repeated more often
const mostRounds = 400;
const here = path.dirname(__filename);

function readArguments(words) {
  const args = {builds: [], models: [], rounds: 12};
  for (let i = 0; i < words.length; i++) {
    if (words[i] === '--rounds') args.rounds = Number(words[++i]);
    else if (args.builds.length < 2) args.builds.push(path.resolve(words[i]));
    else args.models.push(words[i]);
  }
  if (args.builds.length < 2 || !(args.rounds >= 1)) {
    console.error('usage: node bench/compare_gallery.js BUILD OTHER [--rounds N] [MODEL...]');
    process.exit(2);
  }
  const folder = path.join(here, '..', 'models');
  if (args.models.length === 0)
    args.models = fs.readdirSync(folder).filter((f) => f.endsWith('.zw')).sort().map((f) => path.join(folder, f));
  return args;
}

// The tree that a build folder was configured for.
function sourceOf(build) {
  const found = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(fs.readFileSync(path.join(build, 'CMakeCache.txt'), 'utf8'));
  if (!found) throw new Error(`${build}: not a build folder`);
  return found[1];
}

function compileWorker(build, to) {
  execFileSync(process.env.CC || 'cc', [
    '-O2', '-D_POSIX_C_SOURCE=200809L', '-I', path.join(sourceOf(build), 'include'), '-I', here, path.join(here, 'gallery_worker.c'), '-o', to,
    '-L', build, `-Wl,-rpath,${build}`, '-lzwang', '-lm']);
}

// A process that answers each path with its line.
function startWorker(program) {
  const child = spawn(program, {stdio: ['pipe', 'pipe', 'inherit']});
  const answers = readline.createInterface({input: child.stdout})[Symbol.asyncIterator]();
  return {
    async run(model) {
      child.stdin.write(model + '\n');
      const {value, done} = await answers.next();
      if (done) throw new Error(`${program} has ended at ${model}`);
      const [seconds, evaluations] = value.split(' ').map(Number);
      return {seconds, evaluations};
    },
    stop() { child.stdin.end(); },
  };
}

// The smallest times of one model in both, run in turn.
async function compareModel(workers, model, rounds) {
  const best = workers.map(() => ({seconds: Infinity, evaluations: 0, all: 0}));
  for (let r = 0; r < mostRounds && (r < rounds || best.some((b) => b.all < leastSeconds)); r++)
    for (let k = 0; k < workers.length; k++) {
      const {seconds, evaluations} = await workers[k].run(model);
      if (Number.isNaN(seconds)) return null;
      best[k].seconds = Math.min(best[k].seconds, seconds);
      best[k].all += seconds;
      best[k].evaluations = evaluations;
    }
  return best;
}

async function main() {
  const args = readArguments(process.argv.slice(2));
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'gallery-'));
  const workers = args.builds.map((build, k) => {
    compileWorker(build, path.join(scratch, `worker${k}`));
    return startWorker(path.join(scratch, `worker${k}`));
  });
  const rows = [];
  for (const model of args.models) {
    const name = path.basename(model, '.zw'), best = await compareModel(workers, path.resolve(model), args.rounds);
    if (!best) console.log(`${name}: cannot be run by both`);
    else rows.push({name, ratio: best[1].seconds / best[0].seconds, best});
  }
  workers.forEach((w) => w.stop());
  fs.rmSync(scratch, {recursive: true});
  rows.sort((a, b) => a.ratio - b.ratio);
  console.log('speed  model                  ms, here  ms, there  evaluations, here and there');
  for (const {name, ratio, best} of rows)
    console.log(`${ratio.toFixed(3)}  ${name.padEnd(20)} ${(1e3 * best[0].seconds).toFixed(3).padStart(10)} ${(1e3 * best[1].seconds).toFixed(3).padStart(10)}  ` +
      (best[0].evaluations === best[1].evaluations ? best[0].evaluations : `${best[0].evaluations} ${best[1].evaluations}`));
  const mean = Math.exp(rows.reduce((sum, r) => sum + Math.log(r.ratio), 0) / rows.length);
  console.log(`${mean.toFixed(3)}  geometric mean of ${rows.length}; ${rows.filter((r) => r.ratio >= 0.97).length} at 0.97 or more`);
}

main().catch((error) => { console.error(String(error.message || error)); process.exit(1); });
