// Scales: the same kinds of motion with lengths from 1e-12 to 1e12, masses and times as far apart,
// alone or beside something heavy or light, joined to it or not. What is right at 1 is right there.
'use strict';
const {model_of, hold, times} = require('./build_model.js');
const {round} = require('./chance.js');

// Adds an oscillator on coordinate i: mass, frequency, amplitude.
function oscillator(T, m, r, i, {mass, w, amp, hard}) {
    m.kinetic.push(T.mul(0.5 * mass, T.square(T.v(i))));
    m.potential.push(T.mul(0.5 * mass * w * w, T.square(T.q(i))));
    if (hard) m.potential.push(T.mul(0.25 * mass * w * w / amp / amp, T.pow(T.q(i), 4)));
    m.start.q[i] = amp;
    if (r.yes(0.3)) m.start.v[i] = Number((amp * w * r.in(-1, 1)).toPrecision(6));
}

function one_scale(r) {
    return model_of(['x'], (T, m) => {
        const w = r.power(-6, 6), amp = r.power(-12, 12);
        oscillator(T, m, r, 0, {mass: r.power(-12, 12), w, amp, hard: r.yes(0.4)});
        if (r.yes(0.3)) m.forces.push([0, T.mul(-Number((m.kinetic[0].args[0].extra * 0.2 * w).toPrecision(6)), T.v(0))]);
        finish(m, r, w);
    });
}

// Beside another that is not joined to it, or by a weak spring.
function bystander(r) {
    return model_of(['x', 'y'], (T, m) => {
        const w = r.in(0.5, 5), amp = r.power(-9, 3), far = r.power(-6, 9), mass = r.in(0.5, 2), heavy = r.power(-3, 9);
        oscillator(T, m, r, 0, {mass, w, amp, hard: r.yes(0.3)});
        if (r.yes(0.7)) oscillator(T, m, r, 1, {mass: heavy, w: r.in(0.3, 3), amp: far, hard: false});
        else { // it only flies past
            m.kinetic.push(T.mul(0.5 * heavy, T.square(T.v(1))));
            m.start.v[1] = far;
        }
        finish(m, r, w);
    });
}

// A pendulum or a rod of two masses, in small or large units, with everything scaled alike.
function linkage(r) {
    const names = ['x', 'y', 'u', 'w'];
    const two = r.yes();
    return model_of(names.slice(0, two ? 4 : 2), (T, m) => {
        const L = r.power(-9, 9), g = Number((9.81 * r.power(-3, 3)).toPrecision(5)), mass = r.power(-9, 9), w = Math.sqrt(g / L);
        const angle = r.in(0.3, 2.5), turn = r.in(0.2, 1.5) * w, bend = r.in(-1, 1);
        const point = (i, p) => {
            m.kinetic.push(T.mul(0.5 * mass, T.add(T.square(T.v(i)), T.square(T.v(i + 1)))));
            m.potential.push(T.mul(mass * g, T.q(i + 1)));
            m.start.q[i] = p[0];
            m.start.q[i + 1] = p[1];
        };
        const a = [L * Math.sin(angle), -L * Math.cos(angle)], b = [a[0] + L * Math.sin(bend), a[1] - L * Math.cos(bend)];
        point(0, a);
        m.start.v[0] = turn * L * Math.cos(angle);
        m.start.v[1] = turn * L * Math.sin(angle);
        hold(T, m, 'rod', T.add(T.square(T.q(0)), T.square(T.q(1))));
        if (two) {
            point(2, b);
            [m.start.v[2], m.start.v[3]] = [m.start.v[0], m.start.v[1]];
            hold(T, m, 'arm', T.add(T.square(T.sub(T.q(2), T.q(0))), T.square(T.sub(T.q(3), T.q(1)))));
        }
        m.beside = [/^$/];
        finish(m, r, w, 1);
        m.apart = false;
        m.unit = L;
        m.full = r.yes();
    });
}

function finish(m, r, w, periods = 5) {
    m.until = round((periods * r.in(0.7, 1) * 2 * Math.PI) / w);
    m.tol = r.of([1e-6, 1e-8, 1e-9]);
    m.apart = true;
    m.at = times(0, m.until, 4);
    m.longest = 0.1 / w;
}

module.exports = {
    classes: [
        {name: 'scale', portion: 3, make: one_scale},
        {name: 'bystander', portion: 3, make: bystander},
        {name: 'scaled_linkage', portion: 2, make: linkage},
    ],
};
