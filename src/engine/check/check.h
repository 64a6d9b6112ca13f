/*
 * `zwang check`: what a model is, before it runs. Its sizes, the rank of its constraints, rows that
 * follow from others or contradict them, its inequalities, its start. check.c finds, with redundancy.c,
 * unique.c and check_contacts.c; check_text.c, check_json.c and check_inequalities.c write.
 */
#ifndef ZR_CHECK_H
#define ZR_CHECK_H

#include "start.h"

/* What there is to say of inequalities and friction at the start (check_contacts.c). */
typedef struct zr_contact_check {
    bool decided;          /* it was found what each contact and friction does there */
    double *gap, *rate;    /* [contacts] */
    bool *approaches;      /* [contacts] it touches: the motion begins with an impact */
    bool *conflicting;     /* [contacts] */
    int32_t held;          /* independent rows of closed contacts, and of what sticks */
    zr_findings dependent; /* rows that depend on each other, closed contacts among them */
    double *ratio;         /* [frictions] |grad V| over |grad phi| in M^-1; NaN: not known */
    double feedback;       /* by what part friction changes what presses at most; NaN: not known */
    double pivot;     /* the least of contacts by themselves, relative to that without friction */
    int32_t pivot_of; /* the friction whose it is, -1 */
} zr_contact_check;

/* A check under way. */
typedef struct zr_check {
    zw_sim *sim;
    zw_write_fn write; /* the caller's: takes the report in pieces */
    void *user;
    zb_text text;              /* what has not been written yet */
    zb_text line;              /* a paragraph before it is wrapped, a name before it is quoted */
    bool stopped;              /* by the caller */
    zw_status status;          /* of the start */
    bool evaluated;            /* levels at the start are in sim->level */
    int32_t rows;              /* of equations */
    zr_contact_check contacts; /* of a model that has such */
    bool ranked;               /* rank is known */
    int32_t rank;              /* at the start or at a point near it, the larger */
    int32_t rank_at_start;
    int32_t rank_least, rank_most; /* what it may be: the same where it is certain */
    int32_t rank_beside;   /* at states near the start that the constraints do not hold in */
    int32_t nearly;        /* rows that are nearly dependent where the rank was found */
    bool elsewhere;        /* a feasible point near the start was examined as well */
    bool bounded;          /* no state near the start has a larger rank */
    zr_findings redundant; /* everywhere near the start, or, not elsewhere, there */
    zr_findings singular;  /* at the start only */
    int32_t unlisted;      /* dependent rows that no finding names */
    bool *unique;          /* [m] multipliers; NULL: all */
    bool *unique_output;   /* [elements of outputs]; NULL: all, or not known */
} zr_check;

/* Rank, redundant rows, singular configurations, conflicts of accelerations, with their messages.
 * After a start. */
zw_status zr_find_redundancy(zr_check *c);
/* Which multipliers and outputs the dependent sets of `d` leave unique: c->unique,
 * c->unique_output. */
zw_status zr_find_unique(zr_check *c, const zw_diagnosis *d);
/* c->contacts: after the start, with its messages (W0520, W0522). */
zw_status zr_examine_contacts(zr_check *c);
/* R0549, with A of the start in the simulation. */
zw_status zr_examine_controls(zr_check *c);
void zr_check_say_motors(zr_check *c);
/* What of the report is about them (check_inequalities.c): what is behind the degrees of freedom, into
 * c->line; the sections; the members of the JSON object. */
void zr_check_say_freedom(zr_check *c);
void zr_check_say_contacts(zr_check *c);
void zr_check_write_contacts(zr_check *c);
/* check_lines.c. Pads what was written since `from` to a width, in characters. */
void zr_pad_text(zb_text *text, size_t from, int32_t width);
/* What c->line holds as a paragraph: lines after the first begin with `indent` blanks. */
void zr_end_paragraph(zr_check *c, int32_t indent);
/* The report into c->text. */
void zr_check_text(zr_check *c);
void zr_check_json(zr_check *c);
/* Gives the text to the caller when it is much, or all of it; then it is empty. */
void zr_check_flush(zr_check *c, bool all);

#endif
