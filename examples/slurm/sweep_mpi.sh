#!/bin/sh
# One sweep over all tasks of a job, by MPI:  sbatch --ntasks=64 sweep_mpi.sh
# The time limit may be shorter than the sweep: submit it again, and it goes on where it was ended.
#SBATCH --job-name=sweep
#SBATCH --ntasks=4
#SBATCH --time=01:00:00
#SBATCH --signal=TERM@60
# A minute before the end every process is told; whatever is done by then is in the journal anyway.
set -eu
: "${ZWANG:=zwang}"
srun --mpi="${MPI_KIND:-pmix}" "$ZWANG" sweep pendulum.zw \
    --vary "l ~ normal(1, 0.05)" --vary "angle ~ uniform(0, 1)" --samples 10000 --design sobol \
    --keep "last(angle), largest(pull), trust" -o pendulum.npz --summary pendulum.json
