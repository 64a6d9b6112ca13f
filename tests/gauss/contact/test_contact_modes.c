/*
 * test_contact_modes.c: choices that events force, margins of what sticks with shares, friction of joints, islands,
 * contacts that are there twice, hundreds of contacts, memory, and how long a solve takes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "contact_bench.h"
#include "contact_island.h"
#include "mode_search.h"

static const zg_search usual = {.tolerance = {1e-8, 1e-10, 1e-6}, .count = true};

/* ---------------------------------------------------------------------- two feet */

/* A body of mass 2, J = 0.3, on feet at -1 and 1, 0.5 below its centre, pushed by F: rows of both heights,
 * then of both slips. */
static void make_feet(problem *p, double F, double rear, double front)
{
    double M[3] = {2.0, 2.0, 0.3}, z[3] = {F / 2.0, -9.81, 0.0};
    double R[12] = {0, 1, -1, 0, 1, 1, 1, 0, 0.5, 1, 0, 0.5};
    problem_begin(p, 4);
    problem_rows(p, 3, M, R, z, NULL);
    problem_contact(p, 0, 0.0);
    problem_contact(p, 1, 0.0);
    problem_friction(p, 2, 1, rear, 0);
    problem_friction(p, 3, 1, front, 1);
}

/* N of both feet while nothing moves. */
static void feet_normals(double F, double *rear, double *front)
{
    *rear = (2.0 * 9.81 - 0.5 * F) / 2.0;
    *front = (2.0 * 9.81 + 0.5 * F) / 2.0;
}

static void feet_margin(void **state)
{
    static const double mu[3][2] = {{0.8, 0.1}, {0.1, 0.8}, {0.5, 0.5}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        for (double F = 0.0; F < 12.0; F += 0.37) {
            problem p;
            answers a;
            double N[2], margin[2], best[4];
            feet_normals(F, &N[0], &N[1]);
            double s = 0.5 * (mu[k][0] * N[0] + mu[k][1] * N[1] - F);
            /* the weaker foot is at its limit already when the other has all the rest */
            double least = fmin(mu[k][0] * N[0], mu[k][1] * N[1]);
            make_feet(&p, F, mu[k][0], mu[k][1]);
            answers_begin(&a);
            zg_outcome outcome = zg_find_mode(space, &p.instant, &usual, &a.found);
            assert_int_equal(outcome, ZG_FOUND);
            bool sticks = a.friction[0] == ZG_STICK && a.friction[1] == ZG_STICK;
            assert_int_equal(sticks, s >= 0.0);
            if (!sticks) continue;
            assert_true(zg_stick_margins(space, &p.instant, &a.found.mode, &usual.tolerance, a.x,
                                         margin, best));
            near(fmin(margin[0], margin[1]), fmin(s, least), 1e-12 * 20);
            near(best[2] + best[3], -F, 1e-12 * 20);
            near(best[0], N[0], 1e-12 * 20);
        }
    }
}

/* Where both let go at once the old mode still serves to rounding: each event forces its own foot, and
 * the second keeps the choice of the first. */
static void feet_let_go(void **state)
{
    problem p;
    answers a, b;
    double mu[2] = {0.8, 0.1}, F = 0.0, N[2];
    (void)state;
    for (int i = 0; i < 100; i++) {
        feet_normals(F, &N[0], &N[1]);
        F = mu[0] * N[0] + mu[1] * N[1];
    }
    make_feet(&p, F, mu[0], mu[1]);
    answers_begin(&a);
    assert_int_equal(zg_find_mode(space, &p.instant, &usual, &a.found), ZG_FOUND);
    assert_true(a.friction[0] == ZG_STICK && a.friction[1] == ZG_STICK);

    zg_choice choice = {.contact = -1, .friction = 0, .state = ZG_SLIDE, .direction = {1.0}};
    zg_search search = usual;
    search.last = &a.found.mode;
    search.forced = &choice;
    search.forced_count = 1;
    answers_begin(&b);
    assert_int_equal(zg_find_mode(space, &p.instant, &search, &b.found), ZG_FOUND);
    assert_true(b.found.forced && b.friction[0] == ZG_SLIDE && b.direction[0] == 1.0);
    near(b.u[2], 0.0, 1e-12);

    search.last = &b.found.mode;
    choice.friction = 1;
    answers_begin(&a);
    assert_int_equal(zg_find_mode(space, &p.instant, &search, &a.found), ZG_FOUND);
    assert_true(a.found.forced && a.friction[0] == ZG_SLIDE && a.friction[1] == ZG_SLIDE);
    assert_true(a.direction[0] == 1.0 && a.direction[3] == 1.0);

    /* what is not possible is not forced: a foot that carries load does not open */
    choice = (zg_choice){.contact = 1, .friction = -1, .state = ZG_OPEN};
    answers_begin(&a);
    assert_int_equal(zg_find_mode(space, &p.instant, &search, &a.found), ZG_FOUND);
    assert_false(a.found.forced);
    assert_int_equal(a.contact[1], ZG_TOUCHING);
}

