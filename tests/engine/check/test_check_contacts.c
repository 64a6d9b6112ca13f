/*
 * What `check` says of inequalities and friction: rank and degrees of freedom are those of the
 * equations, whatever inequalities stand beside them; gaps and what contacts do at the start;
 * feedback, pivots and lengths of friction against closed forms; and what the pages of the messages
 * show.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text of several lines in the report; said with the report where it is not there. */
static void expect_text(const bench *b, const char *words)
{
    if (!bench_contains(b, words)) fail_msg("'%s' is not in\n%s", words, b->report);
}

static void expect_no_text(const bench *b, const char *words)
{
    if (bench_contains(b, words)) fail_msg("'%s' is in\n%s", words, b->report);
}

static void open_and_check(bench *b, const char *text, zw_report_form form)
{
    bench_open(b, text);
    assert_int_equal(bench_check(b, false, form), ZW_OK);
}

/* ----------------------------------------------------------- rows that are off are not there */

/* The first line of the report that begins with `label`, copied to line [200]. */
static void copy_line(const bench *b, const char *label, char *line)
{
    const char *at = strstr(b->report, label);
    if (!at) fail_msg("no line '%s' in\n%s", label, b->report);
    size_t length = strcspn(at, "\n");
    assert_true(length < 200);
    memcpy(line, at, length);
    line[length] = '\0';
}

static void as_without_inequalities(void **state)
{
    (void)state;
    static const char *const labels[] = {"constraint rows", "rank ", "degrees of freedom"};
    static const char *const equations[] = {
        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint a: x + y = 1\n"
        "constraint b: x - y = 0\nconstraint c: 3*x + y = 2\nstart x = 0.5, y = 0.5\n",
        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint s: x^2 + y^2 + z^2 = 1\n"
        "constraint roll: x' = z*y'\nstart x = 1\n",
        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nstart x = 1\n"};
    static const char more[] =
        "constraint wall: x <= 7\nconstraint low: [y, z] >= [-5, -5]\n"
        "friction wall: 0.3 along y'\nfriction low: 0.2 along [x', y' + z']\n"
        "restitution wall: 0.5\n";
    for (size_t k = 0; k < sizeof equations / sizeof *equations; k++) {
        char text[2000], plain[200], with[200];
        bench a, b;
        (void)snprintf(text, sizeof text, "%s%s", equations[k], more);
        open_and_check(&a, equations[k], ZW_REPORT_TEXT);
        open_and_check(&b, text, ZW_REPORT_TEXT);
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
            copy_line(&a, labels[i], plain);
            copy_line(&b, labels[i], with);
            assert_string_equal(plain, with);
        }
        assert_int_equal(bench_contains(&a, "is redundant"), bench_contains(&b, "is redundant"));
        assert_int_equal(bench_contains(&a, "are independent"),
                         bench_contains(&b, "are independent"));
        expect_no_text(&b, "friction(");
        expect_text(&b, "inequality rows     3\n");
        bench_close(&a);
        bench_close(&b);
    }
}

/* The same in JSON, and in the statistics of a run. */
static void statistics_of_equations(void **state)
{
    (void)state;
    bench b;
    zw_run_settings settings;
    zw_run_statistics s;
    zw_outcome outcome;
    open_and_check(&b,
                   "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                   "constraint tie: x = 2\nconstraint same: 2*x = 4\nconstraint ground: y >= 0\n"
                   "friction ground: 0.3 along x'\nstart x = 2, y = 1\nsimulate t = 0..2\n",
                   ZW_REPORT_JSON);
    expect_text(&b, "\"m\": 2,\n  \"rank\": 1,");
    expect_text(&b, "\"dof\": 1,");
    expect_text(&b, "\"dof_closed\": 1,");
    assert_int_equal(zw_sim_start(b.sim, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b.model, &settings), ZW_OK);
    assert_int_equal(zw_sim_begin(b.sim, &settings), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 2.0, &outcome), ZW_OK);
    assert_int_equal(zw_sim_statistics(b.sim, &s), ZW_OK);
    assert_int_equal(s.generic_rank, 1); /* though the ground is closed now */
    assert_int_equal(s.rank, 1);
    bench_close(&b);
}

/* ------------------------------------------------------------------------- what contacts do */

#define BLOCK "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ground: y >= 0\n"

