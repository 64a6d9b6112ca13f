/*
 * Sliding. Where forces on both sides of a surface g = 0 push the motion back to it (dry friction
 * at rest: g = x', force -k sign(x')) it stays there, in Filippov's sense: the slot s of the
 * switch is between -1 and 1, and such that the motion does not leave the surface. Accelerations
 * are affine in forces, and forces in s, so for all surfaces together
 *
 *     g' = r + B s = 0           (g'' where no velocities stand in g)
 *
 * r from the accelerations at s = 0, each column of B from those at s = e_k. A surface is left where
 * its s reaches -1 or 1.
 *
 * A. F. Filippov, Differential Equations with Discontinuous Righthand Sides, 1988.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

/* Slots of the chosen ones: all 0, but s of `which` (-1: none). */
static void set_chosen_slots(zw_sim *sim, int32_t count, int32_t which, double s)
{
    const zr_switching *w = &sim->run->switching;
    double *slot = sim->values + sim->zm->value_count;
    for (int32_t i = 0; i < count; i++) {
        int32_t k = w->chosen[i];
        double side = i == which ? s : 0.0;
        slot[k] = w->list[k].is_floor ? w->level[k] - 0.5 + 0.5 * side : side;
    }
}

/* z [n] with the slots there are, and the rates of the gaps of all switches. */
static zw_status find_rates(zw_sim *sim, double t, const double *y, double *z)
{
    zr_motion *run = sim->run;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    zr_wanted wanted = {.at = &s, .z = z};
    ZB_TRY(zr_accelerate(sim, &run->solving, &wanted));
    if (!zb_all_finite(z, sim->zm->n)) return ZW_ERR_NOT_FINITE;
    s.acceleration = z;
    zk_evaluate(sim->model->switches->rates, &s, NULL, sim->workspace, run->switching.rate);
    return ZW_OK;
}

