/*
 * A controller at 1 kHz: an arm of six axes, torques at its joints as inputs, 100 s of it by rk4 and
 * by dop853. Says what a tick takes of the processor (setting the inputs, one millisecond of motion,
 * reading the state), and that none of them allocates.
 *
 *     cc control_loop.c $(pkg-config --cflags --libs zwang) -lm
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zwang.h>

enum { AXES = 6, TICKS = 100000 };

/* About a UR5: each link has a frame whose z is its axis; w is its angular velocity there, o the
 * velocity of its origin, c that of its centre of mass. Motors and gears have inertia, too. */
static const char arm[] = "model \"six axes\"\n"
                          "param g = 9.81, m = [3.7, 8.393, 2.33, 1.219, 1.219, 0.1879]\n"
                          "input torque[6] = 0\n"
                          "coord q[6]\n"
                          "let turn(a) = [[cos(a), sin(a), 0], [-sin(a), cos(a), 0], [0, 0, 1]]\n"
                          "let z = [0, 0, 1]\n"
                          "let tilt = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]\n"
                          "let w1 = z*q[1]'\n"
                          "let w2 = turn(q[2])*tilt*w1 + z*q[2]'\n"
                          "let w3 = turn(q[3])*w2 + z*q[3]'\n"
                          "let o3 = turn(q[3])*cross(w2, [0.425, 0, 0])\n"
                          "let w4 = turn(q[4])*w3 + z*q[4]'\n"
                          "let o4 = turn(q[4])*(o3 + cross(w3, [0.392, 0, 0]))\n"
                          "let w5 = turn(q[5])*transpose(tilt)*w4 + z*q[5]'\n"
                          "let o5 = turn(q[5])*transpose(tilt)*(o4 + cross(w4, [0, 0, 0.109]))\n"
                          "let w6 = turn(q[6])*tilt*w5 + z*q[6]'\n"
                          "let o6 = turn(q[6])*tilt*(o5 + cross(w5, [0, 0, 0.095]))\n"
                          "let c2 = cross(w2, [0.2125, 0, 0.11])\n"
                          "let c3 = o3 + cross(w3, [0.15, 0, 0.0265])\n"
                          "let c4 = o4 + cross(w4, [0, -0.0018, 0.0163])\n"
                          "let c5 = o5 + cross(w5, [0, 0.0018, 0.0163])\n"
                          "let c6 = o6 + cross(w6, [0, 0, -0.0012])\n"
                          "let spin(J, w) = (J[1]*w[1]^2 + J[2]*w[2]^2 + J[3]*w[3]^2)/2\n"
                          "kinetic 0.05*dot(q', q')\n"
                          "kinetic spin([0.0067, 0.0064, 0.0067], w1)\n"
                          "kinetic m[2]*dot(c2, c2)/2 + spin([0.0149, 0.3564, 0.3553], w2)\n"
                          "kinetic m[3]*dot(c3, c3)/2 + spin([0.0025, 0.0551, 0.0546], w3)\n"
                          "kinetic m[4]*dot(c4, c4)/2 + spin([0.0012, 0.0012, 0.0009], w4)\n"
                          "kinetic m[5]*dot(c5, c5)/2 + spin([0.0012, 0.0012, 0.0009], w5)\n"
                          "kinetic m[6]*dot(c6, c6)/2 + spin([0.0001, 0.0001, 0.0001], w6)\n"
                          "let up2 = sin(q[2]), up3 = sin(q[2] + q[3])\n"
                          "potential g*(m[2]*0.2125*up2 + m[3]*(0.425*up2 + 0.15*up3))\n"
                          "potential g*(m[4] + m[5] + m[6])*(0.425*up2 + 0.392*up3)\n"
                          "for i in 1..6 { force q[i]: torque[i] - 0.5*q[i]' }\n"
                          "start q[2] = -1, q[3] = 1.2, q[4] = 0.3, q[5] = 0.5\n";

/* Allocates as the library does by itself, and counts. */
static void *count_and_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    long *count = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    ++*count;
    return realloc(block, new_size);
}

/* Microseconds of the processor that this thread has had. */
static double processor_time(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Springs and dampers from where the joints are to where they should be. */
static void control(double t, const double *q, const double *v, double *torque)
{
    static const double stiff[AXES] = {200, 400, 200, 40, 40, 20},
                        home[AXES] = {0, -1, 1.2, 0.3, 0.5, 0};
    for (int i = 0; i < AXES; i++)
        torque[i] = stiff[i] * (home[i] + 0.3 * sin(t + i) - q[i]) - 0.1 * stiff[i] * v[i];
}

/* The loop by one method; times [TICKS] of its ticks. */
static zw_status run_loop(zw_model *model, zw_method method, double *times, const long *count)
{
    zw_run_settings settings;
    zw_sim *sim = NULL;
    int32_t handle = -1;
    zw_status status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_run_defaults(model, &settings);
    if (status == ZW_OK) status = zw_sim_input(sim, "torque", &handle);
    if (status == ZW_OK) {
        settings.method = method;
        settings.step = method == ZW_RK4 ? 1e-3 : (double)NAN;
        settings.until = 1e-3 * TICKS;
        status = zw_sim_start(sim, false);
    }
    if (status == ZW_OK) status = zw_sim_begin(sim, &settings);
    double t = 0.0, q[AXES] = {0}, v[AXES] = {0}, torque[AXES], off = 0.0;
    if (status == ZW_OK) status = zw_sim_state(sim, &t, q, v);
    long before = *count;
    for (int k = 0; status == ZW_OK && k < TICKS; k++) {
        zw_outcome outcome;
        double began = processor_time();
        control(t, q, v, torque);
        status = zw_sim_set_input(sim, handle, torque, AXES);
        if (status == ZW_OK) status = zw_sim_advance(sim, 1e-3 * (k + 1), &outcome);
        if (status == ZW_OK) status = zw_sim_state(sim, &t, q, v);
        times[k] = processor_time() - began;
    }
    off = fabs(q[1] + 1 - 0.3 * sin(t + 1));
    if (status == ZW_OK) {
        qsort(times, TICKS, sizeof *times, compare_times);
        printf("%-6s median %.2f us, 99.9 %% %.2f us, worst %.1f us of %d ticks, %ld allocations; "
               "axis 2 follows to %.2f\n",
               zw_method_name(method), times[TICKS / 2], times[TICKS - TICKS / 1000],
               times[TICKS - 1], TICKS, *count - before, off);
    }
    zw_sim_free(sim);
    return status;
}

int main(void)
{
    static double times[TICKS];
    long count = 0;
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_allocator allocator = {.resize = count_and_resize, .user = &count};
    zw_model_source source = {.file = "arm.zw", .text = arm, .length = strlen(arm)};
    zw_status status = zw_context_create(&allocator, &context);
    if (status == ZW_OK) status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = run_loop(model, ZW_RK4, times, &count);
    if (status == ZW_OK) status = run_loop(model, ZW_DOP853, times, &count);
    if (status != ZW_OK) {
        const zw_diagnostic *d = context ? zw_context_diagnostic(context, 0) : NULL;
        fprintf(stderr, "control_loop: %s\n", d ? d->sentence : zw_status_sentence(status));
    }
    zw_model_free(model);
    zw_context_free(context);
    return status == ZW_OK ? 0 : 1;
}
