/*
 * Seats: where contacts are seen. Every site (contact_laws.h) has one, a shape of five parts,
 *
 *     p       its place; no number where none is known
 *     N       the force across it, multiplier times normal
 *     F       the force along it, of its friction
 *     slope   of its cone: |F| <= slope |N|; 0: it has none
 *     state   as contact(NAME) says it
 *
 * Place, normal and tangents are those of the statement `draw contact(...)`, which contacts of modules
 * have; or the place is found among the points that the model draws (find_seats.c), and normal and
 * tangents are the derivatives of its row, and of its slips, to the coordinates that shift this point.
 */
#include "picture.h"

#include <math.h>
#include <string.h>

#include "friction.h"

enum { PLACE, NORMAL, FRICTION, PARTS }; /* vectors of a seat; then slope and state */

/* A state with its answer. */
typedef struct instant {
    zw_sim *sim;
    const zk_source *s;
    const double *multipliers; /* [m] or NULL */
} instant;

/* --------------------------------------------------------------------------- making */

/* A seat that a site, or a constraint that is none, has now. */
static zr_seat begin_seat(const zr_picture *p, int32_t site, int32_t constraint)
{
    const zm_model *zm = p->model->zm;
    const zm_constraint *c = &zm->constraints[constraint];
    bool contact = site >= 0 && site < p->model->laws->contacts;
    bool one = contact || c->row_count == 1;
    return (zr_seat){.site = site,
                     .constraint = constraint,
                     .row = contact ? zm->contacts[site].row
                            : one   ? c->first_row
                                    : -1,
                     .dimension = p->dimension > 2 ? 3 : 2,
                     .given = -1};
}

static void add_seat(zr_picture *p, const zr_seat *seat)
{
    if (!zb_array_push(p->memory, &p->seats, *seat)) zr_out_of_picture(p);
}

/* The drawing of a constraint; -1: none. */
static int32_t find_contact_drawing(const zm_model *zm, int32_t constraint)
{
    for (int32_t k = 0; k < zm->drawing_count; k++)
        if (zm->drawings[k].shape == ZL_SHAPE_CONTACT && zm->drawings[k].constraint == constraint)
            return k;
    return -1;
}

static bool has_site(const struct zr_contact_laws *laws, int32_t constraint)
{
    for (int32_t k = 0; laws && k < laws->sites; k++)
        if (laws->site_constraint[k] == constraint) return true;
    return false;
}

/* Of a line as of a plane. */
static void seat_as_drawn(zr_picture *p, zr_seat *seat)
{
    const zm_model *zm = p->model->zm;
    int32_t k = find_contact_drawing(zm, seat->constraint);
    if (k < 0 || zm->drawings[k].dimension < 2) return;
    seat->given = k;
    seat->dimension = zm->drawings[k].dimension;
}

/* Sites first, then equations that say where they are; no more than a page can show. */
static void list_seats(zr_picture *p)
{
    enum { most = 120 };
    const zm_model *zm = p->model->zm;
    const struct zr_contact_laws *laws = p->model->laws;
    for (int32_t k = 0; laws && k < laws->sites && k < most; k++) {
        zr_seat seat = begin_seat(p, k, laws->site_constraint[k]);
        seat_as_drawn(p, &seat);
        add_seat(p, &seat);
    }
    for (int32_t k = 0; k < zm->drawing_count && p->seats.count < most; k++) {
        const zm_drawing *d = &zm->drawings[k];
        if (d->shape != ZL_SHAPE_CONTACT || has_site(laws, d->constraint) ||
            find_contact_drawing(zm, d->constraint) != k)
            continue;
        zr_seat seat = begin_seat(p, -1, d->constraint);
        seat_as_drawn(p, &seat);
        add_seat(p, &seat);
    }
}

