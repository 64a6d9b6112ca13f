/*
 * The values that a model gives for its start, or a caller in their place (zr_posed). What it does not say is 0. A right side may use
 * other start values: they are evaluated before it, in the order found when the model was compiled
 * (build_starts.c).
 */
#include <math.h>
#include <string.h>

#include "start.h"

/* The right side that stands at `w`, by its own program, at the values that are there. */
static double evaluate_start_value(zw_sim *sim, const zk_source *s, const zm_where *w)
{
    const zm_family *f = &sim->zm->families[w->family];
    const int32_t *row = f->whole ? NULL : f->table + (size_t)w->instance * (size_t)f->stride;
    zk_binding binding = {0};
    if (row)
        binding = (zk_binding){.coordinate = row,
                               .value = row + f->coordinates,
                               .measure = row + f->coordinates + f->values};
    double out = 0.0;
    zk_evaluate(sim->model->starts[w->family].programs[w->root], s, row ? &binding : NULL,
                sim->workspace, &out);
    return out;
}

/* What is given from outside stands before any right side is read. */
static void write_posed_values(const zw_sim *sim, double *q, double *v)
{
    int32_t n = sim->zm->n;
    for (int32_t k = 0; sim->posed && k < sim->posed->count; k++) {
        int32_t i = sim->posed->entry[k];
        *(i < n ? q + i : v + (i - n)) = sim->posed->value[k];
    }
}

static bool is_posed(const zw_sim *sim, int32_t entry)
{
    for (int32_t k = 0; sim->posed && k < sim->posed->count; k++)
        if (sim->posed->entry[k] == entry) return true;
    return false;
}

/* q and v are filled while s reads them: a right side sees the values before it. */
zw_status zr_evaluate_given(zw_sim *sim, double t, double *q, double *v, bool *fixed)
{
    const zm_model *zm = sim->zm;
    size_t n = (size_t)zm->n;
    zk_source s = zr_source(sim, t, q, v);
    memset(q, 0, sizeof *q * n);
    memset(v, 0, sizeof *v * n);
    memset(fixed, 0, sizeof *fixed * 2 * n);
    write_posed_values(sim, q, v);
    for (int32_t i = 0; i < sim->model->start_order_count; i++) {
        const zm_start_value *value = &zm->start_values[sim->model->start_order[i]];
        const zm_where *w = &value->where;
        int32_t entry = value->coordinate + (value->order == 1 ? zm->n : 0);
        fixed[entry] = value->fixed;
        if (is_posed(sim, entry)) continue;
        double x = evaluate_start_value(sim, &s, w);
        if (!isfinite(x))
            return zr_report_bad_node(sim, &s, w->family, w->instance,
                                      zm->families[w->family].roots[w->root], value->place);
        (value->order == 1 ? v : q)[value->coordinate] = x;
    }
    return ZW_OK;
}
