/*
 * A model as an FMU (command_export.c): its description (fmu_description.c), what it brings along
 * (fmu_resources.c, fmu_page.c), and the archive with all of it (fmu_file.c).
 */
#ifndef CLI_FMU_EXPORT_H
#define CLI_FMU_EXPORT_H

#include "fmu_layout.h"
#include "model_command.h"

typedef struct fmu_request {
    const char *name;   /* of the model in the FMU: a word of C */
    int version;        /* 2 or 3 */
    bool accept;        /* a compromise at the start */
    const char *solver; /* NULL: not said */
    zw_sim *sim;        /* at the model's start */
} fmu_request;

/* A file that goes into the archive; both owned. */
typedef struct fmu_member {
    char *name, *bytes;
    size_t size;
} fmu_member;

typedef struct fmu_members {
    fmu_member *list;
    int32_t count;
    bool failed; /* there was not enough memory */
} fmu_members;

/* Copies the bytes. */
void fmu_add(fmu_members *to, const char *name, const char *bytes, size_t size);
void fmu_members_free(fmu_members *members);

/* The texts by which the FMU compiles the same model; and which of its parameters [count] are
 * structural: fixed [count], owned by the caller. */
zw_status fmu_add_resources(fmu_members *to, const fmu_request *r, const model_job *job,
                            bool **fixed);

/* documentation/index.html. */
zw_status fmu_add_page(fmu_members *to, const fmu_request *r, const model_job *job);

/* modelDescription.xml. */
typedef struct fmu_facts {
    const char *token;
    const bool *fixed;
} fmu_facts;
zw_status fmu_describe(const fmu_request *r, const model_job *job, const fmu_facts *facts,
                       FILE *out);

/* The whole; returns the exit status. */
int fmu_write(const fmu_request *r, model_job *job, const char *file);

#endif
