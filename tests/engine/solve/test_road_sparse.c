/*
 * Runs by the sparse solver against the same runs by the dense one: trajectory, columns, ranks,
 * conflicts; forces that follow a reaction; sides with some of the rows, weighted; other forms;
 * restarts to the same bits; no memory taken on the way.
 */
#include "../../roads_taken.h"
#include "track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void open_track(track *k, const char *text, const char *columns, zw_solver solver)
{
    track_open(k, text, columns, solver, 1e-12);
}

/* Every column of both, relative to the larger of 1 and the largest column. */
static void compare_rows(const track *a, const track *b, double tolerance)
{
    double size = 1.0;
    assert_int_equal(a->width, b->width);
    for (int32_t i = 0; i < a->width; i++) size = fmax(size, fabs(a->row[i]));
    for (int32_t i = 0; i < a->width; i++) {
        char name[64];
        (void)zw_columns_name(a->columns, i, name, sizeof name);
        bool same = fabs(a->row[i] - b->row[i]) <= tolerance * size ||
                    (isnan(a->row[i]) && isnan(b->row[i]));
        if (!same) fail_msg("%s: dense %.17g, sparse %.17g", name, a->row[i], b->row[i]);
    }
}

/* The same run by both solvers; what is left open are `dense` and `sparse`. */
static void run_both(const char *text, const char *columns, double until, track *dense,
                     track *sparse)
{
    open_track(dense, text, columns, ZW_SOLVER_DENSE);
    open_track(sparse, text, columns, ZW_SOLVER_SPARSE);
    begin(dense);
    begin(sparse);
    for (int k = 0; k <= 3; k++) {
        advance(dense, until * k / 3);
        advance(sparse, until * k / 3);
        compare_rows(dense, sparse, 1e-9);
    }
    zw_run_statistics a = statistics(dense), b = statistics(sparse);
    assert_int_equal(a.solver, ZW_SOLVER_DENSE);
    assert_int_equal(b.solver, ZW_SOLVER_SPARSE);
    assert_string_equal(a.solver_form, "dense");
    assert_int_equal(strlen(b.solver_form), 1);
    assert_true(b.factorizations >= b.evaluations);
    assert_int_equal(a.rank, b.rank);
    assert_int_equal(a.generic_rank, b.generic_rank);
    assert_int_equal(a.rank_changes, b.rank_changes);
    assert_true(b.position.relative < 1e-10 && b.velocity.relative < 1e-8);
    bench_near(b.inconsistency, a.inconsistency, 1e-9 * (1.0 + a.inconsistency));
}

static void close_both(track *dense, track *sparse)
{
    close_track(dense);
    close_track(sparse);
}

/* N links that hang from the origin, stretched to the side. */
#define CHAIN(N, more)                                                                             \
    "param N = " #N "\ncoord x[N], y[N]\n"                                                         \
    "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N, 9.81*y[i])\n"         \
    "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"                                                     \
    "for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1 }\n"                 \
    "for i in 1..N {\nstart x[i] = 0.8*i\nstart y[i] = -0.6*i\nstart x[i]' = 0.3*i\n"              \
    "start y[i]' = 0.4*i\n}\n" more

/* N bays with both diagonals: one rod of each is redundant. */
static const char ladder[] =
    "param N = 12, n = 2*N + 2\ncoord x[n], y[n]\n"
    "kinetic sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..n, 9.81*y[i])\n"
    "for i in 1..N+1 {\nlet a = 2*i - 1, b = 2*i\n"
    "start x[a] = i\nstart x[b] = i\nstart y[b] = 1\n"
    "constraint rung[i]: (x[a] - x[b])^2 + (y[a] - y[b])^2 = 1\n"
    "if i <= N {\n"
    "constraint low[i]: (x[a+2] - x[a])^2 + (y[a+2] - y[a])^2 = 1\n"
    "constraint high[i]: (x[b+2] - x[b])^2 + (y[b+2] - y[b])^2 = 1\n"
    "constraint rise[i]: (x[b+2] - x[a])^2 + (y[b+2] - y[a])^2 = 2\n"
    "constraint fall[i]: (x[a+2] - x[b])^2 + (y[a+2] - y[b])^2 = 2\n"
    "}\n}\nconstraint pin: [x[1], y[1]] = [1, 0]\n";

