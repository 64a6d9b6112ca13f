/*
 * What is said about a run: the verdict as text and JSON against the statistics, the rules of
 * trust, and the messages: every model of docs/messages/run.md that is called wrong gives its
 * message, every one that is right does not.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "run.h"

/* ------------------------------------------------------------------------- runs */

/* What a test asks for besides the model's own settings; zeros: nothing. */
typedef struct wish {
    const char *method, *stabilize;
    double tol, step;
    int64_t max_steps;
} wish;

/* Begins the model's own run. */
static void begin(bench *b, const char *text, const wish *w)
{
    zw_run_settings set;
    bench_open(b, text);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    if (w && w->method) assert_int_equal(zw_method_find(w->method, &set.method), ZW_OK);
    if (w && w->stabilize) assert_int_equal(zw_stabilize_find(w->stabilize, &set.stabilize), ZW_OK);
    if (w && w->tol > 0.0) set.tol = set.abs_tol = w->tol;
    if (w && w->step > 0.0) set.step = w->step;
    if (w) set.max_steps = w->max_steps;
    assert_true(set.until > 0.0);
    assert_int_equal(bench_start(b, set.accept_inconsistent), ZW_OK);
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
}

/* A row of the usual columns, as the command writes. */
static void write_row(bench *b)
{
    zw_columns *columns;
    double row[400];
    assert_int_equal(zw_columns_create(b->model, NULL, &columns), ZW_OK);
    assert_true(zw_columns_count(columns) <= 400);
    (void)zw_sim_columns(b->sim, columns, row);
    zw_columns_free(columns);
}

static zw_status run(bench *b, const char *text, const wish *w)
{
    zw_outcome outcome;
    begin(b, text, w);
    zw_status status = zw_sim_advance(b->sim, b->sim->run->settings.until, &outcome);
    if (status == ZW_OK) write_row(b);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
    return status;
}

static bool keep(void *user, const char *bytes, size_t size)
{
    zb_text_bytes(user, bytes, size);
    return true;
}

/* The verdict as text; the caller frees it. */
static zb_text verdict(bench *b, zw_report_form form)
{
    zb_text text;
    zb_text_init(&text, b->sim->memory);
    assert_int_equal(zw_sim_verdict(b->sim, form, keep, &text), ZW_OK);
    return text;
}

static void expect_line(bench *b, const char *words)
{
    zb_text text = verdict(b, ZW_REPORT_TEXT);
    if (!strstr(zb_text_string(&text), words))
        fail_msg("'%s' is not in\n%s", words, zb_text_string(&text));
    zb_text_free(&text);
}

static void expect_trust(bench *b, zw_trust trust, const char *words)
{
    zw_run_statistics s;
    zb_text reason;
    zb_text_init(&reason, b->sim->memory);
    assert_int_equal(zw_sim_statistics(b->sim, &s), ZW_OK);
    zr_judge(b->sim, &s, &reason);
    if (s.trust != trust || !strstr(zb_text_string(&reason), words))
        fail_msg("trust %d: %s", (int)s.trust, zb_text_string(&reason));
    zb_text_free(&reason);
}

static const char pendulum[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                               "constraint rod: x^2 + y^2 = 1\nstart x = 1, y = 0\n"
                               "simulate t = 0..2, tol = 1e-10\n";
static const char lift[] = "coord x, z\nkinetic (x'^2 + z'^2)/2\npotential 9.81*z\n"
                           "force x: 2\ndissipation 3/2*x'^2\nconstraint cabin: z = 3*t\n"
                           "start z' = 3\nsimulate t = 0..2\n";
static const char servos[] = "coord x\nkinetic x'^2/2\nconstraint slow: x'' = 1\n"
                             "constraint quick: x'' = 3\nsimulate t = 0..1\n";
static const char rods[] = "coord x, y\nkinetic x'^2 + y'^2\nconstraint rod: x^2 + y^2 = 1\n"
                           "constraint other: x^2 + y^2 = 1.44\nstart x = 1.1, y' = 1\n"
                           "simulate t = 0..1, inconsistent = accept\n";

/* ---------------------------------------------------------------------- the forms */

static void text_of_a_good_run(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, pendulum, NULL), ZW_OK);
    expect_line(&b, "model.zw: t = 0 to 2 in ");
    expect_line(&b, "\nmethod       dop853, tol 1e-10, steps ");
    expect_line(&b, "\nconstraints  worst violation: position ");
    expect_line(&b, " (`rod`, t = ");
    expect_line(&b, ", conserved to ");
    expect_line(&b, "\ntrust        ok\n");
    zb_text text = verdict(&b, ZW_REPORT_TEXT);
    assert_null(strstr(zb_text_string(&text), "rank"));
    assert_null(strstr(zb_text_string(&text), "work"));
    zb_text_free(&text);
    assert_int_equal(zw_context_diagnostic_count(b.context), 0);
    bench_close(&b);
}

