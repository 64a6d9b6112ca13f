# zwang explain: the texts of docs/messages, embedded in the command.
load common

sections=$(grep -h '^## [EWR][0-9]' "$root"/docs/messages/*.md | sed 's/^## //')

@test "every section is listed, by number, each once" {
    zwang explain
    has_status 0
    [ "$(wc -l <<<"$output")" -eq "$(wc -l <<<"$sections")" ]
    [ "$(cut -d' ' -f1 <<<"$output")" = "$(cut -c1-5 <<<"$sections" | sed 's/./& /' | sort -k2,2 -k1,1 | tr -d ' ')" ]
    [ -z "$(cut -d' ' -f1 <<<"$output" | sort | uniq -d)" ]
    while read -r code title; do
        prints "$code  $title"
    done <<<"$sections"
}

@test "every section is printed with its title, a text, and no fences" {
    for code in $(cut -c1-5 <<<"$sections"); do
        zwang explain "$code"
        has_status 0
        [[ $output == "$code: "* ]] || { echo "$code: $output" && return 1; }
        [ "$(wc -l <<<"$output")" -ge 3 ] || { echo "$code has no text" && return 1; }
        [[ $output != *'```'* && $output != *$'\n## '* ]] || { echo "$code: $output" && return 1; }
    done
}

@test "every code of the command has its section, with the title of command_messages.h" {
    rows=$(sed -n 's/.*X(MSG_[A-Z_]*, "\([EWR][0-9]*\)", *"\(.*\)").*/\1\t\2/p' "$root/cli/frame/command_messages.h")
    [ "$(wc -l <<<"$rows")" -gt 20 ]
    while IFS=$'\t' read -r code meaning; do
        grep -qxF "## $code $meaning" "$root/docs/messages/command.md" || { echo "$code $meaning" && return 1; }
    done <<<"$rows"
}

@test "small letters, several codes" {
    zwang explain e0801
    has_status 0
    first=$output
    [[ $first == "E0801: no such command"* ]]
    zwang explain E0801 w0941
    has_status 0
    [[ $output == "$first

W0941: the rank of A is not clear-cut"* ]]
}

@test "examples are indented" {
    zwang explain E0801
    prints "
    \$ zwang slove problem.json
    zwang: error[E0801]: there is no command 'slove'
        help: "
}

@test "an unknown code: status 2, nothing printed, a suggestion" {
    zwang explain E0899
    has_status 2
    says "error[E0806]: there is no message 'E0899'" "did you mean 'E08" "zwang explain lists all codes"
    zwang explain E0801 nonsense
    has_status 2
    says "there is no message 'nonsense'"
    [[ $stderr != *"did you mean"* ]]
    zwang explain --messages json E0899
    has_status 2
    output=$stderr
    holds 'a[0].code === "E0806"'
}

@test "the commands shown in docs/messages/command.md say what is written there" {
    # every example of one `echo ... | zwang solve` or of the command line alone, with its output
    awk -v folder="$BATS_TEST_TMPDIR" '
        /^```/ { if (open && lines > 1) close(name ".out"); open = !open; lines = 0; next }
        open && lines == 0 && /^\$ (echo .* \| )?zwang (solve|slove|check$|explain|example|derive|eval)/ {
            name = folder "/" ++count; print substr($0, 3) >(name ".sh"); close(name ".sh"); lines = 1; next }
        open && lines >= 1 { print >(name ".out"); lines++ }' "$root/docs/messages/command.md"
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' "coord x" "kinetic x'^2" >hoop.zw
    touch rolling_disc.zw
    "$ZWANG" example chain --copy -q
    count=0
    for file in *.sh; do
        [ -f "${file%.sh}.out" ] || continue
        sed -i "s#zwang #'$ZWANG' #" "$file"
        said=$(bash "$file" 2>&1 >/dev/null) || true
        [[ $said == "$(cat "${file%.sh}.out")"* ]] || { cat "$file" "${file%.sh}.out" && echo "says: $said" && return 1; }
        count=$((count + 1))
    done
    [ "$count" -ge 10 ]
}
