# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles dragged in the viewport, as the saved file shows."""
import math
import os
import subprocess

from support import SCREEN_WIDTH, WindowTest, main, read_rows, tearDownModule  # noqa: F401

# What kg-handle-draw.c draws with.
POINT = (255, 168, 40)
ARROW_TO, RING = 76, 60
REFUSED = (255, 138, 128)
# Of the first channel of a motion.
CURVE = (238, 140, 35)

SPLINE = {'type': 'curve/spline', 'at': [0, 0]}


def draw(link):
    return {'type': 'render/draw', 'at': [600, 0], 'inputs': {'geometries': [{'link': link}]}}


def flat_rows(value):
    # Points in the plane have a third number in tables, and need none in texts.
    return [row[:2] if row[2:] == [0] else row for row in read_rows(value)]


class View(WindowTest):
    waits_for_evaluation = True  # handles are where it says

    def open(self, nodes, display='out.image'):
        """With the node at (0, 0) selected, and the viewport ready."""
        self.graph = {'kineograph': 1, 'frames': {'start': 1, 'end': 48, 'rate': 24}, 'nodes': nodes,
                      'display': display}
        self.write('graph.json', self.graph)
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((0, 0)))
        self.settle()

    def inputs(self, name):
        return self.save('graph.json')['nodes'][name].get('inputs', {})

    def undo(self):
        self.key('ctrl+z')

    def drag_by(self, spot, dx, dy, **more):
        self.drag(*spot, spot[0] + dx, spot[1] + dy, **more)
        self.settle()

    def paint(self, color):
        """Writes the picture, in one step, as programs that save do."""
        subprocess.run(['convert', '-size', '8x8', f'xc:rgb{color}', self.path('new.png')], check=True)
        os.replace(self.path('new.png'), self.path('plate.png'))

    def test_file_written_anew(self):
        before, after = (10, 90, 200), (200, 30, 90)
        self.paint(before)
        self.open({'plate': {'type': 'image/import', 'at': [0, 0], 'inputs': {'path': 'plate.png'}}}, 'plate.image')
        self.assertEqual(len(self.find_spots(before, 30)), 1)
        self.paint(after)
        self.assertEqual(self.find_spots(after, 30, seconds=1), [])
        self.key('F5')
        self.assertEqual(len(self.find_spots(after, 30)), 1)
        self.assertEqual(self.find_spots_now(before, 30), [])

    def test_path_of_a_keyed_place(self):
        """The way that a place takes, and its keys, which are dragged whatever frame is shown."""
        keys = [[1, [-1, -0.5, 0]], [25, [0, 0.5, 0]], [48, [1, -0.5, 0]]]
        self.open({'ring': {'type': 'geometry/circle', 'at': [0, 0],
                            'inputs': {'radius': 0.1, 'center': {'keys': keys}}}, 'out': draw('ring.geometry')})
        spots = self.find_spots(POINT)
        self.assertEqual(len(spots), 3)
        self.drag_by(spots[2], 30, -40)
        moved = [key['value'] if isinstance(key, dict) else key[1] for key in self.inputs('ring')['center']['keys']]
        self.assertEqual(moved[:2], [key[1] for key in keys[:2]])
        self.assertGreater(moved[2][0], 1.05)
        self.assertGreater(moved[2][1], -0.42)
        self.assertEqual(moved[2][2], 0)
        self.assertEqual(len(self.inputs('ring')['center']['keys']), 3)
        # One step; H hides the path with the handles.
        self.undo()
        self.assertEqual(len(self.find_spots(POINT)), 2)  # the active one is yellow
        self.point(*self.middle())
        self.click(*self.find('img', 'Viewport').at(0.1, 0.2))
        self.key('h')
        self.assertEqual(self.find_spots(POINT, seconds=1), [])

    def viewport(self):
        """The picture of the viewport, without its menu and what stands at its bottom."""
        x, y, width, height = self.find('img', 'Viewport').place
        dump = self.screen()
        starts = [3 * (SCREEN_WIDTH * line + x + 10) for line in range(y + 10, y + height - 35)]
        return b''.join(dump[start:start + 3 * (width - 100)] for start in starts)

    def middle(self):
        return self.find('img', 'Viewport').middle

    def test_orbit_pan_dolly_frame(self):
        """In space: what the pointer does is seen, and the key for all of it brings the view back."""
        self.open({'box': {'type': 'geometry/box', 'at': [0, 0]}}, 'box.geometry')
        x, y = self.middle()
        self.click(x - 250, y + 90)
        self.key('f')
        self.settle()
        framed = self.viewport()
        seen = [framed]

        def differs():
            self.settle()
            seen.append(self.viewport())
            self.assertNotIn(seen[-1], seen[:-1])

        # Away from the handles of the box, which is in the middle.
        self.drag(x - 250, y + 90, x - 190, y + 90)
        differs()
        self.drag(x - 250, y + 90, x - 190, y + 70, button=2)
        differs()
        self.point(x - 250, y + 90)
        self.do('click', 4)
        differs()
        self.do('click', 5)
        self.settle()
        self.assertEqual(self.viewport(), seen[-2])
        self.drag(x - 190, y + 70, x - 250, y + 90, button=2)
        self.drag(x - 190, y + 90, x - 250, y + 90)
        self.settle()
        self.assertEqual(self.viewport(), framed)
        self.do('click', 4)
        differs()
        self.key('f')
        self.settle()
        self.assertEqual(self.viewport(), framed)

    def test_depth(self):
        """Near is brighter than far, and the colours are back afterwards."""
        self.open({'box': {'type': 'geometry/box', 'at': [0, 0]}}, 'box.geometry')
        x, y = self.middle()
        self.click(x - 250, y + 90)
        before = self.viewport()
        self.key('z')
        self.settle()
        self.assertNotEqual(self.viewport(), before)
        self.key('z')
        self.settle()
        self.assertEqual(self.viewport(), before)

    def test_large_motion(self):
        """Long numbers have their place beside the graph of the inspector: none begins where the graph is cut."""
        self.open({'wave': {'type': 'motion/function', 'at': [0, 0],
                            'inputs': {'from': 'formula', 'formula': '-1234567*sin(t)'}}}, 'wave.motion')
        left, top, width, height = next(graph for graph in self.find_all('img') if graph.type == 'KgMotionGraph').place
        dump = self.screen()

        def pixel(px, py):
            at = 3 * (SCREEN_WIDTH * py + px)
            return dump[at:at + 3]

        rows = [py for py in range(top, top + height) for px in range(left, left + width)
                if pixel(px, py) == bytes(CURVE)]
        self.assertTrue(rows, 'the graph is not seen')
        top, bottom = min(rows) - 4, max(rows) + 4
        columns = [px for px in range(left, left + width)
                   if any(max(pixel(px, py)) < 190 for py in range(top, bottom))]
        self.assertGreater(columns[0], left + 3)

    def test_spline_point(self):
        self.open({'line': SPLINE, 'out': draw('line.geometry')})
        spots = self.find_spots(POINT, 30)
        self.assertEqual(len(spots), 4)
        # From (-2, 0) to (2, 0).
        scale = (spots[3][0] - spots[0][0]) / 4
        self.drag_by(spots[1], 40, -30)
        rows = flat_rows(self.inputs('line')['points'])
        self.assertEqual([rows[0], *rows[2:]], [[-2, 0], [1, -1], [2, 0]])
        self.assertAlmostEqual(rows[1][0], -1 + 40 / scale, delta=1.5 / scale)
        self.assertAlmostEqual(rows[1][1], 1 + 30 / scale, delta=1.5 / scale)
        # No more digits than the eye can tell apart.
        for number in rows[1]:
            self.assertEqual(number, round(number, math.ceil(math.log10(scale))))
        self.undo()
        self.assertEqual(self.inputs('line'), {})

    def test_point_count(self):
        self.open({'line': SPLINE, 'out': draw('line.geometry')})
        spots = self.find_spots(POINT, 30)
        x, y = [(a + b) / 2 for a, b in zip(spots[2], spots[3])]
        self.click(x, y, times=2)
        self.settle()
        rows = flat_rows(self.inputs('line')['points'])
        self.assertEqual(rows[:3] + rows[4:], [[-2, 0], [-1, 1], [1, -1], [2, 0]])
        self.assertAlmostEqual(rows[3][0], 1.5, delta=0.05)
        self.click(*spots[1])
        self.key('Delete')
        self.assertEqual(len(flat_rows(self.inputs('line')['points'])), 4)
        self.undo()
        self.undo()
        self.assertEqual(self.inputs('line'), {})

    def test_keys(self):
        self.open({'line': SPLINE, 'out': draw('line.geometry')})
        spots = self.find_spots(POINT, 30)
        # A click beside the handles gives the keyboard to the viewport.
        self.click(spots[0][0], spots[1][1])
        self.key('Tab', 'Tab', 'shift+Right', 'shift+Right')
        rows = flat_rows(self.inputs('line')['points'])
        # Two round steps of 0.2, with 80 pixels for a metre.
        self.assertEqual(rows[1], [-0.6, 1])
        self.undo()
        self.undo()
        self.assertEqual(self.inputs('line'), {})

    def test_point_numbers(self):
        self.open({'line': dict(SPLINE, inputs={'basis': 'kochanek-bartels'}), 'out': draw('line.geometry')})
        spots = self.find_spots(POINT, 30)
        self.click(*spots[1], button=3)
        self.settle()
        # x, y, z, tension: the first field has the focus.
        for value in ('-1.25', None, None, '0.75'):
            if value is not None:
                self.key('ctrl+a')
                self.type(value)
            self.key('Tab')
        self.key('Escape')
        found = self.inputs('line')
        self.assertEqual(flat_rows(found['points'])[1][:2], [-1.25, 1])
        self.assertEqual(found['tcb'], [[0, 0, 0], [0.75, 0, 0]])

    def test_transform(self):
        self.open({'move': {'type': 'geometry/transform', 'at': [0, 0],
                            'inputs': {'geometry': {'link': 'box.geometry'}}},
                   'box': {'type': 'geometry/box', 'at': [-300, 0]}, 'out': draw('move.transformed')})
        center = self.find_spots(POINT, 30)[0]
        self.drag_by((center[0] + ARROW_TO - 4, center[1]), 60, 25)
        found = self.inputs('move')
        self.assertGreater(found['translate'][0], 0)
        self.assertEqual(found['translate'][1:], [0, 0])
        self.undo()
        self.assertNotIn('translate', self.inputs('move'))
        # A quarter around the ring, in steps of 15 degrees.
        a = math.radians(20)
        x, y = center[0] + RING * math.cos(a), center[1] - RING * math.sin(a)
        self.drag(x, y, center[0] - RING * math.sin(a), center[1] - RING * math.cos(a), hold='ctrl')
        self.settle()
        self.assertEqual(self.inputs('move')['rotate'], [0, 0, 90])
        self.undo()
        self.assertNotIn('rotate', self.inputs('move'))
        self.drag_by((center[0] + 48, center[1]), 24, 0)
        self.assertAlmostEqual(self.inputs('move')['scale'][0], 1.5, delta=0.06)
        self.undo()
        self.assertEqual(self.inputs('move'), self.graph['nodes']['move']['inputs'])

    def test_numbers_of_an_offset(self):
        """A step from the pivot has its own numbers, not those of the place it leads to."""
        self.open({'move': {'type': 'geometry/transform', 'at': [0, 0],
                            'inputs': {'geometry': {'link': 'box.geometry'}, 'translate': [0.5, 0, 0],
                                       'pivot': [-1, 0.5, 0]}},
                   'box': {'type': 'geometry/box', 'at': [-300, 0]}, 'out': draw('move.transformed')})
        # On the right of the pivot.
        self.click(*self.find_spots(POINT, 30)[-1], button=3)
        self.settle()
        self.key('ctrl+a')
        self.type('0.75')
        self.key('Tab')
        self.key('Escape')
        found = self.inputs('move')
        self.assertEqual((found['translate'], found['pivot']), ([0.75, 0, 0], [-1, 0.5, 0]))

    def test_goal(self):
        self.open({'arm': {'type': 'rig/ik_two_bone', 'at': [0, 0]},
                   'bones': {'type': 'rig/skeleton_geometry', 'at': [300, 0],
                             'inputs': {'skeleton': {'link': 'arm.skeleton'}}}}, 'bones.geometry')
        # In space: the root, the goal and the pole are to be seen or not; the goal is the one on the right.
        spots = self.find_spots(POINT, 30)
        self.drag_by(spots[-1], -40, 10)
        found = self.inputs('arm')
        self.assertEqual(list(found), ['goal'])
        self.assertLess(found['goal'][0], 1.2)
        self.undo()
        self.assertEqual(self.inputs('arm'), {})

    def test_lattice(self):
        self.open({'cage': {'type': 'deform/ffd_lattice', 'at': [0, 0], 'inputs': {'l': 1, 'm': 1, 'n': 1}},
                   'out': draw('cage.lattice')})
        spots = self.find_spots(POINT, 12)
        # Front and back are one in the plane: the corner at the upper right.
        x, y = max(spots, key=lambda spot: spot[0] - spot[1])
        self.drag_by((x, y), -20, 20)
        found = flat_rows(self.inputs('cage')['moves'])
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0][:2], [1, 1])
        self.assertLess(found[0][3], 0)
        self.assertLess(found[0][4], 0)
        self.assertEqual(found[0][5], 0)
        self.undo()
        self.assertNotIn('moves', self.inputs('cage'))

    def count_orange(self):
        """Pixels in the colour of motions, or a paler one where lines are thin: left of the inspector, and in it."""
        border = next(widget for widget in self.look_around() if widget.type == 'KgInspector').place[0]
        dump = self.screen()
        counts = [0, 0]
        for at in range(0, len(dump), 3):
            red, green, blue = dump[at:at + 3]
            if red > 210 and red - blue > 60 and 120 < green < 215:
                counts[at // 3 % SCREEN_WIDTH > border] += 1
        return counts

    def test_motion_graphs(self):
        """An ease is drawn as a graph in the inspector, and with T on its node."""
        self.open({'ease': {'type': 'motion/ease', 'at': [0, 0], 'inputs': {'shape': 'linear'}},
                   'other': {'type': 'value/number', 'at': [0, 300]}, 'out': {'type': 'render/draw', 'at': [600, 0]}})
        straight = self.count_orange()
        self.assertGreater(straight[1], 150)
        self.key('t')
        self.settle()
        self.assertGreater(self.count_orange()[0], straight[0] + 60)
        self.key('t')
        self.settle()
        self.assertLess(self.count_orange()[0], straight[0] + 20)
        # A node without a motion has no such graph.
        self.click(*self.head((0, 300)))
        self.settle()
        self.assertLess(self.count_orange()[1], straight[1] / 3)

    def test_frame_along_a_path(self):
        """Follow Path shows where it is and how it is turned: an axis ahead, along the path, and one up."""
        ahead, up = (230, 76, 76), (115, 204, 76)
        self.open({'go': {'type': 'curve/follow', 'at': [0, 0], 'inputs': {'geometry': {'link': 'path.geometry'},
                                                                          'parameter': 0.5}},
                   'path': {'type': 'geometry/line', 'at': [0, 500]},
                   'out': {'type': 'render/draw', 'at': [600, 0], 'inputs': {'geometries': [{'link': 'path.geometry'}]}}})
        (x, y), (u, v) = self.find_spots(ahead, 20)[0], self.find_spots(up, 20)[0]
        self.assertGreater(x - u, 8)
        self.assertGreater(y - v, 8)

    def tells(self):
        """Whether a message in the colour of errors is shown in the viewport."""
        return len(self.find_spots_now(REFUSED, 1)) > 0

    def test_keys_that_need_something_else(self):
        """They say what they need, and change nothing that would be seen later."""
        self.open({'plate': {'type': 'image/constant', 'at': [0, 0]}, 'box': {'type': 'geometry/box', 'at': [300, 0]}},
                  'plate.image')
        spot = self.find('img', 'Viewport').at(0.4, 0.6)
        for key in ('1', '3', '7', 'w', 'p', 'c', 'z', 'd', 'k', 'r', 'j', 'n', 'Return', 'Insert', 'Delete', 'h'):
            self.click(*spot)
            self.assertFalse(self.tells(), key)
            self.key(key)
            self.assertTrue(self.tells(), key)
        for key in ('0', 'plus', 'minus', 'f', 'a', 'Escape'):
            self.key(key)
            self.assertFalse(self.tells(), key)
        # What is seen in space has no pixels; a box has no camera.
        self.click(*self.head((300, 0)))
        self.key('d')
        for key in ('0', 'c'):
            self.click(*spot)
            self.assertFalse(self.tells(), key)
            self.key(key)
            self.assertTrue(self.tells(), key)
        for key in ('1', '3', '7', 'w', 'w', 'p', 'p', 'plus', 'minus', 'z', 'z', 'h', 'h', 'd', 'd'):
            self.key(key)
            self.assertFalse(self.tells(), key)

    def test_space(self):
        """Held for the pointer it does not play."""
        self.open({'line': dict(SPLINE, inputs={'basis': 'kochanek-bartels'}), 'out': draw('line.geometry')})
        spots = self.find_spots(POINT, 30)
        self.drag(spots[1][0], spots[0][1], spots[1][0] + 50, spots[0][1] + 10, hold='space')
        self.settle()
        moved = self.find_spots(POINT, 30)
        self.assertAlmostEqual(moved[0][0] - spots[0][0], 50, delta=2)
        # At the first frame still: that is where a key comes.
        self.click(*self.head((0, 0)))
        self.find_input('tension')
        self.key('Tab', 'space')
        self.assertEqual(self.inputs('line')['tension']['keys'][0]['frame'], 1)

    def test_part_played(self):
        """The range marked with Shift on the ruler is played."""
        self.open({'line': dict(SPLINE, inputs={'basis': 'kochanek-bartels'}), 'out': draw('line.geometry')})
        ruler = self.find('slider', 'Frames')
        self.drag(*ruler.at(0.5, 0.5), *ruler.at(0.57, 0.5), hold='shift')
        self.click(*self.head((0, 0)))
        # Too short to get there from the first frame.
        self.play(0.6)
        self.stop()
        self.find_input('tension')
        self.key('Tab', 'space')
        frame = self.inputs('line')['tension']['keys'][0]['frame']
        self.assertTrue(22 <= frame <= 31, frame)


main()
