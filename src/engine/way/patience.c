/*
 * A run ends: where what is left would take more steps than anyone waits for, it is given up. It is
 * judged by steps, not by seconds, so that every machine ends alike: after every thousand of them,
 * rejected ones included,
 *
 *     left = 1000 (until - t) / (t - t of a thousand steps before)
 *
 * Here is also what makes steps small: a stiff motion, a singular configuration, a force that
 * switches back and forth. The last is looked for by its effect, whatever the model's text says:
 * accelerations a little ahead and behind that differ, and go on to differ as the place between
 * them is narrowed down.
 */
#include <math.h>
#include <string.h>

#include "run.h"

enum { window = 1000, look_again = 128 };

/* Attempts at steps. */
static int64_t count_tries(const zw_sim *sim)
{
    const zi_counts *c = &sim->run->step.stepper->counts;
    return c->steps + c->rejected;
}

/* The length of the last step is small beside those before, and there are a million like it to
 * go. */
static bool are_steps_small(const zr_motion *run)
{
    const zi_stepper *step = run->step.stepper;
    double h = step->t - step->t_old;
    return h > 0.0 && h < 1e-5 * step->counts.largest && run->settings.until - step->t > 1e6 * h;
}

const char *zr_trouble(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    bool many = run->patience.left > 1e6, small = are_steps_small(run);
    if (run->patience.looked > 0 && run->patience.jumping >= 0 && (many || small))
        return "a force switches back and forth";
    if (run->step.stepper->stiff) return "the motion is stiff";
    if (run->step.bad_end) return "close to a singular configuration";
    if (small) return "the steps have become very small";
    return many ? "the steps are short" : NULL;
}

/* ------------------------------------------------------------------------- switches */

/* A *probe*: accelerations along the line of states y + s h y' from the end of the last step. */
typedef struct probe {
    zw_sim *sim;
    double t, h;
    const double *q, *v; /* [n] at s = 0 */
    double *z;           /* [n] there */
    double *state;       /* [2 n] scratch */
} probe;

/* The acceleration [n] at s; false: there is none. */
static bool look_along(const probe *p, double s, double *z)
{
    int32_t n = p->sim->zm->n;
    double *q = p->state, *v = q + n, by = s * p->h;
    for (int32_t i = 0; i < n; i++) {
        q[i] = p->q[i] + by * p->v[i];
        v[i] = p->v[i] + by * p->z[i];
    }
    return zr_acceleration_at(p->sim, p->t + by, q, v, z) == ZW_OK;
}

/* The entry in which a and b differ most for its own size; -1: in none by half of that, or only by
 * what is rounding beside the others. */
static int32_t find_jump(const double *a, const double *b, int32_t n)
{
    double size = 0.0, most = 0.5;
    int32_t which = -1;
    for (int32_t i = 0; i < n; i++) size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    for (int32_t i = 0; i < n; i++) {
        double own = fmax(fabs(a[i]), fabs(b[i])), off = fabs(a[i] - b[i]);
        if (!(off > most * own) || off <= 1e-9 * size) continue;
        most = off / own;
        which = i;
    }
    return which;
}

/* Between s = low and high, where entry i is z[0] and z[1]: does the difference stay as the place
 * is narrowed down to a millionth? Scratch: work [n]. */
static bool is_jump(const probe *p, double low, double high, int32_t i, double z[2], double *work)
{
    double whole = fabs(z[1] - z[0]);
    for (int k = 0; k < 20; k++) {
        double middle = low + 0.5 * (high - low);
        if (!look_along(p, middle, work)) return false;
        bool left = fabs(work[i] - z[0]) > fabs(z[1] - work[i]);
        if (left)
            high = middle, z[1] = work[i];
        else
            low = middle, z[0] = work[i];
    }
    return fabs(z[1] - z[0]) > 0.5 * whole;
}

/* Looks ahead and behind, nearer and farther. */
static int32_t find_switch(const probe *p, double *work, zr_patience *found)
{
    static const double far[] = {1.0, -1.0, 8.0, -8.0, 64.0};
    int32_t n = p->sim->zm->n;
    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        if (!look_along(p, far[k], work)) continue;
        int32_t i = find_jump(p->z, work, n);
        if (i < 0) continue;
        double z[2] = {p->z[i], work[i]};
        if (!is_jump(p, 0.0, far[k], i, z, work)) continue;
        found->before = z[0];
        found->after = z[1];
        return i;
    }
    return -1;
}

/* At the end of the last step. A run takes no memory: scratch is what only steps use. */
static int32_t look_for_switch(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    const zi_stepper *step = run->step.stepper;
    const double *y = zr_end_state(sim);
    double *kept = run->step.y, *work = run->step.force;
    probe p = {.sim = sim, .t = step->t, .h = step->t - step->t_old, .state = run->step.stage};
    if (!(p.h > 0.0)) return -1;
    memcpy(kept, y, sizeof *y * 2 * (size_t)n);
    p.q = kept;
    p.v = kept + n;
    p.z = run->step.z;
    zr_keep_trace(sim, &run->solving);
    int32_t found = -1;
    if (zr_acceleration_at(sim, p.t, p.q, p.v, p.z) == ZW_OK)
        found = find_switch(&p, work, &run->patience);
    zr_put_back_trace(sim, &run->solving);
    return found;
}

/* The answer is kept for a while. */
bool zr_switches(zw_sim *sim)
{
    zr_patience *x = &sim->run->patience;
    int64_t tries = count_tries(sim);
    if (x->looked == 0 || tries - x->looked >= (x->jumping >= 0 ? window : look_again)) {
        x->jumping = look_for_switch(sim);
        x->looked = tries > 0 ? tries : 1;
    }
    return x->jumping >= 0;
}

/* ------------------------------------------------------------------------- patience */

/* Costs some comparisons, but for every thousandth time. Runs without an end have nothing left. */
zw_status zr_mind_patience(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_patience *x = &run->patience;
    int64_t tries = count_tries(sim);
    if (are_steps_small(run)) (void)zr_switches(sim);
    if (tries - x->tries < window) return ZW_OK;
    double now = run->step.stepper->t, gone = now - x->t;
    double passed = (double)(tries - x->tries), rest = run->settings.until - now;
    x->left = rest > 0.0 ? rest / gone * passed : 0.0; /* infinite where time stands still */
    x->tries = tries;
    x->t = now;
    if (x->left > 1e6) (void)zr_switches(sim);
    bool out = run->settings.patience > 0.0 && x->left > run->settings.patience;
    return out ? ZW_ERR_PATIENCE : ZW_OK;
}
