/*
 * Ranks and degrees of freedom of check: random frameworks of points and bars with whole numbers as
 * coordinates, generic, in a plane and flat, of 20 to 600 coordinates, against ranks of the
 * rigidity matrix modulo a prime (the rank of whole numbers but for chance); trees of bodies with
 * long levers and unequal masses. What is not certain is a range with the right number in it.
 */
#include "../../slow.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t prime = 2147483647;
enum { MOST_POINTS = 300, MOST_BARS = 400 };

static uint64_t seed;

static int draw(int low, int high) /* both included */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((seed >> 33) % (uint64_t)(high - low + 1));
}

/* ----------------------------------------------------------------------- frameworks */

/* Points 1 .. count; a bar to point 0 ends at the fixed place 0. */
typedef struct framework {
    int space, count, bars;
    int64_t x[MOST_POINTS + 1][3];
    int a[MOST_BARS], b[MOST_BARS];
} framework;

static framework *draw_framework(bool flat)
{
    framework *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->space = draw(2, 3);
    f->count = flat ? draw(10, 80) : draw(7, 600 / f->space);
    int loops = draw(0, 2) == 0 ? draw(1, f->count / 4) : 0;
    for (int i = 1; i <= f->count; i++) {
        int parent = draw(0, 2) ? i - 1 : draw(0, i - 1);
        f->x[i][0] = f->x[parent][0] + draw(1, 5);
        for (int k = 1; k < f->space; k++) f->x[i][k] = flat ? 0 : draw(-9, 9);
        f->a[f->bars] = parent;
        f->b[f->bars++] = i;
    }
    for (int k = 0; k < loops; k++) {
        int b = draw(2, f->count), a = draw(0, b - 1);
        bool known = f->x[a][0] == f->x[b][0];
        for (int i = 0; i < f->bars; i++) known = known || (f->a[i] == a && f->b[i] == b);
        if (known) continue;
        f->a[f->bars] = a;
        f->b[f->bars++] = b;
    }
    return f;
}

static void write_framework(const framework *f, FILE *out)
{
    int s = f->space;
    (void)fprintf(out, "coord p[%d, %d]\nfor i in 1..%d { kinetic dot(p[i]', p[i]')/2 }\n",
                  f->count, s, f->count);
    for (int i = 0; i < f->bars; i++) {
        int64_t length = 0;
        for (int k = 0; k < s; k++) {
            int64_t d = f->x[f->b[i]][k] - f->x[f->a[i]][k];
            length += d * d;
        }
        char other[40] = "";
        if (f->a[i] > 0) (void)snprintf(other, sizeof other, " - p[%d]", f->a[i]);
        (void)fprintf(out, "constraint bar%d: dot(p[%d]%s, p[%d]%s) = %lld\n", i, f->b[i], other,
                      f->b[i], other, (long long)length);
    }
    for (int i = 1; i <= f->count; i++) {
        (void)fprintf(out, "start p[%d] = [", i);
        for (int k = 0; k < s; k++)
            (void)fprintf(out, "%s%lld", k > 0 ? ", " : "", (long long)f->x[i][k]);
        (void)fprintf(out, "]\n");
    }
}

/* ------------------------------------------------------------------ ranks by arithmetic */

static int64_t power(int64_t x, int64_t e)
{
    int64_t y = 1;
    for (x = (x % prime + prime) % prime; e > 0; e >>= 1, x = x * x % prime)
        if (e & 1) y = y * x % prime;
    return y;
}

/* The rank of A [m][n] modulo the prime; A is destroyed. */
static int rank_of(int64_t *A, int m, int n)
{
    int rank = 0;
    for (int j = 0; j < n && rank < m; j++) {
        int pivot = rank;
        while (pivot < m && A[pivot * n + j] == 0) pivot++;
        if (pivot == m) continue;
        for (int k = 0; k < n; k++) {
            int64_t y = A[rank * n + k];
            A[rank * n + k] = A[pivot * n + k];
            A[pivot * n + k] = y;
        }
        int64_t by = power(A[rank * n + j], prime - 2);
        for (int i = rank + 1; i < m; i++) {
            int64_t c = A[i * n + j] * by % prime;
            for (int k = j; k < n && c != 0; k++)
                A[i * n + k] = (A[i * n + k] + (prime - c) * A[rank * n + k]) % prime;
        }
        rank++;
    }
    return rank;
}

