/*
 * A program as statements of C99: a constant for each leaf that is read and for each result, in the
 * order of the byte code, then the outputs:
 *
 *     const real q_phi = at->q[0];
 *     const real x3 = f_sin(q_phi);
 *     out[0] = x3;
 *
 * Every result has a name of its own, though the byte code uses its registers again. The formulas
 * are those of opcodes.h, letter by letter: x, y, z, w become the operands, functions zb_sin and
 * the like f_sin. What no wanted output needs is left out. So a compiler that contracts nothing
 * gives the bits of the machine, where its functions do.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "compiler.h"

/* The formula of each opcode as text. */
static const char *const formulas[ZK_OPCODE_COUNT] = {
#define FORMULA_TEXT(name, operands, operations, formula) [ZK_##name] = #formula,
    ZK_EXPR_LIST(FORMULA_TEXT) ZK_FUSED_LIST(FORMULA_TEXT)
#undef FORMULA_TEXT
};

/* An instruction over values: constants come first, then leaves, then results in order. */
typedef struct step {
    int32_t opcode, to, from[4];
} step;

typedef struct c_writer {
    const zk_program *program;
    const zk_c_style *style;
    zb_text *text;
    step *steps; /* [instruction_count] */
    int32_t step_count, value_count;
    int32_t *outputs; /* [output_count] values */
    bool *needed;     /* [value_count] */
} c_writer;

/* ---------------------------------------------------------------- registers to values */

/* One instruction from place `at` of the stream on; value [registers] is what each holds. */
static int64_t read_step(c_writer *w, int32_t opcode, int64_t at, int32_t *value)
{
    const zk_opcode_facts *facts = &zk_opcodes[opcode];
    step *s = &w->steps[w->step_count++];
    *s = (step){.opcode = opcode, .to = w->value_count};
    for (int32_t k = 0; k < facts->operands; k++)
        s->from[k] = value[zk_stream_at(w->program, at + facts->results + k)];
    for (int32_t k = 0; k < facts->results; k++)
        value[zk_stream_at(w->program, at + k)] = w->value_count++;
    return at + facts->results + facts->operands;
}

static void read_steps(c_writer *w, zb_arena *scratch)
{
    const zk_program *p = w->program;
    int32_t *value = ZB_NEW_ARRAY(scratch, int32_t, p->register_count);
    int64_t at = 0;
    w->steps = ZB_NEW_ARRAY(scratch, step, p->instruction_count);
    w->value_count = p->constant_count + p->leaf_at[ZK_LEAF_KINDS];
    for (int32_t i = 0; i < w->value_count; i++) value[i] = i;
    for (int32_t i = 0; i < p->batch_count; i++)
        for (int32_t k = 0; k < p->batches[i].count; k++)
            at = read_step(w, p->batches[i].opcode, at, value);
    w->outputs = ZB_NEW_ARRAY(scratch, int32_t, p->output_count);
    for (int32_t i = 0; i < p->output_count; i++) w->outputs[i] = value[p->outputs[i]];
}

/* Backwards from the outputs that are wanted. */
static void mark_needed(c_writer *w, zb_arena *scratch)
{
    w->needed = ZB_NEW_ARRAY(scratch, bool, w->value_count);
    for (int32_t i = 0; i < w->style->outputs; i++) w->needed[w->outputs[i]] = true;
    for (int32_t i = w->step_count - 1; i >= 0; i--) {
        const step *s = &w->steps[i];
        bool used = w->needed[s->to] || (s->opcode == ZK_SINCOS && w->needed[s->to + 1]);
        for (int32_t k = 0; used && k < zk_opcodes[s->opcode].operands; k++)
            w->needed[s->from[k]] = true;
    }
}

/* ------------------------------------------------------------------------------- text */

void zk_text_c_number(zb_text *text, double x, bool single)
{
    char digits[ZB_DOUBLE_SIZE];
    if (!isfinite(x)) {
        zb_text_add(text, isnan(x) ? "f_nan()" : x > 0.0 ? "f_infinity()" : "(-f_infinity())");
        return;
    }
    if (single) x = (double)(float)x;
    if (!isfinite(x)) x = x > 0.0 ? 3.4028234663852886e38 : -3.4028234663852886e38;
    size_t length = zb_print_double(x, digits);
    bool negative = signbit(x) != 0,
         whole = !memchr(digits, '.', length) && !memchr(digits, 'e', length);
    zb_text_printf(text, "%s%s%s%s%s", negative ? "(" : "", digits, whole ? ".0" : "",
                   single ? "f" : "", negative ? ")" : "");
}

