/*
 * The rows between parts: a matrix of their own, to which every part has a share.
 *
 *     part a: rows 3, 7      S[3,3] S[7,3] S[7,7]                   ┐
 *     part b: rows 7, 12                   S[7,7] S[12,7] S[12,12]  ┴▶ S[7,7]: sum of two shares
 *
 * They are numbered in the order of the parts that own them, so that neighbours stay neighbours.
 * The pattern is that of all pairs which some part has; a gather-sum puts the shares where the
 * matrix wants its inputs, always in the order of the parts.
 */
#include <string.h>

#include "plan_parts.h"

typedef struct builder {
    ze_parts_plan *plan;
    const ze_parts *p;
    zb_arena scratch;
    int32_t *number; /* [m] among the rows between, -1 */
    int32_t *index;  /* [parts] where a part stands in its class */
    int32_t *class_of;
    int64_t pairs; /* of all parts */
} builder;

/* The outer rows of a part. */
static const int32_t *outer_rows(const builder *b, int32_t part)
{
    const ze_part_counts *s = &b->plan->classes[b->class_of[part]].counts;
    return ze_part_numbers(b->p, part) + s->own + s->halo + s->inner;
}

/* Finds the class of every part and the place there, and numbers the rows between by the parts that
 * own them. */
static zw_status number_rows_between(builder *b)
{
    ze_parts_plan *plan = b->plan;
    b->number = ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)plan->m + 1);
    b->index = ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)b->p->count + 1);
    b->class_of = ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)b->p->count + 1);
    if (b->scratch.failure != ZW_OK) return b->scratch.failure;
    for (int32_t i = 0; i < plan->m; i++) b->number[i] = -1;
    for (int32_t k = 0; k < b->p->count; k++) b->class_of[k] = -1;
    for (int32_t c = 0; c < plan->class_count; c++)
        for (int32_t k = 0; k < plan->classes[c].parts; k++) {
            b->class_of[plan->classes[c].part[k]] = c;
            b->index[plan->classes[c].part[k]] = k;
            b->pairs += plan->classes[c].programs.pair_count;
        }
    for (int32_t k = 0; k < b->p->count; k++) {
        if (b->class_of[k] < 0) continue;
        const int32_t *row = outer_rows(b, k);
        for (int32_t o = 0; o < plan->classes[b->class_of[k]].counts.owned; o++)
            b->number[row[o]] = plan->between++;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ pattern */

/* Row and column of a pair of a part, row >= column. */
static void rows_of_pair(const builder *b, int32_t part, int32_t pair, int32_t *row,
                         int32_t *column)
{
    const ze_class *c = &b->plan->classes[b->class_of[part]];
    const int32_t *rows = outer_rows(b, part);
    int32_t i = b->number[rows[c->programs.pairs[pair].row]];
    int32_t j = b->number[rows[c->programs.pairs[pair].column]];
    *row = i > j ? i : j;
    *column = i > j ? j : i;
}

/* Sorts x [count] and drops what is twice; returns how many are left. Few numbers, nearly in
 * order. */
static int32_t sort_unique(int32_t *x, int32_t count)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t value = x[i], j = kept;
        while (j > 0 && x[j - 1] > value) j--;
        if (j > 0 && x[j - 1] == value) continue;
        memmove(x + j + 1, x + j, sizeof *x * (size_t)(kept - j));
        x[j] = value;
        kept++;
    }
    return kept;
}

/* The lower triangle of the matrix of the rows between: every pair of rows that some part has, in
 * two passes, counting and writing; then sorted row by row. */
