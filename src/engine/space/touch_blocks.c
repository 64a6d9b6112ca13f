/*
 * Blocks (touch_blocks.h), by joining nodes: number j of coordinate j, number n + i of row i of A.
 */
#include "touch_blocks.h"
#include "motors.h"

#include <string.h>

static const size_t at_once = (size_t)64
                              << 20; /* bytes that are taken whether they are needed or not */

/* --------------------------------------------------------------------------- joining */

static int32_t find_leader(int32_t *of, int32_t i)
{
    while (of[i] != i) {
        of[i] = of[of[i]];
        i = of[i];
    }
    return i;
}

static void join_nodes(int32_t *of, int32_t i, int32_t j)
{
    int32_t a = find_leader(of, i), b = find_leader(of, j);
    if (a < b)
        of[b] = a;
    else
        of[a] = b;
}

/* Row i and its coordinates. */
static void join_row(const zw_sim *sim, int32_t *of, int32_t i)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
        join_nodes(of, sim->zm->n + i, A->column[p]);
}

/* Rows of a symmetric pattern, as nodes from `first` on. */
static void join_pattern(const zr_pattern *x, int32_t *of, int32_t first)
{
    for (int32_t i = 0; i < x->rows; i++)
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++)
            join_nodes(of, first + i, first + x->column[p]);
}

static void join_equations(const zw_sim *sim, int32_t *of)
{
    int32_t n = sim->zm->n, m = sim->zm->m;
    for (int32_t i = 0; i < n + m; i++) of[i] = i;
    join_pattern(&sim->model->M, of, 0);
    if (sim->model->W.rows > 0) join_pattern(&sim->model->W, of, n);
    for (int32_t i = 0; i < m; i++)
        if (sim->zm->mask[i] < 0) join_row(sim, of, i);
    for (int32_t j = 1; sim->drive && j < n; j++) join_nodes(of, 0, j); /* motors answer to all */
}

/* Friction k: its rows, and those that press. */
static void join_friction_rows(const zw_sim *sim, int32_t *of, int32_t k)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    const zm_friction *f = &sim->zm->frictions[k];
    int32_t n = sim->zm->n;
    for (int32_t i = f->first_row; i < f->first_row + f->width; i++) {
        join_row(sim, of, i);
        join_nodes(of, n + f->first_row, n + i);
    }
    for (int32_t p = laws->press_start[k]; p < laws->press_start[k + 1]; p++)
        join_nodes(of, n + f->first_row, n + laws->press_row[p]);
}

/* ------------------------------------------------------------------------ candidates */

/* A friction is in the space where something may press: a candidate contact, or a joint. */
static bool is_pressed(const zw_sim *sim, int32_t k, const bool *touching)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    const zr_friction_roots *at = &laws->friction[k];
    if (at->joint) return true;
    for (int32_t i = at->first_row; i < at->first_row + at->row_count; i++)
        if (touching[laws->contact_of_row[i]]) return true;
    return false;
}

static void list_candidates(zw_sim *sim, const bool *touching)
{
    zr_space *s = sim->contacts->space;
    const struct zr_contact_laws *laws = sim->contacts->laws;
    s->contacts = s->frictions = 0;
    for (int32_t c = 0; c < laws->contacts; c++) {
        s->contact_at[c] = touching[c] ? s->contacts : -1;
        if (touching[c]) s->contact[s->contacts++] = c;
    }
    for (int32_t k = 0; k < laws->frictions; k++)
        if (is_pressed(sim, k, touching)) s->friction[s->frictions++] = k;
}

static void join_candidates(zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    zr_space *s = c->space;
    memcpy(s->leader, s->component, sizeof *s->leader * (size_t)(sim->zm->n + sim->zm->m));
    for (int32_t k = 0; c->kept_count > 0 && k < c->laws->contacts; k++)
        if (c->kept[k]) join_row(sim, s->leader, sim->zm->contacts[k].row);
    for (int32_t i = 0; i < s->contacts; i++)
        join_row(sim, s->leader, sim->zm->contacts[s->contact[i]].row);
    for (int32_t f = 0; f < s->frictions; f++) join_friction_rows(sim, s->leader, s->friction[f]);
}

/* ---------------------------------------------------------------------------- blocks */

