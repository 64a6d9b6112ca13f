/*
 * Every form of the table of statements, and equations alone.
 */
#include "tree_dump.h"

static void declarations(void **state)
{
    (void)state;
    check_tree("model \"Bead on a hoop\"", "(model \"Bead on a hoop\")");
    check_tree("model \"\"", "(model \"\")");
    check_tree("model \"a \\\"b\\\" \\\\ \\n # c\"", "(model \"a \"b\" \\ \\n # c\")");
    check_tree("use rigid", "(use rigid)");
    check_tree("param N = 10, m = 1/N", "(param (N 10) (m (/ 1 N)))");
    check_tree("coord x, r[3], y[N+1], p[N, 3]", "(coord x (r[3]) (y[(+ N 1)]) (p[N 3]))");
    check_tree("let p = [l*sin(th), -l*cos(th)]",
               "(let (p [(* l (sin th)) (* (neg l) (cos th))]))");
    check_tree("let f(u, v) = u^2 + v", "(let fn u v (f (+ (^ u 2) v)))");
    check_tree("let f() = 2", "(let fn (f 2))");
    check_tree("let a = 1, b = a", "(let (a 1) (b a))");
}

static void dynamics(void **state)
{
    (void)state;
    check_tree("lagrangian a; kinetic b; potential c; dissipation d",
               "(lagrangian a)\n(kinetic b)\n(potential c)\n(diss d)");
    check_tree("mass x: m", "(mass x m)");
    check_tree("mass x, a.y[2]: m", "(mass x (at (. a y) 2) m)");
    check_tree("force x: 1", "(force x 1)");
    check_tree("force r: [1, 2]", "(force r [1 2])");
    check_tree("force at p + q: F", "(force at (+ p q) F)");
    check_tree("nonideal x: -reaction()", "(nonideal x (neg (reaction)))");
    check_tree("nonideal at p: F", "(nonideal at p F)");
}

static void constraints(void **state)
{
    (void)state;
    check_tree("constraint c: x^2 = 1", "(constr c (^ x 2) 1)");
    check_tree("constraint rod[i]: L = R", "(constr (at rod i) L R)");
    check_tree("constraint rod[i, j]: L = R", "(constr (at rod i j) L R)");
    check_tree("control c: x' = 2", "(control c (' x) 2)");
    check_tree("constraint c: x >= 1", "(constr c x >= 1)");
    check_tree("constraint c: x <= y + 1", "(constr c x <= (+ y 1))");
    check_tree("constraint c[i]: -1 <= x <= 2", "(constr (at c i) (neg 1) <= x 2)");
    check_tree("constraint c: 2 >=\n x >= -1", "(constr c 2 >= x (neg 1))");
    check_tree("weight A: 2", "(weight A 2)");
    check_tree("weight link[2].unit, B: 2", "(weight (. (at link 2) unit) B 2)");
}

/* Their words are names everywhere but at the beginning of a statement. */
static void laws_of_contact(void **state)
{
    (void)state;
    check_tree("friction ground: 0.3 along x'", "(friction ground (' x) 0.3)");
    check_tree("friction a, b[i], c.d[2]: mu along [x', y']",
               "(friction a (at b i) (at (. c d) 2) [(' x) (' y)] mu)");
    check_tree("friction a: mu along v, static = 0.4, pressure = 2*multiplier(a)",
               "(friction a v mu static=0.4 pressure=(* 2 (multiplier a)))");
    check_tree("friction a: mu along v, pressure = p, static = s",
               "(friction a v mu pressure=p static=s)");
    check_tree("restitution ground: 0.8", "(restitution ground 0.8)");
    check_tree("restitution a, b: e, tangential = 0.5", "(restitution a b e tangential=0.5)");
    check_tree("param friction = 1, along = 2, static = 3\npotential friction*along*static*gap",
               "(param (friction 1) (along 2) (static 3))\n"
               "(potential (* (* (* friction along) static) gap))");
    check_tree("friction friction: along along along", "(friction friction along along)");
    check_tree("let restitution(friction) = slip(friction)",
               "(let fn friction (restitution (slip friction)))");
    check_tree(
        "constraint friction: x = 0; coord gap, slip, contact, impulse, tangential, pressure",
        "(constr friction x 0)\n(coord gap slip contact impulse tangential pressure)");
}

static void starts_and_events(void **state)
{
    (void)state;
    check_tree("start x = 1, x' = 0", "(start (= x 1) (= (' x) 0))");
    check_tree("start x = 1 fixed, (x + y) = 1, w = [0, 1], x[1] = 2 fixed",
               "(start (= x 1 fixed) (= (+ x y) 1) (= w [0 1]) (= (at x 1) 2 fixed))");
    check_tree("start f(x) = 1, a.r' = b", "(start (= (f x) 1) (= (' (. a r)) b))");
    check_tree("output e = x", "(output e x)");
    check_tree("output e[i] = x", "(output (at e i) x)");
    check_tree("when y < 0: stop", "(when (< y 0) stop)");
    check_tree("when y < 0: y' = -e*y', x = 0",
               "(when (< y 0) (= (' y) (* (neg e) (' y))) (= x 0))");
}

