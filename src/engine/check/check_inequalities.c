/*
 * What `zwang check` writes of inequalities and friction (check_contacts.c), as text and as JSON: who
 * holds how many degrees of freedom, each inequality with its gap and what it does at the start, each
 * friction with its numbers, what depends on what. Of many that agree but for their gaps there is one
 * line.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "contacts.h"

enum { most_shown = 60, most_names = 12, most_sets = 40, most_values = 1000 };

/* ---------------------------------------------------------------------------- words */

static const char *kind_of_contact(const zw_sim *sim, int32_t k)
{
    zm_row_kind kind = sim->row_kind[sim->zm->contacts[k].row];
    if (kind == ZM_HOLONOMIC) return "on positions";
    return kind == ZM_ACCELERATION ? "on accelerations" : "on velocities";
}

/* What the frictions that contact k presses do: the one that moves, else one that sticks. */
static zr_grip grip_of_contact(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    int32_t row = sim->zm->contacts[k].row;
    zr_grip grip = ZR_IDLE;
    for (int32_t f = 0; f < c->laws->frictions; f++) {
        const zr_friction_roots *at = &c->laws->friction[f];
        if (row < at->first_row || row >= at->first_row + at->row_count) continue;
        if (c->mode.grip[f] == ZR_SLIDES) return ZR_SLIDES;
        if (c->mode.grip[f] == ZR_STICKS) grip = ZR_STICKS;
    }
    return grip;
}

static const char *state_of_contact(const zr_check *c, int32_t k)
{
    const zr_contact_check *x = &c->contacts;
    if (x->conflicting[k]) return "in conflict";
    if (!x->decided) return "not examined";
    if (x->approaches[k]) return "touches and approaches";
    if (c->sim->contacts->mode.touch[k] == ZR_OPEN) return "open";
    zr_grip grip = grip_of_contact(c->sim, k);
    return grip == ZR_SLIDES ? "closed, slides" : grip == ZR_STICKS ? "closed, sticks" : "closed";
}

static const char *name_of_grip(zr_grip grip)
{
    return grip == ZR_SLIDES ? "slides" : grip == ZR_STICKS ? "sticks" : "idle";
}

/* --------------------------------------------------------------- degrees of freedom */

/* The closed contacts that stick, or that do not; joints that stick belong to the former. */
static int32_t collect_closed(const zr_check *c, bool sticks, zr_name_ranges *names)
{
    const zw_sim *sim = c->sim;
    const zr_contacts *now = sim->contacts;
    int32_t count = 0;
    for (int32_t k = 0; k < now->laws->contacts; k++) {
        bool held = grip_of_contact(sim, k) == ZR_STICKS;
        if (now->mode.touch[k] == ZR_OPEN || held != sticks) continue;
        zr_text_row(sim->model, sim->zm->contacts[k].row, &names->name);
        zr_name_ranges_add(names, "");
        count++;
    }
    for (int32_t f = 0; sticks && f < now->laws->frictions; f++) {
        if (!now->laws->friction[f].joint || now->mode.grip[f] != ZR_STICKS) continue;
        zb_text_char(&names->name, '`');
        zm_constraint_text(sim->zm, sim->zm->frictions[f].constraint, &names->name);
        zb_text_char(&names->name, '`');
        zr_name_ranges_add(names, "");
        count++;
    }
    return count;
}

/* "`left`, `right` are closed" */
static void say_closed(zr_check *c, bool sticks, const char *before)
{
    static const char *const words[2][2] = {{" is closed", " are closed"}, {" sticks", " stick"}};
    zr_name_ranges names;
    zr_name_ranges_init(&names, c->sim->memory);
    int32_t count = collect_closed(c, sticks, &names);
    if (count > 0) {
        zb_text_add(&c->text, before);
        zr_name_ranges_list(&names, most_names, ", ", &c->text);
        zb_text_add(&c->text, words[sticks][count > 1]);
    }
    if (names.failure != ZW_OK) c->text.failure = names.failure;
    zr_name_ranges_free(&names);
}

