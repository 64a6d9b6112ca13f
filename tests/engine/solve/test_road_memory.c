/*
 * test_road_memory.c: what a run remembers of roads that refuse, in models of the gallery where they do.
 * It is part of the run and of nothing else: the bits are the same whether a run is saved and
 * restored, asked for states in between, or interrupted; and it is worth having: a program that would
 * be thrown away is hardly ever evaluated.
 */
#include "../../roads_taken.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "road_fused.h"
#include "run.h"

/* ------------------------------------------------------------------------- models */

typedef struct model {
    const char *name, *more; /* a text after it */
    double until;            /* of the tests, with some sleep before it */
    bool sleeps;             /* a road never serves it */
} model;

static const model refusing[] = {{"quick_return", "", 1.5, false},
                                 {"walking_linkage", "", 1.0, true},
                                 {"andrews_bodies", "", 0.03, true},
                                 {"bennett", "", 1.5, false}};
enum { refusing_count = sizeof refusing / sizeof *refusing };

static char *read_model(const model *m)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.zw", ZW_GALLERY, m->name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t room = 1 << 16, length = 0;
    char *text = malloc(room);
    assert_non_null(text);
    length = fread(text, 1, room - strlen(m->more) - 1, file);
    assert_true(feof(file));
    (void)fclose(file);
    memcpy(text + length, m->more, strlen(m->more) + 1);
    return text;
}

