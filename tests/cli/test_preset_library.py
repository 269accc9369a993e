# SPDX-License-Identifier: GPL-3.0-or-later
"The presets that come with the program: complete, with an image, and with an example that renders."
import glob
import json
import os
import struct

from support import KineoTest, count_colors, main

SANITIZED = os.environ['KG_SANITIZE'] != 'none'
# Frames from the start; under a sanitizer, which looks for errors of any step, a few are enough.
LATEST = 12 if SANITIZED else 24
# Where a preset and its nodes are compared: what differs does so soon, and simulations run to there twice.
EARLY = 8
# Those that show little before.
LATE = {'effect/confetti', 'effect/fireworks'}
SOURCE = os.environ['KG_SOURCE']
PRESETS = sorted(glob.glob(os.path.join(SOURCE, 'data', 'presets', '*.preset.json')))


class PresetLibrary(KineoTest):
    """One method for each preset, made below."""

    def environment(self, **more):
        return super().environment(**{'KINEOGRAPH_PRESET_PATH': '', 'XDG_DATA_HOME': self.path('home'), **more})

    def test_there_are_thirty(self):
        self.assertGreaterEqual(len(PRESETS), 30)
        self.assertEqual(len(json.loads(self.good('presets', 'list', '--json'))), len(PRESETS))

    def test_show_tells_of_inputs_what_one_types(self):
        page = self.good('presets', 'show', 'textbook/table_3_1')
        self.assertIn('(choice, default "linear")', page)
        self.assertIn('(vector, in m, default [-2.5, -1.35, 0], group “Appearance”)', page)

    def check(self, path, definition):
        self.assertIn(' 0 warnings', self.good('presets', 'check', path))
        self.assertEqual((definition['author'], definition['license']), ('Kineograph', 'CC0-1.0'))
        self.assertGreater(len(definition['help']), 50)
        for slot in definition['interface']['inputs'].values():
            self.assertTrue(slot['label'] and slot['help'])
        with open(os.path.join(os.path.dirname(path), definition['thumbnail']), 'rb') as f:
            head = f.read(24)
        self.assertEqual((head[:8], struct.unpack('>II', head[16:])), (b'\x89PNG\r\n\x1a\n', (320, 180)))
        self.assertIn(definition['id'], self.good('presets', 'show', definition['id']))

    def use(self, example, definition):
        preset_id = definition['id']
        with open(example, encoding='utf-8') as f:
            graph = json.load(f)
        self.assertTrue({preset_id, 'graph/note'} <= {node['type'] for node in graph['nodes'].values()})
        self.assertGreater(len(graph['comment']), 30)
        # What it carries is what is in the library.
        self.assertEqual(graph['presets'][preset_id], definition)
        frames = graph['frames']
        # Simulations run from their start: of long ones not to their middle.
        frame = min(round((frames['start'] + frames['end']) / 2), frames['start'] + LATEST)
        later = min(frame + 3, frames['end'])
        # As it is, without any folder of presets.
        os.makedirs(self.path('none/presets'))
        alone = {'KINEOGRAPH_PRESET_PATH': self.path('none'), 'KINEOGRAPH_DATA': self.path('none')}
        done = self.kineo('render', example, '-o', '%d.png', '--frames', f'{frame},{later}', '--size', '160x90',
                          '--progress', 'none', **alone)
        self.assertEqual(done.status, 0, done.err)
        for line in done.err.splitlines():
            self.assertIn('inputs in pixels, such as radii, are not scaled', line)
        picture = self.read(f'{frame}.png')
        self.assertGreater(count_colors(picture), 0, 'the picture is black')
        self.assertNotEqual(picture, self.read(f'{later}.png'), 'it moves')
        if SANITIZED:
            return
        self.assertIn(' 0 warnings', self.good('check', example, **alone))
        self.assertIn('up to date', self.good('presets', 'upgrade', example))
        # The nodes in place of the instances make the same picture.
        self.write('flat.json', json.dumps(graph))
        for name, node in graph['nodes'].items():
            if node['type'] in graph['presets']:
                self.good('presets', 'unpack', 'flat.json', name)
        flat, at = json.loads(self.read('flat.json'))['display'], frame if preset_id in LATE else frames['start'] + EARLY
        self.assertEqual(self.get_mean('flat.json', flat, at), self.get_mean(example, graph['display'], at))

    def get_mean(self, graph, node, frame):
        "Of the picture of a node."
        return json.loads(self.good('eval', graph, node, '--frame', str(frame)))['values'][node]['mean']


def make_test(path):
    stem = os.path.basename(path)[:-len('.preset.json')]

    def test(self):
        with open(path, encoding='utf-8') as f:
            definition = json.load(f)
        # Under a sanitizer, to render each is enough: what kineo says of it is compared without one.
        if not SANITIZED:
            self.check(path, definition)
        self.use(os.path.join(SOURCE, 'graphs', 'presets', stem + '.json'), definition)

    return test


for preset in PRESETS:
    setattr(PresetLibrary, 'test_' + os.path.basename(preset)[:-len('.preset.json')], make_test(preset))

main()
