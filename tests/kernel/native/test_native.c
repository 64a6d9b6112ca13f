/*
 * Machine code against the byte code, to the bit, at every width that this processor runs: each
 * opcode with special numbers, few registers and many values, calls in between, outputs of every
 * kind, large programs; publication and freeing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "native.h"
#include "random_graph.h"

static const int32_t widths[] = {1, 4, 8};

enum { SLOTS = 64 }; /* of each kind in these programs */

/* ------------------------------------------------------------------ frames */

static const double special[] = {0.0,    -0.0,    1.0,  -1.0,  ZB_INFINITY, -ZB_INFINITY,
                                 ZB_NAN, 0.5,     -2.5, 1e300, 1e-310,      3.7,
                                 0x1p52, -0x1p53, 1e5,  -7.0};
enum { SPECIAL = sizeof special / sizeof *special };

/* Numbers for all leaves of all lanes, and room for everything a run writes, with guards. */
typedef struct numbers {
    double leaves[ZK_LEAF_KINDS][SLOTS * ZK_MOST_LANES];
    double *workspace, *out, *expected;
    size_t workspace_size, out_size;
} numbers;

static double *room(size_t count)
{
    double *x = aligned_alloc(64, (count * sizeof(double) + 127) & ~(size_t)63);
    assert_non_null(x);
    for (size_t i = 0; i <= count; i++) x[i] = 12345.0;
    return x;
}

static numbers *make_numbers(const zk_program *program, int32_t width)
{
    numbers *n = aligned_alloc(64, (sizeof *n + 63) & ~(size_t)63);
    assert_non_null(n);
    n->workspace_size = zk_workspace(program) * (size_t)width;
    n->out_size = (size_t)zk_output_count(program) * (size_t)width;
    n->workspace = room(n->workspace_size);
    n->out = room(n->out_size);
    n->expected = room(n->out_size);
    return n;
}

static void free_numbers(numbers *n)
{
    free(n->workspace), free(n->out), free(n->expected), free(n);
}

static void fill(numbers *n, bool wild)
{
    for (int kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int i = 0; i < SLOTS * ZK_MOST_LANES; i++)
            n->leaves[kind][i] =
                wild && graph_below(2) ? special[graph_below(SPECIAL)] : graph_uniform(-2.0, 2.0);
}

static zk_frame frame_of(const numbers *n)
{
    return (zk_frame){n->leaves[0], n->leaves[1], n->leaves[2], n->leaves[3],
                      n->leaves[4], n->leaves[5], n->out,       n->workspace};
}

/* What the byte code makes of each lane, one by one. */
static void expect(const zk_program *program, int32_t width, numbers *n)
{
    static double entries[ZK_LEAF_KINDS][SLOTS];
    double *workspace = room(zk_workspace(program)), *out = room((size_t)zk_output_count(program));
    for (int32_t lane = 0; lane < width; lane++) {
        for (int kind = 0; kind < ZK_LEAF_KINDS; kind++)
            for (int i = 0; i < SLOTS; i++) entries[kind][i] = n->leaves[kind][i * width + lane];
        zk_source source = {.time = entries[0][0],
                            .position = entries[1],
                            .velocity = entries[2],
                            .acceleration = entries[3],
                            .value = entries[4],
                            .measure = entries[5],
                            .evaluator = ZK_BYTE_CODE};
        zk_evaluate(program, &source, NULL, workspace, out);
        for (int32_t i = 0; i < zk_output_count(program); i++)
            n->expected[i * width + lane] = out[i];
    }
    free(workspace), free(out);
}

static void run_and_compare(const zk_program *program, int32_t width, numbers *n)
{
    zk_frame frame = frame_of(n);
    expect(program, width, n);
    for (size_t i = 0; i < n->out_size; i++) n->out[i] = 777.0;
    zk_evaluate_frame(program, width, ZK_FASTEST, &frame);
    for (size_t i = 0; i < n->out_size; i++)
        if (!graph_same(n->out[i], n->expected[i]))
            fail_msg("width %d, output %d, lane %d: %a, not %a", (int)width, (int)i / (int)width,
                     (int)i % (int)width, n->out[i], n->expected[i]);
    assert_true(n->out[n->out_size] == 12345.0);
    assert_true(n->workspace[n->workspace_size] == 12345.0);
}

