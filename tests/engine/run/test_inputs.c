/*
 * Inputs and parameters that change on the way, by handle: the motion against closed forms and
 * against runs that begin anew, what stays as it is, constraints, energies, events and contacts that
 * follow, and what is refused.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "track.h"

static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4};
enum { method_count = 3 };

static int32_t input_of(track *k, const char *name)
{
    int32_t handle = -1;
    assert_int_equal(zw_sim_input(k->sim, name, &handle), ZW_OK);
    return handle;
}

static void set_one(track *k, int32_t handle, double value)
{
    assert_int_equal(zw_sim_set_input(k->sim, handle, &value, 1), ZW_OK);
}

static void open_to(track *k, const char *text, const char *columns, zw_method method, double until)
{
    track_open(k, text, columns, ZW_SOLVER_AUTO, 1e-12);
    k->settings.method = method;
    k->settings.until = until;
    k->settings.step = method == ZW_RK4 ? 1e-3 : (double)NAN;
}

static void expect(track *k, const char *code, const char *words)
{
    for (int32_t i = 0; i < zw_context_diagnostic_count(k->context); i++) {
        const zw_diagnostic *d = zw_context_diagnostic(k->context, i);
        if (strcmp(d->code, code) != 0) continue;
        if (!strstr(d->sentence, words)) fail_msg("%s: '%s' lacks '%s'", code, d->sentence, words);
        return;
    }
    fail_msg("there is no %s", code);
}

/* A number between -1 and 1, the same everywhere. */
static double draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*seed >> 11) / (double)(INT64_C(1) << 52) - 1.0;
}

/* -------------------------------------------------------------------------- motion */

static const char mass[] = "param m = 2\ninput u = 0\ncoord x\nkinetic m/2*x'^2\nforce x: u\n";

/* A force that changes 40 times: parabolas, one after the other. */
static void steps_of_a_force(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k;
        uint64_t seed = 7;
        double x = 0.0, v = 0.0, t = 0.0;
        open_to(&k, mass, "x, x'", methods[i], 20.0);
        int32_t u = input_of(&k, "u");
        assert_int_equal(zw_sim_handle_count(k.sim, u), 1);
        begin(&k);
        for (int j = 1; j <= 40; j++) {
            double force = 3.0 * draw(&seed), next = j == 40 ? 20.0 : t + 0.3 + 0.2 * draw(&seed);
            double dt = next - t;
            set_one(&k, u, force);
            advance(&k, next);
            x += v * dt + force / 2.0 * dt * dt / 2.0;
            v += force / 2.0 * dt;
            t = next;
            bench_near(k.row[1], x, 1e-10);
            bench_near(k.row[2], v, 1e-10);
        }
        close_track(&k);
    }
}

static const char driven[] =
    "param g = 9.81, d = 0.1\ninput u = 0, w[2] = [1, 1]\nparam c = 2*u\ncoord p\nkinetic p'^2/2\n"
    "potential -g*cos(p)\nforce p: c + w[2]*sin(p) - d*p'\nstart p = 1\n";

/* Against a run that is begun anew, by text, wherever the input changes. */
static void a_driven_pendulum(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k, by_hand;
        uint64_t seed = 11;
        open_to(&k, driven, "p, p'", methods[i], 10.0);
        open_to(&by_hand, driven, "p, p'", methods[i], 10.0);
        int32_t u = input_of(&k, "u"), w = input_of(&k, "w[2]");
        begin(&k);
        assert_int_equal(zw_sim_start(by_hand.sim, false), ZW_OK);
        for (int j = 1; j <= 25; j++) {
            char text[80];
            double force = draw(&seed), t = 0.4 * j, factor = 1.0 + draw(&seed);
            snprintf(text, sizeof text, "u = %.17g, w[2] = %.17g", force, factor);
            set_one(&k, u, force);
            set_one(&k, w, factor);
            advance(&k, t);
            assert_int_equal(zw_sim_set_parameters(by_hand.sim, text), ZW_OK);
            assert_int_equal(zw_sim_begin(by_hand.sim, &by_hand.settings), ZW_OK);
            advance(&by_hand, t);
            bench_near(k.row[1], by_hand.row[1], 2e-9);
            bench_near(k.row[2], by_hand.row[2], 2e-9);
        }
        /* works close all the way, while forces jump */
        zw_run_statistics stats = statistics(&k);
        assert_true(fabs(stats.energy.error) < 1e-8 * stats.energy.scale);
        assert_true(stats.energy.inputs == 0.0);
        close_track(&k);
        close_track(&by_hand);
    }
}

