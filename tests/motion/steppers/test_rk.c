/*
 * Accuracy and steps of the explicit methods: measured orders of steps, dense output and error
 * estimates on motions with a closed form; error follows tolerance; the end is met exactly; times
 * of output and sums do not touch the steps.
 */
#include "systems.h"

static const char *const methods[] = {"dop853", "dopri5", "rk4"};
static const zi_system plain = {.size = 2, .controlled = 2, .rates = curves};
static const double one[2] = {1.0, 1.0};

/* One step from 0.5 of length h: the error at its end, and at 0.4 of it. */
static void one_step(const char *method, double h, double *end, double *inside)
{
    zb_memory memory;
    zi_settings settings = {.tol = 1e3, .abs_tol = 1e3, .step = h, .end = HUGE_VAL};
    zi_stepper *s = open_stepper(&memory, method, &plain, &settings, one);
    double y[2] = {exp(sin(0.5)), 1.0 / 1.25};
    assert_int_equal(zi_restart(s, 0.5, y), ZW_OK);
    assert_int_equal(zi_step(s), ZW_OK);
    assert_true(fabs(s->t - 0.5 - h) < 1e-15);
    *end = curves_error(s->t, s->y);
    double t = 0.5 + 0.4 * h;
    assert_int_equal(zi_dense(s, t, y), ZW_OK);
    *inside = curves_error(t, y);
    close_stepper(s, &memory);
}

static void measured_orders(void **state)
{
    (void)state;
    const int step_order[] = {8, 5, 4}, dense_order[] = {7, 4, 3};
    const double h[] = {0.4, 0.05, 0.05};
    for (int k = 0; k < 3; k++) {
        double end[2], inside[2];
        for (int j = 0; j < 2; j++) one_step(methods[k], h[k] / (1 + j), &end[j], &inside[j]);
        double p = log2(end[0] / end[1]), q = log2(inside[0] / inside[1]);
        printf("%s: errors of one step go with h^%.2f, inside h^%.2f\n", methods[k], p, q);
        assert_true(fabs(p - step_order[k] - 1) < 0.5);
        assert_true(fabs(q - dense_order[k] - 1) < 0.5);
    }
}

/* The error estimate of one accepted step, without the tolerance it was divided by. */
static double raw_estimate(const char *method, double h)
{
    for (double scale = 1.0; scale > 1e-13; scale /= 10.0) {
        zb_memory memory;
        zi_settings settings = {.tol = 0.0, .abs_tol = scale, .step = h, .end = HUGE_VAL};
        zi_stepper *s = open_stepper(&memory, method, &plain, &settings, one);
        assert_int_equal(zi_restart(s, 0.5, (double[]){exp(sin(0.5)), 1.0 / 1.25}), ZW_OK);
        assert_int_equal(zi_step(s), ZW_OK);
        double error = exp(s->error_old);
        bool found = s->counts.rejected == 0 && error > 1e-3;
        close_stepper(s, &memory);
        if (found) return error * scale;
    }
    fail_msg("%s: no tolerance fits the step %g", method, h);
    return 0.0;
}

/* dop853: (h^6)^2 / h^4; dopri5: h^5. A wrong coefficient leaves a term of a lower order. */
static void measured_order_of_estimates(void **state)
{
    (void)state;
    double p = log2(raw_estimate("dop853", 0.1) / raw_estimate("dop853", 0.05));
    double q = log2(raw_estimate("dopri5", 0.05) / raw_estimate("dopri5", 0.025));
    printf("estimates go with h^%.2f (dop853), h^%.2f (dopri5)\n", p, q);
    assert_true(fabs(p - 8.0) < 0.7);
    assert_true(fabs(q - 5.0) < 0.7);
}

static double final_error(const char *method, double tol, int64_t *steps)
{
    zb_memory memory;
    zi_settings settings = {.tol = tol, .abs_tol = tol, .end = 6.0};
    zi_stepper *s = open_stepper(&memory, method, &plain, &settings, one);
    assert_int_equal(run_to_end(s), ZW_OK);
    double error = curves_error(s->t, s->y);
    *steps = s->counts.steps;
    close_stepper(s, &memory);
    return error;
}

