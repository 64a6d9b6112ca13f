/*
 * Which rows follow from others. The dependent sets of A at the start are candidates; dependence at
 * one configuration is not dependence, so each is tested at a few feasible points nearby: the state
 * is perturbed, brought back onto the constraints, and diagnosed again. A row that is dependent
 * everywhere is redundant (R0610), one that is dependent at the start only marks a singular
 * configuration (R0612). Where no point nearby is reached the message says so. Sets whose right
 * sides contradict each other are conflicts of accelerations (W0413), which run by the General
 * Gauss Principle.
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "level.h"

static const double most_dense = 1e9; /* operations of one look with full matrices */
enum {
    most_said = 20,      /* messages about redundant rows */
    most_searched = 2000 /* coordinates of systems in which a feasible state is searched for long */
};

/* ------------------------------------------------------------------- messages */

/* R0610. elsewhere false: only the start could be examined. */
static zw_status report_redundant(zw_sim *sim, const zr_finding *f, bool elsewhere)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zr_text_row(sim->model, f->row, &text);
    if (!elsewhere) {
        zb_text_add(&text, f->count > 1 ? " depends on " : " has no derivative");
        if (f->count > 1) zr_text_names(sim->model, f, f->row, &text);
        zb_text_add(&text, " at the start; not examined elsewhere: no other state that satisfies "
                           "the constraints was reached nearby");
    } else if (f->count > 1) {
        zb_text_add(&text, " is redundant: it follows from ");
        zr_text_names(sim->model, f, f->row, &text);
        zb_text_add(&text, "; the motion is unique, the shares of these constraints in the "
                           "reaction are not");
    } else {
        zb_text_add(&text, " is redundant: no motion changes it");
    }
    zr_message message = {.code = "R0610", .place = zr_row_place(sim->model, f->row)};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* R0612: dependent at the start only. */
static zw_status report_singular(zw_sim *sim, const zr_finding *f)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zr_text_singular(sim->model, f, &text);
    zr_message message = {.code = "R0612", .place = zr_row_place(sim->model, f->row)};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* W0413: right sides of dependent rows that contradict each other. */
static zw_status report_acceleration_conflict(zw_sim *sim, const zr_finding *f)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "acceleration conflict: ");
    zr_text_row(sim->model, f->row, &text);
    if (f->count > 1) {
        zb_text_add(&text, " and ");
        zr_text_names(sim->model, f, f->row, &text);
        zb_text_add(&text, " ask for different accelerations");
    } else {
        zb_text_add(&text, " asks for an acceleration that no motion has");
    }
    zb_text_add(&text, "; ");
    zr_text_mismatch(sim->model, f, &text);
    zb_text_add(&text, ", the motion is the one of least squares");
    zr_message message = {.code = "W0413", .place = zr_row_place(sim->model, f->row)};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* W0414: the gap between what counts and what does not is small. */
static zw_status report_uncertain_rank(zw_sim *sim, const zw_gauss_rank_info *rank)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_printf(&text,
                   "the rank %d of the constraints is not certain: the last row that "
                   "counts is independent by only ",
                   (int)rank->rank);
    zr_text_short(&text, rank->accepted);
    zb_text_add(&text, ", the next one by ");
    zr_text_short(&text, rank->rejected);
    zr_message message = {.code = "W0414", .place = zr_nowhere};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* --------------------------------------------------------------- points nearby */

/* to [n] = from, every entry changed by up to `by` of its own size and the largest one's. */
static void perturb_vector(const double *from, int32_t n, double by, uint64_t *seed, double *to)
{
    double size = 0.0;
    for (int32_t i = 0; i < n; i++) size = fmax(size, fabs(from[i]));
    if (!(size > 0.0)) size = 1.0;
    for (int32_t i = 0; i < n; i++)
        to[i] = from[i] + by * (fabs(from[i]) + size) * zr_next_random(seed);
}

