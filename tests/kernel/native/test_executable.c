/*
 * Memory for machine code: each way of getting it, each way refused (in a child process under a
 * filter of system calls), one that fails as late as at seal; that no mapping of the process is
 * ever writable and executable, that nothing can be written after seal, that no file stays open,
 * that every byte arrives; budget and failing allocations.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "executable.h"
#include "forbid.h"

enum { BOTH = ZK_BY_FILE | ZK_BY_PROTECTION };

/* A function that returns 42, for the processors that we know. */
#if defined(__x86_64__)
static const uint8_t forty_two[] = {0xb8, 42, 0, 0, 0, 0xc3};
#elif defined(__aarch64__)
static const uint8_t forty_two[] = {0x40, 0x05, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
#else
static const uint8_t forty_two[] = {0};
#endif

static int call(const uint8_t *code)
{
    if (sizeof forty_two == 1) return 42;
    int (*function)(void) = (int (*)(void))(uintptr_t)code;
    return function();
}

/* ------------------------------------------------------- what the system says */

typedef struct mappings {
    int both; /* writable and executable */
    int executable;
    bool here_writable, here_executable; /* the mapping that holds an address */
} mappings;

static mappings look(const void *address)
{
    mappings m = {0};
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps) return m;
    while (fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        char right[5];
        if (sscanf(line, "%llx-%llx %4s", &from, &to, right) != 3) continue;
        bool w = right[1] == 'w', x = right[2] == 'x';
        m.both += w && x;
        m.executable += x;
        if ((uintptr_t)address >= from && (uintptr_t)address < to)
            m.here_writable = w, m.here_executable = x;
    }
    fclose(maps);
    return m;
}

/* The lowest free number of a file: one more when something stays open. */
static int next_file(void)
{
    int file = dup(0);
    if (file >= 0) close(file);
    return file;
}

/* A write to the address kills a child. */
static bool writable(const uint8_t *address)
{
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile uint8_t *)(uintptr_t)address = 0;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* --------------------------------------------------------------- the cycle */

/* From create to free with all its promises; returns 0, or the line of the first broken one, for
 * it also runs in children, where cmocka cannot count. */
#define DEMAND(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) return __LINE__;                                                         \
    } while (0)

static int cycle_of(int ways, size_t bytes, zk_executable_way expected)
{
    zb_memory memory;
    zk_executable *e;
    zb_memory_init(&memory, NULL);
    int file = next_file();
    DEMAND(zk_executable_create_by(&memory, bytes, ways, &e) == ZK_NATIVE_READY);
    uint8_t *to = zk_executable_write(e);
    DEMAND(to && !zk_executable_code(e) && memory.held >= bytes);
    for (size_t i = 0; i < bytes; i++) DEMAND(to[i] == 0);
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)(i * 37 >> 3);
    memcpy(to, forty_two, sizeof forty_two);
    mappings before = look(to);
    DEMAND(before.both == 0 && !before.here_executable);

    DEMAND(zk_executable_seal(e) == ZK_NATIVE_READY && zk_executable_seal(e) == ZK_NATIVE_READY);
    DEMAND(zk_executable_way_of(e) == expected && next_file() == file);
    const uint8_t *code = zk_executable_code(e);
    DEMAND(code && !zk_executable_write(e) && (uintptr_t)code % 64 == 0);
    mappings after = look(code);
    DEMAND(after.both == 0 && !after.here_writable);
    DEMAND(after.executable == before.executable + (before.executable > 0)); /* /proc is there */
    DEMAND(call(code) == 42);
    for (size_t i = sizeof forty_two; i < bytes; i++) DEMAND(code[i] == (uint8_t)(i * 37 >> 3));

    zk_executable_free(e);
    DEMAND(look(code).executable == before.executable && memory.held == 0);
    return 0;
}

static void every_way(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {8, 4096, 4097, 1000000};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(cycle_of(ZK_BY_PROTECTION, sizes[i], ZK_BY_PROTECTION), 0);
#ifdef __linux__
        assert_int_equal(cycle_of(ZK_BY_FILE, sizes[i], ZK_BY_FILE), 0);
        assert_int_equal(cycle_of(BOTH, sizes[i], ZK_BY_FILE), 0);
#endif
    }
}

static void nothing_writes_after_seal(void **unused)
{
    (void)unused;
    for (int ways = 1; ways <= 3; ways++) {
        zb_memory memory;
        zk_executable *e;
        zb_memory_init(&memory, NULL);
        if (zk_executable_create_by(&memory, 8, ways, &e) != ZK_NATIVE_READY) continue;
        uint8_t *to = zk_executable_write(e);
        assert_true(writable(to));
        assert_int_equal(zk_executable_seal(e), ZK_NATIVE_READY);
        assert_false(writable(zk_executable_code(e)));
        assert_false(writable(to)); /* the old view is gone or cannot be written */
        zk_executable_free(e);
    }
}

