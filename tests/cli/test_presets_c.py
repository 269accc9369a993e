# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of bodies that meet: the cradle, the triangle of the textbook, dominoes, billiards and poured letters, in numbers.
That they are complete, and that their examples render, is checked with all others by test_preset_library."""
import json
import math

from support import PresetTest, main


class BodiesTest(PresetTest):
    def run_preset(self, name, measured, targets, frames, inputs=None, nodes=None):
        """The values of one instance, called p, and of m, which measures an output of it, frame by frame."""
        self.write('g.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 240, 'rate': 24},
                              'nodes': {'p': {'type': name, 'inputs': inputs or {}}, **(nodes or {}),
                                        'm': {'type': 'geometry/measure', 'inputs': {'geometry': {'link': f'p.{measured}'}}}}})
        lines = self.good('eval', 'g.json', *targets, '--frames', frames).splitlines()
        rows = [json.loads(line)['values'] for line in lines]
        return [[row[target] for target in targets] for row in rows]

    def assert_near(self, a, b, tolerance):
        for x, y in zip(a, b, strict=True):
            self.assertAlmostEqual(x, y, delta=tolerance)

    def test_newtons_cradle(self):
        """50-68: as many balls leave as arrive, as high as they came, and the others hang still."""
        for lifted in (1, 2, 3):
            given = {'lifted': lifted, 'lift': 40, 'rod': 1.5, 'ball': 0.2, 'middle': [0, 3, 0]}
            rows = self.run_preset('physics/newtons_cradle', 'balls', ['m.low', 'm.high', 'p.energy', 'p.momentum'], '1-40', given)
            side, hang = 1.5 * math.sin(math.radians(40)), 3 - 1.5 - 0.2
            self.assert_near(rows[0][0], [-0.8 - side - 0.2, hang, -0.2], 1e-6)
            self.assert_near(rows[0][1][:1], [0.8 + 0.2], 1e-6)
            for _, _, energy, momentum in rows:
                self.assertAlmostEqual(energy / rows[0][2], 1, delta=0.005)
                self.assertAlmostEqual(momentum[2], 0, delta=1e-9)
            # The other side, as far; then nothing is left of the row but the balls that stayed.
            far = max(rows, key=lambda row: row[1][0])
            self.assertAlmostEqual(far[1][0], 0.8 + side + 0.2, delta=0.02)
            self.assertAlmostEqual(far[0][0], -0.8 - 0.2, delta=1e-3)
        still = self.run_preset('physics/newtons_cradle', 'balls', ['m.low', 'm.high'], '1-30x29', {'lifted': 0})
        self.assert_near(still[0][0] + still[0][1], still[1][0] + still[1][1], 1e-6)

    def test_struck_triangle(self):
        """50-80: the numbers of the textbook's triangle, and the momentum of the blow for ever."""
        rows = self.run_preset('textbook/struck_triangle', 'triangle', ['m.low', 'm.high', 'p.momentum', 'p.energy'], '1-240')
        for row, top, low, side in zip(rows[1:4], (0.860817, 0.856285, 0.852958), ((0, 0), (-0.000197, -0.000338), (-0.000710, -0.001279)),
                                       (1, 1.000197, 1.000710)):
            self.assertAlmostEqual(row[1][1], top, delta=1e-6)
            self.assert_near(row[0][:2], low, 1e-6)
            self.assertAlmostEqual(row[1][0], side, delta=1e-6)
        for row in rows[1:]:
            self.assert_near(row[2], [0, -0.125, 0], 1e-12)
        damped = self.run_preset('textbook/struck_triangle', 'triangle', ['p.energy', 'p.momentum'], '240-240', {'damping': 2})[0]
        # What moves as a whole stays: P²/2M, less what rotates, which a blow on the axis does not.
        self.assertAlmostEqual(damped[0], 0.125 ** 2 / 2 / 3, delta=1e-9)
        self.assert_near(damped[1], [0, -0.125, 0], 1e-12)

    def test_domino_run(self):
        row = {'line': {'type': 'geometry/line', 'inputs': {'start': [-1.5, 0, 0], 'end': [1.5, 0, 0]}}}
        given = {'path': {'link': 'line.geometry'}, 'count': 12, 'push': [1.2, 0, 0]}
        first, last = self.run_preset('physics/domino_run', 'dominoes', ['m.high', 'p.energy'], '1-110x109', given, row)
        self.assertAlmostEqual(first[0][1], 0.62, delta=1e-6)
        self.assertLess(last[0][1], 0.4, 'all have fallen')
        self.assertLess(last[1], first[1])
        # Too far from each other, only the first one falls; without a push, none.
        row['line']['inputs'].update({'start': [-5, 0, 0], 'end': [5, 0, 0]})
        standing = self.run_preset('physics/domino_run', 'dominoes', ['m.high', 'p.energy'], '1-110x109', given, row)
        self.assertAlmostEqual(standing[1][0][1], 0.62, delta=1e-3)
        given['push'] = [0, 0, 0]
        quiet = self.run_preset('physics/domino_run', 'dominoes', ['m.high', 'p.energy'], '1-110x109', given, row)
        self.assertAlmostEqual(quiet[1][1], quiet[0][1], delta=1)

    def test_billiard_break(self):
        """50-69: the momentum before is that of one ball; energy is only lost; no ball leaves the table or the cloth."""
        rows = self.run_preset('physics/billiard_break', 'balls', ['p.momentum', 'p.energy', 'm.low', 'm.high'], '1-60')
        mass = 1700 * 4 / 3 * math.pi * 0.1 ** 3
        self.assert_near(rows[0][0], [7 * mass, 0, 0], 0.05)
        for before, after in zip(rows, rows[1:]):
            self.assertLessEqual(after[1], before[1] * (1 + 1e-6))
        for _, _, low, high in rows:
            self.assertGreater(low[0], -2.405)
            self.assertLess(high[0], 2.405)
            self.assertGreater(low[2], -1.305)
            self.assertLess(high[2], 1.305)
            self.assertGreater(low[1], -0.005)
        aimed = self.run_preset('physics/billiard_break', 'balls', ['p.momentum'], '1-1', {'aim': 30, 'speed': 2})[0]
        self.assert_near(aimed[0], [2 * mass * math.cos(math.pi / 6), 0, mass], 0.02)

    def test_poured_letters(self):
        """They stay in a bucket that does not tilt, and lie on the ground beside it when it does."""
        given = {'text': 'AB\nCD', 'begin': 30, 'frames': 24}
        kept = self.run_preset('physics/poured_letters', 'letters', ['m.low', 'm.high'], '100-100', dict(given, angle=0))[0]
        self.assertGreater(kept[0][1], 2.3)
        self.assertLess(kept[1][1], 3.7)
        self.assertLess(max(-kept[0][0], kept[1][0]), 0.95)
        poured = self.run_preset('physics/poured_letters', 'letters', ['m.low', 'm.high'], '120-120', given)[0]
        self.assertGreater(poured[0][1], -0.02)
        self.assertLess(poured[1][1], 0.6)
        self.assertGreater(poured[0][0], 0)


if __name__ == '__main__':
    main()
