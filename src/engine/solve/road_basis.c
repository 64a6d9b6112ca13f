/*
 * Redundant systems as fast as others. Of rows that depend on each other wherever the constraints
 * hold, as many as are independent say everything: a basis B of the rows, chosen once when a run
 * begins, so that the others follow from it as well as possible. Accelerations and projections by
 * B alone are those by all rows; where a state is a little beside the constraints, in the stages of
 * a step, they differ by as much as it is, and smoothly.
 *
 * The choice is a Gram-Schmidt process on the rows of A L^-T, M = L L^T, each of length 1: the
 * longest rest is taken next. At every state the pivots decide whether B serves there; on the
 * constraints the rows that are left out must agree with the answer: if they do not, they
 * contradict it, and the careful road tells that. Shares of single constraints are not unique, so
 * whatever depends on them, friction by multipliers and controls, takes the careful road.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

static const double worst_condition = 1e4; /* of B; the careful road has all rows to choose from */
static const double least_pivot = 1e-3;    /* likewise, of sparse factors */
static const double agreement = 1e-9;

static bool may_serve(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zm_model *zm = sim->zm;
    if (run->settings.form != ZW_FORM_GAUSS || sim->model->uses_measures) return false;
    if (run->stats.generic_rank >= zm->m || run->stats.generic_rank < 1) return false;
    if (zm->n > zr_full_reach || zm->m > zr_full_reach) return false;
    for (int32_t k = 0; k < zm->constraint_count; k++)
        if (zm->constraints[k].control) return false;
    return sim->start.conflicts.count == 0;
}

/* ----------------------------------------------------------------------- choosing */

/* M = L L^T in place, the lower half. Where M is singular a little is added: for a choice that is
 * good enough. */
static void cholesky(double *M, size_t n)
{
    double trace = 0.0;
    for (size_t j = 0; j < n; j++) trace += M[j * n + j];
    double least = trace > 0.0 ? 1e-8 * trace / (double)n : 1.0;
    for (size_t j = 0; j < n; j++) {
        double *row = M + j * n, d = row[j];
        for (size_t k = 0; k < j; k++) d -= row[k] * row[k];
        row[j] = sqrt(fmax(d, least));
        for (size_t i = j + 1; i < n; i++) {
            double s = M[i * n + j];
            for (size_t k = 0; k < j; k++) s -= M[i * n + k] * row[k];
            M[i * n + j] = s / row[j];
        }
    }
}

/* g = L^-1 g, then to length 1. */
static void take_length(const double *L, size_t n, double *g)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) g[i] -= L[i * n + k] * g[k];
        g[i] /= L[i * n + i];
        sum += g[i] * g[i];
    }
    for (size_t i = 0; i < n && sum > 0.0; i++) g[i] /= sqrt(sum);
}

static double square(const double *g, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += g[i] * g[i];
    return sum;
}

/* Takes the row with the longest rest, and its direction out of the others. */
static void take_longest(double *G, size_t n, size_t m, bool *taken)
{
    size_t best = m;
    double longest = -1.0;
    for (size_t i = 0; i < m; i++) {
        double rest = taken[i] ? -1.0 : square(G + i * n, n);
        if (rest > longest * (1.0 + 1e-9)) longest = rest, best = i; /* of equals the first */
    }
    if (best == m || !(longest > 0.0)) return;
    taken[best] = true;
    double *u = G + best * n, size = sqrt(longest);
    for (size_t k = 0; k < n; k++) u[k] /= size;
    for (size_t i = 0; i < m; i++) {
        double *g = G + i * n, along = 0.0;
        if (taken[i]) continue;
        for (size_t k = 0; k < n; k++) along += u[k] * g[k];
        for (size_t k = 0; k < n; k++) g[k] -= along * u[k];
    }
}

/* Marks the rows of the basis. */
static zw_status choose_rows(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m, bytes = sizeof(double) * n * (n + m);
    double *M = zb_resize(sim->memory, NULL, 0, bytes), *G;
    if (!M) return sim->memory->failure;
    G = M + n * n;
    zr_expand_mass(sim, M, false);
    zr_expand_rows(sim, G);
    cholesky(M, n);
    for (size_t i = 0; i < m; i++) take_length(M, n, G + i * n);
    for (int32_t k = 0; k < run->stats.generic_rank; k++) take_longest(G, n, m, run->in_basis);
    zb_resize(sim->memory, M, bytes, 0);
    return ZW_OK;
}

/* The pattern of the rows that are marked. */
void zr_mark_basis(zw_sim *sim)
{
    zr_basis *basis = &sim->run->basis;
    const zr_pattern *A = &sim->model->A;
    int32_t at = 0, k = 0;
    for (int32_t i = 0; i < sim->zm->m && k < basis->count; i++) {
        if (!sim->run->in_basis[i]) continue;
        int32_t length = A->start[i + 1] - A->start[i];
        memcpy(basis->column + at, A->column + A->start[i], sizeof *A->column * (size_t)length);
        basis->row[k++] = i;
        basis->start[k] = at += length;
    }
}

