/*
 * Crowds: every member must have the bits that it has alone, whatever its neighbours do, at every
 * width and instruction set, and exactly those are sent away who leave the plain road.
 *
 * A scene holds a problem, its members, and what became of each. One function evaluates f for one
 * member; the lanes call it column by column, so that f itself is the same. What a quick evaluation
 * would refuse is a matter of the arguments alone (`peculiar`): a member alone goes on and only
 * notes it, the crowd must send it away.
 */
#include "systems.h"

#include <stdlib.h>

#include "../../base/counting.h"
#include "crowd.h"
#include "pair_list.h"

enum { most_size = 13, most_members = 100, most_times = 9 };

/* ------------------------------------------------------------------- problems */

typedef struct problem {
    const char *name;
    void (*rates)(int32_t size, double p, double t, const double *y, double *dy);
    bool (*project)(double p, double t, double *y); /* NULL: none */
} problem;

/* A chain of oscillators, driven; p: their stiffness. Beyond size 2 neighbours are coupled. */
static void chain(int32_t size, double p, double t, const double *y, double *dy)
{
    for (int32_t i = 0; i < size; i++) {
        double next = y[(i + 1) % size], before = y[(i + size - 1) % size];
        dy[i] = p * (next - before) - 0.1 * y[i] + sin(t * (i + 1)) - 0.01 * y[i] * y[i] * y[i];
    }
}

/* A point on the unit circle in the plane, and sums that ride along; p: gravity. */
static void circle(int32_t size, double p, double t, const double *y, double *dy)
{
    (void)t;
    double tension = (y[2] * y[2] + y[3] * y[3] - p * y[1]) / (y[0] * y[0] + y[1] * y[1]);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -tension * y[0];
    dy[3] = -tension * y[1] - p;
    for (int32_t i = 4; i < size; i++) dy[i] = -p * y[3] * (i - 3);
}

static bool onto_circle(double p, double t, double *y)
{
    (void)p, (void)t;
    double r = y[0] * y[0] + y[1] * y[1], by = 1.0 / sqrt(r);
    if (fabs(r - 1.0) < 1e-13) return true; /* near enough: not a bit is changed */
    double off = y[0] * y[2] + y[1] * y[3];
    y[0] *= by;
    y[1] *= by;
    y[2] -= off / r * y[0];
    y[3] -= off / r * y[1];
    return true;
}

/* Van der Pol, one for each pair of components; p: how stiff. Steps are rejected often. */
static void relax(int32_t size, double p, double t, const double *y, double *dy)
{
    (void)t;
    for (int32_t i = 0; i + 1 < size; i += 2) {
        dy[i] = y[i + 1];
        dy[i + 1] = p * (i + 2) * ((1.0 - y[i] * y[i]) * y[i + 1] - y[i]);
    }
    if (size % 2 != 0) dy[size - 1] = -p * y[size - 1];
}

/* Rates that jump with time and place; p: how often. */
static void jumps(int32_t size, double p, double t, const double *y, double *dy)
{
    for (int32_t i = 0; i < size; i++)
        dy[i] = (sin(p * t + i) > 0.0 ? 1.0 : -0.5) + (y[i] > 0.3 ? 0.7 : 0.0);
}

/* Grows beyond all bounds when p > 0, before the end. */
static void pole(int32_t size, double p, double t, const double *y, double *dy)
{
    (void)t;
    for (int32_t i = 0; i < size; i++) dy[i] = p * y[i] * y[i];
}

static void still(int32_t size, double p, double t, const double *y, double *dy)
{
    (void)p, (void)t, (void)y;
    for (int32_t i = 0; i < size; i++) dy[i] = 0.0;
}

/* A little too far whatever the step. */
static bool push(double p, double t, double *y)
{
    (void)p, (void)t;
    y[0] += 1.2e-7;
    return true;
}

static const problem problems[] = {{"chain", chain, NULL},        {"circle", circle, onto_circle},
                                   {"relaxation", relax, NULL},   {"jumps", jumps, NULL},
                                   {"still", still, onto_circle}, {"pole", pole, NULL},
                                   {"pushed", still, push}};
