/*
 * Spots: places that coordinates say. Candidates are found by their names,
 *
 *     coord r[2], coord r[3]     a vector
 *     coord p[N, 2], p[N, 3]     N of them, row by row
 *     coord x, y  coord x1, y1, z1   scalars whose names differ in one letter x, y, z at an end
 *     coord x[N], y[N]           N of them
 *
 * and must have masses as a place has: the same in all directions, none between them, at states
 * taken at random. What stands in x, y by another meaning nearly never has. Where the model draws
 * itself, the spot of a coordinate outside of parts must be a point of the drawing.
 */
#include <math.h>
#include <string.h>

#include "picture.h"

enum { looks = 4 }; /* random states */

/* The state of a simulation, from nothing but k and the number of the coordinate. */
void zr_look_somewhere(zw_sim *sim, int32_t k)
{
    for (int32_t i = 0; i < sim->zm->n; i++) {
        uint64_t h = zb_hash_mix((uint64_t)k + 1, (uint64_t)i + 17);
        sim->q[i] = 0.25 + (double)(h >> 40) / (double)(1 << 24);
        sim->v[i] = 0.0;
    }
    sim->t = 0.0;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_dynamics(sim, &s);
    zr_evaluate_rows(sim, &s);
}

/* ------------------------------------------------------------------------- names */

/* Coordinates of a block. */
static int32_t size_of_block(const zm_model *zm, int32_t block)
{
    int32_t end = block + 1 < zm->coordinate_blocks ? zm->coordinates[block + 1].first : zm->n;
    return end - zm->coordinates[block].first;
}

/* Whether `name` is `x_name`, in which the letter at `at` is another one. */
static bool is_renamed(const char *name, const char *x_name, size_t at, char letter)
{
    return strlen(name) == strlen(x_name) && name[at] == letter && memcmp(name, x_name, at) == 0 &&
           strcmp(name + at + 1, x_name + at + 1) == 0;
}

/* The block beside block k, among the next few, that is called as it is with y or z for its x, with
 * the same part, indices and size; -1: none. */
static int32_t find_sibling(const zm_model *zm, int32_t k, size_t at, char letter)
{
    enum { reach = 8 };
    const zm_block *x = &zm->coordinates[k];
    const char *x_name = zl_name_text(&zm->unit, x->label.name);
    for (int32_t j = k + 1; j < zm->coordinate_blocks && j <= k + reach; j++) {
        const zm_block *b = &zm->coordinates[j];
        if (b->label.scope == x->label.scope && b->label.index_count == x->label.index_count &&
            memcmp(b->label.index, x->label.index, sizeof b->label.index) == 0 &&
            size_of_block(zm, j) == size_of_block(zm, k) && b->columns == 0 &&
            is_renamed(zl_name_text(&zm->unit, b->label.name), x_name, at, letter))
            return j;
    }
    return -1;
}

/* Where the letter x stands in a name, at its beginning or its end; -1: nowhere. */
static int32_t find_letter_x(const char *name)
{
    size_t length = strlen(name);
    if (name[0] == 'x') return 0;
    return length > 0 && name[length - 1] == 'x' ? (int32_t)length - 1 : -1;
}

/* -------------------------------------------------------------------- candidates */

static void add_spot(zr_picture *p, const zr_spot *spot)
{
    if (!zb_array_push(p->memory, &p->spots, *spot)) zr_out_of_picture(p);
}

/* x, y, z: as many spots as the blocks have elements; false: it has no siblings. */
static bool add_siblings(zr_picture *p, int32_t k)
{
    const zm_model *zm = p->model->zm;
    const zm_block *x = &zm->coordinates[k];
    int32_t at = find_letter_x(zl_name_text(&zm->unit, x->label.name));
    if (at < 0 || x->columns > 0) return false;
    int32_t y = find_sibling(zm, k, (size_t)at, 'y'), z = find_sibling(zm, k, (size_t)at, 'z');
    if (y < 0) return false;
    for (int32_t i = 0; i < size_of_block(zm, k); i++) {
        zr_spot spot = {.dimension = z < 0 ? 2 : 3, .block = k};
        spot.coordinate[0] = x->first + i;
        spot.coordinate[1] = zm->coordinates[y].first + i;
        spot.coordinate[2] = z < 0 ? -1 : zm->coordinates[z].first + i;
        add_spot(p, &spot);
    }
    return true;
}

