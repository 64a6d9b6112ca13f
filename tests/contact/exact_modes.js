// Accelerations and contact forces of one instant with Coulomb friction in the plane, by trying every
// mode (which contacts are open, touch, stick or slide) in exact arithmetic.
//
//     M z = Q + A^T lambda + sum (n^T N + T^T tau),    A z = b,    n z >= b_n, N >= 0, one of them 0
//
// A system is {M, Q, equal: [{a, b}], live: [{n, bn, T, bt, mu, still, slip, joint}]} of fixed-point
// numbers. Q, b, bn, bt are pairs [c0, c1]: c0 + c1 h a little later, so that every condition can be
// judged for small h > 0, and modes at the moment of an event need no rule of their own. Left out,
// b, bn and bt are 0. T is null without friction; mu, still: its coefficients while sliding and at
// rest; slip is the sign of T v. A joint is an equation that rubs: N of any sign, pressure |N|.
//
// Where rows of a mode depend on each other it holds as long as some share of the force satisfies
// all conditions: the shares are eliminated (Fourier and Motzkin).
'use strict';
const {ONE, TINY, times, over, size, is_zero, sign, dot, solve, divide, sign_after} = require('./fixed_point.js');

class Beyond extends Error {} // more than this oracle can try, or a motion that depends on shares

const NONE = [0n, 0n];

// What a contact can do.
function choices(c) {
    const slides = c.slip ? [c.slip] : [1, -1];
    const one = !c.T ? [{state: 'touch'}] : [...(c.slip ? [] : [{state: 'stick'}]), ...slides.map((d) => ({state: 'slide', d}))];
    if (!c.joint) return [...one.map((o) => ({...o, side: 1})), {state: 'open'}];
    return c.T ? [1, -1].flatMap((side) => one.map((o) => ({...o, side}))) : one.map((o) => ({...o, side: 1}));
}

function combinations(lists) {
    return lists.reduce((all, list) => all.flatMap((one) => list.map((o) => [...one, o])), [[]]);
}

// G = R M^-1 R^T of all rows, what they accelerate by without forces of contact, and M^-1 R^T.
function contact_space(s) {
    const rows = [...s.equal.map((e) => e.a), ...s.live.flatMap((c) => (c.T ? [c.n, c.T] : [c.n]))];
    const bias = [...s.equal.map((e) => e.b ?? NONE), ...s.live.flatMap((c) => [c.bn ?? NONE, ...(c.T ? [c.bt ?? NONE] : [])])];
    const [free0, free1, ...by] = divide(s.M, [s.Q[0], s.Q[1], ...rows]), free = [free0, free1];
    let at = s.equal.length;
    const place = s.live.map((c) => { const p = {n: at, t: c.T ? at + 1 : -1}; at += c.T ? 2 : 1; return p; });
    const G = rows.map((row) => by.map((column) => dot(row, column)));
    return {rows, by, free, place, G, w: rows.map((row, i) => free.map((a, k) => dot(row, a) - bias[i][k]))};
}

// Forces of a mode: unknowns are those of equations, N of what touches, tau of what sticks. `spread`
// turns unknowns into forces of all rows.
function equations(s, space, mode) {
    const columns = s.equal.map((_, i) => [[i, ONE]]), rows = s.equal.map((_, i) => i);
    mode.forEach((o, i) => {
        if (o.state === 'open') return;
        const {n, t} = space.place[i];
        columns.push(o.state === 'slide' ? [[n, ONE], [t, -s.live[i].mu * BigInt(o.d * o.side)]] : [[n, ONE]]);
        rows.push(n);
        if (o.state === 'stick') { columns.push([[t, ONE]]); rows.push(t); }
    });
    const spread = (y) => {
        const x = new Array(space.rows.length).fill(0n);
        columns.forEach((list, k) => list.forEach(([r, f]) => { x[r] += times(f, y[k]); }));
        return x;
    };
    const K = rows.map((r) => columns.map((list) => list.reduce((sum, [c, f]) => sum + times(f, space.G[r][c]), 0n)));
    return {K, right: [0, 1].map((k) => rows.map((r) => -space.w[r][k])), spread};
}

