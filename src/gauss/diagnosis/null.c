/*
 * Large groups with few redundancies: loops of hundreds of bodies, long closed chains. Their sets
 * may be as long as the group, and no neighbourhood shows them; but few vectors span the whole null
 * space of A^T. With X its basis, a vector a row, elimination from the last declared row
 * backwards brings it to
 *
 *     X_k = 1 at its own last row, 0 at the last rows of the others
 *
 * and these are the relations of the dense search: a row is dependent on earlier ones when some
 * null vector ends there, and what remains is zero at all other such rows. Sets of moderate size
 * are searched once more as a dense matrix, which cleans their coefficients.
 *
 * The null vectors are the null parts of fixed pseudo-random ones.
 */
#include <math.h>
#include <string.h>

#include "hunt.h"

static const double support_tolerance = 1e-7;
static const double relation_tolerance = 1e-8; /* A^T s = 0, relative to its terms */

/* Vectors that span the null space of A^T, partly eliminated. */
typedef struct basis {
    zg_survey *v;
    int32_t wanted, count, done; /* vectors; those that are left; that have their last row */
    double *X[zg_most_nullity];
    int32_t last[zg_most_nullity];
    double *pull; /* [n] */
} basis;

/* Largest entry, free of the units of rows. */
static double find_largest_entry_of(const zg_survey *v, const double *x)
{
    double most = 0.0;
    for (int32_t i = 0; i < v->m; i++) most = fmax(most, fabs(x[i]) * v->length[i]);
    return most;
}

/* The largest entry becomes 1. False: it is not even `least`. */
static bool scale_null_vector(const zg_survey *v, double least, double *x)
{
    double most = find_largest_entry_of(v, x);
    if (!(most > least)) return false;
    for (int32_t i = 0; i < v->m; i++) x[i] /= most;
    return true;
}

/* As many as there are redundancies, from seeds 3, 4, ... */
static zw_status draw_null_vectors(basis *a)
{
    zg_survey *v = a->v;
    for (int32_t k = 0; k < a->count; k++) {
        a->X[k] = ZB_NEW_ARRAY(v->scratch, double, v->m);
        if (!a->X[k]) return v->scratch->failure;
        ZB_TRY(zg_survey_null_vector(v, (uint64_t)(k + 3), false, a->X[k]));
    }
    return ZW_OK;
}

/* Takes row i out of vector x by means of vector y, which is 1 there. */
static void eliminate_entry(const zg_survey *v, int32_t i, const double *y, double *x)
{
    double c = x[i];
    if (c == 0.0) return;
    for (int32_t j = 0; j < v->m; j++) x[j] -= c * y[j];
    x[i] = 0.0;
}

/* Vector k ends at row i. The rest is freed of it, and dropped where nothing remains. */
static void end_vector(basis *a, int32_t k, int32_t i)
{
    zg_survey *v = a->v;
    double *y = a->X[k];
    a->X[k] = a->X[a->done];
    a->X[a->done] = y;
    a->last[a->done++] = i;
    for (int32_t j = i + 1; j < v->m; j++) y[j] = 0.0; /* rounding */
    double own = y[i];
    for (int32_t j = 0; j < i; j++) y[j] /= own;
    y[i] = 1.0;
    for (int32_t j = 0; j < a->count; j++)
        if (a->X[j] != y) eliminate_entry(v, i, y, a->X[j]);
    for (int32_t j = a->count - 1; j >= a->done; j--)
        if (!scale_null_vector(v, 1e-6, a->X[j])) a->X[j] = a->X[--a->count];
}

/* From the last row on: the vector with the largest entry there ends there, unless all are 0. */
static void eliminate_from_last(basis *a)
{
    const zg_survey *v = a->v;
    for (int32_t i = v->m - 1; i >= 0 && a->done < a->count; i--) {
        int32_t best = a->done;
        for (int32_t k = a->done; k < a->count; k++)
            if (fabs(a->X[k][i]) > fabs(a->X[best][i])) best = k;
        if (fabs(a->X[best][i]) * v->length[i] > support_tolerance) end_vector(a, best, i);
    }
}

/* A^T s = 0, column by column. */
static bool is_relation(basis *a, const zw_dependent_set *set)
{
    const zg_pattern *A = &a->v->x->is->A;
    const double *values = a->v->x->A;
    double pull = 0.0, terms = 0.0;
    memset(a->pull, 0, sizeof(double) * (size_t)a->v->n);
    for (int32_t k = 0; k < set->count; k++) {
        for (int32_t p = A->start[set->rows[k]]; p < A->start[set->rows[k] + 1]; p++) {
            a->pull[A->column[p]] += set->coefficients[k] * values[p];
            terms = fmax(terms, fabs(set->coefficients[k] * values[p]));
        }
    }
    for (int32_t c = 0; c < a->v->n; c++) pull = fmax(pull, fabs(a->pull[c]));
    return pull <= relation_tolerance * terms;
}

/* Its rows are searched once more where that is cheap enough; otherwise it is listed as it is, if
 * it is a relation. rows, s [m]: scratch. */
static zw_status list_null_vector(basis *a, int32_t k, int32_t *rows, double *s)
{
    zg_survey *v = a->v;
    int32_t last = a->last[k];
    zw_dependent_set set = {.row = last, .rows = rows, .coefficients = s, .suspect = -1};
    for (int32_t i = 0; i <= last; i++) {
        if (!(fabs(a->X[k][i]) * v->length[i] > support_tolerance * v->length[last])) continue;
        rows[set.count] = i;
        s[set.count++] = a->X[k][i];
    }
    double cost = zg_search_cost(v, rows, set.count);
    if (set.count <= zg_small_group && cost <= v->work) {
        v->work -= cost;
        return zg_search_all(v, rows, set.count);
    }
    return is_relation(a, &set) ? zg_survey_list(v, &set) : ZW_OK;
}

/* Suspects are named only where all sets of the rows are listed. */
static zw_status list_null_vectors(basis *a, int32_t *rows, double *s)
{
    zg_survey *v = a->v;
    int32_t before = v->to->shown.set_count, dropped = v->dropped;
    for (int32_t k = 0; k < a->done; k++) ZB_TRY(list_null_vector(a, k, rows, s));
    bool all = v->dropped == dropped && v->to->shown.set_count - before == a->wanted;
    return !all || zg_findings_blame(v->to, before, v->scratch) ? ZW_OK : v->scratch->failure;
}

/* Memory is scratch of the survey. */
zw_status zg_survey_null(zg_survey *v, int32_t count)
{
    basis a = {.v = v, .count = count, .wanted = count};
    int32_t *rows = ZB_NEW_ARRAY(v->scratch, int32_t, v->m);
    double *s = ZB_NEW_ARRAY(v->scratch, double, v->m);
    a.pull = ZB_NEW_ARRAY(v->scratch, double, v->n);
    if (!rows || !s || !a.pull) return v->scratch->failure;
    ZB_TRY(draw_null_vectors(&a));
    eliminate_from_last(&a);
    return list_null_vectors(&a, rows, s);
}
