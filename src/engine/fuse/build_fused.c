/*
 * The whole acceleration of a small system as one expression graph (fuser.h), and the two sides of
 * a projection; what depends on parameters only is hoisted into a prelude. With contacts there is
 * one graph for each *form*: which rows of A are on and which frictions slide. Where the modes of
 * contacts are few each has a form of its own, as fast as if its rows were equations and all others
 * not there; one form for all others reads the masks.
 */
#include <float.h>
#include <string.h>

#include "energy.h"
#include "fuser.h"

enum { most_in_all = 40000 }; /* operations of the accelerations of all forms */
static const double rounding = 4.0 * DBL_EPSILON;

/* ------------------------------------------------------------------ accelerations */

/* The acceleration under way. */
typedef struct acceleration {
    zr_fused_solver solver;
    zr_fused_slides slides;
    zx_node *z;        /* [n] */
    zx_node *lambda;   /* [m] of the ideal force; where something slides of all forces */
    zx_node *acting;   /* [m] of all forces */
    zx_node *force;    /* [n] the non-ideal force */
    zx_node *friction; /* [n] that of what slides */
    zx_node *pressure; /* [frictions] */
} acceleration;

/* Numbers of rows [count] that are on in the form, or may be; in scratch. */
static int32_t *list_form_rows(zr_fuser *f, int32_t *count)
{
    const uint8_t *state = f->form->row;
    int32_t *row = ZB_NEW_ARRAY(&f->b->scratch, int32_t, (size_t)f->m);
    *count = 0;
    for (int32_t i = 0; i < f->m; i++)
        if (!state || state[i] != ZR_FUSED_NOT) row[(*count)++] = i;
    return row;
}

/* to [m] from [rows], rows of the solver. */
static void spread_rows(const zr_fused_solver *s, const zx_node *from, zx_node *to)
{
    for (int32_t i = 0; i < s->rows; i++) to[s->row[i]] = from[i];
}

/* from [m] for the rows of the solver; in scratch. */
static zx_node *gather_rows(zr_fuser *f, const zr_fused_solver *s, const zx_node *from)
{
    zx_node *to = zr_new_nodes(f, s->rows);
    for (int32_t i = 0; i < s->rows; i++) to[i] = from[s->row[i]];
    return to;
}

/* C from the reactions of lambda [m]; in scratch. */
static zx_node *write_nonideal_force(zr_fuser *f, const zx_node *lambda)
{
    const zm_model *zm = f->b->zm;
    zx_node *measures = zr_new_nodes(f, zm->measure_count), *C = zr_new_nodes(f, f->n);
    for (int32_t k = 0; k < zm->measure_count; k++)
        measures[k] = zr_write_measure(f, &zm->measures[k], lambda);
    zr_write_passes(f, &f->b->model->nonideal, &(zr_written){.measures = measures}, NULL, C);
    return C;
}

/* GG(Q, b); with C, GG(C, 0) is added, and the force is C + A^T lambda_C. */
static void write_held_acceleration(zr_fuser *f, acceleration *a)
{
    const zr_fused_solver *s = &a->solver;
    zx_node *lambda = zr_new_nodes(f, s->rows), *right = gather_rows(f, s, f->right);
    zr_write_solution(f, s, f->Q, right, a->z, lambda);
    zr_write_refinement(f, s, f->Q, right, a->z, lambda);
    spread_rows(s, lambda, a->lambda);
    memcpy(a->acting, a->lambda, sizeof *lambda * (size_t)f->m);
    if (f->b->model->nonideal.count == 0) return;
    zx_node *C = write_nonideal_force(f, a->lambda), *dz = zr_new_nodes(f, f->n),
            *dl = zr_new_nodes(f, s->rows), *spread = zr_new_nodes(f, f->m);
    zr_write_solution(f, s, C, NULL, dz, dl);
    zr_write_refinement(f, s, C, NULL, dz, dl);
    spread_rows(s, dl, spread);
    zr_write_row_force(f, spread, 0, f->m, a->force);
    for (int32_t k = 0; k < f->n; k++) {
        a->z[k] = zr_plus(f, a->z[k], dz[k]);
        a->force[k] = zr_plus(f, C[k], a->force[k]);
    }
    for (int32_t i = 0; i < f->m; i++) a->acting[i] = zr_plus(f, a->acting[i], spread[i]);
}

/* Where something slides C presses, too: with the reactions of the motion without it, where it asks
 * for them. */
