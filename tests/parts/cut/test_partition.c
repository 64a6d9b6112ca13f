/*
 * Cutting graphs into parts. Of every graph, rule and size: each vertex is in one part, parts are
 * numbered without gaps and connected, a second run gives the same. Of LEVELS the parts of one
 * class never touch and classes only their neighbours, so parts can be coloured with two colours.
 * Of CARVED no part has more than twice the size. Of chains, loops, ladders, combs and trees the
 * parts are known one by one, in any numbering of the vertices.
 */
#include "nets.h"

/* ------------------------------------------------------------------- what holds always */

static int32_t root(int32_t *up, int32_t v)
{
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
}

/* Sets of vertices that edges join; `within`: only edges inside a part. */
static int32_t count_sets(const net *n, bool within)
{
    int32_t *up = test_malloc((size_t)(n->count + 1) * sizeof *up), sets = n->count;
    for (int32_t v = 0; v < n->count; v++) up[v] = v;
    for (int32_t e = 0; e < n->edges; e++) {
        int32_t a = n->edge[e][0], b = n->edge[e][1];
        if (within && n->part[a] != n->part[b]) continue;
        a = root(up, a);
        b = root(up, b);
        sets -= a != b;
        up[a] = b;
    }
    test_free(up);
    return sets;
}

/* sizes [parts] */
static int32_t *count_sizes(const net *n)
{
    int32_t *sizes = test_calloc((size_t)n->parts + 1, sizeof *sizes);
    for (int32_t v = 0; v < n->count; v++) {
        assert_in_range((uint32_t)n->part[v], 0, (uint32_t)n->parts - 1);
        sizes[n->part[v]]++;
    }
    for (int32_t k = 0; k < n->parts; k++) assert_true(sizes[k] > 0);
    return sizes;
}

/* Parts as vertices 2 k and 2 k + 1 for the two colours, an edge between parts joins unlike ones:
 * where a part's two are in one set, two colours are not enough. */
static void check_two_colours(const net *n)
{
    int32_t *up = test_malloc((size_t)(2 * n->parts) * sizeof *up);
    for (int32_t k = 0; k < 2 * n->parts; k++) up[k] = k;
    for (int32_t e = 0; e < n->edges; e++) {
        int32_t a = n->part[n->edge[e][0]], b = n->part[n->edge[e][1]];
        if (a == b) continue;
        for (int32_t c = 0; c < 2; c++) up[root(up, 2 * a + c)] = root(up, 2 * b + 1 - c);
    }
    for (int32_t k = 0; k < n->parts; k++)
        assert_int_not_equal(root(up, 2 * k), root(up, 2 * k + 1));
    test_free(up);
}

static void run(net *n, ze_rule rule, int32_t size)
{
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    memset(n->part, 0xff, (size_t)n->count * sizeof *n->part);
    ze_graph g = {.count = n->count, .start = n->start, .next = n->next};
    assert_int_equal(ze_partition(&memory, &g, rule, size, n->part, &n->parts), ZW_OK);
    assert_nothing_held(&c, &memory);
}

static void cut_and_check(net *n, ze_rule rule, int32_t size)
{
    run(n, rule, size);
    assert_true(n->parts > 0);
    int32_t *sizes = count_sizes(n), *before = test_malloc((size_t)n->count * sizeof *before);
    if (rule != ZE_DECLARED) assert_int_equal(count_sets(n, true), n->parts);
    if (rule == ZE_LEVELS) check_two_colours(n);
    for (int32_t k = 0; rule == ZE_CARVED && k < n->parts; k++)
        assert_true(sizes[k] <= 2 * (int64_t)size);
    memcpy(before, n->part, (size_t)n->count * sizeof *before);
    run(n, rule, size);
    assert_memory_equal(before, n->part, (size_t)n->count * sizeof *before);
    test_free(before);
    test_free(sizes);
}

