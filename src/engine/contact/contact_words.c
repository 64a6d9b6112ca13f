/*
 * Sentences about the impacts of a run, for its remarks and for the judgement: where the energy guard
 * acted, where a rule mattered that mechanics does not give.
 */
#include "run.h"

enum { most_named = 5 };

/* "1 impact", "2 impacts" */
static void add_count(zb_text *text, int64_t count, const char *one, const char *many)
{
    zb_text_int(text, count);
    zb_text_printf(text, " %s", count == 1 ? one : many);
}

static void add_contact_name(const zw_sim *sim, int32_t k, zb_text *text)
{
    zr_text_row(sim->model, sim->zm->contacts[k].row, text);
}

static const char *name_of_law(const zw_sim *sim)
{
    return sim->zm->simulate.impact == ZM_NEWTON ? "newton" : "poisson";
}

static const char *name_of_rule(const zw_sim *sim)
{
    return sim->zm->simulate.impacts == ZM_TOGETHER ? "together" : "rounds";
}

/* The contacts whose restitution the guard has reduced. */
static void add_guarded_names(const zw_sim *sim, zb_text *text)
{
    zr_name_ranges names;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t k = 0; k < sim->contacts->laws->contacts; k++) {
        if (sim->contacts->tally[k].guarded == 0) continue;
        add_contact_name(sim, k, &names.name);
        zr_name_ranges_add(&names, "");
    }
    zr_name_ranges_list(&names, most_named, " and ", text);
    if (names.failure != ZW_OK) text->failure = names.failure;
    zr_name_ranges_free(&names);
}

void zr_text_guard(const zw_sim *sim, zb_text *text)
{
    const zr_impact_record *r = &sim->contacts->record;
    zb_text_add(text, "energy guard: ");
    add_count(text, r->guarded, "impact", "impacts");
    zb_text_add(text, " of ");
    add_guarded_names(sim, text);
    zb_text_printf(text, " by %s's law would have gained energy (up to ", name_of_law(sim));
    zr_text_digits(text, 100.0 * r->gain, 2);
    zb_text_add(text, " %); restitution reduced there");
}

/* "simultaneous impacts of `a` and `b` (4 times): the result depends on the rule `rounds`" */
void zr_text_rule(const zw_sim *sim, const zr_together *set, zb_text *text)
{
    zr_name_ranges names;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t i = 0; i < set->count && i < zr_most_together; i++) {
        add_contact_name(sim, set->contact[i], &names.name);
        zr_name_ranges_add(&names, "");
    }
    zb_text_add(text, "simultaneous impacts of ");
    zr_name_ranges_list(&names, zr_most_together, set->count > zr_most_together ? ", " : " and ",
                        text);
    if (set->count > zr_most_together)
        zb_text_printf(text, " and %d more", (int)(set->count - zr_most_together));
    zb_text_add(text, " (");
    if (set->times == 1)
        zb_text_add(text, "once");
    else
        add_count(text, set->times, "time", "times");
    zb_text_printf(text, "): the result depends on the rule `%s`", name_of_rule(sim));
    if (names.failure != ZW_OK) text->failure = names.failure;
    zr_name_ranges_free(&names);
}
