/*
 * Models that cannot be written as C: those whose motion is not smooth, unless that of the present
 * mode is asked for (E0791), those with motors (E0792), large ones (E0793) and
 * those that begin with a compromise (E0794), and outputs with columns in them (E0795). Then the export itself.
 */
#include <math.h>
#include <string.h>

#include "export_c.h"

static zw_status refuse(zr_c *c, const char *code, zl_place place, const char *help,
                        const char *sentence)
{
    zb_text text;
    zb_text_init(&text, &c->model->context->memory);
    zb_text_add(&text, sentence);
    zw_status status =
        zr_report(c->model, &(zr_message){.code = code, .place = place, .help = help}, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_MODEL : status;
}

static const char smooth_help[] =
    "--smooth writes the motion of the mode at the start, in which nothing of it changes";

/* What ends the smooth motion: its first statement. */
static zw_status refuse_rough(zr_c *c)
{
    const zm_model *zm = c->zm;
    for (int32_t i = 0; i < zm->constraint_count; i++)
        if (zm->constraints[i].inequality)
            return refuse(c, "E0791", zm->constraints[i].place, smooth_help,
                          "an inequality has no place in exported C, whose motion is smooth");
    if (zm->friction_count > 0)
        return refuse(c, "E0791", zm->frictions[0].place, smooth_help,
                      "friction has no place in exported C, whose motion is smooth");
    if (zm->event_count > 0)
        return refuse(c, "E0791", zm->events[0].place, smooth_help,
                      "`when` has no place in exported C, whose motion is smooth");
    return ZW_OK;
}

static zw_status refuse_large(zr_c *c, const char *what, int64_t count, int64_t most)
{
    zb_text text;
    zb_text_init(&text, &c->model->context->memory);
    zb_text_printf(&text, "the model has %lld %s; exported C is for at most %lld", (long long)count,
                   what, (long long)most);
    zw_status status = zr_report(
        c->model,
        &(zr_message){.code = "E0793",
                      .place = zr_nowhere,
                      .help = "the library itself has no such limit: link it in the place of it"},
        &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_MODEL : status;
}

/* Columns in outputs: what they are is not computed in C. */
static zw_status refuse_columns(zr_c *c)
{
    const zm_model *zm = c->zm;
    for (int32_t k = 0; k < zm->measure_count; k++)
        if (zm->measures[k].kind >= ZM_SHOWN_CONTROL)
            return refuse(c, "E0795", zm->measures[k].place,
                          "write it as an expression, or leave the output out",
                          "a column in an output has no place in exported C");
    return ZW_OK;
}

zw_status zr_c_refuse(zr_c *c)
{
    const zm_model *zm = c->zm;
    int64_t data = 0;
    ZB_TRY(refuse_columns(c));
    if (zm->motor_count > 0)
        return refuse(c, "E0792", zm->motors[0].place, "write the control without `by`",
                      "motors with limits have no place in exported C");
    if (!c->as->smooth) ZB_TRY(refuse_rough(c));
    if (c->sim->contacts && c->sim->contacts->creeping > 0)
        return refuse(c, "E0791", zr_nowhere, NULL,
                      "several contacts creep together, which exported C cannot follow");
    if (c->sim->start.conflicts.count > 0)
        return refuse(c, "E0794", zr_row_place(c->model, c->sim->start.conflicts.list[0].row), NULL,
                      "constraints that contradict each other from the start on have no place in "
                      "exported C");
    if (zm->n + zm->m > zr_c_most_size)
        return refuse_large(c, "coordinates and rows", (int64_t)zm->n + zm->m, zr_c_most_size);
    for (int32_t k = 0; c->model->lookups && k < zm->tables.count; k++)
        data += 5 * (int64_t)zm->tables.list[k]->pieces;
    if (data > zr_c_most_data) return refuse_large(c, "numbers of data", data, zr_c_most_data);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------ ranks */

/* What is left of row x [n] after its parts along the rows before it, orthonormal G [count*n], are
 * taken away twice; its length before and after as a ratio. */
static double take_away(const double *G, int32_t count, int32_t n, double *x)
{
    double before = 0.0, after = 0.0;
    for (int32_t j = 0; j < n; j++) before += x[j] * x[j];
    for (int turn = 0; turn < 2; turn++)
        for (int32_t i = 0; i < count; i++) {
            double along = 0.0;
            for (int32_t j = 0; j < n; j++) along += G[i * n + j] * x[j];
            for (int32_t j = 0; j < n; j++) x[j] -= along * G[i * n + j];
        }
    for (int32_t j = 0; j < n; j++) after += x[j] * x[j];
    for (int32_t j = 0; j < n && after > 0.0; j++) x[j] /= sqrt(after);
    return before > 0.0 ? sqrt(after / before) : 0.0;
}

/* The rank of the rows of a side at the state, by pivots that are clearly no rounding. */
static int32_t find_side_rank(zr_c *c, int order)
{
    static const double clear = 1e-8;
    const zr_pattern *A = &c->model->A;
    int32_t n = c->zm->n, rank = 0;
    double *G = ZB_NEW_ARRAY(&c->arena, double, (size_t)n *(size_t)(n + 1));
    for (int32_t i = 0; i < c->zm->m && rank < n; i++) {
        double *x = G + (size_t)rank * (size_t)n;
        if (!zr_c_side_has(c, order, i)) continue;
        memset(x, 0, sizeof *x * (size_t)n);
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) x[A->column[p]] = c->sim->A[p];
        if (take_away(G, rank, n, x) > clear) rank++;
    }
    return rank;
}

/* A side that has all rows has the rank that the run has found for them. */
static void find_ranks(zr_c *c)
{
    int32_t rows[3] = {0, 0, 0};
    zk_source s = zr_source(c->sim, c->sim->t, c->sim->q, c->sim->v);
    zr_evaluate_rows(c->sim, &s);
    for (int order = 0; order < 3; order++)
        for (int32_t i = 0; i < c->zm->m; i++) rows[order] += zr_c_side_has(c, order, i);
    c->rank[2] = c->sim->run->solving.generic_rank;
    for (int order = 0; order < 2; order++)
        c->rank[order] = rows[order] == rows[2] ? c->rank[2] : find_side_rank(c, order);
    if (c->rank[2] >= rows[2] || c->slides) c->form = c->sim->solver->form;
}

/* ----------------------------------------------------------------------------- export */

/* Letters, digits and underscores, no digit first. */
static bool is_c_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    size_t length = strlen(name);
    return length > 0 && length <= 60 && strchr(letters, name[0]) && strspn(name, letters) > 0 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
               length;
}

/* Both files are made, for the header knows how long the arrays are that the source needs. */
static zw_status write_files(zr_c *c, zw_c_file file, zb_text *source, zb_text *header)
{
    c->lower = zr_c_word(c, c->as->name ? c->as->name : "model", false);
    c->upper = zr_c_word(c, c->lower, true);
    zr_c_name_all(c);
    ZB_TRY(zr_c_refuse(c));
    c->slides = c->sim->contacts && c->sim->contacts->sliding > 0;
    find_ranks(c);
    if (c->slides && !c->form)
        return refuse(c, "E0791", c->zm->frictions[0].place, NULL,
                      "what slides here has no program of its own to be exported");
    zr_c_source(c, source);
    if (c->operations > zr_c_most_operations)
        return refuse_large(c, "operations", c->operations, zr_c_most_operations);
    if (file == ZW_C_HEADER) zr_c_header(c, header);
    return ZW_OK;
}

static zw_status send(zb_text *text, zw_write_fn write, void *user)
{
    if (text->failure != ZW_OK) return text->failure;
    return write(user, zb_text_string(text), text->length) ? ZW_OK : ZW_ERR_WRITE;
}

zw_status zr_sim_export_c(zw_sim *sim, const zw_c_settings *settings, zw_c_file file,
                          zw_write_fn write, void *user)
{
    zb_memory *memory = &sim->model->context->memory;
    if (settings->name && !is_c_name(settings->name)) return ZW_ERR_ARGUMENT;
    if (!sim->run) return ZW_ERR_ORDER;
    zr_c *c = zb_resize(memory, NULL, 0, sizeof *c);
    if (!c) return memory->failure;
    *c = (zr_c){.sim = sim, .model = sim->model, .zm = sim->zm, .as = settings};
    zb_text files[2], *texts[] = {&c->body, &c->calls, &c->word, &c->line, &files[0], &files[1]};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) zb_text_init(texts[k], memory);
    zb_arena_init(&c->arena, memory, 0);
    c->arena.escape = &c->escape;
    zw_status status = ZW_OK;
    if (setjmp(c->escape) == 0)
        status = write_files(c, file, &files[ZW_C_SOURCE], &files[ZW_C_HEADER]);
    else
        status = memory->failure;
    for (size_t k = 0; k < 4 && status == ZW_OK; k++) status = texts[k]->failure;
    if (status == ZW_OK) status = send(&files[file], write, user);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) zb_text_free(texts[k]);
    zb_arena_clear(&c->arena);
    zb_resize(memory, c, sizeof *c, 0);
    return status;
}
