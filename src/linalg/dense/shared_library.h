/*
 * Libraries that are opened at run time, when first needed; private to this folder. Where one is
 * not there the build is as one without it. Once opened they stay open until the process ends.
 */
#ifndef ZA_SHARED_LIBRARY_H
#define ZA_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Resolves all symbols the library itself needs: what is missing shows here and not later. NULL: it
 * cannot be opened. */
void *za_library_open(const char *name);
void za_library_close(void *library);

/* The function's address into *field, which points to a pointer to a function. */
bool za_library_find(void *library, const char *name, void *field, size_t size);

/* Whether limits of address space and data leave OpenBLAS what it needs. */
bool za_library_room(void);

#endif
