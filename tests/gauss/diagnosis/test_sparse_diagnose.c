/*
 * test_sparse_diagnose.c: dependent sets, conflicts and unique multipliers of sparse systems,
 * against what was planted, against the dense solver, and against the raw rows: every set must
 * satisfy A^T s = 0, and its rows must have no other relation.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "built_system.h"

/* -------------------------------------------------------------------- checks */

/* A dense copy of a set's rows, scaled to 1, without the columns that none of them touches. */
static double *dense_rows(const built *s, const zw_dependent_set *set, size_t *columns)
{
    int32_t *at = malloc(sizeof *at * ((size_t)s->n + 1)), count = 0;
    for (int32_t j = 0; j < s->n; j++) at[j] = -1;
    for (int32_t k = 0; k < set->count; k++)
        for (int32_t p = s->start[set->rows[k]]; p < s->start[set->rows[k] + 1]; p++)
            if (at[s->column[p]] < 0) at[s->column[p]] = count++;
    *columns = (size_t)count;
    double *X = calloc((size_t)set->count * *columns + 1, sizeof *X);
    for (int32_t k = 0; k < set->count; k++) {
        double norm = 0.0;
        int32_t i = set->rows[k];
        for (int32_t p = s->start[i]; p < s->start[i + 1]; p++) norm += s->value[p] * s->value[p];
        for (int32_t p = s->start[i]; p < s->start[i + 1] && norm > 0.0; p++)
            X[(size_t)k * *columns + (size_t)at[s->column[p]]] = s->value[p] / sqrt(norm);
    }
    free(at);
    return X;
}

/* The rank of a set's rows by elimination with complete pivoting. */
static int32_t set_rank(const built *s, const zw_dependent_set *set)
{
    size_t m = (size_t)set->count, n = 0;
    double *X = dense_rows(s, set, &n);
    int32_t rank = 0;
    for (size_t r = 0; r < m && r < n; r++, rank++) {
        size_t row = r, column = 0;
        for (size_t k = r; k < m; k++)
            for (size_t j = 0; j < n; j++)
                if (fabs(X[k * n + j]) > fabs(X[row * n + column])) row = k, column = j;
        if (!(fabs(X[row * n + column]) > 1e-9)) break;
        for (size_t j = 0; j < n; j++) {
            double t = X[row * n + j];
            X[row * n + j] = X[r * n + j];
            X[r * n + j] = t;
        }
        for (size_t k = r + 1; k < m; k++) {
            double f = X[k * n + column] / X[r * n + column];
            for (size_t j = 0; j < n && f != 0.0; j++) X[k * n + j] -= f * X[r * n + j];
        }
    }
    free(X);
    return rank;
}

/* Ascending, the last one 1, in balance; small ones: no proper subset is dependent. */
static void check_set(const built *s, const zw_dependent_set *set)
{
    double mismatch = 0.0;
    assert_true(set->count >= 1);
    assert_int_equal(set->row, set->rows[set->count - 1]);
    assert_true(set->coefficients[set->count - 1] == 1.0);
    for (int32_t k = 0; k < set->count; k++) {
        assert_true(set->coefficients[k] != 0.0);
        assert_true(k == 0 || set->rows[k] > set->rows[k - 1]);
        mismatch += set->coefficients[k] * s->b[set->rows[k]];
    }
    assert_true(built_imbalance(s, set) < 1e-9);
    if (set->conflict)
        assert_true(fabs(mismatch - set->mismatch) <= 1e-12 * fabs(mismatch));
    else
        assert_true(set->mismatch == 0.0 && set->size == 0.0);
    if (set->count <= 40) assert_int_equal(set_rank(s, set), set->count - 1);
}

static void check_all(built *s, const zw_diagnosis *d)
{
    int32_t conflicts = 0;
    assert_int_equal(d->m, s->m);
    for (int32_t k = 0; k < d->set_count; k++) {
        check_set(s, &d->sets[k]);
        conflicts += d->sets[k].conflict;
        assert_true(k == 0 || d->sets[k].row > d->sets[k - 1].row);
        for (int32_t p = 0; p < d->sets[k].count; p++)
            assert_false(d->unique_multiplier[d->sets[k].rows[p]]);
    }
    assert_int_equal(conflicts, d->conflict_count);
    assert_int_equal(d->unlisted, s->m - built_rank(s) - d->set_count);
}

