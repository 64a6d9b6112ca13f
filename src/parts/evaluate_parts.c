/*
 * Evaluating the programs of a plan over the groups of its classes: accelerations, corrections, how
 * far rows are off.
 *
 *     down   for each group: reads from neighbours, one program; its outputs are the shares
 *     sum    shares of the rows between into their matrix, which is solved (matrix.h)
 *     back   for each group: multipliers of its outer rows, one program; its outputs are z
 *
 * A state in the caller's order is packed group by group, where it is used: it goes through the
 * nearest cache only. Groups do not depend on each other: a team takes them in chunks. Nothing is
 * allocated.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plan_parts.h"

/* One *pass*: one stage of a purpose over all groups. */
typedef struct pass {
    ze_parts_plan *plan;
    const ze_state *s;
    ze_purpose purpose;
    enum { DOWN, BACK, MEASURE } stage;
    int order;     /* MEASURE: 0 positions, 1 velocities */
    bool full;     /* BACK: with the multipliers of inner rows */
    bool unpacked; /* q, v and z are in the caller's order */
    double *z;     /* BACK: where z goes; of REFINED also z of before */
} pass;

/* --------------------------------------------------------------------------------------- reads */

/* to [width] from places of an array; the two widths apart, so that each is unrolled. */
static inline void gather_lanes(double *to, const double *from, const int32_t *place, int32_t width)
{
    if (width == 4) /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): outside is there */
        for (int k = 0; k < 4; k++) to[k] = from[place[k]];
    else /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        for (int k = 0; k < 8; k++) to[k] = from[place[k]];
}

/* What down has stored of a group. */
static double *stored_of(const ze_parts_plan *plan, const ze_class *c, int32_t g)
{
    size_t width = (size_t)plan->width, record = (size_t)c->out_step * width;
    return plan->out + c->out_at + (size_t)g * record + (size_t)ze_stored_at(c) * width;
}

/* The first `count` numbers that a program reads from elsewhere, into `to`. What is carried follows
 * what is stored. */
static void read_from_elsewhere(const pass *x, const ze_class *c, const ze_code *code, int32_t g,
                                int32_t count, double *to)
{
    const ze_parts_plan *plan = x->plan;
    int32_t width = plan->width;
    size_t step = (size_t)width, bytes = sizeof *to * step;
    const int32_t *halo = x->unpacked ? c->halo_from : c->halo;
    halo += (size_t)g * (size_t)c->counts.halo * step;
    const int32_t *outside = /* there is none without rows between */
        c->outside ? c->outside + (size_t)g * (size_t)c->outer * step : NULL;
    const double *answers = plan->matrix ? ze_matrix_answers(plan->matrix) : NULL;
    size_t carried = (size_t)c->programs.solve[ZE_DAMPED].stored * step;
    for (int32_t k = 0; k < count; k++, to += step) {
        int32_t index = code->reads[k].index;
        size_t at = (size_t)index * step;
        switch ((ze_read_kind)code->reads[k].kind) {
        case ZE_READ_POSITION:
            gather_lanes(to, x->s->q, halo + at, width);
            break;
        case ZE_READ_VELOCITY:
            gather_lanes(to, x->s->v, halo + at, width);
            break;
        case ZE_READ_OUTER:
            gather_lanes(to, answers, outside + at, width);
            break;
        case ZE_READ_STORED:
            memcpy(to, stored_of(plan, c, g) + at, bytes);
            break;
        case ZE_READ_CARRIED:
            memcpy(to, stored_of(plan, c, g) + carried + at, bytes);
            break;
        case ZE_READ_Z:
        case ZE_READ_LAMBDA:
            break;
        }
    }
}

/* Where the reads of a program are. Where what down has stored comes last, it is read where it
 * stands: the others are put before it, over shares that have been summed by then. */
static const double *take_reads(const pass *x, const ze_class *c, const ze_code *code, int32_t g,
                                double *reads)
{
    int32_t count = code->read_count, others = 0;
    bool last = count > 0 && code->reads[count - 1].kind >= ZE_READ_STORED;
    while (others < count && code->reads[others].kind < ZE_READ_STORED) others++;
    if (!last || others > ze_stored_at(c)) {
        read_from_elsewhere(x, c, code, g, count, reads);
        return reads;
    }
    double *to = stored_of(x->plan, c, g) - (size_t)others * (size_t)x->plan->width;
    read_from_elsewhere(x, c, code, g, others, to);
    return to;
}

