/*
 * AArch64 in small: runs emitted code word by word on any processor, so that the emitter can be
 * tested where its code cannot run. It knows only the instructions that the emitter has.
 */
#ifndef A64_INTERPRET_H
#define A64_INTERPRET_H

#include "native.h"

/* zk_machine_for of a64.c, under a name of its own beside that of this processor. */
const zk_machine *a64_machine_for(int32_t width);

typedef struct a64_result {
    char trouble[160]; /* empty: none */
    int64_t words, calls;
    bool saved; /* registers d8 to d15 were written */
} a64_result;

/* Runs a block from its entry to its return. Calls scramble what a function may change; at the end
 * everything that must be kept is compared. False with `trouble`. */
bool a64_run(const zk_emission *emission, const zk_frame *frame, a64_result *result);

#endif
