/*
 * Every program of a model with what it computes: the list itself, and the listing of byte code and
 * machine code for people (`zwang derive --asm`).
 *
 *     program 2 of 7: A and b (constraint)
 *       8 operations in 5 instructions, 3 runs, 9 registers, 432 bytes
 *     byte code
 *       ...
 *     machine code
 *       ...
 *
 * The kernel's dumps have a line for each batch of one opcode (called a run there), however long;
 * here lines are broken between instructions. The text of one program at a time is held.
 */
#include <string.h>

#include "contact_laws.h"
#include "energy.h"
#include "events.h"
#include "fused.h"
#include "motors.h"
#include "outputs.h"
#include "programs.h"

/* ------------------------------------------------------------------------ the list */

/* The list as it grows. */
typedef struct collector {
    zr_listed *list; /* NULL: programs are only counted */
    int32_t count;
} collector;

/* Programs that do not exist are passed over. */
static void add_listed(collector *c, const zr_listed *entry)
{
    if (!entry->code) return;
    if (c->list) c->list[c->count] = *entry;
    c->count++;
}

/* One program a pass; often: evaluated at every state. */
static void list_passes(collector *c, const zr_passes *passes, const char *what, bool often)
{
    for (int32_t i = 0; i < passes->count; i++)
        add_listed(c, &(zr_listed){.code = passes->list[i].code,
                                   .what = what,
                                   .family = passes->list[i].family,
                                   .often = often});
}

/* Powers and energies, one program a family. */
static void list_sums(collector *c, const zr_sums *sums, const char *what)
{
    for (int32_t i = 0; i < sums->count; i++)
        add_listed(c, &(zr_listed){.code = sums->list[i].code,
                                   .what = what,
                                   .family = sums->list[i].family,
                                   .often = true});
}

/* The acceleration, then the two sides of a projection. */
static void list_form(collector *c, const zr_fused *fused, int32_t form)
{
    static const char *const sides[] = {
        [ZR_POSITION] = "positions onto the constraints: how far off, guard, q",
        [ZR_VELOCITY] = "velocities onto the constraints: how far off, guard, v"};
    static const char *const looks[] = {[ZR_POSITION] = "how far positions are off the constraints",
                                        [ZR_VELOCITY] =
                                            "how far velocities are off the constraints"};
    const zr_fused_form *is = &fused->forms[form];
    zr_listed entry = {.family = -1, .often = true, .fused = true, .form = is};
    entry.code = is->acceleration;
    entry.what = "accelerations, the solve included: z, guard, multipliers, A";
    add_listed(c, &entry);
    for (int k = ZR_POSITION; k <= ZR_VELOCITY; k++) {
        if (is->side[k].same_as >= 0) continue;
        entry.code = is->side[k].step;
        entry.what = sides[k];
        add_listed(c, &entry);
        entry.code = is->side[k].look;
        entry.what = looks[k];
        add_listed(c, &entry);
    }
}

/* All forms, then the prelude. */
static void list_fused(collector *c, const zr_fused *fused)
{
    for (int32_t k = 0; k < fused->form_count; k++) list_form(c, fused, k);
    add_listed(c,
               &(zr_listed){.code = fused->prelude.code,
                            .what = "what the programs above take from parameters: further values",
                            .family = -1,
                            .fused = true});
}

/* The first event of a shape (events.h). */
static int32_t find_event_of_shape(const zw_model *model, int32_t shape)
{
    int32_t event = 0;
    while (model->events->shape[event] != shape) event++;
    return event;
}

/* Conditions, and the new values of each shape. */
static void list_events(collector *c, const zw_model *model)
{
    const struct zr_events *events = model->events;
    if (!events) return;
    list_passes(c, &events->looks, "conditions of events", true);
    for (int32_t k = 0; k < events->shape_count; k++)
        add_listed(c, &(zr_listed){.code = events->resets[k],
                                   .what = "new values of ",
                                   .family = -1,
                                   .event = find_event_of_shape(model, k) + 1,
                                   .often = true});
}

