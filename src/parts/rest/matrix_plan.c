/*
 * Planning of a matrix: levels are cut off one after another, until nothing repeats or few rows are
 * left; then it is seen from below which of them pay. What is left is for an ordinary factor.
 *
 *     level 0  ─cut─▶ parts + level 1  ─cut─▶ parts + level 2  ...  rest
 *
 *     seconds(k) = parts of level k + seconds(k + 1), or those of an ordinary factor of level k
 *                  if that is less: then it is the rest
 *
 * An order for the ordinary factor of a large level is sought only where a bound of its time does
 * not settle it. The matrix owns its arena, the programs and the factor of the rest; all else lives
 * in the planner and goes with it. Running out of memory jumps to one place.
 */
#include "matrix_plan.h"

#include "costs.h"

enum { enough_rows = 16 };

/* For calls that return a status, among those that jump themselves. */
void ze_must(ze_planner *p, zw_status status)
{
    if (status == ZW_OK) return;
    p->status = status;
    longjmp(p->escape, 1);
}

/* ------------------------------------------------------------------ ordinary factors */

static double seconds_by_rates(const ze_factor_rates *r, int32_t n, const za_prediction *q)
{
    return r->row * n + r->nonzero * (double)q->nonzeros + r->flop * q->flops;
}

/* The faster of the two kinds of factor. */
double ze_ordinary_seconds(int32_t n, const za_prediction *q, const za_factoring **way)
{
    double thin = seconds_by_rates(&ze_up_looking_rates, n, q),
           thick = seconds_by_rates(&ze_supernodal_rates, n, q);
    if (way) *way = thin <= thick ? &za_up_looking : &za_supernodal;
    return thin <= thick ? thin : thick;
}

/* Orders x by minimum degree and predicts an ordinary factor: seconds, and which it is. order [n];
 * way may be NULL. */
static double predict_ordinary(ze_planner *p, const za_symmetric *x, int32_t *order,
                               const za_factoring **way)
{
    za_prediction q = {0};
    ze_must(p, za_order_amd(p->memory, x, order));
    ze_must(p, za_predict(p->memory, x, order, &q));
    return ze_ordinary_seconds(x->n, &q, way);
}

/* Seconds of an ordinary factor without any fill: a lower bound. */
static double least_seconds(const za_symmetric *x)
{
    za_prediction q = {.nonzeros = x->start[x->n] - x->n};
    return ze_ordinary_seconds(x->n, &q, NULL);
}

/* Seconds of an ordinary factor of a whole level, found once. */
static double ordinary_level_seconds(ze_planner *p, ze_level *level)
{
    if (level->ordinary < 0.0) {
        zb_mark mark = zb_arena_mark(&p->scratch);
        int32_t *order = ZB_NEW_ARRAY(&p->scratch, int32_t, level->x.n);
        level->ordinary = predict_ordinary(p, &level->x, order, NULL);
        zb_arena_release(&p->scratch, mark);
    }
    return level->ordinary;
}

/* ---------------------------------------------------------------------------- levels */

/* Level after level, as long as something repeats. */
static void cut_levels_off(ze_planner *p)
{
    for (;;) {
        ze_level *level = &p->levels[p->count - 1];
        if (level->x.n <= enough_rows || p->count > ze_most_steps) return;
        ze_level_graph(p, level);
        ze_cut_level(p, level);
        if (!level->cut) return;
        ze_level_below(p, level, &p->levels[p->count]);
        p->count++;
    }
}

/* Drops levels that an ordinary factor does faster; seconds of all that is left. */
static double drop_slow_levels(ze_planner *p)
{
    double seconds = ordinary_level_seconds(p, &p->levels[p->count - 1]);
    for (int32_t k = p->count - 2; k >= 0; k--) {
        ze_level *level = &p->levels[k];
        seconds += level->cut->cost;
        if (least_seconds(&level->x) > seconds) continue;
        double ordinary = ordinary_level_seconds(p, level);
        if (ordinary > seconds) continue;
        seconds = ordinary;
        level->cut = NULL;
        p->count = k + 1;
    }
    return seconds;
}

/* The ordinary factor of the last level; none where no row is left. */
static void plan_rest(ze_planner *p)
{
    const za_symmetric *x = &p->levels[p->count - 1].x;
    ze_rest *rest = &p->matrix->rest;
    rest->n = x->n;
    if (x->n == 0) return;
    zb_mark mark = zb_arena_mark(&p->scratch);
    int32_t *order = ZB_NEW_ARRAY(&p->scratch, int32_t, x->n);
    (void)predict_ordinary(p, x, order, &rest->way);
    ze_must(p, rest->way->plan(p->memory, x, order, &rest->factor));
    zb_arena_release(&p->scratch, mark);
}

/* What planning alone needed of the classes lies in the planner's arena, which goes. Counts
 * operations. */
static void forget_patterns(ze_matrix *m)
{
    for (int32_t k = 0; k < m->step_count; k++) {
        for (int32_t c = 0; c < m->steps[k].class_count; c++) {
            ze_row_class *class = &m->steps[k].classes[c];
            class->entries = class->pairs = NULL;
            class->order = NULL;
            m->operations += class->operations * class->count;
        }
    }
}

