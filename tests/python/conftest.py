"""What the tests of the Python package share: where the command is, and a model of their own.

The package is found by PYTHONPATH, the command by ZWANG. With WITHOUT_NUMPY=1 NumPy cannot be imported,
and what needs it is skipped.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

if os.environ.get("WITHOUT_NUMPY"):
    sys.modules["numpy"] = None

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("ZWANG", str(ROOT / "build" / "zwang"))

PENDULUM = """model "Pendulum"
param l = 1, g = 9.81, th = 0.5, damping = 0
coord x, y
kinetic   1/2*(x'^2 + y'^2)
potential g*y
force x: -damping*x'
force y: -damping*y'
constraint rod: x^2 + y^2 = l^2
start x = l*sin(th), y = -l*cos(th)
output angle = atan2(x, -y)
simulate t = 0..5, every = 0.01
"""

CART = """model "Pole on a cart"
input u = 0
param m = 0.2, M = 1, l = 0.5, g = 9.81
coord x, th
kinetic   M/2*x'^2 + m/2*((x' + l*th'*cos(th))^2 + (l*th'*sin(th))^2)
potential m*g*l*cos(th)
force x: u
start x = 0, th = 0.1
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if "numpy" in item.keywords and sys.modules.get("numpy", 0) is None:
            item.add_marker(pytest.mark.skip(reason="without NumPy"))


@pytest.fixture(scope="session")
def zwang():
    import zwang

    return zwang


@pytest.fixture
def pendulum(zwang):
    return zwang.Model(text=PENDULUM, file="pendulum.zw")


@pytest.fixture
def cart(zwang):
    return zwang.Model(text=CART, file="cart.zw")


@pytest.fixture
def command():
    """Runs the command; its standard output. Any status but those given is a failure."""

    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}

    def run(*words, status=(0,)):
        done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, env=environment)
        assert done.returncode in status, done.stderr
        return done.stdout

    return run


def numbers(x):
    """Nested lists, whatever holds the numbers."""
    return x.tolist() if hasattr(x, "tolist") else list(x)
