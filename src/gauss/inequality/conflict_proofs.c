/*
 * Diagnosis with inequalities. Dependent sets are those among the rows that are closed, with the
 * right sides they have after giving way, so that none of them conflicts. Conflicts come from the
 * proof y = -W r of the first stage,
 *
 *     y^T A = 0,   y >= 0 in inequalities,   y.b > 0
 *
 * one for each part of it whose rows have no coordinate in common with the other parts: two stops
 * that are both too high are not in conflict with each other, though as equations they would be.
 */
#include <math.h>
#include <string.h>

#include "dense_solver.h"
#include "dependent.h"
#include "unequal.h"

static const double takes_part = 1e-9; /* of what an entry of y could be */

/* The proof under way. */
typedef struct proofs {
    zg_inequality *q;
    int32_t *part;  /* [m] the lowest row that each row hangs together with; -1: takes no part */
    int32_t *owner; /* [n] the last row seen that has the coordinate */
    int32_t *rows;  /* [m] of the part at hand */
    double *s;      /* [m] */
} proofs;

static bool take_proofs(proofs *x, zb_arena *scratch)
{
    x->part = ZB_NEW_ARRAY(scratch, int32_t, x->q->is.m);
    x->owner = ZB_NEW_ARRAY(scratch, int32_t, x->q->is.n);
    x->rows = ZB_NEW_ARRAY(scratch, int32_t, x->q->is.m);
    x->s = ZB_NEW_ARRAY(scratch, double, x->q->is.m);
    return x->part && x->owner && x->rows && x->s;
}

/* Rows with an entry in p that is no rounding. */
static void find_rows_of_proof(proofs *x)
{
    const zg_inequality *q = x->q;
    for (int32_t i = 0; i < q->is.m; i++) {
        bool there = q->p[i] != 0.0 && fabs(q->p[i]) >= takes_part * zg_bound_conflict(q, i);
        x->part[i] = there ? i : -1;
    }
}

static int32_t find_root(proofs *x, int32_t i)
{
    while (x->part[i] != i) i = x->part[i] = x->part[x->part[i]];
    return i;
}

/* Rows that share a coordinate are of one part. */
static void join_parts(proofs *x)
{
    const zg_pattern *A = &x->q->is.A;
    for (int32_t j = 0; j < x->q->is.n; j++) x->owner[j] = -1;
    for (int32_t i = 0; i < x->q->is.m; i++) {
        for (int32_t k = A->start[i]; k < A->start[i + 1] && x->part[i] >= 0; k++) {
            int32_t *owner = &x->owner[A->column[k]];
            if (x->q->values.A[k] == 0.0) continue;
            if (*owner >= 0) {
                int32_t a = find_root(x, *owner), b = find_root(x, i);
                x->part[a > b ? a : b] = a < b ? a : b;
            }
            *owner = i;
        }
    }
}

static int32_t count_parts(const proofs *x)
{
    int32_t count = 0;
    for (int32_t i = 0; i < x->q->is.m; i++) count += x->part[i] == i;
    return count;
}

/* |s| of a set in the norm of W^-1; W is diagonal unless the matrices are full. */
static double measure_by_weight(proofs *x, const zw_dependent_set *set)
{
    zg_inequality *q = x->q;
    double sum = 0.0, *nu = q->terms;
    for (int32_t i = 0; i < q->is.m; i++) nu[i] = 0.0;
    for (int32_t k = 0; k < set->count; k++) nu[set->rows[k]] = set->coefficients[k];
    for (int32_t i = 0; i < q->is.m; i++) q->off[i] = false;
    if (q->full && zg_space_weigh(&q->space, q->off)) zg_space_to_nu(&q->space, nu, nu);
    for (int32_t i = 0; i < q->is.m; i++)
        sum += nu[i] * nu[i] / (q->full ? 1.0 : zg_get_weight(q, i));
    return sqrt(sum);
}

