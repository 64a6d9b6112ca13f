"""Results: the table of a run, and what is known of it."""

import json
import math
import tempfile
import warnings
import webbrowser
from pathlib import Path

from . import _arrays, _errors, _page, _text, _zwang
from ._simulation import Simulation

_SHOWN = 10.0  # seconds: a run that took longer is not made again unasked, for its page


def run(model, parameters, settings, at, columns, start):
    """The work of Model.run."""
    plan = _Plan(model, parameters, settings, at, columns, start)
    sim, columns = plan.begin(columns)
    names = columns.names
    table, source = _arrays.empty(plan.count + 1, len(names))
    failure = None
    try:
        outcome = sim._rows(columns, plan.times, plan.end, table)
    except (KeyboardInterrupt, _errors.Error) as error:
        outcome, failure = "interrupted", error
    result = Result(plan, sim, columns, table, source, sim._row_count, outcome)
    if failure is not None:
        failure.result = result
        raise failure
    for message in result.messages:
        if message.severity == "warning":
            warnings.warn(str(message), _errors.ZwangWarning, stacklevel=3)
    return result


class _Plan:
    """Everything that says what a run is, so that it can be made again."""

    def __init__(self, model, parameters, settings, at, columns, start):
        self.model, self.parameters, self.settings = model, parameters, dict(settings)
        self.start = start
        said = {**model.settings, **settings}
        if at is not None:
            if "every" in settings:
                raise TypeError("every and at exclude each other")
            self.times = _arrays.convert(at, "at")
            self.count = len(self.times)
            end = settings.get("until", self.times[-1] if math.isnan(said["until"]) else said["until"])
            if self.count == 0 or not all(a < b for a, b in zip(self.times, self.times[1:])):
                raise ValueError("the times of at ascend, and there is one at least")
            if self.times[0] < said["from"] or self.times[-1] > end:
                raise ValueError("the times of at lie within the run; until gives another end")
        else:
            end = said["until"]
            if math.isnan(end):
                raise TypeError("there is no end time: say until=..., or `simulate` in the model")
            if not math.isnan(said["every"]) and not said["every"] > 0:
                raise ValueError("every is an interval of time above 0")
            self.times = _zwang.grid(said["from"], end, said["every"])
            self.count = self.times[4]
        self.end = float(end)
        self.settings["until"] = self.end
        if self.end == said["from"]:  # one row, at the start: any run that can begin will do
            self.settings.update(until=math.nan, step=1.0)

    def begin(self, columns=None):
        """A simulation whose run has begun, with the derivatives among columns; and these."""
        sim = Simulation.of(self.model, self.parameters, self.settings,
                            True if self.start is None else self.start, handles=False)
        columns = _zwang.Columns(sim.model, _text.columns(columns))
        sim._vary(columns)
        sim._begin({}, True)
        return sim, columns


class _Again:
    """A run made again for its page: a simulation that takes rows of other columns."""

    def __init__(self, result):
        self.sim, _ = result._plan.begin()
        self.rows, self.times = len(result), result.t
        self.end = result._plan.end

    def film(self, columns, times, cells):
        """The columns at these times into cells, each row with the size of the last step."""
        messages = list(self.sim.model._messages)
        over = False
        try:
            for t in times:
                over = not self.sim.advance(to=float(t)) or over
                self._take(columns, cells)
            if not over and self.end > self.sim.t:
                self.sim.advance(to=self.end)
        except _errors.RunError as error:
            self.sim_text = error.text
            if len(cells) < len(times) * (len(columns.names) + 1):
                self._take(columns, cells)
        else:
            self.sim._conclude()
            self.sim_text = ""
        messages += self.sim._messages
        self.messages = "".join(m[9] for m in messages) + self.sim_text

    def _take(self, columns, cells):
        cells.extend(_arrays.to_list(self.sim._columns(columns)))
        cells.append(self.sim._step)


class Result:
    """The rows of a run: r = m.run(until=5).

    r.t: times. r["angle"]: a column; r["r"]: the columns r[1], r[2], r[3] as (rows, 3). All of them look
    at r.table, (rows, columns), which the library has written: nothing is copied.
    r.columns: their names. r.trust: "ok", "ok with remarks" or "do not trust". r.verdict: why, as the
    terminal shows it; r.statistics: with all its numbers. r.messages: warnings and remarks.
    """

    def __init__(self, plan, sim, columns, table, source, rows, outcome):
        self._plan, self._source = plan, source
        self.model = sim.model
        self.columns, self.kinds = columns.names, columns.kinds
        self._rows = rows
        self._families = _text.families(self.columns)
        self.table = self._cut(range(len(self.columns)), (len(self.columns),), table)
        self.outcome = outcome
        self.verdict = _text.Text(sim._verdict(False).rstrip())
        self._statistics = sim._verdict(True)
        self.messages = [_errors.Message(*m) for m in sim._messages]
        self.fired, self.happened = sim.fired, sim.happened

    trust = property(lambda self: self.statistics["trust"],
                     doc='How far to trust it: "ok", "ok with remarks" or "do not trust".')

    @property
    def statistics(self):
        """The verdict with all its numbers, as `zwang run --stats` writes them: a dict."""
        if isinstance(self._statistics, str):
            self._statistics = json.loads(self._statistics)
        return self._statistics

    # ---- columns

    def _cut(self, numbers, shape, table=None):
        """Columns that are equally far apart, as a view of the table."""
        first, width = numbers[0], len(numbers)
        step = numbers[1] - first if width > 1 else 1
        rows = self._rows
        if _arrays.numpy is not None:
            table = self._source[:rows] if table is None else table[:rows]
            if any(b - a != step for a, b in zip(numbers, numbers[1:])) or step < 1:
                return table[:, list(numbers)].reshape((rows,) + shape)
            view = table[:, first : first + step * (width - 1) + 1 : step]
            return view[:, 0] if shape == () else view.reshape((rows,) + shape)
        across = len(self.columns)
        if shape == ():
            return self._source.view(1, first, rows, across)
        if step != 1:
            raise KeyError("without NumPy only neighbouring columns make a vector")
        return self._source.view(2, first, rows, across, width)

    @property
    def t(self):
        """The times of the rows."""
        return self._cut([0], ())

    def __getitem__(self, name):
        if name in self.columns:
            return self._cut([self.columns.index(name)], ())
        found = self._families.get(name)
        if not found:
            near = _zwang.suggest(name, self.columns + list(self._families))
            raise KeyError(f"the run has no column {name!r}"
                           + (f"; did you mean {near!r}?" if near else "; say it in columns=..."))
        indices, numbers = zip(*sorted(found))
        size = [max(index[k] for index in indices) for k in range(len(indices[0]))]
        whole = math.prod(size) == len(numbers) and _arrays.numpy is not None
        return self._cut(numbers, tuple(size) if whole else (len(numbers),))

    def __contains__(self, name):
        return name in self.columns or name in self._families

    def __iter__(self):
        return iter(self.columns)

    def keys(self):
        """Names of the columns; with them dict(r) has every column."""
        return list(self.columns)

    def __len__(self):
        return self._rows

    # ---- elsewhere

    def save(self, file):
        """Writes the rows: .npz, .csv, .json or .mat as `zwang run -o`, or .html, the page of the run."""
        file = Path(file)
        word = file.suffix[1:]
        if word not in ("npz", "csv", "json", "mat", "html"):
            raise ValueError(f"{file}: results end in .npz, .csv, .json, .mat or .html")
        if word == "html":
            _page.replace(file, lambda write: _page.write(self, write))
        else:
            _page.replace(file, lambda write: _zwang.write_result(word, self.columns, self.table, write))

    def to_pandas(self):
        """A DataFrame with the time as index; needs pandas."""
        import pandas

        table = self.table if _arrays.numpy is not None else self.table.tolist()
        frame = pandas.DataFrame(table, columns=self.columns)
        return frame.set_index("t")

    def plot(self, *names, ax=None):
        """Draws columns over the time by matplotlib, the coordinates where none is named; the axes."""
        import matplotlib.pyplot

        ax = matplotlib.pyplot.gca() if ax is None else ax
        chosen = names or [n for n, kind in zip(self.columns, self.kinds) if kind == "coordinate"]
        for name in chosen:
            values = _arrays.to_list(self[name])
            lines = ax.plot(_arrays.to_list(self.t), values)
            for k, line in enumerate(lines):
                line.set_label(name if len(lines) == 1 else f"{name}[{k + 1}]")
        ax.set_xlabel("t")
        ax.legend()
        return ax

    def page(self):
        """The page of the run, HTML that moves and plots in a browser and loads nothing."""
        pieces = []
        _page.write(self, pieces.append)
        return b"".join(pieces).decode()

    def view(self, open=True):
        """Opens the page of the run in a browser; returns the name of its file."""
        file = Path(tempfile.mkdtemp(prefix="zwang-")) / "page.html"
        self.save(file)
        if open:
            webbrowser.open(file.as_uri())
        return str(file)

    def _again(self):
        return _Again(self)

    def __repr__(self):
        return f"<zwang.Result {len(self)} rows of {', '.join(self.columns[:8])}; trust: {self.trust}>"

    def _repr_html_(self):
        if self.statistics["seconds"] <= _SHOWN and len(self):
            return _page.frame(self.page())
        head = "".join(f"<th>{name}</th>" for name in self.columns)
        rows = _arrays.to_list(self.table)
        shown = rows[:5] + ([["..."] * len(self.columns)] if len(rows) > 10 else []) + rows[5:][-5:]
        body = "".join("<tr>" + "".join(f"<td>{x:.6g}</td>" if isinstance(x, float) else f"<td>{x}</td>"
                                        for x in row) + "</tr>" for row in shown)
        return f"<table><tr>{head}</tr>{body}</table><pre>{self.verdict}</pre>"