/* The block of row i of A, which becomes one where it is none yet. */
static int32_t block_of_row(const zw_sim *sim, zr_space *s, int32_t i)
{
    int32_t *block = &s->block[find_leader(s->leader, sim->zm->n + i)];
    if (*block < 0) {
        *block = s->blocks.count;
        s->block_start[++s->blocks.count] = 0;
    }
    return *block;
}

/* Blocks that have rows left become the first, in their order. */
static void drop_empty_blocks(const zw_sim *sim, zr_space *s)
{
    int32_t *number = s->fill, count = 0;
    for (int32_t b = 0; b < s->blocks.count; b++) {
        number[b] = s->block_start[b + 1] > 0 ? count : -1;
        if (number[b] >= 0) s->block_start[++count] = s->block_start[b + 1];
    }
    for (int32_t i = 0; i < sim->zm->n + sim->zm->m; i++)
        if (s->block[i] >= 0) s->block[i] = number[s->block[i]];
    s->blocks.count = count;
}

/* Where each block begins. Not anew: blocks are those that there were. */
static void count_blocks(const zw_sim *sim, zr_space *s, bool anew)
{
    for (int32_t i = 0; anew && i < sim->zm->n + sim->zm->m; i++) s->block[i] = -1;
    if (anew) s->blocks.count = 0;
    memset(s->block_start, 0, sizeof *s->block_start * (size_t)(s->blocks.count + 1));
    for (int32_t i = 0; i < s->contacts; i++)
        s->block_start[block_of_row(sim, s, sim->zm->contacts[s->contact[i]].row) + 1]++;
    for (int32_t f = 0; f < s->frictions; f++) {
        const zm_friction *is = &sim->zm->frictions[s->friction[f]];
        s->block_start[block_of_row(sim, s, is->first_row) + 1] += is->width;
    }
    if (!anew) drop_empty_blocks(sim, s);
    for (int32_t b = 0; b < s->blocks.count; b++) s->block_start[b + 1] += s->block_start[b];
    s->rows = s->block_start[s->blocks.count];
}

/* Row i of A is the next of its block. */
static int32_t number_row(const zw_sim *sim, zr_space *s, int32_t i)
{
    int32_t b = block_of_row(sim, s, i), at = s->fill[b]++;
    s->at[i] = at;
    s->row[at] = i;
    s->block_of[at] = b;
    return at;
}

/* Normals of a block come before its tangents. */
static void number_rows(const zw_sim *sim, zr_space *s)
{
    for (int32_t i = 0; i < sim->zm->m; i++) s->at[i] = -1;
    memcpy(s->fill, s->block_start, sizeof *s->fill * (size_t)s->blocks.count);
    for (int32_t i = 0; i < s->contacts; i++)
        s->is_contact[i] =
            (zg_contact){.normal = number_row(sim, s, sim->zm->contacts[s->contact[i]].row)};
    for (int32_t f = 0; f < s->frictions; f++) {
        const zm_friction *is = &sim->zm->frictions[s->friction[f]];
        int32_t first = number_row(sim, s, is->first_row);
        s->is_friction[f] = (zg_friction){.first = first, .width = is->width};
        for (int32_t j = 1; j < is->width; j++) number_row(sim, s, is->first_row + j);
    }
}

/* Multipliers of frictions whose pressure is not that of one contact. */
static void number_joints(const zw_sim *sim, zr_space *s)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    s->joints = 0;
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t k = s->friction[f];
        const zr_friction_roots *at = &laws->friction[k];
        zg_friction *is = &s->is_friction[f];
        bool simple = !at->joint && at->row_count == 1 && at->pressure < 0;
        is->contact = simple ? s->contact_at[laws->contact_of_row[at->first_row]] : -1;
        is->joint_first = s->joints;
        is->joints = simple ? 0 : laws->press_start[k + 1] - laws->press_start[k];
        for (int32_t p = 0; p < is->joints; p++) {
            s->joint_block[s->joints] = s->block_of[is->first];
            s->joint_friction[s->joints] = k;
            s->joint_row[s->joints++] = laws->press_row[laws->press_start[k] + p];
        }
    }
}

