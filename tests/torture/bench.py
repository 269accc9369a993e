# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of the torture share: runs of kineo in folders of their own, what must hold after each, and figures."""
import collections
import concurrent.futures
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import cases

KINEO = os.environ['KINEO']
INJECT = os.environ['KG_INJECT']
PRELOAD = os.environ['KG_PRELOAD']
OLD = b'the old file'
ABORTS = (-signal.SIGABRT, -signal.SIGTRAP)
MOVIES = ('.mp4', '.gif', '.webm')
LONGEST = 120  # seconds that a run may take
MEMORY = '/dev/shm'


@dataclasses.dataclass
class Run:
    """A run of kineo and the files after it."""
    status: int  # minus the number of a signal
    out: bytes
    err: str
    files: dict
    counted: int = 0
    refused: int = -1


class Bench:
    def __init__(self, workers, seconds):
        self.workers = workers
        self.end = time.monotonic() + seconds
        self.figures = collections.Counter()
        self.failures = []
        self.lock = threading.Lock()
        self.root = tempfile.mkdtemp(prefix='kineo-torture-', dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
        self.references = {}

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def left(self):
        return self.end - time.monotonic()

    def count(self, what, n=1):
        with self.lock:
            self.figures[what] += n

    def fail(self, what, run=None):
        text = what if run is None else f'{what}: status {run.status}, {run.err.strip()[-400:]!r}, files {sorted(run.files)}'
        with self.lock:
            self.failures.append(text)
        print(f'# {text}', flush=True)

    def each(self, do, things):
        """Does all of them, several at a time."""
        with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(do, things))

    # Folders.

    def make_folder(self, case=None, old=False, where=None):
        folder = tempfile.mkdtemp(dir=where or self.root)
        for name, content in cases.INPUTS.items():
            write(os.path.join(folder, name), content)
        if old and case is not None and not case.in_place:
            for name in case.outputs:
                write(os.path.join(folder, name), OLD)
        return folder

    def run(self, arguments, folder, before=(), environment=None, **more):
        """Runs kineo, under other programs if there are any before it."""
        try:
            done = subprocess.run([*before, KINEO, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=LONGEST, check=False, env=make_environment(environment), **more)
        except subprocess.TimeoutExpired as error:
            return Run(-signal.SIGXCPU, error.stdout or b'', f'it took longer than {LONGEST} s', read_all(folder))
        return Run(done.returncode, done.stdout, done.stderr.decode('utf-8', 'replace'), read_all(folder))

    def reference(self, case):
        """What the command does when nothing goes wrong."""
        with self.lock:
            known = self.references.get(case.name)
        if known is None:
            folder = self.make_folder(case)
            known = self.run(case.arguments, folder)
            shutil.rmtree(folder)
            if known.status != 0:
                raise SystemExit(f'{case.name} fails by itself: {known.err}')
            with self.lock:
                self.references[case.name] = known
        return known

    # What must hold.

    def check(self, what, case, run, old, small=False, silent=False):
        """After whatever happened: each file is the old one or the new one, nothing else is there, and every failure is reported.
        small: a few bytes were refused; GLib ends the program then, with a message, and json-c, fontconfig and others use
        what they did not get.  silent: standard error could not be written."""
        reference = self.reference(case)
        before = dict(cases.INPUTS)
        if old and not case.in_place:
            before.update(dict.fromkeys(case.outputs, OLD))
        for name, content in run.files.items():
            if any(name.startswith(folder + '/') for folder in case.folders):
                continue
            if name in case.outputs:
                # A movie repeats the frame before one that fails, with a message.
                repeated = run.status == 1 and name.endswith(MOVIES) and 'frames failed' in run.err
                if content not in (before.get(name), reference.files[name]) and not repeated:
                    self.fail(f'{what}: {name} is neither the old file nor the new one', run)
            elif name not in cases.INPUTS:
                self.fail(f'{what}: {name} is left behind', run)
            elif content != cases.INPUTS[name]:
                self.fail(f'{what}: {name} has changed', run)
        for name in before:
            if name not in run.files:
                self.fail(f'{what}: {name} is lost', run)
        if run.status == 0:
            # A preset that cannot be read does not stop the command: there is only the warning.
            if run.out != reference.out and 'warning: ' not in run.err:
                self.fail(f'{what}: what is printed is wrong, and the status is 0', run)
            for name in case.outputs:
                if run.files.get(name) != reference.files[name]:
                    self.fail(f'{what}: {name} is not written, and the status is 0', run)
        elif (small and (run.status == -signal.SIGSEGV or 'std::bad_alloc' in run.err or 'failed at src/libav' in run.err)) or (
                run.status == -signal.SIGABRT and 'in libgcrypt' in run.err):
            # FFmpeg asserts that the contexts of its codecs get their memory.  libgcrypt, which is loaded with it, ends a program in
            # which it cannot open a file.
            self.count('ended by another library')
        elif run.status < 0 and not (small and run.status in ABORTS):
            self.fail(f'{what}: it ends by signal {-run.status}', run)
        elif not silent and not re.search(r'(?m)^[^ ].*: ', run.err):
            self.fail(f'{what}: it fails without a message', run)
        elif run.status not in (1, 2, 3, *ABORTS):
            self.fail(f'{what}: its status is unknown', run)


def make_environment(more):
    environment = {'PATH': os.environ['PATH'], 'HOME': '/nonexistent', 'LC_ALL': 'C.UTF-8', 'OMP_NUM_THREADS': '2',
                   'OMP_WAIT_POLICY': 'passive', 'KINEOGRAPH_PRESET_PATH': ''}
    environment.update(more or {})
    return environment


def write(path, content):
    """Written long ago: images hold a fingerprint of when what they depend on was written."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(content)
    os.utime(path, (10**9, 10**9))


def read_all(folder):
    files = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, 'rb') as f:
                files[os.path.relpath(path, folder)] = f.read()
    return files
