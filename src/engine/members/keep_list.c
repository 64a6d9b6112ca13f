/*
 * Reading what is kept of a run: words between commas,
 *
 *     last(LIST)  at(T, LIST)  every(DT, LIST)  largest(LIST)  smallest(LIST)  mean(LIST)
 *     integral(LIST)  event(N)  event(N, K)  trust  steps
 *
 * LIST are columns as `zwang run --columns` has them; each of them becomes a number of its own, and
 * so does each element of a vector. every(DT, x) is at(DT, x), at(2 DT, x) and so on up to the end.
 * Columns that are asked for at the same moments make a group, so that what they need is computed
 * once. All memory is the context's.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "members.h"

enum { most_kept = 100000 };

static const struct {
    const char *word;
    bool columns;
} words[] = {
#define KEEP_WORD(name, word, columns) {word, columns},
    ZR_KEEP_LIST(KEEP_WORD)
#undef KEEP_WORD
};
enum { word_count = sizeof words / sizeof *words };

/* A list that is being read. */
typedef struct keep_reader {
    zr_keep *keep;
    const zw_run_settings *settings;
    zb_arena arena;      /* of copies of words */
    ZB_ARRAY(double) at; /* time of each kept number of ZR_KEEP_AT, in their order; else NaN */
} keep_reader;

/* ---------------------------------------------------------------------- refusals */

