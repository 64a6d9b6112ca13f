/*
 * The models and modules that are inside the command: the files of models and lib, whole, and what
 * their opening comments say.
 */
#ifndef CLI_GALLERY_H
#define CLI_GALLERY_H

#include <stdbool.h>

#include "embedded.h"

typedef embedded_text gallery_text;

/* The model or module of that name, which may end with .zw; NULL when there is none. */
const gallery_text *gallery_find(const char *name);
bool gallery_is_module(const gallery_text *t);

/* The names of all, models first, ended by NULL, in memory of the caller's; NULL when there is
 * none. */
const char **gallery_names(void);

/* The following are strings of the caller's (free); NULL when there is no memory. */

/* What stands behind `model`; else the first sentence of the opening comment. */
char *gallery_title(const gallery_text *t);

/* The opening comment up to "Source:" or "expect", a paragraph in one line. */
char *gallery_story(const gallery_text *t);

/* What stands behind "# Source:", in one line; "" when it is not there. */
char *gallery_source(const gallery_text *t);

#endif
