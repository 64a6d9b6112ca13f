/*
 * Where the outputs of a block of instances go, when that can be said without a table: output k of
 * lane l to base[k] + stride[k] * l, and no place twice in the block. Then assemble.c adds output
 * by output: as no place gets more than one number of the block, the order within it does not show
 * in the bits. Chains, nets and rows of bodies are such; their blocks need no list of places while
 * they run.
 */
#include "sim.h"

enum { most_outputs = 64 }; /* pairs of outputs are compared */

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

void zr_find_places(zr_builder *b)
{
    zw_model *m = b->model;
    zr_passes *lists[] = {&m->dynamics, &m->rows,     &m->levels,
                          &m->limits,   &m->nonideal, &m->equations};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int32_t k = 0; k < lists[i]->count; k++) find_in_pass(b, &lists[i]->list[k]);
}
