/*
 * output: the results of a simulation, a table of named columns of numbers, as CSV, JSON, NPZ or
 * MAT. A format is one file, which defines zo_csv and the like, and one line of ZW_RESULT_LIST in
 * zwang.h, from which the command takes its endings. Bytes go to the caller's function, so that
 * nothing here opens a file.
 */
#ifndef ZO_OUTPUT_H
#define ZO_OUTPUT_H

#include "base.h"

/* As zw_result_open, zw_result_row, zw_result_close. ZW_ERR_ARGUMENT: there is no name, one is not
 * UTF-8, or, of npz and mat, two are the same. After a failure rows are refused with the same
 * status, and close says it once more; unless it was the caller's function that failed, the file is
 * complete with the rows before. */
zw_status zo_open(zb_memory *memory, zw_result_format format, const char *const *names,
                  int32_t count, zw_write_fn write, void *user, zw_result **result);
zw_status zo_row(zw_result *result, const double *row);
zw_status zo_close(zw_result *result);

/* As zw_matrices_write. */
zw_status zo_matrices(zb_memory *memory, zw_result_format format, const zw_matrix *list,
                      int32_t count, zw_write_fn write, void *user);

#endif
