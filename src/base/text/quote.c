/*
 * A source line with carets under a place:
 *
 *         energy = m*l^2*tetha'^2/2
 *                        ^~~~~
 *
 * The line is walked character by character; each has a glyph with a width in columns of the
 * terminal (utf8.h), so carets stand right under Greek letters, combining marks, wide
 * characters and escaped control characters. Tabs are copied into the caret line, so that
 * they end in the same column there whatever the terminal makes of them; an underline ends
 * before a tab. Where a width is needed a tab counts as TAB columns, the most it can be.
 *
 * Lines of more than WIDEST columns are cut to a window around the place, with "..." where
 * something is missing. All positions below are columns from 0 at the start of the line.
 */
#include <string.h>

#include "diag.h"

enum { WIDEST = 120, DOTS = 3, BEFORE = 40, TAB = 8 };

/* A walk over the characters of a line. */
typedef struct walk {
    const char *line;
    size_t length, at;
    zb_glyph glyph;   /* the character met last */
    int64_t from, to; /* its columns */
    int64_t number;   /* characters met */
} walk;

static bool is_tab(const walk *w)
{
    return w->glyph.bytes[0] == '\t';
}

/* Goes on to the next character; false at the end of the line. */
static bool next_character(walk *w)
{
    if (w->at >= w->length) return false;
    if (w->line[w->at] == '\t') {
        w->at++;
        w->glyph = (zb_glyph){.bytes = "\t", .size = 1, .width = TAB};
    } else {
        w->glyph = zb_glyph_next(w->line, w->length, &w->at);
    }
    w->from = w->to;
    w->to += w->glyph.width;
    w->number++;
    return true;
}

/* The line with number `line` as the start of a walk; false when there is none. */
static bool find_source_line(const zb_source *source, int32_t line, walk *w)
{
    const char *start = source->text, *end = start + source->length;
    for (; line > 1; line--) {
        start = memchr(start, '\n', (size_t)(end - start));
        if (!start) return false;
        start++;
    }
    const char *stop = memchr(start, '\n', (size_t)(end - start));
    if (!stop) stop = end;
    if (stop > start && stop[-1] == '\r') stop--;
    *w = (walk){.line = start, .length = (size_t)(stop - start)};
    return true;
}

/* ------------------------------------------------------------------- layout */

/* Where everything stands in the line. */
typedef struct layout {
    int64_t total;       /* columns of the line */
    int64_t caret, tail; /* columns of the caret and of the end of the underline */
    int64_t left, right; /* window of the line that is shown */
} layout;

/* Columns of the place. One behind the end of the line stands right behind it. */
static void measure_place(walk w, const zw_diagnostic *d, layout *l)
{
    int64_t first = d->column > 0 ? d->column : 1;
    int64_t last = first + (d->length > 0 ? d->length : 1) - 1;
    bool tab = false;
    l->caret = l->tail = -1;
    while (next_character(&w)) {
        if (w.number < first || w.number > last) continue;
        if (w.number == first) l->caret = l->tail = w.from;
        tab = tab || is_tab(&w);
        if (!tab) l->tail = w.to;
    }
    l->total = w.to;
    if (l->caret < 0) l->caret = l->tail = l->total;
}

/* Chooses the window: the whole line, its beginning, its end, or a piece from BEFORE columns
 * before the caret. */
static void choose_window(layout *l)
{
    l->left = 0;
    l->right = l->total;
    if (l->total <= WIDEST) return;
    l->right = WIDEST - DOTS;
    if (l->tail <= l->right || l->caret <= BEFORE) return;
    l->left = l->caret - BEFORE;
    l->right = l->left + WIDEST - 2 * DOTS;
    if (l->right < l->total) return;
    l->right = l->total;
    l->left = l->total - (WIDEST - DOTS);
}

/* ------------------------------------------------------------------ writing */

static void write_margin(zb_text *text, const layout *l, char mark)
{
    zb_text_repeat(text, ' ', 4);
    if (l->left > 0) zb_text_repeat(text, mark, DOTS);
}

static bool is_shown(const walk *w, const layout *l)
{
    return w->from >= l->left && w->to <= l->right;
}

/* The characters inside the window, with dots where the line goes on. */
static void write_source_line(walk w, const layout *l, zb_text *text)
{
    write_margin(text, l, '.');
    while (next_character(&w))
        if (is_shown(&w, l)) zb_text_bytes(text, w.glyph.bytes, w.glyph.size);
    if (l->right < l->total) zb_text_repeat(text, '.', DOTS);
    zb_text_char(text, '\n');
}

/* Spaces, and tabs where the line has them, up to the caret; then ~ as far
 * as the place and the window go. */
static void write_carets(walk w, const layout *l, zb_text *text)
{
    write_margin(text, l, ' ');
    while (next_character(&w) && w.to <= l->caret) {
        if (!is_shown(&w, l)) continue;
        if (is_tab(&w))
            zb_text_char(text, '\t');
        else
            zb_text_repeat(text, ' ', (size_t)w.glyph.width);
    }
    int64_t tail = l->tail < l->right ? l->tail : l->right;
    zb_text_char(text, '^');
    if (tail > l->caret + 1) zb_text_repeat(text, '~', (size_t)(tail - l->caret - 1));
    zb_text_char(text, '\n');
}

/* Where the column is not known the line is shown alone. */
void zb_diag_quote(const zb_source *source, const zw_diagnostic *d, zb_text *text)
{
    walk w;
    layout l;
    if (d->line <= 0 || !find_source_line(source, d->line, &w)) return;
    measure_place(w, d, &l);
    choose_window(&l);
    write_source_line(w, &l, text);
    if (d->column > 0) write_carets(w, &l, text);
}
