/*
 * What a process may still take: files of /proc and /sys as machines and containers have them, in a
 * folder of our own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "memory.h"

static char root[64];

/* Writes root/path, its folders with it. */
static void put(const char *path, const char *text)
{
    char name[512];
    (void)snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = name + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A new machine with 8 GB, 6 of them to be had. */
static void begin_machine(void)
{
    (void)snprintf(root, sizeof root, "/tmp/zwang-available-XXXXXX");
    assert_non_null(mkdtemp(root));
    put("/proc/meminfo", "MemTotal:        8000000 kB\nMemFree:          100 kB\n"
                         "MemAvailable:    6000000 kB\n");
}

static void end_machine(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

static void test_machine(void **state)
{
    (void)state;
    begin_machine();
    assert_int_equal(zb_available_memory_at(root), 6000000 * (size_t)1024);
    put("/proc/meminfo", "MemTotal:        8000000 kB\n"); /* of an old kernel */
    assert_int_equal(zb_available_memory_at(root), 8000000 * (size_t)1024);
    put("/proc/self/cgroup", "0::/\n"); /* groups that limit nothing */
    put("/sys/fs/cgroup/memory.max", "max\n");
    assert_int_equal(zb_available_memory_at(root), 8000000 * (size_t)1024);
    end_machine();
    assert_true(zb_available_memory() > 1000000); /* of this one */
}

static void test_second_version(void **state)
{
    (void)state;
    begin_machine();
    put("/proc/self/cgroup", "0::/user/me/job\n");
    put("/sys/fs/cgroup/user/me/job/memory.max", "1000000000\n");
    put("/sys/fs/cgroup/user/me/job/memory.current", "400000000\n");
    assert_int_equal(zb_available_memory_at(root), 600000000);
    /* pages of files go when room is needed */
    put("/sys/fs/cgroup/user/me/job/memory.stat",
        "anon 100000000\nfile 300000000\ninactive_file 200000000\nactive_file 100000000\n");
    assert_int_equal(zb_available_memory_at(root), 900000000);
    /* the groups around it count, too */
    put("/sys/fs/cgroup/user/memory.max", "500000000\n");
    put("/sys/fs/cgroup/user/memory.current", "450000000\n");
    assert_int_equal(zb_available_memory_at(root), 50000000);
    put("/sys/fs/cgroup/user/memory.current", "600000000\n"); /* all taken */
    assert_int_equal(zb_available_memory_at(root), 0);
    end_machine();
    /* inside a container the group is the mount itself, whatever its path says */
    begin_machine();
    put("/proc/self/cgroup", "0::/kept/from/outside\n");
    put("/sys/fs/cgroup/memory.max", "70000000\n");
    assert_int_equal(zb_available_memory_at(root), 70000000);
    end_machine();
}

static void test_first_version(void **state)
{
    (void)state;
    begin_machine();
    put("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,cpuacct:/x\n3:memory:/jobs/7\n0::/\n");
    put("/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/jobs/7/memory.usage_in_bytes", "1000\n");
    assert_int_equal(zb_available_memory_at(root), 6000000 * (size_t)1024);
    put("/sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "300000000\n");
    put("/sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", "250000000\n");
    put("/sys/fs/cgroup/memory/jobs/memory.stat",
        "inactive_file 1\ntotal_inactive_file 20000000\ntotal_active_file 30000000\n");
    assert_int_equal(zb_available_memory_at(root), 100000000);
    end_machine();
}

/* The limit of this process itself, and what it uses of it: a limit that nothing reaches, not even
 * what a sanitizer maps, of which the folder says that all but 500 MB is used. */
static void test_process(void **state)
{
    (void)state;
    struct rlimit before, now;
    char text[100];
    begin_machine();
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    now = before;
    now.rlim_cur = (rlim_t)1 << 50;
    if (now.rlim_cur > before.rlim_max) now.rlim_cur = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_DATA, &now), 0);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = ((size_t)now.rlim_cur - 500000000) / page;
    (void)snprintf(text, sizeof text, "5000 100 50 10 0 %zu 0\n", used);
    put("/proc/self/statm", text);
    assert_int_equal(zb_available_memory_at(root), (size_t)now.rlim_cur - used * page);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    end_machine();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine),
        cmocka_unit_test(test_second_version),
        cmocka_unit_test(test_first_version),
        cmocka_unit_test(test_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
