# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene view: everything in space, looked at from anywhere, beside the image that is made of it."""
import zlib

from support import SCREEN_WIDTH, WindowTest, main, tearDownModule  # noqa: F401

NODES = {
    'ball': {'type': 'geometry/sphere', 'at': [-400, 0]},
    'box': {'type': 'geometry/box', 'at': [-400, 300], 'inputs': {'size': [3, 0.2, 3]}},
    'object': {'type': 'render/object', 'at': [-200, 0], 'inputs': {'geometry': {'link': 'ball.geometry'}}},
    'eye': {'type': 'render/camera', 'at': [0, 200], 'inputs': {'position': [0, 1, 8], 'target': [0, 0, 0]}},
    'scene': {'type': 'render/scene', 'at': [200, 0],
              'inputs': {'scenes': [{'link': 'object.scene'}, {'link': 'eye.scene'}], 'width': 320, 'height': 180}},
}


class SceneView(WindowTest):
    waits_for_evaluation = True

    def open(self, display='scene.image', select=(0, 200)):
        self.write('graph.json', {'kineograph': 1, 'nodes': NODES, 'display': display})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head(select))
        self.settle()

    def pixels(self):
        """What the viewport shows, without its menu and what stands at its bottom."""
        x, y, width, height = self.find('img', 'Viewport').place
        dump = self.screen()
        starts = [3 * (SCREEN_WIDTH * line + x + 10) for line in range(y + 10, y + height - 35)]
        return b''.join(dump[start:start + 3 * (width - 100)] for start in starts)

    def viewport(self):
        """A number for what the viewport shows."""
        return zlib.crc32(self.pixels())

    def focus(self):
        x, y = self.find('img', 'Viewport').at(0.1, 0.9)
        self.click(x, y)
        self.settle()

    def description(self):
        return self.find('img', 'Viewport').description

    def nodes(self):
        return self.save('graph.json')['nodes']

    def test_image_and_scene(self):
        """S turns the image into the scene with its camera, and back; B shows both."""
        self.open()
        pixels, image = self.pixels(), self.viewport()
        self.assertIn('Image', self.description())
        self.focus()
        self.key('s')
        self.settle()
        self.assertIn('Scene view', self.description())
        scene = self.viewport()
        self.assertNotEqual(scene, image)
        self.key('b')
        self.settle()
        self.assertNotIn(self.viewport(), (image, scene))
        self.key('b', 's')
        self.settle()
        self.assertIn('Image', self.description())
        # GTK scales what has to be drawn again, and where that begins it may round one row of pixels differently.
        self.assertLessEqual(max(abs(a - b) for a, b in zip(pixels, self.pixels(), strict=True)), 1)

    def test_turned_and_back(self):
        """After the view has been turned as far as it goes and back the picture is the same, and no draft."""
        self.open()
        self.focus()
        self.key('s', 'f')
        self.settle()
        before = self.viewport()
        x, y = self.find('img', 'Viewport').at(0.2, 0.8)
        self.drag(x, y, x + 80, y)
        self.settle()
        turned = self.viewport()
        self.assertNotEqual(turned, before)
        self.drag(x + 80, y, x, y)
        self.settle()
        self.assertEqual(self.viewport(), before)

    def test_flags(self):
        """Nodes are shown in addition to the displayed one, as they are or as wires; this can be undone."""
        self.open('ball.geometry', (-400, 300))
        only = self.viewport()
        self.key('shift+d')
        self.settle()
        self.assertEqual(self.nodes()['box'].get('stage'), 'shown')
        shown = self.viewport()
        self.assertNotEqual(shown, only)
        self.key('shift+t')
        self.settle()
        self.assertEqual(self.nodes()['box'].get('stage'), 'template')
        template = self.viewport()
        self.assertNotIn(template, (only, shown))
        self.key('ctrl+z')
        self.settle()
        self.assertEqual(self.viewport(), shown)
        self.key('shift+d')
        self.settle()
        self.assertNotIn('stage', self.nodes()['box'])
        self.assertEqual(self.viewport(), only)

    def test_number_has_no_place(self):
        """A node without content in space reports that."""
        nodes = dict(NODES, one={'type': 'value/number', 'at': [0, 400]})
        self.write('graph.json', {'kineograph': 1, 'nodes': nodes, 'display': 'ball.geometry'})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((0, 400)))
        self.key('shift+d')
        self.settle()
        self.find('label', 'one has nothing for the scene view*', seconds=10)
        self.assertNotIn('stage', self.nodes()['one'])

    def test_camera_follows(self):
        """Looked through and locked, the camera goes where the view goes, in one step of undo; unlocked it stays."""
        self.open()
        self.focus()
        self.key('s', '1')
        self.find('label', 'Scene view, 2 things  ·  Front view  ·  *')
        self.key('c')
        self.find('label', 'Scene view, 2 things  ·  Camera eye  ·  *')
        self.key('l')
        self.find('label', 'Scene view, 2 things  ·  Camera eye, locked to the view  ·  *')
        self.settle()
        x, y = self.find('img', 'Viewport').at(0.3, 0.6)
        self.drag(x, y, x + 60, y + 20)
        self.settle()
        moved = self.nodes()['eye']['inputs']
        self.assertNotEqual(moved['position'], [0, 1, 8])
        self.assertEqual(moved['target'], [0, 0, 0])
        self.assertAlmostEqual(sum(c * c for c in moved['position']), 65, delta=0.5)
        self.key('ctrl+z')
        self.assertEqual(self.nodes()['eye']['inputs'], NODES['eye']['inputs'])
        self.key('l')
        self.drag(x, y, x + 60, y + 20)
        self.settle()
        self.assertEqual(self.nodes()['eye']['inputs'], NODES['eye']['inputs'])

    def test_place_camera(self):
        """V puts the camera where the view is."""
        self.open()
        self.focus()
        self.key('s', '3', 'v')
        self.settle()
        position = self.nodes()['eye']['inputs']['position']
        self.assertGreater(position[0], 1)
        self.assertAlmostEqual(position[2], 0, delta=0.01)

    def test_axis_views(self):
        """From opposite sides a ball looks the same; turned, the view has its perspective back."""
        self.open('ball.geometry', (0, 200))
        self.focus()
        self.key('g', '1')
        self.settle()
        front = self.viewport()
        self.key('2')
        self.settle()
        back = self.viewport()
        self.key('5')
        self.settle()
        self.assertNotEqual(self.viewport(), back)
        self.key('1')
        self.settle()
        self.assertEqual(self.viewport(), front)

    def test_menu(self):
        """What keys do the menu does, and it lists the cameras."""
        self.open()
        self.choose('button', 'Display options of the viewport', 'Scene View')
        self.key('Escape')
        self.settle()
        self.assertIn('Scene view', self.description())


if __name__ == '__main__':
    main()
