/*
 * Signs that look like those of the language, or that other languages write for them: the prime,
 * minus and times signs of typography, quotes, `**`, `&&`. Each is reported with the sign that the
 * language has, and the token that was meant stands in for it.
 */
#include "lexer.h"

#include <string.h>

/* A sign outside the language. */
typedef struct look_alike {
    int32_t point;       /* of Unicode; 0 for a spelling of another language */
    const char *written; /* how the language writes it */
    uint8_t kind;        /* of the token it stands for; ZL_T_STOP: none */
} look_alike;

static const look_alike look_alikes[] = {
    {0x0060, "'", ZL_T_PRIME},       {0x00ab, "\"", ZL_T_STRING},   {0x00ac, "not", ZL_T_NOT},
    {0x00b0, "*pi/180", ZL_T_STOP},  {0x00b2, "^2", ZL_T_STOP},     {0x00b3, "^3", ZL_T_STOP},
    {0x00b4, "'", ZL_T_PRIME},       {0x00b7, "*", ZL_T_TIMES},     {0x00b9, "^1", ZL_T_STOP},
    {0x00bb, "\"", ZL_T_STRING},     {0x00bc, "0.25", ZL_T_NUMBER}, {0x00bd, "0.5", ZL_T_NUMBER},
    {0x00be, "0.75", ZL_T_NUMBER},   {0x00d7, "*", ZL_T_TIMES},     {0x00f7, "/", ZL_T_OVER},
    {0x02b9, "'", ZL_T_PRIME},       {0x02bc, "'", ZL_T_PRIME},     {0x037e, ";", ZL_T_SEMICOLON},
    {0x060c, ",", ZL_T_COMMA},       {0x2010, "-", ZL_T_MINUS},     {0x2011, "-", ZL_T_MINUS},
    {0x2012, "-", ZL_T_MINUS},       {0x2013, "-", ZL_T_MINUS},     {0x2014, "-", ZL_T_MINUS},
    {0x2018, "'", ZL_T_PRIME},       {0x2019, "'", ZL_T_PRIME},     {0x201c, "\"", ZL_T_STRING},
    {0x201d, "\"", ZL_T_STRING},     {0x201e, "\"", ZL_T_STRING},   {0x201f, "\"", ZL_T_STRING},
    {0x2022, "*", ZL_T_TIMES},       {0x2025, "..", ZL_T_RANGE},    {0x2026, "..", ZL_T_RANGE},
    {0x2032, "'", ZL_T_PRIME},       {0x2033, "''", ZL_T_PRIME},    {0x2044, "/", ZL_T_OVER},
    {0x2070, "^0", ZL_T_STOP},       {0x2074, "^4", ZL_T_STOP},     {0x2075, "^5", ZL_T_STOP},
    {0x2076, "^6", ZL_T_STOP},       {0x2077, "^7", ZL_T_STOP},     {0x2078, "^8", ZL_T_STOP},
    {0x2079, "^9", ZL_T_STOP},       {0x207b, "^-", ZL_T_STOP},     {0x2080, "0", ZL_T_STOP},
    {0x2081, "1", ZL_T_STOP},        {0x2082, "2", ZL_T_STOP},      {0x2083, "3", ZL_T_STOP},
    {0x2084, "4", ZL_T_STOP},        {0x2085, "5", ZL_T_STOP},      {0x2086, "6", ZL_T_STOP},
    {0x2087, "7", ZL_T_STOP},        {0x2088, "8", ZL_T_STOP},      {0x2089, "9", ZL_T_STOP},
    {0x2211, "sum", ZL_T_SUM},       {0x2212, "-", ZL_T_MINUS},     {0x2215, "/", ZL_T_OVER},
    {0x2217, "*", ZL_T_TIMES},       {0x2219, "*", ZL_T_TIMES},     {0x221a, "sqrt", ZL_T_STOP},
    {0x221e, "1e300", ZL_T_NUMBER},  {0x2227, "and", ZL_T_AND},     {0x2228, "or", ZL_T_OR},
    {0x2236, ":", ZL_T_COLON},       {0x2254, "=", ZL_T_ASSIGN},    {0x2260, "!=", ZL_T_NE},
    {0x2261, "==", ZL_T_EQ},         {0x2264, "<=", ZL_T_LE},       {0x2265, ">=", ZL_T_GE},
    {0x22c5, "*", ZL_T_TIMES},       {0x2715, "*", ZL_T_TIMES},     {0x2a7d, "<=", ZL_T_LE},
    {0x2a7e, ">=", ZL_T_GE},         {0x3001, ",", ZL_T_COMMA},     {0xff02, "\"", ZL_T_STRING},
    {0xff07, "'", ZL_T_PRIME},       {0xff08, "(", ZL_T_OPEN},      {0xff09, ")", ZL_T_CLOSE},
    {0xff0a, "*", ZL_T_TIMES},       {0xff0b, "+", ZL_T_PLUS},      {0xff0c, ",", ZL_T_COMMA},
    {0xff0d, "-", ZL_T_MINUS},       {0xff0e, ".", ZL_T_DOT},       {0xff0f, "/", ZL_T_OVER},
    {0xff1a, ":", ZL_T_COLON},       {0xff1b, ";", ZL_T_SEMICOLON}, {0xff1c, "<", ZL_T_LT},
    {0xff1d, "=", ZL_T_ASSIGN},      {0xff1e, ">", ZL_T_GT},        {0xff3b, "[", ZL_T_OPEN_INDEX},
    {0xff3d, "]", ZL_T_CLOSE_INDEX}, {0xff3e, "^", ZL_T_POWER},     {0xff5b, "{", ZL_T_OPEN_BLOCK},
    {0xff5d, "}", ZL_T_CLOSE_BLOCK},
};

