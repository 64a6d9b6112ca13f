/*
 * Errors about contacts that only the derived rows show: a slip that is not linear in the velocities
 * or moves nothing (E0503), a restitution where no position keeps away from another (E0504). One
 * message for all instances of a kept family.
 */
#include "inspect.h"

enum { NAME_SIZE = 200 }; /* of a name in a message; a longer one is cut */

/* Whether an item stands for others of its shape that have been looked at. */
static bool is_seen(const zm_model *model, const zm_where *where)
{
    return where->family >= 0 && !model->families[where->family].whole && where->instance > 0;
}

/* The name of a row in buffer [NAME_SIZE]; returns buffer. */
static const char *name_row(const zm_model *model, int32_t row, char *buffer)
{
    zb_text name;
    zb_text_init_fixed(&name, buffer, NAME_SIZE);
    zm_row_text(model, row, &name);
    return buffer;
}

/* ------------------------------------------------------------------- friction */

/* Whether row `root` of a family has an entry in A. */
static bool has_entry(const zm_family *f, int32_t root)
{
    int32_t low = 0, high = f->jacobian_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (f->jacobian[middle].row < root)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->jacobian_count && f->jacobian[low].row == root;
}

/* What is wrong with the direction of a friction, NULL: nothing. */
static const char *judge_direction(const zm_model *model, const zm_friction *f)
{
    const zm_where *where = &model->constraints[f->tangent].where;
    const zm_family *rows = &model->families[where->family];
    for (int32_t k = where->root; k < where->root + where->count; k++) {
        if (!has_entry(rows, k)) return "no velocity changes";
        if (rows->kinds[k] == ZM_NONLINEAR) return "is not linear in the velocities";
    }
    return NULL;
}

static void inspect_friction(zm_builder *builder, const zm_friction *f)
{
    const zm_model *model = builder->model;
    const zm_constraint *c = &model->constraints[f->constraint];
    const char *wrong = judge_direction(model, f);
    char buffer[NAME_SIZE];
    name_row(model, c->first_row, buffer);
    if (wrong && wrong[0] == 'n')
        zl_report(builder->unit, "E0503", f->place, "write a speed, as in along x'",
                  "%s the direction of the friction on '%s'", wrong, buffer);
    else if (wrong)
        zl_report(builder->unit, "E0503", f->place, "write a speed, as in along x'",
                  "the direction of the friction on '%s' %s", buffer, wrong);
    else if (c->inequality && zm_row_kind_of(model, c->first_row) == ZM_ACCELERATION)
        zl_report(builder->unit, "E0503", f->place,
                  "it rubs where positions or velocities are held",
                  "'%s' is on accelerations and has no friction", buffer);
}

/* ---------------------------------------------------------------- restitution */

static void inspect_restitution(zm_builder *builder, const zm_restitution *r)
{
    const zm_model *model = builder->model;
    const zm_constraint *c = &model->constraints[r->constraint];
    for (int32_t k = 0; k < c->row_count; k++) {
        zm_row_kind kind = zm_row_kind_of(model, c->first_row + k);
        char buffer[NAME_SIZE];
        if (kind == ZM_HOLONOMIC) continue;
        zl_report(builder->unit, "E0504", r->place, "only what is on positions meets with a speed",
                  "'%s' is on %s and has no restitution", name_row(model, c->first_row + k, buffer),
                  kind == ZM_ACCELERATION ? "accelerations" : "velocities");
        return;
    }
}

void zm_inspect_contacts(zm_builder *builder)
{
    const zm_model *model = builder->model;
    for (int32_t k = 0; k < model->friction_count; k++)
        if (!is_seen(model, &model->constraints[model->frictions[k].tangent].where))
            inspect_friction(builder, &model->frictions[k]);
    for (int32_t k = 0; k < model->restitution_count; k++)
        if (!is_seen(model, &model->constraints[model->restitutions[k].constraint].where))
            inspect_restitution(builder, &model->restitutions[k]);
}
