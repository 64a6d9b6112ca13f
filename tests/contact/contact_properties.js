// What must hold of every motion with contacts, whatever its numbers:
//
//   node contact_properties.js ZWANG [WORD]      those whose names have this word in them
//
// Each is a function of a bench (contact_bench.js).
'use strict';
const {run_all, value_of} = require('./contact_bench.js');
const {run_check} = require('../oracle/subject.js');

const impacts = (run) => run.events.filter((e) => e.kind === 'impact');

// ---------------------------------------------------------------------------- elastic impacts

const BOX = (x, y, vx, vy, until) => `coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint sides: 0 <= x <= 1
constraint levels: 0 <= y <= 0.7
restitution sides, levels: 1
start x = ${x}, y = ${y}, x' = ${vx}, y' = ${vy}
simulate t = 0..${until}, tol = 1e-12
`;
const PAIR = (a, b, va, vb) => `coord a, b
kinetic a'^2/2 + 3*b'^2/2
constraint left: a >= 0
constraint pair: b - a >= 0.1
constraint right: b <= 1
restitution left, pair, right: 1
start a = ${a}, b = ${b}, a' = ${va}, b' = ${vb}
simulate t = 0..3, tol = 1e-12
`;
const BAR = (th, w, x, v) => `coord th, x                   # a bar on a hinge knocks at a block on a spring
kinetic th'^2/6 + 0.4*x'^2/2
potential 9.81/2*sin(th) + 15*x^2
constraint knock: x + 0.3 - 0.9*cos(th) >= 0
restitution knock: 1
start th = ${th}, th' = ${w}, x = ${x}, x' = ${v}
simulate t = 0..1.5, tol = 1e-12
`;

// Forth, velocities turned round, and back.
function reversal(bench) {
    const models = [
        [(s) => BOX(...s, 3), ['x', 'y', "x'", "y'"], [0.3, 0.4, 1.7, 0.9], 3, 4], [(s) => PAIR(...s), ['a', 'b', "a'", "b'"], [0.2, 0.6, 1.1, -0.4], 3, 4],
        [(s) => BAR(...s), ['th', "th'", 'x', "x'"], [1.9, -1, 0, 0.2], 1.5, 1],
    ];
    for (const [text, columns, begin, until, least] of models) {
        const turned = (c, x) => (c.endsWith("'") ? -x : x), there = bench.run(text(begin), [until], columns), end = there.at(until);
        const back = bench.run(text(columns.map((c) => turned(c, end[c]))), [until], columns).at(until);
        columns.forEach((c, i) => bench.near(`back to ${c}`, turned(c, back[c]), begin[i], 1e-8));
        bench.hold(`${impacts(there).length} impacts are too few`, impacts(there).length >= least);
    }
}

// Ten thousand bounces of an elastic ball between walls, on a floor under gravity: where it is follows from
// unfolding its way; the energy is that of the start.
function many_bounces(bench) {
    const v = 7, T = 2 * Math.sqrt(2 * 0.5 / 9.81), until = 1000, text = `coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint sides: 0 <= x <= 1
constraint ground: y >= 0
restitution sides, ground: 1
start x = 0.25, y = 0.5, x' = ${v}
simulate t = 0..${until}, tol = 1e-12
`;
    const run = bench.run(text, [until], ['x', 'y', "x'", 'energy']), {x, y, energy} = run.at(until);
    const count = Math.floor(0.25 + v * until) + Math.floor(until / T + 0.5);
    bench.hold(`${impacts(run).length} impacts, not ${count}`, impacts(run).length === count);
    const way = (0.25 + v * until) % 2, late = ((until + T / 2) % T) - T / 2;
    bench.near('x', x, way > 1 ? 2 - way : way, 1e-6);
    bench.near('y', y, 0.5 - 9.81 / 2 * late ** 2, 1e-6);
    bench.near('energy', energy, 9.81 * 0.5 + v * v / 2, 1e-8);
}