/* ------------------------------------------------------------------------- groups */

/* The own coordinates of a group as a program reads them: where they are, or packed. */
static const double *own_state(const pass *x, const ze_class *c, const ze_code *code, int32_t g,
                               zx_op kind, double *scratch)
{
    const double *from = kind == ZX_POSITION ? x->s->q : x->s->v;
    size_t own = (size_t)c->counts.own * (size_t)x->plan->width;
    if (!x->unpacked) return from + (size_t)c->state_at + (size_t)g * own;
    scratch += kind == ZX_POSITION ? 0 : own;
    if (zk_reads(code->program, kind)) ze_pack_group(x->plan, c, g, from, scratch);
    return scratch;
}

/* One program over group g: where each kind of its leaves stands, then the kernel. */
static void evaluate_code(const pass *x, const ze_class *c, const ze_code *code, int32_t g,
                          const ze_worker_scratch *scratch, double *out)
{
    const ze_parts_plan *plan = x->plan;
    size_t width = (size_t)plan->width;
    size_t own = (size_t)c->state_at + (size_t)g * (size_t)c->counts.own * width;
    size_t inner = (size_t)c->inner_at + (size_t)g * (size_t)c->counts.inner * width;
    bool state = x->purpose != ZE_REFINED; /* else z and lambda of before */
    zk_frame frame = {.time = plan->time,
                      .position = state ? own_state(x, c, code, g, ZX_POSITION, scratch->state)
                                        : x->z + own,
                      .velocity = state ? own_state(x, c, code, g, ZX_VELOCITY, scratch->state)
                                        : plan->inner + inner,
                      .acceleration = c->uniform,
                      .value = c->packed + (size_t)g * (size_t)c->programs.packed * width,
                      .measure = take_reads(x, c, code, g, scratch->reads),
                      .out = out,
                      .workspace = scratch->workspace};
    zk_evaluate_frame(code->program, plan->width, x->s->evaluator, &frame);
}

/* *found becomes the least of it and x [width]; a NaN stays. */
static void lower_to_least(const double *x, int32_t width, double *found)
{
    for (int32_t k = 0; k < width; k++)
        if (x[k] < *found || x[k] != x[k]) *found = x[k];
}

/* The same for the largest. */
static void raise_to_largest(const double *x, int32_t width, double *found)
{
    for (int32_t k = 0; k < width; k++) *found = zb_larger(*found, x[k]);
}

/* Down of the groups of a chunk; found[0] is their least margin. */
static void eliminate_chunk(const pass *x, const ze_class *c, ze_class_chunk *chunk,
                            const ze_worker_scratch *scratch)
{
    const ze_parts_plan *plan = x->plan;
    const ze_code *code = &c->programs.solve[x->purpose].down;
    size_t width = (size_t)plan->width, record = (size_t)c->out_step * width;
    bool again = x->purpose == ZE_REFINED; /* with the factor that is there: no margins */
    size_t begin = again ? (size_t)ze_carried_at(c) * width : 0;
    chunk->found[0] = DBL_MAX;
    if (!code->program) return;
    for (int32_t g = chunk->from; g < chunk->to; g++) {
        double *out = plan->out + c->out_at + (size_t)g * record;
        evaluate_code(x, c, code, g, scratch, out + begin);
        if (!again)
            lower_to_least(out + (size_t)ze_margin_at(c) * width, plan->width, &chunk->found[0]);
    }
}

/* Outputs z and lambda stand one behind the other; they go to different places. */
static void spread_answers(const pass *x, const ze_class *c, int32_t g, const double *out)
{
    size_t width = (size_t)x->plan->width, own = (size_t)c->counts.own * width;
    size_t inner = (size_t)c->counts.inner * width;
    if (x->unpacked)
        ze_unpack_group(x->plan, c, g, out, x->z);
    else
        memcpy(x->z + (size_t)c->state_at + (size_t)g * own, out, sizeof *out * own);
    if (inner > 0 && (x->full || x->purpose != ZE_ACCELERATION))
        memcpy(x->plan->inner + (size_t)c->inner_at + (size_t)g * inner, out + own,
               sizeof *out * inner);
}

/* Back of the groups of a chunk. z is written in place where nothing comes with it; measures of
 * DAMPED and REFINED go to `found`. */
