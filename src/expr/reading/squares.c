/*
 * Squares in a polynomial. A square root is guessed from the terms that can be squares themselves, its
 * signs from the products with the first; it is one if its square is the polynomial.
 */
#include <math.h>

#include "reading.h"

/* The square root of a term, if its exponents are even and its number is the square of a short one. */
static bool take_term_root(zx_reader *r, const zx_term *term, zx_term *root)
{
    if (term->c <= 0.0) return false;
    for (int32_t k = 0; k < term->count; k++)
        if (term->factors[k].exponent % 2 != 0) return false;
    double c = sqrt(term->c);
    if (c * c != term->c) return false;
    *root = (zx_term){.c = c, .size = c, .count = term->count};
    root->factors = zx_scratch(r->pool, term->count, sizeof(zx_factor));
    for (int32_t k = 0; k < term->count; k++)
        root->factors[k] = (zx_factor){term->factors[k].atom, term->factors[k].exponent / 2};
    return true;
}

/* The place of the term with the factors of `like`; -1: there is none. */
static int32_t find_like(const zx_polynomial *p, const zx_term *like)
{
    for (int32_t i = 0; i < p->count; i++)
        if (zx_compare_factors(&p->terms[i], like) == 0) return i;
    return -1;
}

static bool are_equal(const zx_polynomial *a, const zx_polynomial *b)
{
    if (a->count != b->count) return false;
    for (int32_t i = 0; i < a->count; i++) {
        if (zx_compare_factors(&a->terms[i], &b->terms[i]) != 0) return false;
        if (fabs(a->terms[i].c - b->terms[i].c) > 64.0 * zb_eps * fabs(a->terms[i].c)) return false;
    }
    return true;
}

const zx_polynomial *zx_square_root(zx_reader *r, const zx_polynomial *p)
{
    enum { MOST = 8 }; /* terms of the root */
    zx_term roots[MOST];
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        zx_term root;
        if (!take_term_root(r, &p->terms[i], &root)) continue;
        if (count == MOST) return NULL;
        roots[count++] = root;
    }
    if (count < 2 || p->count != count * (count + 1) / 2) return NULL;
    zx_term *terms = zx_scratch(r->pool, count, sizeof *terms);
    for (int32_t k = 0; k < count; k++) {
        zx_term product = zx_multiply_terms(r, &roots[0], &roots[k]);
        int32_t at = find_like(p, &product);
        if (at < 0) return NULL;
        terms[k] = roots[k];
        if (p->terms[at].c < 0.0) terms[k].c = -terms[k].c;
    }
    const zx_polynomial *root = zx_collect_terms(r, terms, count);
    const zx_polynomial *square = zx_multiply_polynomials(r, root, root);
    return square && are_equal(square, p) ? root : NULL;
}

/* ------------------------------------------------------------- three terms */

/* Whether terms i, j, k are a square times what they have in common. */
static bool try_three_terms(zx_reader *r, const zx_polynomial *p, const int32_t *at,
                            zx_square *square)
{
    zx_term *three = zx_scratch(r->pool, 3, sizeof *three);
    zx_term *others = zx_scratch(r->pool, p->count, sizeof *others);
    int32_t count = 0;
    for (int32_t i = 0; i < 3; i++) three[i] = p->terms[at[i]];
    for (int32_t i = 0; i < p->count; i++)
        if (i != at[0] && i != at[1] && i != at[2]) others[count++] = p->terms[i];
    square->all = zx_collect_terms(r, three, 3);
    const zx_polynomial *inner;
    square->before = zx_take_content(r, square->all, &inner);
    square->root = zx_square_root(r, inner);
    if (!square->root) return false;
    square->rest = zx_collect_terms(r, others, count);
    return true;
}

/* The term with twice the product of two others, up to its sign; -1: there is none. a and b differ. */
static int32_t find_mixed_term(zx_reader *r, const zx_polynomial *p, int32_t a, int32_t b)
{
    zx_term product = zx_multiply_terms(r, &p->terms[a], &p->terms[b]);
    for (int32_t k = 0; k < product.count; k++) {
        if (product.factors[k].exponent % 2 != 0) return -1;
        product.factors[k].exponent /= 2;
    }
    int32_t at = find_like(p, &product);
    if (at < 0 || at == a || at == b) return -1;
    double c = p->terms[at].c;
    return fabs(c * c - 4.0 * product.c) <= 64.0 * zb_eps * c * c ? at : -1;
}

bool zx_find_square(zx_reader *r, const zx_polynomial *p, zx_square *square)
{
    enum { MOST = 24 };
    if (p->count < 3 || p->count > MOST) return false;
    for (int32_t a = 0; a < p->count; a++)
        for (int32_t b = a + 1; b < p->count; b++) {
            if ((p->terms[a].c > 0.0) != (p->terms[b].c > 0.0)) continue;
            int32_t at[3] = {a, b, find_mixed_term(r, p, a, b)};
            if (at[2] >= 0 && try_three_terms(r, p, at, square)) return true;
        }
    return false;
}
