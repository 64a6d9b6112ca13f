# What check, derive and eval share: the model and where it comes from, --set, modules, messages,
# files, exit status.
load common

pendulum="param m = 1, l = 2
coord x, y
kinetic m/2*(x'^2 + y'^2)
potential m*9.81*y
constraint rod: x^2 + y^2 = l^2
start x = l"

@test "no model, two models: status 2" {
    for command in check derive eval; do
        zwang $command
        has_status 2
        [ "$stderr" = "zwang: error[E0804]: a MODEL is expected
    help: MODEL is a model file, or - for standard input" ]
        zwang $command one.zw two.zw
        has_status 2
        says "error[E0804]: one MODEL is expected, but there is also 'two.zw'"
    done
}

@test "unknown options and missing values: status 2 and a suggestion" {
    for command in check derive eval; do
        zwang $command --ste m=1 model.zw
        has_status 2
        says "error[E0802]: there is no option '--ste'" "did you mean '--set'?"
        for option in --set --output -o --messages; do
            zwang $command $option
            has_status 2
            says "E0802" "'$option'" "its value is missing"
        done
    done
    zwang derive model.zw --json --latex
    has_status 2
    says "error[E0805]: --latex and --json exclude each other"
    zwang eval model.zw --form gaus
    has_status 2
    says "error[E0803]" "did you mean 'gauss'?"
    for word in soon 1x '' nan inf; do
        zwang eval model.zw --time "$word"
        has_status 2
        says "error[E0803]: option --time: '$word' is not possible"
    done
    for command in check eval; do
        zwang $command model.zw --inconsistent refuse
        has_status 2
        says "error[E0803]: option --inconsistent: 'refuse' is not possible" "accept"
    done
}

@test "a model from a file and from standard input" {
    model "$pendulum"
    for command in check derive eval; do
        zwang $command "$BATS_TEST_TMPDIR/model.zw"
        has_status 0
        from_file=$output
        [ -n "$from_file" ]
        run --separate-stderr bash -c "'$ZWANG' $command - <'$BATS_TEST_TMPDIR/model.zw'"
        has_status 0
        [ "$output" = "$from_file" ]
    done
}

@test "a model that is not there, a folder: status 1" {
    for command in check derive eval; do
        zwang $command "$BATS_TEST_TMPDIR/none.zw"
        has_status 1
        says "none.zw: error[E0811]: the file cannot be read: No such file or directory"
        zwang $command "$BATS_TEST_TMPDIR"
        has_status 1
        says "error[E0811]: the file cannot be read: Is a directory"
    done
}

@test "a wrong model: status 1, the place, nothing printed, an old result stays" {
    model "coord theta
kinetic tetha'^2"
    echo old >"$BATS_TEST_TMPDIR/result"
    for command in check derive eval; do
        zwang $command "$BATS_TEST_TMPDIR/model.zw" -o "$BATS_TEST_TMPDIR/result"
        has_status 1
        says "model.zw:2:9: error[E0" "'tetha'" "did you mean 'theta'?" "    kinetic tetha'^2" "            ^~~~~"
        [ "$(cat "$BATS_TEST_TMPDIR/result")" = old ]
    done
    run --separate-stderr bash -c "'$ZWANG' check - <'$BATS_TEST_TMPDIR/model.zw'"
    has_status 1
    says "-:2:9: error[E0"
}

@test "NUL bytes, invalid UTF-8, an empty file, random bytes: status 1" {
    printf 'coord x\0\nkinetic x\n' >"$BATS_TEST_TMPDIR/a.zw"
    printf 'coord x\n# \xff\xfe\nkinetic x\n' >"$BATS_TEST_TMPDIR/b.zw"
    : >"$BATS_TEST_TMPDIR/c.zw"
    head -c 3000 "$ZWANG" | tail -c 1000 >"$BATS_TEST_TMPDIR/d.zw"
    for file in a b c d; do
        zwang check "$BATS_TEST_TMPDIR/$file.zw"
        has_status 1
        says "$file.zw"
        says "error[E0"
    done
}

@test "--messages json: one array, remarks too" {
    model "coord theta
kinetic tetha'^2"
    zwang check --messages json "$BATS_TEST_TMPDIR/model.zw"
    has_status 1
    output=$stderr
    holds 'a.length >= 1' 'a[0].severity === "error"' '/^E0\d\d\d$/.test(a[0].code)' \
        'a[0].line === 2' 'a[0].column === 9' 'a[0].length === 5' '/model.zw$/.test(a[0].file)' \
        "/'theta'/.test(a[0].sentence + a[0].help)"
}

@test "--quiet leaves out remarks and warnings, not errors" {
    # a row that says 0 = 0 gets a remark
    model "$pendulum
constraint nothing: x - x = 0"
    zwang derive "$BATS_TEST_TMPDIR/model.zw"
    has_said 0
    says "remark[R0"
    zwang derive --quiet "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    model "$pendulum
constraint nothing: x - x = 0
constraint wrong: z = 0"
    zwang derive -q "$BATS_TEST_TMPDIR/model.zw"
    has_status 1
    says "error[E0" "    constraint wrong: z = 0"
    [[ $stderr != *remark* ]]
}

@test "--set: once, repeated, with commas, in brackets, of those defined from it" {
    model "param m = 1, k = 2*m, d = [1, 2]
coord x
kinetic m/2*x'^2
force x: k + d[2]"
    file=$BATS_TEST_TMPDIR/model.zw
    zwang eval "$file"
    has_status 0
    holds 'near(a.M, [[1]])' 'near(a.Q, [4])'
    for words in "--set m=3 --set d=[5,7]" "--set=m=3,d=[5,7]" "--set m=3,d=[5,7],k=6"; do
        zwang eval "$file" $words
        has_status 0
        holds 'near(a.M, [[3]])' 'near(a.Q, [13])'
    done
    zwang eval "$file" --set " m = 3 , d = [5, 2*(3 + 0.5)] "
    has_status 0
    holds 'near(a.M, [[3]])' 'near(a.Q, [13])'
}

@test "--set of a structural parameter makes another model" {
    model "param N = 2
coord x[N]
kinetic sum(i in 1..N, x[i]'^2/2)"
    zwang eval "$BATS_TEST_TMPDIR/model.zw" --set N=4
    has_status 0
    holds 'same(a.coordinates, ["x[1]", "x[2]", "x[3]", "x[4]"])'
}

@test "--set of an unknown name, of no parameter, of no value: status 2" {
    model "param inertia = 1
coord x
kinetic inertia/2*x'^2"
    file=$BATS_TEST_TMPDIR/model.zw
    for command in check derive eval; do
        zwang $command "$file" --set inertai=2
        has_status 2
        says "error[E0108]" "'inertai'" "did you mean 'inertia'?"
        zwang $command "$file" --set x=2
        has_status 2
        zwang $command "$file" --set "inertia=[1, 2]"
        has_status 2
        says "error[E0109]"
        zwang $command "$file" --set "inertia=2+"
        has_status 2
        for word in inertia "" "=2" "inertia=1," ",inertia=1" "inertia=1,,inertia=2"; do
            zwang $command "$file" --set "$word"
            has_status 2
            says "error[E0803]: option --set: " "write NAME=VALUE"
        done
    done
    # each with its own text
    printf 'coord x\nkinetic x%s^2\n' "'" >"$BATS_TEST_TMPDIR/plain.zw"
    zwang check "$BATS_TEST_TMPDIR/plain.zw" --set first=1,second=2
    has_said 2
    says "--set:1:1: error[E0108]" "    first=1" "--set[2]:1:1: error[E0108]" "    second=2"
}

@test "--input: a function of time in the place of an input, and what is no input" {
    model "param m = 2
input u = 0, F[2] = 0
coord x
kinetic m/2*x'^2
force x: u + F[2]
output push = u + F[2]
simulate t = 0..1, every = 1"
    file=$BATS_TEST_TMPDIR/model.zw
    zwang run "$file" --input "u = 6*t" --input "F[2] = m" --columns push -q
    has_status 0
    [[ $output == *"1,8"* ]]
    zwang run "$file" --set u=4 --columns push -q
    [[ $output == *"1,4"* ]]
    for command in check run; do
        zwang $command "$file" --input "v = 2"
        has_status 2
        says "--input:1:1: error[E0121]: the model has no input 'v'" "it has u and F"
        zwang $command "$file" --input "m = t"
        has_status 2
        says "error[E0121]" "--set"
        zwang $command "$file" --input "F[3] = t"
        has_status 2
        says "error[E0109]" "no such element"
        zwang $command "$file" --input "F = t"
        has_status 2
        says "error[E0109]" "'F' is a vector of 2, not a number"
        zwang $command "$file" --input "u = 2+"
        has_status 2
        zwang $command "$file" --input "u = z"
        has_status 2
        says "error[E0102]"
    done
}

@test "--input from a file: hold, linear, cubic, columns by name and number, and what is wrong with it" {
    model "input u = 0
coord x
kinetic x'^2/2
force x: u
output push = u
simulate t = 0..4, every = 1"
    cd "$BATS_TEST_TMPDIR"
    mkdir -p far
    printf 't,slow,fast\n0,0,1\n1,2,4\n2,1,9\n4,5,25\n' >far/drive.csv
    zwang run model.zw --input "u = far/drive.csv:slow, hold" --columns push -q
    has_status 0
    [ "$output" = $'t,push\n0,0\n1,2\n2,1\n3,1\n4,5' ]
    zwang run model.zw --input "u = far/drive.csv:slow" --columns push -q
    [ "$output" = $'t,push\n0,0\n1,2\n2,1\n3,3\n4,5' ]
    # a held force against its closed form: v = 0 + 0 + 2 + 2*1 at t = 4
    zwang run model.zw --input "u = far/drive.csv:2, hold" --columns "x'" --at 4 -q
    printf '%s' "$output" | awk -F, 'END { exit !($2 - 4 < 1e-9 && 4 - $2 < 1e-9) }'
    cp far/drive.csv numbers.txt
    zwang run model.zw --input 'u = "numbers.txt":"fast", cubic, extend' --columns push -q
    has_status 0
    [[ $output == *$'\n2,9\n'* ]]
    zwang run model.zw --input "u = far/none.csv:slow, hold"
    has_status 1
    says "--input:1:" "error[E0330]" "far/none.csv"
    zwang run model.zw --input "u = far/drive.csv:quick, hold"
    has_status 1
    says "error[E0332]" "it has t, slow and fast"
    zwang run model.zw --input "v = far/drive.csv:slow, hold"
    has_status 2
    says "error[E0121]"
    printf 't,a\n0,1\n2,1\n1,3\n' >wrong.csv
    zwang run model.zw --input "u = wrong.csv:a, hold"
    has_status 1
    says "wrong.csv:4:1: error[E0333]"
    printf 't,a\n0,1\n2,x\n' >wrong.csv
    zwang run model.zw --input "u = wrong.csv:a"
    has_status 1
    says "wrong.csv:3:3: error[E0331]"
    # the model itself names no file elsewhere
    printf 'data d = "far/drive.csv"\n' >>model.zw
    zwang check model.zw
    has_status 1
    says "error[E0330]" "does not stand beside"
}

@test "modules lie beside the model, whatever the current folder" {
    mkdir "$BATS_TEST_TMPDIR/parts"
    printf '%s\n' "component Ball(m) { coord r[2]; kinetic m/2*dot(r', r') }" >"$BATS_TEST_TMPDIR/parts/balls.zw"
    printf '%s\n' "use balls" "part a = Ball(3)" >"$BATS_TEST_TMPDIR/parts/model.zw"
    for file in "$BATS_TEST_TMPDIR/parts/model.zw"; do
        zwang eval "$file"
        has_status 0
        holds 'same(a.coordinates, ["a.r[1]", "a.r[2]"])' 'near(a.M, [[3, 0], [0, 3]])'
    done
    cd "$BATS_TEST_TMPDIR/parts"
    for file in model.zw ./model.zw ../parts/model.zw; do
        zwang eval "$file"
        has_status 0
    done
    # standard input: the current folder
    run --separate-stderr bash -c "'$ZWANG' eval - <model.zw"
    has_status 0
    cd ..
    run --separate-stderr bash -c "'$ZWANG' eval - <parts/model.zw"
    has_status 1
    says "-:1:5: error[E0" "balls"
}

@test "a module with a mistake: its own file, line and text are shown" {
    printf '%s\n' "coord x" "kinetic y'^2" >"$BATS_TEST_TMPDIR/broken.zw"
    model "use broken"
    cd "$BATS_TEST_TMPDIR"
    zwang check model.zw
    has_status 1
    says "broken.zw:2:9: error[E0" "    kinetic y'^2"
}

@test "a module that is not there, or cannot be read: status 1" {
    model "use nowhere
coord x
kinetic x'^2"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    has_status 1
    says "model.zw:1:5: error[E0" "nowhere"
    [[ $stderr != *E0811* ]]
    mkdir "$BATS_TEST_TMPDIR/nowhere.zw"
    zwang check "$BATS_TEST_TMPDIR/model.zw"
    has_status 1
    says "nowhere.zw: error[E0811]: the file cannot be read: Is a directory"
}

@test "a module that uses itself ends" {
    printf '%s\n' "use model" "coord x" "kinetic x'^2" >"$BATS_TEST_TMPDIR/model.zw"
    run --separate-stderr timeout 10 "$ZWANG" check "$BATS_TEST_TMPDIR/model.zw"
    [ "$status" -le 1 ]
}

@test "-o writes the file and prints nothing; -o - prints" {
    model "$pendulum"
    file=$BATS_TEST_TMPDIR/model.zw
    mkdir "$BATS_TEST_TMPDIR/out"
    for command in check derive eval; do
        zwang $command "$file"
        expected=$output
        zwang $command "$file" -o "$BATS_TEST_TMPDIR/out/result"
        has_status 0
        [ -z "$output" ]
        [ "$(cat "$BATS_TEST_TMPDIR/out/result")" = "$expected" ]
        [ "$(ls -A "$BATS_TEST_TMPDIR/out")" = result ]
        zwang $command "$file" -o -
        has_status 0
        [ "$output" = "$expected" ]
        zwang $command "$file" -o "$BATS_TEST_TMPDIR/none/result"
        has_status 1
        says "error[E0813]"
        run --separate-stderr bash -c "'$ZWANG' $command '$file' >/dev/full"
        [ "$status" -eq 1 ]
        says "error[E0813]"
    done
}

@test "closed streams never crash" {
    model "$pendulum"
    for command in check derive eval explain; do
        run bash -c "'$ZWANG' $command '$BATS_TEST_TMPDIR/model.zw' <&- >&- 2>&-"
        [ "$status" -eq 1 ] || [ "$command" = explain ]
        run bash -c "'$ZWANG' $command - <&- 2>/dev/null"
        [ "$status" -ge 1 ] && [ "$status" -le 2 ]
    done
}

@test "help of every command names its options" {
    common="--set --output --messages --quiet --help MODEL"
    for line in "check --json --inconsistent" "derive --latex --json" \
        "eval --time --state --form --basis --inconsistent"; do
        set -- $line
        zwang "$1" --help
        has_status 0
        shift
        prints "$@" $common
    done
}

@test "damaged models never crash: an answer, or a message and status 1" {
    model "$hoop"
    node -e '
        const fs = require("fs"), good = fs.readFileSync(process.argv[1], "utf8");
        const pieces = ["(", ")", "[", "]", "{", "}", "\n", "=", ":", ",", "..", "\u0027", "^", "-", "*", "r", "t", "0", "1e9",
            "coord", "start", "for i in 1..3 {", "sum(i in 1..2, ", "constraint a: ", "\u03b8", "\"", "#", "\u0000", "if", "let f(u) = "];
        let x = 4321;
        const next = (n) => { x = (x * 1103515245 + 12345) % 2147483648; return Math.floor(x / 65536) % n; };
        for (let k = 0; k < 250; k++) {
            let text = good;
            for (let j = next(3); j >= 0; j--) {
                const at = next(text.length), cut = next(2) * next(12);
                text = text.slice(0, at) + (next(4) ? pieces[next(pieces.length)] : "") + text.slice(at + cut);
            }
            fs.writeFileSync(`${process.argv[2]}/${k}.zw`, text);
        }' "$BATS_TEST_TMPDIR/model.zw" "$BATS_TEST_TMPDIR"
    bad=0
    for file in "$BATS_TEST_TMPDIR"/[0-9]*.zw; do
        code=0
        timeout 20 "$ZWANG" eval "$file" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || code=$?
        if [ $code -eq 1 ]; then
            [ ! -s "$BATS_TEST_TMPDIR/out" ] && grep -q 'error\[E0' "$BATS_TEST_TMPDIR/err"
            bad=$((bad + 1))
        else
            [ $code -eq 0 ] || { cat "$file" && echo "status $code" && return 1; }
        fi
    done
    [ "$bad" -gt 100 ]
}
