/*
 * Passes of the model, differentiated in a direction. Every leaf x of a program gets a rate x', a
 * leaf of its own in a slot behind the others:
 *
 *     position   q  q'  q2'        slots of an instance, three times; of values likewise, and then
 *     value      p  p'  p2' t' t2' the rates of the time
 *
 * and so the arrays that programs read are three times as long. q2' and the others are those of a second
 * direction, in which the derivative is differentiated again. Outputs that no direction moves are left
 * out. Everything is built here, once; the pool of the nodes is emptied after each program.
 */
#include <setjmp.h>
#include <string.h>

#include "contact_laws.h"
#include "events.h"
#include "lookups.h"
#include "switches.h"
#include "vary.h"

/* While programs are built. */
typedef struct planner {
    zr_vary *vary;
    zw_model *model;
    zm_model *zm;
    zb_arena scratch;
    zw_status status;
    size_t workspace, outputs; /* the largest */
    jmp_buf escape;
} planner;

_Noreturn static void give_up(planner *p, zw_status status)
{
    p->status = status;
    longjmp(p->escape, 1);
}

/* -------------------------------------------------------------------------- slots */

/* Slots of a family: all there are where it is whole. */
typedef struct slots {
    int32_t coordinates, values, measures;
} slots;

static slots slots_of(const planner *p, const zm_family *f)
{
    if (!f || f->whole) return (slots){p->zm->n, p->vary->values, p->zm->measure_count};
    return (slots){f->coordinates, f->values, f->measures};
}

/* from [count] three times, each time further on by `all`. */
static int32_t *repeat_slots(int32_t *to, const int32_t *from, int32_t count, int32_t all)
{
    for (int32_t k = 0; k < 3; k++)
        for (int32_t s = 0; s < count; s++) *to++ = from[s] + k * all;
    return to;
}

/* The table of a kept family with the slots of directions; whole families need none. */
static const zk_table *find_varied_table(planner *p, int32_t family)
{
    const zm_family *f = &p->zm->families[family];
    zk_table *table = &p->vary->tables[family];
    if (table->count > 0) return table;
    table->count = f->count;
    if (f->whole || !f->table) return table;
    slots own = slots_of(p, f);
    table->value_at = 3 * own.coordinates;
    table->measure_at = table->value_at + 3 * own.values + 2;
    table->stride = table->measure_at + 3 * own.measures;
    size_t all = zb_product((size_t)f->count, (size_t)table->stride);
    int32_t *to = ZB_NEW_ARRAY(&p->vary->arena, int32_t, all), values = p->vary->values;
    table->table = to;
    for (int32_t i = 0; i < f->count; i++) {
        const int32_t *from = f->table + (size_t)i * (size_t)f->stride;
        to = repeat_slots(to, from, own.coordinates, p->zm->n);
        to = repeat_slots(to, from + own.coordinates, own.values, values);
        *to++ = 3 * values;
        *to++ = 3 * values + 1;
        to = repeat_slots(to, from + own.coordinates + own.values, own.measures,
                          p->zm->measure_count);
    }
    return table;
}

/* ---------------------------------------------------------------------- one program */

/* Leaves of one kind from `first` on, [count]. */
static zx_node *make_rates(planner *p, zx_op op, int32_t first, int32_t count)
{
    zx_node *rates = ZB_NEW_ARRAY(&p->scratch, zx_node, (size_t)count);
    for (int32_t s = 0; s < count; s++) rates[s] = zx_leaf(&p->vary->pool, op, first + s);
    return rates;
}

/* nodes [count] in the pool of derivatives become their derivatives in direction 1 or 2. */
static void differentiate_nodes(planner *p, const slots *own, int which, zx_node *nodes,
                                int32_t count)
{
    zx_pool *pool = &p->vary->pool;
    int32_t c = own->coordinates, v = own->values, k = own->measures;
    zx_direction d = {.slots = c, .values = v, .measures = k};
    d.position = make_rates(p, ZX_POSITION, which * c, c);
    d.velocity = make_rates(p, ZX_VELOCITY, which * c, c);
    d.acceleration = make_rates(p, ZX_ACCELERATION, which * c, c);
    d.value = make_rates(p, ZX_VALUE, which * v, v);
    d.measure = make_rates(p, ZX_MEASURE, which * k, k);
    d.time = zx_leaf(pool, ZX_VALUE, 3 * v + which - 1);
    zx_node *out = ZB_NEW_ARRAY(&p->scratch, zx_node, (size_t)count);
    zx_directional(pool, nodes, count, &d, out);
    memcpy(nodes, out, sizeof *out * (size_t)count);
}

