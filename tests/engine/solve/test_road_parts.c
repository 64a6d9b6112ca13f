/*
 * Runs in lanes against the same runs by the sparse solver: accelerations, trajectories,
 * statistics; chains, ladders, redundant ladders, sets of pendula, rows that move or are not
 * integrable; works, events, dense output, all methods; conflicts and other things that lanes leave
 * to others; restarts and kernels to the same bits; no memory taken on the way, and none lost when
 * there is none.
 */
#include "track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------- models */

#define CHAIN(N, more)                                                                             \
    "param N = " #N ", w = 1\ncoord x[N], y[N]\n"                                                  \
    "kinetic sum(i in 1..N, w*(x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N, 9.81*y[i])\n"       \
    "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"                                                     \
    "for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1 }\n"                 \
    "for i in 1..N {\nstart x[i] = 0.8*i\nstart y[i] = -0.6*i\nstart x[i]' = 0.3*i\n"              \
    "start y[i]' = 0.4*i\n}\n" more

/* Bays of rungs and rails; `more` may brace them. */
#define LADDER(N, more)                                                                            \
    "param N = " #N ", n = 2*N + 2\ncoord x[n], y[n]\n"                                            \
    "kinetic sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..n, 9.81*y[i])\n"         \
    "for i in 1..N+1 {\nlet a = 2*i - 1, b = 2*i\n"                                                \
    "start x[a] = i\nstart x[b] = i\nstart y[b] = 1\n"                                             \
    "constraint rung[i]: (x[a] - x[b])^2 + (y[a] - y[b])^2 = 1\n"                                  \
    "if i <= N {\n"                                                                                \
    "constraint low[i]: (x[a+2] - x[a])^2 + (y[a+2] - y[a])^2 = 1\n"                               \
    "constraint high[i]: (x[b+2] - x[b])^2 + (y[b+2] - y[b])^2 = 1\n" more                         \
    "}\n}\nconstraint pin: [x[1], y[1]] = [1, 0]\n"

static const char ladder[] =
    LADDER(30, "constraint rise[i]: (x[b+2] - x[a])^2 + (y[b+2] - y[a])^2 = 2\n");
/* One rod of each bay is redundant. */
static const char braced[] =
    LADDER(40, "constraint rise[i]: (x[b+2] - x[a])^2 + (y[b+2] - y[a])^2 = 2\n"
               "constraint fall[i]: (x[a+2] - x[b])^2 + (y[a+2] - y[b])^2 = 2\n");

/* Double pendula of different masses, side by side. */
static const char pendula[] =
    "param N = 400\ncoord x[2*N], y[2*N]\n"
    "kinetic sum(i in 1..2*N, (1 + 0.1*i)*(x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..2*N, 9.81*(1 + 0.1*i)*y[i])\n"
    "for i in 1..N {\nlet a = 2*i - 1, b = 2*i\n"
    "constraint upper[i]: (x[a] - i)^2 + y[a]^2 = 1\n"
    "constraint lower[i]: (x[b] - x[a])^2 + (y[b] - y[a])^2 = 1\n"
    "start x[a] = i + cos(0.005*i)\nstart y[a] = -sin(0.005*i)\n"
    "start x[b] = x[a] + cos(0.007*i)\nstart y[b] = y[a] - sin(0.007*i)\n}\n";

/* Sleighs whose blades may not slip sideways, tied two by two. */
static const char sleighs[] =
    "param N = 30\ncoord x[N], y[N], a[N]\n"
    "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2 + 0.3*a[i]'^2)/2)\n"
    "potential sum(i in 1..N, 0.2*x[i])\n"
    "for i in 1..N {\nconstraint blade[i]: x[i]'*sin(a[i]) = y[i]'*cos(a[i])\n"
    "start x[i] = i\nstart a[i] = 0.3\nstart x[i]' = cos(0.3)\nstart y[i]' = sin(0.3)\n}\n"
    "for i in 1..N/2 { constraint tie[i]: (x[2*i] - x[2*i-1])^2 + (y[2*i] - y[2*i-1])^2 = 1 }\n";

