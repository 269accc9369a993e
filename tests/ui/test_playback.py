# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that are kept are made in the background, and played as they are."""
import os
import time
import unittest
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
        """Share of the ruler that the bar of cached frames covers."""
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
        """All frames are cached after a while; without playback they are shown exactly."""
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

    def test_picked_while_playing(self):
        """Picks from the frame itself, since kept frames have other colours."""
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 12, 'rate': 24}, 'nodes': {
            'flat': {'type': 'image/constant', 'at': [0, 0], 'inputs': {
                'width': 64, 'height': 36, 'color': [2, 0.3, 0.1, 1]}},
            'tint': {'type': 'geometry/color', 'at': [300, 0]}}, 'display': 'flat.image'})
        self.start('graph.json')
        self.find_view('graph.json')
        self.keep('Quarter size')
        wait_for(lambda: self.ready() > 0.9, 'all frames to be there')
        self.click(*self.head((300, 0)))
        self.play(1)
        self.press('button', 'Pick a colour from the viewport')
        self.assertIn('Click a pixel', self.find('img', 'Viewport').description)
        time.sleep(0.5)
        self.click(*self.find('img', 'Viewport').middle)
        self.stop()
        color = self.save('graph.json')['nodes']['tint']['inputs']['color']
        for x, y in zip(color, [2, 0.3, 0.1]):
            self.assertAlmostEqual(x, y, places=6)

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


class Simulation(WindowTest):
    # A simulation that takes much longer for a frame than is there for it.
    NODES = {'flock': {'type': 'sim/flock', 'at': [0, 0], 'inputs': {
        'count': 6000, 'search': 'all', 'start_shape': 'box', 'start_size': [40, 40, 40]}}}

    def frame(self):
        return int(self.find('slider', 'Frames').value.split()[-1])

    def viewport(self):
        x, y, width, height = self.find('img', 'Viewport').place
        dump = self.screen()
        return zlib.crc32(b''.join(dump[3 * (SCREEN_WIDTH * line + x + 10):3 * (SCREEN_WIDTH * line + x + width - 100)]
                                   for line in range(y + 10, y + height - 45)))

    def play_to(self, frame):
        """Until that frame is there; what was seen of the frames before, and how many pictures."""
        frames, pictures = [self.frame()], set()

        def is_there():
            frames.append(self.frame())
            pictures.add(self.viewport())
            return frames[-1] >= frame
        wait_for(is_there, f'frame {frame} to be played', 120)
        return frames, pictures

    def test_urge_dragged_while_a_flock_plays(self):
        """Frames of a simulation come one after the other; it goes on with an input that is dragged meanwhile, and begins
        again when that is released."""
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 240, 'rate': 24}, 'nodes': self.NODES,
                                  'display': 'flock.geometry'})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((0, 0)))
        self.find_input('separation_distance')
        left, top, _, height = self.focused().place
        x, y = left + 4, top + height / 2
        self.click(*self.head((0, 0)))
        self.play(0)
        frames, pictures = self.play_to(24)
        # To keep the rate, it would have left out more and more.
        self.assertLess(max(b - a for a, b in zip(frames, frames[1:])), 7, frames)
        self.assertGreater(len(pictures), 4)
        self.approach(x, y)
        self.do('mousedown', 1)
        seen = [self.frame()]
        for i in range(1, 13):
            self.do('mousemove', round(x + 6 * i), round(y), 'sleep', 0.05)
            seen.append(self.frame())
        frames, pictures = self.play_to(seen[-1] + 5)
        frames = seen + frames
        self.assertEqual(frames, sorted(frames))
        self.assertGreater(len(pictures), 1)
        self.do('mouseup', 1)
        wait_for(lambda: self.frame() < 6, 'the flock to begin again')
        self.play_to(8)
        self.click(*self.head((0, 0)))
        self.stop()
        inputs = self.save('graph.json')['nodes']['flock']['inputs']
        self.assertGreater(inputs['separation_distance'], 1.6)
        # The whole of it is one step.
        self.key('ctrl+z')
        self.assertNotIn('separation_distance', self.save('graph.json')['nodes']['flock']['inputs'])


