/*
 * An importer of FMUs for the tests: has the command export a model, unpacks the archive by itself, loads
 * the library and finds the functions of both standards by their names. It declares the interface on its
 * own, so that what the FMU declares is compared with a second reading of the standard.
 */
#ifndef TEST_IMPORTER_H
#define TEST_IMPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FMU_OK = 0, FMU_DISCARD = 2, FMU_ERROR = 3 };

typedef struct fmi2_callbacks {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} fmi2_callbacks;

typedef struct fmi2_event {
    int again, terminate, nominals, values, has_next;
    double next;
} fmi2_event;

/* An FMU that has been unpacked and loaded. */
typedef struct fmu {
    int version;
    char folder[32], resources[1000], token[64];
    char *description; /* the text of modelDescription.xml, owned */
    void *library;
    /* FMI 2 */
    void *(*instantiate2)(const char *, int, const char *, const char *, const fmi2_callbacks *,
                          int, int);
    int (*setup)(void *, int, double, double, int, double);
    int (*new_states)(void *, fmi2_event *);
    int (*completed2)(void *, int, int *, int *);
    int (*get2)(void *, const unsigned *, size_t, double *);
    int (*set2)(void *, const unsigned *, size_t, const double *);
    int (*step2)(void *, double, double, int);
    int (*real_status)(void *, int, double *);
    int (*boolean_status)(void *, int, int *);
    int (*enter_init2)(void *);
    int (*derive2)(void *, const unsigned *, size_t, const unsigned *, size_t, const double *,
                   double *);
    /* FMI 3 */
    void *(*exchange3)(const char *, const char *, const char *, bool, bool, void *,
                       void (*)(void *, int, const char *, const char *));
    void *(*cosim3)(const char *, const char *, const char *, bool, bool, bool, bool,
                    const uint32_t *, size_t, void *,
                    void (*)(void *, int, const char *, const char *), void (*)(void));
    int (*enter_init3)(void *, bool, double, double, bool, double);
    int (*update3)(void *, bool *, bool *, bool *, bool *, bool *, double *);
    int (*completed3)(void *, bool, bool *, bool *);
    int (*get3)(void *, const uint32_t *, size_t, double *, size_t);
    int (*set3)(void *, const uint32_t *, size_t, const double *, size_t);
    int (*step3)(void *, double, double, bool, bool *, bool *, bool *, double *);
    int (*step_mode)(void *);
    int (*derive3)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                   size_t, double *, size_t);
    /* the same in both */
    void (*release)(void *);
    int (*exit_init)(void *), (*terminate)(void *), (*reset)(void *);
    int (*enter_event)(void *), (*enter_continuous)(void *);
    int (*set_time)(void *, double);
    int (*set_states)(void *, const double *, size_t), (*get_states)(void *, double *, size_t);
    int (*get_rates)(void *, double *, size_t);
    int (*get_state)(void *, void **), (*set_state)(void *, void *), (*free_state)(void *, void **);
    int (*state_size)(void *, void *, size_t *);
    int (*write_state)(void *, void *, char *, size_t);
    int (*read_state)(void *, const char *, size_t, void **);
} fmu;

/* Exports the model with the text, unpacks and loads it; fails the test where that cannot be done. */
void fmu_open(fmu *f, const char *text, int version);
/* A file of the gallery. */
void fmu_open_model(fmu *f, const char *model, int version);
void fmu_close(fmu *f);

/* Messages of instances go here. */
extern char said[4096];

/* Calls by either standard. */
void *fmu_instantiate(fmu *f, bool exchange);
/* Instantiated, initialized, and in the mode in which one goes on. */
void *fmu_begin(fmu *f, bool exchange, double tol);
int fmu_get(fmu *f, void *c, uint32_t reference, double *value);
int fmu_set(fmu *f, void *c, uint32_t reference, double value);
int fmu_step(fmu *f, void *c, double t, double h);
/* The reference of a variable, from the description; fails the test where there is none. */
uint32_t fmu_reference(const fmu *f, const char *name);
double fmu_value(fmu *f, void *c, const char *name);

#endif
