/*
 * Growable arrays of any type, in memory of their own: a struct with data, count and
 * capacity, declared in place:
 *
 *     ZB_ARRAY(int32_t) rows = {0};
 *     if (!zb_array_push(memory, &rows, 7)) return memory->failure;
 *     zb_array_free(memory, &rows);
 *
 * Addresses of elements change when the array grows; indices do not. The argument `array` is
 * evaluated more than once, the others once. With ZB_SMALL_TABLES the first capacity is 1, so
 * that tests walk the growth path all the time.
 */
#ifndef ZB_ARRAY_H
#define ZB_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

#define ZB_ARRAY(type)                                                                             \
    struct {                                                                                       \
        type *data;                                                                                \
        int32_t count, capacity;                                                                   \
    }

/* Makes room for `more` further elements. False when memory ran out or the array would have
 * more than INT32_MAX elements; memory->failure then says why, and nothing is lost. */
#define zb_array_reserve(memory, array, more)                                                      \
    zb_array_grow((memory), &(array)->data, &(array)->capacity, (array)->count, (more),            \
                  sizeof *(array)->data)

/* Appends one element; false as for reserve. `value` is evaluated after the array has grown,
 * so it may speak of the array's own elements and count. */
#define zb_array_push(memory, array, value)                                                        \
    ((array)->count < (array)->capacity || zb_array_reserve((memory), (array), 1)                  \
         ? ((array)->data[(array)->count] = (value), (array)->count++, true)                       \
         : false)

/* Releases the elements; the array is empty and may be used again. */
#define zb_array_free(memory, array)                                                               \
    ((void)zb_resize((memory), (array)->data,                                                      \
                     zb_product((size_t)(array)->capacity, sizeof *(array)->data), 0),             \
     (array)->data = NULL, (void)((array)->count = (array)->capacity = 0))

/* Behind the macros. `place` is the address of the array's pointer to its elements, of
 * whatever type. */
bool zb_array_grow(zb_memory *memory, void *place, int32_t *capacity, int32_t count, int32_t more,
                   size_t size);

#endif
