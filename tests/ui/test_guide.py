# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide followed as it is written: docs/guide/README.md and docs/guide/presets.md, step by step, on the real program.

With KG_GUIDE_PICTURES the pictures of the guide are taken on the way, into the folder that it names."""
import json
import os
import subprocess
import tempfile

from support import (GRAPHS, NODE_HEAD, NODE_ROW, NODE_WIDTH, SCREEN_WIDTH, WindowTest, main, tearDownModule,  # noqa: F401
                     wait_for)

KINEO = os.environ['KINEO']
PICTURES = os.environ.get('KG_GUIDE_PICTURES')

PRESET = '.local/share/kineograph/presets/eased_ball.preset.json'
# Heads of nodes that make geometry, pictures, colours and numbers; handles in the viewport, the second of three curves.
GEOMETRY, IMAGE, COLOR, NUMBER = (18, 138, 110), (162, 73, 64), (171, 156, 55), (116, 116, 121)
HANDLE, SECOND_CURVE = (255, 168, 40), (76, 174, 71)
# Where things are in the window.
NEW_GRAPH, CANVAS_TAB, CURVES_TAB, FREE, FRAME = (100, 175), (45, 396), (113, 396), (507, 435), (215, 772)
SPREADSHEET_TAB = (197, 396)
GRAPH_TITLE, LAST_FRAME = (1150, 140), (1150, 214)
FIRST_ROW, ROW, FIELD, KEY_BUTTON = 174, 29, 1060, 1208
# In the window without anything to point at, and on the canvas of a graph of four nodes.
NOWHERE, FREE_CANVAS = (1100, 620), (455, 470)


class Guide(WindowTest):
    waits_for_evaluation = True  # handles are where it says

    def setUp(self):
        super().setUp()
        self.environment['KINEOGRAPH_PRESET_PATH'] = ''
        home = self.folder
        if PICTURES:
            # What is round or has a shadow is black behind it where windows cannot be seen through.
            self.write('config/gtk-4.0/gtk.css', 'popover > contents { box-shadow: none; border-radius: 0; }\n'
                       'popover { background-color: #f6f5f4; }\n')
            films = os.path.join(tempfile.gettempdir(), 'films')
            # One is left over when the last run was broken off.
            if os.path.islink(films):
                os.unlink(films)
            if not os.path.lexists(films):
                os.symlink(self.folder, films)
                self.addCleanup(os.unlink, films)
                home = films
        # As it is for everybody.
        self.environment.update(HOME=home, PWD=home, XDG_DATA_HOME=os.path.join(home, '.local/share'))

    # Eyes.

    def look(self, name, box=None, rest=True):
        """A picture for the guide, of the window or of a part of it (left, top, width and height)."""
        if rest:
            self.rest()
        self.settle()
        if not PICTURES:
            return
        x, y, width, height = self.frame
        left, top, width, height = box or (0, 0, width, height)
        subprocess.run(['import', '-window', 'root', '-crop', f'{width}x{height}+{x + left}+{y + top}', '+repage', '-strip',
                        '-define', 'png:compression-level=9', os.path.join(PICTURES, name + '.png')],
                       env=self.environment, check=True)

    def rest(self):
        """The pointer where it makes nothing light up, and no tooltip open."""
        x, y = self.there(NOWHERE)
        self.point(x - 8, y - 8)
        self.point(x, y)

    def heads_now(self, color):
        """Left, top, right and bottom of the heads of nodes of that colour."""
        boxes = []
        for area in self.find_areas(color):
            xs, ys = [x for x, _ in area], [y for _, y in area]
            # Not those of the map.
            if len(area) > 300 and max(xs) - min(xs) > 3 * (max(ys) - min(ys)):
                boxes.append((min(xs), min(ys), max(xs) + 1, max(ys) + 1))
        return sorted(boxes)

    def heads(self, color, count):
        """Waits until there are so many, and until they stay where they are."""
        seen = []

        def there():
            before = list(seen)
            seen[:] = self.heads_now(color)
            return len(seen) == count and seen == before

        wait_for(there, f'{count} nodes')
        return list(seen)

    @staticmethod
    def middle(head):
        return (head[0] + head[2]) / 2, (head[1] + head[3]) / 2

    @staticmethod
    def dot(head, row, output=False):
        scale = (head[2] - head[0]) / NODE_WIDTH
        return head[2] if output else head[0], head[1] + scale * (NODE_HEAD + NODE_ROW * (row + 0.5))

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

    def begin(self, *arguments):
        self.start(*arguments)
        self.frame = self.place()
        self.assertEqual(self.frame[2:], (1280, 800))

    def there(self, place):
        return self.frame[0] + place[0], self.frame[1] + place[1]

    def row(self, n, x=FIELD):
        """A row of the inspector."""
        return self.there((x, FIRST_ROW + n * ROW))

    def hold(self, x0, y0, x1, y1):
        """Takes and drags, and does not let go."""
        self.point(x0 - 3, y0 - 2)
        self.point(x0, y0)
        self.do('mousedown', 1)
        for i in range(1, 9):
            self.do('mousemove', round(x0 + (x1 - x0) * i / 8), round(y0 + (y1 - y0) * i / 8), 'sleep', '0.02')
        self.settle()

    def kineo(self, *arguments):
        done = subprocess.run([KINEO, *arguments], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def open_example(self, name):
        """From the welcome page; what it is called there, its window is called."""
        names = sorted(file[:-5] for file in os.listdir(GRAPHS) if file.endswith('.json'))
        self.key('Tab', 'Tab')
        self.do('key', '--delay', '40', *['Right'] * names.index(name))
        self.settle()
        self.key('Return')
        with open(os.path.join(GRAPHS, name + '.json'), encoding='utf-8') as f:
            self.wait_for_title(json.load(f)['title'])

    def save_as_proposed(self, title):
        self.rest()
        self.key('ctrl+s', pause=0.5)
        self.wait_for_title('Save Graph')
        # The name is there at once, the folder is still read.
        self.settle(0.6)
        self.key('Return')
        self.wait_for_title(title)

    def go_to_frame(self, frame):
        self.click(*self.there(FRAME))
        self.type(f'{frame}\n')
        self.settle()

    # A film in ten minutes.

    def test_film_in_ten_minutes(self):
        self.begin()
        self.look('welcome', (0, 0, 1280, 600))
        # 1. Start.
        self.click(*self.there(NEW_GRAPH))
        self.wait_for_title('Untitled')
        self.click(*self.there(GRAPH_TITLE))
        self.type('Bounce')
        self.click(*self.there(LAST_FRAME))
        self.type('48\n')
        self.wait_for_title('• Bounce')
        self.make_nodes()
        self.set_values()
        self.set_keys()
        self.bend()
        # 9. Play and save.
        self.click(*self.there(CANVAS_TAB))
        self.click(*self.there(FREE_CANVAS))
        self.play(1)
        self.stop()
        self.save_as_proposed('Bounce')
        self.check_bounce(self.read('Bounce.kineo.json'))
        # 10. Render.
        self.key('F12', pause=0.5)
        self.wait_for_title('Render')
        x, y, width, height = self.place()
        self.click(x + width - 59, y + height - 56)
        wait_for(lambda: os.path.exists(self.path('Bounce.mp4')), 'the film')
        self.settle(1)
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
        self.click(*self.there((200, 540)))
        self.key('Tab')
        self.type('circ')
        self.look('add', (0, 160, 916, 589), rest=False)
        self.key('Return')
        circle, = self.heads(GEOMETRY, 1)
        # 3. Link.
        self.drag(*self.dot(circle, 0, True), *self.there((480, 560)))
        self.type('transf')
        self.look('drop-link', (0, 160, 916, 589), rest=False)
        self.key('Return')
        circle, transform = self.heads(GEOMETRY, 2)
        self.drag(*self.dot(transform, 0, True), *self.there((750, 580)))
        self.type('draw')
        self.key('Return')
        self.heads(IMAGE, 1)
        # 4. See it.
        self.key('d')
        self.look('display')
        # 5. Put a node on a link.
        self.point(*self.there((370, 460)))
        self.add('colour')
        circle, color, transform = self.heads(GEOMETRY, 3)
        color, transform = sorted((color, transform), key=lambda head: head[1])
        x, y = [(a + b) / 2 for a, b in zip(self.dot(circle, 0, True), self.dot(transform, 1))]
        self.hold(*self.middle(color), x, y)
        self.look('insert', (0, 415, 916, 334), rest=False)
        self.do('mouseup', 1)
        self.settle()
        self.key('l', 'a', pause=0.3)

    def set_values(self):
        # 6. Set values.
        self.click(*self.middle(self.heads(GEOMETRY, 3)[0]))
        self.click(*self.row(0))
        self.type('0.35\n')
        self.look('values')
        self.click(*self.middle(self.heads(IMAGE, 1)[0]))
        self.click(*self.row(5))
        self.key('ctrl+a')
        self.type('#1d1a33\n')

    def set_keys(self):
        # 7. Set keys.
        self.click(*self.middle(self.heads(GEOMETRY, 3)[2]))
        self.click(*self.row(1))
        self.type('-2.5')
        self.key('Tab')
        self.type('1\n')
        self.click(*self.row(1, KEY_BUTTON))
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
        self.click(*self.there(CURVES_TAB))
        self.settle(0.5)
        x, y = max(self.find_spots(SECOND_CURVE, 20), key=lambda spot: spot[1])
        self.click(x, y)
        self.settle(0.3)
        self.click(*self.there(FREE))
        self.rest()
        left, _, right = self.dark_dots(y, self.frame[0] + 240, self.frame[0] + 900)
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
        self.click(*self.middle(self.heads(GEOMETRY, 3)[2]))
        x, y = self.row(1, 934)
        self.click(x, y + 21)
        self.look('inspector-curve')
        self.click(*self.middle(self.heads(GEOMETRY, 3)[0]))
        self.key('d')
        self.click(*self.there(SPREADSHEET_TAB))
        self.look('spreadsheet')

    def crash(self):
        """What is shown now is not saved.  It is kept whenever the window loses the focus, here to another."""
        folder = self.path('state/kineograph/recovery')
        self.key('ctrl+comma', pause=0.5)
        self.wait_for_title('Preferences')
        wait_for(lambda: os.path.isdir(folder) and any(name.endswith('.json') for name in os.listdir(folder)),
                 'the copy of what is not saved')
        self.settle()
        self.kill()
        self.start(windows=2)
        self.look('recovery', (0, 0, 1280, 600))
        # It is offered, and there again for who takes it; the file is as it was saved.
        self.assertEqual(list(self.windows().values()).count('Kineograph'), 2)
        self.key('Return', pause=0.8)
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
        self.drag(*self.there((100, 428)), *self.there((522, 740)))
        self.key('ctrl+p', pause=0.6)
        self.wait_for_title('Make Preset')
        self.type('Eased Ball')
        self.key('Tab', 'Tab')
        for text in ('A ball that eases along a path', 'Set its colour; the way and the timing are inside.', 'ball ease'):
            self.type(text)
            self.key('Tab')
        self.type('You')
        x, y, width, height = self.place()
        self.click(x + 300, y + 350)
        self.settle(0.4)
        # The last that can be published are four of "moved", then two of "ball".
        self.key('End', *['Up'] * 5, 'Return')
        self.settle(0.4)
        self.look('make-preset')
        # The button is seen, however much is published.
        self.click(x + width - 70, y + height - 55)
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
        self.key('ctrl+4', pause=0.4)
        self.key('ctrl+a')
        self.type('ball')
        self.settle(0.5)
        self.click(*self.there((460, 510)), button=3)
        self.look('preset-browser', rest=False)
        self.key('Escape')
        self.click(*self.there((300, 431)))
        self.key('ctrl+a')
        self.type('my/eased_ball')
        self.settle(0.5)
        self.click(*self.there((95, 510)), times=2)
        self.settle(0.5)
        self.drag(*self.there((500, 590)), *self.there((300, 680)))
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
        instance = sorted(self.heads(GEOMETRY, 4))[:2]
        self.click(*self.middle(min(instance, key=lambda head: head[1])))
        self.key('ctrl+e', pause=0.6)
        left = self.heads(GEOMETRY, 6)
        self.look('preset-contents')
        disc = max((head for head in left if head[0] < left[0][0] + 20), key=lambda head: head[1])
        self.click(*self.middle(disc))
        self.find_input('radius')
        self.key('ctrl+a')
        self.type('0.35\n')
        self.click(*self.middle(self.heads(COLOR, 1)[0]))
        self.key('F2', pause=0.2)
        self.key('ctrl+a')
        self.type('tint\n')
        self.key('ctrl+shift+e', pause=0.6)
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
        """Another graph goes on with the version it has, until it is asked."""
        self.begin('Other.kineo.json')
        self.wait_for_title('Hello')
        first, second = sorted(sorted(self.heads(GEOMETRY, 4))[:2], key=lambda head: head[1])
        self.click(*self.middle(first))
        self.look('preset-newer')
        self.assertIn('my/eased_ball 1 → 2', self.kineo('presets', 'upgrade', 'Other.kineo.json'))
        self.key('ctrl+u', pause=0.6)
        self.wait_for_title('Kineograph')
        self.look('preset-upgrade')
        self.key('alt+t')
        self.wait_for_title('• Hello')
        self.assertEqual(self.versions(), [2, 1])
        self.key('ctrl+z')
        self.assertEqual(self.versions(), [1, 1])
        self.click(*self.middle(second))
        self.key('ctrl+u', pause=0.6)
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
        self.click(*self.middle(self.heads(NUMBER, 1)[0]))
        self.look('window')
        self.key('ctrl+comma', pause=0.5)
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
        self.point(*self.there((600, 700)))
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
        self.click(*self.there((150, 100)))
        self.click(*self.head(graph['nodes']['fall']['at']))
        self.settle(0.6)
        x, y = min(self.find_spots(HANDLE, 10), key=lambda spot: spot[1])
        self.click(*self.there((120, 80)))
        self.key('k')
        self.play()
        self.point(x, y)
        way = [word for i in range(30) for word in ('mousemove', round(x - 3 * i), round(y - i), 'sleep', '0.03')]
        self.do('mousedown', 1, *way, 'mouseup', 1)
        self.settle(0.6)
        self.stop()
        self.look('throw')
        self.assertIn('keys', self.save('somersault.json')['nodes']['fall']['inputs']['grab'])


def encode(x):
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055


main()
