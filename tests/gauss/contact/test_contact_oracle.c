/*
 * test_contact_oracle.c: thousands of random instants in the plane against all motions that the laws allow,
 * counted in rational arithmetic: the same motion, none or several where there are none or several.
 * Small integers make ties, dependent rows and jamming friction common.
 */
#include <stdio.h>
#include <string.h>

#include "../../slow.h"
#include "contact_bench.h"
#include "contact_oracle.h"

static int32_t below(int32_t count)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((seed >> 33) % (uint64_t)count);
}

typedef struct kind {
    const char *name;
    int contacts;                 /* 1 .. this many */
    int coordinates;              /* rows have so many entries, 0: as many as rows and two */
    bool friction, slips, tangle; /* tangle: w is not of one motion, so that rows may contradict */
    int scales;                   /* rows times powers of two up to this exponent */
    int rounds;
} kind;

static double power(int exponent)
{
    return ldexp(1.0, below(2 * exponent + 1) - exponent);
}

/* A random instant: integers below 4, inverse masses that are powers of two, so that G is exact. */
static void random_problem(const kind *k, problem *p)
{
    static const double coefficients[] = {0.0, 0.25, 0.5, 1.0, 1.5, 3.0};
    int contacts = 1 + below(k->contacts), tangents = k->friction ? contacts : 0;
    int rows = contacts + tangents, n = k->coordinates ? k->coordinates : rows + 2;
    double R[ORACLE_ROWS * 16], M[16], z[16], b[ORACLE_ROWS], scale[ORACLE_ROWS];
    problem_begin(p, rows);
    for (int j = 0; j < n; j++) {
        M[j] = power(2);
        z[j] = below(9) - 4;
    }
    for (int i = 0; i < rows; i++) {
        scale[i] = power(k->scales);
        b[i] = k->tangle ? scale[i] * (below(5) - 2) : 0.0;
        for (int j = 0; j < n; j++) R[i * n + j] = scale[i] * (below(2) ? below(7) - 3 : 0);
    }
    problem_rows(p, n, M, R, z, b);
    for (int i = 0; i < contacts; i++) {
        problem_contact(p, i, 0.0);
        if (!k->friction) continue;
        double mu = coefficients[below(6)] * scale[i] / scale[contacts + i];
        int f = problem_friction(p, contacts + i, 1, mu, i);
        if (k->slips && below(2)) p->friction[f].slip[0] = below(2) ? 0.5 : -2.0;
    }
}

/* Largest difference of u from one of the motions, scaled as the tolerances are. */
static double distance(const problem *p, const double *u, const double *expected)
{
    double worst = 0.0, size = 0.0;
    int r = p->instant.rows;
    for (int i = 0; i < r; i++) {
        double g = p->G[i * r + i];
        if (!(g > 0.0)) continue;
        worst = fmax(worst, fabs(u[i] - expected[i]) / sqrt(g));
        size = fmax(size, fmax(fabs(p->w[i]), fabs(expected[i])) / sqrt(g));
    }
    return worst > 0.0 ? worst / size : 0.0;
}

static double nearest(const problem *p, const double *u, const motions *m)
{
    double least = HUGE_VAL;
    for (int k = 0; k < m->count; k++) least = fmin(least, distance(p, u, m->u[k]));
    return least;
}

static void show(const problem *p, const motions *m, const answers *a, zg_outcome outcome)
{
    int r = p->instant.rows;
    printf("rows %d contacts %d, %d motions, singular %d redundant %d, outcome %d certified %d\n",
           r, p->instant.contacts, m->count, m->singular, m->redundant, outcome,
           a->found.certified);
    for (int i = 0; i < r; i++) {
        for (int j = 0; j < r; j++) printf(" %9g", p->G[i * r + j]);
        printf("  w %g x %g u %g\n", p->w[i], a->x[i], a->u[i]);
    }
    for (int k = 0; k < m->count; k++) {
        for (int i = 0; i < r; i++) printf(" %g(%g)", m->u[k][i], m->x[k][i]);
        printf("\n");
    }
    for (int n = 0; n < p->instant.frictions; n++)
        printf(" mu %g slip %g", p->friction[n].mu, p->friction[n].slip[0]);
    printf("\n");
}

typedef struct tally {
    int found, none, several, conflict, undecided, left_out, redundant, springs;
    double worst;
} tally;

