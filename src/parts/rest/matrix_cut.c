/*
 * How a matrix is cut into parts: candidates by the rules of partition.h, each judged by what its
 * parts would cost, the cheapest taken.
 *
 *      part 0      part 1      part 2        of two neighbours in different parts the one in the
 *     o-o-o-x─────o-o-o-x─────o-o-o-o        lower part is left (x); the others (o) see none but
 *                                            their own part and rows that are left
 *
 * A part is drawn as a coloured graph: its inner rows (colour 0), the rows left around them (colour
 * 1), an edge for each entry. Equal graphs are a class, if there are enough of them; rows of other
 * parts stay as they are. Large matrices are judged by a sample of their parts; the cut that is
 * taken is then made whole.
 *
 * Everything is in the planner's arenas, which jump when memory runs out.
 */
#include "costs.h"
#include "eliminate.h"
#include "matrix_plan.h"

enum { most_looked = 160, most_parts = 1300, large_rows = 20000, huge_rows = 200000 };

static const double clearly = 0.25, fairly = 0.4; /* of the ordinary time */

/* What it takes to move so many bytes, near or far. */
static double memory_seconds(double bytes)
{
    double share = (bytes - ze_cached_bytes) / (ze_memory_bytes - ze_cached_bytes);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return 1e-9 * bytes * (ze_cached_byte_ns + share * (ze_memory_byte_ns - ze_cached_byte_ns));
}

/* Down and back of a group; a division for every row inside. */
double ze_row_class_seconds(const ze_row_class *class, int32_t width)
{
    int at = width == 8 ? 0 : 1;
    return 1e-9 * (ze_matrix_call_ns + ze_matrix_operation_ns[at] * (double)class->operations +
                   ze_matrix_division_ns[at] * (double)class->inner);
}

/* ---------------------------------------------------------------- looking at parts */

/* A cut under way. */
typedef struct view {
    ze_planner *p;
    const ze_level *level;
    ze_row_cut *cut;
    int32_t *local; /* [n] number in the part that is looked at, -1 */
    /* the part that is looked at */
    int32_t *list; /* rows in the order in which they were met */
    ze_colour_graph graph;
    int32_t *order; /* [vertices] */
    int32_t inner, outer;
    /* by shape: how many parts, the first one, rows inside */
    int32_t *count, *first, *rows;
    int32_t *which; /* [looked] shape, -1: none */
    int32_t looked;
} view;

/* Arrays of scratch for the largest part that is looked at. */
static void open_view(view *v, ze_planner *p, const ze_level *level, ze_row_cut *cut)
{
    int32_t n = level->x.n, most = ze_most_inner + ze_most_around;
    *v = (view){.p = p, .level = level, .cut = cut};
    v->local = ZB_NEW_ARRAY(&p->scratch, int32_t, n);
    for (int32_t i = 0; i < n; i++) v->local[i] = -1;
    v->list = ZB_NEW_ARRAY(&p->scratch, int32_t, most);
    v->order = ZB_NEW_ARRAY(&p->scratch, int32_t, most);
    v->graph.colour = ZB_NEW_ARRAY(&p->scratch, int32_t, most);
    v->graph.edge = ZB_NEW_ARRAY(&p->scratch, ze_edge, ze_most_inner * most);
}

static bool is_row_inside(const view *v, int32_t row, int32_t part)
{
    return v->cut->part[row] == part && !v->cut->left[row];
}

/* Where to begin: at a neighbour of a row that is left if there is one, of the fewest neighbours,
 * the first; so that parts that are equal are mostly met in the same order. -1: nothing is inside.
 */
static int32_t choose_start_row(const view *v, int32_t part, int32_t *inner)
{
    const ze_graph *g = &v->level->graph;
    int32_t best = -1, best_degree = 0;
    *inner = 0;
    for (int32_t k = v->cut->first[part]; k < v->cut->first[part + 1]; k++) {
        int32_t row = v->cut->row[k], degree = g->start[row + 1] - g->start[row];
        if (!is_row_inside(v, row, part)) continue;
        ++*inner;
        bool at_border = false;
        for (int32_t e = g->start[row]; e < g->start[row + 1] && !at_border; e++)
            at_border = v->cut->left[g->next[e]];
        if (!at_border) degree += ze_most_inner + ze_most_around;
        if (best < 0 || degree < best_degree) best = row, best_degree = degree;
    }
    return best;
}

