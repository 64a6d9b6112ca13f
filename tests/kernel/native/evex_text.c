/*
 * Instructions as text, letter for letter what `objdump -M intel` prints: so that the decoder's
 * opinion on every operand can be compared with another decoder's.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "evex.h"

const char *const evex_predicates[32] = {
    "eq",    "lt",     "le",     "unord",    "neq",    "nlt",    "nle",    "ord",
    "eq_uq", "nge",    "ngt",    "false",    "neq_oq", "ge",     "gt",     "true",
    "eq_os", "lt_oq",  "le_oq",  "unord_s",  "neq_us", "nlt_uq", "nle_uq", "ord_s",
    "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq",  "gt_oq",  "true_us"};

static const char *const general[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
                                      "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, EVEX_TEXT - used, format, arguments);
    va_end(arguments);
}

static void add_register(const evex_instruction *i, evex_class class, int number, char *text)
{
    if (class == EVEX_GENERAL)
        add(text, "%s", general[number]);
    else if (class == EVEX_MASK)
        add(text, "k%d", number);
    else
        add(text, "%s%d",
            i->form->scalar || i->bytes == 16 ? "xmm"
            : i->bytes == 32                  ? "ymm"
                                              : "zmm",
            number);
}

static const char *size_of_memory(const evex_instruction *i)
{
    if (i->form->action == EVEX_LEA) return "";
    if (i->encoding == EVEX_LEGACY || i->form->scalar) return "QWORD PTR ";
    if (i->broadcast) return "QWORD BCST ";
    return i->bytes == 16 ? "XMMWORD PTR " : i->bytes == 32 ? "YMMWORD PTR " : "ZMMWORD PTR ";
}

static void add_memory(const evex_instruction *i, char *text)
{
    int64_t d = i->displacement;
    add(text, "%s[", size_of_memory(i));
    if (i->base >= 0) add(text, "%s", general[i->base]);
    if (i->index >= 0) add(text, "+%s*%d", general[i->index], i->scale);
    if (i->base == EVEX_RIP)
        add(text, "+0x%" PRIx64, (uint64_t)d);
    else if (i->displaced)
        add(text, "%c0x%" PRIx64, d < 0 ? '-' : '+', d < 0 ? 0 - (uint64_t)d : (uint64_t)d);
    add(text, "]");
}

static void add_rm(const evex_instruction *i, char *text)
{
    if (i->rm < 0)
        add_memory(i, text);
    else
        add_register(i, i->form->rm, i->rm, text);
}

/* The mask stands behind what is written. */
static void add_mask(const evex_instruction *i, char *text)
{
    if (i->mask) add(text, "{k%d}", i->mask);
    if (i->zeroing) add(text, "{z}");
}

static void add_operands(const evex_instruction *i, char *text)
{
    const evex_form *f = i->form;
    bool moves_memory = f->action == EVEX_MOVE_SCALAR && i->rm < 0; /* then there is no v */
    bool store = f->pattern == EVEX_RM_REG || f->pattern == EVEX_RM_V_REG;
    if (f->pattern == EVEX_NO_OPERANDS) return;
    add(text, " ");
    if (store || f->pattern == EVEX_RM || f->pattern == EVEX_OPCODE_RM)
        add_rm(i, text);
    else if (f->action == EVEX_BROADCAST)
        add(text, "%s%d", i->bytes == 32 ? "ymm" : "zmm", i->reg);
    else
        add_register(i, f->reg, i->reg, text);
    add_mask(i, text);
    if (f->pattern == EVEX_RM || f->pattern == EVEX_OPCODE_RM) return;
    if ((f->pattern == EVEX_REG_V_RM || f->pattern == EVEX_RM_V_REG) && !moves_memory) {
        add(text, ",");
        add_register(i, EVEX_VECTOR, i->v, text);
    }
    add(text, ",");
    if (store)
        add_register(i, f->reg, i->reg, text);
    else
        add_rm(i, text);
}

void evex_text(const evex_instruction *i, char text[EVEX_TEXT])
{
    text[0] = '\0';
    const char *name = i->form->name, *gap = strstr(name, "%s");
    if (gap)
        add(text, "%.*s%s%s", (int)(gap - name), name, evex_predicates[i->immediate & 31], gap + 2);
    else
        add(text, "%s", name);
    add_operands(i, text);
    if (i->form->immediate == EVEX_REGISTER) {
        add(text, ",");
        add_register(i, EVEX_VECTOR, i->fourth, text);
    } else if (i->form->immediate != EVEX_NO_IMMEDIATE && !gap) {
        add(text, ",0x%" PRIx64, (uint64_t)i->immediate);
    }
}
