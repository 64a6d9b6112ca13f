// Laws of contact and friction that the references do not try, against closed forms or equations by hand:
//
//   node contact_closed_forms.js ZWANG [WORD]
'use strict';
const {run_all} = require('./contact_bench.js');
const {extrapolate} = require('../oracle/held.js');

// ---------------------------------------------------------------------------- friction in space

// A block slides on a slope and turns downhill: by its speed and the angle of its way, v' = g sin a cos p - mu g cos a,
// v p' = -g sin a sin p, x along the slope downwards.
function slide_by_hand(a, mu, v, p, time) {
    const g = 9.81, f = (t, y) => [g * Math.sin(a) * Math.cos(y[1]) - mu * g * Math.cos(a), -g * Math.sin(a) * Math.sin(y[1]) / y[0],
        y[0] * Math.cos(y[1]), y[0] * Math.sin(y[1])];
    let y = [v, p, 0, 0];
    for (let k = 0; k < 200; k++) y = extrapolate(f, 0, y, time / 200).y;
    return {v: y[0], p: y[1], x: y[2], y: y[3]};
}
const SLOPE = (a, mu, along, until) => `coord x, y, z
kinetic (x'^2 + y'^2 + z'^2)/2
potential 9.81*(z*cos(${a}) - x*sin(${a}))
constraint plane: z >= 0
friction plane: ${mu} along [x', y']
start x' = ${along[0]}, y' = ${along[1]}
simulate t = 0..${until}, tol = 1e-11
`;

function curved_slide(bench) {
    for (const [a, mu, v, p, time] of [[0.4, 0.2, 2, 2, 1], [0.5, 0.5, 1, 1.5, 0.8], [0.3, 0.6, 2, 1.2, 0.4], [0.2, 0, 1, 2, 1]]) {
        const hand = slide_by_hand(a, mu, v, p, time), text = SLOPE(a, mu, [v * Math.cos(p), v * Math.sin(p)], time);
        const seen = bench.run(text, [time], ['x', 'y', "x'", "y'"]).at(time), what = `slope ${a}, mu ${mu}`;
        bench.near(`${what}: x`, seen.x, hand.x, 1e-9);
        bench.near(`${what}: y`, seen.y, hand.y, 1e-9);
        bench.near(`${what}: x'`, seen["x'"], hand.v * Math.cos(hand.p), 1e-9);
        bench.near(`${what}: y'`, seen["y'"], hand.v * Math.sin(hand.p), 1e-9);
    }
}

// Steep enough friction stops it, at a finite time: v = v0 (tan(p/2)/tan(p0/2))^k sin p0/sin p with k = mu/tan a, time and
// way are integrals over p.
function curved_stop(bench) {
    const a = 0.3, mu = 0.6, v0 = 2, p0 = 1.2, g = 9.81, k = mu / Math.tan(a), s = g * Math.sin(a);
    const v = (p) => v0 * (Math.tan(p / 2) / Math.tan(p0 / 2)) ** k * Math.sin(p0) / Math.sin(p);
    // dt = -v/(s sin p) dp; with p = p0 e^-u the integrand falls like e^-(k-1)u
    const f = (u) => { const p = p0 * Math.exp(-u), dt = v(p) * p / (s * Math.sin(p)); return [dt, dt * v(p) * Math.cos(p), dt * v(p) * Math.sin(p)]; };
    let y = [0, 0, 0];
    for (let i = 0; i < 400; i++) y = extrapolate((u) => f(u), i * 0.1, y, 0.1).y;
    const [time, x, side] = y, run = bench.run(SLOPE(a, mu, [v0 * Math.cos(p0), v0 * Math.sin(p0)], 2), [2], ['x', 'y', "x'", "y'", 'contact(plane)']);
    bench.near('x at rest', run.at(2).x, x, 1e-8);
    bench.near('y at rest', run.at(2).y, side, 1e-8);
    bench.hold(`it sticks: ${run.at(2)['contact(plane)']}`, run.at(2)['contact(plane)'] === 2 && run.at(2)["x'"] === 0 && run.at(2)["y'"] === 0);
    bench.near('when it stops', run.events.find((e) => e.kind === 'sticks')?.t ?? NaN, time, 1e-6);
}

