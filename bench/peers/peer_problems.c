/*
 * peer_problems.c: the problems for peers, with their exact answers.
 *
 *   slide, stop  a box that begins to slide downhill with speed u. a = g (sin s - mu cos s) while it
 *                slides: x = u t + a t^2/2. With a < 0 it stands from t = -u/a on, at x = -u^2/(2 a).
 *   hold         the same box at rest, mu > tan s: x = 0 for ever.
 *   one, two     Newton's cradle: pendulums of length l that touch, so many of them lifted by th0.
 *                These move as one pendulum: sin(th/2) = k cd(w t, k), k = sin(th0/2),
 *                w = sqrt(g/l), th' = -2 k k' w sd(w t, k); where th changes its sign as many at the
 *                other end go on, and the rest hang still.
 *   ball         falls from h: t1 = sqrt(2 h/g), speed g t1. After its n-th bounce its speed is
 *                e^n g t1, for a time of 2 e^n t1 and up to e^(2 n) h; it lies still from
 *                t1 (1 + e)/(1 - e) on.
 */
#include "peer_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* States nearer to an impact than this are not asked for their velocity. */
static const double near_impact = 0.005;

const peer_problem peer_list[PEER_PROBLEMS] = {
    {"slide", PEER_BOX, 2.0, 20, 0.3, PEER_PUSH, 0}, {"stop", PEER_BOX, 2.0, 20, 0.5, PEER_PUSH, 0},
    {"hold", PEER_BOX, 100.0, 100, 0.5, 0.0, 0},     {"one", PEER_CRADLE, 10.0, 200, 0.0, 0.0, 1},
    {"two", PEER_CRADLE, 10.0, 200, 0.0, 0.0, 2},    {"ball", PEER_BALL, 5.0, 500, 0.0, 0.0, 0},
};

/* ------------------------------------------------------------------ exact answers */

/* sn, cn, dn of u for the modulus k, by the arithmetic-geometric mean and Gauss's transformation.
 * Returns K, a quarter of their period. */
static double elliptic(double u, double k, double *sn, double *cn, double *dn)
{
    double a[12] = {1.0}, c[12] = {k}, b = sqrt(1.0 - k * k);
    int n = 0;
    for (; n < 11 && fabs(c[n]) > 1e-17; n++) {
        a[n + 1] = (a[n] + b) / 2.0;
        c[n + 1] = (a[n] - b) / 2.0;
        b = sqrt(a[n] * b);
    }
    double quarter = PEER_PI / 2.0 / a[n];
    double phi = ldexp(a[n] * fmod(u, 4.0 * quarter), n);
    for (; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2.0;
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1.0 - k * k * *sn * *sn);
    return quarter;
}

static void exact_box(const peer_problem *p, double t, peer_state *s)
{
    double a = PEER_GRAVITY * (sin(PEER_SLOPE) - p->mu * cos(PEER_SLOPE));
    double end = a < 0.0 ? -p->speed / a : (double)INFINITY;
    double moving = fmin(t, end);
    s->q[0] = p->speed * moving + a * moving * moving / 2.0;
    s->v[0] = t < end ? p->speed + a * t : 0.0;
}

static double exact_cradle(const peer_problem *p, double t, peer_state *s)
{
    double k = sin(PEER_LIFT / 2.0), w = sqrt(PEER_GRAVITY / PEER_LENGTH), sn, cn, dn;
    double quarter = elliptic(w * t, k, &sn, &cn, &dn);
    double th = -2.0 * asin(k * cn / dn), rate = 2.0 * k * sqrt(1.0 - k * k) * w * sn / dn;
    for (int i = 0; i < PEER_BALLS; i++) {
        bool moves = th < 0.0 ? i < p->lifted : i >= PEER_BALLS - p->lifted;
        s->q[i] = moves ? th : 0.0;
        s->v[i] = moves ? rate : 0.0;
    }
    return fabs(fmod(w * t, 2.0 * quarter) - quarter) / w;
}

static double exact_ball(double t, peer_state *s)
{
    double t1 = sqrt(2.0 * PEER_HEIGHT / PEER_GRAVITY);
    if (t <= t1) {
        s->q[0] = PEER_HEIGHT - PEER_GRAVITY * t * t / 2.0;
        s->v[0] = -PEER_GRAVITY * t;
        return t1 - t;
    }
    double begin = t1, half = PEER_RESTITUTION * t1; /* of the flight that begins there */
    for (; half > 1e-15 && t > begin + 2.0 * half; half *= PEER_RESTITUTION) begin += 2.0 * half;
    if (half <= 1e-15) return (double)INFINITY; /* it lies, as far as times can tell */
    double since = t - begin;
    s->q[0] = PEER_GRAVITY * since * (half - since / 2.0);
    s->v[0] = PEER_GRAVITY * (half - since);
    return fmin(since, 2.0 * half - since);
}

