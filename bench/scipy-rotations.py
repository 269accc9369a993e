# SPDX-License-Identifier: GPL-3.0-or-later
"""The same rotations in SciPy, its compiled Rotation and Slerp, as they come.

Prints lines "name<tab>seconds" (medians).  The keys and the number of values are those of rotations.c.
"""
import numpy as np
from scipy.spatial.transform import Rotation, RotationSpline, Slerp

from measure import report

KEYS = 1001
VALUES = 1000000


def main():
    i = np.arange(KEYS)
    keys = Rotation.from_euler('xyz', np.stack([np.sin(1.1 * i), np.cos(0.7 * i), np.sin(0.3 * i)], axis=1))
    times = np.linspace(0, 1, KEYS)
    wanted = np.linspace(0, 1, VALUES)
    slerp = Slerp(times, keys)
    spline = RotationSpline(times, keys)
    report('rotation-slerp', lambda: slerp(wanted))
    report('rotation-smooth', lambda: spline(wanted))
    values = slerp(wanted)
    report('rotation-to-angles', lambda: values.as_euler('xyz'))
    report('rotation-matrix-and-back', lambda: Rotation.from_matrix(values.as_matrix()))


main()
