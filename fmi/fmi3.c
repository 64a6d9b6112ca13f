/*
 * The functions of FMI 3, by the names under which an importer finds them. Each looks whether it may be
 * called now, then asks the unit. All variables are of type Float64 and scalar; there are no clocks, no
 * partitions and no configuration mode.
 */
#include "calls.h"

typedef void (*logger)(void *environment, int status, const char *category, const char *message);

/* unit_log.send */
static void send_message(const unit_log *log, const char *name, unit_status status,
                         const char *text)
{
    (void)name;
    if (!log->function) return;
    ((logger)log->function)(log->environment, (int)status,
                            status == UNIT_WARNING ? "logStatusWarning" : "logStatusError", text);
}

/* ------------------------------------------------------------------- from birth to end */

FMI const char *fmi3GetVersion(void)
{
    return "3.0";
}

FMI int fmi3SetDebugLogging(void *c, bool on, size_t count, const char *const *categories)
{
    (void)on, (void)count, (void)categories;
    return c ? UNIT_OK : UNIT_ERROR;
}

FMI void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources,
                                       bool visible, bool logging, void *environment, logger log)
{
    unit_log to = {send_message, (void (*)(void))log, environment};
    (void)visible, (void)logging;
    return call_create(name, token, resources, &to, true);
}

FMI void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                      bool visible, bool logging, bool event_mode, bool early,
                                      const uint32_t *intermediate, size_t count, void *environment,
                                      logger log, void (*update)(void))
{
    unit_log to = {send_message, (void (*)(void))log, environment};
    (void)visible, (void)logging, (void)intermediate, (void)count, (void)update;
    unit *u = call_create(name, token, resources, &to, false);
    if (u) u->event_mode = event_mode;
    if (u) u->early = early;
    return u;
}

FMI void *fmi3InstantiateScheduledExecution(const char *name, const char *token,
                                            const char *resources, bool visible, bool logging,
                                            void *environment, logger log, void (*update)(void),
                                            void (*lock)(void), void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update;
    (void)lock, (void)unlock;
    if (log) log(environment, UNIT_ERROR, "logStatusError", "there is no scheduled execution");
    return NULL;
}

FMI void fmi3FreeInstance(void *c)
{
    unit_free(c);
}

FMI int fmi3EnterInitializationMode(void *c, bool has_tolerance, double tolerance, double start,
                                    bool has_stop, double stop)
{
    (void)has_stop, (void)stop;
    int status = call_setup(c, has_tolerance, tolerance, start);
    return status == UNIT_OK ? call_change_phase(c, UNIT_NEW, UNIT_INITIAL) : status;
}

FMI int fmi3ExitInitializationMode(void *c)
{
    return call_leave_initialization(c);
}

FMI int fmi3Terminate(void *c)
{
    return call_terminate(c);
}

FMI int fmi3Reset(void *c)
{
    return call_reset(c);
}

/* Event mode of Co-Simulation is there where the importer has said that it uses it. */
FMI int fmi3EnterEventMode(void *c)
{
    const unit *u = c;
    if (u && !u->exchange && !u->event_mode) return call_refuse(u, "event mode is not used");
    return call_change_phase(c, u && u->exchange ? UNIT_CONTINUOUS : UNIT_STEP, UNIT_EVENT);
}

FMI int fmi3EnterStepMode(void *c)
{
    if (!call_may_step(c, UNIT_EVENT)) return UNIT_ERROR;
    return call_change_phase(c, UNIT_EVENT, UNIT_STEP);
}

FMI int fmi3EnterConfigurationMode(void *c)
{
    return call_refuse(c, "there are no structural parameters");
}

FMI int fmi3ExitConfigurationMode(void *c)
{
    return call_refuse(c, "there are no structural parameters");
}

/* --------------------------------------------------------------------------- variables */

FMI int fmi3GetFloat64(void *c, const uint32_t *references, size_t count, double *values,
                       size_t value_count)
{
    if (!call_may(c, UNIT_ANY)) return UNIT_ERROR;
    if (count != value_count) return call_refuse(c, "every variable has one value");
    return (int)unit_get(c, references, count, values);
}

