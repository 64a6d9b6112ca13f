/*
 * The motors of a control, behind `by`. A motor pushes along a direction that is written as a
 * speed V, linear in the velocities: at the force or torque u its power is u V, so that the
 * generalized force is u times the gradient of V by the velocities.
 *
 *     by x              a place: its rate x' is meant; so is that of any expression of places
 *     by shoulder       a part that moves in one way: its member travel_rate
 *     by p along d      the speed of the point p along d, p' d
 *     by x' - y'        any row of coefficients
 *
 * A vector is a motor for each of its elements. Behind each direction may stand what the motor can
 * give at most, `within A..B`, and what a unit of it costs, `weight W`.
 */
#include <string.h>

#include "elaborate.h"

static const char no_direction[] = "a motor pushes along a coordinate, a joint or a speed";

/* The part's own speed; broken after an error. */
static zm_value read_joint(zm_elab *e, const zl_expr *x, const zm_value *part)
{
    static const char member[] = "travel_rate";
    zl_expr speed = {.kind = ZL_MEMBER,
                     .place = x->place,
                     .mark = x->place,
                     .left = x,
                     .name = zl_intern(e->unit, member, sizeof member - 1)};
    if (part->kind == ZM_VAL_PART &&
        zm_find_own_name(e->parts.scopes.data[part->first], speed.name))
        return zm_evaluate(e, &speed);
    ZM_ERROR(e, "E0541", x->place,
             "a hinge or slider has a motor by itself; otherwise name the speed it pushes along",
             part->kind == ZM_VAL_PART ? "this part has no motion of its own to push along"
                                       : "this is an array of parts, not one of them");
    return zm_broken();
}

/* p' d of `by p along d`. */
static zm_value read_point(zm_elab *e, const zl_motor *m, const zm_value *p)
{
    zm_value d = zm_evaluate(e, m->along);
    if (zm_is_broken(&d) || zm_is_broken(p)) return zm_broken();
    if (!zm_is_numeric(p) || !zm_is_numeric(&d) || p->columns || d.columns ||
        !zm_same_shape(p, &d)) {
        ZM_ERROR(e, "E0541", m->along->place, "a point of 2 or 3 numbers and a vector of as many",
                 "the direction is %s, the point %s", zm_shape_string(e, &d),
                 zm_shape_string(e, p));
        return zm_broken();
    }
    zm_value rate = zm_rate_of(e, p, m->direction->place);
    if (zm_is_broken(&rate)) return rate;
    return zm_node_value(e, zm_dot_product(e, &rate, &d));
}

/* The speeds of one item of the list; broken after an error. */
static zm_value read_speeds(zm_elab *e, const zl_motor *m)
{
    zm_value V = zm_evaluate(e, m->direction);
    if (zm_is_broken(&V)) return V;
    if (m->along) return read_point(e, m, &V);
    if (V.kind == ZM_VAL_PART || V.kind == ZM_VAL_PARTS) return read_joint(e, m->direction, &V);
    if (zm_is_numeric(&V) && !V.columns) return V;
    ZM_ERROR(e, "E0541", m->direction->place, no_direction, "the direction of a motor cannot be %s",
             zm_shape_string(e, &V));
    return zm_broken();
}

/* V as a speed: what has no velocity is a place, whose rate is meant. */
static zx_node take_speed(zm_elab *e, zx_node V)
{
    zx_reach r = zx_reaches(e->world, &V, 1);
    bool still = !r.velocity && !r.acceleration && !r.measure;
    return still ? zx_time_derivative(e->world, V) : V;
}

/* A number of the motor, of everything but accelerations and reactions. */
static bool read_number(zm_elab *e, const zl_expr *x, const char *what, zm_allowed allowed,
                        zx_node *root)
{
    *root = zm_evaluate_scalar(e, x);
    return *root != ZX_NONE && zm_check_leaves(e, root, 1, allowed, x->place, what);
}

