/*
 * sparse_problems.c: nets of rods and what is around them.
 *
 * Matrices are collected as triplets, in any order, and then packed by rows; entries at one place
 * are added. All numbers are dyadic with few digits, so that sums and products here are exact.
 */
#include "sparse_problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCK = 6 };

static void *room(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (block == NULL) abort();
    return block;
}

/* ------------------------------------------------------------------ triplets */

typedef struct triplet {
    int32_t row, column;
    double value;
} triplet;

typedef struct triplets {
    int32_t rows, columns, count, capacity;
    bool upper; /* entries below the diagonal are left out */
    triplet *at;
} triplets;

static void put(triplets *t, int32_t row, int32_t column, double value)
{
    if (t->upper && row > column) return;
    if (t->count == t->capacity) {
        t->capacity = 2 * t->capacity + 64;
        t->at = realloc(t->at, (size_t)t->capacity * sizeof *t->at);
        if (t->at == NULL) abort();
    }
    t->at[t->count++] = (triplet){row, column, value};
}

static int by_place(const void *a, const void *b)
{
    const triplet *x = a, *y = b;
    int row = (x->row > y->row) - (x->row < y->row);
    return row != 0 ? row : (x->column > y->column) - (x->column < y->column);
}

/* Packs and frees the triplets; the three arrays go to owned[0..2]. */
static double *pack(triplets *t, zg_pattern *pattern, void **owned)
{
    int32_t *start = room((size_t)t->rows + 1, sizeof *start), last = -1;
    int32_t *column = room((size_t)t->count, sizeof *column);
    double *value = room((size_t)t->count, sizeof *value);
    int32_t used = 0;
    if (t->count > 0) qsort(t->at, (size_t)t->count, sizeof *t->at, by_place);
    for (int32_t k = 0; k < t->count; k++) {
        const triplet *e = &t->at[k];
        if (e->row != last || used == start[e->row] || column[used - 1] != e->column) {
            for (; last < e->row; last++) start[last + 1] = used;
            column[used++] = e->column;
        }
        value[used - 1] += e->value;
    }
    for (; last < t->rows; last++) start[last + 1] = used;
    *pattern = (zg_pattern){t->rows, t->columns, start, column};
    free(t->at);
    *t = (triplets){0};
    owned[0] = start, owned[1] = column, owned[2] = value;
    return value;
}

/* ----------------------------------------------------------------------- nets */

typedef struct net {
    uint64_t random;
    int32_t nodes, dimension;
    double *position; /* [nodes * dimension] */
    triplets A;
} net;

/* The rod from node i to node j; j < 0: to the ground at the origin. */
static void rod(net *x, int32_t i, int32_t j)
{
    int32_t row = x->A.rows++;
    for (int32_t d = 0; d < x->dimension; d++) {
        int32_t a = i * x->dimension + d, b = j * x->dimension + d;
        double difference = x->position[a] - (j < 0 ? 0.0 : x->position[b]);
        put(&x->A, row, a, difference);
        if (j >= 0) put(&x->A, row, b, -difference);
    }
}

/* Anywhere, for nets without a shape. */
static void scatter(net *x)
{
    for (int32_t k = 0; k < x->nodes * x->dimension; k++)
        x->position[k] = random_dyadic(&x->random);
}

/* A column of `wide` nodes side by side, each shaken a little. */
static void line_up(net *x, int32_t wide)
{
    for (int32_t i = 0; i < x->nodes; i++) {
        for (int32_t d = 0; d < x->dimension; d++) {
            int32_t grid = d == 0 ? 1 + i / wide : d == 1 ? i % wide : 0;
            x->position[i * x->dimension + d] = grid + random_integer(&x->random, -12, 12) / 64.0;
        }
    }
}

static void make_chain(net *x, bool closed)
{
    scatter(x);
    for (int32_t i = 0; i < x->nodes; i++) rod(x, i, i - 1);
    if (closed) rod(x, x->nodes - 1, 0);
    if (closed) rod(x, x->nodes - 1, -1);
}

static void make_ladder(net *x, bool crossed)
{
    line_up(x, 2);
    rod(x, 0, -1);
    for (int32_t i = 0; i + 1 < x->nodes; i += 2) {
        rod(x, i, i + 1);
        if (i + 3 >= x->nodes) break;
        rod(x, i, i + 2);
        rod(x, i + 1, i + 3);
        if (crossed) rod(x, i, i + 3);
        if (crossed) rod(x, i + 1, i + 2);
    }
}

static void make_tree(net *x)
{
    scatter(x);
    for (int32_t i = 0; i < x->nodes; i++) rod(x, i, i == 0 ? -1 : (i - 1) / 2);
}

