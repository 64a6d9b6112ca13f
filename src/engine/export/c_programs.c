/*
 * Programs of the model as functions of C, and passes as calls of them: one call for a whole family,
 * a loop over its table of bindings for one that is kept. Outputs go to their places by tables, as
 * in the simulation; matrices are dense here.
 */
#include <string.h>

#include "export_c.h"
#include "export_texts.h"

/* ------------------------------------------------------------------------------ texts */

const char *zr_c_shipped(const char *name)
{
    for (const zr_export_text *f = zr_export_texts; f->name; f++)
        if (strcmp(f->name, name) == 0 || strcmp(f->file, name) == 0) return f->text;
    return "";
}

/* The words behind a `$`, the first that fits; NULL: none does. */
static const char *find_word(const zr_c *c, const char *at, const char *const *words,
                             size_t *length)
{
    for (; words && words[0]; words += 2) {
        *length = strlen(words[0]);
        if (strncmp(at, words[0], *length) == 0) return words[1];
    }
    *length = 1;
    return at[0] == 'n' ? c->lower : at[0] == 'N' ? c->upper : NULL;
}

void zr_c_text(const zr_c *c, zb_text *to, const char *text, const char *const *words)
{
    for (const char *sign = strchr(text, '$'); sign; sign = strchr(text, '$')) {
        size_t length = 0;
        const char *word = find_word(c, sign + 1, words, &length);
        zb_text_bytes(to, text, (size_t)(sign - text));
        zb_text_add(to, word ? word : "$");
        text = sign + 1 + (word ? length : 0);
    }
    zb_text_add(to, text);
}

/* --------------------------------------------------------------------------- programs */

static const char kinds[] = "tqvapm"; /* of leaves: time to measure */

/* zk_c_style.name: q_phi, v_phi, p_mass; without names of its own q3. */
static void name_leaf(void *user, zx_op kind, int32_t slot, zb_text *text)
{
    const zr_c *c = user;
    char letter = kinds[kind - ZX_TIME];
    const char *name = NULL;
    if (kind == ZX_TIME) {
        zb_text_add(text, "t");
        return;
    }
    if (!c->family && kind <= ZX_ACCELERATION) name = c->coordinate[slot];
    if (!c->family && kind == ZX_VALUE && slot < c->zm->parameter_count) name = c->parameter[slot];
    if (name)
        zb_text_printf(text, "%c_%s", letter, name);
    else
        zb_text_printf(text, "%c%d", letter, (int)slot);
}

/* zk_c_style.read: at->q[NAME_Q_phi], or through the table, at->q[bind[3]]. */
static void read_leaf(void *user, zx_op kind, int32_t slot, zb_text *text)
{
    static const char *const arrays[] = {"t", "q", "v", "z", "value", "measure"};
    const zr_c *c = user;
    const zm_family *f = c->family;
    const char *array = arrays[kind - ZX_TIME];
    if (kind == ZX_TIME)
        zb_text_add(text, "at->t");
    else if (f)
        zb_text_printf(text, "at->%s[bind[%d]]", array,
                       (int)(slot + (kind == ZX_VALUE     ? f->coordinates
                                     : kind == ZX_MEASURE ? f->coordinates + f->values
                                                          : 0)));
    else if (kind <= ZX_ACCELERATION)
        zb_text_printf(text, "at->%s[%s_Q_%s]", array, c->upper, c->coordinate[slot]);
    else if (kind == ZX_VALUE && slot < c->zm->parameter_count)
        zb_text_printf(text, "at->value[%s_P_%s]", c->upper, c->parameter[slot]);
    else
        zb_text_printf(text, "at->%s[%d]", array, (int)slot);
}

static bool reads_anything(const zk_program *program)
{
    for (int kind = ZX_TIME; kind <= ZX_MEASURE; kind++)
        if (zk_reads(program, (zx_op)kind)) return true;
    return false;
}

void zr_c_function(zr_c *c, const char *name, const zk_program *program, const zm_family *family,
                   int32_t outputs)
{
    zk_statistics statistics;
    bool bound = family && !family->whole && family->table;
    zk_c_style style = {.user = c,
                        .name = name_leaf,
                        .read = read_leaf,
                        .outputs = outputs,
                        .single = c->as->single};
    zk_statistics_of(program, &statistics);
    c->operations += statistics.operations;
    c->family = bound ? family : NULL;
    if (outputs > c->most_outputs) c->most_outputs = outputs;
    zb_text_printf(&c->body, "static void %s(const source *at, %sreal *out)\n{\n", name,
                   bound ? "const place *bind, " : "");
    if (!reads_anything(program))
        zb_text_printf(&c->body, "    (void)at;\n%s", bound ? "    (void)bind;\n" : "");
    else if (bound && !zk_reads(program, ZX_POSITION) && !zk_reads(program, ZX_VELOCITY) &&
             !zk_reads(program, ZX_ACCELERATION) && !zk_reads(program, ZX_VALUE) &&
             !zk_reads(program, ZX_MEASURE))
        zb_text_add(&c->body, "    (void)bind;\n");
    zk_write_c(program, &style, &c->arena, &c->body);
    zb_text_add(&c->body, "}\n\n");
    c->family = NULL;
}

