/*
 * Inequalities on full matrices (raw_inequality.h): the patterns of full matrices, made once, and
 * copies of the numbers in their order. The last rows of A are the inequalities. Projections, bases,
 * ranks and sentences are those of the dense solver behind the system, which has the rows that the
 * last solve held.
 */
#include "raw_inequality.h"

#include <string.h>

#include "inequality.h"
#include "plan.h"

struct zg_raw {
    zb_arena arena;
    zg_inequality *q;
    double *M, *A, *W; /* of the patterns */
    uint8_t *kind;     /* [m] */
    int32_t entries_of_M;
    bool weighted; /* W was given */
    bool factored, solved;
    bool
        pending; /* the numbers are in the dense solver alone, but for rows of A that it does not hold */
};

/* ------------------------------------------------------------------------ planning */

/* All entries of rows x columns, or of the upper triangle, or the diagonal. */
typedef enum entries_kind { EVERYWHERE, UPPER, DIAGONAL } entries_kind;

static bool lay_out_pattern(zb_arena *arena, int32_t rows, int32_t columns, entries_kind kind,
                            zg_pattern *p)
{
    int64_t n = rows, all = (int64_t)rows * columns;
    if (kind == UPPER) all = n * (n + 1) / 2;
    if (kind == DIAGONAL) all = n;
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, n + 1), at = 0;
    int32_t *column = all <= INT32_MAX ? ZB_NEW_ARRAY(arena, int32_t, all) : NULL;
    if (!start || !column) return false;
    for (int32_t i = 0; i < rows; i++) {
        int32_t first = kind == EVERYWHERE ? 0 : i, last = kind == DIAGONAL ? i + 1 : columns;
        for (int32_t j = first; j < last; j++) column[at++] = j;
        start[i + 1] = at;
    }
    *p = (zg_pattern){.rows = rows, .columns = columns, .start = start, .column = column};
    return true;
}

static zw_status plan_raw(struct zg_raw *x, zb_memory *memory, const zw_gauss_shape *shape)
{
    int32_t n = shape->n, m = shape->m;
    zg_structure is = {.n = n,
                       .m = m,
                       .solver = ZW_SOLVER_DENSE,
                       .rank_tolerance = shape->rank_tolerance,
                       .noise = shape->noise};
    bool fits =
        lay_out_pattern(&x->arena, n, n, shape->mass == ZW_FULL ? UPPER : DIAGONAL, &is.M) &&
        lay_out_pattern(&x->arena, m, n, EVERYWHERE, &is.A);
    if (fits && shape->weight != ZW_IDENTITY)
        fits = lay_out_pattern(&x->arena, m, m, shape->weight == ZW_FULL ? EVERYWHERE : DIAGONAL,
                               &is.W);
    if (!fits) return x->arena.failure != ZW_OK ? x->arena.failure : ZW_ERR_LARGE;
    x->entries_of_M = zg_entry_count(&is.M);
    x->M = ZB_NEW_ARRAY(&x->arena, double, x->entries_of_M);
    x->A = ZB_NEW_ARRAY(&x->arena, double, zg_entry_count(&is.A));
    x->W = ZB_NEW_ARRAY(&x->arena, double, zg_entry_count(&is.W));
    x->kind = ZB_NEW_ARRAY(&x->arena, uint8_t, m);
    if (x->arena.failure != ZW_OK) return x->arena.failure;
    for (int32_t i = 0; i < m; i++)
        x->kind[i] = i < m - shape->inequalities ? ZG_EQUATION : ZG_AT_LEAST;
    return zg_inequality_plan(memory, &is, &x->q);
}

zw_status zg_raw_plan(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **out)
{
    zw_gauss *g = zb_resize(memory, NULL, 0, sizeof *g);
    struct zg_raw *x = g ? zb_resize(memory, NULL, 0, sizeof *x) : NULL;
    if (!x) {
        zb_resize(memory, g, sizeof *g, 0);
        return memory->failure;
    }
    *g = (zw_gauss){.memory = memory, .shape = *shape, .n = shape->n, .m = shape->m, .raw = x};
    *x = (struct zg_raw){0};
    zb_arena_init(&x->arena, memory, 0);
    zw_status status = plan_raw(x, memory, shape);
    if (status != ZW_OK) {
        zg_raw_free(g);
        return status;
    }
    *out = g;
    return ZW_OK;
}

void zg_raw_free(zw_gauss *g)
{
    if (!g || !g->raw) {
        zg_free(g);
        return;
    }
    zb_memory *memory = g->memory;
    zg_inequality_free(g->raw->q);
    zb_arena_clear(&g->raw->arena);
    zb_resize(memory, g->raw, sizeof *g->raw, 0);
    zb_resize(memory, g, sizeof *g, 0);
}