static zk_native *native_of(fixture *f, zk_program *program, int32_t width)
{
    zk_native *native;
    zk_native_report report;
    zk_make_native(&f->memory, &program, 1, width, &native, &report);
    assert_int_equal(report.state, ZK_NATIVE_READY);
    assert_int_equal(report.programs, 1);
    assert_true(report.bytes > 0 && report.seconds >= 0.0);
    assert_non_null(program->entry[zk_width_index(width)]);
    return native;
}

/* All widths on several inputs. */
static void check(fixture *f, zk_program *program)
{
    for (int w = 0; w < 3; w++) {
        if (!runs(widths[w])) continue;
        zk_native *native = native_of(f, program, widths[w]);
        numbers *n = make_numbers(program, widths[w]);
        for (int k = 0; k < 4; k++) {
            fill(n, k >= 2);
            run_and_compare(program, widths[w], n);
        }
        free_numbers(n);
        zk_native_free(native);
        assert_null(program->entry[zk_width_index(widths[w])]);
    }
}

static void check_roots(fixture *f, const zx_node *roots, int32_t count)
{
    zk_program *program = compiled(f, roots, count);
    check(f, program);
    zk_free(program);
}

/* ----------------------------------------------------------------- opcodes */

/* A program of positions 0, 1, 2 on all triples of special numbers. */
static void all_triples(fixture *f, zx_node root)
{
    zk_program *program = compiled(f, &root, 1);
    for (int w = 0; w < 3; w++) {
        int32_t width = widths[w];
        if (!runs(width)) continue;
        zk_native *native = native_of(f, program, width);
        numbers *n = make_numbers(program, width);
        fill(n, false);
        for (int at = 0; at < SPECIAL * SPECIAL * SPECIAL; at += width) {
            for (int lane = 0; lane < width; lane++) {
                n->leaves[1][lane] = special[(at + lane) % SPECIAL];
                n->leaves[1][width + lane] = special[(at + lane) / SPECIAL % SPECIAL];
                n->leaves[1][2 * width + lane] =
                    special[(at + lane) / (SPECIAL * SPECIAL) % SPECIAL];
            }
            run_and_compare(program, width, n);
        }
        free_numbers(n);
        zk_native_free(native);
    }
    zk_free(program);
}

static void opcodes_alone(void **state)
{
    fixture *f = *state;
    static const struct {
        zx_op op;
        int operands;
    } all[] = {
#define ENTRY(name, operands, operations, formula) {ZX_##name, operands},
        ZK_EXPR_LIST(ENTRY)
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        zx_node x = q(f, 0), y = all[i].operands > 1 ? q(f, 1) : 0;
        all_triples(f, raw(f, all[i].op, x, y, all[i].operands > 2 ? q(f, 2) : 0));
        if (all[i].operands > 1) all_triples(f, raw(f, all[i].op, x, x, x));
    }
}

static void fused_opcodes(void **state)
{
    fixture *f = *state;
    zx_node x = q(f, 0), y = q(f, 1), z = q(f, 2), two = zx_number(&f->pool, 2.0);
    zx_node xy = raw(f, ZX_MUL, x, y, 0), yz = raw(f, ZX_MUL, y, z, 0);
    all_triples(f, raw(f, ZX_ADD, xy, z, 0));
    all_triples(f, raw(f, ZX_SUB, xy, z, 0));
    all_triples(f, raw(f, ZX_SUB, z, xy, 0));
    all_triples(f, raw(f, ZX_ADD, xy, yz, 0));
    all_triples(f, raw(f, ZX_SUB, xy, yz, 0));
    all_triples(f, raw(f, ZX_POWI, x, 2, 0));
    all_triples(f, raw(f, ZX_POWI, x, -3, 0));
    all_triples(f, raw(f, ZX_SELECT, raw(f, ZX_LT, x, two, 0), raw(f, ZX_SQRT, y, 0, 0), two));
    zx_node s = raw(f, ZX_SIN, x, 0, 0), c = raw(f, ZX_COS, x, 0, 0);
    all_triples(f, raw(f, ZX_SUB, s, raw(f, ZX_MUL, c, c, 0), 0));
}

/* -------------------------------------------------------------- structures */

