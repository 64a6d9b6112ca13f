/*
 * What can go wrong with contacts and friction (trouble.h), as messages:
 *
 *     E0505   a coefficient or a restitution out of its range
 *     E0510   no force goes with the laws: Painleve's paradox      E0511   two do
 *     E0512   a gap has jumped below 0                             E0513   inequalities exclude each other
 *     E0514   no forces were found, which proves nothing
 */
#include "trouble.h"

#include <math.h>
#include <string.h>

enum { most_named = 6 };

/* -------------------------------------------------------------------------- to keep */

/* Friction f of the space. */
static void take_friction(zw_sim *sim, int32_t f)
{
    const zr_space *s = sim->contacts->space;
    const zg_friction *is = &s->is_friction[f];
    zr_contact_trouble *x = &sim->contacts->trouble;
    double square = 0.0;
    for (int32_t j = 0; j < is->width; j++) square += is->slip[j] * is->slip[j];
    x->friction = s->friction[f];
    x->mu = is->mu;
    x->slip = is->width == 1 ? is->slip[0] : sqrt(square);
}

/* The friction that contact i of the space presses, if it is one: what it does. */
static void describe_friction(zw_sim *sim, int32_t i)
{
    const zr_space *s = sim->contacts->space;
    zr_contact_trouble *x = &sim->contacts->trouble;
    for (int32_t f = 0; f < s->frictions && x->friction < 0; f++)
        if (s->is_friction[f].contact == i) take_friction(sim, f);
}

/* Contacts that a proof of conflict names; without one all that approach, of these none all. */
static void blame_contacts(zw_sim *sim, const zg_found *found)
{
    zr_contacts *c = sim->contacts;
    const zr_space *s = c->space;
    double largest = 0.0;
    int32_t blamed = 0;
    memset(c->blamed, 0, (size_t)c->laws->contacts);
    for (int32_t i = 0; found && i < s->contacts; i++)
        largest = fmax(largest, s->other[s->is_contact[i].normal]);
    for (int32_t i = 0; i < s->contacts; i++) {
        int32_t row = s->is_contact[i].normal;
        bool part = largest > 0.0 ? s->other[row] > 1e-6 * largest : s->u[row] < -s->approach[i];
        c->blamed[s->contact[i]] = part;
        blamed += part;
    }
    for (int32_t i = 0; i < s->contacts && blamed < 2; i++) c->blamed[s->contact[i]] = true;
}

void zr_keep_trouble(zw_sim *sim, zg_outcome outcome, const zg_found *found, int32_t contact)
{
    static const zr_trouble_kind kinds[] = {[ZG_NO_MODE] = ZR_NO_FORCE,
                                            [ZG_SEVERAL] = ZR_TWO_FORCES,
                                            [ZG_CONFLICT] = ZR_SQUEEZED,
                                            [ZG_UNDECIDED] = ZR_NOT_FOUND};
    const zr_space *s = sim->contacts->space;
    zr_contact_trouble *x = &sim->contacts->trouble;
    bool none = outcome == ZG_NO_MODE;
    *x = (zr_contact_trouble){.kind = kinds[outcome],
                              .impact = !found,
                              .contact = contact >= 0 ? s->contact[contact] : -1,
                              .friction = -1,
                              .t = s->source.time,
                              .value = {(double)NAN, (double)NAN}};
    if (found) x->value[0] = none ? found->contact_pivot : found->value[0];
    if (found) x->value[1] = none ? found->free_acceleration : found->value[1];
    if (contact >= 0) describe_friction(sim, contact);
    if (found && contact < 0 && found->friction >= 0) {
        take_friction(sim, found->friction);
        if (none) x->value[0] = (double)NAN;
    }
    blame_contacts(sim, outcome == ZG_CONFLICT ? found : NULL);
}

void zr_keep_squeeze(zw_sim *sim, double t)
{
    zr_contacts *c = sim->contacts;
    c->trouble = (zr_contact_trouble){.kind = ZR_SQUEEZED, .contact = -1, .friction = -1, .t = t};
    memcpy(c->blamed, c->touching, (size_t)c->laws->contacts);
}

