/*
 * Impacts. The laws of an instant with impulses P in place of forces and velocities u after in place
 * of accelerations serve for every phase; everything is at rest in it, for the slip after the
 * phase says where friction acts (THEORY, "Impacts").
 *
 *     Poisson   compression   0 <= C,  0 <= u_n = (G C + u-)_n, one of them 0; Coulomb
 *               expansion     P_n = e C_n + x with the same laws for x, friction limited by mu (e C_n + x)
 *                             and not below e_t C_t on that side
 *     Newton    0 <= P_n,  0 <= u_n+ + e min(0, u_n-),  one of them 0; Coulomb against u_t+ + e_t u_t-
 *
 * Work of the impulses: E = sum P (u- + u+) / 2. Where it is positive beyond 1e-12 of the energy, all
 * restitutions of the island are multiplied by the largest kappa for which it is not, found by bisection:
 * kappa = 0 never gains. The same where Newton's law asks for what walls that face each other cannot both have.
 *
 * Rounds: those that approach, and all with e = 0, until none approaches. Together: all that touch, once.
 */
#include <math.h>
#include <string.h>

#include "contact_island.h"
#include "impact_back.h"
#include "mode_search.h"

enum { usual_rounds = 1000, bisections = 50 };

typedef struct crash {
    zg_contact_space *space;
    zg_instant instant; /* w: velocities before the round */
    const zg_impact_task *task;
    zg_impact *impact;
    bool plastic; /* the last impact of all */
    /* [r] of the island */
    double *before, *C, *velocity, *P; /* u-, compression, u after it, impulses */
} crash;

/* ------------------------------------------------------------------- restitutions */

/* The speed that a contact of the island is thrown back with is e times that of its approach or, by
 * Poisson's law, of what its compression would move it by: a contact at rest that is struck throws back, too. */
static double restitution_of(const crash *a, int32_t i)
{
    const zg_island *c = &a->space->island;
    const zg_contact *own = &a->instant.contact[c->contact_of[i]];
    int32_t row = c->contact[i].normal;
    double speed = -a->before[row];
    if (a->plastic) return 0.0;
    if (a->task->law == ZG_POISSON)
        speed = fmax(speed, c->G[(size_t)row * (size_t)(c->r + 1)] * a->C[row]);
    if (a->task->plastic &&
        own->restitution * speed <= a->task->plastic[c->contact_of[i]] * c->D[row])
        return 0.0;
    return own->restitution;
}

static double tangential_of(const crash *a, int32_t friction)
{
    return a->plastic ? 0.0 : a->instant.friction[friction].tangential;
}

static bool is_elastic(const crash *a)
{
    const zg_island *c = &a->space->island;
    for (int32_t i = 0; i < c->contacts; i++)
        if (restitution_of(a, i) > 0.0) return true;
    for (int32_t n = 0; n < c->frictions; n++)
        if (tangential_of(a, c->friction_of[n]) > 0.0) return true;
    return false;
}

/* ------------------------------------------------------------------------- phases */

/* One phase on the island as it stands; forces in space->best->x. */
static zg_outcome phase(crash *a)
{
    zg_hunt h = zg_begin_hunt(a->space);
    zg_search search = {.tolerance = a->task->tolerance};
    zg_found found = {.bound = 0.0};
    return zg_hunt_island(&h, &search, &found);
}

/* u = G x + w on the island. */
static void velocities(const zg_island *c, const double *x, const double *w, double *u)
{
    for (int32_t i = 0; i < c->r; i++) {
        double sum = w[i];
        for (int32_t j = 0; j < c->r; j++) sum += c->G[(size_t)i * (size_t)c->r + (size_t)j] * x[j];
        u[i] = sum;
    }
}

/* C and the velocities after it. */
static zg_outcome compress(crash *a)
{
    zg_island *c = &a->space->island;
    zg_outcome outcome = phase(a);
    memcpy(a->C, a->space->best.x, sizeof *a->C * (size_t)c->r);
    velocities(c, a->C, a->before, a->velocity);
    return outcome;
}

/* In space the edge of the disc and the chord together may be the only place: then nothing is given back. */
static bool forget_back(zg_island *c)
{
    bool any = false;
    for (int32_t n = 0; n < c->frictions; n++) {
        any |= c->friction[n].gives_back;
        c->friction[n].gives_back = false;
    }
    return any;
}

/* P = C and the expansion after it. */
static zg_outcome expand(crash *a, double kappa)
{
    zg_island *c = &a->space->island;
    double *P = a->P;
    memset(P, 0, sizeof *P * (size_t)c->r);
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        c->contact[i].offset = kappa * restitution_of(a, i) * fmax(a->C[row], 0.0);
        P[row] = c->contact[i].offset;
    }
    for (int32_t n = 0; n < c->frictions; n++)
        zg_keep_back(c, n, kappa * tangential_of(a, c->friction_of[n]), a->C);
    velocities(c, P, a->velocity, c->w);
    for (int32_t i = 0; i < c->joints; i++) {
        c->lambda0[i] = 0.0;
        for (int32_t j = 0; j < c->r; j++)
            c->lambda0[i] += c->L[(size_t)i * (size_t)c->r + (size_t)j] * P[j];
    }
    zg_outcome outcome = phase(a);
    if (outcome != ZG_FOUND && forget_back(c)) outcome = phase(a);
    for (int32_t i = 0; i < c->r; i++) P[i] += a->C[i] + a->space->best.x[i];
    return outcome;
}

