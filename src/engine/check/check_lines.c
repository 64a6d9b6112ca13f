/*
 * Lines of the text of `zwang check` (check.h): columns of a table, paragraphs wrapped at 80 columns.
 */
#include <string.h>

#include "check.h"

enum { page_width = 80 };

void zr_pad_text(zb_text *text, size_t from, int32_t width)
{
    if (text->failure != ZW_OK) return;
    int32_t used = zb_utf8_columns(zb_text_string(text), from, text->length);
    zb_text_repeat(text, ' ', used < width ? (size_t)(width - used) : 1);
}

/* Where the word at `at` ends; a lone sign belongs to the word behind it. */
static size_t find_word_end(const zb_text *line, size_t at)
{
    const char *text = zb_text_string(line);
    size_t end = at;
    while (end < line->length && text[end] != ' ') end++;
    bool sign = end - at == 1 && strchr("+-=", text[at]);
    if (end - at == strlen("−")) sign = memcmp(text + at, "−", end - at) == 0;
    if (sign && end < line->length)
        for (end++; end < line->length && text[end] != ' ';) end++;
    return end;
}

/* A word that does not fit goes to the next line with its blanks dropped. */
void zr_end_paragraph(zr_check *c, int32_t indent)
{
    const char *line = zb_text_string(&c->line);
    size_t length = c->line.length, at = 0;
    int32_t column = 0;
    while (at < length) {
        size_t word = at;
        while (word < length && line[word] == ' ') word++;
        size_t end = find_word_end(&c->line, word);
        int32_t width = zb_utf8_columns(line, at, end);
        if (column > indent && column + width > page_width) {
            zb_text_char(&c->text, '\n');
            zb_text_repeat(&c->text, ' ', (size_t)indent);
            column = indent + zb_utf8_columns(line, word, end);
            at = word;
        } else {
            column += width;
        }
        zb_text_bytes(&c->text, line + at, end - at);
        at = end;
    }
    zb_text_char(&c->text, '\n');
    if (c->line.failure != ZW_OK) c->text.failure = c->line.failure;
    zb_text_clear(&c->line);
}