/* Static friction larger than dynamic: it sticks while it can, unless it was forced to slide. */
static void feet_static(void **state)
{
    problem p;
    answers a;
    (void)state;
    make_feet(&p, 6.0, 0.2, 0.2);
    p.friction[0].mu_static = p.friction[1].mu_static = 0.5;
    answers_begin(&a);
    assert_int_equal(zg_find_mode(space, &p.instant, &usual, &a.found), ZG_FOUND);
    assert_true(a.friction[0] == ZG_STICK && a.friction[1] == ZG_STICK);
    zg_choice both[2] = {{.contact = -1, .friction = 0, .state = ZG_SLIDE, .direction = {1.0}},
                         {.contact = -1, .friction = 1, .state = ZG_SLIDE, .direction = {1.0}}};
    zg_search search = usual;
    search.forced = both;
    search.forced_count = 2;
    answers_begin(&a);
    assert_int_equal(zg_find_mode(space, &p.instant, &search, &a.found), ZG_FOUND);
    assert_true(a.found.forced);
    near(a.x[2] + a.x[3], -0.2 * 2.0 * 9.81, 1e-12);
    assert_true(a.u[2] > 0.5);

    /* a slip that comes to rest sticks, though sliding on is admissible, too: it is clearly inside */
    answers b;
    search = usual;
    search.last = &a.found.mode;
    answers_begin(&b);
    assert_int_equal(zg_find_mode(space, &p.instant, &search, &b.found), ZG_FOUND);
    assert_true(b.friction[0] == ZG_STICK && b.friction[1] == ZG_STICK);
}

/* --------------------------------------------------------------------- margins in space */

enum { FEET = 4, FREE = 6 };

/* R y for a null vector y of R^T: what of v [rows] is orthogonal to the columns of R [rows*FREE]. */
static void null_part(int32_t rows, const double *R, double *v)
{
    double Q[FREE][3 * FEET];
    int32_t rank = 0;
    for (int32_t j = 0; j < FREE; j++) {
        double size = 0.0, left = 0.0;
        for (int32_t i = 0; i < rows; i++)
            Q[rank][i] = R[i * FREE + j], size += Q[rank][i] * Q[rank][i];
        for (int32_t k = 0; k < 2 * rank; k++) {
            double part = 0.0;
            for (int32_t i = 0; i < rows; i++) part += Q[rank][i] * Q[k % rank][i];
            for (int32_t i = 0; i < rows; i++) Q[rank][i] -= part * Q[k % rank][i];
        }
        for (int32_t i = 0; i < rows; i++) left += Q[rank][i] * Q[rank][i];
        if (left < 1e-16 * size) continue;
        for (int32_t i = 0; i < rows; i++) Q[rank][i] /= sqrt(left);
        rank++;
    }
    for (int32_t k = 0; k < 2 * rank; k++) {
        double part = 0.0;
        for (int32_t i = 0; i < rows; i++) part += v[i] * Q[k % rank][i];
        for (int32_t i = 0; i < rows; i++) v[i] -= part * Q[k % rank][i];
    }
}

/* In the scale of each friction (contact.h). */
static double least_margin(const problem *p, const double *x)
{
    double least = HUGE_VAL;
    for (int32_t n = 0; n < p->instant.frictions; n++) {
        const zg_friction *f = &p->friction[n];
        double N = x[p->contact[f->contact].normal];
        double g = fmax(p->G[f->first * (p->instant.rows + 1)],
                        p->G[(f->first + 1) * (p->instant.rows + 1)]);
        least = fmin(least, sqrt(g) * (f->mu * N - hypot(x[f->first], x[f->first + 1])));
        if (N < 0.0) return -HUGE_VAL;
    }
    return least;
}

static double norm2(int32_t rows, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < rows; i++) sum += x[i] * x[i];
    return sum;
}

/* A plate on three or four feet, pulled and turned. */
static void make_plate(problem *p, double *R)
{
    static const double corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    double M[FREE] = {1, 1, 1, 0.3, 0.2, 0.25}, z[FREE] = {0, 0, -10, 0, 0, 0};
    int32_t feet = random_integer(&seed, 3, FEET);
    for (int32_t i = 0; i < feet; i++) {
        double x = corner[i][0] + 0.3 * any(), y = corner[i][1] + 0.3 * any(), h = 0.2 * any();
        /* coordinates x, y, z, and turns about the axes */
        double normal[FREE] = {0, 0, 1, y, -x, 0}, t1[FREE] = {1, 0, 0, 0, h, -y};
        double t2[FREE] = {0, 1, 0, -h, 0, x};
        memcpy(R + 3 * i * FREE, normal, sizeof normal);
        memcpy(R + (3 * i + 1) * FREE, t1, sizeof t1);
        memcpy(R + (3 * i + 2) * FREE, t2, sizeof t2);
    }
    for (int32_t j = 0; j < FREE; j++) z[j] += j == 2 ? 0.0 : 2.0 * any();
    problem_begin(p, 3 * feet);
    problem_rows(p, FREE, M, R, z, NULL);
    for (int32_t i = 0; i < feet; i++) {
        problem_contact(p, 3 * i, 0.0);
        problem_friction(p, 3 * i + 1, 2, random_real(&seed, 0.1, 0.8), i);
    }
}

