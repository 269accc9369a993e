# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of soft objects (catalogue 20, 13.1), in numbers.
That they are complete, and that their examples render, is checked with all others by test_preset_library."""
import json
import math

from support import PresetTest, main


class SoftPresets(PresetTest):
    def values(self, nodes, *targets):
        self.write('g.json', {'kineograph': 1, 'nodes': nodes})
        values = json.loads(self.good('eval', 'g.json', *targets))['values']
        return [values[target] for target in targets]

    def skin(self, preset, cell, **inputs):
        return {'p': {'type': preset, 'inputs': inputs},
                'skin': {'type': 'soft/polygonize', 'inputs': {'field': {'link': 'p.field'}, 'cell': cell}},
                'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'skin.geometry'}}}}

    def test_figures_are_whole(self):
        """The counts of keys of the catalogue (20-165, 20-171, 20-181), and each figure is one closed piece."""
        for preset, count, cell in (('soft/rabbit', 44, 0.03), ('soft/man', 46, 0.03), ('soft/train', 21, 0.05)):
            keys, pieces, low, volume = self.values(self.skin(preset, cell), 'p.keys', 'skin.pieces', 'm.low', 'skin.volume')
            self.assertEqual(len(keys['points']['P']), count)
            self.assertEqual(pieces, 1, preset)
            self.assertAlmostEqual(low[1], 0, delta=0.1)
            self.assertGreater(volume, 0)

    def test_letters_are_columns(self):
        """20-171: 80 keys in 20 groups, four letters that touch or not: at most four pieces."""
        nodes = self.skin('soft/letters', 0.025)
        nodes['g'] = {'type': 'deform/path_groups', 'inputs': {'points': {'link': 'p.keys'}, 'path': {'link': 'line.geometry'}}}
        nodes['line'] = {'type': 'geometry/line', 'inputs': {'start': [0, 0, 4], 'end': [0, 0, -4], 'points': 2}}
        keys, groups, pieces = self.values(nodes, 'p.keys', 'g.groups', 'skin.pieces')
        self.assertEqual((len(keys['points']['P']), groups), (80, 20))
        self.assertLessEqual(pieces, 4)

    def test_arm_bends_and_swells(self):
        """20-170, 20-174: where the last key of the hand is, and how high the muscle is, by the angle."""
        for angle, hand, height in ((0, (0.655, 0, 0), 0.0768120), (45, (0.5510229, 0.2510229, 0), 0.0830075),
                                    (90, (0.3, 0.355, 0), 0.0896298)):
            nodes = {'p': {'type': 'soft/arm', 'inputs': {'angle': angle}},
                     'above': {'type': 'geometry/line', 'inputs': {'start': [0.14, 1, 0], 'end': [0.14, 1, 0], 'points': 2}},
                     'ray': {'type': 'soft/ray', 'inputs': {'samples': {'link': 'above.geometry'}, 'field': {'link': 'p.field'}}}}
            keys, nearest = self.values(nodes, 'p.keys', 'ray.nearest')
            self.assertLess(min(math.dist(p, hand) for p in keys['points']['P']), 1e-6)
            self.assertAlmostEqual(1 - nearest, height, delta=2e-6)
        still, = self.values({**nodes, 'p': {'type': 'soft/arm', 'inputs': {'angle': 90, 'gain': 0}}}, 'ray.nearest')
        self.assertAlmostEqual(1 - still, 0.0768120, delta=1e-3)

    def test_clothed_keys(self):
        """Any keys get a skin; half the cell makes four times as many faces."""
        nodes = {'k': {'type': 'soft/keys', 'inputs': {'table': [[0, 0, 0]]}},
                 'p': {'type': 'soft/clothed', 'inputs': {'keys': {'link': 'k.keys'}, 'cell': 0.11}},
                 'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': 'p.geometry'}}}}
        area, = self.values(nodes, 'm.area')
        self.assertAlmostEqual(area, math.pi, delta=0.03 * math.pi)
        coarse, = self.values(nodes, 'p.geometry')
        nodes['p']['inputs']['cell'] = 0.055
        fine, = self.values(nodes, 'p.geometry')
        self.assertEqual(len(coarse['points']['P']), 414)
        self.assertEqual(len(fine['points']['P']), 1566)


main()