/* Settings that change nothing leave every bit and every count as it is. */
static void the_same_value_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track a, b;
        open_to(&a, driven, "p, p'", methods[i], 5.0);
        open_to(&b, driven, "p, p'", methods[i], 5.0);
        int32_t u = input_of(&a, "u"), other = input_of(&b, "u");
        set_one(&a, u, 0.5);
        set_one(&b, other, 0.5);
        begin(&a);
        begin(&b);
        for (int j = 1; j <= 50; j++) {
            set_one(&a, u, 0.5);
            advance(&a, 0.1 * j);
            advance(&b, 0.1 * j);
            assert_memory_equal(a.row, b.row, sizeof *a.row * (size_t)a.width);
        }
        assert_int_equal(statistics(&a).evaluations, statistics(&b).evaluations);
        close_track(&a);
        close_track(&b);
    }
}

/* In a loop nothing is allocated, whatever changes. */
static void a_loop_takes_no_memory(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k;
        uint64_t seed = 3;
        open_to(&k, driven, "p, p'", methods[i], 5.0);
        int32_t u = input_of(&k, "u");
        begin(&k);
        size_t requests = k.count.requests;
        for (int j = 1; j <= 500; j++) {
            set_one(&k, u, draw(&seed));
            advance(&k, 0.01 * j);
        }
        assert_int_equal(k.count.requests, requests);
        close_track(&k);
    }
}

/* A parameter by handle: the mass of a body in flight changes. */
static void a_parameter_on_the_way(void **state)
{
    (void)state;
    track k;
    int32_t m;
    double heavy = 8.0;
    open_to(&k,
            "param m = 2, n = 3, f = m\ninput u = 4\ncoord x[n]\nkinetic m/2*dot(x', x')\n"
            "force x[1]: u\nforce x[2]: f\n",
            "x[1], x'[1], x[2]", ZW_DOP853, 2.0);
    assert_int_equal(zw_sim_parameter_handle(k.sim, "n", &m), ZW_ERR_SETTING);
    expect(&k, "E0115", "sizes something");
    assert_int_equal(zw_sim_parameter_handle(k.sim, "m", &m), ZW_OK);
    begin(&k);
    advance(&k, 1.0);
    bench_near(k.row[2], 2.0, 1e-12);
    double before = statistics(&k).energy.end;
    assert_int_equal(zw_sim_set_parameter(k.sim, m, &heavy, 1), ZW_OK);
    zw_run_statistics stats = statistics(&k);
    bench_near(stats.energy.inputs, 3.0 * before, 1e-10);
    advance(&k, 2.0);
    bench_near(k.row[1], 1.0 + 2.0 + 0.25, 1e-12);
    bench_near(k.row[2], 2.5, 1e-12);
    bench_near(k.row[3], 0.5 + 1.0 + 0.5, 1e-12); /* f follows m */
    stats = statistics(&k);
    assert_true(fabs(stats.energy.error) < 1e-10 * stats.energy.scale);
    close_track(&k);
}

/* A step of rk4 that was cut short does not make the next one longer. */
static void fixed_steps_keep_their_grid(void **state)
{
    (void)state;
    track k;
    open_to(&k, mass, "x", ZW_RK4, 1.0);
    k.settings.step = 0.1;
    int32_t u = input_of(&k, "u");
    set_one(&k, u, 1.0);
    begin(&k);
    advance(&k, 0.25);
    advance(&k, 1.0);
    zw_run_statistics stats = statistics(&k);
    assert_int_equal(stats.steps, 11);
    assert_true(stats.largest_step < 0.1000001);
    close_track(&k);
}

/* ---------------------------------------------------------------- save, ensembles, given */

