/*
 * Parts: a cut of the bodies, each part in the canonical order of its shape. Private to this
 * folder.
 */
#ifndef ZE_PART_SHAPES_H
#define ZE_PART_SHAPES_H

#include "shape.h"
#include "shape_set.h"
#include "survey.h"

/* How many coordinates, rows and elements of each sort a part has; its numbers stand in this order,
 * one sort after the other. */
typedef struct ze_part_counts {
    int32_t own, halo, inner, owned, shared, elements; /* owned, shared: the outer rows */
} ze_part_counts;

static inline int32_t ze_part_total(const ze_part_counts *s)
{
    return s->own + s->halo + s->inner + s->owned + s->shared + s->elements;
}

/* All parts of a cut of the bodies, sorted by shape. */
typedef struct ze_parts {
    zb_memory *memory;
    const ze_survey *survey;
    ze_shape_set *shapes;
    int32_t *part;       /* [bodies] */
    int32_t *owner_body; /* [m] the body whose part adds b; NULL: as `part` says */
    int32_t count;       /* parts, empty ones (that were taken apart) included */
    int32_t *shape;      /* [count] -1: none */
    int64_t *at;         /* [count] where its numbers begin */
    ZB_ARRAY(int32_t) numbers;
    int32_t shape_count;
    ZB_ARRAY(ze_part_counts) counts; /* by shape */
    ZB_ARRAY(int32_t) parts_with;    /* by shape: parts that have it */
    ZB_ARRAY(int32_t) first;         /* by shape: its first part */
    zb_arena arena;
} ze_parts;

/* part [bodies] with numbers below `parts` is copied. Parts whose shape occurs less than `least`
 * times, or is none of the ze_most_kept most frequent ones, are taken apart into bodies.
 * ZW_ERR_LARGE: a part is too large to be looked at. */
enum { ze_most_kept = 24 };
zw_status ze_parts_make(const ze_survey *survey, const int32_t *part, int32_t parts, int32_t least,
                        ze_parts *p);
void ze_parts_clear(ze_parts *p);

static inline const int32_t *ze_part_numbers(const ze_parts *p, int32_t part)
{
    return p->numbers.data + p->at[part];
}

/* A shape in local numbers, from its first part, in `arena`. The values of its parts: value v of
 * part k is value_of[k * value_count + v], parts in their order; uniform ones agree. */
zw_status ze_describe_shape(const ze_parts *p, int32_t shape, zb_arena *arena, ze_shape *out,
                            int32_t **value_of);

/* A *sketch* draws single parts of a cut, to be looked at before it is made; part [bodies] is the
 * caller's, who may change it in between (below 0: a body of no part, whose rows are not there). */
typedef struct ze_sketch ze_sketch;
zw_status ze_sketch_open(const ze_survey *survey, int32_t *part, ze_sketch **sketch);
void ze_sketch_close(ze_sketch *sketch);

/* p holds the part (shape 0, part 0) until the next one, in no canonical order. */
zw_status ze_sketch_part(ze_sketch *sketch, const int32_t *body, int32_t count, const ze_parts **p);

/* The shape of a part among those since ze_sketch_begin, -1: too large. */
zw_status ze_sketch_begin(ze_sketch *sketch);
zw_status ze_sketch_shape(ze_sketch *sketch, const int32_t *body, int32_t count, int32_t *shape);

#endif
