/*
 * A table of runs: CSV whose first line names numbers of the model; every other line is a run.
 */
#include <inttypes.h>

#include "sweep_plan.h"

static zw_status refuse_table(zw_sweep *sweep, const char *help, const char *why)
{
    const char *file = sweep->plan.table_file ? sweep->plan.table_file : "table";
    return zr_refuse_setting(sweep->model, "E0765", help, "%s %s", file, why);
}

/* The sentence of a fault, with the line it stands in. */
static zw_status refuse_fault(zw_sweep *sweep, const zb_csv *csv)
{
    static const char *const sentences[] = {
        [ZB_CSV_GOOD] = "has no line of names",
        [ZB_CSV_NOT_NUMBER] = "has a cell that is no number",
        [ZB_CSV_TOO_BIG] = "has a number that is too large",
        [ZB_CSV_CELLS] = "has a line with another number of cells than the first",
        [ZB_CSV_QUOTE] = "has a quote that is not closed",
        [ZB_CSV_TOO_MANY] = "has too many numbers",
    };
    int64_t line = 1;
    char help[80];
    zb_text text;
    for (size_t k = 0; k < csv->fault_at && k < sweep->plan.table_length; k++)
        line += sweep->plan.table[k] == '\n';
    zb_text_init_fixed(&text, help, sizeof help);
    zb_text_printf(&text, "look at line %" PRId64, line);
    return refuse_table(
        sweep,
        csv->fault == ZB_CSV_GOOD ? "write the names of what varies into the first line" : help,
        sentences[csv->fault]);
}

zw_status zs_read_table(zw_sweep *sweep)
{
    zb_csv csv = {0};
    bool read = zb_csv_read(&sweep->arena, sweep->plan.table, sweep->plan.table_length, &csv);
    if (!read && csv.fault == ZB_CSV_GOOD) return sweep->arena.failure;
    if (!read || !csv.names) return refuse_fault(sweep, &csv);
    if (csv.rows == 0) return refuse_table(sweep, "write a line for each run", "has no runs");
    sweep->axis_count = csv.columns;
    sweep->axes = ZB_NEW_ARRAY(&sweep->arena, zs_axis, (size_t)csv.columns);
    if (!sweep->axes) return sweep->arena.failure;
    for (int32_t k = 0; k < csv.columns; k++)
        ZB_TRY(zs_bind_axis(sweep, &sweep->axes[k], csv.names[k]));
    sweep->table = csv.values;
    sweep->runs = csv.rows;
    return ZW_OK;
}
