/*
 * Long expressions of LaTeX in several lines of align*. A line may end before a + or - that stands in
 * no braces. Inside \left( ... \right) the pair is closed by \right. and opened again by \left., which
 * are not seen. A fraction in no braces whose numerator is too wide for a line, and could be broken, is
 * written 1/D (N).
 *
 * How wide something gets is estimated: a letter, digit or sign is one, a command one, those that only
 * group or decorate nothing, and subscripts and exponents half.
 */
#include <ctype.h>
#include <string.h>

#include "sheet.h"

/* Where one is in an expression. */
typedef struct latex_scan {
    const char *at;
    int braces, pairs, small; /* open {, open \left, depth of braces that are small from there on */
    double width;
    const char *begin; /* of the expression */
} latex_scan;

/* The length of the command at a backslash, with it. */
static size_t measure_command(const char *at)
{
    size_t length = 1;
    while (isalpha((unsigned char)at[length])) length++;
    return length > 1 ? length : 2;
}

static bool is_command(const char *at, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(at, name, length) == 0;
}

/* Passes one command. */
static void pass_command(latex_scan *s)
{
    static const char *const unseen[] = {"\\dot",  "\\ddot", "\\text", "\\mathit",      "\\frac",
                                         "\\sqrt", "\\{",    "\\}",    "\\operatorname"};
    size_t length = measure_command(s->at);
    double width = s->small > 0 ? 0.6 : 1.0;
    for (size_t k = 0; k < sizeof unseen / sizeof *unseen; k++)
        if (is_command(s->at, length, unseen[k])) width = 0.0;
    if (is_command(s->at, length, "\\sin") || is_command(s->at, length, "\\cos")) width *= 3.0;
    if (is_command(s->at, length, "\\,")) width = 0.3;
    if (is_command(s->at, length, "\\left")) {
        s->pairs++;
        width = 0.0;
    }
    if (is_command(s->at, length, "\\right")) {
        s->pairs--;
        width = 0.0;
    }
    s->width += width;
    s->at += length;
}

/* Passes one character or command. */
static void pass_sign(latex_scan *s)
{
    unsigned char c = (unsigned char)*s->at;
    if (c == '\\') {
        pass_command(s);
        return;
    }
    if (c == '{') {
        s->braces++;
        bool script = s->at > s->begin && (s->at[-1] == '_' || s->at[-1] == '^');
        if (script && s->small == 0) s->small = s->braces;
    } else if (c == '}') {
        if (s->small == s->braces) s->small = 0;
        s->braces--;
    } else if (c == '+' || c == '=' || c == '-')
        s->width += 2.0;
    else if (c != ' ' && c != '_' && c != '^' && (c & 0xC0) != 0x80)
        s->width += s->small > 0 ? 0.6 : 1.0;
    s->at++;
}

/* Whether a line may end here. */
static bool may_break(const latex_scan *s, const char *begin)
{
    if (s->braces > 0 || s->at == begin || s->at[-1] != ' ') return false;
    return (s->at[0] == '+' || s->at[0] == '-') && s->at[1] == ' ';
}

/* To the next place where a line may end, or to the end. */
static latex_scan find_break(latex_scan s, const char *begin)
{
    do
        if (*s.at) pass_sign(&s);
    while (*s.at && !may_break(&s, begin));
    return s;
}

/* ---------------------------------------------------------------------- fractions */

/* The brace that closes the one at `at`. */
static const char *find_closing(const char *at)
{
    int braces = 0;
    for (; *at; at++) {
        if (*at == '\\' && at[1]) {
            at++;
            continue;
        }
        braces += (*at == '{') - (*at == '}');
        if (braces == 0) return at;
    }
    return at - 1;
}

static double measure_span(const char *from, const char *to)
{
    latex_scan s = {.at = from, .begin = from};
    while (s.at < to) pass_sign(&s);
    return s.width;
}

/* Whether a line may end somewhere in it. */
static bool has_break(const char *from, const char *to)
{
    latex_scan s = {.at = from, .begin = from};
    while (s.at < to) {
        pass_sign(&s);
        if (s.at < to && may_break(&s, from)) return true;
    }
    return false;
}

/* At a fraction: what is behind it, when it was too wide and was written in another way; else NULL. */
static const char *loosen_fraction(zb_text *out, const char *at)
{
    static const char word[] = "\\frac{";
    if (strncmp(at, word, sizeof word - 1) != 0) return NULL;
    const char *top = at + sizeof word - 2, *top_end = find_closing(top);
    const char *low = top_end + 1, *low_end = find_closing(low);
    if (*low != '{' || measure_span(top + 1, top_end) < 0.8 * ZM_LATEX_WIDTH) return NULL;
    if (!has_break(top + 1, top_end)) return NULL; /* it would only get wider */
    zb_text_add(out, "\\frac{1}");
    zb_text_bytes(out, low, (size_t)(low_end + 1 - low));
    zb_text_add(out, " \\, \\left(");
    zb_text_bytes(out, top + 1, (size_t)(top_end - top - 1));
    zb_text_add(out, "\\right)");
    return low_end + 1;
}

/* The expression with fractions that can be broken. */
static void loosen_fractions(zb_text *out, const char *expression)
{
    int braces = 0;
    for (const char *at = expression; *at;) {
        const char *behind = braces == 0 ? loosen_fraction(out, at) : NULL;
        if (behind) {
            at = behind;
            continue;
        }
        size_t length = *at == '\\' ? measure_command(at) : 1;
        braces += (*at == '{') - (*at == '}');
        zb_text_bytes(out, at, length);
        at += length;
    }
}

/* ------------------------------------------------------------------------- lines */

static double break_lines(zb_text *text, const char *expression, double width)
{
    latex_scan s = {.at = expression, .width = width, .begin = expression};
    while (*s.at) {
        const char *from = s.at;
        latex_scan next = find_break(s, expression);
        if (next.width > ZM_LATEX_WIDTH && from != expression) {
            int pairs = s.pairs;
            for (int k = 0; k < pairs; k++) zb_text_add(text, "\\right. ");
            zb_text_add(text, "\\\\\n&\\quad ");
            for (int k = 0; k < pairs; k++) zb_text_add(text, "\\left. ");
            zb_text_add(text, "{} ");
            next.width += 4.0 - s.width;
        }
        zb_text_bytes(text, from, (size_t)(next.at - from));
        s = next;
    }
    return s.width;
}

double zm_break_latex(zb_text *text, const char *expression, double width)
{
    zb_text loose;
    if (text->fixed || width + zm_latex_width(expression) <= ZM_LATEX_WIDTH)
        return break_lines(text, expression, width);
    zb_text_init(&loose, text->memory);
    loosen_fractions(&loose, expression);
    bool whole = loose.failure == ZW_OK;
    width = break_lines(text, whole ? zb_text_string(&loose) : expression, width);
    zb_text_free(&loose);
    return width;
}

double zm_latex_width(const char *expression)
{
    latex_scan s = {.at = expression, .begin = expression};
    while (*s.at) pass_sign(&s);
    return s.width;
}
