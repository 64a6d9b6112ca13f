/*
 * Whether a joint can carry the force of a control that names no motor: whether each of its rows
 * pushes along the speed `travel_rate` of some part. Rows and speeds are differentiated until they
 * are linear in the accelerations; the coefficients of the two are compared as numbers, at some
 * arbitrary points.
 */
#include <math.h>

#include "elaborate.h"

enum { most_parts = 1000, most_coordinates = 64 };

/* For zx_evaluate: a number for each leaf; of the accelerations one is 1, the others are 0. */
typedef struct point {
    const zm_elab *e;
    uint64_t number;
    int32_t moved; /* -1: none is */
} point;

static double choose_number(void *user, const zx_item *leaf)
{
    const point *p = user;
    if (leaf->op == ZX_ACCELERATION) return leaf->a == p->moved ? 1.0 : 0.0;
    if (leaf->op == ZX_VALUE && leaf->a < ZM_FIRST_HIDDEN)
        return p->e->parameters.numbers.data[leaf->a];
    uint64_t hash = zb_hash_mix(zb_hash_mix(p->number, (uint64_t)leaf->op), (uint64_t)leaf->a);
    return 0.5 + (double)(hash >> 11) / 9007199254740992.0;
}

/* What is linear in the accelerations: the node, or its first or second derivative; ZX_NONE: none
 * is. */
static zx_node raise_to_accelerations(zm_elab *e, zx_node node)
{
    for (int k = 0; k < 3 && node != ZX_NONE; k++) {
        if (zx_reaches(e->world, &node, 1).acceleration) return node;
        node = zx_time_derivative(e->world, node);
    }
    return ZX_NONE;
}

/* The coordinates whose accelerations stand below two nodes, at most `most`; how many, or more. */
static int32_t list_moved(zm_elab *e, const zx_node *nodes, int32_t *moved)
{
    int32_t below, count = 0;
    zx_node *list = zx_below(e->world, nodes, 2, &below);
    for (int32_t k = 0; k < below; k++) {
        const zx_item *item = &e->world->items[list[k]];
        if (item->op != ZX_ACCELERATION) continue;
        if (count < most_coordinates) moved[count] = item->a;
        count++;
    }
    zb_resize(e->memory, list, zb_product((size_t)below, sizeof *list), 0);
    return count;
}

/* Whether the coefficients of a row and of a speed are proportional. */
static bool is_along(zm_elab *e, zx_node row, zx_node speed)
{
    zx_node nodes[2] = {row, speed};
    int32_t moved[most_coordinates], count = list_moved(e, nodes, moved);
    if (count > most_coordinates) return false;
    for (uint64_t number = 1; number <= 3; number++) {
        point p = {e, number, -1};
        double xx = 0.0, xy = 0.0, yy = 0.0;
        double x0 = zx_evaluate(e->world, row, choose_number, &p);
        double y0 = zx_evaluate(e->world, speed, choose_number, &p);
        for (int32_t k = 0; k < count; k++) {
            p.moved = moved[k];
            double x = zx_evaluate(e->world, row, choose_number, &p) - x0;
            double y = zx_evaluate(e->world, speed, choose_number, &p) - y0;
            xx += x * x;
            xy += x * y;
            yy += y * y;
        }
        if (!(xy * xy >= (1.0 - 1e-12) * xx * yy)) return false;
    }
    return true;
}

/* Whether some part moves as the row does. */
static bool has_joint(zm_elab *e, zx_node row, zl_name member)
{
    for (int32_t k = 0; k < e->parts.scopes.count; k++) {
        const zm_scope *scope = e->parts.scopes.data[k];
        const zm_symbol *found = scope ? zm_find_own_name(scope, member) : NULL;
        if (!found || found->meaning != ZM_IS_VALUE || !zm_is_numeric(&found->value)) continue;
        for (int32_t i = 0; i < zm_size(&found->value); i++) {
            zx_node speed = raise_to_accelerations(e, zm_element(e, &found->value, i));
            if (speed != ZX_NONE && is_along(e, row, speed)) return true;
        }
    }
    return false;
}

bool zm_is_carried(zm_elab *e, const zx_node *rows, int32_t count)
{
    static const char member[] = "travel_rate";
    zl_name name = zl_intern(e->unit, member, sizeof member - 1);
    if (e->parts.scopes.count > most_parts) return false;
    for (int32_t i = 0; i < count; i++) {
        zx_node row = raise_to_accelerations(e, rows[i]);
        if (row == ZX_NONE || !has_joint(e, row, name)) return false;
    }
    return true;
}
