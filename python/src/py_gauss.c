/*
 * _zwang.Gauss: the solver of the principle from matrices alone. Planned once for a shape, factored
 * when M, A or W change, solved as often as wanted. A context of its own: no other thread is in it.
 */
#include "extension.h"

#include <string.h>

static bool take_gauss(zpy_gauss *s)
{
    if (!s->g) return zpy_refuse(PyExc_ValueError, "this solver was not planned"), false;
    if (s->busy)
        return zpy_refuse(PyExc_RuntimeError, "this solver is at work; one call at a time"), false;
    s->busy = true;
    return true;
}

/* Frees the solver for the next call; false with an exception that says what the solver says. */
static bool end_call(zpy_gauss *s, zw_status status)
{
    char sentence[1024] = "";
    s->busy = false;
    if (status == ZW_OK) return true;
    (void)zw_gauss_explain(s->g, sentence, sizeof sentence);
    (void)zpy_fail(status, s->context, sentence[0] ? sentence : NULL);
    return false;
}

/* ------------------------------------------------------------------------------ making */

static int gauss_init(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {
        "n",     "m", "inequalities", "diagonal_mass", "diagonal_weight", "rank_tolerance",
        "noise", NULL};
    zpy_gauss *s = (zpy_gauss *)self;
    int n, m, inequalities = 0, mass = 0, weight = 0;
    zw_gauss_shape shape = {0};
    if (!PyArg_ParseTupleAndKeywords(args, words, "ii|ippdd", names, &n, &m, &inequalities, &mass,
                                     &weight, &shape.rank_tolerance, &shape.noise))
        return -1;
    if (s->g) return zpy_refuse(PyExc_RuntimeError, "a solver is planned once"), -1;
    shape.n = n;
    shape.m = m;
    shape.inequalities = inequalities;
    shape.mass = mass ? ZW_DIAGONAL : ZW_FULL;
    shape.weight = weight ? ZW_DIAGONAL : ZW_FULL;
    s->shape = shape;
    zw_status status = s->context ? ZW_OK : zw_context_create(NULL, &s->context);
    if (status == ZW_OK) status = zw_gauss_plan(s->context, &shape, &s->g);
    return status == ZW_OK ? 0 : (zpy_fail(status, s->context, NULL), -1);
}

static void gauss_free(PyObject *self)
{
    zpy_gauss *s = (zpy_gauss *)self;
    zw_gauss_free(s->g);
    zw_context_free(s->context);
    zpy_release(self);
}

/* ------------------------------------------------------------------------------ factor */

typedef struct matrices {
    zpy_doubles M, A, W;
} matrices;

static void free_matrices(matrices *x)
{
    if (x->M.data) zpy_done(&x->M);
    if (x->A.data) zpy_done(&x->A);
    if (x->W.data) zpy_done(&x->W);
}

/* M, A and W of the shape; A may be None without rows, W always. */
static bool read_matrices(const zpy_gauss *s, PyObject *args, matrices *x)
{
    PyObject *M, *A = Py_None, *W = Py_None;
    Py_ssize_t n = s->shape.n, m = s->shape.m;
    *x = (matrices){0};
    if (!PyArg_ParseTuple(args, "O|OO", &M, &A, &W)) return false;
    bool good = zpy_read_count(M, "M", s->shape.mass == ZW_DIAGONAL ? n : n * n, &x->M);
    if (good && (A != Py_None || m > 0)) good = zpy_read_count(A, "A", m * n, &x->A);
    if (good && W != Py_None)
        good = zpy_read_count(W, "W", s->shape.weight == ZW_DIAGONAL ? m : m * m, &x->W);
    if (!good) free_matrices(x);
    return good;
}

typedef zw_status factor_fn(zw_gauss *g, const double *M, const double *A, const double *W);

