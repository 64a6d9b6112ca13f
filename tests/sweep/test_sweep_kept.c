/*
 * What is kept of runs, through zwang.h: last, at, largest, smallest, mean, integral and event against
 * closed forms; numbers in lanes and alone; threads, batches and orders; structures; failures; the
 * distribution of an oscillator's amplitude.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zwang.h>

static const char oscillator[] = "param m = 1, k = 4\n"
                                 "coord x\n"
                                 "kinetic m/2*x'^2\n"
                                 "potential k/2*x^2\n"
                                 "start x = 1\n"
                                 "output size = abs(x)\n"
                                 "simulate t = 0..10, tol = 1e-12\n";

/* All rows of a sweep, in order. */
typedef struct collected {
    zw_context *context;
    zw_sweep *sweep;
    zw_sweep_facts facts;
    double *rows; /* [runs * columns] */
    int64_t failures, next, step;
    char reason[300];
    unsigned char **blocks;
    size_t *sizes;
} collected;

static int64_t next_batch(void *user)
{
    collected *c = user;
    int64_t batch = c->next;
    if (c->step > 0) return batch < c->facts.batches ? (c->next++, batch) : -1;
    return batch < c->facts.batches ? (c->next++, c->facts.batches - 1 - batch)
                                    : -1; /* backwards */
}

static bool take_block(void *user, int64_t batch, const void *bytes, size_t size)
{
    collected *c = user;
    zw_sweep_block block;
    assert_int_equal(zw_sweep_block_read(c->sweep, bytes, size, &block), ZW_OK);
    assert_true(block.batch == batch);
    memcpy(c->rows + block.first * c->facts.columns, block.rows,
           sizeof(double) * (size_t)(block.count * c->facts.columns));
    c->failures += block.failures;
    if (block.failures > 0)
        memcpy(c->reason, block.failed[0].reason, sizeof block.failed[0].reason);
    c->blocks[batch] = malloc(size);
    assert_non_null(c->blocks[batch]);
    memcpy(c->blocks[batch], bytes, size);
    c->sizes[batch] = size;
    return true;
}

static bool goes_on(void *user)
{
    (void)user;
    return true;
}

static bool fetch_block(void *user, int64_t batch, const void **bytes, size_t *size)
{
    collected *c = user;
    *bytes = c->blocks[batch];
    *size = c->sizes[batch];
    return true;
}

/* Runs the plan in so many threads, forwards (step 1) or backwards. */
static void collect(collected *c, const char *text, zw_sweep_plan plan, int32_t threads,
                    int64_t step)
{
    zw_model_source source = {.file = "model", .text = text, .length = strlen(text)};
    *c = (collected){.step = step};
    plan.model = &source;
    assert_int_equal(zw_context_create(NULL, &c->context), ZW_OK);
    zw_status status = zw_sweep_create(c->context, &plan, &c->sweep);
    if (status != ZW_OK) {
        char shown[1000];
        size_t needed;
        (void)zw_context_format_diagnostics(c->context, ZW_TEXT, shown, sizeof shown, &needed);
        fail_msg("%s", shown);
    }
    assert_int_equal(zw_sweep_tell(c->sweep, &c->facts), ZW_OK);
    c->rows = calloc((size_t)(c->facts.runs * c->facts.columns), sizeof *c->rows);
    c->blocks = calloc((size_t)c->facts.batches, sizeof *c->blocks);
    c->sizes = calloc((size_t)c->facts.batches, sizeof *c->sizes);
    assert_true(c->rows && c->blocks && c->sizes);
    zw_sweep_job job = {
        .threads = threads, .next = next_batch, .done = take_block, .poll = goes_on, .user = c};
    assert_int_equal(zw_sweep_run(c->sweep, &job), ZW_OK);
}

static void release(collected *c)
{
    for (int64_t k = 0; k < c->facts.batches; k++) free(c->blocks[k]);
    free(c->blocks);
    free(c->sizes);
    free(c->rows);
    zw_sweep_free(c->sweep);
    zw_context_free(c->context);
}

static const double pi = 3.14159265358979323846;
#define TEXTS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void assert_near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within)) fail_msg("%.17g is not %.17g", a, b);
}

