/*
 * Keeping a run: its checkpoints, and FILE.part. A checkpoint is a list of sections, each a length
 * and so many bytes: whose run it is; the place in the rows; which columns had bad values; the text of
 * --events; the rows of --report; the simulation.
 *
 * The simulation is kept as zw_sim_save has it, and the run goes on to the same bits. The past of bdf
 * cannot be saved: of that method (and of auto, once it has changed to it) there is the state alone,
 * with which it begins anew (R0825).
 */
#include "run_keeper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint_file.h"
#include "exit_status.h"

/* ------------------------------------------------------------------------ sections */

static void put_section(FILE *out, const void *bytes, size_t size)
{
    uint64_t length = size;
    (void)fwrite(&length, 1, sizeof length, out);
    if (size > 0) (void)fwrite(bytes, 1, size, out);
}

/* A part of a checkpoint that was read, and the rest of it. */
typedef struct section {
    const char *at;
    size_t size, left; /* left: bytes from `at` to the end of the checkpoint */
} section;

/* The next one. False: there is none, and then the checkpoint was written by something else. */
static bool next_section(section *s)
{
    uint64_t length;
    s->at += s->size;
    s->left -= s->size;
    s->size = 0;
    if (s->left < sizeof length) return false;
    memcpy(&length, s->at, sizeof length);
    s->at += sizeof length;
    s->left -= sizeof length;
    if (length > s->left) return false;
    s->size = (size_t)length;
    return true;
}

/* The next one, of exactly so many bytes. */
static bool take_section(section *s, void *to, size_t size)
{
    if (!next_section(s) || s->size != size) return false;
    if (size > 0) memcpy(to, s->at, size);
    return true;
}

/* Always false. */
static bool refuse_sections(const run_keeper *k)
{
    message_report(k->log, MSG_NO_CHECKPOINT, &(zw_diagnostic){.file = k->options->checkpoint},
                   "this checkpoint does not fit the run");
    return false;
}

static bool refuse_keeper_memory(const run_keeper *k)
{
    message_report(k->log, MSG_MEMORY, &(zw_diagnostic){.file = k->options->checkpoint},
                   "there is not enough memory for a checkpoint");
    return false;
}

/* ---------------------------------------------------------------- opening, closing */

/* A checkpoint that is not asked for is not overwritten. False after a report. */
static bool read_checkpoint(run_keeper *k)
{
    const char *name = k->options->checkpoint;
    if (!k->options->resume) {
        if (!checkpoint_exists(name)) return true;
        zw_diagnostic place = {.file = name,
                               .help = "add --resume to go on with its run, or move it away"};
        message_report(k->log, MSG_EXISTS, &place,
                       "there is a checkpoint already, and it is not overwritten");
        return false;
    }
    checkpoint_found found = checkpoint_read(name, &k->found, k->log);
    if (found != CHECKPOINT_READ) return found == CHECKPOINT_NONE;
    section s = {.at = k->found.text + checkpoint_header,
                 .left = k->found.length - checkpoint_header};
    if (!next_section(&s) || s.size == 0 || s.at[s.size - 1] != '\0') return refuse_sections(k);
    return run_identity_compare(name, s.at, k->identity, k->log);
}

bool run_keeper_open(run_keeper *k, const run_options *o, model_job *job,
                     const zw_run_settings *settings, const run_times *times)
{
    *k = (run_keeper){.options = o,
                      .log = &job->log,
                      .method = settings->method,
                      .n = zw_model_coordinate_count(job->model),
                      .raw = o->format != ZW_RESULT_CSV,
                      .part = {.file = -1}};
    k->identity = run_identity(o, job, settings, times);
    if (!k->identity) return refuse_keeper_memory(k);
    return read_checkpoint(k) && part_name(&k->part, o->common.output, k->log);
}

void run_keeper_close(run_keeper *k)
{
    part_close(&k->part);
    input_clear(&k->found);
    free(k->identity);
    k->identity = NULL;
}

/* ---------------------------------------------------------------------- going on */

