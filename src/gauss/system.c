/*
 * A system of fixed sparsity: which solver stands behind it, and the dense copies for the dense
 * one. The choice is made once, from predicted costs:
 *
 *     dense    about 0.25e-9 * (2 n m min(n, m) + n^2 (n / 3 + m)) seconds for a factor with full M
 *     sparse   what its best form predicts (driver.c)
 *
 * A small system that was given to the sparse solver by this choice falls back on the dense one
 * until the next factor where the sparse one cannot answer well enough: rows that are nearly
 * dependent, or in a conflict. The dense solver is planned when that happens first.
 *
 * How dependent rows *share* a force among them is a matter of their multipliers alone; the
 * acceleration does not depend on it.
 */
#include <math.h>
#include <string.h>

#include "dense_solver.h"
#include "dependent.h"
#include "off_rows.h"
#include "sparse.h"
#include "system.h"

enum {
    always_dense = 24,  /* coordinates and rows: not worth asking */
    dense_reach = 2000, /* coordinates or rows: beyond it a dense matrix is never chosen */
    fall_reach = 400,   /* likewise: up to here there is something to fall back on */
    share_reach = 150   /* likewise: up to here multipliers of dependent rows are dense */
};

struct zg_system {
    zb_memory *memory;
    zg_structure is;
    zg_sparse *sparse;
    zw_gauss *dense;
    zg_off_rows *off; /* where it is switched */
    bool diagonal_mass, diagonal_weight;
    zw_status status;  /* of the last factor, dense */
    zg_values values;  /* of the last factor, sparse */
    int32_t most_rank; /* zg_system_limit_rank */
    bool fell_back;    /* the dense solver has it, although `sparse` is there */
    bool independent;  /* the rows, as the caller knows */
    double *M, *A, *W; /* dense copies, in `block` */
    bool has_mass;     /* M is that of the factor before */
    double *block;
    size_t block_bytes;
    int64_t factors;
};

/* ----------------------------------------------------------------------- planning */

/* No entry outside the diagonal; some may be missing. */
static bool is_pattern_diagonal(const zg_pattern *p)
{
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            if (p->column[k] != i) return false;
    return true;
}

/* Seconds of a factor and a solve by the dense solver; measured, see docs/BENCHMARKS.md. */
static double predict_dense_cost(const zg_system *g)
{
    double n = g->is.n, m = g->is.m;
    double flops = 2.0 * n * m * fmin(n, m) + (g->diagonal_mass ? 0.0 : n * n * (n / 3.0 + m));
    double rate = n > 150 ? 0.15e-9 : 0.25e-9;
    return 1e-6 + rate * flops + 2e-9 * n * m;
}

/* The solver, and full matrices to copy the values into. */
static zw_status plan_dense_solver(zg_system *g)
{
    size_t n = (size_t)g->is.n, m = (size_t)g->is.m;
    bool weighted = g->is.W.rows > 0;
    zw_gauss_shape shape = {.n = g->is.n,
                            .m = g->is.m,
                            .mass = g->diagonal_mass ? ZW_DIAGONAL : ZW_FULL,
                            .weight = ZW_IDENTITY,
                            .rank_tolerance = g->is.rank_tolerance,
                            .noise = g->is.noise};
    if (weighted) shape.weight = g->diagonal_weight ? ZW_DIAGONAL : ZW_FULL;
    size_t mass = g->diagonal_mass ? n : zb_product(n, n), rows = zb_product(m, n);
    size_t weights = !weighted ? 0 : g->diagonal_weight ? m : zb_product(m, m);
    size_t all = zb_sum(zb_sum(mass, rows), zb_sum(weights, 1));
    g->block_bytes = zb_product(all, sizeof(double));
    g->block = zb_resize(g->memory, NULL, 0, g->block_bytes);
    if (!g->block) return g->memory->failure;
    memset(g->block, 0, g->block_bytes);
    g->M = g->block;
    g->A = g->M + mass;
    g->W = weighted ? g->A + rows : NULL;
    return g->off ? zg_plan_most(g->memory, &shape, &g->dense)
                  : zg_plan(g->memory, &shape, &g->dense);
}

