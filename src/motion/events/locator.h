/*
 * What the search for events in a step (locate.c) knows: points, and how gaps go over the samples
 * of the step (gap_courses.c).
 */
#ifndef ZI_LOCATOR_H
#define ZI_LOCATOR_H

#include "motion.h"

enum {
    INTERVALS = 12,    /* of the step, between samples */
    VISITS = 8,        /* points kept between two samples at a time */
    OTHERS = 5,        /* points: left, a, b, c, probe */
    MOST_PROBES = 44,  /* of one minimisation */
    QUICK = 40,        /* probes after which a change is bisected */
    MOST_CHANGES = 400 /* in one step; then signs of gaps do not count any more */
};

typedef struct zi_point {
    double t;
    double *gap;   /* [gaps] */
    double *truth; /* [count] 0 or 1 */
} zi_point;

/* How each gap goes over all samples; what is not a number is left out. */
typedef struct zi_course {
    double *low, *high;  /* [gaps] the least and the largest */
    double *fall, *rise; /* [gaps] the least and the largest way from a sample to the next */
    double *sum;         /* [gaps] finite where all samples are */
    double *range;       /* [gaps] from the least to the largest, 0: it does not matter */
} zi_course;

enum { COURSE_ARRAYS = 6 };

typedef struct zi_locator {
    zi_stepper *s;
    const zi_watch *watch;
    double *y;        /* [size] */
    double *band;     /* [equalities] below it a gap near `from` is rounding */
    double *release;  /* [count] what has fired counts as true until then */
    zi_course of;     /* each gap from sample to sample */
    bool *holds;      /* [count] of the caller: which conditions hold at the last point */
    double from, ulp; /* ulp: of the times in this step, at most */
    int32_t gaps;     /* that have a sign */
    int32_t changes;
    zi_point sample[INTERVALS + 1], visit[VISITS];
    zi_point left; /* all before it has been dealt with */
    zi_point a, b; /* a change lies between; a is like left, b is not */
    zi_point c;    /* the end that was given up last */
    zi_point probe;
    bool b_newest; /* b was found after a */
} zi_locator;

/* -1, 0, 1; 2: it is not a number and has none. */
static inline int zi_sign_of_gap(double gap)
{
    return gap < 0.0 ? -1 : gap > 0.0 ? 1 : gap == 0.0 ? 0 : 2;
}

/* Of all samples, after which the others below may be asked. */
void zi_follow_gaps(const zi_locator *l);

/* Whether gap k may come to 0 and back between samples j - 1 and j, which are on the same side: the
 * minimum lies between samples *from and *from + 2, and it is small compared with its
 * neighbours or with what a parabola leaves of it. */
bool zi_may_visit(const zi_locator *l, int32_t k, int32_t j, int32_t *from);

/* Whether no interval of the step would find anything: all samples are like `left`, and no gap asks
 * for a visit. */
bool zi_is_quiet(const zi_locator *l);

/* Whether the range of some gap matters: else no step is crowded. */
bool zi_is_any_gap_near(const zi_locator *l);

/* The part of the step that can be searched when x and y, one beside the other, tell of more changes
 * than the samples show; smaller than *part, or that stays. */
void zi_compare_slope(const zi_locator *l, const zi_point *x, const zi_point *y, double *part);

/* A step that is crowded is searched in parts no longer than this. */
static const double zi_largest_part = 0.25;

/* A gap that goes to and fro in the samples themselves goes farther between them. */
void zi_mind_reversals(const zi_locator *l, double *part);

#endif