/* Gives a row the next local number; colour 0: inside, 1: left. */
static void meet_row(view *v, int32_t row, int32_t colour)
{
    int32_t k = v->graph.vertices++;
    v->local[row] = k;
    v->list[k] = row;
    v->graph.colour[k] = colour;
    v->outer += colour;
}

/* Gives local numbers to all that is connected to an inner row: other inner rows, and those that
 * are left around them. False: too many of these. */
static bool meet_around(view *v, int32_t part, int32_t row)
{
    const ze_graph *g = &v->level->graph;
    int32_t at = v->graph.vertices;
    meet_row(v, row, 0);
    for (; at < v->graph.vertices; at++) {
        if (v->graph.colour[at] != 0) continue;
        for (int32_t e = g->start[v->list[at]]; e < g->start[v->list[at] + 1]; e++) {
            int32_t other = g->next[e];
            if (v->local[other] >= 0) continue;
            bool inside = is_row_inside(v, other, part);
            if (!inside && v->outer >= ze_most_around) return false;
            meet_row(v, other, inside ? 0 : 1);
        }
    }
    return true;
}

/* Every entry of an inner row, from that row; between two inner rows in both directions. */
static void add_part_edges(view *v)
{
    const ze_graph *g = &v->level->graph;
    ze_colour_graph *f = &v->graph;
    for (int32_t a = 0; a < f->vertices; a++) {
        if (f->colour[a] != 0) continue;
        for (int32_t e = g->start[v->list[a]]; e < g->start[v->list[a] + 1]; e++)
            f->edge[f->edges++] = (ze_edge){.from = a, .to = v->local[g->next[e]]};
    }
}

/* Makes the graph of a part; false: nothing inside, or too large. Local numbers are taken back. */
static bool draw_row_part(view *v, int32_t part)
{
    v->graph.vertices = v->graph.edges = v->outer = 0;
    int32_t row = choose_start_row(v, part, &v->inner);
    if (row < 0 || v->inner > ze_most_inner) return false;
    bool fits = meet_around(v, part, row);
    for (int32_t k = v->cut->first[part]; k < v->cut->first[part + 1] && fits; k++) {
        row = v->cut->row[k];
        if (is_row_inside(v, row, part) && v->local[row] < 0) fits = meet_around(v, part, row);
    }
    if (fits) add_part_edges(v);
    for (int32_t k = 0; k < v->graph.vertices; k++) v->local[v->list[k]] = -1;
    return fits;
}

/* The shape of a part, with its canonical order in v->order; -1: none. */
static int32_t find_row_shape(view *v, int32_t part)
{
    int32_t shape = -1;
    if (!draw_row_part(v, part)) return -1;
    ze_must(v->p, ze_shape_set_find(v->p->shapes, &v->graph, &shape, v->order));
    return shape;
}

static int32_t part_at(const view *v, int32_t k)
{
    return (int32_t)((int64_t)k * v->cut->parts / v->looked);
}

/* Finds the shapes of `looked` parts, evenly over all of them; where the cut is made whole, also
 * their rows in canonical order. */
static void find_shapes_of_parts(view *v, int32_t looked)
{
    ze_shape_set_free(v->p->shapes);
    v->p->shapes = NULL;
    ze_must(v->p, ze_shape_set_create(v->p->memory, &v->p->shapes));
    zb_arena *scratch = &v->p->scratch;
    v->looked = looked;
    v->count = ZB_NEW_ARRAY(scratch, int32_t, looked);
    v->first = ZB_NEW_ARRAY(scratch, int32_t, looked);
    v->rows = ZB_NEW_ARRAY(scratch, int32_t, looked);
    v->which = ZB_NEW_ARRAY(scratch, int32_t, looked);
    for (int32_t k = 0; k < looked; k++) {
        int32_t part = part_at(v, k), shape = v->which[k] = find_row_shape(v, part);
        if (v->cut->members) {
            int32_t *to = v->cut->members + v->cut->member_at[part];
            int32_t vertices = shape >= 0 ? v->graph.vertices : 0;
            for (int32_t i = 0; i < vertices; i++) to[i] = v->list[v->order[i]];
            v->cut->member_at[part + 1] = v->cut->member_at[part] + vertices;
        }
        if (shape < 0) continue;
        if (v->count[shape]++ == 0) v->first[shape] = part, v->rows[shape] = v->inner;
    }
}

