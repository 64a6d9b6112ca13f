/*
 * Contacts and states: a run that is saved in any mode goes on to the same bits, and so does one that is
 * asked about other states meanwhile; members of an ensemble have the bits of single runs; at a state
 * that a caller has set the mode is the one that the state alone has. Memory that is refused.
 */
#include "../../slow.h"
#include "touching_models.h"
#include "track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {ball, belt, rope, clutch, joint, puck, table, line};
static const double ends[] = {5.0, 6.0, 1.0, 1.0, 3.0, 1.2, 0.5, 2.0};
enum { model_count = sizeof models / sizeof *models };

/* -------------------------------------------------------------------------- running */

static zw_run_settings set_up(bench *b, int k)
{
    zw_run_settings set;
    bench_open(b, models[k]);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = ends[k];
    set.tol = 1e-8;
    return set;
}

static void begin_at_start(bench *b, const zw_run_settings *set)
{
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_sim_begin(b->sim, set), ZW_OK);
}

static void go_to(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
}

static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* ------------------------------------------------------------------------ comparing */

static void same_rows(bench *a, bench *b)
{
    double rows[2][200];
    bench *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        zw_columns *columns = NULL;
        assert_int_equal(zw_columns_create(both[k]->model, "all", &columns), ZW_OK);
        assert_true(zw_columns_count(columns) <= 200);
        memset(rows[k], 0, sizeof rows[k]);
        assert_int_equal(zw_sim_columns(both[k]->sim, columns, rows[k]), ZW_OK);
        zw_columns_free(columns);
    }
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
}

static void same_happenings(bench *a, bench *b)
{
    int64_t count = zw_sim_happened_count(a->sim);
    assert_int_equal(zw_sim_happened_count(b->sim), count);
    for (int64_t i = 0; i < count && i < 1000; i++) {
        zw_happened x, y;
        assert_int_equal(zw_sim_happened(a->sim, i, &x), ZW_OK);
        assert_int_equal(zw_sim_happened(b->sim, i, &y), ZW_OK);
        assert_true(x.t == y.t && x.kind == y.kind && x.number == y.number);
        assert_true(x.impulse == y.impulse && x.energy == y.energy);
    }
    for (int32_t i = 0; i < zw_model_contact_count(a->model); i++) {
        zw_contact x, y;
        assert_int_equal(zw_sim_contact(a->sim, i, &x), ZW_OK);
        assert_int_equal(zw_sim_contact(b->sim, i, &y), ZW_OK);
        assert_int_equal(x.state, y.state);
        assert_true(x.impulse == y.impulse && x.impacts == y.impacts && x.closings == y.closings);
        assert_true(x.openings == y.openings && x.sticks == y.sticks && x.slips == y.slips);
        assert_true(x.last == y.last || (isnan(x.last) && isnan(y.last)));
    }
}

