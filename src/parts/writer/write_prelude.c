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
    ze_maker *m;
    size_t count;        /* nodes */
    uint8_t *kind;       /* [count] */
    zx_node *reciprocal; /* [count] of a divisor that is packed, or 0 */
    int32_t *number;     /* [count] of what is packed: 1 + number among its kind; 0: not yet */
    bool *packed;        /* [count] */
    bool *inlined;       /* [count] of what varies: computed from what is packed anyway */
    bool *given;         /* [count] depends on what other programs have found */
    int32_t *stored;     /* [count] 1 + number among what down stores; of one duty at a time */
    bool *used;          /* [count] by the program under way */
    int32_t *divides;    /* [count] how many quotients of the program have this divisor */
    zx_node *image;      /* [count] */
} packer;

/* Operands that are nodes; of leaves none. */
static int operands_of(const zx_item *item)
{
    return item->op == ZX_POWI ? 1 : zx_operands((zx_op)item->op);
}

static uint8_t kind_of(const packer *p, zx_node node)
{
    const zx_item *x = &p->m->pool.items[node];
    if (x->op <= ZX_BOUND) return constant;
    if (x->op == ZX_VALUE) return p->m->shape->uniform[x->a] ? uniform : varying;
    int operands = operands_of(x);
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

/* Inverses of packed divisors, as further nodes. */
static zx_node *add_reciprocals(ze_maker *m, const uint8_t *kind, int32_t before)
{
    zx_node *list = ZB_NEW_ARRAY(&m->scratch, zx_node, 2 * (size_t)before);
    for (zx_node i = 0; i < before; i++) {
        zx_item x = m->pool.items[i];
        bool wanted =
            x.op == ZX_DIV && kind[i] == moving && (kind[x.b] == varying || kind[x.b] == uniform);
        if (wanted) list[x.b] = zx_binary(&m->pool, ZX_DIV, m->one, x.b);
    }
    return list;
}

/* What depends on a read of something that is not the state. */
static bool *find_given(ze_maker *m)
{
    bool *given = ZB_NEW_ARRAY(&m->scratch, bool, (size_t)m->pool.count);
    for (zx_node i = 0; i < m->pool.count; i++) {
        const zx_item *x = &m->pool.items[i];
        int operands = operands_of(x);
        given[i] = x->op == ZX_MEASURE || (operands > 0 && given[x->a]) ||
                   (operands > 1 && given[x->b]) || (operands > 2 && given[x->c]);
    }
    return given;
}

static packer open_packer(ze_maker *m)
{
    packer p = {.m = m};
    int32_t before = m->pool.count;
    size_t most = 2 * (size_t)before; /* each may get an inverse */
    p.kind = ZB_NEW_ARRAY(&m->scratch, uint8_t, most);
    for (zx_node i = 0; i < before; i++) p.kind[i] = kind_of(&p, i);
    p.reciprocal = add_reciprocals(m, p.kind, before);
    p.count = (size_t)m->pool.count;
    for (zx_node i = before; i < m->pool.count; i++) p.kind[i] = kind_of(&p, i);
    p.number = ZB_NEW_ARRAY(&m->scratch, int32_t, p.count);
    p.packed = ZB_NEW_ARRAY(&m->scratch, bool, p.count);
    p.inlined = ZB_NEW_ARRAY(&m->scratch, bool, p.count);
    p.given = find_given(m);
    p.stored = ZB_NEW_ARRAY(&m->scratch, int32_t, p.count);
    p.used = ZB_NEW_ARRAY(&m->scratch, bool, p.count);
    p.divides = ZB_NEW_ARRAY(&m->scratch, int32_t, p.count);
    p.image = ZB_NEW_ARRAY(&m->scratch, zx_node, p.count);
    return p;
}

/* --------------------------------------------------------------------------- using */

static void use(packer *p, zx_node node)
{
    p->used[node] = true;
    if (is_packed_kind(p, node)) p->packed[node] = true;
}

/* What a program computes or reads: marked from its roots down to what is packed or stored. */
static void mark_used(packer *p, const ze_roots *roots)
{
    const zx_item *items = p->m->pool.items;
    memset(p->used, 0, p->count * sizeof *p->used);
    memset(p->divides, 0, p->count * sizeof *p->divides);
    for (int32_t k = 0; k < roots->count; k++) use(p, roots->list[k]);
    for (zx_node i = (zx_node)p->count - 1; i >= 0; i--) {
        const zx_item *x = &items[i];
        if (!p->used[i] || p->stored[i] > 0 || is_packed_kind(p, i)) continue;
        int operands = operands_of(x);
        if (operands > 0) use(p, x->a);
        if (x->op == ZX_DIV && p->reciprocal[x->b] > 0) {
            use(p, p->reciprocal[x->b]);
            continue;
        }
        if (operands > 1) use(p, x->b);
        if (operands > 2) use(p, x->c);
        if (x->op == ZX_DIV) p->divides[x->b]++;
    }
}

/* -------------------------------------------------------------------------- storing */

static zx_node unsigned_of(const zx_pool *pool, zx_node node)
{
    return pool->items[node].op == ZX_NEG ? pool->items[node].a : node;
}

/* Whether a program may read it rather than compute it from the state. */
static bool may_be_stored(const packer *p, zx_node node)
{
    int32_t op = p->m->pool.items[node].op;
    return p->kind[node] == moving && op != ZX_TIME && op != ZX_MEASURE && op != ZX_ACCELERATION;
}

/* What a program may read, noted in p->stored. */
static void note_cuts(packer *p, const ze_roots *roots)
{
    const zx_pool *pool = &p->m->pool;
    memset(p->stored, 0, p->count * sizeof *p->stored);
    for (int32_t i = 0; i < roots->cut_count; i++) {
        zx_node node = unsigned_of(pool, roots->cuts[i]);
        if (may_be_stored(p, node)) p->stored[node] = 1;
    }
    for (zx_node i = 0; roots->apart && i < (zx_node)p->count; i++)
        p->stored[i] = may_be_stored(p, i) && !p->given[i] && pool->items[i].op != ZX_NEG;
}

/* What the programs of a duty need of what down knows: that of the first, then what each other one
 * needs besides. */
static int32_t find_stored(packer *p, const ze_duty *duty, zx_node *list)
{
    const ze_maker *m = p->m;
    bool *listed = ZB_NEW_ARRAY(&p->m->scratch, bool, p->count);
    int32_t count = 0;
    for (int32_t k = 0; k < m->root_count; k++) {
        const ze_roots *roots = &m->roots[k];
        if (roots->duty != duty) continue;
        note_cuts(p, roots);
        mark_used(p, roots);
        for (size_t i = 0; i < p->count; i++) {
            if (!p->used[i] || p->stored[i] == 0 || listed[i]) continue;
            listed[i] = true;
            list[count++] = (zx_node)i;
        }
    }
    return count;
}

static void note_stored(packer *p, const zx_node *list, int32_t count)
{
    memset(p->stored, 0, p->count * sizeof *p->stored);
    for (int32_t k = 0; k < count; k++) p->stored[list[k]] = k + 1;
}

/* Stored nodes become further roots of down. */
static void store(packer *p, ze_duty *duty, const zx_node *list, int32_t count)
{
    ze_maker *m = p->m;
    duty->stored = count;
    for (int32_t k = 0; k < m->root_count; k++) {
        ze_roots *roots = &m->roots[k];
        if (roots->code != &duty->down) continue;
        zx_node *all = ze_zeros(m, (int64_t)roots->count + count);
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
        const zx_item *x = &p->m->pool.items[i];
        bool two = x->op == ZX_ADD || x->op == ZX_SUB || x->op == ZX_MUL;
        bool cheap = two || x->op == ZX_NEG || x->op == ZX_ABS;
        if (!p->packed[i] || p->kind[i] != varying || !cheap) continue;
        bool a = p->kind[x->a] != varying || p->packed[x->a] || p->inlined[x->a];
        bool b = !two || p->kind[x->b] != varying || p->packed[x->b] || p->inlined[x->b];
        p->inlined[i] = a && b;
        if (p->inlined[i]) p->packed[i] = false;
    }
}

/* Packed values by their nodes; lists them. */
static int32_t number_packed(packer *p, uint8_t kind, zx_node *list)
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
static void insert(int32_t *list, int32_t *count, int32_t x)
{
    int32_t at = (*count)++;
    for (; at > 0 && list[at - 1] > x; at--) list[at] = list[at - 1];
    list[at] = x;
}

/* The reads of a program: by their codes. Of what is stored all up to the last that is used, and
 * all before what is carried, so that they can be read where they stand. */
static void number_reads(packer *p, const ze_roots *roots)
{
    ze_maker *m = p->m;
    ze_code *code = roots->code;
    int32_t count = 0, stored = 0;
    int32_t *codes = ZB_NEW_ARRAY(&m->scratch, int32_t, 2 * p->count);
    for (size_t i = 0; i < p->count; i++) {
        if (!p->used[i]) continue;
        if (p->stored[i] > stored) stored = p->stored[i];
        int32_t c = p->stored[i] > 0 ? -1 : read_code(m->shape, &m->pool.items[i]);
        if (c < 0) continue;
        insert(codes, &count, c);
        if (c >> ze_read_bits == ZE_READ_CARRIED) stored = roots->duty->stored;
    }
    for (int32_t k = 0; k < stored; k++)
        insert(codes, &count, (int32_t)ZE_READ_STORED << ze_read_bits | k);
    code->reads = ZB_NEW_ARRAY(m->arena, ze_read, (size_t)count);
    code->read_count = count;
    for (int32_t k = 0; k < count; k++) {
        code->reads[k].kind = codes[k] >> ze_read_bits;
        code->reads[k].index = codes[k] & ((1 << ze_read_bits) - 1);
    }
}

static int32_t slot_of(const ze_code *code, int32_t read)
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

static zx_node leaf_image(packer *p, const ze_code *code, zx_node node)
{
    ze_maker *m = p->m;
    if (p->stored[node] > 0) {
        int32_t read = (int32_t)ZE_READ_STORED << ze_read_bits | (p->stored[node] - 1);
        return zx_leaf(&m->other, ZX_MEASURE, slot_of(code, read));
    }
    if (p->kind[node] == varying) return zx_leaf(&m->other, ZX_VALUE, p->number[node] - 1);
    if (p->kind[node] == uniform)
        return zx_leaf(&m->other, ZX_ACCELERATION, ze_uniform_count + p->number[node] - 1);
    const zx_item *item = &m->pool.items[node];
    int32_t read = read_code(m->shape, item);
    if (read >= 0) return zx_leaf(&m->other, ZX_MEASURE, slot_of(code, read));
    if (item->op != ZX_MEASURE) return zx_intern(&m->other, item);
    bool motion = item->a >> ze_read_bits == ZE_READ_Z; /* of REFINED, which reads no state */
    return zx_leaf(&m->other, motion ? ZX_POSITION : ZX_VELOCITY,
                   item->a & ((1 << ze_read_bits) - 1));
}

/* A quotient: by something packed, or by what others are divided by too, as a product. */
static zx_node quotient_image(packer *p, const zx_item *x)
{
    zx_pool *to = &p->m->other;
    zx_item product = {.op = ZX_MUL, .a = p->image[x->a]};
    if (p->reciprocal[x->b] > 0) {
        product.b = p->image[p->reciprocal[x->b]];
        return zx_intern(to, &product);
    }
    zx_item whole = {.op = ZX_DIV, .a = p->image[x->a], .b = p->image[x->b]};
    if (x->a == p->m->one || p->divides[x->b] < 2) return zx_intern(to, &whole);
    whole.a = zx_number(to, 1.0);
    product.b = zx_intern(to, &whole);
    return zx_intern(to, &product);
}

static void copy_node(packer *p, const ze_code *code, zx_node node)
{
    ze_maker *m = p->m;
    zx_item x = m->pool.items[node];
    int operands = operands_of(&x);
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
    p->image[node] = zx_intern(&m->other, &x);
}

/* Inverses of packed divisors have larger numbers than what uses them: they come first. */
static void copy_packed(packer *p, const ze_code *code)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->used[i] && is_packed_kind(p, (zx_node)i))
            p->image[i] = leaf_image(p, code, (zx_node)i);
}

