/*
 * Systems of random cells, cut by every rule, at both widths, stored and recomputed, damped or not:
 * accelerations, multipliers, violations and corrections against long double (parts_oracle.h).
 *
 * How far off an answer may be: elimination in any order is backward stable for S, so that z is off
 * by some eps times the condition of S with its rows scaled, in units of what z is the sum of:
 * M^-1 Q and M^-1 A^T lambda. `most_off` is the number of eps that this may be.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../base/counting.h"
#include "partition.h"
#include "parts_subject.h"

#ifndef PARTS_WORLDS
#define PARTS_WORLDS 36
#endif

static const double eps = 2.220446049250313e-16;
static const double most_off = 20.0;
static const double least = 1e-12; /* pivot, of the diagonal entry */
static const double kept_condition = 1e8;
static const double damping = 1e-10;   /* of dependent rows, in units of their diagonal entries; a
                                          correction is one damped step */
static const double most_units = 64.0; /* a row that holds is off by fewer units of rounding */

/* What was seen, over all worlds. */
typedef struct tally {
    int32_t worlds, kept, plans, refused, wrong_rank, contradictions;
    int32_t by_rule[ZE_RULE_COUNT];
    double worst_z, worst_lambda, worst_change; /* in units of most_off */
} tally;

typedef struct test {
    zb_memory memory;
    zb_team *team;
    tally seen;
} test;

/* ------------------------------------------------------------------- helpers */

