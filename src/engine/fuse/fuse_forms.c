/*
 * The forms of fused programs (compile/fused.h) that a model's contacts ask for. A mode is known by
 * the rows of A that are on and by what slides:
 *
 *     contact     open, closed
 *     friction    of a contact that is closed, or of a joint: sticks, slides
 *
 * Modes with few closed contacts come first. Where they are too many, forms that read the masks
 * follow, without friction and with it. Modes in which a friction sticks by rows that follow from
 * others have no form of their own: mostly everything is at rest then.
 */
#include <string.h>

#include "fuser.h"

enum {
    most_forms = 24,
    most_pressed = 8,              /* frictions that are pressed, in a form of its own */
    most_operations = 12000,       /* of an acceleration */
    most_masked_operations = 6000, /* of one that reads the masks: beyond it factors are faster */
};

/* The list under way. */
typedef struct form_list {
    zr_builder *b;
    zr_fused_form *forms;
    int32_t count;
    bool complete;    /* no mode was left out */
    int32_t *closed;  /* [contacts] numbers of those that are */
    int32_t *pressed; /* [frictions] numbers of those that are */
} form_list;

int64_t zr_form_limit(const zr_fused_form *form)
{
    return form->reads_masks ? most_masked_operations : most_operations;
}

/* A form in which equations alone hold. */
static zr_fused_form open_form(zr_builder *b, uint8_t rows, uint8_t frictions)
{
    const zm_model *zm = b->zm;
    zr_fused_form form = {.reads_masks = rows == ZR_FUSED_EITHER};
    if (!zm->mask) return form;
    form.row = ZB_NEW_ARRAY(b->arena, uint8_t, (size_t)zm->m);
    form.slides = ZB_NEW_ARRAY(b->arena, uint8_t, (size_t)zm->friction_count);
    for (int32_t i = 0; i < zm->m; i++) form.row[i] = zm->mask[i] < 0 ? ZR_FUSED_IS : rows;
    memset(form.slides, frictions, (size_t)zm->friction_count);
    return form;
}

static int32_t count_form_rows(const zm_model *zm, const zr_fused_form *form)
{
    int32_t count = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): models with contacts have rows */
    for (int32_t i = 0; i < zm->m; i++) count += form->row[i] == ZR_FUSED_IS ? 1 : 0;
    return count;
}

/* One mode, bits `slides` of those that are pressed; not where its rows must depend on each other. */
static void add_mode(form_list *l, int32_t closed, int32_t pressed, uint32_t slides)
{
    const zm_model *zm = l->b->zm;
    if (l->count == most_forms) {
        l->complete = false;
        return;
    }
    zb_mark mark = zb_arena_mark(l->b->arena);
    zr_fused_form form = open_form(l->b, ZR_FUSED_NOT, ZR_FUSED_NOT);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): likewise */
    for (int32_t k = 0; k < closed; k++) form.row[zm->contacts[l->closed[k]].row] = ZR_FUSED_IS;
    for (int32_t k = 0; k < pressed; k++) {
        const zm_friction *f = &zm->frictions[l->pressed[k]];
        if (slides & (1u << k))
            form.slides[l->pressed[k]] = ZR_FUSED_IS;
        else
            /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): likewise */
            memset(form.row + f->first_row, ZR_FUSED_IS, (size_t)f->width);
    }
    int32_t rows = count_form_rows(zm, &form);
    if (rows <= zm->n && zm->n + rows <= zr_most_fused)
        l->forms[l->count++] = form;
    else
        zb_arena_release(l->b->arena, mark);
}

/* Which frictions are pressed while these contacts are closed; their number. */
static int32_t list_pressed(form_list *l, int32_t closed)
{
    const zm_model *zm = l->b->zm;
    int32_t count = 0;
    for (int32_t k = 0; k < zm->friction_count; k++) {
        int32_t by = zm->frictions[k].constraint;
        bool pressed = !zm->constraints[by].inequality;
        for (int32_t c = 0; c < closed; c++)
            pressed = pressed || zm->contacts[l->closed[c]].constraint == by;
        if (pressed) l->pressed[count++] = k;
    }
    return count;
}

/* All modes with these contacts closed. */
static void add_modes_of(form_list *l, int32_t closed)
{
    int32_t pressed = list_pressed(l, closed);
    if (pressed > most_pressed) l->complete = false;
    for (uint32_t slides = 0; l->complete && slides < 1u << pressed; slides++)
        add_mode(l, closed, pressed, slides);
}

/* The next of the subsets of `closed` contacts; false: there is none. */
static bool next_subset(form_list *l, int32_t closed)
{
    int32_t contacts = l->b->zm->contact_count, k = closed - 1;
    while (k >= 0 && l->closed[k] == contacts - closed + k) k--;
    if (k < 0) return false;
    l->closed[k]++;
    for (k++; k < closed; k++) l->closed[k] = l->closed[k - 1] + 1;
    return true;
}

/* All modes, by the number of contacts that are closed. */
static void add_modes(form_list *l)
{
    for (int32_t closed = 0; closed <= l->b->zm->contact_count && l->complete; closed++) {
        for (int32_t k = 0; k < closed; k++) l->closed[k] = k;
        do add_modes_of(l, closed);
        while (l->complete && next_subset(l, closed));
    }
}

int32_t zr_list_forms(zr_builder *b, zr_fused_form **forms, bool *complete)
{
    const zm_model *zm = b->zm;
    form_list l = {.b = b, .complete = true};
    l.forms = *forms = ZB_NEW_ARRAY(&b->scratch, zr_fused_form, most_forms + 2);
    if (!zm->mask) {
        l.forms[0] = open_form(b, ZR_FUSED_IS, ZR_FUSED_NOT);
        *complete = true;
        return 1;
    }
    l.closed = ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)zm->contact_count);
    l.pressed = ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)zm->friction_count);
    add_modes(&l);
    *complete = l.complete;
    if (zm->n + zm->m > zr_most_fused) return l.count;
    l.forms[l.count++] = open_form(b, ZR_FUSED_EITHER, ZR_FUSED_NOT);
    if (zm->friction_count > 0) l.forms[l.count++] = open_form(b, ZR_FUSED_EITHER, ZR_FUSED_EITHER);
    return l.count;
}
