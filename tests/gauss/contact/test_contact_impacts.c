/*
 * test_contact_impacts.c: random impacts by both laws and both rules. Energy never grows, impulses press and
 * stay in their cones, nothing approaches afterwards; one contact against formulas of its own;
 * without friction the laws agree where one contact is hit; tangential restitution of a superball.
 */
#include <stdio.h>
#include <string.h>

#include "contact_bench.h"

static const zg_contact_tolerance fine = {1e-11, 1e-10, 1e-7};
static double approach[MOST_CONTACTS];

static zg_outcome strike(const problem *p, zg_impact_law law, zg_impact_rule rule, double energy,
                         answers *a)
{
    for (int i = 0; i < MOST_CONTACTS; i++) approach[i] = 1e-11;
    zg_impact_task task = {
        .law = law, .rule = rule, .approach = approach, .energy = energy, .tolerance = fine};
    answers_begin(a);
    return zg_contact_impact(space, &p->instant, &task, &a->impact);
}

/* ------------------------------------------------------------------------ one contact */

/* P of the compression or Newton's law: target for u_n, slip 0 or sliding. */
static bool one_contact(const double *G, double target, double ut, double mu, double *P)
{
    double det = G[0] * G[3] - G[1] * G[1];
    P[0] = (G[3] * target + G[1] * ut) / det;
    P[1] = (-G[0] * ut - G[1] * target) / det;
    if (P[0] >= 0.0 && fabs(P[1]) <= mu * P[0]) return true;
    for (int s = -1; s <= 1; s += 2) {
        P[0] = target / (G[0] - mu * s * G[1]);
        P[1] = -mu * s * P[0];
        if (P[0] >= 0.0 && s * (ut + G[1] * P[0] + G[3] * P[1]) >= 0.0) return true;
    }
    return false;
}

/* Poisson's expansion with P_n = N where the rate stays above 0. */
static bool expansion(const double *G, const double *u, double N, double mu, double *P)
{
    P[0] = N;
    P[1] = -(u[1] + G[1] * N) / G[3];
    if (fabs(P[1]) > mu * N) {
        double slip = u[1] + G[1] * N;
        P[1] = slip > 0.0 ? -mu * N : mu * N;
    }
    return u[0] + G[0] * P[0] + G[1] * P[1] >= 0.0;
}

/* A rod that hits with one end: laws by formulas. */
static void rods(void **state)
{
    int hit = 0, gains = 0, guarded = 0;
    double worst = 0.0, most = 0.0;
    (void)state;
    seed = 3;
    for (int round = 0; round < 20000; round++) {
        double th = random_real(&seed, 0.05, 1.52), mu = random_real(&seed, 0.0, 1.0);
        double e = random_real(&seed, 0.0, 1.0), c = cos(th), s = sin(th);
        double R[6] = {0, 1, -c, 1, 0, s}, M[3] = {1, 1, 1. / 3},
               v[3] = {2 * any(), any(), 2 * any()};
        problem p;
        answers a;
        problem_begin(&p, 2);
        problem_rows(&p, 3, M, R, v, NULL);
        if (p.w[0] > -0.05) continue;
        problem_contact(&p, 0, e);
        problem_friction(&p, 1, 1, mu, 0);
        double T = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 3), P[2], C[2], u[2];
        hit++;
        assert_true(one_contact(p.G, -(1 + e) * p.w[0], p.w[1], mu, P));
        double gain = 0.5 * P[0] * (2 * p.w[0] + p.G[0] * P[0] + p.G[1] * P[1]) +
                      0.5 * P[1] * (2 * p.w[1] + p.G[1] * P[0] + p.G[3] * P[1]);
        gains += gain > 1e-12 * T;
        most = fmax(most, gain / T);
        assert_int_equal(strike(&p, ZG_NEWTON, ZG_ROUNDS, T, &a), ZG_FOUND);
        guarded += a.impact.guarded;
        assert_int_equal(a.impact.guarded, gain > 1e-12 * T);
        assert_true(a.impact.energy <= 1.0001e-12 * T);
        if (gain > 1e-12 * T)
            assert_true(fabs(a.impact.gain - gain) < 1e-12);
        else
            worst = fmax(worst, fmax(fabs(a.x[0] - P[0]), fabs(a.x[1] - P[1])));

        assert_true(one_contact(p.G, -p.w[0], p.w[1], mu, C));
        for (int i = 0; i < 2; i++) u[i] = p.w[i] + p.G[2 * i] * C[0] + p.G[2 * i + 1] * C[1];
        assert_int_equal(strike(&p, ZG_POISSON, ZG_ROUNDS, T, &a), ZG_FOUND);
        assert_int_equal(a.impact.guarded, 0);
        if (expansion(p.G, u, e * C[0], mu, P))
            worst = fmax(worst, fmax(fabs(a.x[0] - P[0] - C[0]), fabs(a.x[1] - P[1] - C[1])));
    }
    printf("rods: %d impacts, newton gains energy in %d (guarded %d), up to %.0f %%, poisson "
           "never; worst %.1e\n",
           hit, gains, guarded, 100.0 * most, worst);
    assert_true(hit > 8000 && gains > 50 && gains == guarded);
    assert_true(worst < 1e-12);
}

