/*
 * The source of an exported model: elementary functions as far as they are used, the equations
 * (c_equations.c), the solve, projection and steps that all models share, and on demand a main.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "export_c.h"
#include "switches.h"

/* ------------------------------------------------------------- elementary functions */

/* Names here, in math.h, operands. */
static const struct {
    const char *name, *math;
    int operands;
} functions[] = {
    {"sin", "sin", 1},     {"cos", "cos", 1},     {"tan", "tan", 1},   {"asin", "asin", 1},
    {"acos", "acos", 1},   {"atan", "atan", 1},   {"sinh", "sinh", 1}, {"cosh", "cosh", 1},
    {"tanh", "tanh", 1},   {"exp", "exp", 1},     {"log", "log", 1},   {"sqrt", "sqrt", 1},
    {"abs", "fabs", 1},    {"floor", "floor", 1}, {"pow", "pow", 2},   {"atan2", "atan2", 2},
    {"hypot", "hypot", 2},
};

/* Whether the text calls f_NAME. */
static bool is_called(const zb_text *text, const char *name)
{
    const char *at = zb_text_string(text);
    size_t length = strlen(name);
    while ((at = strstr(at, "f_"))) {
        at += 2;
        if (strncmp(at, name, length) == 0 && at[length] == '(') return true;
    }
    return false;
}

/* One line of base/elementary with its names changed: zb_sin is own_sin. */
static void write_own_line(zb_text *to, const char *line, size_t length)
{
    static const char *const heads[] = {"double zb_", "zb_reduced zb_"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        if (strncmp(line, heads[k], strlen(heads[k])) == 0) zb_text_add(to, "static ");
    for (const char *p = line; p < line + length; p++) {
        size_t left = (size_t)(line + length - p);
        if (left > 14 && strncmp(p, "__builtin_sqrt", 14) == 0)
            zb_text_add(to, "own_root"), p += 13;
        else if (left > 16 && strncmp(p, "__builtin_expect", 16) == 0)
            zb_text_add(to, "own_expect"), p += 15;
        else if (left > 3 && strncmp(p, "zb_", 3) == 0)
            zb_text_add(to, "own_"), p += 2;
        else if (left > 3 && strncmp(p, "ZB_", 3) == 0)
            zb_text_add(to, "OWN_"), p += 2;
        else
            zb_text_char(to, *p);
    }
    zb_text_char(to, '\n');
}

/* The lines of a text from the one that begins with `from` up to that with `until`; those of
 * c_own.txt in other words are passed over. */
static void write_own_lines(zb_text *to, const char *text, const char *from, const char *until)
{
    bool on = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (strncmp(text, from, strlen(from)) == 0) on = true;
        if (until && strncmp(text, until, strlen(until)) == 0) return;
        bool other = strncmp(text, "#define ZB_INFINITY", 19) == 0 ||
                     strncmp(text, "#define ZB_NAN", 14) == 0;
        if (on && !other) write_own_line(to, text, length);
        text += length + (text[length] == '\n');
    }
}

/* Our own, with the bits of the library. */
static void write_own(zb_text *to)
{
    zb_text_add(to, zr_c_shipped("c_own"));
    write_own_lines(to, zr_c_shipped("elementary.h"), "#define ZB_SIGN_BIT", "double zb_tan");
    write_own_lines(to, zr_c_shipped("elementary.c"), "/* --", NULL);
    zb_text_add(to, "\n#if defined(__GNUC__)\n#pragma GCC diagnostic pop\n#endif\n\n");
}

/* f_sin and so on, for every name that is called. */
static void write_functions(zr_c *c, zb_text *to)
{
    bool own = c->as->own_functions, single = c->as->single;
    if (own) write_own(to);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        bool two = functions[k].operands == 2;
        if (!is_called(&c->body, functions[k].name)) continue;
        zb_text_printf(to, "static real f_%s(real x%s)\n{\n    return ", functions[k].name,
                       two ? ", real y" : "");
        if (own)
            zb_text_printf(to, "(real)own_%s((double)x%s);\n}\n\n", functions[k].name,
                           two ? ", (double)y" : "");
        else
            zb_text_printf(to, "%s%s(x%s);\n}\n\n", functions[k].math, single ? "f" : "",
                           two ? ", y" : "");
    }
    if (is_called(&c->body, "sign"))
        zb_text_add(to, "static real f_sign(real x)\n{\n"
                        "    return x < R(0.0) ? R(-1.0) : x > R(0.0) ? R(1.0) : x;\n}\n\n");
    if (is_called(&c->body, "choose"))
        zb_text_add(to, "static real f_choose(real x, real y, real z)\n{\n"
                        "    return x != R(0.0) ? y : z;\n}\n\n");
    if (is_called(&c->body, "nan"))
        zb_text_printf(to, "static real f_nan(void)\n{\n    return R(%s);\n}\n\n",
                       own ? "OWN_NAN" : "NAN");
    if (is_called(&c->body, "infinity"))
        zb_text_printf(to, "static real f_infinity(void)\n{\n    return R(%s);\n}\n\n",
                       own ? "OWN_INFINITY" : "INFINITY");
}

/* --------------------------------------------------------------------- constants */

