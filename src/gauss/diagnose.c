/*
 * Diagnosis: which rows depend on which, and where they contradict each other.
 *
 * The rows of A, scaled to norm 1, are orthogonalised in declared order, each twice
 * (Gram-Schmidt). Dependence has nothing to do with M: the data themselves carry least noise.
 * A row that leaves nothing is a combination of the ones kept before it: with R the triangular
 * factor and h its coefficients, x = R^-1 h gives
 *
 *     s = e_k - sum x_i e_i   (back in the scale of the rows),   sum_i s_i A_i = 0
 *
 * whose support is a minimal dependent set. It is a conflict when s.b is more than the
 * rounding of its terms. First declared wins, so the same model always gets the same message.
 * Row i has a unique multiplier when no dependent set contains it.
 */
#include <math.h>
#include <string.h>

#include "plan.h"

static const double naming_tolerance = 1e-9;  /* closer than this is worth telling */
static const double support_tolerance = 1e-7; /* smaller coefficients are rounding */
static const double conflict_tolerance = 1e-9;

typedef struct search {
    zw_gauss *g;
    int32_t n, m, kept;
    double dependent;  /* distance at or below which a row counts as dependent */
    double *rows;      /* [m * n] scaled to norm 1 */
    double *length;    /* [m] their norms before */
    double *basis;     /* [min(n,m) * n] orthonormal */
    double *R;         /* [min(n,m)^2] R[j * most + i], i <= j */
    double *h, *x, *s; /* [m] */
    const double *b;   /* [m] */
    double size_z;     /* of the acceleration */
    int32_t *index;    /* [m] kept[i] = row */
} search;

/* The result and its arrays are taken piece by piece and freed with it. */
typedef struct diagnosis {
    zw_diagnosis shown; /* first: its address is the caller's */
    zb_arena arena;
    zb_memory *memory;
    zw_dependent_set *sets; /* [m] */
    bool *unique;           /* [m] */
} diagnosis;

static double dot(int32_t n, const double *x, const double *y)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

/* The rows of A as unit vectors. */
static void load_rows(search *q)
{
    const zw_gauss *g = q->g;
    for (int32_t j = 0; j < q->m; j++) {
        const double *row = g->A + (size_t)j * (size_t)g->ldn;
        double *unit = q->rows + (size_t)j * (size_t)q->n;
        q->length[j] = sqrt(dot(q->n, row, row));
        for (int32_t i = 0; i < q->n; i++)
            unit[i] = q->length[j] > 0.0 ? row[i] / q->length[j] : 0.0;
    }
}

/* Takes the kept vectors out of row k, twice; h gets the coefficients. Returns what is left. */
static double reduce(search *q, int32_t k)
{
    double *v = q->rows + (size_t)k * (size_t)q->n;
    memset(q->h, 0, sizeof(double) * (size_t)q->m);
    for (int twice = 0; twice < 2; twice++) {
        for (int32_t i = 0; i < q->kept; i++) {
            const double *e = q->basis + (size_t)i * (size_t)q->n;
            double c = dot(q->n, e, v);
            q->h[i] += c;
            for (int32_t p = 0; p < q->n; p++) v[p] -= c * e[p];
        }
    }
    return sqrt(dot(q->n, v, v));
}

static int32_t most_kept(const search *q)
{
    return q->n < q->m ? q->n : q->m;
}

static void keep(search *q, int32_t k, double distance)
{
    size_t most = (size_t)most_kept(q);
    double *e = q->basis + (size_t)q->kept * (size_t)q->n;
    const double *v = q->rows + (size_t)k * (size_t)q->n;
    for (int32_t i = 0; i < q->n; i++) e[i] = v[i] / distance;
    for (int32_t i = 0; i < q->kept; i++) q->R[(size_t)q->kept * most + (size_t)i] = q->h[i];
    q->R[(size_t)q->kept * most + (size_t)q->kept] = distance;
    q->index[q->kept++] = k;
}

