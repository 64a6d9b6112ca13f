/*
 * Choosing a cut. Every rule with some sizes is a candidate; what it would cost
 * is predicted from the parts it makes:
 *
 *     parts alike at first sight (as many bodies, rows inside, rows outside)
 * are taken for one shape; one of them is described, and its operations are
 * counted without making a program; groups of lanes times operations, plus what
 * the rows between will cost
 *
 * The cheapest is taken, if it is below the limit. A first sight may err: the
 * shapes are found when the cut is made.
 */
#include <string.h>

#include "blocks.h"

/* Nanoseconds, of 4 and 8 lanes. */
static const double per_operation[2] = {0.55, 0.8};
static const double per_row_between = 25.0, per_pair_between = 3.0, per_group = 40.0;

typedef struct chooser {
    const ze_survey *s;
    const ze_choice *choice;
    int32_t width;
    int32_t *part;         /* [bodies] of the candidate */
    int32_t *start, *list; /* [bodies + 2], [bodies] bodies of each part */
    ze_sketch *sketch;
} chooser;

static const int32_t sizes[] = {4, 8, 16, 24, 32, 48};
enum { size_count = sizeof sizes / sizeof *sizes };

/* ------------------------------------------------------------------- at first
 * sight */

/* What parts are sorted by. */
typedef struct sight {
    int32_t bodies, inner, outer, count, first;
} sight;

enum { most_sights = 64 };

typedef struct view {
    sight list[most_sights];
    int32_t count;
    int64_t between, pairs;
    bool many; /* too many different ones */
} view;

static void see_part(view *v, const sight *x)
{
    for (int32_t k = 0; k < v->count; k++) {
        sight *s = &v->list[k];
        if (s->bodies != x->bodies || s->inner != x->inner || s->outer != x->outer) continue;
        s->count++;
        return;
    }
    v->many = v->many || v->count == most_sights;
    if (v->many) return;
    v->list[v->count] = *x;
    v->list[v->count++].count = 1;
}

static zw_status see(const chooser *c, int32_t parts, view *v)
{
    const ze_survey *s = c->s;
    zb_arena scratch;
    zb_arena_init(&scratch, s->memory, 0);
    sight *list = ZB_NEW_ARRAY(&scratch, sight, (size_t)parts);
    zw_status status = scratch.failure;
    *v = (view){0};
    for (int32_t b = 0; status == ZW_OK && b < s->bodies; b++) list[c->part[b]].bodies++;
    for (int32_t i = 0; status == ZW_OK && i < s->system.m; i++) {
        const ze_lists *l = &s->bodies_of;
        int32_t first = c->part[l->list[l->start[i]]], others = 0;
        for (int32_t k = l->start[i] + 1; k < l->start[i + 1]; k++)
            others += c->part[l->list[k]] != first;
        if (others == 0) {
            list[first].inner++;
            continue;
        }
        v->between++;
        for (int32_t k = l->start[i]; k < l->start[i + 1]; k++) list[c->part[l->list[k]]].outer++;
    }
    for (int32_t p = 0; status == ZW_OK && p < parts; p++) {
        list[p].first = p;
        if (list[p].bodies == 0) continue;
        v->pairs += (int64_t)list[p].outer * (list[p].outer + 1) / 2;
        see_part(v, &list[p]);
    }
    zb_arena_clear(&scratch);
    return status;
}

/* ----------------------------------------------------------------------------
 * cost */

/* Operations of one part. */
static zw_status count_operations(const chooser *c, int32_t part, int64_t *operations)
{
    const ze_parts *p = NULL;
    ze_shape shape;
    int32_t *values;
    zb_arena scratch;
    ZB_TRY(ze_sketch_part(c->sketch, c->list + c->start[part], c->start[part + 1] - c->start[part],
                          &p));
    zb_arena_init(&scratch, c->s->memory, 0);
    zw_status status = ze_describe_shape(p, 0, &scratch, &shape, &values);
    if (status == ZW_OK) *operations = ze_predict_operations(c->s->memory, &shape);
    zb_arena_clear(&scratch);
    return status;
}

