/*
 * The programs that solve a part: for every purpose down (its share of the rows between, its inner
 * rows eliminated) and back (multipliers of its inner rows, z of its bodies).
 *
 *     down   S_ii  S_io   c_i      ──▶   S_oo - S_oi S_ii^-1 S_io,   c_o - S_oi S_ii^-1 c_i
 *            S_oi  S_oo   c_o
 *     back   S_ii x_i = c_i - S_io x_o,   z = M^-1 (force + A^T x)
 *
 *     ACCELERATION  force Q,            c = b - A M^-1 Q
 *     POSITIONS     force 0,            c = -phi
 *     VELOCITIES    force 0,            c = -rate
 *     DAMPED        as ACCELERATION     S_ii (1 + damping)
 *     REFINED       force 0,            c = b - A z, of the z before: a correction of z and lambda
 *
 * z = M^-1 (Q + A^T lambda) holds to rounding from the start: REFINED corrects lambda by what is
 * missing of A z = b, with no damping in it, and z by what that does. It has the factor of DAMPED:
 *
 *     DAMPED.down ──▶ stored: A, b, L, 1 / pivots ──▶ DAMPED.back
 *                         │       │
 *               REFINED.down ──▶ REFINED.back       substitutions alone, nothing of the state
 *                           L^-1 c
 *
 * b, phi and rate of a row are added by the part that owns it. Back either writes S_ii and its
 * elimination out again, or reads what down has stored of them; a part without outer rows stores
 * its answer. Rows are kept over their factors and S over the common 1 / D (write_terms.c,
 * write_rows.c): what others see is put right here.
 */
#include <string.h>

#include "writer.h"

static const double least_pivot = 1e-6; /* of M, in units of its own entry */

/* One purpose under way. */
typedef struct solve_writer {
    ze_writer *w;
    ze_purpose purpose;
    bool damped;
    bool stores;       /* back reads what down has stored */
    bool *left_out;    /* [rows] */
    zx_node *force;    /* [own] by coordinate */
    zx_node *u;        /* [own] D^-1 L^-1 force, in the order of member */
    zx_node *base;     /* [rows] c */
    zx_node *diagonal; /* [rows] S_ii as elimination begins */
    ze_elimination e;
    zx_node *list; /* of roots */
    int32_t count;
} solve_writer;

static zx_node negated_node(ze_writer *w, zx_node x)
{
    return zx_unary(&w->pool, ZX_NEG, x);
}

/* The maximum of |x| so far; 0 at the begin. */
static zx_node larger_magnitude(ze_writer *w, zx_node so_far, zx_node x)
{
    zx_node size = zx_unary(&w->pool, ZX_ABS, x);
    return ze_is_zero(w, so_far) ? size : zx_binary(&w->pool, ZX_MAX, so_far, size);
}

/* The largest |x| of a list, zeros left aside. */
static zx_node largest_magnitude(ze_writer *w, const zx_node *x, int32_t count)
{
    zx_node all = w->zero;
    for (int32_t k = 0; k < count; k++)
        if (!ze_is_zero(w, x[k])) all = larger_magnitude(w, all, x[k]);
    return all;
}

/* ------------------------------------------------------------------- right sides */

/* Whether a row plays no part in a purpose: it gets 1 on the diagonal and no entries. */
static bool is_left_out(ze_purpose purpose, ze_row_kind kind)
{
    if (purpose == ZE_POSITIONS) return kind != ZE_HOLONOMIC;
    return purpose == ZE_VELOCITIES && kind == ZE_OF_ACCELERATIONS;
}

/* x / factor where x is a product, or sum of products, with it as it stands: weights m g over
 * masses m. ZX_NONE: it is not. Looks a few operations deep. */
static zx_node without_factor(ze_writer *w, zx_node x, zx_node factor, int depth)
{
    zx_item item = w->pool.items[x];
    if (x == factor) return w->one;
    if (ze_is_zero(w, x)) return w->zero;
    bool product = item.op == ZX_MUL, sum = item.op == ZX_ADD || item.op == ZX_SUB;
    if ((!product && !sum && item.op != ZX_NEG) || depth == 0) return ZX_NONE;
    zx_node a = without_factor(w, item.a, factor, depth - 1);
    if (item.op == ZX_NEG) return a == ZX_NONE ? ZX_NONE : negated_node(w, a);
    if (product && a != ZX_NONE) return ze_mul(w, a, item.b);
    zx_node b = without_factor(w, item.b, factor, depth - 1);
    if (product) return b == ZX_NONE ? ZX_NONE : ze_mul(w, item.a, b);
    return a == ZX_NONE || b == ZX_NONE ? ZX_NONE : zx_binary(&w->pool, (zx_op)item.op, a, b);
}

