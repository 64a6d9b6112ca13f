# zwang example: the models and modules that are inside the command.
load common

names() { (cd "$root" && LC_ALL=C ls "$1"/*.zw | sed 's#.*/##; s/\.zw$//'); }

setup() {
    mkdir "$BATS_TEST_TMPDIR/folder" && cd "$BATS_TEST_TMPDIR/folder"
}

@test "the list has every model and every module, each once, with its title" {
    zwang example
    has_status 0
    models=$(sed -n '/^Models:/,/^$/s/^  \([^ ]*\) .*/\1/p' <<<"$output")
    modules=$(sed -n '/^Modules/,/^$/s/^  \([^ ]*\) .*/\1/p' <<<"$output")
    [ "$models" = "$(names models)" ]
    [ "$modules" = "$(names lib)" ]
    for name in $(names models); do
        title=$(sed -n 's/^model "\(.*\)".*/\1/p' "$root/models/$name.zw")
        [ -n "$title" ]
        grep -qxE "  $name +$(sed 's/[][().*?+^$|{}\\]/\\&/g' <<<"$title")" <<<"$output" || { echo "$name: $title" && return 1; }
    done
    # titles stand under each other
    [ "$(sed -n '/^  /s/^\(  [^ ]* *\).*/\1/p' <<<"$output" | awk '{print length}' | sort -u | wc -l)" -eq 1 ]
    prints "zwang example NAME --copy"
}

@test "each is shown byte for byte, by its name or that of its file, and to a file by -o" {
    for file in "$root"/models/*.zw "$root"/lib/*.zw; do
        name=$(basename "$file" .zw)
        "$ZWANG" example "$name" | cmp - "$file"
    done
    "$ZWANG" example rolling_disc.zw | cmp - "$root/models/rolling_disc.zw"
    "$ZWANG" example rolling_disc -o - | cmp - "$root/models/rolling_disc.zw"
    echo old >mine.zw
    zwang example rolling_disc -o mine.zw
    has_status 0
    cmp mine.zw "$root/models/rolling_disc.zw"
}

@test "a copy: NAME.zw, what is next, never over a file" {
    zwang example rolling_disc --copy
    [ "$status" -eq 0 ]
    [ "$stderr" = "rolling_disc.zw: yours to change; next: zwang run rolling_disc.zw" ]
    cmp rolling_disc.zw "$root/models/rolling_disc.zw"
    echo "# mine" >rolling_disc.zw
    zwang example rolling_disc.zw --copy
    has_status 1
    [ "$stderr" = "rolling_disc.zw: error[E0820]: the file is there already and is not overwritten
    help: move it away, or give the copy another name: zwang example rolling_disc -o NAME.zw" ]
    [ "$(cat rolling_disc.zw)" = "# mine" ]
    rm rolling_disc.zw && ln -s nowhere rolling_disc.zw
    zwang example rolling_disc --copy
    has_status 1
    says "E0820"
    [ -L rolling_disc.zw ]
    [ "$(ls -A)" = rolling_disc.zw ]
    zwang example four_bar --copy -q
    has_status 0
    zwang example four_bar --copy --messages json
    has_status 1
    output=$stderr
    holds 'a.length === 1' 'a[0].code === "E0820"' 'a[0].file === "four_bar.zw"'
}

@test "a copy of a module says how to change it, and that works" {
    zwang example rigid --copy
    [ "$status" -eq 0 ]
    says "zwang example rigid -o my_rigid.zw" "use my_rigid"
    cmp rigid.zw "$root/lib/rigid.zw"
    rm rigid.zw
    name=$(grep -l '^use rigid' "$root"/models/*.zw | head -n 1)
    [ -n "$name" ]
    "$ZWANG" check "$name" >before
    "$ZWANG" example rigid -o my_rigid.zw
    sed 's/^use rigid/use my_rigid/' "$name" >model.zw
    "$ZWANG" check model.zw >after
    cmp before after
}

@test "a folder that cannot be written: status 1, no file left" {
    mkdir closed && cd closed && chmod a-w .
    [ ! -w . ] || skip "root may write everywhere"
    zwang example rolling_disc --copy
    has_status 1
    says "error[E0813]: the file cannot be written"
    [ -z "$(ls -A)" ]
}

@test "the output is full: status 1" {
    for words in example "example rolling_disc" "example --json"; do
        run --separate-stderr bash -c "'$ZWANG' $words >/dev/full"
        [ "$status" -eq 1 ]
        says "error[E0813]"
    done
}

@test "an unknown name: status 2, a suggestion" {
    zwang example roling_disk
    has_status 2
    [ "$stderr" = "zwang: error[E0807]: there is no example 'roling_disk'
    help: did you mean 'rolling_disc'? zwang example lists all of them" ]
    zwang example perpetuum_mobile --copy
    has_status 2
    [ "$stderr" = "zwang: error[E0807]: there is no example 'perpetuum_mobile'
    help: zwang example lists all of them" ]
    zwang example ../models/rolling_disc
    has_status 2
    [ -z "$(ls -A)" ]
}

@test "wrong usage: status 2, nothing is written" {
    zwang example --copy
    has_status 2
    says "error[E0804]: a NAME is expected"
    zwang example rolling_disc four_bar
    has_status 2
    says "error[E0804]: one NAME is expected, but there is also 'four_bar'"
    zwang example rolling_disc --copy -o mine.zw
    has_status 2
    says "error[E0805]: --copy and --output exclude each other"
    zwang example rolling_disc --copy --json
    has_status 2
    says "error[E0805]: --copy and --json exclude each other"
    zwang example --messages xml
    has_status 2
    says "E0803"
    zwang example --list
    has_status 2
    says "E0802"
    [ -z "$(ls -A)" ]
}

@test "--json: the list, and one with its text" {
    zwang example --json
    has_status 0
    holds "a.filter(e => e.kind === 'model').map(e => e.name).join(' ') === '$(echo $(names models))'" \
        "a.filter(e => e.kind === 'module').map(e => e.name).join(' ') === '$(echo $(names lib))'" \
        'a.every(e => e.title.length > 0 && e.story.length > 0 && e.text === undefined)' \
        'a.every(e => !/Source:|\bexpect (at|with|from|throughout|end|by)\b|#/.test(e.story))' \
        'a.every(e => e.title.indexOf("\n") < 0 && e.source.indexOf("\n") < 0)'
    zwang example rolling_disc --json -o disc.json
    has_status 0
    output=$(cat disc.json)
    holds 'a.name === "rolling_disc"' 'a.title === "Rolling disc"'
    node -p 'JSON.parse(require("fs").readFileSync("disc.json")).text.slice(0, -1)' | cmp - "$root/models/rolling_disc.zw"
}

@test "every model has a story, a source and a title of its own" {
    zwang example --json
    holds 'new Set(a.map(e => e.title)).size === a.length' \
        'a.filter(e => e.kind === "model" && !(e.source.length > 0)).map(e => e.name).join(" ") === ""'
}

@test "a copy with another parameter runs, and the parameter counts" {
    zwang example rolling_disc --copy -q
    has_status 0
    "$ZWANG" run rolling_disc.zw --until 1 -q -o before.csv
    sed -i 's/\br = 0\.5/r = 0.4/' rolling_disc.zw
    if cmp -s rolling_disc.zw "$root/models/rolling_disc.zw"; then echo "r is not 0.5" && return 1; fi
    zwang run rolling_disc.zw --until 1 -o after.csv
    [ "$status" -eq 0 ]
    says "trust        ok"
    "$ZWANG" run "$root/models/rolling_disc.zw" --set r=0.4 --until 1 -q -o set.csv
    cmp after.csv set.csv
    if cmp -s before.csv after.csv; then return 1; fi
}

@test "a model that is not there, but an example or NAME.zw is: the message says so" {
    for command in run check derive eval; do
        for file in rolling_disc rolling_disc.zw; do
            zwang $command $file
            has_status 1
            [ "$stderr" = "$file: error[E0811]: the file cannot be read: No such file or directory
    help: there is an example of that name: zwang example rolling_disc --copy" ]
        done
    done
    zwang example rolling_disc --copy -q
    zwang run rolling_disc
    has_status 1
    [ "$stderr" = "rolling_disc: error[E0811]: the file cannot be read: No such file or directory
    help: did you mean 'rolling_disc.zw'?" ]
    zwang run nowhere.zw
    has_status 1
    [ "$stderr" = "nowhere.zw: error[E0811]: the file cannot be read: No such file or directory" ]
}

@test "files of data go with their models: in a copy, and from a pipe" {
    zwang example quarter_car --copy -q
    has_status 0
    cmp quarter_car.csv "$root/models/quarter_car.csv"
    zwang run quarter_car.zw -q -o copy.csv
    has_status 0
    rm quarter_car.csv
    "$ZWANG" example quarter_car | "$ZWANG" run - -q -o pipe.csv
    cmp copy.csv pipe.csv
    echo "s,left,right" >quarter_car.csv # one that is there counts, and stays
    zwang run quarter_car.zw
    has_status 1
    says "E0333"
    rm quarter_car.zw
    zwang example quarter_car --copy -q
    [ "$(wc -l <quarter_car.csv)" -eq 1 ]
}

@test "a link to data leads nowhere else" {
    mkdir other && printf '0,0\n1,1\n' >other/far.csv
    printf '0,0\n1,1\n' >near.csv
    ln -s near.csv good.csv
    ln -s other/far.csv bad.csv
    printf 'data f = "good.csv"\ncoord x\nkinetic x%s^2/2\nforce x: f(x)\n' "'" >good.zw
    sed 's/good/bad/' good.zw >bad.zw
    zwang check good.zw -q
    has_status 0
    zwang check bad.zw
    has_status 1
    says "bad.csv: error[E0811]: this link leads out of the folder of the model"
}