static void same_sets(const zw_diagnosis *d, const zw_diagnosis *dense)
{
    assert_int_equal(d->set_count, dense->set_count);
    assert_int_equal(d->conflict_count, dense->conflict_count);
    assert_int_equal(d->unlisted, 0);
    for (int32_t k = 0; k < d->set_count; k++) {
        const zw_dependent_set *x = &d->sets[k], *y = &dense->sets[k];
        assert_int_equal(x->count, y->count);
        assert_int_equal(x->row, y->row);
        assert_int_equal(x->conflict, y->conflict);
        assert_int_equal(x->suspect, y->suspect);
        assert_true(fabs(x->mismatch - y->mismatch) <= 1e-8 * fabs(y->mismatch));
        assert_true(fabs(x->size - y->size) <= 1e-8 * y->size);
        for (int32_t p = 0; p < x->count; p++) {
            assert_int_equal(x->rows[p], y->rows[p]);
            assert_true(fabs(x->coefficients[p] - y->coefficients[p]) <=
                        1e-8 * fabs(y->coefficients[p]));
        }
    }
    for (int32_t i = 0; i < d->m; i++)
        assert_int_equal(d->unique_multiplier[i], dense->unique_multiplier[i]);
}

static void compare_with_dense(built *s)
{
    built_factor(s, ZW_SOLVER_DENSE);
    zw_diagnosis *dense = built_diagnose(s);
    assert_int_equal(dense->unlisted, 0);
    built_factor(s, ZW_SOLVER_SPARSE);
    zw_diagnosis *d = built_diagnose(s);
    same_sets(d, dense);
    check_all(s, d);
    zg_diagnosis_free(d);
    zg_diagnosis_free(dense);
}

/* ------------------------------------------------------------------- planted */

/* Independent rows by a coordinate of their own, a few others at random; then `planted`
 * combinations of up to four rows, zero rows among them, declared in between. */
static built *random_system(int32_t m, int32_t planted, uint64_t *state)
{
    int32_t n = m + 5, *column = calloc((size_t)n, sizeof *column), plants = 0;
    built *s = built_new(n);
    double *dense = calloc((size_t)m * (size_t)n, sizeof *dense), *value = calloc((size_t)n, 8);
    for (int32_t i = 0; i < m; i++) {
        double *row = dense + (size_t)i * (size_t)n;
        bool plant = plants < planted && built_random(state) % (uint64_t)m < 2 * (uint64_t)planted;
        plants += plant;
        if (!plant) row[i] = 1.0;
        for (uint64_t k = built_random(state) % 4; k > 0 && i > 0; k--) {
            double f = (double)(built_random(state) % 3 + 1) * (k % 2 ? 0.5 : -0.5);
            const double *from = dense + built_random(state) % (uint64_t)i * (size_t)n;
            for (int32_t j = 0; j < n && plant; j++) row[j] += f * from[j];
            if (!plant) row[built_random(state) % (uint64_t)i] += f;
        }
        double scale = ldexp(1.0, (int)(built_random(state) % 13) - 6);
        int32_t count = 0;
        for (int32_t j = 0; j < n; j++) {
            if (row[j] == 0.0) continue;
            column[count] = j;
            value[count++] = scale * row[j];
        }
        (void)built_row(s, count, column, value);
    }
    built_agree(s, built_random(state));
    free(dense), free(value), free(column);
    return s;
}

/* Some rows off. */
static void spoil(built *s, int32_t count, uint64_t *state)
{
    for (int32_t k = 0; k < count; k++)
        s->b[built_random(state) % (uint64_t)s->m] += 0.25 + fabs(built_real(state));
}

