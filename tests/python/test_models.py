"""Models: what they are made of, what is said of them, what is refused and how."""

import gc
import math
import re
import warnings

import pytest

from conftest import PENDULUM, ROOT, numbers


def test_a_model_says_what_it_is(zwang, pendulum):
    assert pendulum.coordinates == ["x", "y"]
    assert pendulum.rows == ["rod"]
    assert pendulum.parameters == {"l": 1.0, "g": 9.81, "th": 0.5, "damping": 0.0}
    assert pendulum.settings["until"] == 5 and pendulum.settings["every"] == 0.01
    (rod,) = pendulum.constraints
    assert rod["name"] == "rod" and rod["kinds"] == ["holonomic"] and not rod["inequality"]
    assert "rod" in repr(pendulum.equations()) and "<math" in pendulum.equations("mathml")
    assert pendulum.equations("latex") != pendulum.equations("text")
    assert pendulum.statistics["bytes"] > 0 and pendulum.memory_held > 0
    assert "byte code" in pendulum.programs().lower() or len(pendulum.programs()) > 100


def test_check_prints_as_the_command(zwang, command, capsys, tmp_path):
    file = tmp_path / "pendulum.zw"
    file.write_text(PENDULUM + "constraint again: 2*x^2 + 2*y^2 = 2*l^2\n")
    report = zwang.Model(file).check()
    assert capsys.readouterr().out == command("check", file)
    assert report.dof == 1 and report.rank == 1
    assert len(report.redundant) == 1 and report.conflicts == []
    assert str(report) == report.text and "dof=1" in repr(report)
    assert zwang.Model(file).check(show=False)["n"] == 2
    assert capsys.readouterr().out == ""


def test_gallery_check_equals_that_of_the_command(zwang, command, monkeypatch):
    monkeypatch.chdir(ROOT / "models")
    for name in zwang.examples()[::6]:
        assert zwang.Model(f"{name}.zw").check(show=False).text == command("check", f"{name}.zw"), name


def test_errors_have_code_place_sentence_help(zwang):
    with pytest.raises(zwang.ModelError) as caught:
        zwang.Model(text="coord x\nkinetic nrm(x')\n", file="wrong.zw")
    error = caught.value
    assert error.code == "E0102" and error.place == "wrong.zw:2:9"
    assert error.line == 2 and error.column == 9
    assert "nrm" in error.sentence and "norm" in f"{error.sentence} {error.help}"
    assert error.status == "ZW_ERR_MODEL" and "^" in str(error)
    assert error.messages[0].severity == "error" and "E0102" in repr(error.messages[0])
    assert "E0102" in zwang.explain("e0102")
    with pytest.raises(KeyError):
        zwang.explain("E9999")


@pytest.mark.parametrize("file", sorted((ROOT / "tests/diag/model").glob("*.zw"))[::25],
                         ids=lambda file: file.stem)
def test_broken_models_have_the_code_of_their_name(zwang, file):
    """In the exception, or among what compiling and checking said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = zwang.Model(file)
            said = model.messages + model.check(show=False).messages
        except zwang.Error as error:
            said = error.messages
    assert file.stem[:5] in {m.code for m in said}


def test_usage_that_is_wrong(zwang, pendulum):
    with pytest.raises(TypeError):
        zwang.Model()
    with pytest.raises(FileNotFoundError):
        zwang.Model("nowhere.zw")
    with pytest.raises(KeyError, match="did you mean 'hoop'"):
        zwang.example("hop")
    with pytest.raises(zwang.SettingError) as caught:
        pendulum.run(lenght=2)
    assert caught.value.code and "lenght" in caught.value.sentence
    with pytest.raises(zwang.SettingError):
        pendulum.run(columns="angel")
    with pytest.raises(ValueError, match="no method called"):
        pendulum.run(method="euler")
    with pytest.raises(ValueError):
        pendulum.run(until=-1)
    with pytest.raises(ValueError):
        pendulum.run(every=0)
    with pytest.raises(TypeError):
        pendulum.run(every=0.1, at=[0, 1])
    with pytest.raises(ValueError):
        pendulum.run(at=[0, 9])
    with pytest.raises(TypeError, match="no end time"):
        zwang.Model(text="coord x\nkinetic x'^2\n").run()
    with pytest.raises(KeyError, match="did you mean 'angle'"):
        pendulum.run(until=0.1)["angel"]
    with pytest.raises(ValueError):
        pendulum.run(until=0.1).save("rows.xls")
    with pytest.raises(zwang.StartError) as caught:
        zwang.Model(text=PENDULUM + "constraint off: x^2 + y^2 = 4\n").run()
    assert caught.value.code


def test_parameters_modules_tables_inputs(zwang, tmp_path):
    (tmp_path / "spring.zw").write_text("param k = 4\n")
    text = "use spring\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\nstart x = 1\nsimulate t = 0..1\n"
    (tmp_path / "model.zw").write_text(text)
    for model in (zwang.Model(tmp_path / "model.zw"), zwang.Model(text=text, folder=tmp_path),
                  zwang.Model(text=text, modules=lambda name: "param k = 4\n")):
        assert model.run()["x"][-1] == pytest.approx(math.cos(2), abs=1e-8)
    assert model.run(k=1)["x"][-1] == pytest.approx(math.cos(1), abs=1e-8)
    asked = []

    def modules(name):
        asked.append(name)
        return None

    with pytest.raises(zwang.ModelError):
        zwang.Model(text=text, modules=modules)
    assert asked == ["spring"]
    with pytest.raises(ZeroDivisionError):
        zwang.Model(text=text, modules=lambda name: 1 / 0)
    pushed = "input u\ncoord x\nkinetic x'^2/2\nforce x: u\nsimulate t = 0..1\n"
    by_text = zwang.Model(text=pushed, inputs={"u": "2*t"}).run()
    by_array = zwang.Model(text=pushed).run(inputs={"u": ([0.0, 1.0], [0.0, 2.0])})
    assert by_text["x"][-1] == pytest.approx(1 / 3, abs=1e-9)
    assert by_array["x"][-1] == pytest.approx(1 / 3, abs=1e-9)


def test_structural_parameters_compile_anew(zwang):
    text = """param n = 2
