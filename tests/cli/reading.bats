# zwang derive for people: systems as books have them, the gallery kept to its values, programs.
load common

# written FILE: --motion, then the matrices, as tests/reading keeps them; KEEP=yes writes them anew.
written() {
    "$ZWANG" derive --motion "$1"
    "$ZWANG" derive "$1" | sed -n '/^Mass/,$p'
}

@test "textbook systems are printed as books have them" {
    for file in "$root"/tests/reading/*.zw; do
        written "$file" >"$BATS_TEST_TMPDIR/written"
        [ "${KEEP:-}" = yes ] && cp "$BATS_TEST_TMPDIR/written" "${file%.zw}.expected"
        diff "${file%.zw}.expected" "$BATS_TEST_TMPDIR/written"
    done
    "$ZWANG" derive "$root/models/andrews.zw" | grep -E '^  [MFH]\[β' >"$BATS_TEST_TMPDIR/written"
    diff "$root/tests/reading/andrews.expected" "$BATS_TEST_TMPDIR/written"
}

@test "the double pendulum fits a page" {
    written "$root/tests/reading/double_pendulum.zw" >"$BATS_TEST_TMPDIR/written"
    grep -qF '  M[θ1, θ1] = (m1 + m2)*l1^2' "$BATS_TEST_TMPDIR/written"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/written")" -le 50 ]
    [ "$(wc -L <"$BATS_TEST_TMPDIR/written")" -le 120 ]
}

@test "every model of the gallery keeps its values, and is not printed longer" {
    before=0 after=0
    for file in "$root"/models/*.zw; do
        "$ZWANG" derive --json "$file" >"$BATS_TEST_TMPDIR/read.json"
        "$ZWANG" derive --json --plain "$file" >"$BATS_TEST_TMPDIR/plain.json"
        [ "$(node "$here/reading.js" "$BATS_TEST_TMPDIR/read.json" "$BATS_TEST_TMPDIR/plain.json")" -ge 0 ]
        before=$((before + $("$ZWANG" derive --plain "$file" | wc -c)))
        after=$((after + $("$ZWANG" derive "$file" | wc -c)))
    done
    [ "$after" -lt "$before" ]
}

@test "a coordinate phi does not take the name of a row" {
    model "coord phi, x
kinetic phi'^2/2 + x'^2/2
constraint c: phi = x"
    zwang derive "$BATS_TEST_TMPDIR/model.zw"
    has_status 0
    prints "Constraints Phi = 0" "Phi = phi - x"
    zwang derive --latex "$BATS_TEST_TMPDIR/model.zw"
    prints '\Phi_{\text{c}} &= \phi - x'
    model "coord φ, Phi
kinetic φ'^2/2 + Phi'^2/2
constraint c: φ = Phi"
    zwang derive "$BATS_TEST_TMPDIR/model.zw"
    prints "psi = φ - Phi"
}

@test "what is impressed stands apart from what follows from inertia" {
    model "param m = 1, k = 2
coord r, a
kinetic m/2*(r'^2 + r^2*a'^2)
potential k*r^2/2
dissipation r'^2/2
force a: 3"
    zwang derive "$BATS_TEST_TMPDIR/model.zw"
    prints "  F[r] = -r' - k*r" "  F[a] = 3" "  H[r] = m*r*a'^2" "  H[a] = -2*m*r*r'*a'"
    zwang derive --plain "$BATS_TEST_TMPDIR/model.zw"
    prints "Q[r]"
    [[ $output != *"F[r]"* ]]
}

@test "C compiles and agrees with eval" {
    command -v gcc >/dev/null || skip "no compiler"
    "$ZWANG" derive --c "$root/tests/reading/sleigh.zw" >"$BATS_TEST_TMPDIR/sleigh.c"
    cat >>"$BATS_TEST_TMPDIR/sleigh.c" <<'C'
#include <stdio.h>
int main(void)
{
    double q[3] = {0.1, 0.2, 0.3}, v[3] = {1, 2, 3}, z[3] = {0}, p[3] = {1, 0.5, 0.2}, M[9], F[3], H[3],
           C[3], A[3], b[1], phi[1], W[1];
    equations(0, q, v, z, p, z, M, F, H, C, A, b, phi, W);
    printf("%.12g %.12g %.12g %.12g %g\n", M[2], M[8], H[0], A[1], W[0]);
    return 0;
}
C
    gcc -std=c11 -Wall -Wextra -Werror -Wno-unused-variable -o "$BATS_TEST_TMPDIR/sleigh" \
        "$BATS_TEST_TMPDIR/sleigh.c" -lm
    # m a sin, m a^2 + I, m a w^2 cos, cos, 1
    run "$BATS_TEST_TMPDIR/sleigh"
    [ "$output" = "-0.0591040413323 0.54 1.71960568043 0.955336489126 1" ]
}

@test "forms exclude each other, and many parts are not written out" {
    model "$hoop"
    zwang derive --sympy --c "$BATS_TEST_TMPDIR/model.zw"
    has_status 2
    says E0805 "--sympy and --c exclude each other"
    zwang derive --motion --json "$BATS_TEST_TMPDIR/model.zw"
    has_status 2
    says "--motion and --json exclude each other"
    zwang derive --motion "$root/models/chain.zw" --set N=2000
    has_status 1
    says E0837
}

@test "LaTeX is compiled" {
    command -v pdflatex >/dev/null || skip "no TeX here: apt-get install texlive-latex-base"
    cd "$BATS_TEST_TMPDIR"
    { printf '\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n'
      for file in "$root"/tests/reading/*.zw "$root/models/andrews.zw"; do
          "$ZWANG" derive --latex "$file"
          "$ZWANG" derive --latex --motion "$file"
      done
      printf '\\end{document}\n'; } >all.tex
    pdflatex -interaction=nonstopmode -halt-on-error all.tex >all.log || { tail -20 all.log; false; }
    # lines are broken: none is much wider than the page
    ! grep -E 'Overfull .hbox \(([5-9][0-9]|[0-9]{3,})\.' all.log
}

@test "SymPy reads --sympy and agrees" {
    /usr/bin/python3 -c 'import sympy' 2>/dev/null || skip "no SymPy here: apt-get install python3-sympy"
    for file in "$root"/tests/reading/*.zw; do
        "$ZWANG" derive --sympy "$file" >"$BATS_TEST_TMPDIR/equations.py"
        /usr/bin/python3 "$here/reading_sympy.py" "$BATS_TEST_TMPDIR/equations.py"
    done
}
