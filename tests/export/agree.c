/*
 * An exported model beside the library: compiled against the header of the export, whose name it is
 * told (NAME, UPPER), and linked with both.
 *
 *     agree MODEL.zw TOLERANCE [smooth]
 *
 * Along the motion, and at states beside it that are brought back, it compares accelerations,
 * multipliers, forces, outputs, energies, projections, and steps of rk4. One line for what differs
 * most; status 1 where something differs by more than the tolerance.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zwang.h>

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define CALL(what) PASTE(NAME, what)
#define SIZE(what) PASTE(UPPER, what)

typedef struct texts {
    const char *folder;
    char *kept[16];
    int count;
} texts;

static double worst;
static const char *worst_what = "nothing";
static double worst_t;

/* A file as a text that is kept until the end. */
static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    *length = text ? fread(text, 1, (size_t)size, file) : 0;
    if (text) text[*length] = 0;
    fclose(file);
    return text;
}

/* Files of data lie beside the model. */
static bool find_data(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    texts *t = user;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    char *found = t->count < 16 ? read_text(path, length) : NULL;
    if (found) t->kept[t->count++] = found;
    *file = name;
    *text = found;
    return found != NULL;
}

/* The least size of what is compared: forces that cancel leave their rounding. */
static double least = 1e-3;

/* x and y [count] against the size of both. */
static void compare(const char *what, double t, const double *x, const CALL(_real) * y, int count)
{
    double size = least, off = 0.0;
    for (int i = 0; i < count; i++) size = fmax(size, fmax(fabs(x[i]), fabs((double)y[i])));
    for (int i = 0; i < count; i++) off = fmax(off, fabs(x[i] - (double)y[i]) / size);
    for (int i = 0; i < count; i++)
        if (isnan(x[i]) != isnan((double)y[i])) off = INFINITY;
    if (off <= worst) return;
    worst = off;
    worst_what = what;
    worst_t = t;
}

static void must(zw_context *context, zw_status status, const char *what)
{
    if (status == ZW_OK) return;
    fprintf(stderr, "%s: %s\n", what, zw_status_sentence(status));
    zw_context_free(context);
    exit(2);
}

enum { N = SIZE(_COORDINATES), M = SIZE(_ROWS), OUTPUTS = SIZE(_OUTPUTS) };

static double a[N], free_a[N], lambda[M + 1], ideal[N], nonideal[N], q[N], v[N], row[1 + OUTPUTS],
    energies[4];

/* Everything at the state of both, which is the same. */
static void compare_state(zw_context *context, zw_sim *sim, CALL() * s, zw_columns *outputs,
                          zw_columns *energy)
{
    zw_gauss_answer answer = {.acceleration = a,
                              .free_acceleration = free_a,
                              .multipliers = lambda,
                              .force_ideal = ideal,
                              .force_nonideal = nonideal};
    double t;
    zw_sim_state(sim, &t, q, v);
    s->t = (CALL(_real))t;
    for (int j = 0; j < N; j++) {
        s->q[j] = (CALL(_real))q[j];
        s->v[j] = (CALL(_real))v[j];
    }
    memset(free_a, 0, sizeof free_a);
    must(context, zw_sim_solve(sim, &answer), "the library's solve");
    int status = CALL(_acceleration)(s);
    if (status != 0) worst = INFINITY, worst_what = "status of acceleration";
    for (int j = 0; j < N; j++) least = fmax(least, fabs(free_a[j])); /* 0 where M is singular */
    compare("acceleration", t, a, s->a, N);
    least = 1e-3;
    compare("multipliers", t, lambda, s->lambda, M);
    compare("ideal force", t, ideal, s->force, N);
    compare("non-ideal force", t, nonideal, s->nonideal, N);
    if (zw_sim_columns(sim, outputs, row) == ZW_OK && CALL(_outputs)(s) == 0)
        compare("outputs", t, row + 1, s->output, OUTPUTS);
    CALL(_energy)(s);
    const CALL(_real) have[] = {s->kinetic, s->potential, s->energy};
    if (zw_sim_columns(sim, energy, energies) == ZW_OK) compare("energy", t, energies + 1, have, 3);
}

/* The state a little off, brought back by both. */
static void compare_projection(zw_sim *sim, const CALL() * s, double by)
{
    static CALL() moved;
    double t;
    moved = *s;
    zw_sim_state(sim, &t, q, v);
    for (int j = 0; j < N; j++) {
        q[j] += by * sin(3.0 * j + 1.0);
        v[j] += by * cos(5.0 * j + 2.0);
        moved.q[j] = (CALL(_real))q[j];
        moved.v[j] = (CALL(_real))v[j];
    }
    zw_sim_set_state(sim, t, q, v);
    if (zw_sim_project(sim) != ZW_OK || CALL(_project)(&moved) != 0) return;
    zw_sim_state(sim, &t, q, v);
    compare("projected positions", t, q, moved.q, N);
    compare("projected velocities", t, v, moved.v, N);
}

/* Some steps of rk4 by both. */
static void compare_steps(zw_context *context, zw_model *model, zw_sim *sim, double h, int count)
{
    static CALL() s;
    zw_run_settings settings;
    zw_outcome outcome;
    double t;
    CALL(_init)(&s);
    t = (double)s.t;
    for (int j = 0; j < N; j++) {
        q[j] = (double)s.q[j];
        v[j] = (double)s.v[j];
    }
    zw_run_defaults(model, &settings);
    settings.method = ZW_RK4;
    settings.step = h;
    settings.until = t + count * h;
    zw_sim_set_state(sim, t, q, v);
    must(context, zw_sim_begin(sim, &settings), "the library's run");
    if (zw_sim_advance(sim, settings.until, &outcome) != ZW_OK || outcome != ZW_REACHED) return;
    zw_sim_state(sim, NULL, q, v);
    zw_run_statistics made;
    if (zw_sim_statistics(sim, &made) != ZW_OK || made.steps != count)
        return; /* conditions, data */
    for (int k = 0; k < count; k++)
        if (CALL(_step_rk4)(&s, (CALL(_real))h) != 0) worst = INFINITY, worst_what = "a step";
    compare("positions after steps", settings.until, q, s.q, N);
    compare("velocities after steps", settings.until, v, s.v, N);
}