typedef struct plate_tally {
    int stuck, edge; /* all feet stick; the share is at the edge of a cone */
    double reached;  /* margin and motion of the best share */
    double better, outside, smaller;
} plate_tally;

/* The margin is reached and the share is in the cones; no other share of the same forces that was tried has a larger margin, or
 * is in the cones and smaller. */
static void try_other_shares(const problem *p, const double *R, const double *best,
                             const double *share, plate_tally *t)
{
    int32_t rows = p->instant.rows;
    double s = least_margin(p, best), own = least_margin(p, share);
    t->outside = fmin(t->outside, own);
    t->edge += own < 1e-6;
    for (int trial = 0; trial < 2000; trial++) {
        double y[3 * FEET], z[3 * FEET], size = pow(10.0, -7.0 * random_real(&seed, 0.0, 1.0));
        for (int32_t i = 0; i < rows; i++) y[i] = any();
        null_part(rows, R, y);
        for (int32_t i = 0; i < rows; i++) {
            z[i] = share[i] + size * y[i];
            y[i] = best[i] + size * y[i];
        }
        t->better = fmax(t->better, least_margin(p, y) - s);
        if (least_margin(p, z) >= 0.0)
            t->smaller = fmax(t->smaller, norm2(rows, share) - norm2(rows, z));
    }
}

static void plates(void **state)
{
    plate_tally t = {0};
    (void)state;
    for (int round = 0; round < 300; round++) {
        problem p;
        answers a;
        double R[3 * FEET * FREE] = {0}, margin[FEET], best[3 * FEET], share[3 * FEET];
        seed = 900 + (uint64_t)round;
        make_plate(&p, R);
        int32_t feet = p.instant.contacts, rows = p.instant.rows;
        answers_begin(&a);
        if (zg_find_mode(space, &p.instant, &usual, &a.found) != ZG_FOUND) continue;
        bool sticks = true;
        for (int32_t i = 0; i < feet; i++) sticks &= a.friction[i] == ZG_STICK;
        if (!sticks) continue;
        t.stuck++;
        assert_true(zg_stick_margins(space, &p.instant, &a.found.mode, &usual.tolerance, a.x,
                                     margin, best));
        double given = HUGE_VAL;
        for (int32_t i = 0; i < feet; i++) {
            double g = fmax(p.G[(3 * i + 1) * (rows + 1)], p.G[(3 * i + 2) * (rows + 1)]);
            given = fmin(given, sqrt(g) * margin[i]);
        }
        t.reached = fmax(t.reached, fabs(least_margin(&p, best) - given));
        assert_true(given >= -1e-7);
        for (int32_t i = 0; i < rows; i++) {
            double sum = 0.0;
            for (int32_t j = 0; j < rows; j++) sum += p.G[i * rows + j] * (best[j] - a.x[j]);
            t.reached = fmax(t.reached, fabs(sum));
        }
        assert_true(
            zg_shares(space, &p.instant, &a.found.mode, &usual.tolerance, a.x, share, NULL));
        try_other_shares(&p, R, best, share, &t);
    }
    printf("plates: %d stick, margins to %.1e, none better than by %.1e; shares (%d at an edge) in "
           "the "
           "cones to %.1e, none smaller than by %.1e\n",
           t.stuck, t.reached, t.better, t.edge, -t.outside, t.smaller);
    assert_true(t.stuck > 100 && t.edge > 20);
    assert_true(t.reached < 1e-11 && t.better < 1e-10);
    assert_true(t.outside > -1e-9 && t.smaller < 1e-8);
}

/* ------------------------------------------------------------------------------ joints */

static double two_and_one(void *user, const double *lambda, double *gradient)
{
    ++*(int *)user;
    gradient[0] = lambda[0] < 0.0 ? -2.0 : 2.0;
    gradient[1] = lambda[1] < 0.0 ? -1.0 : 1.0;
    return 2.0 * fabs(lambda[0]) + fabs(lambda[1]);
}

/* One tangent pressed by one multiplier, two, or a function of two. */
static void make_joint(problem *p, int32_t joints, double mu, double slip)
{
    problem_begin(p, 1);
    p->G[0] = random_real(&seed, 0.5, 2.0);
    p->w[0] = any();
    p->instant.joints = joints;
    for (int32_t i = 0; i < joints; i++) {
        p->lambda0[i] = any();
        p->L[i] = any();
    }
    problem_friction(p, 0, 1, mu, -1);
    p->friction[0].joints = joints;
    p->friction[0].slip[0] = slip;
}

