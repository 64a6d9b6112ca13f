/*
 * The passes of contacts and frictions (contact_laws.h). An output of a pass goes to the number of the
 * contact, slip or friction it belongs to, which the items of the model say.
 */
#include "contact_laws.h"

#include <string.h>

#include "switches.h"

/* ------------------------------------------------------------------------------ gaps */

/* The contact of each root of each instance of a family, -1: none; in scratch. */
static int32_t *list_contacts_of_family(zr_builder *b, int32_t family)
{
    const zm_model *zm = b->zm;
    const zm_family *f = &zm->families[family];
    size_t all = (size_t)f->count * (size_t)f->root_count;
    int32_t *contact = ZB_NEW_ARRAY(&b->scratch, int32_t, all);
    for (size_t i = 0; i < all; i++) contact[i] = -1;
    for (int32_t c = 0; c < zm->contact_count; c++) {
        const zm_where *w = &zm->contacts[c].where;
        if (w->family == family)
            contact[(size_t)w->instance * (size_t)f->root_count + (size_t)w->root] = c;
    }
    return contact;
}

/* phi and rate of the contacts of a family. A rate of accelerations is none: its place is that of
 * phi, which is none either. */
static void add_gap_pass(zr_builder *b, int32_t family)
{
    const zm_family *f = &b->zm->families[family];
    struct zr_contact_laws *laws = b->model->laws;
    int32_t roots = f->root_count;
    zb_mark mark = zb_arena_mark(&b->scratch);
    const int32_t *contact = list_contacts_of_family(b, family);
    zx_node *nodes = ZB_NEW_ARRAY(&b->scratch, zx_node, 2 * (size_t)roots);
    for (int32_t k = 0; k < roots; k++) {
        nodes[k] = f->roots[k];
        if (f->kinds[k] == ZM_ACCELERATION) laws->accelerated = true;
        nodes[roots + k] = f->rate[k] == ZX_NONE ? f->roots[k] : f->rate[k];
    }
    zr_pass *pass = zr_add_pass(b, &laws->gaps, family, nodes, 0, 2 * roots);
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t k = 0; k < roots; k++) {
            int32_t *place = pass->place + 2 * (size_t)i * (size_t)roots;
            int32_t c = contact[(size_t)i * (size_t)roots + (size_t)k];
            place[k] = c;
            place[roots + k] = laws->contacts + c;
        }
    zb_arena_release(&b->scratch, mark);
}

/* ------------------------------------------------------------------------- frictions */

/* What each root of each instance of a family is: a slip; ~number; in scratch. */
static int32_t *list_friction_roots(zr_builder *b, int32_t family)
{
    const zm_model *zm = b->zm;
    const zm_family *f = &zm->families[family];
    const struct zr_contact_laws *laws = b->model->laws;
    int32_t *place =
        ZB_NEW_ARRAY(&b->scratch, int32_t, zb_product((size_t)f->count, (size_t)f->root_count));
    for (int32_t k = 0; k < zm->friction_count; k++) {
        const zm_where *w = &zm->frictions[k].where;
        const zr_friction_roots *at = &laws->friction[k];
        if (w->family != family) continue;
        int32_t *to = place + (size_t)w->instance * (size_t)f->root_count + (size_t)w->root;
        int32_t width = zm->frictions[k].width, next = width;
        for (int32_t j = 0; j < width; j++) to[j] = at->slip + j;
        to[next++] = laws->slips + at->mu;
        if (at->statics >= 0) to[next++] = laws->slips + at->statics;
        if (at->pressure >= 0) to[next++] = laws->slips + at->pressure;
    }
    return place;
}

/* T, V and the numbers of the frictions of a family. */
static void add_friction_pass(zr_builder *b, int32_t family)
{
    zb_mark mark = zb_arena_mark(&b->scratch);
    zr_add_row_pass(b, &b->model->laws->frictions_at, family, list_friction_roots(b, family));
    zb_arena_release(&b->scratch, mark);
}

/* Numbers of slips, coefficients and pressures, in the order of the statements. */
static void number_frictions(zr_builder *b)
{
    const zm_model *zm = b->zm;
    struct zr_contact_laws *laws = b->model->laws;
    laws->friction = ZB_NEW_ARRAY(b->arena, zr_friction_roots, (size_t)zm->friction_count);
    for (int32_t k = 0; k < zm->friction_count; k++) {
        const zm_friction *f = &zm->frictions[k];
        const zm_constraint *c = &zm->constraints[f->constraint];
        laws->friction[k] = (zr_friction_roots){
            .slip = laws->slips,
            .mu = laws->numbers,
            .statics = f->has_static ? laws->numbers + 1 : -1,
            .pressure = f->has_pressure ? laws->numbers + 1 + (f->has_static ? 1 : 0) : -1,
            .first_row = c->first_row,
            .row_count = c->row_count,
            .joint = !c->inequality,
            .sided = !c->inequality && c->row_count == 1 && !f->has_pressure};
        if (laws->friction[k].sided) laws->presses = zm->friction_count;
        laws->numbers += 1 + (f->has_static ? 1 : 0) + (f->has_pressure ? 1 : 0);
        laws->slips += f->width;
        if (f->has_pressure || c->row_count != 1 || !c->inequality) laws->nonlinear = true;
    }
}

