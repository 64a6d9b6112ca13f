/*
 * The road of redundant systems, which makes them as fast as others. Of rows that depend on each
 * other wherever the constraints hold, as many as are independent say everything: a *basis* B of
 * the rows, chosen once when a run begins, so that the others follow from it as well as possible.
 * Accelerations and projections by B alone are those by all rows; where a state is a little off
 * the constraints, in the stages of a step, they differ by as much as it is, and smoothly.
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

#include "roads.h"

static const double worst_condition = 1e4; /* of B; the careful road has all rows to choose from */
static const double least_pivot = 1e-3;    /* likewise, of sparse factors */
static const double agreement = 1e-9;
static const double clear_disagreement = 1e-6; /* off the constraints, where others are natural */

/* Some basis may be chosen for the run. */
static bool can_have_basis(const zw_sim *sim, const zr_solving *run)
{
    const zm_model *zm = sim->zm;
    if (run->settings->form != ZW_FORM_GAUSS || sim->model->uses_measures) return false;
    if (run->generic_rank >= zr_rows_on(sim) || run->generic_rank < 1) return false;
    if (zm->n > zr_full_reach || zm->m > zr_full_reach || sim->contacts) return false;
    for (int32_t k = 0; k < zm->constraint_count; k++)
        if (zm->constraints[k].control) return false;
    return sim->start.conflicts.count == 0;
}

/* ----------------------------------------------------------------------- choosing */

/* M = L L^T in place, the lower half. Where M is singular a little is added: for a choice that is
 * good enough. */
static void factor_mass(double *M, size_t n)
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
static void scale_to_length_1(const double *L, size_t n, double *g)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) g[i] -= L[i * n + k] * g[k];
        g[i] /= L[i * n + i];
        sum += g[i] * g[i];
    }
    for (size_t i = 0; i < n && sum > 0.0; i++) g[i] /= sqrt(sum);
}

/* |g|^2 of g [n]. */
static double square_length(const double *g, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += g[i] * g[i];
    return sum;
}

/* Takes the row with the longest rest, and its direction out of the others. */
static void choose_longest(double *G, size_t n, size_t m, bool *taken)
{
    size_t best = m;
    double longest = -1.0;
    for (size_t i = 0; i < m; i++) {
        double rest = taken[i] ? -1.0 : square_length(G + i * n, n);
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
static zw_status choose_basis_rows(zw_sim *sim, zr_solving *run)
{
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m, bytes = sizeof(double) * n * (n + m);
    double *M = zb_resize(sim->memory, NULL, 0, bytes), *G;
    if (!M) return sim->memory->failure;
    G = M + n * n;
    zr_expand_mass(sim, M, false);
    zr_expand_rows(sim, G);
    factor_mass(M, n);
    for (size_t i = 0; i < m; i++) scale_to_length_1(M, n, G + i * n);
    for (int32_t k = 0; k < run->generic_rank; k++) choose_longest(G, n, m, run->basis.in);
    zb_resize(sim->memory, M, bytes, 0);
    return ZW_OK;
}

/* The rows that are marked, with their pattern; as many as were looked for. */
static zw_status shape_basis(zw_sim *sim, zb_arena *arena, zr_basis *basis)
{
    zr_rows *rows = &basis->rows;
    int32_t k = 0;
    for (int32_t i = 0; i < sim->zm->m && k < rows->m; i++)
        if (basis->in[i]) rows->row[k++] = i;
    return zr_shape_rows(sim, arena, rows, NULL);
}

/* A solver for the rows of a basis: the sparse one, or instead of a dense one the quick one alone.
 */
static zw_status open_basis_solver(zw_sim *sim, zb_arena *arena, zr_rows *rows)
{
    size_t n = (size_t)sim->zm->n;
    zg_structure structure = zr_structure(sim);
    structure.m = rows->m;
    structure.A = rows->is.A;
    structure.W = (zg_pattern){0};
    ZB_TRY(zg_system_plan(sim->memory, &structure, &rows->system));
    if (!zg_system_dense(rows->system)) return ZW_OK;
    zg_system_free(rows->system);
    rows->system = NULL;
    rows->quick_mass = ZB_NEW_ARRAY(arena, double, sim->model->diagonal_mass ? n : n *n);
    if (!rows->quick_mass) return arena->failure;
    return zg_quick_plan(sim->memory, sim->zm->n, rows->m, sim->model->diagonal_mass, &rows->quick);
}

/* The rows that are marked in basis->in, `count` of them, and a solver for them. */
static zw_status open_basis(zw_sim *sim, zb_arena *arena, zr_basis *basis, int32_t count)
{
    zr_rows *rows = &basis->rows;
    *rows = (zr_rows){.n = sim->zm->n, .m = count};
    rows->row = ZB_NEW_ARRAY(arena, int32_t, (size_t)count);
    basis->b = ZB_NEW_ARRAY(arena, double, (size_t)count);
    basis->lambda = ZB_NEW_ARRAY(arena, double, (size_t)count);
    zw_status status = arena->failure;
    if (status == ZW_OK) status = shape_basis(sim, arena, basis);
    if (status == ZW_OK) status = open_basis_solver(sim, arena, rows);
    if (status == ZW_OK) return ZW_OK;
    zr_free_rows(rows);
    rows->m = 0;
    return status;
}

/* Those that are marked in basis->in. */
static int32_t count_basis_rows(const zw_sim *sim, const zr_basis *basis)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sim->zm->m; i++) count += basis->in[i];
    return count;
}

