/*
 * Where contacts are seen: bodies made at random in the plane and in space, drawn in all the ways that
 * there are, with contacts whose places the generator knows. What the scene says of them, from its JSON
 * and the columns at a state, must be there; forces across and along are what Newton's law asks for; and
 * where nothing tells the place there is none.
 */
#include <string.h>

#include "scene_look.h"

enum { most_text = 4000 };

static uint64_t seed;
static double draw_number(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(uint32_t)(seed >> 33) / 2147483648.0 - 1.0;
}

static const json_t *contact_of(const seen *s, size_t k)
{
    const json_t *c = json_array_get(json_object_get(s->tree, "contacts"), k);
    assert_non_null(c);
    return c;
}

/* Member of a contact as a vector. */
static void expect_vector(const seen *s, size_t k, const char *name, int size, const double *x)
{
    const json_t *list = json_object_get(contact_of(s, k), name);
    if (json_array_size(list) != (size_t)size) fail_msg("contact %d has no %s", (int)k, name);
    for (int j = 0; j < size; j++)
        bench_near(number_of(s, json_array_get(list, (size_t)j)), x[j], 1e-9);
}

static double member_of(const seen *s, size_t k, const char *name)
{
    return number_of(s, json_object_get(contact_of(s, k), name));
}

static void open_look(bench *b, const char *text, seen *s)
{
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    look(b, "drawn", s);
}

static void close_look(bench *b, seen *s)
{
    forget(s);
    bench_close(b);
}

/* ------------------------------------------------------------------ bodies at random */

/* A block on one of its corners, on a floor or a wall, in coordinates of any name, drawn as a polygon, by
 * lines, as a box, or with other points that must not be taken for it. It sticks to the floor by
 * friction. */
static void check_corner(uint64_t number)
{
    static const char *const drawings[] = {
        "draw polygon(P(-1,-1), P(1,-1), P(1,1), P(-1,1))\n",
        "draw line(P(1,1), P(1,-1), P(-1,-1))\ndraw point([u, w])\n",
        "draw box([u, w], s, 2*[b, h])\n",
        "draw trail([u, w])\ndraw box([u, w], s, 2*[b, h])\ndraw ball([u, w], 0.01)\n",
    };
    char text[most_text];
    bench bench_of;
    seen scene;
    seed = number;
    double b = 0.3 + 0.2 * draw_number(), h = 0.3 + 0.2 * draw_number(), s = 0.2 * draw_number();
    double side = s > 0 ? -1.0 : 1.0, low = 0.5 * draw_number();
    (void)snprintf(
        text, sizeof text,
        "coord s, w, u\nparam b = %.17g, h = %.17g\n"
        "let P(i, j) = [u + i*b*cos(s) - j*h*sin(s), w + i*b*sin(s) + j*h*cos(s)]\n"
        "kinetic (u'^2 + w'^2)/2 + (b^2 + h^2)/6*s'^2\npotential 9.81*w\n"
        "constraint left: P(-1, -1)[2] >= %.17g\nconstraint right: P(1, -1)[2] >= %.17g\n"
        "friction left, right: 5 along [P(-1, -1)[1], P(1, -1)[1]][%d]\n"
        "start s = %.17g, u = 0.1, w = %.17g\n%s",
        b, h, low, low, side < 0 ? 1 : 2, s, low - (side * b * sin(s) - h * cos(s)),
        drawings[number % 4]);
    open_look(&bench_of, text, &scene);
    double x = 0.1 + side * b * cos(s) + h * sin(s), place[2] = {x, low};
    size_t k = side < 0 ? 0 : 1;
    expect_vector(&scene, k, "p", 2, place);
    /* about the corner: J' s'' = 9.81 * arm, and the corner does not move */
    double arm = 0.1 - x, up = bench_of.q[1] - low, J = 4.0 / 3.0 * (b * b + h * h);
    double turn = -9.81 * arm / J, N[2] = {0, 9.81 + arm * turn}, F[2] = {-up * turn, 0};
    expect_vector(&scene, k, "n", 2, N);
    expect_vector(&scene, k, "f", 2, F);
    bench_near(member_of(&scene, k, "slope"), 5.0, 1e-9);
    bench_near(member_of(&scene, k, "state"), 2.0, 0.0);
    bench_near(member_of(&scene, 1 - k, "state"), 0.0, 0.0);
    close_look(&bench_of, &scene);
}

static void corners_are_found(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 40; k++) check_corner(k);
}

/* A ball in space on a slope: where the normal meets it; friction in two directions. */
static void balls_touch_on_their_surface(void **state)
{
    (void)state;
    bench b;
    seen scene;
    open_look(&b,
              "coord r[3]\nkinetic dot(r', r')\npotential 2*9.81*r[3]\n"
              "constraint slope: dot([0.6, 0, 0.8], r) >= 0.5\n"
              "friction slope: 0.9 along [0.8*r'[1] - 0.6*r'[3], r'[2]]\n"
              "start r = [0.3, 0, 0.4]\ndraw ball(r, 0.5)\ndraw trail(r)\n",
              &scene);
    const double place[3] = {0}, N[3] = {2 * 9.81 * 0.8 * 0.6, 0, 2 * 9.81 * 0.8 * 0.8},
                 F[3] = {-2 * 9.81 * 0.6 * 0.8, 0, 2 * 9.81 * 0.6 * 0.6};
    expect_vector(&scene, 0, "p", 3, place);
    expect_vector(&scene, 0, "n", 3, N);
    expect_vector(&scene, 0, "f", 3, F);
    bench_near(member_of(&scene, 0, "slope"), 0.9, 1e-12);
    bench_near(member_of(&scene, 0, "state"), 2.0, 0.0);
    close_look(&b, &scene);
}