coord x[n]
kinetic dot(x', x')/2
potential dot(x, x)/2
start x[1] = 1
simulate t = 0..1
"""
    model = zwang.Model(text=text)
    assert len(model.run(n=5).columns) == 11
    assert len(model.simulation(n=3).q) == 3
    assert len(model.coordinates) == 2


def test_a_budget_of_memory(zwang):
    with pytest.raises(MemoryError) as caught:
        zwang.Model(text=PENDULUM, memory=2000)
    assert caught.value.status == "ZW_ERR_BUDGET"
    assert zwang.memory_available() > 0


def test_every_function_of_the_header_is_bound_or_left_out_for_a_reason():
    header = (ROOT / "include/zwang.h").read_text()
    functions = set(re.findall(r"^ZW_API [^;(]*?\b(zw_\w+)\(", header, re.M))
    sources = "".join(f.read_text() for f in (ROOT / "python/src").glob("*.c"))
    # of pairs of functions that a macro calls by pasting its word
    for word in ("method", "stabilize", "form", "kernel", "hold"):
        sources += f"zw_{word}_find( " if f"FIND_WORD({word}," in sources else ""
    for word in ("method", "stabilize", "form", "kernel", "solver", "happening", "hold", "design"):
        sources += f"zw_{word}_name( " if f"WORD_LIST({word}," in sources else ""
    for word in ("coordinate", "row", "constraint", "contact", "parameter", "event"):
        sources += f"zw_model_{word}_name( " if f"NAME_FN({word})" in sources else ""
    left_out = {
        "zw_context_report": "messages of the caller's own: Python has exceptions and warnings",
        "zw_context_add_source": "for messages of the caller's own",
        "zw_happening_find": "the words are compared as strings",
        "zw_result_flush": "a table is written as a whole",
        "zw_matrices_write": "NumPy and others write matrices",
        "zw_archive_write": "Python writes zip files itself",
    }
    bound = {name for name in functions if re.search(rf"\b{name}\b", sources)}
    assert len(functions) > 100
    assert functions - bound == set(left_out), sorted((functions - bound) ^ set(left_out))


def test_what_is_shown_in_notebooks(zwang, pendulum):
    shown = pendulum._repr_html_()
    assert "<math" in shown and "degrees of freedom" in shown and "Pendulum" in shown
    run = pendulum.run(until=1)
    page = run._repr_html_()
    assert page.startswith("<iframe") and "zwang-page" in page
    run._statistics = dict(run.statistics, seconds=1e3)
    assert "<table" in run._repr_html_()


@pytest.mark.speed
def test_nothing_leaks(zwang):
    """Blocks of the context and of Python: as many after thousands of models as after a few."""
    resource = pytest.importorskip("resource")

    def work(count):
        for _ in range(count):
            m = zwang.Model(text=PENDULUM)
            s = m.simulation(l=2)
            s.advance(0.01)
            s.energy, s.matrices(), s.solve()
            m.run(until=0.02)
            zwang.solve([[1.0]], [2.0], [[1.0]], [0.0])
            try:
                zwang.Model(text="coord x\nkinetic nrm(x')")
            except zwang.ModelError:
                pass
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    work(60)
    before = work(1)
    assert work(240) - before < 3000, "kB"  # one model with its simulations holds some 200 kB


def test_types_and_docs(zwang):
    for name in zwang.__all__:
        assert getattr(zwang, name).__doc__, name
    for kind in (zwang.Model, zwang.Simulation, zwang.Result, zwang.Ensemble):
        for name in dir(kind):
            if not name.startswith("_"):
                assert getattr(kind, name).__doc__, f"{kind.__name__}.{name}"
    assert numbers(zwang.words()["kernel"]) == ["auto", "bytecode", "native"]