static void error_follows_tolerance(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        int64_t before = 0;
        for (double tol = 1e-4; tol > 0.5e-12; tol /= 100.0) {
            int64_t steps;
            double error = final_error(methods[k], tol, &steps);
            printf("%s %.0e: error %.1e, %d steps\n", methods[k], tol, error, (int)steps);
            assert_true(error < 30.0 * tol && error > 1e-4 * tol);
            assert_true(steps > before);
            before = steps;
        }
    }
}

/* Tolerances at rounding and under it still end, near rounding. */
static void no_tolerance_hangs(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double tol = 1e-14; tol > 1e-19; tol /= 10.0) {
            int64_t steps;
            double error = final_error(methods[k], k == 0 ? tol : 0.0, &steps);
            assert_true(error < 2e-13);
            assert_true(steps < 20000);
        }
}

/* ------------------------------------------------------------------------ end */

static void end_is_met_exactly(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int j = 1; j <= 200; j++) {
            zb_memory memory;
            double end = 0.037 * j + 1e-3 / j;
            zi_settings settings = {.tol = 1e-6, .abs_tol = 1e-6, .end = end};
            zi_stepper *s = open_stepper(&memory, methods[k], &plain, &settings, one);
            double before = 0.0;
            while (s->t < end) {
                before = s->t - s->t_old;
                assert_int_equal(zi_step(s), ZW_OK);
            }
            assert_true(s->t == end);
            assert_true(s->t - s->t_old > 0.2 * before); /* no sliver */
            assert_int_equal(zi_step(s), ZW_ERR_ARGUMENT);
            close_stepper(s, &memory);
        }
}

static void fixed_steps_are_counted_well(void **state)
{
    (void)state;
    const struct {
        double step, end;
        int64_t steps;
        double last;
    } cases[] = {{0.1, 1.0, 10, 0.1},         {0.1, 0.95, 10, 0.05},
                 {0.001, 1.0, 1000, 0.001},   {0.3, 0.9, 3, 0.3},
                 {1.0 / 3.0, 1.0, 3, 0.333},  {0.1, 0.100001, 2, 1e-6},
                 {0.7, 0.2, 1, 0.2},          {0.1, 1e3, 10000, 0.1},
                 {0.1, 1.0 + 2e-16, 10, 0.1}, {0.1, 1.0 - 2e-16, 10, 0.1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        zb_memory memory;
        zi_settings settings = {.tol = 0.0, .step = cases[i].step, .end = cases[i].end};
        zi_stepper *s = open_stepper(&memory, "rk4", &plain, &settings, one);
        assert_int_equal(run_to_end(s), ZW_OK);
        assert_true(s->t == cases[i].end);
        assert_int_equal(s->counts.steps, cases[i].steps);
        assert_true(fabs(s->t - s->t_old - cases[i].last) < 0.01 * cases[i].last);
        close_stepper(s, &memory);
    }
}

/* --------------------------------------------------------------- dense output */

/* Two runs, one with dense output at many times, some of them many times: the same bits. */
static void output_does_not_touch_steps(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        zb_memory ma, mb;
        zi_settings settings = {
            .tol = 1e-7, .abs_tol = 1e-7, .step = k == 2 ? 0.01 : 0.0, .end = 10.0};
        zi_stepper *a = open_stepper(&ma, methods[k], &plain, &settings, one);
        zi_stepper *b = open_stepper(&mb, methods[k], &plain, &settings, one);
        for (int n = 0; a->t < 10.0; n++) {
            assert_int_equal(zi_step(a), ZW_OK);
            assert_int_equal(zi_step(b), ZW_OK);
            int64_t before = b->counts.evaluations;
            for (int j = 0; n % 3 != 0 && j <= 7; j++) {
                double y[2], t = j == 7 ? b->t : b->t_old + j / 7.0 * (b->t - b->t_old);
                assert_int_equal(zi_dense(b, t, y), ZW_OK);
                assert_true(curves_error(t, y) < (k == 2 ? 1e-6 : 1e-5));
                if (j == 0) assert_true(same_bits(y, b->y_old, 2));
                if (j == 7) assert_true(same_bits(y, b->y, 2));
            }
            int64_t more = b->counts.evaluations - before;
            assert_int_equal(more, k == 0 && n % 3 != 0 ? 3 : 0);
            assert_true(a->t == b->t && a->h == b->h);
            assert_true(same_bits(a->y, b->y, 2));
        }
        close_stepper(a, &ma);
        close_stepper(b, &mb);
    }
}

