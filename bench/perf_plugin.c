/*
 * The benchmark plug-in: each workload through zwang.h, as any user would. Plans are kept
 * between calls (one per size), results never.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_interface.h"
#include "zwang.h"

enum { most_plans = 16 };

/* The solver for this size, made on first use. */
static zw_gauss *plan_for(int n, int m)
{
    static zw_context *context;
    static struct {
        int n, m;
        zw_gauss *g;
    } plans[most_plans];
    int i = 0;
    while (i < most_plans && plans[i].g && (plans[i].n != n || plans[i].m != m)) i++;
    if (i == most_plans) return 0;
    if (plans[i].g) return plans[i].g;
    if (!context && zw_context_create(0, &context) != ZW_OK) return 0;
    zw_gauss_shape shape = {.n = n, .m = m};
    plans[i].n = n;
    plans[i].m = m;
    return zw_gauss_plan(context, &shape, &plans[i].g) == ZW_OK ? plans[i].g : 0;
}

int perf_engine_w1(const perf_w1_t *p)
{
    zw_gauss *g = plan_for(p->n, p->m);
    zw_gauss_answer answer = {.acceleration = p->x};
    if (!g || zw_gauss_factor(g, p->M, p->A_row, 0) != ZW_OK) return 1;
    return zw_gauss_solve(g, p->Q, p->b, 0, &answer) == ZW_OK ? 0 : 2;
}

static const char double_pendulum[] = "param g = 9.81\n"
                                      "coord x1, y1, x2, y2\n"
                                      "kinetic (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2\n"
                                      "potential g*(y1 + y2)\n"
                                      "constraint first: x1^2 + y1^2 = 1\n"
                                      "constraint second: (x2 - x1)^2 + (y2 - y1)^2 = 1\n";

/* A simulation of the text, made on first use. */
static zw_sim *pendulum_sim(zw_model **model)
{
    static zw_context *context;
    static zw_model *compiled;
    static zw_sim *sim;
    zw_model_source source = {
        .file = "double_pendulum.zw", .text = double_pendulum, .length = strlen(double_pendulum)};
    if (!context && zw_context_create(0, &context) != ZW_OK) return 0;
    if (!compiled && zw_model_compile(context, &source, &compiled) != ZW_OK) return 0;
    if (!sim && zw_sim_create(compiled, &sim) != ZW_OK) return 0;
    *model = compiled;
    return sim;
}

int perf_engine_w5(double *state, double T, double tol)
{
    zw_model *model = 0;
    zw_sim *sim = pendulum_sim(&model);
    zw_run_settings settings;
    zw_outcome outcome;
    if (!sim || zw_run_defaults(model, &settings) != ZW_OK) return 1;
    settings.until = T;
    settings.tol = settings.abs_tol = tol;
    if (zw_sim_set_state(sim, 0.0, state, state + 4) != ZW_OK) return 2;
    if (zw_sim_begin(sim, &settings) != ZW_OK) return 3;
    if (zw_sim_advance(sim, T, &outcome) != ZW_OK) return 4;
    return zw_sim_state(sim, 0, state, state + 4) == ZW_OK ? 0 : 5;
}

int perf_engine_w4(int count, double *state, double T, double rtol, double atol, int threads)
{
    zw_model *model = 0;
    zw_run_settings settings;
    if (!pendulum_sim(&model) || zw_run_defaults(model, &settings) != ZW_OK) return 1;
    settings.until = T;
    settings.tol = rtol;
    settings.abs_tol = atol;
    zw_ensemble ensemble = {.count = count, .state = state, .threads = threads};
    return zw_ensemble_run(model, &settings, &ensemble) == ZW_OK ? 0 : 2;
}

/* -------------------------------------------------------------- a chain of rods */

static const char chain_text[] = "param N = 2, g = 9.81\n"
                                 "coord r[N, 2]\n"
                                 "kinetic sum(i in 1..N, dot(r[i]', r[i]')/2)\n"
                                 "potential sum(i in 1..N, g*r[i][2])\n"
                                 "constraint rod[1]: dot(r[1], r[1]) = 1\n"
                                 "start r[1] = [1, 0]\n"
                                 "for i in 2..N {\n"
                                 "  constraint rod[i]: dot(r[i] - r[i-1], r[i] - r[i-1]) = 1\n"
                                 "  start r[i] = [i, 0]\n"
                                 "}\n";

/* One for every call of new; the harness never gives them back. */
typedef struct chain {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
} chain;

static bool chain_build(chain *c, int N)
{
    char text[32];
    const char *setting = text;
    snprintf(text, sizeof text, "N = %d", N);
    zw_model_source source = {.file = "chain.zw",
                              .text = chain_text,
                              .length = strlen(chain_text),
                              .settings = &setting,
                              .setting_count = 1};
    return zw_context_create(0, &c->context) == ZW_OK &&
           zw_context_set_threads(c->context, 1) == ZW_OK && /* as the others have it */
           zw_model_compile(c->context, &source, &c->model) == ZW_OK &&
           zw_sim_create(c->model, &c->sim) == ZW_OK &&
           zw_sim_set_kernel(c->sim, ZW_KERNEL_NATIVE) == ZW_OK;
}

void *perf_engine_w2_new(int N)
{
    chain *c = calloc(1, sizeof *c);
    if (c && chain_build(c, N)) return c;
    if (c) zw_sim_free(c->sim), zw_model_free(c->model), zw_context_free(c->context);
    free(c);
    return 0;
}

int perf_engine_w2_accel(void *handle, const double *q, const double *v, double *a)
{
    const chain *c = handle;
    return c && zw_sim_acceleration(c->sim, 0.0, q, v, a) == ZW_OK ? 0 : 1;
}

int perf_engine_w2_run(void *handle, double T, double tol, double *q, double *v)
{
    const chain *c = handle;
    zw_run_settings settings;
    zw_outcome outcome;
    if (!c || zw_run_defaults(c->model, &settings) != ZW_OK) return 1;
    settings.until = T;
    settings.tol = settings.abs_tol = tol;
    settings.kernel = ZW_KERNEL_NATIVE;
    if (zw_sim_set_state(c->sim, 0.0, q, v) != ZW_OK) return 2;
    if (zw_sim_begin(c->sim, &settings) != ZW_OK) return 3;
    if (zw_sim_advance(c->sim, T, &outcome) != ZW_OK) return 4;
    return zw_sim_state(c->sim, 0, q, v) == ZW_OK ? 0 : 5;
}
