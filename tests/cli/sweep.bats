#!/usr/bin/env bats
# zwang sweep: grids, samples and tables, what is kept, result files, parts and merging, ranks of MPI, and
# what goes wrong.
load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >osc.zw <<'END'
param m = 1, k = 4, c = [1, 2], N = 2
coord x, y[N]
kinetic m/2*x'^2 + dot(y', y')/2
potential k/2*x^2 + c[1]*dot(y, y)/2
start x = 1
when x < -10: stop
simulate t = 0..1
END
}

@test "grids: by steps, by counts, by ratios, lists, of parameters, elements and start values" {
    "$ZWANG" sweep osc.zw -q --vary "k = 1..2 by 0.25" --keep "last(t)" -o a.csv
    [ "$(cut -d, -f1 a.csv | tr '\n' ' ')" = "k 1 1.25 1.5 1.75 2 " ]
    "$ZWANG" sweep osc.zw -q --vary "k = 1..2 by 0.1" --keep "last(t)" -o a.csv
    [ "$(sed -n 5p a.csv)" = "1.3,1,0," ]
    "$ZWANG" sweep osc.zw -q --vary "k = log 1..1e4, 5" --keep "last(t)" -o a.csv
    [ "$(cut -d, -f1 a.csv | tr '\n' ' ')" = "k 1 10 100 1000 10000 " ]
    "$ZWANG" sweep osc.zw -q --vary "c[2] = [1, 2*pi]" --vary "x' = 0..1, 3" --keep "last(t)" -o a.csv
    [ "$(wc -l <a.csv)" -eq 7 ]
    [ "$(sed -n 7p a.csv)" = "6.283185307179586,1,1,0," ]
    "$ZWANG" sweep osc.zw -q --vary "y[2] = [0.5]" --keep "at(0, y)" -o a.csv
    [ "$(sed -n 2p a.csv)" = "0.5,0,0.5,0," ]
}

@test "a method brings its own tolerance, as it does to a single run" {
    for method in dopri5 gauss16 bdf; do
        "$ZWANG" sweep osc.zw -q --vary "k = [4]" --keep "last(x)" --method $method -o a.csv
        "$ZWANG" run osc.zw -q --method $method --every 1 --columns x -o b.csv
        [ "$(sed -n 2p a.csv | cut -d, -f2)" = "$(tail -n 1 b.csv | cut -d, -f2)" ]
    done
}

@test "samples combine with grids: every grid point has the same" {
    "$ZWANG" sweep osc.zw -q --vary "m = [1, 2]" --vary "k ~ normal(4, 1)" --samples 3 --keep "last(t)" -o a.csv
    [ "$(sed -n 2,4p a.csv | cut -d, -f2)" = "$(sed -n 5,7p a.csv | cut -d, -f2)" ]
    "$ZWANG" sweep osc.zw -q --vary "m = [1, 2]" --vary "k ~ normal(4, 1)" --samples 3 --seed 1 --keep "last(t)" -o b.csv
    run cmp -s a.csv b.csv
    [ "$status" -ne 0 ]
}

@test "a table: a row a run" {
    printf 'k,x\n1,2\n4,-1\n' >t.csv
    "$ZWANG" sweep osc.zw -q --table t.csv --keep "at(0, x)" -o a.csv
    [ "$(cat a.csv)" = "$(printf 'k,x,"at(0, x)",status,reason\n1,2,2,0,\n4,-1,-1,0,\n')" ]
}

@test "the same bytes for threads, batches, ranks; in lanes as run alone says" {
    sweep="sweep osc.zw -q --vary k~uniform(1,9) --vary x=[1,2] --samples 40 --design latin --keep last(x),at(0.5,x)"
    # shellcheck disable=SC2086
    {
        "$ZWANG" $sweep --threads 1 -o one.npz
        "$ZWANG" $sweep --threads 3 -o three.npz
        "$ZWANG" $sweep --batch 7 -o seven.npz
        "$ZWANG" $sweep --kernel bytecode -o bytes.npz
        "$ZWANG" $sweep -o one.csv
    }
    cmp one.npz three.npz
    cmp one.npz seven.npz
    cmp one.npz bytes.npz
    k=$(sed -n 2p one.csv | cut -d, -f1) x=$(sed -n 2p one.csv | cut -d, -f3)
    [ "$("$ZWANG" run osc.zw -q --set "k=$k" --columns x --at 1 | tail -1)" = "1,$x" ]
}

