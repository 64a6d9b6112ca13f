/*
 * Analysis for the supernodal factor: everything that depends on the pattern alone.
 *
 * The rows of a supernode are found row by row: row i of L meets the supernodes on the paths up the
 * tree from those of its entries in X to its own. Since rows come in order, lists ascend, and the
 * row in work is always the last of each list it is in: so the places of the entries of X and of a
 * child's rows in the parent's front are known without a search.
 *
 * Updates live on two stacks, those of even and those of odd depth: a supernode's update is put on
 * one while its children's are taken from the other.
 */
#include <setjmp.h>
#include <string.h>

#include "analyse.h"
#include "supernodal.h"

static int32_t count_strips(int32_t rows)
{
    return (rows + 3) / 4;
}

/* Lists of children that ascend; `side`: even or odd depth, so that parent and child differ. */
static void list_children(za_supernodes *f)
{
    for (int32_t k = 0; k < f->count; k++) f->node[k].child = f->node[k].sibling = -1;
    for (int32_t k = f->count - 1; k >= 0; k--) {
        za_supernode *node = &f->node[k];
        node->side = 0;
        if (node->parent < 0) continue;
        node->side = !f->node[node->parent].side;
        node->sibling = f->node[node->parent].child;
        f->node[node->parent].child = k;
    }
}

/* Begins of rows and panels, and what they take together. */
static void lay_out_panels(za_supernodes *f, const za_partition *s)
{
    int32_t first = 0;
    int64_t rows = 0, panel = 0;
    for (int32_t k = 0; k < f->count; k++) {
        za_supernode *node = &f->node[k];
        *node = (za_supernode){.first = first,
                               .columns = s->columns[k],
                               .below = s->rows[k] - s->columns[k],
                               .parent = s->parent[k],
                               .rows = rows,
                               .panel = panel};
        first += node->columns;
        rows += node->below;
        panel += 4 * (int64_t)node->columns *
                 (count_strips(node->columns) + (int64_t)count_strips(node->below));
    }
    f->node[f->count] = (za_supernode){.first = first, .rows = rows, .panel = panel};
    list_children(f);
}

/* Where updates stand on the stacks; high [2]: how far these reach. */
static void stack_updates(za_supernodes *f, int64_t *high)
{
    int64_t top[2] = {0, 0};
    high[0] = high[1] = 0;
    for (int32_t k = 0; k < f->count; k++) {
        za_supernode *node = &f->node[k];
        int32_t side = node->side;
        node->update = top[side];
        top[side] += za_update_strip(count_strips(node->below));
        if (top[side] > high[side]) high[side] = top[side];
        if (node->child >= 0) top[!side] = f->node[node->child].update;
    }
}

/* The lists of rows and entries in the making. */
typedef struct row_lists {
    const za_symmetric *y;
    int32_t *node;   /* [n] of each column */
    int32_t *seen;   /* [count] the last row that came by */
    int32_t *filled; /* [count] rows so far */
    int64_t *values; /* [count] where the next entry of X goes */
} row_lists;

/* Row i in the front of s, which has it as a column or as its last row. */
static int32_t place_in_front(const za_supernodes *f, const row_lists *w, int32_t s, int32_t i)
{
    const za_supernode *node = &f->node[s];
    return w->node[i] == s ? i - node->first : node->columns + w->filled[s] - 1;
}

/* Row i into the lists of s and of all on the path up from it; then its places in their parents. */
static void add_row_upwards(za_supernodes *f, row_lists *w, int32_t s, int32_t i)
{
    int32_t end = w->node[i], k = s;
    for (; k != end && w->seen[k] != i; k = f->node[k].parent) {
        w->seen[k] = i;
        f->row[f->node[k].rows + w->filled[k]++] = i;
    }
    for (; s != k; s = f->node[s].parent) {
        za_supernode *node = &f->node[s];
        f->place[node->rows + w->filled[s] - 1] = place_in_front(f, w, node->parent, i);
        if (node->parent == end) node->inside++;
    }
}

/* An entry of X in row i and a column of s: where it goes. */
static void map_value(za_supernodes *f, row_lists *w, int32_t i, int32_t column, int32_t from)
{
    int32_t s = w->node[column], place = place_in_front(f, w, s, i);
    const za_supernode *node = &f->node[s];
    if (place >= node->columns) place += 4 * count_strips(node->columns) - node->columns;
    int64_t at = ((int64_t)(place / 4) * node->columns + (column - node->first)) * 4 + place % 4;
    int64_t q = w->values[s]++;
    f->from[q] = from;
    f->to[q] = node->panel + at;
}

