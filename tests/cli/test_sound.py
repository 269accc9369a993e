# SPDX-License-Identifier: GPL-3.0-or-later
"""The sound of a graph, in movies and alone."""
import math
import os
import struct

from support import KineoTest, main

AAC_FRAME = 1024


class SoundTest(KineoTest):
    def graph(self, rate=24, end=48, tone=None, **nodes):
        """A picture, and a sine of amplitude 0.5 in frames 13 to 24."""
        tone = tone or {'frequency': 960, 'start': 13, 'length': 0.5}
        self.write('g.json', {'kineograph': 1, 'frames': {'start': 1, 'end': end, 'rate': rate}, 'nodes': {
            'p': {'type': 'image/constant', 'inputs': {'width': 64, 'height': 48}},
            't': {'type': 'sound/tone', 'inputs': tone},
            'o': {'type': 'sound/output', 'inputs': {'sound': {'link': 't.sound'}}}, **nodes}, 'display': 'p.image'})

    def render(self, *arguments):
        self.good('render', 'g.json', '--progress', 'none', *arguments)

    def heard(self, name, end=48):
        """The length of the sound of a file in seconds, and its level in each frame."""
        self.write('r.json', {'kineograph': 1, 'frames': {'start': 1, 'end': end, 'rate': 24}, 'nodes': {
            'i': {'type': 'sound/import', 'inputs': {'path': name, 'rate': 0}},
            'l': {'type': 'sound/level', 'inputs': {'sound': {'link': 'i.sound'}}}}})
        lines = self.kineo('eval', 'r.json', 'l.level', 'i.seconds', '--frames', f'1-{end}').lines()
        return lines[0]['values']['i.seconds'], [line['values']['l.level'] for line in lines]

    def test_V21_movies(self):
        """Every frame of the movie is as loud as that of the graph, and the sound is as long as the frames."""
        self.graph()
        for suffix, tolerance, longer in [('mp4', 0.02, AAC_FRAME), ('webm', 0.02, 0), ('mov', 1e-5, 0), ('mkv', 1e-5, 0),
                                          ('avi', 1e-4, 0)]:
            with self.subTest(suffix):
                self.render('-o', 'f.' + suffix)
                seconds, levels = self.heard('f.' + suffix)
                self.assertGreaterEqual(seconds, 2)
                self.assertLessEqual(seconds, 2 + longer / 48000)
                for frame, level in enumerate(levels, 1):
                    self.assertAlmostEqual(level, 0.5 / math.sqrt(2) if 13 <= frame <= 24 else 0, delta=tolerance)

    def read_wave(self, name):
        """Samples of 24 bits."""
        data, chunks, at = self.read(name), {}, 12
        self.assertEqual((data[:4], data[8:12]), (b'RIFF', b'WAVE'))
        while at < len(data):
            length = struct.unpack('<I', data[at + 4:at + 8])[0]
            chunks[data[at:at + 4]] = data[at + 8:at + 8 + length]
            at += 8 + length + length % 2
        self.assertEqual(struct.unpack('<H', chunks[b'fmt '][14:16])[0], 24)
        data = chunks[b'data']
        return [struct.unpack('<i', b'\0' + data[i:i + 3])[0] / 2**31 for i in range(0, len(data), 3)]

    def test_alone(self):
        self.graph()
        self.render('-o', 's.wav')
        samples = self.read_wave('s.wav')
        self.assertEqual(len(samples), 96000)
        for i in range(0, 96000, 11):
            expected = 0.5 * math.sin(2 * math.pi * 960 * (i - 24000) / 48000) if 24000 <= i < 48000 else 0
            self.assertAlmostEqual(samples[i], expected, delta=1e-6)

    def test_parts(self):
        """Parts that are rendered one by one are the whole, without a sample lost or twice, at any rate."""
        for rate in [24, 23.976, 30, 7]:
            with self.subTest(rate):
                self.graph(rate, 20, {'frequency': 333, 'rate': 44100})
                self.render('-o', 'all.wav')
                for name, frames in [('a', '1-6'), ('b', '7-7'), ('c', '8-20')]:
                    self.render('-o', name + '.wav', '--frames', frames)
                parts = [self.read_wave(name + '.wav') for name in 'abc']
                whole = self.read_wave('all.wav')
                self.assertEqual(parts[0] + parts[1] + parts[2], whole)
                exact = 24000 / 1001 if rate == 23.976 else rate
                self.assertEqual(len(whole), math.floor(20 * 44100 / exact + 0.5))

    def test_long_and_short(self):
        """A sound that is longer than the frames is cut, and one that is shorter is followed by silence."""
        self.graph(end=12, tone={'length': 10})
        self.render('-o', 'cut.wav')
        self.assertEqual(len(self.read_wave('cut.wav')), 24000)
        self.graph(end=24, tone={'length': 0.1})
        self.render('-o', 'filled.wav')
        samples = self.read_wave('filled.wav')
        self.assertEqual(len(samples), 48000)
        self.assertEqual(set(samples[4800:]), {0})

    def test_steps(self):
        """A movie of every second frame lasts as long, and sounds the same."""
        self.graph()
        self.render('-o', 's.mov', '--frames', '1-48x2')
        seconds, levels = self.heard('s.mov')
        self.assertEqual(seconds, 2)
        self.assertAlmostEqual(levels[18], 0.5 / math.sqrt(2), delta=1e-5)

    def test_no_sound(self):
        self.graph()
        self.render('-o', 'f.mp4', '--no-sound')
        self.assertIn('it has no sound', self.kineo('eval', self.reading('f.mp4'), 'i.sound').err)
        # Formats without sound need no option.
        self.render('-o', 'f.gif')
        self.render('-o', 'f.%04d.png', '--frames', '1-2')

    def reading(self, name):
        self.write('r.json', {'kineograph': 1, 'nodes': {'i': {'type': 'sound/import', 'inputs': {'path': name}}}})
        return 'r.json'

    def test_same_bytes(self):
        self.graph()
        for suffix in ['mp4', 'webm', 'mov', 'mkv']:
            self.render('-o', 'a.' + suffix, '--jobs', '1')
            self.render('-o', 'b.' + suffix, '--jobs', '3')
            with open(self.path('a.' + suffix), 'rb') as a, open(self.path('b.' + suffix), 'rb') as b:
                self.assertEqual(a.read(), b.read(), suffix)

    def test_which(self):
        """One output is heard; several are refused before anything is rendered."""
        two = {'type': 'sound/output', 'inputs': {'sound': {'link': 't.sound'}}}
        self.graph(two=two)
        result = self.kineo('render', 'g.json', '-o', 'f.mp4', '--progress', 'none')
        self.assertEqual(result.status, 1)
        self.assertIn('o and two are both the sound of the graph', result.err)
        self.assertFalse(os.path.exists(self.path('f.mp4')))
        self.graph(two={**two, 'bypass': True})
        self.render('-o', 'f.mp4')

    def own(self, name, path, **inputs):
        return {name: {'type': 'render/file', 'inputs': {
            'image': {'link': 'p.image'}, 'path': path, 'sound': {'link': 'q.sound'}, **inputs}}}

    def test_V21_own_sound(self):
        """Two movies of one graph, each with a sound of its own; the one without gets that of the graph."""
        quiet = {'type': 'sound/tone', 'inputs': {'frequency': 480, 'amplitude': 0.25, 'start': 1, 'length': 1}}
        self.graph(q=quiet, **self.own('a', 'a.mov'), **self.own('b', 'b.mkv', first=13, last=24),
                   c={'type': 'render/file', 'inputs': {'image': {'link': 'p.image'}, 'path': 'c.mov'}})
        self.render()
        seconds, own = self.heard('a.mov')
        self.assertEqual(seconds, 2)
        loud = max(own)
        for frame, level in enumerate(own, 1):
            self.assertAlmostEqual(level, loud if frame <= 24 else 0, delta=1e-5)
        # A part of the frames has that part of the sound.
        seconds, part = self.heard('b.mkv')
        self.assertEqual(seconds, 0.5)
        self.assertAlmostEqual(part[3], loud, delta=1e-5)
        _, graph = self.heard('c.mov')
        self.assertAlmostEqual(graph[0], 0, delta=1e-5)
        self.assertAlmostEqual(graph[18], 0.5 / math.sqrt(2), delta=1e-5)
        self.assertNotAlmostEqual(loud, 0.5 / math.sqrt(2), delta=1e-2)

    def test_own_sound_alone(self):
        """A node writes a file of sound, without an image; its settings are those of the node named, too."""
        self.graph(q={'type': 'sound/tone', 'inputs': {'frequency': 480, 'length': 10}},
                   w={'type': 'render/file', 'inputs': {'path': 'w.wav', 'sound': {'link': 'q.sound'}, 'first': 1, 'last': 12}})
        self.render()
        samples = self.read_wave('w.wav')
        self.assertEqual(len(samples), 24000)
        self.assertAlmostEqual(samples[25], 0.5 * math.sin(2 * math.pi * 480 * 25 / 48000), delta=1e-6)

    def test_own_sound_left_out(self):
        """A format without sound gives one warning with the node and the remedy; without sound, or with --no-sound, none."""
        tone = {'type': 'sound/tone', 'inputs': {}}
        for name, remedy in [('a.gif', 'use .mp4'), ('a.apng', 'use .mp4'), ('a.webp', 'use .mp4'), ('a%d.png', 'render a movie')]:
            with self.subTest(name):
                self.graph(q=tone, end=3, **self.own('a', name))
                err = self.kineo('render', 'g.json', '--progress', 'none').err
                self.assertEqual(err.count('warning: a: its sound is left out'), 1, err)
                self.assertIn(remedy, err)
                err = self.kineo('render', 'g.json', '--progress', 'none', '--no-sound').err
                self.assertNotIn('sound', err)
                inputs = {'image': {'link': 'p.image'}, 'path': name}
                self.graph(end=3, a={'type': 'render/file', 'inputs': inputs})
                self.assertNotIn('sound', self.kineo('render', 'g.json', '--progress', 'none').err)
        self.graph(q=tone, end=3, **self.own('a', 'a.mkv'))
        self.assertNotIn('left out', self.kineo('render', 'g.json', '--progress', 'none').err)

    def test_own_sound_wrong(self):
        """A sound that cannot be computed stops its own file only, and formats without sound need none."""
        self.graph(q={'type': 'sound/import', 'inputs': {'path': 'none.wav'}}, **self.own('a', 'a.mkv'),
                   **self.own('b', 'b.gif'))
        result = self.kineo('render', 'g.json', '--progress', 'none')
        self.assertEqual(result.status, 1)
        self.assertIn('1 of 2 files were not rendered: ', result.err)
        self.assertIn('none.wav', result.err)
        self.assertFalse(os.path.exists(self.path('a.mkv')))
        self.assertTrue(os.path.exists(self.path('b.gif')))
        # Two outputs of the graph are no problem of a movie that needs neither.
        self.graph(q={'type': 'sound/tone', 'inputs': {}}, **self.own('a', 'a.mkv'),
                   two={'type': 'sound/output', 'inputs': {'sound': {'link': 't.sound'}}})
        self.render()
        self.assertTrue(os.path.exists(self.path('a.mkv')))

    def test_broken_sound(self):
        """A movie without its sound is not what was asked for: it is not begun."""
        self.graph(i={'type': 'sound/import', 'inputs': {'path': 'none.wav'}},
                   o={'type': 'sound/output', 'inputs': {'sound': {'link': 'i.sound'}}})
        result = self.kineo('render', 'g.json', '-o', 'f.mp4', '--progress', 'none')
        self.assertEqual(result.status, 1)
        self.assertIn('none.wav', result.err)
        self.assertIn('--no-sound', result.err)
        self.assertFalse(os.path.exists(self.path('f.mp4')))
        self.render('-o', 'f.mp4', '--no-sound')

    def test_targets(self):
        self.graph(q={'type': 'sound/tone', 'inputs': {'frequency': 100}},
                   f={'type': 'render/file', 'inputs': {'image': {'link': 'p.image'}, 'path': 'x.wav'}})
        self.render('q.sound', '-o', 'q.wav')
        self.assertAlmostEqual(max(self.read_wave('q.wav')), 0.5, delta=1e-4)
        self.assertIn('is of kind image, not a sound',
                      self.kineo('render', 'g.json', 'p.image', '-o', 'q.wav').err)
        self.assertIn('not an image', self.kineo('render', 'g.json', 'q.sound', '-o', 'q.png').err)
        self.assertIn('a file of sound cannot be resumed',
                      self.kineo('render', 'g.json', '-o', 'q.wav', '--resume').err)
        self.assertIn('x.wav is a file of sound', self.kineo('render', 'g.json').err)
        self.write('n.json', {'kineograph': 1, 'nodes': {}})
        self.assertIn('the graph has no sound', self.kineo('render', 'n.json', '-o', 'q.wav').err)

    def test_outside(self):
        """A sound outside the folder of the graph is not read, unless that is allowed."""
        self.graph()
        self.render('-o', 's.wav')
        os.mkdir(self.path('inner'))
        self.write('inner/r.json', {'kineograph': 1, 'nodes': {'i': {'type': 'sound/import',
                                                                     'inputs': {'path': '../s.wav'}}}})
        result = self.kineo('eval', 'inner/r.json', 'i.seconds')
        self.assertEqual(result.status, 1)
        self.assertIn('outside the folder of the graph', result.err)
        self.good('eval', 'inner/r.json', 'i.seconds', '--allow-path', '.')

    def test_too_loud(self):
        """Samples beyond full scale are reported and clipped."""
        self.graph(tone={'amplitude': 2, 'length': 1})
        result = self.kineo('render', 'g.json', '-o', 'l.wav')
        self.assertEqual(result.status, 0)
        self.assertIn('the sound is too loud', result.err)
        self.assertAlmostEqual(max(self.read_wave('l.wav')), 1, delta=1e-6)


if __name__ == '__main__':
    main()
