/*
 * Columns d(X)/d(P): how column X moves along the run where P does. X is what any element of a list may
 * be; P a parameter or an element of one, a value of the start, start(x) or start(x'), or `all`, every
 * parameter that does not shape the model. Both may stand for several: then it is each by each.
 *
 *     d ( X ) / d ( P )
 *
 * The number is the rate of X along the tangent that the run carries (carry.h).
 */
#include <math.h>
#include <string.h>

#include "columns.h"
#include "handles.h"

/* ----------------------------------------------------------------------- reading */

/* A derivative in a list: bytes [of, of_end) are X, and P likewise. */
typedef struct derivative {
    int32_t of, of_end, by, by_end;
} derivative;

static int32_t skip_blanks(const char *list, int32_t at)
{
    while (list[at] == ' ' || (list[at] >= '\t' && list[at] <= '\r')) at++;
    return at;
}

/* "d ( ... )" from `at` on: what stands in the brackets, and the place behind them; -1: it is none. */
static int32_t read_differential(const char *list, int32_t at, int32_t *from, int32_t *to)
{
    int32_t depth = 0;
    at = skip_blanks(list, at);
    if (list[at] != 'd') return -1;
    at = skip_blanks(list, at + 1);
    if (list[at] != '(') return -1;
    *from = at + 1;
    for (; list[at]; at++) {
        depth += list[at] == '(' ? 1 : list[at] == ')' ? -1 : 0;
        if (depth > 0) continue;
        *to = at;
        return skip_blanks(list, at + 1);
    }
    return -1;
}

bool zr_is_derivative(const char *list, int32_t at)
{
    int32_t from, to, next = at < 0 ? -1 : read_differential(list, at, &from, &to);
    return next >= 0 && list[next] == '/';
}

/* False: what stands behind the stroke is none. */
static bool read_derivative(const char *list, int32_t at, derivative *d)
{
    *d = (derivative){0};
    int32_t next = read_differential(list, at, &d->of, &d->of_end);
    if (next < 0) return false;
    next = read_differential(list, next + 1, &d->by, &d->by_end);
    return next >= 0 && (list[next] == ',' || !list[next]);
}

/* The comma that ends the element, or the end of the list. */
static int32_t find_element_end(const char *list, int32_t at)
{
    for (int32_t depth = 0; list[at] && (list[at] != ',' || depth > 0); at++)
        depth += list[at] == '(' || list[at] == '['   ? 1
                 : list[at] == ')' || list[at] == ']' ? -1
                                                      : 0;
    return at;
}

/* ------------------------------------------------------------------------- what by */

