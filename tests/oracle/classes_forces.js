// Forces: multipliers that redundancy leaves open, and friction that changes its own normal reaction.
'use strict';
const {model_of, hold, fit_velocities} = require('./build_model.js');
const {run_command} = require('./subject.js');
const {first_wrong, outcome} = require('./judge.js');
const {Motion} = require('./held.js');
const {Principle} = require('./principle.js');
const {shape, NAMES} = require('./classes_smooth.js');
const {round} = require('./chance.js');

// A body held by rows of which some depend on each other. The column of a multiplier that is not the
// only one possible has to be told by the verdict; one that is must not be.
function not_unique(r) {
    const n = r.whole(2, 4);
    let open = [];
    const model = model_of(NAMES.slice(0, n), (T, m) => {
        Object.assign(m, {until: r.in(0.3, 1), tol: 1e-8});
        m.names.forEach((_, i) => {
            m.kinetic.push(T.mul(r.in(0.5, 2), 0.5, T.square(T.v(i))));
            m.potential.push(T.mul(r.either(1, 5), T.q(i)));
            m.start.q[i] = r.either(0.3, 1);
        });
        const one = shape(T, r, n, false), two = shape(T, r, n, false);
        hold(T, m, 'a', one);
        if (n > 2) hold(T, m, 'b', two);
        const depends = r.yes(0.75);
        if (depends)
            hold(T, m, 'c', r.of([
                T.mul(r.either(0.5, 2), one), T.sin(T.mul(0.4, one)),
                n > 2 ? T.add(one, T.mul(r.either(0.5, 2), two)) : T.mul(3, one)
            ]));
        if (!fit_velocities(T, m)) m.bad = true;
        m.watched = r.of(m.rows).name;
    });
    if (model.bad) return null;
    const row = new Motion(model, {tol: 1e-8}).row(), k = model.rows.findIndex((c) => c.name === model.watched);
    const {null_rows} = new Principle(model).solve(0, model.start.q, model.start.v, []);
    if (row.rank < model.rows.length - 1 || (row.rank === model.rows.length && row.smallest < 0.02)) return null;
    open = null_rows.some((y) => Math.abs(y[k]) > 1e-6);
    if (null_rows.some((y) => Math.abs(y[k]) > 1e-12 && Math.abs(y[k]) < 1e-3)) return null;
    model.examine = (zwang, folder, text) => examine_unique(model, open, k, zwang, folder, text);
    return model;
}

function examine_unique(model, open, k, zwang, folder, text) {
    const name = `multiplier(${model.watched})`;
    const run =
        run_command(zwang, folder, text, ['--at', model.at.join(','), '--columns', `${model.names.join(', ')}, ${name}`], 20);
    if (run.late || run.status !== 0) return {outcome: outcome(model, run, null), detail: run.said};
    const told = /unique|share/.test(run.reason ?? '');
    const columns = model.names.map((c, i) => ({name: c, kind: 'q', of: (row) => row.q[i]}));
    if (!open) columns.push({name, kind: 'm', of: (row) => row.lambda[k]});
    const wrong = first_wrong(model, columns, new Motion(model, {tol: 1e-12}).rows(), run.rows, model.tol, null);
    const detail = `${name} is ${open ? 'not ' : ''}unique; ${wrong?.text ?? 'right'}; trust ${run.trust}${
        run.reason ? `: ${run.reason}` : ''}`;
    // a row that says nothing has no multiplier: it is dropped, which is said, and nothing is printed
    const dropped = !run.rows.columns.includes(name) && run.said.includes(`'${model.watched}' says nothing`);
    if (dropped && open && !wrong) return {outcome: 'right', detail};
    if (open) return {outcome: told ? 'right' : 'unearned', detail};
    return {outcome: told ? 'alarm' : outcome(model, run, wrong), detail};
}

