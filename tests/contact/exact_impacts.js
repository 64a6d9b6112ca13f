// Impacts with Coulomb friction in the plane, by trying every way in which contacts can end them, in
// exact arithmetic. A blow is {M, v, equal: [{a}], all: [{n, rate, e, T, slip, mu}]} of fixed-point
// numbers: `rate` and `slip` are those before it, moving walls and belts included.
//
//   rounds    those that approach, and those with e = 0 that touch, together; again until none approaches
//   together  one round with all that touch
//   poisson   compression: rate 0 or no impulse; expansion: at least e times its impulse, rate >= 0, one
//             of them equal; Coulomb's law in each
//   newton    rate after >= -e times rate before (where it approached), impulse >= 0, one of them equal
//
// Where rows depend on each other some share of the impulses must do (eliminate_shares); with Poisson's
// law the shares of contacts that throw back must be unique.
'use strict';
const {ONE, times, is_zero, sign, dot, solve, divide} = require('./fixed_point.js');
const {combinations, eliminate_shares, Beyond} = require('./exact_modes.js');

// One phase: impulses P >= least that leave rates >= goal, one of them equal. `now`: {rate, slip} of all.
// Gives the new rates and slips and the impulses {n, t} of the contacts in `set`.
function phase(space, all, set, now, least, goal) {
    const ways = set.map((i) => {
        const rubs = all[i].T && all[i].mu > 0n ? [{state: 'stick'}, {state: 'slide', d: 1}, {state: 'slide', d: -1}] : [{state: 'touch'}];
        return ['goal', 'least'].flatMap((end) => rubs.map((o) => ({...o, end})));
    });
    if (ways.reduce((p, l) => p * l.length, 1) > 1300) throw new Beyond('too many contacts in an impact');
    const found = [];
    for (const way of combinations(ways)) {
        const one = try_way(space, all, set, way, now, least, goal);
        if (one && !found.some((other) => one.change.every((x, r) => is_zero(x - other.change[r])))) found.push(one);
    }
    if (found.length !== 1) throw new Beyond(`an impact with ${found.length} ends`);
    return found[0];
}

function try_way(space, all, set, way, now, least, goal) {
    const {place, G, count} = space, columns = [], rows = [], right = [], given = new Array(count).fill(0n);
    for (let r = 0; r < space.equal; r++) { columns.push([[r, ONE]]); rows.push(r); right.push(0n); }
    set.forEach((i, k) => {
        const {n, t} = place[i], o = way[k], c = all[i];
        const list = o.state === 'slide' ? [[n, ONE], [t, -c.mu * BigInt(o.d)]] : [[n, ONE]];
        if (o.end === 'goal') { columns.push(list); rows.push(n); right.push(goal[i] - now.rate[i]); }
        else for (const [r, f] of list) given[r] += times(f, least[i]);
        if (o.state === 'stick') { columns.push([[t, ONE]]); rows.push(t); right.push(-now.slip[i]); }
    });
    const K = rows.map((r) => columns.map((list) => list.reduce((s, [c, f]) => s + times(f, G[r][c]), 0n)));
    const out = rows.length ? solve(K, [right.map((x, k) => x - dot(G[rows[k]], given))]) : {x: [[]], free: []};
    if (!out) return null;
    const spread = (x, base) => {
        const P = base.slice();
        columns.forEach((list, k) => list.forEach(([r, f]) => { P[r] += times(f, x[k]); }));
        return P;
    };
    const P = spread(out.x[0], given), free = out.free.map((u) => spread(u, given.map(() => 0n)));
    const asked = conditions(space, all, set, way, now, least, goal);
    const bounds = eliminate_shares(asked.map((f) => [f(P, 1n), 0n, ...free.map((u) => f(u, 0n))]));
    if (bounds.some(([a]) => sign(a) < 0)) return null;
    const change = G.map((row) => dot(row, P));
    if (free.some((u) => G.some((row) => !is_zero(dot(row, u))))) throw new Beyond('an impact that depends on shares');
    return {P, change, unique: P.map((_, r) => free.every((u) => is_zero(u[r])))};
}

