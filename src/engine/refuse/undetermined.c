/*
 * Matrices M, A, W that do not determine a motion, as messages: coordinates without inertia that no
 * constraint determines (E0407), a mass matrix that is negative in some direction (E0408), a weight
 * that is not positive definite (E0409), anything else (E0410); during a run all of them are E0703.
 * And nonideal forces that use a share of the reaction that dependent rows leave open (W0611).
 */
#include <math.h>
#include <string.h>

#include "start.h"

/* ----------------------------------------------------------- missing inertia */

/* The statement that declares coordinate i. */
static zl_place place_of_coordinate(const zm_model *zm, int32_t i)
{
    for (int32_t k = 0; k < zm->coordinate_blocks; k++) {
        const zm_block *b = &zm->coordinates[k];
        int32_t size = (b->rows > 0 ? b->rows : 1) * (b->columns > 0 ? b->columns : 1);
        if (i >= b->first && i < b->first + size) return b->place;
    }
    return zr_nowhere;
}

/* Does one of the coordinates moves [n] stand in a constraint? Then another state may determine
 * it. */
static bool stand_in_constraints(const zw_sim *sim, const bool *moves)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t p = 0; p < A->count; p++)
        if (moves[A->column[p]]) return true;
    return false;
}

/* The sentence of E0407. moves [n] are the coordinates, `count` of them, that take part in a
 * free motion. */
static void say_free_coordinates(const zw_sim *sim, const bool *moves, int32_t count, zb_text *text)
{
    enum { most = 8 };
    int32_t said = 0;
    zb_text_add(text, count == 1 ? "coordinate " : "coordinates ");
    for (int32_t i = 0; i < sim->zm->n && said < most; i++) {
        if (!moves[i]) continue;
        if (said > 0) zb_text_add(text, said == count - 1 ? " and " : ", ");
        zr_text_coordinate(sim->model, i, 0, text);
        said++;
    }
    if (said < count) zb_text_printf(text, " and %d more", (int)(count - said));
    if (count == 1)
        zb_text_add(text, " has no inertia and no constraint determines it");
    else
        zb_text_add(text, " can move in a way that has no inertia and that no constraint "
                          "determines");
    if (!zr_on_the_way(sim) && !stand_in_constraints(sim, moves)) return;
    zb_text_char(text, ' ');
    zr_text_when(sim, text);
}

/* E0407 at the first of the coordinates moves [n]. */
static zw_status report_free_motion(zw_sim *sim, const bool *moves, int32_t count, zb_text *text)
{
    int32_t first = 0;
    say_free_coordinates(sim, moves, count, text);
    while (first < sim->zm->n - 1 && !moves[first]) first++;
    zr_message message = {.code = zr_code(sim, "E0407", "E0703"),
                          .place = place_of_coordinate(sim->zm, first),
                          .help = "add its kinetic energy (or a `mass`), or a constraint that "
                                  "ties it to the others"};
    return zr_report(sim->model, &message, text);
}

/* E0410, or E0703 of a run: the solver's own sentence. */
static zw_status report_unsolvable(zw_sim *sim, const char *sentence, zb_text *text)
{
    zb_text_add(text, "the equations cannot be solved ");
    zr_text_when(sim, text);
    zb_text_printf(text, ": %s", sentence);
    zr_message message = {.code = zr_code(sim, "E0410", "E0703"), .place = zr_nowhere};
    return zr_report(sim->model, &message, text);
}

/* Which coordinates can move without inertia and constraint: the system of all rows says so. */
static zw_status report_undetermined(zw_sim *sim, zb_arena *arena, zb_text *text)
{
    bool *moves = ZB_NEW_ARRAY(arena, bool, sim->zm->n);
    int32_t count = 0;
    if (!moves) return arena->failure;
    ZB_TRY(zg_system_free_coordinates(sim->solver->all.system, moves));
    for (int32_t i = 0; i < sim->zm->n; i++) count += moves[i];
    if (count > 0) return report_free_motion(sim, moves, count, text);
    return report_unsolvable(sim, zb_status_sentence(ZW_ERR_UNDETERMINED), text);
}

/* ------------------------------------------------------------------ indefinite */

/* E0408: M fails at coordinate i. */
static zw_status report_negative_mass(zw_sim *sim, int32_t i, zb_text *text)
{
    zb_text_add(text, "the mass matrix is negative in a direction that contains coordinate ");
    zr_text_coordinate(sim->model, i, 0, text);
    if (zr_on_the_way(sim)) zb_text_char(text, ' ');
    if (zr_on_the_way(sim)) zr_text_when(sim, text);
    zr_message message = {.code = zr_code(sim, "E0408", "E0703"),
                          .place = place_of_coordinate(sim->zm, i),
                          .help = "inertia cannot be negative: look at the signs of masses and "
                                  "kinetic energies"};
    return zr_report(sim->model, &message, text);
}

/* E0409, at the statement that weighs this row, else at its constraint. */
static zw_status report_bad_weight(zw_sim *sim, int32_t row, zb_text *text)
{
    zb_text_add(text, "the weight is not positive definite: it fails at ");
    zr_text_row(sim->model, row, text);
    zr_message message = {.code = "E0409", .place = zr_row_place(sim->model, row)};
    for (int32_t k = 0; k < sim->zm->weight_count; k++) {
        const zm_weight *w = &sim->zm->weights[k];
        int32_t c = zm_row_constraint(sim->zm, row);
        if (w->a == c || w->b == c) message.place = w->place;
    }
    message.help = "weights are positive numbers, blocks of them positive definite matrices";
    return zr_report(sim->model, &message, text);
}

