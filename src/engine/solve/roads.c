/*
 * The table of roads, that is of ways to solve for the acceleration (roads.h), and the
 * acceleration at a state by the first of them that takes it.
 *
 * Which road is taken depends on the state and on what the run remembers, which is saved with it:
 * a run may be repeated from any point to the same bits. A road that has never served the run and
 * has refused `patience` times (a projection, which comes once a step, counts for several
 * accelerations) is not asked for `shortest_sleep` evaluations; when it refuses again
 * then, for twice as many, at most `longest_sleep`. An event wakes all of them. Only questions that
 * belong to the steps count: what a caller asks for in between changes nothing, and where that
 * needs further stages of the last step, the run forgets them (zr_put_back_trace).
 *
 * Where the rank is below what it is almost everywhere, the careful road goes on to the limit
 * acceleration (singular_limit.c). Where rows that are independent almost everywhere may not be
 * so, the sparse road leaves small systems to the careful one; in large ones it looks at the rank
 * and goes on. Nothing is allocated, other forms than the principle's own apart.
 */
#include "creep.h"
#include "friction.h"

#include <float.h>
#include <math.h>
#include <string.h>

const zr_road *const zr_roads[ZR_ROAD_COUNT] = {
#define ROAD(NUMBER, name) [ZR_##NUMBER] = &zr_road_##name,
    ZR_ROAD_LIST(ROAD)
#undef ROAD
};
_Static_assert((int)ZR_ROAD_COUNT <= (int)ZW_MOST_ROADS, "zw_run_statistics has no room for more");

/* --------------------------------------------------------------------------- memory */

enum { patience = 96, projection_counts = 8, shortest_sleep = 16, longest_sleep = 1024 };

void zr_remember_refusal(zr_memory *memory, zr_question question)
{
    int32_t counts = question == ZR_ASK_PROJECTION ? projection_counts : 1;
    memory->refused += counts;
    if (memory->refused < patience) return;
    memory->refused = patience - counts; /* the next refusal is one too many again */
    memory->slept = memory->slept > 0 ? 2 * memory->slept : shortest_sleep;
    if (memory->slept > longest_sleep) memory->slept = longest_sleep;
    memory->sleeps = memory->slept;
}

void zr_wake_roads(zr_solving *run)
{
    for (int k = 0; k < ZR_ROAD_COUNT; k++)
        for (int question = 0; question < ZR_QUESTIONS; question++) {
            zr_memory *memory = &run->memory[k][question];
            *memory = (zr_memory){.served = memory->served};
        }
}

/* Rows in conflict count only while there are any. */
void zr_keep_trace(const zw_sim *sim, zr_solving *run)
{
    zr_trace *kept = &run->kept;
    memcpy(kept->memory, run->memory, sizeof kept->memory);
    kept->on_constraints = run->on_constraints;
    kept->any_conflicting = run->any_conflicting;
    kept->rank = run->rank;
    kept->lost = run->lost;
    if (kept->any_conflicting) memcpy(kept->conflicting, run->conflicting, (size_t)sim->zm->m);
    kept->behind = run->behind;
    if (sim->drive) memcpy(kept->side, run->side, (size_t)sim->zm->motor_count);
}

/* To what zr_keep_trace has found; once or more. */
void zr_put_back_trace(const zw_sim *sim, zr_solving *run)
{
    const zr_trace *kept = &run->kept;
    memcpy(run->memory, kept->memory, sizeof run->memory);
    run->on_constraints = kept->on_constraints;
    run->any_conflicting = kept->any_conflicting;
    run->rank = kept->rank;
    run->lost = kept->lost;
    if (kept->any_conflicting) memcpy(run->conflicting, kept->conflicting, (size_t)sim->zm->m);
    run->behind = kept->behind;
    if (sim->drive) memcpy(run->side, kept->side, (size_t)sim->zm->motor_count);
}

/* -------------------------------------------------------------------- what is found */

void zr_forget_factor(zw_sim *sim)
{
    sim->solver->road = ZR_NO_ROAD;
    sim->solver->held = NULL;
}

bool zr_tells_conflicts(const zr_solving *run)
{
    return run->on_constraints || !run->projects;
}

/* The root of the weight of row i: in rows times that the compromise is one of least squares. */
static double root_of_weight(const zw_sim *sim, int32_t i)
{
    const zr_pattern *W = &sim->model->W;
    if (W->rows == 0) return 1.0;
    for (int32_t p = W->start[i]; p < W->start[i + 1]; p++)
        if (W->column[p] == i) return sqrt(fabs(sim->W[p]));
    return 0.0;
}

