# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits in the inspector change the nodes that it showed, whatever happens to them meanwhile."""
from support import WindowTest, main, tearDownModule  # noqa: F401

A, B, C, TINT, ANOTHER, NOTE, OTHER_NOTE = (0, 0), (200, 0), (400, 0), (0, 200), (200, 200), (400, 200), (400, 330)
GRAPH = {
    'kineograph': 1,
    'nodes': {
        'a': {'type': 'geometry/circle', 'at': A},
        'b': {'type': 'geometry/circle', 'at': B},
        'c': {'type': 'geometry/circle', 'at': C},
        'tint': {'type': 'geometry/color', 'at': TINT},
        'another': {'type': 'geometry/color', 'at': ANOTHER},
        'note': {'type': 'graph/note', 'at': NOTE, 'inputs': {'height': 60}},
        'other_note': {'type': 'graph/note', 'at': OTHER_NOTE, 'inputs': {'height': 60}},
    },
}
WRONG = (229, 83, 75)
NEST, BESIDE = (0, 0), (200, 0)
NESTED = {
    'kineograph': 1,
    'nodes': {
        'nest': {'type': 'graph/subnet', 'at': NEST, 'graph': {'nodes': {
            'x': {'type': 'graph/input', 'at': [0, 0], 'inputs': {'kind': 'number'}}}}},
        'beside': {'type': 'value/random', 'at': BESIDE},
    },
}


# Pairs of nodes with other values; a number that feeds.
DIFFERENT = {
    'kineograph': 1,
    'nodes': {
        'ring': {'type': 'geometry/circle', 'at': A, 'inputs': {'filled': False}},
        'disc': {'type': 'geometry/circle', 'at': B},
        'hello': {'type': 'geometry/text', 'at': (0, 160), 'inputs': {'text': 'Hello', 'align': 'left'}},
        'world': {'type': 'geometry/text', 'at': (200, 160), 'inputs': {'text': 'World', 'align': 'right'}},
        'red': {'type': 'geometry/color', 'at': (0, 360), 'inputs': {'color': [1, 0, 0, 1]}},
        'blue': {'type': 'geometry/color', 'at': (200, 360), 'inputs': {'color': [0, 0, 1, 1]}},
        'linked': {'type': 'geometry/circle', 'at': (400, 160), 'inputs': {'radius': {'link': 'number.number'}}},
        'formula': {'type': 'geometry/circle', 'at': (400, 360), 'inputs': {'radius': {'expr': 't'}}},
        'number': {'type': 'value/random', 'at': C},
    },
}


