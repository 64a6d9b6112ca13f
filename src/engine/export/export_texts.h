/*
 * The texts of the folder text and the elementary functions, built in: what every exported model has
 * in common.
 */
#ifndef ZR_EXPORT_TEXTS_H
#define ZR_EXPORT_TEXTS_H

#include <stddef.h>

typedef struct zr_export_text {
    const char *name; /* NULL ends the table */
    const char *file;
    const char *text; /* [length], then a NUL */
    size_t length;
} zr_export_text;

extern const zr_export_text zr_export_texts[]; /* made by cmake/embed.cmake */

#endif