enum { is_chain, is_circle, is_relax, is_jumps, is_still, is_pole, is_pushed };

/* --------------------------------------------------------------------- scenes */

typedef struct outcome {
    bool there, reached, stiff;
    bool refused; /* alone: something that sends away in a crowd */
    bool spoilt;  /* alone: numbers that were none; they may have done no harm */
    double t, y[most_size];
    zi_counts counts;
    int shown;
    double sample[most_times][most_size];
    bool sampled[most_times];
} outcome;

typedef struct member {
    double t, p, y[most_size];
    outcome alone, beside;
} member;

typedef struct scene {
    const problem *problem;
    int32_t size, controlled, width, time_count;
    double times[most_times], end;
    int64_t max_steps;
    bool stiff_leaves;
    uint64_t refuse_rates, refuse_project, spoil; /* 0: never; else one in so many */
    int32_t count, next, asked_again;
    member members[most_members];
    int64_t in_lane[zi_most_width]; /* -1: nobody */
    int64_t calls;                  /* of rates */
} scene;

/* One of `often` arguments is peculiar, by its bits. */
static bool peculiar(uint64_t often, uint64_t salt, double t, const double *y, int32_t size)
{
    if (often == 0) return false;
    uint64_t h = salt ^ zb_bits(t) * UINT64_C(0x9e3779b97f4a7c15);
    for (int32_t i = 0; i < size; i++)
        h = (h ^ zb_bits(y[i]) ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (h >> 20) % often == 0;
}

/* f of one member; true: refused. Values are there all the same. */
static bool evaluate(const scene *s, double p, double t, const double *y, double *dy)
{
    s->problem->rates(s->size, p, t, y, dy);
    if (peculiar(s->spoil, 1, t, y, s->size)) dy[s->size - 1] = ZB_INFINITY;
    return peculiar(s->refuse_rates, 2, t, y, s->size);
}

static bool move(const scene *s, double p, double t, double *y)
{
    bool refused = peculiar(s->refuse_project, 3, t, y, s->size);
    return !s->problem->project(p, t, y) || refused;
}

/* ---------------------------------------------------------------------- alone */

typedef struct lonely {
    const scene *scene;
    member *member;
} lonely;

static zw_status rates_alone(void *user, double t, const double *y, double *dy)
{
    lonely *x = user;
    outcome *o = &x->member->alone;
    if (evaluate(x->scene, x->member->p, t, y, dy)) o->refused = true;
    for (int32_t i = 0; i < x->scene->size; i++) o->spoilt = o->spoilt || !isfinite(dy[i]);
    return ZW_OK;
}

static zw_status project_alone(void *user, double t, double *y)
{
    lonely *x = user;
    if (move(x->scene, x->member->p, t, y)) x->member->alone.refused = true;
    return ZW_OK;
}

static void show_alone(lonely *x, zi_stepper *s, double t, int32_t k)
{
    outcome *o = &x->member->alone;
    zw_status status = zi_dense(s, t, o->sample[k]);
    if (status != ZW_OK) assert_true(status == ZW_ERR_NOT_FINITE && o->spoilt);
    o->refused = o->refused || status != ZW_OK;
    if (x->scene->problem->project && t != s->t && t != s->t_old) project_alone(x, t, o->sample[k]);
    o->sampled[k] = true;
    o->shown++;
}

/* The member by zi_step, and whether anything was out of the ordinary on the way. */
static void run_alone(const scene *s, const zi_method *method, const zi_settings *settings,
                      member *m)
{
    lonely x = {s, m};
    outcome *o = &m->alone;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    zi_system system = {.size = s->size,
                        .controlled = s->controlled,
                        .user = &x,
                        .rates = rates_alone,
                        .project = s->problem->project ? project_alone : NULL};
    zi_stepper *stepper = NULL;
    *o = (outcome){.there = true};
    zw_status status = zi_open(&memory, method, &system, settings, m->t, m->y, &stepper);
    assert_int_equal(status, m->t <= settings->end ? ZW_OK : ZW_ERR_ARGUMENT);
    if (status != ZW_OK) return;
    int32_t k = 0;
    while (k < s->time_count && s->times[k] < m->t) k++;
    for (;;) {
        for (; k < s->time_count && s->times[k] <= stepper->t; k++)
            show_alone(&x, stepper, s->times[k], k);
        if (stepper->t >= settings->end) break;
        if (s->max_steps > 0 && stepper->counts.steps >= s->max_steps) status = ZW_ERR_LIMIT;
        if (status == ZW_OK) status = zi_step(stepper);
        o->stiff = o->stiff || stepper->stiff;
        if (status != ZW_OK) break;
    }
    o->reached = status == ZW_OK && !o->refused && !(s->stiff_leaves && o->stiff);
    o->t = stepper->t;
    memcpy(o->y, stepper->y, (size_t)s->size * sizeof(double));
    o->counts = stepper->counts;
    zi_close(stepper);
}

/* ---------------------------------------------------------------- in the crowd */

static bool next(void *user, int32_t lane, int64_t *number, double *t, double *y)
{
    scene *s = user;
    assert_in_range(lane, 0, s->width - 1);
    if (s->next == s->count) {
        s->asked_again++;
        return false;
    }
    member *m = &s->members[s->next];
    assert_true(s->in_lane[lane] == -1);
    s->in_lane[lane] = *number = s->next++;
    *t = m->t;
    memcpy(y, m->y, (size_t)s->size * sizeof(double));
    return true;
}

static void done(void *user, const zi_gone *gone)
{
    scene *s = user;
    outcome *o = &s->members[gone->member].beside;
    assert_false(o->there);
    o->there = true;
    o->reached = gone->reached;
    o->t = gone->t;
    memcpy(o->y, gone->y, (size_t)s->size * sizeof(double));
    o->counts = gone->counts;
    for (int32_t l = 0; l < s->width; l++)
        if (s->in_lane[l] == gone->member) s->in_lane[l] = -1;
}

static void sample(void *user, int64_t number, int32_t k, const double *y)
{
    scene *s = user;
    outcome *o = &s->members[number].beside;
    assert_in_range(k, 0, s->time_count - 1);
    assert_false(o->there || o->sampled[k]);
    memcpy(o->sample[k], y, (size_t)s->size * sizeof(double));
    o->sampled[k] = true;
    o->shown++;
}

static bool has(uint32_t lanes, int32_t lane)
{
    return (lanes >> lane & 1) != 0;
}

static void get_column(const scene *s, const double *rows, int32_t lane, double *y)
{
    for (int32_t i = 0; i < s->size; i++) y[i] = rows[i * s->width + lane];
}

static void check_call(const scene *s, uint32_t active, const double *t, const double *y)
{
    assert_int_not_equal(active, 0);
    assert_int_equal(active >> s->width, 0);
    assert_int_equal((uintptr_t)t % 64, 0);
    assert_int_equal((uintptr_t)y % 64, 0);
    for (int32_t l = 0; l < s->width; l++) assert_true(!has(active, l) || s->in_lane[l] >= 0);
}

/* Lanes that are not active get rubbish, and are said to be refused. */
static uint32_t rates(void *user, uint32_t active, const double *t, const double *y, double *dy)
{
    scene *s = user;
    uint32_t refused = UINT32_MAX & ~active;
    check_call(s, active, t, y);
    assert_int_equal((uintptr_t)dy % 64, 0);
    s->calls++;
    for (int32_t l = 0; l < s->width; l++) {
        double column[most_size], d[most_size], rubbish = l % 2 != 0 ? ZB_NAN : 1e308;
        get_column(s, y, l, column);
        if (has(active, l) && evaluate(s, s->members[s->in_lane[l]].p, t[l], column, d))
            refused |= UINT32_C(1) << l;
        for (int32_t i = 0; i < s->size; i++)
            dy[i * s->width + l] = has(active, l) ? d[i] : rubbish;
    }
    return refused;
}

static uint32_t project(void *user, uint32_t active, const double *t, double *y)
{
    scene *s = user;
    uint32_t refused = UINT32_MAX & ~active;
    check_call(s, active, t, y);
    for (int32_t l = 0; l < s->width; l++) {
        double column[most_size];
        if (!has(active, l)) continue;
        get_column(s, y, l, column);
        if (move(s, s->members[s->in_lane[l]].p, t[l], column)) refused |= UINT32_C(1) << l;
        for (int32_t i = 0; i < s->size; i++) y[i * s->width + l] = column[i];
    }
    return refused;
}

static zi_crowd crowd_of(scene *s)
{
    return (zi_crowd){.size = s->size,
                      .controlled = s->controlled,
                      .width = s->width,
                      .max_steps = s->max_steps,
                      .stiff_leaves = s->stiff_leaves,
                      .times = s->times,
                      .time_count = s->time_count,
                      .user = s,
                      .next = next,
                      .done = done,
                      .rates = rates,
                      .project = s->problem->project ? project : NULL,
                      .sample = s->time_count > 0 ? sample : NULL};
}

static void empty_lanes(scene *s)
{
    s->next = s->asked_again = 0;
    for (int32_t l = 0; l < zi_most_width; l++) s->in_lane[l] = -1;
    for (int32_t i = 0; i < s->count; i++) s->members[i].beside = (outcome){0};
}

/* --------------------------------------------------------------- comparisons */

static void compare(const scene *s, const member *m)
{
    const outcome *a = &m->alone, *b = &m->beside;
    assert_true(b->there);
    if (!b->reached && a->reached) assert_true(a->spoilt);
    if (!b->reached) return;
    assert_true(a->reached);
    assert_true(same_bits(&a->t, &b->t, 1));
    assert_true(same_bits(a->y, b->y, s->size));
    assert_int_equal(a->counts.steps, b->counts.steps);
    assert_int_equal(a->counts.rejected, b->counts.rejected);
    assert_int_equal(a->counts.evaluations, b->counts.evaluations);
    assert_true(same_bits(&a->counts.smallest, &b->counts.smallest, 1));
    assert_true(same_bits(&a->counts.largest, &b->counts.largest, 1));
    assert_int_equal(a->shown, b->shown);
    for (int32_t k = 0; k < s->time_count; k++) {
        assert_int_equal(a->sampled[k], b->sampled[k]);
        assert_true(same_bits(a->sample[k], b->sample[k], a->sampled[k] ? s->size : 0));
    }
}

typedef struct tally {
    int64_t reached, away, rejected, steps, shown;
} tally;

/* Runs the scene alone, and beside each other at both widths with all instruction sets. */
static tally check(scene *s, const char *name, const zi_settings *settings)
{
    const zi_method *method = zi_find_method(name);
    tally sum = {0};
    for (int32_t i = 0; i < s->count; i++) {
        run_alone(s, method, settings, &s->members[i]);
        const outcome *o = &s->members[i].alone;
        if (!o->reached) continue;
        sum.rejected += o->counts.rejected;
        sum.steps += o->counts.steps;
        sum.shown += o->shown;
    }
    for (s->width = 4; s->width <= 8; s->width += 4)
        for (int level = ZB_CPU_PLAIN; level <= (int)zb_cpu(); level++) {
            counting c;
            zb_memory memory;
            counting_init(&c, &memory);
            c.shift = 16 * (size_t)level;
            empty_lanes(s);
            const zi_lane_functions *lanes = zi_find_lane_functions(s->width, (zb_cpu_level)level);
            zi_crowd crowd = crowd_of(s);
            assert_int_equal(zi_run_crowd_by(&memory, lanes, method, &crowd, settings), ZW_OK);
            assert_int_equal(s->asked_again, 1);
            sum.away = 0;
            for (int32_t i = 0; i < s->count; i++) {
                compare(s, &s->members[i]);
                sum.away += !s->members[i].beside.reached;
            }
            assert_nothing_held(&c, &memory);
        }
    sum.reached = s->count - sum.away;
    return sum;
}

/* Numbers in [0, 1), the same each time. */
static double chance(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Members with starts at times of their own; a few begin at the end. */
static scene *make(const problem *of, int32_t size, int32_t count, uint64_t seed)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->problem = of;
    s->size = s->controlled = size;
    s->count = count;
    s->end = 3.0;
    for (int32_t i = 0; i < count; i++) {
        member *m = &s->members[i];
        double far = chance(&seed);
        m->t = i % 11 == 10 ? s->end : s->end - (i % 7 == 6 ? 1e-9 : 0.05 + 4.0 * far * far);
        m->p = 0.2 + 9.0 * chance(&seed);
        for (int32_t j = 0; j < size; j++) m->y[j] = 2.0 * chance(&seed) - 1.0;
        if (of->project) {
            double angle = 3.0 * m->y[0];
            m->y[0] = cos(angle);
            m->y[1] = sin(angle);
            double speed = m->y[2];
            m->y[2] = -speed * m->y[1];
            m->y[3] = speed * m->y[0];
        }
    }
    return s;
}

static zi_settings usual(const scene *s)
{
    return (zi_settings){.tol = 1e-7, .abs_tol = 1e-9, .end = s->end};
}

/* ---------------------------------------------------------------------- tests */

static const int32_t counts[] = {0, 1, 3, 4, 5, 17, 100};

static void members_have_their_own_bits(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++)
        for (int i = is_chain; i <= is_still; i++) {
            tally sum = {0};
            for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
                scene *s = make(&problems[i], problems[i].project ? 5 : 2, counts[j], j + 1);
                s->controlled = problems[i].project ? 4 : 2;
                zi_settings settings = usual(s);
                tally t = check(s, zi_pair_methods[k].name, &settings);
                assert_int_equal(t.away, 0);
                sum.steps += t.steps;
                sum.rejected += t.rejected;
                free(s);
            }
            assert_true(sum.steps > 500);
            /* pairs of a low order take steps so small that errors rarely surprise them */
            bool rejects =
                i == is_jumps || (i == is_relax && zi_pair_methods[k].pair->tableau->order >= 5);
            if (rejects) assert_true(sum.rejected > 400);
        }
}

