#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: Kineograph beside Blender (where it is installed) and beside the memory's bandwidth, in one run.

run.py BUILD
"""
import os
import shutil
import subprocess
import sys

# Bytes that the work has to read and write at the least: positions in and out, for morphs two shapes in.
LEAST_BYTES = {'ffd-1000000': 24e6, 'morph-1000000': 36e6}


def figures(command):
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    pairs = (line.split('\t') for line in output.splitlines() if line.count('\t') == 1)
    return {name: float(value) for name, value in pairs}


def main():
    build, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
    ours = figures([os.path.join(build, 'bench', 'kineo-bench')])
    blender = shutil.which('blender')
    theirs = figures([blender, '--background', '--factory-startup', '--python',
                      os.path.join(here, 'blender-bench.py')]) if blender else {}
    bandwidth = ours.pop('memory-bandwidth')
    print(f'memory: {bandwidth / 1e9:.1f} GB/s' + ('' if blender else '; Blender is not installed (apt-get install blender)'))
    print(f'{"":26}{"Kineograph":>14}{"Blender":>14}{"ratio":>10}{"of memory":>12}')
    for name, seconds in ours.items():
        row = f'{name:26}{seconds * 1e3:>11.3f} ms'
        row += f'{theirs[name] * 1e3:>11.3f} ms{theirs[name] / seconds:>9.1f}×' if name in theirs else f'{"":>24}'
        if name in LEAST_BYTES:
            row += f'{LEAST_BYTES[name] / seconds / bandwidth:>11.0%}'
        print(row)


main()
