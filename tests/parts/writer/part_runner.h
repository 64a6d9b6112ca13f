/*
 * Programs of a part run in lanes at random places, and what a plain dense computation in long
 * double finds there: shares of S and of right sides, elimination, substitution.
 */
#ifndef PART_RUNNER_H
#define PART_RUNNER_H

#include "part_world.h"

enum { lanes = ZK_MOST_LANES, order_most = most_coordinates + most_world_rows };
enum { room = 4096 }; /* numbers of each array of a runner */
typedef long double ld;

/* X y = c with pivoting, y in place of c. */
void part_solve_dense(int32_t n, ld X[][order_most], ld *c);

/* What a part should find: S, c over its rows, and M^-1 A^T, M^-1 force over its coordinates. */
typedef struct share {
    int32_t own, inner, rows;
    ld S[order_most][order_most], c[most_world_rows], size[most_world_rows];
    ld B[most_world_rows][most_coordinates], a[most_coordinates];
} share;

typedef struct task {
    ze_purpose purpose;
    double damping, least;
    const ld *z, *lambda; /* of before, by coordinates and rows of the world */
} task;

/* A row that is not asked for by a purpose. */
bool part_is_left_out(ze_purpose purpose, ze_row_kind kind);

/* S, c before elimination, */
void part_find_share(const numbers *x, const part *p, const task *t, share *s);
/* inner rows away, in the order of their numbers: which order must not matter; */
void part_eliminate(share *s);
/* x [rows]: inner from outer ones, after elimination. */
void part_substitute(const share *s, ld *x);

/* Programs of a part, run in lanes at places of their own. */
typedef struct runner {
    zb_memory memory;
    zb_arena arena;
    ze_programs programs;
    part part;
    int32_t width;
    place_in_world at[lanes];
    numbers x[lanes];
    double *position, *velocity, *uniform, *packed, *measure, *out, *work, *time;
    double *outer, *stored, *carried, *z, *lambda; /* what reads find, [index * width + lane] */
} runner;

/* The units of a world from `from` up to, without, `to`. */
void part_take(const world *w, int32_t from, int32_t to, bool *bodies);

/* Makes the programs of a part of a world; close gives everything back. */
runner *runner_open(world *w, const bool *bodies, const ze_program_options *options, int32_t width);
void runner_close(runner *r);

/* States of their own in every lane, uniform values alike; lane 0 is at `like` unless it is NULL.
 * Runs the preludes. */
void runner_place(runner *r, world *where, const place_in_world *like);
void runner_preludes(runner *r);

/* Runs a program with numbers for every leaf; its outputs are then in r->out. */
void runner_run(runner *r, const ze_code *code, const double *values);
/* Runs down of a purpose; what back reads is then where it finds it. REFINED: after DAMPED. */
void runner_down(runner *r, const task *t);
/* The shares of right sides among the outputs of down, [outer * width]. */
const double *runner_rights(const runner *r, const task *t);

/* To 1e-12 of itself and of a scale. */
void expect_near(double found, ld exact, ld scale);

#endif
