# `zwang solve` with inequalities and friction: every case of the one-instant files of
# tests/reference/contact, forms on the active set, and what the answer says of shares, conflicts
# and motions that are not exactly one.
load common

# prepare: a module that turns the cases of a reference into problems, and compares the answers.
setup() {
    cat >"$BATS_TEST_TMPDIR/cases.js" <<'JS'
const fs = require('fs');
const [file, what] = process.argv.slice(2);
const exact = (s) => (Array.isArray(s) ? s.map(exact) : String(s).includes('/') ? s.split('/')[0] / s.split('/')[1] : Number(s));
const reference = JSON.parse(fs.readFileSync(file)), cases = reference.reference;
const legs = [[1, .5], [-1, .5], [-1, -.5], [1, -.5]];
const kinds = {
    contact_gauss_inequality: {
        problem: (c) => ({M: exact(c.M), Q: exact(c.Q), A: exact(c.A_equal), b: exact(c.b_equal), W: exact(c.W_equal),
            at_least: {A: exact(c.A_atleast), b: exact(c.b_atleast), W: exact(c.W_atleast)}}),
        compare: (v, a) => [[a.acceleration, exact(v.acceleration)], [a.force, exact(v.force)],
            [[a.inconsistency ** 2], [exact(v.inconsistency_squared)]],
            [a.gap_acceleration.flatMap((g, k) => (g < -1e-9 ? [k] : [])), v.violated]],
    },
    contact_table_legs: {
        problem: (c) => { const load = exact(c.values.load), at = exact(c.values.at);
            return {M: [10, 5, 2], Q: [-98.1 - load, -load * at[0], -load * at[1]],
                at_least: {A: legs.map(([x, y]) => [1, x, y]), b: [0, 0, 0, 0]}}; },
        compare: (v, a) => [[a.acceleration, exact(v.acceleration)], [a.force, exact(v.force)], [a.shares, exact(v.shares)]],
    },
    contact_painleve_rod: {
        problem: (c) => { const [mu, omega, slip] = {regular_forward: [2, 0, 1], regular_small_mu: [1, 0, -1],
                no_solution: [2, 0, -1], two_solutions: [2, 5, -1], lifts_off: [1, 5, -1]}[c.case];
            const cos = 1 / Math.sqrt(5), sin = 2 / Math.sqrt(5), w2 = omega * omega;
            return {M: [1, 1, 1 / 3], Q: [0, -9.81, 0], at_least: {A: [[0, 1, -cos]], b: [-sin * w2], names: ['end']},
                friction: [{row: 'end', T: [1, 0, sin], b: -cos * w2, mu, slip}]}; },
        compare: (v, a) => [[[a.solutions.length], [v.number_of_solutions]], [[a.acceleration === null], [v.number_of_solutions !== 1]],
            [a.solutions.map((s) => s.multipliers[0]).sort((x, y) => x - y), exact(v.N)]],
    },
};
const kind = kinds[reference.name];
if (what === 'problems') {
    console.log(JSON.stringify(cases.map(kind.problem)));
} else {
    const answers = JSON.parse(fs.readFileSync(0, 'utf8'));
    if (answers.length !== cases.length) throw new Error('answers are missing');
    const near = (x, y) => x.length === y.length && x.every((v, k) => Math.abs(v - y[k]) <= 2e-12 * (1 + Math.abs(y[k])));
    cases.forEach((c, k) => kind.compare(c.values, answers[k]).forEach(([x, y]) => {
        if (!near(x, y)) { console.log(c.case, x, y); process.exitCode = 1; }
    }));
    console.log(`${cases.length} cases`);
}
JS
}

# refers NAME: every case of tests/reference/contact/NAME.json.
refers() {
    node "$BATS_TEST_TMPDIR/cases.js" "$root/tests/reference/contact/$1.json" problems >"$BATS_TEST_TMPDIR/list.json"
    zwang solve "$BATS_TEST_TMPDIR/list.json"
    has_said 0
    printf '%s' "$output" | node "$BATS_TEST_TMPDIR/cases.js" "$root/tests/reference/contact/$1.json" compare
}

@test "reference: the principle with inequalities, contradictory and redundant ones" {
    refers contact_gauss_inequality
    [ -z "$stderr" ]
}

