/*
 * LAPACK and BLAS (OpenBLAS) for large dense systems, through the Fortran interface: no
 * allocation on our side, workspace from the caller.
 *
 * The library is opened when the first large system is planned, not when the process starts: to
 * load it takes longer than many a whole simulation. Where it cannot be opened, or lacks a
 * function, za_lapack_available is false and our own kernels serve every size. It stays open until
 * the process ends, as its threads do.
 *
 * Our upper factor U, row-major, is LAPACK's lower factor L = U^T, column-major; our
 * G [n x m], row-major with leading dimension ldg, is the column-major G^T [m x n].
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "linalg.h"
#include "shared_library.h"

/* The functions by their Fortran names; all arguments are pointers. */
#define FUNCTION_LIST(X)                                                                           \
    X(dpotrf, (const char *uplo, const int32_t *n, double *a, const int32_t *lda, int32_t *info))  \
    X(dpocon, (const char *uplo, const int32_t *n, const double *a, const int32_t *lda,            \
               const double *norm, double *rcond, double *work, int32_t *iwork, int32_t *info))    \
    X(dgeqp3, (const int32_t *m, const int32_t *n, double *a, const int32_t *lda, int32_t *jpvt,   \
               double *tau, double *work, const int32_t *lwork, int32_t *info))                    \
    X(dgesdd,                                                                                      \
      (const char *jobz, const int32_t *m, const int32_t *n, double *a, const int32_t *lda,        \
       double *s, double *u, const int32_t *ldu, double *vt, const int32_t *ldvt, double *work,    \
       const int32_t *lwork, int32_t *iwork, int32_t *info))                                       \
    X(dtrsm, (const char *side, const char *uplo, const char *trans, const char *diag,             \
              const int32_t *m, const int32_t *n, const double *alpha, const double *a,            \
              const int32_t *lda, double *b, const int32_t *ldb))                                  \
    X(dsyrk, (const char *uplo, const char *trans, const int32_t *n, const int32_t *k,             \
              const double *alpha, const double *a, const int32_t *lda, const double *beta,        \
              double *c, const int32_t *ldc))

