/*
 * The programs of a shape: all stages in order.
 *
 *     elements ─▶ M, Q, A, b ─▶ S = A M^-1 A^T ─▶ elimination, back ─▶ roots ─▶ packed, compiled
 *
 * Two pools and a scratch arena live only while programs are made. Lists are in the caller's arena,
 * the programs themselves are freed by ze_programs_clear, also when making them failed half way.
 */
#include "writer.h"

_Noreturn void ze_writer_fail(ze_writer *w, zw_status status)
{
    w->status = status;
    longjmp(w->escape, 1);
}

/* ------------------------------------------------------------------------ opening */

/* Empty pools and a scratch arena that jump to w->escape when memory runs out. */
void ze_open_writer(ze_writer *w)
{
    zb_arena_init(&w->scratch, w->memory, 0);
    zx_pool_init(&w->pool, w->memory, &w->escape, true);
    zx_pool_init(&w->other, w->memory, &w->escape, true);
    w->scratch.escape = &w->escape;
    w->rows = w->shape->inner + w->shape->outer;
}

/* All nodes and scratch go; the programs stay. */
void ze_close_writer(ze_writer *w)
{
    zx_pool_free(&w->pool);
    zx_pool_free(&w->other);
    zb_arena_clear(&w->scratch);
}

/* ------------------------------------------------------------------------ writing */

/* Outer rows that share an own body or come to share an entry; all diagonals. */
static void find_pairs(ze_writer *w)
{
    int32_t inner = w->shape->inner, rows = w->rows;
    ze_programs *p = w->programs;
    for (int pass = 0; pass < 2; pass++) {
        p->pair_count = 0;
        for (int32_t i = inner; i < rows; i++)
            for (int32_t j = inner; j <= i; j++) {
                if (!w->fills[(size_t)i * (size_t)rows + (size_t)j]) continue;
                if (pass == 1) p->pairs[p->pair_count] = (ze_pair_of_rows){i - inner, j - inner};
                p->pair_count++;
            }
        if (pass == 0) p->pairs = ZB_NEW_ARRAY(w->arena, ze_pair_of_rows, (size_t)p->pair_count);
    }
}

/* 0 where there is no program. */
static int64_t operations_of_code(const ze_code *code)
{
    zk_statistics statistics = {0};
    if (code->program) zk_statistics_of(code->program, &statistics);
    return statistics.operations;
}

/* All stages in order. Jumps when memory runs out or a program would be too long. */
static void write_all_programs(ze_writer *w)
{
    if (w->rows > ze_most_rows) ze_writer_fail(w, ZW_ERR_LARGE);
    w->zero = zx_number(&w->pool, 0.0);
    w->one = zx_number(&w->pool, 1.0);
    if (ze_find_pattern(w) > ze_most_operations) ze_writer_fail(w, ZW_ERR_LARGE);
    find_pairs(w);
    ze_write_terms(w);
    ze_write_rows(w);
    ze_write_solves(w);
    ze_write_violation(w);
    ze_compile_all(w);
    static const ze_purpose of_acceleration[] = {ZE_ACCELERATION, ZE_DAMPED, ZE_REFINED};
    for (int k = 0; k < 3; k++) {
        const ze_solve_codes *codes = &w->programs->solve[of_acceleration[k]];
        w->programs->operations +=
            operations_of_code(&codes->down) + operations_of_code(&codes->back);
    }
}

/* Everything that can jump is led here; the escapes of the caller's pool and arena are put back. */
zw_status ze_make_programs(zb_memory *memory, zb_arena *arena, const ze_shape *shape,
                           const ze_program_options *options, ze_programs *programs)
{
    zx_pool *given = shape->system->pool;
    jmp_buf *escape = given->escape, *arena_escape = arena->escape;
    *programs = (ze_programs){0};
    ze_writer *w = zb_resize(memory, NULL, 0, sizeof *w);
    if (!w) return memory->failure;
    *w = (ze_writer){.memory = memory, .arena = arena, .shape = shape, .options = options};
    w->programs = programs;
    memory->failure = given->memory->failure = ZW_OK;
    ze_open_writer(w);
    if (setjmp(w->escape) == 0) {
        given->escape = arena->escape = &w->escape;
        write_all_programs(w);
    } else if (w->status == ZW_OK) { /* an arena or a pool jumped */
        w->status = memory->failure != ZW_OK ? memory->failure : given->memory->failure;
        if (w->status == ZW_OK) w->status = ZW_ERR_MEMORY;
    }
    given->escape = escape;
    arena->escape = arena_escape;
    zw_status status = w->status;
    ze_close_writer(w);
    zb_resize(memory, w, sizeof *w, 0);
    if (status != ZW_OK) ze_programs_clear(programs);
    return status;
}

static void clear_code(ze_code *code)
{
    zk_free(code->program);
    code->program = NULL;
}

/* Safe for programs that were made in part. */
void ze_programs_clear(ze_programs *programs)
{
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        clear_code(&programs->solve[k].down);
        clear_code(&programs->solve[k].back);
        clear_code(&programs->solve[k].back_full);
    }
    for (int k = 0; k < 2; k++) clear_code(&programs->violation[k]);
    clear_code(&programs->prelude);
    clear_code(&programs->uniform_prelude);
}
