/*
 * A unit: its sources, names and messages. Names are interned: the words of the language first, so
 * that a word has the same zl_name in every unit. Strings and line tables lie in the arena; the
 * growing tables have memory of their own, which zl_unit_free gives back.
 *
 * Whatever runs out of memory jumps to the arena's escape.
 */
#include "source.h"

#include <stdio.h>
#include <string.h>

#include "words.h"

enum { SENTENCE_SIZE = 1024 };

void zl_unit_init(zl_unit *unit, zb_arena *arena, zb_diag_list *diagnostics)
{
    *unit = (zl_unit){.arena = arena, .diagnostics = diagnostics};
}

/* Strings and line tables lie in the arena and stay. */
void zl_unit_free(zl_unit *unit)
{
    zb_memory *memory = unit->arena->memory;
    zb_array_free(memory, &unit->sources);
    zb_array_free(memory, &unit->names);
    zb_array_free(memory, &unit->scratch);
    zb_table_free(memory, &unit->name_table);
}

void zl_give_up(zl_unit *unit, zw_status failure)
{
    unit->arena->failure = failure;
    if (unit->arena->escape) longjmp(*unit->arena->escape, 1);
}

/* -------------------------------------------------------------------- names */

/* A name as it stands in a text. */
typedef struct spelling {
    const char *text;
    size_t length;
} spelling;

/* For zb_table_find: pool is the unit, key a spelling, index a name. */
static bool is_spelled_so(const void *pool, const void *key, int32_t index)
{
    const zl_unit *unit = pool;
    const spelling *s = key;
    const char *name = unit->names.data[index];
    return strncmp(name, s->text, s->length) == 0 && name[s->length] == '\0';
}

/* The name of a spelling that holds no NUL, new or old. */
static zl_name intern_spelling(zl_unit *unit, spelling s)
{
    zb_memory *memory = unit->arena->memory;
    uint64_t hash = zb_hash_bytes(s.text, s.length);
    int32_t found = zb_table_find(&unit->name_table, hash, is_spelled_so, unit, &s);
    if (found >= 0) return found;

    char *copy = zb_arena_string(unit->arena, s.text, s.length);
    if (!zb_array_reserve(memory, &unit->names, 1) ||
        !zb_table_insert(memory, &unit->name_table, hash, unit->names.count))
        zl_give_up(unit, memory->failure);
    unit->names.data[unit->names.count] = copy;
    return unit->names.count++;
}

/* The words come first. That of the function `if` is the keyword's. */
static void intern_words(zl_unit *unit)
{
    while (unit->names.count < ZL_WORD_COUNT) {
        const char *text = zl_word_text((zl_word)unit->names.count);
        int32_t count = unit->names.count;
        intern_spelling(unit, (spelling){text, strlen(text)});
        if (unit->names.count > count) continue;
        if (!zb_array_push(unit->arena->memory, &unit->names, text))
            zl_give_up(unit, unit->arena->memory->failure);
    }
}

/* The words of the language must come first, whatever is interned first. */
zl_name zl_intern(zl_unit *unit, const char *text, size_t length)
{
    if (unit->names.count < ZL_WORD_COUNT) intern_words(unit);
    const char *end = memchr(text, '\0', length);
    return intern_spelling(unit, (spelling){text, end ? (size_t)(end - text) : length});
}

const char *zl_name_text(const zl_unit *unit, zl_name name)
{
    return name >= 0 && name < unit->names.count ? unit->names.data[name] : "";
}

/* ------------------------------------------------------------------ sources */

/* Where the lines begin; a source has at least one. */
static void find_lines(zl_unit *unit, zl_source *source)
{
    const char *text = source->text, *end = text + source->length;
    int32_t count = 1;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) count++;

    int32_t *lines = ZB_NEW_ARRAY(unit->arena, int32_t, count);
    int32_t line = 1;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        lines[line++] = (int32_t)(at - text) + 1;
    source->lines = lines;
    source->line_count = count;
}

