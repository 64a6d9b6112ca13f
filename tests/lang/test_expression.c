/*
 * Expressions: precedence and association, what may follow an operand, calls, sums, vectors,
 * numbers, names of many scripts, and the places of every part.
 */
#include "tree_dump.h"

static void precedence(void **state)
{
    (void)state;
    check_value("a + b - c", "(- (+ a b) c)");
    check_value("a - b*c/d", "(- a (/ (* b c) d))");
    check_value("a^b^c", "(^ a (^ b c))");
    check_value("-a^2", "(neg (^ a 2))");
    check_value("2^-1", "(^ 2 (neg 1))");
    check_value("2^-x^2", "(^ 2 (neg (^ x 2)))");
    check_value("a*-b", "(* a (neg b))");
    check_value("a - -b", "(- a (neg b))");
    check_value("--a", "(neg (neg a))");
    check_value("+a + +3", "(+ a 3)");
    check_value("(a + b)*c", "(* (+ a b) c)");
    check_value("-a*b", "(* (neg a) b)");
    check_value("a/b/c", "(/ (/ a b) c)");
}

static void conditions(void **state)
{
    (void)state;
    check_tree("when a < b or c >= d and e != f: stop",
               "(when (or (< a b) (and (>= c d) (!= e f))) stop)");
    check_tree("when not a == b and not not c <= d: stop",
               "(when (and (not (== a b)) (not (not (<= c d)))) stop)");
    check_tree("when (a > b or c > d) and a + 1 < 2: stop",
               "(when (and (or (> a b) (> c d)) (< (+ a 1) 2)) stop)");
    check_value("if(a < b, 1, if(not c > 0, 2, 3))", "(if (< a b) 1 (if (not (> c 0)) 2 3))");
}

static void what_follows_an_operand(void **state)
{
    (void)state;
    check_value("r[2]'", "(' (at r 2))");
    check_value("r'[2]", "(at (' r) 2)");
    check_value("norm(r)'", "(' (norm r))");
    check_value("a.r'", "(' (. a r))");
    check_value("(A*q)[i]", "(at (* A q) i)");
    check_value("(x*y)'", "(' (* x y))");
    check_value("p''", "(' (' p))");
    check_value("[a, b]'[1]", "(at (' [a b]) 1)");
    check_value("p[i, j].q[1]'^2", "(^ (' (at (. (at p i j) q) 1)) 2)");
    check_value("x'^2", "(^ (' x) 2)");
    check_value("x^y'", "(^ x (' y))");
    check_value("t' + pi'", "(+ (' t) (' pi))");
    check_value("(2)'", "(' 2)");
    check_value("r [1]", "(at r 1)");
}

static void calls_and_vectors(void **state)
{
    (void)state;
    check_value("f(x, y) + g()", "(+ (f x y) (g))");
    check_value("sin (x)", "(sin x)");
    check_value("max(1, 2, 3)", "(max 1 2 3)");
    check_value("reaction() + reaction(rod) + reaction(rod, x) + multiplier(a.b)",
                "(+ (+ (+ (reaction) (reaction rod)) (reaction rod x)) (multiplier (. a b)))");
    check_value("[[a, b], [c, -d]]", "[[a b] [c (neg d)]]");
    check_value("sum(i in 1..N+1, x[i]*2)", "(sum i 1 (+ N 1) (* (at x i) 2))");
    check_value("sum(i in -1..sum(j in 1..2, j), i)", "(sum i (neg 1) (sum j 1 2 j) i)");
}

static void the_function_is_known(void **state)
{
    (void)state;
    reading r;
    read_string(&r, "potential atan2(x, y)\npotential f(x)\npotential if(x > 0, 1, 2)\n"
                    "potential reaction()");
    assert_int_equal(r.block.statements[0]->right->function, ZL_FN_ATAN2);
    assert_int_equal(r.block.statements[1]->right->function, ZL_FN_NONE);
    assert_int_equal(r.block.statements[2]->right->function, ZL_FN_IF);
    assert_int_equal(r.block.statements[3]->right->function, ZL_FN_REACTION);
    reading_free(&r);
}

static void numbers(void **state)
{
    (void)state;
    check_value("0.1 + 1e3 + 2E-2 + 1.5e+3", "(+ (+ (+ 0.1 1000) 0.02) 1500)");
    check_value("00012", "12");
    check_value("1e-400", "0");
    check_value("9007199254740993", "9007199254740992");
    check_tree("for i in 1..N { }", "(for i 1 N {})");
    check_tree("simulate t = 0..0.1", "(simulate t=0..0.1)");
    check_tree("simulate t = 0.5..1.5", "(simulate t=0.5..1.5)");
}

