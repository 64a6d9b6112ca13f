/*
 * What the functions of both standards have in common: whether a call is allowed now, and calls that are
 * the same in both. All take NULL for a unit and return a status then.
 */
#ifndef FMU_CALLS_H
#define FMU_CALLS_H

#include "unit.h"

#define FMI __attribute__((visibility("default")))

/* Whether a function may be called on this unit in these phases; says so where it may not. */
bool call_may(const unit *u, unsigned phases);
bool call_may_exchange(const unit *u, unsigned phases); /* Model Exchange only */
bool call_may_step(const unit *u, unsigned phases);     /* Co-Simulation only */
/* UNIT_ERROR, after a sentence. */
int call_refuse(const unit *u, const char *text);

/* A unit of the model; exchange: NULL after a sentence where the model is not smooth. */
unit *call_create(const char *name, const char *token, const char *resources, const unit_log *log,
                  bool exchange);
int call_setup(unit *u, bool has_tolerance, double tolerance, double start);
int call_leave_initialization(unit *u);
int call_terminate(unit *u);
int call_reset(unit *u);

int call_get_state(unit *u, void **state);
int call_set_state(unit *u, const void *state);
int call_free_state(const unit *u, void **state);
int call_state_size(const unit *u, const void *state, size_t *size);
int call_write_state(const unit *u, const void *state, void *bytes, size_t size);
int call_read_state(const unit *u, const void *bytes, size_t size, void **state);

/* From one phase to another. */
int call_change_phase(unit *u, unsigned from, unit_phase to);
int call_nominals(const unit *u, double *x, size_t count);

#endif