/* The largest coordinate, at least 1. */
static double size_of(const CALL() * s)
{
    double size = 1.0;
    for (int j = 0; j < N; j++) size = fmax(size, fabs((double)s->q[j]));
    return size;
}

/* dopri5 is of order 5: half the step, a thirtieth of the error; and its estimate is no less than
 * what it does. */
static void compare_orders(double h)
{
    static CALL() one, two, four;
    CALL(_real) error = 0;
    CALL(_init)(&one);
    four = two = one;
    for (int tries = 0; tries < 30; tries++, h /= 2.0) { /* where the model is stiff, much less */
        one = two;
        if (CALL(_step_dopri5)(&one, (CALL(_real))h, &error) == 0 &&
            (double)error < 1e-6 * size_of(&one))
            break;
    }
    for (int k = 0; k < 4; k++) {
        if (k < 2) CALL(_step_dopri5)(&two, (CALL(_real))(h / 2), NULL);
        CALL(_step_dopri5)(&four, (CALL(_real))(h / 4), NULL);
    }
    double first = 0.0, second = 0.0, size = size_of(&one);
    for (int j = 0; j < N; j++) {
        first = fmax(first, fabs((double)(one.q[j] - two.q[j])));
        second = fmax(second, fabs((double)(two.q[j] - four.q[j])));
    }
    double rounding = size * (sizeof(CALL(_real)) == 8 ? 1e-12 : 1e-5);
    if (first > 100.0 * rounding && !(second < first / 8.0))
        worst = INFINITY, worst_what = "the order of dopri5";
    if (!(first <= 10.0 * (double)error + 100.0 * rounding))
        worst = INFINITY, worst_what = "the estimate of dopri5";
}

/* All outputs, also those that stand aside: behind the state among all columns. */
static void list_outputs(zw_context *context, const zw_model *model, zw_columns **outputs)
{
    zw_columns *all = NULL;
    size_t length = 2, at = 0;
    must(context, zw_columns_create(model, "all", &all), "columns");
    for (int k = 0; k < OUTPUTS; k++) length += zw_columns_name(all, 1 + 2 * N + k, NULL, 0) + 2;
    char *list = malloc(length);
    if (!list) exit(2);
    memcpy(list, "t", 2);
    for (int k = 0; k < OUTPUTS; k++) {
        if (k > 0) at += (size_t)snprintf(list + at, length - at, ", ");
        at += zw_columns_name(all, 1 + 2 * N + k, list + at, length - at);
    }
    must(context, zw_columns_create(model, list, outputs), "outputs");
    free(list);
    zw_columns_free(all);
}

int main(int argc, char **argv)
{
    static CALL() s;
    if (argc < 3) return 2;
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", argv[1]);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    texts t = {.folder = slash ? folder : "."};
    bool smooth = argc > 3;
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_columns *outputs = NULL, *energy = NULL;
    zw_run_settings settings;
    size_t length = 0;
    char *text = read_text(argv[1], &length);
    zw_model_source source = {
        .file = argv[1], .text = text, .length = length, .data = find_data, .user = &t};
    if (!text || zw_context_create(NULL, &context) != ZW_OK) return 2;
    /* sparse answers of large systems are not corrected in twice the precision */
    if (N > 60) zw_context_set_solver(context, ZW_SOLVER_DENSE);
    must(context, zw_model_compile(context, &source, &model), "compile");
    must(context, zw_sim_create(model, &sim), "create");
    must(context, zw_sim_start(sim, false), "start");
    must(context, zw_columns_create(model, "kinetic, potential, energy", &energy), "columns");
    list_outputs(context, model, &outputs);
    if (zw_columns_count(outputs) != 1 + OUTPUTS) {
        printf("%s: %d columns of %d outputs\n", argv[1], (int)zw_columns_count(outputs), OUTPUTS);
        return 2;
    }
    zw_run_defaults(model, &settings);
    zw_sim_state(sim, &settings.from, NULL, NULL);
    double span = isnan(settings.until) ? 1.0 : settings.until - settings.from;
    if (span > 4.0) span = 4.0;
    settings.until = settings.from + span;
    CALL(_init)(&s);
    if (!smooth) must(context, zw_sim_begin(sim, &settings), "begin");
    for (int k = 0; k <= (smooth ? 0 : 8); k++) {
        zw_outcome outcome = ZW_REACHED;
        if (k > 0 && zw_sim_advance(sim, settings.from + span * k / 8.0, &outcome) != ZW_OK) break;
        compare_state(context, sim, &s, outputs, energy);
    }
    compare_projection(sim, &s, 1e-10);
    if (!smooth) compare_steps(context, model, sim, span / 8000.0, 20);
    compare_orders(span / 50.0);
    double allowed = atof(argv[2]);
    printf("%s: %.2g in %s at t = %g%s\n", argv[1], worst, worst_what, worst_t,
           worst <= allowed ? "" : ", which is too much");
    zw_columns_free(outputs);
    zw_columns_free(energy);
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    for (int k = 0; k < t.count; k++) free(t.kept[k]);
    free(text);
    return worst <= allowed ? 0 : 1;
}
