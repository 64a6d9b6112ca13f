/*
 * Reading JSON by jansson, strictly: UTF-8 without NUL bytes, no field twice, every number within
 * the range of double, at most 2048 levels (jansson's own limit). A byte-order mark at the start
 * is passed over.
 *
 * jansson counts in `position` the bytes it has consumed and puts the token it stumbled over into
 * its text ("... near 'NaN'"). From these two the first byte of the token follows; line and
 * column (in characters, from 1) are then counted here.
 */
#include "load_json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text, and what is wrong at which of its bytes. */
typedef struct mistake {
    const char *text;
    size_t length;
    size_t start, end; /* bytes to underline */
    const char *help;
} mistake;

/* Characters of UTF-8 in bytes [from, to): the bytes that do not continue one. */
static int32_t count_characters(const char *text, size_t from, size_t to)
{
    int32_t count = 0;
    for (size_t k = from; k < to; k++) count += ((unsigned char)text[k] & 0xc0) != 0x80;
    return count;
}

/* Line, column and length of the bytes of a mistake. */
static zw_diagnostic locate_mistake(const mistake *wrong, const char *file)
{
    zw_diagnostic place = {.file = file, .line = 1, .help = wrong->help};
    size_t line_start = 0;
    for (size_t k = 0; k < wrong->start; k++) {
        if (wrong->text[k] != '\n') continue;
        place.line++;
        line_start = k + 1;
    }
    place.column = count_characters(wrong->text, line_start, wrong->start) + 1;
    place.length = count_characters(wrong->text, wrong->start, wrong->end);
    return place;
}

/* With the text as source, so that the message shows the line. */
static void report_mistake(const mistake *wrong, const char *file, message_log *log,
                           const char *sentence)
{
    zw_diagnostic place = locate_mistake(wrong, file);
    if (log->context) (void)zw_context_add_source(log->context, file, wrong->text, wrong->length);
    message_report(log, MSG_SYNTAX, &place, "%s", sentence);
}

/* The token in jansson's text, "... near 'TOKEN'": its length, and where it starts. 0: none. */
static size_t find_quoted_token(const char *text, const char **token)
{
    const char *near = strstr(text, " near '");
    if (!near) return 0;
    *token = near + strlen(" near '");
    size_t length = strlen(*token);
    return length > 0 && (*token)[length - 1] == '\'' ? length - 1 : 0;
}

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || strchr("_.+-", c) != NULL;
}

/* Finds the token that ends at byte `end`: the one jansson quotes, or (it does not quote long
 * ones) the letters and digits before, or the one byte before. */
static void find_token(mistake *wrong, const json_error_t *error, size_t end)
{
    const char *token = NULL;
    size_t length = find_quoted_token(error->text, &token);
    wrong->start = wrong->end = end;
    if (length > 0 && length <= end && memcmp(wrong->text + end - length, token, length) == 0)
        wrong->start = end - length;
    else
        while (wrong->start > 0 && is_word_character(wrong->text[wrong->start - 1])) wrong->start--;
    if (wrong->start == end && end > 0) wrong->start--;
}

/* After the last thing that is not space: where something is missing at the end. */
static void find_text_end(mistake *wrong)
{
    size_t end = wrong->length;
    while (end > 0 && isspace((unsigned char)wrong->text[end - 1])) end--;
    wrong->start = end;
    wrong->end = end;
}

/* True when the bytes start like a NaN or an infinity of some programming language. */
static bool starts_non_number(const char *token, size_t length)
{
    static const char *const words[] = {"nan", "inf"};
    if (length > 0 && strchr("+-", *token)) token++, length--;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t j = 0;
        while (words[k][j] && j < length && tolower((unsigned char)token[j]) == words[k][j]) j++;
        if (!words[k][j]) return true;
    }
    return false;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* What to do about a token that is no JSON. */
static const char *help_for_syntax(const mistake *wrong, const json_error_t *error)
{
    const char *token = wrong->text + wrong->start;
    size_t rest = wrong->length - wrong->start, before = wrong->start;
    if (rest == 0) return NULL;
    if (starts_non_number(token, rest))
        return "JSON has no NaN and no infinity; every entry is a finite number";
    if (starts_with(error->text, "invalid token") &&
        (isdigit((unsigned char)*token) || strchr("+-.", *token)))
        return "numbers in JSON look like 0.5, -2 or 1e-3";
    while (before > 0 && isspace((unsigned char)wrong->text[before - 1])) before--;
    if (before > 0 && wrong->text[before - 1] == ',' && strchr("]}", *token))
        return "remove the comma before it";
    if (starts_with(error->text, "']' expected") || starts_with(error->text, "'}' expected"))
        return "perhaps a comma is missing before it";
    return NULL;
}

