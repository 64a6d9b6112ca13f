/*
 * Lists of columns: which names they give, what is said about wrong ones; memory; arguments.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of the columns of a list, with ", " between. */
static char *names_of(const bench *b, const char *list)
{
    static char text[20000];
    zw_columns *columns = NULL;
    zw_status status = zw_columns_create(b->model, list, &columns);
    if (status != ZW_OK) fail_msg("%s: %s", list, zw_status_name(status));
    text[0] = '\0';
    for (int32_t i = 0; i < zw_columns_count(columns); i++) {
        char name[100];
        size_t length = zw_columns_name(columns, i, name, sizeof name);
        assert_true(length == strlen(name) && length > 0);
        assert_true(strlen(text) + length + 3 < sizeof text);
        if (i > 0) strcat(text, ", ");
        strcat(text, name);
    }
    zw_columns_free(columns);
    return text;
}

static void expect_names(const bench *b, const char *list, const char *names)
{
    assert_string_equal(names_of(b, list), names);
}

/* That a list is refused with this code and sentence, at this column of the list. */
static void refused(bench *b, const char *list, const char *code, int32_t column,
                    const char *sentence)
{
    zw_columns *columns = NULL;
    zw_context_clear_diagnostics(b->context);
    assert_int_equal(zw_columns_create(b->model, list, &columns), ZW_ERR_SETTING);
    assert_null(columns);
    const zw_diagnostic *d = zw_context_diagnostic(b->context, 0);
    assert_non_null(d);
    assert_string_equal(d->sentence, sentence);
    assert_string_equal(d->code, code);
    assert_string_equal(d->file, "columns");
    assert_int_equal(d->line, 1);
    assert_int_equal(d->column, column);
}

static const char *const machine =
    "param N = 3, mass_ = 2\n"
    "component Link(m) {\n  coord r[2], w\n  kinetic m/2*(dot(r', r') + w'^2)\n"
    "  constraint unit: dot(r, r) = 1\n  output height = r[2]\n}\n"
    "coord θ, p[2, 3], x[N], energy_\n"
    "kinetic (θ'^2 + energy_'^2 + dot(x', x') + dot(p[1]', p[1]') + dot(p[2]', p[2]'))/2\n"
    "for i in 1..2 { part link[i] = Link(i) }\n"
    "part base = Link(4)\n"
    "constraint roll: [x[1]' - θ', 0, x[2]' - θ'] = [0, 0, 0]\n"
    "for i in 1..2 {\n  constraint joint[i]: [x[i] - i, link[i].w] = [0, 0]\n}\n"
    "constraint pin: x[3] = 1\ncontrol drive: θ'' = 1\n"
    "output tip = [x[1], x[2]]\noutput spin = [[θ, 1], [2, θ']]\n";

static void default_columns(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, machine);
    expect_names(
        &b, NULL,
        "t, θ, p[1,1], p[1,2], p[1,3], p[2,1], p[2,2], p[2,3], x[1], x[2], x[3], energy_, "
        "link[1].r[1], link[1].r[2], link[1].w, link[2].r[1], link[2].r[2], link[2].w, "
        "base.r[1], base.r[2], base.w, θ', p[1,1]', p[1,2]', p[1,3]', p[2,1]', p[2,2]', "
        "p[2,3]', x[1]', x[2]', x[3]', energy_', link[1].r[1]', link[1].r[2]', link[1].w', "
        "link[2].r[1]', link[2].r[2]', link[2].w', base.r[1]', base.r[2]', base.w', "
        "link[1].height, link[2].height, base.height, tip[1], tip[2], spin[1,1], spin[1,2], "
        "spin[2,1], spin[2,2]");
    bench_close(&b);
}