// ---------------------------------------------------------------------------- the same in other words

// A rod that falls on one end, slips and turns, then the other end lands; in axes turned by `turn`, in other
// units, its lines in other orders.
function rod({turn = 0, L = 1, M = 1, order = (lines) => lines, names = ['end', 'other'], coords = ['r[2]', 'th']} = {}) {
    const lines = order([`constraint ${names[0]}: dot(up, foot(-1)) >= 0`, `constraint ${names[1]}: dot(up, foot(1)) >= 0`, `restitution ${names[0]}: 0.4`,
        `friction ${names[0]}: 0.2 along dot(on, foot(-1))`, `friction ${names[1]}: 0.3 along dot(on, foot(1)), static = 0.35`]);
    return `param turn = ${turn}, L = ${L}, M = ${M}
param l = 0.5*L, g = 9.81*L
coord ${coords.join(', ')}
let on = [cos(turn), sin(turn)]
let up = [-sin(turn), cos(turn)]
let foot(s) = r + s*l*[cos(th), sin(th)]
kinetic   M/2*dot(r', r') + M*l^2/6*th'^2
potential M*g*dot(up, r)
${lines.join('\n')}
start r = 0.3*L*on + (l*sin(1) + 0.3*L)*up, r' = L*on, th = 1 + turn, th' = 0.4
output x = dot(on, r)/L
output y = dot(up, r)/L
output tilt = th - turn
output vx = dot(on, r')/L
output vy = dot(up, r')/L
output N = (multiplier(${names[0]}) + multiplier(${names[1]}))/(M*L)
simulate t = 0..1.2, tol = 1e-11
`;
}
const ROD_TIMES = [0.2, 0.3, 0.5, 0.8, 1.2], ROD = ['x', 'y', 'tilt', 'vx', 'vy', "th'", 'N'];

function turned_frames(bench) {
    const plain = bench.run(rod(), ROD_TIMES, ROD);
    bench.hold('too few events', plain.events.length >= 4);
    for (const turn of [0.7, 2.5, -1.9]) bench.same(`turned by ${turn}`, plain, bench.run(rod({turn}), ROD_TIMES, ROD), ROD_TIMES, ROD, 1e-8);
}

function other_units(bench) {
    const plain = bench.run(rod(), ROD_TIMES, ROD);
    for (const [L, M] of [[1e-6, 1], [1e6, 1], [1, 1e-6], [1, 1e6], [1e-3, 1e3], [1e6, 1e6], [1e-6, 1e-6]]) {
        const run = bench.run(rod({L, M}), ROD_TIMES, ROD), [a, b] = [plain.stats.steps, run.stats.steps];
        bench.same(`lengths ${L}, masses ${M}`, plain, run, ROD_TIMES, ROD, 1e-8);
        bench.hold(`lengths ${L}, masses ${M}: ${b} steps instead of ${a}`, Math.abs(a - b) <= 2 + 0.05 * a);
        const kinds = (r) => r.events.map((e) => `${e.name} ${e.kind}`).join(', ');
        bench.hold(`lengths ${L}, masses ${M}: events ${kinds(run)} instead of ${kinds(plain)}`, kinds(run) === kinds(plain));
    }
}

// Bounces to rest, by the floor's own scale.
function other_units_at_rest(bench) {
    const text = (L, M) => `param L = ${L}, M = ${M}
coord x, y
kinetic   M/2*(x'^2 + y'^2)
potential M*9.81*L*y
constraint ground: y >= 0
restitution ground: 0.6
friction ground: 0.1 along x'
start y = L, x' = 3*L
output sx = x/L
output sy = y/L
output vx = x'/L
simulate t = 0..3, tol = 1e-10
`;
    const times = [0.6, 1, 2.5, 3], columns = ['sx', 'sy', 'vx'], plain = bench.run(text(1, 1), times, columns);
    for (const [L, M] of [[1e-6, 1e-6], [1e6, 1], [1e-3, 1e6]]) {
        const run = bench.run(text(L, M), times, columns), [a, b] = [impacts(plain).length, impacts(run).length];
        bench.same(`lengths ${L}, masses ${M}`, plain, run, times, columns, 1e-7);
        bench.hold(`lengths ${L}, masses ${M}: ${b} impacts instead of ${a}`, Math.abs(a - b) <= 1);
    }
}