@test "reference: four legs, unique motion, shares of least norm" {
    refers contact_table_legs
    [ -z "$stderr" ]
}

@test "reference: Painleve's rod, one motion, none, two" {
    refers contact_painleve_rod
    says "warning[W0942]: [2]: no motion is possible with this friction at 'end': pivot -0.8, free normal acceleration -9.81" \
        "warning[W0942]: [3]: two motions are possible with this friction at 'end'"
}

@test "rows of both kinds, their names, and what is said of them" {
    solve '{"M": [5], "Q": [-7], "A": [[1]], "b": [-3], "names": ["servo"],
            "at_least": {"A": [[1], [1]], "b": [0, -50], "W": [9, 1], "names": ["floor", "below"]}}'
    has_status 0
    holds 'near(a.acceleration, [-0.3], 1e-15)' 'same(a.active, ["floor"])' 'near(a.shares, [4.95, 0], 1e-14)' \
        'near(a.multipliers, [0.55, 4.95, 0], 1e-14)' 'near(a.gap_acceleration, [-0.3, 49.7], 1e-14)' \
        'near(a.residual, [2.7, -0.3, 49.7], 1e-14)' 'same(a.shares_unique, ["below"])' \
        'a.conflicts.length === 1' 'same(a.conflicts[0].rows, ["servo", "floor"])' \
        'near(a.conflicts[0].coefficients, [-1, 1], 1e-14)' 'near(a.conflicts[0].mismatch, 3, 1e-14)' \
        'same(a.diagnosis.conflicts, a.conflicts)' 'a.diagnosis.consistent === false' \
        'Object.values(a.certificate).every((x) => x >= 0 && x < 1e-14)' 'a.diagnosis.dependent_sets.length === 1'
}

@test "two stops that are too high are in conflict with what holds, not with each other" {
    solve '{"M": [1], "Q": [0], "at_least": {"A": [[1], [1], [-1]], "b": [1.5, 2, 0]}}'
    has_status 0
    holds 'near(a.acceleration, [7 / 6], 1e-15)' 'a.conflicts.length === 1' \
        'same(a.conflicts[0].rows, ["at_least[0]", "at_least[1]", "at_least[2]"])' \
        'a.conflicts[0].coefficients.every((x) => x > 0)'
    # apart from each other they are two
    solve '{"M": [1, 1], "Q": [0, 0], "at_least": {"A": [[1, 0], [-1, 0], [0, 1], [0, -1]], "b": [1, 0, 2, 0]}}'
    has_status 0
    holds 'near(a.acceleration, [0.5, 1], 1e-15)' 'a.conflicts.length === 2' \
        'same(a.conflicts.map((c) => c.rows), [["at_least[0]", "at_least[1]"], ["at_least[2]", "at_least[3]"]])'
}

@test "a weight of rows that couples them" {
    # least (z - 1)^2 + (z - 1)(-z) w + ... over the pair: by hand for W = [[2, 1], [1, 2]]
    solve '{"M": [3], "Q": [0], "at_least": {"A": [[1], [-1]], "b": [1, 0], "W": [[2, 1], [1, 2]]}}'
    has_status 0
    holds 'near(a.acceleration, [0.5], 1e-15)' 'near(a.inconsistency, Math.sqrt(1.5), 1e-14)'
    solve '{"M": [3], "Q": [0], "A": [[1]], "b": [0], "W": [[2]], "at_least": {"A": [[1]], "b": [1]}}'
    has_status 0
    holds 'near(a.acceleration, [1 / 3], 1e-15)'
}

@test "inequalities that are none: an empty list, rows that do not bind" {
    solve '{"M": [2], "Q": [4], "at_least": {"A": [], "b": []}}'
    has_status 0
    holds 'near(a.acceleration, [2])' 'a.active === undefined'
    for form in gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection; do
        solve '{"M": [2], "Q": [4], "at_least": {"A": [[1]], "b": [-1]}}' --form $form
        has_status 0
        holds 'near(a.acceleration, [2], 1e-15)' 'same(a.active, [])' 'near(a.gap_acceleration, [3])' 'near(a.shares, [0])'
    done
}