class Sound(WindowTest):
    waits_for_evaluation = True

    def heard(self):
        """Which columns of the ruler, as shares of its width, are filled where a loud sound reaches; but for the first
        frame, where the mark of the time is."""
        x, y, width, _ = self.find('slider', 'Frames').place
        dump, line = self.screen(), y + 24
        row = dump[3 * (SCREEN_WIDTH * line + x):3 * (SCREEN_WIDTH * line + x + width)]
        return [i / width for i in range(width // 20, width)
                if row[3 * i + 1] > row[3 * i] + 15 and row[3 * i + 2] > row[3 * i] + 15]

    def test_waveform(self):
        """The sound of the graph is drawn behind the frames in which it is heard."""
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 49, 'rate': 24}, 'nodes': {
            'tone': {'type': 'sound/tone', 'at': [0, 0], 'inputs': {'amplitude': 0.9, 'start': 25, 'length': 0.5}},
            'o': {'type': 'sound/output', 'at': [300, 0], 'inputs': {'sound': {'link': 'tone.sound'}}},
            'p': {'type': 'image/constant', 'at': [0, 200]}}, 'display': 'p.image'})
        self.start('graph.json')
        self.find_view('graph.json')
        wait_for(lambda: len(self.heard()) > 50, 'the sound to be drawn')
        columns = self.heard()
        # From the middle of the ruler on, for a quarter of its width.
        self.assertAlmostEqual(columns[0], 0.5, delta=0.01)
        self.assertAlmostEqual(columns[-1], 0.75, delta=0.01)
        # A mute output is not heard.
        self.click(*self.head((300, 0)))
        self.key('b')
        wait_for(lambda: len(self.heard()) < 5, 'the sound to be gone')

    def volume(self):
        return self.find_all('button', 'Volume') + self.find_all('toggle-button', 'Volume')

    @unittest.skipUnless(os.environ.get('KG_SOUND'), 'a program without sound')
    def test_volume(self):
        """The button for the volume is there as long as there is something to hear; playing goes on where there is no
        server, and the button says why nothing is heard."""
        self.write('graph.json', {'kineograph': 1, 'frames': {'start': 1, 'end': 10, 'rate': 24}, 'nodes': {
            'tone': {'type': 'sound/tone', 'at': [0, 0], 'inputs': {'length': 1}},
            'o': {'type': 'sound/output', 'at': [300, 0], 'inputs': {'sound': {'link': 'tone.sound'}}, 'bypass': True},
            'p': {'type': 'image/constant', 'at': [0, 200]}}, 'display': 'p.image'})
        self.start('graph.json')
        self.find_view('graph.json')
        self.click(*self.head((300, 0)))
        self.assertEqual(self.volume(), [])
        self.key('b')
        wait_for(self.volume, 'the button')
        self.assertEqual(self.volume()[0].description, 'Volume: 100 %')
        # All windows hear as much.
        self.key('ctrl+shift+m')
        wait_for(lambda: self.volume()[0].description == 'Volume: mute', 'it to be mute')
        self.click(*self.volume()[0].middle)
        self.settle()
        self.assertTrue(self.find('checkbox', 'Mute').checked)
        self.press('checkbox', 'Mute')
        self.key('Escape')
        self.settle()
        self.assertEqual(self.volume()[0].description, 'Volume: 100 %')
        # It is played on, from the end to the beginning, too.
        self.click(*self.head((300, 0)))
        frames = set()
        self.play(0)

        def played():
            frames.add(self.find('slider', 'Frames').value)
            return len(frames) > 6
        wait_for(played, 'frames to be played')
        wait_for(lambda: self.volume()[0].description.startswith('No sound: the sound server cannot be reached'),
                 'it to be said')
        self.stop()
        self.assertEqual(len(self.windows()), 1)


if __name__ == '__main__':
    main()
