/*
 * Tangents of the acceleration and the multipliers at states of the whole gallery, against central
 * differences of order 10 of the answers themselves, along curves that stay on the constraints: a
 * displaced state is projected, and how it then moves is differenced, too. Neither the rule nor any of
 * its programs is used for that.
 */
#include "bench.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { points = 5, most = 400 };
static const double weight[points] = {5.0 / 6, -5.0 / 21, 5.0 / 84, -5.0 / 504, 1.0 / 1260};

/* A state with the answer there. */
typedef struct answer {
    double q[most], v[most], z[most], lambda[most];
    int32_t rank;
} answer;

typedef struct trial {
    zw_sim *sim;
    int32_t n, m, parameter, rank;
    char name[200];
    double value, t, q[most], v[most], dq[most], dv[most], dt;
} trial;

/* The answer at s times the direction. */
static bool solve_at(trial *x, double s, answer *a)
{
    char text[300];
    if (x->parameter >= 0) {
        snprintf(text, sizeof text, "%s = %.17g", x->name, x->value + s);
        if (zw_sim_set_parameters(x->sim, text) != ZW_OK) return false;
    }
    for (int32_t j = 0; j < x->n; j++) {
        a->q[j] = x->q[j] + s * x->dq[j];
        a->v[j] = x->v[j] + s * x->dv[j];
    }
    assert_int_equal(zw_sim_set_state(x->sim, x->t + s * x->dt, a->q, a->v), ZW_OK);
    if (zw_sim_project(x->sim) != ZW_OK) return false;
    assert_int_equal(zw_sim_state(x->sim, NULL, a->q, a->v), ZW_OK);
    zw_gauss_answer g = {.acceleration = a->z, .multipliers = a->lambda};
    bool solved = zw_sim_solve(x->sim, &g) == ZW_OK;
    a->rank = g.rank;
    return solved;
}

/* rate [count] += w (plus - minus). */
static void add_difference(double *rate, const double *plus, const double *minus, int32_t count,
                           double w)
{
    for (int32_t j = 0; j < count; j++) rate[j] += w * (plus[j] - minus[j]);
}

/* Differences with step h into d; false: a state could not be reached. */
static bool difference(trial *x, double h, answer *d)
{
    static answer plus, minus;
    memset(d, 0, sizeof *d);
    for (int k = 0; k < points; k++) {
        if (!solve_at(x, (k + 1) * h, &plus) || !solve_at(x, -(k + 1) * h, &minus)) return false;
        if (plus.rank != x->rank || minus.rank != x->rank) return false; /* no derivative */
        double w = weight[k] / h;
        add_difference(d->q, plus.q, minus.q, x->n, w);
        add_difference(d->v, plus.v, minus.v, x->n, w);
        add_difference(d->z, plus.z, minus.z, x->n, w);
        add_difference(d->lambda, plus.lambda, minus.lambda, x->m, w);
    }
    return true;
}

static double largest(const double *x, int32_t count)
{
    double most_of = 0.0;
    for (int32_t j = 0; j < count; j++) most_of = fmax(most_of, fabs(x[j]));
    return most_of;
}

static double distance(const double *x, const double *y, int32_t count)
{
    double most_of = 0.0;
    for (int32_t j = 0; j < count; j++) most_of = fmax(most_of, fabs(x[j] - y[j]));
    return most_of;
}

/* How far two differences, or a difference and a tangent, are apart, relative to the larger of
 * 1, the answer and the rates. */
static double apart(const trial *x, const answer *at, const answer *a, const double *dz,
                    const double *dlambda)
{
    double z = fmax(1.0, fmax(largest(at->z, x->n), largest(dz, x->n)));
    double l = fmax(1.0, fmax(largest(at->lambda, x->m), largest(dlambda, x->m)));
    return fmax(distance(a->z, dz, x->n) / z, distance(a->lambda, dlambda, x->m) / l);
}

/* The tangent at the trial's state along how the curve moves. */
static zw_status tangent(trial *x, const answer *curve, answer *at, double *dz, double *dlambda)
{
    solve_at(x, 0.0, at);
    zw_direction d = {.q = curve->q, .v = curve->v, .t = x->dt, .parameter = x->parameter};
    return zw_sim_tangent(x->sim, &d, dz, dlambda);
}

