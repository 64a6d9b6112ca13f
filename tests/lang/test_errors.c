/*
 * Each mistake alone: its code, its place in characters, and nothing else. Exact texts for the
 * messages that help most.
 */
#include "tree_dump.h"

static void check_message(const char *text, const char *messages)
{
    reading r;
    read_string(&r, text);
    assert_string_equal(dump_messages(&r), messages);
    reading_free(&r);
}

static void characters(void **state)
{
    (void)state;
    check_codes("param a = $", "1:11+1 E0001");
    check_codes("param a = 1 $$@ 2", "1:13+3 E0001");
    check_codes("\xce\xb8 \xce\xb8 $", "1:1+1 E0008");
    check_codes("param \xce\xb8 = \xe2\x82\xac", "1:11+1 E0001");
    check_codes("param a = 1 \r coord x", "1:13+1 E0001");
    check_codes("param \xcc\x82 = 1", "1:7+1 E0001"); /* a mark alone */
    check_message("param \xce\xb8 = 2 %% 3", "m.zw:1:13: error[E0001]: '%' does not belong to "
                                             "the language\n"
                                             "    param \xce\xb8 = 2 %% 3\n"
                                             "                ^~\n"
                                             "    help: comments begin with #; a remainder is "
                                             "written x - n*floor(x/n)\n");
}

static void check_sign(const char *sign, const char *plain)
{
    char text[64], help[64];
    reading r;
    snprintf(text, sizeof text, "when x %s\n(y) > 1: stop", sign);
    snprintf(help, sizeof help, "write the plain sign: %s", plain);
    read_string(&r, text);
    const zw_diagnostic *d = zb_diag_get(&r.diagnostics, 0);
    assert_non_null(d);
    assert_string_equal(d->code, "E0002");
    assert_string_equal(d->help, help);
    assert_int_equal(d->column, 8);
    reading_free(&r);
}

static void signs_that_only_look_right(void **state)
{
    (void)state;
    static const char *const signs[][2] = {
        {"\xe2\x80\xb2", "'"},
        {"\xe2\x80\x99", "'"},
        {"\xe2\x88\x92", "-"},
        {"\xc2\xb7", "*"},
        {"\xc3\x97", "*"},
        {"\xc3\xb7", "/"},
        {"\xe2\x80\x93", "-"},
        {"\xe2\x80\x9c", "\""},
        {"\xe2\x80\x9d", "\""},
        {"\xe2\x89\xa4", "<="},
        {"\xe2\x89\xa5", ">="},
        {"\xe2\x89\xa0", "!="},
        {"\xc2\xb2", "^2"},
        {"\xe2\x8b\x85", "*"},
        {"**", "^"},
        {"&&", "and"},
        {"||", "or"},
        {"!", "not"},
        {"<>", "!="},
        {":=", "="},
        {"\xef\xbc\x88", "("},
        {"\xe2\x80\xa6", ".."},
        {"`", "'"},
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) check_sign(signs[i][0], signs[i][1]);
    check_codes("potential x\xe2\x80\xb2^2 \xe2\x88\x92 x\xc2\xb7y\xc2\xb2",
                "1:12+1 E0002 1:16+1 E0002 1:19+1 E0002 1:21+1 E0002");
    check_codes("when a && b > 1 || !(c \xe2\x89\xa4 d): stop",
                "1:8+2 E0002 1:17+2 E0002 1:6+1 E0025 1:20+1 E0002 1:24+1 E0002");
    check_codes("model \xe2\x80\x9ctitle\xe2\x80\x9d", "1:7+1 E0002");
    check_codes("param a = \xe2\x88\x9e", "1:11+1 E0002");
    check_codes("param a = \xe2\x88\x9a(2) + 30\xc2\xb0 + \xc2\xbd",
                "1:11+1 E0002 1:20+1 E0002 1:24+1 E0002");
    check_codes("coord x // note: $", "1:9+2 E0002");
}

