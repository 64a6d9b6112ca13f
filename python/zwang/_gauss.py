"""The principle from matrices alone: zwang.solve."""

import warnings

from . import _arrays, _zwang
from ._errors import ZwangWarning


class Answer:
    """What the principle says, every field of the answer of `zwang solve` by its name.

    acceleration, free_acceleration, force, force_ideal, force_nonideal, multipliers, residual,
    inconsistency, gaussian, rank, rank_gap, diagnosis, form; of inequalities active, gap_acceleration,
    shares, shares_unique, conflicts, certificate; with friction acceleration, contact, shares_unique,
    solutions, certified, certificate. By name or by index: a.rank, a["rank"].
    """

    def __init__(self, fields):
        self.__dict__.update(fields)

    @classmethod
    def of(cls, fields, names=None):
        """From the dicts of the extension. names: of the rows."""
        fields = dict(fields)
        info, found = fields.pop("rank_info"), fields.pop("diagnosis")
        name = (lambda k: names[k]) if names else (lambda k: k)
        fields["rank_gap"] = {k: info[k] for k in ("accepted", "rejected", "tolerance", "ambiguous")}
        sets = [_set(s, name) for s in found["sets"]]
        kinds = [(s["conflict"], s["nearly"]) for s in found["sets"]]
        fields["diagnosis"] = {
            "consistent": fields["consistent"],
            "dependent_sets": [s for s, (_, nearly) in zip(sets, kinds) if not nearly],
            "conflicts": [s for s, (conflict, nearly) in zip(sets, kinds) if conflict and not nearly],
            "nearly_dependent": [s for s, (_, nearly) in zip(sets, kinds) if nearly],
            "unique_multipliers": [name(k) for k, u in enumerate(found["unique_multipliers"]) if u],
            "certificate": fields["certificate"],
            "refinements": fields["refinements"],
        }
        return cls(fields)

    def keys(self):
        """Names of the fields."""
        return list(self.__dict__)

    def __getitem__(self, name):
        return self.__dict__[name]

    def __contains__(self, name):
        return name in self.__dict__

    def __repr__(self):
        if self.acceleration is None:
            return f"<zwang.Answer with {len(self.solutions)} motions>"
        return f"<zwang.Answer acceleration={_arrays.to_list(self.acceleration)}>"


def _set(s, name):
    return {"rows": [name(k) for k in s["rows"]], "coefficients": s["coefficients"],
            "size": s["size"], "distance": s["distance"], "mismatch": s["mismatch"]}


def solve(M, Q, A=None, b=None, C=None, W=None, *, at_least=None, friction=None, form="gauss",
          rank_tolerance=0.0, basis=False, names=None):
    """The acceleration of a system given by its matrices, and everything about it. Returns an Answer.

    Among all z for which A z = b holds as nearly as possible, in the norm of W, the one nearest to
    M^-1 (Q + C) in the norm of M. M: (n, n) or the diagonal (n). Q: (n). A: (m, n), b: (m).
    C: force by which the constraints do work. W: weights of the rows, (m, m) or (m).

    at_least: inequalities A z >= b, a dict of A, b and perhaps W and names; they come after the rows of A.
    friction: Coulomb's law, a list of dicts of `row` (its name, or the number of an inequality), `T`
        (directions, (n) or (width, n)), `mu`, and perhaps `static`, `slip` and `b`. The answer has all
        motions that go with it as `solutions`.
    form: of zwang.words()["form"]. basis: the virtual displacements, too. names: of the rows of A.

    The words are those of `zwang solve`: zwang.solve(**json.load(file)) gives the same answer.
    """
    p = _Problem(M, Q, A, b, C, W, at_least, names)
    g = _zwang.Gauss(p.n, p.m, inequalities=p.inequalities, diagonal_mass=p.diagonal,
                     diagonal_weight=p.flat, rank_tolerance=rank_tolerance)
    g.check(M, p.A, p.W)
    g.factor(M, p.A, p.W)
    if friction:
        if form != "gauss":
            raise ValueError("friction is solved by the form gauss")
        return _with_friction(g, p, friction)
    fields = g.solve(Q, p.b, C, form)
    fields["rank_info"] = g.rank()
    if basis:
        fields["virtual_displacements"] = g.basis()
    fields["diagnosis"] = g.diagnose(p.b if p.m else [], fields["acceleration"])
    fields["form"] = form
    answer = Answer.of(fields, p.names)
    if answer.rank_gap["ambiguous"]:
        warnings.warn(f"the rank of A is taken as {answer.rank}, but not clear-cut: {answer.rank_gap}",
                      ZwangWarning, stacklevel=2)
    if p.inequalities:
        _inequalities(answer, p)
    return answer


