// Random mechanisms with one degree of freedom that lead through places at which their constraints
// depend on each other, each with its motion in closed form by one variable th: the branch is in the
// formula, smooth through the place. A mechanism has
//
//     coords, pos(th) -> jets, mass and weight [of each coordinate], rows [name, equation],
//     singular [values of th, every 2 pi], line (not every 2 pi), angles (coordinates are angles), torque
//
// A four-bar with a + d = b + c or d - a = b - c lies flat once a turn, a parallelogram twice; its area is
// then a product of sines and cosines of th/2 and a root that does not vanish.
'use strict';

const jets = require('./jets.js');

const {number, add, subtract, times, multiply, sin, cos, sqrt, divide, angle} = jets;
const minus = (a) => times(-1, a);
const written = (x) => (x < 0 ? `(${x})` : `${x}`);

// Pins A, B of a crank a, coupler b, rocker c over the ground d; flat.outer at th = pi, flat.inner at 0.
function pins(l, th, sign, flat) {
    const half = times(0.5, th), A = [times(l.a, cos(th)), times(l.a, sin(th))], root = 2 * Math.sqrt(l.a * l.d);
    const square = subtract(number(l.a ** 2 + l.d ** 2), times(2 * l.a * l.d, cos(th)));
    const outer = flat.outer ? times(root, cos(half)) : sqrt(subtract(number((l.b + l.c) ** 2), square));
    const inner = flat.inner ? times(root, sin(half)) : sqrt(subtract(square, number((l.b - l.c) ** 2)));
    const along = times(0.5, add(divide(number(l.b ** 2 - l.c ** 2), square), number(1)));
    const across = divide(times(0.5 * sign, multiply(outer, inner)), square);
    const way = [subtract(number(l.d), A[0]), minus(A[1])];
    return [A, [add(A[0], multiply(along, way[0]), minus(multiply(across, way[1]))),
        add(A[1], multiply(along, way[1]), multiply(across, way[0]))]];
}

// A kite, a = d and b = c: the crank pin meets the other foot at th = 0.
function kite_pins(l, th, sign) {
    const half = times(0.5, th), A = [times(l.a, cos(th)), times(l.a, sin(th))], apart = times(2 * l.a, sin(half));
    const up = times(sign, sqrt(subtract(number(l.b ** 2), times(0.25, multiply(apart, apart)))));
    return [A, [add(times(0.5, add(A[0], number(l.d))), minus(multiply(up, cos(half)))),
        add(times(0.5, A[1]), minus(multiply(up, sin(half))))]];
}

function by_points(random, l, at) {
    const m = [random.in(0.3, 3), random.in(0.3, 3)], g = random.of([0, 0, 9.81]), side = random.of([0, 1]);
    const weight = side ? [g * m[0], 0, g * m[1], 0] : [0, g * m[0], 0, g * m[1]];
    return {coords: ['x1', 'y1', 'x2', 'y2'], pos: (th) => at(th).flat(), mass: [m[0], m[0], m[1], m[1]], weight,
        rows: [['crank', `x1^2 + y1^2 = ${l.a}^2`], ['coupler', `(x2 - x1)^2 + (y2 - y1)^2 = ${l.b}^2`],
            ['rocker', `(x2 - ${l.d})^2 + y2^2 = ${l.c}^2`]]};
}

function by_angles(random, l, at) {
    const pos = (th) => {
        const [A, B] = at(th);
        return [th, angle(subtract(B[1], A[1]), subtract(B[0], A[0])), angle(B[1], subtract(B[0], number(l.d)))];
    };
    return {coords: ['p1', 'p2', 'p3'], pos, mass: [1, 2, 3].map(() => random.in(0.2, 2)), weight: [0, 0, 0], angles: true,
        torque: random.of([0, 0, random.in(-0.5, 0.5)]),
        rows: [['level', `${l.a}*cos(p1) + ${l.b}*cos(p2) - ${l.c}*cos(p3) = ${l.d}`],
            ['upright', `${l.a}*sin(p1) + ${l.b}*sin(p2) - ${l.c}*sin(p3) = 0`]]};
}

function four_bar(random, l, singular, at) {
    return {singular, ...(random() < 0.35 ? by_angles : by_points)(random, l, at)};
}

// Draws until the lengths fit.
function drawn(random, draw, fits) {
    for (;;) {
        const l = draw(random);
        if (fits(l)) return l;
    }
}

