# SPDX-License-Identifier: GPL-3.0-or-later
"""The preset for filming miniature sets (catalogue 20-004), in numbers and pictures.
That it is complete, and that its example renders, is checked with all others by test_preset_library."""
import json
import math

from support import PresetTest, main, read_png


class Miniature(PresetTest):
    def write_graph(self, nodes, display='p.eye', rate=24):
        self.write('g.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 100, 'rate': rate}, 'nodes': nodes,
                              'display': display})

    def values(self, *outputs, frame=1, rate=24, nodes=(), **inputs):
        self.write_graph({'p': {'type': 'camera/miniature', 'inputs': inputs}, **dict(nodes)}, rate=rate)
        values = json.loads(self.good('eval', 'g.json', *('p.' + o for o in outputs), '--frame', str(frame)))['values']
        return [values['p.' + o] for o in outputs]

    def test_rate_and_eye(self):
        """20-004: 1:16 has to be shown four times slower, 1:12 needs 83.138 frames a second for 24; the eye of a person is 13 cm
        above the floor of a 1:12 set."""
        self.assertEqual(self.values('times', 'film_rate', scale=16), [4, 96])
        times, film_rate, eye = self.values('times', 'film_rate', 'eye', scale=12, stand=[1.2, 1.6, 6])
        self.assertAlmostEqual(times, 3.4641016, 7)
        self.assertAlmostEqual(film_rate, 83.138, 3)
        for a, b in zip(eye, (0.1, 0.1333333, 0.5)):
            self.assertAlmostEqual(a, b, 7)
        self.assertEqual(self.values('film_rate', scale=25, rate=30), [150])
        self.assertEqual(self.values('times', 'eye', scale=1, stand=[1, 2, 3]), [1, [1, 2, 3]])

    def test_blur(self):
        """20-004: the disc of confusion of a lens of 50 mm, 25 mm wide, focused at 2 m, of a point at 4 m."""
        lens = {'aperture': 0.025, 'focal': 0.05, 'focus': 2, 'thing': 4}
        full, = self.values('blur', scale=1, **lens)
        self.assertAlmostEqual(1000 * full, 0.3205128, 7)
        same_lens, = self.values('blur', scale=12, to_scale=False, **lens)
        self.assertAlmostEqual(1000 * same_lens, 5.3571429, 7)
        self.assertAlmostEqual(same_lens / full, 16.714286, 6)
        to_scale, = self.values('blur', scale=12, **lens)
        self.assertAlmostEqual(12000 * to_scale, 0.3205128, 7)
        # In focus there is none; without a focus of its own the target is sharp.
        self.assertEqual(self.values('blur', scale=12, **dict(lens, thing=2)), [0])
        self.assertEqual(self.values('blur', scale=12, stand=[0, 3, 4], subject=[0, 0, 0], **dict(lens, focus=0, thing=5)), [0])

    def test_lens_that_cannot_focus(self):
        """20-004: no lens has an image of what is within its focal length; a lens of full size comes that near in a small set."""
        for scale, focus in ((1, 0.05), (1, 0.03), (12, 0.6), (12, 0.5)):
            self.write_graph({'p': {'type': 'camera/miniature', 'inputs': {
                'scale': scale, 'focus': focus, 'to_scale': False, 'focal': 0.05}}})
            done = self.kineo('eval', 'g.json', 'p.blur')
            self.assertNotEqual(done.status, 0)
            self.assertIn('blur_node', done.err)
        self.values('blur', scale=12, focus=0.61, to_scale=False, focal=0.05)

    def test_falls_like_the_world(self):
        """20-004: what falls in the set with the gravity of the Earth is, slowed and as many times larger, a fall in full size."""
        for scale in (16, 12, 2.5, 0.25):
            start, velocity = (1, 20, -3), (2, 5, 0.5)
            thrown = {'law': 'throw', 'start': [x / scale for x in start], 'velocity': [x / math.sqrt(scale) for x in velocity]}
            for frame in (1, 2, 13, 40):
                found, = self.values('slowed', frame=frame, scale=scale, model={'link': 'law.place'},
                                     nodes={'law': {'type': 'motion/law', 'inputs': thrown}})
                t = (frame - 1) / 24
                for axis, x in enumerate(found):
                    self.assertAlmostEqual(scale * x, start[axis] + velocity[axis] * t - (9.81 * t * t / 2 if axis == 1 else 0), 6)
        # Numbers, geometries and scenes, too.
        self.assertEqual(self.values('slowed', frame=41, scale=16, model={'expr': 'frame'}), [11])

    def picture(self, scale, **inputs):
        size = [x / scale for x in (1, 3, 1)]
        self.write_graph({
            'box': {'type': 'geometry/box', 'inputs': {'size': size, 'center': [0, size[1] / 2, 0]}},
            'floor': {'type': 'geometry/grid', 'inputs': {'size': [8 / scale, 8 / scale, 0], 'columns': 8, 'rows': 8, 'plane': 'zx'}},
            'a': {'type': 'render/object', 'inputs': {'geometry': {'link': 'box.geometry'}, 'color': '#ff8800'}},
            'b': {'type': 'render/object', 'inputs': {'geometry': {'link': 'floor.geometry'}, 'wireframe': True}},
            'p': {'type': 'camera/miniature', 'inputs': {
                'scale': scale, 'stand': [0.4, 1.6, 6], 'subject': [0, 1.5, 0], 'aperture': 0.1, **inputs}},
            's': {'type': 'render/scene', 'inputs': {
                'scenes': [{'link': 'a.scene'}, {'link': 'b.scene'}, {'link': 'p.camera'}], 'width': 96, 'height': 64}}},
            's.image')
        self.good('render', 'g.json', '-o', 'p.png', '--frames', '1-1', '--progress', 'none')
        return [x for row in read_png(self.read('p.png')) for pixel in row for x in pixel]

    def test_same_picture(self):
        """20-004: all lengths of the set divided by n, and those of the lens, give the picture of full size; the lens of full size blurs
        it, as one n times as large would in the world."""
        full = self.picture(1)
        small = self.picture(16)
        toy = self.picture(16, to_scale=False)
        self.assertLessEqual(max(abs(x - y) for x, y in zip(full, small)), 2)
        self.assertGreater(max(abs(x - y) for x, y in zip(full, toy)), 60)
        large_lens = self.picture(1, aperture=1.6)
        self.assertLessEqual(max(abs(x - y) for x, y in zip(toy, large_lens)), 2)


if __name__ == '__main__':
    main()