static void same_runs(bench *a, bench *b)
{
    zw_run_statistics x, y;
    assert_int_equal(zw_sim_state(a->sim, &a->t, a->q, a->v), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
    assert_memory_equal(&a->t, &b->t, sizeof a->t);
    assert_memory_equal(a->q, b->q, sizeof *a->q * (size_t)a->n);
    assert_memory_equal(a->v, b->v, sizeof *a->v * (size_t)a->n);
    same_rows(a, b);
    same_happenings(a, b);
    assert_int_equal(zw_sim_statistics(a->sim, &x), ZW_OK);
    assert_int_equal(zw_sim_statistics(b->sim, &y), ZW_OK);
    assert_int_equal(x.steps, y.steps);
    assert_true(x.energy.error == y.energy.error && x.energy.events == y.energy.events);
}

/* ------------------------------------------------------------------------ saved runs */

static void *save_run(bench *b, size_t *size)
{
    size_t again = 0;
    assert_int_equal(zw_sim_save(b->sim, NULL, 0, size), ZW_OK);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(zw_sim_save(b->sim, bytes, *size, &again), ZW_OK);
    assert_int_equal(again, *size);
    return bytes;
}

/* At any time, or just when something happens in run a, which has reached its end. */
static double choose_time(const bench *a, int k, int round, uint64_t *seed)
{
    zw_happened h;
    int64_t count = zw_sim_happened_count(a->sim);
    double x = next_random(seed);
    if (round % 3 == 0 || count == 0) return ends[k] * x;
    assert_int_equal(zw_sim_happened(a->sim, (int64_t)(x * (double)count), &h), ZW_OK);
    return fmin(h.t + (round % 3 == 2 ? 1e-7 : 0.0), ends[k]);
}

/* While it is open, slides, sticks, at rest; restored into a run that is elsewhere itself. */
static void saved_in_any_mode(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int k = 0; k < model_count; k++) {
        bench a, b, c;
        zw_run_settings set = set_up(&a, k);
        (void)set_up(&b, k);
        (void)set_up(&c, k);
        begin_at_start(&a, &set);
        go_to(&a, ends[k]);
        for (int round = 0; round < 24; round++) {
            size_t size = 0;
            begin_at_start(&b, &set);
            go_to(&b, choose_time(&a, k, round, &seed));
            void *bytes = save_run(&b, &size);
            begin_at_start(&c, &set);
            if (round % 2) go_to(&c, ends[k] * next_random(&seed));
            assert_int_equal(zw_sim_restore(c.sim, bytes, size), ZW_OK);
            same_runs(&b, &c);
            go_to(&c, ends[k]);
            same_runs(&a, &c);
            go_to(&b, ends[k]);
            assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_OK); /* back in time */
            go_to(&b, ends[k]);
            same_runs(&a, &b);
            free(bytes);
        }
        bench_close(&a);
        bench_close(&b);
        bench_close(&c);
    }
}

/* What contacts do is no part of what must agree; parameters are. */
static void other_parameters_are_refused(void **state)
{
    (void)state;
    bench a, b;
    size_t size = 0;
    zw_run_settings set = set_up(&a, 0);
    (void)set_up(&b, 0);
    begin_at_start(&a, &set);
    go_to(&a, 5.0); /* at rest */
    void *bytes = save_run(&a, &size);
    begin_at_start(&b, &set);
    assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_OK);
    assert_int_equal(zw_sim_set_parameters(b.sim, "mu = 0.31"), ZW_OK);
    begin_at_start(&b, &set);
    assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_ERR_SETTING);
    free(bytes);
    bench_close(&a);
    bench_close(&b);
}

/* ----------------------------------------------------------- asked in the middle of it */

/* Rows and accelerations at other states, contacts: the run does not notice. */
static void asking_changes_nothing(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < model_count; k++) {
        bench a, b;
        zw_run_settings set = set_up(&a, k);
        (void)set_up(&b, k);
        begin_at_start(&a, &set);
        begin_at_start(&b, &set);
        go_to(&a, ends[k]);
        for (int i = 1; i <= 30; i++) {
            double q[8], v[8], z[8];
            zw_contact contact;
            go_to(&b, ends[k] * i / 30.0);
            for (int j = 0; j < b.n; j++) q[j] = next_random(&seed) - 0.5;
            for (int j = 0; j < b.n; j++) v[j] = next_random(&seed) - 0.5;
            assert_int_equal(zw_sim_acceleration(b.sim, 0.3, q, v, z), ZW_OK);
            for (int j = 0; j < b.n; j++) q[j] = v[j] = 0.0;
            assert_int_equal(zw_sim_acceleration(b.sim, 0.3, q, v, z), ZW_OK);
            assert_int_equal(zw_sim_contact(b.sim, 0, &contact), ZW_OK);
            same_rows(&b, &b);
        }
        same_runs(&a, &b);
        bench_close(&a);
        bench_close(&b);
    }
}

/* ------------------------------------------------------------------- a state alone */

