/*
 * Numbers from outside: data NAME = "FILE", options, and calls NAME(E). The text of the file comes
 * from the caller, or arrays take its place; both are checked alike and become a table (expr.h).
 *
 *     x = COLUMN, y = COLUMN   by name or by number from 1; else the first and the second
 *     linear, cubic, hold      between the rows
 *     periodic                 the last row is the first again
 *     extend                   beyond the first and the last row along the tangent there
 *
 * A statement in a component is read once, however many parts there are.
 */
#include "elaborate.h"

#include <math.h>
#include <string.h>

enum { X_COLUMN, Y_COLUMN, COLUMNS };

/* What the options say. */
typedef struct data_options {
    const zl_setting *columns[COLUMNS]; /* or NULL */
    int32_t degree;
    bool periodic, extends;
} data_options;

/* A function given by rows, and where they stand. */
typedef struct data_rows {
    const double *x, *y;
    int32_t count;
    int32_t source;   /* of the unit: the text, once something is wrong in it; -1 */
    const size_t *at; /* [count] bytes where their lines begin, or NULL: arrays */
    const char *file, *text;
    size_t length;
    const char *names[2]; /* of the columns; NULL: they have none */
} data_rows;

/* --------------------------------------------------------------------- options */

static int32_t find_degree_word(const char *word)
{
    if (strcmp(word, "hold") == 0) return 0;
    if (strcmp(word, "linear") == 0) return 1;
    return strcmp(word, "cubic") == 0 ? 3 : -1;
}

static bool refuse_pair(zm_elab *e, const zl_setting *a, const char *b)
{
    ZM_ERROR(e, "E0334", a->place, "leave one of them out", "'%s' and '%s' exclude each other", b,
             zm_name_of(e, a->key));
    return false;
}

static bool read_data_options(zm_elab *e, const zl_statement *s, data_options *out)
{
    const char *kind = NULL, *beyond = NULL;
    *out = (data_options){.degree = 1};
    for (int32_t k = 0; k < s->setting_count; k++) {
        const zl_setting *o = &s->settings[k];
        const char *word = zm_name_of(e, o->key);
        int32_t degree = find_degree_word(word);
        if (degree >= 0) {
            if (kind) return refuse_pair(e, o, kind);
            kind = word;
            out->degree = degree;
        } else if (o->text || o->value) {
            out->columns[strcmp(word, "x") == 0 ? X_COLUMN : Y_COLUMN] = o;
        } else {
            if (beyond) return refuse_pair(e, o, beyond);
            beyond = word;
            out->periodic = strcmp(word, "periodic") == 0;
            out->extends = !out->periodic;
        }
    }
    return true;
}

/* ----------------------------------------------------------------------- files */

/* A name that stays in the folder of the model. */
static bool is_beside(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && !strpbrk(name, "/\\:");
}

static bool load_data_text(zm_elab *e, const zl_statement *s, data_rows *rows)
{
    const zm_request *r = e->b->request;
    const char *name = s->string;
    if (!e->flags.callers_file && !is_beside(name)) {
        ZM_ERROR(e, "E0330", s->mark, "put the file beside the model and write its name alone",
                 "'%.100s' does not stand beside the model", name);
        return false;
    }
    if (r->data && r->data(r->user, name, &rows->file, &rows->text, &rows->length)) return true;
    ZM_ERROR(e, "E0330", s->mark,
             e->flags.callers_file
                 ? "write u = FILE.csv:COLUMN, hold"
                 : "a file of data stands beside the model; a program may give arrays in its place",
             "there is no file '%.100s'", name);
    return false;
}