/* Small ones are searched whole, large ones by groups; both as the dense solver. */
static void test_dense_equals_sparse(void **unused)
{
    (void)unused;
    uint64_t state = 17;
    for (int32_t k = 0; k < 14; k++) {
        int32_t m = k < 12 ? 20 + 24 * k : 270 + 12 * k;
        built *s = random_system(m, 1 + m / 30, &state);
        spoil(s, k % 4, &state);
        if (k % 3 > 0) built_weights(s, k % 3 == 2, (uint64_t)k + 1);
        compare_with_dense(s);
        built_free(s);
    }
}

/* Rods declared twice: pairs, of which the second follows from the first. */
static void test_doubled_rods(void **unused)
{
    (void)unused;
    for (int32_t links = 300; links <= 3000; links += 900) {
        built *s = built_chain(links, links / 50);
        built_agree(s, 3);
        int32_t wrong = s->m - 7;
        s->b[wrong] += 1e-3;
        built_factor(s, ZW_SOLVER_SPARSE);
        zw_diagnosis *d = built_diagnose(s);
        check_all(s, d);
        assert_int_equal(d->set_count, 50);
        assert_int_equal(d->conflict_count, 1);
        for (int32_t k = 0; k < d->set_count; k++) {
            assert_int_equal(d->sets[k].count, 2);
            assert_int_equal(d->sets[k].conflict, d->sets[k].row == wrong);
            assert_int_equal(d->sets[k].suspect, d->sets[k].row == wrong ? wrong : -1);
        }
        zg_diagnosis_free(d);
        built_free(s);
    }
}

/* A row of zeros that asks for something, far from everything else. */
static void test_zero_row(void **unused)
{
    (void)unused;
    built *s = built_chain(500, 0);
    int32_t row = built_row(s, 0, NULL, NULL);
    s->b[row] = 2.0;
    built_factor(s, ZW_SOLVER_SPARSE);
    zw_diagnosis *d = built_diagnose(s);
    check_all(s, d);
    assert_int_equal(d->set_count, 1);
    assert_int_equal(d->sets[0].row, row);
    assert_true(d->sets[0].conflict && d->sets[0].mismatch == 2.0 && d->sets[0].size == 2.0);
    zg_diagnosis_free(d);
    built_free(s);
}

/* A loop whose one set is all of it; and with a few more joints to the ground. */
static void test_long_loop(void **unused)
{
    (void)unused;
    built *s = built_line(5000, true);
    built_agree(s, 4);
    s->b[777] += 0.5;
    built_factor(s, ZW_SOLVER_SPARSE);
    zw_diagnosis *d = built_diagnose(s);
    check_all(s, d);
    assert_int_equal(d->set_count, 1);
    assert_int_equal(d->sets[0].count, 5001);
    assert_int_equal(d->sets[0].suspect, 5000); /* they all look alike: the last declared */
    assert_true(fabs(fabs(d->sets[0].mismatch) - 0.5) < 1e-6);
    zg_diagnosis_free(d);
    const double one = 1.0;
    for (int32_t c = 600; c < 5000; c += 1500) (void)built_row(s, 1, &c, &one);
    built_agree(s, 4);
    s->b[1500] += 0.5; /* between 600 and 2100 */
    built_factor(s, ZW_SOLVER_SPARSE);
    d = built_diagnose(s);
    check_all(s, d);
    assert_int_equal(d->set_count, 4);
    assert_int_equal(d->conflict_count, 3); /* from the ground to 600 is the only way around it */
    zg_diagnosis_free(d);
    built_free(s);
}

/* ------------------------------------------------------------------ lattices */

/* With the right side of a row put right, does everything agree? */
static bool explains(built *s, int32_t row, double by)
{
    double *z = calloc(2 * (size_t)s->n, sizeof *z), lost = 1.0;
    s->b[row] -= by;
    assert_int_equal(zg_system_apply(s->g, z, s->b, z + s->n, NULL, NULL, &lost), ZW_OK);
    s->b[row] += by;
    free(z);
    return lost == 0.0;
}

