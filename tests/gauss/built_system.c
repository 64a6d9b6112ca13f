/*
 * built_system.c: see built_system.h.
 */
#include "built_system.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t built_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t x = *state ^ *state >> 31;
    return x * UINT64_C(0x9e3779b97f4a7c15) >> 11;
}

double built_real(uint64_t *state)
{
    return (double)built_random(state) * 0x1p-52 - 1.0;
}

static void *need(void *block)
{
    if (!block) abort();
    return block;
}

built *built_new(int32_t n)
{
    built *s = need(calloc(1, sizeof *s));
    s->n = n;
    s->start = need(calloc(1, sizeof *s->start));
    s->mass = need(calloc((size_t)n + 1, sizeof *s->mass));
    s->x = need(calloc((size_t)n + 1, sizeof *s->x));
    s->y = need(calloc((size_t)n + 1, sizeof *s->y));
    for (int32_t i = 0; i < n; i++) s->mass[i] = 1.0;
    zb_memory_init(&s->memory, NULL);
    return s;
}

void built_free(built *s)
{
    zg_system_free(s->g);
    free(s->start);
    free(s->column);
    free(s->value);
    free(s->b);
    free(s->weight);
    free(s->weight_start);
    free(s->weight_column);
    free(s->mass);
    free(s->counts);
    free(s->x);
    free(s->y);
    free(s);
}

static void make_room(built *s, int32_t more)
{
    int32_t cells = s->start[s->m] + more;
    if (cells > s->cells) {
        s->cells = 2 * cells + 64;
        s->column = need(realloc(s->column, sizeof *s->column * (size_t)s->cells));
        s->value = need(realloc(s->value, sizeof *s->value * (size_t)s->cells));
    }
    if (s->m == s->room) {
        s->room = 2 * s->room + 64;
        s->start = need(realloc(s->start, sizeof *s->start * ((size_t)s->room + 1)));
        s->b = need(realloc(s->b, sizeof *s->b * (size_t)s->room));
    }
}

int32_t built_row(built *s, int32_t count, const int32_t *columns, const double *values)
{
    make_room(s, count);
    int32_t at = s->start[s->m];
    for (int32_t k = 0; k < count; k++) {
        s->column[at + k] = columns[k];
        s->value[at + k] = values[k];
    }
    s->b[s->m] = 0.0;
    s->start[s->m + 1] = at + count;
    return s->m++;
}

/* i < 0: fixed at the origin. */
int32_t built_rod(built *s, int32_t i, int32_t j)
{
    double x = s->x[j] - (i < 0 ? 0.0 : s->x[i]), y = s->y[j] - (i < 0 ? 0.0 : s->y[i]);
    double l = sqrt(x * x + y * y);
    assert(i < j);
    int32_t columns[4] = {2 * i, 2 * i + 1, 2 * j, 2 * j + 1};
    double values[4] = {-x / l, -y / l, x / l, y / l};
    int32_t from = i < 0 ? 2 : 0;
    return built_row(s, 4 - from, columns + from, values + from);
}

static void mix(int32_t (*ends)[2], int32_t count, uint64_t *state)
{
    for (int32_t k = count - 1; k > 0; k--) {
        int32_t o = (int32_t)(built_random(state) % (uint64_t)(k + 1));
        int32_t i = ends[k][0], j = ends[k][1];
        ends[k][0] = ends[o][0];
        ends[k][1] = ends[o][1];
        ends[o][0] = i;
        ends[o][1] = j;
    }
}

built *built_lattice(int32_t side, double jitter, bool mixed, uint64_t seed)
{
    built *s = built_new(2 * side * side);
    int32_t count = 0;
    int32_t(*ends)[2] = need(malloc(sizeof *ends * 3 * (size_t)(side * side)));
    for (int32_t i = 0; i < side; i++) {
        for (int32_t j = 0; j < side; j++) {
            int32_t k = i * side + j;
            s->x[k] = j + jitter * built_real(&seed);
            s->y[k] = i + jitter * built_real(&seed);
            const bool there[3] = {j + 1 < side, i + 1 < side, j + 1 < side && i + 1 < side};
            const int32_t far[3] = {k + 1, k + side, k + side + 1};
            for (int o = 0; o < 3; o++) {
                if (!there[o]) continue;
                ends[count][0] = k;
                ends[count++][1] = far[o];
            }
        }
    }
    if (mixed) mix(ends, count, &seed);
    for (int32_t k = 0; k < count; k++) (void)built_rod(s, ends[k][0], ends[k][1]);
    free(ends);
    return s;
}

built *built_chain(int32_t links, int32_t doubled)
{
    built *s = built_new(2 * links);
    for (int32_t k = 0; k < links; k++) {
        s->x[k] = (k + 1) * 0.8 + 0.1 * (k % 3);
        s->y[k] = (k % 7) * 0.3 + 0.2;
        (void)built_rod(s, k - 1, k);
    }
    for (int32_t k = doubled - 1; doubled > 0 && k < links; k += doubled)
        (void)built_rod(s, k - 1, k);
    return s;
}

built *built_line(int32_t links, bool closed)
{
    built *s = built_new(links);
    for (int32_t k = 0; k < links; k++) {
        const int32_t columns[2] = {k - 1, k};
        const double values[2] = {-1.0, 1.0};
        int32_t from = k == 0;
        (void)built_row(s, 2 - from, columns + from, values + from);
    }
    const int32_t last = links - 1;
    const double one = 1.0;
    if (closed) (void)built_row(s, 1, &last, &one);
    return s;
}