@test "a method brings its own tolerance, as in run" {
    "$ZWANG" sweep osc.zw -q --vary "k = [3]" --keep "last(x)" --method gauss16 -o usual.csv
    "$ZWANG" sweep osc.zw -q --vary "k = [3]" --keep "last(x)" --method gauss16 --tol 1e-12 -o said.csv
    "$ZWANG" sweep osc.zw -q --vary "k = [3]" --keep "last(x)" --method gauss16 --tol 1e-9 -o loose.csv
    cmp usual.csv said.csv
    run cmp -s usual.csv loose.csv
    [ "$status" -ne 0 ]
    alone=$("$ZWANG" run osc.zw -q --set k=3 --at 1 --columns x --method gauss16 | tail -1)
    [ "$(sed -n 2p usual.csv | cut -d, -f2)" = "${alone#*,}" ]
}

@test "largest, smallest, mean and integral have the bits of single runs in lanes, too" {
    sed '/^when/d' osc.zw >free.zw # events are looked for one by one
    cat >hoop.zw <<'END'
param w = 8, R = 0.25
coord r[3]
kinetic    dot(r', r')/2
potential  9.81*r[3]
constraint sphere: dot(r, r) = R^2
constraint plane:  -sin(w*t)*r[1] + cos(w*t)*r[2] = 0
start r = [0.1, 0, -sqrt(R^2 - 0.01)]
start r' = [0, 0.1*w, 0]
simulate t = 0..0.5
END
    kept="largest(%s),smallest(%s),mean(%s),integral(%s),last(%s),at(0.3,%s)"
    for of in "free.zw k=1..40,21 x" "hoop.zw w=1..12,21 r[3]" "hoop.zw w=1..12,5 multiplier(sphere)"; do
        # shellcheck disable=SC2086
        set -- $of
        "$ZWANG" sweep "$1" -q --vary "$2" --keep "${kept//%s/$3}" -o lanes.csv
        "$ZWANG" sweep "$1" -q --vary "$2" --keep "${kept//%s/$3}" --batch 5 -o fives.csv
        "$ZWANG" sweep "$1" -q --vary "$2" --keep "steps,${kept//%s/$3}" -o alone.csv # steps are told by single runs
        cmp lanes.csv fives.csv
        cmp <(tail -n +2 lanes.csv) <(tail -n +2 alone.csv | cut -d, -f1,3-)
    done
}

@test "parts are computed apart and merged" {
    sweep="sweep osc.zw -q --vary k~uniform(1,9) --samples 100 --keep last(x) -o s.json"
    # shellcheck disable=SC2086
    {
        "$ZWANG" $sweep
        mv s.json whole.json
        "$ZWANG" $sweep --part 3/3
        "$ZWANG" $sweep --part 1/3
        run "$ZWANG" $sweep --merge
        [ "$status" -eq 1 ]
        [[ "$output" == *"error[E0843]"* ]]
        "$ZWANG" $sweep --part 2/3
        "$ZWANG" $sweep --merge
    }
    cmp s.json whole.json
}

@test "a journal of another sweep is not gone on with; one in use is left alone" {
    "$ZWANG" sweep osc.zw -q --vary k=[1,2] -o s.csv --part 1/2
    mv s.csv.part-1-of-2 s.csv.journal
    run "$ZWANG" sweep osc.zw -q --vary k=[1,3] -o s.csv
    [ "$status" -eq 1 ]
    [[ "$output" == *"error[E0841]"*"remove the file"* ]]
    sed -i 's/simulate/output extra = x\nsimulate/' osc.zw
    run "$ZWANG" sweep osc.zw -q --vary k=[1,2] -o s.csv
    [ "$status" -eq 1 ]
    rm s.csv.journal
    flock s.csv.journal sleep 3 &
    sleep 0.5
    run "$ZWANG" sweep osc.zw -q --vary k=[1,2] -o s.csv
    [ "$status" -eq 1 ]
    [[ "$output" == *"error[E0842]"* ]]
    wait
}

@test "failed runs have a status and a reason; all failed is status 3" {
    run "$ZWANG" sweep osc.zw --vary "m = [1, -1]" --keep "last(x)" -o s.csv
    [ "$status" -eq 0 ]
    [[ "$output" == *"warning[W0846]: 1 of 2 runs failed"* ]]
    [[ "$(sed -n 3p s.csv)" =~ ^-1,nan,[0-9]+,.*E04 ]]
    run "$ZWANG" sweep osc.zw -q --vary "m = [-2, -1]" --keep "last(x)" -o s.csv
    [ "$status" -eq 3 ]
    "$ZWANG" sweep osc.zw -q --vary "m = [1, -1]" --keep "last(x)" -o s.json --summary sum.json
    node -e '
        const s = JSON.parse(fs.readFileSync("s.json")), t = JSON.parse(fs.readFileSync("sum.json"));
        if (s.rows[1][1] !== null || !s.rows[1][3].startsWith("E04") || t.failed !== 1 || t.columns[0].count !== 1) process.exit(1)'
}