/* Two balls push each other; a rope pulls; a block that does not turn stands on the middle of its
 * lower side. */
static void pairs_and_sides_are_found(void **state)
{
    (void)state;
    static const double touch[2] = {0.5, 0}, end[2] = {0, -2}, pull[2] = {0, 2 * 9.81},
                        middle[2] = {3, 0};
    bench b;
    seen scene;
    open_look(
        &b,
        "coord p[2], q[2], c[2], x, y\nkinetic (dot(p', p') + dot(q', q') + x'^2 + y'^2)/2 + "
        "dot(c', c')\n"
        "potential 2*9.81*c[2] + 9.81*y - p[1] + q[1]\n"
        "constraint balls: norm(p - q) >= 1\nconstraint rope: norm(c) <= 2\nconstraint side: y >= "
        "0.5\n"
        "start p = [0, 0], q = [1, 0], c = [0, -2], x = 3, y = 0.5\n"
        "draw ball(p, 0.5)\ndraw ball(q, 0.5)\ndraw line([0, 0], c)\n"
        "draw polygon([x - 1, y - 0.5], [x + 1, y - 0.5], [x + 1, y + 0.5], [x - 1, y + 0.5])\n",
        &scene);
    expect_vector(&scene, 0, "p", 2, touch);
    bench_near(
        fabs(number_of(&scene, json_array_get(json_object_get(contact_of(&scene, 0), "n"), 0))),
        1.0, 1e-9);
    expect_vector(&scene, 1, "p", 2, end);
    expect_vector(&scene, 1, "n", 2, pull);
    expect_vector(&scene, 2, "p", 2, middle);
    close_look(&b, &scene);
}

/* What lies on something is pushed up, whichever was named first. */
static void what_lies_is_pushed_up(void **state)
{
    (void)state;
    static const char *const rows[] = {"y - x >= 1", "x - y <= -1"};
    static const double place[2] = {0, 0.5}, up[2] = {0, 9.81};
    for (int k = 0; k < 2; k++) {
        char text[most_text];
        bench b;
        seen scene;
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                       "constraint low: x >= 0\nconstraint pile: %s\nstart y = 1\n"
                       "draw ball([0, x], 0.5)\ndraw ball([0, y], 0.5)\n",
                       rows[k]);
        open_look(&b, text, &scene);
        expect_vector(&scene, 1, "p", 2, place);
        expect_vector(&scene, 1, "n", 2, up);
        close_look(&b, &scene);
    }
}

/* ---------------------------------------------------------------- what says its place */

/* Contacts of modules, whatever the model draws; and what a model says itself. */
static void places_that_are_said(void **state)
{
    (void)state;
    static const char *const draws[] = {"", "draw point([0, 5])\n"};
    static const double place[2] = {1, 0}, N[2] = {0, 9.81}, end[2] = {0, 0}, up[2] = {0, 3};
    for (int k = 0; k < 2; k++) {
        char text[most_text];
        bench b;
        seen scene;
        (void)snprintf(text, sizeof text,
                       "use planar\npart b = Body(1, 1, at = [1, 1], gravity = [0, -9.81])\n"
                       "part c = Corner(b, corner_a = [0, -1], mu = 0.5)\n"
                       "coord a\nkinetic a'^2/2\npotential 3*a\nconstraint ground: a >= 0\n"
                       "draw contact(ground, [a, 0], [0, 1])\n%s",
                       draws[k]);
        open_look(&b, text, &scene);
        assert_string_equal(json_string_value(json_object_get(contact_of(&scene, 0), "name")),
                            "c.touch.touch");
        expect_vector(&scene, 0, "p", 2, place);
        expect_vector(&scene, 0, "n", 2, N);
        bench_near(member_of(&scene, 0, "slope"), 0.5, 1e-12);
        expect_vector(&scene, 1, "p", 2, end);
        expect_vector(&scene, 1, "n", 2, up);
        /* what says where contacts are is no drawing: parts draw themselves all the same */
        const json_t *of = json_object_get(scene.tree, "scene");
        assert_int_equal(json_is_true(json_object_get(of, "default")), k == 0);
        assert_int_equal(json_array_size(json_object_get(of, "shapes")) > 1, k == 0);
        close_look(&b, &scene);
    }
}

static void other_places_are_not_known(void **state)
{
    (void)state;
    static const char *const texts[] = {
        /* an angle shifts nothing */
        "coord a\nkinetic a'^2/2\nconstraint c: sin(a) >= 0\nstart a = 1\ndraw point([cos(a), "
        "sin(a)])\n",
        /* the point that touches is not drawn */
        "coord x, y, a\nkinetic (x'^2 + y'^2 + a'^2)/2\nconstraint c: y - cos(a) >= 0\nstart y = "
        "2\n"
        "draw point([x, y])\ndraw point([x + cos(a), y + sin(a)])\n",
        /* nothing is drawn */
        "coord a\nkinetic a'^2/2\nconstraint c: a >= 0\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        bench b;
        seen scene;
        open_look(&b, texts[k], &scene);
        assert_null(json_object_get(contact_of(&scene, 0), "p"));
        assert_null(json_object_get(contact_of(&scene, 0), "n"));
        (void)member_of(&scene, 0, "state");
        close_look(&b, &scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_found),         cmocka_unit_test(balls_touch_on_their_surface),
        cmocka_unit_test(pairs_and_sides_are_found), cmocka_unit_test(what_lies_is_pushed_up),
        cmocka_unit_test(places_that_are_said),      cmocka_unit_test(other_places_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