/* x / D of coordinate k in the order of member; where D is a factor of x, by leaving it out. */
static zx_node divide_by_pivot(ze_writer *w, zx_node x, int32_t k)
{
    enum { deep = 5 };
    zx_node y = without_factor(w, x, w->D[k], deep);
    return y == ZX_NONE ? ze_mul(w, w->inverse[k], x) : y;
}

/* u = D^-1 L^-1 force; 0 where only rows are to be satisfied. */
static void write_force(solve_writer *s)
{
    ze_writer *w = s->w;
    bool none = s->purpose == ZE_POSITIONS || s->purpose == ZE_VELOCITIES;
    s->force = ze_zeros(w, w->shape->own);
    s->u = ze_zeros(w, w->shape->own);
    if (none) return;
    memcpy(s->force, w->Q, sizeof *w->Q * (size_t)w->shape->own);
    for (int32_t k = 0; k < w->shape->own; k++) s->u[k] = s->force[w->member[k]];
    for (int32_t body = 0; body < w->shape->bodies; body++)
        ze_forward_body(w, body, s->u + w->first[body]);
    for (int32_t k = 0; k < w->shape->own; k++) s->u[k] = divide_by_pivot(w, s->u[k], k);
}

/* b, -phi or -rate of a row that the part owns, over the factor of the row. */
static zx_node given_right(const solve_writer *s, int32_t row)
{
    ze_writer *w = s->w;
    if (!w->shape->owned[row]) return w->zero;
    if (s->purpose != ZE_POSITIONS && s->purpose != ZE_VELOCITIES) return w->b[row];
    zx_node level = w->level[ze_levels * row + (s->purpose == ZE_VELOCITIES)];
    return ze_scale(w, 1.0 / w->factor[row], negated_node(w, level));
}

/* c = given - A M^-1 force of every row that counts. */
static void write_right(solve_writer *s)
{
    ze_writer *w = s->w;
    s->base = ze_zeros(w, w->rows);
    for (int32_t row = 0; row < w->rows; row++) {
        if (s->left_out[row]) continue;
        s->base[row] = given_right(s, row);
        s->base[row] = ze_sub(w, s->base[row], ze_row_times(w, row, s->u));
    }
}

/* --------------------------------------------------------------------- elimination */

/* S of the purpose, before elimination. */
static void write_matrix(solve_writer *s)
{
    ze_writer *w = s->w;
    int32_t rows = w->rows;
    zx_node damping = zx_leaf(&w->pool, ZX_ACCELERATION, ze_damping);
    zx_node more = ze_add(w, w->one, damping);
    memcpy(s->e.S, w->S, sizeof *w->S * (size_t)rows * (size_t)rows);
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < i; j++)
            if (s->left_out[i] || s->left_out[j]) s->e.S[i * rows + j] = w->zero;
        zx_node *diagonal = &s->e.S[i * rows + i];
        if (s->left_out[i])
            *diagonal = i < w->shape->inner || w->shape->owned[i] ? w->one : w->zero;
        else if (s->damped)
            *diagonal = ze_mul(w, more, *diagonal);
        s->diagonal[i] = *diagonal;
    }
    memcpy(s->e.right, s->base, sizeof *s->base * (size_t)rows);
}

/* Everything before elimination: force, right sides, matrix. */
static solve_writer open_solve(ze_writer *w, ze_purpose purpose)
{
    int32_t rows = w->rows, inner = w->shape->inner;
    solve_writer s = {.w = w, .purpose = purpose};
    s.damped = w->options->dependent;
    s.stores = w->options->store || purpose == ZE_DAMPED;
    s.left_out = ZB_NEW_ARRAY(&w->scratch, bool, (size_t)rows);
    for (int32_t i = 0; i < rows; i++) s.left_out[i] = is_left_out(purpose, w->shape->kind[i]);
    s.diagonal = ze_zeros(w, rows);
    s.e = (ze_elimination){.pool = &w->pool, .inner = inner, .outer = w->shape->outer};
    s.e.S = ze_zeros(w, (int64_t)rows * rows);
    s.e.L = ze_zeros(w, (int64_t)rows * rows);
    s.e.right = ze_zeros(w, rows);
    s.e.inverse = ze_zeros(w, inner);
    s.e.order = w->order;
    write_force(&s);
    write_right(&s);
    write_matrix(&s);
    return s;
}

