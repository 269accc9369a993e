# SPDX-License-Identifier: GPL-3.0-or-later
"""Several handles at once, soft selection and snapping in the viewport."""
import math
import os

from support import WindowTest, main, tearDownModule  # noqa: F401

# What kg-handle-draw.c draws with.
POINT, SELECTED = (255, 168, 40), (255, 242, 140)
LINE, CAGE = (0, 0), (0, 200)
# Five points in the plane, a unit apart.
POINTS = [[-2, 0, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0], [2, 1, 0]]


class Handles(WindowTest):
    waits_for_evaluation = True

    def open(self, points=POINTS, basis='linear', **nodes):
        """The points of a line, seen from the front."""
        self.write('graph.json', {
            'kineograph': 1, 'frames': {'start': 1, 'end': 24, 'rate': 24}, 'display': 'line.geometry',
            'nodes': dict({'line': {'type': 'curve/spline', 'at': LINE, 'inputs': {
                'points': points, 'basis': basis}}}, **nodes)})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(LINE))
        self.click(*self.find('img', 'Viewport').at(0.06, 0.2))
        self.key('1', 'f')
        self.settle()
        left, *_, right = sorted(self.find_spots(POINT, 30))
        self.left, self.metre = left, (right[0] - left[0]) / (self.x(points[-1]) - self.x(points[0]))
        self.first = points[0]

    @staticmethod
    def x(row):
        return row[0] if isinstance(row[0], (int, float)) else row[0]['keys'][0][1]

    def pixel(self, x, y):
        return (self.left[0] + self.metre * (x - self.x(self.first)), self.left[1] - self.metre * (y - self.first[1]))

    def points(self):
        return [row[:3] for row in self.save('graph.json')['nodes']['line']['inputs']['points']]

    def assert_points(self, expected, delta=None):
        found = self.points()
        self.assertEqual(len(found), len(expected))
        for row, wanted in zip(found, expected):
            for a, b in zip(row, wanted):
                self.assertAlmostEqual(a, b, delta=delta or 3 / self.metre, msg=f'{found}, not {expected}')

    def picture_of(self, name):
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], name + '.png'))

    def status(self):
        return self.find('img', 'Viewport').description

    def test_several(self):
        """Selected with Shift, moved by one of them; one step of undo; a click takes one alone again."""
        self.open()
        self.click(*self.pixel(-2, 0))
        self.click(*self.pixel(0, 0), hold='shift')
        self.assertIn('2 handles selected', self.status())
        self.picture_of('several')
        self.drag(*self.pixel(0, 0), *self.pixel(0, 1))
        self.assert_points([[-2, 1, 0], [-1, 0, 0], [0, 1, 0], [1, 0, 0], [2, 1, 0]])
        self.key('ctrl+z')
        self.assertEqual(self.points(), POINTS)
        # Once more with Shift: no longer.
        self.click(*self.pixel(-2, 0), hold='shift')
        self.assertNotIn('selected', self.status())
        self.click(*self.pixel(1, 0), hold='shift')
        self.assertIn('2 handles selected', self.status())
        self.click(*self.pixel(1, 0))
        self.assertNotIn('selected', self.status())
        self.drag(*self.pixel(1, 0), *self.pixel(1, -1))
        self.assert_points([[-2, 0, 0], [-1, 0, 0], [0, 0, 0], [1, -1, 0], [2, 1, 0]])

    def test_box(self):
        """With Shift on empty ground, or with the button of the bar; Escape; the keyboard alone."""
        self.open()
        self.drag(*self.pixel(-1.4, 0.4), *self.pixel(0.4, -0.4), hold='shift')
        self.assertIn('2 handles selected', self.status())
        self.key('Escape')
        self.assertNotIn('selected', self.status())
        self.press('button', 'Box select handles')
        self.pull(*self.pixel(-0.4, -0.4), *self.pixel(1.4, 0.4))
        self.picture_of('box')
        self.let_go()
        self.assertIn('2 handles selected', self.status())
        # Those that were selected are not any more; with Shift they would be.
        self.drag(*self.pixel(-2.3, -0.4), *self.pixel(-0.6, 0.4))
        self.assertIn('2 handles selected', self.status())
        self.drag(*self.pixel(-0.4, -0.4), *self.pixel(1.4, 0.4), hold='shift')
        self.assertIn('4 handles selected', self.status())
        self.key('Delete')
        self.assert_points([[2, 1, 0]])
        self.key('ctrl+z')
        self.assertEqual(self.points(), POINTS)
        self.key('ctrl+a')
        self.assertIn('5 handles selected', self.status())
        before = self.points()
        self.key('shift+Up')
        moved = self.points()
        by = moved[0][1] - before[0][1]
        self.assertGreater(by, 0)
        self.assert_points([[x, y + by, z] for x, y, z in before], 1e-9)
        self.key('ctrl+z')
        self.assertEqual(self.points(), before)
        # By keys: two that are gone to with Tab.
        self.key('Escape', 'Escape', 'Tab', 'ctrl+space', 'Tab', 'Tab', 'ctrl+space', 'Right')
        self.assertIn('2 handles selected', self.status())
        found = self.points()
        self.assertGreater(found[0][0], -2)
        self.assertGreater(found[2][0], 0)
        self.assertEqual([found[i] for i in (1, 3, 4)], [POINTS[i] for i in (1, 3, 4)])

    def test_rotated_and_scaled(self):
        """By the ring and the box in the middle of those that are selected."""
        self.open()
        self.drag(*self.pixel(-1.4, 0.4), *self.pixel(1.4, -0.4), hold='shift')
        self.assertIn('3 handles selected', self.status())
        x, y = self.pixel(0, 0)
        a = math.radians(35)
        self.drag(x + 60 * math.cos(a), y - 60 * math.sin(a), x - 60 * math.sin(a), y - 60 * math.cos(a), hold='ctrl')
        self.picture_of('rotated')
        self.assert_points([[-2, 0, 0], [0, -1, 0], [0, 0, 0], [0, 1, 0], [2, 1, 0]], 1e-3)
        self.key('ctrl+z')
        self.assertEqual(self.points(), POINTS)
        # kg-grip-place.h: the box along x; in steps of a tenth.
        self.drag(x + 48, y, x + 96, y, hold='ctrl')
        self.picture_of('scaled')
        self.assert_points([[-2, 0, 0], [-2, 0, 0], [0, 0, 0], [2, 0, 0], [2, 1, 0]], 0.11)
        self.key('ctrl+z')
        self.assertEqual(self.points(), POINTS)

    def test_keys(self):
        """Each keyed input gets a key."""
        self.open(points=[[{'keys': [[1, -2]]}, 0, 0]] + POINTS[1:])
        self.press('button', 'Last frame')
        self.click(*self.pixel(-2, 0))
        self.click(*self.pixel(-1, 0), hold='shift')
        self.drag(*self.pixel(-1, 0), *self.pixel(-1.5, 0.5))
        first, second = self.points()[:2]
        keys = [[key['frame'], key['value']] if isinstance(key, dict) else key for key in first[0]['keys']]
        self.assertEqual([key[0] for key in keys], [1, 24])
        self.assertAlmostEqual(keys[1][1], -2.5, delta=3 / self.metre)
        self.assertAlmostEqual(second[0], -1.5, delta=3 / self.metre)
        self.key('ctrl+z')
        first, second = self.points()[:2]
        self.assertEqual((len(first[0]['keys']), second[0]), (1, -1))

    def test_soft(self):
        """Nearby points move along, less with distance; [ and ] and the wheel change the radius."""
        self.open()
        self.press('button', 'Soft selection')
        self.assertTrue(self.find('button', 'Soft selection').checked)
        self.click(*self.pixel(0, 0))
        # To a radius of two and a half: what is one away has 1 - 1/2.5 = 0.6 of it left, of which the share is smooth.
        for _ in range(30):
            if abs(self.circle() - 2.5) < 0.13:
                break
            self.key('bracketright' if self.circle() < 2.5 else 'bracketleft')
        radius = self.circle()
        self.picture_of('soft')
        self.drag(*self.pixel(0, 0), *self.pixel(0, 1))
        self.picture_of('softly')
        found = self.points()
        for i, (x, y, _) in enumerate(POINTS):
            s = max(0, 1 - math.hypot(x, y) / radius)
            self.assertAlmostEqual(found[i][1] - y, s * s * (3 - 2 * s), delta=0.08, msg=f'{i}: {found}, {radius}')
        self.key('ctrl+z')
        self.assertEqual(self.points(), POINTS)
        # The wheel in the middle of a drag: what was reached before and is not any more stands where it was.
        self.pull(*self.pixel(0, 0), *self.pixel(0, 1))
        for _ in range(12):
            self.do('click', 5)
        self.settle()
        self.let_go()
        found = self.points()
        self.assertAlmostEqual(found[2][1], 1, delta=3 / self.metre)
        self.assertEqual(found[0], POINTS[0])
        self.assertEqual(found[4], POINTS[4])

    def circle(self):
        """Its radius in metres: the white circle is on the way up from the point."""
        x, y = self.pixel(0, 0)
        picture = self.desktop.read_screen()
        left, top, width, height = self.find('img', 'Viewport').place
        for row in range(int(y) - 30, int(top), -1):
            at = 3 * (row * 1400 + round(x) + 0)
            r, g, b = picture[at:at + 3]
            if min(r, g, b) > 105 and max(r, g, b) - min(r, g, b) < 12:
                return (y - row) / self.metre
        return 0

    def test_snapped(self):
        """To the grid, to points, and not at all; by Ctrl, by the button and by its key."""
        self.open(other={'type': 'geometry/circle', 'at': [300, 200], 'stage': 'template', 'inputs': {
            'radius': 0.5, 'points': 4, 'center': [0, -1, 0]}})
        # Roughly onto another handle.
        self.drag(*self.pixel(-2, 0), self.pixel(1, 0)[0] + 5, self.pixel(1, 0)[1] - 4, hold='ctrl')
        self.assertEqual(self.points()[0], [1, 0, 0])
        self.key('ctrl+z')
        self.assertEqual(self.points(), POINTS)
        # To the grid, with how far its lines are apart.
        self.do('keydown', 'ctrl')
        self.pull(*self.pixel(-2, 0), *self.pixel(-1.53, 0.47))
        self.picture_of('snapped')
        self.let_go()
        self.do('keyup', 'ctrl')
        x, y, _ = self.points()[0]
        self.assertAlmostEqual(x * 20, round(x * 20), delta=1e-9)
        self.assertAlmostEqual(y * 20, round(y * 20), delta=1e-9)
        self.key('ctrl+z')
        # The key turns the button on, and Ctrl off while it is on.
        self.assertFalse(self.find('button', 'Snap').checked)
        self.key('x')
        self.assertTrue(self.find('button', 'Snap').checked)
        self.drag(*self.pixel(-1, 0), self.pixel(2, 1)[0] - 4, self.pixel(2, 1)[1] + 5)
        self.assertEqual(self.points()[1], [2, 1, 0])
        self.key('ctrl+z')
        self.drag(*self.pixel(-1, 0), self.pixel(2, 1)[0] - 4, self.pixel(2, 1)[1] + 5, hold='ctrl')
        self.assertNotEqual(self.points()[1], [2, 1, 0])
        self.key('ctrl+z')
        self.assertEqual(self.points(), POINTS)

    def test_snapped_to_geometry(self):
        """Snaps to points of the displayed geometry, but not to points that move along."""
        self.open(points=POINTS[:4] + [[2, 0, 0]], other={
            'type': 'geometry/polygon', 'at': [300, 200], 'stage': 'template', 'inputs': {
                'points': [[-1, -0.6, 0], [0, -0.7, 0], [-0.5, -0.2, 0]]}})
        self.drag(*self.pixel(-2, 0), self.pixel(-1, -0.6)[0] + 4, self.pixel(-1, -0.6)[1] + 4, hold='ctrl')
        self.assert_points([[-1, -0.6, 0], [-1, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0]], 1e-6)

    def test_snapped_angle(self):
        """A handle of a Bezier curve, to 15 degrees about its point; its length stays."""
        self.open(points=[[-2, 0, 0], [-1, 1, 0], [1, 1, 0], [2, 0, 0]], basis='bezier')
        x0, y0 = self.pixel(-2, 0)
        a, r = math.radians(62), 1.1 * self.metre
        self.drag(*self.pixel(-1, 1), x0 + r * math.cos(a), y0 - r * math.sin(a), hold='ctrl')
        x, y, _ = self.points()[1]
        self.assertAlmostEqual(math.degrees(math.atan2(y, x + 2)), 60, delta=1e-2)
        self.assertAlmostEqual(math.hypot(x + 2, y), 1.1, delta=3 / self.metre)


main()