/* A vector, or the rows of a matrix. */
static void add_vectors(zr_picture *p, int32_t k)
{
    const zm_block *b = &p->model->zm->coordinates[k];
    int32_t size = b->columns > 0 ? b->columns : b->rows;
    if (size < 2 || size > 3) return;
    for (int32_t first = 0; first + size <= size_of_block(p->model->zm, k); first += size) {
        zr_spot spot = {.coordinate = {-1, -1, -1}, .dimension = size, .block = k};
        for (int32_t i = 0; i < size; i++) spot.coordinate[i] = b->first + first + i;
        add_spot(p, &spot);
    }
}

/* ------------------------------------------------------------------------ masses */

/* The same inertia in all directions, and none between them, in the M of the simulation. */
static bool has_equal_masses(const zw_sim *sim, const zr_spot *spot)
{
    const zr_pattern *M = &sim->model->M;
    double mass = sim->M[M->start[spot->coordinate[0]]];
    bool equal = mass > 0.0;
    for (int32_t i = 0; i < spot->dimension; i++) {
        int32_t row = spot->coordinate[i];
        equal = equal && fabs(sim->M[M->start[row]] - mass) <= 1e-9 * mass;
        for (int32_t e = M->start[row] + 1; e < M->start[row + 1]; e++)
            for (int32_t j = 0; j < spot->dimension; j++)
                if (M->column[e] == spot->coordinate[j])
                    equal = equal && fabs(sim->M[e]) <= 1e-9 * mass;
    }
    return equal;
}

/* Keeps the spots for which `is_good` in the present state of the simulation. */
static void keep_spots(zr_picture *p, zw_sim *sim, bool (*is_good)(const zw_sim *, const zr_spot *))
{
    int32_t kept = 0;
    for (int32_t k = 0; k < p->spots.count; k++)
        if (is_good(sim, &p->spots.data[k])) p->spots.data[kept++] = p->spots.data[k];
    p->spots.count = kept;
}

/* ---------------------------------------------------------------------- drawings */

/* Whether some point of a drawing is made of just these coordinates, in their order. */
static bool is_drawn_spot(const zr_picture *p, const zr_spot *spot)
{
    for (int32_t k = 0; k < p->shapes.count; k++) {
        const zr_shape *s = &p->shapes.data[k];
        for (int32_t i = 0; i < s->points && s->dimension >= spot->dimension; i++) {
            const zr_number *x = &p->numbers.data[s->first + i * s->dimension];
            bool same = true;
            for (int32_t j = 0; j < spot->dimension; j++)
                same = same && x[j].coordinate == spot->coordinate[j];
            if (same) return true;
        }
    }
    return false;
}

/* Of a model that draws itself: spots of its own that it does not show there. */
static void drop_undrawn_spots(zr_picture *p)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < p->spots.count; k++) {
        const zr_spot *spot = &p->spots.data[k];
        bool part = p->model->zm->coordinates[spot->block].label.scope >= 0;
        if (part || is_drawn_spot(p, spot)) p->spots.data[kept++] = *spot;
    }
    p->spots.count = kept;
}

void zr_find_spots(zr_picture *p, zw_sim *sim)
{
    for (int32_t k = 0; k < p->model->zm->coordinate_blocks; k++)
        if (!add_siblings(p, k)) add_vectors(p, k);
    for (int32_t k = 0; k < looks && p->spots.count > 0; k++) {
        zr_look_somewhere(sim, k);
        keep_spots(p, sim, has_equal_masses);
    }
    if (!p->fallback) drop_undrawn_spots(p);
}
