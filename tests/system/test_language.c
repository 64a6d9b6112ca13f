/*
 * test_language.c: every sentence of the language, from language.cases. All failures are shown.
 */
#include "cases.h"
#include "loaded.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBERS = 4096, LINE = 1024 };

static int failures;
static const char *title; /* of the case at hand */
static double allowed;    /* relative error of its numbers */

static void complain(const loaded *l, const char *line, const char *format, ...)
{
    va_list arguments;
    char what[4 * LINE];
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    char *messages = load_messages(l);
    print_error("%s\n  expected: %s\n  got: %s%s%s", title, line, what,
                *messages == '\0' ? "\n" : "; it says:\n", messages);
    free(messages);
    failures++;
}

/* ------------------------------------------------------------------- modules */

static bool give_module(void *user, const char *name, const char **file, const char **text,
                        size_t *length)
{
    static char file_name[LINE];
    const language_case *c = user;
    for (int i = 0; i < c->module_count; i++) {
        if (strcmp(c->module_names[i], name) != 0) continue;
        snprintf(file_name, sizeof file_name, "%s.zw", name);
        *file = file_name;
        *text = c->module_texts[i];
        *length = strlen(*text);
        return true;
    }
    return false;
}

/* Compiles, checks and starts. */
static loaded prepared(const language_case *c, const char *text, const char *setting)
{
    load_options options = {
        .setting = setting, .module = give_module, .user = (void *)(uintptr_t)c};
    loaded l = load_text(text, &options);
    if (l.status == ZW_OK) free(load_check(&l, ZW_REPORT_TEXT));
    if (l.status == ZW_OK) l.status = zw_sim_start(l.sim, false);
    return l;
}

/* ------------------------------------------------------------------- numbers */

/* Numbers separated by blanks and semicolons; how many. */
static int read_numbers(const char *text, double *x)
{
    int count = 0;
    for (;;) {
        char *end;
        text += strspn(text, " ;");
        if (*text == '\0') return count;
        x[count++] = strtod(text, &end);
        if (end == text || count == NUMBERS) fail_msg("%s: no number: %s", title, text);
        text = end;
    }
}

static void expect_numbers(const loaded *l, const char *line, const char *numbers, const double *x,
                           int count)
{
    double y[NUMBERS];
    int expected = read_numbers(numbers, y);
    if (expected != count) {
        complain(l, line, "%d numbers", count);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (!(fabs(x[i] - y[i]) <= allowed * fmax(1, fabs(y[i])))) {
            complain(l, line, "[%d] = %.17g", i, x[i]);
            return;
        }
    }
}

/* The quantities that are arrays of an instant or of the state. */
static int quantity(loaded *l, const char *name, double *x)
{
    size_t n = (size_t)l->n, m = (size_t)l->m;
    double *memory = calloc(n * n + 2 * n + m * n + 3 * m + m * m + 1, sizeof(double));
    assert_non_null(memory);
    double *M = memory, *Q = M + n * n, *C = Q + n, *A = C + n, *b = A + m * n, *W = b + m;
    double *value = W + m * m, *rate = value + m;
    zw_instant i = {.M = M, .Q = Q, .C = C, .A = A, .b = b, .W = W, .value = value, .rate = rate};
    struct {
        const char *name;
        const double *from;
        size_t count;
    } table[] = {{"M", M, n * n}, {"Q", Q, n},     {"C", C, n},         {"A", A, m * n},
                 {"b", b, m},     {"W", W, m * m}, {"value", value, m}, {"rate", rate, m}};
    zw_status status = zw_sim_instant(l->sim, &i);
    int count = -1;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (strcmp(table[k].name, name) != 0) continue;
        assert_true(table[k].count <= NUMBERS);
        count = (int)table[k].count;
        memcpy(x, table[k].from, table[k].count * sizeof(double));
        if (status != ZW_OK || (*name == 'C' && !i.has_C) || (*name == 'W' && !i.has_W)) count = 0;
    }
    free(memory);
    return count;
}

/* q, v and z */
static int motion(loaded *l, const char *name, double *x)
{
    double t, q[NUMBERS], v[NUMBERS], z[NUMBERS];
    assert_true(l->n <= NUMBERS);
    if (strlen(name) != 1 || strchr("qvz", *name) == NULL) return -1;
    if (zw_sim_state(l->sim, &t, q, v) != ZW_OK) return 0;
    if (*name == 'z' && zw_sim_acceleration(l->sim, t, q, v, z) != ZW_OK) return 0;
    memcpy(x, *name == 'q' ? q : *name == 'v' ? v : z, (size_t)l->n * sizeof(double));
    return l->n;
}

