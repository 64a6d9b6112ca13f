/*
 * Energies and powers of a model: what build_energy.c makes and energy.c evaluates.
 *
 * A *sum* is a program of a family whose outputs are added up over all instances: no places are
 * stored, so a family of a million instances takes no more room than one.
 */
#ifndef ZR_ENERGY_H
#define ZR_ENERGY_H

#include "builder.h"

/* The kinds of force whose power, and in time work, is accounted for. */
typedef enum zr_power {
    ZR_IMPRESSED,   /* force statements */
    ZR_DISSIPATION, /* dissipation statements */
    ZR_IDEAL,       /* ideal forces of constraints that depend on t or are not homogeneous in v */
    ZR_NONIDEAL,    /* the force C and what constraints answer to it */
    ZR_FRICTION,    /* friction statements */
    ZR_CONTROL,     /* ideal forces of control constraints, and motors */
    ZR_EXPLICIT,    /* - dL/dt, and v^T M' v / 2 of mass statements */
    ZR_POWER_COUNT
} zr_power;

/* What is added up for the energies. h = kinetic + potential + other + extra. */
typedef enum zr_energy_part {
    ZR_PART_KINETIC,
    ZR_PART_POTENTIAL,
    ZR_PART_OTHER,     /* v dX/dv - X of the other part X of L */
    ZR_PART_EXTRA,     /* v dT/dv - 2 T - v dV/dv: 0 where T is a square of v, and V without v */
    ZR_PART_MAGNITUDE, /* of the terms of T, V and X */
    ZR_PART_COUNT
} zr_energy_part;

enum { zr_sum_columns = ZR_PART_COUNT };

typedef struct zr_sum {
    zk_program *code;
    int32_t family, outputs;
    int32_t column[zr_sum_columns]; /* [outputs] zr_energy_part or zr_power */
    zx_node node[zr_sum_columns];   /* [outputs] in the model's pool */
    bool accelerates;               /* accelerations stand in it */
} zr_sum;

typedef struct zr_sums {
    zr_sum *list;
    int32_t count;
} zr_sums;

struct zr_energy {
    zr_sums energies;  /* by zr_energy_part */
    zr_sums powers;    /* by zr_power: impressed, dissipation, explicit */
    uint32_t possible; /* powers that can be other than 0: bits 1 << zr_power */
    /* [..._count] rows whose A v need not be 0; of frictions those that hold something still */
    int32_t *ideal, *control, *friction;
    int32_t ideal_count, control_count, friction_count;
    /* of islands (energy_islands.c), each by itself; NULL: there is one, or too many */
    bool *island_works;      /* [islands] its energy is not conserved */
    zk_program *island_code; /* h and magnitude of each island, of the whole family; NULL: none */
};

enum { zr_most_islands = 1024 };

/* Takes the terms of a sum, which are factor times term. */
typedef void zr_term_fn(void *user, zx_node term, zx_node factor);
void zr_each_term(zr_builder *b, zx_node root, zr_term_fn *take, void *user);
/* h and the magnitude of the terms of L = T - V + X, roots [3]. */
void zr_energy_of(zr_builder *b, const zm_family *f, const zx_node *roots, zx_node *h,
                  zx_node *magnitude);
void zr_split_energy(zr_builder *b);

void zr_build_energy(zr_builder *b); /* model->energy */
void zr_free_energy(zw_model *model);
/* Which powers can be other than 0 in this model: bits 1 << zr_power. */
uint32_t zr_possible_powers(const zw_model *model);

#endif
