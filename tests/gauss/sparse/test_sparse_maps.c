/*
 * test_sparse_maps.c: patterns from entries, the choice of a factor, and the forms of the sparse
 * solver on a net of rods, large enough for dense panels. Answers are judged by their residuals,
 * computed here in long double from the rods themselves.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "maps.h"
#include "sparse_form.h"

static uint64_t seed = 4711;

static int32_t random_below(int32_t count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((seed >> 33) % (uint64_t)count);
}

/* ------------------------------------------------------------------------- patterns */

enum { ORDER = 30, ENTRIES = 300 };

static void merges_entries(void **state)
{
    (void)state;
    zb_memory memory;
    zb_arena keep, scratch;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&keep, &memory, 0);
    zb_arena_init(&scratch, &memory, 0);
    for (int trial = 0; trial < 50; trial++) {
        int32_t n = 1 + random_below(ORDER), count = random_below(ENTRIES), *place = NULL;
        int32_t row[ENTRIES], column[ENTRIES];
        bool there[ORDER][ORDER] = {{false}};
        zg_entries e;
        za_symmetric x;
        assert_int_equal(zg_entries_begin(&scratch, (int64_t)count + n, &e), ZW_OK);
        for (int32_t k = 0; k < count; k++) {
            row[k] = random_below(n);
            column[k] = random_below(n);
            zg_entries_add(&e, row[k], column[k]);
            there[row[k]][column[k]] = there[column[k]][row[k]] = true;
        }
        assert_int_equal(zg_merge_lower(&keep, &scratch, &e, n, &x, &place), ZW_OK);
        assert_int_equal(x.start[0], 0);
        for (int32_t i = 0, p = 0; i < n; i++) {
            for (int32_t j = 0; j <= i; j++) {
                if (!there[i][j] && i != j) continue;
                assert_in_range(p, 0, x.start[i + 1] - 1);
                assert_int_equal(x.index[p++], j);
            }
            assert_int_equal(x.start[i + 1], p);
        }
        for (int32_t k = 0; k < count; k++) {
            int32_t i = row[k] > column[k] ? row[k] : column[k];
            assert_in_range(place[k], x.start[i], x.start[i + 1] - 1);
            assert_int_equal(x.index[place[k]], row[k] + column[k] - i);
        }
        zb_arena_clear(&keep);
        zb_arena_clear(&scratch);
    }
    assert_int_equal(memory.held, 0);
}

static void transposes(void **state)
{
    (void)state;
    static const int32_t start[] = {0, 2, 2, 5}, column[] = {1, 3, 0, 1, 2};
    static const int32_t t_start[] = {0, 1, 3, 4, 5}, t_row[] = {2, 0, 2, 2, 0},
                         t_place[] = {2, 0, 3, 4, 1};
    zb_memory memory;
    zb_arena arena;
    zg_transposed t;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&arena, &memory, 0);
    zg_pattern x = {3, 4, start, column};
    assert_int_equal(zg_transpose(&arena, &x, &t), ZW_OK);
    assert_memory_equal(t.start, t_start, sizeof t_start);
    assert_memory_equal(t.row, t_row, sizeof t_row);
    assert_memory_equal(t.place, t_place, sizeof t_place);
    zb_arena_clear(&arena);
}

/* ------------------------------------------------------------------------- nets of rods */

enum { SIDE = 24, POINTS = SIDE * SIDE, COORDINATES = 2 * POINTS, RODS = 3 * POINTS };

/* Square net with one diagonal in each square; rods along one line only when thin. */
typedef struct net {
    int32_t n, m;
    int32_t M_start[COORDINATES + 1], M_column[COORDINATES], A_start[RODS + 1], A_column[4 * RODS];
    double M[COORDINATES], A[4 * RODS];
    zg_structure is;
    zg_numbers x;
} net;

static void add_rod(net *g, int32_t from, int32_t to)
{
    int32_t p = g->A_start[g->m++];
    double dx = to % SIDE - from % SIDE + 0.01 * (sin(3.0 * to) - sin(3.0 * from)),
           dy = to / SIDE - from / SIDE + 0.01 * (cos(5.0 * to) - cos(5.0 * from));
    const double value[4] = {-dx, -dy, dx, dy};
    for (int32_t k = 0; k < 4; k++) {
        g->A_column[p + k] = 2 * (k < 2 ? from : to) + k % 2;
        g->A[p + k] = value[k];
    }
    g->A_start[g->m] = p + 4;
}

static void make_net(net *g, bool thin)
{
    memset(g, 0, sizeof *g);
    g->n = COORDINATES;
    for (int32_t i = 0; i < g->n; i++) {
        g->M_start[i + 1] = i + 1;
        g->M_column[i] = i;
        g->M[i] = 1.0 + 0.3 * sin(i);
    }
    for (int32_t i = 0; i < POINTS; i++) {
        bool right = i % SIDE + 1 < SIDE, up = i / SIDE + 1 < SIDE;
        if (thin ? i + 1 < POINTS : right) add_rod(g, i, i + 1);
        if (!thin && up) add_rod(g, i, i + SIDE);
        if (!thin && right && up) add_rod(g, i, i + SIDE + 1);
    }
    g->is = (zg_structure){.n = g->n, .m = g->m};
    g->is.M = (zg_pattern){g->n, g->n, g->M_start, g->M_column};
    g->is.A = (zg_pattern){g->m, g->n, g->A_start, g->A_column};
    g->x = (zg_numbers){.is = &g->is, .M = g->M, .A = g->A};
}