/* Given values: one program for each root of a family. */
static void list_starts(collector *c, const zw_model *model)
{
    for (int32_t f = 0; f < model->zm->family_count; f++) {
        zk_program **programs = model->starts[f].programs;
        for (int32_t k = 0; programs && k < model->zm->families[f].root_count; k++)
            add_listed(c,
                       &(zr_listed){
                           .code = programs[k], .what = "start value", .family = f, .root = k + 1});
    }
}

/* What runs evaluate again and again comes first. */
int32_t zr_list_programs(const zw_model *model, zr_listed *list)
{
    collector c = {.list = list};
    const zr_passes *outputs = NULL;
    int32_t parts = zr_output_passes(model, &outputs);
    if (model->fused) list_fused(&c, model->fused);
    list_passes(&c, &model->dynamics, "M and Q", true);
    list_passes(&c, &model->rows, "A and b", true);
    list_passes(&c, &model->levels[ZR_POSITION], "values of constraints", true);
    list_passes(&c, &model->levels[ZR_VELOCITY], "rates of constraints", true);
    list_passes(&c, &model->nonideal, "C", true);
    list_passes(&c, &model->impressed, "Q, what was impressed of it", false);
    list_passes(&c, &model->limits, "A and b differentiated once more", true);
    if (model->laws) {
        list_passes(&c, &model->laws->gaps, "gaps of contacts and their rates", true);
        list_passes(&c, &model->laws->frictions_at, "directions and coefficients of friction",
                    true);
        list_passes(&c, &model->laws->restitutions, "restitution", false);
    }
    if (model->motors) list_passes(&c, &model->motors->at, "directions and limits of motors", true);
    list_sums(&c, &model->energy->powers, "powers");
    list_sums(&c, &model->energy->energies, "energies");
    list_events(&c, model);
    for (int32_t k = 0; k < parts; k++) list_passes(&c, &outputs[k], "outputs", true);
    list_passes(&c, &model->constant_dynamics, "M and Q, what parameters alone determine", false);
    list_passes(&c, &model->constant_rows, "A, what parameters alone determine", false);
    add_listed(&c,
               &(zr_listed){.code = model->prelude.code,
                            .what = "what M, Q, A, b and C take from parameters: further values",
                            .family = -1});
    list_passes(&c, &model->weights, "W", false);
    list_passes(&c, &model->equations, "start equations", false);
    list_starts(&c, model);
    return c.count;
}

/* --------------------------------------------------------------------- the listing */

enum { line_width = 100 };

typedef struct listing {
    zw_model *model;
    zw_kernel kernel; /* which code is shown; ZW_KERNEL_AUTO: both */
    int32_t width;    /* lanes of machine code */
    zb_text text;     /* of the program at hand */
    zb_text lines;    /* as the kernel writes them */
} listing;

/* How much of a line goes on the first line of `room` characters, where it is too long: it is
 * broken between instructions, else at a blank, else not at all. */
static size_t find_line_break(const char *line, size_t length, size_t room)
{
    if (length <= room) return length;
    for (size_t k = room; k > 0; k--)
        if (line[k - 1] == ',' || line[k - 1] == ';') return k;
    for (size_t k = room; k > 0; k--)
        if (line[k] == ' ') return k;
    return length;
}

/* Moves l->lines, what the kernel wrote, into the text, indented, in lines of at most
 * line_width. */
static void move_dump_lines(listing *l)
{
    const char *from = zb_text_string(&l->lines), *end = from + l->lines.length;
    while (from < end) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        size_t length = (size_t)((stop ? stop : end) - from), indent = 2;
        do {
            size_t piece = find_line_break(from, length, line_width - indent);
            zb_text_repeat(&l->text, ' ', length > 0 ? indent : 0);
            zb_text_bytes(&l->text, from, piece);
            zb_text_char(&l->text, '\n');
            from += piece;
            length -= piece;
            while (length > 0 && *from == ' ') from++, length--;
            indent = 6;
        } while (length > 0);
        from = stop ? stop + 1 : end;
    }
    if (l->lines.failure != ZW_OK) l->text.failure = l->lines.failure;
    zb_text_clear(&l->lines);
}

