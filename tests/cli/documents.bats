# What README and docs show is what the command does: every block of code is run, in the order of the
# document, and what is shown compared with what is printed. documents.js says how blocks are marked.
load common

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# shown DOCUMENT NAME=COUNT...: every block is right, and so many models, commands, lines, values at least.
shown() {
    local document=$1 want count
    shift
    rm -rf scratch && mkdir scratch
    ZWANG=$ZWANG node "$here/documents.js" "$document" scratch "${base:-$(dirname "$document")}" >counts ||
        { cat counts && return 1; }
    for want in "$@"; do
        count=$(grep -o "[0-9]* ${want%=*}" counts)
        [ "${count%% *}" -ge "${want#*=}" ] || { cat counts && echo "fewer than $want" && return 1; }
    done
}

@test "the README is true" {
    shown "$root/README.md" commands=7 lines=50
}

@test "the tutorial is true" {
    shown "$root/docs/tutorial.md" models=19 commands=28 lines=230
}

@test "the reference of the language is true" {
    shown "$root/docs/LANGUAGE.md" models=33 commands=2 values=40
}

@test "the reference of the command is true" {
    shown "$root/docs/CLI.md" models=1 commands=20 lines=100
}

@test "the way to a cluster is true" {
    shown "$root/docs/CLUSTER.md" models=1 commands=7 lines=20
}

@test "the page on export is true" {
    shown "$root/docs/EXPORT.md" models=1 commands=11 lines=6
}

@test "the theory is true" {
    shown "$root/docs/THEORY.md" models=7 commands=16 lines=70 values=4
}

@test "the README of Python is true" {
    [ -n "${ZWANG_PYTHON:-}" ] || skip "without the package of Python"
    shown "$root/python/README.md" python=8 lines=30
}

@test "the tutorial of Python is true" {
    [ -n "${ZWANG_PYTHON:-}" ] || skip "without the package of Python"
    shown "$root/docs/python.md" python=11 lines=18
}

@test "mistakes in the documents of Python would be seen" {
    [ -n "${ZWANG_PYTHON:-}" ] || skip "without the package of Python"
    run unseen "$root/python/README.md" "s/zwang.solve(/zwang.solved(/" 's/^trust  /trost  /' 's/until=5/until=6/'
    [ -z "$output" ] || { echo "$output" && return 1; }
}

# unseen DOCUMENT SED...: the names of mistakes, made by these scripts one by one, that are not seen.
unseen() {
    local document=$1 script
    base=$(dirname "$document")
    shift
    shown "$document" || return
    for script in "$@"; do
        sed "$script" "$document" >spoiled.md
        if cmp -s "$document" spoiled.md; then echo "not spoiled: $script" && continue; fi
        if shown spoiled.md >/dev/null; then echo "not seen: $script"; fi
    done
}

@test "mistakes in the README would be seen" {
    run unseen "$root/README.md" "s/^0.5,1.19887472/0.5,1.19887473/" "s/^trust  /trost  /" "s/^rank  .*2/&2/" \
        "s/docs.TESTING.md)/docs\/TASTING.md)/" "s/zw_gauss_plan/zw_gauss_plant/" 's/^```console/```konsole/' \
        "s/ work  .*/  work       ideal 0.0320999/" '/^\$ echo/,/^1$/d'
    [ -z "$output" ] || { echo "$output" && return 1; }
}

@test "mistakes in the other documents would be seen" {
    run unseen "$root/docs/tutorial.md" "s/^constraint pane: dot/constraint pane: dott/" "s/^1\$/0/" \
        "s/^control steer: r\[1\]''/control steer: 2*r[1]''/" "s/#6-control/#6-kontrol/" "s/speed = 20)/speed = 21)/"
    [ -z "$output" ] || { echo "$output" && return 1; }
    run unseen "$root/docs/LANGUAGE.md" "s/# = 2.4\$/# = 2.41/" "s/<!-- with coord x; kinetic 2.*-->//" "s/when y < 0: y'/when y < 0: z'/" \
        '0,/^```zwang wrong/s//```zwang/' "s/#the-constraint-force-and-its-two-parts/#none/"
    [ -z "$output" ] || { echo "$output" && return 1; }
    run unseen "$root/docs/THEORY.md" "s/# = 0.75/# = 0.7/" 's/"b": \[1, 3\], "W": \[1, 3\]/"b": [1, 3], "W": [1, 2]/' \
        "s/^start x' = 1\$/start x' = 1, q = 2/"
    [ -z "$output" ] || { echo "$output" && return 1; }
    run unseen "$root/docs/CLI.md" "s/^t,angle/t,ankle/" 's/^    \^~~/    ^~~~/'
    [ -z "$output" ] || { echo "$output" && return 1; }
}

# section DOCUMENT HEADING: the text under this heading, deeper ones included.
section() {
    awk -v heading="$2" '
        /^#+ / { level = index($0, " ") - 1; if (inside && level <= depth) inside = 0 }
        substr($0, level + 2) == heading && /^#+ / { inside = 1; depth = level }
        inside { print }' "$1"
}