/* ------------------------------------------------------------------------- many ways */

typedef struct impact_kind {
    const char *name;
    int32_t contacts, width, n;
    double tangential;
    int rounds;
} impact_kind;

static double kinetic(const double *M, const double *v, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += 0.5 * M[i] * v[i] * v[i];
    return sum;
}

/* Everything that must hold after any impact. */
static void check_impact(const problem *p, const answers *a, double T, double after)
{
    int32_t r = p->instant.rows;
    double size = sqrt(T), rounding = 0.0;
    for (int32_t i = 0; i < r; i++) rounding = fmax(rounding, 1e-14 * a->x[i] * a->x[i]);
    assert_true(after <= T * (1.0 + 1e-11) + rounding);
    assert_true(fabs(after - T - a->impact.energy) <= 1e-11 * T + rounding);
    for (int32_t i = 0; i < r; i++) {
        double sum = p->w[i] - a->u[i];
        for (int32_t j = 0; j < r; j++) sum += p->G[i * r + j] * a->x[j];
        assert_true(fabs(sum) < 1e-10 * size);
    }
    for (int32_t i = 0; i < p->instant.contacts; i++) {
        assert_true(a->u[p->contact[i].normal] >= -1e-9 * size);
        assert_true(a->x[p->contact[i].normal] >= -1e-9 * size);
    }
    for (int32_t n = 0; n < p->instant.frictions; n++) {
        const zg_friction *f = &p->friction[n];
        double sum = 0.0;
        for (int32_t j = 0; j < f->width; j++) sum += a->x[f->first + j] * a->x[f->first + j];
        assert_true(sqrt(sum) <= f->mu * a->x[p->contact[f->contact].normal] + 1e-9 * size);
    }
}

