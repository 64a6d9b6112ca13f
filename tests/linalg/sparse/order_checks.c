/*
 * Checks of orders that several tests share.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "order_checks.h"

/* ------------------------------------------------------------------------- reference */

za_prediction eliminate_bits(const za_symmetric *x, const int32_t *order, int32_t *parent)
{
    size_t n = (size_t)x->n;
    bool *L = calloc(n * n + 1, sizeof *L);
    int32_t *at = calloc(n + 1, sizeof *at);
    za_prediction sum = {0};
    for (int32_t k = 0; k < x->n; k++) at[order ? order[k] : k] = k;
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++) {
            size_t a = (size_t)at[i], b = (size_t)at[x->index[p]];
            L[a * n + b] = L[b * n + a] = true;
        }
    }
    for (size_t k = 0; k < n; k++) {
        int64_t count = 0;
        if (parent) parent[k] = -1;
        for (size_t i = k + 1; i < n; i++) {
            if (!L[i * n + k]) continue;
            if (parent && count == 0) parent[k] = (int32_t)i;
            count++;
            for (size_t j = k + 1; j < n; j++) L[i * n + j] = L[i * n + j] || L[j * n + k];
        }
        sum.nonzeros += count;
        sum.flops += (double)(count * (count + 2));
    }
    free(L);
    free(at);
    return sum;
}

/* ---------------------------------------------------------------------------- checks */

void expect_permutation(int32_t n, const int32_t *order)
{
    bool *seen = calloc((size_t)n + 1, sizeof *seen);
    for (int32_t k = 0; k < n; k++) {
        assert_in_range(order[k], 0, n - 1);
        assert_false(seen[order[k]]);
        seen[order[k]] = true;
    }
    free(seen);
}

int64_t fill_of(const za_symmetric *x, const int32_t *order)
{
    zb_memory memory;
    za_prediction found;
    zb_memory_init(&memory, NULL);
    assert_int_equal(za_predict(&memory, x, order, &found), ZW_OK);
    assert_int_equal(memory.held, 0);
    return found.nonzeros;
}

int32_t *order_by(order_fn way, const za_symmetric *x)
{
    zb_memory memory;
    failing f = {0};
    zw_allocator allocator = failing_allocator(&f);
    size_t size = sizeof(int32_t) * ((size_t)x->n + 1);
    int32_t *order = calloc(1, size), *again = calloc(1, size);
    zb_memory_init(&memory, NULL);
    assert_int_equal(way(&memory, x, order), ZW_OK);
    assert_int_equal(memory.held, 0);
    expect_permutation(x->n, order);
    zb_memory_init(&memory, &allocator);
    assert_int_equal(way(&memory, x, again), ZW_OK);
    assert_int_equal(f.held, 0);
    assert_memory_equal(order, again, size);
    free(again);
    return order;
}

/* In a postorder each parent follows the last of its subtree: the subtree of k is the `size[k]`
 * nodes that end with k. */
void expect_postorder(int32_t n, const int32_t *parent)
{
    int32_t *size = calloc((size_t)n + 1, sizeof *size);
    for (int32_t k = 0; k < n; k++) size[k] = 1;
    for (int32_t k = 0; k < n; k++) {
        if (parent[k] < 0) continue;
        assert_true(parent[k] > k);
        size[parent[k]] += size[k];
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t child = k - 1, rest = size[k] - 1;
        while (rest > 0) { /* the children, from the last to the first, with nothing between */
            assert_true(child >= 0);
            assert_int_equal(parent[child], k);
            rest -= size[child];
            child -= size[child];
        }
        assert_int_equal(rest, 0);
    }
    free(size);
}

void expect_failures(order_fn way, const za_symmetric *x)
{
    failing f = {0};
    zw_allocator allocator = failing_allocator(&f);
    int32_t *order = calloc((size_t)x->n + 1, sizeof *order);
    zw_status status = ZW_ERR_MEMORY;
    int64_t k = 0;
    while (status != ZW_OK) {
        zb_memory memory;
        zb_memory_init(&memory, &allocator);
        f = (failing){.fail_at = ++k};
        status = way(&memory, x, order);
        assert_true(status == ZW_OK || status == ZW_ERR_MEMORY);
        assert_int_equal(f.held, 0);
        assert_int_equal(memory.held, 0);
        assert_true(k < 100000);
    }
    assert_true(k > 2);
    expect_permutation(x->n, order);
    free(order);
}