class Inspector(WindowTest):
    def open(self, graph=GRAPH):
        self.write('graph.json', graph)
        self.start('graph.json')
        self.find_view('graph.json')

    def inputs(self, *names):
        nodes = self.save('graph.json')['nodes']
        return [nodes[name].get('inputs', {}) for name in names]

    def right_click(self, position):
        """Another node is selected, without the keyboard going to the canvas first."""
        self.click(*self.head(position), button=3)
        self.key('Escape')

    def test_a_list_stays_under_the_pointer(self):
        """Its rows reach below the pane, which does not scroll to the one that is pressed: the list would go with it."""
        self.open({'kineograph': 1, 'nodes': {'sparks': {'type': 'sim/particles', 'at': [0, 0]}}})
        self.click(*self.head((0, 0)))
        rate = self.find('spin-button', 'Rate')
        self.point(rate.place[0] - 60, rate.middle[1])
        for _ in range(40):
            choice = self.find('combo-box', 'Integrator')
            if choice.middle[1] < 690:
                break
            self.do('click', 5)
            self.settle()
        self.press('combo-box', 'Integrator')
        row = self.find('list-item', 'Explicit Euler')
        self.approach(*row.middle)
        self.do('mousedown', 1)
        self.settle()
        self.assertEqual(self.find('list-item', 'Explicit Euler').place, row.place)
        self.do('mouseup', 1)
        self.settle()
        # The keyboard still takes the pane along to the field that it goes to.
        for _ in range(14):
            self.key('Tab')
        self.assertTrue(self.focused().is_seen(), self.focused())
        self.assertLess(self.find('combo-box', 'Integrator').place[1], choice.place[1])
        self.assertEqual(self.inputs('sparks'), [{'integrator': 'explicit'}])

    def test_number_typed_before_a_right_click(self):
        self.open()
        self.click(*self.head(A))
        self.find_input('radius')
        self.type('3')
        self.right_click(B)
        a, b = self.inputs('a', 'b')
        self.assertEqual((a, b), ({'radius': 3}, {}))
        # It is one step.
        self.key('ctrl+z')
        self.assertEqual(self.inputs('a', 'b'), [{}, {}])

    def test_manual(self):
        """The help of a node with a language links to its page, whose links lead to other pages."""
        self.open({'kineograph': 1, 'nodes': {'show': {'type': 'motion/actors', 'at': A}}})
        self.click(*self.head(A))
        self.press('button', 'Help')
        self.press('button', 'Actors and messages')
        self.wait_for_title('Actors and messages')
        self.find('label', 'In a method')
        # A cell of a table, without its marks.
        self.find('label', 'set STATE to VALUE')
        # To the link in the first paragraph.
        self.key('Tab')
        self.key('Return')
        self.wait_for_title('Expressions')
        self.key('Escape')
        self.wait_for_title('graph.json')

    def test_what_reads_an_unknown_node(self):
        """Only the link knows the name of what it reads."""
        link = {'link': 'unknown.motion'}
        self.open({'kineograph': 1, 'nodes': {
            'unknown': {'type': 'other/thing', 'at': A},
            'play': {'type': 'motion/evaluate', 'at': B, 'inputs': {'motion': link}}}})
        self.click(*self.head(B))
        self.settle()
        self.key('ctrl+d')
        nodes = self.save('graph.json')['nodes']
        self.assertEqual([node['inputs'] for name, node in nodes.items() if name != 'unknown'], [{'motion': link}] * 2)

    def use_menu(self, position, search, choice):
        """Chooses from the menu of the only input that the search leaves."""
        self.click(*self.head(position))
        self.find_input(search)
        self.choose('button', 'More about this input', choice)
        self.settle()

    def test_copied_and_pasted(self):
        """What feeds an input goes to another one: a value, keys, a reference; a value becomes a key among keys."""
        keys = {'keys': [[1, 1], [9, 3]]}
        graph = {'kineograph': 1, 'nodes': {
            'a': {'type': 'geometry/circle', 'at': A, 'inputs': {'radius': keys}},
            'b': {'type': 'geometry/circle', 'at': B, 'inputs': {'radius': 4}},
            'c': {'type': 'geometry/circle', 'at': C}}}
        self.open(graph)
        whole = self.inputs('a')[0]
        self.use_menu(A, 'radius', 'Copy')
        self.use_menu(C, 'radius', 'Paste')
        self.assertEqual(self.inputs('c'), [whole])
        self.use_menu(B, 'radius', 'Copy')
        self.use_menu(C, 'radius', 'Paste')
        self.assertEqual([key[:2] for key in self.inputs('c')[0]['radius']['keys']], [[1, 4], [9, 3]])
        self.use_menu(A, 'radius', 'Copy Reference')
        self.use_menu(B, 'radius', 'Paste')
        self.assertEqual(self.inputs('b'), [{'radius': {'expr': 'a.radius'}}])
        # What does not fit is refused, and says so.
        self.use_menu(A, 'centre', 'Copy')
        self.use_menu(C, 'points', 'Paste')
        self.assertNotIn('points', self.inputs('c')[0])

    def test_search_is_for_one_node(self):
        """Another node shows all its inputs, although some of them match what was searched for before."""
        self.open()
        self.click(*self.head(A))
        self.find_input('radius')
        self.assertEqual(self.find_all('spin-button', 'Centre x'), [])
        self.right_click(B)
        self.wait_for_widget('spin-button', 'Centre x')
        self.assertEqual(self.text_of('none', 'Search inputs'), '')

    def test_font(self):
        """Chosen from a list that shows each, without a size."""
        self.open({'kineograph': 1, 'nodes': {'hello': {'type': 'geometry/text', 'at': A}}})
        self.click(*self.head(A))
        self.press('button', 'Choose a font')
        self.wait_for_title('Font')
        self.type('mono')
        self.settle(500)
        rows = [w for w in self.find_all('list-item') if w.is_seen()]
        self.click(*rows[0].middle)
        self.press('button', 'Select')
        self.wait_for_title('• graph.json')
        font = self.inputs('hello')[0]['font']
        self.assertRegex(font.lower(), 'mono')
        self.assertNotRegex(font, '[0-9]')

    def test_long_expression(self):
        """Alt+E opens any input's expression in a window: lines, where a problem is, functions and names to insert."""
        self.open()
        self.click(*self.head(A))
        self.find_input('radius')
        self.key('alt+e')
        self.wait_for_title('a.radius')
        # It begins with what the input is.
        self.assertEqual(self.text_of('text-box', 'Expression'), '1')
        self.key('ctrl+a')
        self.type('1 +\n2 * wrong (t)')
        self.find('label', 'Line 2, column 5: *')
        self.key('ctrl+Return')
        self.assertEqual(self.title(), 'a.radius')
        self.key('ctrl+a')
        self.type('2 +\n')
        self.press('search-box', 'Search functions and names')
        self.type('sqrt')
        self.key('Return')
        # The cursor is between the brackets.
        self.press('search-box', 'Search functions and names')
        self.key('ctrl+a')
        self.type('b.rad')
        self.key('Return')
        self.assertEqual(self.text_of('text-box', 'Expression'), '2 +\nsqrt (b.radius)')
        self.key('ctrl+Return')
        self.wait_for_title('• graph.json')
        self.assertEqual(self.inputs('a'), [{'radius': {'expr': '2 +\nsqrt (b.radius)'}}])
        # Escape leaves it as it is.
        self.key('alt+e')
        self.wait_for_title('a.radius')
        self.type('9')
        self.key('Escape')
        self.wait_for_title('graph.json')
        self.assertEqual(self.inputs('a'), [{'radius': {'expr': '2 +\nsqrt (b.radius)'}}])

    def test_number_typed_before_saving(self):
        self.open()
        self.click(*self.head(A))
        self.find_input('radius')
        self.type('4')
        self.assertEqual(self.inputs('a'), [{'radius': 4}])
        # Nor does a window that closes forget it: it asks.
        self.key('ctrl+a')
        self.type('5')
        self.key('ctrl+w')
        self.wait_for_title('Kineograph')
        self.key('Return')
        self.wait_for_end()
        self.assertEqual(self.read('graph.json')['nodes']['a']['inputs'], {'radius': 5})

    def test_formula_typed_before_a_right_click(self):
        self.open()
        self.click(*self.head(A))
        self.find_input('radius')
        self.type('frame/2')
        self.right_click(B)
        self.assertEqual(self.inputs('a', 'b'), [{'radius': {'expr': 'frame/2'}}, {}])
        # Its own field, too; what is no formula yet is not taken.
        self.right_click(A)
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('frame/3')
        self.right_click(B)
        self.assertEqual(self.inputs('a', 'b'), [{'radius': {'expr': 'frame/3'}}, {}])
        self.right_click(A)
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('frame*(')
        self.right_click(B)
        self.assertEqual(self.inputs('a', 'b'), [{'radius': {'expr': 'frame/3'}}, {}])

    def field(self, axis):
        return self.find('spin-button', f'Translate {axis}')

    def type_into(self, axis, text):
        self.click(*self.field(axis).middle)
        self.key('ctrl+a')
        self.type(text)

    def test_formula_in_a_vector(self):
        """It is for the field that it was typed into, and one step; the other fields stay and go on being edited."""
        self.open({'kineograph': 1, 'nodes': {'move': {'type': 'geometry/transform', 'at': A}}})
        self.click(*self.head(A))
        self.type_into('x', 'frame\n')
        self.assertEqual(self.inputs('move'), [{'translate': [{'expr': 'frame'}, 0, 0]}])
        self.key('ctrl+z')
        self.assertEqual(self.inputs('move'), [{}])
        self.key('ctrl+shift+z')
        self.type_into('y', '2.5\n')
        self.type_into('z', 'move.pivot.x + 1\n')
        self.assertEqual(self.inputs('move'), [{'translate': [{'expr': 'frame'}, 2.5, {'expr': 'move.pivot.x + 1'}]}])
        # The formula is to be seen, and changed; a number in its place makes it a number.
        self.assertEqual([self.text_of('text-box', f'Translate {axis}') for axis in 'xyz'],
                         ['frame', '2.5 m', 'move.pivot.x + 1'])
        self.type_into('x', 'frame/2\n')
        self.type_into('z', '3\n')
        self.assertEqual(self.inputs('move'), [{'translate': [{'expr': 'frame/2'}, 2.5, 3]}])
        self.type_into('x', '1\n')
        self.assertEqual(self.inputs('move'), [{'translate': [1, 2.5, 3]}])

    def test_formula_beside_keys(self):
        """Keys of the other components survive, and go on being set; a wrong formula changes nothing."""
        self.open({'kineograph': 1, 'frames': {'start': 1, 'end': 25, 'rate': 24}, 'nodes': {
            'move': {'type': 'geometry/transform', 'at': A,
                     'inputs': {'translate': {'keys': [[1, [0, 1, 2]], [25, [3, 4, 5]]]}}}}})
        self.click(*self.head(A))
        self.type_into('y', 'no_such (1)\n')
        self.assertEqual(self.inputs('move'), [{'translate': {'keys': [[1, [0, 1, 2]], [25, [3, 4, 5]]]}}])
        self.key('Escape')
        self.type_into('y', 't\n')
        kept = [{'keys': [[1, 0], [25, 3]]}, {'expr': 't'}, {'keys': [[1, 2], [25, 5]]}]
        self.assertEqual(self.inputs('move'), [{'translate': kept}])
        # The first frame has a key: a number is that key's.
        self.type_into('x', '7\n')
        self.assertEqual(self.inputs('move'), [{'translate': [{'keys': [[1, 7], [25, 3]]}] + kept[1:]}])
        self.key('ctrl+z')
        self.key('ctrl+z')
        self.assertEqual(self.inputs('move'), [{'translate': {'keys': [[1, [0, 1, 2]], [25, [3, 4, 5]]]}}])

    def test_whole_and_separate(self):
        """One expression for all three components is split into one for each; one that cannot be split is kept, with the reason."""
        self.open({'kineograph': 1, 'nodes': {'move': {'type': 'geometry/transform', 'at': A}}})
        self.click(*self.head(A))
        self.find_input('translate')
        row = 'More about this input'
        self.choose('button', row, 'Expression')
        self.key('ctrl+a')
        self.type('t, max(1, 2), 3\n')
        self.assertEqual(self.inputs('move'), [{'translate': {'expr': 't, max(1, 2), 3'}}])
        self.choose('button', row, 'Separate Components')
        self.assertEqual(self.inputs('move'), [{'translate': [{'expr': 't'}, {'expr': 'max(1, 2)'}, {'expr': '3'}]}])
        self.choose('button', row, 'Expression')
        self.assertEqual(self.inputs('move'), [{'translate': {'expr': 't, max(1, 2), 3'}}])
        self.key('ctrl+a')
        self.type('[1, 2, 3]*t\n')
        self.choose('button', row, 'Separate Components')
        self.find('label', 'the whole vector is one value that is computed*')
        self.assertEqual(self.inputs('move'), [{'translate': {'expr': '[1, 2, 3]*t'}}])

    def test_key_of_a_component(self):
        """The menu of a field acts on its component alone: a key, an expression in its window, a number."""
        self.open({'kineograph': 1, 'nodes': {'move': {'type': 'geometry/transform', 'at': A}}})
        self.click(*self.head(A))
        self.click(*self.field('y').middle, button=3)
        self.press('menu-item', 'Key of This Component')
        key = {'keys': [{'frame': 1, 'value': 0, 'interpolation': 'bezier'}]}
        self.assertEqual(self.inputs('move'), [{'translate': [0, key, 0]}])
        self.click(*self.field('x').middle)
        self.key('alt+e')
        self.wait_for_title('move.translate.x')
        self.key('ctrl+a')
        self.type('sin (t)')
        self.key('ctrl+Return')
        self.wait_for_title('• graph.json')
        self.assertEqual(self.inputs('move'), [{'translate': [{'expr': 'sin (t)'}, key, 0]}])
        for axis in 'xy':
            self.click(*self.field(axis).middle, button=3)
            self.press('menu-item', 'Number Only')
        self.assertEqual(self.inputs('move'), [{'translate': [0, 0, 0]}])

    def test_errors_while_typing(self):
        """A problem of a number or a formula is shown below it before Return is pressed, and disappears when it is corrected."""
        self.open()
        self.click(*self.head(A))
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('2')
        self.assertEqual(self.find_spots_now(WRONG, 1), [])
        self.type('*')
        self.assertNotEqual(self.find_spots_now(WRONG, 1), [])
        self.type('3')
        self.assertEqual(self.find_spots_now(WRONG, 1), [])
        self.type('\n')
        self.assertEqual(self.inputs('a'), [{'radius': 6}])

    def test_narrow_fields(self):
        """A number that has no room for all its digits is rounded where it stands, and nowhere else."""
        values = [1.0416667, -12.345678, 12345.678]
        self.open({'kineograph': 1, 'nodes': {'move': {'type': 'geometry/transform', 'at': A,
                                                       'inputs': {'translate': values}}}})
        self.click(*self.head(A))
        self.find_input('translate')
        self.key('Tab', 'Tab', 'Tab')
        self.assertEqual(self.inputs('move'), [{'translate': values}])
        # Whoever comes to it has all that there is room to type in.
        self.click(*self.head(A))
        self.find_input('translate')
        self.key('Tab', 'End', 'BackSpace', 'BackSpace', 'BackSpace')
        self.type('\n')
        self.assertEqual(self.inputs('move'), [{'translate': [values[0], -12.345, values[2]]}])

    def test_text_and_colour_typed_before_a_right_click(self):
        self.open()
        self.click(*self.head(TINT))
        self.find_input('colo')
        self.key('ctrl+a')
        self.type('#ff0000')
        self.right_click(ANOTHER)
        tint, another = self.inputs('tint', 'another')
        self.assertEqual((tint['color'][:3], another), ([1, 0, 0], {}))
        self.click(*self.head(NOTE))
        self.find_input('text')
        self.type('kept')
        self.right_click(OTHER_NOTE)
        note, other = self.inputs('note', 'other_note')
        self.assertEqual((note.get('text'), other.get('text')), ('kept', None))

    def test_number_typed_for_several(self):
        self.open()
        self.click(*self.head(B))
        self.click(*self.head(A), hold='shift')
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('5')
        self.right_click(C)
        self.assertEqual(self.inputs('a', 'b', 'c'), [{'radius': 5}, {'radius': 5}, {}])

    def select(self, first, *more):
        """By name; the last one is what the inspector shows."""
        nodes = DIFFERENT['nodes']
        # Who is selected is not chosen but left out by a click with Shift.
        self.click(*self.at(-150, 60))
        self.click(*self.head(nodes[first]['at']))
        for name in more:
            self.click(*self.head(nodes[name]['at']), hold='shift')

    def test_several_that_differ(self):
        """A tick, a choice, a text and a colour that are not the same in all selected nodes are shown as several: who only
        passes by changes nothing, and who sets what the last one has already sets it for all."""
        self.open(DIFFERENT)
        before = self.save('graph.json')['nodes']
        for pair, search in ((('disc', 'ring'), 'filled'), (('hello', 'world'), 'text'), (('hello', 'world'), 'align'),
                             (('red', 'blue'), 'colo')):
            self.select(*pair)
            self.find_input(search)
            self.key('Tab')
        self.assertEqual(self.save('graph.json')['nodes'], before)
        self.select('ring', 'disc')
        self.find_input('filled')
        self.key('space')
        self.assertEqual(self.inputs('ring', 'disc'), [{'filled': True}, {'filled': True}])
        self.select('hello', 'world')
        self.find_input('text')
        self.type('World')
        self.select('hello', 'world')
        self.find_input('align')
        self.key('space')
        self.key('Home', 'Down', 'Down', 'Return')
        self.assertEqual(self.inputs('hello', 'world'), [{'text': 'World', 'align': 'right'}] * 2)
        self.select('red', 'blue')
        self.find_input('colo')
        self.type('#0000ff\n')
        self.assertEqual([node['color'][:3] for node in self.inputs('red', 'blue')], [[0, 0, 1]] * 2)

    def test_several_with_links(self):
        """Editing several nodes does not change links and expressions of the others."""
        self.open(DIFFERENT)
        self.select('linked', 'formula', 'disc')
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('5\n')
        linked, formula, disc = self.inputs('linked', 'formula', 'disc')
        self.assertEqual([node['radius'] for node in (linked, formula, disc)],
                         [{'link': 'number.number'}, {'expr': 't'}, 5])
        # A key as well, and a formula.  (Enter has left the field.)
        self.find_input('radius')
        self.key('Tab', 'space')
        linked, formula, disc = self.inputs('linked', 'formula', 'disc')
        self.assertEqual([node['radius'] for node in (linked, formula)], [{'link': 'number.number'}, {'expr': 't'}])
        self.assertIn('keys', disc['radius'])
        self.key('ctrl+z')
        self.select('linked', 'formula', 'disc')
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('frame\n')
        linked, formula, disc = self.inputs('linked', 'formula', 'disc')
        self.assertEqual([node['radius'] for node in (linked, formula, disc)],
                         [{'link': 'number.number'}, {'expr': 't'}, {'expr': 'frame'}])

    def test_choice_of_another_kind(self):
        """Two selected nodes choose among other things under one name: only the one that is shown is set."""
        self.open({'kineograph': 1, 'nodes': {'straight': {'type': 'transform/orthonormalize', 'at': A},
                                              'between': {'type': 'rotation/interpolate', 'at': B}}})
        self.click(*self.head(A))
        self.click(*self.head(B), hold='shift')
        self.find_input('method')
        self.key('space', 'Down', 'Return')
        self.assertEqual(self.inputs('straight', 'between'), [{}, {'method': 'lerp'}])

    def test_kind_of_a_slot_changes(self):
        """The kind of the input of a sub-graph goes back to what it was while the inspector shows it."""
        self.open(NESTED)
        self.click(*self.head(NEST))
        self.key('i')
        self.key('Right')
        self.find_input('kind')
        # To where one is, number, and on to integer, boolean and text.
        self.key('space')
        self.key('Down', 'Down', 'Down', 'Down', 'Return')
        # By viewport and timeline to the canvas, and out.
        self.key('F6', 'F6', 'F6', 'u')
        self.find_input('x')
        self.type('words')
        self.key('Tab')
        nest = self.save('graph.json')['nodes']['nest']
        self.assertEqual((nest['graph']['nodes']['x']['inputs']['kind'], nest['inputs']), ('text', {'x': 'words'}))
        # Back, with its row there: it is a number again.
        self.key('ctrl+z', 'ctrl+z')
        self.find_input('x')
        self.key('ctrl+a')
        self.type('3*2')
        self.key('Tab')
        nest = self.save('graph.json')['nodes']['nest']
        self.assertEqual((nest['graph']['nodes']['x']['inputs']['kind'], nest['inputs']), ('number', {'x': 6}))

    def test_delete_while_its_slider_is_dragged(self):
        self.open()
        self.click(*self.head(A))
        self.find_input('radius')
        left, top, _, height = self.focused().place
        x, y = left + 4, top + height / 2
        self.pull(x, y, x + 64, y)
        # Timeline and viewport, and round to the canvas.
        self.key('F6', 'F6', 'F6', 'Delete')
        self.point(x + 90, y)
        self.let_go()
        self.assertNotIn('a', self.save('graph.json')['nodes'])
        # Dragging and deleting are two steps.
        self.key('ctrl+z')
        (dragged,) = self.inputs('a')
        self.assertGreater(dragged['radius'], 1)
        self.key('ctrl+z')
        self.assertEqual(self.inputs('a'), [{}])


main()
