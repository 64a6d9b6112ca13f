/*
 * contact_oracle.h: all motions that the laws of contact.h allow in the plane, by trying every mode in
 * rational arithmetic. The data are doubles, so they are exact.
 *
 * The forces of one motion are a polyhedron without lines (N >= 0, |tau| <= mu N), so it has a corner, where
 * the rows that hold and the limits that are reached determine all forces. Trying, for each contact, open,
 * touching with N = 0, and with friction sticking, sticking at either edge of the cone and sliding
 * either way, finds every corner of every motion; systems with several solutions are left out.
 */
#ifndef TESTS_GAUSS_CONTACT_ORACLE_H
#define TESTS_GAUSS_CONTACT_ORACLE_H

#include "contact_problems.h"

enum { MOST_MOTIONS = 64, ORACLE_ROWS = 12 };

typedef struct motions {
    int count;                           /* different ones; at most MOST_MOTIONS are kept */
    double u[MOST_MOTIONS][ORACLE_ROWS]; /* each rounded once */
    double x[MOST_MOTIONS][ORACLE_ROWS]; /* forces of it, the first found */
    bool singular;                       /* some mode had a singular system with solutions */
    bool redundant;                      /* G is singular */
} motions;

/* Frictions have one tangent, press on contacts, and are as strong static as dynamic. */
void oracle_motions(const problem *p, motions *m);

#endif
