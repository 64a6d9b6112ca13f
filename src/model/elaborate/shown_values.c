/*
 * Columns in outputs: energy, kinetic, potential, rank, force(x) and control(x) mean there what they mean
 * as columns. Each is a measure, which is known when a row of the output is written. A name of the
 * model's own comes first; kinetic, potential, force and control are words of statements, which the
 * parser lets stand in an output.
 */
#include <string.h>

#include "elaborate.h"

/* The kind of a word; with brackets behind it, or alone. -1: it is none. */
static int kind_of_shown(const zm_elab *e, const zl_expr *x)
{
    static const struct {
        const char *word;
        bool call;
        zm_measure_kind kind;
    } words[] = {
        {"force", true, ZM_SHOWN_FORCE},          {"control", true, ZM_SHOWN_CONTROL},
        {"energy", false, ZM_SHOWN_ENERGY},       {"kinetic", false, ZM_SHOWN_KINETIC},
        {"potential", false, ZM_SHOWN_POTENTIAL}, {"rank", false, ZM_SHOWN_RANK},
    };
    const char *text = zl_name_text(e->unit, x->name);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (words[k].call == (x->kind == ZL_CALL) && strcmp(text, words[k].word) == 0)
            return (int)words[k].kind;
    return -1;
}

bool zm_is_shown_word(const zm_elab *e, const zl_expr *x)
{
    return kind_of_shown(e, x) >= 0;
}

/* force(r) is a vector of a vector of coordinates. */
static zm_value evaluate_shown_call(zm_elab *e, const zl_expr *x, zm_measure m)
{
    zm_value r;
    if (x->count != 1) {
        ZM_ERROR(e, "E0111", x->mark, NULL, "'%s' takes 1 argument, not %d", zm_name_of(e, x->name),
                 (int)x->count);
        return zm_broken();
    }
    if (!zm_read_targets(e, x->items[0], false, &r)) return zm_broken();
    return zm_measures_of_coordinates(e, &r, m);
}

zm_value zm_evaluate_shown(zm_elab *e, const zl_expr *x)
{
    zm_measure m = {.kind = (zm_measure_kind)kind_of_shown(e, x),
                    .constraint = -1,
                    .row = -1,
                    .coordinate = -1,
                    .place = x->place};
    if (x->kind == ZL_CALL) return evaluate_shown_call(e, x, m);
    return zm_node_value(e, zm_measure_leaf(e, &m));
}