/* Coordinates of the blocks, one block behind the other. */
static void list_columns(const zw_sim *sim, zr_space *s)
{
    int32_t count = s->blocks.count, n = sim->zm->n;
    memset(s->column_start, 0, sizeof *s->column_start * (size_t)(count + 1));
    for (int32_t j = 0; j < n; j++) {
        int32_t b = s->block[find_leader(s->leader, j)];
        if (b >= 0) s->column_start[b + 1]++;
    }
    for (int32_t b = 0; b < count; b++) s->column_start[b + 1] += s->column_start[b];
    memcpy(s->fill, s->column_start, sizeof *s->fill * (size_t)count);
    for (int32_t j = 0; j < n; j++) {
        int32_t b = s->block[find_leader(s->leader, j)];
        if (b >= 0) s->column[s->fill[b]++] = j;
    }
}

/* Places in G, Z and L; how much of each there is. */
static void lay_out_blocks(zr_space *s)
{
    s->size_G = s->size_Z = s->size_L = 0;
    for (int32_t b = 0; b < s->blocks.count; b++) {
        size_t width = (size_t)(s->block_start[b + 1] - s->block_start[b]);
        s->G_at[b] = s->size_G;
        s->Z_at[b] = s->size_Z;
        s->size_G += width * width;
        s->size_Z += width * (size_t)(s->column_start[b + 1] - s->column_start[b]);
    }
    for (int32_t j = 0; j < s->joints; j++) {
        int32_t b = s->joint_block[j];
        s->L_at[j] = s->size_L;
        s->size_L += (size_t)(s->block_start[b + 1] - s->block_start[b]);
    }
    s->blocks.start = s->block_start;
    s->blocks.of = s->block_of;
    s->blocks.G = s->G_at;
    s->blocks.joint_block = s->joint_block;
    s->blocks.L = s->L_at;
}

/* ---------------------------------------------------------------------------- memory */

/* The largest of each in one block; fill and block are free. */
static zg_contact_sizes find_largest_block(zr_space *s)
{
    zg_contact_sizes most = {0};
    int32_t *count = s->fill;
    for (int32_t b = 0; b < s->blocks.count; b++) {
        int32_t width = s->block_start[b + 1] - s->block_start[b];
        if (width > most.rows) most.rows = width;
    }
    memset(count, 0, sizeof *count * (size_t)s->blocks.count);
    for (int32_t i = 0; i < s->contacts; i++) {
        int32_t now = ++count[s->block_of[s->is_contact[i].normal]];
        if (now > most.contacts) most.contacts = now;
    }
    memset(count, 0, sizeof *count * (size_t)s->blocks.count);
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t now = ++count[s->block_of[s->is_friction[f].first]];
        if (now > most.frictions) most.frictions = now;
    }
    memset(count, 0, sizeof *count * (size_t)s->blocks.count);
    for (int32_t j = 0; j < s->joints; j++) {
        int32_t now = ++count[s->joint_block[j]];
        if (now > most.joints) most.joints = now;
    }
    return most;
}

static bool fits(const zg_contact_sizes *x, const zg_contact_sizes *room)
{
    return x->rows <= room->rows && x->contacts <= room->contacts &&
           x->frictions <= room->frictions && x->joints <= room->joints;
}

static int32_t larger_of(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The solver serves all contacts at once, and blocks as large as this one and those before. */
static zw_status renew_solver(zw_sim *sim, zr_space *s, const zg_contact_sizes *now)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    zg_contact_sizes most = {
        larger_of(now->rows, s->room.rows), larger_of(now->contacts, s->room.contacts),
        larger_of(now->frictions, s->room.frictions), larger_of(now->joints, s->room.joints)};
    int32_t motors = sim->model->motors ? sim->model->motors->rows : 0;
    most.rows += motors;
    zg_contact_limits limits = {.rows = laws->contacts + laws->slips + motors,
                                .contacts = laws->contacts,
                                .frictions = laws->frictions,
                                .joints = laws->press_start[laws->frictions],
                                .block = &most};
    zg_contact_space_free(s->solver);
    s->solver = NULL;
    s->room = (zg_contact_sizes){0};
    ZB_TRY(zg_contact_space_plan(sim->memory, &limits, &s->solver));
    most.rows -= motors;
    s->room = most;
    return ZW_OK;
}

static zw_status reserve_doubles(zw_sim *sim, double **x, size_t *have, size_t want)
{
    if (want <= *have) return ZW_OK;
    size_t bytes = zb_product(want, sizeof **x);
    double *now = zb_resize(sim->memory, *x, *have * sizeof **x, bytes);
    if (!now) return sim->memory->failure;
    *x = now;
    *have = want;
    return ZW_OK;
}

