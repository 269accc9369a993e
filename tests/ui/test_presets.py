# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets from the canvas to the command line and back: made, used, edited, upgraded, unpacked; and the library on disk."""
import hashlib
import json
import os
import subprocess

from support import NODE_HEAD, WindowTest, main, tearDownModule, wait_for  # noqa: F401

KINEO = os.environ['KINEO']
DISC = {
    'kineograph': 1,
    'frames': {'start': 1, 'end': 10},
    'nodes': {
        'disc': {'type': 'geometry/circle', 'at': [0, 0], 'inputs': {'radius': 0.5}},
        'ball': {'type': 'geometry/color', 'at': [240, 0],
                 'inputs': {'geometry': {'link': 'disc.geometry'}, 'color': [1, 0, 0, 1]}},
        'picture': {'type': 'render/draw', 'at': [480, 0], 'inputs': {'geometries': [{'link': 'ball.colored'}]}},
    },
    'display': 'picture.image',
}


def definition(version=1, speed=4, preset_id='test/sparks', **more):
    """Sparks, which are a simulation."""
    return dict({
        'kineograph_preset': 1, 'id': preset_id, 'version': version, 'title': 'Sparks', 'summary': 'Sparks fly',
        'tags': 'fire light',
        'interface': {'outputs': {'points': {'from': 'spray.geometry'}}},
        'graph': {'nodes': {'spray': {'type': 'sim/particles', 'inputs': {'speed': speed}}}}}, **more)


