/*
 * What is wrong with a list of columns, said at its place: E0723 cannot be read, E0721 no such
 * name, with the nearest one there is, E0722 no such index, with the range. Distances are measured
 * once for each name of the text, whatever the number of things that have it.
 */
#include "columns.h"

#include <string.h>

enum { longest_quote = 60, most_shown = 8 };

/* ------------------------------------------------------------------------ reporting */

/* A message that is being written. */
typedef struct complaint {
    const char *code;
    int32_t at, length; /* of the list */
    zb_text sentence, help;
} complaint;

/* About `length` bytes of the list from `at` on. */
static complaint begin_complaint(const zr_search *s, const char *code, int32_t at, int32_t length)
{
    complaint c = {.code = code, .at = at, .length = length};
    zb_text_init(&c.sentence, s->columns->memory);
    zb_text_init(&c.help, s->columns->memory);
    return c;
}

static void add_list_bytes(zb_text *text, const char *from, int32_t at, int32_t length)
{
    zb_text_bytes(text, from + at, length > 0 ? (size_t)length : 0);
}

/* 'some bytes of the list', cut where they are many. */
static void add_quotation(zb_text *text, const zr_search *s, int32_t at, int32_t length)
{
    int32_t most = length;
    if (length > longest_quote) {
        most = longest_quote;
        while (most > 0 && (s->list[at + most] & 0xC0) == 0x80) most--;
    }
    zb_text_char(text, '\'');
    add_list_bytes(text, s->list, at, most);
    zb_text_add(text, most < length ? "...'" : "'");
}

/* Line, column and length in characters. */
static void locate_complaint(const zr_search *s, const complaint *c, zw_diagnostic *d)
{
    size_t begin_of_line = 0, at = (size_t)c->at;
    d->line = 1;
    for (size_t i = 0; i < at; i++) {
        if (s->written[i] != '\n') continue;
        d->line++;
        begin_of_line = i + 1;
    }
    d->column = 1 + zb_utf8_columns(s->written, begin_of_line, at);
    d->length = zb_utf8_columns(s->written, at, at + (size_t)c->length);
}

/* Adds the diagnostic and frees its texts. The list is shown as a source of its own, added with
 * the first mistake. */
static zw_status report_complaint(zr_search *s, complaint *c)
{
    zb_diag_list *list = &s->model->context->diagnostics;
    zw_status status = c->sentence.failure != ZW_OK ? c->sentence.failure : c->help.failure;
    zw_diagnostic d = {.severity = ZW_ERROR, .code = c->code, .file = "columns"};
    if (status == ZW_OK && s->wrong == 0)
        status = zb_diag_add_source(list, d.file, s->written, strlen(s->written));
    if (status == ZW_OK) {
        locate_complaint(s, c, &d);
        d.sentence = zb_text_string(&c->sentence);
        d.help = c->help.length > 0 ? zb_text_string(&c->help) : NULL;
        status = zb_diag_add(list, &d);
    }
    s->wrong++;
    zb_text_free(&c->sentence);
    zb_text_free(&c->help);
    return status;
}

/* "; did you mean '...'?": the item with one of its words replaced. */
static void add_suggestion(complaint *c, const zr_search *s, const zr_item *item,
                           const zr_name *wrong, const char *best)
{
    int32_t behind = wrong->at + wrong->length;
    zb_text_add(&c->sentence, "; did you mean '");
    add_list_bytes(&c->sentence, s->list, item->at, wrong->at - item->at);
    zb_text_add(&c->sentence, best);
    add_list_bytes(&c->sentence, s->list, behind, item->at + item->length - behind);
    zb_text_add(&c->sentence, "'?");
}

/* An empty element is a name that is missing. */
zw_status zr_explain_unreadable(zr_search *s, const zr_item *item)
{
    complaint c = begin_complaint(s, "E0723", item->at, item->length);
    if (item->length == 0) {
        zb_text_add(&c.sentence, "a name is missing between commas");
    } else {
        add_quotation(&c.sentence, s, item->at, item->length);
        zb_text_add(&c.sentence, " cannot be read as the name of a column");
    }
    zb_text_add(&c.help, "columns are written as x, r[2]', force(x) or multiplier(rod)[1], "
                         "with commas between; indices are numbers");
    return report_complaint(s, &c);
}

