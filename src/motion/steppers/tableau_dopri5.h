/*
 * Dormand and Prince 5(4): 7 stages of which the last is the first of the next step, order 5, an
 * error estimate of order 4, dense output of order 4 without further stages.
 *
 * Coefficients: Dormand and Prince, J. Comp. Appl. Math. 6 (1980) 19; dense output after Shampine,
 * in Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.6.
 */
#ifndef ZI_TABLEAU_DOPRI5_H
#define ZI_TABLEAU_DOPRI5_H

#include "pair.h"

static const zi_tableau zi_tableau_dopri5 = {
    .order = 5,
    .dense_order = 4,
    .count = 6,
    .fsal = true,
    .stage =
        {
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
        },
    .error = {0.0,
              6,
              {0, 2, 3, 4, 5, 6},
              {71.0 / 57600.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0,
               -1.0 / 40.0}},
    .polynomial_count = 1,
    .polynomial = {{0.0,
                    6,
                    {0, 2, 3, 4, 5, 6},
                    {-12715105075.0 / 11282082432.0, 87487479700.0 / 32700410799.0,
                     -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0,
                     -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0}}},
    .exponent = 0.2 - 0.75 * 0.04,
    .beta = 0.04,
    .shrink = 0.2,
    .grow = 10.0,
    .stiff_bound = 2.9,
};

#endif
