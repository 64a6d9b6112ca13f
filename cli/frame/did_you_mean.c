/*
 * Suggestions for the words of the command: zw_suggest finds the nearest name, here it becomes
 * a sentence.
 */
#include "did_you_mean.h"

#include <stdint.h>
#include <stdio.h>

#include <zwang.h>

const char *suggest(const char *word, const char *const *names, size_t count)
{
    return zw_suggest(word, names, (int32_t)count);
}

/* Text that does not fit is cut off; the buffer always ends with a NUL. */
const char *suggest_help(char *buffer, size_t size, const char *word, const char *const *names,
                         size_t count, const char *what)
{
    const char *nearest = suggest(word, names, count);
    size_t length = 0;
    buffer[0] = '\0';
    if (nearest) length = (size_t)snprintf(buffer, size, "did you mean '%s'? ", nearest);
    if (length < size)
        length += (size_t)snprintf(buffer + length, size - length, "the %s are", what);
    for (size_t k = 0; k < count && length < size; k++) {
        const char *joint = k == 0 ? "" : k + 1 < count ? "," : " and";
        length += (size_t)snprintf(buffer + length, size - length, "%s %s", joint, names[k]);
    }
    return buffer;
}
