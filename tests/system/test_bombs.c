/*
 * Small texts that multiply: functions of functions, parts of parts, loops in loops, sums, arrays,
 * outputs of outputs, made at random. Each is refused, with its place, within seconds of the
 * processor and some hundred megabytes; and large models that are meant are built all the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <zwang.h>

#include "../slow.h"

/* ------------------------------------------------------------------ counted memory */

static size_t held, most;

static void *count_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    void *now = NULL;
    if (new_size == 0)
        free(block);
    else
        now = realloc(block, new_size);
    if (new_size > 0 && !now) return NULL;
    held = held - (block ? old_size : 0) + new_size;
    if (held > most) most = held;
    return now;
}

/* ------------------------------------------------------------------------- texts */

enum { TEXT_SIZE = 1 << 16 };
static char text[TEXT_SIZE];
static size_t length;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(text + length, TEXT_SIZE - length, format, arguments);
    va_end(arguments);
    assert_true(more >= 0 && (size_t)more < TEXT_SIZE - length);
    length += (size_t)more;
}

static uint64_t seed;

/* A number from low to high. */
static int any(int low, int high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((seed >> 33) % (uint64_t)(high - low + 1));
}

static const char *any_of(const char *const *words, int count)
{
    return words[any(0, count - 1)];
}

static void begin_text(void)
{
    length = 0;
    say("coord x\nkinetic 1/2*x'^2\n");
}

/* -------------------------------------------------------------------------- bombs */

/* Functions of functions, two to four calls each, their arguments the same or not. */
static void bomb_of_functions(void)
{
    static const char *const arguments[] = {"a", "a + 1", "2*a", "a*1.5", "sin(a)", "a - 0.25"};
    static const char *const signs[] = {"+", "-", "*"};
    int depth = any(30, 60);
    say("let f0(a) = %s\n", any(0, 1) ? "sin(a)" : "a*a + a");
    for (int k = 1; k < depth; k++) {
        say("let f%d(a) = f%d(%s)", k, k - 1, any_of(arguments, 6));
        for (int more = any(1, 3); more > 0; more--)
            say(" %s f%d(%s)", any_of(signs, 3), k - 1, any_of(arguments, 6));
        say("\n");
    }
    switch (any(0, 3)) {
    case 0:
        say("potential f%d(x)\n", depth - 1);
        break;
    case 1:
        say("let y = f%d(x)\n", depth - 1);
        break;
    case 2:
        say("param p = f%d(0.5)\n", depth - 1);
        break;
    default:
        say("output o = f%d(x)\n", depth - 1);
    }
}

/* Functions of vectors: what they give is moved when their scopes are given back. */
static void bomb_of_vectors(void)
{
    int depth = any(30, 60), size = any(2, 30);
    say("coord r[%d]\nkinetic 1/2*dot(r', r')\nlet f0(a) = a + a\n", size);
    for (int k = 1; k < depth; k++)
        say("let f%d(a) = f%d(%d*a) + f%d(a)\n", k, k - 1, any(2, 9), k - 1);
    say("let y = f%d(r)\n", depth - 1);
}

/* Parts of parts, with more or less in the innermost. */
static void bomb_of_parts(void)
{
    static const char *const inside[] = {"",
                                         "coord y\n kinetic y'^2",
                                         "let u = [x, 2*x, 3*x]",
                                         "param m = 1\n output o = m*x",
                                         "force x: 1",
                                         "coord y\n kinetic y'^2\n start y = 1"};
    int depth = any(30, 90), broad = any(2, 4);
    say("component C0(a = 1, b = 2) {\n %s\n}\n", any_of(inside, 6));
    for (int k = 1; k < depth; k++) {
        say("component C%d() {\n", k);
        for (int j = 0; j < broad; j++) say(" part p%d = C%d()\n", j, k - 1);
        say("}\n");
    }
    say("part p = C%d()\n", depth - 1);
}

/* Loops in loops around something. */
static void bomb_of_loops(void)
{
    static const char *const inside[] = {"let z = x",
                                         "force x: sin(x)",
                                         "force x: i1*x'",
                                         "let z = sum(j in 1..100, j*x)",
                                         "if i0 < 0 { force x: 1 }",
                                         "potential (x - i0)^2"};
    int depth = any(4, 8), passes = any(200, 5000);
    for (int k = 0; k < depth; k++) say("for i%d in 1..%d {\n", k, passes);
    say("%s\n", any_of(inside, 6));
    for (int k = 0; k < depth; k++) say("}");
    say("\n");
}

