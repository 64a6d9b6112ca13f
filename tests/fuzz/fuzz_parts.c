/*
 * Fuzzes elimination by parts: any bytes as a system of bodies and what joins them, with repeated
 * pieces, and as the way in which it is cut. Whatever they say, planning must not crash, leak or
 * take for ever, and an answer must be the one of a dense elimination in long double; rows that
 * depend on each other must be seen where they are not expected.
 *
 *     rule, size, manner, seed, then things:  body | body and rod | rod | to the ground | force |
 *                                             row of velocities or accelerations | pin | repeat
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "partition.h"
#include "parts_oracle.h"
#include "world_families.h"

enum { MOST_BODIES = 36, MOST_COORDINATES = 64, MOST_ROWS = 64, MOST_ITEMS = 200 };

static const double eps = 2.220446049250313e-16;
/* Pivots: the least that says anything, with which whatever can be solved must be; and the one that
 * runs use, with which no dependent rows may pass. Between the two rounding decides. */
static const double least = 1e-12, least_in_runs = 1e-6;
static const double kept_condition = 1e7, most_off = 100.0;

static void require(int condition)
{
    if (!condition) abort();
}

/* -------------------------------------------------------------------- reading */

typedef struct reader {
    const uint8_t *data;
    size_t left;
    int32_t bodies, coordinates, rows, count;
    int32_t size[MOST_BODIES];
    world_item items[MOST_ITEMS];
} reader;

static int32_t next(reader *r)
{
    if (r->left == 0) return 0;
    r->left--;
    return *r->data++;
}

static void take(reader *r, world_thing thing, int32_t a, int32_t b, int32_t c)
{
    int32_t rows = world_row_count(thing);
    if (r->count == MOST_ITEMS || r->rows + rows > MOST_ROWS) return;
    r->items[r->count++] = (world_item){.thing = (int32_t)thing, .body = {a, b, c}};
    r->rows += rows;
}

static bool add_body(reader *r, int32_t size, bool coupled)
{
    if (r->bodies == MOST_BODIES || r->coordinates + size > MOST_COORDINATES) return false;
    r->size[r->bodies] = size;
    r->coordinates += size;
    take(r, coupled ? WORLD_COUPLED : WORLD_BODY, r->bodies, 0, 0);
    r->bodies++;
    return true;
}

/* The body so many before the last one; the first where there is none. */
static int32_t back(const reader *r, int32_t k)
{
    return k < r->bodies ? r->bodies - 1 - k : 0;
}

static void pair(reader *r, world_thing thing, int32_t which)
{
    int32_t a = back(r, which & 7), b = back(r, which >> 3 & 7);
    if (a != b) take(r, thing, a, b, back(r, which >> 6));
}

/* The last bodies once more, with all that holds them, and so on. */
static void repeat(reader *r, int32_t how)
{
    int32_t cell = 1 + (how & 3), times = 1 + (how >> 2) % 16;
    for (int32_t k = 0; k < times && cell <= r->bodies; k++) {
        int32_t from = r->bodies - cell, things = r->count;
        for (int32_t i = 0; i < cell; i++)
            if (!add_body(r, r->size[from + i], false)) return;
        for (int32_t i = 0; i < things; i++) {
            world_item x = r->items[i];
            bool two = x.thing != WORLD_ANCHOR && x.thing != WORLD_KNIFE;
            bool ours = x.body[0] >= from || (two && x.body[1] >= from);
            if (!ours || x.thing <= (int32_t)WORLD_COUPLED) continue;
            take(r, (world_thing)x.thing, x.body[0] + cell, two ? x.body[1] + cell : 0,
                 x.thing == WORLD_GEAR ? x.body[2] + cell : 0);
        }
    }
}

static void read_thing(reader *r)
{
    static const int32_t sizes[4] = {2, 1, 3, 6};
    static const world_thing forces[4] = {WORLD_SPRING, WORLD_DRAG, WORLD_COMMON, WORLD_SPRING};
    int32_t what = next(r), more = what >> 3;
    switch (r->bodies == 0 ? 0 : what & 7) {
    case 0:
        add_body(r, sizes[more & 3], more & 4);
        break;
    case 1:
        if (add_body(r, sizes[more & 3], more & 4) && r->bodies > 1)
            take(r, WORLD_ROD, r->bodies - 1, back(r, 1 + (more >> 3)), 0);
        break;
    case 2:
        pair(r, more & 1 ? WORLD_TIMED : WORLD_ROD, next(r));
        break;
    case 3:
        take(r, WORLD_ANCHOR, back(r, more), 0, 0);
        break;
    case 4:
        pair(r, forces[more & 3], next(r));
        break;
    case 5:
        if (more & 4)
            pair(r, more & 8 ? WORLD_GEAR : WORLD_DRIVE, next(r));
        else
            take(r, WORLD_KNIFE, back(r, more & 3), 0, 0);
        break;
    case 6:
        pair(r, WORLD_PIN, next(r));
        break;
    default:
        repeat(r, next(r));
    }
}

/* ------------------------------------------------------------------- comparing */

typedef struct wanted {
    wide_answer facts;
    long double *z;
    double shaken; /* what rounding of the state makes of z */
} wanted;

