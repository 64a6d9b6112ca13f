# zwang eval: one instant as JSON, judged by numbers.js from the raw matrices.
load common

# certified: the answer of the last run satisfies its own matrices. Needs --basis.
certified() {
    printf '%s' "$output" >"$BATS_TEST_TMPDIR/answer.json"
    node "$here/numbers.js" certify "$BATS_TEST_TMPDIR/answer.json" "$BATS_TEST_TMPDIR/answer.json" "$@"
}

@test "the hoop: every field, in closed form" {
    model "$hoop"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --basis
    has_status 0
    certified
    # r1 = 0.1, r2 = 0, r3 = -h; on the turning plane r2' = w r1 holds, so the start is on it
    holds 'a.t === 0' 'same(a.coordinates, ["r[1]", "r[2]", "r[3]"])' \
        'near(a.q, [0.1, 0, -Math.sqrt(0.0525)], 1e-12)' 'near(a.v, [0, 0.8, 0], 1e-12)' \
        'near(a.M, [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])' 'near(a.Q, [0, 0, -0.981])' \
        'same(a.C, [0, 0, 0])' 'same(a.W, [[1, 0], [0, 1]])' \
        'near(a.A, [[0.2, 0, -2*Math.sqrt(0.0525)], [0, 1, 0]], 1e-12)' \
        'near(a.b, [-2*0.64, 0], 1e-12)' 'a.rank === 2' 'a.form === "gauss"' \
        'same(a.constraints.map((c) => c.name), ["sphere", "plane"])' \
        'same(a.constraints.map((c) => c.kind), ["holonomic", "holonomic"])' \
        'same(a.constraints.map((c) => c.time_dependent), [false, true])' \
        'same(a.constraints.map((c) => c.rows), [[0, 1], [1, 1]])' \
        'a.constraints.every((c) => Math.abs(c.value) < 1e-14 && Math.abs(c.rate) < 1e-13)' \
        'a.virtual_displacements.length === 1'
    # the order of the fields is documented
    [ "$(sed -n 's/^  "\([A-Za-z_]*\)":.*/\1/p' <<<"$output" | paste -sd' ')" = \
        "t coordinates q v acceleration free_acceleration force force_ideal force_nonideal multipliers rank rank_gap gaussian residual inconsistency virtual_displacements form diagnosis M Q C A b W constraints" ]
}

@test "--time changes the time alone" {
    model "$hoop"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --time 0.25 --basis
    has_status 0
    certified
    holds 'a.t === 0.25' 'near(a.q, [0.1, 0, -Math.sqrt(0.0525)], 1e-12)' \
        'near(a.A[1], [-Math.sin(2), Math.cos(2), 0], 1e-12)' \
        'near(a.constraints[1].value, -0.1*Math.sin(2), 1e-12)'
}

@test "--state replaces values of the corrected start and is not corrected" {
    model "coord x, y
kinetic (x'^2 + y'^2)/2
constraint rod: x^2 + y^2 = 1
start x = 2"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "y = 0.5"
    has_said 0
    holds 'near(a.q, [1, 0.5], 1e-9)' 'near(a.constraints[0].value, 0.25, 1e-8)'
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "x=3, x'=1, y' = -1"
    has_said 0
    holds 'near(a.q, [3, 0], 1e-9)' 'near(a.v, [1, -1])' 'near(a.constraints[0].rate, 6)' 'near(a.b, [-4])'
}

