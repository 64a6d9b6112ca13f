# Wrong data: every broken input of tests/diag/solve with its exact message, and what files
# cannot hold.
load common

diag=$root/tests/diag/solve

@test "every broken input: status 1, nothing printed, exactly the expected message" {
    cd "$diag"
    failed=0 count=0
    for file in *.json; do
        count=$((count + 1))
        zwang solve "$file"
        if ! has_status 1 || ! diff -u "${file%.json}.expected" <(printf '%s\n' "$stderr"); then
            echo "^ $file"
            failed=$((failed + 1))
        fi
    done
    [ "$count" -gt 100 ]
    [ "$failed" -eq 0 ]
}

@test "every expected message has its input" {
    cd "$diag"
    for file in *.expected; do [ -f "${file%.expected}.json" ]; done
}

@test "every code has a broken input or a test, and a line in docs/CLI.md" {
    codes=$(sed -n 's/.*X(MSG_[A-Z_]*, "\([EWR][0-9]*\)".*/\1/p' "$root/cli/frame/command_messages.h")
    [ "$(wc -w <<<"$codes")" -gt 20 ]
    for code in $codes; do
        grep -q "^| \`$code\` |" "$root/docs/CLI.md" || { echo "$code is not in docs/CLI.md" && return 1; }
        # memory, defects of the library and answers it does not trust cannot be had on request;
        # JSON has no number that is not finite
        case $code in E0814 | E0921 | E0928 | E0929) continue ;; esac
        grep -rq "$code" "$diag" "$here"/*.bats "$root"/tests/sweep/*.bats || { echo "$code has no test" && return 1; }
    done
    # and the other way round
    for code in $(sed -n 's/^| `\([EWR][0-9]*\)` |.*/\1/p' "$root/docs/CLI.md"); do
        [[ $codes == *$code* ]] || { echo "$code is only in docs/CLI.md" && return 1; }
    done
}

@test "one bad element of a list: its index from 0, nothing printed" {
    for bad in '{"M": [1]}' '{"M": [-1], "Q": [0]}' '7'; do
        solve "[{\"M\": [1], \"Q\": [0]}, {\"M\": [1], \"Q\": [0]}, $bad, {\"M\": [1], \"Q\": [0]}]"
        has_status 1
        says ": [2]"
    done
}

@test "100000 nested brackets, objects, and both unclosed" {
    for piece in '[' '{"M":' '[{"M":'; do
        printf "%s" "$(printf -- "$piece%.0s" $(seq 1 100000))" >"$BATS_TEST_TMPDIR/deep.json"
        zwang solve "$BATS_TEST_TMPDIR/deep.json"
        has_status 1
        says "error[E0901]: the data are nested deeper than 2048 levels"
        [ "${#stderr}" -lt 2000 ]
    done
}

@test "nesting within the limit, yet no problem" {
    node -e 'console.log("[".repeat(2000) + "]".repeat(2000))' >"$BATS_TEST_TMPDIR/deep.json"
    zwang solve "$BATS_TEST_TMPDIR/deep.json"
    has_status 1
    says "error[E0902]: [0]: is a list"
    node -e 'console.log("{\"M\": " + "[".repeat(2000) + "]".repeat(2000) + ", \"Q\": []}")' >"$BATS_TEST_TMPDIR/deep.json"
    zwang solve "$BATS_TEST_TMPDIR/deep.json"
    has_status 1
    says "M[0]" "is a list, but a number is expected"
}

@test "a mistake in a line of a million characters: the message stays short" {
    node -e 'console.log(`{"M": [${Array(300000).fill(1)}, nan], "Q": []}`)' >"$BATS_TEST_TMPDIR/long.json"
    zwang solve "$BATS_TEST_TMPDIR/long.json"
    has_status 1
    says ":1:600009: error[E0901]"
    [ "${#stderr}" -lt 1000 ]
}