double peer_exact(const peer_problem *p, double t, peer_state *s)
{
    memset(s, 0, sizeof *s);
    if (p->kind == PEER_BALL) return exact_ball(t, s);
    if (p->kind == PEER_CRADLE) return exact_cradle(p, t, s);
    exact_box(p, t, s);
    return (double)INFINITY;
}

/* Of a unit mass each. */
static double energy_of(const peer_problem *p, const peer_state *s)
{
    double sum = 0.0, v = s->v[0], x = s->q[0];
    if (p->kind == PEER_BOX) return v * v / 2.0 - PEER_GRAVITY * sin(PEER_SLOPE) * x;
    if (p->kind == PEER_BALL) return v * v / 2.0 + PEER_GRAVITY * x;
    for (int i = 0; i < PEER_BALLS; i++)
        sum += pow(PEER_LENGTH * s->v[i], 2.0) / 2.0 +
               2.0 * PEER_GRAVITY * PEER_LENGTH * pow(sin(s->q[i] / 2.0), 2.0);
    return sum;
}

/* ---------------------------------------------------------------------- a run */

void peer_watch(peer_record *r, double gap, double rate)
{
    if (r->before < 0.0 && rate > PEER_LEAST_BOUNCE) r->rising = true;
    if (rate < 0.0) r->rising = false;
    if (r->rising && gap > 0.0) {
        r->bounces++;
        r->rising = false;
    }
    r->before = rate;
}

double peer_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Largest errors of a run. */
typedef struct errors {
    double position, velocity;
    double energy; /* at the end */
    double scale;  /* the largest energy of the exact motion */
} errors;

static void compare(const peer_problem *p, const peer_record *r, errors *worst)
{
    double arm = p->kind == PEER_CRADLE ? PEER_LENGTH : 1.0;
    memset(worst, 0, sizeof *worst);
    for (int i = 0; i <= p->samples; i++) {
        peer_state exact;
        bool apart = peer_exact(p, p->until * i / p->samples, &exact) > near_impact;
        double E = energy_of(p, &exact);
        worst->scale = fmax(worst->scale, fabs(E));
        worst->energy = fabs(energy_of(p, &r->at[i]) - E);
        for (int j = 0; j < PEER_BALLS; j++) {
            double v = fabs(r->at[i].v[j] - exact.v[j]);
            worst->position = fmax(worst->position, arm * fabs(r->at[i].q[j] - exact.q[j]));
            if (apart) worst->velocity = fmax(worst->velocity, arm * v);
        }
    }
}

static FILE *lines; /* NULL: standard output */

static FILE *out(void)
{
    return lines ? lines : stdout;
}

void peer_hush(void)
{
    lines = fdopen(dup(1), "w");
    if (!lines || !freopen("/dev/null", "w", stdout)) exit(1);
}

/* system, setting, problem, seconds, errors of position (m), velocity (m/s) and energy (relative),
 * way of the first coordinate from start to end (m), bounces, seconds until it was ready. */
static void print_line(const char *system, const char *setting, const peer_problem *p,
                       const peer_record *r, double seconds)
{
    errors worst;
    compare(p, r, &worst);
    fprintf(out(), "%s\t%s\t%s\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%d\t%.6g\n", system, setting, p->name,
            seconds, worst.position, worst.velocity,
            worst.scale > 0.0 ? worst.energy / worst.scale : 0.0,
            r->at[p->samples].q[0] - r->at[0].q[0], r->bounces, r->ready);
    fflush(out());
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void peer_measure(const char *system, const char *setting, const peer_problem *p, peer_run once,
                  void *user)
{
    peer_record *r = malloc(sizeof *r);
    double taken[15], sum = 0.0;
    int count = 0;
    if (!r) exit(1);
    while (count < 15 && sum < 1.0) {
        memset(r, 0, sizeof *r);
        double seconds = once(user, p, r);
        if (seconds < 0.0) {
            fprintf(out(), "%s\t%s\t%s\t%s\n", system, setting, p->name,
                    seconds == PEER_LEFT_OUT ? "left out" : "fails");
            fflush(out());
            free(r);
            return;
        }
        sum += taken[count++] = seconds;
    }
    qsort(taken, (size_t)count, sizeof taken[0], by_size);
    print_line(system, setting, p, r, taken[count / 2]);
    free(r);
}
