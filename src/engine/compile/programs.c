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
 * The dumps have a line for each run of one opcode, however long; here lines are broken between
 * instructions. The text of one program at a time is held.
 */
#include <string.h>

#include "energy.h"
#include "events.h"
#include "fused.h"
#include "outputs.h"
#include "programs.h"

/* ------------------------------------------------------------------------ the list */

typedef struct collector {
    zr_listed *list; /* or NULL */
    int32_t count;
} collector;

static void add(collector *c, const zr_listed *entry)
{
    if (!entry->code) return;
    if (c->list) c->list[c->count] = *entry;
    c->count++;
}

static void add_passes(collector *c, const zr_passes *passes, const char *what, bool often)
{
    for (int32_t i = 0; i < passes->count; i++)
        add(c, &(zr_listed){.code = passes->list[i].code,
                            .what = what,
                            .family = passes->list[i].family,
                            .often = often});
}

static void add_sums(collector *c, const zr_sums *sums, const char *what)
{
    for (int32_t i = 0; i < sums->count; i++)
        add(c, &(zr_listed){.code = sums->list[i].code,
                            .what = what,
                            .family = sums->list[i].family,
                            .often = true});
}

static void add_fused(collector *c, const zr_fused *fused)
{
    static const char *const sides[] = {
        [ZR_POSITION] = "positions onto the constraints: how far off, guard, q",
        [ZR_VELOCITY] = "velocities onto the constraints: how far off, guard, v"};
    static const char *const looks[] = {[ZR_POSITION] = "how far positions are off the constraints",
                                        [ZR_VELOCITY] =
                                            "how far velocities are off the constraints"};
    zr_listed entry = {.family = -1, .often = true, .fused = true};
    entry.code = fused->acceleration;
    entry.what = "accelerations, the solve included: z, guard, multipliers, A";
    add(c, &entry);
    for (int k = ZR_POSITION; k <= ZR_VELOCITY; k++) {
        entry.code = fused->side[k].step;
        entry.what = sides[k];
        add(c, &entry);
        entry.code = fused->side[k].look;
        entry.what = looks[k];
        add(c, &entry);
    }
    entry.code = fused->prelude;
    entry.what = "what the programs above take from parameters: further values";
    entry.often = false;
    add(c, &entry);
}

/* The first event of a shape. */
static int32_t event_of(const zw_model *model, int32_t shape)
{
    int32_t event = 0;
    while (model->events->shape[event] != shape) event++;
    return event;
}

static void add_events(collector *c, const zw_model *model)
{
    const struct zr_events *events = model->events;
    if (!events) return;
    add_passes(c, &events->looks, "conditions of events", true);
    for (int32_t k = 0; k < events->shape_count; k++)
        add(c, &(zr_listed){.code = events->resets[k],
                            .what = "new values of ",
                            .family = -1,
                            .event = event_of(model, k) + 1,
                            .often = true});
}

static void add_starts(collector *c, const zw_model *model)
{
    for (int32_t f = 0; f < model->zm->family_count; f++) {
        zk_program **programs = model->starts[f].programs;
        for (int32_t k = 0; programs && k < model->zm->families[f].root_count; k++)
            add(c, &(zr_listed){
                       .code = programs[k], .what = "start value", .family = f, .root = k + 1});
    }
}

int32_t zr_list_programs(const zw_model *model, zr_listed *list)
{
    collector c = {.list = list};
    const zr_passes *outputs = NULL;
    int32_t parts = zr_output_passes(model, &outputs);
    if (model->fused) add_fused(&c, model->fused);
    add_passes(&c, &model->dynamics, "M and Q", true);
    add_passes(&c, &model->rows, "A and b", true);
    add_passes(&c, &model->levels[ZR_POSITION], "values of constraints", true);
    add_passes(&c, &model->levels[ZR_VELOCITY], "rates of constraints", true);
    add_passes(&c, &model->nonideal, "C", true);
    add_passes(&c, &model->limits, "A and b differentiated once more", true);
    add_sums(&c, &model->energy->powers, "powers");
    add_sums(&c, &model->energy->energies, "energies");
    add_events(&c, model);
    for (int32_t k = 0; k < parts; k++) add_passes(&c, &outputs[k], "outputs", true);
    add_passes(&c, &model->constant_dynamics, "M and Q, what parameters alone determine", false);
    add_passes(&c, &model->constant_rows, "A, what parameters alone determine", false);
    add_passes(&c, &model->weights, "W", false);
    add_passes(&c, &model->equations, "start equations", false);
    add_starts(&c, model);
    return c.count;
}

/* --------------------------------------------------------------------- the listing */

enum { zr_line_width = 100 };

typedef struct listing {
    zw_model *model;
    zw_kernel kernel; /* which code is shown; ZW_KERNEL_AUTO: both */
    int32_t width;
    zb_text text;  /* of the program at hand */
    zb_text lines; /* as the kernel writes them */
} listing;