/* With a run from its start; poll and user may be NULL. */
static void open_model(bench *b, const model *m, zw_poll_fn poll, void *user)
{
    char *text = read_model(m);
    zw_run_settings set;
    bench_open(b, text);
    free(text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = m->until;
    set.poll = poll;
    set.user = user;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
}

static zw_outcome go(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
    return outcome;
}

static bool same_bits(const bench *a, const bench *b)
{
    size_t bytes = sizeof(double) * (size_t)a->n;
    return a->t == b->t && memcmp(a->q, b->q, bytes) == 0 && memcmp(a->v, b->v, bytes) == 0;
}

/* The state, and all that later steps depend on. */
static void expect_same(const bench *a, const bench *b, const char *name)
{
    const zr_motion *x = a->sim->run, *y = b->sim->run;
    const zi_stepper *s = x->step.stepper, *t = y->step.stepper;
    if (!same_bits(a, b)) fail_msg("%s: other bits at t = %.17g, %.17g", name, a->t, b->t);
    if (s->counts.steps != t->counts.steps || s->counts.rejected != t->counts.rejected)
        fail_msg("%s: %d and %d steps", name, (int)s->counts.steps, (int)t->counts.steps);
    assert_true(s->h == t->h && s->t == t->t && s->t_old == t->t_old);
    assert_memory_equal(x->solving.memory, y->solving.memory, sizeof x->solving.memory);
    assert_int_equal(x->solving.on_constraints, y->solving.on_constraints);
    assert_int_equal(x->solving.any_conflicting, y->solving.any_conflicting);
}

static bool any_asleep(const bench *b)
{
    const zr_solving *run = &b->sim->run->solving;
    for (int k = 0; k < ZR_ROAD_COUNT; k++)
        for (int j = 0; j < ZR_QUESTIONS; j++)
            if (run->memory[k][j].sleeps > 1) return true;
    return false;
}

/* On to a moment, not before t, at which some road sleeps, with a good part of the way left. */
static void go_until_asleep(bench *b, const model *m, double t)
{
    for (; t < 0.9 * m->until; t += 0.003 * m->until) {
        (void)go(b, t);
        if (any_asleep(b)) return;
    }
    fail_msg("%s: nothing sleeps", m->name);
}

/* ---------------------------------------------------------------- saved in a sleep */

static void move_run(bench *from, bench *to)
{
    size_t needed = 0;
    assert_int_equal(zw_sim_save(from->sim, NULL, 0, &needed), ZW_OK);
    void *bytes = malloc(needed);
    assert_non_null(bytes);
    assert_int_equal(zw_sim_save(from->sim, bytes, needed, &needed), ZW_OK);
    assert_int_equal(zw_sim_restore(to->sim, bytes, needed), ZW_OK);
    free(bytes);
}

/* Into a fresh run, and into one that has gone on elsewhere. Where the roads are woken instead, the run
 * ends with another memory: what is compared depends on it. Roads that have served never sleep. */
static void restored_in_a_sleep(void **state)
{
    (void)state;
    int differ = 0;
    for (int k = 0; k < refusing_count; k++) {
        const model *m = &refusing[k];
        if (!m->sleeps) continue;
        bench a, fresh, used, woken;
        open_model(&a, m, NULL, NULL);
        open_model(&fresh, m, NULL, NULL);
        open_model(&used, m, NULL, NULL);
        open_model(&woken, m, NULL, NULL);
        (void)go(&used, 0.9 * m->until);
        go_until_asleep(&a, m, 0.2 * m->until);
        move_run(&a, &fresh);
        move_run(&a, &used);
        move_run(&a, &woken);
        zr_wake_roads(&woken.sim->run->solving);
        (void)go(&a, m->until);
        (void)go(&fresh, m->until);
        (void)go(&used, m->until);
        (void)go(&woken, m->until);
        expect_same(&a, &fresh, m->name);
        expect_same(&a, &used, m->name);
        differ += memcmp(a.sim->run->solving.memory, woken.sim->run->solving.memory,
                         sizeof a.sim->run->solving.memory) != 0;
        bench_close(&a);
        bench_close(&fresh);
        bench_close(&used);
        bench_close(&woken);
    }
    assert_int_equal(differ, 2);
}

/* Whether the next question is about a state on the constraints is part of a run, too. */
static void restored_on_the_constraints(void **state)
{
    (void)state;
    bench a, b;
    open_model(&a, &refusing[0], NULL, NULL);
    open_model(&b, &refusing[0], NULL, NULL);
    (void)go(&a, 0.1);
    a.sim->run->solving.on_constraints = true;
    move_run(&a, &b);
    assert_true(b.sim->run->solving.on_constraints);
    bench_close(&a);
    bench_close(&b);
}

/* ------------------------------------------------------- restored into another start */

/* The third row follows from the others; which of the last two is farther from the first depends on
 * the state. */
#define SADDLE                                                                                     \
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"                            \
    "constraint ring: x^2 + y^2 = 1\nconstraint saddle: z = x*y\n"                                 \
    "constraint both: z + (x^2 + y^2)/2 = x*y + 1/2\nstart x = 1, y' = 5\n"

/* The second row says something only where z > 0. */
#define HALF                                                                                       \
    "coord x, w, y, z\nkinetic (x'^2 + 2*w'^2 + y'^2 + z'^2)/2\npotential 9.81*w\n"                \
    "constraint ring: x^2 + w^2 = 1\nconstraint half: y*max(z, 0)^2 = 0\n"                         \
    "start x = 1, w' = 1, z = -2, z' = 0.1, y' = 0.3\n"

static void begin_until(bench *b, double until)
{
    zw_run_settings set;
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = until;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
}

static bool same_basis(const bench *a, const bench *b)
{
    return memcmp(a->sim->run->solving.basis.in, b->sim->run->solving.basis.in, (size_t)a->m) == 0;
}

/* b begins farther along, where another basis is chosen. */
static void begin_elsewhere(bench *a, bench *b)
{
    bench ahead;
    bench_open(&ahead, SADDLE);
    assert_int_equal(bench_start(&ahead, false), ZW_OK);
    begin_until(&ahead, 3.0);
    for (int k = 1; k < 60; k++) {
        (void)go(&ahead, 0.01 * k);
        assert_int_equal(zw_sim_set_state(b->sim, 0.0, ahead.q, ahead.v), ZW_OK);
        begin_until(b, 3.0);
        if (!same_basis(a, b)) break;
    }
    assert_false(same_basis(a, b));
    bench_close(&ahead);
}

/* Rows of another basis get a solver of their own, dense or sparse; where there is no memory for it the
 * run is over, until it is restored once more. */
static void restored_with_its_basis(void **state)
{
    (void)state;
    bench a, b;
    size_t needed = 0;
    bench_open(&a, SADDLE);
    bench_open(&b, SADDLE);
    assert_int_equal(bench_start(&a, false), ZW_OK);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    begin_until(&a, 3.0);
    begin_elsewhere(&a, &b);
    (void)go(&a, 0.2);
    (void)go(&b, 0.3);
    assert_int_equal(zw_sim_save(a.sim, NULL, 0, &needed), ZW_OK);
    void *bytes = malloc(needed);
    assert_non_null(bytes);
    assert_int_equal(zw_sim_save(a.sim, bytes, needed, &needed), ZW_OK);
    zb_memory *memory = b.sim->memory;
    size_t budget = memory->budget;
    memory->budget = 1;
    zw_outcome outcome;
    assert_int_equal(zw_sim_restore(b.sim, bytes, needed), ZW_ERR_BUDGET);
    assert_int_equal(zw_sim_advance(b.sim, 1.0, &outcome), ZW_ERR_BUDGET);
    memory->budget = budget;
    assert_int_equal(zw_sim_restore(b.sim, bytes, needed), ZW_OK);
    free(bytes);
    assert_true(same_basis(&a, &b));
    (void)go(&a, 3.0);
    (void)go(&b, 3.0);
    expect_same(&a, &b, "saddle");
    bench_close(&a);
    bench_close(&b);
}

/* What the rank is almost everywhere was found where the run began. */
static void restored_with_its_rank(void **state)
{
    (void)state;
    bench a, b;
    zw_run_statistics one, other;
    bench_open(&a, HALF);
    bench_open(&b, HALF);
    assert_int_equal(bench_start(&a, false), ZW_OK);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    b.q[3] = 1.0;
    b.v[2] = 0.0;
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, b.q, b.v), ZW_OK);
    begin_until(&a, 3.0);
    begin_until(&b, 3.0);
    assert_int_not_equal(a.sim->run->solving.generic_rank, b.sim->run->solving.generic_rank);
    (void)go(&a, 0.5);
    (void)go(&b, 0.7);
    move_run(&a, &b);
    (void)go(&a, 3.0);
    (void)go(&b, 3.0);
    expect_same(&a, &b, "half");
    assert_int_equal(zw_sim_statistics(a.sim, &one), ZW_OK);
    assert_int_equal(zw_sim_statistics(b.sim, &other), ZW_OK);
    assert_int_equal(one.generic_rank, other.generic_rank);
    assert_memory_equal(one.roads, other.roads, sizeof one.roads);
    bench_close(&a);
    bench_close(&b);
}