/* The same rows keep their solver. */
zw_status zr_restore_basis(zw_sim *sim, zb_arena *arena, zr_basis *basis)
{
    zr_rows *rows = &basis->rows;
    int32_t count = count_basis_rows(sim, basis);
    bool same = count == rows->m;
    for (int32_t k = 0; k < rows->m; k++) same = same && basis->in[rows->row[k]];
    if (same) return ZW_OK;
    zr_free_rows(rows);
    rows->m = 0;
    arena->failure = ZW_OK; /* of a restore before, for which there was no memory */
    return count > 0 ? open_basis(sim, arena, basis, count) : ZW_OK;
}

/* basis->in is there for every run, so that runs with and without a basis are saved alike. M and
 * A at the simulation's state decide. */
zw_status zr_choose_basis(zw_sim *sim, zb_arena *arena, zr_solving *run)
{
    zr_basis *basis = &run->basis;
    basis->in = ZB_NEW_ARRAY(arena, bool, (size_t)sim->zm->m);
    if (arena->failure != ZW_OK) return arena->failure;
    if (!can_have_basis(sim, run)) return ZW_OK;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_forget_factor(sim);
    zr_evaluate_dynamics(sim, &s);
    zr_evaluate_rows(sim, &s);
    ZB_TRY(choose_basis_rows(sim, run));
    return open_basis(sim, arena, basis, count_basis_rows(sim, basis));
}

/* ------------------------------------------------------------------------- solving */

/* Weights are of no matter to rows that are independent. False: it failed, or pivots are too
 * small. */
static bool factor_basis_sparsely(const zw_sim *sim, zr_rows *rows)
{
    zg_values values = {.M = sim->M, .A = rows->A, .same_mass = rows->same_mass};
    bool good = zg_system_factor(rows->system, &values) == ZW_OK;
    rows->same_mass = good && sim->model->constant_mass;
    return good && !zg_system_doubtful(rows->system, least_pivot);
}

/* Not while rows are in conflict: then those that are left out say something else. */
bool zr_factor_basis(const zw_sim *sim, zr_solving *run)
{
    zr_rows *rows = run ? &run->basis.rows : NULL;
    if (!rows || rows->m == 0 || run->any_conflicting) return false;
    const double *A = zr_gather_rows(sim, rows, NULL);
    if (rows->system) return factor_basis_sparsely(sim, rows);
    return zr_factor_quickly(sim, rows, A) && zg_quick_condition(rows->quick) <= worst_condition;
}

/* Rows that are left out have a multiplier of 0. */
zw_status zr_solve_basis(const zw_sim *sim, zr_basis *basis, const double *f, const double *b,
                         double *z, double *lambda)
{
    const zr_rows *rows = &basis->rows;
    for (int32_t k = 0; b && k < rows->m; k++) basis->b[k] = b[rows->row[k]];
    ZB_TRY(zr_solve_rows(rows, f, b ? basis->b : NULL, z, basis->lambda));
    memset(lambda, 0, sizeof *lambda * (size_t)sim->zm->m);
    for (int32_t k = 0; k < rows->m; k++) lambda[rows->row[k]] = basis->lambda[k];
    return ZW_OK;
}

/* The rows that are left out agree with the answer, each to this part of its terms. */
static bool other_rows_agree(const zw_sim *sim, const zr_basis *basis, const double *z, double part)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        double left = -sim->b[i], size = fabs(left);
        if (basis->in[i]) continue;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            double term = sim->A[p] * z[A->column[p]];
            left += term;
            size += fabs(term);
        }
        if (!(fabs(left) <= part * size)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------------ the road */

static bool basis_may_serve(const zw_sim *sim, const zr_solving *run)
{
    (void)sim;
    return run && run->basis.rows.m > 0 && !run->any_conflicting;
}

/* Where conflicts are told, rows that are left out and do not agree with the answer refuse it; in
 * the stages of a step that is only a suspicion, which is kept. */
static zw_status accelerate_by_basis(zw_sim *sim, zr_solving *run, const zr_wanted *w, bool *taken)
{
    zr_basis *basis = &run->basis;
    if (!zr_factor_basis(sim, run)) return ZW_OK;
    if (zr_solve_basis(sim, basis, sim->Q, sim->b, w->z, sim->lambda) != ZW_OK) return ZW_OK;
    bool tells = zr_tells_conflicts(run);
    if (tells && !other_rows_agree(sim, basis, w->z, agreement)) return ZW_OK;
    if (!tells && run->may_part && !run->suspects)
        run->suspects = !other_rows_agree(sim, basis, w->z, clear_disagreement);
    *taken = true;
    sim->solver->held = &basis->rows;
    zr_note_independent(sim, run, zr_rows_condition(&basis->rows));
    run->rank = run->generic_rank;
    return ZW_OK;
}

static zw_status solve_nonideal_by_basis(zw_sim *sim, zr_solving *run)
{
    return zr_solve_basis(sim, &run->basis, sim->C, NULL, sim->solver->z_nonideal,
                          sim->solver->lambda_nonideal);
}

static double basis_condition(const zw_sim *sim, const zr_solving *run)
{
    (void)sim;
    return zr_rows_condition(&run->basis.rows);
}

const zr_road zr_road_basis = {.name = "basis",
                               .serves = basis_may_serve,
                               .accelerate = accelerate_by_basis,
                               .nonideal = solve_nonideal_by_basis,
                               .condition = basis_condition};