/* The part that begins with row `first`, scaled so that its last coefficient is 1 or -1. */
static zw_status add_proof(proofs *x, int32_t first, zg_findings *to)
{
    const zg_inequality *q = x->q;
    zw_dependent_set set = {.conflict = true, .suspect = -1, .rows = x->rows, .coefficients = x->s};
    for (int32_t i = first; i < q->is.m; i++) {
        if (x->part[i] < 0 || find_root(x, i) != first) continue;
        x->rows[set.count] = i;
        x->s[set.count++] = -q->p[i];
    }
    set.row = x->rows[set.count - 1];
    double last = fabs(q->p[set.row]);
    for (int32_t k = 0; k < set.count; k++) {
        x->s[k] /= last;
        set.mismatch += x->s[k] * q->b[x->rows[k]];
    }
    set.size = set.mismatch / measure_by_weight(x, &set);
    return zg_findings_add(to, &set);
}

/* The rows of the set are all those of a part. */
static bool is_a_proof(proofs *x, const zw_dependent_set *set)
{
    int32_t root = x->part[set->row] < 0 ? -1 : find_root(x, set->row), count = 0;
    if (root < 0 || set->nearly) return false;
    for (int32_t k = 0; k < set->count; k++)
        if (x->part[set->rows[k]] < 0 || find_root(x, set->rows[k]) != root) return false;
    for (int32_t i = 0; i < x->q->is.m; i++) count += x->part[i] >= 0 && find_root(x, i) == root;
    return count == set->count;
}

static zw_status add_proofs(proofs *x, const zw_diagnosis *agreeing, zg_findings *to)
{
    for (int32_t k = 0; k < agreeing->set_count + agreeing->nearly_count; k++) {
        zw_dependent_set set = agreeing->sets[k];
        if (is_a_proof(x, &set)) continue;
        set.conflict = false; /* of rows of zeros rounding may look like one */
        set.mismatch = set.size = 0.0;
        set.suspect = -1;
        ZB_TRY(zg_findings_add(to, &set));
    }
    for (int32_t i = 0; i < x->q->is.m; i++)
        if (x->part[i] == i) ZB_TRY(add_proof(x, i, to));
    to->shown.unlisted = agreeing->unlisted;
    zg_findings_close(to);
    return ZW_OK;
}

/* Both kinds of sets in one diagnosis. */
static zw_status merge_sets(zg_inequality *q, zb_arena *scratch, const zw_diagnosis *agreeing,
                            zw_diagnosis **out)
{
    proofs x = {.q = q};
    zg_findings *to = NULL;
    if (!take_proofs(&x, scratch)) return scratch->failure;
    find_rows_of_proof(&x);
    join_parts(&x);
    int32_t room = agreeing->set_count + agreeing->nearly_count + count_parts(&x);
    ZB_TRY(zg_findings_new(q->memory, q->is.m, room, &to));
    zw_status status = add_proofs(&x, agreeing, to);
    if (status != ZW_OK)
        zg_diagnosis_free(&to->shown);
    else
        *out = &to->shown;
    return status;
}

/* The system has the rows that are closed for a while. */
static zw_status diagnose_closed_rows(zg_inequality *q, const double *acceleration,
                                      zw_diagnosis **agreeing)
{
    for (int32_t i = 0; i < q->is.m; i++) {
        q->off[i] = !q->closed[i];
        q->terms[i] = q->b[i] + q->r[i];
    }
    ZB_TRY(zg_factor_set(q));
    return zg_system_diagnose(q->system, q->terms, acceleration, agreeing);
}

zw_status zg_inequality_diagnose(zg_inequality *q, const double *b, const double *acceleration,
                                 zw_diagnosis **diagnosis)
{
    zw_diagnosis *agreeing = NULL;
    zb_arena scratch;
    if (!q->solved) return ZW_ERR_ORDER;
    q->b = b;
    if (q->full) zg_prepare_rows(q);
    zw_status status = diagnose_closed_rows(q, acceleration, &agreeing);
    zb_arena_init(&scratch, q->memory, 0);
    if (status == ZW_OK) status = merge_sets(q, &scratch, agreeing, diagnosis);
    zb_arena_clear(&scratch);
    zg_diagnosis_free(agreeing);
    for (int32_t i = 0; i < q->is.m; i++) q->off[i] = !q->held[i];
    zw_status again = zg_factor_set(q);
    return status == ZW_OK ? again : status;
}