static void states_at_the_start(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } list[] = {
        {BLOCK "start y = 3\n", "  ground  on positions      open, gap 3\n"},
        {BLOCK, "  ground  on positions      closed\n"},
        {BLOCK "restitution ground: 0.5, tangential = 0.2\nstart y' = -2\n",
         "touches and approaches at 2: an impact at the start;\n      restitution 0.5, "
         "tangential 0.2\n"},
        {BLOCK "start y' = 1\n", "  ground  on positions      open, gap 0\n"},
        {BLOCK "friction ground: 0.3 along x'\n", "closed, sticks\n"},
        {BLOCK "friction ground: 0.3 along x'\nstart x' = 1\n", "closed, slides\n"},
        {BLOCK "friction ground: 0.3 along x'\nforce x: 5\n", "closed, slides\n"},
        {BLOCK "friction ground: 0.3 along x'\nforce x: 2\n",
         "degrees of freedom  2 (0 while `ground` sticks)\n"},
        {BLOCK "constraint wall: x <= 1\nstart x = 1\nforce x: 1\n",
         "degrees of freedom  2 (0 while `ground`, `wall` are closed)\n"},
        {BLOCK "constraint wall: x <= 1\nstart x = 1\nforce x: -1\n",
         "degrees of freedom  2 (1 while `ground` is closed)\n"},
        {BLOCK "constraint clutch: x' >= y' - 1\n", "  clutch  on velocities     open, value 1\n"},
        {BLOCK "constraint pull: x'' >= 2\n", "  pull    on accelerations  closed\n"},
        {"coord x[3]\nkinetic dot(x', x')/2\nfor i in 1..3 { constraint up[i]: x[i] >= -i }\n",
         "  up[1..3]  on positions      open, gap 1 to 3\n"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        bench b;
        open_and_check(&b, list[i].text, ZW_REPORT_TEXT);
        expect_text(&b, list[i].words);
        bench_close(&b);
    }
}

/* Of a rod whose lower end slides: G_nn = (1 + 3 c^2)/m, G_nt = 3 s c/m, so that friction changes the
 * pressure by mu 3 s c / (1 + 3 c^2), and the slip moves sqrt((1 + 3 s^2) / (1 + 3 c^2)) as much. */
static void friction_of_a_rod(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const double angle = 0.3 + 0.3 * k, mu = 0.2 + 0.5 * k;
        const double c = cos(angle), s = sin(angle);
        char text[600];
        bench b;
        double feedback, pivot, ratio;
        (void)snprintf(text, sizeof text,
                       "coord x, y, th\nkinetic 3*(x'^2 + y'^2)/2 + 3*th'^2/24\n"
                       "potential 9.81*3*y\nconstraint end: y - sin(th)/2 >= 0\n"
                       "friction end: %.17g along x - cos(th)/2\nstart th = %.17g, y = %.17g\n",
                       mu, angle, s / 2.0 + (k % 2)); /* closed or open, it is the same */
        open_and_check(&b, text, ZW_REPORT_JSON);
        const char *at = strstr(b.report, "\"slip_to_gap\": ");
        assert_non_null(at);
        ratio = strtod(at + strlen("\"slip_to_gap\": "), NULL);
        at = strstr(b.report, "\"friction_feedback\": ");
        assert_non_null(at);
        feedback = strtod(at + strlen("\"friction_feedback\": "), NULL);
        at = strstr(b.report, "\"friction_pivot\": ");
        assert_non_null(at);
        pivot = strtod(at + strlen("\"friction_pivot\": "), NULL);
        bench_near(ratio, sqrt((1.0 + 3.0 * s * s) / (1.0 + 3.0 * c * c)), 1e-13);
        bench_near(feedback, mu * 3.0 * s * c / (1.0 + 3.0 * c * c), 1e-13);
        bench_near(pivot, 1.0 - mu * 3.0 * s * c / (1.0 + 3.0 * c * c), 1e-13);
        bench_close(&b);
    }
}

static void words_about_friction(void **state)
{
    (void)state;
    bench b;
    open_and_check(&b, BLOCK "friction ground: 0.3 along x', static = 0.4\n", ZW_REPORT_TEXT);
    expect_text(&b, "  ground  coefficient 0.3, static 0.4, sticks; slip to gap 1\n");
    expect_text(&b, "  friction does not change its own normal force\n");
    bench_close(&b);
    open_and_check(&b,
                   "coord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/24\nconstraint end: y - "
                   "sin(th)/2 >= 0\nfriction end: 2 along x - cos(th)/2\nstart th = 1.1, y = 1\n",
                   ZW_REPORT_TEXT);
    expect_text(&b,
                "friction changes its own normal force by up to 150 %: solved together; forces\n"
                "    may not be unique\n");
    expect_text(&b,
                "  smallest pivot -0.5 of the frictionless at the start: where `end` slides one\n"
                "    way there may be no motion, or two (E0510, E0511)\n");
    bench_close(&b);
    /* in a joint: the pressure is the norm of its multipliers */
    open_and_check(&b,
                   "coord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/20\npotential 9.81*y\n"
                   "constraint pin: [x - sin(th), y + cos(th)] = 0\nfriction pin: 0.05 along th'\n"
                   "start th = 1, x = sin(1), y = -cos(1)\n",
                   ZW_REPORT_TEXT);
    expect_text(&b, "  pin   coefficient 0.05, slides; slip to gap ");
    expect_text(&b, "friction changes its own normal force by up to 4.5 %: solved together\n");
    expect_no_text(&b, "inequalit");
    bench_close(&b);
}