/* Rows of A, marked between first and end. */
typedef struct marked_rows {
    bool *mark; /* [m] */
    int32_t first, end;
} marked_rows;

static void mark_rows(marked_rows *x, int32_t first, int32_t count)
{
    if (x->first == x->end) x->first = x->end = first;
    if (first < x->first) x->first = first;
    if (first + count > x->end) x->end = first + count;
    for (int32_t i = first; i < first + count; i++) x->mark[i] = true;
}

/* Those that measure k reads. */
static void mark_measured_rows(const zm_model *zm, int32_t k, marked_rows *x)
{
    const zm_measure *what = &zm->measures[k];
    if (what->kind == ZM_MULTIPLIER) {
        mark_rows(x, what->row, 1);
    } else if (what->kind == ZM_REACTION_ALL) {
        mark_rows(x, 0, zm->m);
    } else {
        const zm_constraint *c = &zm->constraints[what->constraint];
        mark_rows(x, c->first_row, c->row_count);
    }
}

/* Those whose multipliers press friction k. */
static void mark_pressing_rows(zr_builder *b, int32_t k, marked_rows *x)
{
    zm_model *zm = b->zm;
    const zm_friction *f = &zm->frictions[k];
    const zr_friction_roots *at = &b->model->laws->friction[k];
    if (at->pressure < 0) {
        mark_rows(x, at->first_row, at->row_count);
        return;
    }
    const zm_family *family = &zm->families[f->where.family];
    int32_t root = f->where.root + f->width + 1 + (f->has_static ? 1 : 0), count = 0;
    zx_node *below = zx_below(&zm->pool, &family->roots[root], 1, &count);
    for (int32_t i = 0; i < count; i++) {
        const zx_item *item = &zm->pool.items[below[i]];
        if (item->op == ZX_MEASURE)
            mark_measured_rows(zm, zm_measure_of(family, f->where.instance, item->a), x);
    }
    zb_resize(zm->pool.memory, below, (size_t)count * sizeof *below, 0);
}

/* Those that are marked, into row from `count` on, or NULL; how many there are then. None is marked
 * afterwards. */
static int32_t take_marked_rows(marked_rows *x, int32_t *row, int32_t count)
{
    for (int32_t i = x->first; i < x->end; i++) {
        if (x->mark[i] && row) row[count] = i;
        count += x->mark[i] ? 1 : 0;
        x->mark[i] = false;
    }
    x->first = x->end = 0;
    return count;
}

/* press_start, press_row. */
static void list_pressing_rows(zr_builder *b)
{
    struct zr_contact_laws *laws = b->model->laws;
    int32_t frictions = laws->frictions;
    zb_mark mark = zb_arena_mark(&b->scratch);
    marked_rows x = {.mark = ZB_NEW_ARRAY(&b->scratch, bool, (size_t)b->zm->m)};
    laws->press_start = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)frictions + 1);
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < frictions; k++) {
            mark_pressing_rows(b, k, &x);
            laws->press_start[k + 1] = take_marked_rows(&x, laws->press_row, laws->press_start[k]);
        }
        if (pass == 0)
            laws->press_row = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)laws->press_start[frictions]);
    }
    zb_arena_release(&b->scratch, mark);
}

/* -1 in all of `count`. */
static int32_t *new_numbers(zr_builder *b, int32_t count)
{
    int32_t *list = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)count);
    for (int32_t i = 0; i < count; i++) list[i] = -1;
    return list;
}

/* Which row belongs to which contact and slip. */
static void number_rows(zr_builder *b)
{
    const zm_model *zm = b->zm;
    struct zr_contact_laws *laws = b->model->laws;
    laws->contact_of_row = new_numbers(b, zm->m);
    laws->slip_of_row = new_numbers(b, zm->m);
    laws->row_of_slip = new_numbers(b, laws->slips);
    laws->friction_of_slip = new_numbers(b, laws->slips);
    laws->row_of_contact = new_numbers(b, laws->contacts);
    for (int32_t c = 0; c < zm->contact_count; c++) {
        laws->row_of_contact[c] = zm->contacts[c].row;
        laws->contact_of_row[zm->contacts[c].row] = c;
    }
    for (int32_t k = 0; k < zm->friction_count; k++)
        for (int32_t j = 0; j < zm->frictions[k].width; j++) {
            int32_t slip = laws->friction[k].slip + j, row = zm->frictions[k].first_row + j;
            laws->slip_of_row[row] = slip;
            laws->row_of_slip[slip] = row;
            laws->friction_of_slip[slip] = k;
        }
}

/* ---------------------------------------------------------------------- restitutions */

