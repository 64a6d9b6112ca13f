/*
 * Which programs of a model are evaluated as machine code, and what is said about it.
 *
 * The first run that may use machine code makes it for everything that runs evaluate again and
 * again; it stays with the model, and every later run finds it there. A program without machine
 * code, whatever the reason, is evaluated as byte code with the same bits, so nothing here can
 * fail: the reason is kept for the statistics, and told (W0716) to those who asked for machine
 * code.
 *
 * Evaluated in lanes, 4 or 8 states or instances at once, are the fused programs, for the members
 * of a crowd, and those of families of many instances.
 */
#include "programs.h"
#include "road_parts.h"
#include "run.h"

enum {
    most_instructions = 2000000, /* beyond it a run must be long to win the time back: only on
                                    demand */
    width_count = 3
};

static const int32_t widths[width_count] = {1, 4, 8};

/* NULL: there is no such width. */
static zr_native *find_code_of_width(zw_model *model, int32_t width)
{
    for (int k = 0; k < width_count; k++)
        if (widths[k] == width) return &model->native[k];
    return NULL;
}

/* -------------------------------------------------------------------------- making */

/* Of programs that are evaluated often: all at a width of 1; in lanes the fused ones and those of
 * families with enough instances. */
static bool is_program_wanted(const zw_model *model, const zr_listed *p, int32_t width)
{
    if (!p->often) return false;
    if (width == 1 || p->fused) return true;
    return p->family >= 0 && model->zm->families[p->family].count >= width;
}

/* The programs that are wanted, from the list of all; their number and instructions. */
static int32_t choose_programs(const zw_model *model, int32_t width, const zr_listed *list,
                               int32_t count, zk_program **chosen, int64_t *instructions)
{
    int32_t found = 0;
    *instructions = 0;
    for (int32_t i = 0; i < count; i++) {
        zk_statistics s;
        if (!is_program_wanted(model, &list[i], width)) continue;
        zk_statistics_of(list[i].code, &s);
        *instructions += s.instructions;
        chosen[found++] = list[i].code;
    }
    return found;
}

/* n->native and n->report, and whether it was made or is not worth it. Scratch is freed in any
 * case. */
static zr_made make_code_of_width(zw_model *model, zw_kernel kernel, int32_t width, zr_native *n)
{
    zb_memory *memory = &model->context->memory;
    int32_t count = zr_list_programs(model, NULL);
    int64_t instructions = 0;
    zr_made made = ZR_MADE;
    zb_arena arena;
    zb_arena_init(&arena, memory, 0);
    zr_listed *list = ZB_NEW_ARRAY(&arena, zr_listed, (size_t)count);
    zk_program **chosen = ZB_NEW_ARRAY(&arena, zk_program *, (size_t)count);
    n->report = (zk_native_report){.state = ZK_NATIVE_MEMORY};
    if (arena.failure == ZW_OK) {
        (void)zr_list_programs(model, list);
        n->wanted = choose_programs(model, width, list, count, chosen, &instructions);
        if (kernel == ZW_KERNEL_AUTO && instructions > most_instructions) made = ZR_NOT_WORTH_IT;
        if (made == ZR_MADE)
            zk_make_native(memory, chosen, n->wanted, width, &n->native, &n->report);
    }
    zb_arena_clear(&arena);
    return made;
}

/* What was made, or has failed, is not tried again; what was not worth it is, on demand. */
void zr_make_machine_code(zw_model *model, const zw_run_settings *settings, int32_t width)
{
    zr_native *n = find_code_of_width(model, width);
    zw_kernel kernel = settings->kernel;
    if (!n || kernel == ZW_KERNEL_BYTECODE || n->made == ZR_MADE) return;
    if (n->made == ZR_NOT_WORTH_IT && kernel == ZW_KERNEL_AUTO) return;
    n->made = make_code_of_width(model, kernel, width, n);
}

/* Machine code of one lane for everything; of many lanes where no fused program does all. */
void zr_sim_set_kernel(zw_sim *sim, zw_kernel kernel)
{
    zw_run_settings settings = {.kernel = kernel};
    /* simulations of an ensemble, in other threads, find it there */
    bool ours = sim->memory == &sim->model->context->memory;
    if (ours) zr_make_machine_code(sim->model, &settings, 1);
    if (ours && !sim->model->fused) zr_make_machine_code(sim->model, &settings, sim->model->lanes);
    if (kernel != ZW_KERNEL_BYTECODE) zr_parts_native(sim);
    sim->evaluator = kernel == ZW_KERNEL_BYTECODE ? ZK_BYTE_CODE : ZK_FASTEST;
}

/* --------------------------------------------------------------------- what is said */

/* Why a simulation does not use machine code of one lane, or that it does. */
static zk_native_state find_native_state(const zw_sim *sim)
{
    const zr_native *n = sim->model->native;
    zr_made made = n->made;
    if (sim->evaluator != ZK_FASTEST || made == ZR_NOT_MADE) return ZK_NATIVE_UNASKED;
    return made == ZR_MADE ? n->report.state : ZK_NATIVE_LARGE;
}

/* Of all widths together, and of the programs of equal parts. */
void zr_kernel_statistics(const zw_sim *sim, zw_run_statistics *stats)
{
    zk_native_state state = find_native_state(sim);
    bool native = state == ZK_NATIVE_READY;
    stats->kernel = native ? ZW_KERNEL_NATIVE : ZW_KERNEL_BYTECODE;
    stats->kernel_reason = native ? NULL : zk_native_sentence(state);
    stats->native_programs = 0;
    stats->native_bytes = 0;
    stats->native_seconds = 0.0;
    for (int k = 0; k < width_count; k++) {
        const zr_native *n = &sim->model->native[k];
        if (n->made != ZR_MADE) continue;
        stats->native_programs += n->report.programs;
        stats->native_bytes += n->report.bytes;
        stats->native_seconds += n->report.seconds;
    }
    if (!sim->solver->parts || !sim->solver->parts->native) return;
    stats->native_programs += sim->solver->parts->report.programs;
    stats->native_bytes += sim->solver->parts->report.bytes;
    stats->native_seconds += sim->solver->parts->report.seconds;
}

/* What helps against each reason. */
static const char *suggest_remedy(zk_native_state state)
{
    switch (state) {
    case ZK_NATIVE_FORBIDDEN:
        return "allow the process to make memory executable (SELinux, seccomp, "
               "MemoryDenyWriteExecute); the results are the same without it";
    case ZK_NATIVE_DIFFERS:
        return "the results are right, but please report it with the model and the processor";
    case ZK_NATIVE_MEMORY:
        return "give it more memory; the results are the same without it";
    default:
        return "the results are the same; --kernel auto takes byte code without a word";
    }
}

/* All programs of a run stay with byte code, or those that are too large. */
zw_status zr_tell_kernel(zw_sim *sim)
{
    const zr_native *n = sim->model->native;
    zk_native_state state = find_native_state(sim);
    bool some = state == ZK_NATIVE_READY;
    int32_t left = n->wanted - n->report.programs;
    if (sim->run->settings.kernel != ZW_KERNEL_NATIVE || (some && left <= 0)) return ZW_OK;
    if (some) state = ZK_NATIVE_LARGE;
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "machine code was asked for, but byte code is used");
    if (some) zb_text_printf(&text, " for %d of %d programs", (int)left, (int)n->wanted);
    zb_text_printf(&text, ": %s", zk_native_sentence(state));
    zr_message message = {.code = "W0716", .place = zr_nowhere, .help = suggest_remedy(state)};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}
