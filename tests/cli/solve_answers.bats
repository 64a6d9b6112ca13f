# Answers of `zwang solve`: closed forms, and certificates recomputed from the raw matrices.
load common

@test "reference, two_servo_rows_1d: 5/2 between 1 (weight 1) and 3 (weight 3)" {
    solve '{"M": [[1]], "Q": [0], "A": [[1], [1]], "b": [1, 3], "W": [[1, 0], [0, 3]], "basis": true}'
    has_status 0
    holds 'near(a.acceleration, [2.5], 1e-15)' 'near(a.force, [2.5], 1e-15)' \
        'near(a.force_ideal, [2.5], 1e-15)' 'near(a.force_nonideal, [0], 1e-15)' \
        'near(a.residual, [1.5, -0.5], 1e-14)' 'near(a.inconsistency, Math.sqrt(3), 1e-14)' \
        'near(a.free_acceleration, [0])' 'near(a.gaussian, 6.25, 1e-14)' 'a.rank === 1' \
        'same(a.virtual_displacements, [])' 'a.form === "gauss"' 'a.diagnosis.consistent === false' \
        'a.diagnosis.conflicts.length === 1' 'same(a.diagnosis.conflicts[0].rows, [0, 1])' \
        'near(a.diagnosis.conflicts[0].coefficients, [-1, 1], 1e-14)' \
        'near(a.diagnosis.conflicts[0].mismatch, 2, 1e-14)' \
        'near(a.diagnosis.conflicts[0].size, 2 / Math.sqrt(1 + 1 / 3), 1e-14)' \
        'same(a.diagnosis.unique_multipliers, [])'
}

@test "reference, two_servo_rows_1d: least W^-1 norm multipliers" {
    # lambda = W y with A^T W y = 5/2 and y in the range of A: y = (5/8, 5/8)
    solve '{"M": [1], "Q": [0], "A": [[1], [1]], "b": [1, 3], "W": [1, 3]}'
    has_status 0
    holds 'near(a.multipliers, [0.625, 1.875], 1e-14)'
}

@test "reference, plane_three_lines: 13/4, -1/2" {
    solve '{"M": [[2, 0], [0, 2]], "Q": [0, -20], "A": [[1, 1], [1, -1], [1, 0]], "b": [1, 2, 5],
            "W": [[1, 0, 0], [0, 1, 0], [0, 0, 2]]}'
    has_status 0
    holds 'near(a.acceleration, [3.25, -0.5], 1e-14)' 'near(a.force, [6.5, 19], 1e-14)' \
        'near(a.free_acceleration, [0, -10], 1e-15)' 'near(a.residual, [1.75, 1.75, -1.75], 1e-14)' \
        'near(a.inconsistency, 3.5, 1e-14)' 'a.rank === 2' 'a.diagnosis.conflicts.length === 1' \
        'same(a.diagnosis.conflicts[0].rows, [0, 1, 2])' \
        'near(a.diagnosis.conflicts[0].coefficients, [-0.5, -0.5, 1], 1e-14)' \
        'near(a.diagnosis.conflicts[0].mismatch, 3.5, 1e-14)' \
        'same(a.diagnosis.dependent_sets[0].rows, [0, 1, 2])' 'a.virtual_displacements === undefined'
}

