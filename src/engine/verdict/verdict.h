/*
 * The verdict: what a run did and how far it can be trusted, as text or JSON. This is what both
 * forms share; private to verdict*.c.
 */
#ifndef ZR_VERDICT_H
#define ZR_VERDICT_H

#include "run.h"

typedef struct zr_verdict {
    zw_sim *sim;
    const zr_motion *run;
    zw_run_statistics stats;
    zb_text text;   /* the report */
    zb_text reason; /* of the trust; empty when it is ok */
} zr_verdict;

/* How the run ended. */
typedef enum zr_run_outcome {
    ZR_RUN_REACHED,
    ZR_RUN_STOPPED,
    ZR_RUN_FAILED,
    ZR_RUN_UNFINISHED
} zr_run_outcome;
zr_run_outcome zr_outcome_of(const zr_verdict *v);

/* The works of the ledger, by their names; those that cannot arise have possible false. */
enum { ZR_WORK_IMPACTS = ZR_POWER_COUNT, ZR_WORK_EVENTS, ZR_WORK_INPUTS, zr_work_count };
typedef struct zr_work {
    const char *name;
    double value;
    bool possible;
} zr_work;
void zr_works(const zr_verdict *v, zr_work works[zr_work_count]);

const char *zr_model_file(const zr_verdict *v); /* "model" when it came from no file */
const char *zr_stabilize_text(zw_stabilize stabilize);
const char *zr_form_text(zw_form form);

/* Begins a line of the text: the label, then what follows in column 14. */
zb_text *zr_begin_verdict_line(zr_verdict *v, const char *label);
void zr_say_contacts(zr_verdict *v); /* contact_lines.c */
void zr_say_motors(zr_verdict *v);   /* motor_lines.c */
void zr_verdict_text(zr_verdict *v);
void zr_verdict_json(zr_verdict *v);

#endif
