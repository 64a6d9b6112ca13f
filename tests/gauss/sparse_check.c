/*
 * sparse_check.c: tallies, and the way of a problem through zg_system.
 */
#include "sparse_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --------------------------------------------------------------------- tallies */

void tally_below(tally *t, const sparse_problem *p, const char *who, const char *what, double value,
                 double allowed)
{
    char name[64];
    int32_t i = 0;
    t->checks++;
    snprintf(name, sizeof name, "%s: %s", who, what);
    while (i < t->sorts && strcmp(t->sort[i].what, name) != 0) i++;
    assert_true(i < MOST_SORTS);
    bool worse = i == t->sorts || !(value * t->sort[i].allowed <= t->sort[i].value * allowed);
    if (i == t->sorts) snprintf(t->sort[t->sorts++].what, sizeof name, "%s", name);
    if (worse) {
        t->sort[i].value = value;
        t->sort[i].allowed = allowed;
        net_describe(p, t->sort[i].where, sizeof t->sort[i].where);
    }
    if (value <= allowed) return;
    if (getenv("ZW_TEST_ALL") != NULL) {
        char where[256];
        net_describe(p, where, sizeof where);
        print_error("%s: %.3g where %.3g is allowed: %s\n", name, value, allowed, where);
    }
    t->failures++;
    t->sort[i].failures++;
}

void tally_true(tally *t, const sparse_problem *p, const char *who, const char *what, bool so)
{
    tally_below(t, p, who, what, so ? 0.0 : 1.0, 0.5);
}

void tally_finish(const tally *t, int32_t least)
{
    for (int32_t i = 0; i < t->sorts; i++) {
        if (t->sort[i].failures > 0 || getenv("ZW_TEST_WORST") != NULL)
            print_error("%s: %d failures; worst %.3g where %.3g is allowed: %s\n", t->sort[i].what,
                        t->sort[i].failures, t->sort[i].value, t->sort[i].allowed,
                        t->sort[i].where);
    }
    if (t->failures > 0) fail_msg("%d of %d comparisons failed", t->failures, t->checks);
    if (20 * t->left_out > t->systems)
        fail_msg("%d of %d systems were left out", t->left_out, t->systems);
    if (t->checks < least) fail_msg("only %d comparisons of %d", t->checks, least);
}

/* --------------------------------------------------------------------- systems */

static void solve_all(const sparse_problem *p, outcome *o)
{
    const double *C = p->with_C ? p->C : NULL;
    o->status = zg_system_factor(o->g, &p->values);
    if (o->status == ZW_OK) o->status = zg_system_solve(o->g, p->Q, p->b, C, &o->answer);
    if (o->status == ZW_OK) o->status = zg_system_project(o->g, p->x, o->projected);
    if (o->status == ZW_OK)
        o->status = zg_system_split(o->g, p->x, o->split_ideal, o->split_nonideal);
    if (o->status == ZW_OK) o->status = zg_system_rank(o->g, &o->rank);
}

/* The same one floor below, where the form can be chosen. */
static void solve_sparse(const sparse_problem *p, zg_sparse *g, outcome *o)
{
    const double *C = p->with_C ? p->C : NULL;
    o->status = zg_sparse_factor(g, &p->values);
    if (o->status == ZW_OK) o->status = zg_sparse_solve(g, p->Q, p->b, C, &o->answer);
    if (o->status == ZW_OK) o->status = zg_sparse_project(g, p->x, o->projected);
    if (o->status == ZW_OK) o->status = zg_sparse_split(g, p->x, o->split_ideal, o->split_nonideal);
    if (o->status == ZW_OK) o->status = zg_sparse_rank(g, &o->rank);
}

static outcome with_room(const sparse_problem *p)
{
    outcome o = {0};
    size_t n = (size_t)p->is.n, m = (size_t)p->is.m, all = 8 * n + 3 * m;
    double *d = o.memory = malloc((all + 1) * sizeof *d);
    assert_non_null(d);
    for (size_t i = 0; i < all; i++) d[i] = (double)NAN; /* what is not written is seen */
    o.z = d, o.force = d + n, o.ideal = d + 2 * n, o.nonideal = d + 3 * n;
    o.projected = d + 4 * n, o.split_ideal = d + 5 * n, o.split_nonideal = d + 6 * n;
    o.free = d + 7 * n, o.lambda = d + 8 * n, o.residual = o.lambda + m, o.lost = o.residual + m;
    o.answer = (zw_gauss_answer){.acceleration = o.z,
                                 .free_acceleration = o.free,
                                 .force = o.force,
                                 .force_ideal = o.ideal,
                                 .force_nonideal = o.nonideal,
                                 .multipliers = o.lambda,
                                 .residual = o.residual,
                                 .inconsistency = o.lost};
    return o;
}