@test "the reference file itself, every case" {
    cat >"$BATS_TEST_TMPDIR/cases.js" <<'JS'
const fs = require('fs');
const exact = (s) => (Array.isArray(s) ? s.map(exact) : s.includes('/') ? s.split('/')[0] / s.split('/')[1] : Number(s));
const cases = JSON.parse(fs.readFileSync(process.argv[2])).reference;
if (process.argv[3] === 'problems') {
    const problems = cases.map((c) => ({M: exact(c.M), A: exact(c.A), b: exact(c.b), W: exact(c.W),
        Q: exact(c.M).map((row) => row.reduce((s, v, j) => s + v * exact(c.a_free)[j], 0))}));
    console.log(JSON.stringify(problems));
} else {
    const answers = JSON.parse(fs.readFileSync(0, 'utf8'));
    if (answers.length !== cases.length) process.exit(1);
    const far = (x, y) => x.length !== y.length || x.some((v, k) => Math.abs(v - y[k]) > 1e-14 * 20);
    cases.forEach((c, k) => {
        const v = c.values, a = answers[k];
        if (far(a.acceleration, exact(v.qdd)) || far(a.force, exact(v.Fc)) ||
            far(a.residual, exact(v.A_qdd_minus_b))) { console.log(c.case, a); process.exit(1); }
    });
}
JS
    reference=$root/tests/reference/uk_inconsistent.json
    node "$BATS_TEST_TMPDIR/cases.js" "$reference" problems >"$BATS_TEST_TMPDIR/list.json"
    zwang solve "$BATS_TEST_TMPDIR/list.json"
    has_status 0
    printf '%s' "$output" | node "$BATS_TEST_TMPDIR/cases.js" "$reference" answers
}

@test "W changes the motion where constraints conflict, and only there" {
    solve '{"M": [1], "Q": [0], "A": [[1], [1]], "b": [1, 3]}'
    holds 'near(a.acceleration, [2], 1e-15)'
    solve '{"M": [1, 2], "Q": [1, 1], "A": [[1, 1], [2, 2]], "b": [1, 2]}'
    first=$output
    solve '{"M": [1, 2], "Q": [1, 1], "A": [[1, 1], [2, 2]], "b": [1, 2], "W": [[5, 1], [1, 3]]}'
    has_status 0
    holds "near(a.acceleration, ($first).acceleration, 1e-14)"
}

@test "redundant rows: status 0, named by number, coefficients, unique multipliers" {
    solve '{"M": [1, 1, 1], "Q": [0, 0, -9.81], "basis": true,
            "A": [[1, 0, 0], [0, 1, 0], [2, 3, 0], [0, 0, 1]], "b": [1, 2, 8, 0]}'
    has_status 0
    holds 'near(a.acceleration, [1, 2, 0], 1e-14)' 'a.rank === 3' 'a.diagnosis.consistent === true' \
        'a.diagnosis.dependent_sets.length === 1' 'same(a.diagnosis.conflicts, [])' \
        'same(a.diagnosis.dependent_sets[0].rows, [0, 1, 2])' \
        'near(a.diagnosis.dependent_sets[0].coefficients, [-2, -3, 1], 1e-14)' \
        'Math.abs(a.diagnosis.dependent_sets[0].mismatch) < 1e-13' \
        'a.diagnosis.dependent_sets[0].distance < 1e-14' 'near(a.multipliers[3], 9.81, 1e-14)' \
        'same(a.diagnosis.unique_multipliers, [3])' 'same(a.diagnosis.nearly_dependent, [])' \
        'a.inconsistency < 1e-13' 'same(a.virtual_displacements, [])' \
        'a.rank_gap.accepted > 1e-3' 'a.rank_gap.rejected < 1e-14' 'a.rank_gap.ambiguous === false' \
        'a.rank_gap.tolerance > 1e-15 && a.rank_gap.tolerance < 1e-12'
}

@test "names take the place of row numbers, whatever they contain" {
    solve '{"M": [1], "Q": [0], "A": [[1], [1]], "b": [1, 1], "names": ["rod \"a\"\n", "Größe/0"]}'
    has_status 0
    holds 'same(a.diagnosis.dependent_sets[0].rows, ["rod \"a\"\n", "Größe/0"])'
    solve '{"M": [1, 1], "Q": [0, 0], "A": [[1, 0]], "b": [1], "names": ["rod"]}'
    holds 'same(a.diagnosis.unique_multipliers, ["rod"])'
}

