/*
 * engine: binds the layers below into the objects a caller holds: the context (memory, budget,
 * diagnostics), compiled models, simulations with their runs in time, ensembles of many runs,
 * columns of output. The functions of zwang.h call these after they have checked the arguments
 * (api), and zwang.h says what each does; only what differs is said here.
 */
#ifndef ZR_ENGINE_H
#define ZR_ENGINE_H

#include "base.h"
#include "gauss.h"

struct zw_context {
    zb_memory memory;
    zb_diag_list diagnostics;
    zw_solver solver; /* of new simulations */
    int32_t threads;  /* likewise; 0: as many as processors */
    int32_t lanes;    /* of new models; 0: as many as the processor does best */
};

/* allocator NULL: malloc. The context's own struct is not counted as held. */
zw_status zr_context_create(const zw_allocator *allocator, zw_context **context);
void zr_context_free(zw_context *context);

/* ------------------------------------------------------------------- models */

zw_status zr_model_compile(zw_context *context, const zw_model_source *source, zw_model **model);
void zr_model_free(zw_model *model);

/* n, m, and the statements that the m rows come from. */
int32_t zr_coordinate_count(const zw_model *model);
int32_t zr_row_count(const zw_model *model);
int32_t zr_constraint_count(const zw_model *model);

int32_t zr_parameter_count(const zw_model *model);
void zr_parameter_name(const zw_model *model, int32_t i, zb_text *text);
double zr_sim_parameter(const zw_sim *sim, int32_t i);
const zw_model *zr_sim_model(const zw_sim *sim);
zw_context *zr_sim_context(const zw_sim *sim);
void zr_coordinate_name(const zw_model *model, int32_t i, zb_text *text);
void zr_row_name(const zw_model *model, int32_t row, zb_text *text);
void zr_constraint_name(const zw_model *model, int32_t i, zb_text *text);
void zr_constraint_info(const zw_model *model, int32_t i, zw_constraint_info *info);
zw_row_kind zr_row_kind(const zw_model *model, int32_t row);

/* Written to `write`: the derived equations; all programs as byte code and machine code of `width`
 * lanes. */
zw_status zr_model_derive(zw_model *model, zw_report_form form, int how, zw_write_fn write,
                          void *user);
zw_status zr_model_programs(zw_model *model, zw_kernel kernel, int32_t width, zw_write_fn write,
                            void *user);
void zr_model_statistics(const zw_model *model, zw_model_statistics *statistics);

/* -------------------------------------------------------------- simulations */

zw_status zr_sim_create(zw_model *model, zw_sim **sim);
void zr_sim_free(zw_sim *sim);
zw_status zr_sim_set_parameters(zw_sim *sim, const char *settings);
zw_status zr_give_handle(zw_sim *sim, const char *name, bool input, int32_t *handle);
int32_t zr_sim_handle_count(const zw_sim *sim, int32_t handle); /* 0: there is none */
zw_status zr_sim_set_handle(zw_sim *sim, int32_t handle, const double *values);
bool zr_is_input(const zw_model *model, int32_t i);
int32_t zr_count_inputs(const zw_model *model); /* by name, whatever their sizes */
zw_status zr_sim_start(zw_sim *sim, bool accept_inconsistent);
/* q, v [n], either NULL: that half stays. A run that was begun cannot go on. */
void zr_sim_set_state(zw_sim *sim, double t, const double *q, const double *v);
/* t, q [n], v [n], each or NULL. */
void zr_sim_state(const zw_sim *sim, double *t, double *q, double *v);
zw_status zr_sim_assign(zw_sim *sim, const char *assignments);
zw_status zr_sim_acceleration(zw_sim *sim, double t, const double *q, const double *v, double *z);
zw_status zr_sim_instant(zw_sim *sim, zw_instant *instant);
zw_status zr_sim_solve(zw_sim *sim, zw_gauss_answer *answer);
zw_status zr_sim_rank(zw_sim *sim, zw_gauss_rank_info *info);
zw_status zr_sim_diagnose(zw_sim *sim, const double *acceleration, zw_diagnosis **diagnosis);
zw_solver zr_sim_solver(const zw_sim *sim);
zw_status zr_sim_check(zw_sim *sim, bool accept_inconsistent, zw_report_form form,
                       zw_write_fn write, void *user);

/* -------------------------------------------------------------- derivatives */

zw_status zr_sim_tangent(zw_sim *sim, const zw_direction *direction, double *acceleration,
                         double *multipliers);
zw_status zr_sim_linearize(zw_sim *sim, const zw_linearize *asked, zw_linearization **result);
void zr_linearization_free(zw_linearization *result);
zw_status zr_sim_equilibrium(zw_sim *sim, const zw_equilibrium_asked *asked,
                             zw_equilibrium **result);
void zr_equilibrium_free(zw_equilibrium *result);
zw_status zr_sim_export_c(zw_sim *sim, const zw_c_settings *settings, zw_c_file file,
                          zw_write_fn write, void *user);

/* ------------------------------------------------------------------ motion */

void zr_run_defaults(const zw_model *model, zw_run_settings *settings);
void zr_run_defaults_by(const zw_model *model, zw_method method, zw_run_settings *settings);

