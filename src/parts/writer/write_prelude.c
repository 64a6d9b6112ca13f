/*
 * From roots to programs. What depends on values only is computed once, when they change, and
 * packed: a packed value a part, a packed uniform value for all of them. What a program reads from
 * elsewhere is numbered; what down stores for back is cut out of back.
 *
 *     moving    depends on the state, on reads or uniform numbers: stays
 *     varying   on values that differ between parts: a packed value
 *     uniform   on values that are the same for all: a packed uniform value
 *     constant  on nothing: stays, and is folded when the program is compiled
 *
 *          root            root
 *         /    \          /    \
 *     moving  varying   ...  stored ◀── down       the prelude computes varying and what is below
 *
 * A quotient by something packed becomes a product with its inverse, and quotients by the same
 * divisor share one division. All programs share one pair of preludes. Lists of reads are in the
 * caller's arena, the rest in scratch.
 */
#include <string.h>

#include "writer.h"

enum { moving, varying, uniform, constant };

typedef struct packer {
    ze_writer *w;
    size_t count;        /* nodes */
    uint8_t *kind;       /* [count] */
    zx_node *reciprocal; /* [count] of a divisor that is packed, or 0 */
    int32_t *number;     /* [count] of what is packed: 1 + number among its kind; 0: not yet */
    bool *packed;        /* [count] */
    bool *inlined;       /* [count] of what varies: computed from what is packed anyway */
    bool *given;         /* [count] depends on what other programs have found */
    int32_t *stored;     /* [count] 1 + number among what down stores; of one purpose at a time */
    bool *used;          /* [count] by the program under way */
    int32_t *divides;    /* [count] how many quotients of the program have this divisor */
    zx_node *image;      /* [count] */
} packer;

/* Operands that are nodes; of leaves none. */
static int operand_count(const zx_item *item)
{
    return item->op == ZX_POWI ? 1 : zx_operands((zx_op)item->op);
}

/* What a node depends on: the least of its operands in the order moving, varying, uniform,
 * constant. Operands have smaller numbers. */
static uint8_t dependence_of(const packer *p, zx_node node)
{
    const zx_item *x = &p->w->pool.items[node];
    if (x->op <= ZX_BOUND) return constant;
    if (x->op == ZX_VALUE) return p->w->shape->uniform[x->a] ? uniform : varying;
    int operands = operand_count(x);
    if (operands == 0) return moving;
    uint8_t least = p->kind[x->a];
    if (operands > 1 && p->kind[x->b] < least) least = p->kind[x->b];
    if (operands > 2 && p->kind[x->c] < least) least = p->kind[x->c];
    return least;
}

static bool is_packed_kind(const packer *p, zx_node node)
{
    return p->kind[node] == uniform || (p->kind[node] == varying && !p->inlined[node]);
}

/* A read: of what is elsewhere, or of a halo coordinate. Its code, kinds ascending; -1: none. */
static int32_t read_code(const ze_shape *s, const zx_item *x)
{
    if (x->op == ZX_MEASURE) return x->a >> ze_read_bits < ZE_READ_KINDS ? x->a : -1;
    bool position = x->op == ZX_POSITION, velocity = x->op == ZX_VELOCITY;
    if ((!position && !velocity) || x->a < s->own) return -1;
    return (int32_t)(position ? ZE_READ_POSITION : ZE_READ_VELOCITY) << ze_read_bits |
           (x->a - s->own);
}

/* ------------------------------------------------------------------------- opening */

/* Inverses of packed divisors of moving quotients, as further nodes: by divisor, 0: none. */
static zx_node *add_reciprocals(ze_writer *w, const uint8_t *kind, int32_t before)
{
    zx_node *list = ZB_NEW_ARRAY(&w->scratch, zx_node, 2 * (size_t)before);
    for (zx_node i = 0; i < before; i++) {
        zx_item x = w->pool.items[i];
        bool wanted =
            x.op == ZX_DIV && kind[i] == moving && (kind[x.b] == varying || kind[x.b] == uniform);
        if (wanted) list[x.b] = zx_binary(&w->pool, ZX_DIV, w->one, x.b);
    }
    return list;
}