// What a mode must satisfy, as functions of (forces of all rows, which of 1, h: for the free part).
function conditions(s, space, mode) {
    const acceleration = (r) => (x, k) => dot(space.G[r], x) + (k < 2 ? space.w[r][k] : 0n), force = (r) => (x) => x[r];
    return mode.flatMap((o, i) => {
        const {n, t} = space.place[i], c = s.live[i], N = (x) => x[n] * BigInt(o.side ?? 1);
        if (o.state === 'open') return [acceleration(n)];
        const pressed = c.joint && !c.T ? [] : [N], u = acceleration(t);
        if (o.state === 'slide') return c.slip ? pressed : [...pressed, (x, k) => u(x, k) * BigInt(o.d)];
        if (o.state !== 'stick') return pressed;
        return [...pressed, ...[1n, -1n].map((d) => (x) => times(c.still, N(x)) - d * force(t)(x))];
    });
}

// The conditions v . (1, h, c...) >= 0 without the shares c.
function eliminate_shares(list) {
    let all = list;
    for (let k = (list[0]?.length ?? 2) - 1; k >= 2; k--) {
        const up = all.filter((v) => sign(v[k]) > 0), down = all.filter((v) => sign(v[k]) < 0);
        const rest = all.filter((v) => sign(v[k]) === 0).map((v) => v.slice(0, k));
        if (up.length * down.length > 4000) throw new Beyond('too many shares');
        for (const p of up)
            for (const m of down) rest.push(p.slice(0, k).map((x, j) => times(x, -m[k]) + times(m[j], p[k])));
        all = rest.map(normalised).filter((v) => v);
    }
    return all;
}
function normalised(v) {
    const most = v.reduce((m, x) => (size(x) > m ? size(x) : m), 0n);
    return most <= TINY ? null : v.map((x) => over(x, most));
}

// What comes of a mode: null where it cannot be, else accelerations, forces and for how long it can be.
function try_mode(s, space, mode) {
    const {K, right, spread} = equations(s, space, mode);
    const found = K.length ? solve(K, right) : {x: [[], []], free: []};
    if (!found) return null;
    const forces = [...found.x, ...found.free].map(spread);
    const asked = conditions(s, space, mode).map((f) => forces.map(f));
    const bounds = eliminate_shares(asked);
    if (bounds.some((v) => sign_after(v.slice(0, 2)) < 0)) return null;
    const push = (x) => s.Q[0].map((_, j) => space.by.reduce((sum, column, r) => sum + times(column[j], x[r]), 0n));
    const shared = forces.slice(2);
    if (shared.some((x) => push(x).some((a) => !is_zero(a)))) throw new Beyond('the motion depends on shares');
    return {
        mode, bounds, z: [0, 1].map((k) => push(forces[k]).map((a, j) => a + space.free[k][j])),
        force: [0, 1].map((k) => forces[k]),
        unique: space.rows.map((_, r) => shared.every((x) => is_zero(x[r]))),
    };
}

const same = (a, b) => a.z.every((z, k) => z.every((x, j) => is_zero(x - b.z[k][j])));

// Whether two modes of the same motion have other forces all the same, each of them sure of its own: joints whose friction
// presses them, or not.
const torn = (a, b) => a.unique.some((u, r) => u && b.unique[r] && a.force.some((x, k) => !is_zero(x[r] - b.force[k][r])));

// All motions that are possible: one of the modes of each, the first in the order of `choices`: what sticks goes first.
function find_modes(s, most = 1024) {
    const lists = s.live.map(choices), count = lists.reduce((p, l) => p * l.length, 1);
    if (count > most) throw new Beyond(`${count} modes`);
    const space = contact_space(s), found = [];
    for (const mode of combinations(lists)) {
        const one = try_mode(s, space, mode);
        const twin = one && found.find((other) => same(one, other));
        if (twin && torn(one, twin)) throw new Beyond('one motion with several forces');
        if (one && !twin) found.push(one);
    }
    return found;
}

// The motion by the rule: what can stick does. Of several, the one whose sticking contacts include those
// of all others; null where none does.
function by_rule(found) {
    const sticks = (one) => new Set(one.mode.flatMap((o, i) => (o.state === 'stick' ? [i] : [])));
    const least = found.filter((one) => found.every((other) => [...sticks(other)].every((i) => sticks(one).has(i))));
    return least.length === 1 ? least[0] : null;
}

// Where the forces of contact i stand among those of a mode.
function force_of(s, found, i) {
    let r = s.equal.length;
    for (let k = 0; k < i; k++) r += s.live[k].T ? 2 : 1;
    const pair = (k) => [found.force[0][k], found.force[1][k]], T = s.live[i].T;
    return {N: pair(r), tau: T ? pair(r + 1) : NONE, unique: found.unique[r] && (!T || found.unique[r + 1]), N_unique: found.unique[r]};
}

module.exports = {find_modes, by_rule, force_of, combinations, eliminate_shares, Beyond};
