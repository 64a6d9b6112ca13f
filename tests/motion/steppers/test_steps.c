/*
 * What a stepper does when something happens: projections, failing evaluations, numbers that are
 * none, a pole, stiffness, restart, saving and loading, memory that runs out.
 */
#include "systems.h"

#include "../../base/counting.h"

static const char *const methods[] = {"dop853", "dopri5", "rk4"};
static const double unit[2] = {1.0, 0.0};

static zi_settings usual(int method, double end)
{
    return (zi_settings){
        .tol = 1e-7, .abs_tol = 1e-7, .step = method == 2 ? 0.01 : 0.0, .end = end};
}

/* ---------------------------------------------------------------- projection */

/* A projection onto the unit circle, or one that misbehaves. */
typedef struct land {
    int calls, failing; /* so many calls fail */
    zw_status says;     /* then */
    double shift;       /* moves y[0] so far, at every call */
    double drift;       /* moves y[0] by so much for each unit of time since `since` */
    double since;
    bool idle, poison;
} land;

static zw_status project(void *user, double t, double *y)
{
    land *p = user;
    p->calls++;
    if (p->calls <= p->failing) return p->says;
    if (p->idle) return ZW_OK;
    if (p->poison) y[1] = ZB_NAN;
    if (p->shift != 0.0 || p->drift != 0.0) {
        y[0] += p->shift + p->drift * (t - p->since);
        return ZW_OK;
    }
    double r = sqrt(y[0] * y[0] + y[1] * y[1]);
    y[0] /= r;
    y[1] /= r;
    return ZW_OK;
}

static void every_step_ends_projected(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        zb_memory memory;
        land p = {0};
        zi_system system = {
            .size = 2, .controlled = 2, .user = &p, .rates = turning, .project = project};
        zi_settings settings = usual(k, 20.0);
        zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
        double before[2] = {1.0, 0.0};
        while (s->t < 20.0) {
            assert_int_equal(zi_step(s), ZW_OK);
            assert_true(fabs(hypot(s->y[0], s->y[1]) - 1.0) < 4e-16);
            assert_true(same_bits(s->y_old, before, 2));
            memcpy(before, s->y, sizeof before);
            double y[2], d = 1e-7 * (s->t - s->t_old), f[2]; /* rates at the end of dense output */
            assert_int_equal(zi_dense(s, s->t - d, y), ZW_OK);
            turning(NULL, s->t, s->y, f);
            for (int i = 0; i < 2; i++) assert_true(fabs((s->y[i] - y[i]) / d - f[i]) < 1e-5);
        }
        assert_true(fabs(s->y[0] - cos(20.0)) + fabs(s->y[1] - sin(20.0)) < 2e-5);
        close_stepper(s, &memory);
    }
}

/* f is evaluated once where a step has landed, and not at all when dopri5 knows it already. */
static void evaluations_are_not_wasted(void **state)
{
    (void)state;
    const int64_t stages[] = {12, 6, 4};
    for (int k = 0; k < 3; k++)
        for (int idle = 0; idle < 2; idle++) {
            zb_memory memory;
            land p = {.idle = idle == 1, .shift = 1e-9};
            zi_system system = {
                .size = 2, .controlled = 2, .user = &p, .rates = turning, .project = project};
            zi_settings settings = usual(k, 1.0);
            settings.step = 0.01;
            zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
            assert_int_equal(zi_step(s), ZW_OK);
            assert_int_equal(zi_step(s), ZW_OK);
            assert_int_equal(s->counts.rejected, 0);
            int64_t again = k == 1 && !p.idle ? 2 : 0;
            assert_int_equal(s->counts.evaluations, 1 + 2 * stages[k] + again);
            assert_int_equal(p.calls, 2);
            close_stepper(s, &memory);
        }
}

