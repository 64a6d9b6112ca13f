# Escape sequences in titles, names, comments, files and words reach neither the terminal nor LaTeX.
load common

@test "nothing that a terminal would obey comes out of any command" {
    run node "$here/hostile.js" "$ZWANG" "$BATS_TEST_TMPDIR" 40
    echo "$output" | tail -n 20
    [ "$status" -eq 0 ]
}

@test "a title in LaTeX: signs and control characters as text" {
    printf 'model "a\033[31m_\302\233 50%% {x} \\n ^~"\ncoord x\nkinetic x%s^2\n' "'" >"$BATS_TEST_TMPDIR/model.zw"
    zwang derive --latex "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    [[ $output == *'a\textbackslash{}x1b[31m\_\textbackslash{}u009b 50\% \{x\} \textbackslash{}n \^{}\~{}'* ]]
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    [ "$(head -n 1 <<<"$output")" = 'a\x1b[31m_\u009b 50% {x} \n ^~' ]
}

@test "on a terminal: only what the command draws itself" {
    command -v script >/dev/null || skip "there is no pseudo-terminal"
    printf 'model "a\033[31mb"\ncoord x\nkinetic x%s^2\nwhen x > 0.5 and # \033[32m\n x < 9: stop\nstart x%s = 1\n' "'" "'" >"$BATS_TEST_TMPDIR/model.zw"
    for command in "check" "derive" "derive --latex" "derive --asm" "eval" "run --until 1 --at 0,1"; do
        script -qec "$ZWANG $command $BATS_TEST_TMPDIR/model.zw" /dev/null </dev/null >"$BATS_TEST_TMPDIR/seen"
        ! grep -n $'\033\\[3' "$BATS_TEST_TMPDIR/seen" || return 1
        [ -s "$BATS_TEST_TMPDIR/seen" ]
    done
}