static const int32_t tried[] = {1, 2, 3, 7, 8, 15, 24, 64, 100000, INT32_MAX};
enum { tries = sizeof tried / sizeof *tried };

/* In the given numbering and in another. */
static void try_all(net n)
{
    int32_t *name = test_malloc((size_t)n.count * sizeof *name);
    net s = scrambled(&n, name);
    for (int k = 0; k < tries; k++) {
        for (ze_rule rule = ZE_DECLARED; rule < ZE_COMPONENTS; rule++) {
            cut_and_check(&n, rule, tried[k]);
            cut_and_check(&s, rule, tried[k]);
        }
    }
    test_free(name);
    net_free(&s);
    net_free(&n);
}

static void every_vertex_is_in_one_connected_part(void **unused)
{
    (void)unused;
    try_all(chain(1));
    try_all(chain(2));
    try_all(chain(300));
    try_all(ring(3));
    try_all(ring(101));
    try_all(ladder(90, false));
    try_all(ladder(90, true));
    try_all(comb(40, 3));
    try_all(comb(30, 20));
    try_all(hung_ladder(50));
    try_all(tree(255, 2));
    try_all(tree(200, 3));
    try_all(star(50, 4));
    try_all(star(500, 1));
    try_all(grid(12, 13));
    try_all(copies_of_rings(20, 7));
    for (int32_t k = 0; k < 12; k++) {
        try_all(random_tree(20 + 30 * k));
        try_all(random_net(100, 40 * k)); /* without edges, in pieces, in one */
    }
}

/* ------------------------------------------------------------------ what is known */

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Parts of `size` vertices. */
static int32_t parts_of(const net *n, int32_t size)
{
    int32_t *sizes = count_sizes(n), count = 0;
    for (int32_t k = 0; k < n->parts; k++) count += sizes[k] == size;
    test_free(sizes);
    return count;
}

/* How far apart the numbers of neighbouring parts are at most. */
static int32_t farthest(const net *n)
{
    int32_t most = 0;
    for (int32_t e = 0; e < n->edges; e++) {
        int32_t off = n->part[n->edge[e][0]] - n->part[n->edge[e][1]];
        most = off > most ? off : -off > most ? -off : most;
    }
    return most;
}

typedef struct expected {
    ze_rule rule;
    int32_t size;
    int32_t parts, equal, with; /* `equal` of them have `with` vertices */
    int32_t apart;              /* most between neighbours; 0: not looked at */
} expected;

/* Of the net as it is and of two other numberings. */
static void expect(net n, expected x)
{
    int32_t *name = test_malloc((size_t)n.count * sizeof *name);
    for (int32_t k = 0; k < 3; k++) {
        cut_and_check(&n, x.rule, x.size);
        assert_int_equal(n.parts, x.parts);
        assert_int_equal(parts_of(&n, x.with), x.equal);
        if (x.apart != 0) assert_true(farthest(&n) <= x.apart);
        net s = scrambled(&n, name);
        net_free(&n);
        n = s;
    }
    net_free(&n);
    test_free(name);
}

static void chains_and_loops(void **unused)
{
    (void)unused;
    expect(chain(1000), (expected){ZE_LEVELS, 24, 42, 41, 24, 1});
    expect(chain(1000), (expected){ZE_CARVED, 24, 42, 41, 24, 1});
    expect(chain(1000), (expected){ZE_LEVELS, 1, 1000, 1000, 1, 1});
    expect(chain(1000), (expected){ZE_LEVELS, 1000, 1, 1, 1000, 0});
    expect(chain(1000), (expected){ZE_LEVELS, 999, 2, 1, 999, 1});
    /* the twig on the last level of a class goes to it, the short last part stays */
    expect(chain_with_twigs(1000, 494), (expected){ZE_LEVELS, 33, 31, 28, 33, 1});
    expect(copies_of_chains(20, 100), (expected){ZE_LEVELS, 30, 80, 60, 30, 1});
    expect(copies_of_chains(20, 100), (expected){ZE_CARVED, 30, 80, 60, 30, 1});
    /* two sides of 7 levels a class, the start in the middle of a part, the far end left over */
    expect(ring(1000), (expected){ZE_LEVELS, 7, 142, 141, 7, 3});
    expect(ring(1000), (expected){ZE_LEVELS, 15, 66, 65, 15, 3});
    expect(ring(10), (expected){ZE_LEVELS, 10, 1, 1, 10, 0});
}

