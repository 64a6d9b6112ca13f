/*
 * Gather-sums against plain loops over the pairs: sums in the order of their first pairs, terms in
 * that of the pairs, no place touched that no pair names, the same bits whatever the team; failure
 * of every allocation.
 */
#include "../../base/counting.h"

#include "gather.h"

static uint64_t seed;

static int32_t below(int32_t most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((seed >> 33) % (uint64_t)most);
}

/* Numbers of different magnitude, so that another order of terms has other bits. */
static double number(void)
{
    double x = (double)(below(2000001) - 1000000);
    for (int32_t k = below(20); k > 0; k--) x *= 0.5;
    return x;
}

typedef struct sample {
    int32_t places, sources;
    int64_t count;
    ze_gather_pair *pairs;
    double *from, *to, *expected;
} sample;

static const double untouched = 12345.5;

/* Of the places every third has no pair; of the others some have many. */
static sample make_sample(int32_t places, int32_t sources, int64_t count)
{
    sample s = {.places = places, .sources = sources, .count = count};
    s.pairs = test_malloc((size_t)(count + 1) * sizeof *s.pairs);
    s.from = test_malloc((size_t)sources * sizeof *s.from);
    s.to = test_malloc((size_t)places * sizeof *s.to);
    s.expected = test_malloc((size_t)places * sizeof *s.expected);
    for (int64_t k = 0; k < count; k++) {
        int32_t place = below(4) == 0 ? below(places < 10 ? places : 10) : below(places);
        s.pairs[k] =
            (ze_gather_pair){.place = place % 3 == 2 ? place - 1 : place, .source = below(sources)};
    }
    for (int32_t i = 0; i < sources; i++) s.from[i] = number();
    for (int32_t i = 0; i < places; i++) s.to[i] = s.expected[i] = untouched;
    return s;
}

static void free_sample(sample *s)
{
    test_free(s->pairs);
    test_free(s->from);
    test_free(s->to);
    test_free(s->expected);
}

/* to[place] as the pairs say, one after the other. */
static void expect(sample *s)
{
    bool *begun = test_calloc((size_t)s->places, sizeof *begun);
    for (int64_t k = 0; k < s->count; k++) {
        int32_t place = s->pairs[k].place;
        double x = s->from[s->pairs[k].source];
        s->expected[place] = begun[place] ? s->expected[place] + x : x;
        begun[place] = true;
    }
    test_free(begun);
}

/* Every pair once, in order; sums in the order of their first pairs. */
static void check_lists(const sample *s, const ze_gather *g)
{
    int32_t *next = test_malloc((size_t)s->places * sizeof *next), begun = 0;
    int32_t *sum_of = test_malloc((size_t)s->places * sizeof *sum_of);
    for (int32_t i = 0; i < s->places; i++) sum_of[i] = -1;
    for (int64_t k = 0; k < s->count; k++) {
        int32_t place = s->pairs[k].place;
        if (sum_of[place] < 0) {
            assert_true(begun < g->count);
            assert_int_equal(g->place[begun], place);
            next[place] = g->first[begun];
            sum_of[place] = begun++;
        }
        assert_true(next[place] < g->first[sum_of[place] + 1]);
        assert_int_equal(g->source[next[place]++], s->pairs[k].source);
    }
    assert_int_equal(begun, g->count);
    assert_int_equal(g->first[0], 0);
    assert_int_equal(g->first[g->count], s->count);
    test_free(sum_of);
    test_free(next);
}

typedef struct scratch {
    counting c;
    zb_memory memory;
    zb_arena arena, scratch;
} scratch;

static void desk_init(scratch *d)
{
    counting_init(&d->c, &d->memory);
    zb_arena_init(&d->arena, &d->memory, 0);
    zb_arena_init(&d->scratch, &d->memory, 0);
}

static void desk_clear(scratch *d)
{
    zb_arena_clear(&d->arena);
    zb_arena_clear(&d->scratch);
    assert_nothing_held(&d->c, &d->memory);
}

