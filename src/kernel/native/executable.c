/*
 * Memory for machine code where there is mmap.
 *
 * Systems differ in what they grant: some refuse a mapping that was ever writable, some refuse
 * files in memory, some refuse everything. So the ways are tried in order, and one that fails as
 * late as at seal hands its bytes to the next:
 *
 *     by file         a file in memory, mapped writable; to seal, that view becomes readable only,
 *                     the same pages are mapped again to be executed, and the first view goes
 *     by protection   an anonymous mapping, writable; to seal, it becomes executable instead
 *
 * At any moment there is at most one view that can be written or one that can be executed. The file
 * is closed at seal and not inherited by other programs. The struct comes from the caller's memory;
 * the mapping's bytes are counted there and come from the system.
 */
#define _GNU_SOURCE /* memfd_create */

#include "executable.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NO_FILE = -1 };

struct zk_executable {
    zb_memory *memory;
    size_t bytes;
    int ways; /* that may be used */
    zk_executable_way way;
    int file;      /* NO_FILE: none is open */
    uint8_t *view; /* the one mapping; NULL: none, or refused */
    bool sealed;
};

/* -------------------------------------------------------------------- ways */

static uint8_t *map_pages(size_t bytes, int protection, int flags, int file)
{
    void *view = mmap(NULL, bytes, protection, flags, file, 0);
    return view == MAP_FAILED ? NULL : view;
}

static void unmap_view(zk_executable *e)
{
    if (e->view) munmap(e->view, e->bytes);
    e->view = NULL;
}

#ifdef MFD_CLOEXEC
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

/* A file that will be mapped but never started as a program: saying so is allowed under every
 * setting of vm.memfd_noexec; kernels before 6.3 do not know the flag. */
static int open_file(void)
{
    int file = memfd_create("machine code", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    return file != NO_FILE ? file : memfd_create("machine code", MFD_CLOEXEC);
}
#else
static int open_file(void)
{
    return NO_FILE;
}
#endif

/* Beyond the limit of file sizes growing a file raises a signal. */
static bool file_may_have(size_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
           (limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur);
}

static void close_file(zk_executable *e)
{
    if (e->file != NO_FILE) close(e->file);
    e->file = NO_FILE;
}

/* A writable view of a file in memory; false, and nothing is open, where that is refused. */
static bool create_by_file(zk_executable *e)
{
    e->way = ZK_BY_FILE;
    e->file = file_may_have(e->bytes) ? open_file() : NO_FILE;
    if (e->file != NO_FILE && ftruncate(e->file, (off_t)e->bytes) == 0)
        e->view = map_pages(e->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, e->file);
    if (!e->view) close_file(e);
    return e->view != NULL;
}

/* The same pages as executable view, and the writable one goes. On failure the view can be read
 * still. */
static bool seal_by_file(zk_executable *e)
{
    uint8_t *code = NULL;
    if (mprotect(e->view, e->bytes, PROT_READ) == 0)
        code = map_pages(e->bytes, PROT_READ | PROT_EXEC, MAP_SHARED, e->file);
    close_file(e);
    if (!code) return false;
    unmap_view(e);
    e->view = code;
    return true;
}

/* A writable view of its own; false where that is refused. */
static bool create_by_protection(zk_executable *e)
{
    e->way = ZK_BY_PROTECTION;
    e->view = map_pages(e->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, NO_FILE);
    return e->view != NULL;
}

static bool seal_by_protection(const zk_executable *e)
{
    return mprotect(e->view, e->bytes, PROT_READ | PROT_EXEC) == 0;
}

/* The bytes move from the file, which could not be sealed, to an anonymous mapping. */
static bool move_and_seal(zk_executable *e)
{
    uint8_t *old = e->view;
    bool done = create_by_protection(e);
    if (done) memcpy(e->view, old, e->bytes);
    munmap(old, e->bytes);
    return done && seal_by_protection(e);
}

/* --------------------------------------------------------------- functions */

static bool create_view(zk_executable *e)
{
    return ((e->ways & ZK_BY_FILE) && create_by_file(e)) ||
           ((e->ways & ZK_BY_PROTECTION) && create_by_protection(e));
}

/* Bytes count in the budget only once the system has granted them. */
zk_native_state zk_executable_create_by(zb_memory *memory, size_t bytes, int ways,
                                        zk_executable **executable)
{
    *executable = NULL;
    if (bytes == 0) bytes = 1;
    if (bytes > zb_room(memory) || bytes > PTRDIFF_MAX) return ZK_NATIVE_MEMORY;
    zk_executable *e = zb_resize(memory, NULL, 0, sizeof *e);
    if (!e) return ZK_NATIVE_MEMORY;
    *e = (zk_executable){.memory = memory, .bytes = bytes, .ways = ways, .file = NO_FILE};
    if (!create_view(e)) {
        zb_resize(memory, e, sizeof *e, 0);
        return ways & ZK_BY_PROTECTION ? ZK_NATIVE_MEMORY : ZK_NATIVE_FORBIDDEN;
    }
    memory->held += bytes;
    *executable = e;
    return ZK_NATIVE_READY;
}

zk_native_state zk_executable_create(zb_memory *memory, size_t bytes, zk_executable **e)
{
    return zk_executable_create_by(memory, bytes, ZK_BY_FILE | ZK_BY_PROTECTION, e);
}

uint8_t *zk_executable_write(zk_executable *e)
{
    return e->sealed ? NULL : e->view;
}

static bool seal_view(zk_executable *e)
{
    if (e->way == ZK_BY_PROTECTION) return seal_by_protection(e);
    return seal_by_file(e) || ((e->ways & ZK_BY_PROTECTION) && move_and_seal(e));
}

/* Where sealing fails there is no view any more. */
zk_native_state zk_executable_seal(zk_executable *e)
{
    if (!e->sealed) {
        e->sealed = true;
        if (!seal_view(e)) unmap_view(e);
        if (e->view) __builtin___clear_cache((char *)e->view, (char *)e->view + e->bytes);
    }
    return e->view ? ZK_NATIVE_READY : ZK_NATIVE_FORBIDDEN;
}

const uint8_t *zk_executable_code(const zk_executable *e)
{
    return e->sealed ? e->view : NULL;
}

zk_executable_way zk_executable_way_of(const zk_executable *e)
{
    return e->way;
}

/* The mapping, the file if it is still open, and the struct. */
void zk_executable_free(zk_executable *e)
{
    if (!e) return;
    unmap_view(e);
    close_file(e);
    e->memory->held -= e->bytes;
    zb_resize(e->memory, e, sizeof *e, 0);
}
