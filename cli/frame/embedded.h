/*
 * Files that are inside the command, whole. The tables are made by cmake/embed.cmake, in the order
 * of the alphabet.
 */
#ifndef CLI_EMBEDDED_H
#define CLI_EMBEDDED_H

#include <stddef.h>
#include <string.h>

typedef struct embedded_text {
    const char *name; /* of the file, without its ending; NULL ends a table */
    const char *file;
    const char *text; /* [length], then a NUL */
    size_t length;
} embedded_text;

extern const embedded_text message_texts[];   /* docs/messages */
extern const embedded_text gallery_models[];  /* models */
extern const embedded_text gallery_modules[]; /* lib */
extern const embedded_text gallery_data[];    /* models: files of data */
extern const embedded_text starter_models[];  /* cli/starters */
extern const embedded_text page_texts[];      /* web/dist: page.css, page.js */
extern const embedded_text sweep_texts[];     /* web/dist: sweep.css, sweep.js */

/* Where the line after this one begins; the end of the text if it is the last. */
static inline const char *embedded_next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

#endif
