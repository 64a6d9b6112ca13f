#!/bin/sh
# The target `uninstall` takes away what was installed last, and nothing else.
# usage: uninstalled.sh BUILD PREFIX
set -eu
build=$1 prefix=$2
printf 'mine\n' >"$prefix/lib/mine.txt"
cmake --build "$build" --target uninstall >/dev/null
left=$(find "$prefix" ! -type d)
[ "$left" = "$prefix/lib/mine.txt" ] || { printf 'left: %s\n' "$left" && exit 1; }
[ ! -e "$prefix/lib/cmake/zwang" ]
# a second time there is nothing to take away, which is said
! cmake --build "$build" --target uninstall >/dev/null 2>&1 || exit 1
