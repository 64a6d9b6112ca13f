/*
 * parts_models.h: models made of repeated shapes, as text, for the benchmarks of elimination in
 * lanes.
 *
 * Points of mass 1 in gravity joined by rods, or bodies joined by joints. p(i) is where point i
 * begins: bent, with rods of many lengths and directions, so that nothing is zero or equal by
 * chance. Velocities are given at will and corrected when a simulation starts.
 */
#ifndef BENCH_LANES_MODELS_H
#define BENCH_LANES_MODELS_H

/* n points; rod(i, j) = 0 keeps the distance of two, tie(i, s) = 0 that of one and a fixed place.
 * A model gives n and p before. */
#define POINTS                                                                                     \
    "coord r[n, 2]\n"                                                                              \
    "kinetic sum(i in 1..n, dot(r[i]', r[i]')/2)\n"                                                \
    "potential sum(i in 1..n, 9.81*r[i][2])\n"                                                     \
    "let square(u) = dot(u, u)\n"                                                                  \
    "let rod(i, j) = square(r[i] - r[j]) - square(p(i) - p(j))\n"                                  \
    "let tie(i, s) = square(r[i] - s) - square(p(i) - s)\n"                                        \
    "for i in 1..n {\n"                                                                            \
    "  start r[i] = p(i)\n"                                                                        \
    "  start r[i]' = [0.3*sin(3.7*i), 0.3*cos(2.3*i)]\n"                                           \
    "}\n"

/* A line that winds along x. */
#define WINDING "let p(i) = [0.8*i, 0.3*sin(1.7*i)]\n"

#define REST "let rest(a, b) = a - b*floor(a/b)\n"

static const char chain_text[] =
    "param N = 1000, n = N\n" WINDING POINTS "constraint rod[1]: tie(1, [0, 0]) = 0\n"
    "for i in 2..N { constraint rod[i]: rod(i, i-1) = 0 }\n";

/* The same, every body with a mass and a wind of its own. */
static const char masses_text[] =
    "param N = 1000, n = N\n" WINDING POINTS "constraint rod[1]: tie(1, [0, 0]) = 0\n"
    "for i in 2..N {\n"
    "  constraint rod[i]: rod(i, i-1) = 0\n"
    "  kinetic 0.2*(1 + sin(i))*square(r[i]')\n"
    "  force r[i]: -0.1*(2 + cos(i))*r[i]'\n"
    "}\n";

/* Closed, and held at one point. */
static const char loop_text[] =
    "param N = 1000, n = N\n"
    "let p(i) = (1 + 0.1*sin(1.7*i))*N/(2*pi)*[cos(2*pi*i/N), sin(2*pi*i/N)]\n" POINTS
    "for i in 2..N { constraint rod[i]: rod(i, i-1) = 0 }\n"
    "constraint rod[1]: rod(1, N) = 0\n"
    "constraint hold: tie(N, [-2, -1]) = 0\n";

/* N cells of two rails and rungs:  2--4--6--8   braces 1: one diagonal, rigid
 *                                  |  |  |  |          2: both, one of them redundant
 *                                  1--3--5--7                                            */
#define RAILS                                                                                      \
    "let p(i) = [0.8*floor((i + 1)/2) + 0.1*sin(1.7*i), 1 - rest(i, 2) + 0.1*cos(2.9*i)]\n"
static const char ladder_text[] = "param N = 1000, braces = 0, n = 2*N + 2\n" REST RAILS POINTS
                                  "constraint hold: tie(1, [0, -1]) = 0\n"
                                  "for k in 1..N+1 {\n"
                                  "  let a = 2*k - 1, b = 2*k\n"
                                  "  constraint rung[k]: rod(a, b) = 0\n"
                                  "  if k <= N {\n"
                                  "    constraint low[k]: rod(a+2, a) = 0\n"
                                  "    constraint high[k]: rod(b+2, b) = 0\n"
                                  "    if braces > 0 { constraint rise[k]: rod(b+2, a) = 0 }\n"
                                  "    if braces > 1 { constraint fall[k]: rod(a+2, b) = 0 }\n"
                                  "  }\n"
                                  "}\n";

