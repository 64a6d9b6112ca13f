// What happens at one moment, and what does not: shares of contacts that depend on each other, accumulations,
// events of the model at the moment at which contacts change.
//
//   node contact_moments.js ZWANG [WORD]      those whose names have this word in them
//
// Each is a function of a bench (contact_bench.js).
'use strict';
const {run_all} = require('./contact_bench.js');

// ---------------------------------------------------------------------------- shares

// Two blocks at rest on a table, tied by a taut rope: tension and both frictions depend on each other. With T >= 0
// and |F1 + T| <= 4.905, |F2 - T| <= 4.905 for some T nothing happens, whatever a single share does.
const TIED = (left, right, until) => `coord x1, y1, x2, y2
kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2
potential 9.81*(y1 + y2)
force x1: ${left}
force x2: ${right}
constraint below1: y1 >= 0
constraint below2: y2 >= 0
friction below1: 0.5 along x1'
friction below2: 0.5 along x2'
constraint rope: x2 - x1 <= 1
start x2 = 1
simulate t = 0..${until}, tol = 1e-11
`;

function shares_that_pass_zero(bench) {
    const still = bench.run(TIED('3.8*sin(3*t)', '2 - 3.8*sin(2*t)', 10), [10], ['x1', 'x2']);
    bench.hold(`something happens: ${JSON.stringify(still.events)}`, still.events.length === 0);
    bench.hold(`it moved to ${still.at(10).x1}, ${still.at(10).x2}`, still.at(10).x1 === 0 && still.at(10).x2 === 1);
    // the rope takes what it can: both let go where 2 t = 2 * 4.905 + 2, and go on together
    const begin = 5.905, pulled = bench.run(TIED('-2*t', '2', 7), [5.9, 7], ['x1', 'x2', "x1'", 'normal(rope)']), end = pulled.at(7);
    bench.hold(`they moved before: ${pulled.at(5.9).x1}`, pulled.at(5.9).x1 === 0 && pulled.at(5.9).x2 === 1);
    const slips = pulled.events.filter((e) => e.kind === 'slips');
    bench.hold(`they slip together: ${JSON.stringify(pulled.events)}`, slips.length === 2 && pulled.events.length === 2);
    for (const e of slips) bench.near(`${e.name} lets go`, e.t, begin, 1e-9);
    bench.near('x1', end.x1, -((7 - begin) ** 3) / 6, 1e-9);
    bench.near('x2', end.x2, 1 - (7 - begin) ** 3 / 6, 1e-9);
    bench.near("x1'", end["x1'"], -((7 - begin) ** 2) / 2, 1e-9);
    bench.near('the tension', end['normal(rope)'], 2 + 4.905 + (7 - begin), 1e-8);
}

// Both slips come to 0 at once, for the rope couples them: both stick, with shares in their cones.
function slips_that_end_together(bench) {
    const text = `coord x1, y1, x2, y2, x3, y3
kinetic 0.41/2*(x1'^2 + y1'^2) + 0.94/2*(x2'^2 + y2'^2) + 2.09/2*(x3'^2 + y3'^2)
force x1: -6.14635 + 0.0891871*t
force y1: -4.0221
force y2: -9.2214
force y3: -20.5029 - 4.19571*t
constraint below1: y1 >= 0
constraint below2: -y1 + y2 >= 0
friction below2: 0.614516 along -x1' + x2'
constraint below3: -y1 + y3 >= 0
friction below3: 0.158023 along -x1' + x3'
constraint rope: x2 - x3 + 0.167531 >= 0
start x1' = 3.71684, x2' = 0.521853, x3' = 3.5094
simulate t = 0..1.5, tol = 1e-10
`;
    const columns = ['x1', "x1'", "x2'", "x3'", 'normal(below2)', 'friction(below2)', 'normal(below3)', 'friction(below3)'];
    const end = bench.run(text, [0.592176], columns).at(0.592176);
    bench.near('x1', end.x1, 1.31432292, 1e-8); // by exact enumeration
    for (const c of ["x1'", "x2'", "x3'"]) bench.near(c, end[c], 1.6642468, 1e-7);
    for (const [k, mu] of [[2, 0.614516], [3, 0.158023]])
        bench.hold(`friction(below${k}) is outside of its cone`, Math.abs(end[`friction(below${k})`]) <= mu * end[`normal(below${k})`] + 1e-9);
}

