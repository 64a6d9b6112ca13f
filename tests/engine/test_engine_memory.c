/*
 * Memory: every request that fails leaves a status and no leak; an acceleration asks for none.
 */
#include "../slow.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

typedef struct counter {
    size_t requests; /* for new or larger blocks */
    size_t fail_at;  /* from 1; 0: none */
    bool on;         /* all from then on */
    size_t bytes;    /* held */
} counter;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size == 0) {
        if (block) c->bytes -= old_size;
        free(block);
        return NULL;
    }
    if (!block || new_size > old_size) {
        c->requests++;
        if (c->fail_at && (c->requests == c->fail_at || (c->on && c->requests > c->fail_at)))
            return NULL;
    }
    void *grown = realloc(block, new_size);
    if (grown) c->bytes += new_size - (block ? old_size : 0);
    return grown;
}

static bool swallow(void *user, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

/* A zw_module_fn: the same data for every name but one. */
static bool give_rows(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    (void)user;
    *file = name;
    *text = strcmp(name, "wrong.csv") == 0 ? "s,h\n0,1\n1,none\n"
                                           : "s,\"the height\"\n0,0\n1,0.5\n2,0\n3,-1\n5,0\n";
    *length = strlen(*text);
    return true;
}

/* Everything from the text to a report; the first failure. */
static zw_status whole(zw_context *context, const char *text)
{
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    size_t written = 0;
    double z[8], M[64];
    zw_model_source source = {
        .file = "model.zw", .text = text, .length = strlen(text), .data = give_rows};
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_check(sim, false, ZW_REPORT_TEXT, swallow, &written);
    if (status == ZW_OK) status = zw_sim_check(sim, false, ZW_REPORT_JSON, swallow, &written);
    if (status == ZW_OK) status = zw_sim_set_parameters(sim, "a = 2");
    if (status == ZW_OK) status = zw_sim_assign(sim, "x = 0.6, x' = a");
    zw_instant instant = {.M = M, .C = z};
    if (status == ZW_OK) status = zw_sim_instant(sim, &instant);
    zw_sim_free(sim);
    zw_model_free(model);
    return status;
}

static const char *const texts[] = {
    ("param a = 1\ncoord x, y, s\nlet d = x + y\nkinetic 0.5*(x'^2 + a*y'^2)\npotential a*y\n"
     "constraint rod: x^2 + y^2 = 1\nconstraint twice: 2*x^2 + 2*y^2 = 2\n"
     "constraint tie: s = x + y*sin(t)\nconstraint roll: x'*s - y' = 0\n"
     "nonideal x: -0.1*reaction(rod)\nweight rod: 2\n"
     "start x = 2*y, y = 3, d = 0.5\n"),
    ("param a = 1\ncoord x, y\nkinetic 0.5*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = a\n"
     "constraint rod2: x^2 + y^2 = 4\nstart x = 1\n"),
    ("param a = 1\ncoord x, y\nkinetic 0.5*(x'^2 + y'^2)\npotential a/x\n"),
    ("param a = 1\ncoord x, y\nkinetic 0.5*(x'^2)\nconstraint c: x = a\nstart (x + y) = 3\n"),
    ("param a = 1\ncoord x, y\nkinetic 0.5*(x'^2 + y'^2)\npotential 9.81*y\n"
     "constraint ground: [y, y + x/2] >= 0\nrestitution ground: 0.5\nfriction ground: 0.3 along "
     "x'\n"
     "constraint wall: x <= a\nfriction wall: 0.1 along y'\nstart y = -1, x = 0.2\n"),
    ("param a = 1\ncoord x, y\nkinetic 0.5*(x'^2 + y'^2)\nconstraint left: x >= a\n"
     "constraint right: x <= 0\n"),
    ("param a = 1\ncoord x, z, u\nkinetic (x'^2 + z'^2 + u'^2)/2\npotential 9.81*z\n"
     "for i in 1..3 {\n  constraint leg[i]: z + (i - 2)*u >= 0\n  friction leg[i]: a along x'\n}\n"
     "start x' = 1\n"),
    ("param a = 3\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/24\npotential 9.81*y\n"
     "constraint end: y - sin(th)/2 >= 0\nfriction end: a along x - cos(th)/2\n"
     "start th = 1.2, y = sin(1.2)/2, x' = -4\n"),
    ("param a = 1\ncoord x, y\nkinetic 0.5*(x'^2 + y'^2) + 0.2*x'*y'\nconstraint tie: x - 2*y = 0\n"
     "control go: x = a*sin(t) by x within -1..a, y' - x' weight 2, [x, y] along [0, 1]\n"
     "nonideal y: -0.1*reaction(tie)\n"),
    ("param a = 1\ncoord x, y\nkinetic 0.5*(x'^2 + y'^2)\ncontrol go: [x, y] = a*t by x\n"),
    ("data road = \"a.csv\", y = \"the height\", cubic, periodic\ndata push = \"b.csv\", extend\n"
     "param a = road(1)\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
     "force x: push(t) - push(road(x'))\nconstraint on: y = road(x)\nstart x = 0.6\n"),
    ("data road = \"a.csv\"\nparam a = 1\ncoord x\nkinetic x'^2/2\nforce x: a*road(x)\n"
     "start x = 7\n"),
    ("data road = \"wrong.csv\"\nparam a = 1\ncoord x\nkinetic x'^2/2\nforce x: a*road(x)\n")};

static void every_request_may_fail(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        size_t step = (size_t)unless_slow(1, 5); /* odd: `on` changes with every step */
        for (size_t fail_at = 0, all = 0; fail_at <= all; fail_at += fail_at ? step : 1) {
            counter c = {.fail_at = fail_at, .on = fail_at % 2 == 0};
            zw_context *context = NULL;
            zw_allocator allocator = {.resize = resize, .user = &c};
            zw_status status = zw_context_create(&allocator, &context);
            if (status == ZW_OK) status = whole(context, texts[k]);
            zw_context_free(context);
            assert_int_equal(c.bytes, 0);
            if (fail_at == 0)
                all = c.requests;
            else if (status != ZW_ERR_MEMORY) {
                fail_msg("text %d, request %d: %s", (int)k, (int)fail_at, zw_status_name(status));
            }
        }
    }
}

