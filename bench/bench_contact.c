/*
 * bench_contact.c: what contacts cost, through zwang.h.
 *
 *   bench_contact CHAIN [N ...]     CHAIN: chain_on_floor.zw; N: beads of it, 100 and 1000 at first
 *
 * First a model with contacts that stay closed beside the same model with equations instead, in turn:
 * of each round the CPU time of one acceleration, and in a run that of an evaluation with its share of
 * the step (stages, projection, what is watched). Medians over the rounds, and of the ratios; that of
 * the runs holds the evaluations for dense output, which only contacts ask for. The motions of both are
 * the same: apart is the largest relative difference at the end. Then a chain that falls on a floor, by
 * events.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zwang.h>

#include "measure.h"

enum { ROUNDS = 9, MOST_TEXT = 4000 };

/* ---------------------------------------------------------------------- models */

/* In a text @ is >= or =; what stands between ? and | is taken with contacts, from there to the next
 * ? with equations. The springs keep everything moving. */
typedef struct subject {
    const char *name, *text;
    double until;
    zw_solver solver;

} subject;

static const char block_text[] =
    "param m = 1, g = 9.81, a = 0.1, h = 0.05\n"
    "coord x, y, th\n"
    "let corner(i) = [x + i*a*cos(th) + h*sin(th), y + i*a*sin(th) - h*cos(th)]\n"
    "kinetic m/2*(x'^2 + y'^2) + m/6*(a^2 + h^2)*th'^2\n"
    "potential m*g*y + 50*x^2\n"
    "constraint low: corner(1)[2] @ 0\n"
    "constraint high: corner(-1)[2] @ 0\n"
    "start y = h, x' = 1\n";

static const char sliding_text[] =
    "param m = 1, g = 9.81, a = 0.1, h = 0.05, mu = 0.1\n"
    "coord x, y, th\n"
    "let corner(i) = [x + i*a*cos(th) + h*sin(th), y + i*a*sin(th) - h*cos(th)]\n"
    "kinetic m/2*(x'^2 + y'^2) + m/6*(a^2 + h^2)*th'^2\n"
    "potential m*g*y\n"
    "force x: 3 + sin(20*t)\n"
    "constraint low: corner(1)[2] @ 0\n"
    "constraint high: corner(-1)[2] @ 0\n"
    "friction low: mu along corner(1)[1]'\n"
    "friction high: mu along corner(-1)[1]'\n"
    "start y = h, x' = 1\n";

static const char sphere_text[] =
    "use rigid\n"
    "param m = 1, g = 9.81, R = 0.1\n"
    "part ball = Body(m, 2/5*m*R^2*[[1, 0, 0], [0, 1, 0], [0, 0, 1]], at = [0, 0, R],\n"
    "  gravity = [0, 0, -g])\n"
    "potential 5*(ball.r[1]^2 + 2*ball.r[2]^2)\n"
    "let slip = ball.r' - cross(ball.w, [0, 0, R])\n"
    "constraint ground: ball.r[3] @ R\n"
    "?friction ground: 1 along [slip[1], slip[2]]|constraint roll: [slip[1], slip[2]] = 0?\n"
    "start ball.r[1] = 0.1, ball.r[2] = 0.2\n";

static const char rope_text[] = "param m = 1, g = 9.81, L = 1\n"
                                "coord r[3]\n"
                                "kinetic m/2*dot(r', r')\n"
                                "potential m*g*r[3]\n"
                                "constraint rope: L @ norm(r)\n"
                                "start r = [0.6, 0, -0.8], r' = [0, 1, 0]\n";

static const char lying_text[] =
    "param N = 1000, l = 4/N, m = 1/N, g = 9.81\n"
    "coord p[N, 2]\n"
    "for i in 1..N {\n"
    "  kinetic m/2*dot(p[i]', p[i]')\n"
    "  potential m*g*p[i, 2]\n"
    "  constraint ground[i]: p[i, 2] @ 0\n"
    "  start p[i] = [l*i, 0]\n"
    "}\n"
    "for i in 2..N { constraint rod[i]: dot(p[i] - p[i-1], p[i] - p[i-1]) = l^2 }\n"
    "force p[1]: [sin(300*t), 0]\n";

