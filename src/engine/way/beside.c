/*
 * What is shown at and close beside a singular place (passage.c). The dense output leads smoothly
 * through it, to the tolerance; what spoils a row there is what comes after:
 *
 *     the state     brought onto the constraints it may end on another branch, or far along its own:
 *                   where that moves it by more than some tolerances, it is shown as it is
 *     z, lambda     noise over the square of a sine sigma, or of a state off the constraints over
 *                   sigma: they are interpolated between moments on both sides, the *nodes*, whose
 *                   own states are clear of the place
 *
 * Nodes stand symmetrically about the place, or on one side where the step ends too soon, at
 * distances that are doubled until the nearest are good. What is not smooth over them has no limit.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

static const double most_moved = 30.0;   /* tolerances that a projection may move what is shown */
static const double not_beside = 0.04;   /* squares of sines: above, nothing is close, */
static const double inside = 1e-12;      /* below, rounding is all that a projection could see */
static const double usual_noise = 1e-10; /* of accelerations, beside the tolerance */
static const double well_clear = 300.0;  /* tolerances that a sine should be */
static const double still_sure = 1e-9;   /* squares of sines: rounding over it leaves six digits */

/* How far y and (q, v) are apart, in tolerances. */
static double measure_move(zw_sim *sim, const double *y, const double *q, const double *v)
{
    const zw_run_settings *set = &sim->run->settings;
    const double *absolute = zr_model_order(sim, zi_absolute(sim->run->step.stepper));
    int32_t n = sim->zm->n;
    double most = 0.0;
    for (int32_t i = 0; i < 2 * n; i++) {
        double x = i < n ? q[i] : v[i - n], by = fabs(x - y[i]);
        most = fmax(most, by / (absolute[i] + set->tol * fabs(y[i])));
    }
    return most;
}

/* The smallest square of a sine of the rows at a state. */
static double clear_of_place(zw_sim *sim, double t, const double *q, const double *v)
{
    zk_source s = zr_source(sim, t, q, v);
    zr_forget_factor(sim);
    zr_evaluate_rows(sim, &s);
    zr_take_rows(sim, sim->A, sim->run->passage.A[ZR_PIECE]);
    return zr_smallest_pivot(sim, sim->run->passage.A[ZR_PIECE]);
}

/* From where on accelerations are good: neither rounding nor the tolerance, over what it is, shows
 * in them. */
static double find_clear(const zw_sim *sim)
{
    double tol = sim->run->settings.tol, sine = well_clear * tol;
    return fmin(fmax(DBL_EPSILON / (usual_noise + tol), sine * sine), 0.25 * not_beside);
}

/* q and v, which are y [2 n] at first, onto the constraints; not where that leads astray: then, and
 * where it fails, they are y again, and *kept is true. */
static zw_status bring_back(zw_sim *sim, double t, const double *y, double *q, double *v,
                            bool *kept)
{
    size_t n = (size_t)sim->zm->n;
    *kept = false;
    zw_status status = zr_project(sim, &sim->run->solving, t, q, v, false);
    if (status == ZW_OK) {
        if (!zr_is_near_place(sim->run)) return ZW_OK;
        double clear = clear_of_place(sim, t, q, v);
        bool beside = clear < fmin(10.0 * find_clear(sim), not_beside);
        bool far = beside && !(measure_move(sim, y, q, v) <= most_moved);
        if (!far && !(clear < inside)) return ZW_OK;
    }
    memcpy(q, y, sizeof *q * n);
    memcpy(v, y + n, sizeof *v * n);
    *kept = true;
    return status;
}

/* A state of the dense output, which is in q and v and in run->step.y. */
zw_status zr_bring_back(zw_sim *sim, double t, double *q, double *v)
{
    return bring_back(sim, t, sim->run->step.y, q, v, &sim->run->passage.kept_off);
}

/* ------------------------------------------------------------------------ nodes */

/* The state at a node becomes that of the simulation; *good: its equations can be solved. */
zw_status zr_show_node(zw_sim *sim, double t, bool *good)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    bool kept;
    ZB_TRY(zr_inner_state(sim, t));
    sim->t = t;
    memcpy(sim->q, run->step.y, sizeof *sim->q * n);
    memcpy(sim->v, run->step.y + n, sizeof *sim->v * n);
    if (run->solving.projects)
        (void)bring_back(sim, t, run->step.y, sim->q, sim->v, &kept);
    else
        kept = false;
    *good = !kept && clear_of_place(sim, t, sim->q, sim->v) >= find_clear(sim);
    return ZW_OK;
}