const KINDS = {
    parallelogram(random) {
        const l = drawn(random, (r) => ({a: r.in(0.4, 2), d: r.in(0.4, 2.5)}), (x) => Math.abs(x.a - x.d) > 0.1);
        const all = {...l, b: l.d, c: l.a}, sign = random.of([1, -1]);
        return four_bar(random, all, [0, Math.PI], (th) => pins(all, th, sign, {outer: true, inner: true}));
    },
    stretched(random) {
        const draw = (r) => {
            const [a, b, c] = [r.in(0.3, 1), r.in(0.5, 2), r.in(0.5, 2)];
            return {a, b, c, d: b + c - a};
        };
        const l = drawn(random, draw, (x) => x.d - x.a > Math.abs(x.b - x.c) + 0.15), sign = random.of([1, -1]);
        return four_bar(random, l, [Math.PI], (th) => pins(l, th, sign, {outer: true}));
    },
    folded(random) {
        const draw = (r) => {
            const [a, d, c] = [r.in(0.3, 1), r.in(0.6, 2), r.in(0.5, 2)];
            return {a, b: c + d - a, c, d};
        };
        const l = drawn(random, draw, (x) => x.d > x.a + 0.15 && x.b + x.c > x.a + x.d + 0.15), sign = random.of([1, -1]);
        return four_bar(random, l, [0], (th) => pins(l, th, sign, {inner: true}));
    },
    kite(random) {
        const a = random.in(0.4, 1), b = a + random.in(0.3, 1), l = {a, b, c: b, d: a}, sign = random.of([1, -1]);
        return four_bar(random, l, [0], (th) => kite_pins(l, th, sign));
    },
    slider(random) {
        const l = random.in(0.4, 2), [m, M] = [random.in(0.3, 3), random.in(0.3, 3)];
        return {coords: ['x', 'y', 's'], pos: (th) => [times(l, cos(th)), times(l, sin(th)), times(2 * l, cos(th))],
            mass: [m, m, M], weight: random.of([[0, 0, 0], [0, 9.81 * m, 0], [9.81 * m, 0, 9.81 * M]]),
            rows: [['crank', `x^2 + y^2 = ${l}^2`], ['rod', `(s - x)^2 + y^2 = ${l}^2`]],
            singular: [Math.PI / 2, 3 * Math.PI / 2]};
    },
    cylinders(random) {
        const [R, m, side] = [random.in(0.5, 2), random.in(0.3, 3), random.of([1, -1])];
        return {coords: ['x', 'y', 'z'], pos: (th) => [times(R, cos(th)), times(R, sin(th)), times(side * R, sin(th))],
            mass: [m, m, m], weight: random.of([[0, 0, 0], [0, 0, 9.81 * m], [9.81 * m, 0, 0]]),
            rows: [['one', `x^2 + y^2 = ${R}^2`], ['two', `x^2 + z^2 = ${R}^2`]], singular: [0, Math.PI]};
    },
    eight(random) {
        const [a, m] = [random.in(0.5, 2), random.in(0.3, 3)];
        const pos = (th) => {
            const x = times(a, divide(cos(th), add(number(1), multiply(sin(th), sin(th)))));
            return [x, multiply(x, sin(th))];
        };
        return {coords: ['x', 'y'], pos, mass: [m, m], weight: random.of([[0, 0], [0, 9.81 * m], [9.81 * m, 0]]),
            rows: [['loop', `(x^2 + y^2)^2 = ${a}^2*(x^2 - y^2)`]], singular: [Math.PI / 2, 3 * Math.PI / 2]};
    },
    crossing(random) {
        const [p, m] = [random.in(-1, 1), random.in(0.3, 3)], s = p + random.of([-1, 1]) * random.in(0.5, 2);
        return {coords: ['x', 'y'], pos: (th) => [th, times(p, th)], mass: [m, m], weight: random.of([[0, 0], [0, 3 * m]]),
            rows: [['lines', `(y - ${written(p)}*x)*(y - ${written(s)}*x) = 0`]], singular: [0], line: true};
    },
    cranks(random) {
        const [n, a, m, g] = [random.of([3, 4]), random.in(0.4, 1.2), random.in(0.5, 2), random.of([0, 9.81])];
        const d = a + random.in(0.2, 1), all = [...Array(n).keys()], names = all.map((i) => [`x${i}`, `y${i}`]);
        const rods = all.slice(1).map((i) => [`rod${i}`, `(x${i} - x${i - 1})^2 + (y${i} - y${i - 1})^2 = ${d}^2`]);
        return {coords: names.flat(), mass: all.flatMap((i) => [m * (1 + i / 2), m * (1 + i / 2)]),
            weight: all.flatMap((i) => [0, g * m * (1 + i / 2)]), singular: [0, Math.PI],
            pos: (th) => all.flatMap((i) => [add(number(i * d), times(a, cos(th))), times(a, sin(th))]),
            rows: [...all.map((i) => [`crank${i}`, `(x${i} - ${i * d})^2 + y${i}^2 = ${a}^2`]), ...rods]};
    },
};

module.exports = {KINDS, written};
