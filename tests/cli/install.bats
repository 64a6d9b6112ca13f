# What goes with the command: the manual page and the completion know every option and form.
load common

# options_of COMMAND: as its page of help names them
options_of() {
    "$ZWANG" "$1" --help 2>/dev/null | sed -n '1,/^$/p' | grep -o -- '--[a-z][a-z-]*' | sort -u
}
commands=$("$ZWANG" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -v '^help$')
forms=$("$ZWANG" solve --help 2>/dev/null | sed -n '/^Forms:/,$s/^  \([a-z0-9-]*\) .*/\1/p')

@test "the manual page" {
    [ -n "$commands" ] && [ -n "$forms" ]
    page=$(sed 's/\\-/-/g' "$root/cli/zwang.1")
    for command in $commands; do
        [[ $page == *".SS $command"* ]] || { echo "$command" && return 1; }
        for word in $(options_of "$command") $forms; do
            [[ $page == *"$word"* ]] || { echo "$command $word" && return 1; }
        done
    done
    [[ $page == *"$("$ZWANG" --version)"* ]]
}

@test "the completion for bash" {
    source "$root/cli/zwang.bash"
    complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=() && _zwang; }
    complete_words zwang so
    [ "${COMPREPLY[*]}" = solve ]
    complete_words zwang e
    [ "${COMPREPLY[*]}" = "eval explain" ]
    for command in $commands; do
        complete_words zwang help "$command"
        [ "${COMPREPLY[*]}" = "$command" ]
        complete_words zwang "$command" --
        [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$(options_of "$command")" ]
    done
    for command in solve eval; do
        complete_words zwang $command --form ''
        [ "${COMPREPLY[*]}" = "$(echo $forms)" ]
        complete_words zwang $command --form = mo
        [ "${COMPREPLY[*]}" = moore-penrose ]
    done
    complete_words zwang solve --messages j
    [ "${COMPREPLY[*]}" = json ]
    complete_words zwang check --inconsistent ''
    [ "${COMPREPLY[*]}" = accept ]
    complete_words "$ZWANG" explain E080
    [[ ${COMPREPLY[*]} == "E0801 E0802 "* ]]
    cd "$BATS_TEST_TMPDIR" && touch data.json
    complete_words zwang solve da
    [ "${COMPREPLY[*]}" = data.json ]
    complete_words zwang eval --output da
    [ "${COMPREPLY[*]}" = data.json ]
}