static void chain_of_sixty(void **state)
{
    (void)state;
    track a, b;
    run_both(CHAIN(60, ""), "all", 0.3, &a, &b);
    assert_int_equal(statistics(&b).rank, 60);
    close_both(&a, &b);
}

/* Nothing moves: accelerations are rounding of large forces. */
static void standing_structure(void **state)
{
    (void)state;
    track k;
    open_track(&k,
               "use planar\npart ground = Ground()\n"
               "part b0 = Body(m=1, J=0.4, at=[0.3,0.2], angle=0.3, gravity=[0,-9.81])\n"
               "part b1 = Body(m=2, J=0.7, at=[1.2,-0.4], angle=1, gravity=[0,-9.81])\n"
               "part j0 = Fixed(ground, b0, at=[0.1,0.7])\npart j1 = Fixed(b0, b1, at=[0.8,0.3])\n"
               "part j2 = Slider(ground, b1, at=[0.5,0.5], axis=[1,0.4])\n",
               "b0.r, b1.r", ZW_SOLVER_SPARSE);
    static const double places[] = {0.3, 0.2, 1.2, -0.4};
    begin(&k);
    advance(&k, 1.0);
    for (int i = 0; i < 4; i++) assert_true(fabs(k.row[i + 1] - places[i]) < 1e-13);
    assert_int_equal(statistics(&k).rank, 6);
    close_track(&k);
}

static void redundant_ladder(void **state)
{
    (void)state;
    track a, b;
    run_both(ladder, "all", 0.3, &a, &b);
    assert_int_equal(statistics(&b).generic_rank, zw_model_row_count(b.model) - 12);
    close_both(&a, &b);
}

/* Two rows that ask for different accelerations of the last point: the compromise of both, the
 * same rows left out of the projections. */
static void conflicting_rows(void **state)
{
    (void)state;
    track a, b;
    run_both(CHAIN(20, "constraint up: y[N]'' = 1\nconstraint down: y[N]'' = -2\n"
                       "weight down: 2\n"),
             "all", 0.3, &a, &b);
    assert_true(statistics(&b).inconsistency > 1.0);
    assert_true(statistics(&b).first_inconsistent == 0.0);
    close_both(&a, &b);
}

/* C follows the reaction; powers ride along. */
static void friction_by_reaction(void **state)
{
    (void)state;
    track a, b;
    run_both(CHAIN(20, "nonideal x[3]: -0.2*reaction(rod[3])*x[3]'\n"
                       "nonideal y[3]: -0.2*multiplier(rod[5])*y[3]'\n"),
             "all", 0.3, &a, &b);
    zw_run_statistics s = statistics(&a), t = statistics(&b);
    assert_true(s.energy.nonideal < -1e-3 || s.energy.nonideal > 1e-3);
    bench_near(t.energy.nonideal, s.energy.nonideal, 1e-9 * fabs(s.energy.scale));
    close_both(&a, &b);
}

/* Positions have some of the rows only, with weights between them. */
static void sides_of_their_own(void **state)
{
    (void)state;
    track a, b;
    run_both(CHAIN(20,
                   "constraint steer: x[N]' = 0.3*N + t\nconstraint twin: 2*x[N]' = 0.6*N + 2*t\n"
                   "weight steer: 3\nweight rod[7]: 2\n"),
             "x, y, x', force(x), rank, gaussian", 0.3, &a, &b);
    assert_int_equal(statistics(&b).generic_rank, 21);
    close_both(&a, &b);
}