/* Written once, under `once`; read by who saw za_lapack_available be true. */
static struct {
    bool complete;
#define FUNCTION_FIELD(name, arguments) void(*name) arguments;
    FUNCTION_LIST(FUNCTION_FIELD)
#undef FUNCTION_FIELD
} lapack;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Opens the library and finds all functions, or leaves `complete` false. */
static void load_lapack(void)
{
    if (!za_library_room()) return;
    void *library = za_library_open(ZA_LAPACK_LIBRARY);
    if (!library) return;
    bool complete = true;
#define FIND_FUNCTION(name, arguments)                                                             \
    complete = complete && za_library_find(library, #name "_", &lapack.name, sizeof lapack.name);
    FUNCTION_LIST(FIND_FUNCTION)
#undef FIND_FUNCTION
    lapack.complete = complete;
    if (!complete) za_library_close(library);
}

bool za_lapack_available(void)
{
    return pthread_once(&once, load_lapack) == 0 && lapack.complete;
}

/* The original diagonal is kept in `inverse` until the factor has taken its place. */
int32_t za_lapack_cholesky(int32_t n, int32_t ld, double threshold, double *U, double *inverse)
{
    int32_t status;
    for (int32_t i = 0; i < n; i++) inverse[i] = U[(size_t)i * (size_t)(ld + 1)];
    lapack.dpotrf("L", &n, U, &ld, &status);
    if (status != 0) return status > 0 ? status - 1 : 0;
    for (int32_t i = 0; i < n; i++) {
        double root = U[(size_t)i * (size_t)(ld + 1)];
        if (!(root * root > threshold * inverse[i])) return i;
        inverse[i] = 1.0 / root;
    }
    for (int32_t i = n; i < za_pad4(n); i++) inverse[i] = 1.0;
    return -1;
}

/* By columns: G^T becomes G^T L^-T. */
void za_lapack_lower_solve_rows(int32_t n, int32_t ld, const double *U, int32_t m, int32_t ldg,
                                double *G)
{
    const double one = 1.0;
    if (m > 0) lapack.dtrsm("R", "L", "T", "N", &m, &n, &one, U, &ld, G, &ldg);
}

void za_lapack_gram(int32_t n, int32_t m, int32_t ldg, const double *G, double *S)
{
    const double one = 1.0, zero = 0.0;
    lapack.dsyrk("L", "N", &m, &n, &one, G, &ldg, &zero, S, &ldg);
}

/* HUGE_VAL where the estimate of the reciprocal is 0. */
double za_lapack_condition(int32_t m, int32_t ld, const double *U, double norm, double *work,
                           int32_t *integers)
{
    int32_t status;
    double reciprocal = 0.0;
    lapack.dpocon("L", &m, U, &ld, &norm, &reciprocal, work, integers, &status);
    return reciprocal > 0.0 ? 1.0 / reciprocal : HUGE_VAL;
}

/* A column-major copy [n x m] of G and dgeqp3's own workspace (block size up to 64). */
size_t za_lapack_qr_work(int32_t n, int32_t m)
{
    return (size_t)n * (size_t)m + 2 * (size_t)m + (size_t)(m + 1) * 64 + 64;
}

/* Column-major copy of G with columns scaled to norm 1, so that LAPACK's pivots, which are
 * absolute, are relative to the columns. */
static void copy_scaled_columns(const za_cod *f, const double *scale, double *X)
{
    for (int32_t i = 0; i < f->n; i++) {
        const double *row = f->G + (size_t)i * (size_t)f->ldg;
        for (int32_t j = 0; j < f->m; j++)
            X[(size_t)j * (size_t)f->n + (size_t)i] = row[j] * scale[j];
    }
}

/* scale [m] = 1 / norm of each column (0 for a zero column), times damp; false when a
 * norm cannot be squared safely. */
static bool find_column_scales(za_cod *f, double *scale)
{
    bool in_range = true;
    memset(scale, 0, sizeof(double) * (size_t)f->m);
    for (int32_t i = 0; i < f->n; i++) {
        const double *row = f->G + (size_t)i * (size_t)f->ldg;
        for (int32_t j = 0; j < f->m; j++) scale[j] += row[j] * row[j];
    }
    for (int32_t j = 0; j < f->m; j++) {
        if (!(scale[j] < 1e300) || (scale[j] > 0.0 && scale[j] < 1e-270)) in_range = false;
        scale[j] = scale[j] > 0.0 ? 1.0 / sqrt(scale[j]) : 0.0;
        if (f->damp) scale[j] *= f->damp[j];
    }
    return in_range;
}

/* LAPACK's reflectors and R, the scaling of the columns undone, into our own storage. */
static void store_qr_factor(za_cod *f, const double *scale, const double *X)
{
    for (int32_t k = 0; k < f->rank; k++) {
        double *v = f->V + (size_t)k * (size_t)f->ldv;
        memset(v, 0, sizeof(double) * (size_t)f->ldv);
        v[k] = 1.0;
        memcpy(v + k + 1, X + (size_t)k * (size_t)f->n + k + 1,
               sizeof(double) * (size_t)(f->n - k - 1));
    }
    for (int32_t j = 0; j < f->m; j++) {
        double s = scale[f->pivot[j]], back = s > 0.0 ? 1.0 / s : 0.0;
        int32_t last = j < f->rank ? j : f->rank - 1;
        for (int32_t i = 0; i <= last; i++)
            f->G[(size_t)i * (size_t)f->ldg + (size_t)j] =
                X[(size_t)j * (size_t)f->n + (size_t)i] * back;
    }
}

/* QR with column pivoting by dgeqp3 on scaled columns, where the diagonal of R is the relative
 * pivots; then rank and Z as in cod.c. */
void za_lapack_cod_factor(const za_kernels *k, za_cod *f, double tolerance, double *work)
{
    int32_t most = f->n < f->m ? f->n : f->m, lwork = 2 * f->m + (f->m + 1) * 64, status;
    double *X = work, *own = work + (size_t)f->n * (size_t)f->m, *scale = f->scale2;
    if (f->limit < most) most = f->limit;
    f->rank = 0;
    f->accepted = 1.0;
    f->rejected = 0.0;
    f->in_range = find_column_scales(f, scale);
    if (!f->in_range) return;
    copy_scaled_columns(f, scale, X);
    memset(f->pivot, 0, sizeof(int32_t) * (size_t)f->m);
    lapack.dgeqp3(&f->n, &f->m, X, &f->n, f->pivot, f->tau, own, &lwork, &status);
    for (int32_t j = 0; j < f->m; j++) f->pivot[j]--;
    for (int32_t i = 0; i < most; i++) {
        double p = fabs(X[(size_t)i * (size_t)f->n + (size_t)i]);
        if (!(p > tolerance)) {
            f->rejected = p;
            break;
        }
        if (p < f->accepted) f->accepted = p;
        f->rank = i + 1;
    }
    store_qr_factor(f, scale, X);
    k->cod->finish(f);
}

/* dgesdd wants room for the copies of X, U and V^T besides its own. */
size_t za_lapack_svd_work(int32_t m, int32_t n)
{
    size_t small = (size_t)(m < n ? m : n), large = (size_t)(m < n ? n : m);
    return (size_t)m * (size_t)n + small * small + small * large + small * (6 + 4 * small) +
           large * 64 + 8 * small + 64;
}

/* The row-major X [m x n] is the column-major X^T [n x m] = V diag(s) U^T. */
zw_status za_lapack_svd(int32_t m, int32_t n, const double *X, double *U, double *s, double *V,
                        double *work)
{
    int32_t k = m < n ? m : n, status;
    size_t mn = (size_t)m * (size_t)n, nk = (size_t)n * (size_t)k;
    double *copy = work, *left = work + mn, *own = left + nk;
    size_t room = za_lapack_svd_work(m, n) - mn - nk - 8 * (size_t)k;
    int32_t lwork = room > INT32_MAX ? INT32_MAX : (int32_t)room;
    int32_t *integers = (int32_t *)(void *)(own + room);
    memcpy(copy, X, sizeof(double) * mn);
    /* left [n x k] column-major = V; the right factor U^T [k x m] column-major is U row-major */
    lapack.dgesdd("S", &n, &m, copy, &n, s, left, &n, U, &k, own, &lwork, integers, &status);
    if (status != 0) return ZW_ERR_ACCURACY;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < k; j++)
            V[(size_t)i * (size_t)k + (size_t)j] = left[(size_t)j * (size_t)n + (size_t)i];
    return ZW_OK;
}
