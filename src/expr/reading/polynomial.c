/*
 * Polynomials over atoms: sums, products, common factors. Coefficients are doubles. What cancels
 * leaves round-off behind; a coefficient is taken for 0 when it is small against the sum of the
 * magnitudes it was added up from.
 *
 * A square of a square root is its argument: sqrt(u)^2 = u, wherever the root has a value.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reading.h"

enum { MOST_TERMS = 48, MOST_PRODUCTS = 400 };

/* All work is in the making of terms, so this is where it is paid for. */
static zx_term *new_terms(zx_reader *r, int32_t count)
{
    r->budget -= count;
    return zx_scratch(r->pool, count, sizeof(zx_term));
}

static const zx_polynomial *new_polynomial(zx_reader *r, zx_term *terms, int32_t count)
{
    zx_polynomial *p = zx_scratch(r->pool, 1, sizeof *p);
    p->terms = terms;
    p->count = count;
    return p;
}

/* ------------------------------------------------------------------- terms */

int zx_compare_factors(const zx_term *a, const zx_term *b)
{
    for (int32_t k = 0; k < a->count && k < b->count; k++) {
        if (a->factors[k].atom != b->factors[k].atom)
            return a->factors[k].atom < b->factors[k].atom ? -1 : 1;
        if (a->factors[k].exponent != b->factors[k].exponent)
            return a->factors[k].exponent > b->factors[k].exponent ? -1 : 1;
    }
    return (a->count < b->count) - (a->count > b->count);
}

/* By factors, then by number: sums are added up in one order on every machine. */
static int compare_terms(const void *a, const void *b)
{
    const zx_term *x = a, *y = b;
    int order = zx_compare_factors(x, y);
    return order != 0 ? order : (x->c > y->c) - (x->c < y->c);
}

int32_t zx_exponent_in(const zx_term *term, zx_node atom)
{
    for (int32_t k = 0; k < term->count; k++)
        if (term->factors[k].atom == atom) return term->factors[k].exponent;
    return 0;
}

/* Two sorted lists of factors as one; exponents of the same atom are added. */
zx_term zx_multiply_terms(zx_reader *r, const zx_term *a, const zx_term *b)
{
    zx_term product = {.c = a->c * b->c, .size = a->size * b->size};
    r->budget--;
    product.factors = zx_scratch(r->pool, a->count + b->count, sizeof(zx_factor));
    int32_t i = 0, j = 0;
    while (i < a->count || j < b->count) {
        bool left = j == b->count || (i < a->count && a->factors[i].atom <= b->factors[j].atom);
        bool right = i == a->count || (j < b->count && b->factors[j].atom <= a->factors[i].atom);
        zx_factor f = left ? a->factors[i] : b->factors[j];
        if (left && right) f.exponent += b->factors[j].exponent;
        i += left;
        j += right;
        if (f.exponent != 0) product.factors[product.count++] = f;
    }
    return product;
}

zx_term zx_term_power(zx_reader *r, const zx_term *a, int32_t exponent)
{
    zx_term power = {.c = zx_power_of(a->c, exponent), .count = a->count};
    power.size = fabs(power.c);
    power.factors = zx_scratch(r->pool, a->count, sizeof(zx_factor));
    for (int32_t k = 0; k < a->count; k++)
        power.factors[k] = (zx_factor){a->factors[k].atom, a->factors[k].exponent * exponent};
    return power;
}

zx_term zx_replace_factors(zx_reader *r, const zx_term *term, const zx_factor *change,
                           int32_t count)
{
    zx_term result = *term;
    for (int32_t k = 0; k < count; k++) {
        zx_factor factor = change[k];
        zx_term one = {.c = 1.0, .size = 1.0, .count = 1, .factors = &factor};
        result = zx_multiply_terms(r, &result, &one);
    }
    return result;
}

/* ------------------------------------------------------------- polynomials */

const zx_polynomial *zx_one_term(zx_reader *r, const zx_term *term)
{
    zx_term *terms = new_terms(r, 1);
    *terms = *term;
    return new_polynomial(r, terms, term->c != 0.0);
}

const zx_polynomial *zx_constant_polynomial(zx_reader *r, double c)
{
    return zx_one_term(r, &(zx_term){.c = c, .size = fabs(c)});
}

const zx_polynomial *zx_atom_polynomial(zx_reader *r, zx_node atom, int32_t exponent)
{
    zx_factor *factor = zx_scratch(r->pool, 1, sizeof *factor);
    *factor = (zx_factor){atom, exponent};
    return zx_one_term(r, &(zx_term){.c = 1.0, .size = 1.0, .count = 1, .factors = factor});
}

/* Adds up the terms of one product, which stand together; drops zeros. Returns how many are left. */
static int32_t merge_equal_terms(zx_term *terms, int32_t count)
{
    int32_t left = 0;
    for (int32_t k = 0; k < count;) {
        zx_term sum = terms[k++];
        for (; k < count && zx_compare_factors(&sum, &terms[k]) == 0; k++) {
            sum.c += terms[k].c;
            sum.size += terms[k].size;
        }
        if (fabs(sum.c) > 64.0 * zb_eps * sum.size) terms[left++] = sum;
    }
    return left;
}

const zx_polynomial *zx_collect_terms(zx_reader *r, zx_term *terms, int32_t count)
{
    qsort(terms, (size_t)count, sizeof *terms, compare_terms);
    return new_polynomial(r, terms, merge_equal_terms(terms, count));
}