static void other_forms(void **state)
{
    (void)state;
    track a, b;
    open_track(&a, CHAIN(20, ""), NULL, ZW_SOLVER_DENSE);
    open_track(&b, CHAIN(20, ""), NULL, ZW_SOLVER_SPARSE);
    b.settings.form = ZW_FORM_MULTIPLIERS;
    begin(&a);
    begin(&b);
    advance(&a, 0.2);
    advance(&b, 0.2);
    compare_rows(&a, &b, 1e-9);
    zw_run_statistics stats = statistics(&b);
    assert_true(roads_taken(&stats, "careful") > 0);
    close_both(&a, &b);
}

/* M is constant until a parameter says otherwise. */
static void parameters_change_the_mass(void **state)
{
    (void)state;
    static const char text[] =
        "param N = 20, w = 1\ncoord x[N], y[N]\n"
        "kinetic sum(i in 1..N, i*w^i*(x[i]'^2 + y[i]'^2)/2)\npotential sum(i in 1..N, 9.81*y[i])\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
        "for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1 }\n"
        "for i in 1..N {\nstart x[i] = 0.8*i\nstart y[i] = -0.6*i\n}\n";
    track a, b;
    double z[2][40], q[40], v[40], t;
    run_both(text, NULL, 0.1, &a, &b);
    track *both[] = {&a, &b};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(zw_sim_set_parameters(both[k]->sim, "w = 1.2"), ZW_OK);
        assert_int_equal(zw_sim_state(a.sim, &t, q, v), ZW_OK);
        assert_int_equal(zw_sim_acceleration(both[k]->sim, t, q, v, z[k]), ZW_OK);
    }
    for (int i = 0; i < 40; i++) bench_near(z[1][i], z[0][i], 1e-9 * (1.0 + fabs(z[0][i])));
    close_both(&a, &b);
}

/* Saved in the middle and restored into another simulation: the same bits to the end. */
static void restarts_to_the_same_bits(void **state)
{
    (void)state;
    static const char *const texts[] = {
        CHAIN(30, ""), ladder,
        CHAIN(20, "constraint up: y[N]'' = 1\nconstraint down: y[N]'' = -2\n")};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        track a, b;
        size_t size = 0;
        open_track(&a, texts[k], "all", ZW_SOLVER_SPARSE);
        open_track(&b, texts[k], "all", ZW_SOLVER_SPARSE);
        begin(&a);
        begin(&b);
        advance(&a, 0.11);
        assert_int_equal(zw_sim_save(a.sim, NULL, 0, &size), ZW_OK);
        char *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(zw_sim_save(a.sim, bytes, size, &size), ZW_OK);
        assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_OK);
        free(bytes);
        for (int i = 1; i <= 3; i++) {
            advance(&a, 0.11 + 0.05 * i);
            advance(&b, 0.11 + 0.05 * i);
            assert_memory_equal(a.row, b.row, sizeof *a.row * (size_t)a.width);
        }
        close_both(&a, &b);
    }
}

static void steps_take_no_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {
        CHAIN(30, "nonideal x[3]: -0.2*reaction(rod[3])*x[3]'\n"), ladder,
        CHAIN(20, "constraint up: y[N]'' = 1\nconstraint down: y[N]'' = -2\n")};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        track a;
        open_track(&a, texts[k], "all", ZW_SOLVER_SPARSE);
        begin(&a);
        size_t begun = a.count.requests;
        for (int i = 1; i <= 4; i++) advance(&a, 0.05 * i);
        assert_int_equal(a.count.requests, begun);
        close_track(&a);
    }
}

/* A straight chain, let go, at a coarser tolerance: the rows of a long chain are badly conditioned
 * without being near a singular configuration, and errors of a step must not be excused by that. */