@test "structural parameters vary, slowest" {
    "$ZWANG" sweep osc.zw -q --vary "k = [1, 4]" --vary "N = 1..3 by 1" --keep "last(y[1])" -o s.csv
    [ "$(cut -d, -f2 s.csv | tr '\n' ' ')" = "N 1 1 2 2 3 3 " ]
    [ "$(cut -d, -f4 s.csv | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = " 6 0; 1 status;" ]
}

@test "ranks of MPI share the work: the same bytes" {
    command -v mpirun >/dev/null && [ -e "$(dirname "$ZWANG")/zwang_mpi.so" ] || skip "no MPI"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # Open MPI keeps what it has taken
    sweep="sweep osc.zw -q --vary k~uniform(1,9) --samples 300 --keep last(x),largest(x)"
    # shellcheck disable=SC2086
    "$ZWANG" $sweep -o one.npz
    for n in 2 3; do
        # shellcheck disable=SC2086
        mpirun --oversubscribe --bind-to none -n $n "$ZWANG" $sweep -o ranks.npz
        cmp one.npz ranks.npz
    done
    # shellcheck disable=SC2086
    run env OMPI_COMM_WORLD_SIZE=2 ZWANG_MPI=nowhere.so "$ZWANG" $sweep -o none.npz
    [ "$status" -eq 2 ]
    [[ "$output" == *"error[E0844]"* ]]
}

# wrong TEXT-OF-MESSAGE OPTION...: refused, with status 2 and the message.
wrong() {
    expected=$1
    shift
    run "$ZWANG" sweep osc.zw -q -o w.csv "$@"
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"$expected"* ]]
    [ ! -e w.csv ] && [ ! -e w.csv.journal ]
}

@test "what cannot be varied, drawn or kept is refused with its code" {
    wrong "error[E0763]: nothing is varied"
    wrong "error[E0761]" --vary "k"
    wrong "error[E0761]" --vary "k = 1..2"
    wrong "error[E0761]" --vary "k = 1..2 by -1"
    wrong "error[E0761]" --vary "k = 1..2 by 0"
    wrong "error[E0761]" --vary "k = log 0..2, 3"
    wrong "error[E0761]" --vary "k = 1..2, 2.5"
    wrong "error[E0761]" --vary "k = "
    wrong "error[E0761]" --vary "k ~ gauss(1)"
    wrong "error[E0761]" --vary "k ~ normal(1)" --samples 2
    wrong "error[E0761]" --vary "k ~ uniform(2, 1)" --samples 2
    wrong "error[E0761]" --vary "N ~ uniform(1, 3)" --samples 2
    wrong "varied twice" --vary "k = [1]" --vary "k = [2]"
    wrong "error[E0762]" --vary "kk = [1]"
    wrong "did you mean 'c[1]'?" --vary "c = [1]"
    wrong "error[E0763]" --vary "k ~ normal(1, 1)"
    wrong "error[E0763]" --vary "k = [1]" --samples 3
    wrong "error[E0763]" --vary "k = 1..1e8 by 1" --vary "m = 1..1e8 by 1"
    wrong "error[E0764]" --vary "k = [1]" --keep "first(x)"
    wrong "error[E0764]" --vary "k = [1]" --keep "event(2)"
    wrong "error[E0764]" --vary "k = [1]" --keep "last(x), last(x)"
    wrong "error[E0721]" --vary "k = [1]" --keep "last(z)"
    wrong "error[E0766]" --vary "k = [1]" --keep "at(2, x)"
    wrong "error[E0766]" --vary "k = [1]" --keep "every(0, x)"
    printf 'k\n1\nz\n' >t.csv
    wrong "error[E0765]" --table t.csv
    printf '1\n2\n' >t.csv
    wrong "error[E0765]" --table t.csv
    wrong "error[E0803]" --vary "k = [1]" --part 3/2
    wrong "error[E0803]" --vary "k = [1]" --samples 0
    wrong "error[E0803]" --vary "k = [1]" --design sobel
    wrong "error[E0805]" --vary "k = [1]" --part 1/2 --merge
    run "$ZWANG" sweep osc.zw --vary "k = [1]" -o s.mat
    [ "$status" -eq 2 ]
    sed -i '/simulate/d' osc.zw
    wrong "error[E0766]" --vary "k = [1]"
}

@test "the end of a journal that is damaged is said, and computed again" {
    "$ZWANG" sweep osc.zw --vary "k = 1..40 by 1" -o whole.csv -q
    "$ZWANG" sweep osc.zw --vary "k = 1..40 by 1" --part 1/2 -o part.csv -q
    size=$(stat -c %s part.csv.part-1-of-2)
    head -c $((size - 5)) part.csv.part-1-of-2 >again.csv.journal
    run --separate-stderr "$ZWANG" sweep osc.zw --vary "k = 1..40 by 1" -o again.csv
    [ "$status" -eq 0 ]
    [[ $stderr == *W0847* ]]
    cmp whole.csv again.csv
}
