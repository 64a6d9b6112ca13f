/*
 * What a run with contacts is told: the works of friction and of impacts against closed forms, and
 * that the ledger closes; impacts, closings and sticking in the verdict; rules and guards that
 * mattered; runs that contacts end, with the place and the state.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static zw_status run(bench *b, const char *text)
{
    zw_run_settings settings;
    zw_outcome outcome;
    bench_open(b, text);
    assert_int_equal(zw_run_defaults(b->model, &settings), ZW_OK);
    zw_status status = zw_sim_start(b->sim, false);
    if (status == ZW_OK) status = zw_sim_begin(b->sim, &settings);
    if (status != ZW_OK) return status;
    status = zw_sim_advance(b->sim, settings.until, &outcome);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
    return status;
}

static bool keep_text(void *user, const char *bytes, size_t size)
{
    char *text = user;
    size_t at = strlen(text);
    assert_true(at + size < 4000);
    memcpy(text + at, bytes, size);
    text[at + size] = '\0';
    return true;
}

static void expect_line(bench *b, const char *words)
{
    char text[4000] = "";
    assert_int_equal(zw_sim_verdict(b->sim, ZW_REPORT_TEXT, keep_text, text), ZW_OK);
    if (!strstr(text, words)) fail_msg("'%s' is not in\n%s", words, text);
}

static zw_run_statistics statistics(bench *b)
{
    zw_run_statistics s;
    assert_int_equal(zw_sim_statistics(b->sim, &s), ZW_OK);
    return s;
}

#define BLOCK "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ground: y >= 0\n"
#define ROD                                                                                        \
    "coord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/24\nconstraint end: y - sin(th)/2 >= 0\n"

/* -------------------------------------------------------------------------------- ledger */

static void works_in_closed_form(void **state)
{
    (void)state;
    bench b;
    /* all of its kinetic energy */
    assert_int_equal(
        run(&b, BLOCK "friction ground: 0.3 along x'\nstart x' = 2\nsimulate t = 0..2\n"), ZW_OK);
    bench_near(statistics(&b).energy.friction, -2.0, 1e-12);
    bench_near(statistics(&b).energy.impacts, 0.0, 1e-15);
    expect_line(&b, "  work       friction -2\n");
    bench_close(&b);
    /* m g h (1 - e^2) at the first impact */
    assert_int_equal(run(&b, BLOCK "restitution ground: 0.6\nstart y = 1\nsimulate t = 0..0.5\n"),
                     ZW_OK);
    bench_near(statistics(&b).energy.impacts, -9.81 * (1.0 - 0.36), 1e-9);
    expect_line(&b, "`ground` 1 impact; open at the end\n");
    bench_close(&b);
    /* what sticks to a belt: force times way, with 0 at its end by a spring of stiffness 1 */
    assert_int_equal(run(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y + x^2/2\n"
                             "constraint belt: y >= 0\nfriction belt: 1 along x' - 0.5\n"
                             "start x' = 0.5\nsimulate t = 0..4\n"),
                     ZW_OK);
    bench_near(statistics(&b).energy.friction, 2.0, 1e-9);
    expect_line(&b, "`belt` sticks throughout\n");
    bench_close(&b);
    /* what a wall that moves does is work of an ideal force */
    assert_int_equal(run(&b, "coord x\nkinetic x'^2/2\nconstraint wall: x >= t^2 - 1\n"
                             "start x = -1\nsimulate t = 0..1\n"),
                     ZW_OK);
    bench_near(statistics(&b).energy.ideal, 2.0, 1e-9);
    bench_close(&b);
}

static void ledgers_close(void **state)
{
    (void)state;
    static const char *const list[] = {
        BLOCK "restitution ground: 0.8\nfriction ground: 0.3 along x', static = 0.4\n"
              "constraint wall: x <= 2\nrestitution wall: 0.5\nstart y = 1, x' = 3\n"
              "simulate t = 0..5, tol = 1e-12\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*x^2 + 9.81*y\nconstraint belt: y >= 0\n"
        "friction belt: 0.3 along x' - 0.5, static = 0.5\nsimulate t = 0..10, tol = 1e-12\n",
        ROD "potential 9.81*y\nrestitution end: 0.5\nfriction end: 0.4 along x - cos(th)/2\n"
            "start th = 1, y = 1.5, x' = 1, th' = 2\nsimulate t = 0..1, tol = 1e-12\n",
        "coord p[2]\nkinetic dot(p', p')/2\npotential 9.81*p[2]\nconstraint rope: norm(p) <= 1\n"
        "restitution rope: 0.5\nstart p = [0.3, 0]\nsimulate t = 0..2, tol = 1e-12\n",
        "coord a, b\nkinetic a'^2 + b'^2/2\nconstraint clutch: b' - a' >= 0\nforce a: sin(3*t)\n"
        "force b: -0.1\nsimulate t = 0..5, tol = 1e-12\n",
        "coord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/20\npotential 9.81*y\n"
        "constraint pin: [x - sin(th), y + cos(th)] = 0\nfriction pin: 0.02 along th'\n"
        "start th = 1, x = sin(1), y = -cos(1)\nsimulate t = 0..5, tol = 1e-12\n",
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bench b;
        zw_status status = run(&b, list[k]);
        if (status != ZW_OK) fail_msg("status %d of\n%s", (int)status, list[k]);
        zw_run_statistics s = statistics(&b);
        const zw_ledger *e = &s.energy;
        if (!(fabs(e->error) <= 1e-9 * e->scale)) fail_msg("%g off in\n%s", e->error, list[k]);
        assert_int_not_equal(s.trust, ZW_TRUST_NOT);
        bench_close(&b);
    }
}

