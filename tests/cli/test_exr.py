# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenEXR files as other programs write them: windows, layers, parts, tiles, deep samples, other primaries."""
import os
import struct
import zlib

from support import KineoTest, main

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, 'fuzz', 'corpus-picture')
HALF, FLOAT = 1, 2
NONE, RLE, ZIPS = 0, 1, 2


def attribute(name, kind, data):
    return name.encode() + b'\0' + kind.encode() + b'\0' + struct.pack('<i', len(data)) + data


def make_header(channels, window, display, aspect, compression, *more, deep=False):
    """channels: names to types, in the order of names."""
    listed = b''.join(name.encode() + b'\0' + struct.pack('<iB3xii', kind, 0, 1, 1)
                      for name, kind in sorted(channels.items())) + b'\0'
    return (struct.pack('<ii', 20000630, 2 | (0x800 if deep else 0)) + attribute('channels', 'chlist', listed) +
            attribute('compression', 'compression', bytes([compression])) +
            attribute('dataWindow', 'box2i', struct.pack('<4i', *window)) +
            attribute('displayWindow', 'box2i', struct.pack('<4i', *display)) +
            attribute('lineOrder', 'lineOrder', b'\0') + attribute('pixelAspectRatio', 'float', struct.pack('<f', aspect)) +
            attribute('screenWindowCenter', 'v2f', struct.pack('<ff', 0, 0)) +
            attribute('screenWindowWidth', 'float', struct.pack('<f', 1)) + b''.join(more) + b'\0')


def with_chunks(header, chunks):
    """Chunks with their places in front of them."""
    at, places = len(header) + 8 * len(chunks), []
    for chunk in chunks:
        places.append(at)
        at += len(chunk)
    return header + struct.pack('<%dQ' % len(places), *places) + b''.join(chunks)


def flat(channels, window, display=None, aspect=1, *more):
    """channels: names to a number, which all pixels have."""
    width = window[2] - window[0] + 1
    header = make_header({name: FLOAT for name in channels}, window, display or window, aspect, NONE, *more)
    line = b''.join(struct.pack('<%df' % width, *[x] * width) for _, x in sorted(channels.items()))
    return with_chunks(header, [struct.pack('<ii', y, len(line)) + line for y in range(window[1], window[3] + 1)])


def parts(listed, window):
    """listed: names of parts and their channels, each with a number that all its pixels have."""
    width, height = window[2] - window[0] + 1, window[3] - window[1] + 1
    headers, chunks = b'', []
    for i, (name, channels) in enumerate(listed):
        kinds = {channel: FLOAT for channel in channels}
        headers += make_header(kinds, window, window, 1, NONE, attribute('name', 'string', name.encode()),
                               attribute('type', 'string', b'scanlineimage'),
                               attribute('chunkCount', 'int', struct.pack('<i', height)))[8:]
        line = b''.join(struct.pack('<%df' % width, *[x] * width) for _, x in sorted(channels.items()))
        chunks += [struct.pack('<iii', i, y, len(line)) + line for y in range(window[1], window[3] + 1)]
    return with_chunks(struct.pack('<ii', 20000630, 2 | 0x1000) + headers + b'\0', chunks)


def apart(data):
    """What is done before bytes are compressed: even and odd ones apart, and each less the one before."""
    data = data[0::2] + data[1::2]
    return data[:1] + bytes((b - a + 128) & 255 for a, b in zip(data, data[1:]))


def pack(data, compression):
    if compression == NONE or not data:
        return data
    data, packed = apart(data), b''
    if compression == ZIPS:
        packed = zlib.compress(data)
    while compression == RLE and data:
        run = 1
        while run < min(len(data), 128) and data[run] == data[0]:
            run += 1
        packed += bytes([run - 1]) + data[:1] if run > 1 else b'\xff' + data[:1]
        data = data[run:]
    return packed


def deep(rows, compression, window=None):
    """rows: for each pixel a list of samples (r, g, b, a, z)."""
    width, height = len(rows[0]), len(rows)
    window = window or (0, 0, width - 1, height - 1)
    kinds = {'A': HALF, 'B': HALF, 'G': HALF, 'R': HALF, 'Z': FLOAT}
    order = {'R': 0, 'G': 1, 'B': 2, 'A': 3, 'Z': 4}
    header = make_header(kinds, window, window, 1, compression, attribute('type', 'string', b'deepscanline'),
                         attribute('version', 'int', struct.pack('<i', 1)), attribute('name', 'string', b'deep'),
                         attribute('chunkCount', 'int', struct.pack('<i', height)),
                         attribute('maxSamplesPerPixel', 'int', struct.pack('<i', 9)), deep=True)
    chunks = []
    for y, row in enumerate(rows):
        counts, total = [], 0
        for samples in row:
            total += len(samples)
            counts.append(total)
        plain = b''.join(struct.pack('<%d%s' % (total, 'e' if kinds[c] == HALF else 'f'),
                                     *[s[order[c]] for samples in row for s in samples]) for c in sorted(kinds))
        table = struct.pack('<%di' % width, *counts)
        tables = [t if len(t) < len(table) else table for t in [pack(table, compression)]]
        packed = [d if len(d) < len(plain) else plain for d in [pack(plain, compression)]]
        chunks.append(struct.pack('<iQQQ', window[1] + y, len(tables[0]), len(packed[0]), len(plain)) + tables[0] + packed[0])
    return with_chunks(header, chunks)


