/*
 * Largest, smallest, mean and integral of members that move in lanes: keep_along.c on a simulation for
 * each lane. After every step the states at its first nine points are found for all lanes at once; what
 * else a search or a halving asks for is found for its lane alone. They are the states of the single run
 * to the bit, and so are the numbers. A lane for which something is refused is sent away, and its member
 * is run alone.
 */
#include <string.h>

#include "members.h"

enum { most_lanes = 8 };

typedef struct lane_look {
    zr_lane_along *all;
    int32_t lane;
    int64_t member;           /* of the ensemble */
    zr_bench bench;           /* the batch's, with a simulation of its own */
    double t[zr_along_nodes]; /* of the last step */
    bool bad;                 /* it could not begin */
} lane_look;

struct zr_lane_along {
    zr_bench *bench;
    const int64_t *member; /* of the batch, by their number in the ensemble */
    const double *state;   /* [count * 2n] where they begin; the ensemble writes ends there later */
    int32_t width, size;   /* lanes; of a state, works included */
    double *node;          /* [zr_along_nodes * width * size] states at t of each lane */
    double *shown;         /* [width * size] */
    zi_group *group;       /* during `pass` */
    lane_look look[most_lanes];
    zr_lane_watch watch;
};

/* zr_along.show: the state at t into the lane's simulation. */
static zw_status show_lane(void *user, double t)
{
    lane_look *k = user;
    zr_lane_along *a = k->all;
    zw_sim *sim = k->bench.sim;
    size_t row = (size_t)a->width * (size_t)a->size, at = (size_t)k->lane * (size_t)a->size;
    const double *state = NULL;
    for (size_t j = 0; j < zr_along_nodes && !state; j++)
        if (t == k->t[j]) state = a->node + j * row + at; /* NOLINT: the very same */
    if (!state) {
        double moment[most_lanes] = {0};
        moment[k->lane] = t;
        if (zi_show_lanes(a->group, UINT32_C(1) << k->lane, moment, a->shown) != 0)
            return ZW_ERR_STEP;
        state = a->shown + at;
    }
    zr_sim_set_state(sim, t, state, state + sim->zm->n);
    return ZW_OK;
}

/* zr_lane_watch.seat */
static void seat_in_lane(void *user, int32_t lane, int64_t member)
{
    zr_lane_along *a = user;
    lane_look *k = &a->look[lane];
    zw_sim *sim = k->bench.sim;
    const double *state = a->state + (size_t)member * 2 * (size_t)sim->zm->n;
    k->member = member;
    zr_sim_set_state(sim, a->bench->settings->from, state, state + sim->zm->n);
    k->bad = zr_dress_member(&k->bench, a->member[member]) != ZW_OK ||
             zr_along_begin(&k->bench.along) != ZW_OK;
}

/* The states of all lanes at the points of their steps. Returns the lanes that were refused. */
static uint32_t show_nodes(zr_lane_along *a, uint32_t lanes)
{
    size_t row = (size_t)a->width * (size_t)a->size;
    uint32_t refused = 0;
    for (int32_t l = 0; l < a->width; l++) {
        double from, to;
        zi_lane_step(a->group, l, &from, &to);
        zr_along_times(from, to, a->look[l].t);
    }
    for (size_t j = 0; j < zr_along_nodes; j++) {
        double moment[most_lanes];
        for (int32_t l = 0; l < a->width; l++) moment[l] = a->look[l].t[j];
        refused |= zi_show_lanes(a->group, lanes, moment, a->node + j * row);
    }
    return refused;
}

/* zr_lane_watch.pass */
static uint32_t pass_lanes(void *user, zi_group *group, uint32_t lanes)
{
    zr_lane_along *a = user;
    a->group = group;
    uint32_t refused = show_nodes(a, lanes);
    for (int32_t l = 0; l < a->width; l++) {
        uint32_t bit = UINT32_C(1) << l;
        lane_look *k = &a->look[l];
        if ((lanes & ~refused & bit) == 0) continue;
        if (k->bad || zr_along_take(&k->bench.along, k->t[0], k->t[zr_along_nodes - 1]) != ZW_OK)
            refused |= bit;
    }
    return refused;
}

/* zr_lane_watch.done */
static void keep_of_lane(void *user, int64_t member, double t)
{
    zr_lane_along *a = user;
    const zr_keep *keep = a->bench->keep;
    double *out = a->bench->members->kept + (size_t)a->member[member] * (size_t)keep->list.count;
    int32_t lane = 0;
    while (lane + 1 < a->width && a->look[lane].member != member) lane++;
    for (int32_t i = 0; i < keep->list.count; i++) {
        const zr_kept *kept = &keep->list.data[i];
        if (kept->kind >= ZR_KEEP_LARGEST && kept->kind <= ZR_KEEP_INTEGRAL)
            out[i] = zr_along_value(&a->look[lane].bench.along, kept, t);
    }
}

/* The simulation of a lane, and what it keeps. */
static zw_status open_look(zr_lane_along *a, int32_t lane)
{
    lane_look *k = &a->look[lane];
    *k = (lane_look){.all = a, .lane = lane, .member = -1, .bench = *a->bench};
    k->bench.sim = NULL;
    ZB_TRY(zr_sim_create(a->bench->sim->model, &k->bench.sim));
    zr_along *along = &k->bench.along;
    ZB_TRY(zr_along_open(along, k->bench.sim, a->bench->keep, &a->bench->arena));
    along->show = show_lane;
    along->user = k;
    return ZW_OK;
}

zw_status zr_lane_along_open(zr_bench *bench, const int64_t *member, const double *state,
                             zr_lane_along **out)
{
    const zw_model *model = bench->sim->model;
    zr_lane_along *a = *out = ZB_NEW(&bench->arena, zr_lane_along);
    if (!a) return bench->arena.failure;
    *a = (zr_lane_along){.bench = bench, .member = member};
    a->watch = (zr_lane_watch){a, seat_in_lane, pass_lanes, keep_of_lane};
    a->width = zr_choose_crowd(model, bench->settings, bench->settings->from);
    a->size = zr_crowd_size(model);
    size_t row = zb_product((size_t)a->width, (size_t)a->size);
    size_t starts = zb_product((size_t)bench->members->count, 2 * (size_t)model->zm->n);
    a->node = ZB_NEW_ARRAY(&bench->arena, double, zb_product(zr_along_nodes, row));
    a->shown = ZB_NEW_ARRAY(&bench->arena, double, row);
    double *copy = ZB_NEW_ARRAY(&bench->arena, double, starts);
    if (bench->arena.failure != ZW_OK) return bench->arena.failure;
    memcpy(copy, state, sizeof *copy * starts);
    a->state = copy;
    for (int32_t l = 0; l < a->width; l++) ZB_TRY(open_look(a, l));
    return ZW_OK;
}

void zr_lane_along_close(zr_lane_along *a)
{
    for (int32_t l = 0; a && l < a->width; l++) zr_sim_free(a->look[l].bench.sim);
}

const zr_lane_watch *zr_lane_along_watch(zr_lane_along *a)
{
    return &a->watch;
}
