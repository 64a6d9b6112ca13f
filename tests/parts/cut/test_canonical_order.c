/*
 * Graphs and their shapes. The same graph in any numbering has one shape, and the orders take one
 * into the other. Graphs that differ in an edge, a label, a direction or a colour do not. How many
 * different graphs there are of a few vertices is known from the literature: all of them are asked
 * for, and the shapes counted.
 */
#include "colour_graphs.h"

static void random_graphs_in_any_numbering(void **state)
{
    (void)state;
    seed = 1;
    for (int round = 0; round < 60; round++) {
        bench *b = bench_new();
        ze_colour_graph f = random_graph(1 + below(60), below(120), 1 + below(4), 1 + below(3));
        assert_int_equal(expect_one_shape(b, &f, 5), 0);
        assert_int_equal(ze_shape_set_count(b->set), 1);
        graph_free(&f);
        bench_free(b);
    }
}

/* A label, a colour, an edge less, a vertex more: each changes a sum or a number that no
 * renumbering does. */
static void changed_graphs_are_told_apart(void **state)
{
    (void)state;
    seed = 2;
    for (int round = 0; round < 30; round++) {
        bench *b = bench_new();
        ze_colour_graph f = random_graph(3 + below(40), 100, 3, 3);
        int32_t e = below(f.edges), v = below(f.vertices), shape = expect_one_shape(b, &f, 1);
        ze_edge kept = f.edge[e];

        f.edge[e].label += 5;
        assert_int_equal(expect_one_shape(b, &f, 1), shape + 1);
        f.edge[e] = kept;
        f.colour[v] += 1;
        assert_int_equal(expect_one_shape(b, &f, 1), shape + 2);
        f.colour[v] -= 1;
        f.edges--;
        assert_int_equal(expect_one_shape(b, &f, 1), shape + 3);
        f.edges++;
        f.vertices++;
        f.colour[f.vertices - 1] = 0;
        assert_int_equal(expect_one_shape(b, &f, 1), shape + 4);
        f.vertices--;
        assert_int_equal(expect_one_shape(b, &f, 1), shape);
        graph_free(&f);
        bench_free(b);
    }
}

/* a -> b -> c is not a -> b <- c, nor a <- b -> c. */
static void directions_and_ends_matter(void **state)
{
    (void)state;
    bench *b = bench_new();
    ze_colour_graph f = graph_new(3);
    add(&f, 0, 1, 4);
    add(&f, 1, 2, 4);
    assert_int_equal(expect_one_shape(b, &f, 5), 0);
    f.edge[1] = (ze_edge){2, 1, 4};
    assert_int_equal(expect_one_shape(b, &f, 5), 1);
    f.edge[0] = (ze_edge){1, 0, 4};
    f.edge[1] = (ze_edge){1, 2, 4};
    assert_int_equal(expect_one_shape(b, &f, 5), 2);
    f.edge[1] = (ze_edge){1, 1, 4}; /* an edge from a vertex to itself */
    assert_int_equal(expect_one_shape(b, &f, 5), 3);
    f.edge[1] = (ze_edge){1, 0, 5}; /* two between the same ends */
    assert_int_equal(expect_one_shape(b, &f, 5), 4);
    f.edge[1] = (ze_edge){0, 1, 5};
    assert_int_equal(expect_one_shape(b, &f, 5), 5);
    graph_free(&f);
    bench_free(b);
}

/* Without edges only the colours are left: {0, 0, 1} is not {0, 1, 1}. */
static void colours_alone(void **state)
{
    (void)state;
    bench *b = bench_new();
    ze_colour_graph f = graph_new(3);
    f.colour[2] = 1;
    assert_int_equal(expect_one_shape(b, &f, 3), 0);
    f.colour[0] = 1;
    assert_int_equal(expect_one_shape(b, &f, 3), 1);
    f.colour[0] = INT32_MAX;
    assert_int_equal(expect_one_shape(b, &f, 3), 2);
    graph_free(&f);
    bench_free(b);
}

/* ------------------------------------------------------------------- all small graphs */

/* Shapes among all graphs of n vertices; `directed`: all of edges in one direction or both. */
static int32_t count_graphs(int32_t n, bool directed)
{
    bench *b = bench_new();
    ze_colour_graph f = graph_new(n);
    int32_t pairs = n * (n - 1) / (directed ? 1 : 2);
    for (int32_t bits = 0; bits < 1 << pairs; bits++) {
        f.edges = 0;
        for (int32_t i = 0, k = 0; i < n; i++) {
            for (int32_t j = 0; j < (directed ? n : i); j++) {
                if (i == j) continue;
                if (bits >> k++ & 1) add(&f, i, j, 0);
                if (!directed && bits >> (k - 1) & 1) add(&f, j, i, 0);
            }
        }
        find(b, &f, b->order);
    }
    int32_t count = ze_shape_set_count(b->set);
    graph_free(&f);
    bench_free(b);
    return count;
}

