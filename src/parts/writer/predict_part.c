/*
 * How many operations down and back of an acceleration would take, from the pattern alone: what
 * candidates of parts are compared by before any program is made.
 *
 *     down   terms + S + elimination of inner rows, outer ones carried along
 *     back   terms + S of inner rows + elimination of these + substitution + z
 *
 * Terms count as they are written, without what depends on parameters only, signs and literal
 * factors, which vanish. Of S a pair of rows counts once a body, a row with itself once. It is a
 * count of what write_rows.c and eliminate.c do, not of what the compiler finds to share.
 */
#include "writer.h"

typedef struct prediction {
    ze_writer *w;
    int64_t *terms; /* [terms] 1 + operations of all outputs, 0: not counted yet */
    bool *full;     /* [bodies] the block of M of the body is not diagonal */
    bool *pushed;   /* [bodies] the force on it depends on the state */
    bool weighed;   /* M is not all numbers */
    double down, back;
} prediction;

/* ------------------------------------------------------------------------- terms */

/* Operations that a node costs in a program: signs and literal factors vanish, powers become
 * products. */
static int64_t cost_of_node(const zx_pool *pool, const zx_item *x)
{
    int64_t cost = 0;
    if (x->op == ZX_NEG) return 0;
    if (x->op == ZX_MUL && (pool->items[x->a].op <= ZX_BOUND || pool->items[x->b].op <= ZX_BOUND))
        return 0;
    if (x->op != ZX_POWI) return 1;
    for (int32_t e = x->b < 0 ? -x->b : x->b; e > 1; e /= 2) cost += 1 + e % 2;
    return cost + (x->b < 0);
}