/* ---------------------------------------------------------------------------- down */

/* One more output of the program under way. */
static void add_output(solve_writer *s, zx_node root)
{
    s->list[s->count++] = root;
}

/* An entry (i, j) as others see it: with the factors of both rows and the common 1 / D, which S is
 * kept without. */
static zx_node in_true_units(const solve_writer *s, int32_t i, int32_t j, zx_node x)
{
    ze_writer *w = s->w;
    if (s->left_out[i] || s->left_out[j]) return x;
    zx_node common = w->common == ZX_NONE ? w->one : w->common;
    return ze_mul(w, ze_scale(w, w->factor[i] * w->factor[j], common), x);
}

/* The least of the pivots of M, less least_pivot of the entry that each began as where elimination
 * has changed it; 1 where all are positive numbers. */
static zx_node mass_margin(ze_writer *w)
{
    zx_node least = w->one, number = zx_number(&w->pool, least_pivot);
    double value;
    for (int32_t body = 0; body < w->shape->bodies; body++)
        for (int32_t i = 0; i < ze_body_size(w, body); i++) {
            zx_node whole = w->M[body][i * ze_body_size(w, body) + i];
            zx_node pivot = w->D[w->first[body] + i];
            if (pivot != whole) pivot = ze_sub(w, pivot, ze_mul(w, number, whole));
            if (zx_is_constant(&w->pool, pivot, &value) && value > 0.0) continue;
            least = least == w->one ? pivot : zx_binary(&w->pool, ZX_MIN, least, pivot);
        }
    return least;
}

/* The least of pivot - least * diagonal entry, and whether M is definite. */
static zx_node least_margin(const solve_writer *s)
{
    ze_writer *w = s->w;
    zx_node margin = mass_margin(w), least = zx_leaf(&w->pool, ZX_ACCELERATION, ze_least);
    for (int32_t k = 0; k < w->shape->inner; k++) {
        int32_t j = w->order[k];
        if (s->left_out[j]) continue;
        zx_node pivot = s->e.S[j * w->rows + j];
        zx_node over = ze_sub(w, pivot, ze_mul(w, least, s->diagonal[j]));
        margin = margin == w->one ? over : zx_binary(&w->pool, ZX_MIN, margin, over);
    }
    return margin;
}

/* Whether the pivot of a row changes no other row. */
static bool ends_elimination(const solve_writer *s, int32_t row)
{
    for (int32_t i = 0; i < s->w->rows; i++)
        if (!ze_is_zero(s->w, s->e.L[i * s->w->rows + row])) return false;
    return true;
}

/* A sum that is not finite where anything is not: right sides of what is left hold what pivots and
 * right sides before them were; bodies without rows come besides. */
static zx_node sum_of_ends(const solve_writer *s)
{
    ze_writer *w = s->w;
    zx_node sum = w->zero;
    for (int32_t i = 0; i < w->rows; i++) {
        bool inner = i < w->shape->inner;
        if (inner && !ends_elimination(s, i)) continue;
        zx_node end = inner ? ze_mul(w, s->e.right[i], s->e.inverse[i]) : s->e.right[i];
        sum = ze_add(w, sum, end);
    }
    for (int32_t body = 0; body < w->shape->bodies; body++)
        for (int32_t k = w->first[body]; k < w->first[body + 1]; k++)
            if (w->by_start[body] == w->by_start[body + 1]) sum = ze_add(w, sum, s->u[k]);
    return sum;
}

/* The margin of a part; -1 where a sum over everything is not finite, as a minimum may lose what is
 * not a number. */
static zx_node margin_of_part(const solve_writer *s)
{
    ze_writer *w = s->w;
    zx_node size = zx_unary(&w->pool, ZX_ABS, sum_of_ends(s));
    zx_node fine = zx_binary(&w->pool, ZX_LE, size, zx_number(&w->pool, 1e300));
    return zx_select(&w->pool, fine, least_margin(s), zx_number(&w->pool, -1.0));
}

