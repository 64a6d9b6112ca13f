// Numbers with their first two derivatives by one variable, [value, first, second]: what an oracle of
// mechanisms with one degree of freedom needs.
'use strict';

const chain = (a, f, first, second) => [f, first * a[1], second * a[1] * a[1] + first * a[2]];

const jets = {
    number: (x) => [x, 0, 0],
    variable: (x) => [x, 1, 0],
    add: (...list) => list.reduce((a, b) => a.map((x, k) => x + b[k])),
    subtract: (a, b) => a.map((x, k) => x - b[k]),
    times: (factor, a) => a.map((x) => factor * x),
    multiply: (a, b) => [a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]],
    sin: (a) => chain(a, Math.sin(a[0]), Math.cos(a[0]), -Math.sin(a[0])),
    cos: (a) => chain(a, Math.cos(a[0]), -Math.sin(a[0]), -Math.cos(a[0])),
    sqrt(a) {
        const root = Math.sqrt(a[0]);
        return chain(a, root, 0.5 / root, -0.25 / (root * a[0]));
    },
    invert: (a) => chain(a, 1 / a[0], -1 / a[0] ** 2, 2 / a[0] ** 3),
    divide: (a, b) => jets.multiply(a, jets.invert(b)),
    angle(y, x) {
        const square = jets.add(jets.multiply(x, x), jets.multiply(y, y)), top = y[1] * x[0] - y[0] * x[1];
        return [Math.atan2(y[0], x[0]), top / square[0],
            (y[2] * x[0] - y[0] * x[2]) / square[0] - top * square[1] / square[0] ** 2];
    },
};

module.exports = jets;
