/*
 * Writing a page to its file: trees of JSON become texts, the library writes the rest.
 */
#include "page_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embedded.h"
#include "output_file.h"

static const char *find_bundle(const char *file)
{
    const embedded_text *t = page_texts;
    while (t->name && strcmp(t->file, file) != 0) t++;
    return t->name ? t->text : "";
}

/* A zw_write_fn; user is a FILE. */
static bool write_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, (FILE *)user) == size;
}

/* The trees as texts, in their order; NULL: there is none. */
enum { TREES = 6 };

static void list_trees(const page_trees *t, const json_t *list[TREES])
{
    const json_t *all[TREES] = {t->scene,      t->forces, t->contacts,
                                t->parameters, t->events, t->constraints};
    memcpy(list, all, sizeof all);
}

/* False: there was not enough memory. */
static bool write_page(zw_page *p, const page_trees *trees, zw_context *context, FILE *out)
{
    const json_t *list[TREES];
    const char **to[TREES] = {&p->scene,      &p->forces, &p->contacts,
                              &p->parameters, &p->events, &p->constraints};
    char *texts[TREES] = {NULL};
    bool good = true;
    list_trees(trees, list);
    for (int k = 0; k < TREES; k++) {
        if (!list[k] || json_is_null(list[k])) continue;
        texts[k] = json_dumps(list[k], JSON_COMPACT);
        good = good && texts[k];
        *to[k] = texts[k];
    }
    p->style = find_bundle("page.css");
    p->script = find_bundle("page.js");
    good = good && zw_page_write(context, p, write_bytes, out) == ZW_OK;
    for (int k = 0; k < TREES; k++) free(texts[k]);
    return good && !ferror(out);
}

bool page_write_file(zw_page page, const page_trees *trees, const char *name, message_log *log)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bool good = out && write_page(&page, trees, log->context, out);
    if (out && fclose(out) != 0) good = false;
    if (good)
        good = output_write(name, text, length, log);
    else
        message_report(log, MSG_MEMORY, NULL, "there is not enough memory for the page");
    free(text);
    return good;
}
