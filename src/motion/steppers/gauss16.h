/*
 * What the driver of gauss16 (gauss16.c) shares with its dense output (gauss_dense.c): the rows of
 * its stepper and the evaluation of stages.
 */
#ifndef ZI_GAUSS16_H
#define ZI_GAUSS16_H

#include "gauss_sweep.h"
#include "pair.h"

/* Rows of k, behind those of a pair: of bridges. Those of stages hold 8 numbers for each component,
 * Legendre coefficients 16. */
enum {
    zi_at_stages = (zi_most_pair_rows + 7) / 8 * 8, /* Z of the step behind, or of the attempt */
    zi_at_before = zi_at_stages + 8,                /* Z of the step before */
    zi_at_arguments = zi_at_stages + 16,            /* in groups */
    zi_at_stage_rates = zi_at_stages + 24,
    zi_at_between = zi_at_stages + 32,  /* rates at the further places of dense output */
    zi_at_better = zi_at_stages + 40,   /* and at the places of stages, where it leads */
    zi_at_legendre = zi_at_stages + 48, /* coefficients of the rates over the step behind */
    zi_at_end = zi_at_stages + 64,      /* y_new */
    zi_at_brought,                      /* its projection */
    zi_at_carry,                        /* what the sums of y have left */
    zi_at_carry_new,
    zi_at_shares, /* 1 over sizes, of components that count */
    zi_at_first,  /* f(t, y), where it was asked for */
    zi_at_ahead,
    zi_at_numbers /* and as many more as they take */
};

/* Numbers of a stepper of gauss16: part of what is saved. */
typedef struct zi_gauss_numbers {
    double known;           /* 1: Z of the step behind is there, its length: */
    double h;               /* (of the step behind) */
    double ratio;           /* of steps, that `ahead` is of; 0: of none */
    double goal;            /* of tails */
    double bridged;         /* 1: the step behind is one of dop853 */
    double left, wait;      /* steps of dop853 to make before the next sweep; of the last bridge */
    double ahead[8 * 8];    /* [j][i] extrapolates Z to the stages of the next step */
    double legendre[8 * 8]; /* [k][j] coefficients of the polynomial through 8 stages */
    double ending[8 * 8];   /* zi_sweep.ending */
} zi_gauss_numbers;

static inline zi_gauss_numbers *zi_gauss_numbers_of(const zi_stepper *s)
{
    return (zi_gauss_numbers *)(void *)zi_row(s, zi_at_numbers);
}

/* Legendre polynomials P_0 .. P_(count - 1) of 2 x - 1; 18 at most. */
void zi_legendre(double x, int32_t count, double *p);

/* The sweep over an attempt of length h. */
zi_sweep zi_gauss_sweep(const zi_stepper *s, double h);
const zi_sweep_functions *zi_find_sweep_functions(void);

/* Rates of all 8 stages at times t [8]; x->rates becomes where they are. first: of a step; numbers
 * that rates depend on may have changed before it. */
zw_status zi_stage_rates(zi_stepper *s, bool first, const double *t, zi_sweep *x);

zw_status zi_gauss_dense(zi_stepper *s, double t, double *y);

/* Bridges: gauss_bridge.c. Memory and sizes; from here on steps of dop853, `fewest` at least; one of
 * these; a step of gauss16 was good; inside a step of dop853. */
const zi_method *zi_bridge_method(void);
zw_status zi_open_bridge(zi_stepper *s);
void zi_begin_bridge(zi_stepper *s, double fewest);
zw_status zi_bridge_step(zi_stepper *s);
void zi_praise_sweeps(zi_stepper *s);
zw_status zi_bridge_dense(zi_stepper *s, double t, double *y);

#endif