static void lists(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, machine);
    expect_names(&b, "", "t");
    expect_names(&b, "  ", "t");
    expect_names(&b, "t", "t");
    expect_names(&b, "θ', t, θ", "t, θ', θ");
    expect_names(&b, " x[2] ,θ,x[2], x[ 2 ],t", "t, x[2], θ");
    expect_names(&b, "x", "t, x[1], x[2], x[3]");
    expect_names(&b, "x[3], x", "t, x[3], x[1], x[2]");
    expect_names(&b, "x''", "t, x[1]'', x[2]'', x[3]''");
    expect_names(&b, "x'[2], x[2]''", "t, x[2]', x[2]''");
    expect_names(&b, "p[2]'", "t, p[2,1]', p[2,2]', p[2,3]'");
    expect_names(&b, "p[2,3], p[1][2]", "t, p[2,3], p[1,2]");
    expect_names(&b, "tip, spin[2], spin[1,2]",
                 "t, tip[1], tip[2], spin[2,1], spin[2,2], spin[1,2]");
    expect_names(&b, "force(x)", "t, force(x[1]), force(x[2]), force(x[3])");
    expect_names(&b, "force_ideal( θ ) , force_nonideal(x [2]),control(θ),impressed(x)[3]",
                 "t, force_ideal(θ), force_nonideal(x[2]), control(θ), impressed(x[3])");
    expect_names(&b, "multiplier(pin), residual(drive), rate(pin)",
                 "t, multiplier(pin), residual(drive), rate(pin)");
    expect_names(&b, "energy, kinetic,potential , gaussian,inconsistency,rank",
                 "t, energy, kinetic, potential, gaussian, inconsistency, rank");
    bench_close(&b);
}

/* Rows that say 0 = 0 are dropped; the others keep their numbers. */
static void rows_and_parts(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, machine);
    expect_names(&b, "multiplier(roll)", "t, multiplier(roll)[1], multiplier(roll)[3]");
    expect_names(&b, "multiplier(roll)[3], residual(roll[1])",
                 "t, multiplier(roll)[3], residual(roll)[1]");
    expect_names(&b, "multiplier(joint)",
                 "t, multiplier(joint[1])[1], multiplier(joint[1])[2], multiplier(joint[2])[1], "
                 "multiplier(joint[2])[2]");
    expect_names(&b, "rate(joint[2]), rate(joint)[1]",
                 "t, rate(joint[2])[1], rate(joint[2])[2], rate(joint[1])[1]");
    expect_names(&b, "multiplier(joint[2])[1], multiplier(joint[1][2])",
                 "t, multiplier(joint[2])[1], multiplier(joint[1])[2]");
    expect_names(&b, "multiplier(link[2].unit), multiplier(base.unit)",
                 "t, multiplier(link[2].unit), multiplier(base.unit)");
    expect_names(&b, "residual(link.unit)", "t, residual(link[1].unit), residual(link[2].unit)");
    expect_names(&b, "residual(base)", "t, residual(base.unit)");
    expect_names(&b, "link[2].r, link[1].r[2]'", "t, link[2].r[1], link[2].r[2], link[1].r[2]'");
    expect_names(&b, "link.w", "t, link[1].w, link[2].w");
    expect_names(&b, "link[2]", "t, link[2].r[1], link[2].r[2], link[2].w, link[2].height");
    expect_names(&b, "base', force(base)",
                 "t, base.r[1]', base.r[2]', base.w', force(base.r[1]), force(base.r[2]), "
                 "force(base.w)");
    expect_names(&b, "link.height, base.height", "t, link[1].height, link[2].height, base.height");
    bench_close(&b);
}

/* Long lists are looked up in another way than short ones, and give the same: every item alone,
 * then all together, beginning with each of them. No two of the items share a column. */
