/*
 * Families in lanes: one program evaluated for many instances. The instances of a table in blocks
 * of ZK_BLOCK; for each block and each column of the table that the program reads, where the
 * numbers of its lanes stand in the source:
 *
 *     strides [block][argument]   base + stride * lane, or a row of
 *     index [row][lane]           where their places are no such progression
 *
 * Neighbours in a chain are at a constant stride, so most families store nothing for a lane. The
 * last block repeats its last instance. Everything lies in the caller's arena and never changes.
 *
 * A block is evaluated by machine code, in groups as wide as its registers are, or by byte code:
 * small programs as one strip, so that a dispatch serves all lanes, larger ones in groups of 8, so
 * that the registers stay in the cache.
 */
#include <string.h>

#include "wide.h"

_Static_assert((int)ZK_BLOCK == (int)ZK_STRIP, "a block is a strip");

enum {
    STRIP_REGISTERS = 96, /* 24 kB of them */
    IS_ROW = INT32_MIN    /* as a stride: base is a row of index */
};

/* Lane l of a block reads the entry base + stride * l. */
typedef struct zk_stride {
    int32_t base, stride;
} zk_stride;

/* A leaf: what it reads, and the entry it goes to, among the registers and in a frame. */
typedef struct zk_wire {
    int32_t kind, argument, entry[2];
} zk_wire;

struct zk_lane_table {
    const zk_program *program;
    int32_t count, blocks, argument_count;
    int32_t width;      /* of machine code */
    zk_wire *wires;     /* [leaves] */
    int32_t *column;    /* [argument_count] of the table */
    zk_stride *strides; /* [blocks * argument_count] */
    int32_t *index;     /* [rows * ZK_BLOCK] */
    /* where in a frame's entries the slots of a kind begin; an even number each, so that the
     * arrays of any width are aligned */
    int32_t slot_at[ZK_LEAF_KINDS + 1];
};

enum { TO_REGISTERS, TO_FRAME };

/* ----------------------------------------------------------------- making one */

/* The column of the table that a leaf of some kind reads. */
static int32_t column_of(const zk_table *table, int32_t kind, int32_t slot)
{
    int32_t at = kind == ZX_VALUE - ZX_TIME     ? table->value_at
                 : kind == ZX_MEASURE - ZX_TIME ? table->measure_at
                                                : 0;
    return at + slot;
}

/* Columns in the order in which leaves ask for them. place [stride]: the argument + 1 of each
 * column that has one. Time asks for none; its argument is 0. */
static void find_arguments(zk_lane_table *t, const zk_table *table, int32_t *place)
{
    const zk_program *p = t->program;
    for (int32_t kind = 1; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = p->leaf_at[kind]; i < p->leaf_at[kind + 1]; i++) {
            int32_t column = column_of(table, kind, p->leaves[i]);
            if (place[column] == 0) {
                t->column[t->argument_count] = column;
                place[column] = ++t->argument_count;
            }
            t->wires[i].argument = place[column] - 1;
        }
}

/* Where the entries of each kind begin in a frame that holds the slots of one group. */
static void place_slots(zk_lane_table *t)
{
    const zk_program *p = t->program;
    t->slot_at[1] = 2; /* time */
    for (int32_t kind = 1; kind < ZK_LEAF_KINDS; kind++) {
        int32_t slots = 0;
        for (int32_t i = p->leaf_at[kind]; i < p->leaf_at[kind + 1]; i++)
            if (p->leaves[i] >= slots) slots = p->leaves[i] + 1;
        t->slot_at[kind + 1] = t->slot_at[kind] + ((slots + 1) & ~1);
    }
}

/* Every leaf's entry among the registers, for byte code, and in a frame, for machine code. */
static void place_wires(zk_lane_table *t)
{
    const zk_program *p = t->program;
    for (int32_t kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = p->leaf_at[kind]; i < p->leaf_at[kind + 1]; i++) {
            t->wires[i].kind = kind;
            t->wires[i].entry[TO_REGISTERS] = p->constant_count + i;
            t->wires[i].entry[TO_FRAME] = t->slot_at[kind] + p->leaves[i];
        }
}

/* The entries that the lanes of a block read, the last instance repeated; whether they are at a
 * constant stride. */