/* A force, a constraint that moves, a contact that sticks and slips, switches and clocks. */
static const struct {
    const char *text, *input;
    double middle, spread;
} saved[] = {
    {driven, "u", 0.0, 1.0},
    {"input l = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "constraint rod: x^2 + y^2 = l^2\nstart x = 1, y = 0\n",
     "l", 1.0, 0.1},
    {"input push = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y + x^2\nforce x: push\n"
     "constraint ground: y >= 0\nfriction ground: 0.5 along x'\nrestitution ground: 0.5\n"
     "start y = 0.5\n",
     "push", 0.0, 9.0},
    {"input u = 0\ncoord x\nkinetic x'^2/2\npotential x^2\nforce x: if(x > u, -1, 2) + if(sin(5*t) "
     "> u, 1, 0)\n"
     "when x > 0.5 + u: x' = -x'\nstart x = 0.1\n",
     "u", 0.0, 0.9},
};

static void go_with(track *k, int32_t handle, double value, double t)
{
    set_one(k, handle, value);
    advance(k, t);
}

/* A saved run goes on to the same bits, in a simulation that has other numbers. */
static void save_and_go_on(size_t which, zw_method method)
{
    track a, b;
    uint64_t seed = 5 + which;
    size_t needed = 0;
    open_to(&a, saved[which].text, "all", method, 6.0);
    open_to(&b, saved[which].text, "all", method, 6.0);
    int32_t u = input_of(&a, saved[which].input), other = input_of(&b, saved[which].input);
    begin(&a);
    for (int j = 1; j <= 7; j++)
        go_with(&a, u, saved[which].middle + saved[which].spread * draw(&seed), 0.37 * j);
    assert_int_equal(zw_sim_save(a.sim, NULL, 0, &needed), ZW_OK);
    void *bytes = malloc(needed);
    assert_int_equal(zw_sim_save(a.sim, bytes, needed, &needed), ZW_OK);
    begin(&b);
    go_with(&b, other, saved[which].middle - 0.5 * saved[which].spread, 0.1);
    assert_int_equal(zw_sim_restore(b.sim, bytes, needed), ZW_OK);
    for (int j = 8; j <= 16; j++) {
        double value = saved[which].middle + (j % 3 ? saved[which].spread * draw(&seed) : 0.0);
        if (j > 8) set_one(&a, u, value); /* first as it was saved */
        if (j > 8) set_one(&b, other, value);
        advance(&a, 0.37 * j);
        advance(&b, 0.37 * j);
        assert_memory_equal(a.row, b.row, sizeof *a.row * (size_t)a.width);
    }
    zw_run_statistics x = statistics(&a), y = statistics(&b);
    assert_true(x.energy.error == y.energy.error && x.energy.inputs == y.energy.inputs);
    assert_true(fabs(x.energy.error) < 1e-7 * (1.0 + x.energy.scale));
    assert_int_equal(x.steps, y.steps);
    close_track(&b);
    /* without the handle it is another run */
    open_to(&b, saved[which].text, NULL, method, 6.0);
    begin(&b);
    assert_int_equal(zw_sim_restore(b.sim, bytes, needed), ZW_ERR_SETTING);
    expect(&b, "E0780", "zw_sim_restore");
    free(bytes);
    close_track(&a);
    close_track(&b);
}

static void saved_with_inputs(void **state)
{
    (void)state;
    for (size_t which = 0; which < sizeof saved / sizeof *saved; which++)
        for (int i = 0; i < method_count; i++) save_and_go_on(which, methods[i]);
}

/* Members of an ensemble have inputs of their own, and the bits of single runs. */
static void members_with_inputs(void **state)
{
    (void)state;
    enum { count = 9 };
    track k;
    double ends[count * 2], values[count];
    const char *names[] = {"u"};
    open_to(&k, driven, "p, p'", ZW_DOP853, 2.0);
    for (int i = 0; i < count; i++) {
        ends[2 * i] = 1.0;
        ends[2 * i + 1] = 0.0;
        values[i] = 0.3 * i - 1.0;
    }
    zw_ensemble e = {.count = count, .state = ends, .names = names, .name_count = 1};
    e.values = values;
    assert_int_equal(zw_ensemble_run(k.model, &k.settings, &e), ZW_OK);
    for (int i = 0; i < count; i++) {
        char text[40];
        double q, v;
        snprintf(text, sizeof text, "u = %.17g", values[i]);
        assert_int_equal(zw_sim_set_parameters(k.sim, text), ZW_OK);
        begin(&k);
        advance(&k, 2.0);
        assert_int_equal(zw_sim_state(k.sim, NULL, &q, &v), ZW_OK);
        assert_memory_equal(&q, &ends[2 * i], sizeof q);
        assert_memory_equal(&v, &ends[2 * i + 1], sizeof v);
    }
    close_track(&k);
}

