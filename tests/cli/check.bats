# zwang check: what a model is.
load common

@test "the hoop: coordinates, degrees of freedom, kinds, rank, start" {
    model "$hoop"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    prints "sphere" "plane" "holonomic" "rank"
    zwang check --json "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    holds 'a.n === 3' 'a.m === 2' 'a.rank === 2' 'a.dof === 1' 'a.constraints.length === 2' \
        'a.constraints[0].name === "sphere"' 'a.constraints[0].kind === "holonomic"' \
        'a.constraints[0].time_dependent === false' 'a.constraints[1].time_dependent === true' \
        'same(a.redundant, [])' 'same(a.conflicts, [])' '"start" in a' 'Array.isArray(a.remarks)'
}

@test "kinds: holonomic, nonholonomic, nonlinear, acceleration; a list where rows differ" {
    model "coord x, y, z, w
kinetic (x'^2 + y'^2 + z'^2 + w'^2)/2
constraint a: x = 0
constraint b: y' - x*z' = 0
constraint c: z'^2 + w'^2 = 1
constraint d: x'' + w'' = 0
constraint e: [x - y, x' - w'] = [0, 0]
start z' = 1"
    zwang check --json "$BATS_TEST_TMPDIR/model.zw"
    [ "$status" -le 1 ]
    holds 'same(a.constraints.map((c) => c.kind), ["holonomic", "nonholonomic", "nonlinear", "acceleration", ["holonomic", "nonholonomic"]])'
}

@test "redundant constraints are named and are no error" {
    model "coord x, y
kinetic (x'^2 + y'^2)/2
constraint rail: y = 0
constraint second: 2*y = 0
constraint wall: x = 0"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    prints "redundant" "second" "rail"
    zwang check --json "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    holds 'a.rank === 2' 'a.m === 3' 'a.dof === 0' 'a.redundant.length === 1' 'a.conflicts.length === 0' \
        'a.redundant[0].name === "second"' \
        'same(a.redundant[0].rows, [{name: "rail", coefficient: -2}, {name: "second", coefficient: 1}])'
}

@test "conflicting accelerations are named and are no error" {
    model "coord x
kinetic x'^2/2
control first: x'' = 1
control second: x'' = 3"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    prints "conflict" "first" "second"
    zwang check --json "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    holds 'a.conflicts.length === 1' 'a.conflicts[0].level === "acceleration"' \
        'same(a.conflicts[0].rows.map((r) => r.name), ["first", "second"])' \
        'near(a.conflicts[0].size, Math.SQRT2)' 'a.constraints.every((c) => c.control)'
}

@test "a start off the constraints is moved, and check shows how far" {
    model "coord x, y
kinetic (x'^2 + y'^2)/2
constraint rod: x^2 + y^2 = 1
start x = 2, y = 0"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    prints "given" "corrected"
    says "model.zw:4:7: warning[W0"
    zwang check --json "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    holds 'a.start.satisfied === false' 'a.start.moved === true' 'a.start.values[0].name === "x"' \
        'a.start.values[0].given === 2' 'near(a.start.values[0].corrected, 1, 1e-12)' \
        'a.remarks.some((r) => r.code[0] === "W" && r.sentence.includes("moved"))'
    zwang eval "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    holds 'near(a.q, [1, 0], 1e-9)'
}

@test "a start that cannot be corrected: status 1, the report all the same; accept goes on" {
    model "coord x
kinetic x'^2/2
constraint left: x = 0
constraint right: x = 2"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    has_said 1
    says "error[E0"
    prints "left" "right" "conflict"
    zwang check --json "$BATS_TEST_TMPDIR/model.zw" -o "$BATS_TEST_TMPDIR/report.json"
    has_said 1
    output=$(cat "$BATS_TEST_TMPDIR/report.json")
    holds 'a.n === 1' 'a.m === 2' 'a.conflicts[0].level === "position"' 'a.start.satisfied === false'
    zwang check --inconsistent accept "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    prints "left" "right"
}

@test "the report does not depend on the locale" {
    model "$hoop"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    expected=$output
    for locale in $(locale -a 2>/dev/null | grep -i utf | head -3); do
        LC_ALL=$locale zwang check "$BATS_TEST_TMPDIR/model.zw"
        [ "$output" = "$expected" ]
    done
}

@test "inputs and data are listed, in JSON too" {
    cd "$BATS_TEST_TMPDIR"
    printf 't,push\n0,0\n1,2\n3,1\n' > push.csv
    model "input u = 0.5, F[2] = [1, 2]
data road = \"push.csv\", y = push, extend
coord x
kinetic x'^2/2
force x: u + F[1] + road(x)"
    zwang check model.zw
    has_said 0
    prints "inputs              2: u = 0.5, F = [1, 2]" \
        "data                road: 3 rows from 0 to 3, linear, extend, from push.csv,"
    zwang check --json model.zw
    has_said 0
    holds 'same(a.inputs, [{name: "u", size: 1, value: [0.5]}, {name: "F", size: 2, value: [1, 2]}])' \
        'same(a.data, [{name: "road", of_input: false, file: "push.csv", columns: ["t", "push"], rows: 3, range: [0, 3], kind: "linear", beyond: "extend"}])'
    zwang check model.zw --input "u = push.csv:push, hold"
    has_said 0
    prints "inputs              1: F = [1, 2]" "input u: 3 rows from 0 to 3, hold"
}

@test "what is wrong with the data of an input names the input and the line" {
    cd "$BATS_TEST_TMPDIR"
    printf 't,push\n0,0\n1,2\n1,1\n' > twice.csv
    printf 't,push\n0,0\n1,2\n' > short.csv
    : > empty.csv
    model "input u = 0
coord x
kinetic x'^2/2
force x: u
simulate t = 0..2"
    zwang run model.zw --input "u = twice.csv:push"
    says "twice.csv:4:1: error[E0333]" "for the input 'u'"
    zwang run model.zw --input "u = short.csv:pull"
    says "short.csv:1:1: error[E0332]: the file has no column 'pull', for the input 'u'"
    zwang run model.zw --input "u = empty.csv"
    says "empty.csv:1:1: error[E0331]" "for the input 'u'"
    zwang run model.zw --input "u = short.csv:push, often"
    says "--input:1:1: error[E0033]" "u = short.csv:push, often"
    zwang run model.zw --input "u = short.csv:push"
    says 'the input `u` leaves its data, ./short.csv: t = 1, and they go from 0 to 1'
}
