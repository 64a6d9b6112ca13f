/*
 * Machine code for programs: emitted one by one, copied into one mapping, tested against the byte
 * code, and only then made known to the programs. A `zk_native` owns the mapping; the programs hold
 * entries into it, which freeing it takes back.
 *
 * When one program's code differs from its byte code none is trusted: the emitter, the processor or
 * the compiler of the functions is then not what it should be.
 */
#include "native.h"

#include <stddef.h>
#include <string.h>

#include "executable.h"

/* A program, and its machine code that it will be told of. */
typedef struct published {
    zk_program *program;
    zk_entry entry;
    size_t at; /* of the entry in the mapping */
} published;

struct zk_native {
    zb_memory *memory;
    zk_executable *executable;
    int32_t width, count, capacity;
    published programs[]; /* [count], [capacity] */
};

/* What making goes through: a pile of blocks until their size is known. The last of them, which is
 * often the largest or the only one, stays where it was made. */
typedef struct builder {
    zb_memory *memory;
    zb_arena arena;
    jmp_buf escape;
    int32_t width;
    const zk_machine *machine;
    zk_native *native;
    uint8_t *pile; /* [pile_capacity], [piled] */
    size_t piled, pile_capacity;
    zk_emission last;
    bool large; /* a program was too large */
} builder;

/* From the list in kernel.h. */
const char *zk_native_sentence(zk_native_state state)
{
    static const char *const sentences[] = {
#define ZK_NATIVE_TEXT(name, sentence) [name] = sentence,
        ZK_NATIVE_LIST(ZK_NATIVE_TEXT)
#undef ZK_NATIVE_TEXT
    };
    return sentences[state];
}

/* Where the processor and the system's calling convention are those of what is emitted. */
const zk_machine *zk_machine_here(int32_t width)
{
#if defined(__LP64__)
    _Static_assert(offsetof(zk_frame, out) == 8 * ZK_AT_OUT, "pointers in the order of zk_base");
    _Static_assert(offsetof(zk_frame, workspace) == 8 * ZK_AT_WORKSPACE, "likewise");
#endif
#if defined(__x86_64__) && defined(__LP64__) && !defined(_WIN32)
    if (zb_cpu() < ZB_CPU_AVX2) return NULL;
    return width == 8 && zb_cpu() < ZB_CPU_AVX512 ? zk_machine_of_pairs() : zk_machine_for(width);
#elif defined(__AARCH64EL__) && defined(__LP64__) && !defined(_WIN32)
    return zk_machine_for(width);
#else
    (void)width;
    return NULL;
#endif
}

/* ---------------------------------------------------------------- emitting */

enum { LINE = 64 };

/* Room for `bytes` more on the pile; jumps when there is none. */
static void reserve_pile(builder *m, size_t bytes)
{
    if (m->pile_capacity - m->piled >= bytes) return;
    size_t capacity = zb_sum(2 * m->pile_capacity, zb_sum(bytes, LINE));
    uint8_t *pile = zb_resize(m->memory, m->pile, m->pile_capacity, capacity);
    if (!pile) longjmp(m->escape, 1);
    m->pile = pile;
    m->pile_capacity = capacity;
}

/* Blocks begin at a multiple of a line. */
static size_t round_to_lines(size_t bytes)
{
    return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

/* A block at the end of the pile, filled up with zeros to whole lines. */
static void append_to_pile(builder *m, const zk_emission *emission)
{
    size_t size = round_to_lines(emission->size);
    reserve_pile(m, size);
    memcpy(m->pile + m->piled, emission->bytes, emission->size);
    memset(m->pile + m->piled + emission->size, 0, size - emission->size);
    m->piled += size;
}

/* Emits every program; those that are too large get no code. */
static void emit_programs(builder *m, zk_program *const *programs, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        zk_emission emission;
        zb_mark mark = zb_arena_mark(&m->arena);
        zk_emit_by(m->machine, &m->arena, programs[i], m->width, NULL, &emission);
        if (emission.state == ZK_NATIVE_READY) {
            m->native->programs[m->native->count++] =
                (published){.program = programs[i], .at = m->piled + emission.code_at};
            if (i == count - 1) {
                m->last = emission;
                return;
            }
            append_to_pile(m, &emission);
        } else {
            m->large = true;
        }
        zb_arena_release(&m->arena, mark);
    }
}

