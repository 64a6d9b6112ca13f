/*
 * Messages about a name that means nothing: they suggest a name that is spelled like it, say that
 * it is defined further down, or tell those who come from another language what is written here in
 * its place.
 */
#include "elaborate.h"

#include <string.h>

/* ------------------------------------------------------------------ lists of names */

enum { MOST_NAMES = 16 };

/* Names beyond the first MOST_NAMES are shown as dots. */
const char *zm_list_names(zm_elab *e, const zl_name *names, int32_t count)
{
    const char *list = "";
    int32_t shown = count > MOST_NAMES ? MOST_NAMES : count;
    for (int32_t k = 0; k < shown; k++) {
        bool last = k + 1 == count;
        list = zm_format(e, "%s%s%s", list,
                         k == 0 ? ""
                         : last ? " and "
                                : ", ",
                         zm_name_of(e, names[k]));
    }
    return count > shown ? zm_format(e, "%s, ...", list) : list;
}

/* One name more than are shown is handed on, so that the dots appear. */
const char *zm_list_scope_names(zm_elab *e, const zm_scope *scope)
{
    zl_name names[MOST_NAMES + 1];
    int32_t count = scope->count > MOST_NAMES ? MOST_NAMES + 1 : scope->count;
    for (int32_t k = 0; k < count; k++) names[k] = scope->entries[k].name;
    return zm_list_names(e, names, count);
}

/* --------------------------------------------------------------- defined further down */

/* Whether the statement defines the name, and where. */
static bool find_definition(const zl_statement *s, zl_name name, zl_place *place)
{
    for (int32_t k = 0; k < s->definition_count; k++)
        if (s->definitions[k].name == name) return *place = s->definitions[k].place, true;
    return false;
}

static bool block_declares(const zl_block *block, int32_t from, zl_name name, bool lasting,
                           zl_place *place);

/* Whether the statement declares the name. What a loop or a choice declares for good (`lasting`)
 * are its coordinates, parameters and parts; a let of theirs is not seen outside. */
static bool statement_declares(const zl_statement *s, zl_name name, bool lasting, zl_place *place)
{
    switch ((zl_statement_kind)s->kind) {
    case ZL_PARAM:
    case ZL_INPUT:
    case ZL_COORD:
        return find_definition(s, name, place);
    case ZL_LET:
        return !lasting && find_definition(s, name, place);
    case ZL_PART:
    case ZL_COMPONENT:
        *place = s->kind == ZL_PART ? s->targets[0]->place : s->mark;
        return s->name == name;
    case ZL_FOR:
    case ZL_IF:
        return block_declares(&s->body, 0, name, true, place) ||
               block_declares(&s->otherwise, 0, name, true, place);
    default:
        return false;
    }
}

/* The same of the statements of a block from number `from` on. */
static bool block_declares(const zl_block *block, int32_t from, zl_name name, bool lasting,
                           zl_place *place)
{
    for (int32_t k = from; k < block->count; k++)
        if (statement_declares(block->statements[k], name, lasting, place)) return true;
    return false;
}

/* Whether a place begins inside another one. */
static bool place_lies_in(zl_place inner, zl_place outer)
{
    return inner.source == outer.source && inner.at >= outer.at &&
           inner.at < outer.at + outer.length;
}

/* Whether the name is used in its own definition: let e = e + 1 */
static bool defines_itself(const zl_statement *s, zl_name name, zl_place place)
{
    for (int32_t k = 0; k < s->definition_count; k++)
        if (s->definitions[k].name == name && s->definitions[k].value &&
            place_lies_in(place, s->definitions[k].value->place))
            return true;
    return false;
}

/* The help when the name is defined by the statement that is being executed or after it, in one of
 * the blocks around; else NULL. */
static const char *help_defined_later(zm_elab *e, zl_name name, zl_place place)
{
    zl_place found;
    int32_t line, column;
    for (const zm_active_block *r = e->reading.active; r; r = r->outer) {
        if (defines_itself(r->block->statements[r->at], name, place))
            return zm_format(e, "'%s' is defined by itself", zm_name_of(e, name));
        if (!block_declares(r->block, r->at, name, false, &found)) continue;
        if (found.source == place.source && found.at < place.at) continue;
        zl_locate(e->unit, found, &line, &column);
        if (found.source == place.source)
            return zm_format(e, "'%s' is defined in line %d, after its use", zm_name_of(e, name),
                             (int)line);
        return zm_format(e, "'%s' is defined in line %d of %s, after its use", zm_name_of(e, name),
                         (int)line, e->unit->sources.data[found.source].file);
    }
    return NULL;
}

/* ----------------------------------------------------------------------- velocities */

/* Letters with a dot over them. */
static const struct {
    const char *dotted, *letter;
} dotted_letters[] = {
    {"ẋ", "x"}, {"ẏ", "y"}, {"ż", "z"}, {"ṙ", "r"}, {"ṡ", "s"}, {"ȧ", "a"}, {"ḃ", "b"},
    {"ċ", "c"}, {"ḋ", "d"}, {"ė", "e"}, {"ġ", "g"}, {"ḣ", "h"}, {"ṗ", "p"}, {"ẇ", "w"},
};

