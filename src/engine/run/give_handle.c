/*
 * Giving out handles (handles.h): a name of an input or a parameter becomes the numbers of its
 * elements, and what a change of them can touch is found: the parameters that follow by their
 * formulas, and whether any of these stands in an energy or in a constraint. Where a family is kept
 * with its table that is asked of the table, else of its expressions.
 */
#include <string.h>

#include "builder.h"
#include "handles.h"
#include "messages.h"
#include "run.h"

/* ----------------------------------------------------------------------------- memory */

/* One block for all that is as long as the parameters. */
static zw_status open_handles(zw_sim *sim)
{
    if (sim->handles) return ZW_OK;
    size_t count = (size_t)sim->zm->parameter_count, nodes = (size_t)sim->zm->formulas.count;
    size_t bytes = (count + nodes) * sizeof(double) + 2 * count * sizeof(bool);
    zr_handles *h = zb_resize(sim->memory, NULL, 0, sizeof *h);
    double *block = h ? zb_resize(sim->memory, NULL, 0, bytes) : NULL;
    if (!block) {
        zw_status failure = sim->memory->failure;
        if (h) zb_resize(sim->memory, h, sizeof *h, 0);
        return failure;
    }
    memset(block, 0, bytes);
    *h = (zr_handles){.kept = block, .scratch = block + count, .bytes = bytes};
    h->varies = (bool *)(void *)(block + count + nodes);
    h->kept_overridden = h->varies + count;
    sim->handles = h;
    return ZW_OK;
}

void zr_free_handles(zw_sim *sim)
{
    zr_handles *h = sim->handles;
    if (!h) return;
    if (h->list) zb_resize(sim->memory, h->list, sizeof *h->list * (size_t)h->room, 0);
    zb_resize(sim->memory, h->kept, h->bytes, 0);
    zb_resize(sim->memory, h, sizeof *h, 0);
    sim->handles = NULL;
}

static zw_status push_handle(zw_sim *sim, const zr_handle *handle)
{
    zr_handles *h = sim->handles;
    if (h->count == h->room) {
        int32_t room = h->room > 0 ? 2 * h->room : 8;
        zr_handle *list = zb_resize(sim->memory, h->list, sizeof *list * (size_t)h->room,
                                    sizeof *list * (size_t)room);
        if (!list) return sim->memory->failure;
        h->list = list;
        h->room = room;
    }
    h->list[h->count++] = *handle;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------ names */

/* Whether the text that `write` makes is the name. */
static bool is_named(const zw_model *model, const char *name, const zm_block *block,
                     int32_t element)
{
    char buffer[400];
    zb_text text;
    zb_text_init_fixed(&text, buffer, sizeof buffer);
    if (element >= 0)
        zm_parameter_text(model->zm, element, &text);
    else
        zm_label_text(model->zm, &block->label, &text);
    return strcmp(buffer, name) == 0;
}

/* The block or the element of that name; false: there is none. */
static bool find_elements(const zw_model *model, const char *name, bool input, zr_handle *found)
{
    for (int32_t k = 0; k < model->zm->parameter_blocks; k++) {
        const zm_block *block = &model->zm->parameters[k];
        int32_t count = zr_block_size(block);
        if (input && model->zm->input[block->first] != ZM_INPUT) continue;
        *found = (zr_handle){.first = block->first, .count = count};
        if (is_named(model, name, block, -1)) return true;
        for (int32_t i = 0; i < count && strchr(name, '['); i++) {
            *found = (zr_handle){.first = block->first + i, .count = 1};
            if (is_named(model, name, block, block->first + i)) return true;
        }
    }
    return false;
}

/* E0121, E0108: the one that was meant, perhaps. */
static zw_status report_no_such_name(zw_model *model, const char *name, bool input)
{
    zb_text sentence, help, label;
    zb_suggestion best;
    zb_text_init(&sentence, &model->context->memory);
    zb_text_init(&help, &model->context->memory);
    zb_text_init(&label, &model->context->memory);
    zb_suggest_begin(&best, name);
    char buffer[200];
    for (int32_t k = 0; k < model->zm->parameter_blocks; k++) {
        if (input && model->zm->input[model->zm->parameters[k].first] != ZM_INPUT) continue;
        zb_text_init_fixed(&label, buffer, sizeof buffer);
        zm_label_text(model->zm, &model->zm->parameters[k].label, &label);
        zb_suggest_add(&best, buffer);
    }
    const char *word = zb_suggest_end(&best);
    if (word)
        zb_text_printf(&help, "did you mean '%s'?", word);
    else
        zb_text_add(&help, input ? "declare it in the model, as in input u = 0"
                                 : "declare it in the model, as in param m = 1");
    zb_text_printf(&sentence, "the model has no %s '%.100s'", input ? "input" : "parameter", name);
    zr_message message = {.code = input ? "E0121" : "E0108", .place = zr_nowhere};
    message.help = zb_text_string(&help);
    zw_status status = zr_report(model, &message, &sentence);
    zb_text_free(&sentence);
    zb_text_free(&help);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

zw_status zr_find_parameter(zw_model *model, const char *name, int32_t *first, int32_t *count)
{
    zr_handle found;
    if (!find_elements(model, name, false, &found)) return report_no_such_name(model, name, false);
    *first = found.first;
    *count = found.count;
    return ZW_OK;
}

/* A sentence without a place. */
static zw_status report_refusal(zw_sim *sim, const char *code, const char *help,
                                const char *sentence, zw_status refused)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, sentence);
    zr_message message = {.code = code, .place = zr_nowhere, .help = help};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? refused : status;
}