/* |z| in the inertias of the coordinates. */
static double size_of_motion(const zw_sim *sim, const double *z)
{
    double square = 0.0;
    for (int32_t j = 0; j < sim->zm->n; j++)
        square += fabs(sim->M[sim->model->M.start[j]]) * z[j] * z[j];
    return sqrt(square);
}

/* |b| + |A| |z| of row i in these inertias; of a coordinate without inertia its own term. */
static double size_of_row(const zw_sim *sim, int32_t i, const double *z, double motion)
{
    const zr_pattern *A = &sim->model->A;
    double square = 0.0, own = fabs(sim->b[i]);
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
        int32_t j = A->column[p];
        double inertia = fabs(sim->M[sim->model->M.start[j]]);
        if (inertia > 0.0) square += sim->A[p] * sim->A[p] / inertia;
        own += fabs(sim->A[p] * z[j]);
    }
    return own + sqrt(square) * motion;
}

/* Beside rows of much more weight, or in much larger units, one that gives way altogether is not
 * seen in the norm of all: each is judged by its own size. `relative`: the noise of the solve. */
bool zr_is_any_row_off(const zw_sim *sim, const zr_solving *run, const double *z, double relative)
{
    double part = fmax(1e-9, 16.0 * relative), motion = -1.0;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (run->inconsistency[i] == 0.0) continue;
        if (motion < 0.0) motion = size_of_motion(sim, z);
        if (fabs(run->inconsistency[i]) > part * size_of_row(sim, i, z, motion)) return true;
    }
    return false;
}

/* run->inconsistency holds what of b no acceleration reaches, row by row; `lost` is its norm. A
 * row whose part is less than 1e-6 of the largest, both with their weights, has no share in the
 * conflict. */
void zr_note_conflict(const zw_sim *sim, zr_solving *run, double lost)
{
    const double *part = run->inconsistency;
    int32_t m = sim->zm->m;
    double largest = 0.0;
    if (lost < 1e-60) lost = 0.0; /* no acceleration at all, whatever it is compared with */
    run->lost = lost;
    if (!(lost > 0.0) && !run->any_conflicting) return;
    for (int32_t i = 0; i < m; i++) largest = fmax(largest, root_of_weight(sim, i) * fabs(part[i]));
    run->any_conflicting = lost > 0.0;
    for (int32_t i = 0; i < m; i++)
        run->conflicting[i] = lost > 0.0 && root_of_weight(sim, i) * fabs(part[i]) > 1e-6 * largest;
}

/* Then no row contradicts another one; the answer has a relative noise of about eps
 * times the condition. */

/* Where nobody has answered since, the dense solver beside the sparse one, if there is one,
 * factored last. */
double zr_last_condition(const zw_sim *sim, const zr_solving *run)
{
    zr_road_number last = sim->solver->road;
    if (last == ZR_NO_ROAD) return run->full ? zg_system_noise(run->full) / DBL_EPSILON : 0.0;
    return zr_roads[last]->condition(sim, run);
}

/* ------------------------------------------------------------------ the acceleration */

/* b - 2 zeta omega rate - omega^2 phi of holonomic rows, b - omega phi of nonholonomic ones. */
static void add_baumgarte(zw_sim *sim, const zw_run_settings *set, const zk_source *s)
{
    int32_t m = sim->zm->m;
    zr_evaluate_levels(sim, s);
    for (int32_t i = 0; i < m; i++) {
        zm_row_kind kind = sim->row_kind[i];
        if (kind == ZM_ACCELERATION) continue;
        double w = set->omega, phi = sim->level[i], rate = sim->level[m + i];
        sim->b[i] -= kind == ZM_HOLONOMIC ? 2.0 * set->zeta * w * rate + w * w * phi : w * rate;
    }
}

void zr_equations_at(zw_sim *sim, const zr_solving *run, const zk_source *s)
{
    zr_evaluate_dynamics(sim, s);
    zr_evaluate_rows(sim, s);
    sim->A_fresh = true;
    if (run && run->settings->stabilize == ZW_BAUMGARTE) add_baumgarte(sim, run->settings, s);
}

