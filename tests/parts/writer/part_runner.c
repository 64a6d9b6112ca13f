/* Programs of parts, run and compared: see part_runner.h. */
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

/* ------------------------------------------------------------------- dense solving */

/* X y = c with pivoting; X [n][order_most]. */
void part_solve_dense(int32_t n, ld X[][order_most], ld *c)
{
    for (int32_t j = 0; j < n; j++) {
        int32_t best = j;
        for (int32_t i = j; i < n; i++)
            if (fabsl(X[i][j]) > fabsl(X[best][j])) best = i;
        for (int32_t k = 0; k < n; k++) {
            ld swap = X[j][k];
            X[j][k] = X[best][k], X[best][k] = swap;
        }
        ld swap = c[j];
        c[j] = c[best], c[best] = swap;
        for (int32_t i = j + 1; i < n; i++) {
            ld l = X[i][j] / X[j][j];
            for (int32_t k = j; k < n; k++) X[i][k] -= l * X[j][k];
            c[i] -= l * c[j];
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++) c[i] -= X[i][k] * c[k];
        c[i] /= X[i][i];
    }
}

/* -------------------------------------------------------------------- a part's share */

bool part_is_left_out(ze_purpose purpose, ze_row_kind kind)
{
    return (purpose == ZE_POSITIONS && kind != ZE_HOLONOMIC) ||
           (purpose == ZE_VELOCITIES && kind == ZE_OF_ACCELERATIONS);
}

/* M^-1 x over own coordinates. */
static void divide_by_mass(const numbers *x, const part *p, ld *y)
{
    static ld M[order_most][order_most];
    for (int32_t i = 0; i < p->shape.own; i++)
        for (int32_t j = 0; j < p->shape.own; j++)
            M[i][j] = x->M[p->coordinate[i]][p->coordinate[j]];
    part_solve_dense(p->shape.own, M, y);
}

static void find_force(const numbers *x, const part *p, const task *t, ld *force)
{
    for (int32_t k = 0; k < p->shape.own; k++) {
        int32_t c = p->coordinate[k];
        force[k] = t->purpose == ZE_ACCELERATION || t->purpose == ZE_DAMPED ? x->Q[c] : 0;
    }
}

static ld given_of(const numbers *x, const part *p, const task *t, int32_t i)
{
    int32_t row = p->row[i];
    if (!p->owned[i]) return 0;
    if (t->purpose == ZE_POSITIONS) return -x->level[row][0];
    if (t->purpose == ZE_VELOCITIES) return -x->level[row][1];
    return x->b[row];
}

void part_find_share(const numbers *x, const part *p, const task *t, share *s)
{
    *s = (share){.own = p->shape.own, .inner = p->shape.inner};
    s->rows = p->shape.inner + p->shape.outer;
    find_force(x, p, t, s->a);
    divide_by_mass(x, p, s->a);
    for (int32_t i = 0; i < s->rows; i++) {
        for (int32_t k = 0; k < s->own; k++) s->B[i][k] = x->A[p->row[i]][p->coordinate[k]];
        if (part_is_left_out(t->purpose, p->kind[i])) memset(s->B[i], 0, sizeof s->B[i]);
        divide_by_mass(x, p, s->B[i]);
    }
    for (int32_t i = 0; i < s->rows; i++) {
        bool left_out = part_is_left_out(t->purpose, p->kind[i]);
        if (!left_out) s->c[i] = given_of(x, p, t, i);
        for (int32_t k = 0; k < s->own && !left_out; k++) {
            ld A = x->A[p->row[i]][p->coordinate[k]];
            s->c[i] -= A * s->a[k];
            if (t->purpose == ZE_REFINED) s->c[i] -= A * t->z[p->coordinate[k]];
            for (int32_t j = 0; j < s->rows; j++) s->S[i][j] += A * s->B[j][k];
        }
        s->S[i][i] *= 1 + (ld)t->damping;
        if (left_out) s->S[i][i] = p->owned[i] ? 1 : 0;
        s->size[i] = s->S[i][i];
    }
}

