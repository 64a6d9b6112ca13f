// The motion of blocks that do not turn, exactly: masses are constant, forces are c0 + c1 t, gaps and
// slips are linear in places and velocities, so that between events everything is a polynomial in time,
// and an event is a root of one of degree 3 at most.
//
// A world is {names, mass, force: [[c0, c1]], contacts, start: {q, v}, until, law, rule} of decimal
// numbers; a contact is {name, row, c, w, e, friction: {row, belt, mu, still}, joint}:
//     gap  row . q + c + w t >= 0 (a joint: = 0),    slip  friction.row . v - belt
// with rows {index of a coordinate: number}. Bounces end when they are slower than 1e-16; what that
// leaves out is of the order of its square.
'use strict';
const {fixed, number, times, is_zero, sign, dot, turns_negative, value_at} = require('./fixed_point.js');
const {find_modes, by_rule, force_of, Beyond} = require('./exact_modes.js');
const {impact} = require('./exact_impacts.js');

const REST = fixed('1e-16'), SLOW = 1e-3;

// Neither a motion nor two: what is paradoxical, and when.
class Paradox extends Error {
    constructor(t, count) { super(`${count} motions at t = ${t}`); Object.assign(this, {t, count}); }
}

class Blocks {
    constructor(world, shift = {}) {
        const n = world.names.length, row = (r) => [...Array(n).keys()].map((j) => fixed(r[j] ?? 0));
        Object.assign(this, {world, n, t: 0n, segments: [], events: [], until: fixed(world.until)});
        this.M = world.mass.map((m, i) => world.mass.map((_, j) => (i === j ? fixed(m) : 0n)));
        this.force = world.force.map((f, i) => [fixed(f[0]) + fixed(shift.force?.[i] ?? 0), fixed(f[1])]);
        this.contacts = world.contacts.map((c) => ({
            name: c.name, n: row(c.row), c: fixed(c.c ?? 0), w: fixed(c.w ?? 0), e: fixed(c.e ?? 0), joint: !!c.joint,
            T: c.friction ? row(c.friction.row) : null, belt: fixed(c.friction?.belt ?? 0), mu: fixed(c.friction?.mu ?? 0),
            still: fixed(Math.max(c.friction?.still ?? 0, c.friction?.mu ?? 0)), state: null,
        }));
        this.q = world.start.q.map((x, i) => fixed(x) + fixed(shift.q?.[i] ?? 0));
        this.v = world.start.v.map((x, i) => fixed(x) + fixed(shift.v?.[i] ?? 0));
        this.lost = 0n; // in impacts
    }

    gap(c) { return dot(c.n, this.q) + c.c + times(c.w, this.t); }
    rate(c) { return dot(c.n, this.v) + c.w; }
    slip(c) { return dot(c.T, this.v) - c.belt; }
    touching() { return this.contacts.filter((c) => c.joint || sign(this.gap(c)) <= 0); }

    // What approaches is stopped or thrown back.
    strike() {
        const touch = this.touching().filter((c) => !c.joint);
        if (!touch.some((c) => sign(this.rate(c)) < 0)) return;
        const joints = this.contacts.filter((c) => c.joint);
        if (joints.some((c) => c.T)) throw new Beyond('an impact with friction in a joint');
        const all = touch.map((c) => ({n: c.n, rate: this.rate(c), e: c.e, T: c.mu > 0n ? c.T : null, mu: c.mu, slip: c.T ? this.slip(c) : 0n}));
        const blow = {M: this.M, v: this.v, equal: joints.map((c) => ({a: c.n})), all};
        const out = impact(blow, {law: this.world.law, rule: this.world.rule, rest: REST});
        const approach = touch.map((c) => -number(this.rate(c)));
        this.v = out.v;
        this.lost += out.lost;
        touch.forEach((c, i) => {
            const open = !out.unique[i] && approach[i] < SLOW;
            if (is_zero(out.impulses[i]) && out.unique[i]) return;
            c.left = Math.abs(number(this.rate(c)));
            this.events.push({t: number(this.t), name: c.name, kind: 'impact', impulse: number(out.impulses[i]), approach: approach[i], open});
        });
    }