static void accelerate(bench *b, const double *q, const double *v, double *z)
{
    assert_int_equal(zw_sim_acceleration(b->sim, 0.0, q, v, z), ZW_OK);
}

/* Open, sliding either way, sticking, leaving; whatever was asked before, and without memory. */
static void accelerations_have_their_own_mode(void **state)
{
    (void)state;
    static const struct {
        double q[2], v[2], z[2];
    } cases[] = {{{0, 1}, {0, 0}, {0, -9.81}},
                 {{0, 0}, {2, 0}, {-2.943, 0}},
                 {{0, 0}, {-2, 0}, {2.943, 0}},
                 {{5, 0}, {0, 0}, {0, 0}},
                 {{5, 1e-13}, {1e-17, -1e-17}, {0, 0}}, /* at rest but for rounding */
                 {{0, 0}, {2, 0.5}, {0, -9.81}},
                 {{0, 0}, {2, -0.5}, {0, -9.81}}}; /* an impact is to come */
    enum { count = sizeof cases / sizeof *cases };
    track k;
    bench b = {0};
    double z[2];
    track_open(&k, ball, NULL, ZW_SOLVER_AUTO, 1e-9);
    b.sim = k.sim;
    size_t requests = k.count.requests;
    for (int i = 0; i < count * count; i++) {
        int first = i / count, then = i % count;
        accelerate(&b, cases[first].q, cases[first].v, z);
        accelerate(&b, cases[then].q, cases[then].v, z);
        for (int j = 0; j < 2; j++) bench_near(z[j], cases[then].z[j], 1e-12);
    }
    assert_int_equal(k.count.requests, requests);
    close_track(&k);
}

/* A force that follows a reaction presses on the wall: by the reaction of this state, not of another. */
static void reactions_of_the_state_decide(void **state)
{
    (void)state;
    bench b;
    double q[2] = {0, 0}, v[2] = {0, 0}, far[2] = {2, 0}, z[2], lambda[2];
    bench_open(&b, "param f = 0.5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: 3\nforce x: f\n"
                   "constraint rail: y = 0\nnonideal x: -0.2*abs(multiplier(rail))\n"
                   "constraint wall: x >= 0\n");
    accelerate(&b, q, v, z);
    bench_near(z[0], 0.0, 1e-12);
    accelerate(&b, far, v, z);
    bench_near(z[0], -0.1, 1e-12);
    accelerate(&b, q, v, z);
    bench_near(z[0], 0.0, 1e-12);
    assert_int_equal(zw_sim_set_parameters(b.sim, "f = 0.7"), ZW_OK);
    accelerate(&b, q, v, z);
    bench_near(z[0], 0.1, 1e-12);
    zw_gauss_answer answer = {.acceleration = z, .multipliers = lambda};
    assert_int_equal(zw_sim_solve(b.sim, &answer), ZW_OK);
    bench_near(lambda[0], -3.0, 1e-12);
    bench_close(&b);
}