function order_of_lines(bench) {
    const plain = bench.run(rod(), ROD_TIMES, ROD), orders = [(l) => [...l].reverse(), (l) => [l[3], l[2], l[1], l[4], l[0]]];
    for (const order of orders) bench.same('other order', plain, bench.run(rod({order}), ROD_TIMES, ROD), ROD_TIMES, ROD, 1e-9);
    bench.same('coordinates in another order', plain, bench.run(rod({coords: ['th', 'r[2]']}), ROD_TIMES, ROD), ROD_TIMES, ROD, 1e-9);
    bench.same('other names', plain, bench.run(rod({names: ['z', 'a']}), ROD_TIMES, ROD), ROD_TIMES, ROD, 1e-9);
}

const BLOCK = (contact, more = '') => `param mu = 0.3
coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*(0.4*x + y)
${contact}
start y = 0.2, x' = 2
${more}
simulate t = 0..1.5, tol = 1e-11
`;
const BLOCK_TIMES = [0.1, 0.3, 0.6, 1, 1.5], STATE = ['x', 'y', "x'", "y'"];

function written_twice(bench) {
    const once = 'constraint ground: y >= 0\nrestitution ground: 0.5\nfriction ground: mu along x\'';
    const again = 'constraint again: y >= 0\nrestitution again: 0.5\nfriction again: mu along x\'';
    const a = bench.run(BLOCK(once, 'output N = multiplier(ground)\noutput F = friction(ground)'), BLOCK_TIMES, [...STATE, 'N', 'F']);
    const b = bench.run(BLOCK(`${once}\n${again}`, 'output N = multiplier(ground) + multiplier(again)\noutput F = friction(ground) + friction(again)'), BLOCK_TIMES, [...STATE, 'N', 'F']);
    bench.same('a contact written twice', a, b, BLOCK_TIMES, [...STATE, 'N', 'F'], 1e-9);
    const smooth = bench.run(BLOCK('constraint ground: y >= 0'), BLOCK_TIMES, STATE);
    bench.same('smooth, twice', smooth, bench.run(BLOCK('constraint ground: y >= 0\nconstraint again: y >= 0'), BLOCK_TIMES, STATE), BLOCK_TIMES, STATE, 1e-10);
}

// The gap in other units: the multiplier follows, the motion does not, if friction presses with the same force.
function gap_scaled(bench) {
    const columns = [...STATE, 'N'], one = bench.run(BLOCK("constraint ground: y >= 0\nfriction ground: mu along x'", 'output N = multiplier(ground)'), BLOCK_TIMES, columns);
    const ways = {
        'twice the friction': "constraint ground: 2*y >= 0\nfriction ground: 2*mu along x'",
        'with its pressure': "constraint ground: 2*y >= 0\nfriction ground: mu along x', pressure = 2*multiplier(ground)",
        'the other sign': "constraint ground: 0 >= -2*y\nfriction ground: 2*mu along x'",
        'twice the slip': "constraint ground: 2*y >= 0\nfriction ground: mu along 2*x'",
    };
    for (const [name, lines] of Object.entries(ways))
        bench.same(`2*y >= 0, ${name}`, one, bench.run(BLOCK(lines, 'output N = 2*multiplier(ground)'), BLOCK_TIMES, columns), BLOCK_TIMES, columns, 1e-9);
    const said = (gap) => run_check(bench.zwang, bench.folder, BLOCK(`constraint ground: ${gap} >= 0\nfriction ground: mu along x'`), [], 60).said;
    bench.hold(`100*y >= 0 with a friction along x' is not warned about (W0522): ${said('100*y')}`, /W0522/.test(said('100*y')));
    bench.hold(`y >= 0 is warned about: ${said('y')}`, !/W0522/.test(said('y')));
}