static void substitute_chunk(const pass *x, const ze_class *c, ze_class_chunk *chunk,
                             const ze_worker_scratch *scratch)
{
    const ze_parts_plan *plan = x->plan;
    const ze_solve_codes *codes = &c->programs.solve[x->purpose];
    const ze_code *code = x->full ? &codes->back_full : &codes->back;
    size_t width = (size_t)plan->width, own = (size_t)c->counts.own * width;
    int measures = x->purpose == ZE_REFINED ? 4 : x->purpose == ZE_DAMPED ? 1 : 0;
    bool apart = x->full || x->unpacked || measures > 0;
    for (int32_t g = chunk->from; g < chunk->to; g++) {
        double *z = apart ? scratch->out : x->z + (size_t)c->state_at + (size_t)g * own;
        evaluate_code(x, c, code, g, scratch, z);
        if (apart) spread_answers(x, c, g, scratch->out);
        const double *found = scratch->out + own + (size_t)c->counts.inner * width;
        for (int k = 0; k < measures; k++)
            raise_to_largest(found + (size_t)k * width, plan->width, &chunk->found[k]);
    }
}

/* How far rows of the chunk are off: the largest |phi|, the largest in units, the largest distance. */
static void measure_chunk(const pass *x, const ze_class *c, ze_class_chunk *chunk,
                          const ze_worker_scratch *scratch)
{
    const ze_parts_plan *plan = x->plan;
    const ze_code *code = &c->programs.violation[x->order];
    if (!code->program) return;
    for (int32_t g = chunk->from; g < chunk->to; g++) {
        evaluate_code(x, c, code, g, scratch, scratch->out);
        for (int k = 0; k < zk_output_count(code->program); k++)
            raise_to_largest(scratch->out + k * plan->width, plan->width, &chunk->found[k]);
    }
}

/* One stage over a chunk: a task of zb_team_do. */
static void evaluate_chunk(void *user, int32_t k, int32_t worker)
{
    const pass *x = user;
    ze_class_chunk *chunk = &x->plan->chunks[k];
    const ze_class *c = &x->plan->classes[chunk->class];
    const ze_worker_scratch *scratch = &x->plan->scratch[worker];
    memset(chunk->found, 0, sizeof chunk->found);
    (x->stage == DOWN   ? eliminate_chunk
     : x->stage == BACK ? substitute_chunk
                        : measure_chunk)(x, c, chunk, scratch);
}

/* One stage over all chunks, by the team where it pays and is no larger than was planned for. */
static void evaluate_pass(pass *x)
{
    ze_parts_plan *plan = x->plan;
    bool team = plan->busy && x->s->team && zb_team_size(x->s->team) <= plan->workers;
    if (team) {
        zb_team_do(x->s->team, evaluate_chunk, x, plan->chunk_count);
        return;
    }
    for (int32_t k = 0; k < plan->chunk_count; k++) evaluate_chunk(x, k, 0);
}

/* The largest of what all chunks have found, number k of it. */
static double largest_found(const ze_parts_plan *plan, int k)
{
    double all = 0.0;
    for (int32_t c = 0; c < plan->chunk_count; c++)
        raise_to_largest(&plan->chunks[c].found[k], 1, &all);
    return all;
}

/* -------------------------------------------------------------------------------------- solves */

/* Time, the bound of pivots and damping, for all lanes. */
static void set_uniform(ze_parts_plan *plan, const ze_state *s, double least, double damping)
{
    for (int32_t k = 0; k < plan->width; k++) plan->time[k] = s->t;
    for (int32_t c = 0; c < plan->class_count; c++)
        for (int32_t k = 0; k < plan->width; k++) {
            plan->classes[c].uniform[ze_least * plan->width + k] = least;
            plan->classes[c].uniform[ze_damping * plan->width + k] = damping;
        }
}

/* Sums up the matrix of the rows between and solves it; false: a pivot is not above `least` of the
 * diagonal entry that it began as. */
