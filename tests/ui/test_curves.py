# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys edited in the curve editor with pointer and keyboard, as the saved file shows."""
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
        self.key('ctrl+2')

    def keys(self, node='ring', slot='radius'):
        keys = self.save('graph.json')['nodes'][node]['inputs'][slot]
        if not isinstance(keys, dict):
            return keys
        return [tuple(key) if isinstance(key, list) else (key['frame'], key['value']) for key in keys['keys']]

    def area(self):
        """What surely lies in the drawing, right of its scale: left, top, right and bottom."""
        x, y, width, height = self.curves().place
        return x + 60, y + 20, x + width - 10, y + height - 10

    def curves(self):
        """The large ones, not those of the inspector."""
        return max(self.find_all('group', 'Curves'), key=lambda area: area.place[2])

    def bar(self):
        """The entries and buttons above the drawing."""
        return self.find('button', 'Auto').parent.parent

    def leave(self):
        """Keys that act at the pointer while it is elsewhere."""
        self.move_away()

    def test_walk_insert_and_delete(self):
        self.open()
        self.leave()
        self.key('ctrl+Right', 'ctrl+Right', 'ctrl+Right', 'ctrl+Right', 'i')
        keys = self.keys()
        self.assertEqual([at for at, _ in keys], [1, 5, 13, 25])
        self.assertTrue(1 < keys[1][1] < 3, keys)
        # The new key is selected; the next one is at its right.
        self.key('Right', 'Delete')
        self.assertEqual([at for at, _ in self.keys()], [1, 5, 25])
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(self.keys(), [(1, 1), (13, 3), (25, 2)])

    def test_box_and_move(self):
        self.open()
        left, top, right, bottom = self.area()
        self.drag(left + 5, top + 5, right, bottom)
        self.key('alt+Right', 'alt+Right')
        self.assertEqual([at for at, _ in self.keys()], [3, 15, 27])
        self.key('Escape', 'Left')
        self.key('alt+Left')
        self.assertEqual([at for at, _ in self.keys()], [2, 15, 27])

    def test_steps_end_at_another_key(self):
        """Moving keys with the keyboard replaces no other key; a selection moves as a whole."""
        self.open(dict(GRAPH, nodes={'ring': dict(GRAPH['nodes']['ring'], inputs={
            'radius': {'keys': [[1, 1], [13, 3], [15, 2]]}})}))
        self.leave()
        self.key('Right', 'Right', 'alt+Right', 'alt+Right', 'alt+Right', 'alt+Right')
        self.assertEqual(self.keys(), [(1, 1), (14, 3), (15, 2)])
        self.key('shift+Right', 'alt+Right', 'alt+Right')
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

        def radius():
            self.leave()
            return self.save('graph.json')['nodes']['ring']['inputs']['radius']

        def second():
            return radius()['keys'][1]

        def slopes(key):
            return [key[side][1] / key[side][0] for side in ('in', 'out')]

        self.key('Right', 'Right')
        self.press('button', 'Auto')
        self.assertEqual(second(), {'frame': 13, 'value': 3, 'interpolation': 'bezier'})
        self.press('button', 'Free')
        key = second()
        self.assertEqual(key['tangents'], 'free')
        self.press('button', 'Flat')
        self.assertEqual(slopes(second()), [0, 0])
        self.press('button', 'Auto')
        self.press('button', 'Aligned')
        key = second()
        self.assertEqual(key['tangents'], 'aligned')
        # The length of a handle to the left is reported without its sign.
        self.assertAlmostEqual(*map(abs, slopes(key)), places=9)
        for name, choice in (('constant', 'Constant'), ('linear', 'Linear'), ('tcb', 'TCB')):
            self.choose('combo-box', 'Interpolation from the selected keys to the next', choice)
            key = second()
            self.assertEqual(key.get('interpolation', 'linear') if isinstance(key, dict) else 'linear', name)
        # The choice before says the same.
        self.press('button', 'TCB', nth=-1)
        for number in ('0.5', '-0.25', '0.75'):
            self.key('ctrl+a')
            self.type(number + '\n')
            self.key('Tab')
        self.key('Escape')
        self.assertEqual(second()['tcb'], [0.5, -0.25, 0.75])
        self.choose('combo-box', 'How curves continue before their first key', 'Cycle')
        self.choose('combo-box', 'How curves continue after their last key', 'Mirror')
        inputs = radius()
        self.assertEqual((inputs['before'], inputs['after']), ('cycle', 'mirror'))
        left, _, _, bottom = self.area()
        self.click(left + 50, bottom - 10)
        self.key('ctrl+a')
        self.press('button', 'Reduce')
        self.key('ctrl+a')
        self.type('0.6\n')
        self.key('Escape')
        self.assertEqual(self.keys(), [(1, 1), (14, 3.5), (25, 2)])

    def test_scale(self):
        self.open()
        left, top, right, bottom = self.area()
        self.key('ctrl+a', 's')
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
        self.key('ctrl+a', 's')
        self.drag(left + 100, bottom - 20, left + 100, bottom - 120)
        self.assertEqual(self.keys(), [(10, 4)])
        self.key('ctrl+a', 's')
        self.drag(left + 100, bottom - 20, left + 300, bottom - 20)
        self.assertEqual(self.keys(), [(28, 4)])

    def test_dragged_across_another(self):
        """Keys that a drag passes over reappear when it continues."""
        self.open()
        # The line of the frame lies over the first one.
        (x, y), (next_x, _) = self.find_spots(CURVE, 10)[-2:]
        self.drag(x, y, x + 16 * (next_x - x) / 12, y)
        self.assertEqual([at for at, _ in self.keys()], [1, 25, 29])
        self.key('ctrl+z')
        self.assertEqual(self.keys(), [(1, 1), (13, 3), (25, 2)])

    def test_all_keys_gone(self):
        self.open()
        self.key('ctrl+a', 'Delete')
        self.assertEqual(self.keys(), 1)

    def test_numbers(self):
        self.open()
        self.leave()
        self.key('Right', 'Right')
        self.press('text-box', 'Frame', inside=self.bar())
        self.key('ctrl+a')
        self.type('9.5\n')
        self.assertEqual([at for at, _ in self.keys()], [1, 9.5, 25])
        self.key('Tab', 'ctrl+a')
        self.type('-4\n')
        self.assertEqual(self.keys(), [(1, 1), (9.5, -4), (25, 2)])

    def test_shares_are_per_cent(self):
        """Typed numbers are read as in the inspector."""
        self.open(TEXT)
        self.leave()
        self.key('Right', 'Right')
        self.press('text-box', 'Frame', inside=self.bar())
        self.key('Tab', 'ctrl+a')
        self.type('25\n')
        self.assertEqual(self.keys('text', 'shown'), [(1, 0), (13, 0.25), (25, 1)])
        # What stands there is read as it stands, with its unit.
        self.key('End', 'BackSpace')
        self.type('%\n')
        self.assertEqual(self.keys('text', 'shown')[1], (13, 0.25))


main()
