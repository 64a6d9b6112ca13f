/*
 * Planning a dense solver: one block of memory for everything that factor and solve will touch. The
 * function that lays it out is called twice: first without a block, to count; then to hand out
 * addresses. Where the number of rows may change, it is laid out anew for each.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

typedef struct layout {
    char *start; /* NULL while counting */
    size_t used;
    bool overflow;
} layout;

/* The next address for `count` elements of `size` bytes, aligned for the kernels; NULL while
 * counting, and where the sum does not fit into size_t. */
static void *place_array(layout *l, size_t count, size_t size)
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

static double *place_vector(layout *l, int32_t count)
{
    return place_array(l, (size_t)count, sizeof(double));
}

static double *place_matrix(layout *l, int32_t rows, int32_t ld)
{
    return place_array(l, (size_t)za_pad4(rows) * (size_t)ld, sizeof(double));
}

/* What zg_factor writes. S is there only where the Schur road is possible; elsewhere G shares
 * the place of the decomposition. */
static void lay_out_factors(zw_gauss *g, layout *l)
{
    int32_t n = g->n, m = g->m, most = n < m ? n : m, longest = g->ldn > g->ldm ? g->ldn : g->ldm;
    bool schur = m > 0 && m <= n;
    g->U = place_matrix(l, n, g->ldn);
    g->inverse = place_vector(l, g->ldn);
    g->R = g->shape.weight == ZW_FULL ? place_matrix(l, m, g->ldm) : place_vector(l, g->ldm);
    g->R_inverse = place_vector(l, g->ldm);
    g->row_scale = place_vector(l, g->ldm);
    g->cod = (za_cod){.n = n, .m = m, .ldg = g->ldm, .ldv = g->ldn};
    g->cod.G = place_matrix(l, n, g->ldm);
    g->cod.V = place_matrix(l, most, g->ldn);
    g->cod.tau = place_vector(l, za_pad8(most));
    g->cod.zeta = place_vector(l, za_pad8(most));
    g->cod.norm2 = place_vector(l, g->ldm);
    g->cod.reference2 = place_vector(l, g->ldm);
    g->cod.scale2 = place_vector(l, g->ldm);
    g->cod.pivot = place_array(l, (size_t)g->ldm, sizeof(int32_t));
    g->G = schur ? place_matrix(l, n, g->ldm) : g->cod.G;
    g->S = schur ? place_matrix(l, m, g->ldm) : NULL;
    g->S_inverse = schur ? place_vector(l, g->ldm) : NULL;
    g->S_scale = schur ? place_vector(l, g->ldm) : NULL;
    if (g->small)
        g->operators = (za_small_operators){
            place_vector(l, ZA_SMALL * ZA_SMALL), place_vector(l, ZA_SMALL * ZA_SMALL),
            place_vector(l, ZA_SMALL * ZA_SMALL), place_vector(l, ZA_SMALL * ZA_SMALL)};
    size_t qr = za_lapack_qr_work(n, m), condition = 3 * (size_t)m;
    g->lapack_work =
        g->lapack ? place_array(l, qr > condition ? qr : condition, sizeof(double)) : NULL;
    g->integers = place_array(l, (size_t)longest, sizeof(int32_t));
}

/* All arrays: the data, the factors, vectors [ldn] and [ldm] of one solve. */
static void lay_out_solver(zw_gauss *g, layout *l)
{
    double **long_vectors[] = {&g->f,    &g->t,     &g->z,          &g->dz,     &g->r1,
                               &g->low1, &g->size1, &g->z_nonideal, &g->moving, &g->slope};
    double **short_vectors[] = {
        &g->b,         &g->c,         &g->nu,       &g->null,   &g->lambda,
        &g->dlambda,   &g->r2,        &g->low2,     &g->size2,  &g->lambda_nonideal,
        &g->conflict,  &g->work_rows, &g->row_size, &g->stress, &g->stress_low,
        &g->dconflict, &g->damp,      &g->total};
    g->M = g->shape.mass == ZW_FULL ? place_matrix(l, g->n, g->ldn) : place_vector(l, g->ldn);
    g->A = place_matrix(l, g->m, g->ldn);
    g->AT = place_matrix(l, g->n, g->ldm);
    g->W = g->shape.weight == ZW_FULL ? place_matrix(l, g->m, g->ldm) : place_vector(l, g->ldm);
    lay_out_factors(g, l);
    for (size_t i = 0; i < sizeof long_vectors / sizeof *long_vectors; i++)
        *long_vectors[i] = place_vector(l, g->ldn);
    for (size_t i = 0; i < sizeof short_vectors / sizeof *short_vectors; i++)
        *short_vectors[i] = place_vector(l, g->ldm);
    g->work = place_vector(l, 2 * (g->ldn > g->ldm ? g->ldn : g->ldm));
}

