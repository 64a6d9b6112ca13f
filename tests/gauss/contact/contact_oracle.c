/*
 * contact_oracle.c: every mode of a plane instant, exactly.
 */
#include "contact_oracle.h"

#include <gmp.h>
#include <string.h>

enum choice { OPEN, NOTHING, TOUCH, EDGE_UP, EDGE_DOWN, SLIDE_UP, SLIDE_DOWN };

typedef struct oracle {
    const problem *p;
    int r;
    mpq_t G[ORACLE_ROWS][ORACLE_ROWS], w[ORACLE_ROWS];
    mpq_t K[ORACLE_ROWS][ORACLE_ROWS + 1]; /* the system of a mode, right side behind */
    mpq_t x[ORACLE_ROWS], u[ORACLE_ROWS];
    mpq_t found[MOST_MOTIONS][ORACLE_ROWS];
    mpq_t a, b;
    int state[MOST_CONTACTS];                               /* enum choice */
    int row[2 * ORACLE_ROWS], rows, column[ORACLE_ROWS], k; /* equations, unknowns */
} oracle;

static void each(oracle *o, void (*what)(mpq_ptr))
{
    for (int i = 0; i < ORACLE_ROWS; i++) {
        for (int j = 0; j < ORACLE_ROWS; j++) what(o->G[i][j]);
        for (int j = 0; j <= ORACLE_ROWS; j++) what(o->K[i][j]);
        what(o->w[i]), what(o->x[i]), what(o->u[i]);
    }
    for (int i = 0; i < MOST_MOTIONS; i++)
        for (int j = 0; j < ORACLE_ROWS; j++) what(o->found[i][j]);
    what(o->a), what(o->b);
}

/* x += part y z */
static void add_product(oracle *o, mpq_ptr x, double part, mpq_srcptr y, mpq_srcptr z)
{
    mpq_set_d(o->a, part);
    mpq_mul(o->b, y, z);
    mpq_mul(o->b, o->b, o->a);
    mpq_add(x, x, o->b);
}

/* Elimination of the first k columns of so many rows; the rank. */
static int eliminate(oracle *o, int rows, int k)
{
    int rank = 0;
    mpq_t part;
    mpq_init(part);
    for (int j = 0; j < k; j++) {
        int p = rank;
        while (p < rows && mpq_sgn(o->K[p][j]) == 0) p++;
        if (p == rows) continue;
        for (int c = 0; c <= k; c++) mpq_swap(o->K[p][c], o->K[rank][c]);
        for (int i = 0; i < rows; i++) {
            if (i == rank || mpq_sgn(o->K[i][j]) == 0) continue;
            mpq_div(part, o->K[i][j], o->K[rank][j]);
            for (int c = j; c <= k; c++) {
                mpq_mul(o->b, part, o->K[rank][c]);
                mpq_sub(o->K[i][c], o->K[i][c], o->b);
            }
        }
        rank++;
    }
    mpq_clear(part);
    return rank;
}

static bool consistent(const oracle *o, int rank)
{
    for (int i = rank; i < o->rows; i++)
        if (mpq_sgn(o->K[i][o->k]) != 0) return false;
    return true;
}

static const zg_friction *friction_of(const oracle *o, int contact)
{
    for (int n = 0; n < o->p->instant.frictions; n++)
        if (o->p->friction[n].contact == contact) return &o->p->friction[n];
    return NULL;
}

/* tau / (mu N) where that is fixed. */
static int edge_of(int choice)
{
    if (choice == EDGE_UP || choice == SLIDE_DOWN) return 1;
    return choice == EDGE_DOWN || choice == SLIDE_UP ? -1 : 0;
}

static bool sticks(int choice)
{
    return choice == TOUCH || choice == EDGE_UP || choice == EDGE_DOWN;
}

/* Equations and unknowns of the mode, the system in K. */
static void write_mode_system(oracle *o)
{
    const problem *p = o->p;
    o->k = o->rows = 0;
    for (int i = 0; i < p->instant.contacts; i++) {
        const zg_friction *f = friction_of(o, i);
        if (o->state[i] == OPEN) continue;
        o->row[o->rows++] = p->contact[i].normal;
        if (f && sticks(o->state[i])) o->row[o->rows++] = f->first;
        if (o->state[i] != NOTHING) o->column[o->k++] = p->contact[i].normal;
        if (f && o->state[i] == TOUCH) o->column[o->k++] = f->first;
    }
    for (int i = 0; i < o->rows; i++) {
        for (int j = 0; j < o->k; j++) mpq_set(o->K[i][j], o->G[o->row[i]][o->column[j]]);
        for (int c = 0; c < p->instant.contacts; c++) {
            const zg_friction *f = friction_of(o, c);
            for (int j = 0; edge_of(o->state[c]) != 0 && j < o->k; j++) {
                if (o->column[j] != p->contact[c].normal) continue;
                mpq_set_d(o->a, f->mu * edge_of(o->state[c]));
                mpq_mul(o->b, o->a, o->G[o->row[i]][f->first]);
                mpq_add(o->K[i][j], o->K[i][j], o->b);
            }
        }
        mpq_neg(o->K[i][o->k], o->w[o->row[i]]);
    }
}

