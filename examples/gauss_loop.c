/*
 * One constrained acceleration per tick of a control loop: a pendulum of 1 kg on a rod of 1 m,
 * in Cartesian coordinates, for one second. All memory is taken before the loop.
 *
 *     cc gauss_loop.c $(pkg-config --cflags --libs zwang) -lm
 */
#include <math.h>
#include <stdio.h>

#include <zwang.h>

int main(void)
{
    const double mass[2] = {1.0, 1.0}, gravity[2] = {0.0, -9.81}, dt = 1e-4;
    double r[2] = {1.0, 0.0}, v[2] = {0.0, 0.0}, a[2], tension[2];
    zw_context *context = NULL;
    zw_gauss *g = NULL;
    zw_gauss_shape shape = {.n = 2, .m = 1, .mass = ZW_DIAGONAL};
    zw_gauss_answer answer = {.acceleration = a, .force_ideal = tension};

    zw_status status = zw_context_create(NULL, &context);
    if (status == ZW_OK) status = zw_gauss_plan(context, &shape, &g);
    for (int tick = 0; status == ZW_OK && tick < 10000; tick++) {
        /* x^2 + y^2 = 1, differentiated twice: x x'' + y y'' = -(x'^2 + y'^2) */
        const double A[2] = {r[0], r[1]}, b[1] = {-(v[0] * v[0] + v[1] * v[1])};
        status = zw_gauss_factor(g, mass, A, NULL);
        if (status == ZW_OK) status = zw_gauss_solve(g, gravity, b, NULL, &answer);
        for (int i = 0; i < 2; i++) {
            v[i] += dt * a[i];
            r[i] += dt * v[i];
        }
    }
    if (status == ZW_OK)
        printf("after 1 s: x = %.3f, y = %.3f, tension %.2f N, certificate %.0e\n", r[0], r[1],
               hypot(tension[0], tension[1]), answer.certificate);
    else
        fprintf(stderr, "gauss_loop: %s\n", zw_status_sentence(status));
    zw_gauss_free(g);
    zw_context_free(context);
    return status == ZW_OK ? 0 : 1;
}