static void accelerations_take_no_memory(void **state)
{
    (void)state;
    counter c = {0};
    zw_context *context = NULL;
    zw_allocator allocator = {.resize = resize, .user = &c};
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    double t, q[3], v[3], z[3], M[9], A[12], value[4], rate[4];
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    zw_model_source source = {.file = "m", .text = texts[0], .length = strlen(texts[0])};
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    size_t created = c.requests;
    for (int k = 0; k < 2; k++) { /* before a start, and after one */
        assert_int_equal(zw_sim_state(sim, &t, q, v), ZW_OK);
        q[0] += 0.3;
        v[1] -= 0.2;
        for (int i = 0; i < 5; i++)
            assert_int_equal(zw_sim_acceleration(sim, t + 0.1 * i, q, v, z), ZW_OK);
        assert_int_equal(zw_sim_set_state(sim, t, q, v), ZW_OK);
        zw_instant instant = {.M = M, .A = A, .value = value, .rate = rate};
        assert_int_equal(zw_sim_instant(sim, &instant), ZW_OK);
        assert_int_equal(c.requests, created);
        assert_int_equal(zw_sim_start(sim, false), ZW_OK);
        created = c.requests;
    }
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    assert_int_equal(c.bytes, 0);
}

static void arguments(void **state)
{
    (void)state;
    bench b;
    zw_constraint_info info;
    zw_row_kind kind;
    double x[1] = {0.0};
    bench_open(&b, "coord x\nkinetic x'^2\nconstraint a: x = 0\n");
    assert_int_equal(zw_model_compile(b.context, NULL, &b.model), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_model_constraint(b.model, 1, &info), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_model_constraint(b.model, 0, &info), ZW_OK);
    assert_true(info.row_count == 1 && !info.control && !info.time_dependent);
    assert_int_equal(zw_model_row_kind(b.model, -1, &kind), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_acceleration(b.sim, 0.0, x, NULL, x), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_start(NULL, false), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_check(b.sim, false, ZW_REPORT_TEXT, NULL, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_model_coordinate_count(NULL), 0);
    zw_sim_free(NULL);
    zw_model_free(NULL);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(accelerations_take_no_memory),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
