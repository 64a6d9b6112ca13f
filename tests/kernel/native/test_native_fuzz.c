/*
 * Every evaluator against every other, bit by bit, on thousands of random programs: byte code one
 * by one, byte code in lanes, machine code at each width this processor has, single runs with
 * bindings, tables; with ordinary and with wild numbers in each lane, and guards around what may be
 * written.
 *
 *     kernel_native_fuzz [programs [first seed [most operations]]]
 *
 * goes on for as long as you like; a failure names its seed, and `kernel_native_fuzz 1 SEED` is
 * that program alone.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native_case.h"

#ifndef FUZZ_PROGRAMS
#define FUZZ_PROGRAMS 3200
#endif

enum { MOST_BATCH = 6 };

static int64_t programs = FUZZ_PROGRAMS;
static uint64_t first_seed = 1;
static int32_t most_operations = 5000;

static const int32_t widths[ZK_WIDTHS] = {1, 4, 8};

/* What was done. */
static struct {
    int64_t programs, operations, runs, native[ZK_WIDTHS];
} total;

static bool has_width(int32_t width)
{
#if defined(__x86_64__)
    return width <= 8 && zb_cpu() >= ZB_CPU_AVX2;
#elif defined(__AARCH64EL__)
    return width < 8;
#else
    (void)width;
    return false;
#endif
}

/* Whether the processor compares as its manual says. Valgrind up to 3.19 or so takes "not equal and
 * ordered" for "not equal": then zk_make_native refuses code with that in it, as it should, and of
 * the runs only their use of memory can be judged. */
static bool processor_is_right(void)
{
#if defined(__x86_64__)
    double all = ZB_NAN;
    if (has_width(1)) __asm__ volatile("vcmpsd $12, %0, %0, %0" : "+x"(all));
    return !has_width(1) || zb_bits(all) == 0;
#else
    return true;
#endif
}

/* ------------------------------------------------------------------- cases */

static bool every_evaluator(native_case *c)
{
    bool good = true;
    for (int w = 0; w < ZK_WIDTHS && good; w++)
        good = case_frame(c, widths[w], ZK_BYTE_CODE) && case_frame(c, widths[w], ZK_FASTEST);
    total.runs += 2 * ZK_WIDTHS + 3;
    return good && case_run(c, ZK_FASTEST) && case_table(c, ZK_BYTE_CODE) &&
           case_table(c, ZK_FASTEST);
}

static void check(native_case *c)
{
    for (int wild = 0; wild < 2; wild++) {
        bool good = case_numbers(c, wild) && every_evaluator(c);
        if (!good && processor_is_right()) fail_msg("%s", c->trouble);
    }
}

static void count_native(const native_case *c)
{
    zk_statistics facts;
    zk_statistics_of(c->program, &facts);
    total.programs++;
    total.operations += facts.operations;
    for (int w = 0; w < ZK_WIDTHS; w++)
        total.native[w] += atomic_load(&c->program->entry[w]) != NULL;
}

/* ----------------------------------------------------------------- batches */

/* Some programs in one mapping for each width. */
static void make_natives(zb_memory *memory, native_case *cases, int32_t count,
                         zk_native *natives[ZK_WIDTHS])
{
    zk_program *batch[MOST_BATCH];
    for (int32_t i = 0; i < count; i++) batch[i] = cases[i].program;
    for (int w = 0; w < ZK_WIDTHS; w++) {
        zk_native_report report;
        zk_make_native(memory, batch, count, widths[w], &natives[w], &report);
        zk_native_state state = has_width(widths[w]) ? ZK_NATIVE_READY : ZK_NATIVE_FOREIGN;
        bool excused = report.state == ZK_NATIVE_DIFFERS && !processor_is_right();
        if (report.state != state && report.state != ZK_NATIVE_LARGE && !excused)
            fail_msg("seed %" PRIu64 " and %d more, width %d: %s", cases[0].seed, (int)count - 1,
                     (int)widths[w], zk_native_sentence(report.state));
        assert_true((natives[w] != NULL) == (report.state == ZK_NATIVE_READY));
    }
}

static void check_frame(native_case *c)
{
    bool good = case_numbers(c, false) && case_frame(c, 4, ZK_FASTEST);
    if (!good && processor_is_right()) fail_msg("%s", c->trouble);
}

