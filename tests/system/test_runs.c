/*
 * test_runs.c: every problem of tests/reference, run from its model to each time given there.
 *
 * A course says how the names of the reference are computed by the model: a line of words
 *
 *     1e-9 x=x x'=vx 1e-6r -multiplier(bar)=lambda ~theta=angle asymmetry=0
 *
 * A number is the tolerance of the words after it (r: relative); COLUMN=NAME compares a column of
 * zw_columns_create with a value of the reference, or with a number; - turns the column's sign,
 * ~ compares angles up to whole turns. The tolerances are those of the reference's own
 * tolerance_to_pass. Besides, the constraints must hold at each of these times, and over the whole
 * run by the library's own statistics.
 */
#include "journey.h"
#include "reference.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 64, WORD = 64, LIST = 4096 };

typedef struct course {
    const char *file, *key, *is; /* entries of the reference; key NULL: all */
    const char *model, *setting;
    const char *words;
    zw_method method;
    double tol;
    double until;      /* entries up to this time; 0: all */
    double constraint; /* largest |phi| and |rate| allowed */
    double energy;     /* largest error of the ledger of works, joules; 0: any */
} course;

/* --------------------------------------------------------------------- words */

typedef struct word {
    char column[WORD], name[WORD];
    double tolerance;
    bool relative, negative, turns;
    int32_t at;    /* in the row */
    int32_t group; /* words under one tolerance */
} word;

typedef struct words {
    word list[WORDS];
    int32_t count;
    char columns[LIST]; /* as zw_columns_create takes them */
} words;

static void read_pair(words *w, const char *text, const word *pattern)
{
    assert_true(w->count < WORDS);
    word *to = &w->list[w->count];
    *to = *pattern;
    to->negative = *text == '-';
    to->turns = *text == '~';
    text += to->negative || to->turns;
    const char *equals = strrchr(text, '=');
    assert_non_null(equals);
    snprintf(to->column, sizeof to->column, "%.*s", (int)(equals - text), text);
    snprintf(to->name, sizeof to->name, "%s", equals + 1);
    to->at = ++w->count; /* the first column is t */
    size_t used = strlen(w->columns);
    snprintf(w->columns + used, sizeof w->columns - used, "%s%s", used > 0 ? "," : "", to->column);
}

static words read_words(const char *text)
{
    words w = {0};
    word pattern = {0};
    char piece[2 * WORD];
    int used;
    for (; sscanf(text, "%127s%n", piece, &used) == 1; text += used) {
        char *end;
        double number = strtod(piece, &end);
        if (strchr(piece, '=') != NULL) {
            read_pair(&w, piece, &pattern);
        } else {
            pattern.tolerance = number;
            pattern.relative = *end == 'r';
            pattern.group++;
        }
    }
    return w;
}

static double expected_of(const word *w, const json_t *entry)
{
    return isdigit((unsigned char)*w->name) ? strtod(w->name, NULL)
                                            : reference_value(entry, w->name);
}

/* What a relative tolerance refers to: the value; where that is zero to rounding, the largest of
 * its group. */
static double size_of(const words *w, const word *one, const json_t *entry)
{
    double largest = 0, own = fabs(expected_of(one, entry));
    for (int32_t i = 0; i < w->count; i++) {
        if (w->list[i].group != one->group) continue;
        largest = fmax(largest, fabs(expected_of(&w->list[i], entry)));
    }
    return own > 1e-12 * largest ? own : fmax(largest, 1);
}

/* ------------------------------------------------------------------- comparing */

/* What was worst: the error by its tolerance. */
typedef struct deviation {
    double share, error, t;
    const word *word;
} deviation;

static void compare(const course *c, const words *w, const journey *j, const json_t *entry,
                    deviation *worst)
{
    double t = reference_time(entry);
    for (int32_t i = 0; i < w->count; i++) {
        const word *one = &w->list[i];
        double expected = expected_of(one, entry);
        double got = one->negative ? -j->row[one->at] : j->row[one->at];
        double error = one->turns ? remainder(got - expected, 2 * acos(-1)) : got - expected;
        double share = fabs(error) / one->tolerance;
        if (one->relative) share /= size_of(w, one, entry);
        if (!(share <= worst->share)) {
            worst->share = share;
            worst->error = fabs(error);
            worst->t = t;
            worst->word = one;
        }
        if (!(share <= 1)) {
            print_message("  %s, %s at t = %g: %.15g, the reference %.15g, off by %.2g\n", c->file,
                          one->name, t, got, expected, error);
        }
    }
}

