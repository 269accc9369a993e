# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of a tree, of mountains and of a man who falls (catalogue 20, 13.1), in numbers.
That they are complete, and that their examples render, is checked with all others by test_preset_library."""
import json
import math

from support import PresetTest, main


def difference(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]


def angle(a, b):
    dot = sum(x*y for x, y in zip(a, b))
    return math.degrees(math.acos(max(-1, min(1, dot / math.hypot(*a) / math.hypot(*b)))))


class NaturePresets(PresetTest):
    def values(self, preset, targets, frame=1, **inputs):
        self.write('g.json', {'kineograph': 1, 'nodes': {'p': {'type': preset, 'inputs': inputs}}})
        values = json.loads(self.good('eval', 'g.json', *('p.' + t for t in targets), '--frame', str(frame)))['values']
        return [values['p.' + t] for t in targets]

    def axes(self, **inputs):
        """The two ends of the axis of each branch."""
        branches, = self.values('nature/recursive_tree', ['branches'], **inputs)
        rings = [branches['points']['P'][i:i + 9] for i in range(0, len(branches['points']['P']), 9)]
        for ring in rings:
            self.assertLess(math.dist(ring[0], ring[8]), 1e-5)
        centres = [[sum(p[i] for p in ring[:8]) / 8 for i in range(3)] for ring in rings]
        return list(zip(centres[::2], centres[1::2]))

    def test_tree_is_a_geometric_series(self):
        """20-024: (bⁿ − 1)/(b − 1) branches and bⁿ⁻¹ clusters, each branch as the angle and the scale say."""
        for depth, children in ((6, 3), (4, 2), (3, 6), (1, 5), (7, 1)):
            branches, leaves, segments, clusters = self.values(
                'nature/recursive_tree', ['branches', 'leaves', 'segments', 'clusters'], depth=depth, children=children, per_twig=5)
            self.assertEqual(segments, sum(children**level for level in range(depth)))
            self.assertEqual(clusters, children**(depth - 1))
            self.assertEqual(len(branches['primitives']), 8 * segments)
            self.assertEqual(len(leaves['points']['P']), 5 * clusters)
        axes = self.axes(depth=4, children=3, jitter=0, trunk=2)
        for child, (start, end) in enumerate(axes):
            owner = [(a, b) for a, b in axes[:child] if math.dist(b, start) < 1e-4]
            if child == 0:
                self.assertLess(math.dist(start, [0, 0, 0]) + math.dist(end, [0, 2, 0]), 1e-5)
                continue
            self.assertEqual(len(owner), 1)
            along, across = difference(owner[0][1], owner[0][0]), difference(end, start)
            self.assertAlmostEqual(math.hypot(*across) / math.hypot(*along), 0.72, delta=1e-4)
            self.assertAlmostEqual(angle(along, across), 28, delta=0.01)
        # Straight up: the sum of a geometric series.
        self.assertAlmostEqual(self.axes(depth=6, children=1, angle=0, jitter=0, scale=0.5)[-1][1][1], 2 - 1/32, delta=1e-5)

    def test_tree_twists_and_strays(self):
        """20-024: the twist from level to level, and branches that are no copies of each other."""
        trunk, first, second = (difference(b, a) for a, b in self.axes(depth=3, children=1, jitter=0))
        self.assertAlmostEqual(angle(cross(trunk, first), cross(first, second)), 137.5, delta=0.01)
        exact, some, other = (self.axes(depth=4, **more) for more in ({'jitter': 0}, {}, {'luck': 4}))
        self.assertNotEqual(some, other)
        lengths = [{round(math.dist(a, b), 3) for a, b in axes} for axes in (exact, some)]
        self.assertEqual(len(lengths[0]), 4)
        self.assertGreater(len(lengths[1]), 20)
        # Branches stay joined to what carries them.
        for start, _ in some[1:]:
            self.assertLess(min(math.dist(start, end) for _, end in some), 0.02)

    def land(self, **inputs):
        land, = self.values('nature/mountains', ['land'], **inputs)
        return land['points']['P']

    def test_mountains_are_fractal(self):
        """20-020: heights that are d apart differ as d to the power of 3 less the fractal dimension."""
        cells, side = 256, 257
        for dimension in (2.3, 2.5, 2.7):
            places = self.land(columns=cells, size=4, depth=4, border=0, sea=-1000, octaves=12, dimension=dimension)
            heights = {(round(x * 64), round(z * 64)): y for x, y, z in places}
            self.assertEqual(len(heights), side * side)
            variances = []
            for lag in (1, 4):
                steps = [(heights[i + lag, k] - heights[i, k])**2 for i, k in heights if (i + lag, k) in heights]
                variances.append(sum(steps) / len(steps))
            self.assertAlmostEqual(0.5 * math.log(variances[1] / variances[0]) / math.log(4), 3 - dimension, delta=0.06)

    def test_mountains_have_a_sea(self):
        """20-020: the sea is flat, the border is low, and no height is flat land."""
        for x, y, z in self.land(height=0, sea=-1):
            self.assertEqual(y, 0)
        places = self.land(sea=0.5)
        self.assertAlmostEqual(min(y for _, y, _ in places), 0.5, delta=1e-6)
        self.assertGreater(max(y for _, y, _ in places), 1.5)
        for x, y, z in self.land(sea=-1000):
            if abs(x) > 4.999 or abs(z) > 3.999:
                self.assertAlmostEqual(y, 0, delta=1e-6)
        self.assertNotEqual(self.land(luck=5), self.land(luck=6))
        # Twice the height is twice the land.
        for a, b in zip(self.land(sea=-1000), self.land(sea=-1000, height=4.4)):
            self.assertAlmostEqual(2 * a[1], b[1], delta=1e-5)
        # Where the field says, there the land is.
        self.write('g.json', {'kineograph': 1, 'nodes': {
            'p': {'type': 'nature/mountains', 'inputs': {'sea': -1000, 'columns': 20}},
            'plan': {'type': 'geometry/grid', 'inputs': {'size': [8, 10, 0], 'columns': 20, 'rows': 20, 'plane': 'zx'}},
            'set': {'type': 'geometry/attribute', 'inputs': {
                'geometry': {'link': 'plan.geometry'}, 'name': 'P', 'kind': 'field', 'field': {'link': 'p.heights'}}}}})
        values = json.loads(self.good('eval', 'g.json', 'p.land', 'set.set'))['values']
        self.assertEqual(values['p.land']['points']['P'], values['set.set']['points']['P'])

    def test_falling_man(self):
        """20-120: he stands, topples about his feet, flies and comes to rest on the mattress; his limbs keep their lengths."""
        targets = ['figure', 'keys', 'center', 'released']
        states = {frame: self.values('figures/falling_man', targets, frame) for frame in (1, 20, 36, 240)}
        lengths = [[math.dist(*(figure['points']['P'][i + j] for j in (0, 1))) for i in (0, 2, 4)]
                   for figure, _, _, _ in states.values()]
        for found in lengths:
            for length, half in zip(found, (0.4, 0.45, 0.35)):
                self.assertAlmostEqual(length, 2 * half, delta=1e-5)
        self.assertEqual([len(state[1]['points']['P']) for state in states.values()], 4 * [3 + 4 + 5 + 14 + 12])
        for frame in (1, 20):
            feet = [p for p in states[frame][0]['points']['P'] if math.dist(p, [0, 4, 0]) < 1e-5]
            self.assertEqual(len(feet), 1)
            self.assertEqual(states[frame][3], -1)
        released = states[36][3]
        self.assertGreater(released, 19 / 24)
        self.assertLess(released, 35 / 24)
        centre, later = states[240][2], self.values('figures/falling_man', ['center'], 248)[0]
        self.assertAlmostEqual(centre[1], 0.6, delta=0.15)
        self.assertLess(math.dist(centre, later), 0.02)
        # Upright he is in balance.
        still = self.values('figures/falling_man', ['center', 'released'], 48, lean=0)
        self.assertAlmostEqual(still[0][0], 0, delta=1e-6)
        self.assertEqual(still[1], -1)

    def test_falling_man_is_whole(self):
        """20-120: one closed piece of clay as he stands, and a thinner man has less of it."""
        volumes = []
        for thickness in (1, 0.85):
            self.write('g.json', {'kineograph': 1, 'nodes': {
                'p': {'type': 'figures/falling_man', 'inputs': {'thickness': thickness}},
                'skin': {'type': 'soft/polygonize', 'inputs': {'field': {'link': 'p.field'}, 'cell': 0.03}}}})
            values = json.loads(self.good('eval', 'g.json', 'skin.pieces', 'skin.volume', 'skin.euler'))['values']
            self.assertEqual(values['skin.pieces'], 1)
            volumes.append(values['skin.volume'])
        self.assertGreater(volumes[0], 1.2 * volumes[1])


main()
