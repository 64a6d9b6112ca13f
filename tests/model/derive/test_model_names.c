/*
 * Names of coordinates, parameters, rows and leaves.
 */
#include "models.h"

#define assert_text(call, expected)                                                                \
    do {                                                                                           \
        zb_text text;                                                                              \
        zb_text_init(&text, &s->memory);                                                           \
        call;                                                                                      \
        assert_string_equal(zb_text_string(&text), expected);                                      \
        zb_text_free(&text);                                                                       \
    } while (0)

static void coordinates_and_parameters(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0);
    stage_coord(s, "r", 3, 0), stage_coord(s, "p", 4, 3);
    s->parts[0].label = stage_label(s, "arm");
    s->parts[1].label = stage_label(s, "link");
    s->parts[1].label.scope = 0;
    s->parts[1].label.index_count = 1, s->parts[1].label.index[0] = 2;
    s->model.part_count = 2;
    int32_t first = stage_coord(s, "u", 2, 0);
    s->coordinates[4].label.scope = 1;
    stage_param(s, "m", 1), stage_param(s, "g", 2);
    const zm_model *model = &s->model;
    assert_text(zm_coordinate_text(model, 0, &text), "x");
    assert_text(zm_coordinate_text(model, 2, &text), "r[1]");
    assert_text(zm_coordinate_text(model, 4, &text), "r[3]");
    assert_text(zm_coordinate_text(model, 5, &text), "p[1,1]");
    assert_text(zm_coordinate_text(model, 5 + 7, &text), "p[3,2]");
    assert_text(zm_coordinate_text(model, first + 1, &text), "arm.link[2].u[2]");
    assert_text(zm_parameter_text(model, 1, &text), "g");
    assert_int_equal(zm_parameter_block_of(model, 1), 1);
    stage_free(s);
}

static void rows(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 3, 0);
    zx_node roots[] = {Q(0), V(1), Q(2)};
    static const int32_t written[] = {1, 4};
    stage_row(s, "pin", roots, 1);
    stage_row(s, "joint", roots, 3);
    s->constraints[1].label.index_count = 1, s->constraints[1].label.index[0] = 3;
    stage_row(s, "some", roots, 2)->written = written;
    stage_row(s, "last", roots + 1, 1)->vector = true;
    stage_run(s);
    const zm_model *model = &s->model;
    const char *const names[] = {"pin",     "joint[3][1]", "joint[3][2]", "joint[3][3]",
                                 "some[1]", "some[4]",     "last[1]"};
    const int32_t constraints[] = {0, 1, 1, 1, 2, 2, 3};
    for (int32_t row = 0; row < 7; row++) {
        assert_text(zm_row_text(model, row, &text), names[row]);
        assert_int_equal(zm_row_constraint(model, row), constraints[row]);
    }
    assert_string_equal(zm_row_kind_name(zm_row_kind_of(model, 1)), "holonomic");
    assert_string_equal(zm_row_kind_name(zm_row_kind_of(model, 2)), "nonholonomic");
    assert_string_equal(zm_row_kind_name(ZM_NONLINEAR), "nonlinear");
    assert_string_equal(zm_row_kind_name(ZM_ACCELERATION), "acceleration");
    stage_free(s);
}

/* Leaves of an instance: names, primes, constants, reactions. */
static void expressions(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 9, 0);
    int32_t k = stage_param(s, "k", 1), c = stage_constant(s, -2.5);
    stage_leaves(s, 1, 2);
    zx_node product = MUL(Q(0), P(1)), F = ADD(product, MUL(P(0), V(0)));
    stage_targets(s, stage_raw(s, ZM_FORCE, &F, 1, 1, 2), (int32_t[]){0}, 1);
    for (int32_t i = 0; i < 9; i++) stage_bind(s, (int32_t[]){i, k, c}, -1);
    zx_node pin = Q(0), friction[4];
    stage_row(s, "pin", &pin, 1);
    static const zm_measure_kind kinds[] = {ZM_MULTIPLIER, ZM_REACTION, ZM_REACTION_ON,
                                            ZM_REACTION_ALL};
    for (int32_t i = 0; i < 4; i++) {
        s->measures[i] = (zm_measure){.kind = kinds[i], .coordinate = 2};
        friction[i] = MEASURE(i);
    }
    s->model.measure_count = 4;
    zm_raw_family *raw = stage_raw(s, ZM_NONIDEAL, friction, 4, 1, 0);
    stage_targets(s, raw, (int32_t[]){0, 0, 0, 0}, 4);
    raw->family.measures = 4, raw->family.stride = 5;
    stage_bind(s, (int32_t[]){0, 0, 1, 2, 3}, -1);
    stage_keep(s);
    stage_run(s);
    zm_model *model = &s->model;
    assert_text(zm_expression_text(model, 0, 6, model->families[0].roots[0], &text),
                "x[7]*(-2.5) + x[7]'*k");
    const char *const names[] = {"multiplier(pin)", "reaction(pin)", "reaction(pin, x[3])",
                                 "reaction()"};
    assert_int_equal(model->families[1].kind, ZM_NONIDEAL);
    for (int32_t i = 0; i < 4; i++)
        assert_text(zm_expression_text(model, 1, 0, model->families[1].roots[i], &text), names[i]);
    stage_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates_and_parameters),
        cmocka_unit_test(rows),
        cmocka_unit_test(expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
