/*
 * Outputs: `output NAME = E`. The elements of all outputs are numbered on in declared order; the
 * passes of their families write each to its number. Elements in which accelerations or reactions
 * stand are apart from the others, so that the others never wait for a solve.
 */
#include "outputs.h"

/* Where the roots of a family are computed: root i is output at[i] of
 * passes[part[i]].list[pass]. */
typedef struct placing {
    int32_t pass[ZR_OUTPUT_PARTS]; /* the pass of the family in each part */
    int8_t *part;                  /* [root_count] */
    int32_t *at;                   /* [root_count] */
} placing;

/* The part a root belongs to; what it needs goes to outputs->needs. */
static zr_output_part choose_output_part(zr_builder *b, zx_node root)
{
    zx_reach reach = zx_reaches(&b->zm->pool, &root, 1);
    zr_needs *needs = &b->model->outputs->needs;
    if (reach.acceleration) needs->acceleration = true;
    if (reach.measure) needs->measures = true;
    return reach.acceleration || reach.measure ? ZR_OUTPUT_SOLVED : ZR_OUTPUT_DIRECT;
}

/* The passes of a family, one for each part it has roots in; p: where its roots went. */
static void add_output_family(zr_builder *b, int32_t family, placing *p)
{
    const zm_family *f = &b->zm->families[family];
    struct zr_outputs *o = b->model->outputs;
    int32_t count[ZR_OUTPUT_PARTS] = {0};
    zx_node *nodes[ZR_OUTPUT_PARTS];
    p->part = ZB_NEW_ARRAY(&b->scratch, int8_t, f->root_count);
    p->at = ZB_NEW_ARRAY(&b->scratch, int32_t, f->root_count);
    for (int k = 0; k < ZR_OUTPUT_PARTS; k++)
        nodes[k] = ZB_NEW_ARRAY(&b->scratch, zx_node, f->root_count);
    for (int32_t i = 0; i < f->root_count; i++) {
        zr_output_part k = choose_output_part(b, f->roots[i]);
        p->part[i] = (int8_t)k;
        p->at[i] = count[k];
        nodes[k][count[k]++] = f->roots[i];
    }
    for (int k = 0; k < ZR_OUTPUT_PARTS; k++) {
        p->pass[k] = o->passes[k].count;
        if (count[k] > 0) (void)zr_add_pass(b, &o->passes[k], family, nodes[k], 0, count[k]);
    }
}

/* Whether a root reads a column (shown_measures.c). Equal expressions of a family may read different
 * measures. */
static bool reads_column(const zr_builder *b, const zm_where *w, zx_node root)
{
    zm_model *zm = b->zm;
    const zm_family *f = &zm->families[w->family];
    int32_t count;
    bool found = false;
    zx_node *below = zx_below(&zm->pool, &root, 1, &count);
    for (int32_t i = 0; i < count; i++) {
        const zx_item *item = &zm->pool.items[below[i]];
        if (item->op != ZX_MEASURE) continue;
        int32_t k = zm_measure_of(f, w->instance, item->a);
        found = found || zm->measures[k].kind >= ZM_SHOWN_CONTROL;
    }
    zb_resize(zm->pool.memory, below, zb_product((size_t)count, sizeof *below), 0);
    return found;
}

/* The numbers of the elements of one output, as places of the passes that compute them. */
static void place_output(const zr_builder *b, int32_t output, const placing *placings)
{
    struct zr_outputs *o = b->model->outputs;
    const zm_where *w = &b->zm->outputs[output].where;
    for (int32_t k = 0; k < w->count; k++) {
        const placing *p = &placings[w->family];
        int8_t kind = p->part[w->root + k];
        zr_pass *pass = &o->passes[kind].list[p->pass[kind]];
        size_t at = (size_t)w->instance * (size_t)pass->vector + (size_t)p->at[w->root + k];
        pass->place[at] = o->first[output] + k;
        int32_t element = o->first[output] + k;
        o->solved[element] = kind == ZR_OUTPUT_SOLVED;
        o->shows[element] =
            o->solved[element] && reads_column(b, w, b->zm->families[w->family].roots[w->root + k]);
    }
}

/* Elements are numbered first, so that each pass can be told where its outputs go. */
void zr_build_outputs(zr_builder *b)
{
    const zm_model *zm = b->zm;
    struct zr_outputs *o = b->model->outputs = ZB_NEW(b->arena, struct zr_outputs);
    int64_t elements = 0;
    o->first = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)zm->output_count + 1);
    for (int32_t k = 0; k < zm->output_count; k++) {
        elements += zm->outputs[k].where.count;
        if (elements > INT32_MAX) zr_fail(b, ZW_ERR_BUDGET);
        o->first[k + 1] = (int32_t)elements;
    }
    if (elements == 0) return;
    o->solved = ZB_NEW_ARRAY(b->arena, bool, elements);
    o->shows = ZB_NEW_ARRAY(b->arena, bool, elements);
    zb_mark mark = zb_arena_mark(&b->scratch);
    placing *placings = ZB_NEW_ARRAY(&b->scratch, placing, zm->family_count);
    for (int32_t f = 0; f < zm->family_count; f++)
        if (zm->families[f].kind == ZM_OUTPUT) add_output_family(b, f, &placings[f]);
    for (int32_t k = 0; k < zm->output_count; k++) place_output(b, k, placings);
    zb_arena_release(&b->scratch, mark);
}

void zr_free_outputs(zw_model *model)
{
    for (int k = 0; model->outputs && k < ZR_OUTPUT_PARTS; k++)
        zr_free_passes(&model->outputs->passes[k]);
}

int32_t zr_output_passes(const zw_model *model, const zr_passes **passes)
{
    *passes = model->outputs->passes;
    return ZR_OUTPUT_PARTS;
}

zr_needs zr_outputs_need(const zw_model *model)
{
    return model->outputs->needs;
}

int32_t zr_output_elements(const zw_model *model)
{
    return model->outputs->first[model->zm->output_count];
}

int32_t zr_output_first(const zw_model *model, int32_t output)
{
    return model->outputs->first[output];
}

bool zr_output_solved(const zw_model *model, int32_t element)
{
    return model->outputs->solved[element];
}

bool zr_output_shows(const zw_model *model, int32_t element)
{
    return model->outputs->shows[element];
}
