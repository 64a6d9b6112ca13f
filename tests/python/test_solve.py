"""zwang.solve and zwang.Gauss: every field of the command's answer, to the bit, and what is refused."""

import json
import math
import warnings

import pytest

from conftest import numbers

PLAIN = {"M": [[2, 0], [0, 3]], "Q": [1, -9.81], "A": [[1, 1]], "b": [0.5]}
PROBLEMS = {
    "plain": PLAIN,
    "free": {"M": [[2, 1], [1, 3]], "Q": [1, 2]},
    "nonideal": {**PLAIN, "C": [0.5, -0.25]},
    "dependent": {"M": [[1, 0, 0], [0, 2, 0], [0, 0, 3]], "Q": [1, 2, 3],
                  "A": [[1, 1, 0], [0, 1, 1], [1, 2, 1]], "b": [1, 2, 3]},
    "conflict": {"M": [[1, 0], [0, 1]], "Q": [0, 0], "A": [[1, 0], [1, 0], [0, 1]], "b": [1, 2, 3],
                 "W": [[2, 0, 0], [0, 1, 0], [0, 0, 1]]},
    "named": {**PLAIN, "names": ["floor"], "basis": True, "rank_tolerance": 1e-9},
    "legs": {"M": [10, 5, 2], "Q": [-1098.1, -900, -400], "A": [[1, 0, 0], [2, 0, 0]], "b": [0, 0],
             "at_least": {"A": [[1, 1, 0.5], [1, -1, 0.5]], "b": [0, 0]}},
    "weighed": {"M": [1, 1], "Q": [0, -9.81], "A": [[1, 0]], "b": [1], "W": [3],
                "at_least": {"A": [[0, 1], [0, -1]], "b": [1, 1], "W": [[2, 0.5], [0.5, 1]],
                             "names": ["floor", "ceiling"]}},
    "slides": {"M": [2, 2], "Q": [5, -19.62], "at_least": {"A": [[0, 1]], "b": [0]},
               "friction": [{"row": 0, "T": [1, 0], "mu": 0.2}]},
    "sticks": {"M": [2, 2, 2], "Q": [1, 1, -19.62], "at_least": {"A": [[0, 0, 1]], "b": [0], "names": ["f"]},
               "friction": [{"row": "f", "T": [[1, 0, 0], [0, 1, 0]], "mu": 0.2, "static": 0.5}]},
    "slipping": {"M": [2, 2], "Q": [5, -19.62], "A": [[0, 1]], "b": [0], "names": ["rail"],
                 "friction": [{"row": "rail", "T": [1, 0], "mu": 0.2, "slip": -1, "b": 0.5}]},
    "singular": {"M": [[1, 0], [0, 0]], "Q": [1, 0], "A": [[1, 1]], "b": [0]},
}


def same(found, expected):
    """A field of ours and of the command's JSON, numbers to the bit."""
    if isinstance(expected, dict):
        return all(same(found[k], v) for k, v in expected.items())
    if isinstance(expected, list):
        found = numbers(found)
        return len(found) == len(expected) and all(same(a, b) for a, b in zip(found, expected))
    if isinstance(expected, bool) or expected is None:
        return found == expected
    return found == expected if isinstance(expected, str) else float(found) == float(expected)


def answer_of(command, problem, tmp_path):
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(problem))
    return json.loads(command("solve", file))


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_field_of_the_command(zwang, command, tmp_path, name):
    problem = PROBLEMS[name]
    answer = zwang.solve(**problem)
    expected = answer_of(command, problem, tmp_path)
    for field, value in expected.items():
        found = getattr(answer, field)
        assert same(found, value), (field, found, value)


@pytest.mark.parametrize("form", ["moore-penrose", "gibbs-appell", "multipliers", "projection"])
def test_forms(zwang, command, tmp_path, form):
    expected = answer_of(command, {**PLAIN, "form": form}, tmp_path)
    answer = zwang.solve(**PLAIN, form=form)
    assert answer.form == form and same(answer.acceleration, expected["acceleration"])