static const subject subjects[] = {
    {"block on two corners", block_text, 20.0, ZW_SOLVER_AUTO},
    {"block that slides", sliding_text, 20.0, ZW_SOLVER_AUTO},
    {"sphere that rolls", sphere_text, 20.0, ZW_SOLVER_AUTO},
    {"mass on a rope", rope_text, 20.0, ZW_SOLVER_AUTO},
    {"chain of 1000 that lies", lying_text, 0.5, ZW_SOLVER_AUTO},
    {"the same, sparse", lying_text, 0.5, ZW_SOLVER_SPARSE},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* The text with contacts, or with equations. */
static void write_text(const char *from, int contacts, char *to)
{
    int part = 0; /* 0: for both, 1: between ? and |, 2: after | */
    char *const end = to + MOST_TEXT - 4;
    for (; *from && to < end; from++) {
        if (*from == '?')
            part = part ? 0 : 1;
        else if (*from == '|' && part == 1)
            part = 2;
        else if (part && (part == 1) != contacts)
            continue;
        else if (*from == '@')
            to += sprintf(to, "%s", contacts ? ">=" : "=");
        else
            *to++ = *from;
    }
    *to = 0;
}

/* ------------------------------------------------------------------------ runs */

typedef struct side {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    char text[MOST_TEXT];
    double whole[ROUNDS], times[ROUNDS]; /* of a run; of an evaluation in it */
    double alone[ROUNDS];                /* of an acceleration where it has ended */
    double *q, *v, *z;                   /* there [n] */
    zw_run_statistics stats;
} side;

static void give_up(zw_context *context, const char *name, zw_status status)
{
    char messages[2048] = "";
    size_t needed;
    zw_context_format_diagnostics(context, ZW_TEXT, messages, sizeof messages, &needed);
    fprintf(stderr, "%s: %s\n%s\n", name, zw_status_sentence(status), messages);
    exit(1);
}

static void compile(side *s, const char *name, const char *text, const char *setting,
                    zw_solver solver)
{
    zw_model_source source = {.file = name, .text = text, .length = strlen(text)};
    source.settings = &setting;
    source.setting_count = setting ? 1 : 0;
    if (zw_context_create(NULL, &s->context) != ZW_OK) exit(1);
    zw_context_set_threads(s->context, 1);
    zw_context_set_solver(s->context, solver);
    zw_status status = zw_model_compile(s->context, &source, &s->model);
    if (status == ZW_OK) status = zw_sim_create(s->model, &s->sim);
    if (status != ZW_OK) give_up(s->context, name, status);
    size_t n = (size_t)zw_model_coordinate_count(s->model);
    s->q = calloc(3 * n, sizeof *s->q);
    if (!s->q) exit(1);
    s->v = s->q + n;
    s->z = s->v + n;
}

static void release(side *s)
{
    free(s->q);
    zw_sim_free(s->sim);
    zw_model_free(s->model);
    zw_context_free(s->context);
}

/* CPU seconds of the motion, the start and begin apart; stats.t is where it has come to. */
static double run(side *s, const char *name, double until)
{
    zw_run_settings set;
    zw_outcome outcome;
    zw_status status = zw_run_defaults(s->model, &set);
    set.until = until;
    if (status == ZW_OK) status = zw_sim_start(s->sim, false);
    if (status == ZW_OK) status = zw_sim_begin(s->sim, &set);
    if (status != ZW_OK) give_up(s->context, name, status);
    double began = cpu_seconds();
    status = zw_sim_advance(s->sim, until, &outcome);
    double taken = cpu_seconds() - began;
    if (status != ZW_OK) zw_sim_conclude(s->sim);
    zw_sim_statistics(s->sim, &s->stats);
    return taken;
}

/* CPU seconds of one acceleration where the run has ended. */
static double accelerate(side *s, const char *name)
{
    double t, began = cpu_seconds(), taken = 0.0;
    int count = 0;
    zw_sim_state(s->sim, &t, s->q, s->v);
    for (int batch = 16; taken < 1e-3; batch *= 2) {
        for (int i = 0; i < batch; i++, count++) {
            zw_status status = zw_sim_acceleration(s->sim, t, s->q, s->v, s->z);
            if (status != ZW_OK) give_up(s->context, name, status);
        }
        taken = cpu_seconds() - began;
    }
    return taken / count;
}

/* The largest difference of a coordinate, velocity or acceleration, over the largest of its kind. */
static double find_difference(const side *a, const side *b)
{
    int32_t n = zw_model_coordinate_count(a->model);
    double worst = 0.0;
    for (int kind = 0; kind < 3; kind++) {
        double off = 0.0, size = 0.0;
        for (int32_t i = kind * n; i < (kind + 1) * n; i++) {
            off = fmax(off, fabs(a->q[i] - b->q[i]));
            size = fmax(size, fabs(b->q[i]));
        }
        worst = fmax(worst, off / size);
    }
    return worst;
}

/* Roads that evaluations took. */
static void print_roads(const zw_run_statistics *stats)
{
    for (int32_t i = 0; i < stats->road_count; i++)
        if (stats->roads[i].count > stats->evaluations / 50)
            printf("%s%s", i ? " " : "", stats->roads[i].name);
}

/* The median of the ratios, pair by pair. */
static double ratio_of(const double *x, const double *y)
{
    double ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) ratios[i] = x[i] / y[i];
    return median(ratios, ROUNDS);
}