/* " (1 while `left`, `right` are closed)" */
void zr_check_say_freedom(zr_check *c)
{
    const zr_contact_check *x = &c->contacts;
    if (!c->sim->contacts || !x->decided || x->held == 0) return;
    zb_text_printf(&c->text, " (%d", (int)(c->sim->zm->n - c->rank - x->held));
    size_t from = c->text.length;
    say_closed(c, false, " while ");
    say_closed(c, true, c->text.length > from ? " and " : " while ");
    zb_text_char(&c->text, ')');
}

/* ----------------------------------------------------------------------- inequalities */

/* The gap of what is open; the rate of what begins with an impact; else nothing is to be shown. */
static double shown_value(const zr_check *c, int32_t k)
{
    return c->contacts.approaches[k] ? -c->contacts.rate[k] : c->contacts.gap[k];
}

static const char *words_before_value(const zr_check *c, int32_t k)
{
    zm_row_kind kind = c->sim->row_kind[c->sim->zm->contacts[k].row];
    bool closed = c->contacts.decided && c->sim->contacts->mode.touch[k] != ZR_OPEN;
    if (kind == ZM_ACCELERATION || (closed && !c->contacts.conflicting[k])) return "";
    if (c->contacts.approaches[k]) return " at ";
    return kind == ZM_HOLONOMIC ? ", gap " : ", value ";
}

/* All but that value: what must agree for inequalities to be said as one. A line end stands where it
 * comes. */
static void describe_inequality(const zr_check *c, int32_t k, zb_text *text)
{
    const zw_sim *sim = c->sim;
    int32_t r = sim->zm->contacts[k].restitution;
    zb_text_printf(text, "%-18s%s%s\n", kind_of_contact(sim, k), state_of_contact(c, k),
                   words_before_value(c, k));
    if (c->contacts.approaches[k]) zb_text_add(text, ": an impact at the start");
    if (r < 0) return;
    zb_text_add(text, "; restitution ");
    zr_text_short(text, zr_contact_restitution(sim, k));
    if (!sim->zm->restitutions[r].has_tangential) return;
    zb_text_add(text, ", tangential ");
    zr_text_short(text, zr_contact_tangential(sim, k));
}

/* "ground[1..4]  on positions     open, gap 1 to 2; restitution 0.5" */
static void say_inequality(zr_check *c, const zr_name_ranges *ranges, int32_t k, int32_t width)
{
    const char *kind = zr_name_ranges_kind(ranges, k), *rest = strchr(kind, '\n');
    const zr_name_range *range = &ranges->list.data[k];
    if (!rest) return; /* there was no memory for it, which is told at the end */
    zb_text_add(&c->line, "  ");
    zr_name_ranges_text(ranges, k, &c->line);
    zr_pad_text(&c->line, 2, width);
    zb_text_bytes(&c->line, kind, (size_t)(rest - kind));
    if (rest > kind && rest[-1] == ' ') {
        zr_text_short(&c->line, range->least);
        if (range->most > range->least) zb_text_add(&c->line, " to ");
        if (range->most > range->least) zr_text_short(&c->line, range->most);
    }
    zb_text_add(&c->line, rest + 1);
    zr_end_paragraph(c, 6);
    zr_check_flush(c, false);
}

static int32_t widest_range(zr_check *c, const zr_name_ranges *ranges)
{
    int32_t width = 4;
    for (int32_t k = 0; k < ranges->list.count && k < most_shown; k++) {
        zr_name_ranges_text(ranges, k, &c->line);
        int32_t used = zb_utf8_columns(zb_text_string(&c->line), 0, c->line.length);
        if (used > width) width = used;
        zb_text_clear(&c->line);
    }
    return (width < 40 ? width : 40) + 2;
}

