# --max-memory, and what the command takes when it is not given.
load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf 'coord x[20000]\nkinetic dot(x%s, x%s)/2\nfor i in 2..20000 {\n constraint c[i]: x[i] = x[i-1]\n}\nsimulate t = 0..1\n' "'" "'" >large.zw
    printf 'coord x\nkinetic x%s^2/2\n' "'" >small.zw
    printf '{"M": [1], "Q": [1]}\n' >one.json
}

@test "sizes: bytes, powers of 1000 and of 1024" {
    for size in 100000000 100M 100MB 0.1G 100000k 96Mi 96MiB 1T; do
        zwang derive small.zw --max-memory "$size" -q -o /dev/null
        has_status 0
        zwang solve one.json --max-memory="$size" -o /dev/null
        has_status 0
    done
    for size in 0 -1 1e9 0x100 M 10X 10MM "10 M" "" nan inf 99999999T; do
        for command in "check small.zw" "run small.zw" "eval small.zw" "derive small.zw" "solve one.json"; do
            # shellcheck disable=SC2086
            zwang $command --max-memory="$size"
            has_status 2
            says "option --max-memory"
        done
    done
}

@test "a model that needs more is refused at its place, with the remedy" {
    zwang check large.zw --max-memory 3M
    has_status 1
    says "large.zw:" "error[E0319]" "--max-memory=SIZE"
    zwang check large.zw --max-memory 12M # it is built, and then takes more
    has_status 1
    says "error[E08" "--max-memory=SIZE"
}

@test "limits of the process are kept to" {
    [ -z "${SANITIZED:-}" ] || skip "a sanitizer needs more address space than the limits leave"
    run --separate-stderr bash -c 'ulimit -v 90000 && "$1" check large.zw --messages json' - "$ZWANG"
    [ "$status" -eq 1 ] || [ "$status" -eq 0 ]
    [ "$status" -eq 0 ] || says '"code": "E'
    # what would take tens of gigabytes is refused by a sentence, in a small process and in a large one
    printf 'let f0(a) = sin(a)\n' >bomb.zw
    for k in $(seq 1 40); do printf 'let f%d(a) = f%d(a + 1)*f%d(2*a)\n' "$k" $((k - 1)) $((k - 1)); done >>bomb.zw
    printf "coord x\nkinetic x'^2/2\npotential f40(x)\n" >>bomb.zw
    for limit in 100000 2000000; do
        run --separate-stderr bash -c 'ulimit -v "$2" && ulimit -t 20 && "$1" check bomb.zw' - "$ZWANG" "$limit"
        [ "$status" -eq 1 ]
        says "bomb.zw:" "error[E031"
    done
}

@test "memory that runs out is never called a file that cannot be written" {
    for limit in 30000 36000 42000 48000 56000 64000 80000; do
        code=$( (ulimit -v $limit && exec "$ZWANG" derive "$BATS_TEST_DIRNAME/../../models/stewart.zw" -o equations.txt) 2>&1 |
            grep -o 'error\[E[0-9]*\]' | head -n 1) || true
        case $code in "" | 'error[E0814]' | 'error[E0319]') ;; *) echo "$limit: $code" && return 1 ;; esac
    done
}