/* State, parameters and single values, each of which changes the mode. */
static void what_is_set_decides(void **state)
{
    (void)state;
    bench b;
    zw_contact c;
    double q[2] = {0, 0}, v[2] = {0.3, 0}, z[2], lambda[2], value[2], C[2];
    bench_open(&b, belt);
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, v), ZW_OK);
    assert_int_equal(zw_sim_contact(b.sim, 0, &c), ZW_OK);
    assert_int_equal(c.state, ZW_STICKS);
    assert_true(isnan(c.last) && c.closings == 0);
    assert_int_equal(zw_sim_set_parameters(b.sim, "v = 0.5"), ZW_OK);
    assert_int_equal(zw_sim_contact(b.sim, 0, &c), ZW_OK);
    assert_int_equal(c.state, ZW_TOUCHES);
    zw_gauss_answer answer = {.acceleration = z, .multipliers = lambda};
    assert_int_equal(zw_sim_solve(b.sim, &answer), ZW_OK);
    bench_near(z[0], 0.2 * 9.81, 1e-12);
    bench_near(lambda[0], 9.81, 1e-12);
    bench_near(lambda[1], 0.2 * 9.81, 1e-12);
    zw_instant instant = {.value = value, .C = C};
    assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
    assert_true(instant.has_C);
    bench_near(C[0], 0.2 * 9.81, 1e-12);
    bench_near(value[1], -0.2, 1e-15);
    assert_int_equal(zw_sim_assign(b.sim, "y = 0.25, x = 1"), ZW_OK);
    assert_int_equal(zw_sim_contact(b.sim, 0, &c), ZW_OK);
    assert_int_equal(c.state, ZW_OPEN);
    assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
    assert_false(instant.has_C);
    bench_near(value[0], 0.25, 0.0); /* the gap itself, open or not */
    assert_int_equal(zw_sim_solve(b.sim, &answer), ZW_OK);
    bench_near(z[0], -10.0, 1e-12);
    bench_near(z[1], -9.81, 1e-12);
    /* too much for sticking: x = 0.5 pulls with 5 */
    assert_int_equal(zw_sim_assign(b.sim, "y = 0, x = 0.5, x' = 0.5"), ZW_OK);
    assert_int_equal(zw_sim_contact(b.sim, 0, &c), ZW_OK);
    assert_int_equal(c.state, ZW_TOUCHES);
    assert_int_equal(zw_sim_solve(b.sim, &answer), ZW_OK);
    bench_near(z[0], 0.2 * 9.81 - 5.0, 1e-12);
    bench_close(&b);
}

/* After a run the mode of the state that is set, not of where the run was. */
static void a_run_leaves_nothing(void **state)
{
    (void)state;
    bench b;
    zw_contact c;
    double q[2] = {0, 1}, v[2] = {0, 0}, z[2];
    zw_run_settings set = set_up(&b, 0);
    begin_at_start(&b, &set);
    go_to(&b, 5.0);
    assert_int_equal(zw_sim_contact(b.sim, 0, &c), ZW_OK);
    assert_int_equal(c.state, ZW_STICKS);
    assert_true(c.impacts > 0 && c.impulse > 0.0);
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, v), ZW_OK);
    zw_gauss_answer answer = {.acceleration = z};
    assert_int_equal(zw_sim_solve(b.sim, &answer), ZW_OK);
    bench_near(z[1], -9.81, 1e-12);
    assert_int_equal(zw_sim_contact(b.sim, 0, &c), ZW_OK);
    assert_int_equal(c.state, ZW_OPEN);
    assert_int_equal(c.impacts, 0);
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_contact(b.sim, 0, &c), ZW_OK);
    assert_true(c.impacts == 0 && c.impulse == 0.0 && isnan(c.last));
    bench_close(&b);
}

/* Onto the ground, no farther; what leaves it keeps its speed, and so does what will collide. */
static void projected_onto_what_is_violated(void **state)
{
    (void)state;
    bench b;
    static const double cases[][3] = {{0.5, -1, 0.5}, {-0.5, -1, 0}, {-0.5, 2, 0}};
    bench_open(&b, ball);
    for (int k = 0; k < 3; k++) {
        double q[2] = {1, cases[k][0]}, v[2] = {0.5, cases[k][1]};
        assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, v), ZW_OK);
        assert_int_equal(zw_sim_project(b.sim), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, NULL, b.q, b.v), ZW_OK);
        bench_near(b.q[0], 1.0, 0.0);
        bench_near(b.q[1], cases[k][2], 1e-15);
        bench_near(b.v[0], 0.5, 0.0);
        bench_near(b.v[1], cases[k][1], 0.0);
    }
    bench_close(&b);
    bench_open(&b, clutch);
    double q[2] = {0, 0}, v[2] = {3, 1};
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, v), ZW_OK);
    assert_int_equal(zw_sim_project(b.sim), ZW_OK);
    assert_int_equal(zw_sim_state(b.sim, NULL, b.q, b.v), ZW_OK);
    bench_near(b.v[0], 2.0, 1e-15);
    bench_near(b.v[1], 2.0, 1e-15);
    bench_close(&b);
}

