/*
 * The programs of a shape: all stages in order.
 *
 *     elements ─▶ M, Q, A, b ─▶ S = A M^-1 A^T ─▶ elimination, back ─▶ roots ─▶ packed, compiled
 *
 * Two pools and a scratch arena live only while programs are made. Lists are in the caller's arena,
 * the programs themselves are freed by ze_programs_clear, also when making them failed half way.
 */
#include "writer.h"

_Noreturn void ze_fail(ze_maker *m, zw_status status)
{
    m->status = status;
    longjmp(m->escape, 1);
}

/* ------------------------------------------------------------------------ opening */

/* The pool of the system jumps here too, while it is copied from. */
void ze_open_maker(ze_maker *m)
{
    zb_arena_init(&m->scratch, m->memory, 0);
    zx_pool_init(&m->pool, m->memory, &m->escape, true);
    zx_pool_init(&m->other, m->memory, &m->escape, true);
    m->scratch.escape = &m->escape;
    m->rows = m->shape->inner + m->shape->outer;
}

void ze_close_maker(ze_maker *m)
{
    zx_pool_free(&m->pool);
    zx_pool_free(&m->other);
    zb_arena_clear(&m->scratch);
}

/* ------------------------------------------------------------------------- making */

/* Outer rows that share an own body or come to share an entry; all diagonals. */
static void find_pairs(ze_maker *m)
{
    int32_t inner = m->shape->inner, rows = m->rows;
    ze_programs *p = m->programs;
    for (int pass = 0; pass < 2; pass++) {
        p->pair_count = 0;
        for (int32_t i = inner; i < rows; i++)
            for (int32_t j = inner; j <= i; j++) {
                if (!m->fills[(size_t)i * (size_t)rows + (size_t)j]) continue;
                if (pass == 1) p->pairs[p->pair_count] = (ze_pair_of_rows){i - inner, j - inner};
                p->pair_count++;
            }
        if (pass == 0) p->pairs = ZB_NEW_ARRAY(m->arena, ze_pair_of_rows, (size_t)p->pair_count);
    }
}

static int64_t operations_of(const ze_code *code)
{
    zk_statistics statistics = {0};
    if (code->program) zk_statistics_of(code->program, &statistics);
    return statistics.operations;
}

static void make_all(ze_maker *m)
{
    if (m->rows > ze_most_rows) ze_fail(m, ZW_ERR_LARGE);
    m->zero = zx_number(&m->pool, 0.0);
    m->one = zx_number(&m->pool, 1.0);
    if (ze_find_pattern(m) > ze_most_operations) ze_fail(m, ZW_ERR_LARGE);
    find_pairs(m);
    ze_write_terms(m);
    ze_write_rows(m);
    ze_write_solves(m);
    ze_write_look(m);
    ze_compile_all(m);
    static const ze_purpose of_acceleration[] = {ZE_ACCELERATION, ZE_DAMPED, ZE_REFINED};
    for (int k = 0; k < 3; k++) {
        const ze_duty *duty = &m->programs->duty[of_acceleration[k]];
        m->programs->operations += operations_of(&duty->down) + operations_of(&duty->back);
    }
}

zw_status ze_make_programs(zb_memory *memory, zb_arena *arena, const ze_shape *shape,
                           const ze_making *making, ze_programs *programs)
{
    zx_pool *given = shape->system->pool;
    jmp_buf *escape = given->escape, *arena_escape = arena->escape;
    *programs = (ze_programs){0};
    ze_maker *m = zb_resize(memory, NULL, 0, sizeof *m);
    if (!m) return memory->failure;
    *m = (ze_maker){.memory = memory, .arena = arena, .shape = shape, .making = making};
    m->programs = programs;
    memory->failure = given->memory->failure = ZW_OK;
    ze_open_maker(m);
    if (setjmp(m->escape) == 0) {
        given->escape = arena->escape = &m->escape;
        make_all(m);
    } else if (m->status == ZW_OK) { /* an arena or a pool jumped */
        m->status = memory->failure != ZW_OK ? memory->failure : given->memory->failure;
        if (m->status == ZW_OK) m->status = ZW_ERR_MEMORY;
    }
    given->escape = escape;
    arena->escape = arena_escape;
    zw_status status = m->status;
    ze_close_maker(m);
    zb_resize(memory, m, sizeof *m, 0);
    if (status != ZW_OK) ze_programs_clear(programs);
    return status;
}

static void clear_code(ze_code *code)
{
    zk_free(code->program);
    code->program = NULL;
}

void ze_programs_clear(ze_programs *programs)
{
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        clear_code(&programs->duty[k].down);
        clear_code(&programs->duty[k].back);
        clear_code(&programs->duty[k].back_full);
    }
    for (int k = 0; k < 2; k++) clear_code(&programs->look[k]);
    clear_code(&programs->prelude);
    clear_code(&programs->uniform_prelude);
}
