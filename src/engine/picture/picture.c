/*
 * The picture from the draw statements of a model. Every family of drawings becomes one program with
 * workspace of the picture's own, so that a picture can be made after simulations were; which
 * number of which shape is which output follows from the `where` of the drawing.
 *
 * Memory: the lists are arrays of the context, the rest is in the picture's arena. Running out of it
 * jumps to zr_picture_create.
 */
#include "picture.h"

#include <math.h>
#include <string.h>

#include "engine.h"

void zr_out_of_picture(zr_picture *p)
{
    longjmp(p->escape, 1);
}

/* ---------------------------------------------------------------------- programs */

/* The pool in which a family of drawings stands. */
static zx_pool *pool_of_family(zm_model *zm, const zm_family *f)
{
    return f->kind == ZM_DRAW_DEFAULT ? &zm->pictures : &zm->pool;
}

static bool is_drawn_family(const zm_family *f)
{
    return f->kind == ZM_DRAW || f->kind == ZM_DRAW_DEFAULT;
}

/* What the roots of a family depend on. */
static void look_into_roots(zr_picture *p, zr_drawn_family *d)
{
    zm_family *f = &p->model->zm->families[d->family];
    zx_pool *pool = pool_of_family(p->model->zm, f);
    for (int32_t k = 0; k < f->root_count; k++) {
        zx_reach r = zx_reaches(pool, &f->roots[k], 1);
        const zx_item *item = &pool->items[f->roots[k]];
        d->fixed[k] = !(r.time || r.position || r.velocity || r.acceleration || r.measure);
        d->slot[k] = item->op == ZX_POSITION ? item->a : -1;
        d->solved[k] = r.acceleration || r.measure;
        p->solved = p->solved || d->solved[k];
    }
}

/* One program for all roots of a family. */
static void compile_family(zr_picture *p, int32_t family)
{
    zm_model *zm = p->model->zm;
    zm_family *f = &zm->families[family];
    zr_drawn_family *d = &p->families[family];
    if (!is_drawn_family(f) || f->root_count == 0) return;
    if ((int64_t)f->count * f->root_count > INT32_MAX - p->value_count) zr_out_of_picture(p);
    d->family = family;
    d->first = p->value_count;
    d->fixed = ZB_NEW_ARRAY(&p->arena, bool, f->root_count);
    d->solved = ZB_NEW_ARRAY(&p->arena, bool, f->root_count);
    d->slot = ZB_NEW_ARRAY(&p->arena, int32_t, f->root_count);
    p->value_count += f->count * f->root_count;
    look_into_roots(p, d);
    if (zk_compile(p->memory, pool_of_family(zm, f), f->roots, f->root_count, &d->code) != ZW_OK)
        zr_out_of_picture(p);
}

/* Values, and a workspace for the largest program, aligned as programs want it. */
static void take_picture_room(zr_picture *p)
{
    enum { line = 64 / sizeof(double) };
    size_t most = 0;
    for (int32_t k = 0; k < p->model->zm->family_count; k++) {
        size_t room = p->families[k].code ? zk_workspace(p->families[k].code) : 0;
        if (room > most) most = room;
    }
    p->values = ZB_NEW_ARRAY(&p->arena, double, p->value_count + 1);
    double *block = ZB_NEW_ARRAY(&p->arena, double, most + line);
    size_t off = (uintptr_t)block % 64;
    p->workspace = off == 0 ? block : (double *)(void *)((char *)block + (64 - off));
}

void zr_draw(zr_picture *p, const zk_source *s)
{
    const zm_model *zm = p->model->zm;
    zk_source source = *s;
    source.evaluator = ZK_BYTE_CODE;
    for (int32_t k = 0; k < zm->family_count; k++) {
        const zr_drawn_family *d = &p->families[k];
        const zm_family *f = &zm->families[k];
        if (!d->code) continue;
        zk_table table = {.table = f->whole ? NULL : f->table,
                          .count = f->count,
                          .stride = f->stride,
                          .value_at = f->coordinates,
                          .measure_at = f->coordinates + f->values};
        zk_evaluate_table(d->code, &source, &table, p->workspace, p->values + d->first);
    }
}

double zr_drawn_number(const zr_picture *p, const zw_sim *sim, int32_t k)
{
    const zr_number *x = &p->numbers.data[k];
    if (x->at >= 0) return p->values[x->at];
    return x->coordinate >= 0 ? sim->q[x->coordinate] : x->constant;
}

/* ------------------------------------------------------------------------ shapes */

