/*
 * test_fused_contacts.c: the forms of fused programs for the modes of contacts against the factors of
 * rows and friction.c, at random states and modes of models with contacts and friction of every kind:
 * accelerations, multipliers, forces, powers and the functions that tell when contacts change.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "friction.h"
#include "road_fused.h"

static uint64_t state = 11;

static double uniform(double a, double b)
{
    uint64_t bits = zb_hash_scramble(state += UINT64_C(0x9e3779b97f4a7c15));
    return a + (b - a) * ((double)(bits >> 11) * 0x1p-53);
}

static const char *const texts[] = {
    /* one contact, static friction */
    "param mu = 0.3\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
    "constraint ground: y - x^2/9 >= 0\nfriction ground: mu along x', static = 0.4\n",
    /* a rod with two ends: friction changes what presses; a full M */
    "param mu = 0.4, l = 0.5\ncoord x, y, a\n"
    "kinetic x'^2 + y'^2 + 0.1*a'^2 + 0.3*x'*a'*cos(a)\npotential 19*y + x\n"
    "constraint left: y - l*sin(a) >= 0\nconstraint right: y + l*sin(a) >= 0\n"
    "friction left: mu along x' + l*sin(a)*a'\n"
    "friction right: 0.2 + 0.1*exp(-(x')^2) along x' - l*sin(a)*a'\n",
    /* in space, on a moving belt, with an equation beside it */
    "coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + 2*w'^2 + 0.2*x'*w')/2\npotential 9.81*z + "
    "w^2\n"
    "constraint link: w*w + x*y = 1\nconstraint ground: z >= 0.1*x\n"
    "friction ground: 0.5 along [x' - 0.7, y' + 0.1*w']\n"
    "constraint wall: x - 0.2*y <= 3\nfriction wall: 0.2 along [y', z', x' + w']\n",
    /* no friction, a stop with two sides, a force that works */
    "coord a, b\nkinetic (a'^2 + 2*b'^2 + a'*b'*cos(a - b))/2\npotential -9.81*cos(a)\n"
    "force a: -a'/5 + sin(t)\nconstraint stop: -0.2 <= a <= 1.2\nconstraint clutch: b' - a' >= 0\n"
    "constraint wall: b >= 0.1*t\n",
    /* friction of joints: one multiplier, several */
    "param mu = 0.2\ncoord x, y, a\nkinetic x'^2 + y'^2 + a'^2/2\npotential 9.81*y + a\n"
    "constraint wire: y = x^2/4\nfriction wire: mu along x'*sqrt(1 + x^2/4)\n",
    "param mu = 0.05\ncoord x, y, a\nkinetic x'^2 + y'^2 + a'^2\npotential 9.81*y\n"
    "constraint pin: [x - sin(a), y + cos(a)] = 0\nfriction pin: mu along a'\n",
    "coord x[2], y[2], a[2]\n"
    "kinetic sum(i in 1..2, x[i]'^2 + y[i]'^2 + 0.4*a[i]'^2)\npotential 9.81*(y[1] + y[2])\n"
    "constraint one: [x[1] - sin(a[1]), y[1] + cos(a[1])] = 0\n"
    "constraint two: [x[2] - 2*sin(a[1]) - sin(a[2]), y[2] + 2*cos(a[1]) + cos(a[2])] = 0\n"
    "friction one: 0.03 along a[1]'\nfriction two: 0.05 along a[2]' - a[1]'\n",
    /* what presses is said */
    "coord x, y, a\nkinetic x'^2 + y'^2 + a'^2\npotential 9.81*y\n"
    "constraint pin: [x - sin(a), y + cos(a)] = 0\n"
    "friction pin: 0.05 along a', pressure = norm(multiplier(pin)) + 0.3*abs(multiplier(pin)[1])\n"
    "constraint ground: y + 0.2*sin(a) >= -3\n"
    "friction ground: 0.2 along x' + 0.1*a', pressure = 2*multiplier(ground)\n",
    /* a corner: the norm of two inequalities; forces that follow reactions */
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2 + 0.5*x'*z')/2\npotential 9.81*y + x\n"
    "constraint corner: [x, y] >= 0\nfriction corner: 0.2 along z'\n"
    "constraint guide: x + y*z = 1\n"
    "nonideal z: -0.1*multiplier(guide) - 0.05*z'\n"
    "nonideal x: 0.1*multiplier(corner)[2]*y\n",
    /* three contacts with friction: more modes than have a form of their own */
    "coord x, y, a, s, u\n"
    "kinetic (x'^2 + y'^2 + 0.2*a'^2 + s'^2 + u'^2 + 0.1*s'*x')/2\npotential 9.81*y + s^2 + u^2\n"
    "constraint left: y - 0.5*sin(a) >= 0\nconstraint right: y + 0.5*sin(a) >= 0\n"
    "constraint top: 2 - y - 0.3*cos(a) + u >= 0\n"
    "friction left: 0.3 along x' + 0.5*sin(a)*a'\nfriction right: 0.2 along x' - 0.5*sin(a)*a'\n"
    "friction top: 0.1 along [x' - s', u']\nconstraint end: s - 0.1*x <= 1\n",
};
enum { text_count = sizeof texts / sizeof *texts };

