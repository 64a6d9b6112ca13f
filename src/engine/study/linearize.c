/*
 * The linearisation of a model at a state, in minimal coordinates with names (minimal_states.c):
 *
 *     (x; w)' = A (x; w) + B u,    y = C (x; w) + D u
 *
 *     A = [ (E)_f  (T2)_f ; z along (T, E)  z along T2 ]   in the rows of independent places f and speeds g
 *     B = [ 0 ; z along u ]                                 inputs u are parameters
 *     C, D: the rates of columns along the same directions
 *
 * Each column is one tangent. What is linearised at a state that moves is the motion beside it at this
 * moment. Poles are the eigenvalues of A.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "study.h"

/* The result, with the memory that it lies in. */
typedef struct linear {
    zw_linearization is; /* first: what the caller holds */
    zb_arena arena;
    zb_memory *memory;
    double *A, *B, *C, *D, *re, *im;
    const char **names; /* [states + inputs + outputs] */
    zw_sim *sim;
    zr_vary *vary;
    zr_minimal minimal;
    zr_parameter_list inputs;
    zw_columns *columns; /* NULL: no outputs */
    double *rate;        /* [columns] */
} linear;

/* ------------------------------------------------------------------- what is asked */

/* Coordinates of a list of names, which columns find: E0721 and a message of their own. */
static zw_status read_states(linear *l, const char *names, int32_t **wanted, int32_t *count)
{
    zw_columns *columns = NULL;
    *count = 0;
    *wanted = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)l->sim->zm->n);
    if (!*wanted || !names) return l->arena.failure;
    ZB_TRY(zr_columns_create(l->sim->model, names, &columns));
    zw_status status = ZW_OK;
    for (int32_t i = 1; i < columns->list.count && status == ZW_OK; i++) {
        const zr_column *c = &columns->list.data[i];
        if (c->kind == ZR_COL_POSITION) {
            (*wanted)[(*count)++] = c->number;
            continue;
        }
        zb_text text;
        zb_text_init(&text, l->sim->memory);
        zb_text_char(&text, '`');
        zr_text_column(l->sim->model, c, &text);
        zb_text_add(&text, "` is no coordinate and cannot be a state");
        status = zr_refuse_study(l->sim, "E0738", "name coordinates; velocities follow from them",
                                 &text, ZW_ERR_SETTING);
    }
    zr_columns_free(columns);
    return status;
}

/* The inputs of the model where none are named. */
static zw_status read_inputs(linear *l, const char *names)
{
    const zm_model *zm = l->sim->zm;
    ZB_TRY(zr_list_parameters(l->sim, &l->arena, names, &l->inputs));
    for (int32_t i = 0; !names && i < zm->parameter_count; i++)
        if (zm->input[i] == ZM_INPUT && !zm->structural[i])
            l->inputs.element[l->inputs.count++] = i;
    return ZW_OK;
}

/* A list of the model's outputs, where there are any and none are named. */
static zw_status read_outputs(linear *l, const char *names)
{
    zb_text list;
    zw_status status = ZW_OK;
    zb_text_init(&list, l->memory);
    for (int32_t k = 0; !names && k < l->sim->zm->output_count; k++) {
        if (k > 0) zb_text_add(&list, ", ");
        zm_label_text(l->sim->zm, &l->sim->zm->outputs[k].label, &list);
    }
    if (!names && list.length > 0) names = zb_text_string(&list);
    if (names) status = zr_columns_create(l->sim->model, names, &l->columns);
    if (status == ZW_OK && l->columns) status = zr_check_columns(l->sim->model, l->sim, l->columns);
    zb_text_free(&list);
    return status;
}

/* ------------------------------------------------------------------------ columns */

