/*
 * Curves over a common axis: in a terminal by braille, one panel a curve; as SVG in one frame.
 */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct plot_curve {
    const char *name;
    const double *y; /* [count] */
} plot_curve;

typedef struct plot {
    const char *title, *x_name;
    const double *x; /* [count] */
    int64_t count;
    const plot_curve *curves; /* [curve_count] */
    int32_t curve_count;
} plot;

/* Into so many columns and lines of characters, at least a few. */
void plot_write_braille(const plot *p, int columns, int lines, FILE *out);
void plot_write_svg(const plot *p, FILE *out);

/* The range of finite numbers; false: there are none. Equal ends are moved apart. */
bool plot_range(const double *x, int64_t count, double *low, double *high);

#endif
