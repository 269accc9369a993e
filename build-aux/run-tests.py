#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs `meson test` in a build folder and counts individual tests instead of programs.

The last line is "N passed, M failed"; the exit status is 0 when M is 0 and N is not.
"""
import json
import os
import subprocess
import sys


def main():
    build = sys.argv[1]
    log = os.path.join(build, 'meson-logs', 'testlog.json')
    if os.path.exists(log):
        os.remove(log)
    status = subprocess.run(['meson', 'test', '-C', build, '--no-rebuild', '--print-errorlogs'] + sys.argv[2:]).returncode
    passed = failed = 0
    if os.path.exists(log):
        with open(log, encoding='utf-8') as f:
            for line in f:
                ok, bad = count(json.loads(line))
                passed += ok
                failed += bad
    if status != 0 and failed == 0:
        failed = 1
    print(f'{passed} passed, {failed} failed')
    sys.exit(0 if failed == 0 and passed > 0 else 1)


def count(entry):
    """The results in the output of a program (TAP), or of the program itself if it has none."""
    good = bad = 0
    for line in (entry.get('stdout') or '').splitlines():
        line = line.lstrip()
        if line.startswith('ok ') and '# SKIP' not in line:
            good += 1
        elif line.startswith('not ok '):
            bad += 1
    succeeded = entry['result'] in ('OK', 'EXPECTEDFAIL', 'SKIP')
    if good + bad == 0 and entry['result'] != 'SKIP':
        return (1, 0) if succeeded else (0, 1)
    if not succeeded and bad == 0:
        bad = 1  # it crashed after its last result
    return good, bad


main()