/* Multipliers of dependent rows come from the dense solver. */
static bool shares_are_dense(const zg_system *g)
{
    return g->is.solver == ZW_SOLVER_AUTO && g->is.n <= share_reach && g->is.m <= share_reach;
}

/* ZW_SOLVER_AUTO: dense below always_dense, sparse beyond dense_reach, else by predicted cost. */
static zw_status choose_solver(zg_system *g)
{
    int32_t n = g->is.n, m = g->is.m;
    bool small = n + m <= always_dense;
    if (g->is.solver == ZW_SOLVER_DENSE || (g->is.solver == ZW_SOLVER_AUTO && small))
        return plan_dense_solver(g);
    ZB_TRY(zg_sparse_plan(g->memory, &g->is, &g->sparse));
    bool large = n > dense_reach || m > dense_reach;
    if (g->is.solver == ZW_SOLVER_SPARSE || g->is.solver == ZW_SOLVER_PARTS || large) return ZW_OK;
    if (zg_sparse_cost(g->sparse) < predict_dense_cost(g))
        return shares_are_dense(g) ? plan_dense_solver(g) : ZW_OK; /* both: see shares_matter */
    zg_sparse_free(g->sparse);
    g->sparse = NULL;
    return plan_dense_solver(g);
}

zw_status zg_system_plan(zb_memory *memory, const zg_structure *structure, zg_system **out)
{
    zg_system *g = zb_resize(memory, NULL, 0, sizeof *g);
    if (!g) return memory->failure;
    *g = (zg_system){.memory = memory, .is = *structure, .most_rank = structure->m};
    g->diagonal_mass = is_pattern_diagonal(&g->is.M);
    g->diagonal_weight = is_pattern_diagonal(&g->is.W);
    zw_status status = structure->switched ? zg_off_plan(memory, &g->is, &g->off) : ZW_OK;
    if (status == ZW_OK) status = choose_solver(g);
    if (status != ZW_OK) {
        zg_system_free(g);
        return status;
    }
    *out = g;
    return ZW_OK;
}

void zg_system_free(zg_system *g)
{
    if (!g) return;
    zb_memory *memory = g->memory;
    zg_sparse_free(g->sparse);
    zg_free(g->dense);
    zg_off_free(g->off);
    zb_resize(memory, g->block, g->block_bytes, 0);
    zb_resize(memory, g, sizeof *g, 0);
}

zw_gauss *zg_system_dense(zg_system *g)
{
    return g->sparse ? NULL : g->dense;
}

const char *zg_system_name(const zg_system *g)
{
    return g->sparse ? zg_sparse_name(g->sparse) : "dense";
}

int64_t zg_system_factors(const zg_system *g)
{
    return g->factors;
}

double zg_system_cost(const zg_system *g)
{
    return g->sparse ? zg_sparse_cost(g->sparse) : predict_dense_cost(g);
}

/* ------------------------------------------------------------------- dense copies */

/* Entries that are not in the pattern are 0 since the plan, and stay so. */
static void expand_mass_values(zg_system *g, const double *values)
{
    const zg_pattern *p = &g->is.M;
    size_t n = (size_t)g->is.n;
    for (int32_t i = 0; i < p->rows; i++) {
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            size_t r = (size_t)i, c = (size_t)p->column[k];
            if (g->diagonal_mass)
                g->M[r] = values[k];
            else
                g->M[r * n + c] = g->M[c * n + r] = values[k];
        }
    }
}

/* values of p into the full matrix X, or into its diagonal. */
static void expand_values(const zg_pattern *p, const double *values, bool diagonal, double *X)
{
    size_t columns = (size_t)p->columns;
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            X[diagonal ? (size_t)i : (size_t)i * columns + (size_t)p->column[k]] = values[k];
}