static void every_number_of_components(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++)
        for (int32_t size = 1; size <= most_size; size++)
            for (int part = 0; part < 3; part++) {
                scene *s = make(&problems[size % 2 ? is_chain : is_relax], size, 11, 77);
                s->controlled = part == 0 ? size : part == 1 ? size / 2 : 0;
                zi_settings settings = usual(s);
                if (part == 2) settings.step = 0.05; /* of no account after the first */
                tally t = check(s, zi_pair_methods[k].name, &settings);
                if (part == 0) assert_int_equal(t.away, 0);
                assert_true(t.reached > 0);
                free(s);
            }
}

static void settings_are_kept_to(void **state)
{
    (void)state;
    const zi_settings settings[] = {{.tol = 1e-3, .abs_tol = 1e-3},
                                    {.tol = 1e-12, .abs_tol = 0.0},
                                    {.tol = 0.0, .abs_tol = 1e-11},
                                    {.tol = 1e-6, .abs_tol = 1e-6, .step = 2.0},
                                    {.tol = 1e-6, .abs_tol = 1e-6, .step = 1e-5},
                                    {.tol = 1e-6, .abs_tol = 1e-6, .step = ZB_NAN}};
    for (int k = 0; k < zi_pair_count; k++)
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
            scene *s = make(&problems[is_circle], 6, 13, i);
            s->controlled = 4;
            zi_settings x = settings[i];
            x.end = s->end;
            tally t = check(s, zi_pair_methods[k].name, &x);
            assert_int_equal(t.away, 0);
            assert_true(t.steps > 13);
            free(s);
        }
}