FMI int fmi3SetFloat64(void *c, const uint32_t *references, size_t count, const double *values,
                       size_t value_count)
{
    if (!call_may(c, UNIT_ANY & ~UNIT_OVER)) return UNIT_ERROR;
    if (count != value_count) return call_refuse(c, "every variable has one value");
    return (int)unit_set(c, references, count, values);
}

/* There are none of the other types; nothing of nothing is well. */
static int only_floats(const unit *u, size_t count)
{
    return u && count == 0 ? UNIT_OK : call_refuse(u, "all variables are of type Float64");
}

#define FMI_NO_TYPE(TYPE, type)                                                                    \
    FMI int fmi3Get##TYPE(void *c, const uint32_t *references, size_t count, type *values,         \
                          size_t value_count)                                                      \
    {                                                                                              \
        (void)references, (void)values, (void)value_count;                                         \
        return only_floats(c, count);                                                              \
    }                                                                                              \
    FMI int fmi3Set##TYPE(void *c, const uint32_t *references, size_t count, type const *values,   \
                          size_t value_count)                                                      \
    {                                                                                              \
        (void)references, (void)values, (void)value_count;                                         \
        return only_floats(c, count);                                                              \
    }
FMI_NO_TYPE(Float32, float)
FMI_NO_TYPE(Int8, int8_t)
FMI_NO_TYPE(UInt8, uint8_t)
FMI_NO_TYPE(Int16, int16_t)
FMI_NO_TYPE(UInt16, uint16_t)
FMI_NO_TYPE(Int32, int32_t)
FMI_NO_TYPE(UInt32, uint32_t)
FMI_NO_TYPE(Int64, int64_t)
FMI_NO_TYPE(UInt64, uint64_t)
FMI_NO_TYPE(Boolean, bool)
FMI_NO_TYPE(String, const char *)

FMI int fmi3GetBinary(void *c, const uint32_t *references, size_t count, size_t *sizes,
                      const uint8_t **values, size_t value_count)
{
    (void)references, (void)sizes, (void)values, (void)value_count;
    return only_floats(c, count);
}

FMI int fmi3SetBinary(void *c, const uint32_t *references, size_t count, const size_t *sizes,
                      const uint8_t *const *values, size_t value_count)
{
    (void)references, (void)sizes, (void)values, (void)value_count;
    return only_floats(c, count);
}

/* Whatever follows depends on everything: the description says so by saying nothing. */
FMI int fmi3GetNumberOfVariableDependencies(void *c, uint32_t reference, size_t *count)
{
    (void)reference, (void)count;
    return call_refuse(c, "dependencies are in the description");
}

FMI int fmi3GetVariableDependencies(void *c, uint32_t dependent, size_t *elements,
                                    uint32_t *independents, size_t *of_them, int *kinds,
                                    size_t count)
{
    (void)dependent, (void)elements, (void)independents, (void)of_them, (void)kinds, (void)count;
    return call_refuse(c, "dependencies are in the description");
}

FMI int fmi3GetDirectionalDerivative(void *c, const uint32_t *unknown, size_t unknowns,
                                     const uint32_t *known, size_t knowns, const double *seed,
                                     size_t seeds, double *rates, size_t rate_count)
{
    unit_direction direction = {unknown, known, unknowns, knowns, seed};
    if (!call_may(c, UNIT_ANY & ~UNIT_NEW)) return UNIT_ERROR;
    if (seeds != knowns || rate_count != unknowns)
        return call_refuse(c, "every variable has one value");
    return (int)unit_derive(c, &direction, rates);
}

FMI int fmi3GetAdjointDerivative(void *c, const uint32_t *unknown, size_t unknowns,
                                 const uint32_t *known, size_t knowns, const double *seed,
                                 size_t seeds, double *rates, size_t rate_count)
{
    (void)unknown, (void)unknowns, (void)known, (void)knowns, (void)seed, (void)seeds, (void)rates;
    (void)rate_count;
    return call_refuse(c, "there are no adjoint derivatives");
}

