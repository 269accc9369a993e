# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables in the inspector: cells, rows as text, keys of single cells, and points that are keyed by moving them."""
import os

from support import WindowTest, main, tearDownModule  # noqa: F401

PATH, OTHER = (0, 0), (300, 0)
# What kg-handle-draw.c draws with.
POINT = (255, 168, 40)


class Tables(WindowTest):
    waits_for_evaluation = True

    def open(self, points=((0, 0), (1, 1), (2, 0)), **nodes):
        self.write('graph.json', {
            'kineograph': 1, 'frames': {'start': 1, 'end': 48, 'rate': 24},
            'nodes': {'path': {'type': 'curve/spline', 'at': PATH, 'inputs': {'points': points}},
                      'other': {'type': 'value/number', 'at': OTHER, 'inputs': {'value': 3}},
                      'out': {'type': 'render/draw', 'at': [600, 0],
                              'inputs': {'geometries': [{'link': 'path.geometry'}]}}, **nodes},
            'display': 'out.image'})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(PATH))
        self.settle()

    def points(self):
        return self.save('graph.json')['nodes']['path']['inputs']['points']

    def to_cells(self):
        self.find_input('points')
        self.assertEqual(self.focused_name(), 'Points 1 x')

    def focused_name(self):
        # (The text in an entry has the keyboard.)
        return self.focused().parent.name

    def fill(self, text):
        self.key('ctrl+a')
        self.type(text)

    def picture_for_people(self, name):
        folder = os.environ.get('KG_PICTURES')
        if folder:
            self.picture(os.path.join(folder, name))

    def test_cells(self):
        self.open()
        self.to_cells()
        self.fill('-1')
        self.key('Tab')
        self.fill('=frame/2')
        self.key('Down')
        self.fill('other.value*2')
        self.key('Return')
        self.assertEqual(self.focused_name(), 'Points 3 y')
        self.fill('1 +')
        self.key('Return')
        self.assertEqual(self.points(), [[-1, {'expr': 'frame/2'}, 0], [1, {'expr': 'other.value*2'}, 0], [2, 0, 0]])
        # An arrow is on no key: it is typed once more where the display was late to map it to one.
        for _ in range(5):
            self.fill('⟵ other.output')
            if self.text_of('text-box', 'Points 3 y') == '⟵ other.output':
                break
        self.key('Return')
        self.picture_for_people('tables-cells.png')
        self.assertEqual(self.points()[2], [2, {'link': 'other.output'}, 0])
        self.assertEqual([self.text_of('text-box', f'Points {i} y') for i in (1, 2, 3)],
                         ['= frame/2', '= other.value*2', '⟵ other.output'])
        self.key('ctrl+a')
        self.type('4\n')
        self.assertEqual(self.points()[2], [2, 4, 0])

    def test_rows(self):
        self.open()
        self.to_cells()
        self.key('Down')
        self.press('button', 'Add a row')
        self.assertEqual(self.points(), [[0, 0, 0], [1, 1, 0], [1, 1, 0], [2, 0, 0]])
        self.assertEqual(self.focused_name(), 'Points 3 x')
        self.fill('5\n')
        self.key('Up')
        self.press('button', 'Move the row up')
        self.assertEqual(self.points(), [[0, 0, 0], [5, 1, 0], [1, 1, 0], [2, 0, 0]])
        self.press('button', 'Remove the row')
        self.assertEqual(self.points(), [[0, 0, 0], [1, 1, 0], [2, 0, 0]])
        self.find_view('graph.json')
        self.key('ctrl+z')
        self.assertEqual(len(self.points()), 4)

    def test_refused_cell(self):
        """The message names the cell, not the place in its text; what was typed stays to be corrected."""
        self.open()
        self.to_cells()
        self.key('Tab')
        self.fill('1 +')
        self.key('Return')
        self.find('label', 'row 1, y: unexpected end: a value is missing')
        self.assertEqual(self.focused_name(), 'Points 1 y')
        self.assertEqual(self.text_of('text-box', 'Points 1 y'), '1 +')
        self.picture_for_people('tables-refused.png')
        self.assertEqual(self.points()[0], [0, 0, 0])
        self.type(' 2\n')
        self.assertEqual(self.points()[0], [0, 3, 0])
        self.assertEqual([w for w in self.find_all('label') if 'unexpected' in w.name], [])

    def test_first_row(self):
        self.open([])
        self.find_input('points')
        self.press('button', 'Add a row')
        self.assertEqual(self.focused_name(), 'Points 1 x')
        self.fill('5\n')
        self.assertEqual(self.points(), [[5, 0, 0]])

    def test_pasted_rows(self):
        self.open()
        self.to_cells()
        self.press('button', 'Edit as text')
        self.fill('7 8\n9 10\n')
        self.key('ctrl+a', 'ctrl+x')
        self.type('0 0\n1 1\n2 0\n')
        self.press('button', 'Edit as cells')
        self.click(*self.find('text-box', 'Points 3 y').middle)
        self.key('ctrl+v')
        self.assertEqual(self.points(), [[0, 0, 0], [1, 1, 0], [2, 7, 8], [2, 9, 10]])

    def test_pasted_expressions(self):
        """Pasted rows are read like typed ones; rows with an expression cannot be edited as text, which is reported."""
        self.open([[0, 0], [1, 1]])
        self.to_cells()
        self.press('button', 'Edit as text')
        self.fill('=frame / 100')
        self.key('ctrl+a', 'ctrl+x')
        self.type('0 0\n1 1\n')
        self.press('button', 'Edit as cells')
        self.click(*self.find('text-box', 'Points 2 y').middle)
        self.key('ctrl+a', 'ctrl+v', 'Return')
        self.assertEqual(self.points(), [[0, 0, 0], [1, {'expr': 'frame / 100'}, 0]])
        self.press('button', 'Edit as text')
        self.find('label', 'some cells are computed: edit this table as cells')
        self.press('button', 'Edit as cells')
        self.wait_until_gone('label', 'some cells are computed: edit this table as cells')

    def test_draft(self):
        """Rows that could not be read are there again when the node is."""
        self.open()
        self.to_cells()
        self.press('button', 'Edit as text')
        self.fill('0 0\n1 one\n2 2')
        self.click(*self.head(OTHER))
        self.assertEqual(self.points(), [[0, 0, 0], [1, 1, 0], [2, 0, 0]])
        self.click(*self.head(PATH))
        self.assertEqual(self.text_of('text-box', 'Points'), '0 0\n1 one\n2 2')
        self.click(*self.find('text-box', 'Points').middle)
        self.fill('0 0\n1 1\n2 2')
        self.press('button', 'Edit as cells')
        self.assertEqual(self.points(), [[0, 0, 0], [1, 1, 0], [2, 2, 0]])

    def test_many_rows(self):
        """Only rows in sight have widgets."""
        self.open([[i, i % 2] for i in range(2000)])
        self.to_cells()
        self.assertEqual(len([w for w in self.find_all('text-box') if w.name.startswith('Points ')]), 24)
        for _ in range(9):
            self.key('Down')
        self.assertEqual(self.focused_name(), 'Points 10 x')
        self.fill('0.5\n')
        self.assertEqual(self.points()[9], [0.5, 1, 0])

    def test_keys(self):
        """A key of one cell, then one by typing, then one by moving the point; each a channel of its own."""
        self.open()
        self.to_cells()
        self.key('Down')
        self.press('button', 'Set a key in the cell at this frame')
        self.press('button', 'One frame forward')
        self.click(*self.find('text-box', 'Points 2 x').middle)
        self.fill('1.5\n')
        x = self.points()[1][0]['keys']
        self.assertEqual([(key['frame'], key['value']) for key in x], [(1, 1), (2, 1.5)])
        self.assertEqual(self.points()[1][1:], [1, 0])
        self.press('button', 'One frame forward')
        self.press('button', 'Auto key: whatever is changed gets a key at this frame')
        spots = self.find_spots(POINT, 30)
        self.drag(*spots[1], spots[1][0], spots[1][1] - 40)
        self.settle()
        row = self.points()[1]
        self.assertEqual([key['frame'] for key in row[1]['keys']], [3])
        self.assertGreater(row[1]['keys'][0]['value'], 1.1)
        self.assertEqual(row[2], 0)
        self.press('tab', 'Curves')
        self.settle()
        self.picture_for_people('tables-keys.png')
        for name in ('path · Points 2 x', 'path · Points 2 y'):
            self.find('label', name)


if __name__ == '__main__':
    main()
