/*
 * The scene of a model at a state, as JSON beside the columns that it speaks of; and its numbers.
 */
#ifndef SCENE_LOOK_H
#define SCENE_LOOK_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

/* A scene at a state. */
typedef struct seen {
    json_t *tree;
    double *row;
} seen;

static inline bool gather(void *user, const char *bytes, size_t size)
{
    FILE *out = user;
    return fwrite(bytes, 1, size, out) == size;
}

/* The scene of a model with its columns at the present state of the simulation. */
static inline void look(bench *b, const char *list, seen *s)
{
    zw_columns *columns;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(zw_columns_create(b->model, list, &columns), ZW_OK);
    s->row = calloc((size_t)zw_columns_count(columns), sizeof *s->row);
    assert_non_null(s->row);
    (void)zw_sim_columns(b->sim, columns, s->row);
    assert_int_equal(zw_sim_scene(b->sim, columns, gather, out), ZW_OK);
    assert_int_equal(fclose(out), 0);
    s->tree = json_loadb(text, length, 0, NULL);
    assert_non_null(s->tree);
    free(text);
    zw_columns_free(columns);
}

static inline void forget(seen *s)
{
    json_decref(s->tree);
    free(s->row);
}

static inline double number_of(const seen *s, const json_t *x)
{
    if (json_is_number(x)) return json_number_value(x);
    assert_true(json_is_object(x));
    return s->row[json_integer_value(json_object_get(x, "c"))];
}

static inline bool is_at(const seen *s, const json_t *place, const double *x, int size)
{
    for (int j = 0; j < size; j++)
        if (!(fabs(number_of(s, json_array_get(place, (size_t)j)) - x[j]) <= 1e-12)) return false;
    return json_array_size(place) == (size_t)size;
}

#endif
