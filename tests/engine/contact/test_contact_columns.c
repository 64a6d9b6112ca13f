/*
 * What contacts show: columns, outputs and the log of runs whose answers are known in closed form, and
 * the names that a list of columns may have.
 */
#include "bench.h"
#include "touching_models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81;

/* ------------------------------------------------------------------------- reading */

static void begin_run(bench *b, const char *text, double until)
{
    zw_run_settings set;
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = until;
    set.tol = strcmp(text, puck) == 0 ? 1e-9 : 1e-11;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
}

static void go(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
}

/* One column, which has this name. */
static double column(bench *b, const char *name)
{
    zw_columns *columns = NULL;
    char said[80];
    double row[2];
    if (zw_columns_create(b->model, name, &columns) != ZW_OK)
        fail_msg("%s: %s", name, zw_context_diagnostic(b->context, 0)->sentence);
    assert_int_equal(zw_columns_count(columns), 2);
    assert_true(zw_columns_name(columns, 1, said, sizeof said) < sizeof said);
    assert_string_equal(said, name);
    assert_int_equal(zw_sim_columns(b->sim, columns, row), ZW_OK);
    zw_columns_free(columns);
    return row[1];
}

static zw_contact contact(bench *b, int32_t i)
{
    zw_contact c;
    assert_int_equal(zw_sim_contact(b->sim, i, &c), ZW_OK);
    return c;
}

/* Entry i of the log is of this kind. */
static zw_happened happened(bench *b, int64_t i, zw_happening kind)
{
    zw_happened h;
    assert_int_equal(zw_sim_happened(b->sim, i, &h), ZW_OK);
    if (h.kind != kind) fail_msg("entry %d is '%s'", (int)i, zw_happening_name(h.kind));
    return h;
}

/* ---------------------------------------------------------------------------- ball */

/* The first impact: Poisson's law, and slip all the way through it. */
static void impact_shows_what_is_after_it(void **state)
{
    (void)state;
    bench b;
    double t1 = sqrt(2.0 / g), v1 = g * t1, P = 1.8 * v1, slip = 3.0 - 0.3 * P;
    begin_run(&b, ball, 5.0);
    go(&b, 0.25);
    bench_near(column(&b, "gap(ground)"), 1.0 - g * 0.25 * 0.25 / 2.0, 1e-9);
    bench_near(column(&b, "normal(ground)"), 0.0, 0.0);
    bench_near(column(&b, "slip(ground)"), 3.0, 1e-9);
    bench_near(column(&b, "friction(ground)"), 0.0, 0.0);
    bench_near(column(&b, "contact(ground)"), 0.0, 0.0);
    bench_near(column(&b, "impulse(ground)"), 0.0, 0.0);
    go(&b, 0.5);
    bench_near(column(&b, "impulse(ground)"), P, 1e-8);
    bench_near(column(&b, "hit"), P, 1e-8);
    bench_near(column(&b, "slip(ground)"), slip, 1e-8);
    zw_happened h = happened(&b, 0, ZW_HAPPENS_IMPACT);
    double lost = 0.5 * v1 * v1 * (1.0 - 0.64) + 0.5 * (9.0 - slip * slip);
    bench_near(h.t, t1, 1e-9);
    bench_near(h.impulse, P, 1e-8);
    bench_near(h.energy, lost, 1e-8);
    /* a row at the very moment: after it */
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_settings set;
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.until = 5.0;
    set.tol = 1e-11;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_happened_count(b.sim), 0);
    go(&b, h.t);
    bench_near(column(&b, "y'"), 0.8 * v1, 1e-8);
    bench_near(column(&b, "impulse(ground)"), P, 1e-8);
    bench_close(&b);
}