#define claim(s, truth, ...)                                                                       \
    do {                                                                                           \
        if (!(truth)) {                                                                            \
            print_error("%s (%s): ", (s)->name, (s)->stage);                                       \
            print_error(__VA_ARGS__);                                                              \
            print_error("\n");                                                                     \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

static double off(int32_t n, const double *x, const long double *y)
{
    double worst = 0.0;
    for (int32_t k = 0; k < n; k++) {
        double d = (double)fabsl((long double)x[k] - y[k]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static double size_of(int32_t n, const long double *x)
{
    double worst = 0.0;
    for (int32_t k = 0; k < n; k++) worst = fmax(worst, (double)fabsl(x[k]));
    return worst;
}

static double row_size(const oracle *o, int32_t i)
{
    long double sum = 0.0L;
    for (int32_t k = 0; k < o->g->n; k++)
        sum += o->g->A[i * o->g->n + k] * o->g->A[i * o->g->n + k];
    return (double)sqrtl(sum);
}

static double rounding_of(const wide_answer *a, double scale)
{
    return eps * a->condition * scale;
}

/* ------------------------------------------------------------------ one plan */

typedef struct cut {
    test *t;
    subject *s;
    ze_choice choice;
    ze_parts_plan *plan;
    int32_t size;
    double *q, *v, *z;  /* [size] */
    double *x, *lambda; /* [n] [m] */
} cut;

static ze_state state_of(const cut *c, zk_evaluator evaluator, zb_team *team)
{
    return (ze_state){.t = c->s->w->t, .q = c->q, .v = c->v, .evaluator = evaluator, .team = team};
}

static void check_order(cut *c)
{
    const world *w = c->s->w;
    const double *mask = ze_mask(c->plan);
    ze_facts facts;
    ze_facts_of(c->plan, &facts);
    double ones = 0.0;
    for (int32_t k = 0; k < c->size; k++) {
        claim(c->s, mask[k] == 0.0 || mask[k] == 1.0, "mask %g", mask[k]);
        ones += mask[k];
    }
    claim(c->s, ones == (double)w->n, "mask has %g ones", ones);
    claim(c->s, facts.groups * facts.width >= facts.parts, "%d groups, %d parts", facts.groups,
          facts.parts);
    claim(c->s, c->choice.width == 0 || facts.width == c->choice.width, "width %d", facts.width);
    claim(c->s, facts.shapes >= 1 && facts.shapes <= facts.parts, "%d shapes", facts.shapes);
    claim(c->s, facts.between >= 0 && facts.between <= w->m && facts.rest <= facts.between,
          "%d rows between, %d in the rest", facts.between, facts.rest);
    ze_unpack(c->plan, c->q, c->x);
    claim(c->s, memcmp(c->x, w->q, sizeof *w->q * (size_t)w->n) == 0, "pack and unpack differ");
    for (int32_t k = 0; k < c->size; k++) claim(c->s, isfinite(c->q[k]), "padding %d", k);
}

static bool accelerate(cut *c, zk_evaluator evaluator, zb_team *team, bool multipliers)
{
    ze_state state = state_of(c, evaluator, team);
    ze_task task = {.least = least, .multipliers = multipliers};
    for (int32_t k = 0; k < c->size; k++) c->z[k] = (double)NAN;
    if (!ze_accelerate(c->plan, &state, &task, c->z)) return false;
    for (int32_t k = 0; k < c->size; k++) claim(c->s, isfinite(c->z[k]), "z[%d] %g", k, c->z[k]);
    ze_unpack(c->plan, c->z, c->x);
    if (multipliers) ze_multipliers(c->plan, c->lambda);
    return true;
}

static void note(double *worst, double x)
{
    if (!(x <= *worst)) *worst = x;
}

static void compare_multipliers(cut *c, const answer *a, double scale)
{
    subject *s = c->s;
    int32_t n = s->w->n, m = s->w->m;
    double size = 0.0, worst = 0.0;
    long double *push = wide(n);
    for (int32_t i = 0; i < m; i++) { /* dependent ones are not unique, what they do is */
        for (int32_t k = 0; k < n; k++)
            push[k] += a->o->g->A[i * n + k] * (long double)c->lambda[i];
        double row = row_size(a->o, i);
        size = fmax(size, row * (double)fabsl(a->lambda[i]));
        note(&worst, row * (double)fabsl((long double)c->lambda[i] - a->lambda[i]));
    }
    double unit = rounding_of(&a->facts, fmax(size, scale));
    if (a->facts.rank == m) {
        note(&c->t->seen.worst_lambda, worst / unit);
        claim(s, worst <= most_off * unit, "lambda is off by %g, %g eps cond", worst, worst / unit);
    }
    for (int32_t k = 0; k < n; k++) push[k] -= a->push[k];
    worst = size_of(n, push);
    claim(s, worst <= most_off * unit, "A^T lambda is off by %g", worst);
    free(push);
}

static void compare(cut *c, const answer *a, bool multipliers)
{
    double scale = fmax(a->facts.scale, size_of(c->s->w->n, a->z));
    double error = off(c->s->w->n, c->x, a->z), unit = rounding_of(&a->facts, scale);
    note(&c->t->seen.worst_z, error / unit);
    claim(c->s, error <= most_off * unit, "z is off by %g of %g, %g eps cond", error, scale,
          error / unit);
    if (multipliers) compare_multipliers(c, a, scale);
}

/* The same bits from a state that is not packed; not of dependent rows. */
static void check_loose(cut *c, const double *expected)
{
    const world *w = c->s->w;
    ze_state state = {.t = w->t, .q = w->q, .v = w->v, .evaluator = ZK_FASTEST};
    ze_task task = {.least = least, .multipliers = true};
    c->s->stage = "in the caller's order";
    for (int32_t k = 0; k < w->n; k++) c->x[k] = (double)NAN;
    bool found = ze_accelerate_unpacked(c->plan, &state, &task, c->x);
    claim(c->s, found == !c->choice.dependent, "%d", found);
    if (!found) return;
    claim(c->s, memcmp(expected, c->x, sizeof *expected * (size_t)w->n) == 0, "other bits");
    ze_multipliers(c->plan, c->lambda);
    compare(c, &c->s->here, true);
}

/* The same bits by byte code, machine code, with multipliers or without. */
static void check_ways(cut *c)
{
    static const char *const ways[6] = {"first",        "two threads",        "no multipliers",
                                        "machine code", "it and two threads", "byte code again"};
    int32_t n = c->s->w->n;
    double *first = aligned(n);
    for (int way = 0; way < 6; way++) {
        c->s->stage = ways[way];
        if (way == 3) ze_make_native(c->plan, NULL);
        zb_team *team = way % 3 == 1 ? c->t->team : NULL;
        claim(c->s, accelerate(c, way == 5 ? ZK_BYTE_CODE : ZK_FASTEST, team, way % 3 != 2),
              "refused, way %d", way);
        compare(c, &c->s->here, way % 3 != 2);
        if (way == 0) memcpy(first, c->x, sizeof *first * (size_t)n);
        claim(c->s, memcmp(first, c->x, sizeof *first * (size_t)n) == 0, "bits of way %d", way);
    }
    check_loose(c, first);
    free(first);
}

/* ------------------------------------------------------- looks and corrections */

/* rounding: what size may be off by. */
static ze_violation look_plainly(const world *w, const oracle *o, int order, const double *x,
                                 double *rounding)
{
    ze_violation all = {0};
    *rounding = 0.0;
    for (int32_t i = 0; i < w->m; i++) {
        if (!subject_row_counts(w, i, order)) continue;
        double phi = (double)fabsl(o->level[order * w->m + i]), reach = 0.0;
        for (int32_t k = 0; k < w->n; k++) reach += fabs((double)o->g->A[i * w->n + k] * x[k]);
        double unit = eps * (4.0 * (double)o->level[(2 + order) * w->m + i] + reach);
        all.size = fmax(all.size, phi);
        if (phi > 0.0) all.units = fmax(all.units, phi / unit);
        *rounding = fmax(*rounding, most_units * unit);
    }
    return all;
}

static void check_look(cut *c, const oracle *o, int order, const double *x)
{
    ze_state state = state_of(c, ZK_FASTEST, c->t->team);
    double rounding;
    ze_violation found = {.size = -1.0, .units = -1.0},
                 expected = look_plainly(c->s->w, o, order, x, &rounding);
    ze_measure_violation(c->plan, &state, order, &found);
    double size = fabs(found.size - expected.size), units = fabs(found.units - expected.units);
    claim(c->s, size <= 1e-12 * expected.size + rounding, "order %d is off by %g, expected %g",
          order, found.size, expected.size);
    claim(c->s, units <= 1e-9 * expected.units + most_units,
          "order %d is off by %g units, expected %g", order, found.units, expected.units);
}

static void check_correction(cut *c, const off_constraints *b, int order)
{
    const world *w = c->s->w;
    const wide_answer *a = &b->facts[order];
    const double *x = order == 0 ? b->q : b->v;
    ze_state state = state_of(c, ZK_FASTEST, c->t->team);
    for (int32_t k = 0; k < c->size; k++) c->z[k] = (double)NAN;
    bool found = ze_correct(c->plan, &state, order, least, c->z);
    if (a->condition > kept_condition) return;
    claim(c->s, found, "no correction, order %d", order);
    ze_unpack(c->plan, c->z, c->x);
    double largest = 0.0; /* residuals are known to rounding of the state */
    for (int32_t k = 0; k < w->n; k++) largest = fmax(largest, fabs(x[k]));
    /* dependent rows contradict each other a little, and are damped without refinement */
    double size = size_of(w->n, b->change[order]), error = off(w->n, c->x, b->change[order]);
    double bound = most_off * rounding_of(a, size) + 8.0 * rounding_of(a, largest) +
                   a->condition * a->contradiction * c->s->shake +
                   (c->choice.dependent ? 16.0 * damping * a->condition * size : 0.0);
    note(&c->t->seen.worst_change, error / bound);
    claim(c->s, error <= bound, "the correction of order %d is off by %g of %g, allowed %g", order,
          error, size, bound);
}

/* Off the constraints: as far as was asked for, and back. */
static void check_off_constraints(cut *c, const off_constraints *b, bool back)
{
    c->s->stage = back ? "off the constraints" : "on the constraints";
    ze_pack(c->plan, b->q, c->q);
    ze_pack(c->plan, b->v, c->v);
    for (int order = 0; order < 2; order++) {
        check_look(c, b->o, order, order == 0 ? b->q : b->v);
        if (back) check_correction(c, b, order);
    }
    ze_pack(c->plan, c->s->w->q, c->q);
    ze_pack(c->plan, c->s->w->v, c->v);
}

/* -------------------------------------------------------------- other numbers */

static void check_values(cut *c)
{
    subject *s = c->s;
    const wide_answer *facts = &s->other.facts;
    bool fine = facts->contradiction < 1e-13 && facts->condition <= kept_condition;
    s->stage = "other values";
    ze_set_values(c->plan, s->values);
    bool found = accelerate(c, ZK_FASTEST, NULL, true);
    if (fine && (facts->rank == s->w->m || c->choice.dependent)) {
        claim(s, found, "refused with other values");
        compare(c, &s->other, true);
    }
    if (c->choice.dependent && facts->contradiction > 1e-6 && facts->rank < s->w->m) {
        c->t->seen.contradictions++;
        claim(s, !found, "rows that contradict each other (%g) are not seen", facts->contradiction);
    }
    s->stage = "values of before";
    ze_set_values(c->plan, s->w->value);
    claim(s, accelerate(c, ZK_FASTEST, NULL, true), "refused with the values of before");
    compare(c, &s->here, true);
}

static void check_nan(cut *c)
{
    const world *w = c->s->w;
    c->s->stage = "not a number";
    bool matters = false; /* A of holonomic rows depends on positions */
    for (int32_t i = 0; i < w->m; i++) matters |= w->kinds[i] == ZE_HOLONOMIC;
    for (int32_t k = 0; k < c->size; k++) c->q[k] = (double)NAN;
    ze_state state = state_of(c, ZK_FASTEST, NULL);
    ze_task task = {.least = least};
    claim(c->s, !matters || !ze_accelerate(c->plan, &state, &task, c->z), "it goes through");
    ze_pack(c->plan, c->s->w->q, c->q);
}

/* --------------------------------------------------------------------- cutting */

static bool cut_open(cut *c, test *t, subject *s, const ze_choice *choice)
{
    *c = (cut){.t = t, .s = s, .choice = *choice};
    char *end = strstr(s->name, " | ");
    if (end) *end = 0;
    size_t length = strlen(s->name);
    snprintf(s->name + length, sizeof s->name - length,
             " | rule %d size %d width %d store %d dependent %d", choice->rule - 1, choice->size,
             choice->width, choice->store, choice->dependent);
    s->stage = "plan";
    zw_status status = ze_plan(&t->memory, &s->w->system, choice, &c->plan);
    claim(s, status == ZW_OK, "status %d", (int)status);
    if (!c->plan) return false;
    c->size = ze_size(c->plan);
    c->q = aligned(c->size), c->v = aligned(c->size), c->z = aligned(c->size);
    c->x = aligned(s->w->n), c->lambda = aligned(s->w->m);
    ze_set_values(c->plan, s->w->value);
    ze_pack(c->plan, s->w->q, c->q);
    ze_pack(c->plan, s->w->v, c->v);
    return true;
}

static void cut_close(cut *c)
{
    ze_free(c->plan);
    free(c->q), free(c->v), free(c->z), free(c->x), free(c->lambda);
}

static void check_cut(test *t, subject *s, const ze_choice *choice)
{
    cut c;
    if (!cut_open(&c, t, s, choice)) {
        t->seen.refused++;
        return;
    }
    t->seen.plans++;
    if (choice->rule > 0) t->seen.by_rule[choice->rule - 1]++;
    s->stage = "order";
    check_order(&c);
    if (s->here.facts.rank < s->w->m && !choice->dependent) {
        t->seen.wrong_rank++;
        claim(s, !accelerate(&c, ZK_FASTEST, NULL, true), "dependent rows are not seen");
    } else {
        check_ways(&c);
        check_off_constraints(&c, &s->exact, false);
        check_off_constraints(&c, &s->shaken, true);
        check_values(&c);
    }
    check_nan(&c);
    cut_close(&c);
}

static void check_world(test *t, const world_request *r, int32_t cuts)
{
    static const int32_t sizes[8] = {1, 2, 3, 4, 6, 9, 16, 40};
    subject *s = subject_create(&t->memory, r);
    uint64_t random = r->seed + 1;
    bool keep = s->here.facts.condition <= kept_condition && s->here.facts.contradiction <= 1e-13;
    t->seen.worlds++;
    for (int32_t k = 0; k < cuts && keep; k++) {
        int32_t size = sizes[world_below(&random, 8)];
        ze_choice choice = {.rule = 1 + k % ZE_RULE_COUNT,
                            .size = size,
                            .width = world_below(&random, 2) ? 4 : 8,
                            .store = 1 + world_below(&random, 2),
                            .dependent = s->here.facts.rank < s->w->m ? k % 3 > 0 : k % 3 == 0};
        if (choice.rule - 1 == ZE_COMPONENTS) choice.size = 64;
        if (k == ZE_RULE_COUNT) choice = (ze_choice){.dependent = s->here.facts.rank < s->w->m};
        check_cut(t, s, &choice);
    }
    t->seen.kept += keep;
    subject_free(s);
}

/* --------------------------------------------------------------------- tests */

static void report(const tally *a)
{
    print_message("%d worlds, %d kept, %d plans, %d refused; z %.3g lambda %.3g change %.3g\n",
                  a->worlds, a->kept, a->plans, a->refused, a->worst_z, a->worst_lambda,
                  a->worst_change);
}

static world_request request_of(uint64_t seed, bool particles, bool redundant)
{
    static const int32_t cells[8] = {1, 2, 3, 5, 8, 11, 17, 26};
    return (world_request){.seed = seed,
                           .arrangement = (world_arrangement)(seed % WORLD_ARRANGEMENTS),
                           .cells = cells[seed / WORLD_ARRANGEMENTS % 8],
                           .redundant = redundant,
                           .scrambled = seed % 3 == 1,
                           .odd = seed % 7 > 4,
                           .particles = particles,
                           .most = seed % 11 == 10 ? 250 : 90};
}

static void run(test *t, uint64_t from, int32_t count, bool particles, bool redundant)
{
    t->seen = (tally){0};
    for (int32_t k = 0; k < count; k++) {
        world_request r = request_of(from + (uint64_t)k, particles, redundant);
        check_world(t, &r, 6);
    }
    report(&t->seen);
    assert_true(t->seen.kept > t->seen.worlds / 2);
    assert_true(t->seen.plans > t->seen.kept * 2);
}

static void test_particles(void **state)
{
    run(*state, 0, PARTS_WORLDS / 3, true, false);
}

static void test_bodies(void **state)
{
    test *t = *state;
    run(t, 100, PARTS_WORLDS, false, false);
    for (int32_t k = 0; k < ZE_RULE_COUNT; k++)
        if (t->seen.by_rule[k] == 0) fail_msg("rule %s never serves", ze_rule_name((ze_rule)k));
}

static void test_redundant(void **state)
{
    test *t = *state;
    run(t, 300, PARTS_WORLDS / 3, true, true);
    assert_true(t->seen.wrong_rank > 0);
    run(t, 400, PARTS_WORLDS / 3, false, true);
}

/* Rows that contradict each other: there is no answer in lanes. */
static void test_contradictions(void **state)
{
    test *t = *state;
    static const uint64_t seeds[] = {508, 510, 511, 513};
    int32_t plans = 0;
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        world_request r = request_of(seeds[k], true, true);
        r.astray = true;
        subject *s = subject_create(&t->memory, &r);
        cut c;
        ze_choice choice = {.rule = 1 + (int32_t)(k % 3), .size = 5, .dependent = true};
        bool any = s->here.facts.contradiction > 1e-6 && s->here.facts.rank < s->w->m;
        if (any && cut_open(&c, t, s, &choice)) {
            s->stage = "contradiction";
            claim(s, !accelerate(&c, ZK_FASTEST, NULL, false), "of %g is not seen",
                  s->here.facts.contradiction);
            cut_close(&c);
            plans++;
        }
        subject_free(s);
    }
    assert_true(plans > 2);
}

/* Not worth it: nothing is planned. */
static void test_limit(void **state)
{
    test *t = *state;
    world_request r = {.seed = 5, .cells = 20, .particles = true, .arrangement = WORLD_LINE};
    world *w = world_create(&t->memory, &r);
    ze_parts_plan *plan;
    ze_choice choice = {.limit = 1e-12};
    assert_int_equal(ze_plan(&t->memory, &w->system, &choice, &plan), ZW_OK);
    assert_null(plan);
    choice.limit = 1.0;
    assert_int_equal(ze_plan(&t->memory, &w->system, &choice, &plan), ZW_OK);
    assert_non_null(plan);
    ze_free(plan);
    world_free(w);
}

/* Planning takes all memory, whatever fails is given back, and running takes none. */
static void check_memory(test *t, const world_request *r, const ze_choice *choice)
{
    enum { tries = 2 * PARTS_WORLDS };
    subject *s = subject_create(&t->memory, r);
    counting count;
    zb_memory memory;
    ze_parts_plan *plan;
    counting_init(&count, &memory);
    assert_int_equal(ze_plan(&memory, &s->w->system, choice, &plan), ZW_OK);
    assert_non_null(plan);
    ze_free(plan);
    assert_nothing_held(&count, &memory);
    int64_t all = count.requests, step = all / tries + 1;
    for (int64_t k = 1; k <= all; k += step) {
        count.requests = 0;
        count.refuse_at = k;
        count.refuse_onwards = k & 1;
        plan = NULL;
        zw_status status = ze_plan(&memory, &s->w->system, choice, &plan);
        if (status != ZW_OK) assert_int_equal(status, ZW_ERR_MEMORY);
        if (status != ZW_OK) assert_null(plan);
        ze_free(plan);
        assert_nothing_held(&count, &memory);
    }
    subject_free(s);
}

static void test_memory(void **state)
{
    test *t = *state;
    world_request chain = {.seed = 5, .cells = 20, .particles = true, .arrangement = WORLD_LINE};
    world_request bodies = {.seed = 9, .cells = 9, .arrangement = WORLD_TREE, .scrambled = true};
    check_memory(t, &chain, &(ze_choice){.rule = 1 + ZE_LEVELS, .size = 4, .width = 4});
    check_memory(t, &bodies, &(ze_choice){.rule = 1 + ZE_CARVED, .size = 3, .dependent = true});
}

static int open_test(void **state)
{
    test *t = calloc(1, sizeof *t);
    if (!t) return -1;
    zb_memory_init(&t->memory, NULL);
    *state = t;
    return zb_team_create(&t->memory, 2, &t->team) == ZW_OK ? 0 : -1;
}

static int close_test(void **state)
{
    test *t = *state;
    zb_team_free(t->team);
    int held = t->memory.held != 0;
    if (held) print_error("%zu bytes are still held\n", t->memory.held);
    free(t);
    return held;
}

/* With arguments: worlds from this seed on, how many, 1: particles, 1: redundant. */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_particles, open_test, close_test),
        cmocka_unit_test_setup_teardown(test_bodies, open_test, close_test),
        cmocka_unit_test_setup_teardown(test_redundant, open_test, close_test),
        cmocka_unit_test_setup_teardown(test_contradictions, open_test, close_test),
        cmocka_unit_test_setup_teardown(test_limit, open_test, close_test),
        cmocka_unit_test_setup_teardown(test_memory, open_test, close_test),
    };
    if (count > 2) {
        int32_t given[5] = {0};
        for (int k = 1; k < count && k < 6; k++) given[k - 1] = atoi(arguments[k]);
        test *t;
        if (open_test((void **)&t) != 0) return 1;
        for (int32_t k = 0; k < given[1]; k++) {
            world_request r = request_of((uint64_t)(given[0] + k), given[2] != 0, given[3] != 0);
            check_world(t, &r, 6);
        }
        report(&t->seen);
        return close_test((void **)&t);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