/* GG(C, 0) is added to z; its force is C + A^T lambda_C. */
static zw_status add_nonideal_acceleration(zw_sim *sim, zr_solving *run, const zr_road *road,
                                           const zr_wanted *w)
{
    const zr_solver *solver = sim->solver;
    const zr_pattern *A = &sim->model->A;
    if (sim->model->uses_measures) zr_measure(sim, sim->lambda);
    zr_evaluate_nonideal(sim, w->at);
    ZB_TRY(road->nonideal(sim, run));
    for (int32_t j = 0; j < sim->zm->n; j++) w->z[j] += solver->z_nonideal[j];
    if (!w->force) return ZW_OK;
    memcpy(w->force, sim->C, sizeof *w->force * (size_t)sim->zm->n);
    for (int32_t i = 0; i < A->rows; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            w->force[A->column[p]] += sim->A[p] * solver->lambda_nonideal[i];
    return ZW_OK;
}

/* Rows that are not met together do not contradict each other there: they are met in the sense of
 * least squares. */
static zw_status accelerate_there(zw_sim *sim, zr_solving *run, const zr_wanted *w)
{
    run->rank = run->generic_rank;
    run->lost = 0.0;
    run->any_conflicting = false;
    if (w->force) memset(w->force, 0, sizeof *w->force * (size_t)sim->zm->n);
    return zr_accelerate_on_compromise(sim, w->at, w->z);
}

/* Where something slides: by the fused program, or by a factor of the rows that are on. */
static zw_status accelerate_sliding(zw_sim *sim, zr_solving *run, const zr_wanted *w)
{
    zr_memory *memory = run ? &run->memory[ZR_FUSED][ZR_ASK_ACCELERATION] : NULL;
    bool taken = false;
    if (zr_road_fused.serves(sim, run) && (!memory || zr_is_awake(memory))) {
        ZB_TRY(zr_road_fused.accelerate(sim, run, w, &taken));
        if (memory) zr_remember(memory, ZR_ASK_ACCELERATION, taken);
        if (taken && run) run->taken[ZR_FUSED]++;
        if (taken) sim->solver->road = ZR_FUSED;
        if (taken) return ZW_OK;
    }
    if (zr_any_creeps(sim)) zr_follow_creep(sim, run, w->at);
    zr_equations_at(sim, run, w->at);
    return zr_accelerate_sliding(sim, run, w);
}

/* Roads in the order of the table, without those that do not serve or sleep. M, Q, A and b are
 * evaluated when the first road is asked that needs them. Then the non-ideal part, where the
 * road leaves that to its factor. */
zw_status zr_accelerate(zw_sim *sim, zr_solving *run, const zr_wanted *w)
{
    bool evaluated = false;
    if (run && zr_on_compromise(sim)) return accelerate_there(sim, run, w);
    if (sim->contacts && w->force && sim->model->nonideal.count > 0)
        memset(w->force, 0, sizeof *w->force * (size_t)sim->zm->n);
    if (sim->drive) {
        zr_equations_at(sim, run, w->at);
        return zr_accelerate_driven(sim, run, w);
    }
    if (zr_any_slides(sim)) return accelerate_sliding(sim, run, w);
    for (int k = 0; k < ZR_ROAD_COUNT; k++) {
        const zr_road *road = zr_roads[k];
        zr_memory *memory = run ? &run->memory[k][ZR_ASK_ACCELERATION] : NULL;
        bool taken = false;
        if (!road->serves(sim, run) || (memory && !zr_is_awake(memory))) continue;
        if (!road->by_itself && !evaluated) zr_equations_at(sim, run, w->at);
        evaluated = evaluated || !road->by_itself;
        ZB_TRY(road->accelerate(sim, run, w, &taken));
        if (memory) zr_remember(memory, ZR_ASK_ACCELERATION, taken);
        if (!taken) continue;
        sim->solver->road = (zr_road_number)k;
        if (run) run->taken[k]++;
        bool more = road->nonideal && sim->model->nonideal.count > 0;
        return more ? add_nonideal_acceleration(sim, run, road, w) : ZW_OK;
    }
    return ZW_ERR_ACCURACY; /* the careful road takes everything */
}

/* The equations as they stand, whatever a run asks for. */
zw_status zr_acceleration_at(zw_sim *sim, double t, const double *q, const double *v, double *z)
{
    zk_source s = zr_source(sim, t, q, v);
    zg_system *system = sim->solver->all.system;
    int32_t limit = zg_system_rank_limit(system);
    zg_system_limit_rank(system, sim->zm->m);
    zw_status status = zr_accelerate(sim, NULL, &(zr_wanted){.at = &s, .z = z});
    zg_system_limit_rank(system, limit);
    return status == ZW_OK && !zb_all_finite(z, sim->zm->n) ? ZW_ERR_NOT_FINITE : status;
}
