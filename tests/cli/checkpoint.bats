# zwang run --checkpoint: interrupted runs, what they leave, how they go on, what is refused.
load common

# A rotor that turns for ever, and one that bounces on a shaken floor.
setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >rotor.zw <<'MODEL'
param g = 9.81
coord x, y
kinetic (x'^2 + y'^2)/2
potential g*y
constraint rod: x^2 + y^2 = 1
start x = 1
MODEL
    cat >ball.zw <<'MODEL'
coord z
kinetic z'^2/2
potential 9.81*z
constraint ground: z >= 0.1*sin(7*t)
restitution ground: 0.95
start z = 1
MODEL
}

# only NAME...: these files and no others are there, models and what begins with "whole" apart.
only() {
    local have
    have=$(find . -type f ! -name '*.zw' ! -name 'whole*' ! -name 'separate-*' -printf '%f\n' | sort | tr '\n' ' ')
    [ "$have" = "$([ $# -eq 0 ] || printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || { echo "there is: $have" && return 1; }
}

# again [ARGUMENT...]: goes on with the rotor.
again() {
    zwang run rotor.zw --until 2000 --every 0.5 -o rows.csv --checkpoint check -q --resume "$@"
}

# stopped: a run of the rotor that has met its limit of time.
stopped() {
    zwang run rotor.zw --until 2000 --every 0.5 -o rows.csv --checkpoint check -q --max-time 0.02 "$@"
    has_said 3
}

@test "--max-time leaves FILE.part and a checkpoint; --resume has the bits of a whole run, in every format" {
    for ending in csv json npz mat; do
        "$ZWANG" run rotor.zw --until 2000 --every 0.5 -o whole.$ending -q
        echo before >rows.$ending
        zwang run rotor.zw --until 2000 --every 0.5 -o rows.$ending --checkpoint check --max-time 0.02
        has_said 3
        says "error[E0816]" "the same command with --resume goes on"
        only check check.old rows.$ending rows.$ending.part
        [ "$(cat rows.$ending)" = before ]
        zwang run rotor.zw --until 2000 --every 0.5 -o rows.$ending --checkpoint check --resume -q
        has_status 0
        only rows.$ending
        cmp whole.$ending rows.$ending
        rm rows.$ending
    done
}

@test "checkpoints all the time change nothing: rows, events, page, verdict" {
    for model in rotor ball; do
        "$ZWANG" run $model.zw --until 20 --every 0.3 -o whole.csv --events whole.events --stats whole.json --report whole.html -q
        "$ZWANG" run $model.zw --until 20 --every 0.3 -o rows.csv --events rows.events --stats rows.json --report rows.html -q \
            --checkpoint check --checkpoint-every 1e-9
        cmp whole.csv rows.csv
        cmp whole.events rows.events
        cmp <(grep -v 'seconds\|factorizations\|projection' whole.json) <(grep -v 'seconds\|factorizations\|projection' rows.json)
        # and in pieces: the page but for the verdict's seconds and the command line
        rm rows.*
        for ((k = 0; k < 200; k++)); do
            "$ZWANG" run $model.zw --until 20 --every 0.3 -o rows.csv --events rows.events --stats rows.json --report rows.html -q \
                --checkpoint check --resume --max-time 0.001 2>errors && break
        done
        [ "$k" -gt 0 ]
        cmp whole.csv rows.csv
        cmp whole.events rows.events
        cmp <(grep -v 'seconds\|factorizations\|projection' whole.json) <(grep -v 'seconds\|factorizations\|projection' rows.json)
        [ "$(wc -c <whole.html)" -lt "$(($(wc -c <rows.html) + 2000))" ]
        [ "$(wc -c <rows.html)" -lt "$(($(wc -c <whole.html) + 2000))" ]
        rm rows.* errors
    done
}

@test "SIGINT, SIGTERM, SIGXCPU leave a checkpoint, SIGUSR1 writes one and the run goes on" {
    "$ZWANG" run rotor.zw --until 40000 --every 5 -o whole.csv -q
    for signal in INT TERM XCPU; do
        run --separate-stderr timeout --preserve-status -s $signal 0.2 "$ZWANG" run rotor.zw --until 40000 --every 5 -o rows.csv --checkpoint check
        [ "$status" -eq 130 ] || { echo "$status $stderr" && return 1; }
        says "error[E0817]" "the same command with --resume goes on"
        only check check.old rows.csv.part
        zwang run rotor.zw --until 40000 --every 5 -o rows.csv --checkpoint check --resume -q
        has_status 0
        cmp whole.csv rows.csv
        rm rows.csv
    done
    # at first the checkpoint is of the start; one that a signal asks for makes that the old one
    "$ZWANG" run rotor.zw --until 1e9 --patience 1e15 --every 1e6 -o rows.csv --checkpoint check -q &
    child=$!
    for ((k = 0; k < 100; k++)); do [ -e check ] && break || sleep 0.05; done
    kill -USR1 $child
    for ((k = 0; k < 100; k++)); do [ -e check.old ] && break || sleep 0.05; done
    [ -e check.old ]
    kill -0 $child
    kill -KILL $child
    ! wait $child
    only check check.old rows.csv.part
}

@test "killed hard: rows are on the disk, and the run goes on" {
    run --separate-stderr timeout -s KILL 0.6 "$ZWANG" run rotor.zw --until 1e9 --patience 1e15 --every 0.5 -o rows.csv --checkpoint check --checkpoint-every 0.05
    [ -s rows.csv.part ]
    "$ZWANG" run rotor.zw --until 1e9 --patience 1e15 --every 0.5 -o whole.csv -q --max-time 1.5 || true
    [ "$(wc -c <whole.csv)" -gt "$(wc -c <rows.csv.part)" ] || skip "a slow machine"
    cmp -n "$(wc -c <rows.csv.part)" whole.csv rows.csv.part
}

@test "--resume without a checkpoint begins; rows without one are kept aside" {
    echo "rows of somebody" >rows.csv.part
    zwang run rotor.zw --until 10 -o rows.csv --checkpoint check --resume -q
    has_status 0
    only rows.csv rows.csv.part.old
    [ "$(cat rows.csv.part.old)" = "rows of somebody" ]
}

@test "a checkpoint that is not asked for is not overwritten" {
    stopped
    cp check before
    zwang run rotor.zw --until 2000 --every 0.5 -o rows.csv --checkpoint check
    has_status 1
    says "check: error[E0820]: there is a checkpoint already" "--resume"
    cmp check before
}

@test "another run is refused, and the message says what differs" {
    stopped --set g=9
    cp check before
    again
    has_status 1
    says "check: error[E0823]: this checkpoint is of another run: --set 'g=9' is missing"
    again --set g=8
    has_status 1
    says "--set was 'g=9' and is 'g=8'"
    again --set g=9 --method rk4 --step 0.01
    has_status 1
    says "--method was 'dop853' and is 'rk4'" "--step was"
    again --set g=9 --until 3000
    has_status 1
    says "the end was '2000' and is '3000'"
    again --set g=9 --columns x
    has_status 1
    says "--columns was '' and is 'x'"
    again --set g=9 --events happened
    has_status 1
    says "--events was 'not given' and is 'given'"
    sed -i 's/start x = 1/start x = 1 # there/' rotor.zw
    again --set g=9
    has_status 1
    says "the model has changed"
    cmp check before
    sed -i 's/ # there//' rotor.zw
    again --set g=9 --max-steps 1000000 --kernel bytecode # does not matter
    has_status 0
}

@test "modules, data and inputs count" {
    printf 'component Mass(m) { coord x\n kinetic m/2*x'"'"'^2 }\n' >parts_.zw
    printf 't,f\n0,0\n1000,1\n2000,0\n' >force.csv
    cat >pushed.zw <<'MODEL'
use parts_
part a = Mass(1)
input u = 0
force a.x: u
MODEL
    zwang run pushed.zw --input "u = force.csv:f" --until 2000 --every 0.01 -o rows.csv --checkpoint check --max-time 0.02 -q
    has_said 3
    sed -i 's/1000,1/1000,2/' force.csv
    zwang run pushed.zw --input "u = force.csv:f" --until 2000 --every 0.01 -o rows.csv --checkpoint check --resume
    has_status 1
    says "force.csv has changed"
    sed -i 's/1000,2/1000,1/' force.csv
    echo "# more" >>parts_.zw
    zwang run pushed.zw --input "u = force.csv:f" --until 2000 --every 0.01 -o rows.csv --checkpoint check --resume
    has_status 1
    says "parts_.zw has changed"
}

@test "damaged: the one before is taken; none that is whole is refused; rows must be those of the run" {
    "$ZWANG" run rotor.zw --until 2000 --every 0.5 -o whole.csv -q
    stopped --checkpoint-every 0.005
    for damage in 'truncate -s -1 check' 'printf X | dd of=check bs=1 seek=1000 conv=notrunc status=none' ': >check' 'rm check'; do
        rm -rf kept && mkdir kept && cp check* rows.csv.part kept
        eval "$damage"
        zwang run rotor.zw --until 2000 --every 0.5 -o rows.csv --checkpoint check --resume
        has_said 0
        [ "$damage" = 'rm check' ] || says "check: warning[W0824]"
        cmp whole.csv rows.csv
        rm rows.csv
        cp kept/* .
    done
    for wrong in 'X 1' 'cat check | head -c 100'; do
        rm check.old
        bash -c "$wrong" >part.check || true
        cp part.check check
        again
        has_status 1
        says "check: error[E0822]"
        cp kept/* .
    done
    # other rows, or none
    sed -i '2s/.*/0,2,3,4,5/' rows.csv.part
    again
    has_status 1
    says "rows.csv.part: error[E0822]"
    rm rows.csv.part
    again
    has_status 1
    says "rows.csv.part: error[E0822]"
    # they had become FILE when the process was killed
    cp whole.csv rows.csv
    again
    has_status 0
    cmp whole.csv rows.csv
}

@test "bdf goes on from its state, to its tolerance" {
    zwang run rotor.zw --until 1 --method bdf -q
    [ "$status" -eq 0 ] || skip "no bdf in this build"
    "$ZWANG" run rotor.zw --until 30 --every 1 --method bdf --tol 1e-9 -o whole.csv -q
    zwang run rotor.zw --until 30 --every 1 --method bdf --tol 1e-9 -o rows.csv --checkpoint check --max-time 0.003
    has_said 3
    zwang run rotor.zw --until 30 --every 1 --method bdf --tol 1e-9 -o rows.csv --checkpoint check --resume
    has_said 0
    says "remark[R0825]"
    node -e '
        const read = (f) => require("fs").readFileSync(f, "utf8").trim().split("\n").slice(1).map((l) => l.split(",").map(Number));
        const [a, b] = [read("whole.csv"), read("rows.csv")];
        if (a.length !== b.length || !a.every((r, i) => r.every((x, k) => Math.abs(x - b[i][k]) < 1e-4))) process.exit(1);'
}

@test "what does not go together: status 2 and no file" {
    for wrong in "--resume" "--checkpoint-every 3" "--checkpoint check" "--checkpoint check -o -" "--checkpoint - -o rows.csv" \
        "--checkpoint check -o rows.csv --checkpoint-every 0"; do
        zwang run rotor.zw --until 1 $wrong
        [ "$status" -eq 2 ] || { echo "$wrong: $status" && return 1; }
        only
    done
    zwang run rotor.zw --until 1 --checkpoint check -o /dev/null
    has_status 1
    says "/dev/null: error[E0813]"
    only
    zwang run rotor.zw --until 1 --checkpoint rotor.zw -o rows.csv
    has_status 1
    says "rotor.zw: error[E0821]"
    zwang run rotor.zw --until 1 --checkpoint nowhere/check -o rows.csv
    has_status 1
    says "E0813"
    only
}

@test "a full disk ends the run; with room again it goes on" {
    "$ZWANG" run rotor.zw --until 2000 --every 0.5 -o whole.csv -q
    run --separate-stderr bash -c "ulimit -f 64; '$ZWANG' run rotor.zw --until 2000 --every 0.5 -o rows.csv --checkpoint check -q"
    [ "$status" -eq 1 ] || { echo "$status $stderr" && return 1; }
    says "rows.csv.part: error[E0813]: the file cannot be written: File too large"
    again
    has_status 0
    cmp whole.csv rows.csv
    only rows.csv
}

@test "rows that are asked for, and a stop at the very start, do not change the steps" {
    cp "$root/models/stewart_legs.zw" legs.zw
    "$ZWANG" run legs.zw --until 0.05 --at 0.05 --columns top.r,top.r\' -o whole.csv -q
    "$ZWANG" run legs.zw --until 0.05 --every 0.01 --columns top.r,top.r\',all -o whole-all.csv -q
    [ "$(tail -n 1 whole.csv)" = "$(tail -n 1 whole-all.csv | cut -d, -f1-7)" ]
    zwang run legs.zw --until 0.05 --every 0.05 --columns top.r,top.r\' -o rows.csv --checkpoint check --max-time 1e-9 -q
    has_said 3
    says "at t = 0"
    zwang run legs.zw --until 0.05 --every 0.05 --columns top.r,top.r\' -o rows.csv --checkpoint check --resume -q
    has_status 0
    [ "$(tail -n 1 whole.csv)" = "$(tail -n 1 rows.csv)" ]
}
