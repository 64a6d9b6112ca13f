# zwang derive: the derived equations, to read.
load common

@test "the hoop as text, LaTeX and JSON" {
    model "$hoop"
    zwang derive "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    prints M Q A b "r[1]" sin cos
    text=$output
    zwang derive --latex "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    prints '\sin' '\cos'
    [ "$output" != "$text" ]
    zwang derive --json "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    holds 'a.title === "Bead on a spinning hoop"' 'same(a.coordinates, ["r[1]", "r[2]", "r[3]"])' \
        'a.families.flatMap((f) => f.rows).map((r) => r.name).join() === "sphere,plane"' \
        'a.families.some((f) => f.M.length === 3)'
}

@test "a start that cannot be corrected does not matter to derive" {
    model "coord x
kinetic x'^2/2
constraint left: x = 0
constraint right: x = 2"
    zwang derive "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    [ -n "$output" ]
}

@test "a constraint that is not there any more after --set" {
    model "param N = 2
coord x[2]
kinetic dot(x', x')/2
for i in 1..N { constraint wall[i]: x[i] = 0 }"
    for N in 0 1 2; do
        zwang derive --json "$BATS_TEST_TMPDIR/model.zw" --set N=$N
        has_status 0
        holds 'typeof a === "object"'
    done
}
