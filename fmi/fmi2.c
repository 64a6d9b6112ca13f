/*
 * The functions of FMI 2, by the names under which an importer finds them. Each looks whether it may be
 * called now, then asks the unit. Types are those of the standard's "default" platform: a
 * reference is an unsigned int, Real a double, Boolean an int.
 */
#include <string.h>

#include "calls.h"

typedef void (*logger)(void *environment, const char *instance, int status, const char *category,
                       const char *message, ...);

/* What an importer hands over; memory is our own. */
typedef struct callbacks {
    logger log;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *block);
    void (*step_finished)(void *environment, int status);
    void *environment;
} callbacks;

typedef struct event_info {
    int new_discrete_states_needed, terminate_simulation, nominals_changed, values_changed;
    int next_event_time_defined;
    double next_event_time;
} event_info;

/* unit_log.send */
static void send_message(const unit_log *log, const char *name, unit_status status,
                         const char *text)
{
    if (!log->function) return;
    ((logger)log->function)(log->environment, name, (int)status,
                            status == UNIT_WARNING ? "logStatusWarning" : "logStatusError", "%s",
                            text);
}

/* ------------------------------------------------------------------- from birth to end */

FMI const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

FMI const char *fmi2GetVersion(void)
{
    return "2.0";
}

FMI int fmi2SetDebugLogging(void *c, int on, size_t count, const char *const *categories)
{
    (void)on, (void)count, (void)categories;
    return c ? UNIT_OK : UNIT_ERROR;
}

FMI void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                          const callbacks *functions, int visible, int logging)
{
    unit_log log = {.send = send_message};
    (void)visible, (void)logging;
    if (functions) {
        log.function = (void (*)(void))functions->log;
        log.environment = functions->environment;
    }
    return type == 0 || type == 1 ? call_create(name, guid, resources, &log, type == 0) : NULL;
}

FMI void fmi2FreeInstance(void *c)
{
    unit_free(c);
}

FMI int fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start,
                            int has_stop, double stop)
{
    (void)has_stop, (void)stop;
    return call_setup(c, has_tolerance != 0, tolerance, start);
}

FMI int fmi2EnterInitializationMode(void *c)
{
    return call_change_phase(c, UNIT_NEW, UNIT_INITIAL);
}

FMI int fmi2ExitInitializationMode(void *c)
{
    return call_leave_initialization(c);
}

FMI int fmi2Terminate(void *c)
{
    return call_terminate(c);
}

FMI int fmi2Reset(void *c)
{
    return call_reset(c);
}

/* --------------------------------------------------------------------------- variables */

FMI int fmi2GetReal(void *c, const uint32_t *references, size_t count, double *values)
{
    return call_may(c, UNIT_ANY) ? (int)unit_get(c, references, count, values) : UNIT_ERROR;
}

FMI int fmi2SetReal(void *c, const uint32_t *references, size_t count, const double *values)
{
    return call_may(c, UNIT_ANY & ~UNIT_OVER) ? (int)unit_set(c, references, count, values)
                                              : UNIT_ERROR;
}

/* There are none of these types; nothing of nothing is well. */
static int only_reals(const unit *u, size_t count)
{
    return u && count == 0 ? UNIT_OK : call_refuse(u, "all variables are of type Real");
}

FMI int fmi2GetInteger(void *c, const uint32_t *references, size_t count, int *values)
{
    (void)references, (void)values;
    return only_reals(c, count);
}

FMI int fmi2GetBoolean(void *c, const uint32_t *references, size_t count, int *values)
{
    (void)references, (void)values;
    return only_reals(c, count);
}

FMI int fmi2GetString(void *c, const uint32_t *references, size_t count, const char **values)
{
    (void)references, (void)values;
    return only_reals(c, count);
}

FMI int fmi2SetInteger(void *c, const uint32_t *references, size_t count, const int *values)
{
    (void)references, (void)values;
    return only_reals(c, count);
}

FMI int fmi2SetBoolean(void *c, const uint32_t *references, size_t count, const int *values)
{
    (void)references, (void)values;
    return only_reals(c, count);
}

FMI int fmi2SetString(void *c, const uint32_t *references, size_t count, const char *const *values)
{
    (void)references, (void)values;
    return only_reals(c, count);
}

FMI int fmi2GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t unknowns,
                                     const uint32_t *known, size_t knowns, const double *seed,
                                     double *rates)
{
    unit_direction direction = {unknown, known, unknowns, knowns, seed};
    return call_may(c, UNIT_ANY & ~UNIT_NEW) ? (int)unit_derive(c, &direction, rates) : UNIT_ERROR;
}

/* ------------------------------------------------------------------------------ states */

FMI int fmi2GetFMUstate(void *c, void **state)
{
    return call_get_state(c, state);
}

FMI int fmi2SetFMUstate(void *c, void *state)
{
    return call_set_state(c, state);
}

FMI int fmi2FreeFMUstate(void *c, void **state)
{
    return call_free_state(c, state);
}

FMI int fmi2SerializedFMUstateSize(void *c, void *state, size_t *size)
{
    return call_state_size(c, state, size);
}

FMI int fmi2SerializeFMUstate(void *c, void *state, char *bytes, size_t size)
{
    return call_write_state(c, state, bytes, size);
}

