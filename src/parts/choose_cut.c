/*
 * Choosing a cut. Rules with some sizes are candidates, tried on a sample of the bodies (sample.c);
 * what one would cost is predicted from the parts it makes:
 *
 *     parts of the same counts (as many bodies, rows inside, rows outside) are taken for one
 *     shape; one of them is described, and its operations are predicted without a program:
 *
 *     cost = groups of lanes * operations, what goes in and out of parts, the rows between
 *
 * Of every rule a middle size is tried; rules that are near the best one then go on to larger or
 * smaller sizes as long as these are better. Counts may err where things are irregular, always to
 * the good: there the shapes of some parts are found out, the candidate that looked best first,
 * until none can be better. Shapes that hardly repeat are charged as what becomes of them: parts of
 * one body. The cheapest is taken, if it is below the limit.
 */
#include <string.h>

#include "costs.h"
#include "plan_parts.h"
#include "sample.h"

static const int32_t sizes[] = {4, 8, 16, 24, 32, 48};
enum {
    size_count = sizeof sizes / sizeof *sizes,
    first_size = 3,       /* the middle one, which is tried first */
    most_kinds = 48,      /* of parts in a cut, by their counts */
    most_known = 256,     /* profiles whose operations are kept in mind */
    most_candidates = 32, /* of all rules */
    most_censused = 128,  /* parts of a cut whose shapes are found out */
    most_checked = 12,    /* candidates for which that is done */
    least_parts = 3,      /* of a shape that is kept whole */
    too_large = -1,       /* operations */
};
static const double most_between = 0.6;    /* of the rows: with more it is a net */
static const double declared_first = 1.03; /* times the cost of others: it packs faster */
static const double near = 1.3;            /* times the cost of the best: a rule goes on */

/* The *profile* of a part: the counts that parts are sorted by, and what is known of one. */
typedef struct profile {
    int32_t bodies, inner, outer;
    int32_t halo;
    int64_t operations;
} profile;

/* Parts of a cut with the same counts: how many, and the first of them. */
typedef struct kind {
    profile s;
    int32_t count, first;
} kind;

/* A rule with a size, and what it is predicted to cost. */
typedef struct candidate {
    ze_rule rule;
    int32_t size;
    double cost; /* below 0: it does not serve */
} candidate;

typedef struct chooser {
    const ze_survey *s;
    const ze_choice *choice;
    ze_sample sample;
    int32_t *part;         /* [bodies] of the candidate; -1: not in the sample */
    int32_t *local;        /* [sample] the same */
    int32_t *start, *list; /* [sample + 2], [sample] bodies of each part */
    profile *parts;        /* [sample] */
    int32_t *kind_of;      /* [sample] of a part; -1: an odd one */
    kind kinds[most_kinds];
    int32_t kind_count;
    profile known[most_known];
    int32_t known_count;
    profile single; /* a part of one body */
    candidate tried[most_candidates];
    int32_t tried_count;
    ze_sketch *sketch;
} chooser;

/* --------------------------------------------------------------------- profiles */

/* The kind of part p: parts with as many bodies, inner and outer rows. -1 when there are too many
 * kinds. */
static void sort_part_by_counts(chooser *c, int32_t p)
{
    const profile *x = &c->parts[p];
    int32_t k = 0;
    for (; k < c->kind_count; k++) {
        const profile *y = &c->kinds[k].s;
        if (y->bodies == x->bodies && y->inner == x->inner && y->outer == x->outer) break;
    }
    c->kind_of[p] = k < most_kinds ? k : -1;
    if (k == most_kinds) return;
    if (k == c->kind_count) c->kinds[c->kind_count++] = (kind){.s = *x, .first = p};
    c->kinds[k].count++;
}

/* Bodies, rows inside and outside of every part; then its kind. */
static void count_parts(chooser *c, int32_t parts)
{
    const ze_lists *l = &c->s->bodies_of;
    memset(c->parts, 0, sizeof *c->parts * (size_t)parts);
    for (int32_t i = 0; i < c->sample.count; i++) c->parts[c->local[i]].bodies++;
    for (int32_t r = 0; r < c->sample.row_count; r++) {
        int32_t row = c->sample.rows[r], from = l->start[row], to = l->start[row + 1];
        int32_t first = c->part[l->list[from]], others = 0;
        for (int32_t k = from + 1; k < to; k++) others += c->part[l->list[k]] != first;
        if (others == 0) c->parts[first].inner++;
        for (int32_t k = from; k < to && others > 0; k++) {
            int32_t p = c->part[l->list[k]], before = 0;
            for (int32_t e = from; e < k; e++) before += c->part[l->list[e]] == p;
            c->parts[p].outer += before == 0;
        }
    }
    c->kind_count = 0;
    for (int32_t p = 0; p < parts; p++) sort_part_by_counts(c, p);
}