/* M z - A^T l - r1 and A z + mu l - r2, the largest. */
static double violation(const net *g, double mu, const double *r1, const double *r2,
                        const double *z, const double *l)
{
    static long double force[COORDINATES];
    long double most = 0.0L;
    for (int32_t j = 0; j < g->n; j++) force[j] = (long double)g->M[j] * z[j] - r1[j];
    for (int32_t i = 0; i < g->m; i++) {
        long double sum = (long double)mu * l[i] - r2[i];
        for (int32_t p = 4 * i; p < 4 * i + 4; p++) {
            sum += (long double)g->A[p] * z[g->A_column[p]];
            force[g->A_column[p]] -= (long double)g->A[p] * l[i];
        }
        most += fabsl(sum);
    }
    for (int32_t j = 0; j < g->n; j++) most += fabsl(force[j]);
    return (double)most;
}

static void solves_a_net(void **state)
{
    (void)state;
    static const zg_sparse_form *const forms[] = {&zg_sparse_K, &zg_sparse_H, &zg_sparse_S};
    static net g;
    static double r1[COORDINATES], r2[RODS], z[COORDINATES], l[RODS], scale[RODS];
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    make_net(&g, false);
    for (int32_t j = 0; j < g.n; j++) r1[j] = sin(7.0 * j);
    for (int32_t i = 0; i < g.m; i++) r2[i] = cos(3.0 * i), scale[i] = 1.0;
    for (int k = 0; k < 3; k++) {
        void *f = NULL;
        double cost, mu = 1e-5;
        za_pivots pivots;
        bool of_mass;
        assert_int_equal(forms[k]->plan(&memory, &g.x, &f, &cost), ZW_OK);
        assert_non_null(f);
        assert_true(forms[k]->factor(f, mu, &pivots, &of_mass));
        forms[k]->solve(f, r1, r2, z, l);
        double size = 0.0;
        for (int32_t i = 0; i < g.m; i++) size = fmax(size, fabs(l[i]));
        assert_true(violation(&g, mu, r1, r2, z, l) < 1e-10 * size);
        /* the net is stiff but for three motions as a whole, in a plane */
        assert_int_equal(forms[k]->above(f, 1e-9, scale), g.n - 3);
        assert_int_equal(forms[k]->above(f, 1e-10, scale), g.n - 3);
        forms[k]->free(f);
    }
    assert_int_equal(memory.held, 0);
}

/* ------------------------------------------------------------------------- the choice */

/* The lower triangle of A^T A + 1 of a net, with its values. */
static zw_status square_of(const net *g, zb_arena *keep, zb_arena *scratch, za_symmetric *x,
                           double **values)
{
    zg_entries e;
    int32_t *place, at = 0;
    ZB_TRY(zg_entries_begin(scratch, 10 * (int64_t)g->m + g->n, &e));
    for (int32_t i = 0; i < g->m; i++)
        for (int32_t p = 4 * i; p < 4 * i + 4; p++)
            for (int32_t q = 4 * i; q <= p; q++) zg_entries_add(&e, g->A_column[p], g->A_column[q]);
    ZB_TRY(zg_merge_lower(keep, scratch, &e, g->n, x, &place));
    *values = ZB_NEW_ARRAY(keep, double, x->start[g->n]);
    if (!*values) return keep->failure;
    for (int32_t j = 0; j < g->n; j++) (*values)[x->start[j + 1] - 1] = 1.0;
    for (int32_t i = 0; i < g->m; i++)
        for (int32_t p = 4 * i; p < 4 * i + 4; p++)
            for (int32_t q = 4 * i; q <= p; q++) (*values)[place[at++]] += g->A[p] * g->A[q];
    return ZW_OK;
}

static void chooses_by_fill(void **state)
{
    (void)state;
    static net g;
    zb_memory memory;
    zb_arena keep, scratch;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&keep, &memory, 0);
    zb_arena_init(&scratch, &memory, 0);
    double cost[2];
    for (int thin = 0; thin < 2; thin++) {
        za_symmetric x;
        double *values;
        zg_chosen c;
        make_net(&g, thin);
        assert_int_equal(square_of(&g, &keep, &scratch, &x, &values), ZW_OK);
        assert_int_equal(zg_choose_factor(&memory, &x, NULL, &c), ZW_OK);
        assert_ptr_equal(c.method, thin ? &za_up_looking : &za_supernodal);
        assert_true(c.prediction.nonzeros >= x.start[g.n] - g.n);
        cost[thin] = c.cost;
        zg_chosen_clear(&c);
    }
    assert_true(cost[1] > 0.0 && cost[0] > 3.0 * cost[1]);
    zb_arena_clear(&keep);
    zb_arena_clear(&scratch);
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_entries),
        cmocka_unit_test(transposes),
        cmocka_unit_test(solves_a_net),
        cmocka_unit_test(chooses_by_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
