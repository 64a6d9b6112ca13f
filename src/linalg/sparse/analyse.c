/*
 * Analysis of a sparse symmetric matrix X = L D L^T without forming L.
 *
 * The parent of column j in the *elimination tree* is the first row below the diagonal in column j
 * of L. Row i of L has the columns on the paths from the entries of row i of X up the tree to i: a
 * *row subtree* with root i, whose leaves are some of those entries. Hence (Gilbert, Ng, Peyton) the
 * number of row subtrees that column j belongs to, the nonzeros of the column, is a sum over the
 * tree below j of
 *
 *     + 1  for each row subtree of which the node is a leaf,
 *     - 1  for each two leaves, neighbours in postorder, whose paths first meet in the node,
 *     - 1  for each row subtree that ends here, as its root, seen from each child.
 *
 * An entry is a leaf of row subtree i when no entry before it, in postorder, lies in its own
 * subtree; where two paths meet is found by sets that are united along the tree. Almost linear in
 * the nonzeros of X.
 *
 * Memory is the caller's.
 */
#include "analyse.h"

/* ------------------------------------------------------------------ another order */

/* at [n]: where each row stands in the order; order NULL: as it is. */
static void invert_order(int32_t n, const int32_t *order, int32_t *at)
{
    for (int32_t k = 0; k < n; k++) at[order ? order[k] : k] = k;
}

/* Turns counts in start[k + 1] into first places, and copies them to next. */
static void add_up_counts(int32_t n, int32_t *start, int32_t *next)
{
    for (int32_t k = 0; k < n; k++) {
        start[k + 1] += start[k];
        next[k] = start[k];
    }
}

/* The columns of the triangle: each entry goes to the earlier of its two. place: NULL or where
 * each stands in the original. */
static void fill_columns(const za_symmetric *x, const int32_t *at, int32_t *next, int32_t *row,
                         int32_t *place)
{
    for (int32_t i = 0; i < x->n; i++) {
        int32_t a = at[i];
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            int32_t b = at[x->index[p]], q = next[a < b ? a : b]++;
            row[q] = a < b ? b : a;
            if (place) place[q] = p;
        }
    }
}

/* The rows, column by column, so that their columns ascend. */
static void fill_rows(const za_permuted *y, const int32_t *place, int32_t *next, int32_t *index,
                      int32_t *from)
{
    for (int32_t j = 0; j < y->rows.n; j++) {
        for (int32_t p = y->below[j]; p < y->below[j + 1]; p++) {
            int32_t q = next[y->row[p]]++;
            index[q] = j;
            if (from) from[q] = place[p];
        }
    }
}

/* Adds to below[j + 1] the entries of column j below its diagonal, and to start[i + 1]
 * those of row i, in the new order. */
static void count_both(const za_symmetric *x, const int32_t *at, int32_t *below, int32_t *start)
{
    for (int32_t i = 0; i < x->n; i++) {
        int32_t a = at[i];
        start[a + 1]++; /* the diagonal */
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            int32_t b = at[x->index[p]];
            below[(a < b ? a : b) + 1]++;
            start[(a < b ? b : a) + 1]++;
        }
    }
}

/* Columns first, then the rows from them, so that the columns of each row ascend without sorting;
 * the diagonal goes last in every row. */
zw_status za_permute(zb_arena *arena, const za_symmetric *x, const int32_t *order, bool from,
                     za_permuted *y)
{
    int32_t n = x->n, all = n > 0 ? x->start[n] : 0;
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, (size_t)n + 1);
    int32_t *below = ZB_NEW_ARRAY(arena, int32_t, (size_t)n + 1);
    int32_t *index = ZB_NEW_ARRAY(arena, int32_t, all),
            *row = ZB_NEW_ARRAY(arena, int32_t, all - n);
    int32_t *source = from ? ZB_NEW_ARRAY(arena, int32_t, all) : NULL;
    zb_mark mark = zb_arena_mark(arena);
    int32_t *at = ZB_NEW_ARRAY(arena, int32_t, n), *next = ZB_NEW_ARRAY(arena, int32_t, n);
    int32_t *place = from ? ZB_NEW_ARRAY(arena, int32_t, all - n) : NULL;
    if (!start || !below || !index || !row || !at || !next || (from && (!source || !place)))
        return arena->failure;
    *y = (za_permuted){{n, start, index}, source, below, row};
    invert_order(n, order, at);
    count_both(x, at, below, start);
    add_up_counts(n, below, next);
    fill_columns(x, at, next, row, place);
    add_up_counts(n, start, next);
    fill_rows(y, place, next, index, source);
    for (int32_t k = 0; k < n; k++) {
        index[start[k + 1] - 1] = k;
        if (from) source[start[k + 1] - 1] = x->start[(order ? order[k] : k) + 1] - 1;
    }
    zb_arena_release(arena, mark);
    return ZW_OK;
}

/* ------------------------------------------------------------------------ the tree */

/* Row by row: the paths from the entries of row i end, so far, at roots below i; i becomes their
 * parent. work: a shortcut towards the root. */