static zw_status reserve_blocks(zw_sim *sim, zr_space *s, const zg_contact_sizes *most)
{
    ZB_TRY(reserve_doubles(sim, &s->G, &s->room_G, s->size_G));
    ZB_TRY(reserve_doubles(sim, &s->Z, &s->room_Z, s->size_Z));
    ZB_TRY(reserve_doubles(sim, &s->L, &s->room_L, s->size_L));
    ZB_TRY(reserve_doubles(sim, &s->response, &s->room_response, s->size_L));
    return s->solver && fits(most, &s->room) ? ZW_OK : renew_solver(sim, s, most);
}

/* All that is known of candidates without numbers of the state. */
static void number_candidates(zw_sim *sim, const bool *touching, bool anew)
{
    zr_space *s = sim->contacts->space;
    list_candidates(sim, touching);
    if (anew) join_candidates(sim);
    count_blocks(sim, s, anew);
    number_rows(sim, s);
    number_joints(sim, s);
    list_columns(sim, s);
    lay_out_blocks(s);
}

zw_status zr_choose_candidates(zw_sim *sim, const bool *touching, bool anew)
{
    zr_space *s = sim->contacts->space;
    number_candidates(sim, touching, anew);
    if (!anew) return ZW_OK;
    zg_contact_sizes most = find_largest_block(s);
    return reserve_blocks(sim, s, &most);
}

/* ------------------------------------------------------------------------ open, close */

static int32_t *take_numbers(zw_sim *sim, int32_t count)
{
    return ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)count);
}

/* What all contacts at once would need is taken where it is little. */
static zw_status reserve_little(zw_sim *sim)
{
    zr_space *s = sim->contacts->space;
    const struct zr_contact_laws *laws = sim->contacts->laws;
    for (int32_t k = 0; k < laws->contacts; k++) sim->contacts->candidate[k] = true;
    number_candidates(sim, sim->contacts->candidate, true);
    zg_contact_sizes most = find_largest_block(s);
    zg_contact_limits limits = {.rows = s->rows,
                                .contacts = s->contacts,
                                .frictions = s->frictions,
                                .joints = s->joints,
                                .block = &most};
    size_t doubles = zb_sum(zb_sum(s->size_G, s->size_Z), zb_product(2, s->size_L));
    size_t bytes = zb_sum(zb_product(doubles, sizeof(double)), zg_contact_space_bytes(&limits));
    zw_status status = bytes <= at_once ? reserve_blocks(sim, s, &most) : ZW_OK;
    s->rows = s->contacts = s->frictions = s->joints = s->blocks.count = 0;
    return status;
}

zw_status zr_open_blocks(zw_sim *sim)
{
    zr_space *s = sim->contacts->space;
    const struct zr_contact_laws *laws = sim->contacts->laws;
    int32_t most = laws->contacts + laws->slips, nodes = sim->zm->n + sim->zm->m;
    int32_t joints = laws->press_start[laws->frictions];
    s->component = take_numbers(sim, nodes);
    s->leader = take_numbers(sim, nodes);
    s->block = take_numbers(sim, nodes);
    s->fill = take_numbers(sim, most + 1);
    s->block_start = take_numbers(sim, most + 1);
    s->block_of = take_numbers(sim, most);
    s->column_start = take_numbers(sim, most + 1);
    s->column = take_numbers(sim, sim->zm->n);
    s->contact_at = take_numbers(sim, laws->contacts);
    s->joint_block = take_numbers(sim, joints);
    s->joint_row = take_numbers(sim, joints);
    s->joint_friction = take_numbers(sim, joints);
    s->G_at = ZB_NEW_ARRAY(&sim->arena, size_t, (size_t)most);
    s->Z_at = ZB_NEW_ARRAY(&sim->arena, size_t, (size_t)most);
    s->L_at = ZB_NEW_ARRAY(&sim->arena, size_t, (size_t)joints);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    join_equations(sim, s->component);
    return reserve_little(sim);
}

void zr_close_blocks(zw_sim *sim)
{
    zr_space *s = sim->contacts->space;
    zb_resize(sim->memory, s->G, s->room_G * sizeof *s->G, 0);
    zb_resize(sim->memory, s->Z, s->room_Z * sizeof *s->Z, 0);
    zb_resize(sim->memory, s->L, s->room_L * sizeof *s->L, 0);
    zb_resize(sim->memory, s->response, s->room_response * sizeof *s->response, 0);
    zg_contact_space_free(s->solver);
}