static void long_lists(void **state)
{
    (void)state;
    static const char *const items[] = {"x[2]",
                                        "p[2,3]",
                                        "p[1][2]",
                                        "link[2].r",
                                        "link[1].r[2]'",
                                        "base",
                                        "base.w''",
                                        "tip[2]",
                                        "spin[1,2]",
                                        "link[2].height",
                                        "force(x)[1]",
                                        "link[1]",
                                        "multiplier(joint[2])[1]",
                                        "rate(joint[1][2])",
                                        "multiplier(link[2].unit)",
                                        "residual(base.unit)",
                                        "multiplier(roll)[3]",
                                        "residual(roll[1])",
                                        "rate(pin)",
                                        "rank",
                                        "residual(link.unit)",
                                        "residual(joint)",
                                        "control(link.w)"};
    enum { count = sizeof items / sizeof *items };
    bench b;
    bench_open(&b, machine);
    for (int turn = 0; turn < count; turn++) {
        char list[2000] = "", names[4000] = "t";
        for (int k = 0; k < count; k++) {
            const char *item = items[(k + turn) % count];
            strcat(list, k > 0 ? "," : "");
            strcat(list, item);
            strcat(names, names_of(&b, item) + 1);
        }
        expect_names(&b, list, names);
    }
    bench_close(&b);
}

static void everything(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, r[2]\nkinetic x'^2 + dot(r', r')\nconstraint c: [x, r[1]] = [0, 0]\n"
                   "control d: r[2] = 0\noutput s = x\n");
    const char *all =
        "t, x, r[1], r[2], x', r[1]', r[2]', s, x'', r[1]'', r[2]'', energy, kinetic, potential, "
        "force(x), force(r[1]), force(r[2]), force_ideal(x), force_ideal(r[1]), "
        "force_ideal(r[2]), force_nonideal(x), force_nonideal(r[1]), force_nonideal(r[2]), "
        "control(x), control(r[1]), control(r[2]), impressed(x), impressed(r[1]), "
        "impressed(r[2]), multiplier(c)[1], multiplier(c)[2], multiplier(d), residual(c)[1], "
        "residual(c)[2], residual(d), rate(c)[1], rate(c)[2], rate(d), gaussian, inconsistency, "
        "rank";
    expect_names(&b, "all", all);
    expect_names(&b, "x, all, s", all);
    assert_null(strstr(names_of(&b, "rank, all") + 7, "rank"));
    bench_close(&b);
}

/* The model's own names come first; a word of Zwang's that it uses is then not in `all`. */
static void names_of_the_model_win(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, rank[2], rate\nkinetic x'^2 + dot(rank', rank') + rate'^2\n"
                   "constraint rank: x = 0\noutput energy = x + 1\n");
    expect_names(&b, "rank, energy", "t, rank[1], rank[2], energy");
    expect_names(&b, "rate, force(rate), rate(rank), multiplier(rank)",
                 "t, rate, force(rate), rate(rank), multiplier(rank)");
    const char *all = names_of(&b, "all");
    const char *first = strstr(all, ", energy,");
    assert_non_null(first);
    assert_null(strstr(first + 1, ", energy,"));
    assert_null(strstr(all, ", rank,"));
    double row[100], q[] = {4.0, 0.0, 0.0, 0.0};
    zw_columns *columns = NULL;
    assert_int_equal(zw_columns_create(b.model, "energy", &columns), ZW_OK);
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, q), ZW_OK);
    assert_int_equal(zw_sim_columns(b.sim, columns, row), ZW_OK);
    bench_near(row[1], 5.0, 0.0);
    zw_columns_free(columns);
    bench_close(&b);
}

