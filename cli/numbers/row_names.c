/*
 * Names of rows (row_names.h).
 */
#include "row_names.h"

#include "command_messages.h"

const char *row_name(const problem *p, int32_t row, char buffer[ROW_NAME_SIZE])
{
    int32_t equations = p->m - p->inequalities;
    char shown[QUOTED_SIZE];
    if (p->names && p->names[row])
        (void)snprintf(buffer, ROW_NAME_SIZE, "%s", quoted(shown, p->names[row]));
    else if (row < equations)
        (void)snprintf(buffer, ROW_NAME_SIZE, "row %d", (int)row);
    else
        (void)snprintf(buffer, ROW_NAME_SIZE, "at_least[%d]", (int)(row - equations));
    return buffer;
}

void write_row_name(FILE *out, const problem *p, int32_t row)
{
    int32_t equations = p->m - p->inequalities;
    if (p->names && p->names[row])
        layout_string(out, p->names[row]);
    else if (row < equations)
        fprintf(out, "%d", (int)row);
    else
        fprintf(out, "\"at_least[%d]\"", (int)(row - equations));
}

void write_row_list(layout *l, const char *name, const problem *p, int32_t first, const bool *flags)
{
    bool none = true;
    layout_key(l, name);
    fputc('[', l->out);
    for (int32_t i = first; i < p->m; i++) {
        if (!flags[i]) continue;
        if (!none) fputs(", ", l->out);
        none = false;
        write_row_name(l->out, p, i);
    }
    fputc(']', l->out);
}
