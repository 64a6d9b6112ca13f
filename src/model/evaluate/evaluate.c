/*
 * The evaluator of expressions: a walk over the syntax tree that returns values (value.c). What
 * depends on coordinates, parameters or the time becomes nodes of the pool `world`; what is known
 * while building stays a number. Long chains a + b + c lean to the left in the tree and are walked
 * in a loop; everything else recurses, with a limit of depth and of steps, so that no text can
 * exhaust the stack or take for ever.
 */
#include "elaborate.h"

#include <math.h>
#include <string.h>

static zm_value evaluate_by_kind(zm_elab *e, const zl_expr *x);

/* Every expression passes here: its depth and one step are counted. */
zm_value zm_evaluate(zm_elab *e, const zl_expr *x)
{
    if (zm_count_steps(e, x->place, 1)) return zm_broken();
    e->limits.place = x->place;
    if (e->limits.depth >= ZM_MAX_DEPTH) {
        ZM_ERROR(e, "E0114", x->place, "does a function call itself?",
                 "expressions and calls are nested more than %d deep here", ZM_MAX_DEPTH);
        e->limits.stopped = true;
        return zm_broken();
    }
    e->limits.depth++;
    zm_value v = evaluate_by_kind(e, x);
    e->limits.depth--;
    return v;
}

/* ----------------------------------------------------------------------- names */

/* A block of coordinates or parameters as a value; its elements are not written out. */
static zm_value value_of_block(const zm_block *block, zx_op leaf)
{
    return (zm_value){.kind = ZM_VAL_BLOCK,
                      .leaf = leaf,
                      .first = block->first,
                      .rows = block->rows,
                      .columns = block->columns};
}

static zm_value report_not_a_value(zm_elab *e, const zl_expr *x, const char *is, const char *help)
{
    ZM_ERROR(e, "E0104", x->mark, help, "'%s' is %s, not a value", zm_name_of(e, x->name), is);
    return zm_broken();
}

/* An output of the model or of a part stands for its expression, which is evaluated again in the
 * scope where it was written. */
static zm_value evaluate_output(zm_elab *e, const zl_expr *x, const zm_symbol *entry,
                                zm_scope *scope)
{
    if (!entry->statement)
        return report_not_a_value(e, x, "an array of outputs or stands in a block",
                                  "define it with let and use that in both places");
    if (zm_count_steps(e, x->place, ZM_CALL_STEPS)) return zm_broken();
    zm_scope *before = e->scope;
    e->scope = scope;
    zm_value v = zm_evaluate(e, entry->statement->right);
    e->scope = before;
    return v;
}

/* What a name that was found in `scope` stands for; reports names of functions and components. */
static zm_value evaluate_symbol(zm_elab *e, const zl_expr *x, const zm_symbol *entry,
                                zm_scope *scope)
{
    switch (entry->meaning) {
    case ZM_IS_VALUE:
        return entry->value;
    case ZM_IS_PARAMETER:
        e->parameters.used.data[entry->number] = true;
        return value_of_block(&e->parameters.blocks.data[entry->number], ZX_VALUE);
    case ZM_IS_COORDINATE:
        return value_of_block(&e->coordinates.data[entry->number], ZX_POSITION);
    case ZM_IS_PART:
        return (zm_value){.kind = ZM_VAL_PART, .first = entry->number};
    case ZM_IS_PARTS:
        return (zm_value){.kind = ZM_VAL_PARTS, .first = entry->number, .name = entry->name};
    case ZM_IS_FUNCTION:
        return report_not_a_value(e, x, "a function", "call it with its arguments in brackets");
    case ZM_IS_COMPONENT:
        return report_not_a_value(e, x, "a component", "make an instance of it with part");
    case ZM_IS_OUTPUT:
        return evaluate_output(e, x, entry, scope);
    case ZM_IS_DATA:
        return report_not_a_value(e, x, "a function", "call it with its argument in brackets");
    }
    return zm_broken();
}

/* What `deg` is where the model has no such name: degrees as radians. */
static const double degree = 3.14159265358979323846 / 180.0;

