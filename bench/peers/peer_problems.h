/*
 * peer_problems.h: the problems on which Zwang is put beside other programs, and their exact answers;
 * seen by a program for each of them, in C and in C++.
 *
 * The incline is a level plane under gravity that leans by its angle: x runs downhill, z away from
 * the plane. Every problem gives its state at equal times; what is written is the largest error
 * against the formulas of peer_problems.c, and the processor time of the motion.
 */
#ifndef PEER_PROBLEMS_H
#define PEER_PROBLEMS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEER_PI 3.14159265358979323846
#define PEER_GRAVITY 9.81
#define PEER_SLOPE (20.0 * PEER_PI / 180.0) /* its tangent is 0.364 */
#define PEER_BOX_LENGTH 0.2                 /* along x and y */
#define PEER_BOX_HEIGHT 0.1
#define PEER_PUSH 2.0        /* speed of the box at the start */
#define PEER_LENGTH 1.0      /* of a pendulum */
#define PEER_RADIUS 0.05     /* of the balls of the cradle, and of the one that falls */
#define PEER_LIFT 0.3        /* angle */
#define PEER_HEIGHT 1.0      /* of the lowest point of the ball that falls */
#define PEER_RESTITUTION 0.8 /* of it; the cradle's is 1 */
/* What leaves the ground slower does not count as a bounce: the 60th does so with 6.8e-6 m/s, the 61st
 * with 5.4e-6. */
#define PEER_LEAST_BOUNCE 6e-6
enum { PEER_BALLS = 5, PEER_MOST_SAMPLES = 501 };

typedef enum peer_kind { PEER_BOX, PEER_CRADLE, PEER_BALL } peer_kind;

/* One problem: until when, and at how many equal intervals its state is asked for. */
typedef struct peer_problem {
    const char *name;
    peer_kind kind;
    double until;
    int samples;      /* besides the start */
    double mu, speed; /* of the box */
    int lifted;       /* balls of the cradle */
} peer_problem;

enum { PEER_PROBLEMS = 6 };
extern const peer_problem peer_list[PEER_PROBLEMS];

/* A state: of the box its way and rate, of the ball the height of its lowest point and its rate, of
 * the cradle angles (to the side of x) and rates. */
typedef struct peer_state {
    double q[PEER_BALLS], v[PEER_BALLS];
} peer_state;

/* What a run writes down. */
typedef struct peer_record {
    peer_state at[PEER_MOST_SAMPLES];
    int bounces;   /* of the ball: times it has left the ground again */
    bool rising;   /* turned upwards, and may not have left it yet */
    double before; /* the last rate seen */
    double ready;  /* CPU seconds from the text or the first call until the motion can begin */
} peer_record;

/* The exact state; returns the time from t to the nearest impact, infinite where there is none. */
double peer_exact(const peer_problem *p, double t, peer_state *s);

/* After every step of the ball: a bounce is a turn upwards after which there is air below it. */
void peer_watch(peer_record *r, double gap, double rate);

/* CPU time of the process. */
double peer_seconds(void);

/* Simulates p into an empty record; returns the CPU seconds of the motion, or one of these. */
#define PEER_FAILED (-1.0)
#define PEER_LEFT_OUT (-2.0)
typedef double (*peer_run)(void *user, const peer_problem *p, peer_record *r);

/* From now on only the lines of peer_measure go to standard output; what else is written there is
 * thrown away. */
void peer_hush(void);

/* Runs it up to 15 times within a second, at least once, and prints one line with its errors and the
 * median of its times, as compare_peers.js reads it. */
void peer_measure(const char *system, const char *setting, const peer_problem *p, peer_run once,
                  void *user);

#ifdef __cplusplus
}
#endif
#endif
