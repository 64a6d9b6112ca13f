/*
 * The energies of islands (build_islands.c), each by itself: what is lost in one must not be hidden
 * behind the size of another that it has nothing to do with.
 *
 * L of a whole family is a sum of terms, and each term belongs to one island; factors without
 * coordinates are multiplied out. Of each island h = v dL/dv - L and the magnitudes of its terms
 * are outputs of one program. Instances of other families are one term each already.
 *
 * An island on which no force works, no row that may do work acts, and whose energies do not depend
 * on t, conserves its h. The others are judged together, with their works.
 */
#include "energy.h"

enum { most_terms = 4096 };

/* ---------------------------------------------------------------------- terms */

/* A node that is still to be taken apart, times a factor. */
typedef struct pending_term {
    zx_node node, factor;
} pending_term;

typedef struct term_walk {
    zx_pool *pool;
    bool *moves; /* [nodes] coordinates stand below it */
    pending_term *stack;
    int32_t count, made;
} term_walk;

static void push_term(term_walk *w, zx_node node, zx_node factor)
{
    w->stack[w->count++] = (pending_term){node, factor};
    w->made++;
}

/* Which nodes below a root depend on coordinates. */
static void find_moving_nodes(zr_builder *b, zx_node root, bool *moves)
{
    zx_pool *pool = &b->zm->pool;
    b->below = zx_below(pool, &root, 1, &b->below_count);
    for (int32_t k = 0; k < b->below_count; k++) {
        const zx_item *x = &pool->items[b->below[k]];
        int operands = zx_operands((zx_op)x->op);
        bool found = x->op == ZX_POSITION || x->op == ZX_VELOCITY || x->op == ZX_ACCELERATION;
        if (operands > 0) found = moves[x->a];
        if (operands > 1 && x->op != ZX_POWI) found = found || moves[x->b];
        if (operands > 2) found = found || moves[x->c];
        moves[b->below[k]] = found;
    }
    zr_free_below(b);
}

/* Takes a sum or a multiple apart; false: the term is one. */
static bool take_term_apart(term_walk *w, zx_item x, zx_node factor)
{
    zx_pool *pool = w->pool;
    if (x.op == ZX_ADD || x.op == ZX_SUB) {
        push_term(w, x.a, factor);
        push_term(w, x.b, x.op == ZX_ADD ? factor : zx_unary(pool, ZX_NEG, factor));
    } else if (x.op == ZX_NEG) {
        push_term(w, x.a, zx_unary(pool, ZX_NEG, factor));
    } else if (x.op == ZX_MUL && !w->moves[x.a]) {
        push_term(w, x.b, zx_binary(pool, ZX_MUL, factor, x.a));
    } else if ((x.op == ZX_MUL || x.op == ZX_DIV) && !w->moves[x.b]) {
        push_term(w, x.a, zx_binary(pool, (zx_op)x.op, factor, x.b));
    } else {
        return false;
    }
    return true;
}

/* Terms with coordinates only; a sum that has grown too long stays one. */
void zr_each_term(zr_builder *b, zx_node root, zr_term_fn *take, void *user)
{
    zb_mark mark = zb_arena_mark(&b->scratch);
    term_walk w = {.pool = &b->zm->pool};
    w.moves = ZB_NEW_ARRAY(&b->scratch, bool, w.pool->count);
    w.stack = ZB_NEW_ARRAY(&b->scratch, pending_term, 2 * most_terms);
    find_moving_nodes(b, root, w.moves);
    push_term(&w, root, zx_number(w.pool, 1.0));
    while (w.count > 0) {
        pending_term x = w.stack[--w.count];
        if (!w.moves[x.node]) continue;
        bool more = w.made < most_terms;
        if (!more || !take_term_apart(&w, w.pool->items[x.node], x.factor))
            take(user, x.node, x.factor);
    }
    zb_arena_release(&b->scratch, mark);
}

/* -------------------------------------------------------------------- islands */

typedef struct island_energies {
    zr_builder *b;
    struct zr_energy *energy;
    zx_node *root; /* [3 islands] T, V, X of each */
    int32_t kind;  /* of these, at hand */
} island_energies;

/* The island of a term; its coordinates are in one. */
static int32_t find_island_of_term(zr_builder *b, zx_node term)
{
    zx_pool *pool = &b->zm->pool;
    int32_t island = -1;
    b->below = zx_below(pool, &term, 1, &b->below_count);
    for (int32_t k = 0; k < b->below_count && island < 0; k++) {
        const zx_item *x = &pool->items[b->below[k]];
        if (x->op == ZX_POSITION || x->op == ZX_VELOCITY) island = b->model->island[x->a];
    }
    zr_free_below(b);
    return island;
}

