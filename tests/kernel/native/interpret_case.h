/*
 * A random program's machine code in plain memory, and run by the interpreter of evex.h with the
 * case's numbers: the frame's arrays, the workspace and the block's constants are all it may touch.
 */
#ifndef INTERPRET_CASE_H
#define INTERPRET_CASE_H

#include "evex.h"
#include "native.h"
#include "native_case.h"

typedef struct emitted {
    zb_arena arena; /* zb_arena_clear it */
    jmp_buf escape;
    zk_emission code;
} emitted;

void emit_case(native_case *c, const zk_machine *machine, int32_t width, emitted *e);

/* False with c->trouble when anything is wrong, the outputs' bits included. */
bool interpret_case(native_case *c, int32_t width, const zk_emission *code, evex_machine *machine);

#endif
