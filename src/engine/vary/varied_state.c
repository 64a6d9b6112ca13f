/*
 * What programs of derivatives read, and what they give: the state is copied in once, a direction for
 * each question; derivatives are added to the places of the passes that they come from. Products with
 * the sparse matrices of a simulation, and the rates of parameters that are defined from others.
 */
#include <string.h>

#include "vary.h"

/* to [count] becomes from, or 0 where that is NULL. */
static void copy_or_clear(double *to, const double *from, int32_t count)
{
    if (count <= 0) return;
    if (from)
        memcpy(to, from, sizeof *to * (size_t)count);
    else
        memset(to, 0, sizeof *to * (size_t)count);
}

/* Segment `which`, 1 or 2, of everything that moves. */
static void set_segment(zr_vary *vary, const zr_direction *d, size_t which)
{
    const zm_model *zm = vary->sim->zm;
    size_t n = (size_t)zm->n, values = (size_t)vary->values, measures = (size_t)zm->measure_count;
    double *value = vary->value + which * values;
    copy_or_clear(vary->position + which * n, d->q, zm->n);
    copy_or_clear(vary->velocity + which * n, d->v, zm->n);
    copy_or_clear(vary->acceleration + which * n, NULL, zm->n);
    copy_or_clear(vary->measure + which * measures, NULL, zm->measure_count);
    copy_or_clear(value, NULL, vary->values);
    if (d->values) copy_or_clear(value, d->values, zm->parameter_count);
    vary->value[3 * values + which - 1] = d->t;
}

void zr_vary_along(zr_vary *vary, const zr_direction *d)
{
    set_segment(vary, d, 1);
}

void zr_vary_along_second(zr_vary *vary, const zr_direction *d)
{
    set_segment(vary, d, 2);
}

/* ------------------------------------------------------------------- evaluating */

/* The outputs of one instance to the places they have in their pass. */
static void put_varied(const zr_varied_pass *varied, const int32_t *place, const double *out,
                       double *matrix, double *vector)
{
    for (int32_t k = 0; k < varied->count; k++) {
        int32_t output = varied->output[k], at = place[output];
        if (output >= varied->of->matrix) {
            if (vector) vector[at] += out[k];
        } else if (matrix && at >= 0) {
            matrix[at] += out[k];
        } else if (matrix) {
            matrix[~at] += 2.0 * out[k];
        }
    }
}

/* All instances, in pieces that fit the buffer. */
static void evaluate_varied(zr_vary *vary, const zr_varied_pass *varied, const zk_source *source,
                            double *matrix, double *vector)
{
    zk_table table = varied->table;
    int32_t all = table.count, piece = vary->room / varied->count;
    size_t outputs = (size_t)varied->of->matrix + (size_t)varied->of->vector;
    for (int32_t i = 0; i < all; i += table.count) {
        table.table =
            varied->table.table ? varied->table.table + (size_t)i * (size_t)table.stride : NULL;
        table.count = all - i < piece ? all - i : piece;
        zk_evaluate_table(varied->code, source, &table, vary->workspace, vary->out);
        for (int32_t k = 0; k < table.count; k++)
            put_varied(varied, varied->of->place + (size_t)(i + k) * outputs,
                       vary->out + (size_t)k * (size_t)varied->count, matrix, vector);
    }
}

/* The state with the directions. */
static zk_source source_of(const zr_vary *vary)
{
    return (zk_source){.position = vary->position,
                       .velocity = vary->velocity,
                       .acceleration = vary->acceleration,
                       .value = vary->value,
                       .measure = vary->measure,
                       .time = vary->t,
                       .evaluator = ZK_BYTE_CODE};
}

void zr_vary_evaluate(zr_vary *vary, zr_varied_kind kind, double *matrix, double *vector)
{
    const zr_varied *varied = &vary->varied[kind];
    zk_source source = source_of(vary);
    for (int32_t i = 0; i < varied->count; i++)
        if (varied->list[i].code) evaluate_varied(vary, &varied->list[i], &source, matrix, vector);
}

