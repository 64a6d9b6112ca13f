/*
 * Programs of parts against plain dense computation in long double: shares of S and of right sides,
 * elimination and back substitution for every purpose, levels; margins; how long programs are;
 * memory that runs out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/counting.h"
#include "part_runner.h"

/* -------------------------------------------------------------------- comparisons */

/* Outputs of down are those of a share after elimination. */
static void expect_down(const runner *r, const task *t, int32_t l, share *s)
{
    int32_t w = r->width, pairs = r->programs.pair_count, outer = r->part.shape.outer;
    bool seen[most_world_rows][most_world_rows] = {{false}};
    part_find_share(&r->x[l], &r->part, t, s);
    part_eliminate(s);
    const double *right = runner_rights(r, t);
    for (int32_t i = 0; i < outer; i++) expect_near(right[i * w + l], s->c[s->inner + i], 10);
    if (t->purpose == ZE_REFINED) return; /* the factor is that of DAMPED */
    for (int32_t k = 0; k < pairs; k++) {
        ze_pair_of_rows pair = r->programs.pairs[k];
        int32_t i = s->inner + pair.row, j = s->inner + pair.column;
        assert_true(pair.column <= pair.row && !seen[i][j]);
        seen[i][j] = true;
        expect_near(r->out[k * w + l], s->S[i][j], s->size[i]);
    }
    for (int32_t i = s->inner; i < s->rows; i++) {
        for (int32_t j = s->inner; j <= i; j++)
            assert_true(seen[i][j] || (i != j && fabsl(s->S[i][j]) == 0));
        int32_t k = pairs + i - s->inner;
        expect_near(r->out[(k + outer) * w + l], s->size[i], 0);
    }
    assert_true(r->out[(pairs + 2 * outer) * w + l] > 0);
}

/* Outputs of back; x of outer rows [rows] were given. */
static void expect_back(const runner *r, const task *t, int32_t l, const share *s, bool full)
{
    int32_t w = r->width;
    ld x[most_world_rows] = {0}, size = 1;
    for (int32_t i = s->inner; i < s->rows; i++) x[i] = (ld)r->outer[(i - s->inner) * w + l];
    part_substitute(s, x);
    for (int32_t i = 0; i < s->rows; i++) size = fmaxl(size, fabsl(x[i]));
    for (int32_t k = 0; k < s->own; k++) {
        ld z = s->a[k];
        for (int32_t i = 0; i < s->rows; i++) z += s->B[i][k] * x[i];
        if (t->purpose == ZE_REFINED) z += t->z[r->part.coordinate[k]];
        expect_near(r->out[k * w + l], z, 10 * size);
    }
    for (int32_t i = 0; full && i < s->inner; i++) {
        ld before = t->purpose == ZE_REFINED ? t->lambda[r->part.row[i]] : 0;
        expect_near(r->out[(s->own + i) * w + l], before + x[i], 10 * size);
    }
}

/* Down and back of a purpose in all lanes, outer multipliers at random. */
static void check_purpose(runner *r, const task *t)
{
    static share s[lanes];
    const ze_solve_codes *codes = &r->programs.solve[t->purpose];
    int32_t w = r->width;
    runner_down(r, t);
    for (int32_t l = 0; l < w; l++) expect_down(r, t, l, &s[l]);
    for (int32_t k = 0; k < r->part.shape.outer * w; k++) r->outer[k] = world_uniform(-1.0, 1.0);
    bool full = t->purpose == ZE_DAMPED || t->purpose == ZE_REFINED;
    runner_run(r, &codes->back, r->packed);
    for (int32_t l = 0; l < w; l++) expect_back(r, t, l, &s[l], full);
    assert_int_equal(codes->back_full.program != NULL, t->purpose == ZE_ACCELERATION);
    if (!codes->back_full.program) return;
    runner_run(r, &codes->back_full, r->packed);
    for (int32_t l = 0; l < w; l++) expect_back(r, t, l, &s[l], true);
}