/* Differences of several steps; the two that agree best are the reference, and how well they do says
 * what can be asked for. */
static void compare(trial *x, const char *what, int *compared)
{
    static answer d[6], at;
    static double dz[most], dlambda[most];
    double best = 1.0;
    int chosen = -1;
    if (!solve_at(x, 0.0, &at)) return;
    x->rank = at.rank;
    for (int k = 0; k < 6; k++) {
        if (!difference(x, 0.02 / (1 << (2 * k)), &d[k])) continue;
        double differ = k == 0 ? 1.0 : apart(x, &d[k - 1], &d[k - 1], d[k].z, d[k].lambda);
        if (differ < best) best = differ, chosen = k;
    }
    if (!(best < 1e-8)) return;
    zw_status status = tangent(x, &d[chosen], &at, dz, dlambda);
    if (status == ZW_ERR_SETTING) return;
    assert_int_equal(status, ZW_OK);
    double off = apart(x, &at, &d[chosen], dz, dlambda);
    if (!(off <= 1e-10 + 30.0 * best))
        fail_msg("%s: tangent along %s off by %g, differences by %g", what,
                 x->parameter >= 0 ? x->name : "the state", off, best);
    ++*compared;
}

static double kick(int32_t k)
{
    return sin(1.0 + 2.7 * k);
}

/* Along a direction of the state, along time, along the first parameters. */
static void try_directions(trial *x, zw_model *model, const char *what, int *compared)
{
    for (int32_t j = 0; j < x->n; j++) x->dq[j] = kick(j), x->dv[j] = kick(j + 1000);
    x->parameter = -1;
    compare(x, what, compared);
    memset(x->dq, 0, sizeof x->dq);
    memset(x->dv, 0, sizeof x->dv);
    x->dt = 1.0;
    compare(x, what, compared);
    x->dt = 0.0;
    int32_t count = zw_model_parameter_count(model);
    for (int32_t i = 0; i < count && i < 4; i++) {
        x->parameter = i;
        zw_model_parameter_name(model, i, x->name, sizeof x->name);
        assert_int_equal(zw_sim_parameter(x->sim, i, &x->value), ZW_OK);
        compare(x, what, compared);
        char text[300];
        snprintf(text, sizeof text, "%s = %.17g", x->name, x->value);
        (void)zw_sim_set_parameters(x->sim, text);
    }
}

/* At a state a little after the start. */
static void try_model(bench *b, const char *what, int *compared)
{
    static trial x;
    zw_run_settings set;
    zw_outcome outcome;
    if (zw_model_coordinate_count(b->model) > most || zw_model_row_count(b->model) > most) return;
    if (zw_sim_start(b->sim, false) != ZW_OK) return;
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    double until = 0.137;
    set.until = until;
    x = (trial){.sim = b->sim, .n = b->n, .m = b->m};
    zw_sim_state(b->sim, &x.t, NULL, NULL);
    if (zw_sim_begin(b->sim, &set) != ZW_OK) return;
    if (zw_sim_advance(b->sim, x.t + until, &outcome) != ZW_OK) return;
    assert_int_equal(zw_sim_state(b->sim, &x.t, x.q, x.v), ZW_OK);
    try_directions(&x, b->model, what, compared);
}

static int is_model(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && strcmp(entry->d_name + length - 3, ".zw") == 0;
}

static void test_gallery(void **state)
{
    (void)state;
    struct dirent **list;
    int count = scandir(ZW_GALLERY, &list, is_model, alphasort), models = 0;
    assert_true(count > 60);
    for (int k = 0; k < count; k++) {
        char path[2000];
        bench b;
        int compared = 0;
        snprintf(path, sizeof path, "%s/%s", ZW_GALLERY, list[k]->d_name);
        char *text = bench_read_page(path);
        if (bench_compile(&b, text) == ZW_OK) {
            try_model(&b, list[k]->d_name, &compared);
            if (compared > 0) models++;
        }
        bench_close(&b);
        free(text);
        free(list[k]);
    }
    free(list);
    assert_true(models >= 50);
}