/* ------------------------------------------------------------------------------- verdict */

/* A ball that bounces: e^n sqrt(2 g h) is the speed after n impacts, and bounces lower than `low` are
 * left out. */
static void a_ball_at_rest(void **state)
{
    (void)state;
    bench b;
    double low = 1e-6, h = 1.0, e = 0.8;
    int impacts = 0;
    while (h * pow(e, 2.0 * impacts) > low) impacts++;
    assert_int_equal(run(&b, BLOCK "restitution ground: 0.8\nstart y = 1\n"
                                   "simulate t = 0..6, abs_tol = 1e-6\n"),
                     ZW_OK);
    char words[100];
    (void)snprintf(words, sizeof words,
                   "`ground` %d impacts, closed once; closed at the end, since t", impacts);
    expect_line(&b, words);
    (void)snprintf(words, sizeof words, "`ground`: %d impacts, at rest from t = 4.0", impacts);
    bench_expect(&b, "R0530", words);
    bench_expect(&b, "R0530", "; bounces lower than 1e-06 left out");
    assert_int_equal(statistics(&b).trust, ZW_TRUST_OK);
    bench_close(&b);
    assert_int_equal(run(&b, BLOCK "restitution ground: 0.5\nstart y = 1\n"
                                   "simulate t = 0..6, rest = 0.1\n"),
                     ZW_OK);
    expect_line(&b, "`ground` 6 impacts, closed once");
    bench_expect(&b, "R0530", "; bounces slower than 0.1 left out");
    bench_close(&b);
}

/* Another run of the same simulation counts from nothing. */
static void counts_of_a_second_run(void **state)
{
    (void)state;
    bench b;
    zw_run_settings settings;
    zw_outcome outcome;
    assert_int_equal(run(&b, BLOCK "restitution ground: 0.6\nstart y = 1\nsimulate t = 0..0.5\n"),
                     ZW_OK);
    assert_int_equal(zw_run_defaults(b.model, &settings), ZW_OK);
    assert_int_equal(zw_sim_start(b.sim, false), ZW_OK);
    assert_int_equal(zw_sim_begin(b.sim, &settings), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 0.5, &outcome), ZW_OK);
    expect_line(&b, "`ground` 1 impact; open at the end\n");
    bench_near(statistics(&b).energy.impacts, -9.81 * (1.0 - 0.36), 1e-9);
    bench_close(&b);
}

static void lines_of_contacts(void **state)
{
    (void)state;
    bench b;
    /* the same of many is one line, of too many lines those with most */
    assert_int_equal(run(&b,
                         "coord x[9]\nkinetic dot(x', x')/2\npotential 9.81*sum(i in 1..9, x[i])\n"
                         "for i in 1..9 {\n  constraint low[i]: x[i] >= 0\n"
                         "  restitution low[i]: 0.5\n  start x[i] = if(i < 4, 1, i/100)\n}\n"
                         "simulate t = 0..0.1\n"),
                     ZW_OK);
    expect_line(&b, "             `low[1..3]` open throughout\n");
    expect_line(&b, "contacts     `low[4]` ");
    bench_close(&b);
    assert_int_equal(run(&b, BLOCK "constraint wall: x <= 9\nstart y = 2, x' = 0.1\n"
                                   "simulate t = 0..0.1\n"),
                     ZW_OK);
    expect_line(&b, "contacts     `ground` open throughout\n             `wall` open throughout\n"
                    "             lowest gap 1.9");
    bench_close(&b);
}