/* Where a line that is too long is broken: between instructions, else at a blank. */
static size_t piece_of(const char *line, size_t length, size_t room)
{
    if (length <= room) return length;
    for (size_t k = room; k > 0; k--)
        if (line[k - 1] == ',' || line[k - 1] == ';') return k;
    for (size_t k = room; k > 0; k--)
        if (line[k] == ' ') return k;
    return length;
}

/* Moves what the kernel wrote into the text, indented, in lines of bearable length. */
static void add_lines(listing *l)
{
    const char *from = zb_text_string(&l->lines), *end = from + l->lines.length;
    while (from < end) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        size_t length = (size_t)((stop ? stop : end) - from), indent = 2;
        do {
            size_t piece = piece_of(from, length, zr_line_width - indent);
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

static const char *kind_text(zm_kind kind)
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
                                                     [ZM_DRAW] = "draw"};
    return names[kind];
}

static void add_count(zb_text *text, int64_t count, const char *what, const char *after)
{
    zb_text_int(text, count);
    zb_text_printf(text, " %s%s%s", what, count == 1 ? "" : "s", after);
}

/* Which event, which start value. */
static void add_item(listing *l, const zr_listed *p)
{
    const zm_model *zm = l->model->zm;
    const zm_family *f = p->root > 0 ? &zm->families[p->family] : NULL;
    if (p->event > 0) {
        zb_text_char(&l->text, '`');
        zr_text_event(l->model, p->event - 1, &l->text);
        zb_text_char(&l->text, '`');
    }
    if (!f || !f->whole) return;
    zb_text_add(&l->text, " of ");
    zm_coordinate_text(zm, zm_coordinate_of(f, 0, f->targets[p->root - 1]), &l->text);
    if (f->orders && f->orders[p->root - 1] == 1) zb_text_char(&l->text, '\'');
}

static void add_title(listing *l, const zr_listed *p, int32_t i, int32_t count)
{
    zk_statistics s;
    zk_statistics_of(p->code, &s);
    zb_text *text = &l->text;
    zb_text_printf(text, "\nprogram %d of %d: %s", (int)i + 1, (int)count, p->what);
    add_item(l, p);
    if (p->family >= 0) {
        const zm_family *f = &l->model->zm->families[p->family];
        zb_text_printf(text, " (%s", kind_text(f->kind));
        if (!f->whole) zb_text_printf(text, ", %d instances", (int)f->count);
        zb_text_char(text, ')');
    }
    zb_text_add(text, "\n  ");
    add_count(text, s.operations, "operation", " in ");
    add_count(text, s.instructions, "instruction", ", ");
    add_count(text, s.batches, "run", ", ");
    add_count(text, s.registers, "register", ", ");
    zb_text_printf(text, "%zu bytes\n", s.bytes);
}

static void add_program(listing *l, const zr_listed *p, int32_t i, int32_t count)
{
    zb_memory *memory = &l->model->context->memory;
    add_title(l, p, i, count);
    if (l->kernel != ZW_KERNEL_NATIVE) {
        zb_text_add(&l->text, "byte code\n");
        zk_dump(p->code, &l->lines);
        add_lines(l);
    }
    if (l->kernel == ZW_KERNEL_BYTECODE) return;
    zb_text_printf(&l->text, "machine code, %d lane%s\n", (int)l->width, l->width > 1 ? "s" : "");
    zk_dump_native(memory, p->code, l->width, &l->lines);
    add_lines(l);
}

typedef void (*name_fn)(const zm_model *zm, int32_t i, zb_text *text);

/* "q: 0 x, 1 y" */
static void add_names(listing *l, const char *what, int32_t count, name_fn name)
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
static void add_legend(listing *l)
{
    const zm_model *zm = l->model->zm;
    zb_text_add(&l->text,
                "what programs fetch; within a family these are the slots of an instance\n");
    add_names(l, "q, v, z", zm->n, zm_coordinate_text);
    if (zm->parameter_count > 0) add_names(l, "value", zm->parameter_count, zm_parameter_text);
    add_lines(l);
}

static zw_status write_out(listing *l, zw_write_fn write, void *user)
{
    zw_status status = l->text.failure;
    if (status == ZW_OK && !write(user, zb_text_string(&l->text), l->text.length))
        status = ZW_ERR_WRITE;
    zb_text_clear(&l->text);
    return status;
}

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
    add_legend(&l);
    zw_status status = write_out(&l, write, user);
    for (int32_t i = 0; i < count && status == ZW_OK; i++) {
        add_program(&l, &list[i], i, count);
        status = write_out(&l, write, user);
    }
    zb_text_free(&l.text);
    zb_text_free(&l.lines);
    zb_resize(memory, list, size, 0);
    return status;
}
