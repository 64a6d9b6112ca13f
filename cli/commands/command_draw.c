/*
 * `zwang draw`: the mechanism as vector graphics, a still, a strip of stills, or numbered frames.
 *
 *     model --film--> rows --shapes--> marks --canvas--> SVG
 *
 * All stills of one call share one scale and one box, so that they can be compared and put behind
 * each other. Rows between the stills are there for trails.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "film.h"
#include "shapes.h"

enum { CELL = 420, LEAST_HEIGHT = 160, FRAMES = 100, BETWEEN = 400, STILLS_MOST = 100000 };

typedef struct draw_options {
    run_options run;
    char *frames; /* owned; NULL when not given */
    int no_forces;
} draw_options;

/* One call: what is drawn, and the stills among the rows. */
typedef struct drawing {
    const draw_options *o;
    model_job *job;
    film film;
    shape_rows rows;
    const json_t *scene, *forces;
    int64_t *stills; /* [still_count] rows */
    int64_t still_count;
    double start; /* of the run */
    canvas_view view;
    double width, height; /* of a still, in pixels */
    bool failed;          /* memory ran out */
} drawing;

/* ------------------------------------------------------------------------ stills */

static void draw_still(drawing *d, int64_t row, canvas *c)
{
    shapes_draw(d->scene, &d->rows, row, c);
    if (!d->o->no_forces) shapes_draw_forces(d->forces, &d->rows, row, c);
    if (c->failed) d->failed = true;
}

/* One box for all stills: first of the shapes, then of the arrows whose size follows from it. */
static void measure_stills(drawing *d)
{
    canvas c = {.space = json_integer_value(json_object_get(d->scene, "dimension")) == 3};
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < d->still_count; k++) {
            draw_still(d, d->stills[k], &c);
            if (pass == 0)
                canvas_measure(&c, &d->view);
            else
                canvas_fit_forces(&c, &d->view);
            canvas_clear(&c);
        }
    }
    canvas_end_view(&d->view);
    double ratio = (d->view.high[1] - d->view.low[1]) / (d->view.high[0] - d->view.low[0]);
    d->width = CELL;
    d->height = CELL * ratio;
    if (d->height > 1.5 * CELL) d->height = 1.5 * CELL;
    if (d->height < LEAST_HEIGHT) d->height = LEAST_HEIGHT;
}

static void open_picture(FILE *out, double width, double height, const char *title)
{
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                  "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
                  "font-size=\"12\" role=\"img\">\n<title>",
                  width, height, width, height);
    canvas_write_text(out, title);
    (void)fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
}

/* A number of 1, 2 or 5 times a power of ten that is not above x. */
static double round_down(double x)
{
    double power = pow(10, floor(log10(x)));
    return x >= 5 * power ? 5 * power : x >= 2 * power ? 2 * power : power;
}

/* The scale of the arrows, at the lower left: a length, and the force that it is. */
static void write_force_scale(const drawing *d, double y, FILE *out)
{
    double factor = fmin(d->width / (d->view.high[0] - d->view.low[0]),
                         d->height / (d->view.high[1] - d->view.low[1]));
    if (d->o->no_forces || json_array_size(d->forces) == 0 || !(d->view.strongest > 0)) return;
    double force = round_down(d->view.strongest);
    bool two = false;
    for (size_t k = 0; k < json_array_size(d->forces); k++) {
        const json_t *kind = json_object_get(json_array_get(d->forces, k), "kind");
        two = two || strcmp(json_string_value(kind), "ideal") != 0;
    }
    double length = force * d->view.unit * factor;
    (void)fprintf(out,
                  "<path d=\"M8 %.2fL%.2f %.2f\" stroke=\"%s\" stroke-width=\"2\"/>"
                  "<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\">constraint force %.6g</text>\n",
                  y, 8 + length, y, COLOR_IDEAL, 14 + length, y + 4, COLOR_IDEAL, force);
    if (two)
        (void)fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\">non-ideal</text>\n",
                      170 + length, y + 4, COLOR_NONIDEAL);
}

/* Stills [first, first + count) side by side, each with its time. */
static void write_strip(drawing *d, int64_t first, int64_t count, FILE *out)
{
    const double above = 22, below = 22;
    open_picture(out, d->width * (double)count, d->height + above + below, d->job->file);
    for (int64_t k = 0; k < count; k++) {
        canvas c = {.space = json_integer_value(json_object_get(d->scene, "dimension")) == 3};
        canvas_box box = {
            .x = d->width * (double)k, .y = above, .width = d->width, .height = d->height};
        int64_t row = d->stills[first + k];
        draw_still(d, row, &c);
        (void)fprintf(out, "<text x=\"%.2f\" y=\"15\" fill=\"#475569\">t = %.6g</text>\n",
                      box.x + 8, d->rows.rows[row * d->rows.width]);
        canvas_write(&c, &d->view, &box, out);
        canvas_clear(&c);
    }
    write_force_scale(d, d->height + above + 11, out);
    (void)fputs("</svg>\n", out);
}

