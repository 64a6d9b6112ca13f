/*
 * The search for a state of rest. In a basis N of the displacements that the rows allow, orthonormal in M,
 *
 *     g = N^T (Q + C),     K = -N^T M (z along N)     force and stiffness there
 *
 * a step is N y with K y = g: Newton's, of least norm where K is singular. Where K is symmetric, as forces
 * of a potential make it, a direction that pushes on is followed downhill although its stiffness is negative,
 * so that what is found is stable where something stable is near; from a state that is at rest already
 * nothing moves. Steps are bounded by the sizes of the coordinates, end on the rows, and what has come to touch on
 * the way is held from there on. Contacts are as the laws have them at each state, with speeds 0.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ask_mode.h"
#include "contact_laws.h"
#include "friction.h"
#include "linalg.h"
#include "start.h"
#include "study.h"

enum { most_iterations = 400, most_halvings = 40 };

static double *take_scratch(zr_rest *rest, int64_t count)
{
    return ZB_NEW_ARRAY(&rest->scratch, double, (size_t)count + 1);
}

static double dot(const double *x, const double *y, int32_t count)
{
    double sum = 0.0;
    for (int32_t j = 0; j < count; j++) sum += x[j] * y[j];
    return sum;
}

/* ---------------------------------------------------------------------- one state */

/* g, with what rounding in the forces may make of each: that of the largest force in all of it. */
static void find_push(zr_rest *rest)
{
    const zw_sim *sim = rest->sim;
    int32_t n = sim->zm->n;
    double largest = 0.0;
    memset(rest->vary->f, 0, sizeof(double) * (size_t)n);
    for (int32_t j = 0; j < n; j++)
        rest->vary->f[j] = sim->Q[j] + (rest->vary->has_nonideal ? sim->C[j] : 0.0);
    for (int32_t j = 0; j < n; j++) largest = fmax(largest, fabs(rest->vary->f[j]));
    for (int32_t k = 0; k < rest->freedom; k++) {
        const double *row = rest->N + (size_t)k * (size_t)n;
        rest->g[k] = rest->noise[k] = 0.0;
        for (int32_t j = 0; j < n; j++) {
            rest->g[k] += row[j] * rest->vary->f[j];
            rest->noise[k] = fmax(rest->noise[k], fabs(row[j]) * largest);
        }
    }
}

/* Column k of K: one tangent. */
static zw_status find_stiffness(zr_rest *rest)
{
    zw_sim *sim = rest->sim;
    int32_t n = sim->zm->n, f = rest->freedom;
    double *force = take_scratch(rest, n);
    if (!force) return rest->scratch.failure;
    for (int32_t k = 0; k < f; k++) {
        zr_direction d = {.q = rest->N + (size_t)k * (size_t)n};
        ZB_TRY(zr_tangent(rest->vary, &d));
        memset(force, 0, sizeof *force * (size_t)n);
        zr_multiply_mass(sim, sim->M, rest->vary->dz, -1.0, force);
        for (int32_t i = 0; i < f; i++)
            rest->K[i * f + k] = dot(rest->N + (size_t)i * (size_t)n, force, n);
    }
    return ZW_OK;
}

/* Whether K is symmetric but for rounding; then its eigenvalues. */
static zw_status split_stiffness(zr_rest *rest)
{
    int32_t f = rest->freedom;
    double size = 0.0, skew = 0.0;
    double *S = take_scratch(rest, (int64_t)f * f);
    if (!S) return rest->scratch.failure;
    for (int32_t i = 0; i < f; i++) {
        for (int32_t j = 0; j < f; j++) {
            double a = rest->K[i * f + j], b = rest->K[j * f + i];
            size = fmax(size, fabs(a));
            skew = fmax(skew, fabs(a - b));
            S[i * f + j] = 0.5 * (a + b);
        }
    }
    rest->symmetric = skew <= 1e-9 * size;
    return za_symmetric_eigen(f, S, rest->s, rest->V);
}

