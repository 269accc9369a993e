# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits in the inspector, the timeline and the preferences, judged by the saved file."""

from support import SCREEN_WIDTH, WindowTest, main, tearDownModule  # noqa: F401

RING, MOVED, SPARKS = (0, 0), (300, 0), (300, 200)
GRAPH = {
    'kineograph': 1,
    'frames': {'start': 1, 'end': 48, 'rate': 24},
    'nodes': {
        'ring': {'type': 'geometry/circle', 'at': RING},
        'moved': {'type': 'geometry/transform', 'at': MOVED, 'inputs': {
            'geometry': {'link': 'ring.geometry'}, 'translate': {'keys': [[1, [0, 0, 0]], [24, [1, 2, 3]]]}}},
        'sparks': {'type': 'sim/particles', 'at': SPARKS},
    },
    'display': 'moved.transformed',
}
KEY_COLOR = (242, 166, 38)


class Panels(WindowTest):
    def open(self):
        self.write('graph.json', GRAPH)
        self.start('graph.json')
        self.find_view('graph.json')

    def inputs(self, name):
        return self.save('graph.json')['nodes'][name].get('inputs', {})

    def frames(self, name='moved', slot='translate'):
        return [key['frame'] if isinstance(key, dict) else key[0] for key in self.inputs(name)[slot]['keys']]

    def find_color(self, color, low, high):
        """Middles of the spots of a colour between two heights of the screen, from the left."""
        done = self.screen()
        columns = set()
        for y in range(low, high):
            for x in range(SCREEN_WIDTH):
                i = 3 * (SCREEN_WIDTH * y + x)
                if all(abs(done[i + c] - color[c]) < 12 for c in range(3)):
                    columns.add(x)
        spots = []
        for x in sorted(columns):
            if spots and x - spots[-1][1] <= 2:
                spots[-1][1] = x
            else:
                spots.append([x, x])
        return [(a + b) / 2 for a, b in spots if b - a > 3]

    # Inspector.

    def test_typing_after_a_click_replaces(self):
        self.open()
        self.click(*self.head(RING))
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('12\n')
        self.assertEqual(self.inputs('ring')['radius'], 12)
        self.click(*self.head(MOVED))
        self.click(*self.head(RING))
        x, y, width, height = self.find('spin-button', 'Radius').place
        field = x + 12, y + height / 2
        self.click(*field)
        self.type('3\n')
        self.assertEqual(self.inputs('ring')['radius'], 3)
        # A second click places the cursor.
        self.click(*self.head(MOVED))
        self.click(*self.head(RING))
        self.find('spin-button', 'Radius')
        self.click(*field)
        self.click(field[0] + 40, field[1])
        self.key('End', 'Left', 'Left')
        self.type('5\n')
        self.assertEqual(self.inputs('ring')['radius'], 35)

    def test_curve_in_the_inspector(self):
        self.open()
        self.click(*self.head(MOVED))
        self.find_input('translate')
        # Three numbers, the key, the menu, then the curve.
        self.key('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'space', 'Tab')
        self.key('ctrl+a', 'alt+Right')
        self.assertEqual(self.frames(), [2, 25])
        self.key('ctrl+z')
        self.assertEqual(self.frames(), [1, 24])
        # From there to the large one.
        self.key('Tab', 'space')
        self.key('ctrl+a', 'alt+Left')
        self.assertEqual(self.frames(), [0, 23])

    def test_motion_drawn_in_the_inspector(self):
        self.open()
        self.click(*self.head(SPARKS))
        self.find_input('size_over')
        self.key('space')
        self.key('Return')
        keys = self.inputs('sparks')['size_over_age']['keys']
        self.assertEqual([tuple(key) if isinstance(key, list) else (key['frame'], key['value']) for key in keys],
                         [(0, 1), (1, 1)])
        self.click(*self.head(SPARKS))
        self.find_input('size_over')
        self.key('Tab', 'Right', 'alt+Up')
        keys = self.inputs('sparks')['size_over_age']['keys']
        values = [key[1] if isinstance(key, list) else key['value'] for key in keys]
        self.assertGreater(values[0], 1)
        self.assertEqual(values[1], 1)
        # Without its keys it waits for a link again.
        self.key('ctrl+a', 'Delete')
        self.assertNotIn('size_over_age', self.inputs('sparks'))

    def test_several_nodes(self):
        """What differs between the selected nodes is not shown as if it were one, and is set for all."""
        self.open()
        self.click(*self.head(MOVED))
        self.key('ctrl+d')
        self.find_input('scale')
        self.key('ctrl+a')
        self.type('4\n')
        self.click(*self.head(MOVED))
        self.click(*self.head((MOVED[0] + 30, MOVED[1] + 40)), hold='shift')
        self.find_input('scale')
        # An empty field that is left changes nothing.
        self.key('Tab')
        scales = sorted(node.get('inputs', {}).get('scale', [1, 1, 1])
                        for node in self.save('graph.json')['nodes'].values() if node['type'] == 'geometry/transform')
        self.assertEqual(scales, [[1, 1, 1], [4, 1, 1]])
        self.key('ctrl+a')
        self.type('2\n')
        scales = sorted(node.get('inputs', {}).get('scale', [1, 1, 1])
                        for node in self.save('graph.json')['nodes'].values() if node['type'] == 'geometry/transform')
        self.assertEqual(scales, [[1, 2, 1], [4, 2, 1]])

    def test_keys_reset_and_link(self):
        """What the menu of an input does with its keys, and a link that is followed by a click."""
        self.open()
        self.click(*self.head(MOVED))
        self.find_input('translate')

        def menu(*steps):
            # Three numbers, the key, the menu.  Enter in a field has given the keyboard to the canvas.
            self.click(*self.head(MOVED))
            self.find_input('translate')
            self.key('Tab', 'Tab', 'Tab', 'Tab', 'space')
            self.key(*steps)
            self.click(*self.head(MOVED))
            self.find_input('translate')

        # Reset, expression, its window; key, previous, next, remove all.
        menu(*['Down'] * 5, 'Return')
        self.key('ctrl+a')
        self.type('9\n')
        self.assertEqual(self.inputs('moved')['translate'], {'keys': [[1, [0, 0, 0]], [24, [9, 2, 3]]]})
        menu(*['Down'] * 4, 'Return')
        self.key('ctrl+a')
        self.type('8\n')
        keys = {'keys': [[1, [8, 0, 0]], [24, [9, 2, 3]]]}
        self.assertEqual(self.inputs('moved')['translate'], keys)
        # The value of the frame stays.
        menu(*['Down'] * 6, 'Return')
        self.assertEqual(self.inputs('moved')['translate'], [8, 0, 0])
        menu('Return')
        self.assertNotIn('translate', self.inputs('moved'))
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(self.inputs('moved')['translate'], keys)
        self.click(*self.head(MOVED))
        self.find_input('geometry')
        self.key('space')
        # By viewport and timeline to the canvas.
        self.key('F6', 'F6', 'F6', 'b')
        nodes = self.save('graph.json')['nodes']
        self.assertEqual([name for name, node in nodes.items() if node.get('bypass')], ['ring'])

    # Timeline.

    def test_range_and_rate(self):
        """A first frame beyond the last one takes that with it, and the other way round; there is no rate of 0."""
        self.open()
        self.press('button', '1–48')
        for value in ('60', '20', '0'):
            self.key('ctrl+a')
            self.type(value + '\n')
            self.key('Tab')
        self.key('Escape')
        frames = self.save('graph.json')['frames']
        self.assertEqual((frames['start'], frames['end']), (20, 20))
        self.assertGreater(frames['rate'], 0)

    def test_drag_keys(self):
        self.open()
        self.click(*self.head(MOVED))
        self.key('ctrl+Right', 'ctrl+Right', 'ctrl+Right')
        self.settle()
        x, y, width, height = self.find('slider', 'Frames').place
        spots = self.find_color(KEY_COLOR, y, y + height)
        self.assertEqual(len(spots), 2, spots)
        left, right = spots
        a_frame = (right - left) / 23
        middle = y + height - 16
        self.drag(right, middle, right + 10 * a_frame, middle)
        self.assertEqual(self.frames(), [1, 34])
        # Beyond the end is the last frame; one step of undo takes a drag back.
        self.drag(right + 10 * a_frame, middle, right + 100 * a_frame, middle)
        self.assertEqual(self.frames(), [1, 48])
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(self.frames(), [1, 24])
        # A click on a key only goes there.
        self.click(right, middle)
        self.click(*self.head(MOVED))
        self.find_input('translate')
        self.key('ctrl+a')
        self.type('5\n')
        self.assertEqual(self.frames(), [1, 24])
        key = self.inputs('moved')['translate']['keys'][1]
        self.assertEqual(key['value'] if isinstance(key, dict) else key[1], [5, 2, 3])

    def test_walk_the_ruler(self):
        self.open()
        self.click(*self.head(MOVED))
        self.press('slider', 'Frames')
        self.key('Home', 'Right', 'Right', 'Page_Down')
        self.click(*self.head(MOVED))
        self.find_input('translate')
        self.key('ctrl+a')
        self.type('7\n')
        self.assertEqual(self.frames(), [1, 24, 27])

    def test_frame_entry(self):
        """It shows the frame that is, also when what was typed lies beyond the last one; arrows go to whole frames."""
        self.open()
        self.press('spin-button', 'Frame')
        for typed in ('100', '200'):
            self.key('ctrl+a')
            self.type(typed + '\n')
        self.press('spin-button', 'Frame')
        self.key('Down', 'Down')
        self.click(*self.head(MOVED))
        self.find_input('translate')
        self.key('ctrl+a')
        self.type('7\n')
        self.assertEqual(self.frames(), [1, 24, 46])

    # Preferences.

    def test_preferences(self):
        self.open()
        self.key('ctrl+comma')
        self.wait_for_title('Preferences')
        self.key('alt+g')
        self.key('ctrl+comma')
        self.assertEqual(len(self.windows()), 2)
        self.key('Escape')
        self.wait_for_title('graph.json')
        # Without the grid a node lands where it is let go.
        x, y = self.head(RING)
        self.drag(x, y, x + 37 * self.view[2], y - 53 * self.view[2])
        at = self.save('graph.json')['nodes']['ring']['at']
        self.assertAlmostEqual(at[0], 37, delta=2)
        self.assertTrue(at[0] % 10 or at[1] % 10, at)

    # Canvas by keyboard.

    def test_follow_links(self):
        self.open()
        self.click(*self.head(MOVED))
        self.key('comma', 'b')
        nodes = self.save('graph.json')['nodes']
        self.assertEqual([name for name, node in nodes.items() if node.get('bypass')], ['ring'])
        self.key('b', 'period', 'b')
        nodes = self.save('graph.json')['nodes']
        self.assertEqual([name for name, node in nodes.items() if node.get('bypass')], ['moved'])


main()
