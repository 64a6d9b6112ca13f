/* Everything in long double; memory is malloc's, that of the world the caller's. */
#include "parts_subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double *aligned(int32_t count)
{
    size_t bytes = ((size_t)count * sizeof(double) + 127) / 64 * 64;
    double *x = aligned_alloc(64, bytes);
    if (!x) abort();
    memset(x, 0xff, bytes); /* NaN */
    return x;
}

long double *wide(int32_t count)
{
    long double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x) abort();
    return x;
}

bool subject_row_counts(const world *w, int32_t row, int order)
{
    if (w->kinds[row] == ZE_OF_ACCELERATIONS) return false;
    return order == 1 || w->kinds[row] == ZE_HOLONOMIC;
}

/* The smallest change in M that removes what rows of an order are off by. */
static wide_answer way_back(const world *w, const oracle *o, int order, long double *change)
{
    bool *takes = calloc((size_t)w->m + 1, sizeof *takes);
    if (!takes) abort();
    long double *r = wide(w->m), *lambda = wide(w->m), *push = wide(w->n);
    for (int32_t i = 0; i < w->m; i++) {
        takes[i] = subject_row_counts(w, i, order);
        r[i] = -o->level[order * w->m + i];
    }
    wide_answer facts = wide_solve(o->g, takes, NULL, r, change, lambda, push);
    free(takes), free(r), free(lambda), free(push);
    return facts;
}

static off_constraints off_constraints_at(world *w, double shake)
{
    uint64_t random = w->request.seed + 77;
    off_constraints b = {.q = aligned(w->n), .v = aligned(w->n)};
    for (int32_t k = 0; k < w->n; k++) {
        b.q[k] = w->q[k] + shake * world_between(&random, -1.0, 1.0);
        b.v[k] = w->v[k] + shake * world_between(&random, -1.0, 1.0);
    }
    b.o = oracle_create(w, w->t, b.q, b.v, w->value);
    for (int order = 0; order < 2; order++) {
        b.change[order] = wide(w->n);
        b.facts[order] = way_back(w, b.o, order, b.change[order]);
    }
    return b;
}

static void off_constraints_clear(off_constraints *b)
{
    oracle_free(b->o);
    free(b->q), free(b->v), free(b->change[0]), free(b->change[1]);
}

static answer answer_at(world *w, const double *values)
{
    answer a = {.z = wide(w->n), .lambda = wide(w->m), .push = wide(w->n)};
    a.o = oracle_create(w, w->t, w->q, w->v, values);
    a.facts = wide_solve(a.o->g, NULL, a.o->g->Q, a.o->g->b, a.z, a.lambda, a.push);
    return a;
}

static void answer_clear(answer *a)
{
    oracle_free(a->o);
    free(a->z), free(a->lambda), free(a->push);
}

static void project_velocities(world *w)
{
    long double *change = wide(w->n);
    oracle *o = oracle_create(w, w->t, w->q, w->v, w->value);
    way_back(w, o, 1, change);
    for (int32_t k = 0; k < w->n; k++) w->v[k] += (double)change[k];
    oracle_free(o);
    free(change);
}

subject *subject_create(zb_memory *memory, const world_request *r)
{
    subject *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->w = world_create(memory, r);
    uint64_t random = r->seed + 5;
    s->values = calloc((size_t)s->w->values + 1, sizeof *s->values);
    if (!s->values) abort();
    for (int32_t k = 0; k < s->w->values; k++)
        s->values[k] = s->w->value[k] * world_between(&random, 0.8, 1.25);
    if (!r->astray) project_velocities(s->w);
    s->here = answer_at(s->w, s->w->value);
    s->other = answer_at(s->w, s->values);
    s->shake = s->here.facts.rank == s->w->m ? 1e-3 : 1e-6;
    s->exact = off_constraints_at(s->w, 0.0);
    s->shaken = off_constraints_at(s->w, s->shake);
    snprintf(s->name, sizeof s->name, "seed %llu, arrangement %d, %d cells, n %d, m %d, rank %d",
             (unsigned long long)r->seed, (int)r->arrangement, s->w->request.cells, s->w->n,
             s->w->m, s->here.facts.rank);
    return s;
}

void subject_free(subject *s)
{
    answer_clear(&s->here), answer_clear(&s->other);
    off_constraints_clear(&s->exact), off_constraints_clear(&s->shaken);
    free(s->values);
    world_free(s->w);
    free(s);
}