static void write_sliding_acceleration(zr_fuser *f, acceleration *a)
{
    const zr_fused_solver *s = &a->solver;
    zx_node *lambda = zr_new_nodes(f, s->rows), *right = gather_rows(f, s, f->right),
            *friction = zr_new_nodes(f, f->n), *force = zr_new_nodes(f, f->n);
    zr_fused_answer to = {a->z, lambda, a->pressure, friction};
    zx_node guards[2] = {f->zero, f->zero};
    memcpy(force, f->Q, sizeof *force * (size_t)f->n);
    if (f->b->model->nonideal.count > 0) {
        if (f->b->model->uses_measures) {
            zr_write_sliding(f, &a->slides, f->Q, right, &to);
            guards[0] = a->slides.guard;
            spread_rows(s, lambda, a->lambda);
            zr_write_sliding_rows(f, &a->slides, a->pressure, a->lambda);
        }
        zx_node *C = write_nonideal_force(f, a->lambda);
        for (int32_t k = 0; k < f->n; k++) {
            a->force[k] = C[k];
            force[k] = zr_plus(f, f->Q[k], C[k]);
        }
        for (int32_t i = 0; i < f->m; i++) a->lambda[i] = f->zero;
    }
    zr_write_sliding(f, &a->slides, force, right, &to);
    guards[1] = a->slides.guard;
    if (guards[0] != f->zero) a->slides.guard = zr_write_largest(f, guards, 2);
    spread_rows(s, lambda, a->lambda);
    memcpy(a->acting, a->lambda, sizeof *lambda * (size_t)f->m);
    memcpy(a->friction, friction, sizeof *friction * (size_t)f->n);
}

/* --------------------------------------------------------------------- powers */

/* sum lambda_i (A v)_i over some rows. */
static zx_node write_row_power(zr_fuser *f, const int32_t *rows, int32_t count, const zx_node *v,
                               const zx_node *lambda)
{
    zx_node power = f->zero;
    for (int32_t k = 0; k < count; k++)
        power =
            zr_plus(f, power,
                    zr_times(f, lambda[rows[k]], zr_dot_nodes(f, f->n, f->A + rows[k] * f->n, v)));
    return power;
}

/* What the works of a run need, power [ZR_POWER_COUNT]: as zr_powers_at. */
static void write_powers(zr_fuser *f, const acceleration *a, zx_node *power)
{
    const struct zr_energy *e = f->b->model->energy;
    zm_model *zm = f->b->zm;
    zx_node *v = zr_new_nodes(f, f->n), out[zr_sum_columns];
    for (int32_t i = 0; i < f->n; i++) v[i] = zx_leaf(f->pool, ZX_VELOCITY, i);
    for (int32_t k = 0; k < e->powers.count; k++) {
        const zr_sum *sum = &e->powers.list[k];
        zr_written i = {.fuser = f, .family = &zm->families[sum->family], .accelerations = a->z};
        for (i.number = 0; i.number < i.family->count; i.number++) {
            zx_copy(f->pool, &zm->pool, sum->node, sum->outputs, zr_bind_leaf, &i, out);
            for (int32_t j = 0; j < sum->outputs; j++)
                power[sum->column[j]] = zr_plus(f, power[sum->column[j]], out[j]);
        }
    }
    power[ZR_IDEAL] = write_row_power(f, e->ideal, e->ideal_count, v, a->lambda);
    power[ZR_CONTROL] = write_row_power(f, e->control, e->control_count, v, a->lambda);
    power[ZR_FRICTION] =
        zr_plus(f, write_row_power(f, e->friction, e->friction_count, v, a->lambda),
                zr_dot_nodes(f, f->n, v, a->friction));
    if (e->possible & (1u << ZR_NONIDEAL)) power[ZR_NONIDEAL] = zr_dot_nodes(f, f->n, v, a->force);
}

/* ------------------------------------------------------------------- programs */

/* Returns where they begin. */
static int32_t append_roots(zr_roots *w, const zx_node *list, int32_t count)
{
    int32_t at = w->count;
    if (count > 0) memcpy(w->list + at, list, sizeof *list * (size_t)count);
    w->count += count;
    return at;
}

/* The acceleration of the form; what slides keeps where its solver is. */
static void solve_acceleration(zr_fuser *f, acceleration *to)
{
    const struct zr_contact_laws *laws = f->b->model->laws;
    *to = (acceleration){.z = zr_new_nodes(f, f->n),
                         .lambda = zr_new_nodes(f, f->m),
                         .acting = zr_new_nodes(f, f->m),
                         .force = zr_new_nodes(f, f->n),
                         .friction = zr_new_nodes(f, f->n),
                         .pressure = zr_new_nodes(f, laws ? laws->frictions : 0)};
    int32_t rows, *row = list_form_rows(f, &rows);
    to->solver = zr_write_factors(f, row, rows);
    to->slides = zr_write_slides(f, &to->solver);
    if (to->slides.count > 0)
        write_sliding_acceleration(f, to);
    else
        write_held_acceleration(f, to);
}

