/*
 * Coulomb's law beside the rows of a solver: how many motions go with it, and what they are.
 */
#include "extension.h"

/* One friction: a dict of row, T, b, slip, mu, mu_static. */
typedef struct rubbing {
    zpy_doubles T, b, slip;
} rubbing;

typedef struct friction_job {
    zw_friction *frictions;
    rubbing *arrays;
    Py_ssize_t count;
    int32_t width; /* of all together */
} friction_job;

static void free_friction(friction_job *job)
{
    for (Py_ssize_t k = 0; job->arrays && k < job->count; k++) {
        rubbing *r = &job->arrays[k];
        if (r->T.data) zpy_done(&r->T);
        if (r->b.data) zpy_done(&r->b);
        if (r->slip.data) zpy_done(&r->slip);
    }
    PyMem_Free(job->frictions);
    PyMem_Free(job->arrays);
}

/* (row, T, b or None, slip or None, mu, mu_static) */
static bool take_friction(PyObject *entry, int32_t n, zw_friction *f, rubbing *r)
{
    PyObject *T, *b, *slip;
    int row;
    if (!PyArg_ParseTuple(entry, "iOOOdd", &row, &T, &b, &slip, &f->mu, &f->mu_static))
        return false;
    if (!zpy_read(T, "T of a friction", &r->T)) return false;
    f->row = row;
    f->width = (int32_t)(r->T.count / n);
    if (f->width < 1 || f->width > 3 || r->T.count != (Py_ssize_t)f->width * n) {
        PyErr_SetString(PyExc_ValueError,
                        "T of a friction has one, two or three rows of n numbers");
        return false;
    }
    if (b != Py_None && !zpy_read_count(b, "b of a friction", f->width, &r->b)) return false;
    if (slip != Py_None && !zpy_read_count(slip, "the slip", f->width, &r->slip)) return false;
    f->T = r->T.data;
    f->b = r->b.data;
    f->slip = r->slip.data;
    return true;
}

static bool take_frictions(PyObject *list, int32_t n, friction_job *job)
{
    job->count = PyList_Size(list);
    if (job->count < 0) return false;
    job->frictions = PyMem_Calloc((size_t)job->count + 1, sizeof *job->frictions);
    job->arrays = PyMem_Calloc((size_t)job->count + 1, sizeof *job->arrays);
    if (!job->frictions || !job->arrays) return PyErr_NoMemory(), false;
    for (Py_ssize_t k = 0; k < job->count; k++) {
        if (!take_friction(PyList_GetItem(list, k), n, &job->frictions[k], &job->arrays[k]))
            return false;
        job->width += job->frictions[k].width;
    }
    return true;
}

/* The answer with room: [2][n + m + width], [count], [m]. */
typedef struct friction_room {
    double *numbers;
    zw_friction_state *states;
    bool *unique;
    zw_friction_answer answer;
} friction_room;

static bool make_room(friction_room *r, const friction_job *job, int32_t n, int32_t m)
{
    size_t one = (size_t)n + (size_t)m + (size_t)job->width;
    *r = (friction_room){0};
    r->numbers = PyMem_Calloc(2 * one + 1, sizeof *r->numbers);
    r->states = PyMem_Calloc((size_t)job->count + 1, sizeof *r->states);
    r->unique = PyMem_Calloc((size_t)m + 1, sizeof *r->unique);
    if (!r->numbers || !r->states || !r->unique) return PyErr_NoMemory(), false;
    for (size_t k = 0; k < 2; k++) {
        r->answer.acceleration[k] = r->numbers + k * one;
        r->answer.multipliers[k] = r->numbers + k * one + n;
        r->answer.friction[k] = r->numbers + k * one + n + m;
    }
    r->answer.state = r->states;
    r->answer.unique = r->unique;
    return true;
}

static void free_room(friction_room *r)
{
    PyMem_Free(r->numbers);
    PyMem_Free(r->states);
    PyMem_Free(r->unique);
}

static PyObject *list_states(const friction_room *r, Py_ssize_t count)
{
    static const char *const words[] = {"idle", "none", "slides", "sticks"};
    PyObject *list = PyList_New(count);
    for (Py_ssize_t k = 0; list && k < count; k++)
        if (PyList_SetItem(list, k, PyUnicode_FromString(words[r->states[k]])) != 0) Py_CLEAR(list);
    return list;
}

/* One dict for each motion. */
static PyObject *list_motions(const friction_room *r, const friction_job *job, int32_t n, int32_t m)
{
    int32_t count = r->answer.solutions;
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        PyObject *dict = PyDict_New();
        bool good = zpy_put(dict, "acceleration", zpy_vector_of(r->answer.acceleration[k], n)) &&
                    zpy_put(dict, "multipliers", zpy_vector_of(r->answer.multipliers[k], m)) &&
                    zpy_put(dict, "friction", zpy_vector_of(r->answer.friction[k], job->width)) &&
                    PyList_SetItem(list, k, Py_NewRef(dict)) == 0;
        Py_XDECREF(dict);
        if (!good) Py_CLEAR(list);
    }
    return list;
}

static PyObject *describe_answer(const friction_room *r, const friction_job *job, int32_t n,
                                 int32_t m)
{
    const zw_friction_answer *a = &r->answer;
    return Py_BuildValue("{s:i,s:O,s:d,s:i,s:d,s:d,s:N,s:N,s:N}", "solutions", (int)a->solutions,
                         "certified", a->certified ? Py_True : Py_False, "certificate",
                         a->certificate, "row", (int)a->row, "pivot", a->pivot, "free_acceleration",
                         a->free_acceleration, "motions", list_motions(r, job, n, m), "state",
                         list_states(r, job->count), "unique", zpy_flags_of(r->unique, m));
}

PyObject *zpy_gauss_friction(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"Q", "b", "C", "frictions", NULL};
    zpy_gauss *s = (zpy_gauss *)self;
    PyObject *Q, *b, *C, *list, *dict = NULL;
    zpy_doubles q = {0}, r = {0}, c = {0};
    friction_job job = {0};
    friction_room room = {0};
    int32_t n = s->shape.n, m = s->shape.m;
    if (!PyArg_ParseTupleAndKeywords(args, words, "OOOO!", names, &Q, &b, &C, &PyList_Type, &list))
        return NULL;
    if (!s->g || s->busy)
        return zpy_refuse(PyExc_RuntimeError, "this solver is at work, or was not planned");
    bool good = zpy_read_count(Q, "Q", n, &q) && zpy_read_count(b, "b", m, &r) &&
                (C == Py_None || zpy_read_count(C, "C", n, &c)) && take_frictions(list, n, &job) &&
                make_room(&room, &job, n, m);
    if (good) {
        zw_friction_problem problem = {.Q = q.data,
                                       .b = r.data,
                                       .C = c.data,
                                       .frictions = job.frictions,
                                       .count = (int32_t)job.count};
        zw_status status;
        s->busy = true;
        Py_BEGIN_ALLOW_THREADS;
        status = zw_gauss_solve_friction(s->g, &problem, &room.answer);
        Py_END_ALLOW_THREADS;
        s->busy = false;
        char sentence[1024] = "";
        if (status != ZW_OK) (void)zw_gauss_explain(s->g, sentence, sizeof sentence);
        dict = status == ZW_OK ? describe_answer(&room, &job, n, m)
                               : zpy_fail(status, s->context, sentence[0] ? sentence : NULL);
    }
    free_room(&room);
    free_friction(&job);
    if (q.data) zpy_done(&q);
    if (r.data) zpy_done(&r);
    if (c.data) zpy_done(&c);
    return dict;
}
