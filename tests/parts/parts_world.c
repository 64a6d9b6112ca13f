/*
 * A ze_system from a list of bodies and of things that hold them: coordinates, families, tables,
 * patterns, places. Everything follows from the list and a seed; arrays live as long as the world.
 */
#include "parts_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world_families.h"

uint64_t world_bits(uint64_t *state)
{
    return zb_hash_scramble(*state += UINT64_C(0x9e3779b97f4a7c15));
}

double world_between(uint64_t *state, double a, double b)
{
    return a + (b - a) * (double)(world_bits(state) >> 11) * 0x1p-53;
}

int32_t world_below(uint64_t *state, int32_t limit)
{
    return (int32_t)(world_bits(state) % (uint64_t)limit);
}

static void *zeros(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block) abort();
    return block;
}

/* --------------------------------------------------------------------- bodies */

static void shuffle(world *w, int32_t *list, int32_t count)
{
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = world_below(&w->random, i + 1), kept = list[i];
        list[i] = list[k];
        list[k] = kept;
    }
}

static void number_bodies(world *w, const world_plan *p)
{
    int32_t *order = zeros((size_t)w->bodies, sizeof *order);
    for (int32_t i = 0; i < w->bodies; i++) {
        order[i] = i;
        w->size[i] = p->size[i];
    }
    if (p->scrambled) shuffle(w, order, w->bodies);
    for (int32_t i = 0; i < w->bodies; i++) {
        w->at[order[i]] = w->n;
        w->n += w->size[order[i]];
    }
    free(order);
}

/* Along a spiral, with noise: no two at one place. */
static void place_bodies(world *w, const world_plan *p)
{
    w->q = zeros((size_t)w->n, sizeof *w->q);
    w->v = zeros((size_t)w->n, sizeof *w->v);
    w->t = 0.37;
    for (int32_t i = 0; i < w->bodies; i++) {
        double *q = w->q + w->at[i], angle = 0.9 * (double)(i / p->turn);
        double radius = 3.0 + 0.2 * (double)(i / p->turn) + (double)(i % p->turn);
        for (int32_t k = 0; k < w->size[i]; k++) q[k] = world_between(&w->random, -1.0, 1.0);
        q[0] += radius * cos(angle);
        if (w->size[i] > 1) q[1] += radius * sin(angle);
        for (int32_t k = 0; k < w->size[i]; k++)
            w->v[w->at[i] + k] = world_between(&w->random, -1.0, 1.0);
    }
}

/* --------------------------------------------------------------------- tables */

static int32_t new_value(world *w, double x)
{
    if (w->values == w->value_room) {
        w->value_room = 2 * w->value_room + 64;
        w->value = realloc(w->value, sizeof *w->value * (size_t)w->value_room);
        if (!w->value) abort();
    }
    w->value[w->values] = x;
    return w->values++;
}

/* Which values are one for all: gravity always, masses and the like where `one`. */
typedef struct sharing {
    bool shared, one;
    int32_t gravity;
    int32_t first[WORLD_THINGS]; /* -1: not yet */
} sharing;

static void values_of(world *w, sharing *h, const world_item *x, int32_t *index)
{
    double number[world_most_values];
    bool length = (world_thing)x->thing == WORLD_ROD || (world_thing)x->thing == WORLD_TIMED ||
                  (world_thing)x->thing == WORLD_ANCHOR || (world_thing)x->thing == WORLD_PIN;
    int32_t count = world_value_count((world_thing)x->thing);
    world_numbers(w, (world_thing)x->thing, x->body, h->shared, number);
    bool known = h->one && !length && h->first[(world_thing)x->thing] >= 0;
    for (int32_t k = 0; k < count; k++)
        index[k] = known ? h->first[(world_thing)x->thing] + k : new_value(w, number[k]);
    if (!known) h->first[(world_thing)x->thing] = index[0];
    if ((world_thing)x->thing == WORLD_BODY || (world_thing)x->thing == WORLD_COUPLED)
        index[1] = h->gravity;
}

