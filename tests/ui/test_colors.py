# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours: picked from what the viewport shows, and at the stops of ramps."""
from support import WindowTest, main, tearDownModule  # noqa: F401

LEFT, RIGHT, PICTURE, TINT = (0, 0), (0, 160), (220, 0), (220, 200)
# Halves of one picture, each of one colour; what is transparent has its colour all the same.
GRAPH = {
    'kineograph': 1,
    'display': 'picture.image',
    'nodes': {
        'picture': {'type': 'image/gradient', 'at': PICTURE, 'inputs': {
            'interpolation': 'steps', 'width': 200, 'height': 100, 'from': [-100, 0, 0], 'to': [100, 0, 0],
            'stops': [[0, 0.5, 0.25, 0.125, 1], [0.5, 2, 0.5, 0.25, 0.5]]}},
        'tint': {'type': 'geometry/color', 'at': TINT, 'inputs': {'color': [0, 0, 0, 0.75]}},
    },
}
PICK = 'Pick a colour from the viewport'


class Colors(WindowTest):
    waits_for_evaluation = True

    def open(self):
        self.write('graph.json', GRAPH)
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(TINT))

    def color(self):
        return self.save('graph.json')['nodes']['tint']['inputs']['color']

    def assert_color(self, expected):
        for x, y in zip(self.color(), expected):
            self.assertAlmostEqual(x, y, places=6)

    def test_picked_from_the_viewport(self):
        """A pixel in linear light, beyond white and not premultiplied; the alpha of the input stays."""
        self.open()
        view = self.find('img', 'Viewport')
        self.press('button', PICK)
        self.assertIn('Click a pixel', self.find('img', 'Viewport').description)
        self.click(*view.at(0.42, 0.5))
        self.assert_color([0.5, 0.25, 0.125, 0.75])
        self.assertNotIn('Click a pixel', self.find('img', 'Viewport').description)
        # It is one step.
        self.key('ctrl+z')
        self.assertEqual(self.color(), [0, 0, 0, 0.75])
        self.press('button', PICK)
        self.click(*view.at(0.58, 0.5))
        self.assert_color([2, 0.5, 0.25, 0.75])
        # A drag gives the mean, in which the transparent half counts for half.
        self.press('button', PICK)
        x, y = view.middle
        self.drag(x - 60, y - 20, x + 59, y + 20)
        self.assertAlmostEqual(self.color()[0], (0.5 + 0.5 * 2) / 1.5, delta=0.05)

    def test_picking_called_off(self):
        self.open()
        view = self.find('img', 'Viewport')
        for way in (lambda: self.key('Escape'), lambda: self.press('button', PICK), lambda: self.click(*self.head(TINT))):
            self.press('button', PICK)
            self.assertIn('Click a pixel', self.find('img', 'Viewport').description)
            way()
            self.assertNotIn('Click a pixel', self.find('img', 'Viewport').description)
            self.click(*view.at(0.42, 0.5))
            self.click(*self.head(TINT))
            self.assertEqual(self.color(), [0, 0, 0, 0.75])
        # Beside the picture is no pixel.
        self.press('button', PICK)
        self.click(*view.at(0.02, 0.5))
        self.assertIn('there is no pixel here', self.find('img', 'Viewport').description)
        self.click(*view.at(0.42, 0.5))
        self.assert_color([0.5, 0.25, 0.125, 0.75])

    # Ramps.

    def ramp(self):
        return self.find('slider', 'Stops: ramp')

    def along(self, t):
        """A point of the stops of the ramp."""
        x, y, width, height = self.ramp().place
        return x + 7 + t * (width - 14), y + height - 6

    def stops(self):
        return self.save('graph.json')['nodes']['picture']['inputs']['stops']

    def open_ramp(self):
        self.open()
        self.click(*self.head(PICTURE))
        self.find('slider', 'Stops: ramp')

    def test_stops_with_the_pointer(self):
        self.open_ramp()
        self.drag(*self.along(0.5), *self.along(0.75))
        rows = self.stops()
        self.assertAlmostEqual(rows[1][0], 0.75, delta=0.02)
        self.assertEqual((rows[0], rows[1][1:]), ([0, 0.5, 0.25, 0.125, 1], [2, 0.5, 0.25, 0.5]))
        self.assertIn('Stop 2 of 2', self.ramp().value)
        # A drag is one step.
        self.key('ctrl+z')
        self.assertEqual(self.stops()[1][0], 0.5)
        # Another one gets the colour that is there: of steps that of the stop before.
        self.click(*self.along(0.25), times=2)
        rows = self.stops()
        self.assertAlmostEqual(rows[1][0], 0.25, delta=0.02)
        self.assertEqual(rows[1][1:], [0.5, 0.25, 0.125, 1])
        self.assertIn('Stop 2 of 3', self.ramp().value)
        # Pulled far away it comes off.
        x, y = self.along(0.25)
        self.drag(x, y, x + 10, y + 120)
        self.assertEqual(len(self.stops()), 2)
        self.key('ctrl+z')
        self.assertEqual(len(self.stops()), 3)

    def test_stops_with_keys(self):
        self.open_ramp()
        self.click(*self.along(0))
        self.key('Right', 'shift+Right')
        self.assertEqual(self.stops()[0][0], 0.11)
        self.key('Tab')
        self.assertIn('Stop 2 of 2 at 0.5', self.ramp().value)
        self.key('Left')
        self.assertEqual([row[0] for row in self.stops()], [0.11, 0.49])
        self.key('shift+Tab', 'Insert')
        self.assertEqual([row[0] for row in self.stops()], [0.11, 0.3, 0.49])
        self.key('Delete')
        self.assertEqual([row[0] for row in self.stops()], [0.11, 0.49])
        # The last one stays.
        self.key('Delete', 'Delete')
        self.assertEqual(len(self.stops()), 1)
        # After the last stop come its fields.
        self.key('Tab')
        self.assertIsNot(self.focused().name, 'Stops: ramp')
        self.key('ctrl+a')
        self.type('0.4')
        self.key('Return')
        self.assertEqual([row[0] for row in self.stops()], [0.4])

    def test_stop_picked_and_keyed(self):
        """A stop takes a colour from the viewport; with automatic keys the numbers that change get them."""
        self.open_ramp()
        view = self.find('img', 'Viewport')
        self.click(*self.along(0))
        self.press('button', PICK)
        self.click(*view.at(0.58, 0.5))
        self.assertEqual(self.stops()[0], [0, 2, 0.5, 0.25, 1])
        self.press('button', 'Auto key: *')
        self.drag(*self.along(0.5), *self.along(0.9))
        row = self.stops()[1]
        self.assertAlmostEqual(row[0]['keys'][0]['value'], 0.9, delta=0.02)
        self.assertEqual(row[1:], [2, 0.5, 0.25, 0.5])

    def test_color_of_a_stop(self):
        """Return opens the colour chooser, whose colour the stop gets."""
        self.open_ramp()
        self.click(*self.along(0))
        self.key('Return')
        self.wait_for_title('Pick a Color')
        self.key('Escape')


main()
