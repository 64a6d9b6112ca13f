/*
 * The memory of a space: one block, laid out twice, first to know its size.
 */
#include "contact_space.h"

#include <string.h>

/* Hands out parts of a block; without one it only counts. */
typedef struct layout {
    unsigned char *block;
    size_t used;
} layout;

static void *part(layout *l, size_t count, size_t size)
{
    enum { align = 16 };
    void *at = l->block ? l->block + l->used : NULL;
    l->used = zb_sum(l->used, (zb_product(count + 1, size) + align - 1) & ~(size_t)(align - 1));
    return at;
}

static double *reals(layout *l, size_t count)
{
    return part(l, count, sizeof(double));
}

static int32_t *integers(layout *l, size_t count)
{
    return part(l, count, sizeof(int32_t));
}

static uint8_t *states(layout *l, size_t count)
{
    return part(l, count, sizeof(uint8_t));
}

/* Many contacts have no room for all edges of their cones. */
static int32_t most_share_rows(const zg_contact_sizes *most)
{
    enum { usual = 512 };
    int32_t all = most->contacts + 4 * most->frictions;
    return all < usual ? all : most->contacts > usual ? most->contacts : usual;
}

/* Few contacts have all their modes tried. */
static int32_t most_lemke(const zg_contact_sizes *most)
{
    enum { usual = 600 };
    int32_t all = most->contacts + 3 * most->frictions;
    if (most->contacts + most->frictions <= 6) return 0;
    return all < usual ? all : usual;
}

static void lay_out_island(layout *l, const zg_contact_sizes *most, zg_island *c)
{
    size_t r = (size_t)most->rows, contacts = (size_t)most->contacts;
    size_t frictions = (size_t)most->frictions, joints = (size_t)most->joints;
    c->G = reals(l, r * r);
    c->w = reals(l, r);
    c->D = reals(l, r);
    c->V = reals(l, r);
    c->own = reals(l, r);
    c->is_held = part(l, r, sizeof *c->is_held);
    c->contact = part(l, contacts, sizeof *c->contact);
    c->friction = part(l, frictions, sizeof *c->friction);
    c->L = reals(l, joints * r);
    c->lambda0 = reals(l, joints);
    c->row_of = integers(l, r);
    c->contact_of = integers(l, contacts);
    c->friction_of = integers(l, frictions);
    c->joint_of = integers(l, joints);
}

static void lay_out_dual(layout *l, const zg_contact_sizes *most, zg_contact_space *g)
{
    size_t rows = (size_t)(g->most_share_rows = most_share_rows(most));
    g->dual.G = reals(l, rows * rows);
    g->dual.w = reals(l, rows);
    g->dual.V = reals(l, rows);
    g->dual.own = reals(l, rows);
    g->dual.contact = part(l, rows, sizeof *g->dual.contact);
    g->share_row = part(l, rows, sizeof *g->share_row);
    g->other.contact = states(l, rows);
    g->other.friction = states(l, 0);
    g->other.side = part(l, 0, sizeof *g->other.side);
    g->other.direction = g->other.lambda = g->other.rho = reals(l, 0);
    g->other.row = states(l, rows);
    g->other.x = reals(l, rows);
    g->other.u = reals(l, rows);
    g->unloaded = integers(l, (size_t)most->contacts);
}

static void lay_out_trial(layout *l, const zg_contact_sizes *most, zg_trial *t)
{
    size_t r = (size_t)most->rows, frictions = (size_t)most->frictions;
    t->contact = states(l, (size_t)most->contacts);
    t->friction = states(l, frictions);
    t->direction = reals(l, 3 * frictions);
    t->side = part(l, frictions, sizeof *t->side);
    t->x = reals(l, r);
    t->u = reals(l, r);
    t->lambda = reals(l, (size_t)most->joints);
    t->rho = reals(l, frictions);
    t->row = states(l, r);
}

