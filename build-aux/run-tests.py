#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs `meson test` in a build folder and counts individual tests instead of programs.

The last line is "N passed, M failed"; the exit status is 0 when M is 0 and N is not.

Half as many tests again run at once as there are processors, because those of the window wait for the display now and then.
Where there is a file system in memory, they have their files there: each file is written to the disk for good before it
replaces another, and thousands are.
"""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

MEMORY = '/dev/shm'
ENOUGH = 2 << 30


@contextlib.contextmanager
def temporary_folder():
    """The environment of the tests."""
    wanted = 'TMPDIR' not in os.environ and os.path.isdir(MEMORY) and os.access(MEMORY, os.W_OK | os.X_OK)
    if not wanted or shutil.disk_usage(MEMORY).free < ENOUGH:
        yield dict(os.environ)
        return
    with tempfile.TemporaryDirectory(prefix='kineograph-', dir=MEMORY, ignore_cleanup_errors=True) as folder:
        yield dict(os.environ, TMPDIR=folder)


def run(build, arguments):
    at_once = max(1, 3 * len(os.sched_getaffinity(0)) // 2)
    with temporary_folder() as environment:
        return subprocess.run(['meson', 'test', '-C', build, '--no-rebuild', '--print-errorlogs', '--num-processes',
                               str(at_once), *arguments], env=environment).returncode


def main():
    build = sys.argv[1]
    log = os.path.join(build, 'meson-logs', 'testlog.json')
    if os.path.exists(log):
        os.remove(log)
    status = run(build, sys.argv[2:])
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
