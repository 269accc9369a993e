# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/guide/composite.md followed as it is written: from an empty canvas to a keyed figure before a tracked insert."""
import os
import subprocess

from guide import KINEO, PICTURES, GuideTest
from support import GRAPHS, SCREEN_WIDTH, main, read_rows, tearDownModule, wait_for  # noqa: F401

# How the films are made: an example graph, what of it, size, frames.
FILMS = {
    'actor.mp4': ('green_screen', ['film.image'], '640x360', '1-24'),
    'wall.mp4': ('tracked_card', ['shot.transformed'], '640x360', '1-24'),
    'bounce.mp4': ('hello', [], '320x180', '1-24'),
}
# Of the card in the first frame, clockwise from the upper left.
CORNERS = '-0.9 0.7\n0.765 0.48\n0.77 -0.46\n-0.73 -0.475'
MATTE = '-150 -185\n150 -185\n150 175\n-150 175'

KINDS = {'keyer1': 'keyer', 'roto1': 'roto', 'track1': 'track', 'stabilize1': 'stabilize', 'merge1': 'merge',
         'grade1': 'grade', 'merge2': 'merge', 'grain1': 'grain'}
LINKS = {
    'roto1': {'like': 'movie3.image'},
    'keyer1': {'image': 'movie3.image', 'drop': 'roto1.image'},
    'track1': {'image': 'movie1.image'},
    'stabilize1': {'image': 'movie2.image', 'points': 'track1.tracks', 'frame': 'movie1.image'},
    'merge1': {'image': 'movie1.image', 'foreground': 'stabilize1.stabilized'},
    'grade1': {'image': 'keyer1.result'},
    'merge2': {'image': 'merge1.result', 'foreground': 'grade1.result'},
    'grain1': {'image': 'merge2.result'},
}
# In the viewport.
HANDLE = (255, 168, 40)


