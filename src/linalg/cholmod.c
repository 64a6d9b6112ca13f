/*
 * CHOLMOD's supernodal factor X = L L^T of positive definite matrices, for large fill. Opened when
 * first asked for; this file is the only one that knows of it.
 *
 * Our lower triangle by rows is CHOLMOD's upper triangle by columns. The order is the one given,
 * made a postorder by CHOLMOD. L is made of supernodes, each a dense panel by columns:
 *
 *     columns super[s] .. super[s + 1], rows s[pi[s]] .. s[pi[s + 1]], of which the first are the
 *     columns themselves; values from x[px[s]] on
 *
 * Solves go over these panels here and not through CHOLMOD: cholmod_solve2 writes to its workspace,
 * and several threads may solve with one factor at the same time.
 *
 * CHOLMOD takes its memory by malloc, outside the budget: L when planned (a budget that is too
 * small for it is heeded), workspace also within factor. Its BLAS may use threads; bits are not
 * promised.
 */
#include <cholmod.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "library.h"
#include "sparse.h"

#define FUNCTION_LIST(X)                                                                           \
    X(int, version, (int *version))                                                                \
    X(int, start, (cholmod_common * common))                                                       \
    X(int, finish, (cholmod_common * common))                                                      \
    X(cholmod_factor *, analyze_p,                                                                 \
      (cholmod_sparse * A, int *order, int *set, size_t size, cholmod_common *common))             \
    X(int, factorize, (cholmod_sparse * A, cholmod_factor * L, cholmod_common * common))           \
    X(int, change_factor,                                                                          \
      (int type, int ll, int super, int packed, int monotonic, cholmod_factor *L,                  \
       cholmod_common *common))                                                                    \
    X(int, free_factor, (cholmod_factor * *L, cholmod_common * common))

/* Written once, under `once`; read by who got a table from za_cholmod. */
static struct {
    bool complete;
#define FUNCTION_FIELD(type, name, arguments) type(*name) arguments;
    FUNCTION_LIST(FUNCTION_FIELD)
#undef FUNCTION_FIELD
} cholmod;

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The structures are those of the header only if the version is. */
static bool is_same_version(void)
{
    int version[3] = {0};
    cholmod.version(version);
    return version[0] == CHOLMOD_MAIN_VERSION && version[1] == CHOLMOD_SUB_VERSION;
}