static bool solve_between(ze_parts_plan *plan, const ze_state *s, double least)
{
    double smallest = 0.0, ratio = DBL_MAX;
    zb_team *team = plan->busy ? s->team : NULL;
    ze_execution execution = {.evaluator = s->evaluator, .team = team};
    if (!plan->matrix) return true;
    double *inputs = ze_matrix_inputs(plan->matrix);
    ze_gather_add(&plan->entries, plan->out, inputs, team);
    ze_gather_add(&plan->sizes, plan->out, plan->size_of, team);
    for (int32_t i = 0; i < plan->between; i++) {
        double x = inputs[plan->diagonal[i]] / plan->size_of[i];
        if (!(x >= ratio)) ratio = x;
    }
    if (!(ratio > least)) return false;
    ze_matrix_solve(plan->matrix, &execution, &smallest);
    return smallest * ratio > least;
}

/* Down, then the rows between. False: a margin is not positive, or their pivots are too small. */
static bool reduce_to_between(pass *x, double least)
{
    double margin = DBL_MAX;
    x->stage = DOWN;
    evaluate_pass(x);
    for (int32_t k = 0; k < x->plan->chunk_count; k++)
        lower_to_least(&x->plan->chunks[k].found[0], 1, &margin);
    return margin > 0.0 && solve_between(x->plan, x->s, least);
}

/* Back: z from the multipliers of the rows between. */
static void finish_parts(pass *x, double *z)
{
    x->stage = BACK;
    x->z = z;
    evaluate_pass(x);
}

/* -------------------------------------------------------------- dependent rows */

/* Damping, and the bounds of refinement (NUMERICS 5): what is out of sight of A^T is amplified by
 * 1 / damping, rounding of it goes on for ever; a contradiction makes steps of lambda that do not
 * shrink.
 *
 * A correction leaves of an error e of lambda, by directions in which S is s of its diagonal,
 * damping / s of it; of z that is sqrt(s) e. So where the largest shift of lambda was t, an error
 * of z of at most t damping / sqrt(s) is left: with `tame_shift` that is below 10 eps / sqrt(s),
 * rounding, and no further correction is made to see it. Sizes of z are those it has with or
 * without rows: what rests is known to rounding of that. */
static const double damping = 1e-10, least_damped = 1e-13;
static const double small_step = 1e-13, small_shift = 0.03;
static const double tame_step = 1e-7, tame_shift = 2e-5;
static const double hopeless = 0.05; /* a first step: S is badly conditioned as well */
enum { most_refinements = 12 };

/* The multipliers of the rows between: found, or corrected by what was found. Their largest change
 * and size are added to what is known of those inside. */
static void take_between_multipliers(ze_parts_plan *plan, bool correction, double *shift,
                                     double *lambda)
{
    if (!plan->matrix) return;
    const int32_t *place = ze_matrix_answer_places(plan->matrix);
    const double *found = ze_matrix_answers(plan->matrix);
    for (int32_t i = 0; i < plan->between; i++) {
        double *to = &plan->outer[place[i]], x = found[place[i]], size;
        *to = correction ? *to + x : x;
        x = fabs(x);
        size = fabs(*to);
        raise_to_largest(&x, 1, shift);
        raise_to_largest(&size, 1, lambda);
    }
}

/* One more solve with the factors of the first: z and lambda are corrected in place. */
static void correct_damped(pass *x, double *z)
{
    ze_parts_plan *plan = x->plan;
    zb_team *team = plan->busy ? x->s->team : NULL;
    ze_execution execution = {.evaluator = x->s->evaluator, .team = team};
    x->z = z;
    if (plan->matrix) {
        x->stage = DOWN;
        evaluate_pass(x);
        ze_gather_add(&plan->rights, plan->out, ze_matrix_inputs(plan->matrix), team);
        ze_matrix_again(plan->matrix, &execution);
    }
    finish_parts(x, z);
}

/* Dependent rows: solves with a damped diagonal, then corrects by what is missing of A z = b until
 * steps are small. False: they do not become so, as rows contradict each other. */
static bool accelerate_damped(ze_parts_plan *plan, const ze_state *s, double *z)
{
    pass x = {.plan = plan, .s = s, .purpose = ZE_DAMPED};
    double shift = 0.0, lambda = 0.0;
    set_uniform(plan, s, least_damped, damping);
    if (!reduce_to_between(&x, least_damped)) return false;
    finish_parts(&x, z);
    take_between_multipliers(plan, false, &shift, &lambda);
    x.purpose = ZE_REFINED;
    double scale = largest_found(plan, 0), before = DBL_MAX;
    for (int k = 0; k < most_refinements; k++) {
        correct_damped(&x, z);
        double step = largest_found(plan, 0), size = fmax(largest_found(plan, 1), scale);
        shift = largest_found(plan, 2);
        lambda = largest_found(plan, 3);
        take_between_multipliers(plan, true, &shift, &lambda);
        if (step <= tame_step * size && shift <= tame_shift * lambda) return true;
        if (step <= small_step * size && shift <= small_shift * lambda) return true;
        if (!(step <= 0.5 * before && step <= hopeless * size))
            return step <= 16.0 * small_step * size && shift <= small_shift * lambda;
        before = step;
    }
    return false;
}