static void outputs_of_every_kind(void **state)
{
    fixture *f = *state;
    zx_node a = q(f, 1), two = zx_number(&f->pool, 2.0), v = zx_leaf(&f->pool, ZX_VELOCITY, 40);
    zx_node t = zx_leaf(&f->pool, ZX_TIME, 0), s = raw(f, ZX_SIN, v, 0, 0);
    zx_node product = raw(f, ZX_MUL, a, v, 0);
    zx_node roots[] = {a,
                       two,
                       a,
                       v,
                       product,
                       two,
                       t,
                       s,
                       product,
                       raw(f, ZX_COS, v, 0, 0),
                       s,
                       raw(f, ZX_ADD, s, product, 0),
                       zx_leaf(&f->pool, ZX_ACCELERATION, 63),
                       zx_leaf(&f->pool, ZX_VALUE, 17),
                       zx_leaf(&f->pool, ZX_MEASURE, 33)};
    check_roots(f, roots, sizeof roots / sizeof *roots);
    check_roots(f, roots, 1);
    check_roots(f, roots + 1, 1);
    check_roots(f, roots, 0);
}

/* Many values that all wait for the last one, so that most leave their registers. */
static void pressure(void **state)
{
    fixture *f = *state;
    for (int32_t live = 2; live <= 60; live += 1 + live / 8) {
        zx_node all[64], roots[8];
        for (int32_t i = 0; i < live; i++)
            all[i] = raw(f, ZX_MUL, q(f, i), q(f, (i + 1) % SLOTS), 0);
        for (int round = 0; round < 4; round++)
            for (int32_t i = 0; i < live; i++)
                all[i] = raw(f, round % 2 ? ZX_SUB : ZX_ADD, all[i], all[(i * 7 + 3) % live], 0);
        zx_node sum = all[0];
        for (int32_t i = 1; i < live; i++) sum = raw(f, ZX_MAX, all[i], sum, 0);
        roots[0] = sum;
        for (int i = 1; i < 8; i++) roots[i] = all[i % live];
        check_roots(f, roots, 8);
    }
}

/* Every kind of step while all registers are taken. */
static void pressure_on_all_steps(void **state)
{
    fixture *f = *state;
    zx_node x[40], roots[40];
    for (int32_t i = 0; i < 40; i++) x[i] = raw(f, ZX_ADD, q(f, i), q(f, i + 1), 0);
    static const zx_op ops[] = {ZX_NEG, ZX_ABS, ZX_SQRT, ZX_FLOOR, ZX_SIGN, ZX_NOT,
                                ZX_MIN, ZX_MAX, ZX_LT,   ZX_LE,    ZX_EQ,   ZX_NE,
                                ZX_AND, ZX_OR,  ZX_DIV,  ZX_SELECT};
    for (int round = 0; round < 6; round++)
        for (int32_t i = 0; i < 40; i++) {
            zx_op op = ops[(i + 5 * round) % 16];
            int operands = zx_operands(op);
            zx_node y = operands > 1 ? x[(i * 3 + 1) % 40] : 0;
            x[i] = raw(f, ZX_ADD, raw(f, op, x[i], y, operands > 2 ? x[(i * 11 + 5) % 40] : 0),
                       x[(i + 17) % 40], 0);
        }
    for (int i = 0; i < 40; i++) roots[i] = x[i];
    check_roots(f, roots, 40);
}

static void calls_among_living(void **state)
{
    fixture *f = *state;
    zx_node x[48], roots[50];
    for (int32_t i = 0; i < 48; i++) x[i] = raw(f, ZX_MUL, q(f, i), q(f, 47 - i), 0);
    zx_node constant = zx_number(&f->pool, 0.75);
    roots[48] = raw(f, ZX_POW, raw(f, ZX_ABS, x[3], 0, 0), constant, 0);
    roots[49] = raw(f, ZX_ATAN2, constant, zx_leaf(&f->pool, ZX_TIME, 0), 0);
    for (int round = 0; round < 3; round++)
        for (int32_t i = 0; i < 48; i++) {
            zx_node s = raw(f, ZX_SIN, x[i], 0, 0), c = raw(f, ZX_COS, x[i], 0, 0);
            zx_node h = raw(f, ZX_HYPOT, s, x[(i + 9) % 48], 0);
            x[i] = raw(f, ZX_ADD, raw(f, ZX_MUL, h, c, 0), x[(i + 1) % 48], 0);
        }
    for (int i = 0; i < 48; i++) roots[i] = x[i];
    check_roots(f, roots, 50);
}

