/*
 * The picture of a model: its drawings as shapes, every number of which can be computed at a state.
 *
 *     draw statements --picture.c--> shapes and numbers --zr_draw--> values
 *     names, masses, rows --spots.c--> spots, lines between them (default_picture.c)
 *     contacts --find_seats.c--> seats, as shapes behind all others (seats.c)
 *
 * A *number* of a shape is fixed (parameters only), a coordinate, or what a program of the picture
 * computes. A *spot* is a place that coordinates say: x and y, or a vector r; forces on these are
 * arrows there. Where the model draws nothing, neither itself nor through its parts, the spots and
 * the distances that constraints keep between them are drawn.
 *
 * A picture belongs to columns (report/columns.h); it is made only where they ask for it.
 */
#ifndef ZR_PICTURE_H
#define ZR_PICTURE_H

#include <setjmp.h>

#include "sim.h"

/* Of the numbers that a picture does not compute: a constant, or coordinate `coordinate`. */
typedef struct zr_number {
    int32_t at;         /* among values; -1: not computed */
    int32_t coordinate; /* that it is; -1: none */
    bool fixed;         /* no state changes it */
    bool solved;        /* accelerations or reactions stand in it */
    double constant;    /* where it is neither computed nor a coordinate */
} zr_number;

typedef struct zr_shape {
    zl_shape kind;
    int32_t points, dimension;
    int32_t first, count;     /* numbers */
    const char *text, *color; /* or NULL */
    double width;             /* 0: not said */
    int32_t part;             /* that draws it; -1: the model */
    int32_t row;              /* of the constraint that is drawn; -1: none */
} zr_shape;

/* A place that coordinates say, 2 or 3 of them. */
typedef struct zr_spot {
    int32_t coordinate[3];
    int32_t dimension;
    int32_t block; /* of its first coordinate */
} zr_spot;

/* A drawn point, by its first number; of a box in the plane a corner: bit 0 its side along x, bit 1
 * along y; of a ball its middle. */
typedef struct zr_seat_spot {
    int32_t first, dimension;
    int32_t corner; /* -1: the point itself */
    int32_t radius; /* a number; -1: none */
} zr_seat_spot;

/* Where a contact is seen (seats.c). */
enum { zr_most_seat_spots = 4 };
typedef struct zr_seat {
    int32_t site;       /* of the model's laws; -1: an equation without friction */
    int32_t constraint; /* it is of */
    int32_t row;        /* of A, that presses; -1: several do */
    int32_t dimension;
    int32_t given; /* the drawing that says where it is; -1: none */
    /* else found, where `spots` is not 0: in the middle of these, shifted by the coordinates */
    int32_t spots;
    zr_seat_spot spot[zr_most_seat_spots];
    int32_t coordinate[3]; /* -1: nothing shifts it this way */
    int32_t first;         /* of its values */
} zr_seat;

/* The programs of the drawings of a family: output root of instance i is
 * values[first + i * root_count + root]. */
typedef struct zr_drawn_family {
    int32_t family, first;
    zk_program *code;
    bool *fixed;   /* [root_count] */
    bool *solved;  /* [root_count] */
    int32_t *slot; /* [root_count] the coordinate slot that a root is; -1: none */
} zr_drawn_family;

typedef struct zr_picture {
    zw_model *model;
    zb_memory *memory;
    zb_arena arena;
    jmp_buf escape;
    ZB_ARRAY(zr_shape) shapes;
    ZB_ARRAY(zr_number) numbers;
    ZB_ARRAY(zr_spot) spots;
    ZB_ARRAY(zr_seat) seats;
    zr_drawn_family *families; /* [family_count of the model]; code NULL: not drawn */
    double *values;            /* [value_count] of the last zr_draw */
    int32_t value_count;
    double *workspace; /* aligned */
    int32_t dimension; /* 2 or 3: the largest of its shapes; 0: there is nothing to see */
    int32_t drawn;     /* shapes; those behind them are seats, one each */
    bool solved;       /* accelerations or reactions stand in what programs compute */
    bool nonideal;     /* the model has such forces */
    bool fallback;     /* made by Zwang and the modules, not by the model */
} zr_picture;

zw_status zr_picture_create(zw_model *model, zr_picture **picture);
void zr_picture_free(zr_picture *picture);

/* values at a state; s->acceleration and sim->measure must be there where `solved`. */
void zr_draw(zr_picture *picture, const zk_source *s);
/* The values of seats, after zr_draw, with slips (zr_evaluate_frictions) and A of the state;
 * multipliers [m], NULL: there are none. */
void zr_draw_seats(zr_picture *picture, zw_sim *sim, const zk_source *s, const double *multipliers);
/* Number k, after zr_draw. */
double zr_drawn_number(const zr_picture *picture, const zw_sim *sim, int32_t k);

/* Number k of a shape as row and column, from 0: points, then what the shape has besides, a row of
 * one number each radius and angle. */
void zr_number_place(const zr_shape *shape, int32_t k, int32_t *row, int32_t *column);

/* ------------------------------------------------------ between the files of a picture */

void zr_out_of_picture(zr_picture *p);          /* memory ran out: does not return */
void zr_find_spots(zr_picture *p, zw_sim *sim); /* p->spots */
void zr_add_default_shapes(zr_picture *p, zw_sim *sim);
void zr_add_seats(zr_picture *p, zw_sim *sim);
void zr_find_seats(zr_picture *p, zw_sim *sim);
/* Where a point is, after zr_draw: out [dimension]. */
void zr_spot_place(const zr_picture *p, const zw_sim *sim, const zr_seat_spot *spot, double *out);
/* A random state of a simulation, the same for each k, with A, M and Q there. */
void zr_look_somewhere(zw_sim *sim, int32_t k);

#endif