/* Outputs in the order that shape.h lists; what is stored is added when programs are compiled. */
static void write_down(solve_writer *s, ze_code *code)
{
    ze_writer *w = s->w;
    const ze_programs *p = w->programs;
    int32_t inner = w->shape->inner, outer = w->shape->outer, rows = w->rows;
    ze_eliminate(&s->e, true);
    s->list = ze_zeros(w, (int64_t)p->pair_count + 2 * (int64_t)outer + 1);
    s->count = 0;
    for (int32_t k = 0; k < p->pair_count; k++) {
        int32_t i = inner + p->pairs[k].row, j = inner + p->pairs[k].column;
        add_output(s, in_true_units(s, i, j, s->e.S[i * rows + j]));
    }
    for (int32_t i = inner; i < rows; i++) add_output(s, ze_scale(w, w->factor[i], s->e.right[i]));
    for (int32_t i = inner; i < rows; i++) add_output(s, in_true_units(s, i, i, s->diagonal[i]));
    add_output(s, margin_of_part(s));
    w->roots[w->root_count++] = (ze_roots){.code = code, .list = s->list, .count = s->count};
}

/* ---------------------------------------------------------------------------- back */

/* x [rows]: multipliers with the factor of the row and the common 1 / D in them; outer ones are
 * read, inner ones follow from them. */
static zx_node *multipliers_of(solve_writer *s)
{
    ze_writer *w = s->w;
    int32_t rows = w->rows, inner = w->shape->inner;
    zx_node *x = ze_zeros(w, rows), common = w->common == ZX_NONE ? w->one : w->common;
    for (int32_t i = inner; i < rows; i++)
        if (!s->left_out[i])
            x[i] = ze_mul(w, ze_scale(w, w->factor[i], common),
                          ze_read_node(w, ZE_READ_OUTER, i - inner));
    if (!s->stores) { /* the inside anew, with what the outer ones do */
        write_matrix(s);
        for (int32_t i = 0; i < inner; i++)
            for (int32_t o = inner; o < rows; o++)
                s->e.right[i] = ze_sub(w, s->e.right[i], ze_mul(w, s->e.S[o * rows + i], x[o]));
        ze_eliminate(&s->e, false);
    }
    ze_substitute_back(&s->e, x);
    return x;
}

/* z [own] = M^-1 (force + A^T x) by coordinate. */
static zx_node *motion_of_bodies(solve_writer *s, const zx_node *x)
{
    ze_writer *w = s->w;
    zx_node *z = ze_zeros(w, w->shape->own), *f = ze_zeros(w, w->shape->own);
    for (int32_t body = 0; body < w->shape->bodies; body++) {
        int32_t size = ze_body_size(w, body), at = w->first[body];
        for (int32_t k = w->by_start[body]; k < w->by_start[body + 1]; k++) {
            const ze_touch *t = &w->touch[w->by_body[k]];
            for (int32_t i = 0; i < size; i++)
                f[at + i] = ze_add(w, f[at + i], ze_mul(w, t->G[i], x[t->row]));
        }
        for (int32_t i = 0; i < size; i++) {
            if (w->common == ZX_NONE) f[at + i] = ze_mul(w, w->inverse[at + i], f[at + i]);
            f[at + i] = ze_add(w, f[at + i], s->u[at + i]);
        }
        ze_backward_body(w, body, f + at);
        for (int32_t i = 0; i < size; i++) z[w->member[at + i]] = f[at + i];
    }
    return z;
}

/* lambda of a row from the unknown x that is solved for, which has the factor of the row and the
 * common 1 / D in it. */
static zx_node multiplier_of(const solve_writer *s, int32_t row, zx_node x)
{
    ze_writer *w = s->w;
    if (w->common == ZX_NONE) return ze_scale(w, 1.0 / w->factor[row], x);
    return ze_mul(w, ze_scale(w, 1.0 / w->factor[row], w->D[0]), x);
}

/* Outputs of REFINED: z and lambda after the correction, then the largest |dz|, |z|, |dlambda|,
 * |lambda|. */
