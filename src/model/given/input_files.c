/*
 * Inputs that come from a file: what the caller gives as
 *
 *     u = FILE.csv:COLUMN, hold
 *
 * becomes a statement and a call, executed where the model declares the input:
 *
 *     data _input1 = "FILE.csv", y = "COLUMN", hold
 *     let u = _input1(t)
 *
 * so that everything that `data` can do, and says about files, holds here. The right side is a file
 * where it is quoted or ends with .csv. Such a file is named by the caller, not by the model, and
 * stands wherever it likes: its name reaches the caller's `data` with a slash in it. Messages show what
 * the caller wrote and name the input.
 */
#include "elaborate.h"

#include <string.h>

/* A stretch of the text. */
typedef struct piece {
    const char *at;
    size_t length;
} piece;

typedef struct file_form {
    piece input, file, column; /* column of length 0: none is said */
    piece options;             /* of the statement, likewise */
} file_form;

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

static piece trim(piece p)
{
    while (p.length > 0 && (p.at[p.length - 1] == ' ' || p.at[p.length - 1] == '\t')) p.length--;
    return p;
}

/* Up to one of the signs, or in quotes; where it ends in *at. */
static piece take_word(const char **at, const char *signs)
{
    const char *from = skip_blanks(*at);
    const char *quote = *from == '"' ? strchr(from + 1, '"') : NULL;
    piece word = {from, strcspn(from, signs)};
    if (quote) word = (piece){from + 1, (size_t)(quote - from - 1)};
    *at = skip_blanks(quote ? quote + 1 : from + word.length);
    return quote ? word : trim(word);
}

static bool ends_with_csv(piece p)
{
    return p.length > 4 && memcmp(p.at + p.length - 4, ".csv", 4) == 0;
}

/* Whether the text gives a file; false: it is an expression, or wrong, and read as one. */
static bool split_file_form(const char *text, file_form *f)
{
    const char *equals = strchr(text, '='), *at;
    if (!equals) return false;
    *f = (file_form){.input = trim((piece){text, (size_t)(equals - text)})};
    at = skip_blanks(equals + 1);
    bool quoted = *at == '"' && strchr(at + 1, '"');
    f->file = take_word(&at, ":,");
    if (!quoted && !ends_with_csv(f->file)) return false;
    if (*at == ':') {
        at++;
        f->column = take_word(&at, ",");
    }
    if (*at == ',') f->options = (piece){at + 1, strlen(at + 1)};
    return *at == ',' || *at == '\0';
}

static bool is_number_of_column(piece p)
{
    return p.length > 0 && p.length < 9 && strspn(p.at, "0123456789") >= p.length;
}

/* The statement, and the equation in *equation; both stay with the model. */
static const char *write_file_statement(zm_elab *e, const file_form *f, int32_t number,
                                        const char **equation)
{
    zb_text *text = &e->parameters.path;
    zb_text_free(text);
    zb_text_init(text, e->memory);
    bool bare = !memchr(f->file.at, '/', f->file.length);
    zb_text_printf(text, "data _input%d = \"%s%.*s\"", (int)number, bare ? "./" : "",
                   (int)f->file.length, f->file.at);
    if (is_number_of_column(f->column))
        zb_text_printf(text, ", y = %.*s", (int)f->column.length, f->column.at);
    else if (f->column.length > 0)
        zb_text_printf(text, ", y = \"%.*s\"", (int)f->column.length, f->column.at);
    if (f->options.length > 0) zb_text_printf(text, ",%.*s", (int)f->options.length, f->options.at);
    size_t length = text->length;
    zb_text_printf(text, "%.*s = _input%d(t)", (int)f->input.length, f->input.at, (int)number);
    if (text->failure != ZW_OK) zm_out_of_memory(e);
    const char *all = zb_text_string(text);
    *equation = zb_arena_string(&e->model->arena, all + length, text->length - length);
    return zb_arena_string(&e->model->arena, all, length);
}

bool zm_read_input_file(zm_elab *e, const char *file, const char *text, int32_t number)
{
    file_form form;
    const char *equation;
    int32_t errors = e->unit->error_count, before = e->parameters.inputs.count;
    if (!split_file_form(text, &form)) return false;
    const char *statement = write_file_statement(e, &form, number, &equation);
    e->unit->given = zb_arena_string(&e->model->arena, text, strlen(text));
    zl_block block = zl_parse(e->unit, file, statement, strlen(statement));
    if (e->unit->error_count != errors) e->flags.setting_errors = true;
    if (e->unit->error_count == errors) zm_read_setting_text(e, file, equation, true);
    e->unit->given = NULL;
    const char *input = zb_arena_string(&e->model->arena, form.input.at, form.input.length);
    for (int32_t k = before; k < e->parameters.inputs.count; k++) {
        e->parameters.inputs.data[k].data = block;
        e->parameters.inputs.data[k].input = input;
    }
    return true;
}

/* A file that is wrong is wrong data, not a wrong setting. */
bool zm_execute_input_file(zm_elab *e, const zm_setting *s)
{
    int32_t errors = e->unit->error_count;
    e->flags.callers_file = true;
    e->unit->about = s->input;
    zm_execute_block(e, &s->data);
    e->flags.callers_file = false;
    e->unit->about = NULL;
    return e->unit->error_count == errors;
}