@test "C is split into its ideal and non-ideal part" {
    # friction 3 along x on the table z'' = 0; the push of C into the table does no work
    solve '{"M": [2, 2], "Q": [0, -20], "A": [[0, 1]], "b": [0], "C": [-3, 7], "basis": true}'
    has_status 0
    holds 'near(a.acceleration, [-1.5, 0], 1e-15)' 'near(a.force_nonideal, [-3, 0], 1e-15)' \
        'near(a.force_ideal, [0, 20], 1e-15)' 'near(a.force, [-3, 20], 1e-15)' \
        'near(a.multipliers, [20], 1e-15)' 'near(a.free_acceleration, [0, -10], 1e-15)' \
        'near(a.gaussian, 2 * 6.5 * 6.5, 1e-14)' 'a.virtual_displacements.length === 1' \
        'near(a.virtual_displacements[0].map(Math.abs), [Math.SQRT1_2, 0], 1e-14)'
}

@test "no constraints: A and b absent, or both empty" {
    for constraints in '' ', "A": [], "b": []' ', "A": [], "b": [], "W": [], "names": []'; do
        solve '{"M": [[2, 1], [1, 2]], "Q": [3, 0], "C": [0, 3], "basis": true'"$constraints"'}'
        has_status 0
        holds 'near(a.acceleration, [1, 1], 1e-15)' 'near(a.free_acceleration, [2, -1], 1e-15)' \
            'near(a.force, [0, 3], 1e-15)' 'near(a.force_nonideal, [0, 3], 1e-15)' 'a.rank === 0' \
            'near(a.force_ideal, [0, 0])' 'same(a.multipliers, [])' 'same(a.residual, [])' \
            'a.inconsistency === 0' 'a.virtual_displacements.length === 2' \
            'Math.abs(a.gaussian) < 1e-28' 'same(a.diagnosis.dependent_sets, [])' \
            'a.diagnosis.consistent === true'
    done
}

@test "A = 0 with b = 0 and b = 1" {
    solve '{"M": [2], "Q": [3], "A": [[0]], "b": [0]}'
    has_status 0
    holds 'near(a.acceleration, [1.5])' 'a.rank === 0' 'a.diagnosis.consistent === true' \
        'same(a.diagnosis.dependent_sets[0].rows, [0])'
    solve '{"M": [2], "Q": [3], "A": [[0]], "b": [1]}'
    has_status 0
    holds 'near(a.acceleration, [1.5])' 'near(a.inconsistency, 1)' 'a.diagnosis.consistent === false' \
        'same(a.diagnosis.conflicts[0].rows, [0])' 'near(a.diagnosis.conflicts[0].size, 1)'
}

@test "a diagonal M or W is the same as the full matrix" {
    rest='"Q": [1, -2, 3], "A": [[1, 2, 3], [2, 4, 6], [1, 0, 1]], "b": [1, 3, 0]'
    solve '{"M": [[1, 0, 0], [0, 2, 0], [0, 0, 4]], "W": [[1, 0, 0], [0, 3, 0], [0, 0, 2]], '"$rest"'}'
    full=$output
    solve '{"M": [1, 2, 4], "W": [1, 3, 2], '"$rest"'}'
    has_status 0
    holds "near(a.acceleration, ($full).acceleration, 1e-14)" \
        "near(a.multipliers, ($full).multipliers, 1e-13)" "near(a.gaussian, ($full).gaussian, 1e-13)"
}

@test "Appell's nonlinear constraint, closed form" {
    # unit mass, x' = 0 (where eliminating x'' breaks down), y' = 3, z' = 4, g = 9.81, b = 2
    for form in gauss moore-penrose inverse-14 inverse-1 gibbs-appell multipliers projection; do
        solve '{"M": [1, 1, 1], "Q": [0, 0, -9.81], "A": [[0, 3, -4]], "b": [2]}' --form $form
        has_status 0
        holds 'near(a.acceleration, [0, 3 * (2 - 9.81 * 4) / 25, -9.81 - 4 * (2 - 9.81 * 4) / 25], 1e-14)' \
            "a.form === '$form'"
    done
}

