/*
 * How each operation looks in text, LaTeX, C and MathML (formula_mathml.c): a table, and the cases where operands decide.
 *
 * In text a right operand of the same level is bracketed, because sums and products of floating
 * point numbers do not associate and the text must read back as the same expression. LaTeX is
 * for reading: there a + (b + c) loses its brackets.
 */
#include <string.h>

#include "formula.h"

static const zx_layout text_layouts[ZX_OP_COUNT] = {
    [ZX_NEG] = {5, "-@07", 0},
    [ZX_POWI] = {8, "@09^#", 0},
    [ZX_NOT] = {3, "not @03", 0},
    [ZX_ADD] = {6, "@05 + @17", 0},
    [ZX_SUB] = {6, "@05 - @17", 0},
    [ZX_MUL] = {7, "@07*@18", 0},
    [ZX_DIV] = {7, "@07/@18", 0},
    [ZX_POW] = {8, "@09^@18", 0},
    [ZX_LT] = {4, "@05 < @15", 0},
    [ZX_LE] = {4, "@05 <= @15", 0},
    [ZX_EQ] = {4, "@05 == @15", 0},
    [ZX_NE] = {4, "@05 != @15", 0},
    [ZX_AND] = {2, "@02 and @13", 0},
    [ZX_OR] = {1, "@01 or @12", 0},
    [ZX_SELECT] = {9, "if(@00, @10, @20)", 0},
    [ZX_SIN] = {9, "sin(@00)", 0},
    [ZX_COS] = {9, "cos(@00)", 0},
    [ZX_TAN] = {9, "tan(@00)", 0},
    [ZX_ASIN] = {9, "asin(@00)", 0},
    [ZX_ACOS] = {9, "acos(@00)", 0},
    [ZX_ATAN] = {9, "atan(@00)", 0},
    [ZX_SINH] = {9, "sinh(@00)", 0},
    [ZX_COSH] = {9, "cosh(@00)", 0},
    [ZX_TANH] = {9, "tanh(@00)", 0},
    [ZX_EXP] = {9, "exp(@00)", 0},
    [ZX_LOG] = {9, "log(@00)", 0},
    [ZX_SQRT] = {9, "sqrt(@00)", 0},
    [ZX_ABS] = {9, "abs(@00)", 0},
    [ZX_SIGN] = {9, "sign(@00)", 0},
    [ZX_FLOOR] = {9, "floor(@00)", 0},
    [ZX_ATAN2] = {9, "atan2(@00, @10)", 0},
    [ZX_HYPOT] = {9, "hypot(@00, @10)", 0},
    [ZX_MIN] = {9, "min(@00, @10)", 0},
    [ZX_MAX] = {9, "max(@00, @10)", 0},
    [ZX_TABLE] = {9, "~(@00)", 0},
};

/* Where C differs from text. */
static const zx_layout c_layouts[ZX_OP_COUNT] = {
    [ZX_POWI] = {9, "pow(@00, #)", 0},   [ZX_POW] = {9, "pow(@00, @10)", 0},
    [ZX_NOT] = {8, "!@09", 0},           [ZX_AND] = {2, "@04 && @14", 0},
    [ZX_OR] = {1, "@04 || @14", 0},      [ZX_SELECT] = {0, "@04 ? @11 : @21", 0},
    [ZX_ABS] = {9, "fabs(@00)", 0},      [ZX_SIGN] = {8, "(double)((@05 > 0.0) - (@05 < 0.0))", 0},
    [ZX_MIN] = {9, "fmin(@00, @10)", 0}, [ZX_MAX] = {9, "fmax(@00, @10)", 0},
};

/* Where SymPy differs from text; `sp` is the module. What is true is 1. */
#define FOR_TRUE(condition)                                                                        \
    {                                                                                              \
        9, "sp.Piecewise((1, " condition "), (0, True))", 0                                        \
    }