/* Begins of the lists of entries. */
static void count_values(za_supernodes *f, row_lists *w)
{
    const za_symmetric *y = w->y;
    int64_t sum = 0;
    for (int32_t p = 0; p < y->start[f->n]; p++) w->values[w->node[y->index[p]]]++;
    for (int32_t k = 0; k <= f->count; k++) {
        int64_t own = k < f->count ? w->values[k] : 0;
        f->node[k].values = sum;
        if (k < f->count) w->values[k] = sum;
        sum += own;
    }
}

/* Rows below, their places in the parents, and where each entry of X goes. */
static void fill_row_lists(za_supernodes *f, zb_arena *scratch, const za_permuted *x)
{
    const za_symmetric *y = &x->rows;
    size_t count = (size_t)f->count;
    row_lists w = {y, ZB_NEW_ARRAY(scratch, int32_t, f->n), ZB_NEW_ARRAY(scratch, int32_t, count),
                   ZB_NEW_ARRAY(scratch, int32_t, count), ZB_NEW_ARRAY(scratch, int64_t, count)};
    for (int32_t k = 0; k < f->count; k++) {
        w.seen[k] = -1;
        for (int32_t c = 0; c < f->node[k].columns; c++) w.node[f->node[k].first + c] = k;
    }
    count_values(f, &w);
    for (int32_t i = 0; i < f->n; i++) {
        for (int32_t p = y->start[i]; p < y->start[i + 1]; p++) {
            add_row_upwards(f, &w, w.node[y->index[p]], i);
            map_value(f, &w, i, y->index[p], x->from[p]);
        }
        f->diagonal[i] = x->from[y->start[i + 1] - 1];
    }
}

/* Zeroed memory for `count` things of that size; an arena that escapes does not return NULL. */
static void *take_aligned(zb_arena *arena, int64_t count, size_t size)
{
    return zb_arena_take(arena, zb_product((size_t)count, size), ZA_ALIGN);
}

/* Everything, from two arenas that escape: the factor's own, and one that ends with planning. */
static void analyse_pattern(za_supernodes *f, zb_arena *scratch, const za_symmetric *x,
                            const int32_t *order)
{
    int32_t n = x->n;
    int64_t entries = n > 0 ? x->start[n] : 0, high[2];
    za_partition s;
    za_permuted y;
    f->order = take_aligned(&f->arena, n, sizeof *f->order);
    f->diagonal = take_aligned(&f->arena, n, sizeof *f->diagonal);
    za_supernodal_partition(scratch, x, order, f->order, &s);
    za_permute(scratch, x, f->order, true, &y);
    f->count = s.count;
    f->node = take_aligned(&f->arena, (int64_t)s.count + 1, sizeof *f->node);
    lay_out_panels(f, &s);
    stack_updates(f, high);
    f->row = take_aligned(&f->arena, f->node[s.count].rows, sizeof *f->row);
    f->place = take_aligned(&f->arena, f->node[s.count].rows, sizeof *f->place);
    f->from = take_aligned(&f->arena, entries, sizeof *f->from);
    f->to = take_aligned(&f->arena, entries, sizeof *f->to);
    fill_row_lists(f, scratch, &y);
    f->L = take_aligned(&f->arena, f->node[s.count].panel, sizeof *f->L);
    f->D = take_aligned(&f->arena, n, sizeof *f->D);
    f->inverse = take_aligned(&f->arena, n, sizeof *f->inverse);
    f->stack[0] = take_aligned(&f->arena, high[0], sizeof(double));
    f->stack[1] = take_aligned(&f->arena, high[1], sizeof(double));
    f->work = take_aligned(&f->arena, ZA_PANEL_WORK, sizeof *f->work);
}

/* The structure itself lies outside its arena. */
void za_supernodal_free(za_supernodes *f)
{
    if (!f) return;
    zb_memory *memory = f->arena.memory;
    zb_arena_clear(&f->arena);
    zb_resize(memory, f, sizeof *f, 0);
}

/* Both arenas jump back here when memory runs out; what was taken by then is given back. */
zw_status za_supernodal_plan(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                             const za_panel_kernels *kernels, za_supernodes **factor)
{
    za_supernodes *f = zb_resize(memory, NULL, 0, sizeof *f);
    zb_arena scratch;
    jmp_buf escape;
    if (!f) return memory->failure;
    *f = (za_supernodes){.n = x->n, .kernels = kernels};
    zb_arena_init(&f->arena, memory, 0);
    zb_arena_init(&scratch, memory, 0);
    f->arena.escape = scratch.escape = &escape;
    if (setjmp(escape) != 0) {
        zw_status status = f->arena.failure != ZW_OK ? f->arena.failure : scratch.failure;
        zb_arena_clear(&scratch);
        za_supernodal_free(f);
        return status;
    }
    analyse_pattern(f, &scratch, x, order);
    f->arena.escape = NULL;
    zb_arena_clear(&scratch);
    *factor = f;
    return ZW_OK;
}