static PyObject *factor_by(PyObject *self, PyObject *args, factor_fn *factor)
{
    zpy_gauss *s = (zpy_gauss *)self;
    matrices x;
    if (!read_matrices(s, args, &x)) return NULL;
    bool good = take_gauss(s);
    if (good) {
        zw_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = factor(s->g, x.M.data, x.A.data, x.W.data);
        Py_END_ALLOW_THREADS;
        good = end_call(s, status);
    }
    free_matrices(&x);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *gauss_factor(PyObject *self, PyObject *args)
{
    return factor_by(self, args, zw_gauss_factor);
}

static PyObject *gauss_check(PyObject *self, PyObject *args)
{
    return factor_by(self, args, zw_gauss_check);
}

/* ------------------------------------------------------------------------------- solve */

static PyObject *gauss_solve(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"Q", "b", "C", "form", NULL};
    zpy_gauss *s = (zpy_gauss *)self;
    PyObject *Q, *b = Py_None, *C = Py_None, *dict = NULL;
    zpy_doubles q = {0}, r = {0}, c = {0};
    const char *word = "gauss";
    zw_form form;
    zpy_answer a = {0};
    if (!PyArg_ParseTupleAndKeywords(args, words, "O|OOs", names, &Q, &b, &C, &word)) return NULL;
    if (zw_form_find(word, &form) != ZW_OK)
        return zpy_refuse(PyExc_ValueError, "there is no form of that name");
    bool good = zpy_read_count(Q, "Q", s->shape.n, &q);
    if (good && (b != Py_None || s->shape.m > 0)) good = zpy_read_count(b, "b", s->shape.m, &r);
    if (good && C != Py_None) good = zpy_read_count(C, "C", s->shape.n, &c);
    good = good && zpy_answer_init(&a, s->shape.n, s->shape.m) && take_gauss(s);
    if (good) {
        zw_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = form == ZW_FORM_GAUSS
                     ? zw_gauss_solve(s->g, q.data, r.data, c.data, &a.values)
                     : zw_gauss_solve_form(s->g, form, q.data, r.data, c.data, &a.values);
        Py_END_ALLOW_THREADS;
        if (end_call(s, status)) dict = zpy_answer_dict(&a, s->shape.inequalities > 0);
    }
    zpy_answer_clear(&a);
    if (q.data) zpy_done(&q);
    if (r.data) zpy_done(&r);
    if (c.data) zpy_done(&c);
    return dict;
}