static void ball_comes_to_rest(void **state)
{
    (void)state;
    bench b;
    int64_t impacts = 0;
    double t0 = sqrt(2.0 / g), rest = t0 * 1.8 / 0.2, lost = 0.0;
    begin_run(&b, ball, 6.0);
    go(&b, 6.0);
    bench_near(column(&b, "normal(ground)"), g, 1e-12);
    bench_near(column(&b, "multiplier(ground)"), g, 1e-12);
    bench_near(column(&b, "pressed"), g, 1e-12);
    bench_near(column(&b, "contact(ground)"), 2.0, 0.0);
    bench_near(column(&b, "how"), 2.0, 0.0);
    bench_near(column(&b, "friction(ground)"), 0.0, 1e-12);
    zw_contact c = contact(&b, 0);
    assert_int_equal(c.state, ZW_STICKS);
    assert_int_equal(c.closings, 1);
    assert_int_equal(c.openings, 0);
    assert_int_equal(c.sticks, 1);
    bench_near(c.last, rest, 1e-3);
    int64_t count = zw_sim_happened_count(b.sim);
    double t = 0.0;
    for (int64_t i = 0; i < count; i++) {
        zw_happened h;
        assert_int_equal(zw_sim_happened(b.sim, i, &h), ZW_OK);
        assert_true(h.t >= t);
        t = h.t;
        if (h.kind == ZW_HAPPENS_IMPACT) impacts++;
        if (h.kind == ZW_HAPPENS_IMPACT) lost += h.energy;
    }
    assert_int_equal(impacts, c.impacts);
    assert_true(impacts > 30);
    bench_near(lost, g + 4.5, 1e-7);
    (void)happened(&b, count - 2, ZW_HAPPENS_CLOSES);
    bench_near(happened(&b, count - 1, ZW_HAPPENS_STICKS).t, c.last, 0.0);
    assert_int_equal(happened(&b, 1, ZW_HAPPENS_WHEN).number, 0);
    zw_happened none;
    assert_int_equal(zw_sim_happened(b.sim, count, &none), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_happened(b.sim, -1, &none), ZW_ERR_ARGUMENT);
    bench_close(&b);
}

/* What slides elsewhere is not struck by it, nor by rounding. */
static void impacts_are_of_those_that_collide(void **state)
{
    (void)state;
    bench b;
    begin_run(&b,
              "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*(y + z)\n"
              "constraint slope: y*cos(0.5) - x*sin(0.5) >= 0\n"
              "friction slope: 0.1 along x*cos(0.5) + y*sin(0.5)\nconstraint ground: z >= 0\n"
              "restitution ground: 0.5\nstart z = 1\n",
              2.0);
    go(&b, 2.0);
    assert_true(contact(&b, 1).impacts > 5);
    assert_int_equal(contact(&b, 0).impacts, 0);
    assert_int_equal(contact(&b, 0).state, ZW_TOUCHES);
    bench_near(column(&b, "impulse(slope)"), 0.0, 0.0);
    for (int64_t i = 0; i < zw_sim_happened_count(b.sim); i++) {
        zw_happened h;
        assert_int_equal(zw_sim_happened(b.sim, i, &h), ZW_OK);
        assert_int_equal(h.number, 1);
    }
    bench_close(&b);
}

/* More happens than is kept: the last of it is there, the first is not. */
static void log_keeps_the_last(void **state)
{
    (void)state;
    bench b;
    zw_happened h;
    begin_run(&b,
              "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint ground: y >= 0\n"
              "restitution ground: 1\nstart y = 1e-3\n",
              60.0);
    go(&b, 60.0);
    int64_t count = zw_sim_happened_count(b.sim);
    double period = 2.0 * sqrt(2e-3 / g);
    assert_int_equal(count, contact(&b, 0).impacts);
    assert_int_equal(count, (int64_t)floor(60.0 / period + 0.5));
    assert_int_equal(zw_sim_happened(b.sim, 0, &h), ZW_ERR_ARGUMENT);
    for (int64_t i = count - 1024; i < count; i++) {
        assert_int_equal(zw_sim_happened(b.sim, i, &h), ZW_OK);
        bench_near(h.t, period * ((double)i + 0.5), 1e-6);
    }
    bench_close(&b);
}

/* ---------------------------------------------------------------------------- belt */