/* rho of |l + h rho| = rho for one multiplier: how many, the first of them. */
static int roots_of_one(double l, double h, double *rho)
{
    int count = 0;
    for (int s = -1; s <= 1; s += 2) {
        double root = s * l / (1.0 - s * h);
        if (!(root >= 0.0) || !(s * (l + h * root) >= -1e-14)) continue;
        if (count == 0 || fabs(root - *rho) > 1e-12) rho[count++] = root;
    }
    return count;
}

static void joints_of_one(void **state)
{
    int counts[3] = {0};
    double worst = 0.0;
    (void)state;
    seed = 21;
    for (int round = 0; round < 3000; round++) {
        problem p;
        answers a;
        double mu = random_real(&seed, 0.0, 3.0), slip = round % 2 ? 1.0 : -1.0, rho[2] = {0, 0};
        make_joint(&p, 1, mu, slip);
        int count = roots_of_one(p.lambda0[0], -mu * slip * p.L[0], rho);
        counts[count]++;
        answers_begin(&a);
        zg_outcome outcome = zg_find_mode(space, &p.instant, &usual, &a.found);
        assert_int_equal(outcome, count == 0 ? ZG_NO_MODE : count == 1 ? ZG_FOUND : ZG_SEVERAL);
        if (count != 1) continue;
        near(a.found.feedback, mu * fabs(p.L[0]), 1e-13 * (1.0 + mu));
        worst = fmax(worst, fabs(a.x[0] + mu * slip * rho[0]) / (1.0 + fabs(a.x[0])));
        worst = fmax(worst, fabs(fabs(a.lambda[0]) - rho[0]) / (1.0 + rho[0]));
    }
    printf("joints of one multiplier: %d none, %d one, %d two; %.1e\n", counts[0], counts[1],
           counts[2], worst);
    assert_true(counts[0] > 100 && counts[1] > 100 && counts[2] > 100);
    assert_true(worst < 1e-12);
}

static void joints_of_two(void **state)
{
    double worst = 0.0;
    int calls = 0;
    (void)state;
    seed = 22;
    for (int round = 0; round < 3000; round++) {
        problem p;
        answers a;
        double mu = random_real(&seed, 0.0, 0.45), slip = round % 2 ? 1.0 : -1.0, rho = 0.0;
        if (round % 3 == 0) mu *= 0.6;
        make_joint(&p, 2, mu, slip);
        if (round % 3 == 0) p.friction[0].pressure = two_and_one, p.friction[0].user = &calls;
        answers_begin(&a);
        assert_int_equal(zg_find_mode(space, &p.instant, &usual, &a.found), ZG_FOUND);
        double h[2] = {-mu * slip * p.L[0], -mu * slip * p.L[1]}, *l = p.lambda0;
        if (round % 3) {
            double A = 1.0 - h[0] * h[0] - h[1] * h[1], B = l[0] * h[0] + l[1] * h[1];
            rho = (B + sqrt(B * B + A * (l[0] * l[0] + l[1] * l[1]))) / A;
        } else {
            if (a.found.feedback > 0.9) continue;
            for (int i = 0; i < 3000; i++)
                rho = 2.0 * fabs(l[0] + h[0] * rho) + fabs(l[1] + h[1] * rho);
        }
        worst = fmax(worst, fabs(a.x[0] + mu * slip * rho) / (1.0 + rho));
    }
    printf("joints of two multipliers: %.1e\n", worst);
    assert_true(worst < 1e-13 && calls > 0);
}

/* At rest: sticks while |tau| <= mu rho of the multipliers with tau. */
static void joint_at_rest(void **state)
{
    int sticks = 0, slides = 0;
    (void)state;
    seed = 23;
    for (int round = 0; round < 2000; round++) {
        problem p;
        answers a;
        double mu = random_real(&seed, 0.0, 0.9);
        make_joint(&p, 1, mu, 0.0);
        p.friction[0].mu_static = mu;
        answers_begin(&a);
        assert_int_equal(zg_find_mode(space, &p.instant, &usual, &a.found), ZG_FOUND);
        double tau = -p.w[0] / p.G[0], rho = fabs(p.lambda0[0] + p.L[0] * tau);
        bool can = fabs(tau) <= mu * rho;
        if (fabs(fabs(tau) - mu * rho) < 1e-6) continue;
        assert_int_equal(a.friction[0], can ? ZG_STICK : ZG_SLIDE);
        sticks += can;
        slides += !can;
        near(a.lambda[0], p.lambda0[0] + p.L[0] * a.x[0], 1e-13);
        if (can)
            near(a.x[0], tau, 1e-13);
        else {
            near(a.x[0], -mu * a.direction[0] * fabs(a.lambda[0]), 1e-12);
            assert_true(a.u[0] * a.direction[0] > 0.0);
        }
    }
    assert_true(sticks > 200 && slides > 200);
}

