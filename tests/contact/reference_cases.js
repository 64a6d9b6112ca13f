// How the files of tests/reference/contact are compared: for each the model, the settings of its cases, the
// columns of its values, their tolerances (each must stand in the file) and the events of its moments.
'use strict';

// The k-th event (from 1) of a contact that is of one of some kinds; the time of it.
const event = (name, kinds, k = 1) => ({of: (run) => find(run, name, kinds)[k - 1].t});
// The event of these kinds that is nearest to its moment.
const nearest = (name, kinds, within) => ({within, of: (run, t) => find(run, name, kinds).reduce((a, b) => (Math.abs(b.t - t) < Math.abs(a.t - t) ? b : a)).t});
function find(run, name, kinds) {
    const all = run.events.filter((e) => [name].flat().includes(e.name) && kinds.split(' ').includes(e.kind));
    if (!all.length) throw new Error(`no event \`${name} ${kinds}\` among ${run.events.slice(0, 12).map((e) => `${e.t} ${e.name} ${e.kind}`).join(', ')}`);
    return all;
}
// Impacts of several contacts at one moment count once.
const moments_of = (run, names) => [...new Set(find(run, names, 'impact').map((e) => e.t))];
const last = (run, column) => run.rows.rows.at(-1)[run.rows.columns.indexOf(column)];

// The same case with its contacts as they are, and with equations in their place, which rub as well (N has any sign).
const both = (one, columns = {}) => [one, {...one, called: 'equations', edit: (text) => text.replace(/>= 0$/gm, '= 0'), columns}];

const INCLINE = {x: 'x', d_x: "x'", N: 'multiplier(plane)', friction: 'friction(plane)'};
const BLOCKS = {x1: 'x1', x2: 'x2', d_x1: "x1'", d_x2: "x2'", friction_table: 'friction(table)', friction_top: 'friction(top)'};

