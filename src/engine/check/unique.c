/*
 * Which reactions redundancy leaves undetermined. The multipliers of a solution may be changed by
 * any n with A^T n = 0 and hold the system as before; the dependent sets of the rows span these n.
 * A multiplier is unique when no n touches it. An output is unique when it stays the same for
 * lambda + s n: the force across a redundant hinge may be, although each of its multipliers is not.
 */
#include <math.h>
#include <string.h>

#include "check.h"

/* A factor of the set's coefficients with which they change the multipliers by as much as these
 * are. */
static double size_multiplier_change(const zw_dependent_set *set, const double *lambda, int32_t m)
{
    double largest = 0.0, coefficients = 0.0;
    for (int32_t i = 0; i < m; i++) largest = fmax(largest, fabs(lambda[i]));
    for (int32_t k = 0; k < set->count; k++)
        coefficients = fmax(coefficients, fabs(set->coefficients[k]));
    return (largest > 0.0 ? largest : 1.0) / coefficients;
}

/* The outputs, into `out`, with lambda [m] changed by `by` times a set's coefficients; lambda is
 * then as it was, but for rounding. */
static void evaluate_moved(zw_sim *sim, const zk_source *s, const zw_dependent_set *set, double by,
                           double *lambda, double *out)
{
    for (int32_t k = 0; k < set->count; k++) lambda[set->rows[k]] += by * set->coefficients[k];
    zr_measure(sim, lambda);
    zr_outputs_at(sim, s, out);
    for (int32_t k = 0; k < set->count; k++) lambda[set->rows[k]] -= by * set->coefficients[k];
}

/* What differs by more than rounding does is not unique. */
static void compare_outputs(const double *a, const double *b, int32_t count, bool *unique)
{
    double largest = 0.0;
    for (int32_t i = 0; i < count; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    for (int32_t i = 0; i < count; i++) {
        double noise = 1e-9 * (fabs(a[i]) + fabs(b[i]) + largest);
        if (!(fabs(a[i] - b[i]) <= noise)) unique[i] = false;
    }
}

/* Outputs are examined only where some use measures and the sets are all of the dependence. */
zw_status zr_find_unique(zr_check *c, const zw_diagnosis *d)
{
    zw_sim *sim = c->sim;
    int32_t m = sim->zm->m, count = zr_output_elements(sim->model);
    c->unique = ZB_NEW_ARRAY(&sim->notes, bool, m);
    if (!c->unique) return sim->notes.failure;
    memcpy(c->unique, d->unique_multiplier, sizeof(bool) * (size_t)m);
    if (!zr_outputs_need(sim->model).measures || d->unlisted > 0) return ZW_OK;

    double *lambda = ZB_NEW_ARRAY(&sim->notes, double, m);
    double *acceleration = ZB_NEW_ARRAY(&sim->notes, double, sim->zm->n);
    double *force = ZB_NEW_ARRAY(&sim->notes, double, sim->zm->n);
    double *moved = ZB_NEW_ARRAY(&sim->notes, double, count);
    c->unique_output = ZB_NEW_ARRAY(&sim->notes, bool, count);
    if (sim->notes.failure != ZW_OK) return sim->notes.failure;
    for (int32_t i = 0; i < count; i++) c->unique_output[i] = true;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zw_gauss_answer answer = {.acceleration = acceleration, .force = force, .multipliers = lambda};
    zw_status status = zr_solve_at(sim, &s, &answer);
    if (status != ZW_OK) return zr_is_memory(status) ? status : ZW_OK;
    s.acceleration = acceleration;
    zr_measure(sim, lambda);
    zr_show_measures(sim, &s, &answer);
    zr_outputs_at(sim, &s, sim->output);
    for (int32_t k = 0; k < d->set_count; k++) {
        evaluate_moved(sim, &s, &d->sets[k], size_multiplier_change(&d->sets[k], lambda, m), lambda,
                       moved);
        compare_outputs(sim->output, moved, count, c->unique_output);
    }
    return ZW_OK;
}