static void bands(void **unused)
{
    (void)unused;
    /* levels of a ladder are 1 2 2 ... 2 1 vertices; of a crossed one 2 in every column, if the
     * first column, whose vertices are neighbours, is taken as two levels of 1: 1 3 2 2 ... */
    expect(ladder(500, false), (expected){ZE_LEVELS, 16, 63, 61, 16, 1});
    expect(ladder(500, true), (expected){ZE_LEVELS, 16, 63, 62, 16, 1});
    expect(ladder(8, false), (expected){ZE_LEVELS, 16, 1, 1, 16, 0});
    /* what hangs on the last level of a class belongs to it: 8 levels of 2 and as many twigs */
    expect(hung_ladder(300), (expected){ZE_LEVELS, 32, 38, 36, 32, 1});
}

static void trees(void **unused)
{
    (void)unused;
    /* 12 levels: whole subtrees of 3 and of 4 levels */
    expect(tree(4095, 2), (expected){ZE_LEVELS, 7, 585, 585, 7, 0});
    expect(tree(4095, 2), (expected){ZE_LEVELS, 15, 273, 273, 15, 0});
    expect(tree(4095, 2), (expected){ZE_CARVED, 15, 273, 273, 15, 0});
    expect(tree(4095, 2), (expected){ZE_CARVED, 12, 273, 273, 15, 0});
    /* 11 levels: the root is the odd one */
    expect(tree(2047, 2), (expected){ZE_LEVELS, 15, 137, 136, 15, 0});
    expect(tree(2047, 2), (expected){ZE_CARVED, 15, 137, 136, 15, 0});
    expect(tree(3280, 3), (expected){ZE_LEVELS, 13, 253, 252, 13, 0});
    expect(tree(3280, 3), (expected){ZE_CARVED, 13, 253, 252, 13, 0});
    /* teeth stay whole; seen from the tip of the first tooth the ends are odd */
    expect(comb(300, 3), (expected){ZE_CARVED, 24, 50, 50, 24, 1});
    expect(comb(300, 3), (expected){ZE_LEVELS, 24, 51, 49, 24, 1});
    expect(comb(300, 1), (expected){ZE_LEVELS, 16, 38, 36, 16, 1});
    /* long arms, narrow: seen from the end of one of them in classes of 20 levels; 5 parts of this
     * arm, one with the hub and 19 levels, 4 on each of the others, the last with a twig of 1 */
    expect(star(8, 100), (expected){ZE_LEVELS, 24, 34, 26, 20, 0});
    /* the hub is left alone with its arms cut off */
    expect(star(100, 5), (expected){ZE_CARVED, 12, 101, 100, 5, 0});
    expect(star(100, 24), (expected){ZE_CARVED, 12, 201, 200, 12, 0});
}

static void components(void **unused)
{
    (void)unused;
    for (ze_rule rule = ZE_LEVELS; rule <= ZE_COMPONENTS; rule++)
        expect(copies_of_rings(50, 6), (expected){rule, 6, 50, 50, 6, 0});
    expect(random_net(200, 0), (expected){ZE_COMPONENTS, 1, 200, 200, 1, 0});
    expect(random_net(200, 0), (expected){ZE_LEVELS, 10, 200, 200, 1, 0});
    for (int32_t k = 0; k < 20; k++) {
        net n = random_net(100, 10 * k);
        cut_and_check(&n, ZE_COMPONENTS, 100);
        assert_int_equal(n.parts, count_sets(&n, false));
        assert_int_equal(farthest(&n), 0);
        net_free(&n);
    }
    net n = copies_of_rings(5, 6);
    run(&n, ZE_COMPONENTS, 5); /* too large */
    assert_int_equal(n.parts, 0);
    net_free(&n);
}