static void long_chains_keep_the_tolerance(void **state)
{
    (void)state;
    static const char text[] =
        "param N = 40\ncoord x[N], y[N], beside\n"
        "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2/N\n potential 9.81*y[i]/N\n"
        " start x[i] = i/N*0.8, y[i] = -i/N*0.6 }\n"
        "kinetic beside'^2/2\nstart beside = 1, beside' = -1\n"
        "constraint rod[1]: x[1]^2 + y[1]^2 = 1/N^2\n"
        "for i in 2..N { constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = 1/N^2 }\n";
    track exact, coarse;
    open_track(&exact, text, "x,y", ZW_SOLVER_SPARSE);
    begin(&exact);
    advance(&exact, 0.1);
    for (zw_solver solver = ZW_SOLVER_AUTO; solver <= ZW_SOLVER_PARTS; solver++) {
        open_track(&coarse, text, "x,y", solver);
        coarse.settings.tol = coarse.settings.abs_tol = 1e-9;
        coarse.settings.until = 0.1;
        begin(&coarse);
        advance(&coarse, 0.1);
        compare_rows(&exact, &coarse, 2e-8);
        close_track(&coarse);
    }
    close_track(&exact);
}

/* What zw_sim_solve says of a redundant ladder, by both solvers. */
static void whole_answers(void **state)
{
    (void)state;
    enum { most = 400 };
    static double z[2][most], force[2][most], lambda[2][most], residual[2][most];
    zw_gauss_answer answers[2];
    zw_gauss_rank_info rank[2];
    int32_t sets[2];
    for (int k = 0; k < 2; k++) {
        track t;
        open_track(&t, ladder, "t", k == 0 ? ZW_SOLVER_DENSE : ZW_SOLVER_SPARSE);
        assert_true(zw_model_coordinate_count(t.model) <= most);
        assert_true(zw_model_row_count(t.model) <= most);
        assert_int_equal(zw_sim_solver(t.sim), k == 0 ? ZW_SOLVER_DENSE : ZW_SOLVER_SPARSE);
        assert_int_equal(zw_sim_rank(t.sim, &rank[k]), ZW_ERR_ORDER);
        assert_int_equal(zw_sim_start(t.sim, false), ZW_OK);
        answers[k] = (zw_gauss_answer){.acceleration = z[k],
                                       .force = force[k],
                                       .multipliers = lambda[k],
                                       .residual = residual[k]};
        assert_int_equal(zw_sim_solve(t.sim, &answers[k]), ZW_OK);
        assert_int_equal(zw_sim_rank(t.sim, &rank[k]), ZW_OK);
        zw_diagnosis *d = NULL;
        assert_int_equal(zw_sim_diagnose(t.sim, z[k], &d), ZW_OK);
        sets[k] = d->set_count;
        zw_diagnosis_free(d);
        close_track(&t);
    }
    for (int i = 0; i < most; i++) {
        assert_true(fabs(z[0][i] - z[1][i]) <= 1e-10 * (1.0 + fabs(z[0][i])));
        assert_true(fabs(force[0][i] - force[1][i]) <= 1e-9 * (1.0 + fabs(force[0][i])));
        assert_true(fabs(lambda[0][i] - lambda[1][i]) <= 1e-8 * (1.0 + fabs(lambda[0][i])));
        assert_true(fabs(residual[1][i]) <= 1e-10);
    }
    assert_int_equal(rank[0].rank, rank[1].rank);
    assert_int_equal(answers[0].rank, rank[0].rank);
    assert_int_equal(answers[1].rank, rank[1].rank);
    assert_true(sets[0] > 0);
    assert_int_equal(sets[0], sets[1]);
    assert_true(fabs(answers[0].gaussian - answers[1].gaussian) <= 1e-9 * answers[0].gaussian);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_of_sixty),
        cmocka_unit_test(standing_structure),
        cmocka_unit_test(redundant_ladder),
        cmocka_unit_test(conflicting_rows),
        cmocka_unit_test(friction_by_reaction),
        cmocka_unit_test(sides_of_their_own),
        cmocka_unit_test(other_forms),
        cmocka_unit_test(parameters_change_the_mass),
        cmocka_unit_test(restarts_to_the_same_bits),
        cmocka_unit_test(steps_take_no_memory),
        cmocka_unit_test(long_chains_keep_the_tolerance),
        cmocka_unit_test(whole_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
