/*
 * The policy of every Newton iteration that brings a moving state back onto its constraints, and
 * the driver that follows it. Residuals are measured in units of their own rounding:
 *
 *     at most 1                               met: what is below rounding is not touched
 *     not a quarter of the one before         slow: steps no longer help
 *     slow, but at most 64                    met all the same: a few units of rounding
 *
 * What else counts as met where steps no longer help is the caller's to judge. Crowds make the same
 * tests lane by lane (crowd_step.c).
 */
#ifndef ZR_NEWTON_H
#define ZR_NEWTON_H

#include <float.h>
#include <stdbool.h>

static const double zr_newton_met = 1.0, zr_newton_close = 64.0, zr_newton_contracts = 0.25;

typedef enum zr_newton_verdict {
    ZR_NEWTON_MET,
    ZR_NEWTON_GOES_ON,
    ZR_NEWTON_SLOW
} zr_newton_verdict;

/* What a residual of `off` units says after one of `before`; a NaN is slow. first: there was no
 * step yet, and so nothing that is close by rounding only. */
static inline zr_newton_verdict zr_judge_newton(double off, double before, bool first)
{
    if (off <= zr_newton_met) return ZR_NEWTON_MET;
    bool slow = !(off <= zr_newton_contracts * before);
    if (!slow) return ZR_NEWTON_GOES_ON;
    return !first && off <= zr_newton_close ? ZR_NEWTON_MET : ZR_NEWTON_SLOW;
}

/* An iteration over something that can be looked at and moved. */
typedef struct zr_newton {
    void *user;
    int rounds; /* steps at most */
    /* The residual in units of rounding at round `round`. */
    double (*look)(void *user, int round);
    /* Steps no longer help: what is left is met all the same. */
    bool (*good_enough)(void *user);
    /* One step; false: it cannot be made. */
    bool (*step)(void *user, int round);
} zr_newton;

/* True: met. Inlined where it is used, so that it calls nothing through pointers. */
static inline __attribute__((always_inline)) bool zr_iterate_newton(zr_newton n)
{
    double before = DBL_MAX; /* what is infinite does not contract */
    for (int round = 0; round < n.rounds; round++) {
        double off = n.look(n.user, round);
        zr_newton_verdict verdict = zr_judge_newton(off, before, round == 0);
        if (verdict == ZR_NEWTON_MET) return true;
        if (verdict == ZR_NEWTON_SLOW) return round > 0 && n.good_enough(n.user);
        if (!n.step(n.user, round)) return false;
        before = off;
    }
    return false;
}

#endif