@test "every form agrees with the active rows as equations, and refuses them as inequalities" {
    rest='"M": [[2, 1, 0], [1, 3, 1], [0, 1, 4]], "Q": [-5, 3, -8]'
    solve '{'"$rest"', "A": [[1, 1, 1]], "b": [0], "at_least": {"A": [[1, 0, 0], [0, 0, 1], [0, 1, -1]], "b": [0, -1, 0]}}'
    has_status 0
    holds 'near(a.acceleration, [0, 1, -1], 1e-14)' 'same(a.active, ["at_least[0]", "at_least[1]"])'
    for form in gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection; do
        solve '{'"$rest"', "A": [[1, 1, 1], [1, 0, 0], [0, 0, 1]], "b": [0, 0, -1]}' --form $form
        has_status 0
        holds 'near(a.acceleration, [0, 1, -1], 1e-13)'
        [ $form = gauss ] && continue
        solve '{'"$rest"', "at_least": {"A": [[1, 0, 0]], "b": [0]}}' --form $form
        has_status 1
        says "error[E0931]: inequality 0 binds, but the chosen form is defined for equations only"
    done
}

@test "with C: what presses is under all forces" {
    solve '{"M": [1, 1], "Q": [0, -10], "C": [0, 4], "at_least": {"A": [[0, 1]], "b": [0]}}'
    has_status 0
    holds 'near(a.shares, [6], 1e-15)' 'near(a.multipliers, [10], 1e-15)' 'near(a.force_ideal, [0, 10], 1e-15)' \
        'near(a.force, [0, 10], 1e-15)'
    solve '{"M": [1, 1], "Q": [0, -10], "C": [0, 14], "at_least": {"A": [[0, 1]], "b": [0]}}'
    has_status 0
    holds 'near(a.acceleration, [0, 4], 1e-15)' 'same(a.active, [])'
}

@test "friction: holds, slides, slips on, a joint, in space" {
    block='"M": [2, 2], "at_least": {"A": [[0, 1]], "b": [0], "names": ["floor"]}'
    solve '{'"$block"', "Q": [3, -20], "friction": [{"row": "floor", "T": [1, 0], "mu": 0.2}]}'
    has_status 0
    holds 'near(a.acceleration, [0, 0], 1e-15)' 'same(a.contact, ["sticks"])' 'near(a.solutions[0].friction[0], [-3], 1e-14)' \
        'a.solutions.length === 1' 'a.certified'
    solve '{'"$block"', "Q": [5, -20], "friction": [{"row": "floor", "T": [1, 0], "mu": 0.2}]}'
    has_status 0
    holds 'near(a.acceleration, [0.5, 0], 1e-14)' 'same(a.contact, ["slides"])'
    solve '{'"$block"', "Q": [5, -20], "friction": [{"row": "floor", "T": [1, 0], "mu": 0.2, "static": 0.3}]}'
    has_status 0
    holds 'near(a.acceleration, [0, 0], 1e-15)' 'same(a.contact, ["sticks"])'
    solve '{'"$block"', "Q": [5, -20], "friction": [{"row": "floor", "T": [1, 0], "mu": 0.2, "slip": -3}]}'
    has_status 0
    holds 'near(a.acceleration, [4.5, 0], 1e-14)' 'same(a.contact, ["slides"])'
    solve '{'"$block"', "Q": [5, 20], "friction": [{"row": 0, "T": [1, 0], "mu": 0.2}]}'
    has_status 0
    holds 'near(a.acceleration, [2.5, 10], 1e-14)' 'same(a.contact, ["open"])'
    # a bead on a wire that pulls: what presses is the size of the multiplier
    solve '{"M": [1, 1], "Q": [3, 8], "A": [[0, 1]], "b": [0], "names": ["wire"], "friction": [{"row": "wire", "T": [1, 0], "mu": 0.25, "slip": 1}]}'
    has_status 0
    holds 'near(a.acceleration, [1, 0], 1e-14)' 'near(a.solutions[0].multipliers, [-8], 1e-14)'
    solve '{"M": [1, 1, 1], "Q": [3, 4, -10], "at_least": {"A": [[0, 0, 1]], "b": [0]},
            "friction": [{"row": 0, "T": [[1, 0, 0], [0, 1, 0]], "mu": 0.1, "slip": [0, 0]}]}'
    has_status 0
    holds 'near(a.acceleration, [2.4, 3.2, 0], 1e-12)' 'same(a.contact, ["slides"])'
}
