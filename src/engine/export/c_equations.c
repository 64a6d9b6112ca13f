/*
 * The equations as functions of C, in the order in which the simulation evaluates them: what
 * depends on parameters only, pieces of data, M and Q, A and b, levels, C, W, the fused programs of
 * the present mode, energies, outputs. Each is a list of calls of programs.
 */
#include <string.h>

#include "export_c.h"
#include "switches.h"

/* A call that writes straight to some place. */
static void write_direct(zr_c *c, const char *name, const zk_program *program, const char *to)
{
    if (!program) return;
    zr_c_function(c, name, program, NULL, zk_output_count(program));
    zb_text_printf(&c->calls, "    %s(at, %s);\n", name, to);
}

/* A statement of the function under way. */
static void say(zr_c *c, const char *statement)
{
    zb_text_printf(&c->calls, "    %s\n", statement);
}

/* ------------------------------------------------------------------------- parameters */

/* A parameter that is defined by others follows them, unless it was set itself. */
static void write_definition(zr_c *c, int32_t i)
{
    zk_program *program = NULL;
    char name[32];
    zb_text text;
    if (!zx_reaches(&c->zm->formulas, &c->zm->definitions[i], 1).value) return;
    zw_status status = zk_compile(&c->model->context->memory, &c->zm->formulas,
                                  &c->zm->definitions[i], 1, &program);
    if (status != ZW_OK) longjmp(c->escape, (int)status);
    zb_text_init_fixed(&text, name, sizeof name);
    zb_text_printf(&text, "definition_%d", (int)i);
    zr_c_function(c, name, program, NULL, 1);
    zk_free(program);
    zb_text_printf(&c->calls, "    if (!s->own[%s_P_%s]) %s(at, s->value + %s_P_%s);\n", c->upper,
                   c->parameter[i], name, c->upper, c->parameter[i]);
}

static void write_preludes(zr_c *c)
{
    const zw_model *model = c->model;
    char to[48];
    zb_text text;
    for (int32_t i = 0; i < c->zm->parameter_count; i++) write_definition(c, i);
    zb_text_init_fixed(&text, to, sizeof to);
    zb_text_printf(&text, "s->value + %d", (int)zr_first_hoisted_value(model));
    write_direct(c, "prelude", model->prelude.code, to);
    zb_text_init_fixed(&text, to, sizeof to);
    zb_text_printf(&text, "s->value + %d", (int)zr_first_fused_value(model));
    if (c->form) write_direct(c, "fused_prelude", model->fused->prelude.code, to);
    zr_c_text(c, &c->body, "/* What follows from parameters alone. */\n", NULL);
    zr_c_close(c, "static void find_constants($n *s, const source *at)");
}

/* ------------------------------------------------------------------------------- data */

static void write_table(zr_c *c, int32_t k)
{
    const zx_table *t = c->zm->tables.list[k];
    char x[24], y[24];
    zb_text text;
    zb_text_init_fixed(&text, x, sizeof x);
    zb_text_printf(&text, "knots_%d", (int)k);
    zb_text_init_fixed(&text, y, sizeof y);
    zb_text_printf(&text, "pieces_%d", (int)k);
    zr_c_numbers(c, x, t->x, (int64_t)t->pieces + 1);
    zr_c_numbers(c, y, t->c, 4 * ((int64_t)t->pieces + 2));
    zb_text_printf(&c->body, "static const table data_%d = {%d, %d, %d, %d, %s, %s};\n\n", (int)k,
                   (int)t->pieces, (int)t->degree, t->periodic, t->extends, x, y);
}

/* look(s): the source at the state, with the pieces of data there. */
static void write_look(zr_c *c)
{
    const struct zr_lookups *all = c->model->lookups;
    bool *written = ZB_NEW_ARRAY(&c->arena, bool, c->zm->tables.count + 1);
    if (all) zb_text_add(&c->body, zr_c_shipped("c_data"));
    for (int32_t k = 0; all && k < all->count; k++) {
        const zr_lookup *l = &all->list[k];
        char name[24];
        zb_text text;
        if (!l->code) continue;
        if (!written[l->table]) write_table(c, l->table);
        written[l->table] = true;
        zb_text_init_fixed(&text, name, sizeof name);
        zb_text_printf(&text, "argument_%d", (int)k);
        zr_c_function(c, name, l->code, NULL, 1);
        zb_text_printf(&c->calls,
                       "    %s(at, s->work.out);\n"
                       "    find_piece(&data_%d, s->work.out[0], s->value + %d);\n",
                       name, (int)l->table, (int)l->first);
    }
    zr_c_close(c, "static void find_pieces($n *s, const source *at)");
    zr_c_text(c, &c->body,
              "/* The state as programs read it. */\n"
              "static source look($n *s)\n"
              "{\n"
              "    const source at = {s->t, s->q, s->v, s->a, s->value, s->work.measure};\n"
              "    find_pieces(s, &at);\n"
              "    return at;\n"
              "}\n\n",
              NULL);
}

