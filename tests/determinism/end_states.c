/*
 * Where models end, as hashes: every model of a folder is run for some steps, and the bits of its last
 * row (t, coordinates, velocities, outputs) are hashed. A line is a model, a way, and the hash:
 *
 *     NAME run       by its own method; dop853 in the place of auto and bdf
 *     NAME gauss16   by gauss16, whose stages are computed in lanes
 *     NAME crowd     an ensemble of nine members, whose states begin a little apart
 *     NAME parts     by equal parts, of the models that say how many of them there are; parts16: by gauss16
 *
 *     end_states [--kernel bytecode|native] [--lanes 4|8] [--threads N] FOLDER [NAME...]
 *
 * It sees zwang.h alone, and needs nothing but the library: it is also built for other processors. What
 * fails is hashed as it is, with its status: a failure has to be the same everywhere, too.
 */
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zwang.h>

enum { run_steps = 150, stage_steps = 12, crowd_steps = 40, parts_steps = 20, members = 9 };

typedef struct how {
    const char *folder;
    zw_kernel kernel;
    int32_t lanes, threads;
} how;

/* Models that repeat themselves, and with which parameter they do so often enough for parts. */
static const struct repeated {
    const char *name, *setting;
} repeated[] = {
    {"n_four_bar", "N = 300"}, {"n_pendulum", "N = 300"}, {"chain", "N = 400"}, {"net", "N = 24"}};

/* ------------------------------------------------------------------------ hashes */

static const uint64_t none = 0xcbf29ce484222325u;

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}

/* Which NaN it is depends on the processor, and is no part of a number. */
static uint64_t hash_numbers(uint64_t h, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        if (x[i] == x[i])
            memcpy(&bits, &x[i], sizeof bits);
        else
            bits = 0x7ff8000000000000u;
        h = hash_bytes(h, &bits, sizeof bits);
    }
    return h;
}

/* ------------------------------------------------------------------------- files */

typedef struct text {
    char *bytes;
    size_t length;
} text;

static text read_text(const char *folder, const char *name)
{
    char path[2000];
    text t = {NULL, 0};
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return t;
    size_t room = 1 << 20;
    t.bytes = malloc(room);
    if (t.bytes) t.length = fread(t.bytes, 1, room, file);
    (void)fclose(file);
    return t;
}

/* The one file of data that the model being compiled has asked for. */
typedef struct beside {
    const char *folder;
    text data;
} beside;

static bool give_data(void *user, const char *name, const char **file, const char **bytes,
                      size_t *length)
{
    beside *b = user;
    free(b->data.bytes);
    b->data = read_text(b->folder, name);
    *file = name;
    *bytes = b->data.bytes;
    *length = b->data.length;
    return b->data.bytes != NULL;
}

/* -------------------------------------------------------------------------- runs */

/* A model in a context of its own. model NULL: it could not be compiled. */
typedef struct compiled {
    zw_context *context;
    zw_model *model;
    zw_status status;
} compiled;

static compiled compile(const how *h, const char *name, const char *setting, zw_solver solver)
{
    compiled c = {0};
    char file[300];
    beside b = {.folder = h->folder};
    (void)snprintf(file, sizeof file, "%s.zw", name);
    text t = read_text(h->folder, file);
    zw_model_source source = {.file = file,
                              .text = t.bytes ? t.bytes : "",
                              .length = t.length,
                              .settings = &setting,
                              .setting_count = setting ? 1 : 0,
                              .data = give_data,
                              .user = &b};
    c.status = zw_context_create(NULL, &c.context);
    if (c.status == ZW_OK) c.status = zw_context_set_lanes(c.context, h->lanes);
    if (c.status == ZW_OK) c.status = zw_context_set_threads(c.context, h->threads);
    if (c.status == ZW_OK) c.status = zw_context_set_solver(c.context, solver);
    if (c.status == ZW_OK) c.status = zw_model_compile(c.context, &source, &c.model);
    free(t.bytes);
    free(b.data.bytes);
    return c;
}

static void discard(compiled *c)
{
    zw_model_free(c->model);
    zw_context_free(c->context);
}

/* The bits of the default columns where a simulation stands. */
static uint64_t hash_row(zw_model *model, zw_sim *sim, zw_status status)
{
    zw_columns *columns = NULL;
    uint64_t hash = hash_bytes(none, &status, sizeof status);
    if (!sim || zw_columns_create(model, NULL, &columns) != ZW_OK) return hash;
    size_t count = (size_t)zw_columns_count(columns);
    double *row = calloc(count + 1, sizeof *row);
    if (row && zw_sim_columns(sim, columns, row) == ZW_OK) hash = hash_numbers(hash, row, count);
    free(row);
    zw_columns_free(columns);
    return hash;
}

static zw_method method_of(zw_method said)
{
    return said == ZW_AUTO || said == ZW_BDF ? ZW_DOP853 : said;
}

/* method ZW_AUTO: the model's own. */
static zw_run_settings settings_of(const compiled *c, const how *h, zw_method method, int64_t steps)
{
    zw_run_settings s;
    (void)zw_run_defaults(c->model, &s);
    (void)zw_run_defaults_by(c->model, method == ZW_AUTO ? method_of(s.method) : method, &s);
    s.kernel = h->kernel;
    s.max_steps = steps;
    return s;
}

