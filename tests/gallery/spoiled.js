// Whether gallery.js sees what is wrong: a good model with every kind of expectation passes, and each way
// to spoil it is a failure that says why.
//
//   node spoiled.js ZWANG
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');
const {examine} = require('./gallery.js');

const good = `# A pendulum that says everything that an expectation can say.
# Its bar is there twice.
# Source: iftomm_a01_pendulum, and a circle at constant speed.
# expect from check: dof = 1, rank = 1, redundant = 1
# expect from check says: "\`again\` is redundant", "degrees of freedom 1"
# expect from reference/iftomm_a01_pendulum.json at t = 0.5, 1 within 1e-8: x = r[1], vy = r[2]',
#    Fcy = force(r[2]), tension = -2*half
# expect from reference/uk_inconsistent.json case two_servo_rows_1d at t = 0 within 1e-9: qdd[1] = 2.5*one
# expect from reference/iftomm_a02_nfourbar.json case N = 2 at t = 0.5, 1 within 1e-9 relative: energy = 35.835*one
# expect at t = 0.5 within 1e-8 relative: r = [-0.3910487915505464, -0.9203699487851922]
# expect with g = 0, v = [0, 2] at t = 0.5, pi within 1e-9: r[1] = -cos(2*t), r' = [2*sin(2*t), 2*cos(2*t)], angle ~ pi + 2*t
# expect throughout within 1e-8: energy = constant, residual(again) = 0
# expect throughout: r[1] < 1.000001, r[2] < 0.000001
# expect with stop = 0 end at t = 0.5920 within 1e-3: r[1] = 0
# expect by dopri5 tol 1e-8 until 0.5 in under 20 s at t = 0.5 within 1e-4: r[2] = -0.92037
# expect with v = [1, 0] trust remarks at t = 0 within 1e-9: r[1]' = 0
model "Spoiled"
param g = 9.81, v = [0, 0], stop = 9
coord r[2]
kinetic dot(r', r')/2
potential g*r[2]
constraint bar: dot(r, r) = 1
constraint again: 2*dot(r, r) = 2
start r = [-1, 0], r' = v
output half = multiplier(bar) + 2*multiplier(again)
output one = 1
output angle = atan2(-r[2], r[1])
when r[1] > stop: r[1]' = r[1]'
when r[1] > stop: stop
draw point(r)
simulate t = 0..4, tol = 1e-11, every = 0.1
`;

