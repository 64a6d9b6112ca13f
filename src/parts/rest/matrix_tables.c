/*
 * Where everything is: the array of numbers, the array of answers, the places of entries and right
 * sides, the gather-sums from a step to the next.
 *
 *     numbers   | step 0 | pending 0 | step 1 | pending 1 | .. | rest | records 0 | records 1 | ..
 *     a step    [class][group][slot][lane]
 *     answers   | step 0 | step 1 | ... | rest
 *
 * Pending are entries and right sides between rows that a step leaves, to which its parts add
 * something; those to which nothing is added belong to the next matrix at once. The last group of a
 * class is filled up with identity rows; nothing is ever gathered from them.
 *
 * What is evaluated lives in the matrix's own arena; places of levels in the planner's.
 */
#include "costs.h"
#include "matrix_plan.h"

/* ------------------------------------------------------------------------ the array */

/* `count` numbers from *at on, rounded up to 64 bytes. More than 32 bits can count are too many. */
static int32_t take_places(ze_planner *p, int64_t *at, int64_t count)
{
    int64_t place = *at;
    *at += (count + 7) / 8 * 8;
    if (*at > INT32_MAX) ze_must(p, ZW_ERR_MEMORY);
    return (int32_t)place;
}

/* Entries and right sides of a level that wait for what its parts add. */
static int64_t count_pending(const ze_level *level, const ze_level *below)
{
    int64_t count = 0;
    for (int32_t k = 0; k < level->stay_count; k++) count += level->joined[level->to[k]];
    for (int32_t i = 0; i < below->x.n; i++) count += level->pushed[i];
    return count;
}

/* Where the numbers of every class, the pending ones, the rest and the records begin; takes the two
 * arrays. Returns where the pending numbers of each level begin: [count]. */
static int32_t *place_regions(ze_planner *p)
{
    ze_matrix *m = p->matrix;
    int32_t *pending = ZB_NEW_ARRAY(&p->arena, int32_t, p->count);
    const za_symmetric *rest = &p->levels[p->count - 1].x;
    int64_t at = 0, answers = 0;
    for (int32_t k = 0; k < m->step_count; k++) {
        for (int32_t c = 0; c < m->steps[k].class_count; c++) {
            ze_row_class *class = &m->steps[k].classes[c];
            int64_t groups = class->groups;
            class->inputs_at = take_places(p, &at, groups * ze_group_size(class->slots, m->width));
            class->answers_at =
                take_places(p, &answers, groups * ze_group_size(class->inner, m->width));
        }
        pending[k] = take_places(p, &at, count_pending(&p->levels[k], &p->levels[k + 1]));
    }
    m->rest.values_at = take_places(p, &at, rest->start[rest->n]);
    m->rest.right_at = take_places(p, &at, rest->n);
    m->rest.answers_at = take_places(p, &answers, rest->n);
    m->input_count = (int32_t)at;
    m->answer_count = (int32_t)answers;
    for (int32_t k = 0; k < m->step_count; k++) {
        for (int32_t c = 0; c < m->steps[k].class_count; c++) {
            ze_row_class *class = &m->steps[k].classes[c];
            class->records_at = take_places(
                p, &at, (int64_t) class->groups * ze_group_size(class->record, m->width));
        }
    }
    m->numbers = zb_arena_take(&m->arena, zb_product((size_t)at, sizeof(double)), 64);
    m->answers = zb_arena_take(&m->arena, zb_product((size_t)answers, sizeof(double)), 64);
    return pending;
}

/* --------------------------------------------------------------------------- places */

/* Place of slot `slot` of part `index` of a class whose numbers begin at `base` and whose parts
 * have `slots` each. */
static int32_t place_of_lane_slot(int32_t base, int32_t slots, int32_t width, int32_t index,
                                  int32_t slot)
{
    return base + index / width * ze_group_size(slots, width) + slot * width + index % width;
}