/* An input in a constraint moves what the states determine, by itself and by its rate. */
static zw_status check_input(linear *l, int32_t input)
{
    zr_vary *vary = l->vary;
    zw_sim *sim = l->sim;
    int32_t m = sim->zm->m;
    memset(vary->dlevel, 0, sizeof *vary->dlevel * 4 * (size_t)m);
    zr_vary_evaluate(vary, ZR_VARY_VALUES, NULL, vary->dlevel);
    zr_vary_evaluate(vary, ZR_VARY_RATES, NULL, vary->dlevel);
    for (int32_t i = 0; i < m; i++) {
        if (sim->contacts && sim->contacts->off[i]) continue;
        if (vary->dlevel[i] == 0.0 && vary->dlevel[m + i] == 0.0) continue;
        zb_text text;
        zb_text_init(&text, sim->memory);
        zb_text_char(&text, '\'');
        zm_parameter_text(sim->zm, l->inputs.element[input], &text);
        zb_text_add(&text, "' cannot be an input: the constraint ");
        zr_text_row(sim->model, i, &text);
        zb_text_add(&text, " moves with it");
        return zr_refuse_study(
            sim, "E0738",
            "inputs may stand in forces and in constraints on accelerations; let "
            "the constraint follow a coordinate that a force moves",
            &text, ZW_ERR_SETTING);
    }
    return ZW_OK;
}

/* The tangent along a direction as column `at` of two matrices of `width` columns. */
static zw_status write_column(linear *l, const zr_direction *d, double *to, double *out,
                              int32_t width, int32_t at)
{
    zr_minimal *x = &l->minimal;
    ZB_TRY(zr_tangent(l->vary, d));
    for (int32_t k = 0; k < x->places; k++) to[k * width + at] = d->v ? d->v[x->place[k]] : 0.0;
    for (int32_t k = 0; k < x->speeds; k++)
        to[(x->places + k) * width + at] = l->vary->dz[x->speed[k]];
    if (!l->columns) return ZW_OK;
    ZB_TRY(zr_vary_columns(l->vary, l->columns, d, 0, l->rate));
    for (int32_t i = 1; i < l->columns->list.count; i++) out[(i - 1) * width + at] = l->rate[i];
    return ZW_OK;
}

/* The direction of state k. */
static zr_direction direction_of_state(const linear *l, int32_t k)
{
    const zr_minimal *x = &l->minimal;
    size_t n = (size_t)x->n;
    if (k < x->places) return (zr_direction){.q = x->T + (size_t)k * n, .v = x->E + (size_t)k * n};
    return (zr_direction){.v = x->T2 + (size_t)(k - x->places) * n};
}