/* Its end is carried along: the constraint works. A rod is an acceleration row. */
#define CARRIED                                                                                    \
    "param N = 40\ncoord x[N], y[N]\n"                                                             \
    "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N, 9.81*y[i])\n"         \
    "dissipation sum(i in 1..N, 0.05*(x[i]'^2 + y[i]'^2)/2)\n"                                     \
    "constraint rod[1]: (x[1] - 0.2*sin(3*t))^2 + y[1]^2 = 1\n"                                    \
    "for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1 }\n"                 \
    "for i in 1..N {\nstart x[i] = 0.6*i\nstart y[i] = -0.8*i\n}\n"

static const char *const all_texts[] = {CHAIN(60, ""), ladder, braced, pendula, sleighs, CARRIED};
enum { text_count = sizeof all_texts / sizeof *all_texts };

/* ----------------------------------------------------------------------- tracks */

static void open_track(track *k, const char *text, zw_solver solver)
{
    track_open(k, text, NULL, solver, 1e-11);
}

/* Every column of both, relative to the larger of 1 and the largest column. */
static void compare_rows(const track *a, const track *b, double tolerance)
{
    double size = 1.0;
    assert_int_equal(a->width, b->width);
    for (int32_t i = 0; i < a->width; i++) size = fmax(size, fabs(a->row[i]));
    for (int32_t i = 0; i < a->width; i++) {
        char name[64];
        (void)zw_columns_name(a->columns, i, name, sizeof name);
        if (!(fabs(a->row[i] - b->row[i]) <= tolerance * size))
            fail_msg("%s: %.17g and %.17g", name, a->row[i], b->row[i]);
    }
}

static void open_both(track *lanes, track *sparse, const char *text)
{
    open_track(lanes, text, ZW_SOLVER_PARTS);
    open_track(sparse, text, ZW_SOLVER_SPARSE);
}

static void close_both(track *lanes, track *sparse)
{
    close_track(lanes);
    close_track(sparse);
}

/* ---------------------------------------------------------------- accelerations */

static void accelerations_at(track *a, track *b, const double *q, const double *v)
{
    size_t n = (size_t)a->n;
    double *z = calloc(2 * n, sizeof *z), size = 0.0;
    assert_non_null(z);
    assert_int_equal(zw_sim_acceleration(a->sim, 0.1, q, v, z), ZW_OK);
    assert_int_equal(zw_sim_acceleration(b->sim, 0.1, q, v, z + n), ZW_OK);
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(z[n + i]));
    for (size_t i = 0; i < n; i++) bench_near(z[i], z[n + i], 1e-11 * size);
    free(z);
}

/* At the start, and beside the constraints where rows are independent. */
static void accelerations_agree(void **state)
{
    (void)state;
    for (int k = 0; k < text_count; k++) {
        track a, b;
        open_both(&a, &b, all_texts[k]);
        size_t n = (size_t)a.n;
        double *x = calloc(2 * n, sizeof *x), t;
        assert_non_null(x);
        assert_int_equal(zw_sim_start(a.sim, false), ZW_OK);
        assert_int_equal(zw_sim_start(b.sim, false), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, &t, x, x + n), ZW_OK);
        accelerations_at(&a, &b, x, x + n);
        for (size_t i = 0; i < 2 * n; i++) x[i] += 0.01 * sin((double)(7 * i));
        if (all_texts[k] != braced) accelerations_at(&a, &b, x, x + n);
        free(x);
        close_both(&a, &b);
    }
}

static void parameters_reach_them(void **state)
{
    (void)state;
    track a, b;
    open_both(&a, &b, CHAIN(60, ""));
    double x[240], t;
    assert_int_equal(zw_sim_start(a.sim, false), ZW_OK);
    assert_int_equal(zw_sim_start(b.sim, false), ZW_OK);
    assert_int_equal(zw_sim_state(a.sim, &t, x, x + 120), ZW_OK);
    double z[2][120];
    assert_int_equal(zw_sim_acceleration(a.sim, t, x, x + 120, z[0]), ZW_OK);
    assert_int_equal(zw_sim_set_parameters(a.sim, "w = 1.7"), ZW_OK);
    assert_int_equal(zw_sim_set_parameters(b.sim, "w = 1.7"), ZW_OK);
    accelerations_at(&a, &b, x, x + 120);
    assert_int_equal(zw_sim_acceleration(a.sim, t, x, x + 120, z[1]), ZW_OK);
    assert_true(fabs(z[1][10] - z[0][10]) > 0.1);
    close_both(&a, &b);
}

