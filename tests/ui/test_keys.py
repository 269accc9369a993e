# SPDX-License-Identifier: GPL-3.0-or-later
"""The canvas without the mouse: nodes are moved, linked and unlinked, and dots put into links, by keys alone."""
from support import SCREEN_HEIGHT, WindowTest, main, tearDownModule, wait_for  # noqa: F401

RING, TINT, SHAPE, OUT = (0, 0), (300, 0), (300, 200), (600, 0)
GRAPH = {
    'kineograph': 1,
    'frames': {'start': 1, 'end': 48, 'rate': 24},
    'nodes': {
        'ring': {'type': 'geometry/circle', 'at': RING},
        'tint': {'type': 'geometry/color', 'at': TINT, 'inputs': {'geometry': {'link': 'ring.geometry'}}},
        'shape': {'type': 'geometry/transform', 'at': SHAPE},
        'out': {'type': 'render/draw', 'at': OUT, 'inputs': {'geometries': [{'link': 'tint.colored'}]}},
    },
}


def inputs(graph, name):
    return graph['nodes'][name].get('inputs', {})


class Keys(WindowTest):
    def open(self, graph=GRAPH):
        self.write('graph.json', graph)
        self.start('graph.json')
        self.over_canvas()

    def saved(self):
        return self.save('graph.json')

    def go_to(self, name):
        """With nothing selected the first arrow goes to the node nearest to the origin, which is ring."""
        self.key('ctrl+shift+a', 'Right')
        steps = {'ring': (), 'tint': ('period',), 'out': ('period', 'period'), 'shape': ('period', 'Down')}
        self.key(*steps[name])

    def new_node(self, graph):
        (name,) = set(graph['nodes']) - set(GRAPH['nodes'])
        return name

    def test_after_submenu(self):
        """A menu gives the keyboard back, also one that changes how everything looks."""
        self.write('graph.json', {'kineograph': 1, 'nodes': {'n': {'type': 'value/number', 'at': [0, 0]}}})
        self.start('graph.json')
        self.find_view('graph.json')
        self.choose('button', 'Menu', 'Appearance')
        self.press_choice('Dark')
        self.settle()
        self.key('a')
        self.key('ctrl+a')
        self.assertIsNotNone(self.focused())
        self.key('Delete')
        self.assertEqual(self.save('graph.json').get('nodes', {}), {})

    def test_nudge_is_one_step(self):
        self.open()
        self.go_to('tint')
        self.key('ctrl+shift+Right', 'ctrl+shift+Right', 'ctrl+shift+Down', 'ctrl+shift+Left')
        self.assertEqual(self.saved()['nodes']['tint']['at'], [310, 10])
        # A run of another selection is another step.
        self.key('comma', 'ctrl+shift+Up', 'ctrl+shift+Up')
        self.assertEqual(self.saved()['nodes']['ring']['at'], [0, -20])
        self.key('ctrl+z')
        graph = self.saved()
        self.assertEqual((graph['nodes']['ring'].get('at', [0, 0]), graph['nodes']['tint']['at']), ([0, 0], [310, 10]))
        self.key('ctrl+z')
        self.assertEqual(self.saved()['nodes']['tint']['at'], list(TINT))
        self.key('ctrl+shift+z')
        self.assertEqual(self.saved()['nodes']['tint']['at'], [310, 10])
        # The nudge goes on with nothing that was undone and done again in between.
        self.key('ctrl+a', 'ctrl+shift+Left')
        moved = {name: node['at'] for name, node in self.saved()['nodes'].items()}
        self.assertEqual(moved, {'ring': [-10, 0], 'tint': [300, 10], 'shape': [290, 200], 'out': [590, 0]})

    def test_shortcuts_window(self):
        """All of it is on a small display."""
        self.open()
        before = len(self.windows())
        for pane in ('ctrl+1', 'ctrl+4'):
            self.key(pane)
            self.key('F1')
            wait_for(lambda: len(self.windows()) == before + 1, 'the window of shortcuts')
            self.settle()
            x, y, width, height = self.place()
            self.assertTrue(width <= 1200 and height <= 720, (width, height))
            self.key('Escape')
            wait_for(lambda: len(self.windows()) == before, 'it to close')

    def test_link(self):
        self.open()
        self.go_to('ring')
        # Its only output; the nearest input that is free and takes it is shape's.
        self.key('c')
        self.key('Escape')
        self.assertEqual(inputs(self.saved(), 'shape'), {})
        self.key('c', 'Return')
        graph = self.saved()
        self.assertEqual(inputs(graph, 'shape'), {'geometry': {'link': 'ring.geometry'}})
        self.key('ctrl+z')
        self.assertEqual(inputs(self.saved(), 'shape'), {})
        # Arrows go to others: to the right is out, whose list takes another.
        self.go_to('ring')
        self.key('c', 'Right', 'Right', 'Return')
        items = inputs(self.saved(), 'out')['geometries']
        self.assertIn({'link': 'ring.geometry'}, items)

    def test_link_an_input(self):
        self.open()
        self.go_to('shape')
        # Of several inputs the geometry is the first; what gives one and is nearest, on the left, is ring.
        self.key('shift+c', 'Return', 'Return')
        self.assertEqual(inputs(self.saved(), 'shape'), {'geometry': {'link': 'ring.geometry'}})

    def test_two_selected_nodes(self):
        self.open()
        self.go_to('shape')
        self.key('c', 'Right', 'Return')
        links = [item.get('link') for item in inputs(self.saved(), 'out')['geometries']]
        self.assertIn('shape.transformed', links)

    def test_refused_link(self):
        """A link that closes a circle is refused, and the graph stays as it was."""
        chain = {'kineograph': 1, 'nodes': {
            'a': {'type': 'geometry/transform', 'at': [0, 0]},
            'b': {'type': 'geometry/transform', 'at': [300, 0], 'inputs': {'geometry': {'link': 'a.transformed'}}}}}
        self.open(chain)
        before = self.saved()
        self.key('ctrl+shift+a', 'Right', 'period', 'c', 'Return')
        self.assertEqual(inputs(self.saved(), 'a'), inputs(before, 'a'))
        self.assertEqual(inputs(self.saved(), 'b'), {'geometry': {'link': 'a.transformed'}})

    def test_unlink(self):
        self.open()
        self.go_to('tint')
        self.key('y')
        self.assertEqual(inputs(self.saved(), 'tint'), {})
        self.key('ctrl+z')
        self.assertEqual(inputs(self.saved(), 'tint'), inputs(GRAPH, 'tint'))

    def test_choose_which_link(self):
        """Of several links one is chosen: the second in the list of out."""
        graph = {**GRAPH, 'nodes': {**GRAPH['nodes'], 'out': {'type': 'render/draw', 'at': OUT, 'inputs': {
            'geometries': [{'link': 'tint.colored'}, {'link': 'ring.geometry'}]}}}}
        self.open(graph)
        self.go_to('out')
        self.key('y', 'Down', 'Return')
        self.assertEqual(inputs(self.saved(), 'out'), {'geometries': [{'link': 'tint.colored'}]})
        self.key('ctrl+z')
        self.key('y', 'Escape')
        self.assertEqual(inputs(self.saved(), 'out'), inputs(graph, 'out'))

    def test_dot(self):
        self.open()
        self.go_to('tint')
        self.key('r')
        graph = self.saved()
        name = self.new_node(graph)
        self.assertEqual(graph['nodes'][name]['type'], 'graph/reroute')
        self.assertEqual(inputs(graph, name), {'value': {'link': 'tint.colored'}})
        self.assertEqual(inputs(graph, 'out'), {'geometries': [{'link': f'{name}.output'}]})
        # It is selected, between both ends, and moved at once.
        x, y = graph['nodes'][name]['at']
        self.assertTrue(TINT[0] + 150 < x < OUT[0])
        self.key('ctrl+shift+Down')
        self.assertGreater(self.saved()['nodes'][name]['at'][1], y)
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(set(self.saved()['nodes']), set(GRAPH['nodes']))

    def test_dot_in_the_selected_link(self):
        self.open()
        self.go_to('ring')
        # All that ring is read by, without out and shape: ring and tint, and the link between them.
        self.key('period')
        self.key('shift+Left', 'r')
        graph = self.saved()
        name = self.new_node(graph)
        self.assertEqual(inputs(graph, name), {'value': {'link': 'ring.geometry'}})
        self.assertEqual(inputs(graph, 'tint'), {'geometry': {'link': f'{name}.output'}})

    def test_menu_of_a_node(self):
        self.open()
        self.go_to('tint')
        self.key('Menu')
        self.press_choice('Bypass')
        self.assertTrue(self.saved()['nodes']['tint'].get('bypass'))
        # By the keyboard alone, from entry to entry.
        self.key('shift+F10')
        self.go_down_to('Bypass')
        self.assertFalse(self.saved()['nodes']['tint'].get('bypass', False))

    def test_menu_of_a_node_is_seen_whole(self):
        """From its first entry to its last, though the node is low on the screen."""
        self.open()
        self.find_view('graph.json')
        self.click(*self.head(SHAPE), button=3)
        first, last = self.find('menu-item', 'Add Node…'), self.find('menu-item', 'Fit All')
        for entry in (first, last):
            self.assertTrue(entry.is_seen(), entry)
            self.assertGreaterEqual(entry.place[1], 0)
            self.assertLessEqual(entry.place[1] + entry.place[3], SCREEN_HEIGHT)
        self.assertLess(first.place[1], last.place[1] - 400)
        self.key('Escape')

    def test_menu_of_the_ground(self):
        self.open()
        self.key('ctrl+shift+a')
        self.key('shift+F10')
        self.go_down_to('Add Note')
        graph = self.saved()
        self.assertEqual(graph['nodes'][self.new_node(graph)]['type'], 'graph/note')


main()