/* -------------------------------------------------------------------------- equations */

static void write_dynamics(zr_c *c)
{
    zr_c_target to = {"s->work.M", "s->work.Q", &c->model->M};
    say(c, "clear(N * N, s->work.M);");
    say(c, "clear(N, s->work.Q);");
    zr_c_passes(c, &c->model->constant_dynamics, &to);
    zr_c_passes(c, &c->model->dynamics, &to);
    say(c, "for (int i = 0; i < N; i++)");
    say(c, "    for (int j = 0; j < i; j++) s->work.M[i * N + j] = s->work.M[j * N + i];");
    zr_c_close(c, "/* M and Q. */\nstatic void find_dynamics($n *s, const source *at)");
}

static void write_rows(zr_c *c)
{
    zr_c_target to = {"s->work.A", "s->work.b", &c->model->A};
    say(c, "clear(ROWS * N, s->work.A);");
    say(c, "clear(ROWS, s->work.b);");
    zr_c_passes(c, &c->model->constant_rows, &(zr_c_target){"s->work.A", NULL, &c->model->A});
    zr_c_passes(c, &c->model->rows, &to);
    zr_c_close(c, "/* A and b. */\nstatic void find_rows($n *s, const source *at)");
    say(c, "clear(N, s->work.C);");
    zr_c_passes(c, &c->model->nonideal, &(zr_c_target){NULL, "s->work.C", NULL});
    zr_c_close(c,
               "/* C, from the measures. */\nstatic void find_nonideal($n *s, const source *at)");
}

/* W, as the statements say; the last one counts. */
static void write_weight(zr_c *c)
{
    const zw_model *model = c->model;
    const zr_pattern *W = &model->W;
    if (W->rows > 0) {
        say(c, "clear(ROWS * ROWS, s->work.W);");
        say(c, "clear(WEIGHTED - 1, s->work.weight);");
        zr_c_passes(c, &model->weights, &(zr_c_target){NULL, "s->work.weight", NULL});
    }
    for (int32_t k = 0; W->rows > 0 && k < model->weight_entry_count; k++) {
        const zr_weight_entry *e = &model->weight_entries[k];
        int32_t row = 0;
        while (W->start[row + 1] <= e->at) row++;
        zb_text_printf(&c->calls,
                       "    s->work.W[%d] = ", (int)(row * W->columns + W->column[e->at]));
        if (e->from < 0)
            zb_text_add(&c->calls, "R(1.0);\n");
        else
            zb_text_printf(&c->calls, "s->work.weight[%d];\n", (int)e->from);
    }
    zr_c_close(c, "/* W. */\nstatic void find_weight($n *s, const source *at)");
}

/* Values of rows and their rates, with the sizes of their terms. */
static void write_levels(zr_c *c)
{
    zr_c_target to = {NULL, "s->work.level", NULL};
    for (int order = 0; order < 2; order++) {
        zr_c_passes(c, &c->model->levels[order], &to);
        zr_c_close(c, order == 0 ? "static void find_positions($n *s, const source *at)"
                                 : "static void find_velocities($n *s, const source *at)");
    }
    zr_c_text(c, &c->body,
              "/* Rows, their rates, and the sizes of the terms of both. */\n"
              "static void find_levels($n *s, const source *at, int order)\n"
              "{\n"
              "    clear(ROWS, s->work.level + order * ROWS);\n"
              "    clear(ROWS, s->work.level + (2 + order) * ROWS);\n"
              "    (order == 0 ? find_positions : find_velocities)(s, at);\n"
              "}\n\n",
              NULL);
}

bool zr_c_side_has(const zr_c *c, int order, int32_t row)
{
    zm_row_kind kind = zm_row_kind_of(c->zm, row);
    if (c->sim->contacts && c->sim->contacts->off[row]) return false;
    return order == 2 || kind == ZM_HOLONOMIC || (order == ZR_VELOCITY && kind != ZM_ACCELERATION);
}

