// Compares the events of a run with those of an exact motion. Each of these must be there, with its name
// and kind, within NEAR of its time: impacts, but for those of bounces that are nearly at rest; what opens,
// sticks and slips, but for the moments of an impact, at which more than one way of telling it is right.
// And nothing may be told where nothing happens. Within BLUR of bounces that are nearly at rest anything may be told.
'use strict';

const NEAR = 1e-6, SLOW = 1e-3, BLUR = 1e-4;

// What is wrong with the events of a run (null: nothing). `expected`: {t, name, kind}, of an impact also `approach`, its
// rate before; kind `turns` is a slip that goes through 0 the other way, which may be told or not, as may what is
// `open`: a contact that was at rest, and whose share of a blow is not unique.
function events_differ(expected, seen) {
    if (!seen) return 'no table of events';
    const near = (a, b) => Math.abs(a.t - b.t) < NEAR;
    const small = expected.filter((e) => e.kind === 'impact' && e.approach < SLOW && e.approach > 1e-30).map((e) => e.t);
    const [first, last] = [Math.min(...small) - BLUR, Math.max(...small) + BLUR], blurred = (e) => e.t >= first && e.t <= last;
    const struck = (e) => expected.some((s) => s.kind === 'impact' && near(s, e));
    for (const e of expected) {
        if (e.kind === 'turns' || e.open || e.t < 1e-12 || blurred(e) || (e.kind !== 'impact' && struck(e))) continue;
        if (!seen.some((s) => s.name === e.name && s.kind === e.kind && near(s, e)))
            return `no event \`${e.name} ${e.kind}\` at t = ${e.t}; there are ${told(seen.filter((s) => Math.abs(s.t - e.t) < 0.01))}`;
    }
    for (const s of seen) {
        if (s.kind === 'shares' || s.t < 1e-12 || blurred(s)) continue;
        const same = expected.some((e) => near(s, e) && (s.kind !== 'impact' || (e.kind === 'impact' && e.name === s.name)));
        if (!same) return `an event \`${s.name} ${s.kind}\` at t = ${s.t}, where nothing happens`;
    }
    return null;
}

const told = (list) => list.map((s) => `${s.t} ${s.name} ${s.kind}`).join(', ') || 'none near it';

module.exports = {events_differ, told, NEAR};