outcome solved_by(zb_memory *memory, const sparse_problem *p, zw_solver solver)
{
    outcome o = with_room(p);
    zg_structure is = p->is;
    is.solver = solver;
    o.status = zg_system_plan(memory, &is, &o.g);
    if (o.status == ZW_OK) solve_all(p, &o);
    return o;
}

outcome solved_in_form(zb_memory *memory, const sparse_problem *p, const zg_sparse_form *kind)
{
    outcome o = with_room(p);
    zg_sparse *g = NULL;
    void *form = NULL;
    double cost = 0.0;
    o.status = zg_sparse_plan(memory, &p->is, &g);
    if (o.status == ZW_OK) o.status = kind->plan(memory, &g->x, &form, &cost);
    if (form != NULL) {
        g->kind->free(g->form);
        g->kind = kind;
        g->form = form;
        solve_sparse(p, g, &o);
    }
    o.served = form != NULL;
    zg_sparse_free(g);
    return o;
}

void outcome_free(outcome *o)
{
    zg_system_free(o->g);
    free(o->memory);
}

/* ----------------------------------------------------------------- comparisons */

double size_of(const double *x, int32_t n)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

/* |x - y|, entry i times root_i^sign; root NULL: 1; y NULL: 0 */
static double apart(const double *x, const double *y, const double *root, int sign, int32_t n)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double d = x[i] - (y != NULL ? y[i] : 0.0);
        if (root != NULL) d *= sign > 0 ? root[i] : 1.0 / root[i];
        s += d * d;
    }
    return sqrt(s);
}

/* What errors are measured by; see above. */
typedef struct scales {
    double *root; /* [m] of the diagonal of W */
    double motion, force, lambda, rows, virtual, square, tolerance;
} scales;

static double weighted_size(const sparse_problem *p, int32_t row, double root)
{
    double s = 0.0;
    const zg_pattern *A = &p->is.A;
    for (int32_t k = A->start[row]; k < A->start[row + 1]; k++)
        s += p->values.A[k] * p->values.A[k];
    return sqrt(s) * root;
}

static scales scales_of(const sparse_problem *p, const long_oracle *truth)
{
    int32_t n = p->is.n, m = p->is.m;
    scales s = {.root = malloc(((size_t)m + 1) * sizeof(double))};
    double rows = 0.0, most = 0.0;
    assert_non_null(s.root);
    for (int32_t i = 0; i < m; i++) {
        s.root[i] = 1.0;
        for (int32_t k = p->is.W.rows > 0 ? p->is.W.start[i] : 0;
             p->is.W.rows > 0 && k < p->is.W.start[i + 1]; k++)
            if (p->is.W.column[k] == i) s.root[i] = sqrt(p->values.W[k]);
        double size = weighted_size(p, i, s.root[i]);
        rows += size * size;
        most = fmax(most, size);
    }
    s.motion = size_of(truth->acceleration, n) + size_of(truth->free, n);
    s.force = size_of(p->Q, n) + size_of(p->C, n) + size_of(truth->force, n);
    s.lambda = apart(truth->multipliers, NULL, s.root, -1, m) + s.force / most;
    s.rows = apart(p->b, NULL, s.root, 1, m) + sqrt(rows) * s.motion;
    s.virtual = size_of(p->x, n);
    s.square = s.force * s.motion;
    s.tolerance = 1e-11 * fmax(1.0, fmax(truth->condition / 1e3, truth->mass_condition / 1e5));
    return s;
}

static void compare_flags(tally *t, const sparse_problem *p, const char *who, const outcome *o,
                          const long_oracle *truth, const scales *s)
{
    bool consistent = truth->inconsistency <= 1e-12 * s->rows;
    tally_true(t, p, who, "consistent", o->answer.consistent == consistent);
    tally_true(t, p, who, "rank", o->answer.rank == truth->rank);
    tally_true(t, p, who, "rank by itself", o->rank.rank == truth->rank && !o->rank.ambiguous);
    double lost = consistent ? 0.0 : truth->inconsistency;
    tally_below(t, p, who, "inconsistency_norm", fabs(o->answer.inconsistency_norm - lost),
                s->tolerance * s->rows);
}

