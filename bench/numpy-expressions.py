# SPDX-License-Identifier: GPL-3.0-or-later
"""The formulas of expressions.c in NumPy, as one writes them.

Prints lines "name<tab>seconds" (medians).
"""
import numpy as np

from measure import report

POINTS = 1000000


def main():
    i = np.arange(POINTS)
    x, y, a = 4.0 * i / POINTS - 2, 1.5 - i / POINTS, 0.3
    report('expression-arithmetic', lambda: (x * x + y * y - a) * (x - y) / (1 + x * x * y * y))
    report('expression-root', lambda: np.sqrt(x * x + y * y) * (x - a) + np.abs(y) / (2 + x) - x)
    report('expression-choice', lambda: np.where(x * y > a, x + 2 * y, np.maximum(x, y) - a * x))
    report('expression-sine', lambda: np.sin(x * 3 + a) * np.cos(y * 2 - a) + 0.5 * x * y - a)
    report('expression-power', lambda: np.exp(-(x * x + y * y)) * 2 + (x - a) * (y + a) - x)


main()
