/*
 * Computing the constrained acceleration from the matrices of a problem, as `solve` and `eval` both
 * do:
 *
 *     problem --plan, check, factor, solve, rank, basis, diagnose--> answer
 *
 * and the messages for whatever the library refuses on that way.
 */
#include "compute.h"

#include <stdio.h>

/* --------------------------------------------------------- what the library refuses */

/* What the command says when the library returns a status that is no success. */
typedef struct refusal {
    zw_status status;
    message_code code;
    const char *help;
} refusal;

/* clang-format off */
static const refusal refusals[] = {
    {ZW_ERR_MEMORY, MSG_MEMORY, NULL},
    {ZW_ERR_BUDGET, MSG_MEMORY, "--max-memory=SIZE gives another limit; at first it is half of what is available"},
    {ZW_ERR_NOT_FINITE, MSG_NOT_FINITE, NULL},
    {ZW_ERR_NOT_SYMMETRIC, MSG_NOT_SYMMETRIC,
     "M and W must be symmetric to 1e-12 of their largest entry"},
    {ZW_ERR_INDEFINITE, MSG_INDEFINITE,
     "look for a wrong sign, a zero weight, or an entry off the diagonal that is too large"},
    {ZW_ERR_UNDETERMINED, MSG_UNDETERMINED,
     "give what moves freely some inertia in M, or a constraint in A that holds it"},
    {ZW_ERR_INCONSISTENT, MSG_INCONSISTENT,
     "the forms gauss, moore-penrose and projection are defined for inconsistent constraints; "
     "the diagnosis of gauss names the conflict"},
    {ZW_ERR_SINGULAR_MASS, MSG_SINGULAR_MASS,
     "with a singular M use the form gauss, multipliers or gibbs-appell"},
    {ZW_ERR_RANGE, MSG_MAGNITUDE, "choose units in which the numbers are nearer to 1"},
    {ZW_ERR_ACCURACY, MSG_ACCURACY,
     "choose units in which the entries of M and A are of similar size, or try another form"},
    {ZW_ERR_INEQUALITY, MSG_BINDING,
     "solve by the form gauss, then give the rows it calls active as equations to this one"},
    {ZW_ERR_CONFLICT, MSG_CONFLICT, "without friction the answer names the rows in conflict"},
    {ZW_ERR_LARGE, MSG_LARGE, "make the model smaller, for example with --set"},
    {ZW_ERR_ARGUMENT, MSG_INTERNAL, "please report this with the data that caused it"},
};
/* clang-format on */

/* A status that is not in the table is a defect of the command, as the last one is. */
static const refusal *find_refusal(zw_status status)
{
    size_t count = sizeof refusals / sizeof *refusals;
    for (size_t k = 0; k < count; k++)
        if (refusals[k].status == status) return &refusals[k];
    return &refusals[count - 1];
}

/* The solver's own sentence, which names rows and values, where there is one. */
bool compute_refuse(message_log *log, const problem_place *place, zw_status status,
                    const zw_gauss *g)
{
    const refusal *r = find_refusal(status);
    char where[PLACE_SIZE], sentence[1024] = "";
    problem_prefix(place, where);
    zw_diagnostic d = {.file = place->file, .where = where[0] ? where : NULL, .help = r->help};
    if (g) (void)zw_gauss_explain(g, sentence, sizeof sentence);
    if (status == ZW_ERR_BUDGET && log->budget > 0)
        (void)snprintf(sentence, sizeof sentence,
                       "the %.4g MB of memory that the command may take do not suffice",
                       (double)log->budget / 1e6);
    message_report(log, r->code, &d, "%s", sentence[0] ? sentence : zw_status_sentence(status));
    return false;
}

/* ------------------------------------------------------------------- one problem */

