/*
 * Inertias that no body has (W0617). With the second moments P = ∫ x x^T dm of a body its inertia is
 * J = tr(P) - P, and P = tr(J)/2 - J has no negative eigenvalue: none of the principal moments of J
 * is larger than the sum of the other two. The principle does not mind, and the motion is the right
 * one for the numbers; but they are not those of a body, and that is said.
 *
 * J is read from the mass matrix at the start, whatever parameters it came from. A body of the module
 * `rigid` has a quaternion q and the angular velocity 2 E(q) q' in its own axes, so that
 *
 *     M_qq = 4 E^T J E + 4/3 tr(J) q q^T,     J = 1/4 E M_qq E^T,     E E^T = 1, E q = 0
 *
 * What does not have this form is another sort of body, about which nothing is known here.
 */
#include <math.h>
#include <string.h>

#include "start.h"

static const double rounding = 1e-6; /* of moments: a plate has just the sum */

/* M of the four coordinates from `first` on, into M. */
static void read_block(const zw_sim *sim, int32_t first, double M[4][4])
{
    const zr_pattern *p = &sim->model->M;
    memset(M, 0, sizeof(double[4][4]));
    for (int32_t i = 0; i < 4; i++)
        for (int32_t k = p->start[first + i]; k < p->start[first + i + 1]; k++) {
            int32_t j = p->column[k] - first;
            if (j >= 0 && j < 4) M[i][j] = M[j][i] = sim->M[k];
        }
}

/* E of a quaternion: as in the module. */
static void build_rates(const double *q, double E[3][4])
{
    const double rates[3][4] = {
        {-q[1], q[0], q[3], -q[2]}, {-q[2], -q[3], q[0], q[1]}, {-q[3], q[2], -q[1], q[0]}};
    memcpy(E, rates, sizeof rates);
}

/* J = 1/4 E M E^T, of a quaternion of unit length. */
static void project_inertia(const double M[4][4], const double E[3][4], double J[3][3])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            J[a][b] = 0.0;
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) J[a][b] += 0.25 * E[a][i] * M[i][j] * E[b][j];
        }
}

/* Is M that of a body of the module with this J? */
static bool is_of_module(const double M[4][4], const double E[3][4], const double *q,
                         const double J[3][3])
{
    double trace = J[0][0] + J[1][1] + J[2][2], off = 0.0, size = 0.0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double sum = 4.0 / 3.0 * trace * q[i] * q[j];
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) sum += 4.0 * E[a][i] * J[a][b] * E[b][j];
            off = fmax(off, fabs(M[i][j] - sum));
            size = fmax(size, fabs(M[i][j]));
        }
    return off <= 1e-9 * size;
}

/* One of Jacobi's rotations: J_ab becomes 0. */
static void rotate_moments(double J[3][3], int a, int b)
{
    if (J[a][b] == 0.0) return;
    int c = 3 - a - b;
    double theta = (J[b][b] - J[a][a]) / (2.0 * J[a][b]);
    double tangent = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
    double cosine = 1.0 / hypot(tangent, 1.0), sine = tangent * cosine;
    double ac = J[a][c], bc = J[b][c], by = tangent * J[a][b];
    J[a][a] -= by;
    J[b][b] += by;
    J[a][b] = J[b][a] = 0.0;
    J[a][c] = J[c][a] = cosine * ac - sine * bc;
    J[b][c] = J[c][b] = sine * ac + cosine * bc;
}

/* The principal moments of J, which is destroyed, the largest last. */
static void find_moments(double J[3][3], double *moment)
{
    for (int sweep = 0; sweep < 12; sweep++) {
        rotate_moments(J, 0, 1);
        rotate_moments(J, 0, 2);
        rotate_moments(J, 1, 2);
    }
    int largest = J[0][0] > J[1][1] ? 0 : 1;
    if (J[2][2] > J[largest][largest]) largest = 2;
    moment[0] = J[(largest + 1) % 3][(largest + 1) % 3];
    moment[1] = J[(largest + 2) % 3][(largest + 2) % 3];
    moment[2] = J[largest][largest];
}

/* Are coordinates the quaternion of a body with an inertia that no body has? Then its moments. */
static bool is_impossible(const zw_sim *sim, const zm_block *block, double *moment)
{
    const zm_model *zm = sim->zm;
    if (block->rows != 4 || block->columns != 0 || block->label.scope < 0) return false;
    zl_name component = zm->parts[block->label.scope].component;
    if (strcmp(zl_name_text(&zm->unit, component), "Body") != 0) return false;
    const double *q = sim->q + block->first;
    double M[4][4], E[3][4], J[3][3];
    read_block(sim, block->first, M);
    build_rates(q, E);
    project_inertia(M, E, J);
    if (!is_of_module(M, E, q, J)) return false;
    find_moments(J, moment);
    return moment[2] > (moment[0] + moment[1]) * (1.0 + rounding);
}

/* W0617, of the first of `count`. */
static zw_status warn_inertia(zw_sim *sim, int32_t part, const double *moment, int32_t count)
{
    const zm_part *p = &sim->zm->parts[part];
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "no body has the inertia of `");
    zm_label_text(sim->zm, &p->label, &text);
    zb_text_add(&text, "`: its principal moment ");
    zr_text_short(&text, moment[2]);
    zb_text_add(&text, " is larger than the sum of the other two, ");
    zr_text_short(&text, fmin(moment[0], moment[1]));
    zb_text_add(&text, " and ");
    zr_text_short(&text, fmax(moment[0], moment[1]));
    if (count > 1)
        zb_text_printf(&text, "; %d more %s like that", (int)(count - 1), count > 2 ? "are" : "is");
    zr_message message = {.code = "W0617",
                          .place = p->place,
                          .help = "the motion is right for these numbers: look at J, about the "
                                  "centre of mass and in body axes"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* After the mass matrix at the start. */
zw_status zr_warn_inertias(zw_sim *sim)
{
    const zm_model *zm = sim->zm;
    double moment[3], first[3] = {0.0};
    int32_t count = 0, part = -1;
    for (int32_t k = 0; k < zm->coordinate_blocks; k++) {
        if (!is_impossible(sim, &zm->coordinates[k], moment)) continue;
        if (count++ > 0) continue;
        part = zm->coordinates[k].label.scope;
        memcpy(first, moment, sizeof first);
    }
    return count > 0 ? warn_inertia(sim, part, first, count) : ZW_OK;
}
