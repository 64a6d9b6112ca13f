/*
 * system: the principle for matrices of a fixed sparsity, small or large. Behind it stands the
 * dense solver (zw_gauss) or the sparse one (sparse.h), chosen by predicted cost when the system
 * is planned; both give the same answers.
 *
 * Values are those of the patterns, in their order. They are not copied: M, A and W must stay as
 * they are until the last solve with their factor.
 *
 * In a system that is `switched` rows may be off (zg_values.off), others from factor to factor. All
 * arrays [m] keep their length; in answers the entries of rows that are off are 0. A rank is that
 * of the rows that are on.
 */
#ifndef ZG_SYSTEM_H
#define ZG_SYSTEM_H

#include "structure.h"

typedef struct zg_system zg_system;

zw_status zg_system_plan(zb_memory *memory, const zg_structure *structure, zg_system **g);
void zg_system_free(zg_system *g);

/* The dense solver behind it, NULL when it is the sparse one: for what only that can do. It has the
 * rows that are on, and no others. */
zw_gauss *zg_system_dense(zg_system *g);
const char *zg_system_name(const zg_system *g); /* "dense", or the sparse form: "K", "S", "H" */
int64_t zg_system_factors(const zg_system *g);  /* how often it was factored */
double zg_system_cost(const zg_system *g);      /* predicted seconds of a factor and a solve */

/* As the functions of zw_gauss. Where M turns out to be singular, or a small system falls back on
 * the dense solver (system.c), a call may take memory, once. */
/* Of a dense system that is switched, from full matrices of the caller: M [n*n] or [n], A [m*n], W [m]
 * diagonal or NULL, off [m]. Nothing else is kept of them than what the dense solver copies. */
zw_status zg_system_factor_whole(zg_system *g, const double *M, const double *A, const double *W,
                                 const bool *off);
zw_status zg_system_factor(zg_system *g, const zg_values *values);
zw_status zg_system_solve(zg_system *g, const double *Q, const double *b, const double *C,
                          zw_gauss_answer *answer);
/* By another form; of a system with a dense solver. */
zw_status zg_system_solve_form(zg_system *g, zw_form form, const double *Q, const double *b,
                               const double *C, zw_gauss_answer *answer);
zw_status zg_system_project(zg_system *g, const double *x, double *y);
zw_status zg_system_split(zg_system *g, const double *force, double *ideal, double *nonideal);
zw_status zg_system_rank(zg_system *g, zw_gauss_rank_info *info);
zw_status zg_system_diagnose(zg_system *g, const double *b, const double *acceleration,
                             zw_diagnosis **diagnosis);
size_t zg_system_explain(zg_system *g, char *buffer, size_t size);

/* After ZW_ERR_INDEFINITE: 'M' or 'W', and the coordinate or row of it that the direction contains in
 * which it fails; else 0. */
char zg_system_failed(zg_system *g, int32_t *index);

/* After ZW_ERR_UNDETERMINED: moves [n], the coordinates that take part in a motion that neither M
 * nor A resists. */
zw_status zg_system_free_coordinates(zg_system *g, bool *moves);

/* z [n], lambda [m] = GG(f, b), b NULL: 0; without rank and forces, for the stages of a step.
 * lost [m] or NULL: the part of b that no acceleration can reach, *lost_norm its norm in W, 0 when
 * it is rounding. */
zw_status zg_system_apply(zg_system *g, const double *f, const double *b, double *z, double *lambda,
                          double *lost, double *lost_norm);

/* Of the last factor: rows that the form takes as independent may not be so, for a pivot is not
 * above `clear`, relative to its row. Forms without such pivots solve for a right side of no
 * particular direction. */
bool zg_system_doubtful(zg_system *g, double clear);

/* zg_limit_rank, zg_noise. */
void zg_system_limit_rank(zg_system *g, int32_t most);
int32_t zg_system_rank_limit(const zg_system *g); /* m: none */

/* The rows are known to be independent almost everywhere: then multipliers have no shares to lose.
 */
void zg_system_know_independent(zg_system *g, bool independent);
double zg_system_noise(const zg_system *g);

#endif
