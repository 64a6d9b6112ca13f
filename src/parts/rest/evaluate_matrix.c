/*
 * Evaluating the programs of a matrix: down through the steps, the rest, back up.
 *
 *     step 0: down ─gather─▶ step 1: down ─gather─▶ rest: L D L^T, x
 *     step 0: back ◀──────── step 1: back ◀────────      (x of outer rows by tables)
 *
 * Groups of a step do not depend on each other: chunks of them go to the members of a team. Every
 * number is computed by one program in one order, sums are in the order of their tables, so that
 * bits do not depend on threads. Nothing is allocated.
 */
#include "matrix_plan.h"

double *ze_matrix_inputs(ze_matrix *matrix)
{
    return matrix->numbers;
}

int32_t ze_matrix_input_count(const ze_matrix *matrix)
{
    return matrix->input_count;
}

const int32_t *ze_matrix_entry_places(const ze_matrix *matrix)
{
    return matrix->entry_places;
}

const int32_t *ze_matrix_right_places(const ze_matrix *matrix)
{
    return matrix->right_places;
}

const double *ze_matrix_answers(const ze_matrix *matrix)
{
    return matrix->answers;
}

int32_t ze_matrix_answer_count(const ze_matrix *matrix)
{
    return matrix->answer_count;
}

const int32_t *ze_matrix_answer_places(const ze_matrix *matrix)
{
    return matrix->answer_places;
}

/* --------------------------------------------------------------------------- groups */

typedef enum pass { DOWN, FORWARD, BACK } pass;

typedef struct work {
    ze_matrix *m;
    const ze_step *step;
    const ze_execution *execution;
    pass pass;
    bool alone;              /* one workspace serves all chunks */
    const ze_direct *direct; /* or NULL */
} work;

/* The inputs of a group from the caller's arrays: entries, or right sides. */
static void fill_group(const work *w, const ze_row_class *class, int64_t at)
{
    double *to = w->m->numbers + at;
    const int32_t *source = w->direct->source + at;
    int64_t split = (int64_t)(class->inner + class->entry_count) * w->m->width;
    int64_t end = split + (int64_t) class->inner * w->m->width;
    if (w->pass == DOWN)
        for (int64_t k = 0; k < split; k++) to[k] = w->direct->values[source[k]];
    else
        for (int64_t k = split; k < end; k++) to[k] = w->direct->x[source[k]];
}

/* The least pivot over its size in a group; -1: a pivot is not positive. */
static double margin_of_group(const double *margin, int32_t width)
{
    const double *sum = margin, *least = margin + width, *largest = margin + 2 * width;
    double worst = 1.0;
    for (int32_t l = 0; l < width; l++) {
        bool fine = least[l] > 0.0 && sum[l] <= 1e300; /* a NaN is not */
        double ratio = fine ? 1.0 / largest[l] : -1.0;
        if (ratio < worst) worst = ratio;
    }
    return worst;
}

/* Down or forward of one group. Down keeps the least pivot of its chunk. */
static void eliminate_group(const work *w, const ze_row_class *class, int32_t group, int32_t chunk,
                            double *workspace)
{
    ze_matrix *m = w->m;
    int64_t width = m->width;
    int64_t at = class->inputs_at + (int64_t)group * ze_group_size(class->slots, m->width);
    double *record =
        m->numbers + class->records_at + (int64_t)group * ze_group_size(class->record, m->width);
    if (w->direct) fill_group(w, class, at);
    zk_frame frame = {.position = m->numbers + at,
                      .velocity = record + class->stored_at * width,
                      .workspace = workspace};
    if (w->pass == FORWARD) {
        frame.out = record + class->right_at * width;
        zk_evaluate_frame(class->forward, m->width, w->execution->evaluator, &frame);
        return;
    }
    frame.out = record;
    frame.velocity = NULL;
    zk_evaluate_frame(class->down, m->width, w->execution->evaluator, &frame);
    const double *margin = record + class->margin_at * width;
    double worst = margin_of_group(margin, m->width);
    if (worst < m->worst[chunk]) m->worst[chunk] = worst;
}

/* Back of one group: x of its outer rows by the table, then x inside; to the caller as well where
 * numbers go directly. */
static void substitute_group(const work *w, const ze_row_class *class, int32_t group,
                             double *workspace)
{
    ze_matrix *m = w->m;
    int64_t width = m->width, count = class->outer * width;
    const int32_t *at = class->outer_at + group * count;
    double *outer = workspace; /* first, the registers behind */
    for (int64_t k = 0; k < count; k++) outer[k] = m->answers[at[k]];
    const double *record =
        m->numbers + class->records_at + (int64_t)group * ze_group_size(class->record, m->width);
    int64_t to = class->answers_at + (int64_t)group * ze_group_size(class->inner, m->width);
    zk_frame frame = {.velocity = record + class->stored_at * width,
                      .measure = outer,
                      .out = m->answers + to,
                      .workspace = workspace + (count + 7) / 8 * 8};
    zk_evaluate_frame(class->back, m->width, w->execution->evaluator, &frame);
    for (int64_t k = 0; k < class->inner * width && w->direct; k++)
        w->direct->x[w->direct->owner[to + k]] = m->answers[to + k];
}

/* One pass over the groups of a chunk: a task of zb_team_do. Which worker it is does not matter,
 * as every chunk has a workspace of its own. */