/* Spellings of other languages; the longer ones first. */
static const struct {
    const char *text, *written;
    uint8_t kind;
} foreign_spellings[] = {
    {"**", "^", ZL_T_POWER},  {"&&", "and", ZL_T_AND}, {"||", "or", ZL_T_OR},
    {":=", "=", ZL_T_ASSIGN}, {"<>", "!=", ZL_T_NE},   {"~=", "!=", ZL_T_NE},
    {"=<", "<=", ZL_T_LE},    {"=>", ">=", ZL_T_GE},   {"//", "#", ZL_T_STOP},
    {"/*", "#", ZL_T_STOP},   {"`", "'", ZL_T_PRIME},  {"&", "and", ZL_T_AND},
    {"!", "not", ZL_T_NOT},
};

/* By bisection in the table; NULL when the character is no look-alike. */
static const look_alike *find_look_alike(int32_t point)
{
    size_t low = 0, high = sizeof look_alikes / sizeof *look_alikes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (look_alikes[middle].point == point) return &look_alikes[middle];
        if (look_alikes[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Those of typography and the one of ASCII: any of them ends a string that one of typography
 * began. */
static bool is_quotation_mark(int32_t point)
{
    if (point == '"') return true;
    const look_alike *found = find_look_alike(point);
    return found && found->kind == ZL_T_STRING;
}

/* Moves behind the quote that ends a string, or to the end of the line. */
static void skip_quoted(zl_lexer *lexer)
{
    while (lexer->at < lexer->length && lexer->text[lexer->at] != '\n')
        if (is_quotation_mark(zl_lexer_character(lexer, &lexer->at))) return;
}

/* The number that a fraction sign or infinity stands for; 1 for other signs, which need none. */
static double look_alike_value(const look_alike *sign)
{
    double value = 1;
    if (sign->kind == ZL_T_NUMBER) zb_read_double(sign->written, strlen(sign->written), &value);
    return value;
}

/* Bytes [from, to) are the sign; the help says what to write. */
static void report_look_alike(zl_lexer *lexer, const look_alike *sign, int32_t from, int32_t to)
{
    char help[64];
    zb_text text;
    zb_text_init_fixed(&text, help, sizeof help);
    zb_text_printf(&text, "write the plain sign: %s", sign->written);
    if (*sign->written == '#') zb_text_clear(&text), zb_text_add(&text, "comments begin with #");
    if (sign->point == 0x221e) zb_text_clear(&text), zb_text_add(&text, "there is no infinity");
    if (sign->point == 0x221a) zb_text_clear(&text), zb_text_add(&text, "write sqrt(...)");
    if (sign->point == 0x00b0) zb_text_clear(&text), zb_text_add(&text, "write 30*pi/180");
    zl_lexer_report(lexer, ZL_CODE_LOOK_ALIKE, from, to, help,
                    "'%.*s' is not a sign of the language", (int)(to - from), lexer->text + from);
}

/* A look-alike outside ASCII: reported, and the token that stands in for it. False: there is
 * none. */
static bool lex_wide_look_alike(zl_lexer *lexer, zl_token *token)
{
    int32_t from = lexer->at, next = from;
    const look_alike *sign = find_look_alike(zl_lexer_character(lexer, &next));
    if (!sign) return false;
    lexer->at = next;
    report_look_alike(lexer, sign, from, next);
    if (sign->kind == ZL_T_STRING) skip_quoted(lexer);
    *token = (zl_token){.kind = sign->kind,
                        .at = from,
                        .length = lexer->at - from,
                        .name = -1,
                        .number = look_alike_value(sign)};
    return true;
}

/* A comment between slashes and stars, from behind its beginning. */
static void skip_star_comment(zl_lexer *lexer)
{
    while (lexer->at < lexer->length) {
        bool end = zl_lexer_peek(lexer, 0) == '*' && zl_lexer_peek(lexer, 1) == '/';
        zl_lexer_character(lexer, &lexer->at);
        if (end) return lexer->at++, (void)0;
    }
}

/* "//" begins a comment elsewhere: the rest of the line is none of ours. */
static void skip_slash_comment(zl_lexer *lexer)
{
    while (lexer->at < lexer->length && lexer->text[lexer->at] != '\n')
        zl_lexer_character(lexer, &lexer->at);
}

static bool is_spelled_here(const zl_lexer *lexer, const char *text)
{
    size_t size = strlen(text), left = (size_t)(lexer->length - lexer->at);
    return size <= left && memcmp(lexer->text + lexer->at, text, size) == 0;
}

/* Rules out most signs at once, by their first two bytes. */
static bool may_be_foreign_spelling(const zl_lexer *lexer)
{
    char first = zl_lexer_peek(lexer, 0), second = zl_lexer_peek(lexer, 1);
    if (first == '!') return second != '=';
    return first == '`' || first == '&' || (second != '\0' && strchr("*&|=<>/", second));
}

/* A sign of another language: reported, and the token that stands in for it; its comments are
 * skipped. False: there is none. */
static bool lex_foreign_spelling(zl_lexer *lexer, zl_token *token)
{
    if (!may_be_foreign_spelling(lexer)) return false;
    for (size_t i = 0; i < sizeof foreign_spellings / sizeof *foreign_spellings; i++) {
        if (!is_spelled_here(lexer, foreign_spellings[i].text)) continue;
        int32_t from = lexer->at;
        look_alike sign = {.written = foreign_spellings[i].written,
                           .kind = foreign_spellings[i].kind};
        lexer->at += (int32_t)strlen(foreign_spellings[i].text);
        report_look_alike(lexer, &sign, from, lexer->at);
        bool stars = foreign_spellings[i].text[1] == '*' && sign.kind == ZL_T_STOP;
        if (sign.kind == ZL_T_STOP) stars ? skip_star_comment(lexer) : skip_slash_comment(lexer);
        *token = (zl_token){
            .kind = sign.kind, .at = from, .length = lexer->at - from, .name = -1, .number = 0};
        return true;
    }
    return false;
}

bool zl_lex_look_alike(zl_lexer *lexer, zl_token *token)
{
    bool wide = (lexer->text[lexer->at] & 0x80) != 0;
    return wide ? lex_wide_look_alike(lexer, token) : lex_foreign_spelling(lexer, token);
}
