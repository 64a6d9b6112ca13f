# How command and library were built, and what a model may touch.
load common

setup() {
    cd "$BATS_TEST_TMPDIR"
    [ -z "$SANITIZED" ] || skip "sanitizers have checks of their own"
    [ "$(uname -s)" = Linux ] && command -v readelf >/dev/null || skip "no files of ELF, or no readelf"
    folder=$(dirname "$(readlink -f "$ZWANG")")
    library=$(readlink -f "$folder/libzwang.so")
    [ -e "$library" ] || skip "no library beside the command"
}

@test "command and library: full RELRO, bound at once, no executable stack, position independent" {
    for file in "$ZWANG" "$library"; do
        readelf -lW "$file" >segments
        readelf -dW "$file" >dynamic
        grep -q GNU_RELRO segments
        grep -Eq 'BIND_NOW|FLAGS_1.*NOW' dynamic
        grep GNU_STACK segments | grep -q 'RW '
        readelf -hW "$file" | grep -q 'Type:.*DYN'
        ! grep -q TEXTREL dynamic
    done
}

@test "command and library: stacks are guarded, and functions that copy know their room" {
    for file in "$ZWANG" "$library"; do
        readelf --dyn-syms -W "$file" >symbols
        grep -q '__stack_chk_fail' symbols || grep -q '__stack_chk_guard' symbols
    done
    readelf --dyn-syms -W "$ZWANG" | grep -Eq '__[a-z]+_chk'
}

@test "landings of indirect calls: of the library, and of the code that is made for a model" {
    command -v objdump >/dev/null || skip "no objdump"
    case $(uname -m) in
    x86_64) landing=endbr64 ;;
    aarch64) landing='bti\|paciasp' ;;
    *) skip "none on this processor" ;;
    esac
    objdump -d --no-show-raw-insn "$library" | grep -A1 '<zw_version' | grep -q "$landing"
    printf '%s\n' "$hoop" >hoop.zw
    "$ZWANG" derive hoop.zw --asm >listing
    [ "$(grep -c 'endbr64\|bti c' listing)" -gt 0 ]
    # every piece of code begins with one
    node -e '
        const lines = require("fs").readFileSync("listing", "utf8").split("\n");
        const first = lines.filter((l) => /push rbx$|stp x29/.test(l)).length, landings = lines.filter((l) => /endbr64$|bti c$/.test(l)).length;
        if (first === 0 || first !== landings) { console.log(first, landings); process.exit(1); }'
}

@test "what a model names is a plain file beside it: no pipe, no device, no link that leads out" {
    mkdir inside outside
    printf 'secret = 1\n' >outside/secret.zw
    printf 'x,y\n0,0\n1,1\n' >outside/secret.csv
    mkfifo inside/waits.zw inside/waits.csv
    ln -s /dev/zero inside/zeros.zw
    ln -s /dev/zero inside/zeros.csv
    ln -s ../outside/secret.zw inside/out.zw
    ln -s ../outside/secret.csv inside/out.csv
    ln -s "$PWD/outside/secret.zw" inside/far.zw
    printf 'let two = 2\n' >inside/good.zw
    ln -s good.zw inside/alias.zw
    for name in waits zeros out far; do
        printf 'use %s\ncoord x\nkinetic x%s^2/2\n' $name "'" >inside/model.zw
        run --separate-stderr timeout 5 "$ZWANG" check inside/model.zw
        [ "$status" -eq 1 ] || { echo "$name: $status $stderr" && return 1; }
        says "error[E0811]"
        [[ $stderr != *secret\ =* ]]
    done
    for name in waits zeros out; do
        printf 'data f = "%s.csv"\ncoord x\nkinetic x%s^2/2\npotential f(x)\n' $name "'" >inside/model.zw
        run --separate-stderr timeout 5 "$ZWANG" check inside/model.zw
        [ "$status" -eq 1 ] || { echo "$name: $status $stderr" && return 1; }
        says "error[E0811]"
    done
    printf 'use alias\ncoord x\nkinetic x%s^2/two\n' "'" >inside/model.zw
    zwang check inside/model.zw
    has_said 0
    # names that lead elsewhere
    for name in ../outside/secret.csv /etc/passwd ./outside.csv ..; do
        printf 'data f = "%s"\ncoord x\nkinetic x%s^2/2\npotential f(x)\n' $name "'" >inside/model.zw
        zwang check inside/model.zw
        [ "$status" -eq 1 ] || { echo "$name: $status" && return 1; }
    done
}

@test "a new file has the permissions of the old one, but gives nobody other rights" {
    printf '%s\n' "$hoop" >hoop.zw
    touch rows.csv
    chmod 6751 rows.csv
    "$ZWANG" run hoop.zw --until 0.1 -o rows.csv -q
    [ "$(stat -c %a rows.csv)" = 751 ]
}