static zg_outcome by_newton(crash *a, double kappa)
{
    zg_island *c = &a->space->island;
    memcpy(c->w, a->before, sizeof *c->w * (size_t)c->r);
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        c->w[row] += kappa * restitution_of(a, i) * fmin(a->before[row], 0.0);
    }
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        double part = kappa * tangential_of(a, c->friction_of[n]);
        for (int32_t j = f->first; j < f->first + f->width; j++) c->w[j] += part * a->before[j];
    }
    zg_outcome outcome = phase(a);
    memcpy(a->P, a->space->best.x, sizeof *a->P * (size_t)c->r);
    return outcome;
}

/* ------------------------------------------------------------------------- energy */

/* P of an island with all restitutions times kappa, and its work. */
static zg_outcome strike(crash *a, double kappa, double *work)
{
    const zg_island *c = &a->space->island;
    double *u = a->space->trial.u;
    zg_outcome outcome = ZG_FOUND;
    if (a->task->law == ZG_NEWTON)
        outcome = by_newton(a, kappa);
    else if (kappa > 0.0)
        outcome = expand(a, kappa);
    else
        memcpy(a->P, a->C, sizeof *a->P * (size_t)c->r);
    velocities(c, a->P, a->before, u);
    *work = 0.0;
    for (int32_t i = 0; i < c->r; i++) *work += 0.5 * a->P[i] * (a->before[i] + u[i]);
    return outcome;
}

/* The largest kappa without a gain. */
static zg_outcome guard(crash *a, double gain, double *work)
{
    zg_impact *to = a->impact;
    double good = 0.0, bad = 1.0, most = 1e-12 * a->task->energy;
    for (int32_t i = 0; i < bisections; i++) {
        double kappa = 0.5 * (good + bad);
        zg_outcome outcome = strike(a, kappa, work);
        if (outcome == ZG_FOUND && *work <= most)
            good = kappa;
        else
            bad = kappa;
    }
    to->guarded++;
    to->guard = fmin(to->guard, good);
    to->gain = fmax(to->gain, gain);
    return strike(a, good, work);
}

/* Tangents along what compression gave them, where anything is given back. */
static void turn_tangents(crash *a)
{
    zg_island *c = &a->space->island;
    double *const x[] = {a->before, a->velocity, a->C};
    for (int32_t n = 0; n < c->frictions; n++)
        a->space->wants[n] = tangential_of(a, c->friction_of[n]) > 0.0;
    zg_turn_tangents(c, a->space->wants, a->C, a->space->frame, x, 3);
}

/* Impulses of the island that is gathered, added to a->impact->P. */
static zg_outcome strike_island(crash *a)
{
    zg_island *c = &a->space->island;
    double work = 0.0;
    zg_outcome outcome = ZG_FOUND;
    for (int32_t n = 0; n < c->frictions; n++) {
        c->friction[n].slips = false;
        c->friction[n].mu_static = c->friction[n].mu;
    }
    memset(c->lambda0, 0, sizeof *c->lambda0 * (size_t)c->joints);
    memcpy(a->before, c->w, sizeof *a->before * (size_t)c->r);
    memset(a->space->frame, 0, 9 * sizeof(double) * (size_t)c->frictions);
    if (a->task->law == ZG_POISSON) {
        outcome = compress(a);
        turn_tangents(a);
    }
    bool elastic = is_elastic(a);
    bool struck = outcome == ZG_FOUND;
    if (struck) outcome = strike(a, elastic ? 1.0 : 0.0, &work);
    bool gains = outcome == ZG_FOUND && work > 1e-12 * a->task->energy;
    if (struck && elastic && (gains || outcome != ZG_FOUND))
        outcome = guard(a, gains ? work : 0.0, &work);
    a->impact->energy += work;
    zg_turn_vector_back(c, a->space->frame, a->P);
    for (int32_t i = 0; i < c->r; i++) a->impact->P[c->row_of[i]] += a->P[i] * c->D[i];
    for (int32_t i = 0; i < c->contacts; i++)
        if (a->P[c->contact[i].normal] > c->sign) a->space->hit[c->contact_of[i]] |= 1;
    return outcome;
}

/* ------------------------------------------------------------------------- rounds */

static bool approaches(const crash *a, int32_t i)
{
    return a->instant.w[a->instant.contact[i].normal] < -a->task->approach[i];
}

static bool any_approaches(const crash *a)
{
    for (int32_t i = 0; i < a->instant.contacts; i++)
        if (approaches(a, i)) return true;
    return false;
}