// As long as an inequality pushes it is an equation.
function like_equations(bench) {
    const swing = (sign) => `coord r[2]
kinetic dot(r', r')/2
potential 9.81*r[2]
constraint rope: norm(r) ${sign} 1
start r = [0.6, -0.8]
simulate t = 0..3, tol = 1e-10
`;
    const slide = (sign) => `coord x, y, th
kinetic (x'^2 + y'^2)/2 + th'^2/6
potential 9.81*y
force x: 3*sin(4*t)
constraint foot: y - 0.5*cos(th) ${sign} 0
start y = 0.5*cos(0.3), th = 0.3
simulate t = 0..0.4, tol = 1e-10
`;
    const cases = [[swing, '<=', ['r[1]', 'r[2]', "r[1]'", "r[2]'", 'multiplier(rope)'], [0.5, 1, 2, 3]], [slide, '>=', ['x', 'y', 'th', "th'", 'multiplier(foot)'], [0.1, 0.2, 0.4]]];
    for (const [text, sign, columns, times] of cases) {
        const a = bench.run(text('='), times, columns), b = bench.run(text(sign), times, columns), size = (c) => (c === 'multiplier(rope)' ? -1 : 1);
        bench.same(`${sign} instead of =`, a, b, times, columns, 1e-12, size);
        bench.hold(`${sign}: ${b.events.length} events`, b.events.filter((e) => e.kind !== 'closes').length === 0);
    }
}

// ---------------------------------------------------------------------------- rest

function stays_at_rest(bench) {
    const stack = `param g = 9.81, a = 0.3
coord x[3], y[3]
kinetic   (dot(x', x') + dot(y', y'))/2
potential g*(sin(a)*(x[1] + x[2] + x[3]) + cos(a)*(y[1] + y[2] + y[3]))
constraint on[1]: y[1] >= 0
friction on[1]: 0.5 along x[1]'
for i in 2..3 {
  constraint on[i]: y[i] - y[i-1] >= 0
  friction on[i]: 0.6 along x[i]' - x[i-1]'
}
start x = [0.1, 0.2, 0.3]
simulate t = 0..1e6
`;
    const columns = ['x[1]', 'x[2]', 'x[3]', 'y[1]', 'y[2]', 'y[3]'], rest = bench.run(stack, [1e6], columns);
    columns.forEach((c, i) => bench.hold(`${c} crept to ${rest.at(1e6)[c]}`, rest.at(1e6)[c] === [0.1, 0.2, 0.3, 0, 0, 0][i]));
    bench.hold(`${rest.stats.steps} steps for a stack at rest`, rest.stats.steps < 5000);
    const ladder = `coord x, y, th
kinetic (x'^2 + y'^2)/2 + th'^2/24
potential 9.81*y
let foot(s) = [x, y] + s*[0.5*cos(th), 0.5*sin(th)]
constraint ground: foot(-1)[2] >= 0
constraint wall: foot(1)[1] <= 0
friction ground: 0.6 along foot(-1)[1]
friction wall: 0.3 along foot(1)[2]
start th = 1.1, x = -0.5*cos(1.1), y = 0.5*sin(1.1)
simulate t = 0..1e6
`;
    const lean = bench.run(ladder, [0, 1e6], ['x', 'y', 'th']);
    for (const c of ['x', 'y', 'th']) bench.near(`ladder: ${c}`, lean.at(1e6)[c], lean.at(0)[c], 1e-15);
}

