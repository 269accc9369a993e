# SPDX-License-Identifier: GPL-3.0-or-later
"""Large images in the viewport: only the part in sight is made, or all of them smaller."""
import re

from support import WindowTest, main, tearDownModule  # noqa: F401

# A quarter of the light, as sRGB, and twice and four times as much.
BEFORE, AFTER, BRIGHT = (137, 137, 137), (188, 188, 188), (255, 255, 255)


class LargeImages(WindowTest):
    waits_for_evaluation = True

    def open(self):
        """A blurred plate, exposed by the node at (0, 0)."""
        self.write('graph.json', {
            'kineograph': 1, 'frames': {'start': 1, 'end': 8, 'rate': 24}, 'display': 'expose.result', 'nodes': {
                'plate': {'type': 'image/constant', 'at': [-600, 0],
                          'inputs': {'width': 2400, 'height': 1800, 'color': [0.25, 0.25, 0.25, 1]}},
                'soft': {'type': 'image/blur', 'at': [-300, 0],
                         'inputs': {'image': {'link': 'plate.image'}, 'size': [3, 3, 0]}},
                'expose': {'type': 'image/exposure', 'at': [0, 0], 'inputs': {'image': {'link': 'soft.result'}}}}})
        self.start('graph.json')
        self.find_view('graph.json')
        self.settle()

    def status(self):
        return self.find('img', 'Viewport').description

    def count(self, color):
        return max((len(area) for area in self.find_areas(color)), default=0)

    def test_part(self):
        """What is edited while only a part is in sight is made there; all of it, when all of it is seen again."""
        self.open()
        self.assertIn('2400 × 1800', self.status())
        self.assertNotIn('Part', self.status())
        self.assertGreater(self.count(BEFORE), 10000)
        self.click(*self.find('img', 'Viewport').at(0.5, 0.5))
        self.key('0')
        self.settle()
        self.assertNotIn('Part', self.status())
        self.set_input((0, 0), 'Exposure', '1')
        self.settle()
        width, height = map(int, re.search('Part of (.*) × (.*)  ·', self.status()).groups())
        self.assertLess(width * height, 0.5 * 2400 * 1800)
        self.assertIn('2400 × 1800', self.status())
        self.assertGreater(self.count(AFTER), 10000)
        self.assertLess(self.count(BEFORE), 100)
        # To a side: what comes into sight is made as well.
        left, top = self.find('img', 'Viewport').at(0.2, 0.5)
        right, _ = self.find('img', 'Viewport').at(0.8, 0.5)
        all_of_it = self.count(AFTER)
        self.drag(right, top, left, top, button=2)
        self.settle()
        self.assertGreater(self.count(AFTER), 0.95 * all_of_it)
        self.assertIn('Part', self.status())
        self.click(*self.find('img', 'Viewport').at(0.5, 0.5))
        self.key('f')
        self.settle()
        self.assertNotIn('Part', self.status())
        self.assertGreater(self.count(AFTER), 10000)

    def test_proxy(self):
        """Smaller images stand where large ones do, and edits come back at full size."""
        self.open()
        before = self.count(BEFORE)
        self.choose('button', 'Display options of the viewport', 'Proxy Scale')
        self.press_choice('1/4')
        self.settle()
        self.assertIn('2400 × 1800', self.status())
        self.assertIn('Proxy 1/4', self.status())
        self.assertLess(abs(self.count(BEFORE) - before), 0.02 * before)
        self.set_input((0, 0), 'Exposure', '2')
        self.settle()
        self.assertLess(abs(self.count(BRIGHT) - before), 0.02 * before)
        self.choose('button', 'Display options of the viewport', 'Proxy Scale')
        self.press_choice('Full')
        self.settle()
        self.assertNotIn('Proxy', self.status())
        self.assertLess(abs(self.count(BRIGHT) - before), 0.02 * before)


if __name__ == '__main__':
    main()
