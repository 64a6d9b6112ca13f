/*
 * Diagnostics: what there is to tell a person, collected, and written as text with the source
 * line and a caret, or as JSON. Lines end with \n, or \r\n; columns count characters as utf8.h
 * does.
 */
#ifndef ZB_DIAG_H
#define ZB_DIAG_H

#include "array.h"
#include "memory.h"
#include "text.h"

/* The text of a file, remembered so that its lines can be shown. */
typedef struct zb_source {
    char *file; /* ends with NUL */
    char *text; /* [length] and a NUL */
    size_t length;
} zb_source;

/* So many diagnostics of each severity are kept unless the list says otherwise. */
enum { ZB_DIAG_LIMIT = 50 };

typedef struct zb_diag_list {
    zb_memory *memory;
    zb_arena arena; /* the diagnostics and their strings */
    ZB_ARRAY(zw_diagnostic *) items;
    ZB_ARRAY(zb_source) sources;
    int32_t limit;     /* of each severity so many are kept, the others counted; 0: all */
    int32_t counts[3]; /* by severity, those not kept included */
    int32_t dropped;   /* those not kept */
} zb_diag_list;

void zb_diag_init(zb_diag_list *list, zb_memory *memory);

/* Forgets the diagnostics and keeps the sources. */
void zb_diag_clear(zb_diag_list *list);
void zb_diag_free(zb_diag_list *list);

/* Adds a copy, strings included, or past the limit counts it only. When memory runs out
 * nothing is added. */
zw_status zb_diag_add(zb_diag_list *list, const zw_diagnostic *d);

/* Remembers a copy of a source; a second one of the same name takes the place of the first. */
zw_status zb_diag_add_source(zb_diag_list *list, const char *file, const char *text, size_t length);

/* The source of that name, or NULL. Valid until one is added. */
const zb_source *zb_diag_source(const zb_diag_list *list, const char *file);

/* Kept ones: errors, then warnings, then remarks, each in the order they were added. A diagnostic
 * itself does not move until the list is cleared, its place in the list may;
 * NULL when out of range. */
int32_t zb_diag_count(const zb_diag_list *list);
const zw_diagnostic *zb_diag_get(const zb_diag_list *list, int32_t i);

/* Errors reported since the last clear, those past the limit included. */
int32_t zb_diag_errors(const zb_diag_list *list);

/* "remark", "warning", "error". */
const char *zb_severity_word(zw_severity severity);

/* The whole list for people. Each as
 *
 *     FILE:LINE:COLUMN: error[CODE]: WHERE: SENTENCE
 *         the line of the source, if it is known
 *         ^~~~
 *         help: HELP
 *
 * without what is not known. Control characters are shown as escapes. */
void zb_diag_text(const zb_diag_list *list, zb_text *text);

/* The whole list as one JSON array, an object a line; what is not known is left out. */
void zb_diag_json(const zb_diag_list *list, zb_text *text);

/* The source line and the carets of one diagnostic, as zb_diag_text writes them; nothing when
 * the source does not have the line, only the line when there is no column. */
void zb_diag_quote(const zb_source *source, const zw_diagnostic *d, zb_text *text);

#endif