/* Of the rows that are on alone: they, and their weights, close up in A and W. */
static void expand_kept_rows(zg_system *g, const zg_values *values)
{
    const zg_pattern *A = &g->is.A, *W = &g->is.W;
    const int32_t *kept = zg_off_kept(g->off);
    size_t n = (size_t)g->is.n, on = (size_t)zg_off_count(g->off, g->is.m);
    memset(g->A, 0, sizeof(double) * on * n);
    for (size_t i = 0; i < on; i++)
        for (int32_t k = A->start[kept[i]]; k < A->start[kept[i] + 1]; k++)
            g->A[i * n + (size_t)A->column[k]] = values->A[k];
    if (!g->W || !values->W) return;
    memset(g->W, 0, sizeof(double) * (g->diagonal_weight ? on : on * on));
    for (size_t i = 0; i < on; i++) {
        int32_t k = W->start[kept[i]], end = W->start[kept[i] + 1];
        for (size_t j = 0; j < on; j++) { /* both ascend */
            while (k < end && W->column[k] < kept[j]) k++;
            if (k < end && W->column[k] == kept[j] && (i == j || !g->diagonal_weight))
                g->W[g->diagonal_weight ? i : i * on + j] = values->W[k];
        }
    }
}

/* Where the last factor had rows off, entries outside the pattern may have been written. */
static void expand_all_rows(zg_system *g, const zg_values *values)
{
    size_t n = (size_t)g->is.n, m = (size_t)g->is.m;
    if (g->off) memset(g->A, 0, sizeof(double) * m * n);
    bool weighted = g->W && values->W;
    if (g->off && weighted && !g->diagonal_weight) memset(g->W, 0, sizeof(double) * m * m);
    expand_values(&g->is.A, values->A, false, g->A);
    if (weighted) expand_values(&g->is.W, values->W, g->diagonal_weight, g->W);
}

/* ------------------------------------------------------------------------ factors and answers */

/* The status is remembered: zg_system_explain asks for it. Where sets of rows are tried one after the
 * other M stays as it is. */
static zw_status factor_dense_copies(zg_system *g, const zg_values *values)
{
    bool known = g->off && g->has_mass && values->same_mass;
    if (!known) expand_mass_values(g, values->M);
    g->has_mass = true;
    if (g->off) {
        zg_use_rows(g->dense, zg_off_count(g->off, g->is.m));
        zg_limit_rank(g->dense, g->most_rank);
    }
    if (zg_off_any(g->off))
        expand_kept_rows(g, values);
    else
        expand_all_rows(g, values);
    g->status = zg_factor(g->dense, g->M, g->A, values->W ? g->W : NULL);
    return g->status;
}

zw_status zg_system_factor_whole(zg_system *g, const double *M, const double *A, const double *W,
                                 const bool *off)
{
    size_t n = (size_t)g->is.n;
    zg_off_use(g->off, off);
    int32_t on = zg_off_count(g->off, g->is.m);
    g->factors++;
    g->has_mass = false;
    zg_use_rows(g->dense, on);
    zg_limit_rank(g->dense, g->most_rank);
    if (zg_off_any(g->off)) {
        const int32_t *kept = zg_off_kept(g->off);
        for (int32_t k = 0; k < on; k++) {
            memcpy(g->A + (size_t)k * n, A + (size_t)kept[k] * n, sizeof *A * n);
            if (W) g->W[k] = W[kept[k]];
        }
        A = g->A;
        W = W ? g->W : NULL;
    }
    g->status = zg_factor(g->dense, M, A, W);
    return g->status;
}

static bool answers_by_sparse(const zg_system *g)
{
    return g->sparse && !g->fell_back;
}

/* After the sparse solver said `status`: ZW_OK when the dense one has a factor instead. */
static zw_status fall_back_on_dense(zg_system *g, zw_status status)
{
    bool hopeless = status != ZW_ERR_ACCURACY && status != ZW_ERR_UNDETERMINED;
    bool small = g->is.n <= fall_reach && g->is.m <= fall_reach;
    if (hopeless || !small || g->is.solver != ZW_SOLVER_AUTO) return status;
    if (!g->dense) {
        ZB_TRY(plan_dense_solver(g));
        zg_limit_rank(g->dense, g->most_rank);
    }
    g->has_mass = false; /* it was the sparse solver's */
    if (factor_dense_copies(g, &g->values) != ZW_OK) return status;
    g->fell_back = true;
    return ZW_OK;
}

