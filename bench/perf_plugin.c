/*
 * The benchmark plug-in: each workload through zwang.h, as any user would. Plans are kept
 * between calls (one per size), results never.
 */
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
