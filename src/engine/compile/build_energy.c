/*
 * The programs of a model's energies and powers: which expressions of each family they evaluate.
 *
 *     L = T - V + X            roots of an ENERGY family
 *     h = v dL/dv - L          X: `lagrangian` terms; for MASS families v^T M v / 2 in its place
 *     h' = v^T (F + Qi + Qn) - dL/dt (t alone) + v^T M' v / 2
 *
 * Euler's theorem: where an expression f is homogeneous of degree k in v, v df/dv = k f. The degree
 * follows from the shape of the expression; so h of an ordinary T and V is T + V to the bit, and
 * a row phi that is homogeneous does no work: A v = k phi = 0. Only where no degree is found is
 * v df/dv differentiated, and only such rows are summed up at run time.
 *
 * A program gives one number for each instance and quantity, v being inside it; these are added up
 * (energy.h).
 */
#include <math.h>

#include "energy.h"

typedef struct energy_builder {
    zr_builder *b;
    zx_pool *pool;
    struct zr_energy *energy;
    double *degree; /* [nodes of the pool] in v, where it was found */
    bool *works;    /* [root_count] rows of the family at hand that may do work */
} energy_builder;

/* ------------------------------------------------------------------- degrees */

/* The degree in v of an expression that is homogeneous is a number; besides: a literal 0 is of any
 * degree, and what is not homogeneous has none. */
static const double any_degree = (double)INFINITY;
static const double no_degree = (double)NAN;

/* Of a sum: the degree both have. */
static double common_degree(double a, double b)
{
    if (a == any_degree) return b;
    if (b == any_degree) return a;
    return a == b ? a : no_degree;
}

static double scale_degree(double a, double factor)
{
    return a == any_degree ? any_degree : a * factor;
}

/* Of a function that is no power, such as sin: 0 where its operands do not change with the scale of
 * v, else none. */
static double function_degree(double a, double b)
{
    return (a == 0.0 || a == any_degree) && (b == 0.0 || b == any_degree) ? 0.0 : no_degree;
}

/* Of v 1, of accelerations none, of all other leaves 0. */
static double leaf_degree(const zx_item *item)
{
    if (item->op == ZX_VELOCITY) return 1.0;
    if (item->op == ZX_ACCELERATION) return no_degree;
    if (item->op == ZX_NUMBER && zx_number_of(item) == 0.0) return any_degree;
    return 0.0;
}

static double quotient_degree(double a, double b)
{
    if (b == any_degree) return no_degree;
    return a == any_degree ? any_degree : a - b;
}

/* Of a to the power of b, item: the power. */
static double power_degree(const energy_builder *d, const zx_item *item, double a, double b)
{
    double exponent;
    if (zx_is_constant(d->pool, item->b, &exponent)) return scale_degree(a, exponent);
    return function_degree(a, b);
}

/* The degree of a node whose operands have theirs. What is constant between its jumps counts as of
 * degree 0: there its derivative is 0. */
static double find_degree(const energy_builder *d, const zx_item *item)
{
    int operands = zx_operands((zx_op)item->op);
    double a = operands > 0 ? d->degree[item->a] : 0.0;
    double b = operands > 1 ? d->degree[item->b] : 0.0;
    if (operands == 0) return leaf_degree(item);
    switch (item->op) {
    case ZX_NEG:
    case ZX_ABS:
        return a;
    case ZX_POWI:
        return scale_degree(a, item->b);
    case ZX_SQRT:
        return scale_degree(a, 0.5);
    case ZX_ADD:
    case ZX_SUB:
    case ZX_MIN:
    case ZX_MAX:
    case ZX_HYPOT:
        return common_degree(a, b);
    case ZX_MUL:
        return a == any_degree || b == any_degree ? any_degree : a + b;
    case ZX_DIV:
        return quotient_degree(a, b);
    case ZX_POW:
        return power_degree(d, item, a, b);
    case ZX_ATAN2:
        return scale_degree(common_degree(a, b), 0.0);
    case ZX_SELECT:
        return common_degree(b, d->degree[item->c]);
    case ZX_SIGN:
    case ZX_FLOOR:
    case ZX_NOT:
    case ZX_LT:
    case ZX_LE:
    case ZX_EQ:
    case ZX_NE:
    case ZX_AND:
    case ZX_OR:
        return 0.0;
    default:
        return function_degree(a, b);
    }
}

/* The degrees of roots and of everything below them. */
static void find_degrees(energy_builder *d, const zx_node *roots, int32_t count)
{
    int32_t below_count = 0;
    zx_node *below = zx_below(d->pool, roots, count, &below_count);
    for (int32_t i = 0; i < below_count; i++)
        d->degree[below[i]] = find_degree(d, &d->pool->items[below[i]]);
    zb_resize(d->pool->memory, below, zb_product((size_t)below_count, sizeof *below), 0);
}