static bool any_slides(const problem *p, const answers *a)
{
    for (int n = 0; n < p->instant.frictions; n++)
        if (a->friction[n] == ZG_SLIDE || p->friction[n].slip[0] != 0.0) return true;
    return false;
}

/* What the outcome must be; false: wrong. */
static bool right(const problem *p, const motions *m, const answers *a, zg_outcome outcome,
                  tally *t)
{
    bool friction = p->instant.frictions > 0, empty = false;
    /* what cannot move carries nothing, whatever the oracle would let it press */
    for (int i = 0; i < p->instant.contacts; i++)
        empty |= friction && !(p->G[i * p->instant.rows + i] > 0.0);
    if ((m->singular && !m->redundant) || empty) {
        t->left_out++;
        return true;
    }
    if (m->redundant) t->redundant++;
    if (outcome == ZG_FOUND) {
        double off = nearest(p, a->u, m);
        t->found++;
        if (m->count == 0 || (m->count > 1 && !m->redundant)) return false;
        if (a->found.certificate.primal > 1e-9 || a->found.certificate.dual > 1e-9) return false;
        if (off < 1e-9) {
            t->worst = fmax(t->worst, off);
            return true;
        }
        /* dependent rows on which something slides share by springs: inside an edge between corners */
        t->springs++;
        return m->redundant && any_slides(p, a) &&
               law_violation(p, &a->found.mode, a->x, a->u, 1.0) < 1e-8;
    }
    t->none += outcome == ZG_NO_MODE;
    t->several += outcome == ZG_SEVERAL;
    t->conflict += outcome == ZG_CONFLICT;
    t->undecided += outcome == ZG_UNDECIDED;
    if (outcome == ZG_NO_MODE || outcome == ZG_CONFLICT) return m->count == 0;
    if (outcome == ZG_SEVERAL && m->count == 1 && m->singular && any_slides(p, a)) {
        t->springs++;
        return m->redundant;
    }
    return outcome == ZG_SEVERAL && m->count > 1;
}

static void compare(void **state)
{
    static const kind kinds[] = {
        {"without friction", 6, 0, false, false, false, 0, 3000},
        {"without friction, dependent", 6, 2, false, false, false, 0, 3000},
        {"without friction, contradicting", 6, 2, false, false, true, 0, 3000},
        {"friction", 3, 0, true, false, false, 0, 2000},
        {"friction, slip", 3, 0, true, true, false, 0, 3000},
        {"friction, slip, four", 4, 0, true, true, false, 0, 150},
        {"friction, units", 2, 0, true, true, false, 20, 2000},
        {"friction, three coordinates", 2, 3, true, true, false, 0, 3000},
        {"friction, dependent", 3, 3, true, true, false, 0, 1500},
        {"friction, contradicting", 3, 3, true, true, true, 0, 1500},
    };
    (void)state;
    for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
        tally t = {0};
        int wrong = 0;
        int rounds = unless_slow(kinds[k].rounds, kinds[k].rounds / 10);
        for (int round = 0; round < rounds; round++) {
            problem p;
            motions m;
            answers a;
            zg_search search = {.tolerance = {1e-9, 1e-10, 1e-7}, .count = true};
            seed = (uint64_t)(1000003 * k + round);
            below(2), below(2);
            random_problem(&kinds[k], &p);
            oracle_motions(&p, &m);
            answers_begin(&a);
            zg_outcome outcome = zg_find_mode(space, &p.instant, &search, &a.found);
            if (right(&p, &m, &a, outcome, &t)) continue;
            if (wrong++ < 3) {
                printf("%s, round %d: ", kinds[k].name, round);
                show(&p, &m, &a, outcome);
            }
        }
        printf("%-32s found %d, none %d, several %d, conflict %d, undecided %d\n", kinds[k].name,
               t.found, t.none, t.several, t.conflict, t.undecided);
        printf("%32s dependent %d, by springs %d, left out %d; worst %.1e; wrong %d\n", "",
               t.redundant, t.springs, t.left_out, t.worst, wrong);
        assert_int_equal(t.undecided, 0);
        assert_true(t.springs <= kinds[k].rounds / 100);
        assert_int_equal(wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compare)};
    return cmocka_run_group_tests(tests, begin, end);
}