/* ------------------------------------------------------------------------------ states */

FMI int fmi3GetFMUState(void *c, void **state)
{
    return call_get_state(c, state);
}

FMI int fmi3SetFMUState(void *c, void *state)
{
    return call_set_state(c, state);
}

FMI int fmi3FreeFMUState(void *c, void **state)
{
    return call_free_state(c, state);
}

FMI int fmi3SerializedFMUStateSize(void *c, void *state, size_t *size)
{
    return call_state_size(c, state, size);
}

FMI int fmi3SerializeFMUState(void *c, void *state, uint8_t *bytes, size_t size)
{
    return call_write_state(c, state, bytes, size);
}

FMI int fmi3DeserializeFMUState(void *c, const uint8_t *bytes, size_t size, void **state)
{
    return call_read_state(c, bytes, size, state);
}

/* ------------------------------------------------------------------------------ clocks */

static int no_clocks(const unit *u, size_t count)
{
    return u && count == 0 ? UNIT_OK : call_refuse(u, "there are no clocks");
}

FMI int fmi3GetClock(void *c, const uint32_t *references, size_t count, bool *values)
{
    (void)references, (void)values;
    return no_clocks(c, count);
}

FMI int fmi3SetClock(void *c, const uint32_t *references, size_t count, const bool *values)
{
    (void)references, (void)values;
    return no_clocks(c, count);
}

FMI int fmi3GetIntervalDecimal(void *c, const uint32_t *references, size_t count, double *intervals,
                               int *qualifiers)
{
    (void)references, (void)intervals, (void)qualifiers;
    return no_clocks(c, count);
}

FMI int fmi3GetIntervalFraction(void *c, const uint32_t *references, size_t count,
                                uint64_t *counters, uint64_t *resolutions, int *qualifiers)
{
    (void)references, (void)counters, (void)resolutions, (void)qualifiers;
    return no_clocks(c, count);
}

FMI int fmi3GetShiftDecimal(void *c, const uint32_t *references, size_t count, double *shifts)
{
    (void)references, (void)shifts;
    return no_clocks(c, count);
}

FMI int fmi3GetShiftFraction(void *c, const uint32_t *references, size_t count, uint64_t *counters,
                             uint64_t *resolutions)
{
    (void)references, (void)counters, (void)resolutions;
    return no_clocks(c, count);
}

FMI int fmi3SetIntervalDecimal(void *c, const uint32_t *references, size_t count,
                               const double *intervals)
{
    (void)references, (void)intervals;
    return no_clocks(c, count);
}

FMI int fmi3SetIntervalFraction(void *c, const uint32_t *references, size_t count,
                                const uint64_t *counters, const uint64_t *resolutions)
{
    (void)references, (void)counters, (void)resolutions;
    return no_clocks(c, count);
}

FMI int fmi3SetShiftDecimal(void *c, const uint32_t *references, size_t count, const double *shifts)
{
    (void)references, (void)shifts;
    return no_clocks(c, count);
}

FMI int fmi3SetShiftFraction(void *c, const uint32_t *references, size_t count,
                             const uint64_t *counters, const uint64_t *resolutions)
{
    (void)references, (void)counters, (void)resolutions;
    return no_clocks(c, count);
}

FMI int fmi3ActivateModelPartition(void *c, uint32_t clock, double t)
{
    (void)clock, (void)t;
    return call_refuse(c, "there is no scheduled execution");
}

/* --------------------------------------------------------------- events, Model Exchange */

FMI int fmi3EvaluateDiscreteStates(void *c)
{
    return call_may(c, UNIT_INITIAL | UNIT_EVENT) ? UNIT_OK : UNIT_ERROR;
}