static void unknown_names(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, machine);
    refused(&b, "θ, enrgy", "E0721", 4, "there is no column 'enrgy'; did you mean 'energy'?");
    refused(&b, "energy, tpi", "E0721", 9, "there is no column 'tpi'; did you mean 'tip'?");
    refused(&b, "link[2].heigth", "E0721", 9,
            "there is no column 'link[2].heigth'; did you mean 'link[2].height'?");
    refused(&b, "lnik[2].r[1]'", "E0721", 1,
            "there is no coordinate 'lnik'; did you mean 'link[2].r[1]''?");
    refused(&b, "multplier(roll)[1]", "E0721", 1,
            "there is no column 'multplier(roll)[1]'; did you mean 'multiplier(roll)[1]'?");
    refused(&b, "multiplier(jiont[1])", "E0721", 12,
            "there is no constraint 'jiont'; did you mean 'multiplier(joint[1])'?");
    refused(&b, "multiplier(tip)", "E0721", 12, "there is no constraint 'tip'");
    refused(&b, "θ,force(pin)", "E0721", 9, "there is no coordinate 'pin'");
    refused(&b, "mass_", "E0721", 1, "there is no column 'mass_'");
    assert_non_null(strstr(zw_context_diagnostic(b.context, 0)->help, "is a parameter"));
    refused(&b, "qqqqqq", "E0721", 1, "there is no column 'qqqqqq'");
    assert_string_equal(zw_context_diagnostic(b.context, 0)->help,
                        "there is θ, p, x, energy_, link, base, tip, spin; an `output` of the "
                        "model makes a column of any expression");
    refused(&b, "force", "E0721", 1, "'force' is of a coordinate, which is missing");
    refused(&b, "rate, rank", "E0721", 1, "'rate' is of a constraint, which is missing");
    refused(&b, "x'''", "E0721", 1,
            "'x'''' has too many primes: columns go up to the acceleration, x''");
    refused(&b, "tip'", "E0721", 1, "'tip'' is the derivative of an output, which is no column");
    bench_close(&b);
}

static void wrong_indices(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, machine);
    refused(&b, "x[4]", "E0722", 3, "index 4 of 'x[4]' is out of range: it runs from 1 to 3");
    refused(&b, "x, x[0]'", "E0722", 6, "index 0 of 'x[0]'' is out of range: it runs from 1 to 3");
    refused(&b, "p[2, 99999999999]", "E0722", 6,
            "index 99999999999 of 'p[2, 99999999999]' is out of range: it runs from 1 to 3");
    refused(&b, "link[3].r", "E0722", 6,
            "index 3 of 'link[3].r' is out of range: it runs from 1 to 2");
    refused(&b, "force(link[1].r[3])", "E0722", 17,
            "index 3 of 'force(link[1].r[3])' is out of range: it runs from 1 to 2");
    refused(&b, "multiplier(joint[7])[1]", "E0722", 18,
            "index 7 of 'multiplier(joint[7])[1]' is out of range: it runs from 1 to 2");
    refused(&b, "multiplier(joint[2])[3]", "E0722", 22,
            "index 3 of 'multiplier(joint[2])[3]' is out of range: it runs from 1 to 2");
    refused(&b, "multiplier(roll)[2]", "E0722", 18, "there is no 'multiplier(roll)[2]'");
    refused(&b, "θ[1]", "E0722", 3, "'θ[1]' has an index too many");
    refused(&b, "multiplier(pin)[1]", "E0722", 17, "'multiplier(pin)[1]' has an index too many");
    refused(&b, "x[1,2]", "E0722", 5, "'x[1,2]' has an index too many");
    refused(&b, "base[1]", "E0722", 6, "'base[1]' has an index too many");
    bench_close(&b);
}

static void unreadable(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, machine);
    refused(&b, "x,,θ", "E0723", 3, "a name is missing between commas");
    refused(&b, "x,", "E0723", 3, "a name is missing between commas");
    static const char *const texts[] = {"x[",      "x[1",     "x]",        "x[N]",       "x + 1",
                                        "x[1..2]", "force(x", "force()",   "(x)",        "1x",
                                        "x y",     "x.",      "force(x')", "force(x)'",  "x'.r",
                                        "[1]",     "x[-1]",   "f(g(x))",   "force(x) x", "a(x)(y)"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char sentence[100];
        (void)snprintf(sentence, sizeof sentence, "'%s' cannot be read as the name of a column",
                       texts[k]);
        refused(&b, texts[k], "E0723", 1, sentence);
    }
    bench_close(&b);
}

