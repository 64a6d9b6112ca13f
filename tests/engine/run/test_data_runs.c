/*
 * Data in models: values and derivatives against polynomials in long double, knots that are met by
 * every method (closed forms), periods, ends, contacts on ground from data; bits of byte code and
 * machine code, of saved and restored runs, of members of ensembles; arrays in the place of files.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static uint64_t seed;

static double between(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

/* -------------------------------------------------------------------- models with data */

enum { most = 40 };
typedef struct rows {
    double x[most], y[most];
    int count;
} rows;

/* As bench_compile, with arrays for `road`. */
static zw_status compile_with(bench *b, const char *text, const rows *r)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(zw_context_create(NULL, &b->context), ZW_OK);
    zw_table table = {.name = "road", .x = r->x, .y = r->y, .count = r->count};
    zw_model_source source = {.file = "model.zw",
                              .text = text,
                              .length = strlen(text),
                              .tables = &table,
                              .table_count = 1};
    zw_status status = zw_model_compile(b->context, &source, &b->model);
    if (status != ZW_OK) return status;
    assert_int_equal(zw_sim_create(b->model, &b->sim), ZW_OK);
    b->n = zw_model_coordinate_count(b->model);
    b->m = zw_model_row_count(b->model);
    return ZW_OK;
}

static void open_with(bench *b, const char *text, const rows *r)
{
    zw_status status = compile_with(b, text, r);
    for (int32_t i = 0; i < zw_context_diagnostic_count(b->context) && status != ZW_OK; i++)
        printf("%s\n", zw_context_diagnostic(b->context, i)->sentence);
    assert_int_equal(status, ZW_OK);
    assert_int_equal(bench_start(b, false), ZW_OK);
}

static zw_run_settings begin_with(bench *b, zw_method method, double tol, double until)
{
    zw_run_settings set;
    zw_run_defaults(b->model, &set);
    set.method = method;
    set.tol = set.abs_tol = tol;
    set.until = until;
    if (method == ZW_RK4) set.step = 0.01;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    return set;
}

static void go_to(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

static rows random_rows(int count, double shortest, double longest)
{
    rows r = {.count = count};
    for (int k = 0; k < count; k++) {
        r.x[k] = k == 0 ? 0.0 : r.x[k - 1] + between(shortest, longest);
        r.y[k] = between(-1.0, 1.0);
    }
    return r;
}

static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4};

/* ---------------------------------------------------------------------------- knots */

/* Where a body is at T that slides without friction on chords, x along the axis, with the potential
 * g road(x): constant forces one after the other. */
static long double slide_on_chords(const rows *r, long double g, long double v, long double T)
{
    long double x = 0.0L;
    for (int k = 0; k + 1 < r->count; k++) {
        long double h = (long double)r->x[k + 1] - (long double)r->x[k];
        long double a = -g * ((long double)r->y[k + 1] - (long double)r->y[k]) / h;
        long double square = v * v + 2.0L * a * h;
        assert_true(square > 0.0L);
        long double dt = 2.0L * h / (v + sqrtl(square));
        if (dt >= T) return x + v * T + a * T * T / 2.0L;
        T -= dt;
        v = sqrtl(square);
        x += h;
    }
    fail_msg("the rows are too few");
    return 0.0L;
}

static void knots_are_met(void **state)
{
    (void)state;
    seed = 11;
    for (int k = 0; k < 30; k++) {
        bench b;
        rows r = random_rows(most, 0.05, 0.4);
        open_with(&b,
                  "coord x\nkinetic x'^2/2\ndata road = \"road.csv\"\npotential 2*road(x)\n"
                  "start x = 0, x' = 3.1\n",
                  &r);
        begin_with(&b, methods[k % 3], 1e-10, 2.0);
        go_to(&b, 2.0);
        bench_near(b.q[0], (double)slide_on_chords(&r, 2.0L, 3.1L, 2.0L), 1e-9);
        assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
        bench_close(&b);
    }
}