static zw_status write_matrices(linear *l)
{
    int32_t states = l->is.states;
    for (int32_t k = 0; k < states; k++) {
        zr_direction d = direction_of_state(l, k);
        ZB_TRY(write_column(l, &d, l->A, l->C, states, k));
    }
    for (int32_t k = 0; k < l->inputs.count; k++) {
        ZB_TRY(zr_vary_parameter(l->sim, l->inputs.element[k], l->vary->rates));
        zr_direction d = {.values = l->vary->rates};
        zr_vary_along(l->vary, &d);
        ZB_TRY(check_input(l, k));
        ZB_TRY(write_column(l, &d, l->B, l->D, l->inputs.count, k));
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------- result */

/* The text in memory of the result. */
static const char *keep_name(linear *l, zb_text *text)
{
    const char *name = zb_arena_string(&l->arena, zb_text_string(text), text->length);
    zb_text_clear(text);
    return name;
}

static zw_status write_names(linear *l)
{
    zb_text text;
    const char **name = l->names;
    zb_text_init(&text, l->memory);
    for (int32_t k = 0; k < l->is.states; k++) {
        bool place = k < l->minimal.places;
        zr_text_coordinate(l->sim->model,
                           place ? l->minimal.place[k] : l->minimal.speed[k - l->minimal.places],
                           place ? 0 : 1, &text);
        *name++ = keep_name(l, &text);
    }
    for (int32_t k = 0; k < l->inputs.count; k++) {
        zm_parameter_text(l->sim->zm, l->inputs.element[k], &text);
        *name++ = keep_name(l, &text);
    }
    for (int32_t k = 0; k < l->is.outputs; k++) {
        zr_text_column(l->sim->model, &l->columns->list.data[k + 1], &text);
        *name++ = keep_name(l, &text);
    }
    zw_status failed = text.failure;
    zb_text_free(&text);
    return failed == ZW_OK ? l->arena.failure : failed;
}

static double *take_matrix(linear *l, int32_t rows, int32_t columns)
{
    return ZB_NEW_ARRAY(&l->arena, double, zb_product((size_t)rows, (size_t)columns) + 1);
}

static zw_status take_result(linear *l)
{
    zw_linearization *is = &l->is;
    is->places = l->minimal.places;
    is->states = l->minimal.places + l->minimal.speeds;
    is->inputs = l->inputs.count;
    is->outputs = l->columns ? l->columns->list.count - 1 : 0;
    is->A = l->A = take_matrix(l, is->states, is->states);
    is->B = l->B = take_matrix(l, is->states, is->inputs);
    is->C = l->C = take_matrix(l, is->outputs, is->states);
    is->D = l->D = take_matrix(l, is->outputs, is->inputs);
    is->pole_re = l->re = take_matrix(l, is->states, 1);
    is->pole_im = l->im = take_matrix(l, is->states, 1);
    l->rate = take_matrix(l, is->outputs + 1, 1);
    l->names = ZB_NEW_ARRAY(&l->arena, const char *, is->states + is->inputs + is->outputs + 1);
    is->state_names = l->names;
    is->input_names = l->names ? l->names + is->states : NULL;
    is->output_names = l->names ? l->names + is->states + is->inputs : NULL;
    return l->arena.failure;
}

/* The eigenvalues of A, of a copy. */
static zw_status find_poles(linear *l)
{
    size_t n = (size_t)l->is.states;
    zb_mark mark = zb_arena_mark(&l->arena);
    double *copy = take_matrix(l, l->is.states, l->is.states),
           *work = take_matrix(l, l->is.states, 1);
    zw_status status = l->arena.failure;
    if (status == ZW_OK && n > 0) {
        memcpy(copy, l->A, sizeof *copy * n * n);
        status = za_eigenvalues(l->is.states, copy, l->re, l->im, work);
    }
    zb_arena_release(&l->arena, mark);
    return status;
}

/* How far the state is from rest: the largest speed and acceleration. */
static void find_rest(linear *l)
{
    for (int32_t j = 0; j < l->sim->zm->n; j++) {
        l->is.speed = fmax(l->is.speed, fabs(l->sim->v[j]));
        l->is.acceleration = fmax(l->is.acceleration, fabs(l->vary->acceleration[j]));
    }
    l->is.t = l->sim->t;
}

static zw_status linearize(linear *l, const zw_linearize *asked)
{
    int32_t *wanted, count;
    ZB_TRY(read_states(l, asked->states, &wanted, &count));
    ZB_TRY(read_inputs(l, asked->inputs));
    ZB_TRY(zr_study_state(l->sim, false, &l->vary));
    ZB_TRY(read_outputs(l, asked->outputs));
    ZB_TRY(zr_find_minimal(l->vary, &l->arena, wanted, count, &l->minimal));
    ZB_TRY(take_result(l));
    find_rest(l);
    ZB_TRY(write_matrices(l));
    ZB_TRY(find_poles(l));
    return write_names(l);
}

zw_status zr_sim_linearize(zw_sim *sim, const zw_linearize *asked, zw_linearization **result)
{
    zb_memory *memory = sim->memory;
    if (sim->zm->n > zr_dense_limit || sim->zm->m > zr_dense_limit) return zr_report_large(sim);
    linear *l = zb_resize(memory, NULL, 0, sizeof *l);
    if (!l) return memory->failure;
    *l = (linear){.sim = sim, .memory = memory};
    zb_arena_init(&l->arena, memory, 0);
    zw_status status = linearize(l, asked);
    zr_columns_free(l->columns);
    if (status == ZW_OK)
        *result = &l->is;
    else
        zr_linearization_free(&l->is);
    return status;
}

void zr_linearization_free(zw_linearization *result)
{
    if (!result) return;
    linear *l = (linear *)result;
    zb_memory *memory = l->memory;
    zb_arena_clear(&l->arena);
    zb_resize(memory, l, sizeof *l, 0);
}
