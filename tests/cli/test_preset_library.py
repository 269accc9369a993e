# SPDX-License-Identifier: GPL-3.0-or-later
"The presets that come with the program: complete, with an image, and with an example that renders."
import glob
import json
import os

from support import KineoTest, main

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

    def check(self, path):
        self.assertIn(' 0 warnings', self.good('presets', 'check', path))
        with open(path, encoding='utf-8') as f:
            definition = json.load(f)
        with open(os.path.join(os.path.dirname(path), definition['thumbnail']), 'rb') as f:
            self.assertEqual(f.read(8), b'\x89PNG\r\n\x1a\n')
        self.assertIn(definition['id'], self.good('presets', 'show', definition['id']))

    def use(self, example, preset_id):
        with open(example, encoding='utf-8') as f:
            graph = json.load(f)
        self.assertIn(preset_id, [node['type'] for node in graph['nodes'].values()])
        # What it carries is what is in the library.
        self.assertIn('up to date', self.good('presets', 'upgrade', example))
        frames = graph['frames']
        middle = round((frames['start'] + frames['end']) / 2)
        mean = json.loads(self.good('eval', example, graph['display'], '--frame', str(middle)))
        self.assertTrue(any(c > 0.001 for c in mean['values'][graph['display']]['mean'][:3]), 'the picture is black')
        result = self.kineo('render', example, '-o', 'one.png', '--frames', f'{middle}-{middle}', '--size', '160x90')
        self.assertEqual(result.status, 0, result.err)
        # The nodes in place of the instances make the same picture.
        self.write('flat.json', json.dumps(graph))
        for name, node in graph['nodes'].items():
            if node['type'] in graph['presets']:
                self.good('presets', 'unpack', 'flat.json', name)
        flat = json.loads(self.good('eval', 'flat.json', json.loads(self.read('flat.json'))['display'], '--frame',
                                    str(middle)))
        self.assertEqual(list(flat['values'].values())[0]['mean'], list(mean['values'].values())[0]['mean'])


def make_test(path):
    stem = os.path.basename(path)[:-len('.preset.json')]

    def test(self):
        self.check(path)
        with open(path, encoding='utf-8') as f:
            self.use(os.path.join(SOURCE, 'graphs', 'presets', stem + '.json'), json.load(f)['id'])

    return test


for preset in PRESETS:
    setattr(PresetLibrary, 'test_' + os.path.basename(preset)[:-len('.preset.json')], make_test(preset))

main()
