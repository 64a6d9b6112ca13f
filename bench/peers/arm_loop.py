"""The loop of arm_loop.c in Python: an acceleration into an array, then v += h a, q += h v by NumPy; and
the calls alone.

    PYTHONPATH=build/python python3 bench/peers/arm_loop.py bench/peers/arm_six.zw
"""

import sys
import time

import zwang

TURNS, TRIES, STEP = 5000, 15, 1e-5


def best_of(loop):
    found = float("inf")
    for _ in range(TRIES):
        begun = time.perf_counter()
        loop()
        found = min(found, (time.perf_counter() - begun) / TURNS)
    return 1e9 * found


def main():
    s = zwang.Model(sys.argv[1]).simulation(kernel="native")
    s.kernel("native")
    start = s.q.copy(), s.v.copy()
    out, call = s.q.copy(), s.acceleration

    def whole():
        q, v = start[0].copy(), start[1].copy()
        for _ in range(TURNS):
            call(0.0, q, v, out)
            v += STEP * out
            q += STEP * v

    def calls():
        q, v = start
        for _ in range(TURNS):
            call(0.0, q, v, out)

    print(f"Zwang, Python      {best_of(whole):6.0f} ns a turn, at one state {best_of(calls):.0f} ns")


main()