/* Nothing here returns early for want of memory: that jumps back to the start. */
static zw_status plan_levels(ze_planner *p, const za_symmetric *x, bool *serves)
{
    if (setjmp(p->escape)) {
        if (p->status != ZW_OK) return p->status;
        const zw_status all[] = {p->arena.failure, p->scratch.failure, p->matrix->arena.failure};
        for (int k = 0; k < 3; k++)
            if (all[k] != ZW_OK) return all[k];
        return p->memory->failure;
    }
    p->levels[0] = (ze_level){.x = *x, .ordinary = -1.0};
    p->count = 1;
    cut_levels_off(p);
    if (p->over && least_seconds(x) > p->limit) return ZW_OK;
    p->matrix->cost = drop_slow_levels(p);
    if (p->limit > 0.0 && !(p->matrix->cost <= p->limit)) return ZW_OK;
    zx_pool_init(&p->pool, p->memory, &p->escape, true);
    p->pooled = true;
    plan_rest(p);
    ze_lay_out_matrix(p);
    forget_patterns(p->matrix);
    *serves = true;
    return ZW_OK;
}

/* The matrix stays; its arena must not jump any more. */
static void close_planner(ze_planner *p)
{
    ze_shape_set_free(p->shapes);
    if (p->pooled) zx_pool_free(&p->pool);
    zb_arena_clear(&p->scratch);
    zb_arena_clear(&p->arena);
    p->matrix->arena.escape = NULL;
    zb_resize(p->memory, p, sizeof *p, 0);
}

/* The planner is large and lives only here; whatever goes wrong, both are given back. */
zw_status ze_matrix_plan(zb_memory *memory, const za_symmetric *x, int32_t width, double limit,
                         ze_matrix **matrix)
{
    *matrix = NULL;
    ze_matrix *m = zb_resize(memory, NULL, 0, sizeof *m);
    if (!m) return memory->failure;
    *m = (ze_matrix){.memory = memory, .width = width};
    zb_arena_init(&m->arena, memory, 0);
    ze_planner *p = zb_resize(memory, NULL, 0, sizeof *p);
    if (!p) {
        ze_matrix_free(m);
        return memory->failure;
    }
    *p = (ze_planner){.memory = memory, .matrix = m, .width = width, .limit = limit};
    zb_arena_init(&p->arena, memory, 0);
    zb_arena_init(&p->scratch, memory, 0);
    p->arena.escape = p->scratch.escape = m->arena.escape = &p->escape;
    bool serves = false;
    zw_status status = plan_levels(p, x, &serves);
    close_planner(p);
    if (status == ZW_OK && serves) *matrix = m;
    if (!*matrix) ze_matrix_free(m);
    return status;
}

/* --------------------------------------------------------------------------- objects */

/* NULL is allowed; also of a matrix that was planned in part. */
void ze_matrix_free(ze_matrix *matrix)
{
    if (!matrix) return;
    zb_memory *memory = matrix->memory;
    for (int32_t k = 0; k < matrix->step_count; k++)
        for (int32_t c = 0; c < matrix->steps[k].class_count; c++)
            ze_row_class_clear(&matrix->steps[k].classes[c]);
    if (matrix->rest.factor) matrix->rest.way->free(matrix->rest.factor);
    zb_arena_clear(&matrix->arena);
    zb_resize(memory, matrix, sizeof *matrix, 0);
}

double ze_matrix_cost(const ze_matrix *matrix)
{
    return matrix->cost;
}

/* Bytes: the arena and the programs; not the factor of the rest. */
void ze_matrix_facts_of(const ze_matrix *matrix, ze_matrix_facts *facts)
{
    *facts = (ze_matrix_facts){.levels = matrix->step_count + 1,
                               .rest = matrix->rest.n,
                               .operations = matrix->operations,
                               .bytes = matrix->arena.held};
    for (int32_t k = 0; k < matrix->step_count; k++) {
        facts->shapes += matrix->steps[k].class_count;
        for (int32_t c = 0; c < matrix->steps[k].class_count; c++) {
            const ze_row_class *class = &matrix->steps[k].classes[c];
            const zk_program *all[] = {class->down, class->forward, class->back};
            for (int a = 0; a < 3; a++) {
                zk_statistics statistics;
                zk_statistics_of(all[a], &statistics);
                facts->bytes += statistics.bytes;
            }
        }
    }
}

/* Down, forward and back of every class. */
int32_t ze_matrix_programs(const ze_matrix *matrix, zk_program **list)
{
    int32_t count = 0;
    for (int32_t k = 0; k < matrix->step_count; k++) {
        for (int32_t c = 0; c < matrix->steps[k].class_count; c++) {
            const ze_row_class *class = &matrix->steps[k].classes[c];
            zk_program *all[] = {class->down, class->forward, class->back};
            for (int a = 0; a < 3; a++, count++)
                if (list) list[count] = all[a];
        }
    }
    return count;
}
