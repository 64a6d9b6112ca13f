/*
 * The metric of multipliers and the relations among rows (multiplier_space.h). W is factored with
 * the rows that are off first: what is left of it for the others is W', and the last rows of the
 * factor are its own. Relations come from the rows at length 1 in declared order, each beside the
 * independent ones before it; dependence has nothing to do with M, and the data carry least noise.
 */
#include "multiplier_space.h"

#include <math.h>
#include <string.h>

static const double unrelated = 1e-10; /* of what is possible: a multiplier that takes no part */

bool zg_space_take(zg_multiplier_space *s, zb_arena *arena, int32_t m, int32_t n, bool coupled)
{
    size_t rows = (size_t)m, full = coupled ? zb_product(rows, rows) : rows;
    *s = (zg_multiplier_space){.m = m, .n = n, .coupled = coupled};
    s->W = ZB_NEW_ARRAY(arena, double, full);
    s->C = ZB_NEW_ARRAY(arena, double, full);
    s->row = ZB_NEW_ARRAY(arena, int32_t, rows);
    s->order = ZB_NEW_ARRAY(arena, int32_t, rows);
    s->kept = ZB_NEW_ARRAY(arena, int32_t, rows);
    s->N = ZB_NEW_ARRAY(arena, double, zb_product(rows, rows));
    s->Z = ZB_NEW_ARRAY(arena, double, zb_product(rows, rows));
    s->reach = ZB_NEW_ARRAY(arena, double, rows);
    s->work = ZB_NEW_ARRAY(arena, double, rows);
    s->packed = ZB_NEW_ARRAY(arena, double, rows);
    s->y = ZB_NEW_ARRAY(arena, double, rows);
    return s->W && s->C && s->row && s->order && s->kept && s->N && s->Z && s->reach && s->work &&
           s->packed && s->y;
}

/* ---------------------------------------------------------------------------- metric */

static void order_rows(zg_multiplier_space *s, const bool *off)
{
    int32_t at = 0;
    s->count = 0;
    for (int32_t i = 0; i < s->m; i++)
        if (off[i]) s->order[at++] = i;
    for (int32_t i = 0; i < s->m; i++) {
        if (off[i]) continue;
        s->order[at++] = i;
        s->row[s->count++] = i;
    }
}

/* Row i of C, in the order of s->order. */
static double *get_factor_row(const zg_multiplier_space *s, int32_t i)
{
    return s->C + (size_t)i * (size_t)s->m;
}

/* C C^T = W in the order of s->order. */
static bool factor_coupled_weight(zg_multiplier_space *s)
{
    size_t m = (size_t)s->m;
    for (int32_t i = 0; i < s->m; i++) {
        const double *W = s->W + (size_t)s->order[i] * m;
        double *c = get_factor_row(s, i), whole = W[s->order[i]], left = whole;
        for (int32_t j = 0; j < i; j++) {
            const double *d = get_factor_row(s, j);
            double sum = W[s->order[j]];
            for (int32_t k = 0; k < j; k++) sum -= c[k] * d[k];
            c[j] = sum / d[j];
            left -= c[j] * c[j];
        }
        if (!(left > 4.0 * zb_eps * whole)) return false;
        c[i] = sqrt(left);
    }
    return true;
}

/* The rows of C that belong to W': reach. */
static void measure_reach(zg_multiplier_space *s)
{
    int32_t off = s->m - s->count;
    for (int32_t i = 0; i < s->count; i++) {
        double sum = 0.0;
        for (int32_t k = 0; k <= i && s->coupled; k++)
            sum += get_factor_row(s, off + i)[off + k] * get_factor_row(s, off + i)[off + k];
        s->reach[i] = s->coupled ? sqrt(sum) : s->C[off + i];
    }
}

bool zg_space_weigh(zg_multiplier_space *s, const bool *off)
{
    order_rows(s, off);
    s->relations = 0;
    for (int32_t i = 0; i < s->m && !s->coupled; i++) {
        if (!(s->W[s->order[i]] > 0.0)) return false;
        s->C[i] = sqrt(s->W[s->order[i]]);
    }
    if (s->coupled && !factor_coupled_weight(s)) return false;
    measure_reach(s);
    return true;
}

void zg_space_to_nu(const zg_multiplier_space *s, const double *lambda, double *nu)
{
    int32_t off = s->m - s->count;
    for (int32_t i = 0; i < s->count; i++) {
        double sum = lambda[i],
               pivot = s->coupled ? get_factor_row(s, off + i)[off + i] : s->C[off + i];
        for (int32_t k = 0; k < i && s->coupled; k++)
            sum -= get_factor_row(s, off + i)[off + k] * nu[k];
        nu[i] = sum / pivot;
    }
}