static void random_impacts(void **state)
{
    static const impact_kind kinds[] = {
        {"no friction", 4, 0, 8, 0, 2000},
        {"no friction, dependent", 4, 0, 3, 0, 2000},
        {"plane", 2, 1, 6, 0, 2000},
        {"plane, three coordinates", 2, 1, 3, 0, 2000},
        {"plane, three contacts", 3, 1, 9, 0, 500},
        {"plane, tangential", 2, 1, 6, 0.7, 1000},
        {"space", 2, 2, 9, 0, 1000},
        {"space, tangential", 1, 2, 6, 0.7, 1000},
        {"space, six coordinates", 3, 2, 6, 0, 300},
    };
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int hit[2] = {0, 0}, failed = 0, guarded[2] = {0, 0}, mattered = 0;
        for (int round = 0; round < kinds[k].rounds; round++) {
            const impact_kind *kind = &kinds[k];
            problem p;
            answers a;
            double R[MOST_ROWS * 12], M[12], v[12], after[12];
            seed = (uint64_t)(100000 * (int)k + round);
            int32_t contacts = random_integer(&seed, 1, kind->contacts),
                    rows = contacts * (1 + kind->width);
            for (int32_t i = 0; i < kind->n; i++) M[i] = pow(3.0, any()), v[i] = any();
            for (int32_t i = 0; i < rows * kind->n; i++) R[i] = any();
            problem_begin(&p, rows);
            problem_rows(&p, kind->n, M, R, v, NULL);
            for (int32_t i = 0; i < contacts; i++) {
                bool plastic = random_integer(&seed, 0, 2) == 0;
                problem_contact(&p, i * (1 + kind->width),
                                plastic ? 0.0 : random_real(&seed, 0.0, 1.0));
                if (kind->width == 0) continue;
                int32_t f = problem_friction(&p, i * (1 + kind->width) + 1, kind->width,
                                             random_real(&seed, 0.0, 1.0), i);
                p.friction[f].tangential = kind->tangential;
            }
            double T = kinetic(M, v, kind->n);
            for (int way = 0; way < 4; way++) {
                zg_outcome outcome = strike(&p, way & 1 ? ZG_NEWTON : ZG_POISSON,
                                            way & 2 ? ZG_TOGETHER : ZG_ROUNDS, T, &a);
                hit[way & 1] += a.impact.rounds > 0;
                failed += outcome != ZG_FOUND;
                guarded[way & 1] += a.impact.guarded > 0;
                mattered += a.impact.rule_mattered;
                if (outcome != ZG_FOUND) continue;
                for (int32_t j = 0; j < kind->n; j++) {
                    after[j] = v[j];
                    for (int32_t i = 0; i < rows; i++)
                        after[j] += R[i * kind->n + j] * a.x[i] / M[j];
                }
                check_impact(&p, &a, T, kinetic(M, after, kind->n));
            }
        }
        printf("%-26s failed %d, guarded: poisson %d of %d, newton %d of %d; rule mattered %d\n",
               kinds[k].name, failed, guarded[0], hit[0], guarded[1], hit[1], mattered);
        assert_int_equal(failed, 0);
    }
}

/* ------------------------------------------------------------------------ known ones */

/* Without friction and with one contact hit, both laws reverse e of the rate. */
static void laws_agree(void **state)
{
    double worst = 0.0;
    (void)state;
    seed = 11;
    for (int round = 0; round < 2000; round++) {
        problem p;
        answers a, b;
        double R[3] = {any(), any(), any()}, M[3] = {1, 2, 3}, v[3] = {any(), any(), any()};
        problem_begin(&p, 1);
        problem_rows(&p, 3, M, R, v, NULL);
        double e = random_real(&seed, 0.0, 1.0);
        problem_contact(&p, 0, e);
        strike(&p, ZG_POISSON, ZG_ROUNDS, 1.0, &a);
        strike(&p, ZG_NEWTON, ZG_ROUNDS, 1.0, &b);
        worst = fmax(worst, fabs(a.u[0] - b.u[0]));
        if (p.w[0] < -1e-11) worst = fmax(worst, fabs(a.u[0] + e * p.w[0]));
    }
    assert_true(worst < 1e-14);
}