static void lay_out_system(layout *l, const zg_contact_sizes *most, zg_mode_system *s)
{
    size_t r = (size_t)most->rows, frictions = (size_t)most->frictions;
    size_t dual = (size_t)most_share_rows(most), k = r > dual ? r : dual;
    s->unknown = integers(l, k);
    s->swap = integers(l, k);
    s->sliding = integers(l, frictions);
    s->U = reals(l, k * k);
    s->K = reals(l, k * k);
    s->left = reals(l, k);
    s->right = reals(l, k * (frictions + 1));
    s->spread = reals(l, 2 * k);
    s->H = reals(l, (size_t)most->joints * (frictions + 1));
    s->newton = reals(l, frictions * (2 * frictions + 8));
    s->broken = states(l, k + frictions);
    s->begun = states(l, k);
    s->Z = reals(l, r * r);
    size_t n = (size_t)(s->most_lemke = most_lemke(most));
    s->lemke = reals(l, n * (2 * n + 2));
    s->lemke_basis = integers(l, n);
    s->share = reals(l, r);
    s->farther = reals(l, r);
    s->pressed = reals(l, (size_t)most->joints);
    s->reversed = reals(l, (size_t)most->joints);
    s->press = reals(l, frictions * (r + 1));
    s->level = reals(l, (size_t)most->contacts + frictions);
    s->turning = integers(l, frictions);
    size_t turning = frictions < ZG_MOST_TURNING ? frictions : ZG_MOST_TURNING;
    s->turn = reals(l, 13 * turning * turning + 2 * turning);
    n = (r < ZG_MOST_SHARED ? r : ZG_MOST_SHARED) + 1;
    size_t rows = (size_t)most->contacts + 7 * frictions + 4 * n;
    s->program.row = reals(l, rows * n);
    s->program.b = reals(l, rows);
    s->program.owner = integers(l, rows);
    s->program.basis = integers(l, n);
    s->program.solution = reals(l, n);
    s->program.work = reals(l, n * (n + 4));
}

static zg_contact_sizes size_of_block(const zg_contact_limits *limits)
{
    if (limits->block) return *limits->block;
    return (zg_contact_sizes){limits->rows, limits->contacts, limits->frictions, limits->joints};
}

static void lay_out(layout *l, const zg_contact_limits *all, zg_contact_space *g)
{
    zg_contact_sizes most = size_of_block(all);
    size_t r = (size_t)all->rows, contacts = (size_t)all->contacts;
    size_t frictions = (size_t)all->frictions;
    lay_out_island(l, &most, &g->island);
    lay_out_dual(l, &most, g);
    lay_out_trial(l, &most, &g->trial);
    lay_out_trial(l, &most, &g->best);
    lay_out_trial(l, &most, &g->second);
    lay_out_trial(l, &most, &g->begun);
    lay_out_system(l, &most, &g->system);
    g->island_of = integers(l, r);
    g->absent = states(l, contacts);
    g->row_in = integers(l, r);
    g->contact_in = integers(l, contacts);
    g->joint_in = integers(l, (size_t)all->joints);
    g->island_row = integers(l, r);
    g->island_contact = integers(l, contacts);
    g->island_friction = integers(l, frictions);
    g->row_start = integers(l, r + 1);
    g->contact_start = integers(l, r + 1);
    g->friction_start = integers(l, r + 1);
    g->fill = integers(l, r + 1);
    g->forced = states(l, contacts + frictions);
    g->forced_direction = reals(l, 3 * frictions);
    g->crash = reals(l, 6 * r);
    g->frame = reals(l, 9 * frictions);
    g->wants = part(l, frictions, sizeof(bool));
    g->hit = states(l, contacts);
}

size_t zg_contact_space_bytes(const zg_contact_limits *limits)
{
    zg_contact_space sizes = {0};
    layout l = {.used = sizeof(zg_contact_space) + 16};
    lay_out(&l, limits, &sizes);
    return l.used;
}

zw_status zg_contact_space_plan(zb_memory *memory, const zg_contact_limits *limits,
                                zg_contact_space **space)
{
    size_t bytes = zg_contact_space_bytes(limits);
    zg_contact_space *g = zb_resize(memory, NULL, 0, bytes);
    if (!g) return memory->failure;
    memset(g, 0, bytes);
    g->memory = memory;
    g->bytes = bytes;
    g->limits = *limits;
    g->most = size_of_block(limits);
    g->limits.block = &g->most;
    layout l = {(unsigned char *)g, (sizeof *g + 15) & ~(size_t)15};
    lay_out(&l, limits, g);
    *space = g;
    return ZW_OK;
}

void zg_contact_space_free(zg_contact_space *space)
{
    if (space) zb_resize(space->memory, space, space->bytes, 0);
}