/* ----------------------------------------------------------------------------- tables */

void zr_c_integers(zr_c *c, const char *name, const int32_t *list, int64_t count)
{
    zb_text_printf(&c->body, "static const place %s[] = {", name);
    for (int64_t i = 0; i < count; i++)
        zb_text_printf(&c->body, "%s%d%s", i % 16 == 0 ? "\n    " : " ", (int)list[i],
                       i + 1 < count ? "," : "");
    zb_text_add(&c->body, count > 0 ? "};\n\n" : "0};\n\n");
}

void zr_c_numbers(zr_c *c, const char *name, const double *list, int64_t count)
{
    zb_text_printf(&c->body, "static const real %s[] = {", name);
    for (int64_t i = 0; i < count; i++) {
        zb_text_add(&c->body, i % 4 == 0 ? "\n    " : " ");
        zk_text_c_number(&c->body, list[i], c->as->single);
        if (i + 1 < count) zb_text_char(&c->body, ',');
    }
    zb_text_add(&c->body, count > 0 ? "};\n\n" : "0};\n\n");
}

/* Position p of the pattern among the entries of the dense matrix. */
static int32_t find_dense_place(const zr_pattern *pattern, int32_t p)
{
    int32_t row = 0;
    while (pattern->start[row + 1] <= p) row++;
    return row * pattern->columns + pattern->column[p];
}

/* The table of a pass, matrices dense: place<k>. */
static void write_places(zr_c *c, const zr_pass *pass, int32_t count, const zr_pattern *pattern,
                         const char *name)
{
    int32_t outputs = pass->matrix + pass->vector;
    int32_t *place = ZB_NEW_ARRAY(&c->arena, int32_t, (size_t)count * (size_t)outputs);
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < outputs; k++) {
            int32_t at = pass->place[i * outputs + k];
            int32_t dense = k >= pass->matrix || !pattern ? at
                            : at >= 0                     ? find_dense_place(pattern, at)
                                                          : ~find_dense_place(pattern, ~at);
            place[i * outputs + k] = dense;
        }
    zr_c_integers(c, name, place, (int64_t)count * outputs);
}

/* What one pass adds: its function, its tables, its call. */
static void write_pass(zr_c *c, const zr_pass *pass, const zr_c_target *to)
{
    const zm_family *f = &c->zm->families[pass->family];
    bool bound = !f->whole && f->table;
    int32_t outputs = pass->matrix + pass->vector, k = c->programs++;
    char name[24], place[24], bind[24];
    if (outputs == 0) return;
    zb_text texts[3];
    zb_text_init_fixed(&texts[0], name, sizeof name);
    zb_text_init_fixed(&texts[1], place, sizeof place);
    zb_text_init_fixed(&texts[2], bind, sizeof bind);
    zb_text_printf(&texts[0], "program_%d", (int)k);
    zb_text_printf(&texts[1], "place_%d", (int)k);
    zb_text_printf(&texts[2], "bind_%d", (int)k);
    zr_c_function(c, name, pass->code, f, outputs);
    write_places(c, pass, f->count, to->pattern, place);
    if (bound) zr_c_integers(c, bind, f->table, (int64_t)f->count * f->stride);
    zb_text_printf(&c->calls, "    for (int i = 0; i < %d; i++) {\n", (int)f->count);
    zb_text_printf(&c->calls, "        %s(at, ", name);
    if (bound) zb_text_printf(&c->calls, "%s + i * %d, ", bind, (int)f->stride);
    zb_text_add(&c->calls, "s->work.out);\n");
    if (to->matrix && pass->matrix > 0)
        zb_text_printf(&c->calls, "        add_to(%d, %s + i * %d, s->work.out, %s);\n",
                       (int)pass->matrix, place, (int)outputs, to->matrix);
    if (to->vector && pass->vector > 0)
        zb_text_printf(&c->calls, "        add_to(%d, %s + i * %d + %d, s->work.out + %d, %s);\n",
                       (int)pass->vector, place, (int)outputs, (int)pass->matrix, (int)pass->matrix,
                       to->vector);
    zb_text_add(&c->calls, "    }\n");
}

void zr_c_passes(zr_c *c, const zr_passes *passes, const zr_c_target *to)
{
    for (int32_t i = 0; i < passes->count; i++) write_pass(c, &passes->list[i], to);
}

void zr_c_close(zr_c *c, const char *head)
{
    zr_c_text(c, &c->body, head, NULL);
    zb_text_printf(&c->body, "\n{\n    (void)s;\n    (void)at;\n%s}\n\n",
                   zb_text_string(&c->calls));
    zb_text_clear(&c->calls);
}
