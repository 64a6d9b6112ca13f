/*
 * Values of expressions while a model is built, and their arithmetic: scalars, vectors and matrices
 * whose elements are numbers or nodes of `world`. Numbers known while building stay numbers as long
 * as they can; blocks of coordinates and parameters are not written out until an element is asked
 * for, so that x[i] costs the same in an array of three and of a million.
 */
#include "elaborate.h"

#include <math.h>

static bool is_part_value(const zm_value *v)
{
    return v->kind == ZM_VAL_PART || v->kind == ZM_VAL_PARTS;
}

zm_value zm_broken(void)
{
    return (zm_value){.kind = ZM_VAL_BROKEN};
}

zm_value zm_number(double number, bool bound)
{
    return (zm_value){.kind = ZM_VAL_NUMBER, .number = number, .bound = bound};
}

/* Constants become numbers again, so that indices and sizes may be computed from them. */
zm_value zm_node_value(const zm_elab *e, zx_node node)
{
    double number;
    if (node == ZX_NONE) return zm_broken();
    if (zx_is_constant(e->world, node, &number))
        return zm_number(number, e->world->items[node].op == ZX_BOUND);
    return (zm_value){.kind = ZM_VAL_NODE, .node = node};
}

/* The elements are in scratch and zeroed. Jumps when they are too many. */
zm_value zm_new_items(zm_elab *e, int32_t rows, int32_t columns)
{
    zm_value v = {.kind = ZM_VAL_ITEMS, .rows = rows, .columns = columns};
    zm_count_elements(e, zm_size(&v));
    v.items = ZB_NEW_ARRAY(&e->scratch, zx_node, zm_size(&v));
    return v;
}

int32_t zm_size(const zm_value *v)
{
    if (v->rows == 0 && v->columns == 0) return v->kind == ZM_VAL_ITEMS ? 0 : 1;
    return v->rows * (v->columns ? v->columns : 1);
}

bool zm_is_broken(const zm_value *v)
{
    return v->kind == ZM_VAL_BROKEN;
}

bool zm_is_scalar(const zm_value *v)
{
    return v->rows == 0 && v->columns == 0 && !is_part_value(v) && v->kind != ZM_VAL_BROKEN;
}

bool zm_is_numeric(const zm_value *v)
{
    return !is_part_value(v);
}

bool zm_is_zero_number(const zm_value *v)
{
    return v->kind == ZM_VAL_NUMBER && v->number == 0.0;
}

bool zm_is_coordinates(const zm_value *v)
{
    return v->kind == ZM_VAL_BLOCK && (v->leaf == ZX_POSITION || v->leaf == ZX_VELOCITY);
}

/* Numbers and leaves become nodes here, at the latest moment. */
zx_node zm_element(zm_elab *e, const zm_value *v, int32_t k)
{
    switch (v->kind) {
    case ZM_VAL_NUMBER:
        return v->bound ? zx_bound(e->world, v->number) : zx_number(e->world, v->number);
    case ZM_VAL_NODE:
        return v->node;
    case ZM_VAL_ITEMS:
        return v->items[k];
    case ZM_VAL_BLOCK:
        return zx_leaf(e->world, v->leaf, v->first + k);
    default:
        return ZX_NONE;
    }
}

bool zm_same_shape(const zm_value *a, const zm_value *b)
{
    return a->rows == b->rows && a->columns == b->columns;
}

/* For messages. */
const char *zm_shape_string(zm_elab *e, const zm_value *v)
{
    if (is_part_value(v)) return "a part";
    if (v->columns) return zm_format(e, "a %d×%d matrix", (int)v->rows, (int)v->columns);
    if (v->rows) return zm_format(e, "a vector of %d", (int)v->rows);
    return "a number";
}

/* The result of an elementwise operation, to be filled in: a scalar node, or items of the shape of
 * `like`. */
static zm_value new_result_like(zm_elab *e, const zm_value *like)
{
    if (zm_is_scalar(like)) return (zm_value){.kind = ZM_VAL_NODE};
    return zm_new_items(e, like->rows, like->columns);
}

