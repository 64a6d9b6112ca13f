/*
 * Two simulations of one model in two threads, from different starts. Everything that takes memory
 * is done by the main thread. The same runs one after the other give the same bits.
 *
 *     cc two_threads.c $(pkg-config --cflags --libs zwang) -lpthread
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <zwang.h>

static const char text[] = "coord a[2], b[2]\n"
                           "kinetic (dot(a', a') + dot(b', b'))/2\n"
                           "potential 9.81*(a[2] + b[2])\n"
                           "constraint upper: dot(a, a) = 1\n"
                           "constraint lower: dot(b - a, b - a) = 1\n"
                           "start a = [1, 0]\n"
                           "start b = [2, 0]\n"
                           "simulate t = 0..5, tol = 1e-9\n";

typedef struct job {
    zw_sim *sim;
    double q[4], v[4]; /* where the run ended */
    zw_status status;
} job;

/* The start, and a push: b' = [0, push], which keeps to both rods. */
static zw_status prepare(zw_model *model, double push, job *j)
{
    double v[4] = {0, 0, 0, push};
    zw_run_settings settings = {0};
    zw_status status = zw_run_defaults(model, &settings);
    if (status == ZW_OK) status = zw_sim_create(model, &j->sim);
    if (status == ZW_OK) status = zw_sim_start(j->sim, false);
    if (status == ZW_OK) status = zw_sim_set_state(j->sim, 0, NULL, v);
    return status == ZW_OK ? zw_sim_begin(j->sim, &settings) : status;
}

static void *work(void *user)
{
    job *j = user;
    zw_outcome outcome;
    j->status = zw_sim_advance(j->sim, 5, &outcome);
    if (j->status == ZW_OK) j->status = zw_sim_state(j->sim, NULL, j->q, j->v);
    return NULL;
}

int main(void)
{
    zw_model_source source = {.file = "double", .text = text, .length = strlen(text)};
    zw_context *context = NULL;
    zw_model *model = NULL;
    job jobs[4] = {{0}}; /* two in threads, then the same in turn */
    pthread_t threads[2];

    zw_status status = zw_context_create(NULL, &context);
    if (status == ZW_OK) status = zw_model_compile(context, &source, &model);
    for (int i = 0; status == ZW_OK && i < 4; i++)
        status = prepare(model, i % 2 == 0 ? 0 : 1.5, &jobs[i]);
    bool same = status == ZW_OK;
    if (status == ZW_OK) {
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &jobs[i]);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        for (int i = 2; i < 4; i++) work(&jobs[i]);
    }
    for (int i = 0; same && i < 2; i++) {
        const job *j = &jobs[i], *k = &jobs[i + 2];
        same = j->status == ZW_OK && memcmp(j->q, k->q, sizeof j->q) == 0 &&
               memcmp(j->v, k->v, sizeof j->v) == 0;
        printf("run %d ends at (%.6f, %.6f): %s\n", i + 1, j->q[2], j->q[3],
               same ? "the same bits in a thread and in turn" : zw_status_sentence(j->status));
    }
    for (int i = 0; i < 4; i++) zw_sim_free(jobs[i].sim);
    zw_model_free(model);
    zw_context_free(context);
    return same ? 0 : 1;
}