class Composite(GuideTest):
    # The window is there while it evaluates: only where the viewport is looked at, it has to be done.
    waits_for_evaluation = PICTURES is not None

    def make_films(self):
        for name, (graph, what, size, frames) in FILMS.items():
            self.kineo('render', os.path.join(GRAPHS, graph + '.json'), *what, '--size', size, '--frames', frames,
                       '--progress', 'none', '-o', name)

    def node(self, name):
        """Until they are laid out, nodes stay where they are."""
        if name not in self.nodes:
            self.nodes[name] = super().node(name)
        return self.nodes[name]

    def add_at(self, x, y, words):
        """At an empty place of the canvas."""
        self.click(*self.on_canvas(x, y))
        self.add(words)

    def draw_link(self, start, row, x, y, words):
        """From an output to an empty place, where what takes it is searched for."""
        self.drag(*self.node_slot(start, row, True), *self.on_canvas(x, y))
        self.type(words)
        self.key('Return')

    def link(self, start, row, end, to=None):
        """From an output to an input, or over the head of a node to the first that fits."""
        self.drag(*self.node_slot(start, row, True), *(self.node_head(end) if to is None else self.node_slot(end, to)))

    def set_number(self, node, search, *values):
        self.select(node)
        self.find_input(search)
        for i, value in enumerate(values):
            if i > 0:
                self.key('Tab')
            self.key('ctrl+a')
            self.type(value)
        self.key('Return')

    def set_choice(self, node, search, steps):
        self.select(node)
        self.find_input(search)
        self.key('space', 'Home', *['Down'] * steps, 'Return')

    def set_color(self, node, label, value):
        self.select(node)
        self.press('text-box', label)
        self.key('ctrl+a')
        self.type(value + '\n')

    def set_table(self, node, text):
        self.select(node)
        self.find_input('points')
        self.press('button', 'Edit as text')
        self.key('ctrl+a')
        self.type(text)
        self.key('Tab')

    def select(self, name):
        self.click(*self.node_head(name))

    def show(self, name):
        self.select(name)
        self.key('d')

    def test_composite_in_fifteen_minutes(self):
        # 1. The movies.
        self.make_films()
        self.nodes = {}
        self.begin()
        self.press('button', 'New Graph')
        self.wait_for_title('Untitled')
        self.press('text-box', 'Title')
        self.type('Composite')
        self.press('spin-button', 'Last frame')
        self.type('24\n')
        self.wait_for_title('• Composite')
        self.save_as_proposed('Composite')
        self.read_films()
        self.pull_key()
        self.track_card()
        self.merge()
        self.check()
        self.render()

    def read_films(self):
        # 2. Read them.
        self.click(*self.on_canvas(450, 180))
        self.key('ctrl+minus', 'ctrl+minus')
        for i, (name, y) in enumerate((('wall.mp4', 15), ('bounce.mp4', 110), ('actor.mp4', 205))):
            self.add_at(20, y, 'movie')
            self.set_number(f'movie{i + 1}', 'file', name)
        self.key('d')
        self.look('composite-films')

    def pull_key(self):
        # 3. Pull the key.
        self.draw_link('movie3', 0, 320, 170, 'keyer')
        self.set_color('keyer1', 'Screen Colour', '#1fa03c')
        self.show('keyer1')
        self.look('composite-key')
        self.set_number('keyer1', 'black clip', '0.03')
        self.set_number('keyer1', 'white clip', '0.7')
        # 4. Throw out the garbage.
        self.add_at(165, 245, 'roto')
        self.link('movie3', 0, 'roto1')
        self.set_table('roto1', MATTE)
        self.set_choice('roto1', 'curve', 1)
        self.set_number('roto1', 'feather', '12')
        self.select('roto1')
        self.find_input('invert')
        self.key('space')
        self.link('roto1', 0, 'keyer1', 4)
        self.look('composite-garbage')

    def find_corner(self):
        """The upper left corner of the bright card in the viewport."""
        left, top, width, height = map(round, self.find('img', 'Viewport').place)
        dump, found = self.screen(), []
        for y in range(top + 30, top + height - 30):
            start = 3 * (SCREEN_WIDTH * y + left)
            line = dump[start:start + 3 * width]
            found += [(left + x, y) for x in range(100, width - 100) if min(line[3 * x:3 * x + 3]) > 150]
        x, y = min(found, key=sum)
        return x - 1, y - 1

    def track_card(self):
        # 5. Track the card.
        self.waits_for_evaluation = True
        self.show('movie1')
        corner = self.find_corner()
        self.draw_link('movie1', 0, 165, 15, 'tracker')
        self.set_table('track1', CORNERS)
        # The first of them lies far from its corner: the disc is dragged onto it.
        self.drag(*self.find_spots(HANDLE, 20)[0], *corner)
        self.look('composite-track')
        self.waits_for_evaluation = PICTURES is not None
        # 6. Put a film into it.
        self.draw_link('track1', 0, 320, 45, 'corner pin')
        self.set_choice('stabilize1', 'direction', 2)
        self.link('movie2', 0, 'stabilize1')
        self.link('movie1', 0, 'stabilize1', 4)
        self.draw_link('movie1', 0, 470, 15, 'merge')
        self.link('stabilize1', 0, 'merge1', 2)
        self.show('merge1')
        self.go_to_frame(16)
        self.look('composite-insert')

    def merge(self):
        # 7. Merge the figure.
        self.draw_link('keyer1', 0, 470, 190, 'grade')
        self.set_color('grade1', 'Gain', '#ffe0c8')
        self.draw_link('merge1', 0, 620, 110, 'merge')
        self.link('grade1', 0, 'merge2', 2)
        self.set_number('merge2', 'offset', '190', '-40')
        self.show('merge2')
        # 8. Grain.
        self.draw_link('merge2', 0, 770, 110, 'grain')
        self.set_number('grain1', 'mix', '40')
        self.show('grain1')
        self.key('l', 'a')
        self.look('composite')

    def check(self):
        graph = self.save('Composite.kineo.json')
        nodes = graph['nodes']
        self.assertEqual((graph['title'], graph['frames']['end'], graph['display']), ('Composite', 24, 'grain1.result'))
        self.assertEqual({name: node['type'].partition('/')[2] for name, node in nodes.items()},
                         dict(KINDS, **{f'movie{i}': 'movie' for i in (1, 2, 3)}))
        inputs = {name: node['inputs'] for name, node in nodes.items()}
        for name, links in LINKS.items():
            self.assertEqual({key: value['link'] for key, value in inputs[name].items() if isinstance(value, dict)}, links, name)
        roto, keyer = inputs['roto1'], inputs['keyer1']
        self.assertEqual([row[:2] for row in read_rows(roto['points'])], [[-150, -185], [150, -185], [150, 175], [-150, 175]])
        self.assertEqual((roto['curve'], roto['feather'], roto['invert']), ('polygon', 12, True))
        self.assertEqual((keyer['black_clip'], keyer['white_clip']), (0.03, 0.7))
        first = read_rows(inputs['track1']['points'])[0]
        self.assertAlmostEqual(first[0], -0.735, delta=0.02)
        self.assertAlmostEqual(first[1], 0.465, delta=0.02)
        self.assertEqual((inputs['stabilize1']['direction'], inputs['merge2']['offset'][:2], inputs['grain1']['mix']),
                         ('pin', [190, -40], 0.4))
        # In the last frame the film hides the sign, the figure stands in front of it, and the lamp nowhere.
        shot, sign, figure, lamp = [self.pixel(*place) for place in
                                    (('movie1', 250, 108), ('merge2', 250, 108), ('merge2', 510, 270), ('keyer1', 145, 250))]
        self.assertGreater(min(shot), 150)
        self.assertLess(max(sign[:3]), 60)
        self.assertGreater(min(figure), 90)
        self.assertEqual(lamp, (0, 0, 0, 0))

    def pixel(self, node, x, y):
        """Of its first output, in the last frame."""
        name = self.path(f'{node}.png')
        if not os.path.exists(name):
            with open(name, 'wb') as f:
                f.write(subprocess.run([KINEO, 'render', 'Composite.kineo.json', node, '--frames', '24', '--progress',
                                        'none', '-o', '-'], cwd=self.folder, env=self.environment, check=True,
                                       stdout=subprocess.PIPE).stdout)
        return tuple(subprocess.run(['convert', name, '-crop', f'1x1+{x}+{y}', '-depth', '8', 'rgba:-'], check=True,
                                    stdout=subprocess.PIPE).stdout)

    def render(self):
        # 9. Play and render.
        self.play()
        self.stop()
        self.key('F12')
        self.wait_for_title('Render')
        self.press('button', 'Render')
        self.find('label', 'Done: *', seconds=600)
        self.key('Escape')
        self.wait_for_title('Composite')
        self.kineo('render', 'Composite.kineo.json', '-o', 'terminal.mp4', '--progress', 'none')
        with open(self.path('Composite.mp4'), 'rb') as window, open(self.path('terminal.mp4'), 'rb') as terminal:
            self.assertEqual(window.read(), terminal.read())


main()
