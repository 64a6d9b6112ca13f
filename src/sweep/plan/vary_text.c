/*
 * Reading what is varied:
 *
 *     NAME = 1..10 by 0.5       from 1 on, as far as 10
 *     NAME = 1..10, 19          19 values, both ends among them
 *     NAME = log 1..1e4, 40     the same with equal ratios
 *     NAME = [1, 2, 5]          these; a single one: NAME = 3
 *     NAME ~ normal(1, 0.1)     a sample of a distribution
 *
 * Numbers are expressions of the model's parameters. Values of a grid are computed one by one, so
 * that errors do not add up; where start and step are decimal numbers they are those one would write:
 * the fourth of 1..2 by 0.1 is 1.3.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sweep_plan.h"

enum { most_values = 100000000 };

/* A text that is being read. */
typedef struct vary_reader {
    zw_sweep *sweep;
    const char *whole;
    zs_axis *axis;
} vary_reader;

static const char usage[] =
    "write w = 1..10 by 0.5, w = 1..10, 19, w = log 1..1e4, 40, w = [1, 2, 5], "
    "w ~ normal(1, 0.1) or w ~ uniform(0, 1)";

static zw_status refuse_vary(const vary_reader *r, const char *why)
{
    return zr_refuse_setting(r->sweep->model, "E0761", usage, "'%s' cannot be varied: %s", r->whole,
                             why);
}

/* ----------------------------------------------------------------------------- pieces */

/* Where `word` stands outside brackets; NULL: nowhere. Words of letters stand alone. */
static char *find_outside(char *text, const char *word)
{
    int depth = 0;
    size_t length = strlen(word);
    for (char *c = text; *c; c++) {
        depth += (*c == '(' || *c == '[') - (*c == ')' || *c == ']');
        if (depth != 0 || strncmp(c, word, length) != 0) continue;
        bool letters = word[0] >= 'a' && word[0] <= 'z';
        if (!letters || (c > text && c[-1] == ' ' && c[length] == ' ')) return c;
    }
    return NULL;
}

/* One number. */
static zw_status read_one(const vary_reader *r, const char *text, double *x)
{
    double *numbers = NULL;
    int32_t count = 0;
    if (text[strspn(text, " \t")] == '\0') return refuse_vary(r, "a number is missing");
    ZB_TRY(zr_evaluate_text(r->sweep->model, "vary", text, &r->sweep->arena, &numbers, &count));
    if (count != 1) return refuse_vary(r, "a bound or a number of values is a single number");
    *x = numbers[0];
    return ZW_OK;
}

/* 10^k with which the number is whole, 1 to 1e15; 0: it is no decimal number of that kind. */
static double find_decimal(double x)
{
    double power = 1.0;
    for (int digits = 0; digits <= 15; digits++, power *= 10.0) {
        double whole = round(x * power);
        if (fabs(whole) < 1e15 && whole / power == x) return power; /* NOLINT: exactly */
    }
    return 0.0;
}

static zw_status take_axis_values(const vary_reader *r, double count)
{
    zs_axis *axis = r->axis;
    if (!(count >= 1.0 && count <= most_values))
        return refuse_vary(r, "there would be no values, or too many");
    axis->count = (int64_t)count;
    axis->values = ZB_NEW_ARRAY(&r->sweep->arena, double, (size_t)axis->count);
    return r->sweep->arena.failure;
}

/* ------------------------------------------------------------------------------ grids */

/* a, a + h, ... up to b; a last one that is b but for rounding is b. */
static zw_status make_steps(const vary_reader *r, double a, double b, double h)
{
    double power = fmax(find_decimal(a), find_decimal(h));
    if (find_decimal(a) == 0.0 || find_decimal(h) == 0.0 || fabs(a) * power > 1e15) power = 0.0;
    if (!((b - a) / h >= 0.0))
        return refuse_vary(r, "the step does not lead from the first bound to the second");
    ZB_TRY(take_axis_values(r, floor((b - a) / h + 1e-9) + 1.0));
    double first = round(a * power), step = round(h * power);
    for (int64_t i = 0; i < r->axis->count; i++) {
        double x = power > 0.0 ? (first + (double)i * step) / power : a + (double)i * h;
        if (fabs(x - b) < 1e-9 * fabs(h)) x = b;
        r->axis->values[i] = x;
    }
    return ZW_OK;
}

/* A number that is a decimal one of 15 digits but for rounding is that one: 10 in log 1..100, 3. */
static double find_short(double x)
{
    char text[32];
    double near = x;
    zb_text shown;
    zb_text_init_fixed(&shown, text, sizeof text);
    zb_text_printf(&shown, "%.14e", x);
    if (zb_read_double(text, shown.length, &near) != ZB_NUMBER_READ) return x;
    return fabs(near - x) <= 4.0 * DBL_EPSILON * fabs(x) ? near : x;
}

