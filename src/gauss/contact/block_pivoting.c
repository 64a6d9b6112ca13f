/*
 * Block principal pivoting (Judice and Pires 1994) for many contacts without friction. With F the set
 * that touches, its equations solved, all contacts that break a law change sides at once. While that
 * makes their number fall, or for ten rounds in which it does not, it goes on; then only the last of
 * them changes (Murty). It must begin with all that can touch: a stack of 1000 blocks takes 1 solve
 * from there and 1001 from none. A few solves do for contacts of all kinds, but not for all: in a stack
 * that is pulled apart in the middle, every contact below that place wants to open at first, and closes
 * again one by one. So it gives up after some rounds, as it does where rows of a set depend on each
 * other and the equations do not tell signs; then the dual method has its turn, from where this one began.
 */
#include "active_set.h"

#include <string.h>

enum { patience = 10, most_rounds = 25 };

static int32_t last_broken(const uint8_t *broken, int32_t count)
{
    while (count > 0 && broken[count - 1] == ZG_KEPT) count--;
    return count - 1;
}

static bool pivot(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t *solves)
{
    int32_t fewest = c->contacts + 1, left = patience;
    uint8_t *broken = s->broken;
    for (int32_t round = 0; round < most_rounds; round++) {
        zg_judgement j;
        zg_solve_trial(c, s, t);
        ++*solves;
        if (!t->solved || t->rank < t->closed) return false;
        zg_judge_trial(c, t, broken, broken + c->contacts, &j);
        if (j.count < 0) return false;
        if (j.count == 0) return true;
        bool all = j.count < fewest || left-- > 0;
        if (j.count < fewest) fewest = j.count, left = patience;
        int32_t first = all ? 0 : last_broken(broken, c->contacts);
        for (int32_t i = first; i < c->contacts; i++)
            zg_mend_contact(c, t, i, (zg_broken)broken[i]);
    }
    return false;
}

bool zg_pivot_blocks(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t *solves)
{
    uint8_t *begun = s->begun;
    memcpy(begun, t->contact, (size_t)c->contacts);
    if (pivot(c, s, t, solves)) return true;
    memcpy(t->contact, begun, (size_t)c->contacts);
    return false;
}