static bool is_degree(const zm_elab *e, const zl_expr *x)
{
    return strcmp(zl_name_text(e->unit, x->name), "deg") == 0;
}

/* deg(x) is x degrees. */
static zm_value evaluate_degrees(zm_elab *e, const zl_expr *x)
{
    zl_expr times = {.kind = ZL_MUL, .place = x->place, .mark = x->mark};
    zm_value angle = zm_evaluate(e, x->items[0]), unit = zm_number(degree, false);
    return zm_is_broken(&angle) ? angle : zm_apply_arithmetic(e, &times, &angle, &unit);
}

/* A name, looked up from the present scope outwards. */
static zm_value evaluate_name(zm_elab *e, const zl_expr *x)
{
    zm_scope *scope = e->scope;
    const zm_symbol *entry = zm_find_name_from(&scope, x->name);
    if (entry) return evaluate_symbol(e, x, entry, scope);
    if (is_degree(e, x)) return zm_number(degree, false);
    if (e->flags.output && zm_is_shown_word(e, x)) return zm_evaluate_shown(e, x);
    zm_report_unknown_name(e, x);
    return zm_broken();
}

/* The names in the scope of a part, for a help. Its arguments, which come first in the scope, are
 * listed last. */
static const char *list_member_names(zm_elab *e, const zm_scope *scope, int32_t arguments)
{
    zl_name *names = ZB_NEW_ARRAY(&e->scratch, zl_name, scope->count);
    for (int32_t i = 0; i < scope->count; i++)
        names[i] = scope->entries[(i + arguments) % scope->count].name;
    return zm_list_names(e, names, scope->count);
}

/* part.name where the part has no such name: suggests one that is near, or lists what there is. */
static zm_value report_no_member(zm_elab *e, const zl_expr *x, const zm_scope *scope)
{
    zb_suggestion s;
    if (zm_is_lost(e, x->name)) return zm_broken();
    zl_name component = e->parts.list.data[scope->part].component;
    const zm_symbol *c = zm_find_name(e, component);
    int32_t arguments = c && c->meaning == ZM_IS_COMPONENT ? c->statement->argument_count : 0;
    zb_suggest_begin(&s, zm_name_of(e, x->name));
    for (int32_t i = 0; i < scope->count; i++)
        zb_suggest_add(&s, zm_name_of(e, scope->entries[i].name));
    const char *best = zb_suggest_end(&s);
    const char *help = best ? zm_format(e, "did you mean '%s'?", best)
                       : scope->count > 0
                           ? zm_format(e, "it has %s", list_member_names(e, scope, arguments))
                           : NULL;
    ZM_ERROR(e, "E0105", x->mark, help, "this part, a %s, has no '%s'", zm_name_of(e, component),
             zm_name_of(e, x->name));
    return zm_broken();
}

/* From now on the argument is broken: what is wrong with it has been said. */
static void break_argument(zm_scope *scope, zl_name name)
{
    for (int32_t i = 0; i < scope->count; i++)
        if (scope->entries[i].name == name) scope->entries[i].value.kind = ZM_VAL_BROKEN;
}

/* Where the part before a point is an argument of the component whose part is being made: what is wrong
 * is the argument, where it was given. */
static bool report_argument(zm_elab *e, const zl_expr *x, const zm_value *left)
{
    const zm_making *m = &e->reading.making;
    zm_scope *scope = e->scope;
    if (!m->call || x->left->kind != ZL_NAME || !zm_find_name_from(&scope, x->left->name) ||
        scope != m->inner)
        return false;
    for (int32_t k = 0; k < m->call->count; k++) {
        zl_name given = m->call->item_names ? m->call->item_names[k] : -1;
        if (given < 0 && k < m->component->argument_count) given = m->component->arguments[k].name;
        if (given != x->left->name) continue;
        ZM_ERROR(e, "E0104", m->call->items[k]->place,
                 zm_format(e, "'%s' takes it for a part that has '%s'",
                           zm_name_of(e, m->component->name), zm_name_of(e, x->name)),
                 "argument %d of '%s' is to be a part, such as a body, not %s", (int)k + 1,
                 zm_name_of(e, m->component->name), zm_shape_string(e, left));
        break_argument(scope, given);
        return true;
    }
    return false;
}