function start_inside(bench) {
    const run = bench.run(BLOCK('constraint ground: y >= 0').replace('start y = 0.2', 'start y = -1e-3'), [0, 1], STATE);
    bench.near('y at the start', run.at(0).y, 0, 1e-15);
    bench.hold(`that the start was moved is not said: ${run.said}`, /y from -0\.001 to 0/.test(run.said));
    const clear = bench.run(BLOCK('constraint ground: y >= 0'), [0], STATE);
    bench.hold(`a start above the ground is moved: ${clear.said}`, clear.at(0).y === 0.2 && !/moved/.test(clear.said));
}

// ---------------------------------------------------------------------------- moments that coincide or nearly

function closing_together(bench) {
    for (const apart of [0, 1e-15, 3e-15, -1e-15, 1e-12])
        for (const e of [0, 1]) {
            const text = `coord x, y
kinetic (x'^2 + y'^2)/2
constraint right: x <= 1
constraint top: y <= 1 + ${apart}
restitution right, top: ${e}
start x' = 1, y' = 1
simulate t = 0..1.5, tol = 1e-11
`;
            const {x, y, ...v} = bench.run(text, [1.5], STATE).at(1.5), end = e ? 0.5 : 1;
            bench.near(`${apart} apart, e = ${e}: x`, x, end, 1e-9);
            bench.near(`${apart} apart, e = ${e}: y`, y, end, 1e-9);
            bench.near(`${apart} apart, e = ${e}: x'`, v["x'"], -e, 1e-9);
            bench.near(`${apart} apart, e = ${e}: y'`, v["y'"], -e, 1e-9);
        }
    const flat = (tilt) => `coord x, y, th
kinetic (x'^2 + y'^2)/2 + th'^2/24
potential 9.81*y
let foot(s) = y + s*0.5*sin(th)
constraint left: foot(-1) >= 0
constraint right: foot(1) >= 0
start y = 0.5, th = ${tilt}
simulate t = 0..1, tol = 1e-11
`;
    for (const tilt of [0, 1e-15, -3e-15]) {
        const end = bench.run(flat(tilt), [1], ['y', 'th', "y'", "th'"]).at(1);
        for (const c of Object.keys(end)) bench.near(`a rod that lands flat, tilted by ${tilt}: ${c}`, end[c], 0, 1e-9);
    }
}

function grazing(bench) {
    const touch = `coord x
kinetic x'^2/2
force x: 2
constraint ground: x >= 0
restitution ground: 0.5
start x = 1, x' = -2
simulate t = 0..2, tol = 1e-11
`;
    const run = bench.run(touch, [0.5, 1.5, 2], ['x', "x'", 'normal(ground)']);
    for (const t of [0.5, 1.5, 2]) {
        bench.near(`x at ${t}`, run.at(t).x, (t - 1) ** 2, 1e-9);
        bench.near(`x' at ${t}`, run.at(t)["x'"], 2 * (t - 1), 1e-9);
        bench.hold(`N at ${t}`, run.at(t)['normal(ground)'] === 0);
    }
    bench.hold(`events at a touch: ${JSON.stringify(run.events)}`, run.events.length === 0);
    const circle = `coord x, y               # flies past a pole, and touches it
kinetic (x'^2 + y'^2)/2
constraint pole: hypot(x, y) >= 1
start x = -2, y = 1 fixed, x' = 1 fixed
simulate t = 0..4, tol = 1e-11
`;
    const past = bench.run(circle, [4], STATE).at(4);
    bench.near('past a pole: x', past.x, 2, 1e-9);
    bench.near('past a pole: y', past.y, 1, 1e-9);
}

// ---------------------------------------------------------------------------- what cannot be, and kinks