/* Scale of y[0] about 1: 2e-7. */
static void far_projections_are_errors(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_memory memory;
        land p = {.shift = 1e-5}; /* too far whatever the step */
        zi_system system = {
            .size = 2, .controlled = 2, .user = &p, .rates = turning, .project = project};
        zi_settings settings = usual(k, 1.0);
        zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
        assert_int_equal(zi_step(s), ZW_ERR_STEP);
        assert_true(s->t == 0.0 && same_bits(s->y, unit, 2));
        assert_true(s->counts.rejected > 10);
        close_stepper(s, &memory);

        p = (land){.shift = 1e-7}; /* near enough */
        s = open_stepper(&memory, methods[k], &system, &settings, unit);
        assert_int_equal(zi_step(s), ZW_OK);
        assert_true(exp(s->error_old) > 0.3);
        close_stepper(s, &memory);

        p = (land){.poison = true};
        s = open_stepper(&memory, methods[k], &system, &settings, unit);
        assert_int_equal(zi_step(s), ZW_ERR_NOT_FINITE);
        close_stepper(s, &memory);
    }
}

/* The further the step the further it moves: steps become as short as that demands. */
static void projection_controls_the_step(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_memory memory;
        land p = {.drift = 1e-3};
        zi_system system = {
            .size = 2, .controlled = 2, .user = &p, .rates = turning, .project = project};
        zi_settings settings = usual(k, 1.0);
        settings.step = 0.1;
        zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
        for (int i = 0; i < 50; i++) {
            p.since = s->t;
            assert_int_equal(zi_step(s), ZW_OK);
            double scale = 1e-7 * (1.0 + fabs(s->y[0]) + 1e-9);
            assert_true(1e-3 * (s->t - s->t_old) / scale / sqrt(2.0) < 1.0 + 1e-6);
        }
        close_stepper(s, &memory);
    }
}

/* A quarter of the step after a failure; ZW_ERR_ACCURACY only asks for another place. */
static void failing_projection_shortens_the_step(void **state)
{
    (void)state;
    const zw_status says[] = {ZW_ERR_RANGE, ZW_ERR_ACCURACY};
    const double most[] = {1.0 / 16.0, 0.5}, least[] = {1.0 / 16.0, 1.0 / 16.0};
    for (int k = 0; k < 4; k++) {
        zb_memory memory;
        int j = k / 2;
        land p = {.failing = 2, .says = says[j]};
        zi_system system = {
            .size = 2, .controlled = 2, .user = &p, .rates = turning, .project = project};
        zi_settings settings = usual(k % 2, HUGE_VAL);
        settings.step = 0.0625;
        zi_stepper *s = open_stepper(&memory, methods[k % 2], &system, &settings, unit);
        assert_int_equal(zi_step(s), ZW_OK);
        assert_true(s->t >= 0.0625 * least[j] && s->t <= 0.0625 * most[j]);
        assert_int_equal(s->counts.rejected, 2);
        p.failing = 1000000;
        double t = s->t;
        assert_int_equal(zi_step(s), says[j]);
        assert_true(s->t == t);
        close_stepper(s, &memory);
    }
}

/* -------------------------------------------------------------------- failing */

typedef struct trouble {
    double from;    /* time */
    zw_status says; /* ZW_OK: the numbers are not finite */
    double value;   /* instead of y[1]' */
    int calls;
    bool only_sum;
} trouble;

static zw_status troubled(void *user, double t, const double *y, double *dy)
{
    trouble *p = user;
    p->calls++;
    turning(NULL, t, y, dy);
    dy[2] = 1.0;
    if (t < p->from) return ZW_OK;
    dy[p->only_sum ? 2 : 1] = p->value;
    return p->says;
}