/* guess(flags or None): inequalities with which the next solve begins. */
static PyObject *gauss_guess(PyObject *self, PyObject *args)
{
    zpy_gauss *s = (zpy_gauss *)self;
    PyObject *list;
    if (!PyArg_ParseTuple(args, "O", &list)) return NULL;
    bool *flags = NULL;
    if (list != Py_None) {
        if (PySequence_Size(list) != s->shape.m)
            return zpy_refuse(PyExc_ValueError, "a guess has one flag for each row of A");
        flags = PyMem_Calloc((size_t)s->shape.m + 1, sizeof *flags);
        if (!flags) return PyErr_NoMemory();
        for (int32_t k = 0; k < s->shape.m; k++) {
            PyObject *flag = PySequence_GetItem(list, k);
            flags[k] = flag && PyObject_IsTrue(flag) == 1;
            Py_XDECREF(flag);
        }
    }
    bool good = !PyErr_Occurred() && take_gauss(s) && end_call(s, zw_gauss_guess(s->g, flags));
    PyMem_Free(flags);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ----------------------------------------------------------------- after factor and solve */

static PyObject *gauss_project(PyObject *self, PyObject *args)
{
    zpy_gauss *s = (zpy_gauss *)self;
    PyObject *object;
    zpy_doubles x;
    double *y = NULL;
    if (!PyArg_ParseTuple(args, "O", &object) || !zpy_read_count(object, "x", s->shape.n, &x))
        return NULL;
    PyObject *array = zpy_new_vector(s->shape.n, &y);
    if (array && !(take_gauss(s) && end_call(s, zw_gauss_project(s->g, x.data, y))))
        Py_CLEAR(array);
    zpy_done(&x);
    return array;
}

static PyObject *gauss_split(PyObject *self, PyObject *args)
{
    zpy_gauss *s = (zpy_gauss *)self;
    PyObject *object;
    zpy_doubles x;
    double *ideal = NULL, *rest = NULL;
    if (!PyArg_ParseTuple(args, "O", &object) || !zpy_read_count(object, "force", s->shape.n, &x))
        return NULL;
    PyObject *first = zpy_new_vector(s->shape.n, &ideal);
    PyObject *second = first ? zpy_new_vector(s->shape.n, &rest) : NULL;
    bool good = second && take_gauss(s) && end_call(s, zw_gauss_split(s->g, x.data, ideal, rest));
    zpy_done(&x);
    if (good) return Py_BuildValue("(NN)", first, second);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return NULL;
}

/* The first rows of a square of n by n numbers. */
static PyObject *rows_of(const double *square, int32_t count, int32_t n)
{
    double *data = NULL;
    PyObject *array = zpy_new_matrix(count, n, &data);
    if (array && count > 0) memcpy(data, square, (size_t)count * (size_t)n * sizeof *data);
    return array;
}

typedef zw_status basis_fn(zw_gauss *g, double *vectors, int32_t *count);

static zw_status find_undetermined(zw_gauss *g, double *vectors, int32_t *count)
{
    return zw_gauss_undetermined(g, vectors, count);
}

static PyObject *vectors_by(PyObject *self, basis_fn *find)
{
    zpy_gauss *s = (zpy_gauss *)self;
    size_t n = (size_t)s->shape.n;
    int32_t count = 0;
    double *square = PyMem_Calloc(n * n + 1, sizeof *square);
    if (!square) return PyErr_NoMemory();
    bool good = take_gauss(s) && end_call(s, find(s->g, square, &count));
    PyObject *array = good ? rows_of(square, count, s->shape.n) : NULL;
    PyMem_Free(square);
    return array;
}

static PyObject *gauss_basis(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return vectors_by(self, zw_gauss_basis);
}

static PyObject *gauss_undetermined(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return vectors_by(self, find_undetermined);
}

static PyObject *gauss_rank(PyObject *self, PyObject *nothing)
{
    zpy_gauss *s = (zpy_gauss *)self;
    zw_gauss_rank_info info;
    (void)nothing;
    if (!take_gauss(s) || !end_call(s, zw_gauss_rank(s->g, &info))) return NULL;
    return zpy_rank_dict(&info);
}

static PyObject *gauss_diagnose(PyObject *self, PyObject *args)
{
    zpy_gauss *s = (zpy_gauss *)self;
    PyObject *b, *z, *dict = NULL;
    zpy_doubles r, x;
    zw_diagnosis *d = NULL;
    if (!PyArg_ParseTuple(args, "OO", &b, &z)) return NULL;
    if (!zpy_read_count(b, "b", s->shape.m, &r)) return NULL;
    if (zpy_read_count(z, "the acceleration", s->shape.n, &x)) {
        if (take_gauss(s) && end_call(s, zw_gauss_diagnose(s->g, r.data, x.data, &d)))
            dict = zpy_diagnosis_dict(d);
        zw_diagnosis_free(d);
        zpy_done(&x);
    }
    zpy_done(&r);
    return dict;
}

#define WORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS
static PyMethodDef gauss_methods[] = {
    {"factor", gauss_factor, METH_VARARGS, "factor(M, A=None, W=None): factors, for solves."},
    {"check", gauss_check, METH_VARARGS,
     "check(M, A=None, W=None): judges raw input strictly, as the command does; factor again."},
    {"solve", WORDS(gauss_solve),
     "solve(Q, b=None, C=None, form='gauss'): a dict with every field of the answer."},
    {"solve_friction", WORDS(zpy_gauss_friction),
     "solve_friction(Q, b, C, frictions): motions that go with Coulomb's law."},
    {"guess", gauss_guess, METH_VARARGS,
     "guess(active): inequalities with which the next solve begins, one flag a row; None: none."},
    {"project", gauss_project, METH_VARARGS,
     "project(x): the part of x that is a virtual displacement, orthogonal in M."},
    {"split", gauss_split, METH_VARARGS,
     "split(force): its ideal and its non-ideal part, which add up to it."},
    {"basis", gauss_basis, METH_NOARGS, "A basis of the virtual displacements, row by row."},
    {"undetermined", gauss_undetermined, METH_NOARGS,
     "Motions that neither M nor A resists, row by row, after that was the error."},
    {"rank", gauss_rank, METH_NOARGS, "How the rank of A was decided, a dict."},
    {"diagnose", gauss_diagnose, METH_VARARGS,
     "diagnose(b, acceleration): which rows depend on which and contradict each other, a dict."},
    {0}};

bool zpy_add_gauss(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_doc,
         "Gauss(n, m, inequalities=0, diagonal_mass=False, diagonal_weight=False,\n"
         "      rank_tolerance=0, noise=0): the solver of matrices, planned for a shape.\n\n"
         "The last `inequalities` rows are A z >= b, the others A z = b. factor when M, A or W\n"
         "change, then solve as often as wanted; zwang.solve does it all at once."},
        {Py_tp_init, gauss_init},
        {Py_tp_new, PyType_GenericNew},
        {Py_tp_dealloc, gauss_free},
        {Py_tp_methods, gauss_methods},
        {0, NULL}};
    PyType_Spec spec = {.name = "zwang.Gauss",
                        .basicsize = sizeof(zpy_gauss),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    zpy.gauss = zpy_add_type(module, &spec, "Gauss");
    return zpy.gauss != NULL;
}
