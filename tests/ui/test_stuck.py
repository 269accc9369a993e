# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that does not come back holds up neither its window, nor the others, nor the end of the program."""
import os
import unittest

from support import WindowTest, main, tearDownModule, wait_for  # noqa: F401

# Of frame 1 there is no image.
STUCK = {'kineograph': 1, 'display': 'plain.image', 'nodes': {
    'plain': {'type': 'image/constant', 'at': [0, 0], 'inputs': {
        'color': '#ff0000', 'width': {'expr': 'cbrt(frame + 12344)'}, 'height': 20}}}}
RED = (255, 0, 0)
OTHER = {'kineograph': 1, 'display': 'a.output', 'nodes': {'a': {'type': 'value/number', 'at': [0, 0]}}}


@unittest.skipIf('ASAN_OPTIONS' in os.environ, 'a sanitizer takes the functions that are replaced here')
class Stuck(WindowTest):
    def open(self, *names, windows=1):
        self.write('gate', '')
        self.write('stuck.json', STUCK)
        self.write('other.json', OTHER)
        self.start(*names, windows=windows, LD_PRELOAD=os.environ['KG_GATE'], KG_TEST_GATE=self.path('gate'))
        wait_for(lambda: os.path.exists(self.path('gate.reached')), 'the evaluation to be stuck')

    def test_others_go_on(self):
        self.open('stuck.json', 'other.json', windows=2)
        self.activate('stuck.json')
        self.key('ctrl+w')
        wait_for(lambda: len(self.windows()) == 1, 'the window to close', 10)
        self.wait_for_title('other.json')
        self.find_view('other.json')
        self.click(*self.head((0, 0)))
        self.key('F2')
        self.key('ctrl+a')
        self.type('renamed\n')
        self.assertEqual(list(self.save('other.json')['nodes']), ['renamed'])
        self.key('ctrl+w')
        wait_for(lambda: self.program.poll() is not None, 'the program to end', 10)
        self.wait_for_end()

    def test_the_window_goes_on(self):
        """Another frame is shown while the evaluation of the first still waits."""
        self.open('stuck.json')
        self.wait_for_title('stuck.json')
        self.over_canvas()
        self.assertEqual(self.find_spots_now(RED, 50), [])
        self.key('Right')
        self.assertEqual(len(self.find_spots(RED, 50)), 1)
        self.assertTrue(os.path.exists(self.path('gate')))
        os.remove(self.path('gate'))
        self.key('ctrl+w')
        self.wait_for_end()


main()
