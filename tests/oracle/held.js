// The motion of a model as the oracle computes it: the accelerations of principle.js, extrapolated
// midpoint steps (Gragg, Bulirsch, Stoer) of order 14, cut at every change of a switch.
//
// Between changes every switch S of term.js is held, so the equations are smooth. What ends a piece:
//   - a time of `model.breaks`, where a switch of t alone may change: known, not searched
//   - a guard that reaches 0: found by the secant rule on the length of the step itself
//   - a `when`, likewise; its new values are set
//   - a switch that slides on its guard (Filippov) and whose S reaches -1 or 1
// At such a moment the sides of all switches at 0 are settled anew: of all combinations of above,
// below and sliding the one that agrees with its own rates, with as few sliding as possible.
'use strict';
const {Principle} = require('./principle.js');
const {eliminate} = require('./small_matrix.js');

const COLUMNS = [2, 4, 6, 8, 10, 12, 14]; // midpoint steps of an extrapolated step
const STEPS = 6000;                       // no motion of these classes needs more

// Said where the oracle itself cannot go on.
class Lost extends Error {}

// One extrapolated step of y' = f(t, y): the new state and an estimate of its error.
function extrapolate(f, t, y, h) {
    const size = y.length, first = f(t, y), table = [];
    for (let c = 0; c < COLUMNS.length; c++) {
        const steps = COLUMNS[c], d = h / steps;
        let old = y, now = y.map((x, i) => x + d * first[i]);
        for (let k = 1; k < steps; k++) {
            const g = f(t + k * d, now), next = new Array(size);
            for (let i = 0; i < size; i++) next[i] = old[i] + 2 * d * g[i];
            old = now;
            now = next;
        }
        const g = f(t + h, now);
        let row = now.map((x, i) => 0.5 * (x + old[i] + d * g[i]));
        for (let j = 0; j < c; j++) {
            const ratio = (steps / COLUMNS[c - 1 - j]) ** 2 - 1, before = table[j];
            const better = row.map((x, i) => x + (x - before[i]) / ratio);
            table[j] = row;
            row = better;
        }
        table[c] = row;
    }
    const last = COLUMNS.length - 1;
    return {y: table[last], error: table[last].map((x, i) => x - table[last - 1][i])};
}

class Motion {
    // `change` is added to the start; `nudge` {row, change(t, y)} to the state behind a row.
    constructor(model, {tol = 1e-12, change = null, nudge = null} = {}) {
        Object.assign(this, {model, tol, nudge, n: model.names.length, principle: new Principle(model)});
        const T = model.terms, count = T.switches.length;
        this.timed = T.switches.map((s) => !moves(s.guard));
        this.S = T.switches.map((s) => (s.whole ? 0 : 1));
        this.slides = new Set();
        this.fresh = new Set(); // switches that stand at 0 since the last change
        this.guard = this.make_guards(T);
        this.whens = (model.whens ?? []).map((w) => this.make_when(T, w));
        this.sizes = new Array(count).fill(0);
        this.t = model.from ?? 0;
        this.y = [...model.start.q, ...model.start.v];
        if (change) this.y = this.y.map((x, i) => x + change[i]);
        this.largest = this.y.map(Math.abs);
        this.h = (model.until - this.t) / 200;
        this.fired = 0;
        this.ended = null;
    }

    // Values and rates of the guards: for each g, its rate without accelerations, and dg/dv.
    make_guards(T) {
        const trees = [], n = this.n;
        for (const s of T.switches) {
            const g = T.smooth(s.guard);
            let rate = T.diff(g, 't', 0);
            for (let j = 0; j < n; j++) rate = T.plus(rate, T.times(T.diff(g, 'q', j), T.v(j)));
            trees.push(g, rate);
            for (let j = 0; j < n; j++) trees.push(T.diff(g, 'v', j));
        }
        const run = T.compile(trees), width = n + 2;
        return (t, y, S) => {
            const out = new Array(trees.length);
            run(y.slice(0, n), y.slice(n), t, S, this.principle.zero, out);
            return T.switches.map(
                (_, k) => ({g: out[k * width], rate: out[k * width + 1], by: out.slice(k * width + 2, (k + 1) * width)}));
        };
    }