static void run_into(trouble p, zw_status expected)
{
    const double start[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        zb_memory memory;
        zi_system system = {.size = 3, .controlled = 2, .user = &p, .rates = troubled};
        zi_settings settings = usual(k, 4.0);
        zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, start);
        assert_int_equal(run_to_end(s), expected);
        assert_true(s->t < p.from && s->t > p.from - 1e-12);
        assert_true(fabs(s->y[0] - cos(p.from)) < 1e-6 && fabs(s->y[2] - p.from) < 1e-9);
        double y[3], t = s->t, h = s->h;
        memcpy(y, s->y, sizeof y);
        assert_int_equal(zi_step(s), expected);
        assert_true(s->t == t && s->h == h && same_bits(s->y, y, 3));
        assert_int_equal(zi_dense(s, t, y), ZW_OK);
        close_stepper(s, &memory);
    }
}

static void trouble_makes_steps_smaller(void **state)
{
    (void)state;
    run_into((trouble){.from = 1.0, .says = ZW_ERR_RANGE}, ZW_ERR_RANGE);
    run_into((trouble){.from = 1.5, .value = ZB_NAN}, ZW_ERR_NOT_FINITE);
    run_into((trouble){.from = 0.7, .value = HUGE_VAL}, ZW_ERR_NOT_FINITE);
    run_into((trouble){.from = 0.7, .value = -HUGE_VAL}, ZW_ERR_NOT_FINITE);
    run_into((trouble){.from = 2.0, .value = ZB_NAN, .only_sum = true}, ZW_ERR_NOT_FINITE);
    run_into((trouble){.from = 2.0, .value = HUGE_VAL, .only_sum = true}, ZW_ERR_NOT_FINITE);
}

static void trouble_at_the_start_is_told_at_once(void **state)
{
    (void)state;
    const double start[3] = {1.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++)
        for (int nan = 0; nan < 2; nan++) {
            zb_memory memory;
            trouble p = {.from = 0.0, .says = nan ? ZW_OK : ZW_ERR_RANGE, .value = ZB_NAN};
            zi_system system = {.size = 3, .controlled = 2, .user = &p, .rates = troubled};
            zi_settings settings = usual(k, 4.0);
            zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, start);
            assert_int_equal(zi_step(s), nan ? ZW_ERR_NOT_FINITE : ZW_ERR_RANGE);
            assert_int_equal(p.calls, 1);
            assert_true(s->t == 0.0 && same_bits(s->y, start, 3));
            p.from = 9.0; /* it can go on when the trouble is over */
            assert_int_equal(run_to_end(s), ZW_OK);
            close_stepper(s, &memory);
        }
}

static void fixed_steps_fail_where_they_are(void **state)
{
    (void)state;
    zb_memory memory;
    const double start[3] = {1.0, 0.0, 0.0};
    trouble p = {.from = 1.003, .says = ZW_ERR_RANGE};
    zi_system system = {.size = 3, .controlled = 2, .user = &p, .rates = troubled};
    zi_settings settings = usual(2, 4.0);
    zi_stepper *s = open_stepper(&memory, "rk4", &system, &settings, start);
    assert_int_equal(run_to_end(s), ZW_ERR_RANGE);
    assert_true(fabs(s->t - 1.0) < 1e-14);
    close_stepper(s, &memory);
    settings.step = ZB_NAN;
    zi_stepper *none = NULL;
    assert_int_equal(zi_open(&memory, zi_find_method("rk4"), &system, &settings, 0.0, start, &none),
                     ZW_ERR_ARGUMENT);
    assert_null(none);
    assert_int_equal(memory.held, 0);
}

/* y' = -sqrt(y) is not a number beyond y = 0; stages that look there are only taken back. */
static zw_status root(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = -sqrt(y[0]);
    return ZW_OK;
}

/* y' = y^2 */
static zw_status pole(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[0] * y[0];
    return ZW_OK;
}

/* y' = -1e100 y */
static zw_status at_once(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = -1e100 * y[0];
    return ZW_OK;
}

/* About t = 0 no step is short against t: a projection that is a little too far, whatever the step,
 * would have it tried thousands of times. A first step that is too long by a hundred powers of ten
 * is found all the same. */
