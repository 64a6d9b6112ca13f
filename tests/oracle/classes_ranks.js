// Ranks that are known without a computation, as `check` reports them, and runs that have to end.
//
// A tree of bodies has as many freedoms as its joints together; a ladder of parallelograms drawn flat
// has one. A rank or a number of freedoms that is not this has to be given as a range that holds it.
'use strict';
const {round} = require('./chance.js');
const {run_check, run_command} = require('./subject.js');
const {number_text} = require('./term.js');

// Joints in space with their freedoms and what they need.
const SPACE = [['Hinge', 1], ['Ball', 3], ['Slider', 1], ['Cylindrical', 2], ['Universal', 2], ['Planar', 3], ['Fixed', 0]];

// A random tree of bodies in space, its joints at random places.
function tree(r) {
    const count = r.of([2, 3, 5, 8, 12, 20, 40, 80]), flat = r.yes(0.5), lines = ['use rigid', 'part ground = Ground()'];
    const vector = () => `[${[0, 1, 2].map((k) => (flat && k === 1 ? 0 : round(r.in(-1, 1)))).join(', ')}]`;
    let freedoms = 0;
    for (let k = 1; k <= count; k++) {
        const turned = flat ? '' : `, turned = axis_angle([${r.in(0.1, 1)}, ${r.in(0.1, 1)}, ${r.in(-1, 1)}], ${r.in(0, 3)})`;
        lines.push(`part b${k} = Body(m = ${r.in(0.5, 2)}, J = diagonal(0.1, 0.12, 0.15), at = [${k}, 0, ${
            flat ? 0 : r.in(-1, 1)}]${turned})`);
        const to = k === 1 ? 'ground' : r.yes(0.6) ? `b${k - 1}` : `b${r.whole(1, k - 1)}`, [joint, freedom] = r.of(SPACE);
        const axis = ['Ball', 'Fixed'].includes(joint) ? '' : `, axis = ${flat ? '[0, 1, 0]' : vector()}`;
        if (joint === 'Universal') {
            lines.push(`part j${k} = Universal(${to}, b${k}, at = ${vector()}, axis = [1, 0, 0], axis2 = [0, 1, 0])`);
        } else lines.push(`part j${k} = ${joint}(${to}, b${k}, at = ${vector()}${axis})`);
        freedoms += freedom;
    }
    return ranked(lines, freedoms);
}

// Points on equal cranks, all on one line at the start, joined by rods: one freedom.
function ladder(r) {
    const count = r.of([2, 3, 5, 10, 30, 60, 100]), R = r.in(0.5, 1.5), feet = [0];
    for (let k = 1; k < count; k++) feet.push(round(feet[k - 1] + r.in(0.5, 2)));
    const lines = [`coord x[${count}], y[${count}]`, 'kinetic (dot(x\', x\') + dot(y\', y\'))/2'];
    feet.forEach((d, k) => {
        lines.push(`constraint crank${k + 1}: (x[${k + 1}] - ${d})^2 + y[${k + 1}]^2 = ${number_text(R * R)}`);
        if (k)
            lines.push(`constraint rod${k + 1}: (x[${k + 1}] - x[${k}])^2 + (y[${k + 1}] - y[${k}])^2 = ${
                number_text((d - feet[k - 1]) ** 2)}`);
        lines.push(`start x[${k + 1}] = ${number_text(d + R)}`);
    });
    return ranked(lines, 1);
}

// A straight chain of rods in the plane or in space: a freedom fewer for every rod.
function chain(r) {
    const count = r.of([3, 10, 40, 90]), size = r.of([2, 3]);
    const lines = [
        `coord p[${count}, ${size}]`, `kinetic sum(i in 1..${count}, dot(p[i]', p[i]')/2)`,
        'constraint hook: dot(p[1], p[1]) = 1',
        `for i in 2..${count} { constraint rod[i]: dot(p[i] - p[i-1], p[i] - p[i-1]) = 1 }`,
        `for i in 1..${count} { start p[i] = [i${', 0'.repeat(size - 1)}] }`
    ];
    return ranked(lines, (size - 1) * count);
}