// A block that a rope stops is at rest: it sticks, and the rope does not let go while friction could hold it.
function stopped_by_an_impact(bench) {
    const text = `coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
force x: 3 - 4*t
constraint ground: y >= 0
friction ground: 0.5 along x'
constraint rope: x <= 0.2
start x' = 2
simulate t = 0..3, tol = 1e-11
`;
    const run = bench.run(text, [1.9, 3], ['x']), told = run.events.map((e) => `${e.name} ${e.kind}`).join();
    bench.hold(`told is ${told}`, told === 'rope impact,rope closes,ground sticks,rope opens,ground slips');
    bench.near('it lets go', run.events[4].t, (3 + 4.905) / 4, 1e-9);
    bench.hold(`it moved to ${run.at(1.9).x}`, Math.abs(run.at(1.9).x - 0.2) < 1e-15);
    bench.near('x', run.at(3).x, 0.2 - (4 / 6) * (3 - 7.905 / 4) ** 3, 1e-9);
}

// ---------------------------------------------------------------------------- accumulations

// Two plastic contacts strike in turn: the rope jerks the heavy weight up, that comes down on the floor. Each round
// has m1/(m1 + m2) of the speeds of the last, and the moments accumulate: a geometric series, at any tolerance.
function plastic_contacts_in_turn(bench) {
    for (const [m1, m2] of [[2, 3], [1, 10], [9, 10]])
        for (const tol of [1e-6, 1e-9, 1e-12]) {
            const s = Math.sqrt(0.8 / 9.81), part = m1 / (m1 + m2), slowed = (m2 - m1) / (m1 + m2), end = s + (2 * part * s * (1 / slowed + 1)) / (1 - part);
            const text = `coord down, up
kinetic ${m1}/2*down'^2 + ${m2}/2*up'^2
potential 9.81*(${m2}*up - ${m1}*down)
constraint rope: down - up <= 0.4
constraint below: up >= 0
simulate t = 0..60, tol = ${tol}
`;
            const run = bench.run(text, [60], ['down', 'up', 'multiplier(rope)', 'multiplier(below)']), {down, up, ...forces} = run.at(60), last = run.events.at(-1);
            const what = `${m1} and ${m2} at ${tol}`;
            bench.hold(`${what}: the last blow is at ${last.t}, not just before ${end}`, last.t < end + 1e-9 && last.t > end - 300 * Math.sqrt(tol));
            bench.near(`${what}: down`, down, 0.4, 1e-12);
            bench.near(`${what}: up`, up, 0, 1e-12);
            bench.near(`${what}: tension`, forces['multiplier(rope)'], 9.81 * m1, 1e-9);
            bench.near(`${what}: pressed`, forces['multiplier(below)'], 9.81 * (m2 - m1), 1e-9);
        }
}

// ---------------------------------------------------------------------------- events of the model

// What an event sets at the moment at which a contact opens does not close it again.
function event_at_lift_off(bench) {
    const text = `coord r[2], mark
kinetic (dot(r', r') + mark'^2)/2
potential 9.81*r[2]
constraint hill: norm(r) >= 1
start r = [sin(0.1), cos(0.1)]
when contact(hill) < 0.5: mark = r[2]
simulate t = 0..1.5, tol = 1e-11
`;
    const run = bench.run(text, [1.5], ['mark']), told = run.events.map((e) => e.kind).join();
    bench.hold(`told is ${told}`, told === 'opens,when');
    bench.near('where it leaves', run.at(1.5).mark, (2 / 3) * Math.cos(0.1), 1e-9);
    const pushed = bench.run(`coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint ground: y >= 0
friction ground: 0.3 along x'
start x' = 1
when t > 0.1: x' = 2
simulate t = 0..0.5
`, [0.5], ["x'"]);
    bench.hold(`what stays closed closes: ${JSON.stringify(pushed.events)}`, pushed.events.map((e) => e.kind).join() === 'when');
    bench.near("x'", pushed.at(0.5)["x'"], 2 - 0.4 * 0.3 * 9.81, 1e-9);
}

// ---------------------------------------------------------------------------- the verdict

// x2 has no force and does not move, but for what rounding of an impact of others leaves it.
function parts_at_rest_are_trusted(bench) {
    bench.run(`coord x1, y1, x2, y2
kinetic 1.68/2*(x1'^2 + y1'^2) + 2.17/2*(x2'^2 + y2'^2)
force y1: -16.4808
force y2: -21.2877
constraint below1: y1 >= 0
restitution below1: 0.80532
friction below1: 0.142224 along x1', static = 0.15987
constraint below2: -y1 + y2 >= 0
restitution below2: 0.212244
constraint rope: -x1 - y2 + 0.0827272 >= 0
start x1' = 1.10974
simulate t = 0..1.37783, tol = 1e-10, impact = newton, impacts = together
`, [1.37783], ['x1']);
}

// ---------------------------------------------------------------------------- all of them

run_all({shares_that_pass_zero, slips_that_end_together, stopped_by_an_impact, plastic_contacts_in_turn, event_at_lift_off, parts_at_rest_are_trusted}, process.argv.slice(2));