/* ---------------------------------------------------------------------- sums */

static bool is_zero(const zx_pool *pool, zx_node node)
{
    double value;
    return zx_is_constant(pool, node, &value) && value == 0.0;
}

/* The nodes that are not the number 0, as one program; node[k] goes to column[k]. */
static void add_sum(energy_builder *d, zr_sums *sums, int32_t family, const zx_node *node,
                    const int32_t *column, int32_t count)
{
    zr_sum *sum = &sums->list[sums->count];
    zx_node *kept = sum->node;
    *sum = (zr_sum){.family = family};
    for (int32_t k = 0; k < count; k++) {
        if (is_zero(d->pool, node[k])) continue;
        sum->column[sum->outputs] = column[k];
        kept[sum->outputs++] = node[k];
    }
    if (sum->outputs == 0) return;
    sum->accelerates = zx_reaches(d->pool, kept, sum->outputs).acceleration;
    zw_status status = zk_compile(d->b->memory, d->pool, kept, sum->outputs, &sum->code);
    if (status != ZW_OK) zr_fail(d->b, status);
    sums->count++;
    zw_model *model = d->b->model;
    size_t workspace = zk_workspace(sum->code);
    if (workspace > model->workspace) model->workspace = workspace;
}

/* One power of a family, and the note that it can be other than 0. */
static void add_power(energy_builder *d, int32_t family, zr_power which, zx_node node)
{
    int32_t column = (int32_t)which, before = d->energy->powers.count;
    add_sum(d, &d->energy->powers, family, &node, &column, 1);
    if (d->energy->powers.count > before) d->energy->possible |= 1u << which;
}

static zx_node add_nodes(energy_builder *d, zx_node a, zx_node b)
{
    return zx_binary(d->pool, ZX_ADD, a, b);
}

static zx_node subtract_nodes(energy_builder *d, zx_node a, zx_node b)
{
    return zx_binary(d->pool, ZX_SUB, a, b);
}

static zx_node multiply_nodes(energy_builder *d, zx_node a, zx_node b)
{
    return zx_binary(d->pool, ZX_MUL, a, b);
}

/* ------------------------------------------------------------------ energies */

/* v df/dv of a root f, by Euler's theorem where f has a degree, else differentiated. */
static zx_node differentiate_along_velocity(energy_builder *d, const zm_family *f, zx_node root,
                                            double degree)
{
    zx_node out = ZX_NONE;
    if (degree == any_degree) return zx_number(d->pool, 0.0);
    if (degree == degree) return multiply_nodes(d, zx_number(d->pool, degree), root);
    zb_mark mark = zb_arena_mark(&d->b->scratch);
    zx_node *moves = ZB_NEW_ARRAY(&d->b->scratch, zx_node, f->coordinates);
    for (int32_t j = 0; j < f->coordinates; j++) moves[j] = zx_leaf(d->pool, ZX_VELOCITY, j);
    zx_direction direction = {.velocity = moves, .slots = f->coordinates, .time = ZX_NONE};
    zx_directional(d->pool, &root, 1, &direction, &out);
    zb_arena_release(&d->b->scratch, mark);
    return out;
}

/* v dT/dv - 2 T - v dV/dv, without building what cancels; degree: of T, V and X. */
static zx_node find_extra_energy(energy_builder *d, const zm_family *f, const zx_node *roots,
                                 const double degree[3])
{
    zx_node extra = zx_number(d->pool, 0.0);
    if (degree[0] != 2.0 && degree[0] != any_degree) {
        extra = differentiate_along_velocity(d, f, roots[0], degree[0]);
        extra = subtract_nodes(d, extra, multiply_nodes(d, zx_number(d->pool, 2.0), roots[0]));
    }
    return subtract_nodes(d, extra, differentiate_along_velocity(d, f, roots[1], degree[1]));
}

/* The power - dL/dt of an energy, t alone moving. */
static void add_explicit_power(energy_builder *d, int32_t family)
{
    const zm_family *f = &d->b->zm->families[family];
    zx_node rate[3];
    if (!zx_reaches(d->pool, f->roots, 3).time) return;
    zx_direction direction = {.time = zx_number(d->pool, 1.0)};
    zx_directional(d->pool, f->roots, 3, &direction, rate);
    zx_node L = add_nodes(d, subtract_nodes(d, rate[0], rate[1]), rate[2]);
    add_power(d, family, ZR_EXPLICIT, zx_unary(d->pool, ZX_NEG, L));
}

