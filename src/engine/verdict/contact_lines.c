/*
 * The lines of the verdict about contacts: what has happened to each, those to which the same has in
 * one line, of too many lines those with most; the lowest gap, and how well the laws are met.
 */
#include <math.h>

#include "verdict.h"

enum { most_lines = 5 };

/* How much has happened to a contact. */
static int64_t weigh_tally(const zr_tally *x)
{
    return x->impacts + x->closings + x->openings + x->sticks + x->slips;
}

static void add_times(zb_text *text, bool *first, int64_t count, const char *one, const char *many)
{
    if (count == 0) return;
    if (!*first) zb_text_add(text, ", ");
    *first = false;
    if (count > 1) zb_text_int(text, count);
    zb_text_printf(text, count > 1 ? " %s" : "%s", count > 1 ? many : one);
}

/* What it does where the run ended, and since when. */
static void add_state(const zw_sim *sim, int32_t k, zb_text *text)
{
    const zr_tally *x = &sim->contacts->tally[k];
    bool open = sim->contacts->mode.touch[k] == ZR_OPEN, still = weigh_tally(x) == 0;
    bool sticks = sim->values[sim->zm->contacts[k].state] == 2.0;
    const char *state = open ? "open" : sticks ? "sticks" : "closed";
    zb_text_printf(text, still ? "%s throughout" : "; %s at the end", state);
    if (open || x->closings == 0) return;
    zb_text_add(text, ", since t = ");
    zr_text_short(text, x->last);
}

/* "62 impacts, closed once; closed at the end, since t = 4.06" */
static void describe_contact(const zw_sim *sim, int32_t k, zb_text *text)
{
    const zr_tally *x = &sim->contacts->tally[k];
    bool first = true;
    add_times(text, &first, x->impacts, "1 impact", "impacts");
    add_times(text, &first, x->closings, "closed once", "times closed");
    add_times(text, &first, x->openings, "opened once", "times opened");
    add_times(text, &first, x->sticks, "stuck once", "times stuck");
    add_times(text, &first, x->slips, "slipped once", "times slipped");
    add_state(sim, k, text);
}

/* All contacts, each with what has happened to it and how much that is. */
static void collect_contacts(const zw_sim *sim, zr_name_ranges *ranges)
{
    zb_text what;
    zb_text_init(&what, sim->memory);
    for (int32_t k = 0; k < sim->contacts->laws->contacts; k++) {
        zb_text_clear(&what);
        describe_contact(sim, k, &what);
        zr_text_row(sim->model, sim->zm->contacts[k].row, &ranges->name);
        ranges->value = (double)weigh_tally(&sim->contacts->tally[k]);
        if (what.failure != ZW_OK) ranges->failure = what.failure;
        zr_name_ranges_add(ranges, zb_text_string(&what));
    }
    zb_text_free(&what);
}

/* The line with most after line `after` (-1: of all) in that order; -1: none is left. */
static int32_t find_next_line(const zr_name_ranges *ranges, int32_t after)
{
    int32_t best = -1;
    double most = -1.0, limit = after >= 0 ? ranges->list.data[after].most : HUGE_VAL;
    for (int32_t k = 0; k < ranges->list.count; k++) {
        double weight = ranges->list.data[k].most;
        bool said = weight > limit || (weight == limit && k <= after);
        if (said || weight <= most) continue;
        most = weight;
        best = k;
    }
    return best;
}

/* Gap and certificate, one line. */
static void say_quality(zr_verdict *v)
{
    const zr_impact_record *r = &v->sim->contacts->record;
    bool gap = r->lowest_of >= 0, found = r->certificate > 0.0;
    if (!gap && !found) return;
    zb_text *text = zr_begin_verdict_line(v, "");
    if (gap) {
        zb_text_add(text, "lowest gap ");
        zr_text_digits(text, r->lowest, 3);
        zb_text_add(text, " (");
        zr_text_row(v->sim->model, v->sim->zm->contacts[r->lowest_of].row, text);
        zb_text_add(text, ", t = ");
        zr_text_short(text, r->lowest_t);
        zb_text_char(text, ')');
    }
    if (gap && found) zb_text_add(text, "; ");
    if (found) zb_text_add(text, "laws of contact met to ");
    if (found) zr_text_digits(text, r->certificate, 2);
}

void zr_say_contacts(zr_verdict *v)
{
    zr_name_ranges ranges;
    int32_t said = 0, contacts = 0;
    if (!v->sim->contacts || v->sim->contacts->laws->contacts == 0) return;
    zr_name_ranges_init(&ranges, v->sim->memory);
    collect_contacts(v->sim, &ranges);
    for (int32_t k = find_next_line(&ranges, -1); k >= 0 && said < most_lines; said++) {
        zb_text *text = zr_begin_verdict_line(v, said == 0 ? "contacts" : "");
        zr_name_ranges_text(&ranges, k, text);
        zb_text_printf(text, " %s", zr_name_ranges_kind(&ranges, k));
        contacts += ranges.list.data[k].count;
        k = find_next_line(&ranges, k);
    }
    if (contacts < v->sim->contacts->laws->contacts)
        zb_text_printf(zr_begin_verdict_line(v, ""), "and %d more",
                       (int)(v->sim->contacts->laws->contacts - contacts));
    if (ranges.failure != ZW_OK) v->text.failure = ranges.failure;
    zr_name_ranges_free(&ranges);
    say_quality(v);
}