/* A drawing as a shape, its numbers where its family computes them. */
static void add_drawing(zr_picture *p, const zm_drawing *drawing)
{
    const zm_model *zm = p->model->zm;
    const zm_where *w = &drawing->where;
    const zr_drawn_family *d = &p->families[w->family];
    const zm_family *f = &zm->families[w->family];
    zr_shape shape = {.kind = drawing->shape,
                      .points = drawing->points,
                      .dimension = drawing->dimension,
                      .first = p->numbers.count,
                      .count = w->count,
                      .text = drawing->text,
                      .color = drawing->color,
                      .width = drawing->width,
                      .part = drawing->part,
                      .row = -1};
    for (int32_t k = w->root; k < w->root + w->count; k++) {
        zr_number x = {.at = d->first + w->instance * f->root_count + k,
                       .coordinate = -1,
                       .fixed = d->fixed[k],
                       .solved = d->solved[k]};
        if (d->slot[k] >= 0) x.coordinate = zm_coordinate_of(f, w->instance, d->slot[k]);
        if (!zb_array_push(p->memory, &p->numbers, x)) zr_out_of_picture(p);
    }
    if (!zb_array_push(p->memory, &p->shapes, shape)) zr_out_of_picture(p);
}

/* The largest dimension of what is drawn; a line of numbers is shown in the plane. */
static void find_dimension(zr_picture *p)
{
    for (int32_t k = 0; k < p->shapes.count; k++) {
        int32_t dimension = p->shapes.data[k].dimension < 3 ? 2 : 3;
        if (dimension > p->dimension) p->dimension = dimension;
    }
}

void zr_number_place(const zr_shape *shape, int32_t k, int32_t *row, int32_t *column)
{
    bool turned = shape->kind == ZL_SHAPE_BOX || shape->kind == ZL_SHAPE_SURFACE;
    int32_t skip = turned && shape->dimension == 2 && k >= 2 ? 1 : 0; /* the angle */
    if (skip && k == 2) {
        *row = 1;
        *column = 0;
        return;
    }
    *row = (k - skip) / shape->dimension + skip;
    *column = (k - skip) % shape->dimension;
}

/* ------------------------------------------------------------------------ making */

/* Draw statements, then what coordinates and constraints say. */
static void fill_picture(zr_picture *p, zw_sim *sim)
{
    const zm_model *zm = p->model->zm;
    bool own = false;
    p->families = ZB_NEW_ARRAY(&p->arena, zr_drawn_family, zm->family_count);
    for (int32_t k = 0; k < zm->family_count; k++) compile_family(p, k);
    take_picture_room(p);
    for (int32_t k = 0; k < zm->drawing_count; k++) {
        if (zm->drawings[k].shape == ZL_SHAPE_CONTACT) continue;
        add_drawing(p, &zm->drawings[k]);
        own = own || zm->drawings[k].place.source == 0;
    }
    for (int32_t k = 0; k < zm->family_count; k++)
        p->nonideal = p->nonideal || zm->families[k].kind == ZM_NONIDEAL ||
                      zm->families[k].kind == ZM_NONIDEAL_AT;
    p->fallback = !own;
    zr_find_spots(p, sim);
    if (p->fallback) zr_add_default_shapes(p, sim);
    find_dimension(p);
    zr_add_seats(p, sim);
}

/* The simulation is only asked about masses and rows at some states; it is never started. */
zw_status zr_picture_create(zw_model *model, zr_picture **out)
{
    zb_memory *memory = &model->context->memory;
    zw_sim *sim = NULL;
    zr_picture *p = zb_resize(memory, NULL, 0, sizeof *p);
    if (!p) return memory->failure;
    *p = (zr_picture){.model = model, .memory = memory};
    zb_arena_init(&p->arena, memory, 0);
    zw_status status = zr_sim_create(model, &sim);
    if (status == ZW_OK && setjmp(p->escape) == 0) {
        p->arena.escape = model->zm->pool.escape = model->zm->pictures.escape = &p->escape;
        fill_picture(p, sim);
    } else if (status == ZW_OK) {
        status = memory->failure != ZW_OK ? memory->failure : ZW_ERR_BUDGET;
    }
    p->arena.escape = model->zm->pool.escape = model->zm->pictures.escape = NULL;
    zr_sim_free(sim);
    if (status != ZW_OK) {
        zr_picture_free(p);
        return status;
    }
    *out = p;
    return ZW_OK;
}

void zr_picture_free(zr_picture *p)
{
    if (!p) return;
    zb_memory *memory = p->memory;
    for (int32_t k = 0; p->families && k < p->model->zm->family_count; k++)
        zk_free(p->families[k].code);
    zb_array_free(memory, &p->shapes);
    zb_array_free(memory, &p->numbers);
    zb_array_free(memory, &p->spots);
    zb_array_free(memory, &p->seats);
    zb_arena_clear(&p->arena);
    zb_resize(memory, p, sizeof *p, 0);
}
