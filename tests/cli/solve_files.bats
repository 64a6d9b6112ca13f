# Where `zwang solve` reads and writes: files, streams, and what happens when they fail.
load common

problem='{"M": [2], "Q": [3]}'

@test "standard input: no FILE, and -" {
    for words in solve "solve -"; do
        run --separate-stderr bash -c "echo '$problem' | '$ZWANG' $words"
        has_status 0
        holds 'near(a.acceleration, [1.5], 1e-15)'
    done
}

@test "messages about standard input name it -" {
    run --separate-stderr bash -c "echo '{' | '$ZWANG' solve"
    has_status 1
    [ "$stderr" = "-:1:2: error[E0901]: the text ends where string or '}' is expected
    {
     ^" ] || { echo "$stderr" && false; }
}

@test "a file that is not there, a folder, a file that may not be read" {
    zwang solve "$BATS_TEST_TMPDIR/none.json"
    has_status 1
    [ "$stderr" = "$BATS_TEST_TMPDIR/none.json: error[E0811]: the file cannot be read: No such file or directory" ]
    zwang solve "$BATS_TEST_TMPDIR"
    has_status 1
    says "error[E0811]: the file cannot be read: Is a directory"
    if [ "$(id -u)" -ne 0 ]; then
        echo "$problem" >"$BATS_TEST_TMPDIR/secret.json"
        chmod 000 "$BATS_TEST_TMPDIR/secret.json"
        zwang solve "$BATS_TEST_TMPDIR/secret.json"
        has_status 1
        says "error[E0811]: the file cannot be read: Permission denied"
    fi
}

@test "standard input that is closed or a folder" {
    run --separate-stderr bash -c "'$ZWANG' solve <&-"
    has_status 1
    says "error[E0811]: standard input cannot be read"
    run --separate-stderr bash -c "'$ZWANG' solve </"
    has_status 1
    says "error[E0811]: standard input cannot be read: Is a directory"
}

@test "a file of more than 1 GiB is refused before it is read" {
    truncate -s 1073741825 "$BATS_TEST_TMPDIR/large.json"
    zwang solve "$BATS_TEST_TMPDIR/large.json"
    has_status 1
    says "error[E0812]: the input is larger than 1 GiB"
}

@test "CRLF line ends and a byte-order mark are no mistakes" {
    printf '\xef\xbb\xbf{"M": [2],\r\n "Q": [3]}\r\n' >"$BATS_TEST_TMPDIR/p.json"
    zwang solve "$BATS_TEST_TMPDIR/p.json"
    has_status 0
    holds 'near(a.acceleration, [1.5], 1e-15)'
}

@test "-o writes the file, prints nothing, leaves nothing else" {
    mkdir "$BATS_TEST_TMPDIR/out"
    solve "$problem" -o "$BATS_TEST_TMPDIR/out/a.json"
    has_status 0
    [ -z "$output" ]
    [ "$(ls -A "$BATS_TEST_TMPDIR/out")" = a.json ]
    "$ZWANG" solve "$BATS_TEST_TMPDIR/problem.json" | cmp - "$BATS_TEST_TMPDIR/out/a.json"
    [ "$(stat -c %a "$BATS_TEST_TMPDIR/out/a.json")" = "$(printf '%o' $((0666 & ~$(umask))))" ]
}

@test "-o without a folder writes into this one" {
    cd "$BATS_TEST_TMPDIR"
    solve "$problem" --output=here.json
    has_status 0
    output=$(cat here.json)
    holds 'near(a.acceleration, [1.5], 1e-15)'
}

@test "-o - is standard output" {
    solve "$problem" -o -
    has_status 0
    holds 'near(a.acceleration, [1.5], 1e-15)'
    [ ! -e ./- ]
}

@test "-o replaces a file, keeps its permissions, and goes through links" {
    echo old >"$BATS_TEST_TMPDIR/a.json"
    chmod 640 "$BATS_TEST_TMPDIR/a.json"
    ln -s a.json "$BATS_TEST_TMPDIR/link.json"
    solve "$problem" -o "$BATS_TEST_TMPDIR/link.json"
    has_status 0
    [ -L "$BATS_TEST_TMPDIR/link.json" ]
    [ "$(stat -c %a "$BATS_TEST_TMPDIR/a.json")" = 640 ]
    output=$(cat "$BATS_TEST_TMPDIR/a.json")
    holds 'near(a.acceleration, [1.5], 1e-15)'
}

@test "-o may not name the input" { # more of it in overwrite.bats
    echo "$problem" >"$BATS_TEST_TMPDIR/both.json"
    zwang solve "$BATS_TEST_TMPDIR/both.json" -o "$BATS_TEST_TMPDIR/both.json"
    has_status 1
    says "E0821"
    [ "$(cat "$BATS_TEST_TMPDIR/both.json")" = "$problem" ]
}

@test "wrong data leave an old answer as it was" {
    mkdir "$BATS_TEST_TMPDIR/out"
    echo old >"$BATS_TEST_TMPDIR/out/a.json"
    solve '{"M": [2]}' -o "$BATS_TEST_TMPDIR/out/a.json"
    has_status 1
    [ "$(cat "$BATS_TEST_TMPDIR/out/a.json")" = old ]
    [ "$(ls -A "$BATS_TEST_TMPDIR/out")" = a.json ]
}

@test "-o into a folder that is not there, or is a folder: status 1 and a sentence" {
    solve "$problem" -o "$BATS_TEST_TMPDIR/none/a.json"
    has_status 1
    [ "$stderr" = "$BATS_TEST_TMPDIR/none/a.json: error[E0813]: the file cannot be written: No such file or directory" ]
    solve "$problem" -o "$BATS_TEST_TMPDIR"
    has_status 1
    says "error[E0813]: the file cannot be written: Is a directory"
    solve "$problem" -o "$BATS_TEST_TMPDIR/problem.json/a.json"
    has_status 1
    says "error[E0813]" "Not a directory"
}

@test "-o into a folder where nobody may write: status 1, nothing left" {
    # /proc refuses even root
    solve "$problem" -o /proc/zwang.json
    has_status 1
    says "/proc/zwang.json: error[E0813]: the file cannot be written"
    if [ "$(id -u)" -ne 0 ]; then
        mkdir "$BATS_TEST_TMPDIR/closed"
        chmod 555 "$BATS_TEST_TMPDIR/closed"
        solve "$problem" -o "$BATS_TEST_TMPDIR/closed/a.json"
        has_status 1
        says "Permission denied"
        [ -z "$(ls -A "$BATS_TEST_TMPDIR/closed")" ]
    fi
}

@test "-o to a device or a pipe writes into it" {
    solve "$problem" -o /dev/null
    has_status 0
    [ -c /dev/null ]
    solve "$problem" -o /dev/stdout
    has_status 0
    holds 'near(a.acceleration, [1.5], 1e-15)'
    solve "$problem" -o /dev/full
    has_status 1
    says "/dev/full: error[E0813]: the file cannot be written: No space left on device"
}

@test "a full disk: status 1, the old file stays, no other is left" {
    limit=8192
    node -e 'console.log(JSON.stringify({M: Array(2000).fill(3), Q: Array(2000).fill(1)}))' >"$BATS_TEST_TMPDIR/p.json"
    mkdir "$BATS_TEST_TMPDIR/out"
    echo old >"$BATS_TEST_TMPDIR/out/a.json"
    # a limit on the size of files stands in for the full disk
    run --separate-stderr bash -c "trap '' XFSZ; ulimit -f $((limit / 1024));
        '$ZWANG' solve '$BATS_TEST_TMPDIR/p.json' -o '$BATS_TEST_TMPDIR/out/a.json'"
    has_status 1
    says "error[E0813]: the file cannot be written: File too large"
    [ "$(cat "$BATS_TEST_TMPDIR/out/a.json")" = old ]
    [ "$(ls -A "$BATS_TEST_TMPDIR/out")" = a.json ]
}

@test "standard output full or closed: status 1 and a sentence" {
    echo "$problem" >"$BATS_TEST_TMPDIR/p.json"
    run --separate-stderr bash -c "'$ZWANG' solve '$BATS_TEST_TMPDIR/p.json' >/dev/full"
    has_status 1
    [ "$stderr" = "zwang: error[E0813]: standard output cannot be written: No space left on device" ]
    run --separate-stderr bash -c "'$ZWANG' solve '$BATS_TEST_TMPDIR/p.json' >&-"
    has_status 1
    says "error[E0813]: standard output cannot be written"
}

@test "a reader that has gone: status 1 and a sentence, not a silent death" {
    # more than a pipe holds, so that it is noticed whenever the reader goes
    node -e 'console.log(JSON.stringify({M: Array(300).fill(1), Q: Array(300).fill(0.3), basis: true}))' \
        >"$BATS_TEST_TMPDIR/p.json"
    run --separate-stderr bash -c "{ '$ZWANG' solve '$BATS_TEST_TMPDIR/p.json'; echo status \$? >&2; } | true"
    says "error[E0813]: standard output cannot be written: Broken pipe" "status 1"
}

@test "standard error closed: the output file holds the answer alone" {
    echo "$problem" >"$BATS_TEST_TMPDIR/p.json"
    run bash -c "'$ZWANG' solve '$BATS_TEST_TMPDIR/p.json' -o '$BATS_TEST_TMPDIR/a.json' 2>&-"
    [ "$status" -eq 0 ]
    "$ZWANG" solve "$BATS_TEST_TMPDIR/p.json" | cmp - "$BATS_TEST_TMPDIR/a.json"
    run bash -c "echo x | '$ZWANG' solve 2>&-"
    [ "$status" -eq 1 ]
}

@test "all three streams closed: status 1 without a crash" {
    run bash -c "'$ZWANG' solve <&- >&- 2>&-"
    [ "$status" -eq 1 ]
}

# slow_list: a list in p.json that takes well over a second, on any machine.
slow_list() {
    local count=10 took=0
    while [ "$took" -lt 2500000000 ]; do
        count=$((count * 2))
        # little to read, much to write
        node -e 'const n = 300, A = [Array.from({length: n}, (_, k) => Math.sin(k + 1))];
            const p = {M: Array(n).fill(1.7), Q: Array(n).fill(0.3), A, b: [1], basis: true};
            console.log(JSON.stringify(Array(Number(process.argv[1])).fill(p)));' $count \
            >"$BATS_TEST_TMPDIR/p.json"
        took=$(date +%s%N)
        "$ZWANG" solve --quiet "$BATS_TEST_TMPDIR/p.json" -o /dev/null 2>"$BATS_TEST_TMPDIR/quiet"
        took=$(($(date +%s%N) - took))
        [ ! -s "$BATS_TEST_TMPDIR/quiet" ]
    done
}

@test "progress: lines where standard error is no terminal, a bar where it is, none with --quiet" {
    slow_list
    zwang solve "$BATS_TEST_TMPDIR/p.json" -o /dev/null
    [ "$status" -eq 0 ]
    [[ $stderr =~ ^zwang:\ [0-9]+\ of\ [0-9]+\ problems ]]
    zwang solve --messages json "$BATS_TEST_TMPDIR/p.json" -o /dev/null
    has_status 0
    command -v script >/dev/null || skip "no script command to make a terminal"
    run script -qec "'$ZWANG' solve '$BATS_TEST_TMPDIR/p.json' -o /dev/null" /dev/null
    [[ $output == *$'\r[#'*" problems"* ]]
    [[ $output == *$'\r\e[K'* ]]
}