built *built_ladder(int32_t bays)
{
    built *s = built_new(4 * (bays + 1));
    for (int32_t k = 0; k <= bays; k++) {
        s->x[2 * k] = k + 0.05 * (k % 3);
        s->x[2 * k + 1] = k - 0.04 * (k % 4);
        s->y[2 * k + 1] = 1.0 + 0.03 * (k % 5);
    }
    for (int32_t k = 0; k <= bays; k++) {
        (void)built_rod(s, 2 * k, 2 * k + 1);
        if (k == bays) break;
        (void)built_rod(s, 2 * k, 2 * k + 2);
        (void)built_rod(s, 2 * k + 1, 2 * k + 3);
        (void)built_rod(s, 2 * k, 2 * k + 3);
        (void)built_rod(s, 2 * k + 1, 2 * k + 2);
    }
    return s;
}

static double decades(uint64_t *state)
{
    return pow(10.0, 1.5 * built_real(state));
}

void built_weights(built *s, bool blocks, uint64_t seed)
{
    s->weight = need(malloc(sizeof *s->weight * 2 * ((size_t)s->m + 1)));
    for (int32_t i = 0; i < s->m && !blocks; i++) s->weight[i] = decades(&seed);
    if (!blocks) return;
    s->weight_start = need(malloc(sizeof *s->weight_start * ((size_t)s->m + 1)));
    s->weight_column = need(malloc(sizeof *s->weight_column * 2 * ((size_t)s->m + 1)));
    int32_t at = 0;
    for (int32_t i = 0; i < s->m; i++) {
        s->weight_start[i] = at;
        if (i % 2 == 0 && i + 1 < s->m) { /* [p c; c q] with c^2 < p q */
            double p = decades(&seed), q = decades(&seed),
                   c = 0.7 * built_real(&seed) * sqrt(p * q);
            const double block[4] = {p, c, c, q};
            for (int32_t k = 0; k < 4; k++) {
                s->weight_column[at + k] = i + k % 2;
                s->weight[at + k] = block[k];
            }
            s->weight_start[++i] = at + 2;
            at += 4;
        } else {
            s->weight_column[at] = i;
            s->weight[at++] = decades(&seed);
        }
    }
    s->weight_start[s->m] = at;
}

void built_agree(built *s, uint64_t seed)
{
    double *z = need(malloc(sizeof *z * ((size_t)s->n + 1)));
    for (int32_t i = 0; i < s->n; i++) z[i] = built_real(&seed);
    for (int32_t i = 0; i < s->m; i++) {
        s->b[i] = 0.0;
        for (int32_t p = s->start[i]; p < s->start[i + 1]; p++)
            s->b[i] += s->value[p] * z[s->column[p]];
    }
    free(z);
}

void built_factor(built *s, zw_solver solver)
{
    int32_t most = (s->n > s->m ? s->n : s->m) + 1;
    s->counts = need(realloc(s->counts, sizeof *s->counts * ((size_t)most + 1)));
    for (int32_t i = 0; i <= most; i++) s->counts[i] = i;
    zg_system_free(s->g);
    s->g = NULL;
    zg_structure is = {.n = s->n,
                       .m = s->m,
                       .M = {s->n, s->n, s->counts, s->counts},
                       .A = {s->m, s->n, s->start, s->column},
                       .solver = solver};
    if (s->weight_start)
        is.W = (zg_pattern){s->m, s->m, s->weight_start, s->weight_column};
    else if (s->weight)
        is.W = (zg_pattern){s->m, s->m, s->counts, s->counts};
    zg_values values = {.M = s->mass, .A = s->value, .W = s->weight};
    if (zg_system_plan(&s->memory, &is, &s->g) != ZW_OK) abort();
    if (zg_system_factor(s->g, &values) != ZW_OK) abort();
}

int32_t built_rank(built *s)
{
    zw_gauss_rank_info info;
    return zg_system_rank(s->g, &info) == ZW_OK ? info.rank : -1;
}

zw_diagnosis *built_diagnose(built *s)
{
    zw_diagnosis *d = NULL;
    double *z = need(calloc(2 * (size_t)s->n + 1, sizeof *z)), norm = 0.0;
    if (zg_system_apply(s->g, z, s->b, z + s->n, NULL, NULL, &norm) != ZW_OK) abort();
    if (zg_system_diagnose(s->g, s->b, z + s->n, &d) != ZW_OK) abort();
    free(z);
    return d;
}

double built_imbalance(const built *s, const zw_dependent_set *set)
{
    double *pull = need(calloc((size_t)s->n + 1, sizeof *pull)), worst = 0.0, terms = 0.0;
    for (int32_t k = 0; k < set->count; k++) {
        for (int32_t p = s->start[set->rows[k]]; p < s->start[set->rows[k] + 1]; p++) {
            double t = set->coefficients[k] * s->value[p];
            pull[s->column[p]] += t;
            terms = fmax(terms, fabs(t));
        }
    }
    for (int32_t i = 0; i < s->n; i++) worst = fmax(worst, fabs(pull[i]));
    free(pull);
    return terms > 0.0 ? worst / terms : 0.0;
}