static size_t count_code_bytes(const builder *m)
{
    return m->piled + round_to_lines(m->last.size);
}

/* The blocks into executable memory; the entries become known. */
static zk_native_state seal_code(builder *m)
{
    zk_native *native = m->native;
    zk_native_state state =
        zk_executable_create(m->memory, count_code_bytes(m), &native->executable);
    if (state != ZK_NATIVE_READY) return state;
    uint8_t *to = zk_executable_write(native->executable);
    if (m->piled > 0) memcpy(to, m->pile, m->piled);
    if (m->last.size > 0) memcpy(to + m->piled, m->last.bytes, m->last.size);
    state = zk_executable_seal(native->executable);
    if (state != ZK_NATIVE_READY) return state;
    for (int32_t i = 0; i < native->count; i++) {
        const uint8_t *code = zk_executable_code(native->executable) + native->programs[i].at;
        memcpy(&native->programs[i].entry, &code, sizeof code);
    }
    return ZK_NATIVE_READY;
}

/* --------------------------------------------------------------- self-test */

/* Evaluations of a test, fewer for programs with more than so many instructions, which take
 * long. */
enum { ROUNDS = 12, FEW_ROUNDS = 3, MANY_INSTRUCTIONS = 10000 };

static double random_number(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(zb_hash_scramble(*state) >> 11) * 0x1p-53;
}

/* In turn: of size 1 and both signs; positive, for roots and logarithms; half of them special. */
static double test_number(uint64_t *state, int round)
{
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 1e300, 1e-310, ZB_INFINITY, ZB_NAN};
    double x = random_number(state);
    if (round % 3 == 1) return 0.25 + 1.5 * x;
    if (round % 3 == 2 && random_number(state) < 0.5) return special[(int)(8.0 * x)];
    return 4.0 * x - 2.0;
}

/* An array of `entries` entries and one to spare. */
static double *test_array(builder *m, size_t entries)
{
    size_t count = zb_product(entries + 1, (size_t)m->width);
    return zb_arena_take(&m->arena, zb_product(count, sizeof(double)), LINE);
}

/* Arrays of a self-test, each of `width` numbers an entry. */
typedef struct test {
    double *leaves[ZK_LEAF_KINDS];
    double *workspace, *out, *expected;
} test;

/* Takes arrays that hold every slot that the program reads. */
static void prepare_test(builder *m, const zk_program *program, test *t)
{
    for (int kind = 0; kind < ZK_LEAF_KINDS; kind++) {
        size_t entries = 1;
        for (int32_t i = program->leaf_at[kind]; i < program->leaf_at[kind + 1] && kind > 0; i++)
            if ((size_t)program->leaves[i] >= entries) entries = (size_t)program->leaves[i] + 1;
        t->leaves[kind] = test_array(m, entries);
    }
    t->workspace = test_array(m, zk_workspace(program));
    t->out = test_array(m, (size_t)program->output_count);
    t->expected = test_array(m, (size_t)program->output_count);
}

/* The same bits; any NaN is like any other. */
static bool same_number(double a, double b)
{
    return a != a ? b != b : zb_bits(a) == zb_bits(b);
}

/* Evaluates byte code and machine code once with the same numbers; whether all outputs agree. */
static bool code_agrees(const builder *m, const published *p, const test *t)
{
    zk_frame frame = {.time = t->leaves[0],
                      .position = t->leaves[1],
                      .velocity = t->leaves[2],
                      .acceleration = t->leaves[3],
                      .value = t->leaves[4],
                      .measure = t->leaves[5],
                      .out = t->expected,
                      .workspace = t->workspace};
    zk_evaluate_frame(p->program, m->width, ZK_BYTE_CODE, &frame);
    frame.out = t->out;
    p->entry(&frame);
    int64_t count = (int64_t)p->program->output_count * m->width;
    for (int64_t i = 0; i < count; i++)
        if (!same_number(t->out[i], t->expected[i])) return false;
    return true;
}

