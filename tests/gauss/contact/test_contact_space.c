/*
 * test_contact_space.c: friction with two or three tangents. Laws recomputed from the raw numbers; turned
 * frames give turned answers; a space that is a plane gives the plane's answer; the secular equation
 * alone; margins of what sticks with shares against a search of their own.
 */
#include <stdio.h>
#include <string.h>

#include "contact_bench.h"

/* ------------------------------------------------------------------------ directions */

static void secular(void **state)
{
    int slid = 0;
    double worst = 0.0;
    (void)state;
    seed = 7;
    for (int round = 0; round < 6000; round++) {
        int32_t w = random_integer(&seed, 1, 3);
        double X[9], G[9], f[3], d[3], a, limit = pow(10.0, 3.0 * any()), size = 0.0;
        for (int i = 0; i < 9; i++) X[i] = any();
        for (int32_t i = 0; i < w; i++) {
            f[i] = any() * limit;
            size += f[i] * f[i];
            for (int32_t j = 0; j < w; j++) {
                G[i * w + j] = i == j && round % 5 ? 0.1 : 0.0;
                for (int32_t k = 0; k < w; k++) G[i * w + j] += X[i * w + k] * X[j * w + k];
            }
        }
        size = sqrt(size);
        if (round % 7 == 0) memset(G, 0, sizeof G), G[0] = 1.0;
        if (!zg_slide_direction(w, G, f, limit, d, &a)) {
            /* it holds: some force inside the cone leaves no acceleration; checked where G is regular */
            if (w == 1) assert_true(fabs(f[0]) <= limit * G[0] * (1.0 + 1e-12));
            continue;
        }
        slid++;
        double off = 0.0, length = 0.0;
        for (int32_t i = 0; i < w; i++) {
            double r = f[i] - a * d[i];
            for (int32_t j = 0; j < w; j++) r -= limit * G[i * w + j] * d[j];
            off = fmax(off, fabs(r));
            length += d[i] * d[i];
        }
        assert_true(a >= 0.0);
        worst = fmax(worst, fmax(off / size, fabs(length - 1.0)));
    }
    printf("secular equation: %d of 6000 slide, worst %.1e\n", slid, worst);
    assert_true(slid > 1000 && slid < 5900);
    assert_true(worst < 1e-13);
}

/* --------------------------------------------------------------------------- instants */

enum { COORDINATES = 12 };

typedef struct raw {
    int32_t contacts, width, n;
    double slow; /* what would slip without friction is so much slower */
    double R[MOST_ROWS * COORDINATES], M[COORDINATES], z[COORDINATES];
} raw;

/* Contacts with `width` tangents each: rows normal, tangents, normal, tangents, ... */
static void random_raw(raw *q, int32_t contacts, int32_t width, int32_t n)
{
    q->contacts = contacts;
    q->width = width;
    q->n = n;
    q->slow = 1.0;
    for (int32_t i = 0; i < n; i++) {
        q->M[i] = pow(4.0, any());
        q->z[i] = any();
    }
    for (int32_t i = 0; i < contacts * (1 + width) * n; i++) q->R[i] = any();
    /* gravity presses contacts together rather than apart */
    for (int32_t i = 0; i < contacts; i++) {
        double u = 0.0;
        double *row = q->R + i * (1 + width) * n;
        for (int32_t j = 0; j < n; j++) u += row[j] * q->z[j];
        for (int32_t j = 0; u > 0.0 && random_integer(&seed, 0, 3) > 0 && j < n; j++)
            row[j] = -row[j];
    }
}

static void make_problem(const raw *q, double mu, double more, problem *p)
{
    int32_t rows = q->contacts * (1 + q->width);
    problem_begin(p, rows);
    problem_rows(p, q->n, q->M, q->R, q->z, NULL);
    for (int32_t i = 0; i < q->contacts; i++) {
        problem_contact(p, i * (1 + q->width), 0.5);
        int32_t f = problem_friction(p, i * (1 + q->width) + 1, q->width, mu, i);
        p->friction[f].mu_static = mu * more;
        for (int32_t j = 0; j < q->width; j++) p->w[p->friction[f].first + j] *= q->slow;
    }
}