static void bytes(void **state)
{
    (void)state;
    check_codes("param a\xff = 1, b\xff = 2\n# \xfe", "1:8+1 E0003");
    check_codes("# \xce", "1:3+1 E0003");
    check_codes("model \"\xc0\x80\"", "1:8+1 E0003");
    reading r;
    reading_init(&r);
    reading_parse(&r, "coord a\n\0\0coord b\n# \0\ncoord c", 30);
    assert_string_equal(dump_codes(&r), "2:1+1 E0004");
    reading_free(&r);
}

static void numbers(void **state)
{
    (void)state;
    check_codes("param a = 1.", "1:11+2 E0005");
    check_codes("param a = .5 + 1.e5 + 1e + 2x", "1:11+2 E0005 1:16+4 E0005 1:23+2 E0005 "
                                                 "1:28+2 E0005");
    check_codes("param a = 1.2.3, b = 0x1f, c = 1_000", "1:11+5 E0005 1:22+4 E0005 1:32+5 E0005");
    check_codes("param a = 1e999", "1:11+5 E0006");
    check_codes("param a = b.5", "1:13+1 E0014");
    check_message("param a = 3y", "m.zw:1:11: error[E0005]: '3y' is not a number\n"
                                  "    param a = 3y\n"
                                  "              ^~\n"
                                  "    help: a name cannot begin with a digit; to multiply write "
                                  "'*' between them\n");
}

static void strings(void **state)
{
    (void)state;
    check_codes("model \"abc\ncoord x", "1:7+1 E0007");
    check_codes("model \"abc\\\"\ncoord x", "1:7+1 E0007");
    check_codes("model 'abc'", "1:7+1 E0014");
    check_codes("param a = \"abc\"", "1:11+5 E0015");
}

static void not_statements(void **state)
{
    (void)state;
    check_message("cord x", "m.zw:1:1: error[E0008]: 'cord' is not a statement\n"
                            "    cord x\n"
                            "    ^~~~\n"
                            "    help: did you mean 'coord'?\n");
    check_message("xyzzy = 3", "m.zw:1:1: error[E0008]: 'xyzzy' is not a statement\n"
                               "    xyzzy = 3\n"
                               "    ^~~~~\n"
                               "    help: begin with 'param', 'let' or 'start'\n");
    check_codes("Param a = 1; kinteic x; sin(x); 3; t = 2; [1]; {coord x}",
                "1:1+5 E0008 1:14+7 E0008 1:25+3 E0008 1:33+1 E0008 1:36+1 E0008 1:43+1 E0008 "
                "1:48+1 E0008");
}

static void brackets(void **state)
{
    (void)state;
    check_codes("potential (x + 1\nkinetic x", "1:11+1 E0010");
    check_codes("potential f(x, [1, 2\nkinetic x", "1:16+1 E0010");
    check_codes("potential (x +\nkinetic x", "1:11+1 E0010");
    check_codes("potential (", "1:11+1 E0010");
    check_codes("for i in 1..2 { potential (x }", "1:27+1 E0010");
    check_codes("if (N > 2 { coord x }", "1:4+1 E0010");
    check_codes("constraint c: (x + y = 3\ncoord z", "1:15+1 E0010");
    check_codes("constraint c: (x + y = 3)\ncoord z", "1:22+1 E0014");
    check_codes("potential (x]", "1:13+1 E0011");
    check_codes("potential [x)", "1:13+1 E0011");
    check_codes("potential x)", "1:12+1 E0011");
    check_codes("potential x\n]\ncoord x", "2:1+1 E0011");
    check_codes("let A = [1, 2; 3, 4]", "1:14+1 E0014");
    check_codes("potential sum(i in 1..3", "1:14+1 E0010");
}

