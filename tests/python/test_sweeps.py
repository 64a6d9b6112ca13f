"""Sweeps: the numbers and the bytes of `zwang sweep`, in whatever threads and parts."""

import math
import os
import signal
import struct
import threading

import pytest

from conftest import PENDULUM, numbers

KEEP = "last(angle), at(0.3, x), largest(angle), mean(y), trust"
VARY = ["l = 0.5..2 by 0.5", "th ~ uniform(0.1, 1)"]


def bits(x):
    """NaN equals NaN, and 0 is not -0."""
    return [struct.pack("d", number) for number in numbers(x)]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pendulum.zw"
    path.write_text(PENDULUM)
    return path


@pytest.mark.parametrize("ending", ["csv", "json", "npz"])
def test_the_bytes_of_the_command(zwang, command, file, tmp_path, ending):
    s = zwang.sweep(file, VARY, KEEP, samples=7, seed=3, design="sobol", until=1, batch=5)
    s.save(tmp_path / f"here.{ending}")
    vary = [word for text in VARY for word in ("--vary", text)]
    printed = command("sweep", file, *vary, "--keep", KEEP, "--samples", 7, "--seed", 3, "--design", "sobol",
                      "--until", 1, "--batch", 5, "-q", "-o", tmp_path / f"there.{ending}",
                      "--summary", tmp_path / "summary.json")
    assert printed == ""
    assert (tmp_path / f"here.{ending}").read_bytes() == (tmp_path / f"there.{ending}").read_bytes()
    import json

    assert s.statistics == json.loads((tmp_path / "summary.json").read_text())


def test_columns_have_the_bits_of_single_runs(zwang, pendulum):
    lengths = [0.5, 0.75, 1.5]
    s = zwang.sweep(pendulum, {"l": lengths}, ["last(angle, x)", "at(0.5, angle)"], until=1, damping=0.1)
    assert s.columns == ["l", "last(angle)", "last(x)", "at(0.5, angle)"] and len(s) == 3
    assert numbers(s["l"]) == lengths and numbers(s.parameters["l"]) == lengths
    assert s.kept == s.columns[1:] and s.failed == [] and s.status == ["ZW_OK"] * 3
    for k, length in enumerate(lengths):
        alone = pendulum.run(at=[0.5, 1], until=1, l=length, damping=0.1, columns=["angle", "x"])
        assert numbers(s.table)[k] == [length, alone["angle"][1], alone["x"][1], alone["angle"][0]]
        assert s.values(k) == {"l": length}


def test_threads_and_batches_change_nothing(zwang, pendulum):
    words = dict(vary=VARY, keep=KEEP, samples=11, until=0.5)
    one = zwang.sweep(pendulum, **words, threads=1)
    for other in (zwang.sweep(pendulum, **words, threads=2), zwang.sweep(pendulum, **words, batch=3)):
        for name in one:
            assert bits(one[name]) == bits(other[name])


def test_ways_to_say_what_varies(zwang, pendulum):
    as_text = zwang.sweep(pendulum, "l = [1, 2]", "last(x)", until=0.1)
    as_dict = zwang.sweep(pendulum, {"l": (1, 2)}, "last(x)", until=0.1)
    as_table = zwang.sweep(pendulum, table={"l": [1, 2]}, keep="last(x)", until=0.1)
    assert numbers(as_text.table) == numbers(as_dict.table) == numbers(as_table.table)
    drawn = zwang.sweep(pendulum, {"l": "1..2, 3", "th": "~ normal(0.5, 0.1)"}, "last(x)", samples=2, until=0.1)
    assert len(drawn) == 6 and drawn.columns[:2] == ["l", "th"]


def test_vectors_by_their_name(zwang):
    s = zwang.sweep(zwang.example("hoop"), {"th": [0.4, 0.8]}, "last(r)", until=0.2)
    assert list(s["last(r)"].shape) == [2, 3]
    assert numbers(s["last(r)"])[1] == [numbers(s[f"last(r[{k}])"])[1] for k in (1, 2, 3)]


def test_structure_may_vary(zwang):
    chain = zwang.Model(text="param n = 2\ncoord x[n]\nkinetic dot(x', x')/2\npotential dot(x, x)/2\n"
                             "start x[1] = 1\nsimulate t = 0..1\n")
    s = zwang.sweep(chain, {"n": [1, 2, 3]}, "last(x[1])")
    assert numbers(s["last(x[1])"]) == pytest.approx([math.cos(1)] * 3, abs=1e-6)