class _Problem:
    """Equations, then inequalities, as the solver has them."""

    def __init__(self, M, Q, A, b, C, W, at_least, names):
        size = _arrays.shape_of(M)
        self.Q, self.C = Q, C
        self.n = n = size[0] if size else 0
        _fit("M", size, [(n, n), (n,)])
        _fit("Q", _arrays.shape_of(Q), [(n,)])
        if C is not None:
            _fit("C", _arrays.shape_of(C), [(n,)])
        self.diagonal = len(size) == 1
        wrong = set(at_least or ()) - {"A", "b", "W", "names"}
        if wrong:
            raise ValueError(f"at_least has A, b, W and names, but no {sorted(wrong)[0]}")
        blocks = [_rows("", A, b, W, names, n)]
        if at_least:
            blocks.append(_rows("at_least.", at_least.get("A"), at_least.get("b"), at_least.get("W"),
                                at_least.get("names"), n))
        self.inequalities = len(blocks[1][1]) if at_least else 0
        self.m = sum(len(rows) for _, rows, _, _ in blocks)
        if len(blocks) == 1:
            self.A, self.b, self.W = (A, b, W) if self.m else (None, None, None)
        else:
            self.A = [row for rows, _, _, _ in blocks for row in rows]
            self.b = [x for _, right, _, _ in blocks for x in right]
            self.W = _weights([(weight, len(right)) for _, right, weight, _ in blocks])
        self.flat = self.W is not None and len(_arrays.shape_of(self.W)) == 1
        first = self.m - self.inequalities
        given = [blocks[0][3], blocks[1][3] if at_least else None]
        self.names = list(given[0] or range(first)) + list(
            given[1] or [f"at_least[{k}]" for k in range(self.inequalities)])


def _rows(where, A, b, W, names, n):
    """The rows of a block, judged: A, b, W, names."""
    m = 0 if A is None else len(A)
    if m:
        _fit(f"{where}A", _arrays.shape_of(A), [(m, n)])
    _fit(f"{where}b", _arrays.shape_of(b if b is not None else []), [(m,)])
    if W is not None:
        _fit(f"{where}W", _arrays.shape_of(W), [(m, m), (m,)])
    if names is not None and len(names) != m:
        raise ValueError(f"{where}names has {len(names)} names of {m} rows")
    return (A if m else []), (b if m else []), W, names


def _weights(blocks):
    """W of all rows, each block its own; None: all weigh the same."""
    if all(W is None for W, _ in blocks):
        return None
    if all(W is None or len(_arrays.shape_of(W)) == 1 for W, _ in blocks):
        return [x for W, count in blocks for x in ([1.0] * count if W is None else W)]
    m = sum(count for _, count in blocks)
    whole, at = [[0.0] * m for _ in range(m)], 0
    for W, count in blocks:
        for i in range(count):
            if W is None or len(_arrays.shape_of(W)) == 1:
                whole[at + i][at + i] = 1.0 if W is None else W[i]
            else:
                whole[at + i][at : at + count] = list(W[i])
        at += count
    return whole


def _fit(what, shape, expected):
    if tuple(shape) not in expected:
        wanted = " or ".join(str(e) for e in expected)
        raise ValueError(f"{what} has the shape {tuple(shape)} where {wanted} is expected")


def _inequalities(answer, p):
    """What the command says of inequalities alone."""
    rows = range(p.m - p.inequalities, p.m)
    flags, shares, unique = answer.active, answer.shares, answer.shares_unique
    answer.gap_acceleration = [float(answer.residual[k]) for k in rows]
    answer.active = [p.names[k] for k in rows if flags[k]]
    answer.shares = [float(shares[k]) for k in rows]
    answer.shares_unique = [p.names[k] for k in rows if unique[k]]
    answer.conflicts = answer.diagnosis["conflicts"]
    answer.certificate = answer.conditions


_STATES = {"idle": "open", "none": "touches"}


def _with_friction(g, p, friction):
    first = p.m - p.inequalities
    entries, widths = [], []
    for f in friction:
        if not {"row", "T", "mu"} <= set(f) <= {"row", "T", "b", "slip", "mu", "static"}:
            raise ValueError("a friction has row, T and mu, and may have static, slip and b")
        row = p.names.index(f["row"]) if isinstance(f["row"], str) else first + f["row"]
        widths.append(1 if len(_arrays.shape_of(f["T"])) == 1 else len(f["T"]))
        b, slip = ([x] if x is not None and _arrays.shape_of(x) == () else x
                   for x in (f.get("b"), f.get("slip")))
        entries.append((row, f["T"], b, slip, f["mu"], f.get("static", f["mu"])))
    found = g.solve_friction(p.Q, p.b, p.C, entries)
    motions = [_motion(p, motion, widths) for motion in found["motions"]]
    fields = {"acceleration": None}
    if len(motions) == 1:
        fields = {"acceleration": motions[0]["acceleration"],
                  "contact": [_STATES.get(word, word) for word in found["state"]],
                  "shares_unique": [p.names[k] for k in range(first, p.m) if found["unique"][k]]}
    else:
        where = f" at {p.names[found['row']]}" if found["row"] >= 0 else ""
        count = "no motion is" if not motions else "two motions are"
        warnings.warn(f"W0942: {count} possible with this friction{where}", ZwangWarning, stacklevel=3)
    fields.update(solutions=motions, certified=found["certified"], certificate=found["certificate"],
                  blamed=p.names[found["row"]] if found["row"] >= 0 else None, pivot=found["pivot"],
                  normal_acceleration=found["free_acceleration"])
    return Answer(fields)


def _motion(p, motion, widths):
    """One motion as the command has it."""
    z = motion["acceleration"]
    gaps = []
    for k in range(p.m - p.inequalities, p.m):
        gap = -p.b[k]
        for j in range(p.n):
            gap += p.A[k][j] * z[j]
        gaps.append(float(gap))
    forces, at = [], 0
    for width in widths:
        forces.append([float(motion["friction"][at + j]) for j in range(width)])
        at += width
    return {"acceleration": z, "multipliers": motion["multipliers"], "gap_acceleration": gaps,
            "friction": forces}
