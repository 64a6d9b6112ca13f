/*
 * What a fuzz target offers, and what libFuzzer and replay.c call: the target under a limit
 * (limit.c).
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

void fuzz_target(const uint8_t *data, size_t size);

/* Not 0 while the target works on an input: still_clock.c counts with it. */
extern long fuzz_at_work;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
