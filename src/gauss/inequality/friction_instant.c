/*
 * One instant with friction: from full matrices to contact space (contact.h) and back. With the
 * equations eliminated, R the rows of inequalities and tangents,
 *
 *     z = z0 + D x,   D = M~^-1 R^T,   G = R D,   w = R z0 - b
 *     lambda = lambda0 + L x     of equations, for frictions that these press
 *
 * z0, lambda0 and the columns of D and L are accelerations and multipliers of the equations alone.
 * A motion that was found is solved for once more under its forces R^T x. All memory is taken for
 * the call.
 */
#include <math.h>
#include <string.h>

#include "contact.h"
#include "plan.h"
#include "raw_inequality.h"

typedef struct friction_task {
    zw_gauss *g, *equations;
    const zw_friction_problem *given;
    zb_arena arena;
    int32_t n, e, contacts, rows;     /* e: equations; rows: contacts, then tangents */
    double *f;                        /* [n] Q + C */
    double *z0;                       /* [n] */
    double *R, *right;                /* [rows * n], [rows] */
    double *D, *L;                    /* [rows * n] a column of D a row; [count * rows] */
    double *pressure0;                /* [count] */
    double *G, *w, *size, *whole, *W; /* [rows * rows], [rows] */
    double *x[2], *u, *share;         /* [rows] */
    double *direction;                /* [3 * count] */
    double *force, *z;                /* [n] */
    double *zeros, *lambda;           /* [e] */
    zg_contact *contact;              /* [contacts] */
    zg_friction *friction;            /* [count] */
    uint8_t *contact_mode, *friction_mode;
    bool *unique; /* [rows] */
} friction_task;

/* ------------------------------------------------------------------------ the rows */

static int32_t count_tangents(const zw_friction_problem *p)
{
    int32_t count = 0;
    for (int32_t k = 0; k < p->count; k++) count += p->frictions[k].width;
    return count;
}

static bool take_task(friction_task *t)
{
    size_t n = (size_t)t->n, e = (size_t)t->e, r = (size_t)t->rows, k = (size_t)t->given->count;
    const struct {
        double **at;
        size_t count;
    } all[] = {{&t->f, n},
               {&t->z0, n},
               {&t->R, zb_product(r, n)},
               {&t->right, r},
               {&t->D, zb_product(r, n)},
               {&t->L, zb_product(k, r)},
               {&t->pressure0, k},
               {&t->G, zb_product(r, r)},
               {&t->w, r},
               {&t->size, r},
               {&t->whole, r},
               {&t->W, r},
               {&t->x[0], r},
               {&t->x[1], r},
               {&t->u, r},
               {&t->share, r},
               {&t->direction, 3 * k},
               {&t->force, n},
               {&t->z, n},
               {&t->zeros, e},
               {&t->lambda, e}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i].at = ZB_NEW_ARRAY(&t->arena, double, all[i].count);
    t->contact = ZB_NEW_ARRAY(&t->arena, zg_contact, t->contacts);
    t->friction = ZB_NEW_ARRAY(&t->arena, zg_friction, k);
    t->contact_mode = ZB_NEW_ARRAY(&t->arena, uint8_t, t->contacts);
    t->friction_mode = ZB_NEW_ARRAY(&t->arena, uint8_t, k);
    t->unique = ZB_NEW_ARRAY(&t->arena, bool, r);
    return t->arena.failure == ZW_OK;
}

/* R and its right sides: inequalities, then the directions of the frictions, which weigh 1. */
static void collect_rows(friction_task *t)
{
    size_t n = (size_t)t->n, at = (size_t)t->contacts;
    zg_raw_rows(t->g, t->R, t->W);
    for (int32_t i = 0; i < t->contacts; i++) t->right[i] = t->given->b[t->e + i];
    for (int32_t k = 0; k < t->given->count; k++) {
        const zw_friction *f = &t->given->frictions[k];
        for (int32_t i = 0; i < f->width; i++, at++) {
            memcpy(t->R + at * n, f->T + (size_t)i * n, sizeof(double) * n);
            t->right[at] = f->b ? f->b[i] : 0.0;
            t->W[at] = 1.0;
        }
    }
}

/* ------------------------------------------------------------------- contact space */

/* z and, in t->lambda, the multipliers of the equations under a force; more of it in answer. */
static zw_status move_by_force(friction_task *t, const double *force, const double *b, double *z,
                               zw_gauss_answer *answer)
{
    zw_gauss_answer own = {0};
    if (!answer) answer = &own;
    answer->acceleration = z;
    answer->multipliers = t->lambda;
    return zg_solve(t->equations, force, b, NULL, answer);
}

