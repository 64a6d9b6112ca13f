/*
 * The tests of arrays once more, with arrays that begin with one place, whatever the rest of
 * the build does: array.c is compiled here under another name.
 */
#ifndef ZB_SMALL_TABLES
#define ZB_SMALL_TABLES
#endif
#define zb_array_grow small_array_grow

#include "../../src/base/memory/array.c"

#include "test_array.c"