/* The name written in these bytes, if it means a coordinate or a value; else NULL. */
static const char *find_known_stem(zm_elab *e, const char *text, size_t length)
{
    if (length == 0) return NULL;
    zl_name name = zl_intern(e->unit, text, length);
    const zm_symbol *entry = zm_find_name(e, name);
    bool value = entry && (entry->meaning == ZM_IS_COORDINATE || entry->meaning == ZM_IS_VALUE);
    return value ? zm_name_of(e, name) : NULL;
}

/* And has something before the end. */
static bool text_ends_with(const char *text, size_t length, const char *end)
{
    size_t size = strlen(end);
    return size < length && memcmp(text + length - size, end, size) == 0;
}

/* Of xdot, x_dot, xddot, dx, dxdt or a letter with a dot over it: the coordinate meant, and the
 * order of the derivative. NULL: it is no such name. */
static const char *find_derivative_stem(zm_elab *e, const char *text, int *order)
{
    static const struct {
        const char *before, *behind;
        int order;
    } forms[] = {{"", "_ddot", 2}, {"", "ddot", 2}, {"", "_dot", 1},   {"", "dot", 1},
                 {"d", "dt", 1},   {"d", "_dt", 1}, {"", "\u0308", 2}, {"", "\u0307", 1},
                 {"dd", "", 2},    {"d", "", 1}};
    size_t length = strlen(text);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        size_t before = strlen(forms[k].before), behind = strlen(forms[k].behind);
        if (length <= before + behind || strncmp(text, forms[k].before, before) != 0) continue;
        if (behind > 0 && !text_ends_with(text, length, forms[k].behind)) continue;
        const char *stem = find_known_stem(e, text + before, length - before - behind);
        *order = forms[k].order;
        if (stem) return stem;
    }
    *order = 1;
    for (size_t k = 0; k < sizeof dotted_letters / sizeof *dotted_letters; k++)
        if (strcmp(text, dotted_letters[k].dotted) == 0)
            return find_known_stem(e, dotted_letters[k].letter, 1);
    return NULL;
}

/* "the velocity of x is written x'", with x as in the text when it is short. */
static const char *help_velocity_of(zm_elab *e, const zl_expr *of)
{
    enum { MOST = 40 };
    const zl_source *source = &e->unit->sources.data[of->place.source];
    bool simple = of->kind == ZL_NAME || of->kind == ZL_INDEX || of->kind == ZL_MEMBER;
    if (!simple || of->place.length > MOST) return "a derivative by time is written (...)'";
    const char *text = source->text + of->place.at;
    return zm_format(e, "the velocity of %.*s is written %.*s'", (int)of->place.length, text,
                     (int)of->place.length, text);
}

/* The help for those who write der(x), xdot and the like; NULL: it is not that. */
static const char *help_time_derivative(zm_elab *e, const zl_expr *x)
{
    static const char *const calls[] = {"der", "diff", "ddt", "derivative", "deriv", "D"};
    const char *text = zm_name_of(e, x->name);
    int order;
    for (size_t k = 0; k < sizeof calls / sizeof *calls && x->kind == ZL_CALL; k++)
        if (strcmp(text, calls[k]) == 0 && x->count > 0) return help_velocity_of(e, x->items[0]);
    const char *stem = find_derivative_stem(e, text, &order);
    if (!stem) return NULL;
    return zm_format(e, "the %s of %s is written %s%s", order == 1 ? "velocity" : "acceleration",
                     stem, stem, order == 1 ? "'" : "''");
}

/* x.der, x.v, x.rate: the velocity is meant. */
const char *zm_member_help(zm_elab *e, const zl_expr *member)
{
    static const char *const words[] = {"d", "dt", "der", "diff", "v", "vel", "velocity", "rate"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(zm_name_of(e, member->name), words[k]) == 0)
            return help_velocity_of(e, member->left);
    return "only parts have names of their own";
}

/* -------------------------------------------------------------------- other languages */

/* The help for words of other languages (ln, arcsin, pow, deg, ...); NULL: it is none of them. */
static const char *help_foreign_word(const zl_expr *x, const char *text)
{
    static const struct {
        const char *word, *help;
    } words[] = {
        {"ln", "log is the natural logarithm"},
        {"log10", "log is the natural logarithm; write log(x)/log(10)"},
        {"log2", "log is the natural logarithm; write log(x)/log(2)"},
        {"π", "write pi"},
        {"Pi", "write pi"},
        {"PI", "write pi"},
        {"arcsin", "write asin"},
        {"arccos", "write acos"},
        {"arctan", "write atan"},
        {"arctan2", "write atan2"},
        {"fabs", "write abs"},
        {"pow", "write a^b"},
        {"inv", "write inverse"},
        {"sgn", "write sign"},
        {"time", "the time is t"},
    };
    if (x->kind == ZL_CALL && (strcmp(text, "lambda") == 0 || strcmp(text, "λ") == 0))
        return "the multiplier of a constraint is multiplier(NAME)";
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(text, words[k].word) == 0) return words[k].help;
    return NULL;
}