/* bdf: the run begins anew at the state, of which there is t, q and v. */
static zw_status restore_state(const run_keeper *k, const section *s,
                               const zw_run_settings *settings)
{
    size_t n = (size_t)k->n;
    if (s->size != sizeof(double) * (2 * n + 1)) return refuse_sections(k) ? ZW_OK : ZW_ERR_WRITE;
    double *y = malloc(s->size);
    if (!y) return ZW_ERR_MEMORY;
    memcpy(y, s->at, s->size);
    zw_status status = zw_sim_set_state(k->sim, y[0], y + 1, y + 1 + n);
    if (status == ZW_OK) status = zw_sim_begin(k->sim, settings);
    zw_diagnostic place = {.file = k->options->checkpoint,
                           .help = "rows are those of a whole run up to its tolerance"};
    if (status == ZW_OK)
        message_report(k->log, MSG_STATE_ONLY, &place,
                       "the method %s goes on from the state at t = %.6g, without its past: the "
                       "verdict is about the rest of the run",
                       zw_method_name(k->method), y[0]);
    free(y);
    return status;
}

/* Columns that had bad values, events, the page. False: the checkpoint does not fit. */
static bool take_records(run_keeper *k, section *s)
{
    run_rows *r = k->rows;
    if (!take_section(s, r->bad, sizeof *r->bad * (size_t)zw_columns_count(r->columns)))
        return false;
    if (!next_section(s)) return false;
    if (k->events && !run_events_take_back(k->events, s->at, s->size)) return false;
    if (!next_section(s)) return false;
    return !r->film || film_take_back(r->film, s->at, s->size);
}

/* The numbers of the command, from the place. */
static void take_place(run_keeper *k)
{
    const run_place *p = &k->place;
    k->rows->count = p->rows;
    k->rows->row[0] = p->last_t;
    k->rows->first = p->first;
    k->rows->bad_t = p->bad_t;
    k->watch->stepped = p->stepped;
    k->watch->step = p->step;
    if (k->events) k->events->next = p->whole ? p->next_event : 0;
}

zw_status run_keeper_restore(run_keeper *k, const zw_run_settings *settings)
{
    section s = {.at = k->found.text ? k->found.text + checkpoint_header : NULL,
                 .left = k->found.text ? k->found.length - checkpoint_header : 0};
    if (!k->found.text) return ZW_OK;
    bool fits = next_section(&s) && take_section(&s, &k->place, sizeof k->place) &&
                take_records(k, &s) && next_section(&s);
    if (!fits) return refuse_sections(k) ? ZW_OK : ZW_ERR_WRITE;
    if (!k->place.whole) return restore_state(k, &s, settings);
    /* the library asks for bytes that lie as those of malloc do */
    void *bytes = malloc(s.size + 1);
    if (!bytes) return ZW_ERR_MEMORY;
    memcpy(bytes, s.at, s.size);
    zw_status status = zw_sim_restore(k->sim, bytes, s.size);
    free(bytes);
    return status;
}

/* The checkpoint first: a FILE.part without one is not of this run. */
bool run_keeper_begin(run_keeper *k)
{
    if (k->found.text) {
        bool there = part_resume(&k->part, k->place.length, k->place.hash, k->log);
        input_clear(&k->found);
        take_place(k);
        return there;
    }
    return part_make_room(&k->part, k->log) && run_keeper_save(k, 0) &&
           part_begin(&k->part, k->log);
}

/* ------------------------------------------------------------------------ saving */

/* Whether the library can save this run: not under bdf. */
static bool saves_whole(const run_keeper *k)
{
    zw_run_statistics stats;
    if (k->method == ZW_BDF) return false;
    if (k->method != ZW_AUTO) return true;
    return zw_sim_statistics(k->sim, &stats) == ZW_OK && !stats.switched;
}

/* The simulation, or its state alone. */
static zw_status put_simulation(const run_keeper *k, FILE *out)
{
    size_t size = sizeof(double) * (2 * (size_t)k->n + 1);
    zw_status status = k->place.whole ? zw_sim_save(k->sim, NULL, 0, &size) : ZW_OK;
    if (status != ZW_OK) return status;
    double *bytes = malloc(size);
    if (!bytes) return ZW_ERR_MEMORY;
    if (k->place.whole)
        status = zw_sim_save(k->sim, bytes, size, &size);
    else
        status = zw_sim_state(k->sim, bytes, bytes + 1, bytes + 1 + k->n);
    if (status == ZW_OK) put_section(out, bytes, size);
    free(bytes);
    return status;
}

