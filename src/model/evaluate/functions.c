/*
 * The functions of the language (sin, min, dot, cross, transpose, inverse, if, ...): which shapes
 * they take, and the expressions they make of them.
 */
#include "elaborate.h"

#include <math.h>

/* Of a function whose arguments are evaluated first, which if(...) and the reactions are not. */
enum { MAX_ARGUMENTS = 99 };

/* Says which shape argument k should have had; broken. */
static zm_value report_wrong_argument(zm_elab *e, const zl_expr *x, int32_t k, const zm_value *v,
                                      const char *needed)
{
    ZM_ERROR(e, "E0211", x->items[k]->place, NULL, "%s needs %s here, not %s",
             zm_name_of(e, x->name), needed, zm_shape_string(e, v));
    return zm_broken();
}

static bool is_vector_value(const zm_value *v)
{
    return zm_is_numeric(v) && v->rows > 0 && v->columns == 0;
}

/* ----------------------------------------------------------- functions of numbers */

/* The operation of a function of numbers; ZX_OP_COUNT: it is none. */
static zx_op find_scalar_op(zl_function function)
{
    switch (function) {
    case ZL_FN_SIN:
        return ZX_SIN;
    case ZL_FN_COS:
        return ZX_COS;
    case ZL_FN_TAN:
        return ZX_TAN;
    case ZL_FN_ASIN:
        return ZX_ASIN;
    case ZL_FN_ACOS:
        return ZX_ACOS;
    case ZL_FN_ATAN:
        return ZX_ATAN;
    case ZL_FN_SINH:
        return ZX_SINH;
    case ZL_FN_COSH:
        return ZX_COSH;
    case ZL_FN_TANH:
        return ZX_TANH;
    case ZL_FN_EXP:
        return ZX_EXP;
    case ZL_FN_LOG:
        return ZX_LOG;
    case ZL_FN_SQRT:
        return ZX_SQRT;
    case ZL_FN_ABS:
        return ZX_ABS;
    case ZL_FN_SIGN:
        return ZX_SIGN;
    case ZL_FN_FLOOR:
        return ZX_FLOOR;
    case ZL_FN_ATAN2:
        return ZX_ATAN2;
    case ZL_FN_HYPOT:
        return ZX_HYPOT;
    case ZL_FN_MIN:
        return ZX_MIN;
    case ZL_FN_MAX:
        return ZX_MAX;
    default:
        return ZX_OP_COUNT;
    }
}

/* A function of numbers: one argument, or two and more taken together from the left (min, max). */
static zm_value apply_scalar_function(zm_elab *e, const zl_expr *x, zx_op op, const zm_value *v)
{
    for (int32_t k = 0; k < x->count; k++)
        if (!zm_is_scalar(&v[k])) return report_wrong_argument(e, x, k, &v[k], "a number");
    zx_node node = zm_element(e, &v[0], 0);
    if (x->count == 1) return zm_node_value(e, zx_unary(e->world, op, node));
    for (int32_t k = 1; k < x->count; k++)
        node = zx_binary(e->world, op, node, zm_element(e, &v[k], 0));
    return zm_node_value(e, node);
}

/* ---------------------------------------------------------- functions of vectors */

/* The square of an element is written as a power, not as a product with itself. */
zx_node zm_dot_product(zm_elab *e, const zm_value *a, const zm_value *b)
{
    zx_node sum = zx_number(e->world, 0.0);
    for (int32_t k = 0; k < zm_size(a); k++) {
        zx_node x = zm_element(e, a, k), y = zm_element(e, b, k);
        zx_node product = x == y ? zx_power(e->world, x, 2) : zx_binary(e->world, ZX_MUL, x, y);
        sum = zx_binary(e->world, ZX_ADD, sum, product);
    }
    return sum;
}

/* a x b of two vectors of 3. */
static zm_value cross_product(zm_elab *e, const zm_value *a, const zm_value *b)
{
    zm_value out = zm_new_items(e, 3, 0);
    for (int32_t k = 0; k < 3; k++) {
        int32_t i = (k + 1) % 3, j = (k + 2) % 3;
        zx_node left = zx_binary(e->world, ZX_MUL, zm_element(e, a, i), zm_element(e, b, j));
        zx_node right = zx_binary(e->world, ZX_MUL, zm_element(e, a, j), zm_element(e, b, i));
        out.items[k] = zx_binary(e->world, ZX_SUB, left, right);
    }
    return out;
}

/* The matrix a_i b_j of two vectors. */
static zm_value outer_product(zm_elab *e, const zl_expr *x, const zm_value *a, const zm_value *b)
{
    if ((int64_t)a->rows * b->rows > ZM_MAX_ELEMENTS) {
        ZM_ERROR(e, "E0212", x->place, NULL, "this matrix would have more than %d elements",
                 ZM_MAX_ELEMENTS);
        return zm_broken();
    }
    if (zm_count_steps(e, x->place, 10 * (int64_t)a->rows * b->rows)) return zm_broken();
    zm_value out = zm_new_items(e, a->rows, b->rows);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t j = 0; j < b->rows; j++)
            out.items[i * b->rows + j] =
                zx_binary(e->world, ZX_MUL, zm_element(e, a, i), zm_element(e, b, j));
    return out;
}