/* Sticks until the spring pulls with 0.4 g; then slides back at 0.2 g. */
static void belt_sticks_and_slips(void **state)
{
    (void)state;
    bench b;
    double slips = 0.4 * g / 3.0;
    begin_run(&b, belt, 4.0);
    bench_near(column(&b, "contact(belt)"), 2.0, 0.0);
    go(&b, 1.0);
    bench_near(column(&b, "friction(belt)"), 3.0, 1e-9);
    bench_near(column(&b, "rub"), 3.0, 1e-9);
    bench_near(column(&b, "slip(belt)"), 0.0, 1e-12);
    bench_near(column(&b, "contact(belt)"), 2.0, 0.0);
    bench_near(column(&b, "force_ideal(x)"), 3.0, 1e-9);
    assert_int_equal(zw_sim_happened_count(b.sim), 0); /* closed and sticking from the start */
    go(&b, 1.4);
    zw_happened h = happened(&b, 0, ZW_HAPPENS_SLIPS);
    bench_near(h.t, slips, 1e-9);
    bench_near(h.impulse, 0.0, 0.0);
    bench_near(column(&b, "friction(belt)"), 0.2 * g, 1e-9);
    bench_near(column(&b, "rub"), 0.2 * g, 1e-9);
    bench_near(column(&b, "pressed"), g, 1e-9);
    bench_near(column(&b, "contact(belt)"), 1.0, 0.0);
    bench_near(column(&b, "how"), 1.0, 0.0);
    assert_true(column(&b, "slip(belt)") < 0.0);
    bench_near(column(&b, "glide"), column(&b, "slip(belt)"), 0.0);
    bench_near(column(&b, "force_nonideal(x)"), 0.2 * g, 1e-9);
    bench_near(column(&b, "x''"), 0.2 * g - 10.0 * column(&b, "x"), 1e-9);
    go(&b, 4.0);
    zw_contact c = contact(&b, 0);
    assert_int_equal(c.impacts, 0);
    assert_int_equal(c.closings, 0);
    bench_near(c.last, 0.0, 0.0);
    assert_true(c.slips >= 1 && c.sticks >= 1);
    (void)happened(&b, 1, ZW_HAPPENS_STICKS);
    bench_close(&b);
}

/* ------------------------------------------------------------- rope, clutch, joint */

static void rope_gets_taut(void **state)
{
    (void)state;
    bench b;
    double v = sqrt(g);
    begin_run(&b, rope, 1.0);
    go(&b, 0.1);
    bench_near(column(&b, "gap(rope)"), 0.5 - g * 0.005, 1e-10);
    go(&b, 1.0);
    bench_near(column(&b, "normal(rope)"), g, 1e-9);
    bench_near(column(&b, "tension"), g, 1e-9);
    bench_near(column(&b, "impulse(rope)"), v, 1e-9);
    bench_near(column(&b, "contact(rope)"), 1.0, 0.0);
    zw_happened h = happened(&b, 0, ZW_HAPPENS_IMPACT);
    bench_near(h.t, sqrt(1.0 / g), 1e-9);
    bench_near(h.energy, g / 2.0, 1e-9);
    bench_near(happened(&b, 1, ZW_HAPPENS_CLOSES).t, h.t, 0.0);
    assert_int_equal(zw_sim_happened_count(b.sim), 2);
    bench_close(&b);
}

/* It closes without an impact: its gap is a velocity. */
static void clutch_closes(void **state)
{
    (void)state;
    bench b;
    begin_run(&b, clutch, 1.0);
    go(&b, 0.25);
    bench_near(column(&b, "gap(clutch)"), 0.5, 1e-9);
    bench_near(column(&b, "carried"), 0.0, 0.0);
    go(&b, 1.0);
    bench_near(column(&b, "gap(clutch)"), 0.0, 1e-12);
    bench_near(column(&b, "normal(clutch)"), 1.0, 1e-12);
    bench_near(column(&b, "carried"), 1.0, 1e-12);
    bench_near(column(&b, "a'"), 1.5, 1e-9);
    bench_near(column(&b, "contact(clutch)"), 1.0, 0.0);
    assert_int_equal(zw_sim_happened_count(b.sim), 1);
    bench_near(happened(&b, 0, ZW_HAPPENS_CLOSES).t, 0.5, 1e-9);
    assert_int_equal(contact(&b, 0).impacts, 0);
    bench_close(&b);
}

/* An equation with friction: its state, and what happens to it by its name. */
static void joint_rubs(void **state)
{
    (void)state;
    bench b;
    char name[20];
    begin_run(&b, joint, 3.0);
    assert_int_equal(zw_model_contact_count(b.model), 1);
    assert_int_equal(zw_model_contact_name(b.model, 0, name, sizeof name), 4);
    assert_string_equal(name, "axle");
    go(&b, 0.1);
    bench_near(column(&b, "contact(axle)"), 1.0, 0.0);
    bench_near(column(&b, "how"), 1.0, 0.0);
    double pressed = fabs(column(&b, "multiplier(axle)"));
    bench_near(column(&b, "friction(axle)"), -0.05 * pressed, 1e-9);
    bench_near(column(&b, "rub"), -0.05 * pressed, 1e-9);
    go(&b, 3.0);
    zw_contact c = contact(&b, 0);
    assert_true(c.sticks >= 1);
    (void)happened(&b, 0, ZW_HAPPENS_STICKS);
    bench_close(&b);
}