/* ------------------------------------------------------------------------ ensembles */

enum { members = 9, times = 4 };

/* Every member alone, on a simulation of its own. */
static void run_alone(bench *b, const zw_run_settings *set, const double *x, double value,
                      const double *at, double *samples, double *end)
{
    char text[40];
    zw_outcome outcome;
    (void)snprintf(text, sizeof text, "mu = %.17g", value);
    zw_sim_free(b->sim);
    assert_int_equal(zw_sim_create(b->model, &b->sim), ZW_OK);
    assert_int_equal(zw_sim_set_parameters(b->sim, text), ZW_OK);
    assert_int_equal(zw_sim_set_state(b->sim, 0.0, x, x + b->n), ZW_OK);
    assert_int_equal(zw_sim_begin(b->sim, set), ZW_OK);
    for (int k = 0; k < times; k++) {
        double *to = samples + k * 2 * b->n;
        assert_int_equal(zw_sim_advance(b->sim, at[k], &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(b->sim, NULL, to, to + b->n), ZW_OK);
    }
    assert_int_equal(zw_sim_advance(b->sim, set->until, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, NULL, end, end + b->n), ZW_OK);
}

static void members_have_the_bits_of_single_runs(void **state)
{
    (void)state;
    static const int chosen[] = {0, 1, 5};
    for (int m = 0; m < 3; m++) {
        bench b;
        int which = chosen[m];
        zw_run_settings set = set_up(&b, which);
        enum { most = 6 };
        double start[members * most], x[members * most], mu[members], at[times];
        double samples[members * times * most], one[times * most], end[most];
        size_t size = 2 * (size_t)b.n;
        for (int i = 0; i < members; i++) {
            memcpy(start + (size_t)i * size, b.q, sizeof(double) * (size_t)b.n);
            memcpy(start + (size_t)i * size + b.n, b.v, sizeof(double) * (size_t)b.n);
            start[(size_t)i * size + (size_t)b.n] += 0.1 * i;
            mu[i] = 0.1 + 0.03 * i;
        }
        for (int k = 0; k < times; k++) at[k] = ends[which] * (k + 1) / (times + 1);
        for (int32_t threads = 1; threads <= 2; threads++) {
            zw_member member[members];
            const char *names[] = {"mu"};
            memcpy(x, start, sizeof x);
            zw_ensemble e = {.count = members,
                             .state = x,
                             .names = names,
                             .name_count = 1,
                             .values = mu,
                             .times = at,
                             .time_count = times,
                             .samples = samples,
                             .threads = threads,
                             .members = member};
            assert_int_equal(zw_ensemble_run(b.model, &set, &e), ZW_OK);
            for (size_t i = 0; i < members; i++) {
                assert_int_equal(member[i].status, ZW_OK);
                assert_false(member[i].in_lanes);
                run_alone(&b, &set, start + i * size, mu[i], at, one, end);
                assert_memory_equal(end, x + i * size, sizeof(double) * size);
                assert_memory_equal(one, samples + i * times * size, sizeof(double) * times * size);
            }
        }
        bench_close(&b);
    }
}

/* --------------------------------------------------------------------------- memory */

/* From a text to a verdict; the first failure. */
static zw_status run_whole(zw_context *context, const char *text)
{
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_columns *columns = NULL;
    zw_run_settings set;
    zw_outcome outcome;
    size_t written = 0;
    double row[100];
    zw_model_source source = {.file = "model.zw", .text = text, .length = strlen(text)};
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_columns_create(model, "all", &columns);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, false);
    if (status == ZW_OK) status = zw_run_defaults(model, &set);
    set.until = 0.6;
    set.kernel = ZW_KERNEL_BYTECODE; /* which machine code is replaced by */
    if (status == ZW_OK) status = zw_sim_begin(sim, &set);
    if (status == ZW_OK) status = zw_sim_advance(sim, 0.6, &outcome);
    if (status == ZW_OK) status = zw_sim_columns(sim, columns, row);
    if (status == ZW_OK) status = zw_sim_conclude(sim);
    if (status == ZW_OK) status = zw_sim_verdict(sim, ZW_REPORT_JSON, swallow, &written);
    zw_columns_free(columns);
    zw_sim_free(sim);
    zw_model_free(model);
    return status;
}

