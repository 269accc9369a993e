# SPDX-License-Identifier: GPL-3.0-or-later
"""Times neighbours with SciPy's cKDTree as bench/shapes.c does with ours; prints name and seconds (the best of three)."""
import sys
import time

import numpy
from scipy.spatial import cKDTree

points = numpy.loadtxt(sys.argv[1], skiprows=2, dtype=numpy.float32)
runs = []
for run in range(3):
    start = time.perf_counter()
    cKDTree(points).query(points, k=8, workers=-1)
    runs.append(time.perf_counter() - start)
print(f'neighbours\t{min(runs):.9f}')
