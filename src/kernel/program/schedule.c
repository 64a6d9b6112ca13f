/*
 * The order of instructions, in batches of one opcode: the machine decides once a batch what to do.
 * Of the instructions whose operands are there, the opcode with most is taken (of equals the first
 * in the list of opcodes) and all of its instructions come next, those included that become ready
 * meanwhile. So that values do not live for long, this is done for one window of the list after
 * the other; every instruction of a window comes before those of the next.
 *
 * Ready instructions of an opcode wait in a queue, first come first served, so the same code gives
 * the same order everywhere.
 */
#include "compiler.h"

typedef struct queue {
    int32_t head, tail, count; /* head is -1 when empty */
} queue;

typedef struct scheduler {
    zk_compiler *c;
    int32_t *producer; /* [values] the instruction that gives it, -1: constant or leaf */
    int32_t *waits;    /* [code] operands not there yet */
    int32_t *users;    /* [code] first of the list of operand places that use its results */
    int32_t *next_use; /* [4 code] the list on: place 4 i + k is operand k of instruction i */
    int32_t *next;     /* [code] the queues */
    queue ready[ZK_OPCODE_COUNT];
    zk_instruction *order; /* [code] the new list */
    int32_t done;
} scheduler;

/* Instruction i, whose operands are there, joins the queue of its opcode. */
static void enqueue_ready(scheduler *s, int32_t i)
{
    queue *q = &s->ready[s->c->code[i].opcode];
    s->next[i] = -1;
    if (q->count++ == 0)
        q->head = i;
    else
        s->next[q->tail] = i;
    q->tail = i;
}

/* Makes instruction i wait for its operands that are made in the window from `start` on. */
static void await_operands(scheduler *s, int32_t i, int32_t start)
{
    const zk_instruction *at = &s->c->code[i];
    for (int k = 0; k < 4 && at->from[k] >= 0; k++) {
        int32_t producer = s->producer[at->from[k]];
        if (producer < start) continue;
        s->waits[i]++;
        s->next_use[4 * i + k] = s->users[producer];
        s->users[producer] = 4 * i + k;
    }
}

/* Of the opcodes with instructions ready, the one with most. */
static int32_t find_fullest_queue(const scheduler *s)
{
    int32_t best = 0;
    for (int32_t o = 1; o < ZK_OPCODE_COUNT; o++)
        if (s->ready[o].count > s->ready[best].count) best = o;
    return best;
}

/* All instructions of an opcode that are ready, or become so meanwhile, come next: one batch, or
 * more of the last one. */
static void schedule_queue(scheduler *s, int32_t opcode)
{
    queue *q = &s->ready[opcode];
    int32_t count = 0;
    for (int32_t i = q->head; i >= 0; i = s->next[i]) {
        s->order[s->done++] = s->c->code[i];
        count++;
        for (int32_t use = s->users[i]; use >= 0; use = s->next_use[use])
            if (--s->waits[use / 4] == 0) enqueue_ready(s, use / 4);
    }
    *q = (queue){.head = -1, .tail = -1};
    zk_compiler *c = s->c;
    if (c->batch_count > 0 && c->batches[c->batch_count - 1].opcode == opcode)
        c->batches[c->batch_count - 1].count += count;
    else
        c->batches[c->batch_count++] = (zk_batch){.opcode = opcode, .count = count};
}

/* Orders the instructions from `start` to `end`. */
static void schedule_window(scheduler *s, int32_t start, int32_t end)
{
    for (int32_t i = start; i < end; i++) {
        s->users[i] = -1;
        await_operands(s, i, start);
        if (s->waits[i] == 0) enqueue_ready(s, i);
    }
    while (s->done < end) schedule_queue(s, find_fullest_queue(s));
}

/* Window by window; the new list replaces the old one. */
void zk_schedule(zk_compiler *c)
{
    int32_t n = c->code_count, window = c->options.window;
    scheduler s = {.c = c};
    s.producer = ZB_NEW_ARRAY(&c->arena, int32_t, c->value_count);
    s.waits = ZB_NEW_ARRAY(&c->arena, int32_t, n);
    s.users = ZB_NEW_ARRAY(&c->arena, int32_t, n);
    s.next_use = ZB_NEW_ARRAY(&c->arena, int32_t, 4 * (int64_t)n);
    s.next = ZB_NEW_ARRAY(&c->arena, int32_t, n);
    s.order = ZB_NEW_ARRAY(&c->arena, zk_instruction, n);
    c->batches = ZB_NEW_ARRAY(&c->arena, zk_batch, n);
    for (int32_t v = 0; v < c->value_count; v++) s.producer[v] = -1;
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < 2 && c->code[i].to[k] >= 0; k++) s.producer[c->code[i].to[k]] = i;
    for (int32_t o = 0; o < ZK_OPCODE_COUNT; o++) s.ready[o] = (queue){.head = -1, .tail = -1};
    for (int32_t start = 0; start < n; start = s.done)
        schedule_window(&s, start, n - start < window ? n : start + window);
    c->code = s.order;
}