/* As zw_run_grid_find and zw_run_grid_time. */
zw_status zr_run_grid_find(const zw_run_settings *settings, zw_run_grid *grid);
double zr_run_grid_time(const zw_run_grid *grid, int64_t k);
void zr_sim_set_kernel(zw_sim *sim, zw_kernel kernel);
zw_status zr_sim_project(zw_sim *sim);
zw_status zr_sim_begin(zw_sim *sim, const zw_run_settings *settings);
zw_status zr_sim_advance(zw_sim *sim, double t, zw_outcome *outcome);
void zr_sim_cancel(zw_sim *sim);
zw_status zr_sim_save(zw_sim *sim, void *bytes, size_t size, size_t *needed);
zw_status zr_sim_restore(zw_sim *sim, const void *bytes, size_t size);
zw_status zr_sim_conclude(zw_sim *sim);
zw_status zr_sim_statistics(zw_sim *sim, zw_run_statistics *statistics);
int32_t zr_sim_fired_count(const zw_sim *sim);
zw_status zr_sim_fired(const zw_sim *sim, int32_t i, zw_fired *fired);
int64_t zr_sim_happened_count(const zw_sim *sim);
zw_status zr_sim_happened(const zw_sim *sim, int64_t i, zw_happened *happened);
zw_status zr_sim_contact(zw_sim *sim, int32_t i, zw_contact *contact);
int32_t zr_contact_count(const zw_model *model);
void zr_contact_name(const zw_model *model, int32_t i, zb_text *text);
int32_t zr_event_count(const zw_model *model);
void zr_event_name(const zw_model *model, int32_t event, zb_text *text);
zw_status zr_sim_verdict(zw_sim *sim, zw_report_form form, zw_write_fn write, void *user);

zw_status zr_ensemble_run(zw_model *model, const zw_run_settings *settings, zw_ensemble *ensemble);

zw_status zr_columns_create(zw_model *model, const char *list, zw_columns **columns);
void zr_columns_free(zw_columns *columns);
int32_t zr_columns_count(const zw_columns *columns);
void zr_columns_name(const zw_columns *columns, int32_t i, zb_text *text);
bool zr_columns_fit(const zw_sim *sim, const zw_columns *columns); /* both are of one model */
zw_status zr_sim_columns(zw_sim *sim, const zw_columns *columns, double *row);
const char *zr_columns_kind(const zw_columns *columns, int32_t i);
bool zr_columns_derive(const zw_columns *columns); /* some are d(X)/d(P) */
zw_status zr_sim_vary(zw_sim *sim, const zw_columns *columns);
zw_status zr_sim_scene(zw_sim *sim, const zw_columns *columns, zw_write_fn write, void *user);

/* ------------------------------------------------------------------- sweeps */

/* What is kept of every run of a sweep, "last(x), largest(pin.F[1]), trust" (docs/CLI.md). list
 * NULL: the coordinates, velocities and outputs at the end. ZW_ERR_SETTING with a diagnostic. */
typedef struct zr_keep zr_keep;
zw_status zr_keep_create(zw_model *model, const zw_run_settings *settings, const char *list,
                         zr_keep **keep);
void zr_keep_free(zr_keep *keep);
int32_t zr_keep_count(const zr_keep *keep);
const char *zr_keep_name(const zr_keep *keep, int32_t i); /* "last(x)" */

/* Why a run failed, in one line. */
enum { ZR_REASON_SIZE = 244 };

/* Members of a batch. A target is the number of a parameter, or ~(entry of (q, v)) of a start
 * value. */
typedef struct zr_members {
    int64_t count;
    int32_t target_count;
    const int32_t *targets;         /* [target_count] */
    const double *values;           /* [count * target_count] */
    double *kept;                   /* [count * zr_keep_count], NaN where there is none */
    int32_t *status;                /* [count] a zw_status */
    char (*reason)[ZR_REASON_SIZE]; /* [count] of those whose status is not ZW_OK */
} zr_members;

/* Every member has the bits of its run alone, whatever else is in the batch. ZW_ERR_CANCELLED:
 * settings->poll has ended it. Other failures are of memory: members that fail have a status. */
zw_status zr_run_members(zw_sim *sim, const zr_keep *keep, const zw_run_settings *settings,
                         const zr_members *members);

/* The target of that name, "m", "k[2]", "x", "x[1]'"; false: there is none. */
bool zr_find_target(const zw_model *model, const char *name, int32_t *target);
/* The name that was most likely meant, into the text; nothing where none is near. */
void zr_suggest_target(const zw_model *model, const char *name, zb_text *text);
bool zr_is_structural(const zw_model *model, int32_t parameter);
/* The numbers of an expression of parameters. ZW_ERR_SETTING with a diagnostic. */
zw_status zr_evaluate_text(zw_model *model, const char *file, const char *text, zb_arena *arena,
                           double **numbers, int32_t *count);
/* An error that belongs to no place of the model. Never ZW_OK: ZW_ERR_SETTING, or of memory. */
zw_status zr_refuse_setting(zw_model *model, const char *code, const char *help, const char *format,
                            ...) ZB_PRINTF(4, 5);

#endif