/* The scope of the part that stands before the point of `part.name`; NULL after an error. */
static zm_scope *find_member_scope(zm_elab *e, const zl_expr *x)
{
    zm_value left = zm_evaluate(e, x->left);
    if (zm_is_broken(&left)) return NULL;
    if (left.kind == ZM_VAL_PART) return e->parts.scopes.data[left.first];
    if (left.kind != ZM_VAL_PARTS && report_argument(e, x, &left)) return NULL;
    const char *help = left.kind == ZM_VAL_PARTS  ? "give the index of one of them, as in link[1].r"
                       : zm_is_coordinates(&left) ? zm_member_help(e, x)
                                                  : "only parts have names of their own";
    ZM_ERROR(e, "E0104", x->left->place, help,
             left.kind == ZM_VAL_PARTS ? "'%s' is an array of parts" : "'%s' is not in a part",
             zm_name_of(e, left.kind == ZM_VAL_PARTS ? left.name : x->name));
    return NULL;
}

/* part.name: only names of the part itself count, none around it. */
static zm_value evaluate_member(zm_elab *e, const zl_expr *x)
{
    zm_scope *scope = find_member_scope(e, x);
    if (!scope) return zm_broken();
    const zm_symbol *entry = zm_find_own_name(scope, x->name);
    return entry ? evaluate_symbol(e, x, entry, scope) : report_no_member(e, x, scope);
}

/* The part that link[2] or cell[1, 3] names, of an array of parts. */
static zm_value find_part_of_array(zm_elab *e, const zl_expr *x, const zm_value *array,
                                   const int32_t *index)
{
    zm_label label = {.scope = array->first, .name = array->name, .index_count = x->count};
    for (int32_t k = 0; k < x->count && k < 2; k++) label.index[k] = index[k];
    int32_t part = zm_find_part(e, &label);
    if (part >= 0) return (zm_value){.kind = ZM_VAL_PART, .first = part};
    ZM_ERROR(e, "E0205", x->place, "parts are made before they are used", "there is no part %s",
             zm_label_string(e, &label));
    return zm_broken();
}

/* x[i] or x[i, j]. Indices are numbers known now; beyond 32 bits they are out of range of every
 * vector, matrix and array of parts. */
static zm_value evaluate_index(zm_elab *e, const zl_expr *x)
{
    zm_value left = zm_evaluate(e, x->left);
    int32_t index[2] = {0, 0};
    bool good = !zm_is_broken(&left);
    for (int32_t k = 0; k < x->count && k < 2; k++) {
        int64_t number;
        if (!zm_read_known_integer(e, x->items[k], "an index", &number)) return zm_broken();
        if (number < INT32_MIN || number > INT32_MAX) {
            ZM_ERROR(e, "E0205", x->items[k]->place, NULL, "index %lld is out of range",
                     (long long)number);
            return zm_broken();
        }
        index[k] = (int32_t)number;
    }
    if (!good) return zm_broken();
    if (left.kind == ZM_VAL_PARTS) return find_part_of_array(e, x, &left, index);
    if (left.kind == ZM_VAL_PART) {
        ZM_ERROR(e, "E0104", x->left->place, "it is one part, not an array of parts",
                 "a part has no index");
        return zm_broken();
    }
    return zm_select_element(e, x, &left, index);
}

/* --------------------------------------------------------------------- literals */

/* [a, b, c]: elements are all numbers, or all vectors of one length, which become the rows of a
 * matrix. */
