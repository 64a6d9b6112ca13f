/*
 * What is known of places before anything is evaluated: three facts that make adding outputs to
 * matrices and vectors (assemble.c) faster and change no bit.
 *
 * Strides: where the outputs of a block of instances go, when that can be said without a table:
 * output k of lane l to base[k] + stride[k] * l, and no place twice in the block. Then assemble.c
 * adds output by output: as no place gets more than one number of the block, the order within it
 * does not show in the bits. Chains, nets and rows of bodies are such; their blocks need no list of
 * places while they are evaluated.
 *
 * Once: no place of a matrix or vector is reached by two outputs of a list of passes, nor by one of
 * its constant part. Rows of A and levels are mostly such, and everything that has no pass at all.
 *
 * Apart: no place is reached from two chunks of a pass, so that these may be evaluated at the same
 * time.
 */
#include "builder.h"

enum { most_outputs = 64 }; /* pairs of outputs are compared */

/* --------------------------------------------------------------------- strides */

/* The places of one output for a block of instances, `outputs` apart; stride 0: they follow no
 * rule, do not ascend, or an entry is added twice. */
static zr_stride find_stride(const int32_t *place, int32_t outputs)
{
    zr_stride found = {place[0], place[outputs] - place[0]};
    for (int32_t l = 0; l < ZK_BLOCK; l++)
        if (place[l * outputs] != found.base + l * found.stride) return (zr_stride){0, 0};
    return found.base >= 0 && found.stride > 0 ? found : (zr_stride){0, 0};
}

/* Whether two strides may have a place of a block in common; exactly where both step alike. */
static bool may_strides_meet(zr_stride a, zr_stride b)
{
    int64_t apart = (int64_t)b.base - a.base;
    if (a.stride == b.stride) {
        int64_t lanes = apart / a.stride;
        return apart % a.stride == 0 && lanes < ZK_BLOCK && lanes > -ZK_BLOCK;
    }
    return apart < (int64_t)a.stride * ZK_BLOCK && -apart < (int64_t)b.stride * ZK_BLOCK;
}

/* No two of them meet. */
static bool are_strides_apart(const zr_stride *strides, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < i; j++)
            if (may_strides_meet(strides[i], strides[j])) return false;
    return true;
}

/* The strides are those of another block, all moved by the same number. */
static bool is_shifted_block(const zr_stride *strides, const zr_stride *other, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (strides[i].stride != other[i].stride ||
            strides[i].base - strides[0].base != other[i].base - other[0].base)
            return false;
    return true;
}

/* The strides [matrix + vector] of one block, false: it has none. before: those of another one,
 * which do not meet, or NULL. */
static bool find_block_strides(const zr_pass *pass, const int32_t *place, const zr_stride *before,
                               zr_stride *strides)
{
    int32_t outputs = pass->matrix + pass->vector;
    for (int32_t k = 0; k < outputs; k++) {
        strides[k] = find_stride(place + k, outputs);
        if (strides[k].stride == 0) return false;
    }
    if (before && is_shifted_block(strides, before, pass->matrix) &&
        is_shifted_block(strides + pass->matrix, before + pass->matrix, pass->vector))
        return true;
    return are_strides_apart(strides, pass->matrix) &&
           are_strides_apart(strides + pass->matrix, pass->vector);
}

/* Of all full blocks; passes of many outputs go by their places. */
static void find_pass_strides(zr_builder *b, zr_pass *pass)
{
    int32_t outputs = pass->matrix + pass->vector;
    int32_t blocks = b->zm->families[pass->family].count / ZK_BLOCK; /* full ones */
    if (!pass->lanes || blocks == 0 || outputs > most_outputs) return;
    zr_stride *all = ZB_NEW_ARRAY(b->arena, zr_stride, zb_product((size_t)blocks, (size_t)outputs));
    const zr_stride *before = NULL;
    for (int32_t k = 0; k < blocks; k++) {
        size_t at = (size_t)k * (size_t)outputs;
        if (find_block_strides(pass, pass->place + at * ZK_BLOCK, before, all + at))
            before = all + at;
        else
            all[at].stride = 0;
    }
    pass->strides = all;
    pass->stride_blocks = blocks;
}

/* ----------------------------------------------------------------- once, apart */

/* Places of a matrix or a vector, and which chunk reached each last: 0 none, below 0 the constant
 * part; chunks of all passes are numbered on from 1. */
typedef struct reached {
    int32_t *by;
    bool once; /* none was reached twice */
} reached;

/* An output of `chunk` goes to this place: was it reached before, by another chunk of the same
 * pass? The numbers of these begin with `first`. */
static void reach_place(reached *r, int32_t place, int32_t chunk, int32_t first, bool *apart)
{
    int32_t *by = &r->by[place >= 0 ? place : ~place];
    if (place < 0 || *by != 0) r->once = false;
    if (*by >= first && *by != chunk) *apart = false;
    *by = chunk;
}

/* One pass whose first chunk has number `first`; -1: of the constant part, whose chunks all have
 * that number. Returns the number after its chunks. */
static int32_t reach_pass(const zr_builder *b, zr_pass *pass, int32_t first, reached *matrix,
                          reached *vector)
{
    enum { chunk_instances = ZK_BLOCK * zr_chunk_blocks };
    int32_t count = b->zm->families[pass->family].count;
    const int32_t *place = pass->place;
    pass->apart = first > 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t chunk = first > 0 ? first + i / chunk_instances : -1;
        for (int32_t k = 0; k < pass->matrix; k++)
            reach_place(matrix, *place++, chunk, first, &pass->apart);
        for (int32_t k = 0; k < pass->vector; k++)
            reach_place(vector, *place++, chunk, first, &pass->apart);
    }
    return first + (count - 1) / chunk_instances + 1;
}

/* once and apart of a list of passes over a matrix and a vector with so many places, and how many
 * blocks a team may share. constant: the constant part of the same quantity, or NULL. */
static void find_reached(zr_builder *b, zr_passes *passes, const zr_passes *constant,
                         int32_t matrix, int32_t vector)
{
    zb_mark mark = zb_arena_mark(&b->scratch);
    reached to_matrix = {ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)matrix), true};
    reached to_vector = {ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)vector), true};
    for (int32_t k = 0; constant && k < constant->count; k++)
        (void)reach_pass(b, &constant->list[k], -1, &to_matrix, &to_vector);
    to_matrix.once = to_vector.once = true; /* what adds up there does not matter */
    for (int32_t k = 0, chunk = 1; k < passes->count; k++)
        chunk = reach_pass(b, &passes->list[k], chunk, &to_matrix, &to_vector);
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

/* Strides of all passes; once and apart where M, A and what goes with them are assembled. */
void zr_find_places(zr_builder *b)
{
    zw_model *m = b->model;
    int32_t n = b->zm->n, rows = b->zm->m;
    zr_passes *lists[] = {&m->dynamics, &m->rows,   &m->levels[0], &m->levels[1],
                          &m->nonideal, &m->limits, &m->equations};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int32_t k = 0; k < lists[i]->count; k++) find_pass_strides(b, &lists[i]->list[k]);
    find_reached(b, &m->dynamics, &m->constant_dynamics, m->M.count, n);
    find_reached(b, &m->rows, &m->constant_rows, m->A.count, rows);
    find_reached(b, &m->levels[0], NULL, 0, 4 * rows);
    find_reached(b, &m->levels[1], NULL, 0, 4 * rows);
    find_reached(b, &m->nonideal, NULL, 0, n);
    /* the fused programs write A as well, and not by adding to 0 */
    if (m->fused) m->rows.matrix_once = false;
}