/* Lists the bodies of each part: list[start[p] .. start[p + 1]). */
static void list_sample_bodies(chooser *c, int32_t parts)
{
    memset(c->start, 0, sizeof *c->start * ((size_t)parts + 2));
    for (int32_t i = 0; i < c->sample.count; i++) c->start[c->local[i] + 2]++;
    for (int32_t k = 1; k < parts; k++) c->start[k + 1] += c->start[k];
    for (int32_t i = 0; i < c->sample.count; i++)
        c->list[c->start[c->local[i] + 1]++] = c->sample.body[i];
}

/* As the rule DECLARED cuts all bodies, by number / size; parts are counted among the sample
 * only. */
static int32_t cut_as_declared(chooser *c, int32_t size)
{
    int32_t parts = 0, last = -1;
    for (int32_t i = 0; i < c->sample.count; i++) {
        int32_t number = c->sample.body[i] / size;
        if (i == 0 || number != last) parts++;
        last = number;
        c->local[i] = parts - 1;
    }
    return parts;
}

/* Cuts the sample by a candidate and counts what its parts have. *parts 0: the rule does not
 * serve. */
static zw_status cut_sample(chooser *c, const candidate *x, int32_t *parts)
{
    if (x->rule == ZE_DECLARED)
        *parts = cut_as_declared(c, x->size);
    else
        ZB_TRY(ze_partition(c->s->memory, &c->sample.graph, x->rule, x->size, c->local, parts));
    if (*parts == 0) return ZW_OK;
    for (int32_t i = 0; i < c->sample.count; i++) c->part[c->sample.body[i]] = c->local[i];
    list_sample_bodies(c, *parts);
    count_parts(c, *parts);
    return ZW_OK;
}

/* -------------------------------------------------------------------- operations */

/* Describes one part and predicts its operations; x->operations is too_large where a program would
 * be. */
static zw_status predict_part_operations(chooser *c, const int32_t *body, int32_t count, profile *x)
{
    const ze_parts *p = NULL;
    ze_shape shape;
    int32_t *values;
    zb_arena scratch;
    x->operations = too_large;
    ZB_TRY(ze_sketch_part(c->sketch, body, count, &p));
    x->halo = p->counts.data[0].halo;
    zb_arena_init(&scratch, c->s->memory, 0);
    zw_status status = ze_describe_shape(p, 0, &scratch, &shape, &values);
    if (status == ZW_OK) x->operations = ze_predict_operations(c->s->memory, &shape);
    zb_arena_clear(&scratch);
    if (status == ZW_OK && x->operations < 0) return c->s->memory->failure;
    if (x->operations > ze_most_operations) x->operations = too_large;
    return status;
}

/* Fills in halo and operations of a kind, from parts of the same counts seen before, or by
 * describing its first part. */
static zw_status find_operations(chooser *c, kind *k)
{
    for (int32_t i = 0; i < c->known_count; i++) {
        const profile *y = &c->known[i];
        if (y->bodies != k->s.bodies || y->inner != k->s.inner || y->outer != k->s.outer) continue;
        k->s = *y;
        return ZW_OK;
    }
    const int32_t *body = c->list + c->start[k->first];
    ZB_TRY(predict_part_operations(c, body, k->s.bodies, &k->s));
    if (c->known_count < most_known) c->known[c->known_count++] = k->s;
    return ZW_OK;
}

/* What a part of one body takes: that of a body in the middle of the sample. */
static zw_status find_single_operations(chooser *c)
{
    int32_t body = c->sample.body[c->sample.count / 2], rows = 0;
    const ze_lists *l = &c->s->bodies_of;
    c->part[body] = c->s->bodies;
    for (int32_t k = c->s->rows.start[body]; k < c->s->rows.start[body + 1]; k++) {
        int32_t row = c->s->rows.list[k];
        rows += l->start[row + 1] - l->start[row] > 1;
    }
    c->single = (profile){.bodies = 1, .outer = rows};
    return predict_part_operations(c, &body, 1, &c->single);
}

