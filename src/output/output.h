/*
 * output: the results of a simulation, a table of named columns of numbers, as CSV, JSON, NPZ or
 * MAT. A format is one file, which defines zo_csv and the like, and one line of ZW_RESULT_LIST in
 * zwang.h, from which the command takes its endings. Bytes go to the caller's function, so that
 * nothing here opens a file. A page is such a table with what a browser needs to show it (page.c).
 */
#ifndef ZO_OUTPUT_H
#define ZO_OUTPUT_H

#include "base.h"

/* As zw_result_open, zw_result_row, zw_result_flush, zw_result_close. ZW_ERR_ARGUMENT: there is no name, one is not
 * UTF-8, or, of npz and mat, two are the same. After a failure rows are refused with the same
 * status, and close says it once more; unless it was the caller's function that failed, the file is
 * complete with the rows before. */
zw_status zo_open(zb_memory *memory, zw_result_format format, const char *const *names,
                  int32_t count, zw_write_fn write, void *user, zw_result **result);
zw_status zo_row(zw_result *result, const double *row);
zw_status zo_send(zw_result *result); /* zw_result_flush */
zw_status zo_close(zw_result *result);

/* The rows of a sweep, block after block (runs_file.c). */
typedef struct zo_runs {
    const char *const *names; /* [columns] */
    int32_t columns;
    int64_t runs, blocks;
    /* Block k, valid until the next call. */
    zw_status (*read)(void *user, int64_t k, zw_sweep_block *block);
    void *user;
} zo_runs;

/* As zw_sweep_write. */
zw_status zo_write_runs(zb_memory *memory, zw_result_format format, const zo_runs *runs,
                        zw_write_fn write, void *user);

/* As zw_page_write. */
zw_status zo_page(zb_memory *memory, const zw_page *page, zw_write_fn write, void *user);

/* As zw_matrices_write. */
zw_status zo_matrices(zb_memory *memory, zw_result_format format, const zw_matrix *list,
                      int32_t count, zw_write_fn write, void *user);

/* As zw_archive_write. */
zw_status zo_archive(zb_memory *memory, const zw_archive_file *files, int32_t count,
                     zw_write_fn write, void *user);

#endif
