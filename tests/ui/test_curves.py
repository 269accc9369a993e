# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys edited in the curve editor with pointer and keyboard, as the saved file tells it."""
from support import WindowTest, main, tearDownModule  # noqa: F401

GRAPH = {
    'kineograph': 1,
    'frames': {'start': 1, 'end': 48, 'rate': 24},
    'nodes': {'ring': {'type': 'geometry/circle', 'at': [0, 0],
                       'inputs': {'radius': {'keys': [[1, 1], [13, 3], [25, 2]]}}}},
    'display': 'ring.geometry',
}
ONE = dict(GRAPH, nodes={'ring': {'type': 'geometry/circle', 'at': [0, 0],
                                  'inputs': {'radius': {'keys': [[10, 2]]}}}})
# Of the first curve.
CURVE = (238, 140, 35)
TEXT = {
    'kineograph': 1,
    'frames': {'start': 1, 'end': 48, 'rate': 24},
    'nodes': {'text': {'type': 'geometry/text', 'at': [0, 0],
                       'inputs': {'shown': {'keys': [[1, 0], [13, 0.5], [25, 1]]}}}},
    'display': 'text.geometry',
}


class Curves(WindowTest):
    def open(self, graph=GRAPH):
        self.write('graph.json', graph)
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((0, 0)))
        self.key('ctrl+2', pause=0.4)

    def keys(self, node='ring', slot='radius'):
        keys = self.save('graph.json')['nodes'][node]['inputs'][slot]
        if not isinstance(keys, dict):
            return keys
        return [tuple(key) if isinstance(key, list) else (key['frame'], key['value']) for key in keys['keys']]

    def area(self):
        """What surely lies in the drawing: left, top, right and bottom."""
        x, y, width, height = self.place()
        return x + 240, y + 0.66 * height, x + width - 380, y + height - 58

    def leave(self):
        """Keys that look for the pointer do not find it."""
        x, y, _, _ = self.place()
        self.point(x + 30, y + 60)

    def test_walk_insert_and_delete(self):
        self.open()
        self.leave()
        self.key('ctrl+Right', 'ctrl+Right', 'ctrl+Right', 'ctrl+Right', 'i', pause=0.2)
        keys = self.keys()
        self.assertEqual([at for at, _ in keys], [1, 5, 13, 25])
        self.assertTrue(1 < keys[1][1] < 3, keys)
        # The new key is selected; the next one is at its right.
        self.key('Right', 'Delete', pause=0.2)
        self.assertEqual([at for at, _ in self.keys()], [1, 5, 25])
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(self.keys(), [(1, 1), (13, 3), (25, 2)])

    def test_box_and_move(self):
        self.open()
        left, top, right, bottom = self.area()
        self.drag(left + 5, top + 5, right, bottom)
        self.key('alt+Right', 'alt+Right', pause=0.2)
        self.assertEqual([at for at, _ in self.keys()], [3, 15, 27])
        self.key('Escape', 'Left', pause=0.2)
        self.key('alt+Left', pause=0.2)
        self.assertEqual([at for at, _ in self.keys()], [2, 15, 27])

    def test_steps_end_at_another_key(self):
        """Steps of the keyboard replace no key; what is selected as a whole moves as a whole."""
        self.open(dict(GRAPH, nodes={'ring': dict(GRAPH['nodes']['ring'], inputs={
            'radius': {'keys': [[1, 1], [13, 3], [15, 2]]}})}))
        self.leave()
        self.key('Right', 'Right', 'alt+Right', 'alt+Right', 'alt+Right', 'alt+Right', pause=0.2)
        self.assertEqual(self.keys(), [(1, 1), (14, 3), (15, 2)])
        self.key('shift+Right', 'alt+Right', 'alt+Right', pause=0.2)
        self.assertEqual(self.keys(), [(1, 1), (16, 3), (17, 2)])
        for _ in range(16):
            self.key('alt+Left')
        self.assertEqual(self.keys(), [(1, 1), (2, 3), (3, 2)])

    def test_bar(self):
        """Tangents, interpolation, tension, continuity and bias, what lies before and after, and fewer keys: by the buttons
        and menus of the bar."""
        self.open(dict(GRAPH, nodes={'ring': dict(GRAPH['nodes']['ring'], inputs={
            'radius': {'keys': [[1, 1], [13, 3], [14, 3.5], [25, 2]]}})}))
        self.leave()
        x, y, _, height = self.place()
        bar = y + 0.5 * height + 22

        def radius():
            self.leave()
            return self.save('graph.json')['nodes']['ring']['inputs']['radius']

        def second():
            return radius()['keys'][1]

        def slopes(key):
            return [key[side][1] / key[side][0] for side in ('in', 'out')]

        self.key('Right', 'Right', pause=0.2)
        auto, aligned, free, flat = 378, 450, 521, 581
        self.click(x + auto, bar)
        self.assertEqual(second(), {'frame': 13, 'value': 3, 'interpolation': 'bezier'})
        self.click(x + free, bar)
        key = second()
        self.assertEqual(key['tangents'], 'free')
        self.click(x + flat, bar)
        self.assertEqual(slopes(second()), [0, 0])
        self.click(x + auto, bar)
        self.click(x + aligned, bar)
        key = second()
        self.assertEqual(key['tangents'], 'aligned')
        # The length of a handle to the left is told without its sign.
        self.assertAlmostEqual(*map(abs, slopes(key)), places=9)
        # Constant, Linear, Bezier, TCB.
        for name, steps in (('constant', 0), ('linear', 1), ('tcb', 3)):
            self.click(x + 298, bar)
            self.key('Home', *['Down'] * steps, 'Return', pause=0.3)
            key = second()
            self.assertEqual(key.get('interpolation', 'linear') if isinstance(key, dict) else 'linear', name)
        self.click(x + 640, bar)
        for number in ('0.5', '-0.25', '0.75'):
            self.key('ctrl+a')
            self.type(number + '\n')
            self.key('Tab')
        self.key('Escape', pause=0.3)
        self.assertEqual(second()['tcb'], [0.5, -0.25, 0.75])
        self.click(x + 780, bar)
        self.key('Home', 'Down', 'Down', 'Return', pause=0.3)
        # The longer word moves this one to the next line.
        self.click(x + 80, bar + 40)
        self.key('Home', 'Down', 'Down', 'Down', 'Down', 'Return', pause=0.3)
        inputs = radius()
        self.assertEqual((inputs['before'], inputs['after']), ('cycle', 'mirror'))
        left, _, _, bottom = self.area()
        self.click(left + 50, bottom - 10)
        self.key('ctrl+a', pause=0.2)
        self.click(x + 235, bar + 40)
        self.key('ctrl+a')
        self.type('0.6\n')
        self.key('Escape', pause=0.3)
        self.assertEqual(self.keys(), [(1, 1), (14, 3.5), (25, 2)])

    def test_scale(self):
        self.open()
        left, top, right, bottom = self.area()
        self.key('ctrl+a', 's', pause=0.2)
        # A hundred pixels double the times about the current frame, which is the first.
        self.drag(left + 100, bottom - 20, left + 200, bottom - 20)
        self.assertEqual(self.keys(), [(1, 1), (25, 3), (49, 2)])
        self.key('ctrl+z')
        self.assertEqual(self.keys(), [(1, 1), (13, 3), (25, 2)])

    def test_one_key(self):
        """It is seen, and scaled to a round number."""
        self.open(ONE)
        left, top, right, bottom = self.area()
        self.assertTrue([spot for spot in self.find_spots(CURVE, 10) if left < spot[0] < right], 'the key is not seen')
        self.key('ctrl+a', 's', pause=0.2)
        self.drag(left + 100, bottom - 20, left + 100, bottom - 120)
        self.assertEqual(self.keys(), [(10, 4)])
        self.key('ctrl+a', 's', pause=0.2)
        self.drag(left + 100, bottom - 20, left + 300, bottom - 20)
        self.assertEqual(self.keys(), [(28, 4)])

    def test_dragged_across_another(self):
        """Keys that a drag passes over are there again when it goes on."""
        self.open()
        # The line of the frame lies over the first one.
        (x, y), (next_x, _) = self.find_spots(CURVE, 10)[-2:]
        self.drag(x, y, x + 16 * (next_x - x) / 12, y)
        self.assertEqual([at for at, _ in self.keys()], [1, 25, 29])
        self.key('ctrl+z')
        self.assertEqual(self.keys(), [(1, 1), (13, 3), (25, 2)])

    def test_all_keys_gone(self):
        self.open()
        self.key('ctrl+a', 'Delete', pause=0.2)
        self.assertEqual(self.keys(), 1)

    def test_numbers(self):
        self.open()
        self.leave()
        self.key('Right', 'Right', pause=0.2)
        # Back to the bar above: the frame is its first entry.
        x, y, _, height = self.place()
        self.click(x + 75, y + 0.5 * height + 22)
        self.key('ctrl+a')
        self.type('9.5\n')
        self.assertEqual([at for at, _ in self.keys()], [1, 9.5, 25])
        self.key('Tab', 'ctrl+a')
        self.type('-4\n')
        self.assertEqual(self.keys(), [(1, 1), (9.5, -4), (25, 2)])

    def test_shares_are_per_cent(self):
        """As in the inspector: what is typed is read so."""
        self.open(TEXT)
        self.leave()
        self.key('Right', 'Right', pause=0.2)
        x, y, _, height = self.place()
        self.click(x + 75, y + 0.5 * height + 22)
        self.key('Tab', 'ctrl+a')
        self.type('25\n')
        self.assertEqual(self.keys('text', 'shown'), [(1, 0), (13, 0.25), (25, 1)])
        # What stands there is read as it stands, with its unit.
        self.key('End', 'BackSpace')
        self.type('%\n')
        self.assertEqual(self.keys('text', 'shown')[1], (13, 0.25))


main()
