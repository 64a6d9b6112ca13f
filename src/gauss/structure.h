/*
 * The sparse matrices of a system: their patterns, which stay for its life, and their values, which
 * change from state to state. Shared by the system and the sparse solver.
 */
#ifndef ZG_STRUCTURE_H
#define ZG_STRUCTURE_H

#include "base.h"

/* Where a matrix has entries: by rows, columns ascending; row i is [start[i], start[i + 1]). Must
 * outlive the system. */
typedef struct zg_pattern {
    int32_t rows, columns;
    const int32_t *start;  /* [rows + 1] */
    const int32_t *column; /* [start[rows]] */
} zg_pattern;

static inline int32_t zg_entry_count(const zg_pattern *p)
{
    return p->rows > 0 ? p->start[p->rows] : 0;
}

struct za_factoring; /* of linalg.h */

/* What is known of a system before its values are. */
typedef struct zg_structure {
    int32_t n, m;
    zg_pattern M;          /* upper triangle, entries with column >= row; any may be absent */
    zg_pattern A;          /* m rows */
    zg_pattern W;          /* both triangles; no rows: the identity */
    zw_solver solver;      /* by parts: as sparse */
    double rank_tolerance; /* as in zw_gauss_shape, */
    double noise;          /* likewise; of the dense solver alone */
    bool switched;         /* rows may be off: zg_values.off */
    /* A factor of definite matrices by equal parts of the system, or NULL: used where it is faster,
     * with an ordinary one for what it cannot do; and what it costs, seconds of a factor and a
     * solve. */
    const struct za_factoring *parts_factoring;
    double (*parts_cost)(const void *factor);
} zg_structure;

/* In the order of the patterns. Not copied: they must stay until the last solve with the factor. */
typedef struct zg_values {
    const double *M, *A, *W; /* W NULL: the identity */
    bool same_mass;          /* M is what it was at the factor before */
    /* [m], NULL: none. Of a system that is `switched`: rows that count as absent, whatever stands
     * in A, b and W for them. */
    const bool *off;
} zg_values;

#endif
