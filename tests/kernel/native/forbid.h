/*
 * A system that refuses executable memory, made out of the one at hand: a filter of system calls
 * for this process and its children, for good. Linux only.
 */
#ifndef FORBID_H
#define FORBID_H

#include <stdbool.h>

enum {
    FORBID_FILE = 1,     /* files in memory */
    FORBID_RUN_FILE = 2, /* executable mappings of files */
    FORBID_RUN_ELSE = 4, /* executable mappings of anything else */
    FORBID_CHANGE = 8,   /* mappings that become executable */
    FORBID_ALL = 15
};

/* False where the system knows no such filters. */
bool forbid(unsigned what);

#endif
