/*
 * peer_mujoco.c: the problems for peers by MuJoCo.
 *
 * Its contacts are soft, and there is no coefficient of restitution: a closed contact obeys
 * r'' + b r' + k r = (1 - d) a, where a is the acceleration without it. What bounces is given b and k
 * (the negative numbers of `solref`) with which a mass that falls on such a spring leaves it, where
 * the force is gone, with the fraction e of its speed: k = w^2, b = 2 zeta w,
 * e = exp(-2 zeta/s atan2(s, zeta)), s = sqrt(1 - zeta^2). Of several such sets of numbers the ones
 * below had the smallest errors.
 */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "peer_problems.h"

/* How one kind of problem is set up. */
typedef struct choice {
    const char *option; /* attributes of <option> */
    double lasts;       /* an impact, in steps */
    const char *solimp; /* of what bounces: d */
    double apart; /* room between the balls of the cradle: touching soft ones all move at once */
} choice;

typedef struct setting {
    const char *name;
    double step;
    choice of[3]; /* peer_kind */
} setting;

static const setting settings[] = {
    {"default", 0.002, {{"", 0.0, "", 0.0}, {"", 10.0, "", 0.0}, {"", 10.0, "", 0.0}}},
    {"best",
     0.0002,
     {{"cone='elliptic' impratio='100' noslip_iterations='10' tolerance='1e-12'", 0.0, "", 0.0},
      {"integrator='RK4' tolerance='1e-12'", 5.0, "solimp='0.9999 0.9999 0.001'", 5e-4},
      {"tolerance='1e-12'", 20.0, "solimp='0.9999 0.9999 0.001'", 0.0}}},
};

/* A model text that grows. */
typedef struct text {
    char bytes[4000];
    size_t length;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    t->length +=
        (size_t)vsnprintf(t->bytes + t->length, sizeof t->bytes - t->length, format, arguments);
    va_end(arguments);
}

static double damping_for(double e)
{
    double low = 0.0, high = 0.999;
    for (int i = 0; i < 60; i++) {
        double zeta = (low + high) / 2.0, s = sqrt(1.0 - zeta * zeta);
        if (exp(-2.0 * zeta / s * atan2(s, zeta)) > e)
            low = zeta;
        else
            high = zeta;
    }
    return low;
}

/* The attributes of a geom that gives back the fraction e. */
static void add_bounce(text *t, const setting *how, const choice *c, double e)
{
    double zeta = damping_for(e);
    double w = PEER_PI / (c->lasts * how->step) / sqrt(1.0 - zeta * zeta);
    add(t, " solref='%.17g %.17g' %s/>", -w * w, -2.0 * zeta * w, c->solimp);
}

static void add_box(text *t, const peer_problem *p)
{
    add(t, "<geom type='plane' size='0 0 1' friction='%g 0.005 0.0001'/>", p->mu);
    add(t, "<body pos='0 0 %.17g'><freejoint/><geom type='box' mass='1' size='%g %g %g' ",
        PEER_BOX_HEIGHT / 2, PEER_BOX_LENGTH / 2, PEER_BOX_LENGTH / 2, PEER_BOX_HEIGHT / 2);
    add(t, "friction='%g 0.005 0.0001'/></body>", p->mu);
}

static void add_ball(text *t, const setting *how, const choice *c)
{
    add(t, "<geom type='plane' size='0 0 1'");
    add_bounce(t, how, c, PEER_RESTITUTION);
    add(t, "<body pos='0 0 %.17g'><freejoint/><geom type='sphere' mass='1' size='%g'",
        PEER_HEIGHT + PEER_RADIUS, PEER_RADIUS);
    add_bounce(t, how, c, PEER_RESTITUTION);
    add(t, "</body>");
}

static void add_cradle(text *t, const setting *how, const choice *c)
{
    for (int i = 0; i < PEER_BALLS; i++) {
        add(t, "<body pos='%.17g 0 2'><joint type='hinge' axis='0 -1 0'/>", 2 * PEER_RADIUS * i);
        add(t, "<inertial pos='0 0 %g' mass='1' diaginertia='1e-12 1e-12 1e-12'/>", -PEER_LENGTH);
        add(t, "<geom type='sphere' condim='1' pos='0 0 %g' size='%.17g'", -PEER_LENGTH,
            PEER_RADIUS - c->apart / 2.0);
        add_bounce(t, how, c, 1.0);
        add(t, "</body>");
    }
}

static void write_model(text *t, const setting *how, const peer_problem *p)
{
    const choice *c = &how->of[p->kind];
    double lean = p->kind == PEER_BOX ? PEER_SLOPE : 0.0;
    t->length = 0;
    add(t, "<mujoco><option timestep='%.17g' gravity='%.17g 0 %.17g' %s/><worldbody>", how->step,
        PEER_GRAVITY * sin(lean), -PEER_GRAVITY * cos(lean), c->option);
    if (p->kind == PEER_BOX) add_box(t, p);
    if (p->kind == PEER_BALL) add_ball(t, how, c);
    if (p->kind == PEER_CRADLE) add_cradle(t, how, c);
    add(t, "</worldbody></mujoco>");
}

static mjModel *load(const text *t)
{
    static mjVFS files;
    char error[500] = "";
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "model.xml", (int)t->length);
    memcpy(files.filedata[0], t->bytes, t->length);
    mjModel *m = mj_loadXML("model.xml", &files, error, sizeof error);
    if (!m) fprintf(stderr, "peer_mujoco: %s\n", error);
    mj_deleteVFS(&files);
    return m;
}

static void set_start(const peer_problem *p, const mjModel *m, mjData *d)
{
    mj_resetData(m, d);
    if (p->kind == PEER_BOX) d->qvel[0] = p->speed;
    for (int i = 0; p->kind == PEER_CRADLE && i < p->lifted; i++) d->qpos[i] = -PEER_LIFT;
}

static void read_state(const peer_problem *p, const mjData *d, peer_state *s)
{
    int height = p->kind == PEER_BALL ? 2 : 0, count = p->kind == PEER_CRADLE ? PEER_BALLS : 1;
    for (int i = 0; i < count; i++) s->q[i] = d->qpos[i + height], s->v[i] = d->qvel[i + height];
    if (p->kind == PEER_BALL) s->q[0] -= PEER_RADIUS;
}

static double run(void *user, const peer_problem *p, peer_record *r)
{
    const setting *how = user;
    double called = peer_seconds();
    text t;
    write_model(&t, how, p);
    mjModel *m = load(&t);
    if (!m) return PEER_FAILED;
    mjData *d = mj_makeData(m);
    set_start(p, m, d);
    read_state(p, d, &r->at[0]);
    long each = lround(p->until / p->samples / how->step);
    double began = peer_seconds();
    r->ready = began - called;
    for (int i = 1; i <= p->samples; i++) {
        for (long k = 0; k < each; k++) {
            mj_step(m, d);
            if (p->kind == PEER_BALL) peer_watch(r, d->qpos[2] - PEER_RADIUS, d->qvel[2]);
        }
        read_state(p, d, &r->at[i]);
    }
    double taken = peer_seconds() - began;
    mj_deleteData(d);
    mj_deleteModel(m);
    return taken;
}

int main(void)
{
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
        for (int i = 0; i < PEER_PROBLEMS; i++) {
            setting how = settings[k];
            peer_measure("MuJoCo", how.name, &peer_list[i], run, &how);
        }
    return 0;
}
