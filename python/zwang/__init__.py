"""Zwang: how constrained mechanical systems move, by Gauss's principle of least constraint.

    import zwang
    m = zwang.Model("hoop.zw")             # or zwang.Model(text="..."), zwang.example("hoop")
    m.check()                              # prints what it is
    r = m.run(until=5, every=0.01, w=10)   # r.t, r["angle"], r["r"], r.trust, r.verdict
    s = m.simulation(w=10)                 # s.q, s.v, s.input["u"] = 0.3, s.advance(0.01)
    e = m.ensemble(w=[1, 2, 3], until=5)   # many runs side by side
    s = zwang.sweep(m, "w = 1..10 by 0.1", "largest(angle)")   # thousands, of each some numbers
    a = zwang.solve(M, Q, A, b)            # from matrices alone

NumPy, pandas and matplotlib are used where they are there and needed nowhere.
"""

from . import _arrays, _errors, _zwang

_zwang.use(_arrays.convert, _errors.make, _arrays.numpy.empty if _arrays.numpy is not None else None)

from ._errors import (Cancelled, Error, Message, ModelError, OutOfMemory, RunError, SettingError,
                      SolveError, StartError, ZwangWarning, explain)
from ._ensemble import Ensemble
from ._gauss import Answer, solve
from ._model import Check, Model, example, examples
from ._result import Result
from ._simulation import Simulation
from ._sweep import Sweep, sweep
from ._zwang import Gauss, memory_available, words

__version__ = _zwang.version()

__all__ = ["Answer", "Cancelled", "Check", "Ensemble", "Error", "Gauss", "Message", "Model", "ModelError",
           "OutOfMemory", "Result", "RunError", "SettingError", "Simulation", "SolveError", "StartError",
           "Sweep", "ZwangWarning", "example", "examples", "explain", "memory_available", "solve", "sweep", "words"]

for _name in __all__:  # what people see is called as they call it
    if isinstance(globals()[_name], type) and _name != "Gauss":
        globals()[_name].__module__ = "zwang"
del _name