// A block on a table is pulled by a force that turns and grows; it lets go when the force is mu m g, in its direction.
function break_away(bench) {
    const text = `coord x, y, z
kinetic (x'^2 + y'^2 + z'^2)/2
potential 9.81*z
force x: 2*t*cos(0.7)
force y: 2*t*sin(0.7)
constraint table: z >= 0
friction table: 0.3 along [x', y'], static = 0.4
simulate t = 0..3, tol = 1e-11
`;
    const free = 0.4 * 9.81 / 2, run = bench.run(text, [1.5, 3], ['x', 'y', "x'", "y'", 'friction(table)[1]', 'friction(table)[2]']);
    bench.near('friction while it sticks', run.at(1.5)['friction(table)[1]'], -3 * Math.cos(0.7), 1e-9);
    bench.near('when it slips', run.events.find((e) => e.kind === 'slips')?.t ?? NaN, free, 1e-9);
    const v = (3 ** 2 - free ** 2) - 0.3 * 9.81 * (3 - free), way = (27 - free ** 3) / 3 - free ** 2 * (3 - free) - 0.3 * 9.81 * (3 - free) ** 2 / 2;
    [['x', way * Math.cos(0.7)], ['y', way * Math.sin(0.7)], ["x'", v * Math.cos(0.7)], ["y'", v * Math.sin(0.7)]].forEach(([c, value]) => bench.near(c, run.at(3)[c], value, 1e-8));
}

// A ball thrown on a table skids until it rolls: 5/7 of its speed, after 2 v/(7 mu g).
function skid_to_roll(bench) {
    const text = `coord x, y, z, a, b                  # a, b: turns about y and about -x
kinetic (x'^2 + y'^2 + z'^2)/2 + 0.4*0.25*(a'^2 + b'^2)/2
potential 9.81*z
constraint table: z >= 0.5
friction table: 0.2 along [x' - 0.5*a', y' - 0.5*b']
start z = 0.5, x' = 3, y' = 4
simulate t = 0..2, tol = 1e-11
`;
    const run = bench.run(text, [0.2, 2], ['x', 'y', "x'", "y'", "a'", "b'"]), rolls = 2 * 5 / (7 * 0.2 * 9.81), way = 5 * rolls - 0.2 * 9.81 * rolls ** 2 / 2 + 5 / 7 * 5 * (2 - rolls);
    bench.near("x' when it rolls", run.at(2)["x'"], 5 / 7 * 3, 1e-9);
    bench.near("a' when it rolls", run.at(2)["a'"], 5 / 7 * 3 / 0.5, 1e-9);
    bench.near('x', run.at(2).x, way * 0.6, 1e-8);
    bench.near('y', run.at(2).y, way * 0.8, 1e-8);
    bench.near('when it rolls', run.events.find((e) => e.kind === 'sticks')?.t ?? NaN, rolls, 1e-7);
}

// ---------------------------------------------------------------------------- other kinds of inequalities

// A one-way clutch: b turns at least as fast as a. The torque on a is 2 cos t; while it drives, both go together.
function clutch(bench) {
    const text = `coord a, b
kinetic a'^2/2 + b'^2/2
force a: 2*cos(t)
constraint clutch: b' - a' >= 0
simulate t = 0..6, tol = 1e-11
`;
    // together: w = sin t up to pi/2 where the torque turns; then a' = 2 sin t - 1, b' = 1
    const run = bench.run(text, [1, 3, 6], ["a'", "b'", 'a', 'b', 'multiplier(clutch)']);
    bench.near("a' together", run.at(1)["a'"], Math.sin(1), 1e-9);
    bench.near("b' together", run.at(1)["b'"], Math.sin(1), 1e-9);
    bench.near('what the clutch carries', run.at(1)['multiplier(clutch)'], Math.cos(1), 1e-9);
    for (const t of [3, 6]) {
        bench.near(`a' at ${t}`, run.at(t)["a'"], 2 * Math.sin(t) - 1, 1e-9);
        bench.near(`b' at ${t}`, run.at(t)["b'"], 1, 1e-9);
    }
    bench.near('when it lets go', run.events.find((e) => e.kind === 'opens')?.t ?? NaN, Math.PI / 2, 1e-8);
    // at 5 pi/2 a has caught up, and at the same moment its torque turns: b is not driven again
    bench.near("b' at 9", bench.run(text.replace('0..6', '0..9'), [9], ["a'", "b'"]).at(9)["b'"], 1, 1e-8);
}

// An acceleration that may not exceed 2: a limit of a drive.
function limit_of_acceleration(bench) {
    const text = `coord x
kinetic x'^2/2
force x: 3*t
constraint limit: x'' <= 2
simulate t = 0..2, tol = 1e-11
`;
    const run = bench.run(text, [0.5, 1, 2], ['x', "x'", "x''", 'multiplier(limit)']), free = 2 / 3;
    bench.near("x'' free", run.at(0.5)["x''"], 1.5, 1e-10);
    bench.near("x'' limited", run.at(1)["x''"], 2, 1e-10);
    bench.near('what limits it', run.at(1)['multiplier(limit)'], 1, 1e-10);
    bench.near("x'", run.at(2)["x'"], 1.5 * free ** 2 + 2 * (2 - free), 1e-9);
}

