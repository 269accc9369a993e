# SPDX-License-Identifier: GPL-3.0-or-later
"""The outlines of a matte are drawn and animated on the picture that is shown."""
import os

from support import WindowTest, main, tearDownModule  # noqa: F401

ROTO, PLATE = (0, 0), (220, 0)
WIDTH, HEIGHT = 320, 180
SQUARE = [[-60, -40], [60, -40], [60, 40], [-60, 40]]


def graph(**inputs):
    return {
        'kineograph': 1, 'display': 'plate.image',
        'nodes': {
            'plate': {'type': 'image/constant', 'at': PLATE, 'inputs': {'width': WIDTH, 'height': HEIGHT}},
            'roto': {'type': 'image/roto', 'at': ROTO, 'inputs': dict(
                {'width': WIDTH, 'height': HEIGHT, 'points': SQUARE}, **inputs)},
        },
    }


class Outlines(WindowTest):
    waits_for_evaluation = True

    def open(self, **inputs):
        self.write('graph.json', graph(**inputs))
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(ROTO))

    def pixel(self, x, y):
        """On the screen: of the picture, to the right and up from its middle."""
        left, top, width, height = self.find('img', 'Viewport').place
        zoom = min(width / WIDTH, height / HEIGHT)
        return left + width / 2 + zoom * x, top + height / 2 - zoom * y

    def points(self):
        return self.save('graph.json')['nodes']['roto']['inputs']['points']

    def assert_point(self, point, x, y, delta=1):
        self.assertAlmostEqual(point[0], x, delta=delta)
        self.assertAlmostEqual(point[1], y, delta=delta)

    def test_dragged_added_removed(self):
        self.open()
        self.drag(*self.pixel(60, 40), *self.pixel(90, 60))
        points = self.points()
        self.assert_point(points[2], 90, 60)
        self.assertEqual([row[:2] for row in points[:2]], SQUARE[:2])
        # One step.
        self.key('ctrl+z')
        self.assertEqual([row[:2] for row in self.points()], SQUARE)
        # On the side that leads back to the first point, where its curve is.
        self.key('Escape')
        self.click(*self.pixel(-70, 0), times=2)
        points = self.points()
        self.assertEqual(len(points), 5)
        self.assert_point(points[4], -70, 0)
        self.click(*self.pixel(-70, 0))
        self.key('Delete')
        self.assertEqual([row[:2] for row in self.points()], SQUARE)
        # Arrow keys move by a pixel of the screen, Tab goes on.
        self.key('Escape', 'Tab', 'Tab', 'shift+Right')
        self.assertGreater(self.points()[1][0], 60)

    def test_scaled_turned_moved(self):
        """Handles are where the matte is, whatever else places it."""
        self.open(scale=2, rotate=90, offset=[20, 10, 0], points=[[-30, -20], [30, -20], [30, 20], [-30, 20]])
        # Twice (30, 20), turned to (-40, 60), and moved.
        self.drag(*self.pixel(-20, 70), *self.pixel(-40, 80))
        # (-60, 70) turned back is (70, 60), of which a half is typed.
        self.assert_point(self.points()[2], 35, 30)

    def test_feather(self):
        self.open()
        self.click(*self.pixel(60, 40))
        # It stands outside of the point, at a share of the diagonal for a feather of 0.
        base = 0.08 * (120 ** 2 + 80 ** 2) ** 0.5
        along = (80 / (120 ** 2 + 80 ** 2) ** 0.5, 120 / (120 ** 2 + 80 ** 2) ** 0.5)
        self.drag(*self.pixel(60 + base * along[0], 40 + base * along[1]),
                  *self.pixel(60 + (base + 20) * along[0], 40 + (base + 20) * along[1]))
        points = self.points()
        self.assertAlmostEqual(points[2][2], 20, delta=1)
        self.assert_point(points[2], 60, 40)
        self.assertEqual([row[:2] for row in points], SQUARE)

    def test_tangents(self):
        """The active point has handles for them; the other one turns along, and comes apart with Alt; Delete resets one."""
        self.open()
        self.click(*self.pixel(60, 40))
        # A third of half the way from neighbour to neighbour: from (60, -40) to (-60, 40).
        self.drag(*self.pixel(60 - 20, 40 + 40 / 3), *self.pixel(30, 40))
        row = self.points()[2]
        length = (20 ** 2 + (40 / 3) ** 2) ** 0.5
        self.assertAlmostEqual(row[5], -30, delta=1)
        self.assertAlmostEqual(row[6], 0, delta=1)
        # It keeps its length.
        self.assertAlmostEqual(row[3], length, delta=1)
        self.assertAlmostEqual(row[4], 0, delta=1)
        self.assert_point(row, 60, 40)
        self.key('ctrl+z')
        self.assertEqual(self.points()[2][3:7], [None] * 4)
        self.click(*self.pixel(60, 40))
        self.drag(*self.pixel(60 - 20, 40 + 40 / 3), *self.pixel(60, 70), hold='alt')
        row = self.points()[2]
        self.assertAlmostEqual(row[6], 30, delta=1)
        self.assertEqual(row[3:5], [None, None])
        # To 15 degrees about the point.
        self.drag(*self.pixel(60, 70), *self.pixel(60 - 20, 40 + 21), hold='ctrl')
        row = self.points()[2]
        self.assertAlmostEqual(row[5], -row[6], delta=0.02)
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], 'roto-tangents.png'))
        self.key('Delete')
        self.assertEqual(self.points()[2][3:7], [None] * 4)
        self.assertEqual(len(self.points()), 4)

    def test_read_again(self):
        """Rows of older files have the shape behind the feather."""
        self.open(points=[[x, y, None, 0] for x, y in SQUARE] + [[x / 4, y / 4, 3, 1] for x, y in SQUARE])
        self.drag(*self.pixel(60, 40), *self.pixel(90, 60))
        points = self.points()
        self.assert_point(points[2], 90, 60)
        self.assertEqual([row[2:] for row in points],
                         [[None] * 5 + [0]] * 4 + [[3] + [None] * 4 + [1]] * 4)

    def test_keys(self):
        """With automatic keys, dragging animates points; a point between keyed ones moves with them."""
        self.open()
        self.press('button', 'Auto key: *')
        self.drag(*self.pixel(60, 40), *self.pixel(80, 40))
        row = self.points()[2]
        self.assertAlmostEqual(row[0]['keys'][0]['value'], 80, delta=1)
        self.assertEqual(row[1], 40)
        self.press('button', 'Auto key: *')
        self.press('button', 'Last frame')
        self.drag(*self.pixel(80, 40), *self.pixel(40, 40))
        self.assertEqual([round(key['value'] / 10) for key in self.points()[2][0]['keys']], [8, 4])
        self.key('Escape')
        self.click(*self.pixel(0, 46), times=2)
        row = self.points()[3]
        self.assertAlmostEqual(row[0]['keys'][1]['value'], 0, delta=2)
        self.assertAlmostEqual(row[0]['keys'][0]['value'], 40, delta=3)


main()
