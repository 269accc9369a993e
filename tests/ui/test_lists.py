# SPDX-License-Identifier: GPL-3.0-or-later
"""The items of a list are moved in the inspector, by dragging and by keys; links on the canvas go with them."""
from support import WindowTest, main, tearDownModule  # noqa: F401

MERGE, FIRST = (260, 0), (0, 0)
NAMES = ['one', 'two', 'three']
GRAPH = {
    'kineograph': 1, 'display': 'merge.geometry',
    'nodes': dict(
        {name: {'type': 'geometry/circle', 'at': [0, 120 * i], 'inputs': {'radius': 1 + i}} for i, name in
         enumerate(NAMES)},
        merge={'type': 'geometry/merge', 'at': MERGE, 'inputs': {
            'geometries': [{'link': f'{name}.geometry'} for name in NAMES]}}),
}


class Lists(WindowTest):
    def open(self):
        self.write('graph.json', GRAPH)
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(MERGE))

    def order(self):
        found = self.save('graph.json')['nodes']['merge']['inputs']['geometries']
        return [item['link'].split('.')[0] for item in found]

    def rows(self):
        return [row for row in self.find_all('list-item') if row.name.endswith(' of Geometries')]

    def test_keys(self):
        self.open()
        self.assertEqual([row.name for row in self.rows()],
                         [f'{name}.geometry, {i + 1} of 3 of Geometries' for i, name in enumerate(NAMES)])
        # On the row itself, to which a click on its grip goes.
        x, y, _, height = self.rows()[0].place
        self.click(x + 6, y + height / 2)
        self.assertTrue(self.focused().is_called('one.geometry*'))
        self.key('alt+Down')
        self.assertEqual(self.order(), ['two', 'one', 'three'])
        # The keyboard goes with the row, whose name says where it is now.
        self.assertEqual(self.focused().name, 'one.geometry, 2 of 3 of Geometries')
        self.key('alt+Down', 'alt+Down')
        self.assertEqual(self.order(), ['two', 'three', 'one'])
        # The way to the linked node in a row works as the row does.
        self.key('Tab')
        self.assertEqual(self.focused().role, 'button')
        self.key('alt+Up')
        self.assertEqual(self.order(), ['two', 'one', 'three'])
        self.assertEqual(self.focused().role, 'button')
        # Each was one step of undo.
        self.click(*self.canvas().at(0.5, 0.95))
        for expected in (['two', 'three', 'one'], ['two', 'one', 'three'], NAMES):
            self.key('ctrl+z')
            self.assertEqual(self.order(), expected)

    def test_dragged(self):
        self.open()
        x, _, _, height = self.rows()[0].place
        places = [row.place[1] + row.place[3] / 2 for row in self.rows()]
        self.pull(x + 6, places[2], x + 6, places[0])
        self.let_go()
        self.assertEqual(self.order(), ['three', 'one', 'two'])
        self.drag(x + 6, places[0], x + 6, places[2] + height)
        self.assertEqual(self.order(), NAMES)
        # Back to where it was: nothing to undo but the two.
        self.drag(x + 6, places[1], x + 6, places[1] + 3)
        self.assertEqual(self.order(), NAMES)
        self.click(*self.canvas().at(0.5, 0.95))
        self.key('ctrl+z')
        self.assertEqual(self.order(), ['three', 'one', 'two'])
        self.key('ctrl+z')
        self.assertEqual(self.order(), NAMES)

    def test_links_follow(self):
        """On the canvas the first slot of the list belongs to the new first item."""
        self.open()
        x, y, _, height = self.rows()[0].place
        self.click(x + 6, y + height / 2)
        self.key('alt+Down')
        # Pulled off and dropped beside: the link of what is first is gone.
        self.drag(*self.slot(MERGE, 1), *self.at(MERGE[0] - 60, MERGE[1] - 70))
        self.key('Escape')
        self.assertEqual(self.order(), ['one', 'three'])


main()
