/*
 * What a sweep has come to, in a few lines: how many runs, how many failed and why, and of every
 * number that was kept the smallest, the quantiles 5, 25, 50, 75 and 95 %, the largest, mean and
 * standard deviation, over the runs that have it.
 *
 *     failed   reasons are counted by what stands before the first digit of their sentence, so that
 *              the same failure at other times is one
 *     quantile the value at 1 + p (n - 1) among the sorted ones, between two of them by proportion
 *
 * Sorting takes memory: beyond a million runs quantiles are of every k-th run, and it is said.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

enum { most_sorted = 1 << 20, most_reasons = 8, most_columns = 60 };
static const double parts[] = {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0};
enum { part_count = sizeof parts / sizeof *parts };

typedef struct reason_count {
    char reason[sizeof((zw_sweep_failure *)0)->reason];
    int64_t count, first; /* the first run that has it */
} reason_count;

/* A column's numbers. */
typedef struct column_facts {
    int64_t count;        /* of runs that have the number */
    double mean, squares; /* Welford's: sum of squares of distances from the mean */
    double smallest, largest;
    double quantile[part_count];
} column_facts;

typedef struct summary {
    zw_sweep *sweep;
    const zw_sweep_source *source;
    zw_sweep_facts facts;
    int64_t failed, other_reasons, stride;
    reason_count reasons[most_reasons];
    int32_t reason_count;
    double *sorted; /* [most] */
    zb_text text;
} summary;

/* ----------------------------------------------------------------------------- failures */

/* Letters up to the first digit behind the code. */
static size_t common_length(const char *reason)
{
    size_t colon = strcspn(reason, ":"), from = reason[colon] ? colon : 0;
    return from + strcspn(reason + from, "0123456789");
}

static void count_reason(summary *s, const zw_sweep_failure *failure)
{
    size_t length = common_length(failure->reason);
    for (int32_t k = 0; k < s->reason_count; k++)
        if (common_length(s->reasons[k].reason) == length &&
            memcmp(s->reasons[k].reason, failure->reason, length) == 0) {
            s->reasons[k].count++;
            return;
        }
    if (s->reason_count == most_reasons) {
        s->other_reasons++;
        return;
    }
    reason_count *r = &s->reasons[s->reason_count++];
    r->count = 1;
    r->first = failure->run;
    memcpy(r->reason, failure->reason, sizeof r->reason);
    r->reason[sizeof r->reason - 1] = '\0';
}

