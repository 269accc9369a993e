# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide followed as it is written: docs/guide/README.md and docs/guide/presets.md, step by step, on the real program.

With KG_GUIDE_PICTURES the pictures of the guide are taken on the way, into the folder that it names."""
import json
import os
import subprocess
import tempfile

from support import GRAPHS, NODE_HEAD, NODE_ROW, NODE_WIDTH, WindowTest, main, tearDownModule, wait_for  # noqa: F401

KINEO = os.environ['KINEO']
PICTURES = os.environ.get('KG_GUIDE_PICTURES')

SCREEN_WIDTH = 1400
# Heads of nodes that make geometry and pictures, handles in the viewport, the second of three curves.
GEOMETRY, IMAGE, HANDLE, SECOND_CURVE = (18, 138, 110), (162, 73, 64), (255, 168, 40), (76, 174, 71)
# Where things are in the window.
NEW_GRAPH, CANVAS_TAB, CURVES_TAB, FREE, FRAME = (100, 175), (45, 396), (113, 396), (507, 435), (215, 772)
GRAPH_TITLE, LAST_FRAME = (1150, 140), (1150, 214)
FIRST_ROW, ROW, FIELD, KEY_BUTTON = 174, 29, 1060, 1208
# In the window without anything to point at, and on the canvas of a graph of four nodes.
NOWHERE, FREE_CANVAS = (1100, 620), (455, 470)


class Guide(WindowTest):
    waits_for_evaluation = True  # handles are where it says

    def setUp(self):
        super().setUp()
        self.environment['KINEOGRAPH_PRESET_PATH'] = ''
        if PICTURES:
            # What is round or has a shadow is black behind it where windows cannot be seen through.
            self.write('config/gtk-4.0/gtk.css', 'popover > contents { box-shadow: none; border-radius: 0; }\n'
                       'popover > arrow { background: none; border: none; min-width: 0; min-height: 0; }\n')
            home = os.path.join(tempfile.gettempdir(), 'films')
            if not os.path.lexists(home):
                os.symlink(self.folder, home)
                self.addCleanup(os.unlink, home)
                self.environment.update(HOME=home, PWD=home)

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

    def screen(self):
        return subprocess.run(['import', '-window', 'root', '-depth', '8', 'rgb:-'], env=self.environment, check=True,
                              stdout=subprocess.PIPE).stdout

    def heads_now(self, color):
        """Left, top, right and bottom of the heads of nodes of that colour."""
        dump, found, boxes = self.screen(), set(), []
        at = dump.find(bytes(color))
        while at >= 0:
            if at % 3 == 0:
                found.add((at // 3 % SCREEN_WIDTH, at // 3 // SCREEN_WIDTH))
            at = dump.find(bytes(color), at + 1)
        while found:
            area, edge = [], [found.pop()]
            while edge:
                x, y = edge.pop()
                area.append((x, y))
                for near in ((x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1)):
                    if near in found:
                        found.remove(near)
                        edge.append(near)
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
        self.key('ctrl+s', pause=0.5)
        self.wait_for_title('Save Graph')
        self.key('Return')
        self.wait_for_title('Bounce')
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


def encode(x):
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055


main()