/* The contact of the space that presses most where something slides; -1: none. */
static int32_t find_most_pressed(const zr_space *s)
{
    int32_t most = -1;
    double largest = 0.0;
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t i = s->is_friction[f].contact;
        if (i < 0 || s->last.friction[f] != ZG_SLIDE) continue;
        double N = fabs(s->x[s->is_contact[i].normal]);
        if (!(N > largest)) continue;
        largest = N;
        most = i;
    }
    return most;
}

/* By the pivot of what slides, relative to that without friction. */
bool zr_find_jam(zw_sim *sim)
{
    const zr_space *s = sim->contacts ? sim->contacts->space : NULL;
    if (!s || !zr_any_slides(sim)) return false;
    zk_source at = zr_source(sim, sim->t, sim->q, sim->v);
    if (zr_find_mode_forces(sim, &at) != ZW_OK) return false;
    zg_instant instant = zr_space_instant(sim, s->w);
    zg_forces forces = {.x = s->x, .u = s->after};
    int32_t i = find_most_pressed(s);
    if (i < 0 || !zg_mode_forces(s->solver, &instant, &s->last, &zg_contact_usual, &forces) ||
        !(fabs(forces.pivot) < 1e-3))
        return false;
    sim->contacts->trouble =
        (zr_contact_trouble){.kind = ZR_JAMS,
                             .contact = s->contact[i],
                             .friction = -1,
                             .t = sim->t,
                             .value = {forces.pivot, s->x[s->is_contact[i].normal]}};
    describe_friction(sim, i);
    return true;
}

/* What a step leaves of a gap is far below a millionth of its terms. */
bool zr_has_jumped(zw_sim *sim, const zk_source *s, int32_t k)
{
    zr_contacts *c = sim->contacts;
    int32_t row = sim->zm->contacts[k].row;
    double gap = c->gap[k], low = 100.0 * fmax(c->small.low[row], c->small.gap[row]);
    if (sim->row_kind[row] == ZM_ACCELERATION || !(fabs(gap) > low)) return false;
    if (!(fabs(gap) > 1e-6 * zr_gap_size(sim, s, k))) return false;
    c->trouble = (zr_contact_trouble){
        .kind = ZR_MISSED, .contact = k, .friction = -1, .t = s->time, .value = {gap, 0.0}};
    return true;
}

zw_status zr_refuse_jumps(zw_sim *sim, double t, const double *q, const double *v)
{
    zr_contacts *c = sim->contacts;
    bool any = false;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        bool positions = sim->row_kind[row] == ZM_HOLONOMIC;
        any = any || (c->touching[k] && positions && fabs(sim->level[row]) > c->small.gap[row]);
    }
    if (!any) return ZW_OK;
    zk_source s = zr_source(sim, t, q, v);
    zr_evaluate_gaps(sim, &s);
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        bool positions = sim->row_kind[sim->zm->contacts[k].row] == ZM_HOLONOMIC;
        if (positions && c->touching[k] && zr_has_jumped(sim, &s, k)) return ZW_ERR_CONTACT;
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- laws */

/* NaN is left to those who look for such numbers. */
static bool is_out_of_range(zr_law_number number, double value)
{
    bool friction = number == ZR_LAW_MU || number == ZR_LAW_STATIC;
    return value < 0.0 || (!friction && value > 1.0);
}

static double number_of_law(const zw_sim *sim, zr_law_number number, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    if (number == ZR_LAW_RESTITUTION) return c->restitution[2 * k];
    if (number == ZR_LAW_TANGENTIAL)
        return sim->zm->restitutions[k].has_tangential ? c->restitution[2 * k + 1] : 0.0;
    if (number == ZR_LAW_MU) return zr_friction_mu(sim, k);
    int32_t at = c->laws->friction[k].statics;
    return at < 0 ? 0.0 : c->slip[c->laws->slips + at];
}

/* Number k of its kind; whether it is out of its range, which is then remembered. */
static bool is_law_bad(zw_sim *sim, zr_law_number number, int32_t k, double t)
{
    double value = number_of_law(sim, number, k);
    if (!is_out_of_range(number, value)) return false;
    sim->contacts->trouble = (zr_contact_trouble){.kind = ZR_BAD_LAW,
                                                  .contact = -1,
                                                  .friction = k,
                                                  .number = (int32_t)number,
                                                  .t = t,
                                                  .value = {value, 0.0}};
    return true;
}

