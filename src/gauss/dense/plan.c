/*
 * Planning: one block of memory for everything that factor and solve will touch. The layout
 * function runs twice: first with no block, to count; then to hand out addresses.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

typedef struct layout {
    char *start; /* NULL while counting */
    size_t used;
    bool overflow;
} layout;

static void *place(layout *l, size_t count, size_t size)
{
    size_t bytes = zb_product(count, size);
    size_t padded = (bytes + ZA_ALIGN - 1) & ~(size_t)(ZA_ALIGN - 1);
    if (padded < bytes || bytes == SIZE_MAX || l->used > SIZE_MAX / 2 - padded) {
        l->overflow = true;
        return NULL;
    }
    void *address = l->start ? l->start + l->used : NULL;
    l->used += padded;
    return address;
}

static double *vector(layout *l, int32_t count)
{
    return place(l, (size_t)count, sizeof(double));
}

static double *matrix(layout *l, int32_t rows, int32_t ld)
{
    return place(l, (size_t)za_pad4(rows) * (size_t)ld, sizeof(double));
}

static void lay_out_factors(zw_gauss *g, layout *l)
{
    int32_t n = g->n, m = g->m, most = n < m ? n : m, longest = g->ldn > g->ldm ? g->ldn : g->ldm;
    bool schur = m > 0 && m <= n;
    g->U = matrix(l, n, g->ldn);
    g->inverse = vector(l, g->ldn);
    g->R = g->shape.weight == ZW_FULL ? matrix(l, m, g->ldm) : vector(l, g->ldm);
    g->R_inverse = vector(l, g->ldm);
    g->row_scale = vector(l, g->ldm);
    g->cod = (za_cod){.n = n, .m = m, .ldg = g->ldm, .ldv = g->ldn};
    g->cod.G = matrix(l, n, g->ldm);
    g->cod.V = matrix(l, most, g->ldn);
    g->cod.tau = vector(l, za_pad8(most));
    g->cod.zeta = vector(l, za_pad8(most));
    g->cod.norm2 = vector(l, g->ldm);
    g->cod.reference2 = vector(l, g->ldm);
    g->cod.scale2 = vector(l, g->ldm);
    g->cod.pivot = place(l, (size_t)g->ldm, sizeof(int32_t));
    g->G = schur ? matrix(l, n, g->ldm) : g->cod.G;
    g->S = schur ? matrix(l, m, g->ldm) : NULL;
    g->S_inverse = schur ? vector(l, g->ldm) : NULL;
    g->S_scale = schur ? vector(l, g->ldm) : NULL;
    if (g->small)
        g->operators =
            (za_small_operators){vector(l, ZA_SMALL * ZA_SMALL), vector(l, ZA_SMALL * ZA_SMALL),
                                 vector(l, ZA_SMALL * ZA_SMALL), vector(l, ZA_SMALL * ZA_SMALL)};
    size_t qr = za_lapack_qr_work(n, m), condition = 3 * (size_t)m;
    g->lapack_work = g->lapack ? place(l, qr > condition ? qr : condition, sizeof(double)) : NULL;
    g->integers = place(l, (size_t)longest, sizeof(int32_t));
}

static void lay_out(zw_gauss *g, layout *l)
{
    double **long_vectors[] = {&g->f,    &g->t,     &g->z,          &g->dz,     &g->r1,
                               &g->low1, &g->size1, &g->z_nonideal, &g->moving, &g->slope};
    double **short_vectors[] = {
        &g->b,         &g->c,         &g->nu,       &g->null,   &g->lambda,
        &g->dlambda,   &g->r2,        &g->low2,     &g->size2,  &g->lambda_nonideal,
        &g->conflict,  &g->work_rows, &g->row_size, &g->stress, &g->stress_low,
        &g->dconflict, &g->damp,      &g->total};
    g->M = g->shape.mass == ZW_FULL ? matrix(l, g->n, g->ldn) : vector(l, g->ldn);
    g->A = matrix(l, g->m, g->ldn);
    g->AT = matrix(l, g->n, g->ldm);
    g->W = g->shape.weight == ZW_FULL ? matrix(l, g->m, g->ldm) : vector(l, g->ldm);
    lay_out_factors(g, l);
    for (size_t i = 0; i < sizeof long_vectors / sizeof *long_vectors; i++)
        *long_vectors[i] = vector(l, g->ldn);
    for (size_t i = 0; i < sizeof short_vectors / sizeof *short_vectors; i++)
        *short_vectors[i] = vector(l, g->ldm);
    g->work = vector(l, 2 * (g->ldn > g->ldm ? g->ldn : g->ldm));
}

static double rank_tolerance(const zw_gauss_shape *shape)
{
    if (shape->rank_tolerance > 0.0) return shape->rank_tolerance;
    double rounding = 64.0 * ZA_EPS * sqrt((double)(shape->n > shape->m ? shape->n : shape->m));
    return rounding > 10.0 * shape->noise ? rounding : 10.0 * shape->noise;
}

zw_status zg_plan(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **out)
{
    zw_gauss *g = zb_resize(memory, NULL, 0, sizeof *g);
    if (!g) return memory->failure;
    *g = (zw_gauss){.memory = memory, .shape = *shape, .n = shape->n, .m = shape->m};
    g->ldn = za_pad8(g->n);
    g->ldm = za_pad8(g->m);
    g->tolerance = rank_tolerance(shape);
    g->most_rank = shape->m;
    g->k = za_kernels_best();
    g->small = g->n <= ZA_SMALL && g->m <= g->n && g->m > 0;
    g->lapack = g->n > zg_large && za_lapack_available(); /* which loads it */

    layout counting = {0};
    lay_out(g, &counting);
    g->block_size = counting.overflow ? SIZE_MAX : counting.used + ZA_ALIGN;
    g->block = zb_resize(memory, NULL, 0, g->block_size);
    if (!g->block) {
        zb_resize(memory, g, sizeof *g, 0);
        return memory->failure;
    }
    memset(g->block, 0, g->block_size);
    layout placing = {
        .start = (char *)(((uintptr_t)g->block + ZA_ALIGN - 1) & ~(uintptr_t)(ZA_ALIGN - 1))};
    lay_out(g, &placing);
    *out = g;
    return ZW_OK;
}

void zg_free(zw_gauss *g)
{
    if (!g) return;
    zb_memory *memory = g->memory;
    zb_resize(memory, g->block, g->block_size, 0);
    zb_resize(memory, g, sizeof *g, 0);
}

const zw_gauss_shape *zg_shape(const zw_gauss *g)
{
    return &g->shape;
}

zw_status zg_ready(zw_gauss *g)
{
    if (g->factored) return ZW_OK;
    if (g->failure.status == ZW_OK) g->failure = (zg_failure){.status = ZW_ERR_ORDER};
    return ZW_ERR_ORDER;
}