/* The ladder with both diagonals, but every eighth cell is only a rail: stiff pieces in a chain
 * (one stiff beam of so many cells would be as good as singular). */
static const char pieces_text[] =
    "param N = 1000, n = 2*N + 2\n" REST RAILS POINTS "constraint hold: tie(1, [0, -1]) = 0\n"
    "for k in 1..N+1 {\n"
    "  let a = 2*k - 1, b = 2*k\n"
    "  constraint rung[k]: rod(a, b) = 0\n"
    "  if k <= N {\n"
    "    constraint low[k]: rod(a+2, a) = 0\n"
    "    if rest(k, 8) > 0 {\n"
    "      constraint high[k]: rod(b+2, b) = 0\n"
    "      constraint rise[k]: rod(b+2, a) = 0\n"
    "      constraint fall[k]: rod(a+2, b) = 0\n"
    "    }\n"
    "  }\n"
    "}\n";

/* Point i hangs on point i/2. */
static const char tree_text[] =
    "param N = 1023, n = N\n"
    "let level(i) = floor(log(i + 0.5)/log(2))\n"
    "let p(i) = [20*((i + 0.5)/2^level(i) - 1) + 0.1*sin(1.7*i), -level(i)]\n" POINTS
    "constraint rod[1]: tie(1, [0, 1]) = 0\n"
    "for i in 2..N { constraint rod[i]: rod(i, floor(i/2)) = 0 }\n";

/* A winding line, from each point of which three others hang. */
static const char comb_text[] =
    "param N = 1000, n = 4*N\n" REST
    "let p(i) = [0.8*floor((i + 3)/4) + 0.1*sin(1.7*i), -rest(i - 1, 4) + 0.3*sin(0.7*i)]\n" POINTS
    "constraint spine[1]: tie(1, [0, 0]) = 0\n"
    "for k in 1..N {\n"
    "  let a = 4*k - 3\n"
    "  if k > 1 { constraint spine[k]: rod(a, a-4) = 0 }\n"
    "  for j in 1..3 { constraint tooth[k, j]: rod(a+j, a+j-1) = 0 }\n"
    "}\n";

/* N separate ones of 6 bodies and 8 rods: a ring with a diagonal, hung up at one point. */
static const char mechanisms_text[] =
    "param N = 1000, n = 6*N\n"
    "let p(i) = [3*floor((i - 1)/6) + cos(pi*i/3) + 0.1*sin(1.7*i),\n"
    "            sin(pi*i/3) + 0.1*cos(2.9*i)]\n" POINTS "for k in 1..N {\n"
    "  let a = 6*k - 5\n"
    "  for j in 1..5 { constraint ring[k, j]: rod(a+j, a+j-1) = 0 }\n"
    "  constraint close[k]: rod(a+5, a) = 0\n"
    "  constraint across[k]: rod(a+3, a) = 0\n"
    "  constraint hang[k]: tie(a, [3*k, 3]) = 0\n"
    "}\n";

/* The chain; `odd` percent of its points are held by a rod to the ground as well. */
static const char odd_text[] =
    "param N = 10000, odd = 1, n = N\n"
    "let random(i) = 43758.5453*sin(12.9898*i) - floor(43758.5453*sin(12.9898*i))\n" WINDING POINTS
    "constraint rod[1]: tie(1, [0, 0]) = 0\n"
    "for i in 2..N {\n"
    "  constraint rod[i]: rod(i, i-1) = 0\n"
    "  if random(i) < odd/100 { constraint hold[i]: tie(i, p(i) + [0.3, -3]) = 0 }\n"
    "}\n";

/* Chain and ladder, declared in no order: point i of the line is r[at(i)], and the k-th to be
 * joined is point turn(k). n is a power of two: i (f + g i), f odd, g even, takes every value
 * modulo n once. */