static void evaluate_matrix_chunk(void *user, int32_t chunk, int32_t worker)
{
    const work *w = user;
    const ze_matrix_chunk *c = &w->step->chunks[chunk];
    const ze_row_class *class = &w->step->classes[c->class];
    double *workspace = w->m->workspace + (w->alone ? 0 : (size_t)chunk) * w->m->workspace_size;
    (void)worker;
    w->m->worst[chunk] = 1.0;
    for (int32_t g = c->first; g < c->first + c->count; g++) {
        if (w->pass == BACK)
            substitute_group(w, class, g, workspace);
        else
            eliminate_group(w, class, g, chunk, workspace);
    }
}

/* One pass over all chunks of step k, by the team where there is one and several chunks. Only step
 * 0 knows the caller's arrays. */
static void evaluate_step(ze_matrix *m, int32_t k, pass which, const ze_execution *execution,
                          const ze_direct *direct)
{
    work w = {.m = m, .step = &m->steps[k], .execution = execution, .pass = which};
    w.direct = k == 0 ? direct : NULL;
    w.alone = w.step->chunk_count == 1 || zb_team_size(execution->team) == 1;
    if (!w.alone) {
        zb_team_do(execution->team, evaluate_matrix_chunk, &w, w.step->chunk_count);
        return;
    }
    for (int32_t c = 0; c < w.step->chunk_count; c++) evaluate_matrix_chunk(&w, c, 0);
}

/* ----------------------------------------------------------------------------- rest */

/* The ordinary factor; its least pivot over the diagonal entry of the first matrix. */
static double factor_rest(ze_matrix *m)
{
    const ze_rest *rest = &m->rest;
    const double *values = m->numbers;
    za_pivots pivots;
    double largest = 1.0; /* entry over pivot */
    if (rest->n == 0) return 1.0;
    rest->way->factor(rest->factor, values + rest->values_at, &pivots);
    if (!pivots.complete || pivots.negative > 0) return -1.0;
    rest->way->pivots(rest->factor, rest->work);
    for (int32_t i = 0; i < rest->n; i++)
        largest = zb_larger(largest, values[rest->size_at[i]] * rest->work[i]);
    return 1.0 / largest;
}

/* x of the rest from its right sides, by its factor. */
static void solve_rest(ze_matrix *m)
{
    const ze_rest *rest = &m->rest;
    double *x = m->answers + rest->answers_at;
    if (rest->n == 0) return;
    for (int32_t i = 0; i < rest->n; i++) x[i] = m->numbers[rest->right_at + i];
    rest->way->solve(rest->factor, x, rest->work);
}

/* ------------------------------------------------------------------------------- all */

/* The factor, and the right sides on their way down with it; as ze_matrix_solve returns. */
static double eliminate_steps(ze_matrix *m, const ze_execution *execution, const ze_direct *direct)
{
    double smallest = 1.0;
    for (int32_t k = 0; k < m->step_count; k++) {
        const ze_step *step = &m->steps[k];
        evaluate_step(m, k, DOWN, execution, direct);
        for (int32_t c = 0; c < step->chunk_count; c++)
            if (m->worst[c] < smallest) smallest = m->worst[c];
        ze_gather_add(&step->entries, m->numbers, m->numbers, execution->team);
        if (!direct) ze_gather_add(&step->rights, m->numbers, m->numbers, execution->team);
    }
    double rest = factor_rest(m);
    return rest >= smallest ? smallest : rest;
}

/* Right sides down through all steps with the factors that are there. */
static void forward_steps(ze_matrix *m, const ze_execution *execution, const ze_direct *direct)
{
    for (int32_t k = 0; k < m->step_count; k++) {
        evaluate_step(m, k, FORWARD, execution, direct);
        ze_gather_add(&m->steps[k].rights, m->numbers, m->numbers, execution->team);
    }
}

/* The rest first, then x inside the parts, the last step first. */
static void substitute_steps(ze_matrix *m, const ze_execution *execution, const ze_direct *direct)
{
    solve_rest(m);
    for (int32_t k = m->step_count - 1; k >= 0; k--) evaluate_step(m, k, BACK, execution, direct);
}

void ze_matrix_solve(ze_matrix *matrix, const ze_execution *execution, double *smallest)
{
    *smallest = eliminate_steps(matrix, execution, NULL);
    if (*smallest > 0.0) substitute_steps(matrix, execution, NULL);
}

void ze_matrix_again(ze_matrix *matrix, const ze_execution *execution)
{
    forward_steps(matrix, execution, NULL);
    substitute_steps(matrix, execution, NULL);
}

static const ze_execution alone = {.evaluator = ZK_FASTEST};

/* What is not in step 0 is put to its place one by one; the groups of step 0 fetch theirs. */
void ze_factor_directly(ze_matrix *m, const ze_direct *s, double *smallest)
{
    for (int32_t k = 0; k < s->entry_count; k++)
        m->numbers[s->entries[k].row] = s->values[s->entries[k].column];
    *smallest = eliminate_steps(m, &alone, s);
}

/* The same for right sides and answers. */
void ze_solve_directly(ze_matrix *m, const ze_direct *s)
{
    for (int32_t k = 0; k < s->row_count; k++)
        m->numbers[s->rights[k].row] = s->x[s->rights[k].column];
    forward_steps(m, &alone, s);
    substitute_steps(m, &alone, s);
    for (int32_t k = 0; k < s->row_count; k++)
        s->x[s->others[k].column] = m->answers[s->others[k].row];
}