static double dot_of(int32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

/* Column i of D, and of L for those frictions that equations press. */
static zw_status respond_to_row(friction_task *t, int32_t i)
{
    const double *row = t->R + (size_t)i * (size_t)t->n;
    double *d = t->D + (size_t)i * (size_t)t->n, *padded = t->equations->t;
    ZB_TRY(move_by_force(t, row, t->zeros, d, NULL));
    for (int32_t k = 0; k < t->given->count; k++)
        if (t->given->frictions[k].row < t->e)
            t->L[(size_t)k * (size_t)t->rows + (size_t)i] = t->lambda[t->given->frictions[k].row];
    memset(padded, 0, sizeof *padded * (size_t)t->equations->ldn);
    memcpy(padded, row, sizeof *padded * (size_t)t->n);
    zg_mass_lower(t->equations, padded);
    t->whole[i] = dot_of(t->n, padded, padded);
    return ZW_OK;
}

/* w, and how large the terms are that it is the sum of. */
static void measure_free_motion(friction_task *t, const double *free)
{
    for (int32_t i = 0; i < t->rows; i++) {
        const double *row = t->R + (size_t)i * (size_t)t->n;
        double sum = -t->right[i], terms = fabs(t->right[i]);
        for (int32_t j = 0; j < t->n; j++) {
            sum += row[j] * t->z0[j];
            terms += fabs(row[j] * t->z0[j]) + fabs(row[j] * free[j]);
        }
        t->w[i] = sum;
        t->size[i] = terms;
    }
}

static zw_status enter_contact_space(friction_task *t)
{
    zw_gauss_answer answer = {.free_acceleration = t->z};
    ZB_TRY(move_by_force(t, t->f, t->given->b, t->z0, &answer));
    if (answer.mass_singular) memcpy(t->z, t->z0, sizeof *t->z * (size_t)t->n);
    measure_free_motion(t, t->z);
    for (int32_t k = 0; k < t->given->count; k++) {
        int32_t row = t->given->frictions[k].row;
        t->pressure0[k] = row < t->e ? t->lambda[row] : 0.0;
    }
    for (int32_t i = 0; i < t->rows; i++) ZB_TRY(respond_to_row(t, i));
    for (int32_t i = 0; i < t->rows; i++) {
        for (int32_t j = 0; j <= i; j++) {
            const double *a = t->R + (size_t)i * (size_t)t->n, *b = t->R + (size_t)j * (size_t)t->n;
            double x = dot_of(t->n, a, t->D + (size_t)j * (size_t)t->n);
            double y = dot_of(t->n, b, t->D + (size_t)i * (size_t)t->n);
            t->G[i * t->rows + j] = t->G[j * t->rows + i] = 0.5 * (x + y);
        }
    }
    return ZW_OK;
}

/* Who presses whom. */
static void describe_contacts(friction_task *t)
{
    int32_t at = t->contacts;
    for (int32_t i = 0; i < t->contacts; i++) t->contact[i] = (zg_contact){.normal = i};
    for (int32_t k = 0; k < t->given->count; k++) {
        const zw_friction *f = &t->given->frictions[k];
        zg_friction *to = &t->friction[k];
        *to = (zg_friction){.first = at,
                            .width = f->width,
                            .mu = f->mu,
                            .mu_static = fmax(f->mu_static, f->mu),
                            .contact = f->row < t->e ? -1 : f->row - t->e,
                            .joint_first = k,
                            .joints = f->row < t->e ? 1 : 0};
        for (int32_t i = 0; i < f->width && f->slip; i++) to->slip[i] = f->slip[i];
        at += f->width;
    }
}

/* ------------------------------------------------------------------------- answers */

static zw_friction_state find_state(const friction_task *t, int32_t k)
{
    const zg_friction *f = &t->friction[k];
    if (t->friction_mode[k] == ZG_STICK) return ZW_FRICTION_STICKS;
    if (t->friction_mode[k] == ZG_SLIDE) return ZW_FRICTION_SLIDES;
    bool presses = f->contact >= 0 ? t->x[0][f->contact] > 0.0 : f->mu == 0.0;
    return presses ? ZW_FRICTION_NONE : ZW_FRICTION_IDLE;
}

/* The motion under the forces x [rows], as the k-th of the answer. */
static zw_status write_motion(friction_task *t, const double *x, int32_t k, zw_friction_answer *a)
{
    memcpy(t->force, t->f, sizeof *t->f * (size_t)t->n);
    for (int32_t i = 0; i < t->rows; i++)
        for (int32_t j = 0; j < t->n; j++)
            t->force[j] += t->R[(size_t)i * (size_t)t->n + (size_t)j] * x[i];
    ZB_TRY(move_by_force(t, t->force, t->given->b, t->z, NULL));
    if (a->acceleration[k]) memcpy(a->acceleration[k], t->z, sizeof *t->z * (size_t)t->n);
    for (int32_t i = 0; i < t->e && a->multipliers[k]; i++) a->multipliers[k][i] = t->lambda[i];
    for (int32_t i = 0; i < t->contacts && a->multipliers[k]; i++)
        a->multipliers[k][t->e + i] = x[i];
    for (int32_t i = t->contacts; i < t->rows && a->friction[k]; i++)
        a->friction[k][i - t->contacts] = x[i];
    return ZW_OK;
}

/* Multipliers of equations are unique where these are independent. */
static void write_unique(const friction_task *t, const zw_gauss *equations, zw_friction_answer *a)
{
    bool independent = equations->road == ZG_SCHUR || equations->cod.rank == t->e;
    for (int32_t i = 0; i < t->e && a->unique; i++) a->unique[i] = independent;
    for (int32_t i = 0; i < t->contacts && a->unique; i++) a->unique[t->e + i] = t->unique[i];
}

static zw_status write_outcome(friction_task *t, zg_contact_space *space, const zg_instant *instant,
                               const zg_search *search, zg_outcome outcome, const zg_found *found,
                               zw_friction_answer *a)
{
    a->solutions = outcome == ZG_FOUND ? 1 : outcome == ZG_SEVERAL ? 2 : 0;
    a->certified = outcome == ZG_SEVERAL || found->certified;
    a->row = outcome == ZG_FOUND || found->contact < 0 ? -1 : t->e + found->contact;
    a->pivot = found->contact_pivot;
    a->free_acceleration = found->free_acceleration;
    const zg_certificate *c = &found->certificate;
    a->certificate = a->solutions > 0 ? fmax(c->primal, fmax(c->dual, c->complementarity)) : 0.0;
    for (int32_t k = 0; k < t->given->count && a->solutions > 0 && a->state; k++)
        a->state[k] = find_state(t, k);
    if (outcome == ZG_FOUND) {
        bool shared = zg_shares(space, instant, &found->mode, &search->tolerance, t->x[0], t->share,
                                t->unique);
        write_unique(t, t->equations, a);
        return write_motion(t, shared ? t->share : t->x[0], 0, a);
    }
    for (int32_t k = 0; k < a->solutions; k++) ZB_TRY(write_motion(t, t->x[k], k, a));
    return ZW_OK;
}

/* That nothing was found proves nothing where too many modes would have to be tried. */
static zw_status solve_instant(friction_task *t, zw_friction_answer *a)
{
    zg_contact_space *space = NULL;
    const zg_contact_limits limits = {t->rows, t->contacts, t->given->count, t->given->count, NULL};
    const zg_instant instant = {.rows = t->rows,
                                .contacts = t->contacts,
                                .frictions = t->given->count,
                                .joints = t->given->count,
                                .G = t->G,
                                .w = t->w,
                                .size = t->size,
                                .whole = t->whole,
                                .W = t->W,
                                .contact = t->contact,
                                .friction = t->friction,
                                .L = t->L,
                                .lambda0 = t->pressure0};
    const zg_search search = {.tolerance = {1e-11, 1e-10, 1e-6}, .count = true};
    zg_found found = {.mode = {.contact = t->contact_mode,
                               .friction = t->friction_mode,
                               .direction = t->direction},
                      .x = t->x[0],
                      .u = t->u,
                      .other = t->x[1]};
    ZB_TRY(zg_contact_space_plan(t->g->memory, &limits, &space));
    zg_outcome outcome = zg_find_mode(space, &instant, &search, &found);
    zw_status status = ZW_OK;
    if (outcome == ZG_CONFLICT)
        status = ZW_ERR_CONFLICT;
    else if (outcome == ZG_UNDECIDED)
        status = ZW_ERR_ACCURACY;
    else
        status = write_outcome(t, space, &instant, &search, outcome, &found, a);
    zg_contact_space_free(space);
    return status;
}

/* ---------------------------------------------------------------------------- the call */

static zw_status check_numbers(const friction_task *t)
{
    zw_gauss *g = t->equations;
    ZB_TRY(zg_finite(g, 'Q', t->given->Q, t->n));
    ZB_TRY(zg_finite(g, 'b', t->given->b, t->e + t->contacts));
    ZB_TRY(zg_finite(g, 'C', t->given->C, t->n));
    for (int32_t k = 0; k < t->given->count; k++) {
        const zw_friction *f = &t->given->frictions[k];
        ZB_TRY(zg_finite(g, 'T', f->T, f->width * t->n));
        ZB_TRY(zg_finite(g, 'b', f->b, f->width));
        ZB_TRY(zg_finite(g, 's', f->slip, f->width));
    }
    return ZW_OK;
}

static zw_status run_task(friction_task *t, zw_friction_answer *a)
{
    if (!take_task(t)) return t->arena.failure;
    for (int32_t j = 0; j < t->n; j++)
        t->f[j] = t->given->Q[j] + (t->given->C ? t->given->C[j] : 0.0);
    collect_rows(t);
    ZB_TRY(enter_contact_space(t));
    describe_contacts(t);
    return solve_instant(t, a);
}

zw_status zg_raw_friction(zw_gauss *g, const zw_friction_problem *problem,
                          zw_friction_answer *answer)
{
    friction_task t = {.g = g, .given = problem, .n = g->n};
    ZB_TRY(zg_raw_equations(g, &t.equations));
    t.contacts = g->shape.inequalities;
    t.e = g->shape.m - t.contacts;
    t.rows = t.contacts + count_tangents(problem);
    ZB_TRY(check_numbers(&t));
    zb_arena_init(&t.arena, g->memory, 0);
    zw_status status = run_task(&t, answer);
    zb_arena_clear(&t.arena);
    if (status != ZW_OK && t.equations->failure.status != status)
        t.equations->failure = (zg_failure){.status = status};
    return status;
}
