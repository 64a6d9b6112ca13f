/*
 * A state is made ready for derivatives, or it is said why there are none: E0732 where something
 * slides, motors have limits or positions are a compromise.
 */
#include "study.h"

#include <string.h>

#include "ask_mode.h"
#include "friction.h"
#include "handles.h"

/* Why the rule of tangents does not hold at the state. */
static const char *find_obstacle(zw_sim *sim)
{
    if (zr_any_slides(sim)) return "something slides with friction";
    if (sim->drive) return "motors enforce a control";
    if (zr_on_compromise(sim))
        return "positions are a compromise between contradictory constraints";
    return NULL;
}

zw_status zr_refuse_study(zw_sim *sim, const char *code, const char *help, zb_text *sentence,
                          zw_status refused)
{
    zr_message message = {.code = code, .place = zr_nowhere, .help = help};
    zw_status status = zr_report(sim->model, &message, sentence);
    zb_text_free(sentence);
    return status == ZW_OK ? refused : status;
}

/* Nothing may cost more than this squared. */
zw_status zr_report_large(zw_sim *sim)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_printf(&text,
                   "the model has %d coordinates and %d rows: full matrices would be too large",
                   (int)sim->zm->n, (int)sim->zm->m);
    return zr_refuse_study(sim, "E0732", "up to 2000 coordinates and rows are taken", &text,
                           ZW_ERR_LARGE);
}

static zw_status report_obstacle(zw_sim *sim, const char *why)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_printf(&text, "there are no derivatives at this state: %s", why);
    return zr_refuse_study(sim, "E0732",
                           "ask at a state where friction holds or nothing touches, or leave out "
                           "the statement for this question",
                           &text, ZW_ERR_SETTING);
}

/* Programs of second derivatives are made when they are first asked for. */
static zw_status ready_vary(zw_sim *sim, bool twice)
{
    if (sim->vary && (!twice || sim->vary->twice)) return ZW_OK;
    zr_vary_free(sim->vary);
    sim->vary = NULL;
    return zr_vary_create(sim, twice, &sim->vary);
}

zw_status zr_study_state(zw_sim *sim, bool twice, zr_vary **vary)
{
    ZB_TRY(zr_ready_mode(sim));
    const char *why = find_obstacle(sim);
    if (why) return report_obstacle(sim, why);
    ZB_TRY(ready_vary(sim, twice));
    *vary = sim->vary;
    zw_status status = zr_vary_at(sim->vary);
    if (status == ZW_OK || zr_is_memory(status)) return status;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    return zr_report_factor(sim, &s, status);
}

/* --------------------------------------------------------------------------- names */

/* All parameters that may be varied. */
static void list_all(const zm_model *zm, zr_parameter_list *list)
{
    for (int32_t i = 0; i < zm->parameter_count; i++)
        if (!zm->structural[i]) list->element[list->count++] = i;
}

/* One name, of `length` characters from `from` on. Those named twice count once. */
static zw_status add_parameter(zw_sim *sim, const char *from, size_t length,
                               zr_parameter_list *list)
{
    char name[400];
    int32_t first, count;
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, from, length);
    name[length] = 0;
    ZB_TRY(zr_find_parameter(sim->model, name, &first, &count));
    for (int32_t i = first; i < first + count; i++) {
        bool known = false;
        for (int32_t k = 0; k < list->count; k++)
            if (list->element[k] == i) known = true;
        ZB_TRY(zr_check_varied(sim->model, i));
        if (!known) list->element[list->count++] = i;
    }
    return ZW_OK;
}

/* Names are separated by commas outside of brackets. */
zw_status zr_list_parameters(zw_sim *sim, zb_arena *arena, const char *names,
                             zr_parameter_list *list)
{
    *list = (zr_parameter_list){0};
    list->element = ZB_NEW_ARRAY(arena, int32_t, (size_t)sim->zm->parameter_count + 1);
    if (!list->element) return arena->failure;
    if (names && strcmp(names, "all") == 0) list_all(sim->zm, list);
    if (!names || strcmp(names, "all") == 0) return ZW_OK;
    for (const char *at = names; *at;) {
        const char *end = at;
        int depth = 0;
        for (; *end && (*end != ',' || depth > 0); end++)
            depth += *end == '[' ? 1 : *end == ']' ? -1 : 0;
        const char *from = at + strspn(at, " \t\n"), *to = end;
        while (to > from && strchr(" \t\n", to[-1])) to--;
        if (to > from) ZB_TRY(add_parameter(sim, from, (size_t)(to - from), list));
        at = *end ? end + 1 : end;
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------- tangent */

static void copy_wanted(double *to, const double *from, int32_t count)
{
    if (to && count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

zw_status zr_sim_tangent(zw_sim *sim, const zw_direction *direction, double *acceleration,
                         double *multipliers)
{
    zr_vary *vary;
    zr_direction d = {.q = direction->q, .v = direction->v, .t = direction->t};
    if (direction->parameter >= sim->zm->parameter_count) return ZW_ERR_ARGUMENT;
    if (direction->parameter >= 0) ZB_TRY(zr_check_varied(sim->model, direction->parameter));
    ZB_TRY(zr_study_state(sim, false, &vary));
    if (direction->parameter >= 0) {
        ZB_TRY(zr_vary_parameter(sim, direction->parameter, vary->rates));
        d.values = vary->rates;
    }
    ZB_TRY(zr_tangent(vary, &d));
    copy_wanted(acceleration, vary->dz, sim->zm->n);
    copy_wanted(multipliers, vary->dlambda_ideal, sim->zm->m);
    return ZW_OK;
}