@test "--state with vectors, indices and parameters" {
    model "param c = 4
coord r[3], s
kinetic c*(dot(r', r') + s'^2)/2"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "r = [1, 2, c], r[2]' = -c/2, s = sqrt(c)"
    has_status 0
    holds 'near(a.q, [1, 2, 4, 2])' 'near(a.v, [0, -2, 0, 0])'
}

@test "--state of an unknown name or nonsense: status 2" {
    model "coord theta
kinetic theta'^2/2"
    for state in "tetha = 1" "theta" "theta = " "1 = theta" "theta = 1 theta' = 2"; do
        zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "$state"
        has_status 2
        says "error[E0"
    done
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "theta = multiplier(pin)"
    has_status 2
    says "error[E0106]" "cannot be asked here"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "tetha = 1"
    says "did you mean 'theta'?"
}

@test "a start that cannot be corrected: status 1, unless all is given or it is accepted" {
    model "coord x, y
kinetic (x'^2 + y'^2)/2
constraint left: x = 0
constraint right: x = 2"
    file=$BATS_TEST_TMPDIR/model.zw
    zwang eval "$file"
    has_status 1
    zwang eval "$file" --state "x=1, y=0, x'=0"
    has_status 1
    zwang eval "$file" --state "x=1, y=3, x'=0, y'=7"
    has_status 0
    holds 'near(a.q, [1, 3])' 'near(a.v, [0, 7])' 'near(a.acceleration, [0, 0])'
    zwang eval "$file" --inconsistent accept
    has_said 0
    holds 'near(a.q, [1, 0], 1e-8)'
}

@test "every form agrees; a form that is not defined refuses with the word inconsistent" {
    model "$hoop"
    for form in gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection; do
        zwang eval "$BATS_TEST_TMPDIR/model.zw" --form $form --basis
        has_status 0
        certified 1e-11
        holds "a.form === '$form'"
    done
    model "coord x
kinetic x'^2/2
control first: x'' = 1
control second: x'' = 3"
    zwang eval "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    holds 'near(a.acceleration, [2])' 'near(a.residual, [1, -1])' 'near(a.inconsistency, Math.SQRT2)' \
        'a.diagnosis.consistent === false' 'same(a.diagnosis.conflicts[0].rows, ["first", "second"])' \
        'a.constraints[0].kind === "acceleration"' 'a.constraints[0].value === null' \
        'a.constraints[0].rate === null'
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --form multipliers
    has_said 1
    says "inconsistent"
}

@test "weights: W is printed in full and used" {
    model "coord x
kinetic x'^2/2
control first: x'' = 1
control second: x'' = 3
weight second: 3"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --basis
    has_said 0
    certified
    holds 'same(a.W, [[1, 0], [0, 3]])' 'near(a.acceleration, [2.5])'
}

@test "nonideal: C is printed and splits the force" {
    model "coord x, y
kinetic (x'^2 + y'^2)/2
force y: -10
constraint ground: y = 0
nonideal x: -0.5*reaction(ground)*sign(x')
start x' = 1"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --basis
    has_status 0
    certified
    holds 'near(a.C, [-5, 0])' 'near(a.acceleration, [-5, 0])' 'near(a.force_ideal, [0, 10])' \
        'near(a.force_nonideal, [-5, 0])'
}

@test "vector constraints: value and rate are lists, rows are named" {
    model "coord r[2]
kinetic dot(r', r')/2
constraint pin: r = [1, 2]"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "r=[1, 3], r'=[0, 5]"
    has_said 0
    holds 'same(a.constraints[0].rows, [0, 2])' 'near(a.constraints[0].value, [0, 1])' \
        'near(a.constraints[0].rate, [0, 5])' 'same(a.diagnosis.unique_multipliers, ["pin[1]", "pin[2]"])'
}

@test "a vector constraint of one row is a list still, as in check" {
    model "coord r[1], x
kinetic (r[1]'^2 + x'^2)/2
constraint pin: r = [0]
constraint wall: x = 0"
    zwang eval "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    holds 'same(a.constraints.map((c) => c.value), [[0], 0])' 'same(a.constraints.map((c) => c.rate), [[0], 0])'
    zwang check --json "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    holds 'same(a.constraints.map((c) => c.value), [[0], 0])'
}

@test "eval and check agree about rank, constraints and conflicts" {
    model "coord x, y
kinetic (x'^2 + y'^2)/2
constraint rail: y = 0
constraint second: [2*y, x - x] = [0, 0]
control first: x'' = 1
control other: x'' = 3"
    zwang check --json "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    printf '%s' "$output" >"$BATS_TEST_TMPDIR/check.json"
    zwang eval "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    printf '%s' "$output" >"$BATS_TEST_TMPDIR/eval.json"
    node -e '
        const [c, e] = process.argv.slice(1).map((f) => JSON.parse(require("fs").readFileSync(f, "utf8")));
        const assert = require("assert");
        assert.equal(c.rank, e.rank);
        assert.equal(c.m, e.b.length);
        assert.deepEqual(c.coordinates, e.coordinates);
        assert.deepEqual(c.constraints.map(({control, ...rest}) => rest), e.constraints);
        assert.deepEqual(c.conflicts.map((s) => s.rows.map((r) => r.name)), e.diagnosis.conflicts.map((s) => s.rows));
    ' "$BATS_TEST_TMPDIR/check.json" "$BATS_TEST_TMPDIR/eval.json"
}

@test "no constraints: empty lists" {
    model "coord x
kinetic x'^2
force x: 3"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --basis
    has_status 0
    certified
    holds 'near(a.acceleration, [1.5])' 'same(a.A, [])' 'same(a.b, [])' 'same(a.W, [])' \
        'same(a.constraints, [])' 'same(a.multipliers, [])'
}

@test "a coordinate without inertia that a constraint holds" {
    model "coord x, y
kinetic x'^2/2
force x: 1
constraint tie: y = x^2
start x = 1"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --state "x=1, y=1, x'=2, y'=4"
    has_said 0
    holds 'near(a.acceleration, [1, 10])' 'a.free_acceleration === null' 'a.gaussian === null'
}

@test "a model beyond dense matrices: status 1, a sentence, soon" {
    model "param N = 1000000
coord x[N]
kinetic sum(i in 1..N, x[i]'^2/2)
constraint ground: x[1] = 0
nonideal x[2]: -reaction(ground)"
    run --separate-stderr timeout 60 "$ZWANG" eval --quiet "$BATS_TEST_TMPDIR/model.zw"
    has_status 1
    says "error[E0930]: the system is too large for the dense solver"
    zwang run --quiet "$BATS_TEST_TMPDIR/model.zw" --set N=2001 --until 1 --form multipliers
    has_status 1
    says "error[E0930]: the system is too large for the dense solver"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --set N=3
    has_status 0
}

@test "numbers do not depend on the locale" {
    model "$hoop"
    zwang eval "$BATS_TEST_TMPDIR/model.zw"
    expected=$output
    for locale in $(locale -a 2>/dev/null | grep -i utf | head -3); do
        LC_ALL=$locale zwang eval "$BATS_TEST_TMPDIR/model.zw"
        [ "$output" = "$expected" ]
    done
}
