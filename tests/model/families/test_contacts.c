/*
 * Inequalities, friction and restitution in a compiled model: rows with masks against the same
 * equations, hidden values, families of many contacts, names, what is printed, and memory refused
 * at every request.
 */
#include "../../base/counting.h"

#include <math.h>

#include "model.h"

/* -------------------------------------------------------------------- models */

typedef struct compiled {
    counting c;
    zb_memory memory;
    zb_diag_list diagnostics;
    zm_model *model;
} compiled;

static zw_status compile_text(compiled *m, const char *text, int64_t refuse_at)
{
    zm_request request = {.file = "m.zw", .text = text, .length = strlen(text)};
    counting_init(&m->c, &m->memory);
    zb_diag_init(&m->diagnostics, &m->memory);
    m->model = NULL;
    m->c.refuse_at = refuse_at;
    zw_status status = zm_compile(&m->memory, &m->diagnostics, &request, &m->model);
    m->c.refuse_at = 0;
    return status;
}

static const zm_model *compile_good(compiled *m, const char *text)
{
    zw_status status = compile_text(m, text, 0);
    if (status != ZW_OK) fail_msg("%s", zb_diag_get(&m->diagnostics, 0)->sentence);
    return m->model;
}

static void release(compiled *m)
{
    zm_free(m->model);
    zb_diag_free(&m->diagnostics);
    assert_int_equal(m->c.blocks, 0);
    assert_int_equal(m->c.faults, 0);
}

/* --------------------------------------------------------------------- values */

enum { MOST = 8 };

/* A state, and the values of the model with all masks at `mask`. */
typedef struct instant {
    const zm_model *model;
    const zm_family *family;
    int32_t instance;
    double mask, q[MOST], v[MOST];
} instant;

static double leaf_value(void *user, const zx_item *leaf)
{
    const instant *i = user;
    switch (leaf->op) {
    case ZX_POSITION:
        return i->q[zm_coordinate_of(i->family, i->instance, leaf->a)];
    case ZX_VELOCITY:
        return i->v[zm_coordinate_of(i->family, i->instance, leaf->a)];
    case ZX_TIME:
        return 0.7;
    case ZX_VALUE: {
        int32_t value = zm_value_of(i->family, i->instance, leaf->a);
        return value >= i->model->first_hidden ? i->mask : i->model->values[value];
    }
    default:
        return 0.0;
    }
}

static double value_of(const compiled *m, const instant *i, zx_node node)
{
    return zx_evaluate(&m->model->pool, node, leaf_value, (void *)(uintptr_t)i);
}

static instant instant_of(const compiled *m, const zm_where *where, double mask)
{
    instant i = {.model = m->model,
                 .family = &m->model->families[where->family],
                 .instance = where->instance,
                 .mask = mask};
    for (int k = 0; k < MOST; k++) {
        i.q[k] = 0.3 + 0.17 * k;
        i.v[k] = -0.4 + 0.21 * k;
    }
    return i;
}

/* The numbers of a row: phi, rate, b, then A. */
static void row_values(const compiled *m, const instant *i, int32_t root, double out[3 + MOST])
{
    const zm_family *f = i->family;
    out[0] = value_of(m, i, f->roots[root]);
    out[1] = f->rate[root] == ZX_NONE ? 0.0 : value_of(m, i, f->rate[root]);
    out[2] = value_of(m, i, f->b[root]);
    for (int k = 0; k < MOST; k++) out[3 + k] = 0.0;
    for (int32_t k = 0; k < f->jacobian_count; k++)
        if (f->jacobian[k].row == root)
            out[3 + zm_coordinate_of(f, i->instance, f->jacobian[k].column)] =
                value_of(m, i, f->jacobian[k].node);
}

/* ---------------------------------------------------------------------- masks */