/* Parts that are alike in class are in the order of their first vertices. */
static void parts_come_by_first_vertex(void **unused)
{
    (void)unused;
    net n = copies_of_rings(40, 5);
    int32_t *name = test_malloc((size_t)n.count * sizeof *name);
    net s = scrambled(&n, name);
    for (ze_rule rule = ZE_LEVELS; rule <= ZE_COMPONENTS; rule++) {
        cut_and_check(&s, rule, 5);
        for (int32_t v = 0, seen = 0; v < s.count; v++) {
            assert_true(s.part[v] <= seen);
            seen += s.part[v] == seen;
        }
    }
    test_free(name);
    net_free(&s);
    net_free(&n);
}

/* In a loop: the part of the start, then two in every class. */
static void classes_come_by_first_vertex(void **unused)
{
    (void)unused;
    net n = ring(1000);
    int32_t *name = test_malloc((size_t)n.count * sizeof *name);
    net s = scrambled(&n, name);
    cut_and_check(&s, ZE_LEVELS, 15);
    int32_t *first = test_malloc((size_t)s.parts * sizeof *first);
    for (int32_t v = s.count - 1; v >= 0; v--) first[s.part[v]] = v;
    for (int32_t k = 1; k + 1 < s.parts; k += 2) assert_true(first[k] < first[k + 1]);
    test_free(first);
    test_free(name);
    net_free(&s);
    net_free(&n);
}

static void declared(void **unused)
{
    (void)unused;
    net n = chain(20);
    cut_and_check(&n, ZE_DECLARED, 6);
    assert_int_equal(n.parts, 4);
    for (int32_t v = 0; v < n.count; v++) assert_int_equal(n.part[v], v / 6);
    net_free(&n);
}

/* A tree is cut at the same edges in any numbering, if it branches: it is looked at from its
 * middle then, which is the same. Sizes of parts of narrow things are the same from both ends. */
static void other_numbers_give_the_same_parts(void **unused)
{
    (void)unused;
    for (int32_t k = 0; k < 40; k++) {
        net n = random_tree(200 + 10 * k);
        int32_t *name = test_malloc((size_t)n.count * sizeof *name), size = tried[k % 7];
        net s = scrambled(&n, name);
        cut_and_check(&n, ZE_LEVELS, size);
        cut_and_check(&s, ZE_LEVELS, size);
        assert_int_equal(n.parts, s.parts);
        for (int32_t e = 0; e < n.edges; e++) {
            int32_t a = n.edge[e][0], b = n.edge[e][1];
            assert_int_equal(n.part[a] == n.part[b], s.part[name[a]] == s.part[name[b]]);
        }
        test_free(name);
        net_free(&s);
        net_free(&n);
    }
}

static void same_sizes(net n, ze_rule rule, int32_t size)
{
    int32_t *name = test_malloc((size_t)n.count * sizeof *name);
    net s = scrambled(&n, name);
    cut_and_check(&n, rule, size);
    cut_and_check(&s, rule, size);
    assert_int_equal(n.parts, s.parts);
    int32_t *a = count_sizes(&n), *b = count_sizes(&s);
    qsort(a, (size_t)n.parts, sizeof *a, by_value);
    qsort(b, (size_t)n.parts, sizeof *b, by_value);
    assert_memory_equal(a, b, (size_t)n.parts * sizeof *a);
    test_free(a);
    test_free(b);
    test_free(name);
    net_free(&s);
    net_free(&n);
}