/* Takes the arrays of places of a level; those of the first one stay with the matrix. */
static void open_places(ze_planner *p, ze_level *level)
{
    zb_arena *arena = level == p->levels ? &p->matrix->arena : &p->arena;
    level->entry_place = ZB_NEW_ARRAY(arena, int32_t, level->x.start[level->x.n]);
    level->right_place = ZB_NEW_ARRAY(arena, int32_t, level->x.n);
    level->answer_place = ZB_NEW_ARRAY(arena, int32_t, level->x.n);
}

/* Entries, right sides and answers of the rest stand as its factor wants them. */
static void place_rest(ze_planner *p)
{
    ze_level *level = &p->levels[p->count - 1];
    const ze_rest *rest = &p->matrix->rest;
    open_places(p, level);
    for (int32_t e = 0; e < level->x.start[level->x.n]; e++)
        level->entry_place[e] = rest->values_at + e;
    for (int32_t i = 0; i < level->x.n; i++) {
        level->right_place[i] = rest->right_at + i;
        level->answer_place[i] = rest->answers_at + i;
    }
}

/* Places of what lies between rows that stay: those of the level below, or pending where parts add
 * to it. */
static void place_left(ze_level *level, const ze_level *below, int32_t pending)
{
    for (int32_t k = 0; k < level->stay_count; k++) {
        int32_t to = level->to[k];
        level->entry_place[level->from[k]] = level->joined[to] ? pending++ : below->entry_place[to];
    }
    for (int32_t k = 0; k < level->x.n; k++) {
        int32_t row = level->cut->row[k], to = level->next[row];
        if (to < 0) continue;
        level->right_place[row] = level->pushed[to] ? pending++ : below->right_place[to];
        level->answer_place[row] = below->answer_place[to];
    }
}

/* The input slot of the entry of two local rows, off the diagonal: [count * count]. */
static int32_t *slots_of(ze_planner *p, const ze_row_class *class)
{
    int32_t count = class->inner + class->outer;
    int32_t *slot = ZB_NEW_ARRAY(&p->scratch, int32_t, count * count);
    for (int32_t k = 0; k < class->entry_count; k++) {
        int32_t i = class->entries[k].row, j = class->entries[k].column;
        slot[i * count + j] = slot[j * count + i] = class->inner + k;
    }
    return slot;
}

/* Places of entries, right sides and answers of the rows inside part q. local [n] is scratch. */
static void place_part_rows(const ze_planner *p, ze_level *level, const ze_row_class *class,
                            int32_t q, const int32_t *slot, int32_t *local)
{
    const ze_graph *g = &level->graph;
    const int32_t *member = level->cut->members + level->cut->member_at[q];
    int32_t count = class->inner + class->outer, index = level->cut->index[q];
    for (int32_t a = 0; a < count; a++) local[member[a]] = a;
    for (int32_t a = 0; a < class->inner; a++) {
        int32_t row = member[a], base = class->inputs_at;
        level->entry_place[level->x.start[row + 1] - 1] =
            place_of_lane_slot(base, class->slots, p->width, index, a);
        level->right_place[row] = place_of_lane_slot(base, class->slots, p->width, index,
                                                     class->inner + class->entry_count + a);
        level->answer_place[row] =
            place_of_lane_slot(class->answers_at, class->inner, p->width, index, a);
        for (int32_t e = g->start[row]; e < g->start[row + 1]; e++)
            level->entry_place[level->entry[e]] = place_of_lane_slot(
                base, class->slots, p->width, index, slot[a * count + local[g->next[e]]]);
    }
}

/* Places of all rows inside parts. */
static void place_inside(ze_planner *p, ze_level *level, const ze_step *step)
{
    zb_mark mark = zb_arena_mark(&p->scratch);
    int32_t *slot[ze_most_row_classes], *local = ZB_NEW_ARRAY(&p->scratch, int32_t, level->x.n);
    for (int32_t c = 0; c < step->class_count; c++) slot[c] = slots_of(p, &step->classes[c]);
    for (int32_t q = 0; q < level->cut->parts; q++) {
        int32_t c = level->cut->class[q];
        if (c >= 0) place_part_rows(p, level, &step->classes[c], q, slot[c], local);
    }
    zb_arena_release(&p->scratch, mark);
}

