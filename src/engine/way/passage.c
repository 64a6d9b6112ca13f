/*
 * Whether a step has passed a *singular place*, a state at which rows that are independent almost
 * everywhere depend on each other: cranks that lie flat, a curve where it crosses itself. There
 * motions branch, and steps are so long that both their ends may be far from it.
 *
 * Take the rows in their order: row k has a part r_k at right angles to those before it. Where it
 * comes to depend on them r_k goes through 0, and has the opposite direction afterwards. With A0
 * before a step and A1 after it, L U = A0 A1^T without pivoting has
 *
 *     u_kk = |r_k0| |r_k1| cos(angle between the two),         as long as none before has turned
 *
 * so that a pivot that is not above 0 tells a place between the two, for the price of one small
 * factorisation a step. A long step turns r_k as well: then the step is halved by the dense output,
 * which passes the place itself at a distance of some tolerances, and what counts is how small r_k
 * becomes where it turns, beside the largest that its row has been.
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

/* ------------------------------------------------------------------------ rows */

/* Rows i of A are spread out over the coordinates, or taken back. */
static void spread_row(const zr_pattern *A, const double *value, int32_t row, double *to)
{
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) to[A->column[p]] = value[p];
}

static void clear_row(const zr_pattern *A, int32_t row, double *to)
{
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) to[A->column[p]] = 0.0;
}

static double multiply_row(const zr_pattern *A, const double *value, int32_t row, const double *x)
{
    double sum = 0.0;
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) sum += value[p] * x[A->column[p]];
    return sum;
}

/* Row i of A0 A1^T, in passage->gram; the entries right of the diagonal belong to rows to come. */
static void build_gram_row(const zr_pattern *A, const zr_passage *p, int32_t i, const double *a,
                           const double *b)
{
    double *to = p->gram + (size_t)i * p->stride;
    spread_row(A, a, p->row[i], p->spread);
    for (int32_t j = 0; j < p->count; j++) to[j] = multiply_row(A, b, p->row[j], p->spread);
    clear_row(A, p->row[i], p->spread);
}

/* Row i of L U in place, after those before it: L left of the diagonal, without the ones on its
 * own. u_ii is returned. */
static double factor_gram_row(const zr_passage *p, int32_t i)
{
    double *row = p->gram + (size_t)i * p->stride;
    for (int32_t k = 0; k < i; k++) {
        const double *upper = p->gram + (size_t)k * p->stride;
        double l = row[k] / upper[k];
        row[k] = l;
        for (int32_t j = k + 1; j < p->count; j++) row[j] -= l * upper[j];
    }
    return row[i];
}

/* The smallest pivot, beside the largest square that its row has had; above 0 where no row has
 * turned between the two matrices. */
static double compare_rows(const zw_sim *sim, const double *a, const double *b)
{
    const zr_passage *p = &sim->run->passage;
    double least = 1.0;
    for (int32_t i = 0; i < p->count && least > 0.0; i++) {
        build_gram_row(&sim->model->A, p, i, a, b);
        double *size = &p->size[p->row[i]];
        *size = fmax(*size, fabs(p->gram[(size_t)i * p->stride + (size_t)i]));
        double pivot = *size > 0.0 ? factor_gram_row(p, i) / *size : -1.0;
        if (!(pivot >= least)) least = pivot;
    }
    return least;
}

double zr_smallest_pivot(const zw_sim *sim, const double *A)
{
    return compare_rows(sim, A, A);
}

/* ------------------------------------------------------------------ opening, following */

/* Rows of A come closer than this to depending on each other at a place: squares of sines. */
static const double close_to_dependent = 1e-5;

/* Column k of a pivoted Cholesky factor of A A^T with rows of unit length: `pivot` is taken. left
 * [m]: the squares of what rows have at right angles to those taken, below 0: taken itself. */
static void take_row(const zw_sim *sim, const double *a, int32_t k, int32_t pivot, double *left)
{
    const zr_pattern *A = &sim->model->A;
    const zr_passage *p = &sim->run->passage;
    int32_t m = A->rows;
    double *column = p->chosen + (size_t)k * (size_t)m, root = sqrt(left[pivot]);
    spread_row(A, a, pivot, p->spread);
    for (int32_t i = 0; i < m; i++) {
        double x = multiply_row(A, a, i, p->spread) / (p->length[i] * p->length[pivot]);
        if (left[i] < 0.0 || !(p->length[i] > 0.0)) continue;
        for (int32_t l = 0; l < k; l++) {
            const double *other = p->chosen + (size_t)l * (size_t)m;
            x -= other[i] * other[pivot];
        }
        column[i] = x / root;
        left[i] = fmax(left[i] - column[i] * column[i], 0.0);
    }
    clear_row(A, pivot, p->spread);
    left[pivot] = -1.0;
}

