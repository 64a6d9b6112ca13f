/*
 * The forms of the sparse solver: one interface, three files (form_k.c, form_s.c, form_h.c). A
 * *form* is a matrix that is factored in the place of the equations, and how their solution follows
 * from the factor:
 *
 *     K   [M A^T; A -mu W^-1]     general
 *     S   A M^-1 A^T + mu W^-1    M of small diagonal blocks: chains, mechanisms
 *     H   M + A^T W A / mu        definite, also where M is singular; nets and lattices
 *
 * With mu > 0 each solves
 *
 *     M dz - A^T dl          = r1
 *     A dz + mu W^-1 dl      = r2
 *
 * whose solution exists and is unique also where rows are dependent. mu is called the damping.
 */
#ifndef ZG_SPARSE_FORM_H
#define ZG_SPARSE_FORM_H

#include "linalg.h"
#include "structure.h"

/* What the forms see of a system: patterns and present values. */
typedef struct zg_numbers {
    const zg_structure *is;
    const double *M, *A, *W; /* values of the patterns; W NULL: the identity */
    bool same_mass;
    const bool *off; /* [m] rows that are 0 = 0 and have no part in W either; NULL: none */
} zg_numbers;

/* One form. All memory is taken by plan. */
typedef struct zg_sparse_form {
    const char *name;
    /* *form NULL (and ZW_OK): it cannot serve this structure. *cost: predicted seconds of a factor
     * and a solve. */
    zw_status (*plan)(zb_memory *memory, const zg_numbers *x, void **form, double *cost);
    void (*free)(void *form);
    /* With mu >= 0 (0: where the form is `undamped`). False: there is no factor; *mass: because
     * M is not definite. */
    bool (*factor)(void *form, double mu, za_pivots *pivots, bool *mass);
    /* r1 [n], r2 [m] (NULL: 0), dz [n], dl [m]; these four apart. */
    void (*solve)(void *form, const double *r1, const double *r2, double *dz, double *dl);
    /* The number of eigenvalues of A M^-1 A^T above tau, relative to `scale` [m] in the place of
     * W^-1: from the negative pivots of [M A^T; A tau scale]. -1: no answer. Spoils the factor. */
    int64_t (*above)(void *form, double tau, const double *scale);
    bool undamped; /* mu may be 0; then: */
    /* The largest a_i M^-1 a_i^T, of the last factor: times eps lambda it is what rounding of the
     * forces does to the rows. 0: M is not diagonal, and M^-1 costs digits itself. */
    double (*scale)(const void *form);
} zg_sparse_form;

extern const zg_sparse_form zg_sparse_K, zg_sparse_S, zg_sparse_H;

#endif