/* s [m]: the relation by which row k follows from the kept ones, s_k = 1. */
static void relation(search *q, int32_t k)
{
    size_t most = (size_t)most_kept(q);
    memcpy(q->x, q->h, sizeof(double) * (size_t)q->kept);
    for (int32_t i = q->kept - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < q->kept; j++)
            q->x[i] -= q->R[(size_t)j * most + (size_t)i] * q->x[j];
        q->x[i] /= q->R[(size_t)i * most + (size_t)i];
    }
    memset(q->s, 0, sizeof(double) * (size_t)q->m);
    q->s[k] = 1.0;
    for (int32_t i = 0; i < q->kept && q->length[k] > 0.0; i++)
        if (fabs(q->x[i]) > support_tolerance) /* then back into the scale of the rows */
            q->s[q->index[i]] = -q->x[i] * (q->length[k] / q->length[q->index[i]]);
}

/* |s| in the norm of W^-1: |R^-T s|. */
static double inverse_weight_norm(const search *q)
{
    const zw_gauss *g = q->g;
    double *x = g->nu;
    memset(x, 0, sizeof(double) * (size_t)g->ldm);
    memcpy(x, q->s, sizeof(double) * (size_t)q->m);
    if (g->weight == ZW_FULL) g->k->lower_solve(g->m, g->ldm, g->R, g->R_inverse, x);
    for (int32_t j = 0; j < q->m && g->weight == ZW_DIAGONAL; j++) x[j] *= g->R_inverse[j];
    return sqrt(dot(q->m, x, x));
}

/* Fills in what b has to say about the relation s. */
static void weigh(const search *q, zw_dependent_set *set)
{
    double rounding = 0.0, mismatch = 0.0;
    for (int32_t i = 0; i < q->m; i++) {
        mismatch += q->s[i] * q->b[i];
        rounding += fabs(q->s[i]) * (fabs(q->b[i]) + q->length[i] * q->size_z);
    }
    set->conflict = !set->nearly && fabs(mismatch) > conflict_tolerance * rounding;
    set->mismatch = set->conflict ? mismatch : 0.0;
    set->size = fabs(set->mismatch) / inverse_weight_norm(q);
}

static bool write_set(const search *q, zb_arena *arena, int32_t k, zw_dependent_set *set)
{
    int32_t count = 0;
    for (int32_t i = 0; i < q->m; i++) count += q->s[i] != 0.0;
    int32_t *rows = ZB_NEW_ARRAY(arena, int32_t, count);
    double *coefficients = ZB_NEW_ARRAY(arena, double, count);
    if (!rows || !coefficients) return false;
    int32_t p = 0;
    for (int32_t i = 0; i < q->m; i++) {
        if (q->s[i] == 0.0) continue;
        rows[p] = i;
        coefficients[p++] = q->s[i];
    }
    set->count = count;
    set->row = k;
    set->rows = rows;
    set->coefficients = coefficients;
    return true;
}

/* The relation of row k with the kept ones becomes a set. */
static zw_status add_set(search *q, diagnosis *d, int32_t k, double distance, bool nearly)
{
    /* nearly dependent ones are collected from the end, backwards; gather turns them */
    zw_dependent_set *set =
        nearly ? &d->sets[q->m - 1 - d->shown.nearly_count++] : &d->sets[d->shown.set_count++];
    *set = (zw_dependent_set){.distance = distance, .nearly = nearly};
    relation(q, k);
    weigh(q, set);
    d->shown.conflict_count += set->conflict;
    for (int32_t i = 0; i < q->m && !nearly; i++)
        if (q->s[i] != 0.0) d->unique[i] = false;
    return write_set(q, &d->arena, k, set) ? ZW_OK : d->memory->failure;
}

