/*
 * What an FMU brings along: model.zw, the modules and data beside it, and settings.txt, whose lines
 * are `set m = 2`, `input u = sin(t)`, `solver dense` and `accept`, as they were given to the
 * export. The place comes as a URI (2.0) or as a path (3.0).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* --------------------------------------------------------------------------- files */

static int read_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Past file:// and the name of this machine; NULL: another scheme. */
static const char *skip_scheme(const char *place, bool *uri)
{
    *uri = strncmp(place, "file:", 5) == 0;
    if (!*uri) return place;
    place += 5;
    if (strncmp(place, "//", 2) == 0) place = strchr(place + 2, '/');
    return place;
}

bool unit_texts_open(unit_texts *texts, const char *place)
{
    bool uri = false;
    const char *from = place ? skip_scheme(place, &uri) : NULL;
    texts->folder = from ? malloc(strlen(from) + 2) : NULL;
    if (!texts->folder) return false;
    char *to = texts->folder;
    while (*from) {
        int high = uri && *from == '%' ? read_digit(from[1]) : -1;
        int low = high >= 0 ? read_digit(from[2]) : -1;
        *to++ = low >= 0 ? (char)(16 * high + low) : *from;
        from += low >= 0 ? 3 : 1;
    }
    if (to == texts->folder || to[-1] != '/') *to++ = '/';
    *to = 0;
    return true;
}

/* A whole file; NULL: it cannot be read. */
static char *read_file(const char *path, size_t *length)
{
    char *text = NULL;
    size_t used = 0, room = 0;
    FILE *file = fopen(path, "rb");
    bool well = file != NULL;
    while (well && !feof(file)) {
        if (room - used < 2) {
            char *larger = realloc(text, room = 2 * room + 4096);
            well = larger != NULL;
            if (well) text = larger;
        }
        if (well) used += fread(text + used, 1, room - used - 1, file);
        well = well && !ferror(file);
    }
    if (file) (void)fclose(file);
    if (!well) free(text);
    if (!well || !text) return NULL;
    text[used] = 0;
    *length = used;
    return text;
}

const char *unit_texts_read(unit_texts *texts, const char *file, size_t *length)
{
    size_t size = strlen(texts->folder) + strlen(file) + 1;
    char *path = malloc(size);
    struct unit_text *list = realloc(texts->list, ((size_t)texts->count + 1) * sizeof *texts->list);
    if (list) texts->list = list;
    if (path) (void)snprintf(path, size, "%s%s", texts->folder, file);
    char *text = path && list ? read_file(path, length) : NULL;
    if (text) texts->list[texts->count++] = (struct unit_text){text, *length};
    free(path);
    return text;
}

void unit_texts_close(unit_texts *texts)
{
    for (int32_t k = 0; k < texts->count; k++) free(texts->list[k].text);
    free(texts->list);
    free(texts->folder);
    *texts = (unit_texts){0};
}

/* ----------------------------------------------------------------------- compiling */

/* A text of the folder `where` of resources. */
static bool find_text(unit *u, const char *where, const char *name, const char **file,
                      const char **text, size_t *length)
{
    size_t size = strlen(where) + strlen(name) + 1;
    char *path = malloc(size);
    if (strncmp(name, "./", 2) == 0) name += 2;
    if (path) (void)snprintf(path, size, "%s%s", where, name);
    *text = path && !strstr(name, "..") ? unit_texts_read(&u->texts, path, length) : NULL;
    *file = name;
    free(path);
    return *text != NULL;
}

/* zw_module_fn: the file of a module has its name and .zw. */
static bool find_module(void *user, const char *name, const char **file, const char **text,
                        size_t *length)
{
    size_t size = strlen(name) + 4;
    char *path = malloc(size);
    if (path) (void)snprintf(path, size, "%s.zw", name);
    bool found = path && find_text(user, "modules/", path, file, text, length);
    *file = name;
    free(path);
    return found;
}

static bool find_data(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    return find_text(user, "data/", name, file, text, length);
}

/* Lines of a text, which is cut at their ends. */
static size_t cut_lines(char *text)
{
    size_t count = 1;
    for (; *text; text++) {
        if (*text != '\n') continue;
        *text = 0;
        count++;
    }
    return count;
}

/* Takes lines of settings.txt; those of `set` go to list, those of `input` behind `lines` of them. */
static void take_settings(unit *u, const char *line, size_t lines, const char **list,
                          zw_model_source *source)
{
    zw_solver solver = ZW_SOLVER_AUTO;
    source->settings = list;
    source->inputs = list + lines;
    for (size_t k = 0; k < lines; k++, line += strlen(line) + 1) {
        if (strncmp(line, "set ", 4) == 0) list[source->setting_count++] = line + 4;
        if (strncmp(line, "input ", 6) == 0) list[lines + (size_t)source->input_count++] = line + 6;
        if (strncmp(line, "solver ", 7) == 0 && zw_solver_find(line + 7, &solver) == ZW_OK)
            (void)zw_context_set_solver(u->context, solver);
        if (strcmp(line, "accept") == 0) u->accept = true;
    }
}

zw_status unit_compile(unit *u)
{
    size_t length = 0;
    zw_model_source source = {
        .file = "model.zw", .module = find_module, .data = find_data, .user = u};
    source.text = unit_texts_read(&u->texts, "model.zw", &source.length);
    if (!source.text || !unit_texts_read(&u->texts, "settings.txt", &length))
        return ZW_ERR_ARGUMENT;
    char *settings = u->texts.list[u->texts.count - 1].text;
    size_t lines = cut_lines(settings);
    const char **list = malloc(2 * lines * sizeof *list);
    if (!list) return ZW_ERR_MEMORY;
    take_settings(u, settings, lines, list, &source);
    zw_status status = zw_model_compile(u->context, &source, &u->model);
    free(list);
    return status;
}
