/*
 * contact_problems.c: instants for the tests.
 */
#include "contact_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void problem_begin(problem *p, int32_t rows)
{
    memset(p, 0, sizeof *p);
    p->instant = (zg_instant){.rows = rows,
                              .G = p->G,
                              .w = p->w,
                              .contact = p->contact,
                              .friction = p->friction,
                              .L = p->L,
                              .lambda0 = p->lambda0};
}

void problem_rows(problem *p, int32_t n, const double *M, const double *R, const double *z,
                  const double *b)
{
    int32_t r = p->instant.rows;
    for (int32_t i = 0; i < r; i++) {
        for (int32_t j = 0; j < r; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++) sum += R[i * n + k] * R[j * n + k] / M[k];
            p->G[i * r + j] = sum;
        }
        p->w[i] = b ? -b[i] : 0.0;
        for (int32_t k = 0; k < n; k++) p->w[i] += R[i * n + k] * z[k];
    }
}

int32_t problem_contact(problem *p, int32_t normal, double restitution)
{
    p->contact[p->instant.contacts] = (zg_contact){.normal = normal, .restitution = restitution};
    return p->instant.contacts++;
}

int32_t problem_friction(problem *p, int32_t first, int32_t width, double mu, int32_t contact)
{
    p->friction[p->instant.frictions] = (zg_friction){
        .first = first, .width = width, .mu = mu, .mu_static = mu, .contact = contact};
    return p->instant.frictions++;
}

zg_contact_space *problem_space(zb_memory *memory)
{
    zg_contact_limits limits = {MOST_ROWS, MOST_CONTACTS, MOST_FRICTIONS, MOST_JOINTS, NULL};
    zg_contact_space *space = NULL;
    if (zg_contact_space_plan(memory, &limits, &space) != ZW_OK) {
        fputs("no memory\n", stderr);
        exit(2);
    }
    return space;
}

void answers_begin(answers *a)
{
    memset(a, 0, sizeof *a);
    zg_mode mode = {.contact = a->contact, .friction = a->friction, .direction = a->direction};
    a->found = (zg_found){
        .mode = mode, .x = a->x, .u = a->u, .lambda = a->lambda, .row = a->row, .other = a->other};
    a->forces = (zg_forces){.x = a->x, .u = a->u, .lambda = a->lambda, .row = a->row};
    a->impact = (zg_impact){.P = a->x, .u = a->u, .lambda = a->lambda};
}

/* ---------------------------------------------------------------------------- laws */

static double length(const double *x, int32_t width)
{
    double sum = 0.0;
    for (int32_t j = 0; j < width; j++) sum += x[j] * x[j];
    return sqrt(sum);
}

static double friction_violation(const problem *p, const zg_mode *mode, int32_t n, const double *x,
                                 const double *u)
{
    const zg_friction *f = &p->friction[n];
    const double *t = x + f->first, *a = u + f->first, *d = mode->direction + 3 * n;
    double N = f->contact >= 0 ? x[p->contact[f->contact].normal] : 0.0, worst = 0.0, forward = 0.0;
    double limit = f->mu_static > f->mu ? f->mu_static : f->mu;
    if (mode->friction[n] == ZG_IDLE) return length(t, f->width);
    if (mode->friction[n] == ZG_STICK)
        return fmax(length(a, f->width), length(t, f->width) - limit * N);
    for (int32_t j = 0; j < f->width; j++) {
        worst = fmax(worst, fabs(t[j] + f->mu * N * d[j]));
        forward += a[j] * d[j];
    }
    worst = fmax(worst, fabs(length(d, f->width) - 1.0));
    if (length(f->slip, f->width) > 0.0) {
        for (int32_t j = 0; j < f->width; j++)
            worst = fmax(worst, fabs(d[j] - f->slip[j] / length(f->slip, f->width)));
        return worst;
    }
    for (int32_t j = 0; j < f->width; j++)
        worst = fmax(worst, fabs(a[j] - fmax(forward, 0.0) * d[j]));
    return worst;
}

double law_violation(const problem *p, const zg_mode *mode, const double *x, const double *u,
                     double size)
{
    const zg_instant *q = &p->instant;
    double worst = 0.0;
    for (int32_t i = 0; i < q->rows; i++) {
        double sum = q->w[i] - u[i];
        for (int32_t j = 0; j < q->rows; j++) sum += q->G[i * q->rows + j] * x[j];
        worst = fmax(worst, fabs(sum));
    }
    for (int32_t i = 0; i < q->contacts; i++) {
        double N = x[p->contact[i].normal], a = u[p->contact[i].normal];
        worst = fmax(worst, fmax(-N, -a));
        worst = fmax(worst, mode->contact[i] == ZG_OPEN ? fabs(N) : fabs(a));
    }
    for (int32_t n = 0; n < q->frictions; n++)
        if (q->friction[n].contact >= 0) worst = fmax(worst, friction_violation(p, mode, n, x, u));
    return worst / size;
}
