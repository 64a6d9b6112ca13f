/*
 * Random programs through the emitter and the interpreter; see interpret_case.h.
 */
#include "interpret_case.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wide.h"

/* ------------------------------------------------------------------- calls */

/* The function that an address means, with its arguments checked, and called. */
static bool call(void *user, evex_machine *m, uint64_t function)
{
    const int32_t *width = user;
    for (int32_t opcode = 0; opcode < ZK_OPCODE_COUNT; opcode++) {
        zk_lane_fn lanes = zk_lane_function(opcode, *width);
        if (!lanes || (uintptr_t)lanes != function) continue;
        uint64_t to = m->general[7], a = m->general[6], b = m->general[2]; /* rdi, rsi, rdx */
        size_t bytes = (size_t)*width * sizeof(double);
        if (!evex_may(m, to, bytes * (size_t)zk_opcodes[opcode].results, true)) return false;
        if (!evex_may(m, a, bytes, false)) return false;
        if (zk_opcodes[opcode].operands == 2 && !evex_may(m, b, bytes, false)) return false;
        if (zk_opcodes[opcode].operands == 1) b = 0;
        lanes((double *)(uintptr_t)to, (const double *)(uintptr_t)a, (const double *)(uintptr_t)b);
        return true;
    }
    return false;
}

/* -------------------------------------------------------------------- runs */

void emit_case(native_case *c, const zk_machine *machine, int32_t width, emitted *e)
{
    zb_arena_init(&e->arena, &c->memory, 0);
    e->arena.escape = &e->escape;
    if (setjmp(e->escape)) fail_msg("out of memory");
    zk_emit_by(machine, &e->arena, c->program, width, NULL, &e->code);
}

/* Exactly what a program may touch: nothing but the leaves can be longer than it needs. */
static void allow_all(evex_machine *m, const case_lanes *lanes, const zk_emission *code)
{
    const zk_frame *f = &lanes->frame;
    const double *leaves[ZK_LEAF_KINDS] = {f->time,         f->position, f->velocity,
                                           f->acceleration, f->value,    f->measure};
    evex_allow(m, "frame", f, sizeof *f, false);
    for (int k = 0; k < ZK_LEAF_KINDS; k++)
        evex_allow(m, "leaves", leaves[k], lanes->entries[k] * sizeof(double), false);
    evex_allow(m, "out", f->out, lanes->out_count * sizeof(double), true);
    evex_allow(m, "workspace", f->workspace, lanes->workspace_count * sizeof(double), true);
    /* scalar code reads 16 bytes of a constant of 8: behind the last one there is code */
    size_t constants = lanes->width == 1 ? code->size : code->code_at;
    evex_allow(m, "constants", code->bytes, constants, false);
}

bool interpret_case(native_case *c, int32_t width, const zk_emission *code, evex_machine *m)
{
    case_lanes lanes;
    char what[64];
    memset(m, 0, sizeof *m);
    m->call = call;
    m->user = &width;
    case_lanes_init(c, width, &lanes);
    allow_all(m, &lanes, code);
    snprintf(what, sizeof what, "interpreted at width %d", (int)width);
    bool good = evex_run(m, code->bytes + code->code_at, code->size - code->code_at, &lanes.frame);
    if (!good)
        snprintf(c->trouble, sizeof c->trouble, "seed %" PRIu64 ", %s: %.160s", c->seed, what,
                 m->trouble);
    good = good && case_lanes_check(c, &lanes, what);
    case_lanes_free(&lanes);
    return good;
}