/* With its mask an inequality is the equation to the bit, without it 0 = 0. */
static void rows_are_equations_while_they_hold(void **unused)
{
    static const char *const sides[][2] = {
        {"x", "0"},    {"x^2 + 3*y", "y*x"},    {"hypot(x, y)", "sin(t)"}, {"x'*y - y'", "2"},
        {"x'^2", "y"}, {"x''*y + x'", "3*y''"}, {"max(x, y)", "0.1"}};
    (void)unused;
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        char text[2][200];
        compiled m[2];
        double expected[3 + MOST], found[3 + MOST];
        for (int j = 0; j < 2; j++) {
            snprintf(text[j], sizeof text[j],
                     "coord x, y\nkinetic x'^2 + y'^2\nconstraint c: %s %s %s\n", sides[k][0],
                     j == 0 ? "=" : ">=", sides[k][1]);
            compile_good(&m[j], text[j]);
        }
        const zm_where *where = &m[0].model->constraints[0].where;
        instant i = instant_of(&m[0], where, 1.0);
        row_values(&m[0], &i, where->root, expected);
        where = &m[1].model->constraints[0].where;
        assert_int_equal(zm_row_kind_of(m[0].model, 0), zm_row_kind_of(m[1].model, 0));
        i = instant_of(&m[1], where, 1.0);
        row_values(&m[1], &i, where->root, found);
        assert_memory_equal(found, expected, sizeof expected);
        i = instant_of(&m[1], where, 0.0);
        row_values(&m[1], &i, where->root, found);
        for (int j = 0; j < 3 + MOST; j++) assert_true(found[j] == 0.0);
        release(&m[0]);
        release(&m[1]);
    }
}

/* Where the gap has a kink and no rate: the row is 0 = 0 all the same. */
static void rows_that_do_not_hold_need_no_value(void **unused)
{
    (void)unused;
    compiled m;
    double found[3 + MOST];
    compile_good(&m, "coord r[2]\nkinetic dot(r', r')\nconstraint rope: norm(r) <= 2\n");
    const zm_where *where = &m.model->constraints[0].where;
    instant i = instant_of(&m, where, 1.0);
    i.q[0] = i.q[1] = 0.0;
    row_values(&m, &i, where->root, found);
    assert_true(isnan(found[3]));
    i.mask = 0.0;
    row_values(&m, &i, where->root, found);
    for (int j = 0; j < 3 + MOST; j++) assert_true(found[j] == 0.0);
    release(&m);
}

static const char laws[] = "param e = 0.5, mu = 0.3\n"
                           "coord x, y, th\n"
                           "kinetic x'^2 + y'^2 + th'^2\n"
                           "constraint rail: th = 0\n"
                           "constraint ground: y >= 0\n"
                           "friction ground: mu along [x' - 2*y', 3*th'*cos(x)], static = 0.4\n"
                           "constraint stop: -1 <= x <= 2\n"
                           "restitution ground, stop: e, tangential = 0.1\n"
                           "friction ground: 0.01 along th\n"
                           "friction rail: mu along x', pressure = abs(multiplier(rail))\n"
                           "output all = [gap(stop)[2], slip(ground, 2), friction(ground)[1],\n"
                           "              contact(stop), impulse(ground), contact(rail)]\n";

/* Each a value of its own, 0, and not a parameter. */
static void hidden_values_are_apart(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(&m, laws);
    int32_t hidden = model->value_count - model->first_hidden;
    int *seen = calloc((size_t)hidden, sizeof *seen);
    assert_int_equal(model->m, 8);
    assert_int_equal(model->contact_count, 3);
    assert_int_equal(model->friction_count, 3);
    for (int32_t k = 0; k < model->m; k++) {
        bool equation = k == 0;
        assert_int_equal(model->mask[k] < 0, equation);
        if (!equation) seen[model->mask[k] - model->first_hidden]++;
    }
    for (int32_t k = 0; k < model->contact_count; k++) {
        seen[model->contacts[k].state - model->first_hidden]++;
        seen[model->contacts[k].impulse - model->first_hidden]++;
        assert_true(k == 0 || model->contacts[k].row > model->contacts[k - 1].row);
    }
    for (int32_t k = 0; k < model->friction_count; k++)
        seen[model->frictions[k].state - model->first_hidden]++;
    for (int32_t k = 0; k < hidden; k++) {
        assert_int_equal(seen[k], 1);
        assert_true(model->values[model->first_hidden + k] == 0.0);
    }
    free(seen);
    assert_true(model->parameter_count <= model->first_hidden);
    release(&m);
}