static wanted answer_at(world *w, const double *q, const double *v)
{
    oracle *o = oracle_create(w, w->t, q, v, w->value);
    long double *room = calloc((size_t)(2 * w->n + w->m) + 1, sizeof *room);
    require(room != NULL);
    wanted a = {.z = room};
    a.facts = wide_solve(o->g, NULL, o->g->Q, o->g->b, room, room + 2 * w->n, room + w->n);
    oracle_free(o);
    return a;
}

/* Terms of the equations are rounded, too, and where they cancel that is more than the condition of
 * the rows says: so much as a unit in the last place of the state does it. */
static wanted answer(world *w)
{
    wanted a = answer_at(w, w->q, w->v);
    double *state = malloc(sizeof *state * 2 * (size_t)(w->n + 1));
    require(state != NULL);
    double *q = state, *v = state + w->n + 1;
    for (int32_t k = 0; k < w->n; k++) {
        double by = k % 2 == 0 ? eps : -eps;
        q[k] = w->q[k] * (1.0 + by);
        v[k] = w->v[k] * (1.0 - by);
    }
    wanted b = answer_at(w, q, v);
    for (int32_t k = 0; k < w->n; k++) a.shaken = fmax(a.shaken, (double)fabsl(a.z[k] - b.z[k]));
    free(b.z);
    free(state);
    return a;
}

static double *aligned(int32_t count)
{
    double *x = aligned_alloc(64, ((size_t)count * sizeof *x + 127) / 64 * 64);
    require(x != NULL);
    for (int32_t k = 0; k < count; k++) x[k] = (double)NAN;
    return x;
}

static void compare(const world *w, const wanted *a, const double *z)
{
    double worst = 0.0, scale = a->facts.scale;
    for (int32_t k = 0; k < w->n; k++) {
        double d = (double)fabsl((long double)z[k] - a->z[k]);
        scale = fmax(scale, (double)fabsl(a->z[k]));
        if (!(d <= worst)) worst = d;
    }
    require(worst <= most_off * (eps * a->facts.condition * scale + a->shaken));
}

/* found, passed: an answer with the one limit of pivots, and with the other. */
static void judge(const world *w, const wanted *a, bool dependent, bool found, bool passed,
                  const double *z)
{
    bool sure = a->facts.condition <= kept_condition, full = a->facts.rank == w->m;
    if (sure && full && !dependent) require(found);
    if (!full && !dependent) require(!passed);
    if (!full && sure && a->facts.contradiction > 1e-6) require(!passed);
    bool expected = full || dependent;
    if (found && expected && sure && a->facts.contradiction < 1e-13) compare(w, a, z);
}

static void use(world *w, ze_parts_plan *plan, const wanted *a, const ze_choice *choice)
{
    int32_t size = ze_size(plan);
    double *q = aligned(size), *v = aligned(size), *z = aligned(size), *x = aligned(w->n);
    ze_state state = {.t = w->t, .q = q, .v = v};
    ze_violation off;
    ze_set_values(plan, w->value);
    ze_pack(plan, w->q, q);
    ze_pack(plan, w->v, v);
    ze_unpack(plan, q, x);
    require(memcmp(x, w->q, sizeof *x * (size_t)w->n) == 0);
    bool passed = ze_accelerate(plan, &state, &(ze_task){.least = least_in_runs}, z);
    bool found = ze_accelerate(plan, &state, &(ze_task){.least = least}, z);
    ze_unpack(plan, z, x);
    judge(w, a, choice->dependent, found, passed, x);
    for (int order = 0; order < 2; order++) {
        ze_measure_violation(plan, &state, order, &off);
        require(off.size >= 0.0 && off.units >= 0.0);
        if (ze_correct(plan, &state, order, least, z))
            for (int32_t k = 0; k < size; k++) require(isfinite(z[k]));
    }
    free(q), free(v), free(z), free(x);
}

void fuzz_target(const uint8_t *data, size_t size)
{
    reader r = {.data = data, .left = size};
    ze_choice choice = {.rule = next(&r) % (ZE_RULE_COUNT + 1), .size = next(&r) % 41};
    int32_t manner = next(&r);
    choice.width = manner & 1 ? 4 : 8;
    choice.store = 1 + (manner >> 1 & 1);
    choice.dependent = manner & 4;
    world_plan request = {.seed = (uint64_t)next(&r), .turn = 3, .size = r.size, .items = r.items};
    request.scrambled = manner & 8;
    request.whole = manner & 16;
    while (r.left > 0 && r.count < MOST_ITEMS) read_thing(&r);
    request.bodies = r.bodies;
    request.count = r.count;
    if (r.bodies == 0) return;
    zb_memory memory;
    ze_parts_plan *plan = NULL;
    zb_memory_init(&memory, NULL);
    world *w = world_build(&memory, &request);
    require(ze_plan(&memory, &w->system, &choice, &plan) == ZW_OK);
    if (plan) {
        wanted a = answer(w);
        if (manner & 32) ze_make_native(plan, NULL);
        use(w, plan, &a, &choice);
        free(a.z);
    }
    ze_free(plan);
    world_free(w);
    require(memory.held == 0);
}