/* Inner rows away, in the order of their numbers: which order must not matter. */
void part_eliminate(share *s)
{
    for (int32_t j = 0; j < s->inner; j++)
        for (int32_t i = j + 1; i < s->rows; i++) {
            ld l = s->S[i][j] / s->S[j][j];
            for (int32_t k = j; k < s->rows; k++) s->S[i][k] -= l * s->S[j][k];
            s->c[i] -= l * s->c[j];
        }
}

/* x [rows]: inner from outer ones, after elimination. */
void part_substitute(const share *s, ld *x)
{
    for (int32_t j = s->inner - 1; j >= 0; j--) {
        x[j] = s->c[j];
        for (int32_t k = j + 1; k < s->rows; k++) x[j] -= s->S[j][k] * x[k];
        x[j] /= s->S[j][j];
    }
}

/* ---------------------------------------------------------------------- running */

static double *aligned(int64_t count)
{
    double *block = aligned_alloc(64, (size_t)((count + 7) / 8 * 8) * sizeof *block);
    assert_non_null(block);
    for (int64_t k = 0; k < count; k++) block[k] = (double)NAN;
    return block;
}

/* Runs a program with numbers for every leaf. */
void runner_run(runner *r, const ze_code *code, const double *values)
{
    int32_t w = r->width, own = r->part.shape.own;
    const ze_solve_codes *refined = &r->programs.solve[ZE_REFINED];
    bool state = code != &refined->down && code != &refined->back;
    double *work = aligned((int64_t)zk_workspace(code->program) * w);
    assert_true(code->outputs * w <= room && code->read_count * w <= room);
    for (int32_t k = 0; k < code->read_count; k++)
        for (int32_t l = 0; l < w; l++) {
            int32_t at = code->reads[k].index;
            int32_t c = r->part.coordinate[(own + at) % most_coordinates];
            const double *from[ZE_READ_KINDS] = {NULL, NULL, r->outer, r->stored, r->carried};
            int32_t kind = code->reads[k].kind;
            r->measure[k * w + l] = kind == ZE_READ_POSITION   ? r->at[l].q[c]
                                    : kind == ZE_READ_VELOCITY ? r->at[l].v[c]
                                                               : from[kind][at * w + l];
        }
    zk_frame frame = {.time = r->time,
                      .position = state ? r->position : r->z,
                      .velocity = state ? r->velocity : r->lambda,
                      .acceleration = r->uniform,
                      .value = values,
                      .measure = r->measure,
                      .out = r->out,
                      .workspace = work};
    zk_evaluate_frame(code->program, w, ZK_BYTE_CODE, &frame);
    free(work);
}

void runner_preludes(runner *r)
{
    int32_t w = r->width;
    double *values = aligned(most_values * w);
    const ze_programs *p = &r->programs;
    for (int32_t k = 0; k < r->part.shape.value_count; k++)
        for (int32_t l = 0; l < w; l++) values[k * w + l] = r->at[l].value[r->part.value[k]];
    if (p->packed > 0) {
        runner_run(r, &p->prelude, values);
        memcpy(r->packed, r->out, sizeof *values * (size_t)(p->packed * w));
    }
    for (int32_t k = 0; k < r->part.shape.value_count; k++) /* others are not to be read */
        if (!r->part.uniform[k])
            for (int32_t l = 0; l < w; l++) values[k * w + l] = (double)NAN;
    if (p->packed_uniform > 0) {
        runner_run(r, &p->uniform_prelude, values);
        memcpy(r->uniform + ze_uniform_count * w, r->out,
               sizeof *values * (size_t)(p->packed_uniform * w));
    }
    free(values);
}

