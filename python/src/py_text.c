/*
 * Text that the library writes piece by piece, and names that it writes into a buffer, as strings. The
 * pieces come while the GIL is released: memory is that of malloc.
 */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

bool zpy_text_put(void *user, const char *bytes, size_t size)
{
    zpy_text *text = user;
    if (text->length + size > text->room) {
        size_t room = 2 * (text->length + size) + 256;
        char *more = realloc(text->bytes, room);
        text->failed = text->failed || !more;
        if (!more) return false;
        text->bytes = more;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, size);
    text->length += size;
    return true;
}

void zpy_text_free(zpy_text *text)
{
    free(text->bytes);
    *text = (zpy_text){0};
}

PyObject *zpy_text_take(zpy_text *text)
{
    PyObject *string = text->failed ? PyErr_NoMemory()
                                    : PyUnicode_DecodeUTF8(text->bytes ? text->bytes : "",
                                                           (Py_ssize_t)text->length, "replace");
    zpy_text_free(text);
    return string;
}

const char **zpy_take_words(PyObject *list, int32_t *count)
{
    Py_ssize_t size = list ? PySequence_Size(list) : 0;
    if (size < 0) return NULL;
    const char **words = PyMem_Calloc((size_t)size + 1, sizeof *words);
    if (!words) PyErr_NoMemory();
    for (Py_ssize_t k = 0; words && k < size; k++) {
        PyObject *word = PySequence_GetItem(list, k); /* a list of str: it keeps them */
        words[k] = word ? PyUnicode_AsUTF8AndSize(word, NULL) : NULL;
        Py_XDECREF(word);
        if (words[k]) continue;
        PyMem_Free(words);
        return NULL;
    }
    *count = (int32_t)size;
    return words;
}

PyObject *zpy_name_of(zpy_name_fn name, const void *object, int32_t i)
{
    char small[200];
    size_t length = name(object, i, small, sizeof small);
    if (length < sizeof small) return PyUnicode_DecodeUTF8(small, (Py_ssize_t)length, "replace");
    char *large = PyMem_Malloc(length + 1);
    if (!large) return PyErr_NoMemory();
    (void)name(object, i, large, length + 1);
    PyObject *string = PyUnicode_DecodeUTF8(large, (Py_ssize_t)length, "replace");
    PyMem_Free(large);
    return string;
}

PyObject *zpy_names_of(zpy_name_fn name, const void *object, int32_t count)
{
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        PyObject *entry = zpy_name_of(name, object, k);
        if (!entry || PyList_SetItem(list, k, entry) != 0) Py_CLEAR(list);
    }
    return list;
}