/* A place in the text of the data, which becomes a source by that. */
static zl_place place_in_data(zm_elab *e, data_rows *rows, size_t at, size_t length)
{
    if (rows->source < 0)
        rows->source = zl_add_source(e->unit, rows->file, rows->text, rows->length);
    size_t mark = rows->length >= 3 && memcmp(rows->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    at = at > mark ? at - mark : 0;
    return (zl_place){rows->source, (int32_t)at, (int32_t)(length > 0 ? length : 1)};
}

/* The line from a byte on. */
static zl_place place_of_line(zm_elab *e, data_rows *rows, size_t at)
{
    size_t end = at;
    while (end < rows->length && rows->text[end] != '\r' && rows->text[end] != '\n') end++;
    return place_in_data(e, rows, at, end - at);
}

static void report_csv_fault(zm_elab *e, data_rows *rows, const zb_csv *csv)
{
    zl_place place = place_in_data(e, rows, csv->fault_at, csv->fault_length);
    int length = csv->fault_length < 40 ? (int)csv->fault_length : 40;
    const char *found = rows->text + csv->fault_at;
    switch (csv->fault) {
    case ZB_CSV_NOT_NUMBER:
        ZM_ERROR(e, "E0331", place, "decimals take a point; cells are separated by commas",
                 csv->fault_length > 0 ? "'%.*s' is not a number" : "%.*sa number is missing",
                 length, found);
        break;
    case ZB_CSV_TOO_BIG:
        ZM_ERROR(e, "E0331", place, NULL, "'%.*s' is too large for a number", length, found);
        break;
    case ZB_CSV_CELLS:
        ZM_ERROR(e, "E0331", place, "every line has a cell for each column",
                 "this line has %d %s, the first one has %d", (int)csv->fault_cells,
                 csv->fault_cells == 1 ? "cell" : "cells", (int)csv->columns);
        break;
    case ZB_CSV_QUOTE:
        ZM_ERROR(e, "E0331", place, NULL, "this quote is not closed in its line");
        break;
    default:
        ZM_ERROR(e, "E0331", place, "leave out rows or columns that are not needed",
                 "the file has more than %d numbers", ZB_CSV_MOST);
    }
}

/* --------------------------------------------------------------------- columns */

static const char *list_columns(zm_elab *e, const zb_csv *csv)
{
    enum { most = 12 };
    zl_name names[most];
    int32_t count = csv->columns < most ? csv->columns : most;
    if (!csv->names)
        return zm_format(e, "its columns have no names; there %s %d",
                         csv->columns == 1 ? "is" : "are", (int)csv->columns);
    for (int32_t k = 0; k < count; k++)
        names[k] = zl_intern(e->unit, csv->names[k], strlen(csv->names[k]));
    return zm_format(e, "it has %s", zm_list_names(e, names, count));
}

static int32_t refuse_column(zm_elab *e, data_rows *rows, const zl_setting *o, const zb_csv *csv,
                             const char *what)
{
    zl_place place = e->flags.callers_file ? place_of_line(e, rows, 0) : o->place;
    ZM_ERROR(e, "E0332", place, list_columns(e, csv), "the file has no column %s", what);
    return -1;
}

/* Which column the option, or without one its place, names; -1 after an error. */
static int32_t find_data_column(zm_elab *e, const zl_statement *s, data_rows *rows,
                                const zl_setting *o, const zb_csv *csv, int32_t otherwise)
{
    if (!o && otherwise < csv->columns) return otherwise;
    if (!o) {
        zl_place place = e->flags.callers_file ? place_of_line(e, rows, 0) : s->mark;
        ZM_ERROR(e, "E0332", place, "name them by x = COLUMN, y = COLUMN",
                 "the file has one column; a function needs two");
        return -1;
    }
    if (o->text) {
        for (int32_t k = 0; k < csv->columns && csv->names; k++)
            if (strcmp(csv->names[k], o->text) == 0) return k;
        return refuse_column(e, rows, o, csv, zm_format(e, "'%.60s'", o->text));
    }
    double number = o->value->kind == ZL_NUMBER ? o->value->number : 0.0;
    if (number >= 1.0 && number <= csv->columns && number == floor(number))
        return (int32_t)number - 1;
    return refuse_column(e, rows, o, csv, "of this number, from 1");
}

static double *copy_column(zm_elab *e, const zb_csv *csv, int32_t column)
{
    double *out = ZB_NEW_ARRAY(&e->scratch, double, (size_t)csv->rows);
    for (int32_t k = 0; k < csv->rows; k++)
        out[k] = csv->values[(size_t)k * (size_t)csv->columns + (size_t)column];
    return out;
}

/* The two columns that are asked for. */
static bool read_data_file(zm_elab *e, const zl_statement *s, const data_options *o,
                           data_rows *rows)
{
    zb_csv csv;
    if (!load_data_text(e, s, rows)) return false;
    if (!zb_csv_read(&e->scratch, rows->text, rows->length, &csv)) {
        if (csv.fault == ZB_CSV_GOOD) zm_out_of_memory(e);
        report_csv_fault(e, rows, &csv);
        return false;
    }
    if (csv.columns == 0) {
        zl_place place = e->flags.callers_file ? place_of_line(e, rows, 0) : s->mark;
        ZM_ERROR(e, "E0331", place, NULL, "the file '%.100s' is empty", s->string);
        return false;
    }
    int32_t x = find_data_column(e, s, rows, o->columns[X_COLUMN], &csv, 0);
    int32_t y =
        x < 0 ? -1 : find_data_column(e, s, rows, o->columns[Y_COLUMN], &csv, x == 1 ? 0 : 1);
    if (y < 0) return false;
    rows->x = copy_column(e, &csv, x);
    rows->y = copy_column(e, &csv, y);
    rows->count = csv.rows;
    rows->at = csv.at;
    if (csv.names) rows->names[X_COLUMN] = csv.names[x];
    if (csv.names) rows->names[Y_COLUMN] = csv.names[y];
    return true;
}

/* ------------------------------------------------------------------ what fits */

/* The line of a row, or the statement. */
static zl_place place_of_row(zm_elab *e, const zl_statement *s, data_rows *rows, int32_t k)
{
    if (!rows->at) return s->mark;
    return place_of_line(e, rows, rows->at[k]);
}

static bool refuse_row(zm_elab *e, const zl_statement *s, data_rows *rows, int32_t k,
                       const char *help, const char *what)
{
    char shown[ZB_DOUBLE_SIZE];
    zb_print_double(rows->x[k], shown);
    ZM_ERROR(e, "E0333", place_of_row(e, s, rows, k), help, "in row %d, at %s, %s", (int)k + 1,
             shown, what);
    return false;
}

static bool check_row_count(zm_elab *e, const zl_statement *s, const data_options *o,
                            data_rows *rows)
{
    int32_t least = o->degree < 3 ? 2 : o->periodic ? 4 : 3;
    if (rows->count >= least) return true;
    bool in_file = e->flags.callers_file && rows->text;
    ZM_ERROR(e, "E0333", in_file ? place_of_line(e, rows, 0) : s->mark,
             o->degree == 3 ? "with fewer rows, take linear" : NULL,
             "%s data need %d rows at least; there %s %d",
             o->degree == 0   ? "held"
             : o->degree == 1 ? "linear"
             : o->periodic    ? "periodic cubic"
                              : "cubic",
             (int)least, rows->count == 1 ? "is" : "are", (int)rows->count);
    return false;
}

/* Of a periodic function the ends are one. */
static bool check_period(zm_elab *e, const zl_statement *s, const data_options *o, data_rows *rows)
{
    double first = rows->y[0], last = rows->y[rows->count - 1], size = fabs(first);
    if (!o->periodic || o->degree == 0) return true;
    for (int32_t k = 1; k < rows->count; k++) size = fmax(size, fabs(rows->y[k]));
    if (fabs(first - last) <= 1e-9 * size) return true;
    return refuse_row(e, s, rows, rows->count - 1, "the last row of one period repeats the first",
                      "periodic data are not what they are in the first row");
}

static bool check_rows(zm_elab *e, const zl_statement *s, const data_options *o, data_rows *rows)
{
    if (!check_row_count(e, s, o, rows)) return false;
    for (int32_t k = 0; k < rows->count; k++) {
        if (!(fabs(rows->x[k]) < 1e300) || !(fabs(rows->y[k]) < 1e300))
            return refuse_row(e, s, rows, k, NULL, "a number is not finite");
        if (k > 0 && !(rows->x[k] > rows->x[k - 1]))
            return refuse_row(e, s, rows, k, "sort the rows, and keep one of equal ones",
                              "the abscissa is not greater than in the row before");
    }
    return check_period(e, s, o, rows);
}

/* ------------------------------------------------------------------ the tables */

/* The arrays that the caller gave by this name. */
static bool find_given_table(zm_elab *e, const zl_statement *s, data_rows *rows)
{
    const zm_request *r = e->b->request;
    for (int32_t k = 0; k < r->table_count; k++) {
        const zw_table *t = &r->tables[k];
        if (!t->name || strcmp(t->name, zm_name_of(e, s->name)) != 0) continue;
        rows->x = t->x;
        rows->y = t->y;
        rows->count = t->x && t->y && t->count > 0 ? t->count : 0;
        return true;
    }
    return false;
}

static const zx_table *make_table(zm_elab *e, const data_options *o, const data_rows *rows)
{
    zm_model *m = e->model;
    zx_table *table = ZB_NEW(&m->arena, zx_table);
    *table = (zx_table){.degree = o->degree, .periodic = o->periodic, .extends = o->extends};
    if (!zx_table_make(&m->arena, table, rows->x, rows->y, rows->count)) zm_out_of_memory(e);
    const zx_table **list = ZB_NEW_ARRAY(&m->arena, const zx_table *, (size_t)m->tables.count + 1);
    for (int32_t k = 0; k < m->tables.count; k++) list[k] = m->tables.list[k];
    list[m->tables.count] = table;
    m->tables.list = list;
    m->tables.count++;
    return table;
}

static const char *keep_name(zm_elab *e, const char *name)
{
    return name ? zb_arena_string(&e->model->arena, name, strlen(name)) : NULL;
}

/* The number of the table of a statement, read now or before; -1 after an error. */
static int32_t find_table(zm_elab *e, const zl_statement *s)
{
    for (int32_t k = 0; k < e->items.data.count; k++)
        if (e->items.data.data[k].statement == s) return k;
    data_options options;
    data_rows rows = {.source = -1};
    if (!read_data_options(e, s, &options)) return -1;
    bool given = find_given_table(e, s, &rows);
    if (!given && !read_data_file(e, s, &options, &rows)) return -1;
    if (!check_rows(e, s, &options, &rows)) return -1;
    zm_data data = {
        .label = {.scope = e->scope->part, .name = s->name},
        .place = s->place,
        .statement = s,
        .table = make_table(e, &options, &rows),
        .columns = {keep_name(e, rows.names[X_COLUMN]), keep_name(e, rows.names[Y_COLUMN])},
        .input = e->flags.callers_file ? e->unit->about : NULL,
        .least = rows.x[0],
        .most = rows.x[rows.count - 1],
        .rows = rows.count};
    if (!given) data.file = zb_arena_string(&e->model->arena, s->string, strlen(s->string));
    ZM_PUSH(e, items.data, data);
    zm_count_made(e, 1);
    return e->items.data.count - 1;
}

/* What is wrong with the data leaves the name without a meaning, but known: nothing else is said of
 * it. */
void zm_execute_data(zm_elab *e, const zl_statement *s)
{
    int32_t table = find_table(e, s);
    e->kept++;
    zm_symbol entry = {.name = s->name, .meaning = ZM_IS_DATA, .place = s->mark, .number = table};
    (void)zm_declare_name(e, &entry);
}

void zm_check_tables(zm_elab *e)
{
    const zm_request *r = e->b->request;
    for (int32_t k = 0; k < r->table_count; k++) {
        bool found = false;
        const char *name = r->tables[k].name ? r->tables[k].name : "";
        for (int32_t i = 0; i < e->items.data.count && !found; i++)
            found = strcmp(zm_name_of(e, e->items.data.data[i].label.name), name) == 0;
        if (found) continue;
        ZM_ERROR(e, "E0335", ((zl_place){.source = 0}), "declare it: data NAME = \"FILE\"",
                 "a table is given for '%.60s', but no data of the model have that name", name);
    }
}

/* ----------------------------------------------------------------------- calls */

zx_node zm_table_of(zm_elab *e, int32_t table, zx_node argument)
{
    double code = zx_table_code(table, e->items.data.data[table].table->degree, 0);
    return zx_binary(e->world, ZX_TABLE, argument, zx_number(e->world, code));
}

zm_value zm_evaluate_data(zm_elab *e, const zl_expr *x, int32_t table)
{
    if (x->count != 1) {
        ZM_ERROR(e, "E0111", x->mark, NULL, "'%s' takes 1 argument, not %d", zm_name_of(e, x->name),
                 (int)x->count);
        return zm_broken();
    }
    zx_node argument = zm_evaluate_scalar(e, x->items[0]);
    if (argument == ZX_NONE || table < 0) return zm_broken();
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true};
    if (!zm_check_leaves(e, &argument, 1, allowed, x->items[0]->place, "the argument of data"))
        return zm_broken();
    return zm_node_value(e, zm_table_of(e, table, argument));
}