// ---------------------------------------------------------------------------- impacts

// A superball (Garwin 1969): its point of contact comes back with -1 times its velocity, in both directions.
function superball(bench) {
    const text = `coord x, y, th
kinetic (x'^2 + y'^2)/2 + 0.4*th'^2/2
potential 9.81*y
constraint ground: y >= 1
restitution ground: 1, tangential = 1
friction ground: 100 along x' + th'
start y = 2, x' = 2, th' = 3
simulate t = 0..0.8, tol = 1e-11, impact = newton
`;
    const run = bench.run(text, [0.8], ["x'", "th'", 'kinetic', 'potential']), end = run.at(0.8), P = -2 * 5 / (1 + 1 / 0.4); // slip 5 before, -5 after
    bench.near("x'", end["x'"], 2 + P, 1e-9);
    bench.near("th'", end["th'"], 3 + P / 0.4, 1e-9);
    bench.near('energy', end.kinetic + end.potential, 2 + 0.2 * 9 + 9.81 * 2, 1e-8);
}

// Oblique blows of a disc with friction: it slips through the blow or grips, by both laws alike for one contact.
function disc_on_floor(bench) {
    for (const law of ['poisson', 'newton'])
        for (const [v, w, mu, e] of [[3, 0, 0.1, 0.6], [3, 0, 0.9, 0.6], [1, -8, 0.2, 0], [0.2, 0.1, 0.4, 0.9], [-2, 5, 0.15, 0.5]]) {
            const drop = 0.5, vy = Math.sqrt(2 * 9.81 * drop), time = vy / 9.81, text = `coord x, y, th
kinetic (x'^2 + y'^2)/2 + 0.5*th'^2/2
potential 9.81*y
constraint ground: y >= 1
restitution ground: ${e}
friction ground: ${mu} along x' + th'
start y = ${1 + drop}, x' = ${v}, th' = ${w}
simulate t = 0..${time + 0.01}, tol = 1e-11, impact = ${law}
`;
            // P_n = (1 + e) vy; grips if it can: m_t = 1/(1 + 1/0.5) of the slip
            const Pn = (1 + e) * vy, slip = v + w, grip = -slip / 3, once = Math.min(mu * Pn, Math.abs(grip)) * -Math.sign(slip);
            const run = bench.run(text, [time + 0.01], ["x'", "th'"]).at(time + 0.01), what = `${law}, v ${v}, w ${w}, mu ${mu}, e ${e}`;
            if (e === 0) continue; // it stays down and rubs on
            bench.near(`${what}: x'`, run["x'"], v + once, 1e-9);
            bench.near(`${what}: th'`, run["th'"], w + once / 0.5, 1e-9);
        }
}

// Friction that falls with the speed (Stribeck), and rolling resistance as a second friction of one contact.
function other_frictions(bench) {
    const stribeck = `coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint ground: y >= 0
friction ground: 0.2 + 0.1*exp(-abs(x')/0.5) along x'
start x' = 2
simulate t = 0..3, tol = 1e-11
`;
    const f = (t, y) => [y[1], -9.81 * (0.2 + 0.1 * Math.exp(-y[1] / 0.5))];
    let y = [0, 2], t = 0, h = 0.01;
    while (h > 1e-16) { // up to where it stops
        const next = extrapolate(f, t, y, h).y;
        if (next[1] < 0) h /= 2; else [t, y] = [t + h, next];
    }
    const run = bench.run(stribeck, [3], ['x', "x'", 'contact(ground)']);
    bench.near('x at rest', run.at(3).x, y[0], 1e-9);
    bench.hold('it sticks', run.at(3)['contact(ground)'] === 2 && run.at(3)["x'"] === 0);
    bench.near('when it stops', run.events.find((e) => e.kind === 'sticks')?.t ?? NaN, t, 1e-9);
    const wheel = `coord x, y, th                        # it rolls, and rolling costs 0.01 m times the load
kinetic (x'^2 + y'^2)/2 + 0.5*th'^2/2
potential 9.81*y
constraint ground: y >= 1
friction ground: 0.6 along x' + th'
friction ground: 0.01 along th'
start y = 1, x' = 1, th' = -1
simulate t = 0..20, tol = 1e-11
`;
    const slow = 0.01 * 9.81 / 1.5, rolled = bench.run(wheel, [5, 20], ['x', "x'", "th'"]);
    bench.near('rolling: x\' at 5', rolled.at(5)["x'"], 1 - slow * 5, 1e-9);
    bench.near('rolling: x at rest', rolled.at(20).x, 1 / (2 * slow), 1e-8);
    bench.hold('rolling: it stops', rolled.at(20)["x'"] === 0 && rolled.at(20)["th'"] === 0);
}