// Bodies held more often than needed: which reactions are not unique is known by statics.
function held_twice(r) {
    const g = r.in(1, 10), a = r.in(0.2, 1), m = r.in(0.5, 3);
    const [lines, column, open] = r.of([
        // a door on two hinges in one line: forces and torques are shared
        () => [[
            'use rigid', 'part ground = Ground()',
            `part b = Body(m = ${m}, J = diagonal(0.1, 0.1, 0.2), at = [0.4, 0, 0], gravity = [0, 0, ${- g}])`,
            `part h1 = Hinge(ground, b, at = [0, 0, ${a}], axis = [0, 0, 1])`,
            `part h2 = Hinge(ground, b, at = [0, 0, ${- a}], axis = [0, 0, 1])`
        ],
            r.of(['h1.F[3]', 'h2.F[1]', 'h1.T[1]']), true],
        () => [[
            'use rigid', 'part ground = Ground()',
            `part b = Body(m = ${m}, J = diagonal(0.1, 0.1, 0.2), at = [0.4, 0, 0], gravity = [0, 0, ${- g}])`,
            `part h1 = Hinge(ground, b, at = [0, 0, ${a}], axis = [0, 0, 1])`
        ],
            r.of(['h1.F[3]', 'h1.T[1]']), false],
        // two ball joints: along the line between them the force is shared, across it is not
        () => [[
            'use rigid', 'part ground = Ground()',
            `part b = Body(m = ${m}, J = diagonal(0.1, 0.15, 0.2), at = [0.4, 0, 0], gravity = [0, 0, ${- g}])`,
            `part h1 = Ball(ground, b, at = [0, 0, ${a}])`, `part h2 = Ball(ground, b, at = [0, 0, ${- a}])`
        ],
            ...r.of([['h1.F[3]', true], ['h1.F[1]', false]])],
        // a beam on two hinges in the plane: along it the force is shared, across it is not
        () => [[
            'use planar', 'part ground = Ground()', `part b = Bar(${m}, from = [0, 0], to = [1, 0], gravity = [0, ${- g}])`,
            'part h1 = Hinge(ground, b)', 'part h2 = Hinge(ground, b, at = [1, 0])'
        ],
            ...r.of([['h1.F[1]', true], ['h2.F[2]', false]])],
        // a block welded and on a rail
        () => [[
            'use planar', 'part ground = Ground()', `part b = Body(m = ${m}, J = 0.1, gravity = [0, ${- g}])`,
            'part h1 = Slider(ground, b, axis = [1, 0])', 'part h2 = Fixed(ground, b)'
        ],
            ...r.of([['h1.F[2]', true], ['h2.F[1]', false]])],
        // a table on three and on four legs
        () => [[
            'coord z, u, w', `kinetic ${m}/2*z'^2 + 0.05*u'^2 + 0.07*w'^2`, `potential ${g}*z`,
            ...[[1, 1], [1, -1], [-1, 1], [-1, -1]].map(([x, y], k) => `constraint leg${k}: z + ${x}*u + ${round(y * a)}*w = 0`)
        ],
            `multiplier(leg${r.whole(0, 3)})`, true],
    ])();
    const text = `${lines.join('\n')}\nsimulate t = 0..0.2, tol = 1e-8\n`;
    return {
        text, names: [],
        examine(zwang, folder) {
            const run = run_command(zwang, folder, text, ['--every', '0.1', '--columns', column], 20);
            if (run.late || run.status !== 0) return {outcome: outcome({}, run, null), detail: run.said};
            const told = /unique|share/.test(run.reason ?? ''),
                  detail = `${column} is ${open ? 'not ' : ''}unique; trust ${run.trust}: ${run.reason}`;
            return {outcome: told === open ? 'right' : open ? 'unearned' : 'alarm', detail};
        },
    };
}