/* Right, up and one diagonal, in declared order node by node. */
static void lattice_rods(net *x, int32_t wide)
{
    for (int32_t i = 0; i < x->nodes; i++) {
        bool right = i % wide + 1 < wide && i + 1 < x->nodes, up = i + wide < x->nodes;
        if (right) rod(x, i, i + 1);
        if (up) rod(x, i, i + wide);
        if (right && i + wide + 1 < x->nodes) rod(x, i, i + wide + 1);
    }
}

static void make_lattice(net *x)
{
    int32_t wide = (int32_t)sqrt((double)x->nodes);
    line_up(x, wide);
    rod(x, 0, -1);
    lattice_rods(x, wide);
}

static void make_star(net *x)
{
    scatter(x);
    rod(x, 0, -1);
    for (int32_t i = 1; i < x->nodes; i++) {
        rod(x, 0, i);
        if (i % 4 == 0) rod(x, i, i - 1);
    }
}

static void make_graph(net *x, int32_t rods)
{
    scatter(x);
    for (int32_t k = 0; k < rods; k++) {
        int32_t i = random_integer(&x->random, 0, x->nodes - 1);
        int32_t j = random_integer(&x->random, -1, x->nodes - 2);
        rod(x, i, j >= i ? j + 1 : j);
    }
}

/* Two to five entries a row, anywhere. */
static void make_rows(net *x, int32_t rows)
{
    for (int32_t i = 0; i < rows; i++) {
        int32_t count = random_integer(&x->random, 2, 5);
        for (int32_t k = 0; k < count; k++) {
            put(&x->A, i, random_integer(&x->random, 0, x->A.columns - 1),
                random_dyadic(&x->random));
        }
    }
    x->A.rows = rows;
}

/* So many nodes that there are about kind->rows rods. */
static int32_t nodes_of(const net_kind *kind)
{
    static const double rods[NET_SHAPES] = {
        [NET_CHAIN] = 1,     [NET_LOOP] = 1,    [NET_LADDER] = 1.5,
        [NET_CROSSED] = 2.5, [NET_TREE] = 1,    [NET_LATTICE] = 2.5,
        [NET_STAR] = 1.25,   [NET_GRAPH] = 1.4, [NET_SPARSE] = 0.8};
    int32_t nodes = (int32_t)(kind->rows / rods[kind->shape]);
    return nodes < 4 ? 4 : nodes - nodes % 2;
}

static void make_net(net *x, const net_kind *kind)
{
    x->nodes = nodes_of(kind);
    x->dimension = random_integer(&x->random, 2, 3);
    x->A.columns = x->nodes * x->dimension;
    x->position = room((size_t)x->A.columns, sizeof *x->position);
    switch (kind->shape) {
    case NET_CHAIN:
        make_chain(x, false);
        break;
    case NET_LOOP:
        make_chain(x, true);
        break;
    case NET_LADDER:
        make_ladder(x, false);
        break;
    case NET_CROSSED:
        make_ladder(x, true);
        break;
    case NET_TREE:
        make_tree(x);
        break;
    case NET_LATTICE:
        make_lattice(x);
        break;
    case NET_STAR:
        make_star(x);
        break;
    case NET_GRAPH:
        make_graph(x, kind->rows);
        break;
    case NET_SPARSE:
    case NET_SHAPES:
        make_rows(x, kind->rows);
        break;
    }
}

/* ------------------------------------------------------------- dependent rows */

/* factor times row i of A as it is before `end`, added to the row that is being made */
static void add_row(triplets *A, int32_t end, int32_t i, double factor)
{
    for (int32_t k = 0; k < end; k++) {
        if (A->at[k].row == i) put(A, A->rows, A->at[k].column, factor * A->at[k].value);
    }
}

/* A fifth more: sums of near rows with small integers, now and then a copy or a zero row. */
static void mix_in(net *x)
{
    int32_t rows = x->A.rows, end = x->A.count;
    for (int32_t k = 0; k < rows / 5 + 1; k++) {
        int32_t i = random_integer(&x->random, 0, rows - 1),
                sort = random_integer(&x->random, 0, 9);
        int32_t j = (i + random_integer(&x->random, 1, 4)) % rows;
        if (sort > 0) add_row(&x->A, end, i, random_integer(&x->random, 1, 2) - 3.0 * (sort % 2));
        if (sort > 1) add_row(&x->A, end, j, random_integer(&x->random, 1, 3));
        if (sort > 6) add_row(&x->A, end, (j + 1) % rows, -1.0);
        x->A.rows++;
    }
}

/* --------------------------------------------------------------------- masses */

