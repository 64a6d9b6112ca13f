/*
 * Models that several tests build, whole or with families kept.
 */
#ifndef MODELS_H
#define MODELS_H

#include "stage.h"

/* A point mass on a rod. */
static inline void build_pendulum(stage *s)
{
    stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0);
    stage_param(s, "m", 1.7), stage_param(s, "g", 9.81), stage_param(s, "l", 0.8);
    stage_leaves(s, 2, 3);
    zx_node x2 = SQR(Q(0)), y2 = SQR(Q(1)), rod = SUB(ADD(x2, y2), SQR(P(2)));
    zx_node T = MUL(DIV(P(0), NUM(2)), ADD(SQR(V(0)), SQR(V(1)))), U = MUL(MUL(P(0), P(1)), Q(1));
    stage_term(s, ZM_ENERGY, ZM_KINETIC, &T, 1);
    stage_term(s, ZM_ENERGY, ZM_POTENTIAL, &U, 1);
    stage_row(s, "rod", &rod, 1);
}

/* Something of everything: Greek names, a part, a vector constraint with a velocity row, weights,
 * friction by a multiplier, and a mass matrix long enough to share definitions. */
static inline void build_mixture(stage *s)
{
    stage_coord(s, "theta", 0, 0), stage_coord(s, "x_1", 0, 0), stage_coord(s, "r", 2, 0);
    s->parts[0].label = stage_label(s, "link");
    s->parts[0].label.index_count = 1, s->parts[0].label.index[0] = 2;
    s->coordinates[2].label.scope = 0;
    stage_param(s, "mu", 0.1), stage_param(s, "len", 2), stage_param(s, "m_rod", 3);
    stage_leaves(s, 4, 3);
    zx_node angle = MUL(P(1), SIN(ADD(Q(0), MUL(Q(1), Q(2)))));
    zx_node long_one = DIV(ADD(NUM(1), SQR(angle)), ADD(NUM(2), COS(angle)));
    for (int k = 0; k < 3; k++) long_one = ADD(MUL(long_one, long_one), NUM(k + 1));
    zx_node T = MUL(DIV(P(2), NUM(2)), MUL(long_one, SQR(V(0)))), U = MUL(P(2), Q(3));
    stage_term(s, ZM_ENERGY, ZM_KINETIC, &T, 1);
    stage_term(s, ZM_ENERGY, ZM_POTENTIAL, &U, 1);
    zx_node rows[] = {SUB(Q(2), MUL(P(1), Q(3))), SUB(MUL(Q(0), V(1)), V(2)), ADD(Z(3), Q(1))};
    stage_row(s, "roll_on", rows, 3);
    zx_node weights[] = {P(0), NUM(2), NUM(1e-7)};
    stage_term(s, ZM_WEIGHT, 0, weights, 3);
    s->weights[0] = (zm_weight){.a = 0, .b = -1, .rows = 3, .where = {s->b.raw.count - 1, 0, 0, 3}};
    s->model.weight_count = 1;
    zx_node friction = MUL(MUL(P(0), MEASURE(0)), V(1));
    s->measures[0] = (zm_measure){.kind = ZM_MULTIPLIER, .row = 1};
    s->model.measure_count = 1;
    zm_raw_family *raw = stage_raw(s, ZM_NONIDEAL, &friction, 1, 2, 1);
    stage_targets(s, raw, (int32_t[]){1}, 1);
    raw->family.measures = 1, raw->family.stride = 4;
    stage_bind(s, (int32_t[]){0, 1, 0, 0}, -1);
    s->model.title = "50% of {everything}";
}

/* A hanging chain of N points: x, y [N], masses m (a constant of each instance), rods of length l;
 * dampers between neighbours, and wind on every point. Coordinates x[i] is i, y[i] is N + i. */
static inline void build_chain(stage *s, int32_t N)
{
    stage_coord(s, "x", N, 0), stage_coord(s, "y", N, 0);
    int32_t l = stage_param(s, "l", 0.1), g = stage_param(s, "g", 9.81);
    int32_t light = stage_constant(s, 0.25), heavy = stage_constant(s, 0.75);

    zx_node T = MUL(DIV(P(0), NUM(2)), ADD(SQR(V(0)), SQR(V(1))));
    stage_raw(s, ZM_ENERGY, &T, 1, 2, 1)->energy = ZM_KINETIC;
    for (int32_t i = 0; i < N; i++) stage_bind(s, (int32_t[]){i, N + i, i % 3 ? light : heavy}, -1);
    zx_node U = MUL(MUL(P(0), P(1)), Q(0));
    stage_raw(s, ZM_ENERGY, &U, 1, 1, 2)->energy = ZM_POTENTIAL;
    for (int32_t i = 0; i < N; i++) stage_bind(s, (int32_t[]){N + i, i % 3 ? light : heavy, g}, -1);

    zx_node E = MUL(P(0), SQR(SUB(V(0), V(1))));
    stage_raw(s, ZM_DISSIPATION, &E, 1, 2, 1);
    for (int32_t i = 1; i < N; i++) stage_bind(s, (int32_t[]){i, i - 1, light}, -1);
    zx_node wind[] = {Q(0), Q(1), SIN(ADD(TIME, Q(0))), MUL(P(0), V(1))};
    stage_raw(s, ZM_FORCE_AT, wind, 4, 2, 1);
    for (int32_t i = 0; i < N; i++) stage_bind(s, (int32_t[]){i, N + i, l}, -1);

    zx_node first = SUB(ADD(SQR(Q(0)), SQR(Q(1))), SQR(P(0)));
    stage_raw(s, ZM_CONSTRAINT, &first, 1, 2, 1);
    stage_constraint(s, "rod", stage_bind(s, (int32_t[]){0, N, l}, 0), false);
    zx_node rod = SUB(ADD(SQR(SUB(Q(0), Q(1))), SQR(SUB(Q(2), Q(3)))), SQR(P(0)));
    stage_raw(s, ZM_CONSTRAINT, &rod, 1, 4, 1);
    for (int32_t i = 1; i < N; i++) {
        int32_t row[] = {i, i - 1, N + i, N + i - 1, l};
        stage_constraint(s, "rod", stage_bind(s, row, i), false);
    }
    for (int32_t i = 0; i < N; i++) {
        s->constraints[i].label.index_count = 1;
        s->constraints[i].label.index[0] = i + 1;
    }
}

#endif