static zm_value evaluate_vector(zm_elab *e, const zl_expr *x)
{
    zm_value out = zm_broken();
    bool good = true;
    for (int32_t k = 0; k < x->count; k++) {
        zm_value v = zm_evaluate(e, x->items[k]);
        if (zm_is_broken(&v) || !good) {
            good = false;
            continue;
        }
        if (v.columns || !zm_is_numeric(&v)) {
            ZM_ERROR(e, "E0208", x->items[k]->place, "vectors hold numbers, matrices hold rows",
                     "%s cannot be an element of a vector", zm_shape_string(e, &v));
            good = false;
            continue;
        }
        if (k == 0) out = zm_new_items(e, x->count, v.rows);
        if (v.rows != out.columns) {
            ZM_ERROR(e, "E0208", x->items[k]->place, "all rows of a matrix have the same length",
                     "element %d is %s, the ones before are not", (int)k + 1,
                     zm_shape_string(e, &v));
            good = false;
            continue;
        }
        int32_t width = zm_size(&v);
        for (int32_t j = 0; j < width; j++) out.items[k * width + j] = zm_element(e, &v, j);
    }
    return good ? out : zm_broken();
}

/* x': the total time derivative. */
static zm_value evaluate_prime(zm_elab *e, const zl_expr *x)
{
    zm_value v = zm_evaluate(e, x->left);
    if (zm_is_broken(&v)) return v;
    if (!zm_is_numeric(&v)) {
        ZM_ERROR(e, "E0104", x->left->place, "name one of its coordinates, as in a.r'",
                 "%s has no time derivative", zm_shape_string(e, &v));
        return zm_broken();
    }
    return zm_rate_of(e, &v, x->place);
}

/* -------------------------------------------------------------------- operators */

/* Operators that group to the left and so make long chains without brackets. */
static bool is_chain_operator(const zl_expr *x)
{
    return x->kind == ZL_ADD || x->kind == ZL_SUB || x->kind == ZL_MUL || x->kind == ZL_DIV ||
           x->kind == ZL_AND || x->kind == ZL_OR;
}

/* One binary operator on two values. */
static zm_value apply_operator(zm_elab *e, const zl_expr *x, const zm_value *a, const zm_value *b)
{
    return x->kind >= ZL_LT && x->kind <= ZL_OR ? zm_apply_condition(e, x, a, b)
                                                : zm_apply_arithmetic(e, x, a, b);
}

/* a + b - c: down the left side to the first operand, then up again, without recursion. */
static zm_value evaluate_chain(zm_elab *e, const zl_expr *x)
{
    int32_t length = 0;
    const zl_expr *bottom = x;
    for (; is_chain_operator(bottom); bottom = bottom->left) length++;
    const zl_expr **spine = ZB_NEW_ARRAY(&e->scratch, const zl_expr *, length);
    for (int32_t k = length; k-- > 0; x = x->left) spine[k] = x;
    zm_value v = zm_evaluate(e, bottom);
    for (int32_t k = 0; k < length; k++) {
        zm_value right = zm_evaluate(e, spine[k]->right);
        v = apply_operator(e, spine[k], &v, &right);
    }
    return v;
}

/* A binary operator; chains of more than one go to evaluate_chain. */
static zm_value evaluate_operator(zm_elab *e, const zl_expr *x)
{
    if (is_chain_operator(x) && is_chain_operator(x->left)) return evaluate_chain(e, x);
    zm_value a = zm_evaluate(e, x->left), b = zm_evaluate(e, x->right);
    return apply_operator(e, x, &a, &b);
}

/* -x. Parts and broken values are left to the arithmetic, which reports what is to be reported. */
static zm_value evaluate_minus(zm_elab *e, const zl_expr *x)
{
    zm_value v = zm_evaluate(e, x->left), zero = zm_number(0.0, false);
    if (v.kind == ZM_VAL_NUMBER) return zm_number(-v.number, v.bound);
    if (zm_is_broken(&v) || !zm_is_numeric(&v)) return zm_apply_arithmetic(e, x, &v, &zero);
    return zm_map_elements(e, ZX_NEG, &v);
}

