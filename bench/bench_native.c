/*
 * Machine code on random arithmetic: nanoseconds an operation of the byte code, of our machine code
 * on one number, four and eight (for each of them), and of the same operations as C, compiled by
 * gcc -O2; and the microseconds an operation that making our code takes, its test included. Medians
 * of CPU time within one run.
 *
 *   bench_native [LARGEST [gcc]]     programs up to LARGEST operations (100000)
 *
 * Compilers of C take longer than in proportion to the length of a function. Programs of more than
 * WHOLE operations are therefore given to them in functions of PIECE, between which values pass
 * through an array; without the word gcc large programs are not given to them at all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <unistd.h>

#include "native.h"
#include "random_program.h"

enum { WHOLE = 12000, PIECE = 2000 };

typedef void (*compiled_c)(const double *position, double *values, double *out);

/* ------------------------------------------------------------ by a compiler */

/* Values of other functions come from the array; `seen` says which are there already. */
static void write_operand(FILE *file, int32_t node, int32_t from, bool *seen)
{
    if (node >= from || seen[node]) return;
    seen[node] = true;
    if (node < RANDOM_LEAVES)
        fprintf(file, "double v%d = p[%d];\n", (int)node, (int)node);
    else
        fprintf(file, "double v%d = v[%d];\n", (int)node, (int)node);
}

/* The last user of each node; the node itself when there is none. */
static int32_t *last_users(const random_program *p)
{
    int32_t *last = random_allocate((size_t)p->pool.count, sizeof(int32_t));
    for (int32_t i = 0; i < p->pool.count; i++) {
        last[i] = i;
        if (i >= RANDOM_LEAVES) last[p->pool.items[i].a] = last[p->pool.items[i].b] = i;
    }
    return last;
}

/* The nodes [from, to) as a function. Those that later ones use go into the array. */
static void write_piece(const random_program *p, FILE *file, int32_t from, int32_t to,
                        const int32_t *last)
{
    static const char sign[ZX_OP_COUNT] = {[ZX_ADD] = '+', [ZX_SUB] = '-', [ZX_MUL] = '*'};
    bool *seen = random_allocate((size_t)p->pool.count, sizeof(bool));
    memset(seen, 0, (size_t)p->pool.count);
    fprintf(file, "static void f%d(const double *restrict p, double *restrict v, ", (int)from);
    fprintf(file, "double *restrict out)\n{\n");
    for (int32_t i = from; i < to; i++) {
        const zx_item *item = &p->pool.items[i];
        write_operand(file, item->a, from, seen);
        write_operand(file, item->b, from, seen);
        fprintf(file, "double v%d = v%d %c v%d;\n", (int)i, (int)item->a, sign[item->op],
                (int)item->b);
        if (last[i] >= to) fprintf(file, "v[%d] = v%d;\n", (int)i, (int)i);
    }
    for (int32_t i = 0; i < p->root_count; i++)
        if (p->roots[i] >= from && p->roots[i] < to)
            fprintf(file, "out[%d] = v%d;\n", (int)i, (int)p->roots[i]);
    fprintf(file, "}\n");
    free(seen);
}

static void write_c(const random_program *p, FILE *file)
{
    int32_t end = p->pool.count, *last = last_users(p), piece = end > WHOLE ? PIECE : WHOLE;
    for (int32_t from = RANDOM_LEAVES; from < end; from += piece)
        write_piece(p, file, from, end - from > piece ? from + piece : end, last);
    free(last);
    fprintf(file, "void f(const double *p, double *v, double *out)\n{\n");
    for (int32_t from = RANDOM_LEAVES; from < end; from += piece)
        fprintf(file, "f%d(p, v, out);\n", (int)from);
    fprintf(file, "}\n");
}

/* NULL when there is no such compiler. */
static compiled_c by_compiler(const random_program *p)
{
    char folder[] = "/tmp/bench_native_XXXXXX", source[64], library[64], command[256];
    if (!mkdtemp(folder)) return NULL;
    snprintf(source, sizeof source, "%s/f.c", folder);
    snprintf(library, sizeof library, "%s/f.so", folder);
    FILE *file = fopen(source, "w");
    if (!file) return NULL;
    write_c(p, file);
    fclose(file);
    snprintf(command, sizeof command, "gcc -O2 -ffp-contract=off -fPIC -shared %s -o %s", source,
             library);
    void *handle = system(command) == 0 ? dlopen(library, RTLD_NOW) : NULL;
    unlink(source), unlink(library), rmdir(folder);
    void *symbol = handle ? dlsym(handle, "f") : NULL;
    compiled_c function = NULL;
    if (symbol) memcpy(&function, &symbol, sizeof function);
    return function;
}

/* ------------------------------------------------------------------ timing */

typedef struct runner {
    const random_program *random;
    zk_program *program;
    zk_frame frame;
    int32_t width;
    zk_evaluator evaluator;
    compiled_c function; /* NULL: the program */
    double *values;
} runner;