static void samples_have_their_own_bits(void **state)
{
    (void)state;
    static const double times[most_times] = {-2.0, 0.0, 1.0, 1.0, 1.5, 2.2, 2.2000001, 3.0, 3.5};
    for (int k = 0; k < zi_pair_count; k++)
        for (int i = is_chain; i <= is_still; i++)
            for (int loose = 0; loose < 2; loose++) {
                scene *s = make(&problems[i], 5, 40, 5);
                memcpy(s->times, times, sizeof times);
                s->time_count = most_times;
                s->controlled = 4;
                s->members[3].t = 1.0; /* begins at a time of output */
                s->members[8].t = 0.0;
                zi_settings settings = usual(s);
                if (loose) settings.tol = settings.abs_tol = 1e-2; /* many times in a step */
                tally t = check(s, zi_pair_methods[k].name, &settings);
                assert_int_equal(t.away, 0);
                assert_true(t.shown > 80);
                free(s);
            }
}

/* Exactly those who meet a refusal, or a number that is none, are sent away. */
static void refusals_send_away(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++)
        for (int kind = 0; kind < 3; kind++)
            for (int times = 0; times < 2; times++) {
                scene *s = make(&problems[is_circle], 7, most_members, 9 + (uint64_t)kind);
                s->controlled = 6;
                *(kind == 0   ? &s->refuse_rates
                  : kind == 1 ? &s->refuse_project
                              : &s->spoil) = kind == 1 ? 25 : 250;
                s->time_count = times != 0 ? 3 : 0;
                for (int i = 0; i < 3; i++) s->times[i] = 0.7 * (i + 1);
                zi_settings settings = usual(s);
                tally t = check(s, zi_pair_methods[k].name, &settings);
                assert_true(t.reached > 20 && t.away > 10);
                free(s);
            }
}