/* Levels of owned rows. */
static void check_look(runner *r, int order)
{
    const ze_code *look = &r->programs.violation[order];
    const part *p = &r->part;
    ld size[lanes] = {0}, units[lanes] = {0};
    bool any = false;
    for (int32_t i = 0; i < p->shape.inner + p->shape.outer; i++) {
        ze_purpose purpose = order == 0 ? ZE_POSITIONS : ZE_VELOCITIES;
        if (!p->owned[i] || part_is_left_out(purpose, p->kind[i])) continue;
        any = true;
        for (int32_t l = 0; l < r->width; l++) {
            const numbers *x = &r->x[l];
            const double *state = order == 0 ? r->at[l].q : r->at[l].v;
            ld phi = fabsl(x->level[p->row[i]][order]);
            ld unit = 4 * x->level[p->row[i]][2 + order];
            for (int32_t k = 0; k < most_coordinates; k++)
                unit += fabsl(x->A[p->row[i]][k] * (ld)state[k]);
            size[l] = fmaxl(size[l], phi);
            units[l] = fmaxl(units[l], phi == 0 ? 0 : phi / (unit * 0x1p-52L));
        }
    }
    assert_int_equal(look->program != NULL, any);
    if (!any) return;
    runner_run(r, look, r->packed);
    for (int32_t l = 0; l < r->width; l++) {
        expect_near(r->out[l], size[l], 1);
        expect_near(r->out[r->width + l], units[l], 1e4L);
    }
}

static void check_part(world *w, const bool *bodies, bool store, int32_t width)
{
    runner *r = runner_open(w, bodies, &(ze_program_options){.store = store}, width);
    runner_place(r, w, NULL);
    for (int k = ZE_ACCELERATION; k <= ZE_VELOCITIES; k++)
        check_purpose(r, &(task){.purpose = (ze_purpose)k, .least = 1e-9});
    for (int order = 0; order < 2; order++) check_look(r, order);
    runner_close(r);
}

/* The same for rows that depend on each other: damped, refined from anywhere. */
static void check_dependent(world *w, const bool *bodies, bool store)
{
    runner *r = runner_open(w, bodies, &(ze_program_options){.store = store, .dependent = true}, 4);
    ld z[most_coordinates], lambda[most_world_rows];
    runner_place(r, w, NULL);
    for (int32_t k = 0; k < w->system.n; k++) z[k] = (ld)world_uniform(-1.0, 1.0);
    for (int32_t k = 0; k < w->system.m; k++) lambda[k] = (ld)world_uniform(-1.0, 1.0);
    for (int32_t k = 0; k < r->part.shape.own * 4; k++)
        r->z[k] = (double)z[r->part.coordinate[k / 4]];
    for (int32_t k = 0; k < (r->part.shape.inner + r->part.shape.outer) * 4; k++)
        r->lambda[k] = (double)lambda[r->part.row[k / 4]];
    for (int k = ZE_POSITIONS; k < ZE_PURPOSE_COUNT; k++) {
        task t = {.purpose = (ze_purpose)k, .damping = 0.125, .z = z, .lambda = lambda};
        check_purpose(r, &t);
    }
    runner_close(r);
}

/* ------------------------------------------------------------------------- tests */

static void chains_agree(void **state)
{
    (void)state;
    static const int32_t cuts[][2] = {{0, 9}, {0, 4}, {3, 6}, {4, 5}, {6, 9}};
    for (int masses = 0; masses < 2; masses++) {
        world *w = world_of_chain(&(chain_kind){9, true, masses, false, false});
        for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
            bool bodies[most_coordinates];
            part_take(w, cuts[k][0], cuts[k][1], bodies);
            for (int store = 0; store < 2; store++) {
                check_part(w, bodies, store, 1);
                check_part(w, bodies, store, 4);
                check_part(w, bodies, store, 8);
                check_dependent(w, bodies, store);
            }
        }
        world_free(w);
    }
}

static void ladders_agree(void **state)
{
    (void)state;
    world *w = world_of_chain(&(chain_kind){8, true, true, true, false});
    bool bodies[most_coordinates];
    for (int32_t from = 0; from < 16; from += 3) {
        part_take(w, from, from + 6, bodies);
        check_part(w, bodies, from % 2, 8);
        check_dependent(w, bodies, from % 2);
    }
    world_free(w);
}

static void blocks_agree(void **state)
{
    (void)state;
    world *w = world_of_blocks(12);
    bool bodies[most_coordinates];
    for (int32_t trial = 0; trial < 8; trial++) {
        if (trial < 3) part_take(w, 4 * trial, 4 * trial + 4, bodies);
        for (int32_t b = 0; b < w->bodies && trial >= 3; b++) bodies[b] = world_below(2) == 0;
        bodies[trial] = true;
        check_part(w, bodies, trial % 2, 4);
        check_dependent(w, bodies, trial % 2);
    }
    world_free(w);
}

/* ----------------------------------------------------------------- margins, exactness */

/* The margin in every lane. */
static bool lane_is_fine(const runner *r, int32_t l)
{
    int32_t margin = r->programs.pair_count + 2 * r->part.shape.outer;
    return r->out[margin * r->width + l] > 0;
}

