/*
 * What a run remembers of its contacts, for the verdict and its remarks: impacts and changes of each
 * contact, where a rule or a guard mattered, the lowest gap, the worst certificate. Numbers only;
 * nothing here touches the motion.
 */
#include "contact_record.h"

#include <math.h>
#include <string.h>

void zr_begin_record(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    size_t contacts = (size_t)c->laws->contacts;
    for (int32_t k = 0; k < c->laws->sites; k++) {
        c->happened[k] = 0;
        c->tally[k] = (zr_tally){.last = (double)NAN, .captured_t = (double)NAN};
    }
    c->record = (zr_impact_record){
        .lowest = HUGE_VAL, .lowest_of = -1, .lowest_t = (double)NAN, .shared_t = (double)NAN};
    c->trouble.kind = ZR_NO_TROUBLE;
    if (contacts == 0) return;
    memset(c->shared, 0, contacts);
    memset(c->blamed, 0, contacts);
}

/* --------------------------------------------------------------------------- impacts */

static bool is_same_set(const zr_together *a, const zr_together *b)
{
    int32_t count = a->count < zr_most_together ? a->count : zr_most_together;
    return a->count == b->count &&
           memcmp(a->contact, b->contact, sizeof *a->contact * (size_t)count) == 0;
}

/* Contact i of the space got an impulse: more than would change its speed by rounding. */
static bool is_struck(const zr_space *s, const zg_impact *impact, int32_t i)
{
    int32_t normal = s->is_contact[i].normal;
    return impact->P[normal] * zr_own_response(s, normal) > s->approach[i];
}

/* The contacts that got impulses, as a set; how often it was so is counted. */
static void note_rule(zw_sim *sim, const zg_impact *impact)
{
    zr_impact_record *r = &sim->contacts->record;
    const zr_space *s = sim->contacts->space;
    zr_together set = {.times = 1};
    for (int32_t i = 0; i < s->contacts; i++) {
        if (!is_struck(s, impact, i)) continue;
        if (set.count < zr_most_together) set.contact[set.count] = s->contact[i];
        set.count++;
    }
    r->rule_mattered++;
    for (int32_t k = 0; k < r->rule_count; k++) {
        if (!is_same_set(&set, &r->rules[k])) continue;
        r->rules[k].times++;
        return;
    }
    if (r->rule_count < zr_most_rules) r->rules[r->rule_count++] = set;
}

/* Contact i of the space: it would have bounced, but so low that it was left out. */
static void note_capture(zw_sim *sim, int32_t i, double t)
{
    const zr_space *s = sim->contacts->space;
    double u = s->u[s->is_contact[i].normal], e = s->is_contact[i].restitution;
    double rest = sim->zm->simulate.rest;
    zr_tally *tally = &sim->contacts->tally[s->contact[i]];
    if (!(u < 0.0) || !(e > 0.0) || !(-e * u <= s->plastic[i])) return;
    tally->captures++;
    tally->captured_t = t;
    tally->low = rest > 0.0 ? rest : sim->contacts->small.low[sim->zm->contacts[s->contact[i]].row];
}

/* The energy that contact i of the space has lost, with the frictions that it alone presses: the work of
 * its impulses, P (u- + u+) / 2. */
static double find_loss(const zr_space *s, const zg_impact *impact, int32_t i)
{
    int32_t normal = s->is_contact[i].normal;
    double work = impact->P[normal] * (s->u[normal] + impact->u[normal]);
    for (int32_t f = 0; f < s->frictions; f++) {
        const zg_friction *is = &s->is_friction[f];
        for (int32_t j = is->first; is->contact == i && j < is->first + is->width; j++)
            work += impact->P[j] * (s->u[j] + impact->u[j]);
    }
    return -0.5 * work;
}

/* What each contact of the space has lost, as far as it can be told apart. */
static void share_losses(zw_sim *sim, const zg_impact *impact)
{
    zr_contacts *c = sim->contacts;
    const zr_space *s = c->space;
    for (int32_t i = 0; i < s->contacts; i++)
        c->lost[s->contact[i]] = is_struck(s, impact, i) ? find_loss(s, impact, i) : 0.0;
}

