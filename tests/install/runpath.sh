#!/bin/sh
# No file that is built or installed looks for libraries in a folder that depends on where one stands: no
# entry of a RUNPATH is empty or relative. And the command, run where files with the names of its
# libraries lie beside a model, runs none of them.
# usage: runpath.sh BUILD [PREFIX], PREFIX: an installation
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# paths FILE: its RUNPATH and RPATH, an entry a line; nothing if it has none
paths() {
    readelf -d "$1" 2>/dev/null | sed -n 's/.*R\(UN\)\{0,1\}PATH).*\[\(.*\)\]$/\2/p' | tr ':' '\n'
}

# The check itself sees what it is for.
printf 'int main(void) { return 0; }\n' >"$work/empty.c"
for path in /usr/lib: :/usr/lib /usr/lib::/lib lib ./lib '$ORIGINS/lib'; do
    cc "$work/empty.c" -Wl,--enable-new-dtags -Wl,-rpath,"$path" -o "$work/bad"
    paths "$work/bad" | grep -q -v -E '^(/|\$ORIGIN(/|$))' || { echo "'$path' is not seen" && exit 1; }
done
cc "$work/empty.c" -Wl,-rpath,'/usr/lib:$ORIGIN/../lib:$ORIGIN' -o "$work/good"
! paths "$work/good" | grep -v -E '^(/|\$ORIGIN(/|$))' || exit 1

looked=0 bad=0
find "$@" -type f \( -perm -u+x -o -name '*.so*' \) >"$work/files"
while IFS= read -r file; do
    readelf -h "$file" >/dev/null 2>&1 || continue
    looked=$((looked + 1))
    if paths "$file" | grep -v -E '^(/|\$ORIGIN(/|$))' >"$work/wrong"; then
        echo "$file: RUNPATH $(paths "$file" | tr '\n' ':')"
        bad=$((bad + 1))
    fi
done <"$work/files"
echo "$looked files, $bad of them wrong"
[ "$looked" -ge 2 ] && [ "$bad" = 0 ]

# Every library that the command or the library names, as a file that leaves a trace when it is loaded.
cat >"$work/hostile.c" <<'C'
#include <stdio.h>
__attribute__((constructor)) static void run(void)
{
    FILE *file = fopen("it_ran", "w");
    if (file) fclose(file);
}
C
mkdir "$work/folder"
cd "$work/folder"
printf 'coord x\nkinetic 1/2*x'"'"'^2\nstart x = 1\nsimulate t = 0..1\n' >model.zw
zwang=$1/zwang
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'; }
{
    needed "$zwang"
    needed "$1/libzwang.so"
    strings -a "$1/libzwang.so" | grep -E '^lib[a-z_]*\.so\.[0-9.]*$' || true # opened while it runs
} | sort -u | grep -v -E '^(ld-linux|libc\.so)' >"$work/names"
[ -s "$work/names" ]
while IFS= read -r name; do
    cc -shared -fPIC "$work/hostile.c" -Wl,-soname,"$name" -o "$name"
done <"$work/names"
unset LD_LIBRARY_PATH
# The files do what they are for: without the path that the system searches first one of them runs, or, where all names
# are bound at once, the command cannot begin with it.
if LD_LIBRARY_PATH=. "$zwang" --version >/dev/null 2>&1; then
    [ -e it_ran ] || { echo "a hostile library was not seen to run" && exit 1; }
fi
for command in "$zwang" ${2:+"$2/bin/zwang"}; do
    rm -f it_ran
    "$command" check model.zw >/dev/null
    "$command" run -q model.zw >/dev/null
    [ ! -e it_ran ] || { echo "$command ran a library from the current folder" && exit 1; }
done
