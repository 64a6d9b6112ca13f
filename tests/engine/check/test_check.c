/*
 * What `check` says: degrees of freedom, redundancy by name and coefficient, singular
 * configurations, shares that are not unique, large systems.
 */
#include "../../slow.h"
#include "bench.h"

#include <stdio.h>
#include <string.h>

#define SPACE "coord x, y, z\nkinetic 0.5*(x'^2 + y'^2 + z'^2)\n"

static void redundancy_has_a_name(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "model \"Planes\"\n" SPACE "constraint a: x + y = 1\nconstraint b: x - y = 0\n"
                   "constraint c: 3*x + y = 2\nstart x = 0.5, y = 0.5\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    assert_true(bench_contains(&b, "Planes\n"));
    assert_true(bench_contains(&b, "degrees of freedom  1"));
    assert_true(bench_contains(&b, "`c` is redundant: it follows from `a` and `b`: c = 2\xC2\xB7"
                                   "a + b"));
    assert_true(bench_contains(&b, "the motion is unique"));
    assert_true(bench_contains(&b, "the start satisfies the constraints"));
    assert_false(bench_contains(&b, "conflict"));
    bench_expect(&b, "R0610", "`c` is redundant");
    assert_int_equal(bench_message(&b, "R0610")->line, 6);
    bench_close(&b);
}

/* a and b say x = 0 twice: their multipliers may be shared in any way, their sum may not. */
static void what_redundancy_leaves_open(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, SPACE "force x: 3\nforce y: 4\n"
                         "constraint a: x = 0\nconstraint b: 2*x = 0\nconstraint c: y = 0\n"
                         "output share = multiplier(a)\n"
                         "output whole = [multiplier(a) + 2*multiplier(b), multiplier(c)]\n"
                         "output square = multiplier(a)^2 - 1\noutput size = reaction()\n"
                         "output plain = x\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    assert_true(bench_contains(&b, "not unique are the reactions of `a` and `b`\n"));
    assert_true(bench_contains(&b, "  unique are the reactions of `c`\n"));
    assert_true(bench_contains(&b, "outputs not unique are `share` and `square`\n"));
    assert_true(bench_contains(&b, "outputs unique are `whole[1..2]` and `size`\n"));
    assert_int_equal(bench_check(&b, false, ZW_REPORT_JSON), ZW_OK);
    assert_true(bench_contains(&b, "\"reactions\": {\"all_unique\": false, \"unique\": [\"c\"], "
                                   "\"not_unique\": [\"a\", \"b\"], \"unique_outputs\": "
                                   "[\"whole[1]\", \"whole[2]\", \"size\"], "
                                   "\"not_unique_outputs\": [\"share\", \"square\"]}"));
    bench_close(&b);
}

static void nothing_to_tell(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, SPACE "constraint a: x + y = 0\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    assert_false(bench_contains(&b, "redundant") || bench_contains(&b, "conflict"));
    assert_true(bench_contains(&b, "the constraints are independent"));
    assert_int_equal(bench_check(&b, false, ZW_REPORT_JSON), ZW_OK);
    assert_true(bench_contains(&b, "\"redundant\": []"));
    assert_true(bench_contains(&b, "\"reactions\": {\"all_unique\": true}"));
    assert_true(bench_contains(&b, "\"conflicts\": []"));
    assert_true(bench_contains(&b, "\"dof\": 2"));
    assert_true(bench_contains(&b, "\"satisfied\": true, \"moved\": false"));
    bench_close(&b);
}

