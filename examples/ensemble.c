/*
 * A thousand double pendulums, each with its own masses and its own start, run at once: how many of
 * them have turned over within ten seconds, by the angle they were let go at? The members move side
 * by side in the lanes of the processor and in all its threads; each ends with the bits that it
 * would have alone.
 *
 *     cc ensemble.c $(pkg-config --cflags --libs zwang) -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zwang.h>

static const char text[] = "param m = [1, 1], g = 9.81\n"
                           "coord a, b\n"
                           "let p = [sin(a), -cos(a)]\n"
                           "let q = p + [sin(b), -cos(b)]\n"
                           "kinetic m[1]/2*dot(p', p') + m[2]/2*dot(q', q')\n"
                           "potential g*(m[1]*p[2] + m[2]*q[2])\n"
                           "simulate t = 0..10, tol = 1e-9\n";

enum { members = 1000, groups = 10, times = 200 };

static const char *const names[] = {"m[1]", "m[2]"};
static double state[members][4]; /* a, b, a', b' */
static double masses[members][2];
static double moments[times];
static double samples[members][times][4];
static zw_member results[members];

/* Numbers in [0, 1) that are the same everywhere. */
static double random_number(void)
{
    static unsigned long long bits = 1;
    bits = bits * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(bits >> 11) * 0x1p-53;
}

/* Group k is let go at 18 (k + 1) degrees, upper arm and lower arm alike. */
static void prepare(void)
{
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < members; i++) {
        double angle = pi * (1 + i * groups / members) / groups;
        state[i][0] = angle - 0.1 * random_number();
        state[i][1] = angle - 0.1 * random_number();
        for (int k = 0; k < 2; k++) masses[i][k] = 0.5 + random_number();
    }
    for (int k = 0; k < times; k++) moments[k] = 10.0 * (k + 1) / times;
}

static bool turned_over(int i)
{
    for (int k = 0; k < times; k++)
        for (int arm = 0; arm < 2; arm++)
            if (fabs(samples[i][k][arm]) > 3.14159265358979323846) return true;
    return false;
}

static zw_status run(zw_context *context)
{
    zw_model_source source = {.file = "pendulums", .text = text, .length = strlen(text)};
    zw_model *model = NULL;
    zw_run_settings settings = {0};
    zw_ensemble ensemble = {.count = members,
                            .state = state[0],
                            .names = names,
                            .name_count = 2,
                            .values = masses[0],
                            .times = moments,
                            .time_count = times,
                            .samples = samples[0][0],
                            .members = results};
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_run_defaults(model, &settings);
    if (status == ZW_OK) status = zw_ensemble_run(model, &settings, &ensemble);
    zw_model_free(model);
    return status;
}

int main(void)
{
    zw_context *context = NULL;
    zw_status status = zw_context_create(NULL, &context);
    int failed = 0, over[groups] = {0};
    prepare();
    if (status == ZW_OK) status = run(context);
    zw_context_free(context);
    if (status != ZW_OK) {
        fprintf(stderr, "%s\n", zw_status_sentence(status));
        return 1;
    }
    for (int i = 0; i < members; i++) {
        if (results[i].status != ZW_OK) failed++;
        if (turned_over(i)) over[i * groups / members]++;
    }
    for (int k = 0; k < groups; k++)
        printf("let go at %3d degrees: %3d of %d turn over\n", 18 * (k + 1), over[k],
               members / groups);
    return failed == 0 ? 0 : 1;
}