/* The parts of h for T, V and X, roots [3]: node [ZR_PART_COUNT]. */
static void find_energy_parts(energy_builder *d, const zm_family *f, const zx_node *roots,
                              zx_node *node)
{
    zx_node magnitude = zx_number(d->pool, 0.0);
    double degree[3];
    find_degrees(d, roots, 3);
    for (int k = 0; k < 3; k++) degree[k] = d->degree[roots[k]];
    for (int k = 0; k < 3; k++) magnitude = add_nodes(d, magnitude, zr_magnitude(d->b, roots[k]));
    node[ZR_PART_KINETIC] = roots[0];
    node[ZR_PART_POTENTIAL] = roots[1];
    node[ZR_PART_OTHER] =
        subtract_nodes(d, differentiate_along_velocity(d, f, roots[2], degree[2]), roots[2]);
    node[ZR_PART_EXTRA] = find_extra_energy(d, f, roots, degree);
    node[ZR_PART_MAGNITUDE] = magnitude;
}

/* The pool has grown since degrees were kept: there is room for them anew. */
void zr_energy_of(zr_builder *b, const zm_family *f, const zx_node *roots, zx_node *h,
                  zx_node *magnitude)
{
    energy_builder d = {.b = b, .pool = &b->zm->pool, .energy = b->model->energy};
    zx_node node[ZR_PART_COUNT];
    zb_mark mark = zb_arena_mark(&b->scratch);
    d.degree = ZB_NEW_ARRAY(&b->scratch, double, d.pool->count);
    find_energy_parts(&d, f, roots, node);
    *h = add_nodes(&d, node[ZR_PART_KINETIC], node[ZR_PART_POTENTIAL]);
    *h = add_nodes(&d, *h, add_nodes(&d, node[ZR_PART_OTHER], node[ZR_PART_EXTRA]));
    *magnitude =
        add_nodes(&d, node[ZR_PART_MAGNITUDE], zx_unary(d.pool, ZX_ABS, node[ZR_PART_EXTRA]));
    zb_arena_release(&b->scratch, mark);
}

/* T, V and X of L, what h takes besides, and the power of what depends on t. */
static void add_energy_family(energy_builder *d, int32_t family)
{
    static const int32_t column[] = {ZR_PART_KINETIC, ZR_PART_POTENTIAL, ZR_PART_OTHER,
                                     ZR_PART_EXTRA, ZR_PART_MAGNITUDE};
    const zm_family *f = &d->b->zm->families[family];
    zx_node node[ZR_PART_COUNT];
    find_energy_parts(d, f, f->roots, node);
    add_sum(d, &d->energy->energies, family, node, column, ZR_PART_COUNT);
    add_explicit_power(d, family);
}

/* Of mass statements: the energy v^T M v / 2, and the power v^T M' v / 2 with M' along the
 * motion. */
static void add_mass_family(energy_builder *d, int32_t family)
{
    static const int32_t column[] = {ZR_PART_KINETIC, ZR_PART_MAGNITUDE};
    const zm_family *f = &d->b->zm->families[family];
    zx_node half = zx_number(d->pool, 0.5), none = zx_number(d->pool, 0.0);
    zx_node kinetic = none, power = none;
    for (int32_t k = 0; k < f->mass_count; k++) {
        const zm_entry *e = &f->mass[k];
        zx_node u = zx_leaf(d->pool, ZX_VELOCITY, e->row);
        zx_node square = multiply_nodes(d, u, zx_leaf(d->pool, ZX_VELOCITY, e->column));
        if (e->row == e->column) square = multiply_nodes(d, half, square);
        kinetic = add_nodes(d, kinetic, multiply_nodes(d, e->node, square));
        if (!e->constant)
            power = add_nodes(d, power,
                              multiply_nodes(d, zx_time_derivative(d->pool, e->node), square));
    }
    zx_node node[] = {kinetic, zr_magnitude(d->b, kinetic)};
    add_sum(d, &d->energy->energies, family, node, column, 2);
    add_power(d, family, ZR_EXPLICIT, power);
}

/* v^T F of force and dissipation statements. */
static void add_force_family(energy_builder *d, int32_t family, zr_power which)
{
    const zm_family *f = &d->b->zm->families[family];
    zx_node power = zx_number(d->pool, 0.0);
    for (int32_t k = 0; k < f->force_count; k++) {
        zx_node v = zx_leaf(d->pool, ZX_VELOCITY, f->force[k].row);
        power = add_nodes(d, power, multiply_nodes(d, v, f->force[k].node));
    }
    add_power(d, family, which, power);
}

/* ---------------------------------------------------------------------- rows */

