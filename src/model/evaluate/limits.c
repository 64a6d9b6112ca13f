/*
 * How much work and memory a model may take to build, so that no text, however small, takes the
 * machine. Work is counted in steps, an expression, a node or a pass of a loop each some; what comes
 * of it is counted as well, and steps that make nothing are fewer than those that make a large model.
 * Memory is what the context holds more than before.
 *
 * A loop says how many passes it has. After some of them it is clear what the rest will take, and one
 * that goes far beyond a limit is refused then, not when it gets there.
 *
 * Once a limit was met everything unwinds: e->limits.stopped stays set, and nothing more is reported.
 */
#include "elaborate.h"

#include <string.h>

/* A loop is judged only by passes that took as many steps or bytes as that, and carefully before it
 * has had some: the first may be others than the rest. */
enum { SURE_PASSES = 8, LOOK_STEPS = 10000000, LOOK_BYTES = 1 << 25 };

/* Arrays of no more elements are not looked at; what an element takes with its node. */
enum { FEW_ELEMENTS = 16, ELEMENT_BYTES = 64 };

/* ---------------------------------------------------------------------- messages */

static const char *const multiply = "loops inside loops, or functions of functions, multiply";

static void report_steps(zm_elab *e, zl_place place)
{
    const zm_limits *l = &e->limits;
    if (l->steps > l->step_limit)
        ZM_ERROR(e, "E0316", place, multiply, "the model takes more than %lld steps to build",
                 (long long)l->step_limit);
    else
        ZM_ERROR(e, "E0316", place, multiply,
                 "the model takes more than %lld steps to build, and little comes of them",
                 (long long)l->allowed);
    e->limits.stopped = true;
}

static void report_bytes(zm_elab *e, zl_place place)
{
    ZM_ERROR(e, "E0319", place,
             "loops inside loops, or parts inside parts, multiply; --max-memory=SIZE allows more",
             "the model takes more than the %.4g MB of memory that it may to be built",
             (double)e->limits.memory_limit / 1e6);
    e->limits.stopped = true;
}

/* ---------------------------------------------------------------------- counting */

static size_t find_bytes_held(const zm_elab *e)
{
    return e->memory->held > e->limits.held ? e->memory->held - e->limits.held : 0;
}

/* Nodes are work where the pool grows; what is made again in its room is not counted twice. */
bool zm_count_steps(zm_elab *e, zl_place place, int64_t steps)
{
    zm_limits *l = &e->limits;
    l->steps += steps;
    if (e->world->count > l->nodes) {
        l->steps += (int64_t)ZM_NODE_STEPS * (e->world->count - l->nodes);
        l->nodes = e->world->count;
    }
    if (l->stopped) return true;
    if (l->steps > l->allowed)
        report_steps(e, place);
    else if (find_bytes_held(e) > l->memory_limit)
        report_bytes(e, place);
    return l->stopped;
}

/* So many steps more may be taken. */
static int64_t allow_for(const zm_limits *l, double made)
{
    double more = (double)l->allowed + ZM_MADE_STEPS * made;
    return more < (double)l->step_limit ? (int64_t)more : l->step_limit;
}

void zm_count_made(zm_elab *e, int64_t count)
{
    e->limits.allowed = allow_for(&e->limits, (double)count);
    e->limits.made += count;
}

/* Few elements are part of the work of the expression they come from. Most are new nodes. */
void zm_count_elements(zm_elab *e, int64_t count)
{
    zm_limits *l = &e->limits;
    if (count <= FEW_ELEMENTS || l->stopped) return;
    size_t held = find_bytes_held(e);
    size_t room = held < l->memory_limit ? l->memory_limit - held : 0;
    if ((size_t)count > room / ELEMENT_BYTES) report_bytes(e, l->place);
    if (!l->stopped && !zm_count_steps(e, l->place, ZM_NODE_STEPS * count)) return;
    l->given_up = true;
    longjmp(*e->b->escape, 1);
}

/* ------------------------------------------------------------------------- loops */

/* Refuses at once a range whose passes alone are more than the steps that are left. */
bool zm_range_fits(zm_elab *e, const zl_expr *low, const zl_expr *high, int64_t passes)
{
    if (passes <= (e->limits.step_limit - e->limits.steps) / ZM_PASS_STEPS) return true;
    if (e->limits.stopped) return false;
    zl_place place = low->place;
    if (high->place.source == place.source && high->place.at > place.at)
        place.length = high->place.at + high->place.length - place.at;
    ZM_ERROR(e, "E0316", place, multiply,
             "this range has %lld passes, more than the model may take to build",
             (long long)passes);
    e->limits.stopped = true;
    return false;
}

