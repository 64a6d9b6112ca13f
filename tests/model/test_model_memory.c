/*
 * Out of memory at every request: the passes jump, nothing is lost; printing says so in its text.
 */
#include "models.h"

/* A model with something of every kind. */
static void build_all(stage *s)
{
    build_chain(s, 6);
    int32_t row[2] = {0, 0};
    zx_node friction = MUL(P(0), V(0)), acceleration = ADD(Z(0), MUL(Q(0), V(0)));
    stage_targets(s, stage_raw(s, ZM_NONIDEAL, &friction, 1, 1, 1), row, 1);
    stage_bind(s, row, -1);
    stage_raw(s, ZM_CONSTRAINT, &acceleration, 1, 1, 0);
    stage_constraint(s, "push", stage_bind(s, row, s->model.constraint_count), false);
    zx_node weight = P(0);
    stage_raw(s, ZM_WEIGHT, &weight, 1, 0, 1);
    s->weights[0] = (zm_weight){.a = 0, .b = -1, .where = stage_bind(s, row, 0)};
    s->model.weight_count = 1;
    s->used[0] = false;
}

typedef enum outcome { DONE, JUMPED } outcome;

static outcome compile(stage *s, bool keep, int64_t refuse_at)
{
    if (setjmp(s->escape)) return JUMPED;
    build_all(s);
    if (keep) stage_keep(s);
    s->c.refuse_at = refuse_at > 0 ? s->c.requests + refuse_at : 0;
    stage_run(s);
    return DONE;
}

static void compiling(void **unused)
{
    (void)unused;
    stage *s = malloc(sizeof *s);
    for (int keep = 0; keep < 2; keep++) {
        outcome last = JUMPED;
        int64_t k = 1;
        for (; last == JUMPED; k++) {
            stage_init(s);
            last = compile(s, keep, k);
            /* a remark that finds no memory is left out, or ends the compilation */
            if (s->c.refused > 0 && last == DONE) last = JUMPED;
            s->c.refuse_at = 0;
            stage_free(s);
        }
        assert_true(k > 10);
    }
    free(s);
}

static void printing(void **unused)
{
    (void)unused;
    stage *s = malloc(sizeof *s);
    for (int form = 0; form < 3; form++) {
        stage_init(s);
        assert_int_equal(compile(s, true, 0), DONE);
        int64_t k = 1;
        for (bool refused = true; refused; k++) {
            zb_text text;
            zb_text_init(&text, &s->memory);
            int32_t nodes = s->model.pool.count;
            int64_t before = s->c.refused;
            s->c.refuse_at = s->c.requests + k;
            zm_print(&s->model, &(zm_print_request){.form = (zm_print_form)form}, &text);
            refused = s->c.refused > before;
            s->c.refuse_at = 0;
            assert_int_equal(text.failure, refused ? ZW_ERR_MEMORY : ZW_OK);
            assert_int_equal(s->model.pool.count, nodes);
            zb_text_free(&text);
        }
        assert_true(k > 10);
        stage_free(s);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling),
        cmocka_unit_test(printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