/* ------------------------------------------------------------------------- runs */

static void same_figures(track *lanes, track *sparse)
{
    zw_run_statistics a = statistics(lanes), b = statistics(sparse);
    assert_int_equal(a.solver, ZW_SOLVER_SPARSE);
    assert_non_null(a.parts.rule);
    assert_true(a.parts.count >= a.parts.shapes && a.parts.shapes > 0);
    assert_true(a.parts.width == 4 || a.parts.width == 8);
    assert_true(b.parts.evaluations == 0 && !b.parts.rule && b.parts.count == 0);
    assert_int_equal(a.rank, b.rank);
    assert_int_equal(a.generic_rank, b.generic_rank);
    assert_int_equal(a.rank_changes, b.rank_changes);
    assert_int_equal(a.trust, b.trust);
    assert_int_equal(a.energy.conserved, b.energy.conserved);
    assert_true(a.position.row >= 0 || b.position.row < 0);
    assert_true(a.position.size <= 10.0 * b.position.size + 1e-14);
    assert_true(a.velocity.size <= 10.0 * b.velocity.size + 1e-14);
    assert_true(llabs(a.steps - b.steps) <= 2 + b.steps / 50);
    bench_near(a.energy.end, b.energy.end, 1e-9 * b.energy.scale);
    bench_near(a.energy.scale, b.energy.scale, 1e-9 * b.energy.scale);
    bench_near(a.energy.ideal, b.energy.ideal, 1e-9 * b.energy.scale);
    bench_near(a.energy.dissipation, b.energy.dissipation, 1e-9 * b.energy.scale);
    bench_near(a.energy.error, 0.0, 1e-8 * b.energy.scale);
}

static void runs_agree(void **state)
{
    (void)state;
    for (int k = 0; k < text_count; k++) {
        track a, b;
        open_both(&a, &b, all_texts[k]);
        begin(&a);
        begin(&b);
        for (int i = 0; i <= 4; i++) {
            advance(&a, 0.1 * i);
            advance(&b, 0.1 * i);
            compare_rows(&a, &b, 1e-8);
        }
        same_figures(&a, &b);
        zw_run_statistics s = statistics(&a);
        printf("text %d: %d steps, %d of %d evaluations in lanes, %d parts, %d shapes by %s\n", k,
               (int)s.steps, (int)s.parts.evaluations, (int)s.evaluations, (int)s.parts.count,
               (int)s.parts.shapes, s.parts.rule);
        assert_int_equal(s.parts.evaluations, s.evaluations);
        close_both(&a, &b);
    }
}

/* The worst violation is noted with its row and moment, as it is at the ends of steps. */
static void violations_are_noted(void **state)
{
    (void)state;
    track a;
    open_track(&a, CHAIN(60, ""), ZW_SOLVER_PARTS);
    a.settings.stabilize = ZW_STABILIZE_NONE;
    a.settings.tol = a.settings.abs_tol = 1e-6;
    begin(&a);
    advance(&a, 0.5);
    zw_run_statistics s = statistics(&a);
    assert_true(s.parts.evaluations >= s.evaluations && s.projections == 0);
    assert_true(s.position.size > 1e-12 && s.position.row >= 0 && s.position.t > 0.0);
    assert_true(s.velocity.size > 1e-12 && s.velocity.row >= 0 && s.velocity.t > 0.0);
    close_track(&a);
    open_track(&a, CHAIN(60, ""), ZW_SOLVER_PARTS);
    begin(&a);
    advance(&a, 0.5);
    zw_run_statistics p = statistics(&a);
    assert_true(p.projections >= p.steps && p.projection_iterations > p.steps);
    assert_true(p.position.size < 1e-12 && p.position.size > 0.0 && p.position.t > 0.0);
    assert_true(p.velocity.size < 1e-10 && p.velocity.size > 0.0 && p.velocity.t > 0.0);
    close_track(&a);
}

