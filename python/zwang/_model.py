"""Models: a text, compiled once, and what can be asked of it."""

import html
import json
import os
import warnings
from pathlib import Path

from . import _arrays, _errors, _text, _zwang
from ._ensemble import Ensemble, make as _make_ensemble
from ._result import Result, run as _run
from ._simulation import Simulation

_MODELS = Path(__file__).parent / "models"


def examples():
    """Names of the models of the gallery."""
    return sorted(file.stem for file in _MODELS.glob("*.zw"))


def example(name, **settings):
    """A model of the gallery, compiled: zwang.example("hoop"). settings are those of Model."""
    file = _MODELS / f"{name}.zw"
    if not file.exists():
        near = _zwang.suggest(name, examples())
        raise KeyError(f"there is no example {name!r}" + (f"; did you mean {near!r}?" if near else ""))
    return Model(file, file=f"{name}.zw", **settings)


class Check:
    """What a model is, before it is run. Prints as `zwang check` does.

    dof: degrees of freedom. rank: of the constraints. redundant, conflicts: which constraints depend on
    others and which contradict each other, each with its rows and coefficients. coordinates, constraints,
    start, remarks and the rest of what `zwang check --json` has: by index, check["start"].
    """

    def __init__(self, text, data, messages):
        self.text, self.data, self.messages = text, data, messages

    dof = property(lambda self: self.data["dof"], doc="Degrees of freedom.")
    rank = property(lambda self: self.data["rank"], doc="Rank of the constraints.")
    redundant = property(lambda self: self.data["redundant"], doc="Constraints that follow from others.")
    conflicts = property(lambda self: self.data["conflicts"], doc="Constraints that contradict others.")

    def __getitem__(self, name):
        return self.data[name]

    def __str__(self):
        return self.text

    def __repr__(self):
        counts = f"redundant={len(self.redundant)}, conflicts={len(self.conflicts)}"
        return f"<zwang.Check dof={self.dof}, rank={self.rank}, {counts}>"