bool zg_raw_is(const zw_gauss *g)
{
    return g->raw != NULL;
}

zw_gauss *zg_raw_held(const zw_gauss *g)
{
    return zg_system_dense(zg_inequality_system(g->raw->q));
}

/* -------------------------------------------------------------------------- numbers */

/* Failures are remembered where sentences are made of them. */
static zw_status fail_raw(zw_gauss *g, zg_failure failure)
{
    zg_raw_held(g)->failure = failure;
    return failure.status;
}

zw_status zg_raw_ready(zw_gauss *g, bool solved)
{
    if (g->raw->factored && (g->raw->solved || !solved)) return ZW_OK;
    const zg_failure *last = &zg_raw_held(g)->failure;
    if (last->status != ZW_OK) return ZW_ERR_ORDER;
    return fail_raw(g, (zg_failure){.status = ZW_ERR_ORDER});
}

zw_status zg_raw_check(zw_gauss *g, const double *M, const double *A, const double *W)
{
    g->raw->factored = g->raw->solved = g->raw->pending = false;
    zg_use_rows(zg_raw_held(g), g->m);
    return zg_check(zg_raw_held(g), M, A, W);
}

/* The upper triangle of M; false: the lower one is another. */
static bool copy_full_mass_matrix(size_t n, const double *M, double *to)
{
    int differs = 0;
    for (size_t i = 0; i < n; to += n - i, i++) {
        memcpy(to, M + i * n + i, sizeof *M * (n - i));
        for (size_t j = 0; j < i; j++) differs |= M[i * n + j] != M[j * n + i];
    }
    return !differs;
}

/* False: something may be wrong with M. */
static bool copy_raw_numbers(zw_gauss *g, const double *M, const double *A, const double *W)
{
    struct zg_raw *x = g->raw;
    size_t n = (size_t)g->n, m = (size_t)g->m;
    bool symmetric = true;
    if (g->shape.mass == ZW_FULL)
        symmetric = copy_full_mass_matrix(n, M, x->M);
    else
        memcpy(x->M, M, sizeof *M * n);
    memcpy(x->A, A, sizeof *A * m * n);
    x->weighted = W && g->shape.weight != ZW_IDENTITY;
    if (x->weighted) memcpy(x->W, W, sizeof *W * (g->shape.weight == ZW_FULL ? m * m : m));
    return symmetric;
}

/* Sizes of rows that are no numbers come of numbers that are not finite, or too large for squares. */
static bool begin_with_copies(struct zg_raw *x)
{
    const zg_values values = {.M = x->M, .A = x->A, .W = x->weighted ? x->W : NULL};
    return zg_inequality_factor(x->q, &values, x->kind) == ZW_OK;
}

/* The set of the solve before is factored at once, from the caller's numbers. False: not so, or they
 * have to be looked at. */
static bool factor_guess(zw_gauss *g, const double *M, const double *A, const double *W)
{
    struct zg_raw *x = g->raw;
    size_t n = (size_t)g->n;
    x->weighted = W && g->shape.weight != ZW_IDENTITY;
    if (x->weighted && g->shape.weight == ZW_FULL) return false;
    if (!zg_warm_factor(x->q, M, A, x->weighted ? W : NULL)) return false;
    const bool *held = zg_inequality_held(x->q);
    double finite = 0.0;
    for (size_t i = (size_t)(g->m - g->shape.inequalities); i < (size_t)g->m; i++) {
        if (held[i]) continue;
        finite += zg_raw_held(g)->k->copy_rows(1, g->n, g->n, A + i * n, x->A + i * n);
        if (x->weighted) finite += W[i] - W[i];
    }
    if (x->weighted) memcpy(x->W, W, sizeof *W * (size_t)g->m);
    return finite == 0.0;
}

/* What the dense solver has of the numbers, as they were given. */
static void fetch_numbers(zw_gauss *g)
{
    struct zg_raw *x = g->raw;
    const zw_gauss *dense = zg_raw_held(g);
    const bool *held = zg_inequality_held(x->q);
    size_t n = (size_t)g->n, ld = (size_t)dense->ldn;
    double *to = x->M;
    if (g->shape.mass == ZW_FULL)
        for (size_t i = 0; i < n; to += n - i, i++)
            memcpy(to, dense->M + i * ld + i, sizeof *to * (n - i));
    else
        memcpy(to, dense->M, sizeof *to * n);
    for (size_t i = 0, k = 0; i < (size_t)g->m; i++)
        if (held[i]) memcpy(x->A + i * n, dense->A + k++ * ld, sizeof *to * n);
}

