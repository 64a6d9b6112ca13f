"""Simulations: live arrays, inputs, matrices, columns, restart; and what a call costs."""

import gc
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import CART, ROOT, numbers


def test_live_arrays_follow_the_motion(zwang, pendulum):
    s = pendulum.simulation(l=2)
    q, v = s.q, s.v
    assert q[0] == pytest.approx(2 * math.sin(0.5)) and v[0] == 0
    assert s.advance(0.1) is True
    assert s.t == 0.1 and q is s.q and v[0] != 0
    assert q[0] ** 2 + q[1] ** 2 == pytest.approx(4, abs=1e-12)
    reference = pendulum.run(at=[0, 0.1], l=2)
    assert abs(reference["x"][1] - q[0]) < 1e-12


def test_what_is_written_into_them_is_the_state(zwang, pendulum):
    s = pendulum.simulation()
    s.advance(0.5)
    s.q[0], s.q[1] = math.sin(0.3), -math.cos(0.3)
    s.v[0] = s.v[1] = 0.0
    assert s.energy == pytest.approx(-9.81 * math.cos(0.3))
    s.advance(0.25)
    other = pendulum.simulation(start={"x": math.sin(0.3), "y": -math.cos(0.3)})
    other.t = 0.5
    other.advance(0.25)
    assert numbers(s.q) == numbers(other.q)
    s.q = [0.0, -1.0]
    assert numbers(s.q) == [0.0, -1.0]
    with pytest.raises(ValueError):
        s.q = [1.0]


def test_acceleration_at_the_state_and_anywhere(zwang, pendulum):
    s = pendulum.simulation()
    z = s.acceleration()
    assert len(z) == 2 and z[0] * s.q[0] + z[1] * s.q[1] == pytest.approx(0, abs=1e-12)
    again = s.acceleration(0.0, s.q, s.v)
    assert numbers(again) == numbers(z)
    assert numbers(s.acceleration(0, [0, -1], [1, 0])) == pytest.approx([0, 1])  # v^2 / l, upwards
    out = pendulum.simulation().acceleration()
    assert s.acceleration(out) is out and numbers(out) == numbers(z)
    with pytest.raises(ValueError):
        s.acceleration(0, [0], [1, 0])
    with pytest.raises(TypeError):
        s.acceleration(0, "ab", [1, 0])
    with pytest.raises(TypeError):
        s.acceleration([0, 0])  # a list cannot be written into


def test_columns_multipliers_energy(zwang, command, tmp_path, pendulum):
    file = tmp_path / "p.zw"
    file.write_text(pendulum.text)
    s = pendulum.simulation()
    out = command("run", file, "--quiet", "--at", "0", "--columns", "multiplier(rod), energy, force(y)")
    expected = [float(x) for x in out.splitlines()[1].split(",")][1:]
    assert [s.multiplier("rod"), s.energy, s["force(y)"]] == expected
    hoop = zwang.example("hoop").simulation()
    assert len(hoop["r"]) == 3
    with pytest.raises(zwang.SettingError):
        s["nothing"]


def test_matrices_and_the_whole_answer(zwang):
    s = zwang.example("hoop").simulation()
    x = s.matrices()
    M, Q, A, b = (numbers(x[name]) for name in "MQAb")
    answer = s.solve()
    direct = zwang.solve(M, Q, A, b)
    for name in ("acceleration", "force", "multipliers"):
        assert numbers(answer[name]) == pytest.approx(numbers(direct[name]), abs=1e-12)
    assert answer.rank == 2 and answer.diagnosis["unique_multipliers"] == ["sphere", "plane"]
    assert numbers(answer.acceleration) == pytest.approx(numbers(s.acceleration()), abs=1e-12)