static void all_methods(void **state)
{
    (void)state;
    static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4, ZW_BDF, ZW_AUTO};
    static const double tolerance[] = {1e-8, 1e-8, 1e-6, 1e-4, 1e-8};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        track a, b;
        open_both(&a, &b, CHAIN(30, ""));
        a.settings.method = methods[k];
        a.settings.step = b.settings.step = 1e-3;
        if (methods[k] == ZW_BDF) a.settings.tol = a.settings.abs_tol = 1e-8;
        assert_int_equal(zw_sim_start(a.sim, false), ZW_OK);
        zw_status status = zw_sim_begin(a.sim, &a.settings);
        begin(&b);
        if (status == ZW_ERR_METHOD) {
            assert_true(methods[k] == ZW_BDF || methods[k] == ZW_AUTO);
        } else {
            assert_int_equal(status, ZW_OK);
            advance(&a, 0.1);
            advance(&b, 0.1);
            compare_rows(&a, &b, tolerance[k]);
            assert_true(statistics(&a).parts.evaluations > 0);
        }
        close_both(&a, &b);
    }
}

/* ----------------------------------------------------------------- what happens */

#define WALL "when x[N] > 25: x[N]' = -0.5*x[N]'\n"
#define STOP "when y[N] > -15: stop\n"

static void events_come_as_they_do(void **state)
{
    (void)state;
    static const char *const texts[] = {CHAIN(30, WALL), CHAIN(30, STOP), CHAIN(30, WALL STOP)};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        track a, b;
        zw_fired p, q;
        open_both(&a, &b, texts[k]);
        a.settings.until = b.settings.until = 2.0;
        begin(&a);
        begin(&b);
        assert_int_equal(go(&a, 1.0), go(&b, 1.0));
        compare_rows(&a, &b, 1e-7);
        assert_true(zw_sim_fired_count(a.sim) > 0);
        assert_int_equal(zw_sim_fired_count(a.sim), zw_sim_fired_count(b.sim));
        for (int32_t i = 0; i < zw_sim_fired_count(a.sim); i++) {
            assert_int_equal(zw_sim_fired(a.sim, i, &p), ZW_OK);
            assert_int_equal(zw_sim_fired(b.sim, i, &q), ZW_OK);
            assert_int_equal(p.event, q.event);
            bench_near(p.t, q.t, 1e-8);
        }
        zw_run_statistics s = statistics(&a), r = statistics(&b);
        assert_true(s.parts.evaluations >= s.evaluations);
        bench_near(s.energy.events, r.energy.events, 1e-7 * r.energy.scale);
        close_both(&a, &b);
    }
}

/* Times of output do not touch the steps; what is shown stands on the constraints. */
static void dense_output(void **state)
{
    (void)state;
    track a, b;
    open_track(&a, CHAIN(60, ""), ZW_SOLVER_PARTS);
    open_track(&b, CHAIN(60, ""), ZW_SOLVER_PARTS);
    begin(&a);
    begin(&b);
    for (int i = 1; i <= 300; i++) {
        advance(&a, 0.001 * i);
        double x = 0.0, y = 0.0;
        for (int j = 1; j <= 60; j++) {
            double dx = a.row[j] - x, dy = a.row[60 + j] - y;
            bench_near(dx * dx + dy * dy, 1.0, 1e-12);
            x = a.row[j];
            y = a.row[60 + j];
        }
    }
    advance(&b, 0.3);
    assert_memory_equal(a.row, b.row, sizeof *a.row * (size_t)a.width);
    assert_int_equal(statistics(&a).steps, statistics(&b).steps);
    close_both(&a, &b);
}

/* Contradictory rows, other forms, feedback: lanes leave that to others, in the middle of a run. */
static void others_take_over(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        track a, b;
        open_both(&a, &b,
                  k == 0 ? CHAIN(30, "constraint up: y[N]'' = 1\nconstraint down: y[N]'' = -2\n")
                         : CHAIN(30, ""));
        if (k == 1) a.settings.form = b.settings.form = ZW_FORM_MULTIPLIERS;
        if (k == 2) a.settings.stabilize = b.settings.stabilize = ZW_BAUMGARTE;
        begin(&a);
        begin(&b);
        advance(&a, 0.2);
        advance(&b, 0.2);
        compare_rows(&a, &b, 1e-8);
        zw_run_statistics s = statistics(&a), r = statistics(&b);
        if (k > 0) assert_true(s.parts.evaluations == 0 && !s.parts.rule);
        bench_near(s.inconsistency, r.inconsistency, 1e-8 * (1.0 + r.inconsistency));
        assert_true(k > 0 || s.inconsistency > 1.0);
        close_both(&a, &b);
    }
}

