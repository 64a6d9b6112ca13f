/*
 * Nested dissection by METIS 5 (METIS_NodeND): for nets and lattices, where it leaves less fill
 * than minimum degree. Opened when first asked for.
 *
 * METIS takes its memory by malloc, outside the budget, and gives it back; where it gets none, it
 * says so on stderr. It draws random numbers by the C library's rand, from a seed that we set: its
 * order is the same every time, and calls are made one after the other for that; who calls srand
 * and rand in a thread of its own at the same time can disturb it.
 */
#include <pthread.h>

#include "analyse.h"
#include "shared_library.h"

/* As in metis.h: lengths, results, places of options; its integers have 32 bits (checked below). */
enum { METIS_OPTIONS = 40, METIS_DONE = 1, METIS_NO_MEMORY = -3, METIS_SEED = 8 };

/* Written once, under `once`; read by who saw za_metis_available be true. */
static struct {
    bool complete;
    int (*set_options)(int32_t *options);
    int (*node_nd)(int32_t *n, int32_t *start, int32_t *index, int32_t *weights, int32_t *options,
                   int32_t *order, int32_t *at);
} metis;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* METIS sets all options to -1: how many bytes that are tells how long its integers are. */
static bool has_short_integers(void)
{
    int32_t options[2 * METIS_OPTIONS] = {0};
    return metis.set_options(options) == METIS_DONE && options[METIS_OPTIONS - 1] == -1 &&
           options[METIS_OPTIONS] == 0;
}

static void load(void)
{
    void *library = za_library_open(ZA_METIS_LIBRARY);
    if (!library) return;
    metis.complete =
        za_library_find(library, "METIS_SetDefaultOptions", &metis.set_options,
                        sizeof metis.set_options) &&
        za_library_find(library, "METIS_NodeND", &metis.node_nd, sizeof metis.node_nd) &&
        has_short_integers();
    if (!metis.complete) za_library_close(library);
}

bool za_metis_available(void)
{
    return pthread_once(&once, load) == 0 && metis.complete;
}

/* Both triangles without the diagonal. */
static void fill_graph(const za_symmetric *x, int32_t *start, int32_t *index, int32_t *next)
{
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            start[i + 1]++;
            start[x->index[p] + 1]++;
        }
    }
    for (int32_t i = 0; i < x->n; i++) {
        start[i + 1] += start[i];
        next[i] = start[i];
    }
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            int32_t j = x->index[p];
            index[next[i]++] = j;
            index[next[j]++] = i;
        }
    }
}

static int dissect(int32_t n, int32_t *start, int32_t *index, int32_t *order, int32_t *at)
{
    int32_t options[METIS_OPTIONS];
    pthread_mutex_lock(&one_at_a_time);
    metis.set_options(options);
    options[METIS_SEED] = 1;
    int result = metis.node_nd(&n, start, index, NULL, options, order, at);
    pthread_mutex_unlock(&one_at_a_time);
    return result;
}

/* *done: whether there is an order. */
static zw_status order_graph(zb_arena *arena, const za_symmetric *x, int32_t *order, bool *done)
{
    size_t n = (size_t)x->n, entries = 2 * ((size_t)x->start[n] - n);
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, n + 1), *at = ZB_NEW_ARRAY(arena, int32_t, n);
    int32_t *index = ZB_NEW_ARRAY(arena, int32_t, entries);
    if (!start || !at || !index) return arena->failure;
    fill_graph(x, start, index, at);
    int result = dissect(x->n, start, index, order, at);
    if (result == METIS_NO_MEMORY) return arena->memory->failure = ZW_ERR_MEMORY;
    *done = result == METIS_DONE;
    return ZW_OK;
}

zw_status za_order_metis(zb_memory *memory, const za_symmetric *x, int32_t *order)
{
    zw_status status = ZW_OK;
    zb_arena arena;
    bool done = false;
    zb_arena_init(&arena, memory, 0);
    /* something to dissect; and METIS counts entries by 32 bits */
    if (x->n > 1 && x->start[x->n] > x->n && x->start[x->n] <= INT32_MAX / 2 &&
        za_metis_available())
        status = order_graph(&arena, x, order, &done);
    zb_arena_clear(&arena);
    if (status == ZW_OK)
        status = done ? za_make_postorder(&arena, x, order) : za_order_amd(memory, x, order);
    zb_arena_clear(&arena);
    return status;
}
