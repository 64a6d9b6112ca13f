/*
 * Would a bug in the machine code be found? Bugs are planted one at a time, in every instruction of
 * many programs: another operation, another register, another predicate, another place to read
 * from. Each is put before the comparison of the fuzz, on this processor and interpreted, and
 * before the test that zk_make_native makes of its own code: a stand-in for zk_executable_seal
 * spoils the bytes at the last moment before they can be run.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executable.h"
#include "interpret_case.h"

#ifndef BUG_PROGRAMS
#define BUG_PROGRAMS 60
#endif

/* ------------------------------------------------------------------ planting */

/* A change of one byte of the block. */
typedef struct bug {
    size_t at;
    uint8_t bits; /* that turn over */
    const char *what;
    bool operation; /* another operation */
} bug;

enum { MOST_BUGS = 4 };

/* Where the opcode stands, and the byte with the register v. */
static size_t opcode_at(const uint8_t *code)
{
    return code[0] == 0xc5 ? 2 : code[0] == 0xc4 ? 3 : 4;
}

static size_t v_at(const uint8_t *code)
{
    return code[0] == 0xc5 ? 1 : 2;
}

/* The bits between an operation's opcode and another's: + and -, * and /, min and max, ... */
static uint8_t exchange(int action)
{
    switch (action) {
    case EVEX_ADD:
    case EVEX_SUB:
        return 0x58 ^ 0x5c;
    case EVEX_MUL:
        return 0x59 ^ 0x58;
    case EVEX_DIV:
        return 0x5e ^ 0x59;
    case EVEX_MIN:
    case EVEX_MAX:
        return 0x5d ^ 0x5f;
    case EVEX_AND:
    case EVEX_OR:
        return 0x54 ^ 0x56;
    case EVEX_XOR:
        return 0x57 ^ 0x56;
    default:
        return 0;
    }
}

/* The bugs that an instruction can have without a fault: all read, none writes elsewhere. */
static int bugs_of(const uint8_t *code, const evex_instruction *i, bug bugs[MOST_BUGS])
{
    int count = 0;
    size_t opcode = opcode_at(code), last = (size_t)i->length - 1;
    if (i->encoding == EVEX_LEGACY || i->form->pattern != EVEX_REG_V_RM) return 0;
    if (i->form->action == EVEX_MOVE_SCALAR) return 0;
    if (exchange(i->form->action))
        bugs[count++] = (bug){opcode, exchange(i->form->action), "operation", true};
    if (i->form->action == EVEX_COMPARE) bugs[count++] = (bug){last, 1, "predicate", true};
    bugs[count++] = (bug){v_at(code), 1 << 3, "first register", false};
    if (i->rm >= 0) bugs[count++] = (bug){opcode + 1, 1, "second register", false};
    return count;
}

/* ------------------------------------------------------------------- trying */

static int rounds; /* sets of numbers, every fourth wild */

static bool set_numbers(native_case *c, int round)
{
    graph_state = c->seed + (uint64_t)round;
    return case_numbers(c, round % 4 == 3);
}

/* Code of our own in the program's place, by the fuzz's comparison. */
static bool passes_here(native_case *c, int32_t width, const zk_emission *code)
{
    zk_executable *e;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    assert_int_equal(zk_executable_create(&memory, code->size, &e), ZK_NATIVE_READY);
    memcpy(zk_executable_write(e), code->bytes, code->size);
    assert_int_equal(zk_executable_seal(e), ZK_NATIVE_READY);
    const uint8_t *start = zk_executable_code(e) + code->code_at;
    zk_entry entry;
    memcpy(&entry, &start, sizeof entry);
    atomic_store(&c->program->entry[zk_width_index(width)], entry);
    bool good = true;
    for (int round = 0; round < rounds && good; round++)
        good = set_numbers(c, round) && case_frame(c, width, ZK_FASTEST);
    atomic_store(&c->program->entry[zk_width_index(width)], NULL);
    zk_executable_free(e);
    return good;
}

