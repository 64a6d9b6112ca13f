# Which solver: --solver of run, check and eval.
load common

chain="param N = 30
coord x[N], y[N]
kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)
potential sum(i in 1..N, 9.81*y[i])
constraint rod[1]: x[1]^2 + y[1]^2 = 1
for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1 }
for i in 1..N { start x[i] = i }
simulate t = 0..0.2, every = 0.1"

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' "$chain" >chain.zw
}

@test "an unknown solver: status 2 and a suggestion, nothing is read" {
    for command in run check eval; do
        zwang $command /nowhere.zw --solver spars
        has_status 2
        [ "$stderr" = "zwang: error[E0803]: option --solver: 'spars' is not possible
    help: did you mean 'sparse'? the solvers are auto, dense, sparse and parts" ]
    done
}

@test "help names the solvers, the manual page and the completion as well" {
    for command in run check eval; do
        zwang $command --help
        has_status 0
        prints "--solver=dense|sparse|parts|auto" "Solvers:
  auto "
        completes zwang $command --solver ''
        [ "${COMPREPLY[*]}" = "dense sparse parts auto" ]
        completes zwang $command --sol
        [ "${COMPREPLY[*]}" = "--solver" ]
    done
    "$ZWANG" help --man | grep -q -- "solver.*dense.*sparse.*parts.*auto"
}

@test "--stats tells what solved" {
    zwang run chain.zw --solver dense -q -o dense.csv --stats stats.json
    has_said 0
    output=$(cat stats.json)
    holds 'a.solver.used === "dense"' 'a.solver.form === "dense"' 'a.solver.factorizations >= 0'
    zwang run chain.zw --solver sparse -q -o sparse.csv --stats stats.json
    has_said 0
    output=$(cat stats.json)
    holds 'a.solver.used === "sparse"' '"SKH".includes(a.solver.form)' \
        'a.solver.factorizations >= a.evaluations'
}

@test "--stats tells what went by parts" {
    zwang run chain.zw --solver parts -q -o parts.csv --stats stats.json
    has_said 0
    output=$(cat stats.json)
    holds 'a.solver.used === "sparse"' 'a.parts.evaluations === a.evaluations' \
        '["declared", "levels", "carved", "components"].includes(a.parts.rule)' \
        'a.parts.count >= a.parts.shapes' 'a.parts.shapes > 0' '[4, 8].includes(a.parts.width)' \
        'a.roads.parts === a.evaluations'
    for solver in dense sparse; do
        zwang run chain.zw --solver $solver -q -o $solver.csv --stats stats.json
        output=$(cat stats.json)
        holds 'a.parts === null' 'a.roads.parts === 0'
    done
}

@test "all solvers give the same report" {
    for solver in dense sparse parts; do
        zwang check chain.zw --json --solver $solver -o $solver.json
        has_status 0
    done
    cmp dense.json sparse.json
    cmp dense.json parts.json
}

@test "the name of an earlier version is read, with a remark" {
    remark="zwang: remark[R0821]: option --solver: 'lanes' is called 'parts' now
    help: write --solver parts"
    for command in check eval run; do
        zwang $command chain.zw --solver parts -o new.json
        [ "$status" -eq 0 ]
        [[ $stderr != *R0821* ]]
        zwang $command chain.zw --solver lanes -o old.json
        [ "$status" -eq 0 ]
        says "$remark"
        cmp old.json new.json
        zwang $command chain.zw --solver lanes -q -o old.json
        has_status 0
    done
    zwang check chain.zw --solver lanes --messages json -o old.json
    [ "$status" -eq 0 ]
    output=$stderr
    holds 'a.length === 1' 'a[0].code === "R0821"' 'a[0].severity === "remark"' 'a[0].file === "zwang"'
    zwang run chain.zw --solver lanes -q -o old.json --stats stats.json
    output=$(cat stats.json)
    holds 'a.parts.evaluations === a.evaluations'
}
