/*
 * Reading the modules that a model uses, and its files of data, for the library, which asks by name.
 * The name of a module is an identifier of the language, so it cannot lead out of the folder; should
 * it ever hold a slash, it is refused here. The name of a file of data that a model gives holds none,
 * either. Both must be plain files; where one is a link, what it leads to must lie in the folder, too.
 * Files of --input are wherever the command line says.
 */
#include "modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embedded.h"

static bool refuse_module_memory(module_list *list)
{
    message_report(list->log, MSG_MEMORY, NULL, "there is not enough memory to read a module");
    return false;
}

/* The folder is the path of the file up to its last slash, empty without one. */
void modules_open(module_list *list, const char *file, message_log *log)
{
    *list = (module_list){.log = log};
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash + 1 - file) : 0;
    list->folder = malloc(length + 1);
    if (!list->folder) return;
    memcpy(list->folder, file, length);
    list->folder[length] = '\0';
}

/* FOLDER/NAME and an ending in memory of its own. */
static char *make_module_path(const module_list *list, const char *name, const char *ending)
{
    size_t size = strlen(list->folder) + strlen(name) + strlen(ending) + 1;
    char *path = malloc(size);
    if (path) (void)snprintf(path, size, "%s%s%s", list->folder, name, ending);
    return path;
}

/* Reads the file at path, which the list owns from now on. False after a report. */
static bool read_module(module_list *list, char *path)
{
    module *larger = realloc(list->modules, (list->count + 1) * sizeof *larger);
    if (!larger) {
        free(path);
        return refuse_module_memory(list);
    }
    list->modules = larger;
    larger[list->count] = (module){.path = path};
    return input_read(path, NULL, &larger[list->count++].in, list->log);
}

/* The text of the file at path, which the list owns from now on. False after a report. */
static bool hand_out(module_list *list, char *path, const char **file, const char **text,
                     size_t *length)
{
    if (!read_module(list, path)) return false;
    const input *in = &list->modules[list->count - 1].in;
    *file = in->name;
    *text = in->text;
    *length = in->length;
    return true;
}

/* Whether a path is a link to something outside of the folder of the list. */
static bool leads_out(const module_list *list, const char *path)
{
    struct stat about;
    if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode)) return false;
    char *real = realpath(path, NULL), *folder = realpath(*list->folder ? list->folder : ".", NULL);
    size_t length = folder ? strlen(folder) : 0;
    bool inside = real && folder && strncmp(real, folder, length) == 0 && real[length] == '/' &&
                  !strchr(real + length + 1, '/');
    free(real);
    free(folder);
    return !inside;
}

/* What a model names is a file in its folder: no pipe, for which one would wait, no device, which need
 * not end, nothing elsewhere, of which a message would show lines. False after a report. */
static bool lies_beside(module_list *list, const char *path)
{
    struct stat about;
    zw_diagnostic place = {.file = path, .help = "copy the file there"};
    if (leads_out(list, path)) {
        message_report(list->log, MSG_READ, &place,
                       "this link leads out of the folder of the model");
        return false;
    }
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return true;
    message_report(list->log, MSG_READ, &place,
                   "modules and data are read from plain files, and this is a pipe or a device");
    return false;
}

/* What is not there is no error here: the library reports it where the model uses it. */
bool modules_find(void *user, const char *name, const char **file, const char **text,
                  size_t *length)
{
    module_list *list = user;
    if (strchr(name, '/') || name[0] == '.') return false;
    char *path = list->folder ? make_module_path(list, name, ".zw") : NULL;
    if (!path) return refuse_module_memory(list);
    if (access(path, F_OK) != 0) { /* not there: the library says so, at its place */
        free(path);
        return false;
    }
    if (!lies_beside(list, path)) {
        free(path);
        return false;
    }
    return hand_out(list, path, file, text, length);
}

/* ------------------------------------------------------------------------------ data */

/* A file of the gallery goes with its model wherever that is. */
static bool find_embedded_data(const char *name, const char **file, const char **text,
                               size_t *length)
{
    for (const embedded_text *t = gallery_data; t->name; t++)
        if (strcmp(t->file, name) == 0) {
            *file = t->file;
            *text = t->text;
            *length = t->length;
            return true;
        }
    return false;
}

/* A file that the command line names, wherever it is. */
static bool find_given_data(module_list *list, const char *name, const char **file,
                            const char **text, size_t *length)
{
    if (strncmp(name, "./", 2) == 0) name += 2;
    if (access(name, F_OK) != 0) return false;
    char *path = malloc(strlen(name) + 1);
    if (!path) return refuse_module_memory(list);
    memcpy(path, name, strlen(name) + 1);
    return hand_out(list, path, file, text, length);
}

/* The library refuses a slash in the names that a model gives: those with one are of --input. */
bool modules_data(void *user, const char *name, const char **file, const char **text,
                  size_t *length)
{
    module_list *list = user;
    if (strchr(name, '/')) return find_given_data(list, name, file, text, length);
    if (name[0] == '.') return false;
    char *path = list->folder ? make_module_path(list, name, "") : NULL;
    if (!path) return refuse_module_memory(list);
    if (access(path, F_OK) != 0) {
        free(path);
        return find_embedded_data(name, file, text, length);
    }
    if (!lies_beside(list, path)) {
        free(path);
        return false;
    }
    return hand_out(list, path, file, text, length);
}

void modules_close(module_list *list)
{
    for (size_t k = 0; k < list->count; k++) {
        input_clear(&list->modules[k].in);
        free(list->modules[k].path);
    }
    free(list->modules);
    free(list->folder);
    *list = (module_list){0};
}