static void json_has_the_keys(void **state)
{
    (void)state;
    static const char *const keys[] = {"\"n\": 3",
                                       "\"m\": 3",
                                       "\"rank\": 2",
                                       "\"rank_at_start\": 2",
                                       "\"dof\": 1",
                                       "\"constraints\": [",
                                       "\"redundant\": [",
                                       "\"conflicts\": [",
                                       "\"start\": {",
                                       "\"remarks\": [",
                                       "\"title\": null",
                                       "\"coordinates\": [\"x\", \"y\", \"z\"]",
                                       "{\"name\": \"ab\", \"kind\": [\"holonomic\", "
                                       "\"nonholonomic\"], \"time_dependent\": true, "
                                       "\"control\": false, \"rows\": [0, 2], \"value\": [0, 0]",
                                       "{\"name\": \"ab[1]\", \"coefficient\": ",
                                       "\"control\": true"};
    bench b;
    bench_open(&b, SPACE "constraint ab: [x, y'] = [0, sin(t)]\ncontrol c: 2*x = 0\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_JSON), ZW_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!bench_contains(&b, keys[i])) fail_msg("no %s in\n%s", keys[i], b.report);
    bench_close(&b);
}

/* A flat four-bar: dependent where it stands, not elsewhere. */
static void singular_configuration(void **state)
{
    (void)state;
    bench b;
    bench_open(&b,
               "coord p[2], q[2]\nkinetic 0.5*dot(p', p') + 0.5*dot(q', q')\n"
               "constraint ab: dot(p, p) = 1\nconstraint bc: dot(q - p, q - p) = 4\n"
               "constraint cd: dot(q - [2, 0], q - [2, 0]) = 1\nstart p = [1, 0], q = [3, 0]\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    assert_true(bench_contains(&b, "degrees of freedom  1"));
    assert_true(bench_contains(&b, "rank                3 (2 at the start)\n"));
    assert_false(bench_contains(&b, "redundant"));
    bench_expect(&b, "R0612", "`cd`");
    assert_true(bench_contains(&b, "singular configuration\n  `cd` depends on `ab` and `bc`"));
    assert_false(bench_contains(&b, "R0612"));
    assert_null(bench_message(&b, "R0610"));
    bench_close(&b);
    bench_open(&b, SPACE "constraint c: x*y = 0\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    bench_expect(&b, "R0612", "at the start all derivatives of `c` are zero");
    bench_close(&b);
}

/* Characters of the longest line. */
static size_t longest_line(const char *text)
{
    size_t longest = 0, column = 0;
    for (; *text; text++) {
        column = *text == '\n' ? 0 : column + ((*text & 0xC0) != 0x80);
        longest = column > longest ? column : longest;
    }
    return longest;
}

static void names_in_runs(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x[3], M[2,2], s\nkinetic dot(x', x') + s'^2 + M[1,1]'^2 + M[1,2]'^2 + "
                   "M[2,1]'^2 + M[2,2]'^2\nfor i in 1..3 {\n  constraint tie[i]: x[i] = s\n"
                   "  constraint pin[i]: [x[i], x[i]] = [sin(t), sin(t)]\n}\n"
                   "constraint tie[4]: M[1,1] = 0\nconstraint tie[5]: M[1,2]' = 0\n"
                   "constraint tie[7]: M[2,2] = 0\nstart s' = 1, x' = [1, 1, 1]\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    assert_true(bench_contains(&b, "coordinates         8: x[1..3], M[1..2,1..2], s\n"));
    assert_true(bench_contains(&b, "\n  tie[1..3]  holonomic     3 constraints, 1 row each\n"
                                   "  pin[1..3]  holonomic     3 constraints, 2 rows each, "
                                   "time-dependent\n"
                                   "  tie[4]     holonomic     1 row\n"
                                   "  tie[5]     nonholonomic  1 row\n"
                                   "  tie[7]     holonomic     1 row\n"));
    assert_true(bench_contains(&b, "of `tie[1..3]` and\n    `pin[1..3][1..2]`\n"));
    assert_true(longest_line(b.report) <= 80);
    bench_close(&b);
}

/* Values that were not given, columns, and nothing said twice. */
static void the_table_of_moves(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, SPACE "constraint first: x = 1/3\nconstraint second: y = 2\n"
                         "constraint third: [2*x, 2*y] = [2/3, 4]\nstart x = 1/4\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    assert_true(bench_contains(&b, "\nstart at t = 0\n  value  given  corrected\n"
                                   "  x      0.25   0.33333333\n  y      -      2\n"));
    assert_false(bench_contains(&b, "remarks"));
    bench_expect(&b, "W0411", "x from 0.25 to 0.333333 and y (not given) to 2; before, ");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_JSON), ZW_OK);
    assert_true(bench_contains(&b, "\"code\": \"W0411\"") && bench_contains(&b, "R0610"));
    bench_close(&b);
}

static void shares_that_are_not_unique(void **state)
{
    (void)state;
    static const char text[] = SPACE "potential 9.81*z\nconstraint table: z = 0\n"
                                     "constraint again: 2*z = 0\nstart x' = 1\n";
    char whole[400];
    bench b;
    (void)snprintf(whole, sizeof whole, "%snonideal x: -0.1*reaction(table)\n", text);
    bench_open(&b, whole);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "W0611", "`table`");
    bench_close(&b);
    (void)snprintf(whole, sizeof whole, "%snonideal x: -0.1*reaction()\n", text);
    bench_open(&b, whole);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_null(bench_message(&b, "W0611"));
    bench_close(&b);
}

