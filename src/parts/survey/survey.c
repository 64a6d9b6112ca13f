/*
 * The survey: what belongs to what.
 *
 *     terms over the same table        a family; an instance of it is an element
 *     element ── reaches ──▶ coordinates (a share in M, Q), rows (in A, b, levels)
 *     coordinates coupled in M, or that the same joints hold      a body
 *     body ── row ── body              the graph that is cut
 *
 *          x y      x y
 *          o────────o────────o      rows of one element count as one joint: the coordinates of a
 *           joint 1   joint 2       rigid body, coupled in M or not, have the same joints
 *
 * Everything is linear in the number of entries. All memory is the survey's arena and pool.
 */
#include <string.h>

#include "survey.h"

enum { widest_row = 32, most_of_body = 16 };

/* ----------------------------------------------------------------------- families */

/* Marks the slots that the outputs of some terms read: coordinate, value [stride]. */
static void mark_slots(ze_survey *s, const ze_terms *t, bool *coordinate, bool *value)
{
    int32_t count = 0;
    zx_node *below = zx_below(&s->pool, t->nodes, t->outputs, &count);
    for (int32_t k = 0; k < count; k++) {
        const zx_item *x = &s->pool.items[below[k]];
        if (x->op >= ZX_POSITION && x->op <= ZX_ACCELERATION) coordinate[x->a] = true;
        if (x->op == ZX_VALUE) value[x->a] = true;
    }
    zb_resize(s->memory, below, sizeof *below * (size_t)count, 0);
}

/* The marked numbers below `size`, ascending, in the arena. */
static int32_t *list_marked(ze_survey *s, const bool *mark, int32_t size, int32_t *count)
{
    int32_t *list = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)size);
    *count = 0;
    for (int32_t k = 0; k < size; k++)
        if (mark[k]) list[(*count)++] = k;
    return list;
}

/* Which slots of a family any of its terms reads: f->slots and f->values. */
static void find_slots(ze_survey *s, ze_family *f)
{
    int32_t size = f->stride;
    bool *coordinate = ZB_NEW_ARRAY(&s->arena, bool, 2 * (size_t)size + 2), *value;
    value = coordinate + size;
    for (int32_t k = 0; k < f->term_count; k++)
        mark_slots(s, &s->system.terms[f->terms[k]], coordinate, value);
    f->slots = list_marked(s, coordinate, f->value_at, &f->slot_count);
    f->values = list_marked(s, value, f->stride - f->value_at, &f->value_count);
}

/* The family of a term: one of `old` with its table, or a new one. */
static ze_family *find_or_add_family(ze_survey *s, int32_t terms, int32_t old)
{
    const ze_terms *t = &s->system.terms[terms];
    for (int32_t k = 0; k < old; k++) {
        ze_family *f = &s->families[k];
        if (f->table == t->table && f->instances == t->instances && f->stride == t->stride)
            return f;
    }
    ze_family *f = &s->families[s->family_count++];
    *f = (ze_family){
        .table = t->table, .instances = t->instances, .stride = t->stride, .value_at = t->value_at};
    return f;
}

/* Sorts the terms into families and numbers the elements: those of a family one after the other.
 * Terms that were given with the same table share a family; outputs that normalize.c has written
 * out have one each. */
static void find_families(ze_survey *s)
{
    const ze_system *x = &s->system;
    size_t most = (size_t)x->term_count + 1;
    int32_t *of = ZB_NEW_ARRAY(&s->arena, int32_t, most);
    s->families = ZB_NEW_ARRAY(&s->arena, ze_family, most);
    for (int32_t t = 0; t < x->term_count; t++) {
        bool kept = t < s->kept;
        ze_family *f = find_or_add_family(s, t, kept ? s->family_count : 0);
        of[t] = (int32_t)(f - s->families);
        f->term_count++;
    }
    for (int32_t k = 0; k < s->family_count; k++) {
        ze_family *f = &s->families[k];
        f->terms = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)f->term_count);
        f->term_count = 0;
        f->first = s->element_count;
        s->element_count += f->instances;
    }
    for (int32_t t = 0; t < x->term_count; t++) {
        ze_family *f = &s->families[of[t]];
        f->terms[f->term_count++] = t;
    }
    s->family_of = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)s->element_count + 1);
    for (int32_t k = 0; k < s->family_count; k++) {
        ze_family *f = &s->families[k];
        find_slots(s, f);
        for (int32_t i = 0; i < f->instances; i++) s->family_of[f->first + i] = k;
    }
}