/* x' = 2/3 (1 - exp(-3 t)); the cabin is lifted by 6. */
static void text_of_a_ledger(void **state)
{
    (void)state;
    bench b;
    zw_run_statistics s;
    assert_int_equal(run(&b, lift, NULL), ZW_OK);
    assert_int_equal(zw_sim_statistics(b.sim, &s), ZW_OK);
    double e3 = exp(-6.0), x = 2.0 / 3.0 * (2.0 - (1.0 - e3) / 3.0);
    double v = 2.0 / 3.0 * (1.0 - e3);
    bench_near(s.energy.start, 4.5, 1e-14);
    bench_near(s.energy.end, 4.5 + 6 * 9.81 + v * v / 2, 1e-8);
    bench_near(s.energy.impressed, 2.0 * x, 1e-8);
    bench_near(s.energy.dissipation, v * v / 2 - 2.0 * x, 1e-8);
    bench_near(s.energy.ideal, 6 * 9.81, 1e-8);
    assert_true(s.energy.nonideal == 0.0 && s.energy.control == 0.0 && !s.energy.conserved);
    expect_line(&b, "\nenergy       from 4.5 to 63.58");
    expect_line(&b, "\n  work       impressed 2.22");
    expect_line(&b, ", ideal 58.86");
    bench_close(&b);
}

static void text_of_a_conflict(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, servos, NULL), ZW_OK);
    expect_line(&b, "\nrank         1 of 2 rows");
    expect_line(&b,
                "\nconflict     accelerations of `slow` and `quick` from t = 0 on, at most 1.41");
    expect_line(&b, "\ntrust        ok with remarks: `slow` and `quick` ask for accelerations");
    bench_close(&b);
}

static json_t *object_of(bench *b)
{
    json_error_t error;
    zb_text text = verdict(b, ZW_REPORT_JSON);
    json_t *root = json_loadb(zb_text_string(&text), text.length, JSON_REJECT_DUPLICATES, &error);
    if (!root) fail_msg("line %d: %s in\n%s", error.line, error.text, zb_text_string(&text));
    zb_text_free(&text);
    return root;
}

/* The number at a path of keys, "energy.works.ideal". */
static double number_at(const json_t *root, const char *path)
{
    char key[64];
    for (const char *at = path; *at;) {
        size_t length = strcspn(at, ".");
        (void)snprintf(key, sizeof key, "%.*s", (int)length, at);
        root = json_object_get(root, key);
        at += length + (at[length] == '.');
    }
    if (!json_is_number(root)) fail_msg("no number at %s", path);
    return json_number_value(root);
}

static void json_of_a_run(void **state)
{
    (void)state;
    bench b;
    zw_run_statistics s;
    assert_int_equal(run(&b, lift, NULL), ZW_OK);
    assert_int_equal(zw_sim_statistics(b.sim, &s), ZW_OK);
    json_t *root = object_of(&b);
    const struct {
        const char *path;
        double value;
    } list[] = {{"t", 2.0},
                {"from", 0.0},
                {"until", 2.0},
                {"tolerance", 1e-9},
                {"steps", (double)s.steps},
                {"evaluations", (double)s.evaluations},
                {"smallest_step", s.smallest_step},
                {"position.worst", s.position.size},
                {"energy.start", s.energy.start},
                {"energy.end", s.energy.end},
                {"energy.error", s.energy.error},
                {"energy.works.impressed", s.energy.impressed},
                {"energy.works.ideal", s.energy.ideal},
                {"rank.rows", 1.0},
                {"rank.generic", 1.0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (number_at(root, list[i].path) != list[i].value) fail_msg("%s", list[i].path);
    assert_string_equal(json_string_value(json_object_get(root, "status")), "reached");
    assert_string_equal(json_string_value(json_object_get(root, "trust")), "ok");
    assert_true(json_is_null(json_object_get(root, "reason")));
    json_decref(root);
    bench_close(&b);
}

static void json_of_a_failed_run(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, pendulum, &(wish){.max_steps = 3}), ZW_ERR_LIMIT);
    json_t *root = object_of(&b);
    const json_t *failure = json_object_get(root, "failure");
    assert_string_equal(json_string_value(json_object_get(root, "status")), "failed");
    assert_string_equal(json_string_value(json_object_get(failure, "name")), "ZW_ERR_LIMIT");
    assert_string_equal(json_string_value(json_object_get(root, "trust")), "do not trust");
    assert_true(number_at(root, "steps") == 3.0);
    json_decref(root);
    bench_close(&b);
}

