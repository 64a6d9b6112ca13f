/*
 * The numbers of a list of columns at the simulation's state, a row of the output. Only what the
 * columns need is computed, in this order, for each overwrites what it does not use:
 *
 *     energies; phi and rates; impressed forces; everything that the principle says; outputs; gaps
 *     and slips
 *
 * control(x) is the part of the control rows in the ideal force, sum of A_i lambda_i, and what motors
 * give. The residual
 * of an acceleration row and the rate of a row with velocities are A z - b. Nothing is allocated.
 */
#include "columns.h"

#include <math.h>
#include <string.h>

#include "ask_mode.h"
#include "drive.h"

/* What has been computed for a row. */
typedef struct row_values {
    zw_sim *sim;
    const zm_model *zm;
    zk_source source;
    zr_energies energies;
    zw_gauss_answer answer; /* its arrays are NULL unless it is there */
    zr_picture *picture;    /* or NULL */
    double *control;        /* [n], likewise */
    double *impressed;      /* [n], likewise */
} row_values;

/* control [n]: the part of the control rows in the ideal force, and the motors. After the solve. */
static void sum_control_forces(row_values *x)
{
    const zm_model *zm = x->zm;
    const zr_pattern *A = &x->sim->model->A;
    memset(x->control, 0, sizeof *x->control * (size_t)zm->n);
    for (int32_t k = 0; k < zm->constraint_count; k++) {
        const zm_constraint *c = &zm->constraints[k];
        if (!c->control) continue;
        for (int32_t i = c->first_row; i < c->first_row + c->row_count; i++)
            for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
                x->control[A->column[p]] += x->sim->A[p] * x->answer.multipliers[i];
    }
    for (int32_t j = 0; x->sim->drive && j < zm->n; j++) x->control[j] += x->sim->drive->force[j];
}

/* The principle's answer, in sim->solved; then measures, where outputs use them. */
static zw_status solve_for_row(row_values *x)
{
    zw_sim *sim = x->sim;
    size_t n = (size_t)x->zm->n, m = (size_t)x->zm->m;
    double *at = sim->solved;
    zw_gauss_answer answer = {.acceleration = at,
                              .force = at + n,
                              .force_ideal = at + 2 * n,
                              .force_nonideal = at + 3 * n,
                              .multipliers = at + 5 * n,
                              .residual = at + 5 * n + m};
    ZB_TRY(zr_solve_at(sim, &x->source, &answer));
    x->answer = answer;
    x->control = at + 4 * n;
    x->source.acceleration = at;
    sum_control_forces(x);
    if (!zr_outputs_need(sim->model).measures) return ZW_OK;
    zr_measure(sim, answer.multipliers);
    zr_show_measures(sim, &x->source, &x->answer);
    return ZW_OK;
}

/* Q, without what follows from inertia where there is such. */
static void find_impressed_forces(row_values *x, bool solved)
{
    zw_sim *sim = x->sim;
    if (sim->model->inertial) {
        x->impressed = sim->solved + 5 * (size_t)x->zm->n + 2 * (size_t)x->zm->m;
        zr_evaluate_impressed(sim, &x->source, x->impressed);
        return;
    }
    if (!solved) zr_evaluate_dynamics(sim, &x->source);
    x->impressed = sim->Q;
}

/* Everything that `needs` (bits ZR_NEED_...) asks for. Outputs without accelerations and reactions
 * are there whatever became of the solve. decided: what became of the mode of contacts. */
static zw_status evaluate_needs(row_values *x, int needs, zw_status decided)
{
    zw_sim *sim = x->sim;
    bool wanted = (needs & ZR_NEED_SOLVE) != 0;
    if (needs & ZR_NEED_ENERGY) zr_energies_at(sim, &x->source, &x->energies);
    if (needs & ZR_NEED_LEVELS) zr_evaluate_levels(sim, &x->source);
    zw_status status = wanted && decided == ZW_OK ? solve_for_row(x) : decided;
    bool solved = wanted && status == ZW_OK;
    if (needs & ZR_NEED_FORCE) find_impressed_forces(x, solved);
    if (needs & ZR_NEED_OUTPUTS && solved) zr_outputs_at(sim, &x->source, sim->output);
    if (needs & ZR_NEED_OUTPUTS && !solved) zr_direct_outputs_at(sim, &x->source, sim->output);
    if (needs & ZR_NEED_GAPS) zr_evaluate_gaps(sim, &x->source);
    if (needs & (ZR_NEED_SLIPS | ZR_NEED_SEATS) && sim->contacts)
        zr_evaluate_frictions(sim, &x->source);
    if (needs & ZR_NEED_PICTURE && (solved || !x->picture->solved)) zr_draw(x->picture, &x->source);
    if (needs & ZR_NEED_SEATS)
        zr_draw_seats(x->picture, sim, &x->source, solved ? x->answer.multipliers : NULL);
    return status;
}