static void rules_and_guards(void **state)
{
    (void)state;
    bench b;
    static const char cradle[] =
        "coord x[3]\nkinetic dot(x', x')/2\nfor i in 1..2 {\n"
        "  constraint c[i]: x[i + 1] - x[i] >= 1\n  restitution c[i]: 1\n}\n"
        "start x = [-1, 1, 2], x[1]' = 1\nsimulate t = 0..3, impacts = %s\n";
    static const char *const rules[] = {"rounds", "together"};
    for (int k = 0; k < 2; k++) {
        char text[400], words[100];
        (void)snprintf(text, sizeof text, cradle, rules[k]);
        (void)snprintf(words, sizeof words, "depends on the rule `%s`", rules[k]);
        assert_int_equal(run(&b, text), ZW_OK);
        bench_expect(&b, "R0532", "simultaneous impacts of `c[1..2]` (once)");
        bench_expect(&b, "R0532", words);
        assert_int_equal(statistics(&b).trust, ZW_TRUST_REMARKS);
        expect_line(&b, "trust        ok with remarks: simultaneous impacts of `c[1..2]` (once)");
        bench_close(&b);
    }
    assert_int_equal(run(&b,
                         ROD "restitution end: 0.91\nfriction end: 0.57 along x - cos(th)/2\n"
                             "start th = 0.78, y = sin(0.78)/2, x' = 0.29, y' = -1, th' = 3.84\n"
                             "simulate t = 0..0.1, impact = newton\n"),
                     ZW_OK);
    bench_expect(&b, "R0531", "1 impact of `end` by newton's law would have gained energy (up to ");
    expect_line(&b, "trust        ok with remarks: energy guard: 1 impact of `end`");
    /* gains of a 1e-12th of the kinetic energy are let pass */
    assert_true(statistics(&b).energy.impacts <= 1e-11 * statistics(&b).energy.scale);
    bench_close(&b);
}

/* ------------------------------------------------------------------------------ the end */

/* The messages themselves are in tests/diag; here: how far the run came, and how it is judged. */
static void runs_that_contacts_end(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code, *line;
        double t;
    } list[] = {
        {"coord x\nkinetic x'^2/2\nconstraint left: x >= t - 1\nconstraint right: x <= 1 - t\n"
         "start x = 0.1\nsimulate t = 0..3\n",
         "E0513", "t = 1: inequalities cannot hold together any longer (x = ", 1.0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint stair: y >= floor(x)\n"
         "start x = 0.2, y = 0.4, x' = 1\nsimulate t = 0..2\n",
         "E0512", "t = 0.8: a contact was missed (x = 1, y = 0.4, x' = 1, y' = 0)", 0.8},
        {BLOCK "friction ground: 0.2 - 0.3*t along x'\nstart x' = 5\nsimulate t = 0..3\n", "E0505",
         "a coefficient of friction or a restitution is out of its range (x = ", 2.0 / 3.0},
        {ROD "potential 9.81*y\nfriction end: if(t < 0.01, 0.1, 3) along x - cos(th)/2\n"
             "start th = 1.2, y = sin(1.2)/2, x' = -4\nsimulate t = 0..1\n",
         "E0510", "t = 0.01: no motion goes with the laws of contact and friction (x = ", 0.01},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bench b;
        assert_int_equal(run(&b, list[k].text), ZW_ERR_CONTACT);
        assert_non_null(bench_message(&b, list[k].code));
        bench_near(statistics(&b).t, list[k].t, 1e-9);
        assert_int_equal(statistics(&b).trust, ZW_TRUST_NOT);
        expect_line(&b, list[k].line);
        bench_close(&b);
    }
}

/* At the beginning of a run there is nothing to conclude: it is refused, with the message. */
static void starts_that_are_refused(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, ROD "potential 9.81*y\nfriction end: 3 along x - cos(th)/2\n"
                                 "start th = 1.2, y = sin(1.2)/2, x' = -4\nsimulate t = 0..1\n"),
                     ZW_ERR_START);
    bench_expect(&b, "E0510", "at the start no force at `end` (slip -4, mu = 3) is possible");
    bench_close(&b);
    assert_int_equal(run(&b, BLOCK "restitution ground: 1 + y\nstart y = 0.5\nsimulate t = 0..1\n"),
                     ZW_ERR_START);
    bench_expect(&b, "E0505",
                 "at the start the restitution of `ground` is 1.5, not between 0 and 1");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(works_in_closed_form),   cmocka_unit_test(ledgers_close),
        cmocka_unit_test(a_ball_at_rest),         cmocka_unit_test(counts_of_a_second_run),
        cmocka_unit_test(lines_of_contacts),      cmocka_unit_test(rules_and_guards),
        cmocka_unit_test(runs_that_contacts_end), cmocka_unit_test(starts_that_are_refused),
    };
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
