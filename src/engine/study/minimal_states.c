/*
 * Minimal coordinates with names, at a state: some positions and velocities of the model determine the
 * others through the rows that hold. Rows on positions are eliminated first, each by the coordinate in
 * which it is largest; then all rows on velocities, by the same coordinates as far as they go:
 *
 *     A dq = 0                    dq = T x,             T_f = 1 of the independent f
 *     R dv + psi_q dq = 0         dv = T2 w + E x,      T2_g = 1 of the independent g,  E_g = 0
 *
 * with R the derivative of the rates psi by velocities. Exact at states that move, for redundant rows, and for
 * rows on velocities that come from none on positions: then there are more places than speeds.
 */
#include <math.h>
#include <string.h>

#include "study.h"

/* Rows under elimination, dense, with right sides behind the columns of the coordinates. */
typedef struct reduction {
    int32_t n, rows, width; /* coordinates, rows, numbers of a row */
    double *a;              /* [rows * width] */
    double *size;           /* [rows] of the largest entry at first */
    int32_t *pivot;         /* [n] the row that a coordinate was eliminated with, -1: none */
    bool *used;             /* [rows] */
    bool *kept;             /* [n] coordinates that are to stay */
} reduction;

static const double rounding = 1e-10; /* of a row, relative to its size: nothing is left of it */

/* Which rows hold for positions, which for velocities, and for accelerations all. */
static bool takes_part(const zw_sim *sim, int32_t row, zr_order order)
{
    if (sim->contacts && sim->contacts->off[row]) return false;
    zm_row_kind kind = sim->row_kind[row];
    if (order == ZR_ACCELERATION) return true;
    return order == ZR_POSITION ? kind == ZM_HOLONOMIC : kind != ZM_ACCELERATION;
}

/* Row i by its pivot in column j, and column j out of all others. */
static void eliminate_column(reduction *r, int32_t i, int32_t j)
{
    size_t width = (size_t)r->width;
    double *row = r->a + (size_t)i * width, pivot = row[j];
    for (size_t k = 0; k < width; k++) row[k] /= pivot;
    row[j] = 1.0;
    for (int32_t other = 0; other < r->rows; other++) {
        double *to = r->a + (size_t)other * width, factor = to[j];
        if (other == i || factor == 0.0) continue;
        for (size_t k = 0; k < width; k++) to[k] -= factor * row[k];
        to[j] = 0.0;
    }
    r->pivot[j] = i;
    r->used[i] = true;
}

/* The largest entry, relative to its row, of rows not used and columns that may go; false: all that
 * is left is rounding. */
static bool find_largest_entry(const reduction *r, bool kept, int32_t *row, int32_t *column)
{
    double best = rounding;
    for (int32_t i = 0; i < r->rows; i++) {
        const double *a = r->a + (size_t)i * (size_t)r->width;
        for (int32_t j = 0; j < r->n && !r->used[i]; j++) {
            if (r->kept[j] != kept || r->pivot[j] >= 0) continue;
            if (fabs(a[j]) <= best * r->size[i]) continue;
            best = fabs(a[j]) / r->size[i];
            *row = i, *column = j;
        }
    }
    return best > rounding;
}

/* For each coordinate of first [n] that a reduction before has eliminated: the largest of its column. */
static void eliminate_same(reduction *r, const int32_t *first)
{
    for (int32_t j = 0; first && j < r->n; j++) {
        int32_t best = -1;
        for (int32_t i = 0; first[j] >= 0 && i < r->rows; i++) {
            double x = fabs(r->a[(size_t)i * (size_t)r->width + (size_t)j]);
            if (!r->used[i] && x > rounding * r->size[i] &&
                (best < 0 ||
                 x / r->size[i] >
                     fabs(r->a[(size_t)best * (size_t)r->width + (size_t)j]) / r->size[best]))
                best = i;
        }
        if (best >= 0) eliminate_column(r, best, j);
    }
}

/* The coordinates that are to stay go only where others do not suffice; *gone: the first of them. */
static void reduce_rows(reduction *r, int32_t *gone)
{
    int32_t i = 0, j = 0;
    while (find_largest_entry(r, false, &i, &j)) eliminate_column(r, i, j);
    while (find_largest_entry(r, true, &i, &j)) {
        if (*gone < 0) *gone = j;
        eliminate_column(r, i, j);
    }
}