/* The rows along the whole run and the balance of works, as the library saw them. */
static bool sound(const course *c, journey *j, double off)
{
    zw_run_statistics s = journey_statistics(j);
    bool position = s.position.size <= c->constraint, velocity = s.velocity.size <= c->constraint;
    bool energy = c->energy <= 0 || fabs(s.energy.error) <= c->energy;
    print_message("    steps %lld, rejected %lld, evaluations %lld, rows off by %.1e (%.1e, %.1e "
                  "by the statistics), energy by %.1e, %.2f s\n",
                  (long long)s.steps, (long long)s.rejected, (long long)s.evaluations, off,
                  s.position.size, s.velocity.size, s.energy.error, s.seconds);
    return position && velocity && energy && off <= c->constraint;
}

static bool passes(const course *c)
{
    json_t *root = reference_load(c->file), *entry;
    words w = read_words(c->words);
    journey j = journey_open(c->model, c->setting, w.columns);
    j.settings.method = c->method;
    j.settings.tol = j.settings.abs_tol = c->tol;
    journey_begin(&j);
    deviation worst = {.share = -1};
    double off = 0;
    int count = 0;
    size_t i;
    json_array_foreach(json_object_get(root, "reference"), i, entry)
    {
        if (!reference_is(entry, c->key, c->is)) continue;
        if (c->until > 0 && reference_time(entry) > c->until) continue;
        journey_to(&j, reference_time(entry));
        compare(c, &w, &j, entry, &worst);
        off = fmax(off, journey_off(&j));
        count++;
    }
    assert_true(count >= 3 && worst.word != NULL);
    print_message("%s %s: worst %.2e in %s at t = %g, %.2g of the tolerance\n", c->file,
                  c->is != NULL ? c->is : "", worst.error, worst.word->name, worst.t, worst.share);
    bool good = sound(c, &j, off) && worst.share <= 1;
    journey_close(&j);
    json_decref(root);
    return good;
}

static void expect_all(const course *list, size_t count)
{
    int failed = 0;
    for (size_t i = 0; i < count; i++) failed += !passes(&list[i]);
    if (failed > 0) fail_msg("%d of %zu courses", failed, count);
}

#define EXPECT_ALL(list) expect_all(list, sizeof list / sizeof *list)

/* --------------------------------------------------------------------- courses */

static const course particles[] = {
    {.file = "iftomm_a01_pendulum",
     .model = "pendulum",
     .words = "1e-9 x=x y=y x'=vx y'=vy energy=energy 1e-8 tension=tension force(x)=Fcx "
              "force(y)=Fcy",
     .tol = 1e-13,
     .constraint = 1e-10,
     .energy = 1e-9},
    {.file = "uk_redundant_sphere",
     .model = "sphere",
     .words = "1e-8 r[1]=x r[2]=y r[3]=z r[1]'=d_x r[2]'=d_y r[3]'=d_z "
              "1e-7 force(r[1])=Fcx force(r[2])=Fcy force(r[3])=Fcz 1e-9 energy=energy Lz=Lz",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-9},
    {.file = "uk_rotating_hoop",
     .model = "hoop",
     .words = "1e-8 theta=theta d_theta=d_theta x=x y=y z=z x'=d_x y'=d_y z'=d_z "
              "1e-7 force(x)=Fcx force(y)=Fcy force(z)=Fcz",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-9},
    {.file = "chaplygin_sleigh",
     .model = "sleigh",
     .words = "1e-9 X=X Y=Y θ=theta X'=d_X Y'=d_Y θ'=omega v=v lateral=lateral_force "
              "1e-10 energy=energy",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-10},
    {.file = "appell_nonlinear",
     .key = "case",
     .is = "appell_hamel_free",
     .model = "appell_hamel",
     .words = "1e-9 x=x y=y z=z x'=d_x y'=d_y z'=d_z force(x)=Fcx force(y)=Fcy force(z)=Fcz",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-9},
};

static const course friction[] = {
    {.file = "uk_friction",
     .key = "case",
     .is = "circle_no_gravity",
     .model = "friction_flat",
     .words = "1e-9 x=x y=y x'=d_x y'=d_y N=N",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-9},
    {.file = "uk_friction",
     .key = "case",
     .is = "incline",
     .model = "friction_incline",
     .words = "1e-9 x=x y=y z=z x'=d_x y'=d_y z'=d_z N=N",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-9},
};

static const course rolling[] = {
    {.file = "rolling_disc",
     .key = "case",
     .is = "generic",
     .model = "rolling_disc",
     .words = "1e-8 c[1]=xc c[2]=yc c[3]=zc axle[1]=nx axle[2]=ny axle[3]=nz θ=theta ψ=psi φ=phi "
              "c[1]'=d_xc c[2]'=d_yc c[3]'=d_zc spin[1]=wx spin[2]=wy spin[3]=wz "
              "contact[1]=contact_x contact[2]=contact_y contact[3]=0 "
              "1e-6r force(c[1])=Fx force(c[2])=Fy force(c[3])=Fz 1e-9r energy=energy",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-8},
    {.file = "rolling_disc",
     .key = "case",
     .is = "generic",
     .model = "rolling_disc_vectors",
     .words = "1e-8 c[1]=xc c[2]=yc c[3]=zc n[1]=nx n[2]=ny n[3]=nz "
              "c[1]'=d_xc c[2]'=d_yc c[3]'=d_zc spin[1]=wx spin[2]=wy spin[3]=wz "
              "contact[1]=contact_x contact[2]=contact_y contact[3]=0 "
              "1e-6r push[1]=Fx push[2]=Fy push[3]=Fz 1e-9r energy=energy",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-8},
};