void outcome_compare(tally *t, const sparse_problem *p, const char *who, const outcome *o,
                     const long_oracle *truth, bool singular)
{
    int32_t n = p->is.n, m = p->is.m;
    tally_true(t, p, who, "solved", o->status == ZW_OK);
    if (o->status != ZW_OK) return;
    scales s = scales_of(p, truth);
    double tol = s.tolerance;
    tally_below(t, p, who, "acceleration", apart(o->z, truth->acceleration, NULL, 1, n),
                tol * s.motion);
    tally_below(t, p, who, "force", apart(o->force, truth->force, NULL, 1, n), tol * s.force);
    tally_below(t, p, who, "ideal", apart(o->ideal, truth->ideal, NULL, 1, n), tol * s.force);
    tally_below(t, p, who, "nonideal", apart(o->nonideal, truth->nonideal, NULL, 1, n),
                tol * s.force);
    tally_below(t, p, who, "multipliers", apart(o->lambda, truth->multipliers, s.root, -1, m),
                tol * s.lambda);
    tally_below(t, p, who, "residual", apart(o->residual, truth->residual, s.root, 1, m),
                tol * s.rows);
    tally_below(t, p, who, "inconsistency", apart(o->lost, truth->residual, s.root, 1, m),
                tol * s.rows);
    tally_below(t, p, who, "projection", apart(o->projected, truth->projected, NULL, 1, n),
                tol * s.virtual);
    tally_below(t, p, who, "split", apart(o->split_nonideal, truth->split_nonideal, NULL, 1, n),
                tol * s.virtual);
    double off = 0.0;
    for (int32_t i = 0; i < n; i++)
        off = fmax(off, fabs(o->split_ideal[i] + o->split_nonideal[i] - p->x[i]));
    tally_below(t, p, who, "sum of the split", off, 1e-13 * s.virtual);
    tally_true(t, p, who, "mass_singular", o->answer.mass_singular == singular);
    if (!singular)
        tally_below(t, p, who, "free acceleration", apart(o->free, truth->free, NULL, 1, n),
                    tol * s.motion);
    if (!singular)
        tally_below(t, p, who, "gaussian", fabs(o->answer.gaussian - truth->gaussian),
                    tol * s.square);
    compare_flags(t, p, who, o, truth, &s);
    free(s.root);
}

long_oracle outcome_as_truth(const sparse_problem *p, const outcome *o)
{
    return (long_oracle){.n = p->is.n,
                         .m = p->is.m,
                         .rank = o->answer.rank,
                         .acceleration = o->z,
                         .free = o->answer.mass_singular ? o->z : o->free,
                         .force = o->force,
                         .ideal = o->ideal,
                         .nonideal = o->nonideal,
                         .multipliers = o->lambda,
                         .residual = o->residual,
                         .projected = o->projected,
                         .split_nonideal = o->split_nonideal,
                         .inconsistency = o->answer.inconsistency_norm,
                         .gaussian = o->answer.gaussian};
}

double distance_of(const double *x, const double *y, int32_t n)
{
    return apart(x, y, NULL, 1, n);
}

/* Where M + A^T W A is so close to singular, the motion is undetermined but for a hair, and whether
 * it is at all a matter of tolerances: some such are left out. */
bool tally_leaves_out(tally *t, const long_oracle *truth)
{
    t->systems++;
    t->left_out += truth->mass_condition > 1e8;
    return truth->mass_condition > 1e8;
}

/* The dense solver and the sparse one against elimination in long double. */
void outcome_examine(zb_memory *memory, tally *t, const net_kind *kind, uint64_t seed)
{
    sparse_problem *p = net_make(kind, seed);
    bool singular = net_rank(p, true, false) < p->is.n;
    long_oracle truth = long_solve(p, net_rank(p, false, true), singular);
    static const zw_solver solvers[] = {ZW_SOLVER_DENSE, ZW_SOLVER_SPARSE};
    bool skipped = tally_leaves_out(t, &truth);
    for (int32_t k = 0; k < 2 && !skipped; k++) {
        outcome o = solved_by(memory, p, solvers[k]);
        outcome_compare(t, p, k == 0 ? "dense" : "sparse", &o, &truth, singular);
        outcome_free(&o);
    }
    long_free(&truth);
    net_free(p);
}

int memory_prepare(void **state)
{
    static zb_memory memory;
    zb_memory_init(&memory, NULL);
    *state = &memory;
    return 0;
}

int memory_complete(void **state)
{
    const zb_memory *memory = *state;
    return memory->held == 0 ? 0 : 1;
}
