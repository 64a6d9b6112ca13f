#!/bin/sh
# The installed library as its users find it, in a folder of its own: the very lines of
# examples/README.md, for pkg-config and for CMake; the header in a C++ program; then the command; then
# everything is taken away again.
# usage: install.sh BUILD SOURCE
set -eu
build=$1 source=$2
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
# the list of files of a real installation from this build is kept
manifest=$build/install_manifest.txt
[ ! -e "$manifest" ] || cp "$manifest" "$work/manifest"
finish() {
    rm -f "$manifest"
    [ ! -e "$work/manifest" ] || cp "$work/manifest" "$manifest"
    rm -rf "$work"
}
trap finish EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >/dev/null
unset PKG_CONFIG_PATH LD_LIBRARY_PATH
! pkg-config --exists zwang || { echo "another zwang is installed here: nothing would be shown" && exit 1; }

# lines BEGIN END: the lines of code of examples/README.md between two lines of text
lines() {
    sed -n "/^$1/,/^$2/s/^    //p" "$source/examples/README.md" | sed "s#PREFIX#$prefix#g"
}
check() { # the last row: a pendulum that fell from the horizontal, after two seconds
    grep -q '^2,0.7935661[0-9]*,-0.6084839[0-9]*,' "$work/out" || { cat "$work/out" && exit 1; }
}

# Where it is, as the README says, and then how to build.
lines '`two_threads.c` also needs' 'With CMake' >"$work/where.sh"
lines 'With the library installed' '`two_threads.c` also needs' >"$work/build.sh"
[ "$(wc -l <"$work/where.sh")" = 1 ] && [ "$(wc -l <"$work/build.sh")" = 2 ]
. "$work/where.sh"
mkdir "$work/examples"
cp "$source"/examples/*.c "$work/examples/"
(cd "$work/examples" && sh -eu "$work/build.sh") >"$work/out"
check
for file in "$work"/examples/*.c; do
    # shellcheck disable=SC2046
    cc -std=c11 -Wall -Wextra -Werror "$file" $(pkg-config --cflags --libs zwang) -lm -lpthread -o "${file%.c}"
    "${file%.c}" >/dev/null
done
# and without the shared library
# shellcheck disable=SC2046
cc -std=c11 "$work/examples/callback.c" -I"$(pkg-config --variable=includedir zwang)" \
    "$(pkg-config --variable=libdir zwang)/libzwang.a" \
    $(pkg-config --static --libs-only-l zwang | sed 's/-lzwang //') -o "$work/static"
(unset LD_LIBRARY_PATH && "$work/static") >"$work/out"
check

# A program asks for this version of the library, and every symbol has it.
readelf -d "$work/examples/callback" | grep -q 'NEEDED.*\[libzwang\.so\.0\.1\]'
readelf -d "$prefix/lib/libzwang.so" | grep -q 'SONAME.*\[libzwang\.so\.0\.1\]'
nm -D --defined-only --with-symbol-versions "$prefix/lib/libzwang.so" | awk '$2 == "T" {print $3}' >"$work/symbols"
[ "$(wc -l <"$work/symbols")" -ge 50 ]
! grep -v '^zw_[a-z_0-9]*@@ZWANG_0\.1$' "$work/symbols" || exit 1

mkdir "$work/project"
{
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(user LANGUAGES C)' 'add_executable(my_program callback.c)'
    lines 'With CMake' 'In this tree'
    # the same with the other target of the package, which needs no library of ours any more
    printf '%s\n' 'add_executable(alone callback.c)' 'target_link_libraries(alone PRIVATE zwang::zwang_static m)'
    printf '%s\n' 'target_link_libraries(my_program PRIVATE m)'
} >"$work/project/CMakeLists.txt"
grep -q find_package "$work/project/CMakeLists.txt"
cp "$source/examples/callback.c" "$work/project/"
cmake -G Ninja -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/project/build" >/dev/null
(unset LD_LIBRARY_PATH && "$work/project/build/my_program") >"$work/out"
check
! readelf -d "$work/project/build/alone" | grep libzwang || exit 1
(unset LD_LIBRARY_PATH && "$work/project/build/alone") >"$work/out"
check

cat >"$work/user.cpp" <<'CPP'
#include <cstdio>
#include <zwang.h>
int main() { std::puts(zw_version()); return zw_form_name(ZW_FORM_GAUSS) ? 0 : 1; }
CPP
# shellcheck disable=SC2046
g++ -std=c++17 -Wall -Wextra -Werror "$work/user.cpp" -o "$work/user" \
    $(pkg-config --cflags --libs zwang)
"$work/user"

# The command, away from its sources: its pages, and an example with a module of the library.
zwang=$prefix/bin/zwang
if [ ! -x "$zwang" ]; then
    "$here/uninstalled.sh" "$build" "$prefix"
    exit 0
fi
unset LD_LIBRARY_PATH
"$zwang" --version
share=$prefix/share
"$zwang" help --man | cmp - "$share/man/man1/zwang.1"
"$zwang" help --completion bash | cmp - "$share/bash-completion/completions/zwang"
"$zwang" help --completion zsh | cmp - "$share/zsh/site-functions/_zwang"
"$zwang" help --completion fish | cmp - "$share/fish/vendor_completions.d/zwang.fish"
mkdir "$work/folder"
cd "$work/folder"
"$zwang" example heavy_top --copy
grep -q '^use rigid' heavy_top.zw
"$zwang" run heavy_top.zw --until 0.1 --columns energy -o rows.csv
[ "$(head -n 1 rows.csv)" = t,energy ]

"$here/runpath.sh" "$build" "$prefix"
"$here/uninstalled.sh" "$build" "$prefix"
