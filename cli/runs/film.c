/*
 * Keeping the rows of a run, and making one for them.
 */
#include "film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exit_status.h"

/* -------------------------------------------------------------------------- rows */

zw_status film_create(film *f, zw_model *model, const char *list, int64_t most)
{
    *f = (film){.stride = 1};
    zw_status status = zw_columns_create(model, list, &f->columns);
    if (status != ZW_OK) return status;
    f->width = zw_columns_count(f->columns) + 1;
    if (most > 0) f->most = most / f->width > 200 ? most / f->width : 200;
    if (f->most > 40000) f->most = 40000;
    return ZW_OK;
}

void film_free(film *f)
{
    zw_columns_free(f->columns);
    json_decref(f->tree);
    free(f->rows);
}

/* Drops every second row. */
static void thin_rows(film *f)
{
    size_t bytes = (size_t)f->width * sizeof *f->rows;
    int64_t kept = 0;
    for (int64_t k = 0; k < f->count; k += 2, kept++)
        memmove(f->rows + kept * f->width, f->rows + k * f->width, bytes);
    f->count = kept;
    f->stride *= 2;
}

/* Room for one more row. */
static bool reserve_row(film *f)
{
    if (f->count < f->room) return true;
    int64_t room = f->room > 0 ? 2 * f->room : 512;
    double *rows = realloc(f->rows, (size_t)room * (size_t)f->width * sizeof *rows);
    if (!rows) return false;
    f->rows = rows;
    f->room = room;
    return true;
}

zw_status film_take(film *f, zw_sim *sim, double step)
{
    if (f->last_kept) f->count--;
    f->last_kept = f->total % f->stride != 0;
    f->total++;
    if (!f->last_kept && f->most > 0 && f->count >= f->most) {
        thin_rows(f);
        f->last_kept = (f->total - 1) % f->stride != 0;
    }
    if (!reserve_row(f)) return ZW_ERR_MEMORY;
    double *row = f->rows + f->count++ * f->width;
    for (int32_t k = 0; k + 1 < f->width; k++) row[k] = (double)NAN; /* where nothing is known */
    row[f->width - 1] = step;
    zw_status status = zw_sim_columns(sim, f->columns, row);
    bool memory = status == ZW_ERR_MEMORY || status == ZW_ERR_BUDGET;
    return memory ? status : ZW_OK;
}

/* ------------------------------------------------------------- for checkpoints */

/* What stands before the rows. */
typedef struct film_numbers {
    int64_t count, total, stride, width, last_kept;
} film_numbers;

bool film_keep(const film *f, char **bytes, size_t *size)
{
    film_numbers numbers = {f->count, f->total, f->stride, f->width, f->last_kept};
    size_t rows = (size_t)f->count * (size_t)f->width * sizeof *f->rows;
    *size = sizeof numbers + rows;
    *bytes = malloc(*size);
    if (!*bytes) return false;
    memcpy(*bytes, &numbers, sizeof numbers);
    if (rows > 0) memcpy(*bytes + sizeof numbers, f->rows, rows);
    return true;
}

bool film_take_back(film *f, const char *bytes, size_t size)
{
    film_numbers numbers;
    if (size < sizeof numbers) return false;
    memcpy(&numbers, bytes, sizeof numbers);
    size_t row = (size_t)f->width * sizeof *f->rows, rows = size - sizeof numbers;
    if (numbers.width != f->width || numbers.count < 0 || rows % row != 0 ||
        rows / row != (size_t)numbers.count || numbers.stride < 1)
        return false;
    double *fresh = malloc(rows + 1);
    if (!fresh) return false;
    memcpy(fresh, bytes + sizeof numbers, rows);
    free(f->rows);
    f->rows = fresh;
    f->count = f->room = numbers.count;
    f->total = numbers.total;
    f->stride = numbers.stride;
    f->last_kept = numbers.last_kept != 0;
    return true;
}

/* ------------------------------------------------------------------------- scene */

zw_status film_take_scene(film *f, zw_sim *sim)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    zw_status status = out ? zw_sim_scene(sim, f->columns, model_write, out) : ZW_ERR_MEMORY;
    if (out && fclose(out) != 0) status = ZW_ERR_MEMORY;
    if (status == ZW_OK) f->tree = json_loadb(text, length, 0, NULL);
    free(text);
    return status != ZW_OK || f->tree ? status : ZW_ERR_MEMORY;
}

/* ------------------------------------------------------------------------- noise */