/* Which rows hold positions, and which velocities. */
static void write_sides(zr_c *c)
{
    int32_t count[2] = {0, 0};
    zb_text_add(&c->body, "static const place side_row[2][ROWS + 1] = {");
    for (int order = 0; order < 2; order++) {
        zb_text_add(&c->body, order == 0 ? "{" : ", {");
        for (int32_t i = 0; i < c->zm->m; i++) {
            if (zr_c_side_has(c, order, i))
                zb_text_printf(&c->body, "%s%d", count[order]++ ? ", " : "", (int)i);
        }
        zb_text_add(&c->body, count[order] ? "}" : "0}");
    }
    zb_text_printf(&c->body, "};\nstatic const int side_rows[2] = {%d, %d};\n\n", (int)count[0],
                   (int)count[1]);
    zb_text_add(&c->body,
                "/* The ranks that the rows of both, and all, have almost everywhere. */\n");
    zb_text_printf(&c->body, "static const int most_rank[3] = {%d, %d, %d};\n\n", (int)c->rank[0],
                   (int)c->rank[1], (int)c->rank[2]);
}

/* Multipliers and reactions that expressions ask for. */
static void write_measures(zr_c *c)
{
    const zm_model *zm = c->zm;
    bool reactions = false;
    for (int32_t k = 0; k < zm->measure_count; k++)
        reactions = reactions || zm->measures[k].kind != ZM_MULTIPLIER;
    if (reactions) zr_c_text(c, &c->body, zr_c_shipped("c_measure"), NULL);
    for (int32_t k = 0; k < zm->measure_count; k++) {
        const zm_measure *what = &zm->measures[k];
        bool all = what->kind == ZM_REACTION_ALL;
        const zm_constraint *of =
            all || what->kind == ZM_MULTIPLIER ? NULL : &zm->constraints[what->constraint];
        zb_text_printf(&c->calls, "    s->work.measure[%d] = ", (int)k);
        if (what->kind == ZM_MULTIPLIER)
            zb_text_printf(&c->calls, "s->lambda[%s_ROW_%s];\n", c->upper, c->row[what->row]);
        else
            zb_text_printf(&c->calls, "reaction(s, %d, %d, %d);\n", of ? (int)of->first_row : 0,
                           of ? (int)of->row_count : (int)zm->m,
                           what->kind == ZM_REACTION_ON ? (int)what->coordinate : -1);
    }
    zr_c_text(c, &c->body,
              "/* Reactions, from the multipliers and A. */\n"
              "static void measure($n *s)\n{\n    (void)s;\n",
              NULL);
    zb_text_printf(&c->body, "%s}\n\n", zb_text_string(&c->calls));
    zb_text_clear(&c->calls);
}

/* ------------------------------------------------------------------------------ fused */

static void write_fused_side(zr_c *c, int order)
{
    const zr_fused_side *side = &c->form->side[order];
    char step[24], look[24];
    zb_text text;
    if (side->rows == 0) return;
    zb_text_init_fixed(&text, step, sizeof step);
    zb_text_printf(&text, "fused_step_%d", order);
    zb_text_init_fixed(&text, look, sizeof look);
    zb_text_printf(&text, "fused_look_%d", order);
    zr_c_function(c, step, side->step, NULL, side->count);
    zr_c_function(c, look, side->look, NULL, side->looks);
    zb_text_printf(&c->calls,
                   "    if (order == %d) {\n"
                   "        (whole ? %s : %s)(&at, s->work.out);\n"
                   "        return 1;\n"
                   "    }\n",
                   order, step, look);
}

/* Without a program for the mode its guard refuses always. */
static void write_no_fused(zr_c *c)
{
    zr_c_text(c, &c->body,
              "static int accelerate_fused($n *s, const source *at)\n"
              "{\n    (void)s;\n    (void)at;\n    return 0;\n}\n\n"
              "static int correct_fused($n *s, int order)\n"
              "{\n    (void)s;\n    return side_rows[order] == 0;\n}\n\n",
              NULL);
}

/* A^T lambda in a coordinate, in the order of the rows. */
static void write_fused_force(zr_c *c, const zr_fused_places *at, int32_t coordinate)
{
    const zr_pattern *A = &c->model->A;
    bool first = true;
    zb_text_printf(&c->body, "    s->force[%d] =", (int)coordinate);
    for (int32_t i = 0; i < A->rows; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            if (A->column[p] != coordinate) continue;
            zb_text_printf(&c->body, "%s out[%d] * out[%d]", first ? "" : " +", (int)(at->A + p),
                           (int)(at->lambda + i));
            first = false;
        }
    zb_text_add(&c->body, first ? " R(0.0);\n" : ";\n");
}

