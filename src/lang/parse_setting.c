/*
 * Parsing `draw`, `simulate` and `data`: statements with options, KEY = VALUE, which `friction` and
 * `restitution` have, too. Which keys there are stands here; what their values must be is for those who use them.
 */
#include <string.h>

#include "parser.h"

/* The words that are possible somewhere. */
typedef struct choice {
    const char *const *words; /* [count] */
    int32_t count;
} choice;

/* What a person who wrote `word` may have meant, or NULL. */
static const char *find_nearest_choice(const choice *c, const char *word)
{
    zb_suggestion s;
    zb_suggest_begin(&s, word);
    for (int32_t i = 0; i < c->count; i++) zb_suggest_add(&s, c->words[i]);
    return zb_suggest_end(&s);
}

/* "did you mean 'width'? there are color and width" */
static void write_choice_help(zb_text *text, const choice *c, const char *word)
{
    const char *near = find_nearest_choice(c, word);
    if (near) zb_text_printf(text, "did you mean '%s'? ", near);
    zb_text_add(text, "there are ");
    for (int32_t i = 0; i < c->count; i++) {
        if (i > 0) zb_text_add(text, i + 1 < c->count ? ", " : " and ");
        zb_text_add(text, c->words[i]);
    }
}

/* The index of the word among the choices, -1 with a message when it is none of them: "'word' is
 * not `what`". */
static int32_t find_choice(zl_parser *p, const choice *c, zl_token token, zl_code code,
                           const char *what)
{
    char help[240];
    zb_text text;
    const char *word = zl_name_text(p->unit, token.name);
    for (int32_t i = 0; i < c->count; i++)
        if (strcmp(word, c->words[i]) == 0) return i;
    zb_text_init_fixed(&text, help, sizeof help);
    write_choice_help(&text, c, word);
    zl_fail(p, code, zl_token_place(p, token), help, "'%.40s' is not %s", word, what);
    return -1;
}

/* The keys that a statement takes, draw or simulate. */
static choice list_options(const zl_statement *s)
{
    static const char *const draw[] = {"color", "width", "default"};
    static const char *const simulate[] = {"t",        "tol",          "abs_tol", "every",
                                           "method",   "inconsistent", "impact",  "impacts",
                                           "contacts", "rest",         "hold"};
    static const char *const friction[] = {"static", "pressure"};
    static const char *const restitution[] = {"tangential"};
    static const char *const data[] = {"x", "y", "linear", "cubic", "hold", "periodic", "extend"};
    if (s->kind == ZL_DATA) return (choice){data, sizeof data / sizeof *data};
    if (s->kind == ZL_DRAW) return (choice){draw, 3};
    if (s->kind == ZL_FRICTION) return (choice){friction, 2};
    if (s->kind == ZL_RESTITUTION) return (choice){restitution, 1};
    return (choice){simulate, sizeof simulate / sizeof *simulate};
}

/* The value of an option: a string, a value or a word, for t a range. */
static void parse_setting_value(zl_parser *p, zl_setting *setting)
{
    zl_token token = p->token;
    if (zl_accept(p, ZL_T_STRING)) {
        setting->text = zl_string_text(p, token);
    } else if (setting->key == ZL_WORD_T) {
        zl_parse_range(p, &setting->value, &setting->last);
    } else {
        setting->value = zl_parse_value(p);
    }
}

/* Whether the key stands among the settings on the scratch stack from byte `begin` on. */
static bool is_given_before(zl_parser *p, int32_t begin, zl_setting setting)
{
    zl_setting old;
    for (int32_t at = begin; at < p->unit->scratch.count; at += (int32_t)sizeof old) {
        memcpy(&old, p->unit->scratch.data + at, sizeof old);
        if (old.key == setting.key) return true;
    }
    return false;
}

/* An option of the statement, as it is written. */
static const char *help_for_option(const zl_statement *s)
{
    switch (s->kind) {
    case ZL_SIMULATE:
        return "write simulate t = 0..10";
    case ZL_FRICTION:
        return "options are static = 0.4, pressure = E";
    case ZL_RESTITUTION:
        return "the option is tangential = 0.5";
    case ZL_DATA:
        return "options are x = COLUMN, y = COLUMN, linear, cubic, hold, periodic, extend";
    default:
        return "options are color = \"red\", width = 2";
    }
}

/* Of data: only x and y have a value, a column by its name or number. Any word may be a name. */
static void parse_data_value(zl_parser *p, int32_t option, zl_setting *setting)
{
    enum { with_columns = 2 };
    if (option >= with_columns) return;
    zl_expect_assign(p, "'=' after the option");
    zl_token token = p->token;
    if (zl_accept(p, ZL_T_STRING)) {
        setting->text = zl_string_text(p, token);
    } else if (token.kind >= ZL_T_NAME && token.kind <= ZL_T_PI) {
        setting->text =
            zb_arena_string(p->unit->arena, p->lexer.text + token.at, (size_t)token.length);
        zl_advance(p);
    } else if (token.kind == ZL_T_NUMBER) {
        setting->value = zl_parse_value(p);
    } else {
        zl_fail_expected(p, ZL_CODE_EXPECTED, "the name or the number of a column",
                         "other names stand in quotes: y = \"left wheel\"");
    }
}