/* Memory for the rows of one sort and their entries; right: numbers behind a row. */
static zw_status open_reduction(zr_vary *vary, zb_arena *arena, zr_order order, int32_t right,
                                reduction *r)
{
    const zw_sim *sim = vary->sim;
    const zr_pattern *A = &sim->model->A;
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    *r = (reduction){.n = sim->zm->n, .width = sim->zm->n + right};
    r->a = ZB_NEW_ARRAY(arena, double, zb_product(m + 1, (size_t)r->width));
    r->size = ZB_NEW_ARRAY(arena, double, m + 1);
    r->pivot = ZB_NEW_ARRAY(arena, int32_t, n);
    r->used = ZB_NEW_ARRAY(arena, bool, m + 1);
    r->kept = ZB_NEW_ARRAY(arena, bool, n);
    if (arena->failure != ZW_OK) return arena->failure;
    for (size_t j = 0; j < n; j++) r->pivot[j] = -1;
    for (int32_t i = 0; i < A->rows; i++) {
        if (!takes_part(sim, i, order)) continue;
        double *row = r->a + (size_t)r->rows * (size_t)r->width;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            row[A->column[p]] = sim->A[p];
            r->size[r->rows] = fmax(r->size[r->rows], fabs(sim->A[p]));
        }
        r->used[r->rows] = !(r->size[r->rows] > 0.0);
        r->rows++;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------ results */

/* Coordinates without a pivot into list [n]; how many. */
static int32_t list_independent(const reduction *r, int32_t *list)
{
    int32_t count = 0;
    for (int32_t j = 0; j < r->n; j++)
        if (r->pivot[j] < 0) list[count++] = j;
    return count;
}

/* Row k of T [count * n]: coordinate list[k] moves by 1, and the others follow. */
static void write_dependence(const reduction *r, const int32_t *list, int32_t count, double *T)
{
    for (int32_t k = 0; k < count; k++) {
        double *row = T + (size_t)k * (size_t)r->n;
        row[list[k]] = 1.0;
        for (int32_t j = 0; j < r->n; j++)
            if (r->pivot[j] >= 0)
                row[j] = -r->a[(size_t)r->pivot[j] * (size_t)r->width + (size_t)list[k]];
    }
}

/* psi_q T: column n + k of each row on velocities, the rate along place k. */
static void add_rates_of_places(zr_vary *vary, const zr_minimal *minimal, reduction *r)
{
    zw_sim *sim = vary->sim;
    int32_t m = sim->zm->m;
    for (int32_t k = 0; k < minimal->places; k++) {
        zr_direction d = {.q = minimal->T + (size_t)k * (size_t)minimal->n};
        zr_vary_along(vary, &d);
        memset(vary->dlevel, 0, sizeof *vary->dlevel * 4 * (size_t)m);
        zr_vary_evaluate(vary, ZR_VARY_RATES, NULL, vary->dlevel);
        for (int32_t i = 0, row = 0; i < m; i++) {
            if (!takes_part(sim, i, ZR_VELOCITY)) continue;
            r->a[(size_t)row * (size_t)r->width + (size_t)(r->n + k)] = vary->dlevel[m + i];
            row++;
        }
    }
}

static void write_speeds_of_places(const reduction *r, zr_minimal *minimal)
{
    for (int32_t k = 0; k < minimal->places; k++)
        for (int32_t j = 0; j < r->n; j++)
            if (r->pivot[j] >= 0)
                minimal->E[(size_t)k * (size_t)r->n + (size_t)j] =
                    -r->a[(size_t)r->pivot[j] * (size_t)r->width + (size_t)(r->n + k)];
}

/* E0738: the rows determine a coordinate that was to be a state. */
static zw_status report_dependent(zr_vary *vary, const reduction *r, int32_t gone)
{
    zw_sim *sim = vary->sim;
    zb_text text, help;
    zb_text_init(&text, sim->memory);
    zb_text_init(&help, sim->memory);
    zb_text_add(&text, "the states asked for are not independent: the constraints determine `");
    zm_coordinate_text(sim->zm, gone, &text);
    zb_text_add(&text, "` from the others");
    zb_text_add(&help, "independent are, for example,");
    for (int32_t j = 0, count = 0; j < r->n; j++) {
        if (r->pivot[j] >= 0) continue;
        zb_text_add(&help, count++ > 0 ? ", " : " ");
        zm_coordinate_text(sim->zm, j, &help);
    }
    zw_status status = zr_refuse_study(sim, "E0738", zb_text_string(&help), &text, ZW_ERR_SETTING);
    zb_text_free(&help);
    return status;
}

static zw_status find_places(zr_vary *vary, zb_arena *arena, const int32_t *wanted, int32_t count,
                             zr_minimal *minimal, reduction *r)
{
    int32_t gone = -1;
    size_t n = (size_t)minimal->n;
    ZB_TRY(open_reduction(vary, arena, ZR_POSITION, 0, r));
    for (int32_t k = 0; k < count; k++) r->kept[wanted[k]] = true;
    reduce_rows(r, &gone);
    if (gone >= 0) return report_dependent(vary, r, gone);
    minimal->places = list_independent(r, minimal->place);
    minimal->T = ZB_NEW_ARRAY(arena, double, zb_product((size_t)minimal->places, n));
    minimal->E = ZB_NEW_ARRAY(arena, double, zb_product((size_t)minimal->places, n));
    if (arena->failure != ZW_OK) return arena->failure;
    write_dependence(r, minimal->place, minimal->places, minimal->T);
    return ZW_OK;
}

zw_status zr_find_minimal(zr_vary *vary, zb_arena *arena, const int32_t *wanted, int32_t count,
                          zr_minimal *minimal)
{
    reduction positions, velocities;
    size_t n = (size_t)vary->sim->zm->n;
    int32_t gone = -1;
    *minimal = (zr_minimal){.n = vary->sim->zm->n};
    minimal->place = ZB_NEW_ARRAY(arena, int32_t, n);
    minimal->speed = ZB_NEW_ARRAY(arena, int32_t, n);
    if (arena->failure != ZW_OK) return arena->failure;
    ZB_TRY(find_places(vary, arena, wanted, count, minimal, &positions));
    ZB_TRY(open_reduction(vary, arena, ZR_VELOCITY, minimal->places, &velocities));
    for (int32_t k = 0; k < count; k++) velocities.kept[wanted[k]] = true;
    add_rates_of_places(vary, minimal, &velocities);
    eliminate_same(&velocities, positions.pivot);
    reduce_rows(&velocities, &gone); /* rows on velocities may determine what is a place */
    minimal->speeds = list_independent(&velocities, minimal->speed);
    minimal->T2 = ZB_NEW_ARRAY(arena, double, zb_product((size_t)minimal->speeds, n));
    if (arena->failure != ZW_OK) return arena->failure;
    write_dependence(&velocities, minimal->speed, minimal->speeds, minimal->T2);
    write_speeds_of_places(&velocities, minimal);
    return ZW_OK;
}

/* ---------------------------------------------------------- virtual displacements */

/* x [n] without its parts along the first `count` rows of N, in M; then of length 1. */
static void make_orthonormal(const zw_sim *sim, const double *N, int32_t count, double *x,
                             double *scratch)
{
    size_t n = (size_t)sim->zm->n;
    for (int round = 0; round < 2; round++) {
        for (int32_t k = 0; k < count; k++) {
            const double *row = N + (size_t)k * n;
            double product = 0.0;
            memset(scratch, 0, sizeof *scratch * n);
            zr_multiply_mass(sim, sim->M, row, 1.0, scratch);
            for (size_t j = 0; j < n; j++) product += scratch[j] * x[j];
            for (size_t j = 0; j < n; j++) x[j] -= product * row[j];
        }
    }
    double square = 0.0;
    memset(scratch, 0, sizeof *scratch * n);
    zr_multiply_mass(sim, sim->M, x, 1.0, scratch);
    for (size_t j = 0; j < n; j++) square += scratch[j] * x[j];
    double length = square > 0.0 ? sqrt(square) : 1.0;
    for (size_t j = 0; j < n; j++) x[j] /= length;
}

zw_status zr_find_virtual(zr_vary *vary, zb_arena *arena, double **basis, int32_t *count)
{
    reduction r;
    size_t n = (size_t)vary->sim->zm->n;
    int32_t gone = -1, *list = ZB_NEW_ARRAY(arena, int32_t, n);
    double *scratch = ZB_NEW_ARRAY(arena, double, n);
    if (arena->failure != ZW_OK) return arena->failure;
    ZB_TRY(open_reduction(vary, arena, ZR_ACCELERATION, 0, &r));
    reduce_rows(&r, &gone);
    *count = list_independent(&r, list);
    *basis = ZB_NEW_ARRAY(arena, double, zb_product((size_t)*count, n) + 1);
    if (arena->failure != ZW_OK) return arena->failure;
    write_dependence(&r, list, *count, *basis);
    for (int32_t k = 0; k < *count; k++)
        make_orthonormal(vary->sim, *basis, k, *basis + (size_t)k * n, scratch);
    return ZW_OK;
}