/* The step comes to its limit, the steps are too many, the motion looks stiff. */
static void limits_send_away(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++) {
        scene *s = make(&problems[is_pole], 3, 50, 4);
        zi_settings settings = usual(s);
        tally t = check(s, zi_pair_methods[k].name, &settings);
        assert_true(t.reached > 10 && t.away > 10);
        free(s);

        s = make(&problems[is_relax], 4, 50, 4);
        s->max_steps = 40;
        t = check(s, zi_pair_methods[k].name, &settings);
        assert_true(t.reached > 10 && t.away > 5);
        free(s);

        s = make(&problems[is_relax], 4, 50, 4);
        for (int32_t i = 0; i < s->count; i++) s->members[i].p *= 30.0;
        s->stiff_leaves = true;
        settings.tol = settings.abs_tol = 1e-4;
        t = check(s, zi_pair_methods[k].name, &settings);
        if (zi_pair_methods[k].pair->tableau->stiff_bound > 0.0)
            assert_true(t.reached > 5 && t.away > 5);
        else
            assert_int_equal(t.away, 0);
        s->stiff_leaves = false;
        t = check(s, zi_pair_methods[k].name, &settings);
        assert_int_equal(t.away, 0);
        free(s);
    }
}

/* At t = 0, where no step is too short, attempts end by their number, as they do alone. */
static void attempts_come_to_an_end(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++) {
        scene *s = make(&problems[is_pushed], 1, 8, 3);
        for (int32_t i = 0; i < s->count; i++) {
            s->members[i].t = 0.0;
            s->members[i].y[0] = 1.0;
        }
        zi_settings settings = usual(s);
        s->calls = 0;
        assert_int_equal(check(s, zi_pair_methods[k].name, &settings).away, 8);
        assert_int_equal(s->members[0].alone.counts.rejected, zi_most_attempts);
        int64_t levels = (int64_t)zb_cpu() + 1, rounds = levels * (2 + 1); /* two of width 4 */
        assert_true(s->calls <= rounds * (zi_most_attempts + 2) * (zi_most_stages + 1));
        free(s);
    }
}