/* Independent rows: one elimination, nothing to refine. */
static bool accelerate_undamped(pass *x, const ze_task *task, double *z)
{
    x->purpose = ZE_ACCELERATION;
    x->full = task->multipliers;
    set_uniform(x->plan, x->s, task->least, 0.0);
    if (!reduce_to_between(x, task->least)) return false;
    finish_parts(x, z);
    return true;
}

bool ze_accelerate(ze_parts_plan *plan, const ze_state *s, const ze_task *task, double *z)
{
    pass x = {.plan = plan, .s = s};
    return plan->dependent ? accelerate_damped(plan, s, z) : accelerate_undamped(&x, task, z);
}

bool ze_accelerate_unpacked(ze_parts_plan *plan, const ze_state *s, const ze_task *task, double *z)
{
    pass x = {.plan = plan, .s = s, .unpacked = true};
    return !plan->dependent && accelerate_undamped(&x, task, z);
}

/* Damped where rows depend on each other; not refined, as it is repeated anyway. */
bool ze_correct(ze_parts_plan *plan, const ze_state *s, int order, double least, double *change)
{
    pass x = {.plan = plan, .s = s, .purpose = order == 0 ? ZE_POSITIONS : ZE_VELOCITIES};
    double bound = plan->dependent ? least_damped : least;
    set_uniform(plan, s, bound, plan->dependent ? damping : 0.0);
    if (!reduce_to_between(&x, bound)) return false;
    finish_parts(&x, change);
    return true;
}

void ze_measure_violation(ze_parts_plan *plan, const ze_state *s, int order, ze_violation *off)
{
    pass x = {.plan = plan, .s = s, .stage = MEASURE, .order = order};
    set_uniform(plan, s, 0.0, 0.0);
    evaluate_pass(&x);
    *off = (ze_violation){.size = largest_found(plan, 0),
                          .units = largest_found(plan, 1),
                          .distance = largest_found(plan, 2)};
}

/* -------------------------------------------------------------------------------------- values */

/* Always by byte code: preludes have no machine code. */
static void evaluate_prelude(ze_parts_plan *plan, const ze_code *code, double *out)
{
    zk_frame frame = {.time = plan->time,
                      .value = plan->scratch[0].reads,
                      .out = out,
                      .workspace = plan->scratch[0].workspace};
    zk_evaluate_frame(code->program, plan->width, ZK_BYTE_CODE, &frame);
}

/* Gathers the values of the parts group by group and evaluates the preludes over them. Uniform
 * values are those of the first group. */
static void set_class_values(ze_parts_plan *plan, const ze_class *c, const double *values)
{
    size_t width = (size_t)plan->width;
    double *to = plan->scratch[0].reads;
    int32_t groups = c->programs.prelude.program ? c->groups : 1;
    for (int32_t g = 0; g < groups; g++) {
        for (int32_t k = 0; k < plan->width; k++) {
            int32_t part = g * plan->width + k < c->parts ? g * plan->width + k : c->parts - 1;
            const int32_t *at = c->values + (size_t)part * (size_t)c->value_count;
            for (int32_t v = 0; v < c->value_count; v++)
                to[(size_t)v * width + (size_t)k] =
                    at[v] < 0 ? plan->numbers[~at[v]] : values[at[v]];
        }
        if (g == 0 && c->programs.uniform_prelude.program)
            evaluate_prelude(plan, &c->programs.uniform_prelude,
                             c->uniform + ze_uniform_count * width);
        if (c->programs.prelude.program)
            evaluate_prelude(plan, &c->programs.prelude,
                             c->packed + (size_t)g * (size_t)c->programs.packed * width);
    }
}

void ze_set_values(ze_parts_plan *plan, const double *values)
{
    for (int32_t c = 0; c < plan->class_count; c++)
        set_class_values(plan, &plan->classes[c], values);
}
