/*
 * Machine code for every width, also those that this processor does not have, without running it:
 * emitted into plain memory and interpreted by the machine of evex.c, which knows only the manual.
 * Every lane must have the bits of zk_evaluate, every access must lie within its array, exactly as
 * long as promised, and every instruction must be what objdump takes it for, operand by operand.
 */
#include <ctype.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interpret_case.h"

#ifndef EVEX_PROGRAMS
#define EVEX_PROGRAMS 500
#endif

/* The machines: one for each width, then eight lanes in pairs of registers. */
enum { EIGHT = 2, PAIRS, MACHINES };
static const int32_t widths[MACHINES] = {1, 4, 8, 8};
static int64_t did[MACHINES][EVEX_ACTIONS];

static const zk_machine *machine(int w)
{
    return w == PAIRS ? zk_machine_of_pairs() : zk_machine_for(widths[w]);
}

/* -------------------------------------------------------------------- runs */

static void check_width(native_case *c, int w)
{
    emitted e;
    evex_machine m;
    emit_case(c, machine(w), widths[w], &e);
    assert_int_equal(e.code.state, ZK_NATIVE_READY);
    assert_true((size_t)e.code.allocation.slots <= zk_workspace(c->program));
    for (int wild = 0; wild < 2; wild++) {
        if (!case_numbers(c, wild) || !interpret_case(c, widths[w], &e.code, &m))
            fail_msg("%s", c->trouble);
        for (int a = 0; a < EVEX_ACTIONS; a++) did[w][a] += m.did[a];
    }
    zb_arena_clear(&e.arena);
}

static void lanes_have_the_bits(void **unused)
{
    (void)unused;
    native_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    int64_t instructions = 0;
    for (uint64_t seed = 1; seed <= EVEX_PROGRAMS; seed++) {
        case_init(c, 1000000 + seed, 5000);
        for (int w = 0; w < MACHINES; w++) check_width(c, w);
        case_free(c);
    }
    free(c);
    for (int w = 0; w < MACHINES; w++)
        for (int a = 0; a < EVEX_ACTIONS; a++) instructions += did[w][a];
    print_message("%d programs by 4 machines, %" PRId64 " instructions interpreted\n",
                  EVEX_PROGRAMS, instructions);
}

/* The programs above made the emitter use every kind of instruction it has at width 8. */
static void every_kind_was_there(void **unused)
{
    (void)unused;
    static const int kinds[] = {EVEX_MOVE, EVEX_ADD, EVEX_SUB,  EVEX_MUL,    EVEX_DIV,
                                EVEX_MIN,  EVEX_MAX, EVEX_SQRT, EVEX_ROUND,  EVEX_AND,
                                EVEX_OR,   EVEX_XOR, EVEX_CALL, EVEX_COMPARE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int w = EIGHT; w < MACHINES; w++)
            if (did[w][kinds[k]] == 0) fail_msg("no action %d by machine %d", kinds[k], w);
    assert_true(did[EIGHT][EVEX_BLEND_MASK] > 0 && did[PAIRS][EVEX_BLEND_SIGNS] > 0);
    assert_true(did[EIGHT][EVEX_BLEND_SIGNS] == 0 && did[PAIRS][EVEX_BLEND_MASK] == 0);
}

/* ----------------------------------------------------------------- objdump */

static const char *const file_name = "test_evex.bytes";

static bool have_objdump(void)
{
    FILE *p = popen("objdump --version 2>&1", "r");
    if (!p) return false;
    char line[256];
    bool gnu = fgets(line, sizeof line, p) && strstr(line, "GNU objdump");
    while (fgets(line, sizeof line, p)) continue;
    return pclose(p) == 0 && gnu;
}

/* "  1f:<tab>vaddpd zmm1,...   # 0x..": the place, and the text without what is behind it. */
static bool parse_line(char *line, unsigned long *at, char **text)
{
    char *end;
    *at = strtoul(line, &end, 16);
    if (end == line || end[0] != ':' || end[1] != '\t') return false;
    *text = end + 2;
    char *comment = strchr(*text, '#');
    if (comment) *comment = '\0';
    size_t length = strlen(*text);
    while (length > 0 && isspace((unsigned char)(*text)[length - 1])) (*text)[--length] = '\0';
    return true;
}

