#!/usr/bin/env bats
# Ranks of Open MPI, more than there are cores: from one to eight, each with one thread or two, give the bytes
# of the command alone; so does one sweep that is ended and gone on with by other numbers of ranks.

setup() {
    command -v mpirun >/dev/null && [ -e "$(dirname "$ZWANG")/zwang_mpi.so" ] || skip "no MPI"
    mpirun --version | grep -q 'Open MPI' || skip "not Open MPI"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # Open MPI keeps what it has taken
    cd "$BATS_TEST_TMPDIR"
    cp "$BATS_TEST_DIRNAME"/../../examples/slurm/pendulum.zw .
    sweep="sweep pendulum.zw --quiet --vary l~normal(1,0.05) --vary angle~uniform(0,1) --design latin --keep last(angle),largest(pull),trust"
}

mpi="mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n"

@test "one to eight ranks: the same bytes" {
    # shellcheck disable=SC2086
    "$ZWANG" $sweep --samples 2000 -o whole.npz
    for count in 1 2 3 4 5 6 7 8; do
        # shellcheck disable=SC2086
        $mpi $count "$ZWANG" $sweep --samples 2000 -o ranks.npz
        cmp whole.npz ranks.npz
        rm ranks.npz
    done
    # shellcheck disable=SC2086
    $mpi 5 "$ZWANG" $sweep --samples 2000 --threads 2 -o ranks.npz
    cmp whole.npz ranks.npz
}

@test "ended with five ranks, gone on with by eight, by threads, by six" {
    # shellcheck disable=SC2086
    "$ZWANG" $sweep --samples 20000 -o whole.csv
    for count in 5 8 0 6; do
        # shellcheck disable=SC2086
        if [ $count -eq 0 ]; then "$ZWANG" $sweep --samples 20000 -o ended.csv & else
            $mpi $count "$ZWANG" $sweep --samples 20000 -o ended.csv 2>/dev/null &
        fi
        pid=$!
        for _ in $(seq 200); do # until the journal has grown
            [ "$(stat -c %s ended.csv.journal 2>/dev/null || echo 0)" -le "${size:-0}" ] || break
            [ ! -e ended.csv ] || break
            sleep 0.05
        done
        kill -TERM $pid 2>/dev/null || true
        wait $pid || true
        size=$(stat -c %s ended.csv.journal 2>/dev/null || echo 0)
    done
    # shellcheck disable=SC2086
    $mpi 7 "$ZWANG" $sweep --samples 20000 -o ended.csv
    cmp whole.csv ended.csv
}