// A slider whose rail is pressed from one side and then from the other: what presses is |lambda|, and its kinks are
// places where steps end. With a force 4 cos 3t the speed is 5 - 0.4 (6 - sin 9) at t = 3.
function pressed_from_both_sides(bench) {
    const text = (force, tol, method) => `coord x, y
kinetic (x'^2 + y'^2)/2
force y: ${force}
constraint rail: y = 0
friction rail: 0.3 along x'
start x' = 5
simulate t = 0..3, tol = ${tol}, method = ${method}
`;
    for (const method of ['dop853', 'dopri5'])
        for (const tol of [1e-6, 1e-8, 1e-10, 1e-12])
            for (const [force, speed] of [['-3 + 2*t', 3.65], ['4*cos(3*t)', 5 - 0.4 * (6 - Math.sin(9))]]) {
                const seen = bench.run(text(force, tol, method), [3], ["x'"]).at(3);
                bench.near(`${force} by ${method}, tol ${tol}: x'`, seen["x'"], speed, 5 * tol);
            }
}

// Ground that is rougher from x = 1 on, and one that is oiled at t = 1: the change is a moment of its own, at every tolerance. The
// block stops where v^2 = 9 - 2*0.981 is used up by 0.5 g; the other one, held by 0.5 g, is let go by 0.1 g.
function other_ground(bench) {
    const text = (mu, rest, tol) => `coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint ground: y >= 0
friction ground: ${mu} along x'
${rest}
simulate t = 0..2, tol = ${tol}
`;
    for (const tol of [1e-6, 1e-9, 1e-12]) {
        const rough = bench.run(text('if(x > 1, 0.5, 0.1)', "start x' = 3", tol), [2], ['x']), left = 9 - 2 * 0.981;
        bench.near(`rougher, tol ${tol}: x at rest`, rough.at(2).x, 1 + left / 9.81, 5e-12);
        bench.near(`rougher, tol ${tol}: when it stops`, rough.events.find((e) => e.kind === 'sticks')?.t ?? NaN,
            (3 - Math.sqrt(left)) / 0.981 + Math.sqrt(left) / 4.905, 5e-12);
        const oiled = bench.run(text('if(t > 1, 0.1, 0.5)', 'force x: 3', tol), [1, 2], ['x']);
        bench.near(`oiled, tol ${tol}: held`, oiled.at(1).x, 0, 0);
        bench.near(`oiled, tol ${tol}: x`, oiled.at(2).x, (3 - 0.981) / 2, 5e-12);
        bench.near(`oiled, tol ${tol}: when it slips`, oiled.events.find((e) => e.kind === 'slips')?.t ?? NaN, 1, 1e-15);
    }
}

// A box slides over the edge of a table, its front corner first; it turns about the other one, which leaves the table in its
// turn, and flies: no force and no torque from there on, and what it has lost is what friction has taken.
function over_the_edge(bench) {
    for (const speed of [1.3, 1.6, 2.5]) {
        const text = `use planar
part box = Body(1, 0.0042, at = [-0.3, 0.05], v0 = [${speed}, 0], gravity = [0, -9.81])
part table = Ground()
part rear = Corner(box, corner_a = [-0.1, -0.05], mu = 0.2, on = table, at_b = [-0.5, 0], normal_b = [0, 1], width = 0.5)
part front = Corner(box, corner_a = [0.1, -0.05], mu = 0.2, on = table, at_b = [-0.5, 0], normal_b = [0, 1], width = 0.5)
simulate t = 0..1, tol = 1e-11
`;
        const run = bench.run(text, [0.6, 1], ['box.r[1]', 'box.r[2]', "box.r[1]'", "box.r[2]'", "box.th'", "box.th''"]);
        const first = (speed - Math.sqrt(speed ** 2 - 4 * 0.2 * 9.81 * 0.1)) / (0.2 * 9.81), a = run.at(0.6), b = run.at(1);
        const opens = run.events.filter((e) => e.kind === 'opens');
        bench.hold(`${speed}: both leave, front first: ${opens.map((e) => e.name)}`, opens.length === 2 && opens[0].name.startsWith('front'));
        bench.near(`${speed}: when the front leaves`, opens[0]?.t ?? NaN, first, 1e-10);
        bench.near(`${speed}: x in flight`, b['box.r[1]'], a['box.r[1]'] + 0.4 * a["box.r[1]'"], 1e-10);
        bench.near(`${speed}: y in flight`, b['box.r[2]'], a['box.r[2]'] + 0.4 * a["box.r[2]'"] - 9.81 * 0.08, 1e-10);
        bench.near(`${speed}: it goes on turning`, b["box.th'"], a["box.th'"], 1e-12);
    }
}

