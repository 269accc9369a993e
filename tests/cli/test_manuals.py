# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of the manual that inputs and outputs name: each is there, each language has one, and its examples run."""
import json
import os
import pathlib
import re

from support import KineoTest, main

SOURCE = pathlib.Path(os.environ['KG_SOURCE'])
DOCS = SOURCE / 'docs'
# Texts of several lines that need no page: plain text, or lists whose help says all.
PLAIN = {'deform/skeleton_skin.parts', 'edit/edl_export.reels', 'edit/edl_import.reels', 'edit/edl_import.text',
         'edit/timeline.names', 'geometry/text.text', 'graph/note.text', 'morph/curves.attachments',
         'motion/exposure_sheet.sheet', 'render/light_rig.lamps', 'render/light_rig.overrides', 'render/plot.labels',
         'rig/go_to.command', 'rig/wire_figure.bodies', 'sim/equations.start', 'transform/parent.changes',
         'value/relations.known', 'value/relations.start', 'value/text.value'}
INPUT = re.compile(r'KG_INPUT \(\s*\w+,\s*(\w+),\s*TEXT,(?:[^"]|"(?:[^"\\]|\\.)*")*?(?=\n\s*KG_(?:INPUT|OUTPUT|STATE)|\n};)')


def read(name):
    return (DOCS / f'{name}.md').read_text(encoding='utf-8')


def examples(name):
    """The blocks of code on a page, with what their fences say, and the text up to the next one."""
    parts = re.split(r'^```(\w*)\n(.*?)^```\n', read(name), flags=re.M | re.S)
    return list(zip(parts[1::3], parts[2::3], parts[3::3], strict=True))


def claims(text):
    """What the text says of an example: (frame, name, value)."""
    return [(frame, name, json.loads(value)) for frame, name, value in
            re.findall(r'At frame (\d+), `([\w.]+)` is (\[[^]]*\]|-?\d+(?:\.\d+)?)', text)]


