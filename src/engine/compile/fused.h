/*
 * Fused programs of small systems: the whole acceleration as one straight-line program, the solve
 * included, and the two *sides* of a projection, positions and velocities, likewise. build_fused.c
 * makes them and road_fused.c evaluates them.
 *
 *     prelude        what depends on parameters only, once; its outputs stand behind the values
 *     acceleration   q, v, t -> z, lambda, guard
 *     side           q, v, t -> residuals, guard, corrected positions or velocities (a Newton step)
 *
 * A model with contacts has several *forms* of them: one for each mode where there are few, and
 * one that reads the masks, for the others.
 *
 * The *guard* is a bound of the condition of the rows that is never too small, infinite where a
 * pivot fails: an answer counts only while it is at most zr_fused_guard; otherwise the other roads
 * are taken. Crowds evaluate the same programs in lanes, with the same bits.
 */
#ifndef ZR_FUSED_H
#define ZR_FUSED_H

#include "energy.h"
#include "switches.h"

/* So small that the noise of an answer (2e-16 times this) never makes a stepper careful. */
static const double zr_fused_guard = 4e3;

/* Where the outputs of `acceleration` stand. */
typedef struct zr_fused_places {
    int32_t z;      /* [n] */
    int32_t guard;  /* one number */
    int32_t lambda; /* [m] of the ideal force; where something slides of all forces */
    int32_t acting; /* [m] of all forces, where there are contacts */
    int32_t A;      /* [A.count] */
    int32_t force;  /* [n] the non-ideal force, friction included; -1: there is none */
    int32_t power;  /* [powers] those that can be other than 0, by zr_power */
    int32_t powers;
    int32_t watch; /* [zr_touch_functions] that tell when contacts change (run.h), then
                      the rates of open contacts [contacts] */
    int32_t count; /* of all */
} zr_fused_places;

/* Outputs of a side: `off`, the largest residual in units of its own rounding (at most 1: nothing
 * to correct), residual [rows] and magnitude [rows] of its terms. The program `look` ends here: it
 * says how far off a state is. The program `step` goes on with the guard and the corrected
 * positions or velocities x [n]. Fields are where each begins among the outputs. */
typedef struct zr_fused_side {
    zk_program *step; /* NULL: the side has no rows */
    zk_program *look;
    int32_t rows;
    int32_t *row;                            /* [rows] of A */
    int32_t off, residual, magnitude, looks; /* looks: outputs of `look` */
    int32_t guard, x, count;                 /* count: outputs of `step` */
    int32_t same_as;                         /* the form whose programs these are; -1: its own */
} zr_fused_side;

/* Of a row that has a mask, and of a friction: whether it holds, or slides, in a form. Either: the
 * masks, and the slots of frictions, say so. */
typedef enum zr_fused_state { ZR_FUSED_NOT, ZR_FUSED_IS, ZR_FUSED_EITHER } zr_fused_state;

/* A *form*: the programs for some modes of contacts, or, without contacts, for all there is. Rows
 * that are off in a form do not stand in its programs. */
typedef struct zr_fused_form {
    uint8_t *row;    /* [m] zr_fused_state; NULL: there are no masks */
    uint8_t *slides; /* [frictions] zr_fused_state */
    bool reads_masks;
    zk_program *acceleration;
    zr_fused_places places;
    zr_fused_side side[2]; /* ZR_POSITION, ZR_VELOCITY */
} zr_fused_form;

typedef struct zr_fused {
    zr_prelude prelude;   /* behind that of the passes */
    zr_fused_form *forms; /* [form_count] those that know more come first */
    int32_t form_count;   /* at least 1 */
    bool reads_masks;     /* some form does, perhaps through the prelude */
    int32_t most_outputs; /* of the largest program */
    size_t workspace;     /* doubles of the largest program, for one lane */
} zr_fused;

/* Where the values of the fused prelude begin, and how many values there are in all. */
static inline int32_t zr_first_fused_value(const zw_model *model)
{
    return zr_first_hoisted_value(model) + model->prelude.count;
}

static inline int32_t zr_count_values(const zw_model *model)
{
    return zr_first_fused_value(model) + (model->fused ? model->fused->prelude.count : 0);
}

void zr_build_fused(zr_builder *b); /* model->fused; NULL where it does not serve */
void zr_free_fused(zw_model *model);

#endif
