# What evaluates the equations: --kernel of run, --asm of derive.
load common

pendulum="param g = 9.81, l = 1
coord x, y
kinetic (x'^2 + y'^2)/2
potential g*y
constraint rod: x^2 + y^2 = l^2
start x = l
output height = sin(y) + l
when y < -0.9: y' = y'
simulate t = 0..2, every = 0.1"

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' "$pendulum" >pendulum.zw
}

# has_emitter: machine code is made for this processor, and the system lets it run.
has_emitter() {
    "$ZWANG" run pendulum.zw --kernel native --quiet -o /dev/null --stats emitter.json
    grep -q '"used": "native"' emitter.json
}

# kernel_of ARGUMENT...: runs the pendulum; the statistics are then the answer for `holds`.
kernel_of() {
    zwang run pendulum.zw -o rows.csv --stats stats.json "$@"
    has_said 0
    output=$(cat stats.json)
}

@test "an unknown kernel: status 2 and a suggestion, nothing is read" {
    for command in "run" "derive --asm"; do
        zwang $command /nowhere.zw --kernel bytcode
        has_status 2
        [ "$stderr" = "zwang: error[E0803]: option --kernel: 'bytcode' is not possible
    help: did you mean 'bytecode'? the kernels are auto, bytecode and native" ]
    done
}

@test "help names the kernels, the manual page and the completion as well" {
    zwang run --help
    has_status 0
    prints "--kernel=bytecode|native|auto" "Kernels:
  auto "
    for word in bytecode native auto; do
        prints "
  $word  "
        "$ZWANG" help --man | grep -q -- "kernel.*$word"
    done
    for command in run derive; do
        completes zwang $command --kernel ''
        [ "${COMPREPLY[*]}" = "bytecode native auto" ]
        completes zwang $command --kernel = na
        [ "${COMPREPLY[*]}" = native ]
    done
    completes zwang derive --lanes ''
    [ "${COMPREPLY[*]}" = "1 4 8" ]
}

@test "--stats tells what was asked for, what was used and what it took" {
    kernel_of --kernel bytecode
    [[ $stderr != *W0716* ]]
    holds 'a.compile_seconds > 0' 'a.kernel.asked === "bytecode"' 'a.kernel.used === "bytecode"' \
        'a.kernel.reason === "not asked for"' 'a.kernel.programs === 0' 'a.kernel.bytes === 0' \
        'a.kernel.seconds === 0' 'a.kernel.fused >= 0 && a.kernel.fused <= 2*a.evaluations'
    kernel_of
    [[ $stderr != *W0716* ]]
    holds 'a.kernel.asked === "auto"' '(a.kernel.used === "native") === (a.kernel.reason === null)'
    kernel_of --kernel auto --messages json
    [ "${stderr:-[]}" = "[]" ]
    holds 'a.kernel.asked === "auto"'
}

# promised: the processor is one for which machine code is made.
promised() {
    [ "$(uname -m)" = aarch64 ] || grep -qw avx2 /proc/cpuinfo
}

@test "machine code on x86-64 and AArch64" {
    promised || skip "there is no emitter for this processor"
    has_emitter || { cat emitter.json && return 1; }
    for kernel in native auto; do
        kernel_of --kernel $kernel
        [[ $stderr != *W0716* ]]
        holds 'a.kernel.used === "native"' 'a.kernel.reason === null' 'a.kernel.programs > 3' \
            'a.kernel.bytes > 100' 'a.kernel.seconds > 0 && a.kernel.seconds < 1'
    done
}

@test "a system that refuses executable memory: byte code, the same rows; native says so, auto nothing" {
    if [ ! -x "$WITHOUT_CODE" ]; then skip "WITHOUT_CODE does not name the program"; fi
    "$WITHOUT_CODE" "$ZWANG" --version || [ $? -ne 77 ] || skip "the system has no filters of calls"
    "$ZWANG" run pendulum.zw --quiet --columns all >free.csv
    for kernel in auto bytecode native; do
        run --separate-stderr "$WITHOUT_CODE" "$ZWANG" run pendulum.zw --kernel $kernel --columns all \
            -o rows.csv --stats stats.json
        has_said 0
        cmp free.csv rows.csv
        if [ $kernel = native ] && promised; then
            says "pendulum.zw: warning[W0716]: machine code was asked for, but byte code is used: the system refuses executable memory
    help: allow the process to make memory executable (SELinux, seccomp, MemoryDenyWriteExecute); the results are the same without it"
        fi
        [ $kernel = native ] || [[ $stderr != *W0716* ]]
        output=$(cat stats.json)
        holds 'a.kernel.used === "bytecode"' 'a.kernel.reason !== null' 'a.kernel.programs === 0'
    done
    run --separate-stderr "$WITHOUT_CODE" "$ZWANG" run pendulum.zw --kernel native --quiet
    has_status 0
}

@test "every kernel writes the same bytes, in every format and by every method" {
    for words in "-o rows.csv" "-o rows.npz" "-o rows.csv --method rk4" "-o rows.csv --method dopri5 --baumgarte 10" \
        "-o rows.csv --form projection"; do
        file=${words#-o } && file=${file%% *}
        for kernel in bytecode native auto; do
            zwang run pendulum.zw --columns all --quiet --kernel $kernel $words
            has_status 0
            [ $kernel = bytecode ] && mv "$file" expected || cmp "$file" expected
        done
    done
}

@test "derive --asm: every program with its title, byte code and machine code" {
    zwang derive --asm pendulum.zw
    has_status 0
    all=$output
    prints "  q, v, z: 0 x, 1 y
" "  value: 0 g, 1 l
" "program 1 of " ": A and b (constraint)" ": outputs (output)" ": conditions of events (when)" "
byte code
  " "
machine code, 1 lane
  " "
  outputs r"
    count=$(sed -n 's/^program 1 of \([0-9]*\):.*/\1/p' <<<"$all")
    [ "$(grep -c '^program [0-9]* of ' <<<"$all")" -eq "$count" ]
    [ "$(grep -c '^byte code$' <<<"$all")" -eq "$count" ]
    [ "$(grep -c '^machine code' <<<"$all")" -eq "$count" ]
    # no line is longer than a hundred characters, nor ends with a blank
    run ! grep -E '^.{101}| $' <<<"$all"
    zwang derive --asm pendulum.zw --kernel bytecode
    has_status 0
    [[ $output != *"machine code"* && $output == *"byte code"* ]]
    zwang derive --asm pendulum.zw --kernel native
    has_status 0
    [[ $output == *"machine code"* && $output != *"byte code"* ]]
    zwang derive --asm pendulum.zw --kernel auto
    [ "$output" = "$all" ]
}

@test "derive --asm: machine code is shown where it can be made, for each number of lanes another" {
    has_emitter || skip "there is no emitter for this processor"
    before=
    for lanes in 1 4 8; do
        zwang derive --asm pendulum.zw --kernel native --lanes $lanes
        has_status 0
        prints "
machine code, $lanes lane"
        [[ $output != *"no code:"* && $output != "$before" ]]
        before=$output
    done
}

@test "derive --asm: long runs are broken, families counted" {
    model "param N = 30
coord x[N]
kinetic dot(x', x')/2
for i in 1..N { potential (x[i] - sin(x[i]))^2 }
for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^3 = 0 }"
    zwang derive --asm model.zw --kernel bytecode
    has_status 0
    run ! grep -E '^.{101}| $' <<<"$output"
    zwang derive --asm model.zw --kernel bytecode --set N=5000
    has_status 0
    prints "(constraint, 4999 instances)" "59 x[60], ..."
    run ! grep -E '^.{101}| $' <<<"$output"
}

@test "derive --asm: what does not go with it" {
    for word in json latex; do
        zwang derive pendulum.zw --asm --$word
        has_status 2
        says "error[E0805]: --asm and --$word exclude each other" "as text only"
    done
    zwang derive pendulum.zw --kernel native
    has_status 2
    says "option --kernel: 'native' is not possible" "add --asm"
    zwang derive pendulum.zw --lanes 4
    has_status 2
    says "option --lanes: '4' is not possible" "add --asm"
    for lanes in 0 2 16 four "" 148; do
        zwang derive pendulum.zw --asm --lanes "$lanes"
        has_status 2
        says "option --lanes: '$lanes' is not possible" "write 1, 4 or 8"
    done
}

@test "lanes and threads: wrong ones are refused, the rows are the same" {
    zwang run pendulum.zw --lanes 3
    [ "$status" -eq 2 ]
    [ "$stderr" = "zwang: error[E0803]: option --lanes: '3' is not possible
    help: write 4 or 8" ]
    zwang run pendulum.zw --threads 0
    [ "$status" -eq 2 ]
    [ "$stderr" = "zwang: error[E0803]: option --threads: '0' is not possible
    help: write a whole number from 1 to 1024" ]
    cp "$BATS_TEST_DIRNAME/../../models/n_pendulum.zw" .
    for method in dop853 gauss16; do
        for lanes in 4 8; do
            "$ZWANG" run n_pendulum.zw --set N=100 --solver parts --until 0.02 --method $method -q --lanes $lanes \
                --threads $((lanes / 4)) -o $method-$lanes.csv --stats $lanes.json
        done
        cmp $method-4.csv $method-8.csv
    done
    grep -q '"width": *4' 4.json
    grep -q '"width": *8' 8.json
}
