# SPDX-License-Identifier: GPL-3.0-or-later
"""The example graphs: valid, commented, written as the program writes them, and rendering to something to look at."""
import glob
import json
import os
import subprocess
import tempfile

from support import KINEO, KineoTest, count_colors, main

SANITIZED = os.environ['KG_SANITIZE'] != 'none'
# Frames from the start; under a sanitizer, which looks for errors of any step, a few are enough.
LATEST = 12 if SANITIZED else 24
GRAPHS = sorted(glob.glob(os.path.join(os.environ['KG_GRAPHS'], '*.json')))


def run(*arguments):
    return subprocess.run([KINEO, *arguments], capture_output=True, text=True, timeout=600)


class Graphs(KineoTest):
    """One method for each example, made below."""

    def render(self, graph, frame, *arguments):
        """The bytes of two frames."""
        with tempfile.TemporaryDirectory() as folder:
            pattern = os.path.join(folder, '%04d.png')
            result = run('render', graph, '-o', pattern, '--frames', f'{frame}-{frame + 1}', '--size', '160x90', *arguments)
            if 'this build reads no colour profiles' in result.stderr:
                self.skipTest('built without Little CMS')
            self.assertEqual(result.returncode, 0, result.stderr)
            pictures = []
            for at in (frame, frame + 1):
                with open(pattern % at, 'rb') as f:
                    pictures.append(f.read())
            return pictures


def make_test(path):
    def test(self):
        # Under a sanitizer, to render it once is enough: checks and bytes are compared without one.
        if not SANITIZED:
            result = run('check', path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn('0 warnings', result.stdout + result.stderr)
        with open(path, encoding='utf-8') as f:
            graph = json.load(f)
        self.assertGreater(len(graph.get('comment', '')), 40, 'an example says what it shows')
        start, end = graph['frames']['start'], graph['frames']['end']
        # Simulations run from their start: of long ones not to their middle.
        frame = min((start + end) // 2, start + LATEST)
        one = self.render(path, frame, '--jobs', '2', '--cache-memory', '1')
        if not SANITIZED:
            self.assertEqual(one, self.render(path, frame, '--jobs', '1'), 'the same bytes for any number of jobs and any memory')
        self.assertGreater(count_colors(one[0]), 0, 'the picture is black')

    return test


for path in GRAPHS:
    setattr(Graphs, f'test_{os.path.basename(path)[:-len(".json")]}', make_test(path))

if __name__ == '__main__':
    main()
