/*
 * Compiling as a list of passes, and programs as objects: one block of memory that holds the
 * struct and its arrays, never changed after it was made.
 */
#include <string.h>

#include "compiler.h"

const zk_opcode_facts zk_opcodes[ZK_OPCODE_COUNT] = {
#define FACTS(name, operands, operations, formula) [ZK_##name] = {#name, operands, 1, operations},
    ZK_EXPR_LIST(FACTS) ZK_FUSED_LIST(FACTS)
#undef FACTS
        [ZK_SINCOS] = {"SINCOS", 1, 2, 2},
};

enum { ALIGN = 16 };

/* -------------------------------------------------------------- assembling */

/* Lays arrays one behind the other: called once without memory to learn the size, once with. */
typedef struct layout {
    char *block;
    size_t used;
} layout;

/* Room for `count` things of `size` bytes at the end of the layout; NULL while there is no
 * block. */
static void *place_array(layout *l, size_t count, size_t size)
{
    void *at = l->block ? l->block + l->used : NULL;
    l->used = zb_sum(l->used, zb_sum(zb_product(count, size), ALIGN - 1) & ~(size_t)(ALIGN - 1));
    return at;
}

/* Where the arrays of a program lie in its block. */
typedef struct arrays {
    zk_program *program;
    double *constants;
    zk_batch *batches;
    int32_t *leaves, *outputs;
    void *stream;
} arrays;

static bool is_wide(const zk_compiler *c)
{
    return c->options.wide || c->register_count > UINT16_MAX + 1;
}

/* The struct and its arrays in the order in which they lie in the block. */
static arrays lay_out_program(const zk_compiler *c, layout *l)
{
    size_t index = is_wide(c) ? sizeof(uint32_t) : sizeof(uint16_t);
    arrays p;
    p.program = place_array(l, 1, sizeof(zk_program));
    p.constants = place_array(l, (size_t)c->register_constant_count, sizeof(double));
    p.batches = place_array(l, (size_t)c->batch_count, sizeof(zk_batch));
    p.leaves = place_array(l, (size_t)c->leaf_count, sizeof(int32_t));
    p.outputs = place_array(l, (size_t)c->root_count, sizeof(int32_t));
    p.stream = place_array(l, (size_t)c->stream_length + ZK_STREAM_PADDING, index);
    return p;
}

static void copy_to_block(void *to, const void *from, size_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes);
}

/* The stream, in 16 bits a place unless there are too many registers for that. */
static void copy_stream(const zk_compiler *c, void *to)
{
    if (is_wide(c)) copy_to_block(to, c->stream, (size_t)c->stream_length * sizeof(uint32_t));
    uint16_t *narrow = to;
    for (int64_t i = 0; i < c->stream_length && !is_wide(c); i++)
        narrow[i] = (uint16_t)c->stream[i];
}

/* Copies what the compiler has found into the block. */
static void copy_arrays(const zk_compiler *c, const arrays *p)
{
    copy_to_block(p->constants, c->register_constants,
                  (size_t)c->register_constant_count * sizeof(double));
    copy_to_block(p->batches, c->batches, (size_t)c->batch_count * sizeof(zk_batch));
    copy_to_block(p->leaves, c->leaf_slots, (size_t)c->leaf_count * sizeof(int32_t));
    copy_to_block(p->outputs, c->outputs, (size_t)c->root_count * sizeof(int32_t));
    copy_stream(c, p->stream);
}

/* The layout is gone through twice: for its size, then with memory. */
zk_program *zk_assemble(const zk_compiler *c)
{
    layout plan = {.block = NULL};
    lay_out_program(c, &plan);
    char *block = zb_resize(c->memory, NULL, 0, plan.used);
    if (!block) return NULL;
    arrays p = lay_out_program(c, &(layout){.block = block});
    copy_arrays(c, &p);
    *p.program = (zk_program){
        .memory = c->memory,
        .bytes = plan.used,
        .constants = p.constants,
        .batches = p.batches,
        .leaves = p.leaves,
        .outputs = p.outputs,
        .stream = p.stream,
        .stream_length = c->stream_length,
        .wide = is_wide(c),
        .constant_count = c->register_constant_count,
        .batch_count = c->batch_count,
        .output_count = c->root_count,
        .register_count = c->register_count,
        .instruction_count = c->code_count,
    };
    memcpy(p.program->leaf_at, c->leaf_at, sizeof c->leaf_at);
    for (int32_t i = 0; i < c->batch_count; i++)
        p.program->operation_count +=
            (int64_t)c->batches[i].count * zk_opcodes[c->batches[i].opcode].operations;
    return p.program;
}

void zk_free(zk_program *program)
{
    if (program) zb_resize(program->memory, program, program->bytes, 0);
}

/* --------------------------------------------------------------- compiling */

/* The passes, in order. Nothing here returns early: when memory runs out it jumps back to the
 * start. */
static zw_status apply_passes(zk_compiler *c, zk_program **program)
{
    if (setjmp(c->escape))
        return c->arena.failure != ZW_OK ? c->arena.failure : c->pool->memory->failure;
    zk_lower(c);
    if (c->options.fuse) zk_fuse(c);
    zk_schedule(c);
    zk_assign_slots(c);
    *program = zk_assemble(c);
    return *program ? ZW_OK : c->memory->failure;
}

/* The pool's own escape is put back; the list of nodes below is of the pool's memory and freed
 * here. */
zw_status zk_compile_as(zb_memory *memory, zx_pool *pool, const zx_node *roots, int32_t count,
                        const zk_options *options, zk_program **program)
{
    zk_compiler c = {
        .memory = memory, .pool = pool, .roots = roots, .root_count = count, .options = *options};
    *program = NULL;
    zb_arena_init(&c.arena, memory, 0);
    c.arena.escape = &c.escape;
    jmp_buf *escape = pool->escape;
    pool->escape = &c.escape;
    zw_status status = apply_passes(&c, program);
    pool->escape = escape;
    if (c.below) zb_resize(pool->memory, c.below, (size_t)c.below_count * sizeof(zx_node), 0);
    zb_arena_clear(&c.arena);
    return status;
}

/* As all programs are compiled but those of tests and measurements. */
zw_status zk_compile(zb_memory *memory, zx_pool *pool, const zx_node *roots, int32_t count,
                     zk_program **program)
{
    return zk_compile_as(memory, pool, roots, count,
                         &(zk_options){.fuse = true, .window = ZK_WINDOW}, program);
}

/* ----------------------------------------------------------------- looking */

bool zk_reads(const zk_program *program, zx_op kind)
{
    int32_t k = (int32_t)kind - ZX_TIME;
    return program->leaf_at[k] < program->leaf_at[k + 1];
}

int32_t zk_output_count(const zk_program *program)
{
    return program->output_count;
}

size_t zk_workspace(const zk_program *program)
{
    return ((size_t)program->register_count + 7) & ~(size_t)7;
}

/* Counted when the program was assembled. */
void zk_statistics_of(const zk_program *program, zk_statistics *statistics)
{
    *statistics = (zk_statistics){.operations = program->operation_count,
                                  .instructions = program->instruction_count,
                                  .batches = program->batch_count,
                                  .registers = program->register_count,
                                  .bytes = program->bytes};
}