static void add_corrected_outputs(solve_writer *s, const zx_node *dz, const zx_node *x)
{
    ze_writer *w = s->w;
    int32_t own = w->shape->own, inner = w->shape->inner;
    zx_node size[4] = {w->zero, w->zero, w->zero, w->zero};
    for (int32_t k = 0; k < own; k++) {
        zx_node z = ze_add(w, ze_read_node(w, ZE_READ_Z, k), dz[k]);
        add_output(s, z);
        size[0] = larger_magnitude(w, size[0], dz[k]);
        size[1] = larger_magnitude(w, size[1], z);
    }
    for (int32_t row = 0; row < inner; row++) {
        zx_node change = multiplier_of(s, row, x[row]);
        zx_node lambda = ze_add(w, ze_read_node(w, ZE_READ_LAMBDA, row), change);
        add_output(s, lambda);
        size[2] = larger_magnitude(w, size[2], change);
        size[3] = larger_magnitude(w, size[3], lambda);
    }
    for (int k = 0; k < 4; k++) add_output(s, size[k]);
}

/* Lists what down may store: L, D^-1 c, u, 1 / D, G and the factors of M, all that back would use
 * of the state. */
static void list_cuts(const solve_writer *s, ze_roots *roots)
{
    ze_writer *w = s->w;
    int32_t rows = w->rows, inner = w->shape->inner, own = w->shape->own;
    size_t most = (size_t)rows * (size_t)rows + (size_t)inner + 2 * (size_t)own;
    for (int32_t k = 0; k < w->touch_start[rows]; k++)
        most += (size_t)ze_body_size(w, w->touch[k].body);
    for (int32_t k = 0; k < w->shape->bodies; k++)
        most += (size_t)ze_body_size(w, k) * (size_t)ze_body_size(w, k);
    zx_node *list = ZB_NEW_ARRAY(&w->scratch, zx_node, most);
    int32_t count = 0;
    for (int32_t k = 0; k < rows * rows; k++) list[count++] = s->e.L[k];
    for (int32_t k = 0; k < inner; k++) list[count++] = ze_mul(w, s->e.right[k], s->e.inverse[k]);
    for (int32_t k = 0; k < own; k++) list[count++] = s->u[k], list[count++] = w->inverse[k];
    for (int32_t k = 0; k < w->touch_start[rows]; k++)
        for (int32_t i = 0; i < ze_body_size(w, w->touch[k].body); i++)
            list[count++] = w->touch[k].G[i];
    for (int32_t k = 0; k < w->shape->bodies; k++)
        for (int32_t i = 0; w->L[k] && i < ze_body_size(w, k) * ze_body_size(w, k); i++)
            list[count++] = w->L[k][i];
    roots->cuts = list;
    roots->cut_count = count;
}

/* Whether computing it again takes longer than reading it. */
static bool is_slow(int32_t op)
{
    return (op >= ZX_SIN && op <= ZX_LOG) || op == ZX_POW || op == ZX_ATAN2 || op == ZX_HYPOT;
}

/* Functions that take longer than a read are stored even where back computes all else again. */
static void list_slow(const solve_writer *s, ze_roots *roots)
{
    const zx_pool *pool = &s->w->pool;
    zx_node *list = ZB_NEW_ARRAY(&s->w->scratch, zx_node, (size_t)pool->count);
    for (zx_node k = 0; k < pool->count; k++)
        if (is_slow(pool->items[k].op)) list[roots->cut_count++] = k;
    roots->cuts = list;
}

/* A part without outer rows: down knows the whole answer, and stores it. What is rarely asked for
 * is computed anew. */
static void list_answers(const solve_writer *s, const zx_node *x, const zx_node *z, ze_roots *roots)
{
    int32_t inner = s->w->shape->inner, own = s->w->shape->own;
    zx_node *list = ze_zeros(s->w, (int64_t)own + inner);
    for (int32_t k = 0; k < own; k++) list[k] = z[k];
    for (int32_t k = 0; k < inner; k++) list[own + k] = x[k];
    roots->cuts = list;
    roots->cut_count = own + inner;
}

/* z of the own bodies, with multipliers lambda of the inner rows. What down may store for it is
 * listed on the way, before and after the nodes of back are made. */
