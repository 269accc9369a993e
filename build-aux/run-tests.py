#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs `meson test` in a build folder and counts individual tests instead of programs.

The last line is "N passed, M failed"; the exit status is 0 when M is 0 and N is not.

Twice as many tests run at once as there are processors, because those of the window wait for the display now and then.
Where there is a file system in memory, they have their files there: each file is written to the disk for good before it
replaces another, and thousands are.

A program that fails runs once more, alone: one that fails only beside others is told at the end, with its output above, and
counts as it came out alone.
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
# When more programs fail than this, it is not because of the others.
AGAIN = 5


@contextlib.contextmanager
def temporary_folder():
    """The environment of the tests."""
    wanted = 'TMPDIR' not in os.environ and os.path.isdir(MEMORY) and os.access(MEMORY, os.W_OK | os.X_OK)
    if not wanted or shutil.disk_usage(MEMORY).free < ENOUGH:
        yield dict(os.environ)
        return
    with tempfile.TemporaryDirectory(prefix='kineograph-', dir=MEMORY, ignore_cleanup_errors=True) as folder:
        yield dict(os.environ, TMPDIR=folder)


def run(build, at_once, arguments):
    """Runs programs.  Returns what meson wrote of each, and whether all succeeded."""
    log = os.path.join(build, 'meson-logs', 'testlog.json')
    if os.path.exists(log):
        os.remove(log)
    with temporary_folder() as environment:
        status = subprocess.run(['meson', 'test', '-C', build, '--no-rebuild', '--print-errorlogs', '--num-processes',
                                 str(at_once), *arguments], env=environment).returncode
    if not os.path.exists(log):
        return [], False
    with open(log, encoding='utf-8') as f:
        return [json.loads(line) for line in f], status == 0


def name_of(entry):
    """What meson calls a program on its command line, from its name in the log, which begins with the suite."""
    return entry['name'].split(' / ')[-1]


def multiplier(arguments):
    """The options for time limits among the arguments."""
    return [x for i, x in enumerate(arguments) if x == '-t' or (i > 0 and arguments[i - 1] == '-t')]


def main():
    build, arguments = sys.argv[1], sys.argv[2:]
    entries, succeeded = run(build, 2 * len(os.sched_getaffinity(0)), arguments)
    failures = [name_of(entry) for entry in entries if not has_succeeded(entry)]
    if 0 < len(failures) <= AGAIN:
        again, succeeded = run(build, 1, [*multiplier(arguments), *failures])
        entries = [entry for entry in entries if has_succeeded(entry)] + again
        for entry in again:
            if has_succeeded(entry):
                print(f'{name_of(entry)} failed beside others and passed alone')
    passed = failed = 0
    for entry in entries:
        ok, bad = count(entry)
        passed += ok
        failed += bad
    if not succeeded and failed == 0:
        failed = 1
    print(f'{passed} passed, {failed} failed')
    sys.exit(0 if failed == 0 and passed > 0 else 1)


def has_succeeded(entry):
    return entry['result'] in ('OK', 'EXPECTEDFAIL', 'SKIP')


def count(entry):
    """The results in the output of a program (TAP), or of the program itself if it has none."""
    good = bad = 0
    for line in (entry.get('stdout') or '').splitlines():
        line = line.lstrip()
        if line.startswith('ok ') and '# SKIP' not in line:
            good += 1
        elif line.startswith('not ok '):
            bad += 1
    succeeded = has_succeeded(entry)
    if good + bad == 0 and entry['result'] != 'SKIP':
        return (1, 0) if succeeded else (0, 1)
    if not succeeded and bad == 0:
        bad = 1  # it crashed after its last result
    return good, bad


main()
