/*
 * Long expressions of LaTeX in several lines of align*. A line may end before a + or - that stands in
 * no braces. Inside \left( ... \right) the pair is closed by \right. and opened again by \left., which
 * are not seen.
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

double zm_break_latex(zb_text *text, const char *expression, double width)
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

double zm_latex_width(const char *expression)
{
    latex_scan s = {.at = expression, .begin = expression};
    while (*s.at) pass_sign(&s);
    return s.width;
}
