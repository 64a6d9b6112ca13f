/*
 * The header of an exported model: its sizes, the names of everything as indices, the struct that
 * holds all there is, and the functions.
 */
#include "export_c.h"

/* enum { NAME_Q_x, ..., last }; */
static void write_names(const zr_c *c, zb_text *to, const char *what, const char *letter,
                        char *const *names, int32_t count, const char *last)
{
    zb_text_printf(to, "/* %s */\nenum {\n", what);
    for (int32_t i = 0; i < count; i++)
        zb_text_printf(to, "    %s_%s_%s = %d,\n", c->upper, letter, names[i], (int)i);
    zb_text_printf(to, "    %s_%s = %d\n};\n\n", c->upper, last, (int)count);
}

/* The model's title, or its file, in a comment: nothing in it may end that. */
static void write_title(const zr_c *c, zb_text *to)
{
    const char *title = c->zm->title ? c->zm->title : c->lower;
    for (const char *p = title; *p; p++)
        zb_text_char(to, (*p == '*' && p[1] == '/') || *p == '\n' ? ' ' : *p);
}

/* Lengths of arrays; none is 0. */
static int32_t room(int64_t count)
{
    return count > 0 ? (int32_t)count : 1;
}

static void write_work(const zr_c *c, zb_text *to)
{
    int64_t n = c->zm->n, m = (int64_t)c->zm->m + 2; /* rows to spare: compilers that see single
                                                         ones warn of loops that are never entered */
    bool weighted = c->model->W.rows > 0;
    const struct {
        const char *name;
        int64_t count;
    } arrays[] = {
        {"M", n * n},
        {"Q", n},
        {"A", m * n},
        {"b", m},
        {"C", n},
        {"W", weighted ? m * m : 0},
        {"R", weighted ? m * m : 0},
        {"weight", weighted ? c->model->weight_outputs : 0},
        {"r", m},
        {"level", 4 * m},
        {"measure", c->zm->measure_count},
        {"part", 5},
        {"U", n * n},
        {"G", m * n},
        {"S", m * m},
        {"tau", m},
        {"zeta", m},
        {"size", m},
        {"scale", m},
        {"way", m + 1},
        {"nu", m},
        {"dz", n},
        {"dl", m},
        {"more", n},
        {"turn", m},
        {"kept", n},
        {"y", 2 * n},
        {"stage", 12 * n},
        {"out", c->most_outputs},
    };
    zb_text_add(to, "    struct {\n        ");
    zb_text_printf(to, "%s_real alpha, lost, conflict;\n", c->lower);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        zb_text_printf(to, "        %s_real %s[%d];\n", c->lower, arrays[k].name,
                       (int)room(arrays[k].count));
    zb_text_printf(to, "        int order[%d], singular, weighed, eliminated;\n", (int)room(m));
    zb_text_add(to, "    } work; /* nothing to read */\n");
}

static void write_struct(const zr_c *c, zb_text *to)
{
    const char *n = c->lower, *N = c->upper;
    int32_t rows = room(c->zm->m), outputs = room(zr_output_elements(c->model));
    zb_text_printf(to,
                   "/* A motion: all there is, without pointers; copies are independent. */\n"
                   "typedef struct %s {\n",
                   n);
    zb_text_printf(to, "    %s_real t;\n", n);
    zb_text_printf(to, "    %s_real q[%s_COORDINATES], v[%s_COORDINATES]; /* the state */\n", n, N,
                   N);
    zb_text_printf(to,
                   "    %s_real value[%d]; /* parameters and inputs, by %s_P_...; then others */\n",
                   n, (int)room(zr_count_values(c->model)), N);
    zb_text_printf(to,
                   "    unsigned char own[%d]; /* parameters that were set: their definition does"
                   " not count */\n",
                   (int)room(c->zm->parameter_count));
    zb_text_printf(to,
                   "\n    /* by %s_acceleration */\n"
                   "    %s_real a[%s_COORDINATES];\n"
                   "    %s_real lambda[%d];               /* multipliers, by %s_ROW_... */\n"
                   "    %s_real force[%s_COORDINATES];    /* of all constraints, ideal */\n"
                   "    %s_real nonideal[%s_COORDINATES]; /* what is not ideal of them */\n"
                   "    %s_real conflict; /* how far A a = b cannot be met, in the norm of W */\n"
                   "    int rank;         /* of the rows */\n"
                   "    unsigned char left_out[%d]; /* rows that contradict others: not held */\n",
                   n, n, N, n, (int)rows, N, n, N, n, N, n, (int)rows);
    zb_text_printf(to, "\n    %s_real output[%d]; /* by %s_outputs: %s_OUT_... */\n", n,
                   (int)outputs, n, N);
    zb_text_printf(to, "    %s_real kinetic, potential, energy; /* by %s_energy */\n\n", n, n);
    write_work(c, to);
    zb_text_printf(to, "} %s;\n\n", n);
}

void zr_c_header(zr_c *c, zb_text *to)
{
    zb_text_add(to, "/*\n * ");
    write_title(c, to);
    zr_c_text(c, to, zr_c_shipped("c_about"), NULL);
    zb_text_printf(to, "#ifndef %s_H\n#define %s_H\n\n", c->upper, c->upper);
    zb_text_printf(to, "typedef %s %s_real;\n\n", c->as->single ? "float" : "double", c->lower);
    write_names(c, to, "Coordinates, of q, v, a and forces.", "Q", c->coordinate, c->zm->n,
                "COORDINATES");
    write_names(c, to, "Rows of the constraints, of lambda.", "ROW", c->row, c->zm->m, "ROWS");
    write_names(c, to, "Parameters and inputs, of value.", "P", c->parameter,
                c->zm->parameter_count, "PARAMETERS");
    write_names(c, to, "Outputs.", "OUT", c->output, zr_output_elements(c->model), "OUTPUTS");
    write_struct(c, to);
    zr_c_text(c, to, zr_c_shipped("c_functions"), NULL);
}
