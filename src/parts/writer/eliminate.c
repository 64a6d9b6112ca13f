/*
 * Elimination of the inner rows of a part as operations on nodes: LDL^T without pivoting in an
 * order of minimum degree, what it leaves of the outer rows, and the two substitutions.
 *
 *     inner  ·-·-·-·-·        pivot j, neighbours i, k that are left:
 *           /         \           L_ij = S_ij / D_j
 *     outer x         x           S_ik -= L_ij S_kj,   c_i -= L_ij c_j
 *
 *     then, from the last pivot to the first:  x_j = c_j / D_j - sum_i L_ij x_i
 *
 * An entry that is the number 0 is none and costs nothing. There is one division a row. Arrays are
 * the caller's; nodes are added to the caller's pool; the scratch arena and the pool jump when
 * memory runs out.
 */
#include "eliminate.h"

/* ---------------------------------------------------------------------- order */

/* A pattern that is being eliminated. */
typedef struct graph {
    int32_t inner, count;
    bool *has;       /* [count * count] symmetric */
    int32_t *degree; /* [inner] neighbours that are left, */
    int32_t *inside; /* [inner] inner ones of them */
    bool *gone;      /* [count] */
    int32_t *near;   /* [count] neighbours of the pivot that are left */
} graph;

/* Neighbours of a row that are not eliminated yet: all, and the inner ones of them. */
static void count_neighbours_left(graph *g, int32_t row)
{
    const bool *has = g->has + (size_t)row * (size_t)g->count;
    g->degree[row] = 0;
    for (int32_t k = 0; k < g->count; k++) {
        if (k == g->inner) g->inside[row] = g->degree[row];
        g->degree[row] += has[k] && !g->gone[k] && k != row;
    }
    if (g->inner == g->count) g->inside[row] = g->degree[row];
}

/* Makes the pattern symmetric, with the whole diagonal. */
static void make_symmetric(const graph *g)
{
    size_t count = (size_t)g->count;
    for (size_t i = 0; i < count; i++) {
        g->has[i * count + i] = true;
        for (size_t k = 0; k < i; k++)
            g->has[i * count + k] = g->has[k * count + i] =
                g->has[i * count + k] || g->has[k * count + i];
    }
}

/* The row of least degree that is left; of equals one with the fewest inner neighbours, which is
 * the best where the inside is eliminated alone; then a neighbour of `last`, then the first. */
static int32_t choose_pivot(const graph *g, int32_t last)
{
    int32_t best = -1;
    int64_t least = INT64_MAX;
    for (int32_t i = 0; i < g->inner; i++) {
        if (g->gone[i]) continue;
        bool adjacent = last >= 0 && g->has[(size_t)last * (size_t)g->count + (size_t)i];
        int64_t rank = ((int64_t)g->degree[i] * (g->count + 1) + g->inside[i]) * 2 + !adjacent;
        if (rank < least) best = i, least = rank;
    }
    return best;
}

/* Joins the neighbours of a pivot to each other; how many there are. */
static int32_t eliminate_from_graph(graph *g, int32_t row)
{
    size_t count = (size_t)g->count;
    int32_t near = 0;
    g->gone[row] = true;
    for (int32_t k = 0; k < g->count; k++)
        if (!g->gone[k] && g->has[(size_t)row * count + (size_t)k]) g->near[near++] = k;
    for (int32_t a = 0; a < near; a++)
        for (int32_t b = 0; b < near; b++)
            g->has[(size_t)g->near[a] * count + (size_t)g->near[b]] = true;
    for (int32_t a = 0; a < near; a++)
        if (g->near[a] < g->inner) count_neighbours_left(g, g->near[a]);
    return near;
}

/* A division, d products for L, d (d + 1) / 2 for S and d for c with their subtractions; back one
 * product and d with subtractions. */
static int64_t operations_of_pivot(int64_t degree)
{
    return 2 + degree + degree * (degree + 1) + 4 * degree;
}

/* Minimum degree, each pivot taken out of the graph at once; counts operations on the way. */
int64_t ze_order_rows(zb_arena *scratch, int32_t inner, int32_t outer, bool *fills, int32_t *order)
{
    zb_mark mark = zb_arena_mark(scratch);
    graph g = {.inner = inner, .count = inner + outer, .has = fills};
    size_t count = (size_t)g.count;
    if (!g.has) { /* a full one */
        g.has = ZB_NEW_ARRAY(scratch, bool, zb_product(count, count));
        for (size_t k = 0; k < count * count; k++) g.has[k] = true;
    }
    g.degree = ZB_NEW_ARRAY(scratch, int32_t, (size_t)inner);
    g.inside = ZB_NEW_ARRAY(scratch, int32_t, (size_t)inner);
    g.gone = ZB_NEW_ARRAY(scratch, bool, count);
    g.near = ZB_NEW_ARRAY(scratch, int32_t, count);
    make_symmetric(&g);
    for (int32_t i = 0; i < inner; i++) count_neighbours_left(&g, i);
    int64_t operations = 0;
    for (int32_t k = 0; k < inner; k++) {
        order[k] = choose_pivot(&g, k > 0 ? order[k - 1] : -1);
        operations += operations_of_pivot(eliminate_from_graph(&g, order[k]));
    }
    zb_arena_release(scratch, mark);
    return operations;
}

