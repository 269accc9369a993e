# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of kineo share: running it in a folder of its own."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from tap import main  # noqa: E402,F401

KINEO = os.environ['KINEO']

# a follows the frame, b chooses between it and 7, c looks at b two frames ahead.
NUMBERS = {
    'kineograph': 1,
    'title': 'Numbers',
    'frames': {'start': 1, 'end': 48, 'rate': 24},
    'nodes': {
        'a': {'type': 'graph/time_shift', 'inputs': {'value': {'expr': 'frame * 2'}}},
        'b': {'type': 'graph/switch', 'inputs': {'values': [{'link': 'a.shifted'}, 7]}},
        'c': {'type': 'graph/time_shift', 'inputs': {'value': {'link': 'b.value'}, 'offset': 2}},
    },
    'display': 'c.shifted',
}


class Result:
    """What a run of kineo left behind."""

    def __init__(self, done):
        self.status = done.returncode
        self.data = done.stdout
        self.err = done.stderr.decode('utf-8')

    @property
    def out(self):
        return self.data.decode('utf-8')

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


class KineoTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='kineo-test-')
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        """Text as it is, bytes as they are, everything else as JSON."""
        if isinstance(content, str):
            content = content.encode('utf-8')
        elif not isinstance(content, bytes):
            content = json.dumps(content).encode('utf-8')
        with open(self.path(name), 'wb') as f:
            f.write(content)
        return name

    def read(self, name):
        with open(self.path(name), 'rb') as f:
            return f.read()

    def environment(self, **more):
        return dict(os.environ, LC_ALL='C.UTF-8', **more)

    def kineo(self, *arguments, stdin=b'', stdout=subprocess.PIPE, limit=resource.RLIM_INFINITY, **more):
        """limit: bytes that a file may have, as "ulimit -f" of a shell says it."""
        def fill():
            # The hard limit stays: programs that read foreign files may raise their own.
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))

        done = subprocess.run([KINEO, *arguments], input=stdin, stdout=stdout, stderr=subprocess.PIPE, cwd=self.folder,
                              env=self.environment(**more), timeout=600, check=False,
                              preexec_fn=fill if limit != resource.RLIM_INFINITY else None)
        if stdout != subprocess.PIPE:
            done.stdout = b''
        return Result(done)

    def good(self, *arguments, **more):
        """Runs, expects success and a silent standard error, and gives standard output."""
        result = self.kineo(*arguments, **more)
        self.assertEqual((result.status, result.err), (0, ''))
        return result.out

    def bad(self, status, message, *arguments, **more):
        """Runs, expects this exit status, exactly this on standard error, and nothing on standard output."""
        result = self.kineo(*arguments, **more)
        self.assertEqual((result.status, result.err, result.out), (status, message, ''))

    def usage(self, message, command, *arguments):
        self.bad(2, f'kineo: {message}\nTry: kineo {command} --help\n', command, *arguments)