static const zx_layout sympy_layouts[ZX_OP_COUNT] = {
    [ZX_POWI] = {8, "@09**#", 0},
    [ZX_POW] = {8, "@09**@18", 0},
    [ZX_NOT] = FOR_TRUE("sp.Eq(@00, 0)"),
    [ZX_LT] = FOR_TRUE("@05 < @15"),
    [ZX_LE] = FOR_TRUE("@05 <= @15"),
    [ZX_EQ] = FOR_TRUE("sp.Eq(@00, @10)"),
    [ZX_NE] = FOR_TRUE("sp.Ne(@00, @10)"),
    [ZX_AND] = FOR_TRUE("sp.And(sp.Ne(@00, 0), sp.Ne(@10, 0))"),
    [ZX_OR] = FOR_TRUE("sp.Or(sp.Ne(@00, 0), sp.Ne(@10, 0))"),
    [ZX_SELECT] = {9, "sp.Piecewise((@10, sp.Ne(@00, 0)), (@20, True))", 0},
    [ZX_SIN] = {9, "sp.sin(@00)", 0},
    [ZX_COS] = {9, "sp.cos(@00)", 0},
    [ZX_TAN] = {9, "sp.tan(@00)", 0},
    [ZX_ASIN] = {9, "sp.asin(@00)", 0},
    [ZX_ACOS] = {9, "sp.acos(@00)", 0},
    [ZX_ATAN] = {9, "sp.atan(@00)", 0},
    [ZX_SINH] = {9, "sp.sinh(@00)", 0},
    [ZX_COSH] = {9, "sp.cosh(@00)", 0},
    [ZX_TANH] = {9, "sp.tanh(@00)", 0},
    [ZX_EXP] = {9, "sp.exp(@00)", 0},
    [ZX_LOG] = {9, "sp.log(@00)", 0},
    [ZX_SQRT] = {9, "sp.sqrt(@00)", 0},
    [ZX_ABS] = {9, "sp.Abs(@00)", 0},
    [ZX_SIGN] = {9, "sp.sign(@00)", 0},
    [ZX_FLOOR] = {9, "sp.floor(@00)", 0},
    [ZX_ATAN2] = {9, "sp.atan2(@00, @10)", 0},
    [ZX_HYPOT] = {9, "sp.sqrt((@00)**2 + (@10)**2)", 0},
    [ZX_MIN] = {9, "sp.Min(@00, @10)", 0},
    [ZX_MAX] = {9, "sp.Max(@00, @10)", 0},
};

static const zx_layout latex_layouts[ZX_OP_COUNT] = {
    [ZX_NEG] = {5, "-@07", 0},
    [ZX_POWI] = {8, "{@09}^{#}", 0},
    [ZX_NOT] = {3, "\\lnot @09", 0},
    [ZX_ADD] = {6, "@05 + @16", 0},
    [ZX_SUB] = {6, "@05 - @17", 0},
    [ZX_MUL] = {7, "@07 \\, @17", 0},
    [ZX_DIV] = {7, "\\frac{@00}{@10}", 0},
    [ZX_POW] = {8, "{@09}^{@10}", 0},
    [ZX_LT] = {4, "@05 < @15", 0},
    [ZX_LE] = {4, "@05 \\le @15", 0},
    [ZX_EQ] = {4, "@05 = @15", 0},
    [ZX_NE] = {4, "@05 \\ne @15", 0},
    [ZX_AND] = {2, "@02 \\land @13", 0},
    [ZX_OR] = {1, "@01 \\lor @12", 0},
    [ZX_SELECT] = {0,
                   "\\begin{cases} @11 & \\text{if } @00 \\\\ @21 & \\text{otherwise} \\end{cases}",
                   0},
    [ZX_EXP] = {8, "e^{@00}", 0},
    [ZX_SQRT] = {9, "\\sqrt{@00}", 0},
    [ZX_ABS] = {9, "\\left|@00\\right|", 0},
    [ZX_SIGN] = {9, "\\operatorname{sgn}\\left(@00\\right)", 0},
    [ZX_FLOOR] = {9, "\\left\\lfloor @00 \\right\\rfloor", 0},
    [ZX_ATAN2] = {9, "\\operatorname{atan2}\\left(@00, @10\\right)", 0},
    [ZX_HYPOT] = {9, "\\operatorname{hypot}\\left(@00, @10\\right)", 0},
    [ZX_MIN] = {9, "\\min\\left(@00, @10\\right)", 0},
    [ZX_MAX] = {9, "\\max\\left(@00, @10\\right)", 0},
    [ZX_TABLE] = {9, "~\\left(@00\\right)", 0},
};