/* A shape of a seat: numbers that zr_draw_seats computes. */
static void add_seat_shape(zr_picture *p, zr_seat *seat)
{
    int32_t size = seat->dimension, count = PARTS * size + 2;
    zr_shape shape = {.kind = ZL_SHAPE_CONTACT,
                      .points = 1,
                      .dimension = size,
                      .first = p->numbers.count,
                      .count = count,
                      .part = -1,
                      .row = -1};
    bool placed = seat->given >= 0 || seat->spots > 0;
    seat->first = p->value_count;
    for (int32_t k = 0; k < count; k++) {
        bool known = placed || k >= PARTS * size;
        zr_number x = {.at = known ? p->value_count + k : -1,
                       .coordinate = -1,
                       .fixed = !known,
                       .solved = k >= size && k + 1 < count,
                       .constant = (double)NAN};
        if (!zb_array_push(p->memory, &p->numbers, x)) zr_out_of_picture(p);
    }
    p->value_count += count;
    if (!zb_array_push(p->memory, &p->shapes, shape)) zr_out_of_picture(p);
}

void zr_add_seats(zr_picture *p, zw_sim *sim)
{
    p->drawn = p->shapes.count;
    list_seats(p);
    if (p->seats.count == 0) return;
    zr_find_seats(p, sim);
    int32_t before = p->value_count;
    for (int32_t k = 0; k < p->seats.count; k++) add_seat_shape(p, &p->seats.data[k]);
    double *values = ZB_NEW_ARRAY(&p->arena, double, p->value_count + 1);
    memcpy(values, p->values, sizeof *values * (size_t)before);
    p->values = values;
}

/* ------------------------------------------------------------------------ places */

/* Number k of a `draw contact` statement. */
static double given_number(const zr_picture *p, const zr_seat *seat, int32_t k)
{
    const zm_where *w = &p->model->zm->drawings[seat->given].where;
    const zm_family *f = &p->model->zm->families[w->family];
    return p->values[p->families[w->family].first + w->instance * f->root_count + w->root + k];
}

/* Vector number `part` of it, 0 where it was not given: out [dimension]. */
static void read_given(const zr_picture *p, const zr_seat *seat, int32_t part, double *out)
{
    const zm_where *w = &p->model->zm->drawings[seat->given].where;
    for (int32_t j = 0; j < seat->dimension; j++) {
        int32_t k = part * seat->dimension + j;
        out[j] = k < w->count ? given_number(p, seat, k) : 0.0;
    }
}

void zr_spot_place(const zr_picture *p, const zw_sim *sim, const zr_seat_spot *spot, double *out)
{
    for (int32_t j = 0; j < spot->dimension; j++) out[j] = zr_drawn_number(p, sim, spot->first + j);
    if (spot->corner < 0) return;
    double angle = zr_drawn_number(p, sim, spot->first + 2), c = cos(angle), s = sin(angle);
    double x = (spot->corner & 1 ? 0.5 : -0.5) * zr_drawn_number(p, sim, spot->first + 3);
    double y = (spot->corner & 2 ? 0.5 : -0.5) * zr_drawn_number(p, sim, spot->first + 4);
    out[0] += c * x - s * y;
    out[1] += s * x + c * y;
}

static double norm_of(const double *x, int32_t size)
{
    double sum = 0.0;
    for (int32_t j = 0; j < size; j++) sum += x[j] * x[j];
    return sqrt(sum);
}

/* The middle of its points; of a ball where the normal meets it, on the side that is pressed. */
static void find_place(const zr_picture *p, const zw_sim *sim, const zr_seat *seat,
                       const double *normal, double *out)
{
    double size = norm_of(normal, seat->dimension);
    for (int32_t j = 0; j < seat->dimension; j++) out[j] = 0.0;
    for (int32_t i = 0; i < seat->spots; i++) {
        const zr_seat_spot *spot = &seat->spot[i];
        double x[3] = {0};
        zr_spot_place(p, sim, spot, x);
        double radius = spot->radius >= 0 ? zr_drawn_number(p, sim, spot->radius) : 0.0;
        for (int32_t j = 0; j < seat->dimension; j++)
            out[j] += (x[j] - (size > 0.0 ? radius * normal[j] / size : 0.0)) / (double)seat->spots;
    }
}

