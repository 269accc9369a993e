# SPDX-License-Identifier: GPL-3.0-or-later
"""A graph that names files outside its folder: they are read when the user says so, and for as long as it is open."""
import os

from support import WindowTest, main, tearDownModule  # noqa: F401

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


main()