/* Everything that is wrong is said in one go; long texts are cut; deep paths do no harm. */
static void several_and_long(void **state)
{
    (void)state;
    bench b;
    zw_columns *columns = NULL;
    char text[4000] = "", buffer[2000];
    bench_open(&b, machine);
    zw_context_clear_diagnostics(b.context);
    assert_int_equal(zw_columns_create(b.model, "x, enrgy, x[9], θ", &columns), ZW_ERR_SETTING);
    assert_int_equal(zw_context_diagnostic_count(b.context), 2);
    size_t needed;
    assert_int_equal(
        zw_context_format_diagnostics(b.context, ZW_TEXT, buffer, sizeof buffer, &needed), ZW_OK);
    assert_string_equal(buffer,
                        "columns:1:4: error[E0721]: there is no column 'enrgy'; did you mean "
                        "'energy'?\n    x, enrgy, x[9], θ\n       ^~~~~\n"
                        "columns:1:13: error[E0722]: index 9 of 'x[9]' is out of range: it runs "
                        "from 1 to 3\n    x, enrgy, x[9], θ\n                ^\n");
    for (int k = 0; k < 100; k++) strcat(text, "nothing,");
    zw_context_clear_diagnostics(b.context);
    assert_int_equal(zw_columns_create(b.model, text, &columns), ZW_ERR_SETTING);
    assert_int_equal(zw_context_diagnostic_count(b.context), 20); /* enough */
    text[0] = '\0';
    for (int k = 0; k < 100; k++) strcat(text, "link.");
    strcat(text, "r");
    zw_context_clear_diagnostics(b.context);
    assert_int_equal(zw_columns_create(b.model, text, &columns), ZW_ERR_SETTING);
    assert_true(strlen(zw_context_diagnostic(b.context, 0)->sentence) < 150);
    memset(text, '[', 3999);
    assert_int_equal(zw_columns_create(b.model, text, &columns), ZW_ERR_SETTING);
    bench_close(&b);
}

/* A hundred thousand parts of three coordinates: one of them is found without naming the others. */
static void large_models(void **state)
{
    (void)state;
    bench b;
    memset(&b, 0, sizeof b);
    const char *text = "param N = 30000\ncomponent Ball(m) {\n  coord r[3]\n"
                       "  kinetic m/2*dot(r', r')\n}\nfor i in 1..N { part ball[i] = Ball(1) }\n";
    zw_model_source source = {.file = "m", .text = text, .length = strlen(text)};
    assert_int_equal(zw_context_create(NULL, &b.context), ZW_OK);
    assert_int_equal(zw_model_compile(b.context, &source, &b.model), ZW_OK);
    size_t held = zw_context_held(b.context);
    zw_columns *columns = NULL;
    assert_int_equal(zw_columns_create(b.model, "ball[29999].r[2]", &columns), ZW_OK);
    assert_int_equal(zw_columns_count(columns), 2);
    assert_true(zw_context_held(b.context) - held < 2000);
    zw_columns_free(columns);
    expect_names(&b, "ball[29999].r[2]'", "t, ball[29999].r[2]'");
    refused(&b, "bal[3].r", "E0721", 1, "there is no column 'bal'; did you mean 'ball[3].r'?");
    refused(&b, "ball[30001].r", "E0722", 6,
            "index 30001 of 'ball[30001].r' is out of range: it runs from 1 to 30000");
    assert_int_equal(zw_columns_create(b.model, NULL, &columns), ZW_OK);
    assert_int_equal(zw_columns_count(columns), 1 + 6 * 30000);
    zw_columns_free(columns);
    zw_model_free(b.model);
    zw_context_free(b.context);
}

/* -------------------------------------------------------------------------- memory */

typedef struct counter {
    size_t requests, fail_at, bytes;
    bool on;
} counter;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size == 0) {
        if (block) c->bytes -= old_size;
        free(block);
        return NULL;
    }
    if (!block || new_size > old_size) {
        c->requests++;
        if (c->fail_at && (c->requests == c->fail_at || (c->on && c->requests > c->fail_at)))
            return NULL;
    }
    void *grown = realloc(block, new_size);
    if (grown) c->bytes += new_size - (block ? old_size : 0);
    return grown;
}

