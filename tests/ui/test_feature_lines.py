# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of lines of a morph are drawn and edited on the picture that is shown."""
import os

from support import WindowTest, main, tearDownModule  # noqa: F401

MORPH, WIDTH, HEIGHT = (220, 0), 320, 200
CROSSED, SECOND = (255, 76, 64), (76, 209, 255)


class FeatureLines(WindowTest):
    waits_for_evaluation = True

    def open(self, lines=(), amount=0.25):
        self.write('graph.json', {
            'kineograph': 1, 'display': 'morph.image',
            'nodes': {
                'a': {'type': 'image/constant', 'at': (0, 0), 'inputs': {
                    'width': WIDTH, 'height': HEIGHT, 'color': [0.02, 0.05, 0.1, 1]}},
                'b': {'type': 'image/constant', 'at': (0, 160), 'inputs': {
                    'width': WIDTH, 'height': HEIGHT, 'color': [0.1, 0.05, 0.02, 1]}},
                'morph': {'type': 'morph/image', 'at': MORPH, 'inputs': {
                    'from': {'link': 'a.image'}, 'to': {'link': 'b.image'}, 'amount': amount, 'lines': list(lines)}}}})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(MORPH))
        self.settle()

    def pixel(self, x, y):
        """On the screen: of the picture, whose centre is the origin and whose height is 2."""
        left, top, width, height = self.find('img', 'Viewport').place
        zoom = min(width / WIDTH, height / HEIGHT) * HEIGHT / 2
        return left + width / 2 + zoom * x, top + height / 2 - zoom * y

    def lines(self):
        return self.save('graph.json')['nodes']['morph']['inputs'].get('lines', [])

    def assert_line(self, row, expected):
        for a, b in zip(row, expected):
            if b is None:
                self.assertIsNone(a)
            else:
                self.assertAlmostEqual(a, b, delta=0.015, msg=f'{row}, not {expected}')

    def picture_of(self, name):
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], name + '.png'))

    def test_drawn_and_moved(self):
        self.open()
        self.drag(*self.pixel(-0.8, 0.4), *self.pixel(0.4, 0.5), hold='ctrl')
        rows = self.lines()
        self.assertEqual(len(rows), 1)
        self.assert_line(rows[0], [-0.8, 0.4, 0.4, 0.5, None, None, None, None])
        # What was drawn was one step of undo.
        self.key('ctrl+z')
        self.assertEqual(self.lines(), [])
        self.key('ctrl+shift+z')
        # The first image's end is dragged, and the second's goes along; with Alt it comes away.
        self.drag(*self.pixel(0.4, 0.5), *self.pixel(0.5, 0.2))
        self.assert_line(self.lines()[0], [-0.8, 0.4, 0.5, 0.2, None, None, None, None])
        self.drag(*self.pixel(0.5, 0.2), *self.pixel(0.7, -0.4), hold='alt')
        self.assert_line(self.lines()[0], [-0.8, 0.4, 0.5, 0.2, None, None, 0.7, -0.4])
        self.picture_of('feature-lines')
        # Now it is a handle of its own.
        self.drag(*self.pixel(0.7, -0.4), *self.pixel(0.9, -0.2))
        self.assert_line(self.lines()[0], [-0.8, 0.4, 0.5, 0.2, None, None, 0.9, -0.2])
        # A click with Ctrl draws nothing.
        self.click(*self.pixel(-0.6, -0.6), hold='ctrl')
        self.assertEqual(len(self.lines()), 1)
        self.click(*self.pixel(0.9, -0.2))
        self.key('Delete')
        self.assertEqual(self.lines(), [])
        self.key('ctrl+z')
        self.assertEqual(len(self.lines()), 1)

    def test_crossing(self):
        """Lines that cross are red, in the image where they do, as the warning of the node says."""
        self.open([[-0.8, 0, 0.8, 0, -0.8, 0.5, 0.8, 0.5], [0, -0.4, 0, 0.4, 0, -0.8, 0, -0.2]])
        self.assertGreater(len(self.find_spots(CROSSED, 20)), 0)
        self.assertGreater(len(self.find_spots(SECOND, 20)), 0)
        self.picture_of('crossing')
        # Moved apart, both ends of a line at once.
        self.click(*self.pixel(0, -0.4))
        self.click(*self.pixel(0, 0.4), hold='shift')
        self.drag(*self.pixel(0, 0.4), *self.pixel(0, -0.1))
        self.settle()
        self.assertEqual(self.find_spots_now(CROSSED, 20), [])
        rows = self.lines()
        self.assert_line(rows[1], [0, -0.9, 0, -0.1, 0, -0.8, 0, -0.2])
        self.assert_line(rows[0], [-0.8, 0, 0.8, 0, -0.8, 0.5, 0.8, 0.5])

    def test_second_image(self):
        """Where more of the second image is seen, its lines are taken first."""
        self.open([[-0.5, 0, 0.5, 0]], amount=0.75)
        self.drag(*self.pixel(0.5, 0), *self.pixel(0.5, 0.5))
        self.assert_line(self.lines()[0], [-0.5, 0, 0.5, 0, None, None, 0.5, 0.5])


main()