static void write_define(zb_text *to, const char *name, double value, bool single)
{
    zb_text_printf(to, "#define %s ", name);
    zk_text_c_number(to, value, single);
    zb_text_char(to, '\n');
}

/* What counts as rounding, and what the model has. */
static void write_limits(const zr_c *c, zb_text *to)
{
    bool single = c->as->single;
    const zw_model *model = c->model;
    double n = c->zm->n > c->zm->m ? c->zm->n : c->zm->m,
           eps = single ? (double)FLT_EPSILON : DBL_EPSILON;
    zr_needs needs = zr_outputs_need(model);
    write_define(to, "EPS", eps, single);
    write_define(to, "LARGEST", single ? (double)FLT_MAX : DBL_MAX, single);
    write_define(to, "SPLIT", single ? 4097.0 : 134217729.0, single); /* halves of a product */
    write_define(to, "TINY", single ? 1e-36 : 1e-270, single);
    write_define(to, "CLEAR", single ? 1e-4 : 1e-8, single);  /* pivots of M above it */
    write_define(to, "CLOSE", single ? 1e-3 : 1e-11, single); /* residuals of rows below it */
    write_define(to, "RANK", 64.0 * eps * sqrt(n), single);
    write_define(to, "NO_NOISE", 1e-3, single); /* pivots beyond the rank that are none */
    write_define(to, "GUARD", zr_fused_guard, single);
    int64_t size = (int64_t)c->zm->n * (c->zm->n > c->zm->m ? c->zm->n : c->zm->m);
    bool wide = size > INT16_MAX || zr_count_values(model) > INT16_MAX;
    zb_text_printf(to, "\ntypedef %s place;\n", wide ? "int" : "short");
    zb_text_printf(to,
                   "\nenum { WEIGHTED = %d, NONIDEAL = %d, SLIDES = %d, SOLVES = %d, MEASURES = %d,"
                   " VALUES = %d };\n\n",
                   model->W.rows > 0 ? (int)model->weight_outputs + 1 : 0,
                   model->nonideal.count > 0, c->slides, needs.acceleration || needs.measures,
                   needs.measures, (int)zr_first_hoisted_value(model));
}

/* The start, as the library found it. */
static void write_start(zr_c *c)
{
    const zw_sim *sim = c->sim;
    int32_t count = zr_first_hoisted_value(c->model);
    int32_t *set = ZB_NEW_ARRAY(&c->arena, int32_t, c->zm->parameter_count);
    for (int32_t i = 0; i < c->zm->parameter_count; i++) set[i] = sim->overridden[i];
    zr_c_numbers(c, "first_value", sim->values, count); /* outside of steps switches are live */
    zr_c_integers(c, "first_own", set, c->zm->parameter_count);
    zr_c_numbers(c, "first_q", sim->q, c->zm->n);
    zr_c_numbers(c, "first_v", sim->v, c->zm->n);
    zb_text_add(&c->body, "static const real first_t = ");
    zk_text_c_number(&c->body, sim->t, c->as->single);
    zb_text_add(&c->body, ";\n");
}

/* -------------------------------------------------------------------------- main */

/* A main that prints rows of the motion up to the end that the model says. */
static void write_main(zr_c *c, zb_text *to)
{
    const zm_simulate *said = &c->zm->simulate;
    double until = isnan(said->until) ? c->sim->t + 1.0 : said->until;
    double every = isnan(said->every) ? (until - c->sim->t) / 100.0 : said->every;
    char end[ZB_DOUBLE_SIZE], step[ZB_DOUBLE_SIZE];
    zb_print_double(until, end);
    zb_print_double(every, step);
    zb_text_clear(&c->line);
    zb_text_add(&c->line, "\"t\"");
    for (int32_t i = 0; i < c->zm->n; i++) zb_text_printf(&c->line, ", \"%s\"", c->coordinate[i]);
    for (int32_t i = 0; i < c->zm->n; i++) zb_text_printf(&c->line, ", \"%s'\"", c->coordinate[i]);
    for (int32_t i = 0; i < zr_output_elements(c->model); i++)
        zb_text_printf(&c->line, ", \"%s\"", c->output[i]);
    zb_text_add(&c->line, ", \"energy\"");
    const char *words[] = {"until", end, "every", step, "columns", zb_text_string(&c->line), NULL};
    zr_c_text(c, to, zr_c_shipped("c_main"), words);
}

void zr_c_source(zr_c *c, zb_text *to)
{
    const char *include = c->as->own_functions ? "#include <stdbool.h>\n#include <stdint.h>\n"
                                               : "#include <math.h>\n";
    zr_c_equations(c);
    write_start(c);
    zr_c_text(c, &c->body, zr_c_shipped("c_careful"), NULL);
    zr_c_text(c, &c->body, zr_c_shipped("c_calls"), NULL);
    zr_c_text(c, to, zr_c_shipped("c_head"), (const char *[]){"include", include, NULL});
    write_limits(c, to);
    write_functions(c, to);
    zr_c_text(c, to, zr_c_shipped("c_source"), NULL);
    zb_text_char(to, '\n');
    zr_c_text(c, to, zr_c_shipped("c_tables"), NULL);
    zb_text_char(to, '\n');
    zb_text_bytes(to, zb_text_string(&c->body), c->body.length);
    if (c->as->with_main) write_main(c, to);
}
