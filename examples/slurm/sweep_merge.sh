#!/bin/sh
# Puts the parts of sweep_array.sh together: the same command with --merge.
#SBATCH --job-name=sweep-merge
#SBATCH --ntasks=1
#SBATCH --time=00:10:00
set -eu
: "${ZWANG:=zwang}"
"$ZWANG" sweep pendulum.zw \
    --vary "l ~ normal(1, 0.05)" --vary "angle ~ uniform(0, 1)" --samples 10000 --design sobol \
    --keep "last(angle), largest(pull), trust" -o pendulum.npz --summary pendulum.json --merge