static void attempts_come_to_an_end(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_memory memory;
        land p = {.shift = 3.5e-7};
        zi_system system = {
            .size = 2, .controlled = 2, .user = &p, .rates = turning, .project = project};
        zi_settings settings = usual(k, 1.0);
        zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
        assert_int_equal(zi_step(s), ZW_ERR_STEP);
        assert_true(s->t == 0.0 && same_bits(s->y, unit, 2));
        assert_true(s->counts.rejected > 200 && s->counts.rejected <= 300);
        close_stepper(s, &memory);

        zi_system fast = {.size = 1, .controlled = 1, .rates = at_once};
        settings.step = 1.0;
        s = open_stepper(&memory, methods[k], &fast, &settings, unit);
        assert_int_equal(zi_step(s), ZW_OK);
        assert_true(s->t > 1e-103 && s->t < 1e-99 && s->counts.rejected > 100);
        close_stepper(s, &memory);
    }
}

static void stages_beyond_the_domain_are_taken_back(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_memory memory;
        zi_system system = {.size = 1, .controlled = 1, .rates = root};
        zi_settings settings = usual(k, 1.99);
        settings.step = 5.0;
        zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
        assert_int_equal(run_to_end(s), ZW_OK);
        assert_true(fabs(s->y[0] - 0.25e-4) < 1e-6);
        close_stepper(s, &memory);
    }
}

static void poles_end_the_motion(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        zb_memory memory;
        zi_system system = {.size = 1, .controlled = 1, .rates = pole};
        zi_settings settings = usual(k, 2.0);
        zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
        assert_int_equal(run_to_end(s), ZW_ERR_STEP);
        assert_true(fabs(s->t - 1.0) < 1e-5 && s->y[0] > 1e10 && s->y[0] < HUGE_VAL);
        assert_true(s->counts.steps < 10000);
        close_stepper(s, &memory);
    }
}

/* At rest without end steps only grow. */
static zw_status rest(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = 0.0 * y[0];
    return ZW_OK;
}

static void rest_goes_on(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int controlled = 0; controlled < 2; controlled++) {
            zb_memory memory;
            zi_system system = {.size = 1, .controlled = controlled, .rates = rest};
            zi_settings settings = {.end = HUGE_VAL}; /* no tolerance at all */
            double zero = 0.0;
            zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, &zero);
            for (int i = 0; i < 1000; i++) assert_int_equal(zi_step(s), ZW_OK);
            assert_true(s->t > 1e100 && s->t < HUGE_VAL && s->y[0] == 0.0);
            assert_false(s->stiff);
            close_stepper(s, &memory);
        }
}

/* ------------------------------------------------------------------ stiffness */

/* y' = -rate (y - cos t), from some time on with a small rate. */
static zw_status pulled(void *user, double t, const double *y, double *dy)
{
    double rate = t < *(const double *)user ? 1000.0 : 0.1;
    dy[0] = -rate * (y[0] - cos(t));
    return ZW_OK;
}

static void stiffness_is_seen(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double tol = 1e-3; tol > 1e-6; tol /= 10.0) {
            zb_memory memory;
            double until = 2.0;
            zi_system system = {.size = 1, .controlled = 1, .user = &until, .rates = pulled};
            zi_settings settings = {.tol = tol, .abs_tol = tol, .end = 2.0};
            zi_stepper *s = open_stepper(&memory, methods[k], &system, &settings, unit);
            double first = ZB_NAN;
            while (s->t < 2.0) {
                assert_int_equal(zi_step(s), ZW_OK);
                if (s->stiff && isnan(first)) first = s->t;
            }
            printf("%s %.0e: stiff from %.3f, %d steps\n", methods[k], tol, first,
                   (int)s->counts.steps);
            assert_true(first < 1.0);
            s->settings.end = 200.0; /* and it is over */
            assert_int_equal(run_to_end(s), ZW_OK);
            assert_false(s->stiff);
            close_stepper(s, &memory);
        }
}