/* A chain that a motion begins stretched along a line of action, where rows become dependent: two
 * ends held at their farthest. Whatever lanes refuse there, the run is the other solver's. */
static void singular_on_the_way(void **state)
{
    (void)state;
    static const char text[] =
        "param N = 30\ncoord x[N], y[N], s\n"
        "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2) + s'^2/2\n"
        "potential sum(i in 1..N, 0.1*y[i])\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
        "for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1 }\n"
        "constraint end: [x[N], y[N]] = [s, 0]\n"
        "for i in 1..N {\nstart x[i] = 0.97*i\nstart y[i] = 0.3*(1 - (-1)^i)/2 }\n"
        "start s' = 3\n";
    track a, b;
    open_both(&a, &b, text);
    begin(&a);
    begin(&b);
    for (int i = 1; i <= 3; i++) {
        advance(&a, 0.05 * i);
        advance(&b, 0.05 * i);
        compare_rows(&a, &b, 1e-7);
    }
    close_both(&a, &b);
}

/* ------------------------------------------------------------------ bits, memory */

static void restarts_to_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < text_count; k++) {
        track a, b;
        size_t size = 0;
        open_track(&a, all_texts[k], ZW_SOLVER_PARTS);
        open_track(&b, all_texts[k], ZW_SOLVER_PARTS);
        begin(&a);
        begin(&b);
        advance(&a, 0.11);
        assert_int_equal(zw_sim_save(a.sim, NULL, 0, &size), ZW_OK);
        char *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(zw_sim_save(a.sim, bytes, size, &size), ZW_OK);
        assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_OK);
        for (int i = 1; i <= 3; i++) {
            advance(&a, 0.11 + 0.05 * i);
            advance(&b, 0.11 + 0.05 * i);
            assert_memory_equal(a.row, b.row, sizeof *a.row * (size_t)a.width);
        }
        zw_run_statistics s = statistics(&a), r = statistics(&b);
        assert_int_equal(s.parts.evaluations, r.parts.evaluations);
        assert_memory_equal(&s.position, &r.position, sizeof s.position);
        close_track(&b);
        open_track(&b, all_texts[k], ZW_SOLVER_SPARSE); /* of another order */
        begin(&b);
        assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_ERR_SETTING);
        free(bytes);
        close_both(&a, &b);
    }
}

static void kernels_give_the_same_bits(void **state)
{
    (void)state;
    track a, b;
    for (int k = 0; k < text_count; k++) {
        open_track(&a, all_texts[k], ZW_SOLVER_PARTS);
        open_track(&b, all_texts[k], ZW_SOLVER_PARTS);
        a.settings.kernel = ZW_KERNEL_BYTECODE;
        begin(&a);
        begin(&b);
        advance(&a, 0.1);
        advance(&b, 0.1);
        assert_memory_equal(a.row, b.row, sizeof *a.row * (size_t)a.width);
        assert_int_equal(statistics(&a).steps, statistics(&b).steps);
        close_both(&a, &b);
    }
}

/* Whoever runs the ensemble, a member has the bits of its own single run. */
static void members_of(const char *text)
{
    enum { members = 3 };
    track a;
    double t;
    open_track(&a, text, ZW_SOLVER_PARTS);
    size_t n = (size_t)a.n, size = 2 * n;
    double *states = calloc((members + 1) * size, sizeof *states), *single = states + 3 * size;
    assert_non_null(states);
    a.settings.until = 0.1;
    assert_int_equal(zw_sim_start(a.sim, false), ZW_OK);
    for (size_t i = 0; i < members; i++) {
        double *x = states + size * i;
        assert_int_equal(zw_sim_state(a.sim, &t, x, x + n), ZW_OK);
        for (size_t j = 0; j < n; j++) x[n + j] *= 1.0 + 0.1 * (double)i;
    }
    zw_ensemble e = {.count = members, .t = 0.0, .state = states, .threads = 2};
    memcpy(single, states + 2 * size, sizeof *single * size);
    assert_int_equal(zw_ensemble_run(a.model, &a.settings, &e), ZW_OK);
    assert_int_equal(zw_sim_set_state(a.sim, 0.0, single, single + n), ZW_OK);
    assert_int_equal(zw_sim_begin(a.sim, &a.settings), ZW_OK);
    advance(&a, 0.1);
    assert_true(statistics(&a).parts.evaluations > 0);
    assert_int_equal(zw_sim_state(a.sim, &t, single, single + n), ZW_OK);
    assert_memory_equal(single, states + 2 * size, sizeof *single * size);
    free(states);
    close_track(&a);
}