/* An impact presses on a joint whose friction takes part: a plastic blow of speed 1. */
static void joint_in_impact(void **state)
{
    problem p;
    answers a;
    double approach[1] = {1e-12};
    (void)state;
    problem_begin(&p, 2);
    double G[4] = {2.0, 0.0, 0.0, 1.0};
    memcpy(p.G, G, sizeof G);
    p.w[0] = -1.0;
    p.w[1] = 0.8;
    problem_contact(&p, 0, 0.0);
    problem_friction(&p, 1, 1, 0.5, -1);
    p.friction[0].joints = p.instant.joints = 1;
    p.L[0] = 1.0; /* the joint takes what the contact gives */
    p.lambda0[0] = 99.0;
    zg_impact_task task = {.approach = approach, .energy = 1.0, .tolerance = usual.tolerance};
    answers_begin(&a);
    assert_int_equal(zg_contact_impact(space, &p.instant, &task, &a.impact), ZG_FOUND);
    near(a.x[0], 0.5, 1e-15);
    near(a.x[1], -0.25, 1e-15);
    near(a.u[1], 0.55, 1e-15);
    near(a.lambda[0], 0.5, 1e-15);
}

/* --------------------------------------------------------------------- same, said otherwise */

/* Two instants side by side are solved as each alone; forces of the mode that was found are those found. */
static void side_by_side(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        problem p[2], both;
        answers a[2], b, again;
        seed = 300 + (uint64_t)round;
        problem_begin(&both, 8);
        for (int k = 0; k < 2; k++) {
            double R[4 * 6], M[6], z[6];
            for (int i = 0; i < 24; i++) R[i] = any();
            for (int i = 0; i < 6; i++) M[i] = pow(2.0, any()), z[i] = any();
            problem_begin(&p[k], 4);
            problem_rows(&p[k], 6, M, R, z, NULL);
            for (int i = 0; i < 2; i++) {
                double mu = random_real(&seed, 0.0, 0.8),
                       slip = random_integer(&seed, 0, 1) ? any() : 0.0;
                problem_contact(&p[k], i, 0.0);
                problem_friction(&p[k], 2 + i, 1, mu, i);
                p[k].friction[i].slip[0] = slip;
                /* rows of both are mixed: even ones of the first, odd ones of the second */
                problem_contact(&both, 2 * i + k, 0.0);
                problem_friction(&both, 4 + 2 * i + k, 1, mu, 2 * k + i);
                both.friction[2 * k + i].slip[0] = slip;
            }
            for (int i = 0; i < 4; i++) {
                both.w[2 * i + k] = p[k].w[i];
                for (int j = 0; j < 4; j++) both.G[(2 * i + k) * 8 + 2 * j + k] = p[k].G[4 * i + j];
            }
            answers_begin(&a[k]);
            zg_find_mode(space, &p[k].instant, &usual, &a[k].found);
        }
        answers_begin(&b);
        zg_outcome outcome = zg_find_mode(space, &both.instant, &usual, &b.found);
        if (outcome != ZG_FOUND) continue;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 4; i++) {
                assert_true(b.x[2 * i + k] == a[k].x[i]);
                assert_true(b.u[2 * i + k] == a[k].u[i]);
            }
        answers_begin(&again);
        assert_true(
            zg_mode_forces(space, &both.instant, &b.found.mode, &usual.tolerance, &again.forces));
        for (int i = 0; i < 8; i++) near(again.x[i], b.x[i], 1e-12 * (1.0 + fabs(b.x[i])));
    }
}

/* A contact that is there twice changes nothing but shares. */
static void twice(void **state)
{
    (void)state;
    for (int round = 0; round < 500; round++) {
        problem p, q;
        answers a, b;
        double R[6 * 5], M[5], z[5], share[6];
        bool unique[6];
        seed = 700 + (uint64_t)round;
        for (int i = 0; i < 20; i++) R[i] = any();
        memcpy(R + 20, R, 5 * sizeof *R);
        memcpy(R + 25, R + 10, 5 * sizeof *R);
        for (int i = 0; i < 5; i++) M[i] = pow(2.0, any()), z[i] = any();
        double mu = random_real(&seed, 0.0, 0.5), slip = round % 2 ? any() : 0.0;
        problem_begin(&p, 4);
        problem_rows(&p, 5, M, R, z, NULL);
        problem_begin(&q, 6);
        problem_rows(&q, 5, M, R, z, NULL);
        for (int i = 0; i < 3; i++) {
            int row = i == 2 ? 4 : i;
            if (i < 2) problem_contact(&p, row, 0.0);
            problem_contact(&q, row, 0.0);
            int tangent = i == 2 ? 5 : 2 + i;
            if (i < 2) problem_friction(&p, tangent, 1, mu, i);
            problem_friction(&q, tangent, 1, mu, i);
            p.friction[0].slip[0] = q.friction[0].slip[0] = q.friction[2].slip[0] = slip;
        }
        answers_begin(&a);
        answers_begin(&b);
        zg_outcome one = zg_find_mode(space, &p.instant, &usual, &a.found);
        zg_outcome two = zg_find_mode(space, &q.instant, &usual, &b.found);
        assert_int_equal(one, two);
        if (one != ZG_FOUND) continue;
        for (int i = 0; i < 4; i++) near(b.u[i], a.u[i], 1e-10);
        near(b.x[0] + b.x[4], a.x[0], 1e-9 * (1.0 + fabs(a.x[0])));
        assert_true(
            zg_shares(space, &q.instant, &b.found.mode, &usual.tolerance, b.x, share, unique));
        near(share[0], share[4], 1e-9 * (1.0 + fabs(a.x[0])));
        assert_true(unique[1]);
    }
}