/* The values are remembered: whoever falls back factors them again. */
zw_status zg_system_factor(zg_system *g, const zg_values *values)
{
    g->factors++;
    if (values->off && !g->off) return ZW_ERR_ARGUMENT;
    g->values = *values;
    if (g->off) zg_off_take(g->off, values, &g->values);
    if (!g->sparse) return factor_dense_copies(g, &g->values);
    g->fell_back = false;
    zw_status status = zg_sparse_factor(g->sparse, &g->values);
    return status == ZW_OK ? ZW_OK : fall_back_on_dense(g, status);
}

/* Dependent rows of very different sizes, forces next to torques in millimetres, cost the sparse
 * multipliers digits that the acceleration does not miss: a whole answer of a small system is the
 * dense solver's, unless its rows are surely independent. */
static bool shares_matter(const zg_system *g)
{
    return shares_are_dense(g) && !g->independent && !zg_sparse_independent(g->sparse);
}

/* What the dense solver wrote for the rows that are on becomes that of all rows. */
static void spread_answer(const zg_system *g, zw_gauss_answer *answer)
{
    zg_off_spread(g->off, answer->multipliers);
    zg_off_spread(g->off, answer->inconsistency);
    zg_off_spread(g->off, answer->residual);
}

static zw_status solve_densely(zg_system *g, const double *Q, const double *b, const double *C,
                               zw_gauss_answer *answer)
{
    ZB_TRY(zg_solve(g->dense, Q, zg_off_pack(g->off, b), C, answer));
    spread_answer(g, answer);
    return ZW_OK;
}

/* Sparse first; its multipliers do not count where shares matter. */
zw_status zg_system_solve(zg_system *g, const double *Q, const double *b, const double *C,
                          zw_gauss_answer *answer)
{
    if (answers_by_sparse(g) && shares_matter(g)) (void)fall_back_on_dense(g, ZW_ERR_ACCURACY);
    if (answers_by_sparse(g)) {
        zw_status status = zg_sparse_solve(g->sparse, Q, zg_off_right(g->off, b), C, answer);
        if (status == ZW_OK) return ZW_OK;
        ZB_TRY(fall_back_on_dense(g, status));
    }
    return solve_densely(g, Q, b, C, answer);
}

zw_status zg_system_solve_form(zg_system *g, zw_form form, const double *Q, const double *b,
                               const double *C, zw_gauss_answer *answer)
{
    ZB_TRY(zg_solve_form(g->dense, form, Q, zg_off_pack(g->off, b), C, answer));
    spread_answer(g, answer);
    return ZW_OK;
}

/* The dense solver answers in full; of that z, lambda and what is lost are kept. */
zw_status zg_system_apply(zg_system *g, const double *f, const double *b, double *z, double *lambda,
                          double *lost, double *lost_norm)
{
    if (answers_by_sparse(g)) {
        const double *right = zg_off_right(g->off, b);
        zw_status status = zg_sparse_apply(g->sparse, f, right, z, lambda, lost, lost_norm);
        if (status == ZW_OK) return ZW_OK;
        ZB_TRY(fall_back_on_dense(g, status));
    }
    zw_gauss_answer answer = {.acceleration = z, .multipliers = lambda, .inconsistency = lost};
    ZB_TRY(solve_densely(g, f, b, NULL, &answer));
    if (lost_norm) *lost_norm = answer.consistent ? 0.0 : answer.inconsistency_norm;
    return ZW_OK;
}

zw_status zg_system_project(zg_system *g, const double *x, double *y)
{
    return answers_by_sparse(g) ? zg_sparse_project(g->sparse, x, y) : zg_project(g->dense, x, y);
}

zw_status zg_system_split(zg_system *g, const double *force, double *ideal, double *nonideal)
{
    if (answers_by_sparse(g)) return zg_sparse_split(g->sparse, force, ideal, nonideal);
    return zg_split(g->dense, force, ideal, nonideal);
}

zw_status zg_system_rank(zg_system *g, zw_gauss_rank_info *info)
{
    return answers_by_sparse(g) ? zg_sparse_rank(g->sparse, info) : zg_rank(g->dense, info);
}

