# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide followed as it is written: docs/guide/README.md and docs/guide/presets.md, step by step, on the real program."""
import json
import os

from guide import GuideTest
from support import GRAPHS, SCREEN_WIDTH, main, tearDownModule, wait_for  # noqa: F401

PRESET = '.local/share/kineograph/presets/eased_ball.preset.json'
# Handles in the viewport, the second of three curves.
HANDLE, SECOND_CURVE = (255, 168, 40), (76, 174, 71)


class Guide(GuideTest):
    # Eyes.

    def dark_dots(self, y, left, right):
        """Where on a row of the screen dots of the colour of text are: the ends of the handles of a key."""
        dump, dots = self.screen(), []
        for x in range(round(left), round(right)):
            dark = sum(max(dump[3 * (SCREEN_WIDTH * line + x):][:3]) < 110 for line in range(round(y) - 2, round(y) + 3))
            if dark >= 4:
                if dots and x - dots[-1][1] <= 2:
                    dots[-1][1] = x
                else:
                    dots.append([x, x])
        return [(a + b) / 2 for a, b in dots if b - a >= 2]

    # Hands.

    def open_example(self, name):
        """From the welcome page, by keys; what it is called there, its window is called."""
        with open(os.path.join(GRAPHS, name + '.json'), encoding='utf-8') as f:
            title = json.load(f)['title']
        self.press('search-box', 'Search examples')
        self.type(title)
        self.key('Tab')
        self.settle()
        self.assertEqual(self.focused().name, title)
        self.key('Return')
        self.wait_for_title(title)

    # A film in ten minutes.

    def test_film_in_ten_minutes(self):
        self.begin()
        self.look('welcome', (0, 0, 1280, 600))
        # 1. Start.
        self.press('button', 'New Graph')
        self.wait_for_title('Untitled')
        self.press('text-box', 'Title')
        self.type('Bounce')
        self.press('spin-button', 'Last frame')
        self.type('48\n')
        self.wait_for_title('• Bounce')
        self.make_nodes()
        self.set_values()
        self.set_keys()
        self.bend()
        # 9. Play and save.
        self.press('tab', 'Canvas')
        self.click(*self.on_canvas(450, 55))
        self.play(1)
        self.stop()
        self.save_as_proposed('Bounce')
        self.check_bounce(self.read('Bounce.kineo.json'))
        # 10. Render.
        self.key('F12')
        self.wait_for_title('Render')
        self.press('button', 'Render')
        wait_for(lambda: os.path.exists(self.path('Bounce.mp4')), 'the film')
        self.settle()
        self.look('render')
        self.key('Escape')
        self.wait_for_title('Bounce')
        self.kineo('render', 'Bounce.kineo.json', '-o', 'bounce.mp4', '--progress', 'none')
        self.look_at_numbers()
        self.crash()
        with open(self.path('Bounce.mp4'), 'rb') as window, open(self.path('bounce.mp4'), 'rb') as terminal:
            self.assertEqual(window.read(), terminal.read())

    def make_nodes(self):
        # 2. Add a node.
        self.click(*self.on_canvas(195, 125))
        self.key('Tab')
        self.type('circ')
        self.look('add', (0, 160, 916, 589), rest=False)
        self.key('Return')
        # 3. Link.
        self.drag(*self.node_slot('circle1', 0, True), *self.on_canvas(475, 145))
        self.type('transf')
        self.look('drop-link', (0, 160, 916, 589), rest=False)
        self.key('Return')
        self.drag(*self.node_slot('transform1', 0, True), *self.on_canvas(745, 165))
        self.type('draw')
        self.key('Return')
        self.node('draw1')
        # 4. See it.
        self.key('d')
        self.look('display')
        # 5. Put a node on a link.
        self.point(*self.on_canvas(365, 45))
        self.add('colour')
        ends = self.node_slot('circle1', 0, True), self.node_slot('transform1', 1)
        self.pull(*self.node_head('color1'), *[(a + b) / 2 for a, b in zip(*ends)])
        self.look('insert', (0, 415, 916, 334), rest=False)
        self.let_go()
        self.key('l', 'a')

    def set_values(self):
        # 6. Set values.
        self.click(*self.node_head('circle1'))
        self.press('spin-button', 'Radius')
        self.type('0.35\n')
        self.look('values')
        self.click(*self.node_head('draw1'))
        self.press('text-box', 'Background')
        self.key('ctrl+a')
        self.type('#1d1a33\n')

    def set_keys(self):
        # 7. Set keys.
        self.click(*self.node_head('transform1'))
        self.press('spin-button', 'Translate x')
        self.type('-2.5')
        self.key('Tab')
        self.type('1\n')
        self.press('button', 'Animate: set the first key', inside=self.row('Translate'))
        self.look('key')
        self.go_to_frame(24)
        handle, pivot = self.find_spots(HANDLE, 20)
        # The middle of the picture is where the pivot is; the edge of what is seen is two metres away.
        metre = pivot[1] - handle[1]
        floor = pivot[0], pivot[1] + metre
        self.drag(*handle, *floor)
        self.look('move')
        self.go_to_frame(48)
        self.drag(*floor, pivot[0] + 2.5 * metre, pivot[1] - metre)

    def bend(self):
        # 8. Bend the curve.
        self.press('tab', 'Curves')
        x, y = max(self.find_spots(SECOND_CURVE, 20), key=lambda spot: spot[1])
        self.click(x, y)
        self.press('button', 'Free')
        self.rest()
        start, _, width, _ = max(self.find_all('group', 'Curves'), key=lambda area: area.place[2]).place
        left, _, right = self.dark_dots(y, start + 60, start + width - 10)
        for end in (left, right):
            self.drag(end, y, end + 0.45 * (x - end), y - 55)
        self.look('curves')

    def check_bounce(self, graph):
        nodes = graph['nodes']
        self.assertEqual((graph['title'], graph['frames'], graph['display']),
                         ('Bounce', {'start': 1, 'end': 48, 'rate': 24}, 'draw1.image'))
        self.assertEqual({name: node['type'] for name, node in nodes.items()},
                         {'circle1': 'geometry/circle', 'color1': 'geometry/color', 'transform1': 'geometry/transform',
                          'draw1': 'render/draw'})
        inputs = {name: node['inputs'] for name, node in nodes.items()}
        self.assertEqual(inputs['circle1'], {'radius': 0.35})
        self.assertEqual(inputs['color1'], {'geometry': {'link': 'circle1.geometry'}})
        self.assertEqual(inputs['transform1']['geometry'], {'link': 'color1.colored'})
        self.assertEqual(inputs['draw1']['geometries'], [{'link': 'transform1.transformed'}])
        self.assertEqual([round(255 * encode(part)) for part in inputs['draw1']['background'][:3]], [0x1d, 0x1a, 0x33])
        keys = inputs['transform1']['translate']['keys']
        self.assertEqual([key['frame'] for key in keys], [1, 24, 48])
        for key, place in zip(keys, ((-2.5, 1), (0, -1), (2.5, 1))):
            self.assertAlmostEqual(key['value'][0], place[0], delta=0.1)
            self.assertAlmostEqual(key['value'][1], place[1], delta=0.1)
        self.assertEqual(keys[1]['tangents'], 'free')
        # It falls faster and faster, and rises slower and slower.  The first point of a circle is as high as its middle.
        lines = self.kineo('eval', 'Bounce.kineo.json', 'transform1', '--frames', '12-36').splitlines()
        values = [json.loads(line)['values']['transform1.transformed'] for line in lines]
        height = {12 + i: value['points']['P'][0][1] for i, value in enumerate(values)}
        for far, near in ((12, 23), (36, 25)):
            self.assertLess(height[24], height[near])
            step = 1 if far < near else -1
            self.assertGreater(height[near] - height[24], height[far] - height[far + step])

    def look_at_numbers(self):
        """What the reference shows of this graph: the curve in the inspector, and the spreadsheet."""
        self.click(*self.node_head('transform1'))
        self.press('button', 'Curve')
        self.look('inspector-curve')
        self.click(*self.node_head('circle1'))
        self.key('d')
        self.press('tab', 'Spreadsheet')
        self.look('spreadsheet')

    def crash(self):
        """What is shown now is not saved.  It is kept whenever the window loses the focus, here to another."""
        folder = self.path('state/kineograph/recovery')
        self.key('ctrl+comma')
        self.wait_for_title('Preferences')
        wait_for(lambda: os.path.isdir(folder) and any(name.endswith('.json') for name in os.listdir(folder)),
                 'the copy of what is not saved')
        self.settle()
        self.kill()
        self.start(windows=2)
        self.look('recovery', (0, 0, 1280, 600))
        # It is offered, and there again for who takes it; the file is as it was saved.
        self.assertEqual([window.name for window in self.windows()].count('Kineograph'), 2)
        self.key('Return')
        self.wait_for_title('• Bounce')
        self.assertEqual(self.read('Bounce.kineo.json')['display'], 'draw1.image')

    # Author your first preset.

    def stored(self):
        with open(self.path(PRESET), encoding='utf-8') as f:
            return json.load(f)

    def test_first_preset(self):
        self.begin()
        self.open_example('hello')
        self.make_preset()
        self.use_preset()
        self.edit_preset()
        self.upgrade_preset()

    def make_preset(self):
        # From left of the first one to below and right of the last.
        x, y, _, _ = self.node('timing').place
        left, _, width, _ = self.node('moved').place
        _, top, _, height = self.canvas().place
        self.drag(x - 40, min(y - 20, top + height - 10), left + width / 2, top + height - 8)
        self.key('ctrl+p')
        self.wait_for_title('Make Preset')
        self.type('Eased Ball')
        self.key('Tab', 'Tab')
        for text in ('A ball that eases along a path', 'Set its colour; the way and the timing are inside.', 'ball ease'):
            self.type(text)
            self.key('Tab')
        self.type('You')
        self.press('combo-box', 'Publish another input…')
        # The last that can be published are four of "moved", then two of "ball".
        self.key('End', *['Up'] * 5, 'Return')
        self.look('make-preset')
        # The button is seen, however much is published.
        self.press('button', 'Save Preset')
        self.wait_for_title('• Hello')
        made = self.stored()
        self.assertEqual((made['id'], made['version'], made['title']), ('my/eased_ball', 1, 'Eased Ball'))
        self.assertEqual(set(made['graph']['nodes']), {'timing', 'path', 'place', 'disc', 'ball', 'moved'})
        self.assertEqual((list(made['interface']['inputs']), list(made['interface']['outputs'])),
                         (['color'], ['geometry', 'transformed']))
        self.assertIn(' 0 warnings', self.kineo('presets', 'check', PRESET))
        self.look('preset-instance')
        self.save_as_proposed('Hello')

    def use_preset(self):
        """Another instance, from the tab of presets, and another graph, from the terminal."""
        self.key('ctrl+4')
        self.key('ctrl+a')
        self.type('ball')
        self.settle()
        self.press('grid-cell', 'Bouncing Ball*', button=3)
        self.look('preset-browser', rest=False)
        self.key('Escape')
        self.press('search-box', 'Search presets')
        self.key('ctrl+a')
        self.type('my/eased_ball')
        self.settle()
        self.press('grid-cell', 'Eased Ball*', times=2)
        # Below the other one.
        self.drag(*self.node_head('eased_ball2'), *self.on_canvas(295, 265))
        self.rest()
        graph = self.save('Hello.kineo.json')
        self.assertEqual({name: node['type'] for name, node in graph['nodes'].items()},
                         {'about': 'graph/note', 'rail': 'geometry/color', 'trail': 'geometry/trail',
                          'picture': 'render/draw', 'eased_ball1': 'my/eased_ball', 'eased_ball2': 'my/eased_ball'})
        self.assertEqual(graph['presets']['my/eased_ball']['version'], 1)
        self.write('Other.kineo.json', graph)
        self.assertIn('my/eased_ball', self.kineo('presets', 'list'))
        self.assertIn('Colour', self.kineo('presets', 'show', 'my/eased_ball'))
        self.kineo('render', 'Other.kineo.json', '--frames', '1-2', '--progress', 'none', '-o', 'film.mp4')
        self.assertGreater(os.path.getsize(self.path('film.mp4')), 0)

    def edit_preset(self):
        self.click(*self.node_head('eased_ball1'))
        self.key('ctrl+e')
        self.node('disc')
        self.look('preset-contents')
        self.click(*self.node_head('disc'))
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('0.35\n')
        self.click(*self.node_head('color'))
        self.key('F2')
        self.key('ctrl+a')
        self.type('tint\n')
        self.key('ctrl+shift+e')
        self.wait_for_title('Kineograph')
        self.key('alt+s')
        self.wait_for_title('• Hello')
        newer = self.stored()
        self.assertEqual((newer['version'], list(newer['interface']['inputs'])), (2, ['tint']))
        self.assertEqual(newer['renamed'], {'color': 'tint'})
        self.save('Hello.kineo.json', lambda graph: graph['nodes']['eased_ball1'].get('version') == 2)
        self.key('ctrl+w')
        self.wait_for_end()

    def upgrade_preset(self):
        """Another graph keeps its version until it is upgraded."""
        self.begin('Other.kineo.json')
        self.wait_for_title('Hello')
        self.click(*self.node_head('eased_ball1'))
        self.look('preset-newer')
        self.assertIn('my/eased_ball 1 → 2', self.kineo('presets', 'upgrade', 'Other.kineo.json'))
        self.key('ctrl+u')
        self.wait_for_title('Kineograph')
        self.look('preset-upgrade')
        self.key('alt+t')
        self.wait_for_title('• Hello')
        self.assertEqual(self.versions(), [2, 1])
        self.key('ctrl+z')
        self.assertEqual(self.versions(), [1, 1])
        self.click(*self.node_head('eased_ball2'))
        self.key('ctrl+u')
        self.wait_for_title('Kineograph')
        self.key('alt+u')
        self.wait_for_title('• Hello')
        self.assertEqual(self.versions(), [2, 2])

    def versions(self):
        nodes = self.save('Other.kineo.json')['nodes']
        return [nodes[name].get('version', 1) for name in ('eased_ball1', 'eased_ball2')]

    # The pictures of the reference.

    def test_window(self):
        """An example with a node selected, and the preferences."""
        self.begin()
        self.open_example('hello')
        self.go_to_frame(34)
        self.click(*self.node_head('timing'))
        self.look('window')
        self.key('ctrl+comma')
        self.wait_for_title('Preferences')
        before, self.frame = self.frame, self.place()
        x, y, width, height = self.frame
        # What the window manager adds above is counted twice.
        self.look('preferences', (0, -20, width, height), rest=False)
        self.frame = before
        self.key('Escape')
        self.wait_for_title('Hello')

    def test_link_by_keys(self):
        self.write('links.json', {
            'kineograph': 1, 'display': 'out.image', 'nodes': {
                'ring': {'type': 'geometry/circle', 'at': [0, 0]},
                'tint': {'type': 'geometry/color', 'at': [300, 0], 'inputs': {'geometry': {'link': 'ring.geometry'}}},
                'shape': {'type': 'geometry/transform', 'at': [300, 200]},
                'out': {'type': 'render/draw', 'at': [600, 0], 'inputs': {'geometries': [{'link': 'tint.colored'}]}}}})
        self.begin('links.json')
        self.point(*self.on_canvas(595, 285))
        # With nothing selected the first arrow goes to the node nearest to the origin.
        self.key('ctrl+shift+a', 'Right', 'c')
        self.look('link-keys', (0, 378, 916, 371), rest=False)
        self.key('Return')
        self.assertEqual(self.save('links.json')['nodes']['shape']['inputs'], {'geometry': {'link': 'ring.geometry'}})

    def test_throw(self):
        """A body without weight waits until it is taken."""
        with open(os.path.join(GRAPHS, 'somersault.json'), encoding='utf-8') as f:
            graph = json.load(f)
        graph['nodes']['fall'].setdefault('inputs', {})['gravity'] = [0, 0, 0]
        self.write('somersault.json', graph)
        self.begin('somersault.json')
        self.find_view('somersault.json')
        self.click(*self.find('img', 'Viewport').at(0.16, 0.15))
        self.click(*self.head(graph['nodes']['fall']['at']))
        self.settle()
        x, y = min(self.find_spots(HANDLE, 10), key=lambda spot: spot[1])
        self.click(*self.find('img', 'Viewport').at(0.13, 0.1))
        self.key('k')
        self.play()
        self.point(x, y)
        way = [word for i in range(30) for word in ('mousemove', round(x - 3 * i), round(y - i), 'sleep', '0.03')]
        self.do('mousedown', 1, *way, 'mouseup', 1)
        self.settle()
        self.stop()
        self.look('throw')
        self.assertIn('keys', self.save('somersault.json')['nodes']['fall']['inputs']['grab'])


def encode(x):
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055


main()