static void load(void)
{
    if (!za_library_room()) return;
    void *library = za_library_open(ZA_CHOLMOD_LIBRARY);
    if (!library) return;
    bool complete = true;
#define FIND_FUNCTION(type, name, arguments)                                                       \
    complete = complete &&                                                                         \
               za_library_find(library, "cholmod_" #name, &cholmod.name, sizeof cholmod.name);
    FUNCTION_LIST(FIND_FUNCTION)
#undef FIND_FUNCTION
    cholmod.complete = complete && is_same_version();
    if (!cholmod.complete) za_library_close(library);
}

typedef struct factor {
    zb_arena arena;
    cholmod_common common;
    cholmod_sparse X;
    cholmod_factor *L;
    int32_t *start, *index;
} factor;

/* ------------------------------------------------------------------------- planning */

static zw_status copy_pattern(factor *f, const za_symmetric *x)
{
    size_t n = (size_t)x->n, all = n > 0 ? (size_t)x->start[n] : 0;
    f->start = ZB_NEW_ARRAY(&f->arena, int32_t, n + 1);
    f->index = ZB_NEW_ARRAY(&f->arena, int32_t, all);
    if (!f->start || !f->index) return f->arena.failure;
    if (n > 0) memcpy(f->start, x->start, sizeof *f->start * (n + 1));
    if (n > 0) memcpy(f->index, x->index, sizeof *f->index * all);
    f->X = (cholmod_sparse){.nrow = n,
                            .ncol = n,
                            .nzmax = all,
                            .p = f->start,
                            .i = f->index,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
    return ZW_OK;
}

static void set_options(cholmod_common *c)
{
    c->print = 0;
    c->try_catch = 1; /* no message, no call of a handler */
    c->error_handler = NULL;
    c->useGPU = 0;
    c->nmethods = 1;
    c->method[0].ordering = CHOLMOD_GIVEN;
    c->postorder = 1;
    c->supernodal = CHOLMOD_SUPERNODAL;
    c->quick_return_if_not_posdef = 1;
}

/* Structure and memory of L. */
static zw_status analyse(factor *f, const int32_t *order)
{
    size_t n = f->X.nrow;
    int32_t *given = ZB_NEW_ARRAY(&f->arena, int32_t, n);
    if (!given) return f->arena.failure;
    for (size_t k = 0; k < n; k++) given[k] = order ? order[k] : (int32_t)k;
    f->L = cholmod.analyze_p(&f->X, given, NULL, 0, &f->common);
    if (!f->L) return f->common.status == CHOLMOD_TOO_LARGE ? ZW_ERR_BUDGET : ZW_ERR_MEMORY;
    if (zb_product(f->L->xsize, sizeof(double)) > zb_room(f->arena.memory)) return ZW_ERR_BUDGET;
    if (!cholmod.change_factor(CHOLMOD_REAL, 1, 1, 1, 1, f->L, &f->common)) return ZW_ERR_MEMORY;
    return ZW_OK;
}

static void release(void *factor_)
{
    factor *f = factor_;
    if (!f) return;
    zb_memory *memory = f->arena.memory;
    cholmod.free_factor(&f->L, &f->common);
    cholmod.finish(&f->common);
    zb_arena_clear(&f->arena);
    zb_resize(memory, f, sizeof *f, 0);
}

static zw_status plan(zb_memory *memory, const za_symmetric *x, const int32_t *order, void **result)
{
    factor *f = zb_resize(memory, NULL, 0, sizeof *f);
    if (!f) return memory->failure;
    memset(f, 0, sizeof *f);
    zb_arena_init(&f->arena, memory, 0);
    cholmod.start(&f->common);
    set_options(&f->common);
    zw_status status = copy_pattern(f, x);
    if (status == ZW_OK) status = analyse(f, order);
    if (status != ZW_OK) {
        memory->failure = status;
        release(f);
        return status;
    }
    *result = f;
    return ZW_OK;
}

/* -------------------------------------------------------------------------- factors */

/* A panel of L. */
typedef struct panel {
    int32_t first, columns, rows;
    const int32_t *row;
    const double *L; /* [columns][rows] */
} panel;

static panel panel_of(const cholmod_factor *L, size_t s)
{
    const int32_t *super = L->super, *pi = L->pi, *px = L->px, *row = L->s;
    const double *x = L->x;
    return (panel){super[s], super[s + 1] - super[s], pi[s + 1] - pi[s], row + pi[s], x + px[s]};
}

/* Pivots are the squares of L's diagonal. */
static void judge_panel(const factor *f, const panel *a, const double *values, za_pivots *found)
{
    const int32_t *order = f->L->Perm;
    for (int32_t j = 0; j < a->columns; j++) {
        double l = a->L[(size_t)j * (size_t)a->rows + (size_t)j], pivot = l * l;
        int32_t row = order[a->first + j];
        double ratio = pivot / values[f->start[row + 1] - 1];
        if (!(pivot > 0.0 && isfinite(pivot))) found->complete = false;
        if (ratio >= found->smallest) continue;
        found->smallest = ratio;
        found->worst = row;
    }
}

static void factorise(void *factor_, const double *values, za_pivots *pivots)
{
    factor *f = factor_;
    union {
        const double *given;
        void *taken; /* is read only */
    } x = {values};
    za_pivots found = {.smallest = HUGE_VAL, .worst = -1, .complete = true};
    const int32_t *order = f->L->Perm;
    f->X.x = x.taken;
    f->X.xtype = CHOLMOD_REAL;
    bool done = cholmod.factorize(&f->X, f->L, &f->common) && f->common.status == CHOLMOD_OK;
    if (!done || f->L->minor < f->L->n) {
        size_t row = f->L->minor < f->L->n ? f->L->minor : 0;
        *pivots = (za_pivots){.smallest = 0.0, .worst = f->L->n > 0 ? order[row] : -1};
        return;
    }
    for (size_t s = 0; s < f->L->nsuper; s++) {
        panel a = panel_of(f->L, s);
        judge_panel(f, &a, values, &found);
    }
    if (f->L->n == 0) found.smallest = 1.0;
    *pivots = found;
}

/* -------------------------------------------------------------------------- solving */

/* t -= L y for rows from `row` on, of the columns j and j + 1. */
static void subtract_two(const panel *a, int32_t j, int32_t row, const double *y, double *t)
{
    const double *l = a->L + (size_t)j * (size_t)a->rows, *m = l + a->rows;
    double u = y[0], v = y[1];
    for (int32_t i = row; i < a->rows; i++) t[i] -= l[i] * u + m[i] * v;
}

static void subtract_one(const panel *a, int32_t j, int32_t row, double y, double *t)
{
    const double *l = a->L + (size_t)j * (size_t)a->rows;
    for (int32_t i = row; i < a->rows; i++) t[i] -= l[i] * y;
}

/* L y = y as far as a panel goes; t [rows] */
static void forward(const panel *a, double *y, double *t)
{
    int32_t columns = a->columns, rows = a->rows, j = 0;
    double *own = y + a->first;
    memcpy(t, own, sizeof *t * (size_t)columns);
    for (int32_t i = columns; i < rows; i++) t[i] = 0.0;
    for (; j + 1 < columns; j += 2) {
        const double *l = a->L + (size_t)j * (size_t)rows, *m = l + rows;
        own[j] = t[j] / l[j];
        own[j + 1] = (t[j + 1] - l[j + 1] * own[j]) / m[j + 1];
        subtract_two(a, j, j + 2, own + j, t);
    }
    if (j < columns) {
        own[j] = t[j] / a->L[(size_t)j * (size_t)rows + (size_t)j];
        subtract_one(a, j, j + 1, own[j], t);
    }
    for (int32_t i = columns; i < rows; i++) y[a->row[i]] += t[i];
}

/* In four sums, so that it can be done side by side. */
static double dot(int32_t count, const double *a, const double *b)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int32_t i = 0;
    for (; i + 3 < count; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < count; i++) s0 += a[i] * b[i];
    return (s0 + s1) + (s2 + s3);
}

/* L^T y = y as far as a panel goes. */
static void backward(const panel *a, double *y, double *t)
{
    double *own = y + a->first;
    memcpy(t, own, sizeof *t * (size_t)a->columns);
    for (int32_t i = a->columns; i < a->rows; i++) t[i] = y[a->row[i]];
    for (int32_t j = a->columns - 1; j >= 0; j--) {
        const double *l = a->L + (size_t)j * (size_t)a->rows;
        t[j] = (t[j] - dot(a->rows - j - 1, l + j + 1, t + j + 1)) / l[j];
    }
    memcpy(own, t, sizeof *t * (size_t)a->columns);
}

/* x itself serves as the panels' vector: its entries are in work by then. */
static void solve(const void *factor_, double *x, double *work)
{
    const factor *f = factor_;
    const int32_t *order = f->L->Perm;
    size_t n = f->L->n;
    for (size_t k = 0; k < n; k++) work[k] = x[order[k]];
    for (size_t s = 0; s < f->L->nsuper; s++) {
        panel a = panel_of(f->L, s);
        forward(&a, work, x);
    }
    for (size_t s = f->L->nsuper; s-- > 0;) {
        panel a = panel_of(f->L, s);
        backward(&a, work, x);
    }
    for (size_t k = 0; k < n; k++) x[order[k]] = work[k];
}

static const za_factoring table = {.name = "cholmod",
                                   .definite = true,
                                   .plan = plan,
                                   .free = release,
                                   .factor = factorise,
                                   .solve = solve};

const za_factoring *za_cholmod(void)
{
    return pthread_once(&once, load) == 0 && cholmod.complete ? &table : NULL;
}
