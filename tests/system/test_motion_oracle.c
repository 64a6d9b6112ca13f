/*
 * test_motion_oracle.c: whole runs against numbers that another program computed.
 *
 * Each model's equations were derived a second time by computer algebra from the energies and
 * constraints as they stand below, solved by the fundamental equation with a pseudo-inverse of
 * numpy and integrated, together with the power of each kind of force, by another implementation
 * of a method of order 8 at a relative tolerance of 1e-13. Two maximal steps agreed to 3e-13. The
 * values are good to 1e-11; impressed forces, where inertia has a part in Q, follow from them by
 * hand. A run with tol 1e-12 must agree to 1e-9 of (1 + size).
 */
#include "journey.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define ALLOWED 1e-9
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { LIST = 1024 };

typedef struct value {
    const char *column;
    double is;
} value;

typedef struct opinion {
    const char *title, *model;
    double until;
    const value *values;
    size_t count;
    const zw_ledger *works;
} opinion;

/* Weighted rows that contradict each other, one of them a control; friction */
static const char contradiction[] =
    "coord x, y, z\n"
    "kinetic x'^2/2 + 0.75*y'^2 + z'^2/2 + x'*y'/4\n"
    "potential x^2 + y^2/2 + 1.5*z^2\n"
    "dissipation 0.2*z'^2\n"
    "constraint first: x'' + y''/2 + x = sin(t)\n"
    "constraint second: x'' + y''/2 = -z'\n"
    "control law: 2*x'' + y'' = 0.4\n"
    "constraint ramp: z = x/2\n"
    "weight first: 2\n"
    "weight second: 0.5\n"
    "weight first, second: 0.25\n"
    "nonideal y: -0.3*y'*reaction()\n"
    "start x = 0.5, y = -0.25, z = 0.25, x' = 1, y' = 0.75, z' = 0.5\n";
static const value contradiction_values[] = {
    {"x", 2.08151074078},
    {"y", 1.67312167046},
    {"z", 1.04075537039},
    {"x'", 0.6522078716006},
    {"y'", 0.9167709435657},
    {"z'", 0.3261039358003},
    {"x''", -0.1803459666043},
    {"y''", -0.2341817548619},
    {"z''", -0.09017298330216},
    {"force(x)", 3.92413007624},
    {"force_ideal(z)", 2.926384915444},
    {"impressed(x)", -4.16302148156},
    {"force_nonideal(y)", -1.298823827093},
    {"control(x)", 2.943527284124},
    {"multiplier(first)", 1.65573409732},
    {"multiplier(second)", 0.5519113657733},
    {"multiplier(law)", 1.471763642062},
    {"multiplier(ramp)", 2.926384915444},
    {"energy", 8.402805108605},
    {"gaussian", 27.58393641004},
    {"inconsistency", 1.591600122395},
    {"rank", 2},
};
static const zw_ledger contradiction_works = {.start = 1.609375,
                                              .end = 8.402805108605,
                                              .impressed = 0,
                                              .dissipation = -0.1267814414469,
                                              .ideal = 3.563360995729,
                                              .nonideal = -1.394297439983,
                                              .control = 4.751147994305,
                                              .explicit_time = 0};

/* A bowl that moves, seen from a frame that turns; springs that change; friction */
static const char turning_bowl[] = "coord x, y, z\n"
                                   "lagrangian ((x' - 2*y)^2 + (y' + 2*x)^2 + z'^2)/2 - 9.81*z\n"
                                   "lagrangian -4*(x^2 + y^2)*(1 + sin(3*t)/4)\n"
                                   "constraint bowl: z = (x^2 + y^2)/2 + cos(2*t)/5\n"
                                   "nonideal x: -0.2*reaction()*x'/(1 + abs(x'))\n"
                                   "nonideal z: -0.3*z'\n"
                                   "start x = 0.5, y = 0, z = 0.325, x' = 0.5, y' = 1, z' = 0.25\n";
