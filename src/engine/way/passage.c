/*
 * Whether a step has passed a *singular place*, a state at which rows that are independent almost
 * everywhere depend on each other: cranks that lie flat, a curve where it crosses itself. There
 * motions branch, and steps are so long that both their ends may be far from it.
 *
 * There the part r_k of a row at right angles to those before it goes through 0, and has turned
 * afterwards, which rows before and after the step tell (row_turns.c). A long step turns r_k as
 * well: then the step is halved by the dense output, which passes the place itself at a distance of
 * some tolerances, and what counts is how small r_k becomes where it turns, beside the largest that
 * its row has been.
 *
 * Of dependent rows a set is looked at that has the generic rank. The *share* of rows at the place
 * is u with u^T A = 0. Where u^T phi is not 0 there, as nearly as the tolerance tells, the motion
 * has not met the place but jumped past it: then it may go on along another branch.
 *
 * Nothing of the motion depends on this. Beyond `most_rows` independent rows nothing is looked for.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

enum { most_rows = 150, most_places = 4, most_halvings = 30 };
static const double few_tolerances = 10.0; /* what the error of a step may move a coordinate by */

/* ------------------------------------------------------------------ opening, following */

/* The factor of as many rows, in one block; zeros. */
static void take_factor(zr_motion *run, int32_t rank)
{
    za_growing *f = &run->passage.factor;
    f->ld = za_pad4(rank);
    size_t ld = (size_t)f->ld, size = (size_t)rank * ld;
    double *block = zb_arena_take(&run->arena, sizeof(double) * (2 * size + 3 * ld), ZA_ALIGN);
    run->passage.kernels = za_kernels_best();
    if (!block) return;
    f->lower = block;
    f->upper = f->lower + size;
    f->row = f->upper + size;
    f->column = f->row + ld;
    f->pivots = f->column + ld;
}

/* From the run's arena; nothing where nothing will be looked for. */
zw_status zr_open_passage(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_passage *p = &run->passage;
    size_t m = (size_t)sim->zm->m, n = (size_t)sim->zm->n, entries = (size_t)sim->model->A.count;
    int32_t rank = run->solving.generic_rank;
    if (rank <= 0 || rank > most_rows || entries == 0) return ZW_OK;
    p->row = ZB_NEW_ARRAY(&run->arena, int32_t, 2 * (size_t)rank);
    p->first = ZB_NEW_ARRAY(&run->arena, int32_t, rank);
    p->column_start = ZB_NEW_ARRAY(&run->arena, int32_t, n + 2);
    p->crossing = ZB_NEW_ARRAY(&run->arena, zr_crossing, entries);
    if (rank < sim->zm->m) p->chosen = ZB_NEW_ARRAY(&run->arena, double, (size_t)rank *m);
    p->share = ZB_NEW_ARRAY(&run->arena, double, m);
    p->length = ZB_NEW_ARRAY(&run->arena, double, m);
    p->size = ZB_NEW_ARRAY(&run->arena, double, m);
    p->kept = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    p->entry = ZB_NEW_ARRAY(&run->arena, double, n);
    p->concerned = ZB_NEW_ARRAY(&run->arena, bool, m);
    take_factor(run, rank);
    p->spread = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    p->weight = ZB_NEW_ARRAY(&run->arena, double, n);
    p->entry_weight = ZB_NEW_ARRAY(&run->arena, double, entries);
    p->change_weight = ZB_NEW_ARRAY(&run->arena, double, entries);
    for (int k = 0; k < ZR_PASSAGE_SETS; k++) p->A[k] = ZB_NEW_ARRAY(&run->arena, double, entries);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    for (size_t j = 0; j < n; j++)
        p->weight[j] = run->step.inertia[j] > 0.0 ? 1.0 / sqrt(run->step.inertia[j]) : 1.0;
    for (size_t k = 0; k < entries; k++) p->entry_weight[k] = p->weight[sim->model->A.column[k]];
    if (!p->chosen) zr_follow_all_rows(sim);
    p->open = true;
    return ZW_OK;
}

