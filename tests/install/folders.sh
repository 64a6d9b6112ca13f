#!/bin/sh
# What pkg-config says for every kind of prefix and folder of libraries: configured, not built; the file
# put where an installation would.
# usage: folders.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PKG_CONFIG_PATH

# asked FILE PREFIX LIBDIR INCLUDEDIR: the folders it names are these
asked() {
    folder=${1%/*}
    PKG_CONFIG_PATH=$folder
    export PKG_CONFIG_PATH
    for pair in libdir="$3" includedir="$4"; do
        path=$(pkg-config --variable="${pair%%=*}" zwang | sed 's/\\\(.\)/\1/g')
        [ "$(readlink -m "$path")" = "$(readlink -m "${pair#*=}")" ] || {
            echo "$1: ${pair%%=*} is $path, not ${pair#*=}"
            exit 1
        }
    done
}

# configure LIBDIR INCLUDEDIR PREFIX
configure() {
    rm -rf "$work/build"
    cmake -G Ninja -S "$source" -B "$work/build" -DZWANG_TESTS=OFF -DZWANG_BENCH=OFF -DCMAKE_INSTALL_PREFIX="$3" \
        -DCMAKE_INSTALL_LIBDIR="$1" -DCMAKE_INSTALL_INCLUDEDIR="$2" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
}

for libdir in lib lib/x86_64-linux-gnu; do
    configure $libdir include /usr/local
    # one file for every prefix that is said when it is installed, one with a blank among them
    for prefix in "$work/a" "$work/deep/down/below" "$work/with a blank"; do
        mkdir -p "$prefix/$libdir/pkgconfig" "$prefix/include"
        cp "$work/build/zwang.pc" "$prefix/$libdir/pkgconfig/"
        asked "$prefix/$libdir/pkgconfig/zwang.pc" "$prefix" "$prefix/$libdir" "$prefix/include"
    done
    ! grep -n "$work\|/usr/local" "$work/build/zwang.pc" || exit 1
    # paths of libraries, as they will be: none empty or relative
    ! grep -o -e '-rpath,[^ ]*' "$work/build/build.ninja" | sed 's/^-rpath,//; s/"//g; s/\\//g; s/\$\$/$/g' | tr ':' '\n' |
        grep -v -E '^(/|\$ORIGIN(/|$))' || exit 1
done
configure "$work/elsewhere/lib" "$work/headers" /usr/local
mkdir -p "$work/elsewhere/lib/pkgconfig"
cp "$work/build/zwang.pc" "$work/elsewhere/lib/pkgconfig/"
asked "$work/elsewhere/lib/pkgconfig/zwang.pc" /usr/local "$work/elsewhere/lib" "$work/headers"