/* At the points as they are, or anywhere (other lengths of the bars). */
static int rank_of_framework(const framework *f, bool anywhere)
{
    int s = f->space, n = s * f->count;
    int64_t *A = calloc((size_t)f->bars * (size_t)n, sizeof *A), x[MOST_POINTS + 1][3];
    assert_non_null(A);
    memcpy(x, f->x, sizeof x);
    for (int i = 1; i <= f->count && anywhere; i++)
        for (int k = 0; k < s; k++) x[i][k] = draw(-1000000, 1000000);
    for (int i = 0; i < f->bars; i++)
        for (int k = 0; k < s; k++) {
            int64_t d = ((x[f->b[i]][k] - x[f->a[i]][k]) % prime + prime) % prime;
            A[i * n + s * (f->b[i] - 1) + k] = d;
            if (f->a[i] > 0) A[i * n + s * (f->a[i] - 1) + k] = (prime - d) % prime;
        }
    int rank = rank_of(A, f->bars, n);
    free(A);
    return rank;
}

/* ----------------------------------------------------------------------- comparison */

/* The number, or the k-th of a pair, behind a name of the report. */
static int read_field(const bench *b, const char *name, int k)
{
    char key[40];
    (void)snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(b->report, key);
    assert_non_null(at);
    at += strlen(key);
    if (*at == '[') at++;
    for (; k > 0; k--) at = strchr(at, ',') + 1;
    return (int)strtol(at, NULL, 10);
}

/* Checks a model; its ranks at the start, at least and at most. */
static void read_ranks(const char *text, int rank[3], int *n)
{
    bench b;
    bench_open(&b, text);
    assert_int_equal(bench_check(&b, false, ZW_REPORT_JSON), ZW_OK);
    *n = b.n;
    rank[0] = read_field(&b, "rank_at_start", 0);
    rank[1] = read_field(&b, "rank_range", 0);
    rank[2] = read_field(&b, "rank_range", 1);
    assert_int_equal(b.n - rank[1], read_field(&b, "dof_range", 1));
    assert_int_equal(b.n - rank[2], read_field(&b, "dof_range", 0));
    bench_close(&b);
}

static void random_frameworks(void **state)
{
    (void)state;
    int sure = 0, open = 0, all = unless_slow(60, 10);
    seed = 3;
    for (int i = 0; i < all; i++) {
        framework *f = draw_framework(i % 2 == 1);
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        int rank[3], n;
        assert_non_null(out);
        write_framework(f, out);
        (void)fclose(out);
        read_ranks(text, rank, &n);
        int here = rank_of_framework(f, false), most = rank_of_framework(f, true);
        bool right = rank[0] == here && rank[1] >= here && rank[2] <= most && rank[1] <= rank[2];
        if (here == most) right = right && rank[1] == here && rank[2] == here;
        if (!right)
            fail_msg("%d, %d to %d, not %d to %d, of %d points in %d dimensions", rank[0], rank[1],
                     rank[2], here, most, f->count, f->space);
        rank[1] == rank[2] ? sure++ : open++;
        free(text);
        free(f);
    }
    assert_true(sure > all * 2 / 3);
    print_message("%d ranks certain, %d as a range\n", sure, open);
}

/* Trees of bodies have no redundant rows, however long the levers: one freedom a hinge. */
static void trees_of_bodies(void **state)
{
    (void)state;
    seed = 9;
    for (int i = 0; i < unless_slow(4, 2); i++) {
        int count = draw(10, 40), rank[3], n;
        double x[41][3] = {{0}}, lever = i % 2 ? 100 : 1;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        (void)fprintf(out, "use rigid\npart b0 = Ground()\n");
        for (int k = 1; k <= count; k++) {
            int parent = draw(0, 3) ? k - 1 : draw(0, k - 1);
            double m = pow(10, 0.01 * draw(-300, 300)), length = pow(10, 0.01 * draw(-100, 150));
            for (int c = 0; c < 3; c++) x[k][c] = x[parent][c] + length * 0.01 * draw(-100, 100);
            (void)fprintf(out,
                          "part b%d = Body(m = %.6g, J = diagonal(%.6g, %.6g, %.6g), at = [%.9g, "
                          "%.9g, %.9g])\npart j%d = Hinge(b%d, b%d, at = [%.9g, %.9g, %.9g], axis "
                          "= [%d, %d, 3])\n",
                          k, m, m * length, m * length, 1.5 * m * length, x[k][0], x[k][1], x[k][2],
                          k, parent, k, lever * x[k][0], lever * x[k][1], lever * x[k][2],
                          draw(-3, 3), draw(-3, 3));
        }
        (void)fclose(out);
        read_ranks(text, rank, &n);
        if (rank[1] != n - count || rank[2] != n - count)
            fail_msg("%d to %d for %d bodies with %d coordinates", rank[1], rank[2], count, n);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_frameworks),
                                       cmocka_unit_test(trees_of_bodies)};
    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
