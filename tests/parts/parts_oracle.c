/* Dense, slow and plain. Memory is malloc's. */
#include "parts_oracle.h"

#include <math.h>
#include <stdlib.h>

static long double *reals(int64_t count)
{
    long double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x) abort();
    return x;
}

/* ----------------------------------------------------------------- expressions */

typedef struct leaves {
    double t;
    const double *q, *v, *values;
    const int32_t *table; /* of the instance, or NULL */
    int32_t value_at;
} leaves;

static long double leaf_of(const leaves *l, const zx_item *x)
{
    int32_t coordinate = l->table && x->op != ZX_TIME && x->op != ZX_VALUE ? l->table[x->a] : x->a;
    switch (x->op) {
    case ZX_TIME:
        return (long double)l->t;
    case ZX_POSITION:
        return (long double)l->q[coordinate];
    case ZX_VELOCITY:
        return (long double)l->v[coordinate];
    case ZX_VALUE:
        return (long double)l->values[l->table ? l->table[l->value_at + x->a] : x->a];
    default:
        abort();
    }
}

static long double power(long double a, int32_t exponent)
{
    long double p = 1.0L;
    for (int32_t k = 0; k < abs(exponent); k++) p *= a;
    return exponent < 0 ? 1.0L / p : p;
}

static long double apply(const zx_item *x, const long double *at)
{
    switch (x->op) {
    case ZX_NEG:
        return -at[x->a];
    case ZX_POWI:
        return power(at[x->a], x->b);
    case ZX_SIN:
        return sinl(at[x->a]);
    case ZX_COS:
        return cosl(at[x->a]);
    case ZX_ABS:
        return fabsl(at[x->a]);
    case ZX_SQRT:
        return sqrtl(at[x->a]);
    case ZX_ADD:
        return at[x->a] + at[x->b];
    case ZX_SUB:
        return at[x->a] - at[x->b];
    case ZX_MUL:
        return at[x->a] * at[x->b];
    case ZX_DIV:
        return at[x->a] / at[x->b];
    default:
        abort(); /* worlds have no others */
    }
}

/* at [pool->count]: values of the nodes in `below`. */
static void evaluate(const zx_pool *pool, const zx_node *below, int32_t count, const leaves *l,
                     long double *at)
{
    for (int32_t k = 0; k < count; k++) {
        const zx_item *x = &pool->items[below[k]];
        if (x->op == ZX_NUMBER || x->op == ZX_BOUND)
            at[below[k]] = (long double)zx_number_of(x);
        else
            at[below[k]] = zx_operands((zx_op)x->op) == 0 ? leaf_of(l, x) : apply(x, at);
    }
}

static void add_terms(world *w, const ze_terms *terms, leaves l, long double *matrix,
                      long double *vector)
{
    zx_pool *pool = &w->pool;
    int32_t count;
    zx_node *below = zx_below(pool, terms->nodes, terms->outputs, &count);
    long double *at = reals(pool->count);
    for (int32_t i = 0; i < terms->instances; i++) {
        l.table = terms->table ? terms->table + (size_t)i * (size_t)terms->stride : NULL;
        l.value_at = terms->value_at;
        evaluate(pool, below, count, &l, at);
        for (int32_t k = 0; k < terms->outputs; k++) {
            int32_t place = terms->place[i * terms->outputs + k];
            long double x = at[terms->nodes[k]] * (place < 0 ? 2.0L : 1.0L);
            (k < terms->matrix ? matrix : vector)[place < 0 ? ~place : place] += x;
        }
    }
    free(at);
    zb_resize(pool->memory, below, (size_t)count * sizeof *below, 0);
}

static void spread(const ze_pattern *p, const long double *value, bool symmetric,
                   long double *dense)
{
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            dense[(int64_t)i * p->columns + p->column[k]] = value[k];
            if (symmetric) dense[(int64_t)p->column[k] * p->columns + i] = value[k];
        }
}

oracle *oracle_create(world *w, double t, const double *q, const double *v, const double *values)
{
    const ze_system *s = &w->system;
    oracle *o = calloc(1, sizeof *o);
    if (!o) abort();
    *o = (oracle){.g = wide_create(s->n, s->m), .level = reals(4 * (int64_t)s->m)};
    long double *M = reals(s->M.start[s->n]), *A = reals(s->A.start[s->m]);
    leaves l = {.t = t, .q = q, .v = v, .values = values};
    for (int32_t k = 0; k < s->term_count; k++) {
        const ze_terms *terms = &s->terms[k];
        if (terms->target == ZE_TO_DYNAMICS) add_terms(w, terms, l, M, o->g->Q);
        if (terms->target == ZE_TO_ROWS) add_terms(w, terms, l, A, o->g->b);
        if (terms->target == ZE_TO_LEVELS) add_terms(w, terms, l, NULL, o->level);
    }
    spread(&s->M, M, true, o->g->M);
    spread(&s->A, A, false, o->g->A);
    wide_factor(o->g);
    free(M), free(A);
    return o;
}

void oracle_free(oracle *o)
{
    if (!o) return;
    wide_free(o->g);
    free(o->level);
    free(o);
}