/* Legs of a table: one follows from the three others, and shares are not unique. */
static void contacts_that_depend(void **state)
{
    (void)state;
    bench b;
    static const char table[] = "param s = [1, 1, -1, -1], r = [1, -1, -1, 1]\ncoord x, z, a, b\n"
                                "kinetic (x'^2 + z'^2 + 0.3*a'^2 + 0.3*b'^2)/2\npotential 9.81*z\n"
                                "for i in 1..4 { constraint leg[i]: z + s[i]*a + r[i]*b >= 0 }\n";
    char text[1000];
    open_and_check(&b, table, ZW_REPORT_TEXT);
    expect_text(&b, "degrees of freedom  4 (1 while `leg[1..4]` are closed)\n");
    expect_text(&b, "  while they are closed `leg[4]` follows from `leg[1..3]`: leg[4] = leg[1]");
    expect_text(&b, "  the motion is unique, their shares of the load are not\n");
    assert_null(bench_message(&b, "W0520"));
    assert_null(bench_message(&b, "R0610"));
    bench_close(&b);
    (void)snprintf(text, sizeof text,
                   "%sfor i in 1..4 { friction leg[i]: 0.3 along x' }\nweight leg[1]: 2\n", table);
    open_and_check(&b, text, ZW_REPORT_TEXT);
    bench_expect(&b, "W0520",
                 "friction at `leg[1..4]` depends on shares that are not unique; taken: "
                 "springs as stiff as the weights say");
    bench_close(&b);
}

/* A resistance beside a friction of the right length is not warned of; alone it is. */
static void lengths_of_friction(void **state)
{
    (void)state;
    bench b;
    static const char ball[] = "coord x, y, th\nkinetic (x'^2 + y'^2)/2 + 0.0005*th'^2\n"
                               "constraint ground: y >= 0\nfriction ground: 0.002 along th'\n";
    char text[600];
    open_and_check(&b, ball, ZW_REPORT_TEXT);
    bench_expect(&b, "W0522",
                 "the slip of `friction(ground)` moves 31.6 times as much as `ground`");
    bench_close(&b);
    (void)snprintf(text, sizeof text, "%sfriction ground: 0.4 along x' + 0.05*th'\n", ball);
    open_and_check(&b, text, ZW_REPORT_TEXT);
    assert_null(bench_message(&b, "W0522"));
    bench_close(&b);
}

/* -------------------------------------------------------------------------- the messages */

/* Start, run and conclude; whether all went well. */
static bool run_all(bench *b, const char *text)
{
    zw_run_settings settings;
    zw_outcome outcome;
    bench_open(b, text);
    assert_int_equal(zw_run_defaults(b->model, &settings), ZW_OK);
    if (zw_sim_start(b->sim, false) != ZW_OK) return false;
    if (zw_sim_begin(b->sim, &settings) != ZW_OK) return false;
    zw_status status = zw_sim_advance(b->sim, settings.until, &outcome);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
    return status == ZW_OK;
}

/* The first model of each section has its message, the second has not. */
static void examples_of_the_page(void **state)
{
    (void)state;
    char *text = bench_read_page(ZW_TEST_CONTACTS), code[6] = {0};
    int count = 0;
    for (const char *at = strstr(text, "\n## "); at;) {
        const char *next = strstr(at + 4, "\n## "), *end = next ? next : text + strlen(text);
        memcpy(code, at + 4, 5);
        for (int k = 0; k < 2; k++) {
            bench b;
            char *model = bench_next_block(&at, end);
            if (!model) continue;
            bool well = run_all(&b, model), said = bench_message(&b, code) != NULL;
            if (said != (k == 0) || well == (k == 0 && code[0] == 'E'))
                fail_msg("%s, model %d: said %d, ran %d", code, k, said, well);
            bench_close(&b);
            free(model);
            count++;
        }
        at = next;
    }
    assert_true(count >= 20);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_without_inequalities), cmocka_unit_test(statistics_of_equations),
        cmocka_unit_test(states_at_the_start),     cmocka_unit_test(friction_of_a_rod),
        cmocka_unit_test(words_about_friction),    cmocka_unit_test(contacts_that_depend),
        cmocka_unit_test(lengths_of_friction),     cmocka_unit_test(examples_of_the_page),
    };
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