static zw_status make_between_pattern(builder *b)
{
    ze_parts_plan *plan = b->plan;
    size_t rows = (size_t)plan->between;
    int32_t *first = ZB_NEW_ARRAY(&b->scratch, int32_t, rows + 2);
    int32_t *list = ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)b->pairs + 1);
    int32_t *start = ZB_NEW_ARRAY(&plan->arena, int32_t, rows + 1), i, j;
    if (b->scratch.failure != ZW_OK) return b->scratch.failure;
    if (!start) return plan->arena.failure;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < b->p->count; k++) {
            int32_t pairs =
                b->class_of[k] < 0 ? 0 : plan->classes[b->class_of[k]].programs.pair_count;
            for (int32_t e = 0; e < pairs; e++) {
                rows_of_pair(b, k, e, &i, &j);
                if (pass == 0)
                    first[i + 2]++;
                else
                    list[first[i + 1]++] = j;
            }
        }
        for (size_t r = 0; r < rows && pass == 0; r++) first[r + 2] += first[r + 1];
    }
    for (size_t r = 0; r < rows; r++)
        start[r + 1] = start[r] + sort_unique(list + first[r], first[r + 1] - first[r]);
    int32_t *index = ZB_NEW_ARRAY(&plan->arena, int32_t, (size_t)start[rows] + 1);
    if (!index) return plan->arena.failure;
    for (size_t r = 0; r < rows; r++)
        memcpy(index + start[r], list + first[r],
               sizeof *index * (size_t)(start[r + 1] - start[r]));
    plan->pattern = (za_symmetric){.n = plan->between, .start = start, .index = index};
    return ZW_OK;
}

