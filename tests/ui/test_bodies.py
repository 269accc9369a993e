# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a soft object are dragged in the viewport (20-164): their places, sizes and angles."""
import math
import os

from support import WindowTest, main, tearDownModule  # noqa: F401

# What kg-handle-draw.c draws with.
POINT, ALONG_X = (255, 168, 40), (230, 76, 76)
RING = 60
KEYS = (0, 0)


class Bodies(WindowTest):
    waits_for_evaluation = True

    def open(self, rows, **inputs):
        """With the keys selected, seen from the front."""
        self.write('graph.json', {
            'kineograph': 1, 'frames': {'start': 1, 'end': 24, 'rate': 24}, 'display': 'skin.geometry',
            'nodes': {
                'keys': {'type': 'soft/keys', 'at': KEYS, 'inputs': dict({'table': rows}, **inputs)},
                'body': {'type': 'soft/primitive', 'at': [250, 0], 'inputs': {'keys': {'link': 'keys.keys'}}},
                'skin': {'type': 'soft/polygonize', 'at': [500, 0], 'inputs': {
                    'field': {'link': 'body.field'}, 'cell': 0.08}},
            }})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(KEYS))
        self.click(*self.find('img', 'Viewport').at(0.06, 0.2))
        self.key('1', 'f')
        self.settle()

    def rows(self):
        return self.save('graph.json')['nodes']['keys']['inputs']['table']

    def picture_of(self, name):
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], name + '.png'))

    def test_20_164_place_and_size(self):
        rows = [[-0.8, 0, 0, 0.6], [0.8, 0, 0, 0.4]]
        self.open(rows)
        left, right = self.find_spots(POINT, 30)
        metre = (right[0] - left[0]) / 1.6
        # The place of the right one, half a metre up; one step of undo.
        self.drag(*right, right[0], right[1] - 0.5 * metre)
        self.picture_of('bodies')
        found = self.rows()
        self.assertAlmostEqual(found[1][1], 0.5, delta=2 / metre)
        self.assertEqual((found[0][:4], found[1][0], found[1][3]), (rows[0], 0.8, 0.4))
        self.key('ctrl+z')
        self.assertEqual([row[:4] for row in self.rows()], rows)
        # Its size along x: a ball stays one.
        self.click(*right)
        self.drag(right[0] + 0.4 * metre, right[1], right[0] + 0.7 * metre, right[1])
        found = self.rows()
        self.assertAlmostEqual(found[1][3], 0.7, delta=2 / metre)
        self.assertEqual(found[1][:3], rows[1][:3])
        self.assertTrue(all(x is None for x in found[1][4:6]))
        # Another one beside it, and away again: its size stands for it.
        self.key('Insert')
        added = self.rows()
        self.assertEqual(len(added), 3)
        self.assertEqual(added[1], found[1])
        self.assertGreater(added[2][0], 0.8)
        self.assertEqual(added[2][3], found[1][3])
        self.key('ctrl+z')
        self.assertEqual(self.rows(), found)
        self.click(*right)
        self.key('Delete')
        self.assertEqual(self.rows(), [found[0]])

    def find_size_along_x(self, spot):
        """The disc on the right of the key's place."""
        return max(at for at in self.find_spots(ALONG_X, 12) if abs(at[1] - spot[1]) < 4 and at[0] > spot[0] + 20)

    def test_20_164_ellipsoid_and_angles(self):
        """A size along y leaves the others as they are; a ring turns, and the sizes turn along."""
        self.open([[0, 0, 0, 1, 0.5, 0.5]])
        spot = self.find_spots(POINT, 30)[0]
        self.click(*spot)
        self.picture_of('ellipsoid')
        metre = self.find_size_along_x(spot)[0] - spot[0]
        self.drag(spot[0], spot[1] - 0.5 * metre, spot[0], spot[1] - 0.8 * metre)
        row = self.rows()[0]
        self.assertAlmostEqual(row[4], 0.8, delta=2 / metre)
        self.assertEqual((row[3], row[5]), (1, 0.5))
        # The ring about z, which faces the eye, by 90 degrees in steps of 15.
        a = math.radians(35)
        self.drag(spot[0] + RING * math.cos(a), spot[1] - RING * math.sin(a),
                  spot[0] - RING * math.sin(a), spot[1] - RING * math.cos(a), hold='ctrl')
        turned = self.rows()[0]
        self.assertEqual(turned[:6], row[:6])
        self.assertEqual(turned[8:11], [0, 0, 90])
        # What was on the right is above; snapped, it is round.
        self.drag(spot[0], spot[1] - metre, spot[0], spot[1] - 1.21 * metre, hold='ctrl')
        self.picture_of('turned')
        row = self.rows()[0]
        self.assertEqual(row[4:], turned[4:])
        self.assertAlmostEqual(row[3], 1.2, delta=0.051)
        self.assertAlmostEqual(row[3] * 20, round(row[3] * 20), delta=1e-9)

    def test_20_164_numbers(self):
        """By the right button; sizes that are none are refused with a message."""
        rows = [[0, 0, 0, 1], [2, 0, 0, 0.5]]
        self.open(rows)
        self.click(*self.find_spots(POINT, 30)[0], button=3)
        self.settle()
        # The first field has the focus.
        for value in (None, '0.25', None, None, '-1'):
            if value is not None:
                self.key('ctrl+a')
                self.type(value)
            self.key('Tab')
        self.picture_of('numbers')
        self.assertTrue(any('half the extent' in (widget.name or '') for widget in self.look_around()))
        self.key('Escape')
        found = self.rows()
        self.assertEqual([row[:4] for row in found], [[0, 0.25, 0, 1], rows[1]])
        self.assertTrue(all(x is None for x in found[0][4:6]))
        # One size of a ball alone, and its angle.
        self.click(*self.find_spots(POINT, 30)[-1], button=3)
        self.settle()
        self.key('Tab', 'Tab', 'Tab', 'Tab', 'ctrl+a')
        self.type('0.75')
        self.key('Tab', 'Tab', 'Tab', 'Tab', 'ctrl+a')
        self.type('30')
        self.key('Tab', 'Escape')
        found = self.rows()[1]
        self.assertEqual((found[3:5], found[5], found[8:11]), ([0.5, 0.75], None, [0, 0, 30]))
    def test_20_164_keys(self):
        """A row with keys gets one where it is dragged."""
        self.open([[{'keys': [[1, -0.5]]}, 0, 0, 0.4], [0.5, 0, 0, 0.4]])
        self.press('button', 'Last frame')
        left, right = self.find_spots(POINT, 30)
        self.drag(*left, left[0], left[1])
        self.drag(*left, left[0] - 0.25 * (right[0] - left[0]), left[1])
        keys = self.rows()[0][0]['keys']
        frames = [key['frame'] if isinstance(key, dict) else key[0] for key in keys]
        self.assertEqual(frames, [1, 24])
        self.assertEqual(self.rows()[0][1], 0)

    def test_20_164_draft(self):
        """Slow surfaces are coarse while a key is dragged, and in full detail afterwards."""
        self.open([[-0.8, 0, 0, 0.6], [0.8, 0, 0, 0.4]])
        self.click(*self.head((500, 0)))
        self.find_input('cell')
        self.key('ctrl+a')
        self.type('0.012\n')
        self.click(*self.head(KEYS))
        self.settle()
        points = self.points()
        left, right = self.find_spots(POINT, 30)
        self.do('mousemove', round(right[0]), round(right[1]), 'mousedown', 1)
        least = points
        for i in range(40):
            self.do('mousemove', round(right[0]) + i % 7, round(right[1]) - i, 'sleep', 0.05)
            least = min(least, self.points())
        self.do('mouseup', 1)
        self.settle(300)
        self.assertLess(least, 0.5 * points)
        self.assertAlmostEqual(self.points() / points, 1, delta=0.1)
        self.assertEqual(self.save('graph.json')['nodes']['skin']['inputs']['cell'], 0.012)

    def points(self):
        """The text below the image of the viewport."""
        words = self.find('img', 'Viewport').description.replace(',', '').split()
        return int(words[words.index('points') - 1]) if 'points' in words else 10 ** 9


main()