static void add_restitution_pass(zr_builder *b, int32_t family)
{
    const zm_model *zm = b->zm;
    const zm_family *f = &zm->families[family];
    struct zr_contact_laws *laws = b->model->laws;
    zr_pass *pass = zr_add_pass(b, &laws->restitutions, family, f->roots, 0, f->root_count);
    for (int32_t r = 0; r < zm->restitution_count; r++) {
        const zm_where *w = &zm->restitutions[r].where;
        if (w->family != family) continue;
        for (int32_t k = 0; k < w->count; k++)
            pass->place[(size_t)w->instance * (size_t)f->root_count + (size_t)(w->root + k)] =
                2 * r + k;
    }
}

/* What stands in the place of rows that are off, for equal parts (parts.h). */
static void write_absences(zr_builder *b)
{
    zm_model *zm = b->zm;
    struct zr_contact_laws *laws = b->model->laws;
    zx_node one = zx_number(&zm->pool, 1.0);
    laws->absence = ZB_NEW_ARRAY(b->arena, zx_node, (size_t)zm->m);
    for (int32_t i = 0; i < zm->m; i++) {
        laws->absence[i] = ZX_NONE;
        if (zm->mask[i] < 0) continue;
        zx_node mask = zx_leaf(&zm->pool, ZX_VALUE, zm->mask[i]);
        laws->absence[i] = zx_binary(&zm->pool, ZX_SUB, one, mask);
    }
}

/* ----------------------------------------------------------------------------- slots */

int32_t zr_first_friction_slot(const zw_model *model)
{
    return model->zm->value_count + zr_slot_count(model);
}

/* They are counted before laws are there. */
int32_t zr_friction_slots(const zw_model *model)
{
    int32_t count = 0;
    for (int32_t k = 0; k < model->zm->friction_count; k++)
        count += model->zm->frictions[k].width + 2;
    return count;
}

int32_t zr_first_hoisted_value(const zw_model *model)
{
    return zr_first_friction_slot(model) + zr_friction_slots(model);
}

/* ----------------------------------------------------------------------------- sites */

/* Contacts, then equations with friction in the order of their frictions. */
static void number_sites(zr_builder *b)
{
    const zm_model *zm = b->zm;
    struct zr_contact_laws *laws = b->model->laws;
    laws->sites = laws->contacts;
    laws->site_constraint = new_numbers(b, laws->contacts + laws->frictions);
    laws->site_of_friction = new_numbers(b, laws->frictions);
    for (int32_t c = 0; c < laws->contacts; c++)
        laws->site_constraint[c] = zm->contacts[c].constraint;
    for (int32_t k = 0; k < laws->frictions; k++) {
        const zm_friction *f = &zm->frictions[k];
        if (!laws->friction[k].joint) continue;
        laws->site_of_friction[k] =
            f->before >= 0 ? laws->site_of_friction[f->before] : laws->sites++;
        laws->site_constraint[laws->site_of_friction[k]] = f->constraint;
    }
}

/* Constraints by what columns can be had of them. */
static void list_constraints(zr_builder *b)
{
    const zm_model *zm = b->zm;
    struct zr_contact_laws *laws = b->model->laws;
    laws->plain = new_numbers(b, zm->constraint_count);
    laws->unequal = new_numbers(b, zm->constraint_count);
    for (int32_t k = 0; k < zm->constraint_count; k++) {
        if (!zm->constraints[k].tangent) laws->plain[laws->plain_count++] = k;
        if (zm->constraints[k].inequality) laws->unequal[laws->unequal_count++] = k;
    }
}

void zr_text_site(const zw_model *model, int32_t site, zb_text *text)
{
    const struct zr_contact_laws *laws = model->laws;
    if (site < laws->contacts)
        zm_row_text(model->zm, model->zm->contacts[site].row, text);
    else
        zm_constraint_text(model->zm, laws->site_constraint[site], text);
}

/* ----------------------------------------------------------------------------- build */

void zr_build_contacts(zr_builder *b)
{
    zm_model *zm = b->zm;
    if (zm->contact_count == 0 && zm->friction_count == 0) return;
    struct zr_contact_laws *laws = ZB_NEW(b->arena, struct zr_contact_laws);
    b->model->laws = laws;
    laws->contacts = zm->contact_count;
    laws->frictions = zm->friction_count;
    number_frictions(b);
    list_pressing_rows(b);
    number_rows(b);
    write_absences(b);
    number_sites(b);
    list_constraints(b);
    for (int32_t f = 0; f < zm->family_count; f++) {
        if (zm->families[f].kind == ZM_GAP) add_gap_pass(b, f);
        if (zm->families[f].kind == ZM_FRICTION) add_friction_pass(b, f);
        if (zm->families[f].kind == ZM_RESTITUTION) add_restitution_pass(b, f);
    }
    const int32_t *position = zr_make_pattern(b, laws->slips, zm->n, &laws->T);
    zr_resolve_places(&laws->frictions_at, zm, position);
}

void zr_free_contacts(zw_model *model)
{
    struct zr_contact_laws *laws = model->laws;
    if (!laws) return;
    zr_free_passes(&laws->gaps);
    zr_free_passes(&laws->frictions_at);
    zr_free_passes(&laws->restitutions);
}