static runner *open_chain(world *w)
{
    bool bodies[most_coordinates];
    part_take(w, 0, w->bodies, bodies);
    runner *r = runner_open(w, bodies, &(ze_program_options){0}, 4);
    runner_place(r, w, NULL);
    return r;
}

/* A rod of no length: its row vanishes; a negative mass, one of several or that of all. */
static void margins_tell(void **state)
{
    (void)state;
    task t = {.purpose = ZE_ACCELERATION, .least = 1e-9};
    for (int what = 0; what < 3; what++) {
        world *w = world_of_chain(&(chain_kind){6, true, what < 2, false, false});
        runner *r = open_chain(w);
        runner_down(r, &t);
        for (int32_t l = 0; l < 4; l++) assert_true(lane_is_fine(r, l));
        for (int32_t k = 0; k < 2 && what == 0; k++)
            r->position[(6 + k) * 4 + 2] = r->position[(4 + k) * 4 + 2];
        if (what == 1) r->at[2].value[7] = -1.0; /* of the last body */
        if (what == 2) r->at[2].value[2] = -1.0;
        runner_preludes(r);
        runner_down(r, &t);
        for (int32_t l = 0; l < 4; l++) assert_int_equal(lane_is_fine(r, l), l != 2);
        runner_close(r);
        world_free(w);
    }
}

/* Whatever is not finite makes the margin say so, in its lane only. */
static void margins_see_what_is_not_finite(void **state)
{
    (void)state;
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int what = 0; what < 12; what++) {
        world *w = what < 6 ? world_of_chain(&(chain_kind){6, true, true, false, false})
                            : world_of_blocks(6);
        runner *r = open_chain(w);
        int32_t k = world_below(r->part.shape.own);
        (what % 2 ? r->position : r->velocity)[k * 4 + 1] = bad[what / 2 % 3];
        for (int purpose = ZE_ACCELERATION; purpose <= ZE_VELOCITIES; purpose++) {
            if (purpose != ZE_ACCELERATION && what % 2 == 0) continue; /* v may not matter */
            if (purpose != ZE_ACCELERATION && what >= 6) continue;     /* nor all of q */
            runner_down(r, &(task){.purpose = (ze_purpose)purpose, .least = 1e-9});
            for (int32_t l = 0; l < 4; l++) assert_int_equal(lane_is_fine(r, l), l != 1);
        }
        runner_close(r);
        world_free(w);
    }
}

/* Of two rows the second pivot is 1 - S_12^2 / (S_11 S_22) of its entry, whichever it is. */
static void margins_are_those_of_pivots(void **state)
{
    (void)state;
    world *w = world_of_chain(&(chain_kind){2, true, true, false, false});
    runner *r = open_chain(w);
    static share s;
    task t = {.purpose = ZE_ACCELERATION};
    for (int32_t l = 0; l < 4; l++) {
        part_find_share(&r->x[l], &r->part, &t, &s);
        ld ratio = 1 - s.S[0][1] * s.S[0][1] / (s.S[0][0] * s.S[1][1]);
        for (int above = 0; above < 2; above++) {
            t.least = (double)(ratio * (above ? 1 + 1e-9L : 1 - 1e-9L));
            runner_down(r, &t);
            assert_int_equal(lane_is_fine(r, l), !above);
        }
    }
    runner_close(r);
    world_free(w);
}

/* Rows that hold to the last bit are 0 units off, whatever the unit. */
static void exact_rows_are_not_off(void **state)
{
    (void)state;
    world *w = world_of_chain(&(chain_kind){3, true, false, false, false});
    bool bodies[most_coordinates];
    place_in_world at;
    part_take(w, 0, 3, bodies);
    runner *r = runner_open(w, bodies, &(ze_program_options){0}, 1);
    world_place(w, NULL, &at);
    at.value[1] = 0.0; /* all in the origin */
    for (int32_t k = 0; k < 6; k++) at.q[k] = at.v[k] = 0.0;
    runner_place(r, w, &at);
    for (int order = 0; order < 2; order++) {
        runner_run(r, &r->programs.violation[order], r->packed);
        assert_true(r->out[0] == 0.0 && r->out[1] == 0.0);
    }
    runner_close(r);
    world_free(w);
}

/* --------------------------------------------------------------------------- lengths */

static int64_t length_of(const zk_program *program)
{
    zk_statistics statistics;
    zk_statistics_of(program, &statistics);
    return statistics.operations;
}