/* Every request of create may fail, of good lists and of wrong ones: nothing is left behind. */
static void every_request_may_fail(void **state)
{
    (void)state;
    static const char *const texts[] = {
        NULL, "all", "x[1], x[2], p[1], θ, energy_, base.w, link[2].r, multiplier(joint)",
        "enrgy, x[7], multplier(pin), x y, qqqqqqqq"};
    counter c = {0};
    zw_allocator allocator = {.resize = resize, .user = &c};
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_model_source source = {.file = "m", .text = machine, .length = strlen(machine)};
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    for (size_t k = 0; k < 4; k++) {
        bool done = false;
        for (size_t fail_at = 1; !done; fail_at++) {
            zw_columns *columns = NULL;
            zw_context_clear_diagnostics(context);
            size_t held = c.bytes, before = c.requests;
            c.on = fail_at % 2 == 0;
            c.fail_at = c.requests + fail_at;
            zw_status status = zw_columns_create(model, texts[k], &columns);
            done = c.requests - before < fail_at;
            c.fail_at = 0;
            if (!done) assert_int_equal(status, ZW_ERR_MEMORY);
            if (done) assert_int_equal(status, k < 3 ? ZW_OK : ZW_ERR_SETTING);
            if (!done) assert_null(columns);
            zw_columns_free(columns);
            if (k < 3) assert_int_equal(c.bytes, held);
            assert_true(fail_at < 200);
        }
    }
    zw_model_free(model);
    zw_context_free(context);
    assert_int_equal(c.bytes, 0);
}

static void rows_take_no_memory(void **state)
{
    (void)state;
    counter c = {0};
    zw_allocator allocator = {.resize = resize, .user = &c};
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_columns *columns = NULL;
    double row[400], q[64], v[64];
    zw_model_source source = {.file = "m", .text = machine, .length = strlen(machine)};
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    assert_int_equal(zw_columns_create(model, "all", &columns), ZW_OK);
    assert_true(zw_columns_count(columns) <= 400);
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    size_t created = c.requests;
    for (int i = 0; i < 64; i++) q[i] = v[i] = 0.1 * i;
    for (int k = 0; k < 5; k++) {
        assert_int_equal(zw_sim_set_state(sim, 0.1 * k, q, v), ZW_OK);
        assert_int_equal(zw_sim_columns(sim, columns, row), ZW_OK);
    }
    assert_int_equal(c.requests, created);
    zw_columns_free(columns);
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    assert_int_equal(c.bytes, 0);
}

static void arguments(void **state)
{
    (void)state;
    bench b, other;
    double row[8];
    char name[4] = "abc";
    zw_columns *columns = NULL;
    bench_open(&b, "coord xyz\nkinetic xyz'^2\n");
    bench_open(&other, "coord xyz\nkinetic xyz'^2\n");
    assert_int_equal(zw_columns_create(NULL, "all", &columns), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_columns_create(b.model, "all", NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_columns_create(b.model, "xyz", &columns), ZW_OK);
    assert_int_equal(zw_sim_columns(NULL, columns, row), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_columns(b.sim, NULL, row), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_columns(b.sim, columns, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_columns(other.sim, columns, row), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_columns_name(columns, 1, name, 3), 3);
    assert_string_equal(name, "xy");
    assert_int_equal(zw_columns_name(columns, 2, name, sizeof name), 0);
    assert_string_equal(name, "");
    assert_int_equal(zw_columns_name(columns, 1, NULL, 0), 3);
    assert_int_equal(zw_columns_name(NULL, 0, name, sizeof name), 0);
    assert_int_equal(zw_columns_count(NULL), 0);
    zw_columns_free(columns);
    zw_columns_free(NULL);
    bench_close(&b);
    bench_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_columns),     cmocka_unit_test(lists),
        cmocka_unit_test(rows_and_parts),      cmocka_unit_test(long_lists),
        cmocka_unit_test(everything),          cmocka_unit_test(names_of_the_model_win),
        cmocka_unit_test(unknown_names),       cmocka_unit_test(wrong_indices),
        cmocka_unit_test(unreadable),          cmocka_unit_test(several_and_long),
        cmocka_unit_test(large_models),        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(rows_take_no_memory), cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