/* Of dependent rows a set of the generic rank that is as independent at `a` as can be; false: none
 * is clearly so, since the state is singular or close to it, and the rows stay as they were. */
static bool choose_rows(const zw_sim *sim, const double *a)
{
    const zr_pattern *A = &sim->model->A;
    zr_passage *p = &sim->run->passage;
    int32_t rank = sim->run->solving.generic_rank, m = A->rows, *row = p->row + rank;
    if (!p->chosen) return false;
    for (int32_t i = 0; i < m; i++) {
        double sum = 0.0;
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) sum += a[k] * a[k];
        p->length[i] = sqrt(sum);
        p->share[i] = sum > 0.0 ? 1.0 : 0.0;
    }
    for (int32_t k = 0; k < rank; k++) {
        int32_t best = 0;
        for (int32_t i = 1; i < m; i++)
            if (p->share[i] > p->share[best]) best = i;
        if (!(p->share[best] > close_to_dependent)) return false;
        take_row(sim, a, k, best, p->share);
        row[k] = best;
    }
    memcpy(p->row, row, sizeof *row * (size_t)rank);
    p->count = rank;
    return true;
}

/* From the run's arena; nothing where nothing will be looked for. */
zw_status zr_open_passage(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_passage *p = &run->passage;
    size_t m = (size_t)sim->zm->m, n = (size_t)sim->zm->n, entries = (size_t)sim->model->A.count;
    int32_t rank = run->solving.generic_rank;
    if (rank <= 0 || rank > most_rows || entries == 0) return ZW_OK;
    p->stride = (size_t)rank;
    p->row = ZB_NEW_ARRAY(&run->arena, int32_t, 2 * (size_t)rank);
    if (rank < sim->zm->m) p->chosen = ZB_NEW_ARRAY(&run->arena, double, (size_t)rank *m);
    p->share = ZB_NEW_ARRAY(&run->arena, double, m);
    p->length = ZB_NEW_ARRAY(&run->arena, double, m);
    p->size = ZB_NEW_ARRAY(&run->arena, double, m);
    p->kept = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    p->entry = ZB_NEW_ARRAY(&run->arena, double, n);
    p->concerned = ZB_NEW_ARRAY(&run->arena, bool, m);
    p->gram = ZB_NEW_ARRAY(&run->arena, double, p->stride * p->stride);
    p->spread = ZB_NEW_ARRAY(&run->arena, double, 2 * n);
    p->weight = ZB_NEW_ARRAY(&run->arena, double, n);
    for (int k = 0; k < ZR_PASSAGE_SETS; k++) p->A[k] = ZB_NEW_ARRAY(&run->arena, double, entries);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    for (size_t j = 0; j < n; j++)
        p->weight[j] = run->step.inertia[j] > 0.0 ? 1.0 / sqrt(run->step.inertia[j]) : 1.0;
    for (int32_t i = 0; i < rank && !p->chosen; i++) p->row[p->count++] = i;
    p->open = true;
    return ZW_OK;
}

/* The state at t inside the last step, in run->step.y; what that evaluates is not counted. */
static zw_status look_inside(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    zi_counts counts = run->step.stepper->counts;
    bool ready = run->step.stepper->dense_ready;
    int64_t taken[ZR_ROAD_COUNT], singular = run->solving.singular;
    memcpy(taken, run->solving.taken, sizeof taken);
    zw_status status = zr_inner_state(sim, t);
    run->step.stepper->counts = counts;
    run->step.stepper->dense_ready = ready; /* who asks for it makes it, and is counted */
    memcpy(run->solving.taken, taken, sizeof taken);
    run->solving.singular = singular;
    return status;
}

/* Values of A into one of the sets, in the metric of the inertias: angles between rows are the same
 * in whatever units. */
void zr_take_rows(const zw_sim *sim, const double *values, double *to)
{
    const zr_pattern *A = &sim->model->A;
    const double *weight = sim->run->passage.weight;
    for (int32_t k = 0; k < A->count; k++) to[k] = values[k] * weight[A->column[k]];
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

/* A at the end of the step, into one of the sets: as the fused program has left it there, where it
 * did. */
static void read_rows_at_end(zw_sim *sim, double *to)
{
    const zr_solver *solver = sim->solver;
    if (solver->road == ZR_FUSED && solver->fused_fresh)
        zr_take_rows(sim, solver->fused_out + sim->model->fused->places.A, to);
    else
        read_rows_at(sim, sim->run->step.stepper->t, zr_end_state(sim), to);
}

/* Whether a row has changed by more than `most`, the square of a part of its length, since rows were
 * compared last. */
static bool have_rows_changed(const zw_sim *sim, const double *a, double most)
{
    const zr_pattern *A = &sim->model->A;
    const double *before = sim->run->passage.A[ZR_BEFORE];
    double change = 0.0;
    for (int32_t i = 0; i < A->rows && change < most; i++) {
        double off = 0.0, size = 0.0;
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) {
            double by = a[k] - before[k];
            off += by * by;
            size += before[k] * before[k];
        }
        if (off > change * size) change = off / fmax(size, DBL_MIN);
    }
    return !(change < most);
}

