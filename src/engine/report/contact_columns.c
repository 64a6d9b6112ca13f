/*
 * Columns of what touches (contact_laws.h):
 *
 *     gap, normal, impulse   of contacts, the rows of inequalities
 *     contact                of these, and of equations with friction
 *     slip, friction         of directions of friction
 *
 * A tangent has the label of the constraint that its friction is on, which may have several: the second
 * is friction(ground, 2). Rows of inequalities and of tangents are rows of A as well: among
 * `all` a multiplier stands once, as `normal` or `friction` where it is one of these.
 */
#include "columns.h"
#include "contact_laws.h"

/* ------------------------------------------------------------------------- things */

/* How many columns of a sort there are, not how many things. */
int32_t zr_touching_count(const zw_model *model, zr_sort sort)
{
    const struct zr_contact_laws *laws = model->laws;
    if (!laws) return 0;
    return sort == ZR_OF_CONTACT ? laws->contacts : sort == ZR_OF_SITE ? laws->sites : laws->slips;
}

/* The rows of a vector constraint are numbered as written: up to the number of its last, where
 * dropped ones leave gaps. Its numbers are those of rows. */
static zr_thing thing_of_constraint(const zw_model *model, int32_t constraint)
{
    const zm_constraint *c = &model->zm->constraints[constraint];
    int32_t last = c->written && c->row_count > 0 ? c->written[c->row_count - 1] : c->row_count;
    return (zr_thing){.label = &c->label,
                      .first = c->first_row,
                      .size = c->row_count,
                      .rows = c->vector ? last : 0,
                      .written = c->written};
}

/* Of an inequality; its contacts follow each other as its rows do. */
static zr_thing thing_of_inequality(const zw_model *model, int32_t constraint)
{
    zr_thing thing = thing_of_constraint(model, constraint);
    if (thing.size > 0) thing.first = model->laws->contact_of_row[thing.first];
    return thing;
}

/* Site `contacts` + k, a number whatever its rows. */
static zr_thing thing_of_joint(const zw_model *model, int32_t site)
{
    const zm_constraint *c = &model->zm->constraints[model->laws->site_constraint[site]];
    return (zr_thing){.label = &c->label, .first = site, .size = 1};
}

static zr_thing thing_of_friction(const zw_model *model, int32_t k)
{
    zr_thing thing = thing_of_constraint(model, model->zm->frictions[k].tangent);
    thing.first = model->laws->friction[k].slip;
    thing.which = model->zm->frictions[k].number;
    return thing;
}

zr_thing zr_touching_thing(const zw_model *model, zr_sort sort, int32_t k)
{
    const struct zr_contact_laws *laws = model->laws;
    if (sort == ZR_OF_ROW) return thing_of_constraint(model, laws ? laws->plain[k] : k);
    if (sort == ZR_OF_SLIP) return thing_of_friction(model, k);
    if (k < laws->unequal_count) return thing_of_inequality(model, laws->unequal[k]);
    return thing_of_joint(model, laws->contacts + k - laws->unequal_count);
}

/* --------------------------------------------------------------------------- rows */

bool zr_is_row_shown(const zw_model *model, zr_column_kind kind, int32_t row)
{
    const struct zr_contact_laws *laws = model->laws;
    if (!laws) return true;
    if (laws->slip_of_row[row] >= 0) return false;
    return laws->contact_of_row[row] < 0 || kind != ZR_COL_MULTIPLIER;
}

int32_t zr_row_of_column(const zw_model *model, const zr_column *c)
{
    switch ((zr_column_kind)c->kind) {
    case ZR_COL_MULTIPLIER:
        return c->number;
    case ZR_COL_NORMAL:
        return model->zm->contacts[c->number].row;
    case ZR_COL_FRICTION:
        return model->laws->row_of_slip[c->number];
    default:
        return -1;
    }
}

zr_column zr_column_of_row(const zw_model *model, int32_t row)
{
    const struct zr_contact_laws *laws = model->laws;
    if (laws && laws->contact_of_row[row] >= 0)
        return (zr_column){.kind = ZR_COL_NORMAL, .number = laws->contact_of_row[row]};
    if (laws && laws->slip_of_row[row] >= 0)
        return (zr_column){.kind = ZR_COL_FRICTION, .number = laws->slip_of_row[row]};
    return (zr_column){.kind = ZR_COL_MULTIPLIER, .number = row};
}

/* ------------------------------------------------------------------------- naming */

/* slip(ground), slip(ground, 2)[1]. */
static void name_slip_column(const zm_model *zm, const char *word, int32_t row, zb_text *text)
{
    const zm_constraint *c = &zm->constraints[zm_row_constraint(zm, row)];
    zb_text_add(text, word);
    zb_text_char(text, '(');
    zm_label_text(zm, &c->label, text);
    if (c->number > 1) zb_text_printf(text, ", %d", (int)c->number);
    zb_text_char(text, ')');
    if (c->vector) zb_text_printf(text, "[%d]", (int)(row - c->first_row + 1));
}

/* gap(ground), friction(ground)[2], contact(pin). */
void zr_text_touching_column(const zw_model *model, const zr_column *c, zb_text *text)
{
    const struct zr_contact_laws *laws = model->laws;
    const zr_column_type *type = &zr_column_types[c->kind];
    if (type->sort == ZR_OF_SLIP) {
        name_slip_column(model->zm, type->word, laws->row_of_slip[c->number], text);
    } else if (c->number < laws->contacts) {
        zr_text_row_column(model->zm, type->word, model->zm->contacts[c->number].row, text);
    } else {
        zb_text_add(text, type->word);
        zb_text_char(text, '(');
        zr_text_site(model, c->number, text);
        zb_text_char(text, ')');
    }
}
