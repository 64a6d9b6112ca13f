/*
 * How operations and numbers look in MathML. Every operand is one element, as fractions, roots and
 * powers want it, so every layout is one, too.
 */
#include <string.h>

#include "formula.h"

#define ROW(inside) "<mrow>" inside "</mrow>"
#define SIGN(sign) "<mo>" sign "</mo>"
#define CALL(name) ROW("<mi>" name "</mi>" SIGN("(") "@00" SIGN(")"))
#define CALL_TWO(name) ROW("<mi>" name "</mi>" SIGN("(") "@00" SIGN(",") "@10" SIGN(")"))
#define THIN "<mspace width=\"0.17em\"/>"
#define CASE(value, when) "<mtr><mtd>" value "</mtd><mtd>" when "</mtd></mtr>"

static const zx_layout mathml_layouts[ZX_OP_COUNT] = {
    [ZX_NEG] = {5, ROW(SIGN("−") "@07"), 0},
    [ZX_POWI] = {8, "<msup>@09<mn>#</mn></msup>", 0},
    [ZX_NOT] = {3, ROW(SIGN("¬") "@09"), 0},
    [ZX_ADD] = {6, ROW("@05" SIGN("+") "@16"), 0},
    [ZX_SUB] = {6, ROW("@05" SIGN("−") "@17"), 0},
    [ZX_MUL] = {7, ROW("@07" THIN "@17"), 0},
    [ZX_DIV] = {7, "<mfrac>@00@10</mfrac>", 0},
    [ZX_POW] = {8, "<msup>@09@10</msup>", 0},
    [ZX_LT] = {4, ROW("@05" SIGN("&lt;") "@15"), 0},
    [ZX_LE] = {4, ROW("@05" SIGN("≤") "@15"), 0},
    [ZX_EQ] = {4, ROW("@05" SIGN("=") "@15"), 0},
    [ZX_NE] = {4, ROW("@05" SIGN("≠") "@15"), 0},
    [ZX_AND] = {2, ROW("@02" SIGN("∧") "@13"), 0},
    [ZX_OR] = {1, ROW("@01" SIGN("∨") "@12"), 0},
    [ZX_SELECT] = {9,
                   ROW(SIGN("{") "<mtable columnalign=\"left\">" CASE("@11",
                                                                      "<mtext>if\u00a0</mtext>@00")
                           CASE("@21", "<mtext>otherwise</mtext>") "</mtable>"),
                   0},
    [ZX_SIN] = {9, CALL("sin"), 0},
    [ZX_COS] = {9, CALL("cos"), 0},
    [ZX_TAN] = {9, CALL("tan"), 0},
    [ZX_ASIN] = {9, CALL("arcsin"), 0},
    [ZX_ACOS] = {9, CALL("arccos"), 0},
    [ZX_ATAN] = {9, CALL("arctan"), 0},
    [ZX_SINH] = {9, CALL("sinh"), 0},
    [ZX_COSH] = {9, CALL("cosh"), 0},
    [ZX_TANH] = {9, CALL("tanh"), 0},
    [ZX_EXP] = {8, "<msup><mi>e</mi>@00</msup>", 0},
    [ZX_LOG] = {9, CALL("ln"), 0},
    [ZX_SQRT] = {9, "<msqrt>@00</msqrt>", 0},
    [ZX_ABS] = {9, ROW(SIGN("|") "@00" SIGN("|")), 0},
    [ZX_SIGN] = {9, CALL("sgn"), 0},
    [ZX_FLOOR] = {9, ROW(SIGN("⌊") "@00" SIGN("⌋")), 0},
    [ZX_ATAN2] = {9, CALL_TWO("atan2"), 0},
    [ZX_HYPOT] = {9, CALL_TWO("hypot"), 0},
    [ZX_MIN] = {9, CALL_TWO("min"), 0},
    [ZX_MAX] = {9, CALL_TWO("max"), 0},
    [ZX_TABLE] = {9, ROW("~" SIGN("(") "@00" SIGN(")")), 0},
};

/* A factor 1/k is a fraction, and two numbers side by side get a dot. */
static zx_layout lay_out_product(const zx_pool *pool, const zx_item *item)
{
    int32_t k = zx_find_denominator(pool, item->a);
    if (k != 0) return (zx_layout){7, ROW("<mfrac><mn>1</mn><mn>#</mn></mfrac>" THIN "@17"), k};
    k = zx_find_denominator(pool, item->b);
    if (k != 0) return (zx_layout){7, "<mfrac>@00<mn>#</mn></mfrac>", k};
    if (zx_is_number(pool, item->b)) return (zx_layout){7, ROW("@07" SIGN("·") "@17"), 0};
    return mathml_layouts[ZX_MUL];
}

zx_layout zx_lay_out_mathml(const zx_pool *pool, const zx_item *item)
{
    if (item->op == ZX_MUL) return lay_out_product(pool, item);
    zx_layout layout = mathml_layouts[item->op];
    if (item->op == ZX_POWI) layout.number = item->b;
    return layout;
}

/* Digits, and a power of ten behind them. */
static void print_magnitude(const char *digits, zb_text *text)
{
    const char *e = strchr(digits, 'e');
    if (!e) {
        zb_text_printf(text, "<mn>%s</mn>", digits);
        return;
    }
    bool minus = e[1] == '-', one = e - digits == 1 && digits[0] == '1';
    if (!one) zb_text_printf(text, "<mrow><mn>%.*s</mn>" SIGN("·"), (int)(e - digits), digits);
    for (e++; *e == '+' || *e == '-' || *e == '0';) e++;
    zb_text_printf(text, "<msup><mn>10</mn><mn>%s%s</mn></msup>%s", minus ? "−" : "", e,
                   one ? "" : "</mrow>");
}

/* What is not finite has a name. */
void zx_print_mathml_number(double value, zb_text *text)
{
    char digits[ZB_DOUBLE_SIZE];
    if (value < 0.0) zb_text_add(text, "<mrow>" SIGN("−"));
    if (value != value)
        zb_text_add(text, "<mtext>nan</mtext>");
    else if (value - value != 0.0)
        zb_text_add(text, "<mi>∞</mi>");
    else {
        zb_print_double(value, digits);
        print_magnitude(digits + (digits[0] == '-'), text);
    }
    if (value < 0.0) zb_text_add(text, "</mrow>");
}