/* ------------------------------------------------------------------------------- many */

/* A pile of k blocks, one on the other, pulled up at some height or not at all; a second pile beside it leans
 * on nothing. G is tridiagonal: gaps between neighbours. */
static void stack(int32_t k, double pull, int32_t at)
{
    zg_contact_limits limits = {k, k, 0, 0, NULL};
    zg_contact_space *large = NULL;
    assert_int_equal(zg_contact_space_plan(&memory, &limits, &large), ZW_OK);
    double *G = calloc((size_t)k * (size_t)k, sizeof *G), *w = calloc((size_t)k, sizeof *w);
    double *x = calloc(2 * (size_t)k, sizeof *x), *u = x + k;
    zg_contact *contact = calloc((size_t)k, sizeof *contact);
    uint8_t *state = calloc((size_t)k, 1);
    for (int32_t i = 0; i < k; i++) {
        contact[i].normal = i;
        G[(size_t)i * (size_t)(k + 1)] = i == 0 ? 1.0 : 2.0;
        if (i > 0)
            G[(size_t)i * (size_t)k + (size_t)i - 1] = G[(size_t)(i - 1) * (size_t)k + (size_t)i] =
                -1.0;
    }
    w[0] = -10.0; /* u_i = z_i - z_(i - 1), z = -10 but for the pulled one */
    w[at] += pull;
    if (at + 1 < k) w[at + 1] -= pull;
    zg_instant instant = {.rows = k, .contacts = k, .G = G, .w = w, .contact = contact};
    zg_found found = {.mode = {.contact = state}, .x = x, .u = u};
    double before = zb_clock();
    assert_int_equal(zg_find_mode(large, &instant, &usual, &found), ZG_FOUND);
    double took = 1e3 * (zb_clock() - before);
    printf("stack of %d, pulled at %d: %d solves, %.1f ms\n", k, at, found.solves, took);
    for (int32_t i = 0; i < k; i++) {
        double N = 10.0 * (k - i) - (i <= at ? pull : 0.0);
        if (pull == 0.0) near(x[i], N, 1e-9 * k);
        assert_true(x[i] >= -1e-6 && u[i] >= -1e-6 && fabs(x[i] * u[i]) < 1e-4);
    }
    if (pull == 0.0) assert_int_equal(found.solves, 1);
    free(G), free(w), free(x), free(contact), free(state);
    zg_contact_space_free(large);
}

static void stacks(void **state)
{
    (void)state;
    stack(300, 0.0, 0);
    stack(300, 1234.0, 100);
    stack(300, 50000.0, 200);
}

/* Hundreds of random contacts, more than there are coordinates. */
static void crowd(int32_t k, int32_t n)
{
    zg_contact_limits limits = {k, k, 0, 0, NULL};
    zg_contact_space *large = NULL;
    assert_int_equal(zg_contact_space_plan(&memory, &limits, &large), ZW_OK);
    double *R = calloc((size_t)k * (size_t)n, sizeof *R),
           *G = calloc((size_t)k * (size_t)k, sizeof *G);
    double *w = calloc((size_t)k, sizeof *w), *x = calloc(2 * (size_t)k, sizeof *x), *u = x + k;
    zg_contact *contact = calloc((size_t)k, sizeof *contact);
    uint8_t *state = calloc((size_t)k, 1);
    seed = (uint64_t)k;
    for (int32_t i = 0; i < k * n; i++) R[i] = any() + 0.2;
    for (int32_t i = 0; i < k; i++) {
        contact[i].normal = i;
        for (int32_t c = 0; c < n; c++) w[i] -= R[i * n + c];
        for (int32_t j = 0; j < k; j++)
            for (int32_t c = 0; c < n; c++)
                G[(size_t)i * (size_t)k + (size_t)j] += R[i * n + c] * R[j * n + c];
    }
    zg_instant instant = {.rows = k, .contacts = k, .G = G, .w = w, .contact = contact};
    zg_found found = {.mode = {.contact = state}, .x = x, .u = u};
    double before = zb_clock();
    assert_int_equal(zg_find_mode(large, &instant, &usual, &found), ZG_FOUND);
    double took = 1e3 * (zb_clock() - before);
    printf("crowd of %d in %d coordinates: %d solves, %.1f ms, certificate %.1e %.1e %.1e\n", k, n,
           found.solves, took, found.certificate.primal, found.certificate.dual,
           found.certificate.complementarity);
    assert_true(found.certificate.primal < 1e-8 && found.certificate.dual < 1e-8);
    assert_true(found.certificate.complementarity < 1e-8);
    free(R), free(G), free(w), free(x), free(contact), free(state);
    zg_contact_space_free(large);
}