@test "docs/CLI.md has every command, option, method, form, column and code" {
    doc=$root/docs/CLI.md
    missing=""
    for command in $("$ZWANG" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        section "$doc" "$(sed -n "s/^#* *\(\`zwang $command[ \`].*\)/\1/p" "$doc" | head -n 1)" >text
        [ -s text ] || missing="$missing $command"
        section "$doc" "Models" | sed '/^###/,$d' >>text
        for option in $("$ZWANG" "$command" --help | sed -n 's/^ *\(-[a-z], \)\?--\([a-z-]*\).*/--\2/p'); do
            grep -q -e "$option\b" text || missing="$missing $command$option"
        done
    done
    for word in $("$ZWANG" run --help | sed -n '/^Methods:/,$s/^  \([a-z0-9-]*\)  .*/\1/p'); do
        grep -q "\`$word\`" "$doc" || missing="$missing $word"
    done
    for ending in $("$ZWANG" run --help | sed -n 's/.*chooses the format, one of\(.*\); on.*/\1/p'); do
        grep -q "^| \`$ending\` |" "$doc" || missing="$missing $ending"
    done
    for code in $("$ZWANG" explain | grep -o '\b[EWR]0[89][0-9][0-9]\b'); do
        grep -q "^| \`$code\`" "$doc" || missing="$missing $code"
    done
    [ -z "$missing" ] || { echo "missing:$missing" && return 1; }
}

# keys JSON: the names of all fields in it.
keys() {
    node -e '
        const names = new Set(), walk = (x) => {
            if (Array.isArray(x)) return x.forEach(walk);
            if (x && typeof x === "object") for (const k of Object.keys(x)) { names.add(k); walk(x[k]); }
        };
        walk(JSON.parse(require("fs").readFileSync(0, "utf8")));
        console.log([...names].join("\n"));'
}

@test "docs/CLI.md has every field of what is printed as JSON" {
    model "coord x
kinetic x'^2/2
constraint a: x'' = 1
constraint b: x'' = 2
constraint c: x'' = 2
constraint d: x >= -1
friction d: 0.1 along x'
output f = multiplier(a)
when x > 0.1: x' = 0"
    file=$BATS_TEST_TMPDIR/model.zw
    missing=""
    for command in "check --json" "eval --basis" "derive --json" "run --until 1 -o rows.csv --stats=-" "example --json"; do
        [[ $command == example* ]] && file=""
        for name in $("$ZWANG" $command $file 2>/dev/null | keys); do
            grep -q "\`[^\`]*\b$name\b[^\`]*\`" "$root/docs/CLI.md" || missing="$missing $command: $name;"
        done
    done
    [ -z "$missing" ] || { echo "missing:$missing" && return 1; }
}

# components ROOT DOCUMENT: what the tables of the document say otherwise than the modules in lib.
components() {
    node -e '
        const fs = require("fs"), [root, name] = process.argv.slice(1);
        const document = fs.readFileSync(name, "utf8");
        // the names of arguments: "(a, b = [1, 2], c = f(a, 3)) ..." has a, b, c
        const names = (text) => {
            let depth = 0, flat = "";
            for (const c of text) {
                if ("([".includes(c) && ++depth === 1) continue;
                if (")]".includes(c) && --depth === 0) break;
                if (depth === 1) flat += c;
            }
            return flat.split(",").map((word) => /^\s*\w*/.exec(word)[0].trim()).join(" ");
        };
        for (const module of ["rigid", "planar"]) {
            const text = fs.readFileSync(`${root}/lib/${module}.zw`, "utf8").replace(/#.*/g, "");
            const rows = document.split(`### use ${module}`)[1].split(/\n##/)[0].split("\n").filter((line) => line.startsWith("| `"));
            const lib = new Map(), shown = new Map();
            for (const part of text.split(/\ncomponent /).slice(1)) {
                const end = part.split("\n")[0].endsWith("}") ? part.indexOf("\n") : part.indexOf("\n}");
                const outputs = [...part.slice(0, end).matchAll(/output (?:aside )?(\w+)/g)].map((m) => m[1]).join(" ");
                lib.set(/^\w+/.exec(part)[0], `(${names(part)}) ${outputs}`);
            }
            for (const [, name, rest] of text.matchAll(/^let (\w+)(\(.*)/gm)) lib.set(name, `(${names(rest)})`);
            for (const row of rows) {
                const [, head, , outputs = ""] = row.split("|");
                const own = outputs.includes("`") || /^ `[A-Z]/.test(head) ? ` ${(outputs.match(/\w+/g) || []).join(" ")}` : "";
                shown.set(/\w+/.exec(head)[0], `(${names(head)})${own}`);
            }
            if (lib.size < 20) console.log(`few in ${module}`);
            for (const name of new Set([...lib.keys(), ...shown.keys()])) {
                if (lib.get(name) !== shown.get(name)) console.log(`${module}.${name}: ${lib.get(name)} shown as ${shown.get(name)}`);
            }
        }' "$@"
}

@test "docs/LANGUAGE.md has every component of the modules, with its arguments and outputs" {
    run components "$root" "$root/docs/LANGUAGE.md"
    [ "$status" -eq 0 ]
    [ -z "$output" ] || { echo "$output" && return 1; }
    for script in "s/^| .Hinge(a, b, /| \`Hinge(a, /" "/^| .Slider(/d" "s/.tension. |$/|/" "s/^| .Disc(radius/& , thickness/"; do
        sed "$script" "$root/docs/LANGUAGE.md" >spoiled.md
        run components "$root" spoiled.md
        [ -n "$output" ] || { echo "not seen: $script" && return 1; }
    done
}

@test "docs/LANGUAGE.md has every word of the language" {
    words=$(sed -n 's/^    X([A-Z0-9]*, "\([a-z0-9]*\)".*/\1/p' "$root/src/lang/words.h" "$root/src/lang/lang.h")
    [ "$(wc -w <<<"$words")" -gt 60 ]
    for word in $words; do
        grep -q "\`[^\`]*\b$word\b[^\`]*\`" "$root/docs/LANGUAGE.md" || { echo "missing: $word" && return 1; }
    done
}