/* Whether A v may be other than 0 where row k of a family holds. */
static bool may_row_work(const energy_builder *d, const zm_family *f, int32_t k)
{
    if (f->kinds[k] == ZM_ACCELERATION) return true;
    if (f->kinds[k] == ZM_HOLONOMIC) return f->time_dependent[k];
    double degree = d->degree[f->roots[k]];
    return !(degree == degree); /* no degree */
}

/* Sets d->works; degrees are needed for rows of velocities only. */
static void find_working_rows(energy_builder *d, const zm_family *f)
{
    bool velocities = false;
    for (int32_t k = 0; k < f->root_count; k++)
        velocities = velocities || f->kinds[k] == ZM_NONHOLONOMIC || f->kinds[k] == ZM_NONLINEAR;
    if (velocities) find_degrees(d, f->roots, f->root_count);
    d->works = ZB_NEW_ARRAY(&d->b->scratch, bool, f->root_count);
    for (int32_t k = 0; k < f->root_count; k++) d->works[k] = may_row_work(d, f, k);
}

/* The rows of a family's constraints that may do work, to the list of ideal, of control or of friction
 * rows. */
static void add_working_rows(energy_builder *d, int32_t family)
{
    const zm_model *zm = d->b->zm;
    struct zr_energy *e = d->energy;
    find_working_rows(d, &zm->families[family]);
    for (int32_t c = 0; c < zm->constraint_count; c++) {
        const zm_constraint *item = &zm->constraints[c];
        if (item->where.family != family) continue;
        for (int32_t k = 0; k < item->where.count; k++) {
            int32_t row = item->first_row + k;
            if (item->control)
                e->control[e->control_count++] = row;
            else if (d->works[item->where.root + k] && item->tangent)
                e->friction[e->friction_count++] = row;
            else if (d->works[item->where.root + k])
                e->ideal[e->ideal_count++] = row;
        }
    }
}

/* ----------------------------------------------------------------------- all */

/* Whatever a family adds to the energies, the powers and the lists of rows. */
static void add_family_energy(energy_builder *d, int32_t family)
{
    switch (d->b->zm->families[family].kind) {
    case ZM_ENERGY:
        add_energy_family(d, family);
        break;
    case ZM_MASS:
        add_mass_family(d, family);
        break;
    case ZM_FORCE:
    case ZM_FORCE_AT:
        add_force_family(d, family, ZR_IMPRESSED);
        break;
    case ZM_DISSIPATION:
        add_force_family(d, family, ZR_DISSIPATION);
        break;
    case ZM_CONSTRAINT:
        add_working_rows(d, family);
        break;
    default:
        break;
    }
}

/* Degrees are found below roots of families only, which are nodes that the pool has by now. */
void zr_build_energy(zr_builder *b)
{
    struct zr_energy *e = b->model->energy = ZB_NEW(b->arena, struct zr_energy);
    energy_builder d = {.b = b, .pool = &b->zm->pool, .energy = e};
    zb_mark mark = zb_arena_mark(&b->scratch);
    d.degree = ZB_NEW_ARRAY(&b->scratch, double, d.pool->count);
    e->energies.list = ZB_NEW_ARRAY(b->arena, zr_sum, b->zm->family_count);
    e->powers.list = ZB_NEW_ARRAY(b->arena, zr_sum, b->zm->family_count);
    e->ideal = ZB_NEW_ARRAY(b->arena, int32_t, b->zm->m);
    e->control = ZB_NEW_ARRAY(b->arena, int32_t, b->zm->m);
    e->friction = ZB_NEW_ARRAY(b->arena, int32_t, b->zm->m);
    for (int32_t f = 0; f < b->zm->family_count; f++) add_family_energy(&d, f);
    if (b->model->nonideal.count > 0) e->possible |= 1u << ZR_NONIDEAL;
    if (b->zm->friction_count > 0) e->possible |= 1u << ZR_FRICTION;
    if (e->ideal_count > 0) e->possible |= 1u << ZR_IDEAL;
    if (e->control_count > 0 || b->zm->motor_count > 0) e->possible |= 1u << ZR_CONTROL;
    zb_arena_release(&b->scratch, mark);
    zr_split_energy(b);
}

uint32_t zr_possible_powers(const zw_model *model)
{
    return model->energy ? model->energy->possible : 0;
}

static void free_sums(zr_sums *sums)
{
    for (int32_t i = 0; i < sums->count; i++) zk_free(sums->list[i].code);
    sums->count = 0;
}

void zr_free_energy(zw_model *model)
{
    if (!model->energy) return;
    zk_free(model->energy->island_code);
    free_sums(&model->energy->energies);
    free_sums(&model->energy->powers);
}