/* x = cos(w t): every number of the run in closed form. */
static void kept_numbers_are_those_of_closed_forms(void **state)
{
    collected c;
    zw_sweep_plan plan = {
        .vary = TEXTS("k = [1, 3.7, 30]", "x = [1, -2.5]"),
        .vary_count = 2,
        .keep = "last(x), at(2.5, x), largest(x'), smallest(x), mean(energy), integral(x), "
                "integral(size), largest(t), trust"};
    (void)state;
    collect(&c, oscillator, plan, 1, 1);
    assert_true(c.facts.runs == 6 && c.facts.columns == 11 && c.failures == 0);
    for (int64_t i = 0; i < c.facts.runs; i++) {
        const double *r = c.rows + i * c.facts.columns;
        double w = sqrt(r[0]), A = r[1], turns = floor(10.0 * w / pi + 0.5);
        /* up to the last zero at (turns - 1/2) pi, then the rest */
        double whole = turns > 0 ? 1.0 + 2.0 * (turns - 1.0) : 0.0;
        double rest = fabs(sin(10.0 * w) - sin((turns - 0.5) * pi));
        assert_near(r[2], A * cos(10.0 * w), 1e-9 * fabs(A));
        assert_near(r[3], A * cos(2.5 * w), 1e-9 * fabs(A));
        assert_near(r[4], fabs(A) * w, 1e-9 * fabs(A) * w);
        assert_near(r[5], -fabs(A), 1e-9 * fabs(A));
        assert_near(r[6], 0.5 * r[0] * A * A, 1e-9 * r[0] * A * A);
        assert_near(r[7], A * sin(10.0 * w) / w, 1e-9 * fabs(A));
        assert_near(r[8], fabs(A) / w * (whole + rest), 1e-6 * fabs(A)); /* kinks inside steps */
        assert_near(r[9], 10.0, 0.0);
        assert_true(r[10] == 0.0);
    }
    release(&c);
}

/* A ball that bounces: heights after impacts; the largest speed is at an impact, on its side. */
static void events_and_jumps_are_seen(void **state)
{
    static const char ball[] =
        "param e = 0.8, g = 9.81\ncoord y\nkinetic y'^2/2\npotential g*y\nstart y = 1\n"
        "when y < 0: y' = -e*y'\nsimulate t = 0..1.2, tol = 1e-11\n";
    collected c;
    zw_sweep_plan plan = {.vary = TEXTS("e = [0.5, 0.8]"),
                          .vary_count = 1,
                          .keep = "event(1), event(1, 2), event(1, 9), smallest(y'), largest(y')"};
    (void)state;
    collect(&c, ball, plan, 2, 1);
    for (int64_t i = 0; i < 2; i++) {
        const double *r = c.rows + i * c.facts.columns;
        double first = sqrt(2.0 / 9.81), speed = sqrt(2.0 * 9.81);
        assert_near(r[1], first, 1e-9);
        assert_near(r[2], first * (1.0 + 2.0 * r[0]), 1e-9);
        assert_true(isnan(r[3]));
        assert_near(r[4], -speed, 1e-8);
        assert_near(r[5], r[0] * speed, 1e-8);
    }
    release(&c);
}

/* Same blocks for threads and order; same rows for batch sizes, and in lanes as alone. */
static void bits_do_not_depend_on_who_computes(void **state)
{
    collected one, other, alone;
    zw_sweep_plan plan = {.vary = TEXTS("k ~ uniform(1, 9)", "x' ~ normal(0, 1)", "m = [1, 2]"),
                          .vary_count = 3,
                          .samples = 50,
                          .seed = 5,
                          .design = ZW_DESIGN_LATIN,
                          .keep = "last(x), at(3, x')"};
    (void)state;
    collect(&one, oscillator, plan, 1, 1);
    collect(&other, oscillator, plan, 3, -1);
    assert_true(one.facts.fingerprint == other.facts.fingerprint && one.facts.runs == 100);
    for (int64_t b = 0; b < one.facts.batches; b++) {
        assert_true(one.sizes[b] == other.sizes[b]);
        assert_memory_equal(one.blocks[b], other.blocks[b], one.sizes[b]);
    }
    plan.batch = 1;
    collect(&alone, oscillator, plan, 2, 1);
    assert_memory_equal(one.rows, alone.rows,
                        sizeof(double) * (size_t)(one.facts.runs * one.facts.columns));
    release(&alone);
    plan.keep = "last(x), at(3, x'), largest(x)"; /* step by step */
    plan.batch = 0;
    collect(&alone, oscillator, plan, 2, 1);
    for (int64_t i = 0; i < one.facts.runs; i++)
        assert_memory_equal(one.rows + i * 5, alone.rows + i * 6, 5 * sizeof(double));
    release(&one);
    release(&other);
    release(&alone);
}

/* A start value that is varied is a given one: the constraint moves the other. */
static void start_values_are_given(void **state)
{
    static const char rod[] =
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
        "start y = -1\nsimulate t = 0..0\n";
    collected c;
    zw_sweep_plan plan = {
        .vary = TEXTS("x = [0, 0.6]", "y = [-0.8]"), .vary_count = 2, .keep = "last(x), last(y)"};
    (void)state;
    collect(&c, rod, plan, 1, 1);
    assert_near(c.rows[4 + 2], 0.6, 1e-12);
    assert_near(c.rows[4 + 3], -0.8, 1e-12);
    release(&c);
}