/* Element k of a result made by new_result_like. */
static void set_result_element(zm_elab *e, zm_value *v, int32_t k, zx_node node)
{
    if (v->kind == ZM_VAL_ITEMS)
        v->items[k] = node;
    else
        *v = zm_node_value(e, node);
}

/* One operation on every element. */
zm_value zm_map_elements(zm_elab *e, zx_op op, const zm_value *a)
{
    zm_value out = new_result_like(e, a);
    int32_t size = zm_size(a);
    for (int32_t k = 0; k < size; k++)
        set_result_element(e, &out, k, zx_unary(e->world, op, zm_element(e, a, k)));
    return out;
}

/* ------------------------------------------------------------ total derivative */

/* Of coordinates the velocities, of velocities the accelerations, of parameters 0; an acceleration
 * has no derivative. */
static zm_value differentiate_block(zm_elab *e, const zm_value *v, zl_place place)
{
    zm_value out = *v;
    switch (v->leaf) {
    case ZX_POSITION:
        out.leaf = ZX_VELOCITY;
        return out;
    case ZX_VELOCITY:
        out.leaf = ZX_ACCELERATION;
        e->flags.unusual = true;
        return out;
    case ZX_VALUE:
        if (zm_is_scalar(v)) return zm_number(0.0, false);
        out = zm_new_items(e, v->rows, v->columns);
        for (int32_t k = 0; k < zm_size(v); k++) out.items[k] = zx_number(e->world, 0.0);
        return out;
    default:
        ZM_ERROR(e, "E0204", place, "a model speaks of coordinates, velocities and accelerations",
                 "an acceleration cannot be differentiated again");
        return zm_broken();
    }
}

/* Element by element. Afterwards accelerations may stand in expressions, which others must then
 * look for (e->flags.unusual). */
zm_value zm_rate_of(zm_elab *e, const zm_value *v, zl_place place)
{
    if (v->kind == ZM_VAL_NUMBER) return zm_number(0.0, false);
    if (v->kind == ZM_VAL_BLOCK) return differentiate_block(e, v, place);
    zm_value out = new_result_like(e, v);
    for (int32_t k = 0; k < zm_size(v); k++) {
        zx_node rate = zx_time_derivative(e->world, zm_element(e, v, k));
        e->flags.unusual = true; /* an acceleration may have come in */
        if (rate == ZX_NONE) {
            ZM_ERROR(e, "E0204", place,
                     "reactions have no derivative, and accelerations are not differentiated again",
                     "this expression cannot be differentiated by time");
            return zm_broken();
        }
        set_result_element(e, &out, k, rate);
    }
    return out;
}

/* ------------------------------------------------------------------ arithmetic */

/* The operation of a binary operator; a > b is written b < a, so both have the same. */
static zx_op find_node_op(zl_expr_kind kind)
{
    switch (kind) {
    case ZL_ADD:
        return ZX_ADD;
    case ZL_SUB:
        return ZX_SUB;
    case ZL_MUL:
        return ZX_MUL;
    case ZL_DIV:
        return ZX_DIV;
    case ZL_POW:
        return ZX_POW;
    case ZL_LT:
    case ZL_GT:
        return ZX_LT;
    case ZL_LE:
    case ZL_GE:
        return ZX_LE;
    case ZL_EQ:
        return ZX_EQ;
    case ZL_NE:
        return ZX_NE;
    case ZL_AND:
        return ZX_AND;
    default:
        return ZX_OR;
    }
}

/* Two known numbers, the common case in indices: no node is made. Division and powers may have no
 * value; then it returns false, the expression stays one, and is reported where it is needed. */
static bool fold_two_numbers(zx_op op, const zm_value *a, const zm_value *b, zm_value *out)
{
    if (a->kind != ZM_VAL_NUMBER || b->kind != ZM_VAL_NUMBER) return false;
    double number = zx_apply(op, a->number, b->number, 0.0);
    if (!isfinite(number)) return false;
    *out = zm_number(number, a->bound || b->bound);
    return true;
}

