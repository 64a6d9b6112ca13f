#!/usr/bin/env python3
"""What `zwang sweep` costs beside the C ensemble it rests on, and what threads and ranks bring.

    bench/compare_sweep.py BUILD [RUNS [ROUNDS]]

Double pendulums of 2 s with g drawn anew for each, in turn by zw_ensemble_run and zw_sweep_run
(bench_sweep) and by the command with all it does: plan, starts, journal, .npz, summary. CPU seconds of
all processes and threads, the least of the rounds; memory is the most that one process had.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = """param m = [1, 1], g = 9.81
coord a, b
let p = [sin(a), -cos(a)]
let q = p + [sin(b), -cos(b)]
kinetic m[1]/2*dot(p', p') + m[2]/2*dot(q', q')
potential g*(m[1]*p[2] + m[2]*q[2])
start a = 1.5, b = 1.2
simulate t = 0..2, tol = 1e-9
"""


def run(words, folder):
    """CPU seconds, seconds by the clock and MB of a program that must succeed."""
    began = time.monotonic()
    child = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = child.stdout.read().decode()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(words)}: {said}")
    return used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss / 1024, said


def sweep(build, folder, runs, keep, *more, before=()):
    """One sweep from nothing; its result is dropped."""
    words = [*before, str(build / "zwang"), "sweep", "pendulum.zw", "-q", "--vary", "g ~ uniform(9, 10)",
             "--samples", str(runs), "--keep", keep, "-o", "result.npz", *more]
    found = run(words, folder)
    (folder / "result.npz").unlink()
    return found


def compare(build, folder, runs, rounds):
    """The command beside the library, in turn."""
    best = {}
    for _ in range(rounds):
        said = run([str(build / "bench/bench_sweep"), str(runs), "2", "1", "1"], folder)[3]
        ensemble, inside = map(float, re.search(r"ensemble ([\d.]+) s, sweep ([\d.]+) s", said).groups())
        cpu, _, memory, _ = sweep(build, folder, runs, "last(a), last(b)", "--threads", "1")
        for name, value in (("ensemble", ensemble), ("zw_sweep_run", inside), ("zwang sweep", cpu)):
            best[name] = min(value, best.get(name, value))
    for name, value in best.items():
        print(f"{runs} runs: {name:12} {value:8.2f} s CPU, {value / best['ensemble']:.2f} of the ensemble")
    print(f"{runs} runs: {memory:.0f} MB at most", flush=True)


def kept(build, folder, runs):
    """What of a run costs how much."""
    for keep in ("last(a)", "at(1, a), last(a)", "steps", "trust", "largest(a)", "mean(a)", "largest(energy)"):
        cpu = sweep(build, folder, runs, keep, "--threads", "1")[0]
        print(f"{runs} runs, {keep:18} {1e6 * cpu / runs:8.1f} us CPU a run", flush=True)


def scale(build, folder, runs):
    """Threads of one process, and ranks with one thread each."""
    ways = [(f"{k} threads", ["--threads", str(k)], []) for k in (1, 2)]
    if shutil.which("mpirun") and (build / "zwang_mpi.so").exists():
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        calm = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        ways += [(f"{k} ranks", [], ["mpirun", *calm, "-n", str(k)]) for k in (1, 2, 4)]
    for name, more, before in ways:
        cpu, clock, memory, _ = sweep(build, folder, runs, "last(a), last(b)", *more, before=before)
        print(f"{runs} runs, {name:10} {runs / clock:9.0f} a second by the clock, {runs / cpu:8.0f} a CPU "
              f"second, {memory:4.0f} MB a process", flush=True)


def main():
    build = Path(sys.argv[1]).resolve()
    runs = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1000000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pendulum.zw").write_text(MODEL)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        compare(build, folder, runs, rounds)
        kept(build, folder, max(runs // 50, 1000))
        scale(build, folder, max(runs // 5, 1000))


main()