    // The mode from now on; live are the contacts with gap and rate 0.
    choose() {
        const live = this.touching().filter((c) => c.joint || is_zero(this.rate(c)));
        const Q = [this.force.map((f) => f[0] + times(f[1], this.t)), this.force.map((f) => f[1])];
        const system = {M: this.M, Q, equal: [], live: live.map((c) => ({
            n: c.n, T: c.mu > 0n || c.still > 0n ? c.T : null, mu: c.mu, still: c.still, joint: c.joint, slip: c.T ? sign(this.slip(c)) : 0,
        }))};
        const found = find_modes(system), one = by_rule(found);
        if (found.length !== 1 && !(one && live.some((c) => c.still > c.mu))) throw new Paradox(number(this.t), found.length);
        const forces = live.map((_, i) => force_of(system, one, i));
        return {live, one, forces};
    }

    // Polynomials of a coefficient row from now on, with a constant in front.
    polynomial(row, z, c0, c1) {
        return [dot(row, this.q) + c0, dot(row, this.v) + c1, dot(row, z[0]) / 2n, dot(row, z[1]) / 6n];
    }

    // Tells how a contact goes on, if that is an event.
    note(c, o) {
        const kinds = {'stick slide': 'slips', 'slide stick': 'sticks', 'touch open': 'opens', 'stick open': 'opens', 'slide open': 'opens'};
        const kind = c.state === 'slide' && o.state === 'slide' && o.d !== c.d ? 'turns' : kinds[`${c.state} ${o.state}`];
        if (kind) this.events.push({t: number(this.t), name: c.name, kind});
        c.state = o.state;
        c.d = o.d;
    }

    // One piece of the motion, up to the next event.
    advance() {
        this.strike();
        const {live, one, forces} = this.choose(), left = this.until - this.t;
        const watched = [...one.bounds.map((b) => b.slice(0, 2))];
        this.contacts.forEach((c) => {
            const i = live.indexOf(c), o = i < 0 ? {state: 'open'} : one.mode[i];
            this.note(c, o);
            if (o.state === 'open') watched.push(this.polynomial(c.n, one.z, c.c + times(c.w, this.t), c.w));
            if (o.state === 'slide') {
                const [, s0, s1, s2] = this.polynomial(c.T, one.z, 0n, -c.belt), d = BigInt(o.d);
                watched.push([s0 * d, 2n * s1 * d, 3n * s2 * d]);
            }
        });
        const hits = watched.map((p) => turns_negative(p, left)).filter((h) => h !== null);
        const h = hits.reduce((a, b) => (b < a ? b : a), left);
        this.segments.push({t: this.t, h, q: this.q, v: this.v, z: one.z, live, one, forces, states: this.contacts.map((c) => c.state),
            bouncing: this.contacts.some((c) => c.state === 'open' && c.left < SLOW && c.left > 0)});
        this.v = this.v.map((x, j) => value_at([x, one.z[0][j], one.z[1][j] / 2n], h));
        this.q = this.q.map((x, j) => value_at([x, this.segments.at(-1).v[j], one.z[0][j] / 2n, one.z[1][j] / 6n], h));
        this.t += h;
    }

    run(most = 2000) {
        while (this.t < this.until) {
            if (this.segments.length > most) throw new Beyond('too many events');
            this.advance();
        }
        return this;
    }

    // The state at a time that is no event, as numbers; NaN: not unique.
    row(time) {
        const t = fixed(time), s = this.segments.find((x) => t <= x.t + x.h) ?? this.segments.at(-1), h = t - s.t;
        const line = (p) => number(value_at(p, h));
        const contacts = this.contacts.map((c, k) => {
            const i = s.live.indexOf(c), f = i < 0 ? null : s.forces[i], state = s.states[k];
            if (!f || state === 'open') return {state: 0, N: 0, tau: 0};
            const N = line(f.N), tau = line(f.tau);
            const sure = !f.unique ? false : state === 'touch' ? Math.abs(N) > 1e-6 : state === 'slide' || number(c.still) * Math.abs(N) - Math.abs(tau) > 1e-6;
            return {state: sure ? (state === 'stick' ? 2 : 1) : NaN, N: f.N_unique ? N : NaN, tau: f.unique ? tau : NaN};
        });
        return {
            t: time, q: s.q.map((x, j) => line([x, s.v[j], s.z[0][j] / 2n, s.z[1][j] / 6n])),
            v: s.v.map((x, j) => line([x, s.z[0][j], s.z[1][j] / 2n])), contacts,
        };
    }

    // Whether a time is too close to an event, or within bounces that are nearly at their end.
    unfit(time, near) {
        return this.segments.some((s) => {
            const from = number(s.t), to = from + number(s.h);
            return (s.bouncing && time >= from - near && time <= to + near) || (from > 0 && Math.abs(time - from) < near);
        });
    }
}

module.exports = {Blocks, Paradox};