/* The column of kinetic energy; -1: none. */
static int32_t find_kinetic(const film *f)
{
    for (int32_t k = 0; k + 1 < f->width; k++) {
        char name[16];
        if (zw_columns_name(f->columns, k, name, sizeof name) == 7 && strcmp(name, "kinetic") == 0)
            return k;
    }
    return -1;
}

/* The largest size of a vector of columns over the film, as far as it is finite. */
static double find_largest(const film *f, const json_t *vector)
{
    double largest = 0;
    for (int64_t i = 0; i < f->count; i++) {
        double sum = 0;
        for (size_t j = 0; j < json_array_size(vector) && j < 3; j++) {
            json_int_t k = json_integer_value(json_object_get(json_array_get(vector, j), "c"));
            double x = f->rows[i * f->width + k];
            sum += x * x;
        }
        if (isfinite(sum) && sum > largest) largest = sum;
    }
    return sqrt(largest);
}

/* How far from the origin the places of forces come. */
static double find_extent(const film *f, const json_t *forces)
{
    double extent = 0;
    for (size_t k = 0; k < json_array_size(forces); k++)
        extent = fmax(extent, find_largest(f, json_object_get(json_array_get(forces, k), "p")));
    return extent;
}

void film_drop_noise(film *f)
{
    const double noise = 1e-10;
    json_t *forces = json_object_get(f->tree, "forces");
    int32_t kinetic = find_kinetic(f);
    double energy = 0;
    if (kinetic < 0 || f->count == 0 || json_array_size(forces) == 0) return;
    for (int64_t i = 0; i < f->count; i++) energy = fmax(energy, f->rows[i * f->width + kinetic]);
    double extent = find_extent(f, forces);
    if (!(extent > 0)) return;
    for (size_t k = json_array_size(forces); k-- > 0;) {
        const json_t *v = json_object_get(json_array_get(forces, k), "v");
        if (find_largest(f, v) <= noise * energy / extent) (void)json_array_remove(forces, k);
    }
}

/* --------------------------------------------------------------------------- run */

bool film_settings(const run_options *o, model_job *job, zw_run_settings *settings,
                   run_times *times)
{
    if (run_settings_find(o, job->model, settings) != ZW_OK) return false;
    return run_times_find(o, settings->from, settings, times, &job->log);
}

/* One row at each time; where the run ends before, a last one. */
static run_end take_rows(film *f, const run_times *times, zw_sim *sim, run_watch *watch)
{
    for (int64_t k = 0; k < times->count; k++) {
        zw_outcome outcome;
        f->failure = zw_sim_advance(sim, run_times_at(times, k), &outcome);
        zw_status taken = film_take(f, sim, watch->step);
        if (f->failure != ZW_OK) return RUN_FAILED;
        if (outcome == ZW_STOPPED) return RUN_DONE;
        if (outcome == ZW_INTERRUPTED)
            return watch->late && !watch->stopped ? RUN_LATE : RUN_INTERRUPTED;
        f->failure = taken;
        if (taken != ZW_OK) return RUN_FAILED;
        if (!run_watch_row(watch, run_times_at(times, k)))
            return watch->late && !watch->stopped ? RUN_LATE : RUN_INTERRUPTED;
    }
    return RUN_DONE;
}

/* The exit status after a run; what has failed has been said by the engine. */
static int report_film_end(const film *f, model_job *job)
{
    zw_diagnostic place = {.file = job->file, .help = "what was computed up to there is shown"};
    if (f->end == RUN_DONE) return STATUS_DONE;
    if (f->end == RUN_INTERRUPTED) {
        message_report(&job->log, MSG_INTERRUPTED, &place, "the run was interrupted");
        return STATUS_INTERRUPTED;
    }
    (void)model_outcome(job, f->failure);
    return STATUS_STOPPED_EARLY;
}

int film_run(film *f, const run_options *o, model_job *job, zw_run_settings settings,
             const run_times *times, zw_sim **out)
{
    run_watch watch;
    zw_sim *sim = NULL;
    settings.poll = run_watch_step;
    settings.user = &watch;
    if (times->end == times->start) {
        settings.until = (double)NAN;
        settings.step = 1;
    }
    zw_status begun = zw_sim_create(job->model, &sim);
    *out = sim;
    if (begun == ZW_OK) begun = zw_sim_start(sim, settings.accept_inconsistent);
    if (begun == ZW_OK) begun = zw_sim_begin(sim, &settings);
    if (begun != ZW_OK) return model_outcome(job, begun);
    run_watch_start(&watch, times, o->seconds, 0, o->common.quiet || job->log.form == ZW_JSON);
    f->end = take_rows(f, times, sim, &watch);
    run_watch_end(&watch);
    (void)zw_sim_conclude(sim);
    return report_film_end(f, job);
}
