/*
 * Slips in a plane and in space that begin at rest without a jump: they turn as fast as they are small, and
 * take no more steps for that. The numbers are those of the law itself, v' = F - mu g v/|v|, by an
 * implicit method of order 6 (Gauss and Legendre) in 113 bits with steps that grow from rest, started from
 * v = c t^2/2 F/|F|; half its steps change them by less than 1e-13.
 */
#include "bench.h"
#include "touching_models.h"

#include <math.h>
#include <stdio.h>

/* Pushed round; stops at t = 1.2928, breaks away at 1.3675. */
static const char pushed[] = "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                             "force x: 2*sin(5*t)\nforce y: 4*cos(4*t)\n"
                             "constraint table: z >= 0\nfriction table: 0.3 along [x', y']\n"
                             "start x' = 3, y' = 0.4\n";

/* The same in space: along (2, 1, 2)/3 and (-2, 2, 1)/3, held from all sides. */
static const char gripped[] = "coord r[3], z\nlet a = [2, 1, 2]/3\nlet b = [-2, 2, 1]/3\n"
                              "kinetic (dot(r', r') + z'^2)/2\npotential 9.81*z\n"
                              "force r: 2*sin(5*t)*a + 4*cos(4*t)*b\n"
                              "constraint grip: z >= 0\nfriction grip: 0.3 along r'\n"
                              "start r' = 3*a + 0.4*b\n";

typedef struct place {
    double t, x, y, u, v;
} place;

static const place places[] = {
    {1.0, 2.0781279645627846, 0.4368812694243506, 0.5361900018646922, -0.6665182051291381},
    {1.3, 2.1299254337910111, 0.3041617284825931, 0.0, 0.0},
    {1.6, 2.1395584450135098, 0.3239552029039993, 0.1106010262095797, 0.2224694456168192},
    {2.0, 2.1868306192474602, 0.4367380105067684, -0.0062628062333649, 0.0058307223588391},
};
enum { place_count = sizeof places / sizeof *places };

static const double tolerances[] = {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
enum { tolerance_count = sizeof tolerances / sizeof *tolerances };

static void begin_run_at(bench *b, const char *model, double tol)
{
    zw_run_settings set;
    bench_open(b, model);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = 2.0;
    set.tol = tol;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
}

static void go_on_to(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

/* Steps, and that none was made for stability alone. */
static int64_t count_steps(const bench *b)
{
    zw_run_statistics stats;
    assert_int_equal(zw_sim_statistics(b->sim, &stats), ZW_OK);
    assert_false(stats.stiff);
    return stats.steps;
}

/* x [3] along the axes of `gripped`, or as it is. */
static void look_along(bool space, const double *x, double *out)
{
    out[0] = space ? (2.0 * x[0] + x[1] + 2.0 * x[2]) / 3.0 : x[0];
    out[1] = space ? (-2.0 * x[0] + 2.0 * x[1] + x[2]) / 3.0 : x[1];
    out[2] = space ? (x[0] + 2.0 * x[1] - 2.0 * x[2]) / 3.0 : 0.0; /* across both */
}

/* The motion is of size 3. */
static void follows_the_law(const char *model, bool space)
{
    for (int i = 0; i < tolerance_count; i++) {
        double far = 10.0 * 3.0 * tolerances[i];
        bench b;
        begin_run_at(&b, model, tolerances[i]);
        for (int k = 0; k < place_count; k++) {
            const place *p = &places[k];
            double x[3], v[3];
            go_on_to(&b, p->t);
            look_along(space, b.q, x);
            look_along(space, b.v, v);
            assert_true(fabs(x[0] - p->x) <= far && fabs(x[1] - p->y) <= far);
            assert_true(fabs(v[0] - p->u) <= far && fabs(v[1] - p->v) <= far);
            assert_true(fabs(x[2]) <= far && fabs(v[2]) <= far);
        }
        assert_true(count_steps(&b) < 350);
        bench_close(&b);
    }
}

static void in_a_plane(void **state)
{
    (void)state;
    follows_the_law(pushed, false);
}

static void in_space(void **state)
{
    (void)state;
    follows_the_law(gripped, true);
}

/* Beside a friction along a line, and walls: all tolerances come to the same end. */
static void beside_another_friction(void **state)
{
    (void)state;
    double last[2] = {0.0};
    for (int i = tolerance_count - 1; i >= 0; i--) {
        bench b;
        begin_run_at(&b, puck, tolerances[i]);
        go_on_to(&b, 2.0);
        assert_true(count_steps(&b) < 700);
        for (int j = 0; j < 2; j++) {
            if (i == tolerance_count - 1) last[j] = b.q[j];
            assert_true(fabs(b.q[j] - last[j]) <= 10.0 * 3.0 * tolerances[i]);
        }
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_plane),
        cmocka_unit_test(in_space),
        cmocka_unit_test(beside_another_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