zw_status zr_mind_laws(zw_sim *sim, double t)
{
    const zr_space *s = sim->contacts->space;
    for (int32_t f = 0; f < s->frictions; f++)
        if (is_law_bad(sim, ZR_LAW_MU, s->friction[f], t) ||
            is_law_bad(sim, ZR_LAW_STATIC, s->friction[f], t))
            return ZW_ERR_CONTACT;
    for (int32_t i = 0; i < s->contacts; i++) {
        int32_t r = sim->zm->contacts[s->contact[i]].restitution;
        if (r >= 0 &&
            (is_law_bad(sim, ZR_LAW_RESTITUTION, r, t) || is_law_bad(sim, ZR_LAW_TANGENTIAL, r, t)))
            return ZW_ERR_CONTACT;
    }
    return ZW_OK;
}

zw_status zr_check_laws(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    bool bad = false;
    zr_evaluate_frictions(sim, &s);
    zr_evaluate_restitutions(sim, &s);
    ZB_TRY(zr_report_bad(sim, &s, ZR_BAD_LAWS));
    for (int number = ZR_LAW_MU; number <= ZR_LAW_TANGENTIAL; number++) {
        bool friction = number == ZR_LAW_MU || number == ZR_LAW_STATIC;
        int32_t count = friction ? c->laws->frictions : sim->zm->restitution_count;
        for (int32_t k = 0; k < count; k++) {
            if (!is_law_bad(sim, (zr_law_number)number, k, sim->t)) continue;
            ZB_TRY(zr_report_trouble(sim));
            bad = true;
        }
    }
    return bad ? ZW_ERR_START : ZW_OK;
}

/* ---------------------------------------------------------------------------- words */

static void add_number(zb_text *text, const char *before, double value)
{
    zb_text_add(text, before);
    zr_text_short(text, value);
}

/* A constraint by its name in quotes. */
static void add_constraint(const zw_sim *sim, int32_t constraint, zb_text *text)
{
    zb_text_char(text, '`');
    zm_constraint_text(sim->zm, constraint, text);
    zb_text_char(text, '`');
}

static void add_contact(const zw_sim *sim, int32_t contact, zb_text *text)
{
    if (contact >= 0)
        zr_text_row(sim->model, sim->zm->contacts[contact].row, text);
    else
        zb_text_add(text, "the contacts");
}

/* The contact of a trouble, or the equation that rubs. */
static void add_blamed(const zw_sim *sim, const zr_contact_trouble *x, zb_text *text)
{
    if (x->contact < 0 && x->friction >= 0)
        add_constraint(sim, sim->zm->frictions[x->friction].constraint, text);
    else
        add_contact(sim, x->contact, text);
}

void zr_text_blamed(const zw_sim *sim, zb_text *text)
{
    zr_name_ranges names;
    bool any = false;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t k = 0; k < sim->contacts->laws->contacts; k++) {
        if (!sim->contacts->blamed[k]) continue;
        add_contact(sim, k, &names.name);
        zr_name_ranges_add(&names, "");
        any = true;
    }
    if (any)
        zr_name_ranges_list(&names, most_named, " and ", text);
    else
        zb_text_add(text, "the contacts");
    if (names.failure != ZW_OK) text->failure = names.failure;
    zr_name_ranges_free(&names);
}

/* " (slip -2, mu = 2)", " (at rest, mu = 2)" */
static void add_friction(const zr_contact_trouble *x, zb_text *text)
{
    if (x->friction < 0) return;
    if (x->slip == 0.0)
        zb_text_add(text, " (at rest");
    else
        add_number(text, " (slip ", x->slip);
    add_number(text, ", mu = ", x->mu);
    zb_text_char(text, ')');
}

/* E0510 */
static void say_no_force(const zw_sim *sim, const zr_contact_trouble *x, zb_text *text)
{
    zb_text_printf(text, " no %s at ", x->impact ? "impulse" : "force");
    add_blamed(sim, x, text);
    add_friction(x, text);
    zb_text_add(text, " is possible: Painlevé's paradox");
    if (isnan(x->value[0])) return;
    add_number(text, ", pivot ", x->value[0]);
    add_number(text, ", free normal acceleration ", x->value[1]);
}

