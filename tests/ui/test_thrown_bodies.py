# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid bodies that are dropped, grabbed and thrown while they play, as the saved file shows."""
import os
import subprocess

from support import WindowTest, main, tearDownModule  # noqa: F401

# What kg-handle-draw.c draws with.
POINT = (255, 168, 40)

BOX = {'type': 'geometry/box', 'at': [0, 0], 'inputs': {'size': [0.6, 0.6, 0.6], 'center': [-1, 1.1, 0]}}
SIMULATION = {'type': 'sim/rigid_bodies', 'at': [300, 0], 'inputs': {'geometry': {'link': 'box.geometry'}}}


class ThrownBodies(WindowTest):
    waits_for_evaluation = True  # handles are where it says

    def open(self):
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 4800, 'rate': 24},
                                  'nodes': {'box': BOX, 'simulation': SIMULATION}, 'display': 'simulation.moved'})
        self.start('graph.json')
        self.wait_for_title('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((300, 0)))
        self.settle()

    def place(self, frame):
        line = subprocess.run([os.environ['KINEO'], 'eval', self.path('graph.json'), 'simulation.bodies', '--frame',
                               str(frame)], stdout=subprocess.PIPE, check=True, env=self.environment).stdout
        return eval(line)['values']['simulation.bodies']['points']['P'][0]  # numbers: our program wrote it

    def test_drop_grab_throw(self):
        self.open()
        self.click(*self.find('img', 'Viewport').at(0.8, 0.3))
        self.key('k')
        # It drops while it plays, and lies.
        self.play(2.5)
        x, y = self.find_spots(POINT, 10)[-1]
        way = [word for i in range(30) for word in ('mousemove', round(x + 5 * i), round(y - 3 * i), 'sleep', '0.03')]
        self.do('mousemove', round(x), round(y), 'mousedown', 1, *way, 'mouseup', 1)
        self.settle()
        self.stop()
        found = self.save('graph.json')['nodes']['simulation']['inputs']
        held = {key['frame']: key['value'] for key in found['grab']['keys']}
        begin, end = min(f for f, v in held.items() if v), max(held)
        self.assertEqual(held[end], 0)
        self.assertGreater(end, begin + 5)
        places = [key['value'] for key in found['grab_to']['keys'] if key['frame'] >= begin]
        self.assertGreater(places[-1][0], places[0][0] + 0.2)
        # Dropped, it lay; grabbed, it is taken along and up; thrown, it flies on in its direction, and falls.
        lay, thrown, later = self.place(begin - 1), self.place(end), self.place(end + 4)
        self.assertAlmostEqual(lay[1], 0.3, delta=0.02)
        self.assertGreater(thrown[0], lay[0] + 0.1)
        self.assertGreater(later[0], thrown[0] + 0.05)
        self.assertAlmostEqual(self.place(end + 120)[1], 0.3, delta=0.05)


if __name__ == '__main__':
    main()