/* Keeps the nodes that are not 0, in their order; which they are: varied->output. */
static void keep_moving(planner *p, zr_varied_pass *varied, zx_node *nodes, int32_t count)
{
    double value;
    varied->output = ZB_NEW_ARRAY(&p->vary->arena, int32_t, (size_t)count);
    for (int32_t k = 0; k < count; k++) {
        if (zx_is_constant(&p->vary->pool, nodes[k], &value) && value == 0.0) continue;
        nodes[varied->count] = nodes[k];
        varied->output[varied->count++] = k;
    }
}

static void vary_pass(planner *p, const zr_pass *pass, bool twice, zr_varied_pass *varied)
{
    zr_vary *vary = p->vary;
    const zm_family *f = pass->family < 0 ? NULL : &p->zm->families[pass->family];
    int32_t count = pass->matrix + pass->vector;
    zb_mark mark = zb_arena_mark(&p->scratch);
    slots own = slots_of(p, f);
    zx_node *nodes = ZB_NEW_ARRAY(&p->scratch, zx_node, (size_t)count);
    *varied = (zr_varied_pass){.of = pass};
    vary->pool.tables = p->zm->pool.tables;
    zx_copy(&vary->pool, &p->zm->pool, pass->nodes, count, NULL, NULL, nodes);
    differentiate_nodes(p, &own, 1, nodes, count);
    if (twice) differentiate_nodes(p, &own, 2, nodes, count);
    keep_moving(p, varied, nodes, count);
    if (varied->count > 0) {
        zw_status status =
            zk_compile(vary->memory, &vary->pool, nodes, varied->count, &varied->code);
        if (status != ZW_OK) give_up(p, status);
        if (zk_workspace(varied->code) > p->workspace) p->workspace = zk_workspace(varied->code);
        varied->table = f ? *find_varied_table(p, pass->family) : (zk_table){.count = 1};
    }
    zx_pool_release(&vary->pool, 0);
    zb_arena_release(&p->scratch, mark);
    if ((size_t)count > p->outputs) p->outputs = (size_t)count;
}

/* -------------------------------------------------------------------------- lists */

/* Those of several lists, one after the other. */
static void vary_passes(planner *p, zr_varied_kind kind, bool twice, const zr_passes *a,
                        const zr_passes *b)
{
    zr_varied *varied = &p->vary->varied[kind];
    int32_t count = a->count + (b ? b->count : 0);
    varied->list = ZB_NEW_ARRAY(&p->vary->arena, zr_varied_pass, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        const zr_pass *pass = i < a->count ? &a->list[i] : &b->list[i - a->count];
        varied->count = i + 1; /* freed from here on */
        vary_pass(p, pass, twice, &varied->list[i]);
    }
}

/* Energies as passes: every instance adds to the same places, the parts of energies. */
static void vary_energies(planner *p)
{
    const zr_sums *sums = &p->model->energy->energies;
    zr_varied *varied = &p->vary->varied[ZR_VARY_ENERGIES];
    zb_arena *arena = &p->vary->arena;
    varied->list = ZB_NEW_ARRAY(arena, zr_varied_pass, (size_t)sums->count);
    for (int32_t i = 0; i < sums->count; i++) {
        const zr_sum *sum = &sums->list[i];
        int32_t instances = p->zm->families[sum->family].count;
        zr_pass *pass = ZB_NEW(arena, zr_pass);
        *pass = (zr_pass){.family = sum->family, .vector = sum->outputs};
        pass->nodes = zb_arena_copy(arena, sum->node, sizeof *sum->node * (size_t)sum->outputs,
                                    _Alignof(zx_node));
        pass->place =
            ZB_NEW_ARRAY(arena, int32_t, zb_product((size_t)instances, (size_t)sum->outputs));
        for (int32_t k = 0; k < instances * sum->outputs; k++)
            pass->place[k] = sum->column[k % sum->outputs];
        varied->count = i + 1;
        vary_pass(p, pass, false, &varied->list[i]);
    }
}

/* ------------------------------------------------------- what stands in no pass */

/* A pass of nodes [count] whose outputs all go to a vector; family -1: of the whole model. */
static zr_pass *make_pass(planner *p, int32_t family, const zx_node *nodes, int32_t count)
{
    zb_arena *arena = &p->vary->arena;
    int32_t instances = family < 0 ? 1 : p->zm->families[family].count;
    zr_pass *pass = ZB_NEW(arena, zr_pass);
    *pass = (zr_pass){.family = family, .vector = count};
    pass->nodes = ZB_NEW_ARRAY(arena, zx_node, (size_t)count);
    pass->place = ZB_NEW_ARRAY(arena, int32_t, zb_product((size_t)instances, (size_t)count));
    if (count > 0) memcpy(pass->nodes, nodes, sizeof *nodes * (size_t)count);
    return pass;
}

