/*
 * Printing several expressions with what they share written once. Shared is an operation used
 * more than once, by other operations or as a root; for reading (text, LaTeX) a single operation
 * on leaves, like sin(x), is rather repeated than named. Definitions come in index order, so
 * each uses only those before it.
 */
#include "formula.h"

/* Of each step of a walk: how often it is used, and how many operations it has as a tree, those
 * beyond 2 not counted. */
typedef struct uses {
    int32_t *count;
    int8_t *size;
} uses;

/* Uses by operations, and one for each root that is the step. roots: their number. */
static uses count_step_uses(zx_pool *pool, const zx_walk *walk, int32_t roots, zx_form form)
{
    uses u = {.count = zx_scratch(pool, walk->count, sizeof *u.count),
              .size = zx_scratch(pool, walk->count, sizeof *u.size)};
    for (int32_t i = 0; i < walk->count; i++) {
        const zx_item *item = &walk->steps[i].item;
        int size = !zx_is_leaf(item->op);
        /* the layout of sign in C writes its operand twice */
        int times = form == ZX_C && item->op == ZX_SIGN ? 2 : 1;
        for (int k = 0; k < zx_operands((zx_op)item->op); k++) {
            int32_t operand = *zx_operand(item, k);
            u.count[operand] += times;
            size += u.size[operand];
        }
        u.size[i] = (int8_t)(size < 2 ? size : 2);
    }
    for (int32_t k = 0; k < roots; k++) u.count[walk->roots[k]]++;
    return u;
}

/* The nodes that get a definition, in index order; *count of them, in the scratch arena. */
static zx_node *list_shared_nodes(zx_pool *pool, const zx_walk *walk, int32_t roots, zx_form form,
                                  int32_t *count)
{
    uses u = count_step_uses(pool, walk, roots, form);
    zx_node *shared = zx_scratch(pool, walk->count, sizeof *shared);
    int smallest = form == ZX_C ? 1 : 2;
    *count = 0;
    for (int32_t i = 0; i < walk->count; i++)
        if (u.count[i] > 1 && u.size[i] >= smallest) shared[(*count)++] = walk->steps[i].node;
    return shared;
}

/* Definitions first, then the roots with the definitions' names in them. */
void zx_print_shared(zx_pool *pool, const zx_node *roots, int32_t count, zx_form form,
                     const char *prefix, zx_name_fn name, zx_begin_fn begin, void *user,
                     zb_text *text)
{
    zx_walk walk = zx_walk_begin(pool, roots, count);
    zx_printer p = {
        .pool = pool, .form = form, .name = name, .user = user, .text = text, .prefix = prefix};
    p.definition = list_shared_nodes(pool, &walk, count, form, &p.definitions);
    for (int32_t k = 0; k < p.definitions; k++) {
        begin(user, true, k + 1, text);
        zx_print_meaning(&p, p.definition[k]);
    }
    for (int32_t k = 0; k < count; k++) {
        begin(user, false, k, text);
        zx_print_node(&p, roots[k]);
    }
    zx_walk_end(pool, &walk);
}