static void sums_are_those_of_plain_loops(void **unused)
{
    (void)unused;
    static const int32_t places[] = {1, 3, 40, 1000, 1000}, sources[] = {1, 5, 7, 3000, 10};
    static const int64_t counts[] = {1, 9, 200, 700, 20000};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        sample s = make_sample(places[k], sources[k], counts[k]);
        scratch d;
        ze_gather g;
        desk_init(&d);
        assert_int_equal(ze_gather_make(&d.arena, &d.scratch, s.pairs, s.count, s.places, &g),
                         ZW_OK);
        assert_int_equal(d.scratch.held, 0);
        check_lists(&s, &g);
        expect(&s);
        ze_gather_add(&g, s.from, s.to, NULL);
        assert_memory_equal(s.to, s.expected, (size_t)s.places * sizeof *s.to);
        desk_clear(&d);
        free_sample(&s);
    }
}

/* More sums than one thread does alone, and a number that chunks do not divide. */
static void teams_change_no_bit(void **unused)
{
    (void)unused;
    sample s = make_sample(90001, 50000, 200000);
    scratch d;
    ze_gather g;
    desk_init(&d);
    assert_int_equal(ze_gather_make(&d.arena, &d.scratch, s.pairs, s.count, s.places, &g), ZW_OK);
    assert_true(g.count > 40000);
    expect(&s);
    for (int32_t size = 1; size <= 4; size++) {
        zb_team *team = NULL;
        assert_int_equal(zb_team_create(&d.memory, size, &team), ZW_OK);
        for (int32_t i = 0; i < s.places; i++) s.to[i] = untouched;
        ze_gather_add(&g, s.from, s.to, team);
        assert_memory_equal(s.to, s.expected, (size_t)s.places * sizeof *s.to);
        zb_team_free(team);
    }
    desk_clear(&d);
    free_sample(&s);
}

static void nothing_to_add(void **unused)
{
    (void)unused;
    scratch d;
    ze_gather g;
    double x = 1.0, y = untouched;
    desk_init(&d);
    assert_int_equal(ze_gather_make(&d.arena, &d.scratch, NULL, 0, 1, &g), ZW_OK);
    assert_int_equal(g.count, 0);
    assert_int_equal(g.first[0], 0);
    ze_gather_add(&g, &x, &y, NULL);
    assert_true(y == untouched);
    assert_int_equal(ze_gather_make(&d.arena, &d.scratch, NULL, 0, 0, &g), ZW_OK);
    assert_int_equal(g.count, 0);
    desk_clear(&d);
}

static void too_many_pairs(void **unused)
{
    (void)unused;
    scratch d;
    ze_gather g;
    desk_init(&d);
    assert_int_equal(ze_gather_make(&d.arena, &d.scratch, NULL, (int64_t)INT32_MAX + 1, 1, &g),
                     ZW_ERR_LARGE);
    assert_int_equal(g.count, 0);
    desk_clear(&d);
}

/* A scratch that is in use keeps what it had. */
static void scratch_is_given_back(void **unused)
{
    (void)unused;
    sample s = make_sample(5000, 100, 20000);
    scratch d;
    ze_gather g;
    desk_init(&d);
    char *text = zb_arena_string(&d.scratch, "kept", 4);
    size_t held = d.scratch.held;
    assert_int_equal(ze_gather_make(&d.arena, &d.scratch, s.pairs, s.count, s.places, &g), ZW_OK);
    assert_int_equal(d.scratch.held, held);
    assert_string_equal(text, "kept");
    desk_clear(&d);
    free_sample(&s);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    sample s = make_sample(5000, 100, 20000);
    int64_t k = 1;
    for (;; k++) {
        scratch d;
        ze_gather g;
        desk_init(&d);
        d.c.refuse_at = k;
        zw_status status = ze_gather_make(&d.arena, &d.scratch, s.pairs, s.count, s.places, &g);
        bool refused = d.c.refused > 0;
        assert_int_equal(status, refused ? ZW_ERR_MEMORY : ZW_OK);
        if (refused) assert_int_equal(g.count, 0);
        assert_int_equal(d.scratch.held, 0);
        desk_clear(&d);
        if (!refused) break;
    }
    assert_true(k > 4); /* the lists and the scratch, one after the other */
    free_sample(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_plain_loops),
        cmocka_unit_test(teams_change_no_bit),
        cmocka_unit_test(nothing_to_add),
        cmocka_unit_test(too_many_pairs),
        cmocka_unit_test(scratch_is_given_back),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