static void say_inequalities(zr_check *c)
{
    const zw_sim *sim = c->sim;
    int32_t contacts = sim->contacts->laws->contacts, more = 0;
    zr_name_ranges ranges;
    zb_text kind;
    if (contacts == 0) return;
    zb_text_init(&kind, sim->memory);
    zr_name_ranges_init(&ranges, sim->memory);
    for (int32_t k = 0; k < contacts; k++) {
        zb_text_clear(&kind);
        describe_inequality(c, k, &kind);
        if (kind.failure != ZW_OK) c->text.failure = kind.failure;
        zm_row_text(sim->zm, sim->zm->contacts[k].row, &ranges.name);
        ranges.value = shown_value(c, k);
        zr_name_ranges_add(&ranges, zb_text_string(&kind));
    }
    zb_text_add(&c->text, "\ninequalities\n");
    int32_t width = widest_range(c, &ranges);
    for (int32_t k = 0; k < ranges.list.count; k++) {
        if (k < most_shown)
            say_inequality(c, &ranges, k, width);
        else
            more += ranges.list.data[k].count;
    }
    if (more > 0) zb_text_printf(&c->text, "  and %d more\n", (int)more);
    if (ranges.failure != ZW_OK) c->text.failure = ranges.failure;
    zr_name_ranges_free(&ranges);
    zb_text_free(&kind);
}

/* ": a = 0.5·b − c" of rows that depend on each other. */
static void say_dependence(zr_check *c)
{
    const zr_findings *sets = &c->contacts.dependent;
    for (int32_t k = 0; k < sets->count && k < most_sets; k++) {
        const zr_finding *f = &sets->list[k];
        zb_text_add(&c->line, "  while they are closed ");
        zr_text_row(c->sim->model, f->row, &c->line);
        zb_text_add(&c->line, " follows from ");
        zr_text_names(c->sim->model, f, f->row, &c->line);
        zb_text_add(&c->line, ": ");
        zm_row_text(c->sim->zm, f->row, &c->line);
        zb_text_add(&c->line, " = ");
        zr_text_terms(c->sim->model, f, f->row, &c->line);
        zr_end_paragraph(c, 4);
    }
    if (sets->count > most_sets)
        zb_text_printf(&c->text, "  and %d more\n", (int)(sets->count - most_sets));
    if (sets->count > 0)
        zb_text_add(&c->text, "  the motion is unique, their shares of the load are not\n");
}

/* -------------------------------------------------------------------------- friction */

/* Coefficient, static, state, lengths: what must agree for frictions to be said as one. */
static void describe_friction(const zr_check *c, int32_t k, zb_text *text)
{
    const zw_sim *sim = c->sim;
    const zm_friction *f = &sim->zm->frictions[k];
    zb_text_add(text, "coefficient ");
    zr_text_short(text, zr_friction_mu(sim, k));
    if (f->has_static) zb_text_add(text, ", static ");
    if (f->has_static) zr_text_short(text, zr_friction_static(sim, k));
    if (f->width > 1) zb_text_printf(text, ", along %d directions", (int)f->width);
    if (c->contacts.decided)
        zb_text_printf(text, ", %s", name_of_grip((zr_grip)sim->contacts->mode.grip[k]));
    if (!isnan(c->contacts.ratio[k])) zb_text_add(text, "; slip to gap ");
    if (!isnan(c->contacts.ratio[k])) zr_text_digits(text, c->contacts.ratio[k], 3);
}

/* What friction does to its own pressure. */
static void say_feedback(zr_check *c)
{
    const zr_contact_check *x = &c->contacts;
    zb_text *text = &c->line;
    if (!(x->feedback > 1e-9)) {
        zb_text_add(&c->text, "  friction does not change its own normal force\n");
        return;
    }
    zb_text_add(text, "  friction changes its own normal force by up to ");
    zr_text_digits(text, 100.0 * x->feedback, 2);
    zb_text_add(text, " %: solved together");
    if (x->feedback >= 1.0) zb_text_add(text, "; forces may not be unique");
    zr_end_paragraph(c, 4);
    if (x->pivot_of < 0) return;
    zb_text_add(text, "  smallest pivot ");
    zr_text_digits(text, x->pivot, 2);
    zb_text_add(text, " of the frictionless at the start");
    zb_text_add(text, x->pivot > 0.0 ? ": regular" : ": where ");
    if (x->pivot <= 0.0) {
        zr_text_row(c->sim->model, c->sim->contacts->laws->friction[x->pivot_of].first_row, text);
        zb_text_add(text, " slides one way there may be no motion, or two (E0510, E0511)");
    }
    zr_end_paragraph(c, 4);
}