/* The state at t inside the last step, in run->step.y; what that evaluates is not counted. */
static zw_status look_inside(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zi_counts counts = run->step.stepper->counts;
    int64_t taken[ZR_ROAD_COUNT], singular = run->solving.singular;
    memcpy(taken, run->solving.taken, sizeof taken);
    zw_status status = zr_inner_state(sim, t);
    run->step.stepper->counts = counts;
    memcpy(run->solving.taken, taken, sizeof taken);
    run->solving.singular = singular;
    return status;
}

/* Values of A into one of the sets, in the metric of the inertias: angles between rows are the same
 * in whatever units. */
void zr_take_rows(const zw_sim *sim, const double *values, double *to)
{
    const double *weight = sim->run->passage.entry_weight;
    for (int32_t k = 0; k < sim->model->A.count; k++) to[k] = values[k] * weight[k];
}

/* A at a state, into one of the sets. */
static void read_rows_at(zw_sim *sim, double t, const double *y, double *to)
{
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_forget_factor(sim);
    zr_evaluate_rows(sim, &s);
    zr_take_rows(sim, sim->A, to);
}

/* A at a time inside the last step, into one of the sets. */
static zw_status read_rows_inside(zw_sim *sim, double t, double *to)
{
    ZB_TRY(look_inside(sim, t));
    read_rows_at(sim, t, sim->run->step.y, to);
    return ZW_OK;
}

/* Whether the last acceleration was that of the end of the step: the methods that are pairs ask for it
 * there at last, unless conditions were held, or a stage was brought onto the constraints. */
static bool is_last_at_end(const zw_sim *sim)
{
    const zr_stepping *step = &sim->run->step;
    const zi_stepper *s = step->stepper;
    return s->method->pair && !s->dense_ready && !step->was_careful &&
           sim->run->switching.count == 0;
}

/* A at the end of the step, not weighted yet: as the acceleration has left it there, where it did. */
static const double *read_rows_at_end(zw_sim *sim)
{
    const zr_solver *solver = sim->solver;
    bool last = is_last_at_end(sim);
    if (last && solver->road == ZR_FUSED && solver->fused_fresh)
        return solver->fused_out + solver->form->places.A;
    if (last && solver->road != ZR_FUSED && sim->A_fresh) return sim->A;
    const double *y = zr_end_state(sim);
    zk_source s = zr_source(sim, sim->run->step.stepper->t, y, y + sim->zm->n);
    zr_forget_factor(sim);
    zr_evaluate_rows(sim, &s);
    return sim->A;
}

/* What a change of each entry weighs from now on: beside the length of its row. The largest lengths
 * are kept. */
static void weigh_changes(const zw_sim *sim)
{
    const zr_pattern *A = &sim->model->A;
    const zr_passage *p = &sim->run->passage;
    const double *before = p->A[ZR_BEFORE];
    for (int32_t i = 0; i < A->rows; i++) {
        double size = 0.0;
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) size += before[k] * before[k];
        if (size > p->size[i]) p->size[i] = size;
        double by = size > 1e-200 ? 1.0 / sqrt(size) : 1e100;
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) p->change_weight[k] = by;
    }
}

/* How much rows have changed since they were compared last: the squares of parts of their lengths,
 * all together. Four sums, for one would be waited for. */
