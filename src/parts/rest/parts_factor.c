/*
 * Elimination by parts behind the table of functions that every factor of linalg has: factor is
 * down through the levels of a matrix, solve is forward and back with the factor that is there.
 *
 *     values ──▶ inputs ──down──▶ factor
 *          x ──▶ inputs ──forward, back──▶ answers ──▶ x
 *
 * Numbers reach the lanes group by group, just before the program of the group is evaluated, by
 * tables in the order of the lanes: what is written is read at once.
 *
 * plan makes machine code, unless the system refuses it, and gives NULL where an ordinary factor is
 * about as fast. The factor owns matrix and code; after plan nothing is allocated. One solve at a
 * time.
 */
#include "costs.h"
#include "matrix_plan.h"

enum { least_rows = 64 };
static const double worth = 0.7; /* of the ordinary time */

typedef struct parts_factor {
    zb_memory *memory;
    ze_matrix *matrix;
    zk_native *native;
    int32_t n, entries, width;
    double cost;
    zb_arena arena;
    ze_direct direct;
} parts_factor;

/* NULL is allowed. */
static void free_parts_factor(void *factor)
{
    parts_factor *f = factor;
    if (!f) return;
    zk_native_free(f->native);
    ze_matrix_free(f->matrix);
    zb_arena_clear(&f->arena);
    zb_resize(f->memory, f, sizeof *f, 0);
}

/* Seconds of an ordinary factor; order NULL: at least, as if nothing filled. */
static zw_status ordinary_factor_seconds(zb_memory *memory, const za_symmetric *x,
                                         const int32_t *order, double *seconds)
{
    za_prediction q = {.nonzeros = x->start[x->n] - x->n};
    if (order) ZB_TRY(za_predict(memory, x, order, &q));
    *seconds = ze_ordinary_seconds(x->n, &q, NULL);
    return ZW_OK;
}

/* Machine code where it can be had; only memory that runs out is a failure. */
static zw_status make_matrix_native(parts_factor *f)
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

/* ---------------------------------------------------------------------------- tables */

/* Numbers of step 0: inputs, answers. */
static void count_step_places(const ze_matrix *m, ze_direct *s)
{
    for (int32_t c = 0; c < m->steps[0].class_count; c++) {
        const ze_row_class *class = &m->steps[0].classes[c];
        s->inputs = class->inputs_at + class->groups * ze_group_size(class->slots, m->width);
        s->answers = class->answers_at + class->groups * ze_group_size(class->inner, m->width);
    }
}

/* Entries and rows that are not in step 0 are listed, the others put into the tables. */
static void sort_places(const parts_factor *f, ze_direct *s)
{
    const ze_matrix *m = f->matrix;
    for (int32_t e = 0; e < f->entries; e++) {
        int32_t place = m->entry_places[e];
        if (place < s->inputs)
            s->source[place] = e;
        else
            s->entries[s->entry_count++] = (ze_index_pair){place, e};
    }
    for (int32_t i = 0; i < f->n; i++) {
        int32_t right = m->right_places[i], answer = m->answer_places[i];
        if (right < s->inputs) {
            s->source[right] = i;
            s->owner[answer] = i;
            continue;
        }
        s->rights[s->row_count] = (ze_index_pair){right, i};
        s->others[s->row_count++] = (ze_index_pair){answer, i};
    }
}

/* Lanes without a part do what the last part does. */
static void repeat_last_part(const ze_matrix *m, ze_direct *s)
{
    for (int32_t c = 0; c < m->steps[0].class_count; c++) {
        const ze_row_class *class = &m->steps[0].classes[c];
        int32_t last = class->groups - 1, used = class->count - last * m->width;
        int32_t *source =
            s->source + class->inputs_at + last * ze_group_size(class->slots, m->width);
        int32_t *owner =
            s->owner + class->answers_at + last * ze_group_size(class->inner, m->width);
        for (int32_t l = used; l < m->width; l++) {
            for (int32_t k = 0; k < class->slots; k++)
                source[k * m->width + l] = source[k * m->width + used - 1];
            for (int32_t k = 0; k < class->inner; k++)
                owner[k * m->width + l] = owner[k * m->width + used - 1];
        }
    }
}

