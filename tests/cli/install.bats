# What goes with the command: the manual page and the completion know every option and form.
load common

options=$("$ZWANG" solve --help 2>/dev/null | grep -o -- '--[a-z]*' | sort -u)
forms=$("$ZWANG" solve --help 2>/dev/null | sed -n '/^Forms:/,$s/^  \([a-z0-9-]*\) .*/\1/p')

@test "the manual page" {
    [ -n "$options" ] && [ -n "$forms" ]
    page=$(sed 's/\\-/-/g' "$root/cli/zwang.1")
    for word in $options $forms; do
        [[ $page == *"$word"* ]] || { echo "$word" && return 1; }
    done
    [[ $page == *"$("$ZWANG" --version)"* ]]
}

@test "the completion for bash" {
    source "$root/cli/zwang.bash"
    complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=() && _zwang; }
    complete_words zwang so
    [ "${COMPREPLY[*]}" = solve ]
    complete_words zwang solve --
    [ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$options" ]
    complete_words zwang solve --form ''
    [ "${COMPREPLY[*]}" = "$(echo $forms)" ]
    complete_words zwang solve --form = mo
    [ "${COMPREPLY[*]}" = moore-penrose ]
    complete_words zwang solve --messages j
    [ "${COMPREPLY[*]}" = json ]
    cd "$BATS_TEST_TMPDIR" && touch data.json
    complete_words zwang solve da
    [ "${COMPREPLY[*]}" = data.json ]
}
