# SPDX-License-Identifier: GPL-3.0-or-later
"""graphs/hello.json made from nothing with keyboard and pointer, then taken back and made again."""
import json
import os
import subprocess

from support import GRAPHS, WindowTest, main, tearDownModule  # noqa: F401

KINEO = os.environ['KINEO']

# What is added where, and its links: (node, output row, node, input row below its outputs).  Dropped on the head of a
# node, a link finds the input itself.
PLACES = {
    'about': ('graph/note', (40, -160)),
    'timing': ('motion/ease', (40, 40)),
    'path': ('curve/spline', (40, 200)),
    'place': ('curve/evaluate', (280, -60)),
    'disc': ('geometry/circle', (280, 350)),
    'ball': ('geometry/color', (480, 320)),
    'moved': ('geometry/transform', (680, 220)),
    'trail': ('geometry/trail', (880, 220)),
    'rail': ('geometry/color', (480, 120)),
    'picture': ('render/draw', (1080, 200)),
}
LINKS = [
    ('path', 0, 'place', 0), ('timing', 0, 'place', 1), ('disc', 0, 'ball', 0), ('ball', 0, 'moved', 0),
    ('place', 0, 'moved', None), ('moved', 0, 'trail', 0), ('path', 0, 'rail', 0),
    ('rail', 0, 'picture', 0), ('trail', 0, 'picture', 1),
]
# Choices are made with the arrow keys.
VALUES = {
    'timing': [('k1', '0.3'), ('k2', '0.7')],
    'path': [('points', '-2.6 -0.9\n-1.4 1.1\n0 -0.9\n1.4 1.1\n2.6 -0.9')],
    'disc': [('radius', '22 / 100')],
    'ball': [('color', '#ff6a1f')],
    'trail': [('length', '8'), ('step', '0.5')],
    'rail': [('color', '#4a5878'), ('width', '0.03 m')],
    'picture': [('view_height', '3.6'), ('background', '#10131c'), ('width', '640'), ('height', '360')],
    'about': [('text', 'The ease gives the progress at each frame.\n'
                       'The curve turns it into a position. The trail shows where the ball was.')],
}


def decode(x):
    return x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4


def plain(value):
    """Colours are written with their numbers; a text that is one means the same."""
    if isinstance(value, str) and len(value) == 7 and value[0] == '#':
        value = [decode(int(value[i:i + 2], 16) / 255) for i in (1, 3, 5)] + [1]
    if isinstance(value, list):
        return [plain(item) for item in value]
    return round(value, 9) if isinstance(value, (int, float)) else value


def essence(graph, types):
    """A graph without the places of its nodes, and without inputs that only say the default."""
    found = {}
    for name, node in graph['nodes'].items():
        defaults = {slot['name']: plain(slot.get('default')) for slot in types[node['type']]['inputs']}
        inputs = {key: plain(value) for key, value in node.get('inputs', {}).items()}
        found[name] = node['type'], {key: value for key, value in inputs.items() if value != defaults[key]}
    return found


class Build(WindowTest):
    def pixels(self, name):
        return subprocess.run([KINEO, 'render', name, '--frames', '20-20', '--progress', 'none', '-o', '-'], check=True,
                              cwd=self.folder, stdout=subprocess.PIPE, env=self.environment).stdout

    def choose(self, types, kind, search, nick):
        """Opens the list of an input of the selected node and goes to a choice, step by step."""
        slot = next(slot for slot in types[kind]['inputs'] if slot['name'] == search)
        self.find_input(search)
        self.key('space')
        self.key('Home', *['Down'] * slot['choices'].index(nick), 'Return')

    def find_view_of_nothing(self):
        """The view of an empty canvas, from two nodes that are removed again."""
        for across, down in ((0.1, 0.2), (0.9, 0.9)):
            self.over_canvas(across, down)
            self.add('value/random')
        self.save('mine.json')
        self.find_view('mine.json')
        self.key('ctrl+z', 'ctrl+z')
        self.save('mine.json', lambda graph: not graph['nodes'])

    def rename(self, name):
        self.key('F2')
        self.key('ctrl+a')
        self.type(name)
        self.key('Return')

    def test_hello_from_nothing(self):
        listed = subprocess.run([KINEO, 'nodes', '--json'], check=True, stdout=subprocess.PIPE).stdout.decode()
        types = {entry['id']: entry for entry in json.loads(listed)}
        self.write('mine.json', '{ "kineograph": 1, "nodes": {} }')
        self.start('mine.json')
        empty = self.save('mine.json')
        self.key('ctrl+minus', 'ctrl+minus', 'ctrl+minus')
        x, y = self.canvas().middle
        self.drag(x, y, x - 260, y, button=2)
        self.find_view_of_nothing()
        for name, (kind, at) in PLACES.items():
            with self.subTest(add=name):
                self.point(*self.at(at[0], at[1] + 12))
                self.add(kind)
                self.rename(name)
        graph = self.save('mine.json')
        self.assertEqual({name: node['type'] for name, node in graph['nodes'].items()},
                         {name: kind for name, (kind, _) in PLACES.items()})
        at = {name: node['at'] for name, node in graph['nodes'].items()}
        for start, row, end, to in LINKS:
            outputs = len(types[PLACES[end][0]]['outputs'])
            target = self.head(at[end]) if to is None else self.slot(at[end], outputs + to)
            self.drag(*self.slot(at[start], row, True), *target)
        for name, values in VALUES.items():
            for key, value in values:
                (self.set_rows if key == 'points' else self.set_input)(at[name], key, value)
        self.click(*self.head(at['timing']))
        self.choose(types, 'motion/ease', 'shape', 'sine-linear')
        self.click(*self.head(at['path']))
        self.choose(types, 'curve/spline', 'basis', 'catmull-rom')
        self.click(*self.head(at['picture']))
        self.key('d')
        # Nothing selected: the inspector is about the graph.
        self.key('ctrl+shift+a', 'Return')
        self.type('Hello')
        self.key('Tab', 'Tab')
        self.type('48')
        self.key('Tab')
        graph = self.save('mine.json')
        with open(os.path.join(GRAPHS, 'hello.json'), encoding='utf-8') as f:
            self.write('hello.json', f.read())
        hello = self.read('hello.json')
        self.assertEqual(essence(graph, types), essence(hello, types))
        self.assertEqual(graph['display'], hello['display'])
        self.assertEqual(graph['title'], hello['title'])
        self.assertEqual(graph['frames'], hello['frames'])
        self.assertEqual(self.pixels('mine.json'), self.pixels('hello.json'))
        self.undo_and_redo(empty, graph)

    def undo_and_redo(self, empty, graph):
        """All the way back to nothing, further than there is anything, and all the way on again."""
        self.do('key', '--delay', '10', *['ctrl+z'] * 90)
        self.settle()
        self.assertEqual(self.save('mine.json'), empty)
        self.do('key', '--delay', '10', *['ctrl+shift+z'] * 90)
        self.settle()
        self.assertEqual(self.save('mine.json'), graph)


main()