/* ------------------------------------------------------------------------ frames */

/* Writes one frame as DIR/0001.svg. False after a report. */
static bool write_frame(drawing *d, int64_t k)
{
    char *text = NULL, *name = NULL;
    size_t length = 0, size = strlen(d->o->frames) + 32;
    FILE *out = open_memstream(&text, &length);
    name = malloc(size);
    bool done = false;
    if (out) {
        write_strip(d, k, 1, out);
        done = !ferror(out) && fclose(out) == 0 && name && !d->failed;
    }
    if (done) {
        (void)snprintf(name, size, "%s/%04lld.svg", d->o->frames, (long long)k + 1);
        done = output_write(name, text, length, &d->job->log);
    } else {
        message_report(&d->job->log, MSG_MEMORY, NULL, "there is not enough memory for a picture");
    }
    free(text);
    free(name);
    return done;
}

static int write_frames(drawing *d)
{
    if (mkdir(d->o->frames, 0777) != 0 && errno != EEXIST) {
        message_report(&d->job->log, MSG_WRITE, &(zw_diagnostic){.file = d->o->frames},
                       "the folder cannot be made: %s", strerror(errno));
        return STATUS_WRONG_DATA;
    }
    for (int64_t k = 0; k < d->still_count; k++)
        if (!write_frame(d, k)) return STATUS_WRONG_DATA;
    return STATUS_DONE;
}

/* -------------------------------------------------------------------------- work */

/* Whether something leaves a trail, for which rows between the stills are needed. */
static bool has_trails(const json_t *scene)
{
    const json_t *list = json_object_get(scene, "shapes");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *kind = json_object_get(json_array_get(list, k), "kind");
        if (strcmp(json_string_value(kind), "trail") == 0) return true;
    }
    return false;
}

/* Times of the rows: those of the stills, and where there are trails others in between. list
 * [*count], owned by the caller; `stills` are filled in. NULL: no memory. */
static double *list_times(drawing *d, const run_times *stills, bool between, int64_t *count)
{
    int64_t grid = between ? BETWEEN : 0;
    double *list = malloc((size_t)(stills->count + grid + 1) * sizeof *list);
    d->stills = malloc((size_t)stills->count * sizeof *d->stills);
    d->still_count = stills->count;
    if (!list || !d->stills) {
        free(list);
        return NULL;
    }
    double last = run_times_at(stills, stills->count - 1);
    int64_t g = 0, n = 0;
    for (int64_t k = 0; k < stills->count; k++) {
        double t = run_times_at(stills, k);
        for (; g < grid; g++) {
            double between_t = stills->start + (last - stills->start) * (double)g / (double)grid;
            if (!(between_t < t)) break;
            list[n++] = between_t;
        }
        d->stills[k] = n;
        list[n++] = t;
    }
    *count = n;
    return list;
}

/* Rows that the run did not get to are stills no longer; what is left of it is the last row. */
static void keep_reached_stills(drawing *d)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < d->still_count; k++)
        if (d->stills[k] < d->film.count) d->stills[kept++] = d->stills[k];
    if (kept < d->still_count && d->film.count > 0 &&
        (kept == 0 || d->stills[kept - 1] < d->film.count - 1))
        d->stills[kept++] = d->film.count - 1;
    d->still_count = kept;
}

/* One still at the start unless times are given; of frames a grid. The run goes no further than
 * needed. False after a report. */
static bool find_still_times(drawing *d, zw_run_settings *settings, run_times *times)
{
    const run_options *o = &d->o->run;
    if (run_settings_find(o, d->job->model, settings) != ZW_OK) return false;
    if (!o->at && !d->o->frames) {
        d->start = settings->until = settings->from;
        *times = (run_times){.start = d->start, .end = d->start, .list = &d->start, .count = 1};
        return true;
    }
    if (o->at) settings->until = (double)NAN;
    if (!o->every) settings->every = (double)NAN;
    if (!run_times_find(o, settings->from, settings, times, &d->job->log)) return false;
    if (!o->at && !o->every) {
        times->grid.denominator = FRAMES;
        times->count = settings->until > settings->from ? FRAMES + 1 : 1;
    }
    return true;
}

static int refuse_no_picture(model_job *job)
{
    zw_diagnostic place = {.file = job->file,
                           .help = "say it by draw, as in: draw line([0, 0], [x, y])"};
    message_report(&job->log, MSG_NO_PICTURE, &place,
                   "the model has no draw statements, and its coordinates name no places");
    return STATUS_WRONG_DATA;
}