/* E0510, where the force has become so large that the motion cannot be followed. */
static void say_jam(const zw_sim *sim, const zr_contact_trouble *x, zb_text *text)
{
    zb_text_add(text, " friction at ");
    add_contact(sim, x->contact, text);
    zb_text_add(text, " (slip ");
    zr_text_digits(text, x->slip, 2);
    zb_text_add(text, ", mu = ");
    zr_text_digits(text, x->mu, 3);
    zb_text_add(text, ") jams: the normal force grows beyond all bounds, Painlevé's paradox");
}

/* E0511 */
static void say_two_forces(const zw_sim *sim, const zr_contact_trouble *x, zb_text *text)
{
    bool joint = x->contact < 0 && x->friction >= 0;
    zb_text_add(text, " two motions are possible");
    if (x->contact < 0 && !joint) return;
    zb_text_add(text, joint ? ": the force of " : ": ");
    add_blamed(sim, x, text);
    add_friction(x, text);
    if (isnan(x->value[0])) {
        zb_text_add(text, " may go on in either");
        return;
    }
    add_number(text, joint ? " is " : " presses with ", x->value[0]);
    add_number(text, joint ? " or " : " or with ", x->value[1]);
}

/* E0512 */
static void say_missed(const zw_sim *sim, const zr_contact_trouble *x, zb_text *text)
{
    bool speed = sim->row_kind[sim->zm->contacts[x->contact].row] != ZM_HOLONOMIC;
    zb_text_char(text, ' ');
    add_contact(sim, x->contact, text);
    add_number(text, speed ? " is " : " has the gap ", x->value[0]);
    zb_text_add(text, ": a missed contact, for it jumps there");
}

/* E0513, E0514 */
static void say_together(const zw_sim *sim, bool squeezed, zb_text *text)
{
    bool any = false;
    for (int32_t k = 0; k < sim->contacts->laws->contacts; k++)
        any = any || sim->contacts->blamed[k];
    zb_text_add(
        text, squeezed ? " " : " no forces were found that obey the laws of contact and friction");
    if (any && !squeezed) zb_text_add(text, " at ");
    zr_text_blamed(sim, text);
    zb_text_add(text, squeezed ? " cannot hold together any longer"
                               : "; that there are none is not proved");
}

/* E0505 */
static void say_bad_law(const zw_sim *sim, const zr_contact_trouble *x, zb_text *text)
{
    static const char *const names[] = {[ZR_LAW_MU] = "coefficient of friction",
                                        [ZR_LAW_STATIC] = "static coefficient of friction",
                                        [ZR_LAW_RESTITUTION] = "restitution",
                                        [ZR_LAW_TANGENTIAL] = "tangential restitution"};
    bool friction = x->number == ZR_LAW_MU || x->number == ZR_LAW_STATIC;
    zb_text_printf(text, " the %s of ", names[x->number]);
    add_constraint(sim,
                   friction ? sim->zm->frictions[x->friction].constraint
                            : sim->zm->restitutions[x->friction].constraint,
                   text);
    if (friction && x->value[0] > -1e-9)
        zb_text_add(text, " falls below 0");
    else
        add_number(text, " is ", x->value[0]);
    if (!friction) zb_text_add(text, ", not between 0 and 1");
}