static zw_status count_all_failures(summary *s)
{
    for (int64_t k = 0; k < s->facts.batches; k++) {
        zw_sweep_block block;
        ZB_TRY(zs_fetch_block(s->sweep, s->source, k, &block));
        s->failed += block.failures;
        for (int64_t i = 0; i < block.failures; i++) count_reason(s, &block.failed[i]);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------ numbers */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void find_quantiles(double *x, int64_t count, column_facts *c)
{
    qsort(x, (size_t)count, sizeof *x, compare_numbers);
    for (int32_t p = 0; p < part_count; p++) {
        double at = parts[p] * (double)(count - 1), low = floor(at);
        int64_t i = (int64_t)low, j = i + 1 < count ? i + 1 : i;
        c->quantile[p] = count > 0 ? x[i] + (at - low) * (x[j] - x[i]) : (double)NAN;
    }
    c->quantile[0] = c->smallest;
    c->quantile[part_count - 1] = c->largest;
}

static zw_status look_at_numbers(summary *s, int32_t column, column_facts *c)
{
    int64_t taken = 0;
    *c = (column_facts){.smallest = (double)NAN, .largest = (double)NAN};
    for (int64_t k = 0; k < s->facts.batches; k++) {
        zw_sweep_block block;
        ZB_TRY(zs_fetch_block(s->sweep, s->source, k, &block));
        for (int64_t i = 0; i < block.count; i++) {
            double x = block.rows[i * s->facts.columns + column], apart = x - c->mean;
            if (!isfinite(x)) continue;
            c->count++;
            c->mean += apart / (double)c->count;
            c->squares += apart * (x - c->mean);
            if (!(x >= c->smallest)) c->smallest = x;
            if (!(x <= c->largest)) c->largest = x;
            if ((block.first + i) % s->stride == 0) s->sorted[taken++] = x;
        }
    }
    find_quantiles(s->sorted, taken, c);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------- text */

static void put_number(zb_text *text, double x)
{
    char shown[40];
    zb_text one;
    zb_text_init_fixed(&one, shown, sizeof shown);
    zb_text_printf(&one, "%.5g", x);
    zb_text_repeat(text, ' ', one.length < 12 ? 12 - one.length : 1);
    zb_text_add(text, shown);
}

static void say_runs(summary *s)
{
    zb_text *t = &s->text;
    zb_text_printf(t, "%" PRId64 " runs", s->facts.runs);
    if (s->failed > 0)
        zb_text_printf(t, ", %" PRId64 " failed:\n", s->failed);
    else
        zb_text_add(t, ", none failed\n");
    for (int32_t k = 0; k < s->reason_count; k++)
        zb_text_printf(t, "    %" PRId64 " times, first run %" PRId64 ": %s\n", s->reasons[k].count,
                       s->reasons[k].first, s->reasons[k].reason);
    if (s->other_reasons > 0)
        zb_text_printf(t, "    %" PRId64 " for other reasons\n", s->other_reasons);
}

static void say_trust(summary *s, const column_facts *c)
{
    static const char *const words[] = {"ok", "ok with remarks", "do not trust"};
    int32_t worst = c->count > 0 ? (int32_t)c->largest : 0;
    if (c->count > 0 && worst >= 0 && worst <= 2)
        zb_text_printf(&s->text, "worst trust: %s\n", words[worst]);
}

static zw_status say_columns(summary *s, size_t widest)
{
    zb_text *t = &s->text;
    zb_text_repeat(t, ' ', widest);
    zb_text_add(t, "    smallest         5 %        25 %      median        75 %        95 %     "
                   "largest        mean   deviation\n");
    for (int32_t k = s->facts.varied; k < s->facts.columns && k < s->facts.varied + most_columns;
         k++) {
        column_facts c;
        const char *name = zs_sweep_name(s->sweep, k);
        ZB_TRY(look_at_numbers(s, k, &c));
        zb_text_add(t, name);
        zb_text_repeat(t, ' ', widest > strlen(name) ? widest - strlen(name) : 0);
        for (int32_t p = 0; p < part_count; p++) put_number(t, c.quantile[p]);
        put_number(t, c.count > 0 ? c.mean : (double)NAN);
        put_number(t, c.count > 1 ? sqrt(c.squares / (double)(c.count - 1)) : (double)NAN);
        zb_text_char(t, '\n');
        if (strcmp(name, "trust") == 0) say_trust(s, &c);
    }
    if (s->facts.columns > s->facts.varied + most_columns)
        zb_text_printf(t, "and %d more columns\n",
                       (int)(s->facts.columns - s->facts.varied - most_columns));
    if (s->stride > 1) zb_text_printf(t, "quantiles are of every %" PRId64 "th run\n", s->stride);
    return ZW_OK;
}

static zw_status write_text_summary(summary *s)
{
    size_t widest = 0;
    for (int32_t k = s->facts.varied; k < s->facts.columns && k < s->facts.varied + most_columns;
         k++) {
        size_t length = strlen(zs_sweep_name(s->sweep, k));
        if (length > widest) widest = length;
    }
    say_runs(s);
    return say_columns(s, widest);
}

/* -------------------------------------------------------------------------------- JSON */

static zw_status write_json_summary(summary *s)
{
    zb_text *t = &s->text;
    zb_text_printf(t, "{\"runs\": %" PRId64 ", \"failed\": %" PRId64 ", \"reasons\": [",
                   s->facts.runs, s->failed);
    for (int32_t k = 0; k < s->reason_count; k++) {
        zb_text_printf(t, "%s{\"count\": %" PRId64 ", \"first\": %" PRId64 ", \"reason\": ",
                       k > 0 ? ", " : "", s->reasons[k].count, s->reasons[k].first);
        zb_text_json_string(t, s->reasons[k].reason);
        zb_text_char(t, '}');
    }
    zb_text_add(t, "], \"quantiles\": [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1], \"columns\": [");
    for (int32_t k = s->facts.varied; k < s->facts.columns; k++) {
        column_facts c;
        ZB_TRY(look_at_numbers(s, k, &c));
        zb_text_add(t, k > s->facts.varied ? ",\n{\"name\": " : "\n{\"name\": ");
        zb_text_json_string(t, zs_sweep_name(s->sweep, k));
        zb_text_printf(t, ", \"count\": %" PRId64 ", \"values\": [", c.count);
        for (int32_t p = 0; p < part_count; p++) {
            if (p > 0) zb_text_add(t, ", ");
            zb_text_json_double(t, c.quantile[p]);
        }
        zb_text_add(t, "], \"mean\": ");
        zb_text_json_double(t, c.count > 0 ? c.mean : (double)NAN);
        zb_text_add(t, ", \"deviation\": ");
        zb_text_json_double(t, c.count > 1 ? sqrt(c.squares / (double)(c.count - 1)) : (double)NAN);
        zb_text_char(t, '}');
    }
    zb_text_add(t, "\n]}\n");
    return ZW_OK;
}

/* --------------------------------------------------------------------------- the whole */

zw_status zs_sweep_summary(zw_sweep *sweep, zw_report_form form, const zw_sweep_source *source,
                           zw_write_fn write, void *user)
{
    zb_arena arena;
    zb_arena_init(&arena, sweep->memory, 0);
    summary *s = ZB_NEW(&arena, summary);
    if (!s) return arena.failure;
    *s = (summary){.sweep = sweep, .source = source};
    zs_sweep_facts(sweep, &s->facts);
    s->stride = (s->facts.runs + most_sorted - 1) / most_sorted;
    if (s->stride < 1) s->stride = 1;
    s->sorted = ZB_NEW_ARRAY(&arena, double, (size_t)(s->facts.runs / s->stride + 1));
    zb_text_init(&s->text, sweep->memory);
    zw_status status = arena.failure;
    if (status == ZW_OK) status = count_all_failures(s);
    if (status == ZW_OK)
        status = form == ZW_REPORT_JSON ? write_json_summary(s) : write_text_summary(s);
    if (status == ZW_OK) status = s->text.failure;
    if (status == ZW_OK && !write(user, zb_text_string(&s->text), s->text.length))
        status = ZW_ERR_WRITE;
    zb_text_free(&s->text);
    zb_arena_clear(&arena);
    return status;
}