/* States of their own in every lane; uniform values alike. */
void runner_place(runner *r, world *where, const place_in_world *like)
{
    int32_t w = r->width;
    for (int32_t l = 0; l < w; l++) {
        if (l == 0 && like)
            r->at[0] = *like;
        else
            world_place(where, l > 0 ? &r->at[0] : NULL, &r->at[l]);
        world_numbers(where, &r->at[l], &r->x[l]);
        r->time[l] = r->at[l].t;
        for (int32_t k = 0; k < r->part.shape.own; k++) {
            r->position[k * w + l] = r->at[l].q[r->part.coordinate[k]];
            r->velocity[k * w + l] = r->at[l].v[r->part.coordinate[k]];
        }
    }
    runner_preludes(r);
}

static void set_uniform(runner *r, const task *t)
{
    for (int32_t l = 0; l < r->width; l++) {
        r->uniform[ze_least * r->width + l] = t->least;
        r->uniform[ze_damping * r->width + l] = t->damping;
    }
}

runner *runner_open(world *w, const bool *bodies, const ze_program_options *options, int32_t width)
{
    runner *r = calloc(1, sizeof *r);
    part_cut(w, bodies, &r->part);
    zb_memory_init(&r->memory, NULL);
    zb_arena_init(&r->arena, &r->memory, 0);
    zw_status status =
        ze_make_programs(&r->memory, &r->arena, &r->part.shape, options, &r->programs);
    assert_int_equal(status, ZW_OK);
    r->width = width;
    double **const list[] = {&r->position, &r->velocity, &r->uniform, &r->packed,
                             &r->measure,  &r->out,      &r->outer,   &r->stored,
                             &r->carried,  &r->z,        &r->lambda};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) *list[k] = aligned(room);
    r->time = aligned(8);
    return r;
}

void runner_close(runner *r)
{
    double *const list[] = {r->position, r->velocity, r->uniform, r->packed, r->measure, r->out,
                            r->outer,    r->stored,   r->carried, r->z,      r->lambda,  r->time};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) free(list[k]);
    ze_programs_clear(&r->programs);
    zb_arena_clear(&r->arena);
    assert_int_equal(r->memory.held, 0);
    free(r);
}

/* Runs down; its outputs are then in r->out, what back reads where it finds it. */
void runner_down(runner *r, const task *t)
{
    const ze_solve_codes *codes = &r->programs.solve[t->purpose];
    int32_t before = r->programs.pair_count + 2 * r->part.shape.outer + 1;
    set_uniform(r, t);
    if (t->purpose == ZE_REFINED) { /* with what DAMPED has stored */
        int32_t inner = r->part.shape.inner, outer = r->part.shape.outer;
        assert_int_equal(codes->down.outputs, outer > 0 ? inner + outer : 0);
        if (outer > 0) runner_run(r, &codes->down, r->packed);
        memcpy(r->carried, r->out, sizeof *r->out * (size_t)(inner * r->width));
        return;
    }
    assert_int_equal(codes->down.outputs, before + codes->stored);
    runner_run(r, &codes->down, r->packed);
    memcpy(r->stored, r->out + before * r->width,
           sizeof *r->out * (size_t)(codes->stored * r->width));
}

const double *runner_rights(const runner *r, const task *t)
{
    bool refined = t->purpose == ZE_REFINED;
    return r->out + (refined ? r->part.shape.inner : r->programs.pair_count) * r->width;
}

/* -------------------------------------------------------------------- comparing */

void expect_near(double found, ld exact, ld scale)
{
    ld error = fabsl((ld)found - exact);
    if (!(error <= 1e-12L * (fabsl(exact) + scale)))
        print_error("found %.17g, exact %.17Lg, scale %Lg\n", found, exact, scale);
    assert_true(error <= 1e-12L * (fabsl(exact) + scale));
}

void part_take(const world *w, int32_t from, int32_t to, bool *bodies)
{
    for (int32_t b = 0; b < w->bodies; b++) bodies[b] = b >= from && b < to;
}
