/*
 * A unit: one instance of an FMU. The functions of FMI 2 (fmi2.c) and 3 (fmi3.c) check the order of
 * calls and hand on to it. The library is inside; this folder sees zwang.h alone.
 *
 *     ../cli/exports/fmu_layout.c   which variable a value reference stands for: of the command, too
 *     unit_resources.c the texts that lie in the folder of resources
 *     unit.c           making, starting, freeing, messages
 *     unit_values.c    variables, read and set
 *     unit_motion.c    steps of Co-Simulation; states, derivatives and drift of Model Exchange
 *     unit_state.c     a state of the FMU as bytes
 *
 * Co-Simulation is a run of the library; the state is at the last communication point. In Model
 * Exchange the importer integrates q and v, which are redundant coordinates: where they have left
 * the constraints by more than the tolerance an event brings them back.
 */
#ifndef FMU_UNIT_H
#define FMU_UNIT_H

#include "fmu_layout.h"

/* Both standards number them so. */
typedef enum unit_status {
    UNIT_OK = 0,
    UNIT_WARNING = 1,
    UNIT_DISCARD = 2,
    UNIT_ERROR = 3,
    UNIT_FATAL = 4
} unit_status;

/* Where in its life a unit is; bits, so that functions can say in which of them they are allowed. */
typedef enum unit_phase {
    UNIT_NEW = 1,        /* instantiated */
    UNIT_INITIAL = 2,    /* initialization mode */
    UNIT_EVENT = 4,      /* event mode */
    UNIT_CONTINUOUS = 8, /* continuous-time mode */
    UNIT_STEP = 16,      /* between steps of Co-Simulation */
    UNIT_OVER = 32,      /* terminated */
    UNIT_ANY = 63
} unit_phase;

/* Where messages go; `send` knows which standard's function it calls. */
typedef struct unit_log {
    void (*send)(const struct unit_log *log, const char *name, unit_status status,
                 const char *text);
    void (*function)(void); /* the importer's; NULL: none */
    void *environment;      /* the importer's */
} unit_log;

/* The texts of the folder of resources. */
typedef struct unit_texts {
    char *folder; /* with / at its end */
    struct unit_text {
        char *text; /* [length] and a 0 */
        size_t length;
    } * list;
    int32_t count;
} unit_texts;

/* All memory is the unit's own. */
typedef struct unit {
    char *name, *token; /* of the instance; of the FMU */
    unit_log log;
    unit_texts texts;
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    zw_columns *columns;
    fmu_layout layout;
    unit_phase phase;
    bool exchange;        /* Model Exchange */
    bool event_mode;      /* of Co-Simulation in 3.0: steps end at events */
    bool early;           /* steps may end early */
    bool started;         /* q and v are a start; else it has to be found when it is needed */
    bool begun;           /* a run is under way */
    bool solved;          /* z is at the state */
    bool shown;           /* row is at the state */
    bool over;            /* the model has stopped */
    bool accept;          /* a compromise at the start */
    double t, start;      /* of the state; where the experiment begins, NaN: as the model says */
    double tol;           /* NaN: as the model says */
    double *q, *v;        /* [n] each */
    double *z;            /* [n] */
    double *wanted;       /* [2 n] start values that the importer has set, NaN: as the model says */
    double *row;          /* [columns] */
    double *value, *rate; /* [rows] of constraints */
    int32_t *handle;      /* [parameters] -1: none */
    int32_t *order, handles; /* [parameters]: those with a handle, in the order of handles */
    int64_t happened;        /* in the run, when the step began */
} unit;

/* --------------------------------------------------------------------- unit.c */

/* NULL after a message: no memory, another token, no resources, or a model that does not compile. */
unit *unit_create(const char *name, const char *token, const char *resources, const unit_log *log);
void unit_free(unit *u);
/* The simulation anew, as the model has it; parameters and start values are forgotten. */
unit_status unit_renew(unit *u);
/* q, v and t of the start, unless they are there. */
unit_status unit_start(unit *u);
/* Says a sentence; returns the status. */
unit_status unit_say(const unit *u, unit_status status, const char *text);
/* UNIT_OK, or an error after what the library has to say of it. */
unit_status unit_judge(unit *u, zw_status status, const char *doing);
/* A handle for a parameter, unless it has one. Ends a run that was begun without. */
unit_status unit_take_handle(unit *u, int32_t parameter);

/* ----------------------------------------------------------------- unit_resources.c */

/* The folder from a path or from file:///...; false: it is neither, or there is no memory. */
bool unit_texts_open(unit_texts *texts, const char *place);
/* The text of a file in it, kept; NULL: there is none. */
const char *unit_texts_read(unit_texts *texts, const char *file, size_t *length);
void unit_texts_close(unit_texts *texts);
/* Compiles the model there. */
zw_status unit_compile(unit *u);

/* -------------------------------------------------------------------- unit_values.c */

unit_status unit_get(unit *u, const uint32_t *references, size_t count, double *values);
unit_status unit_set(unit *u, const uint32_t *references, size_t count, const double *values);
/* Rates of unknowns along a direction of knowns. */
typedef struct unit_direction {
    const uint32_t *unknown, *known;
    size_t unknowns, knowns;
    const double *seed;
} unit_direction;
unit_status unit_derive(unit *u, const unit_direction *d, double *rates);

/* -------------------------------------------------------------------- unit_motion.c */

/* Begins the run of Co-Simulation. */
unit_status unit_begin(unit *u);
/* What a step came to. */
typedef struct unit_step {
    bool event, over; /* something has happened there; the model has stopped */
} unit_step;
unit_status unit_advance(unit *u, double from, double step, unit_step *came_to);
unit_status unit_accelerate(unit *u); /* z */
/* Model Exchange. */
unit_status unit_set_time(unit *u, double t);
unit_status unit_set_states(unit *u, const double *x, size_t count);
unit_status unit_get_states(unit *u, double *x, size_t count);
unit_status unit_get_rates(unit *u, double *x, size_t count);
/* Whether the state has left its constraints by more than the tolerance. */
unit_status unit_look_for_drift(unit *u, bool *drifted);
/* Onto the constraints where it has. */
unit_status unit_bring_back(unit *u, bool *changed);

/* --------------------------------------------------------------------- unit_state.c */

/* Everything that the future depends on. */
typedef struct unit_bytes {
    size_t size;
    char bytes[];
} unit_bytes;
unit_status unit_save(unit *u, unit_bytes **state); /* reuses *state where it fits; or NULL */
unit_status unit_restore(unit *u, const unit_bytes *state);

#endif
