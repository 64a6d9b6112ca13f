/*
 * What is known of places before anything runs.
 *
 * Runs: where the outputs of a block of instances go, when that can be said without a table: output
 * k of lane l to base[k] + stride[k] * l, and no place twice in the block. Then assemble.c adds
 * output by output: as no place gets more than one number of the block, the order within it does
 * not show in the bits. Chains, nets and rows of bodies are such; their blocks need no list of
 * places while they run.
 *
 * Once: no place of a matrix or vector is reached by two outputs of a list of passes, nor by one of
 * its constant part. Rows of A and levels are mostly such, and everything that has no pass at all.
 *
 * Apart: no place is reached from two chunks of a pass, so that these may run at the same time.
 */
#include "builder.h"

enum { most_outputs = 64 }; /* pairs of outputs are compared */

/* ------------------------------------------------------------------------ runs */

/* The places of one output as a run; stride 0: they are none, or one of them is twice there. */
static zr_stride run_of(const int32_t *place, int32_t outputs)
{
    zr_stride run = {place[0], place[outputs] - place[0]};
    for (int32_t l = 0; l < ZK_BLOCK; l++)
        if (place[l * outputs] != run.base + l * run.stride) return (zr_stride){0, 0};
    return run.base >= 0 && run.stride > 0 ? run : (zr_stride){0, 0};
}

/* Whether two runs may have a place in common. */
static bool meet(zr_stride a, zr_stride b)
{
    int64_t apart = (int64_t)b.base - a.base;
    if (a.stride == b.stride) {
        int64_t lanes = apart / a.stride;
        return apart % a.stride == 0 && lanes < ZK_BLOCK && lanes > -ZK_BLOCK;
    }
    return apart < (int64_t)a.stride * ZK_BLOCK && -apart < (int64_t)b.stride * ZK_BLOCK;
}

static bool are_apart(const zr_stride *runs, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++)
            if (meet(runs[i], runs[j])) return false;
    return true;
}

/* The runs lie as those of another block, all moved by the same number. */
static bool like(const zr_stride *runs, const zr_stride *other, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (runs[i].stride != other[i].stride ||
            runs[i].base - runs[0].base != other[i].base - other[0].base)
            return false;
    return true;
}

/* One block; `before`: the runs of another one that are apart, or NULL. */
static bool find_runs(const zr_pass *pass, const int32_t *place, const zr_stride *before,
                      zr_stride *runs)
{
    int32_t outputs = pass->matrix + pass->vector;
    for (int32_t k = 0; k < outputs; k++) {
        runs[k] = run_of(place + k, outputs);
        if (runs[k].stride == 0) return false;
    }
    if (before && like(runs, before, pass->matrix) &&
        like(runs + pass->matrix, before + pass->matrix, pass->vector))
        return true;
    return are_apart(runs, pass->matrix) && are_apart(runs + pass->matrix, pass->vector);
}

static void find_in_pass(zr_builder *b, zr_pass *pass)
{
    int32_t outputs = pass->matrix + pass->vector;
    int32_t blocks = b->zm->families[pass->family].count / ZK_BLOCK; /* full ones */
    if (!pass->lanes || blocks == 0 || outputs > most_outputs) return;
    zr_stride *all = ZB_NEW_ARRAY(b->arena, zr_stride, zb_product((size_t)blocks, (size_t)outputs));
    const zr_stride *before = NULL;
    for (int32_t k = 0; k < blocks; k++) {
        size_t at = (size_t)k * (size_t)outputs;
        if (find_runs(pass, pass->place + at * ZK_BLOCK, before, all + at))
            before = all + at;
        else
            all[at].stride = 0;
    }
    pass->runs = all;
    pass->run_blocks = blocks;
}

/* ----------------------------------------------------------------- once, apart */

/* Places of a matrix or a vector, and which chunk reached each last: 0 none, below 0 a constant. */
typedef struct reached {
    int32_t *by;
    bool once;
} reached;

static void reach(reached *r, int32_t place, int32_t chunk, int32_t first, bool *apart)
{
    int32_t *by = &r->by[place >= 0 ? place : ~place];
    if (place < 0 || *by != 0) r->once = false;
    if (*by >= first && *by != chunk) *apart = false;
    *by = chunk;
}

/* One pass whose first chunk has number `first`, constant ones all -1; the number after its. */
static int32_t reach_all(const zr_builder *b, zr_pass *pass, int32_t first, reached *matrix,
                         reached *vector)
{
    enum { chunk_instances = ZK_BLOCK * zr_chunk_blocks };
    int32_t count = b->zm->families[pass->family].count;
    const int32_t *place = pass->place;
    pass->apart = first > 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t chunk = first > 0 ? first + i / chunk_instances : -1;
        for (int32_t k = 0; k < pass->matrix; k++)
            reach(matrix, *place++, chunk, first, &pass->apart);
        for (int32_t k = 0; k < pass->vector; k++)
            reach(vector, *place++, chunk, first, &pass->apart);
    }
    return first + (count - 1) / chunk_instances + 1;
}

/* `constant` NULL: there is none. */
static void find_reach(zr_builder *b, zr_passes *passes, const zr_passes *constant, int32_t matrix,
                       int32_t vector)
{
    zb_mark mark = zb_arena_mark(&b->scratch);
    reached to_matrix = {ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)matrix), true};
    reached to_vector = {ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)vector), true};
    for (int32_t k = 0; constant && k < constant->count; k++)
        (void)reach_all(b, &constant->list[k], -1, &to_matrix, &to_vector);
    to_matrix.once = to_vector.once = true; /* what adds up there does not matter */
    for (int32_t k = 0, chunk = 1; k < passes->count; k++)
        chunk = reach_all(b, &passes->list[k], chunk, &to_matrix, &to_vector);
    for (int32_t k = 0; k < passes->count; k++) {
        const zr_pass *pass = &passes->list[k];
        int32_t blocks = pass->lanes ? zk_block_count(pass->lanes) : 0;
        if (pass->apart && blocks >= zr_team_blocks && blocks > b->model->team_blocks)
            b->model->team_blocks = blocks;
    }
    passes->matrix_once = to_matrix.once;
    passes->vector_once = to_vector.once;
    zb_arena_release(&b->scratch, mark);
}

void zr_find_places(zr_builder *b)
{
    zw_model *m = b->model;
    int32_t n = b->zm->n, rows = b->zm->m;
    zr_passes *lists[] = {&m->dynamics, &m->rows,   &m->levels[0], &m->levels[1],
                          &m->nonideal, &m->limits, &m->equations};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int32_t k = 0; k < lists[i]->count; k++) find_in_pass(b, &lists[i]->list[k]);
    find_reach(b, &m->dynamics, &m->constant_dynamics, m->M.count, n);
    find_reach(b, &m->rows, &m->constant_rows, m->A.count, rows);
    find_reach(b, &m->levels[0], NULL, 0, 4 * rows);
    find_reach(b, &m->levels[1], NULL, 0, 4 * rows);
    find_reach(b, &m->nonideal, NULL, 0, n);
    /* the fused programs write A as well, and not by adding to 0 */
    if (m->fused) m->rows.matrix_once = false;
}