/* The place, and what helps. */
static zr_message describe_trouble(const zw_sim *sim, const zr_contact_trouble *x)
{
    static const zr_message messages[] = {
        [ZR_NO_FORCE] = {.code = "E0510",
                         .help =
                             "rigid bodies with this friction have no motion here: a smaller mu, "
                             "another shape, or compliance (a spring where they touch)"},
        [ZR_JAMS] = {.code = "E0510",
                     .help = "a smaller mu, another shape, or compliance (a spring where they "
                             "touch)"},
        [ZR_TWO_FORCES] = {.code = "E0511",
                           .help =
                               "rigid bodies with this friction do not say which: a smaller mu, "
                               "another shape, or compliance (a spring where they touch)"},
        [ZR_MISSED] = {.code = "E0512",
                       .help =
                           "write what an inequality compares as continuous functions, each face "
                           "of a step as an inequality of its own; `when` must not set values "
                           "that violate it"},
        [ZR_SQUEEZED] = {.code = "E0513",
                         .help =
                             "stop before it by `when`, or let one of them give way (a spring in "
                             "its place)"},
        [ZR_NOT_FOUND] = {.code = "E0514",
                          .help =
                              "smaller coefficients of friction, or fewer contacts that depend on "
                              "each other"},
        [ZR_BAD_LAW] = {.code = "E0505"}};
    zr_message message = messages[x->kind];
    bool friction = x->number == ZR_LAW_MU || x->number == ZR_LAW_STATIC;
    message.place = zr_nowhere;
    if (x->contact >= 0)
        message.place = zr_row_place(sim->model, sim->zm->contacts[x->contact].row);
    else if (x->friction >= 0)
        message.place = sim->zm->frictions[x->friction].place;
    if (x->kind == ZR_SQUEEZED || x->kind == ZR_NOT_FOUND)
        for (int32_t k = 0; k < sim->contacts->laws->contacts; k++)
            if (sim->contacts->blamed[k])
                message.place = zr_row_place(sim->model, sim->zm->contacts[k].row);
    if (x->kind != ZR_BAD_LAW) return message;
    message.place =
        friction ? sim->zm->frictions[x->friction].place : sim->zm->restitutions[x->friction].place;
    message.help = friction
                       ? "a coefficient is 0 or more: max(0, ...) where an expression falls below"
                       : "0 is no bounce, 1 one that loses nothing";
    return message;
}

zw_status zr_report_trouble(zw_sim *sim)
{
    zr_contact_trouble *x = &sim->contacts->trouble;
    if (x->kind == ZR_NO_TROUBLE) *x = (zr_contact_trouble){.kind = ZR_NOT_FOUND, .contact = -1};
    zr_message message = describe_trouble(sim, x);
    zb_text text;
    zb_text_init(&text, sim->memory);
    if (zr_on_the_way(sim))
        add_number(&text, "at t = ", x->t);
    else
        zr_text_when(sim, &text);
    if (x->kind == ZR_NO_FORCE) say_no_force(sim, x, &text);
    if (x->kind == ZR_JAMS) say_jam(sim, x, &text);
    if (x->kind == ZR_TWO_FORCES) say_two_forces(sim, x, &text);
    if (x->kind == ZR_MISSED) say_missed(sim, x, &text);
    if (x->kind == ZR_SQUEEZED || x->kind == ZR_NOT_FOUND)
        say_together(sim, x->kind == ZR_SQUEEZED, &text);
    if (x->kind == ZR_BAD_LAW) say_bad_law(sim, x, &text);
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

const char *zr_trouble_sentence(const zw_sim *sim)
{
    switch (sim->contacts->trouble.kind) {
    case ZR_TWO_FORCES:
        return "two motions go with the laws of contact and friction";
    case ZR_MISSED:
        return "a contact was missed";
    case ZR_SQUEEZED:
        return "inequalities cannot hold together any longer";
    case ZR_NOT_FOUND:
        return "no forces were found that obey the laws of contact and friction";
    case ZR_BAD_LAW:
        return "a coefficient of friction or a restitution is out of its range";
    default:
        return "no motion goes with the laws of contact and friction";
    }
}

zw_status zr_warn_of_friction_shares(zw_sim *sim, const zr_name_ranges *names, int32_t friction,
                                     double t)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "friction at ");
    zr_name_ranges_list(names, most_named, " and ", &text);
    zb_text_add(&text, " depends on shares that are not unique");
    if (!isnan(t)) add_number(&text, ", from t = ", t);
    zb_text_add(&text, "; taken: springs ");
    zb_text_add(&text,
                sim->model->W.rows > 0 ? "as stiff as the weights say" : "of equal stiffness");
    zr_message message = {.code = "W0520",
                          .place = sim->zm->frictions[friction].place,
                          .help =
                              "leave out contacts that follow from others, or say by `weight` how "
                              "stiff each is"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}
