"""Runs: the bits of the command, views of one table, files, verdict, Ctrl-C, threads."""

import json
import math
import os
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings

import pytest

from conftest import PENDULUM, ROOT, numbers


def rows_of_csv(text):
    """Numbers of a CSV file by column."""
    lines = text.splitlines()
    names = lines[0].split(",") if '"' not in lines[0] else json.loads(f"[{lines[0]}]")
    return names, [[float(x) for x in line.split(",")] for line in lines[1:]]


def bits(rows):
    return [struct.pack(f"{len(row)}d", *row) for row in rows]


def result_of(zwang, file, **settings):
    """A result, also of a run that could not go on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return zwang.Model(file).run(**settings)
        except zwang.RunError as error:
            return error.result


def compare_with_command(zwang, command, file, tmp_path):
    rows = tmp_path / "rows.json"
    command("run", file, "--quiet", "-o", rows, status=(0, 3))
    table = json.loads(rows.read_text(), parse_int=float)  # of -0 the sign is kept
    result = result_of(zwang, file)
    nan = float("nan")
    expected = [[nan if x is None else x for x in row] for row in table["rows"]]
    assert result.columns == table["columns"]
    found = numbers(result.table)
    # JSON has no NaN with its bits
    found = [[x if math.isfinite(x) else nan for x in row] for row in found]
    assert bits(found) == bits(expected), file.name


QUICK = ["hoop", "bennett", "rolling_disc", "bead_loop", "andrews", "appell_hamel"]


@pytest.mark.parametrize("name", QUICK)
def test_rows_have_the_bits_of_the_command(zwang, command, tmp_path, name):
    file = ROOT / "models" / f"{name}.zw"
    if not file.exists():
        pytest.skip("no such model")
    compare_with_command(zwang, command, file, tmp_path)


@pytest.mark.long
def test_the_whole_gallery_has_the_bits_of_the_command(zwang, command, tmp_path):
    files = sorted((ROOT / "models").glob("*.zw"))
    assert len(files) > 50
    for file in files:
        compare_with_command(zwang, command, file, tmp_path)


def test_settings_have_the_bits_of_the_command(zwang, command, tmp_path):
    file = tmp_path / "pendulum.zw"
    file.write_text(PENDULUM)
    model = zwang.Model(file)
    cases = [
        (dict(until=2, every=0.3, l=0.7), ["--until", "2", "--every", "0.3", "--set", "l=0.7"]),
        (dict(at=[0, 0.1, 3], damping=0.25), ["--at", "0,0.1,3", "--set", "damping=0.25"]),
        (dict(method="dopri5", tol=1e-6), ["--method", "dopri5", "--tol", "1e-6"]),
        (dict(method="rk4", step=0.01), ["--method", "rk4", "--step", "0.01"]),
        (dict(method="bdf", until=1), ["--method", "bdf", "--until", "1"]),
        (dict(stabilize="baumgarte", omega=5, zeta=0.7), ["--baumgarte", "5,0.7"]),
        (dict(columns=["angle", "force(x)", "multiplier(rod)", "energy"]),
         ["--columns", "angle, force(x), multiplier(rod), energy"]),
        (dict(columns="all", kernel="bytecode", until=0.5),
         ["--columns", "all", "--kernel", "bytecode", "--until", "0.5"]),
        (dict(until=0), ["--until", "0"]),
        (dict(method="gauss16", until=1), ["--method", "gauss16", "--until", "1"]),
        (dict(method="gauss16", until=1, hold="nothing"),
         ["--method", "gauss16", "--until", "1", "--hold", "nothing"]),
        (dict(form="moore-penrose", until=0.1), ["--form", "moore-penrose", "--until", "0.1"]),
    ]
    for settings, words in cases:
        try:
            result = model.run(**settings)
        except zwang.RunError as error:
            assert error.status == "ZW_ERR_METHOD"  # a build without SUNDIALS
            continue
        names, rows = rows_of_csv(command("run", file, "--quiet", *words))
        assert result.columns == names, words
        assert bits(numbers(result.table)) == bits(rows), words


def test_columns_are_views_of_one_table(zwang):
    result = zwang.example("hoop").run(until=1, every=0.01)
    assert len(result) == 101 == len(result.t)
    assert list(result["r"].shape) == [101, 3] and list(result["r'"].shape) == [101, 3]
    assert result["r"][4, 2] == result["r[3]"][4] == result.table[4, result.columns.index("r[3]")]
    assert "r" in result and "theta" in result and "rr" not in result
    assert dict(result).keys() == set(result.columns)
    # what is written into the table is seen through every view: nothing was copied
    before = result["r"], result["r[2]"], result.t
    result.table[7, result.columns.index("r[2]")] = 42.0
    result.table[7, 0] = -1.0
    assert before[0][7, 1] == before[1][7] == 42.0 and before[2][7] == -1.0


@pytest.mark.numpy
def test_a_million_rows_are_copied_nowhere(zwang, pendulum):
    import numpy

    result = pendulum.run(until=1000, every=0.001, columns=["angle"], tol=1e-5)
    assert len(result) == 1_000_001
    base = result.table.base
    assert base.base is None and base.shape[1] == 2 and base.flags.owndata
    for view in (result.t, result["angle"]):
        assert numpy.shares_memory(view, base) and not view.flags.owndata
    assert result.t[-1] == 1000


def test_verdict_and_trust(zwang, pendulum, command, tmp_path):
    result = pendulum.run()
    assert result.trust == "ok" and result.outcome == "reached"
    assert "trust        ok" in result.verdict and repr(result.verdict) == result.verdict
    file, stats = tmp_path / "pendulum.zw", tmp_path / "stats.json"
    file.write_text(PENDULUM)
    command("run", file, "--quiet", "-o", tmp_path / "rows.csv", "--stats", stats)
    expected = json.loads(stats.read_text())
    volatile = {"seconds", "compile_seconds", "kernel", "model"}
    assert {k: v for k, v in result.statistics.items() if k not in volatile} == {
        k: v for k, v in expected.items() if k not in volatile}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(zwang.ZwangWarning, match="W0411"):
            zwang.Model(text=PENDULUM.replace("x = l*sin", "x = 1.1*l*sin")).run()


def test_a_run_that_cannot_go_on_keeps_its_rows(zwang):
    with pytest.raises(zwang.RunError) as caught:
        zwang.Model(text="coord x\nkinetic x'^2/2\nforce x: x'^2\nstart x' = 1\n"
                         "simulate t = 0..2, every = 0.1\n").run()
    error = caught.value
    assert error.code.startswith("E07") and error.help
    assert len(error.result) in (11, 12) and error.result.trust == "do not trust"
    with pytest.raises(zwang.RunError) as caught:
        zwang.example("hoop").run(max_steps=5)
    assert caught.value.status == "ZW_ERR_LIMIT"


def test_a_stop_ends_with_a_row_of_its_own(zwang):
    result = zwang.Model(text="coord y\nkinetic y'^2/2\npotential 10*y\nstart y = 1\n"
                              "when y < 0: stop\nsimulate t = 0..1, every = 0.1\n").run()
    assert result.outcome == "stopped"
    assert result.t[-1] == pytest.approx(math.sqrt(0.2), abs=1e-9) and len(result) == 6
    assert result.fired[0][1].startswith("when")


def test_contacts_and_what_happened(zwang):
    text = "coord y\nkinetic y'^2/2\npotential 10*y\ncontact floor: y >= 0, bounce 0.5\n" \
           "start y = 1\nsimulate t = 0..1\n"
    try:
        model = zwang.Model(text=text)
    except zwang.ModelError:
        model = zwang.example("newton_cradle")
    result = model.run()
    assert result.happened and result.happened[0][1] in zwang.words()["happening"]


@pytest.mark.parametrize("ending", ["npz", "csv", "json", "mat"])
def test_files_have_the_bytes_of_the_command(zwang, command, tmp_path, ending):
    file = tmp_path / "pendulum.zw"
    file.write_text(PENDULUM)
    command("run", file, "--quiet", "-o", tmp_path / f"c.{ending}")
    zwang.Model(file).run().save(tmp_path / f"p.{ending}")
    assert (tmp_path / f"p.{ending}").read_bytes() == (tmp_path / f"c.{ending}").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def page_data(text):
    begin = text.index('id="zwang-page">') + len('id="zwang-page">')
    return json.loads(text[begin : text.index("</script>", begin)])


@pytest.mark.parametrize("name", ["hoop", "newton_cradle", "bennett"])
def test_the_page_is_that_of_the_command(zwang, command, tmp_path, monkeypatch, name):
    monkeypatch.chdir(ROOT / "models")
    page = tmp_path / "page.html"
    command("run", f"{name}.zw", "-o", tmp_path / "rows.csv", "--report", page)
    expected = page_data(page.read_text())
    found = page_data(result_of(zwang, f"{name}.zw").page())
    expected.pop("command")
    for data in (expected, found):  # the time that the run took
        data["verdict"]["lines"] = [line for line in data["verdict"]["lines"] if " steps (" not in line]
    assert found == expected


def test_view_writes_a_page(zwang, pendulum, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", None)
    file = pendulum.run(until=1).view(open=False)
    assert file.startswith(str(tmp_path)) and "<!doctype html>" in open(file).read()


@pytest.mark.numpy
def test_pandas_and_matplotlib(zwang, pendulum):
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    result = pendulum.run(until=1)
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t"
    assert (frame["angle"].to_numpy() == result["angle"]).all()
    axes = result.plot("angle", "x")
    assert [line.get_label() for line in axes.get_lines()] == ["angle", "x"]


# ---- Ctrl-C and threads

ENDLESS = """
import zwang, time
model = zwang.Model(text='''%s''')
print("ready", flush=True)
try:
    model.run(until=1e7, every=1e5, tol=1e-12, patience=0)
