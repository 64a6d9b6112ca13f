/*
 * The machine: fetches leaves through the binding, runs the stream, copies outputs. Nothing is
 * allocated. Constants are copied into the workspace once a call; registers of leaves may be
 * overwritten by a run and are fetched for every instance.
 */
#include <string.h>

#include "compiler.h"

/* Four operands of 16 bits in one load: the machine waits for loads more than for shifts. */
static inline uint64_t four_at(const uint16_t *stream)
{
    uint64_t four;
    memcpy(&four, stream, sizeof four);
    return four;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AT(i) ((four >> (16 * (i))) & 0xffff)
#else
#define AT(i) ((four >> (48 - 16 * (i))) & 0xffff)
#endif
#define FETCH uint64_t four = four_at(s)
#define INDEX uint16_t
#define EXECUTE execute_narrow
#include "dispatch.h"
#undef AT
#undef FETCH
#undef INDEX
#undef EXECUTE

#define AT(i) s[i]
#define FETCH (void)0
#define INDEX uint32_t
#define EXECUTE execute_wide
#include "dispatch.h"

void zk_execute(const zk_program *program, double *registers)
{
    if (program->wide)
        execute_wide(program, registers);
    else
        execute_narrow(program, registers);
}

/* The leaves of one kind: where they come from, and through which table. */
static void gather(const zk_program *program, int32_t kind, const double *from,
                   const int32_t *table, double *to)
{
    int32_t start = program->leaf_at[kind - ZX_TIME], end = program->leaf_at[kind - ZX_TIME + 1];
    const int32_t *slot = program->leaves;
    if (table)
        for (int32_t i = start; i < end; i++) to[i] = from[table[slot[i]]];
    else
        for (int32_t i = start; i < end; i++) to[i] = from[slot[i]];
}

static void run_instance(const zk_program *program, const zk_source *source,
                         const zk_binding *binding, double *workspace, double *out)
{
    double *to = workspace + program->constant_count;
    for (int32_t i = 0; i < program->leaf_at[1]; i++) to[i] = source->time;
    gather(program, ZX_POSITION, source->position, binding->coordinate, to);
    gather(program, ZX_VELOCITY, source->velocity, binding->coordinate, to);
    gather(program, ZX_ACCELERATION, source->acceleration, binding->coordinate, to);
    gather(program, ZX_VALUE, source->value, binding->value, to);
    gather(program, ZX_MEASURE, source->measure, binding->measure, to);
    zk_execute(program, workspace);
    for (int32_t i = 0; i < program->output_count; i++) out[i] = workspace[program->outputs[i]];
}

static void set_constants(const zk_program *program, double *workspace)
{
    if (program->constant_count > 0)
        memcpy(workspace, program->constants, (size_t)program->constant_count * sizeof(double));
}

void zk_run(const zk_program *program, const zk_source *source, const zk_binding *binding,
            double *workspace, double *out)
{
    static const zk_binding identity = {NULL, NULL, NULL};
    set_constants(program, workspace);
    run_instance(program, source, binding ? binding : &identity, workspace, out);
}

void zk_run_table(const zk_program *program, const zk_source *source, const zk_table *table,
                  double *workspace, double *out)
{
    set_constants(program, workspace);
    for (int32_t i = 0; i < table->count; i++) {
        const int32_t *row = table->table ? table->table + (size_t)i * (size_t)table->stride : NULL;
        zk_binding binding = {0};
        if (row) binding = (zk_binding){row, row + table->value_at, row + table->measure_at};
        run_instance(program, source, &binding, workspace, out);
        out += program->output_count;
    }
}