/* Newton's steps that may be spent on one level, each about n^2 m: all that could help where they
 * cost nothing, enough for one that converges quadratically where they are dear. */
static int32_t count_affordable_steps(const zr_level *l)
{
    enum { most = 50, least = 5, sparse_steps = 10 };
    if (l->sim->solver->sparse) return sparse_steps;
    double steps = 2e8 / ((double)l->n * (double)l->n * (double)l->m);
    return steps >= most ? most : steps <= least ? least : (int32_t)steps;
}

/* Onto the rows of a level from a perturbed state. Damped steps are for small systems only. */
static zw_status approach_level(zr_level *l, bool patient)
{
    int32_t steps = count_affordable_steps(l);
    if (patient) return zr_level_iterate_damped(l, 30);
    if (l->linear || steps == 50) return zr_level_iterate_damped(l, steps);
    return zr_level_iterate(l, steps);
}

/* (q, v) [n] back onto the constraints of one level, in place; *met says whether. */
static zw_status bring_onto_level(zw_sim *sim, zr_order order, bool patient, double *q, double *v,
                                  bool *met)
{
    zr_level l;
    zw_status status = zr_level_open(&l, sim, order, true, q, v, order == ZR_POSITION ? q : v);
    if (status == ZW_OK) {
        zr_level_evaluate(&l);
        *met = l.now.finite && (l.m == 0 || zr_level_holds(&l, 1e-14));
        if (l.now.finite && !*met) status = zr_level_set_mass(&l, sim->M);
        if (l.now.finite && !*met && status == ZW_OK) status = approach_level(&l, patient);
        if (l.now.finite && !*met) *met = l.met;
    }
    zr_level_close(&l);
    return status;
}

/* ---------------------------------------------------------------------- diagnosis */

/* Where the sparse solver finds rows dependent, or cannot tell, full matrices tell better, as long
 * as there is time for them: the sparse one sees squares of small numbers. *d becomes NULL where
 * they find none dependent. At the state that is factored. */
static zw_status look_again_dense(zw_sim *sim, zw_diagnosis **d, zw_gauss_rank_info *rank)
{
    double n = (double)sim->zm->n, m = (double)sim->zm->m;
    bool doubtful = rank->rank >= 0 && (rank->ambiguous || rank->rank < zr_rows_on(sim));
    if (!sim->solver->sparse || !doubtful || n * m * fmin(n, m) > most_dense) return ZW_OK;
    zg_structure structure = zr_structure(sim);
    zg_values values = {.M = sim->M,
                        .A = sim->A,
                        .W = sim->model->W.rows > 0 ? sim->W : NULL,
                        .off = sim->contacts ? sim->contacts->off : NULL};
    zw_gauss_rank_info found = {.rank = -1};
    zg_system *system = NULL;
    structure.solver = ZW_SOLVER_DENSE;
    zw_status status = zg_system_plan(sim->memory, &structure, &system);
    if (status == ZW_OK) status = zg_system_factor(system, &values);
    if (status == ZW_OK) status = zg_system_rank(system, &found);
    zg_system_free(system);
    if (status != ZW_OK) return zr_is_memory(status) ? status : ZW_OK;
    *rank = found;
    if (found.rank < zr_rows_on(sim)) return ZW_OK;
    zg_diagnosis_free(*d);
    *d = NULL;
    return ZW_OK;
}

/* Rank and dependent sets at a state; *d NULL when nothing can be said. */
static zw_status diagnose_state(zw_sim *sim, const double *q, const double *v, zw_diagnosis **d,
                                zw_gauss_rank_info *rank)
{
    zk_source s = zr_source(sim, sim->t, q, v);
    zw_gauss_answer answer = {.acceleration = sim->work};
    *d = NULL;
    *rank = (zw_gauss_rank_info){.rank = -1};
    zw_status status = zr_factor_at(sim, &s);
    if (status == ZW_OK)
        status = zg_system_solve(sim->solver->all.system, sim->Q, sim->b, NULL, &answer);
    if (status == ZW_OK) status = zg_system_rank(sim->solver->all.system, rank);
    if (status == ZW_OK) status = zg_system_diagnose(sim->solver->all.system, sim->b, sim->work, d);
    if (status == ZW_OK) status = look_again_dense(sim, d, rank);
    memset(sim->work, 0, sizeof *sim->work * (size_t)sim->zm->n);
    if (!zr_is_memory(status)) return ZW_OK;
    zg_diagnosis_free(*d);
    *d = NULL;
    return status;
}