zw_status zr_look_at_rest(zr_rest *rest)
{
    int64_t f;
    zb_arena_clear(&rest->scratch);
    ZB_TRY(zr_study_state(rest->sim, rest->twice, &rest->vary));
    ZB_TRY(zr_find_virtual(rest->vary, &rest->scratch, &rest->N, &rest->freedom));
    f = rest->freedom;
    rest->g = take_scratch(rest, f);
    rest->noise = take_scratch(rest, f);
    rest->K = take_scratch(rest, f * f);
    rest->s = take_scratch(rest, f);
    rest->V = take_scratch(rest, f * f);
    rest->y = take_scratch(rest, f);
    if (rest->scratch.failure != ZW_OK) return rest->scratch.failure;
    ZB_TRY(find_stiffness(rest));
    find_push(rest);
    return split_stiffness(rest);
}

/* ----------------------------------------------------------------------- solving */

/* By singular values: those below rounding are left out. */
static zw_status divide_by_any(zr_rest *rest, const double *g, double *y)
{
    int32_t f = rest->freedom;
    double *U = take_scratch(rest, (int64_t)f * f), *V = take_scratch(rest, (int64_t)f * f);
    double *s = take_scratch(rest, f), *work = take_scratch(rest, (int64_t)za_svd_work(f, f));
    if (rest->scratch.failure != ZW_OK) return rest->scratch.failure;
    ZB_TRY(za_svd(f, f, rest->K, U, s, V, work));
    memset(y, 0, sizeof *y * (size_t)f);
    for (int32_t k = 0; k < f && s[k] > 1e-12 * s[0]; k++) {
        double along = 0.0;
        for (int32_t i = 0; i < f; i++) along += U[i * f + k] * g[i];
        for (int32_t i = 0; i < f; i++) y[i] += V[i * f + k] * along / s[k];
    }
    return ZW_OK;
}

zw_status zr_divide_by_stiffness(zr_rest *rest, const double *g, double *y)
{
    int32_t f = rest->freedom;
    if (f == 0) return ZW_OK;
    if (!rest->symmetric) return divide_by_any(rest, g, y);
    double largest = fmax(fabs(rest->s[0]), fabs(rest->s[f - 1]));
    memset(y, 0, sizeof *y * (size_t)f);
    for (int32_t k = 0; k < f; k++) {
        const double *v = rest->V + (size_t)k * (size_t)f;
        if (!(fabs(rest->s[k]) > 1e-11 * largest)) continue;
        double along = dot(v, g, f) / rest->s[k];
        for (int32_t i = 0; i < f; i++) y[i] += along * v[i];
    }
    return ZW_OK;
}

/* Whether what pushes is more than rounding. */
static bool is_pushed(const zr_rest *rest, double tolerance)
{
    for (int32_t k = 0; k < rest->freedom; k++)
        if (fabs(rest->g[k]) > tolerance * rest->noise[k]) return true;
    return false;
}

/* Downhill: along each direction of a symmetric K by g over its stiffness without its sign; where
 * there is none, as far as a step may go. */
static void choose_downhill(zr_rest *rest)
{
    int32_t f = rest->freedom;
    double largest = f > 0 ? fmax(fabs(rest->s[0]), fabs(rest->s[f - 1])) : 0.0;
    memset(rest->y, 0, sizeof *rest->y * (size_t)f);
    for (int32_t k = 0; k < f; k++) {
        const double *v = rest->V + (size_t)k * (size_t)f;
        double along = dot(v, rest->g, f), noise = 0.0;
        for (int32_t i = 0; i < f; i++) noise += fabs(v[i]) * rest->noise[i];
        if (fabs(along) <= 1e-14 * noise) continue;
        double stiffness = fmax(fabs(rest->s[k]), 1e-9 * largest);
        if (!(stiffness > 0.0)) stiffness = noise * 1e-3;
        for (int32_t i = 0; i < f; i++) rest->y[i] += along / stiffness * v[i];
    }
}

