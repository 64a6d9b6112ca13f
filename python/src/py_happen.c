/*
 * What has happened in a run: events, contacts that closed and opened, impacts; and its statistics.
 */
#include "extension.h"

/* Events that have fired: (time, number). */
static PyObject *sim_fired(PyObject *self, PyObject *nothing)
{
    const zw_sim *sim = ((zpy_sim *)self)->sim;
    (void)nothing;
    int32_t count = zw_sim_fired_count(sim);
    PyObject *list = PyList_New(0);
    for (int32_t k = 0; list && k < count; k++) {
        zw_fired f;
        if (zw_sim_fired(sim, k, &f) != ZW_OK) break;
        PyObject *entry = Py_BuildValue("(di)", f.t, (int)f.event);
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

/* All that is kept of what has happened: (time, word, number, impulse, energy). */
static PyObject *sim_happened(PyObject *self, PyObject *nothing)
{
    const zw_sim *sim = ((zpy_sim *)self)->sim;
    (void)nothing;
    int64_t count = zw_sim_happened_count(sim), most = 100000;
    PyObject *list = PyList_New(0);
    for (int64_t k = count > most ? count - most : 0; list && k < count; k++) {
        zw_happened h;
        if (zw_sim_happened(sim, k, &h) != ZW_OK) continue; /* no longer kept */
        PyObject *entry = Py_BuildValue("(dsidd)", h.t, zw_happening_name(h.kind), (int)h.number,
                                        h.impulse, h.energy);
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

/* contact(i): what it does, and what has happened to it. */
static PyObject *sim_contact(PyObject *self, PyObject *args)
{
    static const char *const states[] = {"open", "touches", "sticks"};
    zpy_sim *s = (zpy_sim *)self;
    int i;
    zw_contact c;
    if (!PyArg_ParseTuple(args, "i", &i) || !zpy_seize(s)) return NULL;
    zw_status status = zpy_push(s);
    if (status == ZW_OK) status = zw_sim_contact(s->sim, i, &c);
    zpy_free_sim(s);
    if (status != ZW_OK) return zpy_fail(status, NULL, NULL);
    return Py_BuildValue("{s:s,s:d,s:L,s:L,s:L,s:L,s:L,s:d}", "state", states[c.state], "impulse",
                         c.impulse, "impacts", (long long)c.impacts, "closings",
                         (long long)c.closings, "openings", (long long)c.openings, "sticks",
                         (long long)c.sticks, "slips", (long long)c.slips, "last", c.last);
}

/* The numbers of a run that are wanted while it goes; the verdict has all of them. */
static PyObject *sim_statistics(PyObject *self, PyObject *nothing)
{
    static const char *const trusts[] = {"ok", "ok with remarks", "do not trust"};
    zpy_sim *s = (zpy_sim *)self;
    zw_run_statistics r;
    (void)nothing;
    if (!zpy_seize(s)) return NULL;
    zw_status status = zw_sim_statistics(s->sim, &r);
    zpy_free_sim(s);
    if (status != ZW_OK) return zpy_fail(status, NULL, NULL);
    return Py_BuildValue(
        "{s:d,s:L,s:L,s:L,s:L,s:d,s:d,s:d,s:i,s:L,s:d,s:d,s:d,s:s}", "t", r.t, "steps",
        (long long)r.steps, "rejected", (long long)r.rejected, "evaluations",
        (long long)r.evaluations, "projections", (long long)r.projections, "smallest_step",
        r.smallest_step, "largest_step", r.largest_step, "seconds", r.seconds, "rank", (int)r.rank,
        "events", (long long)r.events, "inconsistency", r.inconsistency, "position_violation",
        r.position.size, "energy_error", r.energy.error, "trust", trusts[r.trust]);
}

PyMethodDef zpy_happen_methods[] = {
    {"_fired", sim_fired, METH_NOARGS, "Events that have fired."},
    {"_happened", sim_happened, METH_NOARGS, "What has happened."},
    {"_contact", sim_contact, METH_VARARGS, "What a contact does."},
    {"statistics", sim_statistics, METH_NOARGS,
     "Numbers of the run so far: steps, evaluations, the error of the energy, trust, ..."},
    {0}};
