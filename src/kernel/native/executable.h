/*
 * Memory for machine code. It is written first and executed afterwards, never both at once:
 *
 *     create ──▶ write view ──seal──▶ code view ──▶ free
 */
#ifndef ZK_EXECUTABLE_H
#define ZK_EXECUTABLE_H

#include "kernel.h"

typedef struct zk_executable zk_executable;

/* READY, FORBIDDEN or MEMORY; *e is NULL unless READY. The bytes count in the memory's budget. */
zk_native_state zk_executable_create(zb_memory *memory, size_t bytes, zk_executable **e);

/* [bytes], zeroed, to be written; NULL after seal. */
uint8_t *zk_executable_write(zk_executable *e);

/* From here on nothing can be written. READY, or FORBIDDEN: then there is no code view. */
zk_native_state zk_executable_seal(zk_executable *e);

/* [bytes], to be executed; NULL before seal and where seal was refused. Aligned to at least 64
 * bytes. */
const uint8_t *zk_executable_code(const zk_executable *e);

void zk_executable_free(zk_executable *e); /* NULL accepted */

/* The ways in which systems grant executable memory, and for tests the choice among them. */
typedef enum zk_executable_way {
    ZK_BY_FILE = 1,       /* a file in memory, mapped to write, then again to execute */
    ZK_BY_PROTECTION = 2, /* a mapping whose protection changes */
} zk_executable_way;

zk_native_state zk_executable_create_by(zb_memory *memory, size_t bytes, int ways,
                                        zk_executable **e);
zk_executable_way zk_executable_way_of(const zk_executable *e);

#endif