/* Functions of contacts, and rates of the open ones. */
static int32_t count_watched(const zw_model *model)
{
    return model->laws ? zr_touch_functions(model->laws) + model->laws->contacts : 0;
}

/* The roots of the acceleration, and where each of its outputs stands. */
static zr_roots write_acceleration(zr_fuser *f, zr_fused_places *places)
{
    const zw_model *model = f->b->model;
    int32_t n = f->n, m = f->m, entries = model->A.count, watched = count_watched(model);
    acceleration a;
    solve_acceleration(f, &a);
    zx_node *A = zr_new_nodes(f, entries), *watch = zr_new_nodes(f, watched);
    for (int32_t i = 0; i < m; i++)
        for (int32_t k = model->A.start[i]; k < model->A.start[i + 1]; k++)
            A[k] = f->A[i * n + model->A.column[k]];
    zx_node *power = zr_new_nodes(f, ZR_POWER_COUNT);
    zx_node guard = zr_times(f, a.solver.guard, a.slides.guard);
    write_powers(f, &a, power);
    if (model->laws) zr_write_watched(f, &a.slides, a.z, a.acting, watch);
    bool nonideal = model->nonideal.count > 0;
    int64_t most = 2 * ((int64_t)n + m) + entries + watched + 1 + ZR_POWER_COUNT;
    zr_roots w = {.list = zr_new_nodes(f, most)};
    places->z = append_roots(&w, a.z, n);
    places->guard = append_roots(&w, &guard, 1);
    places->lambda = places->acting = append_roots(&w, a.lambda, m);
    if (model->laws && model->nonideal.count > 0) places->acting = append_roots(&w, a.acting, m);
    places->A = append_roots(&w, A, entries);
    places->force = nonideal ? append_roots(&w, a.force, n) : -1;
    places->power = w.count;
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        if (zr_possible_powers(model) & (1u << k)) append_roots(&w, &power[k], 1);
    places->powers = w.count - places->power;
    places->watch = append_roots(&w, watch, watched);
    places->count = w.count;
    return w;
}

/* Positions: holonomic rows; velocities: all but rows of accelerations. */
static bool is_row_of_side(const zr_fuser *f, zr_order order, int32_t row)
{
    zm_row_kind kind = zm_row_kind_of(f->b->zm, row);
    if (f->form->row && f->form->row[row] == ZR_FUSED_NOT) return false;
    return kind == ZM_HOLONOMIC || (order == ZR_VELOCITY && kind != ZM_ACCELERATION);
}

/* max |r_i| / (rounding of the terms of row i), 0 where r_i is exactly: at most 1, nothing to
 * correct. */
static zx_node write_largest_residual(zr_fuser *f, const zx_node *r, const zx_node *magnitude,
                                      int32_t rows)
{
    zx_node *size = zr_new_nodes(f, rows);
    for (int32_t i = 0; i < rows; i++) {
        zx_node unit = zr_times(f, zr_number_node(f, rounding), magnitude[i]);
        zx_node ratio = zx_binary(f->pool, ZX_DIV, zr_absolute(f, r[i]), unit);
        zx_node exact = zx_binary(f->pool, ZX_EQ, r[i], f->zero);
        size[i] = zx_select(f->pool, exact, f->zero, ratio);
    }
    return zr_write_largest(f, size, rows);
}

static void list_side_rows(const zr_fuser *f, zr_order order, zr_fused_side *side)
{
    side->row = ZB_NEW_ARRAY(f->b->arena, int32_t, (size_t)f->m);
    for (int32_t i = 0; i < f->m; i++)
        if (is_row_of_side(f, order, i)) side->row[side->rows++] = i;
}

/* The form before forms[i] whose side has the same rows; -1: there is none. */
static int32_t find_same_side(const zr_fused_form *forms, int32_t i, int order)
{
    const zr_fused_side *side = &forms[i].side[order];
    size_t bytes = sizeof *side->row * (size_t)side->rows;
    for (int32_t k = 0; k < i; k++) {
        const zr_fused_side *other = &forms[k].side[order];
        bool alike = forms[k].reads_masks == forms[i].reads_masks && other->rows == side->rows;
        if (alike && memcmp(other->row, side->row, bytes) == 0) return k;
    }
    return -1;
}