/* Of the rows that are on, which it numbers as all rows are numbered. */
static zw_status diagnose_densely(zg_system *g, const double *b, const double *acceleration,
                                  zw_diagnosis **diagnosis)
{
    ZB_TRY(zg_diagnose(g->dense, zg_off_pack(g->off, b), acceleration, diagnosis));
    if (!zg_off_any(g->off)) return ZW_OK;
    zg_findings *findings = (zg_findings *)(void *)*diagnosis;
    zw_status status = zg_findings_renumber(findings, zg_off_kept(g->off), g->is.m);
    if (status != ZW_OK) zg_diagnosis_free(*diagnosis);
    return status;
}

/* The dense solver serves where the sparse one cannot tell. */
zw_status zg_system_diagnose(zg_system *g, const double *b, const double *acceleration,
                             zw_diagnosis **diagnosis)
{
    if (answers_by_sparse(g)) {
        const double *right = zg_off_right(g->off, b);
        zw_status status = zg_sparse_diagnose(g->sparse, right, acceleration, diagnosis);
        if (status == ZW_OK) return ZW_OK;
        ZB_TRY(fall_back_on_dense(g, status));
    }
    return diagnose_densely(g, b, acceleration, diagnosis);
}

/* Of the dense solver: which matrix is indefinite, the strict judgement says. */
size_t zg_system_explain(zg_system *g, char *buffer, size_t size)
{
    if (answers_by_sparse(g)) return zg_sparse_explain(g->sparse, buffer, size);
    if (g->status == ZW_ERR_INDEFINITE) (void)zg_check(g->dense, g->M, g->A, g->W);
    return zg_explain(g->dense, buffer, size);
}

char zg_system_failed(zg_system *g, int32_t *index)
{
    *index = 0;
    if (answers_by_sparse(g)) return zg_sparse_failed(g->sparse, index);
    if (g->status == ZW_ERR_INDEFINITE) (void)zg_check(g->dense, g->M, g->A, g->W);
    char matrix = zg_failed(g->dense, index);
    if (matrix == 'W' && zg_off_any(g->off)) *index = zg_off_kept(g->off)[*index];
    return matrix;
}

/* ------------------------------------------------------------------ free motions */

/* Those with an entry above 1e-9 in some undetermined motion. */
static zw_status find_free_coordinates_densely(zg_system *g, bool *moves)
{
    size_t n = (size_t)g->is.n, bytes = zb_product(zb_product(n, n), sizeof(double));
    double *x = zb_resize(g->memory, NULL, 0, bytes);
    int32_t directions = 0;
    if (!x) return g->memory->failure;
    zw_status status = zg_undetermined(g->dense, x, &directions);
    for (size_t i = 0; i < n && status == ZW_OK; i++) {
        moves[i] = false;
        for (int32_t q = 0; q < directions; q++)
            if (fabs(x[(size_t)q * n + i]) > 1e-9) moves[i] = true;
    }
    zb_resize(g->memory, x, bytes, 0);
    return status;
}

zw_status zg_system_free_coordinates(zg_system *g, bool *moves)
{
    if (answers_by_sparse(g)) return zg_sparse_free_coordinates(g->sparse, moves);
    return find_free_coordinates_densely(g, moves);
}

/* --------------------------------------------------------------------------- ranks */

int32_t zg_system_rank_limit(const zg_system *g)
{
    return g->most_rank;
}

/* Also for a dense solver that is planned later. */
void zg_system_limit_rank(zg_system *g, int32_t most)
{
    g->most_rank = most;
    if (g->sparse) zg_sparse_limit_rank(g->sparse, most);
    if (g->dense) zg_limit_rank(g->dense, most);
}

void zg_system_know_independent(zg_system *g, bool independent)
{
    g->independent = independent;
}

double zg_system_noise(const zg_system *g)
{
    return answers_by_sparse(g) ? zg_sparse_noise(g->sparse) : zg_noise(g->dense);
}

bool zg_system_doubtful(zg_system *g, double clear)
{
    return answers_by_sparse(g) && zg_sparse_doubtful(g->sparse, clear);
}