/* The diagonal block [first, first + size): F F^T, F [size x inner] dyadic, and `floor` on the
 * diagonal. */
static void put_block(triplets *t, uint64_t *random, int32_t first, int32_t size, int32_t inner,
                      double floor)
{
    double F[MOST_BLOCK][MOST_BLOCK];
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = 0; j < inner; j++) F[i][j] = random_integer(random, -8, 8) / 8.0;
    for (int32_t i = 0; i < size; i++) {
        for (int32_t j = 0; j < size; j++) {
            double sum = i == j ? floor : 0.0;
            for (int32_t k = 0; k < inner; k++) sum += F[i][k] * F[j][k];
            put(t, first + i, first + j, sum);
        }
    }
}

static void put_blocks(triplets *t, uint64_t *random, int32_t most)
{
    for (int32_t i = 0; i < t->rows; i += most) {
        int32_t size = t->rows - i < most ? t->rows - i : most;
        put_block(t, random, i, size, size, 0.5);
    }
}

/* Blocks of which every third has a direction without mass. */
static void put_deficient(triplets *t, uint64_t *random)
{
    for (int32_t i = 0, size = 2; i < t->rows; i += size) {
        size = random_integer(random, 2, 4);
        if (size > t->rows - i) size = t->rows - i;
        bool full = random_integer(random, 0, 2) > 0;
        put_block(t, random, i, size, full ? size : size - 1, full ? 0.5 : 0.0);
    }
}

/* count squares of rows with a few entries each: k v v^T */
static void put_squares(triplets *t, uint64_t *random, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        int32_t at[3];
        double v[3];
        for (int32_t a = 0; a < 3; a++) {
            at[a] = (k + random_integer(random, 0, 6) * (a > 0)) % t->rows;
            v[a] = random_integer(random, 1, 8) / 4.0;
        }
        for (int32_t a = 0; a < 3; a++)
            for (int32_t b = 0; b < 3; b++) put(t, at[a], at[b], v[a] * v[b]);
    }
}

static void make_mass(triplets *t, uint64_t *random, net_mass kind)
{
    for (int32_t i = 0; i < t->rows; i++) {
        bool massless = kind == MASS_ZERO_ROWS && random_integer(random, 0, 5) == 0;
        double mass = random_integer(random, 8, 64) / 16.0;
        if (kind == MASS_PLAIN || kind == MASS_GENERAL || kind == MASS_ZERO_ROWS)
            put(t, i, i, massless ? 0.0 : mass);
    }
    if (kind == MASS_BLOCKS_2) put_blocks(t, random, 2);
    if (kind == MASS_BLOCKS_3) put_blocks(t, random, 3);
    if (kind == MASS_BLOCKS_6) put_blocks(t, random, 6);
    if (kind == MASS_GENERAL) put_squares(t, random, t->rows / 2);
    if (kind == MASS_SEMIDEFINITE) put_deficient(t, random);
}

/* Puts masses where neither M nor A determines the motion, until they do. */
static void make_determined(sparse_problem *p, uint64_t *random)
{
    double *M = p->owned[5];
    const int32_t *start = p->is.M.start; /* the diagonal entry comes first and is there */
    for (int32_t turn = 0; net_rank(p, true, true) < p->is.n; turn++) {
        for (int32_t i = 0; i < p->is.n; i++)
            if (random_integer(random, 0, 7) <= turn) M[start[i]] += 1.0;
    }
}

/* Half of the zeros in M are no longer part of its pattern. */
static void drop_zeros(sparse_problem *p, uint64_t *random)
{
    int32_t *start = p->owned[3], *column = p->owned[4], used = 0;
    double *M = p->owned[5];
    for (int32_t i = 0, k = 0; i < p->is.n; i++) {
        int32_t end = start[i + 1];
        start[i] = used;
        for (; k < end; k++) {
            if (M[k] == 0.0 && random_integer(random, 0, 1) == 0) continue;
            column[used] = column[k];
            M[used++] = M[k];
        }
    }
    start[p->is.n] = used;
}

/* ----------------------------------------------------------- weights and sides */

static void make_weight(triplets *t, uint64_t *random, net_weight kind)
{
    if (kind == WEIGHT_BLOCKS) put_blocks(t, random, 3);
    for (int32_t i = 0; i < t->rows && kind != WEIGHT_BLOCKS; i++) {
        put(t, i, i, kind == WEIGHT_FULL ? 1.0 + i % 3 : pow(10.0, random_real(random, -3.0, 3.0)));
    }
    for (int32_t k = 0; k < 2 && kind == WEIGHT_FULL; k++) {
        double *v = room((size_t)t->rows, sizeof *v);
        for (int32_t i = 0; i < t->rows; i++) v[i] = random_integer(random, -4, 4) / 8.0;
        for (int32_t i = 0; i < t->rows; i++)
            for (int32_t j = 0; j < t->rows; j++) put(t, i, j, v[i] * v[j]);
        free(v);
    }
}