/* The message for a factor's status, after that factor has failed in the system of all rows. */
static zw_status report_unfactored(zw_sim *sim, zw_status status, zb_arena *arena, zb_text *text)
{
    char sentence[512];
    int32_t i;
    if (status == ZW_ERR_UNDETERMINED) return report_undetermined(sim, arena, text);
    char failed = zg_system_failed(sim->solver->all.system, &i);
    if (status == ZW_ERR_INDEFINITE && failed == 'M') return report_negative_mass(sim, i, text);
    if (status == ZW_ERR_INDEFINITE && failed == 'W') return report_bad_weight(sim, i, text);
    (void)zg_system_explain(sim->solver->all.system, sentence, sizeof sentence);
    return report_unsolvable(sim, sentence[0] ? sentence : zb_status_sentence(status), text);
}

/* The factor is repeated with all rows: their system then says what it failed at. */
zw_status zr_report_factor(zw_sim *sim, const zk_source *s, zw_status status)
{
    if (zr_is_memory(status)) return status;
    zb_text text;
    zb_arena arena;
    zb_text_init(&text, sim->memory);
    zb_arena_init(&arena, sim->memory, 0);
    (void)zr_factor_at(sim, s);
    zw_status said = report_unfactored(sim, status, &arena, &text);
    zb_text_free(&text);
    zb_arena_clear(&arena);
    return said == ZW_OK ? status : said;
}

/* ---------------------------------------------------------------------- shares */

/* Rows [first, first + count) whose multipliers a measure uses. */
static void rows_of_measure(const zw_sim *sim, const zm_measure *what, int32_t *first,
                            int32_t *count)
{
    *first = what->row;
    *count = 1;
    if (what->kind == ZM_MULTIPLIER) return;
    *first = sim->zm->constraints[what->constraint].first_row;
    *count = sim->zm->constraints[what->constraint].row_count;
}

/* The dependent set because of which a share is not unique: one that takes part in it, and that
 * something else takes part in, too (a multiplier: any that contains its row). NULL: unique. */
static const zw_dependent_set *find_shared_set(const zw_sim *sim, const zm_measure *what,
                                               const zw_diagnosis *d)
{
    int32_t first, count;
    if (what->kind == ZM_REACTION_ALL) return NULL;
    rows_of_measure(sim, what, &first, &count);
    for (int32_t k = 0; k < d->set_count; k++) {
        bool inside = false, outside = what->kind == ZM_MULTIPLIER;
        for (int32_t i = 0; i < d->sets[k].count; i++) {
            int32_t row = d->sets[k].rows[i];
            bool in = row >= first && row < first + count;
            inside = inside || in;
            outside = outside || !in;
        }
        if (inside && outside) return &d->sets[k];
    }
    return NULL;
}

/* W0611: "`wire[1]` and `again[1]` depend on each other: ..." */
static zw_status warn_share(zw_sim *sim, const zm_measure *what, const zw_dependent_set *set)
{
    enum { most = 6 };
    zb_text text;
    zb_text_init(&text, sim->memory);
    int32_t from = set->count > most ? set->count - most : 0; /* the last declared is among them */
    for (int32_t i = from; i < set->count; i++) {
        if (i > from) zb_text_add(&text, i == set->count - 1 ? " and " : ", ");
        zr_text_row(sim->model, set->rows[i], &text);
    }
    zb_text_add(&text, " depend on each other: the share of `");
    if (what->kind == ZM_MULTIPLIER)
        zm_row_text(sim->zm, what->row, &text);
    else
        zm_label_text(sim->zm, &sim->zm->constraints[what->constraint].label, &text);
    zb_text_add(&text, "` in the reaction, which a nonideal force uses, is not unique (the one of "
                       "least norm is taken)");
    zr_message message = {.code = "W0611",
                          .place = what->place,
                          .help = "reaction() of all constraints is always unique"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* used [measure_count]: those that nonideal forces refer to. */
static zw_status mark_used_measures(zw_sim *sim, bool *used)
{
    zx_pool *pool = &sim->zm->pool;
    const zr_passes *passes = &sim->model->nonideal;
    jmp_buf escape;
    if (setjmp(escape) != 0) {
        pool->escape = NULL;
        return sim->memory->failure;
    }
    pool->escape = &escape;
    for (int32_t p = 0; p < passes->count; p++) {
        const zr_pass *pass = &passes->list[p];
        const zm_family *f = &sim->zm->families[pass->family];
        int32_t count = 0;
        zx_node *below = zx_below(pool, pass->nodes, pass->vector, &count);
        for (int32_t k = 0; k < count; k++)
            for (int32_t i = 0; pool->items[below[k]].op == ZX_MEASURE && i < f->count; i++)
                used[zm_measure_of(f, i, pool->items[below[k]].a)] = true;
        zb_resize(sim->memory, below, sizeof *below * (size_t)count, 0);
    }
    pool->escape = NULL;
    return ZW_OK;
}

zw_status zr_warn_shares(zw_sim *sim, const zw_diagnosis *d)
{
    size_t bytes = zb_product((size_t)sim->zm->measure_count, sizeof(bool));
    bool *used = zb_resize(sim->memory, NULL, 0, bytes);
    if (!used) return bytes > 0 ? sim->memory->failure : ZW_OK;
    memset(used, 0, bytes);
    zw_status status = mark_used_measures(sim, used);
    for (int32_t k = 0; k < sim->zm->measure_count && status == ZW_OK; k++) {
        const zm_measure *what = &sim->zm->measures[k];
        const zw_dependent_set *set = used[k] ? find_shared_set(sim, what, d) : NULL;
        if (set) status = warn_share(sim, what, set);
    }
    zb_resize(sim->memory, used, bytes, 0);
    return status;
}