def test_runs_that_fail_have_a_reason(zwang, pendulum):
    s = zwang.sweep(pendulum, table={"l": [1, 1e300, 2]}, keep="last(x)", until=0.1)
    assert s.failed == [1] and s.status[1] != "ZW_OK" and s.reasons[1]
    assert math.isnan(s["last(x)"][1]) and not math.isnan(s["last(x)"][2])
    assert "1 failed" in s.summary and s.statistics["failed"] == 1


def test_wrong_usage(zwang, pendulum, tmp_path):
    for code, words in [("E0762", dict(vary="length = 1..2 by 1", keep="last(x)")),
                        ("E0764", dict(vary="l = 1..2 by 1", keep="final(x)")),
                        ("E0766", dict(vary="l = 1..2 by 1", keep="at(9, x)", until=1))]:
        with pytest.raises(zwang.SettingError) as caught:
            zwang.sweep(pendulum, **words)
        assert caught.value.code == code
    with pytest.raises(ValueError, match="sobol"):
        zwang.sweep(pendulum, VARY, samples=2, design="soboll")
    with pytest.raises(ValueError, match="list of numbers"):
        zwang.sweep(pendulum, {"l": [[1, 2], [3, 4]]})
    with pytest.raises(ValueError, match="each run"):
        zwang.sweep(pendulum, table={"l": [1, 2], "g": [1]})
    with pytest.raises(FileNotFoundError):
        zwang.sweep(pendulum, table=tmp_path / "none.csv")
    s = zwang.sweep(pendulum, "l = [1, 2]", "last(x)", until=0.1)
    with pytest.raises(KeyError, match="did you mean"):
        s["last(X)"]
    with pytest.raises(ValueError, match="end in"):
        s.save(tmp_path / "s.mat")
    with pytest.raises(IndexError):
        s.values(2)


def test_progress_may_end_it_and_it_goes_on(zwang, pendulum):
    told = []

    def enough(done, runs):
        told.append((done, runs))
        raise InterruptedError

    words = dict(vary="l = 0.5..2, 300", keep="largest(angle)", until=1, batch=20)
    with pytest.raises(InterruptedError) as caught:
        zwang.sweep(pendulum, **words, progress=enough, threads=1)
    s = caught.value.result
    assert told[0][1] == 300 and len(told) == 1 and s.done < 300
    s.resume()
    whole = zwang.sweep(pendulum, **words, progress=lambda done, runs: told.append(done))
    assert s.done == 300 and bits(s["largest(angle)"]) == bits(whole["largest(angle)"]) and len(told) > 1


@pytest.mark.child
def test_control_c_keeps_what_there_is(zwang, pendulum, tmp_path):
    words = dict(vary="l = 0.5..2, 30000", keep="largest(angle)", until=2, batch=20)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        for _ in range(100):
            zwang.sweep(pendulum, **words, threads=1)
    s = caught.value.result
    assert len(s) == 30000 and s.done < 30000
    with pytest.raises(ValueError, match="resume"):
        s.save(tmp_path / "s.csv")
    assert s.status.count("ZW_OK") == s.done and s.status.count(None) == 30000 - s.done
    s.resume()
    assert s.done == 30000 and s.status.count("ZW_OK") == 30000
    whole = zwang.sweep(pendulum, **words)
    assert bits(s["largest(angle)"]) == bits(whole["largest(angle)"])


def test_other_threads_move_meanwhile(zwang, pendulum):
    counted = []
    over = threading.Event()

    def count():
        while not over.is_set():
            counted.append(1)
            over.wait(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    zwang.sweep(pendulum, "l = 0.5..2, 2000", "largest(angle)", until=1, threads=1)
    over.set()
    thread.join()
    assert len(counted) > 5


def test_the_page_is_that_of_the_command(zwang, command, file, tmp_path):
    s = zwang.sweep(file, "l = [1, 2]", "last(x), trust", until=0.1)
    s.save(tmp_path / "here.html")
    command("sweep", file, "--vary", "l = [1, 2]", "--keep", "last(x), trust", "--until", 0.1, "-q",
            "-o", tmp_path / "s.csv", "--report", tmp_path / "there.html")
    here, there = ((tmp_path / name).read_text() for name in ("here.html", "there.html"))
    before, after = here.split('"command":""')
    assert there.startswith(before) and there.endswith(after)
    assert os.path.exists(s.view(open=False)) and "iframe" in s._repr_html_()


def test_to_pandas(zwang, pendulum):
    pytest.importorskip("pandas")
    frame = zwang.sweep(pendulum, "l = [1, 2]", "last(x)", until=0.1).to_pandas()
    assert list(frame.columns) == ["l", "last(x)", "status"] and len(frame) == 2
