/*
 * Pictures: that distances are found among rows of every formula and places among names of every
 * sort, on models made at random; that what only looks like them is not; that the shapes of draw
 * statements have the numbers they say; and memory that runs out.
 *
 * What the scene says is evaluated here, from its JSON and the columns at a random state, and
 * compared with the points that the generator has made.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_look.h"
#include "track.h"

enum { most_points = 6, most_lines = 12, most_text = 8000 };

/* A small generator of its own: the same models everywhere. */
static uint64_t seed;
static uint32_t draw_bits(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}
static int choose(int count)
{
    return (int)(draw_bits() % (uint32_t)count);
}
static double draw_number(void)
{
    return (double)draw_bits() / 2147483648.0 - 1.0;
}

/* ----------------------------------------------------------------------- models */

/* Two ends of a line: points, or (b -1) the place c. */
typedef struct line {
    int a, b;
    double c[3];
} line;

typedef struct sample {
    char text[most_text];
    size_t length;
    int points, size, naming;
    int first[most_points], step; /* coordinates of a point: first + step * k */
    line lines[most_lines];
    int line_count;
} sample;

static void add(sample *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(sample *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(s->text + s->length, sizeof s->text - s->length, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && s->length + (size_t)length < sizeof s->text);
    s->length += (size_t)length;
}

/* Point k as an expression. */
static void add_point(sample *s, int k)
{
    static const char letters[] = "xyz";
    if (s->naming == 2) {
        add(s, "r%d", k + 1);
        return;
    }
    if (s->naming == 3) {
        add(s, "p[%d]", k + 1);
        return;
    }
    for (int j = 0; j < s->size; j++)
        add(s, s->naming == 0 ? "%s%c%d" : "%s%c[%d]", j == 0 ? "[" : ", ", letters[j], k + 1);
    add(s, "]");
}

/* The coordinates, under names of one of four sorts, and the same mass in all directions. */
static void add_coordinates(sample *s)
{
    static const char letters[] = "xyz";
    int n = s->points, d = s->size;
    for (int k = 0; k < n; k++) s->first[k] = s->naming == 1 ? k : d * k;
    s->step = s->naming == 1 ? n : 1;
    if (s->naming == 0)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < d; j++) add(s, "coord %c%d\n", letters[j], k + 1);
    if (s->naming == 1)
        for (int j = 0; j < d; j++) add(s, "coord %c[%d]\n", letters[j], n);
    if (s->naming == 2)
        for (int k = 0; k < n; k++) add(s, "coord r%d[%d]\n", k + 1, d);
    if (s->naming == 3) add(s, "coord p[%d, %d]\n", n, d);
    for (int k = 0; k < n; k++) {
        add(s, "let P%d = ", k + 1);
        add_point(s, k);
        add(s, "\nlet V%d = P%d'\nkinetic %.3f*dot(V%d, V%d)/2\n", k + 1, k + 1,
            1.0 + 0.5 * draw_number(), k + 1, k + 1);
    }
}

/* A row that keeps the distance of e from 0, by one of five formulas. */
static void add_distance(sample *s, const char *e)
{
    double l = 1.5 + draw_number();
    int k = choose(5);
    add(s, "constraint c%d: ", s->line_count);
    if (k == 3)
        add(s, "%.3f - sqrt(dot(%s, %s)) = 0\n", l, e, e);
    else if (k == 0)
        add(s, "dot(%s, %s) = %.3f\n", e, e, l);
    else if (k == 1)
        add(s, "norm(%s) = %.3f\n", e, l);
    else if (k == 2)
        add(s, "dot(%s, %s)/(2*%.3f) = 0.7\n", e, e, l);
    else
        add(s, "log(1 + dot(%s, %s)) = %.3f\n", e, e, l);
}

