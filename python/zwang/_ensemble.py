"""Ensembles: many runs of one model, side by side in lanes of the processor and in threads."""

import math
import os

from . import _arrays, _errors, _text, _zwang


class Ensemble:
    """What many runs came to: e = m.ensemble(w=numpy.linspace(1, 10, 4096), until=5).

    e.table: (members, times, columns), NaN where a member did not get to. e["angle"]: (members, times).
    e.t: times. e.columns: names of the columns, without the time. e.parameters: of each member.
    e.states: (members, times, 2 n) q and v; e.end: (members, 2 n) where each got to.
    e.status: of each member "ZW_OK", or why it failed; e.failed: numbers of those that did.
    e.steps, e.evaluations, e.in_lanes, e.reached: lists over the members.
    """

    def __init__(self, model, names, values, times, columns, found):
        self.model, self.t, self.columns = model, times, columns
        self.states, self.table, self.end, members = found
        self.parameters = {name: [row[k] for row in values] for k, name in enumerate(names)}
        self.status = [m[0] for m in members]
        self.stopped = [m[1] == 1 for m in members]
        self.in_lanes = [m[2] for m in members]
        self.reached = [m[3] for m in members]
        self.steps = [m[4] for m in members]
        self.rejected = [m[5] for m in members]
        self.evaluations = [m[6] for m in members]
        self.failed = [k for k, status in enumerate(self.status) if status != "ZW_OK"]
        self._families = _text.families(columns)

    def __len__(self):
        return len(self.status)

    def __getitem__(self, name):
        """A column, (members, times), or a vector of them, (members, times, size)."""
        if name in self.columns:
            k = self.columns.index(name)
        elif name in self._families:
            k = [number for _, number in sorted(self._families[name])]
        else:
            near = _zwang.suggest(name, self.columns + list(self._families))
            raise KeyError(f"the ensemble has no column {name!r}"
                           + (f"; did you mean {near!r}?" if near else "; say it in columns=..."))
        if _arrays.numpy is not None:
            if isinstance(k, list):
                k = slice(k[0], k[-1] + 1) if k == list(range(k[0], k[-1] + 1)) else k
            return self.table[:, :, k]
        rows = self.table.tolist()
        pick = (lambda row: row[k]) if isinstance(k, int) else (lambda row: [row[i] for i in k])
        return [[pick(row) for row in member] for member in rows]

    def __repr__(self):
        return (f"<zwang.Ensemble {len(self)} members, {len(self.t)} times of "
                f"{', '.join(self.columns[:8])}; {len(self.failed)} failed>")


def make(model, parameters, settings, at, columns, start, state, threads):
    """The work of Model.ensemble."""
    fixed, varied = {}, {}
    for name, value in parameters.items():
        single = isinstance(value, str) or name not in model._words["parameters"] or (
            _arrays.shape_of(value) == ())
        (fixed if single else varied)[name] = value
    if fixed:
        model = model.with_parameters(fixed)
    sizes = {len(value) for value in varied.values()} | ({len(state)} if state is not None else set())
    if len(sizes) != 1:
        raise ValueError("an ensemble has one array at least, and all have a number for each member"
                         if not sizes else f"these arrays differ in length: {sorted(sizes)}")
    count, names = sizes.pop(), list(varied)
    values = [list(row) for row in zip(*(_arrays.to_list(varied[n]) for n in names))] or [
        [] for _ in range(count)]
    times = _times(model, settings, at)
    made = _zwang.Columns(model, _text.columns(columns))
    settings = dict(settings)
    settings.setdefault("until", model.settings["until"])
    if math.isnan(settings["until"]):
        settings["until"] = times[-1]
    processors = threads or len(os.sched_getaffinity(0))
    drawn = "drawing" in made.kinds
    found = model._ensemble(count, names, [x for row in values for x in row] or [], times, settings, made,
                            (threads, 1 if drawn else processors), state,
                            ", ".join(_text.settings(start)) if start else None)
    return Ensemble(model, names, values, times, made.names[1:], found)


def _times(model, settings, at):
    """The times that are sampled: of at, or of the grid of a run."""
    if at is not None:
        return _arrays.convert(at, "at")
    said = {**model.settings, **settings}
    if math.isnan(said["until"]):
        raise TypeError("there is no end time: say until=..., or `simulate` in the model")
    start, end, numerator, denominator, count = _zwang.grid(said["from"], said["until"], said["every"])
    times = [min(start + k * numerator / denominator, end) for k in range(count)]
    return _arrays.convert(times, "the times")