static void dense_output_stays_inside(void **state)
{
    (void)state;
    zb_memory memory;
    zi_settings settings = {.tol = 1e-7, .abs_tol = 1e-7, .end = 10.0};
    zi_stepper *s = open_stepper(&memory, "dop853", &plain, &settings, one);
    double y[2];
    assert_int_equal(zi_dense(s, 0.0, y), ZW_OK); /* before the first step: where it stands */
    assert_true(same_bits(y, one, 2));
    assert_int_equal(zi_step(s), ZW_OK);
    assert_int_equal(zi_dense(s, s->t * 1.001, y), ZW_ERR_ARGUMENT);
    assert_int_equal(zi_dense(s, -1e-9, y), ZW_ERR_ARGUMENT);
    assert_int_equal(zi_dense(s, ZB_NAN, y), ZW_ERR_ARGUMENT);
    /* next to an end: continuous to rounding */
    assert_int_equal(zi_dense(s, nextafter(s->t, 0.0), y), ZW_OK);
    assert_true(fabs(y[0] - s->y[0]) < 1e-14 && fabs(y[1] - s->y[1]) < 1e-14);
    close_stepper(s, &memory);
}

/* ----------------------------------------------------------------------- sums */

/* curves, and a third component that only an error norm could notice. */
static zw_status with_sum(void *user, double t, const double *y, double *dy)
{
    (void)user;
    ZB_TRY(curves(NULL, t, y, dy));
    dy[2] = 1e4 * cos(300.0 * t);
    return ZW_OK;
}

static void sums_are_not_controlled(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_memory ma, mb, mc;
        zi_settings settings = {.tol = 1e-7, .abs_tol = 1e-7, .step = 0.01, .end = 4.0};
        zi_system riding = {.size = 3, .controlled = 2, .rates = with_sum},
                  counted = {.size = 3, .controlled = 3, .rates = with_sum};
        const double start[3] = {1.0, 1.0, 0.0};
        zi_stepper *a = open_stepper(&ma, methods[k], &plain, &settings, one);
        zi_stepper *b = open_stepper(&mb, methods[k], &riding, &settings, start);
        zi_stepper *c = open_stepper(&mc, methods[k], &counted, &settings, start);
        while (a->t < 4.0) {
            assert_int_equal(zi_step(a), ZW_OK);
            assert_int_equal(zi_step(b), ZW_OK);
            assert_true(a->t == b->t && same_bits(a->y, b->y, 2));
        }
        assert_int_equal(run_to_end(c), ZW_OK);
        assert_true(c->counts.steps > 10 * b->counts.steps);
        assert_true(fabs(c->y[2] - 1e4 / 300.0 * sin(300.0 * 4.0)) < 1e-3);
        close_stepper(a, &ma);
        close_stepper(b, &mb);
        close_stepper(c, &mc);
    }
}

/* The two curves with a wild component between them, which does not count. */
static zw_status with_gap(void *user, double t, const double *y, double *dy)
{
    (void)user;
    const double own[2] = {y[0], y[2]};
    double rate[2];
    ZB_TRY(curves(NULL, t, own, rate));
    dy[0] = rate[0];
    dy[1] = 1e4 * cos(300.0 * t);
    dy[2] = rate[1];
    return ZW_OK;
}

static void masked_components_do_not_count(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        zb_memory ma, mb, mc;
        zi_settings settings = {.tol = 1e-7, .abs_tol = 1e-7, .step = 0.01, .end = 4.0};
        const double start[3] = {1.0, 0.0, 1.0};
        double mask[3] = {1.0, 0.0, 1.0};
        zi_system masked = {
            .size = 3, .controlled = 3, .rates = with_gap, .mask = mask, .counted = 2};
        zi_system wrong = masked;
        wrong.counted = 200;
        zi_stepper *a = open_stepper(&ma, methods[k], &plain, &settings, one);
        zi_stepper *b = open_stepper(&mb, methods[k], &masked, &settings, start);
        zi_stepper *c = open_stepper(&mc, methods[k], &wrong, &settings, start);
        mask[0] = mask[2] = 0.0; /* is not read any more */
        while (a->t < 4.0) {
            assert_int_equal(zi_step(a), ZW_OK);
            assert_int_equal(zi_step(b), ZW_OK);
            const double own[2] = {b->y[0], b->y[2]};
            assert_true(a->t == b->t && same_bits(a->y, own, 2));
        }
        assert_int_equal(run_to_end(c), ZW_OK);
        assert_int_equal(a->counts.steps, b->counts.steps);
        assert_true(k == 2 || c->counts.steps < b->counts.steps);
        close_stepper(a, &ma);
        close_stepper(b, &mb);
        close_stepper(c, &mc);
    }
}