/* A force of time: chords integrate to cubics, held values to parabolas. */
static void forces_of_time(void **state)
{
    (void)state;
    seed = 12;
    for (int k = 0; k < 24; k++) {
        bench b;
        bool hold = k % 2;
        char text[200];
        rows r = random_rows(20, 0.02, 0.3);
        long double x = 0.0L, v = 0.0L, T = (long double)r.x[19];
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ndata road = \"road.csv\", %s\nforce x: road(t)\n",
                 hold ? "hold" : "linear");
        open_with(&b, text, &r);
        for (int i = 0; i + 1 < r.count; i++) {
            long double h = (long double)r.x[i + 1] - (long double)r.x[i], f = (long double)r.y[i];
            long double slope = hold ? 0.0L : ((long double)r.y[i + 1] - f) / h;
            x += h * (v + h * (f / 2.0L + h * slope / 6.0L));
            v += h * (f + h * slope / 2.0L);
        }
        begin_with(&b, methods[k % 3], 1e-10, (double)T); /* to the last row itself */
        go_to(&b, (double)T);
        bench_near(b.q[0], (double)x, 1e-10);
        bench_near(b.v[0], (double)v, 1e-10);
        assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
        bench_close(&b);
    }
}

/* Rows of sin between which cubics are used: far better than the chords, and smooth enough for
 * steps across. On a constraint, whose velocities and accelerations need derivatives. */
static void on_a_spline(void **state)
{
    bench b, c;
    rows r = {.count = most};
    (void)state;
    for (int k = 0; k < most; k++) r.x[k] = 0.1 * k, r.y[k] = sin(0.1 * k);
    r.x[most - 1] = 3.141592653589793 * 2;
    r.y[most - 1] = 0.0;
    for (int k = 0; k < most - 1; k++)
        r.x[k] = r.x[most - 1] * k / (most - 1), r.y[k] = sin(r.x[k]);
    static const char model[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n%s"
                                "constraint on: y = %s(x)\nstart x = 0.3, x' = 6\n";
    char text[300];
    snprintf(text, sizeof text, model, "data road = \"f.csv\", cubic, periodic\n", "road");
    open_with(&b, text, &r);
    begin_with(&b, ZW_DOP853, 1e-9, 8.0);
    go_to(&b, 8.0);
    snprintf(text, sizeof text, model, "", "sin");
    bench_open(&c, text);
    assert_int_equal(bench_start(&c, false), ZW_OK);
    begin_with(&c, ZW_DOP853, 1e-9, 8.0);
    go_to(&c, 8.0);
    bench_near(b.q[0], c.q[0], 2e-3); /* the spline is not the sine */
    bench_near(b.q[1], sin(b.q[0]), 1e-5);
    assert_true(b.q[0] > 40.0); /* many periods */
    double energy = (b.v[0] * b.v[0] + b.v[1] * b.v[1]) / 2.0 + 9.81 * b.q[1];
    double slope = cos(0.3), first = 18.0 * (1.0 + slope * slope) + 9.81 * sin(0.3);
    bench_near(energy, first, 1e-3);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    zw_run_statistics stats;
    assert_int_equal(zw_sim_statistics(b.sim, &stats), ZW_OK);
    bench_close(&b);
    bench_close(&c);
}

/* ----------------------------------------------------------------------------- ends */

static void data_that_end(void **state)
{
    bench b;
    rows r = {.x = {0.0, 1.0, 3.0}, .y = {1.0, 2.0, 0.5}, .count = 3};
    zw_outcome outcome;
    (void)state;
    static const char model[] = "coord x\nkinetic x'^2/2\ndata road = \"f.csv\"%s\n"
                                "force x: 0*road(x)\nstart x = %s, x' = 1\n";
    char text[300];
    snprintf(text, sizeof text, model, "", "0");
    open_with(&b, text, &r);
    begin_with(&b, ZW_DOP853, 1e-8, 9.0);
    bench_close(&b);
    static const char force[] = "coord x\nkinetic x'^2/2\ndata road = \"f.csv\"%s\n"
                                "force x: road(x) - road(x)^2/road(x)\nstart x = %s, x' = 1\n";
    snprintf(text, sizeof text, force, "", "0");
    open_with(&b, text, &r);
    begin_with(&b, ZW_DOP853, 1e-8, 9.0);
    assert_int_equal(zw_sim_advance(b.sim, 9.0, &outcome), ZW_ERR_NOT_FINITE);
    zw_sim_state(b.sim, &b.t, b.q, b.v);
    bench_near(b.t, 3.0, 1e-9);
    (void)zw_sim_conclude(b.sim);
    bench_expect(&b, "E0708", "`road(x)` leaves its data: x = 3, and they go from 0 to 3");
    bench_close(&b);
    snprintf(text, sizeof text, force, "", "3.5");
    assert_int_equal(compile_with(&b, text, &r), ZW_OK);
    assert_int_not_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "E0412", "at the start `road(x)` leaves its data: x = 3.5");
    bench_close(&b);
    snprintf(text, sizeof text, force, ", extend", "0");
    open_with(&b, text, &r);
    begin_with(&b, ZW_DOP853, 1e-8, 9.0);
    go_to(&b, 9.0);
    bench_near(b.q[0], 9.0, 1e-8);
    bench_close(&b);
}