static void compile(ze_maker *m, zx_pool *pool, const zx_node *list, int32_t count, ze_code *code)
{
    zk_statistics statistics;
    if (zx_operation_count(pool, list, count) > ze_most_operations) ze_fail(m, ZW_ERR_LARGE);
    zw_status status = zk_compile(m->memory, pool, list, count, &code->program);
    if (status != ZW_OK) ze_fail(m, status);
    code->outputs = count;
    zk_statistics_of(code->program, &statistics);
    m->programs->compiled += statistics.operations;
}

static void make_program(packer *p, const ze_roots *roots)
{
    ze_maker *m = p->m;
    zb_mark mark = zb_arena_mark(&m->scratch);
    mark_used(p, roots);
    number_reads(p, roots);
    zx_pool_release(&m->other, 0);
    copy_packed(p, roots->code);
    for (size_t i = 0; i < p->count; i++)
        if (p->used[i]) copy_node(p, roots->code, (zx_node)i);
    zx_node *list = ze_zeros(m, roots->count);
    for (int32_t k = 0; k < roots->count; k++) list[k] = p->image[roots->list[k]];
    compile(m, &m->other, list, roots->count, roots->code);
    zb_arena_release(&m->scratch, mark);
}

/* ------------------------------------------------------------------------------- all */

