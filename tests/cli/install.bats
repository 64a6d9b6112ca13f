# What goes with the command: the manual page and the completions know every command, option and
# value. The command writes them (`zwang help --man`, `--completion`) from the tables by which it
# reads its options.
load common

# options_of COMMAND: as its page of help names them
options_of() {
    "$ZWANG" "$1" --help 2>/dev/null | sed -n '1,/^$/p' | grep -o -- '--[a-z][a-z-]*' | sort -u
}
commands=$("$ZWANG" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
forms=$("$ZWANG" solve --help 2>/dev/null | sed -n '/^Forms:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p')
# sorted WORD...: a line each
sorted() {
    printf '%s\n' "$@" | sort
}

@test "the manual page: every command, option, value, status" {
    [ -n "$commands" ] && [ -n "$forms" ]
    zwang help --man
    has_status 0
    page=$(sed 's/\\-/-/g; s/\\f[BIR]//g' <<<"$output")
    for command in $commands; do
        # from its heading to the next
        part=$(awk -v heading=".SS zwang $command " '/^\.S[HS]/ { inside = index($0, heading) == 1 } inside' <<<"$page")
        [ -n "$part" ] || { echo "$command" && return 1; }
        for word in $(options_of "$command"); do
            grep -q -- "^\(-., \)\?$word\([= ].*\)\?$" <<<"$part" || { echo "$command $word" && return 1; }
        done
    done
    for word in $forms dop853 baumgarte bytecode sparse 0 1 2 3 130; do
        grep -qx -- "$word" <<<"$page" || { echo "$word" && return 1; }
    done
    for heading in NAME SYNOPSIS DESCRIPTION COMMANDS "EXIT STATUS" FILES EXAMPLES; do
        grep -qx ".SH $heading" <<<"$page" || { echo "$heading" && return 1; }
    done
    [[ $page == *"$("$ZWANG" --version)"* ]]
}

@test "the manual page is set without a warning, and shows what it should" {
    command -v groff >/dev/null || skip "groff is not there"
    zwang help --man -o "$BATS_TEST_TMPDIR/zwang.1"
    has_status 0
    run --separate-stderr groff -man -ww -Tascii -P-cbou "$BATS_TEST_TMPDIR/zwang.1"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ] || { echo "$stderr" && return 1; }
    prints "zwang run [OPTION...] MODEL" "-o, --output=FILE" "--state \"x=1, x'=0\"" "A M^(-1/2)" \
        "zwang eval rolling_disc.zw --set m=3 --state \"c = [1, 0, 0.5]\""
}

@test "no page says anything in a shell's or roff's own language by mistake" {
    zwang help --completion bash
    bash -n <<<"$output"
    if command -v shellcheck >/dev/null; then shellcheck -s bash - <<<"$output"; fi
    zwang help --man
    # a line of text that begins with a dot or a quote would be taken for a request
    if grep -v '^\.\(\\"\|TH\|SH\|SS\|TP\|PP\|RS\|RE\|nf\|fi\|br\)\( \|$\)' <<<"$output" | grep "^[.']"; then return 1; fi
}

@test "the completion for bash: commands and options" {
    completes zwang so
    [ "${COMPREPLY[*]}" = solve ]
    completes zwang e
    [ "${COMPREPLY[*]}" = "export eval equilibrium example explain" ]
    completes zwang --
    [ "${COMPREPLY[*]}" = "--help --version" ]
    for command in $commands; do
        completes zwang help "$command"
        [ "${COMPREPLY[*]}" = "$command" ]
        completes zwang "$command" --
        [ "$(sorted "${COMPREPLY[@]}")" = "$(options_of "$command")" ]
    done
}

@test "the completion for bash: values of options" {
    for command in run solve eval; do
        completes zwang $command --form ''
        [ "${COMPREPLY[*]}" = "$(echo $forms)" ]
        completes zwang $command --form = mo
        [ "${COMPREPLY[*]}" = moore-penrose ]
        completes zwang $command --form =
        [ "${COMPREPLY[*]}" = "$(echo $forms)" ]
    done
    completes zwang solve --messages j
    [ "${COMPREPLY[*]}" = json ]
    completes zwang check --inconsistent ''
    [ "${COMPREPLY[*]}" = accept ]
    completes zwang run --method ''
    [ "${COMPREPLY[*]}" = "dop853 dopri5 rk4 bdf auto gauss16" ]
    completes zwang help --completion ''
    [ "${COMPREPLY[*]}" = "bash zsh fish" ]
    cd "$BATS_TEST_TMPDIR" && touch 5
    completes zwang run --until ''
    [ "${#COMPREPLY[@]}" -eq 0 ]
}