/* ------------------------------------------------------------- shares, vectors, names */

/* Loads of least norm, which add up; all of them are said not to be unique. */
static void legs_share(void **state)
{
    (void)state;
    bench b;
    double sum = 0.0, p = 0.0, r = 0.0;
    begin_run(&b, table, 1.0);
    go(&b, 0.5);
    double load[4];
    for (int k = 0; k < 4; k++) {
        char name[20];
        (void)snprintf(name, sizeof name, "normal(leg)[%d]", k + 1);
        load[k] = column(&b, name);
        (void)snprintf(name, sizeof name, "load[%d]", k + 1);
        bench_near(column(&b, name), load[k], 1e-9);
        (void)snprintf(name, sizeof name, "contact(leg)[%d]", k + 1);
        bench_near(column(&b, name), 1.0, 0.0);
        sum += load[k];
        p += (k < 2 ? 1.0 : -1.0) * load[k];
        r += (k % 2 == 0 ? 1.0 : -1.0) * load[k];
    }
    bench_near(sum, 1480.5, 1e-8);
    bench_near(p, 0.05 * 1480.5, 1e-8);
    bench_near(r, 0.1 * 1480.5, 1e-8);
    bench_near(load[0] - load[1] - load[2] + load[3], 0.0, 1e-8); /* least norm */
    bench_close(&b);
}

static void puck_has_rows(void **state)
{
    (void)state;
    bench b;
    begin_run(&b, puck, 2.0);
    go(&b, 0.1);
    double x = column(&b, "slip(table)[1]"), y = column(&b, "slip(table)[2]");
    bench_near(x, column(&b, "x'"), 0.0);
    bench_near(column(&b, "slip(table, 2)"), column(&b, "y'"), 0.0);
    bench_near(column(&b, "friction(table)[1]"), -0.3 * g * x / hypot(x, y), 1e-9);
    bench_near(column(&b, "friction(table)[2]"), -0.3 * g * y / hypot(x, y), 1e-9);
    bench_near(column(&b, "friction(table, 2)"), -0.01 * g, 1e-9);
    bench_near(column(&b, "gap(walls)[1]"), column(&b, "x") + 0.2, 1e-15);
    bench_near(column(&b, "gap(walls)[2]"), 0.5 - column(&b, "x"), 1e-15);
    go(&b, 2.0);
    assert_true(contact(&b, 2).impacts >= 1);
    bench_near(column(&b, "impulse(walls)[2]"), contact(&b, 2).impulse, 0.0);
    bench_close(&b);
}

/* What `all` has, in its order; every name reads back as the column that it is. */
static void all_has_everything_once(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "residual(table)",   "residual(walls)[2]", "rate(table)",        "gap(table)",
        "gap(walls)[1]",     "normal(table)",      "normal(walls)[2]",   "slip(table)[1]",
        "slip(table)[2]",    "slip(table, 2)",     "friction(table)[2]", "friction(table, 2)",
        "contact(walls)[1]", "contact(table)",     "impulse(table)",     "rank"};
    bench b;
    zw_columns *all = NULL;
    char name[80];
    size_t found = 0;
    bench_open(&b, puck);
    assert_int_equal(zw_columns_create(b.model, "all", &all), ZW_OK);
    for (int32_t i = 0; i < zw_columns_count(all); i++) {
        assert_true(zw_columns_name(all, i, name, sizeof name) < sizeof name);
        assert_null(strstr(name, "multiplier")); /* each has another name */
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
            found += strcmp(name, wanted[k]) == 0;
        if (i > 0) {
            zw_columns *one = NULL;
            char again[80];
            assert_int_equal(zw_columns_create(b.model, name, &one), ZW_OK);
            assert_int_equal(zw_columns_count(one), 2);
            (void)zw_columns_name(one, 1, again, sizeof again);
            assert_string_equal(again, name);
            zw_columns_free(one);
        }
    }
    assert_int_equal(found, sizeof wanted / sizeof *wanted);
    zw_columns_free(all);
    /* without a list: nothing of contacts */
    assert_int_equal(zw_columns_create(b.model, NULL, &all), ZW_OK);
    assert_int_equal(zw_columns_count(all), 7);
    zw_columns_free(all);
    bench_close(&b);
}

