# What README and docs show is what the command prints: every block of a document that begins with
# `$ build/zwang ...` is run and compared by documents.js.
load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    # the model of the README, as its reader writes it
    sed -n "/^cat >hoop.zw/,/^ZW\$/p" "$root/README.md" >write.sh
    bash write.sh
}

# shown DOCUMENT COUNT: its examples, at least so many, print what stands there.
shown() {
    awk '
        /^```/ { if (open) close(name ".out"); open = !open; name = ""; first = open; next }
        first && /^\$ build\/zwang / { name = ++count; print substr($0, 3) >(name ".sh"); close(name ".sh") }
        !first && name { print >(name ".out") }
        { first = 0 }' "$1"
    count=0
    for file in [0-9]*.sh; do
        sed -i "s#build/zwang#'$ZWANG'#" "$file"
        bash "$file" >rows 2>said || { cat "$file" said && return 1; }
        cat rows said | node "$here/documents.js" "${file%.sh}.out" || { cat "$file" && return 1; }
        count=$((count + 1))
    done
    [ "$count" -ge "$2" ]
}

@test "the examples of the README print what it shows" {
    shown "$root/README.md" 3
}

@test "a wrong number and a wrong word would be seen" {
    mkdir spoiled
    for script in "s/^0.5,1.19887472/0.5,1.19887473/" "s/^trust  /trost  /" "s/^rank  .*2/&2/"; do
        sed "$script" "$root/README.md" >spoiled/README.md
        if cmp -s "$root/README.md" spoiled/README.md; then echo "not spoiled: $script" && return 1; fi
        rm -f [0-9]*
        if shown spoiled/README.md 3 >/dev/null; then echo "not seen: $script" && return 1; fi
    done
}

@test "the examples of zwang run in docs/CLI.md work" {
    sed -n "s#^ *\$ zwang run hoop#'$ZWANG' run hoop#p" "$root/docs/CLI.md" >lines
    while read -r line; do
        bash -c "$line" 2>said
        grep -q '^trust' said
    done <lines
    [ "$(head -n 1 hoop.csv)" = "t,angle,force(r[1]),force(r[2]),force(r[3]),energy" ]
    [ "$(wc -l <hoop.csv)" -eq 202 ]
}

@test "every model in docs/LANGUAGE.md that says how it is run runs" {
    awk '/^```/ { open = !open; if (open) name = "language" ++count ".zw"; next } open { print >name }' \
        "$root/docs/LANGUAGE.md"
    count=0
    for file in $(grep -l '^simulate' language*.zw); do
        zwang run "$file" -o rows.csv
        has_said 0
        says "trust        ok"
        count=$((count + 1))
    done
    [ "$count" -ge 2 ]
}