/* --------------------------------------------------------------------- names */

/* The names or words of a model as one line, for `coordinates = ...` and its like. */
static bool words_of(loaded *l, const char *what, char *line, size_t size)
{
    static const char *const kinds[] = {"holonomic", "nonholonomic", "nonlinear", "acceleration"};
    const zw_model *model = l->model;
    bool rows = strcmp(what, "rows") == 0 || strcmp(what, "kinds") == 0;
    bool coordinates = strcmp(what, "coordinates") == 0;
    int32_t count = coordinates ? l->n : rows ? l->m : zw_model_constraint_count(model);
    *line = '\0';
    for (int32_t i = 0; i < count; i++) {
        char word[LINE];
        zw_row_kind kind = ZW_HOLONOMIC;
        zw_constraint_info info = {0};
        if (coordinates)
            zw_model_coordinate_name(model, i, word, sizeof word);
        else if (strcmp(what, "rows") == 0)
            zw_model_row_name(model, i, word, sizeof word);
        else if (strcmp(what, "constraints") == 0) {
            zw_model_constraint_name(model, i, word, sizeof word);
        } else if (rows) {
            assert_int_equal(zw_model_row_kind(model, i, &kind), ZW_OK);
            snprintf(word, sizeof word, "%s", kinds[kind]);
        } else {
            assert_int_equal(zw_model_constraint(model, i, &info), ZW_OK);
            bool yes = strcmp(what, "control") == 0 ? info.control : info.time_dependent;
            snprintf(word, sizeof word, "%s", yes ? "yes" : "no");
        }
        size_t used = strlen(line);
        snprintf(line + used, size - used, "%s%s", i > 0 ? " " : "", word);
    }
    return coordinates || rows || strcmp(what, "constraints") == 0 ||
           strcmp(what, "control") == 0 || strcmp(what, "timed") == 0;
}

/* -------------------------------------------------------------- expectations */

static void expect_words(const loaded *l, const char *line, const char *words)
{
    char word[LINE], *messages = load_messages(l);
    while (cases_quoted(&words, word, sizeof word)) {
        if (!cases_contains(messages, word)) {
            complain(l, line, "nothing about %s", word);
            break;
        }
    }
    free(messages);
}

static void expect_place(const loaded *l, const char *line, const char *places)
{
    const zw_diagnostic *d = zw_context_diagnostic(l->context, 0);
    char place[64];
    if (d == NULL) {
        complain(l, line, "no message");
        return;
    }
    snprintf(place, sizeof place, "%d:%d", (int)d->line, (int)d->column);
    for (const char *p = places; *p != '\0';) {
        size_t length = strcspn(p, "|");
        if (strlen(place) == length && strncmp(place, p, length) == 0) return;
        p += length + (p[length] == '|');
    }
    complain(l, line, "%s", place);
}

/* `NAME = ...` */
static bool expect_quantity(loaded *l, const char *line)
{
    char name[32], words[4 * LINE];
    double x[NUMBERS];
    const char *equals = strstr(line, " = ");
    if (equals == NULL || equals - line >= (long)sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)(equals - line), line);
    int count = motion(l, name, x);
    if (count < 0) count = quantity(l, name, x);
    if (count >= 0) {
        expect_numbers(l, line, equals + 3, x, count);
        return true;
    }
    if (!words_of(l, name, words, sizeof words)) return false;
    if (strcmp(words, equals + 3) != 0) complain(l, line, "%s", words);
    return true;
}

static void set_time(loaded *l, double time)
{
    double t, q[NUMBERS], v[NUMBERS];
    assert_true(l->n <= NUMBERS);
    assert_int_equal(zw_sim_state(l->sim, &t, q, v), ZW_OK);
    assert_int_equal(zw_sim_set_state(l->sim, time, q, v), ZW_OK);
}

