# The command line: help, version, wrong usage, exit status 2.
load common

@test "without a command: usage on standard error, status 2" {
    zwang
    has_status 2
    says "Usage: zwang COMMAND" "solve"
}

@test "--help, -h and help print the same page" {
    zwang --help
    has_status 0
    page=$output
    [[ $page == *"solve"* && $page == *"Exit status"* ]]
    for word in -h help; do
        zwang $word
        has_status 0
        [ "$output" = "$page" ]
    done
}

@test "every command of the page has a page of its own, by help and by --help" {
    names=$("$ZWANG" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | grep -v '^help$')
    [ -n "$names" ]
    for name in $names; do
        zwang help "$name"
        has_status 0
        page=$output
        [[ $page == "Usage: zwang $name "* ]]
        for word in --help -h; do
            zwang "$name" $word
            has_status 0
            [ "$output" = "$page" ]
        done
    done
}

@test "help of solve names every option, field and form" {
    zwang solve --help
    has_status 0
    for word in --output --form --messages --quiet --help "M " "Q " "A, b" "C " "W " rank_tolerance \
        names basis gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection; do
        [[ $output == *"$word"* ]] || { echo "$word" && return 1; }
    done
}

@test "--version" {
    zwang --version
    has_status 0
    [[ $output =~ ^zwang\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "an unknown command: status 2 and a suggestion" {
    zwang slove
    has_status 2
    [ "$stderr" = "zwang: error[E0801]: there is no command 'slove'
    help: did you mean 'solve'? the commands are run, sweep, check, view, draw, plot, derive, export, eval, linearize, equilibrium, solve, new, example, explain and help" ]
}

@test "an unknown command that resembles none: no suggestion" {
    zwang integrate
    has_status 2
    [ "$stderr" = "zwang: error[E0801]: there is no command 'integrate'
    help: the commands are run, sweep, check, view, draw, plot, derive, export, eval, linearize, equilibrium, solve, new, example, explain and help" ]
}

@test "help of an unknown command: status 2 and a suggestion" {
    zwang help sovle
    has_status 2
    says "E0801" "did you mean 'solve'?"
}

@test "help of two commands: status 2" {
    zwang help solve solve
    has_status 2
    says "E0804"
}

@test "help has a page of its own" {
    zwang help --help
    has_status 0
    prints "Usage: zwang help [OPTION...] [COMMAND]" "--man" "--completion=bash|zsh|fish"
    page=$output
    zwang help help
    has_status 0
    [ "$output" = "$page" ]
}

@test "help: options that do not go together, a shell that is not there: status 2" {
    zwang help --man --completion bash
    has_status 2
    says "error[E0805]: --man and --completion exclude each other"
    zwang help --completion tcsh
    has_status 2
    says "error[E0803]: option --completion: 'tcsh' is not possible" "the shells are bash, zsh and fish"
    zwang help --man run
    has_status 2
    says "error[E0804]: no COMMAND is expected, but there is also 'run'"
    zwang help run -o page
    has_status 2
    says "error[E0803]: option --output: 'page' is not possible"
    zwang help --mann
    has_status 2
    says "error[E0802]: there is no option '--mann'" "did you mean '--man'?"
}

@test "the examples of all pages of help work" {
    cd "$BATS_TEST_TMPDIR"
    mkdir bin && ln -s "$ZWANG" bin/zwang
    PATH=$PWD/bin:$PATH
    for name in rolling_disc pendulum; do
        zwang example $name --copy -q
        has_status 0
    done
    mkdir elsewhere # the copy is there already
    count=0
    for name in run check derive eval linearize equilibrium solve example explain help; do
        "$ZWANG" help $name | sed -n '/^Examples:/,$s/^  \([a-z].*\)/\1/p' >lines
        [ -s lines ] || { echo "$name has none" && return 1; }
        while read -r line; do
            [[ $line != *--copy ]] || line="cd elsewhere && $line"
            run bash -o pipefail -c "$line"
            [ "$status" -eq 0 ] || { echo "$line: $output" && return 1; }
            count=$((count + 1))
        done <lines
    done
    [ "$count" -ge 10 ]
    [ -s disc.csv ] && [ -s disc.tex ]
}

@test "an unknown option before the command: status 2" {
    zwang --vresion
    has_status 2
    says "error[E0802]: there is no option '--vresion'"
}

@test "an unknown option of solve: status 2 and a suggestion" {
    zwang solve --from gauss
    has_status 2
    [ "$stderr" = "zwang: error[E0802]: there is no option '--from'
    help: did you mean '--form'? --help shows all options" ]
    zwang solve --otput=x
    has_status 2
    says "did you mean '--output'?"
    zwang solve -z
    has_status 2
    [ "$stderr" = "zwang: error[E0802]: there is no option '-z'
    help: --help shows all options" ]
}

@test "an option without its value: status 2" {
    for option in --form --output -o --messages; do
        zwang solve $option
        has_status 2
        says "E0802" "'$option'" "its value is missing"
    done
}

@test "an unknown form on the command line: status 2 and a suggestion, the data are not read" {
    zwang solve --form gibs-appell /nowhere
    has_status 2
    [ "$stderr" = "zwang: error[E0803]: option --form: 'gibs-appell' is not possible
    help: did you mean 'gibbs-appell'? the forms are gauss, moore-penrose, inverse-14, inverse-1, gibbs-appell, multipliers and projection" ]
}

@test "an unknown form of messages: status 2" {
    zwang solve --messages xml
    has_status 2
    says "error[E0803]: option --messages: 'xml' is not possible" "text and json"
}

@test "two files: status 2" {
    zwang solve one.json two.json
    has_status 2
    says "error[E0804]: one FILE is expected, but there is also 'two.json'"
}

@test "--messages json: usage errors too are one JSON array" {
    zwang solve --messages json one.json two.json
    has_status 2
    output=$stderr
    holds 'a.length === 1' 'a[0].code === "E0804"' 'a[0].severity === "error"'
}

@test "help into a full disk or a closed stream: status 1 and a sentence" {
    for words in --help --version "solve --help" "help solve" "help --man" "help --completion zsh"; do
        run --separate-stderr bash -c "'$ZWANG' $words >/dev/full"
        [ "$status" -eq 1 ]
        says "error[E0813]: standard output cannot be written: No space left on device"
        run --separate-stderr bash -c "'$ZWANG' $words >&-"
        [ "$status" -eq 1 ]
        says "error[E0813]"
    done
}