static void a_refused_start_is_reported(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, SPACE "constraint a: x = 0\nconstraint b: x = 1\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_JSON), ZW_ERR_START);
    assert_true(bench_contains(&b,
                               "{\"level\": \"position\", \"name\": \"b\", \"rows\": [{\"name\": "
                               "\"a\", \"coefficient\": -1}, {\"name\": \"b\", \"coefficient\": "
                               "1}], \"size\": 0.7071067811865"));
    bench_close(&b);
}

/* Far beyond a dense matrix: examined and corrected as small ones are. */
static void large_systems(void **state)
{
    (void)state;
    static const char text[] = "param N = %d, l = 1/N\ncoord x[N], y[N]\n"
                               "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)\n"
                               "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
                               "for i in 2..N {\n"
                               "constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
                               "start x[i] = %s\n}\nstart x[1] = l\n";
    const int links = unless_slow(5000, 1050);
    char whole[600], rank[40];
    bench b;
    (void)snprintf(whole, sizeof whole, text, links, "i*l");
    bench_open(&b, whole);
    assert_int_equal(bench_check(&b, false, ZW_REPORT_JSON), ZW_OK);
    (void)snprintf(rank, sizeof rank, "\"rank\": %d", links);
    assert_true(bench_contains(&b, rank));
    (void)snprintf(rank, sizeof rank, "\"rank_at_start\": %d", links);
    assert_true(bench_contains(&b, rank));
    assert_true(bench_contains(&b, "\"satisfied\": true"));
    bench_close(&b);
    (void)snprintf(whole, sizeof whole, text, links, "if(i == 77, (i + 0.2)*l, i*l)");
    bench_open(&b, whole);
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    bench_expect(&b, "W0411", "`rod[77]`");
    assert_true(bench_contains(&b, "degrees of freedom"));
    bench_close(&b);
}

/* Nothing moves them and nothing holds them: found at any size, by the entries of M and A. */
static void large_systems_without_inertia(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x[3000], y\nkinetic dot(x', x')\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_ERR_UNDETERMINED);
    bench_expect(&b, "E0407", "coordinate y has no inertia");
    assert_int_equal(bench_message(&b, "E0407")->line, 1);
    bench_close(&b);
    bench_open(&b, "coord x[3000], y, z\nkinetic dot(x', x') + 0*y'^2 + z^2*z'^2\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_ERR_UNDETERMINED);
    bench_expect(&b, "E0407", "coordinates y and z");
    bench_close(&b);
    bench_open(&b, "coord x[3000], y\nkinetic dot(x', x')\nconstraint tie: y = x[1]\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    bench_close(&b);
}

/* A taut net: wherever it is shaken to, Newton's way back is slow. Of a large one nothing is
 * claimed beyond the start, and soon. */
static void a_taut_net_is_not_looked_around_for_long(void **state)
{
    (void)state;
    bench b;
    if (unless_slow(0, 1)) skip(); /* nine tenths of this file; engine_ranks has frameworks, too */
    bench_open(&b,
               "param K = 10, h = 1/K\ncoord p[K*K, 3]\n"
               "kinetic 0.5*sum(i in 1..K*K, dot(p[i]', p[i]'))\n"
               "for i in 1..K { for j in 1..K {\n"
               "start p[(i-1)*K + j] = [i*h, j*h, 0]\n"
               "if j < K { constraint row[i, j]: norm(p[(i-1)*K + j] - p[(i-1)*K + j + 1]) = h }\n"
               "if i < K { constraint col[i, j]: norm(p[(i-1)*K + j] - p[i*K + j]) = h }\n} }\n"
               "constraint corner1: p[1] = [h, h, 0]\n"
               "constraint corner2: p[K] = [h, K*h, 0]\n");
    assert_int_equal(bench_check(&b, false, ZW_REPORT_TEXT), ZW_OK);
    bench_expect(&b, "R0610", "at the start; not examined elsewhere");
    assert_true(bench_contains(&b, "rank                185 or 186 (at the start)\n"));
    assert_true(bench_contains(&b, "degrees of freedom  114 or 115 (at the start)\n"));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundancy_has_a_name),
        cmocka_unit_test(what_redundancy_leaves_open),
        cmocka_unit_test(nothing_to_tell),
        cmocka_unit_test(json_has_the_keys),
        cmocka_unit_test(singular_configuration),
        cmocka_unit_test(names_in_runs),
        cmocka_unit_test(the_table_of_moves),
        cmocka_unit_test(shares_that_are_not_unique),
        cmocka_unit_test(a_refused_start_is_reported),
        cmocka_unit_test(large_systems),
        cmocka_unit_test(large_systems_without_inertia),
        cmocka_unit_test(a_taut_net_is_not_looked_around_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