@test "the completion for bash: codes, examples, models, files" {
    completes zwang explain E080
    [[ ${COMPREPLY[*]} == "E0801 E0802 "* ]]
    completes zwang explain ''
    [ "$(sorted "${COMPREPLY[@]}")" = "$("$ZWANG" explain | cut -d ' ' -f 1 | sort)" ]
    completes zwang example ''
    [ "$(sorted "${COMPREPLY[@]}")" = "$(cd "$root" && ls models/*.zw lib/*.zw | sed 's#.*/##; s/\.zw$//' | sort)" ]
    cd "$BATS_TEST_TMPDIR" && mkdir -p data && touch data.json data.zw
    completes zwang solve da
    [ "$(sorted "${COMPREPLY[@]}")" = "$(sorted data data.json data.zw)" ]
    completes zwang eval --output data.j
    [ "${COMPREPLY[*]}" = data.json ]
    completes zwang run -o data.j
    [ "${COMPREPLY[*]}" = data.json ]
    completes zwang run da
    [ "$(sorted "${COMPREPLY[@]}")" = "$(sorted data data.zw)" ]
}

@test "the completion for fish" {
    command -v fish >/dev/null || skip "fish is not there"
    cd "$BATS_TEST_TMPDIR"
    export HOME=$PWD
    "$ZWANG" help --completion fish >zwang.fish
    completes_in_fish() { fish -c "source zwang.fish; complete -C '$1'" | cut -f 1 | sort; }
    [ "$(completes_in_fish 'zwang e')" = "$(sorted eval example explain)" ]
    for command in $commands; do
        [ "$(completes_in_fish "zwang $command --")" = "$(options_of "$command")" ]
    done
    [ "$(completes_in_fish 'zwang run --form ')" = "$(sorted $forms)" ]
    [ "$(completes_in_fish 'zwang run --method=d')" = "$(sorted --method=dop853 --method=dopri5)" ]
    [ "$(completes_in_fish 'zwang example rolling_d')" = rolling_disc ]
    touch data.json
    [ "$(completes_in_fish 'zwang run -o da')" = data.json ]
    [ "$(completes_in_fish 'zwang solve da')" = data.json ]
    [ -z "$(completes_in_fish 'zwang example data.j')" ]
}

@test "the completion for zsh" {
    command -v zsh >/dev/null || skip "zsh is not there"
    cd "$BATS_TEST_TMPDIR"
    mkdir folder && "$ZWANG" help --completion zsh >folder/_zwang
    # a shell of its own behind a pseudo-terminal types the words and a tab
    cat >ask.zsh <<'ZSH'
zmodload zsh/zpty
zpty -b shell zsh -f -i
ask() { zpty -w shell "$1" }
ask "PS1= ; unsetopt zle_bracketed_paste; stty -echo; fpath=($PWD/folder \$fpath)"
ask "autoload -Uz compinit && compinit -u -d $PWD/dump"
ask "zstyle ':completion:*' list-separator '#'; LISTMAX=10000; COLUMNS=200; LINES=500; unsetopt list_ambiguous"
ask "echo RE''ADY"
local line
while zpty -r shell line && [[ $line != *READY* ]]; do :; done
zpty -w -n shell "$1"$'\t\t'
sleep 2
zpty -w -n shell $'\C-c'
zpty -w shell "echo DO''NE"
while zpty -r shell line && [[ $line != *DONE* ]]; do print -rn -- "$line"; done
zpty -d shell
ZSH
    completes_in_zsh() { timeout 30 zsh -f ask.zsh "$1" | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g'; }
    output=$(completes_in_zsh 'zwang ex')
    prints "example" "explain"
    output=$(completes_in_zsh 'zwang run --form=')
    for form in $forms; do prints "$form"; done
    output=$(completes_in_zsh 'zwang run --')
    for word in $(options_of run); do prints "$word"; done
    output=$(completes_in_zsh 'zwang example rolling_d')
    prints "rolling_disc"
}