/* The word of the statement that a family comes from. */
static const char *family_kind_name(zm_kind kind)
{
    static const char *const names[ZM_KIND_COUNT] = {[ZM_ENERGY] = "energy",
                                                     [ZM_DISSIPATION] = "dissipation",
                                                     [ZM_MASS] = "mass",
                                                     [ZM_FORCE] = "force",
                                                     [ZM_FORCE_AT] = "force at points",
                                                     [ZM_NONIDEAL] = "nonideal",
                                                     [ZM_NONIDEAL_AT] = "nonideal at points",
                                                     [ZM_CONSTRAINT] = "constraint",
                                                     [ZM_WEIGHT] = "weight",
                                                     [ZM_START_VALUE] = "start",
                                                     [ZM_START_EQUATION] = "start",
                                                     [ZM_OUTPUT] = "output",
                                                     [ZM_EVENT] = "when",
                                                     [ZM_GAP] = "constraint",
                                                     [ZM_FRICTION] = "friction",
                                                     [ZM_RESTITUTION] = "restitution",
                                                     [ZM_MOTOR] = "motor",
                                                     [ZM_DRAW] = "draw",
                                                     [ZM_DRAW_DEFAULT] = "draw"};
    return names[kind];
}

/* "3 instructions" and `after`. */
static void write_plural(zb_text *text, int64_t count, const char *what, const char *after)
{
    zb_text_int(text, count);
    zb_text_printf(text, " %s%s%s", what, count == 1 ? "" : "s", after);
}

/* The mode of contacts that a form is for: what holds and what slides in it. */
static void write_form_item(listing *l, const zr_fused_form *form)
{
    const zm_model *zm = l->model->zm;
    const char *before = " while ";
    if (!form || !form->row) return;
    if (form->reads_masks) zb_text_add(&l->text, " in every mode");
    for (int32_t i = 0; i < zm->m && !form->reads_masks; i++) {
        if (zm->mask[i] < 0 || form->row[i] != ZR_FUSED_IS) continue;
        zb_text_add(&l->text, before);
        zm_row_text(zm, i, &l->text);
        zb_text_add(&l->text, " = 0");
        before = ", ";
    }
    for (int32_t k = 0; k < zm->friction_count && !form->reads_masks; k++) {
        if (form->slides[k] != ZR_FUSED_IS) continue;
        zb_text_add(&l->text, before);
        zm_constraint_text(zm, zm->frictions[k].tangent, &l->text);
        zb_text_add(&l->text, " slides");
        before = ", ";
    }
    if (before[0] == ' ' && !form->reads_masks) zb_text_add(&l->text, " while everything is open");
}

/* Which event, or which start value, a program is about. */
static void write_program_item(listing *l, const zr_listed *p)
{
    const zm_model *zm = l->model->zm;
    const zm_family *f = p->root > 0 ? &zm->families[p->family] : NULL;
    if (p->event > 0) {
        zb_text_char(&l->text, '`');
        zr_text_event(l->model, p->event - 1, &l->text);
        zb_text_char(&l->text, '`');
    }
    write_form_item(l, p->form);
    if (!f || !f->whole) return;
    zb_text_add(&l->text, " of ");
    zm_coordinate_text(zm, zm_coordinate_of(f, 0, f->targets[p->root - 1]), &l->text);
    if (f->orders && f->orders[p->root - 1] == 1) zb_text_char(&l->text, '\'');
}