// What is replaced, by what, and what must be said then.
const spoilings = [
    ['dof = 1', 'dof = 2', 'expected dof = 2, seen 1'],
    ['redundant = 1', 'redundant = 2', 'expected redundant = 2'],
    ['rank = 1', 'rang = 1', 'expected rang = 1, seen undefined'],
    ['rank = 1', 'rank < 2', 'expected rank < 2'],
    ['freedom 1"', 'freedom 2"', 'does not say "degrees of freedom 2"'],
    ['says: "', 'says: ', 'cannot read'],
    ['tension = -2*half', 'tension = 2*half', 'half at t = 0.5: expected 27.08'],
    ['tension = -2*half', 'tensoin = -2*half', 'the reference has no tensoin'],
    ['Fcy = force(r[2])', 'Fcy = force(r[1])', 'force(r[1]) at t = 0.5'],
    ['Fcy = force(r[2])', 'Fcy = farce(r[2])', 'no column'],
    ['at t = 0.5, 1 within 1e-8', 'at t = 0.5, 3 within 1e-8', 'does not have these times'],
    ['iftomm_a01_pendulum.json at', 'iftomm_a01_pendulun.json at', 'no such file'],
    ['case two_servo_rows_1d', 'case two_servo_rows', 'no such case'],
    ['qdd[1]', 'qdd[2]', 'the reference has no qdd[2]'],
    ['2.5*one', '2.4*one', 'expected 2.5, seen 2.4'],
    [' case N = 2', '', 'several cases'],
    ['35.835*one', '35.8350001*one', 'one at t = 0.5: expected 35.835'],
    ['-0.3910487915505464', '-0.3910487815505464', 'r[1] at t = 0.5: expected -0.3910487815505464'],
    ['-0.9203699487851922]', '-0.9203699487851922, 0]', 'r has 2 values, not 3'],
    ['r[1] = -cos(2*t)', 'r[1] = -cos(2.0000001*t)', 'r[1] at t = 0.5'],
    ['-cos(2*t)', '-cosh(2*t', 'cannot read'],
    ['-cos(2*t)', '-cos(2*u)', 'not arithmetic'],
    ['-cos(2*t)', 'sqrt(-1)', 'not arithmetic'],
    ['angle ~ pi + 2*t', 'angle = pi + 2*t', 'angle at t = 3.14'],
    ['angle ~ pi + 2*t', 'angle ~ 2*t', 'angle at t = 0.5'],
    ['at t = 0.5, pi', 'at t = 0.5, 5', 'goes from t = 0 to t = 4'],
    ['with g = 0', 'with gg = 0', 'gg'],
    ['energy = constant', 'r[1] = constant', 'r[1] at t = 0.1'],
    ['residual(again) = 0', 'rate(again) = 0.0000001', 'rate(again) at t = 0'],
    ['r[1] < 1.000001', 'r[1] < 0.5', 'expected < 0.5'],
    ['r[1] < 1.000001', 'r[1] > 0.5', 'expected > 0.5'],
    ['throughout within 1e-8', 'throughout', 'no `within`'],
    ['throughout within 1e-8', 'throughout until 0.05 within 1e-8', '1 rows, where 2'],
    ['t = 0.5920', 't = 0.5900', 'the end at t = 0.59'],
    ['with stop = 0 end', 'end', 'has not stopped'],
    ['in under 20 s', 'in under 0.00001 s', 'it took'],
    ['by dopri5', 'by dopri6', 'status 2'],
    ['by dopri5', 'buy dopri5', 'cannot read `buy'],
    [' at t = 0.5 within 1e-4', ' within 1e-4', 'does not say where'],
    [': r[2] = -0.92037', '', 'claims nothing'],
    ['r[2] = -0.92037', '', 'cannot read ``'],
    ['r[2] = -0.92037', 'r[2] is -0.92037', 'cannot read'],
    [' within 1e-4', ' within 1e-4 within 1e-3', 'one too many'],
    ['throughout within 1e-8', 'throughout at t = 1 within 1e-8', 'means nothing'],
    ['from check: dof', 'from check within 1e-9: dof', 'means nothing'],
    ['from check: dof', 'from check throughout: dof', 'one too many'],
    ['trust remarks ', '', 'trust is ok with remarks, not ok'],
    ['trust remarks ', 'trust rumours ', 'cannot read'],
    ['trust remarks ', 'status 1 ', 'status 0 instead of 1'],
    ['#    Fcy', '#  Fcy', 'cannot read'],
    ['# expect by', '# expects by', 'cannot read'],
    ['# Source:', '# From:', 'Source'],
    ['# Its bar is there twice.\n', '', 'a story'],
    ['draw point(r)\n', '', '`draw`'],
    ['simulate t', '# simulate t', '`simulate`'],
    ['output one = 1', 'output one = 0/(r[1] - r[1])', 'NaN'],
    [/# expect.*\n(# {3}.*\n)*/g, '', 'an expectation'],
    [/# expect (?!from check).*\n(# {3}.*\n)*/g, '', 'about a run'],
    ['coord r[2]', 'coord r[2', 'error['],
];

// The good model with the one expectation that holds a text, with all of them if none does.
function alone(part) {
    const expectation = /# expect.*\n(# {3}.*\n)*/g;
    const one = typeof part === 'string' && good.match(expectation).find((text) => text.includes(part));
    return one ? good.replace(expectation, (text) => (text === one ? text : '')) : good;
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'spoiled-')), file = path.join(scratch, 'model.zw');

function failures_of(text) {
    fs.writeFileSync(file, text);
    return examine(process.argv[2], file).failures;
}

const problems = failures_of(good);
for (const [from, to, words] of problems.length ? [] : spoilings) {
    const whole = alone(from), text = whole.replace(from, to), failures = failures_of(text);
    if (text === whole || !failures.some((failure) => failure.includes(words)))
        problems.push(`${from} -> ${to}: "${words}" is not said\n${failures.join('\n')}`);
}
fs.rmSync(scratch, {recursive: true});
problems.forEach((problem) => console.log(problem));
console.log(`${spoilings.length} spoilings, ${problems.length} problems`);
process.exitCode = problems.length ? 1 : 0;