/* --------------------------------------------------------------------------- classes */

/* Pattern, order and operations of the class whose first part has just been looked at. */
static void describe_row_class(view *v, ze_row_class *class)
{
    zb_arena *scratch = &v->p->scratch, *arena = &v->p->arena;
    int32_t inner = v->inner, all = v->graph.vertices;
    int32_t *number = ZB_NEW_ARRAY(scratch, int32_t, all);
    bool *fills = ZB_NEW_ARRAY(scratch, bool, all *all);
    for (int32_t k = 0; k < all; k++) number[v->order[k]] = k;
    *class = (ze_row_class){.inner = inner, .outer = all - inner};
    class->entries = ZB_NEW_ARRAY(arena, ze_index_pair, v->graph.edges);
    for (int32_t e = 0; e < v->graph.edges; e++) {
        int32_t a = number[v->graph.edge[e].from], b = number[v->graph.edge[e].to];
        fills[a * all + b] = fills[b * all + a] = true;
    }
    for (int32_t a = 0; a < all; a++)
        for (int32_t b = 0; b < a && b < inner; b++)
            if (fills[a * all + b]) class->entries[class->entry_count++] = (ze_index_pair){a, b};
    class->order = ZB_NEW_ARRAY(arena, int32_t, inner);
    class->operations = ze_order_row_class(scratch, inner, class->outer, fills, class->order);
    for (int32_t a = 0; a < all; a++) /* a guess until there are programs */
        for (int32_t b = 0; b < a && b < inner; b++) class->stored += fills[a * all + b];
    class->pairs = ZB_NEW_ARRAY(arena, ze_index_pair, class->outer * (class->outer + 1) / 2);
    for (int32_t a = 0; a < class->outer; a++)
        for (int32_t b = 0; b <= a; b++)
            if (a == b || fills[(inner + a) * all + inner + b])
                class->pairs[class->pair_count++] = (ze_index_pair){a, b};
}

/* The shape with the most rows that is not taken yet and repeats; -1: none. */
static int32_t most_frequent_shape(const view *v, const bool *taken, int32_t least)
{
    int32_t best = -1;
    int64_t most = 0;
    for (int32_t s = 0; s < ze_shape_set_count(v->p->shapes); s++) {
        int64_t rows = (int64_t)v->count[s] * v->rows[s];
        if (taken[s] || v->count[s] < least || rows <= most) continue;
        best = s;
        most = rows;
    }
    return best;
}

/* The classes of this cut, the shape with the most rows first. class_of [shapes]: -1 or the class.
 */
static void make_row_classes(view *v, int32_t *class_of)
{
    ze_row_cut *cut = v->cut;
    int32_t shapes = ze_shape_set_count(v->p->shapes);
    double share = (double)cut->parts / (double)v->looked;
    int32_t least = share > 1.0 ? 2 : ze_least_parts;
    bool *taken = ZB_NEW_ARRAY(&v->p->scratch, bool, shapes);
    for (int32_t s = 0; s < shapes; s++) class_of[s] = -1;
    cut->class_count = 0;
    while (cut->class_count < ze_most_row_classes) {
        int32_t s = most_frequent_shape(v, taken, least);
        if (s < 0) break;
        taken[s] = true;
        ze_row_class *class = &cut->classes[cut->class_count];
        (void)find_row_shape(v, v->first[s]);
        describe_row_class(v, class);
        if (class->operations > ze_most_row_operations) continue;
        class->count = (int32_t)((double)v->count[s] * share);
        class->groups = (class->count + v->p->width - 1) / v->p->width;
        class_of[s] = cut->class_count++;
    }
}

