/*
 * The emitter for AArch64: its code, interpreted, against the byte code bit by bit, on random
 * programs of all opcodes; places farther away than one instruction reaches; more values than
 * registers; registers that must be kept; planted mistakes that the interpreter has to find. Where
 * this is compiled for AArch64 the far places are also run for what they are.
 *
 *     kernel_a64 [programs [first seed]]
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../native/native_case.h"
#include "interpret.h"

#ifndef A64_PROGRAMS
#define A64_PROGRAMS 1200
#endif

static const int32_t widths[] = {1, 4};
static int64_t programs = A64_PROGRAMS;
static uint64_t first_seed = 1;

typedef struct emitted {
    zb_arena arena;
    jmp_buf escape;
    zk_emission code;
} emitted;

static void emit(zb_memory *memory, const zk_program *program, int32_t width, emitted *e)
{
    zb_arena_init(&e->arena, memory, 0);
    e->arena.escape = &e->escape;
    if (setjmp(e->escape)) fail_msg("out of memory");
    zk_emit_by(a64_machine_for(width), &e->arena, program, width, NULL, &e->code);
}

/* ---------------------------------------------------------- random programs */

static struct {
    int64_t words, calls, saved, emissions;
} total;

static bool interpret(native_case *c, int32_t width, const zk_emission *code)
{
    case_lanes lanes;
    a64_result result;
    case_lanes_init(c, width, &lanes);
    bool good = a64_run(code, &lanes.frame, &result);
    if (!good)
        snprintf(c->trouble, sizeof c->trouble, "seed %" PRIu64 ", width %d: %.150s", c->seed,
                 (int)width, result.trouble);
    good = good && case_lanes_check(c, &lanes, width == 1 ? "A64, width 1" : "A64, width 4");
    case_lanes_free(&lanes);
    total.words += result.words;
    total.calls += result.calls;
    total.saved += result.saved;
    return good;
}

static void check_program(uint64_t seed)
{
    static native_case c;
    case_init(&c, seed, 3000);
    for (int w = 0; w < 2; w++) {
        emitted e;
        emit(&c.memory, c.program, widths[w], &e);
        if (e.code.state == ZK_NATIVE_READY) {
            total.emissions++;
            assert_true(e.code.size % 4 == 0 && e.code.code_at % 64 == 0);
            for (int wild = 0; wild < 2; wild++)
                if (!case_numbers(&c, wild) || !interpret(&c, widths[w], &e.code))
                    fail_msg("%s", c.trouble);
        }
        zb_arena_clear(&e.arena);
    }
    case_free(&c);
}

static void random_programs(void **unused)
{
    (void)unused;
    memset(&total, 0, sizeof total);
    for (int64_t i = 0; i < programs; i++) check_program(first_seed + (uint64_t)i);
    print_message("%" PRId64 " programs, %" PRId64 " with code at 1 and 4 lanes, %" PRId64
                  " words, %" PRId64 " calls, %" PRId64 " runs that used d8 to d15\n",
                  programs, total.emissions, total.words, total.calls, total.saved);
    assert_true(total.emissions * 100 >= 2 * programs * 98);
    if (programs >= 100) assert_true(total.calls > 0 && total.saved > 0);
}

/* ---------------------------------------------------------------- far places */

enum { FAR_SLOTS = 70000 };

typedef struct far_case {
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
    zk_program *program;
    zx_node *roots;
    int32_t root_count;
    int32_t slots; /* what must be in use at least */
    size_t bytes;
} far_case;

static zx_node raw(far_case *f, zx_op op, zx_node a, zx_node b)
{
    zx_item item = {.op = (int32_t)op, .a = a};
    if (zx_operands(op) > 1) item.b = b;
    return zx_intern(&f->pool, &item);
}

static zx_node q(far_case *f, int32_t slot)
{
    return zx_leaf(&f->pool, ZX_POSITION, slot);
}

static void far_begin(far_case *f, int32_t roots)
{
    memset(f, 0, sizeof *f);
    zb_memory_init(&f->memory, NULL);
    zx_pool_init(&f->pool, &f->memory, &f->escape, false);
    f->roots = calloc((size_t)roots, sizeof *f->roots);
    assert_non_null(f->roots);
}

