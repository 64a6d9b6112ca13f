/*
 * output: tables of numbers as files. A format is one file and one line of the table in result.c;
 * bytes go to the caller's function, so that nothing here knows of files.
 */
#ifndef ZO_OUTPUT_H
#define ZO_OUTPUT_H

#include "base.h"

/* As zw_result_open, zw_result_row, zw_result_close. */
zw_status zo_open(zb_memory *memory, zw_result_format format, const char *const *names,
                  int32_t count, zw_write_fn write, void *user, zw_result **result);
zw_status zo_row(zw_result *result, const double *row);
zw_status zo_close(zw_result *result);

#endif