#define SCRAMBLED                                                                                  \
    "coord r[n, 2]\n"                                                                              \
    "kinetic sum(i in 1..n, dot(r[i]', r[i]')/2)\n"                                                \
    "potential sum(i in 1..n, 9.81*r[i][2])\n"                                                     \
    "let square(u) = dot(u, u)\n"                                                                  \
    "let at(i) = 1 + rest(i*(1255 + 746*i), n)\n"                                                  \
    "let turn(k) = 1 + rest(k*(977 + 1618*k), n)\n"                                                \
    "let rod(i, j) = square(r[at(i)] - r[at(j)]) - square(p(i) - p(j))\n"                          \
    "let tie(i, s) = square(r[at(i)] - s) - square(p(i) - s)\n"                                    \
    "for i in 1..n {\n"                                                                            \
    "  start r[at(i)] = p(i)\n"                                                                    \
    "  start r[at(i)]' = [0.3*sin(3.7*i), 0.3*cos(2.3*i)]\n"                                       \
    "}\n"
static const char scrambled_chain_text[] =
    "param N = 8192, n = N\n" REST WINDING SCRAMBLED "constraint rod[1]: tie(1, [0, 0]) = 0\n"
    "for k in 1..N {\n"
    "  let i = turn(k)\n"
    "  if i > 1 { constraint rod[i]: rod(i, i-1) = 0 }\n"
    "}\n";
static const char scrambled_ladder_text[] =
    "param N = 2048, n = 2*N\n" REST RAILS SCRAMBLED "constraint hold: tie(1, [0, -1]) = 0\n"
    "for k in 1..n {\n"
    "  let i = turn(k)\n"
    "  if rest(i, 2) == 1 { constraint rung[i]: rod(i, i+1) = 0 }\n"
    "  if i <= n - 2 { constraint rail[i]: rod(i, i+2) = 0 }\n"
    "}\n";

/* N x N points, triangulated: a third of the rods is redundant, and nothing is a band. */
static const char lattice_text[] =
    "param N = 30, n = N*N\n" REST
    "let p(i) = [rest(i - 1, N) + 0.1*sin(1.7*i), floor((i - 1)/N) + 0.1*cos(2.9*i)]\n" POINTS
    "for i in 1..N { for j in 1..N {\n"
    "  let k = (i - 1)*N + j\n"
    "  if j < N { constraint right[i, j]: rod(k+1, k) = 0 }\n"
    "  if i < N { constraint up[i, j]: rod(k+N, k) = 0 }\n"
    "  if i < N and j < N { constraint slant[i, j]: rod(k+N+1, k) = 0 }\n"
    "} }\n"
    "constraint pin: r[1] = p(1)\n";

/* Bars in the plane, each pinned to the end of the one before: 3 coordinates, 2 rows. (The places
 * of the pins are given in the bars: found from the geometry, some would be 0 and others 1e-17,
 * which makes different shapes.) */
static const char planar_text[] =
    "use planar\n"
    "param N = 1000\n" WINDING "let half(i) = norm(p(i) - p(i-1))/2\n"
    "part ground = Ground()\n"
    "for i in 1..N {\n"
    "  part bar[i] = Bar(1, p(i-1), p(i), gravity = [0, -9.81], w0 = 0.3*sin(3.7*i))\n"
    "  if i > 1 {\n"
    "    part pin[i] = Hinge(bar[i-1], bar[i], at_a = [half(i-1), 0], at_b = [-half(i), 0])\n"
    "  } else {\n"
    "    part pin[1] = Hinge(ground, bar[1], at_a = p(0), at_b = [-half(1), 0])\n"
    "  }\n"
    "}\n";

/* Bodies in space, each on a ball joint of the one before: 7 coordinates, 4 rows. */
static const char spatial_text[] =
    "use rigid\n"
    "param N = 1000\n"
    "let p(i) = [0.8*i, 0.3*sin(1.7*i), 0.3*cos(1.1*i)]\n"
    "let J = box_inertia(1, 0.8, 0.1, 0.2)\n"
    "part ground = Ground()\n"
    "for i in 1..N {\n"
    "  part body[i] = Body(1, J, at = (p(i-1) + p(i))/2, turned = axis_angle([1, 2, 3], sin(i)),\n"
    "    w0 = 0.3*[sin(3.7*i), cos(2.3*i), sin(2.9*i)], gravity = [0, 0, -9.81])\n"
    "  if i > 1 {\n"
    "    part ball[i] = Ball(body[i-1], body[i], at = p(i-1))\n"
    "  } else {\n"
    "    part ball[1] = Ball(ground, body[1], at = p(0))\n"
    "  }\n"
    "}\n";

#endif