/* Where the numbers of step 0 come from and go to, and what is not in step 0. */
static zw_status make_tables(parts_factor *f)
{
    ze_direct *s = &f->direct;
    count_step_places(f->matrix, s);
    s->source = ZB_NEW_ARRAY(&f->arena, int32_t, s->inputs);
    s->owner = ZB_NEW_ARRAY(&f->arena, int32_t, s->answers);
    s->entries = ZB_NEW_ARRAY(&f->arena, ze_index_pair, f->entries);
    s->rights = ZB_NEW_ARRAY(&f->arena, ze_index_pair, f->n);
    s->others = ZB_NEW_ARRAY(&f->arena, ze_index_pair, f->n);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    sort_places(f, s);
    repeat_last_part(f->matrix, s);
    return ZW_OK;
}

/* f->matrix stays NULL where an ordinary factor is about as fast. The prediction of a matrix knows
 * down and back only: forward is added. */
static zw_status build_parts_factor(parts_factor *f, const za_symmetric *x, const int32_t *order)
{
    double ordinary = 0.0, spread = ze_spread_seconds * ((double)f->entries + 2.0 * x->n);
    ZB_TRY(ordinary_factor_seconds(f->memory, x, order, &ordinary));
    double limit = (worth * ordinary - spread) / ze_forward_times;
    if (!(limit > 0.0)) return ZW_OK;
    ZB_TRY(ze_matrix_plan(f->memory, x, f->width, limit, &f->matrix));
    if (!f->matrix) return ZW_OK;
    ze_matrix_facts facts;
    ze_matrix_facts_of(f->matrix, &facts);
    if (facts.levels > 1)
        ZB_TRY(make_matrix_native(f)); /* otherwise an ordinary factor and no more */
    double slower = f->native ? ze_forward_times : ze_forward_times * ze_byte_code_times;
    f->cost = slower * ze_matrix_cost(f->matrix) + spread;
    if (facts.levels > 1 && f->cost < worth * ordinary) return make_tables(f);
    ze_matrix_free(f->matrix);
    f->matrix = NULL;
    return ZW_OK;
}

/* *factor NULL: it does not serve. */
static zw_status plan_with_width(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                                 int32_t width, void **factor)
{
    *factor = NULL;
    if (x->n < least_rows) return ZW_OK;
    parts_factor *f = zb_resize(memory, NULL, 0, sizeof *f);
    if (!f) return memory->failure;
    *f = (parts_factor){.memory = memory, .width = width, .n = x->n, .entries = x->start[x->n]};
    zb_arena_init(&f->arena, memory, 0);
    zw_status status = build_parts_factor(f, x, order);
    if (status == ZW_OK && f->matrix) {
        *factor = f;
        return ZW_OK;
    }
    free_parts_factor(f);
    return status;
}

double ze_factoring_cost(const void *factor)
{
    return ((const parts_factor *)factor)->cost;
}

/* A pivot that is not positive makes the factor incomplete: the caller takes another. */
static void factor_by_parts(void *factor, const double *values, za_pivots *pivots)
{
    parts_factor *f = factor;
    ze_direct s = f->direct;
    double smallest;
    s.values = values;
    ze_factor_directly(f->matrix, &s, &smallest);
    bool definite = smallest > 0.0;
    *pivots = (za_pivots){.negative = definite ? 0 : 1,
                          .smallest = definite ? smallest : ZB_NAN,
                          .complete = definite};
}

/* x [n]: the right side, then the answer. */
static void solve_by_parts(const void *factor, double *x, double *work)
{
    const parts_factor *f = factor;
    ze_direct s = f->direct;
    (void)work;
    s.x = x;
    ze_solve_directly(f->matrix, &s);
}

/* The table, and its function plan, for a number of lanes. */
#define FACTORING(storage, name_, width)                                                           \
    static zw_status plan_##name_(zb_memory *memory, const za_symmetric *x, const int32_t *order,  \
                                  void **factor)                                                   \
    {                                                                                              \
        return plan_with_width(memory, x, order, (width), factor);                                 \
    }                                                                                              \
    storage const za_factoring name_ = {.name = "parts",                                           \
                                        .plan = plan_##name_,                                      \
                                        .free = free_parts_factor,                                 \
                                        .factor = factor_by_parts,                                 \
                                        .solve = solve_by_parts};
FACTORING(, ze_factoring, zk_best_width())
FACTORING(static, factoring_by_4, 4)
FACTORING(static, factoring_by_8, 8)

const za_factoring *ze_find_factoring(int32_t width)
{
    return width == 4 ? &factoring_by_4 : width == 8 ? &factoring_by_8 : &ze_factoring;
}
