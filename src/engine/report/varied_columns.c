/*
 * The rates of columns along a direction, after the tangent in it:
 *
 *     outputs, energies, gaps, values of rows    their programs, differentiated
 *     force = M z - Q                            M' z + M z' - Q'
 *     ideal, control = sum of A_i lambda_i       A_i' lambda_i + A_i lambda_i'
 *     inconsistency |r| in the norm of W         r W r' / |r| + r W' r / (2 |r|)
 *
 * States of contacts, impulses, ranks, drawings and the least constraint have none.
 */
#include <math.h>
#include <string.h>

#include "columns.h"
#include "contact_laws.h"

/* What columns are read from, [n], [m] and so on, found when one is asked for. */
typedef struct rates {
    zr_vary *vary;
    const zr_direction *d;
    double *force, *ideal, *control; /* [n]; NULL: not yet */
    double *output, *level, *gap, *impressed;
    double energy[ZR_PART_COUNT];
    bool energies;
} rates;

static bool has_rate(const zr_column *c)
{
    if (c->by > 0) return false;
    switch ((zr_column_kind)c->kind) {
    case ZR_COL_ACTUATOR:
    case ZR_COL_SLIP:
    case ZR_COL_CONTACT:
    case ZR_COL_IMPULSE:
    case ZR_COL_GAUSSIAN:
    case ZR_COL_RANK:
    case ZR_COL_DRAW:
        return false;
    default:
        return true;
    }
}

/* Shares of contacts that depend on each other are chosen by another rule than the least norm. */
static bool is_share(const zw_sim *sim, const zr_column *c)
{
    bool reads = zr_row_of_column(sim->model, c) >= 0 || c->kind == ZR_COL_IDEAL ||
                 (c->kind == ZR_COL_OUTPUT && zr_output_solved(sim->model, c->number));
    return reads && sim->contacts && sim->contacts->mode.dependent;
}

/* Values of rows that only the solve has. */
static bool is_solved_row(const zw_model *model, const zr_column *c)
{
    if (c->kind != ZR_COL_RESIDUAL && c->kind != ZR_COL_RATE) return false;
    zm_row_kind kind = zm_row_kind_of(model->zm, c->number);
    return kind == ZM_ACCELERATION || (c->kind == ZR_COL_RATE && kind != ZM_HOLONOMIC);
}