/* That of the caller, or 64 eps sqrt(max(n, m)), but at least ten times the relative noise of A. */
static double choose_rank_tolerance(const zw_gauss_shape *shape)
{
    if (shape->rank_tolerance > 0.0) return shape->rank_tolerance;
    double rounding = 64.0 * zb_eps * sqrt((double)(shape->n > shape->m ? shape->n : shape->m));
    return rounding > 10.0 * shape->noise ? rounding : 10.0 * shape->noise;
}

/* All that follows from the number of rows, but for addresses. */
static void set_row_count(zw_gauss *g, int32_t m)
{
    g->shape.m = g->m = m;
    g->ldm = za_pad8(m);
    g->tolerance = choose_rank_tolerance(&g->shape);
    g->most_rank = m;
    g->small = g->n <= ZA_SMALL && m <= g->n && m > 0;
}

/* Bytes for m rows, SIZE_MAX: too many. */
static size_t count_block_bytes(zw_gauss *g, int32_t m)
{
    layout counting = {0};
    set_row_count(g, m);
    lay_out_solver(g, &counting);
    return counting.overflow ? SIZE_MAX : counting.used + ZA_ALIGN;
}

/* Hands out the addresses for the rows there are now; all is 0. */
static void place_solver(zw_gauss *g)
{
    uintptr_t mask = ZA_ALIGN - 1;
    layout placing = {.start = (char *)(((uintptr_t)g->block + mask) & ~mask)};
    memset(g->block, 0, g->block_size);
    lay_out_solver(g, &placing);
}

/* All memory is taken here. LAPACK is loaded here, too, where the size asks for it. The Schur road
 * has no place beyond n rows: with n of them the solver may be larger than with more. */
static zw_status plan_solver(zb_memory *memory, const zw_gauss_shape *shape, bool fewer,
                             zw_gauss **out)
{
    zw_gauss *g = zb_resize(memory, NULL, 0, sizeof *g);
    if (!g) return memory->failure;
    *g = (zw_gauss){.memory = memory, .shape = *shape, .n = shape->n};
    g->ldn = za_pad8(g->n);
    g->k = za_kernels_best();
    g->lapack = g->n > zg_large && za_lapack_available(); /* which loads it */
    size_t square = fewer && shape->m > shape->n ? count_block_bytes(g, shape->n) : 0;
    g->block_size = count_block_bytes(g, shape->m);
    if (square > g->block_size) g->block_size = square;
    g->block = zb_resize(memory, NULL, 0, g->block_size);
    if (!g->block) {
        zb_resize(memory, g, sizeof *g, 0);
        return memory->failure;
    }
    place_solver(g);
    *out = g;
    return ZW_OK;
}

zw_status zg_plan(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **out)
{
    return plan_solver(memory, shape, false, out);
}

zw_status zg_plan_most(zb_memory *memory, const zw_gauss_shape *shape, zw_gauss **out)
{
    return plan_solver(memory, shape, true, out);
}

void zg_use_rows(zw_gauss *g, int32_t m)
{
    g->factored = g->cod_ready = false;
    if (m == g->m) return;
    set_row_count(g, m);
    place_solver(g);
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

/* A failure that explains why there is no factor is not overwritten. */
zw_status zg_ready(zw_gauss *g)
{
    if (g->factored) return ZW_OK;
    if (g->failure.status == ZW_OK) g->failure = (zg_failure){.status = ZW_ERR_ORDER};
    return ZW_ERR_ORDER;
}