def test_friction_without_a_unique_motion(zwang):
    """Painleve's rod: one motion, none, two."""
    counts, cos, sin = [], 1 / math.sqrt(5), 2 / math.sqrt(5)
    for mu, omega, slip in ((2, 0, 1), (2, 0, -1), (2, 5, -1)):
        problem = {"M": [1, 1, 1 / 3], "Q": [0, -9.81, 0],
                   "at_least": {"A": [[0, 1, -cos]], "b": [-sin * omega**2], "names": ["end"]},
                   "friction": [{"row": "end", "T": [1, 0, sin], "b": -cos * omega**2, "mu": mu,
                                 "slip": slip}]}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            answer = zwang.solve(**problem)
        counts.append(len(answer.solutions))
        assert len(said) == (counts[-1] != 1)
        assert (answer.acceleration is None) == (counts[-1] != 1)
    assert counts == [1, 0, 2]
    for wrong in ({"row": 0, "mu": 0.1}, {"row": 0, "T": [1.0], "mu": 1}, {"row": 0, "T": [1, 0, 0], "mu": 1,
                                                                           "rough": 2}):
        with pytest.raises(ValueError):
            zwang.solve(**{**problem, "friction": [wrong]})


def test_refusals(zwang):
    with pytest.raises(zwang.SolveError) as caught:
        zwang.solve([[1, 2], [3, 4]], [0, 0])
    assert caught.value.status == "ZW_ERR_NOT_SYMMETRIC" and "M" in str(caught.value)
    with pytest.raises(zwang.SolveError) as caught:
        zwang.solve([[1, 0], [0, 0]], [0, 0])
    assert caught.value.status == "ZW_ERR_UNDETERMINED"
    for wrong in (dict(M=[[1, 0]], Q=[0]), dict(M=[[1]], Q=[0, 1]), dict(M=[[1]], Q=[1], A=[[1, 2]], b=[0]),
                  dict(M=[[1]], Q=[1], A=[[1]]), dict(M=[[1]], Q=[1], at_least={"A": [[1]], "c": [0]}),
                  dict(M=[[1]], Q=[1], at_least={"A": [[1]]}),
                  dict(M=[[1]], Q=[1], A=[[1]], b=[0], W=[1, 2])):
        with pytest.raises(ValueError):
            zwang.solve(**wrong)
    with pytest.raises(TypeError):
        zwang.solve([["a"]], [0])
    with pytest.raises(ValueError):
        zwang.solve([[1]], [0], form="newton")
    with pytest.raises(zwang.SolveError):
        zwang.solve([[float("nan")]], [0])


def test_the_solver_itself(zwang):
    g = zwang.Gauss(2, 1)
    g.factor([[2, 0], [0, 3]], [[1, 1]])
    answer = g.solve([1, -9.81], [0.5])
    assert sum(numbers(answer["acceleration"])) == pytest.approx(0.5)
    assert list(g.basis().shape) == [1, 2]
    x = numbers(g.project([1, 0]))
    assert x[0] + x[1] == pytest.approx(0)
    ideal, rest = g.split([1, 1])
    assert [a + b for a, b in zip(ideal, rest)] == pytest.approx([1, 1])
    assert g.rank()["rank"] == 1
    assert g.diagnose([0.5], answer["acceleration"])["sets"] == []
    with pytest.raises(zwang.SolveError):
        zwang.Gauss(1, 0).solve([1])  # before a factor
    singular = zwang.Gauss(2, 0)
    with pytest.raises(zwang.SolveError):
        singular.factor([[1, 0], [0, 0]])
    assert numbers(singular.undetermined()) == [[0.0, 1.0]]
    bound = zwang.Gauss(1, 1, inequalities=1)
    bound.factor([[1]], [[1]])
    bound.guess([True])
    assert bound.solve([-1], [0])["active"] == [True]
    with pytest.raises(ValueError):
        bound.guess([True, False])