/* not x, of a condition. */
static zm_value evaluate_not(zm_elab *e, const zl_expr *x)
{
    zm_value v = zm_evaluate(e, x->left);
    if (zm_is_broken(&v)) return v;
    return v.kind == ZM_VAL_NUMBER ? zm_number(v.number == 0.0, v.bound)
                                   : zm_map_elements(e, ZX_NOT, &v);
}

/* --------------------------------------------------------------- calls and sums */

/* Makes a scope with the arguments of a call of the function f, inside the one where it was
 * defined, and makes it the present one; false when their number is wrong. */
static bool enter_function_scope(zm_elab *e, const zl_expr *x, const zm_symbol *f,
                                 zm_scope *definition)
{
    const zl_statement *s = f->statement;
    if (x->count != s->argument_count) {
        ZM_ERROR(e, "E0111", x->mark, NULL, "'%s' takes %d %s, not %d", zm_name_of(e, x->name),
                 (int)s->argument_count, s->argument_count == 1 ? "argument" : "arguments",
                 (int)x->count);
        return false;
    }
    zm_scope *inner = zm_scope_new(e, definition, definition->part, false, x->count);
    for (int32_t k = 0; k < x->count; k++) {
        zm_value v = zm_evaluate(e, x->items[k]);
        zm_bind_name(e, inner, s->arguments[k].name, s->arguments[k].place, &v);
    }
    e->scope = inner;
    return true;
}

/* r(1), where r is no function: a product without its sign, or an element. */
static zm_value report_not_a_function(zm_elab *e, const zl_expr *x, const zm_symbol *f,
                                      zm_scope *scope)
{
    zm_value v = evaluate_symbol(e, x, f, scope);
    bool elements = v.kind == ZM_VAL_PARTS || (zm_is_numeric(&v) && v.rows > 0);
    const char *name = zm_name_of(e, x->name);
    ZM_ERROR(e, "E0104", x->mark,
             elements ? zm_format(e, "an element is written %s[1]", name)
                      : "a product needs the sign *",
             "'%s' is not a function", name);
    return zm_broken();
}

/* Whether a name of the model takes the place of gap, slip and the like: a function or component
 * does, a value does not where a constraint is named. */
static bool hides_contact_call(const zm_symbol *f, const zl_expr *x)
{
    if (!f) return false;
    if (f->meaning == ZM_IS_FUNCTION || f->meaning == ZM_IS_COMPONENT || f->meaning == ZM_IS_DATA ||
        x->count < 1)
        return true;
    uint8_t kind = x->items[0]->kind;
    return kind != ZL_NAME && kind != ZL_INDEX && kind != ZL_MEMBER;
}

/* f(...) or part.f(...): a function of the language, or one defined with let, whose scope is given
 * back. Errors inside a function of a module are shown at the call in the model itself (made_by). */
static zm_value evaluate_call(zm_elab *e, const zl_expr *x)
{
    if (x->function != ZL_FN_NONE) return zm_evaluate_builtin(e, x);
    zm_scope *before = e->scope, *definition = x->left ? find_member_scope(e, x) : before;
    if (!definition) return zm_broken();
    const zm_symbol *f =
        x->left ? zm_find_own_name(definition, x->name) : zm_find_name_from(&definition, x->name);
    if (!f && x->left) return report_no_member(e, x, definition);
    if (x->asked != ZL_ASK_NOTHING && !hides_contact_call(f, x)) return zm_evaluate_contact(e, x);
    if (!f && is_degree(e, x) && x->count == 1) return evaluate_degrees(e, x);
    if (!f && e->flags.output && zm_is_shown_word(e, x)) return zm_evaluate_shown(e, x);
    if (!f) {
        zm_report_unknown_name(e, x);
        return zm_broken();
    }
    if (f->meaning == ZM_IS_COMPONENT)
        return report_not_a_value(e, x, "a component", "make an instance of it with part");
    if (f->meaning == ZM_IS_DATA) return zm_evaluate_data(e, x, f->number);
    if (f->meaning != ZM_IS_FUNCTION) return report_not_a_function(e, x, f, definition);
    if (zm_count_steps(e, x->place, ZM_CALL_STEPS)) return zm_broken();
    zm_scratch_mark mark = zm_mark_scratch(e);
    if (!enter_function_scope(e, x, f, definition)) return zm_broken();
    zl_place made_by = e->unit->made_by;
    if (x->mark.source == 0) e->unit->made_by = x->mark;
    zm_value v = zm_evaluate(e, f->statement->definitions[0].value);
    e->unit->made_by = made_by;
    e->scope = before;
    zm_give_back(e, &mark, &v);
    return v;
}

