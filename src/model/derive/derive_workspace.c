/*
 * The workspace of a pass (derive.h): memory that is given back however the pass ends, and the
 * question which sorts of leaves stand below a node of the pool. The answer is a set of bits per
 * node, found in index order (operands come before their operation), each node once; walks below
 * one root visit each node once and leave out branches whose bits show that what is sought is not
 * there.
 */
#include <stdlib.h>
#include <string.h>

#include "derive.h"

/* ------------------------------------------------------------- the workspace */

/* Where the pool and the arena of the model jump to when memory runs out. */
typedef struct escapes {
    jmp_buf *pool, *arena;
} escapes;

/* Sets where they jump to; where they did before. */
static escapes exchange_escapes(zm_model *model, escapes to)
{
    escapes before = {model->pool.escape, model->arena.escape};
    model->pool.escape = to.pool;
    model->arena.escape = to.arena;
    return before;
}

/* Calls the pass; false when it ran out of memory. The jump ends here; the workspace belongs to
 * the caller, so that it is as the pass left it. */
static bool call_pass_guarded(zm_workspace *work, zm_pass_fn pass, void *user)
{
    jmp_buf here;
    if (setjmp(here)) return false;
    exchange_escapes(work->model, (escapes){&here, &here});
    work->scratch.escape = &here;
    pass(work, user);
    return true;
}

/* The model's escapes are put back, so that passes can be made inside others. */
bool zm_with_workspace(zm_model *model, zm_pass_fn pass, void *user)
{
    zm_workspace work = {.model = model, .pool = &model->pool, .reach = {.pool = &model->pool}};
    zb_arena_init(&work.scratch, model->memory, 0);
    escapes outside = {model->pool.escape, model->arena.escape};
    bool done = call_pass_guarded(&work, pass, user);
    exchange_escapes(model, outside);
    zb_arena_clear(&work.scratch);
    zm_reach *r = &work.reach;
    size_t ints = (size_t)r->capacity * sizeof(int32_t);
    zb_resize(model->memory, r->bits, (size_t)r->capacity, 0);
    zb_resize(model->memory, r->stamp, ints, 0);
    zb_resize(model->memory, r->stack, ints, 0);
    zb_resize(model->memory, r->found, ints, 0);
    return done;
}

/* -------------------------------------------------------------------- reach */

/* Room for as many nodes as the pool has now. The bits known are copied; walks begin anew. The
 * fresh arrays are all made before the old ones are released, so that a refusal does not leave them
 * of different sizes. */
static void grow_reach_arrays(zm_workspace *work)
{
    zm_reach *r = &work->reach;
    zb_memory *memory = work->model->memory;
    int32_t count = r->pool->count, capacity = r->capacity < 64 ? 64 : r->capacity;
    while (capacity < count) capacity = capacity > INT32_MAX / 2 ? INT32_MAX : capacity * 2;
    if (capacity == r->capacity) return;
    size_t ints = zb_product((size_t)capacity, sizeof(int32_t));
    size_t old = (size_t)r->capacity * sizeof(int32_t);
    uint8_t *bits = zb_resize(memory, NULL, 0, (size_t)capacity);
    int32_t *fresh[3] = {NULL, NULL, NULL};
    bool full = bits != NULL;
    for (int k = 0; k < 3 && full; k++)
        full = (fresh[k] = zb_resize(memory, NULL, 0, ints)) != NULL;
    if (!full) {
        zb_resize(memory, bits, (size_t)capacity, 0);
        for (int k = 0; k < 3; k++) zb_resize(memory, fresh[k], ints, 0);
        longjmp(*work->scratch.escape, 1);
    }
    if (r->known > 0) memcpy(bits, r->bits, (size_t)r->known);
    memset(fresh[0], 0, ints);
    zb_resize(memory, r->bits, (size_t)r->capacity, 0);
    zb_resize(memory, r->stamp, old, 0);
    zb_resize(memory, r->stack, old, 0);
    zb_resize(memory, r->found, old, 0);
    r->bits = bits, r->stamp = fresh[0], r->stack = fresh[1], r->found = fresh[2];
    r->capacity = capacity;
    r->walk = 0;
}

/* The bit of a sort of leaf; 0 of numbers and operations. */
static int bits_of_leaf(int32_t op)
{
    switch (op) {
    case ZX_TIME:
        return ZM_HAS_TIME;
    case ZX_POSITION:
        return ZM_HAS_POSITION;
    case ZX_VELOCITY:
        return ZM_HAS_VELOCITY;
    case ZX_ACCELERATION:
        return ZM_HAS_ACCELERATION;
    case ZX_VALUE:
        return ZM_HAS_VALUE;
    case ZX_MEASURE:
        return ZM_HAS_MEASURE;
    default:
        return 0;
    }
}