static const course mechanisms[] = {
    {.file = "andrews_squeezer",
     .model = "andrews",
     .words = "1e-8r β=beta θ=theta γ=gamma φ=phi δ=delta ω=omega ε=epsilon F[1]=Fx F[2]=Fy "
              "1e-7r β'=d_beta θ'=d_theta γ'=d_gamma φ'=d_phi δ'=d_delta ω'=d_omega ε'=d_epsilon "
              "1e-6r -multiplier(loop1)[1]=lambda1 -multiplier(loop1)[2]=lambda2 "
              "-multiplier(loop2)[1]=lambda3 -multiplier(loop2)[2]=lambda4 "
              "-multiplier(loop3)[1]=lambda5 -multiplier(loop3)[2]=lambda6 "
              "1e-6r β''=dd_beta θ''=dd_theta γ''=dd_gamma φ''=dd_phi δ''=dd_delta ω''=dd_omega "
              "ε''=dd_epsilon 1e-9 energy=energy",
     .tol = 1e-12,
     .constraint = 1e-11,
     .energy = 1e-9},
    {.file = "ivp_caraxis",
     .model = "caraxis",
     .words = "1e-9 xl=xl yl=yl xr=xr yr=yr 1e-7 xl'=d_xl yl'=d_yl xr'=d_xr yr'=d_yr "
              "1e-8 lambda[1]=lambda1 lambda[2]=lambda2",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 1e-9},
    {.file = "iftomm_a04_bricard",
     .model = "bricard",
     .words = "1e-7 angles[1]=theta angles[2]=phi rates[1]=d_theta rates[2]=d_phi "
              "P[1,1]=P1x P[1,2]=P1y P[1,3]=P1z P[2,1]=P2x P[2,2]=P2y P[2,3]=P2z "
              "P[3,1]=P3x P[3,2]=P3y P[3,3]=P3z P[4,1]=P4x P[4,2]=P4y P[4,3]=P4z "
              "P[1,1]'=d_P1x P[1,2]'=d_P1y P[1,3]'=d_P1z P[2,1]'=d_P2x P[2,2]'=d_P2y "
              "P[2,3]'=d_P2z P[3,1]'=d_P3x P[3,2]'=d_P3y P[3,3]'=d_P3z P[4,1]'=d_P4x "
              "P[4,2]'=d_P4y P[4,3]'=d_P4z P[1,1]''=dd_P1x P[1,3]''=dd_P1z P[2,1]''=dd_P2x "
              "P[2,2]''=dd_P2y P[2,3]''=dd_P2z P[3,1]''=dd_P3x P[3,2]''=dd_P3y P[3,3]''=dd_P3z "
              "P[4,1]''=dd_P4x P[4,2]''=dd_P4y P[4,3]''=dd_P4z rank=23 1e-8 energy=energy",
     .tol = 1e-12,
     .constraint = 1e-9,
     .energy = 1e-8},
};

static const course stiff[] = {
    {.file = "iftomm_a05_flyball",
     .model = "flyball",
     .words = "1e-7 s=s β[1]=beta β[2]=beta2 cospsi=cospsi ψ=psi length=spring_length "
              "1e-6 ψ'=omega s'=d_s β[1]'=d_beta 1e-3r pull=spring_tension 1e-9 asymmetry=0",
     .method = ZW_BDF,
     .tol = 1e-11,
     .energy = 1e-5},
    {.file = "iftomm_a05_flyball",
     .model = "flyball",
     .words = "1e-7 s=s β[1]=beta β[2]=beta2 cospsi=cospsi ψ=psi length=spring_length "
              "1e-6 ψ'=omega s'=d_s β[1]'=d_beta 1e-3r pull=spring_tension 1e-9 asymmetry=0",
     .tol = 1e-10,
     .until = 0.5,
     .energy = 1e-5},
};

#define FOURBAR "1e-6 x[1]=B0x y[1]=B0y x[1]'=B0vx y[1]'=B0vy thetadot=thetadot ~theta=theta "
static const course singular[] = {
    {.file = "iftomm_a02_nfourbar",
     .key = "N",
     .is = "1",
     .model = "fourbar",
     .setting = "N = 1",
     .words = FOURBAR "1e-6r energy=energy",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 2e-5},
    {.file = "iftomm_a02_nfourbar",
     .key = "N",
     .is = "2",
     .model = "fourbar",
     .setting = "N = 2",
     .words = FOURBAR "1e-6r energy=energy",
     .tol = 1e-12,
     .constraint = 1e-10,
     .energy = 3e-5},
};