/* ------------------------------------------------------------------------- costs */

typedef struct sum {
    double cost;           /* of parts */
    double between;        /* rows */
    double outer, squares; /* of all parts; mean outer rows of those that rows have */
    double apart;          /* bodies of parts that are taken apart */
} sum;

/* Adds what `count` parts of the whole system with profile x cost. shape: they have programs of
 * their own, whose last group may not be full. */
static void add_part_costs(const profile *x, double count, bool shape, sum *to)
{
    double outer = x->outer, groups = count / ze_counted_lanes;
    double shares = outer * (outer + 1) / 2 + 3 * outer + 2 * (double)x->halo;
    if (shape) groups = (double)(int64_t)(groups + 0.999);
    double operations = (double)x->operations;
    to->cost += groups * (ze_operation_ns[1] * operations + ze_group_ns);
    to->cost += count * shares * ze_share_ns;
    if (shape) to->cost += ze_shape_operation_ns * operations;
    to->outer += count * outer;
    to->squares += count * outer * outer;
    to->between += count * outer / 2;
}

/* Charges `count` parts with profile x as what becomes of rare ones: parts of one body. */
static void add_single_costs(const chooser *c, const profile *x, double count, sum *to)
{
    add_part_costs(&c->single, count * x->bodies, false, to);
    to->apart += count * x->bodies;
}

/* Seconds of an acceleration from the sums; above the limit where nearly everything is between. */
static double total_seconds(const chooser *c, const sum *x)
{
    double cost = x->cost;
    /* a net: nearly everything is between, and what that costs is not known here */
    bool asked = !(c->choice->limit > 0.0);
    if (!asked && x->between > most_between * c->s->system.m) return c->choice->limit + 1.0;
    if (x->outer > 0.0) {
        double around = x->squares / x->outer;
        cost += ze_between_ns +
                x->between * around * (ze_between_row_ns + ze_between_square_ns * around);
    }
    if (x->apart > 0.0) cost += ze_group_ns + ze_shape_operation_ns * (double)c->single.operations;
    return 1e-9 * cost * (c->choice->dependent ? ze_refined : 1.0);
}

/* Few parts of a sample look like that: they lie at its ends, or else check_candidates() will tell.
 */
static bool is_stray(const chooser *c, const kind *x)
{
    return c->sample.times > 1.0 && x->count < least_parts;
}

/* The cost of the cut at hand, scaled from the sample to the system; below 0: a part is too
 * large. */
static zw_status predict_cut(chooser *c, int32_t parts, double *cost)
{
    sum all = {0};
    double strays = 0.0, times = c->sample.times;
    *cost = -1.0;
    for (int32_t k = 0; k < c->kind_count; k++)
        if (is_stray(c, &c->kinds[k])) strays += (double)c->kinds[k].count * c->kinds[k].s.bodies;
    if (strays > 0.5 * c->sample.count) strays = 0.0;
    times *= c->sample.count / (c->sample.count - strays);
    for (int32_t k = 0; k < c->kind_count; k++) {
        kind *x = &c->kinds[k];
        double count = x->count * times;
        if (strays > 0.0 && is_stray(c, x)) continue;
        if (count >= least_parts) ZB_TRY(find_operations(c, x));
        if (count >= least_parts && x->s.operations == too_large) return ZW_OK;
        if (count >= least_parts)
            add_part_costs(&x->s, count, true, &all);
        else
            add_single_costs(c, &x->s, count, &all);
    }
    for (int32_t p = 0; p < parts; p++)
        if (c->kind_of[p] < 0) add_single_costs(c, &c->parts[p], times, &all);
    if (all.apart == 0.0 || c->single.operations != too_large) *cost = total_seconds(c, &all);
    return ZW_OK;
}

/* ----------------------------------------------------------------- shapes at last */

typedef struct shape_census {
    int32_t shape_count, censused;
    int32_t count[most_censused], kind[most_censused]; /* by shape */
} shape_census;