/* Random numbers for all leaves, the same in every round of that number. */
static void fill_leaves(const builder *m, const zk_program *program, const test *t, int round)
{
    uint64_t state = 1000003 * (uint64_t)round;
    for (int kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = program->leaf_at[kind]; i < program->leaf_at[kind + 1]; i++) {
            size_t slot = kind == ZK_AT_TIME ? 0 : (size_t)program->leaves[i];
            for (int32_t lane = 0; lane < m->width; lane++)
                t->leaves[kind][slot * (size_t)m->width + (size_t)lane] =
                    test_number(&state, round);
        }
}

/* Whether byte code and machine code agree in all rounds. */
static bool test_program(builder *m, const published *p)
{
    test t;
    bool good = true;
    zb_mark mark = zb_arena_mark(&m->arena);
    prepare_test(m, p->program, &t);
    int rounds = p->program->instruction_count > MANY_INSTRUCTIONS ? FEW_ROUNDS : ROUNDS;
    for (int round = 0; round < rounds && good; round++) {
        fill_leaves(m, p->program, &t, round);
        good = code_agrees(m, p, &t);
    }
    zb_arena_release(&m->arena, mark);
    return good;
}

/* ------------------------------------------------------------------ making */

static size_t native_bytes(int32_t count)
{
    return zb_sum(sizeof(zk_native), zb_product((size_t)count, sizeof(published)));
}

/* Nothing here returns early for want of memory: that jumps back to the start. */
static zk_native_state emit_and_test(builder *m, zk_program *const *programs, int32_t count)
{
    if (setjmp(m->escape)) return ZK_NATIVE_MEMORY;
    emit_programs(m, programs, count);
    if (m->native->count == 0) return m->large ? ZK_NATIVE_LARGE : ZK_NATIVE_READY;
    zk_native_state state = seal_code(m);
    for (int32_t i = 0; i < m->native->count && state == ZK_NATIVE_READY; i++)
        if (!test_program(m, &m->native->programs[i])) state = ZK_NATIVE_DIFFERS;
    return state;
}

/* The zk_native and what making it needs; only the former outlives this. */
static zk_native_state build_native(builder *m, zk_program *const *programs, int32_t count)
{
    m->machine = zk_machine_here(m->width);
    if (!m->machine) return ZK_NATIVE_FOREIGN;
    m->native = zb_resize(m->memory, NULL, 0, native_bytes(count));
    if (!m->native) return ZK_NATIVE_MEMORY;
    *m->native = (zk_native){.memory = m->memory, .width = m->width, .capacity = count};
    zb_arena_init(&m->arena, m->memory, 0);
    m->arena.escape = &m->escape;
    zk_native_state state = emit_and_test(m, programs, count);
    zb_arena_clear(&m->arena);
    zb_resize(m->memory, m->pile, m->pile_capacity, 0);
    return state;
}

/* Programs use their machine code from here on. */
static void publish_entries(zk_native *native)
{
    int at = zk_width_index(native->width);
    for (int32_t i = 0; i < native->count; i++)
        atomic_store_explicit(&native->programs[i].program->entry[at], native->programs[i].entry,
                              memory_order_release);
}

/* Programs are told of their code only if all of it has passed its test. */
void zk_make_native(zb_memory *memory, zk_program *const *programs, int32_t count, int32_t width,
                    zk_native **native, zk_native_report *report)
{
    double start = zb_clock();
    builder m = {.memory = memory, .width = width};
    *native = NULL;
    zk_native_state state = build_native(&m, programs, count);
    *report = (zk_native_report){.state = state};
    if (state == ZK_NATIVE_READY) {
        publish_entries(m.native);
        *native = m.native;
        report->programs = m.native->count;
        report->bytes = count_code_bytes(&m);
    } else {
        zk_native_free(m.native);
    }
    report->seconds = zb_clock() - start;
}

/* A program keeps an entry that is not of this mapping. */
void zk_native_free(zk_native *native)
{
    if (!native) return;
    int at = zk_width_index(native->width);
    for (int32_t i = 0; i < native->count; i++) {
        zk_entry entry = native->programs[i].entry;
        if (entry)
            atomic_compare_exchange_strong(&native->programs[i].program->entry[at], &entry, NULL);
    }
    zk_executable_free(native->executable);
    zb_resize(native->memory, native, native_bytes(native->capacity), 0);
}
