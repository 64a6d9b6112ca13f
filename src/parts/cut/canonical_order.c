/*
 * A canonical order from cells. As long as a cell has several members, one of them is singled out,
 * which as a rule tells many others apart:
 *
 *     o-o-o-o-o     | 0 4 | 1 3 | 2 |    4 singled out:    | 0 | 4 | 1 | 3 | 2 |
 *     0 1 2 3 4
 *
 * Which member? Where a symmetry of the graph takes each into the others it is all the same; that
 * is the usual case. Where none does, the choice must not depend on the numbering: some members are
 * tried, and the one whose refinement leaves the smallest trace is taken. Members of one trace that
 * no symmetry joins are rare; a wrong choice among them gives another order, and perhaps another
 * shape for an equal graph, no more.
 *
 * Twins. When singling out v cuts no other cell, the members of its cell have the same edges to
 * everything, each other included: v has an edge of a kind to all members of a cell or to none, and
 * so have the others, whose edges are as many. Any of them will do, and no other is tried.
 */
#include "colour_cells.h"

/* Members of a cell that are tried. */
enum { MOST_TRIED = 8 };

/* Members of a cell, evenly spread. */
static int32_t choose_some_members(const ze_cells *z, int32_t cell, int32_t *some)
{
    int32_t size = z->size[cell], count = size < MOST_TRIED ? size : MOST_TRIED;
    for (int32_t i = 0; i < count; i++)
        some[i] = z->member[cell + (int32_t)((int64_t)i * size / count)];
    return count;
}

/* Singles out a member of a cell that has several. */
static void break_tie(ze_cells *z, int32_t cell)
{
    int32_t some[MOST_TRIED], best = 0, cells = z->cells;
    int32_t count = choose_some_members(z, cell, some);
    uint64_t least = UINT64_MAX;
    for (int32_t i = 0; i < count; i++) {
        ze_cells_single_out(z, some[i]);
        if (z->cells == cells + 1) return; /* twins */
        if (z->trace <= least) {
            least = z->trace;
            best = i;
            if (i == count - 1) return;
        }
        ze_cells_undo(z, cells);
    }
    ze_cells_single_out(z, some[best]);
}

/* Breaks ties from the first place on, until every cell has one member. */
zw_status ze_cells_order(ze_cells *z, const ze_colour_graph *graph)
{
    ZB_TRY(ze_cells_start(z, graph));
    for (int32_t p = 0; p < z->vertices;) {
        if (z->size[p] > 1) {
            break_tie(z, p);
        } else {
            p++;
        }
    }
    return ZW_OK;
}