/* Functions that LaTeX writes without brackets before a single name, and their powers. */
#define FUNCTION(name)                                                                             \
    "\\" name "\\left(@00\\right)", "\\" name " @09", "\\" name "^{#}\\left($0\\right)",           \
        "\\" name "^{#} $9"
static const char *const latex_functions[ZX_OP_COUNT][4] = {
    [ZX_SIN] = {FUNCTION("sin")},     [ZX_COS] = {FUNCTION("cos")},
    [ZX_TAN] = {FUNCTION("tan")},     [ZX_ASIN] = {FUNCTION("arcsin")},
    [ZX_ACOS] = {FUNCTION("arccos")}, [ZX_ATAN] = {FUNCTION("arctan")},
    [ZX_SINH] = {FUNCTION("sinh")},   [ZX_COSH] = {FUNCTION("cosh")},
    [ZX_TANH] = {FUNCTION("tanh")},   [ZX_LOG] = {FUNCTION("ln")},
};

/* k when a node is the literal 1/k for k = 2, 4, 8, ..., 1024; else 0. Such factors are what is
 * left of divisions by k. */
int32_t zx_find_denominator(const zx_pool *pool, zx_node node)
{
    for (int32_t k = 2; k <= 1024; k *= 2)
        if (zx_is_literal(pool, node, 1.0 / k)) return k;
    return 0;
}

static bool is_named_leaf(const zx_pool *pool, zx_node node)
{
    return zx_is_leaf(pool->items[node].op) && !zx_is_number(pool, node);
}

/* ------------------------------------------------------------------- LaTeX */

/* Whether what is printed for a node begins with a digit. */
static bool starts_with_number(const zx_pool *pool, zx_node node)
{
    const zx_item *item = &pool->items[node];
    while (item->op == ZX_MUL || item->op == ZX_POWI || item->op == ZX_POW || item->op == ZX_DIV)
        item = &pool->items[item->a];
    return item->op <= ZX_BOUND;
}

/* A factor 1/k is written as a fraction, and two numbers side by side get a dot. */
static zx_layout lay_out_latex_product(const zx_pool *pool, const zx_item *item)
{
    int32_t k = zx_find_denominator(pool, item->a);
    if (k != 0) return (zx_layout){7, "\\frac{1}{#} \\, @17", k};
    k = zx_find_denominator(pool, item->b);
    if (k != 0) return (zx_layout){7, "\\frac{@00}{#}", k};
    if (starts_with_number(pool, item->b)) return (zx_layout){7, "@07 \\cdot @17", 0};
    return latex_layouts[ZX_MUL];
}

/* Functions take their powers at their name, and brackets only where the operand is no single
 * name. */
static zx_layout lay_out_latex(const zx_pool *pool, const zx_item *item)
{
    const char *const *function = latex_functions[item->op];
    if (function[0] && is_named_leaf(pool, item->a)) return (zx_layout){7, function[1], 0};
    if (function[0]) return (zx_layout){8, function[0], 0};
    if (item->op == ZX_MUL) return lay_out_latex_product(pool, item);
    if (item->op == ZX_POWI && item->b > 0) { /* sin^2 x */
        const zx_item *base = &pool->items[item->a];
        function = latex_functions[base->op];
        if (function[0] && is_named_leaf(pool, base->a))
            return (zx_layout){7, function[3], item->b};
        if (function[0]) return (zx_layout){8, function[2], item->b};
    }
    zx_layout layout = latex_layouts[item->op];
    if (item->op == ZX_POWI) layout.number = item->b;
    return layout;
}

/* ---------------------------------------------------------------- text, C */

/* As the table says; a factor 1/k behind is a division by k. */
static zx_layout lay_out_text(const zx_pool *pool, const zx_item *item)
{
    zx_layout layout = text_layouts[item->op];
    int32_t k = item->op == ZX_MUL ? zx_find_denominator(pool, item->b) : 0;
    if (k != 0 && !zx_is_number(pool, item->a)) return (zx_layout){7, "@07/#", k};
    if (item->op == ZX_POWI) layout.number = item->b;
    return layout;
}