/* Which rows follow from earlier ones at every point that was examined. */
typedef struct survey {
    zr_check *c;
    bool *everywhere; /* [m] */
    double *state;    /* [2 n] */
    double *reach;    /* [n] how far a coordinate may be moved */
    bool local;       /* by that much, whatever the solver */
    bool patient;     /* damped steps whatever they cost */
    int32_t said;     /* messages about redundant rows */
} survey;

/* The rank that a diagnosis implies; what is nearly dependent counts as dependent. */
static int32_t count_independent(const survey *w, const zw_diagnosis *d)
{
    return zr_rows_on(w->c->sim) - d->set_count - d->nearly_count - d->unlisted;
}

/* Clears w->everywhere of rows that are independent in this diagnosis. When the rank is not larger
 * than at the start, as many rows follow from others as there, though it may be others that are
 * listed. Otherwise: a point nearby is on the constraints but for rounding, which a large factor in
 * a row makes larger: what is nearly dependent there is dependent. */
static void keep_dependent_everywhere(const survey *w, const zw_diagnosis *d)
{
    int32_t m = w->c->sim->zm->m, sets = d->set_count + d->nearly_count;
    if (count_independent(w, d) <= w->c->rank_at_start) return;
    for (int32_t i = 0; i < m; i++) {
        bool here = false;
        for (int32_t k = 0; k < sets && !here; k++) here = d->sets[k].row == i;
        w->everywhere[i] = w->everywhere[i] && here;
    }
}

/* w->state = the start, perturbed: relatively to its largest value, in sparse systems and where
 * w->local says so to what is near. */
static void perturb_start(const survey *w, double by, uint64_t *seed)
{
    zw_sim *sim = w->c->sim;
    int32_t n = sim->zm->n;
    if (sim->solver->sparse || w->local)
        for (int32_t i = 0; i < n; i++)
            w->state[i] = sim->q[i] + by * w->reach[i] * zr_next_random(seed);
    else
        perturb_vector(sim->q, n, by, seed, w->state);
    perturb_vector(sim->v, n, by, seed, w->state + n);
}

/* A feasible state near the start into w->state; *met false: none was found. */
static zw_status find_feasible_near(const survey *w, double by, uint64_t *seed, bool *met)
{
    zw_sim *sim = w->c->sim;
    double *q = w->state, *v = q + sim->zm->n;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    perturb_start(w, by, seed);
    zr_evaluate_dynamics(sim, &s); /* the metric is that of the start */
    zw_status status = bring_onto_level(sim, ZR_POSITION, w->patient, q, v, met);
    if (status == ZW_OK && *met) status = bring_onto_level(sim, ZR_VELOCITY, w->patient, q, v, met);
    if (status != ZW_OK) *met = false;
    return zr_is_memory(status) ? status : ZW_OK;
}

/* What one feasible state near the start, in w->state, says. */
static zw_status examine_state(survey *w)
{
    zw_sim *sim = w->c->sim;
    zw_diagnosis *d = NULL;
    zw_gauss_rank_info rank;
    ZB_TRY(diagnose_state(sim, w->state, w->state + sim->zm->n, &d, &rank));
    if (!d && rank.rank == zr_rows_on(sim)) {
        memset(w->everywhere, 0, sizeof *w->everywhere * (size_t)sim->zm->m);
        w->c->elsewhere = true;
        w->c->rank = rank.rank;
        w->c->nearly = 0;
    }
    if (d) {
        keep_dependent_everywhere(w, d);
        w->c->elsewhere = true;
        int32_t independent = count_independent(w, d);
        if (independent >= w->c->rank) w->c->nearly = d->nearly_count;
        if (independent > w->c->rank) w->c->rank = independent;
    }
    zg_diagnosis_free(d);
    return ZW_OK;
}