static uint64_t hash_run(compiled *c, const how *h, zw_method method, int64_t steps)
{
    zw_sim *sim = NULL;
    zw_outcome outcome;
    double t = 0.0;
    if (!c->model) return hash_row(NULL, NULL, c->status);
    zw_run_settings s = settings_of(c, h, method, steps);
    zw_status status = zw_sim_create(c->model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, true);
    if (status == ZW_OK) status = zw_sim_state(sim, &t, NULL, NULL);
    if (status == ZW_OK) status = zw_sim_begin(sim, &s);
    double end = s.until > t ? s.until : t + 1.0;
    if (status == ZW_OK) status = zw_sim_advance(sim, end, &outcome);
    uint64_t hash = hash_row(c->model, sim, status);
    zw_sim_free(sim);
    return hash;
}

/* Members begin at the start of the model, with velocities that differ a little. */
static uint64_t hash_crowd(compiled *c, const how *h)
{
    if (!c->model) return hash_row(NULL, NULL, c->status);
    size_t n = (size_t)zw_model_coordinate_count(c->model);
    double *state = calloc(2 * n * members + 1, sizeof *state);
    zw_member member[members] = {0};
    zw_sim *sim = NULL;
    zw_ensemble e = {.count = members, .state = state, .members = member, .threads = h->threads};
    zw_run_settings s = settings_of(c, h, ZW_AUTO, crowd_steps);
    zw_status status = state ? zw_sim_create(c->model, &sim) : ZW_ERR_MEMORY;
    if (status == ZW_OK) status = zw_sim_start(sim, true);
    if (status == ZW_OK) status = zw_sim_state(sim, &e.t, state, state + n);
    zw_sim_free(sim);
    if (!(s.until > e.t)) s.until = e.t + 1.0;
    for (size_t k = 1; status == ZW_OK && k < members; k++)
        for (size_t i = 0; i < n; i++) {
            state[2 * n * k + i] = state[i];
            state[2 * n * k + n + i] = state[n + i] * (1.0 + 0.01 * (double)k);
        }
    if (status == ZW_OK) status = zw_ensemble_run(c->model, &s, &e);
    uint64_t hash = hash_bytes(none, &status, sizeof status);
    for (size_t k = 0; status == ZW_OK && k < members; k++)
        hash = hash_bytes(hash, &member[k].status, sizeof member[k].status);
    if (status == ZW_OK) hash = hash_numbers(hash, state, 2 * n * members);
    free(state);
    return hash;
}

static void show(const char *name, const char *way, uint64_t hash)
{
    printf("%s %s %016llx\n", name, way, (unsigned long long)hash);
    (void)fflush(stdout);
}

static void show_model(const how *h, const char *name)
{
    compiled c = compile(h, name, NULL, ZW_SOLVER_AUTO);
    show(name, "run", hash_run(&c, h, ZW_AUTO, run_steps));
    show(name, "gauss16", hash_run(&c, h, ZW_GAUSS16, stage_steps));
    show(name, "crowd", hash_crowd(&c, h));
    discard(&c);
    for (size_t k = 0; k < sizeof repeated / sizeof *repeated; k++) {
        if (strcmp(repeated[k].name, name) != 0) continue;
        compiled large = compile(h, name, repeated[k].setting, ZW_SOLVER_PARTS);
        show(name, "parts", hash_run(&large, h, ZW_AUTO, parts_steps));
        show(name, "parts16", hash_run(&large, h, ZW_GAUSS16, 2));
        discard(&large);
    }
}

/* ------------------------------------------------------------------ the command line */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every *.zw of the folder, in the order of their names. */
static int show_folder(const how *h)
{
    static char *name[1000];
    size_t count = 0;
    DIR *folder = opendir(h->folder);
    if (!folder) return 2;
    for (struct dirent *e; (e = readdir(folder)) && count < 1000;) {
        size_t length = strlen(e->d_name);
        if (length < 4 || strcmp(e->d_name + length - 3, ".zw") != 0) continue;
        name[count] = strdup(e->d_name);
        if (!name[count]) return 2;
        name[count++][length - 3] = '\0';
    }
    (void)closedir(folder);
    qsort(name, count, sizeof *name, compare_names);
    for (size_t k = 0; k < count; k++) {
        show_model(h, name[k]);
        free(name[k]);
    }
    return count > 0 ? 0 : 2;
}

static bool take_option(how *h, const char *option, const char *word)
{
    if (strcmp(option, "--kernel") == 0) return zw_kernel_find(word, &h->kernel) == ZW_OK;
    if (strcmp(option, "--lanes") == 0) h->lanes = atoi(word);
    if (strcmp(option, "--threads") == 0) h->threads = atoi(word);
    return h->lanes > 0 || h->threads > 0;
}

int main(int argc, char **argv)
{
    how h = {.kernel = ZW_KERNEL_AUTO};
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2)
        if (!take_option(&h, argv[at], argv[at + 1])) return 2;
    if (at >= argc) return 2;
    h.folder = argv[at++];
    if (at == argc) return show_folder(&h);
    for (; at < argc; at++) show_model(&h, argv[at]);
    return 0;
}
