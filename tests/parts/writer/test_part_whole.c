/*
 * Parts glued together by hand give the solution of the whole, found by dense elimination of
 *
 *     [ M  -A^T ] [ z      ]   [ Q ]
 *     [ A    0  ] [ lambda ] = [ b ]
 *
 * in long double, and refinement solves systems whose rows depend on each other.
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

#include "part_runner.h"

/* ------------------------------------------------------------------------- glueing */

enum { most_parts = 4 };

/* Parts of one world at one place. */
typedef struct whole {
    world *w;
    runner *r[most_parts];
    int32_t parts;
    place_in_world at;
    numbers x;
    ld outer[most_world_rows]; /* of this solve, by rows of the world */
    ld z[most_coordinates], lambda[most_world_rows];
    double largest[4];            /* of REFINED */
    ld S[order_most][order_most]; /* of the rows between, of the last solve but REFINED */
    bool between[most_world_rows];
} whole;

/* Cut into `parts` of equally many bodies. */
static whole *open_whole(world *w, int32_t parts, const ze_program_options *options)
{
    whole *all = calloc(1, sizeof *all);
    all->w = w;
    all->parts = parts;
    world_place(w, NULL, &all->at);
    world_numbers(w, &all->at, &all->x);
    for (int32_t k = 0; k < parts; k++) {
        bool bodies[most_coordinates];
        part_take(w, k * w->bodies / parts, (k + 1) * w->bodies / parts, bodies);
        all->r[k] = runner_open(w, bodies, options, 1);
        runner_place(all->r[k], w, &all->at);
    }
    return all;
}

static void close_whole(whole *all)
{
    for (int32_t k = 0; k < all->parts; k++) runner_close(all->r[k]);
    free(all);
}

static void add_pairs(whole *all, const runner *r)
{
    const int32_t *row = r->part.row + r->part.shape.inner;
    for (int32_t p = 0; p < r->programs.pair_count; p++) {
        int32_t i = row[r->programs.pairs[p].row], j = row[r->programs.pairs[p].column];
        all->S[i][j] += (ld)r->out[p];
        if (i != j) all->S[j][i] += (ld)r->out[p];
    }
}

/* Down everywhere, the rows between solved, their multipliers handed to the parts. */
static void solve_between(whole *all, const task *t)
{
    static ld S[order_most][order_most];
    ld c[order_most] = {0};
    int32_t m = all->w->system.m;
    bool refined = t->purpose == ZE_REFINED; /* S is that of before */
    if (!refined) memset(all->S, 0, sizeof all->S);
    for (int32_t k = 0; k < all->parts; k++) {
        runner *r = all->r[k];
        const int32_t *row = r->part.row + r->part.shape.inner;
        runner_down(r, t);
        if (!refined) add_pairs(all, r);
        for (int32_t i = 0; i < r->part.shape.outer; i++) {
            c[row[i]] += (ld)runner_rights(r, t)[i];
            all->between[row[i]] = true;
        }
    }
    for (int32_t i = 0; i < m; i++)
        if (!all->between[i]) all->S[i][i] = 1;
    memcpy(S, all->S, sizeof S);
    part_solve_dense(m, S, c);
    for (int32_t i = 0; i < m; i++) all->outer[i] = c[i];
    for (int32_t k = 0; k < all->parts; k++)
        for (int32_t i = 0; i < all->r[k]->part.shape.outer; i++) {
            const part *p = &all->r[k]->part;
            all->r[k]->outer[i] = (double)c[p->row[p->shape.inner + i]];
        }
}

/* Back everywhere: z, and lambda where the program has it. */
static void solve_inside(whole *all, const ze_code *(*code)(const ze_programs *), bool refined)
{
    for (int k = 0; k < 4; k++) all->largest[k] = 0.0;
    for (int32_t i = 0; i < all->w->system.m; i++)
        all->lambda[i] = all->outer[i] + (refined ? all->lambda[i] : 0);
    for (int32_t k = 0; k < all->parts; k++) {
        runner *r = all->r[k];
        const part *p = &r->part;
        runner_run(r, code(&r->programs), r->packed);
        for (int32_t i = 0; i < p->shape.own; i++) all->z[p->coordinate[i]] = (ld)r->out[i];
        bool full = code(&r->programs)->outputs > p->shape.own;
        for (int32_t i = 0; full && i < p->shape.inner; i++)
            all->lambda[p->row[i]] = (ld)r->out[p->shape.own + i];
        for (int i = 0; refined && i < 4; i++)
            all->largest[i] = fmax(all->largest[i], r->out[p->shape.own + p->shape.inner + i]);
    }
}

static const ze_code *full_back(const ze_programs *p)
{
    return &p->solve[ZE_ACCELERATION].back_full;
}

static const ze_code *back_of_positions(const ze_programs *p)
{
    return &p->solve[ZE_POSITIONS].back;
}

static const ze_code *back_of_damped(const ze_programs *p)
{
    return &p->solve[ZE_DAMPED].back;
}

static const ze_code *back_of_refined(const ze_programs *p)
{
    return &p->solve[ZE_REFINED].back;
}