static const value turning_bowl_values[] = {
    {"x", -0.2308404576452},
    {"y", -0.3414221241123},
    {"z", -0.04580053231314},
    {"x'", 0.7717063995406},
    {"y'", -0.002203352519755},
    {"z'", 0.125332212983},
    {"x''", 2.166085816181},
    {"y''", 1.487950772971},
    {"z''", 0.1104109639572},
    {"force(x)", 1.380538198634},
    {"force_ideal(z)", 9.744692766209},
    {"impressed(x)", 0.794361027626},
    {"force_nonideal(y)", 0.07283143743327},
    {"multiplier(bowl)", 9.744692766209},
    {"energy", 0.1485709320999},
    {"gaussian", 116.0052702532},
    {"inconsistency", 0},
    {"rank", 1},
};
static const zw_ledger turning_bowl_works = {.start = 4.3445,
                                             .end = 0.1485709320999,
                                             .impressed = 0,
                                             .dissipation = 0,
                                             .ideal = -3.259747924604,
                                             .nonideal = -1.023785581645,
                                             .control = 0,
                                             .explicit_time = 0.08760443834896};

/* Masses that change, by kinetic and by mass statements; a gear that creeps */
static const char growing_masses[] =
    "coord r, a, s\n"
    "kinetic (1 + 0.3*sin(2*t))*(r'^2 + (1 + r^2)*a'^2)/2\n"
    "potential r^2*(1 + cos(t)/5) + r*cos(a) + s^2/2\n"
    "dissipation (r'^2 + r'^2*a'^2)/10\n"
    "mass s: 1.5 + tanh(s)/10\n"
    "mass r, s: sin(t)/10\n"
    "force s: exp(-t)/2\n"
    "constraint gear: s' = (1 + 0.3*r^2)*a' + sin(t)/10\n"
    "start r = 1, a = 0.5, s = -0.5, r' = -0.5, a' = 1, s' = 1.3\n";
static const value growing_masses_values[] = {
    {"r", -0.1208207606628},
    {"a", 3.135018273424},
    {"s", 2.436423581853},
    {"r'", 0.1927864334886},
    {"a'", 1.101718849535},
    {"s'", 1.197473346118},
    {"r''", 1.524255306041},
    {"a''", -0.8168258175322},
    {"s''", -0.8774147641511},
    {"force(r)", 0},
    {"force_ideal(s)", 1.104824980925},
    {"impressed(r)", 1.13615071853},
    {"multiplier(gear)", 1.104824980925},
    {"energy", 4.759652485305},
    {"gaussian", 2.338885233859},
    {"inconsistency", 0},
    {"rank", 1},
};
static const zw_ledger growing_masses_works = {.start = 4.556033662102,
                                               .end = 4.759652485305,
                                               .impressed = 0.6304179461892,
                                               .dissipation = -0.7151697112451,
                                               .ideal = 0.1292141331655,
                                               .nonideal = 0,
                                               .control = 0,
                                               .explicit_time = 0.1591564550939};

/* Two velocities kept parallel, the speed of one prescribed by a control */
static const char parallel[] =
    "coord x, y, u, w\n"
    "kinetic 0.75*(x'^2 + y'^2) + (u'^2 + w'^2)/2\n"
    "potential 2*((x - u)^2 + (y - w)^2) + x\n"
    "constraint parallel: x'*w' = y'*u'\n"
    "control pace: x'^2 + y'^2 = 2 + sin(t)\n"
    "start x = 0, y = 0, u = 0.5, w = -0.25, x' = 1, y' = 1, u' = 0.75, w' = 0.75\n";
static const value parallel_values[] = {
    {"x", 1.114357523813},
    {"y", 1.100662524473},
    {"u", 1.245542520583},
    {"w", 0.4862781364725},
    {"x'", 1.195806562464},
    {"y'", 1.188073082759},
    {"u'", 0.9936777813006},
    {"w'", 0.9872515020044},
    {"x''", 0.001844943962869},
    {"y''", 0.225529018984},
    {"u''", 0.8717304130401},
    {"w''", 1.051977159306},
    {"force(x)", 0.4780274288618},
    {"force_ideal(w)", -1.405560392695},
    {"impressed(x)", -0.4752600129175},
    {"control(x)", 1.638450571203},
    {"multiplier(parallel)", -1.175407826663},
    {"multiplier(pace)", 0.6850817777027},
    {"energy", 5.015846652241},
    {"gaussian", 9.289184031466},
    {"inconsistency", 0},
    {"rank", 2},
};
static const zw_ledger parallel_works = {.start = 2.6875,
                                         .end = 5.015846652241,
                                         .impressed = 0,
                                         .dissipation = 0,
                                         .ideal = 0,
                                         .nonideal = 0,
                                         .control = 2.328346652241,
                                         .explicit_time = 0};

