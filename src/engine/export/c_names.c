/*
 * Names of the model as words of C: link[2].phi is link_2_phi, θ is theta. Two that would be alike
 * are told apart by a number behind the second.
 */
#include <string.h>

#include "export_c.h"

/* From alpha on, in the order of Unicode. */
static const char *const greek[] = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};

static char to_capital(char x)
{
    return x >= 'a' && x <= 'z' ? (char)(x - 'a' + 'A') : x;
}

/* A letter beyond ASCII: of Greek its name, else its number. */
static void add_letter(zb_text *text, uint32_t letter)
{
    uint32_t small = letter >= 0x391 && letter <= 0x3a9 ? letter + 0x20 : letter;
    if (small >= 0x3b1 && small <= 0x3c9)
        zb_text_add(text, greek[small - 0x3b1]);
    else
        zb_text_printf(text, "u%04x", (unsigned)letter);
}

/* The code point at *at, which goes on behind it; what is no UTF-8 counts by its bytes. */
static uint32_t next_letter(const char **at)
{
    const unsigned char *b = (const unsigned char *)*at;
    int more = b[0] >= 0xf0 ? 3 : b[0] >= 0xe0 ? 2 : b[0] >= 0xc0 ? 1 : 0;
    uint32_t letter = more == 3   ? b[0] & 7u
                      : more == 2 ? b[0] & 15u
                      : more == 1 ? b[0] & 31u
                                  : b[0];
    int k = 1;
    for (; k <= more && (b[k] & 0xc0) == 0x80; k++) letter = letter << 6 | (b[k] & 63u);
    *at += k;
    return letter;
}

static bool is_word_letter(uint32_t x)
{
    return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') || x == '_';
}

char *zr_c_word(zr_c *c, const char *name, bool capital)
{
    zb_text *text = &c->word;
    zb_text_clear(text);
    while (*name) {
        uint32_t letter = next_letter(&name);
        if (is_word_letter(letter))
            zb_text_char(text, (char)letter);
        else if (letter >= 0x80)
            add_letter(text, letter);
        else if (letter != ']' && letter != ')' && letter != '\'')
            zb_text_char(text, '_');
    }
    char *word = zb_arena_string(&c->arena, zb_text_string(text), text->length);
    for (char *p = word; capital && *p; p++) *p = to_capital(*p);
    return word;
}

typedef void write_name(const zm_model *zm, int32_t i, zb_text *text);

static bool is_taken(char *const *names, int32_t count, const char *word)
{
    for (int32_t k = 0; k < count; k++)
        if (strcmp(names[k], word) == 0) return true;
    return false;
}

/* A name that none before it has. */
static char *make_single(zr_c *c, char *const *names, int32_t count, char *word)
{
    char *single = word;
    for (int more = 2; is_taken(names, count, single); more++) {
        zb_text_clear(&c->word);
        zb_text_printf(&c->word, "%s_%d", word, more);
        single = zb_arena_string(&c->arena, zb_text_string(&c->word), c->word.length);
    }
    return single;
}

static char **name_list(zr_c *c, int32_t count, write_name *write)
{
    char **names = ZB_NEW_ARRAY(&c->arena, char *, count);
    for (int32_t i = 0; i < count; i++) {
        zb_text_clear(&c->line);
        write(c->zm, i, &c->line);
        names[i] = make_single(c, names, i, zr_c_word(c, zb_text_string(&c->line), false));
    }
    return names;
}

/* Elements of an output: its name, and behind it their numbers. */
static char **name_outputs(zr_c *c)
{
    int32_t count = zr_output_elements(c->model);
    char **names = ZB_NEW_ARRAY(&c->arena, char *, count);
    for (int32_t k = 0, i = 0; k < c->zm->output_count; k++) {
        int32_t end = zr_output_first(c->model, k + 1);
        bool scalar = c->zm->outputs[k].rows == 0;
        for (int32_t first = i; i < end; i++) {
            zb_text_clear(&c->line);
            zm_label_text(c->zm, &c->zm->outputs[k].label, &c->line);
            if (!scalar) zb_text_printf(&c->line, "_%d", (int)(i - first + 1));
            names[i] = make_single(c, names, i, zr_c_word(c, zb_text_string(&c->line), false));
        }
    }
    return names;
}

void zr_c_name_all(zr_c *c)
{
    c->coordinate = name_list(c, c->zm->n, zm_coordinate_text);
    c->parameter = name_list(c, c->zm->parameter_count, zm_parameter_text);
    c->row = name_list(c, c->zm->m, zm_row_text);
    c->output = name_outputs(c);
}
