# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of GEGL in the window, where it was built with them."""
import os
import subprocess
import time

from support import WindowTest, main, tearDownModule  # noqa: F401

GRAPH = {'kineograph': 1, 'display': 'p.image', 'nodes': {
    'p': {'type': 'image/gradient', 'at': [0, 0], 'inputs': {'width': 320, 'height': 180}}}}


class Gegl(WindowTest):
    def setUp(self):
        super().setUp()
        del self.environment['GEGL_PATH']

    def test_found_and_added(self):
        """Read in the background; then found by the search, with inputs that can be set, and saved like any other node."""
        listed = subprocess.run([os.environ['KINEO'], 'nodes', 'gegl/newsprint'], check=False, capture_output=True)
        if listed.returncode != 0:
            self.skipTest('built without GEGL')
        self.write('graph.json', GRAPH)
        self.start('graph.json')
        self.find_view('graph.json')
        added = {}
        deadline = time.monotonic() + 60
        while not added and time.monotonic() < deadline:
            self.over_canvas()
            self.key('Tab')
            self.type('newsprint')
            self.key('Return', 'Escape')
            nodes = self.save('graph.json')['nodes']
            added = {name: node for name, node in nodes.items() if node['type'] == 'gegl/newsprint'}
        (name, node), = added.items()
        self.set_input(node['at'], 'Turbulence', '0.5')
        saved = self.save('graph.json')['nodes']
        self.assertEqual(saved[name]['inputs']['turbulence'], 0.5)
        self.assertEqual(len(saved), 2)


main()
