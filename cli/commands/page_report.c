/*
 * Gathering a page: scene, verdict, messages, constraints with redundancy and conflicts, events,
 * parameters, equations; then the file.
 *
 *     check --json --> constraints     derive --mathml --> equations
 *     verdict --> trust and lines      film --> data and scene
 */
#include "page_report.h"

#include <stdlib.h>
#include <string.h>

#include "page_file.h"

enum {
    CELLS = 2000000,     /* numbers of a page, about */
    LARGE = 150,         /* coordinates from which on only the usual columns are shown */
    CHECKED_MOST = 2000, /* rows up to which redundancy is looked for again */
    EVENTS_MOST = 2000
};

zw_status report_film(film *f, zw_model *model)
{
    bool large = zw_model_coordinate_count(model) > LARGE;
    zw_status status =
        film_create(f, model, large ? "drawn, energy, kinetic, potential" : "all, drawn", CELLS);
    if (status == ZW_OK && f->most > 20000) f->most = 20000;
    return status;
}

/* A command line is shown as one would type it. */
static bool is_plain_word(const char *word)
{
    return word[0] && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-+=./,:%@")] == '\0';
}

char *report_command(int argc, const char **argv)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    for (int k = 0; k < argc; k++) {
        if (k > 0) (void)fputc(' ', out);
        if (k == 0 || is_plain_word(argv[k])) {
            (void)fputs(argv[k], out);
            continue;
        }
        (void)fputc('\'', out);
        for (const char *c = argv[k]; *c; c++)
            (void)(*c == '\'' ? fputs("'\\''", out) : fputc(*c, out));
        (void)fputc('\'', out);
    }
    (void)fclose(out);
    return text;
}

void report_listen(report *r)
{
    zw_context *context = r->job->log.context;
    size_t length = 0;
    (void)zw_context_format_diagnostics(context, ZW_TEXT, NULL, 0, &length);
    r->messages = malloc(length + 1);
    if (!r->messages) return;
    r->messages[0] = '\0';
    (void)zw_context_format_diagnostics(context, ZW_TEXT, r->messages, length + 1, &length);
}

void report_free(report *r)
{
    free(r->messages);
}

/* ------------------------------------------------------------------------- texts */

typedef zw_status text_fn(report *r, FILE *out);

static zw_status write_equations(report *r, FILE *out)
{
    return zw_model_derive(r->job->model, ZW_REPORT_MATHML, model_write, out);
}

static zw_status write_verdict_json(report *r, FILE *out)
{
    return zw_sim_verdict(r->sim, ZW_REPORT_JSON, model_write, out);
}

/* What the terminal was told: messages, then the verdict. */
static zw_status write_verdict_text(report *r, FILE *out)
{
    if (r->messages) (void)fputs(r->messages, out);
    return zw_sim_verdict(r->sim, ZW_REPORT_TEXT, model_write, out);
}

/* The start may be refused where the run accepted it; there is a report all the same. */
static zw_status write_check_json(report *r, FILE *out)
{
    zw_status status = zw_sim_check(r->sim, true, ZW_REPORT_JSON, model_write, out);
    return status == ZW_ERR_START ? ZW_OK : status;
}

/* What a function writes, as a string; NULL: it failed. */
static char *take_text(report *r, text_fn *write)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    zw_status status = write(r, out);
    if (fclose(out) == 0 && status == ZW_OK) return text;
    free(text);
    return NULL;
}

static json_t *take_json(report *r, text_fn *write)
{
    char *text = take_text(r, write);
    json_t *tree = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    return tree;
}

/* ------------------------------------------------------------------------- lists */

static json_t *list_parameters(const report *r)
{
    json_t *list = json_array();
    int32_t count = zw_model_parameter_count(r->job->model);
    for (int32_t k = 0; k < count && k < 1000; k++) {
        char name[300];
        double value = 0;
        (void)zw_model_parameter_name(r->job->model, k, name, sizeof name);
        (void)zw_sim_parameter(r->sim, k, &value);
        (void)json_array_append_new(list, json_pack("{s:s, s:f}", "name", name, "value", value));
    }
    return list;
}

