# SPDX-License-Identifier: GPL-3.0-or-later
"""Stumbling blocks of the first hour: the focus, where links go, what stays on the screen, what is reported and when."""
from support import WindowTest, main, tearDownModule, wait_for  # noqa: F401

A, B, C, D = (0, 0), (220, 0), (0, 220), (220, 220)


def link(target):
    return {'link': target}


class FirstHour(WindowTest):
    def open(self, nodes, **more):
        self.write('graph.json', {'kineograph': 1, 'nodes': nodes, **more})
        self.start('graph.json')
        self.find_view('graph.json')

    def inputs(self, name):
        return self.save('graph.json')['nodes'][name].get('inputs', {})

    def test_enter_leaves_the_field(self):
        self.open({'ring': {'type': 'geometry/circle', 'at': A}, 'file': {'type': 'image/import', 'at': B}})
        self.click(*self.head(B))
        self.find_input('path')
        self.type('none.png\n')
        # B is a key of the canvas now.
        self.key('b')
        node = self.save('graph.json')['nodes']['file']
        self.assertEqual((node['inputs'], node.get('bypass')), ({'path': 'none.png'}, True))
        self.click(*self.head(A))
        self.find_input('radius')
        self.type('3\n')
        self.key('b')
        node = self.save('graph.json')['nodes']['ring']
        self.assertEqual((node['inputs'], node.get('bypass')), ({'radius': 3}, True))
        # What cannot be read stays to be mended.
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('3 +\n')
        self.assertEqual(self.focused().type, 'GtkText')

    def test_enter_leaves_the_fields_of_the_graph(self):
        self.open({'ring': {'type': 'geometry/circle', 'at': A}}, display='ring')
        for role, name, text in (('spin-button', 'Frame', '12'), ('spin-button', 'Last frame', '48'),
                                 ('text-box', 'Title', 'Rings')):
            self.press(role, name)
            self.key('ctrl+a')
            self.type(text + '\n')
            self.assertEqual(self.focused().type, 'KgCanvas', name)
        graph = self.save('graph.json')
        self.assertEqual((graph['title'], graph['frames']['end']), ('Rings', 48))
        self.assertEqual(self.find('slider', 'Frames').value, 'frame 12')

    def test_what_is_shown_already_is_asked_for(self):
        """D shows the first output, although the node is the one that is shown for a start, and then the next."""
        self.write('graph.json', {'kineograph': 1, 'nodes': {}})
        self.start('graph.json')
        self.over_canvas()
        self.add('geometry/text')
        for shown in ('text1', 'text1.geometry', 'text1.glyphs', 'text1.geometry'):
            self.assertEqual(self.save('graph.json')['display'], shown)
            self.key('d')

    def test_the_last_row_of_a_wide_table_is_seen(self):
        self.open({'ramp': {'type': 'image/gradient', 'at': A}})
        self.click(*self.head(A))
        bar = next(w for w in self.look_around() if w.type == 'GtkScrollbar' and w.parent.type == 'GtkScrolledWindow' and
                   w.place[2] > 50 > w.place[3] > 0)
        cells = [w for w in self.look_around() if w.type == 'GtkEntry' and w.parent.type == 'GtkGrid']
        self.assertGreaterEqual(len(cells), 10)
        for cell in cells:
            self.assertLessEqual(cell.place[1] + cell.place[3], bar.place[1])

    def test_labels_are_one_column(self):
        """As wide as the longest of them."""
        self.open({'sparks': {'type': 'sim/particles', 'at': A}})
        self.click(*self.head(A))
        fields = [self.find('spin-button', name) for name in ('Rate', 'Lifetime variance', 'Speed')]
        self.assertEqual(len({field.place[0] for field in fields}), 1, [field.place for field in fields])

    def test_a_curve_that_multiplies_begins_with_one(self):
        """A curve over age changes nothing until it is bent."""
        self.open({'sparks': {'type': 'sim/particles', 'at': A}})
        self.click(*self.head(A))
        self.press('search-box', 'Search inputs')
        self.type('opacity')
        self.choose('button', 'Draw', 'One Curve')
        self.assertEqual(self.inputs('sparks'), {'alpha_over_age': {'keys': [[0, 1], [1, 1]]}})

    def tips(self):
        return [w.name for w in self.look_around() if w.role == 'label' and w.name in ('Circle', 'Text') and
                self.is_in_tip(w)]

    @staticmethod
    def is_in_tip(widget):
        while widget is not None and 'Tooltip' not in widget.type:
            widget = widget.parent
        return widget is not None

    def test_a_tip_does_not_cover_the_node_that_was_clicked(self):
        """The inspector says the same; another node has a tooltip of its own."""
        self.open({'ring': {'type': 'geometry/circle', 'at': A}, 'text': {'type': 'geometry/text', 'at': B}})
        self.click(*self.head(A))
        self.point(*self.head(B))
        wait_for(lambda: self.tips() == ['Text'], 'the tip of another node', 10)
        self.approach(*self.head(A))
        self.settle(700)
        self.assertEqual(self.tips(), [])
        # Of several nodes the inspector shows one.
        self.key('ctrl+a')
        self.approach(*self.head(B))
        self.approach(*self.head(A))
        wait_for(lambda: self.tips() == ['Circle'], 'the tip of one of several', 10)

    def test_an_expression_keeps_the_keyboard_in_its_row(self):
        self.open({'ring': {'type': 'geometry/circle', 'at': A}})
        self.click(*self.head(A))
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('frame/4')
        self.key('Tab')
        self.assertEqual(self.inputs('ring'), {'radius': {'expr': 'frame/4'}})
        self.assertNotEqual(self.focused().name, 'Search inputs')

    def test_a_link_finds_the_input_of_its_name(self):
        self.open({'lattice': {'type': 'deform/ffd_lattice', 'at': A}, 'ffd': {'type': 'deform/ffd', 'at': B}})
        self.drag(*self.slot(A, 0, output=True), *self.head(B))
        self.assertEqual(self.inputs('ffd'), {'lattice': link('lattice.lattice')})

    def test_a_link_dropped_on_one_of_a_list_comes_before_it(self):
        self.open({'a': {'type': 'geometry/circle', 'at': A}, 'b': {'type': 'geometry/circle', 'at': C},
                   'all': {'type': 'geometry/merge', 'at': B, 'inputs': {'geometries': [link('a.geometry')]}}})
        self.drag(*self.slot(C, 0, output=True), *self.node_slot('all', 1))
        self.assertEqual(self.inputs('all')['geometries'], [link('b.geometry'), link('a.geometry')])

    def test_a_message_goes_by_itself(self):
        self.open({'ring': {'type': 'geometry/circle', 'at': A}}, display='ring')
        viewport = next(widget for widget in self.look_around() if widget.type == 'KgViewport')
        self.click(*viewport.at(0.5, 0.8))
        self.key('j')
        self.find('label', 'this needs a point of a figure*')
        self.wait_until_gone('label', 'this needs a point of a figure*')
        self.find('label', 'Geometry, *')

    def test_a_missing_file_is_told(self):
        self.open({'file': {'type': 'image/import', 'at': A, 'inputs': {'path': 'gone.png'}},
                   'ring': {'type': 'geometry/circle', 'at': B}}, display='ring')
        self.find('option', 'file, Import Image, error: *')

    def test_render_begins_with_the_size_of_the_image(self):
        self.open({'image': {'type': 'image/constant', 'at': A, 'inputs': {'width': 128, 'height': 72}}}, display='image')
        self.wait_for_widget('label', None, lambda w: '128 × 72' in (w.text or w.name or ''), 'of the image')
        self.key('F12')
        self.wait_for_title('Render')
        self.assertEqual([self.text_of('spin-button', name) for name in ('Width in pixels', 'Height in pixels')],
                         ['128', '72'])

    def test_no_complaints_of_help_and_menus(self):
        self.open({'ring': {'type': 'geometry/circle', 'at': A}})
        self.click(*self.head(A))
        self.key('F1')
        self.key('Escape')
        self.click(*self.head(A))
        self.find_input('radius')
        x, y = self.focused().middle
        self.click(x, y, button=3)
        self.assertEqual([w for w in self.look_around() if 'Emoji' in w.name], [])
        self.key('Escape', 'Escape')
        self.click(*self.head(A), button=3)
        self.key('Escape')

    def test_keys_that_are_inside(self):
        definition = {'kineograph_preset': 1, 'id': 'my/p', 'version': 1,
                      'interface': {'inputs': {'size': {'drives': ['ring.radius'], 'label': 'Size'}},
                                    'outputs': {'shape': {'from': 'ring.geometry'}}},
                      'graph': {'nodes': {'ring': {'type': 'geometry/circle', 'inputs': {
                          'radius': {'keys': [[1, 5], [25, 29]]}}}}}}
        self.open({'p': {'type': 'my/p', 'at': A}}, presets={'my/p': definition}, frames={'start': 1, 'end': 48})
        self.click(*self.head(A))
        self.find('label', 'animated inside: *')
        self.find_input('size')
        self.assertEqual(self.focused().text, '5')
        # A change brings them out, with the others of the curve.
        self.key('ctrl+a')
        self.type('7')
        self.key('Tab')
        keys = self.inputs('p')['size']['keys']
        self.assertEqual([(key[0], key[1]) if isinstance(key, list) else (key['frame'], key['value']) for key in keys],
                         [(1, 7), (25, 29)])

    def test_what_is_set_and_has_no_effect(self):
        self.open({'sparks': {'type': 'sim/particles', 'at': A,
                              'inputs': {'emitter': link('ring.geometry'), 'event_count': 7}},
                   'ring': {'type': 'geometry/circle', 'at': B}})
        self.click(*self.head(A))
        self.find('label', 'no effect unless Births is *')

    def test_find_goes_into_sub_graphs(self):
        self.open({'ring': {'type': 'geometry/circle', 'at': A},
                   'word': {'type': 'geometry/text', 'at': B, 'inputs': {'text': 'Welcome'}},
                   'nest': {'type': 'graph/subnet', 'at': C, 'graph': {'nodes': {
                       'inner': {'type': 'geometry/text', 'at': A, 'inputs': {'text': 'Farewell'}}}}}})
        for typed, name in (('welc', 'word'), ('farewell', 'inner'), ('circle', 'ring')):
            # From the curves the search goes to the canvas.
            self.key('ctrl+2')
            self.key('ctrl+f')
            self.type(typed)
            self.key('Return')
            self.find('label', name)
            self.find('option', f'{name},*')
        self.over_canvas()
        self.key('ctrl+f')
        self.type('nowhere')
        self.find('label', 'No node matches*')

    def test_pixel_values_go_with_the_pointer(self):
        self.open({'image': {'type': 'image/constant', 'at': A}}, display='image')
        viewport = next(widget for widget in self.look_around() if widget.type == 'KgViewport')
        self.find('label', 'Image, 640 × 360 pixels*')
        self.point(*viewport.at(0.5, 0.5))
        self.wait_until_gone('label', 'Image, 640 × 360 pixels*')
        self.move_away()
        self.find('label', 'Image, 640 × 360 pixels*')

    def test_the_first_drag_after_adding(self):
        self.open({'ring': {'type': 'geometry/circle', 'at': A}})
        self.point(*self.at(300, 260))
        self.add('geometry/sphere')
        node = self.save('graph.json')['nodes']['sphere1']
        x, y = self.head(node['at'])
        self.drag(x, y, x + 80, y + 40)
        moved = self.save('graph.json')['nodes']['sphere1']['at']
        self.assertGreater(moved[0], node['at'][0] + 20)


main()
