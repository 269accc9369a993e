# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that are kept are made in the background, and played as they are."""
import zlib

from support import SCREEN_WIDTH, WindowTest, main, tearDownModule, wait_for  # noqa: F401

NODES = {
    'ring': {'type': 'geometry/circle', 'at': [0, 0], 'inputs': {'radius': {'expr': '0.3 + 0.1*frame'}}},
    'out': {'type': 'render/draw', 'at': [300, 0], 'inputs': {'geometries': [{'link': 'ring.geometry'}]}},
}


class Playback(WindowTest):
    waits_for_evaluation = True

    def open(self):
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 12, 'rate': 24}, 'nodes': NODES,
                                  'display': 'out.image'})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((0, 0)))

    def rows(self, x, y, width, height):
        dump = self.screen()
        return b''.join(dump[3 * (SCREEN_WIDTH * line + x):3 * (SCREEN_WIDTH * line + x + width)]
                        for line in range(y, y + height))

    def viewport(self):
        x, y, width, height = self.find('img', 'Viewport').place
        return zlib.crc32(self.rows(x + 10, y + 10, width - 100, height - 45))

    def ready(self):
        """How much of the ruler the bar covers that tells what is there."""
        x, y, width, height = self.find('slider', 'Frames').place
        pixels = self.rows(x, y + height - 3, width, 1)
        return sum(g > r + 30 and g > b + 15 for r, g, b in zip(pixels[::3], pixels[1::3], pixels[2::3])) / width

    def keep(self, size):
        self.press('toggle-button', '1–12') if self.find_all('toggle-button', '1–12') else self.press('button', '1–12')
        self.settle()
        self.choose('combo-box', 'Keep frames', size)
        self.key('Escape')
        self.settle()

    def go(self, frame):
        self.press('spin-button', 'Frame')
        self.type(f'{frame}\n')
        self.settle()

    def test_filled_in(self):
        """All frames are there after a while; what is shown of them when nothing plays is exact."""
        self.open()
        self.go(7)
        exact = self.viewport()
        self.assertLess(self.ready(), 0.5)
        self.keep('Quarter size')
        wait_for(lambda: self.ready() > 0.9, 'all frames to be there')
        self.go(1)
        self.assertNotEqual(self.viewport(), exact)
        self.click(*self.head((0, 0)))
        self.play(1.5)
        self.stop()
        self.settle()
        self.go(7)
        self.assertEqual(self.viewport(), exact)

    def test_changed(self):
        """What depends on what was changed is made again; undone, it is there at once."""
        self.open()
        self.keep('Full size')
        wait_for(lambda: self.ready() > 0.9, 'all frames to be there')
        before = self.viewport()
        self.click(*self.head((0, 0)))
        self.key('b')
        self.settle()
        self.assertNotEqual(self.viewport(), before)
        self.key('ctrl+z')
        self.settle()
        self.assertEqual(self.viewport(), before)
        self.assertGreater(self.ready(), 0.9)


if __name__ == '__main__':
    main()
