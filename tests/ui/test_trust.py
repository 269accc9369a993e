# SPDX-License-Identifier: GPL-3.0-or-later
"""A graph that names files outside its folder: they are read if the user allows it, and while the graph is open."""
import os

from support import WindowTest, main, tearDownModule, wait_for  # noqa: F401

QUESTION = 'Let “g.json” read files outside its folder?'


class Trust(WindowTest):
    waits_for_evaluation = True

    def setUp(self):
        super().setUp()
        os.mkdir(self.path('graph'))
        os.mkdir(self.path('other'))
        for folder in ('graph', 'other'):
            self.write(f'{folder}/t.csv', 't,x\n0,1\n1,2\n')

    def open(self, path):
        self.write('graph/g.json', {'kineograph': 1, 'nodes': {
            'i': {'type': 'motion/import', 'at': [0, 0], 'inputs': {'path': path}}}, 'display': 'i.motion'})
        self.start('graph/g.json')


class Questions(Trust):
    def test_refused(self):
        self.open('../other/t.csv')
        self.find('label', QUESTION)
        texts = [label.name for label in self.find_all('label')]
        self.assertTrue(any(text.endswith(self.path('other')) for text in texts), texts)
        self.press('button', 'Do Not Allow')
        self.wait_until_gone('label', QUESTION)
        self.settle()
        # Asked once, and not read.
        self.find('label', 'i: *')
        self.assertEqual(self.find_all('label', QUESTION), [])

    def test_allowed(self):
        self.open('../other/t.csv')
        self.press('button', 'Allow')
        self.wait_until_gone('label', QUESTION)
        self.wait_until_gone('label', 'i: *')

    def test_typed(self):
        """Who names a file means that it is read."""
        self.open('t.csv')
        self.wait_for_title('g.json')
        self.find_view('graph/g.json')
        self.set_input((0, 0), 'file', '../other/t.csv')
        self.settle()
        self.assertEqual(self.save('graph/g.json')['nodes']['i']['inputs']['path'], '../other/t.csv')
        self.assertEqual(self.find_all('label', QUESTION), [])
        self.assertEqual(self.find_all('label', 'i: *'), [])

    def test_own_folder(self):
        self.open('t.csv')
        self.wait_for_title('g.json')
        self.assertEqual(self.find_all('label', QUESTION), [])
        self.assertEqual(self.find_all('label', 'i: *'), [])


class Writing(WindowTest):
    waits_for_evaluation = True
    question = 'Let “g.json” write files outside its folder?'

    def render(self):
        os.mkdir(self.path('graph'))
        os.mkdir(self.path('other'))
        self.write('graph/g.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 2, 'rate': 24}, 'nodes': {
            'c': {'type': 'image/constant', 'inputs': {'width': 4, 'height': 4}},
            'f': {'type': 'render/file', 'inputs': {'image': {'link': 'c.image'}, 'path': '../other/%d.png'}}}})
        self.start('graph/g.json')
        self.wait_for_title('g.json')
        self.key('F12')
        self.wait_for_title('Render')
        self.press('button', 'Render')
        self.find('label', self.question)

    def test_refused(self):
        self.render()
        self.press('button', 'Do Not Allow')
        self.find('label', '1 of 1 files were not rendered: f: *')
        self.assertEqual(os.listdir(self.path('other')), [])
        # The remedy that the message names.
        self.press('button', 'Render')
        self.press('button', 'Allow')
        self.find('label', 'Done: 2 frames*')
        self.assertEqual(sorted(os.listdir(self.path('other'))), ['1.png', '2.png'])

    def test_allowed(self):
        self.render()
        self.press('button', 'Allow')
        self.find('label', 'Done: 2 frames*')
        # Not asked again.
        os.remove(self.path('other/1.png'))
        self.press('button', 'Render')
        wait_for(lambda: os.path.exists(self.path('other/1.png')), 'the image')


main()
