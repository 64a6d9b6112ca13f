/*
 * Results and pages of zwang.h: argument checks, then the formats of output.
 */
#include "api.h"
#include "output.h"

/* The format and the names themselves are checked by output. */
zw_status zw_result_open(zw_context *context, zw_result_format format, const char *const *names,
                         int32_t count, zw_write_fn write, void *user, zw_result **result)
{
    ZW_REQUIRE(context && names && count > 0 && write && result);
    return zo_open(&context->memory, format, names, count, write, user, result);
}

zw_status zw_result_row(zw_result *result, const double *row)
{
    ZW_REQUIRE(result && row);
    return zo_row(result, row);
}

zw_status zw_result_flush(zw_result *result)
{
    ZW_REQUIRE(result);
    return zo_send(result);
}

zw_status zw_result_close(zw_result *result)
{
    return zo_close(result);
}

/* What is NULL is left out, but a table has columns and a page its style and script. */
zw_status zw_page_write(zw_context *context, const zw_page *page, zw_write_fn write, void *user)
{
    ZW_REQUIRE(context && page && write && page->style && page->script);
    ZW_REQUIRE(page->columns && page->column_count > 0 && page->row_count >= 0);
    ZW_REQUIRE(page->rows || page->row_count == 0);
    for (int32_t k = 0; k < page->column_count; k++)
        ZW_REQUIRE(page->columns[k].name && page->columns[k].kind);
    return zo_page(&context->memory, page, write, user);
}

/* The list is checked by output. */
zw_status zw_matrices_write(zw_context *context, zw_result_format format, const zw_matrix *matrices,
                            int32_t count, zw_write_fn write, void *user)
{
    ZW_REQUIRE(context && matrices && write);
    return zo_matrices(&context->memory, format, matrices, count, write, user);
}

zw_status zw_archive_write(zw_context *context, const zw_archive_file *files, int32_t count,
                           zw_write_fn write, void *user)
{
    ZW_REQUIRE(context && write && (files || count == 0));
    return zo_archive(&context->memory, files, count, write, user);
}