/* A double pendulum in space, shaken, one row too many, friction */
static const char shaken_pendulum[] =
    "coord x1, y1, z1, x2, y2, z2\n"
    "kinetic (x1'^2 + y1'^2 + z1'^2)/2 + 0.75*(x2'^2 + y2'^2 + z2'^2)\n"
    "potential 9.81*(z1 + 1.5*z2)\n"
    "let pace = sqrt(0.1 + x2'^2 + y2'^2 + z2'^2)\n"
    "constraint upper: (x1 - sin(2*t)/5)^2 + y1^2 + z1^2 = 1\n"
    "constraint lower: (x1 - x2)^2 + (y1 - y2)^2 + (z1 - z2)^2 = 1\n"
    "constraint both: (x1 - sin(2*t)/5)^2 + y1^2 + z1^2 + 3*((x1 - x2)^2 + (y1 - y2)^2 + (z1 - "
    "z2)^2) = 4\n"
    "weight both: 2.5\n"
    "nonideal x2: -0.1*reaction()*x2'/pace\n"
    "nonideal y2: -0.1*reaction()*y2'/pace\n"
    "nonideal z2: -0.1*reaction()*z2'/pace\n"
    "start x1 = 0.6, y1 = 0, z1 = -0.8, x2 = 0.6, y2 = 0.8, z2 = -1.4\n"
    "start x1' = 0.4, y1' = 0.5, z1' = 0, x2' = 1, y2' = 0.5, z2' = 0\n";
static const value shaken_pendulum_values[] = {
    {"x1", -0.1408627836592},
    {"y1", -0.1475366715604},
    {"z1", -0.9744960695619},
    {"x2", -0.2248077102268},
    {"y2", -0.5919763951376},
    {"z2", -1.866362977464},
    {"x1'", -0.8886724230064},
    {"y1'", 2.005119803144},
    {"z1'", -0.2180858443513},
    {"x2'", 0.1798286648568},
    {"y2'", -0.04355275852824},
    {"z2'", 0.7022490333972},
    {"x1''", 4.427844247836},
    {"y1''", -6.257015525199},
    {"z1''", 4.583041580034},
    {"x2''", 1.07390203549},
    {"y2''", 8.187835697615},
    {"z2''", 4.636245566681},
    {"force(x1)", 4.427844247836},
    {"force_ideal(z2)", 22.49712012249},
    {"impressed(x1)", 0},
    {"force_nonideal(y1)", -0.6210914229017},
    {"multiplier(upper)", -13.43859777308},
    {"multiplier(lower)", 3.752217366337},
    {"multiplier(both)", -5.454864185164},
    {"energy", -34.19889321555},
    {"gaussian", 761.4964390996},
    {"inconsistency", 0},
    {"rank", 2},
};
static const zw_ledger shaken_pendulum_works = {.start = -27.3065,
                                                .end = -34.19889321555,
                                                .impressed = 0,
                                                .dissipation = 0,
                                                .ideal = -1.785847583779,
                                                .nonideal = -5.10654563177,
                                                .control = 0,
                                                .explicit_time = 0};

/* A mass matrix of the velocities (relativity), a magnetic term, a curve */
static const char fast_bead[] = "coord x, y\n"
                                "lagrangian -9*sqrt(1 - (x'^2 + y'^2)/9) - (x^2 + 2*y^2)/2\n"
                                "lagrangian (x*y' - y*x')*sin(t)/2\n"
                                "force x: exp(-t)/2\n"
                                "constraint curve: y = x^2/4\n"
                                "start x = 1, y = 0.25, x' = 2, y' = 1\n";
