/*
 * A model on the bench: compiled from a text, with a simulation, and what the context said.
 */
#ifndef BENCH_H
#define BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "zwang.h"

typedef struct bench {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    int32_t n, m;
    char *report; /* of bench_check, ends with NUL */
    size_t report_size;
    double q[64], v[64], t;
} bench;

/* Which solver the contexts of bench_compile use from now on; for the setup of groups of tests. */
int bench_auto(void **state);
int bench_sparse(void **state);

/* Compiles and creates; fails the test when that does not succeed. */
void bench_open(bench *b, const char *text);
/* The status of compiling; nothing else is there when it is not ZW_OK. */
zw_status bench_compile(bench *b, const char *text);
void bench_close(bench *b);

/* Starts and reads the state. */
zw_status bench_start(bench *b, bool accept);
/* The report, text or JSON. */
zw_status bench_check(bench *b, bool accept, zw_report_form form);

/* The first diagnostic with that code, or NULL. */
const zw_diagnostic *bench_message(const bench *b, const char *code);
/* That there is one, and that its sentence contains the words. */
void bench_expect(const bench *b, const char *code, const char *words);
bool bench_contains(const bench *b, const char *words); /* in the report */

/* |x - y| <= tolerance, said with the numbers. */
void bench_near(double x, double y, double tolerance);

/* Members of an ensemble from the state that was read until a time, one for each value [count] of a parameter, move as runs
 * of their own do, to the same bits. */
void bench_compare_members(const bench *b, const char *name, const double *values, int32_t count,
                           double until);

/* X x = r by elimination with row pivots; X [size * size], x instead of r [size]. */
void bench_solve(int size, long double *X, long double *r);

/* A page of docs/messages, whole; the caller frees it. */
char *bench_read_page(const char *path);
/* The next fenced block before `end`, cut out of *at; NULL: none. The caller frees it. */
char *bench_next_block(const char **at, const char *end);

#endif