/* rest->step [n] = N y, at most rest->radius in sizes; the share of it that is left. */
static void bound_step(zr_rest *rest)
{
    int32_t n = rest->sim->zm->n;
    double farthest = 0.0;
    memset(rest->step, 0, sizeof *rest->step * (size_t)n);
    for (int32_t k = 0; k < rest->freedom; k++)
        for (int32_t j = 0; j < n; j++)
            rest->step[j] += rest->y[k] * rest->N[(size_t)k * (size_t)n + (size_t)j];
    for (int32_t j = 0; j < n; j++) farthest = fmax(farthest, fabs(rest->step[j]) / rest->size[j]);
    if (!(farthest > rest->radius)) return;
    for (int32_t j = 0; j < n; j++) rest->step[j] *= rest->radius / farthest;
}

/* ------------------------------------------------------------------------- a step */

/* Whether a contact that is open at the simulation's state has gone through. */
static bool is_any_through(zw_sim *sim)
{
    if (!sim->contacts) return false;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_gaps(sim, &s);
    for (int32_t k = 0; k < sim->contacts->laws->contacts; k++)
        if (sim->contacts->mode.touch[k] == ZR_OPEN && sim->contacts->gap[k] < 0.0 &&
            sim->row_kind[sim->zm->contacts[k].row] == ZM_HOLONOMIC)
            return true;
    return false;
}

/* The state moved by the step and brought onto the rows that hold, then onto what it has gone through. */
static zw_status move_state(zr_rest *rest, bool *touched)
{
    zw_sim *sim = rest->sim;
    int32_t n = sim->zm->n;
    for (int32_t j = 0; j < n; j++) {
        sim->q[j] = rest->q[j] + rest->step[j];
        sim->v[j] = 0.0;
    }
    ZB_TRY(zr_open_sides(sim));
    ZB_TRY(zr_project(sim, NULL, sim->t, sim->q, sim->v, false));
    *touched = is_any_through(sim);
    if (*touched) ZB_TRY(zr_project_with_contacts(sim));
    for (int32_t j = 0; j < n; j++) sim->v[j] = 0.0;
    if (sim->contacts) sim->contacts->decided = false;
    return ZW_OK;
}

static void put_back(zr_rest *rest, const double *q)
{
    zw_sim *sim = rest->sim;
    memcpy(sim->q, q, sizeof *q * (size_t)sim->zm->n);
    if (sim->contacts) sim->contacts->decided = false;
}

/* The work that the forces at the simulation's state do along the step that led there. */
static zw_status work_along(zr_rest *rest, double *work)
{
    zw_sim *sim = rest->sim;
    zw_gauss_answer answer = {.acceleration = rest->vary->dz};
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    ZB_TRY(zr_ready_mode(sim));
    ZB_TRY(zr_solve_at(sim, &s, &answer)); /* M z: the forces without those of the rows */
    *work = 0.0;
    memset(rest->vary->f, 0, sizeof(double) * (size_t)sim->zm->n);
    zr_multiply_mass(sim, sim->M, rest->vary->dz, 1.0, rest->vary->f);
    for (int32_t j = 0; j < sim->zm->n; j++) *work += rest->vary->f[j] * (sim->q[j] - rest->q[j]);
    return ZW_OK;
}

/* z^T M z at the simulation's state: how much it is pushed. */
static zw_status push_at(zr_rest *rest, double *push)
{
    zr_vary *vary = rest->vary;
    int32_t n = rest->sim->zm->n;
    ZB_TRY(work_along(rest, push));
    *push = dot(vary->f, vary->dz, n);
    return ZW_OK;
}

/* Moves by the step, shorter where it goes too far: past the bottom by more than it came from, or, of
 * forces without a potential, to where more pushes. *moved false: no length would do. */
