/*
 * How far a run can be trusted, and why. Everything comes from what the run has kept: nothing is
 * integrated again, only the energies at the simulation's state are computed.
 *
 *     not      it ended early; a constraint is violated; the energy is not what the works say
 *     remarks  what one should know: a start that was moved, changes of rank, conflicts, stiffness,
 *              violations and errors beyond what is usual
 *
 * Rows in a conflict cannot hold: what remains of them is a remark, and so is the energy then,
 * because such rows do work.
 */
#include <float.h>
#include <math.h>

#include "friction.h"
#include "run.h"

/* A *judgement* in the making. */
typedef struct judgement {
    zw_sim *sim;
    zw_run_statistics *stats;
    zw_trust trust;
    zb_text *text;   /* NULL: only the trust is wanted */
    zw_trust wanted; /* reasons of this level are written */
    bool began;
} judgement;

/* Lowers the trust; whether the reason is to be written now. */
static bool lower_trust(judgement *j, zw_trust level)
{
    if (level > j->trust) j->trust = level;
    if (!j->text || level != j->wanted) return false;
    if (j->began) zb_text_add(j->text, "; ");
    j->began = true;
    return true;
}

static void say_time(zb_text *text, const char *before, double t)
{
    zb_text_add(text, before);
    zr_text_short(text, t);
}

/* ------------------------------------------------------------------------ start */

/* The value that was said in the model and moved most; nothing where the start was found as it
 * was given, or as its equations ask for. */
void zr_remember_start(zw_sim *sim)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n;
    run->record.branch = sim->start.complete && sim->start.branch;
    if (!sim->start.complete || !sim->start.moved || sim->start.posed) return;
    int32_t i = zr_next_move(sim, ZR_STATED, -1);
    if (i < 0) return;
    run->record.moved = true;
    run->record.moved_entry = i;
    run->record.moved_from = sim->given[i];
    run->record.moved_to = i < n ? sim->q[i] : sim->v[i - n];
}

