"""The page of a run: what `zwang run --report` writes, gathered here and written by the library.

The run is made again for its page, with the same settings and to the same bits, and the columns that a
page shows are taken on the way; a long run is thinned.
"""

import html
import json
import os
from array import array
from pathlib import Path

from . import _arrays, _zwang

_CELLS, _LARGE, _CHECKED, _EVENTS = 2_000_000, 150, 2000, 2000


def bundle(name="page"):
    """The style and the script of a page."""
    folder = Path(__file__).parent / "page"
    return ((folder / f"{name}.{ending}").read_text(encoding="utf-8") for ending in ("css", "js"))


def replace(file, put):
    """A file, complete or as it was before: put is given a function that takes bytes."""
    draft = file.with_name(file.name + ".part")
    try:
        with open(draft, "wb") as out:
            put(out.write)
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def write(result, write):
    """Writes the page of a result by a function that takes bytes."""
    model = result.model
    large = len(model.coordinates) > _LARGE
    columns = _zwang.Columns(model, "drawn, energy, kinetic, potential" if large else "all, drawn")
    film = _Film(columns, result)
    sim = film.sim
    scene = json.loads(sim._scene(columns))
    film.drop_noise(scene)
    verdict = json.loads(sim._verdict(True))
    texts = {
        "title": verdict.get("title") or model.file,
        "file": model.file,
        "text": model.text,
        "parameters": _dump(_parameters(model, sim)),
        "events": _dump(_happenings(model, sim) if model.contacts else _events(model, sim)),
        "trust": verdict["trust"],
        "verdict": film.messages + sim._verdict(False),
        "equations": model.equations("mathml"),
    }
    for name in ("scene", "forces", "contacts"):
        texts[name] = _dump(scene[name]) if scene.get(name) is not None else None
    texts["constraints"] = _dump(_constraints(model, sim))
    texts["style"], texts["script"] = bundle()
    names = columns.names + ["step size"]
    kinds = [_KINDS.get(kind, kind) for kind in columns.kinds] + ["step"]
    _zwang.write_page(texts, names, kinds, film.table, film.total, write)


_KINDS = {"gap": "contact", "slip": "contact", "impulse": "contact", "rank": "step"}


def _dump(tree):
    return json.dumps(tree, separators=(",", ":"))


class _Film:
    """Rows of a page: of the run, thinned where they are many, the last one always."""

    def __init__(self, columns, result):
        self.names = columns.names
        self.width = len(self.names) + 1
        most = min(max(_CELLS // self.width, 200), 20000)
        again = result._again()
        self.sim = again.sim
        rows = again.rows
        times = again.times
        self.total = rows
        stride = 1
        while (rows + stride - 1) // stride > most:
            stride *= 2
        chosen = list(range(0, rows, stride))
        if rows and chosen[-1] != rows - 1:
            chosen.append(rows - 1)
        self.cells = array("d")
        again.film(columns, [times[k] for k in chosen], self.cells)
        self.messages = again.messages
        view = memoryview(self.cells).cast("B")
        count = len(self.cells) // self.width
        self.table = view.cast("d", [count, self.width]) if count else view.cast("d")
        self.count = count

    def column(self, k):
        return memoryview(self.cells)[k :: self.width]

    def drop_noise(self, scene):
        """Takes forces out that are rounding over the whole film, beside what moves the bodies."""
        forces = scene.get("forces")
        if not forces or "kinetic" not in self.names or not self.count:
            return
        energy = max((x for x in self.column(self.names.index("kinetic")) if x == x), default=0.0)
        extent = max(self._largest(f["p"]) for f in forces)
        if extent > 0:
            least = 1e-10 * max(energy, 0.0) / extent
            scene["forces"] = [f for f in forces if self._largest(f["v"]) > least]

    def _largest(self, vector):
        largest = 0.0
        parts = [self.column(entry["c"] if isinstance(entry, dict) else 0) for entry in vector[:3]]
        for numbers in zip(*parts):
            size = sum(x * x for x in numbers)
            if largest < size < float("inf"):
                largest = size
        return largest**0.5


def _parameters(model, sim):
    names = model._names()["parameters"][:1000]
    return [{"name": name, "value": value} for name, value in zip(names, sim._parameters())]


def _events(model, sim):
    return [{"t": t, "name": model.events[number]} for t, number in sim._fired()[:_EVENTS]]


def _happenings(model, sim):
    entries = []
    for t, word, number, _, _ in sim._happened()[-_EVENTS:]:
        if word == "when":
            entries.append({"t": t, "name": model.events[number]})
            continue
        verb = "collides" if word == "impact" else word
        name = f"{model.contacts[number]} {verb}"
        entries.append({"t": t, "name": name, "contact": number, "what": word})
    return entries


def _stands_in(tree, name):
    """Whether the name of a constraint, or of one of its rows, stands somewhere in a tree."""
    if isinstance(tree, str):
        return tree == name or tree.startswith(name + "[")
    if isinstance(tree, dict):
        tree = tree.values()
    return isinstance(tree, (list, type({}.values()))) and any(_stands_in(x, name) for x in tree)


def _constraints(model, sim):
    """Of each constraint whether it is redundant or in conflict; starts the simulation again."""
    if len(model.rows) > _CHECKED:
        return []
    check = json.loads(sim._check(True, True))
    entries = []
    for c in check["constraints"][:2000]:
        conflict = _stands_in(check["conflicts"], c["name"])
        redundant = _stands_in(check["redundant"], c["name"])
        text = (
            "contradicts other constraints at the start"
            if conflict
            else "depends on other constraints" if redundant else ""
        )
        kind = c["kind"] if isinstance(c["kind"], str) else "of several kinds"
        entries.append(
            {
                "name": c["name"],
                "kind": kind,
                "rows": c["rows"][1],
                "redundant": redundant,
                "conflict": conflict,
                "text": text,
            }
        )
    return entries


def frame(page):
    """A page inside another one, as notebooks show it."""
    return (
        '<iframe style="width: 100%; height: 720px; border: 0" sandbox="allow-scripts" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )
