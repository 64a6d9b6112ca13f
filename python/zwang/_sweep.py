"""Sweeps: runs of one model by thousands and millions, of each of which a few numbers are kept."""

import functools
import json
import math
import os
import tempfile
import webbrowser
from pathlib import Path

from . import _arrays, _page, _text, _zwang
from ._model import Model, said as _said

_SHOWN_RUNS, _SHOWN_COLUMNS = 20000, 60


def sweep(model, vary=None, keep=None, *, table=None, samples=0, seed=0, design="random", threads=0, batch=0,
          progress=None, parameters=None, inputs=None, until=None, tol=None, abs_tol=None, method=None,
          step=None, stabilize=None, omega=None, zeta=None, form=None, kernel=None,
          accept_inconsistent=None, max_steps=None, patience=None, hold=None, **names):
    """Many runs of a model, as `zwang sweep` makes them, to the same bits. Returns a Sweep.

    model: a Model, or the path of one.
    vary: what varies, and how: a text "w = 1..10 by 0.5", "k = log 1..1e4, 40" or "h ~ normal(1, 0.1)",
        a list of them, or a dict: {"w": [1, 2, 5], "l": "1..2 by 0.1", "h": "~ normal(1, 0.1)"}.
        Parameters, structural ones too, and start values; grids are combined, samples drawn for each.
    table: instead of vary a run for each row: a file (.csv), or a dict of arrays.
    keep: what is kept of a run: "last(angle), largest(pull), at(2, x), mean(energy), event(1), trust",
        or a list of such words; at first the last row.
    samples, seed, design: how many samples of what is drawn, and how they are spread: "random", "latin",
        "sobol". threads: 0 for all processors. batch: runs at a time; at first chosen.
    progress: a function that is told now and then how many runs of how many are done.
    parameters, or their names as keywords: what all runs have. inputs: as of Model.
    The rest is as of Model.run; what is not said here the model says.

    A run that fails has a row, too, and its reason. Ctrl-C raises KeyboardInterrupt, which has what was
    computed as `result`; result.resume() computes the rest.
    """
    if not isinstance(model, Model):
        model = Model(model)
    if inputs is not None:
        model = model._with_inputs(inputs)
    settings = _said(until=until, tol=tol, abs_tol=abs_tol, method=method, step=step, stabilize=stabilize,
                     omega=omega, zeta=zeta, form=form, kernel=kernel,
                     accept_inconsistent=accept_inconsistent, max_steps=max_steps, patience=patience,
                     hold=hold)
    plan = (_variations(vary), *_table(table), _text.columns(keep), int(samples), int(seed), design,
            int(batch))
    made = Sweep(model, {**(parameters or {}), **names}, settings, plan)
    made.resume(threads, progress)
    return made


def _variations(vary):
    """What varies as the command takes it: a list of texts."""
    if vary is None:
        return []
    if isinstance(vary, str):
        return [vary]
    if not hasattr(vary, "items"):
        return [str(text) for text in vary]
    return [_variation(name, values) for name, values in vary.items()]


def _variation(name, values):
    if isinstance(values, str):
        return f"{name} {values}" if values.lstrip().startswith("~") else f"{name} = {values}"
    shape = _arrays.shape_of(values)
    if shape == ():
        values = [values]
    elif len(shape) != 1 and not isinstance(values, range):
        raise ValueError(f"the values of {name!r} are not a list of numbers; name an element, as in 'm[2]'")
    return f"{name} = {_text.value(values)}"


def _table(table):
    """The text of a table, and its name."""
    if table is None:
        return None, None
    if not hasattr(table, "items"):
        return Path(table).read_bytes(), os.fspath(table)
    columns = {name: _arrays.to_list(values) for name, values in table.items()}
    if len({len(values) for values in columns.values()}) > 1:
        raise ValueError("the columns of a table have numbers for each run")
    lines = [",".join(columns)]
    lines += [",".join(repr(float(x)) for x in row) for row in zip(*columns.values())]
    return "".join(line + "\n" for line in lines).encode(), "table"


