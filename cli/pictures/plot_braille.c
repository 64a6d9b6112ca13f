/*
 * Curves in a terminal. A character of braille is 2 dots wide and 4 high; U+2800 plus a bit for each
 * dot. Every curve has a panel of its own with its name and its range, so that nothing depends on
 * colours:
 *
 *     x[1]
 *        1.5 ┤⠑⢄
 *            │  ⠑⢄
 *         -1 ┤    ⠑⠤⠤
 *            └──────────
 *            0         10  t
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"

enum { LABEL = 11, LEAST_WIDTH = 20, LEAST_LINES = 4 };

bool plot_range(const double *x, int64_t count, double *low, double *high)
{
    bool any = false;
    for (int64_t k = 0; k < count; k++) {
        if (!isfinite(x[k])) continue;
        if (!any || x[k] < *low) *low = x[k];
        if (!any || x[k] > *high) *high = x[k];
        any = true;
    }
    if (!any) return false;
    if (*high - *low <= 1e-12 * fmax(fabs(*low), fabs(*high))) {
        double middle = *low, room = fabs(middle) > 0 ? 0.1 * fabs(middle) : 1;
        *low = middle - room;
        *high = middle + room;
    }
    return true;
}

/* The dots of a panel. */
typedef struct dots {
    unsigned char *cells; /* [columns * lines] */
    int columns, lines;
} dots;

static void set_dot(dots *d, int x, int y)
{
    static const unsigned char bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= 2 * d->columns || y >= 4 * d->lines) return;
    d->cells[y / 4 * d->columns + x / 2] |= bits[y % 4][x % 2];
}

/* A straight line of dots. */
static void set_line(dots *d, int x0, int y0, int x1, int y1)
{
    int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
    for (int k = 0; k <= steps; k++) {
        double part = steps > 0 ? (double)k / steps : 0;
        set_dot(d, x0 + (int)lround(part * (x1 - x0)), y0 + (int)lround(part * (y1 - y0)));
    }
}

/* From a number in its range to a dot. */
static int place_of(double x, double low, double high, int count)
{
    return (int)lround((x - low) / (high - low) * (count - 1));
}

static void draw_curve(dots *d, const plot *p, const double *y, const double *range)
{
    bool before = false;
    int last_x = 0, last_y = 0;
    for (int64_t k = 0; k < p->count; k++) {
        if (!isfinite(p->x[k]) || !isfinite(y[k])) {
            before = false;
            continue;
        }
        int at_x = place_of(p->x[k], range[0], range[1], 2 * d->columns);
        int at_y = 4 * d->lines - 1 - place_of(y[k], range[2], range[3], 4 * d->lines);
        if (before)
            set_line(d, last_x, last_y, at_x, at_y);
        else
            set_dot(d, at_x, at_y);
        before = true;
        last_x = at_x;
        last_y = at_y;
    }
}

/* One character in UTF-8. */
static void put_braille(unsigned char cell, FILE *out)
{
    if (cell == 0) {
        (void)fputc(' ', out);
        return;
    }
    const char bytes[3] = {(char)0xe2, (char)(0xa0 | cell >> 6), (char)(0x80 | (cell & 0x3f))};
    (void)fwrite(bytes, 1, sizeof bytes, out);
}

static void write_panel_line(const dots *d, int line, const double *range, FILE *out)
{
    bool top = line == 0, bottom = line == d->lines - 1;
    int used = d->columns;
    if (top || bottom)
        (void)fprintf(out, "%*.4g ┤", LABEL, top ? range[3] : range[2]);
    else
        (void)fprintf(out, "%*s │", LABEL, "");
    while (used > 0 && d->cells[line * d->columns + used - 1] == 0) used--;
    for (int k = 0; k < used; k++) put_braille(d->cells[line * d->columns + k], out);
    (void)fputc('\n', out);
}

static void write_axis(const plot *p, int columns, double low, double high, FILE *out)
{
    char first[32], last[32];
    (void)fprintf(out, "%*s └", LABEL, "");
    for (int k = 0; k < columns; k++) (void)fputs("─", out);
    int a = snprintf(first, sizeof first, "%.4g", low);
    int b = snprintf(last, sizeof last, "%.4g", high);
    int gap = columns - a - b > 1 ? columns - a - b : 1;
    (void)fprintf(out, "\n%*s  %s%*s%s  %s\n", LABEL, "", first, gap, "", last, p->x_name);
}

/* The name over its dots; a curve without a finite number says so. */
static void write_panel(const plot *p, const plot_curve *curve, int columns, int lines,
                        const double *x_range, FILE *out)
{
    double range[4] = {x_range[0], x_range[1]};
    dots d = {.columns = columns, .lines = lines};
    (void)fprintf(out, "%s\n", curve->name);
    d.cells = calloc((size_t)columns * (size_t)lines, 1);
    if (!d.cells || !plot_range(curve->y, p->count, &range[2], &range[3])) {
        (void)fprintf(out, "%*s no finite number\n", LABEL, "");
        free(d.cells);
        return;
    }
    draw_curve(&d, p, curve->y, range);
    for (int k = 0; k < lines; k++) write_panel_line(&d, k, range, out);
    free(d.cells);
}

void plot_write_braille(const plot *p, int columns, int lines, FILE *out)
{
    double range[2] = {0, 1};
    int width = columns - LABEL - 2 > LEAST_WIDTH ? columns - LABEL - 2 : LEAST_WIDTH;
    int height = p->curve_count > 0 ? (lines - 3) / p->curve_count - 1 : 0;
    if (height < LEAST_LINES) height = LEAST_LINES;
    (void)plot_range(p->x, p->count, &range[0], &range[1]);
    for (int32_t k = 0; k < p->curve_count; k++)
        write_panel(p, &p->curves[k], width, height, range, out);
    write_axis(p, width, range[0], range[1], out);
}