static void make_sides(sparse_problem *p, uint64_t *random)
{
    int32_t n = p->is.n, m = p->is.m;
    double *z = room((size_t)n, sizeof *z);
    p->Q = p->owned[9] = room((size_t)(3 * n + m), sizeof(double));
    p->C = p->Q + n;
    p->x = p->C + n;
    p->b = p->x + n;
    p->with_C = random_integer(random, 0, 2) > 0;
    for (int32_t j = 0; j < n; j++) {
        z[j] = random_dyadic(random);
        p->Q[j] = random_real(random, -10, 10);
        p->C[j] = p->with_C ? random_real(random, -10, 10) : 0.0;
        p->x[j] = random_real(random, -1, 1);
    }
    const zg_pattern *A = &p->is.A;
    for (int32_t i = 0; i < m; i++) {
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
            p->b[i] += p->values.A[k] * z[A->column[k]];
        if (p->kind.extra == EXTRA_CONTRADICTORY) p->b[i] += random_real(random, -3, 3);
    }
    free(z);
}

/* ------------------------------------------------------------------- problems */

static sparse_problem *assembled(net *x, triplets *M, triplets *W)
{
    sparse_problem *p = room(1, sizeof *p);
    p->is.n = x->A.columns;
    p->is.m = x->A.rows;
    p->values.A = pack(&x->A, &p->is.A, p->owned);
    p->values.M = pack(M, &p->is.M, p->owned + 3);
    if (W->rows > 0) p->values.W = pack(W, &p->is.W, p->owned + 6);
    free(x->position);
    return p;
}

net_kind net_kind_of(int32_t k, int32_t turn, int32_t rows)
{
    return (net_kind){.shape = (net_shape)(k % NET_SHAPES),
                      .mass = (net_mass)(k / NET_SHAPES % NET_MASSES),
                      .extra = (net_extra)(k / (NET_SHAPES * NET_MASSES) % NET_EXTRAS),
                      .weight = (net_weight)((k + turn) % NET_WEIGHTS),
                      .rows = rows};
}

sparse_problem *net_make(const net_kind *kind, uint64_t seed)
{
    net x = {.random = seed * 0x9e3779b97f4a7c15u + (uint64_t)kind->shape};
    make_net(&x, kind);
    if (kind->extra != EXTRA_NONE) mix_in(&x);
    triplets M = {.rows = x.A.columns, .columns = x.A.columns, .upper = true};
    triplets W = {.rows = kind->weight == WEIGHT_NONE ? 0 : x.A.rows};
    W.columns = W.rows;
    make_mass(&M, &x.random, kind->mass);
    if (W.rows > 0) make_weight(&W, &x.random, kind->weight);
    sparse_problem *p = assembled(&x, &M, &W);
    p->kind = *kind;
    p->seed = seed;
    if (kind->mass == MASS_ZERO_ROWS || kind->mass == MASS_SEMIDEFINITE) {
        make_determined(p, &x.random);
        drop_zeros(p, &x.random);
    }
    make_sides(p, &x.random);
    return p;
}

void net_free(sparse_problem *p)
{
    if (p == NULL) return;
    for (size_t i = 0; i < sizeof p->owned / sizeof *p->owned; i++) free(p->owned[i]);
    free(p);
}

void net_describe(const sparse_problem *p, char *text, size_t size)
{
#define NET_TEXT(name, text) text,
    static const char *const shapes[] = {NET_LIST(NET_TEXT)},
                             *const masses[] = {NET_MASS_LIST(NET_TEXT)},
                             *const weights[] = {NET_WEIGHT_LIST(NET_TEXT)},
                             *const extras[] = {NET_EXTRA_LIST(NET_TEXT)};
#undef NET_TEXT
    const net_kind *k = &p->kind;
    snprintf(text, size, "%s, %s, %s, %s, %d x %d, seed %llu%s", shapes[k->shape], masses[k->mass],
             weights[k->weight], extras[k->extra], p->is.m, p->is.n, (unsigned long long)p->seed,
             p->with_C ? ", C" : "");
}

/* -------------------------------------------------------------- known answers */

/* s += amount times the self-stress of the hexagon around node c: +1 in the six spokes, -1 in the
 * rim. Rows are found by their two nodes. */
