# SPDX-License-Identifier: GPL-3.0-or-later
"""The dope sheet: keys of all nodes, selected, moved, scaled, copied and deleted, as the saved file tells it."""
from support import WindowTest, main, tearDownModule  # noqa: F401

NODES = {
    'size': {'type': 'value/number', 'at': [0, 0], 'inputs': {'value': {'keys': [[1, 0], [11, 2], [21, 4]]}}},
    'turn': {'type': 'value/number', 'at': [0, 200], 'inputs': {'value': {'keys': [[1, 5], [21, 6]]}}},
}
# kg-dope-sheet.c
HEAD, ROW, NAMES, MARGIN = 30, 22, 190, 14


class DopeSheet(WindowTest):
    def open(self):
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 41, 'rate': 24}, 'nodes': NODES})
        self.start('graph.json')
        self.key('ctrl+5')
        self.settle()

    def spot(self, frame, row):
        x, y, width, _ = self.find('img', 'Dope sheet').place
        return x + NAMES + MARGIN + (width - NAMES - 2 * MARGIN) * (frame - 1) / 40, y + HEAD + ROW * (row + 0.5)

    def described(self):
        return self.find('img', 'Dope sheet').description

    def frames(self):
        nodes = self.save('graph.json')['nodes']
        return {name: [key[0] if isinstance(key, list) else key['frame'] for key in node['inputs']['value']['keys']]
                for name, node in nodes.items() if isinstance(node['inputs']['value'], dict)}

    def test_pointer(self):
        self.open()
        self.assertEqual(self.described(), '2 keyed inputs, 5 keys, 0 selected')
        # A box around the last two frames of both.
        x, y = self.spot(9, 0)
        self.drag(x, y - 8, *[a + b for a, b in zip(self.spot(23, 1), (0, 8))])
        self.assertEqual(self.described(), '2 keyed inputs, 5 keys, 3 selected')
        self.drag(*self.spot(11, 0), *self.spot(14, 0))
        self.assertEqual(self.frames(), {'size': [1, 14, 24], 'turn': [1, 24]})
        # The end of the bar: 14 to 24 becomes 14 to 34.
        x, y = self.spot(24, 0)
        top = y - ROW / 2 - 6
        self.drag(x + 2, top, self.spot(34, 0)[0] + 2, top)
        self.assertEqual(self.frames(), {'size': [1, 14, 34], 'turn': [1, 34]})
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(self.frames(), {'size': [1, 11, 21], 'turn': [1, 21]})

    def test_keys(self):
        self.open()
        self.click(*self.spot(11, 0))
        self.assertEqual(self.described(), '2 keyed inputs, 5 keys, 1 selected')
        self.key('Right', 'Right', 'shift+Right')
        self.assertEqual(self.frames()['size'], [1, 21, 23])

    def test_copy_and_delete(self):
        self.open()
        self.click(*self.spot(1, 0))
        self.key('ctrl+a', 'ctrl+c')
        # The head sets the frame.
        x, y = self.spot(20, 0)
        self.click(x, y - ROW)
        self.key('ctrl+v')
        self.assertEqual(self.frames(), {'size': [1, 11, 20, 21, 30, 40], 'turn': [1, 20, 21, 40]})
        self.assertEqual(self.described(), '2 keyed inputs, 10 keys, 5 selected')
        self.key('Delete')
        self.assertEqual(self.frames(), {'size': [1, 11, 21], 'turn': [1, 21]})


if __name__ == '__main__':
    main()