@test "numbers at the edge of double" {
    solve '{"M": [1], "Q": [1.7976931348623157e308]}'
    [ "$status" -eq 0 ] || { has_status 1 && says "E0927"; }
    solve '{"M": [1], "Q": [1.8e308]}'
    has_status 1
    says "1:18: error[E0901]: the number is out of the range of double precision"
    solve '{"M": [1], "Q": [1e-999]}'
    has_status 0
    holds 'same(a.acceleration, [0])'
    solve '{"M": [1], "Q": [100000000000000000000000000000000000000000000]}'
    has_status 0
    holds 'same(a.acceleration, [1e44])'
}

@test "huge and tiny numbers: a right answer or a sentence, never a wrong or infinite one" {
    for size in 1e-320 1e-300 1e-200 1e-100 1e100 1e150 1e200 1e300; do
        solve "{\"M\": [$size, $size], \"Q\": [$size, 0], \"A\": [[1, 1]], \"b\": [0]}"
        if [ "$status" -eq 0 ]; then
            holds 'near(a.acceleration, [0.5, -0.5], 1e-12)'
        else
            has_status 1
            says "E0927"
        fi
        solve "{\"M\": [1, 1], \"Q\": [1, 0], \"A\": [[$size, $size]], \"b\": [0]}"
        if [ "$status" -eq 0 ]; then
            holds 'near(a.acceleration, [0.5, -0.5], 1e-12)'
        else
            has_status 1
            says "E0927"
        fi
    done
}

@test "--messages json: one array of objects with the same content" {
    solve '{"M": [[1, 2]], "Q": [0], "form": "gaus"}' --messages json
    has_status 1
    text=$stderr
    output=$text
    holds 'a.length === 2' 'a[0].code === "E0906"' 'a[0].where === "M[0]"' \
        'a[0].severity === "error"' 'a[0].sentence === "has 2 numbers, but M has 1 row"' \
        'a[0].file.endsWith("problem.json")' 'a[1].code === "E0908"' 'a[1].where === "form"' \
        'a[1].help.startsWith("did you mean")'
    solve '{"M": [1], "Q": [nan]}' --messages json
    has_status 1
    output=$stderr
    holds 'a.length === 1' 'a[0].line === 1' 'a[0].column === 18' 'a[0].length === 3'
}

@test "--quiet does not silence errors" {
    solve '{"M": [1]}' --quiet
    has_status 1
    says "E0904"
}

@test "a problem too large for any machine: a sentence, not a killed process" {
    node -e 'const n = 3000000; console.log(`{"M": [${Array(n).fill(1)}], "Q": [${Array(n).fill(1)}]}`)' >"$BATS_TEST_TMPDIR/p.json"
    zwang solve "$BATS_TEST_TMPDIR/p.json"
    has_status 1
    says "error[E0814]"
}

@test "random bytes and damaged problems never crash" {
    node "$here/numbers.js" random 3 4 5 3 inconsistent C W >"$BATS_TEST_TMPDIR/good.json"
    node -e '
        const fs = require("fs"), good = fs.readFileSync(process.argv[1]);
        let x = 12345;
        const next = (n) => { x = (x * 1103515245 + 12345) % 2147483648; return Math.floor(x / 65536) % n; };
        for (let k = 0; k < 300; k++) {
            const bytes = Buffer.from(good);
            for (let j = next(4); j >= 0; j--) bytes[next(bytes.length)] = next(3) ? " []{},:\"0e-."[next(12)].charCodeAt(0) : next(256);
            fs.writeFileSync(`${process.argv[2]}/${k}.json`, k % 3 ? bytes : bytes.subarray(0, next(bytes.length)));
        }' "$BATS_TEST_TMPDIR/good.json" "$BATS_TEST_TMPDIR"
    bad=0
    for file in "$BATS_TEST_TMPDIR"/[0-9]*.json; do
        code=0
        "$ZWANG" solve "$file" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || code=$?
        if [ $code -eq 1 ]; then
            [ ! -s "$BATS_TEST_TMPDIR/out" ] && [ -s "$BATS_TEST_TMPDIR/err" ]
            bad=$((bad + 1))
        else
            [ $code -eq 0 ] || { cat "$file" && return 1; }
        fi
    done
    [ "$bad" -gt 200 ]
}