static zw_status try_step(zr_rest *rest, bool *moved)
{
    double before = 0.0, after, push = dot(rest->g, rest->g, rest->freedom);
    int32_t n = rest->sim->zm->n;
    for (int32_t k = 0; k < rest->freedom; k++) before += rest->g[k] * rest->y[k];
    *moved = false;
    for (int32_t k = 0; k < most_halvings && !*moved; k++) {
        bool touched = false;
        zw_status status = move_state(rest, &touched);
        if (zr_is_memory(status)) return status;
        bool good = status == ZW_OK;
        if (good && rest->symmetric) {
            good = touched || (work_along(rest, &after) == ZW_OK && after >= -0.5 * fabs(before));
        } else if (good) {
            good = touched || (push_at(rest, &after) == ZW_OK && after < push);
        }
        *moved = good;
        if (good) break;
        put_back(rest, rest->q);
        (void)zr_ready_mode(rest->sim);
        for (int32_t j = 0; j < n; j++) rest->step[j] *= 0.4;
        before *= 0.4;
        rest->radius *= 0.4;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ failures */

/* The coordinate along which the rest of the force pushes most. */
static int32_t find_most_pushed(const zr_rest *rest, double *push)
{
    const zw_sim *sim = rest->sim;
    int32_t worst = 0;
    *push = 0.0;
    for (int32_t j = 0; j < sim->zm->n; j++) {
        double along = 0.0;
        for (int32_t k = 0; k < rest->freedom; k++)
            along += rest->g[k] * rest->N[(size_t)k * (size_t)sim->zm->n + (size_t)j];
        if (fabs(along) > fabs(*push)) *push = along, worst = j;
    }
    return worst;
}

static zw_status report_no_rest(zr_rest *rest)
{
    double push;
    zw_sim *sim = rest->sim;
    int32_t worst = find_most_pushed(rest, &push);
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_printf(&text, "no state of rest was found in %d steps: at the nearest one `",
                   (int)rest->iterations);
    zm_coordinate_text(sim->zm, worst, &text);
    zb_text_add(&text, "` = ");
    zr_text_short(&text, sim->q[worst]);
    zb_text_add(&text, " is still accelerated by ");
    zr_text_short(&text, push);
    return zr_refuse_study(
        sim, "E0736",
        "begin nearer to it by --state, hold what has no force against it, or look "
        "at forces that never vanish",
        &text, ZW_ERR_START);
}

/* Rows that move by themselves, or ask for an acceleration: there is no rest. */
static zw_status check_rows_rest(zr_rest *rest)
{
    zw_sim *sim = rest->sim;
    int32_t m = sim->zm->m;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_levels(sim, &s);
    for (int32_t i = 0; i < m; i++) {
        if (sim->contacts && sim->contacts->off[i]) continue;
        bool moves = sim->row_kind[i] != ZM_ACCELERATION &&
                     fabs(sim->level[m + i]) > 1e-12 * (1.0 + sim->level[3 * m + i]);
        if (!moves && !(fabs(sim->b[i]) > 1e-11)) continue;
        zb_text text;
        zb_text_init(&text, sim->memory);
        zb_text_add(&text, "there is no state of rest: the constraint ");
        zr_text_row(sim->model, i, &text);
        zb_text_add(&text, moves ? " moves" : " asks for an acceleration");
        return zr_refuse_study(sim, "E0736", "choose a time by --time at which it stands still",
                               &text, ZW_ERR_START);
    }
    return ZW_OK;
}

/* Something that the laws of friction do not hold is no rest. */
static zw_status report_slip(zr_rest *rest)
{
    zb_text text;
    zb_text_init(&text, rest->sim->memory);
    zb_text_add(&text, "there is no state of rest here: friction does not hold what would slide");
    return zr_refuse_study(rest->sim, "E0736",
                           "a larger coefficient of friction would hold it, or another place",
                           &text, ZW_ERR_START);
}

/* ---------------------------------------------------------------------- the search */

static zw_status take_rest_arrays(zr_rest *rest)
{
    size_t n = (size_t)rest->sim->zm->n;
    rest->size = ZB_NEW_ARRAY(rest->arena, double, n);
    rest->q = ZB_NEW_ARRAY(rest->arena, double, n);
    rest->step = ZB_NEW_ARRAY(rest->arena, double, n);
    return rest->arena->failure;
}

/* One look and one step; *done: nothing pushes. */
static zw_status improve_rest(zr_rest *rest, bool *done)
{
    zw_sim *sim = rest->sim;
    bool moved = false;
    ZB_TRY(zr_ready_mode(sim));
    if (zr_any_slides(sim)) return report_slip(rest);
    ZB_TRY(zr_look_at_rest(rest));
    *done = !is_pushed(rest, 2e-14);
    if (*done) return ZW_OK;
    bool close = !is_pushed(rest, 1e-6); /* then by Newton's own step, whatever it leads to */
    if (rest->symmetric && !close)
        choose_downhill(rest);
    else
        ZB_TRY(zr_divide_by_stiffness(rest, rest->g, rest->y));
    if (rest->symmetric && close && dot(rest->y, rest->y, rest->freedom) == 0.0)
        choose_downhill(rest);
    memcpy(rest->q, sim->q, sizeof *rest->q * (size_t)sim->zm->n);
    bound_step(rest);
    double length = 0.0;
    for (int32_t j = 0; j < sim->zm->n; j++)
        length = fmax(length, fabs(rest->step[j]) / rest->size[j]);
    if (close && length < 1e-15) {
        *done = true;
        return ZW_OK;
    }
    ZB_TRY(try_step(rest, &moved));
    rest->radius = fmin(2.0 * rest->radius, 1e6);
    if (!moved && close) *done = true; /* what is left is rounding */
    return moved || *done ? ZW_OK : report_no_rest(rest);
}

/* Newton's step once more, with what the rows are still off by: a projection ends at its tolerance. */
static zw_status polish_rest(zr_rest *rest)
{
    zw_sim *sim = rest->sim;
    zr_vary *vary = rest->vary;
    int32_t n = sim->zm->n, m = sim->zm->m;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_level(sim, ZR_POSITION, &s);
    for (int32_t i = 0; i < m; i++) {
        bool holds = sim->row_kind[i] == ZM_HOLONOMIC && !(sim->contacts && sim->contacts->off[i]);
        vary->b[i] = holds ? -sim->level[i] : 0.0;
    }
    memset(vary->f, 0, sizeof *vary->f * (size_t)n);
    ZB_TRY(zr_vary_solve(vary, vary->f, vary->b, rest->step, vary->g));
    ZB_TRY(zr_divide_by_stiffness(rest, rest->g, rest->y));
    for (int32_t k = 0; k < rest->freedom; k++)
        for (int32_t j = 0; j < n; j++)
            rest->step[j] += rest->y[k] * rest->N[(size_t)k * (size_t)n + (size_t)j];
    for (int32_t j = 0; j < n; j++)
        if (!(fabs(rest->step[j]) <= 1e-6 * rest->size[j])) return ZW_OK; /* no polish */
    for (int32_t j = 0; j < n; j++) sim->q[j] += rest->step[j];
    return zr_look_at_rest(rest);
}

zw_status zr_find_rest(zr_rest *rest)
{
    bool done = false;
    zw_sim *sim = rest->sim;
    ZB_TRY(take_rest_arrays(rest));
    memset(rest->step, 0, sizeof *rest->step * (size_t)sim->zm->n);
    zr_sim_set_state(sim, sim->t, NULL, rest->step); /* at rest; a run ends */
    zr_local_sizes(sim, rest->size);
    rest->radius = 0.25;
    double last = HUGE_VAL;
    for (rest->iterations = 0; !done && rest->iterations < most_iterations; rest->iterations++) {
        ZB_TRY(improve_rest(rest, &done));
        double push = sqrt(dot(rest->g, rest->g, rest->freedom));
        if (!done && !is_pushed(rest, 1e-11) && push >= 0.5 * last) done = true; /* rounding */
        last = push;
    }
    ZB_TRY(zr_ready_mode(sim));
    if (zr_any_slides(sim)) return report_slip(rest);
    ZB_TRY(zr_look_at_rest(rest));
    for (int round = 0; round < 2; round++) ZB_TRY(polish_rest(rest));
    if (is_pushed(rest, 1e-9)) return report_no_rest(rest);
    return check_rows_rest(rest);
}