/* One loop that declares a hundred million things. */
static void bomb_of_one_loop(void)
{
    static const char *const inside[] = {"constraint c[i]: x = i", "output o[i] = i*x",
                                         "force x: sin(i*x)",      "potential (x - i)^2",
                                         "force x: -i*x'",         "let z = i*x"};
    say("for i in 1..%d {\n %s\n}\n", any(60, 99) * 1000000, any_of(inside, 6));
}

/* Sums in sums, as an energy and as a value. */
static void bomb_of_sums(void)
{
    int depth = any(3, 6), passes = any(700, 3000);
    say("%s ", any(0, 1) ? "potential" : "let y =");
    for (int k = 0; k < depth; k++) say("sum(i%d in 1..%d, ", k, passes);
    say("%s", any(0, 1) ? "sin(i0*x)" : "i0 + i1");
    for (int k = 0; k < depth; k++) say(")");
    say("\n");
}

/* Arrays of which one operation is too much. */
static void bomb_of_arrays(void)
{
    int size = any(4000, 7000), many = any(35, 60) * 1000000;
    switch (any(0, 3)) {
    case 0:
        say("coord r[%d]\nlet M = outer(r, r)\nlet N = M*M\n", size);
        break;
    case 1:
        say("coord A[%d, %d]\nlet B = A*A\n", size, size);
        break;
    case 2:
        say("coord r[%d]\nlet a = r + r\nlet b = a + r\nlet c = 2*b\n", many);
        break;
    default:
        say("coord r[%d]\npotential dot(r, r)\n", many);
    }
}

/* Outputs that stand for others, each several times. */
static void bomb_of_outputs(void)
{
    int depth = any(35, 60);
    say("output o0 = sin(x)\n");
    for (int k = 1; k < depth; k++) say("output o%d = o%d + %d*o%d\n", k, k - 1, any(2, 9), k - 1);
}

/* ---------------------------------------------------------------------- compiling */

/* What a compilation came to; the code of the first error. */
typedef struct outcome {
    zw_status status;
    char code[8];
    int32_t line;
    double seconds;
    size_t bytes;
} outcome;

static outcome compile_text(void)
{
    zw_allocator allocator = {.resize = count_resize};
    zw_context *context;
    zw_model *model = NULL;
    held = most = 0;
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    zw_model_source source = {.file = "bomb.zw", .text = text, .length = length};
    clock_t began = clock();
    outcome o = {.status = zw_model_compile(context, &source, &model)};
    o.seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    o.bytes = most;
    for (int32_t k = 0; k < zw_context_diagnostic_count(context) && o.code[0] == '\0'; k++) {
        const zw_diagnostic *d = zw_context_diagnostic(context, k);
        if (d->severity != ZW_ERROR) continue;
        (void)snprintf(o.code, sizeof o.code, "%s", d->code);
        o.line = d->line;
        if (strcmp(d->code, "E0316") == 0 || strcmp(d->code, "E0319") == 0)
            assert_non_null(d->help);
    }
    zw_model_free(model);
    zw_context_free(context);
    assert_int_equal(held, 0); /* also where building was given up by a jump */
    return o;
}

/* Each is refused for what it is. About 2 seconds and 300 MB where the machine is idle; other work
 * beside it, and sanitizers, make it slower. */
static void refuse_bombs(void (*make)(void), const char *name)
{
    const double seconds = unless_slow(6, 100);
    const int count = unless_slow(6, 1);
    double slowest = 0, largest = 0;
    for (int k = 0; k < count; k++) {
        seed = (uint64_t)k * 7919 + 17;
        begin_text();
        make();
        outcome o = compile_text();
        bool good = o.status == ZW_ERR_MODEL && o.line > 0 &&
                    (strcmp(o.code, "E0316") == 0 || strcmp(o.code, "E0319") == 0 ||
                     strcmp(o.code, "E0212") == 0);
        if (!good || o.seconds > seconds || o.bytes > (size_t)350000000)
            print_message("%s\n%s %d: status %d, %s, %.2f s, %.1f MB\n", text, name, k,
                          (int)o.status, o.code, o.seconds, (double)o.bytes / 1e6);
        assert_true(good);
        assert_true(o.seconds <= seconds);
        assert_true(o.bytes <= (size_t)350000000);
        if (o.seconds > slowest) slowest = o.seconds;
        if ((double)o.bytes > largest) largest = (double)o.bytes;
    }
    print_message("%s: at most %.2f s, %.1f MB\n", name, slowest, largest / 1e6);
}

