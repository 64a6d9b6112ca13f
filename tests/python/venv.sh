#!/bin/sh
# venv.sh PYTHON TREE: the wheel, and the sources, in bare virtual environments without an index.
set -eu
python=$1 tree=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "venv.sh: $*" >&2 && exit 1; }
cd "$work"
unset PYTHONPATH

wheel=$("$python" "$tree/python/backend/zwang_build.py" "$work")
case $wheel in
*-cp311-abi3-linux_*.whl) ;;
*) fail "$wheel is no abi3 wheel" ;;
esac
again=$("$python" "$tree/python/backend/zwang_build.py" "$work/again")
cmp "$wheel" "$again" || fail "the same sources give another wheel"

# Nothing is linked from where it was built.
"$python" -m zipfile -e "$wheel" "$work/open"
for file in "$work"/open/zwang/*.so*; do
    if readelf -d "$file" | grep -E 'RPATH|RUNPATH' | grep -q '\[/'; then fail "$file has a path of this machine"; fi
done

cat >"$work/try.py" <<'PYTHON'
import sys
import zwang

assert "site-packages" in zwang.__file__, zwang.__file__
assert "numpy" not in sys.modules  # a bare environment has none
r = zwang.example("hoop").run(until=1)
assert r.trust == "ok" and len(r) == 51 and list(r["r"].shape) == [51, 3]
assert zwang.solve([[2.0]], [4.0]).acceleration[0] == 2
assert "zwang-page" in r.page() and zwang.explain("E0102")
PYTHON

# install NAME WHAT: into an environment of its own.
install() {
    "$python" -m venv "$work/$1"
    "$work/$1/bin/pip" --disable-pip-version-check install --no-index --quiet "$2"
    "$work/$1/bin/python" "$work/try.py" || fail "$1: the package does not work"
    "$work/$1/bin/pip" --disable-pip-version-check uninstall --yes --quiet zwang
    if "$work/$1/bin/python" -c "import zwang" 2>/dev/null; then fail "$1: something is left"; fi
}
install wheel "$wheel"
install sources "$tree/python"
(cd "$tree/python" && "$python" -c "
import sys
sys.path.insert(0, 'backend')
import zwang_build
zwang_build.build_sdist('$work')")
tar -tzf "$work"/zwang-*.tar.gz | grep -q '/pyproject.toml$' || fail "the source distribution has no pyproject.toml"
echo "a wheel and the sources install without an index"
