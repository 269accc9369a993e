# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of nodes and links on the canvas, and of time, judged by the saved file."""
from support import NODE_HEAD, NODE_ROW, NODE_WIDTH, SCREEN_WIDTH, WindowTest, main, tearDownModule  # noqa: F401

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
    'display': 'out.image',
}


def inputs(graph, name):
    return graph['nodes'][name].get('inputs', {})


class Edit(WindowTest):
    def open(self):
        self.write('graph.json', GRAPH)
        self.start('graph.json')
        self.find_view('graph.json')

    def saved(self):
        return self.save('graph.json')

    def test_insert_on_link(self):
        self.open()
        x, y = self.at(225, 36)
        self.drag(*self.head(SHAPE), x, y)
        graph = self.saved()
        self.assertEqual(inputs(graph, 'shape'), {'geometry': {'link': 'ring.geometry'}})
        self.assertEqual(inputs(graph, 'tint'), {'geometry': {'link': 'shape.transformed'}})
        self.key('ctrl+z')
        graph = self.saved()
        self.assertEqual(inputs(graph, 'tint'), {'geometry': {'link': 'ring.geometry'}})
        self.assertEqual(graph['nodes']['shape']['at'], list(SHAPE))

    def test_link_dropped_on_nothing(self):
        self.open()
        self.drag(*self.slot(RING, 0, True), *self.at(200, 150))
        self.type('transform')
        self.settle()
        self.key('Return')
        graph = self.saved()
        new = set(graph['nodes']) - set(GRAPH['nodes'])
        self.assertEqual(len(new), 1)
        node = graph['nodes'][new.pop()]
        self.assertEqual((node['type'], node['inputs']),
                         ('geometry/transform', {'geometry': {'link': 'ring.geometry'}}))
        # From an input, what is found has an output that fits.
        self.drag(*self.slot(OUT, 2), *self.at(560, 150))
        self.type('circle')
        self.settle()
        self.key('Return')
        items = inputs(self.saved(), 'out')['geometries']
        self.assertEqual(len(items), 2)
        self.assertEqual(items[0], {'link': 'tint.colored'})

    def test_dot_in_a_link(self):
        self.open()
        # The middle of the link from the first row of one to the second of the other.
        x, y = self.at(225, 42)
        self.click(x, y, times=2)
        graph = self.saved()
        (name,) = set(graph['nodes']) - set(GRAPH['nodes'])
        self.assertEqual(graph['nodes'][name]['type'], 'graph/reroute')
        self.assertEqual(inputs(graph, name), {'value': {'link': 'ring.geometry'}})
        self.assertEqual(inputs(graph, 'tint'), {'geometry': {'link': f'{name}.output'}})
        # It is moved as any node, and another link leaves from its right.
        self.drag(x, y, x, y + 60 * self.view[2])
        moved = self.saved()['nodes'][name]['at']
        self.assertAlmostEqual(moved[1] - graph['nodes'][name]['at'][1], 60, delta=6)
        self.drag(*self.at(moved[0] + 34, moved[1] + 9), *self.slot(SHAPE, 1))
        self.assertEqual(inputs(self.saved(), 'shape'), {'geometry': {'link': f'{name}.output'}})

    def test_cut(self):
        self.open()
        self.drag(*self.at(225, 0), *self.at(225, 100), hold='ctrl')
        graph = self.saved()
        self.assertEqual(inputs(graph, 'tint'), {})
        self.assertEqual(inputs(graph, 'out'), inputs(GRAPH, 'out'))
        self.drag(*self.at(525, 0), *self.at(525, 100), hold='ctrl')
        self.assertEqual(inputs(self.saved(), 'out').get('geometries', []), [])
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(inputs(self.saved(), 'tint'), inputs(GRAPH, 'tint'))

    def test_unlink_and_link_elsewhere(self):
        self.open()
        self.drag(*self.slot(TINT, 1), *self.head(SHAPE))
        graph = self.saved()
        self.assertEqual((inputs(graph, 'tint'), inputs(graph, 'shape')),
                         ({}, {'geometry': {'link': 'ring.geometry'}}))
        self.drag(*self.slot(SHAPE, 1), *self.at(150, 190))
        self.assertEqual(inputs(self.saved(), 'shape'), {})
        # What would read itself is refused, and nothing changes.
        self.drag(*self.slot(TINT, 0, True), *self.slot(TINT, 1))
        self.assertEqual(inputs(self.saved(), 'tint'), {})

    def test_delete_closes_the_gap(self):
        self.open()
        self.click(*self.head(TINT))
        self.key('Delete')
        graph = self.saved()
        self.assertNotIn('tint', graph['nodes'])
        self.assertEqual(inputs(graph, 'out'), {'geometries': [{'link': 'ring.geometry'}]})
        self.key('ctrl+z')
        self.click(*self.head(TINT))
        self.key('shift+Delete')
        graph = self.saved()
        self.assertEqual(inputs(graph, 'out').get('geometries', []), [])

    def test_pull_out_of_chain(self):
        self.open()
        x, y = self.head(TINT)
        self.drag(x, y, x, y + 100 * self.view[2], hold='alt')
        graph = self.saved()
        self.assertEqual(inputs(graph, 'tint'), {})
        self.assertEqual(inputs(graph, 'out'), {'geometries': [{'link': 'ring.geometry'}]})

    def test_box_move_and_duplicate(self):
        self.open()
        self.drag(*self.at(-40, -40), *self.at(480, 120))
        x, y = self.head(RING)
        self.drag(x, y, x + 40 * self.view[2], y - 60 * self.view[2])
        graph = self.saved()
        moved = [graph['nodes'][name]['at'] for name in ('ring', 'tint', 'shape')]
        self.assertEqual(moved, [[40, -60], [340, -60], list(SHAPE)])
        self.key('ctrl+d')
        graph = self.saved()
        new = sorted(set(graph['nodes']) - set(GRAPH['nodes']))
        self.assertEqual(len(new), 2)
        links = [inputs(graph, name) for name in new]
        self.assertIn({'geometry': {'link': f'{new[0]}.geometry'}}, links)

    def test_copy_between_windows(self):
        self.write('graph.json', GRAPH)
        self.write('other.json', '{ "kineograph": 1, "nodes": { "ring": { "type": "value/random", "at": [0, 0] } } }')
        self.start('graph.json', 'other.json', windows=2)
        self.activate('graph.json')
        self.key('ctrl+a', 'ctrl+c')
        self.activate('other.json')
        self.over_canvas(0.3, 0.6)
        self.key('ctrl+v')
        graph = self.save('other.json')
        kinds = sorted(node['type'] for node in graph['nodes'].values())
        self.assertEqual(kinds, sorted(['value/random', *(node['type'] for node in GRAPH['nodes'].values())]))
        self.assertEqual(graph['nodes']['ring']['type'], 'value/random')
        link = inputs(graph, 'tint')['geometry']['link'].split('.')[0]
        self.assertEqual(graph['nodes'][link]['type'], 'geometry/circle')
        self.assertEqual(inputs(graph, 'out'), inputs(GRAPH, 'out'))
        # Text that is no graph is refused without harm.
        self.key('F2')
        self.key('ctrl+a', 'ctrl+c', 'Escape')
        self.key('ctrl+v')
        self.assertEqual(self.save('other.json'), graph)

    def scrub(self, share):
        """To a frame on the ruler: 0 is the first, 1 the last."""
        ruler = self.find('slider', 'Frames')
        x, y = ruler.middle
        self.drag(x - 0.1 * ruler.place[2], y, *ruler.at(share, 0.5))

    def test_scrub_and_key(self):
        self.open()
        self.click(*self.head(RING))
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('1')
        self.key('Tab', 'space')
        self.scrub(1)
        self.click(*self.head(RING))
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('2')
        self.key('Return')
        keys = inputs(self.saved(), 'ring')['radius']['keys']
        self.assertEqual([(key['frame'], key['value']) for key in keys], [(1, 1), (48, 2)])
        # Back at the first frame the key button takes its key away.
        self.key('alt+Left')
        self.find_input('radius')
        self.key('Tab', 'space')
        self.assertEqual([key['frame'] for key in inputs(self.saved(), 'ring')['radius']['keys']], [48])
        self.key('ctrl+z')
        self.assertEqual(len(inputs(self.saved(), 'ring')['radius']['keys']), 2)

    def test_play(self):
        self.open()
        self.click(*self.head(RING))
        self.play(1)
        self.stop()
        self.find_input('radius')
        self.key('Tab', 'space')
        at = inputs(self.saved(), 'ring')['radius']['keys'][0]['frame']
        self.assertTrue(5 < at < 48 and at == int(at), at)

    def test_collapse_and_expand(self):
        self.open()
        self.click(*self.head(TINT))
        self.key('ctrl+g')
        graph = self.saved()
        (name,) = set(graph['nodes']) - set(GRAPH['nodes'])
        subnet = graph['nodes'][name]
        self.assertIn('tint', subnet['graph']['nodes'])
        self.assertEqual(list(inputs(graph, name).values()), [{'link': 'ring.geometry'}])
        self.key('i')
        self.add('value/random')
        self.key('u')
        self.add('value/compose')
        graph = self.saved()
        kinds = {node['type'] for node in graph['nodes'][name]['graph']['nodes'].values()}
        self.assertIn('value/random', kinds)
        self.assertNotIn('value/random', {node['type'] for node in graph['nodes'].values()})
        self.key('ctrl+z', 'ctrl+z')
        self.click(*self.head(TINT))
        self.key('ctrl+shift+g')
        graph = self.saved()
        self.assertEqual({key: inputs(graph, key) for key in graph['nodes']},
                         {key: inputs(GRAPH, key) for key in GRAPH['nodes']})

    def test_collapse_all_in_a_sub_graph(self):
        """What it reads and gives stays the same."""
        self.open()
        self.click(*self.head(TINT))
        self.key('ctrl+g')
        before = self.saved()
        (name,) = set(before['nodes']) - set(GRAPH['nodes'])
        self.key('i')
        self.key('ctrl+a', 'ctrl+g')
        graph = self.saved()
        self.assertEqual((inputs(graph, name), inputs(graph, 'out')), (inputs(before, name), inputs(before, 'out')))
        inside = graph['nodes'][name]['graph']['nodes']
        self.assertEqual(sorted(node['type'] for node in inside.values()),
                         ['graph/input', 'graph/output', 'graph/subnet'])
        self.assertNotIn('tint', inside)

    def test_undo_inside_what_goes(self):
        self.open()
        self.click(*self.head(TINT))
        self.key('ctrl+g')
        self.key('i')
        self.key('ctrl+z')
        self.add('value/random')
        graph = self.saved()
        self.assertEqual(set(GRAPH['nodes']) < set(graph['nodes']), True)
        self.key('ctrl+z', 'ctrl+shift+z')
        self.saved()

    def test_undo_while_typing(self):
        self.open()
        self.point(*self.at(150, 250))
        self.add('geometry/circle')
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('7')
        # The field has the focus and its node goes.
        self.key('ctrl+z', 'ctrl+z', 'ctrl+z', 'ctrl+z')
        self.click(*self.canvas().at(0.4, 0.95))
        self.key('ctrl+z', 'ctrl+z', 'ctrl+z')
        self.assertEqual(set(self.saved()['nodes']), set(GRAPH['nodes']))

    def test_zoom_at_the_pointer(self):
        """What is below it stays there, and all of the graph is in view again after A."""
        self.open()
        x, y = self.at(200, 150)
        self.point(x, y)
        for _ in range(3):
            self.do('click', 4)
        self.settle()
        self.add('value/random')
        self.point(x + 150, y + 60)
        self.add('value/random')
        graph = self.saved()
        a, b = [node['at'] for name, node in graph['nodes'].items() if name not in GRAPH['nodes']]
        self.assertAlmostEqual(a[0], 200, delta=2)
        self.assertAlmostEqual(a[1] + NODE_HEAD / 2, 150, delta=2)
        self.assertAlmostEqual(150 / (b[0] - a[0]), self.view[2] * 1.15 ** 3, delta=0.02)
        self.key('ctrl+z', 'ctrl+z', 'a')
        self.click(*self.head(OUT))
        self.key('Delete')
        self.assertNotIn('out', self.saved()['nodes'])

    def count_ink(self, name):
        """Dark pixels just above a node: its name at the size of the screen."""
        x, y, width, _ = map(round, self.node(name).place)
        screen = self.screen()
        spots = ((row * SCREEN_WIDTH + column) * 3 for row in range(y - 13, y - 3) for column in range(x, x + width))
        return sum(max(screen[at:at + 3]) < 110 for at in spots)

    def test_names_at_every_zoom(self):
        """Small nodes have their names above them, cut where that of another node would be covered."""
        names = {'first': (0, 0), 'a_node_with_a_rather_long_name': (200, 0), 'the_last_one': (500, 0)}
        self.write('graph.json', {'kineograph': 1, 'nodes': {
            name: {'type': 'image/constant', 'at': at} for name, at in names.items()}})
        self.start('graph.json')
        # As wide as its name.
        self.assertGreater(self.node('a_node_with_a_rather_long_name').place[2], 1.7 * self.node('first').place[2])
        self.assertEqual([self.count_ink(name) for name in names], [0, 0, 0])
        for _ in range(3):
            self.over_canvas(0.5, 0.5)
            for _ in range(3):
                self.do('click', 5)
            for name in names:
                self.assertGreater(self.count_ink(name), 15, name)

    def test_flags_and_selections(self):
        self.open()
        self.click(*self.head(TINT))
        self.key('b', 'd')
        graph = self.saved()
        self.assertTrue(graph['nodes']['tint']['bypass'])
        self.assertEqual(graph['display'], 'tint.colored')
        self.key('b')
        self.assertNotIn('bypass', self.saved()['nodes']['tint'])
        # All that it reads, one more with Shift, and a frame around them.
        self.key('shift+Left')
        self.click(*self.head(SHAPE), hold='shift')
        self.key('shift+j')
        graph = self.saved()
        (name,) = set(graph['nodes']) - set(GRAPH['nodes'])
        x, y = graph['nodes'][name]['at']
        size = inputs(graph, name)
        for node in (RING, TINT, SHAPE):
            self.assertTrue(x < node[0] and y < node[1] and node[0] + NODE_WIDTH < x + size['width'] and
                            node[1] + NODE_HEAD < y + size['height'])
        self.assertLess(x + size['width'], OUT[0])
        self.key('ctrl+z')
        self.click(*self.head(TINT))
        self.key('shift+Right', 'Delete')
        self.assertEqual(set(self.saved()['nodes']), {'ring', 'shape'})

    # Frames.

    FRAME = (100, 320)

    def open_frame(self):
        self.write('graph.json', {**GRAPH, 'nodes': {**GRAPH['nodes'], 'box': {
            'type': 'graph/note', 'at': self.FRAME, 'inputs': {'width': 120, 'height': 100}}}})
        self.start('graph.json')
        self.find_view('graph.json')

    def frame(self):
        node = self.saved()['nodes']['box']
        return [*node['at'], node['inputs']['width'], node['inputs']['height']]

    def test_resize_a_frame(self):
        self.open_frame()
        x, y = self.FRAME
        # The right edge, by the grid.
        self.drag(*self.at(x + 120, y + 50), *self.at(x + 158, y + 50))
        self.assertEqual(self.frame(), [x, y, 160, 100])
        # A corner moves two edges, and two of them the frame.
        self.drag(*self.at(x, y), *self.at(x - 41, y - 29))
        self.assertEqual(self.frame(), [60, 290, 200, 130])
        # Edges jump to those of others, which need not be on the grid: the lower one of ring has seven rows above it.
        end = RING[1] + NODE_HEAD + 7 * NODE_ROW + 6
        self.drag(*self.at(200, 290), *self.at(200, end + 2))
        self.assertEqual(self.frame(), [60, end, 200, 420 - end])
        # One step each, back to the beginning.
        self.key('ctrl+z')
        self.assertEqual(self.frame(), [60, 290, 200, 130])
        self.key('ctrl+z', 'ctrl+z')
        self.assertEqual(self.frame(), [x, y, 120, 100])
        # It has a smallest size, at which the other edge stays.
        self.drag(*self.at(x, y + 50), *self.at(x + 300, y + 50))
        self.assertEqual(self.frame(), [x + 100, y, 20, 100])
        # In the middle it moves.
        self.key('ctrl+z')
        self.drag(*self.at(x + 60, y + 50), *self.at(x + 100, y + 80))
        self.assertEqual(self.frame(), [x + 40, y + 30, 120, 100])

    def test_on_a_frame(self):
        """A frame is ground to the nodes and links that lie on it."""
        box = {'type': 'graph/note', 'at': [-40, -60], 'inputs': {'width': 540, 'height': 400}}
        self.write('graph.json', {**GRAPH, 'nodes': {**GRAPH['nodes'], 'box': box}})
        self.start('graph.json')
        self.find_view('graph.json')
        self.drag(*self.at(225, 0), *self.at(225, 100), hold='ctrl')
        graph = self.saved()
        self.assertEqual(inputs(graph, 'tint'), {})
        self.assertEqual(graph['nodes']['box']['at'], box['at'])
        self.key('ctrl+z')
        self.click(*self.at(225, 42), times=2)
        graph = self.saved()
        (dot,) = set(graph['nodes']) - set(GRAPH['nodes']) - {'box'}
        self.assertEqual(graph['nodes'][dot]['type'], 'graph/reroute')
        self.key('ctrl+z')
        # Let go of on the frame, a link is gone.
        self.drag(*self.slot(TINT, 1), *self.at(230, 200))
        self.assertEqual(inputs(self.saved(), 'tint'), {})
        self.key('ctrl+z')
        self.drag(*self.slot(RING, 0, True), *self.at(200, 200))
        self.type('transform')
        self.settle()
        self.key('Return')
        graph = self.saved()
        (new,) = set(graph['nodes']) - set(GRAPH['nodes']) - {'box'}
        self.assertEqual(inputs(graph, new), {'geometry': {'link': 'ring.geometry'}})

    def test_leave_the_search(self):
        """The keys after Escape are the canvas's again."""
        self.open()
        self.click(*self.head(SHAPE))
        self.key('Tab')
        self.type('wave')
        self.key('Escape')
        self.key('Delete')
        self.assertEqual(set(self.saved()['nodes']), set(GRAPH['nodes']) - {'shape'})

    def test_delete_what_is_dragged(self):
        """The hand is empty then; the move and the deletion are two steps."""
        self.open()
        x, y = self.head(SHAPE)
        self.pull(x, y, x, y + 60 * self.view[2])
        self.key('Delete')
        self.point(x + 80, y)
        self.let_go()
        self.assertNotIn('shape', self.saved()['nodes'])
        self.key('ctrl+z')
        self.assertEqual(self.saved()['nodes']['shape']['at'], [SHAPE[0], SHAPE[1] + 60])
        self.key('ctrl+z')
        self.assertEqual(self.saved()['nodes']['shape']['at'], list(SHAPE))

    def test_delete_what_is_resized(self):
        self.open_frame()
        x, y = self.FRAME
        self.pull(*self.at(x + 120, y + 50), *self.at(x + 160, y + 50))
        self.key('Delete')
        self.point(10, 10)
        self.let_go()
        self.assertNotIn('box', self.saved()['nodes'])
        self.key('ctrl+z')
        self.assertEqual(self.frame(), [x, y, 160, 100])


main()