/* ------------------------------------------------------------------ asked in between */

/* At every tenth time all that a caller may want, at the others only the state. */
static void ask_in_between(bench *b, const model *m, int pieces)
{
    zw_columns *columns = NULL;
    zw_run_statistics stats;
    double z[64];
    assert_int_equal(zw_columns_create(b->model, NULL, &columns), ZW_OK);
    double *row = calloc((size_t)zw_columns_count(columns), sizeof *row);
    assert_non_null(row);
    for (int k = 1; k <= pieces; k++) {
        (void)go(b, m->until * (double)k / pieces);
        if (k % 10 > 0) continue;
        assert_int_equal(zw_sim_columns(b->sim, columns, row), ZW_OK);
        assert_int_equal(zw_sim_acceleration(b->sim, b->t, b->q, b->v, z), ZW_OK);
        for (int32_t i = 0; i < b->n; i++) b->q[i] += 0.01 * sin(i + k);
        (void)zw_sim_acceleration(b->sim, b->t, b->q, b->v, z);
        assert_int_equal(zw_sim_statistics(b->sim, &stats), ZW_OK);
    }
    (void)go(b, m->until);
    zw_columns_free(columns);
    free(row);
}

static void asked_at_other_times(void **state)
{
    (void)state;
    for (int k = 0; k < refusing_count; k++) {
        const model *m = &refusing[k];
        bench straight;
        open_model(&straight, m, NULL, NULL);
        (void)go(&straight, m->until);
        static const int pieces[] = {7, 61, 500};
        for (int j = 0; j < 3; j++) {
            bench b;
            open_model(&b, m, NULL, NULL);
            ask_in_between(&b, m, pieces[j]);
            expect_same(&straight, &b, m->name);
            bench_close(&b);
        }
        bench_close(&straight);
    }
}

/* --------------------------------------------------------------------- interrupted */

/* Polls of a run: at the ends of steps they go on, and see to it that the next evaluation but some
 * polls again; on the way they say stop. */
typedef struct stopper {
    zw_sim *sim;
    int64_t steps, calls, stops;
} stopper;

static bool poll_on_the_way(void *user, const zw_progress *progress)
{
    stopper *s = user;
    bool between = progress->steps == s->steps;
    zr_ending *ending = &s->sim->run->ending;
    s->steps = progress->steps;
    ending->last_poll = -1e9;
    ending->since_poll = (uint32_t)(s->calls++ % 8);
    s->stops += between;
    return !between;
}

/* Until it is there, however often it is stopped on the way. */
static void go_stopping(bench *b, const stopper *s, double t)
{
    for (;;) {
        int64_t stops = s->stops;
        zw_outcome outcome = go(b, t);
        if (outcome == ZW_REACHED) return;
        assert_int_equal(outcome, ZW_INTERRUPTED);
        assert_int_equal(s->stops, stops + 1);
    }
}

static void compare_interrupted(const model *m)
{
    bench whole, b;
    stopper s = {0};
    open_model(&whole, m, NULL, NULL);
    open_model(&b, m, poll_on_the_way, &s);
    s.sim = b.sim;
    (void)go(&whole, m->until);
    for (int k = 1; k <= 5; k++) go_stopping(&b, &s, m->until * k / 5.0);
    assert_true(s.stops > 10);
    expect_same(&whole, &b, m->name);
    bench_close(&whole);
    bench_close(&b);
}