static void braces(void **state)
{
    (void)state;
    check_codes("for i in 1..2 {\ncoord x\n", "1:15+1 E0012");
    check_codes("component A {\nfor i in 1..2 {\ncoord x\n}\n", "1:13+1 E0012");
    check_codes("coord x }\ncoord y", "1:9+1 E0013");
    check_codes("for i in 1..2\n{\ncoord x\n}", "1:14+0 E0014");
    check_codes("for i in 1..2\ncoord x", "1:14+0 E0014");
    check_codes("else { coord x }\ncoord $", "1:1+4 E0038 2:7+1 E0001");
}

static void expected_things(void **state)
{
    (void)state;
    check_codes("param a 1", "1:9+1 E0014");
    check_codes("param", "1:6+0 E0014");
    check_codes("coord 3", "1:7+1 E0014");
    check_codes("coord x = 1", "1:9+1 E0016");
    check_codes("potential", "1:10+0 E0015");
    check_codes("potential a + ", "1:14+0 E0015");
    check_codes("potential a +\ncoord x", "1:13+1 E0015");
    check_codes("potential a b", "1:13+1 E0016");
    check_codes("potential 2(x)", "1:12+1 E0016");
    check_codes("potential []", "1:12+1 E0015");
    check_codes("potential f(x,)", "1:15+1 E0015");
    check_codes("potential {1, 2}\ncoord x", "1:11+1 E0015");
    check_codes("mass x 3", "1:8+1 E0014");
    check_codes("mass x, y, z: 3", "1:6+7 E0039");
    check_codes("potential p[1, 2, 3]", "1:12+9 E0039");
    check_codes("when x < 1 stop", "1:12+4 E0014");
    check_codes("when x < 1: x = 1 fixed", "1:19+5 E0016");
    check_codes("force at: ", "1:10+0 E0015");
    check_codes("part a = 3", "1:10+1 E0014");
    check_codes("simulate 0..10", "1:10+1 E0014");
    check_codes("simulate t = 10", "1:16+0 E0014");
    check_codes("draw point p", "1:12+1 E0014");
    check_codes("use \"rigid\"", "1:5+7 E0014");
    check_codes("component A(1) { coord x }", "1:13+1 E0014");
}

static void reserved_words(void **state)
{
    (void)state;
    static const char words[] =
        "model use param coord let lagrangian kinetic potential dissipation mass force constraint "
        "weight nonideal control start output when draw simulate for if else component part and "
        "or not sum t pi sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign "
        "min max floor hypot dot cross outer norm transpose inverse det";
    char copy[sizeof words];
    memcpy(copy, words, sizeof words);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char text[64], codes[64];
        snprintf(text, sizeof text, "param %s = 1", word);
        snprintf(codes, sizeof codes, "1:7+%d E0017", (int)strlen(word));
        check_codes(text, codes);
    }
    check_codes("param mass = 1\npotential mass*2 + mass", "1:7+4 E0017");
    check_codes("potential mass*2", "1:11+4 E0017");
    check_codes("let sin(x) = x\nlet f(t) = 1\nlet reaction(x) = x",
                "1:5+3 E0017 2:7+1 E0017 3:5+8 E0017");
    check_codes("constraint force: x = 1\nfor sum in 1..2 { }\npart pi = A",
                "1:12+5 E0017 2:5+3 E0017 3:6+2 E0017");
}

static void functions(void **state)
{
    (void)state;
    check_codes("potential sin(1, 2) + atan2(1) + min(1) + norm()",
                "1:11+3 E0018 1:23+5 E0018 1:34+3 E0018 1:43+4 E0018");
    check_codes("potential multiplier() + reaction(a, b, c)", "1:11+10 E0018 1:26+8 E0018");
    check_codes("potential sin x", "1:11+3 E0019");
    check_codes("potential 2*sqrt", "1:13+4 E0019");
    check_codes("potential f(x = 1)", "1:15+1 E0028");
    check_codes("potential if(x = 1, 2, 3)", "1:16+1 E0022");
    check_codes("part a = B(m = 1, 2)", "1:19+1 E0029");
    check_codes("potential sum(i, x[i])", "1:16+1 E0027");
    check_codes("potential sum(i in x, x[i])", "1:21+1 E0027");
    check_codes("potential sum x", "1:15+1 E0027");
}

