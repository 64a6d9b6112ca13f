# No command overwrites a file that it reads, however the file is named; nor do two outputs go to one file.
load common

setup() {
    mkdir -p "$BATS_TEST_TMPDIR/folder/below" && cd "$BATS_TEST_TMPDIR/folder"
    printf "let half = 1/2\n" >own.zw
    printf "use own\ncoord x\nkinetic half*x'^2\nstart x = 1\nsimulate t = 0..1\n" >model.zw
    cp model.zw model.csv
    cp model.zw model.json
    printf '{"M": [1], "Q": [1]}\n' >problem.json
}

# spellings FILE: other names of it, made here
spellings() {
    local ending=${1##*.}
    ln -sf "$PWD/$1" "soft.$ending"
    ln -f "$1" "hard.$ending"
    ln -sf "../hard.$ending" "below/both.$ending"
    printf '%s\n' "$1" "./$1" "$PWD/$1" "below/../$1" "soft.$ending" "hard.$ending" "below/both.$ending"
}

# refused FILE COMMAND...: E0821, status 1, nothing printed, nothing left behind, and FILE as it was
refused() {
    local file=$1 before
    before=$(cat "$1" | md5sum)
    shift
    zwang "$@"
    has_status 1
    says "error[E0821]: this file is read"
    [ "$(cat "$file" | md5sum)" = "$before" ] || { echo "overwritten by $*" && return 1; }
    [ -z "$(find . -name '.zwang-*')" ]
}

@test "the model, by any name, of any command" {
    for command in "derive model.zw" "derive --latex model.zw" "derive --json model.zw" "derive --asm model.zw" "check model.zw" \
        "eval model.zw" "check --json model.zw"; do
        for name in $(spellings model.zw); do
            # shellcheck disable=SC2086
            refused model.zw $command -o "$name"
        done
    done
    for name in $(spellings model.csv); do refused model.csv run model.csv -o "$name"; done
    for name in $(spellings model.zw); do
        refused model.zw run model.zw --stats "$name"
        refused model.zw run model.zw -o rows.csv --stats "$name"
    done
    [ ! -e rows.csv ] # before the run, not after it
}

@test "a module that the model takes in" {
    for name in $(spellings own.zw); do
        refused own.zw derive model.zw -o "$name"
        refused own.zw run model.zw --stats "$name"
    done
    zwang derive model.zw -o below/own.zw # another file of that name
    has_status 0
}

@test "the numbers of solve" {
    for name in $(spellings problem.json); do refused problem.json solve problem.json -o "$name"; done
}

@test "what comes by standard input, what goes by standard output" {
    for command in "derive -" "check -" "eval -"; do
        # shellcheck disable=SC2086
        run --separate-stderr "$ZWANG" $command -o model.zw <model.zw
        [ "$status" -eq 1 ]
        says "E0821" "read as '-'"
        # shellcheck disable=SC2086
        run --separate-stderr bash -c '"$1" derive model.zw >>model.zw' - "$ZWANG"
        [ "$status" -eq 1 ]
        says "-: error[E0821]: this file is read as 'model.zw'"
    done
    diff model.zw model.csv
    run --separate-stderr bash -c '"$1" solve - <problem.json >>problem.json' - "$ZWANG"
    [ "$status" -eq 1 ]
    [ "$(cat problem.json)" = '{"M": [1], "Q": [1]}' ]
}

@test "two outputs to one file, there already or not" {
    for name in both.csv ./both.csv "$PWD/both.csv" below/../both.csv; do
        rm -f both.csv
        [ "$name" = both.csv ] && continue # of the same name: E0805
        zwang run model.zw -q -o both.csv --stats "$name"
        has_status 1
        says "$name: error[E0821]: the rows and the statistics would go to this one file"
        [ ! -e both.csv ]
        echo before >both.csv
        zwang run model.zw -q -o both.csv --stats "$name"
        has_status 1
        [ "$(cat both.csv)" = before ]
    done
    ln -s both.csv soft.json && ln both.csv hard.json
    for name in soft.json hard.json; do
        zwang run model.zw -q -o both.csv --stats $name
        has_status 1
        says E0821
    done
    run --separate-stderr bash -c '"$1" run model.zw -q --stats both.csv >both.csv' - "$ZWANG"
    [ "$status" -eq 1 ]
    says "E0821"
}

@test "devices, pipes and other files are written as ever" {
    zwang run model.zw -q -o /dev/null --stats /dev/../dev/null
    has_status 0
    zwang run model.zw -q -o one.csv --stats two.json
    has_status 0
    zwang run model.zw -q -o one.csv --stats two.json # and a second time
    has_status 0
    zwang derive model.zw -o one.txt
    has_status 0
    "$ZWANG" derive - <model.zw | grep -q 'M'
    "$ZWANG" solve problem.json >answer.json
    run --separate-stderr "$ZWANG" check - </dev/null
    says "E0301"
}