/* count values with equal distances, or ratios. */
static zw_status make_points(const vary_reader *r, double a, double b, double count, bool ratios)
{
    if (count != floor(count)) return refuse_vary(r, "the number of values is not whole");
    if (ratios && !(a * b > 0.0))
        return refuse_vary(r, "the bounds of log must not be 0 and have one sign");
    ZB_TRY(take_axis_values(r, count));
    for (int64_t i = 0; i < r->axis->count; i++) {
        double part = r->axis->count > 1 ? (double)i / (double)(r->axis->count - 1) : 0.0;
        double x = ratios ? find_short(a * zb_exp(part * zb_log(b / a))) : a + part * (b - a);
        r->axis->values[i] = i + 1 == r->axis->count && i > 0 ? b : x;
    }
    return ZW_OK;
}

/* "A..B by H", "A..B, N" */
static zw_status read_range(const vary_reader *r, char *text, char *dots, bool ratios)
{
    double a = 0.0, b = 0.0, x = 0.0;
    char *comma = find_outside(dots + 2, ","), *by = find_outside(dots + 2, "by");
    char *end = comma ? comma : by;
    if (!end || (comma && by))
        return refuse_vary(r, "say `by` a step or, after a comma, how many values");
    if (ratios && !comma) return refuse_vary(r, "log needs, after a comma, how many values");
    *dots = *end = '\0';
    ZB_TRY(read_one(r, text, &a));
    ZB_TRY(read_one(r, dots + 2, &b));
    ZB_TRY(read_one(r, end + (comma ? 1 : 2), &x));
    return comma ? make_points(r, a, b, x, ratios) : make_steps(r, a, b, x);
}

/* What stands behind the sign "=". */
static zw_status read_grid(const vary_reader *r, char *text)
{
    bool ratios = strncmp(text, "log ", 4) == 0;
    if (ratios) text += 4;
    char *dots = find_outside(text, "..");
    if (dots) return read_range(r, text, dots, ratios);
    if (ratios) return refuse_vary(r, "log needs two bounds, A..B");
    double *numbers = NULL;
    int32_t count = 0;
    if (*text == '\0') return refuse_vary(r, "values are missing");
    ZB_TRY(zr_evaluate_text(r->sweep->model, "vary", text, &r->sweep->arena, &numbers, &count));
    r->axis->count = count;
    r->axis->values = numbers;
    return count > 0 ? ZW_OK : refuse_vary(r, "there are no values");
}

/* ----------------------------------------------------------------------- distributions */

static const struct {
    const char *word;
    int32_t arguments;
    const char *usage;
} distributions[] = {
#define DISTRIBUTION(name, word, arguments, usage) {word, arguments, usage},
    ZS_DISTRIBUTION_LIST(DISTRIBUTION)
#undef DISTRIBUTION
};

/* What stands behind the sign "~". */
static zw_status read_distribution(const vary_reader *r, char *text)
{
    size_t length = strcspn(text, "( ");
    int32_t k = 0, count = 0;
    double *numbers = NULL;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    while (k < ZS_DISTRIBUTIONS && (strlen(distributions[k].word) != length ||
                                    memcmp(distributions[k].word, text, length) != 0))
        k++;
    if (k == ZS_DISTRIBUTIONS || !open || !close || close < open ||
        close[1 + strspn(close + 1, " \t")])
        return refuse_vary(r, "there are uniform(a, b), normal(mean, deviation), lognormal(mean, "
                              "deviation), exponential(mean) and triangular(a, peak, b)");
    *open = '[';
    *close = ']';
    ZB_TRY(zr_evaluate_text(r->sweep->model, "vary", open, &r->sweep->arena, &numbers, &count));
    if (count != distributions[k].arguments) return refuse_vary(r, distributions[k].usage);
    r->axis->sampled = true;
    r->axis->distribution = (zs_distribution)k;
    memcpy(r->axis->arguments, numbers, sizeof *numbers * (size_t)count);
    return zs_is_sensible(r->axis->distribution, r->axis->arguments)
               ? ZW_OK
               : refuse_vary(r, distributions[k].usage);
}

/* ----------------------------------------------------------------------------- the whole */

static char *trim_text(char *text)
{
    char *begin = text + strspn(text, " \t\n");
    size_t length = strlen(begin);
    while (length > 0 && strchr(" \t\n", begin[length - 1])) begin[--length] = '\0';
    return begin;
}

zw_status zs_read_vary(zw_sweep *sweep, const char *text, zs_axis *axis)
{
    vary_reader r = {.sweep = sweep, .whole = text, .axis = axis};
    char *copy = zb_arena_string(&sweep->arena, text, strlen(text));
    if (!copy) return sweep->arena.failure;
    char *sign = copy + strcspn(copy, "=~");
    if (*sign == '\0') return refuse_vary(&r, "there is neither = nor ~");
    bool sampled = *sign == '~';
    *sign = '\0';
    ZB_TRY(zs_bind_axis(sweep, axis, trim_text(copy)));
    char *right = trim_text(sign + 1);
    ZB_TRY(sampled ? read_distribution(&r, right) : read_grid(&r, right));
    if (axis->structural && axis->sampled)
        return refuse_vary(&r, "it sizes something, and is whole: give its values");
    return ZW_OK;
}