static const value fast_bead_values[] = {
    {"x", -0.1551793375177},
    {"y", 0.006020156698104},
    {"x'", -2.261464742949},
    {"y'", 0.1754663003152},
    {"x''", 0.2484867400342},
    {"y''", 2.53783138795},
    {"force(x)", 0.2823711482959},
    {"force_ideal(y)", 3.63928797239},
    {"impressed(x)", 0.1800728717016},
    {"multiplier(curve)", 3.63928797239},
    {"energy", 13.76364403285},
    {"gaussian", 8.720267991373},
    {"inconsistency", 0},
    {"rank", 1},
};
static const zw_ledger fast_bead_works = {.start = 14.0625,
                                          .end = 13.76364403285,
                                          .impressed = 0.3408694141543,
                                          .dissipation = 0,
                                          .ideal = 0,
                                          .nonideal = 0,
                                          .control = 0,
                                          .explicit_time = -0.6397253813009};

static const opinion opinions[] = {
    {"contradiction", contradiction, 2.0, contradiction_values, COUNT(contradiction_values),
     &contradiction_works},
    {"turning_bowl", turning_bowl, 2.0, turning_bowl_values, COUNT(turning_bowl_values),
     &turning_bowl_works},
    {"growing_masses", growing_masses, 2.0, growing_masses_values, COUNT(growing_masses_values),
     &growing_masses_works},
    {"parallel", parallel, 1.0, parallel_values, COUNT(parallel_values), &parallel_works},
    {"shaken_pendulum", shaken_pendulum, 1.5, shaken_pendulum_values, COUNT(shaken_pendulum_values),
     &shaken_pendulum_works},
    {"fast_bead", fast_bead, 3.0, fast_bead_values, COUNT(fast_bead_values), &fast_bead_works},
};

static bool near(const opinion *o, const char *what, double got, double expected)
{
    if (fabs(got - expected) <= ALLOWED * (1 + fabs(expected))) return true;
    print_error("%s: %s is %.17g and should be %.17g\n", o->title, what, got, expected);
    return false;
}

/* "x, y, x'" of the values. */
static void list_columns(const opinion *o, char *list)
{
    size_t used = 0;
    for (size_t i = 0; i < o->count; i++) {
        int length =
            snprintf(list + used, LIST - used, "%s%s", i == 0 ? "" : ", ", o->values[i].column);
        assert_in_range(length, 1, LIST - used - 1);
        used += (size_t)length;
    }
}

static bool agrees(const opinion *o, const double *row, const zw_ledger *got)
{
    const zw_ledger *w = o->works;
    bool right = true;
    for (size_t i = 0; i < o->count; i++) {
        right &= near(o, o->values[i].column, row[i + 1], o->values[i].is);
    }
    right &= near(o, "h at the start", got->start, w->start);
    right &= near(o, "h at the end", got->end, w->end);
    right &= near(o, "work of forces", got->impressed, w->impressed);
    right &= near(o, "dissipation", got->dissipation, w->dissipation);
    right &= near(o, "work of ideal forces", got->ideal, w->ideal);
    right &= near(o, "work of nonideal forces", got->nonideal, w->nonideal);
    right &= near(o, "work of controls", got->control, w->control);
    right &= near(o, "what time does", got->explicit_time, w->explicit_time);
    return right;
}

static void runs_agree_with_the_other_program(void **state)
{
    bool right = true;
    for (size_t i = 0; i < COUNT(opinions); i++) {
        const opinion *o = &opinions[i];
        char list[LIST];
        list_columns(o, list);
        journey j = journey_open(o->model, NULL, list);
        assert_int_equal(zw_columns_count(j.columns), o->count + 1);
        j.settings.tol = j.settings.abs_tol = 1e-12;
        j.settings.until = o->until;
        journey_begin(&j);
        journey_to(&j, o->until);
        zw_run_statistics statistics = journey_statistics(&j);
        right &= agrees(o, j.row, &statistics.energy);
        journey_close(&j);
    }
    assert_true(right);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_agree_with_the_other_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
