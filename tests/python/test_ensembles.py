"""Ensembles: each member has the bits of its own run, in whatever company."""

import math

import pytest

from conftest import numbers


def test_members_have_the_bits_of_their_runs(zwang, pendulum):
    lengths = [0.5, 0.75, 1.0, 1.5, 2.5]
    e = pendulum.ensemble(l=lengths, until=2, every=0.5, columns=["angle", "x", "energy"])
    assert list(e.table.shape) == [5, 5, 3] and e.columns == ["angle", "x", "energy"]
    assert numbers(e.t) == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert e.failed == [] and e.status == ["ZW_OK"] * 5 and e.parameters == {"l": lengths}
    for k, length in enumerate(lengths):
        alone = pendulum.run(until=2, every=0.5, l=length, columns=["angle", "x", "energy"])
        assert [row[:] for row in numbers(e.table)[k]] == [row[1:] for row in numbers(alone.table)]


def test_threads_and_company_change_nothing(zwang, pendulum):
    many = [0.5 + k / 100 for k in range(37)]
    one = pendulum.ensemble(l=many, until=1, threads=1)
    two = pendulum.ensemble(l=many, until=1, threads=2)
    few = pendulum.ensemble(l=many[30:], until=1)
    assert numbers(one.table) == numbers(two.table)
    assert numbers(one.table)[30:] == numbers(few.table)
    assert numbers(one.states)[36][-1] == numbers(one.end)[36]


def test_starts_states_and_parameters_that_all_have(zwang, pendulum):
    states = [[math.sin(a), -math.cos(a), 0, 0] for a in (0.1, 0.2, 0.3)]
    e = pendulum.ensemble(state=states, damping=1, until=1, at=[0.0, 1.0], columns=["angle"])
    assert [row[0][0] for row in numbers(e.table)] == pytest.approx([0.1, 0.2, 0.3])
    for k, angle in enumerate((0.1, 0.2, 0.3)):
        alone = pendulum.run(at=[0, 1], until=1, damping=1,
                             start={"x": math.sin(angle), "y": -math.cos(angle)})
        assert e["angle"][k][1] == pytest.approx(alone["angle"][1], abs=1e-10)


def test_members_that_fail_say_so(zwang, pendulum):
    e = pendulum.ensemble(l=[1.0, math.nan, 2.0], until=1, every=0.5, columns=["angle"])
    assert e.failed == [1] and e.status[1] != "ZW_OK"
    table = numbers(e.table)
    assert all(math.isnan(row[0]) for row in table[1])
    assert not any(math.isnan(row[0]) for row in table[0] + table[2])


def test_wrong_usage(zwang, pendulum):
    with pytest.raises(ValueError, match="one array at least"):
        pendulum.ensemble(until=1)
    with pytest.raises(ValueError, match="differ in length"):
        pendulum.ensemble(l=[1, 2], g=[1, 2, 3], until=1)
    with pytest.raises(zwang.SettingError):
        pendulum.ensemble(k=[1.0, 2.0], until=1)
    with pytest.raises(KeyError):
        pendulum.ensemble(l=[1.0, 2.0], until=1)["angel"]


@pytest.mark.numpy
def test_four_thousand_members(zwang, pendulum):
    import numpy

    lengths = numpy.linspace(0.5, 2, 4096)
    e = pendulum.ensemble(l=lengths, until=1, every=0.25, columns=["angle"])
    assert e.table.shape == (4096, 5, 1) and e["angle"].shape == (4096, 5)
    assert numpy.isfinite(e.table).all() and sum(e.in_lanes) > 4000
    assert numpy.shares_memory(e["angle"], e.table)
