# zwang linearize and zwang equilibrium: what they print and write; the numbers are those of closed forms.
load common

pendulum="param m = 1, l = 1, F = 0
coord x, y
kinetic m/2*(x'^2 + y'^2)
potential m*9.81*y
constraint rod: x^2 + y^2 = l^2
force x: F
start x = 0.6, y = -0.8
output down = -y
simulate t = 0..2, tol = 1e-10"

@test "linearize: the hanging pendulum as JSON, in a chosen state" {
    model "$pendulum"
    zwang linearize "$BATS_TEST_TMPDIR/model.zw" --at-rest --inputs F --outputs "x, multiplier(rod)" --states x --json
    has_status 0
    holds 'same(a.states, ["x", "x'"'"'"])' 'same(a.inputs, ["F"])' 'same(a.outputs, ["x", "multiplier(rod)"])' \
        'a.at_rest === true' 'near(a.A, [[0, 1], [-9.81, 0]], 1e-12)' 'near(a.B, [[0], [1]], 1e-13)' \
        'near(a.C, [[1, 0], [0, 0]], 1e-12)' 'near(a.D, [[0], [0]], 1e-12)' \
        'near(a.poles, [[0, Math.sqrt(9.81)], [0, -Math.sqrt(9.81)]], 1e-12)'
    zwang linearize "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    [[ $output == *"2 states (1 coordinates, 1 velocities), 0 inputs, 1 outputs"*"not at rest"*"poles"* ]]
}

@test "linearize: beside a run, where it moves, the energy does not change along it" {
    model "$pendulum"
    zwang linearize "$BATS_TEST_TMPDIR/model.zw" --run 0.7 --json --outputs "energy, x'', force(y)"
    has_status 0
    # d(energy) = -(M z - Q) dx along the rows is what the motion itself has: C A x = 0 of y' = A y
    holds 'a.t === 0.7' 'a.at_rest === false' 'a.states.length === 2' 'a.C.length === 3'
}

@test "linearize: matrices as NPZ and MAT" {
    model "$pendulum"
    for ending in npz mat; do
        zwang linearize "$BATS_TEST_TMPDIR/model.zw" --at-rest --states x -o "$BATS_TEST_TMPDIR/m.$ending"
        has_status 0
    done
    node - "$BATS_TEST_TMPDIR" <<'END'
const fs = require("fs"), dir = process.argv[2];
const near = (x, y) => { if (!(Math.abs(x - y) < 1e-12)) { console.log(x, y); process.exit(1); } };
// MAT 4: type, rows, columns, imaginary, length of the name; by columns
let b = fs.readFileSync(dir + "/m.mat"), at = 0, found = {};
while (at < b.length) {
    const [type, r, c, im, n] = [0, 4, 8, 12, 16].map((k) => b.readInt32LE(at + k));
    const name = b.toString("latin1", at + 20, at + 19 + n);
    at += 20 + n;
    found[name] = Array.from({ length: r }, (_, i) => Array.from({ length: c }, (_, j) => b.readDoubleLE(at + 8 * (j * r + i))));
    at += 8 * r * c;
}
near(found.A[1][0], -9.81); near(found.A[0][1], 1); near(found.A[0][0], 0); near(found.poles[0][1], Math.sqrt(9.81));
// the zip is stored: each member has its header and its numbers
b = fs.readFileSync(dir + "/m.npz");
const i = b.indexOf("A.npy"), header = b.indexOf("\x93NUMPY", i, "latin1");
if (!b.toString("latin1", header, header + 128).includes("'shape': (2, 2)")) process.exit(1);
near(b.readDoubleLE(header + 128 + 16), -9.81);
END
    if command -v unzip >/dev/null; then unzip -tq "$BATS_TEST_TMPDIR/m.npz"; fi
    zwang linearize "$BATS_TEST_TMPDIR/model.zw" --json -o "$BATS_TEST_TMPDIR/m.npz"
    has_status 2
    says "E0805"
}

@test "equilibrium: text, JSON, start lines that are at rest" {
    model "$pendulum"
    zwang equilibrium "$BATS_TEST_TMPDIR/model.zw" --by "F, l" --json
    has_status 0
    holds 'near(a.state.x, 0, 1e-12)' 'near(a.state.y, -1, 1e-13)' 'near(a.multipliers.rod, -9.81/2, 1e-12)' \
        'a.stable === true' 'near(a.frequencies, [Math.sqrt(9.81)], 1e-12)' 'near(a.shapes[0].map(Math.abs), [1, 0], 1e-12)' \
        'near(a.derivatives.F.state.x, 1/9.81, 1e-12)' 'near(a.derivatives.l.state.y, -1, 1e-12)' \
        'near(a.derivatives.l.frequencies, [-Math.sqrt(9.81)/2], 1e-11)'
    zwang equilibrium "$BATS_TEST_TMPDIR/model.zw" --set F=3 --set-start
    has_status 0
    printf '%s\n%s\n' "$(grep -v '^start' "$BATS_TEST_TMPDIR/model.zw")" "$output" >"$BATS_TEST_TMPDIR/rest.zw"
    zwang run "$BATS_TEST_TMPDIR/rest.zw" --set F=3 --at 2 --columns "x, x'" -q
    [ "$status" -eq 0 ]
    node -e 'const [t, x, v] = process.argv[1].trim().split("\n")[1].split(",").map(Number);
        if (!(Math.abs(x - 3/Math.hypot(3, 9.81)) < 1e-9 && Math.abs(v) < 1e-9)) process.exit(1)' "$output"
}

@test "equilibrium: from above it falls to the stable side; exactly upright it stays and says so" {
    model "$pendulum"
    zwang equilibrium "$BATS_TEST_TMPDIR/model.zw" --state "x = 0.01, y = 0.99994999875" --json
    has_status 0
    holds 'near(a.state.y, -1, 1e-12)'
    zwang equilibrium "$BATS_TEST_TMPDIR/model.zw" --state "x = 0, y = 1" --json
    [ "$status" -eq 0 ]
    says "W0737" "unstable"
    holds 'a.stable === false' 'near(a.frequencies, [-Math.sqrt(9.81)], 1e-12)'
}

@test "words that are no numbers, and names that are not there" {
    model "$pendulum"
    zwang linearize "$BATS_TEST_TMPDIR/model.zw" --run soon
    has_status 2
    says "E0803" "--run"
    zwang equilibrium "$BATS_TEST_TMPDIR/model.zw" --by masss
    has_status 2
    says "E0108" "no parameter 'masss'"
    zwang linearize "$BATS_TEST_TMPDIR/model.zw" --outputs enrgy
    has_status 2
    says "E0721"
}