/* A position cannot follow a jump: the run ends there, as with floor(x). */
static void jumps_are_refused(void **state)
{
    bench b;
    rows r = {.x = {0.0, 1.0, 3.0}, .y = {1.0, 2.0, 0.5}, .count = 3};
    zw_outcome outcome;
    (void)state;
    open_with(&b,
              "data road = \"f.csv\", hold\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
              "constraint on: y = road(x)\nstart x = 0.5, x' = 1\n",
              &r);
    begin_with(&b, ZW_DOP853, 1e-9, 2.0);
    assert_int_equal(zw_sim_advance(b.sim, 2.0, &outcome), ZW_ERR_STEP);
    zw_sim_state(b.sim, &b.t, b.q, b.v);
    bench_near(b.q[1], 1.0, 0.0);
    bench_near(b.t, 0.5, 1e-9);
    bench_close(&b);
}

/* ------------------------------------------------------------------------- contacts */

/* A body slides and flies over ground of chords, by data and by conditions. */
static void ground_from_data(void **state)
{
    bench b, c;
    rows r = {.x = {0.0, 1.0, 2.0, 4.0, 9.0}, .y = {2.0, 2.0, 1.0, 0.5, 0.5}, .count = 5};
    (void)state;
    static const char model[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n%s"
                                "constraint ground: y >= %s\nstart x = 0.1, x' = 1.3, y = 2\n";
    char text[400];
    snprintf(text, sizeof text, model, "data road = \"f.csv\", extend\n", "road(x)");
    open_with(&b, text, &r);
    begin_with(&b, ZW_DOP853, 1e-10, 2.5);
    go_to(&b, 2.5);
    snprintf(text, sizeof text, model, "",
             "if(x < 1, 2, if(x < 2, 3 - x, if(x < 4, 1 - (x - 2)/4, 0.5)))");
    bench_open(&c, text);
    assert_int_equal(bench_start(&c, false), ZW_OK);
    begin_with(&c, ZW_DOP853, 1e-10, 2.5);
    go_to(&c, 2.5);
    bench_near(b.q[0], c.q[0], 1e-7);
    bench_near(b.q[1], c.q[1], 1e-7);
    bench_near(b.v[0], c.v[0], 1e-7);
    assert_true(b.q[0] > 4.0);
    bench_close(&b);
    bench_close(&c);
}

/* ----------------------------------------------------------------------------- bits */

static const char busy[] = "coord x, y\nparam k = 3\nkinetic (x'^2 + 2*y'^2)/2\n"
                           "data road = \"f.csv\", cubic, extend\n"
                           "potential 2*road(x) + k*(y - road(x + y))^2/2\nforce y: road(t) - y'\n"
                           "start x = 0.2, x' = 2, y = 0.1\n";

static void expect_same_bits(const bench *a, const bench *b)
{
    assert_true(a->t == b->t);
    assert_memory_equal(a->q, b->q, sizeof(double) * (size_t)a->n);
    assert_memory_equal(a->v, b->v, sizeof(double) * (size_t)a->n);
}

static void kernels_agree(void **state)
{
    bench b[2];
    (void)state;
    seed = 21;
    rows r = random_rows(30, 0.05, 0.3);
    for (int k = 0; k < 2; k++) {
        open_with(&b[k], busy, &r);
        zw_run_settings set;
        zw_run_defaults(b[k].model, &set);
        set.until = 5.0;
        set.kernel = k ? ZW_KERNEL_NATIVE : ZW_KERNEL_BYTECODE;
        assert_int_equal(zw_sim_begin(b[k].sim, &set), ZW_OK);
        go_to(&b[k], 5.0);
    }
    expect_same_bits(&b[0], &b[1]);
    bench_close(&b[0]);
    bench_close(&b[1]);
}

static void saved_and_restored(void **state)
{
    (void)state;
    seed = 22;
    for (int k = 0; k < 3; k++) {
        bench a, b;
        size_t size;
        rows r = random_rows(30, 0.05, 0.3);
        open_with(&a, busy, &r);
        open_with(&b, busy, &r);
        begin_with(&a, methods[k], 1e-8, 5.0);
        begin_with(&b, methods[k], 1e-8, 5.0);
        for (int round = 0; round < 6; round++) {
            go_to(&a, a.t + between(0.0, 0.7));
            assert_int_equal(zw_sim_save(a.sim, NULL, 0, &size), ZW_OK);
            void *bytes = malloc(size);
            assert_non_null(bytes);
            assert_int_equal(zw_sim_save(a.sim, bytes, size, &size), ZW_OK);
            assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_OK);
            double later = a.t + 0.3;
            go_to(&a, later);
            go_to(&b, later);
            expect_same_bits(&a, &b);
            free(bytes);
        }
        rows other = r; /* a run over other data is another run */
        other.y[3] += 1e-9;
        bench c;
        open_with(&c, busy, &other);
        begin_with(&c, methods[k], 1e-8, 5.0);
        assert_int_equal(zw_sim_save(a.sim, NULL, 0, &size), ZW_OK);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(zw_sim_save(a.sim, bytes, size, &size), ZW_OK);
        assert_int_equal(zw_sim_restore(c.sim, bytes, size), ZW_ERR_SETTING);
        free(bytes);
        bench_close(&a);
        bench_close(&b);
        bench_close(&c);
    }
}