/* Its text is not copied; its lines are found at once. */
int32_t zl_add_source(zl_unit *unit, const char *file, const char *text, size_t length)
{
    zb_memory *memory = unit->arena->memory;
    if (length == 0) text = ""; /* may have been NULL */
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, length -= 3;

    bool large = length > ZL_MAX_SOURCE;
    zl_source source = {.text = text, .length = large ? 0 : (int32_t)length, .given = unit->given};
    source.file = zb_arena_string(unit->arena, file, strlen(file));
    find_lines(unit, &source);
    if (!zb_array_push(memory, &unit->sources, source)) zl_give_up(unit, memory->failure);

    int32_t number = unit->sources.count - 1;
    if (large)
        zl_report(unit, zl_code_text(ZL_CODE_SOURCE), (zl_place){number, 0, 0}, NULL,
                  "a source may have %d bytes at most", ZL_MAX_SOURCE);
    return number;
}

/* More than a few bytes that no text has, and one in twenty or more: a program, an image, UTF-16.
 * In a text of another encoding they are rarer, and the lexer says where the first is. */
bool zl_check_text(zl_unit *unit, int32_t source)
{
    enum { LOOKED_AT = 1 << 16, FEW = 3, SHARE = 20 };
    const zl_source *s = &unit->sources.data[source];
    size_t length = (size_t)(s->length < LOOKED_AT ? s->length : LOOKED_AT);
    size_t wrong = 0, first = 0;
    for (size_t at = 0; at < length;) {
        size_t from = at;
        int32_t point = zb_utf8_next(s->text, length, &at);
        if (point != 0 && point != ZB_UTF8_BAD) continue;
        if (wrong++ == 0) first = from;
    }
    if (wrong <= FEW || wrong * SHARE < length) return true;
    zl_code code = s->text[first] == '\0' ? ZL_CODE_NUL : ZL_CODE_NOT_UTF8;
    zl_report(unit, zl_code_text(code), (zl_place){source, (int32_t)first, 1},
              "models are written as text and saved as UTF-8", "this is not a text file");
    return false;
}

