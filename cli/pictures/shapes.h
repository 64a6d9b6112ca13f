/*
 * The scene of a model (zw_sim_scene) at one row of columns, as marks of a canvas.
 */
#ifndef CLI_SHAPES_H
#define CLI_SHAPES_H

#include <jansson.h>
#include <stdint.h>

#include "canvas.h"

/* Rows of columns, one after another. */
typedef struct shape_rows {
    const double *rows; /* [count * width] */
    int64_t count;
    int32_t width;
} shape_rows;

/* Colours of constraint forces: two that nobody takes for each other. */
#define COLOR_IDEAL "#0072b2"
#define COLOR_NONIDEAL "#d55e00"

/* All shapes at row `at`; trails from the first row up to there. */
void shapes_draw(const json_t *scene, const shape_rows *rows, int64_t at, canvas *c);
/* The arrows of the forces at that row. */
void shapes_draw_forces(const json_t *forces, const shape_rows *rows, int64_t at, canvas *c);

#endif
