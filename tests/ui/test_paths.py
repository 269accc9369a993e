# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion paths of computed positions: a curve with a tick at each frame, sampled in the background."""
import math
import os

from support import WindowTest, main, tearDownModule, wait_for  # noqa: F401

# What kg-handle-draw.c draws the ticks of computed paths with.
TICK = (204, 184, 255)
FRAMES = 12
# The handle at the present frame is on top of its tick.
SEEN = FRAMES - 1


def draw(link):
    return {'type': 'render/draw', 'at': [600, 0], 'inputs': {'geometries': [{'link': link}], 'view_height': 4}}


class Paths(WindowTest):
    waits_for_evaluation = True

    def open(self, nodes, display='out.image'):
        """With the node at (0, 0) selected."""
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': FRAMES, 'rate': 12}, 'nodes': nodes,
                                  'display': display})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((0, 0)))
        self.settle()

    def ticks(self, n, what):
        """The places of n ticks, once there are so many."""
        found = []

        def there():
            found[:] = self.find_spots_now(TICK, 3)
            return len(found) == n

        try:
            wait_for(there, what, 20)
        except AssertionError as error:
            raise AssertionError(f'{error}: {len(found)} ticks, not {n}') from None
        return found

    def test_expression(self):
        """A place with an expression: straight up, evenly; it follows edits, and M hides it."""
        ring = {'type': 'geometry/circle', 'at': [0, 0], 'inputs': {
            'radius': 0.1, 'center': {'expr': '[0.5, frame / 6 - 1, 0]'}}}
        self.open({'ring': ring, 'out': draw('ring.geometry')})
        ticks = self.ticks(SEEN, 'the path of an expression')
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], 'path-expression.png'))
        heights = sorted(y for _, y in ticks)
        steps = [b - a for a, b in zip(heights, heights[1:])]
        self.assertLess(max(steps) - min(steps), 2.5)
        self.assertLess(ticks[-1][0] - ticks[0][0], 2)
        high = heights[-1] - heights[0]
        self.find_input('center')
        self.key('ctrl+a')
        self.type('[0.5, frame / 9 - 1, 0]')
        self.key('Return')
        wait_for(lambda: [s for s in [self.find_spots_now(TICK, 3)]
                          if len(s) == SEEN and max(y for _, y in s) - min(y for _, y in s) < 0.8 * high],
                 'the path after an edit', 20)
        self.click(*self.find('img', 'Viewport').at(0.1, 0.2))
        self.key('m')
        self.assertEqual(self.find_spots(TICK, 3, seconds=1), [])
        self.key('m')
        self.ticks(SEEN, 'the path shown again')

    def test_link(self):
        """A transform that a node makes along a curve, and a step that is linked to it."""
        self.open({
            'path': {'type': 'geometry/circle', 'at': [-600, 300], 'inputs': {'radius': 1}},
            'go': {'type': 'curve/follow', 'at': [-300, 0], 'inputs': {
                'geometry': {'link': 'path.geometry'}, 'parameter': {'keys': [[1, 0], [FRAMES, 0.9]]}}},
            'move': {'type': 'geometry/transform', 'at': [0, 0], 'inputs': {
                'geometry': {'link': 'ring.geometry'}, 'translate': {'link': 'go.position'}, 'pivot': [0, 0, 0]}},
            'ring': {'type': 'geometry/circle', 'at': [-300, 300], 'inputs': {'radius': 0.1}},
            'out': draw('move.transformed')})
        ticks = self.ticks(SEEN, 'the path of a linked step')
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], 'path-link.png'))
        # Nine tenths of a circle.
        height = max(y for _, y in ticks) - min(y for _, y in ticks)
        self.assertAlmostEqual(ticks[-1][0] - ticks[0][0], height, delta=0.1 * height)
        self.click(*self.head((-300, 0)))
        self.settle()
        again = self.ticks(FRAMES, 'the path of what the node makes')
        for a in ticks:
            b = min(again, key=lambda spot: math.dist(spot, a))
            self.assertAlmostEqual(a[0], b[0], delta=1.5)
            self.assertAlmostEqual(a[1], b[1], delta=1.5)

    def test_ends_of_a_skeleton(self):
        """A chain that is posed shows the path of its tip: a tick for each frame, on a circle about its root."""
        self.open({
            'chain': {'type': 'rig/chain', 'at': [-300, 0], 'inputs': {'lengths': [1.5]}},
            'swing': {'type': 'rig/pose', 'at': [0, 0], 'inputs': {
                'skeleton': {'link': 'chain.skeleton'}, 'joint': 'joint1', 'angles': [0, 0, {'expr': '18 - 3*frame'}]}}},
            'swing.posed')
        ticks = self.ticks(FRAMES, 'the path of the tip')
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], 'path-skeleton.png'))
        self.assertGreater(max(y for _, y in ticks) - min(y for _, y in ticks), 5 * (ticks[-1][0] - ticks[0][0]) / 2)

    def test_still(self):
        """What does not move has no path."""
        self.open({'ring': {'type': 'geometry/circle', 'at': [0, 0], 'inputs': {'center': {'expr': '[0.5, 0, 0]'}}},
                   'out': draw('ring.geometry')})
        self.assertEqual(self.find_spots(TICK, 3, seconds=1), [])


main()