static double measure_changes(const zw_sim *sim, const double *values)
{
    const zr_passage *p = &sim->run->passage;
    const double *before = p->A[ZR_BEFORE], *weight = p->entry_weight, *by = p->change_weight;
    int32_t count = sim->model->A.count, k = 0;
    double sum[4] = {0.0};
    for (; k + 4 <= count; k += 4)
        for (int32_t l = k; l < k + 4; l++) {
            double change = (values[l] * weight[l] - before[l]) * by[l];
            sum[l - k] += change * change;
        }
    for (; k < count; k++) {
        double change = (values[k] * weight[k] - before[k]) * by[k];
        sum[0] += change * change;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* --------------------------------------------------------------------- the place */

/* A stretch of the last step in which a row turns. */
typedef struct stretch {
    double left, right;
    double *at_left, *at_right, *between; /* A */
} stretch;

static void swap_sets(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* Halves the stretch as long as a row turns in one of its halves. *found: that goes on to the end,
 * or to where it hardly has a part of its own; otherwise rows have only turned. */
static zw_status narrow_down(zw_sim *sim, stretch *x, bool *found)
{
    *found = true;
    for (int k = 0; k < most_halvings; k++) {
        double middle = 0.5 * (x->left + x->right);
        if (!(x->left < middle && middle < x->right)) return ZW_OK;
        ZB_TRY(read_rows_inside(sim, middle, x->between));
        if (!(zr_compare_rows(sim, x->at_left, x->between) > 0.0)) {
            x->right = middle;
            swap_sets(&x->at_right, &x->between);
        } else if (!(zr_compare_rows(sim, x->between, x->at_right) > 0.0)) {
            x->left = middle;
            swap_sets(&x->at_left, &x->between);
        } else {
            *found = zr_smallest_pivot(sim, x->between) < zr_close_to_dependent;
            return ZW_OK;
        }
    }
    return ZW_OK;
}

/* |u^T A| */
static double combine_rows(const zw_sim *sim, const double *a)
{
    const zr_pattern *A = &sim->model->A;
    const zr_passage *p = &sim->run->passage;
    double *x = p->spread, size = 0.0;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = A->start[p->row[i]]; k < A->start[p->row[i] + 1]; k++)
            x[A->column[k]] += p->share[i] * a[k];
    for (int32_t j = 0; j < A->columns; j++) size += x[j] * x[j];
    memset(x, 0, sizeof *x * (size_t)A->columns);
    return sqrt(size);
}

/* u^T phi at the state in run->step.y, 0 where it is rounding; NaN where u has rows that are not
 * holonomic. */
static double combine_levels(zw_sim *sim, double t)
{
    const zr_passage *p = &sim->run->passage;
    const double *y = sim->run->step.y;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    double sum = 0.0, size = 0.0;
    zr_evaluate_level(sim, ZR_POSITION, &s);
    for (int32_t i = 0; i < p->count; i++) {
        if (p->share[i] != 0.0 && sim->row_kind[p->row[i]] != ZM_HOLONOMIC) return (double)NAN;
        sum += p->share[i] * sim->level[p->row[i]];
        size += fabs(p->share[i]) * sim->level[2 * sim->zm->m + p->row[i]];
    }
    return fabs(sum) > 100.0 * DBL_EPSILON * size ? sum : 0.0;
}

/* By how many tolerances of the positions the motion has missed the place at t: near it u^T phi
 * is quadratic, with |u^T A'| |v| as its second derivative in time. 0 where nothing is known. */
static zw_status measure_miss(zw_sim *sim, double t, double *between, double *miss)
{
    const zr_motion *run = sim->run;
    const zi_stepper *s = run->step.stepper;
    const double *y = run->step.y;
    double by = 1e-3 * (s->t - s->t_old), speed = 0.0, most = 0.0;
    const double *absolute = zr_model_order(sim, zi_absolute(s));
    int32_t n = sim->zm->n;
    *miss = 0.0;
    ZB_TRY(read_rows_inside(sim, t + by < s->t ? t + by : t - by, between));
    double slope = combine_rows(sim, between) / by;
    ZB_TRY(look_inside(sim, t));
    double off = fabs(combine_levels(sim, t));
    for (int32_t i = 0; i < n; i++) {
        double v = y[n + i] / run->passage.weight[i];
        speed += v * v;
    }
    double late = sqrt(2.0 * off / (slope * sqrt(speed)));
    for (int32_t i = 0; i < n; i++) {
        double scale = absolute[i] + run->settings.tol * fabs(y[i]);
        most = fmax(most, late * fabs(y[n + i]) / scale);
    }
    if (isfinite(most)) *miss = most;
    return ZW_OK;
}

/* Dense output is off by some tolerances; what is beyond is another motion. */
static const double most_missed = 300.0;

/* A place at `t` is put on record; A there is `a`. */
static zw_status record_place(zw_sim *sim, double t, const double *a, double *between)
{
    zr_motion *run = sim->run;
    double miss = 0.0;
    zr_find_place_shares(sim, a);
    ZB_TRY(measure_miss(sim, t, between, &miss));
    if (run->stats.passages++ == 0) run->stats.first_passage = t;
    if (miss > most_missed && isnan(run->stats.first_unsure)) run->stats.first_unsure = t;
    if (run->passage.place_count < ZR_MOST_PLACES)
        run->passage.place[run->passage.place_count++] = t;
    return ZW_OK;
}

/* All places between x->left and `end`, where A is `at_end`. */
static zw_status find_places(zw_sim *sim, stretch *x, double end, const double *at_end)
{
    const zi_stepper *s = sim->run->step.stepper;
    size_t bytes = sizeof(double) * (size_t)sim->model->A.count;
    for (int k = 0; k < most_places && x->left < end; k++) {
        bool found = false;
        if (zr_compare_rows(sim, x->at_left, at_end) > 0.0) break;
        memcpy(x->at_right, at_end, bytes);
        x->right = end;
        ZB_TRY(narrow_down(sim, x, &found));
        if (!found) break;
        if (zr_choose_rows(sim, x->at_right)) continue; /* others are not dependent there */
        double next = fmin(x->right + 1e-6 * (s->t - s->t_old), end);
        bool start = x->right - sim->run->record.start_t <= next - x->right; /* it has its remark */
        if (!start) ZB_TRY(record_place(sim, x->right, x->at_right, x->between));
        ZB_TRY(read_rows_inside(sim, next, x->at_left));
        x->left = next;
    }
    memcpy(x->at_left, at_end, bytes);
    x->left = end;
    return ZW_OK;
}

/* ------------------------------------------------------------------- long steps */

enum { fewest_pieces = 16, most_pieces = 1024 };
static const double long_turn = 1.0; /* radians */

/* The largest angle between a row of one matrix and the same of another. */
static double measure_turn(const zw_sim *sim, const double *a, const double *b)
{
    const zr_pattern *A = &sim->model->A;
    double most = 0.0;
    for (int32_t i = 0; i < A->rows; i++) {
        double aa = 0.0, bb = 0.0, ab = 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            aa += a[p] * a[p];
            bb += b[p] * b[p];
            ab += a[p] * b[p];
        }
        if (aa * bb > 0.0) most = fmax(most, acos(fmin(ab / sqrt(aa * bb), 1.0)));
    }
    return most;
}

/* How far rows turn from the beginning of the step to `end`, over pieces that are doubled until
 * each is short. */
static zw_status measure_turns(zw_sim *sim, double end, int *pieces, double *turn)
{
    zr_passage *p = &sim->run->passage;
    double *last = p->A[ZR_LEFT], *next = p->A[ZR_RIGHT];
    double begin = sim->run->step.stepper->t_old, step, worst;
    for (*pieces = fewest_pieces;; *pieces *= 2) {
        *turn = worst = 0.0;
        memcpy(last, p->A[ZR_BEFORE], sizeof *last * (size_t)sim->model->A.count);
        step = (end - begin) / *pieces;
        for (int k = 1; k <= *pieces; k++) {
            ZB_TRY(read_rows_inside(sim, k < *pieces ? begin + k * step : end, next));
            double part = measure_turn(sim, last, next);
            *turn += part;
            worst = fmax(worst, part);
            swap_sets(&last, &next);
        }
        if (worst < 0.5 * long_turn || *pieces >= most_pieces) return ZW_OK;
    }
}

/* How long a step may be without being measured, after one of length h in which rows turned by
 * `turn`: up to four times longer, as long as they would turn no further than half of far. */
static double find_short_step(double h, double turn)
{
    return h * fmin(fmax(0.5 * long_turn / turn, 1.0), 4.0);
}

/* Only steps longer than those before are measured, and not where the ends hardly differ although
 * the step is not much longer. */
static bool may_be_long(const zw_sim *sim, double end)
{
    zr_passage *p = &sim->run->passage;
    double h = end - sim->run->step.stepper->t_old;
    if (h <= 1.1 * p->short_step) return false;
    if (p->short_step > 0.0 && h > 4.0 * p->short_step) return true;
    double turn = measure_turn(sim, p->A[ZR_BEFORE], p->A[ZR_AFTER]);
    if (turn > 0.25 * long_turn) return true;
    p->short_step = find_short_step(h, turn);
    return false;
}

/* A step in which rows turn far may pass several places, which its ends do not tell: it is looked
 * at in pieces. */
static zw_status find_places_of_step(zw_sim *sim, double end, bool may_turn)
{
    zr_passage *p = &sim->run->passage;
    double begin = sim->run->step.stepper->t_old, turn = 0.0;
    int pieces = 1;
    if (may_turn) ZB_TRY(measure_turns(sim, end, &pieces, &turn));
    if (turn < long_turn) {
        if (may_turn) p->short_step = find_short_step(end - begin, turn);
        pieces = 1;
    }
    stretch x = {begin, end, p->A[ZR_LEFT], p->A[ZR_RIGHT], p->A[ZR_BETWEEN]};
    memcpy(x.at_left, p->A[ZR_BEFORE], sizeof(double) * (size_t)sim->model->A.count);
    for (int k = 1; k < pieces; k++) {
        double t = begin + k * (end - begin) / pieces;
        ZB_TRY(read_rows_inside(sim, t, p->A[ZR_PIECE]));
        ZB_TRY(find_places(sim, &x, t, p->A[ZR_PIECE]));
    }
    ZB_TRY(find_places(sim, &x, end, p->A[ZR_AFTER]));
    const double *y = zr_end_state(sim);
    zk_source at = zr_source(sim, sim->run->step.stepper->t, y, y + sim->zm->n);
    zr_evaluate_levels(sim, &at); /* as the step has left them */
    return ZW_OK;
}

/* ------------------------------------------------------------------------- a stay
 *
 * Small steps may end one after the other close to a place. There the velocities have no time to
 * change; where they have all the same the motion has turned into another branch. With a clear
 * distance from the place that is the motion's own turn; without, it was rounding that chose. */

static const double begins_stay = 1e-6, ends_stay = 1e-4; /* squares of sines */

/* How much the velocities have changed since the stay began, beside the larger of the two. */
static double measure_change(const zw_sim *sim, const double *v)
{
    const double *entry = sim->run->passage.entry;
    double change = 0.0, before = 0.0, after = 0.0;
    for (int32_t i = 0; i < sim->zm->n; i++) {
        change += (v[i] - entry[i]) * (v[i] - entry[i]);
        before += entry[i] * entry[i];
        after += v[i] * v[i];
    }
    return sqrt(change / fmax(fmax(before, after), DBL_MIN));
}

static void end_stay(zw_sim *sim, const double *v)
{
    zr_motion *run = sim->run;
    zr_passage *p = &run->passage;
    double sine = 1e3 * run->settings.tol;
    p->stays = false;
    if (measure_change(sim, v) < 0.1) return;
    if (run->stats.passages == 0) run->stats.first_passage = p->nearest;
    run->stats.passages++;
    bool unsure = p->closest < fmin(fmax(sine * sine, 1e-13), begins_stay);
    if (unsure && isnan(run->stats.first_unsure)) run->stats.first_unsure = p->nearest;
}

/* The smallest square of a sine of rows at the end of the last look, `a`, not a bound of it. */
static double find_clear(const zw_sim *sim, const double *a)
{
    zr_passage *p = &sim->run->passage;
    if (!p->clear_known) p->clear = zr_smallest_pivot(sim, a);
    p->clear_known = true;
    return p->clear;
}

/* After a step that ends at `end`. */
static zw_status watch_stay(zw_sim *sim, double end)
{
    zr_passage *p = &sim->run->passage;
    size_t n = (size_t)sim->zm->n;
    if (!p->stays && p->pivot > 1e-3) return ZW_OK;
    double clear = find_clear(sim, p->A[ZR_AFTER]);
    bool started = sim->run->step.stepper->t_old > sim->run->record.start_t;
    if (!p->stays && clear < begins_stay && started) {
        ZB_TRY(look_inside(sim, sim->run->step.stepper->t_old));
        memcpy(p->entry, sim->run->step.y + n, sizeof *p->entry * n);
        p->stays = true;
        p->closest = 1.0;
        zr_find_place_shares(sim, p->A[ZR_AFTER]);
    }
    if (p->stays && clear < p->closest) {
        p->closest = clear;
        p->nearest = end;
    }
    if (p->stays && clear > ends_stay) {
        ZB_TRY(look_inside(sim, end));
        end_stay(sim, sim->run->step.y + n);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ a step */

/* Whether the last step has moved no coordinate by more than a few tolerances: its own error. */
static bool is_at_rest(zw_sim *sim)
{
    zr_motion *run = sim->run;
    const zi_stepper *s = run->step.stepper;
    double tol = run->settings.tol, h = s->t - s->t_old;
    int32_t n = sim->zm->n;
    const double *y = zr_end_state(sim), *absolute = zi_absolute(s);
    if (run->step.in_lanes) { /* both share an array there */
        memcpy(run->step.y, y, sizeof *y * 2 * (size_t)n);
        y = run->step.y;
        absolute = zr_model_order(sim, absolute);
    }
    for (int32_t i = 0; i < n; i++)
        if (!(fabs(h * y[n + i]) <= few_tolerances * (absolute[i] + tol * fabs(y[i]))))
            return false;
    return true;
}

/* How much rows have changed beside all of them, where one that vanishes counts for nothing. */
static double measure_change_of_all(const zw_sim *sim)
{
    const double *before = sim->run->passage.A[ZR_BEFORE], *a = sim->run->passage.A[ZR_AFTER];
    double off = 0.0, size = 0.0;
    for (int32_t k = 0; k < sim->model->A.count; k++) {
        off += (a[k] - before[k]) * (a[k] - before[k]);
        size += a[k] * a[k];
    }
    return off / fmax(size, DBL_MIN);
}

/* A change of rows by no more than some tolerances, as a square. Where that is all, and not since the
 * motion goes slowly, nothing is passed. */
static double slightest_change(const zw_sim *sim)
{
    double part = fmax(100.0 * sim->run->settings.tol, 1e-10);
    return part * part;
}

/* By a part of what was left of each, or by much, rows may depend on each other now; what some rows
 * change by adds up. */
static bool have_rows_hardly_changed(const zw_sim *sim, double change)
{
    const zr_passage *p = &sim->run->passage;
    if (!(change < 0.1)) return false;
    if (change < 0.25 * p->clear) return true;
    bool likely = change < 0.125 * p->pivot; /* to know it spares a comparison */
    return likely && change < 0.25 * find_clear(sim, p->A[ZR_BEFORE]);
}

/* Right after a step: A at its end, unless it is almost the one that was looked at last. */
static zw_status keep_rows(zw_sim *sim)
{
    zr_passage *p = &sim->run->passage;
    const zi_stepper *s = sim->run->step.stepper;
    if (!p->open) return ZW_OK;
    const double *values = read_rows_at_end(sim);
    bool known = p->known && p->count > 0;
    double change = known ? measure_changes(sim, values) : DBL_MAX;
    p->idle = s->t - s->t_old <= 1.1 * p->short_step && have_rows_hardly_changed(sim, change);
    p->still = p->idle && change <= slightest_change(sim) && is_at_rest(sim);
    if (p->idle) return ZW_OK;
    zr_take_rows(sim, values, p->A[ZR_AFTER]);
    if (!known) ZB_TRY(read_rows_inside(sim, s->t_old, p->A[ZR_BEFORE]));
    p->still = is_at_rest(sim) && measure_change_of_all(sim) <= slightest_change(sim);
    if (known) return ZW_OK;
    weigh_changes(sim);
    if (p->count == 0 && !zr_choose_rows(sim, p->A[ZR_BEFORE]))
        (void)zr_choose_rows(sim, p->A[ZR_AFTER]);
    p->known = true;
    return ZW_OK;
}

/* Dense output that was made for looking is not there for others: who asks for it makes it once
 * more, and is counted. Looks themselves, of which a place needs dozens, share it. */
static zw_status look_unseen(zw_sim *sim, zw_status (*look)(zw_sim *))
{
    zi_stepper *s = sim->run->step.stepper;
    bool ready = s->dense_ready;
    zw_status status = look(sim);
    s->dense_ready = ready;
    return status;
}

zw_status zr_keep_rows_of_step(zw_sim *sim)
{
    return look_unseen(sim, keep_rows);
}

/* Places between the last look and `end`: in this step, almost always, for rows are looked at as
 * soon as they have changed. */
static zw_status look_closely(zw_sim *sim, double end, bool may_turn)
{
    zr_passage *p = &sim->run->passage;
    double begin = sim->run->step.stepper->t_old;
    ZB_TRY(read_rows_inside(sim, begin, p->A[ZR_PIECE]));
    bool before = p->pivot <= 0.0 && zr_compare_rows(sim, p->A[ZR_BEFORE], p->A[ZR_PIECE]) <= 0.0 &&
                  zr_smallest_pivot(sim, p->A[ZR_PIECE]) < zr_close_to_dependent;
    swap_sets(&p->A[ZR_BEFORE], &p->A[ZR_PIECE]);
    if (before && begin > sim->run->record.start_t)
        ZB_TRY(record_place(sim, begin, p->A[ZR_BEFORE], p->A[ZR_BETWEEN]));
    return find_places_of_step(sim, end, may_turn);
}

/* Then, when it is known where the step ends: at an event, or at its own end. */
static zw_status look_for_places(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_passage *p = &run->passage;
    double end = run->events.pending ? run->events.pending_t : run->step.stepper->t;
    if (!p->open || p->count == 0) return ZW_OK;
    p->place_count = 0;
    if ((p->idle || p->still) && !run->events.pending) return ZW_OK;
    if (run->events.pending) ZB_TRY(read_rows_inside(sim, end, p->A[ZR_AFTER]));
    p->pivot = zr_compare_rows(sim, p->A[ZR_BEFORE], p->A[ZR_AFTER]);
    if (p->pivot > p->clearest) p->clearest = p->pivot;
    bool may_turn = may_be_long(sim, end);
    bool closely = may_turn || !(p->pivot > 0.0); /* others may be looked at then */
    if (closely) ZB_TRY(look_closely(sim, end, may_turn));
    /* r_k is not smaller at the end than its pivot: a bound that costs nothing, and may do */
    p->clear_known = false;
    p->clear = p->pivot > 0.2 || !closely ? p->pivot * p->pivot : 0.0;
    ZB_TRY(watch_stay(sim, end));
    swap_sets(&p->A[ZR_BEFORE], &p->A[ZR_AFTER]);
    weigh_changes(sim);
    if (run->events.pending) p->stays = false;
    p->known = !run->events.pending; /* an event may set what it likes */
    return ZW_OK;
}

zw_status zr_look_for_places(zw_sim *sim)
{
    return look_unseen(sim, look_for_places);
}