class Presets(WindowTest):
    library = 'data/kineograph/presets'

    def setUp(self):
        super().setUp()
        self.environment['KINEOGRAPH_PRESET_PATH'] = ''

    def kineo(self, *arguments):
        done = subprocess.run([KINEO, *arguments], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def pixels(self, name):
        """A digest of one frame, as it is without a file around it."""
        frame = self.kineo('render', name, '--frames', '1-1', '--size', '160x90', '--progress', 'none', '-o', '-')
        return hashlib.sha256(frame).hexdigest()

    def look(self, name):
        "Keeps an image of what is there now, where pictures are wanted."
        if os.environ.get('KG_TEST_PICTURES'):
            self.picture(os.path.join(os.environ['KG_TEST_PICTURES'], name + '.png'))

    def preset(self, name):
        return os.path.join(self.library, name + '.preset.json')

    def put(self, name, content):
        os.makedirs(self.path(self.library), exist_ok=True)
        self.write(self.preset(name), content)

    def open(self, name, graph):
        self.write(name, graph)
        self.start(name)
        self.wait_for_title(name)
        self.over_canvas()

    def ask_for_disc(self, title='Red Disc'):
        """Selects the two nodes with the pointer, opens the dialog for them and types the title."""
        self.drag(*self.at(-40, -30), *self.at(240 + 100, NODE_HEAD / 2))
        self.key('ctrl+p')
        self.wait_for_title('Make Preset')
        self.type(title)

    def make_disc(self):
        """Makes a preset of the two nodes."""
        self.open('disc.json', DISC)
        self.find_view('disc.json')
        self.ask_for_disc()
        self.key('alt+s')
        wait_for(lambda: os.path.exists(self.path(self.preset('red_disc'))), 'the file of the preset')
        self.wait_for_title('• disc.json')

    def test_publish_others(self):
        """Each press takes the input that is under the pointer, also in a list that was open before."""
        self.open('disc.json', DISC)
        self.find_view('disc.json')
        self.ask_for_disc()
        for choice in ('disc: Start', 'disc: Angle', 'ball: Colour', 'disc: Points'):
            self.choose('combo-box', 'Publish another input…', choice)
        self.key('alt+s')
        wait_for(lambda: os.path.exists(self.path(self.preset('red_disc'))), 'the file of the preset')
        inputs = self.read(self.preset('red_disc'))['interface']['inputs']
        self.assertEqual(list(inputs), ['start', 'angle', 'color', 'points'])

    def test_publish_from_a_form_that_scrolls(self):
        """The form, which the rows make higher than the dialog, stays where it is while its list is used."""
        nodes = {
            'circle1': {'type': 'geometry/circle', 'at': [0, 0]},
            'color1': {'type': 'geometry/color', 'at': [220, 0], 'inputs': {'geometry': {'link': 'circle1.geometry'}}},
            'transform1': {'type': 'geometry/transform', 'at': [440, 0],
                           'inputs': {'geometry': {'link': 'color1.colored'}}}}
        self.open('moved.json', {'kineograph': 1, 'nodes': nodes})
        self.find_view('moved.json')
        self.drag(*self.at(-40, -30), *self.at(440 + 100, NODE_HEAD / 2))
        self.key('ctrl+p')
        self.wait_for_title('Make Preset')
        self.type('Moved')
        choices = ('circle1: Radius', 'color1: Colour', 'transform1: Translate')
        for choice in choices:
            self.press('combo-box', 'Publish another input…')
            row = self.find('list-item', choice)
            self.approach(*row.middle)
            self.do('mousedown', 1)
            self.settle()
            self.assertEqual(self.find('list-item', choice).place, row.place, choice)
            self.do('mouseup', 1)
            self.settle()
        self.key('alt+s')
        wait_for(lambda: os.path.exists(self.path(self.preset('moved'))), 'the file of the preset')
        inputs = self.read(self.preset('moved'))['interface']['inputs']
        self.assertEqual(list(inputs), ['radius', 'color', 'translate'])

    def test_three_inputs_used_twice(self):
        """From an empty canvas to a movie: three nodes, a preset of three inputs (and one that moves), two instances with
        values of their own, an expression in a component of one of them."""
        self.start()
        self.press('button', 'New Graph')
        at = self.canvas().at
        self.click(*at(0.05, 0.1))
        for words, across in (('circle', 0.05), ('geometry/color', 0.3), ('geometry/transform', 0.55)):
            self.point(*at(across, 0.3))
            self.add(words)
        self.drag(*self.node_slot('circle1', 0, output=True), *self.node_head('color1'))
        self.drag(*self.node_slot('color1', 0, output=True), *self.node_head('transform1'))
        self.find_input('rotate')
        self.key('Tab', 'Tab', 'ctrl+a')
        self.type('90*t\n')
        self.click(*at(0.8, 0.9))
        self.key('ctrl+a', 'ctrl+p')
        self.wait_for_title('Make Preset')
        self.type('Turning Disc')
        for choice in ('circle1: Radius', 'color1: Colour', 'transform1: Translate'):
            self.choose('combo-box', 'Publish another input…', choice)
        self.key('alt+s')
        self.wait_for_title('• Untitled')
        # The first node was shown, by its name alone: the instance is shown in its place.
        self.find('option', 'turning_disc1, Turning Disc, shown*')
        self.drag(*self.node_head('turning_disc1'), *at(0.15, 0.15))
        self.point(*at(0.1, 0.6))
        self.add('turning')
        for name, radius, color, where in (('turning_disc1', '0.5', '#ff0000', '-1'),
                                           ('turning_disc2', '0.8', '#0000ff', 'sin(t*2)')):
            self.click(*self.node_head(name))
            for search, value in (('radius', radius), ('colour', color), ('translate', where)):
                self.find_input(search)
                self.key('ctrl+a')
                self.type(value + '\n')
        self.point(*at(0.45, 0.3))
        self.add('geometry/merge')
        for name in ('turning_disc1', 'turning_disc2'):
            self.drag(*self.node_slot(name, 0, output=True), *self.node_head('merge1'))
        self.point(*at(0.7, 0.3))
        self.add('render/draw')
        self.drag(*self.node_slot('merge1', 0, output=True), *self.node_head('draw1'))
        self.click(*self.node_head('draw1'))
        self.key('d', 'ctrl+s')
        self.find('text-box', '*', seconds=10)
        self.key('ctrl+a')
        self.type(self.path('two.json') + '\n')
        self.wait_for_title('two.json')
        nodes = self.read('two.json')['nodes']
        self.assertEqual(nodes['turning_disc1']['inputs'],
                         {'rotate': [0, 0, {'expr': '90*t'}], 'radius': 0.5, 'color': [1, 0, 0, 1],
                          'translate': [-1, 0, 0]})
        self.assertEqual(nodes['turning_disc2']['inputs'],
                         {'radius': 0.8, 'color': [0, 0, 1, 1], 'translate': [{'expr': 'sin(t*2)'}, 0, 0]})
        self.assertEqual(nodes['merge1']['inputs']['geometries'],
                         [{'link': 'turning_disc1.transformed'}, {'link': 'turning_disc2.transformed'}])
        self.assertEqual(self.read('two.json')['display'], 'draw1.image')
        self.key('F12')
        self.wait_for_title('Render')
        self.key('ctrl+a')
        self.type(self.path('two.mp4'))
        self.key('alt+r')
        wait_for(lambda: os.path.exists(self.path('two.mp4')), 'the movie')

    def open_contents(self):
        self.click(*self.head(self.instance()['at']))
        self.key('ctrl+e')

    def enlarge_disc(self):
        """In the contents, which become the graph's own."""
        self.open_contents()
        self.key('a')
        self.key('ctrl+a')
        self.find_node_and_set('disc', 'radius', '0.9')

    def instance(self):
        nodes = self.save('disc.json')['nodes']
        return next(node for node in nodes.values() if node['type'] == 'my/red_disc')

    def test_made_used_upgraded_unpacked(self):
        before = DISC
        self.write('before.json', before)
        expected = self.pixels('before.json')
        self.make_disc()
        made = self.read(self.preset('red_disc'))
        self.assertEqual((made['id'], made['version'], made['title']), ('my/red_disc', 1, 'Red Disc'))
        self.assertEqual(set(made['graph']['nodes']), {'disc', 'ball'})
        with open(self.path(os.path.join(self.library, made['thumbnail'])), 'rb') as f:
            self.assertEqual(f.read(8), b'\x89PNG\r\n\x1a\n')
        output = next(iter(made['interface']['outputs']))
        # The graph that it was made in, and another one.
        self.assertEqual(self.instance()['type'], 'my/red_disc')
        self.assertEqual(self.pixels('disc.json'), expected)
        self.write('other.json', {
            'kineograph': 1, 'frames': DISC['frames'], 'display': 'p.image', 'nodes': {
                'd': {'type': 'my/red_disc'},
                'p': {'type': 'render/draw', 'inputs': {'geometries': [{'link': 'd.' + output}]}}}})
        self.assertEqual(self.pixels('other.json'), expected)
        # It takes its definition along.
        self.kineo('presets', 'upgrade', 'other.json')
        graph = self.read('other.json')
        graph['presets'] = {'my/red_disc': made}
        self.write('other.json', graph)
        # A larger disc is the second version.
        self.enlarge_disc()
        self.key('ctrl+shift+e')
        self.wait_for_title('Kineograph')
        self.key('alt+s')
        wait_for(lambda: self.read(self.preset('red_disc'))['version'] == 2, 'the second version')
        self.wait_for_title('• disc.json')
        newer = self.save('disc.json', lambda g: g['presets']['my/red_disc']['version'] == 2)
        self.assertNotIn('graph', next(n for n in newer['nodes'].values() if n['type'] == 'my/red_disc'))
        larger = self.pixels('disc.json')
        self.assertNotEqual(larger, expected)
        # The other graph goes on as it was until it is upgraded.
        self.assertEqual(self.pixels('other.json'), expected)
        self.assertIn('my/red_disc 1 → 2', self.kineo('presets', 'upgrade', 'other.json').decode())
        self.kineo('presets', 'upgrade', 'other.json', '--apply')
        self.assertEqual(self.read('other.json')['nodes']['d']['version'], 2)
        self.assertEqual(self.pixels('other.json'), larger)
        self.kineo('presets', 'unpack', 'other.json', 'd')
        self.assertNotIn('presets', self.read('other.json'))
        self.assertEqual(self.pixels('other.json'), larger)

    def test_one_of_two_is_upgraded(self):
        """Only the selected instance, from the question of Ctrl+U; then the other one, alone, so that nothing is asked."""
        self.put('sparks', definition(version=2, speed=9))
        self.open('graph.json', {'kineograph': 1, 'presets': {'test/sparks': definition()}, 'nodes': {
            'a': {'type': 'test/sparks', 'at': [0, 0]}, 'b': {'type': 'test/sparks', 'at': [0, 200]}}})
        self.find_view('graph.json')
        self.click(*self.head((0, 200)))
        self.key('ctrl+u')
        self.wait_for_title('Kineograph')
        self.look('upgrade-of-one')
        self.key('alt+t')
        graph = self.save('graph.json', lambda g: g['nodes']['b'].get('version') == 2)
        self.look('upgraded-one')
        self.assertNotIn('version', graph['nodes']['a'])
        self.assertEqual(set(graph['presets']), {'test/sparks', 'test/sparks@1'})
        self.key('ctrl+z')
        self.save('graph.json', lambda g: 'version' not in g['nodes']['b'])
        self.key('ctrl+shift+z')
        self.save('graph.json', lambda g: g == graph)
        self.click(*self.head((0, 0)))
        self.key('ctrl+u')
        self.wait_for_title('Kineograph')
        self.key('alt+u')
        graph = self.save('graph.json', lambda g: g['nodes']['a'].get('version') == 2)
        self.assertEqual(set(graph['presets']), {'test/sparks'})

    def test_ranges_where_numbers_have_a_comma(self):
        german = self.path('locales')
        os.mkdir(german)
        try:
            made = subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', os.path.join(german, 'de_DE.UTF-8')],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
        except FileNotFoundError:
            made = 1
        if made != 0:
            self.skipTest('localedef cannot make de_DE.UTF-8 here')
        self.environment.update(LOCPATH=german, LC_ALL='', LC_CTYPE='C.UTF-8', LC_NUMERIC='de_DE.UTF-8')
        self.open('word.json', {'kineograph': 1, 'display': 'word.geometry', 'nodes': {
            'word': {'type': 'geometry/text', 'at': [0, 0], 'inputs': {'spacing': {'keys': [[1, 1], [9, 1.5]]}}}}})
        self.find_view('word.json')
        self.click(*self.head([0, 0]))
        self.key('ctrl+p')
        self.wait_for_title('Make Preset')
        self.type('Word')
        self.key('alt+s')
        wait_for(lambda: os.path.exists(self.path(self.preset('word'))), 'the file of the preset')
        spacing = self.read(self.preset('word'))['interface']['inputs']['spacing']
        self.assertEqual((spacing['min'], spacing['max']), (0.1, 10))

    # The library on disk.

    def test_found_beside_the_graph_while_running(self):
        os.mkdir(self.path('presets'))
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})
        self.write('presets/sparks.preset.json', definition())
        self.wait_for_presets('Sparks')
        self.key('ctrl+1')
        self.over_canvas()
        self.add('test/sparks')
        self.save('graph.json', lambda g: [n['type'] for n in g['nodes'].values()] == ['test/sparks'])

    def test_changed_under_a_running_simulation(self):
        self.put('sparks', definition())
        self.open('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 200}, 'nodes': {
            's': {'type': 'test/sparks', 'at': [100, 100]}}, 'display': 's.points'})
        expected = self.kineo('eval', 'graph.json', 's.points', '--frame', '20')
        self.find_view('graph.json')
        self.play()
        for i in range(6):
            self.put('sparks', definition(version=2 + i, speed=5 + i))
            self.settle()
        # A definition that is torn, and none, for a moment.
        self.put('sparks', '{ "kineograph_preset": 1,')
        self.settle()
        os.remove(self.path(self.preset('sparks')))
        self.settle()
        self.put('sparks', definition(version=9, speed=9))
        self.settle()
        self.stop()
        self.click(*self.head((100, 100)))
        self.key('b', 'b')
        # It goes on as it was until somebody asks for the newer one.
        graph = self.save('graph.json', lambda g: g['presets']['test/sparks']['version'] == 1)
        self.assertEqual(self.kineo('eval', 'graph.json', 's.points', '--frame', '20'), expected)
        self.key('ctrl+u')
        self.wait_for_title('Kineograph')
        self.key('alt+u')
        self.save('graph.json', lambda g: g['presets']['test/sparks']['version'] == 9)
        faster = self.kineo('eval', 'graph.json', 's.points', '--frame', '20')
        self.assertNotEqual(faster, expected)
        self.key('ctrl+z')
        self.assertEqual(self.save('graph.json'), graph)

    # The browser.

    def wait_for_presets(self, *titles):
        """Until the library of the window has these, as the browser shows it."""
        self.key('ctrl+4')
        wait_for(lambda: {title for title in titles if self.find_all('grid-cell', title + '*')} == set(titles),
                 f'the presets {titles}')
        self.settle()

    def browse(self, search):
        self.key('ctrl+4')
        self.key('ctrl+a')
        self.type(search)
        self.settle()
        self.key('Return')

    def stored(self):
        folder = self.path(self.library)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def choose_file(self, path):
        self.settle()
        self.key('ctrl+a')
        self.type(path)
        self.key('Return')

    def test_browser(self):
        self.put('sparks', definition())
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})
        self.browse('test/sparks')
        self.key('ctrl+d')
        wait_for(lambda: len(self.stored()) == 2, 'the copy')
        copy = self.read(self.preset('sparks_copy'))
        self.assertEqual((copy['id'], copy['title'], copy['version']), ('test/sparks_copy', 'Sparks (copy)', 1))
        # Exported, deleted, and imported again.
        self.key('ctrl+shift+x')
        self.wait_for_title('Export Preset')
        self.choose_file(self.path('sent.preset.json'))
        wait_for(lambda: os.path.exists(self.path('sent.preset.json')), 'the exported file')
        self.wait_for_title('graph.json')
        self.assertEqual(self.read('sent.preset.json')['id'], 'test/sparks')
        self.key('Delete')
        self.wait_for_title('Kineograph')
        self.key('alt+d')
        wait_for(lambda: self.stored() == ['sparks_copy.preset.json'], 'the file to go')
        self.wait_for_title('graph.json')
        self.key('ctrl+i')
        self.wait_for_title('Import Preset')
        self.choose_file(self.path('sent.preset.json'))
        wait_for(lambda: len(self.stored()) == 2, 'the imported file')
        # What is no preset is refused.
        self.write('bad.preset.json', {'kineograph': 1})
        self.key('ctrl+i')
        self.wait_for_title('Import Preset')
        self.choose_file(self.path('bad.preset.json'))
        self.settle()
        self.assertEqual(len(self.stored()), 2)
        self.wait_for_title('Kineograph')
        self.key('Escape')
        # Its contents in a window of their own.
        self.browse('test/sparks_copy')
        self.key('F4')
        self.wait_for_title('• Sparks (copy)')
        self.key('ctrl+shift+e')
        self.wait_for_title('Kineograph')
        self.key('alt+s')
        wait_for(lambda: self.read(self.preset('sparks_copy'))['version'] == 2, 'the second version')

    def test_return_ahead_of_the_search(self):
        """Return takes the preset that was typed, even if it follows before the search has listed it."""
        self.put('sparks', definition())
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})
        self.key('ctrl+4', 'ctrl+a')
        self.do('type', '--delay', '0', '--', 'test/sparks')
        self.key('Return', 'Return')
        self.assertEqual([node['type'] for node in self.save('graph.json')['nodes'].values()], ['test/sparks'])

    def test_tags_and_favourites(self):
        """The filters are judged by the preset that Return takes: the first one shown."""
        self.put('sparks', definition())
        self.put('quiet', definition(preset_id='test/quiet', tags='aardvark'))
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})

        def add_first():
            self.key('ctrl+1', 'ctrl+4')
            self.key('ctrl+a', 'Delete')
            self.settle()
            self.key('Return', 'Return')
            return sorted(node['type'] for node in self.save('graph.json')['nodes'].values())

        # The list of tags is beside the search; the first tag is below All tags.
        self.key('ctrl+4')
        self.key('Tab', 'space', 'Down', 'Return')
        self.look('tag')
        self.assertEqual(add_first(), ['test/quiet'])
        self.key('ctrl+1', 'ctrl+4')
        self.key('Tab', 'space', 'Up', 'Return')
        # A favourite, and only favourites.
        self.browse('test/sparks')
        self.key('ctrl+b')
        self.key('ctrl+1', 'ctrl+4')
        self.key('Tab', 'Tab', 'space')
        self.assertEqual(add_first(), ['test/quiet', 'test/sparks'])
        self.look('favourites')
        # When it is none any more nothing is left to take.
        self.browse('test/sparks')
        self.key('ctrl+b')
        self.assertEqual(add_first(), ['test/quiet', 'test/sparks'])

    def test_library_changes_under_an_open_list(self):
        """The list of tags keeps the keyboard when presets are read again, as they are when GEGL has listed its operations."""
        self.put('quiet', definition(preset_id='test/quiet', tags='aardvark'))
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})
        self.key('ctrl+4', 'Tab', 'space')
        self.put('late', definition(preset_id='test/late', title='Late', tags='aardvark'))
        wait_for(lambda: any(widget.name == 'Late' for widget in self.look_around()), 'the new preset')
        self.settle()
        self.key('Down', 'Return', 'ctrl+1', 'ctrl+4', 'Return', 'Return')
        self.assertEqual([node['type'] for node in self.save('graph.json')['nodes'].values()], ['test/late'])

    def test_contents_match_the_definition_again(self):
        self.make_disc()
        expected = self.pixels('disc.json')
        self.enlarge_disc()
        changed = self.save('disc.json', lambda g: any('graph' in node for node in g['nodes'].values()))
        self.assertNotEqual(self.pixels('disc.json'), expected)
        self.key('ctrl+m')
        self.save('disc.json', lambda g: not any('graph' in node for node in g['nodes'].values()))
        self.assertEqual(self.pixels('disc.json'), expected)
        self.key('ctrl+z')
        self.save('disc.json', lambda g: g['nodes'] == changed['nodes'])

    def test_imported_into_a_library_that_is_chosen(self):
        self.write('sent.preset.json', definition())
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})
        self.key('ctrl+4')
        self.key('ctrl+i')
        self.wait_for_title('Import Preset')
        # The libraries are below the list of files.
        self.key('Tab', 'space', 'Down', 'Return')
        self.look('import')
        self.choose_file(self.path('sent.preset.json'))
        wait_for(lambda: os.path.exists(self.path('presets/sparks.preset.json')), 'the imported file')
        self.wait_for_title('graph.json')
        self.assertFalse(os.path.exists(self.path(self.library)))

    def test_dragged_into_the_canvas(self):
        """From the tab of presets over that of the canvas, which opens, to a place in it."""
        self.put('sparks', definition())
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})
        goal = self.canvas().at(0.5, 0.6)
        self.browse('test/sparks')
        tile, tab = self.find('grid-cell', 'Sparks*').middle, self.find('tab', 'Canvas').middle
        self.point(*tile)
        self.do('mousedown', 1)
        for place in ((tile[0] + 20, tile[1] - 20), (tile[0], tab[1] + 40), (tab[0] + 3, tab[1] + 2), tab):
            self.point(*place)
        # It opens when the pointer has rested there for a moment.
        wait_for(lambda: self.find_all('list-box', 'Canvas*'), 'the canvas')
        self.settle()
        self.point(goal[0] - 100, goal[1] + 40)
        self.point(*goal)
        self.look('dragged')
        self.let_go()
        nodes = self.save('graph.json', lambda g: g['nodes'])['nodes']
        self.assertEqual([node['type'] for node in nodes.values()], ['test/sparks'])
        self.find_view('graph.json')
        at = self.head(next(iter(nodes.values()))['at'])
        self.assertLess(abs(at[0] - goal[0]) + abs(at[1] - goal[1]), 150)

    def test_files_that_are_wrong_are_told(self):
        """A file that breaks while the window is open: another button, the last in the row, reports the problem."""
        self.open('graph.json', {'kineograph': 1, 'nodes': {}})
        self.put('sparks', definition())
        for content, listed in ((None, False), ('{ "kineograph_preset": 1,', True), (definition(), False)):
            if content is not None:
                self.put('sparks', content)
            self.key('ctrl+1', 'ctrl+4')
            wait_for(lambda: bool(self.find_all('button', 'Problems…')) == listed, 'the button')
            self.look(f'problems-{listed}')
            if listed:
                # The last of the row.
                self.key('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'space')
                self.wait_for_title('Kineograph')
                self.key('Escape')
            self.wait_for_title('graph.json')
            self.key('Escape')

    def test_library_that_cannot_be_written(self):
        os.makedirs(self.path('data/kineograph'))
        self.write('data/kineograph/presets', 'a file where the folder should be')
        self.open('disc.json', DISC)
        self.find_view('disc.json')
        self.ask_for_disc()
        self.key('alt+s')
        # The dialog stays and says why; nothing is lost.
        self.wait_for_title('Make Preset')
        self.key('Escape')
        self.wait_for_title('disc.json')
        self.assertEqual(self.save('disc.json')['nodes'].keys(), DISC['nodes'].keys())

    def test_saved_in_a_library_that_is_chosen(self):
        """The folder beside the graph, and one of KINEOGRAPH_PRESET_PATH; what cannot be written is not offered."""
        os.mkdir(self.path('studio'))
        self.write('closed', 'a file where a folder should be')
        self.environment['KINEOGRAPH_PRESET_PATH'] = os.pathsep.join([self.path('closed'), self.path('studio')])
        self.open('disc.json', DISC)
        self.find_view('disc.json')
        for title, steps, file in (('Beside', 1, 'presets/beside.preset.json'),
                                   ('Studio', 2, 'studio/studio.preset.json')):
            self.ask_for_disc(title)
            # What lies below the pointer is where the arrow keys would start.
            self.move_away()
            self.key('alt+b')
            self.key(*['Down'] * steps, 'Return')
            self.look(f'library-{title}')
            self.key('alt+s')
            wait_for(lambda file=file: os.path.exists(self.path(file)), 'the file of the preset')
            self.wait_for_title('• disc.json')
            self.key('ctrl+z')
        self.assertFalse(os.path.exists(self.path(self.library)))
        # It is found there by whoever uses the graph.
        self.write('use.json', {'kineograph': 1, 'nodes': {
            'd': {'type': 'my/beside'}, 's': {'type': 'my/studio'}}})
        self.assertNotIn('my/', self.kineo('check', 'use.json').decode())

    def test_rows_are_ordered_renamed_and_grouped(self):
        """All that the dialog edits of an interface, with pointer and keys."""
        graph = json.loads(json.dumps(DISC))
        graph['nodes']['disc']['inputs'] = {'radius': {'keys': [[1, 0.5], [9, 2]]}, 'angle': {'keys': [[1, 90], [9, 360]]}}
        graph['nodes']['ball']['inputs']['color'] = {'keys': [[1, [1, 0, 0, 1]], [9, [0, 1, 0, 1]]]}
        self.open('disc.json', graph)
        self.find_view('disc.json')
        self.ask_for_disc()
        first, second, third = self.rows()[:3]
        # The third to the place of the first, and the second, which it is then, to that of the last.
        self.drag_row(third, first)
        self.drag_row(second, third)
        self.look('rows-dragged')
        # From the library, the last field, to the first row: its tick, name, label and group.
        self.key('alt+b', 'Escape', 'Tab', 'Tab', 'ctrl+a')
        self.type('paint')
        self.key('Tab')
        self.type('Paint it')
        self.key('Tab')
        self.type('Look')
        # The second: up, down and the range of the first are passed, and its own tick.
        self.key('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab')
        self.type('Form')
        self.key('Tab', 'ctrl+a')
        self.type('-180')
        self.key('Tab', 'ctrl+a')
        self.type('180')
        # The button that moves it down, past that which moves it up.
        self.key('Tab', 'Tab', 'space')
        self.look('rows-edited')
        self.key('alt+s')
        wait_for(lambda: os.path.exists(self.path(self.preset('red_disc'))), 'the file of the preset')
        self.wait_for_title('• disc.json')
        made = self.read(self.preset('red_disc'))['interface']['inputs']
        self.assertEqual(list(made), ['paint', 'radius', 'angle'])
        self.assertEqual((made['paint']['label'], made['paint']['group'], made['paint']['drives']),
                         ('Paint it', 'Look', ['ball.color']))
        self.assertEqual([made['angle'][name] for name in ('group', 'min', 'max')], ['Form', -180, 180])

    def rows(self):
        """Where each row of the dialog is taken hold of, from the top."""
        return [widget.middle for widget in self.look_around() if widget.name == 'Drag to reorder']

    def drag_row(self, start, end):
        self.point(*start)
        self.do('mousedown', 1)
        for part in (0.1, 0.3, 0.6, 1, 1):
            self.do('mousemove', round(start[0] + 4 * part), round(start[1] + (end[1] - start[1]) * part))
            self.settle()
        self.do('mouseup', 1)
        self.settle()

    def test_two_of_one_name_are_refused(self):
        graph = json.loads(json.dumps(DISC))
        for node, name in (('disc', 'radius'), ('ball', 'color')):
            graph['nodes'][node]['inputs'][name] = {'keys': [[1, 1], [9, 2]]} if name == 'radius' else [1, 0, 0, 1]
        self.open('disc.json', graph)
        self.find_view('disc.json')
        self.ask_for_disc()
        # From the library, the last field, to the name of the first row: past its tick.
        self.key('alt+b', 'Escape', 'Tab', 'Tab', 'ctrl+a')
        self.type('colored')
        self.look('two-of-one-name')
        self.key('alt+s')
        self.wait_for_title('Make Preset')
        self.assertFalse(os.path.exists(self.path(self.library)))
        # The second of them can be renamed at once.
        self.key('ctrl+a')
        self.type('shape')
        self.key('alt+s')
        wait_for(lambda: os.path.exists(self.path(self.preset('red_disc'))), 'the file of the preset')
        interface = self.read(self.preset('red_disc'))['interface']
        self.assertEqual((list(interface['inputs']), list(interface['outputs'])), (['colored'], ['shape']))

    def find_node_and_set(self, name, search, value):
        """A node of the contents that are shown, found by walking from node to node."""
        definition_nodes = self.inner_nodes()
        self.find_inner_view(definition_nodes)
        self.set_input(definition_nodes[name].get('at', (0, 0)), search, value)

    def inner_nodes(self):
        return next(node['graph']['nodes'] for node in self.save('disc.json')['nodes'].values() if 'graph' in node)

    def find_inner_view(self, nodes):
        """How the canvas maps the contents."""
        self.find_view_of({name: node.get('at', (0, 0)) for name, node in nodes.items()})


main()