/* Eleven oscillators, each with its own frequency, in two layouts: as they are counted, and scattered
 * with gaps. user: where coordinate i stands, [11]; halves of `spread` each. */
enum { oscillators = 11, spread = 24 };
typedef struct layout {
    int32_t half, place[oscillators];
} layout;

static zw_status oscillate(void *user, double t, const double *y, double *dy)
{
    const layout *l = user;
    (void)t;
    for (int32_t i = 0; i < 2 * l->half; i++) dy[i] = 0.0;
    for (int32_t i = 0; i < oscillators; i++) {
        int32_t q = l->place[i], v = q + l->half;
        dy[q] = y[v];
        dy[v] = -(1.0 + 0.37 * i) * y[q] - 0.01 * y[v] * y[v] * y[v];
    }
    return ZW_OK;
}

/* The system in a layout, with what the caller keeps: mask, inertias, islands, order. */
typedef struct laid {
    layout l;
    double mask[2 * spread], inertia[2 * spread], start[2 * spread];
    int32_t order[2 * oscillators];
} laid;

static zi_system lay_out(laid *x, int32_t half, int32_t stride)
{
    *x = (laid){.l.half = half};
    for (int32_t i = 0; i < oscillators; i++) {
        int32_t at = x->l.place[i] = i * stride % half;
        x->order[i] = at;
        x->order[oscillators + i] = at + half;
        x->mask[at] = x->mask[at + half] = 1.0;
        x->inertia[at] = 1.0 / (3.0 + i);
        x->start[at] = 1.0 / (1.0 + i);
        x->start[at + half] = 0.3 * i;
    }
    return (zi_system){.size = 2 * half,
                       .controlled = 2 * half,
                       .rates = oscillate,
                       .user = &x->l,
                       .mask = x->mask,
                       .counted = 2 * oscillators,
                       .order = x->order,
                       .inertia = x->inertia,
                       .island = x->inertia + spread}; /* all are island 0 */
}

/* Times and states have the same bits however components are laid out, if the order is said. */
static void layout_does_not_touch_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 3; k++) {
        zb_memory ma, mb;
        zi_settings settings = {
            .tol = 1e-7, .abs_tol = 1e-7, .sized = k >= 3, .step = k % 3 == 2 ? 0.01 : 0, .end = 4};
        static laid near, far;
        zi_system a_system = lay_out(&near, oscillators, 1), b_system = lay_out(&far, spread, 7);
        zi_stepper *a = open_stepper(&ma, methods[k % 3], &a_system, &settings, near.start);
        zi_stepper *b = open_stepper(&mb, methods[k % 3], &b_system, &settings, far.start);
        while (a->t < 4.0) {
            assert_int_equal(zi_step(a), ZW_OK);
            assert_int_equal(zi_step(b), ZW_OK);
            assert_true(a->t == b->t);
            for (int32_t i = 0; i < 2 * oscillators; i++)
                assert_true(a->y[near.order[i]] == b->y[far.order[i]]);
        }
        close_stepper(a, &ma);
        close_stepper(b, &mb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_does_not_touch_bits),
        cmocka_unit_test(measured_orders),
        cmocka_unit_test(measured_order_of_estimates),
        cmocka_unit_test(error_follows_tolerance),
        cmocka_unit_test(no_tolerance_hangs),
        cmocka_unit_test(end_is_met_exactly),
        cmocka_unit_test(fixed_steps_are_counted_well),
        cmocka_unit_test(output_does_not_touch_steps),
        cmocka_unit_test(dense_output_stays_inside),
        cmocka_unit_test(sums_are_not_controlled),
        cmocka_unit_test(masked_components_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