/* The suspect is the wrong row, or one declared later that nobody could tell from it. */
static void check_suspect(built *s, const zw_dependent_set *set, int32_t wrong)
{
    bool there = false;
    for (int32_t k = 0; k < set->count; k++) {
        there = there || set->rows[k] == wrong;
        if (set->rows[k] == set->suspect && set->suspect != wrong) {
            assert_true(set->suspect > wrong);
            assert_true(explains(s, set->suspect, set->mismatch / set->coefficients[k]));
        }
    }
    assert_true(there);
}

/* One rod too long, any of them. */
static void test_one_rod(void **unused)
{
    (void)unused;
    uint64_t state = 99;
#ifdef ZW_SLOW /* sanitizers */
    const int32_t sides[4] = {10, 13, 20, 30};
#else
    const int32_t sides[4] = {10, 13, 20, 60};
#endif
    int32_t exact = 0, all = 0;
    for (int32_t k = 0; k < 7; k++) { /* the largest in one order only */
        built *s = built_lattice(sides[k / 2], 0.1, k % 2 > 0, 5);
        built_agree(s, 6);
        built_factor(s, ZW_SOLVER_SPARSE);
        for (int32_t trial = 0; trial < 1 + 30 / sides[k / 2]; trial++) {
            int32_t wrong = (int32_t)(built_random(&state) % (uint64_t)s->m);
            if (trial == 0) wrong = k % 2 ? 0 : s->m - 1;
            s->b[wrong] += 0.01;
            zw_diagnosis *d = built_diagnose(s);
            check_all(s, d);
            bool bridge = d->unique_multiplier[wrong];
            int32_t named = -1;
            assert_true(bridge ? d->conflict_count == 0 : d->conflict_count >= 1);
            if (s->m > 400) assert_true(d->conflict_count <= 1);
            for (int32_t i = 0; i < d->set_count; i++) {
                if (!d->sets[i].conflict) continue;
                check_suspect(s, &d->sets[i], wrong);
                named = d->sets[i].suspect;
            }
            exact += named == wrong;
            all += named >= 0;
            s->b[wrong] -= 0.01;
            zg_diagnosis_free(d);
        }
        built_free(s);
    }
    assert_true(10 * exact >= 9 * all); /* few rods look alike */
}

enum { SIDE = 24, MOST_WRONG = 6 };

/* A rod inside a lattice, at least five points from the others. */
static bool is_apart(const built *s, int32_t row, const int32_t *others, int32_t count)
{
    int32_t at = s->column[s->start[row]] / 2, x = at % SIDE, y = at / SIDE;
    bool apart = x > 2 && y > 2 && x < SIDE - 4 && y < SIDE - 4;
    for (int32_t k = 0; k < count; k++) {
        int32_t other = s->column[s->start[others[k]]] / 2;
        apart = apart && (abs(other % SIDE - x) >= 5 || abs(other / SIDE - y) >= 5);
    }
    return apart;
}

/* Several at once, weighted or not, of different sizes. */
static void test_several_rods(void **unused)
{
    (void)unused;
    for (int32_t k = 0; k < 4; k++) {
        uint64_t state = (uint64_t)k + 50;
        int32_t wrong[MOST_WRONG], count = 0, found = 0;
        built *s = built_lattice(SIDE, 0.1, k % 2 > 0, 5);
        built_agree(s, 6);
        if (k % 3 > 0) built_weights(s, k % 3 == 2, 8);
        while (count < 3 * (k / 2 + 1)) {
            int32_t row = (int32_t)(built_random(&state) % (uint64_t)s->m);
            if (!is_apart(s, row, wrong, count)) continue;
            wrong[count++] = row;
            s->b[row] += 0.1 * (double)count;
        }
        built_factor(s, ZW_SOLVER_SPARSE);
        zw_diagnosis *d = built_diagnose(s);
        check_all(s, d);
        for (int32_t i = 0; i < count; i++)
            for (int32_t j = 0; j < d->set_count; j++)
                found += d->sets[j].conflict && d->sets[j].suspect == wrong[i];
        assert_int_equal(found, count);
        assert_int_equal(d->conflict_count, count);
        zg_diagnosis_free(d);
        built_free(s);
    }
}

