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
    bool alone;                  /* one workspace serves all chunks */
    const ze_straight *straight; /* or NULL */
} work;

/* The inputs of a group from the caller's arrays: entries, or right sides. */
static void fill_group(const work *w, const ze_cell *cell, int64_t at)
{
    double *to = w->m->numbers + at;
    const int32_t *source = w->straight->source + at;
    int64_t split = (int64_t)(cell->inner + cell->entry_count) * w->m->width;
    int64_t end = split + (int64_t)cell->inner * w->m->width;
    if (w->pass == DOWN)
        for (int64_t k = 0; k < split; k++) to[k] = w->straight->values[source[k]];
    else
        for (int64_t k = split; k < end; k++) to[k] = w->straight->x[source[k]];
}

/* The least pivot over its size in a group; -1: a pivot is not positive. */
static double margin_of(const double *margin, int32_t width)
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

static void down(const work *w, const ze_cell *cell, int32_t group, int32_t chunk,
                 double *workspace)
{
    ze_matrix *m = w->m;
    int64_t width = m->width;
    int64_t at = cell->inputs_at + (int64_t)group * ze_group_size(cell->slots, m->width);
    double *record =
        m->numbers + cell->records_at + (int64_t)group * ze_group_size(cell->record, m->width);
    if (w->straight) fill_group(w, cell, at);
    zk_frame frame = {.position = m->numbers + at,
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
    double worst = margin_of(margin, m->width);
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
    int64_t to = cell->answers_at + (int64_t)group * ze_group_size(cell->inner, m->width);
    zk_frame frame = {.velocity = record + cell->stored_at * width,
                      .measure = outer,
                      .out = m->answers + to,
                      .workspace = workspace + (count + 7) / 8 * 8};
    zk_run_frame(cell->back, m->width, w->manner->evaluator, &frame);
    for (int64_t k = 0; k < cell->inner * width && w->straight; k++)
        w->straight->x[w->straight->owner[to + k]] = m->answers[to + k];
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

static void run_step(ze_matrix *m, int32_t k, pass which, const ze_manner *manner,
                     const ze_straight *straight)
{
    work w = {.m = m, .step = &m->steps[k], .manner = manner, .pass = which};
    w.straight = k == 0 ? straight : NULL;
    w.alone = w.step->chunk_count == 1 || zb_team_size(manner->team) == 1;
    if (!w.alone) {
        zb_team_run(manner->team, run_chunk, &w, w.step->chunk_count);
        return;
    }
    for (int32_t c = 0; c < w.step->chunk_count; c++) run_chunk(&w, c, 0);
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
    for (int32_t i = 0; i < rest->n; i++) {
        double ratio = values[rest->size_at[i]] * rest->work[i];
        if (!(ratio <= largest)) largest = ratio;
    }
    return 1.0 / largest;
}

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
static double run_down(ze_matrix *m, const ze_manner *manner, const ze_straight *straight)
{
    double smallest = 1.0;
    for (int32_t k = 0; k < m->step_count; k++) {
        const ze_step *step = &m->steps[k];
        run_step(m, k, DOWN, manner, straight);
        for (int32_t c = 0; c < step->chunk_count; c++)
            if (m->worst[c] < smallest) smallest = m->worst[c];
        ze_gather_run(&step->entries, m->numbers, m->numbers, manner->team);
        if (!straight) ze_gather_run(&step->rights, m->numbers, m->numbers, manner->team);
    }
    double rest = factor_rest(m);
    return rest >= smallest ? smallest : rest;
}

static void run_forward(ze_matrix *m, const ze_manner *manner, const ze_straight *straight)
{
    for (int32_t k = 0; k < m->step_count; k++) {
        run_step(m, k, FORWARD, manner, straight);
        ze_gather_run(&m->steps[k].rights, m->numbers, m->numbers, manner->team);
    }
}

static void run_back(ze_matrix *m, const ze_manner *manner, const ze_straight *straight)
{
    solve_rest(m);
    for (int32_t k = m->step_count - 1; k >= 0; k--) run_step(m, k, BACK, manner, straight);
}

void ze_matrix_solve(ze_matrix *matrix, const ze_manner *manner, double *smallest)
{
    *smallest = run_down(matrix, manner, NULL);
    if (*smallest > 0.0) run_back(matrix, manner, NULL);
}

void ze_matrix_again(ze_matrix *matrix, const ze_manner *manner)
{
    run_forward(matrix, manner, NULL);
    run_back(matrix, manner, NULL);
}

static const ze_manner alone = {.evaluator = ZK_FASTEST};

void ze_straight_factor(ze_matrix *m, const ze_straight *s, double *smallest)
{
    for (int32_t k = 0; k < s->entry_count; k++)
        m->numbers[s->entries[k].row] = s->values[s->entries[k].column];
    *smallest = run_down(m, &alone, s);
}

void ze_straight_solve(ze_matrix *m, const ze_straight *s)
{
    for (int32_t k = 0; k < s->row_count; k++)
        m->numbers[s->rights[k].row] = s->x[s->rights[k].column];
    run_forward(m, &alone, s);
    run_back(m, &alone, s);
    for (int32_t k = 0; k < s->row_count; k++)
        s->x[s->others[k].column] = m->answers[s->others[k].row];
}