/* ------------------------------------------------------------------------- reading */

/* The array [n], [m] or [elements] that a kind is read from; NULL when it was not computed. */
static const double *array_of_kind(const row_values *x, zr_column_kind kind)
{
    switch (kind) {
    case ZR_COL_POSITION:
        return x->sim->q;
    case ZR_COL_VELOCITY:
        return x->sim->v;
    case ZR_COL_ACCELERATION:
        return x->answer.acceleration;
    case ZR_COL_FORCE:
        return x->answer.force;
    case ZR_COL_IDEAL:
        return x->answer.force_ideal;
    case ZR_COL_NONIDEAL:
        return x->answer.force_nonideal;
    case ZR_COL_CONTROL:
        return x->control;
    case ZR_COL_ACTUATOR:
        return x->answer.acceleration ? x->sim->drive->u : NULL;
    case ZR_COL_IMPRESSED:
        return x->impressed;
    case ZR_COL_MULTIPLIER:
        return x->answer.multipliers;
    case ZR_COL_OUTPUT:
        return x->sim->output;
    default:
        return NULL;
    }
}

/* The array [m] with phi of a row, or its time derivative; NULL: there is none. */
static const double *array_of_level(const row_values *x, zr_column_kind kind, int32_t row)
{
    zm_row_kind what = x->sim->row_kind[row];
    if (kind == ZR_COL_RESIDUAL)
        return what == ZM_ACCELERATION ? x->answer.residual : x->sim->level;
    if (what == ZM_HOLONOMIC) return x->sim->level + x->zm->m;
    return what == ZM_ACCELERATION ? NULL : x->answer.residual;
}

/* Kinds that a model has one of. NaN: the solve failed, or M is singular (gaussian). */
static double value_of_model(const row_values *x, zr_column_kind kind)
{
    bool solved = x->answer.acceleration != NULL;
    switch (kind) {
    case ZR_COL_TIME:
        return x->sim->t;
    case ZR_COL_ENERGY:
        return x->energies.energy;
    case ZR_COL_KINETIC:
        return x->energies.kinetic;
    case ZR_COL_POTENTIAL:
        return x->energies.potential;
    case ZR_COL_GAUSSIAN:
        return solved && !x->answer.mass_singular ? x->answer.gaussian : (double)NAN;
    case ZR_COL_INCONSISTENCY:
        return solved ? x->answer.inconsistency_norm : (double)NAN;
    default:
        return solved ? (double)x->answer.rank : (double)NAN;
    }
}

/* NaN where reactions are drawn and the solve failed: programs were not asked then. */
static double value_of_drawing(const row_values *x, int32_t number)
{
    if (x->picture->solved && !x->answer.acceleration) return (double)NAN;
    return zr_drawn_number(x->picture, x->sim, number);
}

/* What touches. NaN: it needs a solve that failed. */
static double value_of_touching(const row_values *x, const zr_column *c)
{
    const zr_contacts *contacts = x->sim->contacts;
    int32_t row = zr_row_of_column(x->sim->model, c);
    if (row >= 0) return x->answer.multipliers ? x->answer.multipliers[row] : (double)NAN;
    switch ((zr_column_kind)c->kind) {
    case ZR_COL_SLIP:
        return contacts->slip[c->number];
    case ZR_COL_CONTACT:
        return zr_site_state(x->sim, c->number);
    case ZR_COL_IMPULSE:
        return contacts->impulse[c->number];
    default:
        break;
    }
    bool accelerations = x->sim->row_kind[x->zm->contacts[c->number].row] == ZM_ACCELERATION;
    return accelerations && !x->answer.acceleration ? (double)NAN : contacts->gap[c->number];
}

/* NaN where there is no such number, or it needs a solve that failed. */
static double value_of_column(const row_values *x, const zr_column *c)
{
    zr_column_kind kind = (zr_column_kind)c->kind;
    const double *array;
    if (c->by > 0) return (double)NAN; /* found apart */
    if (zr_column_types[kind].sort == ZR_OF_MODEL) return value_of_model(x, kind);
    if (kind == ZR_COL_DRAW) return value_of_drawing(x, c->number);
    if (kind >= ZR_COL_GAP && kind <= ZR_COL_IMPULSE) return value_of_touching(x, c);
    if (kind == ZR_COL_OUTPUT && !x->answer.acceleration &&
        zr_output_solved(x->sim->model, c->number))
        return (double)NAN;
    if (kind == ZR_COL_RESIDUAL || kind == ZR_COL_RATE)
        array = array_of_level(x, kind, c->number);
    else
        array = array_of_kind(x, kind);
    return array ? array[c->number] : (double)NAN;
}

