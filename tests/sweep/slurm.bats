#!/usr/bin/env bats
# The scripts of examples/slurm, by a Slurm of one node that is started here, in a folder and with ports of
# its own: an array of parts that are merged, and ranks by srun, give the bytes of the command alone.

# A port that nobody listens on, from the one given on.
free_port() {
    local port=$1
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
    echo "$port"
}

configure() {
    cat <<END
ClusterName=zwang
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
SlurmctldPort=$(free_port 26817)
SlurmdPort=$(free_port 26917)
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
}

# Whatever cannot be had here skips the test, with the reason.
setup() {
    for program in slurmctld slurmd sbatch srun; do
        command -v $program >/dev/null || skip "no $program"
    done
    [ "$(id -u)" -eq 0 ] || skip "a Slurm of one's own needs root"
    slurm=$BATS_TEST_TMPDIR host=$(hostname -s)
    mkdir -p "$slurm/state" "$slurm/spool" "$slurm/work"
    export SLURM_CONF=$slurm/slurm.conf
    configure >"$SLURM_CONF"
    cp "$BATS_TEST_DIRNAME"/../../examples/slurm/* "$slurm/work"
    cd "$slurm/work"
    slurmctld -D 3>&- >/dev/null 2>&1 & controller=$!
    slurmd -D -N "$host" 3>&- >/dev/null 2>&1 & node=$!
    for _ in $(seq 100); do
        ! sinfo -h -o %t 2>/dev/null | grep -qx idle || return 0
        sleep 0.2
    done
    tail -n 3 "$slurm"/*.log >&2
    teardown
    skip "Slurm does not start here: $(tail -n 1 "$slurm/slurmd.log" "$slurm/slurmctld.log" | tr '\n' ' ')"
}

teardown() {
    for pid in ${node:-} ${controller:-}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    node='' controller=''
}

# Submits, and waits for the end; what the job printed is shown where it failed.
submit() {
    if ! timeout 300 sbatch --wait --quiet --export=ALL --output="$slurm/said-%j" --chdir="$slurm/work" "$@"; then
        cat "$slurm"/said-* >&2
        return 1
    fi
}

whole() {
    "$ZWANG" sweep pendulum.zw -q --vary "l ~ normal(1, 0.05)" --vary "angle ~ uniform(0, 1)" --samples 10000 \
        --design sobol --keep "last(angle), largest(pull), trust" -o whole.npz --summary whole.json
}

@test "an array of four parts, then merged: the bytes of the command alone" {
    whole
    submit --array=1-4 sweep_array.sh
    [ "$(find . -name 'pendulum.npz.part-*-of-4' | wc -l)" -eq 4 ]
    submit sweep_merge.sh
    cmp whole.npz pendulum.npz
    cmp whole.json pendulum.json
}

@test "ranks by srun: the bytes of the command alone" {
    [ -e "$(dirname "$ZWANG")/zwang_mpi.so" ] || skip "no MPI"
    srun --mpi=list 2>&1 | grep -q pmix || skip "this Slurm has no PMIx"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    whole
    submit --ntasks=4 sweep_mpi.sh
    cmp whole.npz pendulum.npz
    cmp whole.json pendulum.json
}