static void recomputing_leaves_them_alone(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(&m, laws);
    double values[64];
    bool overridden[8] = {true};
    assert_true(model->value_count <= 64);
    for (int32_t k = 0; k < model->value_count; k++)
        values[k] = k < model->first_hidden ? model->values[k] : 1.0 + k;
    assert_int_equal(zm_recompute(model, overridden, values), ZW_OK);
    for (int32_t k = model->first_hidden; k < model->value_count; k++)
        assert_true(values[k] == 1.0 + k);
    release(&m);
}

/* ----------------------------------------------------------------------- laws */

static void laws_are_attached(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(&m, laws);
    const zm_friction *f = model->frictions;
    static const int32_t of[] = {1, 1, 0}, width[] = {2, 1, 1}, number[] = {1, 2, 1};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(f[k].constraint, of[k]);
        assert_int_equal(f[k].width, width[k]);
        assert_int_equal(f[k].number, number[k]);
        assert_int_equal(model->constraints[f[k].tangent].first_row, f[k].first_row);
        assert_true(model->constraints[f[k].tangent].tangent);
        assert_int_equal(zm_row_kind_of(model, f[k].first_row), ZM_NONHOLONOMIC);
        assert_int_equal(f[k].where.count, width[k] + 1 + f[k].has_static + f[k].has_pressure);
    }
    assert_true(f[0].has_static && !f[1].has_static && f[2].has_pressure);
    assert_int_equal(model->restitution_count, 2);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(model->contacts[k].restitution, k == 0 ? 0 : 1);
        assert_true(model->restitutions[k == 0 ? 0 : 1].has_tangential);
    }
    release(&m);
}

/* The slip without its mask, and dV/dv of it alone. */
static void slips_have_their_derivatives(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(&m, laws);
    const zm_where *where = &model->frictions[0].where;
    instant i = instant_of(&m, where, 0.0);
    double V = value_of(&m, &i, i.family->roots[where->root]);
    assert_true(fabs(V - (i.v[0] - 2 * i.v[1])) < 1e-15);
    double entries[2][3] = {{0}};
    for (int32_t k = 0; k < i.family->jacobian_count; k++) {
        int32_t row = i.family->jacobian[k].row - where->root;
        if (row < 2 && row >= 0)
            entries[row][i.family->jacobian[k].column] =
                value_of(&m, &i, i.family->jacobian[k].node);
    }
    const double expected[2][3] = {{1, -2, 0}, {0, 0, 3 * cos(i.q[0])}};
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 3; c++) assert_true(fabs(entries[r][c] - expected[r][c]) < 1e-15);
    where = &model->frictions[1].where; /* along th: its rate */
    i = instant_of(&m, where, 0.0);
    assert_true(value_of(&m, &i, i.family->roots[where->root]) == i.v[2]);
    release(&m);
}

/* phi and its rate, whatever the mask. */
static void gaps_have_their_rates(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model =
        compile_good(&m, "coord x, y\nkinetic x'^2 + y'^2\n"
                         "constraint c: [x^2*y, x' - y, x'' + t, 3*t - x] >= 0\n");
    static const zm_row_kind kinds[] = {ZM_HOLONOMIC, ZM_NONHOLONOMIC, ZM_ACCELERATION,
                                        ZM_HOLONOMIC};
    for (int k = 0; k < 4; k++) {
        const zm_where *where = &model->contacts[k].where;
        instant i = instant_of(&m, where, 0.0);
        double x = i.q[0], y = i.q[1], rate = 0;
        const double expected[] = {2 * x * y * i.v[0] + x * x * i.v[1], i.v[0] - y, 0, 3 - i.v[0]};
        assert_int_equal(i.family->kinds[where->root], kinds[k]);
        assert_int_equal(i.family->time_dependent[where->root], k > 1);
        assert_int_equal(i.family->rate[where->root] == ZX_NONE, k == 2);
        if (k != 2) rate = value_of(&m, &i, i.family->rate[where->root]);
        assert_true(fabs(rate - expected[k]) < 1e-14);
    }
    release(&m);
}

