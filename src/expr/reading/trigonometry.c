/*
 * Sines and cosines in a polynomial, until nothing gets shorter:
 *
 *     T s^2 + T c^2 = T      T - T s^2 = T c^2      T - T c^2 = T s^2           s = sin u, c = cos u
 *     T cos u cos v + T sin u sin v = T cos(u - v)   ... and the other three addition theorems
 *
 * for terms T with one coefficient; then of every angle s^2 = 1 - c^2 or c^2 = 1 - s^2 throughout, if
 * fewer terms are left. Each change makes two terms one, so it ends.
 */
#include <math.h>

#include "reading.h"

/* -------------------------------------------------------------------- terms */

/* The place of the term with these factors; -1: there is none. */
static int32_t find_term(const zx_polynomial *p, const zx_term *like)
{
    int32_t low = 0, high = p->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (zx_compare_factors(&p->terms[middle], like) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->count && zx_compare_factors(&p->terms[low], like) == 0 ? low : -1;
}

static bool are_equal_numbers(double a, double b)
{
    return fabs(a - b) <= 64.0 * zb_eps * fabs(a);
}

/* p without terms i and j, with `sum` instead. */
static const zx_polynomial *replace_two_terms(zx_reader *r, const zx_polynomial *p, int32_t i,
                                              int32_t j, const zx_term *sum)
{
    zx_term *terms = zx_scratch(r->pool, p->count, sizeof *terms);
    int32_t count = 0;
    for (int32_t k = 0; k < p->count; k++)
        if (k != i && k != j) terms[count++] = p->terms[k];
    terms[count++] = *sum;
    return zx_collect_terms(r, terms, count);
}

static bool is_circular(const zx_reader *r, zx_node atom)
{
    int32_t op = r->pool->items[atom].op;
    return op == ZX_SIN || op == ZX_COS;
}

/* sin(u) of cos(u) and the other way round; it need not stand anywhere yet. */
static zx_node find_conjugate(zx_reader *r, zx_node atom)
{
    zx_item item = r->pool->items[atom];
    item.op = item.op == ZX_SIN ? ZX_COS : ZX_SIN;
    return zx_intern(r->pool, &item);
}

/* ----------------------------------------------------------- sin^2 + cos^2 */

/* Of term i with s^2 the partner with c^2, or with neither, at one square of it; NULL: nothing. */
static const zx_polynomial *merge_square(zx_reader *r, const zx_polynomial *p, int32_t i,
                                         zx_node atom)
{
    const zx_term *term = &p->terms[i];
    zx_node other = find_conjugate(r, atom);
    zx_term rest = zx_replace_factors(r, term, &(zx_factor){atom, -2}, 1);
    zx_term turned = zx_replace_factors(r, &rest, &(zx_factor){other, 2}, 1);
    int32_t j = find_term(p, &turned);
    if (j >= 0 && are_equal_numbers(term->c, p->terms[j].c)) /* T s^2 + T c^2 */
        return replace_two_terms(r, p, i, j, &rest);
    j = find_term(p, &rest);
    if (j >= 0 && are_equal_numbers(term->c, -p->terms[j].c)) { /* T - T s^2 */
        turned.c = p->terms[j].c;
        return replace_two_terms(r, p, i, j, &turned);
    }
    return NULL;
}

/* ------------------------------------------------------- addition theorems */

/* The argument of a function, as a polynomial. */
static const zx_polynomial *polynomial_of_argument(zx_reader *r, zx_node atom)
{
    return zx_know(r, r->pool->items[atom].a)->polynomial;
}

/* Which theorem joins x(u) y(v) with the product of their conjugates:
 *
 *     cos cos + c sin sin = cos(u - c v)        sin cos + c cos sin = sin(u + c v)      c = 1, -1
 *
 * x is the first atom of the first product, c the ratio of the coefficients. */
static zx_term join_angles(zx_reader *r, zx_node x, zx_node y, double c)
{
    const zx_polynomial *u = polynomial_of_argument(r, x), *v = polynomial_of_argument(r, y);
    bool same = r->pool->items[x].op == r->pool->items[y].op;
    const zx_polynomial *angle = zx_add_polynomials(r, u, same ? -c : c, v);
    return zx_function_term(r, same ? ZX_COS : ZX_SIN, angle);
}

/* Term i has x and y once or more: joins it with its partner. NULL: there is none. */
static const zx_polynomial *merge_product(zx_reader *r, const zx_polynomial *p, int32_t i,
                                          zx_node x, zx_node y)
{
    const zx_term *term = &p->terms[i];
    if (r->pool->items[x].op == ZX_COS && r->pool->items[y].op == ZX_SIN) { /* the sine first */
        zx_node swap = x;
        x = y, y = swap;
    }
    if (r->pool->items[x].op == ZX_SIN && r->pool->items[y].op == ZX_SIN)
        return NULL; /* seen from the product of the cosines */
    zx_factor turn[4] = {{x, -1}, {y, -1}, {find_conjugate(r, x), 1}, {find_conjugate(r, y), 1}};
    if (!polynomial_of_argument(r, x) || !polynomial_of_argument(r, y)) return NULL;
    zx_term rest = zx_replace_factors(r, term, turn, 2);
    zx_term turned = zx_replace_factors(r, &rest, turn + 2, 2);
    int32_t j = find_term(p, &turned);
    if (j < 0) return NULL;
    double c = p->terms[j].c / term->c;
    if (!are_equal_numbers(fabs(c), 1.0)) return NULL;
    zx_term joined = join_angles(r, x, y, c > 0.0 ? 1.0 : -1.0);
    joined = zx_multiply_terms(r, &rest, &joined);
    return replace_two_terms(r, p, i, j, &joined);
}

/* ------------------------------------------------------------ all of a term */

/* The first merge of term i with another; NULL: there is none. */
static const zx_polynomial *merge_term(zx_reader *r, const zx_polynomial *p, int32_t i)
{
    const zx_term *term = &p->terms[i];
    for (int32_t k = 0; k < term->count; k++) {
        zx_factor f = term->factors[k];
        if (f.exponent < 1 || !is_circular(r, f.atom)) continue;
        const zx_polynomial *merged = f.exponent > 1 ? merge_square(r, p, i, f.atom) : NULL;
        for (int32_t l = k + 1; l < term->count && !merged; l++) {
            zx_factor g = term->factors[l];
            if (g.exponent < 1 || !is_circular(r, g.atom)) continue;
            if (r->pool->items[f.atom].a == r->pool->items[g.atom].a) continue;
            merged = merge_product(r, p, i, f.atom, g.atom);
        }
        if (merged) return merged;
    }
    return NULL;
}

static const zx_polynomial *merge_pairs(zx_reader *r, const zx_polynomial *p)
{
    for (int32_t i = 0; i < p->count && r->budget > 0;) {
        r->budget--;
        const zx_polynomial *merged = merge_term(r, p, i);
        i = merged ? 0 : i + 1;
        if (merged) p = merged;
    }
    return p;
}

/* ------------------------------------------------------------- throughout */

/* p with atom^2 = 1 - conjugate^2 wherever it stands, as often as it does. */
static const zx_polynomial *replace_squares(zx_reader *r, const zx_polynomial *p, zx_node atom)
{
    zx_node other = find_conjugate(r, atom);
    zx_term *terms = zx_scratch(r->pool, 2 * p->count, sizeof *terms);
    int32_t count = 0;
    bool again = false;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t exponent = zx_exponent_in(&p->terms[i], atom);
        terms[count++] = p->terms[i];
        if (exponent < 2) continue;
        terms[count - 1] = zx_replace_factors(r, &p->terms[i], &(zx_factor){atom, -2}, 1);
        terms[count] = zx_replace_factors(r, &terms[count - 1], &(zx_factor){other, 2}, 1);
        terms[count].c = -terms[count].c;
        count++;
        again = again || exponent > 3;
    }
    const zx_polynomial *replaced = zx_collect_terms(r, terms, count);
    return again && replaced->count < 4 * p->count ? replace_squares(r, replaced, atom) : replaced;
}

/* The first square in p whose replacement throughout leaves fewer terms, replaced; NULL: none. */
static const zx_polynomial *replace_some_square(zx_reader *r, const zx_polynomial *p)
{
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = 0; k < p->terms[i].count; k++) {
            zx_factor f = p->terms[i].factors[k];
            if (f.exponent < 2 || !is_circular(r, f.atom)) continue;
            if (r->budget < p->count) return NULL;
            r->budget -= p->count;
            const zx_polynomial *replaced = merge_pairs(r, replace_squares(r, p, f.atom));
            if (replaced->count < p->count) return replaced;
        }
    return NULL;
}

const zx_polynomial *zx_contract_trigonometry(zx_reader *r, const zx_polynomial *p)
{
    for (const zx_polynomial *next = merge_pairs(r, p); next; next = replace_some_square(r, p))
        p = next;
    return p;
}