static void other_numbers_give_the_same_sizes(void **unused)
{
    (void)unused;
    for (int k = 0; k < 8; k++) {
        for (ze_rule rule = ZE_LEVELS; rule <= ZE_CARVED; rule++) {
            same_sizes(chain(500), rule, tried[k]);
            same_sizes(ring(500), rule, tried[k]);
            same_sizes(comb(100, 4), rule, tried[k]);
            same_sizes(tree(511, 2), rule, tried[k]);
            same_sizes(copies_of_rings(30, 20), rule, tried[k]);
        }
        same_sizes(ladder(200, false), ZE_LEVELS, tried[k]);
        same_sizes(ladder(200, true), ZE_LEVELS, tried[k]);
    }
}

/* Large graphs with far neighbours are cut in another order. */
static void large_and_scattered(void **unused)
{
    (void)unused;
    expect(chain(80000), (expected){ZE_LEVELS, 32, 2500, 2500, 32, 1});
    expect(chain(80000), (expected){ZE_CARVED, 32, 2500, 2500, 32, 1});
    expect(tree(131071, 2), (expected){ZE_LEVELS, 15, 8739, 8738, 15, 0});
    expect(copies_of_rings(12000, 6), (expected){ZE_LEVELS, 6, 12000, 12000, 6, 0});
}

/* ------------------------------------------------------------------------ the rest */

static void nothing_to_cut(void **unused)
{
    (void)unused;
    net n = chain(5), none = finish((net){0});
    for (ze_rule rule = ZE_DECLARED; rule < ZE_RULE_COUNT; rule++) {
        run(&n, rule, 0);
        assert_int_equal(n.parts, 0);
        run(&none, rule, 4);
        assert_int_equal(none.parts, 0);
    }
    net_free(&n);
    net_free(&none);
}

static void rules_have_names(void **unused)
{
    (void)unused;
    assert_string_equal(ze_rule_name(ZE_DECLARED), "declared");
    assert_string_equal(ze_rule_name(ZE_LEVELS), "levels");
    assert_string_equal(ze_rule_name(ZE_CARVED), "carved");
    assert_string_equal(ze_rule_name(ZE_COMPONENTS), "components");
    assert_null(ze_rule_name(ZE_RULE_COUNT));
}

/* Returns the number of requests of a cut. */
static int64_t fail_every_allocation(net n, ze_rule rule)
{
    ze_graph g = {.count = n.count, .start = n.start, .next = n.next};
    int64_t k = 0;
    for (bool refused = true; refused;) {
        counting c;
        zb_memory memory;
        counting_init(&c, &memory);
        c.refuse_at = ++k;
        zw_status status = ze_partition(&memory, &g, rule, n.count, n.part, &n.parts);
        refused = c.refused > 0;
        assert_int_equal(status, refused ? ZW_ERR_MEMORY : ZW_OK);
        assert_int_equal(n.parts > 0, !refused);
        assert_nothing_held(&c, &memory);
    }
    net_free(&n);
    return k - 1;
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    for (ze_rule rule = ZE_LEVELS; rule < ZE_RULE_COUNT; rule++)
        assert_true(fail_every_allocation(ladder(500, false), rule) > 1);
    net n = chain(66000);
    int32_t *name = test_malloc((size_t)n.count * sizeof *name);
    int64_t in_order = fail_every_allocation(scrambled(&n, name), ZE_COMPONENTS);
    assert_true(fail_every_allocation(scrambled(&n, name), ZE_LEVELS) > in_order);
    test_free(name);
    net_free(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vertex_is_in_one_connected_part),
        cmocka_unit_test(chains_and_loops),
        cmocka_unit_test(bands),
        cmocka_unit_test(trees),
        cmocka_unit_test(components),
        cmocka_unit_test(parts_come_by_first_vertex),
        cmocka_unit_test(classes_come_by_first_vertex),
        cmocka_unit_test(declared),
        cmocka_unit_test(other_numbers_give_the_same_parts),
        cmocka_unit_test(other_numbers_give_the_same_sizes),
        cmocka_unit_test(large_and_scattered),
        cmocka_unit_test(nothing_to_cut),
        cmocka_unit_test(rules_have_names),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