// What a way to end must satisfy, as functions of (impulses of all rows, 1 or 0: with what is there before).
function conditions({place, G}, all, set, way, now, least, goal) {
    return set.flatMap((i, k) => {
        const {n, t} = place[i], o = way[k], slip = (P, one) => now.slip[i] * one + dot(G[t], P);
        const ends = o.end === 'goal' ? (P, one) => P[n] - least[i] * one : (P, one) => (now.rate[i] - goal[i]) * one + dot(G[n], P);
        if (o.state === 'touch') return [ends];
        if (o.state === 'slide') return [ends, (P, one) => slip(P, one) * BigInt(o.d)];
        return [ends, ...[1n, -1n].map((d) => (P) => times(all[i].mu, P[n]) - d * P[t])];
    });
}

const after = (space, all, now, change) => ({
    rate: all.map((_, i) => now.rate[i] + change[space.place[i].n]),
    slip: all.map((c, i) => (c.T ? now.slip[i] + change[space.place[i].t] : 0n)),
});

function one_round(space, all, set, now, law, e) {
    const none = all.map(() => 0n);
    if (law === 'newton') {
        const goal = all.map((_, i) => (now.rate[i] < 0n ? -times(e[i], now.rate[i]) : 0n));
        return phase(space, all, set, now, none, goal);
    }
    const first = phase(space, all, set, now, none, none), middle = after(space, all, now, first.change);
    const least = all.map((_, i) => times(e[i], first.P[space.place[i].n]));
    if (set.some((i) => e[i] > 0n && !first.unique[space.place[i].n])) throw new Beyond('shares that are thrown back');
    const second = phase(space, all, set, middle, least, none);
    return {P: first.P.map((x, r) => x + second.P[r]), unique: first.unique.map((u, r) => u && second.unique[r])};
}

// All rounds of a blow: {v, impulses: [whole normal impulse a contact], unique, lost: energy, rounds}.
function impact(blow, {law = 'poisson', rule = 'rounds', rest = 0n}) {
    const {all} = blow, rows = [...blow.equal.map((e) => e.a), ...all.flatMap((c) => (c.T ? [c.n, c.T] : [c.n]))];
    const by = divide(blow.M, rows), place = [];
    all.reduce((at, c) => { place.push({n: at, t: at + 1}); return at + (c.T ? 2 : 1); }, blow.equal.length);
    const space = {equal: blow.equal.length, place, count: rows.length, G: rows.map((row) => by.map((col) => dot(row, col)))};
    const impulses = all.map(() => 0n), unique = all.map(() => true);
    let now = {rate: all.map((c) => c.rate), slip: all.map((c) => c.slip ?? 0n)}, v = blow.v.slice(), lost = 0n, rounds = 0;
    const approaches = (i) => sign(now.rate[i]) < 0;
    while (all.some((_, i) => approaches(i))) {
        if (++rounds > 600) throw new Beyond('too many rounds');
        const e = all.map((c, i) => (approaches(i) && -times(c.e, now.rate[i]) <= rest ? 0n : c.e));
        const set = all.map((_, i) => i).filter((i) => rule === 'together' || approaches(i) || is_zero(all[i].e));
        const {P, unique: sole} = one_round(space, all, set, now, law, e), then = after(space, all, now, space.G.map((row) => dot(row, P)));
        let work = 0n;
        all.forEach((c, i) => {
            const {n, t} = place[i];
            impulses[i] += P[n];
            unique[i] = unique[i] && sole[n];
            work += times(P[n], now.rate[i] + then.rate[i]) + (c.T ? times(P[t], now.slip[i] + then.slip[i]) : 0n);
        });
        if (sign(work) > 0) throw new Beyond('an impact that gains energy');
        lost -= work / 2n;
        v = v.map((x, j) => x + by.reduce((s, column, r) => s + times(column[j], P[r]), 0n));
        now = then;
    }
    return {v, impulses, unique, lost, rounds};
}

module.exports = {impact};