/* Which entry of the pattern (row, column) is, by bisection; it is there. */
static int32_t find_entry(const za_symmetric *x, int32_t row, int32_t column)
{
    int32_t low = x->start[row], high = x->start[row + 1] - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (x->index[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ------------------------------------------------------------------------- shares */

/* Where a slot of the shares of a part is. */
static int32_t place_of_share(const builder *b, int32_t part, int32_t slot)
{
    const ze_class *c = &b->plan->classes[b->class_of[part]];
    int32_t width = b->plan->width, k = b->index[part];
    return c->out_at + ((k / width) * c->out_step + slot) * width + k % width;
}

/* All pairs (place, share), part by part: entries with right sides, sizes, right sides of
 * corrections. */
static void list_shares(const builder *b, ze_gather_pair *entries, ze_gather_pair *sizes,
                        ze_gather_pair *rights)
{
    const ze_parts_plan *plan = b->plan;
    const int32_t *entry_place = ze_matrix_entry_places(plan->matrix);
    const int32_t *right_place = ze_matrix_right_places(plan->matrix);
    for (int32_t k = 0; k < b->p->count; k++) {
        if (b->class_of[k] < 0) continue;
        const ze_class *c = &plan->classes[b->class_of[k]];
        const int32_t *rows = outer_rows(b, k);
        for (int32_t e = 0; e < c->programs.pair_count; e++) {
            int32_t i, j;
            rows_of_pair(b, k, e, &i, &j);
            *entries++ = (ze_gather_pair){entry_place[find_entry(&plan->pattern, i, j)],
                                          place_of_share(b, k, e)};
        }
        for (int32_t o = 0; o < c->outer; o++) {
            int32_t row = b->number[rows[o]];
            *entries++ =
                (ze_gather_pair){right_place[row], place_of_share(b, k, ze_right_at(c) + o)};
            *sizes++ = (ze_gather_pair){row, place_of_share(b, k, ze_size_at(c) + o)};
            int32_t of_correction = ze_carried_at(c) + c->counts.inner + o;
            *rights++ = (ze_gather_pair){right_place[row], place_of_share(b, k, of_correction)};
        }
    }
}

/* The tables by which shares are summed. Those of corrections only where rows are dependent. */
static zw_status make_share_gathers(builder *b)
{
    ze_parts_plan *plan = b->plan;
    int64_t outer = 0;
    for (int32_t c = 0; c < plan->class_count; c++)
        outer += (int64_t)plan->classes[c].parts * plan->classes[c].outer;
    ze_gather_pair *entries =
        ZB_NEW_ARRAY(&b->scratch, ze_gather_pair, (size_t)(b->pairs + outer) + 1);
    ze_gather_pair *sizes = ZB_NEW_ARRAY(&b->scratch, ze_gather_pair, (size_t)outer + 1);
    ze_gather_pair *rights = ZB_NEW_ARRAY(&b->scratch, ze_gather_pair, (size_t)outer + 1);
    if (b->scratch.failure != ZW_OK) return b->scratch.failure;
    list_shares(b, entries, sizes, rights);
    zb_arena work;
    zb_arena_init(&work, plan->memory, 0);
    zw_status status = ze_gather_make(&plan->arena, &work, entries, b->pairs + outer,
                                      ze_matrix_input_count(plan->matrix), &plan->entries);
    if (status == ZW_OK)
        status = ze_gather_make(&plan->arena, &work, sizes, outer, plan->between, &plan->sizes);
    if (status == ZW_OK && plan->dependent)
        status = ze_gather_make(&plan->arena, &work, rights, outer,
                                ze_matrix_input_count(plan->matrix), &plan->rights);
    zb_arena_clear(&work);
    return status;
}

/* ------------------------------------------------------------------------- places */

/* Where parts find the multipliers of their outer rows; the last group repeats
 * its last part. */
static zw_status place_answers(builder *b)
{
    ze_parts_plan *plan = b->plan;
    const int32_t *answer = ze_matrix_answer_places(plan->matrix);
    for (int32_t c = 0; c < plan->class_count; c++) {
        ze_class *x = &plan->classes[c];
        size_t count = (size_t)x->groups * (size_t)x->outer * (size_t)plan->width;
        x->outside = ZB_NEW_ARRAY(&plan->arena, int32_t, count + 1);
        if (!x->outside) return plan->arena.failure;
        for (int32_t k = 0; k < x->groups * plan->width; k++) {
            const int32_t *row = outer_rows(b, x->part[k < x->parts ? k : x->parts - 1]);
            for (int32_t o = 0; o < x->outer; o++)
                x->outside[(k / plan->width * x->outer + o) * plan->width + k % plan->width] =
                    answer[b->number[row[o]]];
        }
    }
    for (int32_t i = 0; i < plan->m; i++)
        if (b->number[i] >= 0) plan->row_place[i] = ~answer[b->number[i]];
    return ZW_OK;
}

/* All of it in order; where no row is between, nothing but the numbering. */
static zw_status plan_rows_between(builder *b)
{
    ze_parts_plan *plan = b->plan;
    ZB_TRY(number_rows_between(b));
    if (plan->between == 0) return ZW_OK;
    ZB_TRY(make_between_pattern(b));
    ZB_TRY(ze_matrix_plan(plan->memory, &plan->pattern, plan->width, 0.0, &plan->matrix));
    ZB_TRY(make_share_gathers(b));
    ZB_TRY(place_answers(b));
    size_t rows = (size_t)plan->between;
    plan->size_of = ZB_NEW_ARRAY(&plan->arena, double, rows);
    plan->diagonal = ZB_NEW_ARRAY(&plan->arena, int32_t, rows);
    plan->outer =
        ZB_NEW_ARRAY(&plan->arena, double, (size_t)ze_matrix_answer_count(plan->matrix) + 1);
    if (plan->arena.failure != ZW_OK) return plan->arena.failure;
    for (int32_t i = 0; i < plan->between; i++)
        plan->diagonal[i] = ze_matrix_entry_places(plan->matrix)[plan->pattern.start[i + 1] - 1];
    return ZW_OK;
}

/* Scratch goes; tables stay in the arena of the plan. */
zw_status ze_plan_between(ze_parts_plan *plan, const ze_parts *parts)
{
    builder b = {.plan = plan, .p = parts};
    zb_arena_init(&b.scratch, plan->memory, 0);
    zw_status status = plan_rows_between(&b);
    zb_arena_clear(&b.scratch);
    return status;
}