/* Who takes part in the next round. */
static void choose(crash *a, bool all)
{
    for (int32_t i = 0; i < a->instant.contacts; i++)
        a->space->absent[i] = !all && !approaches(a, i) && a->instant.contact[i].restitution > 0.0;
}

/* u = w + G P, from the impulses of all rounds. */
static void advance_velocities(const crash *a, const double *w, double *u)
{
    for (int32_t i = 0; i < a->instant.rows; i++) {
        int32_t first, end;
        const double *g = zg_instant_row(&a->instant, i, &first, &end);
        double sum = w[i];
        for (int32_t j = first; j < end; j++) sum += g[j - first] * a->impact->P[j];
        u[i] = sum;
    }
}

static void blame(crash *a)
{
    const zg_island *c = &a->space->island;
    double fastest = HUGE_VAL;
    for (int32_t i = 0; i < c->contacts; i++) {
        double u = a->before[c->contact[i].normal];
        if (u < fastest) fastest = u, a->impact->contact = c->contact_of[i];
    }
}

static zg_outcome one_round(crash *a, const double *w)
{
    zg_outcome outcome = ZG_FOUND;
    int32_t islands = zg_split_islands(a->space, &a->instant);
    for (int32_t k = 0; k < islands && outcome == ZG_FOUND; k++) {
        zg_gather_island(a->space, &a->instant, k, &a->task->tolerance);
        outcome = strike_island(a);
        if (outcome != ZG_FOUND) blame(a);
    }
    advance_velocities(a, w, a->impact->u);
    a->impact->rounds++;
    return outcome;
}

/* The rules differ where contacts of one island got impulses and not all of them at once: bit 0 of a
 * hit says that there was one, bit 1 that it was not, or would not have been, in the first round. */
static bool rules_differ(crash *a)
{
    const zg_instant *p = &a->instant;
    const uint8_t *hit = a->space->hit;
    memset(a->space->absent, 0, (size_t)p->contacts);
    zg_split_islands(a->space, p);
    const int32_t *of = a->space->island_of;
    for (int32_t i = 0; i < p->contacts; i++)
        for (int32_t j = 0; hit[i] & 1 && j < i; j++)
            if (hit[i] & hit[j] & 1 && (hit[i] | hit[j]) & 2 &&
                of[p->contact[i].normal] == of[p->contact[j].normal])
                return true;
    return false;
}

/* Contacts that are hit in this round without being in the first: bit 1. */
static void mark_late(crash *a, bool first)
{
    for (int32_t i = 0; i < a->instant.contacts; i++) {
        bool late = first ? !approaches(a, i) && a->instant.contact[i].restitution > 0.0
                          : !a->space->absent[i] && approaches(a, i);
        if (late) a->space->hit[i] |= 2;
    }
}

/* Velocities fall from round to round; what they are rounded to does not. */
static const double *keep_sizes(const zg_instant *instant, double *size)
{
    for (int32_t i = 0; i < instant->rows; i++) {
        size[i] = fabs(instant->w[i]);
        if (instant->size) size[i] = fmax(size[i], instant->size[i]);
    }
    return size;
}

static void begin_impact(zg_impact *impact, const zg_instant *instant)
{
    memset(impact->P, 0, sizeof *impact->P * (size_t)instant->rows);
    memcpy(impact->u, instant->w, sizeof *impact->u * (size_t)instant->rows);
    impact->energy = impact->gain = 0.0;
    impact->guard = 1.0;
    impact->guarded = impact->rounds = 0;
    impact->ended = impact->rule_mattered = false;
    impact->outcome = ZG_FOUND;
    impact->contact = -1;
}

zg_outcome zg_contact_impact(zg_contact_space *space, const zg_instant *instant,
                             const zg_impact_task *task, zg_impact *impact)
{
    size_t r = (size_t)space->limits.rows;
    crash a = {.space = space, .instant = *instant, .task = task, .impact = impact};
    a.before = space->crash;
    a.C = a.before + r;
    a.velocity = a.C + r;
    a.P = a.velocity + r;
    int32_t most = task->most_rounds > 0 ? task->most_rounds : usual_rounds;
    begin_impact(impact, instant);
    memset(space->hit, 0, (size_t)instant->contacts);
    a.instant.w = impact->u;
    a.instant.size = keep_sizes(instant, a.P + r);
    while (impact->outcome == ZG_FOUND && any_approaches(&a)) {
        a.plastic = impact->ended = impact->rounds == most;
        choose(&a, task->rule == ZG_TOGETHER || a.plastic);
        mark_late(&a, impact->rounds == 0);
        impact->outcome = one_round(&a, instant->w);
        if (a.plastic || task->rule == ZG_TOGETHER) break;
    }
    impact->rule_mattered = rules_differ(&a);
    if (impact->lambda) {
        a.instant.lambda0 = NULL;
        zg_write_multipliers(&a.instant, impact->P, impact->lambda);
    }
    return impact->outcome;
}