@test "singular M that A completes: answer, null where there is none" {
    solve '{"M": [[1, 0], [0, 0]], "Q": [1, 1], "A": [[1, 1]], "b": [0], "basis": true}'
    has_status 0
    # z = (x, -x); M z = Q + lambda (1, 1): lambda = -1, x = 0
    holds 'near(a.acceleration, [0, 0], 1e-14)' 'near(a.multipliers, [-1], 1e-14)' \
        'a.free_acceleration === null' 'a.gaussian === null' 'near(a.force, [-1, -1], 1e-14)' \
        'near(a.residual, [0], 1e-14)' 'a.virtual_displacements.length === 1'
    solve '{"M": [0, 1], "Q": [0, 6], "A": [[1, 1], [1, 1]], "b": [1, 3]}'
    has_status 0
    holds 'near(a.acceleration, [-4, 6], 1e-14)' 'near(a.inconsistency, Math.SQRT2, 1e-14)' \
        'a.gaussian === null'
}

@test "singular M: gauss, multipliers and gibbs-appell agree" {
    problem='{"M": [[2, 2, 0], [2, 2, 0], [0, 0, 0]], "Q": [4, 0, 1], "A": [[1, -1, 0], [0, 1, 1]], "b": [1, 2]}'
    solve "$problem"
    has_status 0
    gauss=$output
    for form in multipliers gibbs-appell; do
        solve "$problem" --form $form
        has_status 0
        holds "near(a.acceleration, ($gauss).acceleration, 1e-12)" 'a.free_acceleration === null'
    done
}

@test "a list of problems gives a list of answers in their order" {
    solve '[{"M": [1], "Q": [1]}, {"M": [1], "Q": [2], "form": "projection"}, {"M": [2], "Q": [6]}]'
    has_status 0
    holds 'near(a.map((x) => x.acceleration), [1, 2, 3], 1e-15)' \
        'same(a.map((x) => x.form), ["gauss", "projection", "gauss"])'
    solve '[]'
    has_status 0
    [ "$output" = '[]' ]
    solve '[{"M": [1], "Q": [1]}]'
    holds 'Array.isArray(a)' 'a.length === 1'
}

@test "fields and their order are those of the contract" {
    keys='"acceleration,free_acceleration,force,force_ideal,force_nonideal,multipliers,rank,rank_gap,gaussian,residual,inconsistency,virtual_displacements,form,diagnosis"'
    solve '{"M": [1], "Q": [0], "A": [[1]], "b": [1], "basis": true}'
    has_status 0
    holds "Object.keys(a).join() === $keys" \
        'Object.keys(a.rank_gap).join() === "accepted,rejected,tolerance,ambiguous"' \
        'Object.keys(a.diagnosis).join() === "consistent,dependent_sets,conflicts,nearly_dependent,unique_multipliers,certificate,refinements"'
    solve '{"M": [1], "Q": [0], "A": [[1], [1]], "b": [1, 2], "basis": false}'
    holds "Object.keys(a).join() === $keys.replace('virtual_displacements,', '')" \
        'Object.keys(a.diagnosis.dependent_sets[0]).join() === "rows,coefficients,distance,mismatch"' \
        'Object.keys(a.diagnosis.conflicts[0]).join() === "rows,coefficients,size,mismatch"'
}

@test "numbers: as short as they can be, yet to the bit" {
    solve '{"M": [1, 1, 1, 1, 1, 1, 1, 1],
            "Q": [0.1, 1e23, 5e-150, 0.30000000000000004, 123456789012345678, -1.5, 3, 0.1234567890123456789]}'
    has_status 0
    holds 'same(a.free_acceleration, [0.1, 1e23, 5e-150, 0.1 + 0.2, 123456789012345678, -1.5, 3, 0.1234567890123456789])'
    [[ $output == *'"free_acceleration": [0.1, 1e+23, 5e-150, 0.30000000000000004, 1.2345678901234568e+17, -1.5, 3, 0.12345678901234568],'* ]]
}

@test "numbers do not depend on the locale" {
    plain=$(echo '{"M": [1], "Q": [0.5]}' | "$ZWANG" solve)
    for name in de_DE.UTF-8 fr_FR.UTF-8 C.UTF-8; do
        [ "$(echo '{"M": [1], "Q": [0.5]}' | LC_ALL=$name "$ZWANG" solve)" = "$plain" ]
    done
    [[ $plain == *'"acceleration": [0.5],'* ]]
}

