#!/usr/bin/env bats
# What a person meets first: a model to begin with, degrees, several outputs in one statement.

load common

setup() { cd "$BATS_TEST_TMPDIR"; }

@test "new: every kind is a model that runs with trust ok, and is never overwritten" {
    for kind in particle linkage bodies control; do
        zwang new "$kind" --kind "$kind"
        has_said 0
        zwang run "$kind.zw" --columns t --every 1
        has_said 0
        [[ $stderr == *"trust        ok"* ]]
        before=$(cat "$kind.zw")
        zwang new "$kind" --kind "$kind"
        has_status 1
        says "error[E0820]"
        [ "$before" = "$(cat "$kind.zw")" ]
    done
    zwang new other --kind robot
    has_status 2
    says "error[E0803]" "particle, linkage, bodies or control"
    [ ! -e other.zw ]
}

@test "degrees follow a number or stand as a function; a name of one's own wins" {
    printf '%s\n' "coord a" "kinetic a'^2" "start a = 90 deg" "output p = deg(30), q = sin(30 deg), r = 180*deg" "simulate t = 0..1" >deg.zw
    zwang run deg.zw --columns "a, p, q, r" --at 0 -q
    has_status 0
    holds_row() { node -e 'const x = process.argv[1].trim().split("\n").pop().split(",").map(Number);
        const y = [0, Math.PI / 2, Math.PI / 6, 0.5, Math.PI];
        process.exit(x.length === 5 && x.every((v, i) => Math.abs(v - y[i]) < 1e-15) ? 0 : 1)' "$1"; }
    holds_row "$output" || { echo "$output" && return 1; }
    printf '%s\n' "param deg = 7" "coord a" "kinetic a'^2" "output p = 2*deg" "simulate t = 0..1" >own.zw
    zwang run own.zw --columns p --at 0 -q
    [ "${output##*,}" = 14 ]
}

@test "columns stand in outputs and mean the same there; a name of one's own wins" {
    printf '%s\n' "param m = 2, g = 9.81, l = 1" "coord x, y, r[2], th" \
        "kinetic m/2*(x'^2 + y'^2) + (r[1]'^2 + r[2]'^2)/2 + (1 + x^2)*th'^2/2" "potential m*g*y" \
        "constraint bar: x^2 + y^2 = l^2" "constraint again: 2*x^2 + 2*y^2 = 2*l^2" \
        "control c: [r[1], th + r[2]] = [sin(t), t]" \
        "output a = force(x), b = control(r), e = energy, k = kinetic, p = potential, n = rank, d = control(th)" \
        "output zero = energy - kinetic - potential + 2*force(r)[2]/2 - force(r[2])" \
        "start x = 0.6, y = -0.8, r[1] = 0, r[2] = 0, th = 0, r[1]' = 1, th' = 1" "simulate t = 0..2" >shown.zw
    zwang run shown.zw --every 0.25 -q --columns \
        "a, force(x), b, control(r), e, energy, k, kinetic, p, potential, n, rank, d, control(th), zero"
    has_status 0
    node -e 'const rows = process.argv[1].trim().split("\n").slice(1).map(l => l.split(",").map(Number));
        const pairs = [[1, 2], [3, 5], [4, 6], [7, 8], [9, 10], [11, 12], [13, 14], [15, 16]];
        const good = rows.length === 9 && rows.every(r => pairs.every(([i, j]) => Math.abs(r[i] - r[j]) <= 1e-13 * (1 + Math.abs(r[j])))
            && Math.abs(r[17]) < 1e-12 && r[13] === 3) && rows.some(r => Math.abs(r[1]) > 1) && rows.some(r => Math.abs(r[3]) > 0.1);
        process.exit(good ? 0 : 1)' "$output" || { echo "$output" && return 1; }
    printf '%s\n' "param energy = 5, rank = 3" "coord x" "kinetic x'^2" "output p = energy + rank" "simulate t = 0..1" >own.zw
    zwang run own.zw --columns p --at 0 -q
    [ "${output##*,}" = 8 ]
}

@test "columns stand in outputs only, and have no rate there" {
    printf '%s\n' "coord x" "kinetic x'^2" "potential 2*energy" "output f = force(x, x)" "simulate t = 0..1" >bad.zw
    zwang check bad.zw
    has_status 1
    says "bad.zw:3:13: error[E0102]: unknown name 'energy'" "may stand in an output, and only there" \
        "bad.zw:4:12: error[E0111]: 'force' takes 1 argument, not 2"
    printf '%s\n' "coord x" "kinetic x'^2" "let a = kinetic" >word.zw
    zwang check word.zw
    has_status 1
    says "error[E0017]" "may stand in an output"
    printf '%s\n' "coord x" "kinetic x'^2/2" "potential x^2" "output f = force(x), g = x^2" "simulate t = 0..1" >rate.zw
    zwang linearize rate.zw --outputs g -q
    has_status 0
    zwang linearize rate.zw --outputs f
    has_status 2
    says "error[E0739]" "there is no derivative of 'f'"
}

@test "a .mat in the plain layout has a variable for each column" {
    printf '%s\n' "coord x, r[2], θ" "kinetic x'^2 + r[1]'^2 + r[2]'^2 + θ'^2" "start x' = 1, θ = 2" \
        "output r_2 = 7" "simulate t = 0..1, every = 0.5" >model.zw
    zwang run model.zw -o rows.mat --mat plain --columns "x, x', x'', r, θ, r_2, force(x)" -q
    has_status 0
    node -e 'const b = require("fs").readFileSync("rows.mat"), found = {};
        for (let at = 0; at < b.length;) {
            const [type, rows, columns, imaginary, length] = [0, 4, 8, 12, 16].map((k) => b.readUInt32LE(at + k));
            const name = b.toString("latin1", at + 20, at + 19 + length), from = at + 20 + length;
            if (type !== 0 || columns !== 1 || imaginary !== 0 || !/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) process.exit(1);
            found[name] = Array.from({length: rows}, (_, k) => b.readDoubleLE(from + 8 * k));
            at = from + 8 * rows;
        }
        const wanted = {t: [0, 0.5, 1], x: [0, 0.5, 1], x_d: [1, 1, 1], x_dd: [0, 0, 0], r_1: [0, 0, 0], r_2: [0, 0, 0],
            v_: [2, 2, 2], r_2_: [7, 7, 7], force_x: [0, 0, 0]};
        const same = (a, b) => a && a.length === b.length && a.every((v, i) => Math.abs(v - b[i]) < 1e-12);
        const names = Object.keys(wanted);
        process.exit(Object.keys(found).length === names.length && names.every((n) => same(found[n], wanted[n])) ? 0 : 2)'
    zwang run model.zw -o rows.mat --mat flat
    has_status 2
    says "option --mat: 'flat' is not possible" "write plain or openmodelica"
    zwang run model.zw -o rows.csv --mat plain
    has_status 2
    says "it goes with -o FILE.mat"
    zwang run model.zw -o rows.mat --mat openmodelica -q
    has_status 0
    [ "$(head -c 200 rows.mat | tr -d '\0' | grep -ac Aclass)" -ge 1 ]
}

@test "bodies have places, angles, rates and the loads of joints by default; the rest when it is asked for" {
    zwang new bars --kind linkage
    zwang run bars.zw --at 0 -q
    has_status 0
    head=${output%%$'\n'*}
    [ "$(tr , '\n' <<<"$head" | wc -l)" -le 40 ]
    for name in "crank.r[1]" crank.th "crank.th'" bearing.F[1] bearing.T bearing.angle motor.power angle; do
        [[ ",$head," == *",$name,"* ]] || { echo "no $name in $head" && return 1; }
    done
    [[ $head != *F_a* && $head != *F_b* && $head != *T_b* && $head != *bearing.rate* ]]
    zwang run bars.zw --at 0 -q --columns all
    for name in bearing.F_a[1] bearing.F_b[2] bearing.T_b bearing.rate; do
        [[ "$output" == *",$name,"* ]] || { echo "no $name" && return 1; }
    done
    zwang run bars.zw --at 0 -q --columns "bearing.rate, bearing.F_a[2]"
    has_status 0
    [[ $output == *$'\n'"0,6,"* ]] || [[ $output == *$'\n'"0,5.99"* ]]
    zwang run bars.zw --at 0 -q --columns bearing
    [[ $output == *"bearing.F_b[1]"* ]]
    printf '%s\n' "coord x" "kinetic x'^2" "output aside a = 1, b = 2, aside c = 3" "output aside = 4" "simulate t = 0..1" >own.zw
    zwang run own.zw --at 0 -q
    [ "${output%%$'\n'*}" = "t,x,x',b,aside" ]
}

@test "arguments of components are checked where they are given, and a part that failed has no further errors" {
    printf '%s\n' "use planar" "part ground = Ground()" "part crank = Bar(1, from = [0, 0], to = [0, 0.1])" \
        "part h = Hinge(ground, 3, at = [0, 0])" "part k = Hinge(crank, at = [0, 0])" \
        "part m = Motor(crank.th, T = 2)" "part j = Hing(ground, crank)" \
        "output w = h.rate + k.angle + m.T + j.angle" "output v = nothing" >model.zw
    zwang check model.zw
    has_status 1
    says "model.zw:4:24: error[E0104]: argument 2 of 'Hinge' is to be a part, such as a body, not a number" \
        "model.zw:5:10: error[E0111]: argument 'b' of 'Hinge' is missing" \
        "model.zw:6:16: error[E0104]: argument 1 of 'Motor' is to be a part" \
        "model.zw:7:10: error[E0102]: there is no component 'Hing'" \
        "model.zw:9:12: error[E0102]: unknown name 'nothing'"
    [ "$(grep -c 'error\[' <<<"$stderr")" -eq 5 ]
}

@test "errors of reading do not hide the others, and names that were lost are not unknown" {
    printf '%s\n' "coord x, y" "param k = = 3" "let s = (x + " "kinetic x'^2 + wrong" "potential k*s" \
        "constraint c: x = = 2" "output a = multiplier(c) + missing" \
        "let f = sin(x, y)" "output b = f" >model.zw
    zwang check model.zw
    has_status 1
    says "model.zw:2:11: error[E0015]" "model.zw:3:9: error[" "model.zw:6:19: error[E0015]" \
        "model.zw:4:16: error[E0102]: unknown name 'wrong'" "model.zw:7:28: error[E0102]: unknown name 'missing'"
    says "model.zw:8:9: error[E0018]: 'sin' takes 1 argument, not 2"
    [[ $stderr != *"'k'"* && $stderr != *"'s'"* && $stderr != *"'c'"* && $stderr != *"'f'"* ]]
    printf '%s\n' "use planr" "part g = Ground()" "coord x" "kinetic x'^2 + wrong" >model.zw
    zwang check model.zw
    has_status 1
    [[ $stderr != *"'Ground'"* ]]
}
