#!/usr/bin/env bats
# A sweep that is killed at random times, gone on with, and killed again, gives the bytes of one that was
# left alone; so do ranks of MPI that are killed.

model() {
    cat <<'END'
param m = [1, 1], g = 9.81
coord a, b
let p = [sin(a), -cos(a)]
let q = p + [sin(b), -cos(b)]
kinetic m[1]/2*dot(p', p') + m[2]/2*dot(q', q')
potential g*(m[1]*p[2] + m[2]*q[2])
start a = 1.5, b = 1.2
simulate t = 0..2, tol = 1e-9
END
}

setup() {
    cd "$BATS_TEST_TMPDIR"
    model >pendulum.zw
    sweep="sweep pendulum.zw --quiet --vary m[2]~uniform(0.5,2) --vary a~normal(1,0.3) --design sobol --keep last(a),largest(b),trust"
}

@test "kills at random times, 50 of them: the same bytes" {
    # shellcheck disable=SC2086
    "$ZWANG" $sweep --samples 12000 -o whole.csv
    kills=0 round=0
    while [ $kills -lt "${KILLS:-50}" ]; do
        # shellcheck disable=SC2086
        "$ZWANG" $sweep --samples 12000 -o killed.csv & pid=$!
        # between 0.01 and 0.13 s, from a generator of our own
        round=$((round + 1)); wait_ms=$(((round * 7919) % 120 + 10))
        sleep "$(printf '0.%03d' $wait_ms)"
        if kill -9 $pid 2>/dev/null; then kills=$((kills + 1)); fi
        wait $pid 2>/dev/null || true
        if [ -e killed.csv ]; then cmp whole.csv killed.csv; rm killed.csv; fi
    done
    # shellcheck disable=SC2086
    "$ZWANG" $sweep --samples 12000 -o killed.csv
    cmp whole.csv killed.csv
    [ ! -e killed.csv.journal ]
}

@test "a journal that is cut or damaged anywhere: the same bytes" {
    # shellcheck disable=SC2086
    "$ZWANG" $sweep --samples 800 -o whole.csv
    # shellcheck disable=SC2086
    "$ZWANG" $sweep --samples 800 --part 1/2 -o part.csv
    size=$(stat -c %s part.csv.part-1-of-2)
    for k in 1 2 3 4 5 6 7 8 9 10; do
        head -c $((size * k / 11)) part.csv.part-1-of-2 >whole.csv.journal
        # shellcheck disable=SC2086
        "$ZWANG" $sweep --samples 800 -o again.csv
        mv whole.csv.journal again.csv.journal
        # shellcheck disable=SC2086
        "$ZWANG" $sweep --samples 800 -o again.csv
        cmp whole.csv again.csv
        cp part.csv.part-1-of-2 again.csv.journal
        printf 'x' | dd of=again.csv.journal bs=1 seek=$((size * k / 11)) conv=notrunc 2>/dev/null
        if [ $((size * k / 11)) -ge 32 ]; then
            # shellcheck disable=SC2086
            "$ZWANG" $sweep --samples 800 -o again.csv
            cmp whole.csv again.csv
        fi
        rm -f again.csv.journal
    done
}

@test "a rank of MPI that is killed: its batches are done by others, and it is said" {
    command -v mpirun >/dev/null && [ -e "$(dirname "$ZWANG")/zwang_mpi.so" ] || skip "no MPI"
    mpirun --version | grep -q 'Open MPI' || skip "not Open MPI"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # Open MPI keeps what it has taken
    # shellcheck disable=SC2086
    "$ZWANG" $sweep --samples 60000 -o whole.csv
    # shellcheck disable=SC2086
    mpirun --oversubscribe --enable-recovery --bind-to none -n 3 sh -c 'echo $$ >rank-$OMPI_COMM_WORLD_RANK; exec "$0" "$@"' "$ZWANG" ${sweep/--quiet/} --samples 60000 -o ranks.csv 2>said & pid=$!
    for _ in $(seq 600); do # until some of it is done
        [ ! -s ranks.csv.journal ] || break
        sleep 0.05
    done
    kill -9 "$(cat rank-2)"
    wait $pid
    cmp whole.csv ranks.csv
    grep -q W0845 said || { cat said && return 1; }
}