static void add_instance(world *w, sharing *h, const world_item *x)
{
    int32_t size[3] = {w->size[x->body[0]], 0, 0};
    bool two = (world_thing)x->thing != WORLD_BODY && (world_thing)x->thing != WORLD_COUPLED &&
               (world_thing)x->thing != WORLD_ANCHOR && (world_thing)x->thing != WORLD_KNIFE;
    if (two) size[1] = w->size[x->body[1]];
    if ((world_thing)x->thing == WORLD_GEAR) size[2] = w->size[x->body[2]];
    world_family *f = world_find_family(w, (world_thing)x->thing, size);
    int32_t stride = f->slots + f->values;
    if (f->instances == f->capacity) {
        f->capacity = 2 * f->capacity + 8;
        f->table = realloc(f->table, sizeof *f->table * (size_t)(f->capacity * stride + 1));
        f->first_row = realloc(f->first_row, sizeof *f->first_row * (size_t)f->capacity);
        if (!f->table || !f->first_row) abort();
    }
    int32_t *row = f->table + f->instances * stride, slot = 0;
    for (int32_t k = 0; k < 3; k++)
        for (int32_t i = 0; i < size[k]; i++) row[slot++] = w->at[x->body[k]] + i;
    values_of(w, h, x, row + slot);
    f->first_row[f->instances++] = w->m;
    w->m += f->rows;
}

static bool chance(world *w, double probability)
{
    return world_between(&w->random, 0.0, 1.0) < probability;
}

/* Some bodies and some rods as families over the coordinates themselves. */
static void add_whole(world *w, sharing *h, world_item *list, int32_t *listed, world_thing thing)
{
    enum { most = 4 };
    int32_t bodies[2 * most], values[most * world_most_values], count = 0, kept = 0;
    int32_t each = world_is_row(thing) ? 2 : 1, own = world_value_count(thing);
    for (int32_t i = 0; i < *listed; i++) {
        const world_item *x = &list[i];
        if ((world_thing)x->thing == thing && count < most && chance(w, 0.4)) {
            for (int32_t k = 0; k < each; k++) bodies[count * each + k] = x->body[k];
            values_of(w, h, x, values + count++ * own);
        } else {
            list[kept++] = *x;
        }
    }
    *listed = kept;
    if (count == 0) return;
    world_write_whole(w, thing, bodies, values, count, w->m);
    if (world_is_row(thing)) w->m += count;
}

/* ------------------------------------------------------------------- patterns */

static int32_t coordinate(const world_family *f, int32_t instance, int32_t slot)
{
    return f->whole ? slot : f->table[instance * (f->slots + f->values) + slot];
}

/* Entries by a dense table of marks, then numbers: at [rows * columns] -1 or the entry. */
typedef struct marks {
    int32_t rows, columns, *at;
} marks;

static void pair_of(const world_family *f, const world_outputs *o, int32_t instance, int32_t k,
                    int32_t *row, int32_t *column)
{
    int32_t j = coordinate(f, instance, o->column[k]);
    bool dynamics = o->target == ZE_TO_DYNAMICS;
    int32_t i = dynamics ? coordinate(f, instance, o->row[k]) : f->first_row[instance] + o->row[k];
    *row = dynamics && j < i ? j : i;
    *column = dynamics && j < i ? i : j;
}

static void mark(world *w, marks *m, ze_target target)
{
    for (int64_t k = 0; k < (int64_t)m->rows * m->columns; k++) m->at[k] = -1;
    for (int32_t i = 0; i < m->rows && target == ZE_TO_DYNAMICS; i++) m->at[i * m->columns + i] = 0;
    for (int32_t k = 0; k < w->families; k++)
        for (int32_t p = 0; p < w->family[k]->parts; p++) {
            const world_outputs *o = w->family[k]->part[p];
            for (int32_t i = 0; i < w->family[k]->instances && o->target == target; i++)
                for (int32_t j = 0, row, column; j < o->matrix; j++) {
                    pair_of(w->family[k], o, i, j, &row, &column);
                    m->at[row * m->columns + column] = 0;
                }
        }
}

static ze_pattern pattern_of(marks *m, int32_t **start, int32_t **column)
{
    int32_t count = 0;
    for (int64_t k = 0; k < (int64_t)m->rows * m->columns; k++)
        if (m->at[k] == 0) m->at[k] = count++;
    *start = zeros((size_t)m->rows + 1, sizeof **start);
    *column = zeros((size_t)count, sizeof **column);
    for (int32_t i = 0, e = 0; i < m->rows; i++) {
        for (int32_t j = 0; j < m->columns; j++)
            if (m->at[i * m->columns + j] >= 0) (*column)[e++] = j;
        (*start)[i + 1] = e;
    }
    return (ze_pattern){m->rows, m->columns, *start, *column};
}

static int32_t place_of(const world *w, const world_family *f, const world_outputs *o,
                        const marks *m, int32_t instance, int32_t k)
{
    if (o->target == ZE_TO_LEVELS) return o->column[k] * w->m + f->first_row[instance] + o->row[k];
    if (k >= o->matrix && o->target == ZE_TO_DYNAMICS) return coordinate(f, instance, o->row[k]);
    if (k >= o->matrix) return f->first_row[instance] + o->row[k];
    int32_t row, column;
    pair_of(f, o, instance, k, &row, &column);
    int32_t entry = m->at[row * m->columns + column];
    bool twice = o->target == ZE_TO_DYNAMICS && row == column && o->row[k] != o->column[k];
    return twice ? ~entry : entry;
}