/* -------------------------------------------------------------------------- lists */

/* Lists of what is put to vertices, in two passes: counting, then writing. Of one thing put to a
 * vertex several times in a row only the first counts. Counts of v are kept at start[v + 2], so
 * that writing moves start[v + 1] to where the list of v ends. */
typedef struct lister {
    int32_t *start, *last, *list; /* list NULL: counting */
} lister;

/* Adds a thing to the list of a vertex, or counts it; the same thing twice in a row once. */
static inline void put_to_vertex(lister *l, int32_t vertex, int32_t thing)
{
    if (l->last[vertex] == thing + 1) return;
    l->last[vertex] = thing + 1;
    if (l->list)
        l->list[l->start[vertex + 1]++] = thing;
    else
        l->start[vertex + 2]++;
}

typedef void (*each_fn)(const ze_survey *s, lister *l);

/* The lists that `each` puts things to. last [vertices] is scratch. */
static ze_lists make_lists(ze_survey *s, int32_t vertices, each_fn each, int32_t *last)
{
    size_t count = (size_t)vertices;
    lister l = {.start = ZB_NEW_ARRAY(&s->arena, int32_t, count + 3), .last = last};
    memset(last, 0, sizeof *last * count);
    each(s, &l);
    for (size_t v = 0; v < count; v++) l.start[v + 2] += l.start[v + 1];
    memset(last, 0, sizeof *last * count);
    l.list = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)l.start[count + 1] + 1);
    each(s, &l);
    return (ze_lists){.start = l.start, .list = l.list};
}

/* The row of each entry of a pattern. */
static int32_t *row_of_each_entry(ze_survey *s, const ze_pattern *p)
{
    int32_t *row = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)p->start[p->rows] + 1);
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) row[k] = i;
    return row;
}

/* Puts every element to the coordinates (dynamics) or to the rows that it has a share in. */
static void each_share(const ze_survey *s, lister *l, bool dynamics)
{
    for (int32_t k = 0; k < s->family_count; k++) {
        const ze_family *f = &s->families[k];
        const ze_destination *list = dynamics ? f->dynamics : f->rows;
        int32_t count = dynamics ? f->dynamics_count : f->row_count;
        for (int32_t i = 0; i < f->instances; i++)
            for (int32_t r = 0; r < count; r++)
                put_to_vertex(l, ze_destination_of(&list[r], i), f->first + i);
    }
}

static void each_dynamics(const ze_survey *s, lister *l)
{
    each_share(s, l, true);
}

static void each_row(const ze_survey *s, lister *l)
{
    each_share(s, l, false);
}

/* ------------------------------------------------------------------------- bodies */

/* The root of the set of v; paths are halved on the way. */
static int32_t set_root(int32_t *up, int32_t v)
{
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
}

/* Unites the sets of a and b. The smaller number stays the root. */
static void unite_sets(int32_t *up, int32_t a, int32_t b)
{
    a = set_root(up, a);
    b = set_root(up, b);
    if (a < b) up[b] = a;
    if (b < a) up[a] = b;
}

/* A union-find forest [count] of sets of one. */
static int32_t *make_single_sets(ze_survey *s, int32_t count)
{
    int32_t *up = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)count + 1);
    for (int32_t v = 0; v < count; v++) up[v] = v;
    return up;
}

/* Joints [m]: rows of one element are one joint, named by its first row. */
static int32_t *find_joints(ze_survey *s)
{
    int32_t *up = make_single_sets(s, s->system.m);
    int32_t *first = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)s->element_count + 1);
    for (int32_t i = 0; i < s->system.m; i++)
        for (int32_t k = s->at_row.start[i]; k < s->at_row.start[i + 1]; k++) {
            int32_t e = s->at_row.list[k];
            if (first[e])
                unite_sets(up, first[e] - 1, i);
            else
                first[e] = i + 1;
        }
    for (int32_t i = 0; i < s->system.m; i++) up[i] = set_root(up, i);
    return up;
}

