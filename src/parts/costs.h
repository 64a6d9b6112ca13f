/*
 * What things cost: the numbers by which cuts are compared and by which it is decided whether parts
 * pay at all. They choose between ways that all give the right answer: a wrong one costs time,
 * nothing else; a changed one may choose another cut, and with it other roundings.
 *
 * How they were found, where nothing else is said: CPU time of one thread on a machine with AVX2
 * (registers of 4 numbers), machine code, everything in the caches, best of many rounds; fitted so
 * that the column `predicted` of build/bench/bench_parts_inside comes near the column
 * `acceleration` over its chains, ladders, trees and mechanisms. tools/fit_costs runs that
 * benchmark and says how far off they are on the machine at hand.
 */
#ifndef ZE_COSTS_H
#define ZE_COSTS_H

/* Cuts are compared, and parts with other solvers, as for so many lanes, whatever lanes there are:
 * another cut has other roundings, and bits do not depend on the processor. */
enum { ze_counted_lanes = 8 };

/* ------------------------------------------- parts of bodies (choose_cut.c), nanoseconds */

/* An operation of a program over one group, of 4 lanes and of 8. With AVX2 8 lanes are two
 * registers: less than twice as long, as the latencies of one hide those of the other. */
static const double ze_operation_ns[2] = {0.31, 0.53};
/* One evaluation of a program: the call, its frame, tables that begin to be read. */
static const double ze_group_ns = 30.0;
/* A number that a part reads from others or adds to them, by an index. */
static const double ze_share_ns = 0.75;
/* The matrix of the rows between parts: whatever its size; and of each of its rows, for every row
 * that is outer to the same parts, and for the square of their number (its entries, its fill). */
static const double ze_between_ns = 300.0;
static const double ze_between_row_ns = 1.0, ze_between_square_ns = 0.3;
/* An operation of a shape, for writing and compiling it: 2 us (at most, by the column
 * `us an operation` of the same benchmark), as if 10,000 accelerations paid for them. */
static const double ze_shape_operation_ns = 0.2;
/* Dependent rows: so many times as long, as each acceleration is refined with the same factor. */
static const double ze_refined = 1.5;

/* --------------------------------------------- matrices of rows (matrix_cut.c), nanoseconds */

/* An operation and a division over one group, of 8 lanes and of 4; a call. Programs of matrices
 * load and store more than those of bodies: their operations are not those above. */
static const double ze_matrix_operation_ns[2] = {0.45, 0.35};
static const double ze_matrix_division_ns[2] = {4.0, 2.5};
static const double ze_matrix_call_ns = 40.0;
/* A term of a gather-sum. */
static const double ze_term_ns = 2.0;
/* A guess of the levels below, before they are cut: a row that is left, an entry among such rows,
 * and a row whose part does not repeat, which is likely to stay until the rest. */
static const double ze_left_row_ns = 6.0, ze_left_entry_ns = 2.0, ze_odd_row_ns = 25.0;
/* A byte of inputs, records and answers while everything stays in caches, and from memory; between
 * the two sizes the price rises in a line. From chains of 1e4 to 1e6 rows. */
static const double ze_cached_byte_ns = 0.008, ze_memory_byte_ns = 0.09;
static const double ze_cached_bytes = 8e6, ze_memory_bytes = 24e6;

/* ------------------------- LDL^T of linalg (matrix_plan.c, parts_factor.c), seconds */

/* A factor and a solve: a row, a nonzero of L, an operation; measured on chains and lattices. The
 * sparse solver of gauss keeps the same numbers, of factor and solve apart. */
typedef struct ze_factor_rates {
    double row, nonzero, flop;
} ze_factor_rates;
static const ze_factor_rates ze_up_looking_rates = {8e-9, 5e-9, 0.43e-9};
static const ze_factor_rates ze_supernodal_rates = {45e-9, 2.7e-9, 0.05e-9};

/* parts_factor.c: a value to its place; byte code in place of machine code takes so many times as
 * long; and forward, a pass more than the down and back that a matrix predicts. */
static const double ze_spread_seconds = 0.6e-9;
static const double ze_byte_code_times = 4.0, ze_forward_times = 1.3;

/* --------------------------------------------------------------- memory and threads */

/* plan_parts.c: down stores for back while that fits into a cache. Bytes that a row of a chain
 * stores, and how many of them are kept (PARTS 7). */
static const double ze_stored_row_bytes = 56.0, ze_stored_bytes = 4e6;
/* Waking a team takes some microseconds: operations over all lanes of an acceleration from which on
 * it pays, and how many a worker takes at once. */
static const double ze_team_operations = 1.2e6;
enum { ze_chunk_operations = 40000 };
/* matrix_tables.c: what a worker takes at once. */
static const double ze_matrix_chunk_seconds = 20e-6;
/* gather.c: sums up to which one thread is faster, and how many a worker takes at once. */
enum { ze_sums_alone = 20000, ze_chunk_sums = 4096 };

#endif