/* Small systems of the kinds that galleries have few of: each with how many directions must have been
 * compared, the state and all parameters. */
static const struct {
    const char *name, *text;
    int directions;
} kinds[] = {
    {"contradictory servos with weights",
     "param w1 = 1, w2 = 3, k = 2, b1 = 1, b2 = 5\ncoord x, y\nkinetic x'^2 + y'^2\n"
     "potential 3*y\nconstraint one: x''*cos(k*x) + y''*sin(k*x) = b1\n"
     "constraint two: 2*x''*cos(k*x) + 2*y''*sin(k*x) = b2 - x'\nweight one: w1\nweight two: w2\n"
     "start x = 0.3, y = 0.2, x' = 0.5, y' = 0.7\n",
     6},
    {"a rod said three times, weights that hang together",
     "param l = 1, w = 2, c = 0.5\ncoord x, y\nkinetic x'^2 + (x'*y' + y'^2)/2\n"
     "potential 9.81*y + x^2\nconstraint a: x^2 + y^2 = l^2\nconstraint b: 2*x^2 + 2*y^2 = 2*l^2\n"
     "constraint d: hypot(x, y) = l\nweight a: w\nweight a, b: c\nweight d: 3 + w\n"
     "start x = 0.6, y = -0.8, x' = 1, y' = 0.75\n",
     4},
    {"non-ideal force from a reaction",
     "param mu = 0.2, R = 1, m = 1\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*9.81*y\n"
     "constraint ring: x^2 + y^2 = R^2\n"
     "nonideal x: -mu*reaction(ring)*x'/hypot(x', y')\n"
     "nonideal y: -mu*reaction(ring)*y'/hypot(x', y')\nstart x = 0.6, y = -0.8, x' = 1, y' = "
     "0.75\n",
     4},
    {"a mass matrix that is singular",
     "param m = 2, k = 3\ncoord x, y, s\nkinetic m/2*x'^2 + m/2*y'^2\npotential k*s^2/2 + "
     "m*9.81*y\n"
     "constraint tie: s = x^2 + y\nstart x = 0.4, y = 0.1, x' = 0.3, y' = 0.2\n",
     3},
    {"parameters from parameters, rows that move, a nonlinear row",
     "param a = 1, b = a^2 + sin(a), c = b/2 - a\ncoord x, y, z\n"
     "kinetic b*(x'^2 + y'^2 + z'^2)/2\npotential c*x*y + z^2\n"
     "constraint speed: x'^2 + y'^2 = b*z'^2 + sin(t)^2 + 0.1\nconstraint moves: z = c*x + "
     "sin(b*t)\n"
     "start x = 0.2, y = 0.4, x' = 1, y' = 0.2\n",
     3},
};

static void test_kinds(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        bench b;
        int compared = 0;
        bench_open(&b, kinds[k].text);
        try_model(&b, kinds[k].name, &compared);
        if (compared < kinds[k].directions)
            fail_msg("%s: %d directions compared", kinds[k].name, compared);
        bench_close(&b);
    }
}

/* What there is no derivative by, and where there is none. */
static void test_refusals(void **state)
{
    (void)state;
    bench b;
    double dz[3];
    zw_direction d = {.parameter = 0};
    bench_open(&b, "param n = 2\ncoord x[n]\nkinetic dot(x', x')\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_tangent(b.sim, &d, dz, NULL), ZW_ERR_SETTING);
    bench_expect(&b, "E0733", "there is no derivative by 'n'");
    d.parameter = 7;
    assert_int_equal(zw_sim_tangent(b.sim, &d, dz, NULL), ZW_ERR_ARGUMENT);
    bench_close(&b);
    bench_open(&b, "coord x, y\nkinetic x'^2 + y'^2\npotential 9.81*y\nconstraint ground: y >= 0\n"
                   "friction ground: 0.1 along x'\nstart x' = 1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    d.parameter = -1;
    assert_int_equal(zw_sim_tangent(b.sim, &d, dz, NULL), ZW_ERR_SETTING);
    bench_expect(&b, "E0732", "something slides with friction");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_gallery)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