const zx_polynomial *zx_add_polynomials(zx_reader *r, const zx_polynomial *a, double c,
                                        const zx_polynomial *b)
{
    zx_term *terms = new_terms(r, a->count + b->count);
    int32_t i = 0, j = 0, count = 0;
    while (i < a->count || j < b->count) {
        bool left =
            j == b->count || (i < a->count && zx_compare_factors(&a->terms[i], &b->terms[j]) <= 0);
        terms[count] = left ? a->terms[i++] : b->terms[j++];
        if (!left) {
            terms[count].c *= c;
            terms[count].size *= fabs(c);
        }
        count++;
    }
    return new_polynomial(r, terms, merge_equal_terms(terms, count));
}

/* ---------------------------------------------------------------- products */

/* The first square root of which a term has the square, or more; -1: none. */
static int32_t find_squared_root(const zx_reader *r, const zx_term *term)
{
    for (int32_t k = 0; k < term->count; k++)
        if (term->factors[k].exponent > 1 && r->pool->items[term->factors[k].atom].op == ZX_SQRT)
            return k;
    return -1;
}

/* The argument of a square root, where it is known as a polynomial. */
static const zx_polynomial *polynomial_under_root(zx_reader *r, zx_node root)
{
    return zx_know(r, r->pool->items[root].a)->polynomial;
}

/* sqrt(u)^2 = u in every term; NULL as for products. */
static const zx_polynomial *resolve_squared_roots(zx_reader *r, const zx_polynomial *p)
{
    for (int32_t i = 0; i < p->count; i++) {
        int32_t k = find_squared_root(r, &p->terms[i]);
        if (k < 0) continue;
        zx_node root = p->terms[i].factors[k].atom;
        const zx_polynomial *under = polynomial_under_root(r, root);
        if (!under) continue;
        zx_term rest = zx_replace_factors(r, &p->terms[i], &(zx_factor){root, -2}, 1);
        const zx_polynomial *replaced = zx_multiply_polynomials(r, zx_one_term(r, &rest), under);
        if (!replaced) return NULL;
        zx_term gone = p->terms[i];
        gone.c = -gone.c;
        const zx_polynomial *others = zx_add_polynomials(r, p, 1.0, zx_one_term(r, &gone));
        return resolve_squared_roots(r, zx_add_polynomials(r, others, 1.0, replaced));
    }
    return p;
}

const zx_polynomial *zx_multiply_polynomials(zx_reader *r, const zx_polynomial *a,
                                             const zx_polynomial *b)
{
    int64_t products = (int64_t)a->count * b->count;
    if (products == 0) return zx_constant_polynomial(r, 0.0);
    if (products > MOST_PRODUCTS || products > r->budget) return NULL;
    zx_term *terms = new_terms(r, (int32_t)products);
    int32_t count = 0;
    for (int32_t i = 0; i < a->count; i++)
        for (int32_t j = 0; j < b->count; j++)
            terms[count++] = zx_multiply_terms(r, &a->terms[i], &b->terms[j]);
    const zx_polynomial *product = zx_collect_terms(r, terms, count);
    return product->count > MOST_TERMS ? NULL : resolve_squared_roots(r, product);
}

/* --------------------------------------------------------- common factors */

static double find_common_divisor(double a, double b)
{
    while (b != 0.0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The number that all coefficients have: of whole numbers the divisor, else one that all are equal
 * to. With the sign of the first; 1 where there is none. */
static double find_common_number(const zx_polynomial *p)
{
    double first = fabs(p->terms[0].c), divisor = first;
    bool whole = true, equal = true;
    for (int32_t i = 0; i < p->count; i++) {
        double c = fabs(p->terms[i].c);
        whole = whole && c == floor(c) && c < 1e6;
        equal = equal && fabs(c - first) <= 4.0 * zb_eps * first;
    }
    for (int32_t i = 1; whole && i < p->count; i++)
        divisor = find_common_divisor(fabs(p->terms[i].c), divisor);
    double number = whole ? divisor : equal ? first : 1.0;
    return p->terms[0].c < 0.0 ? -number : number;
}

/* The exponent that all terms have of an atom of the first: the smallest in magnitude where all have
 * one sign, else 0. */
static int32_t find_common_exponent(const zx_polynomial *p, zx_factor first)
{
    int32_t exponent = first.exponent;
    for (int32_t i = 1; i < p->count && exponent != 0; i++) {
        int32_t e = zx_exponent_in(&p->terms[i], first.atom);
        if (e == 0 || (e > 0) != (exponent > 0)) return 0;
        if (abs(e) < abs(exponent)) exponent = e;
    }
    /* of 1/x^2 + 1/x both in front: 1/x^2 (1 + x) */
    for (int32_t i = 0; exponent < 0 && i < p->count; i++) {
        int32_t e = zx_exponent_in(&p->terms[i], first.atom);
        if (e < exponent) exponent = e;
    }
    return exponent;
}

zx_term zx_common_content(zx_reader *r, const zx_polynomial *p)
{
    if (p->count == 0) return (zx_term){.c = 1.0, .size = 1.0};
    zx_term content = {.c = find_common_number(p)};
    content.size = fabs(content.c);
    content.factors = zx_scratch(r->pool, p->terms[0].count, sizeof(zx_factor));
    for (int32_t k = 0; k < p->terms[0].count; k++) {
        zx_factor f = p->terms[0].factors[k];
        f.exponent = find_common_exponent(p, f);
        if (f.exponent != 0) content.factors[content.count++] = f;
    }
    return content;
}

const zx_polynomial *zx_divide_by_term(zx_reader *r, const zx_polynomial *p, const zx_term *by)
{
    zx_term inverse = zx_term_power(r, by, -1);
    zx_term *terms = new_terms(r, p->count);
    for (int32_t i = 0; i < p->count; i++) {
        terms[i] = zx_multiply_terms(r, &p->terms[i], &inverse);
        terms[i].c = p->terms[i].c / by->c; /* one rounding */
        terms[i].size = fabs(terms[i].c);
    }
    return zx_collect_terms(r, terms, p->count);
}