static void json_of_a_conflict(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, servos, NULL), ZW_OK);
    json_t *root = object_of(&b);
    const json_t *lost = json_object_get(root, "inconsistency");
    const json_t *rows = json_object_get(lost, "constraints");
    assert_int_equal(json_array_size(rows), 2);
    const json_t *name = json_object_get(json_array_get(rows, 1), "name");
    assert_string_equal(json_string_value(name), "quick");
    bench_near(number_at(lost, "largest"), sqrt(2.0), 1e-12);
    assert_true(number_at(lost, "first_time") == 0.0);
    json_decref(root);
    bench_close(&b);
}

/* ----------------------------------------------------------------------- the rules */

static void trust_in_energy(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, pendulum, &(wish){.method = "rk4", .step = 0.2}), ZW_OK);
    expect_trust(&b, ZW_TRUST_NOT, "the energy, which is conserved, is off by ");
    bench_close(&b);
    assert_int_equal(run(&b, pendulum, &(wish){.tol = 0.2}), ZW_OK);
    zw_run_statistics s;
    assert_int_equal(zw_sim_statistics(b.sim, &s), ZW_OK);
    double error = fabs(s.energy.error) / s.energy.scale;
    expect_trust(&b,
                 error > 1e-2   ? ZW_TRUST_NOT
                 : error > 1e-3 ? ZW_TRUST_REMARKS
                                : ZW_TRUST_OK,
                 "");
    bench_close(&b);
    /* a ledger that does not close: the work is told wrong */
    assert_int_equal(run(&b, lift, NULL), ZW_OK);
    expect_trust(&b, ZW_TRUST_OK, "");
    b.sim->run->record.work[ZR_IDEAL] += 2e-4;
    expect_trust(&b, ZW_TRUST_REMARKS, "the energy differs from what the works say by 0.0002 of ");
    b.sim->run->record.work[ZR_IDEAL] += 0.1;
    expect_trust(&b, ZW_TRUST_NOT, "the energy differs from what the works say by 0.1 of ");
    b.sim->run->record.work[ZR_IDEAL] = (double)NAN;
    expect_trust(&b, ZW_TRUST_NOT, "the energy");
    bench_close(&b);
}

static void trust_in_constraints(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, pendulum, &(wish){.stabilize = "none"}), ZW_OK);
    zw_violation *w = &b.sim->run->stats.position;
    *w = (zw_violation){.size = 2e-8, .relative = 1e-8, .t = 1.5, .row = 0};
    expect_trust(&b, ZW_TRUST_REMARKS, "`rod` is off by 2e-08 in position at t = 1.5");
    w->relative = w->size = 1e-4;
    expect_trust(&b, ZW_TRUST_REMARKS, "`rod` is off by 0.0001");
    w->relative = w->size = 2e-3;
    expect_trust(&b, ZW_TRUST_NOT, "`rod` is off by 0.002");
    b.sim->run->settings.stabilize = ZW_PROJECT;
    w->relative = w->size = 1e-4;
    expect_trust(&b, ZW_TRUST_NOT, "`rod` is off by 0.0001");
    /* at rest: large beside its terms, and nothing */
    *w = (zw_violation){.size = 1e-16, .relative = 1.0, .t = 1.5, .row = 0};
    b.sim->run->stats.velocity = (zw_violation){.row = -1};
    expect_trust(&b, ZW_TRUST_OK, "");
    /* a row in conflict is excused */
    *w = (zw_violation){.size = 0.1, .relative = 0.1, .t = 1.5, .row = 0};
    b.sim->run->record.ever_conflicting[0] = true;
    expect_trust(&b, ZW_TRUST_OK, "");
    bench_close(&b);
}