/* The position of a model with these inputs at t = 3. */
static double run_given(const char *text, const char *const *inputs, int32_t count)
{
    zw_context *context;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_outcome outcome;
    zw_run_settings settings;
    double q[8];
    zw_model_source source = {.file = "model.zw", .text = text, .length = strlen(text)};
    source.inputs = inputs;
    source.input_count = count;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    zw_status status = zw_model_compile(context, &source, &model);
    if (status != ZW_OK) fail_msg("%s", zw_context_diagnostic(context, 0)->sentence);
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    zw_run_defaults(model, &settings);
    assert_int_equal(zw_sim_start(sim, false), ZW_OK);
    assert_int_equal(zw_sim_begin(sim, &settings), ZW_OK);
    assert_int_equal(zw_sim_advance(sim, 3.0, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(sim, NULL, q, NULL), ZW_OK);
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    return q[0];
}

/* A function of time given from outside is what `let` would be, to the bit: in derivatives, too. */
static void functions_of_time(void **state)
{
    (void)state;
    const char *given[] = {"u = sin(t)*x"};
    const char *elements[] = {"F[2] = cos(t)"};
    double a = run_given("coord x\ninput u = 0\nkinetic x'^2/2\npotential u*x\nforce x: u'\n"
                         "start x = 1\n",
                         given, 1);
    double b = run_given("coord x\nlet u = sin(t)*x\nkinetic x'^2/2\npotential u*x\nforce x: u'\n"
                         "start x = 1\n",
                         NULL, 0);
    assert_memory_equal(&a, &b, sizeof a);
    double one = run_given("input F[2] = [0.5, 7]\ncoord x\nkinetic x'^2/2\nforce x: F[1] + F[2]\n",
                           elements, 1);
    bench_near(one, 0.25 * 9.0 + 1.0 - cos(3.0), 1e-8);
}

/* Data of an input: a setting leads from one piece of them to another. */
static void data_of_an_input(void **state)
{
    (void)state;
    static const char text[] = "input u = 0\ndata f = \"f.csv\"\ncoord x\nkinetic x'^2/2\n"
                               "force x: f(u)\n";
    const double at[] = {0, 1, 2, 4}, of[] = {1, 3, -2, 6}, values[] = {0.5, 3.0, 1.5, 1.0, 3.9};
    zw_table table = {.name = "f", .x = at, .y = of, .count = 4};
    zw_model_source source = {.file = "model.zw", .text = text, .length = strlen(text)};
    source.tables = &table;
    source.table_count = 1;
    zw_context *context;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_run_settings settings;
    zw_outcome outcome;
    int32_t u;
    double v = 0.0, reached;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    assert_int_equal(zw_sim_input(sim, "u", &u), ZW_OK);
    zw_run_defaults(model, &settings);
    assert_int_equal(zw_sim_start(sim, false), ZW_OK);
    assert_int_equal(zw_sim_begin(sim, &settings), ZW_OK);
    for (int j = 0; j < 5; j++) {
        int k = values[j] < 1.0 ? 0 : values[j] < 2.0 ? 1 : 2;
        v += of[k] + (of[k + 1] - of[k]) * (values[j] - at[k]) / (at[k + 1] - at[k]);
        assert_int_equal(zw_sim_set_input(sim, u, &values[j], 1), ZW_OK);
        assert_int_equal(zw_sim_advance(sim, 1.0 + j, &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(sim, NULL, NULL, &reached), ZW_OK);
        bench_near(reached, v, 1e-12);
    }
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
}

/* ------------------------------------------------------------------------- constraints */

static const char rod[] = "input l = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                          "constraint rod: x^2 + y^2 = l^2\nstart x = 1, y = 0\n";

/* The rod gets longer: the bob follows at once, and the ledger says what that took. */
static void a_constraint_that_moves(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k;
        double q[2], v[2];
        open_to(&k, rod, "x, y, residual(rod), energy", methods[i], 3.0);
        int32_t l = input_of(&k, "l");
        begin(&k);
        for (int j = 1; j <= 30; j++) {
            double length = 1.0 + 0.1 * sin(j);
            set_one(&k, l, length);
            assert_int_equal(zw_sim_state(k.sim, NULL, q, v), ZW_OK);
            bench_near(hypot(q[0], q[1]), length, 1e-12);
            bench_near(q[0] * v[0] + q[1] * v[1], 0.0, 1e-12);
            advance(&k, 0.1 * j);
            bench_near(hypot(k.row[1], k.row[2]), length, 1e-12);
        }
        zw_run_statistics stats = statistics(&k);
        assert_true(fabs(stats.energy.error) < 1e-9 * stats.energy.scale);
        assert_true(fabs(stats.energy.inputs) > 1e-3);
        assert_int_equal(stats.trust, ZW_TRUST_OK);
        close_track(&k);
    }
}

/* What cannot be reached is refused with its place, and the run goes on as if it had not been asked. */
static void a_constraint_out_of_reach(void **state)
{
    (void)state;
    track a, b;
    static const char text[] =
        "input a = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
        "constraint rod: x^2 + y^2 = a\nstart x = 1, y = 0\n";
    double wrong = -1.0, infinite = HUGE_VAL;
    open_to(&a, text, "x, y, x', y'", ZW_DOP853, 2.0);
    open_to(&b, text, "x, y, x', y'", ZW_DOP853, 2.0);
    int32_t h = input_of(&a, "a");
    (void)input_of(&b, "a");
    begin(&a);
    begin(&b);
    advance(&a, 0.5);
    advance(&b, 0.5);
    assert_int_equal(zw_sim_set_input(a.sim, h, &wrong, 1), ZW_ERR_SETTING);
    expect(&a, "E0751", "with a = -1 the constraint `rod` cannot be met from the state at t = 0.5");
    assert_int_equal(zw_sim_set_input(a.sim, h, &infinite, 1), ZW_ERR_SETTING);
    expect(&a, "E0752", "'a' cannot be set to infinity");
    advance(&a, 2.0);
    advance(&b, 2.0);
    for (int c = 0; c < a.width; c++) bench_near(a.row[c], b.row[c], 1e-9);
    close_track(&a);
    close_track(&b);
}

/* ---------------------------------------------------------------------------- energies */

/* A spring whose other end jumps: each jump is on the ledger, and the ledger closes. */
static void a_spring_that_jumps(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k;
        uint64_t seed = 23;
        double inputs = 0.0, at = 0.0;
        open_to(&k,
                "input u = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                "potential 5*(x - u)^2 + y^2\ndissipation 0.1*x'^2\nstart x = 1, y = 1\n",
                "x", methods[i], 10.0);
        int32_t u = input_of(&k, "u");
        begin(&k);
        k.row[1] = 1.0;
        for (int j = 1; j <= 40; j++) {
            double to = draw(&seed), x = k.row[1];
            set_one(&k, u, to);
            inputs += 5.0 * ((x - to) * (x - to) - (x - at) * (x - at));
            at = to;
            advance(&k, 0.25 * j);
        }
        zw_run_statistics stats = statistics(&k);
        bench_near(stats.energy.inputs, inputs, 1e-9);
        assert_true(fabs(stats.energy.error) < 1e-9 * stats.energy.scale);
        assert_int_equal(stats.trust, ZW_TRUST_OK);
        assert_false(stats.energy.conserved);
        close_track(&k);
    }
}