/* Where a node stands in a list that ascends. */
static int32_t place_in_ascending(const zx_node *list, int32_t count, zx_node node)
{
    int32_t low = 0, high = count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (list[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Operations of nodes, operands first, that depend on the state; moves [count] is set. */
static int64_t count_moving(const zx_pool *pool, const zx_node *list, int32_t count, bool *moves)
{
    int64_t operations = 0;
    for (int32_t k = 0; k < count; k++) {
        const zx_item *x = &pool->items[list[k]];
        int operands = x->op == ZX_POWI ? 1 : zx_operands((zx_op)x->op);
        bool moving = x->op == ZX_TIME || x->op == ZX_POSITION || x->op == ZX_VELOCITY;
        moving = moving || (operands > 0 && moves[place_in_ascending(list, count, x->a)]);
        moving = moving || (operands > 1 && moves[place_in_ascending(list, count, x->b)]);
        moving = moving || (operands > 2 && moves[place_in_ascending(list, count, x->c)]);
        moves[k] = moving;
        if (moving && operands > 0) operations += cost_of_node(pool, x);
    }
    return operations;
}

/* Operations of the outputs of an element; those of whole terms are counted once for all
 * instances. */
static int64_t count_element(prediction *p, const ze_element *e)
{
    ze_writer *w = p->w;
    const ze_terms *t = &w->shape->system->terms[e->terms];
    zx_pool *pool = w->shape->system->pool;
    bool all = e->count == t->outputs;
    if (all && p->terms[e->terms] > 0) return p->terms[e->terms] - 1;
    int32_t count;
    zx_node *list = zx_below(pool, t->nodes + e->first, e->count, &count);
    bool *moves = zb_resize(w->memory, NULL, 0, (size_t)count + 1);
    int64_t operations = moves ? count_moving(pool, list, count, moves) : 0;
    zb_resize(pool->memory, list, sizeof *list * (size_t)count, 0);
    if (!moves) ze_writer_fail(w, w->memory->failure);
    zb_resize(w->memory, moves, (size_t)count + 1, 0);
    if (all) p->terms[e->terms] = operations + 1;
    return operations;
}

/* Notes what the outputs for M and Q make necessary: a full block of M, masses that are no numbers,
 * forces that depend on the state. */
static void note_mass_and_force(prediction *p, const ze_element *e, int64_t operations)
{
    const ze_shape *s = p->w->shape;
    const ze_terms *t = &s->system->terms[e->terms];
    for (int32_t o = 0; o < e->count; o++) {
        const ze_spot *spot = &e->spot[o];
        zx_node node = t->nodes[e->first + o];
        bool matrix = e->first + o < t->matrix;
        if (spot->row < 0 || spot->row >= s->own) continue;
        if (matrix && spot->column >= 0 && spot->row != spot->column)
            p->full[s->body[spot->row]] = true;
        if (matrix && s->system->pool->items[node].op > ZX_BOUND) p->weighed = true;
        if (!matrix && operations > 0) p->pushed[s->body[spot->row]] = true;
    }
}

/* Terms of M, Q, A and b are evaluated by down and again by back; levels by neither. */
static void count_terms(prediction *p)
{
    const ze_shape *s = p->w->shape;
    p->terms = ZB_NEW_ARRAY(&p->w->scratch, int64_t, (size_t)s->system->term_count);
    p->full = ZB_NEW_ARRAY(&p->w->scratch, bool, (size_t)s->bodies);
    p->pushed = ZB_NEW_ARRAY(&p->w->scratch, bool, (size_t)s->bodies);
    for (int32_t k = 0; k < s->element_count; k++) {
        const ze_element *e = &s->elements[k];
        ze_target target = s->system->terms[e->terms].target;
        if (target == ZE_TO_LEVELS) continue;
        int64_t operations = count_element(p, e);
        p->down += (double)operations;
        p->back += (double)operations;
        if (target == ZE_TO_DYNAMICS) note_mass_and_force(p, e, operations);
    }
}

/* ------------------------------------------------------------------------ bodies */

/* Adds what a body takes: L D L^T of M, G and H of each row, S of each pair, z. */
static void count_body(prediction *p, int32_t body)
{
    const ze_writer *w = p->w;
    double size = ze_body_size(w, body), touches = w->by_start[body + 1] - w->by_start[body];
    double mass = p->full[body] ? size * (size * size + 2) / 3 : 0;
    double each = p->full[body] ? size * size : 0; /* G and H */
    int32_t inner = 0;
    for (int32_t k = w->by_start[body]; k < w->by_start[body + 1]; k++)
        inner += w->touch[w->by_body[k]].row < w->shape->inner;
    double dot = 2 * size - (p->weighed ? 0.5 : 1), outer = touches - inner;
    /* a row with itself: half a product here, the other half at its other end */
    double own = p->full[body] ? dot + 1 : (dot + 1) / 2;
    p->down += mass + touches * (each + own) + dot * touches * (touches - 1) / 2;
    p->back += mass + touches * each + inner * own + dot * inner * (inner - 1) / 2;
    p->back += dot * inner * outer;
    if (p->pushed[body]) p->down += size * (2 * touches + 1), p->back += size * (2 * inner + 2);
    /* z: products are shared by the ends of a row, differences are not */
    p->back += size * (touches * (p->full[body] ? 2 : 1.5) + (p->full[body] ? size + 1 : 0));
}

/* ------------------------------------------------------------------- elimination */

/* The elimination of inner row order[k]: `near` rows follow it in down, only the inner ones in
 * back. */
static void count_pivot(prediction *p, int32_t k)
{
    const ze_writer *w = p->w;
    int32_t j = w->order[k], inner = w->shape->inner, near = 0, inside = 0;
    for (int32_t a = k + 1; a < w->rows; a++) {
        int32_t i = a < inner ? w->order[a] : a;
        bool fills = w->fills[(size_t)i * (size_t)w->rows + (size_t)j];
        near += fills;
        inside += fills && a < inner;
    }
    p->down += 4 + 3 * (double)near + (double)near * (near + 1);
    p->back += 2 + 5 * (double)inside + (double)inside * (inside + 1);
}

/* Too many rows are not looked at: they take more operations than are allowed. */
int64_t ze_predict_operations(zb_memory *memory, const ze_shape *shape)
{
    zx_pool *given = shape->system->pool;
    jmp_buf *escape = given->escape;
    ze_writer *w = zb_resize(memory, NULL, 0, sizeof *w);
    if (!w) return -1;
    *w = (ze_writer){.memory = memory, .shape = shape};
    ze_open_writer(w);
    volatile int64_t operations = -1;
    if (w->rows > ze_most_rows) {
        operations = 10 * (int64_t)w->rows;
    } else if (setjmp(w->escape) == 0) {
        prediction p = {.w = w};
        given->escape = &w->escape;
        ze_find_pattern(w);
        count_terms(&p);
        for (int32_t k = 0; k < shape->bodies; k++) count_body(&p, k);
        for (int32_t k = 0; k < shape->inner; k++) count_pivot(&p, k);
        /* without outer rows down finds the answer itself */
        operations = (int64_t)(shape->outer > 0 ? p.down + p.back : p.back + 3 * shape->inner);
    }
    given->escape = escape;
    ze_close_writer(w);
    zb_resize(memory, w, sizeof *w, 0);
    return operations;
}
