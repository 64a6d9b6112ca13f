/*
 * Two threads on shared models for some seconds, for ThreadSanitizer to look at: each moves simulations
 * of its own, reads columns, sets the state back; the models, their programs and machine code are
 * shared. In between an ensemble and a large model whose team has two threads. Every round must end in
 * the state of the first, to the bit.
 *
 *     shared_models [SECONDS]      5 if nothing is said
 *
 * It needs nothing but the library, which is built for it by `sanitized`.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zwang.h>

enum { models = 3, threads = 2, numbers = 1000 };

static const char *const texts[models] = {
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
    "start x = 1, y = 0\nsimulate t = 0..1",
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ground: y >= 0\n"
    "restitution ground: 0.5\nfriction ground: 0.3 along x'\n"
    "start x' = 1, y = 0.01\nsimulate t = 0..0.3",
    "param N = 400\ncoord x[N]\nfor i in 1..N { kinetic x[i]'^2/2 }\n"
    "for i in 2..N { potential 50*(x[i] - x[i-1])^2 }\nstart x[1] = 0.1\n"
    "simulate t = 0..0.05",
};

typedef struct worker {
    pthread_t thread;
    zw_sim *sim[models];
    size_t size[models]; /* of a saved run */
    char *saved[models];
    double end[models], first[models][numbers];
    int32_t count[models]; /* of columns */
    zw_columns *columns[models];
    double seconds;
    long rounds;
    const char *wrong; /* NULL: all is well */
} worker;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* From the saved beginning to the end, and the columns there. */
static const char *move(worker *w, int k)
{
    zw_outcome outcome;
    double row[numbers];
    size_t bytes = sizeof(double) * (size_t)w->count[k];
    if (zw_sim_restore(w->sim[k], w->saved[k], w->size[k]) != ZW_OK) return "restore failed";
    if (zw_sim_advance(w->sim[k], w->end[k], &outcome) != ZW_OK) return "advance failed";
    if (zw_sim_columns(w->sim[k], w->columns[k], row) != ZW_OK) return "columns failed";
    if (w->rounds == 0) memcpy(w->first[k], row, bytes);
    return memcmp(w->first[k], row, bytes) == 0 ? NULL : "another end than the first";
}

static void *work(void *user)
{
    worker *w = user;
    double until = now() + w->seconds;
    for (w->rounds = 0; !w->wrong && (w->rounds < 2 || now() < until); w->rounds++)
        for (int k = 0; k < models && !w->wrong; k++) w->wrong = move(w, k);
    return NULL;
}

/* Simulations are made by the thread of the context. */
static const char *prepare(worker *w, zw_model *const *model)
{
    for (int k = 0; k < models; k++) {
        zw_run_settings s;
        if (zw_sim_create(model[k], &w->sim[k]) != ZW_OK ||
            zw_sim_start(w->sim[k], false) != ZW_OK || zw_run_defaults(model[k], &s) != ZW_OK ||
            zw_sim_begin(w->sim[k], &s) != ZW_OK ||
            zw_columns_create(model[k], NULL, &w->columns[k]) != ZW_OK)
            return "a simulation cannot be made";
        w->end[k] = s.until;
        w->count[k] = zw_columns_count(w->columns[k]);
        (void)zw_sim_save(w->sim[k], NULL, 0, &w->size[k]);
        w->saved[k] = malloc(w->size[k] + 1);
        if (!w->saved[k] || w->count[k] > numbers) return "too large";
        if (zw_sim_save(w->sim[k], w->saved[k], w->size[k], &w->size[k]) != ZW_OK)
            return "save failed";
    }
    return NULL;
}

static void clear(worker *w)
{
    for (int k = 0; k < models; k++) {
        zw_sim_free(w->sim[k]);
        zw_columns_free(w->columns[k]);
        free(w->saved[k]);
    }
}

/* An ensemble of the first model, whose threads are its own. */
static const char *run_ensemble(zw_model *model)
{
    enum { members = 24 };
    double state[members * 4];
    zw_member member[members];
    zw_ensemble e = {.count = members, .state = state, .members = member, .threads = 2};
    zw_run_settings s;
    if (zw_run_defaults(model, &s) != ZW_OK) return "no settings";
    for (int k = 0; k < members; k++) {
        double *x = state + 4 * k;
        x[0] = 1.0, x[1] = 0.0, x[2] = 0.0, x[3] = 0.1 * k;
    }
    return zw_ensemble_run(model, &s, &e) == ZW_OK ? NULL : "the ensemble failed";
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 5.0;
    zw_context *context = NULL;
    zw_model *model[models] = {NULL};
    static worker workers[threads];
    const char *wrong = zw_context_create(NULL, &context) == ZW_OK ? NULL : "no context";
    if (!wrong) (void)zw_context_set_threads(context, 2);
    for (int k = 0; k < models && !wrong; k++) {
        zw_model_source source = {.file = "m.zw", .text = texts[k], .length = strlen(texts[k])};
        if (zw_model_compile(context, &source, &model[k]) != ZW_OK) wrong = "a model is refused";
    }
    double until = now() + seconds;
    do {
        for (int i = 0; i < threads && !wrong; i++) {
            workers[i] = (worker){.seconds = seconds / 2};
            wrong = prepare(&workers[i], model);
        }
        if (!wrong)
            for (int i = 0; i < threads; i++)
                if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) return 2;
        for (int i = 0; i < threads && !wrong; i++) (void)pthread_join(workers[i].thread, NULL);
        for (int i = 0; i < threads; i++) {
            if (!wrong) wrong = workers[i].wrong;
            printf("thread %d: %ld rounds\n", i, workers[i].rounds);
            clear(&workers[i]);
        }
        if (!wrong) wrong = run_ensemble(model[0]);
    } while (!wrong && now() < until);
    for (int k = 0; k < models; k++) zw_model_free(model[k]);
    zw_context_free(context);
    if (wrong) fprintf(stderr, "%s\n", wrong);
    return wrong ? 1 : 0;
}