/* -------------------------------------------------------------------- events and contacts */

/* A condition that an input turns true fires where it was set. */
static void events_by_input(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k;
        zw_fired fired;
        open_to(&k,
                "input u = 0, w = 0\ncoord x\nkinetic x'^2/2\nwhen u > 1: x' = x' + 2\n"
                "when w > 0.5: stop\nstart x' = 1\n",
                "x, x'", methods[i], 5.0);
        int32_t u = input_of(&k, "u"), w = input_of(&k, "w");
        begin(&k);
        advance(&k, 0.7);
        set_one(&k, u, 1.5);
        advance(&k, 1.7);
        bench_near(k.row[1], 0.7 + 3.0, 1e-12);
        set_one(&k, u, 1.6); /* still true: nothing */
        advance(&k, 2.7);
        bench_near(k.row[1], 6.7, 1e-12);
        assert_int_equal(zw_sim_fired_count(k.sim), 1);
        assert_int_equal(zw_sim_fired(k.sim, 0, &fired), ZW_OK);
        assert_true(fired.t == 0.7);
        set_one(&k, w, 1.0);
        assert_int_equal(go(&k, 3.0), ZW_STOPPED);
        assert_true(k.row[0] == 2.7);
        close_track(&k);
    }
}

/* A force on the switch of a condition: the side is decided anew. */
static void switches_by_input(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k;
        open_to(
            &k,
            "input u = 0\ncoord x\nkinetic x'^2/2\nforce x: if(u > 0.5, 2, if(t > u + 3, 9, 0))\n",
            "x, x'", methods[i], 5.0);
        int32_t u = input_of(&k, "u");
        begin(&k);
        advance(&k, 1.0);
        set_one(&k, u, 1.0);
        advance(&k, 2.0);
        bench_near(k.row[2], 2.0, 1e-12);
        set_one(&k, u, -0.5); /* the clock now rings at 2.5 */
        advance(&k, 3.5);
        bench_near(k.row[2], 2.0 + 9.0, 1e-9);
        close_track(&k);
    }
}