/* What joins bodies: the joints of each joint's coordinates. */
typedef struct joining {
    int32_t *up;    /* [n] coupled coordinates */
    int32_t *joint; /* [m] */
    int32_t *first; /* [m] a coordinate of each joint; with other bodies in it: */
    bool *several;  /* [m] */
    uint64_t *set;  /* [n] of a root: its joints */
    int32_t *size;  /* [n] of a root: coordinates */
} joining;

/* Of every joint a body, and whether it has several: a joint of one body tells nothing. */
static void find_joint_bodies(ze_survey *s, joining *j)
{
    const ze_pattern *A = &s->system.A;
    for (int32_t i = 0; i < A->rows; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            int32_t body = set_root(j->up, A->column[p]), g = j->joint[i];
            if (!j->first[g]) j->first[g] = body + 1;
            if (j->first[g] != body + 1) j->several[g] = true;
        }
}

/* The set of joints of a body as one number: a sum of hashes, each joint once. Joints of a single
 * body do not count. */
static void hash_joints(ze_survey *s, joining *j)
{
    const ze_pattern *A = &s->system.A;
    int32_t *seen = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)s->system.n + 1);
    for (int32_t i = 0; i < A->rows; i++) {
        int32_t g = j->joint[i];
        for (int32_t p = A->start[i]; p < A->start[i + 1] && j->several[g]; p++) {
            int32_t body = set_root(j->up, A->column[p]);
            /* rows of a joint follow each other as a rule; where not, sets differ for nothing */
            if (seen[body] == g + 1) continue;
            seen[body] = g + 1;
            j->set[body] += zb_hash_scramble((uint64_t)g + 1);
        }
    }
}

/* Makes one body of two that the same joints hold, unless it would be too large. */
static void join_if_same_joints(joining *j, int32_t a, int32_t b)
{
    a = set_root(j->up, a);
    b = set_root(j->up, b);
    int32_t size = j->size[a] + j->size[b];
    bool same = j->set[a] != 0 && j->set[a] == j->set[b];
    if (a == b || !same || size > most_of_body) return;
    unite_sets(j->up, a, b); /* the set stays what it is */
    j->size[set_root(j->up, a)] = size;
}

/* Bodies that the same joints hold become one; two such ones meet in a row. */
static void join_equal_bodies(ze_survey *s, joining *j)
{
    const ze_pattern *A = &s->system.A;
    for (int32_t i = 0; i < A->rows; i++) {
        if (A->start[i + 1] - A->start[i] > widest_row) continue;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            for (int32_t k = A->start[i]; k < p; k++)
                join_if_same_joints(j, A->column[k], A->column[p]);
    }
}

/* Bodies: coordinates coupled in M, then united where the same joints hold them. They are numbered
 * by their first coordinate. */
static void find_bodies(ze_survey *s)
{
    int32_t n = s->system.n, m = s->system.m;
    const ze_pattern *M = &s->system.M;
    joining j = {.up = make_single_sets(s, n), .joint = find_joints(s)};
    for (int32_t i = 0; i < n; i++)
        for (int32_t p = M->start[i]; p < M->start[i + 1]; p++) unite_sets(j.up, i, M->column[p]);
    j.first = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)m + 1);
    j.several = ZB_NEW_ARRAY(&s->arena, bool, (size_t)m + 1);
    j.set = ZB_NEW_ARRAY(&s->arena, uint64_t, (size_t)n + 1);
    j.size = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)n + 1);
    for (int32_t i = 0; i < n; i++) j.size[set_root(j.up, i)]++;
    find_joint_bodies(s, &j);
    hash_joints(s, &j);
    join_equal_bodies(s, &j);
    s->body = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)n + 1);
    for (int32_t i = 0; i < n; i++) {
        int32_t root = set_root(j.up, i);
        s->body[i] = root == i ? s->bodies++ : s->body[root];
    }
}

/* -------------------------------------------------------------------------- graph */

static void each_coordinate(const ze_survey *s, lister *l)
{
    for (int32_t i = 0; i < s->system.n; i++) put_to_vertex(l, s->body[i], i);
}