static void wrong_names_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *list, *code, *sentence, *help;
    } cases[] = {
        {"gap(tabel)", "E0721", "there is no inequality 'tabel'; did you mean 'gap(table)'?", NULL},
        {"norml(table)", "E0721", "did you mean 'normal(table)'?", NULL},
        {"slip(walls)", "E0721", "there is no friction on 'walls'", "is an inequality"},
        {"contact(foo)", "E0721", "there is no contact 'foo'", "there is table, walls"},
        {"friction(table)[3]", "E0722", "it runs from 1 to 2", NULL},
        {"friction(table, 3)", "E0722", "there are 2 frictions on 'table'", NULL},
        {"gap(table, 1)", "E0722", "has an index too many", "leave it out"},
        {"gap(walls)[3]", "E0722", "it runs from 1 to 2", NULL},
        {"gap", "E0721", "'gap' is of a constraint, which is missing", "write gap(NAME)"},
        {"table", "E0721", "there is no column 'table'", "gap(NAME), normal(NAME)"},
        {"wrng(table)", "E0721", "there is no column 'wrng(table)'", "contact and impulse"},
        {"friction(table, x)", "E0723", "cannot be read", NULL}};
    bench b;
    bench_open(&b, puck);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        zw_columns *columns = NULL;
        zw_context_clear_diagnostics(b.context);
        assert_int_equal(zw_columns_create(b.model, cases[k].list, &columns), ZW_ERR_SETTING);
        const zw_diagnostic *d = zw_context_diagnostic(b.context, 0);
        assert_string_equal(d->code, cases[k].code);
        if (!strstr(d->sentence, cases[k].sentence)) fail_msg("%s", d->sentence);
        if (cases[k].help && (!d->help || !strstr(d->help, cases[k].help)))
            fail_msg("%s: %s", cases[k].list, d->help ? d->help : "no help");
    }
    bench_close(&b);
    bench_open(&b, joint);
    zw_columns *columns = NULL;
    zw_context_clear_diagnostics(b.context);
    assert_int_equal(zw_columns_create(b.model, "gap(axle)", &columns), ZW_ERR_SETTING);
    bench_expect(&b, "E0721", "there is no inequality 'axle'");
    bench_close(&b);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    bench b;
    zw_contact c;
    zw_happened h;
    zw_happening kind;
    bench_open(&b, ball);
    assert_int_equal(zw_sim_contact(b.sim, -1, &c), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_contact(b.sim, 1, &c), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_contact(b.sim, 0, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_contact(NULL, 0, &c), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_happened(b.sim, 0, &h), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_happened(NULL, 0, &h), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_happened(b.sim, 0, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_happened_count(NULL), 0);
    assert_int_equal(zw_sim_happened_count(b.sim), 0);
    assert_int_equal(zw_model_contact_count(NULL), 0);
    assert_int_equal(zw_model_contact_name(b.model, 1, NULL, 0), 0);
    assert_string_equal(zw_happening_name(ZW_HAPPENS_SHARES), "shares");
    assert_null(zw_happening_name((zw_happening)99));
    assert_int_equal(zw_happening_find("slips", &kind), ZW_OK);
    assert_int_equal(kind, ZW_HAPPENS_SLIPS);
    assert_int_equal(zw_happening_find("slip", &kind), ZW_ERR_ARGUMENT);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impact_shows_what_is_after_it),
        cmocka_unit_test(ball_comes_to_rest),
        cmocka_unit_test(impacts_are_of_those_that_collide),
        cmocka_unit_test(log_keeps_the_last),
        cmocka_unit_test(belt_sticks_and_slips),
        cmocka_unit_test(rope_gets_taut),
        cmocka_unit_test(clutch_closes),
        cmocka_unit_test(joint_rubs),
        cmocka_unit_test(legs_share),
        cmocka_unit_test(puck_has_rows),
        cmocka_unit_test(all_has_everything_once),
        cmocka_unit_test(wrong_names_are_explained),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests_name("contact_columns", tests, NULL, NULL);
}
