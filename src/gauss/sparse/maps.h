/*
 * What the forms of the sparse solver share; private to this folder. A *map* says for each value
 * that comes in at which place of a pattern it goes: patterns are made once, from entries as they
 * come, and values are copied along the map whenever they change. And factors, chosen by predicted
 * time.
 */
#ifndef ZG_MAPS_H
#define ZG_MAPS_H

#include "linalg.h"
#include "structure.h"

/* -------------------------------------------------------------- patterns and places
 * Entries in any order, some of them at the same place. */
typedef struct zg_entries {
    int32_t count;
    int64_t capacity;
    int32_t *row, *column; /* [capacity] */
} zg_entries;

/* `most` entries; for a symmetric pattern n more, for its diagonal. */
zw_status zg_entries_begin(zb_arena *scratch, int64_t most, zg_entries *e);

static inline void zg_entries_add(zg_entries *e, int32_t row, int32_t column)
{
    e->row[e->count] = row;
    e->column[e->count++] = column;
}

/* The pattern, each place once, in `keep`; all else is taken from `scratch`, another arena, and
 * given back. *place [e->count], in `keep`: which value of the pattern each entry is; place NULL:
 * not wanted. Linear time. */
zw_status zg_merge(zb_arena *keep, zb_arena *scratch, const zg_entries *e, int32_t rows,
                   int32_t columns, zg_pattern *x, int32_t **place);

/* The same for a symmetric matrix. Entries may come from either triangle (but one of each pair
 * only): they are turned into the lower one. The diagonal is added. */
zw_status zg_merge_lower(zb_arena *keep, zb_arena *scratch, zg_entries *e, int32_t n,
                         za_symmetric *x, int32_t **place);

/* The first entry of every row of an upper triangle is the diagonal one? Without it M is not
 * definite, whatever its values. */
static inline bool zg_upper_has_diagonal(const zg_pattern *M)
{
    for (int32_t i = 0; i < M->rows; i++)
        if (M->start[i] == M->start[i + 1] || M->column[M->start[i]] != i) return false;
    return true;
}

/* X by columns, rows ascending; place: which value of X each entry is. */
typedef struct zg_transposed {
    int32_t *start, *row, *place; /* [columns + 1], [entries], [entries] */
} zg_transposed;
zw_status zg_transpose(zb_arena *arena, const zg_pattern *x, zg_transposed *t);

/* ------------------------------------------------------------------- chosen factors */

/* A factor of a symmetric matrix, its order and method chosen by predicted time; and perhaps a
 * second one, by equal parts of the system (zg_structure). */
typedef struct zg_chosen {
    const za_factoring *method;
    void *factor;
    za_prediction prediction;
    double cost; /* seconds of a factor and a solve */
    const za_symmetric *x;
    const za_factoring *parts; /* by equal parts, or NULL */
    void *parts_factor;
    bool by_parts; /* the last factor is the one by parts */
} zg_chosen;

/* The best order and method for x, which must outlive it. `is` NULL: without a factor by parts,
 * because x is not definite or it would not pay. */
zw_status zg_choose_factor(zb_memory *memory, const za_symmetric *x, const zg_structure *is,
                           zg_chosen *c);
void zg_chosen_clear(zg_chosen *c); /* also of zeros */

/* Factors a definite matrix: by parts where that was chosen and finds all pivots above `least` of
 * their diagonal entries, otherwise by the ordinary factor. Then x [n] in place; work [n]. */
void zg_chosen_factor(zg_chosen *c, const double *values, double least, za_pivots *pivots);
void zg_chosen_solve(const zg_chosen *c, double *x, double *work);

/* Factors a matrix of that pattern that may be indefinite, and counts its negative pivots; -1: no
 * answer. Spoils the factor. */
int64_t zg_chosen_negative(zg_chosen *c, const double *values, za_pivots *pivots);

#endif
