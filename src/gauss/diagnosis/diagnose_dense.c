/*
 * Diagnosis by the dense solver: which rows depend on which, and where they contradict each other.
 *
 * The rows of A go through the search in declared order (dependent.c). Dependence has nothing to
 * do with M: the data themselves carry least noise. First declared wins, so the same model always
 * gets the same message. Row i has a unique multiplier when no dependent set contains it.
 */
#include <math.h>
#include <string.h>

#include "dependent.h"
#include "plan.h"

/* The present set of the search. */
typedef struct present {
    zw_gauss *g;
    zg_search search;
    const double *b;
    double size_z; /* norm of the acceleration */
    int32_t *rows; /* [m] */
    double *s;     /* [m] */
    zg_findings *to;
} present;

static double measure_norm(int32_t n, const double *x)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt(s);
}

/* |s| in the norm of W^-1: |R^-T s|. */
static double measure_by_dense_weight(const zw_gauss *g, const double *s)
{
    double *x = g->nu;
    memset(x, 0, sizeof(double) * (size_t)g->ldm);
    memcpy(x, s, sizeof(double) * (size_t)g->m);
    if (g->weight == ZW_FULL) g->k->lower_solve(g->m, g->ldm, g->R, g->R_inverse, x);
    for (int32_t j = 0; j < g->m && g->weight == ZW_DIAGONAL; j++) x[j] *= g->R_inverse[j];
    return measure_norm(g->m, x);
}

/* The relation found last becomes a set. */
static zw_status add_set(present *p, int32_t k, double distance, bool nearly)
{
    zw_dependent_set set = {.row = k, .distance = distance, .nearly = nearly, .suspect = -1};
    for (int32_t i = 0; i < p->search.m; i++) {
        if (p->search.s[i] == 0.0) continue;
        p->rows[set.count] = i;
        p->s[set.count++] = p->search.s[i];
    }
    set.rows = p->rows;
    set.coefficients = p->s;
    zg_judge_set(&set, p->b, p->search.length, p->size_z);
    set.size = fabs(set.mismatch) / measure_by_dense_weight(p->g, p->search.s);
    return zg_findings_add(p->to, &set);
}

/* Row after row; what is not independent is a set. */
static zw_status find_sets(present *p)
{
    for (int32_t k = 0; k < p->search.m; k++) {
        double distance = 0.0;
        zg_found found = zg_search_row(&p->search, k, &distance);
        if (found != ZG_INDEPENDENT) ZB_TRY(add_set(p, k, distance, found == ZG_NEARLY));
    }
    return ZW_OK;
}

/* A copy of A goes through the search; scratch holds it. */
static zw_status search_dense_rows(present *p, zb_arena *scratch)
{
    const zw_gauss *g = p->g;
    size_t n = (size_t)g->n, m = (size_t)g->m;
    p->search = (zg_search){.n = g->n, .m = g->m};
    p->rows = ZB_NEW_ARRAY(scratch, int32_t, m);
    p->s = ZB_NEW_ARRAY(scratch, double, m);
    if (!p->rows || !p->s || !zg_search_take(&p->search, scratch)) return g->memory->failure;
    for (size_t j = 0; j < m; j++)
        memcpy(p->search.rows + j * n, g->A + j * (size_t)g->ldn, sizeof(double) * n);
    zg_search_begin(&p->search, g->tolerance);
    return find_sets(p);
}

/* Findings that are not complete are not handed out. */
zw_status zg_diagnose(zw_gauss *g, const double *b, const double *acceleration, zw_diagnosis **out)
{
    g->failure = (zg_failure){.status = ZW_OK};
    ZB_TRY(zg_finite(g, 'b', b, g->m));
    ZB_TRY(zg_finite(g, 'z', acceleration, g->n));
    present p = {.g = g, .b = b, .size_z = measure_norm(g->n, acceleration)};
    ZB_TRY(zg_findings_new(g->memory, g->m, g->m, &p.to));
    zb_arena scratch;
    zb_arena_init(&scratch, g->memory, 0);
    zw_status status = search_dense_rows(&p, &scratch);
    if (status == ZW_OK && !zg_findings_blame(p.to, 0, &scratch)) status = g->memory->failure;
    zb_arena_clear(&scratch);
    if (status != ZW_OK) {
        zg_diagnosis_free(&p.to->shown);
        return status;
    }
    zg_findings_close(p.to);
    *out = &p.to->shown;
    return ZW_OK;
}