zw_status zr_refuse_setting(zw_model *model, const char *code, const char *help, const char *format,
                            ...)
{
    zb_text sentence;
    va_list arguments;
    zb_text_init(&sentence, &model->context->memory);
    va_start(arguments, format);
    zb_text_vprintf(&sentence, format, arguments);
    va_end(arguments);
    zr_message message = {.code = code, .place = zr_nowhere, .help = help};
    zw_status status = zr_report(model, &message, &sentence);
    zb_text_free(&sentence);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

static const char usage[] =
    "keep last(x), at(2, x), every(0.1, x), largest(x), smallest(x), mean(x), integral(x), "
    "event(1), trust or steps";

static zw_status refuse_word(keep_reader *r, const char *word)
{
    return zr_refuse_setting(r->keep->model, "E0764", usage, "'%s' cannot be kept of a run", word);
}

/* ------------------------------------------------------------------------- names */

/* Adds one number with its name; `format` gives that. */
static zw_status add_kept(keep_reader *r, zr_kept kept, double at, const char *format, ...)
    ZB_PRINTF(4, 5);

static zw_status add_kept(keep_reader *r, zr_kept kept, double at, const char *format, ...)
{
    zr_keep *keep = r->keep;
    va_list arguments;
    if (keep->list.count >= most_kept)
        return zr_refuse_setting(keep->model, "E0764", "keep less, or at fewer times",
                                 "more than %d numbers of a run are to be kept", (int)most_kept);
    kept.name = (int32_t)keep->names.length;
    va_start(arguments, format);
    zb_text_vprintf(&keep->names, format, arguments);
    va_end(arguments);
    kept.name_end = (int32_t)keep->names.length;
    zb_text_char(&keep->names, '\0');
    if (keep->names.failure != ZW_OK) return keep->names.failure;
    if (!zb_array_push(keep->memory, &keep->list, kept) || !zb_array_push(keep->memory, &r->at, at))
        return keep->memory->failure;
    return ZW_OK;
}

/* Where the column stands in the group, to which it is added if it is new; t is the first. */
static zw_status find_in_group(zr_keep_group *group, const char *name, int32_t *column)
{
    const char *at = zb_text_string(&group->list);
    size_t length = strlen(name);
    *column = strcmp(name, "t") == 0 ? 0 : 1;
    if (*column == 0) return ZW_OK;
    for (; *at; at += strcspn(at, "\n"), at += *at == '\n', ++*column)
        if (strcspn(at, "\n") == length && memcmp(at, name, length) == 0) return ZW_OK;
    if (group->list.length > 0) zb_text_char(&group->list, '\n');
    zb_text_add(&group->list, name);
    return group->list.failure;
}

/* -------------------------------------------------------------------------- items */

static int32_t group_of_kind(zr_keep_kind kind)
{
    if (kind == ZR_KEEP_LAST) return ZR_GROUP_LAST;
    return kind == ZR_KEEP_AT ? ZR_GROUP_AT : ZR_GROUP_ALONG;
}

/* E0739: runs side by side carry no tangents. */
static zw_status refuse_derivatives(zw_model *model)
{
    zb_text text;
    zb_text_init(&text, &model->context->memory);
    zb_text_add(&text, "the runs of a sweep have no columns d(...)/d(...)");
    zr_message message = {.code = "E0739",
                          .place = zr_nowhere,
                          .help = "`zwang run --columns` has them, for one run at a time"};
    zw_status status = zr_report(model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_SETTING : status;
}

/* A kept number for every column of the list. */
static zw_status keep_columns(keep_reader *r, zr_keep_kind kind, const char *list, double t)
{
    zr_keep *keep = r->keep;
    zw_columns *columns = NULL;
    zb_text name, moment;
    bool only_time = list && strcmp(list, "t") == 0;
    zb_text_init(&name, keep->memory);
    zb_text_init(&moment, keep->memory);
    if (kind == ZR_KEEP_AT) zr_text_digits(&moment, t, 15);
    zw_status status = zr_columns_create(keep->model, only_time ? NULL : list, &columns);
    if (status == ZW_OK && zr_columns_derive(columns)) status = refuse_derivatives(keep->model);
    int32_t count = status != ZW_OK ? 0 : only_time ? 1 : zr_columns_count(columns);
    for (int32_t k = only_time ? 0 : 1; k < count && status == ZW_OK; k++) {
        zr_kept kept = {.kind = kind};
        keep->groups[group_of_kind(kind)].used = true;
        zb_text_clear(&name);
        zr_columns_name(columns, k, &name);
        status =
            find_in_group(&keep->groups[group_of_kind(kind)], zb_text_string(&name), &kept.column);
        if (status != ZW_OK) break;
        status =
            kind == ZR_KEEP_AT
                ? add_kept(r, kept, t, "at(%s, %s)", zb_text_string(&moment), zb_text_string(&name))
                : add_kept(r, kept, (double)NAN, "%s(%s)", words[kind].word, zb_text_string(&name));
    }
    zr_columns_free(columns);
    zb_text_free(&name);
    zb_text_free(&moment);
    return status;
}

/* The part of the arguments before the first comma outside brackets, as a number; *rest: behind it,
 * NULL: there is none. */
static zw_status read_first_number(keep_reader *r, char *arguments, double *x, char **rest)
{
    int depth = 0;
    char *c = arguments;
    for (; *c && (depth > 0 || *c != ','); c++)
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
    *rest = *c ? c + 1 : NULL;
    *c = '\0';
    double *numbers = NULL;
    int32_t count = 0;
    ZB_TRY(zr_evaluate_text(r->keep->model, "keep", arguments, &r->arena, &numbers, &count));
    if (count != 1)
        return zr_refuse_setting(r->keep->model, "E0764", usage, "'%s' is not one number",
                                 arguments);
    *x = numbers[0];
    return ZW_OK;
}

/* at(T, LIST): T within the run. */
static zw_status keep_at(keep_reader *r, char *arguments)
{
    double t = 0.0;
    char *list = NULL;
    ZB_TRY(read_first_number(r, arguments, &t, &list));
    if (!list) return refuse_word(r, "at");
    if (!(t >= r->settings->from) || !(t <= r->settings->until))
        return zr_refuse_setting(
            r->keep->model, "E0766", "name a time within the run",
            "at(%.15g, ...) is not between the start at t = %.15g and the end at t = %.15g", t,
            r->settings->from, r->settings->until);
    return keep_columns(r, ZR_KEEP_AT, list, t);
}

/* every(DT, LIST): from the first multiple after the start on; all columns of a moment together. */
static zw_status keep_every(keep_reader *r, char *arguments)
{
    double step = 0.0, from = r->settings->from, until = r->settings->until;
    char *list = NULL;
    ZB_TRY(read_first_number(r, arguments, &step, &list));
    if (!list) return refuse_word(r, "every");
    if (!(step > 0.0) || !((until - from) / step < most_kept))
        return zr_refuse_setting(
            r->keep->model, "E0766", "write an interval of time, as in every(0.1, x)",
            "every(%.15g, ...) is no interval, or gives too many moments", step);
    for (int32_t k = 1; from + k * step <= until * (1.0 + 1e-15); k++)
        ZB_TRY(keep_columns(r, ZR_KEEP_AT, list, fmin(from + k * step, until)));
    return ZW_OK;
}

/* event(N) and event(N, K), counted from 1. */
static zw_status keep_event(keep_reader *r, char *arguments)
{
    double n = 0.0, k = 1.0;
    char *rest = NULL;
    int32_t events = zr_event_count(r->keep->model);
    ZB_TRY(read_first_number(r, arguments, &n, &rest));
    if (rest) ZB_TRY(read_first_number(r, rest, &k, &rest));
    if (!(n >= 1.0 && n <= events) || n != floor(n) || !(k >= 1.0 && k <= 1000.0) || k != floor(k))
        return zr_refuse_setting(
            r->keep->model, "E0764",
            events > 0
                ? "events are counted from 1 in the order of the model, and so are their firings"
                : "the model has no `when`",
            "there is no event %.15g, firing %.15g, among the %d of the model", n, k, (int)events);
    r->keep->fired = true;
    zr_kept kept = {.kind = ZR_KEEP_EVENT, .event = (int32_t)n - 1, .firing = (int32_t)k - 1};
    return k > 1.0 ? add_kept(r, kept, (double)NAN, "event(%d, %d)", (int)n, (int)k)
                   : add_kept(r, kept, (double)NAN, "event(%d)", (int)n);
}

/* One item, "largest(x, y)"; its text is written to. */
static zw_status keep_item(keep_reader *r, char *item)
{
    size_t length = strcspn(item, "( "), k = 0;
    while (k < word_count &&
           (strlen(words[k].word) != length || memcmp(words[k].word, item, length) != 0))
        k++;
    char *open = strchr(item, '('), *close = strrchr(item, ')');
    zr_keep_kind kind = (zr_keep_kind)k;
    if (k == word_count) return refuse_word(r, item);
    if (kind == ZR_KEEP_TRUST || kind == ZR_KEEP_STEPS) {
        if (item[length] != '\0') return refuse_word(r, item);
        r->keep->told = true;
        return add_kept(r, (zr_kept){.kind = kind}, (double)NAN, "%s", words[k].word);
    }
    if (!open || !close || close < open || close[1 + strspn(close + 1, " \t\n")] != '\0')
        return refuse_word(r, item);
    *close = '\0';
    if (kind == ZR_KEEP_EVENT) return keep_event(r, open + 1);
    if (kind == ZR_KEEP_AT) return keep_at(r, open + 1);
    if (kind == ZR_KEEP_EVERY) return keep_every(r, open + 1);
    return keep_columns(r, kind, open + 1, (double)NAN);
}

/* The items between commas outside brackets. */
static zw_status keep_items(keep_reader *r, const char *list)
{
    char *at = zb_arena_string(&r->arena, list, strlen(list));
    if (!at) return r->arena.failure;
    for (;;) {
        int depth = 0;
        at += strspn(at, " \t\n");
        char *end = at;
        for (; *end && (depth > 0 || *end != ','); end++)
            depth += (*end == '(' || *end == '[') - (*end == ')' || *end == ']');
        bool last = *end == '\0';
        *end = '\0';
        for (char *c = end; c > at && strchr(" \t\n", c[-1]); c--) c[-1] = '\0';
        ZB_TRY(keep_item(r, at));
        if (last) return ZW_OK;
        at = end + 1;
    }
}

/* ------------------------------------------------------------------------- the whole */

/* The times of all at(...), ascending and each once, and which of them each number has. */
static zw_status order_times(keep_reader *r)
{
    zr_keep *keep = r->keep;
    for (int32_t k = 0; k < keep->list.count; k++) {
        double t = r->at.data[k];
        int32_t at = keep->times.count;
        if (isnan(t)) continue;
        while (at > 0 && keep->times.data[at - 1] >= t) at--;
        if (at < keep->times.count && keep->times.data[at] <= t) continue;
        if (!zb_array_push(keep->memory, &keep->times, t)) return keep->memory->failure;
        for (int32_t i = keep->times.count - 1; i > at; i--)
            keep->times.data[i] = keep->times.data[i - 1];
        keep->times.data[at] = t;
    }
    for (int32_t k = 0; k < keep->list.count; k++) {
        int32_t low = 0, high = keep->times.count - 1;
        while (low < high) {
            int32_t middle = (low + high) / 2;
            if (keep->times.data[middle] < r->at.data[k])
                low = middle + 1;
            else
                high = middle;
        }
        keep->list.data[k].moment = low;
    }
    return ZW_OK;
}

/* Columns of the groups, from their lists. */
static zw_status make_groups(zr_keep *keep)
{
    for (int32_t g = 0; g < ZR_KEEP_GROUPS; g++) {
        zr_keep_group *group = &keep->groups[g];
        for (size_t k = 0; k < group->list.length; k++)
            if (group->list.data[k] == '\n') group->list.data[k] = ',';
        if (group->list.length == 0) {
            group->count = 1;
            continue;
        }
        ZB_TRY(zr_columns_create(keep->model, zb_text_string(&group->list), &group->columns));
        group->count = zr_columns_count(group->columns);
    }
    return ZW_OK;
}

static zw_status read_keep(keep_reader *r, const char *list)
{
    if (!isfinite(r->settings->until))
        return zr_refuse_setting(r->keep->model, "E0766",
                                 "say it by --until T, or in the model: simulate t = 0..10",
                                 "the runs of a sweep have no end time");
    if (list)
        ZB_TRY(keep_items(r, list));
    else
        ZB_TRY(keep_columns(r, ZR_KEEP_LAST, NULL, (double)NAN));
    ZB_TRY(order_times(r));
    return make_groups(r->keep);
}

zw_status zr_keep_create(zw_model *model, const zw_run_settings *settings, const char *list,
                         zr_keep **out)
{
    zb_memory *memory = &model->context->memory;
    zr_keep *keep = zb_resize(memory, NULL, 0, sizeof *keep);
    if (!keep) return memory->failure;
    *keep = (zr_keep){.model = model, .memory = memory};
    zb_text_init(&keep->names, memory);
    for (int32_t g = 0; g < ZR_KEEP_GROUPS; g++) zb_text_init(&keep->groups[g].list, memory);
    keep_reader r = {.keep = keep, .settings = settings};
    zb_arena_init(&r.arena, memory, 0);
    zw_status status = read_keep(&r, list);
    zb_array_free(memory, &r.at);
    zb_arena_clear(&r.arena);
    if (status != ZW_OK)
        zr_keep_free(keep);
    else
        *out = keep;
    return status;
}

void zr_keep_free(zr_keep *keep)
{
    if (!keep) return;
    for (int32_t g = 0; g < ZR_KEEP_GROUPS; g++) {
        zr_columns_free(keep->groups[g].columns);
        zb_text_free(&keep->groups[g].list);
    }
    zb_text_free(&keep->names);
    zb_array_free(keep->memory, &keep->list);
    zb_array_free(keep->memory, &keep->times);
    zb_resize(keep->memory, keep, sizeof *keep, 0);
}

int32_t zr_keep_count(const zr_keep *keep)
{
    return keep->list.count;
}

const char *zr_keep_name(const zr_keep *keep, int32_t i)
{
    return keep->names.data + keep->list.data[i].name;
}

/* A group of t alone needs no columns. */
zw_status zr_keep_row(const zr_keep *keep, int32_t group, zw_sim *sim, double *row)
{
    const zr_keep_group *g = &keep->groups[group];
    if (g->columns) return zr_sim_columns(sim, g->columns, row);
    row[0] = sim->t;
    return ZW_OK;
}