/* The right sides of start values that count go to their entry of (q, v), the others behind. */
static void vary_given(planner *p)
{
    const zm_model *zm = p->zm;
    zr_varied *varied = &p->vary->varied[ZR_VARY_GIVEN];
    zr_pass **of = ZB_NEW_ARRAY(&p->scratch, zr_pass *, (size_t)zm->family_count);
    varied->list = ZB_NEW_ARRAY(&p->vary->arena, zr_varied_pass, (size_t)zm->family_count);
    for (int32_t f = 0; f < zm->family_count; f++) {
        const zm_family *family = &zm->families[f];
        if (family->kind != ZM_START_VALUE) continue;
        of[f] = make_pass(p, f, family->roots, family->root_count);
        for (int32_t i = 0; i < family->count * family->root_count; i++)
            of[f]->place[i] = 2 * zm->n;
    }
    for (int32_t i = 0; i < p->model->start_order_count; i++) {
        const zm_start_value *v = &zm->start_values[p->model->start_order[i]];
        const zm_where *w = &v->where;
        of[w->family]->place[w->instance * zm->families[w->family].root_count + w->root] =
            v->coordinate + (v->order == 1 ? zm->n : 0);
    }
    for (int32_t f = 0; f < zm->family_count; f++)
        if (of[f]) vary_pass(p, of[f], false, &varied->list[varied->count++]);
}

/* The new values of each shape of events. */
static void vary_resets(planner *p)
{
    const zm_model *zm = p->zm;
    const struct zr_events *events = p->model->events;
    zr_varied *varied = &p->vary->varied[ZR_VARY_RESETS];
    varied->list = ZB_NEW_ARRAY(&p->vary->arena, zr_varied_pass, (size_t)events->shape_count);
    varied->count = events->shape_count;
    for (int32_t e = 0; e < zm->event_count; e++) {
        const zm_where *w = &zm->events[e].where;
        zr_varied_pass *of = &varied->list[events->shape[e]];
        if (of->of) continue;
        zr_pass *pass =
            make_pass(p, w->family, zm->families[w->family].roots + w->root + 1, w->count - 1);
        vary_pass(p, pass, false, of);
    }
}

/* The gaps of switches, of timed ones, too. */
static void vary_switches(planner *p)
{
    const struct zr_switches *switches = p->model->switches;
    zr_varied *varied = &p->vary->varied[ZR_VARY_SWITCHES];
    zx_node *gaps = ZB_NEW_ARRAY(&p->scratch, zx_node, (size_t)switches->count);
    for (int32_t k = 0; k < switches->count; k++) gaps[k] = switches->list[k].gap;
    varied->list = ZB_NEW(&p->vary->arena, zr_varied_pass);
    zr_pass *pass = make_pass(p, -1, gaps, switches->count);
    for (int32_t k = 0; k < switches->count; k++) pass->place[k] = k;
    vary_pass(p, pass, false, &varied->list[varied->count++]);
}

static void vary_all(planner *p, bool twice)
{
    const zw_model *model = p->model;
    const zr_passes *outputs = NULL;
    int32_t parts = zr_output_passes(model, &outputs);
    vary_passes(p, ZR_VARY_DYNAMICS, false, &model->constant_dynamics, &model->dynamics);
    vary_passes(p, ZR_VARY_ROWS, false, &model->constant_rows, &model->rows);
    vary_passes(p, ZR_VARY_VALUES, false, &model->levels[ZR_POSITION], NULL);
    vary_passes(p, ZR_VARY_RATES, false, &model->levels[ZR_VELOCITY], NULL);
    vary_passes(p, ZR_VARY_NONIDEAL, false, &model->nonideal, NULL);
    vary_passes(p, ZR_VARY_IMPRESSED, false, &model->impressed, NULL);
    vary_passes(p, ZR_VARY_WEIGHTS, false, &model->weights, NULL);
    vary_passes(p, ZR_VARY_OUTPUTS, false, &outputs[0], parts > 1 ? &outputs[1] : NULL);
    vary_energies(p);
    if (model->laws) vary_passes(p, ZR_VARY_GAPS, false, &model->laws->gaps, NULL);
    vary_passes(p, ZR_VARY_EQUATIONS, false, &model->equations, NULL);
    vary_given(p);
    if (model->events) vary_passes(p, ZR_VARY_LOOKS, false, &model->events->looks, NULL);
    if (model->events) vary_resets(p);
    if (model->switches) vary_switches(p);
    if (!twice) return;
    vary_passes(p, ZR_VARY_FORCES_TWICE, true, &model->constant_dynamics, &model->dynamics);
    vary_passes(p, ZR_VARY_ROWS_TWICE, true, &model->constant_rows, &model->rows);
}

/* ------------------------------------------------------------------------- memory */

static double *take_numbers(planner *p, int64_t count)
{
    return ZB_NEW_ARRAY(&p->vary->arena, double, (size_t)(count > 0 ? count : 1));
}

