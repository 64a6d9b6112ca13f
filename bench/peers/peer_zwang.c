/*
 * peer_zwang.c: the problems for peers by Zwang.
 *
 *   peer_zwang FOLDER      with the models, peer_*.zw
 *
 * Nothing is set but the parameters of a problem, and once the tolerance. Until it is ready the text is
 * compiled and a first run begun, for which machine code is made; the motion is start, begin and advance
 * of a second one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zwang.h>

#include "peer_problems.h"

/* The models of the problems. */
typedef struct setting {
    const char *name;
    double tol;          /* 0: what it is when nobody says anything */
    const char *file[3]; /* peer_kind; NULL: left out */
} setting;

static const setting settings[] = {
    {"default", 0.0, {"peer_box.zw", "peer_cradle.zw", "peer_ball.zw"}},
    {"tol = 1e-12", 1e-12, {"peer_box.zw", "peer_cradle.zw", "peer_ball.zw"}},
    {"default, in space", 0.0, {"peer_box_space.zw", NULL, "peer_ball_space.zw"}},
};

typedef struct work {
    const char *folder;
    const setting *how;
} work;

/* The whole file, or NULL. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, 100000) : NULL;
    if (text && fread(text, 1, 99999, file) == 0) text[0] = 0;
    if (file) fclose(file);
    return text;
}

static void complain(zw_context *context, zw_status status)
{
    char text[4000] = "";
    size_t needed;
    zw_context_format_diagnostics(context, ZW_TEXT, text, sizeof text, &needed);
    fprintf(stderr, "peer_zwang: %s\n%s\n", zw_status_sentence(status), text);
}

static void read_state(const zw_sim *sim, const peer_problem *p, peer_state *s)
{
    double q[16] = {0}, v[16] = {0};
    int count = p->kind == PEER_CRADLE ? PEER_BALLS : 1;
    zw_sim_state(sim, NULL, q, v);
    memcpy(s->q, q, sizeof q[0] * (size_t)count);
    memcpy(s->v, v, sizeof v[0] * (size_t)count);
}

/* Impacts of the ball after which it is fast enough: of a unit mass P = (1 + e) v, and it leaves with
 * e v. */
static int count_bounces(const zw_sim *sim)
{
    int count = 0;
    zw_happened what;
    for (int64_t i = 0; i < zw_sim_happened_count(sim); i++)
        if (zw_sim_happened(sim, i, &what) == ZW_OK && what.kind == ZW_HAPPENS_IMPACT)
            count += what.impulse * PEER_RESTITUTION / (1.0 + PEER_RESTITUTION) > PEER_LEAST_BOUNCE;
    return count;
}

/* From the start to the end, with a state at each sample. */
static zw_status move(zw_sim *sim, zw_run_settings *set, const peer_problem *p, peer_record *r)
{
    zw_outcome outcome;
    zw_status status = zw_sim_start(sim, false);
    read_state(sim, p, &r->at[0]);
    if (status == ZW_OK) status = zw_sim_begin(sim, set);
    for (int i = 1; status == ZW_OK && i <= p->samples; i++) {
        status = zw_sim_advance(sim, p->until * i / p->samples, &outcome);
        read_state(sim, p, &r->at[i]);
    }
    if (p->kind == PEER_BALL) r->bounces = count_bounces(sim);
    return status;
}

/* Compiles the text with the parameters of the problem. */
static zw_status compile(zw_context *context, const char *text, const peer_problem *p,
                         zw_model **model)
{
    char mu[40], speed[40], lifted[40];
    const char *set[] = {mu, speed};
    snprintf(mu, sizeof mu, "mu = %.17g", p->mu);
    snprintf(speed, sizeof speed, "u = %.17g", p->speed);
    snprintf(lifted, sizeof lifted, "lifted = %d", p->lifted);
    if (p->kind == PEER_CRADLE) set[0] = lifted;
    zw_model_source source = {
        .file = p->name, .text = text, .length = strlen(text), .settings = set};
    source.setting_count = p->kind == PEER_BOX ? 2 : p->kind == PEER_CRADLE ? 1 : 0;
    return zw_model_compile(context, &source, model);
}

static double run(void *user, const peer_problem *p, peer_record *r)
{
    const work *w = user;
    char path[4096];
    double taken = PEER_FAILED;
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_run_settings set;
    if (!w->how->file[p->kind]) return PEER_LEFT_OUT;
    snprintf(path, sizeof path, "%s/%s", w->folder, w->how->file[p->kind]);
    char *text = read_text(path);
    double called = peer_seconds();
    if (!text || zw_context_create(NULL, &context) != ZW_OK) return PEER_FAILED;
    zw_status status = compile(context, text, p, &model);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_run_defaults(model, &set);
    if (status == ZW_OK) {
        set.until = p->until;
        if (w->how->tol > 0.0) set.tol = w->how->tol;
        status = zw_sim_start(sim, false);
        if (status == ZW_OK) status = zw_sim_begin(sim, &set);
        double began = peer_seconds();
        r->ready = began - called;
        if (status == ZW_OK) status = move(sim, &set, p, r);
        if (status == ZW_OK) taken = peer_seconds() - began;
    }
    if (status != ZW_OK) {
        zw_sim_conclude(sim);
        complain(context, status);
    }
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    free(text);
    return taken;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: peer_zwang FOLDER\n");
        return 2;
    }
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++)
        for (int i = 0; i < PEER_PROBLEMS; i++) {
            work w = {argv[1], &settings[k]};
            peer_measure("Zwang", settings[k].name, &peer_list[i], run, &w);
        }
    return 0;
}