/* Distances between points and to the ground, each once. */
static void add_lines(sample *s)
{
    char e[200];
    for (int k = 1; k < s->points; k++) {
        int a = choose(k);
        (void)snprintf(e, sizeof e, "P%d - P%d", a + 1, k + 1);
        s->lines[s->line_count] = (line){.a = a, .b = k};
        add_distance(s, e);
        s->line_count++;
    }
    line ground = {.a = choose(s->points), .b = -1};
    for (int j = 0; j < s->size; j++) ground.c[j] = round(100 * draw_number()) / 100;
    size_t length = (size_t)snprintf(e, sizeof e, "P%d - [", ground.a + 1);
    for (int j = 0; j < s->size; j++)
        length += (size_t)snprintf(e + length, sizeof e - length, "%s%.2f", j > 0 ? ", " : "",
                                   ground.c[j]);
    (void)snprintf(e + length, sizeof e - length, "]");
    s->lines[s->line_count] = ground;
    add_distance(s, e);
    s->line_count++;
}

/* Rows that keep no distance: a plane, an ellipse, a product, three points, a rate. */
static void add_others(sample *s)
{
    int a = choose(s->points) + 1, b = a == 1 ? s->points : 1;
    switch (choose(5)) {
    case 0:
        add(s, "constraint other: P%d[1] = 0.3\n", a);
        break;
    case 1:
        add(s, "constraint other: P%d[1]^2 + 2*P%d[2]^2 = 1\n", a, a);
        break;
    case 2:
        add(s, "constraint other: dot(P%d, P%d) = 0.5\n", a, b == a ? a : b);
        if (a == b) s->lines[s->line_count++] = (line){.a = a - 1, .b = -1};
        break;
    case 3:
        add(s, "constraint other: dot(P%d + P%d, P%d + P%d) = 2\n", a, b, a, b);
        if (a == b) s->lines[s->line_count++] = (line){.a = a - 1, .b = -1};
        break;
    default:
        add(s, "constraint other: V%d[1] = P%d[2]\n", a, a);
        break;
    }
}

static void make_sample(sample *s, uint64_t number)
{
    seed = number;
    *s = (sample){.points = 2 + choose(most_points - 1), .size = 2 + choose(2)};
    s->naming = choose(4);
    add_coordinates(s);
    add_lines(s);
    add_others(s);
}

/* ------------------------------------------------------------------------ scenes */

static void place_of(const sample *s, const bench *b, int point, double *x)
{
    for (int j = 0; j < s->size; j++) x[j] = b->q[s->first[point] + s->step * j];
}

/* How many shapes of a kind there are, and how many of the lines have these ends. */
static int count_kind(const seen *s, const char *kind)
{
    const json_t *shapes = json_object_get(json_object_get(s->tree, "scene"), "shapes");
    int count = 0;
    for (size_t k = 0; k < json_array_size(shapes); k++)
        count += strcmp(json_string_value(json_object_get(json_array_get(shapes, k), "kind")),
                        kind) == 0;
    return count;
}

static bool has_line(const seen *s, const double *x, const double *y, int size)
{
    const json_t *shapes = json_object_get(json_object_get(s->tree, "scene"), "shapes");
    for (size_t k = 0; k < json_array_size(shapes); k++) {
        const json_t *shape = json_array_get(shapes, k), *p = json_object_get(shape, "p");
        if (strcmp(json_string_value(json_object_get(shape, "kind")), "line") != 0) continue;
        const json_t *a = json_array_get(p, 0), *b = json_array_get(p, 1);
        if ((is_at(s, a, x, size) && is_at(s, b, y, size)) ||
            (is_at(s, a, y, size) && is_at(s, b, x, size)))
            return true;
    }
    return false;
}

/* All lines of the generator, and no others; a mark at every point and every place of the ground. */
static void check_sample(uint64_t number)
{
    sample s;
    bench b;
    seen scene;
    int fixed = 0;
    make_sample(&s, number);
    bench_open(&b, s.text);
    for (int k = 0; k < b.n; k++) b.q[k] = draw_number();
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, b.q, b.v), ZW_OK);
    look(&b, "drawn", &scene);
    for (int k = 0; k < s.line_count; k++) {
        double x[3], y[3];
        place_of(&s, &b, s.lines[k].a, x);
        if (s.lines[k].b >= 0)
            place_of(&s, &b, s.lines[k].b, y);
        else
            memcpy(y, s.lines[k].c, sizeof y);
        fixed += s.lines[k].b < 0;
        if (!has_line(&scene, x, y, s.size))
            fail_msg("sample %d has no line %d\n%s", (int)number, k, s.text);
    }
    if (count_kind(&scene, "line") != s.line_count)
        fail_msg("sample %d has %d lines, not %d\n%s", (int)number, count_kind(&scene, "line"),
                 s.line_count, s.text);
    assert_int_equal(count_kind(&scene, "point"), s.points + fixed);
    assert_int_equal(json_array_size(json_object_get(scene.tree, "forces")), s.points);
    forget(&scene);
    bench_close(&b);
}

