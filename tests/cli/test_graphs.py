# SPDX-License-Identifier: GPL-3.0-or-later
"""The example graphs: valid, commented, written as the program writes them, and rendering to something to look at."""
import glob
import json
import os
import subprocess
import tempfile

from support import KINEO, KineoTest, main

GRAPHS = sorted(glob.glob(os.path.join(os.environ['KG_GRAPHS'], '*.json')))


def run(*arguments):
    return subprocess.run([KINEO, *arguments], capture_output=True, text=True, timeout=600)


class Graphs(KineoTest):
    """One method for each example, made below."""

    def render(self, graph, name, *arguments):
        with open(graph, encoding='utf-8') as f:
            frames = json.load(f)['frames']
        middle = (frames['start'] + frames['end']) // 2
        with tempfile.TemporaryDirectory() as folder:
            return self.render_into(folder, graph, name, middle, arguments)

    def render_into(self, folder, graph, name, middle, arguments):
        pattern = os.path.join(folder, f'{name}.%04d.png')
        result = run('render', graph, '-o', pattern, '--frames', f'{middle}-{middle + 1}', '--size', '160x90', *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        pictures = []
        for frame in (middle, middle + 1):
            with open(pattern % frame, 'rb') as f:
                pictures.append(f.read())
        return pictures


def make_test(graph):
    name = os.path.basename(graph)[:-len('.json')]

    def test(self):
        result = run('check', graph)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('0 warnings', result.stdout + result.stderr)
        with open(graph, encoding='utf-8') as f:
            self.assertGreater(len(json.load(f).get('comment', '')), 40, 'an example says what it shows')
        target = json.load(open(graph, encoding='utf-8'))['display']
        value = run('eval', graph, target, '--frame', '20')
        if 'this build reads no colour profiles' in value.stderr:
            self.skipTest('built without Little CMS')
        self.assertEqual(value.returncode, 0, value.stderr)
        mean = json.loads(value.stdout)['values'][target]['mean']
        self.assertTrue(any(c > 0.001 for c in mean[:3]), 'the picture is black')
        one = self.render(graph, name, '--jobs', '2', '--cache-memory', '1')
        # Under a sanitizer once is enough: without one the bytes are compared.
        if os.environ['KG_SANITIZE'] == 'none':
            two = self.render(graph, name, '--jobs', '1')
            self.assertEqual(one, two, 'the same bytes for any number of jobs and any memory')
        self.assertGreater(len(one[0]), 300, 'there is something in the picture')

    return test


for path in GRAPHS:
    setattr(Graphs, f'test_{os.path.basename(path)[:-len(".json")]}', make_test(path))

if __name__ == '__main__':
    main()
