/*
 * The derived equations in their three forms: a pendulum to the letter, and what else must be
 * there for models with parts, weights, reactions, long expressions and kept families.
 */
#include <ctype.h>

#include "models.h"

static void print(stage *s, zm_print_form form, zb_text *text)
{
    zb_text_init(text, &s->memory);
    zm_print(&s->model, &(zm_print_request){.form = form}, text);
    assert_int_equal(text->failure, ZW_OK);
}

static void expect_exactly(stage *s, zm_print_form form, const char *expected)
{
    zb_text text;
    print(s, form, &text);
    assert_string_equal(zb_text_string(&text), expected);
    zb_text_free(&text);
}

static void expect_parts(stage *s, zm_print_form form, const char *const *parts)
{
    zb_text text;
    print(s, form, &text);
    for (; *parts; parts++)
        if (!strstr(zb_text_string(&text), *parts))
            fail_msg("no '%s' in\n%s", *parts, zb_text_string(&text));
    zb_text_free(&text);
}

/* ------------------------------------------------------------- the pendulum */

static void pendulum_text(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    build_pendulum(s);
    stage_run(s);
    expect_exactly(s, ZM_PRINT_TEXT,
                   "Coordinates (2): x, y\n"
                   "\n"
                   "Mass matrix M (symmetric), entries that are not 0:\n"
                   "  M[x, x] = m\n"
                   "  M[y, y] = m\n"
                   "\n"
                   "Impressed force Q:\n"
                   "  Q[y] = -m*g\n"
                   "\n"
                   "Constraints phi = 0, as A z = b:\n"
                   "  rod (holonomic): phi = x^2 + y^2 - l^2\n"
                   "    A[rod, x] = 2*x\n"
                   "    A[rod, y] = 2*y\n"
                   "    b[rod] = -2*x'^2 - 2*y'^2\n");
    stage_free(s);
}

static void pendulum_latex(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    build_pendulum(s);
    s->model.title = "A & B";
    stage_run(s);
    expect_exactly(
        s, ZM_PRINT_LATEX,
        "% the body of a document that uses amsmath\n"
        "\\allowdisplaybreaks\n"
        "\\section*{A \\& B}\n"
        "\\paragraph{Mass matrix}\n"
        "\\begin{align*}\n"
        "M_{x,\\,x} &= m \\\\\n"
        "M_{y,\\,y} &= m\n"
        "\\end{align*}\n"
        "\\paragraph{Impressed force}\n"
        "\\begin{align*}\n"
        "Q_{y} &= -m \\, g\n"
        "\\end{align*}\n"
        "\\paragraph{Constraints}\n"
        "\\begin{align*}\n"
        "\\phi_{\\text{rod}} &= {x}^{2} + {y}^{2} - {l}^{2} && \\text{(holonomic)} \\\\\n"
        "A_{\\text{rod},\\,x} &= 2 \\, x \\\\\n"
        "A_{\\text{rod},\\,y} &= 2 \\, y \\\\\n"
        "b_{\\text{rod}} &= -2 \\, {\\dot{x}}^{2} - 2 \\, {\\dot{y}}^{2}\n"
        "\\end{align*}\n");
    stage_free(s);
}

static void pendulum_json(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    build_pendulum(s);
    stage_run(s);
    expect_exactly(s, ZM_PRINT_JSON,
                   "{\"title\": null,\n"
                   " \"coordinates\": [\"x\", \"y\"],\n"
                   " \"families\": [\n"
                   "  {\"kind\": \"whole\",\n"
                   "   \"instances\": 1,\n"
                   "   \"definitions\": [],\n"
                   "   \"M\": [\n"
                   "    {\"row\": \"x\", \"column\": \"x\", \"expression\": \"m\"},\n"
                   "    {\"row\": \"y\", \"column\": \"y\", \"expression\": \"m\"}],\n"
                   "   \"Q\": [\n"
                   "    {\"row\": \"y\", \"expression\": \"-m*g\"}],\n"
                   "   \"impressed\": [\n"
                   "    {\"row\": \"y\", \"expression\": \"-m*g\"}],\n"
                   "   \"inertial\": [],\n"
                   "   \"C\": [],\n"
                   "   \"rows\": [\n"
                   "    {\"name\": \"rod\", \"kind\": \"holonomic\", \"phi\": \"x^2 + y^2 - l^2\", "
                   "\"A\": [{\"column\": \"x\", \"expression\": \"2*x\"}, "
                   "{\"column\": \"y\", \"expression\": \"2*y\"}], "
                   "\"b\": \"-2*x'^2 - 2*y'^2\"}],\n"
                   "   \"W\": []}]}\n");
    stage_free(s);
}

/* ------------------------------------------------------------ other models */

