/*
 * Remarks on parameters that nothing uses and coordinates that stand in no term: one for each
 * declaration.
 */
#include "models.h"

static const char *sentence(stage *s, int32_t k, const char *code)
{
    const zw_diagnostic *d = zb_diag_get(&s->diagnostics, k);
    assert_non_null(d);
    assert_string_equal(d->code, code);
    assert_int_equal(d->severity, ZW_REMARK);
    assert_non_null(d->help);
    return d->sentence;
}

static void nothing_to_say(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    build_pendulum(s);
    stage_run(s);
    assert_int_equal(zb_diag_count(&s->diagnostics), 0);
    stage_free(s);
}

static void unused_parameters(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    build_pendulum(s);
    stage_param(s, "c", 1), stage_param(s, "d", 2), stage_param(s, "d", 3), stage_param(s, "e", 4);
    for (int k = 3; k < 7; k++) s->used[k] = false;
    s->parameters[5].place = s->parameters[4].place; /* one declaration, two parts */
    s->parts[0].label = stage_label(s, "a");
    s->parameters[4].label.scope = s->parameters[5].label.scope = 0;
    s->used[6] = true;
    stage_run(s);
    assert_int_equal(zb_diag_count(&s->diagnostics), 2);
    assert_string_equal(sentence(s, 0, "R0601"), "nothing uses the parameter 'c'");
    assert_string_equal(sentence(s, 1, "R0601"), "nothing uses the parameter 'a.d'");
    stage_free(s);
}

static void coordinates_without_terms(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "r", 3, 0), stage_coord(s, "u", 5, 0);
    zx_node F = NUM(1), row = SUB(Q(6), V(8));
    stage_targets(s, stage_term(s, ZM_FORCE, 0, &F, 1), (int32_t[]){4}, 1);
    stage_row(s, "c", &row, 1);
    stage_run(s);
    const char *rest = " in no energy, mass, force or constraint";
    char expected[200];
    assert_int_equal(zb_diag_count(&s->diagnostics), 3);
    snprintf(expected, sizeof expected, "the coordinate 'x' stands%s", rest);
    assert_string_equal(sentence(s, 0, "R0602"), expected);
    snprintf(expected, sizeof expected, "the coordinate 'r' stands%s", rest);
    assert_string_equal(sentence(s, 1, "R0602"), expected);
    snprintf(expected, sizeof expected, "the coordinate 'u[2]' and 1 more declared here stand%s",
             rest);
    assert_string_equal(sentence(s, 2, "R0602"), expected);
    stage_free(s);
}

static void kept_families_count(void **unused)
{
    (void)unused;
    stage *s = malloc(sizeof *s);
    stage_init(s);
    build_chain(s, 10);
    stage_keep(s);
    stage_run(s);
    assert_int_equal(zb_diag_count(&s->diagnostics), 0);
    stage_free(s);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_say),
        cmocka_unit_test(unused_parameters),
        cmocka_unit_test(coordinates_without_terms),
        cmocka_unit_test(kept_families_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