/* r, B, and what each side adds to the accelerations. */
zw_status zr_find_pushes(zw_sim *sim, double t, const double *y, int32_t count)
{
    zr_switching *w = &sim->run->switching;
    int32_t n = sim->zm->n;
    set_chosen_slots(sim, count, -1, 0.0);
    ZB_TRY(find_rates(sim, t, y, w->z));
    for (int32_t i = 0; i < count; i++) w->r[i] = w->rate[w->chosen[i]];
    zk_source s = zr_source(sim, t, y, y + n);
    s.acceleration = w->z;
    zk_evaluate(sim->model->switches->rate_sizes, &s, NULL, sim->workspace, w->rate_size);
    for (int32_t j = 0; j < n; j++) w->size[j] = fabs(w->z[j]);
    for (int32_t l = 0; l < count; l++) {
        double *push = w->push + (size_t)l * (size_t)n;
        set_chosen_slots(sim, count, l, 1.0);
        ZB_TRY(find_rates(sim, t, y, push));
        for (int32_t i = 0; i < count; i++)
            w->B[i * zr_most_sliding + l] = w->rate[w->chosen[i]] - w->r[i];
        for (int32_t j = 0; j < n; j++) {
            push[j] -= w->z[j];
            w->size[j] += fabs(push[j]);
        }
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------- solving */

/* The largest entry from row and column k on; its row and column. */
static double find_pivot(const double *matrix, int32_t count, int32_t k, int32_t *row,
                         int32_t *column)
{
    double most = -1.0;
    for (int32_t i = k; i < count; i++)
        for (int32_t j = k; j < count; j++) {
            if (!(fabs(matrix[i * count + j]) > most)) continue;
            most = fabs(matrix[i * count + j]);
            *row = i;
            *column = j;
        }
    return most;
}

static void swap_numbers(double *x, double *y)
{
    double z = *x;
    *x = *y;
    *y = z;
}

/* Row and column of the pivot to place k; order [count] has the columns. */
static void bring_pivot(double *matrix, double *x, int32_t *order, int32_t count, int32_t k,
                        int32_t row, int32_t column)
{
    for (int32_t j = 0; j < count && row != k; j++)
        swap_numbers(&matrix[k * count + j], &matrix[row * count + j]);
    if (row != k) swap_numbers(&x[k], &x[row]);
    for (int32_t i = 0; i < count && column != k; i++)
        swap_numbers(&matrix[i * count + k], &matrix[i * count + column]);
    int32_t was = order[k];
    order[k] = order[column];
    order[column] = was;
}

/* Rows, with their right sides, and then columns are divided by their largest entries: units of gaps
 * and sizes of forces do not decide what is 0. scale [count] has those of the columns. */
static void balance_entries(double *matrix, double *x, double *scale, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        double most = 0.0;
        for (int32_t j = 0; j < count; j++) most = fmax(most, fabs(matrix[i * count + j]));
        for (int32_t j = 0; j < count && most > 0.0; j++) matrix[i * count + j] /= most;
        if (most > 0.0) x[i] /= most;
    }
    for (int32_t j = 0; j < count; j++) {
        double most = 0.0;
        for (int32_t i = 0; i < count; i++) most = fmax(most, fabs(matrix[i * count + j]));
        for (int32_t i = 0; i < count && most > 0.0; i++) matrix[i * count + j] /= most;
        scale[j] = most > 0.0 ? most : 1.0;
    }
}

/* x [count] with matrix x = x, by elimination with complete pivoting; matrix [count * count] is
 * lost. Surfaces that coincide make it singular: unknowns that are not needed are 0 then. False:
 * there is no solution. */
static bool eliminate(double *matrix, double *x, int32_t count)
{
    int32_t order[zr_most_sliding], rank = 0, row = 0, column = 0;
    double scale[zr_most_sliding], right = 0.0, y[zr_most_sliding];
    balance_entries(matrix, x, scale, count);
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
        right = fmax(right, fabs(x[i]));
    }
    for (; rank < count; rank++) {
        double pivot = find_pivot(matrix, count, rank, &row, &column);
        if (!(pivot > 1e-12)) break;
        bring_pivot(matrix, x, order, count, rank, row, column);
        for (int32_t i = rank + 1; i < count; i++) {
            double factor = matrix[i * count + rank] / matrix[rank * count + rank];
            for (int32_t j = rank; j < count; j++)
                matrix[i * count + j] -= factor * matrix[rank * count + j];
            x[i] -= factor * x[rank];
        }
    }
    for (int32_t i = rank; i < count; i++)
        if (!(fabs(x[i]) <= 1e-9 * right)) return false;
    for (int32_t k = count - 1; k >= 0; k--) {
        double sum = k < rank ? x[k] : 0.0;
        for (int32_t j = k + 1; j < rank && k < rank; j++) sum -= matrix[k * count + j] * y[j];
        y[k] = k < rank ? sum / matrix[k * count + k] : 0.0;
    }
    for (int32_t k = 0; k < count; k++) x[order[k]] = y[k] / scale[order[k]];
    return true;
}

/* One correction of w->s of those that are free, list [f]: their rates go to 0. Surfaces that
 * depend on each other make B singular: a small part of its row on the diagonal shares the load
 * among them, and further corrections take what that leaves. It stays a small part of what the
 * side itself does there, or they would not come to an end. */
static bool correct_free(zr_switching *w, int32_t count, const int32_t *list, int32_t f)
{
    double *matrix = w->work, *x = w->work + (size_t)f * (size_t)f;
    for (int32_t i = 0; i < f; i++) {
        const double *row = w->B + list[i] * zr_most_sliding;
        double most = 0.0, own = fabs(row[list[i]]);
        x[i] = -w->r[list[i]];
        for (int32_t j = 0; j < count; j++) x[i] -= row[j] * w->s[j];
        for (int32_t j = 0; j < f; j++) {
            matrix[i * f + j] = row[list[j]];
            most = fmax(most, fabs(row[list[j]]));
        }
        matrix[i * f + i] -= 1e-7 * fmin(most, 1e3 * own);
    }
    if (!eliminate(matrix, x, f)) return false;
    for (int32_t i = 0; i < f; i++) w->s[list[i]] += x[i];
    return true;
}

/* w->s of those that are free, so that their rates are 0; the others keep theirs. */
bool zr_solve_free(zr_switching *w, int32_t count, const bool *free)
{
    enum { corrections = 4 };
    int32_t list[zr_most_sliding], f = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!free[i]) continue;
        w->s[i] = 0.0;
        list[f++] = i;
    }
    for (int k = 0; k < corrections && f > 0; k++)
        if (!correct_free(w, count, list, f)) return false;
    return true;
}

