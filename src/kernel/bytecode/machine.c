/*
 * The scalar machine: fetches leaves through the binding, executes the stream, copies outputs.
 * Nothing is allocated. Constants are copied into the workspace once a call; registers of leaves
 * may be overwritten by results and are fetched for every instance. Machine code, where there is
 * some, finds its leaves by slot.
 */
#include <string.h>

#include "wide.h"

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

/* By the size of the operands in the stream. */
void zk_execute(const zk_program *program, double *registers)
{
    if (program->wide)
        execute_wide(program, registers);
    else
        execute_narrow(program, registers);
}

/* The leaves of one kind into their registers, from their array through a table; NULL: by slot. */
static void gather_kind(const zk_program *program, int32_t kind, const double *from,
                        const int32_t *table, double *to)
{
    int32_t start = program->leaf_at[kind - ZX_TIME], end = program->leaf_at[kind - ZX_TIME + 1];
    const int32_t *slot = program->leaves;
    if (table)
        for (int32_t i = start; i < end; i++) to[i] = from[table[slot[i]]];
    else
        for (int32_t i = start; i < end; i++) to[i] = from[slot[i]];
}

/* One instance; the constants are in the workspace already. */
static void evaluate_by_byte_code(const zk_program *program, const zk_source *source,
                                  const zk_binding *binding, double *workspace, double *out)
{
    double *to = workspace + program->constant_count;
    for (int32_t i = 0; i < program->leaf_at[1]; i++) to[i] = source->time;
    gather_kind(program, ZX_POSITION, source->position, binding->coordinate, to);
    gather_kind(program, ZX_VELOCITY, source->velocity, binding->coordinate, to);
    gather_kind(program, ZX_ACCELERATION, source->acceleration, binding->coordinate, to);
    gather_kind(program, ZX_VALUE, source->value, binding->value, to);
    gather_kind(program, ZX_MEASURE, source->measure, binding->measure, to);
    zk_execute(program, workspace);
    for (int32_t i = 0; i < program->output_count; i++) out[i] = workspace[program->outputs[i]];
}

static void copy_constants_in(const zk_program *program, double *workspace)
{
    if (program->constant_count > 0)
        memcpy(workspace, program->constants, (size_t)program->constant_count * sizeof(double));
}

/* ------------------------------------------------------------- machine code */

enum { BOUND_SLOTS = 64 };

/* What machine code reads for one kind of leaves: the source itself or, bound, a copy by slots.
 * NULL: there are more slots than that has room for. */
static const double *bind_kind(const zk_program *program, int32_t kind, const double *from,
                               const int32_t *table, double *copy)
{
    int32_t start = program->leaf_at[kind - ZX_TIME], end = program->leaf_at[kind - ZX_TIME + 1];
    if (!table || start == end) return from ? from : copy;
    for (int32_t i = start; i < end; i++) {
        int32_t slot = program->leaves[i];
        if (slot >= BOUND_SLOTS) return NULL;
        copy[slot] = from[table[slot]];
    }
    return copy;
}

/* One instance; false: it binds more slots than fit, and nothing was done. */
static bool evaluate_by_machine_code(const zk_program *program, zk_entry entry,
                                     const zk_source *source, const zk_binding *binding,
                                     double *workspace, double *out)
{
    double copy[ZK_LEAF_KINDS - 1][BOUND_SLOTS];
    const int32_t *c = binding->coordinate;
    zk_frame f = {
        .time = &source->time,
        .position = bind_kind(program, ZX_POSITION, source->position, c, copy[0]),
        .velocity = bind_kind(program, ZX_VELOCITY, source->velocity, c, copy[1]),
        .acceleration = bind_kind(program, ZX_ACCELERATION, source->acceleration, c, copy[2]),
        .value = bind_kind(program, ZX_VALUE, source->value, binding->value, copy[3]),
        .measure = bind_kind(program, ZX_MEASURE, source->measure, binding->measure, copy[4]),
        .out = out,
        .workspace = workspace};
    if (!f.position || !f.velocity || !f.acceleration || !f.value || !f.measure) return false;
    entry(&f);
    return true;
}

/* ---------------------------------------------------------------- instances */

/* Machine code first, where it may be used and the instance fits it. */
void zk_evaluate(const zk_program *program, const zk_source *source, const zk_binding *binding,
                 double *workspace, double *out)
{
    static const zk_binding identity = {NULL, NULL, NULL};
    if (!binding) binding = &identity;
    zk_entry entry = zk_entry_of(program, 1, source->evaluator);
    if (entry && evaluate_by_machine_code(program, entry, source, binding, workspace, out)) return;
    copy_constants_in(program, workspace);
    evaluate_by_byte_code(program, source, binding, workspace, out);
}

/* As zk_evaluate, instance by instance; constants are copied once. */
void zk_evaluate_table(const zk_program *program, const zk_source *source, const zk_table *table,
                       double *workspace, double *out)
{
    zk_entry entry = zk_entry_of(program, 1, source->evaluator);
    if (!entry) copy_constants_in(program, workspace);
    for (int32_t i = 0; i < table->count; i++, out += program->output_count) {
        const int32_t *row = table->table ? table->table + (size_t)i * (size_t)table->stride : NULL;
        zk_binding binding = {0};
        if (row) binding = (zk_binding){row, row + table->value_at, row + table->measure_at};
        if (entry) {
            if (evaluate_by_machine_code(program, entry, source, &binding, workspace, out))
                continue;
            entry = NULL;
            copy_constants_in(program, workspace);
        }
        evaluate_by_byte_code(program, source, &binding, workspace, out);
    }
}
