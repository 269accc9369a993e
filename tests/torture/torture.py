# SPDX-License-Identifier: GPL-3.0-or-later
"""make torture: what kineo must survive.

Refuses each system call and block of memory in turn, fills disks, kills renders, compares bits for all numbers of threads, jobs
and sizes of caches, and looks for races.  --short takes a fixed sample in less than two minutes.
"""
import argparse
import os
import sys
import time

import bits
import faults
import kills
import races
from bench import Bench

# With the share of the time that each has.
PARTS = [('calls', faults.refuse_calls, 0.3), ('memory', faults.refuse_memory, 0.2), ('disk', faults.fill_disk, 0.05),
         ('kills', kills.kill_renders, 0.15), ('bits', bits.compare, 0.2), ('races', races.look, 0.1)]
SHORT = 100  # seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--short', action='store_true')
    parser.add_argument('--minutes', type=float, default=60)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('parts', nargs='*', default=[])
    arguments = parser.parse_args()
    parts = [part for part in PARTS if part[0] in (arguments.parts or [name for name, *_ in PARTS])]
    seconds = SHORT if arguments.short else arguments.minutes * 60
    share = seconds / sum(part[2] for part in parts)
    good = True
    for i, (name, do, weight) in enumerate(parts):
        bench = Bench(len(os.sched_getaffinity(0)), share * weight * (3 if arguments.short else 1))
        start = time.monotonic()
        try:
            skipped = do(bench, arguments.short, arguments.seed)
        finally:
            bench.close()
        for what, n in sorted(bench.figures.items()):
            print(f'# {name}: {what}: {n}')
        print(f'# {name}: {len(bench.failures)} failures in {time.monotonic() - start:.0f} s')
        print(f'{"not ok" if bench.failures else "ok"} {i + 1} {name}{f" # SKIP {skipped}" if skipped else ""}', flush=True)
        good = good and not bench.failures
    print(f'1..{len(parts)}')
    sys.exit(0 if good else 1)


main()
