/*
 * Which columns of L form supernodes, and in which order they are eliminated.
 *
 * In the postorder of the elimination tree (analyse.h), the next column belongs to the supernode of
 * the one before when it is its parent and has one entry less. Supernodes are then merged with
 * their parents where dense work on explicit zeros is cheaper than work on two small panels.
 * Merging a child into a parent changes the parent's rows by the child's columns only, so counts
 * decide. Columns are numbered supernode by supernode; the factor has the same fill as in the order
 * given, apart from those zeros.
 *
 * Memory: the caller's arena, which escapes.
 */
#include "analyse.h"
#include "supernodal.h"

/* The columns in postorder, cut into supernodes: node [n] of the k-th. parent [n] of columns,
 * count [n] of their entries. */
static void cut_supernodes(int32_t n, const int32_t *post, const int32_t *parent,
                           const int32_t *count, za_partition *s, int32_t *node)
{
    s->count = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t j = post[k];
        if (k == 0 || parent[post[k - 1]] != j || count[post[k - 1]] != count[j] + 1) {
            s->rows[s->count] = count[j];
            s->columns[s->count++] = 0;
        }
        node[k] = s->count - 1;
        s->columns[node[k]]++;
    }
}

/* Parents of supernodes: those of their last columns. at [n]: where each column stands in post. */
static void find_supernode_parents(int32_t n, const int32_t *post, const int32_t *parent,
                                   const int32_t *node, int32_t *at, za_partition *s)
{
    for (int32_t k = 0; k < n; k++) at[post[k]] = k;
    for (int32_t k = 0; k < n; k++) {
        int32_t up = parent[post[k]];
        s->parent[node[k]] = up < 0 ? -1 : node[at[up]];
    }
}

/* Predicted time of a panel of c columns and r rows, in operations at full speed. What is not
 * arithmetic: its entries; those of the update and their way into the parent; a constant. */
static double panel_cost(double c, double r)
{
    double b = r - c;
    return c * (c * c / 3.0 + b * c + b * b) + 6.0 * c * r + 4.0 * b * b + 10.0 * r + 1000.0;
}

/* Whether k becomes part of its parent p. */
static bool worth_merging(const za_partition *s, int32_t k, int32_t p)
{
    double c = s->columns[k], r = s->rows[k];
    double cp = s->columns[p], rp = s->rows[p];
    return panel_cost(c + cp, c + rp) <= panel_cost(c, r) + panel_cost(cp, rp);
}

/* into [count]: the supernode each became part of, itself for those that stay. Each decides about
 * its parent when all its own children have decided. */
static void merge_supernodes(za_partition *s, int32_t *into)
{
    for (int32_t k = 0; k < s->count; k++) {
        int32_t p = s->parent[k];
        into[k] = k;
        if (p < 0 || !worth_merging(s, k, p)) continue;
        s->columns[p] += s->columns[k];
        s->rows[p] += s->columns[k];
        into[k] = p;
    }
}

/* What stays, in the same order, in which subtrees are still consecutive; number [count]: the new
 * number of what each became part of. */
static za_partition renumber_supernodes(zb_arena *arena, const za_partition *s, const int32_t *into,
                                        int32_t *number)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < s->count; k++)
        if (into[k] == k) number[k] = kept++;
    za_partition y = {kept, ZB_NEW_ARRAY(arena, int32_t, kept), ZB_NEW_ARRAY(arena, int32_t, kept),
                      ZB_NEW_ARRAY(arena, int32_t, kept)};
    for (int32_t k = s->count - 1; k >= 0; k--) { /* parents first: their numbers are final */
        number[k] = number[into[k]];
        if (into[k] != k) continue;
        y.columns[number[k]] = s->columns[k];
        y.rows[number[k]] = s->rows[k];
        y.parent[number[k]] = s->parent[k] < 0 ? -1 : number[s->parent[k]];
    }
    return y;
}

/* order [n] (NULL: as it is) of columns, supernode by supernode, from the postorder. */
static void renumber_columns(zb_arena *arena, int32_t n, const za_partition *s, const int32_t *node,
                             const int32_t *number, const int32_t *post, const int32_t *order,
                             int32_t *new)
{
    int32_t *next = ZB_NEW_ARRAY(arena, int32_t, (size_t)s->count + 1);
    for (int32_t k = 0; k < s->count; k++) next[k + 1] = next[k] + s->columns[k];
    for (int32_t k = 0; k < n; k++) new[next[number[node[k]]]++] = order ? order[post[k]] : post[k];
}

/* Tree, postorder and column counts; supernodes cut, merged and numbered anew; columns in their
 * order. `count` and `work` are used again for what is needed later. */
void za_supernodal_partition(zb_arena *arena, const za_symmetric *x, const int32_t *order,
                             int32_t *new, za_partition *partition)
{
    size_t n = (size_t)x->n;
    int32_t *parent = ZB_NEW_ARRAY(arena, int32_t, n), *post = ZB_NEW_ARRAY(arena, int32_t, n);
    int32_t *count = ZB_NEW_ARRAY(arena, int32_t, n), *node = ZB_NEW_ARRAY(arena, int32_t, n);
    int32_t *work = ZB_NEW_ARRAY(arena, int32_t, 4 * n);
    za_permuted y;
    za_permute(arena, x, order, false, &y);
    za_elimination_tree(&y.rows, parent, work);
    za_postorder(x->n, parent, post, work);
    za_column_counts(&y, parent, post, count, work);
    za_partition s = {0, ZB_NEW_ARRAY(arena, int32_t, n), ZB_NEW_ARRAY(arena, int32_t, n),
                      ZB_NEW_ARRAY(arena, int32_t, n)};
    cut_supernodes(x->n, post, parent, count, &s, node);
    find_supernode_parents(x->n, post, parent, node, work, &s);
    merge_supernodes(&s, count);
    *partition = renumber_supernodes(arena, &s, count, work);
    renumber_columns(arena, x->n, partition, node, work, post, order, new);
}
