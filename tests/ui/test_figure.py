# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure drawn with the pen, thrown while it plays, and an outline drawn by hand, as the saved file shows."""
import math
import os
import subprocess

from support import WindowTest, main, read_rows, tearDownModule  # noqa: F401

# What kg-handle-draw.c draws with.
POINT = (255, 168, 40)

FIGURE = {'type': 'rig/wire_figure', 'at': [0, 0], 'inputs': {'points': '0 1\n0 2\n0.6 2.4', 'hinges': ''}}
# Without weight it waits where it is until it is taken.
SIMULATION = {'type': 'sim/skeleton_dynamics', 'at': [300, 0],
              'inputs': {'geometry': {'link': 'figure.figure'}, 'gravity': [0, 0, 0]}}


class Figure(WindowTest):
    waits_for_evaluation = True  # handles are where it says

    def open(self, selected):
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 4800, 'rate': 24},
                                  'nodes': {'figure': FIGURE, 'simulation': SIMULATION},
                                  'display': 'simulation.figure'})
        self.start('graph.json')
        self.wait_for_title('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(selected))
        self.settle()

    def inputs(self, name):
        return self.save('graph.json')['nodes'][name].get('inputs', {})

    @staticmethod
    def pairs(rods):
        return [rod[:2] for rod in rods]

    def test_pen(self):
        self.open((0, 0))
        spots = self.find_spots(POINT, 30)
        self.assertEqual(len(spots), 3)
        x, y = spots[0]
        self.click(x, y)
        self.click(x + 60, y - 60, hold='ctrl')
        self.click(x + 120, y, hold='ctrl')
        found = self.inputs('figure')
        self.assertEqual(self.pairs(found['rods']), [[0, 1], [1, 2], [1, 3], [3, 4]])
        rows = read_rows(found['points'])
        self.assertEqual(len(rows), 5)
        # What is flat stays flat, however it is looked at.
        self.assertTrue(all(row[2] == 0 for row in rows))
        # A hinge where two rods meet, a pin at the end, and a rod from the end to a point that is there.
        self.click(x + 60, y - 60)
        self.key('j')
        self.click(x + 120, y)
        self.key('n')
        self.click(*spots[2], hold='ctrl')
        found = self.inputs('figure')
        self.assertEqual(found['hinges'][0][:3], [1, 3, 4])
        self.assertEqual((found['pins'], self.pairs(found['rods'])), ([4], [[0, 1], [1, 2], [1, 3], [3, 4], [4, 2]]))
        # A point that goes takes its rods, hinges and pins along.
        self.click(x + 120, y)
        self.key('Delete')
        found = self.inputs('figure')
        self.assertEqual((found['hinges'], found['pins'], self.pairs(found['rods'])), ([], [], [[0, 1], [1, 2], [1, 3]]))
        # The point that undo takes away is not drawn on from.
        self.click(x + 120, y, hold='ctrl')
        self.key('ctrl+z')
        self.click(x + 90, y + 10, hold='ctrl')
        self.key('n')
        found = self.inputs('figure')
        self.assertEqual((len(read_rows(found['points'])), self.pairs(found['rods']), found['pins']),
                         (5, [[0, 1], [1, 2], [1, 3]], [4]))
        # What is hidden cannot be changed.
        self.key('h', 'j', 'n', 'r', 'Return', 'Delete', 'h')
        self.assertEqual(self.inputs('figure'), found)

    def throw(self):
        x, y = self.find_spots(POINT, 10)[-1]
        # Playing begins where the keyboard is.
        self.play()
        self.point(x, y)
        # In one go: a hand that rests before it lets go throws nothing.
        way = [word for i in range(30) for word in ('mousemove', round(x + 5 * i), round(y - i), 'sleep', '0.03')]
        self.do('mousedown', 1, *way, 'mouseup', 1)
        self.settle()
        self.stop()

    def center(self, frame):
        line = subprocess.run([os.environ['KINEO'], 'eval', self.path('graph.json'), 'simulation.center', '--frame',
                               str(frame)], stdout=subprocess.PIPE, check=True, env=self.environment).stdout
        return eval(line)['values']['simulation.center']  # numbers and names only: the program under test wrote it

    def test_throw(self):
        self.open((300, 0))
        self.click(*self.find('img', 'Viewport').at(0.8, 0.6))
        self.key('k')
        self.throw()
        found = self.inputs('simulation')
        held = {key['frame']: key['value'] for key in found['grab']['keys']}
        begin, end = [min(f for f, v in held.items() if v), max(held)]
        self.assertEqual(held[end], 0)
        self.assertGreater(end, begin + 5)
        self.assertEqual(found['grab_point']['keys'][-1]['value'], 2)
        # Led by the hand, to the right; then it flies on, wherever it swings just then.
        places = [key['value'] for key in found['grab_to']['keys'] if key['frame'] >= begin]
        self.assertGreater(places[-1][0], places[0][0] + 0.3)
        at = [self.center(frame) for frame in (begin - 1, end, end + 10, end + 20)]
        self.assertEqual(at[0], self.center(begin - 2))
        self.assertGreater(math.dist(at[1], at[2]), 0.02)
        # Nothing holds it any more: its centre moves evenly.
        for axis in range(3):
            self.assertAlmostEqual(at[3][axis] - at[2][axis], at[2][axis] - at[1][axis], delta=1e-6)

    def test_throw_without_recording(self):
        self.open((300, 0))
        self.click(*self.find('img', 'Viewport').at(0.8, 0.6))
        self.throw()
        self.assertIn('grab', self.inputs('simulation'))
        self.key('F6', 'Return')
        self.assertNotIn('grab', self.inputs('simulation'))

    def test_outline(self):
        self.open((300, 0))
        x, y = self.find('img', 'Viewport').at(0.55, 0.5)
        self.click(x, y)
        self.key('d')
        self.point(x + 80, y)
        self.do('mousedown', 1)
        for i in range(73):
            a = math.radians(5 * i)
            self.do('mousemove', round(x + 80 * math.cos(a)), round(y - 60 * math.sin(a)), 'sleep', '0.01')
        self.do('mouseup', 1)
        self.drag(x, y, x + 2, y + 1)
        nodes = self.save('graph.json')['nodes']
        self.assertEqual(len(nodes), 3)
        line = next(node for node in nodes.values() if node['type'] == 'curve/spline')['inputs']
        self.assertEqual((line['basis'], line['closed']), ('linear', True))
        self.assertTrue(8 <= len(read_rows(line['points'])) <= 40, line['points'])
        # A hand that trembles draws nothing; the line is one step, and the pointer turns the view again after Escape.
        self.key('ctrl+z')
        self.assertEqual(len(self.save('graph.json')['nodes']), 2)

    def test_parts(self):
        polygon = {'type': 'geometry/polygon', 'at': [0, 300],
                   'inputs': {'points': '-1 1.6\n-1 2.4\n-0.4 2.4\n-0.4 1.6\n\n0.3 0.8\n0.3 1.4\n1.1 1.4\n1.1 0.8'}}
        skin = {'type': 'deform/skeleton_skin', 'at': [300, 0],
                'inputs': {'geometry': {'link': 'polygon.geometry'}, 'rest': {'link': 'figure.figure'},
                           'posed': {'link': 'figure.figure'}}}
        self.write('graph.json', {'kineograph': 1, 'nodes': {'figure': FIGURE, 'polygon': polygon, 'skin': skin},
                                  'display': 'skin.deformed'})
        self.start('graph.json')
        self.wait_for_title('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((300, 0)))
        self.settle()
        # Squares are parts, small discs are the points of the skeleton.
        parts = self.find_spots(POINT, 90)
        points = [spot for spot in self.find_spots(POINT, 10) if min(math.dist(spot, part) for part in parts) > 3]
        self.assertEqual((len(parts), len(points)), (2, 3))
        self.click(*parts[1])
        self.click(*points[0])
        self.click(*points[2])
        self.assertEqual(self.inputs('skin')['parts'], '1: 1 2')
        self.click(*points[0])
        self.click(*parts[0])
        self.key('Tab', 'Tab', 'Return')
        self.assertEqual(self.inputs('skin')['parts'], '1: 2\n0: 0')


main()