@test "the same input gives the same bytes" {
    node "$here/numbers.js" random 5 40 30 20 inconsistent W C >"$BATS_TEST_TMPDIR/p.json"
    "$ZWANG" solve "$BATS_TEST_TMPDIR/p.json" >"$BATS_TEST_TMPDIR/1"
    "$ZWANG" solve "$BATS_TEST_TMPDIR/p.json" >"$BATS_TEST_TMPDIR/2"
    cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
}

@test "random problems of every kind, certified from the raw matrices" {
    seed=1
    for shape in "1 1 1" "1 4 1" "3 1 1" "4 3 2" "4 8 3" "12 8 8" "12 8 5" "30 24 16" "7 20 7"; do
        for kinds in "" "inconsistent" "C" "inconsistent W" "inconsistent weights C" "diagonal C" \
            "diagonal inconsistent W"; do
            # shellcheck disable=SC2086
            node "$here/numbers.js" random list 10 $seed $shape $kinds >"$BATS_TEST_TMPDIR/p.json"
            "$ZWANG" solve "$BATS_TEST_TMPDIR/p.json" >"$BATS_TEST_TMPDIR/a.json"
            node "$here/numbers.js" certify "$BATS_TEST_TMPDIR/p.json" "$BATS_TEST_TMPDIR/a.json" ||
                { echo "seed $seed shape $shape kinds $kinds" && return 1; }
            seed=$((seed + 100))
        done
    done
}

@test "n = 300, redundant and inconsistent, certified, within seconds" {
    node "$here/numbers.js" random 77 300 200 150 inconsistent C >"$BATS_TEST_TMPDIR/p.json"
    start=$(date +%s%N)
    "$ZWANG" solve "$BATS_TEST_TMPDIR/p.json" >"$BATS_TEST_TMPDIR/a.json"
    took=$(($(date +%s%N) - start))
    node "$here/numbers.js" certify "$BATS_TEST_TMPDIR/p.json" "$BATS_TEST_TMPDIR/a.json"
    echo "$((took / 1000000)) ms"
    [ "$took" -lt 10000000000 ]
}

@test "rank_tolerance decides which rows count as dependent" {
    problem='"M": [1, 1], "Q": [0, 0], "A": [[1, 0], [1, 1e-6]], "b": [0, 1]'
    solve "{$problem}" --quiet
    has_status 0
    holds 'a.rank === 2' 'near(a.acceleration, [0, 1e6], 1e-9)'
    solve "{$problem, \"rank_tolerance\": 1e-3}" --quiet
    has_status 0
    holds 'a.rank === 1' 'near(a.acceleration[0], 0.5, 1e-5)' 'a.rank_gap.tolerance === 1e-3'
}

@test "a rank that is not clear-cut: a warning, status 0; none with --quiet" {
    problem='{"M": [1, 1], "Q": [0, 0], "A": [[1, 0], [1, 1e-12]], "b": [0, 0]}'
    solve "$problem"
    [ "$status" -eq 0 ]
    says "warning[W0941]" "the rank of A is taken as 2"
    holds 'a.rank_gap.ambiguous === true' 'a.rank === 2'
    solve "$problem" --quiet
    has_status 0
}

@test "large problems without constraints, or with one, print nothing but the answer" {
    for n in 150 151 400; do
        for rows in 0 1; do
            node -e 'const n = Number(process.argv[1]), m = Number(process.argv[2]);
                const p = {M: Array(n).fill(4), Q: Array(n).fill(2)};
                if (m) { p.A = [Array(n).fill(1)]; p.b = [n]; }
                console.log(JSON.stringify(p));' $n $rows >"$BATS_TEST_TMPDIR/p.json"
            zwang solve "$BATS_TEST_TMPDIR/p.json"
            has_status 0
            holds "near(a.acceleration, Array($n).fill($rows ? 1 : 0.5), 1e-14)" "a.rank === $rows"
        done
    done
}