static void primes(void **state)
{
    (void)state;
    check_message("potential x^2'", "m.zw:1:14: error[E0020]: a prime cannot stand on a number\n"
                                    "    potential x^2'\n"
                                    "                 ^\n"
                                    "    help: for the derivative of the power write (x^2)'\n");
    check_codes("potential 3''' + x", "1:12+1 E0020");
}

static void conditions(void **state)
{
    (void)state;
    check_codes("when a < b < c: stop", "1:12+1 E0021");
    check_codes("when a < b < c < d: stop", "1:12+1 E0021");
    check_codes("when a = b and (c = d): stop", "1:8+1 E0022 1:19+1 E0022");
    check_codes("if N = 2 { }", "1:6+1 E0022");
    check_codes("constraint c: x == 1", "1:17+2 E0023");
    check_codes("param a == 1, b == 2", "1:9+2 E0023 1:17+2 E0023");
    check_codes("start x == 1", "1:9+2 E0023");
    check_codes("constraint c: x < 1", "1:17+1 E0501");
    check_codes("constraint c: x != 1", "1:17+2 E0501");
    check_codes("control c: x >= 1", "1:14+2 E0014");
    check_codes("potential a < b", "1:13+1 E0024");
    check_codes("potential (a < b)*2 + -(c > d) + [e == f] + g(not h > 1)",
                "1:14+1 E0024 1:27+1 E0024 1:37+2 E0024 1:47+3 E0024");
    check_codes("when x: stop", "1:6+1 E0025");
    check_codes("when not x or y > 1 and 2: stop", "1:10+1 E0025 1:25+1 E0025");
    check_codes("when x > 1: stpo", "1:17+0 E0014");
}

static void inequalities(void **state)
{
    (void)state;
    check_message("constraint wall: x > 0",
                  "m.zw:1:20: error[E0501]: a constraint is '=', '>=' or '<=', not '>'\n"
                  "    constraint wall: x > 0\n"
                  "                       ^\n"
                  "    help: write '>=': at the very place it means the same\n");
    check_message("constraint wall: 0 <= x >= 1",
                  "m.zw:1:25: error[E0501]: the two signs of a chain must point the same way\n"
                  "    constraint wall: 0 <= x >= 1\n"
                  "                            ^~\n"
                  "    help: write a <= E <= b, or b >= E >= a\n");
    check_codes("constraint c: 0 < x < 1", "1:17+1 E0501 1:21+1 E0501");
    check_codes("constraint c: 0 <= x <= 1 <= 2", "1:27+2 E0501");
    check_codes("constraint c: 0 = x <= 1", "1:21+2 E0501");
    check_codes("constraint c: 0 <= x = 1", "1:22+1 E0016");
    check_codes("constraint c: x y", "1:17+1 E0014");
    check_codes("constraint c: x >=", "1:19+0 E0015");
    check_codes("friction ground: 0.3", "1:21+0 E0014");
    check_codes("friction ground: 0.3 allong x'", "1:22+6 E0014");
    check_codes("friction ground = 0.3 along x'", "1:17+1 E0014");
    check_codes("friction : 0.3 along x'", "1:10+1 E0014");
    check_codes("friction a: 0.3 along x', stattic = 1", "1:27+7 E0033");
    check_codes("friction a: 0.3 along x', static = 1, static = 2", "1:39+6 E0034");
    check_codes("friction a: 0.3 along x',", "1:26+0 E0014");
    check_codes("restitution ground: 0.3 along x'", "1:25+5 E0016");
    check_codes("restitution ground: 0.3, static = 1", "1:26+6 E0033");
    check_codes("restitution: 0.3", "1:12+1 E0014");
    check_codes("kinetic (x'^2\nfriction ground: 0.3 along y'", "1:9+1 E0010");
    check_codes("potential 2*x +\nrestitution ground: 0.3\ncoord x y", "1:15+1 E0015 3:9+1 E0016");
    check_codes("potential (2*x +\nfriction*2)", "");
    check_codes("when (x > 1 and\nfriction > 2 or\nfriction and 3): stop",
                "3:1+8 E0025 3:14+1 E0025");
}