/* Operations that are constant between jumps: no derivative shows what stands below them. */
static bool is_piecewise_constant(int32_t op)
{
    switch (op) {
    case ZX_SIGN:
    case ZX_FLOOR:
    case ZX_NOT:
    case ZX_LT:
    case ZX_LE:
    case ZX_EQ:
    case ZX_NE:
    case ZX_AND:
    case ZX_OR:
        return true;
    default:
        return false;
    }
}

/* Data that have been differentiated as often as can be, or whose values hold, likewise. */
static bool is_flat_table(const zx_pool *pool, const zx_item *item)
{
    double code = 0.0;
    if (item->op != ZX_TABLE || !zx_is_constant(pool, item->b, &code)) return false;
    zx_tabulated is = zx_tabulated_by(code);
    return is.order >= is.degree;
}

/* The bits of a node from those of its operands. An acceleration or velocity below a jump, or in
 * the condition of a select, is marked. */
static int find_node_bits(const zm_reach *r, const zx_item *item)
{
    const int32_t operand[3] = {item->a, item->b, item->c};
    int operands = zx_operands((zx_op)item->op), bits = bits_of_leaf(item->op);
    for (int k = 0; k < operands; k++) bits |= r->bits[operand[k]];
    int decided = is_piecewise_constant(item->op) || is_flat_table(r->pool, item) ? bits
                  : item->op == ZX_SELECT                                         ? r->bits[item->a]
                                                                                  : 0;
    if (decided & ZM_HAS_ACCELERATION) bits |= ZM_HAS_JUMP;
    if (decided & ZM_HAS_VELOCITY) bits |= ZM_HAS_STEP;
    return bits;
}

/* Brings the arrays up to the pool's present size. */
static void refresh_reach(zm_workspace *work)
{
    zm_reach *r = &work->reach;
    if (r->known > r->pool->count) r->known = r->pool->count; /* the pool was released */
    grow_reach_arrays(work);
    for (; r->known < r->pool->count; r->known++)
        r->bits[r->known] = (uint8_t)find_node_bits(r, &r->pool->items[r->known]);
}

int zm_content_bits(zm_workspace *work, zx_node node)
{
    if (node >= work->reach.known) refresh_reach(work);
    return work->reach.bits[node];
}

/* Puts a node on the stack unless this walk has seen it or it has none of the bits. */
static int32_t push_unseen_node(zm_reach *r, int32_t top, zx_node node, int bits)
{
    if (r->stamp[node] == r->walk || (r->bits[node] & bits) == 0) return top;
    r->stamp[node] = r->walk;
    r->stack[top] = node;
    return top + 1;
}

/* Depth first; a walk has a number, and each node is stamped with that of the last walk that saw
 * it. */
int32_t zm_find_nodes(zm_workspace *work, zx_node root, int bits)
{
    refresh_reach(work);
    zm_reach *r = &work->reach;
    if (r->walk == INT32_MAX) {
        memset(r->stamp, 0, (size_t)r->capacity * sizeof *r->stamp);
        r->walk = 0;
    }
    r->walk++;
    int32_t count = 0, top = push_unseen_node(r, 0, root, bits);
    while (top > 0) {
        zx_node node = r->stack[--top];
        const zx_item *item = &r->pool->items[node];
        const int32_t operand[3] = {item->a, item->b, item->c};
        r->found[count++] = node;
        for (int k = zx_operands((zx_op)item->op) - 1; k >= 0; k--)
            top = push_unseen_node(r, top, operand[k], bits);
    }
    return count;
}

static int compare_ints(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void zm_sort_ints(int32_t *numbers, int32_t count)
{
    if (count > 1) qsort(numbers, (size_t)count, sizeof *numbers, compare_ints);
}

/* Each leaf is one node of the pool, so no index comes twice. */
int32_t zm_find_leaves(zm_workspace *work, zx_node root, zx_op leaf)
{
    int32_t seen = zm_find_nodes(work, root, bits_of_leaf((int32_t)leaf)), count = 0;
    zm_reach *r = &work->reach;
    for (int32_t i = 0; i < seen; i++) {
        const zx_item *item = &r->pool->items[r->found[i]];
        if (item->op == (int32_t)leaf) r->found[count++] = item->a;
    }
    zm_sort_ints(r->found, count);
    return count;
}

bool zm_is_zero(const zx_pool *pool, zx_node node)
{
    double value;
    return zx_is_constant(pool, node, &value) && value == 0;
}