static void trust_in_starts(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b,
                         "coord x, y\nkinetic x'^2 + y'^2\npotential y\n"
                         "constraint rod: x^2 + y^2 = 1\nstart x = 5\nsimulate t = 0..1\n",
                         NULL),
                     ZW_OK);
    expect_trust(&b, ZW_TRUST_REMARKS,
                 "the start was moved onto the constraints (most of all x "
                 "from 5 to 1)");
    bench_close(&b);
    assert_int_equal(run(&b, rods, NULL), ZW_OK);
    expect_trust(&b, ZW_TRUST_REMARKS, "`rod` is off by 0.22, `other` is off by 0.22 at t = 1");
    bench_close(&b);
}

static void trust_in_events(void **state)
{
    (void)state;
    bench b;
    /* a clutch that closes: 2 and 1 become 1.5 and 1.5 */
    assert_int_equal(run(&b,
                         "coord x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\n"
                         "constraint hold: if(s > 0.5, x' - y', s') = 0\n"
                         "start x' = 2, y' = 1\nwhen t > 1: s = 1\nsimulate t = 0..2\n",
                         NULL),
                     ZW_OK);
    expect_trust(&b, ZW_TRUST_REMARKS,
                 "what `when t > 1` left at t = 1 was moved onto the "
                 "constraints, which changed the energy by -0.25");
    bench_close(&b);
}

static void trust_at_rest(void **state)
{
    (void)state;
    bench b;
    /* nothing moves but rounding */
    assert_int_equal(run(&b,
                         "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: 0.9 + sin(t)\n"
                         "constraint hold: [x + y/3, x/7 - y] = 0\nsimulate t = 0..1\n",
                         NULL),
                     ZW_OK);
    expect_trust(&b, ZW_TRUST_OK, "");
    bench_close(&b);
}

static bool no_more(void *user, const zw_progress *progress)
{
    (void)user;
    return progress->t < 1.0;
}

static void trust_in_interrupted_runs(void **state)
{
    (void)state;
    bench b;
    zw_outcome outcome;
    begin(&b, pendulum, NULL);
    b.sim->run->settings.poll = no_more;
    assert_int_equal(zw_sim_advance(b.sim, 2.0, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_INTERRUPTED);
    expect_trust(&b, ZW_TRUST_NOT, "the run was interrupted, at t = ");
    b.sim->run->settings.poll = NULL;
    assert_int_equal(zw_sim_advance(b.sim, 2.0, &outcome), ZW_OK);
    expect_trust(&b, ZW_TRUST_OK, "");
    bench_close(&b);
}

static void trust_in_early_ends(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b, pendulum, &(wish){.max_steps = 3}), ZW_ERR_LIMIT);
    expect_trust(&b, ZW_TRUST_NOT, "the run ended early, at t = ");
    expect_line(&b, " of 2 in 3 steps");
    bench_expect(&b, "E0704", "the limit of 3 steps is reached at t = ");
    bench_close(&b);
}

/* ------------------------------------------------------------------ the messages */

static void try_example(const char *code, const char *model, bool wrong)
{
    bench b;
    bool command = model[0] == '$',
         failed = run(&b, command ? pendulum : model, command ? &(wish){.max_steps = 10} : NULL) !=
                  ZW_OK;
    bool said = bench_message(&b, code) != NULL;
    if (said != wrong || failed != (wrong && code[0] == 'E'))
        fail_msg("%s, %s: said %d, failed %d", code, wrong ? "wrong" : "right", said, failed);
    bench_close(&b);
}

static void examples_of_the_document(void **state)
{
    (void)state;
    char *text = bench_read_page(ZW_TEST_MESSAGES), code[6] = {0};
    bool bdf = zi_find_method("bdf") != NULL;
    int count = 0;
    for (const char *at = strstr(text, "\n## "); at; count++) {
        const char *next = strstr(at + 4, "\n## "), *end = next ? next : text + strlen(text);
        memcpy(code, at + 4, 5);
        for (int k = 0; k < 2; k++) {
            char *model = bench_next_block(&at, end);
            if (!model) continue;
            if (bdf || !(strstr(model, "bdf") || strstr(model, "auto")))
                try_example(code, model, k == 0);
            free(model);
        }
        at = next;
    }
    assert_true(count >= 10);
    free(text);
}