/* ---------------------------------------------------------------------------- effects */

/* Marks the handle's elements, and those of formulas that use what is marked. Formulas hold earlier
 * parameters only. marked [parameter_count]. */
static bool mark_followers(const zw_sim *sim, const zr_handle *handle, bool *marked)
{
    const zx_pool *pool = &sim->zm->formulas;
    bool any = false;
    bool *node =
        (bool *)(void *)sim->handles->scratch; /* [formulas], less than there is room for */
    for (int32_t k = 0; k < handle->count; k++) marked[handle->first + k] = true;
    zx_node at = 0;
    for (int32_t k = 0; pool->count > 0 && k < sim->zm->parameter_count; k++) {
        for (; at < sim->zm->definition_ends[k]; at++) {
            const zx_item *x = &pool->items[at];
            int operands = zr_count_operands(x);
            node[at] = x->op == ZX_VALUE
                           ? marked[x->a]
                           : (operands > 0 && node[x->a]) || (operands > 1 && node[x->b]) ||
                                 (operands > 2 && node[x->c]);
        }
        bool own = k >= handle->first && k < handle->first + handle->count;
        if (own || !node[sim->zm->definitions[k]]) continue;
        marked[k] = any = true;
    }
    return any;
}

/* Whether a marked parameter stands below a root of a whole family. One pass down the pool, for
 * operands stand before what uses them; reach [nodes], zeros. */
static bool is_read_by_whole(const zw_sim *sim, const zm_family *f, const bool *marked, bool *reach)
{
    const zx_pool *pool = &sim->zm->pool;
    for (int32_t k = 0; k < f->root_count; k++)
        if (f->roots[k] >= 0) reach[f->roots[k]] = true;
    for (int32_t i = pool->count - 1; i >= 0; i--) {
        const zx_item *x = &pool->items[i];
        if (!reach[i]) continue;
        int operands = zr_count_operands(x);
        if (x->op == ZX_VALUE && x->a < sim->zm->parameter_count && marked[x->a]) return true;
        if (operands > 0) reach[x->a] = true;
        if (operands > 1) reach[x->b] = true;
        if (operands > 2) reach[x->c] = true;
    }
    return false;
}

/* Whether an instance is bound to a marked parameter. */
static bool is_read_by_table(const zw_sim *sim, const zm_family *f, const bool *marked)
{
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t s = 0; s < f->values; s++) {
            int32_t value = zm_value_of(f, i, s);
            if (value < sim->zm->parameter_count && marked[value]) return true;
        }
    return false;
}

/* Which kinds of families read what is marked. */
static zw_status find_effects(zw_sim *sim, zr_handle *handle, const bool *marked)
{
    size_t nodes = (size_t)sim->zm->pool.count;
    bool *reach = zb_resize(sim->memory, NULL, 0, nodes + 1);
    if (!reach) return sim->memory->failure;
    for (int32_t k = 0; k < sim->zm->family_count; k++) {
        const zm_family *f = &sim->zm->families[k];
        bool energy = f->kind == ZM_ENERGY || f->kind == ZM_MASS;
        bool rows = f->kind == ZM_CONSTRAINT || f->kind == ZM_GAP;
        if (!energy && !rows) continue;
        memset(reach, 0, nodes + 1);
        bool reads =
            f->whole ? is_read_by_whole(sim, f, marked, reach) : is_read_by_table(sim, f, marked);
        handle->moves_energy = handle->moves_energy || (energy && reads);
        handle->moves_rows = handle->moves_rows || (rows && reads);
    }
    zb_resize(sim->memory, reach, nodes + 1, 0);
    return ZW_OK;
}

/* Those that the handle can change may change in a run from now on. */
static zw_status describe_handle(zw_sim *sim, zr_handle *handle)
{
    zr_handles *h = sim->handles;
    size_t count = (size_t)sim->zm->parameter_count;
    bool *marked = h->kept_overridden; /* it is not used now */
    memset(marked, 0, count);
    handle->followed = mark_followers(sim, handle, marked);
    ZB_TRY(find_effects(sim, handle, marked));
    ZB_TRY(push_handle(sim, handle));
    for (size_t k = 0; k < count; k++) h->varies[k] = h->varies[k] || marked[k];
    return ZW_OK;
}

/* Refused: unknown names, sizes, and in a run whose steps do not end where they are asked to. */
zw_status zr_give_handle(zw_sim *sim, const char *name, bool input, int32_t *handle)
{
    zr_handle found;
    if (zr_has_run(sim) && !sim->run->step.ends_asked)
        return report_refusal(sim, "E0755", "ask for handles before zw_sim_begin",
                              "a run has begun without handles, and none can be given out in it",
                              ZW_ERR_ORDER);
    if (!find_elements(sim->model, name, input, &found))
        return report_no_such_name(sim->model, name, input);
    for (int32_t k = 0; k < found.count; k++)
        if (sim->zm->structural[found.first + k])
            return report_refusal(sim, "E0115", "set it when the model is compiled",
                                  "this parameter sizes something and cannot be changed afterwards",
                                  ZW_ERR_SETTING);
    ZB_TRY(open_handles(sim));
    ZB_TRY(describe_handle(sim, &found));
    *handle = sim->handles->count - 1;
    return ZW_OK;
}

int32_t zr_sim_handle_count(const zw_sim *sim, int32_t handle)
{
    bool known = sim->handles && handle >= 0 && handle < sim->handles->count;
    return known ? sim->handles->list[handle].count : 0;
}