static void random_programs(void **state)
{
    (void)state;
    for (int k = 0; k < 120; k++) {
        fixture f;
        zb_memory_init(&f.memory, NULL);
        zx_pool_init(&f.pool, &f.memory, &f.escape, false);
        int32_t size = k % 10 == 0 ? 4000 : 1 + graph_below(150);
        graph_grow(&f.pool, size, k % 3 == 0, NULL, NULL);
        zx_node roots[32];
        for (int i = 0; i < 32; i++) roots[i] = f.pool.count - 1 - graph_below(f.pool.count);
        roots[0] = f.pool.count - 1;
        check_roots(&f, roots, 1 + graph_below(32));
        zx_pool_free(&f.pool);
        assert_int_equal(f.memory.held, 0);
    }
}

/* ------------------------------------------------------------- publication */

static void several_programs(void **state)
{
    fixture *f = *state;
    zk_program *programs[3];
    zx_node sum = raw(f, ZX_ADD, q(f, 0), q(f, 1), 0);
    zx_node roots[] = {sum, raw(f, ZX_SIN, sum, 0, 0), raw(f, ZX_MUL, sum, sum, 0)};
    for (int i = 0; i < 3; i++) programs[i] = compiled(f, roots, i + 1);
    for (int w = 0; w < 3; w++) {
        zk_native *native;
        zk_native_report report;
        zk_make_native(&f->memory, programs, 3, widths[w], &native, &report);
        assert_int_equal(report.state, runs(widths[w]) ? ZK_NATIVE_READY : ZK_NATIVE_FOREIGN);
        assert_true((native != NULL) == runs(widths[w]));
        assert_int_equal(report.programs, native ? 3 : 0);
        for (int i = 0; i < 3 && native; i++) {
            numbers *n = make_numbers(programs[i], widths[w]);
            fill(n, false);
            run_and_compare(programs[i], widths[w], n);
            free_numbers(n);
        }
        zk_native_free(native);
    }
    zk_native_free(NULL);
    for (int i = 0; i < 3; i++) zk_free(programs[i]);
}

/* Slots beyond what displacements reach; the other programs have their code all the same. */
static void too_large(void **state)
{
    fixture *f = *state;
    zk_native *native;
    zk_native_report report;
    zx_node far = raw(f, ZX_ADD, q(f, 0), q(f, 50000000), 0),
            close = raw(f, ZX_ADD, q(f, 0), q(f, 1), 0);
    zk_program *programs[] = {compiled(f, &far, 1), compiled(f, &close, 1)};
    if (runs(1)) {
        zk_make_native(&f->memory, programs, 1, 1, &native, &report);
        assert_int_equal(report.state, ZK_NATIVE_LARGE);
        assert_null(native);
        zk_make_native(&f->memory, programs, 2, 1, &native, &report);
        assert_int_equal(report.state, ZK_NATIVE_READY);
        assert_int_equal(report.programs, 1);
        assert_true(!programs[0]->entry[0] && programs[1]->entry[0]);
        zk_native_free(native);
        zk_make_native(&f->memory, programs, 0, 1, &native, &report);
        assert_int_equal(report.state, ZK_NATIVE_READY);
        assert_int_equal(report.programs, 0);
        zk_native_free(native);
    }
    for (int i = 0; i < 2; i++) zk_free(programs[i]);
}

/* Making code again replaces the first; freeing the first then takes nothing away. */
static void made_twice(void **state)
{
    fixture *f = *state;
    zx_node root = raw(f, ZX_ADD, q(f, 0), q(f, 1), 0);
    zk_program *program = compiled(f, &root, 1);
    if (runs(1)) {
        zk_native *first = native_of(f, program, 1), *second = native_of(f, program, 1);
        zk_native_free(first);
        assert_non_null(program->entry[0]);
        zk_native_free(second);
        assert_null(program->entry[0]);
    }
    zk_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(opcodes_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(fused_opcodes, setup, teardown),
        cmocka_unit_test_setup_teardown(outputs_of_every_kind, setup, teardown),
        cmocka_unit_test_setup_teardown(pressure, setup, teardown),
        cmocka_unit_test_setup_teardown(pressure_on_all_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_among_living, setup, teardown),
        cmocka_unit_test(random_programs),
        cmocka_unit_test_setup_teardown(several_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(too_large, setup, teardown),
        cmocka_unit_test_setup_teardown(made_twice, setup, teardown),
    };
    graph_state = 11;
    return cmocka_run_group_tests_name("machine code", tests, NULL, NULL);
}