/* The rate of the gap of i, and the size of its terms. */
static double rate_of(const zr_switching *w, int32_t count, int32_t i, double *size)
{
    double rate = w->r[i];
    *size = fabs(rate);
    for (int32_t j = 0; j < count; j++) {
        double part = w->B[i * zr_most_sliding + j] * w->s[j];
        rate += part;
        *size += fabs(part);
    }
    return rate;
}

/* The first that contradicts its place: free beyond its bounds, or at a bound and pushed back. */
static int32_t find_contradiction(const zr_switching *w, int32_t count, const bool *free)
{
    for (int32_t i = 0; i < count; i++) {
        double size, rate = rate_of(w, count, i, &size);
        if (free[i] ? fabs(w->s[i]) > 1.0 : w->s[i] * rate < -1e-12 * size) return i;
    }
    return -1;
}

/* Each s in [-1, 1]: inside with a rate of 0, or at a bound that the motion leaves for: a linear
 * complementarity problem, by principal pivots on the first index that contradicts (Murty), which
 * end where -B has positive principal minors. False: they have not ended. */
bool zr_solve_sides(zr_switching *w, int32_t count)
{
    bool free[zr_most_sliding] = {false};
    enum { most = 4096 };
    for (int32_t i = 0; i < count; i++) free[i] = true;
    for (int32_t k = 0; k < most; k++) {
        if (!zr_solve_free(w, count, free)) return false;
        int32_t i = find_contradiction(w, count, free);
        if (i < 0) return true;
        if (free[i]) w->s[i] = w->s[i] > 0.0 ? 1.0 : -1.0;
        free[i] = !free[i];
    }
    return false;
}

/* ------------------------------------------------------------------------- words */

/* "from t = 0 to 4 the motion stays where x' = 0" */
void zr_text_slide(const zw_sim *sim, int32_t k, zb_text *text)
{
    const zr_switching *w = &sim->run->switching;
    const zr_slid *x = &w->slid[k];
    const zr_switch *one = &w->list[k];
    zb_text_add(text, "from t = ");
    zr_text_short(text, x->from);
    zb_text_add(text, " to ");
    zr_text_short(text, w->slides[k] ? sim->t : x->until);
    if (x->times > 1) zb_text_printf(text, ", %lld times,", (long long)x->times);
    zb_text_add(text, " the motion stays where `");
    zm_expression_text(sim->zm, one->family, 0, one->written, text);
    zb_text_add(text, one->of_data    ? "` is at a row of its data"
                      : one->is_floor ? "` is a whole number"
                                      : "` = 0");
    zb_text_add(text, ", as conditions switch back and forth there");
}

/* ----------------------------------------------------------------------- on the way */

/* What is 0 but for rounding is 0: a block at rest stays where it is. */
void zr_clear_rounding(const zw_sim *sim, double *z)
{
    const zr_switching *w = &sim->run->switching;
    for (int32_t j = 0; j < sim->zm->n; j++)
        if (fabs(z[j]) <= 64.0 * DBL_EPSILON * w->size[j]) z[j] = 0.0;
}

/* Where B is singular the sides stay as they are. Other slots are those of the moment. */
zw_status zr_slide(zw_sim *sim, double t, const double *y)
{
    zr_switching *w = &sim->run->switching;
    double *slot = sim->values + sim->zm->value_count;
    bool free[zr_most_sliding] = {false};
    int32_t count = 0;
    for (int32_t k = 0; k < w->count && count < zr_most_sliding; k++)
        if (w->slides[k]) w->chosen[count++] = k;
    ZB_TRY(zr_find_pushes(sim, t, y, count));
    for (int32_t i = 0; i < count; i++) {
        free[i] = true;
        w->s[i] = w->side[w->chosen[i]];
    }
    (void)zr_solve_free(w, count, free);
    for (int32_t i = 0; i < count; i++) {
        int32_t k = w->chosen[i];
        w->side[k] = w->s[i];
        slot[k] = zr_slot_value(w, k, w->s[i]);
    }
    return ZW_OK;
}