static void words_in_their_place_are_names_elsewhere(void **state)
{
    (void)state;
    check_value("fixed + at + in + stop + tol + every + color",
                "(+ (+ (+ (+ (+ (+ fixed at) in) stop) tol) every) color)");
    check_tree("coord at, in, stop, fixed", "(coord at in stop fixed)");
    check_tree("start fixed = fixed fixed, stop = 1", "(start (= fixed fixed fixed) (= stop 1))");
    check_tree("when stop > 0: stop = 1", "(when (> stop 0) (= stop 1))");
    check_tree("for in in 1..2 { }", "(for in 1 2 {})");
    check_tree("force at at: at", "(force at at at)");
    check_tree("force at[2]: 1", "(force (at at 2) 1)");
    check_tree("force at [1, 2]: [3, 4]", "(force at [1 2] [3 4])");
    check_tree("output reaction = reaction()", "(output reaction (reaction))");
    check_tree("output multiplier = 2*multiplier(a)", "(output multiplier (* 2 (multiplier a)))");
    check_tree("coord line, point, tx, pix, sine", "(coord line point tx pix sine)");
}

static void names_of_many_scripts(void **state)
{
    (void)state;
    check_value("\xce\xb8' + \xce\xbc_1", "(+ (' \xce\xb8) \xce\xbc_1)");
    check_value("\xd1\x83\xd0\xb3\xd0\xbe\xd0\xbb", "\xd1\x83\xd0\xb3\xd0\xbe\xd0\xbb");
    check_value("\xe8\xa7\x92*\xe3\x81\x82", "(* \xe8\xa7\x92 \xe3\x81\x82)");
    check_value("x\xcc\x82 + 1", "(+ x\xcc\x82 1)"); /* a combining mark */
    check_value("_a + A1b2", "(+ _a A1b2)");
    check_value("\xf0\x9d\x9c\x83 + \xed\x95\x9c", "(+ \xf0\x9d\x9c\x83 \xed\x95\x9c)");
    check_value("x\xc2\xa0+\xe2\x80\x89y", "(+ x y)"); /* spaces of typography */
}

/* -------------------------------------------------------------------- places */

static void check_stretch(const reading *r, zl_place place, const char *expected)
{
    const zl_source *source = &r->unit.sources.data[place.source];
    assert_int_equal((size_t)place.length, strlen(expected));
    assert_memory_equal(source->text + place.at, expected, strlen(expected));
}

static void check_places(const char *text, const char *whole, const char *mark)
{
    char source[256];
    reading r;
    snprintf(source, sizeof source, "potential   %s  # comment", text);
    read_string(&r, source);
    assert_int_equal(r.unit.error_count, 0);
    check_stretch(&r, r.block.statements[0]->right->place, whole);
    check_stretch(&r, r.block.statements[0]->right->mark, mark);
    check_stretch(&r, r.block.statements[0]->mark, "potential");
    reading_free(&r);
}

static void places(void **state)
{
    (void)state;
    check_places("a + b*c", "a + b*c", "+");
    check_places("( a + b )", "( a + b )", "+");
    check_places("-x ^ 2", "-x ^ 2", "-");
    check_places("(a)*(b)", "(a)*(b)", "*");
    check_places("\xce\xb8 - 1", "\xce\xb8 - 1", "-");
    check_places("f( x , y )", "f( x , y )", "f");
    check_places("r[ 1 ]", "r[ 1 ]", "[ 1 ]");
    check_places("a.bc", "a.bc", "bc");
    check_places("a.bc'", "a.bc'", "'");
    check_places("[1, 2]", "[1, 2]", "[");
    check_places("sum(i in 1..2, i)", "sum(i in 1..2, i)", "sum");
    check_places("1.50", "1.50", "1.50");
    check_places("x^-y", "x^-y", "^");
}

static void brackets_are_remembered(void **state)
{
    (void)state;
    reading r;
    read_string(&r, "potential (x)\npotential x\npotential (x + y)\npotential (x) + y");
    static const bool expected[] = {true, false, true, false};
    for (int i = 0; i < 4; i++)
        assert_int_equal(r.block.statements[i]->right->bracketed, expected[i]);
    assert_int_equal(r.block.statements[0]->right->height, 0);
    assert_int_equal(r.block.statements[2]->right->height, 1);
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence),
        cmocka_unit_test(conditions),
        cmocka_unit_test(what_follows_an_operand),
        cmocka_unit_test(calls_and_vectors),
        cmocka_unit_test(the_function_is_known),
        cmocka_unit_test(numbers),
        cmocka_unit_test(words_in_their_place_are_names_elsewhere),
        cmocka_unit_test(names_of_many_scripts),
        cmocka_unit_test(places),
        cmocka_unit_test(brackets_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
