// Pucks on a rough table: friction in two directions, pushed round by forces of time, against walls; some stop, stick
// and break away again. The oracle follows v' = F/m - mu N v/(m |v|) itself, in steps of high order, from stop to stop.
'use strict';
const {extrapolate} = require('../oracle/held.js');
const {events_differ} = require('./compare_events.js');
const {round} = require('../oracle/chance.js');

const GRAVITY = 9.81, TOLERANCE = 1e-9, STILL = 1e-10;

class Lost extends Error {}

class Puck {
    constructor(p, more = 0) { Object.assign(this, {p, more, t: 0, y: [0, 0, ...p.start], events: [], rows: [], stuck: Math.hypot(...p.start) === 0}); }

    force(t) { return this.p.push.map(([a, w, c]) => a * Math.sin(w * t + c) + this.more); }
    pressure(t) { return this.p.m * GRAVITY + this.p.down * t; }
    grips(t) { return this.p.still * this.pressure(t) - Math.hypot(...this.force(t)); }

    rates(t, y) {
        const F = this.force(t), v = [y[2], y[3]], s = Math.hypot(...v), f = (this.p.mu * this.pressure(t)) / (this.p.m * s);
        return [y[2], y[3], F[0] / this.p.m - f * v[0], F[1] / this.p.m - f * v[1]];
    }

    // To the time `until`, at most; true where it stops or meets a wall before.
    slide(until) {
        let h = 1e-3;
        const f = (t, y) => this.rates(t, y);
        for (let k = 0; this.t < until; k++) {
            if (k > 60000) throw new Lost('too many steps');
            const used = Math.min(h, until - this.t), {y, error} = extrapolate(f, this.t, this.y, used);
            const e = Math.max(...error.map((x, i) => Math.abs(x) / (1e-2 + Math.abs(this.y[i]))));
            const turned = y[2] * this.y[2] + y[3] * this.y[3] <= 0; // it would go through its stop
            if (!(e < 1e-12) || turned) {
                h = used / 2;
                if (Math.hypot(this.y[2], this.y[3]) < STILL) return this.stop();
                if (h < 1e-14) throw new Lost('a step too small');
                continue;
            }
            if (this.p.wall && y[0] > this.p.wall) return this.bounce(f, used);
            [this.t, this.y] = [used === until - this.t ? until : this.t + used, y];
            h = e < 1e-14 ? used * 1.6 : used;
        }
        return false;
    }

    stop() {
        if (this.grips(this.t) <= 1e-6) throw new Lost('it hardly stops');
        this.events.push({t: this.t, name: 'table', kind: 'sticks'});
        [this.y[2], this.y[3], this.stuck] = [0, 0, true];
        return true;
    }

    // The wall throws back: no friction there.
    bounce(f, h) {
        let a = 0, b = h;
        for (let k = 0; k < 60; k++) {
            const c = (a + b) / 2;
            if (extrapolate(f, this.t, this.y, c).y[0] > this.p.wall) b = c; else a = c;
        }
        this.y = extrapolate(f, this.t, this.y, a).y;
        this.t += a;
        if (this.y[2] < 0.02) throw new Lost('it leans on the wall');
        this.events.push({t: this.t, name: 'wall', kind: 'impact', approach: this.y[2]});
        this.y[0] = this.p.wall;
        this.y[2] *= -this.p.e;
        return true;
    }

    // While it sticks, up to where the force is too strong; then a first small speed in its direction.
    wait(until) {
        const n = 4000, from = this.t;
        for (let k = 1; k <= n; k++) {
            const t = from + ((until - from) * k) / n;
            if (this.grips(t) > 0) continue;
            let a = from + ((until - from) * (k - 1)) / n, b = t;
            for (let i = 0; i < 60; i++) { const c = (a + b) / 2; if (this.grips(c) > 0) a = c; else b = c; }
            const F = this.force(b), size = Math.hypot(...F);
            [this.t, this.stuck] = [b, false];
            this.events.push({t: b, name: 'table', kind: 'slips'});
            [this.y[2], this.y[3]] = F.map((x) => (1e-11 * x) / size);
            return;
        }
        this.t = until;
    }

    run(at) {
        for (const time of at) {
            for (let k = 0; this.t < time; k++) {
                if (k > 60) throw new Lost('too many events');
                if (this.stuck) this.wait(time); else this.slide(time);
            }
            this.rows.push({t: time, q: this.y.slice(0, 2), v: this.y.slice(2)});
        }
        return this;
    }
}

function make(r) {
    const mu = r.in(0.1, 0.5), m = r.in(0.5, 3), rests = r.yes(0.3), strong = r.in(0.5, rests ? 2 : 1.2) * mu * m * GRAVITY;
    const p = {
        m, mu, still: round(mu * r.in(1.1, 1.5)), down: r.yes(0.4) ? r.in(0, 5) : 0, start: rests ? [0, 0] : [r.either(0.2, 3), r.either(0.2, 3)],
        push: [0, 1].map(() => [round(strong * r.in(0.3, 1)), r.in(0.5, 5), r.in(0, 6)]), wall: r.yes(0.4) ? r.in(0.1, 0.5) : 0, e: r.in(0.2, 1), until: r.in(1, 3),
    };
    const at = [0.25, 0.5, 0.75, 1].map((s) => round(s * p.until));
    let known;
    try { known = new Puck(p).run(at); } catch (error) {
        if (error instanceof Lost) return null;
        throw error;
    }
    if (known.events.some((e) => at.some((t) => Math.abs(e.t - t) < 1e-3))) return null;
    const force = ([a, w, c]) => `${a}*sin(${w}*t + ${c})`, text = `coord x, y, z
kinetic   ${m}/2*(x'^2 + y'^2 + z'^2)
potential ${m}*${GRAVITY}*z
force x: ${force(p.push[0])}
force y: ${force(p.push[1])}
${p.down ? `force z: -${p.down}*t\n` : ''}constraint table: z >= 0
friction table: ${mu} along [x', y'], static = ${p.still}
${p.wall ? `constraint wall: x <= ${p.wall}\nrestitution wall: ${p.e}\n` : ''}start x' = ${p.start[0]}, y' = ${p.start[1]}
simulate t = 0..${p.until}, tol = ${TOLERANCE}
`;
    const names = ['x', 'y'], columns = [...names.map((name, i) => ({name, kind: 'q', of: (row) => row.q[i]})), ...names.map((name, i) => ({name: `${name}'`, kind: 'v', of: (row) => row.v[i]}))];
    const answer = ({change}) => {
        if (!change) return known.rows;
        try { return new Puck(p, change[2]).run(at).rows; } catch (error) { return []; } // a little more force
    };
    return {text, columns, answer, at, until: p.until, tol: TOLERANCE, names, rows: [], start: {q: [0, 0], v: p.start}, beside: [/./], remark: /./,
        inspect: (run) => events_differ(known.events, run.events)};
}

module.exports = {classes: [{name: 'pucks', portion: 1, must: 'right', make}], Puck, Lost};