class ManualsTest(KineoTest):
    def setUp(self):
        super().setUp()
        self.named = {}
        self.types = [t for t in json.loads(self.good('nodes', '--json')) if t['since']]
        for t in self.types:
            for slot in t['inputs'] + t['outputs']:
                if 'manual' in slot:
                    self.named[f"{t['id']}.{slot['name']}"] = slot['manual']

    def evaluate(self, frame, node, *outputs):
        out = json.loads(self.good('eval', f'--frame={frame}', 'g.json', *(f'{node}.{o}' for o in outputs)))
        self.assertFalse(out.get('warnings'), out)
        return [out['values'][f'{node}.{o}'] for o in outputs]

    def write_graph(self, nodes):
        self.write('g.json', json.dumps({'kineograph': 1, 'frames': {'start': 1, 'end': 100, 'rate': 24}, 'nodes': nodes}))

    def check(self, found, wanted, name):
        for a, b in zip(found if isinstance(found, list) else [found], wanted if isinstance(wanted, list) else [wanted],
                        strict=True):
            self.assertAlmostEqual(a, b, places=6, msg=name)

    def test_pages(self):
        """Each is there, begins with its title, is installed, and its links lead to pages that are installed, too."""
        installed = (SOURCE / 'data' / 'meson.build').read_text(encoding='utf-8')
        self.assertGreater(len(self.named), 20)
        for slot, name in self.named.items():
            with self.subTest(slot):
                text = read(name)
                self.assertRegex(text, r'\A# \w')
                for page in {f'{name}.md', *re.findall(r'\]\(([^):]+)\)', text)}:
                    self.assertTrue((DOCS / page).is_file(), page)
                    self.assertIn(f"'../docs/{page}'", installed)

    def test_languages(self):
        """A text of several lines names the page of its language."""
        several, missing = set(), set()
        for path in (SOURCE / 'src' / 'nodes').rglob('*.c'):
            for match in INPUT.finditer(path.read_text(encoding='utf-8')):
                if '.multiline = true' in match[0]:
                    name = f'{path.parent.name}/{path.stem}.{match[1]}'
                    several.add(name)
                    if '.manual = ' not in match[0] and name not in PLAIN:
                        missing.add(name)
        self.assertGreater(len(several), 25)
        self.assertEqual(missing, set())
        self.assertEqual(PLAIN & self.named.keys(), set())

    def test_shown(self):
        self.assertIn('See docs/actors.md.', self.good('nodes', 'motion/actors'))

    def test_short(self):
        """The help of what has a page is short."""
        for t in self.types:
            for slot in t['inputs'] + t['outputs']:
                if 'manual' in slot and slot['manual'] != 'expressions':
                    with self.subTest(f"{t['id']}.{slot['name']}"):
                        self.assertLess(len(slot['help']), 300)
                        self.assertLessEqual(len(re.findall(r'[.?!](?=\s|$)', slot['help'])), 3)

    def test_actors(self):
        (_, text, after), = examples('actors')
        self.assertEqual(len(claims(after)), 2)
        for frame, name, value in claims(after):
            self.write_graph({'a': {'type': 'motion/actors', 'inputs': {'text': text, 'query': name}}})
            self.check(*self.evaluate(frame, 'a', 'answer'), value, name)

    def test_tracks(self):
        n = 0
        for fence, text, after in examples('tracks'):
            for frame, name, value in claims(after):
                name, output = name.split('.')
                self.write_graph({'a': {'type': 'motion/tracks', 'inputs': {
                    'text': text, 'name': name, 'dialect': fence or 'plain'}}})
                found, problems = self.evaluate(frame, 'a', output, 'problems')
                self.assertEqual(problems, '')
                self.check(found, value, name)
                n += 1
        self.assertEqual(n, 5)

    def test_relations(self):
        (_, things, _), (_, drawing, _) = examples('relations')
        self.write_graph({
            'box': {'type': 'geometry/box'},
            'at': {'type': 'transform/compose', 'inputs': {'translate': [3, 1, 2], 'rotate': [10, 20, 30]}},
            'zero': {'type': 'transform/compose'},
            'a': {'type': 'rig/energy', 'inputs': {'things': [{'link': 'box.geometry'}] * 2, 'held': [0],
                                                   'transforms': [{'link': 'zero.transform'}, {'link': 'at.transform'}],
                                                   'relations': things}},
            'drawn': {'type': 'geometry/polygon', 'inputs': {'points': '0.1 0\n3.8 0.2\n4.1 2.1\n-0.1 1.8'}},
            's': {'type': 'geometry/sketch', 'inputs': {'drawing': {'link': 'drawn.geometry'}, 'relations': drawing, 'b': 2}}})
        energy, converged = self.evaluate(1, 'a', 'energy', 'converged')
        self.assertTrue(converged)
        self.assertLess(energy, 1e-9)
        solved, conflicts, repeated = self.evaluate(1, 's', 'solved', 'conflicts', 'repeated')
        self.assertEqual((solved, conflicts, repeated), (True, '', ''))

    def test_joints(self):
        (_, text, _), = examples('joints')
        self.write_graph({'a': {'type': 'rig/joints', 'inputs': {'joints': text}}})
        freedoms, = self.evaluate(1, 'a', 'freedoms')
        # Those of a ball, a hinge and a slider.
        self.assertEqual(freedoms, 3 + 1 + 1)

    def test_tables(self):
        """Rows of clips and of hinges."""
        (_, clips, _), = examples('clips')
        (_, hinge, _), = examples('rigid-bodies')
        self.write_graph({
            'a': {'type': 'edit/edl_export', 'inputs': {'clips': clips}},
            'box': {'type': 'geometry/box'},
            'b': {'type': 'sim/rigid_bodies', 'inputs': {
                'geometry': {'link': 'box.geometry'}, 'ground': False, 'hinges': hinge}}})
        listed, = self.evaluate(1, 'a', 'list')
        self.assertIn('D    012 00:00:00:00 00:00:02:00 00:00:00:12 00:00:02:12', listed)
        joints, = self.evaluate(1, 'b', 'joints')
        self.assertEqual(joints['primitive_attributes']['kind'], [1])


if __name__ == '__main__':
    main()