/* With as many digits as tell the two values apart. */
static void judge_start(judgement *j)
{
    const zr_motion *run = j->sim->run;
    int32_t n = j->sim->zm->n, i = run->record.moved_entry;
    int digits = zr_digits_apart(run->record.moved_from, run->record.moved_to, 6);
    if (!run->record.moved || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    zb_text_add(j->text, "the start was moved onto the constraints (most of all ");
    zr_text_coordinate(j->sim->model, i < n ? i : i - n, i >= n, j->text);
    zb_text_add(j->text, " from ");
    zr_text_digits(j->text, run->record.moved_from, digits);
    zb_text_add(j->text, " to ");
    zr_text_digits(j->text, run->record.moved_to, digits);
    zb_text_char(j->text, ')');
}

/* What R0616 says of the start. */
static void judge_start_branch(judgement *j)
{
    if (j->sim->run->record.branch && lower_trust(j, ZW_TRUST_REMARKS))
        zb_text_add(j->text, "the start may not be the only one near (R0616)");
}

/* " (x = 1, x' = 2)": where a run ended. */
static void say_last_state(judgement *j)
{
    enum { most = 8 };
    const zw_sim *sim = j->sim;
    int32_t n = sim->zm->n, count = 2 * n < most ? 2 * n : most;
    for (int32_t i = 0; i < count; i++) {
        zb_text_add(j->text, i == 0 ? " (" : ", ");
        zr_text_coordinate(sim->model, i < n ? i : i - n, i >= n, j->text);
        say_time(j->text, " = ", i < n ? sim->q[i] : sim->v[i - n]);
    }
    zb_text_add(j->text, 2 * n > most ? ", ...)" : ")");
}

/* A run that failed or was interrupted cannot be trusted as a whole. */
static void judge_end(judgement *j)
{
    const zr_motion *run = j->sim->run;
    bool failed = run->ending.failure != ZW_OK;
    if ((!failed && !run->ending.broken_off) || !lower_trust(j, ZW_TRUST_NOT)) return;
    say_time(j->text, failed ? "the run ended early, at t = " : "the run was interrupted, at t = ",
             j->stats->t);
    if (!failed) return;
    const char *why = zb_status_sentence(run->ending.failure);
    if (run->ending.failure == ZW_ERR_ACCURACY)
        why = "the equations or the constraints could not be met closely enough";
    if (run->ending.failure == ZW_ERR_CONTACT) why = zr_trouble_sentence(j->sim);
    zb_text_printf(j->text, ": %s", why);
    if (run->ending.failure == ZW_ERR_CONTACT || run->ending.failure == ZW_ERR_CONTROL)
        say_last_state(j);
}

/* Motors at their limits leave their control undone, and off from then on. */
static void judge_motors(judgement *j)
{
    if (!zr_motors_were_behind(j->sim) || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    zb_text_add(j->text, "motors at their limits left ");
    if (zr_has_left_rows(j->sim))
        (void)zr_text_left(j->sim, j->text);
    else
        zb_text_add(j->text, "their control undone for a while");
}

/* Rules of impacts that decided something, and the energy guard. */
static void judge_impacts(judgement *j)
{
    const zr_contacts *c = j->sim->contacts;
    if (!c) return;
    if (c->record.guarded > 0 && lower_trust(j, ZW_TRUST_REMARKS)) zr_text_guard(j->sim, j->text);
    if (c->record.rule_count == 0 || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    zr_text_rule(j->sim, &c->record.rules[0], j->text);
    if (c->record.rule_count > 1) zb_text_add(j->text, ", and of others");
}

/* The motion depends on how contacts share a load. */
static void judge_friction_shares(judgement *j)
{
    const zr_contacts *c = j->sim->contacts;
    if (!c || isnan(c->record.shared_t) || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    say_time(j->text, "friction follows shares of contacts that are not unique, from t = ",
             c->record.shared_t);
}

/* ------------------------------------------------------------------- violations */

/* Whether the row is one of those that contradict each other. */
static bool is_row_in_finding(const zr_finding *f, int32_t row)
{
    for (int32_t k = 0; k < f->count; k++)
        if (f->rows[k] == row) return true;
    return false;
}

/* A row of a contradiction that was accepted at the start. */
static bool was_accepted(const zw_sim *sim, int32_t row)
{
    const zr_findings *list = &sim->start.conflicts;
    for (int32_t k = 0; k < list->count; k++)
        if (list->list[k].level != ZR_ACCELERATION && is_row_in_finding(&list->list[k], row))
            return true;
    return false;
}

bool zr_is_excused(const zw_sim *sim, int32_t row)
{
    if (row < 0) return false;
    const zr_record *record = sim->run ? &sim->run->record : NULL;
    return (record && (record->ever_conflicting[row] || record->locked[row])) ||
           was_accepted(sim, row);
}

/* What is off, by how much, and when. */
static void say_violation(judgement *j, const zw_violation *w, const char *what)
{
    zr_text_row(j->sim->model, w->row, j->text);
    zb_text_printf(j->text, " is off by ");
    zr_text_digits(j->text, w->size, 3);
    zb_text_printf(j->text, " %s", what);
    say_time(j->text, " at t = ", w->t);
}

/* The longest step, by which speeds are compared with sizes. */
static double find_longest_step(const zw_sim *sim)
{
    double longest = sim->run->step.stepper->counts.largest;
    return longest > 0.0 ? longest : 1.0;
}

/* What the tolerances leave of a row, at the simulation's state; also of one that is off there. */
static double find_left_of_row(zw_sim *sim, int32_t row, bool rate)
{
    const zr_pattern *A = &sim->model->A;
    const double *absolute = zr_model_order(sim, zi_absolute(sim->run->step.stepper));
    double relative = sim->run->settings.tol, left = 0.0;
    const double *x = rate ? sim->v : sim->q;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    if (sim->contacts) zr_enter_masks(sim, true);
    zr_evaluate_rows(sim, &s);
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) {
        int32_t i = A->column[p];
        left += fabs(sim->A[p]) * (absolute[rate ? sim->zm->n + i : i] + relative * fabs(x[i]));
    }
    if (sim->contacts) zr_enter_mode(sim);
    return left;
}

/* What tolerances leave is no violation, whatever the terms of the row: at rest even rounding is
 * large beside them. */
static void judge_violation(judgement *j, const zw_violation *w, const char *what)
{
    double bad = j->sim->run->settings.stabilize == ZW_PROJECT ? 1e-6 : 1e-3;
    bool rate = w == &j->stats->velocity;
    if (w->row < 0 || w->relative <= 1e-9 || zr_is_excused(j->sim, w->row)) return;
    if (j->stats->steps == 0 || w->size <= find_left_of_row(j->sim, w->row, rate)) return;
    if (lower_trust(j, w->relative <= bad ? ZW_TRUST_REMARKS : ZW_TRUST_NOT))
        say_violation(j, w, what);
}

/* ---------------------------------------------------------------------- conflicts */

/* Contradictions accepted at the start: what remains of the rows where the run is now. */
static void judge_accepted(judgement *j)
{
    enum { most = 4 };
    zw_sim *sim = j->sim;
    int32_t m = sim->zm->m, said = 0;
    bool any = false;
    for (int32_t i = 0; i < m && !any; i++) any = was_accepted(sim, i);
    if (!any || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_levels(sim, &s);
    zb_text_add(j->text, "constraints that contradict each other were accepted: ");
    for (int32_t i = 0; i < m && said < most; i++) {
        if (!was_accepted(sim, i)) continue;
        bool holonomic = zm_row_kind_of(sim->zm, i) == ZM_HOLONOMIC;
        zb_text_add(j->text, said++ > 0 ? ", " : "");
        zr_text_row(sim->model, i, j->text);
        zb_text_add(j->text, " is off by ");
        zr_text_digits(j->text, fabs(sim->level[holonomic ? i : m + i]), 3);
    }
    say_time(j->text, " at t = ", sim->t);
}

/* Rows with indices in a sequence become a range. */
int32_t zr_text_conflict(const zw_sim *sim, zb_text *text)
{
    enum { most = 6 };
    int32_t last = -1;
    zr_name_ranges runs;
    zr_name_ranges_init(&runs, sim->memory);
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (!(sim->run->record.conflict_size[i] > 0.0)) continue;
        zr_text_row(sim->model, i, &runs.name);
        zr_name_ranges_add(&runs, "");
        last = i;
    }
    zr_name_ranges_list(&runs, most, " and ", text);
    if (runs.failure != ZW_OK) text->failure = runs.failure;
    zr_name_ranges_free(&runs);
    return last;
}

/* The last one that is kept may go on; of others there is only the number. */
void zr_text_span_list(const zr_span *spans, int64_t count, zb_text *text)
{
    enum { most = 3 };
    int64_t said = 0;
    for (; said < count && said < most; said++) {
        say_time(text, said > 0 ? ", from t = " : "from t = ", spans[said].from);
        if (isnan(spans[said].to))
            zb_text_add(text, " on");
        else
            say_time(text, " to ", spans[said].to);
    }
    if (count > said) zb_text_printf(text, " and %lld times more", (long long)(count - said));
}

void zr_text_spans(const zw_sim *sim, zb_text *text)
{
    zr_text_span_list(sim->run->seams.spans, sim->run->seams.span_count, text);
}

/* A row on velocities alone has no position to be off. */
int32_t zr_text_left(const zw_sim *sim, zb_text *text)
{
    enum { most = 4 };
    const zr_seams *seams = &sim->run->seams;
    int32_t said = 0, more = 0, last = -1;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (isnan(seams->left_t[i])) continue;
        last = i;
        if (said >= most) {
            more++;
            continue;
        }
        if (said++ > 0) zb_text_add(text, ", ");
        zr_text_row(sim->model, i, text);
        zb_text_add(text, " off by ");
        bool holonomic = sim->row_kind[i] == ZM_HOLONOMIC;
        zr_text_digits(text, fabs(holonomic ? seams->left[i] : seams->left_rate[i]), 3);
        if (holonomic) zb_text_add(text, " and its rate by ");
        if (holonomic) zr_text_digits(text, fabs(seams->left_rate[i]), 3);
        say_time(text, " at t = ", seams->left_t[i]);
    }
    if (more > 0) zb_text_printf(text, " and %d more", (int)more);
    return last;
}

/* Rows that ask for accelerations that contradict each other, on the way, and what that left. */
static void judge_conflict(judgement *j)
{
    if (isnan(j->stats->first_inconsistent) || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    (void)zr_text_demands(j->sim, j->text);
    zr_text_spans(j->sim, j->text);
    if (!zr_has_left_rows(j->sim)) return;
    zb_text_add(j->text, ", which left ");
    (void)zr_text_left(j->sim, j->text);
}

/* Positions that no longer met all rows, and what of them is left where the run is now. */
static void judge_lock(judgement *j)
{
    const zr_record *record = &j->sim->run->record;
    if (isnan(record->locked_t) || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    say_time(j->text, "from t = ", record->locked_t);
    zb_text_add(j->text, " on no position meets ");
    (void)zr_text_locked(j->sim, j->text);
    zb_text_add(j->text, " together: the motion is at the compromise of least squares");
}

/* Then the energy is excused as well: such rows do work. */
static bool is_any_excused(const zw_sim *sim)
{
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (zr_is_excused(sim, i)) return true;
    return false;
}

/* ------------------------------------------------------------------------- energy */

/* The end of the ledger: the energy now, and by how much it differs from the start and all
 * works. */
static void find_energy_error(zw_sim *sim, zw_ledger *e)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_energies now;
    zr_energies_at(sim, &s, &now);
    e->end = now.h;
    e->scale = fmax(e->scale, now.scale);
    double works = e->impressed + e->dissipation + e->ideal + e->nonideal + e->friction +
                   e->control + e->explicit_time + e->impacts + e->events + e->inputs;
    e->error = e->end - e->start - works - sim->run->held.sum;
}

/* A speed that is rounding: of positions in a step, or of forces that balance. */
static double find_noise_speed(const zw_sim *sim, int32_t i, double step)
{
    return 1e3 * DBL_EPSILON * (fabs(sim->q[i]) / step + sim->run->step.pushes[i] * step);
}

/* The kinetic energy of speeds that are rounding: a system whose energies never were larger has not
 * moved, and its works are those of rounding. */
static double find_least_energy(zw_sim *sim)
{
    double *v = sim->run->step.stage, step = find_longest_step(sim);
    zr_energies slow;
    for (int32_t i = 0; i < sim->zm->n; i++) v[i] = find_noise_speed(sim, i, step);
    zk_source s = zr_source(sim, sim->t, sim->q, v);
    zr_energies_at(sim, &s, &slow);
    return fabs(slow.kinetic);
}

/* The largest of them, so that small differences of large works are no error. */
double zr_energy_measure(const zw_ledger *e)
{
    const double works[] = {e->impressed, e->dissipation,   e->ideal,   e->nonideal, e->friction,
                            e->control,   e->explicit_time, e->impacts, e->events,   e->inputs};
    double measure = e->scale;
    for (size_t k = 0; k < sizeof works / sizeof *works; k++)
        measure = fmax(measure, fabs(works[k]));
    return measure;
}

/* Stiff forces make a large power of a small error of the state. */
static bool is_stiff(const judgement *j)
{
    return j->stats->stiff || j->sim->run->settings.method == ZW_BDF;
}

/* An energy that is off: by how much, of what; where it is that of an island, a coordinate of it. */
typedef struct energy_error {
    double error, measure, least;
    bool conserved;
    int32_t coordinate; /* -1: of everything */
} energy_error;

static void say_energy_error(judgement *j, const energy_error *e, bool excused, bool uncertain)
{
    zb_text_add(j->text, "the energy");
    if (e->coordinate >= 0) {
        zb_text_add(j->text, " of `");
        zr_text_coordinate(j->sim->model, e->coordinate, false, j->text);
        zb_text_add(j->text, "` and what it has to do with");
    }
    zb_text_add(j->text, e->conserved ? ", which is conserved, is off by "
                                      : " differs from what the works say by ");
    zr_text_digits(j->text, fabs(e->error), 3);
    zb_text_add(j->text, " of ");
    zr_text_digits(j->text, e->measure, 3);
    if (excused)
        zb_text_add(j->text, " (constraints in conflict do work)");
    else if (uncertain)
        zb_text_add(j->text, " (works of stiff forces are uncertain)");
}

/* Within 1000 tolerances it is as usual; within 100000, or where something excuses it, a remark.
 * Whether it was too large. */
static bool judge_energy_error(judgement *j, const energy_error *e)
{
    double tol = j->sim->run->settings.tol;
    double good = fmin(fmax(1e3 * tol, 1e-11), 1e-3), fair = fmin(fmax(1e5 * tol, 1e-9), 1e-2);
    bool excused = is_any_excused(j->sim), uncertain = !e->conserved && is_stiff(j);
    if (fabs(e->error) <= fmax(good * e->measure, e->least)) return false;
    bool mild = fabs(e->error) <= fair * e->measure || excused || uncertain;
    if (lower_trust(j, mild ? ZW_TRUST_REMARKS : ZW_TRUST_NOT))
        say_energy_error(j, e, excused, uncertain);
    return true;
}

/* As find_least_energy, of an island, by the inertias of the start. Contacts do not make an island of
 * what they join: impulses and projections leave it rounding of the speeds of all. */
static double find_least_of_island(const zw_sim *sim, int32_t island, double whole)
{
    double step = find_longest_step(sim), sum = 0.0, rounding = 1e3 * DBL_EPSILON;
    for (int32_t i = 0; i < sim->zm->n; i++) {
        double v = find_noise_speed(sim, i, step);
        if (sim->model->island[i] == island) sum += sim->run->step.inertia[i] * v * v / 2.0;
    }
    return fmax(fabs(sum), sim->contacts ? rounding * rounding * whole : 0.0);
}

/* Islands that conserve their energies, each by itself; the first that does not is told. What is
 * left of the whole, those with works, becomes `rest`. Events move energy that is not told apart. */
static bool judge_islands(judgement *j, energy_error *rest)
{
    zw_sim *sim = j->sim;
    const zr_record *record = &sim->run->record;
    const bool *works = sim->model->energy->island_works;
    int32_t islands = sim->model->island_count;
    bool told = false, any = false;
    double scale = 0.0;
    if (!record->island_h || sim->run->events.fired_count > 0 || record->set_count > 0)
        return false;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_watch_islands(sim, &s);
    for (int32_t g = 0, i = 0; g < islands; g++) {
        double error = record->island_now[g] - record->island_h[g], size = record->island_scale[g];
        while (sim->model->island[i] != g) i++; /* in the order of their first coordinates */
        if (works[g]) {
            any = true;
            scale += size;
            continue;
        }
        rest->error -= error;
        if (told || fabs(error) <= 1e-11 * size) continue;
        double least = find_least_of_island(sim, g, j->stats->energy.scale);
        energy_error own = {error, size, least, true, i};
        told = size > own.least && judge_energy_error(j, &own);
    }
    if (!any || fabs(rest->error) <= 1e-14 * j->stats->energy.scale) return true;
    zw_ledger ledger = j->stats->energy;
    ledger.scale = scale;
    rest->measure = zr_energy_measure(&ledger);
    return told;
}

static void judge_energy(judgement *j)
{
    const zw_ledger *e = &j->stats->energy;
    energy_error all = {e->error, zr_energy_measure(e), find_least_energy(j->sim), e->conserved,
                        -1};
    if (judge_islands(j, &all) || e->scale <= all.least) return;
    (void)judge_energy_error(j, &all);
}

/* --------------------------------------------------------------------- the motion */

/* States at which the rank differs from the one before, or a limit was taken. */
static void judge_rank(judgement *j)
{
    const zw_run_statistics *s = j->stats;
    if (s->rank_changes == 0 && s->singular == 0 && s->passages == 0) return;
    if (!lower_trust(j, ZW_TRUST_REMARKS)) return;
    double first = fmin(s->first_rank_change, s->first_passage); /* NaN: not that one */
    zb_text_add(j->text, "the motion went through singular configurations");
    if (!isnan(first)) say_time(j->text, ", first at t = ", first);
}

/* No state on the constraints beside the start was reached that would tell. */
static void judge_certainty(judgement *j)
{
    const zw_run_statistics *s = j->stats;
    if (s->generic_most <= s->generic_rank || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    zb_text_printf(j->text, "the rank of the constraints is not certain, %d to %d",
                   (int)s->generic_rank, (int)s->generic_most);
}

/* Forces in the rows that the mechanics does not determine. */
static void judge_shares(judgement *j)
{
    const zr_shares *x = &j->sim->run->shares;
    if (isnan(x->first) || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    zb_text_add(j->text, "what was written of ");
    zr_text_shares(j->sim, j->text);
    zb_text_add(j->text, " is not unique");
    if (x->passing) say_time(j->text, " at t = ", x->first);
}

/* The motion depends on how dependent rows share a reaction. */
static void judge_choice(judgement *j)
{
    double first = j->sim->run->feedback.chosen;
    if (isnan(first) || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    say_time(j->text,
             "the motion follows a share of a reaction that is not unique, from t = ", first);
}

/* Friction follows the reaction as it would be without it. */
static void judge_feedback(judgement *j)
{
    const zr_feedback *x = &j->sim->run->feedback;
    if (isnan(x->first) || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    zb_text_add(j->text, "friction follows the reaction without it, which it changes by up to ");
    zr_text_digits(j->text, 100.0 * x->worst, 2);
    zb_text_add(j->text, " %");
    say_time(j->text, " (t = ", x->worst_t);
    zb_text_char(j->text, ')');
}

/* Rows that are independent, yet were taken for dependent until then: contradictions before were
 * none. */
static void judge_raised_rank(judgement *j)
{
    double t = j->sim->run->record.raised_t;
    if (isnan(t) || !lower_trust(j, ZW_TRUST_NOT)) return;
    zb_text_add(j->text, "the constraints are more than they seemed around the start: their rank "
                         "was taken for less");
    say_time(j->text, " until t = ", t);
}

/* Values that an event has set did not fit the constraints, and much energy went into that. */
static void judge_jump(judgement *j)
{
    const zr_motion *run = j->sim->run;
    if (!(fabs(run->events.jump) > 1e-3 * zr_energy_measure(&j->stats->energy))) return;
    if (fabs(run->events.jump) <= find_least_energy(j->sim) || !lower_trust(j, ZW_TRUST_REMARKS))
        return;
    zb_text_add(j->text, "what `");
    zr_text_event(j->sim->model, run->events.jump_event, j->text);
    say_time(j->text, "` left at t = ", run->events.jump_t);
    zb_text_add(j->text, " was moved onto the constraints, which changed the energy by ");
    zr_text_digits(j->text, run->events.jump, 3);
}

/* Not where auto has changed the method for it. */
static void judge_stiffness(judgement *j)
{
    const zw_run_statistics *s = j->stats;
    if (!s->stiff || s->switched || !lower_trust(j, ZW_TRUST_REMARKS)) return;
    say_time(j->text, "the motion is stiff from t = ", s->first_stiff);
}

/* A state at which branches of the motion meet was hit. */
static void judge_branch(judgement *j)
{
    if (isnan(j->stats->first_unsure) || !lower_trust(j, ZW_TRUST_NOT)) return;
    zb_text_add(j->text,
                "a step ended so close to a singular configuration that the motion may have "
                "changed its branch");
    say_time(j->text, ", at t = ", j->stats->first_unsure);
}

/* A step that could not be made to the tolerance: close to a singular place rounding is larger. */
static void judge_excused(judgement *j)
{
    const zw_run_statistics *s = j->stats;
    bool much = s->excused > 1e3 && s->excused * j->sim->run->settings.tol > 1e-7;
    if (!(s->excused > 1.0) || !lower_trust(j, much ? ZW_TRUST_NOT : ZW_TRUST_REMARKS)) return;
    zb_text_add(j->text, "close to a singular configuration a step has an error of ");
    zr_text_digits(j->text, s->excused, 2);
    say_time(j->text, " tolerances, at t = ", s->excused_t);
}

/* What slides is told, and what conditions were not watched. */
static void judge_switches(judgement *j)
{
    const zr_switching *w = &j->sim->run->switching;
    const struct zr_switches *all = j->sim->model->switches;
    for (int32_t k = 0; k < w->count; k++) {
        if (w->slid[k].times == 0) continue;
        if (lower_trust(j, ZW_TRUST_REMARKS)) zr_text_slide(j->sim, k, j->text);
        return;
    }
    if (j->sim->run->step.crowded && lower_trust(j, ZW_TRUST_NOT)) {
        zb_text_add(j->text, "conditions change more often than steps of this length can tell");
        return;
    }
    if (all && all->unwatched > 0 && lower_trust(j, ZW_TRUST_REMARKS))
        zb_text_add(j->text, "conditions were not watched");
}

/* All reasons, in the order in which they are told. */
static void judge_all(judgement *j)
{
    judge_end(j);
    judge_branch(j);
    judge_excused(j);
    judge_raised_rank(j);
    judge_violation(j, &j->stats->position, "in position");
    judge_violation(j, &j->stats->velocity, "in velocity");
    judge_energy(j);
    judge_accepted(j);
    judge_conflict(j);
    judge_lock(j);
    judge_rank(j);
    judge_certainty(j);
    judge_shares(j);
    judge_choice(j);
    judge_feedback(j);
    judge_impacts(j);
    judge_motors(j);
    judge_friction_shares(j);
    judge_jump(j);
    judge_start(j);
    judge_start_branch(j);
    judge_stiffness(j);
    judge_switches(j);
}

/* Twice: first for the trust, then for the reasons of that level. */
void zr_judge(zw_sim *sim, zw_run_statistics *stats, zb_text *reason)
{
    judgement j = {.sim = sim, .stats = stats, .trust = ZW_TRUST_OK};
    find_energy_error(sim, &stats->energy);
    judge_all(&j);
    stats->trust = j.trust;
    if (!reason || j.trust == ZW_TRUST_OK) return;
    j.text = reason;
    j.wanted = j.trust;
    judge_all(&j);
}