static void ranges_and_sides(void **state)
{
    (void)state;
    check_codes("potential x[1..3]", "1:14+2 E0026");
    check_codes("param a = 1..3", "1:12+2 E0026");
    check_codes("simulate tol = 1..3", "1:17+2 E0026");
    check_codes("for i in N { }", "1:12+1 E0014");
    check_codes("start x + y = 1, 2 = x, -x = 1", "1:7+5 E0030 1:18+1 E0030 1:25+2 E0030");
    check_codes("constraint x = 1", "1:1+10 E0031");
    check_codes("control (x) = 1", "1:1+7 E0031");
    check_codes("constraint : x = 1", "1:1+10 E0031");
}

static void options(void **state)
{
    (void)state;
    check_message("draw bal(p, 1)", "m.zw:1:6: error[E0032]: 'bal' is not something that can be "
                                    "drawn\n"
                                    "    draw bal(p, 1)\n"
                                    "         ^~~\n"
                                    "    help: did you mean 'ball'? there are point, line, ball, "
                                    "trail, arrow, polygon, box, cylinder, spring, surface, "
                                    "text and contact\n");
    check_codes("draw contact(c)", "1:6+7 E0018");
    check_codes("draw text(p)", "1:6+4 E0018");
    check_codes("draw text(p, \"a\", \"b\")", "1:19+3 E0015");
    check_codes("draw point(\"a\")", "1:12+3 E0015");
    check_codes("draw cylinder(p, q)", "1:6+8 E0018");
    check_codes("draw box(p, R, s, x)", "1:6+3 E0018");
    check_codes("draw line(p)", "1:6+4 E0018");
    check_codes("draw point(p) colour = \"red\"", "1:15+6 E0033");
    check_codes("simulate t = 0..1, step = 3", "1:20+4 E0033");
    check_codes("simulate tol = 1, tol = 2, tol = 3", "1:19+3 E0034 1:28+3 E0034");
}

/* ------------------------------------------- what other languages write */

/* One message, whose help contains these words. */
static void check_help(const char *text, const char *help)
{
    reading r;
    reading_init(&r);
    reading_parse(&r, text, strlen(text));
    const zw_diagnostic *first = zb_diag_get(&r.diagnostics, 0);
    if (!first || !first->help || !strstr(first->help, help))
        fail_msg("'%s' is not in the help for\n%s\n%s", help, text, dump_messages(&r));
    reading_free(&r);
}

static void words_of_other_languages(void **state)
{
    (void)state;
    check_help("var x", "'coord'");
    check_help("variable x", "'coord'");
    check_help("parameter m = 2", "'param'");
    check_help("const m = 2", "'param'");
    check_help("import lib", "'use'");
    check_help("include lib", "'use'");
    check_help("def f(x) = 2", "let f(u) = u^2");
    check_help("function f(x) = 2", "let f(u) = u^2");
    check_help("end", "'}'");
    check_help("T = 2", "kinetic E");
    check_help("L = 2", "lagrangian E");
    check_help("V = 2", "potential E");
    check_help("frction ground: 0.3 along x'", "did you mean 'friction'?");
    check_help("T 2", "statements are model, use, param, ");
    check_help("x[1] = 3", ", part, restitution and friction");
}