/* A scalar operand goes with every element of the other one. */
static zm_value apply_elementwise(zm_elab *e, zx_op op, const zm_value *a, const zm_value *b)
{
    zm_value folded;
    if (fold_two_numbers(op, a, b, &folded)) return folded;
    if (zm_is_scalar(a) && zm_is_scalar(b)) {
        zx_node left = zm_element(e, a, 0), right = zm_element(e, b, 0);
        return zm_node_value(e, zx_binary(e->world, op, left, right));
    }
    const zm_value *shape = zm_is_scalar(a) ? b : a;
    zm_value out = new_result_like(e, shape);
    int32_t size = zm_size(shape);
    int32_t a_step = zm_is_scalar(a) ? 0 : 1, b_step = zm_is_scalar(b) ? 0 : 1;
    for (int32_t k = 0; k < size; k++)
        set_result_element(
            e, &out, k,
            zx_binary(e->world, op, zm_element(e, a, k * a_step), zm_element(e, b, k * b_step)));
    return out;
}

static const char *const operator_verbs[] = {[ZL_ADD] = "added to",
                                             [ZL_SUB] = "subtracted from",
                                             [ZL_MUL] = "multiplied with",
                                             [ZL_DIV] = "divided by",
                                             [ZL_POW] = "raised to"};

/* Says which two shapes an operator cannot combine. */
static zm_value report_wrong_shapes(zm_elab *e, const zl_expr *x, const zm_value *a,
                                    const zm_value *b)
{
    const zm_value *first = x->kind == ZL_SUB ? b : a, *second = x->kind == ZL_SUB ? a : b;
    const char *help = "sums and differences need equal shapes";
    if (x->kind == ZL_MUL) help = "a matrix times a vector of as many elements as it has columns";
    if (x->kind == ZL_DIV) help = "only numbers divide";
    if (x->kind == ZL_POW) help = "only numbers have powers; dot(v, v) is the square of a vector";
    ZM_ERROR(e, "E0201", x->mark, help, "%s cannot be %s %s", zm_shape_string(e, first),
             operator_verbs[x->kind], zm_shape_string(e, second));
    return zm_broken();
}

/* A product: with a scalar elementwise, else matrix times vector or matrix. Its work is counted
 * first, for large ones. */
static zm_value multiply_values(zm_elab *e, const zl_expr *x, const zm_value *a, const zm_value *b)
{
    if (zm_is_scalar(a) || zm_is_scalar(b)) return apply_elementwise(e, ZX_MUL, a, b);
    if (!a->columns && !b->columns) {
        ZM_ERROR(e, "E0202", x->mark,
                 "write dot(a, b) for a number, cross(a, b) for a vector, outer(a, b) for a matrix",
                 "a vector cannot be multiplied with a vector");
        return zm_broken();
    }
    if (!a->columns) {
        ZM_ERROR(e, "E0202", x->mark, "write transpose(A)*v",
                 "a vector cannot stand on the left of a matrix");
        return zm_broken();
    }
    if (a->columns != b->rows) return report_wrong_shapes(e, x, a, b);
    int64_t width = b->columns ? b->columns : 1, steps = 10 * (int64_t)a->rows * a->columns;
    if (zm_count_steps(e, x->place, steps < INT64_MAX / width ? steps * width : INT64_MAX / 2))
        return zm_broken();
    return zm_multiply_matrix(e, a, b);
}

/* An operand that is a part, not a value. */
static zm_value report_part_operand(zm_elab *e, const zl_expr *x, const zm_value *a)
{
    const zl_expr *where = is_part_value(a) || !x->right ? x->left : x->right;
    ZM_ERROR(e, "E0104", where ? where->place : x->place,
             "name one of its coordinates or definitions, as in a.r",
             "a part stands where a value is needed");
    return zm_broken();
}