/* KEY = VALUE onto the scratch stack, where the list of this statement begins at `begin`. */
static void parse_setting(zl_parser *p, const zl_statement *s, int32_t begin)
{
    zl_token key = p->token;
    choice options = list_options(s);
    zl_setting setting = {.key = key.name, .place = zl_token_place(p, key)};
    if (key.kind != ZL_T_NAME && key.kind != ZL_T_TIME) {
        zl_fail_expected(p, ZL_CODE_EXPECTED, "an option", help_for_option(s));
        return;
    }
    zl_advance(p);
    int32_t option = find_choice(p, &options, key, ZL_CODE_OPTION, "an option of this statement");
    if (option < 0) return;
    if (s->kind == ZL_DATA) {
        parse_data_value(p, option, &setting);
    } else {
        zl_expect_assign(p, "'=' after the option");
        parse_setting_value(p, &setting);
    }
    if (is_given_before(p, begin, setting))
        zl_complain(p, ZL_CODE_TWICE, setting.place, NULL, "'%s' is given twice",
                    zl_name_text(p->unit, setting.key));
    else
        zl_list_push(p, &setting, sizeof setting);
}

/* Settings with commas between them, at least one. */
void zl_parse_settings(zl_parser *p, zl_statement *s)
{
    int32_t begin = zl_list_begin(p);
    do {
        parse_setting(p, s, begin);
    } while (zl_accept(p, ZL_T_COMMA));
    s->settings = ZL_LIST_TAKE(p, begin, zl_setting, &s->setting_count);
}

/* ---------------------------------------------------------------------- drawings */

const char *const zl_shape_words[ZL_SHAPE_COUNT] = {
#define SHAPE_WORD(symbol, word, least, most, usage) word,
    ZL_SHAPE_LIST(SHAPE_WORD)
#undef SHAPE_WORD
};

/* From how many values each is drawn, and how that is written. */
static const struct {
    int32_t least, most;
    const char *usage;
} shape_arity[ZL_SHAPE_COUNT] = {
#define SHAPE_ARITY(symbol, word, least, most, usage) {least, most, usage},
    ZL_SHAPE_LIST(SHAPE_ARITY)
#undef SHAPE_ARITY
};

static void check_drawing_arity(zl_parser *p, const zl_statement *s)
{
    int32_t least = shape_arity[s->shape].least, most = shape_arity[s->shape].most;
    char help[60];
    zb_text text;
    zb_text_init_fixed(&text, help, sizeof help);
    zb_text_printf(&text, "write draw %s", shape_arity[s->shape].usage);
    if (s->target_count < least || s->target_count > most)
        zl_complain(p, ZL_CODE_ARGUMENTS, s->mark, help, "'%s' takes %s%d argument%s, not %d",
                    zl_name_text(p->unit, s->name), most > least ? "at least " : "", (int)least,
                    least == 1 ? "" : "s", (int)s->target_count);
    else if (s->shape == ZL_SHAPE_TEXT && !s->string)
        zl_complain(p, ZL_CODE_ARGUMENTS, s->mark, help, "'text' takes words in quotes");
}

/* (values), and of text a string behind them. */
static void parse_drawn_values(zl_parser *p, zl_statement *s)
{
    int32_t begin = zl_list_begin(p);
    zl_bracket bracket = zl_open(p);
    do {
        zl_token token = p->token;
        if (s->shape == ZL_SHAPE_TEXT && !s->string && zl_accept(p, ZL_T_STRING)) {
            s->string = zl_string_text(p, token);
        } else {
            const zl_expr *value = zl_parse_value(p);
            zl_list_push(p, &value, sizeof value);
        }
    } while (zl_accept(p, ZL_T_COMMA));
    zl_close(p, bracket);
    s->targets = ZL_LIST_TAKE(p, begin, const zl_expr *, &s->target_count);
}

/* draw WHAT(values), options */
void zl_parse_draw(zl_parser *p, zl_statement *s)
{
    const choice shapes = {zl_shape_words, ZL_SHAPE_COUNT};
    zl_token word = p->token;
    if (!zl_expect(p, ZL_T_NAME, "what is drawn: point, line, ball and so on", NULL)) return;
    int32_t shape = find_choice(p, &shapes, word, ZL_CODE_DRAWING, "something that can be drawn");
    s->name = word.name;
    s->mark = zl_token_place(p, word);
    if (shape < 0) return;
    s->shape = (uint8_t)shape;
    if (p->token.kind != ZL_T_OPEN) {
        zl_fail_expected(p, ZL_CODE_EXPECTED, "'(' after what is drawn", "draw point(p)");
        return;
    }
    parse_drawn_values(p, s);
    check_drawing_arity(p, s);
    bool comma = zl_accept(p, ZL_T_COMMA);
    if (comma || !zl_at_end(p)) zl_parse_settings(p, s);
}

void zl_parse_simulate(zl_parser *p, zl_statement *s)
{
    zl_parse_settings(p, s);
}

/* data NAME = "FILE", options */
void zl_parse_data(zl_parser *p, zl_statement *s)
{
    s->name = zl_parse_new_name(p, "the name of the data", &s->mark);
    zl_expect_assign(p, "'=' after the name");
    zl_token token = p->token;
    if (!zl_expect(p, ZL_T_STRING, "a file in double quotes", "data road = \"road.csv\"")) return;
    s->string = zl_string_text(p, token);
    s->mark = zl_token_place(p, token);
    if (zl_accept(p, ZL_T_COMMA)) zl_parse_settings(p, s);
}