/* Structural ones decide how large the model is: it would be another one. */
zw_status zr_check_varied(zw_model *model, int32_t parameter)
{
    const zm_model *zm = model->zm;
    if (!zm->structural[parameter]) return ZW_OK;
    zb_text text;
    zb_text_init(&text, &model->context->memory);
    zb_text_add(&text, "there is no derivative by '");
    zm_parameter_text(zm, parameter, &text);
    zb_text_add(&text, "': it decides what the model consists of");
    zr_message message = {.code = "E0733",
                          .place = zm->parameters[zm_parameter_block_of(zm, parameter)].place,
                          .help =
                              "such a parameter stands in a size, a range of `for` or an `if` of "
                              "statements; leave it out, or compare two models"};
    zw_status status = zr_report(model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

typedef ZB_ARRAY(zr_by) by_list;

static zw_status push_by(zb_memory *memory, by_list *list, zr_by by)
{
    if (!zb_array_reserve(memory, list, 1)) return memory->failure;
    list->data[list->count++] = by;
    return ZW_OK;
}

/* Parameters by name; `all` leaves structural ones out. */
static zw_status list_parameters(zr_search *s, const char *name, by_list *list)
{
    const zm_model *zm = s->model->zm;
    zb_memory *memory = s->columns->memory;
    int32_t first = 0, count = zm->parameter_count;
    bool all = strcmp(name, "all") == 0;
    if (!all) ZB_TRY(zr_find_parameter(s->model, name, &first, &count));
    for (int32_t i = first; i < first + count; i++) {
        if (all && zm->structural[i]) continue;
        ZB_TRY(zr_check_varied(s->model, i));
        ZB_TRY(push_by(memory, list, (zr_by){.parameter = i}));
    }
    return ZW_OK;
}

/* E0739: start(...) of what is no coordinate and no velocity. */
static zw_status refuse_start(zr_search *s, const zw_columns *columns, int32_t i)
{
    zb_text text;
    zb_text_init(&text, s->columns->memory);
    zb_text_add(&text, "'");
    zr_columns_name(columns, i, &text);
    zb_text_add(&text, "' has no value at the start that could be given");
    zr_message message = {.code = "E0739",
                          .place = zr_nowhere,
                          .help = "write start(x) or start(x') with a coordinate"};
    zw_status status = zr_report(s->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

/* name: in the list, with blanks around. */
static zw_status list_starts(zr_search *s, const char *name, by_list *list)
{
    zw_columns *columns = NULL;
    zw_status status = zr_columns_create_part(s->model, name, s->written, &columns);
    for (int32_t i = 1; status == ZW_OK && i < columns->list.count; i++) {
        const zr_column *c = &columns->list.data[i];
        bool fits = c->by == 0 && (c->kind == ZR_COL_POSITION || c->kind == ZR_COL_VELOCITY);
        zr_by by = {.parameter = -1,
                    .entry = c->number + (c->kind == ZR_COL_VELOCITY ? s->model->zm->n : 0)};
        status = fits ? push_by(s->columns->memory, list, by) : refuse_start(s, columns, i);
    }
    zr_columns_free(columns);
    return status;
}

/* Whether text is start( ... ): word and brackets become blanks. */
static bool is_start(char *text)
{
    static const char word[] = "start";
    int32_t from = skip_blanks(text, 0), open = from + (int32_t)sizeof word - 1;
    if (strncmp(text + from, word, sizeof word - 1) != 0) return false;
    open = skip_blanks(text, open);
    size_t length = strlen(text);
    if (text[open] != '(' || text[length - 1] != ')') return false;
    memset(text + from, ' ', (size_t)(open - from) + 1);
    text[length - 1] = '\0';
    return true;
}

/* ------------------------------------------------------------------------- adding */

/* The number of what columns are by, from 1; 0: there is no memory. */
static int32_t find_by(zw_columns *columns, const zr_by *by)
{
    for (int32_t k = 0; k < columns->by.count; k++) {
        const zr_by *known = &columns->by.data[k];
        if (known->parameter == by->parameter && known->entry == by->entry) return k + 1;
    }
    if (!zb_array_reserve(columns->memory, &columns->by, 1)) return 0;
    columns->by.data[columns->by.count++] = *by;
    return columns->by.count;
}

static bool is_there(const zw_columns *columns, const zr_column *sought)
{
    for (int32_t k = 0; k < columns->list.count; k++) {
        const zr_column *c = &columns->list.data[k];
        if (c->kind == sought->kind && c->number == sought->number && c->by == sought->by)
            return true;
    }
    return false;
}

/* Each of X by each of P. t is the first of any list: it counts where it is all there is. */
static zw_status add_products(zr_search *s, const zw_columns *of, const by_list *list)
{
    zw_columns *columns = s->columns;
    for (int32_t i = of->list.count > 1 ? 1 : 0; i < of->list.count; i++) {
        for (int32_t k = 0; k < list->count; k++) {
            zr_column c = {of->list.data[i].kind, of->list.data[i].number,
                           find_by(columns, &list->data[k])};
            if (c.by == 0 || !zb_array_reserve(columns->memory, &columns->list, 1))
                return columns->memory->failure;
            if (!is_there(columns, &c)) columns->list.data[columns->list.count++] = c;
        }
    }
    return ZW_OK;
}

/* The list up to `to` with blanks in the place of all that stands before `from`. */
static char *cut_text(zr_search *s, zb_arena *arena, int32_t from, int32_t to)
{
    while (to > from && skip_blanks(s->list, to - 1) >= to) to--;
    char *text = zb_arena_take(arena, (size_t)to + 1, 1);
    if (!text) return NULL;
    memset(text, ' ', (size_t)from);
    memcpy(text + from, s->list + from, (size_t)(to - from));
    return text;
}

static zw_status add_derivative(zr_search *s, const derivative *d, zb_arena *arena, by_list *list)
{
    zw_columns *of = NULL;
    char *x = cut_text(s, arena, d->of, d->of_end), *by = cut_text(s, arena, d->by, d->by_end);
    if (!x || !by) return arena->failure;
    ZB_TRY(is_start(by) ? list_starts(s, by, list)
                        : list_parameters(s, by + skip_blanks(by, 0), list));
    zw_status status = zr_columns_create_part(s->model, x, s->written, &of);
    if (status == ZW_OK) status = zr_check_columns(s->model, NULL, of);
    if (status == ZW_OK) status = add_products(s, of, list);
    zr_columns_free(of);
    return status;
}

/* A mistake is counted, and the list goes on. */
zw_status zr_add_derivatives(zr_search *s, int32_t *at)
{
    derivative d;
    zb_arena arena;
    by_list list = {0};
    int32_t from = *at, end = find_element_end(s->list, from);
    *at = s->list[end] ? end + 1 : -1;
    if (!read_derivative(s->list, from, &d)) {
        zr_item item = {.at = skip_blanks(s->list, from)};
        item.length = end - item.at;
        return zr_explain_unreadable(s, &item);
    }
    zb_arena_init(&arena, s->columns->memory, 0);
    zw_status status = add_derivative(s, &d, &arena, &list);
    zb_array_free(s->columns->memory, &list);
    zb_arena_clear(&arena);
    if (status != ZW_ERR_SETTING) return status;
    s->wrong++;
    return ZW_OK;
}

void zr_text_derivative(const zw_columns *columns, const zr_column *column, zb_text *text)
{
    const zr_by *by = &columns->by.data[column->by - 1];
    int32_t n = columns->model->zm->n;
    zb_text_add(text, "d(");
    zr_text_column(columns->model, column, text);
    zb_text_add(text, by->parameter >= 0 ? ")/d(" : ")/d(start(");
    if (by->parameter >= 0)
        zm_parameter_text(columns->model->zm, by->parameter, text);
    else
        zr_text_coordinate(columns->model, by->entry % n, by->entry >= n, text);
    zb_text_add(text, by->parameter >= 0 ? ")" : "))");
}

/* ------------------------------------------------------------------------ numbers */

static int32_t find_direction(const zr_carried *c, const zr_by *by)
{
    for (int32_t i = 0; i < c->count; i++)
        if (c->by[i].parameter == by->parameter && c->by[i].entry == by->entry) return i;
    return -1;
}

/* Of a state at rest, or of a run; failing, the run ends here, too. */
static zw_status find_derivatives(zr_carried *c, const zw_columns *columns, double *row)
{
    zw_sim *sim = c->sim;
    ZB_TRY(zr_carry_shown(c));
    ZB_TRY(zr_carry_at(c, sim->t, sim->q, sim->v));
    for (int32_t k = 0; k < columns->by.count; k++) {
        int32_t i = find_direction(c, &columns->by.data[k]);
        if (i < 0) continue;
        zr_direction d = zr_direction_of(c, i, zr_tangent_of(c, c->shown, i), c->dt[i]);
        ZB_TRY(zr_tangent(c->vary, &d));
        ZB_TRY(zr_vary_columns(c->vary, columns, &d, k + 1, row));
    }
    return ZW_OK;
}

zw_status zr_derivatives_row(zw_sim *sim, const zw_columns *columns, double *row)
{
    zr_carried *c = sim->carried;
    if (!c || (sim->run && sim->run->ending.failure == ZW_ERR_DERIVATIVE)) return ZW_OK;
    zw_status status = find_derivatives(c, columns, row);
    if (status == ZW_ERR_DERIVATIVE && sim->run) sim->run->ending.failure = status;
    return status;
}

zw_status zr_sim_vary(zw_sim *sim, const zw_columns *columns)
{
    const zr_by *by = columns ? columns->by.data : NULL;
    zr_run_free(sim);
    return zr_report_no_carry(sim, zr_carry_from_here(sim, by, columns ? columns->by.count : 0));
}

bool zr_columns_derive(const zw_columns *columns)
{
    return columns->by.count > 0;
}