/* Finds the shapes of some parts, spread evenly, and counts them. */
static zw_status count_shapes(chooser *c, int32_t parts, shape_census *x)
{
    int32_t step = (parts - 1) / most_censused + 1;
    *x = (shape_census){0};
    ZB_TRY(ze_sketch_begin(c->sketch));
    for (int32_t p = 0; p < parts; p += step) {
        int32_t shape = -1;
        x->censused++;
        if (c->kind_of[p] < 0) continue;
        ZB_TRY(ze_sketch_shape(c->sketch, c->list + c->start[p], c->parts[p].bodies, &shape));
        if (shape < 0) continue;
        if (shape == x->shape_count) x->kind[x->shape_count++] = c->kind_of[p];
        x->count[shape]++;
    }
    return ZW_OK;
}

/* How many of the parts looked at a shape needs to be among the ze_most_kept that are kept. */
static int32_t least_kept_count(const shape_census *x)
{
    for (int32_t least = 1;; least++) {
        int32_t kept = 0;
        for (int32_t h = 0; h < x->shape_count; h++) kept += x->count[h] >= least;
        if (kept <= ze_most_kept) return least;
    }
}

/* The cost of a candidate from shapes that were counted; bodies of rare shapes as single parts. */
static void charge_shapes(chooser *c, int32_t parts, const shape_census *x, double *cost)
{
    sum all = {0};
    double times = c->sample.times * parts / x->censused,
           bodies = c->sample.times * c->sample.count;
    int32_t least = least_kept_count(x);
    for (int32_t h = 0; h < x->shape_count; h++) {
        const profile *s = &c->kinds[x->kind[h]].s;
        double count = x->count[h] * times;
        if (x->count[h] < least || count < least_parts || s->operations == too_large) continue;
        add_part_costs(s, count, true, &all);
        bodies -= count * s->bodies;
    }
    if (bodies > 0.5) add_single_costs(c, &(profile){.bodies = 1}, bodies, &all);
    *cost = total_seconds(c, &all);
}

/* -------------------------------------------------------------------- candidates */

/* Cuts the sample and predicts; *cost below 0: it does not serve. */
static zw_status try_size(chooser *c, ze_rule rule, int32_t size, double *cost)
{
    int32_t parts = 0;
    candidate x = {.rule = rule, .size = size, .cost = -1.0};
    *cost = -1.0;
    if (c->tried_count == most_candidates) return ZW_OK;
    ZB_TRY(cut_sample(c, &x, &parts));
    if (parts > 0) ZB_TRY(predict_cut(c, parts, &x.cost));
    *cost = x.cost;
    if (x.cost >= 0.0) c->tried[c->tried_count++] = x;
    return ZW_OK;
}

/* Tries larger (step 1) or smaller sizes (-1) than the first one, which costs `from`, as long as
 * they do not get worse; where things are irregular all of them. *better: one is. */
static zw_status try_further_sizes(chooser *c, ze_rule rule, int step, double from, bool *better)
{
    *better = false;
    for (int k = first_size + step; k >= 0 && k < size_count; k += step) {
        double cost;
        ZB_TRY(try_size(c, rule, sizes[k], &cost));
        bool worse = from >= 0.0 && !(cost >= 0.0 && cost <= from);
        if (worse && c->sample.regular) return ZW_OK;
        *better = *better || (cost >= 0.0 && (from < 0.0 || cost < from));
        from = cost;
    }
    return ZW_OK;
}

/* Other sizes of a rule whose first one costs `from`. */
static zw_status try_other_sizes(chooser *c, ze_rule rule, double from)
{
    bool better = false;
    if (from >= 0.0) ZB_TRY(try_further_sizes(c, rule, 1, from, &better));
    /* where things are irregular small parts may be better than they look */
    if (!better || !c->sample.regular) ZB_TRY(try_further_sizes(c, rule, -1, from, &better));
    return ZW_OK;
}

/* A middle size of every rule, then other sizes of the best ones. */
static zw_status try_all_rules(chooser *c)
{
    const ze_choice *choice = c->choice;
    double cost[ZE_RULE_COUNT], best = -1.0;
    for (int rule = 0; rule < ZE_RULE_COUNT; rule++) {
        cost[rule] = -1.0;
        if (choice->rule > 0 && choice->rule != rule + 1) continue;
        int32_t size = rule == ZE_COMPONENTS ? sizes[size_count - 1] : sizes[first_size];
        ZB_TRY(try_size(c, (ze_rule)rule, choice->size > 0 ? choice->size : size, &cost[rule]));
        if (cost[rule] >= 0.0 && (best < 0.0 || cost[rule] < best)) best = cost[rule];
    }
    for (int rule = 0; rule < ZE_COMPONENTS && choice->size == 0; rule++) {
        if (choice->rule > 0 && choice->rule != rule + 1) continue;
        if (best >= 0.0 && !(cost[rule] >= 0.0 && cost[rule] <= near * best)) continue;
        ZB_TRY(try_other_sizes(c, (ze_rule)rule, cost[rule]));
        /* neighbours in declared order are as good as any others */
        if (rule == ZE_DECLARED && best >= 0.0 && cost[rule] >= 0.0 && cost[rule] <= 1.02 * best)
            break;
    }
    return ZW_OK;
}

