# The equivalent forms: they agree where they are defined, and refuse where they are not.
load common

forms="gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection"
defined_for_conflicts="gauss moore-penrose projection"
refuse_conflicts="inverse-14 inverse-1 gibbs-appell multipliers"
defined_for_singular="gauss gibbs-appell multipliers"
refuse_singular="moore-penrose inverse-14 inverse-1 projection"

conflict='"M": [[2, 0], [0, 2]], "Q": [0, -20], "A": [[1, 1], [1, -1], [1, 0]], "b": [1, 2, 5], "W": [1, 1, 2]'

# agree PROBLEM TOLERANCE FORM...: every form gives the acceleration and forces of gauss.
agree() {
    local problem=$1 tolerance=$2 form
    shift 2
    for form in gauss "$@"; do
        zwang solve "$problem" --form "$form" || return 1
        has_status 0 || return 1
        printf '%s' "$output" >"$BATS_TEST_TMPDIR/$form.answer"
    done
    node -e '
        const fs = require("fs"), [, folder, tolerance, ...forms] = process.argv;
        const read = (form) => [JSON.parse(fs.readFileSync(`${folder}/${form}.answer`))].flat();
        const size = (x) => Math.max(0, ...x.map(Math.abs)), gauss = read("gauss");
        for (const form of forms) {
            const answers = read(form);
            if (answers.length !== gauss.length) throw new Error(`${form}: ${answers.length} answers`);
            gauss.forEach((a, k) => {
                const other = answers[k], scale = Math.max(size(a.force), size(a.acceleration));
                if (other.form !== form) throw new Error(`form ${other.form} instead of ${form}`);
                for (const key of ["acceleration", "force", "force_ideal", "force_nonideal"]) {
                    const far = size(a[key].map((v, i) => v - other[key][i])) / scale;
                    if (!(far <= Number(tolerance))) throw new Error(`${form}, problem ${k}, ${key}: ${far}`);
                }
            });
        }' "$BATS_TEST_TMPDIR" "$tolerance" "$@"
}

@test "every form agrees to 1e-12 on a consistent redundant problem" {
    echo '{"M": [[2, 1, 0], [1, 3, 0.5], [0, 0.5, 1]], "Q": [1, -2, 3], "C": [0.5, 0.25, -1],
           "A": [[1, 2, 3], [2, 4, 6], [1, 0, -1], [2, 2, 2]], "b": [1, 2, 3, 4]}' >"$BATS_TEST_TMPDIR/p.json"
    # shellcheck disable=SC2086
    agree "$BATS_TEST_TMPDIR/p.json" 1e-12 $forms
}

@test "every form agrees to 1e-12 on random consistent problems" {
    seed=1000
    for shape in "3 2 2" "6 8 4" "12 8 5" "20 15 15" "30 24 16"; do
        for kinds in "" "C" "C W" "diagonal C"; do
            # shellcheck disable=SC2086
            node "$here/numbers.js" random list 5 $seed $shape $kinds >"$BATS_TEST_TMPDIR/p.json"
            # shellcheck disable=SC2086
            agree "$BATS_TEST_TMPDIR/p.json" 1e-12 $forms || { echo "seed $seed $shape $kinds" && return 1; }
            seed=$((seed + 10))
        done
    done
}

@test "the forms that are defined for inconsistent constraints agree on them" {
    echo "{$conflict}" >"$BATS_TEST_TMPDIR/p.json"
    # shellcheck disable=SC2086
    agree "$BATS_TEST_TMPDIR/p.json" 1e-13 $defined_for_conflicts
    for kinds in "inconsistent" "inconsistent C W" "inconsistent diagonal weights"; do
        # shellcheck disable=SC2086
        node "$here/numbers.js" random list 20 7 8 10 5 $kinds >"$BATS_TEST_TMPDIR/p.json"
        # shellcheck disable=SC2086
        agree "$BATS_TEST_TMPDIR/p.json" 1e-12 $defined_for_conflicts
    done
}

@test "the four forms that are not defined for inconsistent constraints refuse, by option and by field" {
    for form in $refuse_conflicts; do
        solve "{$conflict}" --form "$form"
        has_status 1
        says "error[E0925]" inconsistent "gauss, moore-penrose and projection"
        solve "{$conflict, \"form\": \"$form\"}"
        has_status 1
        says "error[E0925]" inconsistent
    done
}

@test "a small conflict is refused too, rounding is not" {
    for form in $refuse_conflicts; do
        solve '{"M": [1, 2], "Q": [1, 1], "A": [[1, 1], [3, 3]], "b": [1, 3.0001]}' --form "$form"
        has_status 1
        says inconsistent
        solve '{"M": [1, 2], "Q": [1, 1], "A": [[0.1, 0.1], [0.3, 0.3]], "b": [0.1, 0.30000000000000004]}' \
            --form "$form"
        has_status 0
    done
}

@test "singular M: the forms that are not defined refuse" {
    for form in $refuse_singular; do
        solve '{"M": [1, 0], "Q": [1, 1], "A": [[1, 1]], "b": [0]}' --form "$form"
        has_status 1
        says "error[E0926]" "gauss, multipliers or gibbs-appell"
    done
    for form in $defined_for_singular; do
        solve '{"M": [1, 0], "Q": [1, 1], "A": [[1, 1]], "b": [0]}' --form "$form"
        has_status 0
    done
}

@test "--form overrides the field, in every problem of a list" {
    solve '[{"M": [1], "Q": [0], "form": "projection"}, {"M": [1], "Q": [0]}]' --form=moore-penrose
    has_status 0
    holds 'same(a.map((x) => x.form), ["moore-penrose", "moore-penrose"])'
    solve "{$conflict, \"form\": \"inverse-1\"}" --form gauss
    has_status 0
    holds 'near(a.acceleration, [3.25, -0.5], 1e-14)'
}

@test "--form does not hide an unknown form in the data" {
    solve '{"M": [1], "Q": [0], "form": "gaus"}' --form gauss
    has_status 1
    says "E0908" "did you mean 'gauss'?"
}
