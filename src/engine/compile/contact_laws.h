/*
 * Contacts and frictions of a model: what build_contacts.c makes and state/masks.c evaluates.
 *
 * A *contact* is a row of an inequality, phi >= 0. Its row of A, and the rows of A that hold a
 * friction still, are multiplied by a *mask*, a hidden value: 1 where the row is on, 0 where it is
 * off. Here are the same functions without masks, and the numbers of the laws:
 *
 *     gaps           phi and its rate, of each contact
 *     frictions      T = dV/dv and V of each direction; mu, static, pressure
 *     restitutions   e, tangential
 *
 * A *site* is what can be told of by name: a contact, or an equation with friction.
 */
#ifndef ZR_CONTACT_LAWS_H
#define ZR_CONTACT_LAWS_H

#include "builder.h"

/* Where the roots of a friction stand among the outputs of all. */
typedef struct zr_friction_roots {
    int32_t slip;      /* the first of its slips, among all slips: a row of T */
    int32_t mu;        /* among the numbers */
    int32_t statics;   /* likewise; -1: not said */
    int32_t pressure;  /* likewise; -1: the multipliers of its constraint */
    int32_t first_row; /* of the rows of A whose multipliers press */
    int32_t row_count;
    bool joint; /* these are equations, which may press either way */
    bool sided; /* and there is one of them: its sign is part of the mode */
} zr_friction_roots;

struct zr_contact_laws {
    int32_t contacts, frictions, slips, numbers;
    zr_passes gaps;              /* vector: phi [contacts], rate [contacts] */
    zr_passes frictions_at;      /* matrix: T; vector: V [slips], then the numbers [numbers] */
    zr_passes restitutions;      /* vector: e, tangential: [2 * restitutions] */
    zr_pattern T;                /* [slips] rows */
    zr_friction_roots *friction; /* [frictions] */
    int32_t *row_of_contact;     /* [contacts] */
    int32_t *contact_of_row;     /* [m] the contact whose normal a row of A is, -1: none */
    int32_t *slip_of_row;        /* [m] the slip that a row of A holds still, -1: none */
    int32_t *row_of_slip;        /* [slips] */
    int32_t *friction_of_slip;   /* [slips] */
    zx_node *absence;            /* [m] 1 - mask of rows that have one; in the model's pool */
    int32_t *press_start;        /* [frictions + 1] of the rows of A whose multipliers press each */
    int32_t *press_row;
    bool accelerated;          /* some inequality is on accelerations */
    bool nonlinear;            /* some pressure is not one multiplier of a contact */
    int32_t presses;           /* frictions where some is sided, else 0 */
    int32_t sites;             /* contacts, then equations with friction */
    int32_t *site_constraint;  /* [sites] */
    int32_t *site_of_friction; /* [frictions] of one on an equation; -1: on an inequality */
    int32_t *plain;            /* [plain_count] constraints that are no tangents */
    int32_t *unequal;          /* [unequal_count] inequalities among them */
    int32_t plain_count, unequal_count;
};

/* Slots of frictions among the values, behind those of switches: the direction of each slip of a
 * friction that slides, else 0 [slips]; whether each friction slides, 1 or 0 [frictions]; the side from which it
 * is pressed, 1 or -1 [presses]. */
int32_t zr_first_friction_slot(const zw_model *model);
int32_t zr_friction_slots(const zw_model *model);

/* The functions that tell when contacts change: of contacts, of frictions, of what presses those that are sided. */
static inline int32_t zr_touch_functions(const struct zr_contact_laws *laws)
{
    return laws->contacts + laws->frictions + laws->presses;
}

/* model->laws, NULL where there is neither contact nor friction. */
void zr_build_contacts(zr_builder *b);
void zr_free_contacts(zw_model *model);

/* The name of a site: ground, stop[2], pin. */
void zr_text_site(const zw_model *model, int32_t site, zb_text *text);

#endif