static void distances_are_found(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 300; k++) check_sample(k);
}

/* ------------------------------------------------------------------ what is no place */

static void check_nothing(const char *text)
{
    bench b;
    seen scene;
    bench_open(&b, text);
    look(&b, "draw", &scene);
    assert_true(json_is_null(json_object_get(scene.tree, "scene")));
    assert_int_equal(json_array_size(json_object_get(scene.tree, "forces")), 0);
    forget(&scene);
    bench_close(&b);
}

static void other_coordinates_are_no_places(void **state)
{
    (void)state;
    check_nothing("coord x, y\nkinetic x'^2/2 + y'^2\n");           /* two masses */
    check_nothing("coord x, y\nkinetic (x'^2 + x'*y' + y'^2)/2\n"); /* coupled */
    check_nothing("coord x, y\nkinetic (x'^2 + x^2*y'^2)/2\n");     /* polar */
    check_nothing("coord a, b\nkinetic (a'^2 + b'^2)/2\n");         /* other names */
    check_nothing("coord r[4]\nkinetic dot(r', r')/2\n");           /* four numbers */
    check_nothing("coord x[2], z[2]\nkinetic x[1]'^2 + 2*x[2]'^2 + z[1]'^2 + 3*z[2]'^2\n");
}

/* A model that draws x and y elsewhere: forces are not put where they are not. */
static void forces_stand_where_it_is_drawn(void **state)
{
    static const char model[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x + y = 1\n";
    static const struct {
        const char *draw;
        size_t forces;
    } cases[] = {{"draw ball([x, 0], 0.1)\ndraw ball([y, 1], 0.1)\n", 0},
                 {"draw line([0, 0], [x, y])\n", 1},
                 {"draw point([x, y, 0])\n", 1},
                 {"draw point([y, x])\n", 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[300];
        bench b;
        seen scene;
        (void)snprintf(text, sizeof text, "%s%s", model, cases[k].draw);
        bench_open(&b, text);
        look(&b, "drawn", &scene);
        assert_int_equal(json_array_size(json_object_get(scene.tree, "forces")), cases[k].forces);
        forget(&scene);
        bench_close(&b);
    }
}

/* -------------------------------------------------------------------- statements */

static const char shapes[] = "param l = 2\n"
                             "coord r[3], x\n"
                             "kinetic (dot(r', r') + x'^2)/2\n"
                             "constraint hold: x = l\n"
                             "let R = [[1, 0, 0], [0, cos(x), -sin(x)], [0, sin(x), cos(x)]]\n"
                             "component Skin(a) { let support(n) = a*n }\n"
                             "part skin = Skin(l)\n"
                             "draw cylinder(r, [l, 0, x], l/4)\n"
                             "draw box(r, R, [1, l, x]), color = red, width = 3\n"
                             "draw surface(r, R, skin)\n"
                             "draw arrow(r, [0, 0, multiplier(hold)]), color = \"#abc\"\n"
                             "draw text([x, 0, 0], \"here\")\n";

/* Every number of every shape, by its column and by the scene. */
static void shapes_have_their_numbers(void **state)
{
    (void)state;
    bench b;
    seen s;
    bench_open(&b, shapes);
    const double q[4] = {0.1, 0.2, 0.3, 0.4}, v[4] = {0};
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, v), ZW_OK);
    look(&b, "draw, drawn", &s);
    const json_t *scene = json_object_get(s.tree, "scene"),
                 *list = json_object_get(scene, "shapes");
    assert_int_equal(json_array_size(list), 5);
    const json_t *tube = json_array_get(list, 0), *box = json_array_get(list, 1);
    bench_near(number_of(&s, json_object_get(tube, "radius")), 0.5, 0);
    assert_true(json_is_number(json_object_get(tube, "radius"))); /* parameters only */
    assert_true(is_at(&s, json_object_get(tube, "p"), q, 3));
    assert_true(is_at(&s, json_object_get(tube, "q"), (double[]){2, 0, 0.4}, 3));
    const json_t *R = json_object_get(box, "R"), *sizes = json_object_get(box, "sizes");
    bench_near(number_of(&s, json_array_get(R, 7)), sin(0.4), 1e-15);
    bench_near(number_of(&s, json_array_get(R, 5)), -sin(0.4), 1e-15);
    assert_true(is_at(&s, sizes, (double[]){1, 2, 0.4}, 3));
    assert_string_equal(json_string_value(json_object_get(box, "color")), "red");
    const json_t *map = json_object_get(json_array_get(list, 2), "map");
    assert_int_equal(json_array_size(map), 72);
    for (size_t k = 0; k < 72; k++) {
        double sum = 0;
        for (size_t j = 0; j < 3; j++)
            sum += pow(json_number_value(json_array_get(json_array_get(map, k), j)), 2);
        bench_near(sum, 4.0, 1e-14);
    }
    const json_t *arrow = json_array_get(list, 3);
    bench_near(number_of(&s, json_array_get(json_object_get(arrow, "v"), 2)), 0.0, 1e-15);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 4), "text")),
                        "here");
    bench_near(s.row[1], 0.1, 0); /* draw[1,1,1] */
    forget(&s);
    bench_close(&b);
}