static void add_stress(const int32_t *row_of, int32_t wide, int32_t c, double amount, double *s)
{
    const int32_t around[6] = {1, wide + 1, wide, -1, -wide - 1, -wide};
    for (int32_t k = 0; k < 6; k++) {
        int32_t a = c + around[k], b = c + around[(k + 1) % 6], low = a < b ? a : b;
        int32_t step = a < b ? b - a : a - b, spoke = a < c ? a : c;
        s[row_of[3 * spoke + (around[k] == 1 || around[k] == -1         ? 0
                              : around[k] == wide || around[k] == -wide ? 1
                                                                        : 2)]] += amount;
        s[row_of[3 * low + (step == 1 ? 0 : step == wide ? 1 : 2)]] -= amount;
    }
}

/* row_of [3 * nodes]: the rods to the right, up and across of each node, in the order of
 * lattice_rods. */
static void number_rods(int32_t side, int32_t *row_of)
{
    int32_t row = 0;
    for (int32_t i = 0; i < side * side; i++) {
        bool right = i % side + 1 < side, up = i + side < side * side;
        row_of[3 * i] = right ? row++ : -1;
        row_of[3 * i + 1] = up ? row++ : -1;
        row_of[3 * i + 2] = right && up ? row++ : -1;
    }
}

/* lost = W^-1 s at about one hexagon in twenty */
static void contradict(known_lattice *l, int32_t side, uint64_t *random)
{
    int32_t *row_of = room((size_t)(3 * side * side), sizeof *row_of);
    number_rods(side, row_of);
    for (int32_t y = 1; y + 1 < side; y++) {
        for (int32_t x = 1; x + 1 < side; x++) {
            if (random_integer(random, 0, 19) > 0 && x != y) continue;
            add_stress(row_of, side, y * side + x, random_integer(random, 1, 8) / 8.0, l->lost);
        }
    }
    for (int32_t i = 0; i < l->p->is.m; i++) l->lost[i] /= l->p->values.W[i];
    free(row_of);
}

static void known_sides(known_lattice *l, uint64_t *random)
{
    sparse_problem *p = l->p;
    const zg_pattern *A = &p->is.A;
    for (int32_t j = 0; j < p->is.n; j++) l->z[j] = random_dyadic(random);
    for (int32_t i = 0; i < p->is.m; i++) {
        double lambda = random_dyadic(random);
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) {
            p->b[i] += p->values.A[k] * l->z[A->column[k]];
            l->force[A->column[k]] += p->values.A[k] * lambda;
        }
        p->b[i] -= l->lost[i];
    }
    for (int32_t j = 0; j < p->is.n; j++) p->Q[j] = p->values.M[j] * l->z[j] - l->force[j];
}

known_lattice lattice_make(int32_t side, bool contradictory, uint64_t seed)
{
    net x = {.random = seed, .nodes = side * side, .dimension = 2};
    x.A.columns = 2 * x.nodes;
    x.position = room((size_t)x.A.columns, sizeof *x.position);
    for (int32_t i = 0; i < x.nodes; i++) { /* sheared, so that no rod lies along an axis */
        x.position[2 * i] = i % side + 0.25 * (double)(i / side);
        x.position[2 * i + 1] = i / side - 0.125 * (double)(i % side);
    }
    lattice_rods(&x, side);
    triplets M = {.rows = x.A.columns, .columns = x.A.columns, .upper = true},
             W = {.rows = x.A.rows};
    W.columns = W.rows;
    for (int32_t j = 0; j < M.rows; j++) put(&M, j, j, random_integer(&x.random, 4, 16) / 8.0);
    for (int32_t i = 0; i < W.rows; i++)
        put(&W, i, i, ldexp(1.0, random_integer(&x.random, -2, 2)));
    sparse_problem *p = assembled(&x, &M, &W);
    size_t n = (size_t)p->is.n, m = (size_t)p->is.m;
    p->kind = (net_kind){.shape = NET_LATTICE, .weight = WEIGHT_DECADES, .rows = p->is.m};
    p->kind.extra = contradictory ? EXTRA_CONTRADICTORY : EXTRA_NONE;
    p->seed = seed;
    p->Q = p->owned[9] = room(3 * n + m, sizeof(double));
    p->C = p->Q + n, p->x = p->C + n, p->b = p->x + n;
    known_lattice l = {.p = p, .z = room(2 * n + m, sizeof(double))};
    l.force = l.z + n;
    l.lost = l.force + n;
    if (contradictory) contradict(&l, side, &x.random);
    known_sides(&l, &x.random);
    return l;
}

void lattice_free(known_lattice *l)
{
    net_free(l->p);
    free(l->z);
}