/* ------------------------------------------------------------------- families */

static int count_families(const zm_model *model, zm_kind kind)
{
    int count = 0;
    for (int32_t k = 0; k < model->family_count; k++) count += model->families[k].kind == kind;
    return count;
}

/* However many contacts there are, each shape is derived once. */
static void many_contacts_are_one_family(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(
        &m, "param N = 3000\ncoord x[N], y[N]\n"
            "for i in 1..N {\n  kinetic (x[i]'^2 + y[i]'^2)/2\n  constraint ground[i]: y[i] >= 0.3 "
            "+ i\n"
            "  friction ground[i]: 0.3 + i along x[i]', static = 40\n  restitution ground[i]: 1/(i "
            "+ 1)\n}\n"
            "for i in 2..N { constraint rope[i]: hypot(x[i] - x[i-1], y[i] - y[i-1]) <= 2 }\n");
    assert_int_equal(model->contact_count, 5999);
    assert_int_equal(count_families(model, ZM_CONSTRAINT), 3);
    assert_int_equal(count_families(model, ZM_GAP), 2);
    assert_int_equal(count_families(model, ZM_FRICTION), 1);
    assert_int_equal(count_families(model, ZM_RESTITUTION), 1);
    for (int32_t k = 0; k < model->contact_count; k++) {
        const zm_contact *c = &model->contacts[k];
        const zm_constraint *item = &model->constraints[c->constraint];
        const zm_family *f = &model->families[item->where.family];
        assert_false(f->whole);
        bool found = false;
        for (int32_t s = 0; s < f->values; s++)
            found |= zm_value_of(f, item->where.instance, s) == model->mask[c->row];
        assert_true(found);
        assert_int_equal(f->items[item->where.instance], c->constraint);
    }
    release(&m);
}

/* One and two directions with the same expressions are two shapes. */
static void widths_are_apart(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(
        &m, "param N = 2000\ncoord x[N], y[N]\n"
            "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2; constraint g[i]: y[i] >= 0 }\n"
            "for i in 1..N/2 { friction g[i]: y[i]' along [x[i]'], static = 0.5 }\n"
            "for i in N/2 + 1..N { friction g[i]: 0.5 along [x[i]', y[i]'] }\n");
    assert_int_equal(count_families(model, ZM_FRICTION), 2);
    for (int32_t k = 0; k < model->family_count; k++) {
        const zm_family *f = &model->families[k];
        if (f->kind == ZM_FRICTION) assert_int_equal(f->jacobian_count, f->target_count);
    }
    release(&m);
}

static void models_of_equations_have_none(void **unused)
{
    (void)unused;
    compiled m;
    const zm_model *model =
        compile_good(&m, "coord x\nkinetic x'^2\nconstraint c: x = 1\noutput gap = 2\n");
    assert_null(model->mask);
    assert_int_equal(model->first_hidden, model->value_count);
    assert_int_equal(model->contact_count + model->friction_count, 0);
    release(&m);
}

/* ---------------------------------------------------------------------- words */

static void rows_have_names(void **unused)
{
    static const char *const names[] = {
        "rail",    "ground",  "friction(ground)[1]", "friction(ground)[2]",
        "stop[1]", "stop[2]", "friction(ground, 2)", "friction(rail)"};
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(&m, laws);
    for (int32_t k = 0; k < model->m; k++) {
        char buffer[100];
        zb_text text;
        zb_text_init_fixed(&text, buffer, sizeof buffer);
        zm_row_text(model, k, &text);
        assert_string_equal(buffer, names[k]);
    }
    release(&m);
}