function ranked(lines, freedoms) {
    const text = `${lines.join('\n')}\n`;
    return {
        text, names: [],
        examine(zwang, folder) {
            const {late, status, report, said} = run_check(zwang, folder, text, [], 30);
            if (late) return {outcome: 'endless', detail: 'check does not end'};
            if (!report) return {outcome: status === 0 ? 'unearned' : 'refused', detail: said.split('\n')[0]};
            const detail = `${report.dof} degrees of freedom, rank ${report.rank} of ${report.m} rows; there are ${freedoms}`;
            if (report.dof === freedoms) return {outcome: 'right', detail};
            const range = JSON.stringify(report).match(/"dof_(?:range|most|least)":|(\d+) or (\d+) degrees/);
            return {outcome: range ? 'flagged' : 'unearned', detail};
        },
    };
}

// ---------------------------------------------------------------------------- runs that have to end

// Motions that come to rest or to a place beyond which there is none. Whatever is said, the command
// has to come back: in few steps, or by itself with a reason.
function ends(r) {
    const k = r.in(0.5, 2), v = r.in(0.5, 3), c = r.in(0.2, 2), stop = (4 * Math.sqrt(v)) / k;
    const one = ['coord x', "kinetic x'^2/2"], moving = `start x' = ${v}`;
    const run = (until, more = '') => `simulate t = 0..${round(until)}${more}`, way = r.of(['', 'auto', 'bdf', 'dopri5']);
    const lines = r.of([
        () => [...one, `force x: -${k}*sign(x')`, moving, run((3 * v) / k, way && `, method = ${way}`)],
        () => [...one, `force x: -${k}*sqrt(abs(x'))*sign(x')`, moving, run(stop)],
        () => [...one, `force x: -${k}*sqrt(x')`, moving, run(stop)],
        () => ['coord x, y', "kinetic (x'^2 + y'^2)/2", `force x: -${k}*sign(x' - y')`, `force y: ${k}*sign(x' - y') - ${c}*y`, moving,
            run((5 * v) / k)],
        () => ['coord x, y, u, w', "kinetic (x'^2 + y'^2 + u'^2 + w'^2)/2", `constraint crank: x^2 + y^2 = ${round(1 + c / 4)}`,
            'constraint rocker: (u - 2)^2 + w^2 = 0.81', 'constraint rod: (x - u)^2 + (y - w)^2 = 1',
            'constraint drive: x*cos(t) - y*sin(t) = 0', 'start x = 0, y = 1, u = 1.2, w = 0.6', run(7)],
        () => [...one, `force x: -${k}*x^(-2)`, `start x = ${v}`, run(10 * v)],
        () => [...one, `force x: if(x > 0, -${k}, ${c})`, `force x: -${r.in(0.5, 2)}*x'`, 'start x = 1', run(40)],
    ])();
    const text = `${lines.join('\n')}\n`;
    return {
        text, names: [],
        examine(zwang, folder) {
            const run = run_command(zwang, folder, text, ['--every=1', '--max-steps=2000000'], 60);
            const detail = (run.said ?? '').split('\n').filter((line) => /error|trust/.test(line)).join(' | ');
            if (run.late || /E0704/.test(run.said)) return {outcome: 'endless', detail};
            return {outcome: run.status === 0 ? (run.trust === 'do not trust' ? 'flagged' : 'right') : 'refused', detail};
        },
    };
}

module.exports = {
    classes: [
        {name: 'tree_rank', portion: 1, make: tree},
        {name: 'ladder_rank', portion: 0.7, make: ladder},
        {name: 'chain_rank', portion: 0.3, make: chain},
        {name: 'ends', portion: 0.6, make: ends},
    ],
};