/* A block on a floor sticks until it is pushed harder than it can bear, and slips at that moment. */
static void contacts_by_input(void **state)
{
    (void)state;
    for (int i = 0; i < method_count; i++) {
        track k;
        open_to(&k,
                "input push = 0, lift = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
                "force x: push\nforce y: lift\nconstraint ground: y >= 0\nfriction ground: 0.5 "
                "along x'\n",
                "x, x', y", methods[i], 5.0);
        int32_t push = input_of(&k, "push"), lift = input_of(&k, "lift");
        zw_contact contact;
        begin(&k);
        set_one(&k, push, 4.0);
        advance(&k, 1.0);
        assert_true(k.row[1] == 0.0);
        assert_int_equal(zw_sim_contact(k.sim, 0, &contact), ZW_OK);
        assert_int_equal(contact.state, ZW_STICKS);
        set_one(&k, push, 7.0);
        assert_int_equal(zw_sim_contact(k.sim, 0, &contact), ZW_OK);
        assert_int_equal(contact.state, ZW_TOUCHES);
        advance(&k, 2.0);
        bench_near(k.row[1], 1.0, 1e-9);
        bench_near(k.row[2], 2.0, 1e-9);
        set_one(&k, push, 0.0);
        set_one(&k, lift, 12.0);
        assert_int_equal(zw_sim_contact(k.sim, 0, &contact), ZW_OK);
        assert_int_equal(contact.state, ZW_OPEN);
        advance(&k, 3.0);
        bench_near(k.row[3], 1.0, 1e-9);
        bench_near(k.row[2], 2.0, 1e-9);
        zw_run_statistics stats = statistics(&k);
        assert_true(fabs(stats.energy.error) < 1e-9 * (1.0 + stats.energy.scale));
        close_track(&k);
    }
}

/* A law that is none is refused where it is set. */
static void laws_by_input(void **state)
{
    (void)state;
    track k;
    double wrong = -0.5;
    open_to(&k,
            "input mu = 0.5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\n"
            "constraint ground: y >= 0\nfriction ground: mu along x'\nstart x' = 5\n",
            "x, x'", ZW_DOP853, 5.0);
    int32_t mu = input_of(&k, "mu");
    begin(&k);
    advance(&k, 0.5);
    bench_near(k.row[2], 2.5, 1e-9);
    assert_int_equal(zw_sim_set_input(k.sim, mu, &wrong, 1), ZW_ERR_SETTING);
    expect(&k, "E0505", "-0.5");
    set_one(&k, mu, 0.25);
    advance(&k, 1.0);
    bench_near(k.row[2], 1.25, 1e-9);
    close_track(&k);
}