/* In Co-Simulation the run has handled its events itself. */
FMI int fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals,
                                 bool *values, bool *has_next, double *next)
{
    const unit *u = c;
    if (!again || !terminate || !nominals || !values || !has_next || !next) return UNIT_ERROR;
    if (!call_may(u, UNIT_EVENT)) return UNIT_ERROR;
    *again = *nominals = *values = *has_next = false;
    *next = 0.0;
    *terminate = u->over;
    return u->exchange ? (int)unit_bring_back(c, values) : UNIT_OK;
}

FMI int fmi3EnterContinuousTimeMode(void *c)
{
    if (!call_may_exchange(c, UNIT_EVENT)) return UNIT_ERROR;
    return call_change_phase(c, UNIT_EVENT, UNIT_CONTINUOUS);
}

FMI int fmi3CompletedIntegratorStep(void *c, bool no_return, bool *event, bool *terminate)
{
    (void)no_return;
    if (!event || !terminate || !call_may_exchange(c, UNIT_CONTINUOUS)) return UNIT_ERROR;
    *terminate = false;
    return (int)unit_look_for_drift(c, event);
}

FMI int fmi3SetTime(void *c, double t)
{
    return call_may_exchange(c, UNIT_EVENT | UNIT_CONTINUOUS) ? (int)unit_set_time(c, t)
                                                              : UNIT_ERROR;
}

FMI int fmi3SetContinuousStates(void *c, const double *x, size_t count)
{
    return call_may_exchange(c, UNIT_CONTINUOUS) ? (int)unit_set_states(c, x, count) : UNIT_ERROR;
}

FMI int fmi3GetContinuousStateDerivatives(void *c, double *x, size_t count)
{
    return call_may_exchange(c, UNIT_ANY & ~UNIT_NEW) ? (int)unit_get_rates(c, x, count)
                                                      : UNIT_ERROR;
}

FMI int fmi3GetEventIndicators(void *c, double *x, size_t count)
{
    (void)x;
    if (!call_may_exchange(c, UNIT_ANY & ~UNIT_NEW)) return UNIT_ERROR;
    return count == 0 ? UNIT_OK : call_refuse(c, "there are no event indicators");
}

FMI int fmi3GetContinuousStates(void *c, double *x, size_t count)
{
    return call_may_exchange(c, UNIT_ANY & ~UNIT_NEW) ? (int)unit_get_states(c, x, count)
                                                      : UNIT_ERROR;
}

FMI int fmi3GetNominalsOfContinuousStates(void *c, double *x, size_t count)
{
    return call_nominals(c, x, count);
}

FMI int fmi3GetNumberOfEventIndicators(void *c, size_t *count)
{
    if (!count || !call_may_exchange(c, UNIT_ANY)) return UNIT_ERROR;
    *count = 0;
    return UNIT_OK;
}

FMI int fmi3GetNumberOfContinuousStates(void *c, size_t *count)
{
    const unit *u = c;
    if (!count || !call_may_exchange(u, UNIT_ANY)) return UNIT_ERROR;
    *count = 2 * (size_t)u->layout.n;
    return UNIT_OK;
}

/* ---------------------------------------------------------------------- Co-Simulation */

FMI int fmi3GetOutputDerivatives(void *c, const uint32_t *references, size_t count,
                                 const int32_t *orders, double *values, size_t value_count)
{
    (void)references, (void)count, (void)orders, (void)values, (void)value_count;
    return call_refuse(c, "there are no derivatives of outputs");
}

/* Where the importer allows it a step ends early: where something has happened, or the model stops. */
FMI int fmi3DoStep(void *c, double t, double step, bool no_return, bool *event, bool *terminate,
                   bool *early, double *last)
{
    const unit *u = c;
    unit_step came_to;
    (void)no_return;
    if (!event || !terminate || !early || !last || !call_may_step(u, UNIT_STEP)) return UNIT_ERROR;
    *event = *terminate = *early = false;
    *last = u->t;
    unit_status status = unit_advance(c, t, step, &came_to);
    if (status != UNIT_OK) return (int)status;
    *last = u->t;
    *terminate = came_to.over;
    *event = came_to.event && u->event_mode;
    *early = u->t < t + step;
    return UNIT_OK;
}
