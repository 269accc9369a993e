# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the scripts that measure SciPy."""
import statistics
import time

RUNS = 9


def report(name, call):
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    print(f'{name}\t{statistics.median(seconds):.9f}', flush=True)
