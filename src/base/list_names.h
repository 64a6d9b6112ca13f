/*
 * The names of what zwang.h lists: solvers, equivalent forms, methods of integration, ways to
 * stabilise, kernels, happenings, designs. Each list is written once, there (ZW_SOLVER_LIST and so on); a line added to
 * it has its name here without another.
 *
 * zb_X_name: "dense" and so on, static; NULL when the value is not in the list. zb_X_find: the
 * value of that name, or of the one it had in an earlier version; ZW_ERR_ARGUMENT, and nothing is
 * written, when there is none.
 */
#ifndef ZB_LIST_NAMES_H
#define ZB_LIST_NAMES_H

#include "zwang.h"

const char *zb_solver_name(zw_solver value);
const char *zb_form_name(zw_form value);
const char *zb_method_name(zw_method value);
const char *zb_stabilize_name(zw_stabilize value);
const char *zb_kernel_name(zw_kernel value);
const char *zb_hold_name(zw_hold value);
const char *zb_happening_name(zw_happening value);
const char *zb_design_name(zw_design value);

zw_status zb_solver_find(const char *name, zw_solver *value);
zw_status zb_form_find(const char *name, zw_form *value);
zw_status zb_method_find(const char *name, zw_method *value);
zw_status zb_stabilize_find(const char *name, zw_stabilize *value);
zw_status zb_kernel_find(const char *name, zw_kernel *value);
zw_status zb_hold_find(const char *name, zw_hold *value);
zw_status zb_happening_find(const char *name, zw_happening *value);
zw_status zb_design_find(const char *name, zw_design *value);

#endif