static void say_frictions(zr_check *c)
{
    const zw_sim *sim = c->sim;
    int32_t frictions = sim->contacts->laws->frictions, more = 0;
    zr_name_ranges ranges;
    zb_text kind;
    if (frictions == 0) return;
    zb_text_init(&kind, sim->memory);
    zr_name_ranges_init(&ranges, sim->memory);
    for (int32_t k = 0; k < frictions; k++) {
        zb_text_clear(&kind);
        describe_friction(c, k, &kind);
        if (kind.failure != ZW_OK) c->text.failure = kind.failure;
        zm_constraint_text(sim->zm, sim->zm->frictions[k].constraint, &ranges.name);
        zr_name_ranges_add(&ranges, zb_text_string(&kind));
    }
    zb_text_add(&c->text, "\nfriction\n");
    int32_t width = widest_range(c, &ranges);
    for (int32_t k = 0; k < ranges.list.count; k++) {
        if (k >= most_shown) more += ranges.list.data[k].count;
        if (k >= most_shown) continue;
        zb_text_add(&c->line, "  ");
        zr_name_ranges_text(&ranges, k, &c->line);
        zr_pad_text(&c->line, 2, width);
        zb_text_add(&c->line, zr_name_ranges_kind(&ranges, k));
        zr_end_paragraph(c, 6);
    }
    if (more > 0) zb_text_printf(&c->text, "  and %d more\n", (int)more);
    say_feedback(c);
    if (ranges.failure != ZW_OK) c->text.failure = ranges.failure;
    zr_name_ranges_free(&ranges);
    zb_text_free(&kind);
}

void zr_check_say_contacts(zr_check *c)
{
    if (!c->sim->contacts || !c->contacts.gap) return;
    say_inequalities(c);
    say_dependence(c);
    say_frictions(c);
}

/* ------------------------------------------------------------------------------ JSON */

/* What is in c->line, as a JSON string; the line is empty then. */
static void write_line_as_string(zr_check *c)
{
    if (c->line.failure != ZW_OK) c->text.failure = c->line.failure;
    zb_text_json_bytes(&c->text, zb_text_string(&c->line), c->line.length);
    zb_text_clear(&c->line);
}

static void add_json_number(zr_check *c, const char *name, double value)
{
    zb_text_printf(&c->text, ", \"%s\": ", name);
    zb_text_json_double(&c->text, value);
}

static void add_json_word(zr_check *c, const char *name, const char *word)
{
    zb_text_printf(&c->text, ", \"%s\": ", name);
    zb_text_json_string(&c->text, word);
}

/* "open", "closed", "approaches", "conflict"; null: not examined. */
static const char *json_state(const zr_check *c, int32_t k)
{
    const zr_contact_check *x = &c->contacts;
    if (x->conflicting[k]) return "conflict";
    if (!x->decided) return NULL;
    if (x->approaches[k]) return "approaches";
    return c->sim->contacts->mode.touch[k] == ZR_OPEN ? "open" : "closed";
}

