/*
 * Stands in for executable.c where the system has no mmap: executable memory is never granted.
 */
#include "executable.h"

zk_native_state zk_executable_create(zb_memory *memory, size_t bytes, zk_executable **e)
{
    return zk_executable_create_by(memory, bytes, 0, e);
}

zk_native_state zk_executable_create_by(zb_memory *memory, size_t bytes, int ways,
                                        zk_executable **e)
{
    (void)memory, (void)bytes, (void)ways;
    *e = NULL;
    return ZK_NATIVE_FORBIDDEN;
}

uint8_t *zk_executable_write(zk_executable *e)
{
    (void)e;
    return NULL;
}

zk_native_state zk_executable_seal(zk_executable *e)
{
    (void)e;
    return ZK_NATIVE_FORBIDDEN;
}

const uint8_t *zk_executable_code(const zk_executable *e)
{
    (void)e;
    return NULL;
}

zk_executable_way zk_executable_way_of(const zk_executable *e)
{
    (void)e;
    return ZK_BY_PROTECTION;
}

void zk_executable_free(zk_executable *e)
{
    (void)e;
}