// A thousand and more blocks that have nothing to do with each other, every third with the next one at a rod: what slides in one place costs
// nothing in another, and stops at its own time. Each slows down by g (m1 mu1 + m2 mu2)/(m1 + m2) of what hangs together.
function many_sliders(bench) {
    const text = (count, until) => `param N = ${count}
coord x[N], y[N]
for i in 1..N {
    kinetic (1 + i/N)*(x[i]'^2 + y[i]'^2)/2
    potential (1 + i/N)*9.81*y[i]
    constraint ground[i]: y[i] >= 0
    friction ground[i]: 0.1 + 0.3*i/N along x[i]'
    start x[i]' = if(i - 3*floor(i/3) < 0.5, 2, 1)
}
for i in 1..N/3 { constraint rod[i]: x[3*i] - x[3*i - 1] = 0 }
simulate t = 0..${until}, tol = 1e-11
`;
    for (const [count, until] of [[3000, 0.05], [60, 3]]) {
        const names = [1, 2, 3, 4, 5, count / 2, count - 2, count - 1, count];
        const run = bench.run(text(count, until), [until], names.map((i) => `x[${i}]`)).at(until);
        const mass = (i) => 1 + i / count, mu = (i) => 0.1 + 0.3 * i / count;
        for (const i of names) {
            const both = i % 3 === 1 ? [i] : i % 3 === 2 ? [i, i + 1] : [i - 1, i];
            const whole = both.reduce((sum, k) => sum + mass(k), 0);
            const slow = 9.81 * both.reduce((sum, k) => sum + mass(k) * mu(k), 0) / whole;
            const v = both.reduce((sum, k) => sum + mass(k) * (k % 3 === 0 ? 2 : 1), 0) / whole;
            const t = Math.min(until, v / slow);
            bench.near(`${i} of ${count}: x`, run[`x[${i}]`], v * t - slow * t * t / 2, 1e-9);
        }
    }
}

// Two sliders at a lever, a x1 + b x2 = 0, that rest: one friction alone would hold them, so neither is known, and what rounding makes of
// speeds that are 0 must not be taken for motion. Pulled harder and harder they let go together, when b F1 - a F2 is
// what both rails can bear.
function held_by_two(bench) {
    for (const [a, b, pull] of [[-0.6, -0.9, 5.6666], [-0.6, -0.9, 31.7], [0.7, -0.3, 9.13], [1, 1, 40.2], [0.11, 0.93, 17.77]]) {
        const own = 1.23809, bears = Math.abs(b) * 0.667037 * 27.468 + Math.abs(a) * 0.506109 * 36.297;
        const drive = (t) => Math.abs(b * (0.0916848 + own * t) - a * (0.377921 + pull * t));
        const text = `coord x1, y1, x2, y2
kinetic 2.8/2*(x1'^2 + y1'^2) + 3.7/2*(x2'^2 + y2'^2)
force x1: 0.0916848 + ${own}*t
force y1: -27.468
force x2: 0.377921 + ${pull}*t
force y2: -36.297
constraint rail1: y1 = 0
friction rail1: 0.667037 along x1'
constraint rail2: y2 = 0
friction rail2: 0.506109 along x2'
constraint lever: ${a}*x1 + ${b}*x2 = 0
simulate t = 0..3, tol = 1e-10
`;
        let low = 0, high = 3;
        for (let k = 0; k < 60; k++) if (drive((low + high) / 2) < bears) low = (low + high) / 2; else high = (low + high) / 2;
        const events = bench.run(text, [3], ['x1', 'x2']).events, what = `lever ${a}, ${b}, pull ${pull}`;
        if (drive(3) < bears) bench.hold(`${what}: nothing happens: ${events.map((e) => `${e.name} ${e.kind} at ${e.t}`)}`, events.length === 0);
        else bench.near(`${what}: first moment`, events[0]?.t ?? NaN, high, 1e-9);
    }
}

run_all({
    held_by_two, many_sliders, other_ground, over_the_edge,
    pressed_from_both_sides, curved_slide, curved_stop, break_away, skid_to_roll, clutch, limit_of_acceleration, superball, disc_on_floor, other_frictions,
}, process.argv.slice(2));
