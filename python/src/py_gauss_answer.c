/*
 * The answer of the solver, its rank and its diagnosis as dicts of Python: every field of zwang.h under
 * its own name.
 */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

bool zpy_put(PyObject *dict, const char *name, PyObject *value)
{
    bool good = dict && value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

/* ----------------------------------------------------------------------------- memory */

bool zpy_answer_init(zpy_answer *a, int32_t n, int32_t m)
{
    size_t rows = (size_t)m, columns = (size_t)n;
    *a = (zpy_answer){.n = n, .m = m};
    a->numbers = PyMem_Calloc(6 * columns + 5 * rows + 1, sizeof *a->numbers);
    a->flags = PyMem_Calloc(2 * rows + 1, sizeof *a->flags);
    if (!a->numbers || !a->flags) {
        zpy_answer_clear(a);
        PyErr_NoMemory();
        return false;
    }
    double *next = a->numbers;
    zw_gauss_answer *v = &a->values;
    v->acceleration = next, next += columns;
    v->free_acceleration = next, next += columns;
    v->force = next, next += columns;
    v->force_ideal = next, next += columns;
    v->force_nonideal = next, next += columns;
    v->balance = next, next += columns;
    v->multipliers = next, next += rows;
    v->residual = next, next += rows;
    v->inconsistency = next, next += rows;
    v->shares = next, next += rows;
    v->proof = next;
    v->active = a->flags;
    v->unique = a->flags + rows;
    return true;
}

void zpy_answer_clear(zpy_answer *a)
{
    PyMem_Free(a->numbers);
    PyMem_Free(a->flags);
    *a = (zpy_answer){0};
}

/* ------------------------------------------------------------------------------ dicts */

/* What does not exist where M is singular is None. */
static bool put_vectors(PyObject *dict, const zpy_answer *a)
{
    const zw_gauss_answer *v = &a->values;
    const struct {
        const char *name;
        const double *x;
        int32_t count;
    } vectors[] = {
        {"acceleration", v->acceleration, a->n}, {"force", v->force, a->n},
        {"force_ideal", v->force_ideal, a->n},   {"force_nonideal", v->force_nonideal, a->n},
        {"balance", v->balance, a->n},           {"multipliers", v->multipliers, a->m},
        {"residual", v->residual, a->m},         {"inconsistency_rows", v->inconsistency, a->m}};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (!zpy_put(dict, vectors[k].name, zpy_vector_of(vectors[k].x, vectors[k].count)))
            return false;
    return zpy_put(dict, "free_acceleration",
                   v->mass_singular ? Py_NewRef(Py_None)
                                    : zpy_vector_of(v->free_acceleration, a->n));
}

static bool put_inequalities(PyObject *dict, const zpy_answer *a)
{
    const zw_gauss_answer *v = &a->values;
    const zw_gauss_conditions *c = &v->conditions;
    return zpy_put(dict, "active", zpy_flags_of(v->active, a->m)) &&
           zpy_put(dict, "shares", zpy_vector_of(v->shares, a->m)) &&
           zpy_put(dict, "shares_unique", zpy_flags_of(v->unique, a->m)) &&
           zpy_put(dict, "proof", zpy_vector_of(v->proof, a->m)) &&
           zpy_put(dict, "trials", PyLong_FromLong(v->trials)) &&
           zpy_put(dict, "conditions",
                   Py_BuildValue("{s:d,s:d,s:d,s:d,s:d}", "stationarity", c->stationarity, "primal",
                                 c->primal, "dual", c->dual, "complementarity", c->complementarity,
                                 "conflict", c->conflict));
}

PyObject *zpy_answer_dict(const zpy_answer *a, bool inequalities)
{
    const zw_gauss_answer *v = &a->values;
    PyObject *dict = Py_BuildValue(
        "{s:d,s:d,s:i,s:i,s:O,s:O}", "inconsistency", v->inconsistency_norm, "certificate",
        v->certificate, "rank", (int)v->rank, "refinements", (int)v->refinements, "consistent",
        v->consistent ? Py_True : Py_False, "mass_singular", v->mass_singular ? Py_True : Py_False);
    bool good = dict &&
                zpy_put(dict, "gaussian",
                        v->mass_singular ? Py_NewRef(Py_None) : PyFloat_FromDouble(v->gaussian)) &&
                put_vectors(dict, a) && (!inequalities || put_inequalities(dict, a));
    if (!good) Py_CLEAR(dict);
    return dict;
}

PyObject *zpy_rank_dict(const zw_gauss_rank_info *r)
{
    return Py_BuildValue("{s:i,s:d,s:d,s:d,s:O,s:i,s:i}", "rank", (int)r->rank, "tolerance",
                         r->tolerance, "accepted", r->accepted, "rejected", r->rejected,
                         "ambiguous", r->ambiguous ? Py_True : Py_False, "least", (int)r->least,
                         "most", (int)r->most);
}

static PyObject *describe_set(const zw_dependent_set *s)
{
    PyObject *rows = PyList_New(s->count), *coefficients = PyList_New(s->count);
    for (int32_t k = 0; rows && coefficients && k < s->count; k++)
        if (PyList_SetItem(rows, k, PyLong_FromLong(s->rows[k])) != 0 ||
            PyList_SetItem(coefficients, k, PyFloat_FromDouble(s->coefficients[k])) != 0)
            Py_CLEAR(rows);
    return Py_BuildValue("{s:N,s:N,s:i,s:d,s:d,s:d,s:O,s:O,s:i}", "rows", rows, "coefficients",
                         coefficients, "row", (int)s->row, "distance", s->distance, "mismatch",
                         s->mismatch, "size", s->size, "conflict", s->conflict ? Py_True : Py_False,
                         "nearly", s->nearly ? Py_True : Py_False, "suspect", (int)s->suspect);
}

PyObject *zpy_diagnosis_dict(const zw_diagnosis *d)
{
    int32_t count = d->set_count + d->nearly_count;
    PyObject *sets = PyList_New(count), *dict;
    for (int32_t k = 0; sets && k < count; k++) {
        PyObject *entry = describe_set(&d->sets[k]);
        if (!entry || PyList_SetItem(sets, k, entry) != 0) Py_CLEAR(sets);
    }
    if (!sets) return NULL;
    dict = Py_BuildValue("{s:N,s:i,s:N}", "sets", sets, "unlisted", (int)d->unlisted,
                         "unique_multipliers", zpy_flags_of(d->unique_multiplier, d->m));
    return dict;
}