static void any_state(bench *b)
{
    b->t = uniform(0.0, 3.0);
    for (int32_t i = 0; i < b->n; i++) {
        b->q[i] = uniform(-2.0, 2.0);
        b->v[i] = uniform(-2.0, 2.0);
    }
}

static bool is_pressed(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    const zr_friction_roots *at = &c->laws->friction[k];
    bool pressed = at->joint;
    for (int32_t i = at->first_row; i < at->first_row + at->row_count && !at->joint; i++)
        pressed = pressed || c->mode.touch[c->laws->contact_of_row[i]] == ZR_CLOSED;
    return pressed;
}

/* Contacts open or close, what is pressed sticks, slides or is implied. */
static void any_mode(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++)
        c->mode.touch[k] = uniform(0.0, 1.0) < 0.6 ? ZR_CLOSED : ZR_OPEN;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        int32_t first = c->laws->friction[k].slip, width = sim->zm->frictions[k].width;
        double length = 0.0;
        c->mode.side[k] = uniform(0.0, 1.0) < 0.5 ? -1 : 1;
        c->mode.grip[k] = !is_pressed(sim, k)       ? ZR_IDLE
                          : uniform(0.0, 1.0) < 0.6 ? ZR_SLIDES
                                                    : ZR_STICKS;
        for (int32_t j = first; j < first + width; j++) {
            c->mode.held[j] = c->mode.grip[k] == ZR_STICKS && uniform(0.0, 1.0) < 0.9;
            c->mode.direction[j] = uniform(-1.0, 1.0);
            length += c->mode.direction[j] * c->mode.direction[j];
        }
        for (int32_t j = first; j < first + width; j++) c->mode.direction[j] /= sqrt(length);
    }
    zr_enter_mode(sim);
}

static double largest(const double *x, int32_t count)
{
    double all = 0.0;
    for (int32_t i = 0; i < count; i++) all = fmax(all, fabs(x[i]));
    return all;
}

/* NaN in y: it does not matter. */
static void expect_alike(const double *x, const double *y, int32_t count, double tolerance)
{
    for (int32_t i = 0; i < count; i++)
        if (!isnan(y[i])) bench_near(x[i], y[i], tolerance);
}

/* What one road has answered. */
typedef struct answer {
    double z[8], lambda[16], acting[16], force[8], power[ZR_POWER_COUNT], watch[32];
} answer;

/* By the form that is chosen. */
static bool by_form(bench *b, answer *a)
{
    const zr_fused_places *at = &b->sim->solver->form->places;
    const double *z = zr_fused_acceleration(b->sim, &b->t, b->q, b->v);
    const double *out = b->sim->solver->fused_out;
    const struct zr_contact_laws *laws = b->sim->contacts->laws;
    if (!z) return false;
    memset(a, 0, sizeof *a);
    memcpy(a->z, z, sizeof *z * (size_t)b->n);
    memcpy(a->lambda, out + at->lambda, sizeof *z * (size_t)b->m);
    memcpy(a->acting, out + at->acting, sizeof *z * (size_t)b->m);
    if (at->force >= 0) memcpy(a->force, out + at->force, sizeof *z * (size_t)b->n);
    for (int p = 0, next = 0; p < ZR_POWER_COUNT; p++)
        if (zr_possible_powers(b->sim->model) & (1u << p)) a->power[p] = out[at->power + next++];
    memcpy(a->watch, out + at->watch,
           sizeof *z * (size_t)(laws->contacts + zr_touch_functions(laws)));
    return true;
}

/* The functions that tell when contacts change (run.h), from the acting multipliers; not where
 * something sticks by rows that follow from others. */