#define BOMB_LIST(X)                                                                               \
    X(functions) X(vectors) X(parts) X(loops) X(one_loop) X(sums) X(arrays) X(outputs)

#define BOMB_TEST(name)                                                                            \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        refuse_bombs(bomb_of_##name, #name);                                                       \
    }
BOMB_LIST(BOMB_TEST)

/* Definitions that double are shared: nothing multiplies. */
static void test_doubling_definitions(void **state)
{
    (void)state;
    begin_text();
    say("let a0 = sin(x)\nlet b0 = [x, 2*x]\n");
    for (int k = 1; k < 60; k++)
        say("let a%d = a%d*a%d + cos(a%d)\nlet b%d = [b%d[2], b%d[1] + b%d[2]]\n", k, k - 1, k - 1,
            k - 1, k, k - 1, k - 1, k - 1);
    say("potential a59 + b59[1]\n");
    outcome o = compile_text();
    assert_int_equal(o.status, ZW_OK);
    assert_true(o.bytes < (size_t)10000000);
}

/* ------------------------------------------------------------------ what is meant */

static void expect_built(const char *name)
{
    outcome o = compile_text();
    print_message("%s: %.2f s, %.1f MB\n", name, o.seconds, (double)o.bytes / 1e6);
    if (o.status != ZW_OK) print_message("status %d, %s\n", (int)o.status, o.code);
    assert_int_equal(o.status, ZW_OK);
}

/* A hundred thousand links, and parts of a module, one for each link. */
static void test_chains(void **state)
{
    (void)state;
    length = 0;
    say("param N = 100000\ncoord x[N], y[N]\nfor i in 1..N {\n kinetic 1/2*(x[i]'^2 + y[i]'^2)\n"
        " potential 9.81*y[i]\n start x[i] = i, y[i] = 0\n}\n"
        "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }\n");
    expect_built("chain of 100,000 links");
    length = 0;
    const int parts = unless_slow(20000, 1000);
    say("use planar\npart b[1] = Body(1, 0.1)\nfor i in 2..%d {\n part b[i] = Body(1, 0.1, at = "
        "[i, 0])\n"
        " part h[i] = Hinge(b[i-1], b[i], at = [i - 0.5, 0])\n}\n",
        parts);
    expect_built("chain of bodies and hinges");
}

/* Loops whose passes differ are not judged by the first ones. */
static void test_uneven_loops(void **state)
{
    (void)state;
    begin_text();
    say("for i in 1..4000 {\n for j in 1..4000/i - 0.5 - (4000/i - 0.5 - floor(4000/i - 0.5)) { "
        "let z = i*j*x "
        "}\n}\n");
    say("for i in 1..3000 {\n for j in i..3000 { let z = i }\n}\n");
    say("for i in 1..30000 {\n if i == 1 { for j in 1..200000 { let z = j*x } }\n}\n");
    expect_built("uneven loops");
}

/* A budget of the context: refused with a place, and with more of it built. */
static void test_budget(void **state)
{
    (void)state;
    zw_context *context;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    length = 0;
    say("coord x[20000]\nkinetic 1/2*dot(x', x')\nfor i in 2..20000 {\n constraint c[i]: x[i] = "
        "x[i-1]\n}\n");
    zw_model_source source = {.file = "bomb.zw", .text = text, .length = length};
    zw_model *model = NULL;
    assert_int_equal(zw_context_set_budget(context, 2000000), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_ERR_BUDGET);
    assert_int_equal(zw_context_diagnostic_count(context), 1);
    assert_string_equal(zw_context_diagnostic(context, 0)->code, "E0319");
    assert_true(zw_context_diagnostic(context, 0)->line >= 1);
    zw_context_clear_diagnostics(context);
    assert_int_equal(zw_context_set_budget(context, 100000000), ZW_OK);
    source.memory_limit =
        1000000; /* what the statements may take, and they are refused as a model */
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_ERR_MODEL);
    assert_string_equal(zw_context_diagnostic(context, 0)->code, "E0319");
    source.memory_limit = 0;
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    zw_model_free(model);
    zw_context_free(context);
    assert_true(zw_memory_available() > 1000000);
}

int main(void)
{
#define BOMB_ENTRY(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {
        BOMB_LIST(BOMB_ENTRY) cmocka_unit_test(test_doubling_definitions),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_uneven_loops),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