/* c->rank_beside: no state near the start has a larger rank. Beside the constraints, at states that
 * are not brought back onto them, the rank is as large as it can be. */
static zw_status bound_rank(survey *w, uint64_t *seed)
{
    zw_sim *sim = w->c->sim;
    int32_t most = w->c->rank;
    for (int k = 0; k < 2; k++) {
        zw_gauss_rank_info rank = {.rank = -1};
        perturb_start(w, 0.02, seed);
        zk_source s = zr_source(sim, sim->t, w->state, w->state + sim->zm->n);
        zw_status status = zr_factor_at(sim, &s);
        if (status == ZW_OK) status = zg_system_rank(sim->solver->all.system, &rank);
        if (zr_is_memory(status)) return status;
        if (status != ZW_OK) rank.rank = zr_rows_on(sim); /* nothing is known */
        if (rank.ambiguous) rank.rank = rank.most;
        if (rank.rank > most) most = rank.rank;
    }
    w->c->bounded = most <= w->c->rank;
    w->c->rank_beside = most;
    return ZW_OK;
}

/* Where no feasible state was reached by a few steps: damped ones, from nearer and farther. Not
 * where they take long. */
static zw_status search_harder(survey *w, uint64_t *seed)
{
    static const double sizes[] = {0.05, 0.2, 0.01, 0.1, 0.4};
    bool met = false;
    if (w->c->sim->zm->n > most_searched) return ZW_OK;
    w->patient = true;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !met; k++)
        ZB_TRY(find_feasible_near(w, sizes[k], seed, &met));
    w->patient = false;
    return met ? examine_state(w) : ZW_OK;
}

/* What the rank may be almost everywhere. Certain where a state on the constraints was looked at, or
 * no state beside them has more; rows that are nearly dependent at such a state may count. */
static void find_range(zr_check *c)
{
    bool sure = c->elsewhere || c->bounded;
    if (c->rank > c->rank_least) c->rank_least = c->rank;
    c->rank_most = sure ? c->rank + c->nearly : c->rank_beside;
    if (c->rank_most < c->rank) c->rank_most = c->rank;
    if (c->rank_least > c->rank) c->rank_least = c->rank;
}

/* Diagnoses a few feasible states near the start: which rows depend on others there too, and the
 * largest rank. */
static zw_status examine_nearby(survey *w)
{
    zw_sim *sim = w->c->sim;
    uint64_t seed = 0x5A57414E47u;
    int32_t points = sim->zm->n <= 200 ? 3 : 1;
    zr_local_sizes(sim, w->reach);
    for (int32_t k = 0; k < points; k++) {
        bool met = false;
        ZB_TRY(find_feasible_near(w, 0.02, &seed, &met));
        if (!met) ZB_TRY(find_feasible_near(w, 0.001, &seed, &met));
        if (met) ZB_TRY(examine_state(w));
    }
    w->local = true;
    ZB_TRY(bound_rank(w, &seed));
    if (!w->c->elsewhere && !w->c->bounded) ZB_TRY(search_harder(w, &seed));
    find_range(w->c);
    return ZW_OK;
}

/* Does a finding of the start name this row already? */
static bool is_conflict_known(const zw_sim *sim, int32_t row)
{
    for (int32_t k = 0; k < sim->start.conflicts.count; k++)
        if (sim->start.conflicts.list[k].row == row) return true;
    return false;
}

/* A dependent set of the start as a finding of its own, with its message: a conflict, redundant
 * rows, or a singular configuration. */