/* ------------------------------------------------------------------------ forces */

/* Of entries of a row of a matrix those on the coordinates of a seat: out [3]. */
static void read_entries(const zr_pattern *pattern, const double *entry, int32_t row,
                         const zr_seat *seat, double *out)
{
    memset(out, 0, 3 * sizeof *out);
    for (int32_t e = pattern->start[row]; e < pattern->start[row + 1]; e++)
        for (int32_t j = 0; j < seat->dimension; j++)
            if (pattern->column[e] == seat->coordinate[j]) out[j] += entry[e];
}

/* The normal [3], whether it presses or not. */
static void find_normal(const zr_picture *p, zw_sim *sim, const zr_seat *seat, double *normal)
{
    memset(normal, 0, 3 * sizeof *normal);
    if (seat->given >= 0)
        read_given(p, seat, NORMAL, normal);
    else if (seat->row >= 0 && seat->spots > 0)
        read_entries(&sim->model->A, sim->A, seat->row, seat, normal);
}

/* What friction f adds to the force [3] along a seat, and to the most that this can be. */
static void add_friction_of(const zr_picture *p, const instant *now, const zr_seat *seat, int32_t f,
                            double *force, double *most)
{
    zw_sim *sim = now->sim;
    const struct zr_contact_laws *laws = p->model->laws;
    const zm_friction *friction = &p->model->zm->frictions[f];
    bool sticks = sim->contacts->mode.grip[f] == ZR_STICKS;
    double mu = sticks ? zr_friction_static(sim, f) : zr_friction_mu(sim, f), longest = 0.0;
    for (int32_t i = 0; i < friction->width; i++) {
        int32_t slip = laws->friction[f].slip + i;
        double e[3] = {0};
        if (seat->given >= 0)
            read_given(p, seat, FRICTION + i, e);
        else
            read_entries(&laws->T, sim->contacts->T, slip, seat, e);
        longest = fmax(longest, norm_of(e, 3));
        for (int32_t j = 0; j < 3; j++)
            force[j] += now->multipliers[laws->row_of_slip[slip]] * e[j];
    }
    *most += mu * longest * fabs(zr_press(sim, now->s, f, now->multipliers));
}

/* Force across, along, and slope. */
static void find_forces(const zr_picture *p, const instant *now, const zr_seat *seat,
                        const double *normal, double *out)
{
    const zm_model *zm = p->model->zm;
    double along[3] = {0}, most = 0.0, across = 0.0;
    int32_t size = seat->dimension;
    for (int32_t f = 0; f < zm->friction_count; f++)
        if (zm->frictions[f].constraint == seat->constraint)
            add_friction_of(p, now, seat, f, along, &most);
    for (int32_t j = 0; j < size; j++) {
        double N = seat->row >= 0 ? now->multipliers[seat->row] * normal[j] : 0.0;
        out[j] = N;
        out[size + j] = along[j];
        across = hypot(across, N);
    }
    out[2 * size] = across > 0.0 ? most / across : 0.0;
}

/* All parts of a seat, into the values. */
static void draw_seat(zr_picture *p, const instant *now, const zr_seat *seat)
{
    double *out = p->values + seat->first, normal[3];
    int32_t size = seat->dimension;
    find_normal(p, now->sim, seat, normal);
    if (seat->given >= 0)
        read_given(p, seat, PLACE, out);
    else
        find_place(p, now->sim, seat, normal, out);
    for (int32_t j = size; j <= PARTS * size; j++) out[j] = (double)NAN;
    if (now->multipliers) find_forces(p, now, seat, normal, out + size);
    out[PARTS * size + 1] = seat->site >= 0 ? zr_site_state(now->sim, seat->site) : 1.0;
}

void zr_draw_seats(zr_picture *p, zw_sim *sim, const zk_source *s, const double *multipliers)
{
    instant now = {.sim = sim, .s = s, .multipliers = multipliers};
    for (int32_t k = 0; k < p->seats.count; k++) draw_seat(p, &now, &p->seats.data[k]);
}