/* ---------------------------------------------------------------- elimination */

/* Whether a node is the number 0: no entry. */
static bool is_zero_node(const zx_pool *pool, zx_node node)
{
    double value;
    return zx_is_constant(pool, node, &value) && value == 0.0;
}

/* x - a b; nothing where a or b is 0. */
static zx_node subtract_product(zx_pool *pool, zx_node x, zx_node a, zx_node b)
{
    if (is_zero_node(pool, a) || is_zero_node(pool, b)) return x;
    return zx_binary(pool, ZX_SUB, x, zx_binary(pool, ZX_MUL, a, b));
}

/* The entry of rows i and j, whichever is the larger. */
static zx_node *matrix_entry(const ze_elimination *e, int32_t i, int32_t j)
{
    size_t count = (size_t)e->inner + (size_t)e->outer;
    return i >= j ? &e->S[(size_t)i * count + (size_t)j] : &e->S[(size_t)j * count + (size_t)i];
}

static zx_node *factor_entry(const ze_elimination *e, int32_t i, int32_t j)
{
    return &e->L[(size_t)i * ((size_t)e->inner + (size_t)e->outer) + (size_t)j];
}

/* Row k in the order of elimination, outer rows behind. */
static int32_t row_in_order(const ze_elimination *e, int32_t k)
{
    return k < e->inner ? e->order[k] : k;
}

/* Eliminates the row at place p of the order; rows at places below `end` take part. */
static void eliminate_row(ze_elimination *e, int32_t p, int32_t end)
{
    zx_pool *pool = e->pool;
    int32_t j = e->order[p];
    e->inverse[j] = zx_binary(pool, ZX_DIV, zx_number(pool, 1.0), *matrix_entry(e, j, j));
    for (int32_t a = p + 1; a < end; a++) {
        int32_t i = row_in_order(e, a);
        zx_node S = *matrix_entry(e, i, j);
        if (is_zero_node(pool, S)) continue;
        *factor_entry(e, i, j) = zx_binary(pool, ZX_MUL, S, e->inverse[j]);
        e->right[i] = subtract_product(pool, e->right[i], *factor_entry(e, i, j), e->right[j]);
        for (int32_t b = p + 1; b <= a; b++) {
            int32_t k = row_in_order(e, b);
            *matrix_entry(e, i, k) = subtract_product(
                pool, *matrix_entry(e, i, k), *factor_entry(e, i, j), *matrix_entry(e, k, j));
        }
    }
}

/* Right-looking: every pivot updates all that is left. */
void ze_eliminate(ze_elimination *e, bool outer_too)
{
    int32_t count = e->inner + e->outer;
    zx_node zero = zx_number(e->pool, 0.0);
    for (size_t k = 0; k < (size_t)count * (size_t)count; k++) e->L[k] = zero;
    for (int32_t p = 0; p < e->inner; p++) eliminate_row(e, p, outer_too ? count : e->inner);
}

/* -------------------------------------------------------------- substitutions */

/* From the last pivot to the first; what is known last is subtracted last. */
void ze_substitute_back(const ze_elimination *e, zx_node *x)
{
    int32_t count = e->inner + e->outer;
    for (int32_t p = e->inner - 1; p >= 0; p--) {
        int32_t j = e->order[p];
        zx_node sum = zx_binary(e->pool, ZX_MUL, e->right[j], e->inverse[j]);
        for (int32_t a = count - 1; a > p; a--) /* the one known last comes last */
            sum = subtract_product(e->pool, sum, *factor_entry(e, row_in_order(e, a), j),
                                   x[row_in_order(e, a)]);
        x[j] = sum;
    }
}

/* What ze_eliminate does to its right side, with an L that is known. */
void ze_substitute_forward(const ze_elimination *e, zx_node *c)
{
    int32_t count = e->inner + e->outer;
    for (int32_t p = 0; p < e->inner; p++) {
        int32_t j = e->order[p];
        for (int32_t a = p + 1; a < count; a++) {
            int32_t i = row_in_order(e, a);
            c[i] = subtract_product(e->pool, c[i], *factor_entry(e, i, j), c[j]);
        }
    }
}
