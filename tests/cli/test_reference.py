# SPDX-License-Identifier: GPL-3.0-or-later
"The reference of nodes: a page for each, with the formula, where it comes from, and an image of an example."
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from support import KINEO, KineoTest, main

MAKE = os.path.join(os.environ['KG_SOURCE'], 'build-aux', 'make-reference.py')
GRAPH = {'kineograph': 1, 'title': 'A sine', 'comment': 'What an ease does.', 'frames': {'start': 1, 'end': 3, 'rate': 24},
         'nodes': {'ease': {'type': 'motion/ease'},
                   'plot': {'type': 'motion/plot', 'inputs': {'motion': {'link': 'ease.motion'}}},
                   'picture': {'type': 'render/draw', 'inputs': {'geometries': [{'link': 'plot.curve'}]}}},
         'display': 'picture.image'}
# Techniques out of books: who looks one up wants the formula, who published it, and what it looks like.
TECHNIQUES = ('curve/', 'motion/', 'rotation/', 'morph/curves', 'geometry/surface_path', 'value/rotation', 'value/mix')


def make(folder, *arguments):
    return subprocess.run([sys.executable, MAKE, KINEO, folder / 'graphs', folder / 'reference', *arguments],
                          capture_output=True, text=True, timeout=600)


class ReferenceTest(KineoTest):
    def test_techniques_have_formula_source_and_example(self):
        used = set()
        for path in pathlib.Path(os.environ['KG_GRAPHS']).glob('*.json'):
            used.update(node['type'] for node in json.loads(path.read_text(encoding='utf-8'))['nodes'].values())
        techniques = [node for node in json.loads(self.good('nodes', '--json'))
                      if node['since'] and node['id'].startswith(TECHNIQUES)]
        self.assertGreater(len(techniques), 30)
        for node in techniques:
            with self.subTest(node['id']):
                self.assertTrue(node.get('formula'))
                self.assertTrue(node.get('source'))
                self.assertFalse(node['source'].endswith('.'))
                self.assertLess(max(map(len, node['formula'].split('\n'))), 160)
                self.assertIn(node['id'], used)

    def test_formula_on_the_command_line(self):
        out = self.good('nodes', 'rotation/interpolate')
        self.assertIn('\nFormula:\n  slerp: q = sin((1 − t)θ)/sin θ · a + sin(tθ)/sin θ · b, cos θ = a · b\n', out)
        self.assertIn('\nSource:\n  Shoemake, Animating Rotation with Quaternion Curves, 1985; ', out)
        self.assertNotIn('Formula:', self.good('nodes', 'graph/switch'))

    def test_pages_and_pictures(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            graph, reference = folder / 'graphs' / 'sine.json', folder / 'reference'
            graph.parent.mkdir()
            reference.mkdir()
            graph.write_text(json.dumps(GRAPH), encoding='utf-8')
            (reference / 'motion.md').write_text('of an older program', encoding='utf-8')
            result = make(folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertFalse((reference / 'motion.md').exists())

            page = (reference / 'motion' / 'ease.md').read_text(encoding='utf-8')
            self.assertTrue(page.startswith('# Ease\n'))
            for part in ('`motion/ease` · since 0.1', '[![A sine](../pictures/sine.png)](../../../graphs/sine.json)',
                         '## Formula\n\n```text\nsine: s = (1 − cos πt)/2\n', '\nSource: Parent, Computer Animation, 3.2.2',
                         '| Shape | `shape` | choice |'):
                self.assertIn(part, page)
            tracks = (reference / 'motion' / 'tracks.md').read_text(encoding='utf-8')
            self.assertNotIn('sine.png', tracks)
            self.assertIn(' See [Tracks](../../tracks.md). |', tracks)
            self.assertIn('](motion/ease.md) `motion/ease`', (reference / 'README.md').read_text(encoding='utf-8'))
            gallery = (reference / 'examples.md').read_text(encoding='utf-8')
            self.assertIn('pictures/sine.png', gallery)
            self.assertIn('What an ease does.', gallery)
            picture = (reference / 'pictures' / 'sine.png').read_bytes()
            self.assertEqual(picture[:8], b'\x89PNG\r\n\x1a\n')
            self.assertGreater(len(picture), 400)
            self.assertEqual(make(folder, '--check').returncode, 0)

            # A picture of the graph as it was is reported, and drawn again.
            changed = json.loads(json.dumps(GRAPH))
            changed['nodes']['ease']['inputs'] = {'shape': 'bounce'}
            graph.write_text(json.dumps(changed), encoding='utf-8')
            stale = make(folder, '--check')
            self.assertEqual(stale.returncode, 1)
            self.assertIn('of.json is out of date: run make reference', stale.stdout)
            self.assertEqual(make(folder).returncode, 0)
            self.assertNotEqual((reference / 'pictures' / 'sine.png').read_bytes(), picture)

            (reference / 'pictures' / 'sine.png').unlink()
            (reference / 'pictures' / 'other.png').write_bytes(b'')
            stale = make(folder, '--check')
            self.assertIn('sine.png is out of date', stale.stdout)
            self.assertIn('other.png is out of date', stale.stdout)


if __name__ == '__main__':
    main()
