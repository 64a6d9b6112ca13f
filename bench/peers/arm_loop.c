/*
 * arm_loop.c: an arm with six joints in one loop, by MuJoCo and by Zwang from C: the acceleration at the
 * state, then v += h a, q += h v. What a turn takes, the best of many; that both accelerations agree comes
 * first. arm_loop.py has the same loop in Python.
 *
 *     arm_loop arm_six.zw
 */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zwang.h>

enum { N = 6, TURNS = 20000, TRIES = 15 };
static const double h = 1e-5;
static const double q0[N] = {0.1, 0.5, 0.7, -0.3, 0.6, 0.2};
static const double v0[N] = {0.3, -0.2, 0.5, 0.4, -0.6, 0.8};

/* The acceleration at (q, v), of whichever program. */
typedef void accelerate_fn(void *user, const double *q, const double *v, double *z);

/* ------------------------------------------------------------------------ MuJoCo */

typedef struct by_mujoco {
    mjModel *m;
    mjData *d;
} by_mujoco;

static mjModel *make_arm(void)
{
    static const double l[N] = {0.3, 0.4, 0.3, 0.2, 0.15, 0.1}, m[N] = {4, 3, 2, 1, 0.5, 0.3};
    static const double J[N] = {0.02, 0.02, 0.01, 0.005, 0.002, 0.001};
    static const char *const axes[N] = {"0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"};
    char text[4000], error[500] = "";
    int at = snprintf(text, sizeof text,
                      "<mujoco><option gravity='0 0 -9.81'><flag contact='disable' "
                      "constraint='disable'/></option><worldbody>");
    double below = 0;
    for (int k = 0; k < N; k++) {
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "<body pos='0 0 %.17g'><joint type='hinge' axis='%s'/><inertial pos='0 0 "
                       "%.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
                       below, axes[k], l[k], m[k], J[k], J[k], J[k]);
        below = l[k];
    }
    for (int k = 0; k < N; k++) at += snprintf(text + at, sizeof text - (size_t)at, "</body>");
    (void)snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    mjVFS files;
    mj_defaultVFS(&files);
    mj_makeEmptyFileVFS(&files, "arm.xml", (int)strlen(text));
    memcpy(files.filedata[0], text, strlen(text));
    mjModel *model = mj_loadXML("arm.xml", &files, error, sizeof error);
    if (!model) fprintf(stderr, "%s\n", error);
    return model;
}

static void accelerate_mujoco(void *user, const double *q, const double *v, double *z)
{
    by_mujoco *b = user;
    memcpy(b->d->qpos, q, N * sizeof *q);
    memcpy(b->d->qvel, v, N * sizeof *v);
    mj_forward(b->m, b->d);
    memcpy(z, b->d->qacc, N * sizeof *z);
}

/* ------------------------------------------------------------------------- Zwang */

static void accelerate_zwang(void *user, const double *q, const double *v, double *z)
{
    (void)zw_sim_acceleration(user, 0, q, v, z);
}

static zw_sim *make_sim(const char *name)
{
    static char text[20000];
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    FILE *file = fopen(name, "r");
    if (!file) return NULL;
    zw_model_source source = {
        .file = name, .text = text, .length = fread(text, 1, sizeof text, file)};
    (void)fclose(file);
    if (zw_context_create(NULL, &context) != ZW_OK ||
        zw_model_compile(context, &source, &model) != ZW_OK ||
        zw_sim_create(model, &sim) != ZW_OK || zw_sim_set_kernel(sim, ZW_KERNEL_NATIVE) != ZW_OK)
        return NULL;
    return sim;
}

/* -------------------------------------------------------------------------- loop */

static double read_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nanoseconds of a turn; step 0: of the calls alone, at one state. */
static double time_loop(accelerate_fn *accelerate, void *user, double step)
{
    double best = 1e9;
    for (int try = 0; try < TRIES; try++) {
        double q[N], v[N], z[N], begun = read_seconds();
        memcpy(q, q0, sizeof q);
        memcpy(v, v0, sizeof v);
        for (int k = 0; k < TURNS; k++) {
            accelerate(user, q, v, z);
            for (int i = 0; i < N; i++) v[i] += step * z[i];
            for (int i = 0; i < N; i++) q[i] += step * v[i];
        }
        best = fmin(best, (read_seconds() - begun) / TURNS);
    }
    return 1e9 * best;
}

int main(int argc, char **argv)
{
    by_mujoco other = {.m = make_arm()};
    zw_sim *sim = argc == 2 ? make_sim(argv[1]) : NULL;
    double a[N], b[N], worst = 0, size = 0;
    if (!other.m || !sim) return 1;
    other.d = mj_makeData(other.m);
    accelerate_mujoco(&other, q0, v0, a);
    accelerate_zwang(sim, q0, v0, b);
    for (int i = 0; i < N; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    printf("accelerations agree to %.1e of %.3g\n", worst, size);
    printf("MuJoCo %s, C    %6.0f ns a turn, at one state %.0f ns\n", mj_versionString(),
           time_loop(accelerate_mujoco, &other, h), time_loop(accelerate_mujoco, &other, 0));
    printf("Zwang, C           %6.0f ns a turn, at one state %.0f ns\n",
           time_loop(accelerate_zwang, sim, h), time_loop(accelerate_zwang, sim, 0));
    return worst <= 1e-9 * size ? 0 : 1;
}