/* "when y < 0", "ground closes". */
static json_t *describe_happening(const report *r, const zw_happened *h)
{
    char name[300], text[330];
    if (h->kind == ZW_HAPPENS_WHEN) {
        (void)zw_model_event_name(r->job->model, h->number, text, sizeof text);
    } else {
        const char *verb = zw_happening_name(h->kind);
        (void)zw_model_contact_name(r->job->model, h->number, name, sizeof name);
        (void)snprintf(text, sizeof text, "%s %s", name,
                       h->kind == ZW_HAPPENS_IMPACT ? "collides" : verb);
        return json_pack("{s:f, s:s, s:i, s:s}", "t", h->t, "name", text, "contact", (int)h->number,
                         "what", verb);
    }
    return json_pack("{s:f, s:s}", "t", h->t, "name", text);
}

/* With contacts: all that is kept of what has happened, the last of it. */
static json_t *list_happenings(const report *r)
{
    json_t *list = json_array();
    int64_t count = zw_sim_happened_count(r->sim);
    for (int64_t k = count > EVENTS_MOST ? count - EVENTS_MOST : 0; k < count; k++) {
        zw_happened h;
        if (zw_sim_happened(r->sim, k, &h) == ZW_OK)
            (void)json_array_append_new(list, describe_happening(r, &h));
    }
    return list;
}

/* Events that have fired, the first of them. */
static json_t *list_events(const report *r)
{
    json_t *list = json_array();
    int32_t count = zw_sim_fired_count(r->sim);
    for (int32_t k = 0; k < count && k < EVENTS_MOST; k++) {
        zw_fired fired;
        if (zw_sim_fired(r->sim, k, &fired) != ZW_OK) break;
        zw_happened h = {.t = fired.t, .kind = ZW_HAPPENS_WHEN, .number = fired.event};
        (void)json_array_append_new(list, describe_happening(r, &h));
    }
    return list;
}

/* Whether the name of a constraint, or of one of its rows, stands somewhere in a tree. */
static bool stands_in(const json_t *tree, const char *name)
{
    const char *text = json_string_value(tree), *key;
    size_t length = strlen(name), k;
    json_t *inner;
    if (text)
        return strncmp(text, name, length) == 0 && (text[length] == '\0' || text[length] == '[');
    if (json_is_array(tree)) {
        json_array_foreach(tree, k, inner) if (stands_in(inner, name)) return true;
    } else if (json_is_object(tree)) {
        json_object_foreach((json_t *)(uintptr_t)tree, key,
                            inner) if (stands_in(inner, name)) return true;
    }
    return false;
}

/* One constraint of a page; check NULL: nothing is known of redundancy. */
static json_t *describe_constraint(const report *r, const json_t *check, const json_t *c)
{
    const char *name = json_string_value(json_object_get(c, "name"));
    const json_t *kind = json_object_get(c, "kind"), *rows = json_object_get(c, "rows");
    bool redundant = stands_in(json_object_get(check, "redundant"), name);
    bool conflict = stands_in(json_object_get(check, "conflicts"), name);
    (void)r;
    return json_pack("{s:s, s:s, s:I, s:b, s:b, s:s}", "name", name, "kind",
                     json_is_string(kind) ? json_string_value(kind) : "of several kinds", "rows",
                     (json_int_t)json_number_value(json_array_get(rows, 1)), "redundant", redundant,
                     "conflict", conflict, "text",
                     conflict    ? "contradicts other constraints at the start"
                     : redundant ? "depends on other constraints"
                                 : "");
}

static json_t *list_constraints(const report *r, const json_t *check)
{
    const json_t *from = json_object_get(check, "constraints");
    json_t *list = json_array();
    size_t k;
    json_t *c;
    json_array_foreach(from, k, c) if (k < 2000)(void)
        json_array_append_new(list, describe_constraint(r, check, c));
    return list;
}

/* ----------------------------------------------------------------------- columns */