/* One Newton step of a projection: the roots of the program `step`; those of `look` are the first
 * side->looks of them. A side without rows has none. */
static zr_roots write_side(zr_fuser *f, zr_order order, zr_fused_side *side)
{
    int32_t n = f->n, m = f->m, shift = order == ZR_VELOCITY ? m : 0;
    if (side->rows == 0) return (zr_roots){0};
    zx_node *r = zr_new_nodes(f, side->rows), *magnitude = zr_new_nodes(f, side->rows),
            *c = zr_new_nodes(f, side->rows);
    zx_node *d = zr_new_nodes(f, n), *lambda = zr_new_nodes(f, side->rows),
            *none = zr_new_nodes(f, n);
    for (int32_t k = 0; k < side->rows; k++) {
        r[k] = f->level[shift + side->row[k]];
        magnitude[k] = f->level[2 * m + shift + side->row[k]];
        c[k] = zx_unary(f->pool, ZX_NEG, r[k]);
    }
    zr_fused_solver s = zr_write_factors(f, side->row, side->rows);
    zr_write_solution(f, &s, none, c, d, lambda);
    for (int32_t k = 0; k < n; k++)
        d[k] =
            zr_plus(f, zx_leaf(f->pool, order == ZR_VELOCITY ? ZX_VELOCITY : ZX_POSITION, k), d[k]);
    zx_node off = write_largest_residual(f, r, magnitude, side->rows);
    zr_roots w = {.list = zr_new_nodes(f, (int64_t)n + 2 + 2 * (int64_t)side->rows)};
    side->off = append_roots(&w, &off, 1);
    side->residual = append_roots(&w, r, side->rows);
    side->magnitude = append_roots(&w, magnitude, side->rows);
    side->looks = w.count;
    side->guard = append_roots(&w, &s.guard, 1);
    side->x = append_roots(&w, d, n);
    side->count = w.count;
    return w;
}

/* One program, and room for it in the model's workspace. */
static void compile_roots(zr_fuser *f, zx_pool *pool, const zr_roots *w, zk_program **program)
{
    zr_fused *fused = f->b->model->fused;
    zw_status status = zk_compile(f->b->memory, pool, w->list, w->count, program);
    if (status != ZW_OK) zr_fail(f->b, status);
    size_t workspace = zk_workspace(*program);
    if (workspace > fused->workspace) fused->workspace = workspace;
    if (workspace > f->b->model->workspace) f->b->model->workspace = workspace;
    if (w->count > fused->most_outputs) fused->most_outputs = w->count;
}

enum { programs = 3 }; /* of a form: the acceleration, then a step of each side */

/* All programs of all forms, roots [programs * forms]: what depends on parameters only goes to the
 * prelude. The sides have a program `look` besides. */
static void compile_forms(zr_fuser *f, zr_roots *roots)
{
    zr_fused *fused = f->b->model->fused;
    zx_pool *pool = &f->b->pools[1];
    zr_hoisting how = {.from = f->pool, .to = pool, .values = zr_first_fused_value(f->b->model)};
    zr_roots prelude = zr_hoist(f->b, &how, roots, programs * fused->form_count);
    for (int32_t i = 0; i < fused->form_count; i++) {
        zr_fused_form *form = &fused->forms[i];
        zk_program **to[programs] = {&form->acceleration, &form->side[0].step, &form->side[1].step};
        const zr_roots *from = roots + (ptrdiff_t)programs * i;
        for (int k = 0; k < programs; k++)
            if (from[k].count > 0) compile_roots(f, pool, &from[k], to[k]);
        for (int k = 0; k < 2; k++) {
            int32_t as = form->side[k].same_as;
            zr_roots look = {from[1 + k].list, form->side[k].looks};
            if (from[1 + k].count > 0) compile_roots(f, pool, &look, &form->side[k].look);
            if (as >= 0) form->side[k] = fused->forms[as].side[k];
            form->side[k].same_as = as;
        }
    }
    fused->prelude.count = prelude.count;
    if (prelude.count > 0) compile_roots(f, f->pool, &prelude, &fused->prelude.code);
}

/* ---------------------------------------------------------------------- build */

/* A small system whose equations can be independent. */
static bool is_worth_fusing(const zw_model *model)
{
    const zm_model *zm = model->zm;
    int32_t always = zm->m;
    if (model->motors) return false; /* how much they give is found by what they can give */
    for (int32_t i = 0; zm->mask && i < zm->m; i++) always -= zm->mask[i] >= 0 ? 1 : 0;
    return zm->n > 0 && always <= zm->n && zm->n + always <= zr_most_fused;
}