#define CHAIN_ENDS "1e-8 x[1]=x_1 y[1]=y_1 x[1]'=d_x_1 y[1]'=d_y_1 energy=energy "
static const course chains[] = {
    {.file = "chain_n",
     .key = "N",
     .is = "10",
     .model = "chain",
     .setting = "N = 10",
     .words = CHAIN_ENDS "x[5]=x_mid y[5]=y_mid x[5]'=d_x_mid y[5]'=d_y_mid x[10]=x_tip "
                         "y[10]=y_tip x[10]'=d_x_tip y[10]'=d_y_tip 1e-7 tension_rod1=tension_rod1",
     .tol = 1e-12,
     .constraint = 1e-11,
     .energy = 1e-8},
    {.file = "chain_n",
     .key = "N",
     .is = "100",
     .model = "chain",
     .setting = "N = 100",
     .words =
         CHAIN_ENDS "x[50]=x_mid y[50]=y_mid x[50]'=d_x_mid y[50]'=d_y_mid x[100]=x_tip "
                    "y[100]=y_tip x[100]'=d_x_tip y[100]'=d_y_tip 1e-7 tension_rod1=tension_rod1",
     .tol = 1e-11,
     .constraint = 1e-13,
     .energy = 1e-8},
};

static void test_particles(void **state)
{
    (void)state;
    EXPECT_ALL(particles);
}

static void test_friction(void **state)
{
    (void)state;
    EXPECT_ALL(friction);
}

static void test_rolling(void **state)
{
    (void)state;
    EXPECT_ALL(rolling);
}

static void test_mechanisms(void **state)
{
    (void)state;
    EXPECT_ALL(mechanisms);
}

/* Not in builds without SUNDIALS. */
static bool has_bdf(void)
{
    journey j = journey_open("pendulum", NULL, NULL);
    j.settings.method = ZW_BDF;
    assert_int_equal(zw_sim_start(j.l.sim, false), ZW_OK);
    zw_status status = zw_sim_begin(j.l.sim, &j.settings);
    journey_close(&j);
    return status != ZW_ERR_METHOD;
}

static void test_stiff(void **state)
{
    (void)state;
    if (!has_bdf()) skip();
    EXPECT_ALL(stiff);
}

static void test_singular(void **state)
{
    (void)state;
    EXPECT_ALL(singular);
}

static void test_chains(void **state)
{
    (void)state;
    EXPECT_ALL(chains);
}

/* ---------------------------------------------------------------- inconsistent */

/* One instant: exact rationals. */
static void expect_row(const char *model, const char *columns, const double *expected, int count)
{
    journey j = journey_open(model, NULL, columns);
    journey_begin(&j);
    journey_to(&j, 0);
    for (int i = 0; i < count; i++) {
        double error = fabs(j.row[1 + i] - expected[i]);
        if (!(error <= 1e-12 * fmax(1, fabs(expected[i])))) {
            fail_msg("%s: column %d is %.17g, not %.17g", model, 1 + i, j.row[1 + i], expected[i]);
        }
    }
    journey_close(&j);
}

static void test_inconsistent(void **state)
{
    (void)state;
    expect_row("two_servos", "x'',force(x),rank", (double[]){2.5, 2.5, 1}, 3);
    expect_row("three_lines", "x'',y'',force(x),force(y),rank", (double[]){3.25, -0.5, 6.5, 19, 2},
               5);
    /* the dynamic case, x = cos(sqrt(3) t) */
    journey j = journey_run(
        &(journey_plan){.model = "inconsistent", .columns = "x,x',y,inconsistency", .tol = 1e-12},
        10);
    double w = sqrt(3);
    print_message("uk_inconsistent dynamic: off by %.2e and %.2e at t = 10\n",
                  fabs(j.row[1] - cos(10 * w)), fabs(j.row[2] + w * sin(10 * w)));
    assert_true(fabs(j.row[1] - cos(10 * w)) <= 1e-9);
    assert_true(fabs(j.row[2] + w * sin(10 * w)) <= 1e-9);
    assert_true(fabs(j.row[3]) <= 1e-12);
    /* least |residual| in W: rows -3x + x and -3x + 4x, weights 1 and 2 */
    assert_true(fabs(j.row[4] - sqrt(6) * fabs(cos(10 * w))) <= 1e-8);
    journey_close(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_particles), cmocka_unit_test(test_friction),
        cmocka_unit_test(test_rolling),   cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_stiff),     cmocka_unit_test(test_singular),
        cmocka_unit_test(test_chains),    cmocka_unit_test(test_inconsistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