/* Whether they have changed by no more than some tolerances: nothing is passed so. */
static bool are_rows_still(const zw_sim *sim, const double *a)
{
    const double *before = sim->run->passage.A[ZR_BEFORE];
    double off = 0.0, size = 0.0, part = fmax(100.0 * sim->run->settings.tol, 1e-10);
    for (int32_t k = 0; k < sim->model->A.count; k++) {
        off += (a[k] - before[k]) * (a[k] - before[k]);
        size += a[k] * a[k];
    }
    return off <= part * part * size;
}

/* --------------------------------------------------------------------- the place */

/* A stretch of the last step with a failing B. */
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
        if (!(compare_rows(sim, x->at_left, x->between) > 0.0)) {
            x->right = middle;
            swap_sets(&x->at_right, &x->between);
        } else if (!(compare_rows(sim, x->between, x->at_right) > 0.0)) {
            x->left = middle;
            swap_sets(&x->at_left, &x->between);
        } else {
            *found = compare_rows(sim, x->between, x->between) < close_to_dependent;
            return ZW_OK;
        }
    }
    return ZW_OK;
}

/* x <- (L U)^-1 x with the factor in passage->gram. */
static void solve_gram(const zr_passage *p, double *x)
{
    for (int32_t i = 0; i < p->count; i++) {
        const double *row = p->gram + (size_t)i * p->stride;
        for (int32_t k = 0; k < i; k++) x[i] -= row[k] * x[k];
    }
    for (int32_t i = p->count - 1; i >= 0; i--) {
        const double *row = p->gram + (size_t)i * p->stride;
        for (int32_t k = i + 1; k < p->count; k++) x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
}

/* A A^T with rows of unit length, a little more on its diagonal so that it can be factored. */
static void factor_unit_gram(const zw_sim *sim, const double *a, double *length)
{
    const zr_pattern *A = &sim->model->A;
    const zr_passage *p = &sim->run->passage;
    for (int32_t i = 0; i < p->count; i++) {
        double sum = 0.0;
        for (int32_t k = A->start[p->row[i]]; k < A->start[p->row[i] + 1]; k++) sum += a[k] * a[k];
        length[i] = sqrt(sum);
    }
    for (int32_t i = 0; i < p->count; i++) {
        double *row = p->gram + (size_t)i * p->stride;
        build_gram_row(A, p, i, a, a);
        for (int32_t j = 0; j < p->count; j++)
            row[j] = length[i] * length[j] > 0.0 ? row[j] / (length[i] * length[j]) : 0.0;
        row[i] += 1e-12;
        (void)factor_gram_row(p, i);
    }
}

/* passage->share becomes u, of the rows as they are, with u^T A ~ 0: inverse iteration on rows of
 * unit length, where u has unit length as well. Rows with a share worth mentioning are marked. */
static void find_shares(zw_sim *sim, const double *a)
{
    zr_passage *p = &sim->run->passage;
    double *u = p->share, *length = p->length, size = 1.0, largest = 0.0;
    factor_unit_gram(sim, a, length);
    for (int32_t i = 0; i < p->count; i++) u[i] = 1.0 / (1.0 + i);
    for (int round = 0; round < 3; round++) {
        solve_gram(p, u);
        size = 0.0;
        for (int32_t i = 0; i < p->count; i++) size += u[i] * u[i];
        for (int32_t i = 0; i < p->count; i++) u[i] /= sqrt(size);
    }
    for (int32_t i = 0; i < p->count; i++) largest = fmax(largest, fabs(u[i]));
    for (int32_t i = 0; i < p->count; i++) {
        if (fabs(u[i]) > 0.03 * largest) p->concerned[p->row[i]] = true;
        u[i] = fabs(u[i]) > 1e-6 * largest && length[i] > 0.0 ? u[i] / length[i] : 0.0;
    }
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
    find_shares(sim, a);
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
        if (compare_rows(sim, x->at_left, at_end) > 0.0) break;
        memcpy(x->at_right, at_end, bytes);
        x->right = end;
        ZB_TRY(narrow_down(sim, x, &found));
        if (!found) break;
        if (choose_rows(sim, x->at_right)) continue; /* others are not dependent there */
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

/* Only steps longer than those before are measured, and not where the ends hardly differ although
 * the step is not much longer. */
static bool may_be_long(const zw_sim *sim, double end)
{
    zr_passage *p = &sim->run->passage;
    double h = end - sim->run->step.stepper->t_old;
    if (h <= 1.1 * p->short_step) return false;
    if (p->short_step > 0.0 && h > 4.0 * p->short_step) return true;
    if (measure_turn(sim, p->A[ZR_BEFORE], p->A[ZR_AFTER]) > 0.25 * long_turn) return true;
    p->short_step = h;
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
        if (may_turn) p->short_step = end - begin;
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

/* After a step that ends at `end`. */
static zw_status watch_stay(zw_sim *sim, double end)
{
    zr_passage *p = &sim->run->passage;
    size_t n = (size_t)sim->zm->n;
    if (!p->stays && p->pivot > 1e-3) return ZW_OK;
    double clear = p->clear;
    bool started = sim->run->step.stepper->t_old > sim->run->record.start_t;
    if (!p->stays && clear < begins_stay && started) {
        ZB_TRY(look_inside(sim, sim->run->step.stepper->t_old));
        memcpy(p->entry, sim->run->step.y + n, sizeof *p->entry * n);
        p->stays = true;
        p->closest = 1.0;
        find_shares(sim, p->A[ZR_AFTER]);
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

/* Right after a step: A at its end, unless it is almost the one that was looked at last. */
zw_status zr_keep_rows_of_step(zw_sim *sim)
{
    zr_passage *p = &sim->run->passage;
    const zi_stepper *s = sim->run->step.stepper;
    if (!p->open) return ZW_OK;
    read_rows_at_end(sim, p->A[ZR_AFTER]);
    bool followed = p->known && p->count > 0 && s->t - s->t_old <= 1.1 * p->short_step;
    /* by a part of what was left of each, or by much, they may depend on each other now */
    p->idle = followed && !have_rows_changed(sim, p->A[ZR_AFTER], fmin(0.25 * p->clear, 0.1));
    bool known = p->count > 0 && p->known;
    if (!known) ZB_TRY(read_rows_inside(sim, s->t_old, p->A[ZR_BEFORE]));
    p->still = are_rows_still(sim, p->A[ZR_AFTER]);
    if (known) return ZW_OK;
    if (p->count == 0 && !choose_rows(sim, p->A[ZR_BEFORE])) (void)choose_rows(sim, p->A[ZR_AFTER]);
    p->known = true;
    return ZW_OK;
}

/* Places between the last look and `end`: in this step, almost always, for rows are looked at as
 * soon as they have changed. */
static zw_status look_closely(zw_sim *sim, double end, bool may_turn)
{
    zr_passage *p = &sim->run->passage;
    double begin = sim->run->step.stepper->t_old;
    ZB_TRY(read_rows_inside(sim, begin, p->A[ZR_PIECE]));
    bool before = p->pivot <= 0.0 && compare_rows(sim, p->A[ZR_BEFORE], p->A[ZR_PIECE]) <= 0.0 &&
                  zr_smallest_pivot(sim, p->A[ZR_PIECE]) < close_to_dependent;
    swap_sets(&p->A[ZR_BEFORE], &p->A[ZR_PIECE]);
    if (before && begin > sim->run->record.start_t)
        ZB_TRY(record_place(sim, begin, p->A[ZR_BEFORE], p->A[ZR_BETWEEN]));
    return find_places_of_step(sim, end, may_turn);
}

/* Then, when it is known where the step ends: at an event, or at its own end. */
zw_status zr_look_for_places(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_passage *p = &run->passage;
    double end = run->events.pending ? run->events.pending_t : run->step.stepper->t;
    if (!p->open || p->count == 0) return ZW_OK;
    p->place_count = 0;
    if ((p->idle || p->still) && !run->events.pending) return ZW_OK;
    if (run->events.pending) ZB_TRY(read_rows_inside(sim, end, p->A[ZR_AFTER]));
    p->pivot = compare_rows(sim, p->A[ZR_BEFORE], p->A[ZR_AFTER]);
    p->clearest = fmax(p->clearest, p->pivot);
    bool may_turn = may_be_long(sim, end);
    if (may_turn || !(p->pivot > 0.0)) ZB_TRY(look_closely(sim, end, may_turn));
    p->clear = p->pivot > 0.5 ? p->pivot * p->pivot : zr_smallest_pivot(sim, p->A[ZR_AFTER]);
    ZB_TRY(watch_stay(sim, end));
    swap_sets(&p->A[ZR_BEFORE], &p->A[ZR_AFTER]);
    if (run->events.pending) p->stays = false;
    p->known = !run->events.pending; /* an event may set what it likes */
    return ZW_OK;
}
