/*
 * The emitter's parts: bytes that depend on the program only, the choice of the order, listings;
 * running out of memory at every request.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../base/counting.h"
#include "fixture.h"
#include "native.h"
#include "random_graph.h"

static const int32_t widths[] = {1, 4, 8};

/* The last byte of a return; what the code at 1 and 4 lanes has in it. */
#if defined(__aarch64__)
enum { LAST_BYTE = 0xd6 };
#define NAMES "fadd d", "fadd v"
#else
enum { LAST_BYTE = 0xc3 };
#define NAMES "xmm", "ymm"
#endif

/* A program of some hundred steps, calls and outputs of all kinds. */
static zk_program *mixed_program(fixture *f)
{
    zx_node roots[12];
    graph_state = 5;
    graph_grow(&f->pool, 300, false, NULL, NULL);
    for (int i = 0; i < 12; i++) roots[i] = f->pool.count - 1 - graph_below(f->pool.count);
    return compiled(f, roots, 12);
}

/* Whatever request for memory fails, the program stays as it was, and nothing is lost. */
static void memory_runs_out(void **state)
{
    fixture *f = *state;
    zk_program *program = mixed_program(f);
    bool done = !runs(1);
    for (int64_t k = 1; !done; k++) {
        counting c;
        zb_memory memory;
        zk_native *native;
        zk_native_report report;
        counting_init(&c, &memory);
        c.refuse_at = k;
        c.refuse_onwards = k % 2;
        zk_make_native(&memory, &program, 1, 1, &native, &report);
        done = c.refused == 0;
        assert_int_equal(report.state, done ? ZK_NATIVE_READY : ZK_NATIVE_MEMORY);
        assert_true((native != NULL) == done);
        assert_true((program->entry[0] != NULL) == done);
        zk_native_free(native);
        assert_nothing_held(&c, &memory);
        assert_true(k < 10000);
    }
    zk_free(program);
}

static void budget_runs_out(void **state)
{
    fixture *f = *state;
    zk_program *program = mixed_program(f);
    for (size_t budget = 100; runs(1) && budget < 1000000; budget *= 3) {
        zb_memory memory;
        zk_native *native;
        zk_native_report report;
        zb_memory_init(&memory, NULL);
        memory.budget = budget;
        zk_make_native(&memory, &program, 1, 1, &native, &report);
        assert_true(report.state == (native ? ZK_NATIVE_READY : ZK_NATIVE_MEMORY));
        if (budget < 1000) assert_null(native);
        if (budget > 300000) assert_non_null(native);
        zk_native_free(native);
        assert_int_equal(memory.held, 0);
    }
    zk_free(program);
}

/* ---------------------------------------------------------------- emission */

static void emission(fixture *f, const zk_program *program, int32_t width, zb_arena *arena,
                     zk_emission *made)
{
    zb_arena_init(arena, &f->memory, 0);
    arena->escape = &f->escape;
    if (setjmp(f->escape)) fail();
    zk_emit(arena, program, width, NULL, made);
    assert_int_equal(made->state, ZK_NATIVE_READY);
}

/* Bytes are the same each time, at widths that do not run here too; they end with a return. */
static void emission_is_stable(void **state)
{
    fixture *f = *state;
    zk_program *program = mixed_program(f);
    for (int w = 0; w < 3; w++) {
        if (!zk_machine_for(widths[w])) continue;
        zb_arena arenas[2];
        zk_emission made[2];
        for (int k = 0; k < 2; k++) emission(f, program, widths[w], &arenas[k], &made[k]);
        assert_int_equal(made[0].size, made[1].size);
        assert_int_equal(made[0].code_at, made[1].code_at);
        assert_memory_equal(made[0].bytes, made[1].bytes, made[0].size);
        assert_true(made[0].code_at % 64 == 0 && made[0].size > made[0].code_at);
        assert_int_equal(made[0].bytes[made[0].size - 1], LAST_BYTE);
        for (int k = 0; k < 2; k++) zb_arena_clear(&arenas[k]);
    }
    zk_free(program);
}