static zw_status add_set_as_finding(survey *w, const zw_dependent_set *set)
{
    zw_sim *sim = w->c->sim;
    size_t count = (size_t)set->count;
    zr_finding f = {.level = ZR_ACCELERATION, .count = set->count, .row = set->row};
    f.rows = zb_arena_copy(&sim->notes, set->rows, sizeof *f.rows * count, _Alignof(int32_t));
    f.coefficients = zb_arena_copy(&sim->notes, set->coefficients, sizeof *f.coefficients * count,
                                   _Alignof(double));
    f.size = set->size;
    f.mismatch = set->mismatch;
    if (!f.rows || !f.coefficients) return sim->notes.failure;
    if (set->conflict && set->suspect >= 0) zr_blame_row(&f, set->suspect);
    if (is_conflict_known(sim, f.row)) return ZW_OK;
    if (set->count == 1 && !sim->start.complete) return ZW_OK; /* where the start got stuck */
    zr_findings *list = &w->c->redundant;
    if (!w->everywhere[set->row]) list = &w->c->singular;
    if (set->conflict) list = &sim->start.conflicts;
    if (!zr_add_finding(sim, list, &f)) return sim->notes.failure;
    if (set->conflict) return report_acceleration_conflict(sim, &f);
    if (!w->everywhere[set->row]) return report_singular(sim, &f);
    return w->said++ < most_said ? report_redundant(sim, &f, w->c->elsewhere) : ZW_OK;
}

/* R0610 for the rows that were found and are not named one by one. */
static zw_status report_unnamed(const survey *w)
{
    int32_t more = w->c->unlisted + (w->said > most_said ? w->said - most_said : 0);
    if (more == 0) return ZW_OK;
    zb_text text;
    zb_text_init(&text, w->c->sim->memory);
    zb_text_printf(&text,
                   more == 1 ? "%d more row depends on others" : "%d more rows depend on others",
                   (int)more);
    zr_message message = {.code = "R0610", .place = zr_nowhere};
    zw_status status = zr_report(w->c->sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* Dependent sets at the start, each as redundant, singular or conflicting. */
static zw_status examine_dependence(survey *w, const zw_diagnosis *d)
{
    zw_sim *sim = w->c->sim;
    int32_t m = sim->zm->m;
    w->everywhere = ZB_NEW_ARRAY(&sim->notes, bool, m);
    w->state = ZB_NEW_ARRAY(&sim->notes, double, 2 * (size_t)sim->zm->n);
    w->reach = ZB_NEW_ARRAY(&sim->notes, double, (size_t)sim->zm->n);
    if (sim->notes.failure != ZW_OK) return sim->notes.failure;
    ZB_TRY(zr_find_unique(w->c, d));
    w->c->unlisted = d->unlisted;
    for (int32_t i = 0; i < m; i++) w->everywhere[i] = true;
    keep_dependent_everywhere(w, d);
    ZB_TRY(examine_nearby(w));
    for (int32_t k = 0; k < d->set_count; k++) ZB_TRY(add_set_as_finding(w, &d->sets[k]));
    return report_unnamed(w);
}

/* Rows of full rank need no second look. */
zw_status zr_find_redundancy(zr_check *c)
{
    zw_diagnosis *d = NULL;
    zw_gauss_rank_info rank;
    survey w = {.c = c};
    ZB_TRY(diagnose_state(c->sim, c->sim->q, c->sim->v, &d, &rank));
    c->ranked = rank.rank >= 0;
    c->rank = c->rank_at_start = rank.rank;
    c->rank_least = rank.ambiguous ? rank.least : rank.rank;
    c->rank_most = rank.ambiguous ? rank.most : rank.rank;
    zw_status status = ZW_OK;
    if (c->ranked && rank.ambiguous) status = report_uncertain_rank(c->sim, &rank);
    if (status == ZW_OK && d && rank.rank < zr_rows_on(c->sim)) status = examine_dependence(&w, d);
    zg_diagnosis_free(d);
    return status;
}