/* One blank between the name and the operands. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || to[-1] != ' ') *to++ = *from;
    *to = '\0';
}

static int64_t compare_with_objdump(const uint8_t *code, size_t bytes)
{
    char command[128], line[512], *theirs, ours[EVEX_TEXT];
    int64_t count = 0;
    size_t expected = 0;
    snprintf(command, sizeof command,
             "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn %s", file_name);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    while (fgets(line, sizeof line, p)) {
        unsigned long at;
        evex_instruction i;
        if (!parse_line(line, &at, &theirs)) continue;
        squeeze(theirs);
        if (at != expected || !evex_decode(code + at, bytes - at, &i))
            fail_msg("at %lu, not %zu: %s", at, expected, theirs);
        evex_text(&i, ours);
        if (strcmp(ours, theirs) != 0) fail_msg("at %lu: %s, not %s", at, ours, theirs);
        expected += (size_t)i.length;
        count++;
    }
    assert_int_equal(pclose(p), 0);
    assert_int_equal(expected, bytes);
    return count;
}

static void objdump_reads_the_same(void **unused)
{
    (void)unused;
    if (!have_objdump()) skip();
    enum { CAPACITY = 1 << 22, PROGRAMS = 100 };
    uint8_t *code = malloc(CAPACITY);
    native_case *c = calloc(1, sizeof *c);
    assert_true(code && c);
    size_t used = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        case_init(c, 2000000 + seed, 1500);
        for (int w = 0; w < MACHINES; w++) {
            emitted e;
            emit_case(c, machine(w), widths[w], &e);
            size_t bytes = e.code.size - e.code.code_at;
            assert_true(e.code.state == ZK_NATIVE_READY && used + bytes <= CAPACITY);
            memcpy(code + used, e.code.bytes + e.code.code_at, bytes);
            used += bytes;
            zb_arena_clear(&e.arena);
        }
        case_free(c);
    }
    FILE *file = fopen(file_name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(code, 1, used, file), used);
    assert_int_equal(fclose(file), 0);
    int64_t count = compare_with_objdump(code, used);
    remove(file_name);
    print_message("%zu bytes, %" PRId64 " instructions as objdump reads them\n", used, count);
    free(code);
    free(c);
}

/* ---------------------------------------------------- the interpreter itself */

#define BYTES(...) ((const uint8_t[]){__VA_ARGS__}), sizeof((const uint8_t[]){__VA_ARGS__})

/* What the interpreter says of a few bytes that may read 64 bytes and write as many. */
static const char *said(const uint8_t *code, size_t bytes)
{
    static evex_machine m;
    static double numbers[16];
    memset(&m, 0, sizeof m);
    numbers[0] = 3.0;
    evex_allow(&m, "here", numbers, 64, false);
    evex_allow(&m, "there", numbers + 8, 64, true);
    bool good = evex_run(&m, code, bytes, numbers);
    assert_true(good == (m.trouble[0] == '\0'));
    return m.trouble;
}

static void trouble_is_seen(void **unused)
{
    (void)unused;
    /* vmovsd xmm0, [rdi]; vaddsd xmm0, xmm0, xmm0; vmovsd [rdi+64], xmm0; ret */
    assert_string_equal(said(BYTES(0xc5, 0xfb, 0x10, 0x07, 0xc5, 0xfb, 0x58, 0xc0, 0xc5, 0xfb, 0x11,
                                   0x47, 0x40, 0xc3)),
                        "");
    static const struct {
        const char *trouble;
        uint8_t code[12];
    } all[] = {
        {"here must not be written", {0xc5, 0xfb, 0x11, 0x07}}, /* vmovsd [rdi], xmm0 */
        {"where nothing is", {0xc5, 0xfb, 0x10, 0x47, 0xf8}},   /* vmovsd xmm0, [rdi-8] */
        {"8 bytes at here + 60", {0xc5, 0xfb, 0x10, 0x47, 60}},
        {"32 bytes at here + 40", {0xc5, 0xfd, 0x10, 0x47, 40}},          /* vmovupd ymm0 */
        {"no instruction at 7", {0x62, 0xf1, 0xfd, 0x48, 0x10, 0x47, 1}}, /* +64: all there */
        {"where nothing is", {0x62, 0xf1, 0xfd, 0x48, 0x10, 0x47, 2}},    /* +128 */
        {"must be aligned", {0xc5, 0xfd, 0x28, 0x47, 8}},                 /* vmovapd */
        {"upper halves", {0xc5, 0xfd, 0x10, 0x07, 0xc3}},
        {"register 4 is not kept", {0x53, 0xc3}},             /* push rbx; ret */
        {"register 3 is not kept", {0x48, 0x89, 0xfb, 0xc3}}, /* mov rbx, rdi; ret */
        {"not aligned", {0xff, 0x17, 0xc3}},                  /* call [rdi] */
        {"we know not what", {0x53, 0xff, 0x17, 0xc3}},
        {"no instruction at 4", {0xc5, 0xfb, 0x58, 0xc0}}, /* runs on */
        {"no instruction at 0", {0x0f, 0x0b}},             /* ud2 */
        {"no instruction at 0", {0xc5, 0xf3, 0x10, 0x07}}, /* vmovsd with a register v */
        {"no instruction at 0", {0x62, 0xf9, 0xfd, 0x48, 0x58, 0xc0}}, /* a bit that must be 0 */
        {"no instruction at 0", {0x62, 0xf1, 0xf9, 0x48, 0x58, 0xc0}}, /* one that must be 1 */
        {"no instruction at 0", {0x62, 0xf1, 0xfd, 0x68, 0x58, 0xc0}}, /* a length of 1024 bits */
        {"no instruction at 0", {0x62, 0xf1, 0xfd, 0x58, 0x58, 0xc0}}, /* rounding of its own */
        {"no instruction at 0", {0x62, 0xf1, 0xfd, 0xc8, 0x58, 0xc0}}, /* zeroing without a mask */
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const char *trouble = said(all[k].code, sizeof all[k].code);
        if (!strstr(trouble, all[k].trouble))
            fail_msg("%zu: '%s', not '%s'", k, trouble, all[k].trouble);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trouble_is_seen),
        cmocka_unit_test(lanes_have_the_bits),
        cmocka_unit_test(every_kind_was_there),
        cmocka_unit_test(objdump_reads_the_same),
    };
    return cmocka_run_group_tests_name("machine code, interpreted", tests, NULL, NULL);
}