/* Where the programs of back find x of the rows around. */
static void find_outer_answers(ze_planner *p, const ze_level *level, ze_step *step)
{
    for (int32_t c = 0; c < step->class_count; c++) {
        ze_row_class *class = &step->classes[c];
        class->outer_at = ZB_NEW_ARRAY(&p->matrix->arena, int32_t,
                                       (int64_t) class->groups * class->outer * p->width);
    }
    for (int32_t q = 0; q < level->cut->parts; q++) {
        if (level->cut->class[q] < 0) continue;
        const ze_row_class *class = &step->classes[level->cut->class[q]];
        const int32_t *outer = level->cut->members + level->cut->member_at[q] + class->inner;
        int32_t index = level->cut->index[q];
        int32_t *to = class->outer_at + (int64_t)(index / p->width) * class->outer * p->width;
        int32_t lane = index % p->width, end = index == class->count - 1 ? p->width : lane + 1;
        for (int32_t o = 0; o < class->outer; o++)
            for (int32_t l = lane; l < end; l++) /* the last one also for lanes without a part */
                to[o * p->width + l] = level->answer_place[outer[o]];
    }
}

/* Identity rows in the lanes of the last group that have no part. */
static void fill_lanes_with_identity(const ze_matrix *m, const ze_row_class *class)
{
    int32_t size_at = 2 * class->inner + class->entry_count;
    for (int32_t index = class->count; index < class->groups * m->width; index++) {
        for (int32_t i = 0; i < class->inner; i++) {
            m->numbers[place_of_lane_slot(class->inputs_at, class->slots, m->width, index, i)] =
                1.0;
            if (class->sized)
                m->numbers[place_of_lane_slot(class->inputs_at, class->slots, m->width, index,
                                              size_at + i)] = 1.0;
        }
    }
}

/* -------------------------------------------------------------------------- gathers */

typedef struct pairs {
    ze_gather_pair *list;
    int64_t count;
} pairs;

static void add_gather_pair(pairs *l, int32_t place, int32_t source)
{
    l->list[l->count++] = (ze_gather_pair){place, source};
}

/* Where the diagonal entry of a row of the first matrix is. */
static int32_t diagonal_place(const ze_planner *p, int32_t origin)
{
    const ze_level *first = &p->levels[0];
    return first->entry_place[first->x.start[origin + 1] - 1];
}

/* The sizes of the rows inside the parts of a step that is not the first. */
static void add_size_pairs(const ze_planner *p, const ze_level *level, const ze_step *step,
                           pairs *l)
{
    const ze_row_cut *cut = level->cut;
    for (int32_t q = 0; q < cut->parts; q++) {
        if (cut->class[q] < 0) continue;
        const ze_row_class *class = &step->classes[cut->class[q]];
        int32_t slot = 2 * class->inner + class->entry_count;
        for (int32_t a = 0; a < class->inner; a++)
            add_gather_pair(l,
                            place_of_lane_slot(class->inputs_at, class->slots, p->width,
                                               cut->index[q], slot + a),
                            diagonal_place(p, level->origin[cut->members[cut->member_at[q] + a]]));
    }
}

/* Entries of the level below: what was pending, then what each part says, in this order. Sizes come
 * along: like entries they change with a factor, not with a right side. */