function squeezed(bench) {
    const text = `coord x, y
kinetic (x'^2 + y'^2)/2
force y: 1
constraint left: x >= 0.1*t
constraint right: x <= 1 - 0.15*t
start x = 0.3
simulate t = 0..10
`;
    const run = bench.attempt(text, ['--at', '1,10', '--columns', 'x, y']);
    bench.hold(`status ${run.status}`, run.status === 3);
    bench.hold(`the message does not name both walls: ${run.said}`, /error\[E\d+\].*`left`.*`right`|error\[E\d+\].*`right`.*`left`/s.test(run.said));
    const when = /t = ([\d.]+)/.exec(run.said.split('\n').find((l) => /error\[/.test(l)) ?? '');
    bench.near('the moment at which it becomes impossible', Number(when?.[1] ?? NaN), 4, 1e-4);
    bench.near('x before', value_of(run, 1, 'x'), 0.3, 1e-9);
    const start = bench.attempt(text.replace('1 - 0.15*t', '-0.5 - 0.15*t'), ['--at', '1']);
    bench.hold(`a start between walls that cross is not refused by name: ${start.said}`, start.status === 1 && /error\[E0(507|402)\].*`left`/s.test(start.said));
    const taken = bench.attempt(text.replace('0..10', '0..10, inconsistent = accept').replace('1 - 0.15*t', '-0.5 - 0.15*t'), ['--at', '0', '--columns', 'x']);
    const refused = taken.status === 1 && /error\[E0507\]/.test(taken.said); // or it is taken
    bench.near('the compromise between them', taken.status === 0 ? value_of(taken, 0, 'x') : refused ? -0.25 : NaN, -0.25, 1e-9);
}

// A ridge and a valley of two planes: said with abs, and by two contacts. A kink may be refused (E0512), but not
// got wrong.
function kinks(bench) {
    const ridge = (line) => `coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
${line}
start x = -1, y = -1, x' = 6, y' = 6
simulate t = 0..0.4, tol = 1e-11
`;
    const jump = bench.attempt(ridge('constraint roof: y + abs(x) >= 0'), ['--at', '0.4', '--columns', 'x, y']);
    // up the slope at v0 = 6 sqrt(2) - 9.81 t/sqrt(2), over the ridge, then free
    const a = 9.81 / Math.SQRT2, v0 = 6 * Math.SQRT2, up = (v0 - Math.sqrt(v0 * v0 - 2 * a * Math.SQRT2)) / a, v = (v0 - a * up) / Math.SQRT2, s = 0.4 - up;
    const told = (run) => run.status !== 0 && /error\[E0512\]/.test(run.said);
    if (!told(jump)) {
        bench.near('over a ridge: x', jump.status === 0 ? value_of(jump, 0.4, 'x') : NaN, v * s, 1e-8);
        bench.near('over a ridge: y', jump.status === 0 ? value_of(jump, 0.4, 'y') : NaN, v * s - 9.81 / 2 * s * s, 1e-8);
    }
    const valley = (lines) => ridge(lines).replace('y = -1, x\' = 6, y\' = 6', 'y = 1, x\' = 1, y\' = -1').replace('0..0.4', '0..2');
    const two = bench.run(valley('constraint left: y + x >= 0\nconstraint right: y - x >= 0'), [0.2, 2], STATE);
    bench.near('in a valley: x', two.at(2).x, 0, 1e-9);
    bench.near('in a valley: y', two.at(2).y, 0, 1e-9);
    const one = bench.attempt(valley('constraint valley: y - abs(x) >= 0'), ['--at', '0.2,2', '--columns', STATE.join(', ')]);
    if (told(one)) return;
    for (const c of ['x', 'y']) bench.near(`in a valley of abs: ${c}`, one.status === 0 ? value_of(one, 2, c) : NaN, 0, 1e-7);
}

// ---------------------------------------------------------------------------- all of them

run_all({
    reversal, many_bounces, turned_frames, other_units, other_units_at_rest, order_of_lines, written_twice, gap_scaled, like_equations, stays_at_rest,
    start_inside, closing_together, grazing, squeezed, kinks,
}, process.argv.slice(2));