/* The line of a byte, from 0: the last one that does not begin after it. */
static int32_t find_line_of_byte(const zl_source *source, int32_t at)
{
    int32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (source->lines[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Columns count characters, not bytes. */
void zl_locate(const zl_unit *unit, zl_place place, int32_t *line, int32_t *column)
{
    *line = *column = 0;
    if (place.source < 0 || place.source >= unit->sources.count) return;
    const zl_source *source = &unit->sources.data[place.source];
    *line = find_line_of_byte(source, place.at) + 1;
    size_t start = (size_t)source->lines[*line - 1];
    *column = zb_utf8_columns(source->text, start, (size_t)place.at) + 1;
}

/* ----------------------------------------------------------------- messages */

/* Characters of a place on its first line. */
static int32_t count_characters_on_line(const zl_source *source, zl_place place, int32_t line)
{
    int32_t end = line < source->line_count ? source->lines[line] - 1 : source->length;
    if (end > place.at && source->text[end - 1] == '\r') end--;
    if (end > place.at + place.length) end = place.at + place.length;
    return end > place.at ? zb_utf8_columns(source->text, (size_t)place.at, (size_t)end) : 0;
}

/* Fills file, line, column and length of a diagnostic, and gives the list the text to show, once
 * for a source. A place in no source leaves all as it is. */
static void fill_in_place(zl_unit *unit, zl_place place, zw_diagnostic *d)
{
    if (place.source < 0 || place.source >= unit->sources.count) return;
    zl_source *source = &unit->sources.data[place.source];
    d->file = source->file;
    zl_locate(unit, place, &d->line, &d->column);
    d->length = count_characters_on_line(source, place, d->line);
    const char *text = source->given ? source->given : source->text;
    size_t length = source->given ? strlen(source->given) : (size_t)source->length;
    if (source->given) d->line = d->column = 1;
    if (source->given) d->length = zb_utf8_columns(text, 0, length);
    if (source->shown) return;
    zw_status status = zb_diag_add_source(unit->diagnostics, source->file, text, length);
    if (status != ZW_OK) zl_give_up(unit, status);
    source->shown = true;
}

/* The most bytes, `length` or a few less, at which text [length] can be cut without cutting a
 * character in two. */
static size_t cut_at_character(const char *text, size_t length)
{
    size_t cut = length;
    while (cut > 0 && length - cut < 4 && (text[cut - 1] & 0xc0) == 0x80) cut--;
    if (cut == 0 || (text[cut - 1] & 0x80) == 0) return length;
    size_t at = cut - 1;
    return zb_utf8_next(text, length, &at) == ZB_UTF8_BAD ? cut - 1 : length;
}

static zw_severity severity_of(const char *code)
{
    return code[0] == 'E' ? ZW_ERROR : code[0] == 'W' ? ZW_WARNING : ZW_REMARK;
}

/* The help of a message about a place in a module that is reported where the model uses it: what it
 * was, and the place. Returns buffer. */
static const char *add_place_to_help(const zl_unit *unit, zl_place place, const char *help,
                                     char buffer[SENTENCE_SIZE])
{
    int32_t line, column;
    zl_locate(unit, place, &line, &column);
    int length =
        snprintf(buffer, SENTENCE_SIZE, "%s%sin %s:%d:%d", help ? help : "", help ? "; " : "",
                 unit->sources.data[place.source].file, (int)line, (int)column);
    if (length >= SENTENCE_SIZE) buffer[cut_at_character(buffer, SENTENCE_SIZE - 1)] = '\0';
    return buffer;
}

zl_place zl_model_place(const zl_unit *unit, zl_place place)
{
    bool moved =
        unit->made_by.length > 0 && place.source >= 0 && unit->sources.data[place.source].module;
    return moved ? unit->made_by : place;
}

/* Errors in a module are reported once, in the model's text, where the model uses it. */
void zl_vreport(zl_unit *unit, const char *code, zl_place place, const char *help,
                const char *format, va_list arguments)
{
    char sentence[SENTENCE_SIZE], whole_help[SENTENCE_SIZE];
    zb_diag_list *list = unit->diagnostics;
    zw_diagnostic d = {.severity = severity_of(code), .code = code, .help = help};
    if (d.severity == ZW_ERROR && unit->error_count < INT32_MAX) unit->error_count++;

    /* The first error in what a module does says most; the others follow from it. */
    zl_place shown = zl_model_place(unit, place);
    bool moved = shown.source != place.source;
    if (d.severity == ZW_ERROR && moved) {
        if (unit->blamed.length > 0 && unit->blamed.at == shown.at) return;
        unit->blamed = shown;
    }

    /* Past the limit of the list messages are only counted: no work for them. */
    if (list->limit == 0 || list->counts[d.severity] < list->limit) {
        int length = vsnprintf(sentence, sizeof sentence, format, arguments);
        if (unit->about && length >= 0 && length < SENTENCE_SIZE)
            length += snprintf(sentence + length, sizeof sentence - (size_t)length,
                               ", for the input '%s'", unit->about);
        if (length >= SENTENCE_SIZE) sentence[cut_at_character(sentence, SENTENCE_SIZE - 1)] = '\0';
        d.sentence = sentence;
        if (moved) d.help = add_place_to_help(unit, place, help, whole_help);
        fill_in_place(unit, shown, &d);
    }
    zw_status status = zb_diag_add(list, &d);
    if (status != ZW_OK) zl_give_up(unit, status);
}

void zl_report(zl_unit *unit, const char *code, zl_place place, const char *help,
               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    zl_vreport(unit, code, place, help, format, arguments);
    va_end(arguments);
}
