// Random discs that fall into a box, on each other and against its walls, and boxes that tumble on a floor, until
// they rest or nearly so. Where they end is nobody's guess; what must hold is that at every row the laws of contact
// and friction are satisfied, and that the energy lost is what friction and impacts took, event by event. Discs may
// jam between the walls, where they can stick and fall: such a run is refused (E0510, E0511), and that is right.
'use strict';
const {run_contacts} = require('../oracle/subject.js');

const GRAVITY = 9.81, TOLERANCE = 1e-9, LEDGER = 1e-7;

// ---------------------------------------------------------------------------- models

// Discs beside and above each other, none touching.
function places(r, count, radii, width) {
    const at = [];
    for (let k = 0; k < count; k++)
        for (let tries = 0; at.length === k && tries < 200; tries++) {
            const p = [r.in(radii[k] + 0.01, width - radii[k] - 0.01), r.in(radii[k] + 0.02, 0.3 + 0.35 * count)];
            if (at.every((q, j) => Math.hypot(p[0] - q[0], p[1] - q[1]) > radii[k] + radii[j] + 0.005)) at.push(p);
        }
    return at.length === count ? at : null;
}

function discs(r) {
    const N = r.whole(2, 4), R = [...Array(N)].map(() => r.in(0.1, 0.2)), m = R.map((x) => Number((30 * x * x).toPrecision(4))), width = r.in(0.7, 1), at = places(r, N, R, width);
    if (!at) return null;
    const e = r.yes() ? 0 : r.in(0.1, 0.5), mu = r.in(0.1, 0.7), v = at.map(() => [r.either(0, 1), r.either(0, 1)]), list = (x) => `[${x.join(', ')}]`;
    const pairs = at.flatMap((_, i) => at.slice(0, i).map((__, j) => [i + 1, j + 1]));
    const text = `param N = ${N}, R = ${list(R)}, m = ${list(m)}, w = ${width}, e = ${e}, mu = ${mu}, roll = 0.01
coord p[N, 2], th[N]
for i in 1..N {
  kinetic   m[i]/2*dot(p[i]', p[i]') + m[i]*R[i]^2/4*th[i]'^2
  potential m[i]*${GRAVITY}*p[i, 2]
  constraint ground[i]: p[i, 2] - R[i] >= 0
  constraint left[i]:   p[i, 1] - R[i] >= 0
  constraint right[i]:  p[i, 1] + R[i] <= w
  restitution ground[i], left[i], right[i]: e
  friction ground[i]: mu along p[i, 1]' + R[i]*th[i]'
  friction left[i]:   mu along p[i, 2]' - R[i]*th[i]'
  friction right[i]:  mu along p[i, 2]' + R[i]*th[i]'
}
for i in 2..N {
  for j in 1..i-1 {
    let d = p[i] - p[j]
    let n = d/norm(d)
    constraint pair[i, j]: norm(d) - R[i] - R[j] >= 0
    restitution pair[i, j]: e
    friction pair[i, j]: mu along dot([-n[2], n[1]], p[i]' - p[j]') - R[i]*th[i]' - R[j]*th[j]'
  }
}
${at.map((x, i) => `start p[${i + 1}] = ${list(x)}, p[${i + 1}]' = ${list(v[i])}`).join('\n')}
dissipation sum(i in 1..N, roll*m[i]*R[i]^2*th[i]'^2)      # so that they come to rest
simulate t = 0..4, tol = ${TOLERANCE}
`;
    const contacts = [...at.flatMap((_, i) => ['ground', 'left', 'right'].map((name) => `${name}[${i + 1}]`)), ...pairs.map(([i, j]) => `pair[${i},${j}]`)];
    return {text, contacts, mu, until: 4};
}

// Boxes that fall on a corner, beside each other.
function boxes(r) {
    const b = r.in(0.1, 0.4), h = r.in(0.1, 0.4), th = r.either(0.05, 1.4), e = r.yes(0.6) ? 0 : r.in(0.1, 0.4), mu = r.in(0.1, 1);
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]], high = Math.max(...corners.map(([x, y]) => -(x * b * Math.sin(th) + y * h * Math.cos(th))));
    const text = `param b = ${b}, h = ${h}, mu = ${mu}, e = ${e}
coord x, y, th
let corner(s, c) = [x + s*b*cos(th) - c*h*sin(th), y + s*b*sin(th) + c*h*cos(th)]
kinetic   (x'^2 + y'^2)/2 + (b^2 + h^2)/6*th'^2
potential ${GRAVITY}*y
${corners.map(([s, c], k) => `constraint c${k + 1}: corner(${s}, ${c})[2] >= 0\nrestitution c${k + 1}: e\nfriction c${k + 1}: mu along corner(${s}, ${c})[1]`).join('\n')}
start th = ${th}, y = ${(high + r.in(0, 0.5)).toPrecision(6)}, x' = ${r.either(0, 2)}, th' = ${r.either(0, 4)}
simulate t = 0..4, tol = ${TOLERANCE}
`;
    return {text, contacts: corners.map((_, k) => `c${k + 1}`), mu, until: 4, must_rest: true};
}

// ---------------------------------------------------------------------------- what must hold

// The first law that a row breaks, or null.
function broken_law(model, columns, row) {
    const get = (what, name) => row[columns.indexOf(`${what}(${name})`)], t = row[0];
    for (const name of model.contacts) {
        const [gap, N, slip, tau, state] = ['gap', 'normal', 'slip', 'friction', 'contact'].map((what) => get(what, name)), size = 1e-7 * (10 + N);
        const told = `${name} at t = ${t}: gap ${gap}, N ${N}, slip ${slip}, friction ${tau}, state ${state}`;
        if (![gap, N, slip, tau, state].every(Number.isFinite)) return `not finite: ${told}`;
        if (gap < -1e-9 || N < -size || Math.min(gap, N) > 1e-7) return `contact: ${told}`;
        if (Math.abs(tau) > model.mu * N + size) return `cone: ${told}`;
        if (N > 1e-3 && Math.abs(slip) > 1e-5 && Math.abs(tau + model.mu * N * Math.sign(slip)) > size) return `sliding: ${told}`;
        if (state === 2 && Math.abs(slip) > 1e-8) return `sticking: ${told}`;
        if ((state === 0) !== (N === 0) && N > size) return `state: ${told}`;
    }
    return null;
}

const loss_at = (events, t) => events.reduce((s, e) => s + (e.t === t ? e.energy : 0), 0);

// Start and end of the energy, works, and the losses of the events.
function broken_ledger({stats, events}) {
    const {start, end, error, scale, works} = stats.energy, all = Object.values(works).reduce((s, w) => s + w, 0);
    const lost = events.reduce((s, e) => s + e.energy, 0), within = LEDGER * scale;
    const told = `energy ${start} to ${end}, works ${JSON.stringify(works)}, events lost ${lost}`;
    if (!('friction' in works && 'impacts' in works)) return `no work of friction and impacts: ${told}`;
    if (!(Math.abs(error) <= within)) return `the verdict's own error is ${error}: ${told}`;
    if (!(Math.abs(end - start - all) <= within)) return `the works do not add up: ${told}`;
    if (!(Math.abs(works.impacts + lost) <= within)) return `the impacts took other energy than their events: ${told}`;
    if (works.friction > within || works.impacts > within) return `energy was gained: ${told}`;
    const bad = events.find((e) => e.kind === 'impact' && !(e.impulse >= 0));
    const gain = events.find((e) => loss_at(events, e.t) < -1e-9 * scale); // of all contacts of a moment: one may gain what others lose
    return bad ? `an impact with the impulse ${bad.impulse}` : gain ? `impacts at t = ${gain.t} that gain ${-loss_at(events, gain.t)}` : null;
}

function examine(model) {
    return (zwang, folder, text) => {
        const at = [...Array(40).keys()].map((k) => Number(((model.until * (k + 1)) / 40).toFixed(6)));
        const columns = ['gap', 'normal', 'slip', 'friction', 'contact'].flatMap((what) => model.contacts.map((name) => `${what}(${name})`));
        const run = run_contacts(zwang, folder, text, ['--at', at.join(','), '--columns', ['kinetic', ...columns].join(', '), '--max-steps=400000']);
        if (run.late) return {outcome: 'endless', detail: 'killed'};
        if (run.died) return {outcome: 'unearned', detail: run.died};
        if (run.status !== 0) return {outcome: /error\[E051[01]\]/.test(run.said) ? 'right' : 'refused', detail: run.said};
        const laws = run.rows.rows.map((row) => broken_law(model, run.rows.columns, row)).find((x) => x), ledger = broken_ledger(run), moving = run.rows.rows.at(-1)[1];
        const wrong = laws ?? ledger ?? (model.must_rest && moving > 1e-9 ? `it still moves with the energy ${moving}` : null);
        const outcome = wrong ? (run.trust === 'do not trust' ? 'flagged' : 'unearned') : run.trust === 'do not trust' ? 'alarm' : 'right';
        return {outcome, detail: `${wrong ?? 'right'}; trust ${run.trust}: ${run.reason}`};
    };
}

const class_of = (name, make, portion) => ({name, portion, must: 'right', make: (r) => { const model = make(r); return model && {text: model.text, examine: examine(model)}; }});

module.exports = {classes: [class_of('discs', discs, 0.4), class_of('boxes', boxes, 0.6)]};
