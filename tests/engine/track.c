#include "track.h"

#include <stdlib.h>
#include <string.h>

void *count_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size == 0) {
        if (block) c->bytes -= old_size;
        free(block);
        return NULL;
    }
    if ((!block || new_size > old_size) && ++c->requests == c->fail_at) return NULL;
    void *grown = realloc(block, new_size);
    if (grown) c->bytes += new_size - (block ? old_size : 0);
    return grown;
}

bool swallow(void *user, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

void track_open(track *k, const char *text, const char *columns, zw_solver solver, double tol)
{
    memset(k, 0, sizeof *k);
    zw_allocator allocator = {.resize = count_resize, .user = &k->count};
    zw_model_source source = {.file = "model.zw", .text = text, .length = strlen(text)};
    assert_int_equal(zw_context_create(&allocator, &k->context), ZW_OK);
    assert_int_equal(zw_context_set_solver(k->context, solver), ZW_OK);
    zw_status status = zw_model_compile(k->context, &source, &k->model);
    if (status != ZW_OK) fail_msg("%s", zw_context_diagnostic(k->context, 0)->sentence);
    assert_int_equal(zw_sim_create(k->model, &k->sim), ZW_OK);
    assert_int_equal(zw_columns_create(k->model, columns, &k->columns), ZW_OK);
    k->n = zw_model_coordinate_count(k->model);
    k->width = zw_columns_count(k->columns);
    k->row = calloc((size_t)k->width, sizeof *k->row);
    assert_non_null(k->row);
    zw_run_defaults(k->model, &k->settings);
    k->settings.tol = k->settings.abs_tol = tol;
    k->settings.until = 1.0;
}

void close_track(track *k)
{
    free(k->row);
    zw_columns_free(k->columns);
    zw_sim_free(k->sim);
    zw_model_free(k->model);
    zw_context_free(k->context);
    assert_int_equal(k->count.bytes, 0);
}

void begin(track *k)
{
    assert_int_equal(zw_sim_start(k->sim, false), ZW_OK);
    assert_int_equal(zw_sim_begin(k->sim, &k->settings), ZW_OK);
}

zw_outcome go(track *k, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(k->sim, t, &outcome), ZW_OK);
    assert_int_equal(zw_sim_columns(k->sim, k->columns, k->row), ZW_OK);
    return outcome;
}

void advance(track *k, double t)
{
    assert_int_equal(go(k, t), ZW_REACHED);
}

zw_run_statistics statistics(track *k)
{
    zw_run_statistics stats;
    assert_int_equal(zw_sim_statistics(k->sim, &stats), ZW_OK);
    return stats;
}