except KeyboardInterrupt as error:
    assert len(error.result) >= 1 and error.result.t[-1] > 0
    print("interrupted", flush=True)
""" % PENDULUM

ENDLESS_ENSEMBLE = """
import zwang
model = zwang.Model(text='''%s''')
print("ready", flush=True)
try:
    model.ensemble(l=[0.5 + k / 1000 for k in range(1000)], until=1e5, at=[1e5], patience=0)
except KeyboardInterrupt:
    print("interrupted", flush=True)
""" % PENDULUM


@pytest.mark.child
@pytest.mark.parametrize("script", [ENDLESS, ENDLESS_ENSEMBLE], ids=["run", "ensemble"])
def test_ctrl_c_stops_a_run(script):
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                             env=os.environ)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        begun = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
        assert time.monotonic() - begun < 5
        assert child.wait(10) == 0
    finally:
        child.kill()
        child.stdout.close()


def test_threads_run_at_once_and_keep_the_bits(zwang, pendulum):
    alone = [numbers(pendulum.run(until=20, l=0.5 + k).table) for k in range(2)]
    found = [None, None]

    def work(k):
        for _ in range(3):
            found[k] = numbers(pendulum.run(until=20, l=0.5 + k).table)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone


def test_python_goes_on_while_c_works(zwang, pendulum):
    sim = pendulum.simulation(tol=1e-12)
    done = threading.Event()
    raised = []

    def work():
        try:
            sim.advance(1e7)
        except zwang.Cancelled as error:
            raised.append(error)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    beats = 0
    while beats < 20 and not done.is_set():
        time.sleep(0.01)
        beats += 1
    with pytest.raises(RuntimeError, match="one call at a time"):
        sim.acceleration()
    assert pendulum.run(until=0.1).trust == "ok"  # another simulation of the model, meanwhile
    sim.cancel()
    thread.join(20)
    assert beats == 20 and raised and raised[0].status == "ZW_ERR_CANCELLED"
    assert 0 < sim.t < 1e7
    before = sim.t
    assert sim.advance(0.5) and sim.t == before + 0.5  # it may go on