/* The library's part, by the dense solver: everything of the answer but its text. */
static zw_status compute_dense(zw_gauss *g, const problem *p, answer *a)
{
    zw_status status = zw_gauss_check(g, p->M, p->A, p->W);
    if (status == ZW_OK) status = zw_gauss_factor(g, p->M, p->A, p->W);
    if (status == ZW_OK) status = zw_gauss_solve_form(g, p->form, p->Q, p->b, p->C, &a->values);
    if (status == ZW_OK) status = zw_gauss_rank(g, &a->rank);
    if (status == ZW_OK && p->basis) status = zw_gauss_basis(g, a->basis, &a->basis_count);
    if (status == ZW_OK) status = zw_gauss_diagnose(g, p->b, a->values.acceleration, &a->diagnosis);
    return status;
}

static const char *help_for_rank(const problem_place *place)
{
    return place->model ? "some constraints nearly follow from others here; zwang check names them"
                        : "set rank_tolerance to decide which rows count as dependent";
}

/* The rank was decided by pivots that are close to the tolerance. */
static void warn_of_rank(message_log *log, const problem_place *place,
                         const zw_gauss_rank_info *rank)
{
    char where[PLACE_SIZE];
    problem_prefix(place, where);
    zw_diagnostic d = {
        .file = place->file, .where = where[0] ? where : NULL, .help = help_for_rank(place)};
    message_report(log, MSG_RANK_UNSURE, &d,
                   "the rank of A is taken as %d, but not clear-cut: the smallest relative pivot "
                   "that counted is %.2g, the largest that did not %.2g, the tolerance %.2g",
                   (int)rank->rank, rank->accepted, rank->rejected, rank->tolerance);
}

/* The same for a model by its own solver: nothing is as large as n * n where that is sparse. */
static zw_status compute_by_own(zw_sim *sim, answer *a)
{
    zw_status status = zw_sim_solve(sim, &a->values);
    if (status == ZW_OK) status = zw_sim_rank(sim, &a->rank);
    if (status == ZW_OK) status = zw_sim_diagnose(sim, a->values.acceleration, &a->diagnosis);
    return status;
}

/* Refuses an answer with infinite numbers or NaN, warns where the rank is in doubt. False after a
 * report. */
static bool check_answer(message_log *log, const problem_place *place, const problem *p,
                         const answer *a)
{
    if (!answer_is_finite(p, a)) return compute_refuse(log, place, ZW_ERR_RANGE, NULL);
    if (a->rank.ambiguous) warn_of_rank(log, place, &a->rank);
    return true;
}

/* A basis, and forms other than gauss, only the dense solver has. Contacts share their loads by rules
 * that the model's own has. */
bool compute_model_answer(message_log *log, const problem_place *place, zw_sim *sim, bool contacts,
                          const problem *p, answer *a)
{
    bool sparse = zw_sim_solver(sim) == ZW_SOLVER_SPARSE, gauss = p->form == ZW_FORM_GAUSS;
    if (p->basis && contacts && gauss)
        return compute_answer(log, place, p, a) &&
               (zw_sim_solve(sim, &a->values) == ZW_OK ||
                compute_refuse(log, place, ZW_ERR_CONTACT, NULL));
    if (!(sparse || contacts) || !gauss || p->basis) return compute_answer(log, place, p, a);
    if (!answer_create(p, a)) return compute_refuse(log, place, ZW_ERR_MEMORY, NULL);
    zw_status status = compute_by_own(sim, a);
    if (status != ZW_OK) return compute_refuse(log, place, status, NULL);
    return check_answer(log, place, p, a);
}

/* Plans, computes and frees the solver. */
bool compute_answer(message_log *log, const problem_place *place, const problem *p, answer *a)
{
    zw_gauss_shape shape = {.n = p->n,
                            .m = p->m,
                            .inequalities = p->inequalities,
                            .mass = p->mass,
                            .weight = p->weight,
                            .rank_tolerance = p->rank_tolerance};
    zw_gauss *g = NULL;
    if (!answer_create(p, a)) return compute_refuse(log, place, ZW_ERR_MEMORY, NULL);
    zw_status status = zw_gauss_plan(log->context, &shape, &g);
    if (status != ZW_OK) return compute_refuse(log, place, status, NULL);
    status = compute_dense(g, p, a);
    if (status != ZW_OK) (void)compute_refuse(log, place, status, g);
    zw_gauss_free(g);
    return status == ZW_OK && check_answer(log, place, p, a);
}
