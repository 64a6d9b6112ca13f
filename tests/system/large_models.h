/*
 * large_models.h: models of any size, as text: planar points of mass 1 in gravity, joined by rods,
 * that start on their constraints.
 */
#ifndef TESTS_SYSTEM_LARGE_MODELS_H
#define TESTS_SYSTEM_LARGE_MODELS_H

/* N links; both ends are the same point, which is held. */
static const char loop_model[] =
    "param N = 24, l = 2*sin(pi/N)\n"
    "coord x[N], y[N]\n"
    "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..N, 9.81*y[i])\n"
    "for i in 1..N {\n"
    "  start x[i] = cos(2*pi*i/N)\n"
    "  start y[i] = sin(2*pi*i/N)\n"
    "}\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\n"
    "constraint rod[1]: (x[1] - x[N])^2 + (y[1] - y[N])^2 = l^2\n"
    "constraint pin: [x[N], y[N]] = [1, 0]\n";

/* N bays; both = 1: with both diagonals, of which one is redundant in each bay. */
static const char ladder_model[] =
    "param N = 12, both = 0, n = 2*N + 2\n"
    "coord x[n], y[n]\n"
    "kinetic sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..n, 9.81*y[i])\n"
    "for i in 1..N+1 {\n"
    "  let a = 2*i - 1, b = 2*i\n"
    "  start x[a] = i\n"
    "  start x[b] = i\n"
    "  start y[b] = 1\n"
    "  constraint rung[i]: (x[a] - x[b])^2 + (y[a] - y[b])^2 = 1\n"
    "  if i <= N {\n"
    "    constraint low[i]: (x[a+2] - x[a])^2 + (y[a+2] - y[a])^2 = 1\n"
    "    constraint high[i]: (x[b+2] - x[b])^2 + (y[b+2] - y[b])^2 = 1\n"
    "    if both > 0 {\n"
    "      constraint rise[i]: (x[b+2] - x[a])^2 + (y[b+2] - y[a])^2 = 2\n"
    "      constraint fall[i]: (x[a+2] - x[b])^2 + (y[a+2] - y[b])^2 = 2\n"
    "    }\n"
    "  }\n"
    "}\n"
    "constraint pin: [x[1], y[1]] = [1, 0]\n";

/* A triangulated lattice of N x N points, held at a corner: one body, a third of its rods
 * redundant. slant[I, J], a diagonal, is longer by `extra`. */
static const char lattice_model[] =
    "param N = 8, I = 1, J = 1, extra = 0, n = N*N\n"
    "coord x[n], y[n]\n"
    "kinetic sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..n, 9.81*y[i])\n"
    "for i in 1..N { for j in 1..N {\n"
    "  let k = (i - 1)*N + j\n"
    "  start x[k] = j\n"
    "  start y[k] = i\n"
    "  if j < N { constraint right[i, j]: (x[k+1] - x[k])^2 + (y[k+1] - y[k])^2 = 1 }\n"
    "  if i < N { constraint up[i, j]: (x[k+N] - x[k])^2 + (y[k+N] - y[k])^2 = 1 }\n"
    "  if i < N and j < N {\n"
    "    constraint slant[i, j]: hypot(x[k+N+1] - x[k], y[k+N+1] - y[k]) =\n"
    "      sqrt(2) + if(i == I and j == J, extra, 0)\n"
    "  }\n"
    "} }\n"
    "constraint pin: [x[1], y[1]] = [1, 1]\n";

#endif