FMI int fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **state)
{
    return call_read_state(c, bytes, size, state);
}

/* --------------------------------------------------------------------- Model Exchange */

FMI int fmi2EnterEventMode(void *c)
{
    if (!call_may_exchange(c, UNIT_CONTINUOUS)) return UNIT_ERROR;
    return call_change_phase(c, UNIT_CONTINUOUS, UNIT_EVENT);
}

FMI int fmi2NewDiscreteStates(void *c, event_info *info)
{
    bool changed = false;
    if (!info || !call_may_exchange(c, UNIT_EVENT)) return UNIT_ERROR;
    memset(info, 0, sizeof *info);
    unit_status status = unit_bring_back(c, &changed);
    info->values_changed = changed;
    return (int)status;
}

FMI int fmi2EnterContinuousTimeMode(void *c)
{
    if (!call_may_exchange(c, UNIT_EVENT)) return UNIT_ERROR;
    return call_change_phase(c, UNIT_EVENT, UNIT_CONTINUOUS);
}

FMI int fmi2CompletedIntegratorStep(void *c, int no_return, int *event, int *terminate)
{
    bool drifted = false;
    (void)no_return;
    if (!event || !terminate || !call_may_exchange(c, UNIT_CONTINUOUS)) return UNIT_ERROR;
    unit_status status = unit_look_for_drift(c, &drifted);
    *event = drifted;
    *terminate = 0;
    return (int)status;
}

FMI int fmi2SetTime(void *c, double t)
{
    return call_may_exchange(c, UNIT_EVENT | UNIT_CONTINUOUS) ? (int)unit_set_time(c, t)
                                                              : UNIT_ERROR;
}

FMI int fmi2SetContinuousStates(void *c, const double *x, size_t count)
{
    return call_may_exchange(c, UNIT_CONTINUOUS) ? (int)unit_set_states(c, x, count) : UNIT_ERROR;
}

FMI int fmi2GetDerivatives(void *c, double *x, size_t count)
{
    return call_may_exchange(c, UNIT_ANY & ~UNIT_NEW) ? (int)unit_get_rates(c, x, count)
                                                      : UNIT_ERROR;
}

FMI int fmi2GetEventIndicators(void *c, double *x, size_t count)
{
    (void)x;
    if (!call_may_exchange(c, UNIT_ANY & ~UNIT_NEW)) return UNIT_ERROR;
    return count == 0 ? UNIT_OK : call_refuse(c, "there are no event indicators");
}

FMI int fmi2GetContinuousStates(void *c, double *x, size_t count)
{
    return call_may_exchange(c, UNIT_ANY & ~UNIT_NEW) ? (int)unit_get_states(c, x, count)
                                                      : UNIT_ERROR;
}

FMI int fmi2GetNominalsOfContinuousStates(void *c, double *x, size_t count)
{
    return call_nominals(c, x, count);
}

/* ---------------------------------------------------------------------- Co-Simulation */

FMI int fmi2SetRealInputDerivatives(void *c, const uint32_t *references, size_t count,
                                    const int *orders, const double *values)
{
    (void)references, (void)count, (void)orders, (void)values;
    return call_refuse(c, "inputs are constant between communication points");
}

FMI int fmi2GetRealOutputDerivatives(void *c, const uint32_t *references, size_t count,
                                     const int *orders, double *values)
{
    (void)references, (void)count, (void)orders, (void)values;
    return call_refuse(c, "there are no derivatives of outputs");
}

/* Where the model stops the step is discarded, and the status says how far it got. */
FMI int fmi2DoStep(void *c, double t, double step, int no_return)
{
    unit_step came_to;
    (void)no_return;
    if (!call_may_step(c, UNIT_STEP)) return UNIT_ERROR;
    unit_status status = unit_advance(c, t, step, &came_to);
    return status == UNIT_OK && came_to.over ? UNIT_DISCARD : (int)status;
}

FMI int fmi2CancelStep(void *c)
{
    return call_refuse(c, "steps are over when they return");
}

FMI int fmi2GetStatus(void *c, int kind, int *value)
{
    (void)kind, (void)value;
    return call_refuse(c, "steps are over when they return");
}

FMI int fmi2GetRealStatus(void *c, int kind, double *value)
{
    const unit *u = c;
    if (!value || !call_may_step(u, UNIT_STEP | UNIT_OVER)) return UNIT_ERROR;
    if (kind != 2) return call_refuse(u, "there is no such status"); /* the last successful time */
    *value = u->t;
    return UNIT_OK;
}

FMI int fmi2GetIntegerStatus(void *c, int kind, int *value)
{
    (void)kind, (void)value;
    return call_refuse(c, "there is no such status");
}

FMI int fmi2GetBooleanStatus(void *c, int kind, int *value)
{
    const unit *u = c;
    if (!value || !call_may_step(u, UNIT_STEP | UNIT_OVER)) return UNIT_ERROR;
    if (kind != 3) return call_refuse(u, "there is no such status"); /* terminated */
    *value = u->over;
    return UNIT_OK;
}

FMI int fmi2GetStringStatus(void *c, int kind, const char **value)
{
    (void)kind, (void)value;
    return call_refuse(c, "there is no such status");
}