static void mixture(void **unused)
{
    (void)unused;
    static const char *const text[] = {"Coordinates (4): theta, x_1, link[2].r[1..2]\n",
                                       "  roll_on[2] (nonholonomic): phi = theta*x_1' - ",
                                       "    A[roll_on[3], link[2].r[2]] = 1\n",
                                       "  W[roll_on[1], roll_on[1]] = mu\n",
                                       "*multiplier(roll_on)[2]",
                                       "\nwhere:\n  s1 = theta + x_1*link[2].r[1]\n",
                                       NULL};
    static const char *const latex[] = {"\\section*{50\\% of \\{everything\\}}\n",
                                        "M_{\\theta,\\,\\theta} &= ",
                                        "\\mathit{link}_{2}.\\ddot{r}_{2}",
                                        "m_{\\text{rod}}",
                                        "\\lambda_{\\text{roll\\_on[2]}}",
                                        "\\paragraph{where}\n\\begin{align*}\ns_{1} &= \\theta",
                                        NULL};
    stage st, *s = &st;
    stage_init(s);
    build_mixture(s);
    stage_run(s);
    expect_parts(s, ZM_PRINT_TEXT, text);
    expect_parts(s, ZM_PRINT_LATEX, latex);
    stage_free(s);
}

/* Definitions take another letter where the model has names like s1 itself. */
static void names_of_definitions(void **unused)
{
    (void)unused;
    static const char *const text[] = {"\nwhere:\n  w1 = theta + x_1*link[2].r[1]\n", NULL};
    static const char *const latex[] = {"\nw_{1} &= \\theta", NULL};
    static const char *const json[] = {"{\"name\": \"w1\", \"expression\": \"theta", NULL};
    stage st, *s = &st;
    stage_init(s);
    build_mixture(s);
    s->parameters[1].label = stage_label(s, "s2");
    s->parameters[2].label = stage_label(s, "u_1");
    stage_run(s);
    expect_parts(s, ZM_PRINT_TEXT, text);
    expect_parts(s, ZM_PRINT_LATEX, latex);
    expect_parts(s, ZM_PRINT_JSON, json);
    stage_free(s);
}

/* A family is shown by its first instance, whose constants are numbers. */
static void kept_families(void **unused)
{
    (void)unused;
    static const char *const text[] = {"Coordinates (2,000): x[1..1000], y[1..1000]\n",
                                       "  rod[1] (holonomic): phi = ",
                                       "\n--- dissipation: the first, and 998 more of this shape\n",
                                       "  Q[x[1]] = x[2]'/2 - x[1]'/2\n",
                                       "\n--- constraint: the first, and 998 more of this shape\n",
                                       "    A[rod[2], x[1]] = 2*x[1] - 2*x[2]\n",
                                       NULL};
    static const char *const json[] = {"{\"kind\": \"dissipation\",\n   \"instances\": 999,",
                                       "\"x[1000]\", \"y[1]\"", NULL};
    stage *s = malloc(sizeof *s);
    stage_init(s);
    build_chain(s, 1000);
    stage_run(s);
    expect_parts(s, ZM_PRINT_TEXT, text);
    expect_parts(s, ZM_PRINT_JSON, json);
    stage_free(s);
    free(s);
}

/* --------------------------------------------------------------------- JSON */

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at)) at++;
    return at;
}

static const char *skip_string(const char *at)
{
    if (*at++ != '"') return NULL;
    for (; *at && *at != '"'; at++)
        if (*at == '\\') at++;
    return *at ? at + 1 : NULL;
}

/* Behind one JSON value, or NULL when it is none. */
static const char *skip_value(const char *at, int depth)
{
    at = skip_space(at);
    if (depth > 20) return NULL;
    if (*at == '"') return skip_string(at);
    if (strncmp(at, "null", 4) == 0) return at + 4;
    if (isdigit((unsigned char)*at)) {
        while (isdigit((unsigned char)*at)) at++;
        return at;
    }
    char close = *at == '{' ? '}' : *at == '[' ? ']' : '\0';
    if (!close) return NULL;
    at = skip_space(at + 1);
    if (*at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            at = skip_string(skip_space(at));
            if (!at || *at++ != ':') return NULL;
        }
        at = skip_value(at, depth + 1);
        if (!at) return NULL;
        at = skip_space(at);
        if (*at == close) return at + 1;
        if (*at++ != ',') return NULL;
    }
}

static void json_is_json(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++) {
        stage *s = malloc(sizeof *s);
        stage_init(s);
        if (k == 0) build_pendulum(s);
        if (k == 1) build_mixture(s);
        if (k == 2) build_chain(s, 30), stage_keep(s);
        s->model.title = "quote \" and \\ and \n";
        stage_run(s);
        zb_text text;
        print(s, ZM_PRINT_JSON, &text);
        const char *end = skip_value(zb_text_string(&text), 0);
        assert_non_null(end);
        assert_string_equal(end, "\n");
        zb_text_free(&text);
        stage_free(s);
        free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_text),        cmocka_unit_test(pendulum_latex),
        cmocka_unit_test(pendulum_json),        cmocka_unit_test(mixture),
        cmocka_unit_test(names_of_definitions), cmocka_unit_test(kept_families),
        cmocka_unit_test(json_is_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
