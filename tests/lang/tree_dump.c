#include "tree_dump.h"

void reading_init(reading *r)
{
    memset(r, 0, sizeof *r);
    counting_init(&r->counter, &r->memory);
    zb_arena_init(&r->arena, &r->memory, 0);
    zb_diag_init(&r->diagnostics, &r->memory);
    r->arena.escape = &r->escape;
    zl_unit_init(&r->unit, &r->arena, &r->diagnostics);
    zb_text_init(&r->text, &r->memory);
}

void reading_free(reading *r)
{
    zl_unit_free(&r->unit);
    zb_diag_free(&r->diagnostics);
    zb_arena_clear(&r->arena);
    zb_text_free(&r->text);
    assert_nothing_held(&r->counter, &r->memory);
}

void reading_parse(reading *r, const char *text, size_t length)
{
    if (setjmp(r->escape) == 0)
        r->block = zl_parse(&r->unit, "m.zw", text, length);
    else
        r->escaped = true;
}

void read_string(reading *r, const char *text)
{
    reading_init(r);
    reading_parse(r, text, strlen(text));
    assert_false(r->escaped);
}

/* -------------------------------------------------------------- expressions */

static void put_expression(reading *r, const zl_expr *e);

static void put_name(reading *r, zl_name name)
{
    zb_text_add(&r->text, name < 0 ? "?" : zl_name_text(&r->unit, name));
}

static void put_items(reading *r, const zl_expr *e)
{
    for (int32_t i = 0; i < e->count; i++) {
        if (e->kind != ZL_VECTOR || i > 0) zb_text_char(&r->text, ' ');
        if (e->item_names && e->item_names[i] >= 0) {
            put_name(r, e->item_names[i]);
            zb_text_char(&r->text, '=');
        }
        put_expression(r, e->items[i]);
    }
}

static const char *operator_text(uint8_t kind)
{
    static const char *const texts[] = {
        [ZL_INDEX] = "at", [ZL_MEMBER] = ".", [ZL_PRIME] = "'", [ZL_NEG] = "neg", [ZL_NOT] = "not",
        [ZL_ADD] = "+",    [ZL_SUB] = "-",    [ZL_MUL] = "*",   [ZL_DIV] = "/",   [ZL_POW] = "^",
        [ZL_LT] = "<",     [ZL_LE] = "<=",    [ZL_GT] = ">",    [ZL_GE] = ">=",   [ZL_EQ] = "==",
        [ZL_NE] = "!=",    [ZL_AND] = "and",  [ZL_OR] = "or",   [ZL_SUM] = "sum", [ZL_CALL] = "",
    };
    return texts[kind];
}

static void put_node(reading *r, const zl_expr *e)
{
    zb_text_printf(&r->text, "(%s", operator_text(e->kind));
    if (e->kind == ZL_SUM) zb_text_char(&r->text, ' ');
    if (e->kind == ZL_SUM || e->kind == ZL_CALL) put_name(r, e->name);
    if (e->left) zb_text_char(&r->text, ' '), put_expression(r, e->left);
    if (e->right) zb_text_char(&r->text, ' '), put_expression(r, e->right);
    if (e->kind == ZL_MEMBER) zb_text_char(&r->text, ' '), put_name(r, e->name);
    put_items(r, e);
    zb_text_char(&r->text, ')');
}

static void put_expression(reading *r, const zl_expr *e)
{
    switch (e->kind) {
    case ZL_NUMBER:
        zb_text_double(&r->text, e->number);
        break;
    case ZL_NAME:
        put_name(r, e->name);
        break;
    case ZL_TIME:
        zb_text_add(&r->text, "t");
        break;
    case ZL_PI:
        zb_text_add(&r->text, "pi");
        break;
    case ZL_BROKEN:
        zb_text_add(&r->text, "?");
        break;
    case ZL_VECTOR:
        zb_text_char(&r->text, '[');
        put_items(r, e);
        zb_text_char(&r->text, ']');
        break;
    default:
        put_node(r, e);
    }
}

const char *dump_expression(reading *r, const zl_expr *e)
{
    zb_text_clear(&r->text);
    put_expression(r, e);
    return zb_text_string(&r->text);
}

/* --------------------------------------------------------------- statements */

static void put_block(reading *r, zl_block block);

static void put_definitions(reading *r, const zl_definition *list, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        zb_text_char(&r->text, ' ');
        if (list[i].sizes || list[i].value) zb_text_char(&r->text, '(');
        put_name(r, list[i].name);
        if (list[i].sizes) put_expression(r, list[i].sizes);
        if (list[i].value) zb_text_char(&r->text, ' '), put_expression(r, list[i].value);
        if (list[i].sizes || list[i].value) zb_text_char(&r->text, ')');
    }
}

static void put_equations(reading *r, const zl_statement *s)
{
    for (int32_t i = 0; i < s->equation_count; i++) {
        const zl_equation *e = &s->equations[i];
        zb_text_add(&r->text, " (= ");
        put_expression(r, e->left);
        zb_text_char(&r->text, ' ');
        put_expression(r, e->right);
        zb_text_add(&r->text, e->fixed ? " fixed)" : ")");
    }
}