/* In jansson's own words. */
static void report_syntax(mistake *wrong, const char *file, const json_error_t *error,
                          message_log *log)
{
    char sentence[JSON_ERROR_TEXT_LENGTH + 20];
    (void)snprintf(sentence, sizeof sentence, "broken JSON: %s", error->text);
    wrong->help = help_for_syntax(wrong, error);
    report_mistake(wrong, file, log, sentence);
}

/* What is missing is shown behind the last thing that is there. */
static void report_early_end(mistake *wrong, const char *file, const json_error_t *error,
                             message_log *log)
{
    char sentence[JSON_ERROR_TEXT_LENGTH + 60] = "the text ends in the middle of the data";
    const char *expected = strstr(error->text, " expected near end of file");
    find_text_end(wrong);
    if (expected)
        (void)snprintf(sentence, sizeof sentence, "the text ends where %.*s is expected",
                       (int)(expected - error->text), error->text);
    report_mistake(wrong, file, log, sentence);
}

/* Finds the bytes of jansson's error and says in our words what is wrong there. */
static void report_json_error(mistake *wrong, const char *file, const json_error_t *error,
                              message_log *log)
{
    size_t end = error->position < 0 ? 0 : (size_t)error->position;
    find_token(wrong, error, end < wrong->length ? end : wrong->length);
    switch (json_error_code(error)) {
    case json_error_premature_end_of_input:
        report_early_end(wrong, file, error, log);
        return;
    case json_error_stack_overflow:
        wrong->help = "a problem needs three levels, a list of problems four";
        report_mistake(wrong, file, log, "the data are nested deeper than 2048 levels");
        return;
    case json_error_invalid_utf8:
        /* the byte that cannot be decoded has not been consumed */
        wrong->start = end;
        wrong->end = end + 1;
        wrong->help = "save the file as UTF-8";
        report_mistake(wrong, file, log, "this is not valid UTF-8");
        return;
    case json_error_end_of_input_expected:
        wrong->help = "several problems go into one list: [problem, problem]";
        report_mistake(wrong, file, log, "something follows the end of the data");
        return;
    case json_error_duplicate_key:
        report_mistake(wrong, file, log, "this field is given twice");
        return;
    case json_error_numeric_overflow:
        wrong->help = "the largest double is about 1.8e308";
        report_mistake(wrong, file, log, "the number is out of the range of double precision");
        return;
    case json_error_null_character:
    case json_error_null_byte_in_key:
        report_mistake(wrong, file, log, "the string contains the character \\u0000");
        return;
    default:
        report_syntax(wrong, file, error, log);
        return;
    }
}

/* What jansson would misunderstand or describe badly. True: reported. */
static bool refuse_bytes(mistake *wrong, const char *file, message_log *log)
{
    const char *nul = memchr(wrong->text, '\0', wrong->length);
    if (nul) {
        wrong->start = (size_t)(nul - wrong->text);
        wrong->end = wrong->start + 1;
        wrong->help = "save the file as UTF-8";
        report_mistake(wrong, file, log, "the text contains a NUL byte");
        return true;
    }
    if (strspn(wrong->text, " \t\r\n") == wrong->length) {
        message_report(log, MSG_SYNTAX, &(zw_diagnostic){.file = file}, "there are no data");
        return true;
    }
    return false;
}

/* jansson takes a token for which it has no memory for a wrong one: watch its memory. */
static bool memory_ran_out;

/* For jansson; remembers that it failed. */
static void *watched_malloc(size_t size)
{
    void *block = malloc(size);
    if (!block) memory_ran_out = true;
    return block;
}

/* What jansson describes badly is looked for before. */
json_t *load_json(const input *in, message_log *log)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t skipped = strncmp(in->text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
    mistake wrong = {.text = in->text + skipped, .length = in->length - skipped};
    if (refuse_bytes(&wrong, in->name, log)) return NULL;

    json_error_t error;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
    memory_ran_out = false;
    json_set_alloc_funcs(watched_malloc, free);
    json_t *tree = json_loadb(wrong.text, wrong.length, flags, &error);
    if (tree) return tree;
    if (memory_ran_out)
        message_report(log, MSG_MEMORY, &(zw_diagnostic){.file = in->name},
                       "there is not enough memory to read the data");
    else
        report_json_error(&wrong, in->name, &error, log);
    return NULL;
}
