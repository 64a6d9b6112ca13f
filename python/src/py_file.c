/*
 * Results and pages as files, by the formats of the library. Bytes go to a callable of Python: the
 * write of an open file, mostly.
 */
#include "extension.h"

#include <math.h>
#include <string.h>

bool zpy_hand_on(void *user, const char *bytes, size_t size)
{
    PyObject *answer = PyObject_CallFunction((PyObject *)user, "y#", bytes, (Py_ssize_t)size);
    Py_XDECREF(answer);
    return answer != NULL;
}

bool zpy_find_format(const char *word, zw_result_format *format)
{
#define FORMAT_WORD(name, value, text, sentence) {#text, name},
    static const struct {
        const char *word;
        zw_result_format format;
    } formats[] = {ZW_RESULT_LIST(FORMAT_WORD)};
#undef FORMAT_WORD
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (strcmp(formats[k].word, word) != 0) continue;
        *format = formats[k].format;
        return true;
    }
    return false;
}

/* One row after the other. */
static zw_status put_rows(zw_context *context, zw_result_format format, const char *const *names,
                          int32_t count, const zpy_doubles *table, PyObject *write)
{
    zw_result *result = NULL;
    zw_status status = zw_result_open(context, format, names, count, zpy_hand_on, write, &result);
    if (status != ZW_OK) return status;
    for (Py_ssize_t i = 0; status == ZW_OK && i + count <= table->count; i += count)
        status = zw_result_row(result, table->data + i);
    zw_status closed = zw_result_close(result);
    return status == ZW_OK ? closed : status;
}

/* write_result(format, names, table, write) */
PyObject *zpy_write_result(PyObject *module, PyObject *args, PyObject *words)
{
    static char *given[] = {"format", "names", "table", "write", NULL};
    PyObject *list, *object, *write;
    const char *word;
    zpy_doubles table;
    zw_result_format format;
    zw_context *context = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, words, "sO!OO", given, &word, &PyList_Type, &list,
                                     &object, &write))
        return NULL;
    if (!zpy_find_format(word, &format))
        return zpy_refuse(PyExc_ValueError, "there is no such format of results");
    int32_t count;
    const char **names = zpy_take_words(list, &count);
    if (!names) return NULL;
    if (!zpy_read(object, "the table", &table)) {
        PyMem_Free(names);
        return NULL;
    }
    zw_status status = zw_context_create(NULL, &context);
    if (status == ZW_OK) status = put_rows(context, format, names, count, &table, write);
    if (status != ZW_OK) (void)zpy_fail(status, context, NULL);
    zw_context_free(context);
    zpy_done(&table);
    PyMem_Free(names);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* ------------------------------------------------------------------------------- pages */

/* Texts of a page by name, from a dict. */
static bool take_texts(PyObject *dict, zw_page *p)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {
        {"style", &p->style},           {"script", &p->script},   {"title", &p->title},
        {"command", &p->command},       {"file", &p->file},       {"text", &p->text},
        {"scene", &p->scene},           {"forces", &p->forces},   {"contacts", &p->contacts},
        {"parameters", &p->parameters}, {"events", &p->events},   {"constraints", &p->constraints},
        {"trust", &p->trust},           {"verdict", &p->verdict}, {"equations", &p->equations}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        PyObject *value = PyDict_GetItemString(dict, texts[k].name);
        if (!value || value == Py_None) continue;
        *texts[k].to = PyUnicode_AsUTF8AndSize(value, NULL);
        if (!*texts[k].to) return false;
    }
    p->text_length = p->text ? strlen(p->text) : 0;
    return true;
}

static bool make_columns(PyObject *names, PyObject *kinds, zw_page *p, zw_page_column **columns)
{
    int32_t count = 0;
    const char **name = zpy_take_words(names, &count);
    const char **kind = name ? zpy_take_words(kinds, &count) : NULL;
    *columns = kind ? PyMem_Calloc((size_t)count + 1, sizeof **columns) : NULL;
    for (int32_t k = 0; *columns && k < count; k++)
        (*columns)[k] = (zw_page_column){name[k], kind[k]};
    PyMem_Free(name);
    PyMem_Free(kind);
    p->columns = *columns;
    p->column_count = count;
    if (!*columns && !PyErr_Occurred()) PyErr_NoMemory();
    return *columns != NULL;
}

/* write_page(texts, names, kinds, table, total, write) */
PyObject *zpy_write_page(PyObject *module, PyObject *args, PyObject *words)
{
    static char *given[] = {"texts", "names", "kinds", "table", "total", "write", NULL};
    PyObject *texts, *names, *kinds, *object, *write;
    long long total;
    zpy_doubles table = {0};
    zw_page p = {0};
    zw_page_column *columns = NULL;
    zw_context *context = NULL;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O!O!O!OLO", given, &PyDict_Type, &texts,
                                     &PyList_Type, &names, &PyList_Type, &kinds, &object, &total,
                                     &write))
        return NULL;
    if (PyList_Size(names) < 1 || PyList_Size(names) != PyList_Size(kinds))
        return zpy_refuse(PyExc_ValueError, "each column of a page has a name and a kind");
    if (take_texts(texts, &p) && make_columns(names, kinds, &p, &columns) &&
        zpy_read(object, "the table", &table)) {
        p.rows = table.data;
        p.row_count = table.count / p.column_count;
        p.row_total = total;
        zw_status status = zw_context_create(NULL, &context);
        if (status == ZW_OK) status = zw_page_write(context, &p, zpy_hand_on, write);
        if (status != ZW_OK) (void)zpy_fail(status, context, NULL);
        zw_context_free(context);
        zpy_done(&table);
    }
    PyMem_Free(columns);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* -------------------------------------------------------------------------------- times */

/* grid(start, until, every): (start, end, numerator, denominator, count). */
PyObject *zpy_grid(PyObject *module, PyObject *args, PyObject *words)
{
    static char *given[] = {"start", "until", "every", NULL};
    zw_run_settings s = {.every = (double)NAN};
    zw_run_grid g;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(args, words, "dd|d", given, &s.from, &s.until, &s.every))
        return NULL;
    if (zw_run_grid_find(&s, &g) != ZW_OK)
        return zpy_refuse(PyExc_ValueError, "a run ends after it starts, and has some rows");
    return Py_BuildValue("(ddddL)", g.start, g.end, g.numerator, g.denominator, (long long)g.count);
}