static void run(const runner *r)
{
    if (r->function)
        r->function(r->frame.position, r->values, r->frame.out);
    else
        zk_evaluate_frame(r->program, r->width, r->evaluator, &r->frame);
}

/* Seconds of one run, for all lanes together. */
static double run_time(const runner *r)
{
    double times[RANDOM_REPEATS];
    int32_t rounds = 1 + 1000000 / r->random->pool.count;
    run(r);
    for (int k = 0; k < RANDOM_REPEATS; k++) {
        double start = random_seconds();
        for (int32_t i = 0; i < rounds; i++) run(r);
        times[k] = (random_seconds() - start) / rounds;
    }
    return random_median(times);
}

static double make_time(random_program *p, zk_program *program, int32_t width)
{
    double times[RANDOM_REPEATS];
    int32_t rounds = 1 + 20000 / p->pool.count;
    for (int k = 0; k < RANDOM_REPEATS; k++) {
        double start = random_seconds();
        for (int32_t i = 0; i < rounds; i++) {
            zk_native *native;
            zk_native_report report;
            zk_make_native(&p->memory, &program, 1, width, &native, &report);
            zk_native_free(native);
        }
        times[k] = (random_seconds() - start) / rounds;
    }
    return random_median(times);
}

/* --------------------------------------------------------------- measuring */

typedef struct figures {
    double byte_code, one, four, eight, by_gcc, make;
} figures;

static void set_width(runner *r, double *position, int32_t width)
{
    r->width = width;
    for (int32_t i = 0; i < RANDOM_LEAVES * width; i++)
        position[i] = r->random->position[i / width];
}

static figures measure_all(runner *r, double *position, random_program *p, compiled_c function)
{
    figures f = {0};
    set_width(r, position, 1);
    r->evaluator = ZK_BYTE_CODE;
    f.byte_code = run_time(r);
    r->evaluator = ZK_FASTEST;
    f.one = run_time(r);
    r->function = function;
    if (function) f.by_gcc = run_time(r);
    r->function = NULL;
    set_width(r, position, 4);
    f.four = run_time(r) / 4.0;
    set_width(r, position, 8);
    f.eight = run_time(r) / 8.0;
    f.make = make_time(p, r->program, 1);
    return f;
}

static void print_figures(const figures *f, const zk_program *program, const zk_native_report *made)
{
    zk_statistics facts;
    zk_statistics_of(program, &facts);
    double n = (double)facts.operations, each = 1e9 / n;
    printf("%10lld %10.3f %8.3f %8.3f %8.3f ", (long long)facts.operations, each * f->byte_code,
           each * f->one, each * f->four, each * f->eight);
    if (f->by_gcc > 0.0)
        printf("%9.3f %6.2f ", each * f->by_gcc, f->one / f->by_gcc);
    else
        printf("%9s %6s ", "-", "-");
    printf("%9.3f %9.1f  %s\n", 1e-3 * each * f->make, (double)made->bytes / n,
           zk_native_sentence(made->state));
    fflush(stdout);
}

static void measure(int32_t operations, bool compiler)
{
    random_program p;
    zk_native *native[3];
    zk_native_report report[3];
    runner r = {.random = &p};
    random_make(&p, operations);
    if (zk_compile(&p.memory, &p.pool, p.roots, p.root_count, &r.program)) exit(1);
    double *position = random_allocate(8 * RANDOM_LEAVES, sizeof(double));
    r.frame.position = position;
    r.frame.out = random_allocate(8 * (size_t)p.root_count, sizeof(double));
    r.frame.workspace = random_allocate(8 * zk_workspace(r.program), sizeof(double));
    r.values = random_allocate((size_t)p.pool.count, sizeof(double));
    zk_make_native(&p.memory, &r.program, 1, 1, &native[0], &report[0]);
    zk_make_native(&p.memory, &r.program, 1, 4, &native[1], &report[1]);
    zk_make_native(&p.memory, &r.program, 1, 8, &native[2], &report[2]);
    figures f = measure_all(&r, position, &p, compiler ? by_compiler(&p) : NULL);
    print_figures(&f, r.program, &report[0]);
    for (int k = 0; k < 3; k++) zk_native_free(native[k]);
    free(position), free(r.frame.out), free(r.frame.workspace), free(r.values);
    zk_free(r.program);
    random_drop(&p);
}

int main(int count, char **words)
{
    static const int32_t sizes[] = {100, 1000, 10000, 100000};
    int largest = count > 1 ? atoi(words[1]) : 100000;
    bool all = count > 2 && strcmp(words[2], "gcc") == 0;
    printf("%10s %10s %8s %8s %8s %9s %6s %9s %9s\n", "operations", "byte code", "1 lane",
           "4 lanes", "8 lanes", "gcc -O2", "ratio", "make us", "bytes");
    for (int i = 0; i < 4 && sizes[i] <= largest; i++) measure(sizes[i], all || sizes[i] < PIECE);
    return 0;
}