static void members_are_as_alone(void **state)
{
    enum { count = 12 };
    bench b;
    double states[count * 4], values[count];
    static const char *const names[] = {"k"};
    (void)state;
    seed = 23;
    rows r = random_rows(30, 0.05, 0.3);
    open_with(&b, busy, &r);
    zw_run_settings set;
    zw_run_defaults(b.model, &set);
    set.until = 3.0;
    for (int i = 0; i < count; i++) {
        values[i] = between(1.0, 5.0);
        for (int j = 0; j < 4; j++) states[4 * i + j] = between(0.0, 1.0);
    }
    double first[count * 4];
    memcpy(first, states, sizeof first);
    zw_ensemble ensemble = {.count = count,
                            .state = states,
                            .names = names,
                            .name_count = 1,
                            .values = values,
                            .threads = 2};
    assert_int_equal(zw_ensemble_run(b.model, &set, &ensemble), ZW_OK);
    for (int i = 0; i < count; i++) {
        bench one;
        char text[60];
        open_with(&one, busy, &r);
        snprintf(text, sizeof text, "k = %.17g", values[i]);
        assert_int_equal(zw_sim_set_parameters(one.sim, text), ZW_OK);
        assert_int_equal(zw_sim_set_state(one.sim, 0.0, first + 4 * i, first + 4 * i + 2), ZW_OK);
        assert_int_equal(zw_sim_begin(one.sim, &set), ZW_OK);
        go_to(&one, 3.0);
        assert_memory_equal(one.q, states + 4 * i, 2 * sizeof(double));
        assert_memory_equal(one.v, states + 4 * i + 2, 2 * sizeof(double));
        bench_close(&one);
    }
    bench_close(&b);
}

/* ------------------------------------------------------------------------ elsewhere */