static void add_terms(world *w, const world_family *f, const world_outputs *o, const marks *m)
{
    int32_t *place = zeros((size_t)(f->instances * o->count), sizeof *place);
    for (int32_t i = 0; i < f->instances; i++)
        for (int32_t k = 0; k < o->count; k++) place[i * o->count + k] = place_of(w, f, o, m, i, k);
    w->terms[w->system.term_count++] = (ze_terms){.target = o->target,
                                                  .nodes = o->node,
                                                  .outputs = o->count,
                                                  .matrix = o->matrix,
                                                  .instances = f->instances,
                                                  .table = f->whole ? NULL : f->table,
                                                  .stride = f->slots + f->values,
                                                  .value_at = f->slots,
                                                  .place = place};
}

static void make_system(world *w)
{
    marks M = {w->n, w->n, zeros((size_t)w->n * (size_t)w->n, sizeof(int32_t))};
    marks A = {w->m, w->n, zeros((size_t)w->m * (size_t)w->n, sizeof(int32_t))};
    mark(w, &M, ZE_TO_DYNAMICS);
    mark(w, &A, ZE_TO_ROWS);
    w->kinds = zeros((size_t)w->m, sizeof *w->kinds);
    w->system = (ze_system){.pool = &w->pool, .n = w->n, .m = w->m, .values = w->values};
    w->system.M = pattern_of(&M, &w->M_start, &w->M_column);
    w->system.A = pattern_of(&A, &w->A_start, &w->A_column);
    for (int32_t k = 0; k < w->families; k++) {
        const world_family *f = w->family[k];
        for (int32_t i = 0; i < f->instances; i++)
            for (int32_t r = 0; r < f->rows; r++) w->kinds[f->first_row[i] + r] = f->kind;
        for (int32_t p = 0; p < f->parts; p++)
            add_terms(w, f, f->part[p], f->part[p]->target == ZE_TO_DYNAMICS ? &M : &A);
    }
    w->system.kinds = w->kinds;
    w->system.terms = w->terms;
    free(M.at), free(A.at);
}

/* ------------------------------------------------------------------ the whole */

static void shuffle_items(world *w, world_item *list, int32_t count)
{
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = world_below(&w->random, i + 1);
        world_item kept = list[i];
        list[i] = list[k];
        list[k] = kept;
    }
}

static void fill(world *w, const world_plan *p)
{
    int32_t count = p->count;
    world_item *list = zeros((size_t)count, sizeof *list);
    sharing h = {.shared = chance(w, 0.5), .one = chance(w, 0.5)};
    memcpy(list, p->items, sizeof *list * (size_t)count);
    for (int32_t k = 0; k < WORLD_THINGS; k++) h.first[k] = -1;
    h.gravity = new_value(w, 9.81);
    if (p->scrambled) shuffle_items(w, list, count);
    if (p->whole && chance(w, 0.3)) add_whole(w, &h, list, &count, WORLD_BODY);
    if (p->whole && chance(w, 0.3)) add_whole(w, &h, list, &count, WORLD_ROD);
    for (int32_t i = 0; i < count; i++) add_instance(w, &h, &list[i]);
    free(list);
}

world *world_build(zb_memory *memory, const world_plan *plan)
{
    world *w = zeros(1, sizeof *w);
    w->memory = memory;
    w->random = plan->seed;
    w->bodies = plan->bodies;
    if (setjmp(w->escape)) abort();
    zx_pool_init(&w->pool, memory, &w->escape, true);
    number_bodies(w, plan);
    place_bodies(w, plan);
    fill(w, plan);
    make_system(w);
    return w;
}

void world_free(world *w)
{
    if (!w) return;
    for (int32_t k = 0; k < w->system.term_count; k++) free((void *)(uintptr_t)w->terms[k].place);
    for (int32_t k = 0; k < w->families; k++) {
        for (int32_t p = 0; p < w->family[k]->parts; p++) free(w->family[k]->part[p]);
        free(w->family[k]->table), free(w->family[k]->first_row);
        free(w->family[k]);
    }
    zx_pool_free(&w->pool);
    free(w->M_start), free(w->M_column), free(w->A_start), free(w->A_column);
    free(w->kinds), free(w->value), free(w->q), free(w->v);
    free(w);
}