/* The bodies of each part. */
static void list_bodies(chooser *c, int32_t parts)
{
    memset(c->start, 0, sizeof *c->start * ((size_t)parts + 2));
    for (int32_t b = 0; b < c->s->bodies; b++) c->start[c->part[b] + 2]++;
    for (int32_t k = 1; k < parts; k++) c->start[k + 1] += c->start[k];
    for (int32_t b = 0; b < c->s->bodies; b++) c->list[c->start[c->part[b] + 1]++] = b;
}

static zw_status predict(chooser *c, int32_t parts, double *cost)
{
    view v;
    double sum = 0.0, operation = per_operation[c->width == 8];
    *cost = -1.0;
    ZB_TRY(see(c, parts, &v));
    if (v.many) return ZW_OK;
    list_bodies(c, parts);
    ze_sketch_begin(c->sketch);
    for (int32_t k = 0; k < v.count; k++) {
        int64_t operations = 0;
        zw_status status = count_operations(c, v.list[k].first, &operations);
        if (status == ZW_ERR_LARGE || operations > ze_most_operations) return ZW_OK;
        ZB_TRY(status);
        double groups = (double)((v.list[k].count - 1) / c->width + 1);
        sum += groups * (operation * (double)operations + per_group);
    }
    sum += per_row_between * (double)v.between + per_pair_between * (double)v.pairs;
    *cost = 1e-9 * sum;
    return ZW_OK;
}

/* -----------------------------------------------------------------------
 * candidates */

static zw_status try_cut(chooser *c, ze_rule rule, int32_t size, ze_division *best)
{
    int32_t parts = 0;
    double cost = 0.0;
    ZB_TRY(ze_partition(c->s->memory, &c->s->graph, rule, size, c->part, &parts));
    if (parts == 0) return ZW_OK;
    ZB_TRY(predict(c, parts, &cost));
    if (!(cost >= 0.0) || (best->count > 0 && cost >= best->cost)) return ZW_OK;
    if (c->choice->limit > 0.0 && cost > c->choice->limit) return ZW_OK;
    *best =
        (ze_division){.rule = rule, .size = size, .count = parts, .part = best->part, .cost = cost};
    memcpy(best->part, c->part, sizeof *c->part * (size_t)c->s->bodies);
    return ZW_OK;
}

static zw_status try_all(chooser *c, ze_division *cut)
{
    const ze_choice *choice = c->choice;
    for (int rule = 0; rule < ZE_RULE_COUNT; rule++) {
        if (choice->rule > 0 && choice->rule != rule + 1) continue;
        for (int k = 0; k < (int)size_count; k++) {
            if (choice->size > 0 && k > 0) break;
            int32_t size = choice->size > 0 ? choice->size : sizes[k];
            ZB_TRY(try_cut(c, (ze_rule)rule, size, cut));
        }
    }
    return ZW_OK;
}

zw_status ze_choose_cut(const ze_survey *s, const ze_choice *choice, int32_t width, zb_arena *arena,
                        ze_division *cut)
{
    chooser c = {.s = s, .choice = choice, .width = width};
    size_t bodies = (size_t)s->bodies;
    *cut = (ze_division){0};
    c.part = ZB_NEW_ARRAY(arena, int32_t, bodies + 1);
    c.start = ZB_NEW_ARRAY(arena, int32_t, bodies + 2);
    c.list = ZB_NEW_ARRAY(arena, int32_t, bodies + 1);
    cut->part = ZB_NEW_ARRAY(arena, int32_t, bodies + 1);
    if (arena->failure != ZW_OK) return arena->failure;
    ZB_TRY(ze_sketch_open(s, c.part, &c.sketch));
    zw_status status = try_all(&c, cut);
    ze_sketch_close(c.sketch);
    return status;
}