def test_inputs_in_a_loop(zwang, cart):
    assert cart.inputs == ["u"]
    s = cart.simulation()
    assert s.input["u"] == 0
    for _ in range(300):
        s.input["u"] = 40 * s.q[1] + 8 * s.v[1] + 1 * s.q[0] + 2 * s.v[0]
        s.advance(0.01)
    assert abs(s.q[1]) < 0.02, "the pole stands"
    fallen = cart.simulation()
    fallen.advance(1)
    assert abs(fallen.q[1]) > 1
    with pytest.raises(zwang.SettingError):
        s.input["w"] = 1
    with pytest.raises(KeyError):
        s.input["w"]
    with pytest.raises(zwang.SettingError):
        s.input["u"] = math.nan
    with pytest.raises(TypeError):
        s.input["u"] = "fast"
    held = cart.simulation()
    held.input["u"] = 0.5
    held.advance(0.2)
    expected = zwang.Model(text=CART, inputs={"u": 0.5}).simulation()
    expected.advance(0.2)
    assert numbers(held.q) == pytest.approx(numbers(expected.q), abs=1e-9)


def test_parameters_before_and_on_the_way(zwang, pendulum):
    s = pendulum.simulation()
    s.parameters["damping"] = 2.0
    assert s.parameters["damping"] == 2.0 and dict(s.parameters)["l"] == 1
    s.advance(1)
    assert s.energy < -9.81 * math.cos(0.5) - 0.1
    before = s.energy
    s.parameters["damping"] = 0.0
    s.advance(1)
    assert s.energy == pytest.approx(before, abs=1e-7)
    s.parameters["g"] = 1.62  # no handle was taken before the run: it begins anew
    s.advance(0.1)
    assert s.parameters["g"] == 1.62


def test_save_and_restore_to_the_bits(zwang, pendulum):
    s = pendulum.simulation()
    s.advance(1)
    kept = s.save()
    s.advance(1)
    end = numbers(s.q)
    s.restore(kept)
    assert s.t == 1
    s.advance(1)
    assert numbers(s.q) == end
    with pytest.raises(zwang.SettingError):
        s.restore(b"no run")


def test_rows_and_statistics(zwang, pendulum):
    s = pendulum.simulation()
    table = s.rows([0.1, 0.2, 0.3], ["angle", "energy"])
    assert list(table.shape) == [3, 3] and table[2, 0] == 0.3 == s.t
    assert s.statistics()["steps"] > 0 and s.statistics()["trust"] == "ok"
    assert "trust" in s.verdict and s.solver == "dense" and s.model is pendulum
    s.kernel("native")
    with pytest.raises(ValueError):
        s.advance(-1)
    with pytest.raises(TypeError):
        s.advance()
    with pytest.raises(ValueError):
        s.advance(math.nan)


def test_tangents_linear_systems_and_rest(zwang, pendulum, cart):
    s = pendulum.simulation()
    q, z = numbers(s.q), numbers(s.acceleration())
    rates, _ = s.tangent(parameter="g")
    step = 1e-6
    other = pendulum.simulation(g=9.81 + step)
    slope = [(b - a) / step for a, b in zip(z, numbers(other.acceleration()))]
    assert numbers(rates) == pytest.approx(slope, abs=1e-6)
    with pytest.raises(KeyError):
        s.tangent(parameter="k")
    rest = s.equilibrium()
    assert numbers(rest["q"]) == pytest.approx([0, -1], abs=1e-9) and numbers(s.q) == numbers(rest["q"])
    assert rest["frequencies"][0] == pytest.approx(math.sqrt(9.81)) and q != numbers(s.q)
    upright = cart.simulation(start={"th": 0})
    system = upright.linearize(outputs=["th"])
    assert list(system["A"].shape) == [4, 4] and list(system["B"].shape) == [4, 1]
    assert max(pole.real for pole in system["poles"]) == pytest.approx(
        math.sqrt(9.81 * 1.2 / (0.5 * 1.0)), rel=1e-6)


def test_contacts(zwang):
    model = zwang.example("newton_cradle")
    s = model.simulation()
    s.advance(to=model.settings["until"])
    name = model.contacts[0]
    assert s.contact(name)["state"] in ("open", "touches", "sticks")
    assert s.contact(name)["impacts"] > 0 and s.happened