zw_status zr_check_columns(zw_model *model, const zw_sim *sim, const zw_columns *columns)
{
    for (int32_t i = 0; i < columns->list.count; i++) {
        const zr_column *c = &columns->list.data[i];
        bool indirect = c->kind == ZR_COL_OUTPUT && zr_output_shows(model, c->number);
        bool share = sim && is_share(sim, c);
        if (has_rate(c) && !is_solved_row(model, c) && !share && !indirect) continue;
        zb_text text;
        zb_text_init(&text, columns->memory);
        zb_text_add(&text, "there is no derivative of '");
        zr_columns_name(columns, i, &text);
        zb_text_char(&text, '\'');
        zr_message message = {
            .code = "E0739",
            .place = zr_nowhere,
            .help = "coordinates, velocities, accelerations, outputs without columns in them, "
                    "energies, forces, multipliers, gaps and values of constraints have one"};
        zw_status status = zr_report(model, &message, &text);
        zb_text_free(&text);
        return status == ZW_OK ? ZW_ERR_SETTING : status;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ arrays */

static double *take_zeros(rates *r, int64_t count)
{
    return ZB_NEW_ARRAY(&r->vary->arena, double, (size_t)(count > 0 ? count : 1));
}

/* The rate of the force that rows exert; of controls only, or of all. */
static double *find_row_force(rates *r, bool control)
{
    const zr_vary *vary = r->vary;
    const zw_sim *sim = vary->sim;
    const zr_pattern *A = &sim->model->A;
    double *f = take_zeros(r, sim->zm->n);
    for (int32_t k = 0; f && k < sim->zm->constraint_count; k++) {
        const zm_constraint *c = &sim->zm->constraints[k];
        if (control && !c->control) continue;
        for (int32_t i = c->first_row; i < c->first_row + c->row_count; i++)
            for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
                f[A->column[p]] +=
                    vary->dA[p] * vary->ideal.lambda[i] + sim->A[p] * vary->dlambda_ideal[i];
    }
    return f;
}

static double *find_whole_force(rates *r)
{
    const zr_vary *vary = r->vary;
    const zw_sim *sim = vary->sim;
    double *f = take_zeros(r, sim->zm->n);
    if (!f) return NULL;
    zr_multiply_mass(sim, vary->dM, vary->acceleration, 1.0, f);
    zr_multiply_mass(sim, sim->M, vary->dz, 1.0, f);
    for (int32_t j = 0; j < sim->zm->n; j++) f[j] -= vary->dQ[j];
    return f;
}

/* By programs of one kind, [count]. */
static double *find_varied(rates *r, zr_varied_kind kind, int64_t count)
{
    double *x = take_zeros(r, count);
    if (x) zr_vary_evaluate(r->vary, kind, NULL, x);
    return x;
}

static double *find_levels(rates *r)
{
    double *x = find_varied(r, ZR_VARY_VALUES, 4 * (int64_t)r->vary->sim->zm->m);
    if (x) zr_vary_evaluate(r->vary, ZR_VARY_RATES, NULL, x);
    return x;
}

/* What a column needs and is not there yet; false: memory ran out. */
static bool find_arrays(rates *r, const zr_column *c)
{
    const zw_model *model = r->vary->sim->model;
    switch ((zr_column_kind)c->kind) {
    case ZR_COL_OUTPUT:
        if (!r->output) r->output = find_varied(r, ZR_VARY_OUTPUTS, zr_output_elements(model));
        return r->output != NULL;
    case ZR_COL_RESIDUAL:
    case ZR_COL_RATE:
        if (!r->level) r->level = find_levels(r);
        return r->level != NULL;
    case ZR_COL_IMPRESSED:
        if (!model->inertial) return true;
        if (!r->impressed) r->impressed = find_varied(r, ZR_VARY_IMPRESSED, model->zm->n);
        return r->impressed != NULL;
    case ZR_COL_GAP:
        if (!r->gap) r->gap = find_varied(r, ZR_VARY_GAPS, 2 * (int64_t)model->laws->contacts);
        return r->gap != NULL;
    case ZR_COL_ENERGY:
    case ZR_COL_KINETIC:
    case ZR_COL_POTENTIAL:
        if (!r->energies) zr_vary_evaluate(r->vary, ZR_VARY_ENERGIES, NULL, r->energy);
        r->energies = true;
        return true;
    case ZR_COL_FORCE:
    case ZR_COL_IDEAL:
    case ZR_COL_NONIDEAL:
    case ZR_COL_CONTROL:
        if (!r->force) r->force = find_whole_force(r);
        if (!r->ideal) r->ideal = find_row_force(r, false);
        if (!r->control) r->control = find_row_force(r, true);
        return r->force && r->ideal && r->control;
    default:
        return true;
    }
}

/* ------------------------------------------------------------------------ reading */

static double vary_inconsistency(const zr_vary *vary)
{
    const zr_solution *s = vary->has_nonideal ? &vary->total : &vary->ideal;
    const zw_sim *sim = vary->sim;
    const zr_pattern *W = &sim->model->W;
    double square = 0.0, rate = 0.0;
    if (s->consistent) return 0.0;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (W->rows == 0) square += s->r[i] * s->r[i], rate += s->r[i] * vary->dr[i];
        for (int32_t k = W->rows ? W->start[i] : 0; W->rows && k < W->start[i + 1]; k++) {
            int32_t j = W->column[k];
            square += s->r[i] * sim->W[k] * s->r[j];
            rate += s->r[i] * sim->W[k] * vary->dr[j] + 0.5 * s->r[i] * vary->dW[k] * s->r[j];
        }
    }
    return square > 0.0 ? rate / sqrt(square) : 0.0;
}

static double rate_of_model(const rates *r, zr_column_kind kind)
{
    switch (kind) {
    case ZR_COL_TIME:
        return r->d->t;
    case ZR_COL_KINETIC:
        return r->energy[ZR_PART_KINETIC];
    case ZR_COL_POTENTIAL:
        return r->energy[ZR_PART_POTENTIAL];
    case ZR_COL_ENERGY:
        return r->energy[ZR_PART_KINETIC] + r->energy[ZR_PART_POTENTIAL] + r->energy[ZR_PART_OTHER];
    default:
        return vary_inconsistency(r->vary);
    }
}

static double rate_of_column(const rates *r, const zr_column *c)
{
    const zr_vary *vary = r->vary;
    int32_t k = c->number, row = zr_row_of_column(vary->sim->model, c);
    if (zr_column_types[c->kind].sort == ZR_OF_MODEL)
        return rate_of_model(r, (zr_column_kind)c->kind);
    if (row >= 0) return vary->dlambda_ideal[row];
    switch ((zr_column_kind)c->kind) {
    case ZR_COL_POSITION:
        return r->d->q ? r->d->q[k] : 0.0;
    case ZR_COL_VELOCITY:
        return r->d->v ? r->d->v[k] : 0.0;
    case ZR_COL_ACCELERATION:
        return vary->dz[k];
    case ZR_COL_OUTPUT:
        return r->output[k];
    case ZR_COL_FORCE:
        return r->force[k];
    case ZR_COL_IDEAL:
        return r->ideal[k];
    case ZR_COL_NONIDEAL:
        return r->force[k] - r->ideal[k];
    case ZR_COL_CONTROL:
        return r->control[k];
    case ZR_COL_IMPRESSED:
        return r->impressed ? r->impressed[k] : vary->dQ[k];
    case ZR_COL_RESIDUAL:
        return r->level[k];
    case ZR_COL_RATE:
        return r->level[vary->sim->zm->m + k];
    default:
        return r->gap ? r->gap[k] : 0.0;
    }
}

zw_status zr_vary_columns(zr_vary *vary, const zw_columns *columns, const zr_direction *d,
                          int32_t by, double *rate)
{
    rates r = {.vary = vary, .d = d};
    zb_mark mark = zb_arena_mark(&vary->arena);
    zw_status status = ZW_OK;
    for (int32_t i = 0; i < columns->list.count && status == ZW_OK; i++) {
        const zr_column *c = &columns->list.data[i];
        if (c->by != by) continue;
        if (!find_arrays(&r, c))
            status = vary->arena.failure;
        else
            rate[i] = is_share(vary->sim, c) ? (double)NAN : rate_of_column(&r, c);
    }
    zb_arena_release(&vary->arena, mark);
    return status;
}