/* Which nodes depend on a read of something that is not the state. */
static bool *find_given(ze_writer *w)
{
    bool *given = ZB_NEW_ARRAY(&w->scratch, bool, (size_t)w->pool.count);
    for (zx_node i = 0; i < w->pool.count; i++) {
        const zx_item *x = &w->pool.items[i];
        int operands = operand_count(x);
        given[i] = x->op == ZX_MEASURE || (operands > 0 && given[x->a]) ||
                   (operands > 1 && given[x->b]) || (operands > 2 && given[x->c]);
    }
    return given;
}

/* Classifies all nodes and takes the arrays. Inverses are added here, so that node numbers stay
 * fixed from now on. */
static packer open_packer(ze_writer *w)
{
    packer p = {.w = w};
    int32_t before = w->pool.count;
    size_t most = 2 * (size_t)before; /* each may get an inverse */
    p.kind = ZB_NEW_ARRAY(&w->scratch, uint8_t, most);
    for (zx_node i = 0; i < before; i++) p.kind[i] = dependence_of(&p, i);
    p.reciprocal = add_reciprocals(w, p.kind, before);
    p.count = (size_t)w->pool.count;
    for (zx_node i = before; i < w->pool.count; i++) p.kind[i] = dependence_of(&p, i);
    p.number = ZB_NEW_ARRAY(&w->scratch, int32_t, p.count);
    p.packed = ZB_NEW_ARRAY(&w->scratch, bool, p.count);
    p.inlined = ZB_NEW_ARRAY(&w->scratch, bool, p.count);
    p.given = find_given(w);
    p.stored = ZB_NEW_ARRAY(&w->scratch, int32_t, p.count);
    p.used = ZB_NEW_ARRAY(&w->scratch, bool, p.count);
    p.divides = ZB_NEW_ARRAY(&w->scratch, int32_t, p.count);
    p.image = ZB_NEW_ARRAY(&w->scratch, zx_node, p.count);
    return p;
}

/* --------------------------------------------------------------------------- using */

/* Marks a node as needed by the program; of what is packed, also as packed. */
static void use_node(packer *p, zx_node node)
{
    p->used[node] = true;
    if (is_packed_kind(p, node)) p->packed[node] = true;
}

/* What a program computes or reads: marked from its roots down to what is packed or stored. */
static void mark_used_nodes(packer *p, const ze_roots *roots)
{
    const zx_item *items = p->w->pool.items;
    memset(p->used, 0, p->count * sizeof *p->used);
    memset(p->divides, 0, p->count * sizeof *p->divides);
    for (int32_t k = 0; k < roots->count; k++) use_node(p, roots->list[k]);
    for (zx_node i = (zx_node)p->count - 1; i >= 0; i--) {
        const zx_item *x = &items[i];
        if (!p->used[i] || p->stored[i] > 0 || is_packed_kind(p, i)) continue;
        int operands = operand_count(x);
        if (operands > 0) use_node(p, x->a);
        if (x->op == ZX_DIV && p->reciprocal[x->b] > 0) {
            use_node(p, p->reciprocal[x->b]);
            continue;
        }
        if (operands > 1) use_node(p, x->b);
        if (operands > 2) use_node(p, x->c);
        if (x->op == ZX_DIV) p->divides[x->b]++;
    }
}

/* -------------------------------------------------------------------------- storing */

static zx_node without_sign(const zx_pool *pool, zx_node node)
{
    return pool->items[node].op == ZX_NEG ? pool->items[node].a : node;
}

/* Whether a program may read it rather than compute it from the state. */
static bool may_be_stored(const packer *p, zx_node node)
{
    int32_t op = p->w->pool.items[node].op;
    return p->kind[node] == moving && op != ZX_TIME && op != ZX_MEASURE && op != ZX_ACCELERATION;
}

