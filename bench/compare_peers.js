// compare_peers.js: Zwang beside other programs, as a page of tables.
//
//   node bench/compare_peers.js PROGRAM...
//
// Every PROGRAM (a command line; they stand in bench/peers) prints a line for each setting and
// problem: system, setting, problem, CPU seconds, largest errors of position (m) and of velocity (m/s),
// error of the energy at the end over the largest energy, way of the first coordinate (m), bounces,
// seconds until it was ready; or, from the seconds on, `fails` or `left out`. They are run one after
// another. Times of the motion are compared with Zwang's at default settings: of its model in space where there is one, as those of the others are.
'use strict';
const {execSync, spawnSync} = require('child_process');
const fs = require('fs');

const problems = [
  ['slide', 'A box slides down, mu = 0.3 < tan 20°, 2 s', ['position', 'velocity', 'energy']],
  ['stop', 'A box slides until friction has stopped it, mu = 0.5, 2 s', ['position', 'velocity', 'energy']],
  ['hold', 'The box at rest, mu = 0.5, 100 s', ['creep']],
  ['one', "Newton's cradle, one of five lifted, 10 s", ['position', 'velocity', 'energy']],
  ['two', "Newton's cradle, two of five lifted, 10 s", ['position', 'velocity', 'energy']],
  ['ball', 'A ball bounces until it lies, restitution 0.8, 5 s', ['position', 'energy', 'bounces']],
];

// Two digits, plain between 0.001 and 100,000.
function number(x) {
  const digits = x.toExponential(1);
  return x === 0 || (x >= 0.001 && x < 1e5) ? String(Number(digits)) : digits;
}

const columns = {
  position: {title: 'position off by, mm', show: (r) => number(1e3 * r.position)},
  velocity: {title: 'velocity, mm/s', show: (r) => number(1e3 * r.velocity)},
  energy: {title: 'energy at the end', show: (r) => number(r.energy)},
  creep: {title: 'creep, mm', show: (r) => number(1e3 * Math.abs(r.way))},
  bounces: {title: 'bounces (60)', show: (r) => String(r.bounces)},
};

function parse(line) {
  const [system, setting, problem, seconds, ...rest] = line.split('\t');
  const [position, velocity, energy, way, bounces, ready] = rest.map(Number);
  const known = rest.length > 0;
  return {system, setting, problem, known, note: seconds, seconds: known ? Number(seconds) : NaN, position, velocity, energy, way, bounces, ready};
}

function runAll(commands) {
  return commands.flatMap((command) => {
    const {stdout, status} = spawnSync('/bin/sh', ['-c', command], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit']});
    if (status !== 0) console.error(`compare_peers: ${command} has ended with ${status}`);
    return (stdout || '').split('\n').filter((line) => line.includes('\t')).map(parse);
  });
}

function first(command) {
  try {
    return execSync(command, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();
  } catch {
    return '';
  }
}

function printMachine() {
  const cpu = fs.readFileSync('/proc/cpuinfo', 'utf8');
  const field = (name) => (new RegExp(`^${name}\\s*: (.*)$`, 'm').exec(cpu) || ['', '?'])[1];
  const wide = / avx512f /.test(`${field('flags')} `) ? 'with AVX-512' : 'without AVX-512';
  console.log(`Machine: ${field('model name')}, family ${field('cpu family')} model ${field('model')}, ${wide}; load ${fs.readFileSync('/proc/loadavg', 'utf8').split(' ')[0]}.`);
  const packages = ['libmujoco-dev', 'libsimbody-dev', 'libdart-dev'];
  const versions = packages.map((name) => `${name} ${first(`dpkg-query -W -f '\${Version}' ${name}`) || '?'}`);
  console.log(`Versions: ${versions.join(', ')}; Zwang ${first('git rev-parse --short HEAD') || '?'}.`);
}

function printProblem([name, title, shown], rows) {
  const owns = rows.filter((r) => r.problem === name && r.system === 'Zwang' && r.known);
  const own = owns.find((r) => r.setting.includes('in space')) || owns[0];
  console.log(`\n**${title}**\n`);
  console.log(`| | settings | ${shown.map((c) => columns[c].title).join(' | ')} | ready, ms | motion, ms | over Zwang's |`);
  console.log(`|${' --- |'.repeat(shown.length + 5)}`);
  for (const r of rows.filter((row) => row.problem === name)) {
    if (r.note === 'left out') continue;
    const cells = r.known ? shown.map((c) => columns[c].show(r)) : shown.map(() => r.note);
    const times = r.known && own ? number(r.seconds / own.seconds) : '';
    console.log(`| ${r.system} | ${r.setting} | ${cells.join(' | ')} | ${r.known ? number(1e3 * r.ready) : ''} | ${r.known ? number(1e3 * r.seconds) : ''} | ${times} |`);
  }
}

const commands = process.argv.slice(2);
if (commands.length === 0) {
  console.error('usage: node bench/compare_peers.js PROGRAM...');
  process.exit(2);
}
printMachine();
const rows = runAll(commands);
for (const problem of problems) printProblem(problem, rows);