/* All sections. */
static zw_status put_checkpoint(run_keeper *k, FILE *out)
{
    const run_rows *r = k->rows;
    put_section(out, k->identity, strlen(k->identity) + 1);
    put_section(out, &k->place, sizeof k->place);
    put_section(out, r->bad, sizeof *r->bad * (size_t)zw_columns_count(r->columns));
    size_t length = 0;
    const char *events = k->events ? run_events_text(k->events, &length) : "";
    if (!events) return ZW_ERR_MEMORY;
    put_section(out, events, length);
    char *page = NULL;
    length = 0;
    if (r->film && !film_keep(r->film, &page, &length)) return ZW_ERR_MEMORY;
    put_section(out, page, length);
    free(page);
    return put_simulation(k, out);
}

/* What the command itself knows of the run, when all rows are in FILE.part. */
static void note_place(run_keeper *k, int64_t next)
{
    const run_rows *r = k->rows;
    if (k->events) run_events_take(k->events);
    memset(&k->place, 0, sizeof k->place); /* padding, too */
    k->place.next = next;
    k->place.rows = r->count;
    k->place.length = k->part.length;
    k->place.hash = k->part.hash;
    k->place.last_t = r->row[0];
    k->place.bad_t = r->bad_t;
    k->place.stepped = k->watch->stepped;
    k->place.step = k->watch->step;
    k->place.next_event = k->events ? k->events->next : 0;
    k->place.first = r->first;
    k->place.whole = saves_whole(k);
}

bool run_keeper_save(run_keeper *k, int64_t next)
{
    char *text = NULL;
    size_t length = 0;
    if (!run_rows_send(k->rows) || !part_send(&k->part, true)) return part_refuse(&k->part, k->log);
    note_place(k, next);
    FILE *out = open_memstream(&text, &length);
    zw_status status = out ? put_checkpoint(k, out) : ZW_ERR_MEMORY;
    if (out && ferror(out)) status = ZW_ERR_MEMORY;
    if (out && fclose(out) != 0) status = ZW_ERR_MEMORY;
    bool done = status == ZW_OK;
    if (done)
        done = checkpoint_write(k->options->checkpoint, text, length, k->log);
    else
        (void)refuse_keeper_memory(k);
    free(text);
    return done;
}

/* ----------------------------------------------------------------------- the end */

/* The rows of FILE.part once more, in the format of FILE. */
static zw_status convert_rows(run_keeper *k, output *out)
{
    run_rows *r = k->rows;
    size_t width = (size_t)zw_columns_count(r->columns);
    zw_status status = run_rows_open_result(r, k->options->format, output_put, out, k->log);
    if (status != ZW_OK) return status;
    if (lseek(k->part.file, 0, SEEK_SET) != 0) status = ZW_ERR_WRITE;
    FILE *in = status == ZW_OK ? fdopen(dup(k->part.file), "rb") : NULL;
    for (int64_t i = 0; in && i < r->count && status == ZW_OK; i++)
        status = fread(r->row, sizeof *r->row, width, in) == width
                     ? zw_result_row(r->result, r->row)
                     : ZW_ERR_WRITE;
    if (in)
        (void)fclose(in);
    else if (status == ZW_OK)
        status = ZW_ERR_MEMORY;
    zw_status closed = zw_result_close(r->result);
    r->result = NULL;
    return status == ZW_OK ? closed : status;
}

bool run_keeper_finish(run_keeper *k)
{
    if (!k->raw) return part_finish(&k->part, k->log);
    output out;
    if (!part_send(&k->part, false)) return part_refuse(&k->part, k->log);
    if (!output_open(&out, k->options->common.output, k->log)) return false;
    zw_status status = convert_rows(k, &out);
    if (!output_close(&out, status == ZW_OK, k->log)) return false;
    if (status != ZW_OK)
        message_report(k->log, MSG_WRITE, &(zw_diagnostic){.file = k->options->common.output},
                       "the rows of %s cannot be converted: %s", k->part.part,
                       zw_status_sentence(status));
    return status == ZW_OK;
}

void run_keeper_forget(run_keeper *k)
{
    checkpoint_remove(k->options->checkpoint);
    if (k->raw && k->part.part) (void)unlink(k->part.part);
}
