/* Planning and running of parts of bodies: under construction. */
#include "lanes.h"

zw_status ze_plan(zb_memory *memory, const ze_system *system, const ze_choice *choice,
                  ze_lanes **lanes)
{
    (void)memory, (void)system, (void)choice;
    *lanes = NULL;
    return ZW_OK;
}

void ze_free(ze_lanes *lanes)
{
    (void)lanes;
}

void ze_facts_of(const ze_lanes *lanes, ze_facts *facts)
{
    (void)lanes;
    *facts = (ze_facts){0};
}

void ze_make_native(ze_lanes *lanes, zk_native_report *report)
{
    (void)lanes, (void)report;
}

int32_t ze_size(const ze_lanes *lanes)
{
    (void)lanes;
    return 0;
}

const double *ze_mask(const ze_lanes *lanes)
{
    (void)lanes;
    return NULL;
}

void ze_pack(const ze_lanes *lanes, const double *x, double *y)
{
    (void)lanes, (void)x, (void)y;
}

void ze_unpack(const ze_lanes *lanes, const double *y, double *x)
{
    (void)lanes, (void)x, (void)y;
}

void ze_multipliers(const ze_lanes *lanes, double *lambda)
{
    (void)lanes, (void)lambda;
}

void ze_set_values(ze_lanes *lanes, const double *values)
{
    (void)lanes, (void)values;
}

bool ze_accelerate(ze_lanes *lanes, const ze_state *state, const ze_task *task, double *z)
{
    (void)lanes, (void)state, (void)task, (void)z;
    return false;
}

void ze_look(ze_lanes *lanes, const ze_state *state, int order, ze_off *off)
{
    (void)lanes, (void)state, (void)order;
    *off = (ze_off){0};
}

bool ze_correct(ze_lanes *lanes, const ze_state *state, int order, double least, double *change)
{
    (void)lanes, (void)state, (void)order, (void)least, (void)change;
    return false;
}