/* ---------------------------------------------------------------------------- names */

/* The sought word as a string of its own, and the names of the model already measured. */
typedef struct nearest_name {
    zb_suggestion suggestion;
    zb_text word;
    bool *measured; /* [names.count] */
} nearest_name;

/* Begins the search for the name nearest to a wrong one. To be closed even when it fails. */
static zw_status open_suggestion(nearest_name *n, const zr_search *s, const zr_name *wrong)
{
    zb_memory *memory = s->columns->memory;
    size_t count = (size_t)s->model->zm->unit.names.count + 1;
    *n = (nearest_name){0};
    zb_text_init(&n->word, memory);
    add_list_bytes(&n->word, s->list, wrong->at, wrong->length);
    if (n->word.failure != ZW_OK) return n->word.failure;
    zb_suggest_begin(&n->suggestion, zb_text_string(&n->word));
    n->measured = zb_resize(memory, NULL, 0, count * sizeof(bool));
    if (!n->measured) return memory->failure;
    memset(n->measured, 0, count * sizeof(bool));
    return ZW_OK;
}

static void close_suggestion(nearest_name *n, const zr_search *s)
{
    size_t count = (size_t)s->model->zm->unit.names.count + 1;
    zb_resize(s->columns->memory, n->measured, count * sizeof(bool), 0);
    zb_text_free(&n->word);
}

/* The part of a label (of this depth) at a level, the outermost being 0. */
static const zm_label *label_at_level(const zm_model *zm, const zm_label *label, int32_t depth,
                                      int32_t level)
{
    for (int32_t k = depth - 1; k > level; k--) label = &zm->parts[label->scope].label;
    return label;
}

/* How many names from the outermost part on something of these sorts has. */
static int32_t count_names_known(const zr_search *s, const zr_item *item, int sorts)
{
    int32_t best = 0, depth;
    for (int sort = ZR_OF_COORDINATE; sort <= ZR_LAST_NAMED; sort++) {
        int32_t count = sorts & 1 << sort ? zr_thing_count(s->model, (zr_sort)sort) : 0;
        for (int32_t k = 0; k < count && best < item->count; k++) {
            zr_thing thing = zr_thing_at(s->model, (zr_sort)sort, k);
            int32_t agree = zr_names_agree(s->model->zm, item, thing.label, &depth);
            if (agree > best) best = agree;
        }
    }
    return best;
}

/* Measures what stands at the level of the wrong name, below the same parts; those met first are
 * listed in `shown`. */
static void measure_names_at(const zr_search *s, const zr_item *item, int sorts, int32_t level,
                             nearest_name *n, zb_text *shown)
{
    const zm_model *zm = s->model->zm;
    int32_t depth, said = 0;
    for (int sort = ZR_OF_COORDINATE; sort <= ZR_LAST_NAMED; sort++) {
        int32_t count = sorts & 1 << sort ? zr_thing_count(s->model, (zr_sort)sort) : 0;
        for (int32_t k = 0; k < count; k++) {
            const zm_label *label = zr_thing_at(s->model, (zr_sort)sort, k).label;
            if (zr_names_agree(zm, item, label, &depth) < level || depth <= level) continue;
            zl_name name = label_at_level(zm, label, depth, level)->name;
            const char *text = zl_name_text(&zm->unit, name);
            if (n->measured[name]) continue;
            n->measured[name] = true;
            zb_suggest_add(&n->suggestion, text);
            if (said < most_shown) zb_text_add(shown, said > 0 ? ", " : "");
            if (said < most_shown) zb_text_add(shown, text);
            if (said++ == most_shown) zb_text_add(shown, ", ...");
        }
    }
}

/* Zwang's own words are candidates, too: those before brackets (call), or those that stand
 * alone. */
static void measure_column_words(nearest_name *n, bool call)
{
    for (int k = 0; k < ZR_COL_COUNT; k++) {
        const zr_column_type *type = &zr_column_types[k];
        if (type->word && (type->sort != ZR_OF_MODEL) == call)
            zb_suggest_add(&n->suggestion, type->word);
    }
    if (!call) zb_suggest_add(&n->suggestion, "all");
}

