# zwang run that does not reach its end: limits, failures on the way, interrupts, full disks.
load common

# A rotor that turns for ever; nothing in it ends by itself.
rotor="coord x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = 1
start x = 1"

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' "$rotor" >rotor.zw
}

# whole FILE: a header and rows of as many finite numbers, ascending in time, ended by a line end.
whole() {
    node -e '
        const text = require("fs").readFileSync(process.argv[1], "utf8");
        const [head, ...lines] = text.trimEnd().split("\n");
        const columns = head.split(",").length;
        let before = -Infinity;
        if (!text.endsWith("\n") || lines.length < 1) process.exit(1);
        for (const line of lines) {
            const row = line.split(",").map(Number);
            if (row.length !== columns || !row.every(Number.isFinite) || !(row[0] > before)) { console.log(line); process.exit(1); }
            before = row[0];
        }' "$1"
}

no_temporary() { [ -z "$(find . -name '.zwang-*')" ]; }

@test "--max-steps: status 3, the rows are there, the last one where the run got to" {
    zwang run rotor.zw --until 100 --every 0.01 --max-steps 5 -o rows.csv --stats stats.json
    has_said 3
    says "error[E0"
    whole rows.csv
    output=$(cat stats.json)
    holds 'a.steps === 5'
    [ "$(tail -n 1 rows.csv | cut -d, -f1)" = "$(node -p 'JSON.parse(require("fs").readFileSync("stats.json")).t')" ]
    no_temporary
    # on standard output as well
    zwang run rotor.zw --until 100 --every 0.01 --max-steps 5 --quiet
    has_said 3
    [ "$output" = "$(cat rows.csv)" ]
}

@test "--patience: status 3, the same rows and end every time, more by a larger number" {
    zwang run rotor.zw --until 1e7 --every 1 --patience 1e4 -o rows.csv --stats stats.json
    has_said 3
    says "error[E0707]: the run is given up at t = "
    whole rows.csv
    output=$(cat stats.json)
    holds 'a.steps + a.rejected >= 1000 && a.steps + a.rejected < 1100'
    no_temporary
    zwang run rotor.zw --until 1e7 --every 1 --patience 1e4 -o again.csv
    cmp rows.csv again.csv
    zwang run rotor.zw --until 1000 --every 100 --patience 1e6 --quiet
    has_said 0
}

@test "--max-time: status 3" {
    zwang run rotor.zw --until 1e9 --patience 1e15 --every 1 --max-time 0.3 -o rows.csv
    has_said 3
    says "rotor.zw: error[E0816]: the time limit of 0.3 s is reached at t = "
    whole rows.csv
    no_temporary
}

@test "a number that is none on the way: status 3, its rows up to there, all formats readable" {
    # x = -t from 1: the root of x + 1 - t becomes one of a negative number at t = 1
    model "coord x
kinetic x'^2/2
force x: sqrt(1 - t)
simulate t = 0..3, every = 0.1"
    zwang run model.zw -o rows.csv
    has_said 3
    says "error[E0" "model.zw"
    whole rows.csv
    [ "$(wc -l <rows.csv)" -ge 10 ]
    zwang run model.zw -o rows.json --quiet
    has_said 3
    output=$(cat rows.json)
    holds 'a.rows.length >= 9' 'a.rows.every((r) => r[0] <= 1)'
    no_temporary
}

@test "a force that grows without bound: status 3" {
    model "coord x
kinetic x'^2/2
potential -x^4
start x = 1, x' = 1"
    zwang run model.zw --until 10 --every 0.01 -o rows.csv
    has_said 3
    says "error[E0"
    whole rows.csv
}

@test "SIGINT and SIGTERM: status 130, a complete file of whole rows under its name" {
    for signal in INT TERM; do
        rm -f rows.csv
        run --separate-stderr timeout --preserve-status -s $signal 0.5 "$ZWANG" run rotor.zw --until 1e9 --patience 1e15 --every 0.01 -o rows.csv
        [ "$status" -eq 130 ] || { echo "$status $stderr" && return 1; }
        says "error[E0817]: interrupted at t = "
        whole rows.csv
        no_temporary
    done
    for ending in json npz mat; do
        run --separate-stderr timeout --preserve-status -s INT 0.3 "$ZWANG" run rotor.zw --until 1e9 --patience 1e15 --every 0.1 -o rows.$ending --quiet
        [ "$status" -eq 130 ]
        [ -s rows.$ending ]
    done
    output=$(cat rows.json)
    holds 'a.rows.length > 1' 'a.rows.every((r) => r.length === 5)'
}

@test "SIGINT while writing to standard output: whole rows" {
    run --separate-stderr bash -c "timeout --preserve-status -s INT 0.5 '$ZWANG' run rotor.zw --until 1e9 --patience 1e15 --every 0.01 --quiet >out.csv"
    [ "$status" -eq 130 ]
    whole out.csv
}