    make_when(T, w) {
        const guard = T.compile([T.smooth(w.guard)]), sets = T.compile(w.sets.map((s) => T.smooth(s.to)));
        const at = (run, count) => (t, y) => {
            const out = new Array(count);
            run(y.slice(0, this.n), y.slice(this.n), t, this.S, this.principle.zero, out);
            return out;
        };
        const value = at(guard, 1);
        return {guard: (t, y) => value(t, y)[0], values: at(sets, w.sets.length), sets: w.sets, stop: w.stop, on: false};
    }

    // Accelerations with the sliding switches solved for: d/dt g = 0 for each of them.
    solve(t, y) {
        const q = y.slice(0, this.n), v = y.slice(this.n);
        if (this.slides.size) this.balance(t, y, q, v, [...this.slides]);
        const out = this.principle.solve(t, q, v, this.S);
        if (!out) throw new Lost('the oracle cannot solve its equations');
        return out;
    }
    balance(t, y, q, v, which) {
        const rates = (values) => {
            which.forEach((k, i) => { this.S[k] = values[i]; });
            return this.rates(t, y, q, v, which);
        };
        const zero = which.map(() => 0), base = rates(zero);
        const by = which.map((_, j) => rates(zero.map((x, i) => (i === j ? 1 : 0))).map((r, i) => r - base[i]));
        const S = eliminate(which.map((_, i) => by.map((column) => column[i])), base.map((r) => -r));
        which.forEach((k, i) => { this.S[k] = S ? S[i] : NaN; });
    }
    // d/dt of some guards with S as it stands.
    rates(t, y, q, v, which) {
        const {a} = this.principle.solve(t, q, v, this.S), guards = this.guard(t, y, this.S);
        return which.map((k) => guards[k].by.reduce((s, c, j) => s + c * a[j], guards[k].rate));
    }

    f(t, y) {
        const {a} = this.solve(t, y), n = this.n, out = new Array(2 * n);
        for (let i = 0; i < n; i++) { out[i] = y[n + i]; out[n + i] = a[i]; }
        return out;
    }

    // -------------------------------------------------------------------- changes

    // What is positive while nothing changes.
    watch(t, y) {
        const out = [], switches = this.model.terms.switches;
        const guards = switches.length ? this.guard(t, y, this.S) : [];
        if (this.slides.size) this.solve(t, y);
        switches.forEach((s, k) => {
            if (this.timed[k]) return;
            const g = guards[k].g;
            if (s.whole) {
                out.push({k, value: g - this.S[k], to: -1});
                out.push({k, value: this.S[k] + 1 - g, to: 1});
            } else if (this.slides.has(k)) out.push({k, leave: true, value: 1 - Math.abs(this.S[k])});
            else out.push({k, value: this.S[k] * g});
        });
        this.whens.forEach((w) => out.push({w, value: w.on ? 1 : -w.guard(t, y)}));
        return out;
    }

    // The sides of the switches in `open` at a moment, so that they agree with the rates.
    settle(open) {
        const {t, y} = this, q = y.slice(0, this.n), v = y.slice(this.n);
        const old = open.map((k) => this.S[k]), tries = [[]];
        for (let i = 0; i < open.length; i++)
            tries.splice(0, Infinity, ...tries.flatMap((c) => [[...c, 1], [...c, -1], [...c, 0]]));
        tries.sort((a, b) => zeros(a) - zeros(b));
        for (const sides of tries) {
            open.forEach((k, i) => { this.S[k] = sides[i]; });
            const slide = open.filter((_, i) => sides[i] === 0);
            if (slide.length) this.balance(t, y, q, v, slide);
            if (slide.some((k) => !(Math.abs(this.S[k]) <= 1 + 1e-12))) continue;
            const rates = this.rates(t, y, q, v, open), size = Math.max(1e-300, ...rates.map(Math.abs));
            if (!open.every((k, i) => sides[i] === 0 || sides[i] * rates[i] > 1e-11 * size)) continue;
            open.forEach((k, i) => (sides[i] === 0 ? this.slides.add(k) : this.slides.delete(k)));
            return;
        }
        open.forEach((k, i) => { this.S[k] = Math.sign(old[i]) || 1; this.slides.delete(k); });
    }