static void add_entry_pairs(const ze_planner *p, int32_t k, pairs *l)
{
    const ze_level *level = &p->levels[k], *below = level + 1;
    const ze_row_cut *cut = level->cut;
    int32_t at = level->stay_count;
    for (int32_t e = 0; e < level->stay_count; e++)
        if (level->joined[level->to[e]])
            add_gather_pair(l, below->entry_place[level->to[e]],
                            level->entry_place[level->from[e]]);
    for (int32_t q = 0; q < cut->parts; q++) {
        if (cut->class[q] < 0) continue;
        const ze_row_class *class = &p->matrix->steps[k].classes[cut->class[q]];
        for (int32_t s = 0; s < class->pair_count; s++)
            add_gather_pair(
                l, below->entry_place[level->to[at++]],
                place_of_lane_slot(class->records_at, class->record, p->width, cut->index[q], s));
    }
    if (below->cut) add_size_pairs(p, below, &p->matrix->steps[k + 1], l);
}

/* The same for right sides. */
static void add_right_pairs(const ze_planner *p, int32_t k, pairs *l)
{
    const ze_level *level = &p->levels[k], *below = level + 1;
    const ze_row_cut *cut = level->cut;
    for (int32_t i = 0; i < level->x.n; i++) {
        int32_t row = cut->row[i], to = level->next[row];
        if (to >= 0 && level->pushed[to])
            add_gather_pair(l, below->right_place[to], level->right_place[row]);
    }
    for (int32_t q = 0; q < cut->parts; q++) {
        if (cut->class[q] < 0) continue;
        const ze_row_class *class = &p->matrix->steps[k].classes[cut->class[q]];
        const int32_t *outer = cut->members + cut->member_at[q] + class->inner;
        for (int32_t o = 0; o < class->outer; o++)
            add_gather_pair(l, below->right_place[level->next[outer[o]]],
                            place_of_lane_slot(class->records_at, class->record, p->width,
                                               cut->index[q], class->right_at + o));
    }
}

/* Its places are near each other: the table of where they are begins at the first. */
static void make_step_gather(ze_planner *p, const pairs *l, ze_gather *g)
{
    int32_t first = l->count > 0 ? l->list[0].place : 0, last = first;
    for (int64_t k = 0; k < l->count; k++) {
        if (l->list[k].place < first) first = l->list[k].place;
        if (l->list[k].place > last) last = l->list[k].place;
    }
    for (int64_t k = 0; k < l->count; k++) l->list[k].place -= first;
    ze_must(p,
            ze_gather_make(&p->matrix->arena, &p->scratch, l->list, l->count, last - first + 1, g));
    for (int32_t i = 0; i < g->count; i++) g->place[i] += first;
}

/* The gather-sums from step k to what follows: one for entries, one for right sides. */
static void make_step_gathers(ze_planner *p, int32_t k)
{
    ze_step *step = &p->matrix->steps[k];
    const ze_level *level = &p->levels[k];
    int64_t most = (int64_t)level->come_count + 2 * (int64_t)level[1].x.n;
    for (int32_t c = 0; c < step->class_count; c++)
        most += (int64_t)step->classes[c].count * step->classes[c].outer;
    zb_mark mark = zb_arena_mark(&p->scratch);
    pairs l = {.list = ZB_NEW_ARRAY(&p->scratch, ze_gather_pair, most)};
    add_entry_pairs(p, k, &l);
    make_step_gather(p, &l, &step->entries);
    l.count = 0;
    add_right_pairs(p, k, &l);
    make_step_gather(p, &l, &step->rights);
    zb_arena_release(&p->scratch, mark);
}

/* ---------------------------------------------------------------------- evaluation */

/* As many groups a chunk as take a while; one chunk where all take no longer. */
static void make_chunks(ze_planner *p, ze_step *step)
{
    double seconds = 0.0;
    for (int32_t c = 0; c < step->class_count; c++)
        seconds += step->classes[c].groups * ze_row_class_seconds(&step->classes[c], p->width);
    double each = seconds / 32.0;
    if (each < ze_matrix_chunk_seconds) each = ze_matrix_chunk_seconds;
    step->chunks = ZB_NEW_ARRAY(&p->matrix->arena, ze_matrix_chunk, ze_most_chunks);
    for (int32_t c = 0; c < step->class_count; c++) {
        int32_t groups = step->classes[c].groups;
        int32_t count = (int32_t)(each / ze_row_class_seconds(&step->classes[c], p->width)) + 1;
        for (int32_t g = 0; g < groups; g += count)
            step->chunks[step->chunk_count++] = (ze_matrix_chunk){
                .class = c, .first = g, .count = groups - g < count ? groups - g : count};
    }
}