static void oscillations_are_not_stiff(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (double tol = 1e-2; tol > 1e-13; tol /= 10.0) {
            zb_memory memory;
            zi_system system = {.size = 2, .controlled = 2, .rates = pendulum};
            zi_settings settings = {.tol = tol, .abs_tol = tol, .end = 30.0};
            zi_stepper *s =
                open_stepper(&memory, methods[k], &system, &settings, (double[]){2.5, 0.0});
            while (s->t < 30.0) {
                assert_int_equal(zi_step(s), ZW_OK);
                if (s->stiff) fail_msg("%s %.0e: stiff at %g", methods[k], tol, s->t);
            }
            close_stepper(s, &memory);
        }
}

/* --------------------------------------------------- restart, save and load */

/* After a restart as if newly opened, but for the counts. */
static void restart_forgets(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        zb_memory ma, mb;
        zi_system system = {.size = 2, .controlled = 2, .rates = pendulum};
        zi_settings settings = usual(k, 9.0);
        const double start[2] = {1.0, 0.5};
        zi_stepper *a = open_stepper(&ma, methods[k], &system, &settings, start);
        zi_stepper *b = open_stepper(&mb, methods[k], &system, &settings, unit);
        for (int i = 0; i < 20; i++) assert_int_equal(zi_step(b), ZW_OK);
        assert_int_equal(zi_restart(b, 0.0, start), ZW_OK);
        assert_true(b->t == 0.0 && b->t_old == 0.0 && same_bits(b->y_old, start, 2));
        assert_int_equal(b->counts.steps, 20);
        for (int i = 0; i < 30 && a->t < 9.0; i++) {
            assert_int_equal(zi_step(a), ZW_OK);
            assert_int_equal(zi_step(b), ZW_OK);
            assert_true(a->t == b->t && a->h == b->h && same_bits(a->y, b->y, 2));
        }
        assert_int_equal(b->counts.steps, a->counts.steps + 20);
        assert_int_equal(zi_restart(b, 9.5, start), ZW_ERR_ARGUMENT); /* beyond the end */
        assert_int_equal(zi_restart(b, ZB_NAN, start), ZW_ERR_ARGUMENT);
        close_stepper(a, &ma);
        close_stepper(b, &mb);
    }
}

/* Both go on to the same bits, in dense output, too. */
static void assert_twins(zi_stepper *a, zi_stepper *b)
{
    for (int i = 0; i < 4 && a->t < a->settings.end; i++) {
        double ya[2], yb[2], t = a->t_old + 0.3 * (a->t - a->t_old);
        assert_int_equal(zi_dense(a, t, ya), ZW_OK);
        assert_int_equal(zi_dense(b, t, yb), ZW_OK);
        assert_true(same_bits(ya, yb, 2));
        assert_int_equal(zi_step(a), ZW_OK);
        assert_int_equal(zi_step(b), ZW_OK);
        assert_true(a->t == b->t && a->h == b->h && same_bits(a->y, b->y, 2));
        assert_int_equal(a->counts.evaluations, b->counts.evaluations);
        assert_int_equal(a->counts.rejected, b->counts.rejected);
        assert_true(a->stiff == b->stiff && a->counts.smallest == b->counts.smallest);
    }
}

static void loaded_steppers_go_on_to_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        zb_memory ma, mb;
        land p = {0};
        zi_system system = {
            .size = 2, .controlled = 2, .user = &p, .rates = turning, .project = project};
        zi_settings settings = usual(k, 30.0);
        settings.tol = 1e-5;
        zi_stepper *a = open_stepper(&ma, methods[k], &system, &settings, unit);
        size_t size = zi_saved_size(a);
        char *bytes = malloc(size), *again = malloc(size);
        assert_true(size > 0 && bytes && again);
        for (int i = 0; i < 40 && a->t < 30.0; i++) { /* from before the first step on */
            double y[2];
            if (i % 3 == 2) assert_int_equal(zi_dense(a, 0.5 * (a->t_old + a->t), y), ZW_OK);
            zi_stepper *b = open_stepper(&mb, methods[k], &system, &settings, (double[]){0.6, 0.8});
            if (i % 2) assert_int_equal(zi_step(b), ZW_OK); /* what it had is of no interest */
            assert_int_equal(zi_saved_size(b), size);
            zi_save(a, bytes);
            zi_load(b, bytes);
            zi_save(b, again);
            assert_memory_equal(bytes, again, size);
            assert_twins(a, b);
            zi_load(a, bytes);
            assert_int_equal(zi_step(a), ZW_OK);
            close_stepper(b, &mb);
        }
        free(bytes);
        free(again);
        close_stepper(a, &ma);
    }
}

