/*
 * What conclude.c and remarks.c share: sentences about a run that is over.
 */
#ifndef ZR_CONCLUDE_H
#define ZR_CONCLUDE_H

#include "run.h"

/* Any short number with words before it, mostly a time. */
static inline void add_brief_number(zb_text *text, const char *before, double t)
{
    zb_text_add(text, before);
    zr_text_short(text, t);
}

/* Reports the sentence in `text` and frees it. */
static inline zw_status report_and_free(zw_sim *sim, zr_message message, zb_text *text)
{
    zw_status status = zr_report(sim->model, &message, text);
    zb_text_free(text);
    return status;
}

/* A text to write a message into; freed by report_and_free. */
static inline zb_text open_sentence(const zw_sim *sim)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    return text;
}

/* What a drive asks for that a row cannot follow; false: nothing is said (conclude.c). */
bool zr_say_drive(zw_sim *sim, int32_t row, zb_text *text);
/* Of its contacts (contact_remarks.c). */
zw_status zr_tell_contacts(zw_sim *sim);
/* Of its motors (motor_lines.c); whether the rows that were left off are all of controls by motors. */
zw_status zr_tell_motors(zw_sim *sim);
bool zr_are_left_rows_driven(const zw_sim *sim);
/* Warnings and remarks about the run, whether it has failed or not (remarks.c). */
zw_status zr_tell_remarks(zw_sim *sim);

#endif