static void words_of_messages(void **state)
{
    (void)state;
    bench b;
    assert_int_equal(run(&b,
                         "coord x\nkinetic x'^2/2\nforce x: sqrt(1 - x)\nstart x' = 1\n"
                         "simulate t = 0..2\n",
                         NULL),
                     ZW_ERR_NOT_FINITE);
    bench_expect(&b, "E0702", " `sqrt(1 - x)` is the root of a negative number: 1 - x = -");
    assert_int_equal(bench_message(&b, "E0702")->line, 3);
    bench_close(&b);
    assert_int_equal(run(&b,
                         "coord x, y\nkinetic x'^2\nmass y: max(0, 1 - t)\n"
                         "start x' = 1\nsimulate t = 0..2\n",
                         NULL),
                     ZW_ERR_UNDETERMINED);
    bench_expect(&b, "E0703",
                 "coordinate y has no inertia and no constraint determines it at t = 1");
    bench_close(&b);
    assert_int_equal(run(&b,
                         "coord x, y\nkinetic x'^2 + y'^2\n"
                         "constraint slide: x = if(t < 1, 0, 1)\nsimulate t = 0..2\n",
                         NULL),
                     ZW_ERR_STEP);
    bench_expect(&b, "E0701", "at t = 1 the step size fell under its limit: `slide` jumps there");
    bench_close(&b);
    assert_int_equal(run(&b, servos, NULL), ZW_OK);
    bench_expect(&b, "W0712",
                 "`slow` and `quick` ask for accelerations that contradict each other "
                 "from t = 0 on, by at most 1.41421");
    bench_close(&b);
}

/* However little a heavy row is off, it has its part in the conflict; a bystander has none. */
static void names_of_heavy_rows(void **state)
{
    (void)state;
    bench b;
    char text[400];
    for (int power = -12; power <= 12; power += 3) {
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic x'^2 + y'^2\nconstraint slow: 3*x'' = 3\n"
                       "constraint quick: x'' = 2\nconstraint apart: y'' = 1\n"
                       "weight slow: 1e%d\nsimulate t = 0..1, inconsistent = accept\n",
                       power);
        assert_int_equal(run(&b, text, NULL), ZW_OK);
        bench_expect(&b, "W0712", "`slow` and `quick` ask for accelerations that contradict");
        bench_close(&b);
    }
}

/* -------------------------------------------------------------------------- misuse */

static void without_a_run(void **state)
{
    (void)state;
    bench b;
    zb_text text;
    bench_open(&b, pendulum);
    zb_text_init(&text, b.sim->memory);
    assert_int_equal(zw_sim_verdict(b.sim, ZW_REPORT_TEXT, keep, &text), ZW_ERR_ORDER);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_ERR_ORDER);
    zb_text_free(&text);
    bench_close(&b);
}

static bool refuse(void *user, const char *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return false;
}

/* Every budget: all or an error, and nothing is lost. */
static void little_memory(void **state)
{
    (void)state;
    bench b;
    zw_outcome outcome;
    int failures = 0;
    begin(&b, servos, NULL);
    assert_int_equal(zw_sim_advance(b.sim, 1.0, &outcome), ZW_OK);
    size_t held = zw_context_held(b.context);
    for (size_t extra = 1; extra < 6000; extra += 37) {
        for (int form = 0; form < 2; form++) {
            assert_int_equal(zw_context_set_budget(b.context, held + extra), ZW_OK);
            zw_status status =
                zw_sim_verdict(b.sim, form ? ZW_REPORT_JSON : ZW_REPORT_TEXT, refuse, NULL);
            assert_true(status == ZW_ERR_WRITE || status == ZW_ERR_BUDGET);
            assert_int_equal(zw_context_held(b.context), held);
            failures += status == ZW_ERR_BUDGET;
        }
    }
    assert_true(failures > 2);
    assert_int_equal(zw_context_set_budget(b.context, held + 100), ZW_OK);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_ERR_BUDGET);
    assert_int_equal(zw_context_set_budget(b.context, 0), ZW_OK);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_a_good_run),   cmocka_unit_test(text_of_a_ledger),
        cmocka_unit_test(text_of_a_conflict),   cmocka_unit_test(json_of_a_run),
        cmocka_unit_test(json_of_a_failed_run), cmocka_unit_test(json_of_a_conflict),
        cmocka_unit_test(trust_in_energy),      cmocka_unit_test(trust_in_constraints),
        cmocka_unit_test(trust_in_starts),      cmocka_unit_test(trust_in_events),
        cmocka_unit_test(trust_at_rest),        cmocka_unit_test(trust_in_interrupted_runs),
        cmocka_unit_test(trust_in_early_ends),  cmocka_unit_test(examples_of_the_document),
        cmocka_unit_test(words_of_messages),    cmocka_unit_test(names_of_heavy_rows),
        cmocka_unit_test(without_a_run),        cmocka_unit_test(little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
