/*
 * gallery_worker.c: runs models when it is told to, for compare_gallery.js.
 *
 *   gallery_worker < PATHS      of models, one a line
 *
 * For every line it runs that model once, warm: the text is compiled when its path comes for the
 * first time, start and begin are not counted, nor what writes rows. It answers with a line: seconds
 * of CPU time that the motion took, and evaluations; `nan 0` where the model cannot be run. The
 * absolute tolerance is the relative one where the model does not say it, for builds differ in what
 * they take then.
 * Sees zwang.h alone, so that it can be compiled against builds of other times.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zwang.h>

#include "measure.h"

enum { MOST_MODELS = 256, PATH = 4096, USUAL_ROWS = 1000 };

typedef struct known {
    char *path;
    zw_context *context;
    zw_model *model; /* NULL: cannot be compiled */
} known;

static known list[MOST_MODELS];
static int count;

/* The whole file, or NULL. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
    if (text) {
        rewind(file);
        if (fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = 0;
    }
    if (file) fclose(file);
    return text;
}

/* The model of a path, compiled at the first time. */
static zw_model *find_model(const char *path)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].path, path) == 0) return list[i].model;
    if (count == MOST_MODELS) return NULL;
    known *k = &list[count++];
    char *text = read_file(path);
    k->path = malloc(strlen(path) + 1);
    if (!k->path) exit(1);
    strcpy(k->path, path);
    if (!text || zw_context_create(NULL, &k->context) != ZW_OK) return NULL;
    zw_model_source source = {.file = k->path, .text = text, .length = strlen(text)};
    if (zw_model_compile(k->context, &source, &k->model) != ZW_OK) k->model = NULL;
    return k->model; /* the text stays, for the model may point into it */
}

/* From row to row to the end, as the command does. */
static zw_status move_to_end(zw_sim *sim, const zw_run_settings *set)
{
    double every = set->every > 0.0 ? set->every : (set->until - set->from) / USUAL_ROWS;
    zw_outcome outcome = ZW_REACHED;
    zw_status status = ZW_OK;
    for (long i = 1; status == ZW_OK && outcome == ZW_REACHED; i++) {
        double t = set->from + every * (double)i;
        if (!(t < set->until)) return zw_sim_advance(sim, set->until, &outcome);
        status = zw_sim_advance(sim, t, &outcome);
    }
    return status;
}

/* Seconds, NaN where it cannot be run. */
static double run_once(zw_model *model, long *evaluations)
{
    zw_sim *sim = NULL;
    zw_run_settings set;
    zw_run_statistics stats = {0};
    double taken = (double)NAN;
    if (zw_run_defaults(model, &set) != ZW_OK || zw_sim_create(model, &sim) != ZW_OK) return taken;
    if (!(set.abs_tol > 0.0)) set.abs_tol = set.tol;
    if (zw_sim_start(sim, set.accept_inconsistent) == ZW_OK && zw_sim_begin(sim, &set) == ZW_OK) {
        double began = cpu_seconds();
        zw_status status = move_to_end(sim, &set);
        if (status == ZW_OK) taken = cpu_seconds() - began;
        if (zw_sim_statistics(sim, &stats) == ZW_OK) *evaluations = (long)stats.evaluations;
    }
    zw_sim_free(sim);
    return taken;
}

int main(void)
{
    char path[PATH];
    while (fgets(path, sizeof path, stdin)) {
        long evaluations = 0;
        path[strcspn(path, "\n")] = 0;
        zw_model *model = find_model(path);
        double taken = model ? run_once(model, &evaluations) : (double)NAN;
        printf("%.9g %ld\n", taken, evaluations);
        fflush(stdout);
    }
    return 0;
}