/* [M -A^T; A 0] [z; lambda] = [Q; b], or -phi for b and 0 for Q. */
static void expect_whole(const whole *all, ze_purpose purpose)
{
    static ld X[order_most][order_most];
    ld y[order_most] = {0};
    int32_t n = all->w->system.n, m = all->w->system.m;
    memset(X, 0, sizeof X);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) X[i][j] = all->x.M[i][j];
        y[i] = purpose == ZE_ACCELERATION ? all->x.Q[i] : 0;
    }
    for (int32_t i = 0; i < m; i++) {
        bool left_out = part_is_left_out(purpose, all->w->kinds[i]);
        for (int32_t j = 0; j < n && !left_out; j++) {
            X[n + i][j] = all->x.A[i][j];
            X[j][n + i] = -all->x.A[i][j];
        }
        if (left_out) X[n + i][n + i] = 1;
        y[n + i] = left_out ? 0 : purpose == ZE_ACCELERATION ? all->x.b[i] : -all->x.level[i][0];
    }
    part_solve_dense(n + m, X, y);
    ld scale = 1;
    for (int32_t i = 0; i < n + m; i++) scale = fmaxl(scale, fabsl(y[i]));
    for (int32_t i = 0; i < n; i++) expect_near((double)all->z[i], y[i], 100 * scale);
    for (int32_t i = 0; i < m && purpose == ZE_ACCELERATION; i++)
        expect_near((double)all->lambda[i], y[n + i], 100 * scale);
}

static void parts_make_a_whole(void **state)
{
    (void)state;
    for (int32_t trial = 0; trial < 8; trial++) {
        chain_kind kind = {trial % 4 == 3 ? 6 : 12, true, trial % 2, trial % 4 == 3, false};
        world *w = trial % 4 == 2 ? world_of_blocks(12) : world_of_chain(&kind);
        whole *all =
            open_whole(w, 1 + trial % most_parts, &(ze_program_options){.store = trial >= 4});
        solve_between(all, &(task){.purpose = ZE_ACCELERATION});
        solve_inside(all, full_back, false);
        expect_whole(all, ZE_ACCELERATION);
        solve_between(all, &(task){.purpose = ZE_POSITIONS});
        solve_inside(all, back_of_positions, false);
        expect_whole(all, ZE_POSITIONS);
        close_whole(all);
        world_free(w);
    }
}

/* The largest |A z - b| and |M z - Q - A^T lambda|. */
static ld residual_of(const whole *all)
{
    ld largest = 0;
    int32_t n = all->w->system.n, m = all->w->system.m;
    for (int32_t i = 0; i < m; i++) {
        ld r = -all->x.b[i];
        for (int32_t j = 0; j < n; j++) r += all->x.A[i][j] * all->z[j];
        largest = fmaxl(largest, fabsl(r));
    }
    for (int32_t i = 0; i < n; i++) {
        ld r = -all->x.Q[i];
        for (int32_t j = 0; j < n; j++) r += all->x.M[i][j] * all->z[j];
        for (int32_t j = 0; j < m; j++) r -= all->x.A[j][i] * all->lambda[j];
        largest = fmaxl(largest, fabsl(r));
    }
    return largest;
}

/* What REFINED reads. */
static void hand_out(whole *all)
{
    for (int32_t k = 0; k < all->parts; k++) {
        runner *r = all->r[k];
        for (int32_t i = 0; i < r->part.shape.own; i++)
            r->z[i] = (double)all->z[r->part.coordinate[i]];
        for (int32_t i = 0; i < r->part.shape.inner + r->part.shape.outer; i++)
            r->lambda[i] = (double)all->lambda[r->part.row[i]];
    }
}

/* What REFINED says of its corrections is what they were. */
static void expect_measures(const whole *all, const ld *z, const ld *lambda)
{
    ld exact[4] = {0};
    for (int32_t i = 0; i < all->w->system.n; i++) {
        exact[0] = fmaxl(exact[0], fabsl(all->z[i] - z[i]));
        exact[1] = fmaxl(exact[1], fabsl(all->z[i]));
    }
    for (int32_t i = 0; i < all->w->system.m; i++) {
        if (all->between[i]) continue;
        exact[2] = fmaxl(exact[2], fabsl(all->lambda[i] - lambda[i]));
        exact[3] = fmaxl(exact[3], fabsl(all->lambda[i]));
    }
    for (int k = 0; k < 4; k++) expect_near(all->largest[k], exact[k], exact[k | 1]);
}

/* Every rod twice: the multipliers are not unique, the motion is. */
static void refinement_solves_dependent_rows(void **state)
{
    (void)state;
    const double damping = 1e-4;
    for (int store = 0; store < 2; store++) {
        world *w = world_of_chain(&(chain_kind){9, true, store, false, true});
        whole *all = open_whole(w, 3, &(ze_program_options){.store = store, .dependent = true});
        solve_between(all, &(task){.purpose = ZE_DAMPED, .damping = damping});
        solve_inside(all, back_of_damped, false);
        ld before = residual_of(all), after = before;
        for (int round = 0; round < 4; round++) {
            ld z[most_coordinates], lambda[most_world_rows];
            memcpy(z, all->z, sizeof z);
            memcpy(lambda, all->lambda, sizeof lambda);
            hand_out(all);
            solve_between(all, &(task){.purpose = ZE_REFINED, .damping = damping});
            solve_inside(all, back_of_refined, true);
            expect_measures(all, z, lambda);
            after = residual_of(all);
            assert_true(after < 0.01L * before || after < 1e-11L);
            before = after;
        }
        assert_true(after < 1e-11L);
        close_whole(all);
        world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_a_whole),
        cmocka_unit_test(refinement_solves_dependent_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