/* Calls that all wait for the last of them take more workspace in the order of their operands than
 * in that of the byte code; a chain takes none. */
static void order_follows_workspace(void **state)
{
    fixture *f = *state;
    zx_node x[48];
    for (int32_t i = 0; i < 48; i++) x[i] = raw(f, ZX_MUL, q(f, i), q(f, 47 - i), 0);
    for (int round = 0; round < 3; round++)
        for (int32_t i = 0; i < 48; i++) {
            zx_node s = raw(f, ZX_SIN, x[i], 0, 0), c = raw(f, ZX_COS, x[i], 0, 0);
            x[i] = raw(f, ZX_ADD, raw(f, ZX_MUL, s, c, 0), x[(i + 1) % 48], 0);
        }
    zx_node sum = q(f, 0);
    for (int32_t i = 0; i < 40; i++) sum = raw(f, ZX_ADD, sum, q(f, i), 0);
    zk_program *programs[] = {compiled(f, x, 48), compiled(f, &sum, 1)};
    for (int i = 0; i < 2; i++) {
        zb_arena arena;
        zk_emission made;
        emission(f, programs[i], 1, &arena, &made);
        assert_int_equal(made.order, i == 0 ? ZK_ORDER_STREAM : ZK_ORDER_DEEP);
        assert_true((size_t)made.allocation.slots <= zk_workspace(programs[i]));
        if (i == 1) assert_int_equal(made.allocation.slots, 0);
        zb_arena_clear(&arena);
        zk_free(programs[i]);
    }
}

static void listing_shows_all(void **state)
{
    fixture *f = *state;
    zk_program *program = mixed_program(f);
    const char *registers[] = {NAMES, zb_cpu() == ZB_CPU_AVX2 ? "ymm15" : "zmm"};
    for (int w = 0; w < 3; w++) {
        if (!zk_machine_for(widths[w])) continue;
        zb_text text[2];
        for (int k = 0; k < 2; k++) {
            zb_text_init(&text[k], &f->memory);
            zk_dump_native(&f->memory, program, widths[w], &text[k]);
            assert_int_equal(text[k].failure, ZW_OK);
        }
        assert_string_equal(zb_text_string(&text[0]), zb_text_string(&text[1]));
        static const char *const parts[] = {"steps\n",
                                            "outputs",
                                            "code\n",
                                            "call ",
                                            "in register",
                                            "ret\n",
                                            "places of the workspace"};
        for (int i = 0; i < 7; i++) assert_non_null(strstr(zb_text_string(&text[0]), parts[i]));
        assert_non_null(strstr(zb_text_string(&text[0]), registers[w]));
        zb_text_free(&text[0]), zb_text_free(&text[1]);
    }
    zk_free(program);
}

static void listing_without_memory(void **state)
{
    fixture *f = *state;
    zk_program *program = mixed_program(f);
    bool done = false;
    for (int64_t k = 1; !done; k++) {
        counting c;
        zb_memory memory;
        zb_text text;
        counting_init(&c, &memory);
        c.refuse_at = k;
        zb_text_init(&text, &memory);
        zk_dump_native(&memory, program, 1, &text);
        done = c.refused == 0;
        assert_true((text.failure == ZW_OK) == done);
        zb_text_free(&text);
        assert_nothing_held(&c, &memory);
    }
    zk_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_runs_out, setup, teardown),
        cmocka_unit_test_setup_teardown(budget_runs_out, setup, teardown),
        cmocka_unit_test_setup_teardown(emission_is_stable, setup, teardown),
        cmocka_unit_test_setup_teardown(order_follows_workspace, setup, teardown),
        cmocka_unit_test_setup_teardown(listing_shows_all, setup, teardown),
        cmocka_unit_test_setup_teardown(listing_without_memory, setup, teardown),
    };
    return cmocka_run_group_tests_name("emission", tests, NULL, NULL);
}