/* Notes in p->stored what a program may read rather than compute. */
static void note_storable(packer *p, const ze_roots *roots)
{
    const zx_pool *pool = &p->w->pool;
    memset(p->stored, 0, p->count * sizeof *p->stored);
    for (int32_t i = 0; i < roots->cut_count; i++) {
        zx_node node = without_sign(pool, roots->cuts[i]);
        if (may_be_stored(p, node)) p->stored[node] = 1;
    }
    for (zx_node i = 0; roots->apart && i < (zx_node)p->count; i++)
        p->stored[i] = may_be_stored(p, i) && !p->given[i] && pool->items[i].op != ZX_NEG;
}

/* What the programs of a purpose need of what down knows: that of the first, then what each other
 * one needs besides. */
static int32_t find_stored_nodes(packer *p, const ze_solve_codes *codes, zx_node *list)
{
    const ze_writer *w = p->w;
    bool *listed = ZB_NEW_ARRAY(&p->w->scratch, bool, p->count);
    int32_t count = 0;
    for (int32_t k = 0; k < w->root_count; k++) {
        const ze_roots *roots = &w->roots[k];
        if (roots->codes != codes) continue;
        note_storable(p, roots);
        mark_used_nodes(p, roots);
        for (size_t i = 0; i < p->count; i++) {
            if (!p->used[i] || p->stored[i] == 0 || listed[i]) continue;
            listed[i] = true;
            list[count++] = (zx_node)i;
        }
    }
    return count;
}

/* Numbers what down stores, as the programs of one purpose read it. */
static void note_stored_nodes(packer *p, const zx_node *list, int32_t count)
{
    memset(p->stored, 0, p->count * sizeof *p->stored);
    for (int32_t k = 0; k < count; k++) p->stored[list[k]] = k + 1;
}

/* Stored nodes become further roots of down. */
static void store_in_down(packer *p, ze_solve_codes *codes, const zx_node *list, int32_t count)
{
    ze_writer *w = p->w;
    codes->stored = count;
    for (int32_t k = 0; k < w->root_count; k++) {
        ze_roots *roots = &w->roots[k];
        if (roots->code != &codes->down) continue;
        zx_node *all = ze_zeros(w, (int64_t)roots->count + count);
        memcpy(all, roots->list, sizeof *all * (size_t)roots->count);
        memcpy(all + roots->count, list, sizeof *all * (size_t)count);
        roots->list = all;
        roots->count += count;
    }
}

/* ------------------------------------------------------------------------- numbering */

/* A packed value costs memory in every part. Sums and products of two that are packed anyway are
 * rather computed again. */
static void choose_inlined(packer *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const zx_item *x = &p->w->pool.items[i];
        bool two = x->op == ZX_ADD || x->op == ZX_SUB || x->op == ZX_MUL;
        bool cheap = two || x->op == ZX_NEG || x->op == ZX_ABS;
        if (!p->packed[i] || p->kind[i] != varying || !cheap) continue;
        bool a = p->kind[x->a] != varying || p->packed[x->a] || p->inlined[x->a];
        bool b = !two || p->kind[x->b] != varying || p->packed[x->b] || p->inlined[x->b];
        p->inlined[i] = a && b;
        if (p->inlined[i]) p->packed[i] = false;
    }
}

/* Numbers the packed nodes of a kind, in their order; lists them and returns how many. */
static int32_t number_packed_nodes(packer *p, uint8_t kind, zx_node *list)
{
    int32_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!p->packed[i] || p->kind[i] != kind) continue;
        list[count++] = (zx_node)i;
        p->number[i] = count;
    }
    return count;
}

/* Into a list that ascends. */
static void insert_ascending(int32_t *list, int32_t *count, int32_t x)
{
    int32_t at = (*count)++;
    for (; at > 0 && list[at - 1] > x; at--) list[at] = list[at - 1];
    list[at] = x;
}

/* The reads of a program: by their codes. Of what is stored all up to the last that is used, and
 * all before what is carried, so that they can be read where they stand. */
