/*
 * Words and codes of messages that the start and a failed run share, such as "at the start" and
 * "at t = 0.42". While a run that has failed is reported (conclude.c), sim->failed_t says when that
 * was; else what is reported is about the start.
 */
#include "sim.h"

bool zr_on_the_way(const zw_sim *sim)
{
    return sim->failed_t != NULL;
}

void zr_text_when(const zw_sim *sim, zb_text *text)
{
    if (!zr_on_the_way(sim)) {
        zb_text_add(text, "at the start");
        return;
    }
    zb_text_add(text, "at t = ");
    zr_text_short(text, *sim->failed_t);
}

const char *zr_code(const zw_sim *sim, const char *at_start, const char *on_the_way)
{
    return zr_on_the_way(sim) ? on_the_way : at_start;
}
