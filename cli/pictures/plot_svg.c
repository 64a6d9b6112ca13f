/*
 * Curves as SVG, in one frame with ticks at round numbers and a legend. The colours are those of
 * Okabe and Ito, which colour-blind people tell apart; from the eighth curve on lines are dashed.
 *
 * A curve of more points than pixels is thinned: of every piece of x its lowest and highest point
 * are kept, so that no peak is lost.
 */
#include <math.h>
#include <string.h>

#include "canvas.h"
#include "plot.h"

enum { WIDTH = 640, HEIGHT = 400, LEFT = 70, RIGHT = 16, TOP = 30, BOTTOM = 46, PIECES = 1200 };

static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#e69f00", "#000000"};
enum { color_count = sizeof colors / sizeof *colors };

/* The frame: ranges, and the file. */
typedef struct frame {
    double x[2], y[2];
    double bottom; /* of the frame, in pixels */
    FILE *out;
} frame;

static double to_x(const frame *f, double x)
{
    return LEFT + (x - f->x[0]) / (f->x[1] - f->x[0]) * (WIDTH - LEFT - RIGHT);
}

static double to_y(const frame *f, double y)
{
    return f->bottom - (y - f->y[0]) / (f->y[1] - f->y[0]) * (f->bottom - TOP);
}

/* ------------------------------------------------------------------------- axes */

/* The distance of ticks: 1, 2 or 5 times a power of ten, about `count` of them. */
static double tick_distance(double low, double high, int count)
{
    double raw = (high - low) / count, power = pow(10, floor(log10(raw)));
    double times = raw / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* A tick is a multiple of the distance; what is 0 but for rounding is 0. */
static void write_ticks(const frame *f, bool along_x)
{
    const double *range = along_x ? f->x : f->y;
    double step = tick_distance(range[0], range[1], along_x ? 8 : 6);
    if (!(step > 0) || !isfinite(step)) return;
    for (double k = ceil(range[0] / step - 1e-9); k * step <= range[1] + 1e-9 * step; k++) {
        double value = k * step, x = to_x(f, value), y = to_y(f, value);
        if (along_x)
            (void)fprintf(f->out,
                          "<path d=\"M%.2f %dV%.2f\" stroke=\"#e2e8f0\"/><text x=\"%.2f\" "
                          "y=\"%.2f\" text-anchor=\"middle\">%.6g</text>\n",
                          x, TOP, f->bottom, x, f->bottom + 16, k == 0 ? 0.0 : value);
        else
            (void)fprintf(f->out,
                          "<path d=\"M%d %.2fH%d\" stroke=\"#e2e8f0\"/><text x=\"%d\" "
                          "y=\"%.2f\" text-anchor=\"end\">%.6g</text>\n",
                          LEFT, y, WIDTH - RIGHT, LEFT - 6, y + 4, k == 0 ? 0.0 : value);
    }
}

/* ----------------------------------------------------------------------- curves */

/* Adds a point to the path, with M after a gap. */
static void add_point(const frame *f, double x, double y, bool *gap)
{
    (void)fprintf(f->out, "%s%.2f %.2f", *gap ? "M" : "L", to_x(f, x), to_y(f, y));
    *gap = false;
}

/* The path of rows first .. last, by their lowest and highest. */
static void add_piece(const frame *f, const plot *p, const double *y, int64_t first, int64_t last,
                      bool *gap)
{
    int64_t low = -1, high = -1;
    for (int64_t k = first; k <= last; k++) {
        if (!isfinite(y[k]) || !isfinite(p->x[k])) continue;
        if (low < 0 || y[k] < y[low]) low = k;
        if (high < 0 || y[k] > y[high]) high = k;
    }
    if (low < 0) {
        *gap = true;
        return;
    }
    int64_t one = low < high ? low : high, two = low < high ? high : low;
    add_point(f, p->x[one], y[one], gap);
    if (two != one) add_point(f, p->x[two], y[two], gap);
}

static void write_curve(const frame *f, const plot *p, int32_t k)
{
    int64_t each = p->count > 2 * PIECES ? p->count / PIECES : 1;
    bool gap = true;
    (void)fputs("<path d=\"", f->out);
    for (int64_t i = 0; i < p->count; i += each) {
        int64_t last = i + each - 1 < p->count ? i + each - 1 : p->count - 1;
        add_piece(f, p, p->curves[k].y, i, last, &gap);
    }
    (void)fprintf(f->out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n",
                  colors[k % color_count], k >= color_count ? " stroke-dasharray=\"5 3\"" : "");
}

/* Names in lines of four below the frame. */
static void write_legend(const frame *f, const plot *p)
{
    enum { in_line = 4 };
    for (int32_t k = 0; k < p->curve_count; k++) {
        double x = LEFT + k % in_line * ((WIDTH - LEFT - RIGHT) / (double)in_line);
        int32_t line = k / in_line;
        double y = f->bottom + BOTTOM + 6 + 18.0 * line;
        (void)fprintf(f->out,
                      "<path d=\"M%.2f %.2fh18\" stroke=\"%s\" stroke-width=\"2\"%s/>"
                      "<text x=\"%.2f\" y=\"%.2f\">",
                      x, y - 4, colors[k % color_count],
                      k >= color_count ? " stroke-dasharray=\"5 3\"" : "", x + 24, y);
        canvas_write_text(f->out, p->curves[k].name);
        (void)fputs("</text>\n", f->out);
    }
}

/* The range of all curves together, with a little room. */
static void find_ranges(frame *f, const plot *p)
{
    bool any = false;
    f->x[0] = f->y[0] = 0;
    f->x[1] = f->y[1] = 1;
    (void)plot_range(p->x, p->count, &f->x[0], &f->x[1]);
    for (int32_t k = 0; k < p->curve_count; k++) {
        double low = 0, high = 0;
        if (!plot_range(p->curves[k].y, p->count, &low, &high)) continue;
        f->y[0] = any ? fmin(f->y[0], low) : low;
        f->y[1] = any ? fmax(f->y[1], high) : high;
        any = true;
    }
    double room = 0.04 * (f->y[1] - f->y[0]);
    f->y[0] -= room;
    f->y[1] += room;
}

void plot_write_svg(const plot *p, FILE *out)
{
    frame f = {.out = out, .bottom = HEIGHT - BOTTOM};
    int height = HEIGHT + 18 * ((p->curve_count + 3) / 4);
    find_ranges(&f, p);
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
                  "font-size=\"12\" fill=\"#1f2937\" role=\"img\">\n<title>",
                  WIDTH, height, WIDTH, height);
    canvas_write_text(out, p->title);
    (void)fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
    write_ticks(&f, true);
    write_ticks(&f, false);
    (void)fprintf(out,
                  "<path d=\"M%d %dH%dV%.2fH%dZ\" fill=\"none\" stroke=\"#475569\"/>"
                  "<text x=\"%d\" y=\"%.2f\" text-anchor=\"middle\">",
                  LEFT, TOP, WIDTH - RIGHT, f.bottom, LEFT, (LEFT + WIDTH - RIGHT) / 2,
                  f.bottom + 34);
    canvas_write_text(out, p->x_name);
    (void)fputs("</text>\n", out);
    for (int32_t k = 0; k < p->curve_count; k++) write_curve(&f, p, k);
    write_legend(&f, p);
    (void)fputs("</svg>\n", out);
}