/* In the middle of steps; and of first steps, whose length is still sought, after events. A state
 * inside a step and the events in it are found without a poll: these cannot be made again. */
static void interrupted_and_continued(void **state)
{
    (void)state;
    for (int k = 0; k < refusing_count; k++) compare_interrupted(&refusing[k]);
    compare_interrupted(&(model){"quick_return",
                                 "coord beat\nkinetic beat'^2\nstart beat' = 1\n"
                                 "when beat > 0.1: beat = 0\n",
                                 1.5, true});
}

/* ------------------------------------------------------------------------ worth it */

/* The fused program refuses at every state of this model: of all questions it was asked few. The
 * memory at the end is the one that so many refusals leave, by the rule of roads.c. */
static void hardly_ever_asked(void **state)
{
    (void)state;
    bench b;
    zw_run_statistics stats;
    open_model(&b, &(model){"walking_linkage", "", 4.0, true}, NULL, NULL);
    assert_non_null(b.model->fused);
    (void)go(&b, 4.0);
    assert_int_equal(zw_sim_statistics(b.sim, &stats), ZW_OK);
    assert_int_equal(roads_taken(&stats, "fused"), 0);
    assert_true(stats.evaluations > 4000);
    zr_memory memory = {0};
    int asked = 0;
    for (int64_t k = 0; k < stats.evaluations + 1; k++) { /* begin evaluates once before them */
        if (!zr_is_awake(&memory)) continue;
        asked++;
        zr_remember(&memory, ZR_ASK_ACCELERATION, false);
    }
    assert_in_range(asked, 96, 200);
    const zr_memory *own = &b.sim->run->solving.memory[ZR_FUSED][ZR_ASK_ACCELERATION];
    assert_memory_equal(own, &memory, sizeof memory);
    assert_int_equal(own->slept, 1024);
    bench_close(&b);
}

/* `patient` refusals in a row, sleeps that double up to a limit; an answer ends all that, for
 * good. */
static void sleep_longer_and_longer(zr_question question, int patient)
{
    zr_memory memory = {0};
    for (int k = 0; k < patient - 1; k++) {
        assert_true(zr_is_awake(&memory));
        zr_remember(&memory, question, false);
    }
    for (int32_t sleep = 16; sleep <= 4096; sleep *= 2) {
        assert_true(zr_is_awake(&memory));
        zr_remember(&memory, question, false);
        for (int32_t k = 0; k < (sleep > 1024 ? 1024 : sleep); k++)
            assert_false(zr_is_awake(&memory));
    }
    assert_true(zr_is_awake(&memory));
    zr_remember(&memory, question, true);
    assert_memory_equal(&memory, &(zr_memory){.served = 1}, sizeof memory);
    for (int k = 0; k < 1000; k++) {
        assert_true(zr_is_awake(&memory));
        zr_remember(&memory, question, false);
    }
}

/* A projection comes once where a dozen accelerations do, and counts for eight of them. */
static void sleeps_longer_and_longer(void **state)
{
    (void)state;
    sleep_longer_and_longer(ZR_ASK_ACCELERATION, 96);
    sleep_longer_and_longer(ZR_ASK_PROJECTION, 12);
}

/* The roads sleep before the event; after it they are asked again. */
static void woken_by_an_event(void **state)
{
    (void)state;
    bench b;
    open_model(&b,
               &(model){"walking_linkage",
                        "coord beat\nkinetic beat'^2\nstart beat' = 1\nwhen beat > 0.8: beat = 0\n",
                        1.0, true},
               NULL, NULL);
    const zr_memory *own = &b.sim->run->solving.memory[ZR_FUSED][ZR_ASK_ACCELERATION];
    assert_non_null(b.model->fused);
    (void)go(&b, 0.79);
    assert_true(own->slept >= 64);
    (void)go(&b, 0.801);
    assert_int_equal(zw_sim_fired_count(b.sim), 1);
    assert_true(own->slept == 0 && own->sleeps == 0 && own->refused > 0 && own->refused < 96);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored_in_a_sleep),
        cmocka_unit_test(restored_on_the_constraints),
        cmocka_unit_test_setup_teardown(restored_with_its_basis, bench_auto, bench_auto),
        cmocka_unit_test_setup_teardown(restored_with_its_basis, bench_sparse, bench_auto),
        cmocka_unit_test_setup_teardown(restored_with_its_rank, bench_auto, bench_auto),
        cmocka_unit_test_setup_teardown(restored_with_its_rank, bench_sparse, bench_auto),
        cmocka_unit_test(asked_at_other_times),
        cmocka_unit_test(interrupted_and_continued),
        cmocka_unit_test(hardly_ever_asked),
        cmocka_unit_test(sleeps_longer_and_longer),
        cmocka_unit_test(woken_by_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