/* Lines about a model that was accepted. */
static void expect_line(loaded *l, const char *line)
{
    const char *rest;
    if ((rest = cases_rest(line, "vary")) != NULL) {
        if (zw_sim_set_parameters(l->sim, rest) != ZW_OK) complain(l, line, "refused");
    } else if ((rest = cases_rest(line, "refuse")) != NULL) {
        if (zw_sim_set_parameters(l->sim, rest) != ZW_ERR_SETTING) complain(l, line, "accepted");
        zw_context_clear_diagnostics(l->context);
    } else if ((rest = cases_rest(line, "state")) != NULL) {
        if (zw_sim_assign(l->sim, rest) != ZW_OK) complain(l, line, "refused");
    } else if ((rest = cases_rest(line, "within")) != NULL) {
        allowed = strtod(rest, NULL);
    } else if ((rest = cases_rest(line, "time")) != NULL) {
        set_time(l, strtod(rest, NULL));
    } else if (!expect_quantity(l, line)) {
        fail_msg("%s: not understood: %s", title, line);
    }
}

/* ------------------------------------------------------------------ expr lines */

/* `E is NUMBERS` or `E fails WORDS` */
static void expect_expression(const language_case *c, const char *line, const char *rest)
{
    char expression[LINE], text[16 * LINE];
    double y[NUMBERS], x[NUMBERS];
    const char *is = strstr(rest, " is "), *fails = strstr(rest, " fails");
    const char *stop = is != NULL ? is : fails;
    if (stop == NULL) fail_msg("%s: not understood: %s", title, line);
    snprintf(expression, sizeof expression, "%.*s", (int)(stop - rest), rest);
    int count = is != NULL ? read_numbers(is + 4, y) : 1;
    char size[32] = "";
    if (count > 1) snprintf(size, sizeof size, "[%d]", count);
    snprintf(text, sizeof text, "%s\ncoord probe_%s\nkinetic %s\nforce probe_: %s\n", c->text, size,
             count > 1 ? "dot(probe_', probe_')/2" : "probe_'^2/2", expression);
    loaded l = prepared(c, text, NULL);
    if (fails != NULL && is == NULL) {
        if (l.status == ZW_OK)
            complain(&l, line, "accepted");
        else
            expect_words(&l, line, fails);
    } else if (l.status != ZW_OK) {
        complain(&l, line, "%s", zw_status_name(l.status));
    } else {
        int got = quantity(&l, "Q", x);
        expect_numbers(&l, line, is + 4, x + got - count, count);
    }
    loaded_clear(&l);
}

/* --------------------------------------------------------------------- cases */

static void try_lines(const language_case *c, loaded *l, char *lines)
{
    bool may_speak = false, refused = false;
    for (char *line; (line = cases_line(&lines)) != NULL;) {
        const char *rest;
        if (*line == '\0' || *line == '#' || cases_rest(line, "set") != NULL) continue;
        if ((rest = cases_rest(line, "expr")) != NULL) {
            expect_expression(c, line, rest);
            may_speak = refused = true;
        } else if ((rest = cases_rest(line, "error")) != NULL) {
            refused = true;
            if (l->status == ZW_OK)
                complain(l, line, "accepted");
            else
                expect_words(l, line, rest);
        } else if ((rest = cases_rest(line, "says")) != NULL) {
            may_speak = true;
            expect_words(l, line, rest);
        } else if (cases_rest(line, "anything") != NULL) {
            may_speak = true;
        } else if ((rest = cases_rest(line, "at")) != NULL) {
            expect_place(l, line, rest);
        } else if (l->status == ZW_OK) {
            expect_line(l, line);
        }
    }
    if (l->status != ZW_OK && !refused)
        complain(l, "a good model", "%s", zw_status_name(l->status));
    else if (l->status == ZW_OK && !may_speak && zw_context_diagnostic_count(l->context) > 0) {
        complain(l, "silence", "a message");
    }
}

static void try_case(const language_case *c)
{
    const char *setting = strncmp(c->expectations, "set ", 4) == 0 ? c->expectations + 4 : NULL;
    char first[LINE], *lines = strdup(c->expectations);
    assert_non_null(lines);
    if (setting != NULL) {
        snprintf(first, sizeof first, "%.*s", (int)strcspn(setting, "\n"), setting);
        setting = first;
    }
    title = c->title;
    allowed = 1e-12;
    loaded l = prepared(c, c->text, setting);
    try_lines(c, &l, lines);
    loaded_clear(&l);
    free(lines);
}

static void test_language(void **state)
{
    (void)state;
    case_file f = cases_read(ZW_TEST_CASES "/language.cases");
    int wrong = 0;
    for (int i = 0; i < f.count; i++) {
        failures = 0;
        try_case(&f.cases[i]);
        wrong += failures > 0;
    }
    int count = f.count;
    cases_free(&f);
    if (wrong > 0) fail_msg("%d of %d cases", wrong, count);
    assert_true(count >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_language)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
