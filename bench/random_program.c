/*
 * Random arithmetic; see random_program.h.
 */
#include "random_program.h"

#include <stdlib.h>
#include <time.h>

static uint64_t next(uint64_t *state)
{
    return zb_hash_scramble(*state += UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t state = 42;

static int32_t below(int32_t limit)
{
    return (int32_t)(next(&state) % (uint64_t)limit);
}

double random_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double random_median(double *times)
{
    qsort(times, RANDOM_REPEATS, sizeof *times, compare);
    return times[RANDOM_REPEATS / 2];
}

void *random_allocate(size_t count, size_t size)
{
    void *block = aligned_alloc(64, (count * size + 127) & ~(size_t)63);
    if (!block) exit(1);
    return block;
}

/* One of the sums so far, mostly a late one. */
static zx_node pick(const random_program *p)
{
    int32_t n = p->term_count;
    int32_t at = below(4) == 0 || n < 200 ? below(n) : n - 1 - below(100 + n / 4);
    p->used[p->terms[at]] = true;
    return p->terms[at];
}

static zx_node add(random_program *p, zx_op op, zx_node a, zx_node b)
{
    zx_node node = zx_intern(&p->pool, &(zx_item){.op = (int32_t)op, .a = a, .b = b});
    p->values[node] = zx_apply(op, p->values[a], p->values[b], 0.0);
    return node;
}

/* A sum of products as in multibody programs: of ten steps four are a*b + c*d, three a*b + c, two
 * a*b, one a + b. Values that become large or small are outputs. */
static void grow(random_program *p)
{
    int32_t kind = below(10);
    zx_op op = below(2) ? ZX_ADD : ZX_SUB;
    zx_node x = pick(p), y = pick(p);
    if (kind < 9) x = add(p, ZX_MUL, x, pick(p));
    if (kind < 4) y = add(p, ZX_MUL, y, pick(p));
    if (kind < 7 || kind == 9) x = add(p, op, x, y);
    if (zb_abs(p->values[x]) < 1e2 && zb_abs(p->values[x]) > 1e-2)
        p->terms[p->term_count++] = x;
    else
        p->roots[p->root_count++] = x;
}

void random_make(random_program *p, int32_t operations)
{
    zb_memory_init(&p->memory, NULL);
    if (setjmp(p->escape)) exit(1);
    zx_pool_init(&p->pool, &p->memory, &p->escape, false);
    size_t most = (size_t)operations + RANDOM_LEAVES + 4;
    p->values = random_allocate(most, sizeof(double));
    p->used = random_allocate(most, sizeof(bool));
    p->roots = random_allocate(most, sizeof(zx_node));
    p->terms = random_allocate(most, sizeof(zx_node));
    p->root_count = p->term_count = 0;
    for (size_t i = 0; i < most; i++) p->used[i] = false;
    for (int32_t i = 0; i < RANDOM_LEAVES; i++) {
        p->position[i] = 0.5 + 0.05 * (double)i;
        p->terms[p->term_count++] = zx_leaf(&p->pool, ZX_POSITION, i);
        p->values[p->terms[i]] = p->position[i];
    }
    while (p->pool.count < operations + RANDOM_LEAVES) grow(p);
    for (int32_t i = RANDOM_LEAVES; i < p->term_count; i++)
        if (!p->used[p->terms[i]]) p->roots[p->root_count++] = p->terms[i];
}

void random_drop(random_program *p)
{
    free(p->values), free(p->used), free(p->roots), free(p->terms);
    zx_pool_free(&p->pool);
}