/* Is it a parameter of the model itself? */
static bool is_parameter_name(const zr_search *s, const zr_name *name)
{
    const zm_model *zm = s->model->zm;
    for (int32_t k = 0; k < zm->parameter_blocks; k++)
        if (zm->parameters[k].label.scope < 0 && zm->parameters[k].label.name == name->name)
            return true;
    return false;
}

/* The constraint of the model itself that has this name, or NULL. */
static const zm_constraint *find_constraint_named(const zr_search *s, const zr_name *name)
{
    const zm_model *zm = s->model->zm;
    for (int32_t k = 0; k < zm->constraint_count; k++)
        if (zm->constraints[k].label.scope < 0 && zm->constraints[k].label.name == name->name)
            return &zm->constraints[k];
    return NULL;
}

/* What can be had of a constraint. */
static void add_help_with_constraint(complaint *c, const zm_constraint *of)
{
    if (of->inequality)
        zb_text_add(&c->help, " is an inequality: columns of it are gap(NAME), normal(NAME), "
                              "contact(NAME) and impulse(NAME), with friction slip(NAME) and "
                              "friction(NAME)");
    else
        zb_text_add(&c->help, " is a constraint: columns of it are multiplier(NAME), "
                              "residual(NAME) and rate(NAME)");
}

/* The kinds of words in front of brackets: force, multiplier, ...; -1: none. */
static int find_call_kind(const zr_search *s, const zr_name *name)
{
    for (int k = 0; k < ZR_COL_COUNT; k++)
        if (zr_column_types[k].word && zr_column_types[k].sort != ZR_OF_MODEL &&
            zr_is_word(s->list, name, zr_column_types[k].word))
            return k;
    return -1;
}

static const char *name_sorts(int sorts)
{
    static const char *const words[ZR_SORTS] = {
        [ZR_OF_COORDINATE] = "coordinate", [ZR_OF_ROW] = "constraint",
        [ZR_OF_CONTACT] = "inequality",    [ZR_OF_SITE] = "contact",
        [ZR_OF_SLIP] = "friction on",      [ZR_OF_MOTOR] = "control by motors"};
    for (int sort = 0; sort < ZR_SORTS; sort++)
        if (sorts == 1 << sort && words[sort]) return words[sort];
    return "column";
}

/* Where no name is near: what the wrong one is instead, or names that there are (shown). */
static void add_help_with_names(complaint *c, const zr_search *s, const zr_name *wrong, int sorts,
                                const char *shown)
{
    if (is_parameter_name(s, wrong)) {
        add_quotation(&c->help, s, wrong->at, wrong->length);
        zb_text_add(&c->help, " is a parameter; an `output` of the model makes a column of it");
        return;
    }
    bool outputs_too = (sorts & 1 << ZR_OF_OUTPUT) != 0;
    bool touching = (sorts & (1 << ZR_OF_CONTACT | 1 << ZR_OF_SITE | 1 << ZR_OF_SLIP)) != 0;
    const zm_constraint *constraint = find_constraint_named(s, wrong);
    if ((outputs_too || touching) && constraint) {
        add_quotation(&c->help, s, wrong->at, wrong->length);
        add_help_with_constraint(c, constraint);
        return;
    }
    if (shown[0]) zb_text_printf(&c->help, "there is %s", shown);
    if (outputs_too && shown[0]) zb_text_add(&c->help, "; ");
    if (outputs_too)
        zb_text_add(&c->help, "an `output` of the model makes a column of any expression");
}

/* The first name of the path that nothing has, with the nearest that something has. */
static zw_status explain_unknown_name(zr_search *s, const zr_item *item, int sorts)
{
    int32_t level = count_names_known(s, item, sorts);
    const zr_name *wrong = &item->names[level < item->count ? level : item->count - 1];
    bool word = level == 0 && item->count == 1 && !item->call.length && item->primes == 0;
    complaint c = begin_complaint(s, "E0721", wrong->at, wrong->length);
    zb_text shown;
    nearest_name n;
    zb_text_init(&shown, s->columns->memory);
    zb_text_printf(&c.sentence, "there is no %s ", name_sorts(sorts));
    add_quotation(&c.sentence, s, item->names[0].at, wrong->at + wrong->length - item->names[0].at);
    zw_status status = open_suggestion(&n, s, wrong);
    if (status == ZW_OK) {
        measure_names_at(s, item, sorts, level, &n, &shown);
        if (word) measure_column_words(&n, false);
        const char *best = zb_suggest_end(&n.suggestion);
        if (best)
            add_suggestion(&c, s, item, wrong, best);
        else
            add_help_with_names(&c, s, wrong, sorts, zb_text_string(&shown));
        status = shown.failure;
    }
    close_suggestion(&n, s);
    zb_text_free(&shown);
    if (status != ZW_OK) c.sentence.failure = status;
    return report_complaint(s, &c);
}

