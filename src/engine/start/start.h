/*
 * The start: given values, what was moved, and what is said where it fails.
 */
#ifndef ZR_START_H
#define ZR_START_H

#include "roads.h"

/* Given values and corrections; what cannot be brought onto the constraints is refused. */
zw_status zr_find_start(zw_sim *sim, bool accept_inconsistent);

/* |corrected - given| of entry i of (q, v), 0 when it is rounding. After a start. */
double zr_moved_by(const zw_sim *sim, int32_t i);
/* The entry that moved most after `after` (-1: of all), -1 when there is none left; of those that
 * the model gives, of those that it does not, or of both. */
typedef enum zr_which { ZR_STATED, ZR_NOT_STATED, ZR_EITHER } zr_which;
int32_t zr_next_move(const zw_sim *sim, zr_which which, int32_t after);

/* Given values at t; reports values that are not finite. */
zw_status zr_given(zw_sim *sim, double t, double *q, double *v, bool *fixed);

bool zr_add_finding(zw_sim *sim, zr_findings *list, const zr_finding *f);
void zr_accuse(zr_finding *f, int32_t row); /* of its rows: named instead of the last declared */

/* The first expression among the families that is not finite at a state, reported as E0406.
 * kinds: bit mask of zm_kind; bits of what: */
enum { ZR_BAD_LEVEL = 1, ZR_BAD_ROWS = 2, ZR_BAD_DYNAMICS = 4, ZR_BAD_NONIDEAL = 8 };
zw_status zr_report_bad(zw_sim *sim, const zk_source *s, int what);
zw_status zr_report_bad_node(zw_sim *sim, const zk_source *s, int32_t family, int32_t instance,
                             zx_node node, zl_place place);

/* Why M, A and W at a state cannot be factored, as a message: E0407, E0408, E0409. `status` is
 * what the factor said, and is returned. */
zw_status zr_report_factor(zw_sim *sim, const zk_source *s, zw_status status);

/* W0611: nonideal forces that use a share that is not unique. */
zw_status zr_warn_shares(zw_sim *sim, const zw_diagnosis *d);

#endif
