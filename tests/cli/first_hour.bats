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
