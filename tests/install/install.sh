#!/bin/sh
# Installs into a folder of its own, builds examples/control_loop.c against it, through
# pkg-config and through the CMake package, and runs it; the header in a C++ program; then the command.
# usage: install.sh BUILD SOURCE
set -eu
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
library=$(dirname "$(find "$work/prefix" -name 'libzwang.so')")
export PKG_CONFIG_PATH="$library/pkgconfig" LD_LIBRARY_PATH="$library"

check() { # the answer of a program is that of a pendulum after one second
    "$1" | tee "$work/out"
    grep -q '^after 1 s: x = -0.9[0-9]*, y = -0.[0-9]*, tension [0-9.]* N, certificate [0-9]e-1[5-9]$' "$work/out"
}

# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Werror "$source/examples/control_loop.c" -o "$work/by_pkg_config" \
    $(pkg-config --define-prefix --cflags --libs zwang) -lm
check "$work/by_pkg_config"

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(user LANGUAGES C)
find_package(zwang 0.1 REQUIRED)
add_executable(by_cmake control_loop.c)
target_link_libraries(by_cmake PRIVATE zwang::zwang m)
CMAKE
cp "$source/examples/control_loop.c" "$work/project/"
cmake -G Ninja -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/project/build" >/dev/null
check "$work/project/build/by_cmake"

cat >"$work/user.cpp" <<'CPP'
#include <cstdio>
#include <zwang.h>
int main() { std::puts(zw_version()); return zw_form_name(ZW_FORM_GAUSS) ? 0 : 1; }
CPP
# shellcheck disable=SC2046
g++ -std=c++17 -Wall -Wextra -Werror "$work/user.cpp" -o "$work/user" \
    $(pkg-config --define-prefix --cflags --libs zwang)
"$work/user"

# The command, away from its sources: its pages, and an example with a module of the library.
zwang=$work/prefix/bin/zwang
[ -x "$zwang" ] || exit 0
unset LD_LIBRARY_PATH
"$zwang" --version
share=$work/prefix/share
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
