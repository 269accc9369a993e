# SPDX-License-Identifier: GPL-3.0-or-later
"""The session as a script, and scripts on the graph (30-121)."""
import json
import os
import subprocess

from support import WindowTest, main, tearDownModule, wait_for  # noqa: F401

START = {'kineograph': 1, 'nodes': {'a': {'type': 'value/number', 'at': [0, 0], 'inputs': {'value': 3}}}}


class Script(WindowTest):
    def open(self):
        self.write('graph.json', START)
        self.start('graph.json')
        self.wait_for_title('graph.json')
        self.over_canvas()

    def choose_from_menu(self, entry, dialog):
        self.choose('button', 'Menu', entry)
        self.wait_for_title(dialog)

    def test_session_makes_the_same_graph(self):
        """Catalogue 20-083: the log of a session is a script that makes the graph that was saved, byte for byte."""
        self.open()
        self.add('value/random')
        self.add('geometry/circle')
        self.key('ctrl+z')
        self.add('value/math')
        self.key('ctrl+s')
        self.wait_for_title('graph.json')
        self.choose_from_menu('Save Session as Script…', 'Save Session as Script')
        self.key('ctrl+a')
        self.type(self.path('session.kgs'))
        self.key('Return')
        wait_for(lambda: os.path.exists(self.path('session.kgs')), 'the script')
        with open(self.path('session.kgs'), encoding='utf-8') as script:
            lines = script.read().splitlines()
        self.assertEqual(lines[0], 'kineograph 1')
        self.assertIn('undo', lines)
        made = subprocess.run([os.environ['KINEO'], 'run', self.path('session.kgs')], capture_output=True, check=True)
        with open(self.path('graph.json'), 'rb') as saved:
            self.assertEqual(made.stdout, saved.read())

    def test_run_a_script(self):
        self.open()
        self.write('more.kgs', 'set a.value 8\nadd value/number b\n')
        self.choose_from_menu('Run Script…', 'Run Script')
        self.type(self.path('more.kgs'))
        self.key('Return')
        self.wait_for_title('• graph.json')
        self.key('ctrl+s')
        wait_for(lambda: self.read('graph.json')['nodes']['a']['inputs']['value'] == 8, 'the edit')
        self.assertEqual(list(self.read('graph.json')['nodes']), ['a', 'b'])
        # One step of undo for all of it.
        self.key('ctrl+z')
        self.key('ctrl+s')
        wait_for(lambda: list(self.read('graph.json')['nodes']) == ['a'], 'the undo')
        self.assertEqual(self.read('graph.json')['nodes']['a']['inputs']['value'], 3)


if __name__ == '__main__':
    main()
