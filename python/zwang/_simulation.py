"""Simulations: a state that one moves oneself, with inputs on the way."""

import math

from . import _arrays, _errors, _text, _zwang


class Simulation(_zwang.Simulation):
    """A state of a model, and its motion: s = m.simulation(w=10).

    s.t, s.q, s.v: time, coordinates, velocities; q and v are live arrays.
    s.input["u"] = 0.3: sets an input from now on. s.parameters["k"] = 2: a parameter likewise.
    s.advance(0.01), s.advance(to=1): moves on. s.acceleration(): what the principle says here.
    s["angle"], s["force(r)"], s.multiplier("sphere"), s.energy: any column of `zwang run`.
    One thread at a time; several simulations of one model may move in several threads at once.
    """

    @classmethod
    def of(cls, model, parameters, settings, start=True, handles=True):
        """As Model.simulation; where a parameter sizes something the model is compiled anew."""
        s = cls(model)
        if parameters:
            try:
                s._set_parameters(", ".join(_text.settings(parameters)))
            except _errors.SettingError as error:
                if error.code != "E0115":
                    raise
                s = cls(model.with_parameters(parameters))
        s._taken, s._kept = {}, {}
        for name in sorted({n.split("[")[0] for n in s.model.inputs}) if handles else ():
            s._take(name, True)
        said = dict(settings)
        said.setdefault("until", math.nan)
        s._begin(said, False)
        if start is not False:
            said = settings.get("accept_inconsistent")
            s._start(bool(s.model.settings["accept_inconsistent"] if said is None else said))
        if isinstance(start, dict):
            s.assign(start)
            s.project()
        return s

    input = property(lambda self: Values(self, True), doc="Inputs by name: s.input['u'] = 0.3.")
    parameters = property(lambda self: Values(self, False), doc="Parameters by name, likewise.")

    def assign(self, values):
        """Changes values of the state: s.assign({"x": 1, "r'": [0, 0, 1]}). Corrects nothing."""
        self._assign(", ".join(_text.settings(values)))

    def _take(self, name, is_input):
        """The handle of an input or a parameter, and how many numbers it sets."""
        key = (name, is_input)
        if key not in self._taken:
            self._taken[key] = self._handle(name, is_input)
        return self._taken[key]

    def _value(self, name):
        """One column, or several of a family, at the state."""
        if name not in self._kept:
            self._kept[name] = _zwang.Columns(self.model, name)
        return self._columns(self._kept[name])[1:]

    def __getitem__(self, name):
        """Any column of `zwang run` at the state: a number, or an array for several."""
        values = self._value(name)
        return float(values[0]) if len(values) == 1 else values

    def multiplier(self, name):
        """The multiplier of a constraint at the state; of several rows an array."""
        return self[f"multiplier({name})"]

    energy = property(lambda self: self["energy"], doc="The energy at the state.")

    def solve(self):
        """Everything the principle says at the state, as zwang.solve does for matrices."""
        from ._gauss import Answer

        return Answer.of(self._solve(), self.model.rows)

    def tangent(self, q=None, v=None, t=0.0, parameter=None):
        """How accelerations and multipliers change along a direction of state, time or one parameter.

        Exact rates: s.tangent(q=[1, 0]), s.tangent(parameter="k"). Returns two arrays.
        """
        names = self.model._words["parameters"]
        if parameter is not None and parameter not in names:
            raise KeyError(f"there is no parameter {parameter!r}")
        return self._tangent(q, v, t, -1 if parameter is None else names.index(parameter))

    def linearize(self, states=None, inputs=None, outputs=None):
        """The linear system x' = A x + B u, y = C x + D u beside the state: a dict of A, B, C, D, poles,
        and the names of its states, inputs and outputs. Each argument is a list of names, or a string.
        """
        return self._linearize(*(_text.columns(names) for names in (states, inputs, outputs)))

    def equilibrium(self, by=None):
        """Finds a state of rest and leaves the simulation there: a dict of q, multipliers, frequencies,
        shapes, poles, unstable, neutral. by: parameters by which there are derivatives, too, or "all".
        """
        return self._equilibrium(_text.columns(by))

    def export_c(self, name="model", *, single=False, own_functions=False, main=False, smooth=False):
        """The model as C99 that needs nothing of this library, as `zwang export c`: a dict of the texts of
        NAME.c and NAME.h, with parameters, state and start as they are here. The run begins anew.

        single: float in the place of double. own_functions: without math.h. main: with a main that prints the
        motion. smooth: events, contacts and friction as they are now, in the place of an error.
        """
        self._begin()
        return {f"{name}.{'ch'[header]}": self._export_c(header, name, single, own_functions, main, smooth)
                for header in (0, 1)}

    def contact(self, name):
        """What a contact does, and what has happened to it: a dict."""
        return self._contact(self.model.contacts.index(name))

    @property
    def happened(self):
        """What has happened in the run so far: tuples (t, word, name, impulse, energy)."""
        return [(t, word, (self.model.events if word == "when" else self.model.contacts)[number],
                 impulse, energy) for t, word, number, impulse, energy in self._happened()]

    @property
    def fired(self):
        """Events that have fired in the run so far: tuples (t, event)."""
        return [(t, self.model.events[number]) for t, number in self._fired()]

    def rows(self, times, columns=None):
        """A table at ascending times from now on, one row each; NaN where the run did not get to."""
        made = _zwang.Columns(self.model, _text.columns(columns))
        return self._run_rows(made, times)

    def kernel(self, name):
        """What evaluates acceleration() from now on: "auto", "bytecode" or "native"."""
        self._set_kernel(name)

    @property
    def verdict(self):
        """The verdict on the run so far, as text."""
        return _text.Text(self._verdict(False).rstrip())

    @property
    def messages(self):
        """Warnings and remarks of its calls, each a Message."""
        return [_errors.Message(*m) for m in self._messages]

    def __repr__(self):
        return f"<zwang.Simulation of {self.model.file} at t = {self.t:g}>"


class Values:
    """Inputs or parameters of a simulation by name: s.input["u"] = 0.3."""

    def __init__(self, simulation, is_input):
        self._simulation, self._is_input = simulation, is_input

    def _names(self):
        s = self._simulation
        flags = s.model._inputs()
        return [name for name, flag in zip(s.model._words["parameters"], flags)
                if flag == self._is_input or not self._is_input]

    def __setitem__(self, name, value):
        s = self._simulation
        if s._begun and (name, self._is_input) not in s._taken and not self._is_input:
            s._set_parameters(f"{name} = {_text.value(value)}")  # the run begins anew here
            return
        handle, count = s._take(name, self._is_input)
        numbers = [value] if _arrays.shape_of(value) == () and count == 1 else value
        s._set_handle(handle, self._is_input, numbers)

    def __getitem__(self, name):
        names = self._simulation.model._words["parameters"]
        values = self._simulation._parameters()
        if name in names:
            return values[names.index(name)]
        found = _text.families(names).get(name)
        if not found or name not in {n.split("[")[0] for n in self._names()}:
            near = _zwang.suggest(name, self._names())
            raise KeyError(f"there is no {'input' if self._is_input else 'parameter'} {name!r}"
                           + (f"; did you mean {near!r}?" if near else ""))
        return [values[k] for _, k in sorted(found)]

    def keys(self):
        """Their names, those of vectors element by element."""
        return self._names()

    def __iter__(self):
        return iter(self._names())

    def __len__(self):
        return len(self._names())

    def __repr__(self):
        return repr({name: self[name] for name in self._names()})
