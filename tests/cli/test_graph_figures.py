# SPDX-License-Identifier: GPL-3.0-or-later
"""Example graphs that teach a figure show that figure: what their notes say, in numbers."""
import json
import math
import os

from support import KineoTest, main

GRAPHS = os.environ['KG_GRAPHS']


class GraphFigures(KineoTest):
    def values(self, name, *targets, frame=1):
        line = self.good('eval', os.path.join(GRAPHS, name + '.json'), *targets, '--frame', str(frame))
        return [json.loads(line)['values'][target] for target in targets]

    def test_halving_a_turn(self):
        """Catalogue 30-73: sums made unit are slerp at k/8; left as they are, a quarter comes out at 29.2776 degrees."""
        for k in range(1, 8):
            unit, plain = self.values('halving_a_turn', f'unit_{k}.rotation', f'plain_{k}.rotation')
            half = math.radians(90 * k / 8) / 2
            self.assertLess(math.dist(unit, [math.cos(half), 0, 0, math.sin(half)]), 1e-12)
            if k == 4:
                self.assertLess(math.dist(unit, plain), 1e-12)
            elif k in (2, 6):
                angle = 2 * math.degrees(math.atan2(plain[3], plain[0]))
                self.assertAlmostEqual(angle, 29.2776 if k == 2 else 90 - 29.2776, 4)
        for frame, level in ((30, 1), (50, 2), (90, 3)):
            halved, smooth = self.values('halving_a_turn', 'halved.rotation', 'smooth.rotation', frame=frame)
            share = round((frame - 1) / 95 * 2 ** level) / 2 ** level
            self.assertAlmostEqual(2 * math.degrees(math.atan2(halved[3], halved[0])), 90 * share, 9)
            self.assertAlmostEqual(2 * math.degrees(math.atan2(smooth[3], smooth[0])), 90 * (frame - 1) / 95, 9)

    def test_ruler_and_globe(self):
        """Catalogue 30-101: straight in longitude and latitude is a parallel, longer than the great circle."""
        parallel, circle, path = self.values('ruler_and_globe', 'parallel.length', 'circle.length', 'parallel.path')
        latitude, turn = math.radians(50), 2 * math.pi * 0.36
        self.assertAlmostEqual(parallel, turn * math.cos(latitude), delta=5e-4)
        self.assertAlmostEqual(circle, 2 * math.asin(math.cos(latitude) * math.sin(turn / 2)), delta=5e-4)
        self.assertGreater(parallel - circle, 0.2)
        for point in path['points']['P']:
            self.assertAlmostEqual(point[1], math.sin(latitude), delta=1e-3)

    def test_point_by_point(self):
        """Catalogue 30-111: a translation stays one, a half turn collapses in the middle of the time."""
        start, = self.values('point_by_point', 'left.transformed')
        for frame in (20, 36, 50):
            moved, share = self.values('point_by_point', 'moved.geometry', 'share.value', frame=frame)
            for a, b in zip(start['points']['P'], moved['points']['P']):
                self.assertLess(math.dist(b, [a[0] + 5 * share, a[1], 0]), 1e-5)
        collapsed, led, share = self.values('point_by_point', 'collapsed.geometry', 'led.geometry', 'share.value', frame=36)
        self.assertAlmostEqual(share, 0.5, 12)
        for point in collapsed['points']['P']:
            self.assertLess(math.dist(point, [-1.55, -0.95, 0]), 1e-6)
        half, = self.values('point_by_point', 'half.transformed')
        for a, b in zip(half['points']['P'], led['points']['P']):
            self.assertLess(math.dist(a, b), 1e-6)

    def test_digitised(self):
        """Catalogue 30-110: at the frames of the table all three are what the table says."""
        with open(os.path.join(GRAPHS, 'tables', 'bouncing_ball.csv'), encoding='utf-8') as f:
            rows = [[float(x) for x in line.split(',')] for line in f.read().splitlines()[2:]]
        for frame, x, y in rows[::6]:
            for value in self.values('digitised', 'hold_now.vector', 'linear_now.vector', 'smooth_now.vector', frame=int(frame)):
                self.assertEqual(value, [x, y, 0])
        hold, linear = self.values('digitised', 'hold_now.vector', 'linear_now.vector', frame=int(rows[3][0]) + 1)
        self.assertEqual(hold[:2], rows[3][1:])
        for c in range(2):
            self.assertAlmostEqual(linear[c], (2 * rows[3][1 + c] + rows[4][1 + c]) / 3, 12)


if __name__ == '__main__':
    main()
