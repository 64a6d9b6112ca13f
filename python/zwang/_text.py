"""From Python's values to the words of the model language, and names of columns."""

import re

from . import _arrays


class Text(str):
    """A string that shows itself as it is, line by line."""

    def __repr__(self):
        return str(self)


def value(x):
    """A number, a list or a string (an expression) as the language writes it."""
    if isinstance(x, str):
        return x
    x = _arrays.to_list(x)
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(value(part) for part in x) + "]"
    return repr(float(x))


def settings(parameters):
    """A dict of parameters as a list of 'name = value'."""
    return [f"{name} = {value(x)}" for name, x in parameters.items()]


def columns(given):
    """Columns as the command takes them: None, a string, or a list of names."""
    return given if given is None or isinstance(given, str) else ", ".join(given)


_GROUP = re.compile(r"\[(\d+(?:,\d+)*)\]")


def families(names):
    """Names without one of their indices: 'r' for r[1], r[2], r[3]; a list of (index, column)."""
    found = {}
    for k, name in enumerate(names):
        for group in _GROUP.finditer(name):
            family = name[: group.start()] + name[group.end() :]
            index = tuple(int(part) for part in group.group(1).split(","))
            found.setdefault(family, []).append((index, k))
    return found