static zw_status find_sets(search *q, diagnosis *d)
{
    for (int32_t k = 0; k < q->m; k++) {
        double distance = reduce(q, k);
        bool dependent = !(distance > q->dependent) || q->kept == q->n;
        if (dependent)
            ZB_TRY(add_set(q, d, k, distance, false));
        else if (distance <= naming_tolerance)
            ZB_TRY(add_set(q, d, k, distance, true));
        if (!dependent) keep(q, k, distance);
    }
    return ZW_OK;
}

static bool take_workspace(search *q, zb_arena *scratch)
{
    size_t n = (size_t)q->n, m = (size_t)q->m, most = (size_t)most_kept(q);
    q->rows = ZB_NEW_ARRAY(scratch, double, zb_product(m, n));
    q->basis = ZB_NEW_ARRAY(scratch, double, zb_product(most, n));
    q->R = ZB_NEW_ARRAY(scratch, double, zb_product(most, most));
    q->length = ZB_NEW_ARRAY(scratch, double, m);
    q->h = ZB_NEW_ARRAY(scratch, double, m);
    q->x = ZB_NEW_ARRAY(scratch, double, m);
    q->s = ZB_NEW_ARRAY(scratch, double, m);
    q->index = ZB_NEW_ARRAY(scratch, int32_t, m);
    return q->rows && q->basis && q->R && q->length && q->h && q->x && q->s && q->index;
}

/* Nearly dependent sets stand behind the dependent ones, in declared order. */
static void gather(diagnosis *d, int32_t m)
{
    int32_t first = d->shown.set_count, count = d->shown.nearly_count;
    zw_dependent_set *tail = d->sets + m - count;
    for (int32_t i = 0; i < count / 2; i++) {
        zw_dependent_set t = tail[i];
        tail[i] = tail[count - 1 - i];
        tail[count - 1 - i] = t;
    }
    memmove(d->sets + first, tail, sizeof *tail * (size_t)count);
}

static zw_status run(search *q, diagnosis *d, zb_arena *scratch)
{
    d->sets = ZB_NEW_ARRAY(&d->arena, zw_dependent_set, q->m);
    d->unique = ZB_NEW_ARRAY(&d->arena, bool, q->m);
    if (!d->sets || !d->unique || !take_workspace(q, scratch)) return d->memory->failure;
    for (int32_t i = 0; i < q->m; i++) d->unique[i] = true;
    load_rows(q);
    ZB_TRY(find_sets(q, d));
    gather(d, q->m);
    d->shown.m = q->m;
    d->shown.sets = d->sets;
    d->shown.unique_multiplier = d->unique;
    return ZW_OK;
}

zw_status zg_diagnose(zw_gauss *g, const double *b, const double *acceleration, zw_diagnosis **out)
{
    g->failure = (zg_failure){.status = ZW_OK};
    ZB_TRY(zg_finite(g, 'b', b, g->m));
    ZB_TRY(zg_finite(g, 'z', acceleration, g->n));
    diagnosis *d = zb_resize(g->memory, NULL, 0, sizeof *d);
    if (!d) return g->memory->failure;
    *d = (diagnosis){.memory = g->memory};
    zb_arena_init(&d->arena, g->memory, 0);
    zb_arena scratch;
    zb_arena_init(&scratch, g->memory, 0);
    search q = {.g = g, .n = g->n, .m = g->m, .b = b};
    q.size_z = sqrt(dot(g->n, acceleration, acceleration));
    q.dependent = 100.0 * g->tolerance < naming_tolerance ? 100.0 * g->tolerance : g->tolerance;
    zw_status status = run(&q, d, &scratch);
    zb_arena_clear(&scratch);
    if (status == ZW_OK)
        *out = &d->shown;
    else
        zg_diagnosis_free(&d->shown);
    return status;
}

void zg_diagnosis_free(zw_diagnosis *shown)
{
    diagnosis *d = (diagnosis *)(void *)shown;
    if (!d) return;
    zb_memory *memory = d->memory;
    zb_arena_clear(&d->arena);
    zb_resize(memory, d, sizeof *d, 0);
}
