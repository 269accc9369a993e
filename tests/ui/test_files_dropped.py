# SPDX-License-Identifier: GPL-3.0-or-later
"""Files dragged from another program (programs/drag-source.c) onto the canvas, the window and the welcome page."""
import os
import subprocess
import time

from support import GRAPHS, WindowTest, activity, main, tearDownModule, wait_for  # noqa: F401

EMPTY = '{ "kineograph": 1, "nodes": {} }'
TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
PRESET = os.path.join(GRAPHS, os.pardir, 'data', 'presets', 'bouncing_ball.preset.json')


class Dropped(WindowTest):
    def offer(self, *names):
        """A window in the corner that files are dragged from."""
        source = subprocess.Popen([os.environ['KG_PROGRAMS'] + 'drag-source', *names], cwd=self.folder,
                                  env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.source = source.pid
        self.addCleanup(source.wait)
        self.addCleanup(source.kill)
        window = wait_for(lambda: self.do('search', '--onlyvisible', '--name', '^drag-source$').split(), 'the source')[0]
        self.do('windowmove', window, 1250, 0, 'windowraise', window)

        def place():
            values = dict(line.split('=') for line in self.do('getwindowgeometry', '--shell', window).split())
            return [int(values[key]) for key in ('X', 'Y', 'WIDTH', 'HEIGHT')]

        wait_for(lambda: place()[0] > 1200, 'it to move')
        self.settle()
        x, y, width, height = place()
        return x + width / 2, y + height / 2

    def drop(self, start, x, y):
        """Slowly: the two programs exchange messages at each step, and either may have to wait for the processor."""
        self.point(*start)
        self.do('mousedown', 1)
        self.settle_both()
        for i in range(1, 21):
            self.point(start[0] + (x - start[0]) * i / 20, start[1] + (y - start[1]) * i / 20)
            self.settle_both()
        wait_for(lambda: any(widget.takes_drop for widget in self.look_around()), 'a widget that takes the drop')
        self.point(x + 2, y + 2)
        self.settle_both()
        self.let_go()

    def settle_both(self):
        """Until neither program has an answer to give to the other."""
        end = time.monotonic() + 10
        for _ in range(3):
            while activity(self.source, self.source)[0] == 'R' and time.monotonic() < end:
                time.sleep(0.001)
            self.settle()

    def open(self):
        self.write('graph.json', EMPTY)
        self.start('graph.json')
        self.wait_for_title('graph.json')

    def saved(self):
        """After a click on the bar of titles, since the source has the keyboard."""
        self.press('label', '• graph.json', inside=self.window('• graph.json'))
        return sorted((node['type'], node.get('inputs', {}).get('path')) for node in
                      self.save('graph.json')['nodes'].values())

    def test_on_canvas(self):
        self.write('triangle.obj', TRIANGLE)
        self.write('film.mp4', b'')
        subprocess.run(['convert', '-size', '4x4', 'xc:red', self.path('red.png')], check=True)
        self.write('notes.txt', 'nothing to see')
        self.open()
        start = self.offer('triangle.obj', 'red.png', 'film.mp4', 'notes.txt', PRESET)
        self.drop(start, *self.find('list-box', 'Canvas*').at(0.4, 0.6))
        kinds = self.saved()
        self.assertEqual([kind for kind in kinds if kind[1] is not None],
                         [('geometry/import', 'triangle.obj'), ('image/import', 'red.png'),
                          ('image/movie', 'film.mp4')])
        self.assertEqual(len(kinds), 4)
        self.assertIn('bouncing_ball', [kind for kind, path in kinds if path is None][0])

    def test_on_another_pane(self):
        self.write('triangle.obj', TRIANGLE)
        self.open()
        start = self.offer('triangle.obj')
        self.drop(start, *self.find('img', 'Viewport').at(0.4, 0.5))
        self.assertEqual(self.saved(), [('geometry/import', 'triangle.obj')])

    def test_graph(self):
        self.write('other.json', '{ "kineograph": 1, "nodes": { "a": { "type": "value/number" } } }')
        self.open()
        start = self.offer('other.json')
        self.drop(start, *self.find('list-box', 'Canvas*').at(0.4, 0.6))
        self.window('other.json')
        self.assertEqual(len(self.windows()), 2)
        self.assertEqual(self.read('graph.json')['nodes'], {})

    def test_on_welcome(self):
        self.write('other.json', EMPTY)
        self.start()
        start = self.offer('other.json')
        self.drop(start, *self.window('Kineograph').middle)
        self.window('other.json')
        self.assertEqual(len(self.windows()), 1)


main()
