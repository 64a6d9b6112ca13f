/*
 * Running: down through the steps, the rest, back up.
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
    const ze_manner *manner;
    pass pass;
    bool alone; /* one workspace serves all chunks */
} work;

/* The least pivot over its size in a group, at most; -1: a pivot is not positive. */
static double margin_of(const double *sum, const double *least, int32_t width)
{
    double worst = 1.0;
    for (int32_t l = 0; l < width; l++) {
        bool fine = least[l] > 0.0 && sum[l] <= 1e300; /* a NaN is not */
        double ratio = fine ? 1.0 / sum[l] : -1.0;
        if (ratio < worst) worst = ratio;
    }
    return worst;
}

static void down(const work *w, const ze_cell *cell, int32_t group, int32_t chunk,
                 double *workspace)
{
    ze_matrix *m = w->m;
    int64_t width = m->width;
    double *record =
        m->numbers + cell->records_at + (int64_t)group * ze_group_size(cell->record, m->width);
    zk_frame frame = {.position = m->numbers + cell->inputs_at +
                                  (int64_t)group * ze_group_size(cell->slots, m->width),
                      .velocity = record + cell->stored_at * width,
                      .workspace = workspace};
    if (w->pass == FORWARD) {
        frame.out = record + cell->right_at * width;
        zk_run_frame(cell->forward, m->width, w->manner->evaluator, &frame);
        return;
    }
    frame.out = record;
    frame.velocity = NULL;
    zk_run_frame(cell->down, m->width, w->manner->evaluator, &frame);
    const double *margin = record + cell->margin_at * width;
    double worst = margin_of(margin, margin + width, m->width);
    if (worst < m->worst[chunk]) m->worst[chunk] = worst;
}

static void back(const work *w, const ze_cell *cell, int32_t group, double *workspace)
{
    ze_matrix *m = w->m;
    int64_t width = m->width, count = cell->outer * width;
    const int32_t *at = cell->outer_at + group * count;
    double *outer = workspace; /* first, the registers behind */
    for (int64_t k = 0; k < count; k++) outer[k] = m->answers[at[k]];
    const double *record =
        m->numbers + cell->records_at + (int64_t)group * ze_group_size(cell->record, m->width);
    zk_frame frame = {.velocity = record + cell->stored_at * width,
                      .measure = outer,
                      .out = m->answers + cell->answers_at +
                             (int64_t)group * ze_group_size(cell->inner, m->width),
                      .workspace = workspace + (count + 7) / 8 * 8};
    zk_run_frame(cell->back, m->width, w->manner->evaluator, &frame);
}

static void run_chunk(void *user, int32_t chunk, int32_t worker)
{
    const work *w = user;
    const ze_chunk *c = &w->step->chunks[chunk];
    const ze_cell *cell = &w->step->cells[c->cell];
    double *workspace = w->m->workspace + (w->alone ? 0 : (size_t)chunk) * w->m->workspace_size;
    (void)worker;
    w->m->worst[chunk] = 1.0;
    for (int32_t g = c->first; g < c->first + c->count; g++) {
        if (w->pass == BACK)
            back(w, cell, g, workspace);
        else
            down(w, cell, g, chunk, workspace);
    }
}

static void run_step(ze_matrix *m, int32_t k, pass which, const ze_manner *manner)
{
    work w = {.m = m, .step = &m->steps[k], .manner = manner, .pass = which};
    w.alone = w.step->chunk_count == 1 || zb_team_size(manner->team) == 1;
    if (!w.alone) {
        zb_team_run(manner->team, run_chunk, &w, w.step->chunk_count);
        return;
    }
    for (int32_t c = 0; c < w.step->chunk_count; c++) run_chunk(&w, c, 0);
}

/* ----------------------------------------------------------------------------- rest */

/* The ordinary factor; its least pivot over the diagonal entry of the first matrix, at most: the
 * least over the entry it had here, times the least share of an entry that is left here; these need
 * not be of the same row. */
static double factor_rest(ze_matrix *m)
{
    const ze_rest *rest = &m->rest;
    const double *values = m->numbers;
    za_pivots pivots;
    double share = 1.0;
    if (rest->n == 0) return 1.0;
    rest->way->factor(rest->factor, values + rest->values_at, &pivots);
    if (!pivots.complete || pivots.negative > 0) return -1.0;
    for (int32_t i = 0; i < rest->n && m->step_count > 0; i++) { /* few of them divide */
        double now = values[rest->diagonal_at[i]], size = values[rest->size_at[i]];
        if (!(now >= share * size)) share = now / size;
    }
    return pivots.smallest * share;
}

static void solve_rest(ze_matrix *m)
{
    const ze_rest *rest = &m->rest;
    double *x = m->answers + rest->answers_at;
    if (rest->n == 0) return;
    for (int32_t i = 0; i < rest->n; i++) x[i] = m->numbers[rest->right_at + i];
    rest->way->solve(rest->factor, x, rest->work);
}

static void run_back(ze_matrix *m, const ze_manner *manner)
{
    solve_rest(m);
    for (int32_t k = m->step_count - 1; k >= 0; k--) run_step(m, k, BACK, manner);
}

void ze_matrix_solve(ze_matrix *matrix, const ze_manner *manner, double *smallest)
{
    *smallest = 1.0;
    for (int32_t k = 0; k < matrix->step_count; k++) {
        const ze_step *step = &matrix->steps[k];
        run_step(matrix, k, DOWN, manner);
        for (int32_t c = 0; c < step->chunk_count; c++)
            if (matrix->worst[c] < *smallest) *smallest = matrix->worst[c];
        ze_gather_run(&step->entries, matrix->numbers, matrix->numbers, manner->team);
        ze_gather_run(&step->rights, matrix->numbers, matrix->numbers, manner->team);
    }
    double rest = factor_rest(matrix);
    if (!(rest >= *smallest)) *smallest = rest;
    if (*smallest > 0.0) run_back(matrix, manner);
}

void ze_matrix_again(ze_matrix *matrix, const ze_manner *manner)
{
    for (int32_t k = 0; k < matrix->step_count; k++) {
        run_step(matrix, k, FORWARD, manner);
        ze_gather_run(&matrix->steps[k].rights, matrix->numbers, matrix->numbers, manner->team);
    }
    run_back(matrix, manner);
}
