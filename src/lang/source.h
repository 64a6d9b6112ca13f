/*
 * What the files of this layer share about units: adding sources, and giving up.
 */
#ifndef ZL_SOURCE_H
#define ZL_SOURCE_H

#include "codes.h"
#include "lang.h"

/* Adds a source, without the byte order mark it may begin with; its number. One that is too
 * large is reported and has no text. */

/* Whether a source is text at all, by its beginning; if not, that is reported. */
bool zl_check_text(zl_unit *unit, int32_t source);

/* Memory ran out: jumps to the arena's escape. */
void zl_give_up(zl_unit *unit, zw_status failure);

#endif