static void make_prelude(packer *p, uint8_t kind, ze_code *code, int32_t *count)
{
    zx_node *list = ZB_NEW_ARRAY(&p->m->scratch, zx_node, p->count);
    *count = number_packed(p, kind, list);
    if (*count > 0) compile(p->m, &p->m->pool, list, *count, code);
}

/* Calls `run` for every program, with what is stored for it noted. */
static void for_each(packer *p, zx_node *const *stored, void (*run)(packer *, const ze_roots *))
{
    ze_programs *programs = p->m->programs;
    for (int32_t k = 0; k < p->m->root_count; k++) {
        const ze_roots *roots = &p->m->roots[k];
        int purpose = roots->duty ? (int)(roots->duty - programs->duty) : 0;
        note_stored(p, stored[purpose], roots->duty ? roots->duty->stored : 0);
        run(p, roots);
    }
}

void ze_compile_all(ze_maker *m)
{
    packer p = open_packer(m);
    zx_node *stored[ZE_PURPOSE_COUNT];
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        ze_duty *duty = &m->programs->duty[k];
        stored[k] = ZB_NEW_ARRAY(&m->scratch, zx_node, p.count);
        store(&p, duty, stored[k], find_stored(&p, duty, stored[k]));
    }
    memset(p.packed, 0, p.count * sizeof *p.packed);
    for_each(&p, stored, mark_used);
    choose_inlined(&p);
    for_each(&p, stored, mark_used); /* uniform ones that inlined sums use */
    make_prelude(&p, varying, &m->programs->prelude, &m->programs->packed);
    make_prelude(&p, uniform, &m->programs->uniform_prelude, &m->programs->packed_uniform);
    for_each(&p, stored, make_program);
}