class ExrTest(KineoTest):
    def evaluate(self, data, **inputs):
        self.write('i.exr', data)
        self.write('g.json', {'kineograph': 1, 'nodes': {
            'i': {'type': 'image/import', 'inputs': {'path': 'i.exr', **inputs}}}})
        return self.kineo('eval', 'g.json', 'i')

    def image(self, data, warning='', **inputs):
        done = self.evaluate(data, **inputs)
        self.assertEqual(done.status, 0, done.err)
        self.assertIn(warning, done.err)
        if not warning:
            self.assertEqual(done.err, '')
        return done.lines()[0]['values']['i.image']

    def check(self, pixel, wanted, places=5):
        for x, y in zip(pixel, wanted):
            self.assertAlmostEqual(x, y, places)

    def test_windows(self):
        """An image is as large as its display window: what is outside the data window is nothing."""
        image = self.image(flat({'R': 1, 'G': 0.5, 'B': 0.25}, (1, 2, 2, 2), (0, 0, 3, 3)))
        self.assertEqual((image['width'], image['height']), (4, 4))
        for i, pixel in enumerate(image['pixels']):
            self.check(pixel, (1, 0.5, 0.25, 1) if i in (9, 10) else (0, 0, 0, 0))
        image = self.image(flat({'R': 1, 'G': 0.5, 'B': 0.25}, (-3, -1, 5, 7), (0, 0, 3, 3)),
                           'data window of 9 × 9 pixels is not within its display window of 4 × 4')
        self.assertEqual((image['width'], image['height']), (4, 4))
        self.check(image['mean'], (1, 0.5, 0.25, 1))
        image = self.image(flat({'R': 1}, (10, 10, 12, 12), (0, 0, 3, 3)), 'is not within')
        self.check(image['mean'], (0, 0, 0, 0))

    def test_aspect(self):
        """The pixel aspect is read, and written again."""
        self.write('i.exr', flat({'R': 1}, (0, 0, 1, 1), None, 2))
        self.write('g.json', {'kineograph': 1, 'nodes': {'i': {'type': 'image/import', 'inputs': {'path': 'i.exr'}}}})
        self.good('render', 'g.json', 'i', '-o', 'o.exr', '--frames', '1', '--progress', 'none')
        with open(self.path('o.exr'), 'rb') as file:
            data = file.read()
        at = data.index(b'pixelAspectRatio\0float\0') + len(b'pixelAspectRatio\0float\0') + 4
        self.assertEqual(struct.unpack_from('<f', data, at)[0], 2)

    def test_channels(self):
        """Grey, a layer, a depth alone; and none that is known."""
        self.check(self.image(flat({'Y': 0.7}, (0, 0, 1, 1)))['mean'], (0.7, 0.7, 0.7, 1))
        self.check(self.image(flat({'Y': 0.2, 'A': 0.5}, (0, 0, 1, 1)))['mean'], (0.2, 0.2, 0.2, 0.5))
        self.check(self.image(flat({'k.beauty.R': 0.7, 'k.beauty.G': 0.6, 'k.beauty.B': 0.5, 'k.beauty.A': 0.9,
                                    'z.R': 1, 'z.G': 1, 'z.B': 1}, (0, 0, 1, 1)), 'the layer k.beauty is read')['mean'],
                   (0.7, 0.6, 0.5, 0.9))
        self.check(self.image(flat({'Z': 3}, (0, 0, 1, 1)))['mean'], (0, 0, 0, 1))
        done = self.evaluate(flat({'normal.X': 1, 'normal.Y': 1}, (0, 0, 1, 1)))
        self.assertEqual(done.status, 1)
        self.assertIn('it has: normal.X, normal.Y', done.err)

    def test_40_c09_half(self):
        """Files of 16 bits, in their usual form: colours with and without alpha and depth, and each channel in its place."""
        values = {'R': 0.125, 'G': 0.25, 'B': 0.375, 'A': 0.5, 'Z': 3.0}
        for names in ('R', 'RG', 'RGB', 'RGBA', 'RGBAZ', 'RGBZ', 'BA', 'GBA'):
            header = make_header({name: HALF for name in names}, (0, 0, 2, 1), (0, 0, 2, 1), 1, NONE)
            line = b''.join(struct.pack('<3e', *[values[name]] * 3) for name in sorted(names))
            image = self.image(with_chunks(header, [struct.pack('<ii', y, len(line)) + line for y in range(2)]))
            for pixel in image['pixels']:
                self.assertEqual(pixel, [values[c] if c in names else 1 if c == 'A' else 0 for c in 'RGBA'], names)

    def test_primaries(self):
        """Colours of other primaries become those of ITU-R BT.709: ACES, whose matrix is published."""
        aces = attribute('chromaticities', 'chromaticities',
                         struct.pack('<8f', 0.7347, 0.2653, 0, 1, 0.0001, -0.077, 0.32168, 0.33767))
        for rgb, wanted in [((1, 0, 0), (2.52169, -0.27648, -0.01538)), ((0, 1, 0), (-1.13413, 1.37272, -0.15298)),
                            ((0, 0, 1), (-0.38756, -0.09624, 1.16835)), ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))]:
            image = self.image(flat(dict(zip('RGB', rgb)), (0, 0, 1, 1), None, 1, aces))
            self.check(image['mean'], (*wanted, 1), 3)

    def test_tiles(self):
        with open(os.path.join(CORPUS, 'tiled.exr.bin'), 'rb') as file:
            image = self.image(file.read()[1:])
        self.assertEqual((image['width'], image['height']), (4, 3))
        self.check(image['mean'], (0.25, 0.25, 0.25, 1))

    def test_parts(self):
        """The first part with colours, unless one is named; layers of any part have names as well."""
        data = parts([('depth', {'Z': 7}), ('beauty', {'R': 0.75, 'G': 0.5, 'B': 0.25, 'A': 0.5}),
                      ('light', {'key.R': 1, 'key.G': 2, 'key.B': 3, 'fill.Y': 0.125}), ('matte', {'Y': 0.3})], (0, 0, 2, 1))
        self.check(self.image(data, 'it has 4 parts: the part beauty is read')['mean'], (0.75, 0.5, 0.25, 0.5))
        for name, wanted in [('beauty', (0.75, 0.5, 0.25, 0.5)), ('matte', (0.3, 0.3, 0.3, 1)), ('key', (1, 2, 3, 1)),
                             ('fill', (0.125, 0.125, 0.125, 1)), ('depth', (0, 0, 0, 1))]:
            image = self.image(data, part=name)
            self.assertEqual((image['width'], image['height']), (3, 2))
            self.check(image['mean'], wanted)
        done = self.evaluate(data, part='Beauty')
        self.assertEqual(done.status, 1)
        self.assertIn('it has no part or layer named Beauty (it has: depth, beauty, light, fill, key, matte)', done.err)
        # Of a file of one part, too.
        one = flat({'R': 1, 'G': 1, 'B': 1, 'k.spec.R': 0.5, 'k.spec.G': 0.25, 'k.spec.B': 0.125}, (0, 0, 1, 1))
        self.check(self.image(one)['mean'], (1, 1, 1, 1))
        self.check(self.image(one, part='k.spec')['mean'], (0.5, 0.25, 0.125, 1))
        self.assertIn('at most 255 bytes', self.evaluate(one, part='x' * 300).err)
        for at in range(8, len(data) - 40, 31):
            self.assertIn(self.evaluate(data[:at] + b'\xff' + data[at + 1:]).status, (0, 1))

    def test_deep(self):
        """The samples of a pixel lie over each other by their depth, whatever their order; of half and float, packed and not."""
        near, far = (0.25, 0, 0, 0.5, 1.5), (0, 0, 1, 1, 4)
        rows = [[[far, near], [near], []], [[near, far], [(0, 0.5, 0, 0.5, 9), far, near], [far]]] * 3
        for compression in (NONE, RLE, ZIPS):
            image = self.image(deep(rows, compression))
            self.assertEqual((image['width'], image['height']), (3, 6))
            self.check(image['pixels'][0], (0.25, 0, 0.5, 1))
            self.check(image['pixels'][1], near[:4])
            self.check(image['pixels'][2], (0, 0, 0, 0))
            self.check(image['pixels'][3], (0.25, 0, 0.5, 1))
            self.check(image['pixels'][4], (0.25, 0, 0.5, 1))
            self.check(image['pixels'][5], (0, 0, 1, 1))
        with open(os.path.join(CORPUS, 'deep.exr.bin'), 'rb') as file:
            self.check(self.image(file.read()[1:])['mean'], (0, 0, 0, 0.4375))

    def test_deep_damaged(self):
        """No byte of a deep file makes more than an error."""
        whole = deep([[[(1, 1, 1, 0.5, 2)], []], [[(1, 0, 0, 1, 3)] * 3, []]], ZIPS)
        for i in list(range(len(whole) - 130, len(whole), 7)):
            for value in (0, 0xff):
                done = self.evaluate(whole[:i] + bytes([value]) + whole[i + 1:])
                self.assertIn(done.status, (0, 1), done.err)
        self.assertEqual(self.evaluate(whole[:-9]).status, 1)


if __name__ == '__main__':
    main()
