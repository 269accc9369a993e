# SPDX-License-Identifier: GPL-3.0-or-later
"""The same curves in SciPy, its compiled splines, on one thread as it comes.

Prints lines "name<tab>seconds" (medians).  The curves and the values asked for are those of bench.c.
"""
import numpy as np
from scipy.interpolate import BPoly, BSpline, CubicHermiteSpline, CubicSpline, make_interp_spline, splev, splprep

from measure import report

POINTS = 1001
VALUES = 1000000
LENGTHS = 100000


def points(count=POINTS):
    i = np.arange(count)
    return np.stack([np.cos(0.7 * i) + 0.01 * i, np.sin(1.1 * i), 0.3 * np.cos(0.3 * i)], axis=1)


def evaluate_all():
    p = points()
    segments = POINTS - 1
    knots = np.arange(POINTS, dtype=float)
    u = np.linspace(0, segments, VALUES)
    shuffled = np.random.default_rng(1).permutation(u)
    tangents = np.gradient(p, axis=0)
    cubic = CubicSpline(knots, p, bc_type='natural')
    report('curve-cubic-spline', lambda: cubic(u))
    report('curve-cubic-spline-scattered', lambda: cubic(shuffled))
    hermite = CubicHermiteSpline(knots, p, tangents)
    for name in ('catmull-rom', 'hermite', 'kochanek-bartels', 'four-point'):
        report(f'curve-{name}', lambda: hermite(u))
    report('curve-derivative', lambda: hermite(u, 1))
    pieces = BPoly(np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(p, 4, axis=0)[::3].transpose(2, 0, 1)),
                   np.arange((POINTS - 1) // 3 + 1, dtype=float))
    v = np.linspace(0, (POINTS - 1) // 3, VALUES)
    report('curve-bezier', lambda: pieces(v))
    linear = make_interp_spline(knots, p, k=1)
    report('curve-linear', lambda: linear(u))
    for order in (4, 6):
        b = BSpline(np.arange(POINTS + order, dtype=float), p, order - 1)
        w = np.linspace(order - 1, POINTS, VALUES)
        report(f'curve-b-spline-{order}', lambda b=b, w=w: b(w))
    weights = 1 + 0.5 * np.sin(np.arange(POINTS))
    rational = BSpline(np.arange(POINTS + 4, dtype=float), np.column_stack([p * weights[:, None], weights]), 3)
    w = np.linspace(3, POINTS, VALUES)

    def nurbs():
        q = rational(w)
        return q[:, :3] / q[:, 3:]
    report('curve-nurbs', nurbs)
    tck, _ = splprep(p.T, u=knots, s=0)
    report('curve-b-spline-splev', lambda: splev(u, tck))


def invert():
    """Newton's method on a table, all values at once: what one writes with SciPy."""
    p = points()
    knots = np.arange(POINTS, dtype=float)
    curve = CubicSpline(knots, p, bc_type='natural')
    velocity = curve.derivative()
    nodes, weights = np.polynomial.legendre.leggauss(5)
    steps = 8 * (POINTS - 1)
    edges = np.linspace(0, POINTS - 1, steps + 1)

    def lengths(a, b):
        middle, half = 0.5 * (a + b), 0.5 * (b - a)
        speed = np.linalg.norm(velocity(middle[:, None] + half[:, None] * nodes), axis=2)
        return half * (speed @ weights)

    table = np.concatenate([[0], np.cumsum(lengths(edges[:-1], edges[1:]))])
    wanted = np.linspace(0, table[-1], LENGTHS)

    def solve():
        i = np.clip(np.searchsorted(table, wanted, side='right') - 1, 0, steps - 1)
        start = edges[i]
        low, high = start.copy(), edges[i + 1].copy()
        u = start + (high - start) * (wanted - table[i]) / (table[i + 1] - table[i])
        todo = np.arange(LENGTHS)
        for _ in range(30):
            error = table[i[todo]] + lengths(start[todo], u[todo]) - wanted[todo]
            keep = np.abs(error) > 1e-12 * table[-1]
            if not keep.any():
                break
            todo, error = todo[keep], error[keep]
            low[todo] = np.where(error < 0, u[todo], low[todo])
            high[todo] = np.where(error > 0, u[todo], high[todo])
            new = u[todo] - error / np.linalg.norm(velocity(u[todo]), axis=1)
            outside = (new <= low[todo]) | (new >= high[todo])
            u[todo] = np.where(outside, 0.5 * (low[todo] + high[todo]), new)
        return u
    report('curve-inverse-100000', solve)


def fit():
    p = points(2000)
    report('fit-2000', lambda: make_interp_spline(np.arange(2000.0), p, k=3))


evaluate_all()
invert()
fit()