/* draw[3,1,2] is read back as itself. */
static void names_are_read_back(void **state)
{
    (void)state;
    bench b;
    zw_columns *all, *one;
    bench_open(&b, shapes);
    assert_int_equal(zw_columns_create(b.model, "draw", &all), ZW_OK);
    for (int32_t k = 1; k < zw_columns_count(all); k++) {
        char name[64], again[64];
        (void)zw_columns_name(all, k, name, sizeof name);
        assert_int_equal(zw_columns_create(b.model, name, &one), ZW_OK);
        assert_int_equal(zw_columns_count(one), 2);
        (void)zw_columns_name(one, 1, again, sizeof again);
        assert_string_equal(name, again);
        assert_string_equal(zw_columns_kind(one, 1), "drawing");
        zw_columns_free(one);
    }
    zw_columns_free(all);
    bench_close(&b);
}

/* ------------------------------------------------------------------------ memory */

static zw_status draw_whole(zw_context *context, const char *text)
{
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_columns *columns = NULL;
    size_t written = 0;
    zw_model_source source = {.file = "m", .text = text, .length = strlen(text)};
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_columns_create(model, "all, draw, drawn", &columns);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_scene(sim, columns, swallow, &written);
    zw_sim_free(sim);
    zw_columns_free(columns);
    zw_model_free(model);
    return status;
}

/* Contacts whose places are said, found and not to be found. */
static const char touching[] = "use planar\npart b = Body(1, 1, at = [0, 1])\n"
                               "part c = Corner(b, corner_a = [1, -1], mu = 0.5)\n"
                               "coord x, y, a\nkinetic (x'^2 + y'^2 + a'^2)/2\n"
                               "constraint ground: y >= 0\nfriction ground: 0.3 along x\n"
                               "constraint other: sin(a) >= 0\ndraw point([x, y])\n";

static void every_request_may_fail(void **state)
{
    (void)state;
    sample s;
    make_sample(&s, 7);
    const char *const texts[] = {shapes, s.text, touching};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        for (size_t fail_at = 0, all = 0; fail_at <= all; fail_at++) {
            counter c = {.fail_at = fail_at};
            zw_context *context = NULL;
            zw_allocator allocator = {.resize = count_resize, .user = &c};
            zw_status status = zw_context_create(&allocator, &context);
            if (status == ZW_OK) status = draw_whole(context, texts[k]);
            zw_context_free(context);
            assert_int_equal(c.bytes, 0);
            if (fail_at == 0) {
                assert_int_equal(status, ZW_OK);
                all = c.requests;
            } else {
                if (status != ZW_ERR_MEMORY)
                    fail_msg("text %d, request %d of %d: %s", (int)k, (int)fail_at, (int)all,
                             zw_status_name(status));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_found),
        cmocka_unit_test(other_coordinates_are_no_places),
        cmocka_unit_test(forces_stand_where_it_is_drawn),
        cmocka_unit_test(shapes_have_their_numbers),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(every_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