void zr_vary_instance(zr_vary *vary, const zr_varied_pass *varied, int32_t instance, double *out)
{
    zk_source source = source_of(vary);
    zk_table table = varied->table;
    int32_t outputs = varied->of->matrix + varied->of->vector;
    for (int32_t k = 0; k < outputs; k++) out[k] = 0.0;
    if (!varied->code) return;
    if (table.table) table.table += (size_t)instance * (size_t)table.stride;
    table.count = 1;
    zk_evaluate_table(varied->code, &source, &table, vary->workspace, vary->out);
    for (int32_t k = 0; k < varied->count; k++) out[varied->output[k]] = vary->out[k];
}

/* --------------------------------------------------------------------- products */

/* The upper triangle is there. */
void zr_multiply_mass(const zw_sim *sim, const double *M, const double *x, double scale, double *y)
{
    const zr_pattern *p = &sim->model->M;
    for (int32_t i = 0; i < p->rows; i++) {
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            int32_t j = p->column[k];
            y[i] += scale * M[k] * x[j];
            if (j != i) y[j] += scale * M[k] * x[i];
        }
    }
}

void zr_multiply_rows(const zw_sim *sim, const double *A, const double *x, double scale, double *y)
{
    const zr_pattern *p = &sim->model->A;
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            y[i] += scale * A[k] * x[p->column[k]];
}

void zr_multiply_rows_back(const zw_sim *sim, const double *A, const double *x, double scale,
                           double *y)
{
    const zr_pattern *p = &sim->model->A;
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            y[p->column[k]] += scale * A[k] * x[i];
}

/* ------------------------------------------------------------------- parameters */

/* The numbers of formulas, and how each parameter moves. */
typedef struct chain {
    const double *values;
    const double *rates;
} chain;

/* zx_value_fn: values, and behind them their rates. */
static double chain_leaf(void *user, const zx_item *leaf)
{
    const chain *c = user;
    return leaf->op == ZX_VALUE     ? c->values[leaf->a]
           : leaf->op == ZX_MEASURE ? c->rates[leaf->a]
                                    : 0.0;
}

/* The rate of one definition, in a pool of its own: every parameter moves by a leaf. */
static double chain_rate(zx_pool *pool, zx_pool *formulas, zx_node definition, int32_t count,
                         zx_node *moves, const chain *c)
{
    zx_node copy, rate;
    pool->tables = formulas->tables;
    zx_copy(pool, formulas, &definition, 1, NULL, NULL, &copy);
    for (int32_t k = 0; k < count; k++) moves[k] = zx_leaf(pool, ZX_MEASURE, k);
    zx_direction d = {.value = moves, .values = count, .time = ZX_NONE};
    zx_directional(pool, &copy, 1, &d, &rate);
    double value = zx_evaluate(pool, rate, chain_leaf, (void *)(uintptr_t)c);
    zx_pool_release(pool, 0);
    return value;
}

/* Everything of the loop that the escape must find. */
typedef struct chaining {
    zx_pool pool;
    jmp_buf escape;
    zx_node *moves;
} chaining;

/* False: memory ran out. Parameters stand behind those they are defined from. */
static bool chain_rates(chaining *at, const zw_sim *sim, int32_t parameter, double *rates)
{
    zm_model *zm = sim->zm;
    chain c = {sim->values, rates};
    zx_pool *formulas = &zm->formulas;
    if (setjmp(at->escape) != 0) {
        formulas->escape = NULL;
        return false;
    }
    formulas->escape = &at->escape;
    for (int32_t k = parameter + 1; formulas->count > 0 && k < zm->parameter_count; k++)
        if (!sim->overridden[k])
            rates[k] = chain_rate(&at->pool, formulas, zm->definitions[k], k, at->moves, &c);
    formulas->escape = NULL;
    return true;
}

zw_status zr_vary_parameter(const zw_sim *sim, int32_t parameter, double *rates)
{
    zb_memory *memory = sim->memory;
    int32_t count = sim->zm->parameter_count;
    size_t bytes = zb_product((size_t)count, sizeof(zx_node));
    chaining at;
    memset(rates, 0, sizeof *rates * (size_t)count);
    rates[parameter] = 1.0;
    at.moves = zb_resize(memory, NULL, 0, bytes);
    if (!at.moves) return memory->failure;
    zx_pool_init(&at.pool, memory, &at.escape, true);
    bool done = chain_rates(&at, sim, parameter, rates);
    zx_pool_free(&at.pool);
    zb_resize(memory, at.moves, bytes, 0);
    return done ? ZW_OK : memory->failure;
}