/* --------------------------------------------------------------------------- lost */

static bool is_word_sign(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (c & 0x80) != 0;
}

/* Whether a word stands in text [length]. */
static bool has_word(const char *text, int32_t length, const char *word)
{
    int32_t size = (int32_t)strlen(word);
    for (int32_t k = 0; k + size <= length; k++) {
        if (memcmp(text + k, word, (size_t)size) != 0) continue;
        bool begins = k == 0 || !is_word_sign(text[k - 1]);
        if (begins && (k + size == length || !is_word_sign(text[k + size]))) return true;
    }
    return false;
}

bool zm_is_lost(const zm_elab *e, zl_name name)
{
    const zl_unit *unit = e->unit;
    const char *word = zl_name_text(unit, name);
    if (unit->lost_more) return true;
    for (int32_t k = 0; k < unit->lost_count; k++) {
        const zl_place *at = &unit->lost[k];
        if (has_word(unit->sources.data[at->source].text + at->at, at->length, word)) return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------- all */

/* Whether the name was reported before; from now on it was. */
static bool note_complaint(zm_elab *e, zl_name name)
{
    while (e->reading.complained.count <= name) ZM_PUSH(e, reading.complained, false);
    bool before = e->reading.complained.data[name];
    e->reading.complained.data[name] = true;
    return before;
}

/* multiplier and reaction are no reserved words, but functions of the language all the same. */
static bool is_builtin_function(const char *word)
{
#define SAME_FUNCTION(symbol, text, least, most)                                                   \
    if (strcmp(word, text) == 0) return true;
    ZL_FUNCTION_LIST(SAME_FUNCTION)
#undef SAME_FUNCTION
    return false;
}

/* The name that is spelled most like the text, of those visible here and of functions; with
 * `components` among components only. NULL: none is near. */
static const char *find_nearest_name(zm_elab *e, const char *text, bool components)
{
    zb_suggestion s;
    zb_suggest_begin(&s, text);
    for (const zm_scope *scope = e->scope; scope; scope = scope->outer)
        for (int32_t i = 0; i < scope->count; i++)
            if (!components || scope->entries[i].meaning == ZM_IS_COMPONENT)
                zb_suggest_add(&s, zm_name_of(e, scope->entries[i].name));
#define SUGGEST_FUNCTION(symbol, text, least, most)                                                \
    if (!components) zb_suggest_add(&s, text);
    ZL_FUNCTION_LIST(SUGGEST_FUNCTION)
#undef SUGGEST_FUNCTION
    return zb_suggest_end(&s);
}

/* Suggests a component that is spelled like it, or says that it comes later. */
void zm_report_unknown_component(zm_elab *e, const zl_expr *call)
{
    const char *text = zm_name_of(e, call->name), *best = find_nearest_name(e, text, true);
    if (note_complaint(e, call->name) || zm_is_lost(e, call->name)) return;
    const char *later = help_defined_later(e, call->name, call->mark);
    if (best && !later)
        ZM_ERROR(e, "E0102", call->mark, NULL, "there is no component '%s'; did you mean '%s'?",
                 text, best);
    else
        ZM_ERROR(e, "E0102", call->mark, later ? later : "declare it before this line",
                 "there is no component '%s'", text);
}

/* The help where there is something better to say than a name that is spelled like it. */
static const char *find_special_help(zm_elab *e, const zl_expr *x)
{
    const char *help = help_defined_later(e, x->name, x->mark);
    if (!help) help = help_time_derivative(e, x);
    if (!help && zm_is_shown_word(e, x))
        help = "this column may stand in an output, and only there";
    return help ? help : help_foreign_word(x, zm_name_of(e, x->name));
}

/* A function without its brackets, a special help, a name spelled like it, or how to declare one;
 * in a text from outside the names that there are. */
void zm_report_unknown_name(zm_elab *e, const zl_expr *x)
{
    const char *text = zm_name_of(e, x->name);
    if (note_complaint(e, x->name) || zm_is_lost(e, x->name)) return;
    if (is_builtin_function(text)) {
        ZM_ERROR(e, "E0104", x->mark, zm_format(e, "write %s(...)", text),
                 "'%s' is a function, not a value", text);
        return;
    }
    const char *help = find_special_help(e, x),
               *best = help ? NULL : find_nearest_name(e, text, false);
    if (best) {
        ZM_ERROR(e, "E0102", x->mark, NULL, "unknown name '%s'; did you mean '%s'?", text, best);
        return;
    }
    if (!help && e->flags.outside && e->scope->count > 0)
        help = zm_format(e, "the model has %s", zm_list_scope_names(e, e->scope));
    if (!help && !e->flags.outside) help = "declare it before this line with param, coord or let";
    ZM_ERROR(e, "E0102", x->mark, help, "unknown name '%s'", text);
}
