# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of kineo share: running it in a folder of its own."""
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

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


def unfilter(kind, line, above, step):
    for i, x in enumerate(line):
        a, b, c = (line[i - step] if i >= step else 0), above[i], (above[i - step] if i >= step else 0)
        near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        line[i] = (x + (0, a, b, (a + b) // 2, near)[kind]) & 255
    return line


def read_rows(data):
    """Width, height, bytes in a pixel, and the filtered rows of an 8-bit RGB or RGBA picture."""
    width, height, depth, kind = struct.unpack('>IIBB', data[16:26])
    assert depth == 8 and kind in (2, 6)
    compressed, at = b'', 8
    while at < len(data):
        length, name = struct.unpack('>I4s', data[at:at + 8])
        compressed += data[at + 8:at + 8 + length] if name == b'IDAT' else b''
        at += 12 + length
    return width, height, 4 if kind == 6 else 3, zlib.decompress(compressed)


def read_png(data):
    """Rows of pixels of an 8-bit RGB or RGBA picture."""
    width, height, step, raw = read_rows(data)
    rows, above = [], bytearray(step * width)
    for y in range(height):
        start = y * (step * width + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + step * width]), above, step)
        rows.append([tuple(above[step * x:step * (x + 1)]) for x in range(width)])
    return rows


def count_colors(data):
    """How many bytes of red, green and blue differ from what their neighbours foretell: none in a picture all black."""
    width, _, step, raw = read_rows(data)
    line = step * width + 1
    return sum(1 for i, x in enumerate(raw) if x and i % line and (i % line - 1) % step < 3)


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
        """limit: largest size of a file in bytes, as set by "ulimit -f" in a shell."""
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


class PresetTest(KineoTest):
    """Runs with the presets that come with the program, and none of the user's."""

    def environment(self, **more):
        presets = os.path.join(os.environ['KG_SOURCE'], 'data', 'presets')
        return super().environment(**{'KINEOGRAPH_PRESET_PATH': presets, 'XDG_DATA_HOME': self.path('home'), **more})
