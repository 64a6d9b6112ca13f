/*
 * What a system is made of, before it is cut: terms that all have tables, families of terms over
 * the same instances, bodies, and the graph of bodies that rows join. Private to this folder.
 */
#ifndef ZE_SURVEY_H
#define ZE_SURVEY_H

#include "graph.h"
#include "parts.h"

/* A *destination*: the row or coordinate that some output of a family's terms is added to, a
 * different one in each instance. It is read from the table of places of the terms. */
typedef struct ze_destination {
    const int32_t *place; /* of the output in instance 0; below 0: ~place */
    int32_t step;         /* from there to the next instance */
    const int32_t *map;   /* from a place in a pattern to its row or column, or NULL */
    int32_t modulo;       /* of levels: m, as their places are row, m + row, ...; else 0 */
} ze_destination;

/* The row or coordinate that a destination is, for an instance of the family. */
static inline int32_t ze_destination_of(const ze_destination *r, int32_t instance)
{
    int32_t at = r->place[(size_t)instance * (size_t)r->step];
    if (at < 0) at = ~at;
    if (r->map) return r->map[at];
    return r->modulo > 0 ? at % r->modulo : at;
}

/* A *family*: terms over one table of instances. An *element* is one instance of a family, with all
 * outputs of its terms: a rod with its entries of A, b and levels, a mass with those of M and Q. */
typedef struct ze_family {
    const int32_t *table; /* [instances * stride] */
    int32_t instances, stride, value_at;
    int32_t first;  /* element of instance 0 */
    int32_t *terms; /* [term_count] which of the system's */
    int32_t term_count;
    int32_t *slots; /* [slot_count] coordinate slots that some term reads */
    int32_t slot_count;
    int32_t *values; /* [value_count] value slots likewise */
    int32_t value_count;
    /* Destinations, different ones: outputs that lead to the same number in all instances are one.
     */
    ze_destination *rows; /* [row_count] */
    int32_t row_count;
    ze_destination *dynamics; /* [dynamics_count] coordinates of M and Q */
    int32_t dynamics_count;
    ze_destination *unread; /* [unread_count] coordinates of M, Q and A that no slot reads */
    int32_t unread_count;
} ze_family;

/* Lists by vertex: list[start[v] .. start[v + 1]). */
typedef struct ze_lists {
    int32_t *start, *list;
} ze_lists;

typedef struct ze_survey {
    zb_memory *memory;
    zb_arena arena; /* everything below, the pool apart */
    zx_pool pool;   /* of the terms */
    bool pool_open;
    jmp_buf escape; /* of both */
    const ze_system *given;
    ze_system system;    /* the same with tables everywhere, over `pool` */
    ze_family *families; /* [family_count] */
    int32_t family_count;
    int32_t element_count;
    int32_t *family_of; /* [element_count] */

    int32_t *M_row, *A_row; /* [entries] the row of each entry */
    ze_lists at_coordinate; /* elements with a share in M or Q at a coordinate */
    ze_lists at_row;        /* elements with a share in A, b or a level of a row */

    int32_t bodies;
    int32_t *body;        /* [n] */
    ze_lists coordinates; /* of a body */
    ze_lists rows;        /* that touch a body */
    ze_lists bodies_of;   /* that a row touches */
    ze_graph graph;       /* of bodies */
    int32_t kept;         /* terms that were given with a table; they come first */
    double *numbers;      /* [number_count] values of our own: value ~k in tables */
    int32_t number_count;
    bool serves; /* false: a row without coordinates, or the like */
} ze_survey;

/* The system with tables everywhere (normalize.c): outputs of terms without one become terms of
 * their own, those of equal expressions as instances of one. Jumps when memory runs out. */
void ze_normalize(ze_survey *survey);

/* Where the outputs of a family lead (destinations.c). Jumps when memory runs out. */
void ze_find_destinations(ze_survey *survey, ze_family *family);

zw_status ze_survey_make(zb_memory *memory, const ze_system *system, ze_survey *survey);
void ze_survey_clear(ze_survey *survey);

/* The place where a local number of an element's slot stands. */
static inline const int32_t *ze_binding(const ze_family *f, int32_t element)
{
    return f->table + (size_t)(element - f->first) * (size_t)f->stride;
}

#endif