static void crowds(void **state)
{
    (void)state;
    crowd(200, 300);
    crowd(300, 100);
    crowd(400, 20);
}

/* More contacts with friction than all modes can be tried of. */
static void rough_crowd(void **state)
{
    int found = 0, undecided = 0, none = 0, certified = 0;
    double worst = 0.0;
    (void)state;
    for (int round = 0; round < 400; round++) {
        problem p;
        answers a;
        double R[32 * 40], M[40], z[40];
        seed = 4000 + (uint64_t)round;
        int32_t k = random_integer(&seed, 7, 16), n = round % 2 ? 40 : random_integer(&seed, 6, 40);
        for (int32_t i = 0; i < 2 * k * n; i++) R[i] = any();
        for (int32_t i = 0; i < n; i++) M[i] = pow(2.0, any()), z[i] = any();
        problem_begin(&p, 2 * k);
        problem_rows(&p, n, M, R, z, NULL);
        for (int32_t i = 0; i < k; i++) {
            problem_contact(&p, i, 0.0);
            problem_friction(&p, k + i, 1, random_real(&seed, 0.0, round % 4 ? 0.5 : 1.0), i);
            if (round % 3 == 0 && random_integer(&seed, 0, 1)) p.friction[i].slip[0] = any();
        }
        answers_begin(&a);
        zg_outcome outcome = zg_find_mode(space, &p.instant, &usual, &a.found);
        undecided += outcome == ZG_UNDECIDED;
        none += outcome == ZG_NO_MODE;
        if (outcome != ZG_FOUND) continue;
        found++;
        certified += a.found.certified;
        worst = fmax(worst, law_violation(&p, &a.found.mode, a.x, a.u, 1.0));
    }
    printf("rough crowd: %d found (%d certified), %d undecided; laws %.1e\n", found, certified,
           undecided, worst);
    assert_true(found > 380 && none == 0);
    assert_true(worst < 1e-7);
}

/* Lemke's path alone, on what is at rest: it always ends at a mode. */
static void lemke_alone(void **state)
{
    int found = 0;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        problem p;
        double R[12 * 8], M[8], z[8];
        seed = 6000 + (uint64_t)round;
        int32_t k = random_integer(&seed, 1, 6), n = 8;
        for (int32_t i = 0; i < 2 * k * n; i++) R[i] = any();
        for (int32_t i = 0; i < n; i++) M[i] = pow(2.0, any()), z[i] = any();
        problem_begin(&p, 2 * k);
        problem_rows(&p, n, M, R, z, NULL);
        for (int32_t i = 0; i < k; i++) {
            problem_contact(&p, i, 0.0);
            problem_friction(&p, k + i, 1, random_real(&seed, 0.0, 1.5), i);
        }
        zg_gather_island(space, &p.instant, -1, &usual.tolerance);
        zg_hunt h = zg_begin_hunt(space);
        found += zg_follow_lemke(&h) && zg_try(&h);
    }
    printf("lemke: %d of 2000\n", found);
    assert_true(found >= 1990);
}

/* ------------------------------------------------------------------------ memory, time */

static void *refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user, (void)old_size;
    if (new_size > 0) return NULL;
    free(block);
    return NULL;
}

static void no_memory(void **state)
{
    zb_memory none;
    zw_allocator allocator = {.resize = refuse};
    zg_contact_limits limits = {4, 2, 2, 1, NULL};
    zg_contact_space *g = NULL;
    (void)state;
    zb_memory_init(&none, &allocator);
    assert_int_equal(zg_contact_space_plan(&none, &limits, &g), ZW_ERR_MEMORY);
    assert_true(none.held == 0);
    zg_contact_space_free(NULL);
}

