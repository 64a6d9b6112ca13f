/*
 * Machine code where the system refuses it, in whole or in part (in children, under filters of
 * system calls): either it is had in another way, or zk_make_native says that it is forbidden, the
 * programs stay with their byte code and nothing is lost. Then, machine code that appears while
 * other threads run the program.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "forbid.h"
#include "native_case.h"

static bool runs_here(void)
{
#if defined(__x86_64__)
    return zb_cpu() >= ZB_CPU_AVX2;
#elif defined(__AARCH64EL__)
    return true;
#else
    return false;
#endif
}

static const int32_t widths[] = {1, 4};

/* ------------------------------------------------------------------ filters */

/* All evaluators agree, and machine code is there or is not, as expected: 0, or the line where that
 * broke, for it runs in children. */
#define DEMAND(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) return __LINE__;                                                         \
    } while (0)

static int all_agree(native_case *c)
{
    for (int wild = 0; wild < 2; wild++) {
        DEMAND(case_numbers(c, wild));
        for (int w = 0; w < 2; w++) DEMAND(case_frame(c, widths[w], ZK_FASTEST));
        DEMAND(case_run(c, ZK_FASTEST) && case_table(c, ZK_FASTEST));
    }
    return 0;
}

static int make_and_run(native_case *c, zk_native_state expected)
{
    size_t held = c->memory.held;
    for (int w = 0; w < 2; w++) {
        zk_native *native;
        zk_native_report report;
        zk_make_native(&c->memory, &c->program, 1, widths[w], &native, &report);
        DEMAND(report.state == expected && (native != NULL) == (expected == ZK_NATIVE_READY));
        DEMAND(report.programs == (native != NULL) && (report.bytes > 0) == (native != NULL));
        DEMAND((atomic_load(&c->program->entry[w]) != NULL) == (native != NULL));
        DEMAND(all_agree(c) == 0);
        zk_native_free(native);
        DEMAND(!atomic_load(&c->program->entry[w]) && c->memory.held == held);
    }
    return 0;
}

/* Machine code made before the door closes goes on running. */
static int made_before(native_case *c, unsigned what)
{
    zk_native *native;
    zk_native_report report;
    zk_make_native(&c->memory, &c->program, 1, 4, &native, &report);
    DEMAND(report.state == ZK_NATIVE_READY);
    if (!forbid(what)) return -1;
    DEMAND(all_agree(c) == 0);
    zk_native_free(native);
    return all_agree(c);
}

static int in_child(unsigned what, zk_native_state expected, bool before)
{
    native_case *c = calloc(1, sizeof *c);
    if (!c) return __LINE__;
    case_init(c, 11, 300);
    int line = before ? made_before(c, what) : forbid(what) ? 0 : -1;
    if (line == 0) line = make_and_run(c, expected);
    case_free(c);
    free(c);
    return line;
}

static void under(unsigned what, zk_native_state expected, bool before)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int line = in_child(what, expected, before);
        if (line > 0) fprintf(stderr, "line %d\n", line);
        _exit(line < 0 ? 77 : line > 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) skip(); /* no filters here */
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void forbidden(void **unused)
{
    (void)unused;
    if (!runs_here()) skip();
    under(FORBID_ALL, ZK_NATIVE_FORBIDDEN, false);
    under(FORBID_ALL & ~FORBID_FILE, ZK_NATIVE_FORBIDDEN, false);
    under(FORBID_FILE | FORBID_CHANGE, ZK_NATIVE_FORBIDDEN, false);
}

static void other_ways(void **unused)
{
    (void)unused;
    if (!runs_here()) skip();
    under(FORBID_FILE, ZK_NATIVE_READY, false);
    under(FORBID_RUN_FILE, ZK_NATIVE_READY, false);
    under(FORBID_CHANGE, ZK_NATIVE_READY, false);
}

static void forbidden_later(void **unused)
{
    (void)unused;
    if (!runs_here()) skip();
    under(FORBID_ALL, ZK_NATIVE_FORBIDDEN, true);
}

/* ------------------------------------------------------------------ threads */

enum { THREADS = 3, OUTPUTS = CASE_ROOTS };

typedef struct runner {
    const zk_program *program;
    const graph_source *numbers;
    const double *expected;
    const atomic_bool *stop;
    int32_t outputs;
    int64_t runs, wrong;
} runner;

static void *run_on(void *user)
{
    runner *r = user;
    zk_source source = graph_as_source(r->numbers);
    zk_binding binding = graph_as_binding(r->numbers);
    double *workspace = graph_workspace(r->program), out[OUTPUTS];
    do {
        zk_evaluate(r->program, &source, &binding, workspace, out);
        for (int32_t i = 0; i < r->outputs; i++) r->wrong += !graph_same(out[i], r->expected[i]);
        r->runs++;
    } while (!atomic_load(r->stop));
    free(workspace);
    return NULL;
}

/* Freed code must not run, so what is made stays until the threads have ended. */
static void made_while_running(void **unused)
{
    (void)unused;
    enum { TIMES = 60 };
    native_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    case_init(c, 12, 100);
    assert_true(case_numbers(c, false));
    atomic_bool stop = false;
    pthread_t threads[THREADS];
    runner runners[THREADS];
    zk_native *natives[TIMES];
    for (int k = 0; k < THREADS; k++) {
        runners[k] = (runner){c->program, &c->lane[k], c->expected[k], &stop, c->root_count, 0, 0};
        assert_int_equal(pthread_create(&threads[k], NULL, run_on, &runners[k]), 0);
    }
    for (int k = 0; k < TIMES; k++) {
        zk_native_report report;
        zk_make_native(&c->memory, &c->program, 1, widths[k % 2], &natives[k], &report);
        assert_int_equal(report.state, runs_here() ? ZK_NATIVE_READY : ZK_NATIVE_FOREIGN);
    }
    atomic_store(&stop, true);
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        assert_true(runners[k].runs > 0);
        assert_int_equal(runners[k].wrong, 0);
    }
    for (int k = 0; k < TIMES; k++) zk_native_free(natives[k]);
    case_free(c);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forbidden),
        cmocka_unit_test(other_ways),
        cmocka_unit_test(forbidden_later),
        cmocka_unit_test(made_while_running),
    };
    return cmocka_run_group_tests_name("machine code refused", tests, NULL, NULL);
}