static void many_at_once(void **unused)
{
    (void)unused;
    enum { COUNT = 50 };
    zb_memory memory;
    zk_executable *all[COUNT];
    zb_memory_init(&memory, NULL);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(zk_executable_create(&memory, 64, &all[i]), ZK_NATIVE_READY);
        memcpy(zk_executable_write(all[i]), forty_two, sizeof forty_two);
        if (i % 2) assert_int_equal(zk_executable_seal(all[i]), ZK_NATIVE_READY);
    }
    for (int i = 1; i < COUNT; i += 2) assert_int_equal(call(zk_executable_code(all[i])), 42);
    for (int i = 0; i < COUNT; i++) zk_executable_free(all[i]); /* sealed or not */
    zk_executable_free(NULL);
    assert_int_equal(memory.held, 0);
}

/* ----------------------------------------------------------------- refused */

/* No way is granted: create succeeds or not, seal does not, and everything is given back. */
static int refused(int ways)
{
    zb_memory memory;
    zk_executable *e;
    zb_memory_init(&memory, NULL);
    int file = next_file();
    zk_native_state state = zk_executable_create_by(&memory, 5000, ways, &e);
    if (state == ZK_NATIVE_READY) {
        memset(zk_executable_write(e), 0xc3, 5000);
        state = zk_executable_seal(e);
        DEMAND(!zk_executable_write(e) && !zk_executable_code(e));
        DEMAND(zk_executable_seal(e) == ZK_NATIVE_FORBIDDEN);
        zk_executable_free(e);
    } else
        DEMAND(!e);
    DEMAND(state == ZK_NATIVE_FORBIDDEN && next_file() == file && memory.held == 0);
    return 0;
}

static int limited_file_size(void)
{
    DEMAND(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}) == 0);
    DEMAND(cycle_of(BOTH, 4096, ZK_BY_FILE) == 0);
    DEMAND(refused(ZK_BY_FILE) == 0);
    return cycle_of(BOTH, 4097, ZK_BY_PROTECTION);
}

static int limited_files(void)
{
    /* no file can be opened, not even that with the mappings: look sees none */
    DEMAND(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0}) == 0);
    DEMAND(refused(ZK_BY_FILE) == 0);
    return cycle_of(BOTH, 4097, ZK_BY_PROTECTION);
}

static int no_files(void)
{
    DEMAND(refused(ZK_BY_FILE) == 0);
    return cycle_of(BOTH, 100000, ZK_BY_PROTECTION);
}

static int no_running_files(void)
{
    return no_files(); /* which now fails at seal: the bytes move */
}

static int no_change(void)
{
    DEMAND(refused(ZK_BY_PROTECTION) == 0);
    return cycle_of(BOTH, 100000, ZK_BY_FILE);
}

static int nothing(void)
{
    DEMAND(refused(ZK_BY_FILE) == 0);
    DEMAND(refused(ZK_BY_PROTECTION) == 0);
    return refused(BOTH);
}

/* Runs a check in a child under a filter; 0 where it held, -1 where there are no filters. */
static int under(unsigned what, int (*check)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (what && !forbid(what)) _exit(255);
        int line = check();
        if (line) fprintf(stderr, "line %d\n", line);
        _exit(line != 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

static void refusals(void **unused)
{
    (void)unused;
    static const struct {
        unsigned what;
        int (*check)(void);
    } all[] = {
        {FORBID_FILE, no_files}, {FORBID_RUN_FILE, no_running_files},  {FORBID_CHANGE, no_change},
        {FORBID_ALL, nothing},   {FORBID_ALL & ~FORBID_FILE, nothing},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int outcome = under(all[i].what, all[i].check);
        if (outcome < 0) skip();
        assert_int_equal(outcome, 0);
    }
}

static void limits(void **unused)
{
    (void)unused;
#ifdef __linux__
    assert_int_equal(under(0, limited_file_size), 0);
#endif
    assert_int_equal(under(0, limited_files), 0);
}

/* ------------------------------------------------------------------ memory */

static void budget(void **unused)
{
    (void)unused;
    zb_memory memory;
    zk_executable *e = (zk_executable *)&memory;
    zb_memory_init(&memory, NULL);
    memory.budget = 10000;
    assert_int_equal(zk_executable_create(&memory, 10001, &e), ZK_NATIVE_MEMORY);
    assert_null(e);
    assert_int_equal(zk_executable_create(&memory, SIZE_MAX, &e), ZK_NATIVE_MEMORY);
    assert_int_equal(zk_executable_create(&memory, 8000, &e), ZK_NATIVE_READY);
    zk_executable *second;
    assert_int_equal(zk_executable_create(&memory, 8000, &second), ZK_NATIVE_MEMORY);
    zk_executable_free(e);
    assert_int_equal(zk_executable_create(&memory, 0, &e), ZK_NATIVE_READY);
    assert_int_equal(zk_executable_seal(e), ZK_NATIVE_READY);
    zk_executable_free(e);
    memory.budget = 9;
    assert_int_equal(zk_executable_create(&memory, 8, &e), ZK_NATIVE_MEMORY); /* the struct */
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),    cmocka_unit_test(nothing_writes_after_seal),
        cmocka_unit_test(many_at_once), cmocka_unit_test(refusals),
        cmocka_unit_test(limits),       cmocka_unit_test(budget),
    };
    return cmocka_run_group_tests_name("executable memory", tests, NULL, NULL);
}