static void write_inequality(zr_check *c, int32_t k)
{
    const zw_sim *sim = c->sim;
    zm_row_kind kind = sim->row_kind[sim->zm->contacts[k].row];
    bool none = kind == ZM_ACCELERATION;
    zb_text_add(&c->text, k > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
    zm_row_text(sim->zm, sim->zm->contacts[k].row, &c->line);
    write_line_as_string(c);
    add_json_word(c, "kind",
                  kind == ZM_HOLONOMIC ? "position"
                  : none               ? "acceleration"
                                       : "velocity");
    add_json_number(c, "gap", none ? (double)NAN : c->contacts.gap[k]);
    add_json_number(c, "rate", kind == ZM_HOLONOMIC ? c->contacts.rate[k] : (double)NAN);
    add_json_word(c, "state", json_state(c, k));
    zr_grip grip = c->contacts.decided ? grip_of_contact(sim, k) : ZR_IDLE;
    add_json_word(c, "friction", grip == ZR_IDLE ? NULL : name_of_grip(grip));
    add_json_number(c, "restitution", zr_contact_restitution(sim, k));
    zb_text_char(&c->text, '}');
    zr_check_flush(c, false);
}

static void write_friction(zr_check *c, int32_t k)
{
    const zw_sim *sim = c->sim;
    const zm_friction *f = &sim->zm->frictions[k];
    zb_text_add(&c->text, k > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
    zm_constraint_text(sim->zm, f->constraint, &c->line);
    write_line_as_string(c);
    add_json_number(c, "coefficient", zr_friction_mu(sim, k));
    add_json_number(c, "static", zr_friction_static(sim, k));
    zb_text_printf(&c->text, ", \"directions\": %d", (int)f->width);
    add_json_word(c, "state",
                  c->contacts.decided ? name_of_grip((zr_grip)sim->contacts->mode.grip[k]) : NULL);
    add_json_number(c, "slip_to_gap", c->contacts.ratio[k]);
    zb_text_char(&c->text, '}');
    zr_check_flush(c, false);
}

static void write_dependent_set(zr_check *c, int32_t k)
{
    const zr_finding *f = &c->contacts.dependent.list[k];
    zb_text_add(&c->text, k > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
    zm_row_text(c->sim->zm, f->row, &c->line);
    write_line_as_string(c);
    zb_text_add(&c->text, ", \"rows\": [");
    for (int32_t i = 0; i < f->count; i++) {
        zb_text_add(&c->text, i > 0 ? ", {\"name\": " : "{\"name\": ");
        zm_row_text(c->sim->zm, f->rows[i], &c->line);
        write_line_as_string(c);
        add_json_number(c, "coefficient", f->coefficients[i]);
        zb_text_char(&c->text, '}');
    }
    zb_text_add(&c->text, "]}");
}

/* At most so many entries of a list that is as long as the model. */
static int32_t cut_list(int32_t count)
{
    return count < most_values ? count : most_values;
}

void zr_check_write_contacts(zr_check *c)
{
    const zr_contact_check *x = &c->contacts;
    const struct zr_contact_laws *laws = x->gap ? c->sim->contacts->laws : NULL;
    zb_text_add(&c->text, ",\n  \"inequalities\": [");
    for (int32_t k = 0; laws && k < cut_list(laws->contacts); k++) write_inequality(c, k);
    zb_text_add(&c->text, "],\n  \"dof_closed\": ");
    if (laws && x->decided && c->ranked)
        zb_text_printf(&c->text, "%d", (int)(c->sim->zm->n - c->rank - x->held));
    else
        zb_text_add(&c->text, "null");
    zb_text_add(&c->text, ",\n  \"dependent_contacts\": [");
    for (int32_t k = 0; laws && k < cut_list(x->dependent.count); k++) write_dependent_set(c, k);
    zb_text_add(&c->text, "],\n  \"friction\": [");
    for (int32_t k = 0; laws && k < cut_list(laws->frictions); k++) write_friction(c, k);
    bool rubs = laws && laws->frictions > 0;
    zb_text_add(&c->text, "],\n  \"friction_feedback\": ");
    zb_text_json_double(&c->text, rubs ? x->feedback : (double)NAN);
    zb_text_add(&c->text, ",\n  \"friction_pivot\": ");
    zb_text_json_double(&c->text, rubs && x->pivot_of >= 0 ? x->pivot : (double)NAN);
}