/* The film with its scene, the stills, the picture. Returns the exit status. */
static int draw_run(drawing *d, const zw_run_settings *settings, const run_times *stills)
{
    run_times times = {.start = stills->start, .end = stills->end};
    zw_sim *sim = NULL, *asked = NULL;
    zw_status status = zw_sim_create(d->job->model, &asked);
    if (status == ZW_OK) status = film_take_scene(&d->film, asked);
    zw_sim_free(asked);
    if (status != ZW_OK) return model_outcome(d->job, status);
    d->scene = json_object_get(d->film.tree, "scene");
    d->forces = json_object_get(d->film.tree, "forces");
    if (!json_is_object(d->scene)) return refuse_no_picture(d->job);
    double *list = list_times(d, stills, has_trails(d->scene), &times.count);
    if (!list) return model_outcome(d->job, ZW_ERR_MEMORY);
    times.list = list;
    int code = film_run(&d->film, &d->o->run, d->job, *settings, &times, &sim);
    zw_sim_free(sim);
    free(list);
    if (d->film.count == 0) return code;
    keep_reached_stills(d);
    film_drop_noise(&d->film);
    d->rows = (shape_rows){d->film.rows, d->film.count, d->film.width};
    measure_stills(d);
    if (d->o->frames) {
        int written = write_frames(d);
        return written != STATUS_DONE ? written : code;
    }
    write_strip(d, 0, d->still_count, d->job->out);
    if (d->failed) return model_outcome(d->job, ZW_ERR_MEMORY);
    d->job->result = true;
    return code;
}

static int draw_model(void *self, model_job *job)
{
    drawing d = {.o = self, .job = job};
    zw_run_settings settings;
    run_times stills;
    if (!find_still_times(&d, &settings, &stills)) return STATUS_WRONG_USAGE;
    if (stills.count > STILLS_MOST) {
        (void)options_refuse_value(&job->log, "--every", d.o->run.every ? d.o->run.every : "every",
                                   "these would be too many pictures");
        return STATUS_WRONG_USAGE;
    }
    zw_status status = film_create(&d.film, job->model, "drawn, kinetic", 0);
    int code = model_outcome(job, status);
    if (status == ZW_OK) code = draw_run(&d, &settings, &stills);
    film_free(&d.film);
    free(d.stills);
    return code;
}

/* ----------------------------------------------------------------- the command line */

static bool take_draw_options(void *self, message_log *log)
{
    draw_options *o = self;
    if (o->frames && o->run.common.output)
        return options_refuse_together(log, "--frames and --output exclude each other",
                                       "frames are files in the folder, a picture is one file");
    if (o->run.at && o->run.every)
        return options_refuse_together(log, "--at and --every exclude each other",
                                       "choose one of them");
    if (o->run.every && !o->frames)
        return options_refuse_value(log, "--every", o->run.every,
                                    "it is about frames: add --frames DIR, or list times by --at");
    return run_take_values(&o->run, log);
}

static const char about[] =
    "Draws a model as a vector graphic (SVG): at its start, or a strip of stills at the times of\n"
    "--at, with the constraint forces as arrows, ideal ones blue and non-ideal ones orange. What\n"
    "is drawn the model says by draw; where it does not, bodies, joints, point masses and the\n"
    "distances between them are found. MODEL is a model file, or - for standard input.\n"
    "\n"
    "--frames DIR writes DIR/0001.svg and so on instead, 101 of them or one every DT. All\n"
    "pictures of one call have one scale.\n"
    "\n"
    "The plane is seen as it is. Space is seen from the direction (1, -1, 1): z goes up, x to the\n"
    "lower right and y to the upper right, all foreshortened alike (isometric).\n";

static draw_options given;

static const struct poptOption table[] = {
    {"at", 0, POPT_ARG_STRING, &given.run.at, 0, "stills at these times, side by side",
     "T1,T2,..."},
    {"frames", 0, POPT_ARG_STRING, &given.frames, 0, "numbered pictures in this folder", "DIR"},
    {"every", 0, POPT_ARG_STRING, &given.run.every, 0, "a frame at every multiple of DT", "DT"},
    {"until", 0, POPT_ARG_STRING, &given.run.until, 0, "frames up to this time", "T"},
    {"no-forces", 0, POPT_ARG_NONE, &given.no_forces, 0, "without the arrows of forces", NULL},
    {"inconsistent", 0, POPT_ARG_STRING, &given.run.inconsistent, 0,
     "take the nearest compromise where constraints contradict each other", "accept"},
    SOLVER_OPTION(given.run.common),
    MODEL_OPTIONS(given.run.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"three stills of a rolling disc", "zwang draw rolling_disc.zw --at 0,1,2 -o disc.svg"},
    {"frames for a film", "zwang draw rolling_disc.zw --frames disc --until 2 --every 0.1"},
    {NULL, NULL},
};

const option_page draw_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_solvers, NULL},
    .examples = examples,
};

int draw_command(int argc, const char **argv)
{
    model_task task = {.page = &draw_page,
                       .options = &given.run.common,
                       .take = take_draw_options,
                       .work = draw_model,
                       .self = &given};
    int status = model_command(argc, argv, &task);
    run_options_clear(&given.run);
    free(given.frames);
    return status;
}