/* Everything that a space can do, into `a`; forces of shares and margins in more [4*MOST_ROWS]. */
static void do_all(zg_contact_space *g, const problem *p, answers *a, answers *hit, double *more)
{
    double approach[MOST_CONTACTS] = {0};
    zg_impact_task task = {.approach = approach, .energy = 1.0, .tolerance = {1e-11, 1e-10, 1e-6}};
    answers_begin(a);
    answers_begin(hit);
    if (zg_find_mode(g, &p->instant, &usual, &a->found) == ZG_FOUND) {
        bool unique[MOST_ROWS];
        zg_stick_margins(g, &p->instant, &a->found.mode, &usual.tolerance, a->x, more,
                         more + MOST_ROWS);
        zg_shares(g, &p->instant, &a->found.mode, &usual.tolerance, a->x, more + 2 * MOST_ROWS,
                  unique);
    }
    zg_contact_impact(g, &p->instant, &task, &hit->impact);
}

/* A space of just the size gives the same bits as a larger one that was used before. */
static void tight(void **state)
{
    (void)state;
    for (int round = 0; round < 600; round++) {
        static problem p;
        static answers a, b, c, d;
        double R[18 * 8], M[8], z[8], more[8 * MOST_ROWS] = {0};
        seed = 8000 + (uint64_t)round;
        int32_t k = random_integer(&seed, 1, 3), width = random_integer(&seed, 0, 2),
                n = random_integer(&seed, 2, 8);
        int32_t joint = round % 3 == 0, rows = k * (1 + width) + joint;
        for (int32_t i = 0; i < rows * n; i++) R[i] = random_integer(&seed, -2, 2);
        for (int32_t i = 0; i < n; i++) M[i] = 1.0, z[i] = any();
        problem_begin(&p, rows);
        problem_rows(&p, n, M, R, z, NULL);
        for (int32_t i = 0; i < k; i++) {
            problem_contact(&p, i * (1 + width), 0.5);
            if (width > 0) problem_friction(&p, i * (1 + width) + 1, width, 0.4, i);
            if (width > 0) p.friction[i].tangential = round % 2 ? 0.5 : 0.0;
        }
        if (joint) {
            int32_t f = problem_friction(&p, rows - 1, 1, 0.3, -1);
            p.friction[f].joints = p.instant.joints = 2;
            p.lambda0[0] = 1.0;
            for (int32_t i = 0; i < 2 * rows; i++) p.L[i] = 0.2 * any();
        }
        zg_contact_limits limits = {rows, k, p.instant.frictions, p.instant.joints, NULL};
        zg_contact_space *own = NULL;
        assert_int_equal(zg_contact_space_plan(&memory, &limits, &own), ZW_OK);
        do_all(own, &p, &a, &b, more);
        do_all(space, &p, &c, &d, more + 4 * MOST_ROWS);
        zg_contact_space_free(own);
        assert_memory_equal(a.x, c.x, sizeof a.x);
        assert_memory_equal(a.u, c.u, sizeof a.u);
        assert_memory_equal(b.x, d.x, sizeof b.x);
        assert_memory_equal(more, more + 4 * MOST_ROWS, 4 * MOST_ROWS * sizeof *more);
    }
}

static void times(void **state)
{
    (void)state;
    for (int32_t k = 1; k <= 8; k *= 2) {
        problem p;
        answers a;
        double R[16 * 20], M[20], z[20];
        seed = (uint64_t)k;
        for (int32_t i = 0; i < 2 * k * 20; i++) R[i] = any();
        for (int32_t i = 0; i < 20; i++) M[i] = 1.0, z[i] = any();
        problem_begin(&p, 2 * k);
        problem_rows(&p, 20, M, R, z, NULL);
        answers_begin(&a);
        for (int32_t i = 0; i < k; i++) {
            problem_contact(&p, i, 0.0);
            problem_friction(&p, k + i, 1, 0.2, i);
            a.contact[i] = ZG_TOUCHING;
            a.friction[i] = i % 2 ? ZG_STICK : ZG_SLIDE;
            a.direction[3 * i] = 1.0;
        }
        size_t held = memory.held;
        double before = zb_clock();
        enum { runs = 20000 };
        for (int i = 0; i < runs; i++)
            assert_true(
                zg_mode_forces(space, &p.instant, &a.found.mode, &usual.tolerance, &a.forces));
        double took = (zb_clock() - before) / runs;
        assert_true(memory.held == held);
        printf("forces of %d contacts, every second sticks: %.2f us\n", k, 1e6 * took);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_margin),   cmocka_unit_test(feet_let_go),
        cmocka_unit_test(feet_static),   cmocka_unit_test(plates),
        cmocka_unit_test(joints_of_one), cmocka_unit_test(joints_of_two),
        cmocka_unit_test(joint_at_rest), cmocka_unit_test(joint_in_impact),
        cmocka_unit_test(side_by_side),  cmocka_unit_test(twice),
        cmocka_unit_test(stacks),        cmocka_unit_test(crowds),
        cmocka_unit_test(rough_crowd),   cmocka_unit_test(lemke_alone),
        cmocka_unit_test(no_memory),     cmocka_unit_test(tight),
        cmocka_unit_test(times),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