/* The cheapest that was tried; -1: none. */
static int32_t cheapest_candidate(const chooser *c)
{
    int32_t best = -1;
    double least = 0.0;
    for (int32_t k = 0; k < c->tried_count; k++) {
        const candidate *x = &c->tried[k];
        double cost = x->rule == ZE_DECLARED ? x->cost : declared_first * x->cost;
        if (x->cost < 0.0 || (best >= 0 && cost >= least)) continue;
        least = cost;
        best = k;
    }
    return best;
}

/* What candidates really cost, the one that looked cheapest first. */
static zw_status check_candidates(chooser *c, int32_t *best)
{
    shape_census found;
    *best = cheapest_candidate(c);
    if (c->sample.regular) return ZW_OK;
    bool known[most_candidates] = {false};
    for (int k = 0; k < most_checked && *best >= 0 && !known[*best]; k++) {
        int32_t parts = 0;
        candidate *x = &c->tried[*best];
        ZB_TRY(cut_sample(c, x, &parts));
        for (int32_t i = 0; i < c->kind_count; i++) ZB_TRY(find_operations(c, &c->kinds[i]));
        ZB_TRY(count_shapes(c, parts, &found));
        charge_shapes(c, parts, &found, &x->cost);
        known[*best] = true;
        *best = cheapest_candidate(c);
    }
    if (*best >= 0 && known[*best]) return ZW_OK;
    for (int32_t k = 0; k < c->tried_count; k++) /* time is up: those that are known */
        if (!known[k]) c->tried[k].cost = -1.0;
    *best = cheapest_candidate(c);
    return ZW_OK;
}

/* Tries, checks, and cuts the whole system by the best one. cut->count stays 0 where none is below
 * the limit. */
static zw_status choose_candidate(chooser *c, ze_body_cut *cut)
{
    int32_t best = -1;
    ZB_TRY(find_single_operations(c));
    ZB_TRY(try_all_rules(c));
    ZB_TRY(check_candidates(c, &best));
    if (best < 0) return ZW_OK;
    const candidate *x = &c->tried[best];
    if (c->choice->limit > 0.0 && x->cost > c->choice->limit) return ZW_OK;
    cut->rule = x->rule;
    cut->size = x->size;
    cut->cost = x->cost;
    return ze_partition(c->s->memory, &c->s->graph, x->rule, x->size, cut->part, &cut->count);
}

/* cut->part serves as scratch for the candidates: it ends as the cut that was chosen. */
zw_status ze_choose_cut(const ze_survey *s, const ze_choice *choice, zb_arena *arena,
                        ze_body_cut *cut)
{
    *cut = (ze_body_cut){0};
    chooser *c = ZB_NEW(arena, chooser);
    if (!c) return arena->failure;
    *c = (chooser){.s = s, .choice = choice};
    ZB_TRY(ze_sample_take(s, arena, &c->sample));
    size_t count = (size_t)c->sample.count, bodies = (size_t)s->bodies;
    c->part = cut->part = ZB_NEW_ARRAY(arena, int32_t, bodies + 1);
    c->local = ZB_NEW_ARRAY(arena, int32_t, count + 1);
    c->start = ZB_NEW_ARRAY(arena, int32_t, count + 3);
    c->list = ZB_NEW_ARRAY(arena, int32_t, count + 1);
    c->parts = ZB_NEW_ARRAY(arena, profile, count + 1);
    c->kind_of = ZB_NEW_ARRAY(arena, int32_t, count + 1);
    if (arena->failure != ZW_OK) return arena->failure;
    for (size_t b = 0; b < bodies; b++) c->part[b] = -1;
    ZB_TRY(ze_sketch_open(s, c->part, &c->sketch));
    zw_status status = choose_candidate(c, cut);
    ze_sketch_close(c->sketch);
    return status;
}