void zg_space_to_lambda(const zg_multiplier_space *s, const double *nu, double *lambda)
{
    int32_t off = s->m - s->count;
    for (int32_t i = s->count; i-- > 0;) {
        double sum = 0.0;
        for (int32_t k = 0; k <= i && s->coupled; k++)
            sum += get_factor_row(s, off + i)[off + k] * nu[k];
        lambda[i] = s->coupled ? sum : s->C[off + i] * nu[i];
    }
}

/* C^T r, then C of that. */
void zg_space_times_weight(const zg_multiplier_space *s, const double *r, double *p)
{
    int32_t off = s->m - s->count;
    for (int32_t k = 0; k < s->count; k++) {
        double sum = 0.0;
        for (int32_t i = k; i < s->count && s->coupled; i++)
            sum += get_factor_row(s, off + i)[off + k] * r[i];
        s->work[k] = s->coupled ? sum : s->C[off + k] * r[k];
    }
    zg_space_to_lambda(s, s->work, p);
}

/* C y = p begins where rows are on, since p is 0 before; C^T r = y goes through all. */
void zg_space_divide(const zg_multiplier_space *s, const double *p, double *r)
{
    int32_t off = s->m - s->count;
    double *y = s->work;
    for (int32_t i = 0; i < off; i++) y[i] = 0.0;
    zg_space_to_nu(s, p, y + off);
    for (int32_t i = s->m; i-- > 0;) {
        double sum = y[i];
        for (int32_t k = i + 1; k < s->m && s->coupled; k++) sum -= get_factor_row(s, k)[i] * y[k];
        y[i] = sum / (s->coupled ? get_factor_row(s, i)[i] : s->C[i]);
    }
    for (int32_t i = 0; i < s->m; i++) r[s->order[i]] = y[i];
}

/* -------------------------------------------------------------------------- relations */

/* nu [count] without what it has in common with the relations that are there, twice; its length
 * becomes 1. False: nothing is left. */
static bool make_orthonormal(const zg_multiplier_space *s, double *nu)
{
    double whole = 0.0, left = 0.0;
    for (int32_t i = 0; i < s->count; i++) whole += nu[i] * nu[i];
    for (int twice = 0; twice < 2; twice++) {
        for (int32_t q = 0; q < s->relations; q++) {
            const double *other = s->N + (size_t)q * (size_t)s->count;
            double dot = 0.0;
            for (int32_t i = 0; i < s->count; i++) dot += other[i] * nu[i];
            for (int32_t i = 0; i < s->count; i++) nu[i] -= dot * other[i];
        }
    }
    for (int32_t i = 0; i < s->count; i++) left += nu[i] * nu[i];
    if (!(left > 1e-24 * whole)) return false;
    left = sqrt(left);
    for (int32_t i = 0; i < s->count; i++) nu[i] /= left;
    return true;
}

/* Row i of s->row follows from the rows kept: sum_k nu_k C^T row = 0 becomes a relation. */
static void add_relation(zg_multiplier_space *s, const zg_thin *thin, const int32_t *kept,
                         int32_t i)
{
    double *nu = s->N + (size_t)s->relations * (size_t)s->count, *r = s->work;
    double length = s->length[s->row[i]];
    memset(nu, 0, sizeof *nu * (size_t)s->count);
    nu[i] = 1.0;
    if (length > 0.0) {
        zg_thin_coefficients(thin, r);
        for (int32_t k = 0; k < thin->count; k++)
            nu[kept[k]] = -r[k] * (length / s->length[s->row[kept[k]]]);
    }
    zg_space_to_nu(s, nu, nu);
    if (make_orthonormal(s, nu)) s->relations++;
}

/* Z = C N. */
static void lay_out_Z(zg_multiplier_space *s)
{
    for (int32_t q = 0; q < s->relations; q++) {
        zg_space_to_lambda(s, s->N + (size_t)q * (size_t)s->count, s->work);
        for (int32_t i = 0; i < s->count; i++)
            s->Z[(size_t)i * (size_t)s->relations + (size_t)q] = s->work[i];
    }
}

void zg_space_relate(zg_multiplier_space *s, zg_thin *thin)
{
    int32_t *kept = s->kept;
    zg_thin_begin(thin, s->n, s->count);
    s->relations = 0;
    for (int32_t i = 0; i < s->count; i++) {
        zg_thin_look(thin, s->raw + (size_t)s->row[i] * (size_t)s->n);
        if (thin->count == thin->most || !(thin->left > s->depends)) {
            add_relation(s, thin, kept, i);
        } else {
            kept[thin->count] = i;
            zg_thin_join(thin);
        }
    }
    lay_out_Z(s);
}

bool zg_space_is_free(const zg_multiplier_space *s, int32_t i)
{
    const double *z = s->Z + (size_t)i * (size_t)s->relations;
    double sum = 0.0;
    for (int32_t q = 0; q < s->relations; q++) sum += z[q] * z[q];
    return sqrt(sum) > unrelated * s->reach[i];
}