/* dot, cross and outer: checks the shapes, then makes the product. */
static zm_value apply_to_two_vectors(zm_elab *e, const zl_expr *x, const zm_value *v)
{
    bool three = x->function == ZL_FN_CROSS;
    for (int32_t k = 0; k < 2; k++)
        if (!is_vector_value(&v[k]) || (three && v[k].rows != 3))
            return report_wrong_argument(e, x, k, &v[k], three ? "a vector of 3" : "a vector");
    if (x->function != ZL_FN_OUTER && v[0].rows != v[1].rows)
        return report_wrong_argument(e, x, 1, &v[1], zm_shape_string(e, &v[0]));
    if (three) return cross_product(e, &v[0], &v[1]);
    if (x->function == ZL_FN_OUTER) return outer_product(e, x, &v[0], &v[1]);
    return zm_node_value(e, zm_dot_product(e, &v[0], &v[1]));
}

static zm_value vector_norm(zm_elab *e, const zl_expr *x, const zm_value *v)
{
    if (!is_vector_value(v)) return report_wrong_argument(e, x, 0, v, "a vector");
    return zm_node_value(e, zx_unary(e->world, ZX_SQRT, zm_dot_product(e, v, v)));
}

/* --------------------------------------------------------- functions of matrices */

/* The elements are the same nodes, exchanged. */
static zm_value transpose_matrix_value(zm_elab *e, const zm_value *a)
{
    zm_value out = zm_new_items(e, a->columns, a->rows);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t j = 0; j < a->columns; j++)
            out.items[j * a->rows + i] = zm_element(e, a, i * a->columns + j);
    return out;
}

/* transpose, det and inverse: checks the shape, then makes the value. */
static zm_value apply_to_matrix(zm_elab *e, const zl_expr *x, const zm_value *v)
{
    bool square = x->function != ZL_FN_TRANSPOSE;
    if (!zm_is_numeric(v) || !v->columns || (square && v->rows != v->columns))
        return report_wrong_argument(e, x, 0, v, square ? "a square matrix" : "a matrix");
    if (x->function == ZL_FN_TRANSPOSE) return transpose_matrix_value(e, v);
    return x->function == ZL_FN_DET ? zm_matrix_determinant(e, x, v) : zm_invert_matrix(e, x, v);
}

/* ------------------------------------------------------------------- conditions */

/* if(condition, yes, no). Only the branch that is taken is looked at when the condition is known
 * now; otherwise both, which must have one shape. */
static zm_value evaluate_if(zm_elab *e, const zl_expr *x)
{
    zm_value condition = zm_evaluate(e, x->items[0]);
    if (zm_is_broken(&condition)) return condition;
    if (condition.kind == ZM_VAL_NUMBER)
        return zm_evaluate(e, x->items[condition.number != 0.0 ? 1 : 2]);
    e->flags.guarded++;
    zm_value yes = zm_evaluate(e, x->items[1]), no = zm_evaluate(e, x->items[2]);
    e->flags.guarded--;
    if (zm_is_broken(&yes) || zm_is_broken(&no)) return zm_broken();
    if (!zm_is_numeric(&yes)) return report_wrong_argument(e, x, 1, &yes, "a value");
    if (!zm_is_numeric(&no) || !zm_same_shape(&yes, &no))
        return report_wrong_argument(e, x, 2, &no, zm_shape_string(e, &yes));
    zx_node node = zm_element(e, &condition, 0);
    if (zm_is_scalar(&yes))
        return zm_node_value(
            e, zx_select(e->world, node, zm_element(e, &yes, 0), zm_element(e, &no, 0)));
    zm_value out = zm_new_items(e, yes.rows, yes.columns);
    for (int32_t k = 0; k < zm_size(&yes); k++)
        out.items[k] = zx_select(e->world, node, zm_element(e, &yes, k), zm_element(e, &no, k));
    return out;
}

/* -------------------------------------------------------------------- dispatch */

/* Evaluates the arguments and chooses by the function; if(...) and the reactions read theirs
 * themselves. */
zm_value zm_evaluate_builtin(zm_elab *e, const zl_expr *x)
{
    zl_function function = (zl_function)x->function;
    if (function == ZL_FN_IF) return evaluate_if(e, x);
    if (function == ZL_FN_MULTIPLIER || function == ZL_FN_REACTION)
        return zm_evaluate_reaction(e, x);
    zm_value v[MAX_ARGUMENTS];
    v[0] = v[1] = zm_broken(); /* the parser has counted the arguments */
    bool broken = x->count > MAX_ARGUMENTS;
    for (int32_t k = 0; k < x->count && !broken; k++) {
        v[k] = zm_evaluate(e, x->items[k]);
        broken = zm_is_broken(&v[k]);
    }
    if (broken) return zm_broken();
    zx_op op = find_scalar_op(function);
    if (op != ZX_OP_COUNT) return apply_scalar_function(e, x, op, v);
    if (function == ZL_FN_NORM) return vector_norm(e, x, &v[0]);
    if (function == ZL_FN_DOT || function == ZL_FN_CROSS || function == ZL_FN_OUTER)
        return apply_to_two_vectors(e, x, v);
    return apply_to_matrix(e, x, &v[0]);
}