static void add_term_to_island(void *user, zx_node term, zx_node factor)
{
    island_energies *d = user;
    zr_builder *b = d->b;
    zx_pool *pool = &b->zm->pool;
    int32_t island = find_island_of_term(b, term);
    if (island < 0) return;
    zx_node *root = &d->root[3 * island + d->kind];
    *root = zx_binary(pool, ZX_ADD, *root, zx_binary(pool, ZX_MUL, factor, term));
    zx_node both[] = {term, factor};
    if (zx_reaches(pool, both, 2).time) d->energy->island_works[island] = true;
}

/* h and magnitude of each island as one program. */
static void compile_islands(island_energies *d, const zm_family *f)
{
    zr_builder *b = d->b;
    int32_t islands = b->model->island_count;
    zx_node *out = ZB_NEW_ARRAY(&b->scratch, zx_node, 2 * islands);
    for (int32_t g = 0; g < islands; g++)
        zr_energy_of(b, f, &d->root[3 * g], &out[2 * g], &out[2 * g + 1]);
    zw_status status =
        zk_compile(b->memory, &b->zm->pool, out, 2 * islands, &d->energy->island_code);
    if (status != ZW_OK) zr_fail(b, status);
    size_t workspace = zk_workspace(d->energy->island_code);
    if (workspace > b->model->workspace) b->model->workspace = workspace;
}

/* The whole family of energies, term by term. */
static void split_whole_family(island_energies *d, int32_t family)
{
    const zm_family *f = &d->b->zm->families[family];
    int32_t islands = d->b->model->island_count;
    d->root = ZB_NEW_ARRAY(&d->b->scratch, zx_node, 3 * islands);
    for (int32_t k = 0; k < 3 * islands; k++) d->root[k] = zx_number(&d->b->zm->pool, 0.0);
    for (d->kind = 0; d->kind < 3; d->kind++)
        zr_each_term(d->b, f->roots[d->kind], add_term_to_island, d);
    compile_islands(d, f);
}

/* ---------------------------------------------------------------------- works */

/* The islands on which a family works. */
static void mark_working_family(island_energies *d, const zm_family *f)
{
    const int32_t *island = d->b->model->island;
    bool *works = d->energy->island_works;
    for (int32_t k = 0; f->whole && k < f->force_count; k++) works[island[f->force[k].row]] = true;
    for (int32_t k = 0; f->whole && k < f->mass_count; k++) works[island[f->mass[k].row]] = true;
    for (int32_t i = 0; !f->whole && f->coordinates > 0 && i < f->count; i++)
        works[island[zm_coordinate_of(f, i, 0)]] = true;
}

/* Those of rows that may do work. */
static void mark_working_rows(island_energies *d, const int32_t *rows, int32_t count)
{
    const zw_model *model = d->b->model;
    for (int32_t k = 0; k < count; k++)
        if (model->A.start[rows[k]] < model->A.start[rows[k] + 1])
            d->energy->island_works[model->island[model->A.column[model->A.start[rows[k]]]]] = true;
}

/* One family: its energies, or what it does to them. Energies by `mass` statements are not told
 * apart: they count as works. */
static void read_family(island_energies *d, int32_t family)
{
    const zm_family *f = &d->b->zm->families[family];
    bool energy = f->kind == ZM_ENERGY;
    if (energy && f->whole) split_whole_family(d, family);
    if (f->kind > ZM_ENERGY && f->kind <= ZM_NONIDEAL_AT) mark_working_family(d, f);
    if (energy && !f->whole && zx_reaches(&d->b->zm->pool, f->roots, f->root_count).time)
        mark_working_family(d, f);
}

void zr_split_energy(zr_builder *b)
{
    const zw_model *model = b->model;
    struct zr_energy *e = model->energy;
    if (b->zm->motor_count > 0) return; /* they push where they like */
    if (model->island_count < 2 || model->island_count > zr_most_islands) return;
    zb_mark mark = zb_arena_mark(&b->scratch);
    island_energies d = {.b = b, .energy = e};
    e->island_works = ZB_NEW_ARRAY(b->arena, bool, model->island_count);
    for (int32_t f = 0; f < b->zm->family_count; f++) read_family(&d, f);
    mark_working_rows(&d, e->ideal, e->ideal_count);
    mark_working_rows(&d, e->control, e->control_count);
    for (int32_t i = 0; b->zm->mask && i < b->zm->m; i++) /* impacts, and friction */
        if (b->zm->mask[i] >= 0) mark_working_rows(&d, &i, 1);
    zb_arena_release(&b->scratch, mark);
}