const FILES = {
    bouncing_ball: {
        model: 'bouncing_ball', columns: {x: 'x', y: 'y', d_x: "x'", d_y: "y'", N: 'normal(ground)'},
        cases: {frictionless: {}, friction: {set: {mu: 0.2, along: 9}}},
        tolerances: ['1e-9', '1e-8', '1e-5'],
        within: (key, t, kind) => (t === 4.06 && key === 'd_y' ? 1e-5 : kind === 'friction' ? 1e-8 : 1e-9),
        moments: {
            first_impact: event('ground', 'impact'),
            // the bounces that are left out are lower than the tolerance: some 1e-5 s of them
            rest_from: {within: 1e-4, of: (run) => find(run, 'ground', 'impact closes').at(-1).t},
            normal_force_after: {of: (run) => last(run, 'normal(ground)')},
        },
    },
    incline_block: {
        model: 'incline_block', columns: {x: 'x', d_x: "x'", N: 'normal(plane)', friction: 'friction(plane)'},
        cases: {
            slides_back: both({moments: {stops: event('plane', 'slips sticks')}}, INCLINE), sticks: both({set: {mu: 0.7}}, INCLINE),
            static_holds: both({set: {mu: 0.5, mu0: 0.6}}, INCLINE),
        },
        tolerances: ['1e-10'], within: () => 1e-10, moments: {stops: event('plane', 'sticks')},
    },
    belt: {
        model: 'belt', columns: {x: 'x', d_x: "x'", friction: 'friction(belt)'}, cases: {belt: {}},
        tolerances: ['1e-8', '1e-6'], within: (key) => (key === 'friction' ? 1e-6 : 1e-8),
        moments: {
            first_slip: event('belt', 'slips'), first_stick: event('belt', 'sticks'), second_slip: event('belt', 'slips', 2),
            period: {of: (run) => find(run, 'belt', 'slips')[1].t - find(run, 'belt', 'slips')[0].t},
        },
    },
    stacked_blocks: {
        model: 'stacked_blocks', columns: BLOCKS,
        cases: {
            top_thrown: both({}, BLOCKS), top_thrown_bottom_moves: both({set: {m2: 3, mu1: 0.1}}, BLOCKS), pushed: both({set: {mu2: 0.3, v2: 0, F: 20}}, BLOCKS),
            pushed_gently: both({set: {mu2: 0.3, v2: 0, F: 10}}, BLOCKS), bottom_pulled_away: both({set: {mu2: 0.1, v1: 3, v2: 0}}, BLOCKS),
        },
        tolerances: ['1e-10'], within: () => 1e-10,
        moment: () => nearest(['table', 'top'], 'sticks slips'),
    },
    sledge: {
        model: 'sledge', columns: {x: 'x', d_x: "x'", N_rear: 'normal(rear)', N_front: 'normal(front)', slowing: "-x''"},
        cases: {rear_rough: {}, front_rough: {set: {rear_mu: 0.1, front_mu: 0.8}}, equal: {set: {rear_mu: 0.5, front_mu: 0.5}}},
        extra: [2], tolerances: ['1e-10'], within: () => 1e-10,
        moments: {stops: event(['rear', 'front'], 'sticks'), slowing_if_from_ideal_reactions: null},
    },
    push: {
        model: 'sledge', columns: {x: 'x', d_x: "x'", friction: 'held', N_rear: 'normal(rear)', N_front: 'normal(front)'},
        cases: {
            rear_rough: {set: {v: 0, push: 2}}, front_rough: {set: {v: 0, push: 2, rear_mu: 0.1, front_mu: 0.8}},
            equal: {set: {v: 0, push: 2, rear_mu: 0.5, front_mu: 0.5}},
        },
        edit: (text) => text.replace('t = 0..2', 't = 0..7'), tolerances: ['1e-9'], within: () => 1e-9,
        moments: {slips: event(['rear', 'front'], 'slips')},
    },
    rocking_block: {
        model: 'rocking_block', columns: {th: 'th', d_th: "th'", N_left: 'normal(left)', N_right: 'normal(right)'}, cases: {housner: {}},
        tolerances: ['1e-8'], within: () => 1e-8,
        // the rocking that is left out is lower than the tolerance; each turn is 0.91 of the one before, so it would last 1e-4 s
        moment: (key) => (key === 'rate_factor' ? null :
            key === 'rest_from' ? {within: 1e-3, of: (run) => moments_of(run, ['left', 'right']).at(-1)} :
            {of: (run) => moments_of(run, ['left', 'right'])[Number(key.replace('impact_', '')) - 1]}),
    },
    rope: {
        model: 'rope', columns: {x: 'r[1]', y: 'r[2]', d_x: "r[1]'", d_y: "r[2]'", tension: 'tension'}, cases: {swing: {}},
        tolerances: ['1e-9'], within: () => 1e-9,
        moments: {
            slack: event('rope', 'opens'), taut: event('rope', 'impact'), loss_of_energy: {of: (run) => find(run, 'rope', 'impact')[0].energy},
        },
    },
    rope_chain: {
        model: 'rope_chain', columns: {...Object.fromEntries([1, 2, 3, 4, 5].map((i) => [`y[${i}]`, `y[${i}]`])), floor_force: 'pressed'},
        cases: {drop: {}}, tolerances: ['1e-10'], within: () => 1e-10, moment: (key) => event(`ground[${key.slice(-1)}]`, 'impact'),
    },
    falling_rod: {
        model: 'falling_rod', columns: {x: 'x', y: 'y', th: 'th', d_x: "x'", d_y: "y'", d_th: "th'", N: 'normal(end)', slip: 'slip(end)'},
        cases: {slips: {}, sticks: {set: {mu: 0.9, along: 0.2}}}, tolerances: ['1e-8'], within: () => 1e-8,
        moment: (key) => ({'1_impact': event('end', 'impact'), '2_turns': nearest('end', 'slips sticks'), '2_slips': nearest('end', 'slips')})[key],
    },
    woodpecker: {
        model: 'woodpecker',
        columns: {
            y: 'y', phM: 'phM', phS: 'phS', d_y: "y'", d_phM: "phM'", d_phS: "phS'", gap_beak: 'gap(beak)', gap_low: 'gap(low)', gap_up: 'gap(up)',
        },
        cases: {
            toy: [{called: 'poisson'}, {called: 'newton', edit: (text) => text.replace('tol = 1e-11', 'tol = 1e-11, impact = newton')}],
        },
        tolerances: ['1e-6'],
        // relative to the largest value of the column
        within: (key) => 1e-6 * ({y: 0.041, phM: 0.1, phS: 0.45, d_y: 0.3, d_phM: 11, d_phS: 16, gap_beak: 0.011, gap_low: 0.0012, gap_up: 0.0012}[key] ?? 0.3),
        moment: (key) => {
            const [, what, name] = key.split('_');
            return nearest(name, {slip: 'sticks', cone: 'slips', N: 'opens', gap: 'impact'}[what]);
        },
    },
};

module.exports = {FILES};
