/*
 * Modules that come with the library: the files of lib, built in.
 */
#ifndef ZR_SHIPPED_H
#define ZR_SHIPPED_H

#include <stddef.h>

typedef struct zr_shipped_file {
    const char *name; /* what stands behind `use`; NULL ends the table */
    const char *file; /* as it stands in messages */
    const char *text; /* [length], then a NUL */
    size_t length;
} zr_shipped_file;

extern const zr_shipped_file zr_shipped[]; /* made by cmake/embed.cmake */

#endif