/* Under what a page lists a kind of columns. */
static const char *find_page_kind(const char *kind)
{
    static const char *const of_contacts[] = {"gap", "slip", "contact", "impulse"};
    for (size_t k = 0; k < sizeof of_contacts / sizeof *of_contacts; k++)
        if (strcmp(kind, of_contacts[k]) == 0) return "contact";
    return strcmp(kind, "rank") == 0 ? "step" : kind;
}

/* Names and kinds of the film's columns, then the size of steps; in one block. */
static zw_page_column *list_page_columns(const film *f, char **names)
{
    zw_page_column *list = calloc((size_t)f->width, sizeof *list);
    size_t size = 1;
    for (int32_t k = 0; k + 1 < f->width; k++) size += zw_columns_name(f->columns, k, NULL, 0) + 1;
    char *next = *names = malloc(size), *end = next ? next + size : NULL;
    if (!list || !next) {
        free(list);
        return NULL;
    }
    for (int32_t k = 0; k + 1 < f->width; k++) {
        const char *kind = zw_columns_kind(f->columns, k);
        list[k] = (zw_page_column){next, find_page_kind(kind)};
        next += zw_columns_name(f->columns, k, next, (size_t)(end - next)) + 1;
    }
    list[f->width - 1] = (zw_page_column){"step size", "step"};
    return list;
}

/* ------------------------------------------------------------------------- file */

/* A run of more rows than a page holds is thinned, and says so. */
static void report_thinning(const report *r)
{
    zw_diagnostic place = {.file = r->job->file,
                           .help = "the rows themselves are written by zwang run -o FILE"};
    if (r->film->total > r->film->count)
        message_report(&r->job->log, MSG_THINNED, &place, "the page shows %lld of %lld rows",
                       (long long)r->film->count, (long long)r->film->total);
}

static void report_no_scene(const report *r)
{
    zw_diagnostic place = {.file = r->job->file,
                           .help = "say what to draw, as in: draw line([0, 0], [x, y])"};
    message_report(&r->job->log, MSG_PLOTS_ONLY, &place,
                   "the page has plots only: the model has no draw statements, and its coordinates "
                   "name no places");
}

bool report_write(report *r, const char *name)
{
    film *f = r->film;
    char *names = NULL;
    bool small = zw_model_row_count(r->job->model) <= CHECKED_MOST;
    zw_status scene = film_take_scene(f, r->sim);
    film_drop_noise(f);
    json_t *verdict = take_json(r, write_verdict_json), *parameters = list_parameters(r);
    bool contacts = zw_model_contact_count(r->job->model) > 0;
    json_t *events = contacts ? list_happenings(r) : list_events(r);
    char *lines = take_text(r, write_verdict_text), *equations = take_text(r, write_equations);
    json_t *check = small ? take_json(r, write_check_json) : NULL; /* after all else of the run */
    json_t *constraints = list_constraints(r, check);
    zw_context_clear_diagnostics(r->job->log.context);
    zw_page_column *columns = list_page_columns(f, &names);
    const char *title = json_string_value(json_object_get(verdict, "title"));
    page_trees trees = {.scene = json_object_get(f->tree, "scene"),
                        .forces = json_object_get(f->tree, "forces"),
                        .contacts = json_object_get(f->tree, "contacts"),
                        .parameters = parameters,
                        .events = events,
                        .constraints = constraints};
    zw_page p = {.title = title ? title : r->job->file,
                 .command = r->command,
                 .file = r->job->file,
                 .text = r->job->text,
                 .text_length = r->job->length,
                 .columns = columns,
                 .column_count = f->width,
                 .rows = f->rows,
                 .row_count = f->count,
                 .row_total = f->total,
                 .trust = json_string_value(json_object_get(verdict, "trust")),
                 .verdict = lines,
                 .equations = equations};
    if (scene == ZW_OK && !json_is_object(trees.scene)) report_no_scene(r);
    report_thinning(r);
    bool done = columns && page_write_file(p, &trees, name, &r->job->log);
    free(columns);
    free(names);
    free(lines);
    free(equations);
    json_decref(verdict);
    json_decref(parameters);
    json_decref(events);
    json_decref(check);
    json_decref(constraints);
    return done;
}