static void watch_by_hand(bench *b, const zk_source *s, answer *a)
{
    zw_sim *sim = b->sim;
    zr_contacts *c = sim->contacts;
    int32_t contacts = c->laws->contacts, frictions = c->laws->frictions;
    zr_evaluate_gaps(sim, s);
    for (int32_t k = 0; k < contacts; k++) {
        bool closed = c->mode.touch[k] == ZR_CLOSED;
        a->watch[k] = closed ? a->acting[sim->zm->contacts[k].row] : c->gap[k];
        a->watch[zr_touch_functions(c->laws) + k] = closed ? 1.0 : c->gap[contacts + k];
    }
    for (int32_t k = 0; k < frictions; k++) {
        const zm_friction *f = &sim->zm->frictions[k];
        double slip = 0.0, square = 0.0;
        bool whole = true;
        double g = zr_press(sim, s, k, a->acting);
        zr_evaluate_frictions(sim, s);
        for (int32_t j = 0; j < f->width; j++) {
            int32_t at = c->laws->friction[k].slip + j;
            slip += c->slip[at] * c->mode.direction[at];
            whole = whole && c->mode.held[at];
            square += a->acting[f->first_row + j] * a->acting[f->first_row + j];
        }
        a->watch[contacts + k] = c->mode.grip[k] == ZR_SLIDES ? slip
                                 : c->mode.grip[k] == ZR_STICKS
                                     ? zr_friction_static(sim, k) * g - sqrt(square)
                                     : 1.0;
        if (c->mode.grip[k] == ZR_STICKS && !whole) a->watch[contacts + k] = (double)NAN;
    }
    for (int32_t k = 0; k < c->laws->presses; k++) {
        const zr_friction_roots *at = &c->laws->friction[k];
        bool pressed = at->sided && c->mode.grip[k] == ZR_SLIDES;
        a->watch[contacts + frictions + k] =
            pressed ? c->mode.side[k] * a->acting[at->first_row] : 1.0;
    }
}

/* By factors of rows. */
static bool by_factors(bench *b, answer *a)
{
    zw_sim *sim = b->sim;
    const zr_fused_form *form = sim->solver->form;
    zk_source s = zr_source(sim, b->t, b->q, b->v);
    zr_wanted wanted = {.at = &s, .z = a->z, .force = a->force};
    memset(a, 0, sizeof *a);
    sim->solver->form = NULL;
    zw_status status = zr_accelerate(sim, NULL, &wanted);
    sim->solver->form = form;
    if (status != ZW_OK) return false;
    memcpy(a->lambda, sim->lambda, sizeof *a->lambda * (size_t)b->m);
    memcpy(a->acting, sim->lambda, sizeof *a->lambda * (size_t)b->m);
    if (!zr_any_slides(sim) && sim->model->nonideal.count > 0)
        for (int32_t i = 0; i < b->m; i++) a->acting[i] += sim->solver->lambda_nonideal[i];
    s.acceleration = a->z;
    zr_forces forces = {.lambda = a->lambda, .nonideal = a->force};
    zr_powers_at(sim, &s, &forces, a->power);
    watch_by_hand(b, &s, a);
    return true;
}

static void compare_answers(const bench *b, const answer *x, const answer *y, double tolerance)
{
    const struct zr_contact_laws *laws = b->sim->contacts->laws;
    /* masses, lengths and weights are about 1, and so are the units of all numbers */
    tolerance *= largest(y->acting, b->m) + largest(y->z, b->n) + largest(y->force, b->n) + 1.0;
    expect_alike(x->z, y->z, b->n, tolerance);
    expect_alike(x->lambda, y->lambda, b->m, tolerance);
    expect_alike(x->acting, y->acting, b->m, tolerance);
    expect_alike(x->force, y->force, b->n, tolerance);
    expect_alike(x->power, y->power, ZR_POWER_COUNT, 30.0 * tolerance);
    expect_alike(x->watch, y->watch, laws->contacts + zr_touch_functions(laws), 30.0 * tolerance);
}

/* Every form that serves a mode, at random states and modes. */
static void compare(bench *b, int rounds, int *served, int *masked)
{
    zw_sim *sim = b->sim;
    const zr_fused *fused = sim->model->fused;
    for (int round = 0; round < rounds; round++) {
        any_state(b);
        any_mode(sim);
        const zr_fused_form *chosen = sim->solver->form;
        if (!chosen) continue;
        for (int32_t k = 0; k < fused->form_count; k++) {
            answer x, y;
            if (&fused->forms[k] != chosen && !fused->forms[k].reads_masks) continue;
            if (!fused->forms[k].slides[0] && zr_any_slides(sim)) continue;
            sim->solver->form = &fused->forms[k];
            if (!by_form(b, &x) || !by_factors(b, &y)) continue;
            compare_answers(b, &x, &y, 1e-14 * sim->solver->fused_condition + 1e-11);
            (*served)++;
            *masked += fused->forms[k].reads_masks ? 1 : 0;
        }
    }
}

static void against_factors(void **unused)
{
    (void)unused;
    int masked = 0;
    for (int k = 0; k < text_count; k++) {
        bench b;
        int served = 0;
        bench_open(&b, texts[k]);
        assert_non_null(b.sim->model->fused);
        compare(&b, 400, &served, &masked);
        printf("model %d: %d forms, %d answers\n", k, (int)b.sim->model->fused->form_count, served);
        assert_true(served > 150);
        bench_close(&b);
    }
    assert_true(masked > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