static void statements_of_other_forms(void **state)
{
    (void)state;
    check_help("kinetic = x'^2", "leave the '=' out");
    check_help("kinetic: x'^2", "leave the ':' out");
    check_help("lagrangian L = x'^2", "an energy has no name");
    check_help("force x = 3", "write force x: ...");
    check_help("mass x[1], y = 3", "write mass x[1], y: ...");
    check_help("nonideal at [x, y] = 3", "write nonideal at [x, y]: ...");
    check_help("simulate 10", "simulate t = 0..10");
    check_help("simulate 0..10", "simulate t = 0..10");
    check_help("draw point(p), \"red\"", "color = ");
    check_help("use mylib.zw", "without '.zw'");
    check_help("use \"mylib\"", "without quotes");
    check_help("param l[4] = [1, 2, 3, 4]", "takes the shape of its value");
    check_help("param g = 9,81", "decimals take a point");
    check_help("start x = 9,81", "decimals take a point");
    check_help("kinetic 0,5*x'^2", "decimals take a point");
}

static void signs_of_other_languages(void **state)
{
    (void)state;
    check_help("% comment", "comments begin with #");
    check_help("// comment", "comments begin with #");
    check_help("-- comment", "comments begin with #");
    check_help("/* com\nment */ coord x", "comments begin with #");
    check_codes("/* com\nment */ coord x\n/* open", "1:1+2 E0002 3:1+2 E0002");
    check_help("kinetic x'^2 \\\n", "a line goes on after an operator or inside brackets");
    check_help("potential |x|", "abs(x), or norm(v)");
    check_help("potential x > 0 ? 1 : 2", "if(condition, a, b)");
    check_help("potential 1 if x > 0 else 2", "if(condition, a, b)");
    check_help("potential (1 if x > 0 else 2)", "if(condition, a, b)");
    check_help("potential x.^2", "leave the point out");
    check_help("potential x**2", "^");
    check_help("let a = 1 kg", "numbers have no units");
    check_help("let a = b c", "to multiply write '*'");
    check_help("let a = [1 2 3]", "separate elements with ','");
}

/* Files that are no text are not read, those with a few wrong bytes are. */
static void files_that_are_not_text(void **state)
{
    (void)state;
    enum { SIZE = 40 };
    static const char letters[] = "coord x \xfc\xe4\xf6\xfc # four in many bytes: "
                                  "............................................................";
    reading r;
    char wide[SIZE];
    for (int k = 0; k < SIZE; k++) wide[k] = k % 2 ? '\0' : "coord x $ y "[k / 2 % 12];
    reading_init(&r);
    reading_parse(&r, wide, SIZE);
    assert_string_equal(dump_codes(&r), "1:2+1 E0004");
    reading_free(&r);
    check_codes("\x89\xfa\xfb\xfc\xfd $ $", "1:1+1 E0003");
    check_codes(letters, "1:9+1 E0003 1:9+4 E0016");
}

static void long_names(void **state)
{
    (void)state;
    char text[1200] = "coord ";
    memset(text + 6, 'x', ZL_MAX_NAME);
    check_codes(text, "");
    strcpy(text + 6 + ZL_MAX_NAME, "x\ncoord y y");
    check_codes(text, "1:7+1 E0040 2:9+1 E0016");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters),
        cmocka_unit_test(signs_that_only_look_right),
        cmocka_unit_test(bytes),
        cmocka_unit_test(numbers),
        cmocka_unit_test(strings),
        cmocka_unit_test(not_statements),
        cmocka_unit_test(brackets),
        cmocka_unit_test(braces),
        cmocka_unit_test(expected_things),
        cmocka_unit_test(reserved_words),
        cmocka_unit_test(functions),
        cmocka_unit_test(primes),
        cmocka_unit_test(conditions),
        cmocka_unit_test(ranges_and_sides),
        cmocka_unit_test(inequalities),
        cmocka_unit_test(options),
        cmocka_unit_test(words_of_other_languages),
        cmocka_unit_test(statements_of_other_forms),
        cmocka_unit_test(signs_of_other_languages),
        cmocka_unit_test(files_that_are_not_text),
        cmocka_unit_test(long_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