/* Both ends must be known; the limit is asked only when there is something to do. */
bool zm_read_range(zm_elab *e, const zl_expr *low, const zl_expr *high, int64_t *from, int64_t *to)
{
    if (!zm_read_known_integer(e, low, "the end of a range", from) ||
        !zm_read_known_integer(e, high, "the end of a range", to))
        return false;
    return *to < *from || zm_range_fits(e, low, high, *to - *from + 1);
}

/* sum(i in a..b, body): the body for each value of the variable, added up; the first one gives the
 * shape. Of a pass only the sum so far stays. */
static zm_value evaluate_sum(zm_elab *e, const zl_expr *x)
{
    int64_t from, to;
    if (!zm_read_range(e, x->left, x->right, &from, &to)) return zm_broken();
    zm_value sum = zm_number(0.0, false);
    zl_expr plus = {.kind = ZL_ADD, .place = x->place, .mark = x->items[0]->place};
    zm_scope *before = e->scope;
    zm_scope *inner = zm_scope_new(e, before, before->part, false, 1);
    zm_loop loop;
    zm_begin_loop(e, &loop, x->place, to - from + 1);
    zm_scratch_mark mark = zm_mark_scratch(e);
    for (int64_t i = from; i <= to && zm_begin_pass(e, &loop); i++) {
        zm_scope_empty(inner);
        zm_value number = zm_number((double)i, true);
        zm_bind_name(e, inner, x->name, x->mark, &number);
        e->scope = inner;
        zm_value v = zm_evaluate(e, x->items[0]);
        e->scope = before;
        sum = i == from ? v : zm_apply_arithmetic(e, &plus, &sum, &v);
        if (zm_is_broken(&sum)) break;
        zm_give_back(e, &mark, &sum);
    }
    zm_end_loop(e, &loop);
    return sum;
}

/* -------------------------------------------------------------------- dispatch */

/* The dispatch: one function for each kind of expression. */
static zm_value evaluate_by_kind(zm_elab *e, const zl_expr *x)
{
    switch ((zl_expr_kind)x->kind) {
    case ZL_NUMBER:
        return zm_number(x->number, false);
    case ZL_PI:
        return zm_number(3.14159265358979323846, false);
    case ZL_TIME:
        return zm_node_value(e, zx_leaf(e->world, ZX_TIME, 0));
    case ZL_NAME:
        return evaluate_name(e, x);
    case ZL_VECTOR:
        return evaluate_vector(e, x);
    case ZL_INDEX:
        return evaluate_index(e, x);
    case ZL_MEMBER:
        return evaluate_member(e, x);
    case ZL_PRIME:
        return evaluate_prime(e, x);
    case ZL_CALL:
        return evaluate_call(e, x);
    case ZL_SUM:
        return evaluate_sum(e, x);
    case ZL_NEG:
        return evaluate_minus(e, x);
    case ZL_NOT:
        return evaluate_not(e, x);
    case ZL_BROKEN:
        return zm_broken();
    default:
        return evaluate_operator(e, x);
    }
}

/* A value that is no scalar is reported at x. */
zx_node zm_evaluate_scalar(zm_elab *e, const zl_expr *x)
{
    zm_value v = zm_evaluate(e, x);
    if (zm_is_broken(&v)) return ZX_NONE;
    if (zm_is_scalar(&v)) return zm_element(e, &v, 0);
    ZM_ERROR(e, "E0203", x->place, NULL, "a number is needed here, not %s", zm_shape_string(e, &v));
    return ZX_NONE;
}