/* What a worker needs: registers of a program and x of the rows around. */
static void take_workspace(ze_planner *p)
{
    ze_matrix *m = p->matrix;
    size_t most = 0, chunks = 1;
    for (int32_t k = 0; k < m->step_count; k++) {
        const ze_step *step = &m->steps[k];
        if ((size_t)step->chunk_count > chunks) chunks = (size_t)step->chunk_count;
        for (int32_t c = 0; c < step->class_count; c++) {
            const ze_row_class *class = &step->classes[c];
            const zk_program *all[] = {class->down, class->forward, class->back};
            for (int a = 0; a < 3; a++) {
                size_t need = zk_workspace(all[a]) + (size_t) class->outer + 8;
                if (need > most) most = need;
            }
        }
    }
    m->workspace_size = (most * (size_t)m->width + 7) / 8 * 8;
    m->workspace = zb_arena_take(
        &m->arena, zb_product(zb_product(chunks, m->workspace_size), sizeof(double)), 64);
    m->worst = ZB_NEW_ARRAY(&m->arena, double, chunks);
    m->rest.work = ZB_NEW_ARRAY(&m->arena, double, m->rest.n);
}

/* ------------------------------------------------------------------------------- all */

/* The classes of all levels, with their programs. From the second step on sizes are inputs. */
static void take_steps(ze_planner *p)
{
    ze_matrix *m = p->matrix;
    m->steps = ZB_NEW_ARRAY(&m->arena, ze_step, p->count - 1);
    m->step_count = p->count - 1;
    for (int32_t k = 0; k < m->step_count; k++) {
        const ze_row_cut *cut = p->levels[k].cut;
        ze_step *step = &m->steps[k];
        step->classes = ZB_NEW_ARRAY(&m->arena, ze_row_class, cut->class_count);
        for (int32_t c = 0; c < cut->class_count; c++) {
            step->classes[c] = cut->classes[c];
            step->classes[c].sized = k > 0;
        }
        step->class_count = cut->class_count;
        for (int32_t c = 0; c < cut->class_count; c++) ze_write_row_class(p, &step->classes[c]);
    }
}

/* The places of the first matrix are the caller's; those of the diagonal serve the rest. */
static void keep_places(ze_planner *p)
{
    ze_matrix *m = p->matrix;
    const ze_level *first = &p->levels[0], *last = &p->levels[p->count - 1];
    m->entry_places = first->entry_place;
    m->right_places = first->right_place;
    m->answer_places = first->answer_place;
    int32_t *size = ZB_NEW_ARRAY(&m->arena, int32_t, last->x.n);
    for (int32_t i = 0; i < last->x.n; i++)
        size[i] = diagonal_place(p, last->origin ? last->origin[i] : i);
    m->rest.size_at = size;
}

/* From the rest up: what stays in a level has the place that it has below, or a pending one. */
void ze_lay_out_matrix(ze_planner *p)
{
    ze_matrix *m = p->matrix;
    take_steps(p);
    const int32_t *pending = place_regions(p);
    place_rest(p);
    for (int32_t k = m->step_count - 1; k >= 0; k--) {
        ze_level *level = &p->levels[k];
        open_places(p, level);
        place_left(level, &p->levels[k + 1], pending[k]);
        place_inside(p, level, &m->steps[k]);
        find_outer_answers(p, level, &m->steps[k]);
        for (int32_t c = 0; c < m->steps[k].class_count; c++)
            fill_lanes_with_identity(m, &m->steps[k].classes[c]);
    }
    for (int32_t k = 0; k < m->step_count; k++) {
        make_step_gathers(p, k);
        make_chunks(p, &m->steps[k]);
    }
    keep_places(p);
    take_workspace(p);
}