/* Sequences A000088 and A000273 of the encyclopedia of integer sequences. */
static void as_many_shapes_as_graphs(void **state)
{
    (void)state;
    static const int32_t graphs[] = {1, 1, 2, 4, 11, 34, 156}, digraphs[] = {1, 1, 3, 16, 218};
    for (int32_t n = 0; n < 7; n++) assert_int_equal(count_graphs(n, false), graphs[n]);
    for (int32_t n = 0; n < 5; n++) assert_int_equal(count_graphs(n, true), digraphs[n]);
}

/* ------------------------------------------------------------------------- symmetries */

static void symmetric_graphs(void **state)
{
    (void)state;
    static const fill_fn fills[] = {chain, ring, ladder, tree, star, complete, torus, pieces};
    seed = 3;
    bench *b = bench_new();
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++) {
        for (int32_t n = 9; n <= 150; n = n * 5 / 2) {
            ze_colour_graph f = graph_new(n);
            fills[k](&f, n);
            int32_t count = ze_shape_set_count(b->set);
            assert_int_equal(expect_one_shape(b, &f, 6), count);
            for (int32_t v = 0; v < n; v++) f.colour[v] = v % 3; /* less of it */
            assert_int_equal(expect_one_shape(b, &f, 6), count + 1);
            graph_free(&f);
        }
    }
    bench_free(b);
}

/* Here the members of a cell differ, and the choice among them decides. */
static void cells_without_symmetry(void **state)
{
    (void)state;
    seed = 4;
    bench *b = bench_new();
    ze_colour_graph f = graph_new(12);
    rings(&f, 12);
    assert_int_equal(expect_one_shape(b, &f, 40), 0);
    f.edges = 0;
    ring(&f, 12);
    assert_int_equal(expect_one_shape(b, &f, 10), 1);
    graph_free(&f);
    bench_free(b);
}

/* Three edges at each of n vertices, drawn at random; false when two are the same, or a loop. */
static bool draw_cubic(ze_colour_graph *f)
{
    int32_t end[24], count = 3 * f->vertices;
    shuffle(end, count);
    f->edges = 0;
    for (int32_t i = 0; i < count; i += 2) {
        ze_edge e = {end[i] / 3, end[i + 1] / 3, 0};
        if (e.from == e.to || has_edge(f, e)) return false;
        both(f, e.from, e.to);
    }
    return true;
}

/* Refinement alone tells nothing in graphs with three edges at every vertex. Sequence A005638:
 * there are 1, 2 and 6 of them with 4, 6 and 8 vertices. */
static void cubic_graphs(void **state)
{
    (void)state;
    static const int32_t known[] = {1, 2, 6};
    seed = 9;
    for (int32_t k = 0; k < 3; k++) {
        bench *b = bench_new();
        ze_colour_graph f = graph_new(4 + 2 * k);
        for (int i = 0; i < 20000; i++)
            if (draw_cubic(&f)) find(b, &f, b->order);
        assert_int_equal(ze_shape_set_count(b->set), known[k]);
        graph_free(&f);
        bench_free(b);
    }
}

/* As large as graphs may be, and larger. */
static void large_graphs(void **state)
{
    (void)state;
    static const fill_fn fills[] = {chain, ring, tree, star, pieces};
    seed = 5;
    bench *b = bench_new();
    ze_colour_graph f = graph_new(ze_most_vertices);
    for (size_t k = 0; k < sizeof fills / sizeof *fills; k++) {
        f.edges = 0;
        fills[k](&f, f.vertices);
        assert_int_equal(expect_one_shape(b, &f, 1), k);
    }
    f.vertices++;
    int32_t shape = 5;
    assert_int_equal(ze_shape_set_find(b->set, &f, &shape, b->order), ZW_OK);
    assert_int_equal(shape, -1);
    graph_free(&f);
    bench_free(b);
}

static void an_empty_graph(void **state)
{
    (void)state;
    bench *b = bench_new();
    ze_colour_graph nothing = {0};
    int32_t shape = -1;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ze_shape_set_find(b->set, &nothing, &shape, NULL), ZW_OK);
        assert_int_equal(shape, 0);
    }
    ze_colour_graph one = graph_new(1);
    assert_int_equal(expect_one_shape(b, &one, 1), 1);
    assert_int_equal(ze_shape_set_count(b->set), 2);
    graph_free(&one);
    bench_free(b);
    ze_shape_set_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_in_any_numbering),
        cmocka_unit_test(changed_graphs_are_told_apart),
        cmocka_unit_test(directions_and_ends_matter),
        cmocka_unit_test(colours_alone),
        cmocka_unit_test(as_many_shapes_as_graphs),
        cmocka_unit_test(symmetric_graphs),
        cmocka_unit_test(cells_without_symmetry),
        cmocka_unit_test(cubic_graphs),
        cmocka_unit_test(large_graphs),
        cmocka_unit_test(an_empty_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
