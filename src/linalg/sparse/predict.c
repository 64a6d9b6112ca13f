/*
 * What a factor X = L D L^T would be: its size and the work, from the sizes of its columns, which
 * the elimination tree tells (analyse.c); L itself is not formed.
 *
 * A column with c entries below its diagonal costs c divisions, c multiplications and additions
 * for the diagonal, and c (c - 1) / 2 of both for the columns that follow: c (c + 2) altogether.
 */
#include "analyse.h"

/* The sum over columns, with all memory from the arena. */
static zw_status predict_in(zb_arena *arena, const za_symmetric *x, const int32_t *order,
                            za_prediction *prediction)
{
    size_t n = (size_t)x->n;
    za_permuted y;
    ZB_TRY(za_permute(arena, x, order, false, &y));
    int32_t *parent = ZB_NEW_ARRAY(arena, int32_t, n), *post = ZB_NEW_ARRAY(arena, int32_t, n);
    int32_t *count = ZB_NEW_ARRAY(arena, int32_t, n);
    int32_t *work = ZB_NEW_ARRAY(arena, int32_t, zb_product(4, n));
    if (!parent || !post || !count || !work) return arena->failure;
    za_elimination_tree(&y.rows, parent, work);
    za_postorder(x->n, parent, post, work);
    za_column_counts(&y, parent, post, count, work);
    *prediction = (za_prediction){0};
    for (size_t k = 0; k < n; k++) {
        double c = count[k] - 1;
        prediction->nonzeros += count[k] - 1;
        prediction->flops += c * (c + 2.0);
    }
    return ZW_OK;
}

/* With an arena of its own, given back at the end. */
zw_status za_predict(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                     za_prediction *prediction)
{
    zb_arena arena;
    zb_arena_init(&arena, memory, 0);
    zw_status status = predict_in(&arena, x, order, prediction);
    zb_arena_clear(&arena);
    return status;
}