static zw_status take_memory(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_basis *basis = &run->basis;
    size_t count = (size_t)run->stats.generic_rank, entries = (size_t)sim->model->A.count;
    basis->row = ZB_NEW_ARRAY(&run->arena, int32_t, count);
    basis->start = ZB_NEW_ARRAY(&run->arena, int32_t, count + 1);
    basis->column = ZB_NEW_ARRAY(&run->arena, int32_t, entries);
    basis->value = ZB_NEW_ARRAY(&run->arena, double, entries);
    basis->b = ZB_NEW_ARRAY(&run->arena, double, count);
    basis->lambda = ZB_NEW_ARRAY(&run->arena, double, count);
    return run->arena.failure;
}

/* As many rows as were looked for, and a solver for them. */
static zw_status open_solver(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_basis *basis = &run->basis;
    size_t n = (size_t)sim->zm->n;
    zg_structure structure = zr_structure(sim);
    structure.m = basis->count;
    structure.A = (zg_pattern){.rows = basis->count,
                               .columns = sim->zm->n,
                               .start = basis->start,
                               .column = basis->column};
    structure.W = (zg_pattern){0};
    ZB_TRY(zg_system_plan(sim->memory, &structure, &basis->system));
    if (!zg_system_dense(basis->system)) return ZW_OK;
    zg_system_free(basis->system);
    basis->system = NULL;
    basis->M = ZB_NEW_ARRAY(&run->arena, double, sim->model->diagonal_mass ? n : n *n);
    if (!basis->M) return run->arena.failure;
    return zg_quick_plan(sim->memory, sim->zm->n, basis->count, sim->model->diagonal_mass,
                         &basis->quick);
}

zw_status zr_choose_basis(zw_sim *sim)
{
    zr_motion *run = sim->run;
    run->in_basis = ZB_NEW_ARRAY(&run->arena, bool, (size_t)sim->zm->m);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    if (!may_serve(sim)) return ZW_OK;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_dynamics(sim, &s);
    zr_evaluate_rows(sim, &s);
    sim->road = ZR_NO_ROAD;
    ZB_TRY(choose_rows(sim));
    ZB_TRY(take_memory(sim));
    for (int32_t i = 0; i < sim->zm->m; i++) run->basis.count += run->in_basis[i];
    zr_mark_basis(sim);
    return open_solver(sim);
}

void zr_free_basis(zr_motion *run)
{
    zg_quick_free(run->basis.quick);
    zg_system_free(run->basis.system);
}

/* ------------------------------------------------------------------------- solving */

static bool factor_sparse(zw_sim *sim, zr_basis *basis)
{
    zg_values values = {.M = sim->M, .A = basis->value, .same_mass = basis->same_mass};
    bool good = zg_system_factor(basis->system, &values) == ZW_OK;
    basis->same_mass = good && sim->model->constant_mass;
    return good && !zg_system_doubtful(basis->system, least_pivot);
}

static bool factor_dense(zw_sim *sim, zr_basis *basis)
{
    zg_rows rows = {.start = basis->start, .column = basis->column, .value = basis->value};
    zr_expand_mass(sim, basis->M, sim->model->diagonal_mass);
    return zg_quick_factor(basis->quick, basis->M, &rows) &&
           zg_quick_condition(basis->quick) <= worst_condition;
}

bool zr_basis_factor(zw_sim *sim)
{
    zr_basis *basis = sim->run ? &sim->run->basis : NULL;
    const zr_pattern *A = &sim->model->A;
    if (!basis || basis->count == 0 || sim->run->any_conflicting) return false;
    for (int32_t k = 0; k < basis->count; k++) {
        size_t length = (size_t)(basis->start[k + 1] - basis->start[k]);
        memcpy(basis->value + basis->start[k], sim->A + A->start[basis->row[k]],
               sizeof(double) * length);
    }
    return basis->system ? factor_sparse(sim, basis) : factor_dense(sim, basis);
}

double zr_basis_noise(const zr_basis *basis)
{
    return basis->system ? zg_system_noise(basis->system)
                         : DBL_EPSILON * zg_quick_condition(basis->quick);
}

zw_status zr_basis_solve(zw_sim *sim, const double *f, const double *b, double *z, double *lambda)
{
    zr_basis *basis = &sim->run->basis;
    const double *own = b ? basis->b : NULL;
    for (int32_t k = 0; b && k < basis->count; k++) basis->b[k] = b[basis->row[k]];
    if (basis->system)
        ZB_TRY(zg_system_apply(basis->system, f, own, z, basis->lambda, NULL, NULL));
    else
        zg_quick_solve(basis->quick, f, own, z, basis->lambda);
    memset(lambda, 0, sizeof *lambda * (size_t)sim->zm->m);
    for (int32_t k = 0; k < basis->count; k++) lambda[basis->row[k]] = basis->lambda[k];
    return ZW_OK;
}

bool zr_basis_agrees(const zw_sim *sim, const double *z)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        double left = -sim->b[i], size = fabs(left);
        if (sim->run->in_basis[i]) continue;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            double term = sim->A[p] * z[A->column[p]];
            left += term;
            size += fabs(term);
        }
        if (!(fabs(left) <= agreement * size)) return false;
    }
    return true;
}