/* + and - want equal shapes, / and ^ a number on the right; a product judges its shapes itself. */
zm_value zm_apply_arithmetic(zm_elab *e, const zl_expr *x, const zm_value *a, const zm_value *b)
{
    if (zm_is_broken(a) || zm_is_broken(b)) return zm_broken();
    if (is_part_value(a) || is_part_value(b)) return report_part_operand(e, x, a);
    if (x->kind == ZL_MUL) return multiply_values(e, x, a, b);
    bool fits = x->kind == ZL_ADD || x->kind == ZL_SUB ? zm_same_shape(a, b) : zm_is_scalar(b);
    if (x->kind == ZL_POW) fits = zm_is_scalar(a) && zm_is_scalar(b);
    if (!fits) return report_wrong_shapes(e, x, a, b);
    return apply_elementwise(e, find_node_op(x->kind), a, b);
}

/* The parser has seen to it that conditions stand where they may; comparisons want numbers.
 * a > b is b < a. */
zm_value zm_apply_condition(zm_elab *e, const zl_expr *x, const zm_value *a, const zm_value *b)
{
    if (zm_is_broken(a) || zm_is_broken(b)) return zm_broken();
    if (!zm_is_scalar(a) || !zm_is_scalar(b)) {
        const zm_value *culprit = zm_is_scalar(a) ? b : a;
        ZM_ERROR(e, "E0203", culprit == a ? x->left->place : x->right->place,
                 "only numbers can be compared", "a number is needed here, not %s",
                 zm_shape_string(e, culprit));
        return zm_broken();
    }
    bool swap = x->kind == ZL_GT || x->kind == ZL_GE;
    return apply_elementwise(e, find_node_op(x->kind), swap ? b : a, swap ? a : b);
}

/* -------------------------------------------------------------------- indexing */

/* Index k of x is out of range. */
static zm_value report_index_range(zm_elab *e, const zl_expr *x, int32_t k, int32_t index,
                                   int32_t size)
{
    const char *what = x->left->kind == ZL_NAME || x->left->kind == ZL_MEMBER
                           ? zm_format(e, "'%s'", zm_name_of(e, x->left->name))
                           : "this value";
    ZM_ERROR(e, "E0205", x->items[k]->place, zm_format(e, "indices run from 1 to %d", (int)size),
             "index %d is out of range: %s has %d %s", (int)index, what, (int)size,
             k == 1      ? "columns"
             : size == 1 ? "element"
                         : "elements");
    return zm_broken();
}

/* Elements [at, at + rows) of v as a vector; rows 0: the element as a scalar. */
static zm_value slice_value(zm_elab *e, const zm_value *v, int32_t at, int32_t rows)
{
    if (rows == 0 && v->kind == ZM_VAL_ITEMS) return zm_node_value(e, v->items[at]);
    zm_value out = *v;
    out.rows = rows;
    out.columns = 0;
    if (v->kind == ZM_VAL_ITEMS)
        out.items = v->items + at;
    else
        out.first = v->first + at;
    return out;
}

/* index [x->count] have been evaluated. Reports values without elements, too many indices and those
 * out of range. */
zm_value zm_select_element(zm_elab *e, const zl_expr *x, const zm_value *v, const int32_t *index)
{
    int32_t dimensions = v->columns ? 2 : v->rows ? 1 : 0;
    bool named = x->left->kind == ZL_NAME || x->left->kind == ZL_MEMBER;
    if (dimensions == 0 && named) {
        ZM_ERROR(e, "E0203", x->mark, "only vectors and matrices have elements",
                 "'%s' is a number and has no elements", zm_name_of(e, x->left->name));
        return zm_broken();
    }
    if (x->count > dimensions) {
        ZM_ERROR(e, "E0203", x->mark, "only vectors and matrices have elements",
                 "%s cannot have %d %s", zm_shape_string(e, v), (int)x->count,
                 x->count == 1 ? "index" : "indices");
        return zm_broken();
    }
    if (index[0] < 1 || index[0] > v->rows) return report_index_range(e, x, 0, index[0], v->rows);
    if (x->count == 2 && (index[1] < 1 || index[1] > v->columns))
        return report_index_range(e, x, 1, index[1], v->columns);
    if (x->count == 2) return slice_value(e, v, (index[0] - 1) * v->columns + index[1] - 1, 0);
    if (dimensions == 2) return slice_value(e, v, (index[0] - 1) * v->columns, v->columns);
    return slice_value(e, v, index[0] - 1, 0);
}