/* N sizes the model; every value has its own compiled one. */
static void structures_are_compiled(void **state)
{
    static const char chain[] = "param N = 2, k = 1\ncoord x[N]\nfor i in 1..N { kinetic "
                                "x[i]'^2/2\npotential k*x[i]^2/2\nstart x[i] = i }\n"
                                "simulate t = 0..1\n";
    collected c;
    zw_sweep_plan plan = {.vary = TEXTS("k = [1, 4]", "N = [1, 2, 5]"),
                          .vary_count = 2,
                          .keep = "last(x[1]), mean(energy)"};
    (void)state;
    collect(&c, chain, plan, 2, 1);
    assert_true(c.facts.runs == 6 && c.failures == 0);
    for (int64_t i = 0; i < 6; i++) {
        const double *r = c.rows + i * 4;
        double energy = 0.0;
        for (int n = 1; n <= (int)r[1]; n++) energy += 0.5 * r[0] * n * n;
        assert_near(r[2], cos(sqrt(r[0])), 1e-8);
        assert_near(r[3], energy, 1e-7 * energy);
        assert_true(r[1] == (i < 2 ? 1.0 : i < 4 ? 2.0 : 5.0)); /* structural: slowest */
    }
    release(&c);
}

/* Failed runs have a row and a reason; the others are not disturbed. */
static void failures_have_reasons(void **state)
{
    collected c;
    zw_sweep_plan plan = {.vary = TEXTS("m = [1, -1, 0, 2]"), .vary_count = 1, .keep = "last(x)"};
    (void)state;
    collect(&c, oscillator, plan, 1, 1);
    assert_int_equal(c.failures, 2);
    assert_true(c.reason[0] == 'E');
    assert_near(c.rows[1], cos(20.0), 1e-8);
    assert_true(isnan(c.rows[3]) && isnan(c.rows[5]));
    assert_near(c.rows[7], cos(10.0 * sqrt(2.0)), 1e-8);
    release(&c);
}

/* Amplitude of x'' = -w^2 x from x0 ~ N(0, 1), v0 ~ N(0, w): Rayleigh, P(a < r) = 1 - exp(-r^2/2).
 * The largest distance of the distribution functions, against what chance gives one time in 1e6. */
static void amplitudes_are_rayleighs(void **state)
{
    enum { runs = 2000 };
    collected c;
    zw_sweep_plan plan = {.vary = TEXTS("x ~ normal(0, 1)", "x' ~ normal(0, 2)"),
                          .vary_count = 2,
                          .samples = runs,
                          .seed = 3,
                          .keep = "largest(x)"};
    double worst = 0.0;
    (void)state;
    collect(&c, oscillator, plan, 2, 1);
    for (int64_t i = 0; i < runs; i++) {
        double a = c.rows[3 * i + 2], below = 0.0;
        assert_near(
            a, sqrt(c.rows[3 * i] * c.rows[3 * i] + c.rows[3 * i + 1] * c.rows[3 * i + 1] / 4.0),
            1e-8 * a);
        for (int64_t j = 0; j < runs; j++) below += c.rows[3 * j + 2] < a;
        worst = fmax(worst, fabs(below / runs - (1.0 - exp(-0.5 * a * a))));
    }
    assert_true(worst < 2.7 / sqrt((double)runs));
    release(&c);
}

static bool count_bytes(void *user, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

static void results_are_written_from_blocks(void **state)
{
    collected c;
    zw_sweep_plan plan = {.vary = TEXTS("k = 1..9, 30"), .vary_count = 1};
    zw_sweep_source source = {fetch_block, &c};
    size_t csv = 0, json = 0, npz = 0, text = 0;
    (void)state;
    collect(&c, oscillator, plan, 1, 1);
    assert_string_equal(zw_sweep_column(c.sweep, 1), "last(x)");
    assert_int_equal(zw_sweep_write(c.sweep, ZW_RESULT_CSV, &source, count_bytes, &csv), ZW_OK);
    assert_int_equal(zw_sweep_write(c.sweep, ZW_RESULT_JSON, &source, count_bytes, &json), ZW_OK);
    assert_int_equal(zw_sweep_write(c.sweep, ZW_RESULT_NPZ, &source, count_bytes, &npz), ZW_OK);
    assert_int_equal(zw_sweep_write(c.sweep, ZW_RESULT_MAT, &source, count_bytes, &npz),
                     ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sweep_summary(c.sweep, ZW_REPORT_TEXT, &source, count_bytes, &text), ZW_OK);
    assert_true(csv > 1000 && json > 1000 && npz > 1000 && text > 100);
    c.blocks[1][0] ^= 1; /* a block of another batch is no block */
    assert_int_equal(zw_sweep_write(c.sweep, ZW_RESULT_CSV, &source, count_bytes, &csv),
                     ZW_ERR_SETTING);
    release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_numbers_are_those_of_closed_forms),
        cmocka_unit_test(events_and_jumps_are_seen),
        cmocka_unit_test(bits_do_not_depend_on_who_computes),
        cmocka_unit_test(start_values_are_given),
        cmocka_unit_test(structures_are_compiled),
        cmocka_unit_test(failures_have_reasons),
        cmocka_unit_test(amplitudes_are_rayleighs),
        cmocka_unit_test(results_are_written_from_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