static void put_settings(reading *r, const zl_statement *s)
{
    for (int32_t i = 0; i < s->setting_count; i++) {
        const zl_setting *e = &s->settings[i];
        zb_text_char(&r->text, ' ');
        put_name(r, e->key);
        zb_text_char(&r->text, '=');
        if (e->text) zb_text_printf(&r->text, "\"%s\"", e->text);
        if (e->value) put_expression(r, e->value);
        if (e->last) zb_text_add(&r->text, ".."), put_expression(r, e->last);
    }
}

static void put_parts(reading *r, const zl_statement *s)
{
    for (int32_t i = 0; i < s->target_count; i++)
        zb_text_char(&r->text, ' '), put_expression(r, s->targets[i]);
    if (s->kind == ZL_LET && s->argument_count >= 0) zb_text_add(&r->text, " fn");
    if (s->argument_count > 0) put_definitions(r, s->arguments, s->argument_count);
    put_definitions(r, s->definitions, s->definition_count);
    if (s->left) zb_text_char(&r->text, ' '), put_expression(r, s->left);
    if (s->relation == ZL_LE || s->relation == ZL_GE)
        zb_text_printf(&r->text, " %s", operator_text(s->relation));
    if (s->right) zb_text_char(&r->text, ' '), put_expression(r, s->right);
    if (s->third) zb_text_char(&r->text, ' '), put_expression(r, s->third);
    put_equations(r, s);
    put_settings(r, s);
}

static void put_statement(reading *r, const zl_statement *s)
{
    static const char *const kinds[] = {
        "model",     "use",       "param",  "coord",       "let",      "lagrangian", "kinetic",
        "potential", "diss",      "mass",   "force",       "nonideal", "constr",     "control",
        "weight",    "start",     "output", "when",        "draw",     "simulate",   "for",
        "if",        "component", "part",   "restitution", "friction"};
    zb_text_printf(&r->text, "(%s", kinds[s->kind]);
    bool named =
        s->kind == ZL_USE || s->kind == ZL_DRAW || s->kind == ZL_FOR || s->kind == ZL_COMPONENT;
    if (named) zb_text_char(&r->text, ' '), put_name(r, s->name);
    if (s->string) zb_text_printf(&r->text, " \"%s\"", s->string);
    if (s->at) zb_text_add(&r->text, " at");
    put_parts(r, s);
    if (s->stop) zb_text_add(&r->text, " stop");
    if (s->kind == ZL_FOR || s->kind == ZL_IF || s->kind == ZL_COMPONENT) put_block(r, s->body);
    if (s->otherwise.count > 0) put_block(r, s->otherwise);
    zb_text_char(&r->text, ')');
}

static void put_block(reading *r, zl_block block)
{
    zb_text_add(&r->text, " {");
    for (int32_t i = 0; i < block.count; i++) put_statement(r, block.statements[i]);
    zb_text_char(&r->text, '}');
}

const char *dump(reading *r)
{
    zb_text_clear(&r->text);
    for (int32_t i = 0; i < r->block.count; i++) {
        if (i > 0) zb_text_char(&r->text, '\n');
        put_statement(r, r->block.statements[i]);
    }
    return zb_text_string(&r->text);
}

/* ----------------------------------------------------------------- messages */

const char *dump_codes(reading *r)
{
    zb_text_clear(&r->text);
    for (int32_t i = 0; i < zb_diag_count(&r->diagnostics); i++) {
        const zw_diagnostic *d = zb_diag_get(&r->diagnostics, i);
        zb_text_printf(&r->text, "%s%d:%d+%d %s", i > 0 ? " " : "", (int)d->line, (int)d->column,
                       (int)d->length, d->code);
    }
    return zb_text_string(&r->text);
}

const char *dump_messages(reading *r)
{
    zb_text_clear(&r->text);
    zb_diag_text(&r->diagnostics, &r->text);
    return zb_text_string(&r->text);
}

/* -------------------------------------------------------------- expectations */

static void compare(const char *text, const char *found, const char *expected, const char *file,
                    int line)
{
    if (strcmp(found, expected) == 0) return;
    print_error("of: %s\nexpected: %s\nfound:    %s\n", text, expected, found);
    _fail(file, line);
}

void check_tree_at(const char *text, const char *tree, const char *file, int line)
{
    reading r;
    read_string(&r, text);
    compare(text, dump_messages(&r), "", file, line);
    compare(text, dump(&r), tree, file, line);
    reading_free(&r);
}

void check_codes_at(const char *text, const char *codes, const char *file, int line)
{
    reading r;
    read_string(&r, text);
    compare(text, dump_codes(&r), codes, file, line);
    reading_free(&r);
}

void check_value_at(const char *text, const char *tree, const char *file, int line)
{
    char source[4096];
    reading r;
    snprintf(source, sizeof source, "potential %s", text);
    read_string(&r, source);
    compare(text, dump_messages(&r), "", file, line);
    assert_int_equal(r.block.count, 1);
    compare(text, dump_expression(&r, r.block.statements[0]->right), tree, file, line);
    reading_free(&r);
}
