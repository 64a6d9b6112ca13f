/*
 * The interface through which an outside benchmark harness calls Zwang, restated here so that
 * the project stands alone. Symbols that are missing are skipped by the harness.
 */
#ifndef ZWANG_PERF_INTERFACE_H
#define ZWANG_PERF_INTERFACE_H

/* One constrained acceleration: minimise (x - a)^T M (x - a), a = M^-1 Q, among all x that
 * satisfy A x = b in the least-squares sense. Inputs must not be changed. */
typedef struct perf_w1_t {
    int n, m;
    const double *M;     /* [n*n] symmetric */
    const double *A_col; /* [m*n] column-major */
    const double *A_row; /* [m*n] row-major */
    const double *Q, *b; /* [n], [m] */
    double *x;           /* [n] out */
} perf_w1_t;

/* 0 on success. */
__attribute__((visibility("default"))) int perf_engine_w1(const perf_w1_t *p);

/* A planar chain of N unit masses on unit rods from the origin, gravity 9.81: q, v and a are x and
 * y of one mass after the other. The handle is never given back. Acceleration; motion from time 0
 * to T with a tolerance, q and v in and out. 0: done. */
__attribute__((visibility("default"))) void *perf_engine_w2_new(int N);
__attribute__((visibility("default"))) int perf_engine_w2_accel(void *handle, const double *q,
                                                                const double *v, double *a);
__attribute__((visibility("default"))) int perf_engine_w2_run(void *handle, double T, double tol,
                                                              double *q, double *v);

/* One double pendulum in Cartesian coordinates, unit masses and rods, gravity 9.81: state
 * x1 y1 x2 y2 and their velocities, in and out, to time T with a tolerance. 0: done. */
__attribute__((visibility("default"))) int perf_engine_w5(double *state, double T, double tol);

/* An ensemble of `count` such double pendulums, states one after the other, in and out, with a
 * relative and an absolute tolerance, in so many threads. 0: done. */
__attribute__((visibility("default"))) int perf_engine_w4(int count, double *state, double T,
                                                          double rtol, double atol, int threads);

#endif
