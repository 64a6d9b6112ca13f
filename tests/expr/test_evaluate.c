/*
 * Values: the meaning of every operation; the first operation that goes wrong; and, where a
 * compiler is at hand, the C that zx_print_shared writes gives the same values.
 */
#include "expr_helpers.h"

#include <dlfcn.h>
#include <math.h>
#include <unistd.h>

static bool same_double(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

static void every_operation_has_its_meaning(void **state)
{
    (void)state;
    static const struct {
        zx_op op;
        double a, b, c, value;
    } rows[] = {
        {ZX_NEG, 2, 0, 0, -2},
        {ZX_POWI, 3, 4, 0, 81},
        {ZX_POWI, 2, -3, 0, 0.125},
        {ZX_SQRT, 9, 0, 0, 3},
        {ZX_ABS, -2.5, 0, 0, 2.5},
        {ZX_SIGN, -2.5, 0, 0, -1},
        {ZX_SIGN, 0, 0, 0, 0},
        {ZX_FLOOR, -1.5, 0, 0, -2},
        {ZX_NOT, 0, 0, 0, 1},
        {ZX_NOT, -3, 0, 0, 0},
        {ZX_ADD, 1, 2, 0, 3},
        {ZX_SUB, 1, 2, 0, -1},
        {ZX_MUL, 3, 2, 0, 6},
        {ZX_DIV, 3, 2, 0, 1.5},
        {ZX_POW, 2, 0.5, 0, 0x1.6a09e667f3bcdp+0},
        {ZX_HYPOT, 3, 4, 0, 5},
        {ZX_ATAN2, 0, 1, 0, 0},
        {ZX_MIN, 1, 2, 0, 1},
        {ZX_MIN, 2, 1, 0, 1},
        {ZX_MAX, 1, 2, 0, 2},
        {ZX_MAX, 2, 1, 0, 2},
        {ZX_LT, 1, 2, 0, 1},
        {ZX_LT, 2, 2, 0, 0},
        {ZX_LE, 2, 2, 0, 1},
        {ZX_EQ, 2, 2, 0, 1},
        {ZX_NE, 2, 2, 0, 0},
        {ZX_AND, 2, 0, 0, 0},
        {ZX_AND, 2, -1, 0, 1},
        {ZX_OR, 0, -1, 0, 1},
        {ZX_OR, 0, 0, 0, 0},
        {ZX_SELECT, 2, 5, 6, 5},
        {ZX_SELECT, 0, 5, 6, 6},
        {ZX_SELECT, 1, 5, ZB_NAN, 5},
        {ZX_SIN, 0, 0, 0, 0},
        {ZX_COS, 0, 0, 0, 1},
        {ZX_TAN, 0, 0, 0, 0},
        {ZX_ASIN, 0, 0, 0, 0},
        {ZX_ACOS, 1, 0, 0, 0},
        {ZX_ATAN, 0, 0, 0, 0},
        {ZX_SINH, 0, 0, 0, 0},
        {ZX_COSH, 0, 0, 0, 1},
        {ZX_TANH, 0, 0, 0, 0},
        {ZX_EXP, 0, 0, 0, 1},
        {ZX_LOG, 1, 0, 0, 0},
        {ZX_TABLE, 1, 0, 0, (double)NAN}, /* no data here */
    };
    bool seen[ZX_OP_COUNT] = {false};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = zx_apply(rows[i].op, rows[i].a, rows[i].b, rows[i].c);
        seen[rows[i].op] = true;
        if (!same_double(value, rows[i].value))
            fail_msg("%s gives %g", zx_op_name(rows[i].op), value);
    }
    for (int op = ZX_NEG; op < ZX_OP_COUNT; op++) assert_true(seen[op]);
}

POOL_TEST(leaves_have_values, true)
{
    zx_pool *p = &b->pool;
    leaf_values at = {.q = {2}, .v = {3}, .z = {5}, .value = {7}, .measure = {11}, .t = 13};
    zx_node product = num(p, 0.5), sum = zx_bound(p, 0.25);
    for (zx_op op = ZX_TIME; op <= ZX_MEASURE; op++) {
        product = mul(p, product, zx_leaf(p, op, 0));
        sum = add(p, sum, zx_leaf(p, op, 0));
    }
    assert_true(zx_evaluate(p, product, leaf_value, &at) == 0.5 * 13 * 2 * 3 * 5 * 7 * 11);
    assert_true(zx_evaluate(p, sum, leaf_value, &at) == 0.25 + 13 + 2 + 3 + 5 + 7 + 11);
}

/* ------------------------------------------------------------ what is bad */

POOL_TEST(the_first_bad_operation_is_found, false)
{
    zx_pool *p = &b->pool;
    double x[3] = {0};
    leaf_values at = {.q = {-4, 0}};
    zx_node root = fun(p, ZX_SQRT, q_(p, 0)), inverse = quo(p, num(p, 1), q_(p, 1));
    zx_node sum = add(p, mul(p, root, num(p, 3)), inverse);
    assert_int_equal(zx_first_bad(p, &sum, 1, leaf_value, &at, x), root);
    assert_true(x[0] == -4);
    assert_int_equal(zx_first_bad(p, &inverse, 1, leaf_value, &at, x), inverse);
    assert_true(x[0] == 1 && x[1] == 0);
    zx_node fine = add(p, q_(p, 0), q_(p, 1));
    assert_int_equal(zx_first_bad(p, &fine, 1, leaf_value, &at, x), ZX_NONE);
    zx_node power = zx_power(p, q_(p, 1), -3);
    assert_int_equal(zx_first_bad(p, &power, 1, leaf_value, &at, x), power);
    assert_true(x[0] == 0 && x[1] == -3);
    at.q[0] = ZB_INFINITY; /* a leaf may be bad itself */
    assert_int_equal(zx_first_bad(p, &fine, 1, leaf_value, &at, x), q_(p, 0));
}