static bool look_up_entries(const zk_lane_table *t, const zk_table *table, int32_t block,
                            int32_t argument, int32_t *entry)
{
    const int32_t *at = table->table + t->column[argument];
    bool even = true;
    for (int32_t l = 0; l < ZK_BLOCK; l++) {
        int32_t i = block * ZK_BLOCK + l, last = t->count - 1;
        entry[l] = at[(size_t)(i < last ? i : last) * (size_t)table->stride];
    }
    int64_t step = (int64_t)entry[1] - entry[0];
    for (int32_t l = 2; l < ZK_BLOCK; l++) even = even && (int64_t)entry[l] - entry[0] == l * step;
    return even;
}

/* Fills strides, and index from row 0 on, where it is there; the rows that are needed. */
static int64_t fill_strides(zk_lane_table *t, const zk_table *table)
{
    int64_t rows = 0;
    int32_t entry[ZK_BLOCK];
    for (int32_t k = 0; k < t->blocks; k++)
        for (int32_t a = 0; a < t->argument_count; a++) {
            zk_stride *stride = &t->strides[(size_t)k * (size_t)t->argument_count + (size_t)a];
            if (look_up_entries(t, table, k, a, entry)) {
                *stride = (zk_stride){entry[0], entry[1] - entry[0]};
                continue;
            }
            *stride = (zk_stride){(int32_t)rows, IS_ROW};
            if (t->index) memcpy(t->index + rows * ZK_BLOCK, entry, sizeof entry);
            rows++;
        }
    return rows;
}

/* Strides are filled twice: the first time counts the rows that index needs. */
zk_lane_table *zk_lane_table_create(zb_arena *arena, const zk_program *program,
                                    const zk_table *table, int32_t width)
{
    int32_t leaves = program->leaf_at[ZK_LEAF_KINDS];
    zk_lane_table *t = ZB_NEW(arena, zk_lane_table);
    t->program = program;
    t->count = table->count;
    t->blocks = (table->count - 1) / ZK_BLOCK + 1;
    t->width = width;
    t->wires = ZB_NEW_ARRAY(arena, zk_wire, leaves);
    t->column = ZB_NEW_ARRAY(arena, int32_t, leaves);
    find_arguments(t, table, ZB_NEW_ARRAY(arena, int32_t, table->stride));
    place_slots(t);
    place_wires(t);
    t->strides =
        ZB_NEW_ARRAY(arena, zk_stride, zb_product((size_t)t->blocks, (size_t)t->argument_count));
    int64_t rows = fill_strides(t, table);
    if (rows == 0) return t;
    t->index = ZB_NEW_ARRAY(arena, int32_t, zb_product((size_t)rows, ZK_BLOCK));
    (void)fill_strides(t, table);
    return t;
}

/* ------------------------------------------------------------------ evaluating */

static int32_t byte_code_width(const zk_program *program, int32_t count)
{
    bool strip = !program->wide && program->register_count <= STRIP_REGISTERS;
    return strip && count > ZK_BLOCK / 2 ? ZK_STRIP : 8;
}

/* Doubles of the entries of one group of a frame. */
static size_t frame_step(const zk_lane_table *t, int32_t width)
{
    return (size_t)t->slot_at[ZK_LEAF_KINDS] * (size_t)width;
}

/* Doubles between groups of outputs: aligned. */
static size_t out_step(const zk_lane_table *t, int32_t width)
{
    return ((size_t)t->program->output_count * (size_t)width + 7) & ~(size_t)7;
}

/* Enough for either: registers of byte code, or workspace and frames of machine code. */
size_t zk_block_workspace(const zk_lane_table *t)
{
    size_t registers = zk_workspace(t->program) * (size_t)byte_code_width(t->program, t->count);
    size_t width = (size_t)t->width;
    size_t frames = zk_workspace(t->program) * width + frame_step(t, ZK_BLOCK);
    return registers > frames ? registers : frames;
}

size_t zk_block_outputs(const zk_lane_table *t)
{
    return out_step(t, 4) * (ZK_BLOCK / 4);
}

/* Where the leaves of a block go, in groups of `width` lanes: TO_REGISTERS or TO_FRAME. */
typedef struct zk_fetch {
    const zk_lane_table *table;
    const zk_lanes *lanes;
    const zk_stride *strides; /* of the block */
    int where;
    int32_t count; /* instances */
    int32_t first; /* lane */
    zk_groups groups;
    double *to;
} zk_fetch;