/* Whether the column comes from the principle's answer. */
static bool is_solved_column(const row_values *x, const zr_column *c)
{
    zr_column_kind kind = (zr_column_kind)c->kind;
    if (c->by > 0) return false;
    if (kind == ZR_COL_OUTPUT) return zr_output_solved(x->sim->model, c->number);
    if (kind == ZR_COL_DRAW) return x->picture->numbers.data[c->number].solved;
    if (kind == ZR_COL_RESIDUAL || kind == ZR_COL_RATE)
        return array_of_level(x, kind, c->number) == x->answer.residual;
    return kind != ZR_COL_RANK && (zr_column_types[kind].need & ZR_NEED_SOLVE) != 0;
}

/* ------------------------------------------------------- beside a singular place */

enum { piece = 32 }; /* columns that are found together, at all nodes */

/* The largest number of an answer. */
static double find_largest_of_answer(const row_values *x)
{
    double largest = 0.0;
    if (!x->answer.acceleration) return 0.0;
    for (int32_t i = 0; i < x->zm->n; i++)
        largest = fmax(largest, fmax(fabs(x->answer.acceleration[i]), fabs(x->answer.force[i])));
    for (int32_t i = 0; i < x->zm->m; i++) largest = fmax(largest, fabs(x->answer.multipliers[i]));
    return largest;
}

/* `count` columns at every node: value [count][nodes]; *largest of what was solved. */
static zw_status evaluate_at_nodes(zw_sim *sim, const zw_columns *columns, int32_t first,
                                   int32_t count, const double *node, double value[][ZR_NODES],
                                   double *largest)
{
    for (int k = 0; k < ZR_NODES; k++) {
        bool good;
        ZB_TRY(zr_show_node(sim, node[k], &good));
        row_values x = {.sim = sim,
                        .source = zr_source(sim, sim->t, sim->q, sim->v),
                        .zm = sim->zm,
                        .picture = columns->picture};
        (void)evaluate_needs(&x, columns->needs, ZW_OK);
        *largest = fmax(*largest, find_largest_of_answer(&x));
        for (int32_t i = 0; i < count; i++)
            value[i][k] = value_of_column(&x, &columns->list.data[first + i]);
    }
    return ZW_OK;
}

/* What was solved for at the state itself gives way to the limit of what it is around it; NaN where
 * there is none. */
static void replace_by_limits(row_values *x, const zw_columns *columns, double *row)
{
    double node[ZR_NODES], value[piece][ZR_NODES], largest = 0.0;
    bool found = false;
    zw_status status = zr_begin_nodes(x->sim, node, &found);
    for (int32_t first = 0; first < columns->list.count; first += piece) {
        int32_t count = columns->list.count - first < piece ? columns->list.count - first : piece;
        if (found && status == ZW_OK)
            status = evaluate_at_nodes(x->sim, columns, first, count, node, value, &largest);
        for (int32_t i = 0; i < count; i++) {
            if (!is_solved_column(x, &columns->list.data[first + i])) continue;
            row[first + i] = found && status == ZW_OK
                                 ? zr_limit_of_nodes(node, value[i], x->source.time, 1e-7 * largest)
                                 : (double)NAN;
        }
    }
    zr_end_nodes(x->sim);
}

/* Where the solve fails what needs it is not a number, the rest is there. */
zw_status zr_sim_columns(zw_sim *sim, const zw_columns *columns, double *row)
{
    row_values x = {.sim = sim,
                    .source = zr_source(sim, sim->t, sim->q, sim->v),
                    .zm = sim->zm,
                    .picture = columns->picture};
    ZB_TRY(zr_show_state_of_switches(sim));
    zw_status decided = zr_ready_mode(sim);
    if (zr_is_memory(decided)) return decided;
    zw_status status = evaluate_needs(&x, columns->needs, decided);
    for (int32_t i = 0; i < columns->list.count; i++)
        row[i] = value_of_column(&x, &columns->list.data[i]);
    if (columns->by.count > 0) ZB_TRY(zr_derivatives_row(sim, columns, row));
    if (columns->shares && sim->run && x.answer.acceleration)
        zr_note_shares(sim, columns, &x.source, &x.answer);
    if (columns->needs & ZR_NEED_SOLVE && zr_is_beside_place(sim))
        replace_by_limits(&x, columns, row);
    return status;
}