/* Equal parts in lanes: a chain whose weight changes, against one that is begun anew. */
static void parts_by_input(void **state)
{
    (void)state;
    static const char chain[] =
        "param N = 40\ninput g = 9.81\ncoord r[N, 2]\n"
        "kinetic sum(i in 1..N, dot(r[i]', r[i]'))/2\npotential g*sum(i in 1..N, r[i][2])\n"
        "constraint pin: dot(r[1], r[1]) = 1\n"
        "for i in 2..N { constraint rod[i]: dot(r[i] - r[i - 1], r[i] - r[i - 1]) = 1 }\n"
        "for i in 1..N { start r[i] = [i, 0] }\n";
    track k, by_hand;
    uint64_t seed = 41;
    track_open(&k, chain, "r[40], energy", ZW_SOLVER_PARTS, 1e-10);
    track_open(&by_hand, chain, "r[40], energy", ZW_SOLVER_PARTS, 1e-10);
    int32_t g = input_of(&k, "g");
    begin(&k);
    assert_int_equal(zw_sim_start(by_hand.sim, false), ZW_OK);
    for (int j = 1; j <= 6; j++) {
        char text[40];
        double weight = 9.81 + 5.0 * draw(&seed);
        snprintf(text, sizeof text, "g = %.17g", weight);
        set_one(&k, g, weight);
        advance(&k, 0.1 * j);
        assert_int_equal(zw_sim_set_parameters(by_hand.sim, text), ZW_OK);
        assert_int_equal(zw_sim_begin(by_hand.sim, &by_hand.settings), ZW_OK);
        advance(&by_hand, 0.1 * j);
        for (int c = 0; c < k.width; c++) bench_near(k.row[c], by_hand.row[c], 1e-7);
    }
    zw_run_statistics stats = statistics(&k);
    assert_true(fabs(stats.energy.error) < 1e-8 * stats.energy.scale);
    assert_true(stats.energy.inputs != 0.0);
    close_track(&k);
    close_track(&by_hand);
}

/* A stiff motion by bdf, whose history is one of the old force. */
static void bdf_by_input(void **state)
{
    (void)state;
    track k;
    open_to(&k, "input u = 0\ncoord x\nkinetic x'^2/2\nforce x: 1e4*(u - x) - 1e4*x'\n", "x",
            ZW_BDF, 4.0);
    k.settings.tol = k.settings.abs_tol = 1e-8;
    int32_t u = input_of(&k, "u");
    assert_int_equal(zw_sim_start(k.sim, false), ZW_OK);
    if (zw_sim_begin(k.sim, &k.settings) == ZW_OK) {
        /* x'' = 1e4 (u - x) - 1e4 x': roots -1.0001 and -9998.9999 */
        const double slow = -5000.0 + sqrt(5000.0 * 5000.0 - 1e4);
        const double fast = -1e4 - slow;
        set_one(&k, u, 1.0);
        advance(&k, 2.0);
        double a = -fast / (fast - slow), b = slow / (fast - slow);
        bench_near(k.row[1], 1.0 + a * exp(slow * 2.0) + b * exp(fast * 2.0), 1e-5);
        double x = k.row[1], v = a * slow * exp(slow * 2.0);
        set_one(&k, u, -1.0);
        advance(&k, 4.0);
        double d = (v - slow * (x + 1.0)) / (fast - slow), c = x + 1.0 - d;
        bench_near(k.row[1], -1.0 + c * exp(slow * 2.0) + d * exp(fast * 2.0), 1e-5);
    }
    close_track(&k);
}

/* A floor that is lifted carries what lies on it; lowered, it lets it fall. */
static void a_floor_that_moves(void **state)
{
    (void)state;
    track k;
    open_to(&k, "input h = 0\ncoord y\nkinetic y'^2/2\npotential 10*y\nconstraint ground: y >= h\n",
            "y, y'", ZW_DOP853, 5.0);
    int32_t h = input_of(&k, "h");
    begin(&k);
    advance(&k, 1.0);
    set_one(&k, h, -5.0);
    advance(&k, 1.5);
    bench_near(k.row[1], -1.25, 1e-10);
    advance(&k, 3.0);
    bench_near(k.row[1], -5.0, 1e-10);
    zw_run_statistics stats = statistics(&k);
    assert_true(fabs(stats.energy.error) < 1e-9 * (1.0 + stats.energy.scale));
    close_track(&k);
}

