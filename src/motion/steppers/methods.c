/*
 * The methods there are. An embedded pair is a table and a line of pair_list.h; any other is a file
 * and a line here.
 */
#include <string.h>

#include "pair_list.h"

/* The widest gap in time between neighbours among 0, 1 and the stages before the end. */
static double find_widest_gap(const zi_tableau *t)
{
    double widest = 0.0;
    for (int32_t i = 0; i < t->count; i++) { /* from 0, and from each stage, to the next one */
        double from = i > 0 ? t->stage[i - 1].c : 0.0, next = 1.0;
        for (int32_t j = 1; j < t->count; j++)
            if (t->stage[j - 1].c > from && t->stage[j - 1].c < next) next = t->stage[j - 1].c;
        if (next - from > widest) widest = next - from;
    }
    return widest;
}

/* Gaps up to this are no matter: below samples that leave no wider ones a parabola goes by no more
 * than a ninth of their range. */
static const double narrow_gap = 0.35;

/* From 0 on, always the farthest stage that is within reach. */
uint32_t zi_spare_stages(const zi_method *method)
{
    if (!method->pair) return 0;
    const zi_tableau *t = method->pair->tableau;
    double widest = find_widest_gap(t), at = 0.0;
    double reach = widest > narrow_gap ? (1.0 + 1e-9) * widest : narrow_gap;
    uint32_t spare = (2u << (t->count - 1)) - 2u; /* stages 1 to count - 1 */
    while (1.0 - at > reach) {
        int32_t best = 0;
        for (int32_t i = 1; i < t->count; i++) {
            double c = t->stage[i - 1].c;
            if (c > at && c <= at + reach && (best == 0 || c > t->stage[best - 1].c)) best = i;
        }
        if (best == 0) return 0; /* no gap is wider than reach: there always is one */
        spare &= ~(1u << best);
        at = t->stage[best - 1].c;
    }
    return spare;
}

/* The pairs first, in the order of their list; then the methods with a file of their own. */
const zi_method *zi_find_method(const char *name)
{
    for (int i = 0; i < zi_pair_count; i++)
        if (strcmp(zi_pair_methods[i].name, name) == 0) return &zi_pair_methods[i];
    const zi_method *others[] = {&zi_rk4, &zi_gauss16, zi_bdf_method()};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i] && strcmp(others[i]->name, name) == 0) return others[i];
    return NULL;
}