class Sweep(_zwang.Sweep):
    """What many runs came to: s = zwang.sweep(m, vary={"w": [1, 2, 5]}, keep="last(angle), trust").

    s["last(angle)"], s["w"]: an array over the runs; s["last(r)"]: the columns of a vector, (runs, size).
    s.table: all columns, (runs, columns); s.columns: their names, those of s.parameters first; s.kept: the
    others. NaN: the run has no such number. s.failed: numbers of the runs that failed; s.reasons: why, a
    dict. s.summary: quantiles, the worst trust and failures, as the command prints them; s.statistics: the
    same as a dict. s.done: how many runs are done, of len(s).
    """

    def __init__(self, model, parameters, settings, plan):
        self.model = model
        source = model._source(parameters)
        for name in ("module", "data"):  # a file is read once, whatever becomes of it meanwhile
            source[name] = functools.cache(source[name])
        super().__init__(source, settings, *plan)
        self.columns, self._varied, self._runs, self.batch = self._facts()
        self._families = _text.families(self.columns)
        self._parts = {}

    def resume(self, threads=0, progress=None):
        """Computes the runs that are not there yet: after Ctrl-C, or in parts."""
        self._parts = {}
        try:
            self._run(threads, progress)
        except BaseException as error:
            error.result = self
            raise

    # ---- numbers

    kept = property(lambda self: self.columns[self._varied :], doc="Names of what is kept of a run.")
    table = property(lambda self: self._once("table"), doc="All columns, (runs, columns).")
    failed = property(lambda self: list(self.reasons), doc="Numbers of the runs that failed.")
    reasons = property(lambda self: {run: reason for run, (_, reason) in self._once("failures").items()},
                       doc="Why runs failed: a dict from the number of a run to a sentence.")
    status = property(lambda self: self._once("status"),
                      doc='Of each run "ZW_OK", or why it failed, or None: it is not done.')
    parameters = property(lambda self: {name: self[name] for name in self.columns[: self._varied]},
                          doc="What varied: a dict of arrays.")
    summary = property(lambda self: self._once("summary"),
                       doc="Quantiles, the worst trust, failures, as the command prints them.")
    statistics = property(lambda self: self._once("statistics"),
                          doc="The summary as `zwang sweep --summary` writes it: a dict.")

    def _once(self, what):
        if what not in self._parts:
            self._parts[what] = getattr(self, f"_make_{what}")()
        return self._parts[what]

    def _make_table(self):
        return self._columns(list(range(len(self.columns))), False)

    def _make_failures(self):
        return {run: (status, reason) for run, status, reason in self._failures()}

    def _make_status(self):
        failures = self._once("failures")
        done = self.done == self._runs
        first = _arrays.to_list(self[self.columns[0]]) if not done else []
        return [failures[run][0] if run in failures else "ZW_OK" if done or first[run] == first[run] else None
                for run in range(self._runs)]

    def _make_summary(self):
        return _text.Text(self._summary(False).rstrip())

    def _make_statistics(self):
        return json.loads(self._summary(True))

    def __getitem__(self, name):
        if name in self._parts:
            return self._parts[name]
        if name in self.columns:
            found = self._columns([self.columns.index(name)], True)
        elif name in self._families:
            found = self._columns([number for _, number in sorted(self._families[name])], False)
        else:
            near = _zwang.suggest(name, self.columns + list(self._families))
            raise KeyError(f"the sweep has no column {name!r}"
                           + (f"; did you mean {near!r}?" if near else "; say it in keep=..."))
        self._parts[name] = found
        return found

    def __contains__(self, name):
        return name in self.columns or name in self._families

    def __iter__(self):
        return iter(self.columns)

    def keys(self):
        """Names of the columns; with them dict(s) has every column."""
        return list(self.columns)

    def __len__(self):
        return self._runs

    def __bool__(self):
        return True

    def values(self, run):
        """What varied in a run: a dict of numbers, whether or not it is done."""
        return dict(zip(self.columns, _arrays.to_list(self._values(run))))

    # ---- elsewhere

    def save(self, file):
        """Writes the runs: .npz, .csv or .json, the bytes of `zwang sweep -o`, or .html, linked plots."""
        file = Path(file)
        word = file.suffix[1:]
        if word not in ("npz", "csv", "json", "html"):
            raise ValueError(f"{file}: sweeps end in .npz, .csv, .json or .html")
        if self.done < self._runs:
            raise ValueError(f"{self.done} of {self._runs} runs are done; resume() computes the rest")
        _page.replace(file, lambda write: write(self.page().encode()) if word == "html" else self._write(word, write))

    def to_pandas(self):
        """A DataFrame with a row for each run; needs pandas."""
        import pandas

        table = self.table if _arrays.numpy is not None else self.table.tolist()
        frame = pandas.DataFrame(table, columns=self.columns)
        frame["status"] = self.status
        return frame

    def page(self):
        """A page with linked scatter plots, HTML that loads nothing; of many runs every so manyth."""
        stride = max(1, math.ceil(self._runs / _SHOWN_RUNS))
        shown = self.columns[:_SHOWN_COLUMNS]
        columns = (",".join(map(_number, _arrays.to_list(self[name])[::stride])) for name in shown)
        failed = [f"[{run},{_string(reason)}]" for run, reason in list(self.reasons.items())[:_SHOWN_RUNS]]
        data = (f'{{"file":{_string(self.model.file)},"command":"","runs":{self._runs},"stride":{stride},'
                f'"varied":{self._varied},"names":[{",".join(map(_string, shown))}],'
                f'"columns":[{",".join(f"[{column}]" for column in columns)}],"failed":[{",".join(failed)}]}}')
        style, script = _page.bundle("sweep")
        return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta '
                f'name="viewport" content="width=device-width"><title>Sweep</title><style>{style}</style></head>'
                f'<body><script type="application/json" id="data">{data}</script><script>{script}</script>'
                "</body></html>\n")

    def view(self, open=True):
        """Opens the page in a browser; returns the name of its file."""
        file = Path(tempfile.mkdtemp(prefix="zwang-")) / "sweep.html"
        self.save(file)
        if open:
            webbrowser.open(file.as_uri())
        return str(file)

    def __repr__(self):
        state = f"{len(self.failed)} failed" if self.done == self._runs else f"{self.done} done"
        return f"<zwang.Sweep {self._runs} runs of {', '.join(self.columns[:8])}; {state}>"

    def _repr_html_(self):
        return _page.frame(self.page()) if self.done == self._runs else None


def _number(x):
    return f"{x:.9g}" if math.isfinite(x) else "null"


def _string(text):
    """A string of JSON in which no < stands, so that nothing in it ends the script."""
    cells = (f"\\u{ord(c):04x}" if c < " " or c in '<"\\' else c for c in text)
    return '"' + "".join(cells) + '"'