static double *far_array(size_t count)
{
    double *x = aligned_alloc(64, (count * sizeof *x + 63) / 64 * 64);
    assert_non_null(x);
    for (size_t i = 0; i < count; i++) x[i] = graph_uniform(-2.0, 2.0);
    return x;
}

/* The same code, run by the processor itself. */
static void run_here(far_case *f, int32_t width, const zk_frame *frame, const double *expected)
{
#if defined(__AARCH64EL__)
    zk_native *native;
    zk_native_report report;
    size_t bytes = (size_t)(f->root_count * width) * sizeof(double);
    zk_make_native(&f->memory, &f->program, 1, width, &native, &report);
    assert_int_equal(report.state, ZK_NATIVE_READY);
    memset(frame->out, 0, bytes);
    zk_evaluate_frame(f->program, width, ZK_FASTEST, frame);
    assert_memory_equal(frame->out, expected, bytes);
    zk_native_free(native);
#else
    (void)f, (void)width, (void)frame, (void)expected;
#endif
}

static void far_check_width(far_case *f, int32_t width)
{
    emitted e;
    a64_result result;
    size_t outs = (size_t)(f->root_count * width);
    double *position = far_array((size_t)(FAR_SLOTS * width)), *time = far_array((size_t)width);
    double *out = far_array(outs), *expected = far_array(outs);
    double *workspace = far_array(zk_workspace(f->program) * (size_t)width);
    zk_frame frame = {.time = time, .position = position, .out = expected, .workspace = workspace};
    zk_evaluate_frame(f->program, width, ZK_BYTE_CODE, &frame);
    frame.out = out;
    emit(&f->memory, f->program, width, &e);
    assert_int_equal(e.code.state, ZK_NATIVE_READY);
    assert_true(e.code.allocation.slots >= f->slots && e.code.size >= f->bytes);
    if (!a64_run(&e.code, &frame, &result)) fail_msg("width %d: %s", (int)width, result.trouble);
    assert_memory_equal(out, expected, outs * sizeof(double));
    run_here(f, width, &frame, expected);
    zb_arena_clear(&e.arena);
    free(position), free(time), free(out), free(expected), free(workspace);
}

static void far_check(far_case *f)
{
    assert_int_equal(zk_compile(&f->memory, &f->pool, f->roots, f->root_count, &f->program), ZW_OK);
    graph_state = 1;
    for (int w = 0; w < 2; w++) far_check_width(f, widths[w]);
    zk_free(f->program);
    zx_pool_free(&f->pool);
    free(f->roots);
    assert_int_equal(f->memory.held, 0);
}

/* Leaves before and behind the ends of what each kind of load reaches; outputs likewise. */
static void far_leaves_and_outputs(void **unused)
{
    (void)unused;
    static const int32_t edges[] = {0,    31,   32,   33,   511,  512,   2046,  2047,
                                    2048, 4094, 4095, 4096, 8191, 16384, 65535, 69999};
    enum { EDGES = sizeof edges / sizeof *edges, OUTPUTS = 5000 };
    far_case f;
    far_begin(&f, OUTPUTS);
    for (int32_t i = 0; i < OUTPUTS; i++) {
        zx_node a = q(&f, edges[i % EDGES]), b = q(&f, edges[(7 * i + i / 16) % EDGES]);
        zx_node x = raw(&f, i % 3 ? ZX_MUL : ZX_SUB, a, b);
        f.roots[f.root_count++] = raw(&f, i % 2 ? ZX_MIN : ZX_MAX, x, q(&f, i));
    }
    far_check(&f);
}

/* More constants than a load reaches, with their code more bytes than an address does; calls behind
 * all that, with arguments among them. */
static void far_constants(void **unused)
{
    (void)unused;
    enum { CONSTANTS = 48000 };
    far_case f;
    far_begin(&f, 3);
    zx_node sum = q(&f, 0);
    for (int32_t i = 0; i < CONSTANTS; i++) {
        zx_node x = raw(&f, ZX_MUL, zx_number(&f.pool, 1.0 + i * 0x1p-20), q(&f, i % 100));
        sum = raw(&f, ZX_ADD, sum, x);
    }
    f.roots[0] = raw(&f, ZX_SIN, sum, 0);
    f.roots[1] = raw(&f, ZX_ATAN2, q(&f, FAR_SLOTS - 1), zx_number(&f.pool, 0.25));
    f.roots[2] = raw(&f, ZX_ADD, raw(&f, ZX_EXP, f.roots[0], 0), raw(&f, ZX_COS, sum, 0));
    f.root_count = 3;
    f.bytes = 1200000;
    far_check(&f);
}