/* As text but for the table of C; squares of leaves are products, and conditions that are no
 * comparisons are compared with 0. */
static zx_layout lay_out_c(const zx_pool *pool, const zx_item *item)
{
    zx_layout layout = c_layouts[item->op].marks ? c_layouts[item->op] : text_layouts[item->op];
    switch (item->op) {
    case ZX_POWI:
        layout.number = item->b;
        if (item->b == 2 && zx_is_leaf(pool->items[item->a].op))
            return (zx_layout){7, "@08*@08", 0};
        return layout;
    case ZX_DIV: /* comparisons are integers in C */
        return zx_is_truth(pool, item->a) ? (zx_layout){7, "(double)(@00)/@18", 0} : layout;
    case ZX_SELECT:
        return zx_is_truth(pool, item->a) ? layout : (zx_layout){0, "@05 != 0.0 ? @11 : @21", 0};
    default:
        return layout;
    }
}

/* As text but for its table; a quotient of two whole numbers stays exact. */
static zx_layout lay_out_sympy(const zx_pool *pool, const zx_item *item)
{
    zx_layout layout =
        sympy_layouts[item->op].marks ? sympy_layouts[item->op] : lay_out_text(pool, item);
    if (item->op == ZX_DIV && zx_is_number(pool, item->a) && zx_is_number(pool, item->b))
        return (zx_layout){9, "(sp.S(@00)/@18)", 0};
    if (item->op == ZX_POWI) layout.number = item->b;
    return layout;
}

zx_layout zx_layout_of(const zx_pool *pool, zx_form form, zx_node node)
{
    const zx_item *item = &pool->items[node];
    if (form == ZX_MATHML) return zx_lay_out_mathml(pool, item);
    if (form == ZX_LATEX) return lay_out_latex(pool, item);
    if (form == ZX_SYMPY) return lay_out_sympy(pool, item);
    return form == ZX_C ? lay_out_c(pool, item) : lay_out_text(pool, item);
}

/* ----------------------------------------------------------------- numbers */

/* 1.5e-05 as 1.5 \cdot 10^{-5}. */
static void print_latex_number(const char *digits, zb_text *text)
{
    const char *e = strchr(digits, 'e');
    if (!e) {
        zb_text_add(text, digits);
        return;
    }
    size_t mantissa = (size_t)(e - digits);
    bool minus = e[1] == '-';
    if (mantissa != 1 || digits[0] != '1') {
        zb_text_bytes(text, digits, mantissa);
        zb_text_add(text, " \\cdot ");
    }
    for (e++; *e == '+' || *e == '-' || *e == '0';) e++;
    zb_text_add(text, minus ? "10^{-" : "10^{");
    zb_text_add(text, e);
    zb_text_add(text, "}");
}

/* In C a point is added so that no number is an integer; numbers that are not finite have a name in
 * each form. */
void zx_print_number(zx_form form, double value, zb_text *text)
{
    char digits[ZB_DOUBLE_SIZE];
    if (form == ZX_MATHML) {
        zx_print_mathml_number(value, text);
        return;
    }
    if (value - value != 0.0) { /* not a finite number */
        static const char *const names[5][2] = {{"inf", "nan"},
                                                {"\\infty", "\\text{nan}"},
                                                {"INFINITY", "NAN"},
                                                {"", ""},
                                                {"sp.oo", "sp.nan"}};
        if (value < 0.0) zb_text_char(text, '-');
        zb_text_add(text, names[form][value != value]);
        return;
    }
    zb_print_double(value, digits);
    if (form == ZX_LATEX && value < 0.0) {
        zb_text_char(text, '-');
        print_latex_number(digits + 1, text);
    } else if (form == ZX_LATEX) {
        print_latex_number(digits, text);
    } else {
        zb_text_add(text, digits);
        if (form == ZX_C && !strpbrk(digits, ".e")) zb_text_add(text, ".0");
    }
}