/* Where the guess does not answer: everything is as if it had not been tried, but for its factor. */
static zw_status complete_numbers(zw_gauss *g)
{
    struct zg_raw *x = g->raw;
    zw_gauss *dense = zg_raw_held(g);
    if (!x->pending) return ZW_OK;
    x->pending = false;
    if (zg_asymmetric(dense)) {
        x->factored = false;
        return zg_fail(dense, dense->failure);
    }
    fetch_numbers(g);
    (void)begin_with_copies(x); /* they are finite */
    zg_warm_settle(x->q, x->solved);
    return ZW_OK;
}

/* What is wrong with the numbers is said with all rows there. */
zw_status zg_raw_factor(zw_gauss *g, const double *M, const double *A, const double *W)
{
    struct zg_raw *x = g->raw;
    x->solved = false;
    x->factored = x->pending = factor_guess(g, M, A, W);
    if (x->pending) return ZW_OK;
    bool fine = copy_raw_numbers(g, M, A, W);
    fine = fine && zb_all_finite(x->M, g->raw->entries_of_M);
    if (x->weighted && g->shape.weight == ZW_DIAGONAL) fine = fine && zb_all_finite(x->W, g->m);
    fine = begin_with_copies(x) && fine;
    if (x->weighted && g->shape.weight == ZW_FULL) fine = false; /* W is judged as a whole */
    if (!fine) {
        zg_use_rows(zg_raw_held(g), g->m);
        ZB_TRY(zg_check_numbers(zg_raw_held(g), M, A, W));
    }
    x->factored = true;
    return ZW_OK;
}

/* -------------------------------------------------------------------------- answers */

static zw_status check_right_sides(zw_gauss *g, const double *Q, const double *b, const double *C)
{
    zw_gauss *dense = zg_raw_held(g);
    dense->failure = (zg_failure){.status = ZW_OK};
    ZB_TRY(zg_finite(dense, 'Q', Q, g->n));
    ZB_TRY(zg_finite(dense, 'b', b, g->m));
    return zg_finite(dense, 'C', C, g->n);
}

/* The first inequality that is held, counted among inequalities. */
static int32_t find_binding_inequality(const zw_gauss *g)
{
    const bool *held = zg_inequality_held(g->raw->q);
    int32_t first = g->m - g->shape.inequalities, i = first;
    while (i < g->m && !held[i]) i++;
    return i - first;
}

zw_status zg_raw_solve(zw_gauss *g, zw_form form, const double *Q, const double *b, const double *C,
                       zw_gauss_answer *answer)
{
    struct zg_raw *x = g->raw;
    x->solved = x->pending && form == ZW_FORM_GAUSS && !C && zg_warm_solve(x->q, Q, b, answer);
    if (x->solved) return ZW_OK;
    ZB_TRY(check_right_sides(g, Q, b, C));
    ZB_TRY(complete_numbers(g));
    zw_status status = zg_inequality_solve_form(x->q, form, Q, b, C, answer);
    x->solved = status == ZW_OK;
    if (status != ZW_OK && zg_raw_held(g)->failure.status != status)
        (void)fail_raw(g, (zg_failure){.status = status,
                                       .i = find_binding_inequality(g),
                                       .value = answer->certificate});
    return status;
}

zw_status zg_raw_equations(zw_gauss *g, zw_gauss **equations)
{
    *equations = g;
    if (!g->raw) return zg_ready(g);
    ZB_TRY(zg_raw_ready(g, false));
    g->raw->solved = false;
    ZB_TRY(complete_numbers(g));
    *equations = zg_raw_held(g);
    return zg_inequality_factor_equations(g->raw->q);
}

void zg_raw_rows(const zw_gauss *g, double *rows, double *weights)
{
    const struct zg_raw *x = g->raw;
    size_t m = (size_t)g->m, n = (size_t)g->n, first = m - (size_t)g->shape.inequalities;
    if (!x) return;
    memcpy(rows, x->A + first * n, sizeof *rows * (m - first) * n);
    for (size_t i = first; i < m; i++) {
        bool full = g->shape.weight == ZW_FULL;
        weights[i - first] = !x->weighted ? 1.0 : full ? x->W[i * m + i] : x->W[i];
    }
}

/* active [m], equations included, or NULL. */
void zg_raw_guess(zw_gauss *g, const bool *active)
{
    zg_inequality_guess(g->raw->q, active);
}

zw_status zg_raw_diagnose(zw_gauss *g, const double *b, const double *acceleration,
                          zw_diagnosis **diagnosis)
{
    ZB_TRY(check_right_sides(g, acceleration, b, NULL));
    ZB_TRY(complete_numbers(g));
    return zg_inequality_diagnose(g->raw->q, b, acceleration, diagnosis);
}