/* Frictions that several press, rounds in which the speeds changed in between, bounces that were left
 * out: what is left counts where the impulse is largest. Without an impact it is of what was
 * captured as it left slowly, and closes. */
void zr_balance_losses(zw_sim *sim, double lost)
{
    zr_contacts *c = sim->contacts;
    double rest = lost, most = 0.0;
    int32_t hardest = -1, captured = -1;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        bool closes = c->mode_before.touch[k] == ZR_OPEN && c->mode.touch[k] != ZR_OPEN;
        if (!(c->happened[k] & ZR_HAS_IMPACT)) {
            c->lost[k] = 0.0;
            if (closes && captured < 0) captured = k;
            continue;
        }
        rest -= c->lost[k];
        if (hardest < 0 || c->impulse[k] > most) hardest = k;
        most = fmax(most, c->impulse[k]);
    }
    if (hardest < 0) hardest = captured;
    if (hardest >= 0 && fabs(rest) > 1e-12 * fabs(lost)) c->lost[hardest] += rest;
}

void zr_note_impact(zw_sim *sim, const zg_impact *impact, double energy, double t)
{
    zr_contacts *c = sim->contacts;
    const zr_space *s = c->space;
    for (int32_t i = 0; i < s->contacts; i++) {
        zr_tally *tally = &c->tally[s->contact[i]];
        if (!is_struck(s, impact, i)) continue;
        c->impulse[s->contact[i]] = impact->P[s->is_contact[i].normal];
        c->happened[s->contact[i]] |= ZR_HAS_IMPACT;
        tally->impacts++;
        if (impact->guarded > 0) tally->guarded++;
        note_capture(sim, i, t);
    }
    share_losses(sim, impact);
    c->record.energy += impact->energy;
    c->record.impacts++;
    if (impact->guarded > 0) c->record.guarded++;
    if (energy > 0.0) c->record.gain = fmax(c->record.gain, impact->gain / energy);
    if (impact->rule_mattered) note_rule(sim, impact);
}

/* ----------------------------------------------------------------------------- modes */

/* Frictions that slide and follow a share of the load that could be another, if contacts were not springs of their weights. */
static void note_shares(zw_sim *sim, const zg_instant *instant)
{
    zr_contacts *c = sim->contacts;
    zr_space *s = c->space;
    bool *depends = s->unique; /* scratch */
    zg_dependent_rows(s->solver, instant, &s->mode, &zg_contact_usual, depends);
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t i = s->is_friction[f].contact;
        bool slides = s->mode.friction[f] == ZG_SLIDE && s->is_friction[f].mu > 0.0;
        if (!slides || i < 0 || !depends[s->is_contact[i].normal]) continue;
        c->shared[s->contact[i]] = true;
        if (isnan(c->record.shared_t)) c->record.shared_t = s->source.time;
    }
}

void zr_note_mode(zw_sim *sim, const zg_instant *instant)
{
    zr_contacts *c = sim->contacts;
    const zg_certificate *x = &c->space->found.certificate;
    double worst = fmax(x->primal, fmax(x->dual, x->complementarity));
    if (!sim->run || c->asked) return;
    c->record.certificate = fmax(c->record.certificate, worst);
    if (c->mode.dependent && c->laws->frictions > 0) note_shares(sim, instant);
}

/* What has happened at the moment before belongs together where no time has passed since. */
void zr_note_moment(zw_sim *sim, bool at_once)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++)
        c->blamed[k] = at_once && (c->blamed[k] || c->happened[k] != 0);
}

/* ------------------------------------------------------------------------------ gaps */

/* Of open contacts; those that are closed are rows, whose residuals are watched (watch.c). */
zw_status zr_note_gaps(zw_sim *sim, const zk_source *s)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        if (c->mode.touch[k] != ZR_OPEN) continue;
        if (isnan(c->gap[k])) return ZW_ERR_NOT_FINITE;
        if (c->gap[k] < 0.0 && zr_has_jumped(sim, s, k)) return ZW_ERR_CONTACT;
        if (sim->row_kind[sim->zm->contacts[k].row] == ZM_HOLONOMIC)
            zr_note_lowest(c, k, c->gap[k], s->time);
    }
    return ZW_OK;
}