static void every_request_may_fail(void **state)
{
    (void)state;
    size_t step = (size_t)unless_slow(1, 7);
    for (size_t fail_at = 0, all = 0; fail_at <= all; fail_at += fail_at ? step : 1) {
        counter c = {.fail_at = fail_at};
        zw_context *context = NULL;
        zw_allocator allocator = {.resize = count_resize, .user = &c};
        zw_status status = zw_context_create(&allocator, &context);
        if (status == ZW_OK) status = run_whole(context, ball);
        zw_context_free(context);
        assert_int_equal(c.bytes, 0);
        assert_int_equal(status, fail_at == 0 ? ZW_OK : ZW_ERR_MEMORY);
        if (fail_at == 0) all = c.requests;
    }
}

/* ------------------------------------------------------------------------- masses */

/* What a solver knows of M from before does not outlive the parameters: a simulation whose masses
 * change between solves has the accelerations of one that had them from the beginning. */
static void masses_change(void **state)
{
    static const char text[] =
        "param m = 1, k = 2\ncoord x[6], y[6]\n"
        "for i in 1..6 {\nkinetic m*i*(x[i]'^2 + y[i]'^2)/2 + k*x[i]'*y[i]'/9\n"
        "potential 9.81*m*i*y[i]\nconstraint ground[i]: y[i] >= 0\n}\n"
        "for i in 2..6 { constraint rod[i]: x[i] - x[i-1] + (y[i] - y[i-1])/3 = 1 }\n"
        "force x[1]: 3\nstart x[1] = 0\nsimulate t = 0..1\n";
    for (int solver = 0; solver < 2; solver++) {
        bench a, b;
        double q[12], v[12] = {0}, z[12], w[12], t;
        (void)(solver ? bench_sparse(state) : bench_auto(state));
        bench_open(&a, text);
        assert_int_equal(bench_start(&a, false), ZW_OK);
        zw_sim_state(a.sim, &t, q, v);
        for (int round = 0; round < 4; round++) {
            char say[40];
            (void)snprintf(say, sizeof say, "m = %d", 1 + 2 * round);
            assert_int_equal(zw_sim_set_parameters(a.sim, say), ZW_OK);
            bench_open(&b, text);
            assert_int_equal(zw_sim_set_parameters(b.sim, say), ZW_OK);
            for (int side = 0; side < 2; side++) { /* in the air, and on the ground */
                for (int i = 0; i < 6; i++) q[6 + i] = side == 0 ? 1.0 : 0.0;
                assert_int_equal(zw_sim_acceleration(a.sim, t, q, v, z), ZW_OK);
                assert_int_equal(zw_sim_acceleration(b.sim, t, q, v, w), ZW_OK);
                for (int j = 0; j < 12; j++) bench_near(z[j], w[j], 0.0);
            }
            bench_close(&b);
        }
        bench_close(&a);
    }
    (void)bench_auto(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_in_any_mode),
        cmocka_unit_test(other_parameters_are_refused),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(accelerations_have_their_own_mode),
        cmocka_unit_test(reactions_of_the_state_decide),
        cmocka_unit_test(what_is_set_decides),
        cmocka_unit_test(a_run_leaves_nothing),
        cmocka_unit_test(projected_onto_what_is_violated),
        cmocka_unit_test(members_have_the_bits_of_single_runs),
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(masses_change),
    };
    return cmocka_run_group_tests_name("contact_state", tests, NULL, NULL);
}