/* What program i of count computes, of which family, and how large it is. */
static void write_program_title(listing *l, const zr_listed *p, int32_t i, int32_t count)
{
    zk_statistics s;
    zk_statistics_of(p->code, &s);
    zb_text *text = &l->text;
    zb_text_printf(text, "\nprogram %d of %d: %s", (int)i + 1, (int)count, p->what);
    write_program_item(l, p);
    if (p->family >= 0) {
        const zm_family *f = &l->model->zm->families[p->family];
        zb_text_printf(text, " (%s", family_kind_name(f->kind));
        if (!f->whole) zb_text_printf(text, ", %d instances", (int)f->count);
        zb_text_char(text, ')');
    }
    zb_text_add(text, "\n  ");
    write_plural(text, s.operations, "operation", " in ");
    write_plural(text, s.instructions, "instruction", ", ");
    write_plural(text, s.batches, "run", ", ");
    write_plural(text, s.registers, "register", ", ");
    zb_text_printf(text, "%zu bytes\n", s.bytes);
}

/* Title, byte code, machine code, as l->kernel asks. */
static void write_program_listing(listing *l, const zr_listed *p, int32_t i, int32_t count)
{
    zb_memory *memory = &l->model->context->memory;
    write_program_title(l, p, i, count);
    if (l->kernel != ZW_KERNEL_NATIVE) {
        zb_text_add(&l->text, "byte code\n");
        zk_dump(p->code, &l->lines);
        move_dump_lines(l);
    }
    if (l->kernel == ZW_KERNEL_BYTECODE) return;
    zb_text_printf(&l->text, "machine code, %d lane%s\n", (int)l->width, l->width > 1 ? "s" : "");
    zk_dump_native(memory, p->code, l->width, &l->lines);
    move_dump_lines(l);
}

/* Writes the name of coordinate or parameter i. */
typedef void (*name_fn)(const zm_model *zm, int32_t i, zb_text *text);

/* "q: 0 x, 1 y" */
static void write_slot_names(listing *l, const char *what, int32_t count, name_fn name)
{
    enum { most = 60 };
    zb_text_printf(&l->lines, "%s:", what);
    for (int32_t i = 0; i < count && i < most; i++) {
        zb_text_printf(&l->lines, "%s %d ", i > 0 ? "," : "", (int)i);
        name(l->model->zm, i, &l->lines);
    }
    zb_text_add(&l->lines, count > most ? ", ...\n" : "\n");
}

/* What the numbers in q[0], v[0], value[0] mean. */
static void write_slot_legend(listing *l)
{
    const zm_model *zm = l->model->zm;
    zb_text_add(&l->text,
                "what programs fetch; within a family these are the slots of an instance\n");
    write_slot_names(l, "q, v, z", zm->n, zm_coordinate_text);
    if (zm->parameter_count > 0)
        write_slot_names(l, "value", zm->parameter_count, zm_parameter_text);
    move_dump_lines(l);
}

/* Hands the text to the caller and clears it; ZW_ERR_WRITE: it was refused. */
static zw_status flush_listing(listing *l, zw_write_fn write, void *user)
{
    zw_status status = l->text.failure;
    if (status == ZW_OK && !write(user, zb_text_string(&l->text), l->text.length))
        status = ZW_ERR_WRITE;
    zb_text_clear(&l->text);
    return status;
}

/* A legend of the numbers in the code, then one program after the other. */
zw_status zr_model_programs(zw_model *model, zw_kernel kernel, int32_t width, zw_write_fn write,
                            void *user)
{
    zb_memory *memory = &model->context->memory;
    int32_t count = zr_list_programs(model, NULL);
    size_t size = sizeof(zr_listed) * (size_t)count;
    zr_listed *list = zb_resize(memory, NULL, 0, size);
    if (!list && count > 0) return memory->failure;
    (void)zr_list_programs(model, list);
    listing l = {.model = model, .kernel = kernel, .width = width};
    zb_text_init(&l.text, memory);
    zb_text_init(&l.lines, memory);
    write_slot_legend(&l);
    zw_status status = flush_listing(&l, write, user);
    for (int32_t i = 0; i < count && status == ZW_OK; i++) {
        write_program_listing(&l, &list[i], i, count);
        status = flush_listing(&l, write, user);
    }
    zb_text_free(&l.text);
    zb_text_free(&l.lines);
    zb_resize(memory, list, size, 0);
    return status;
}