static void starts_beyond_the_end(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++) {
        scene *s = make(&problems[is_chain], 3, 20, 2);
        for (int32_t i = 0; i < s->count; i += 2) s->members[i].t = 3.1;
        s->times[0] = 3.05;
        s->time_count = 1;
        zi_settings settings = usual(s);
        tally t = check(s, zi_pair_methods[k].name, &settings);
        assert_int_equal(t.away, 10);
        free(s);
    }
}

/* A member has the same bits with other neighbours and in another order. */
static void neighbours_do_not_matter(void **state)
{
    (void)state;
    scene *s = make(&problems[is_circle], 5, 24, 6);
    s->controlled = 4;
    zi_settings settings = usual(s);
    check(s, "dop853", &settings);
    scene *other = make(&problems[is_circle], 5, 24, 6);
    other->controlled = 4;
    for (int32_t i = 0; i < 24; i++) other->members[i] = s->members[23 - i];
    for (int32_t i = 0; i < 24; i += 3) other->members[i].p = 1.0;
    check(other, "dop853", &settings);
    for (int32_t i = 0; i < 24; i++) {
        const member *m = &other->members[i];
        bool same = memcmp(&m->beside, &s->members[23 - i].beside, sizeof m->beside) == 0;
        assert_true(same == (i % 3 != 0 || m->t >= s->end));
    }
    free(s);
    free(other);
}