static void number_reads(packer *p, const ze_roots *roots)
{
    ze_writer *w = p->w;
    ze_code *code = roots->code;
    int32_t count = 0, stored = 0;
    int32_t *codes = ZB_NEW_ARRAY(&w->scratch, int32_t, 2 * p->count);
    for (size_t i = 0; i < p->count; i++) {
        if (!p->used[i]) continue;
        if (p->stored[i] > stored) stored = p->stored[i];
        int32_t c = p->stored[i] > 0 ? -1 : read_code(w->shape, &w->pool.items[i]);
        if (c < 0) continue;
        insert_ascending(codes, &count, c);
        if (c >> ze_read_bits == ZE_READ_CARRIED) stored = roots->codes->stored;
    }
    for (int32_t k = 0; k < stored; k++)
        insert_ascending(codes, &count, (int32_t)ZE_READ_STORED << ze_read_bits | k);
    code->reads = ZB_NEW_ARRAY(w->arena, ze_read, (size_t)count);
    code->read_count = count;
    for (int32_t k = 0; k < count; k++) {
        code->reads[k].kind = codes[k] >> ze_read_bits;
        code->reads[k].index = codes[k] & ((1 << ze_read_bits) - 1);
    }
}

/* Which measure slot of a program a read is; the reads ascend. */
static int32_t slot_of_read(const ze_code *code, int32_t read)
{
    int32_t low = 0, high = code->read_count;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        const ze_read *r = &code->reads[middle];
        if ((r->kind << ze_read_bits | r->index) <= read)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --------------------------------------------------------------------------- copying */

/* A leaf of the program: something stored, packed, read, or a leaf of the state itself. */
static zx_node leaf_image(packer *p, const ze_code *code, zx_node node)
{
    ze_writer *w = p->w;
    if (p->stored[node] > 0) {
        int32_t read = (int32_t)ZE_READ_STORED << ze_read_bits | (p->stored[node] - 1);
        return zx_leaf(&w->other, ZX_MEASURE, slot_of_read(code, read));
    }
    if (p->kind[node] == varying) return zx_leaf(&w->other, ZX_VALUE, p->number[node] - 1);
    if (p->kind[node] == uniform)
        return zx_leaf(&w->other, ZX_ACCELERATION, ze_uniform_count + p->number[node] - 1);
    const zx_item *item = &w->pool.items[node];
    int32_t read = read_code(w->shape, item);
    if (read >= 0) return zx_leaf(&w->other, ZX_MEASURE, slot_of_read(code, read));
    if (item->op != ZX_MEASURE) return zx_intern(&w->other, item);
    bool motion = item->a >> ze_read_bits == ZE_READ_Z; /* of REFINED, which reads no state */
    return zx_leaf(&w->other, motion ? ZX_POSITION : ZX_VELOCITY,
                   item->a & ((1 << ze_read_bits) - 1));
}

/* A quotient: by something packed, or by what others are divided by too, as a product. */
static zx_node quotient_image(packer *p, const zx_item *x)
{
    zx_pool *to = &p->w->other;
    zx_item product = {.op = ZX_MUL, .a = p->image[x->a]};
    if (p->reciprocal[x->b] > 0) {
        product.b = p->image[p->reciprocal[x->b]];
        return zx_intern(to, &product);
    }
    zx_item whole = {.op = ZX_DIV, .a = p->image[x->a], .b = p->image[x->b]};
    if (x->a == p->w->one || p->divides[x->b] < 2) return zx_intern(to, &whole);
    whole.a = zx_number(to, 1.0);
    product.b = zx_intern(to, &whole);
    return zx_intern(to, &product);
}

/* One node into the pool of the program; operands are there. */
static void copy_program_node(packer *p, const ze_code *code, zx_node node)
{
    ze_writer *w = p->w;
    zx_item x = w->pool.items[node];
    int operands = operand_count(&x);
    bool leaf = operands == 0 || p->stored[node] > 0 || is_packed_kind(p, node);
    if (leaf) {
        p->image[node] = leaf_image(p, code, node);
        return;
    }
    if (x.op == ZX_DIV) {
        p->image[node] = quotient_image(p, &x);
        return;
    }
    if (operands > 0) x.a = p->image[x.a];
    if (operands > 1) x.b = p->image[x.b];
    if (operands > 2) x.c = p->image[x.c];
    p->image[node] = zx_intern(&w->other, &x);
}

/* Inverses of packed divisors have larger numbers than what uses them: they come first. */
static void copy_packed(packer *p, const ze_code *code)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->used[i] && is_packed_kind(p, (zx_node)i))
            p->image[i] = leaf_image(p, code, (zx_node)i);
}