/* --------------------------------------------------------------------- memory */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        bool refused = true;
        for (int64_t at = 1; refused; at++) {
            counting c;
            zb_memory memory;
            counting_init(&c, &memory);
            c.refuse_at = at;
            zi_system system = {.size = 2, .controlled = 2, .rates = pendulum};
            zi_settings settings = usual(k, 2.0);
            zi_stepper *s = NULL;
            zw_status status =
                zi_open(&memory, zi_find_method(methods[k]), &system, &settings, 0.0, unit, &s);
            refused = c.refused > 0;
            assert_int_equal(status, refused ? ZW_ERR_MEMORY : ZW_OK);
            assert_true((s == NULL) == refused);
            if (s) {
                int64_t requests = c.requests;
                assert_int_equal(run_to_end(s), ZW_OK);
                assert_int_equal(c.requests, requests); /* no step takes memory */
                assert_true(requests >= 2);
            }
            zi_close(s);
            assert_nothing_held(&c, &memory);
        }
    }
}

static void arguments_are_checked(void **state)
{
    (void)state;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    assert_null(zi_find_method("euler"));
    assert_null(zi_find_method(""));
    const zi_system system = {.size = 2, .controlled = 2, .rates = pendulum},
                    wrong = {.size = 2, .controlled = 3, .rates = pendulum};
    const zi_settings good = usual(0, 1.0);
    zi_settings bad[5] = {good, good, good, good, good};
    bad[0].tol = ZB_NAN;
    bad[1].abs_tol = -1.0;
    bad[2].end = -1.0;
    bad[3].end = ZB_NAN;
    bad[4].tol = HUGE_VAL;
    zi_stepper *s = NULL;
    const zi_method *method = zi_find_method("dop853");
    for (int i = 0; i < 5; i++)
        assert_int_equal(zi_open(&memory, method, &system, &bad[i], 0.0, unit, &s),
                         ZW_ERR_ARGUMENT);
    assert_int_equal(zi_open(&memory, method, &wrong, &good, 0.0, unit, &s), ZW_ERR_ARGUMENT);
    assert_int_equal(zi_open(&memory, method, &system, &good, ZB_NAN, unit, &s), ZW_ERR_ARGUMENT);
    assert_null(s);
    assert_int_equal(memory.held, 0);
    zi_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_ends_projected),
        cmocka_unit_test(evaluations_are_not_wasted),
        cmocka_unit_test(far_projections_are_errors),
        cmocka_unit_test(projection_controls_the_step),
        cmocka_unit_test(failing_projection_shortens_the_step),
        cmocka_unit_test(trouble_makes_steps_smaller),
        cmocka_unit_test(trouble_at_the_start_is_told_at_once),
        cmocka_unit_test(fixed_steps_fail_where_they_are),
        cmocka_unit_test(attempts_come_to_an_end),
        cmocka_unit_test(stages_beyond_the_domain_are_taken_back),
        cmocka_unit_test(poles_end_the_motion),
        cmocka_unit_test(rest_goes_on),
        cmocka_unit_test(stiffness_is_seen),
        cmocka_unit_test(oscillations_are_not_stiff),
        cmocka_unit_test(restart_forgets),
        cmocka_unit_test(loaded_steppers_go_on_to_the_same_bits),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