static void drawings_and_runs(void **state)
{
    (void)state;
    check_tree("draw point(p)", "(draw point p)");
    check_tree("draw line(p, q, [0, 1]) color = \"teal\", width = 2",
               "(draw line p q [0 1] color=\"teal\" width=2)");
    check_tree("draw ball(p, 0.1), color = \"red\"", "(draw ball p 0.1 color=\"red\")");
    check_tree("draw trail(p) width = 1", "(draw trail p width=1)");
    check_tree("simulate t = 0..10, tol = 1e-9, abs_tol = 1e-9, every = 0.01, method = dop853, "
               "inconsistent = accept",
               "(simulate t=0..10 tol=1e-09 abs_tol=1e-09 every=0.01 method=dop853 "
               "inconsistent=accept)");
}

static void blocks(void **state)
{
    (void)state;
    check_tree("for i in 2..N { coord x; coord y }", "(for i 2 N {(coord x)(coord y)})");
    check_tree("for i in 2..N {\n  coord x\n\n  coord y\n}\n", "(for i 2 N {(coord x)(coord y)})");
    check_tree("if N > 2 { coord x }", "(if (> N 2) {(coord x)})");
    check_tree("if N > 2 { } else { coord x }", "(if (> N 2) {} {(coord x)})");
    check_tree("if a > 1 {\n}\nelse if a > 2 {\n}\n\n# no\nelse {\n coord x }\ncoord y",
               "(if (> a 1) {} {(if (> a 2) {} {(coord x)})})\n(coord y)");
    check_tree("if (a > 1) { coord x } coord y", "(if (> a 1) {(coord x)})\n(coord y)");
    check_tree("component Ball(m, k = 1) { coord r[3]; part p = B(1) }",
               "(component Ball m (k 1) {(coord (r[3]))(part p (B 1))})");
    check_tree("component C() { }\ncomponent D { }", "(component C {})\n(component D {})");
    check_tree("part a = Ball(1, m = 2)", "(part a (Ball 1 m=2))");
    check_tree("part link[i] = Ball()", "(part (at link i) (Ball))");
    check_tree("part a = Ball", "(part a (Ball))");
    check_tree("part a = Ball(k = b, m = b.c)", "(part a (Ball k=b m=(. b c)))");
}

static void places_of_statements(void **state)
{
    (void)state;
    reading r;
    read_string(&r, "param a = 1 # one\nfor i in 1..2 { coord x }\nuse rigid");
    assert_int_equal(r.block.count, 3);
    assert_int_equal(r.block.statements[0]->place.length, 11);
    assert_int_equal(r.block.statements[1]->place.at, 18);
    assert_int_equal(r.block.statements[1]->place.length, 13);
    assert_int_equal(r.block.statements[2]->mark.length, 5);
    assert_int_equal(r.block.statements[0]->definitions[0].place.at, 6);
    reading_free(&r);
}

static void check_equations(const char *text, const char *tree, const char *codes)
{
    reading r;
    zl_statement s = {.kind = ZL_START};
    reading_init(&r);
    assert_int_equal(setjmp(r.escape), 0);
    s.equations = zl_parse_equations(&r.unit, "--set", text, strlen(text), &s.equation_count);
    const zl_statement *list = &s;
    r.block = (zl_block){.statements = &list, .count = 1};
    assert_string_equal(dump(&r), tree);
    assert_string_equal(dump_codes(&r), codes);
    reading_free(&r);
}

static void equations_alone(void **state)
{
    (void)state;
    check_equations("m = 2*pi, r' = [0,0,1]", "(start (= m (* 2 pi)) (= (' r) [0 0 1]))", "");
    check_equations("m=2\n", "(start (= m 2))", "");
    check_equations("", "(start)", "1:1+0 E0015");
    check_equations("m", "(start)", "1:2+0 E0014");
    check_equations("m = 2 n", "(start)", "1:7+1 E0016");
    check_equations("m = 2; n = 3", "(start)", "1:6+1 E0016");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations),    cmocka_unit_test(dynamics),
        cmocka_unit_test(constraints),     cmocka_unit_test(starts_and_events),
        cmocka_unit_test(laws_of_contact), cmocka_unit_test(drawings_and_runs),
        cmocka_unit_test(blocks),          cmocka_unit_test(places_of_statements),
        cmocka_unit_test(equations_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
