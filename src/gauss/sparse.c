/* The driver of the sparse solver: to come. */
#include <math.h>

#include "sparse.h"

struct zg_sparse {
    zb_memory *memory;
};

zw_status zg_sparse_plan(zb_memory *memory, const zg_structure *structure, zg_sparse **g)
{
    (void)structure;
    *g = zb_resize(memory, NULL, 0, sizeof **g);
    if (!*g) return memory->failure;
    (*g)->memory = memory;
    return ZW_OK;
}
void zg_sparse_free(zg_sparse *g)
{
    if (g) zb_resize(g->memory, g, sizeof *g, 0);
}
double zg_sparse_cost(const zg_sparse *g)
{
    (void)g;
    return HUGE_VAL;
}
zw_status zg_sparse_factor(zg_sparse *g, const zg_values *values)
{
    (void)g, (void)values;
    return ZW_ERR_LARGE;
}
zw_status zg_sparse_apply(zg_sparse *g, const double *f, const double *b, double *z, double *lambda,
                          double *lost, double *lost_norm)
{
    (void)g, (void)f, (void)b, (void)z, (void)lambda, (void)lost, (void)lost_norm;
    return ZW_ERR_LARGE;
}
zw_status zg_sparse_solve(zg_sparse *g, const double *Q, const double *b, const double *C,
                          zw_gauss_answer *answer)
{
    (void)g, (void)Q, (void)b, (void)C, (void)answer;
    return ZW_ERR_LARGE;
}
zw_status zg_sparse_project(zg_sparse *g, const double *x, double *y)
{
    (void)g, (void)x, (void)y;
    return ZW_ERR_LARGE;
}
zw_status zg_sparse_split(zg_sparse *g, const double *force, double *ideal, double *nonideal)
{
    (void)g, (void)force, (void)ideal, (void)nonideal;
    return ZW_ERR_LARGE;
}
size_t zg_sparse_explain(const zg_sparse *g, char *buffer, size_t size)
{
    (void)g;
    if (size > 0) buffer[0] = '\0';
    return 0;
}
zw_status zg_sparse_free_coordinates(zg_sparse *g, bool *moves)
{
    (void)g, (void)moves;
    return ZW_ERR_LARGE;
}
void zg_sparse_limit_rank(zg_sparse *g, int32_t most)
{
    (void)g, (void)most;
}
double zg_sparse_noise(const zg_sparse *g)
{
    (void)g;
    return 0.0;
}
zw_status zg_sparse_rank(zg_sparse *g, zw_gauss_rank_info *info)
{
    (void)g, (void)info;
    return ZW_ERR_LARGE;
}
zw_status zg_sparse_diagnose(zg_sparse *g, const double *b, const double *acceleration,
                             zw_diagnosis **diagnosis)
{
    (void)g, (void)b, (void)acceleration, (void)diagnosis;
    return ZW_ERR_LARGE;
}
