/*
 * Events.
 */
#include "run.h"

void zr_build_events(zr_builder *b)
{
    (void)b;
}
void zr_free_events(zw_model *model)
{
    (void)model;
}
int32_t zr_event_count(const zw_model *model)
{
    (void)model;
    return 0;
}
int32_t zr_event_gaps(const zw_model *model)
{
    (void)model;
    return 0;
}
bool zr_event_stops(const zw_model *model, int32_t event)
{
    (void)model;
    (void)event;
    return false;
}
void zr_text_event(const zw_model *model, int32_t event, zb_text *text)
{
    (void)model;
    (void)event;
    (void)text;
}
zw_status zr_look(zw_sim *sim, double t, const double *q, const double *v, bool *truth, double *gap)
{
    (void)sim;
    (void)t;
    (void)q;
    (void)v;
    (void)truth;
    (void)gap;
    return ZW_OK;
}
zw_status zr_reset(zw_sim *sim, int32_t event, double t, double *q, double *v)
{
    (void)sim;
    (void)event;
    (void)t;
    (void)q;
    (void)v;
    return ZW_OK;
}