/* Puts every row to the bodies that it touches. */
static void each_body_of_row(const ze_survey *s, lister *l)
{
    const ze_pattern *A = &s->system.A;
    for (int32_t i = 0; i < A->rows; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            put_to_vertex(l, s->body[A->column[p]], i);
}

/* Lists the bodies of each row, each once. seen [bodies] is scratch. */
static ze_lists find_bodies_of(ze_survey *s, int32_t *seen)
{
    const ze_pattern *A = &s->system.A;
    memset(seen, 0, sizeof *seen * (size_t)s->bodies);
    ze_lists l = {.start = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)A->rows + 1),
                  .list = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)A->start[A->rows] + 1)};
    int32_t at = 0;
    for (int32_t i = 0; i < A->rows; i++) {
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            int32_t b = s->body[A->column[p]];
            if (seen[b] == i + 1) continue;
            seen[b] = i + 1;
            l.list[at++] = b;
        }
        l.start[i + 1] = at;
    }
    return l;
}

/* Puts every body to its neighbours: the bodies that one of its rows touches too. A row of very
 * many bodies joins none of them. */
static void each_neighbour(const ze_survey *s, lister *l)
{
    for (int32_t b = 0; b < s->bodies; b++)
        for (int32_t k = s->rows.start[b]; k < s->rows.start[b + 1]; k++) {
            int32_t i = s->rows.list[k], from = s->bodies_of.start[i],
                    to = s->bodies_of.start[i + 1];
            if (to - from > widest_row) continue;
            for (int32_t e = from; e < to; e++)
                if (s->bodies_of.list[e] != b) put_to_vertex(l, s->bodies_of.list[e], b);
        }
}

/* Parts are of no use without rows; a row without entries belongs to no body. */
static void check_rows_have_entries(ze_survey *s)
{
    const ze_pattern *A = &s->system.A;
    s->serves = s->system.m > 0;
    for (int32_t i = 0; i < A->rows; i++)
        if (A->start[i] == A->start[i + 1]) s->serves = false;
}

/* All of the survey in order; jumps when memory runs out. */
static void survey_system(ze_survey *s)
{
    ze_normalize(s);
    check_rows_have_entries(s);
    if (!s->serves) return;
    find_families(s);
    s->M_row = row_of_each_entry(s, &s->system.M);
    s->A_row = row_of_each_entry(s, &s->system.A);
    for (int32_t k = 0; k < s->family_count; k++) ze_find_destinations(s, &s->families[k]);
    int32_t most = s->system.n > s->system.m ? s->system.n : s->system.m;
    int32_t *last = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)most + 1);
    s->at_coordinate = make_lists(s, s->system.n, each_dynamics, last);
    s->at_row = make_lists(s, s->system.m, each_row, last);
    find_bodies(s);
    s->coordinates = make_lists(s, s->bodies, each_coordinate, last);
    s->rows = make_lists(s, s->bodies, each_body_of_row, last);
    s->bodies_of = find_bodies_of(s, last);
    ze_lists next = make_lists(s, s->bodies, each_neighbour, last);
    s->graph = (ze_graph){.count = s->bodies, .start = next.start, .next = next.list};
}

/* The pool of the given system jumps to the same place as ours while it is copied from. */
zw_status ze_survey_make(zb_memory *memory, const ze_system *system, ze_survey *s)
{
    jmp_buf *before = system->pool->escape; /* of the model's own pool, which is copied from */
    *s = (ze_survey){.memory = memory, .given = system};
    zb_arena_init(&s->arena, memory, 0);
    if (setjmp(s->escape) != 0) {
        zw_status status = s->arena.failure != ZW_OK ? s->arena.failure : memory->failure;
        if (status == ZW_OK) status = system->pool->memory->failure;
        system->pool->escape = before;
        ze_survey_clear(s);
        return status;
    }
    s->arena.escape = system->pool->escape = &s->escape;
    zx_pool_init(&s->pool, memory, &s->escape, true);
    s->pool_open = true;
    survey_system(s);
    s->arena.escape = NULL;
    system->pool->escape = before;
    return ZW_OK;
}

void ze_survey_clear(ze_survey *s)
{
    if (s->pool_open) zx_pool_free(&s->pool);
    s->pool_open = false;
    zb_arena_clear(&s->arena);
}
