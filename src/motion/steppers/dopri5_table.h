/*
 * The coefficients of Dormand and Prince 5(4), for one member (attempt_dopri5.c, dopri5.c) and for
 * many side by side (crowd_dopri5.c), which alone include this.
 *
 * Dormand and Prince, J. Comp. Appl. Math. 6 (1980) 19; dense output after Shampine, in Hairer,
 * Norsett and Wanner, Solving Ordinary Differential Equations I, II.6.
 */
#ifndef ZI_DOPRI5_TABLE_H
#define ZI_DOPRI5_TABLE_H

#include "stepping.h"

enum {
    last = 6,      /* f at the end */
    own_rows = 11, /* stages, then r1 to r4 */
    parts = 7,
    part_count = 4
};

/* Stages 1 to 5, and the step itself, which is also stage 6. */
static const zi_terms stages[] = {
    {0.2, 1, {0}, {0.2}},
    {0.3, 2, {0, 1}, {3.0 / 40.0, 9.0 / 40.0}},
    {0.8, 3, {0, 1, 2}, {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0}},
    {8.0 / 9.0,
     4,
     {0, 1, 2, 3},
     {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0}},
    {1.0,
     5,
     {0, 1, 2, 3, 4},
     {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}},
    {1.0,
     5,
     {0, 2, 3, 4, 5},
     {35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}},
};

/* Order 5 less order 4. */
static const zi_terms estimate = {0.0,
                                  6,
                                  {0, 2, 3, 4, 5, 6},
                                  {71.0 / 57600.0, -71.0 / 16695.0, 71.0 / 1920.0,
                                   -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0}};

static const zi_terms polynomial = {0.0,
                                    6,
                                    {0, 2, 3, 4, 5, 6},
                                    {-12715105075.0 / 11282082432.0, 87487479700.0 / 32700410799.0,
                                     -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0,
                                     -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0}};

#endif