    // Switches that stand at 0, with those that slide.
    at_zero() {
        const guards = this.model.terms.switches.length ? this.guard(this.t, this.y, this.S) : [];
        return guards.map((_, k) => k).filter((k) => !this.timed[k] && !this.model.terms.switches[k].whole &&
            (this.slides.has(k) || Math.abs(guards[k].g) <= 1e-11 * this.sizes[k]));
    }

    // Sides of switches of t alone until the next break, of the others where they are not at 0.
    refresh(next) {
        const switches = this.model.terms.switches;
        if (!switches.length) return;
        switches.forEach((s, k) => { // a guard may have earlier switches in it
            const middle = this.guard((this.t + next) / 2, this.y, this.S), now = this.guard(this.t, this.y, this.S);
            const g = this.timed[k] ? middle[k].g : now[k].g;
            this.sizes[k] = Math.max(this.sizes[k], Math.abs(now[k].g));
            if (s.whole) this.S[k] = this.timed[k] || this.fired === 0 ? Math.floor(g) : this.S[k];
            else if (!this.slides.has(k) && Math.abs(g) > 1e-11 * this.sizes[k]) this.S[k] = Math.sign(g);
        });
        this.change(this.at_zero());
    }
    change(open) {
        this.settle(open);
        this.fresh = new Set(open);
        this.fired++;
    }

    // The event e has come at the present moment.
    turn(e) {
        if (e.w) {
            const to = e.w.values(this.t, this.y);
            e.w.sets.forEach((s, i) => { this.y[s.kind === 'v' ? this.n + s.index : s.index] = to[i]; });
            this.firings = (this.firings ?? 0) + 1;
            if (e.w.stop) this.ended = this.t;
            return this.change(this.at_zero());
        }
        if (this.model.terms.switches[e.k].whole) {
            this.S[e.k] += e.to;
            return this.change([]);
        }
        if (e.leave) {
            this.S[e.k] = Math.sign(this.S[e.k]);
            this.slides.delete(e.k);
            this.fresh = new Set([e.k]);
            this.fired++;
            return undefined;
        }
        return this.change([...new Set([...this.at_zero(), e.k])]);
    }

    // -------------------------------------------------------------------- steps

    scale(y, h) {
        const n = this.n, out = new Array(2 * n), floor = this.model.apart ? 0 : 1e-3;
        for (let i = 0; i < 2 * n; i++) this.largest[i] = Math.max(this.largest[i], Math.abs(y[i]));
        const unit = this.model.unit ?? 0.1, span = this.model.unit ? this.model.until : 1;
        const top = [Math.max(...this.largest.slice(0, n), unit), Math.max(...this.largest.slice(n), unit / span)];
        for (let i = 0; i < n; i++) {
            out[i] = Math.max(this.largest[i], this.largest[n + i] * h, floor * top[0], 1e-300);
            out[n + i] = Math.max(this.largest[n + i], floor * top[1], 1e-300);
        }
        return out;
    }

    // From the present moment towards `until`, at most to the next change.
    step(until) {
        const f = (t, y) => this.f(t, y), left = until - this.t;
        const most = this.model.longest ?? (this.model.until - (this.model.from ?? 0)) / 20;
        for (let h = Math.min(this.h, most);;) {
            const whole = h >= left * (1 - 1e-12), used = whole ? left : h;
            const {y, error} = extrapolate(f, this.t, this.y, used), size = this.scale(y, used);
            const e = Math.max(...error.map((x, i) => Math.abs(x) / size[i]));
            if (!(e <= this.tol)) {
                h = used * (e > 0 ? Math.max(0.1, 0.8 * (this.tol / e) ** (1 / 13)) : 0.1);
                if (!(h > 1e-14 * Math.max(Math.abs(this.t), left))) throw new Lost(`the oracle stops at t = ${this.t}`);
                continue;
            }
            const grown = used * Math.min(4, 0.8 * (this.tol / Math.max(e, 1e-300)) ** (1 / 13));
            if (!whole || grown < this.h) this.h = grown;
            return this.finish(f, y, used, whole ? until : this.t + used);
        }
    }