static void write_back(solve_writer *s, ze_solve_codes *codes, ze_code *code, bool multipliers)
{
    ze_writer *w = s->w;
    ze_roots *roots = &w->roots[w->root_count++];
    *roots = (ze_roots){.code = code};
    bool alone = w->shape->outer == 0, rare = code == &codes->back_full;
    roots->apart = s->purpose == ZE_DAMPED;
    if (!alone || !rare) roots->codes = codes;
    if (s->stores && !alone && !roots->apart) list_cuts(s, roots);
    zx_node *x = multipliers_of(s), *z = motion_of_bodies(s, x);
    if (!s->stores && !alone) list_slow(s, roots);
    if (alone && !rare && !roots->apart) list_answers(s, x, z, roots);
    s->list = ze_zeros(w, (int64_t)w->shape->own + w->rows + 1);
    s->count = 0;
    for (int32_t k = 0; k < w->shape->own; k++) add_output(s, z[k]);
    for (int32_t k = 0; multipliers && k < w->shape->inner; k++)
        add_output(s, multiplier_of(s, k, x[k]));
    if (s->purpose == ZE_DAMPED) add_output(s, largest_magnitude(w, s->u, w->shape->own));
    roots->list = s->list;
    roots->count = s->count;
}

/* --------------------------------------------------------------------- corrections */

/* c = b - A z of the z before, and L^-1 of it. */
static zx_node *write_missing(solve_writer *s)
{
    ze_writer *w = s->w;
    zx_node *c = ze_zeros(w, w->rows), *z = ze_zeros(w, w->shape->own);
    for (int32_t k = 0; k < w->shape->own; k++) z[k] = ze_read_node(w, ZE_READ_Z, w->member[k]);
    for (int32_t row = 0; row < w->rows; row++)
        c[row] = ze_sub(w, given_right(s, row), ze_row_itself_times(w, row, z));
    ze_substitute_forward(&s->e, c);
    return c;
}

/* A program that reads what DAMPED has stored, and nothing of the state. */
static void add_correction_roots(solve_writer *s, ze_code *code)
{
    ze_writer *w = s->w;
    w->roots[w->root_count++] = (ze_roots){.code = code,
                                           .list = s->list,
                                           .count = s->count,
                                           .codes = &w->programs->solve[ZE_DAMPED],
                                           .apart = true};
}

/* L^-1 of what is missing: of inner rows it is carried to back, of outer rows it is the share. c of
 * inner rows is a read from then on. */
static void write_correction_down(solve_writer *s, zx_node *c, ze_code *code)
{
    ze_writer *w = s->w;
    s->list = ze_zeros(w, w->rows);
    s->count = 0;
    for (int32_t k = 0; k < w->shape->inner; k++) {
        add_output(s, c[k]);
        c[k] = ze_read_node(w, ZE_READ_CARRIED, k);
    }
    for (int32_t i = w->shape->inner; i < w->rows; i++)
        add_output(s, ze_scale(w, w->factor[i], c[i]));
    add_correction_roots(s, code);
}

/* REFINED: the elimination of DAMPED with another right side. */
static void write_correction(solve_writer *s, ze_solve_codes *codes)
{
    ze_writer *w = s->w;
    zx_node *c = write_missing(s);
    if (w->shape->outer > 0) write_correction_down(s, c, &codes->down);
    memcpy(s->e.right, c, sizeof *c * (size_t)w->rows);
    s->u = ze_zeros(w, w->shape->own);
    zx_node *x = multipliers_of(s), *z = motion_of_bodies(s, x);
    s->list = ze_zeros(w, (int64_t)w->shape->own + w->shape->inner + 4);
    s->count = 0;
    add_corrected_outputs(s, z, x);
    add_correction_roots(s, &codes->back);
}

/* ----------------------------------------------------------------------------- all */

/* Down and back of a purpose; of DAMPED the correction with them. */
static void write_purpose(ze_writer *w, ze_purpose purpose)
{
    ze_solve_codes *codes = &w->programs->solve[purpose];
    solve_writer s = open_solve(w, purpose);
    write_down(&s, &codes->down);
    write_back(&s, codes, &codes->back, purpose == ZE_DAMPED);
    if (purpose == ZE_ACCELERATION) write_back(&s, codes, &codes->back_full, true);
    if (purpose == ZE_DAMPED) write_correction(&s, &w->programs->solve[ZE_REFINED]);
}

/* Accelerations and the two ways back onto the constraints. */
void ze_write_solves(ze_writer *w)
{
    bool dependent = w->options->dependent;
    write_purpose(w, dependent ? ZE_DAMPED : ZE_ACCELERATION);
    write_purpose(w, ZE_POSITIONS);
    write_purpose(w, ZE_VELOCITIES);
}