static void compare(const subject *of)
{
    static side sides[2]; /* contacts, equations */
    side *a = &sides[0], *b = &sides[1];
    for (int k = 0; k < 2; k++) {
        sides[k] = (side){0};
        write_text(of->text, k == 0, sides[k].text);
        compile(&sides[k], of->name, sides[k].text, NULL, of->solver);
        run(&sides[k], of->name, of->until); /* machine code is made, memory touched */
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < 2; k++) {
            side *s = &sides[k];
            s->whole[i] = run(s, of->name, of->until);
            if (s->stats.t < of->until) give_up(s->context, of->name, ZW_ERR_LIMIT);
            s->times[i] = s->whole[i] / (double)s->stats.evaluations;
            s->alone[i] = accelerate(s, of->name);
        }
    double alone = ratio_of(a->alone, b->alone), times = ratio_of(a->times, b->times);
    printf("| %s | %.3g | %.3g | %.2f | %.3g | %.3g | %.2f | %.2f | %.0e | ", of->name,
           1e9 * median(a->alone, ROUNDS), 1e9 * median(b->alone, ROUNDS), alone,
           1e9 * median(a->times, ROUNDS), 1e9 * median(b->times, ROUNDS), times,
           ratio_of(a->whole, b->whole), find_difference(a, b));
    print_roads(&sides[0].stats);
    printf(" | ");
    print_roads(&sides[1].stats);
    printf(" |\n");
    fflush(stdout);
    for (int k = 0; k < 2; k++) release(&sides[k]);
}

/* ------------------------------------------------------------------- the chain */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, MOST_TEXT);
    if (!file || !text || fread(text, 1, MOST_TEXT - 1, file) == 0) {
        fprintf(stderr, "bench_contact: cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static void drop_chain(const char *path, const char *beads)
{
    static side s;
    char setting[64], *text = read_text(path);
    int64_t impacts = 0, closings = 0, openings = 0;
    snprintf(setting, sizeof setting, "N = %s", beads);
    s = (side){0};
    compile(&s, "chain_on_floor.zw", text, setting, ZW_SOLVER_AUTO);
    double seconds = run(&s, "chain_on_floor.zw", 0.4);
    for (int32_t i = 0; i < zw_model_contact_count(s.model); i++) {
        zw_contact c;
        if (zw_sim_contact(s.sim, i, &c) != ZW_OK) break;
        impacts += c.impacts, closings += c.closings, openings += c.openings;
    }
    printf("| %s | %.4g | %.3g | %lld | %lld | %lld | %lld | %lld | %.3g | %.1e | %.1e |\n", beads,
           s.stats.t, seconds, (long long)impacts, (long long)closings, (long long)openings,
           (long long)s.stats.steps, (long long)s.stats.evaluations,
           1e6 * seconds / (double)s.stats.evaluations, s.stats.position.size,
           s.stats.energy.error / s.stats.energy.scale);
    fflush(stdout);
    release(&s);
    free(text);
}

int main(int argc, char **argv)
{
    static char *usual[] = {"100", "1000"};
    char **beads = argc > 2 ? argv + 2 : usual;
    int count = argc > 2 ? argc - 2 : 2;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_contact CHAIN [N ...]\n");
        return 2;
    }
    printf("| model | acceleration: contacts, ns | equations | ratio | in a run: contacts | "
           "equations | ratio | of the runs | apart | contacts take | equations take |\n|%s\n",
           " --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int i = 0; i < SUBJECTS; i++) compare(&subjects[i]);
    printf(
        "\n| beads of the chain that falls | until t | s | impacts | closings | openings | steps | "
        "evaluations | us an evaluation | off by, m | energy |\n|%s\n",
        " --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (int i = 0; i < count; i++) drop_chain(argv[1], beads[i]);
    return 0;
}