static double *take_aligned(planner *p, size_t count)
{
    return zb_arena_take(&p->vary->arena, zb_product(count + 8, sizeof(double)), 64);
}

static void take_solution(planner *p, zr_solution *s)
{
    int32_t n = p->zm->n, m = p->zm->m;
    s->z = take_numbers(p, n);
    s->lambda = take_numbers(p, m);
    s->r = take_numbers(p, m);
    s->nu = take_numbers(p, n);
}

/* What programs read, derivatives of the matrices, answers. */
static void take_vary_arrays(planner *p)
{
    zr_vary *vary = p->vary;
    const zw_model *model = p->model;
    int64_t n = p->zm->n, m = p->zm->m, measures = p->zm->measure_count;
    vary->position = take_numbers(p, 3 * n);
    vary->velocity = take_numbers(p, 3 * n);
    vary->acceleration = take_numbers(p, 3 * n);
    vary->value = take_numbers(p, 3 * (int64_t)vary->values + 2);
    vary->measure = take_numbers(p, 3 * measures);
    vary->rates = take_numbers(p, p->zm->parameter_count);
    vary->dM = take_numbers(p, model->M.count);
    vary->dQ = take_numbers(p, n);
    vary->dA = take_numbers(p, model->A.count);
    vary->db = take_numbers(p, m);
    vary->dC = take_numbers(p, n);
    vary->dW = take_numbers(p, model->W.count);
    vary->dweight = take_numbers(p, model->weight_outputs);
    vary->dlevel = take_numbers(p, 4 * m);
    take_solution(p, &vary->ideal);
    take_solution(p, &vary->total);
    vary->dz = take_numbers(p, n);
    vary->dlambda = take_numbers(p, m);
    vary->dz_ideal = take_numbers(p, n);
    vary->dlambda_ideal = take_numbers(p, m);
    vary->dmeasure = take_numbers(p, measures);
    vary->dr = take_numbers(p, m);
    vary->zero = take_numbers(p, m);
    vary->dF = take_numbers(p, n);
    vary->f = take_numbers(p, n);
    vary->b = take_numbers(p, m);
    vary->g = take_numbers(p, m);
    vary->s = take_numbers(p, m);
    vary->x = take_numbers(p, n);
    if (model->W.rows > 0) vary->W_factor = take_numbers(p, m * m);
    vary->workspace = take_aligned(p, p->workspace);
    vary->out = take_aligned(p, p->outputs > zr_out_size ? p->outputs : zr_out_size);
    vary->room = (int32_t)(p->outputs > zr_out_size ? p->outputs : zr_out_size);
}

/* Of weights a factor with all entries is made. */
static bool is_too_large(const zw_model *model)
{
    return model->W.rows > zr_dense_limit;
}

/* The pool of the model is walked through while its nodes are copied: its escape is this one's. */
static void build_vary(planner *p, bool twice)
{
    zr_vary *vary = p->vary;
    if (setjmp(p->escape) == 0) {
        p->scratch.escape = vary->arena.escape = p->zm->pool.escape = &p->escape;
        vary->tables = ZB_NEW_ARRAY(&vary->arena, zk_table, (size_t)p->zm->family_count);
        vary_all(p, twice);
        take_vary_arrays(p);
    } else if (p->status == ZW_OK) {
        p->status = vary->memory->failure;
    }
    vary->arena.escape = p->zm->pool.escape = NULL;
}

zw_status zr_vary_create(zw_sim *sim, bool twice, zr_vary **made)
{
    zb_memory *memory = sim->memory;
    if (is_too_large(sim->model)) return ZW_ERR_LARGE;
    zr_vary *vary = zb_resize(memory, NULL, 0, sizeof *vary);
    if (!vary) return memory->failure;
    *vary = (zr_vary){.sim = sim, .memory = memory, .twice = twice};
    vary->values = zr_first_hoisted_value(sim->model);
    planner p = {.vary = vary, .model = sim->model, .zm = sim->zm};
    zb_arena_init(&vary->arena, memory, 0);
    zb_arena_init(&p.scratch, memory, 0);
    zx_pool_init(&vary->pool, memory, &p.escape, true);
    build_vary(&p, twice);
    zx_pool_free(&vary->pool);
    zb_arena_clear(&p.scratch);
    if (p.status == ZW_OK)
        *made = vary;
    else
        zr_vary_free(vary);
    return p.status;
}

void zr_vary_free(zr_vary *vary)
{
    if (!vary) return;
    for (int kind = 0; kind < ZR_VARY_KINDS; kind++)
        for (int32_t i = 0; i < vary->varied[kind].count; i++)
            zk_free(vary->varied[kind].list[i].code);
    zb_memory *memory = vary->memory;
    zb_arena_clear(&vary->arena);
    zb_resize(memory, vary, sizeof *vary, 0);
}
