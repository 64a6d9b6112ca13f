/*
 * A sweep beside the ensemble it rests on: the same double pendulums, with the same starts and
 * parameters, by zw_ensemble_run and by zw_sweep_run, which also draws the parameters, finds every
 * start, keeps two numbers and makes blocks of them. CPU seconds of the process.
 *
 *     bench_sweep [RUNS [SECONDS [THREADS [ROUNDS]]]]
 *
 * `./dev bench sweep` has the command beside both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zwang.h>

static const char text[] = "param m = [1, 1], g = 9.81\n"
                           "coord a, b\n"
                           "let p = [sin(a), -cos(a)]\n"
                           "let q = p + [sin(b), -cos(b)]\n"
                           "kinetic m[1]/2*dot(p', p') + m[2]/2*dot(q', q')\n"
                           "potential g*(m[1]*p[2] + m[2]*q[2])\n"
                           "start a = 1.5, b = 1.2\n"
                           "simulate t = 0..10, tol = 1e-9\n";

static double read_cpu_clock(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct work {
    zw_sweep *sweep;
    zw_sweep_facts facts;
    double *values; /* [runs] of g */
    double until;
    int64_t next;
} work;

static int64_t next_batch(void *user)
{
    work *w = user;
    return w->next < w->facts.batches ? w->next++ : -1;
}

static bool take_block(void *user, int64_t batch, const void *bytes, size_t size)
{
    (void)user, (void)batch, (void)bytes, (void)size;
    return true;
}

static bool goes_on(void *user)
{
    (void)user;
    return true;
}

static void settle(void *user, zw_run_settings *settings)
{
    settings->until = ((work *)user)->until;
}

/* Seconds of the ensemble; below 0: it failed. */
static double run_ensemble(zw_model *model, const work *w, int32_t threads)
{
    size_t runs = (size_t)w->facts.runs;
    double *state = malloc(runs * 4 * sizeof *state), t = 0.0, start[4];
    zw_run_settings settings;
    zw_sim *sim = NULL;
    const char *const names[] = {"g"};
    if (!state || zw_sim_create(model, &sim) != ZW_OK || zw_sim_start(sim, false) != ZW_OK ||
        zw_sim_state(sim, &t, start, start + 2) != ZW_OK ||
        zw_run_defaults(model, &settings) != ZW_OK) {
        zw_sim_free(sim);
        free(state);
        return -1.0;
    }
    settings.until = w->until;
    for (size_t i = 0; i < runs; i++) memcpy(state + 4 * i, start, sizeof start);
    zw_ensemble e = {.count = w->facts.runs,
                     .t = t,
                     .state = state,
                     .names = names,
                     .name_count = 1,
                     .values = w->values,
                     .threads = threads};
    double began = read_cpu_clock();
    zw_status status = zw_ensemble_run(model, &settings, &e);
    double seconds = read_cpu_clock() - began;
    zw_sim_free(sim);
    free(state);
    return status == ZW_OK ? seconds : -1.0;
}

static double run_sweep(work *w, int32_t threads)
{
    zw_sweep_job job = {
        .threads = threads, .next = next_batch, .done = take_block, .poll = goes_on, .user = w};
    double began = read_cpu_clock();
    w->next = 0;
    return zw_sweep_run(w->sweep, &job) == ZW_OK ? read_cpu_clock() - began : -1.0;
}

int main(int argc, char **argv)
{
    const char *const vary[] = {"g ~ uniform(9, 10)"};
    int32_t threads = argc > 3 ? (int32_t)atoi(argv[3]) : 1;
    int rounds = argc > 4 ? atoi(argv[4]) : 3;
    work w = {.until = argc > 2 ? atof(argv[2]) : 10.0};
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_model_source source = {.file = "pendulums", .text = text, .length = strlen(text)};
    zw_sweep_plan plan = {.model = &source,
                          .vary = vary,
                          .vary_count = 1,
                          .keep = "last(a), last(b)",
                          .samples = argc > 1 ? atoll(argv[1]) : 20000,
                          .settle = settle,
                          .user = &w};
    if (zw_context_create(NULL, &context) != ZW_OK ||
        zw_model_compile(context, &source, &model) != ZW_OK ||
        zw_sweep_create(context, &plan, &w.sweep) != ZW_OK ||
        zw_sweep_tell(w.sweep, &w.facts) != ZW_OK)
        return 1;
    w.values = malloc(sizeof *w.values * (size_t)w.facts.runs);
    if (!w.values) return 1;
    for (int64_t i = 0; i < w.facts.runs; i++) (void)zw_sweep_values(w.sweep, i, &w.values[i]);
    for (int round = 0; round < rounds; round++) {
        double ensemble = run_ensemble(model, &w, threads), sweep = run_sweep(&w, threads);
        printf("%lld runs of %g s: ensemble %.3f s, sweep %.3f s, ratio %.3f\n",
               (long long)w.facts.runs, w.until, ensemble, sweep, sweep / ensemble);
    }
    free(w.values);
    zw_sweep_free(w.sweep);
    zw_model_free(model);
    zw_context_free(context);
    return 0;
}