void zm_begin_loop(zm_elab *e, zm_loop *loop, zl_place place, int64_t passes)
{
    *loop = (zm_loop){.place = place,
                      .passes = passes,
                      .look = 1,
                      .steps = e->limits.steps,
                      .made = e->limits.made,
                      .held = e->memory->held,
                      .outer = e->limits.loop};
    e->limits.loop = loop;
}

void zm_end_loop(zm_elab *e, const zm_loop *loop)
{
    e->limits.loop = loop->outer;
}

/* How many times the limit the passes must be going to take to be refused: twice, for the first of
 * two loops may run as far as the second lets it; more where only a few have been seen. */
static double far_beyond(const zm_loop *loop)
{
    if (loop->even) return 1.0;
    return loop->done < SURE_PASSES ? 16.0 / (double)loop->done : 2.0;
}

static bool refuse_passes(zm_elab *e, const zm_loop *loop, int64_t done, double steps)
{
    ZM_ERROR(e, "E0316", loop->place, multiply,
             "%lld passes like the first %lld would take about %.2g steps to build",
             (long long)loop->passes, (long long)done, steps);
    return true;
}

/* Whether the passes that are left will take the steps far beyond what is allowed, if they are like
 * those until now; or those of the loops around it, if every pass takes what this loop will. */
static bool will_pass_limit(zm_elab *e, const zm_loop *loop)
{
    const zm_limits *l = &e->limits;
    double left = (double)(loop->passes - loop->done), done = (double)loop->done;
    double took = (double)(l->steps - loop->steps), made = (double)(l->made - loop->made);
    double steps = (double)l->steps + took / done * left;
    if (took < LOOK_STEPS) return false;
    if (steps > far_beyond(loop) * (double)allow_for(l, made / done * left))
        return refuse_passes(e, loop, loop->done, steps);
    double whole = took / done * (double)loop->passes;
    for (const zm_loop *o = loop->outer; o; o = o->outer) {
        whole *= (double)(o->passes - o->done + 1);
        if (whole > 4 * SURE_PASSES * (double)l->step_limit)
            return refuse_passes(e, o, o->done, whole);
    }
    return false;
}

/* The same of memory, where the context has a budget also of that. */
static bool will_pass_memory(zm_elab *e, const zm_loop *loop)
{
    size_t held = e->memory->held, room = e->limits.memory_limit;
    if (held <= loop->held || held - loop->held < LOOK_BYTES) return false;
    if (e->memory->budget > 0 && room > e->memory->budget) room = e->memory->budget;
    double left = (double)(loop->passes - loop->done), took = (double)(held - loop->held);
    double bytes = (double)find_bytes_held(e) + took / (double)loop->done * left;
    if (bytes <= far_beyond(loop) * (double)room) return false;
    ZM_ERROR(e, "E0319", loop->place, "make the model smaller, or allow more: --max-memory=SIZE",
             "%lld passes like the first %lld would take about %.2g MB of memory, of %.4g",
             (long long)loop->passes, (long long)loop->done, bytes / 1e6, (double)room / 1e6);
    return true;
}

/* Judged after 1, 2, 4 passes and so on. */
bool zm_begin_pass(zm_elab *e, zm_loop *loop)
{
    if (e->limits.stopped || zm_count_steps(e, loop->place, ZM_PASS_STEPS)) return false;
    if (loop->done == loop->look) {
        loop->look *= 2;
        if (will_pass_limit(e, loop) || will_pass_memory(e, loop)) e->limits.stopped = true;
    }
    loop->done++;
    return !e->limits.stopped;
}

/* ------------------------------------------------------------------- giving back */

zm_scratch_mark zm_mark_scratch(const zm_elab *e)
{
    return (zm_scratch_mark){zb_arena_mark(&e->scratch), e->kept};
}

/* The elements wait in e->moved while their memory is given back. */
void zm_give_back(zm_elab *e, const zm_scratch_mark *mark, zm_value *stays)
{
    if (e->kept != mark->kept) return;
    int32_t count = stays->kind == ZM_VAL_ITEMS ? zm_size(stays) : 0;
    if (count > 0) {
        e->moved.count = 0;
        if (!zb_array_reserve(e->memory, &e->moved, count)) zm_out_of_memory(e);
        memcpy(e->moved.data, stays->items, (size_t)count * sizeof(zx_node));
    }
    zb_arena_release(&e->scratch, mark->scratch);
    if (stays->kind != ZM_VAL_ITEMS) return;
    stays->items = ZB_NEW_ARRAY(&e->scratch, zx_node, count);
    if (count > 0) memcpy(stays->items, e->moved.data, (size_t)count * sizeof(zx_node));
}