// Coulomb friction along one row of a mechanism: F = -mu |N| sign(speed), N the row's multiplier with
// the friction in it. The oracle solves for F; with N from the ideal reaction F is off wherever the
// friction changes N, and then the verdict has to say so.
function friction(r) {
    const way = r.whole(0, 2), mu = r.in(0.1, 0.5);
    return model_of(['x', 'y'], (T, m) => {
        const [x, y] = [T.q(0), T.q(1)], mass = [r.in(0.5, 2), r.in(0.5, 2)], g = 9.81, angle = r.in(0.3, 1.2);
        Object.assign(m, {until: 0.02, tol: 1e-9, at: [0, 0.01, 0.02]});
        m.kinetic.push(T.mul(0.5 * mass[0], T.square(T.v(0))), T.mul(0.5 * mass[1], T.square(T.v(1))));
        if (way === 0) { // trammel: x and y slide at right angles, joined by a rod; the x guide rubs
            m.potential.push(T.mul(mass[1] * g, y));
            m.start.q = [Math.cos(angle), Math.sin(angle)];
            hold(T, m, 'rod', T.add(T.square(x), T.square(y)));
        } else if (way === 1) { // a block on a table: the friction does not change N
            m.potential.push(T.mul(mass[1] * g, y));
            m.kinetic[0] = T.mul(0.5 * mass[1], T.square(T.v(0)));
            hold(T, m, 'rod', y);
            m.forces.push([0, T.num(r.either(0.5, 2))]);
        } else { // a bead on a bent wire that presses by its speed and weight
            m.potential.push(T.mul(mass[1] * g, y));
            m.kinetic = [T.mul(0.5 * mass[1], T.add(T.square(T.v(0)), T.square(T.v(1))))];
            m.start.q = [r.in(0.2, 1), 0];
            m.start.q[1] = m.start.q[0] ** 2 / 2;
            hold(T, m, 'rod', T.sub(y, T.mul(0.5, T.square(x))));
        }
        m.start.v[0] = r.either(0.5, 2);
        fit_velocities(T, m);
        add_friction(T, m, way, mu);
    });
}

// The text of the friction, and the oracle's answer with the friction solved for.
function add_friction(T, m, way, mu) {
    // N and the directions of friction: the trammel's guide of x is pressed by the rod's pull in y,
    // through a slider without mass across it: N = reaction of the rod on x's guide = lambda 2 y
    const normal = ['abs(multiplier(rod)*2*y)', 'abs(multiplier(rod))', 'abs(multiplier(rod))*hypot(x, 1)'][way];
    const N = [(l, q) => Math.abs(2 * l * q[1]), (l) => Math.abs(l), (l, q) => Math.abs(l) * Math.hypot(q[0], 1)][way];
    m.lines =
        way === 2 ? [`nonideal at [x, y]: -${mu}*${normal}*[x', y']/hypot(x', y')`] : [`nonideal x: -${mu}*${normal}*sign(x')`];
    m.answer = ({tol, change = null}) => {
        const motion = new Motion(m, {tol, change}), plain = motion.principle;
        const ideal = plain.solve.bind(plain);
        plain.solve = (t, q, v, S) => {
            const e = plain.matrices(t, q, v, S), Q = e.Q.slice();
            const d = way === 2 ? v.map((x) => -x / Math.hypot(...v)) : [-Math.sign(v[0]), 0];
            let F = mu * N(ideal(t, q, v, S).lambda[0], q), out;
            for (let k = 0; k < 200; k++) { // F = mu N(F): N is bent and nearly linear in F
                out = plain.answer({...e, Q: Q.map((x, i) => x + F * d[i])});
                const next = mu * N(out.lambda[0], q);
                if (Math.abs(next - F) <= 1e-15 * Math.abs(F)) break;
                F = k % 3 === 2 ? (F + next) / 2 : next;
            }
            return out;
        };
        return motion.rows();
    };
    m.columns = [...m.names.map((c, i) => ({name: c, kind: 'q', of: (row) => row.q[i]})),
        ...m.names.map((c, i) => ({name: `${c}'`, kind: 'v', of: (row) => row.v[i]})),
        ...m.names.map((c, i) => ({name: `${c}''`, kind: 'a', of: (row) => row.a[i]}))];
}

module.exports = {
    classes: [
        {name: 'not_unique', portion: 2, make: not_unique},
        {name: 'held_twice', portion: 0.7, make: held_twice},
        {name: 'friction', portion: 2, make: friction},
    ],
};