/* A ball of great friction that gives back what its skin has taken: slip and rate are reversed. */
static void superball(void **state)
{
    (void)state;
    for (int law = 0; law < 2; law++) {
        problem p;
        answers a;
        /* x, y, spin of a ball of radius 1; slip x' + spin */
        double R[6] = {0, 1, 0, 1, 0, 1}, M[3] = {1, 1, 0.4}, v[3] = {1, -2, 0.5};
        problem_begin(&p, 2);
        problem_rows(&p, 3, M, R, v, NULL);
        problem_contact(&p, 0, 1.0);
        problem_friction(&p, 1, 1, 3.0, 0);
        p.friction[0].tangential = 1.0;
        assert_int_equal(strike(&p, law ? ZG_NEWTON : ZG_POISSON, ZG_ROUNDS, 3.0, &a), ZG_FOUND);
        assert_true(fabs(a.u[0] - 2.0) < 1e-14 && fabs(a.u[1] + 1.5) < 1e-14);
        assert_true(fabs(a.impact.energy) < 1e-14);
        assert_int_equal(a.impact.guarded, 0);
    }
}

/* Restitution counts as 0 below a speed; the cap of rounds ends with a plastic impact. */
static void endings(void **state)
{
    problem p;
    answers a;
    double R[2] = {1, 0}, M[2] = {1, 1}, v[2] = {-0.25, 0}, slow[1] = {0.2}, none[1] = {1e-12};
    (void)state;
    problem_begin(&p, 1);
    problem_rows(&p, 2, M, R, v, NULL);
    problem_contact(&p, 0, 0.5);
    zg_impact_task task = {.approach = none, .plastic = slow, .energy = 1.0, .tolerance = fine};
    answers_begin(&a);
    zg_contact_impact(space, &p.instant, &task, &a.impact);
    assert_true(a.u[0] == 0.0 && a.impact.rounds == 1);
    slow[0] = 0.1;
    zg_contact_impact(space, &p.instant, &task, &a.impact);
    assert_true(a.u[0] == 0.125);

    /* a ball between two that come together for ever slower bounces */
    double S[6] = {-1, 1, 0, 0, -1, 1}, N[3] = {1, 0.001, 1}, w[3] = {1, 1, -1};
    double two[2] = {1e-14, 1e-14};
    problem_begin(&p, 2);
    problem_rows(&p, 3, N, S, w, NULL);
    problem_contact(&p, 0, 0.5);
    problem_contact(&p, 1, 0.25);
    task = (zg_impact_task){.approach = two, .energy = 1.0, .tolerance = fine, .most_rounds = 5};
    answers_begin(&a);
    assert_int_equal(zg_contact_impact(space, &p.instant, &task, &a.impact), ZG_FOUND);
    assert_true(a.impact.ended && a.impact.rounds == 6);
    assert_true(a.u[0] >= -1e-11 && a.u[1] >= -1e-11);
}

/* A ball rests on the ground, another falls on it: struck together both are thrown back, though the
 * ground's contact does not approach, and whatever bounce is left out. */
static void struck_at_rest(void **state)
{
    problem p;
    answers a;
    double R[4] = {1, 0, -1, 1}, M[2] = {1, 1}, v[2] = {0, -3.13}, none[2] = {1e-9, 1e-9},
           low[2] = {1e-5, 1e-5};
    (void)state;
    problem_begin(&p, 2);
    problem_rows(&p, 2, M, R, v, NULL);
    problem_contact(&p, 0, 0.6);
    problem_contact(&p, 1, 0.0);
    zg_impact_task task = {
        .rule = ZG_TOGETHER, .approach = none, .plastic = low, .energy = 5.0, .tolerance = fine};
    answers_begin(&a);
    assert_int_equal(zg_contact_impact(space, &p.instant, &task, &a.impact), ZG_FOUND);
    assert_true(fabs(a.u[0] - 0.6 * 3.13 / 2.0) < 1e-14 && fabs(a.u[1]) < 1e-14);
    low[0] = 3.0;
    assert_int_equal(zg_contact_impact(space, &p.instant, &task, &a.impact), ZG_FOUND);
    assert_true(a.u[0] == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rods),       cmocka_unit_test(random_impacts),
        cmocka_unit_test(laws_agree), cmocka_unit_test(superball),
        cmocka_unit_test(endings),    cmocka_unit_test(struck_at_rest),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
