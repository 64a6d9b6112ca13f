/*
 * Expressions that differ by their numbers only: finds the numbers in an expression, and puts
 * values in their place. Private to this folder.
 */
#ifndef ZE_REPLACE_NUMBERS_H
#define ZE_REPLACE_NUMBERS_H

#include "survey.h"

/* Walks expressions of the survey's pool that are there when it is opened. Everything in the
 * survey's arena; jumps when memory runs out. */
typedef struct ze_number_finder {
    ze_survey *s;
    zx_node *stack; /* [3 count + 4] */
    zx_node *list;  /* [count] below the present root, operands first, from left to right */
    zx_node *copy;  /* [count] */
    uint32_t *done; /* [count] the walk */
    uint32_t walk;
    int32_t listed;
} ze_number_finder;

void ze_number_finder_open(ze_number_finder *finder, ze_survey *survey);

/* The numbers below a root, in the order of the walk, each once: as nodes, in the arena. */
zx_node *ze_numbers_below(ze_number_finder *finder, zx_node root, int32_t *count);

/* The same expression with ZX_VALUE slot[k] in place of number k; slot[k] < 0: it stays. */
zx_node ze_replace_numbers(ze_number_finder *finder, zx_node root, const int32_t *slot);

#endif