/* Turns the tangents of every contact by the same rotation Q [width*width]. */
static void turn(raw *q, const double *Q)
{
    int32_t w = q->width, n = q->n;
    for (int32_t i = 0; i < q->contacts; i++) {
        double *T = q->R + (i * (1 + w) + 1) * n, next[3 * COORDINATES];
        for (int32_t a = 0; a < w; a++) {
            for (int32_t j = 0; j < n; j++) {
                next[a * n + j] = 0.0;
                for (int32_t b = 0; b < w; b++) next[a * n + j] += Q[a * w + b] * T[b * n + j];
            }
        }
        memcpy(T, next, sizeof *T * (size_t)(w * n));
    }
}

static void random_rotation(int32_t w, double *Q)
{
    double c = cos(3.0 * any()), s = sqrt(1.0 - c * c), e = cos(3.0 * any()), t = sqrt(1.0 - e * e);
    if (w == 2) {
        Q[0] = c, Q[1] = -s, Q[2] = s, Q[3] = c;
        return;
    }
    double A[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, B[9] = {1, 0, 0, 0, e, -t, 0, t, e};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            Q[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) Q[3 * i + j] += A[3 * i + k] * B[3 * k + j];
        }
}

static double biggest(const problem *p, const answers *a)
{
    double size = 0.0;
    for (int32_t i = 0; i < p->instant.rows; i++)
        size = fmax(size, fmax(fabs(p->w[i]), fmax(fabs(a->x[i]), fabs(a->u[i]))));
    return size;
}

/* How much the answer in the turned frame differs from the turned answer. */
static double turned_difference(const raw *q, const double *Q, const double *x, const double *y)
{
    double worst = 0.0;
    int32_t w = q->width;
    for (int32_t i = 0; i < q->contacts; i++) {
        const double *a = x + i * (1 + w), *b = y + i * (1 + w);
        worst = fmax(worst, fabs(a[0] - b[0]));
        for (int32_t k = 0; k < w; k++) {
            double sum = b[1 + k];
            for (int32_t j = 0; j < w; j++) sum -= Q[k * w + j] * a[1 + j];
            worst = fmax(worst, fabs(sum));
        }
    }
    return worst;
}

static void instants(void **state)
{
    int slides = 0, sticks = 0, opens = 0, none = 0, several = 0, certified = 0;
    double worst = 0.0, frame = 0.0;
    zg_search search = {.tolerance = {1e-10, 1e-10, 1e-6}, .count = true};
    (void)state;
    for (int round = 0; round < 3000; round++) {
        raw q;
        problem p, turned;
        answers a, b;
        double Q[9];
        seed = (uint64_t)round;
        int32_t contacts = random_integer(&seed, 1, 3), width = random_integer(&seed, 2, 3);
        random_raw(&q, contacts, width, COORDINATES);
        q.slow = round % 2 ? 0.2 : 1.0;
        double mu = random_real(&seed, 0.0, round % 3 ? 0.3 : 1.0), more = round % 4 ? 1.0 : 1.3;
        make_problem(&q, mu, more, &p);
        answers_begin(&a);
        zg_outcome outcome = zg_find_mode(space, &p.instant, &search, &a.found);
        none += outcome == ZG_NO_MODE;
        several += outcome == ZG_SEVERAL;
        if (outcome != ZG_FOUND) continue;
        certified += a.found.certified;
        double off = law_violation(&p, &a.found.mode, a.x, a.u, biggest(&p, &a));
        worst = fmax(worst, off);
        for (int32_t n = 0; n < contacts; n++) {
            slides += a.friction[n] == ZG_SLIDE;
            sticks += a.friction[n] == ZG_STICK;
            opens += a.contact[n] == ZG_OPEN;
        }
        random_rotation(width, Q);
        turn(&q, Q);
        make_problem(&q, mu, more, &turned);
        answers_begin(&b);
        assert_int_equal(zg_find_mode(space, &turned.instant, &search, &b.found), ZG_FOUND);
        frame = fmax(frame, turned_difference(&q, Q, a.x, b.x) / biggest(&p, &a));
    }
    printf("instants: %d slide, %d stick, %d open; none %d, several %d, certified %d; laws %.1e, "
           "frames %.1e\n",
           slides, sticks, opens, none, several, certified, worst, frame);
    assert_true(slides > 300 && sticks > 200 && opens > 300 && none == 0);
    assert_true(worst < 1e-9);
    assert_true(frame < 1e-8);
}