static void wrong_arguments(void **state)
{
    (void)state;
    scene *s = make(&problems[is_chain], 2, 3, 1);
    s->width = 4;
    empty_lanes(s);
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    zi_settings settings = usual(s), bad = settings;
    zi_crowd crowd = crowd_of(s), other = crowd;
    const zi_method *method = zi_find_method("dop853");
    assert_int_equal(zi_run_crowd(&memory, zi_find_method("rk4"), &crowd, &settings),
                     ZW_ERR_METHOD);
    other.width = 5;
    assert_int_equal(zi_run_crowd(&memory, method, &other, &settings), ZW_ERR_ARGUMENT);
    other = crowd;
    other.controlled = 3;
    assert_int_equal(zi_run_crowd(&memory, method, &other, &settings), ZW_ERR_ARGUMENT);
    other.size = other.controlled = -1;
    assert_int_equal(zi_run_crowd(&memory, method, &other, &settings), ZW_ERR_ARGUMENT);
    bad.tol = ZB_NAN;
    assert_int_equal(zi_run_crowd(&memory, method, &crowd, &bad), ZW_ERR_ARGUMENT);
    bad = settings;
    bad.end = ZB_NAN;
    assert_int_equal(zi_run_crowd(&memory, method, &crowd, &bad), ZW_ERR_ARGUMENT);
    assert_int_equal(s->next, 0);
    assert_int_equal(zi_run_crowd(&memory, method, &crowd, &settings), ZW_OK);
    assert_int_equal(s->next, 3);
    free(s);
}

/* No end: only the limit of steps ends it. */
static void without_an_end(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++) {
        scene *s = make(&problems[is_chain], 2, 9, 1);
        s->max_steps = 30;
        zi_settings settings = usual(s);
        settings.end = HUGE_VAL;
        tally t = check(s, zi_pair_methods[k].name, &settings);
        assert_int_equal(t.away, 9);
        for (int32_t i = 0; i < 9; i++) { /* as far as it came it is the same all the same */
            const outcome *a = &s->members[i].alone, *b = &s->members[i].beside;
            assert_true(a->t == b->t && same_bits(a->y, b->y, 2));
            assert_int_equal(b->counts.steps, 30);
        }
        free(s);
    }
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    for (int64_t at = 1;; at++) {
        scene *s = make(&problems[is_circle], 5, 6, 1);
        s->width = 8;
        empty_lanes(s);
        counting c;
        zb_memory memory;
        counting_init(&c, &memory);
        c.refuse_at = at;
        zi_settings settings = usual(s);
        zi_crowd crowd = crowd_of(s);
        zw_status status = zi_run_crowd(&memory, zi_find_method("dopri5"), &crowd, &settings);
        assert_int_equal(status, c.refused > 0 ? ZW_ERR_MEMORY : ZW_OK);
        assert_int_equal(s->next, c.refused > 0 ? 0 : 6);
        assert_nothing_held(&c, &memory);
        bool whole = c.refused == 0;
        free(s);
        if (whole) {
            assert_true(at > 1);
            break;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_have_their_own_bits),
        cmocka_unit_test(every_number_of_components),
        cmocka_unit_test(settings_are_kept_to),
        cmocka_unit_test(samples_have_their_own_bits),
        cmocka_unit_test(refusals_send_away),
        cmocka_unit_test(limits_send_away),
        cmocka_unit_test(attempts_come_to_an_end),
        cmocka_unit_test(starts_beyond_the_end),
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(without_an_end),
        cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