/* Seconds of this level, and a guess of those below. */
static void estimate_cut(view *v)
{
    ze_row_cut *cut = v->cut;
    double inside = 0.0, terms = 0.0, below = 0.0, numbers = 0.0;
    int32_t n = v->level->x.n, left = cut->left_count;
    cut->cost = 0.0;
    for (int32_t c = 0; c < cut->class_count; c++) {
        const ze_row_class *class = &cut->classes[c];
        inside += (double)class->count * class->inner;
        numbers += (double)class->count *
                   (class->entry_count + 5 * class->inner + class->stored + class->pair_count);
        terms += (double)class->count * (class->pair_count + class->outer);
        below += ze_left_entry_ns * (double)class->count * class->pair_count;
        int32_t groups = (class->count + ze_counted_lanes - 1) / ze_counted_lanes;
        cut->cost += (double)groups * ze_row_class_seconds(class, ze_counted_lanes);
    }
    double stays = (double)n - (double)left - inside;
    cut->traffic = memory_seconds(8.0 * numbers);
    cut->cost += 1e-9 * ze_term_ns * (terms + 2.0 * left) + cut->traffic;
    cut->guess = cut->cost + 1e-9 * (below + ze_left_row_ns * left +
                                     ze_odd_row_ns * (stays > 0.0 ? stays : 0.0));
}

/* ---------------------------------------------------------------------- candidates */

/* Rows by part; which are left. Returns the entries between rows that are and are not, an upper
 * bound for the rows around parts. */
static int64_t divide_rows(ze_planner *p, const ze_level *level, ze_row_cut *cut)
{
    const ze_graph *g = &level->graph;
    int32_t n = level->x.n;
    int64_t around = 0;
    int32_t *at = ZB_NEW_ARRAY(&p->scratch, int32_t, cut->parts + 1);
    for (int32_t i = 0; i < n; i++) {
        at[cut->part[i] + 1]++;
        cut->left[i] = false;
        for (int32_t e = g->start[i]; e < g->start[i + 1] && !cut->left[i]; e++)
            cut->left[i] = cut->part[g->next[e]] > cut->part[i];
    }
    cut->first[0] = cut->left_count = 0;
    for (int32_t k = 0; k < cut->parts; k++) cut->first[k + 1] = at[k + 1] += at[k];
    for (int32_t i = 0; i < n; i++) {
        cut->row[at[cut->part[i]]++] = i;
        if (!cut->left[i]) continue;
        cut->left_count++;
        for (int32_t e = g->start[i]; e < g->start[i + 1]; e++) around += !cut->left[g->next[e]];
    }
    return around;
}

typedef struct candidate {
    ze_rule rule;
    int32_t size;
} candidate;

/* The arrays that all cuts of a level share. */
static void open_row_cut(ze_planner *p, const ze_level *level, ze_row_cut *cut)
{
    int32_t n = level->x.n;
    *cut = (ze_row_cut){.part = ZB_NEW_ARRAY(&p->arena, int32_t, n),
                        .left = ZB_NEW_ARRAY(&p->arena, bool, n),
                        .row = ZB_NEW_ARRAY(&p->arena, int32_t, n),
                        .first = ZB_NEW_ARRAY(&p->arena, int32_t, n + 1)};
}

/* Which class each part is of, and the number it has there. */
static void number_class_parts(ze_row_cut *cut, const int32_t *which, const int32_t *class_of)
{
    for (int32_t c = 0; c < cut->class_count; c++) cut->classes[c].count = 0;
    for (int32_t k = 0; k < cut->parts; k++) {
        cut->class[k] = which[k] >= 0 ? class_of[which[k]] : -1;
        if (cut->class[k] >= 0) cut->index[k] = cut->classes[cut->class[k]].count++;
    }
}

/* A cut by a rule; whole: with all its parts and their rows, otherwise to be judged only. False:
 * the rule does not serve or nothing repeats. */