/* `force` alone. */
static zw_status explain_missing_brackets(zr_search *s, const zr_item *item, int kind)
{
    const zr_column_type *type = &zr_column_types[kind];
    bool row = type->sort != ZR_OF_COORDINATE;
    complaint c = begin_complaint(s, "E0721", item->at, item->length);
    zb_text_printf(&c.sentence, "'%s' is of a %s, which is missing", type->word,
                   row ? "constraint" : "coordinate");
    zb_text_printf(&c.help, "write %s(NAME)", type->word);
    return report_complaint(s, &c);
}

/* With the nearest of the words that stand before brackets. */
zw_status zr_explain_call(zr_search *s, const zr_item *item)
{
    complaint c = begin_complaint(s, "E0721", item->call.at, item->call.length);
    nearest_name n;
    zb_text_add(&c.sentence, "there is no column ");
    add_quotation(&c.sentence, s, item->at, item->length);
    zw_status status = open_suggestion(&n, s, &item->call);
    if (status == ZW_OK) {
        measure_column_words(&n, true);
        const char *best = zb_suggest_end(&n.suggestion);
        if (best)
            add_suggestion(&c, s, item, &item->call, best);
        else
            zb_text_add(&c.help, "in front of brackets stand force, force_ideal, force_nonideal, "
                                 "control, actuator, impressed, multiplier, residual, rate, gap, "
                                 "normal, slip, friction, contact and impulse");
    }
    close_suggestion(&n, s);
    if (status != ZW_OK) c.sentence.failure = status;
    return report_complaint(s, &c);
}

/* ------------------------------------------------------------------------- indices */

/* Among the things that answer the names and the first `most` indices: is there one, and which
 * numbers may the index behind these be? */
typedef struct index_range {
    bool any, there;
    int32_t low, high;
} index_range;

/* Joins the numbers of another thing. */
static void widen_range(index_range *r, zr_slot slot)
{
    if (!slot.there) return;
    if (!r->there || slot.low < r->low) r->low = slot.low;
    if (!r->there || slot.high > r->high) r->high = slot.high;
    r->there = true;
}

/* What index number `most` may be, over the things of some sorts. */
static index_range find_index_range(const zr_search *s, const zr_item *item, int sorts,
                                    zr_match how, int32_t most)
{
    index_range r = {0};
    for (int sort = ZR_OF_COORDINATE; sort <= ZR_LAST_NAMED; sort++) {
        int32_t count = sorts & 1 << sort ? zr_thing_count(s->model, (zr_sort)sort) : 0;
        for (int32_t k = 0; k < count; k++) {
            zr_thing thing = zr_thing_at(s->model, (zr_sort)sort, k);
            if (!zr_matches(s->model->zm, item, &thing, how, most)) continue;
            r.any = true;
            if (most < item->index_count)
                widen_range(&r, zr_slot_of(s->model->zm, item, &thing, how, &item->indices[most]));
        }
    }
    return r;
}

/* The first index that nothing has: index number `wrong` of the item. */
static zw_status explain_bad_index(zr_search *s, const zr_item *item, int32_t wrong, index_range r)
{
    const zr_index *index = &item->indices[wrong];
    complaint c = begin_complaint(s, "E0722", index->at, index->length);
    bool inside = r.there && index->value >= r.low && index->value <= r.high;
    if (!r.there) {
        add_quotation(&c.sentence, s, item->at, item->length);
        zb_text_add(&c.sentence, " has an index too many");
        zb_text_add(&c.help, "leave it out");
    } else if (inside) {
        zb_text_add(&c.sentence, "there is no ");
        add_quotation(&c.sentence, s, item->at, item->length);
        zb_text_add(&c.help,
                    "a row that says 0 = 0 and an index that is not declared are no columns");
    } else {
        zb_text_add(&c.sentence, "index ");
        add_list_bytes(&c.sentence, s->list, index->at, index->length);
        zb_text_add(&c.sentence, " of ");
        add_quotation(&c.sentence, s, item->at, item->length);
        zb_text_printf(&c.sentence, " is out of range: it runs from %d to %d", (int)r.low,
                       (int)r.high);
    }
    return report_complaint(s, &c);
}

