/*
 * Stands in for lapack.c where the build has no LAPACK: large systems then go through our
 * own kernels, which serve every size.
 */
#include "linalg.h"

bool za_lapack_available(void)
{
    return false;
}

int32_t za_lapack_cholesky(int32_t n, int32_t ld, double threshold, double *U, double *inverse)
{
    (void)n, (void)ld, (void)threshold, (void)U, (void)inverse;
    return 0;
}

void za_lapack_lower_solve_rows(int32_t n, int32_t ld, const double *U, int32_t m, int32_t ldg,
                                double *G)
{
    (void)n, (void)ld, (void)U, (void)m, (void)ldg, (void)G;
}

void za_lapack_gram(int32_t n, int32_t m, int32_t ldg, const double *G, double *S)
{
    (void)n, (void)m, (void)ldg, (void)G, (void)S;
}

/* A huge number, as if there were no factor. */
double za_lapack_condition(int32_t m, int32_t ld, const double *U, double norm, double *work,
                           int32_t *integers)
{
    (void)m, (void)ld, (void)U, (void)norm, (void)work, (void)integers;
    return 1e300;
}

size_t za_lapack_qr_work(int32_t n, int32_t m)
{
    (void)n, (void)m;
    return 0;
}

void za_lapack_cod_factor(const za_kernels *k, za_cod *f, double tolerance, double *work)
{
    (void)work;
    k->cod->factor(f, tolerance);
}

size_t za_lapack_svd_work(int32_t m, int32_t n)
{
    (void)m, (void)n;
    return 0;
}

zw_status za_lapack_svd(int32_t m, int32_t n, const double *X, double *U, double *s, double *V,
                        double *work)
{
    return za_svd(m, n, X, U, s, V, work);
}