POOL_TEST(branches_not_taken_are_not_bad, false)
{
    zx_pool *p = &b->pool;
    double x[3];
    leaf_values at = {.q = {-4, 0}};
    zx_node root = fun(p, ZX_SQRT, q_(p, 0));
    zx_node condition = zx_binary(p, ZX_LT, num(p, 0), q_(p, 0));
    zx_node safe = zx_select(p, condition, root, num(p, 0));
    zx_node more = add(p, safe, num(p, 1));
    assert_int_equal(zx_first_bad(p, &more, 1, leaf_value, &at, x), ZX_NONE);
    zx_node other = zx_select(p, condition, num(p, 0), root);
    assert_int_equal(zx_first_bad(p, &other, 1, leaf_value, &at, x), root);
    /* needed elsewhere all the same */
    zx_node both[2] = {safe, mul(p, root, q_(p, 1))};
    assert_int_equal(zx_first_bad(p, both, 2, leaf_value, &at, x), root);
}

/* ------------------------------------------------------------- compiled C */

static void write_name(void *user, const zx_item *leaf, zx_form form, zb_text *text)
{
    (void)user, (void)form;
    zb_text_printf(text, "%c[%d]", leaf->op == ZX_POSITION ? 'q' : 'v', (int)leaf->a);
}

static void write_left(void *user, bool definition, int32_t k, zb_text *text)
{
    (void)user;
    zb_text_printf(text, definition ? ";\n    const double s%d = " : ";\n    out[%d] = ", (int)k);
}

enum { ROOTS = 6 };

static void build_roots(zx_pool *p, zx_node roots[ROOTS])
{
    zx_node x = q_(p, 0), y = q_(p, 1), w = v_(p, 0), half = num(p, 0.5);
    zx_node s = fun(p, ZX_SIN, add(p, x, y)), less = zx_binary(p, ZX_LT, x, y);
    zx_node logic = zx_binary(p, ZX_OR, zx_binary(p, ZX_AND, less, w), zx_binary(p, ZX_EQ, x, w));
    roots[0] = quo(p, add(p, zx_power(p, s, 3), num(p, 1)), zx_power(p, y, 2));
    roots[1] = zx_select(p, less, neg(p, mul(p, s, w)), zx_binary(p, ZX_HYPOT, x, w));
    roots[2] = mul(p, fun(p, ZX_SIGN, sub(p, s, half)), fun(p, ZX_ABS, sub(p, s, w)));
    roots[3] = zx_binary(p, ZX_MIN, zx_binary(p, ZX_POW, y, s), zx_binary(p, ZX_MAX, x, w));
    roots[4] = quo(p, logic, add(p, num(p, 2), less));
    roots[5] = sub(p, zx_select(p, logic, roots[0], s), fun(p, ZX_NOT, logic));
}

static void write_source(bench *b, const zx_node roots[ROOTS], const char *path)
{
    zb_text text;
    zb_text_init(&text, &b->memory);
    zb_text_add(&text,
                "#include <math.h>\nvoid f(const double *q, const double *v, double *out);\n"
                "void f(const double *q, const double *v, double *out)\n{\n    (void)q, (void)v");
    zx_print_shared(&b->pool, roots, ROOTS, ZX_C, "s", write_name, write_left, NULL, &text);
    zb_text_add(&text, ";\n}\n");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(zb_text_string(&text), file) >= 0);
    assert_int_equal(fclose(file), 0);
    zb_text_free(&text);
}

typedef void (*compiled_fn)(const double *q, const double *v, double *out);

static void compare_compiled(zx_pool *p, const zx_node roots[ROOTS], compiled_fn f)
{
    uint64_t seed = 9;
    for (int round = 0; round < 100; round++) {
        double q[2] = {random_real(&seed, -2, 2), random_real(&seed, 0.5, 2)};
        double v[1] = {random_real(&seed, -2, 2)}, out[ROOTS];
        leaf_values at = {.q = {q[0], q[1]}, .v = {v[0]}};
        f(q, v, out);
        for (int k = 0; k < ROOTS; k++) {
            double value = zx_evaluate(p, roots[k], leaf_value, &at);
            assert_true(fabs(value - out[k]) <= 1e-14 * (1 + fabs(value)));
        }
    }
}

POOL_TEST(printed_c_compiles_to_the_same, true)
{
    zx_node roots[ROOTS];
    char folder[] = "/tmp/zwang_expr_XXXXXX", source[64], library[64], command[256];
    if (system("cc --version > /dev/null 2>&1") != 0) skip();
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/f.c", folder);
    snprintf(library, sizeof library, "%s/f.so", folder);
    snprintf(command, sizeof command,
             "cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -o %s %s -lm", library, source);
    build_roots(&b->pool, roots);
    write_source(b, roots, source);
    assert_int_equal(system(command), 0);
    void *loaded = dlopen(library, RTLD_NOW);
    assert_non_null(loaded);
    void *symbol = dlsym(loaded, "f");
    compiled_fn f;
    memcpy(&f, &symbol, sizeof f);
    compare_compiled(&b->pool, roots, f);
    dlclose(loaded);
    remove(source), remove(library), rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_has_its_meaning),
        cmocka_unit_test(leaves_have_values),
        cmocka_unit_test(the_first_bad_operation_is_found),
        cmocka_unit_test(branches_not_taken_are_not_bad),
        cmocka_unit_test(printed_c_compiles_to_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