/* A leaf by the name that the owner of the program gives it. */
static void write_leaf_name(const c_writer *w, int32_t leaf, zb_text *text)
{
    int32_t kind = 0;
    while (leaf >= w->program->leaf_at[kind + 1]) kind++;
    w->style->name(w->style->user, (zx_op)(ZX_TIME + kind), w->program->leaves[leaf], text);
}

static void write_value(const c_writer *w, int32_t value)
{
    int32_t constants = w->program->constant_count;
    int32_t leaves = w->program->leaf_at[ZK_LEAF_KINDS];
    if (value < constants)
        zk_text_c_number(w->text, w->program->constants[value], w->style->single);
    else if (value < constants + leaves)
        write_leaf_name(w, value - constants, w->text);
    else
        zb_text_printf(w->text, "x%d", (int)(value - constants - leaves));
}

/* One word or number of a formula. */
static void write_word(const c_writer *w, const char *word, size_t length, const int32_t *from)
{
    static const char letters[] = "xyzw";
    const char *operand = length == 1 ? strchr(letters, word[0]) : NULL;
    if (operand)
        write_value(w, from[operand - letters]);
    else if (length > 3 && word[0] == 'z' && word[2] == '_')
        zb_text_printf(w->text, "f_%.*s", (int)length - 3, word + 3);
    else if (length == 6 && memcmp(word, "double", 6) == 0)
        zb_text_add(w->text, "real");
    else
        zb_text_printf(w->text, "%.*s%s", (int)length, word,
                       w->style->single && isdigit((unsigned char)word[0]) ? "f" : "");
}

static void write_formula(const c_writer *w, const char *formula, const int32_t *from)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz_0123456789.";
    while (*formula) {
        size_t length = strspn(formula, word);
        if (length > 0)
            write_word(w, formula, length, from);
        else
            zb_text_char(w->text, *formula), length = 1;
        formula += length;
    }
}

static void write_result(const c_writer *w, int32_t value, const char *formula, const int32_t *from)
{
    if (!w->needed[value]) return;
    zb_text_add(w->text, "    const real ");
    write_value(w, value);
    zb_text_add(w->text, " = ");
    write_formula(w, formula, from);
    zb_text_add(w->text, ";\n");
}

/* The leaves that are needed, each into a constant of its name. */
static void write_leaves(const c_writer *w)
{
    const zk_program *p = w->program;
    for (int32_t kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = p->leaf_at[kind]; i < p->leaf_at[kind + 1]; i++) {
            if (!w->needed[p->constant_count + i]) continue;
            zb_text_add(w->text, "    const real ");
            write_leaf_name(w, i, w->text);
            zb_text_add(w->text, " = ");
            w->style->read(w->style->user, (zx_op)(ZX_TIME + kind), p->leaves[i], w->text);
            zb_text_add(w->text, ";\n");
        }
}

void zk_write_c(const zk_program *program, const zk_c_style *style, zb_arena *scratch,
                zb_text *text)
{
    c_writer w = {.program = program, .style = style, .text = text};
    zb_mark mark = zb_arena_mark(scratch);
    read_steps(&w, scratch);
    mark_needed(&w, scratch);
    write_leaves(&w);
    for (int32_t i = 0; i < w.step_count; i++) {
        const step *s = &w.steps[i];
        bool both = s->opcode == ZK_SINCOS;
        write_result(&w, s->to, both ? "zb_sin(x)" : formulas[s->opcode], s->from);
        if (both) write_result(&w, s->to + 1, "zb_cos(x)", s->from);
    }
    for (int32_t i = 0; i < style->outputs; i++) {
        zb_text_printf(text, "    out[%d] = ", (int)i);
        write_value(&w, w.outputs[i]);
        zb_text_add(text, ";\n");
    }
    zb_arena_release(scratch, mark);
}