static void members_are_single_runs(void **state)
{
    (void)state;
    members_of(CHAIN(30, ""));
    members_of(braced);
}

static void steps_take_no_memory(void **state)
{
    (void)state;
    for (int k = 0; k < text_count; k++) {
        track a;
        open_track(&a, all_texts[k], ZW_SOLVER_PARTS);
        begin(&a);
        size_t begun = a.count.requests;
        for (int i = 1; i <= 4; i++) advance(&a, 0.05 * i);
        assert_int_equal(a.count.requests, begun);
        close_track(&a);
    }
}

/* From the model on: a simulation, its start and its run. */
static zw_status whole(zw_model *model)
{
    zw_sim *sim = NULL;
    zw_run_settings settings;
    zw_outcome outcome;
    zw_run_defaults(model, &settings);
    settings.until = 0.01;
    settings.kernel = ZW_KERNEL_BYTECODE; /* machine code that is not to be had is done without */
    zw_status status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, false);
    if (status == ZW_OK) status = zw_sim_begin(sim, &settings);
    if (status == ZW_OK) status = zw_sim_advance(sim, 0.01, &outcome);
    zw_sim_free(sim);
    return status;
}

static void every_request_may_fail(void **state)
{
    (void)state;
    static const char *const texts[] = {CHAIN(30, ""), braced};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        track a;
        open_track(&a, texts[k], ZW_SOLVER_PARTS);
        assert_int_equal(whole(a.model), ZW_OK); /* the model has its machine code now */
        size_t before = a.count.requests;
        assert_int_equal(whole(a.model), ZW_OK);
        size_t all = a.count.requests - before, step = 1 + all / 150, failed = 0, tried = 0;
        for (size_t i = 1; i <= all; i += step, tried++) {
            a.count.requests = 0;
            a.count.fail_at = i;
            zw_status status = whole(a.model);
            a.count.fail_at = 0;
            zw_context_clear_diagnostics(a.context);
            failed += status != ZW_OK;
            if (status != ZW_OK && status != ZW_ERR_MEMORY)
                fail_msg("request %d: %s", (int)i, zw_status_name(status));
        }
        assert_true(failed > tried / 2); /* what a prediction cannot have it does without */
        close_track(&a);                 /* which misses nothing */
    }
}

/* What is not in lanes says so; what is cheaper in lanes goes there unasked. */
static void automatic_choice(void **state)
{
    (void)state;
    static const zw_solver never[] = {ZW_SOLVER_DENSE, ZW_SOLVER_SPARSE};
    track a;
    for (int k = 0; k < 2; k++) {
        open_track(&a, CHAIN(60, ""), never[k]);
        begin(&a);
        advance(&a, 0.01);
        assert_true(statistics(&a).parts.evaluations == 0 && !statistics(&a).parts.rule);
        close_track(&a);
    }
    open_track(&a, CHAIN(2000, ""), ZW_SOLVER_AUTO);
    begin(&a);
    advance(&a, 0.001);
    assert_true(statistics(&a).parts.evaluations > 0);
    close_track(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_agree),
        cmocka_unit_test(parameters_reach_them),
        cmocka_unit_test(runs_agree),
        cmocka_unit_test(violations_are_noted),
        cmocka_unit_test(all_methods),
        cmocka_unit_test(events_come_as_they_do),
        cmocka_unit_test(dense_output),
        cmocka_unit_test(others_take_over),
        cmocka_unit_test(singular_on_the_way),
        cmocka_unit_test(restarts_to_the_same_bits),
        cmocka_unit_test(kernels_give_the_same_bits),
        cmocka_unit_test(members_are_single_runs),
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(automatic_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