/* What a leaf's gather is for the lanes from f->first on; time is one number for all. */
static zk_gather gather_of(const zk_fetch *f, const zk_wire *w, const double *from)
{
    size_t at = (size_t)w->entry[f->where] * (size_t)f->groups.width;
    zk_gather g = {.from = from, .to = f->to + at};
    if (w->kind == 0) return g;
    zk_stride stride = f->strides[w->argument];
    if (stride.stride == IS_ROW) {
        g.index = f->table->index + (size_t)stride.base * ZK_BLOCK + f->first;
    } else {
        g.from += stride.base + (int64_t)stride.stride * f->first;
        g.stride = stride.stride;
    }
    return g;
}

/* All leaves of the lanes from f->first on, several at a call. */
static void fetch_block_leaves(const zk_fetch *f, const zk_source *s)
{
    enum { most = 16 };
    const zk_program *p = f->table->program;
    const double *from[ZK_LEAF_KINDS] = {&s->time,        s->position, s->velocity,
                                         s->acceleration, s->value,    s->measure};
    const zk_wire *w = f->table->wires, *end = w + p->leaf_at[ZK_LEAF_KINDS];
    while (w < end) {
        zk_gather list[most];
        int32_t count = 0;
        for (; count < most && w < end; w++) list[count++] = gather_of(f, w, from[w->kind]);
        f->lanes->gather(list, count, f->groups);
    }
}

/* Group by group, each in the same registers. */
static void evaluate_block_by_byte_code(zk_fetch *f, const zk_source *source, double *out)
{
    const zk_program *p = f->table->program;
    int32_t width = f->groups.width;
    int at = zk_lane_index(width);
    size_t bytes = (size_t)width * sizeof(double);
    f->lanes->set_constants[at](p, f->to);
    for (f->first = 0; f->first < f->count; f->first += width) {
        fetch_block_leaves(f, source);
        f->lanes->execute[at](p, f->to);
        for (int32_t o = 0; o < p->output_count; o++)
            memcpy(out + (size_t)o * (size_t)width, f->to + (size_t)p->outputs[o] * (size_t)width,
                   bytes);
        out += out_step(f->table, width);
    }
}

/* The frame moves on to the entries and outputs of the next group. */
static inline void advance_frame(zk_frame *frame, size_t step, size_t out)
{
    frame->time += step;
    frame->position += step;
    frame->velocity += step;
    frame->acceleration += step;
    frame->value += step;
    frame->measure += step;
    frame->out += out;
}

/* All leaves of the block first, as frames one behind the other; then group by group. */
static void evaluate_block_by_machine_code(zk_fetch *f, zk_entry entry, const zk_source *source,
                                           double *out)
{
    const zk_lane_table *t = f->table;
    size_t width = (size_t)t->width, step = frame_step(t, t->width);
    double *workspace = f->to, *x = workspace + zk_workspace(t->program) * width;
    f->where = TO_FRAME;
    f->groups.groups = (f->count - 1) / t->width + 1;
    f->groups.step = step;
    f->to = x;
    fetch_block_leaves(f, source);
    zk_frame frame = {.time = x,
                      .position = x + (size_t)t->slot_at[1] * width,
                      .velocity = x + (size_t)t->slot_at[2] * width,
                      .acceleration = x + (size_t)t->slot_at[3] * width,
                      .value = x + (size_t)t->slot_at[4] * width,
                      .measure = x + (size_t)t->slot_at[5] * width,
                      .out = out,
                      .workspace = workspace};
    for (int32_t g = 0; g < f->groups.groups; g++) {
        if (g > 0) advance_frame(&frame, step, out_step(t, t->width));
        entry(&frame);
    }
}

/* The last block may have fewer instances: the lanes beyond are those of its last one. */
void zk_evaluate_block(const zk_lane_table *table, const zk_source *source, int32_t k,
                       double *workspace, double *out, zk_block *block)
{
    zk_entry entry = zk_entry_of(table->program, table->width, source->evaluator);
    int32_t first = k * ZK_BLOCK, count = table->count - first;
    if (count > ZK_BLOCK) count = ZK_BLOCK;
    int32_t width = entry ? table->width : byte_code_width(table->program, count);
    *block =
        (zk_block){.first = first, .count = count, .width = width, .step = out_step(table, width)};
    zk_fetch f = {.table = table,
                  .lanes = zk_lanes_for(width),
                  .strides = table->strides + (size_t)k * (size_t)table->argument_count,
                  .count = count,
                  .groups = {.groups = 1, .width = width},
                  .to = workspace};
    if (entry)
        evaluate_block_by_machine_code(&f, entry, source, out);
    else
        evaluate_block_by_byte_code(&f, source, out);
}

int32_t zk_block_count(const zk_lane_table *table)
{
    return table->blocks;
}
