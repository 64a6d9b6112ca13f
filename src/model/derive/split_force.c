/*
 * The force of an energy in two parts. Of L = T - V + other the derivation makes Q = dL/dq - D(dL/dv);
 * a book tells apart
 *
 *     impressed   F = -dV/dq + D(dV/dv), and of `other` what it is without velocities
 *     inertial    H = dT/dq - D(dT/dv), centrifugal and Coriolis forces, and the rest of `other`
 *
 * with Q = F + H. D holds the velocities. All other forces are impressed.
 */
#include "derive.h"

/* dL/dq - D(dL/dv), the entries that are not 0. */
static zm_entries derive_force_of(zm_workspace *work, zx_node L, int32_t slots)
{
    zx_node *force = ZB_NEW_ARRAY(&work->scratch, zx_node, slots);
    zx_node *momentum = ZB_NEW_ARRAY(&work->scratch, zx_node, slots);
    zx_node *rates = ZB_NEW_ARRAY(&work->scratch, zx_node, slots);
    zx_gradient gradient = {.position = force, .velocity = momentum, .slots = slots};
    zx_reverse(work->pool, &L, NULL, 1, &gradient);
    zm_derive_along_motion(work, momentum, slots, slots, rates);
    zm_entries entries = {.data = ZB_NEW_ARRAY(&work->scratch, zm_entry, slots)};
    for (int32_t j = 0; j < slots; j++) {
        zx_node node = zx_binary(work->pool, ZX_SUB, force[j], rates[j]);
        if (!zm_is_zero(work->pool, node))
            entries.data[entries.count++] = (zm_entry){.row = j, .node = node};
    }
    return entries;
}

/* `other` without velocities; all of it where it has no value there. */
static zx_node take_rest_part(zm_workspace *work, zx_node other)
{
    if (!(zm_content_bits(work, other) & ZM_HAS_VELOCITY)) return other;
    return zm_substitute_leaves(work, other, ZX_VELOCITY, 0);
}

/* dT/dq and D(dT/dv) are 0 where neither places nor the time stand in T. */
bool zm_has_inertial_force(zm_workspace *work, const zm_family *family)
{
    int T = zm_content_bits(work, family->roots[0]),
        other = zm_content_bits(work, family->roots[2]);
    return (T & (ZM_HAS_POSITION | ZM_HAS_TIME)) != 0 || (other & ZM_HAS_VELOCITY) != 0;
}

zm_entries zm_impressed_force(zm_workspace *work, const zm_family *family)
{
    zx_node rest = take_rest_part(work, family->roots[2]);
    zx_node impressed = zx_binary(work->pool, ZX_SUB, rest, family->roots[1]);
    return derive_force_of(work, impressed, family->coordinates);
}

/* The impressed part is there since the derivation. */
zm_split zm_split_force(zm_workspace *work, const zm_family *family)
{
    zx_pool *pool = work->pool;
    if (!family->inertial) return (zm_split){.impressed = {family->force, family->force_count}};
    zx_node rest = take_rest_part(work, family->roots[2]);
    zx_node moving = zx_binary(pool, ZX_SUB, family->roots[2], rest);
    zx_node inertial = zx_binary(pool, ZX_ADD, family->roots[0], moving);
    return (zm_split){.impressed = {family->impressed, family->impressed_count},
                      .inertial = derive_force_of(work, inertial, family->coordinates)};
}