/* Bays with both diagonals: each closes by itself. */
static void test_ladder(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    built *s = built_ladder(200);
    built_agree(s, 6);
    built_factor(s, ZW_SOLVER_SPARSE);
    for (int32_t trial = 0; trial < 10; trial++) {
        int32_t wrong = (int32_t)(built_random(&state) % (uint64_t)s->m);
        s->b[wrong] += 0.01;
        zw_diagnosis *d = built_diagnose(s);
        check_all(s, d);
        assert_int_equal(d->conflict_count, 1);
        for (int32_t k = 0; k < d->set_count; k++) {
            assert_true(d->sets[k].count == 6 || (d->sets[k].count == 10 && !d->sets[k].conflict));
            if (d->sets[k].conflict) check_suspect(s, &d->sets[k], wrong);
        }
        s->b[wrong] -= 0.01;
        zg_diagnosis_free(d);
    }
    built_free(s);
}

/* ---------------------------------------------------------- unique multipliers */

/* Of systems just too large to be searched whole, against the dense solver. */
static void test_unique(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 4; kind++) {
        built *s = kind < 2 ? built_lattice(13, 0.1, kind == 1, 3) : built_ladder(85);
        for (int32_t i = 0; i < s->n && kind == 1; i += 5) s->mass[i] = 0.0;
        for (int32_t k = 1; k < 5 && kind == 3; k++) { /* rods alone: no other takes their part */
            int32_t columns[1] = {k};
            double values[1] = {1.0};
            (void)built_row(s, 1, columns, values);
        }
        built_agree(s, 6);
        built_factor(s, ZW_SOLVER_DENSE);
        zw_diagnosis *dense = built_diagnose(s);
        built_factor(s, ZW_SOLVER_SPARSE);
        zw_diagnosis *d = built_diagnose(s);
        for (int32_t i = 0; i < s->m; i++)
            assert_int_equal(d->unique_multiplier[i], dense->unique_multiplier[i]);
        assert_int_equal(d->set_count + d->unlisted, dense->set_count);
        zg_diagnosis_free(dense);
        zg_diagnosis_free(d);
        built_free(s);
    }
}

/* --------------------------------------------------------------------- memory */

typedef struct failing {
    int64_t left; /* requests until one fails; negative: none does */
    size_t held;
} failing;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = user;
    if (new_size == 0) {
        f->held -= block ? old_size : 0;
        free(block);
        return NULL;
    }
    if (f->left >= 0 && f->left-- == 0) return NULL;
    f->held += new_size - (block ? old_size : 0);
    return realloc(block, new_size);
}

static void test_memory(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 3; kind++) {
        failing f = {.left = -1};
        zw_allocator allocator = {.resize = resize, .user = &f};
        built *s = kind == 0   ? built_ladder(90)
                   : kind == 1 ? built_ladder(20)
                               : built_line(450, true);
        zb_memory_init(&s->memory, &allocator);
        built_agree(s, 6);
        s->b[33] += 1.0;
        built_weights(s, kind == 1, 4);
        built_factor(s, ZW_SOLVER_SPARSE);
        double *z = calloc((size_t)s->n, sizeof *z);
        size_t before = f.held;
        int64_t k = 0;
        for (zw_status status = ZW_ERR_MEMORY; status != ZW_OK; k++) {
            zw_diagnosis *d = NULL;
            f.left = k;
            status = zg_system_diagnose(s->g, s->b, z, &d);
            f.left = -1;
            if (status == ZW_OK) assert_true(d && d->conflict_count > 0);
            if (status != ZW_OK) assert_true(status == ZW_ERR_MEMORY && !d);
            zg_diagnosis_free(d);
            assert_int_equal(f.held, before);
        }
        assert_true(k > 4);
        free(z);
        built_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_equals_sparse),
        cmocka_unit_test(test_doubled_rods),
        cmocka_unit_test(test_zero_row),
        cmocka_unit_test(test_long_loop),
        cmocka_unit_test(test_one_rod),
        cmocka_unit_test(test_several_rods),
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