/* In parameters, starts, events and in the argument of other data; many calls of one shape. */
static void wherever_expressions_stand(void **state)
{
    bench b;
    rows r = {.x = {0.0, 1.0, 3.0}, .y = {1.0, 2.0, 0.5}, .count = 3};
    zw_outcome outcome;
    (void)state;
    open_with(&b,
              "data road = \"f.csv\", extend\nparam p = 0.25, h = road(p)\ncoord x, y\n"
              "kinetic (x'^2 + y'^2)/2\nforce x: road(road(x)) - road(road(x))\n"
              "start x = road(0.5) - 1, x' = 1, y = road(x) + h\n"
              "when road(x) < 1: stop\n",
              &r);
    bench_near(b.q[0], 0.5, 0.0);
    bench_near(b.q[1], 1.5 + 1.25, 0.0);
    begin_with(&b, ZW_DOP853, 1e-9, 9.0);
    assert_int_equal(zw_sim_advance(b.sim, 9.0, &outcome), ZW_OK);
    zw_sim_state(b.sim, &b.t, b.q, b.v);
    bench_near(b.q[0], 1.0 + 1.0 / 0.75, 1e-9);
    bench_close(&b);
    open_with(&b,
              "data road = \"f.csv\", extend\nparam n = 40\ncoord x[n]\n"
              "for i in 1..n {\nkinetic x[i]'^2/2\npotential road(x[i])\nstart x[i] = i/40\n}\n",
              &r);
    begin_with(&b, ZW_DOP853, 1e-9, 1.0);
    go_to(&b, 1.0);
    for (int i = 0; i < 40; i++) { /* downhill: to the left at first on the slope of 1 */
        double x = (i + 1) / 40.0;
        bench_near(b.q[i], x < 1.0 ? x - 0.5 : b.q[i], 1e-9);
    }
    bench_close(&b);
}

/* Its words are names everywhere but at the beginning of a statement and behind the file. */
static void words_are_free(void **state)
{
    bench b;
    rows r = {.x = {0.0, 1.0}, .y = {1.0, 2.0}, .count = 2};
    (void)state;
    open_with(&b,
              "param data = 2, extend = 3\ncoord hold, cubic, linear, periodic\n"
              "kinetic data*(hold'^2 + cubic'^2 + linear'^2 + periodic'^2)/2\n"
              "potential extend*hold +\ndata*cubic\ndata road = \"f.csv\", hold, extend\n"
              "force linear: road(data) + road(hold)\n",
              &r);
    double z[4];
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, b.q, b.v, z), ZW_OK);
    bench_near(z[2], 1.5, 1e-15);
    bench_close(&b);
}

static void wrong_arrays(void **state)
{
    bench b;
    static const char text[] = "data road = \"f.csv\"\ncoord x\nkinetic x'^2/2\nforce x: road(x)\n";
    rows r = {.x = {0.0, 1.0, 1.0}, .y = {1.0, 2.0, 0.5}, .count = 3};
    (void)state;
    assert_int_equal(compile_with(&b, text, &r), ZW_ERR_MODEL);
    bench_expect(&b, "E0333", "in row 3, at 1, the abscissa is not greater");
    bench_close(&b);
    r.x[2] = (double)NAN;
    assert_int_equal(compile_with(&b, text, &r), ZW_ERR_MODEL);
    bench_expect(&b, "E0333", "a number is not finite");
    bench_close(&b);
    r.count = 1;
    assert_int_equal(compile_with(&b, text, &r), ZW_ERR_MODEL);
    bench_expect(&b, "E0333", "linear data need 2 rows at least; there is 1");
    bench_close(&b);
    r.count = 2;
    assert_int_equal(compile_with(&b, "coord x\nkinetic x'^2/2\n", &r), ZW_ERR_MODEL);
    bench_expect(&b, "E0335", "a table is given for 'road', but no data of the model");
    bench_close(&b);
    assert_int_equal(bench_compile(&b, text), ZW_ERR_MODEL);
    bench_expect(&b, "E0330", "there is no file 'f.csv'");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knots_are_met),        cmocka_unit_test(forces_of_time),
        cmocka_unit_test(on_a_spline),          cmocka_unit_test(data_that_end),
        cmocka_unit_test(jumps_are_refused),    cmocka_unit_test(ground_from_data),
        cmocka_unit_test(kernels_agree),        cmocka_unit_test(saved_and_restored),
        cmocka_unit_test(members_are_as_alone), cmocka_unit_test(wherever_expressions_stand),
        cmocka_unit_test(words_are_free),       cmocka_unit_test(wrong_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