static void expect_predicted(runner *r)
{
    int64_t predicted = ze_predict_operations(&r->memory, &r->part.shape);
    int64_t made = r->programs.operations;
    assert_int_equal(made, length_of(r->programs.solve[ZE_ACCELERATION].down.program) +
                               length_of(r->programs.solve[ZE_ACCELERATION].back.program));
    if (!(10 * predicted > 7 * made && 10 * predicted < 13 * made))
        print_error("predicted %lld, made %lld\n", (long long)predicted, (long long)made);
    assert_true(10 * predicted > 7 * made && 10 * predicted < 13 * made);
}

/* What a rod takes in the middle of a chain; the counts are those of eliminate.c by hand. */
static void programs_are_short(void **state)
{
    (void)state;
    for (int masses = 0; masses < 2; masses++) {
        world *w = world_of_chain(&(chain_kind){24, true, masses, false, false});
        bool bodies[most_coordinates];
        part_take(w, 2, 22, bodies);
        runner *r = runner_open(w, bodies, &(ze_program_options){0}, 4);
        assert_int_equal(r->part.shape.inner, 19);
        assert_int_equal(r->programs.pair_count, 3);
        const ze_solve_codes *codes = &r->programs.solve[ZE_ACCELERATION];
        assert_true(length_of(codes->down.program) <= (masses ? 33 : 30) * 20);
        assert_true(length_of(codes->back.program) <= (masses ? 33 : 29) * 20);
        expect_predicted(r);
        runner_close(r);
        world_free(w);
        w = world_of_chain(&(chain_kind){10, true, masses, true, false});
        part_take(w, 4, 16, bodies);
        r = runner_open(w, bodies, &(ze_program_options){0}, 4);
        expect_predicted(r);
        runner_close(r);
        world_free(w);
    }
}

/* Too many rows: said before it is tried. */
static void long_programs_are_refused(void **state)
{
    (void)state;
    world *w = world_of_chain(&(chain_kind){4, true, false, false, false});
    bool bodies[most_coordinates];
    static part p;
    zb_memory memory;
    zb_arena arena;
    ze_programs programs;
    part_take(w, 0, 4, bodies);
    part_cut(w, bodies, &p);
    p.shape.inner = ze_most_operations;
    zb_memory_init(&memory, NULL);
    zb_arena_init(&arena, &memory, 0);
    zw_status status =
        ze_make_programs(&memory, &arena, &p.shape, &(ze_program_options){0}, &programs);
    assert_int_equal(status, ZW_ERR_LARGE);
    assert_true(ze_predict_operations(&memory, &p.shape) > ze_most_operations);
    zb_arena_clear(&arena);
    assert_int_equal(memory.held, 0);
    world_free(w);
}

/* ---------------------------------------------------------------------------- memory */

/* The k-th request fails: the status says so, and everything is given back. */
static bool try_with(const part *p, const ze_program_options *options, int64_t refuse_at)
{
    counting c;
    zb_memory memory;
    zb_arena arena;
    ze_programs programs;
    counting_init(&c, &memory);
    c.refuse_at = refuse_at;
    zb_arena_init(&arena, &memory, 0);
    zw_status status = ze_make_programs(&memory, &arena, &p->shape, options, &programs);
    assert_int_equal(status, c.refused > 0 ? ZW_ERR_MEMORY : ZW_OK);
    ze_programs_clear(&programs);
    int64_t predicted = ze_predict_operations(&memory, &p->shape);
    assert_int_equal(predicted<0, c.refused> 0 && status == ZW_OK);
    zb_arena_clear(&arena);
    assert_nothing_held(&c, &memory);
    return status == ZW_OK && predicted >= 0;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static part p;
    bool bodies[most_coordinates];
    world *w = world_of_blocks(5);
    part_take(w, 1, 4, bodies);
    part_cut(w, bodies, &p);
    for (int dependent = 0; dependent < 2; dependent++) {
        ze_program_options options = {.store = dependent, .dependent = dependent};
        int64_t k = 1;
        while (!try_with(&p, &options, k)) k++;
        assert_true(k > 50);
    }
    world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_agree),
        cmocka_unit_test(ladders_agree),
        cmocka_unit_test(blocks_agree),
        cmocka_unit_test(margins_tell),
        cmocka_unit_test(margins_are_those_of_pivots),
        cmocka_unit_test(margins_see_what_is_not_finite),
        cmocka_unit_test(exact_rows_are_not_off),
        cmocka_unit_test(programs_are_short),
        cmocka_unit_test(long_programs_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
