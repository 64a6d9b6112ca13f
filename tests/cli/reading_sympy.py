"""Executes an output of `zwang derive --sympy` and checks it by SymPy itself: H follows from M by
Christoffel's symbols and the derivative by time, and A, b from phi."""
import sys

import sympy as sp

names = {}
exec(open(sys.argv[1], encoding='utf-8').read(), names)
M, H, A, b, phi = (names[k] for k in ('M', 'H', 'A', 'b', 'phi'))
q, v, t = names['q'], names['v'], names['t']
n = len(q)

assert M == M.T


def along(f):
    """The time derivative with the velocities held."""
    return sp.diff(f, t) + sum(sp.diff(f, q[k]) * v[k] for k in range(n))


def is_zero(f):
    """At three points; what simplify cannot see it cannot refuse."""
    symbols = sorted(f.free_symbols, key=str)
    for point in range(3):
        values = {s: sp.Rational(7 + 3 * k + point, 11 + k) for k, s in enumerate(symbols)}
        if abs(complex(f.subs(values).evalf())) > 1e-10:
            return False
    return True


# T without the part that rheonomic terms add: only for models without t
if not any(t in M[i].free_symbols for i in range(n * n)) and not names['H'].has(t) \
        and 'ω' not in str(names.get('title', '')):
    V = sp.Matrix(v)
    T = (V.T * M * V)[0] / 2
    for i in range(n):
        expected = sp.diff(T, q[i]) - along((M * V)[i])
        if not is_zero(expected - H[i]):
            # what is left must be of a time that has gone: a constant rate in T
            assert not (expected - H[i]).has(*v), (q[i], expected, H[i])
for r in range(phi.rows):
    f = phi[r]
    order = [k for k in (v, q) if any(f.has(x) for x in k)][0]
    for i in range(n):
        assert is_zero(sp.diff(f, order[i]) - A[r, i]), (r, i)
    rate = along(f) if order is v else along(along(f))
    assert is_zero(-rate - b[r]), r
print('agrees')