static bool try_rule(ze_planner *p, view *v, const candidate *how, bool whole)
{
    ze_row_cut *cut = v->cut;
    const ze_level *level = v->level;
    ze_must(p,
            ze_partition(p->memory, &level->graph, how->rule, how->size, cut->part, &cut->parts));
    if (cut->parts < ze_least_parts) return false;
    int64_t around = divide_rows(p, level, cut);
    if (2 * cut->left_count > level->x.n) return false;
    if (whole) {
        cut->member_at = ZB_NEW_ARRAY(&p->arena, int32_t, cut->parts + 1);
        cut->members = ZB_NEW_ARRAY(&p->arena, int32_t, level->x.n + around);
        cut->class = ZB_NEW_ARRAY(&p->arena, int32_t, cut->parts);
        cut->index = ZB_NEW_ARRAY(&p->arena, int32_t, cut->parts);
    }
    find_shapes_of_parts(v, whole || cut->parts <= most_looked ? cut->parts : most_looked);
    int32_t *class_of = ZB_NEW_ARRAY(&p->scratch, int32_t, ze_shape_set_count(p->shapes));
    make_row_classes(v, class_of);
    estimate_cut(v);
    if (whole) number_class_parts(cut, v->which, class_of);
    return cut->class_count > 0;
}

/* What is tried: of large matrices less. */
static int32_t list_candidates(int32_t n, candidate *list)
{
    static const int32_t sizes[] = {4, 8, 16, 32, 48};
    int32_t count = 0;
    list[count++] = (candidate){ZE_COMPONENTS, ze_most_inner};
    for (int32_t k = 0; k < 5; k++) {
        bool serves = n > large_rows ? sizes[k] == 32
                                     : sizes[k] * ze_least_parts <= n && n <= most_parts * sizes[k];
        if (!serves) continue;
        list[count++] = (candidate){ZE_DECLARED, sizes[k]};
        list[count++] = (candidate){ZE_LEVELS, sizes[k]};
        if (sizes[k] != 48) list[count++] = (candidate){ZE_CARVED, sizes[k]};
    }
    return count;
}

/* Of a large matrix the first cut that is clearly good, of a very large one a fair one. */
static bool is_good_enough(const ze_level *level, const ze_row_cut *cut)
{
    int32_t n = level->x.n;
    za_prediction q = {.nonzeros = level->x.start[n] - n};
    double share = n > huge_rows ? fairly : clearly;
    return n > large_rows && cut->guess - cut->traffic < share * ze_ordinary_seconds(n, &q, NULL);
}

/* Whether the component of the first row is a part; if not, no other need be looked at. */
static bool is_first_component_small(view *v)
{
    const ze_graph *g = &v->level->graph;
    int32_t count = 0, at = 0;
    v->local[0] = 0;
    v->list[count++] = 0;
    for (; at < count && count <= ze_most_inner; at++) {
        for (int32_t e = g->start[v->list[at]]; e < g->start[v->list[at] + 1]; e++) {
            if (v->local[g->next[e]] >= 0 || count > ze_most_inner) continue;
            v->local[g->next[e]] = count;
            v->list[count++] = g->next[e];
        }
    }
    for (int32_t k = 0; k < count; k++) v->local[v->list[k]] = -1;
    return count <= ze_most_inner;
}

/* Candidates are judged by samples, in arenas that are rewound; the best one is made again, whole.
 * Of large matrices the first that is good enough ends the list. */
void ze_cut_level(ze_planner *p, ze_level *level)
{
    candidate list[16];
    int32_t count = list_candidates(level->x.n, list), best = -1;
    double least = 0.0;
    zb_mark mark = zb_arena_mark(&p->scratch);
    ze_row_cut *cut = ZB_NEW(&p->arena, ze_row_cut);
    view v;
    open_row_cut(p, level, cut);
    open_view(&v, p, level, cut);
    for (int32_t k = is_first_component_small(&v) ? 0 : 1; k < count; k++) {
        zb_mark inner = zb_arena_mark(&p->scratch), kept = zb_arena_mark(&p->arena);
        bool serves = try_rule(p, &v, &list[k], false);
        if (serves && (best < 0 || cut->guess < least)) {
            best = k;
            least = cut->guess;
            p->over = p->limit > 0.0 && cut->cost > p->limit;
        }
        if (serves && is_good_enough(level, cut)) count = k;
        zb_arena_release(&p->arena, kept);
        zb_arena_release(&p->scratch, inner);
    }
    if (best >= 0 && !p->over && try_rule(p, &v, &list[best], true)) level->cut = cut;
    zb_arena_release(&p->scratch, mark);
}
