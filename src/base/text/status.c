/*
 * The names and sentences of the status codes, expanded from ZW_STATUS_LIST of zwang.h, so
 * that a code added there has its name and sentence here without another line. All strings
 * are static.
 */
#include "status.h"

/* A switch, not a table: the numbers have gaps. */
const char *zb_status_sentence(zw_status status)
{
    switch (status) {
#define SENTENCE_CASE(name, value, sentence)                                                       \
    case name:                                                                                     \
        return sentence;
        ZW_STATUS_LIST(SENTENCE_CASE)
#undef SENTENCE_CASE
    }
    return NULL;
}

/* The name of the constant itself, as it stands in zwang.h. */
const char *zb_status_name(zw_status status)
{
    switch (status) {
#define NAME_CASE(name, value, sentence)                                                           \
    case name:                                                                                     \
        return #name;
        ZW_STATUS_LIST(NAME_CASE)
#undef NAME_CASE
    }
    return NULL;
}
