/*
 * The start: the state at which a motion begins. The model gives values and equations for it; they
 * are corrected onto the constraints (start.c), and what cannot be is refused with a message. Also
 * messages about equations that have no solution at a state, for the start and for a run that
 * failed.
 */
#ifndef ZR_START_H
#define ZR_START_H

#include "roads.h"

/* Given values into the simulation's t, q, v, then their correction and the messages about it. What
 * cannot be brought onto the constraints is refused; contradictory constraints are met in the sense
 * of least squares where that is accepted, here or by the model. */
zw_status zr_find_start(zw_sim *sim, bool accept_inconsistent);

/* Brings a level onto the rows that are on, from the given values; *met: it could be done, or a
 * compromise was accepted. quiet: what cannot be done is not told, and no error. */
typedef zw_status zr_try_fn(void *user, zr_order order, bool quiet, bool *met);
/* start_gaps.c: a level of the start with the inequalities of the model, of which there are some. */
zw_status zr_start_with_gaps(zw_sim *sim, zr_order order, zr_try_fn *try, void *user);

/* |corrected - given| of entry i of (q, v), 0 when it is rounding. After a start. */
double zr_moved_by(const zw_sim *sim, int32_t i);
/* The entry that moved most after `after` (-1: of all), -1 when there is none left; of those that
 * the model gives, of those that it does not, or of both. */
typedef enum zr_which { ZR_STATED, ZR_NOT_STATED, ZR_EITHER } zr_which;
int32_t zr_next_move(const zw_sim *sim, zr_which which, int32_t after);

/* The values that the model gives at t: q, v [n], 0 where it gives none, and fixed [2 n] of (q, v).
 * Reports a value that is not finite. */
zw_status zr_evaluate_given(zw_sim *sim, double t, double *q, double *v, bool *fixed);

/* Appends a copy, from sim->notes; false: there is no memory. */
bool zr_add_finding(zw_sim *sim, zr_findings *list, const zr_finding *f);
/* Makes `row`, one of the finding's rows, the one that is named, with coefficient 1, in the place
 * of the one declared last. */
void zr_blame_row(zr_finding *f, int32_t row);

/* The first expression that is not finite at a state, reported as E0406 (E0702 of a run). Programs
 * are searched by `what`, bits: values and rates of rows, start equations; A and b; M and Q;
 * non-ideal forces; laws of contact and friction. ZW_OK: everything is finite; ZW_ERR_NOT_FINITE: it
 * was found and reported. */
enum {
    ZR_BAD_LEVEL = 1,
    ZR_BAD_ROWS = 2,
    ZR_BAD_DYNAMICS = 4,
    ZR_BAD_NONIDEAL = 8,
    ZR_BAD_LAWS = 16
};
zw_status zr_report_bad(zw_sim *sim, const zk_source *s, int what);
/* The same of one instance of a family, whose expression `node` is known not to be finite; `place`
 * is where it stands in the model unless a better one is found. Never ZW_OK. */
zw_status zr_report_bad_node(zw_sim *sim, const zk_source *s, int32_t family, int32_t instance,
                             zx_node node, zl_place place);

/* Why M, A and W at a state cannot be factored, as a message: E0407, E0408, E0409 (E0703 of a run).
 * `status` is what the factor said, and is returned. */
zw_status zr_report_factor(zw_sim *sim, const zk_source *s, zw_status status);

/* W0611: nonideal forces that use a share of the reaction that is not unique, because of the
 * dependent sets of `d`. */
zw_status zr_warn_shares(zw_sim *sim, const zw_diagnosis *d);

/* W0617: inertias that no body has (inertia.c). After M at the start has been evaluated. */
zw_status zr_warn_inertias(zw_sim *sim);

#endif