@test "killed hard: the final name is untouched" {
    echo before >rows.csv
    run --separate-stderr timeout -s KILL 0.3 "$ZWANG" run rotor.zw --until 1e9 --patience 1e15 --every 0.01 -o rows.csv
    [ "$status" -ne 0 ]
    [ "$(cat rows.csv)" = before ]
}

@test "what a killed process left is removed by the next that writes there; nothing that is at work" {
    echo mine >.zwang-notes.txt
    mkfifo .zwang-abcdef
    "$ZWANG" run rotor.zw --until 1e9 --patience 1e15 --every 0.01 -q -o long.csv &
    long=$!
    for _ in $(seq 100); do ls .zwang-?????? 2>/dev/null | grep -vq abcdef && break || sleep 0.05; done
    left=$(ls -d .zwang-?????? | grep -v abcdef)
    kill -STOP $long
    touch -d '1 hour ago' "$left"
    "$ZWANG" run rotor.zw --until 0.1 -q -o short.csv
    [ -e "$left" ] # somebody is at work on it
    kill -KILL $long
    wait $long || true
    "$ZWANG" run rotor.zw --until 0.1 -q -o short.csv
    [ ! -e "$left" ]
    [ -e .zwang-notes.txt ]
    [ -p .zwang-abcdef ]
    rm -f .zwang-*
}

@test "a second interrupt, while the output blocks, ends the process and leaves nothing" {
    # nobody reads the pipe: the first interrupt is noted, the write goes on waiting
    mkfifo pipe
    exec 9<>pipe
    timeout -s KILL 10 bash -c "trap - INT; exec '$ZWANG' run rotor.zw --until 1e9 --patience 1e15 --every 0.001 --quiet -o pipe" &
    sleep 0.7
    child=$(pgrep -P $! || true)
    [ -n "$child" ] || skip "no process to signal"
    kill -TERM "$child"
    sleep 0.3
    kill -0 "$child"
    kill -TERM "$child"
    code=0
    wait $! || code=$?
    exec 9>&-
    [ "$code" -eq 143 ] || { echo "$code" && return 1; }
}

@test "a full disk: E0813, status 1, no temporary file" {
    zwang run rotor.zw --until 1 -o /dev/full
    has_status 1
    says "/dev/full: error[E0813]: the file cannot be written: No space left on device"
    run --separate-stderr bash -c "'$ZWANG' run rotor.zw --until 1 >/dev/full"
    has_status 1
    says "error[E0813]: standard output cannot be written"
    # the file system's limit for files stands in for a full disk
    echo before >rows.csv
    run --separate-stderr bash -c "ulimit -f 8; trap '' XFSZ; '$ZWANG' run rotor.zw --until 100 --every 0.01 -o rows.csv"
    [ "$status" -eq 1 ]
    says "rows.csv: error[E0813]"
    [ "$(cat rows.csv)" = before ]
    no_temporary
}

@test "a folder that is not there, a folder as file: status 1 before anything runs" {
    zwang run rotor.zw --until 1e9 --patience 1e15 -o nowhere/rows.csv
    has_status 1
    says "nowhere/rows.csv: error[E0813]"
    mkdir rows.csv
    zwang run rotor.zw --until 1e9 --patience 1e15 -o rows.csv
    has_status 1
    says "E0813"
}

@test "a reader that has gone: status 1" {
    run --separate-stderr bash -c "set -o pipefail; '$ZWANG' run rotor.zw --until 1e9 --patience 1e15 --every 0.1 --quiet | head -n 1"
    [ "$status" -eq 1 ]
    says "Broken pipe"
}

@test "errors of the model: status 1, no file" {
    model "coord x
kinetic y'^2"
    zwang run model.zw --until 1 -o rows.csv
    has_status 1
    says "model.zw:2:9: error[E0"
    model "coord x, y
kinetic (x'^2 + y'^2)/2
constraint left: x = 0
constraint right: x = 1"
    zwang run model.zw --until 1 -o rows.csv
    has_status 1
    says "error[E0"
    [ ! -e rows.csv ]
    zwang run model.zw --until 1 -o rows.csv --inconsistent accept
    has_said 0
    whole rows.csv
}

@test "a long run says how far it is, in lines; not with --quiet" {
    zwang run rotor.zw --until 1e9 --patience 1e15 --every 100 --max-time 1.5 -o rows.csv
    has_said 3
    says "zwang: t = " " of 1e+09, " "steps/s" "left"
    zwang run rotor.zw --until 1e9 --patience 1e15 --every 100 --max-time 1.5 -o rows.csv --quiet
    has_said 3
    [[ $stderr != *"steps/s"* ]]
}

@test "on a terminal there is a bar" {
    command -v script >/dev/null || skip "no script(1)"
    run script -qec "'$ZWANG' run rotor.zw --until 1e9 --patience 1e15 --every 100 --max-time 1.5 -o rows.csv" /dev/null
    [[ $output == *$'\r['*"] t = "* ]] || { echo "$output" && return 1; }
}