/* E0721: the derivative of an output, or a third one of a coordinate. */
static zw_status explain_bad_primes(zr_search *s, const zr_item *item, bool output)
{
    complaint c = begin_complaint(s, "E0721", item->at, item->length);
    add_quotation(&c.sentence, s, item->at, item->length);
    if (output) {
        zb_text_add(&c.sentence, " is the derivative of an output, which is no column");
        zb_text_add(&c.help, "write the derivative as an `output` of the model");
    } else {
        zb_text_add(&c.sentence, " has too many primes: columns go up to the acceleration, x''");
    }
    return report_complaint(s, &c);
}

/* Names and indices are right, but it is not which of several; how many there are, 0: it is something
 * else. */
static int32_t count_which(const zr_search *s, const zr_item *item, int sorts)
{
    int32_t most = 0;
    for (int sort = ZR_OF_COORDINATE; sort <= ZR_LAST_NAMED; sort++) {
        int32_t count = sorts & 1 << sort ? zr_thing_count(s->model, (zr_sort)sort) : 0;
        for (int32_t k = 0; k < count; k++) {
            zr_thing thing = zr_thing_at(s->model, (zr_sort)sort, k);
            if (thing.which > most && zr_matches(s->model->zm, item, &thing, ZR_EXACTLY, 0))
                most = thing.which;
        }
    }
    return most;
}

/* friction(ground, 3), which has two; gap(ground, 1). */
static zw_status explain_bad_which(zr_search *s, const zr_item *item, int32_t most)
{
    complaint c = begin_complaint(s, "E0722", item->which.at, item->which.length);
    add_quotation(&c.sentence, s, item->at, item->length);
    if (most == 0) {
        zb_text_add(&c.sentence, " has an index too many");
        zb_text_add(&c.help, "leave it out");
    } else {
        zb_text_printf(&c.sentence, " is not there: there %s %d friction%s on ",
                       most == 1 ? "is" : "are", (int)most, most == 1 ? "" : "s");
        add_quotation(&c.sentence, s, item->names[0].at,
                      item->names[item->count - 1].at + item->names[item->count - 1].length -
                          item->names[0].at);
    }
    return report_complaint(s, &c);
}

/* If the names are known the mistake is in primes or indices; else in the names. */
zw_status zr_explain_name(zr_search *s, const zr_item *item, int sorts)
{
    int kind = item->call.length == 0 && item->count == 1 ? find_call_kind(s, &item->names[0]) : -1;
    int32_t most = item->which.length > 0 ? count_which(s, item, sorts) : 0;
    bool known = find_index_range(s, item, sorts, ZR_EXACTLY, 0).any;
    if (known && item->which.length > 0 && (item->which.value < 1 || item->which.value > most))
        return explain_bad_which(s, item, most);
    for (int how = ZR_EXACTLY; how <= ZR_AS_PART; how++) {
        if (!find_index_range(s, item, sorts, (zr_match)how, 0).any) continue;
        if (item->primes > 2) return explain_bad_primes(s, item, false);
        int32_t good = 0; /* indices that something has */
        while (good < item->index_count &&
               find_index_range(s, item, sorts, (zr_match)how, good + 1).any)
            good++;
        if (good == item->index_count && good > 0) good--; /* a row that was dropped */
        if (item->index_count > 0)
            return explain_bad_index(s, item, good,
                                     find_index_range(s, item, sorts, (zr_match)how, good));
    }
    if (item->primes > 0 && find_index_range(s, item, 1 << ZR_OF_OUTPUT, ZR_EXACTLY, 0).any)
        return explain_bad_primes(s, item, true);
    if (kind >= 0) return explain_missing_brackets(s, item, kind);
    return explain_unknown_name(s, item, sorts);
}