/* x and u of the regular system. */
static void take_solution(oracle *o)
{
    const problem *p = o->p;
    mpq_t one;
    mpq_init(one);
    mpq_set_si(one, 1, 1);
    for (int i = 0; i < o->r; i++) mpq_set_si(o->x[i], 0, 1);
    for (int i = 0; i < o->k; i++) mpq_div(o->x[o->column[i]], o->K[i][o->k], o->K[i][i]);
    for (int i = 0; i < p->instant.contacts; i++) {
        const zg_friction *f = friction_of(o, i);
        if (edge_of(o->state[i]) == 0) continue;
        add_product(o, o->x[f->first], f->mu * edge_of(o->state[i]), o->x[p->contact[i].normal],
                    one);
    }
    for (int i = 0; i < o->r; i++) {
        mpq_set(o->u[i], o->w[i]);
        for (int j = 0; j < o->r; j++) add_product(o, o->u[i], 1.0, o->G[i][j], o->x[j]);
    }
    mpq_clear(one);
}

static bool obeys(oracle *o)
{
    const problem *p = o->p;
    for (int i = 0; i < p->instant.contacts; i++) {
        const zg_friction *f = friction_of(o, i);
        mpq_srcptr N = o->x[p->contact[i].normal];
        if (mpq_sgn(N) < 0 || mpq_sgn(o->u[p->contact[i].normal]) < 0) return false;
        if (!f || f->slip[0] != 0.0) continue;
        if (o->state[i] == SLIDE_UP && mpq_sgn(o->u[f->first]) < 0) return false;
        if (o->state[i] == SLIDE_DOWN && mpq_sgn(o->u[f->first]) > 0) return false;
        if (!sticks(o->state[i])) continue;
        mpq_set_d(o->a, f->mu);
        mpq_mul(o->b, o->a, N);
        mpq_abs(o->a, o->x[f->first]);
        if (mpq_cmp(o->a, o->b) > 0) return false;
    }
    return true;
}

static void note_motion(oracle *o, motions *m)
{
    for (int k = 0; k < m->count; k++) {
        bool same = true;
        for (int i = 0; i < o->r; i++) same &= mpq_equal(o->u[i], o->found[k][i]) != 0;
        if (same) return;
    }
    if (m->count == MOST_MOTIONS) return;
    for (int i = 0; i < o->r; i++) {
        mpq_set(o->found[m->count][i], o->u[i]);
        m->u[m->count][i] = mpq_get_d(o->u[i]);
        m->x[m->count][i] = mpq_get_d(o->x[i]);
    }
    m->count++;
}

static void try_mode(oracle *o, motions *m)
{
    write_mode_system(o);
    int rank = eliminate(o, o->rows, o->k);
    if (!consistent(o, rank)) return;
    if (rank < o->k) {
        m->singular = true;
        return;
    }
    take_solution(o);
    if (obeys(o)) note_motion(o, m);
}

/* All choices for the contacts from i on, then the mode. */
static void choose_contacts(oracle *o, int i, motions *m)
{
    if (i == o->p->instant.contacts) {
        try_mode(o, m);
        return;
    }
    const zg_friction *f = friction_of(o, i);
    for (int choice = OPEN; choice <= SLIDE_DOWN; choice++) {
        if (!f && choice > TOUCH) continue;
        if (f && f->slip[0] != 0.0) {
            if (sticks(choice) || choice == (f->slip[0] > 0.0 ? SLIDE_DOWN : SLIDE_UP)) continue;
        }
        o->state[i] = choice;
        choose_contacts(o, i + 1, m);
    }
}

void oracle_motions(const problem *p, motions *m)
{
    static oracle o;
    o.p = p;
    o.r = p->instant.rows;
    each(&o, mpq_init);
    memset(m, 0, sizeof *m);
    for (int i = 0; i < o.r; i++) {
        for (int j = 0; j < o.r; j++) {
            mpq_set_d(o.G[i][j], p->G[i * o.r + j]);
            mpq_set(o.K[i][j], o.G[i][j]);
        }
        mpq_set_d(o.w[i], p->w[i]);
        mpq_set_si(o.K[i][o.r], 0, 1);
    }
    m->redundant = eliminate(&o, o.r, o.r) < o.r;
    choose_contacts(&o, 0, m);
    each(&o, mpq_clear);
}
