/*
 * A model in a control loop: an inverted pendulum on a cart, held upright by a force on the cart.
 * A thousand times a second the controller measures, sets the force, and the plant moves on by the
 * acceleration that the model gives.
 *
 *     cc cart_pendulum.c $(pkg-config --cflags --libs zwang) -lm
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <zwang.h>

static const char text[] = "param M = 1, m = 0.1, l = 0.5, g = 9.81, u = 0\n"
                           "coord x, p[2]\n"
                           "kinetic M/2*x'^2 + m/2*dot(p', p')\n"
                           "potential m*g*p[2]\n"
                           "force x: u\n"
                           "constraint rod: (p[1] - x)^2 + p[2]^2 = l^2\n"
                           "start p = [0.1, 0.49]\n";

/* State feedback: tilt, its rate, place of the cart, its velocity. */
static double controller(const double *q, const double *v)
{
    double along = q[1] - q[0], up = q[2], rate = v[1] - v[0];
    double tilt = atan2(along, up);
    double turning = (up * rate - along * v[2]) / (along * along + up * up);
    return 60 * tilt + 13.4 * turning + 10 * q[0] + 10.5 * v[0];
}

/* One millisecond of the plant, and back onto the rod. */
static zw_status tick(zw_sim *sim, double t, double *q, double *v)
{
    const double dt = 1e-3;
    double z[3];
    zw_status status = zw_sim_acceleration(sim, t, q, v, z);
    for (int i = 0; i < 3; i++) {
        v[i] += dt * z[i];
        q[i] += dt * v[i];
    }
    if (status == ZW_OK) status = zw_sim_set_state(sim, t + dt, q, v);
    if (status == ZW_OK) status = zw_sim_project(sim);
    if (status == ZW_OK) status = zw_sim_state(sim, NULL, q, v);
    return status;
}

int main(void)
{
    zw_model_source source = {.file = "cart", .text = text, .length = strlen(text)};
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    double q[3] = {0}, v[3] = {0};

    zw_status status = zw_context_create(NULL, &context);
    if (status == ZW_OK) status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, false);
    if (status == ZW_OK) status = zw_sim_state(sim, NULL, q, v);
    for (int k = 0; status == ZW_OK && k <= 5000; k++) {
        char setting[50];
        double u = controller(q, v);
        snprintf(setting, sizeof setting, "u = %.9f", u);
        status = zw_sim_set_parameters(sim, setting);
        if (k % 1000 == 0)
            printf("t = %d s: cart at %7.4f m, tilt %7.4f rad, force %8.4f N\n", k / 1000, q[0],
                   atan2(q[1] - q[0], q[2]), u);
        if (status == ZW_OK) status = tick(sim, 1e-3 * k, q, v);
    }
    if (status != ZW_OK) fprintf(stderr, "cart_pendulum: %s\n", zw_status_sentence(status));
    bool upright = status == ZW_OK && fabs(atan2(q[1] - q[0], q[2])) < 1e-3;
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    return upright ? 0 : 1;
}