def test_a_model_as_c(zwang, pendulum, tmp_path):
    s = pendulum.simulation(until=1)
    texts = s.export_c("swing", main=True)
    assert sorted(texts) == ["swing.c", "swing.h"] and '#include "swing.h"' in texts["swing.c"]
    assert texts == s.export_c("swing", main=True)  # the same bytes
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", "-o", tmp_path / "swing", tmp_path / "swing.c", "-lm"], check=True)
    rows = subprocess.run([tmp_path / "swing"], check=True, capture_output=True, text=True).stdout
    assert len(rows.splitlines()) > 1
    with pytest.raises(zwang.Error) as caught:
        zwang.Model(text="coord y\nkinetic y'^2/2\nconstraint ground: y >= 0\nstart y = 1\n").simulation(until=1).export_c()
    assert caught.value.code.startswith("E079")


def test_simulations_outlive_their_names(zwang, pendulum):
    q = pendulum.simulation().q
    gc.collect()
    assert q[0] == pytest.approx(math.sin(0.5))  # the memory is that of the array
    s = zwang.Model(text=pendulum.text).simulation()  # keeps its model
    gc.collect()
    s.advance(0.1)


# ---- what a call costs

C_LOOP = r"""
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zwang.h>
int main(int argc, char **argv)
{
    zw_context *c; zw_model *m; zw_sim *s;
    static char text[20000];
    FILE *f = fopen(argv[argc - 1], "r");
    zw_model_source source = {.file = "m", .text = text, .length = fread(text, 1, sizeof text, f)};
    double q[16], v[16], z[16], best = 1;
    fclose(f);
    zw_context_create(NULL, &c); zw_model_compile(c, &source, &m); zw_sim_create(m, &s);
    zw_sim_start(s, false); zw_sim_set_kernel(s, ZW_KERNEL_NATIVE); zw_sim_state(s, NULL, q, v);
    for (int k = 0; k < 30; k++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        for (int i = 0; i < 2000; i++) zw_sim_acceleration(s, 0, q, v, z);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double t = ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec)) / 2000;
        if (t < best) best = t;
    }
    printf("%.3e\n", best);
    return 0;
}
"""


@pytest.fixture(scope="module")
def c_loop(tmp_path_factory):
    """The same loop in C; nanoseconds a call."""
    library = Path(os.environ.get("ZWANG_LIBRARY", ROOT / "build/libzwang.so"))
    compiler = shutil.which("gcc")
    if not library.exists() or not compiler:
        pytest.skip("no C compiler, or no library")
    folder = tmp_path_factory.mktemp("loop")
    (folder / "loop.c").write_text(C_LOOP)
    subprocess.run([compiler, "-O2", "-o", folder / "loop", folder / "loop.c", f"-I{ROOT}/include",
                    str(library), f"-Wl,-rpath,{library.parent}"], check=True)
    return folder / "loop"


@pytest.mark.numpy
@pytest.mark.speed
def test_an_acceleration_costs_less_than_a_microsecond_more_than_in_c(zwang, pendulum, tmp_path, c_loop):
    file = tmp_path / "p.zw"
    file.write_text(pendulum.text)
    s = pendulum.simulation()
    s.kernel("native")
    q, v, out, call = s.q.copy(), s.v.copy(), s.q.copy(), s.acceleration
    loops = {"at the state": lambda: call(), "into an array": lambda: call(0.0, q, v, out)}
    in_c = float(subprocess.run([c_loop, file], capture_output=True, text=True, check=True).stdout)
    for name, loop in loops.items():
        best = 1.0
        for _ in range(60):
            begun = time.perf_counter()
            for _ in range(1000):
                loop()
            best = min(best, (time.perf_counter() - begun) / 1000)
        print(f"{name}: {1e9 * best:.0f} ns, in C {1e9 * in_c:.0f} ns")
        assert best - in_c < 1e-6, name


def test_types_are_declared(zwang):
    stubs = (ROOT / "python/zwang/__init__.pyi").read_text()
    for name in zwang.__all__:
        assert name in stubs, name


@pytest.mark.child
@pytest.mark.numpy
def test_the_reference_is_up_to_date(zwang):
    done = subprocess.run([sys.executable, ROOT / "tools/python_reference", "--check",
                           ROOT / "docs/python_reference.md"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
