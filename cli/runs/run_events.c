/*
 * The file of --events: a line for each thing that happens in a run, in the order of time. The library
 * keeps the last thousand or so, so they are taken after every step, into memory; the file is written
 * when the run is over.
 */
#include <stdlib.h>
#include <string.h>

#include "json_layout.h"
#include "run_command.h"

bool run_events_open(run_events *e, const zw_model *model, zw_sim *sim)
{
    *e = (run_events){.model = model, .sim = sim};
    e->out = open_memstream(&e->text, &e->length);
    if (e->out) (void)fputs("t,name,kind,impulse,energy\n", e->out);
    return e->out != NULL;
}

/* As RFC 4180 has it: in quotes where a character separates. */
static void put_name(FILE *out, const char *name)
{
    bool plain = !strpbrk(name, ",\"\r\n");
    if (!plain) (void)fputc('"', out);
    for (const char *c = name; *c; c++) {
        if (*c == '"') (void)fputc('"', out);
        (void)fputc(*c, out);
    }
    if (!plain) (void)fputc('"', out);
}

/* As zw_model_event_name: of an event, or of a contact. */
static size_t name_happened(const zw_model *model, const zw_happened *h, char *buffer, size_t size)
{
    if (h->kind == ZW_HAPPENS_WHEN) return zw_model_event_name(model, h->number, buffer, size);
    return zw_model_contact_name(model, h->number, buffer, size);
}

/* The name of a contact, or the condition of an event. Without memory a long one is cut. */
static void put_name_of(const run_events *e, const zw_happened *h)
{
    char brief[200];
    size_t length = name_happened(e->model, h, brief, sizeof brief);
    char *whole = length < sizeof brief ? NULL : malloc(length + 1);
    if (whole) (void)name_happened(e->model, h, whole, length + 1);
    put_name(e->out, whole ? whole : brief);
    free(whole);
}

void run_events_take(run_events *e)
{
    int64_t count = e->out ? zw_sim_happened_count(e->sim) : 0;
    for (; e->next < count; e->next++) {
        zw_happened h;
        if (zw_sim_happened(e->sim, e->next, &h) != ZW_OK) continue;
        layout_number(e->out, h.t);
        (void)fputc(',', e->out);
        put_name_of(e, &h);
        (void)fprintf(e->out, ",%s,", zw_happening_name(h.kind));
        layout_number(e->out, h.impulse);
        (void)fputc(',', e->out);
        layout_number(e->out, h.energy);
        (void)fputc('\n', e->out);
    }
}

const char *run_events_text(run_events *e, size_t *length)
{
    if (!e->out || fflush(e->out) != 0 || ferror(e->out)) return NULL;
    *length = e->length;
    return e->text;
}

/* In the place of the line of names, with which it begins, too. */
bool run_events_take_back(run_events *e, const char *text, size_t length)
{
    if (!e->out || fflush(e->out) != 0 || length < e->length) return false;
    return fwrite(text + e->length, 1, length - e->length, e->out) == length - e->length;
}

bool run_events_write(run_events *e, const char *name, message_log *log)
{
    run_events_take(e);
    bool whole = e->out && !ferror(e->out);
    if (e->out && fclose(e->out) != 0) whole = false;
    e->out = NULL;
    if (whole) return output_write(name, e->text, e->length, log);
    message_report(log, MSG_MEMORY, &(zw_diagnostic){.file = name},
                   "there is not enough memory for what happened");
    return false;
}

void run_events_free(run_events *e)
{
    if (e->out) (void)fclose(e->out);
    free(e->text);
}
