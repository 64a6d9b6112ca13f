/*
 * test_functions.c: every function of the language, with its first and second derivative, against
 * the C library's long double functions and their differences.
 *
 * In `constraint c: y = f(x)` the row has phi = y - f, A = [-f', 1] and, with x' = 1, b = f''.
 */
#include "loaded.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef long double real;

/* The text in the language, the same in C. */
#define FUNCTIONS(X)                                                                               \
    X(0, "sin(x)", sinl(x))                                                                        \
    X(1, "cos(x)", cosl(x))                                                                        \
    X(2, "tan(x)", tanl(x))                                                                        \
    X(3, "asin(x/3)", asinl(x / 3))                                                                \
    X(4, "acos(x/3)", acosl(x / 3))                                                                \
    X(5, "atan(x)", atanl(x))                                                                      \
    X(6, "atan2(x, 2)", atan2l(x, 2))                                                              \
    X(7, "atan2(2, x)", atan2l(2, x))                                                              \
    X(8, "atan2(x, -2)", atan2l(x, -2))                                                            \
    X(9, "atan2(x^2, x - 3)", atan2l(x *x, x - 3))                                                 \
    X(10, "sinh(x)", sinhl(x))                                                                     \
    X(11, "cosh(x)", coshl(x))                                                                     \
    X(12, "tanh(x)", tanhl(x))                                                                     \
    X(13, "exp(x)", expl(x))                                                                       \
    X(14, "log(x + 3)", logl(x + 3))                                                               \
    X(15, "sqrt(x + 3)", sqrtl(x + 3))                                                             \
    X(16, "hypot(x, 2)", hypotl(x, 2))                                                             \
    X(17, "hypot(x + 3, x^2)", hypotl(x + 3, x * x))                                               \
    X(18, "abs(x)", fabsl(x))                                                                      \
    X(19, "abs(x)^3", fabsl(x *x *x))                                                              \
    X(20, "sign(x)*x^2", copysignl(x *x, x))                                                       \
    X(21, "min(x, 0.1 - x)", fminl(x, 0.1L - x))                                                   \
    X(22, "max(x^2, x)", fmaxl(x *x, x))                                                           \
    X(23, "floor(10*x)*x", floorl(10 * x) * x)                                                     \
    X(24, "if(x > 0.2, sin(x), x^3)", x > 0.2L ? sinl(x) : x * x * x)                              \
    X(25, "x^2", x *x)                                                                             \
    X(26, "x^3", x *x *x)                                                                          \
    X(27, "x^7", x *x *x *x *x *x *x)                                                              \
    X(28, "x^-1", 1 / x)                                                                           \
    X(29, "x^-3", 1 / (x * x * x))                                                                 \
    X(30, "(x + 3)^2.5", powl(x + 3, 2.5L))                                                        \
    X(31, "(x + 3)^-0.5", powl(x + 3, -0.5L))                                                      \
    X(32, "2^x", powl(2, x))                                                                       \
    X(33, "(x + 3)^x", powl(x + 3, x))                                                             \
    X(34, "x^0", 1 + 0 * x)                                                                        \
    X(35, "(x + 3)^(1/3)", cbrtl(x + 3))                                                           \
    X(36, "1/(1 + x^2)", 1 / (1 + x * x))                                                          \
    X(37, "-x^2/(x + 3)", -x *x / (x + 3))                                                         \
    X(38, "norm([x, 2, x^2])", sqrtl(x *x + 4 + x * x * x * x))                                    \
    X(39, "dot([x, 1], [sin(x), x])", x *sinl(x) + x)                                              \
    X(40, "cross([x, 1, 2], [x^2, x, 3])[3]", x *x - x * x)                                        \
    X(41, "cross([x, 1, 2], [x^2, sin(x), 3])[2]", 2 * x * x - 3 * x)                              \
    X(42, "det([[x, 2], [3, x^2]])", x *x *x - 6)                                                  \
    X(43, "inverse([[x + 3, 1], [2, x^2 + 4]])[1, 2]", -1 / ((x + 3) * (x * x + 4) - 2))           \
    X(44, "det([[x, 1, 0], [1, x, 1], [0, 1, x]])", x *x *x - 2 * x)                               \
    X(45, "inverse([[x + 3, 1, 0], [1, 3, 1], [0, 1, 4]])[1, 1]", 11 / (11 * (x + 3) - 4))         \
    X(46, "(outer([x, 1], [1, x])*[2, x])[1]", x *(2 + x * x))                                     \
    X(47, "(transpose([[1, x], [x^2, 2]])*[x, 3])[2]", x *x + 6)                                   \
    X(48, "sum(i in 1..3, x^i/i)", x + x * x / 2 + x * x * x / 3)                                  \
    X(49, "sin(cos(exp(x/2)))", sinl(cosl(expl(x / 2))))                                           \
    X(50, "exp(-x^2)*cos(5*x)", expl(-x *x) * cosl(5 * x))                                         \
    X(51, "sqrt(sqrt(x + 3) + log(x + 4))", sqrtl(sqrtl(x + 3) + logl(x + 4)))                     \
    X(52, "tanh(10*x)/(2 + sin(x))", tanhl(10 * x) / (2 + sinl(x)))                                \
    X(53, "atan(1/(x + 3))", atanl(1 / (x + 3)))

#define DEFINE(number, text, expression)                                                           \
    static real function_##number(real x)                                                          \
    {                                                                                              \
        return expression;                                                                         \
    }
FUNCTIONS(DEFINE)

typedef struct pair {
    const char *text;
    real (*f)(real);
} pair;

#define ENTRY(number, text, expression) {text, function_##number},
static const pair pairs[] = {FUNCTIONS(ENTRY)};

/* Central difference of sixth order of f, or of its first derivative. */
static real difference(real (*f)(real), real x, int order)
{
    static const real weight[3] = {3 / 4.0L, -3 / 20.0L, 1 / 60.0L};
    const real h = 1e-3L;
    real sum = 0;
    if (order == 0) return f(x);
    for (int k = 1; k <= 3; k++) {
        real ahead = difference(f, x + (real)k * h, order - 1);
        sum += weight[k - 1] * (ahead - difference(f, x - (real)k * h, order - 1));
    }
    return sum / h;
}

static void expect_near(const char *text, double x, const char *what, double got, real expected)
{
    if (!(fabs(got - (double)expected) <= 1e-9 * fmax(1, fabs((double)expected)))) {
        fail_msg("%s at %g: %s is %.15g, not %.15Lg", text, x, what, got, expected);
    }
}

static void try_function(const pair *p)
{
    /* away from the places where abs, floor and the like jump */
    static const double places[] = {0.73, -0.37, 1.12, -1.95};
    char model[512];
    snprintf(model, sizeof model,
             "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y = %s\nstart x = 0.73\n",
             p->text);
    loaded l = load_text(model, NULL);
    if (l.status != ZW_OK) fail_msg("%s: %s", p->text, load_messages(&l));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double x = places[i], A[2], b, value, q[2] = {x, 0}, v[2] = {1, 0};
        zw_instant instant = {.A = A, .b = &b, .value = &value};
        assert_int_equal(zw_sim_set_state(l.sim, 0, q, v), ZW_OK);
        assert_int_equal(zw_sim_instant(l.sim, &instant), ZW_OK);
        expect_near(p->text, x, "it", -value, p->f(x));
        expect_near(p->text, x, "its derivative", -A[0], difference(p->f, x, 1));
        expect_near(p->text, x, "its second derivative", b, difference(p->f, x, 2));
    }
    loaded_clear(&l);
}

static void test_functions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) try_function(&pairs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