static void masks_are_not_printed(void **unused)
{
    static const char *const expected[] = {
        "Constraints phi = 0 or phi >= 0, as A z = b:\n  rail (holonomic): phi = th\n",
        "  ground (holonomic): phi = y >= 0\n    A[ground, y] = 1\n",
        "  friction(ground)[1] (nonholonomic, while it sticks): phi = x' - 2*y'\n"
        "    A[friction(ground)[1], x] = 1\n    A[friction(ground)[1], y] = -2\n",
        "  stop[2] (holonomic): phi = 2 - x >= 0\n    A[stop[2], x] = -1\n",
        "Friction and restitution:\n  mu[ground] = mu\n  mu_static[ground] = 0.4\n"
        "  mu[ground, 2] = 0.01\n  mu[rail] = mu\n  pressure[rail] = abs(multiplier(rail))\n"
        "  e[ground] = e\n  e_tangential[ground] = 0.1\n  e[stop] = e\n"};
    (void)unused;
    compiled m;
    compile_good(&m, laws);
    for (int form = 0; form < 4; form++) {
        zb_text text;
        zb_text_init(&text, &m.memory);
        zm_print(m.model, &(zm_print_request){.form = (zm_print_form)form}, &text);
        const char *found = zb_text_string(&text);
        assert_null(strstr(found, "if("));
        for (size_t k = 0; form == ZM_PRINT_TEXT && k < sizeof expected / sizeof *expected; k++)
            if (!strstr(found, expected[k])) fail_msg("no '%s' in\n%s", expected[k], found);
        zb_text_free(&text);
    }
    release(&m);
}

/* Those whose condition is that a gap is negative, alone or with more. */
static void idle_events_are_marked(void **unused)
{
    static const bool idle[] = {true, false, true, false, true, true};
    (void)unused;
    compiled m;
    const zm_model *model = compile_good(
        &m, "coord x, y\nkinetic x'^2 + y'^2\n"
            "when y < 0: stop\nwhen y <= 0: stop\nwhen t > 1 and x > 5 and x' > 0: stop\n"
            "when y < 0 or x > 1: stop\nwhen gap(ground) < 0: x' = 0\n"
            "when 0 > y: stop\nconstraint ground: y >= 0\nconstraint wall: x <= 5\n");
    assert_int_equal(model->event_count, 6);
    for (int32_t k = 0; k < model->event_count; k++) /* what asks for a gap was put off */
        assert_int_equal(model->events[k].idle, idle[k]);
    assert_int_equal(zb_diag_count(&m.diagnostics), 4);
    release(&m);
}

/* ---------------------------------------------------------------------- memory */

static void memory_may_run_out(void **unused)
{
    (void)unused;
    zw_status status = ZW_ERR_MEMORY;
    int64_t k = 1;
    for (; status == ZW_ERR_MEMORY; k++) {
        compiled m;
        status = compile_text(&m, laws, k);
        if (m.c.refused > 0) status = ZW_ERR_MEMORY; /* a message may be left out */
        release(&m);
    }
    assert_int_equal(status, ZW_OK);
    assert_true(k > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_equations_while_they_hold),
        cmocka_unit_test(rows_that_do_not_hold_need_no_value),
        cmocka_unit_test(hidden_values_are_apart),
        cmocka_unit_test(recomputing_leaves_them_alone),
        cmocka_unit_test(laws_are_attached),
        cmocka_unit_test(slips_have_their_derivatives),
        cmocka_unit_test(gaps_have_their_rates),
        cmocka_unit_test(many_contacts_are_one_family),
        cmocka_unit_test(widths_are_apart),
        cmocka_unit_test(models_of_equations_have_none),
        cmocka_unit_test(rows_have_names),
        cmocka_unit_test(masks_are_not_printed),
        cmocka_unit_test(idle_events_are_marked),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
