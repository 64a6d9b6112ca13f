/*
 * A matrix in lanes behind the table of functions of linalg: factor spreads the values to their
 * places and runs down, solve runs forward and back with the factor that is there.
 *
 *     values ──entry_places──▶ inputs ──ze_matrix_solve──▶ factor
 *          x ──right_places──▶ inputs ──ze_matrix_again──▶ answers ──answer_places──▶ x
 *
 * plan makes machine code, unless the system refuses it, and gives NULL where an ordinary factor is
 * about as fast. The factor owns matrix and code; after plan nothing is allocated. One solve at a
 * time.
 */
#include "matrix_plan.h"

enum { least_rows = 64 };
static const double worth = 0.7;           /* of the ordinary time */
static const double spread_seconds = 1e-9; /* a value to its place */
static const double by_byte_code = 4.0;    /* so many times as long */

typedef struct factoring {
    zb_memory *memory;
    ze_matrix *matrix;
    zk_native *native;
    int32_t n, entries, width;
    double cost;
} factoring;

static void release(void *factor)
{
    factoring *f = factor;
    if (!f) return;
    zk_native_free(f->native);
    ze_matrix_free(f->matrix);
    zb_resize(f->memory, f, sizeof *f, 0);
}

/* Seconds of an ordinary factor; order NULL: at least, as if nothing filled. */
static zw_status ordinary_seconds(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                                  double *seconds)
{
    za_prediction q = {.nonzeros = x->start[x->n] - x->n};
    if (order) ZB_TRY(za_predict(memory, x, order, &q));
    *seconds = ze_ordinary_seconds(x->n, &q, NULL);
    return ZW_OK;
}

static zw_status make_native(factoring *f)
{
    int32_t count = ze_matrix_programs(f->matrix, NULL);
    size_t bytes = zb_product((size_t)count, sizeof(zk_program *));
    zk_native_report report;
    if (count == 0) return ZW_OK;
    zk_program **list = zb_resize(f->memory, NULL, 0, bytes);
    if (!list) return f->memory->failure;
    (void)ze_matrix_programs(f->matrix, list);
    zk_make_native(f->memory, list, count, f->width, &f->native, &report);
    zb_resize(f->memory, list, bytes, 0);
    return report.state == ZK_NATIVE_MEMORY ? f->memory->failure : ZW_OK;
}

static zw_status build(factoring *f, const za_symmetric *x, const int32_t *order)
{
    double ordinary = 0.0, spread = spread_seconds * ((double)f->entries + 2.0 * x->n);
    ZB_TRY(ordinary_seconds(f->memory, x, order, &ordinary));
    double limit = worth * ordinary - spread;
    if (!(limit > 0.0)) return ZW_OK;
    ZB_TRY(ze_matrix_plan(f->memory, x, f->width, limit, &f->matrix));
    if (!f->matrix) return ZW_OK;
    ze_matrix_facts facts;
    ze_matrix_facts_of(f->matrix, &facts);
    if (facts.levels > 1) ZB_TRY(make_native(f)); /* otherwise an ordinary factor and no more */
    double slower = f->native ? 1.0 : by_byte_code;
    f->cost = slower * ze_matrix_cost(f->matrix) + spread;
    if (facts.levels > 1 && f->cost < worth * ordinary) return ZW_OK;
    ze_matrix_free(f->matrix);
    f->matrix = NULL;
    return ZW_OK;
}

static zw_status plan(zb_memory *memory, const za_symmetric *x, const int32_t *order, void **factor)
{
    *factor = NULL;
    if (x->n < least_rows) return ZW_OK;
    factoring *f = zb_resize(memory, NULL, 0, sizeof *f);
    if (!f) return memory->failure;
    *f = (factoring){
        .memory = memory, .width = zk_best_width(), .n = x->n, .entries = x->start[x->n]};
    zw_status status = build(f, x, order);
    if (status == ZW_OK && f->matrix) {
        *factor = f;
        return ZW_OK;
    }
    release(f);
    return status;
}

double ze_factoring_cost(const void *factor)
{
    return ((const factoring *)factor)->cost;
}

static void run_factor(void *factor, const double *values, za_pivots *pivots)
{
    factoring *f = factor;
    const int32_t *place = ze_matrix_entry_places(f->matrix);
    double *inputs = ze_matrix_inputs(f->matrix), smallest;
    for (int32_t e = 0; e < f->entries; e++) inputs[place[e]] = values[e];
    ze_matrix_solve(f->matrix, &(ze_manner){.evaluator = ZK_FASTEST}, &smallest);
    bool definite = smallest > 0.0;
    *pivots = (za_pivots){.negative = definite ? 0 : 1,
                          .smallest = definite ? smallest : ZB_NAN,
                          .complete = definite};
}

static void solve(const void *factor, double *x, double *work)
{
    const factoring *f = factor;
    const int32_t *right = ze_matrix_right_places(f->matrix);
    const int32_t *answer = ze_matrix_answer_places(f->matrix);
    double *inputs = ze_matrix_inputs(f->matrix);
    const double *answers = ze_matrix_answers(f->matrix);
    (void)work;
    for (int32_t i = 0; i < f->n; i++) inputs[right[i]] = x[i];
    ze_matrix_again(f->matrix, &(ze_manner){.evaluator = ZK_FASTEST});
    for (int32_t i = 0; i < f->n; i++) x[i] = answers[answer[i]];
}

const za_factoring ze_factoring = {
    .name = "lanes", .plan = plan, .free = release, .factor = run_factor, .solve = solve};
