/*
 * The last failure as one sentence: which matrix, which entry, what it should be. Rows and
 * coordinates count from 0, as in the arrays of the caller.
 */
#include <math.h>

#include "plan.h"

/* "M[2][1]", "Q[3]" */
static void say_place(zb_text *text, const zg_failure *f)
{
    zb_text_printf(text, "%c[%d]", f->matrix, (int)f->i);
    if (f->j >= 0) zb_text_printf(text, "[%d]", (int)f->j);
}

/* A number, or in words what it is instead. */
static void say_number(zb_text *text, double x)
{
    if (isnan(x))
        zb_text_add(text, "not a number");
    else if (isinf(x))
        zb_text_add(text, x > 0.0 ? "infinite" : "minus infinite");
    else
        zb_text_double(text, x);
}

/* "coordinate 2" or "coordinates 2, 3 and 7": those that move in any free direction. */
static void say_coordinates(zb_text *text, const zw_gauss *g)
{
    double *x = g->dz, *moves = g->moving;
    int32_t count = 0, said = 0;
    for (int32_t i = 0; i < g->n; i++) moves[i] = 0.0;
    for (int32_t q = 0; q < g->failure.directions; q++) {
        zg_null_vector(g, q, x);
        for (int32_t i = 0; i < g->n; i++)
            if (fabs(x[i]) > 1e-9) moves[i] = 1.0;
    }
    for (int32_t i = 0; i < g->n; i++) count += moves[i] > 0.0;
    zb_text_add(text, count == 1 ? "coordinate " : "coordinates ");
    for (int32_t i = 0; i < g->n && said < 12; i++) {
        if (!(moves[i] > 0.0)) continue;
        if (said > 0) zb_text_add(text, said == count - 1 ? " and " : ", ");
        zb_text_printf(text, "%d", (int)i);
        said++;
    }
    if (said < count) zb_text_printf(text, " and %d more", (int)(count - said));
}

/* "(0: 1, 2: -0.5)": the motion itself, when there is only one and it is short. */
static void say_motion(zb_text *text, const zw_gauss *g)
{
    double *x = g->dz;
    const char *separator = "";
    if (g->failure.directions != 1) return;
    zg_null_vector(g, 0, x);
    int32_t count = 0;
    for (int32_t i = 0; i < g->n; i++) count += fabs(x[i]) > 1e-9;
    if (count < 2 || count > 6) return;
    zb_text_add(text, "; the free motion is (");
    for (int32_t i = 0; i < g->n; i++) {
        if (!(fabs(x[i]) > 1e-9)) continue;
        zb_text_printf(text, "%s%d: ", separator, (int)i);
        zb_text_double(text, x[i]);
        separator = ", ";
    }
    zb_text_add(text, ")");
}

/* W must be definite, M semidefinite: either one entry of the diagonal tells, or all that is known
 * is a coordinate or row of the bad direction. */
static void say_indefinite(zb_text *text, const zg_failure *f)
{
    const char *wanted = f->matrix == 'W' ? "positive definite" : "positive semidefinite";
    if (f->single) {
        zb_text_printf(text, "%c[%d] is ", f->matrix, (int)f->i);
        zb_text_double(text, f->value);
        zb_text_printf(text, ", but %c must be %s", f->matrix, wanted);
        return;
    }
    zb_text_printf(text, "%c is not %s: it fails in a direction that contains %s %d", f->matrix,
                   wanted, f->matrix == 'W' ? "row" : "coordinate", (int)f->i);
}

/* The pair of entries that differ most. */
static void say_asymmetric(zb_text *text, const zg_failure *f)
{
    zb_text_printf(text, "%c is not symmetric: ", f->matrix);
    say_place(text, f);
    zb_text_add(text, " is ");
    zb_text_double(text, f->value);
    zb_text_printf(text, ", but %c[%d][%d] is ", f->matrix, (int)f->j, (int)f->i);
    zb_text_double(text, f->other);
}

/* The sentence of each status that has a place or a number; the others have a fixed one. */
static void say_failure(zb_text *text, const zw_gauss *g)
{
    const zg_failure *f = &g->failure;
    switch (f->status) {
    case ZW_ERR_NOT_FINITE:
        say_place(text, f);
        zb_text_add(text, " is ");
        say_number(text, f->value);
        break;
    case ZW_ERR_NOT_SYMMETRIC:
        say_asymmetric(text, f);
        break;
    case ZW_ERR_INDEFINITE:
        say_indefinite(text, f);
        break;
    case ZW_ERR_UNDETERMINED:
        zb_text_add(text, "neither inertia nor a constraint determines the motion of ");
        say_coordinates(text, g);
        say_motion(text, g);
        break;
    case ZW_ERR_RANGE:
        zb_text_printf(text,
                       "the entries of %c are too large or too small to be squared in double "
                       "precision",
                       f->matrix);
        break;
    case ZW_ERR_INEQUALITY:
        zb_text_printf(text,
                       "inequality %d binds, but the chosen form is defined for equations only",
                       (int)f->i);
        break;
    case ZW_ERR_ORDER:
        zb_text_add(text, "this call needs a factor: call zw_gauss_factor first");
        break;
    case ZW_ERR_ACCURACY:
        zb_text_add(text, "the answer cannot be certified: the equations leave a relative "
                          "residual of ");
        say_number(text, f->value);
        zb_text_add(text, "; the data are too close to singular for double precision");
        break;
    default:
        zb_text_add(text, zb_status_sentence(f->status));
    }
}

/* Nothing has failed: an empty sentence, also in the buffer. */
size_t zg_explain(const zw_gauss *g, char *buffer, size_t size)
{
    zb_text text;
    zb_text_init_fixed(&text, buffer, size);
    if (g->failure.status != ZW_OK)
        say_failure(&text, g);
    else
        zb_text_add(&text, "");
    if (size > 0 && text.length == 0) buffer[0] = '\0';
    return text.length;
}

char zg_failed(const zw_gauss *g, int32_t *index)
{
    *index = g->failure.i;
    return g->failure.status == ZW_ERR_INDEFINITE ? g->failure.matrix : '\0';
}