/* Limits that no number lies between, or a weight that is not positive, as far as they are known. */
static bool check_numbers(zm_elab *e, const zl_motor *m, const zx_node *roots)
{
    double low, high, weight;
    const zx_node *next = roots;
    if (m->low) {
        bool known =
            zx_is_constant(e->world, next[0], &low) && zx_is_constant(e->world, next[1], &high);
        next += 2;
        if (known && !(low < high)) {
            ZM_ERROR(e, "E0542", m->low->place, "write the smaller number first, as in -20..20",
                     "no force lies between %g and %g", low, high);
            return false;
        }
    }
    if (m->weight && zx_is_constant(e->world, next[0], &weight) && !(weight > 0.0)) {
        ZM_ERROR(e, "E0542", m->weight->place, "a motor of twice the weight gives half as much",
                 "the weight of a motor is %g, not positive", weight);
        return false;
    }
    return true;
}

/* What stands behind the direction: low, high, weight as far as said, into roots; how many, below 0
 * after an error. */
static int32_t read_numbers(zm_elab *e, const zl_motor *m, zx_node *roots)
{
    const zm_allowed state = {.velocity = true, .coordinate = true, .time = true};
    zx_node *next = roots;
    if (m->low && !read_number(e, m->low, "a limit of a motor", state, next++)) return -1;
    if (m->low && !read_number(e, m->high, "a limit of a motor", state, next++)) return -1;
    if (m->weight && !read_number(e, m->weight, "the weight of a motor", (zm_allowed){0}, next++))
        return -1;
    return check_numbers(e, m, roots) ? (int32_t)(next - roots) : -1;
}

/* How the motor is called in messages and columns: a coordinate or part by its full name, what else
 * there is as it is written; of a vector with a number. */
static const char *name_motor(zm_elab *e, const zl_motor *m, int32_t element, int32_t size)
{
    zl_place place = m->direction->place;
    if (m->along) place.length = m->along->place.at + m->along->place.length - place.at;
    const zl_source *source = &e->unit->sources.data[place.source];
    const char *text = size > 1 ? zm_format(e, "%.*s[%d]", (int)place.length,
                                            source->text + place.at, (int)element + 1)
                                : zm_format(e, "%.*s", (int)place.length, source->text + place.at);
    return zb_arena_copy(&e->model->arena, text, strlen(text) + 1, 1);
}

/* One motor, whose roots are V and numbers [count]. */
static void add_motor(zm_elab *e, const zl_statement *s, const zl_motor *m, const zx_node *roots,
                      int32_t count)
{
    int32_t none = -1, number = 1, total = e->items.motors.count;
    int32_t constraint = e->items.constraints.count - 1;
    if (total > 0 && e->items.motors.data[total - 1].constraint == constraint)
        number = e->items.motors.data[total - 1].number + 1;
    zm_motor motor = {.place = zl_model_place(e->unit, m->direction->place),
                      .constraint = constraint,
                      .number = number,
                      .limited = m->low != NULL,
                      .weighted = m->weight != NULL};
    zm_instance instance = {.kind = ZM_MOTOR,
                            .roots = roots,
                            .root_count = count,
                            .targets = &none,
                            .target_count = m->low ? 1 : 0, /* which numbers there are: the shape */
                            .item = total,
                            .place = s->place};
    motor.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.motors, motor);
}

/* by MOTOR, MOTOR, ...: of the control that was declared last. */
void zm_add_motors(zm_elab *e, const zl_statement *s)
{
    const zm_allowed speed = {.velocity = true, .coordinate = true, .time = true};
    for (int32_t k = 0; k < s->motor_count; k++) {
        const zl_motor *m = &s->motors[k];
        zx_node roots[4];
        zm_value V = read_speeds(e, m);
        if (zm_is_broken(&V)) continue;
        int32_t numbers = read_numbers(e, m, roots + 1);
        for (int32_t i = 0; numbers >= 0 && i < zm_size(&V); i++) {
            roots[0] = take_speed(e, zm_element(e, &V, i));
            if (!zm_check_leaves(e, roots, 1, speed, m->direction->place,
                                 "the direction of a motor"))
                break;
            add_motor(e, s, m, roots, 1 + numbers);
            e->items.motors.data[e->items.motors.count - 1].name = name_motor(e, m, i, zm_size(&V));
        }
    }
    if (s->motor_count > 0 && e->items.constraints.count > 0)
        e->items.constraints.data[e->items.constraints.count - 1].driven = true;
}