static bool passes_interpreted(native_case *c, int32_t width, const zk_emission *code)
{
    evex_machine machine;
    bool good = true;
    for (int round = 0; round < rounds && good; round++)
        good = set_numbers(c, round) && interpret_case(c, width, code, &machine);
    return good;
}

/* What zk_make_native thinks of it. The linker sends calls of zk_executable_seal here. */
static const bug *planted;
static size_t planted_at;

zk_native_state __real_zk_executable_seal(zk_executable *e);
zk_native_state __wrap_zk_executable_seal(zk_executable *e);
zk_native_state __wrap_zk_executable_seal(zk_executable *e)
{
    if (planted) zk_executable_write(e)[planted_at + planted->at] ^= planted->bits;
    return __real_zk_executable_seal(e);
}

static bool passes_its_own_test(native_case *c, int32_t width, const bug *b, size_t at)
{
    zk_native *native;
    zk_native_report report;
    size_t held = c->memory.held;
    planted = b;
    planted_at = at;
    zk_make_native(&c->memory, &c->program, 1, width, &native, &report);
    planted = NULL;
    bool good = report.state == ZK_NATIVE_READY;
    if (!good) { /* refused, and nothing of it is left */
        assert_int_equal(report.state, ZK_NATIVE_DIFFERS);
        assert_true(!native && report.programs == 0);
        assert_null(atomic_load(&c->program->entry[zk_width_index(width)]));
    }
    zk_native_free(native);
    assert_int_equal(c->memory.held, held);
    return good;
}

/* ----------------------------------------------------------------- counting */

typedef struct tally {
    int64_t planted, here, interpreted, own_test; /* and found */
    int64_t operations, operations_here;          /* another operation */
    int64_t operations_interpreted, operations_own_test;
    const zk_machine *machine;
} tally;

/* Code of this machine is what zk_make_native makes here. */
static bool runs_here(int32_t width, const zk_machine *machine)
{
    return machine == zk_machine_here(width);
}

static void try_bug(native_case *c, int32_t width, zk_emission *code, size_t at, const bug *b,
                    tally *t)
{
    uint8_t *spoiled = code->bytes + at + b->at;
    *spoiled ^= b->bits;
    bool interpreted = passes_interpreted(c, width, code);
    bool runs = runs_here(width, t->machine);
    bool here = runs ? passes_here(c, width, code) : interpreted;
    *spoiled ^= b->bits;
    bool own = runs ? passes_its_own_test(c, width, b, at) : interpreted;
    t->planted++;
    t->interpreted += !interpreted;
    t->here += !here;
    t->own_test += !own;
    t->operations += b->operation;
    t->operations_here += b->operation && !here;
    t->operations_interpreted += b->operation && !interpreted;
    t->operations_own_test += b->operation && !own;
}

static void try_program(native_case *c, int32_t width, tally *t)
{
    emitted e;
    evex_instruction i;
    bug bugs[MOST_BUGS];
    bool runs = runs_here(width, t->machine);
    emit_case(c, t->machine, width, &e);
    assert_int_equal(e.code.state, ZK_NATIVE_READY);
    assert_true(passes_interpreted(c, width, &e.code)); /* without a bug */
    assert_true(!runs || passes_here(c, width, &e.code));
    assert_true(!runs || passes_its_own_test(c, width, NULL, 0));
    for (size_t at = e.code.code_at; at < e.code.size; at += (size_t)i.length) {
        assert_true(evex_decode(e.code.bytes + at, e.code.size - at, &i));
        int count = bugs_of(e.code.bytes + at, &i, bugs);
        for (int k = 0; k < count; k++) try_bug(c, width, &e.code, at, &bugs[k], t);
        if (i.form->action == EVEX_RETURN) break;
    }
    zb_arena_clear(&e.arena);
}

/* Most are found; the others change nothing that an output shows, or nothing at all. Wrong
 * registers may hold anything, but what a wrong operation does is known: processor and interpreter
 * agree. */