/* What masks are in the form; in scratch. NULL: there are none. */
static const int8_t *list_known_masks(const zr_fuser *f)
{
    const zm_model *zm = f->b->zm;
    if (!f->form->row) return NULL;
    int8_t *known = ZB_NEW_ARRAY(&f->b->scratch, int8_t, (size_t)zm->value_count);
    memset(known, -1, (size_t)zm->value_count);
    for (int32_t i = 0; i < zm->m; i++)
        if (zm->mask[i] >= 0 && f->form->row[i] != ZR_FUSED_EITHER)
            known[zm->mask[i]] = f->form->row[i] == ZR_FUSED_IS;
    return known;
}

/* The roots of a form; false: it does not serve, or is too long. */
static bool write_form(zr_fuser *f, zr_fused_form *form, int64_t *operations, zr_roots *roots)
{
    f->form = form;
    f->known = list_known_masks(f);
    zr_write_system(f);
    roots[0] = write_acceleration(f, &form->places);
    int64_t count = zx_operation_count(f->pool, roots[0].list, roots[0].count);
    if (!form->reads_masks) *operations += count;
    if (count > zr_form_limit(form) || *operations > most_in_all) return false;
    return true;
}

/* The sides of forms[i], unless one before it has the same. */
static void write_sides(zr_fuser *f, zr_fused_form *forms, int32_t i, zr_roots *roots)
{
    for (int k = 0; k < 2; k++) {
        zr_fused_side *side = &forms[i].side[k];
        list_side_rows(f, (zr_order)k, side);
        side->same_as = find_same_side(forms, i, k);
        roots[1 + k] = side->same_as < 0 ? write_side(f, (zr_order)k, side) : (zr_roots){0};
    }
}

/* All forms that are short enough. */
static void write_forms(zr_fuser *f)
{
    zr_fused_form *forms = NULL;
    bool complete, masked = false;
    int32_t candidates = zr_list_forms(f->b, &forms, &complete), count = 0;
    zr_roots *roots = ZB_NEW_ARRAY(&f->b->scratch, zr_roots, programs * (size_t)candidates);
    int64_t operations = 0;
    for (int32_t i = 0; i < candidates; i++) {
        bool needed = forms[i].reads_masks ? !complete : operations <= most_in_all;
        forms[count] = forms[i];
        if (needed &&
            write_form(f, &forms[count], &operations, roots + (ptrdiff_t)programs * count)) {
            write_sides(f, forms, count, roots + (ptrdiff_t)programs * count);
            masked = masked || forms[count].reads_masks;
            count++;
        } else if (!forms[i].reads_masks) {
            complete = false;
        }
    }
    if (count == 0) return;
    zr_fused *fused = f->b->model->fused = ZB_NEW(f->b->arena, zr_fused);
    fused->forms = ZB_NEW_ARRAY(f->b->arena, zr_fused_form, (size_t)count);
    memcpy(fused->forms, forms, sizeof *forms * (size_t)count);
    fused->form_count = count;
    fused->reads_masks = masked;
    compile_forms(f, roots);
}

/* Two pools: what is written first, and the nodes of the programs after hoisting. */
void zr_build_fused(zr_builder *b)
{
    if (!is_worth_fusing(b->model)) return;
    zb_mark mark = zb_arena_mark(&b->scratch);
    zx_pool_init(&b->pools[0], b->memory, &b->escape, true);
    zx_pool_init(&b->pools[1], b->memory, &b->escape, true);
    b->pools_open = true;
    zr_fuser f = {.b = b, .pool = &b->pools[0], .n = b->zm->n, .m = b->zm->m};
    f.zero = zx_number(f.pool, 0.0);
    f.one = zx_number(f.pool, 1.0);
    write_forms(&f);
    zr_free_pools(b);
    zb_arena_release(&b->scratch, mark);
}

void zr_free_fused(zw_model *model)
{
    zr_fused *fused = model->fused;
    if (!fused) return;
    zk_free(fused->prelude.code);
    for (int32_t i = 0; i < fused->form_count; i++) {
        zr_fused_form *form = &fused->forms[i];
        zk_free(form->acceleration);
        for (int k = 0; k < 2; k++) {
            if (form->side[k].same_as >= 0) continue;
            zk_free(form->side[k].step);
            zk_free(form->side[k].look);
        }
    }
}
