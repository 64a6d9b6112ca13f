/*
 * Compiling as a list of passes, and programs as objects: one block of memory that holds the
 * struct and its arrays, never changed after it was made.
 */
#include <string.h>

#include "compiler.h"

const zk_opcode_facts zk_opcodes[ZK_OPCODE_COUNT] = {
#define FACTS(name, operands, operations, formula) [ZK_##name] = {#name, operands, 1, operations},
    ZK_PLAIN_LIST(FACTS) ZK_FUSED_LIST(FACTS)
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

static void *lay(layout *l, size_t count, size_t size)
{
    void *at = l->block ? l->block + l->used : NULL;
    l->used = zb_sum(l->used, zb_sum(zb_product(count, size), ALIGN - 1) & ~(size_t)(ALIGN - 1));
    return at;
}

typedef struct parts {
    zk_program *program;
    double *constants;
    zk_stretch *stretches;
    int32_t *leaves, *outputs;
    void *stream;
} parts;

static bool is_wide(const zk_compiler *c)
{
    return c->options.wide || c->register_count > UINT16_MAX + 1;
}

static parts lay_out(const zk_compiler *c, layout *l)
{
    size_t index = is_wide(c) ? sizeof(uint32_t) : sizeof(uint16_t);
    parts p;
    p.program = lay(l, 1, sizeof(zk_program));
    p.constants = lay(l, (size_t)c->register_constant_count, sizeof(double));
    p.stretches = lay(l, (size_t)c->stretch_count, sizeof(zk_stretch));
    p.leaves = lay(l, (size_t)c->leaf_count, sizeof(int32_t));
    p.outputs = lay(l, (size_t)c->root_count, sizeof(int32_t));
    p.stream = lay(l, (size_t)c->stream_length + ZK_STREAM_PADDING, index);
    return p;
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0) memcpy(to, from, bytes);
}

static void copy_stream(const zk_compiler *c, void *to)
{
    if (is_wide(c)) copy(to, c->stream, (size_t)c->stream_length * sizeof(uint32_t));
    uint16_t *narrow = to;
    for (int64_t i = 0; i < c->stream_length && !is_wide(c); i++)
        narrow[i] = (uint16_t)c->stream[i];
}

static void copy_parts(const zk_compiler *c, const parts *p)
{
    copy(p->constants, c->register_constants, (size_t)c->register_constant_count * sizeof(double));
    copy(p->stretches, c->stretches, (size_t)c->stretch_count * sizeof(zk_stretch));
    copy(p->leaves, c->leaf_slots, (size_t)c->leaf_count * sizeof(int32_t));
    copy(p->outputs, c->outputs, (size_t)c->root_count * sizeof(int32_t));
    copy_stream(c, p->stream);
}

zk_program *zk_assemble(const zk_compiler *c)
{
    layout plan = {.block = NULL};
    lay_out(c, &plan);
    char *block = zb_resize(c->memory, NULL, 0, plan.used);
    if (!block) return NULL;
    parts p = lay_out(c, &(layout){.block = block});
    copy_parts(c, &p);
    *p.program = (zk_program){
        .memory = c->memory,
        .bytes = plan.used,
        .constants = p.constants,
        .stretches = p.stretches,
        .leaves = p.leaves,
        .outputs = p.outputs,
        .stream = p.stream,
        .stream_length = c->stream_length,
        .wide = is_wide(c),
        .constant_count = c->register_constant_count,
        .stretch_count = c->stretch_count,
        .output_count = c->root_count,
        .register_count = c->register_count,
        .instruction_count = c->code_count,
    };
    memcpy(p.program->leaf_at, c->leaf_at, sizeof c->leaf_at);
    for (int32_t i = 0; i < c->stretch_count; i++)
        p.program->operation_count +=
            (int64_t)c->stretches[i].count * zk_opcodes[c->stretches[i].opcode].operations;
    return p.program;
}

void zk_free(zk_program *program)
{
    if (program) zb_resize(program->memory, program, program->bytes, 0);
}

/* --------------------------------------------------------------- compiling */

/* The passes. Nothing here returns early: when memory runs out it jumps back to the start. */
static zw_status compile(zk_compiler *c, zk_program **program)
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
    zw_status status = compile(&c, program);
    pool->escape = escape;
    if (c.below) zb_resize(pool->memory, c.below, (size_t)c.below_count * sizeof(zx_node), 0);
    zb_arena_clear(&c.arena);
    return status;
}

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

void zk_statistics_of(const zk_program *program, zk_statistics *statistics)
{
    *statistics = (zk_statistics){.operations = program->operation_count,
                                  .instructions = program->instruction_count,
                                  .runs = program->stretch_count,
                                  .registers = program->register_count,
                                  .bytes = program->bytes};
}
