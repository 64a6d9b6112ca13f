/*
 * contact_problems.h: instants in contact space for the tests, from masses and rows, with room for
 * the answers.
 */
#ifndef TESTS_GAUSS_CONTACT_PROBLEMS_H
#define TESTS_GAUSS_CONTACT_PROBLEMS_H

#include "gauss.h"

enum { MOST_ROWS = 40, MOST_CONTACTS = 16, MOST_FRICTIONS = 16, MOST_JOINTS = 16 };

typedef struct problem {
    zg_instant instant;
    double G[MOST_ROWS * MOST_ROWS], w[MOST_ROWS];
    double L[MOST_JOINTS * MOST_ROWS], lambda0[MOST_JOINTS];
    zg_contact contact[MOST_CONTACTS];
    zg_friction friction[MOST_FRICTIONS];
} problem;

typedef struct answers {
    zg_found found;
    zg_forces forces;
    zg_impact impact;
    double x[MOST_ROWS], u[MOST_ROWS], other[MOST_ROWS], lambda[MOST_JOINTS];
    uint8_t row[MOST_ROWS];
    uint8_t contact[MOST_CONTACTS], friction[MOST_FRICTIONS];
    double direction[3 * MOST_FRICTIONS];
} answers;

/* An empty problem of so many rows; pointers set. */
void problem_begin(problem *p, int32_t rows);

/* G = R M^-1 R^T of a diagonal mass, w = R z - b: R [rows*n], M [n], z [n], b [rows] or NULL. */
void problem_rows(problem *p, int32_t n, const double *M, const double *R, const double *z,
                  const double *b);

/* A contact on a row; a friction with tangents from a row on, pressed by a contact. Their numbers. */
int32_t problem_contact(problem *p, int32_t normal, double restitution);
int32_t problem_friction(problem *p, int32_t first, int32_t width, double mu, int32_t contact);

/* A space for the largest problem; must be freed. */
zg_contact_space *problem_space(zb_memory *memory);

/* Answers with their arrays in place. */
void answers_begin(answers *a);

/* How far x, u with this mode are from the laws of contact.h, relative to `size`, by a few lines of their own; shares
 * of dependent rows are taken as they are. */
double law_violation(const problem *p, const zg_mode *mode, const double *x, const double *u,
                     double size);

#endif
