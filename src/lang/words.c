/*
 * The tables of words, and of the codes of errors.
 */
#include "words.h"

#include "codes.h"

static const char *const texts[] = {
#define TEXT(symbol, text) text,
    ZL_KEYWORD_LIST(TEXT) ZL_INNER_LIST(TEXT) ZL_CONTEXT_LIST(TEXT)
#undef TEXT
#define TEXT(symbol, text, least, most) text,
        ZL_FUNCTION_LIST(TEXT)
#undef TEXT
};

_Static_assert(sizeof texts / sizeof *texts == ZL_WORD_COUNT, "every word has its text");

const char *zl_word_text(zl_word word)
{
    return texts[word];
}

/* ---------------------------------------------------------------- functions */

static const struct {
    int32_t least, most;
} arities[] = {{0, 0},
#define ARITY(symbol, text, least, most) {least, most},
               ZL_FUNCTION_LIST(ARITY)
#undef ARITY
};

/* The words of functions follow each other in the order of zl_function; `if` is a keyword too. */
zl_function zl_function_of(zl_name name)
{
    if (name == ZL_WORD_IF) return ZL_FN_IF;
    if (name < ZL_WORD_FUNCTIONS || name >= ZL_WORD_COUNT) return ZL_FN_NONE;
    return (zl_function)(name - ZL_WORD_FUNCTIONS + 1);
}

void zl_function_arity(zl_function function, int32_t *least, int32_t *most)
{
    *least = arities[function].least;
    *most = arities[function].most;
}

/* multiplier and reaction are functions wherever they are called, and may also name a value. */
bool zl_is_reserved(zl_name name)
{
    if (name < 0 || name >= ZL_WORD_COUNT) return false;
    if (name < ZL_WORD_AT) return true;
    zl_function function = zl_function_of(name);
    return function != ZL_FN_NONE && function != ZL_FN_MULTIPLIER && function != ZL_FN_REACTION;
}

/* -------------------------------------------------------------------- codes */

static const struct {
    const char *code, *title;
} codes[] = {
#define CODE(symbol, code, title) {code, title},
    ZL_CODE_LIST(CODE)
#undef CODE
};

const char *zl_code_text(zl_code code)
{
    return codes[code].code;
}

const char *zl_code_title(zl_code code)
{
    return codes[code].title;
}