/* ----------------------------------------------------------------------------- refusals */

static void what_handles_refuse(void **state)
{
    (void)state;
    track k;
    int32_t h = -1;
    double values[3] = {0};
    open_to(&k,
            "param m = 1\ninput force_x = 0, w[2] = [1, 2]\ncoord x\nkinetic m/2*x'^2\n"
            "force x: force_x + w[1]*w[2]\n",
            NULL, ZW_DOP853, 1.0);
    assert_int_equal(zw_sim_input(k.sim, "force_y", &h), ZW_ERR_SETTING);
    expect(&k, "E0121", "no input 'force_y'");
    assert_int_equal(zw_sim_input(k.sim, "m", &h), ZW_ERR_SETTING);
    assert_int_equal(zw_sim_parameter_handle(k.sim, "w[3]", &h), ZW_ERR_SETTING);
    expect(&k, "E0108", "no parameter 'w[3]'");
    assert_int_equal(zw_sim_set_input(k.sim, 0, values, 1), ZW_ERR_ARGUMENT);
    begin(&k);
    assert_int_equal(zw_sim_input(k.sim, "w", &h), ZW_ERR_ORDER);
    expect(&k, "E0755", "without handles");
    zw_context_clear_diagnostics(k.context);
    assert_int_equal(zw_sim_start(k.sim, false), ZW_OK);
    assert_int_equal(zw_sim_input(k.sim, "w", &h), ZW_OK);
    assert_int_equal(zw_sim_handle_count(k.sim, h), 2);
    assert_int_equal(zw_sim_handle_count(k.sim, 1), 0);
    assert_int_equal(zw_sim_handle_count(k.sim, -1), 0);
    assert_int_equal(zw_sim_set_input(k.sim, h, values, 3), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_set_input(k.sim, h, NULL, 2), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_input(k.sim, NULL, &h), ZW_ERR_ARGUMENT);
    assert_false(zw_model_is_input(k.model, 0));
    assert_true(zw_model_is_input(k.model, 1));
    assert_false(zw_model_is_input(k.model, 17));
    close_track(&k);
}

/* Memory that runs out at every request: nothing is lost, and the next try may succeed. */
static void handles_without_memory(void **state)
{
    (void)state;
    track k;
    int32_t h = -1;
    zw_status status = ZW_ERR_MEMORY;
    size_t tries = 0;
    open_to(&k, driven, NULL, ZW_DOP853, 1.0);
    while (status != ZW_OK) {
        k.count.requests = 0;
        k.count.fail_at = ++tries;
        status = zw_sim_input(k.sim, "u", &h);
        assert_true(status == ZW_OK || status == ZW_ERR_MEMORY);
    }
    assert_true(tries > 3);
    k.count.fail_at = 0;
    for (int i = 0; i < 20; i++) (void)input_of(&k, "w");
    assert_int_equal(zw_sim_handle_count(k.sim, h), 1);
    begin(&k);
    set_one(&k, h, 2.0);
    advance(&k, 1.0);
    close_track(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_a_force),
        cmocka_unit_test(a_driven_pendulum),
        cmocka_unit_test(the_same_value_changes_nothing),
        cmocka_unit_test(a_loop_takes_no_memory),
        cmocka_unit_test(a_parameter_on_the_way),
        cmocka_unit_test(fixed_steps_keep_their_grid),
        cmocka_unit_test(saved_with_inputs),
        cmocka_unit_test(members_with_inputs),
        cmocka_unit_test(functions_of_time),
        cmocka_unit_test(data_of_an_input),
        cmocka_unit_test(a_constraint_that_moves),
        cmocka_unit_test(a_constraint_out_of_reach),
        cmocka_unit_test(a_spring_that_jumps),
        cmocka_unit_test(events_by_input),
        cmocka_unit_test(switches_by_input),
        cmocka_unit_test(contacts_by_input),
        cmocka_unit_test(laws_by_input),
        cmocka_unit_test(parts_by_input),
        cmocka_unit_test(bdf_by_input),
        cmocka_unit_test(a_floor_that_moves),
        cmocka_unit_test(what_handles_refuse),
        cmocka_unit_test(handles_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