static void fuzz_batch(native_case *cases, uint64_t seed, int32_t count)
{
    zb_memory memory;
    zk_native *natives[ZK_WIDTHS];
    zb_memory_init(&memory, NULL);
    for (int32_t i = 0; i < count; i++) case_init(&cases[i], seed + (uint64_t)i, most_operations);
    make_natives(&memory, cases, count, natives);
    for (int32_t i = 0; i < count; i++) {
        graph_state = cases[i].seed; /* the same numbers in whatever batch */
        check(&cases[i]);
        count_native(&cases[i]);
    }
    for (int w = 0; w < ZK_WIDTHS; w++) zk_native_free(natives[w]);
    for (int32_t i = 0; i < count; i++) {
        for (int w = 0; w < ZK_WIDTHS; w++) assert_null(atomic_load(&cases[i].program->entry[w]));
        check_frame(&cases[i]); /* by byte code again */
        case_free(&cases[i]);
    }
    assert_int_equal(memory.held, 0);
}

static void evaluators_agree(void **unused)
{
    (void)unused;
    native_case *cases = calloc(MOST_BATCH, sizeof *cases);
    assert_non_null(cases);
    for (int64_t done = 0; done < programs;) {
        int32_t count = 1 + (int32_t)(done % MOST_BATCH);
        if (count > programs - done) count = (int32_t)(programs - done);
        fuzz_batch(cases, first_seed + (uint64_t)done, count);
        done += count;
    }
    free(cases);
    print_message("%" PRId64 " programs, %" PRId64 " operations, %" PRId64
                  " runs compared; machine code at 1, 4, 8 lanes: %" PRId64 ", %" PRId64
                  ", %" PRId64 "\n",
                  total.programs, total.operations, total.runs, total.native[0], total.native[1],
                  total.native[2]);
}

/* Machine code was really made and run, for almost all programs. */
static void machine_code_was_there(void **unused)
{
    (void)unused;
    for (int w = 0; w < ZK_WIDTHS; w++)
        if (has_width(widths[w]))
            assert_true(total.native[w] * 100 >= total.programs * (processor_is_right() ? 98 : 10));
        else
            assert_int_equal(total.native[w], 0);
}

/* ------------------------------------------------------------- many slots */

enum { SLOTS = 300 };

/* 0 + q0 v0 + q1 v1 + ... */
static zk_program *sum_over(zb_memory *memory, int32_t slots)
{
    zx_pool pool;
    jmp_buf escape;
    zk_program *program;
    zx_pool_init(&pool, memory, &escape, false);
    zx_node sum = zx_number(&pool, 0.0);
    for (int32_t i = 0; i < slots; i++) {
        zx_node a = zx_leaf(&pool, ZX_POSITION, i), b = zx_leaf(&pool, ZX_VELOCITY, i);
        zx_node product = zx_intern(&pool, &(zx_item){.op = ZX_MUL, .a = a, .b = b});
        sum = zx_intern(&pool, &(zx_item){.op = ZX_ADD, .a = sum, .b = product});
    }
    assert_int_equal(zk_compile(memory, &pool, &sum, 1, &program), ZW_OK);
    zx_pool_free(&pool);
    return program;
}

static void check_sum(const zk_program *program, int32_t slots)
{
    double q[SLOTS], v[SLOTS], plain = 0.0, bound = 0.0, out, *workspace = graph_workspace(program);
    int32_t table[SLOTS];
    zk_source source = {.position = q, .velocity = v};
    for (int32_t i = 0; i < slots; i++) {
        q[i] = graph_uniform(-1.0, 1.0);
        v[i] = graph_uniform(-1.0, 1.0);
        table[i] = graph_below(i + 1);
        plain += q[i] * v[i];
        bound += q[table[i]] * v[table[i]];
    }
    zk_evaluate(program, &source, NULL, workspace, &out);
    assert_true(out == plain);
    zk_evaluate(program, &source, &(zk_binding){.coordinate = table}, workspace, &out);
    assert_true(out == bound);
    zk_evaluate_table(program, &source, &(zk_table){.table = table, .count = 1}, workspace, &out);
    assert_true(out == bound);
    free(workspace);
}

/* More slots than any copy on the way may have room for, with and without bindings. */
static void many_slots(void **unused)
{
    (void)unused;
    for (int32_t slots = 1; slots <= SLOTS; slots += slots < 60 || slots > 70 ? 13 : 1) {
        zb_memory memory;
        zk_native *native;
        zk_native_report report;
        zb_memory_init(&memory, NULL);
        zk_program *program = sum_over(&memory, slots);
        zk_make_native(&memory, &program, 1, 1, &native, &report);
        check_sum(program, slots);
        zk_native_free(native);
        zk_free(program);
        assert_int_equal(memory.held, 0);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluators_agree),
        cmocka_unit_test(machine_code_was_there),
        cmocka_unit_test(many_slots),
    };
    if (count > 1) programs = strtoll(arguments[1], NULL, 10);
    if (count > 2) first_seed = strtoull(arguments[2], NULL, 10);
    if (count > 3) most_operations = (int32_t)strtol(arguments[3], NULL, 10);
    return cmocka_run_group_tests_name("evaluators against each other", tests, NULL, NULL);
}
