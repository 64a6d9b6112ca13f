/*
 * Names of the lists of zwang.h: for each a table of its names by value, and two functions over it.
 */
#include "list_names.h"

#include <stddef.h>
#include <string.h>

/* The name with that number of names [count], or NULL. As a number: callers outside can put
 * anything into an enum. */
static const char *name_of_number(const char *const *names, size_t count, int number)
{
    return number >= 0 && (size_t)number < count ? names[number] : NULL;
}

/* The number of that name among names [count], or -1. */
static int number_of_name(const char *const *names, size_t count, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(name, names[k]) == 0) return (int)k;
    return -1;
}

/* Names are as they are, unless they had another one once, which is still read. */
static const char *present_name(const char *name)
{
    return name;
}

static const char *present_solver_name(const char *name)
{
    return strcmp(name, "lanes") == 0 ? "parts" : name;
}

#define NAME_AT(constant, value, name, sentence) [value] = name,

/* DEFINE_NAMES(form, ZW_FORM_LIST, present_name): zb_form_name and zb_form_find. */
#define DEFINE_NAMES(kind, LIST, present)                                                          \
    static const char *const kind##_names[] = {LIST(NAME_AT)};                                     \
    enum { kind##_count = sizeof kind##_names / sizeof *kind##_names };                            \
                                                                                                   \
    const char *zb_##kind##_name(zw_##kind value)                                                  \
    {                                                                                              \
        return name_of_number(kind##_names, kind##_count, (int)value);                             \
    }                                                                                              \
                                                                                                   \
    zw_status zb_##kind##_find(const char *name, zw_##kind *value)                                 \
    {                                                                                              \
        int number = number_of_name(kind##_names, kind##_count, present(name));                    \
        if (number < 0) return ZW_ERR_ARGUMENT;                                                    \
        *value = (zw_##kind)number;                                                                \
        return ZW_OK;                                                                              \
    }

DEFINE_NAMES(solver, ZW_SOLVER_LIST, present_solver_name)
DEFINE_NAMES(form, ZW_FORM_LIST, present_name)
DEFINE_NAMES(method, ZW_METHOD_LIST, present_name)
DEFINE_NAMES(stabilize, ZW_STABILIZE_LIST, present_name)
DEFINE_NAMES(kernel, ZW_KERNEL_LIST, present_name)
DEFINE_NAMES(hold, ZW_HOLD_LIST, present_name)
DEFINE_NAMES(happening, ZW_HAPPENING_LIST, present_name)
DEFINE_NAMES(design, ZW_DESIGN_LIST, present_name)