/* Thousands of values that all wait for a call: the workspace is far, too. */
static void far_workspace(void **unused)
{
    (void)unused;
    enum { VALUES = 6000 };
    far_case f;
    zx_node *x = calloc(VALUES, sizeof *x);
    assert_non_null(x);
    far_begin(&f, 1);
    for (int32_t i = 0; i < VALUES; i++) {
        x[i] = raw(&f, ZX_MUL, q(&f, i), q(&f, i + 1));
        if (i % 50 == 0) x[i] = raw(&f, ZX_SIN, x[i], 0);
    }
    zx_node sum = raw(&f, ZX_COS, x[0], 0);
    for (int32_t i = 0; i < VALUES; i++) sum = raw(&f, ZX_ADD, sum, x[i]);
    for (int32_t i = 0; i < VALUES; i++)
        sum = raw(&f, i % 2 ? ZX_SUB : ZX_ADD, raw(&f, ZX_DIV, x[VALUES - 1 - i], sum), x[i]);
    f.roots[f.root_count++] = sum;
    f.slots = 5000;
    free(x);
    far_check(&f);
}

/* -------------------------------------------------------------------- others */

static void no_machine_for_eight(void **unused)
{
    (void)unused;
    far_case f;
    emitted e;
    far_begin(&f, 1);
    zx_node root = q(&f, 0);
    assert_int_equal(zk_compile(&f.memory, &f.pool, &root, 1, &f.program), ZW_OK);
    assert_null(a64_machine_for(8));
    emit(&f.memory, f.program, 8, &e);
    assert_int_equal(e.code.state, ZK_NATIVE_FOREIGN);
    assert_null(e.code.bytes);
    zb_arena_clear(&e.arena);
    zk_free(f.program);
    zx_pool_free(&f.pool);
    free(f.roots);
}

/* One bit of the code inverted: the interpreter must find most of it, whatever the bit. Bits that
 * do nothing are few: those of values that are not used, or that happen to be equal. A branch, or a
 * wrong pointer, would end this program: only words on vectors are changed. */
static void planted_mistakes(void **unused)
{
    (void)unused;
    int64_t found = 0, planted = 0;
    for (uint64_t seed = 1; planted < 400; seed++) {
        static native_case c;
        emitted e;
        case_init(&c, seed, 400);
        assert_true(case_numbers(&c, false));
        emit(&c.memory, c.program, widths[seed % 2], &e);
        size_t words = (e.code.size - e.code.code_at) / 4;
        for (int k = 0; k < 8 && e.code.state == ZK_NATIVE_READY; k++) {
            uint8_t *word = e.code.bytes + e.code.code_at + 4 * (size_t)graph_below((int32_t)words);
            if ((word[3] & 0x0e) != 0x0e || (word[3] & 0x80)) continue; /* arithmetic only */
            uint8_t bit = (uint8_t)(1u << graph_below(8)), *byte = word + graph_below(3);
            *byte ^= bit;
            planted++;
            found += !interpret(&c, widths[seed % 2], &e.code);
            *byte ^= bit;
        }
        zb_arena_clear(&e.arena);
        case_free(&c);
    }
    print_message("%" PRId64 " of %" PRId64 " planted mistakes found\n", found, planted);
    assert_true(found * 10 >= planted * 8);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),      cmocka_unit_test(far_leaves_and_outputs),
        cmocka_unit_test(far_constants),        cmocka_unit_test(far_workspace),
        cmocka_unit_test(no_machine_for_eight), cmocka_unit_test(planted_mistakes),
    };
    if (count > 1) programs = strtoll(arguments[1], NULL, 10);
    if (count > 2) first_seed = strtoull(arguments[2], NULL, 10);
    return cmocka_run_group_tests_name("AArch64", tests, NULL, NULL);
}