    // Ends a step at the first change in it, or as it is.
    finish(f, y, used, end) {
        const gone = this.watch(end, y).map((e, i) => ({...e, i})).filter((e) => e.value < 0 && !this.idle(e));
        if (!gone.length) {
            this.t = end;
            this.y = y;
            this.rearm();
            return;
        }
        const start = this.watch(this.t, this.y);
        const roots = gone.map((e) => ({e, h: this.root(f, e.i, start[e.i].value, e.value, used)}));
        const first = roots.reduce((a, b) => (b.h < a.h ? b : a));
        if (first.h > 0) this.y = extrapolate(f, this.t, this.y, first.h).y;
        this.t += first.h;
        this.rearm();
        this.turn(first.e);
        this.h = Math.min(this.h, used);
    }

    // A switch that has just left 0 counts only when it is clearly on a side.
    idle(e) { return e.k !== undefined && this.fresh.has(e.k) && !e.leave && Math.abs(e.value) < 1e-9 * (this.sizes[e.k] || 1); }
    rearm() {
        for (const w of this.whens) w.on = w.guard(this.t, this.y) > 0;
        if (!this.model.terms.switches.length) return;
        const guards = this.guard(this.t, this.y, this.S);
        guards.forEach((g, k) => {
            this.sizes[k] = Math.max(this.sizes[k], Math.abs(g.g));
            if (this.S[k] * g.g > 1e-9 * this.sizes[k]) this.fresh.delete(k);
        });
    }

    // The length of the step at which what is watched reaches 0 (Illinois rule).
    root(f, index, at_start, at_end, h) {
        let a = 0, fa = at_start, b = h, fb = at_end;
        if (!(fa > 0)) return 0;
        for (let k = 0; k < 60 && b - a > 4e-16 * Math.max(Math.abs(this.t), h); k++) {
            let c = (a * fb - b * fa) / (fb - fa);
            if (!(c > a && c < b)) c = (a + b) / 2;
            const fc = this.watch(this.t + c, extrapolate(f, this.t, this.y, c).y)[index].value;
            if (fc === 0) return c;
            if (fc < 0) { b = c; fb = fc; fa = k % 2 ? fa / 2 : fa; } else { a = c; fa = fc; fb = k % 2 ? fb / 2 : fb; }
        }
        return b;
    }

    // Rows at the times of the model, in ascending order.
    rows() {
        const breaks = (this.model.breaks ?? []).filter((t) => t > this.t && t < this.model.until).sort((a, b) => a - b);
        const out = [];
        let steps = 0;
        this.refresh(breaks[0] ?? this.model.until);
        this.rearm();
        for (const time of this.model.at) {
            while (this.t < time && this.ended === null) {
                while (breaks.length && breaks[0] <= this.t) breaks.shift();
                const goal = Math.min(time, breaks[0] ?? Infinity);
                this.step(goal);
                if (this.t === breaks[0]) {
                    breaks.shift();
                    this.refresh(breaks[0] ?? this.model.until);
                    this.h = Math.min(this.h, (this.model.until - this.t) / 200 || this.h);
                }
                if (++steps > STEPS) throw new Lost('the oracle takes too many steps');
            }
            if (this.ended !== null && this.ended < time) break;
            out.push(this.row());
            if (this.nudge?.row === out.length - 1) {
                const by = this.nudge.change(this.t, this.y);
                this.y = this.y.map((x, i) => x + by[i]);
            }
        }
        return out;
    }
    row() {
        const {a, lambda, rank, smallest, conflict} = this.solve(this.t, this.y), n = this.n;
        return {t: this.t, q: this.y.slice(0, n), v: this.y.slice(n), a, lambda, rank, smallest, conflict};
    }
}

function zeros(sides) { return sides.filter((s) => s === 0).length; }

// Whether coordinates or velocities stand in a tree.
function moves(node) { return node.op === 'q' || node.op === 'v' || node.args.some(moves); }

module.exports = {Motion, Lost, extrapolate};