class Model(_zwang.Model):
    """A model: Model("hoop.zw"), Model(text="coord x ..."), zwang.example("hoop").

    parameters: a dict that overrides those of the text, structural ones included.
    inputs: what stands where the text says `input u`: an expression ("sin(t)"), a number, a file and
        its column ("drive.csv:u, linear"), or a pair of arrays (times, values).
    tables: numbers in the place of the file of `data NAME = ...`: {"NAME": (x, y)}.
    folder: where modules (`use NAME`) and files of data lie; at first the model's own.
    modules: a function from a name to a text, or None, in the place of files.
    solver: "auto", "dense", "sparse" or "parts". threads: of large models, 0 for all processors.
    lanes: 4 or 8 numbers side by side, 0 for what the processor does best; the bits are the same.
    memory: bytes that the model and its simulations may take, 0 for no limit.

    A wrong text raises ModelError. A model does not change; threads may share it.
    """

    def __init__(self, path=None, *, text=None, file=None, parameters=None, inputs=None, tables=None,
                 modules=None, folder=None, solver=None, threads=0, lanes=0, memory=0):
        if (path is None) == (text is None):
            raise TypeError("a model is made from a path or from text=...")
        if text is None:
            file = os.fspath(path) if file is None else file
            text = Path(path).read_text(encoding="utf-8")
        self.file = file if file is not None else "model.zw"
        self.text = text
        self._given = dict(parameters=dict(parameters or {}), inputs=dict(inputs or {}),
                           tables=dict(tables or {}), modules=modules, folder=folder,
                           solver=solver, threads=threads, lanes=lanes, memory=memory)
        if folder is None:
            folder = Path(path).parent if path is not None else Path(".")
        self._folder = self._given["folder"] = Path(folder)
        self._files = {}
        self._words = {"coordinates": [], "rows": []}
        super().__init__(**self._source())
        self._words = self._names()
        self._variants = {}
        _warn(self._messages)

    def _source(self, parameters={}):
        """What the model is compiled from, with these parameters over its own."""
        given = self._given
        return dict(
            file=self.file, text=self.text, settings=_text.settings({**given["parameters"], **parameters}),
            inputs=[f"{name} = {self._input(name, x)}" for name, x in given["inputs"].items()],
            tables=[(name, x, y) for name, (x, y) in given["tables"].items()],
            module=self._find_module, data=self._find_data, solver=given["solver"],
            threads=given["threads"], lanes=given["lanes"], memory=given["memory"])

    # ---- files

    def _input(self, name, x):
        """An input as text; a pair of arrays becomes a table that is asked for as a file."""
        if isinstance(x, str) or _arrays.shape_of(x) == ():
            return _text.value(x)
        times, values = (_arrays.to_list(part) for part in x)
        rows = "".join(f"{float(t)!r},{float(v)!r}\n" for t, v in zip(times, values, strict=True))
        self._files[f"input-{name}.csv"] = f"t,u\n{rows}"
        return f"input-{name}.csv:u, linear"

    def _find_module(self, name):
        if self._given["modules"] is not None:
            text = self._given["modules"](name)
            return None if text is None else (f"{name}.zw", text.encode())
        return _read(self._folder / f"{name}.zw")

    def _find_data(self, name):
        short = name[2:] if name.startswith("./") else name
        if short in self._files:
            return short, self._files[short].encode()
        if "/" in name:
            return _read(Path(short))
        found = _read(self._folder / name)
        return found if found else _read(_MODELS / name)

    # ---- what it is made of

    coordinates = property(lambda self: self._words["coordinates"], doc="Names of the coordinates.")
    rows = property(lambda self: self._words["rows"], doc="Names of the rows of A.")
    contacts = property(lambda self: self._words["contacts"], doc="What can touch, by name.")
    events = property(lambda self: self._words["events"], doc="Events as they were written.")
    settings = property(lambda self: self._settings(), doc="What `simulate` says, as a dict.")
    statistics = property(lambda self: self._statistics(), doc="What compiling came to, as a dict.")

    @property
    def constraints(self):
        """The constraints: dicts of name, first_row, row_count, kinds, control, inequality, ..."""
        kinds = self._row_kinds()
        found = self._constraints()
        for c in found:
            c["kinds"] = kinds[c["first_row"] : c["first_row"] + c["row_count"]]
        return found

    @property
    def parameters(self):
        """Parameters and their values, those of vectors element by element; inputs apart."""
        values = _zwang.Simulation(self)._parameters()
        return {name: value for name, value, is_input
                in zip(self._words["parameters"], values, self._inputs()) if not is_input}

    @property
    def inputs(self):
        """Names of the inputs, those of vectors element by element."""
        return [name for name, is_input in zip(self._words["parameters"], self._inputs()) if is_input]

    @property
    def messages(self):
        """Warnings and remarks so far, each a Message."""
        return [_errors.Message(*m) for m in self._messages]

    def equations(self, form="text", plain=False, motion=False):
        """The derived equations M, Q, A, b, C as "text", "json", "latex", "mathml", "sympy" or "c".

        plain: as they were derived. motion: one equation for each coordinate, and the Lagrangian.
        """
        return _text.Text(self._derive(form, plain, motion))

    def programs(self, kernel="auto", lanes=1):
        """What the equations are compiled to, to read: byte code and machine code."""
        return _text.Text(self._programs(kernel, lanes))

    # ---- what it does

    def with_parameters(self, parameters):
        """The same text compiled anew with these parameters, structural ones included."""
        key = repr(sorted(_text.settings(parameters)))
        if key not in self._variants:
            given = dict(self._given, parameters={**self._given["parameters"], **parameters})
            self._variants = {key: Model(text=self.text, file=self.file, **given)}
        return self._variants[key]

    def check(self, show=True, accept=False, **parameters):
        """What the model is: degrees of freedom, rank, redundancy, conflicts, start.

        Prints the report, unless show is False, and returns it as a Check. A start that is refused is an
        error among its messages; accept takes the nearest compromise.
        """
        sim = self.simulation(start=False, **parameters)
        text = sim._check(False, accept)
        del sim._messages[:]
        data = json.loads(sim._check(True, accept))
        report = Check(text, data, [_errors.Message(*m) for m in sim._messages])
        if show:
            print(text, end="")
        return report

    def run(self, *, until=None, every=None, at=None, columns=None, start=None, parameters=None,
            inputs=None, tol=None, abs_tol=None, method=None, step=None, stabilize=None, omega=None,
            zeta=None, form=None, kernel=None, accept_inconsistent=None, max_steps=None, patience=None, hold=None,
            **names):
        """Simulates the model: m.run(until=5, every=0.01, w=10). Returns a Result.

        until: end time. every: interval of rows. at: times of rows instead.
        columns: names as `zwang run --columns` takes them, in a list or a string; at first the
            coordinates, velocities and outputs; "all" for everything.
        start: values of the state that differ from the model's, {"x": 1, "r'": [0, 0, 1]}; the state is
            then brought onto the constraints.
        parameters, or their names as keywords: their values. inputs: as of Model.
        The rest is what `zwang run` has as options; what is not said here the model says.

        Ctrl-C raises KeyboardInterrupt, a run that cannot go on RunError; both have the rows so far as
        `result`.
        """
        model = self if inputs is None else self._with_inputs(inputs)
        settings = said(until=until, every=every, tol=tol, abs_tol=abs_tol, method=method, step=step,
                         stabilize=stabilize, omega=omega, zeta=zeta, form=form, kernel=kernel,
                         accept_inconsistent=accept_inconsistent, max_steps=max_steps,
                         patience=patience, hold=hold)
        return _run(model, {**(parameters or {}), **names}, settings, at, columns, start)

    def _with_inputs(self, inputs):
        given = dict(self._given, inputs={**self._given["inputs"], **inputs})
        return Model(text=self.text, file=self.file, **given)

    def simulation(self, *, start=True, parameters=None, until=None, tol=None, abs_tol=None,
                   method=None, step=None, stabilize=None, omega=None, zeta=None, form=None,
                   kernel=None, accept_inconsistent=None, max_steps=None, patience=None, hold=None, **names):
        """A simulation at the start of the model: m.simulation(w=10).

        start: False leaves it at rest at the origin, and a dict has values of the state, as of run.
        The rest as of run; without until it has no end.
        """
        settings = said(until=until, tol=tol, abs_tol=abs_tol, method=method, step=step,
                         stabilize=stabilize, omega=omega, zeta=zeta, form=form, kernel=kernel,
                         accept_inconsistent=accept_inconsistent, max_steps=max_steps,
                         patience=patience, hold=hold)
        return Simulation.of(self, {**(parameters or {}), **names}, settings, start)

    def ensemble(self, *, until=None, every=None, at=None, columns=None, start=None, state=None,
                 parameters=None, threads=0, tol=None, abs_tol=None, method=None, step=None,
                 stabilize=None, omega=None, zeta=None, form=None, kernel=None,
                 accept_inconsistent=None, max_steps=None, patience=None, hold=None, **names):
        """Many runs side by side, in lanes of the processor and in threads. Returns an Ensemble.

        m.ensemble(w=numpy.linspace(1, 10, 4096), until=5, columns=["angle"]): an array for a parameter
        says its value in each member; a number holds for all of them. state: starts of all members,
        (members, 2 n). Every member has the bits of its own run. every and at say the times, at first
        those of run; columns at first the coordinates, velocities and outputs.
        """
        settings = said(until=until, every=every, tol=tol, abs_tol=abs_tol, method=method, step=step,
                         stabilize=stabilize, omega=omega, zeta=zeta, form=form, kernel=kernel,
                         accept_inconsistent=accept_inconsistent, max_steps=max_steps,
                         patience=patience, hold=hold)
        return _make_ensemble(self, {**(parameters or {}), **names}, settings, at, columns, start,
                              state, threads)

    def __repr__(self):
        return f"<zwang.Model {self.file}: {len(self.coordinates)} coordinates, {len(self.rows)} rows>"

    def _repr_html_(self):
        check = self.check(show=False)
        title = html.escape(check.data.get("title") or self.file)
        return (f"<h3>{title}</h3><pre>{html.escape(check.text)}</pre>"
                + self.equations("mathml").replace("<h2>", "<h4>").replace("</h2>", "</h4>"))


def said(**settings):
    """The settings that are."""
    return {name: value for name, value in settings.items() if value is not None}


def _read(path):
    """Name and bytes of a file, or None."""
    return (str(path), path.read_bytes()) if path.is_file() else None


def _warn(messages):
    """Warnings among new messages, by Python's own module."""
    for m in messages:
        message = _errors.Message(*m)
        if message.severity == "warning":
            warnings.warn(str(message), _errors.ZwangWarning, stacklevel=4)
