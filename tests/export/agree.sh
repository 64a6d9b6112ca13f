#!/bin/sh
# Exports models as C, compiles them without warnings and under the sanitizer for undefined behaviour,
# and has agree.c compare them with the library:
#
#     agree.sh ZWANG FOLDER_OF_LIBRARY SOURCE "COMPILER..." "OPTION..." TOLERANCE MODEL...
#
# One line a model; status 1 where one differs. A model that is refused by E0791, E0792, E0794 or E0795 is passed over.
set -u
zwang=$1 library=$2 source=$3 compilers=$4 options=$5 tolerance=$6
shift 6
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
failed=0 seen=0
for model in "$@"; do
    name=$(basename "$model" .zw)
    # shellcheck disable=SC2086
    if ! "$zwang" export c "$model" -o "$work" -q $options 2>"$work/said"; then
        grep -q 'E079[124]' "$work/said" && continue
        echo "$name: not exported"; cat "$work/said"; failed=1; continue
    fi
    upper=$(printf %s "$name" | tr a-z A-Z)
    for compiler in $compilers; do
        command -v "$compiler" >/dev/null || continue
        if ! "$compiler" -std=c99 -O1 -Wall -Wextra -pedantic -Werror -ffp-contract=off \
                -fsanitize=undefined -fno-sanitize-recover=undefined -c "$work/$name.c" -o "$work/$name.o" ||
            ! "$compiler" -std=gnu11 -O1 -w -I"$work" -I"$source/include" -include "$work/$name.h" \
                -DNAME="$name" -DUPPER="$upper" \
                "$source/tests/export/agree.c" "$work/$name.o" -o "$work/agree" -L"$library" \
                -lzwang -lm -fsanitize=undefined -Wl,-rpath,"$library"; then
            echo "$name: does not compile with $compiler"; failed=1; continue
        fi
        "$work/agree" "$model" "$tolerance" || failed=1
        seen=$((seen + 1))
    done
    rm -f "$work/$name".*
done
[ "$seen" -gt 0 ] || { echo "nothing was compared"; exit 2; }
exit "$failed"