/* Compiles roots into a code; jumps when it is too long. */
static void compile_code(ze_writer *w, zx_pool *pool, const zx_node *list, int32_t count,
                         ze_code *code)
{
    zk_statistics statistics;
    if (zx_operation_count(pool, list, count) > ze_most_operations) ze_writer_fail(w, ZW_ERR_LARGE);
    zw_status status = zk_compile(w->memory, pool, list, count, &code->program);
    if (status != ZW_OK) ze_writer_fail(w, status);
    code->outputs = count;
    zk_statistics_of(code->program, &statistics);
    w->programs->compiled += statistics.operations;
}

/* Copies what a program needs into a pool of its own and compiles it. */
static void make_program(packer *p, const ze_roots *roots)
{
    ze_writer *w = p->w;
    zb_mark mark = zb_arena_mark(&w->scratch);
    mark_used_nodes(p, roots);
    number_reads(p, roots);
    zx_pool_release(&w->other, 0);
    copy_packed(p, roots->code);
    for (size_t i = 0; i < p->count; i++)
        if (p->used[i]) copy_program_node(p, roots->code, (zx_node)i);
    zx_node *list = ze_zeros(w, roots->count);
    for (int32_t k = 0; k < roots->count; k++) list[k] = p->image[roots->list[k]];
    compile_code(w, &w->other, list, roots->count, roots->code);
    zb_arena_release(&w->scratch, mark);
}

/* ------------------------------------------------------------------------------- all */

/* The program that computes what is packed, of one kind; none where nothing is. */
static void make_prelude(packer *p, uint8_t kind, ze_code *code, int32_t *count)
{
    zx_node *list = ZB_NEW_ARRAY(&p->w->scratch, zx_node, p->count);
    *count = number_packed_nodes(p, kind, list);
    if (*count > 0) compile_code(p->w, &p->w->pool, list, *count, code);
}

/* Calls `visit` for every program, with what is stored for it noted. */
static void for_each_program(packer *p, zx_node *const *stored,
                             void (*visit)(packer *, const ze_roots *))
{
    ze_programs *programs = p->w->programs;
    for (int32_t k = 0; k < p->w->root_count; k++) {
        const ze_roots *roots = &p->w->roots[k];
        int purpose = roots->codes ? (int)(roots->codes - programs->solve) : 0;
        note_stored_nodes(p, stored[purpose], roots->codes ? roots->codes->stored : 0);
        visit(p, roots);
    }
}

/* What is stored is decided first, as it changes what the programs use; then what is packed; then
 * all is copied and compiled. */
void ze_compile_all(ze_writer *w)
{
    packer p = open_packer(w);
    zx_node *stored[ZE_PURPOSE_COUNT];
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        ze_solve_codes *codes = &w->programs->solve[k];
        stored[k] = ZB_NEW_ARRAY(&w->scratch, zx_node, p.count);
        store_in_down(&p, codes, stored[k], find_stored_nodes(&p, codes, stored[k]));
    }
    memset(p.packed, 0, p.count * sizeof *p.packed);
    for_each_program(&p, stored, mark_used_nodes);
    choose_inlined(&p);
    for_each_program(&p, stored, mark_used_nodes); /* uniform ones that inlined sums use */
    make_prelude(&p, varying, &w->programs->prelude, &w->programs->packed);
    make_prelude(&p, uniform, &w->programs->uniform_prelude, &w->programs->packed_uniform);
    for_each_program(&p, stored, make_program);
}