static void judge(int32_t width, const tally *t)
{
    print_message("width %d: %" PRId64 " bugs, found %" PRId64 " by the fuzz's comparison, %" PRId64
                  " interpreted, %" PRId64 " by zk_make_native; other operations %" PRId64
                  " of %" PRId64 "\n",
                  (int)width, t->planted, t->here, t->interpreted, t->own_test, t->operations_here,
                  t->operations);
    assert_true(t->planted > 20 * BUG_PROGRAMS && t->operations > 5 * BUG_PROGRAMS);
    assert_true(t->here * 100 >= t->planted * 85);
    assert_true(t->interpreted * 100 >= t->planted * 85);
    assert_true(t->own_test * 100 >= t->planted * 80);
    assert_int_equal(t->operations_here, t->operations_interpreted);
}

static void found(int32_t width, const zk_machine *machine, uint64_t first, uint64_t programs)
{
    tally t = {.machine = machine};
    native_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    rounds = 8;
    for (uint64_t seed = 0; seed < programs; seed++) {
        case_init(c, first + seed, 40);
        try_program(c, width, &t);
        case_free(c);
    }
    free(c);
    judge(width, &t);
}

/* A program of every operation, each of which is an output: all wrong operations are found, by all.
 */
static void every_operation_shown(native_case *c)
{
    case_begin(c, 1);
    for (int32_t op = ZX_NEG; op < ZX_OP_COUNT; op++) {
        if (op == ZX_TABLE) continue; /* programs do not know it */
        zx_item item = {.op = op, .a = zx_leaf(&c->pool, ZX_POSITION, op % GRAPH_SLOTS)};
        if (zx_operands((zx_op)op) > 1) item.b = zx_leaf(&c->pool, ZX_VELOCITY, op % 5);
        if (zx_operands((zx_op)op) > 2) item.c = zx_leaf(&c->pool, ZX_VALUE, op % 7);
        if (op == ZX_POWI) item.b = 3;
        c->roots[c->root_count++] = zx_intern(&c->pool, &item);
    }
    case_compile(c, &(zk_options){.fuse = true, .window = ZK_WINDOW});
}

/* All wrong operations are found; by the short test of zk_make_native, which at width 1 has seen
 * three numbers for each leaf and hardly a zero, most. */
static void every_wrong_operation(void **unused)
{
    (void)unused;
    rounds = 400;
    native_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    every_operation_shown(c);
    static const int32_t widths[] = {1, 4, 8, 8};
    for (int w = 0; w < 4; w++) {
        tally t = {.machine = w < 3 ? zk_machine_for(widths[w]) : zk_machine_of_pairs()};
        try_program(c, widths[w], &t);
        assert_true(t.operations > 20);
        assert_int_equal(t.operations_here, t.operations);
        assert_int_equal(t.operations_interpreted, t.operations);
        assert_true(t.operations_own_test * 100 >= t.operations * 80);
    }
    case_free(c);
    free(c);
}

static void found_at_width_1(void **unused)
{
    (void)unused;
    found(1, zk_machine_for(1), 3000001, BUG_PROGRAMS);
}

static void found_at_width_4(void **unused)
{
    (void)unused;
    found(4, zk_machine_for(4), 4000001, BUG_PROGRAMS);
}

static void found_at_width_8(void **unused)
{
    (void)unused;
    found(8, zk_machine_for(8), 5000001, BUG_PROGRAMS);
}

/* Half as many: every instruction is there twice. */
static void found_in_pairs(void **unused)
{
    (void)unused;
    found(8, zk_machine_of_pairs(), 6000001, BUG_PROGRAMS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_operation), cmocka_unit_test(found_at_width_1),
        cmocka_unit_test(found_at_width_4),      cmocka_unit_test(found_at_width_8),
        cmocka_unit_test(found_in_pairs),
    };
    return cmocka_run_group_tests_name("planted bugs", tests, NULL, NULL);
}