/* What the program gives at its places, an assignment each: no loop, no table. */
static void write_fused_answer(zr_c *c, const zr_fused_places *at)
{
    zr_c_text(c, &c->body, "static void take_fused($n *s, const real *out)\n{\n", NULL);
    for (int32_t j = 0; j < c->zm->n; j++)
        zb_text_printf(&c->body, "    s->a[%d] = out[%d];\n", (int)j, (int)j);
    for (int32_t i = 0; i < c->zm->m; i++)
        zb_text_printf(&c->body, "    s->lambda[%d] = out[%d];\n", (int)i, (int)(at->lambda + i));
    for (int32_t j = 0; j < c->zm->n; j++) write_fused_force(c, at, j);
    for (int32_t j = 0; j < c->zm->n; j++)
        if (at->force < 0)
            zb_text_printf(&c->body, "    s->nonideal[%d] = R(0.0);\n", (int)j);
        else
            zb_text_printf(&c->body, "    s->nonideal[%d] = out[%d];\n", (int)j,
                           (int)(at->force + j));
    zb_text_add(&c->body, "}\n\n");
}

static void write_fused(zr_c *c)
{
    const zr_pattern *A = &c->model->A;
    const zr_fused_places *at = c->form ? &c->form->places : NULL;
    if (!c->form) {
        write_no_fused(c);
        return;
    }
    int32_t wanted = at->force >= 0 ? at->force + c->zm->n : at->A + A->count;
    zr_c_function(c, "fused_acceleration", c->form->acceleration, NULL, wanted);
    for (int order = 0; order < 2; order++) write_fused_side(c, order);
    zr_c_text(c, &c->body,
              "/* One Newton step onto a side, or a look at it only; 0: it has no rows. */\n"
              "static int fused_side($n *s, int order, int whole)\n{\n"
              "    const source at = look(s);\n    (void)at;\n    (void)order;\n    (void)whole;\n",
              NULL);
    zb_text_printf(&c->body, "%s    return 0;\n}\n\n", zb_text_string(&c->calls));
    zb_text_clear(&c->calls);
    write_fused_answer(c, at);
    zb_text_printf(&c->body, "enum { FUSED_GUARD = %d, FUSED_COUNT = %d };\n\n", (int)at->guard,
                   (int)wanted);
    zr_c_text(c, &c->body, zr_c_shipped("c_fused"), NULL);
    zb_text_char(&c->body, '\n');
}

/* ------------------------------------------------------------- energies and outputs */

static void write_energy(zr_c *c)
{
    const zr_sums *sums = &c->model->energy->energies;
    say(c, "clear(5, s->work.part);");
    for (int32_t k = 0; k < sums->count; k++) {
        const zr_sum *sum = &sums->list[k];
        const zm_family *f = &c->zm->families[sum->family];
        bool bound = !f->whole && f->table;
        char name[24], bind[32];
        zb_text text;
        zb_text_init_fixed(&text, name, sizeof name);
        zb_text_printf(&text, "energy_%d", (int)k);
        zb_text_init_fixed(&text, bind, sizeof bind);
        zb_text_printf(&text, "energy_bind_%d", (int)k);
        zr_c_function(c, name, sum->code, f, sum->outputs);
        if (bound) zr_c_integers(c, bind, f->table, (int64_t)f->count * f->stride);
        zb_text_printf(&c->calls, "    for (int i = 0; i < %d; i++) {\n        %s(at, ",
                       (int)f->count, name);
        if (bound) zb_text_printf(&c->calls, "%s + i * %d, ", bind, (int)f->stride);
        zb_text_add(&c->calls, "s->work.out);\n");
        for (int32_t j = 0; j < sum->outputs; j++)
            zb_text_printf(&c->calls, "        s->work.part[%d] += s->work.out[%d];\n",
                           (int)sum->column[j], (int)j);
        zb_text_add(&c->calls, "    }\n");
    }
    zr_c_close(c, "static void find_energy($n *s, const source *at)");
}

static void write_outputs(zr_c *c)
{
    const zr_passes *passes;
    int32_t parts = zr_output_passes(c->model, &passes);
    for (int32_t k = 0; k < parts; k++)
        zr_c_passes(c, &passes[k], &(zr_c_target){NULL, "s->output", NULL});
    zr_c_close(c, "static void find_outputs($n *s, const source *at)");
}

void zr_c_equations(zr_c *c)
{
    write_preludes(c);
    write_look(c);
    write_dynamics(c);
    write_rows(c);
    write_weight(c);
    write_levels(c);
    write_sides(c);
    write_measures(c);
    write_energy(c);
    write_outputs(c);
    zr_c_text(c, &c->body, zr_c_shipped("c_solve"), NULL);
    zb_text_char(&c->body, '\n');
    write_fused(c);
}