/* Moments about `place` by `apart`: on both sides, or on one; false: the step has no room. */
static bool lay_nodes(const zi_stepper *s, double place, double apart, double *node)
{
    int k = ZR_NODES, half = ZR_NODES / 2;
    if (place - half * apart >= s->t_old && place + half * apart <= s->t) {
        for (int i = 0; i < k; i++) {
            int away = i / 2 + 1; /* one on each side in turn */
            node[i] = place + (i % 2 ? 1 : -1) * away * apart;
        }
        return true;
    }
    int way = place - k * apart >= s->t_old ? -1 : place + k * apart <= s->t ? 1 : 0;
    for (int i = 0; i < k; i++) node[i] = place + way * (i + 1) * apart;
    return way != 0;
}

/* Nodes about the place, the nearest of them good, for a moment t among them. *found false: there
 * are none. */
static zw_status find_nodes(zw_sim *sim, double place, double t, double *node, bool *found)
{
    const zi_stepper *s = sim->run->step.stepper;
    double h = s->t - s->t_old;
    *found = false;
    for (int k = -22; k <= -2; k++) {
        bool first, second;
        double apart = ldexp(h, k);
        if (apart < 0.5 * fabs(t - place)) continue;
        if (!lay_nodes(s, place, apart, node)) return ZW_OK;
        ZB_TRY(zr_show_node(sim, node[0], &first));
        if (!first) continue;
        ZB_TRY(zr_show_node(sim, node[1], &second));
        *found = second;
        if (second) return ZW_OK;
    }
    return ZW_OK;
}

/* Rows may be nearly parallel for long, as those of a body far out on its slider, and there is no
 * place in the step: what is solved there is as sure as rounding over the square of the sine. */
static bool is_sure(const zw_sim *sim, double clear)
{
    double sine = well_clear * sim->run->settings.tol;
    return sim->run->passage.place_count == 0 && clear > fmax(still_sure, sine * sine);
}

/* Whether the equations at the simulation's state, which was shown last, cannot be solved to the
 * tolerance. Then zr_begin_nodes may help. */
bool zr_is_beside_place(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zi_stepper *s = run ? run->step.stepper : NULL;
    if (!zr_is_near_place(sim->run) || run->ending.failure != ZW_OK) return false;
    if (!(s->t_old <= sim->t && sim->t <= s->t && s->t_old < s->t)) return false;
    if (run->passage.kept_off) return true;
    double clear = clear_of_place(sim, sim->t, sim->q, sim->v);
    return clear < find_clear(sim) && !is_sure(sim, clear);
}

/* The place of the last step that is nearest to t, or t. */
static double find_nearest_place(const zr_passage *p, double t)
{
    double nearest = p->place_count > 0 ? p->place[0] : t;
    for (int32_t i = 1; i < p->place_count; i++)
        if (fabs(p->place[i] - t) < fabs(nearest - t)) nearest = p->place[i];
    return nearest;
}

zw_status zr_begin_nodes(zw_sim *sim, double *node, bool *found)
{
    zr_passage *p = &sim->run->passage;
    size_t n = (size_t)sim->zm->n;
    double place = find_nearest_place(p, sim->t);
    p->kept_t = sim->t;
    memcpy(p->kept, sim->q, sizeof *p->kept * n);
    memcpy(p->kept + n, sim->v, sizeof *p->kept * n);
    zw_status status = find_nodes(sim, place, sim->t, node, found);
    zr_end_nodes(sim);
    return status;
}

/* The state is again the one that was shown. */
void zr_end_nodes(zw_sim *sim)
{
    const zr_passage *p = &sim->run->passage;
    size_t n = (size_t)sim->zm->n;
    sim->t = p->kept_t;
    memcpy(sim->q, p->kept, sizeof *p->kept * n);
    memcpy(sim->v, p->kept + n, sizeof *p->kept * n);
}

/* ---------------------------------------------------------------- interpolation */

/* Lagrange's polynomial through the first `count` nodes, at t. */
static double interpolate(const double *node, const double *value, int count, double t)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        double weight = 1.0;
        for (int k = 0; k < count; k++)
            if (k != i) weight *= (t - node[k]) / (node[i] - node[k]);
        sum += weight * value[i];
    }
    return sum;
}

/* The limit at t of what has these values at the nodes; NaN where the outer ones do not follow from
 * the inner ones. nothing: differences below this are none. */
double zr_limit_of_nodes(const double *node, const double *value, double t, double nothing)
{
    enum { inner = ZR_NODES - 2 };
    double largest = 0.0;
    for (int i = 0; i < ZR_NODES; i++) largest = fmax(largest, fabs(value[i]));
    for (int i = inner; i < ZR_NODES; i++) {
        double off = fabs(interpolate(node, value, inner, node[i]) - value[i]);
        if (!(off <= 1e-3 * largest + nothing)) return (double)NAN;
    }
    return interpolate(node, value, ZR_NODES, t);
}