void za_elimination_tree(const za_symmetric *x, int32_t *parent, int32_t *work)
{
    for (int32_t i = 0; i < x->n; i++) {
        parent[i] = work[i] = -1;
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            int32_t j = x->index[p];
            while (work[j] >= 0 && work[j] != i) {
                int32_t above = work[j];
                work[j] = i;
                j = above;
            }
            if (work[j] < 0) work[j] = parent[j] = i;
        }
    }
}

/* The first leaf below a node. */
static int32_t find_lowest_leaf(const int32_t *child, int32_t node)
{
    while (child[node] >= 0) node = child[node];
    return node;
}

/* Lists of children, then each tree from its first leaf up, without recursion. */
void za_postorder(int32_t n, const int32_t *parent, int32_t *post, int32_t *work)
{
    int32_t *child = work, *sibling = work + n, done = 0;
    for (int32_t i = 0; i < n; i++) child[i] = -1;
    for (int32_t i = n - 1; i >= 0; i--) {
        if (parent[i] < 0) continue;
        sibling[i] = child[parent[i]];
        child[parent[i]] = i;
    }
    for (int32_t root = 0; root < n; root++) {
        if (parent[root] >= 0) continue;
        int32_t node = find_lowest_leaf(child, root);
        for (post[done++] = node; node != root; post[done++] = node)
            node = sibling[node] >= 0 ? find_lowest_leaf(child, sibling[node]) : parent[node];
    }
}

/* The tree of the order given, its postorder, and the order taken in that sequence. */
zw_status za_make_postorder(zb_arena *arena, const za_symmetric *x, int32_t *order)
{
    size_t n = (size_t)x->n;
    za_permuted y = {0};
    ZB_TRY(za_permute(arena, x, order, false, &y));
    int32_t *parent = ZB_NEW_ARRAY(arena, int32_t, n), *post = ZB_NEW_ARRAY(arena, int32_t, n);
    int32_t *work = ZB_NEW_ARRAY(arena, int32_t, zb_product(2, n));
    if (!parent || !post || !work) return arena->failure;
    za_elimination_tree(&y.rows, parent, work);
    za_postorder(x->n, parent, post, work);
    for (size_t k = 0; k < n; k++) work[k] = order[post[k]];
    for (size_t k = 0; k < n; k++) order[k] = work[k];
    return ZW_OK;
}

/* ------------------------------------------------------------------- column counts */

/* Column counts in the making. */
typedef struct counting {
    int32_t *first;    /* [n] where the node's subtree begins in postorder */
    int32_t *last;     /* [n] of a row subtree: its latest leaf so far, -1: none */
    int32_t *latest;   /* [n] and where that leaf's subtree begins */
    int32_t *ancestor; /* [n] towards the root of the set that a node is in */
} counting;

/* Where the paths up from two leaves meet: the root of the set that the earlier one is in. */
static int32_t find_meeting(int32_t *ancestor, int32_t node)
{
    int32_t root = node;
    while (ancestor[root] != root) root = ancestor[root];
    while (node != root) {
        int32_t above = ancestor[node];
        ancestor[node] = root;
        node = above;
    }
    return root;
}

/* Entry (i, j) of X: what it adds, if j is a leaf of row subtree i. */
static void count_entry(counting *c, int32_t i, int32_t j, int32_t *count)
{
    if (c->first[j] <= c->latest[i]) return;
    int32_t before = c->last[i];
    c->latest[i] = c->first[j];
    c->last[i] = j;
    count[j]++;
    if (before >= 0) count[find_meeting(c->ancestor, before)]--;
}

/* Where subtrees begin, and 1 for each node without children: it is
 * a leaf of its own row subtree. */
static void begin_counting(int32_t n, const int32_t *parent, const int32_t *post, counting *c,
                           int32_t *count)
{
    for (int32_t j = 0; j < n; j++) {
        c->first[j] = c->last[j] = c->latest[j] = -1;
        c->ancestor[j] = j;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t j = post[k];
        count[j] = c->first[j] < 0; /* without children: a leaf of its own row subtree */
        for (; j >= 0 && c->first[j] < 0; j = parent[j]) c->first[j] = k;
    }
}

/* What each node adds, in postorder; then the sums over subtrees, children before parents. */
void za_column_counts(const za_permuted *x, const int32_t *parent, const int32_t *post,
                      int32_t *count, int32_t *work)
{
    int32_t n = x->rows.n;
    counting c = {work, work + n, work + 2 * (size_t)n, work + 3 * (size_t)n};
    begin_counting(n, parent, post, &c, count);
    for (int32_t k = 0; k < n; k++) {
        int32_t j = post[k];
        if (parent[j] >= 0) count[parent[j]]--; /* row subtree j ends in j */
        for (int32_t p = x->below[j]; p < x->below[j + 1]; p++)
            count_entry(&c, x->row[p], j, count);
        if (parent[j] >= 0) c.ancestor[j] = parent[j];
    }
    for (int32_t k = 0; k < n; k++)
        if (parent[post[k]] >= 0) count[parent[post[k]]] += count[post[k]];
}