/* The second tangent is no motion at all, or that of a coordinate which nothing moves. */
static void plane_in_space(void **state)
{
    double worst = 0.0;
    zg_search search = {.tolerance = {1e-10, 1e-10, 1e-6}, .count = true};
    (void)state;
    for (int round = 0; round < 500; round++) {
        raw q;
        problem p, flat;
        answers a, b;
        seed = 77 + (uint64_t)round;
        random_raw(&q, 2, 2, 8);
        for (int32_t i = 0; i < 2; i++) {
            double *row = q.R + (3 * i + 2) * q.n;
            memset(row, 0, sizeof *row * (size_t)q.n);
            if (round % 2) row[7 - i] = 1.0;
        }
        for (int32_t i = 0; i < 6; i++)
            for (int32_t k = 6; i % 3 != 2 && k < 8; k++) q.R[i * q.n + k] = 0.0;
        q.z[6] = q.z[7] = 0.0;
        make_problem(&q, 0.4, 1.0, &p);
        problem_begin(&flat, 4);
        double R[4 * COORDINATES];
        for (int32_t i = 0; i < 4; i++)
            memcpy(R + i * q.n, q.R + (3 * (i / 2) + i % 2) * q.n, sizeof *R * (size_t)q.n);
        problem_rows(&flat, q.n, q.M, R, q.z, NULL);
        for (int32_t i = 0; i < 2; i++) {
            problem_contact(&flat, 2 * i, 0.0);
            problem_friction(&flat, 2 * i + 1, 1, 0.4, i);
        }
        answers_begin(&a);
        answers_begin(&b);
        zg_outcome one = zg_find_mode(space, &p.instant, &search, &a.found);
        zg_outcome other = zg_find_mode(space, &flat.instant, &search, &b.found);
        assert_int_equal(one, other);
        if (one != ZG_FOUND) continue;
        for (int32_t i = 0; i < 4; i++)
            worst = fmax(worst, fabs(a.x[3 * (i / 2) + i % 2] - b.x[i]) / biggest(&p, &a));
    }
    printf("planes in space: %.1e\n", worst);
    assert_true(worst < 1e-9);
}

/* Impacts in turned frames, tangential restitution included. */
static void turned_impacts(void **state)
{
    double frame = 0.0, approach[3] = {1e-11, 1e-11, 1e-11};
    int hit = 0;
    zg_impact_task task = {.approach = approach, .energy = 1.0, .tolerance = {1e-11, 1e-10, 1e-7}};
    (void)state;
    for (int round = 0; round < 800; round++) {
        raw q;
        problem p, turned;
        answers a, b;
        double Q[9];
        seed = 5000 + (uint64_t)round;
        int32_t contacts = random_integer(&seed, 1, 2), width = random_integer(&seed, 2, 3);
        random_raw(&q, contacts, width, COORDINATES);
        task.law = round % 2 ? ZG_NEWTON : ZG_POISSON;
        double mu = random_real(&seed, 0.0, 0.6);
        make_problem(&q, mu, 1.0, &p);
        random_rotation(width, Q);
        turn(&q, Q);
        make_problem(&q, mu, 1.0, &turned);
        for (int32_t n = 0; n < contacts; n++)
            p.friction[n].tangential = turned.friction[n].tangential = round % 3 ? 0.0 : 0.6;
        answers_begin(&a);
        answers_begin(&b);
        assert_int_equal(zg_contact_impact(space, &p.instant, &task, &a.impact), ZG_FOUND);
        assert_int_equal(zg_contact_impact(space, &turned.instant, &task, &b.impact), ZG_FOUND);
        hit += a.impact.rounds > 0;
        frame = fmax(frame, turned_difference(&q, Q, a.x, b.x) / biggest(&p, &a));
    }
    printf("turned impacts: %d, %.1e\n", hit, frame);
    assert_true(hit > 500);
    assert_true(frame < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secular),
        cmocka_unit_test(instants),
        cmocka_unit_test(plane_in_space),
        cmocka_unit_test(turned_impacts),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
