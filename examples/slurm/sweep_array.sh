#!/bin/sh
# One sweep as a job array, without MPI:  sbatch --array=1-100 sweep_array.sh
# Each task computes a part into a file of its own. Then, once all have ended:
#   sbatch --dependency=afterok:JOB sweep_merge.sh
#SBATCH --job-name=sweep-part
#SBATCH --array=1-4
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
set -eu
: "${ZWANG:=zwang}"
"$ZWANG" sweep pendulum.zw \
    --vary "l ~ normal(1, 0.05)" --vary "angle ~ uniform(0, 1)" --samples 10000 --design sobol \
    --keep "last(angle), largest(pull), trust" -o pendulum.npz \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
