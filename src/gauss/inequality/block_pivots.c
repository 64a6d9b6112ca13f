/*
 * The right set by block pivoting (Judice and Pires), for many inequalities: a set is solved for,
 * and every row that speaks against it changes sides, all at once as long as that makes them fewer,
 * or has not failed to for ten rounds; then one at a time, that of the largest number (Murty), which
 * ends for independent rows. The pattern of the system stays, so that each round is a factor and a
 * solve. It begins with all inequalities held: a tower of a thousand blocks then takes one round,
 * and a thousand and one with none.
 *
 * Dependent rows are no such case; where rounds do not end or a set cannot be solved for, the dual
 * active set goes on by the same system (held_system.c).
 */
#include <string.h>

#include "unequal.h"

enum { patience = 10, most_rounds = 200 };

/* One row, that of the largest number. */
static void flip_last(zg_inequality *q)
{
    for (int32_t i = q->is.m; i-- > 0;) {
        if (!q->bad[i]) continue;
        q->held[i] = !q->held[i];
        return;
    }
}

static void flip_all(zg_inequality *q)
{
    for (int32_t i = 0; i < q->is.m; i++) q->held[i] = q->held[i] != q->bad[i];
}

zw_status zg_search_by_blocks(zg_inequality *q, bool *found)
{
    int32_t best = INT32_MAX, left = patience;
    for (int32_t i = 0; i < q->is.m; i++)
        q->held[i] = q->kind[i] == ZG_EQUATION ||
                     (q->kind[i] == ZG_AT_LEAST && (!q->guessed || q->guess[i]));
    for (int round = 0; round < most_rounds; round++) {
        if (zg_try_set(q, NULL) != ZW_OK) break;
        int32_t bad = zg_count_bad_rows(q);
        *found = bad == 0;
        if (*found) return ZW_OK;
        if (bad < best) {
            best = bad;
            left = patience;
        }
        if (left-- > 0)
            flip_all(q);
        else
            flip_last(q);
    }
    return zg_search_by_system(q, found);
}
